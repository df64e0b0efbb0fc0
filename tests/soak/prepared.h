// A case made ready: its inputs lie on the GPU, its outputs have places, and it is known which bytes have to come.
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
inline constexpr std::int64_t kGuard = 64;  // bytes of poison on both sides of an output, at least

struct Output {
  std::string name;
  std::int64_t offset;  // bytes, in the image
  std::int64_t size;
};

// All outputs of a call lie in one piece of memory, the image, with poison around each, so that one comparison finds
// what is wrong in them and what was written beside them.
struct Prepared {
  std::vector<Output> outputs;
  std::int64_t image_size = kGuard;
  std::int64_t workspace_size = 0;

  // Enqueues the op.
  std::function<qfuse_status(std::uint8_t* image, void* workspace, void* stream, qfuse_error* error)> call;
  // Writes what has to come into an image of poison. Empty: nobody knows it but the op itself, whose first result
  // stands for it.
  std::function<void(std::uint8_t* image)> expect;

  // The place of another output, `at` bytes behind an aligned address.
  std::int64_t add(const char* name, std::int64_t size, std::int64_t at) {
    const std::int64_t offset = round_up(image_size, kAlignment) + at;
    outputs.push_back({name, offset, size});
    image_size = offset + size + kGuard;
    return offset;
  }
};

Prepared prepare(const Case& c, Context& context);

// One for each op.
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

// Copies what a judge made, on the GPU or on the host, into an image.
inline void put(std::uint8_t* to, const void* from, std::int64_t size) { copy_now(to, from, size, "what is expected"); }

}  // namespace qfuse::soak

#endif  // QFUSE_TESTS_SOAK_PREPARED_H
