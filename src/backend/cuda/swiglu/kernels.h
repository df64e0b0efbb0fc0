// The kernels of swiglu that exist. A plan names one of them, and launch.cu compiles a kernel for each: what is not
// listed here is neither chosen nor compiled.
#ifndef QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_H
#define QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_H

#include <algorithm>
#include <array>
#include <cstddef>

namespace qfuse::cuda::swiglu {

// How groups are quantized. A kernel for one format has only the steps of that format; `any` reads the call's rules.
enum class Format {
  int8,         // the published operator's format
  e4m3,         // DeepSeek's, with power-of-two scales
  scaled_e4m3,  // E4M3 in groups of 128 with fp32 scales by another rule
  any           // also groups of 32 and UE8M0 scales
};

// What a kernel supports besides plain SwiGLU of x and grad_y: nothing, router weights, or also other activations.
enum class Extras { none, weights, any };

// The outputs of a call, as bits.
enum OutputBits : unsigned { kGradRows = 1, kGradTransposed = 2, kYRows = 4, kYTransposed = 8 };

struct Kernel {
  bool backward;
  unsigned outputs;  // exactly these; 0: those of its pass that the call requests
  Format format;
  Extras extras;
  bool experts;  // finds the experts' tiles; takes calls without experts too
  bool wide;     // rows aligned to 16 bytes; else any address
  bool staged;   // inputs pass through shared memory; else through registers
  bool operator==(const Kernel&) const = default;
};

// The outputs that training requests: kernels that know these have fewer instructions, which every block fetches once.
// That saves 1 to 6 % of the time on an H200, most if there are few tiles.
inline constexpr std::array kTrainingOutputs = {unsigned{kGradRows | kYTransposed},
                                                unsigned{kGradRows | kGradTransposed | kYTransposed},
                                                unsigned{kYRows | kYTransposed}};

constexpr bool is_of_training(unsigned outputs) {
  return std::ranges::find(kTrainingOutputs, outputs) != kTrainingOutputs.end();
}

// The kernel for any outputs, format and extras takes every call. The others are faster.
constexpr bool exists(const Kernel& kernel) {
#ifdef QFUSE_HIP  // no asynchronous copies to shared memory
  if (kernel.staged) return false;
#endif
  const bool is_exact = kernel.outputs != 0;
  const bool is_forward_of_training = kernel.outputs == (kYRows | kYTransposed);
  if (is_exact && (!is_of_training(kernel.outputs) || kernel.backward == is_forward_of_training)) return false;
  if (kernel.staged && !is_exact) return false;
  if (kernel.format == Format::any && kernel.extras == Extras::any) return kernel.experts && !is_exact;
  if (!kernel.wide) return false;
  if (kernel.format == Format::any) return kernel.experts && kernel.extras == Extras::none && !kernel.staged;
  if (kernel.format == Format::scaled_e4m3 && kernel.extras != Extras::none) return false;
  if (kernel.extras == Extras::any)
    return is_forward_of_training && kernel.experts && kernel.format == Format::e4m3 && !kernel.staged;
  // Kernels that assume no experts exist only without extras, and not for scaled_e4m3.
  return kernel.experts || (kernel.extras == Extras::none && kernel.format != Format::scaled_e4m3);
}

namespace detail {

// Every combination of the fields, by its number.
constexpr std::size_t kCombinations = std::size_t{2} * 4 * 4 * 3 * 2 * 2 * 2;
constexpr Kernel combination(std::size_t number) {
  const auto next = [&](std::size_t choices) {
    const std::size_t choice = number % choices;
    number /= choices;
    return choice;
  };
  const bool backward = next(2) != 0;
  const std::size_t outputs = next(kTrainingOutputs.size() + 1);
  const auto format = static_cast<Format>(next(4));
  const auto extras = static_cast<Extras>(next(3));
  const bool experts = next(2) != 0;
  const bool wide = next(2) != 0;
  return {backward, outputs == 0 ? 0 : kTrainingOutputs.at(outputs - 1), format, extras, experts, wide, next(2) != 0};
}

constexpr std::size_t count_kernels() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCombinations; ++i) count += exists(combination(i)) ? 1 : 0;
  return count;
}

constexpr auto list_kernels() {
  std::array<Kernel, count_kernels()> kernels{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < kCombinations; ++i)
    if (exists(combination(i))) kernels.at(count++) = combination(i);
  return kernels;
}

}  // namespace detail

inline constexpr auto kKernels = detail::list_kernels();

}  // namespace qfuse::cuda::swiglu

#endif  // QFUSE_BACKEND_CUDA_SWIGLU_KERNELS_H
