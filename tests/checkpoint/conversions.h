// Quantizes or dequantizes the small model (21 tensors, 14 linear), for tests of what both conversions share.
#ifndef QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H
#define QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <qfuse/checkpoint.hpp>
#include <string>

#include "support.h"

namespace qfuse::checkpoint {

// Returns the options of one conversion, with the fields shared by all conversions taken from `common`.
template <class Options>
Options with(const ConversionOptions& common) {
  Options options;
  static_cast<ConversionOptions&>(options) = common;
  return options;
}

struct ConversionCase {
  const char* name;
  const char* input;  // path below tests/golden
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

// Expects that the CPU and the reference device decode the model in directory/in to the same files in every dtype, and
// that compare() finds the model equal to them. weight: the name of a quantized weight, to check its dtype.
inline void expect_every_dtype_alike(const TemporaryDirectory& directory, std::int64_t max_shard_size,
                                     const std::string& weight) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    DequantizeOptions options;
    options.dtype = dtype;
    options.max_shard_size = max_shard_size;
    options.force = true;
    dequantize(directory / "in", directory / "cpu", options);
    EXPECT_TRUE(fs::exists(directory / "cpu/model.safetensors.index.json"));
    EXPECT_EQ(load(directory / "cpu").at(weight).type, type_of_name(dtype));
    options.exec.device = {QFUSE_REFERENCE, 0};
    dequantize(directory / "in", directory / "reference", options);
    EXPECT_TRUE(files_in(directory / "cpu") == files_in(directory / "reference"));
    EXPECT_TRUE(compare(directory / "in", directory / "cpu").equal);
  }
}

inline std::string conversion_name(const testing::TestParamInfo<ConversionCase>& info) { return info.param.name; }

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_CONVERSIONS_H
