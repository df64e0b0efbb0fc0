// FP8 test weights, and their decoded values in plain arithmetic. Nothing here uses the code under test.
#ifndef QFUSE_TESTS_CHECKPOINT_FP8_H
#define QFUSE_TESTS_CHECKPOINT_FP8_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support.h"

namespace qfuse::checkpoint {

inline const char* const kFp8Config =
    R"({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "fp8", "weight_block_size": [3, 4]}})";

// Returns random codes; every byte is a valid code.
inline RawTensor fp8_codes(std::vector<std::int64_t> shape, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string bytes(elements_of(shape), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return {"F8_E4M3", std::move(shape), bytes};
}

// Returns scales that all differ and have few bits, so that BF16 and F16 hold them exactly. E8M0 gets powers of two.
inline RawTensor fp8_scales(const std::string& type, std::vector<std::int64_t> shape) {
  RawTensor scales{type, std::move(shape), ""};
  for (std::size_t i = 0; i < elements_of(scales.shape); ++i) {
    const float value = 0.0625F * static_cast<float>(i + 1);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t exponent = (bits >> 23) - 112;
    const std::uint32_t stored = type == "F32"    ? bits
                                 : type == "BF16" ? bits >> 16
                                 : type == "F16"  ? (exponent << 10) | ((bits >> 13) & 0x3FFU)
                                                  : 120 + static_cast<std::uint32_t>(i);
    scales.bytes.append(reinterpret_cast<const char*>(&stored), type == "F32" ? 4U : type.ends_with("16") ? 2U : 1U);
  }
  return scales;
}

inline float e4m3_value(char code) {
  const auto bits = static_cast<unsigned char>(code);
  const int exponent = (bits >> 3) & 15;
  const int fraction = bits & 7;
  const float magnitude = (bits & 0x7F) == 0x7F ? std::numeric_limits<float>::quiet_NaN()
                          : exponent == 0       ? std::ldexp(static_cast<float>(fraction), -9)
                                                : std::ldexp(static_cast<float>(8 + fraction), exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

inline float scale_value(const RawTensor& scales, std::size_t i) {
  if (scales.type == "F8_E8M0" || scales.type == "U8")
    return std::ldexp(1.0F, static_cast<unsigned char>(scales.bytes[i]) - 127);
  return 0.0625F * static_cast<float>(i + 1);  // as in fp8_scales()
}

// Returns the fp32 values of consecutive [rows, columns] matrices. Each matrix has its own blocks.
inline std::vector<float> fp8_values(const RawTensor& codes, const RawTensor& scales, std::size_t rows,
                                     std::size_t columns, std::size_t block_rows, std::size_t block_columns) {
  const std::size_t scale_rows = (rows + block_rows - 1) / block_rows;
  const std::size_t scale_columns = (columns + block_columns - 1) / block_columns;
  std::vector<float> values;
  for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
    const std::size_t row = i / columns % rows;
    const std::size_t scale =
        (i / columns / rows * scale_rows + row / block_rows) * scale_columns + i % columns / block_columns;
    values.push_back(e4m3_value(codes.bytes[i]) * scale_value(scales, scale));
  }
  return values;
}

// Rounds like the decoder: to nearest even, and every NaN to 7fff.
inline std::string as_bf16(const std::vector<float>& values) {
  std::string bytes;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    const std::uint32_t rounded = std::isnan(value) ? 0x7FFFU : (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
    bytes.append(reinterpret_cast<const char*>(&rounded), 2);
  }
  return bytes;
}

// A model of two FP8 weights with 3 x 4 blocks (partial at the edges), a plain tensor, and activation scales.
inline RawTensors small_fp8() {
  return {{"a.weight", fp8_codes({7, 11})},
          {"a.weight_scale_inv", fp8_scales("F32", {3, 3})},
          {"a.input_scale", f32({2.0F})},
          {"b.weight", fp8_codes({5, 6}, 2)},
          {"b.weight_scale_inv", fp8_scales("BF16", {2, 2})},
          {"b.k_scale", {"F32", {}, bytes_of<float>({0.5F})}},
          {"norm.weight", f32({1.0F, 2.0F})}};
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_FP8_H
