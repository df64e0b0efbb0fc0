// in:     x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; 16-byte loads if rows are aligned to 16 bytes; otherwise any
//         address; weights [m] fp32
// out:    i8 payloads, fp32 scales: grad_input.q [m, 2h], grad_input.s [m, 2h/128]; y.q [m, h], y.s [m, h/128];
//         y_t.q [h, m], y_t.s [h, ceil(m/128)]; grad_input_t.q [2h, m], grad_input_t.s [2h, ceil(m/128)]; with experts,
//         one expert after another; grad_weights [m] fp32
// math:   s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//         scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in other formats those of format/group_rules.h
// cost:   bytes per element: forward 4 read, 1 written per layout of y; backward 6 read, 3.1 written, 5.2 with the
//         gradient transposed: bound by device memory bandwidth; about 50 instructions per element
// oracle: reference/swiglu.cpp
#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "backend/cuda/device/launch.cuh"
#include "backend/cuda/gpu.h"
#include "backend/cuda/kernels.h"
#include "backend/cuda/swiglu/kernels.cuh"
#include "backend/cuda/swiglu/plan.h"

namespace qfuse::cuda::swiglu {
namespace {

using KernelFunction = void (*)(Arguments);

template <std::size_t kNumber>
constexpr KernelFunction kernel_of() {
  constexpr Kernel kKernel = kKernels[kNumber];
  return swiglu_tile<kKernel.backward, kKernel.outputs, kKernel.format, kKernel.extras, kKernel.experts, kKernel.wide,
                     kKernel.staged>;
}

template <std::size_t... kNumbers>
std::array<KernelFunction, sizeof...(kNumbers)> all_kernels(std::index_sequence<kNumbers...> /*numbers*/) {
  return {kernel_of<kNumbers>()...};
}

// Returns the kernel with the same number in kKernels; plans name no other.
KernelFunction kernel_of(const Kernel& kernel) {
  static const auto kAll = all_kernels(std::make_index_sequence<kKernels.size()>());
  return kAll.at(static_cast<std::size_t>(std::ranges::find(kKernels, kernel) - kKernels.begin()));
}

contract::Outcome start(const contract::Swiglu& p, const Plan& how, unsigned outputs, const qfuse_exec& exec) {
  const int shared_bytes =
      how.kernel.staged ? staged_bytes(how.kernel.backward) : transposed_planes(outputs) * kPlaneBytes;
  return launch(kernel_of(how.kernel), {.blocks = how.blocks, .threads = how.threads, .shared_bytes = shared_bytes},
                arguments_of(p, how, outputs), exec);
}

contract::Outcome start_for_tokens(KernelFunction kernel, const contract::Swiglu& p, const Plan& how,
                                   const qfuse_exec& exec) {
  return launch(kernel, {.blocks = format::ceil_div(p.m, kSumThreads), .threads = kSumThreads}, arguments_of(p, how, 0),
                exec);
}

// Starts the transposed gradient first: a GPU may have no room for its planes, and then nothing has been written.
contract::Outcome start_tiles(const contract::Swiglu& p, const Plan& how, const qfuse_exec& exec) {
  const unsigned outputs = wanted_outputs(p);
  const unsigned others = outputs & ~static_cast<unsigned>(kGradTransposed);
  if (how.together || others == 0 || others == outputs) return start(p, how, outputs, exec);
  if (contract::Outcome o = start(p, how, kGradTransposed, exec); !o.ok()) return o;
  return start(p, how, others, exec);
}

}  // namespace

}  // namespace qfuse::cuda::swiglu

namespace qfuse::cuda {

contract::Outcome ops::swiglu(const contract::Swiglu& p, const qfuse_exec& exec) {
  using namespace cuda::swiglu;
  DeviceFacts facts;
  if (contract::Outcome o = device_facts(exec.device.index, facts); !o.ok()) return o;
  Plan how = plan(p, facts);
  if (contract::Outcome o = contract::settle("cuda", how, [&] { return candidates(p, facts); }); !o.ok()) return o;
  const bool sums = contract::wants_grad_weights(p);
  if (sums && contract::has_experts(p))
    if (contract::Outcome o = start_for_tokens(how.kernel.wide ? clear_parts<true> : clear_parts<false>, p, how, exec);
        !o.ok())
      return o;
  if (contract::Outcome o = start_tiles(p, how, exec); !o.ok() || !sums) return o;
  return start_for_tokens(how.kernel.wide ? add_parts<true> : add_parts<false>, p, how, exec);
}

}  // namespace qfuse::cuda
