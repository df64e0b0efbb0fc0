// Host side of the ops: chooses kernels and sets their arguments. Each op's kernels are in a .cl file of its name.
#include <algorithm>
#include <bit>

#include "backend/opencl/kernels.h"
#include "backend/opencl/launch.h"
#include "backend/opencl/program.h"
#include "format/codebook4.h"
#include "format/layout.h"

namespace qfuse::opencl {
namespace {

using contract::Outcome;

cl_int log2(std::int64_t x) { return std::countr_zero(static_cast<std::uint64_t>(x)); }

cl_float16 values_of(qfuse_quant_type quant_type) {
  cl_float16 values;
  std::ranges::copy(format::format4(quant_type).values, values.s);
  return values;
}

// Runs a kernel whose first argument is the number of elements that it decodes.
template <class... Arguments>
Outcome decode(const qfuse_exec& exec, const char* kernel, std::int64_t n, const Arguments&... arguments) {
  const Device* device = nullptr;
  if (Outcome o = open(exec.device.index, device); !o.ok()) return o;
  cl_command_queue queue = nullptr;
  if (Outcome o = find_queue(*device, exec.stream, queue); !o.ok()) return o;
  const auto groups = static_cast<std::size_t>(format::ceil_div(n, kGroup));
  return launch(*device, queue, kernel, groups, cl_long{n}, arguments...);
}

cl_uint dtype_of(qfuse_dtype dtype) { return static_cast<cl_uint>(dtype); }

// Missing arrays get the address of another array, which the kernel does not read.
Outcome decode_rows(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  const qfuse_weight_4bit& w = p.weight;
  const void* const nothing = w.packed;
  const bool factor = w.global_scale != nullptr;
  const bool divisor = w.global_divisor != nullptr;
  const void* const global = factor ? w.global_scale : divisor ? w.global_divisor : nothing;
  const void* const zero_points = w.zero_points != nullptr ? w.zero_points : nothing;
  const cl_int has =
      (factor ? kHasFactor : 0) | (divisor ? kHasDivisor : 0) | (w.zero_points != nullptr ? kHasZeroPoints : 0);
  return decode(exec, "dequantize_4bit_rows", contract::element_count(w), cl_long{w.cols}, cl_long{w.blocksize},
                values_of(w.quant_type), cl_float{format::format4(w.quant_type).zero_point}, w.packed, w.scales,
                static_cast<cl_uint>(w.scale_type), has, global, zero_points, dtype_of(p.out_dtype), p.out);
}

}  // namespace

Outcome dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  const qfuse_weight_4bit& w = p.weight;
  if (contract::has_scales_of_rows(w)) return decode_rows(p, exec);
  const std::int64_t n = contract::element_count(w);
  const cl_float16 values = values_of(w.quant_type);
  const cl_int block_shift = log2(w.blocksize);
  const cl_uint dtype = dtype_of(p.out_dtype);
  if (!contract::is_nested(w))
    return decode(exec, "dequantize_4bit_plain", n, values, block_shift, w.packed, w.absmax, dtype, p.out);
  return decode(exec, "dequantize_4bit_nested", n, values, block_shift, log2(w.nested_blocksize), w.packed,
                w.absmax_8bit, w.nested_absmax, w.nested_quant_map, w.nested_offset, dtype, p.out);
}

Outcome dequantize_blockwise(const contract::DequantizeBlockwise& p, const qfuse_exec& exec) {
  return decode(exec, "dequantize_blockwise", p.n, log2(p.blocksize), p.codes, p.absmax, p.quant_map,
                dtype_of(p.out_dtype), p.out);
}

Outcome dequantize_int8(const contract::DequantizeInt8& p, const qfuse_exec& exec) {
  return decode(exec, "dequantize_int8", p.rows * p.cols, cl_long{p.cols}, p.in, p.scb, dtype_of(p.out_dtype), p.out);
}

Outcome dequantize_fp8(const contract::DequantizeFp8& p, const qfuse_exec& exec) {
  const cl_long scale_cols = format::ceil_div(p.cols, p.block_cols);
  return decode(exec, "dequantize_fp8", p.rows * p.cols, cl_long{p.cols}, cl_long{p.block_rows}, cl_long{p.block_cols},
                scale_cols, p.codes, p.scales, static_cast<cl_uint>(p.scale_type), dtype_of(p.out_dtype), p.out);
}

}  // namespace qfuse::opencl
