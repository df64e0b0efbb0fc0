// Cases of scale for correctness tests and sanitizers. Each name states the risk.
#ifndef QFUSE_TESTS_SKELETON_CASES_H
#define QFUSE_TESTS_SKELETON_CASES_H

#include <array>
#include <cstdint>
#include <limits>

namespace qfuse::tests {

struct ScaleCase {
  const char* risk;
  std::int64_t n;
  float factor = 0.3F;
};

inline constexpr std::array kScaleCases = {
    ScaleCase{"one value", 1},
    ScaleCase{"a tail after whole vectors", 1023},
    ScaleCase{"several tiles", 40000},
    ScaleCase{"several threads", (1 << 17) + 8},
    ScaleCase{"subnormal products", 4096, 1e-38F},
    ScaleCase{"infinite products", 4096, std::numeric_limits<float>::max()},
    ScaleCase{"NaN", 4096, std::numeric_limits<float>::quiet_NaN()},
};

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SKELETON_CASES_H
