// The tensors of swiglu in a GPU's memory, in several sets, and the checker's answer for the first.
#ifndef QFUSE_BENCH_GPU_SWIGLU_TENSORS_H
#define QFUSE_BENCH_GPU_SWIGLU_TENSORS_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "contract/ops.h"
#include "gpu/device.h"
#include "gpu/timing.h"

namespace qfuse::bench {

inline constexpr std::array kSwigluOutputs = {
    "grad_input_q", "grad_input_s", "y_t_q", "y_t_s", "grad_input_t_q", "grad_input_t_s", "y_q", "y_s", "grad_weights"};

// What is asked of the op; at first what was published.
struct SwigluAsked {
  qfuse_payload payload = QFUSE_INT8;
  bool forward = false;              // y by rows and transposed, in place of the gradient by rows and y transposed
  bool transposed = false;           // the gradient, too
  bool weights = false;              // of a router, and in the backward their gradient
  bool torchao = false;              // its fp32 scales, in place of powers of two
  bool mn_major = false;             // scales, as products of FP8 take them; else row by row
  bool apart = false;                // experts' columns, as a product of each takes them; else side by side
  std::vector<std::int64_t> ends{};  // of experts; none: no experts
};

// Bytes of each output that are not the checker's.
using Differing = std::array<std::int64_t, kSwigluOutputs.size()>;
std::string text_of(const Differing& differing);  // only of those that differ; empty: none

class SwigluTensors {
 public:
  // Rows are tokens, columns channels. As many sets as keep the L2 cache cold, each of its own random normal numbers.
  SwigluTensors(const Card& card, Shape shape, SwigluAsked asked = {});

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  [[nodiscard]] contract::Swiglu params(int set) const;
  // That the op moves at least.
  [[nodiscard]] std::int64_t bytes() const;

  // Runs `enqueue` on the first set, whose outputs are poisoned before, and compares with the checker.
  [[nodiscard]] Differing differing(const Enqueue& enqueue) const;
  // Values of the first set's outputs, as they are now, that the published tolerance refuses: scales atol 1e-4, rtol
  // 1e-5; payload times scale atol = rtol = 0.25.
  [[nodiscard]] std::int64_t outside_tolerance() const;

 private:
  struct Outputs {
    Outputs(int device, Shape shape, std::int64_t columns, const SwigluAsked& asked);
    [[nodiscard]] std::array<const DeviceArray*, kSwigluOutputs.size()> all() const {
      return {&grad_input_q,   &grad_input_s, &y_t_q, &y_t_s,       &grad_input_t_q,
              &grad_input_t_s, &y_q,          &y_s,   &grad_weights};
    }
    void poison() const;
    DeviceArray grad_input_q;  // one byte, like others, where it is not asked for
    DeviceArray grad_input_s;
    DeviceArray y_t_q;
    DeviceArray y_t_s;
    DeviceArray grad_input_t_q;
    DeviceArray grad_input_t_s;
    DeviceArray y_q;
    DeviceArray y_s;
    DeviceArray grad_weights;
    DeviceArray workspace;
  };
  struct Set {
    Set(int device, Shape shape, Outputs outputs, std::uint32_t seed);
    DeviceArray x;
    DeviceArray grad_y;
    DeviceArray weights;
    Outputs out;
  };
  [[nodiscard]] contract::Swiglu params(const Set& set, const Outputs& out) const;

  [[nodiscard]] Outputs make_outputs() const;

  int device_;
  Shape shape_;
  SwigluAsked asked_;
  DeviceArray ends_;
  std::vector<Set> sets_;
  Outputs expected_;
};

// qfuse's op on tensors; and the kernels that move its bytes, one candidate each.
Enqueue swiglu_of(const SwigluTensors& tensors, const Card& card);
std::vector<Candidate> swiglu_roofs(const SwigluTensors& tensors);
// The microseconds that the op's bytes take at the speed of a roof.
double floor_us(const SwigluTensors& tensors, const Timing& roof);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_SWIGLU_TENSORS_H
