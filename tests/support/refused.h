// Invalid calls, which check() refuses with a message.
#ifndef QFUSE_TESTS_SUPPORT_REFUSED_H
#define QFUSE_TESTS_SUPPORT_REFUSED_H

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>

#include "contract/ops.h"
#include "support/samples.h"

namespace qfuse::tests {

inline constexpr std::int64_t kLots = std::int64_t{1} << 62;

// Expects the outcome to be a refusal whose message contains every one of `parts`.
inline void expect_refused(const contract::Outcome& outcome, std::initializer_list<std::string> parts) {
  EXPECT_EQ(outcome.status, QFUSE_INVALID_ARGUMENT);
  for (const std::string& part : parts)
    EXPECT_NE(outcome.message.find(part), std::string::npos) << "'" << outcome.message << "' lacks '" << part << "'";
}

// Expects the refusal of a valid call after `spoil` has changed it.
template <class Op>
void expect_refused(const Op& sample, const std::function<void(Op&)>& spoil, std::initializer_list<std::string> parts) {
  Arena arena;
  Op p = placed(sample, arena);
  spoil(p);
  expect_refused(check(p), parts);
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_REFUSED_H
