// Bit comparison of elements and bytes, for GoogleTest: EXPECT_TRUE(same_elements(...)).
// Positions of NaN must match, any NaN equals any NaN, and everything else must have the same bits (so -0 is not +0).
#ifndef QFUSE_TESTS_SUPPORT_COMPARE_H
#define QFUSE_TESTS_SUPPORT_COMPARE_H

#include <gtest/gtest.h>
#include <qfuse/qfuse.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

#include "format/elements.h"
#include "format/layout.h"

namespace qfuse::tests {

inline bool same_element(const void* expected, const void* actual, std::int64_t i, qfuse_dtype dtype) {
  const float e = format::load_as_float(expected, i, dtype);
  const float a = format::load_as_float(actual, i, dtype);
  if (std::isnan(e) || std::isnan(a)) return std::isnan(e) && std::isnan(a);
  return std::bit_cast<std::uint32_t>(e) == std::bit_cast<std::uint32_t>(a);
}

// Fast path for equal arrays, which avoids a byte loop in unoptimized builds.
inline bool all_equal(const void* expected, const void* actual, std::int64_t size) {
  return size == 0 || std::memcmp(expected, actual, static_cast<std::size_t>(size)) == 0;
}

inline testing::AssertionResult same_elements(const void* expected, const void* actual, std::int64_t n,
                                              qfuse_dtype dtype) {
  if (all_equal(expected, actual, n * format::dtype_size(dtype))) return testing::AssertionSuccess();
  std::int64_t differing = 0;
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    if (same_element(expected, actual, i, dtype)) continue;
    if (differing++ == 0) first = i;
  }
  if (differing == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << differing << " of " << n << " elements differ, first at " << first
                                     << ": expected " << format::load_as_float(expected, first, dtype) << ", is "
                                     << format::load_as_float(actual, first, dtype);
}

inline testing::AssertionResult same_bytes(const void* expected, const void* actual, std::int64_t size) {
  if (all_equal(expected, actual, size)) return testing::AssertionSuccess();
  const auto* e = static_cast<const std::uint8_t*>(expected);
  const auto* a = static_cast<const std::uint8_t*>(actual);
  std::int64_t differing = 0;
  std::int64_t first = -1;
  for (std::int64_t i = 0; i < size; ++i) {
    if (e[i] == a[i]) continue;
    if (differing++ == 0) first = i;
  }
  return testing::AssertionFailure() << differing << " of " << size << " bytes differ, first at " << first
                                     << ": expected " << static_cast<int>(e[first]) << ", is "
                                     << static_cast<int>(a[first]);
}

// Compares two whole byte arrays.
inline testing::AssertionResult same_bytes(std::span<const std::uint8_t> expected,
                                           std::span<const std::uint8_t> actual) {
  if (expected.size() != actual.size())
    return testing::AssertionFailure() << actual.size() << " bytes, expected are " << expected.size();
  return same_bytes(expected.data(), actual.data(), std::ssize(expected));
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_COMPARE_H
