// in:     packed [ceil(n/2)] u8, absmax [blocks] fp32, or absmax_8bit [blocks] u8 with nested_absmax, map and offset;
//         with row scales: packed [rows, ceil(cols/2)] u8, scales [rows, blocks], global scale or divisor, zero points
// out:    [n] fp32, fp16 or bf16; 16-byte stores if out is aligned to 16 bytes and packed to 4; otherwise any address
// math:   A = ftz(map[q] * nested_absmax) + offset; out = round(ftz(code[nibble] * A)), each step rounded in fp32;
//         row scales: A = scale, scale * global or scale / divisor; out = round((code[nibble] - zero) * A)
// cost:   n/2 + n/blocksize bytes read, 2n or 4n written: bound by device memory bandwidth
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

template <class Scales, class Out, bool kWide, bool kStream>
__global__ void __launch_bounds__(kDecodeThreads) decode(const __grid_constant__ Arguments<typename Scales::Weight> a) {
  decode_own_tile<Scales, Out, kWide, kStream>(a.weight, a.n, a.out);
}

template <class Out, bool kWide>
__global__ void __launch_bounds__(kTileThreads) decode_rows(const __grid_constant__ RowsArguments a) {
  decode_tile_of_rows<Out, kWide>(a);
}

// ---- launching the kernel of a plan ----

template <class Scales, class Out, bool kWide, bool kStream>
contract::Outcome launch_decode(const contract::Dequantize4bit& p, const Plan& plan,
                                const typename Scales::Weight& weight, const qfuse_exec& exec) {
  const Arguments<typename Scales::Weight> a{.n = contract::element_count(p.weight), .weight = weight, .out = p.out};
  return launch(decode<Scales, Out, kWide, kStream>, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

template <class Out, bool kNested>
contract::Outcome launch_blocks(const contract::Dequantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const Weight4bit w = device_view(p.weight);
  if (!plan.wide) return launch_decode<AbsmaxOfBlocks<kNested, false>, Out, false, false>(p, plan, w, exec);
  using Scales = AbsmaxOfBlocks<kNested, true>;
  return plan.stream ? launch_decode<Scales, Out, true, true>(p, plan, w, exec)
                     : launch_decode<Scales, Out, true, false>(p, plan, w, exec);
}

template <class Out, RowsScales kScales>
contract::Outcome launch_run(const contract::Dequantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  using Scales = ScalesOfRows<kScales>;
  const RowsWeight w = rows_view(p.weight);
  return plan.stream ? launch_decode<Scales, Out, true, true>(p, plan, w, exec)
                     : launch_decode<Scales, Out, true, false>(p, plan, w, exec);
}

template <class Out, bool kWide>
contract::Outcome launch_rows(const contract::Dequantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const qfuse_weight_4bit& w = p.weight;
  const RowsArguments a{.weight = rows_view(w),
                        .rows = w.rows,
                        .cols = w.cols,
                        .blocksize = w.blocksize,
                        .row_bytes = contract::bytes_a_row(w),
                        .row_blocks = contract::blocks_a_row(w),
                        .tiles = row_tiles(w.rows, format::ceil_div(w.cols, kDecodeGroup<Out, kWide>)),
                        .out = p.out};
  return launch(decode_rows<Out, kWide>, {.blocks = plan.blocks, .threads = plan.threads}, a, exec);
}

template <class Out>
contract::Outcome launch_plan(const contract::Dequantize4bit& p, const Plan& plan, const qfuse_exec& exec) {
  const qfuse_weight_4bit& w = p.weight;
  if (plan.by_rows) return plan.wide ? launch_rows<Out, true>(p, plan, exec) : launch_rows<Out, false>(p, plan, exec);
  if (!contract::has_scales_of_rows(w))
    return contract::is_nested(w) ? launch_blocks<Out, true>(p, plan, exec) : launch_blocks<Out, false>(p, plan, exec);
  if (w.zero_points != nullptr) return launch_run<Out, RowsScales::with_zeros>(p, plan, exec);
  return format::scale_size(w.scale_type) == 1 ? launch_run<Out, RowsScales::mapped>(p, plan, exec)
                                               : launch_run<Out, RowsScales::direct>(p, plan, exec);
}

}  // namespace

}  // namespace qfuse::cuda::dequantize_4bit

namespace qfuse::cuda {

contract::Outcome ops::dequantize_4bit(const contract::Dequantize4bit& p, const qfuse_exec& exec) {
  using namespace cuda::dequantize_4bit;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  Plan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  switch (p.out_dtype) {
    case QFUSE_FLOAT32: return launch_plan<float>(p, how, exec);
    case QFUSE_FLOAT16: return launch_plan<Half>(p, how, exec);
    case QFUSE_BFLOAT16: return launch_plan<Bfloat16>(p, how, exec);
  }
  return {};
}

}  // namespace qfuse::cuda
