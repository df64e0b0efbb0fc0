// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; 16-byte loads where rows begin at 16 bytes; else any address;
//         weights [m] fp32
// out:    i8 payloads, fp32 scales: grad_input_q [m, 2h], grad_input_s [m, 2h/128]; y_q [m, h], y_s [m, h/128];
//         y_q_t [h, m], y_s_t [h, ceil(m/128)]; grad_input_q_t [2h, m], grad_input_s_t [2h, ceil(m/128)]; with experts,
//         theirs one after another; grad_weights [m] fp32
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in other formats those of format/group_rules.h
// cost:   bytes an element: forward 4 read, 1 written for each layout of y; backward 6 read, 3.1 written, with the gradient
//         transposed 5.2: bound by the device's memory; about 50 instructions an element
// oracle: reference/swiglu.cpp
#include <cstddef>
#include <iterator>
#include <utility>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/swiglu/kernels.cuh"
#include "backend/cuda/swiglu/plan.h"

namespace qfuse::cuda {
namespace {

using Kernel = void (*)(SwigluArguments);

// The kernel that is compiled for these outputs, one of those listed; NULL if none is.
template <Extras kExtras, bool kWide, bool kExperts, class Payload, unsigned... kListed>
Kernel kernel_among(unsigned outputs) {
  Kernel kernel = nullptr;
  ((outputs == kListed ? void(kernel = differentiate_tile<Wanted<kListed, kExtras>, kWide, kExperts, Payload>)
                       : void()),
   ...);
  return kernel;
}

// Likewise one that is staged.
template <Extras kExtras, bool kExperts, class Payload, std::size_t... kNumbers>
Kernel staged_kernel_among(unsigned outputs, std::index_sequence<kNumbers...> /*numbers*/) {
  Kernel kernel = nullptr;
  ((outputs == kStagedOutputs[kNumbers]
        ? void(kernel = differentiate_tile<Wanted<kStagedOutputs[kNumbers], kExtras>, true, kExperts, Payload, true>)
        : void()),
   ...);
  return kernel;
}

template <Extras kExtras, class Payload>
Kernel staged_kernel(const contract::Swiglu& p, unsigned outputs) {
  constexpr std::make_index_sequence<std::size(kStagedOutputs)> kAll;
  return contract::has_experts(p) ? staged_kernel_among<kExtras, true, Payload>(outputs, kAll)
                                  : staged_kernel_among<kExtras, false, Payload>(outputs, kAll);
}

// No plan is staged where there are no copies that come later.
Kernel staged_kernel(const contract::Swiglu& p, unsigned outputs) {
#ifdef QFUSE_HIP
  static_cast<void>(p), static_cast<void>(outputs);
  return nullptr;
#else
  if (contract::has_other_scales_alone(p)) return staged_kernel<Extras::none, ScaledE4m3>(p, outputs);
  if (contract::has_weights(p))
    return p.payload_type == QFUSE_E4M3 ? staged_kernel<Extras::weights, E4m3>(p, outputs)
                                        : staged_kernel<Extras::weights, Int8>(p, outputs);
  return p.payload_type == QFUSE_E4M3 ? staged_kernel<Extras::none, E4m3>(p, outputs)
                                      : staged_kernel<Extras::none, Int8>(p, outputs);
#endif
}

// Of e4m3 with other scales, what training is likely to ask for.
Kernel kernel_for_scales(const contract::Swiglu& p, unsigned outputs) {
  if (contract::has_activation(p) || contract::has_weights(p)) return nullptr;
  constexpr unsigned kBoth = kRows | kYTransposed;
  constexpr unsigned kBothOfY = kYRows | kYTransposed;
  return contract::has_experts(p)
             ? kernel_among<Extras::none, true, true, ScaledE4m3, kBoth, kBoth | kTransposed, kBothOfY>(outputs)
             : kernel_among<Extras::none, true, false, ScaledE4m3, kBoth, kBoth | kTransposed, kBothOfY>(outputs);
}

// Of other formats, likewise.
template <bool kExperts>
Kernel kernel_for_all_formats(const contract::Swiglu& p, unsigned outputs) {
  if (contract::has_activation(p) || contract::has_weights(p))
    return kernel_among<Extras::any, true, kExperts, AnyGroups, kYRows | kYTransposed>(outputs);
  return kernel_among<Extras::none, true, kExperts, AnyGroups, kRows | kTransposed, kRows | kYTransposed,
                      kRows | kTransposed | kYTransposed, kYRows | kYTransposed>(outputs);
}

// Without extras, all that can be asked for; with router weights, what training is likely to ask for; with other
// activations, a forward both ways.
template <bool kExperts, class Payload>
Kernel kernel_for_all(const contract::Swiglu& p, unsigned outputs) {
  if constexpr (!Payload::kIsOneFormat) {
    return kernel_for_all_formats<kExperts>(p, outputs);
  } else {
    if (contract::has_activation(p))
      return kernel_among<Extras::any, true, kExperts, Payload, kYRows | kYTransposed>(outputs);
    if (contract::has_weights(p))
      return kernel_among<Extras::weights, true, kExperts, Payload, kRows, kRows | kYTransposed,
                          kRows | kTransposed | kYTransposed, kYRows, kYRows | kYTransposed>(outputs);
    return kernel_among<Extras::none, true, kExperts, Payload, kRows, kTransposed, kRows | kTransposed,
                        kRows | kYTransposed, kTransposed | kYTransposed, kRows | kTransposed | kYTransposed, kYRows,
                        kYTransposed, kYRows | kYTransposed>(outputs);
  }
}

// For one output of any call.
template <bool kExperts, class Payload>
Kernel kernel_for_one(bool wide, unsigned output) {
  return wide ? kernel_among<Extras::any, true, kExperts, Payload, kRows, kTransposed, kYRows, kYTransposed>(output)
              : kernel_among<Extras::any, false, kExperts, Payload, kRows, kTransposed, kYRows, kYTransposed>(output);
}

template <class Payload>
Kernel kernel_for_all(const contract::Swiglu& p, unsigned outputs) {
  return contract::has_experts(p) ? kernel_for_all<true, Payload>(p, outputs)
                                  : kernel_for_all<false, Payload>(p, outputs);
}

template <class Payload>
Kernel kernel_for_one(const contract::Swiglu& p, bool wide, unsigned output) {
  return contract::has_experts(p) ? kernel_for_one<true, Payload>(wide, output)
                                  : kernel_for_one<false, Payload>(wide, output);
}

// For an output by rows whose values are not rounded to bf16.
template <bool kGradients>
Kernel kernel_for_float_rows(const contract::Swiglu& p, bool wide) {
  if (contract::has_experts(p))
    return wide ? differentiate_rows<kGradients, true, true> : differentiate_rows<kGradients, false, true>;
  return wide ? differentiate_rows<kGradients, true, false> : differentiate_rows<kGradients, false, false>;
}

// Shared memory of a block: if it is not staged, a plane for each of what is transposed, d_gate and d_up being two.
int shared_bytes(const SwigluPlan& how, unsigned outputs) {
  if (how.staged) return staged_bytes((outputs & (kRows | kTransposed)) != 0);
  const int planes = ((outputs & kYTransposed) != 0 ? 1 : 0) + ((outputs & kTransposed) != 0 ? 2 : 0);
  return planes * kSwigluPlaneBytes;
}

contract::Outcome start(Kernel kernel, const contract::Swiglu& p, const SwigluPlan& how, unsigned outputs,
                        const qfuse_exec& exec) {
  return launch(kernel, {.blocks = how.blocks, .threads = how.threads, .shared_bytes = shared_bytes(how, outputs)},
                arguments_of(p, how), exec);
}

// All outputs at once where a kernel is compiled for them, else one after another; first the transposed gradient, whose
// planes a GPU may have no room for, and then nothing has been written.
template <class Payload>
contract::Outcome start(const contract::Swiglu& p, const SwigluPlan& how, unsigned outputs, const qfuse_exec& exec) {
  const Kernel kernel = how.wide ? kernel_for_all<Payload>(p, outputs) : nullptr;
  if (kernel != nullptr) return start(kernel, p, how, outputs, exec);
  for (const unsigned output : {kTransposed, kRows, kYRows, kYTransposed})
    if ((outputs & output) != 0)
      if (contract::Outcome o = start(kernel_for_one<Payload>(p, how.wide, output), p, how, output, exec); !o.ok())
        return o;
  return {};
}

contract::Outcome start(const contract::Swiglu& p, const SwigluPlan& how, unsigned outputs, const qfuse_exec& exec) {
  if (how.staged) return start(staged_kernel(p, outputs), p, how, outputs, exec);
  if (contract::keeps_float32(p))
    return start(
        contract::wants_rows(p) ? kernel_for_float_rows<true>(p, how.wide) : kernel_for_float_rows<false>(p, how.wide),
        p, how, outputs, exec);
  const Kernel for_scales = how.wide && contract::has_other_scales_alone(p) ? kernel_for_scales(p, outputs) : nullptr;
  if (for_scales != nullptr) return start(for_scales, p, how, outputs, exec);
  if (contract::has_other_format(p)) return start<AnyGroups>(p, how, outputs, exec);
  return p.payload_type == QFUSE_E4M3 ? start<E4m3>(p, how, outputs, exec) : start<Int8>(p, how, outputs, exec);
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
  if (contract::Outcome o = start(p, how, kTransposed, exec); !o.ok()) return o;
  return start(p, how, others, exec);
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
