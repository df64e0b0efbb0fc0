// 4-bit test weights with block scales, as libraries store them, and their decoded values in plain arithmetic. Nothing
// here uses the code under test.
#ifndef QFUSE_TESTS_CHECKPOINT_SCALED_4BIT_H
#define QFUSE_TESTS_CHECKPOINT_SCALED_4BIT_H

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fp8.h"
#include "support.h"

namespace qfuse::checkpoint {

struct Made4bit {
  RawTensors tensors = {};
  std::string name = {};  // of the decoded tensor
  std::vector<std::int64_t> shape = {};
  std::vector<float> values = {};

  [[nodiscard]] RawTensor decoded() const { return {"BF16", shape, as_bf16(values)}; }
};

// Layout of a matrix's elements: nibbles, `row_bytes` per row, with a scale and a zero point for each block.
struct Matrix4bit {
  std::size_t rows;
  std::size_t columns;
  std::size_t row_bytes;
  std::size_t blocksize;

  [[nodiscard]] std::size_t blocks() const { return (columns + blocksize - 1) / blocksize; }
  [[nodiscard]] std::size_t block(std::size_t row, std::size_t column) const {
    return row * blocks() + column / blocksize;
  }
  [[nodiscard]] unsigned nibble(const std::string& codes, std::size_t row, std::size_t column) const {
    const auto byte = static_cast<unsigned char>(codes.at(row * row_bytes + column / 2));
    return column % 2 == 0 ? byte & 15U : byte >> 4;
  }
};

inline std::string random_bytes(std::size_t size, unsigned seed, unsigned first = 0, unsigned last = 255) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<unsigned> one(first, last);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(one(random));
  return bytes;
}

inline float e2m1_value(unsigned nibble) {
  constexpr std::array<float, 8> kValues{0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
  return (nibble & 8U) != 0 ? -kValues.at(nibble & 7U) : kValues.at(nibble);
}

inline float e8m0_value(char scale) { return std::ldexp(1.0F, static_cast<unsigned char>(scale) - 127); }

inline std::vector<std::int64_t> sizes(std::size_t a, std::size_t b) {
  return {static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)};
}

// compressed-tensors' INT4. `group`: columns per group; 0: a whole row. Has zero points unless `is_symmetric`.
inline Made4bit packed_int4(const std::string& module, std::size_t rows, std::size_t columns, std::size_t group,
                            const std::string& scale_type = "BF16", bool is_symmetric = true, unsigned seed = 1) {
  const Matrix4bit matrix{rows, columns, (columns + 7) / 8 * 4, group == 0 ? columns : group};
  const std::string codes = random_bytes(rows * matrix.row_bytes, seed);
  constexpr std::size_t kScales = 200;  // distinct scales, exact in BF16, which repeat
  const RawTensor some = fp8_scales(scale_type, {kScales});
  const std::size_t scale_bytes = some.bytes.size() / kScales;
  const std::size_t word_rows = (rows + 7) / 8;
  const std::string zeros = random_bytes(word_rows * matrix.blocks() * 4, seed + 1);
  Made4bit made{{}, module + ".weight", sizes(rows, columns), {}};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t word = r / 8 * matrix.blocks() + c / matrix.blocksize;
      const auto pair = static_cast<unsigned char>(zeros.at(word * 4 + r % 8 / 2));
      const unsigned zero = is_symmetric ? 8U : r % 2 == 0 ? pair & 15U : pair >> 4;
      const auto code = static_cast<float>(static_cast<int>(matrix.nibble(codes, r, c)) - static_cast<int>(zero));
      made.values.push_back(code * scale_value(some, matrix.block(r, c) % kScales));
    }
  made.tensors[made.name + "_packed"] = {"I32", sizes(rows, matrix.row_bytes / 4), codes};
  made.tensors[made.name + "_scale"] = {scale_type, sizes(rows, matrix.blocks()),
                                        repeated(some.bytes, rows * matrix.blocks() * scale_bytes)};
  made.tensors[made.name + "_shape"] = {
      "I64", {2}, bytes_of<std::int64_t>({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)})};
  if (!is_symmetric) made.tensors[made.name + "_zero_point"] = {"I32", sizes(word_rows, matrix.blocks()), zeros};
  return made;
}

// Tensor names, types and conventions of one library's 4-bit floats.
struct Names4bit {
  const char* codes;
  const char* codes_type;
  const char* scales;
  const char* scales_type;
  const char* global = "";
  bool is_divisor = false;
  bool is_zero_unsigned = false;
};
inline constexpr Names4bit kPackedMxfp4{"weight_packed", "U8", "weight_scale", "U8"};
inline constexpr Names4bit kPackedNvfp4{"weight_packed", "U8", "weight_scale", "F8_E4M3", "weight_global_scale", true};
inline constexpr Names4bit kModelopt{"weight", "U8", "weight_scale", "F8_E4M3", "weight_scale_2", false, true};
inline constexpr Names4bit kDeepseek{"weight", "I8", "scale", "F8_E8M0"};

inline Made4bit made_fp4(const std::string& module, const Names4bit& names, std::size_t rows, std::size_t columns,
                         unsigned seed = 1) {
  const bool is_nvfp4 = std::string(names.scales_type) == "F8_E4M3";
  constexpr float kGlobal = 3.7F;
  const Matrix4bit matrix{rows, columns, columns / 2, is_nvfp4 ? 16U : 32U};
  const std::string codes = random_bytes(rows * matrix.row_bytes, seed);
  const std::size_t count = rows * matrix.blocks();
  const std::string scales = is_nvfp4 ? random_bytes(count, seed + 1) : random_bytes(count, seed + 1, 100, 150);
  Made4bit made{{}, module + ".weight", sizes(rows, columns), {}};
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const char byte = scales.at(matrix.block(r, c));
      const float scale = !is_nvfp4          ? e8m0_value(byte)
                          : names.is_divisor ? e4m3_value(byte) / kGlobal
                                             : e4m3_value(byte) * kGlobal;
      const unsigned nibble = matrix.nibble(codes, r, c);
      made.values.push_back((names.is_zero_unsigned && nibble == 8 ? 0.0F : e2m1_value(nibble)) * scale);
    }
  made.tensors[module + "." + names.codes] = {names.codes_type, sizes(rows, matrix.row_bytes), codes};
  made.tensors[module + "." + names.scales] = {names.scales_type, sizes(rows, matrix.blocks()), scales};
  if (*names.global != '\0')
    made.tensors[module + "." + names.global] = {
        "F32", names.is_divisor ? std::vector<std::int64_t>{1} : std::vector<std::int64_t>{},
        bytes_of<float>({kGlobal})};
  return made;
}

// transformers' gpt-oss stack, whose decoded matrices are transposed.
inline Made4bit stacked_mxfp4(const std::string& name, std::size_t experts, std::size_t rows, std::size_t columns,
                              unsigned seed = 1) {
  const Made4bit all = made_fp4("x", kPackedMxfp4, experts * rows, columns, seed);
  const auto size = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  Made4bit made{{}, name, {size(experts), size(columns), size(rows)}, {}};
  for (std::size_t e = 0; e < experts; ++e)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r) made.values.push_back(all.values[(e * rows + r) * columns + c]);
  made.tensors[name + "_blocks"] = {
      "U8", {size(experts), size(rows), size(columns / 32), 16}, all.tensors.at("x.weight_packed").bytes};
  made.tensors[name + "_scales"] = {
      "U8", {size(experts), size(rows), size(columns / 32)}, all.tensors.at("x.weight_scale").bytes};
  return made;
}

// One weight of each layout, a plain tensor, and tensors that a decoded model lacks. `decoded` is the expected result.
struct Model4bit {
  RawTensors tensors;
  RawTensors decoded;
};

inline Model4bit small_4bit() {
  Model4bit model;
  const auto add = [&](const Made4bit& made) {
    model.tensors.insert(made.tensors.begin(), made.tensors.end());
    model.decoded[made.name] = made.decoded();
  };
  add(packed_int4("a", 5, 37, 16));
  add(packed_int4("b", 9, 20, 16, "BF16", false));
  add(packed_int4("c", 4, 11, 0, "F32"));
  add(made_fp4("m", kPackedMxfp4, 3, 70));
  add(made_fp4("n", kPackedNvfp4, 3, 42));
  add(made_fp4("o", kModelopt, 3, 42));
  add(made_fp4("p", kDeepseek, 3, 70));
  add(stacked_mxfp4("mlp.experts.gate_up_proj", 2, 6, 64));
  model.tensors["norm.weight"] = model.decoded["norm.weight"] = f32({1.0F, 2.0F});
  model.tensors["n.input_global_scale"] = f32({2.0F});
  model.tensors["o.input_scale"] = {"F32", {}, bytes_of<float>({0.5F})};
  model.tensors["l.k_proj.k_scale"] = {"F32", {}, bytes_of<float>({0.5F})};  // for a plain layer's outputs
  return model;
}

inline const char* const k4bitConfig =
    R"({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "compressed-tensors", "format": )"
    R"("mixed-precision", "ignore": ["lm_head"], "config_groups": {)"
    R"("0": {"targets": ["Linear"], "format": "pack-quantized", "weights": {"num_bits": 4, "type": "int", )"
    R"("group_size": 16, "symmetric": true, "strategy": "group"}}, )"
    R"("1": {"targets": ["re:.*b"], "weights": {"num_bits": 4, "type": "int", "group_size": 16, "symmetric": false}}, )"
    R"("2": {"targets": ["c"], "weights": {"num_bits": 4, "type": "int", "group_size": null, "strategy": "channel"}}, )"
    R"("3": {"weights": {"num_bits": 4, "type": "float", "group_size": 32}, "format": "mxfp4-pack-quantized"}, )"
    R"("4": {"weights": {"num_bits": 4, "type": "float", "group_size": 16, "strategy": "tensor_group"}}, )"
    R"("5": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}}})";

}  // namespace qfuse::checkpoint

#endif  // QFUSE_TESTS_CHECKPOINT_SCALED_4BIT_H
