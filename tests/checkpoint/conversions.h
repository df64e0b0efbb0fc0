// Both conversions, for tests of what they have in common: of the small model, which has 21 tensors, 14 of them linear.
#ifndef QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H
#define QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "support.h"

namespace qfuse::checkpoint {

// The options of a conversion, with those that it shares with others.
template <class Options>
Options with(const ConversionOptions& common) {
  Options options;
  static_cast<ConversionOptions&>(options) = common;
  return options;
}

struct ConversionCase {
  const char* name;
  const char* input;  // below tests/golden
  ConversionReport (*convert)(const fs::path& in, const fs::path& out, const ConversionOptions& options);

  ConversionReport operator()(const fs::path& out, const ConversionOptions& options = {}) const {
    return convert(golden(input), out, options);
  }
};

inline const std::array kConversions{
    ConversionCase{"dequantize", "tiny_llama/bnb4",
                   [](const fs::path& in, const fs::path& out, const ConversionOptions& options) {
                     return dequantize(in, out, with<DequantizeOptions>(options));
                   }},
    ConversionCase{"quantize", "tiny_llama/full",
                   [](const fs::path& in, const fs::path& out, const ConversionOptions& options) {
                     return quantize(in, out, with<QuantizeOptions>(options));
                   }}};

inline std::string conversion_name(const testing::TestParamInfo<ConversionCase>& info) { return info.param.name; }

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H
