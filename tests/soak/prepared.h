// A prepared case: its inputs are on the GPU, its outputs have places, and the expected bytes can be computed.
#ifndef QFUSE_TESTS_SOAK_PREPARED_H
#define QFUSE_TESTS_SOAK_PREPARED_H

#include <qfuse/qfuse.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "context.h"

namespace qfuse::soak {

inline constexpr std::uint8_t kPoison = 0xa5;
inline constexpr std::int64_t kGuard = 64;  // poison on both sides of an output, at least, in bytes

struct Output {
  std::string name;
  std::int64_t offset;  // bytes, in the image
  std::int64_t size;
};

// All outputs of a call are in one allocation, the image, with poison around each. One comparison therefore finds wrong
// outputs and writes outside them.
struct Prepared {
  std::vector<Output> outputs;
  std::int64_t image_size = kGuard;
  std::int64_t workspace_size = 0;

  // Enqueues the op.
  std::function<qfuse_status(std::uint8_t* image, void* workspace, void* stream, qfuse_error* error)> call;
  // Writes the expected bytes into an image of poison. Empty if only the op itself can compute them; then its first
  // result is used.
  std::function<void(std::uint8_t* image)> expect;

  // Returns the offset of a new output, `at` bytes after an aligned address.
  std::int64_t add(const char* name, std::int64_t size, std::int64_t at) {
    const std::int64_t offset = round_up(image_size, kAlignment) + at;
    outputs.push_back({name, offset, size});
    image_size = offset + size + kGuard;
    return offset;
  }
};

Prepared prepare(const Case& c, Context& context);

// One function per op.
Prepared prepare_dequantize_4bit(const Case& c, Context& context);
Prepared prepare_quantize_4bit(const Case& c, Context& context);
Prepared prepare_dequantize_blockwise(const Case& c, Context& context);
Prepared prepare_quantize_blockwise(const Case& c, Context& context);
Prepared prepare_dequantize_int8(const Case& c, Context& context);
Prepared prepare_matmul_4bit(const Case& c, Context& context);  // and matmul_4bit_grouped
Prepared prepare_swiglu(const Case& c, Context& context);
Prepared prepare_lora_merge(const Case& c, Context& context);
Prepared prepare_rotated_int8_quantize(const Case& c, Context& context);
Prepared prepare_rotated_int8_weight_scales(const Case& c, Context& context);
Prepared prepare_rotated_int8_weight(const Case& c, Context& context);
Prepared prepare_rotated_int8_matmul(const Case& c, Context& context);
Prepared prepare_rotated_int8_swiglu(const Case& c, Context& context);
Prepared prepare_dequantize_4bit_rows(const Case& c, Context& context);
Prepared prepare_dequantize_fp8(const Case& c, Context& context);

inline std::int64_t size_of(qfuse_dtype dtype) { return static_cast<std::int64_t>(qfuse_dtype_size(dtype)); }

// Copies an oracle's result, from the GPU or the host, into an image.
inline void put(std::uint8_t* to, const void* from, std::int64_t size) { copy_now(to, from, size, "what is expected"); }

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_PREPARED_H
