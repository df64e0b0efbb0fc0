// in:   x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; rows at any stride; weights [m] fp32
// out:  i8 payloads, fp32 scales: grad_input.q [m, 2h], grad_input.s [m, 2h/128]; y.q [m, h], y.s [m, h/128];
//       y_t.q [h, m], y_t.s [h, ceil(m/128)]; grad_input_t.q [2h, m], grad_input_t.s [2h, ceil(m/128)]; with experts,
//       theirs one after another; grad_weights [m] fp32
// math: s = 1/(1+exp(-g)); y = (g*s)*u; d_up = dy*(g*s); d_gate = ((dy*u)*s)*(1+g*(1-s)); each to bf16; per group
//       scale = max(absmax * 1/127, 1e-10), q = trunc(z / scale), or in other formats those of format/group_rules.h
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "format/elements.h"
#include "format/exponential.h"
#include "format/group_rules.h"
#include "format/layout.h"
#include "format/rounding.h"
#include "reference/reference.h"

namespace qfuse::reference {
namespace {

// Before they are rounded to bf16.
struct Gradients {
  float gate;
  float up;
};

// A group's values, bf16, and how many there are: the last group of tokens may be short.
class Group {
 public:
  void add(float value) { values_.at(count_++) = format::from_bfloat16(format::to_bfloat16(value)); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(count_); }
  [[nodiscard]] float operator[](std::int64_t i) const { return values_.at(static_cast<std::size_t>(i)); }

 private:
  std::array<float, format::kGroupSize> values_{};
  std::size_t count_ = 0;
};

// One channel of one token: its gate, limited, and what exp takes; its up, limited and offset; the sigmoid; the token's
// router weight.
struct Element {
  float gate;
  float exponent;
  float up;
  float sigmoid;
  float weight;
  bool gate_is_limited;
  bool up_is_limited;
};

float activation(const Element& e) { return (e.gate * e.sigmoid) * e.up; }

float forward(const Element& e) { return activation(e) * e.weight; }

Gradients backward(const Element& e, float grad_y) {
  const float dy = grad_y * e.weight;
  const float d_up = dy * (e.gate * e.sigmoid);
  const float d_gate = ((dy * e.up) * e.sigmoid) * (1.0F + e.exponent * (1.0F - e.sigmoid));
  return {e.gate_is_limited ? 0.0F : d_gate, e.up_is_limited ? 0.0F : d_up};
}

// Of values from `first` to before `end`; NaN above all.
float find_absmax(const Group& group, std::int64_t first, std::int64_t end) {
  std::uint32_t absmax = 0;
  for (std::int64_t i = first; i < end; ++i) absmax = std::max(absmax, format::bits_of(group[i]) & ~format::kSignBit);
  return format::float_of(absmax);
}

// An output's scales, of which a row's begin with group `first_group`, and its format.
struct Scales {
  void* data;
  contract::ColumnPlace place;
  format::GroupRules rules;
  std::int64_t row;
  std::int64_t first_group;
};

void write_scale(const Scales& scales, std::int64_t group, float scale) {
  const std::int64_t index = contract::scale_index(scales.place, scales.row, group);
  if (!scales.rules.scales_are_ue8m0) return format::store_unaligned(scales.data, index, scale);
  auto* const bytes = static_cast<std::uint8_t*>(scales.data) + index;
  bytes[0] = format::to_ue8m0(scale);
  const std::int64_t behind = contract::empty_scales_behind(scales.place.scales, scales.place.first_group + group);
  std::fill_n(bytes + 1, behind, std::uint8_t{0});
}

// 128 values, or as many as there are, as one group or several smaller ones.
void quantize_group(const Group& group, std::int8_t* q, const Scales& scales) {
  const format::GroupRules& rules = scales.rules;
  for (std::int64_t first = 0; first < group.count(); first += rules.size) {
    const std::int64_t end = std::min(group.count(), first + rules.size);
    const format::GroupScale scale = format::scale_of_group(rules, find_absmax(group, first, end));
    write_scale(scales, scales.first_group + first / rules.size, scale.scale);
    for (std::int64_t i = first; i < end; ++i)
      q[i] = static_cast<std::int8_t>(format::quantize_in_group(rules, group[i], scale.factor));
  }
}

// Of a row of an output by rows, from that channel on.
Scales row_scales(void* data, const contract::ScaleStrides& strides, const format::GroupRules& rules, std::int64_t row,
                  std::int64_t channel) {
  return {data, {0, 0, 0, 0, strides}, rules, row, channel / rules.size};
}

class Inputs {
 public:
  Inputs(const contract::Swiglu& p, Exponential exponential)
      : p_(p),
        exponential_(exponential),
        x_stride_(contract::x_stride(p)),
        grad_y_stride_(contract::grad_y_stride(p)) {}
  [[nodiscard]] float grad_y(std::int64_t t, std::int64_t c) const { return load(p_.grad_y, t * grad_y_stride_ + c); }
  [[nodiscard]] Element at(std::int64_t t, std::int64_t c) const {
    const float limit = contract::limit(p_);
    const float gate = load(p_.x, t * x_stride_ + c);
    const float up = load(p_.x, t * x_stride_ + p_.h + c);
    Element e{};
    e.gate_is_limited = gate > limit;
    e.up_is_limited = up > limit || up < -limit;
    e.gate = e.gate_is_limited ? limit : gate;
    e.exponent = contract::alpha(p_) * e.gate;
    e.up = e.up_is_limited ? std::copysign(limit, up) : up;
    if (p_.up_offset != 0) e.up += p_.up_offset;
    e.sigmoid = 1.0F / (1.0F + exponential_(-e.exponent));
    e.weight = p_.weights == nullptr ? 1.0F : format::load_unaligned<float>(p_.weights, t);
    return e;
  }
  [[nodiscard]] Gradients gradients(std::int64_t t, std::int64_t c) const { return backward(at(t, c), grad_y(t, c)); }

 private:
  static float load(const void* array, std::int64_t i) { return format::load_as_float(array, i, QFUSE_BFLOAT16); }
  const contract::Swiglu& p_;
  Exponential exponential_;
  std::int64_t x_stride_;
  std::int64_t grad_y_stride_;
};

// Two groups of one row: those of d_gate and of d_up that belong to the same 128 channels.
void write_gradients(const contract::Swiglu& p, const Inputs& in, std::int64_t t, std::int64_t first_channel) {
  Group gate;
  Group up;
  for (std::int64_t c = first_channel; c < first_channel + format::kGroupSize; ++c) {
    const Gradients gradients = in.gradients(t, c);
    gate.add(gradients.gate);
    up.add(gradients.up);
  }
  std::int8_t* const q = contract::payload(p.grad_input) + t * 2 * p.h;
  for (const auto& [group, channel] : {std::pair{&gate, first_channel}, std::pair{&up, p.h + first_channel}})
    quantize_group(*group, q + channel,
                   row_scales(p.grad_input.s, contract::row_scale_strides(p), contract::group_rules(p), t, channel));
}

// A group of one row of y.
void write_y_row(const contract::Swiglu& p, const Inputs& in, std::int64_t t, std::int64_t first_channel) {
  Group y;
  for (std::int64_t c = first_channel; c < first_channel + format::kGroupSize; ++c) y.add(forward(in.at(t, c)));
  quantize_group(y, contract::payload(p.y) + t * p.h + first_channel,
                 row_scales(p.y.s, contract::y_scale_strides(p), contract::group_rules(p), t, first_channel));
}

// The sum over 128 channels: of every eight neighbours one after another, of these 16 sums by halves.
float sum_of_group(const Inputs& in, std::int64_t t, std::int64_t first_channel) {
  constexpr std::int64_t kNeighbours = 8;
  std::array<float, format::kGroupSize / kNeighbours> sums{};
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::int64_t n = 0; n < kNeighbours; ++n) {
      const std::int64_t c = first_channel + static_cast<std::int64_t>(i) * kNeighbours + n;
      const float product = in.grad_y(t, c) * activation(in.at(t, c));
      sums.at(i) = n == 0 ? product : sums.at(i) + product;
    }
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2)
    for (std::size_t i = 0; i < half; ++i) sums.at(i) += sums.at(i + half);
  return sums.front();
}

void write_grad_weight(const contract::Swiglu& p, const Inputs& in, std::int64_t t) {
  float sum = sum_of_group(in, t, 0);
  for (std::int64_t c = format::kGroupSize; c < p.h; c += format::kGroupSize) sum += sum_of_group(in, t, c);
  format::store_unaligned(p.grad_weights, t, format::canonical(sum));
}

// The tokens of an expert, or all, and where their columns lie.
struct Expert {
  std::int64_t first_token;
  std::int64_t tokens;
  std::int64_t before;
  std::int64_t columns;
};

std::vector<Expert> experts_of(const contract::Swiglu& p) {
  if (!contract::has_experts(p)) return {{0, p.m, 0, p.m}};
  std::vector<Expert> experts;
  std::int64_t begin = 0;
  std::int64_t before = 0;
  for (std::int64_t e = 0; e < p.experts.count; ++e) {
    const std::int64_t end = contract::expert_end(p, e);
    const std::int64_t columns = contract::whole_groups(end - begin);
    experts.push_back({begin, end - begin, before, columns});
    begin = end;
    before += columns;
  }
  return experts;
}

// A transposed output.
struct Transposed {
  std::int64_t rows;
  std::int8_t* q;
  void* scales;
  format::GroupRules rules;
};

// A group of an expert's columns, from `first_column` on; what has no token is zero.
void quantize_columns(const contract::Swiglu& p, const Expert& expert, Group group, std::int64_t row,
                      std::int64_t first_column, const Transposed& out) {
  while (group.count() < format::kGroupSize && first_column + group.count() < expert.columns) group.add(0.0F);
  const contract::ColumnPlace place =
      contract::place_columns(contract::column_layout(p), out.rows, expert.before, expert.columns);
  quantize_group(group, out.q + place.first + row * place.stride + first_column,
                 {out.scales, place, out.rules, row, first_column / out.rules.size});
}

// One group of one channel of y: of the expert's tokens from `first` on.
void write_y_column(const contract::Swiglu& p, const Inputs& in, const Expert& expert, std::int64_t c,
                    std::int64_t first) {
  Group y;
  for (std::int64_t i = first; i < std::min(expert.tokens, first + format::kGroupSize); ++i)
    y.add(forward(in.at(expert.first_token + i, c)));
  quantize_columns(p, expert, y, c, first, {p.h, contract::payload(p.y_t), p.y_t.s, contract::group_rules(p)});
}

// One group of one channel of d_gate, and of d_up.
void write_transposed(const contract::Swiglu& p, const Inputs& in, const Expert& expert, std::int64_t c,
                      std::int64_t first) {
  Group gate;
  Group up;
  for (std::int64_t i = first; i < std::min(expert.tokens, first + format::kGroupSize); ++i) {
    const Gradients gradients = in.gradients(expert.first_token + i, c);
    gate.add(gradients.gate);
    up.add(gradients.up);
  }
  const Transposed out = {2 * p.h, contract::payload(p.grad_input_t), p.grad_input_t.s, contract::group_rules(p)};
  quantize_columns(p, expert, gate, c, first, out);
  quantize_columns(p, expert, up, p.h + c, first, out);
}

void write_expert(const contract::Swiglu& p, const Inputs& in, const Expert& expert) {
  for (std::int64_t t = expert.first_token; t < expert.first_token + expert.tokens; ++t) {
    for (std::int64_t c = 0; c < p.h; c += format::kGroupSize) {
      if (contract::wants_rows(p)) write_gradients(p, in, t, c);
      if (contract::wants_y_rows(p)) write_y_row(p, in, t, c);
    }
    if (contract::wants_grad_weights(p)) write_grad_weight(p, in, t);
  }
  for (std::int64_t i = 0; i < expert.tokens; i += format::kGroupSize)
    for (std::int64_t c = 0; c < p.h; ++c) {
      if (contract::wants_y_transposed(p)) write_y_column(p, in, expert, c, i);
      if (contract::wants_transposed(p)) write_transposed(p, in, expert, c, i);
    }
}

}  // namespace

void swiglu(const contract::Swiglu& p) { swiglu_with(format::exponential, p); }

void swiglu_with(Exponential exponential, const contract::Swiglu& p) {
  const Inputs in(p, exponential);
  if (contract::wants_grad_weights(p))
    for (std::int64_t t = 0; t < p.m; ++t) format::store_unaligned(p.grad_weights, t, 0.0F);  // nobody's stay so
  for (const Expert& expert : experts_of(p)) write_expert(p, in, expert);
}

}  // namespace qfuse::reference
