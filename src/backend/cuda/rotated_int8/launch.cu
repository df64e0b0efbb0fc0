// in:     in [rows, cols] fp32, fp16 or bf16, with a row stride; a 4-bit weight [rows, cols], scale [outputs] fp32; for
//         SwiGLU gate, up and grad_y [m, h] bf16, with row strides; faster if inputs and q are aligned to 16 bytes. For
//         the product see mma.cu and wgmma.cu
// out:    q [rows, cols] or [outputs, terms] i8, scale [rows] or [outputs] fp32; for SwiGLU q and bf16 out [m, h], or
//         [2, m, h] for d_gate and d_up; any address
// math:   v = values, rotated in blocks by sums and differences at distances 1, 2, 4 and so on;
//         scale = (max(max |v|, 2^-100) * 1/127) * root; q = nearest(v * (root / scale));
//         out = round(chain of fma of LoRA's terms from (sum * in_scale) * weight_scale, + bias, + addend)
//         SwiGLU: y, or d_gate and d_up, as in qfuse_swiglu, to bf16; then q and scale
// cost:   3 or 5 bytes per value of x, 7 for SwiGLU, 12 for its backward: bound by device memory bandwidth; for a
//         weight 1.5 bytes and 16 to 20 instructions per value
// oracle: reference/rotated_int8.cpp
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/rotated_int8/columns.cuh"
#include "backend/cuda/rotated_int8/matmul.cuh"
#include "backend/cuda/rotated_int8/rows.cuh"
#include "backend/cuda/rotated_int8/swiglu_rows.cuh"
#include "backend/cuda/rotated_int8/weight_ahead.cuh"

namespace qfuse::cuda::rotated_int8 {
namespace {

// Calls `call` with the block size of the rotation as a compile-time constant.
template <class Call>
contract::Outcome with_block(const TermsPlan& plan, const Call& call) {
  if (plan.block == format::kRotatedBlock) return call(std::integral_constant<int, format::kRotatedBlock>());
  return call(std::integral_constant<int, format::kSmallRotatedBlock>());
}

LaunchShape shape_of(const TermsPlan& plan) {
  return {.blocks = plan.blocks, .threads = plan.threads, .rows = static_cast<int>(plan.tiles)};
}

// ---- x or dy ----

template <class In>
contract::Outcome launch_inputs(const contract::RotatedInt8Quantize& p, const QuantizePlan& plan,
                                const qfuse_exec& exec) {
  const RowArguments<Inputs, Pass::both> a = {{p.in, in_stride(p)}, p.cols, plan.wide, p.scale, p.q};
  return with_block(plan, [&](auto block) {
    return launch(quantize_rows<InputRow<In>, block(), Pass::both>, shape_of(plan), a, exec);
  });
}

contract::Outcome launch_inputs_of(const contract::RotatedInt8Quantize& p, const QuantizePlan& plan,
                                   const qfuse_exec& exec) {
  switch (p.in_dtype) {
    case QFUSE_FLOAT32: return launch_inputs<float>(p, plan, exec);
    case QFUSE_FLOAT16: return launch_inputs<Half>(p, plan, exec);
    case QFUSE_BFLOAT16: return launch_inputs<Bfloat16>(p, plan, exec);
  }
  return {};
}

// ---- outputs of a SwiGLU block ----

template <bool kBackward>
contract::Outcome launch_swiglu(const contract::RotatedInt8Swiglu& p, const SwigluPlan& plan, const qfuse_exec& exec) {
  const SwigluRows rows = {
      {p.gate, gate_stride(p)},          {p.up, up_stride(p)}, {p.grad_y, grad_y_stride(p)}, p.out, p.m,
      static_cast<unsigned>(plan.blocks)};
  const RowArguments<SwigluRows, Pass::both> a = {rows, p.h, plan.wide, p.scale, p.q};
  return with_block(plan, [&](auto block) {
    LaunchShape shape = shape_of(plan);
    shape.shared_bytes = plan.shared_bytes;
    if constexpr (kHasMatrixInstructions)  // HIP has no asynchronous copies either, so no plan is ahead there
      if (plan.ahead) return launch(quantize_swiglu_ahead<kBackward, block()>, shape, a, exec);
    return launch(quantize_rows<SwigluRow<kBackward>, block(), Pass::both>, shape, a, exec);
  });
}

// ---- a weight ----

template <Pass kPass, class Op>
contract::Outcome launch_weight(const Op& p, const TermsPlan& plan, Scale<kPass>* scale, std::int8_t* q,
                                const qfuse_exec& exec) {
  const Weights weights = {device_view(p.weight), contract::is_nested(p.weight)};
  return with_block(plan, [&](auto block) {
    if (p.direction == QFUSE_FORWARD)
      return launch(quantize_rows<WeightRow, block(), kPass>, shape_of(plan),
                    RowArguments<Weights, kPass>{weights, p.weight.cols, plan.wide, scale, q}, exec);
    return launch(quantize_columns<block(), kPass>, shape_of(plan),
                  ColumnArguments<kPass>{weights, p.weight.rows, p.weight.cols, plan.wide, scale, q, plan.tiles}, exec);
  });
}

// Plans keep the numbers of groups and blocks below 2^31.
template <bool kNested>
contract::Outcome launch_ahead(const contract::RotatedInt8Weight& p, const WeightPlan& plan, const qfuse_exec& exec) {
  const bool is_forward = p.direction == QFUSE_FORWARD;
  const std::int64_t step = plan.blocks * (is_forward ? kAheadWarps : 1);
  const AheadArguments a = {device_view(p.weight),
                            p.weight.rows,
                            p.weight.cols,
                            p.scale,
                            p.q,
                            static_cast<unsigned>(count_ahead_groups(p)),
                            static_cast<unsigned>(step)};
  if (is_forward) return launch(quantize_rows_ahead<kNested>, shape_of(plan), a, exec);
  return launch(quantize_columns_ahead<kNested>, shape_of(plan), a, exec);
}

// HIP has no asynchronous copies, so no plan is ahead there.
contract::Outcome launch_codes(const contract::RotatedInt8Weight& p, const WeightPlan& plan, const qfuse_exec& exec) {
  if constexpr (kHasMatrixInstructions)
    if (plan.ahead)
      return contract::is_nested(p.weight) ? launch_ahead<true>(p, plan, exec) : launch_ahead<false>(p, plan, exec);
  return launch_weight<Pass::codes>(p, plan, p.scale, p.q, exec);
}

}  // namespace
}  // namespace qfuse::cuda::rotated_int8

namespace qfuse::cuda {

contract::Outcome ops::rotated_int8_quantize(const contract::RotatedInt8Quantize& p, const qfuse_exec& exec) {
  using namespace cuda::rotated_int8;
  QuantizePlan how = plan(p);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p); }); !o.ok()) return o;
  return launch_inputs_of(p, how, exec);
}

contract::Outcome ops::rotated_int8_weight_scales(const contract::RotatedInt8WeightScales& p, const qfuse_exec& exec) {
  using namespace cuda::rotated_int8;
  WeightScalesPlan how = plan(p);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p); }); !o.ok()) return o;
  return launch_weight<Pass::scales>(p, how, p.scale, nullptr, exec);
}

contract::Outcome ops::rotated_int8_weight(const contract::RotatedInt8Weight& p, const qfuse_exec& exec) {
  using namespace cuda::rotated_int8;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  WeightPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  return launch_codes(p, how, exec);
}

contract::Outcome ops::rotated_int8_swiglu(const contract::RotatedInt8Swiglu& p, const qfuse_exec& exec) {
  using namespace cuda::rotated_int8;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  SwigluPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  return is_backward(p) ? launch_swiglu<true>(p, how, exec) : launch_swiglu<false>(p, how, exec);
}

contract::Outcome ops::rotated_int8_matmul(const contract::RotatedInt8Matmul& p, const qfuse_exec& exec) {
  using namespace cuda::rotated_int8;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  if (!takes(Kernel::mma_unaligned, p, facts))
    return contract::unsupported("this GPU has no matrix instructions for int8");
  MatmulPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  if constexpr (kHasMatrixInstructions && kHasWgmma)
    if (how.kernel == Kernel::wgmma) return launch_wgmma(p, how, exec);
  if constexpr (kHasMatrixInstructions) return launch_mma(p, how, exec);
  return {};
}

}  // namespace qfuse::cuda
