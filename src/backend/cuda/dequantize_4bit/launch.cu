// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset;
//         of rows: packed [rows, ceil(cols/2)] u8, scales [rows, blocks], a global scale or divisor, zero points
// out:    [n] fp32, fp16 or bf16; 16-byte stores where it is aligned to 16 bytes and packed to 4; else any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//         of rows: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by the device's memory
// oracle: reference/dequantize_4bit.cpp
#include "backend/cuda/dequantize_4bit/plan.h"
#include "backend/cuda/dequantize_4bit/rows.cuh"
#include "backend/cuda/dequantize_4bit/steps.cuh"
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"

namespace qfuse::cuda::dequantize_4bit {
namespace {

// ---- kernel ----

template <class Out, bool kNested, bool kWide, bool kStream>
__global__ void __launch_bounds__(kDecodeThreads) decode(const __grid_constant__ Arguments a) {
  constexpr int kTile = kDecodeThreads * kDecodeGroups * kDecodeGroup<Out, kWide>;
  __shared__ Tables<kNested> tables;
  const std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
  const std::int64_t left = a.n - tile;
  if (left < kTile) [[unlikely]]  // keeps the whole tile's instructions in front
    decode_tile<Out, kNested, kWide, kStream, false>(a, tables, tile, static_cast<int>(left));
  else
    decode_tile<Out, kNested, kWide, kStream, true>(a, tables, tile, kTile);
}

// ---- the kernel of a plan ----

using KernelFunction = void (*)(Arguments);

template <class Out, bool kNested>
KernelFunction find_kernel(const Plan& plan) {
  if (!plan.wide) return decode<Out, kNested, false, false>;
  return plan.stream ? decode<Out, kNested, true, true> : decode<Out, kNested, true, false>;
}

template <class Out>
contract::Outcome launch_decode(const contract::Dequantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const Arguments a{.n = contract::element_count(p.weight), .weight = device_view(p.weight), .out = p.out};
  const KernelFunction kernel =
      contract::is_nested(p.weight) ? find_kernel<Out, true>(plan) : find_kernel<Out, false>(plan);
  return launch(kernel, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

}  // namespace

}  // namespace qfuse::cuda::dequantize_4bit

namespace qfuse::cuda {

contract::Outcome ops::dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  using namespace cuda::dequantize_4bit;
  if (contract::has_scales_of_rows(p.weight)) return launch_rows(p, exec);
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  Plan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch_decode<float>(p, how, exec);
    case QFUSE_FLOAT16: return launch_decode<Half>(p, how, exec);
    case QFUSE_BFLOAT16: return launch_decode<Bfloat16>(p, how, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
