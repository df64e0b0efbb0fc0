// The arrays of a call of swiglu_backward: inputs made from a case, outputs poisoned and compared.
#ifndef QFUSE_TESTS_SUPPORT_SWIGLU_H
#define QFUSE_TESTS_SUPPORT_SWIGLU_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "cases/swiglu_backward.h"
#include "contract/swiglu_backward.h"
#include "support/buffer.h"
#include "support/compare.h"

namespace qfuse::tests {

// The outputs of a call; `both` are the gradients' rows and y.
enum class Asked { both, gradients, y, transposed, both_gradients, transposed_and_y, all };

struct AskedCase {
  const char* name;
  Asked asked;
};
inline constexpr std::array kEveryAsked = {AskedCase{"both", Asked::both},
                                           AskedCase{"gradients alone", Asked::gradients},
                                           AskedCase{"y alone", Asked::y},
                                           AskedCase{"transposed gradients alone", Asked::transposed},
                                           AskedCase{"gradients both ways", Asked::both_gradients},
                                           AskedCase{"transposed gradients and y", Asked::transposed_and_y},
                                           AskedCase{"all", Asked::all}};

constexpr bool has_rows(Asked asked) {
  return asked == Asked::both || asked == Asked::gradients || asked == Asked::both_gradients || asked == Asked::all;
}
constexpr bool has_y(Asked asked) {
  return asked == Asked::both || asked == Asked::y || asked == Asked::transposed_and_y || asked == Asked::all;
}
constexpr bool has_transposed(Asked asked) {
  return asked != Asked::both && asked != Asked::gradients && asked != Asked::y;
}

// The inputs of a case, at an address as odd as asked for.
struct SwigluInputs {
  SwigluInputs(const SwigluCase& c, std::size_t misalignment)
      : shape(c),
        x_values(make_activations(c, 2 * c.h, c.x_gap, 1)),
        grad_y_values(make_activations(c, c.h, c.grad_y_gap, 2)),
        x(x_values.size() * 2, misalignment),
        grad_y(grad_y_values.size() * 2, misalignment) {
    std::memcpy(x.as<void>(), x_values.data(), x.size());
    std::memcpy(grad_y.as<void>(), grad_y_values.data(), grad_y.size());
  }
  [[nodiscard]] contract::SwigluBackward params(Asked asked, qfuse_payload payload = QFUSE_INT8) const {
    contract::SwigluBackward p{};
    p.payload_type = payload;
    p.m = shape.m;
    p.h = shape.h;
    p.group_size = 128;
    p.x = x.data();
    p.x_stride = shape.x_gap == 0 ? 0 : 2 * shape.h + shape.x_gap;
    p.grad_y = asked == Asked::y ? nullptr : grad_y.data();
    p.grad_y_stride = shape.grad_y_gap == 0 ? 0 : shape.h + shape.grad_y_gap;
    return p;
  }
  [[nodiscard]] bool unchanged() const {
    return std::memcmp(x.data(), x_values.data(), x.size()) == 0 &&
           std::memcmp(grad_y.data(), grad_y_values.data(), grad_y.size()) == 0;
  }

  SwigluCase shape;
  std::vector<std::uint16_t> x_values;
  std::vector<std::uint16_t> grad_y_values;
  Buffer x;
  Buffer grad_y;
};

// Every output, exactly sized and poisoned; what is transposed has m columns, or with experts those that they need.
struct SwigluOutputs {
  SwigluOutputs(std::int64_t m, std::int64_t h, std::size_t misalignment = 0,
                qfuse_scale_layout scale_layout = QFUSE_SCALES_ROW_MAJOR)
      : SwigluOutputs(m, h, m, misalignment, scale_layout) {}

  SwigluOutputs(std::int64_t m, std::int64_t h, std::int64_t columns, std::size_t misalignment,
                qfuse_scale_layout scale_layout)
      : layout(scale_layout),
        grad_input_q(static_cast<std::size_t>(m * 2 * h), misalignment),
        grad_input_s(
            static_cast<std::size_t>((layout == QFUSE_SCALES_MN_MAJOR ? (m + 3) / 4 * 4 : m) * 2 * h / 128 * 4),
            misalignment),
        y_q_t(static_cast<std::size_t>(h * columns), misalignment),
        y_s_t(static_cast<std::size_t>(h * qfuse_block_count(columns, 128) * 4), misalignment),
        grad_input_q_t(static_cast<std::size_t>(2 * h * columns), misalignment),
        grad_input_s_t(static_cast<std::size_t>(2 * h * qfuse_block_count(columns, 128) * 4), misalignment) {}

  void point(contract::SwigluBackward& p, Asked asked) {
    p.scale_layout = layout;
    p.grad_input_q = has_rows(asked) ? grad_input_q.as<void>() : nullptr;
    p.grad_input_s = has_rows(asked) ? grad_input_s.as<float>() : nullptr;
    p.y_q_t = has_y(asked) ? y_q_t.as<void>() : nullptr;
    p.y_s_t = has_y(asked) ? y_s_t.as<float>() : nullptr;
    p.grad_input_q_t = has_transposed(asked) ? grad_input_q_t.as<void>() : nullptr;
    p.grad_input_s_t = has_transposed(asked) ? grad_input_s_t.as<float>() : nullptr;
  }

  qfuse_scale_layout layout;
  Buffer grad_input_q;
  Buffer grad_input_s;
  Buffer y_q_t;
  Buffer y_s_t;
  Buffer grad_input_q_t;
  Buffer grad_input_s_t;
};

inline testing::AssertionResult same_outputs(const SwigluOutputs& expected, const SwigluOutputs& actual) {
  for (const auto& [name, buffer] : {std::pair{"grad_input_q", &SwigluOutputs::grad_input_q},
                                     {"grad_input_s", &SwigluOutputs::grad_input_s},
                                     {"y_q_t", &SwigluOutputs::y_q_t},
                                     {"y_s_t", &SwigluOutputs::y_s_t},
                                     {"grad_input_q_t", &SwigluOutputs::grad_input_q_t},
                                     {"grad_input_s_t", &SwigluOutputs::grad_input_s_t}}) {
    const Buffer& e = expected.*buffer;
    const Buffer& a = actual.*buffer;
    if (!a.front_is_intact()) return testing::AssertionFailure() << name << ": bytes before it were written";
    if (auto result = same_bytes(e.data(), a.data(), static_cast<std::int64_t>(e.size())); !result)
      return result << " (" << name << ")";
  }
  return testing::AssertionSuccess();
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_SWIGLU_H
