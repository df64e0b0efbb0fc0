// swiglu's tensors in GPU memory, in several sets, and the checker's outputs for the first set.
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

// What the op is asked to do. The defaults are the published operator.
struct SwigluAsked {
  qfuse_payload payload = QFUSE_INT8;
  bool forward = false;              // y by rows and transposed, not the gradient by rows and y transposed
  bool transposed = false;           // also the transposed gradient
  bool weights = false;              // router weights, and in the backward their gradient
  bool torchao = false;              // torchao's fp32 scales, not powers of two
  bool mn_major = false;             // MN-major scales, as FP8 products take them; else row by row
  bool apart = false;                // experts' columns apart, for one product per expert; else side by side
  std::vector<std::int64_t> ends{};  // ends of experts; empty: no experts
};

// Number of bytes in each output that differ from the checker's.
using Differing = std::array<std::int64_t, kSwigluOutputs.size()>;
std::string text_of(const Differing& differing);  // names only outputs that differ; empty if none does

class SwigluTensors {
 public:
  // Rows are tokens, columns are channels. Makes enough sets to keep L2 cold, each with its own random normal numbers.
  SwigluTensors(const Card& card, Shape shape, SwigluAsked asked = {});

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int sets() const { return static_cast<int>(sets_.size()); }
  [[nodiscard]] contract::Swiglu params(int set) const;
  // Bytes that the op moves at least.
  [[nodiscard]] std::int64_t bytes() const;

  // Poisons the first set's outputs, runs `enqueue` on that set, and compares its outputs with the checker's.
  [[nodiscard]] Differing differing(const Enqueue& enqueue) const;
  // Number of values in the first set's current outputs that are outside the published tolerance: scales atol 1e-4,
  // rtol 1e-5; payload times scale atol = rtol = 0.25.
  [[nodiscard]] std::int64_t outside_tolerance() const;

 private:
  struct Outputs {
    Outputs(int device, Shape shape, std::int64_t columns, const SwigluAsked& asked);
    [[nodiscard]] std::array<const DeviceArray*, kSwigluOutputs.size()> all() const {
      return {&grad_input_q,   &grad_input_s, &y_t_q, &y_t_s,       &grad_input_t_q,
              &grad_input_t_s, &y_q,          &y_s,   &grad_weights};
    }
    void poison() const;
    DeviceArray grad_input_q;  // outputs not asked for have one byte
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

// Return qfuse's op on the tensors, and the roof kernels that move its bytes, one candidate each.
Enqueue swiglu_of(const SwigluTensors& tensors, const Card& card);
std::vector<Candidate> swiglu_roofs(const SwigluTensors& tensors);
// Microseconds that the op's bytes take at the roof's bandwidth.
double floor_us(const SwigluTensors& tensors, const Timing& roof);

}  // namespace qfuse::bench

#endif  // QFUSE_BENCH_GPU_SWIGLU_TENSORS_H
