// Runs an op on arrays of the host, wherever it runs: for a GPU they are copied there and back.
#ifndef QFUSE_TESTS_SUPPORT_RUN_H
#define QFUSE_TESTS_SUPPORT_RUN_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "backend/cuda/gpu.h"
#include "format/layout.h"
#include "format/params.h"
#include "runtime/memory.h"
#include "support/buffer.h"

namespace qfuse::tests {

inline qfuse_status call(const qfuse_dequantize_4bit_params& p, const qfuse_exec& exec, qfuse_error* error) {
  return qfuse_dequantize_4bit(&p, &exec, error);
}
inline qfuse_status call(const qfuse_quantize_4bit_params& p, const qfuse_exec& exec, qfuse_error* error) {
  return qfuse_quantize_4bit(&p, &exec, error);
}
inline qfuse_status call(const qfuse_quantize_blockwise_params& p, const qfuse_exec& exec, qfuse_error* error) {
  return qfuse_quantize_blockwise(&p, &exec, error);
}
inline qfuse_status call(const qfuse_dequantize_blockwise_params& p, const qfuse_exec& exec, qfuse_error* error) {
  return qfuse_dequantize_blockwise(&p, &exec, error);
}
inline qfuse_status call(const qfuse_dequantize_int8_params& p, const qfuse_exec& exec, qfuse_error* error) {
  return qfuse_dequantize_int8(&p, &exec, error);
}
inline qfuse_status call(const qfuse_silu_dot_fwd_bwd_quant_fuse_params& p, const qfuse_exec& exec,
                         qfuse_error* error) {
  return qfuse_silu_dot_fwd_bwd_quant_fuse(&p, &exec, error);
}

// Arrays in a GPU's memory, as odd an address as on the host. Around an output stands poison, and in it; an input ends
// where its allocation does, so that compute-sanitizer sees one read too far.
class OnDevice {
 public:
  explicit OnDevice(const qfuse_exec& exec) : device_(exec.device.index), stream_(device_) {}

  template <class T>
  void input(const T*& array, std::int64_t size) {
    if (array != nullptr) array = static_cast<const T*>(move(array, nullptr, static_cast<std::size_t>(size)));
  }
  template <class T>
  void output(T*& array, std::int64_t size) {
    if (array != nullptr) array = static_cast<T*>(move(array, array, static_cast<std::size_t>(size)));
  }

  // Waits, brings the outputs back, and looks that nothing else was written.
  void finish(void* op_stream) {
    runtime::require(cuda::synchronize(device_, op_stream));
    for (const auto& array : arrays_) {
      std::vector<std::uint8_t> after(array->there.size());
      stream_.copy(after.data(), array->there.data(), after.size());
      stream_.synchronize();
      if (array->out != nullptr) {
        std::memcpy(array->out, after.data() + array->front, array->size);
        std::memcpy(array->before.data() + array->front, array->out, array->size);
      }
      EXPECT_EQ(after, array->before) << "bytes were written that are not the op's to write";
    }
  }

 private:
  struct Array {
    Array(int device, std::size_t front_bytes, std::size_t array_bytes, std::size_t back, void* host_output)
        : front(front_bytes),
          size(array_bytes),
          out(host_output),
          before(front + size + back, kPoison),
          there(device, before.size()) {}
    std::size_t front;
    std::size_t size;
    void* out;  // on the host; null for an input
    std::vector<std::uint8_t> before;
    runtime::DeviceMemory there;
  };

  void* move(const void* from, void* out, std::size_t size) {
    constexpr std::size_t kGuard = 64;
    const std::size_t front = kGuard + reinterpret_cast<std::uintptr_t>(from) % 16;
    Array& array = *arrays_.emplace_back(std::make_unique<Array>(device_, front, size, out ? kGuard : 0, out));
    if (out == nullptr && size > 0) std::memcpy(array.before.data() + front, from, size);
    stream_.copy(array.there.data(), array.before.data(), array.before.size());
    stream_.synchronize();
    return array.there.data() + front;
  }

  int device_;
  runtime::Stream stream_;
  std::vector<std::unique_ptr<Array>> arrays_;
};

inline void move_arrays(qfuse_dequantize_4bit_params& p, OnDevice& to) {
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  to.input(p.packed, format::packed_size(p.n));
  if (!format::is_nested(p)) {
    to.input(p.absmax, blocks * 4);
  } else {
    to.input(p.nested_absmax, format::block_count(blocks, p.nested_blocksize) * 4);
    to.input(p.nested_quant_map, std::int64_t{format::kCodes8} * 4);
    to.input(p.nested_offset_at, 4);
  }
  to.input(p.absmax_8bit, blocks);
  to.output(p.out, p.n * format::dtype_size(p.out_dtype));
}

inline void move_arrays(qfuse_quantize_4bit_params& p, OnDevice& to) {
  const std::int64_t blocks = format::block_count(p.n, p.blocksize);
  to.input(p.in, p.n * format::dtype_size(p.in_dtype));
  to.output(p.packed, format::packed_size(p.n));
  to.output(p.absmax, blocks * 4);
  if (format::is_nested(p)) {
    to.output(p.nested_absmax, format::block_count(blocks, p.nested_blocksize) * 4);
    to.output(p.nested_offset, 4);
    to.input(p.given_offset, 4);
  }
  to.output(p.absmax_8bit, blocks);
}

inline void move_arrays(qfuse_quantize_blockwise_params& p, OnDevice& to) {
  to.input(p.in, p.n * format::dtype_size(p.in_dtype));
  to.output(p.codes, p.n);
  to.output(p.absmax, format::block_count(p.n, p.blocksize) * 4);
}

inline void move_arrays(qfuse_dequantize_blockwise_params& p, OnDevice& to) {
  to.input(p.codes, p.n);
  to.input(p.absmax, format::block_count(p.n, p.blocksize) * 4);
  to.input(p.quant_map, std::int64_t{format::kCodes8} * 4);
  to.output(p.out, p.n * format::dtype_size(p.out_dtype));
}

inline void move_arrays(qfuse_dequantize_int8_params& p, OnDevice& to) {
  to.input(p.in, p.rows * p.cols);
  to.input(p.scb, p.rows * 4);
  to.output(p.out, p.rows * p.cols * format::dtype_size(p.out_dtype));
}

inline void move_arrays(qfuse_silu_dot_fwd_bwd_quant_fuse_params& p, OnDevice& to) {
  const std::int64_t groups = format::block_count(p.m, format::kGroupSize);
  to.input(p.x, ((p.m - 1) * format::x_stride(p) + 2 * p.h) * 2);
  to.input(p.grad_y, ((p.m - 1) * format::grad_y_stride(p) + p.h) * 2);
  to.output(p.grad_input_q, p.m * 2 * p.h);
  to.output(p.grad_input_s, p.m * 2 * p.h / format::kGroupSize * 4);
  to.output(p.y_q_t, p.h * p.m);
  to.output(p.y_s_t, p.h * groups * 4);
}

// Parameters must be valid, as their sizes are believed.
template <class Params>
qfuse_status run(const Params& p, const qfuse_exec& exec, qfuse_error* error) {
  if (exec.device.type != QFUSE_CUDA) return call(p, exec, error);
  Params there = p;
  OnDevice arrays(exec);
  move_arrays(there, arrays);
  const qfuse_status status = call(there, exec, error);
  arrays.finish(exec.stream);
  return status;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RUN_H
