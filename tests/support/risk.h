// The name of a parametrized test: the risk of its case, in letters that GoogleTest takes.
#ifndef QFUSE_TESTS_SUPPORT_RISK_H
#define QFUSE_TESTS_SUPPORT_RISK_H

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace qfuse::tests {

template <class Case>
std::string risk_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.risk;
  std::ranges::replace_if(
      name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

}  // namespace qfuse::tests

#endif  // QFUSE_TESTS_SUPPORT_RISK_H
