// The arrays of a swiglu call: inputs made from a case, and outputs that are poisoned and compared.
#ifndef QFUSE_TESTS_SUPPORT_SWIGLU_H
#define QFUSE_TESTS_SUPPORT_SWIGLU_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#include "cases/swiglu.h"
#include "contract/rotated_int8.h"
#include "contract/swiglu.h"
#include "support/buffer.h"
#include "support/compare.h"
#include "support/random.h"

namespace qfuse::tests {

// Outputs that a call requests. Backward: `gradients` by rows, gradients `transposed`, `y` transposed; `both` is
// gradients and y, `all` is all three. Forward: `y_rows` is y by rows, `both_y` is y by rows and transposed.
enum class Asked { both, gradients, y, transposed, both_gradients, transposed_and_y, all, y_rows, both_y };

struct AskedCase {
  const char* name;
  Asked asked;
};
inline constexpr std::array kEveryAsked = {AskedCase{"both", Asked::both},
                                           AskedCase{"rows of y", Asked::y_rows},
                                           AskedCase{"y both ways", Asked::both_y},
                                           AskedCase{"gradients alone", Asked::gradients},
                                           AskedCase{"y alone", Asked::y},
                                           AskedCase{"transposed gradients alone", Asked::transposed},
                                           AskedCase{"gradients both ways", Asked::both_gradients},
                                           AskedCase{"transposed gradients and y", Asked::transposed_and_y},
                                           AskedCase{"all", Asked::all}};

constexpr bool has_rows(Asked asked) {
  return asked == Asked::both || asked == Asked::gradients || asked == Asked::both_gradients || asked == Asked::all;
}
constexpr bool has_y_rows(Asked asked) { return asked == Asked::y_rows || asked == Asked::both_y; }
constexpr bool has_y_transposed(Asked asked) {
  return asked == Asked::both || asked == Asked::y || asked == Asked::transposed_and_y || asked == Asked::all ||
         asked == Asked::both_y;
}
constexpr bool has_transposed(Asked asked) {
  return asked == Asked::transposed || asked == Asked::both_gradients || asked == Asked::transposed_and_y ||
         asked == Asked::all;
}
constexpr bool has_gradients(Asked asked) { return has_rows(asked) || has_transposed(asked); }

// Options of a call besides its activations.
struct SwigluExtras {
  const char* name = "none";
  bool weights = false;
  bool grad_weights = false;
  float limit = 0.0F;
  float alpha = 0.0F;
  float up_offset = 0.0F;
};

// In all of these exp's arguments are bf16 values, for which the tests know a GPU's exp.
inline constexpr std::array kExtrasOfBfloat16 = {
    SwigluExtras{"weights", true, false},
    SwigluExtras{"weights and their gradient", true, true},
    SwigluExtras{"the gradient of weights that are not given", false, true},
    SwigluExtras{"a limit", false, false, 0.75F},
    SwigluExtras{"an offset", false, false, 0.0F, 0.0F, 1.0F},
    SwigluExtras{"weights, limit, alpha and offset", true, true, 0.8125F, 2.0F, -0.5F},
    SwigluExtras{"alpha that is negative", true, true, 0.0F, -1.0F, 0.0F},
};
inline constexpr SwigluExtras kLikeGptOss = {"as gpt-oss has it", true, true, 0.7F, 1.702F, 1.0F};

// Router weights with the case's kind of values. For any_bits they are random fp32 bits.
inline std::vector<float> make_weights(const SwigluCase& c) {
  std::mt19937 random(3);
  std::vector<float> weights(static_cast<std::size_t>(c.m));
  for (float& weight : weights) {
    weight = random_normal(random);
    if (c.activations == Activations::any_bits) weight = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (c.activations == Activations::planted && random() % 50 == 0) weight = std::bit_cast<float>(0x7f812345U);
  }
  return weights;
}

// The inputs of a case, with the requested misalignment.
struct SwigluInputs {
  SwigluInputs(const SwigluCase& c, std::size_t misalignment)
      : SwigluInputs(c, make_activations(c, 2 * c.h, c.x_gap, 1), make_activations(c, c.h, c.grad_y_gap, 2),
                     make_weights(c), misalignment) {}

  SwigluInputs(const SwigluCase& c, std::vector<std::uint16_t> of_x, std::vector<std::uint16_t> of_grad_y,
               std::vector<float> of_weights, std::size_t misalignment)
      : shape(c),
        x_values(std::move(of_x)),
        grad_y_values(std::move(of_grad_y)),
        weight_values(std::move(of_weights)),
        x(x_values.size() * 2, misalignment),
        grad_y(grad_y_values.size() * 2, misalignment),
        weights(weight_values.size() * 4, misalignment) {
    std::memcpy(weights.as<void>(), weight_values.data(), weights.size());
    std::memcpy(x.as<void>(), x_values.data(), x.size());
    std::memcpy(grad_y.as<void>(), grad_y_values.data(), grad_y.size());
  }
  // The same inputs with another misalignment.
  [[nodiscard]] SwigluInputs at(std::size_t misalignment) const {
    return {shape, x_values, grad_y_values, weight_values, misalignment};
  }
  [[nodiscard]] contract::Swiglu params(Asked asked, qfuse_payload payload = QFUSE_INT8,
                                        const SwigluExtras& extras = {}) const {
    contract::Swiglu p{};
    p.format.payload_type = payload;
    p.m = shape.m;
    p.h = shape.h;
    p.format.group_size = 128;
    p.x = x.data();
    p.x_stride = shape.x_gap == 0 ? 0 : 2 * shape.h + shape.x_gap;
    p.grad_y = has_gradients(asked) ? grad_y.data() : nullptr;
    p.grad_y_stride = shape.grad_y_gap == 0 ? 0 : shape.h + shape.grad_y_gap;
    p.weights = extras.weights ? reinterpret_cast<const float*>(weights.data()) : nullptr;
    p.limit = extras.limit;
    p.alpha = extras.alpha;
    p.up_offset = extras.up_offset;
    return p;
  }
  [[nodiscard]] bool unchanged() const {
    return std::memcmp(x.data(), x_values.data(), x.size()) == 0 &&
           std::memcmp(grad_y.data(), grad_y_values.data(), grad_y.size()) == 0 &&
           std::memcmp(weights.data(), weight_values.data(), weights.size()) == 0;
  }

  SwigluCase shape;
  std::vector<std::uint16_t> x_values;
  std::vector<std::uint16_t> grad_y_values;
  std::vector<float> weight_values;
  Buffer x;
  Buffer grad_y;
  Buffer weights;
};

// Parameters of rotated_int8_swiglu over a case's inputs, which must outlive them. Sets no output except `out`,
// as a mark.
inline contract::RotatedInt8Swiglu rotated_params(const SwigluInputs& in, qfuse_direction direction, bool has_out) {
  static std::uint16_t asked = 0;
  contract::RotatedInt8Swiglu p{};
  p.m = in.shape.m;
  p.h = in.shape.h;
  p.gate = in.x.data();
  p.up = in.x.data() + 2 * in.shape.h;
  p.gate_stride = p.up_stride = 2 * in.shape.h + in.shape.x_gap;
  p.direction = direction;
  p.grad_y = in.grad_y.data();
  if (in.shape.grad_y_gap != 0) p.grad_y_stride = in.shape.h + in.shape.grad_y_gap;
  if (has_out) p.out = &asked;
  return p;
}

// Buffers of one output: payload, and fp32 scales per 128 values in as many rows as the scale layout has.
struct QuantizedBuffers {
  QuantizedBuffers(std::int64_t rows, std::int64_t values, std::int64_t scale_rows, std::size_t misalignment)
      : q(static_cast<std::size_t>(rows * values), misalignment),
        s(static_cast<std::size_t>(scale_rows * qfuse_block_count(values, 128) * 4), misalignment) {}

  [[nodiscard]] qfuse_quantized pointers(bool is_wanted) {
    return is_wanted ? qfuse_quantized{q.as<void>(), s.as<void>()} : qfuse_quantized{};
  }

  Buffer q;
  Buffer s;
};

// Every output, of exact size and poisoned. Transposed outputs have m columns, or as many as the experts need.
struct SwigluOutputs {
  SwigluOutputs(std::int64_t m, std::int64_t h, std::size_t misalignment = 0,
                qfuse_scale_layout scale_layout = QFUSE_SCALES_ROW_MAJOR)
      : SwigluOutputs(m, h, m, misalignment, scale_layout) {}

  SwigluOutputs(std::int64_t m, std::int64_t h, std::int64_t columns, std::size_t misalignment,
                qfuse_scale_layout scale_layout)
      : layout(scale_layout),
        y(m, h, scale_rows(m, layout), misalignment),
        y_t(h, columns, h, misalignment),
        grad_input(m, 2 * h, scale_rows(m, layout), misalignment),
        grad_input_t(2 * h, columns, 2 * h, misalignment),
        grad_weights(static_cast<std::size_t>(m * 4), misalignment),
        workspace(0),
        workspace_misalignment(misalignment) {}

  // Outputs for the format and the experts of a call.
  SwigluOutputs(const contract::Swiglu& p, std::size_t misalignment)
      : SwigluOutputs(p.m, p.h, contract::all_columns(p), misalignment, p.format.scale_layout) {
    const auto resize = [&](Buffer& scales, std::int64_t rows, std::int64_t values) {
      const std::int64_t groups = (values + p.format.group_size - 1) / p.format.group_size;
      scales =
          Buffer(static_cast<std::size_t>(format::scales_size(contract::scale_format(p), rows, groups)), misalignment);
    };
    resize(y.s, p.m, p.h);
    resize(y_t.s, p.h, contract::all_columns(p));
    resize(grad_input.s, p.m, 2 * p.h);
    resize(grad_input_t.s, 2 * p.h, contract::all_columns(p));
  }

  static std::int64_t scale_rows(std::int64_t m, qfuse_scale_layout layout) {
    return layout == QFUSE_SCALES_MN_MAJOR ? (m + 3) / 4 * 4 : m;
  }

  void point(contract::Swiglu& p, Asked asked, const SwigluExtras& extras = {}) {
    p.format.scale_layout = layout;
    p.y = y.pointers(has_y_rows(asked));
    p.y_t = y_t.pointers(has_y_transposed(asked));
    p.grad_input = grad_input.pointers(has_rows(asked));
    p.grad_input_t = grad_input_t.pointers(has_transposed(asked));
    p.grad_weights = extras.grad_weights && has_gradients(asked) ? grad_weights.as<float>() : nullptr;
    p.workspace_size = contract::workspace_size(p);
    workspace = Buffer(static_cast<std::size_t>(p.workspace_size), workspace_misalignment);
    p.workspace = p.workspace_size > 0 ? workspace.as<void>() : nullptr;
  }

  qfuse_scale_layout layout;
  QuantizedBuffers y;
  QuantizedBuffers y_t;
  QuantizedBuffers grad_input;
  QuantizedBuffers grad_input_t;
  Buffer grad_weights;
  Buffer workspace;
  std::size_t workspace_misalignment;
};

inline testing::AssertionResult same_outputs(const SwigluOutputs& expected, const SwigluOutputs& actual) {
  const auto buffers = [](const SwigluOutputs& its) {
    return std::vector<std::pair<const char*, const Buffer*>>{{"y.q", &its.y.q},
                                                              {"y.s", &its.y.s},
                                                              {"y_t.q", &its.y_t.q},
                                                              {"y_t.s", &its.y_t.s},
                                                              {"grad_input.q", &its.grad_input.q},
                                                              {"grad_input.s", &its.grad_input.s},
                                                              {"grad_input_t.q", &its.grad_input_t.q},
                                                              {"grad_input_t.s", &its.grad_input_t.s},
                                                              {"grad_weights", &its.grad_weights}};
  };
  const auto others = buffers(actual);
  for (std::size_t i = 0; const auto& [name, buffer] : buffers(expected)) {
    const Buffer& e = *buffer;
    const Buffer& a = *others[i++].second;
    if (!a.front_is_intact()) return testing::AssertionFailure() << name << ": bytes before it were written";
    if (auto result = same_bytes(e.data(), a.data(), static_cast<std::int64_t>(e.size())); !result)
      return result << " (" << name << ")";
  }
  return testing::AssertionSuccess();
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SWIGLU_H
