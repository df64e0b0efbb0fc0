// in:   x [m, 2h] bf16 (gate, up), grad_y [m, h] bf16; rows at any stride; weights [m] fp32
// out:  i8 payloads, fp32 scales: grad_input.q [m, 2h], grad_input.s [m, 2h/128]; y.q [m, h], y.s [m, h/128]; y_t.q
//       [h, m], y_t.s [h, ceil(m/128)]; grad_input_t.q [2h, m], grad_input_t.s [2h, ceil(m/128)]; with experts, y_t and
//       grad_input_t hold one expert after another; grad_weights [m] fp32
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

// Gradients before they are rounded to bf16.
struct Gradients {
  float gate;
  float up;
};

// The values of a quantization group, rounded to bf16: channels of one token, or tokens of one channel. The last group
// of tokens may be short.
class Group {
 public:
  void add(float value) { values_.at(count_++) = format::from_bfloat16(format::to_bfloat16(value)); }
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(count_); }
  [[nodiscard]] float operator[](std::int64_t i) const { return values_.at(static_cast<std::size_t>(i)); }

 private:
  std::array<float, format::kGroupSize> values_{};
  std::size_t count_ = 0;
};

// One channel of one token: the limited gate; the argument of the sigmoid; up, limited and offset; the sigmoid; the
// token's router weight.
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

// Absmax of the values in [first, end). NaN counts as larger than any number.
float find_absmax(const Group& group, std::int64_t first, std::int64_t end) {
  std::uint32_t absmax = 0;
  for (std::int64_t i = first; i < end; ++i) absmax = std::max(absmax, format::bits_of(group[i]) & ~format::kSignBit);
  return format::float_of(absmax);
}

std::int64_t rounded_up(std::int64_t number, std::int64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

// An output, or an expert's part of one: payloads row by row, and scales in the layouts of qfuse.h.
struct Matrix {
  std::int64_t rows;
  std::int64_t columns;  // length of a row in memory
  std::int8_t* q;
  std::uint8_t* s;
  format::GroupRules rules;
  qfuse_scale_layout layout;
};

Matrix matrix_of(const contract::Swiglu& p, const qfuse_quantized& output, std::int64_t rows, std::int64_t columns) {
  return {rows,
          columns,
          static_cast<std::int8_t*>(output.q),
          static_cast<std::uint8_t*>(output.s),
          contract::group_rules(p),
          p.format.scale_layout};
}

void write_scale(const Matrix& out, std::int64_t row, std::int64_t group, float scale) {
  const std::int64_t groups = rounded_up(out.columns, out.rules.size) / out.rules.size;
  const std::int64_t rows = rounded_up(out.rows, 4);  // padded, for MN-major scales
  const bool is_row_major = out.layout == QFUSE_SCALES_ROW_MAJOR;
  if (!out.rules.scales_are_ue8m0)
    return format::store_unaligned(out.s, is_row_major ? row * groups + group : group * rows + row, scale);
  if (is_row_major) {
    out.s[row * groups + group] = format::to_ue8m0(scale);
    return;
  }
  std::uint8_t* const word = out.s + 4 * (group / 4 * rows + row);
  word[group % 4] = format::to_ue8m0(scale);
  if (group == groups - 1) std::fill(word + group % 4 + 1, word + 4, std::uint8_t{0});
}

// Quantizes 128 values, or as many as there are, as one group or as several smaller ones.
void quantize_group(const Group& values, const Matrix& out, std::int64_t row, std::int64_t column) {
  for (std::int64_t first = 0; first < values.count(); first += out.rules.size) {
    const std::int64_t end = std::min(values.count(), first + out.rules.size);
    const format::GroupScale scale = format::scale_of_group(out.rules, find_absmax(values, first, end));
    write_scale(out, row, (column + first) / out.rules.size, scale.scale);
    for (std::int64_t i = first; i < end; ++i)
      out.q[row * out.columns + column + i] =
          static_cast<std::int8_t>(format::quantize_in_group(out.rules, values[i], scale.factor));
  }
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

// Writes two groups of one row: d_gate and d_up of the same 128 channels.
void write_gradients(const contract::Swiglu& p, const Inputs& in, std::int64_t t, std::int64_t first_channel) {
  Group gate;
  Group up;
  for (std::int64_t c = first_channel; c < first_channel + format::kGroupSize; ++c) {
    const Gradients gradients = in.gradients(t, c);
    gate.add(gradients.gate);
    up.add(gradients.up);
  }
  const Matrix out = matrix_of(p, p.grad_input, p.m, 2 * p.h);
  quantize_group(gate, out, t, first_channel);
  quantize_group(up, out, t, p.h + first_channel);
}

// Writes one group of one row of y.
void write_y_row(const contract::Swiglu& p, const Inputs& in, std::int64_t t, std::int64_t first_channel) {
  Group y;
  for (std::int64_t c = first_channel; c < first_channel + format::kGroupSize; ++c) y.add(forward(in.at(t, c)));
  quantize_group(y, matrix_of(p, p.y, p.m, p.h), t, first_channel);
}

// Sum over 128 channels: each eight neighbors are added one after another, then the 16 results by halves.
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

// The tokens of an expert, or all tokens, and the position of their columns.
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
    const std::int64_t end = contract::expert_ends(p)[e];
    const std::int64_t columns = rounded_up(end - begin, format::kGroupSize);
    experts.push_back({begin, end - begin, before, columns});
    begin = end;
    before += columns;
  }
  return experts;
}

// Writes a group of an expert's columns of a transposed output, from `first_column`. Columns without a token are zero.
void quantize_columns(const contract::Swiglu& p, const qfuse_quantized& output, std::int64_t rows, const Expert& expert,
                      Group group, std::int64_t row, std::int64_t first_column) {
  while (group.count() < format::kGroupSize && first_column + group.count() < expert.columns) group.add(0.0F);
  if (!contract::has_experts(p)) return quantize_group(group, matrix_of(p, output, rows, p.m), row, first_column);
  if (p.experts.layout == QFUSE_EXPERTS_SIDE_BY_SIDE) {
    const std::int64_t all_columns = (p.m + 127 * p.experts.count) / 128 * 128;
    return quantize_group(group, matrix_of(p, output, rows, all_columns), row, expert.before + first_column);
  }
  Matrix out = matrix_of(p, output, rows, expert.columns);
  const std::int64_t scale_size = out.rules.scales_are_ue8m0 ? 1 : 4;
  out.q += rows * expert.before;
  out.s += rows * expert.before / out.rules.size * scale_size;
  quantize_group(group, out, row, first_column);
}

// Writes one group of one channel of y: the expert's tokens from `first` on.
void write_y_column(const contract::Swiglu& p, const Inputs& in, const Expert& expert, std::int64_t c,
                    std::int64_t first) {
  Group y;
  for (std::int64_t i = first; i < std::min(expert.tokens, first + format::kGroupSize); ++i)
    y.add(forward(in.at(expert.first_token + i, c)));
  quantize_columns(p, p.y_t, p.h, expert, y, c, first);
}

// Writes one group of one channel of d_gate, and one of d_up.
void write_transposed(const contract::Swiglu& p, const Inputs& in, const Expert& expert, std::int64_t c,
                      std::int64_t first) {
  Group gate;
  Group up;
  for (std::int64_t i = first; i < std::min(expert.tokens, first + format::kGroupSize); ++i) {
    const Gradients gradients = in.gradients(expert.first_token + i, c);
    gate.add(gradients.gate);
    up.add(gradients.up);
  }
  quantize_columns(p, p.grad_input_t, 2 * p.h, expert, gate, c, first);
  quantize_columns(p, p.grad_input_t, 2 * p.h, expert, up, p.h + c, first);
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
    for (std::int64_t t = 0; t < p.m; ++t) format::store_unaligned(p.grad_weights, t, 0.0F);  // stays 0 without expert
  for (const Expert& expert : experts_of(p)) write_expert(p, in, expert);
}

}  // namespace qfuse::reference
