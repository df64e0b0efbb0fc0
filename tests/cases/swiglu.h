// Cases of swiglu, for correctness and the sanitizers. `risk` names what a case tests.
#ifndef QFUSE_TESTS_CASES_SWIGLU_H
#define QFUSE_TESTS_CASES_SWIGLU_H

#include <qfuse/qfuse.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "format/rounding.h"
#include "support/random.h"

namespace qfuse::tests {

enum class Activations {
  normal,       // as in training: a normal distribution, times `factor`
  sparse,       // 99 % zeros
  one_huge,     // one large element in every group
  alternating,  // equal magnitudes, alternating signs
  equal,        // one value
  subnormal,    // random sign and mantissa bits, zero exponent
  any_bits,     // every bf16 equally likely, including NaN and infinities
  planted       // rarely NaN or an infinity, so that most groups have none
};

struct SwigluCase {
  const char* risk;
  std::int64_t m;
  std::int64_t h;
  Activations activations = Activations::normal;
  float factor = 1.0F;
  std::int64_t x_gap = 0;  // elements between the end of a row and the next row
  std::int64_t grad_y_gap = 0;
};

inline constexpr std::array kSwigluCases = {
    SwigluCase{"one token", 1, 128},
    SwigluCase{"one group, one token short", 127, 128},
    SwigluCase{"one group of tokens, whole", 128, 256},
    SwigluCase{"one token in the last group", 129, 384},
    SwigluCase{"several threads, short last group", 1000, 384},
    SwigluCase{"a whole layer's width", 130, 2560},
    SwigluCase{"one group beyond a wide tile", 131, 640},
    SwigluCase{"fewer tokens than a vector", 5, 128},
    SwigluCase{"rows apart", 200, 256, Activations::normal, 1.0F, 384, 1},
    SwigluCase{"many rows apart", 390, 512, Activations::normal, 1.0F, 8, 16},
    SwigluCase{"rows apart by odd gaps", 150, 128, Activations::normal, 1.0F, 3, 7},
    SwigluCase{"saturated sigmoid, x20", 131, 256, Activations::normal, 20.0F},
    SwigluCase{"exp overflows, x200", 131, 256, Activations::normal, 200.0F},
    SwigluCase{"small, x1e-3", 131, 256, Activations::normal, 1e-3F},
    SwigluCase{"scales at their floor, x1e-5", 131, 256, Activations::normal, 1e-5F},
    SwigluCase{"products underflow, x1e-20", 131, 256, Activations::normal, 1e-20F},
    SwigluCase{"products overflow, x1e15", 131, 256, Activations::normal, 1e15F},
    SwigluCase{"zeros", 131, 256, Activations::normal, 0.0F},
    SwigluCase{"mostly zeros", 131, 256, Activations::sparse},
    SwigluCase{"one huge element in a group", 131, 256, Activations::one_huge},
    SwigluCase{"alternating signs", 131, 256, Activations::alternating},
    SwigluCase{"equal values", 131, 256, Activations::equal},
    SwigluCase{"subnormal", 131, 256, Activations::subnormal},
    SwigluCase{"any bits", 131, 256, Activations::any_bits},
    SwigluCase{"NaN and infinities among numbers", 390, 512, Activations::planted},
};

// Returns element i of an array with `columns` elements per row.
inline std::uint16_t random_activation(const SwigluCase& c, std::int64_t i, std::int64_t columns,
                                       std::mt19937& random) {
  constexpr std::array<std::uint16_t, 5> kNotFinite = {0x7f80, 0xff80, 0x7fc0, 0xffff, 0x7f81};
  const float normal = random_normal(random) * c.factor;
  const std::int64_t row = i / columns;
  const std::int64_t column = i % columns;
  switch (c.activations) {
    case Activations::normal: return format::to_bfloat16(normal);
    case Activations::sparse: return random() % 100 == 0 ? format::to_bfloat16(normal) : 0;
    case Activations::one_huge: return format::to_bfloat16((row + column) % 128 == 77 ? 1e4F : normal);
    case Activations::alternating: return format::to_bfloat16((row + column) % 2 == 0 ? 1.625F : -1.625F);
    case Activations::equal: return format::to_bfloat16(0.7F);
    case Activations::subnormal: return static_cast<std::uint16_t>(random() & 0x807fU);
    case Activations::any_bits: return static_cast<std::uint16_t>(random());
    case Activations::planted:
      return random() % 20000 == 0 ? kNotFinite[random() % kNotFinite.size()] : format::to_bfloat16(normal);
  }
  return 0;
}

// Returns m rows of `columns` bf16 values from a fixed seed, with NaN in the gaps between rows.
inline std::vector<std::uint16_t> make_activations(const SwigluCase& c, std::int64_t columns, std::int64_t gap,
                                                   std::uint32_t seed) {
  constexpr std::uint16_t kUnread = 0x7fa5;
  std::mt19937 random(seed);
  const std::int64_t stride = columns + gap;
  std::vector<std::uint16_t> values(static_cast<std::size_t>(c.m == 0 ? 0 : (c.m - 1) * stride + columns), kUnread);
  for (std::int64_t i = 0; i < c.m * columns; ++i)
    values[static_cast<std::size_t>(i / columns * stride + i % columns)] = random_activation(c, i, columns, random);
  return values;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_CASES_SWIGLU_H
