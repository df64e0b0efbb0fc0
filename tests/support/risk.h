// The name of a parametrized test: its case's risk, in characters that GoogleTest allows.
#ifndef QFUSE_TESTS_SUPPORT_RISK_H
#define QFUSE_TESTS_SUPPORT_RISK_H

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace qfuse::tests {

template <class Case>
std::string risk_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.risk;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Index of a case among its op's cases. Tests that rotate through options start each case with a different one.
template <class Case, std::size_t kCount>
std::size_t place_in(const std::array<Case, kCount>& cases, const Case& one) {
  const auto is_it = [&](const Case& other) { return std::string_view(other.risk) == one.risk; };
  return static_cast<std::size_t>(std::ranges::find_if(cases, is_it) - cases.begin());
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RISK_H
