#include "gpu/swiglu_tensors.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "format/layout.h"
#include "gpu/swiglu_kernels.h"

namespace qfuse::bench {
namespace {

constexpr double kScaleAtol = 1e-4;
constexpr double kScaleRtol = 1e-5;
constexpr double kValueTol = 0.25;  // atol and rtol

// Written so that a NaN is refused.
bool is_within(double actual, double expected, double atol, double rtol) {
  return std::abs(actual - expected) <= atol + rtol * std::abs(expected);
}

struct Quantized {
  Quantized(const DeviceArray& payload, const DeviceArray& of)
      : q(payload.read<std::int8_t>()), scales(of.read<float>()) {}
  [[nodiscard]] double value(std::size_t i) const { return double{scales[i / QFUSE_SWIGLU_GROUP_SIZE]} * q[i]; }
  std::vector<std::int8_t> q;
  std::vector<float> scales;
};

std::int64_t count_outside(const Quantized& actual, const Quantized& expected) {
  std::int64_t outside = 0;
  for (std::size_t group = 0; group < actual.scales.size(); ++group)
    if (!is_within(actual.scales[group], expected.scales[group], kScaleAtol, kScaleRtol)) ++outside;
  for (std::size_t i = 0; i < actual.q.size(); ++i)
    if (!is_within(actual.value(i), expected.value(i), kValueTol, kValueTol)) ++outside;
  return outside;
}

}  // namespace

std::string text_of(const Differing& differing) {
  std::string text;
  for (std::size_t i = 0; i < differing.size(); ++i)
    if (differing[i] != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(differing[i]) + " bytes of " + kSwigluOutputs[i];
  return text;
}

Enqueue swiglu_of(const SwigluTensors& tensors, const Card& card) {
  return [&tensors, &card](int set, void* stream) { run(tensors.params(set), exec_on(card, stream)); };
}

SwigluTensors::Outputs::Outputs(int device, Shape shape)
    : grad_input_q(device, 2 * shape.count()),
      grad_input_s(device, 4 * (2 * shape.count() / QFUSE_SWIGLU_GROUP_SIZE)),
      y_q_t(device, shape.count()),
      y_s_t(device, 4 * (shape.count() / QFUSE_SWIGLU_GROUP_SIZE)) {}

void SwigluTensors::Outputs::poison() const {
  for (const DeviceArray* array : all()) array->poison();
}

SwigluTensors::Set::Set(int device, Shape shape, std::uint32_t seed)
    : x(device, kElementBytes * 2 * shape.count()), grad_y(device, kElementBytes * shape.count()), out(device, shape) {
  fill_normal(x.as<void>(), 2 * shape.count(), 2 * seed, nullptr);
  fill_normal(grad_y.as<void>(), shape.count(), 2 * seed + 1, nullptr);
}

SwigluTensors::SwigluTensors(const Card& card, Shape shape) : shape_(shape), expected_(card.index, shape) {
  sets_.emplace_back(card.index, shape, 0);
  const int wanted = sets_for(bytes(), card.l2_bytes);
  for (int i = 1; i < wanted; ++i) sets_.emplace_back(card.index, shape, static_cast<std::uint32_t>(i));
  check_swiglu(params(sets_.front(), expected_), nullptr);
  require(cudaDeviceSynchronize(), "the checker");
}

contract::SwigluBackward SwigluTensors::params(const Set& set, const Outputs& out) const {
  contract::SwigluBackward p{};
  p.m = shape_.rows;
  p.h = shape_.cols;
  p.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  p.x = set.x.as<void>();
  p.grad_y = set.grad_y.as<void>();
  p.grad_input_q = out.grad_input_q.as<void>();
  p.grad_input_s = out.grad_input_s.as<float>();
  p.y_q_t = out.y_q_t.as<void>();
  p.y_s_t = out.y_s_t.as<float>();
  return p;
}

contract::SwigluBackward SwigluTensors::params(int set) const {
  const Set& there = sets_[static_cast<std::size_t>(set)];
  return params(there, there.out);
}

Differing SwigluTensors::differing(const Enqueue& enqueue) const {
  const Outputs& actual = sets_.front().out;
  actual.poison();
  enqueue(0, nullptr);
  Differing differing{};
  for (std::size_t i = 0; i < differing.size(); ++i) {
    const Bytes ours = actual.all()[i]->read<std::uint8_t>();
    const Bytes right = expected_.all()[i]->read<std::uint8_t>();
    differing[i] = std::transform_reduce(ours.begin(), ours.end(), right.begin(), std::int64_t{0}, std::plus<>(),
                                         std::not_equal_to<>());
  }
  return differing;
}

std::int64_t SwigluTensors::outside_tolerance() const {
  const Outputs& actual = sets_.front().out;
  return count_outside({actual.grad_input_q, actual.grad_input_s}, {expected_.grad_input_q, expected_.grad_input_s}) +
         count_outside({actual.y_q_t, actual.y_s_t}, {expected_.y_q_t, expected_.y_s_t});
}

std::vector<Candidate> swiglu_roofs(const SwigluTensors& tensors) {
  std::vector<Candidate> roofs;
  for (const RoofTile& tile : kRoofTiles) {
    const Enqueue move = [&tensors, tile](int set, void* stream) {
      move_as_swiglu(tensors.params(set), tile, static_cast<cudaStream_t>(stream));
    };
    roofs.push_back({"the same bytes, " + describe(tile), move});
  }
  return roofs;
}

double floor_us(const SwigluTensors& tensors, const Timing& roof) {
  return roof.median * static_cast<double>(tensors.bytes()) / static_cast<double>(bytes_of_move(tensors.params(0)));
}

}  // namespace qfuse::bench
