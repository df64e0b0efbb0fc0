// GPTQ and AWQ test weights, and their decoded values, read word by word. Nothing here uses the code under test.
#ifndef QFUSE_TESTS_CHECKPOINT_GPTQ_H
#define QFUSE_TESTS_CHECKPOINT_GPTQ_H

#include <array>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fp8.h"
#include "support.h"

namespace qfuse::checkpoint {

struct GptqKind {
  const char* record;  // fields of quantization_config except the group size
  bool is_awq = false;
  bool stores_one_less = false;
};

inline const GptqKind kGptq1{R"("quant_method": "gptq", "bits": 4)", false, true};
inline const GptqKind kGptq2{R"("quant_method": "gptq", "bits": 4, "checkpoint_format": "gptq_v2")"};
inline const GptqKind kAwq{R"("quant_method": "awq", "bits": 4, "version": "gemm")", true};

inline std::string gptq_config(const GptqKind& kind, std::size_t group_size = 8) {
  return R"({"torch_dtype": "bfloat16", "quantization_config": {)" + std::string(kind.record) + R"(, "group_size": )" +
         std::to_string(group_size) + "}}";
}

struct GptqSize {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t groups = 0;
};

inline std::size_t ceil_of_8(std::size_t count) { return (count + 7) / 8; }

inline RawTensor i32(std::vector<std::int64_t> shape, std::string bytes) {
  return {"I32", std::move(shape), std::move(bytes)};
}

// Returns random words; every word is valid as codes or as zero points.
inline RawTensor random_words(std::vector<std::int64_t> shape, unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(4 * elements_of(shape), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return i32(std::move(shape), std::move(bytes));
}

inline RawTensors gptq_parts(const std::string& module, const GptqKind& kind, const GptqSize& size,
                             const std::string& scale_type = "F16", unsigned seed = 1) {
  const auto sizes = [](std::size_t a, std::size_t b) {
    return std::vector<std::int64_t>{static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
  };
  return {{module + ".qweight",
           random_words(kind.is_awq ? sizes(size.columns, size.rows / 8) : sizes(ceil_of_8(size.columns), size.rows),
                        seed)},
          {module + ".qzeros", random_words(sizes(size.groups, ceil_of_8(size.rows)), seed + 1)},
          {module + ".scales", fp8_scales(scale_type, sizes(size.groups, size.rows))}};
}

// The g_idx tensor of a GPTQ weight: the group of each column.
inline RawTensor g_idx_of(const std::vector<std::int32_t>& groups) {
  return i32({static_cast<std::int64_t>(groups.size())}, bytes_of(groups));
}

inline std::uint32_t word_at(const RawTensor& words, std::size_t i) {
  std::uint32_t word = 0;
  std::memcpy(&word, &words.bytes[4 * i], sizeof word);
  return word;
}

// Returns the eight codes or zero points of a word in index order.
inline std::array<int, 8> numbers_of(std::uint32_t word, const GptqKind& kind, bool are_zeros = false) {
  constexpr std::array<std::size_t, 8> kAwqOrder{0, 2, 4, 6, 1, 3, 5, 7};  // index of each nibble, lowest nibble first
  std::array<int, 8> numbers{};
  int carried = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    int number = static_cast<int>((word >> (4 * i)) & 15U);
    if (are_zeros && kind.stores_one_less) {
      number += 1 + carried;
      carried = number / 16;
      number %= 16;
    }
    numbers[kind.is_awq ? kAwqOrder[i] : i] = number;
  }
  return numbers;
}

// Uses the column's group in g_idx. Without g_idx, groups are consecutive columns.
inline float gptq_value(const RawTensors& parts, const std::string& module, const GptqKind& kind, const GptqSize& size,
                        std::size_t row, std::size_t column, std::size_t group_size) {
  const RawTensor& words = parts.at(module + ".qweight");
  const std::size_t at = kind.is_awq ? column * (size.rows / 8) + row / 8 : column / 8 * size.rows + row;
  const int code = numbers_of(word_at(words, at), kind)[kind.is_awq ? row % 8 : column % 8];
  std::size_t group = column / group_size;
  if (const auto g_idx = parts.find(module + ".g_idx"); g_idx != parts.end()) group = word_at(g_idx->second, column);
  const int zero =
      numbers_of(word_at(parts.at(module + ".qzeros"), group * ceil_of_8(size.rows) + row / 8), kind, true)[row % 8];
  return static_cast<float>(code - zero) * scale_value(parts.at(module + ".scales"), group * size.rows + row);
}

inline RawTensor gptq_decoded(const RawTensors& parts, const std::string& module, const GptqKind& kind,
                              const GptqSize& size, std::size_t group_size) {
  std::vector<float> values;
  for (std::size_t row = 0; row < size.rows; ++row)
    for (std::size_t column = 0; column < size.columns; ++column)
      values.push_back(gptq_value(parts, module, kind, size, row, column, group_size));
  return {"BF16", {static_cast<std::int64_t>(size.rows), static_cast<std::int64_t>(size.columns)}, as_bf16(values)};
}

// Two weights, a bias and a plain tensor. For GPTQ, g_idx of weight "a" assigns its columns to groups out of order.
inline constexpr GptqSize kSmallA{8, 24, 3};
inline constexpr GptqSize kSmallB{16, 16, 2};
inline RawTensors small_gptq(const GptqKind& kind) {
  RawTensors tensors = gptq_parts("a", kind, kSmallA);
  tensors.merge(gptq_parts("b", kind, kSmallB, "BF16", 5));
  if (!kind.is_awq) {
    std::vector<std::int32_t> groups;
    for (std::int32_t i = 0; i < 24; ++i) groups.push_back(i * 7 % 24 / 8);
    tensors["a.g_idx"] = g_idx_of(groups);
  }
  tensors["a.bias"] = f32({1, 2, 3, 4, 5, 6, 7, 8});
  tensors["norm.weight"] = f32({1, 2});
  return tensors;
}

inline RawTensors small_gptq_decoded(const GptqKind& kind) {
  const RawTensors in = small_gptq(kind);
  return {{"a.weight", gptq_decoded(in, "a", kind, kSmallA, 8)},
          {"b.weight", gptq_decoded(in, "b", kind, kSmallB, 8)},
          {"a.bias", in.at("a.bias")},
          {"norm.weight", in.at("norm.weight")}};
}

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_GPTQ_H
