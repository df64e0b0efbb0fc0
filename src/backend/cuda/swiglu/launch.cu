// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; 16-byte loads where rows begin at 16 bytes; else any address;
//         weights [m] fp32
// out:    i8 payloads, fp32 scales: grad_input_q [m, 2h], grad_input_s [m, 2h/128]; y_q [m, h], y_s [m, h/128];
//         y_q_t [h, m], y_s_t [h, ceil(m/128)]; grad_input_q_t [2h, m], grad_input_s_t [2h, ceil(m/128)]; with experts,
//         theirs one after another; grad_weights [m] fp32
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in e4m3 those of format/e4m3_groups.h
// cost:   bytes an element: forward 4 read, 1 written for each layout of y; backward 6 read, 3.1 written, with the gradient
//         transposed 5.2: bound by the device's memory; about 60 instructions an element
// oracle: reference/swiglu.cpp
#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/swiglu/plan.h"
#include "backend/cuda/swiglu/steps.cuh"

namespace qfuse::cuda {
namespace {

using Kernel = void (*)(SwigluArguments);

// The kernel that is compiled for these outputs, one of those listed; if none is, the one for any.
template <Extras kExtras, bool kExperts, class Payload, unsigned kFirst, unsigned... kOthers>
Kernel kernel_among(unsigned outputs) {
  if (outputs == kFirst) return differentiate_tile<Wanted<kFirst, kExtras>, true, kExperts, Payload>;
  if constexpr (sizeof...(kOthers) > 0) return kernel_among<kExtras, kExperts, Payload, kOthers...>(outputs);
  return differentiate_tile<AnyWanted, true, kExperts, Payload>;
}

// With router weights, what training is likely to ask for; without, all that can be asked for.
template <bool kExperts, class Payload>
Kernel kernel_for(const contract::Swiglu& p, unsigned outputs, bool wide) {
  if (!wide || contract::has_activation(p)) {
    if (wide) return differentiate_tile<AnyWanted, true, kExperts, Payload>;
    return differentiate_tile<AnyWanted, false, kExperts, Payload>;
  }
  if (contract::has_weights(p))
    return kernel_among<Extras::weights, kExperts, Payload, kRows | kYTransposed, kRows | kTransposed | kYTransposed,
                        kYRows, kYRows | kYTransposed>(outputs);
  return kernel_among<Extras::none, kExperts, Payload, kRows, kTransposed, kRows | kTransposed, kRows | kYTransposed,
                      kTransposed | kYTransposed, kRows | kTransposed | kYTransposed, kYRows, kYTransposed,
                      kYRows | kYTransposed>(outputs);
}

template <class Payload>
Kernel kernel_for(const contract::Swiglu& p, unsigned outputs, bool wide) {
  return contract::has_experts(p) ? kernel_for<true, Payload>(p, outputs, wide)
                                  : kernel_for<false, Payload>(p, outputs, wide);
}

// Shared memory of a block: a plane for each of what is transposed, d_gate and d_up being two.
int shared_bytes(unsigned outputs) {
  const int planes = ((outputs & kYTransposed) != 0 ? 1 : 0) + ((outputs & kTransposed) != 0 ? 2 : 0);
  return planes * kSwigluPlaneBytes;
}

contract::Outcome start(const contract::Swiglu& p, const SwigluPlan& how, unsigned outputs, const qfuse_exec& exec) {
  const auto choose = p.payload_type == QFUSE_E4M3 ? kernel_for<E4m3> : kernel_for<Int8>;
  SwigluArguments arguments = arguments_of(p, how);
  arguments.wanted = outputs;
  return launch(choose(p, outputs, how.wide),
                {.blocks = how.blocks, .threads = how.threads, .shared_bytes = shared_bytes(outputs)}, arguments, exec);
}

contract::Outcome start_for_tokens(Kernel kernel, const contract::Swiglu& p, const SwigluPlan& how,
                                   const qfuse_exec& exec) {
  return launch(kernel, {.blocks = format::ceil_div(p.m, kSwigluSumThreads), .threads = kSwigluSumThreads},
                arguments_of(p, how), exec);
}

contract::Outcome start_tiles(const contract::Swiglu& p, const SwigluPlan& how, const qfuse_exec& exec) {
  const unsigned outputs = wanted_outputs(p);
  const unsigned others = outputs & ~static_cast<unsigned>(kTransposed);
  if (how.together || others == 0 || others == outputs) return start(p, how, outputs, exec);
  if (contract::Outcome o = start(p, how, others, exec); !o.ok()) return o;
  return start(p, how, kTransposed, exec);
}

}  // namespace

contract::Outcome swiglu(const contract::Swiglu& p, const qfuse_exec& exec) {
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  SwigluPlan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  const bool sums = contract::wants_grad_weights(p);
  if (sums && contract::has_experts(p))
    if (contract::Outcome o = start_for_tokens(how.wide ? clear_parts<true> : clear_parts<false>, p, how, exec);
        !o.ok())
      return o;
  if (contract::Outcome o = start_tiles(p, how, exec); !o.ok() || !sums) return o;
  return start_for_tokens(how.wide ? add_parts<true> : add_parts<false>, p, how, exec);
}

}  // namespace qfuse::cuda
