// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; 16-byte loads where rows begin at 16 bytes; else any address
// out:    grad_input_q [m, 2h] i8, grad_input_s [m, 2h/128] fp32; y_q_t [h, m] i8, y_s_t [h, ceil(m/128)] fp32;
//         grad_input_q_t [2h, m] i8, grad_input_s_t [2h, ceil(m/128)] fp32; with experts, theirs one after another
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in e4m3 those of format/e4m3_groups.h
// cost:   6 bytes an element read, 3.1 written, with the gradient transposed 5.2: bound by the device's memory; about 60
//         instructions an element
// oracle: reference/swiglu_backward.cpp
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/swiglu_backward/plan.h"
#include "backend/cuda/swiglu_backward/steps.cuh"

namespace qfuse::cuda {
namespace {

// A kernel and the shared memory of its blocks: a plane for each of what is transposed, d_gate and d_up being two.
struct Kernel {
  void (*function)(SwigluArguments);
  int shared_bytes;
};

template <bool kRows, bool kY, bool kTransposed, bool kWide, bool kExperts, class Payload>
Kernel kernel_of() {
  constexpr int kPlanes = (kY ? 1 : 0) + (kTransposed ? 2 : 0);
  return {differentiate_tile<kRows, kY, kTransposed, kWide, kExperts, Payload>, kPlanes * kSwigluPlaneBytes};
}

template <bool kTransposed, bool kWide, bool kExperts, class Payload>
Kernel kernel_for(bool rows, bool y) {
  if (rows && y) return kernel_of<true, true, kTransposed, kWide, kExperts, Payload>();
  if (rows) return kernel_of<true, false, kTransposed, kWide, kExperts, Payload>();
  if constexpr (kTransposed)
    if (!y) return kernel_of<false, false, true, kWide, kExperts, Payload>();
  return kernel_of<false, true, kTransposed, kWide, kExperts, Payload>();
}

template <bool kWide, bool kExperts, class Payload>
Kernel kernel_for(bool rows, bool y, bool transposed) {
  return transposed ? kernel_for<true, kWide, kExperts, Payload>(rows, y)
                    : kernel_for<false, kWide, kExperts, Payload>(rows, y);
}

template <class Payload>
Kernel kernel_for(bool rows, bool y, bool transposed, bool wide, bool experts) {
  if (experts)
    return wide ? kernel_for<true, true, Payload>(rows, y, transposed)
                : kernel_for<false, true, Payload>(rows, y, transposed);
  return wide ? kernel_for<true, false, Payload>(rows, y, transposed)
              : kernel_for<false, false, Payload>(rows, y, transposed);
}

}  // namespace

contract::Outcome swiglu_backward(const contract::SwigluBackward& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  SwigluBackwardPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  const auto start = [&](bool rows, bool y, bool transposed) {
    const auto choose = p.payload_type == QFUSE_E4M3 ? kernel_for<E4m3> : kernel_for<Int8>;
    const Kernel kernel = choose(rows, y, transposed, how.wide, contract::has_experts(p));
    return launch(kernel.function, {.blocks = how.blocks, .threads = how.threads, .shared_bytes = kernel.shared_bytes},
                  arguments_of(p, how), exec);
  };
  const bool rows = contract::wants_rows(p);
  const bool y = contract::wants_y(p);
  const bool transposed = contract::wants_transposed(p);
  if (how.together || !transposed || (!rows && !y)) return start(rows, y, transposed);
  if (contract::Outcome o = start(rows, y, false); !o.ok()) return o;
  return start(false, false, true);
}

}  // namespace qfuse::cuda
