#include "gpu/swiglu_tensors.h"

#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "format/layout.h"
#include "gpu/swiglu_kernels.h"

namespace qfuse::bench {
namespace {

constexpr double kScaleAtol = 1e-4;
constexpr double kScaleRtol = 1e-5;
constexpr double kValueTol = 0.25;  // atol and rtol

// Written so that it returns false for a NaN.
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

SwigluTensors::Outputs::Outputs(int device, Shape shape, std::int64_t columns, const SwigluAsked& asked)
    : grad_input_q(device, asked.forward ? 1 : 2 * shape.count()),
      grad_input_s(device, asked.forward ? 1 : 4 * (2 * shape.count() / QFUSE_SWIGLU_GROUP_SIZE)),
      y_t_q(device, shape.cols * columns),
      y_t_s(device, 4 * (shape.cols * columns / QFUSE_SWIGLU_GROUP_SIZE)),
      grad_input_t_q(device, asked.transposed ? 2 * shape.cols * columns : 1),
      grad_input_t_s(device, asked.transposed ? 4 * (2 * shape.cols * columns / QFUSE_SWIGLU_GROUP_SIZE) : 1),
      y_q(device, asked.forward ? shape.count() : 1),
      y_s(device, asked.forward ? 4 * (shape.count() / QFUSE_SWIGLU_GROUP_SIZE) : 1),
      grad_weights(device, asked.weights && !asked.forward ? 4 * shape.rows : 1),
      workspace(device, asked.weights ? 4 * (shape.count() / QFUSE_SWIGLU_GROUP_SIZE) : 1) {}

void SwigluTensors::Outputs::poison() const {
  for (const DeviceArray* array : all()) array->poison();
}

SwigluTensors::Set::Set(int device, Shape shape, Outputs outputs, std::uint32_t seed)
    : x(device, kElementBytes * 2 * shape.count()),
      grad_y(device, kElementBytes * shape.count()),
      weights(device, 4 * shape.rows),
      out(std::move(outputs)) {
  fill_weights(weights.as<float>(), shape.rows, seed, nullptr);
  fill_normal(x.as<void>(), 2 * shape.count(), 2 * seed, nullptr);
  fill_normal(grad_y.as<void>(), shape.count(), 2 * seed + 1, nullptr);
}

SwigluTensors::Outputs SwigluTensors::make_outputs() const {
  const auto experts = static_cast<std::int64_t>(asked_.ends.size());
  const std::int64_t columns = experts == 0 ? shape_.rows : qfuse_expert_columns(shape_.rows, experts);
  return {device_, shape_, columns, asked_};
}

SwigluTensors::SwigluTensors(const Card& card, Shape shape, SwigluAsked asked)
    : device_(card.index),
      shape_(shape),
      asked_(std::move(asked)),
      ends_(card.index, 8 * static_cast<std::int64_t>(asked_.ends.size() + 1)),
      expected_(make_outputs()) {
  if (!asked_.ends.empty())
    require(cudaMemcpy(ends_.as<void>(), asked_.ends.data(), 8 * asked_.ends.size(), cudaMemcpyHostToDevice), "ends");
  sets_.emplace_back(device_, shape, make_outputs(), 0);
  const int wanted = sets_for(bytes(), card.l2_bytes);
  for (int i = 1; i < wanted; ++i) sets_.emplace_back(device_, shape, make_outputs(), static_cast<std::uint32_t>(i));
  expected_.poison();
  check_swiglu(params(sets_.front(), expected_), asked_.ends, nullptr);
  require(cudaDeviceSynchronize(), "the checker");
}

// Excludes the room that is left unused behind the experts' columns.
std::int64_t SwigluTensors::bytes() const {
  const contract::Swiglu p = params(0);
  std::int64_t used = asked_.ends.empty() ? p.m : 0;
  for (std::size_t e = 0; e < asked_.ends.size(); ++e)
    used += format::whole_groups(asked_.ends[e] - (e == 0 ? 0 : asked_.ends[e - 1]));
  const std::int64_t rows = p.h + (asked_.transposed ? 2 * p.h : 0);
  const std::int64_t unused = contract::all_columns(p) - used;
  return contract::bytes(p) - rows * unused - 4 * (rows * unused / QFUSE_SWIGLU_GROUP_SIZE);
}

contract::Swiglu SwigluTensors::params(const Set& set, const Outputs& out) const {
  contract::Swiglu p{};
  p.m = shape_.rows;
  p.h = shape_.cols;
  p.format.group_size = QFUSE_SWIGLU_GROUP_SIZE;
  p.x = set.x.as<void>();
  p.format.payload_type = asked_.payload;
  if (asked_.mn_major) p.format.scale_layout = QFUSE_SCALES_MN_MAJOR;
  if (asked_.torchao) {
    p.format.scale_rule = QFUSE_SCALES_TORCHAO;
    p.format.amax_floor = 1e-12F;
  }
  p.y_t.q = out.y_t_q.as<void>();
  p.y_t.s = out.y_t_s.as<void>();
  if (asked_.weights) p.weights = set.weights.as<float>();
  if (asked_.forward) {
    p.y.q = out.y_q.as<void>();
    p.y.s = out.y_s.as<void>();
  } else {
    p.grad_y = set.grad_y.as<void>();
    p.grad_input.q = out.grad_input_q.as<void>();
    p.grad_input.s = out.grad_input_s.as<void>();
  }
  if (asked_.weights && !asked_.forward) {
    p.grad_weights = out.grad_weights.as<float>();
    p.workspace = out.workspace.as<void>();
    p.workspace_size = contract::workspace_size(p);
  }
  if (asked_.transposed) {
    p.grad_input_t.q = out.grad_input_t_q.as<void>();
    p.grad_input_t.s = out.grad_input_t_s.as<void>();
  }
  if (!asked_.ends.empty()) {
    p.experts.ends = ends_.as<void>();
    p.experts.count = static_cast<std::int64_t>(asked_.ends.size());
    p.experts.ends_type = QFUSE_INDEX_INT64;
    p.experts.layout = asked_.apart ? QFUSE_EXPERTS_APART : QFUSE_EXPERTS_SIDE_BY_SIDE;
  }
  return p;
}

contract::Swiglu SwigluTensors::params(int set) const {
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
         count_outside({actual.y_t_q, actual.y_t_s}, {expected_.y_t_q, expected_.y_t_s});
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
