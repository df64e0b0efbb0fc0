#include "format/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <limits>
#include <span>

#include "format/layout.h"

namespace qfuse::format {
namespace {

// An array of a params struct: what is said of it in a message, and where it lies.
struct Array {
  const char* name;
  const void* data;
  std::int64_t size;  // bytes
};

constexpr std::int64_t kFloat = sizeof(float);

Outcome check_count(const char* name, std::int64_t count) {
  if (count < 0) return invalid_argument(fmt::format("{} is {}, it must not be negative", name, count));
  // The largest array has 4 bytes an element; its size in bytes must not overflow.
  if (count > std::numeric_limits<std::int64_t>::max() / 4)
    return invalid_argument(fmt::format("{} is {}, more than memory can hold", name, count));
  return {};
}

Outcome check_blocksize(std::int64_t blocksize) {
  if (blocksize < kMinBlocksize || blocksize > kMaxBlocksize ||
      !std::has_single_bit(static_cast<std::uint64_t>(blocksize)))
    return invalid_argument(fmt::format("blocksize is {}, it must be a power of two from {} to {}", blocksize,
                                        kMinBlocksize, kMaxBlocksize));
  return {};
}

Outcome check_power_of_two(const char* name, std::int64_t value) {
  if (value < 1 || !std::has_single_bit(static_cast<std::uint64_t>(value)))
    return invalid_argument(fmt::format("{} is {}, it must be a power of two", name, value));
  return {};
}

Outcome check_quant_type(qfuse_quant_type quant_type) {
  if (quant_type != QFUSE_NF4 && quant_type != QFUSE_FP4)
    return invalid_argument(fmt::format("quant_type is {}, it must be QFUSE_FP4 ({}) or QFUSE_NF4 ({})",
                                        static_cast<int>(quant_type), static_cast<int>(QFUSE_FP4),
                                        static_cast<int>(QFUSE_NF4)));
  return {};
}

Outcome check_dtype(const char* name, qfuse_dtype dtype) {
  if (dtype_size(dtype) == 0)
    return invalid_argument(
        fmt::format("{} is {}, it must be QFUSE_FLOAT32 ({}), QFUSE_FLOAT16 ({}) or QFUSE_BFLOAT16 ({})", name,
                    static_cast<int>(dtype), static_cast<int>(QFUSE_FLOAT32), static_cast<int>(QFUSE_FLOAT16),
                    static_cast<int>(QFUSE_BFLOAT16)));
  return {};
}

Outcome check_reciprocal(qfuse_reciprocal reciprocal) {
  if (reciprocal != QFUSE_RECIPROCAL_IEEE && reciprocal != QFUSE_RECIPROCAL_APPROX)
    return invalid_argument(
        fmt::format("reciprocal is {}, it must be QFUSE_RECIPROCAL_IEEE ({}) or "
                    "QFUSE_RECIPROCAL_APPROX ({})",
                    static_cast<int>(reciprocal), static_cast<int>(QFUSE_RECIPROCAL_IEEE),
                    static_cast<int>(QFUSE_RECIPROCAL_APPROX)));
  return {};
}

Outcome check_device(qfuse_reciprocal reciprocal, const qfuse_device& device) {
  if (reciprocal == QFUSE_RECIPROCAL_APPROX && device.type != QFUSE_CUDA)
    return unsupported("reciprocal is QFUSE_RECIPROCAL_APPROX, the approximation of NVIDIA's GPUs: only CUDA has it");
  return {};
}

bool overlap(const Array& a, const Array& b) {
  if (a.size == 0 || b.size == 0) return false;
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.data);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.data);
  return a_begin < b_begin + static_cast<std::uintptr_t>(b.size) &&
         b_begin < a_begin + static_cast<std::uintptr_t>(a.size);
}

// Every array present, and no output over another array.
Outcome check_arrays(std::span<const Array> inputs, std::span<const Array> outputs) {
  for (const std::span<const Array> group : {inputs, outputs})
    for (const Array& array : group)
      if (array.data == nullptr && array.size > 0)
        return invalid_argument(fmt::format("{} is NULL, it must hold {} bytes", array.name, array.size));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const Array& input : inputs)
      if (overlap(outputs[i], input))
        return invalid_argument(fmt::format("output {} overlaps input {}", outputs[i].name, input.name));
    for (std::size_t j = i + 1; j < outputs.size(); ++j)
      if (overlap(outputs[i], outputs[j]))
        return invalid_argument(fmt::format("output {} overlaps output {}", outputs[i].name, outputs[j].name));
  }
  return {};
}

template <std::size_t N>
std::int64_t total_size(const std::array<Array, N>& arrays) {
  std::int64_t sum = 0;
  for (const Array& array : arrays) sum += array.size;
  return sum;
}

std::array<Array, 6> inputs(const Dequantize4bit& p) {
  const std::int64_t blocks = block_count(p.n, p.blocksize);
  const bool nested = is_nested(p);
  const std::int64_t nested_blocks = nested ? block_count(blocks, p.nested_blocksize) : 0;
  return {{{"packed", p.packed, packed_size(p.n)},
           {"absmax", p.absmax, nested ? 0 : blocks * kFloat},
           {"absmax_8bit", p.absmax_8bit, nested ? blocks : 0},
           {"nested_absmax", p.nested_absmax, nested_blocks * kFloat},
           {"nested_quant_map", p.nested_quant_map, nested_blocks > 0 ? kCodes8 * kFloat : 0},
           {"nested_offset_at", p.nested_offset_at, nested && p.nested_offset_at != nullptr ? kFloat : 0}}};
}

std::array<Array, 1> outputs(const Dequantize4bit& p) { return {{{"out", p.out, p.n * dtype_size(p.out_dtype)}}}; }

std::array<Array, 2> inputs(const Quantize4bit& p) {
  return {{{"in", p.in, p.n * dtype_size(p.in_dtype)},
           {"given_offset", p.given_offset, is_nested(p) && p.given_offset != nullptr ? kFloat : 0}}};
}

std::array<Array, 5> outputs(const Quantize4bit& p) {
  const std::int64_t blocks = block_count(p.n, p.blocksize);
  const bool nested = is_nested(p);
  return {{{"packed", p.packed, packed_size(p.n)},
           {"absmax", p.absmax, blocks * kFloat},
           {"absmax_8bit", p.absmax_8bit, nested ? blocks : 0},
           {"nested_absmax", p.nested_absmax, nested ? block_count(blocks, p.nested_blocksize) * kFloat : 0},
           {"nested_offset", p.nested_offset, nested && !is_empty(p) ? kFloat : 0}}};
}

std::array<Array, 1> inputs(const QuantizeBlockwise& p) { return {{{"in", p.in, p.n * dtype_size(p.in_dtype)}}}; }

std::array<Array, 2> outputs(const QuantizeBlockwise& p) {
  return {{{"codes", p.codes, p.n}, {"absmax", p.absmax, block_count(p.n, p.blocksize) * kFloat}}};
}

std::array<Array, 3> inputs(const DequantizeBlockwise& p) {
  return {{{"codes", p.codes, p.n},
           {"absmax", p.absmax, block_count(p.n, p.blocksize) * kFloat},
           {"quant_map", p.quant_map, is_empty(p) ? 0 : kCodes8 * kFloat}}};
}

std::array<Array, 1> outputs(const DequantizeBlockwise& p) { return {{{"out", p.out, p.n * dtype_size(p.out_dtype)}}}; }

std::array<Array, 2> inputs(const DequantizeInt8& p) {
  return {{{"in", p.in, p.rows * p.cols}, {"scb", p.scb, is_empty(p) ? 0 : p.rows * kFloat}}};
}

std::array<Array, 1> outputs(const DequantizeInt8& p) {
  return {{{"out", p.out, p.rows * p.cols * dtype_size(p.out_dtype)}}};
}

// Bytes from the first to the last element of `rows` rows of bf16, gaps included.
std::int64_t strided_size(std::int64_t rows, std::int64_t cols, std::int64_t stride) {
  return rows == 0 || cols == 0 ? 0 : ((rows - 1) * stride + cols) * dtype_size(QFUSE_BFLOAT16);
}

// Whoever gives one array of a pair of outputs asks for both.
bool names_gradients(const SiluDotFwdBwdQuantFuse& p) { return p.grad_input_q != nullptr || p.grad_input_s != nullptr; }
bool names_y(const SiluDotFwdBwdQuantFuse& p) { return p.y_q_t != nullptr || p.y_s_t != nullptr; }

std::array<Array, 2> inputs(const SiluDotFwdBwdQuantFuse& p) {
  return {{{"x", p.x, strided_size(p.m, 2 * p.h, x_stride(p))},
           {"grad_y", p.grad_y, names_gradients(p) ? strided_size(p.m, p.h, grad_y_stride(p)) : 0}}};
}

std::array<Array, 4> outputs(const SiluDotFwdBwdQuantFuse& p) {
  const std::int64_t gradients = names_gradients(p) ? p.m * 2 * p.h : 0;
  const std::int64_t y = names_y(p) ? p.m * p.h : 0;
  return {{{"grad_input_q", p.grad_input_q, gradients},
           {"grad_input_s", p.grad_input_s, gradients / kGroupSize * kFloat},
           {"y_q_t", p.y_q_t, y},
           {"y_s_t", p.y_s_t, y > 0 ? p.h * block_count(p.m, kGroupSize) * kFloat : 0}}};
}

// A row's stride may be 0, which stands for rows without gaps.
Outcome check_rows(const char* name, std::int64_t stride, std::int64_t m, const char* cols_name, std::int64_t cols) {
  if (stride != 0 && stride < cols)
    return invalid_argument(fmt::format("{} is {}, it must be 0 or at least {}, {}", name, stride, cols_name, cols));
  // So tight that the bytes of all arrays together do not overflow either.
  const std::int64_t step = std::max(stride, cols);
  if (step > 0 && m > std::numeric_limits<std::int64_t>::max() / 8 / step)
    return invalid_argument(fmt::format("m rows of {} elements ({}) are {} * {}, more than memory can hold", step,
                                        stride != 0 ? name : cols_name, m, step));
  return {};
}

}  // namespace

Outcome check(const Dequantize4bit& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_blocksize(p.blocksize); !o.ok()) return o;
  if (Outcome o = check_quant_type(p.quant_type); !o.ok()) return o;
  if (Outcome o = check_dtype("out_dtype", p.out_dtype); !o.ok()) return o;
  if (p.absmax != nullptr && is_nested(p))
    return invalid_argument("absmax and absmax_8bit are both given: a weight is either plain or nested");
  if (p.absmax == nullptr && !is_nested(p) && !is_empty(p))
    return invalid_argument("absmax and absmax_8bit are both NULL: one of them must hold the scales");
  if (is_nested(p))
    if (Outcome o = check_power_of_two("nested_blocksize", p.nested_blocksize); !o.ok()) return o;
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const Quantize4bit& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_blocksize(p.blocksize); !o.ok()) return o;
  if (Outcome o = check_quant_type(p.quant_type); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  if (Outcome o = check_reciprocal(p.reciprocal); !o.ok()) return o;
  if (is_nested(p))
    if (Outcome o = check_power_of_two("nested_blocksize", p.nested_blocksize); !o.ok()) return o;
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const QuantizeBlockwise& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_power_of_two("blocksize", p.blocksize); !o.ok()) return o;
  if (Outcome o = check_dtype("in_dtype", p.in_dtype); !o.ok()) return o;
  if (Outcome o = check_reciprocal(p.reciprocal); !o.ok()) return o;
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const DequantizeBlockwise& p) {
  if (Outcome o = check_count("n", p.n); !o.ok()) return o;
  if (Outcome o = check_power_of_two("blocksize", p.blocksize); !o.ok()) return o;
  if (Outcome o = check_dtype("out_dtype", p.out_dtype); !o.ok()) return o;
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const DequantizeInt8& p) {
  if (Outcome o = check_count("rows", p.rows); !o.ok()) return o;
  if (Outcome o = check_count("cols", p.cols); !o.ok()) return o;
  if (p.cols > 0 && p.rows > std::numeric_limits<std::int64_t>::max() / 4 / p.cols)
    return invalid_argument(fmt::format("rows * cols is {} * {}, more than memory can hold", p.rows, p.cols));
  if (Outcome o = check_dtype("out_dtype", p.out_dtype); !o.ok()) return o;
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const SiluDotFwdBwdQuantFuse& p) {
  if (Outcome o = check_count("m", p.m); !o.ok()) return o;
  if (Outcome o = check_count("h", p.h); !o.ok()) return o;
  if (p.group_size != kGroupSize)
    return invalid_argument(fmt::format("group_size is {}, it must be {}", p.group_size, kGroupSize));
  if (p.h % kGroupSize != 0)
    return invalid_argument(fmt::format("h is {}, it must be a multiple of group_size, {}", p.h, kGroupSize));
  if (Outcome o = check_rows("x_stride", p.x_stride, p.m, "2h", 2 * p.h); !o.ok()) return o;
  if (Outcome o = check_rows("grad_y_stride", p.grad_y_stride, p.m, "h", p.h); !o.ok()) return o;
  if (!is_empty(p) && !names_gradients(p) && !names_y(p))
    return invalid_argument("grad_input_q and y_q_t are both NULL: at least one pair of outputs must be given");
  return check_arrays(inputs(p), outputs(p));
}

Outcome check(const qfuse_exec& exec) {
  const qfuse_device& device = exec.device;
  if (device.type != QFUSE_CPU && device.type != QFUSE_CUDA && device.type != QFUSE_REFERENCE)
    return invalid_argument(
        fmt::format("device type is {}, it must be QFUSE_CPU ({}), QFUSE_CUDA ({}) or QFUSE_REFERENCE ({})",
                    static_cast<int>(device.type), static_cast<int>(QFUSE_CPU), static_cast<int>(QFUSE_CUDA),
                    static_cast<int>(QFUSE_REFERENCE)));
  if (device.index < 0)
    return invalid_argument(fmt::format("device index is {}, it must not be negative", device.index));
  if (device.type != QFUSE_CUDA && device.index > 0)
    return unsupported(fmt::format("device index is {}, there is only one such device", device.index));
  if (device.type != QFUSE_CUDA && exec.stream != nullptr)
    return invalid_argument("stream is given, but only CUDA devices have streams");
  if (exec.threads < 0) return invalid_argument(fmt::format("threads is {}, it must not be negative", exec.threads));
  return {};
}

Outcome check_device(const Quantize4bit& p, const qfuse_exec& exec) { return check_device(p.reciprocal, exec.device); }

Outcome check_device(const QuantizeBlockwise& p, const qfuse_exec& exec) {
  return check_device(p.reciprocal, exec.device);
}

std::int64_t bytes(const Dequantize4bit& p) { return total_size(inputs(p)) + total_size(outputs(p)); }
std::int64_t bytes(const Quantize4bit& p) { return total_size(inputs(p)) + total_size(outputs(p)); }
std::int64_t bytes(const QuantizeBlockwise& p) { return total_size(inputs(p)) + total_size(outputs(p)); }
std::int64_t bytes(const DequantizeBlockwise& p) { return total_size(inputs(p)) + total_size(outputs(p)); }
std::int64_t bytes(const DequantizeInt8& p) { return total_size(inputs(p)) + total_size(outputs(p)); }

// Without the gaps between strided rows, which are not read.
std::int64_t bytes(const SiluDotFwdBwdQuantFuse& p) {
  const std::int64_t halves = is_empty(p) ? 0 : (wants_gradients(p) ? 3 : 2);  // gate, up, and grad_y
  return halves * p.m * p.h * dtype_size(QFUSE_BFLOAT16) + total_size(outputs(p));
}

}  // namespace qfuse::format
