// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; 16-byte loads where rows begin at 16 bytes; else any address
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, ceil(m/128)] fp32
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale)
// cost:   6 bytes an element read, 3.1 written: bound by the device's memory; about 60 instructions an element
// oracle: reference/swiglu_backward.cpp
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/swiglu_backward/plan.h"
#include "backend/cuda/swiglu_backward/steps.cuh"

namespace qfuse::cuda {
namespace {

template <bool kWide>
auto* kernel_for(const contract::SwigluBackward& p) {
  if (!contract::wants_y(p)) return differentiate_tile<true, false, kWide>;
  return contract::wants_gradients(p) ? differentiate_tile<true, true, kWide> : differentiate_tile<false, true, kWide>;
}

}  // namespace

contract::Outcome swiglu_backward(const contract::SwigluBackward& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  SwigluBackwardPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  return launch(how.wide ? kernel_for<true>(p) : kernel_for<false>(p), {.blocks = how.blocks, .threads = how.threads},
                arguments_of(p, how), exec);
}

}  // namespace qfuse::cuda
