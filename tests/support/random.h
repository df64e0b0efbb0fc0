// Random numbers for the cases' arrays.
#ifndef QFUSE_TESTS_SUPPORT_RANDOM_H
#define QFUSE_TESTS_SUPPORT_RANDOM_H

#include <cmath>
#include <random>

namespace qfuse::tests {

// A standard normal number by Marsaglia's polar method. It equals that of libstdc++'s std::normal_distribution, which
// is slower: it takes two logarithms of long double for every number that it draws.
inline float random_normal(std::mt19937& random) {
  const auto coordinate = [&] { return static_cast<float>(random()) * 0x1p-31F - 1.0F; };
  for (;;) {
    const float x = coordinate();
    const float y = coordinate();
    const float square = x * x + y * y;
    if (square <= 1.0F && square != 0.0F) return y * std::sqrt(-2.0F * std::log(square) / square);
  }
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RANDOM_H
