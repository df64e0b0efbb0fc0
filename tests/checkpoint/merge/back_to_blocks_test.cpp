// Merges back into FP8, MXFP4 and NVFP4: the codes must be the nearest to the result of a merge to 16 bits, found by an
// fp64 search that shares no code with the encoder, and tensors that no adapter changes must keep their bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "fp8.h"
#include "merging.h"
#include "scaled_4bit.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

// Index of the value nearest to `magnitude`. A tie goes to the even index if to_even, otherwise to the higher one.
std::size_t nearest(const std::vector<double>& ascending, double magnitude, bool to_even) {
  const auto above = std::ranges::lower_bound(ascending, magnitude);
  const auto high = static_cast<std::size_t>(std::min(above, ascending.end() - 1) - ascending.begin());
  if (high == 0 || above == ascending.end()) return high;
  const double down = magnitude - ascending[high - 1];
  const double up = ascending[high] - magnitude;
  if (down == up) return to_even ? high - high % 2 : high;
  return down < up ? high - 1 : high;
}

std::vector<double> magnitudes(int count, float (*value)(int)) {
  std::vector<double> all;
  for (int code = 0; code < count; ++code) all.push_back(value(code));
  return all;
}

char e4m3_code(float value) {
  static const std::vector<double> kValues =
      magnitudes(127, [](int code) { return e4m3_value(static_cast<char>(code)); });
  const std::size_t code = nearest(kValues, std::abs(static_cast<double>(value)), true);
  return static_cast<char>(code | (std::signbit(value) ? 0x80U : 0U));
}

unsigned e2m1_code(float value, bool to_even) {
  static const std::vector<double> kValues =
      magnitudes(8, [](int code) { return e2m1_value(static_cast<unsigned>(code)); });
  const bool is_negative = to_even ? value < 0.0F : std::signbit(value);
  return static_cast<unsigned>(nearest(kValues, std::abs(static_cast<double>(value)), to_even)) |
         (is_negative ? 8U : 0U);
}

// Codes and scales of a matrix [rows, columns] that is encoded in blocks.
struct Blocks {
  std::string codes;
  std::vector<float> scales;
};

Blocks fp8_oracle(const Matrix& matrix, std::int64_t block_rows, std::int64_t block_columns, bool powers = false) {
  Blocks made{std::string(matrix.values.size(), '\0'), {}};
  for (std::int64_t top = 0; top < matrix.rows; top += block_rows)
    for (std::int64_t left = 0; left < matrix.columns; left += block_columns) {
      const std::int64_t bottom = std::min(top + block_rows, matrix.rows);
      const std::int64_t right = std::min(left + block_columns, matrix.columns);
      float absmax = 0.0F;
      for (std::int64_t r = top; r < bottom; ++r)
        for (std::int64_t c = left; c < right; ++c) absmax = std::max(absmax, std::abs(matrix.at(r, c)));
      const float inverse = 1.0F / absmax;
      float factor = absmax == 0.0F ? 1.0F : inverse * 448.0F;
      float scale = 1.0F / factor;
      if (powers) {
        scale = std::exp2(std::ceil(std::log2(scale)));
        factor = 1.0F / scale;
      }
      made.scales.push_back(scale);
      for (std::int64_t r = top; r < bottom; ++r)
        for (std::int64_t c = left; c < right; ++c)
          made.codes[static_cast<std::size_t>(r * matrix.columns + c)] = e4m3_code(matrix.at(r, c) * factor);
    }
  return made;
}

// Encodes in e2m1, in blocks along rows. scale_of(index of the block, absmax) returns the divisor of the block's
// values.
template <class ScaleOf>
Blocks fp4_oracle(const Matrix& matrix, std::int64_t blocksize, bool to_even, ScaleOf scale_of) {
  Blocks made{std::string(matrix.values.size() / 2, '\0'), {}};
  for (std::int64_t r = 0; r < matrix.rows; ++r)
    for (std::int64_t left = 0; left < matrix.columns; left += blocksize) {
      const std::int64_t right = std::min(left + blocksize, matrix.columns);
      float absmax = 0.0F;
      for (std::int64_t c = left; c < right; ++c) absmax = std::max(absmax, std::abs(matrix.at(r, c)));
      const float scale = scale_of(made.scales.size(), absmax);
      made.scales.push_back(scale);
      for (std::int64_t c = left; c < right; ++c) {
        const bool keeps_sign = !to_even && std::signbit(matrix.at(r, c));
        const unsigned code = scale != 0.0F ? e2m1_code(matrix.at(r, c) / scale, to_even) : keeps_sign ? 8U : 0U;
        char& byte = made.codes[static_cast<std::size_t>((r * matrix.columns + c) / 2)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | code << (c % 2 == 0 ? 0U : 4U));
      }
    }
  return made;
}

// Encodes in compressed-tensors' INT4: scales and quotients are rounded to `type`, then to integers, ties to even.
Blocks int4_oracle(const Matrix& matrix, std::int64_t group, const std::string& type) {
  const auto rounded = [&](float value) {
    return type == "BF16" ? values_of({"BF16", {1}, as_bf16({value})})[0] : value;
  };
  Blocks made{std::string(matrix.values.size() / 2, '\0'), {}};
  for (std::int64_t r = 0; r < matrix.rows; ++r)
    for (std::int64_t left = 0; left < matrix.columns; left += group) {
      const std::int64_t right = std::min(left + group, matrix.columns);
      float absmax = 0.0F;
      for (std::int64_t c = left; c < right; ++c) absmax = std::max(absmax, std::abs(matrix.at(r, c)));
      const float scale = rounded(absmax / 7.5F);
      made.scales.push_back(scale);
      for (std::int64_t c = left; c < right; ++c) {
        const float code = std::nearbyint(std::clamp(rounded(matrix.at(r, c) / scale), -8.0F, 7.0F)) + 8.0F;
        char& byte = made.codes[static_cast<std::size_t>((r * matrix.columns + c) / 2)];
        byte = static_cast<char>(static_cast<unsigned char>(byte) | static_cast<unsigned>(code) << (c % 2 * 4));
      }
    }
  return made;
}

std::string e8m0_bytes(const std::vector<float>& scales) {
  std::string bytes;
  for (const float scale : scales)
    bytes += static_cast<char>(scale == 0.0F ? 0 : static_cast<int>(std::lround(std::log2(scale))) + 127);
  return bytes;
}

float power_above_sixth(std::size_t, float absmax) {
  return absmax == 0.0F ? 0.0F : std::exp2(std::ceil(std::log2(absmax / 6.0F)));
}

RawTensors experts_adapter(std::int64_t experts, std::int64_t in, std::int64_t out) {
  const std::string module = kPeft + "mlp.experts";
  return {{module + ".lora_A.weight", random_weight({2 * experts, in}, Dtype::float32, 3)},
          {module + ".lora_B.weight", random_weight({out, 2 * experts}, Dtype::float32, 4)}};
}
const nlohmann::json kOfExperts{
    {"r", 2}, {"target_parameters", {"mlp.experts.gate_up_proj"}}, {"target_modules", nullptr}};
const std::string kGptOss = R"({"model_type": "gpt_oss", "torch_dtype": "bfloat16"})";

class BackToBlocks : public Merge {
 protected:
  // Writes the base, with NaN codes in FP8 replaced by 0.
  void write(RawTensors tensors, const std::string& base_config) {
    for (auto& [name, tensor] : tensors)
      if (tensor.type == "F8_E4M3" && !name.ends_with("_scale"))
        for (char& code : tensor.bytes)
          if ((code & 0x7F) == 0x7F) code = 0;
    write_model(base(), tensors, base_config);
  }
  // Writes small_fp8() and an adapter for both of its weights.
  void write_small_fp8(const RawTensor& scales_of_b) {
    RawTensors tensors = small_fp8();
    tensors["b.weight_scale_inv"] = scales_of_b;
    write(tensors, kFp8Config);
    RawTensors factors = lora("a", 7, 11, 4);
    factors.merge(lora("b", 5, 6, 4));
    write_adapter(adapter(), factors);
  }

  // Returns the output of a merge back, and fills in_16_bits, which plain() reads, by a merge to 16 bits.
  RawTensors back(BlockFormat format) {
    options.to_blocks = format;
    options.fail_below = 0.0;
    in_16_bits = merged();
    return merged(options);
  }
  RawTensors back_refused(BlockFormat format) {
    options.to_blocks = format;
    return merged(options);
  }
  [[nodiscard]] Matrix plain(const std::string& name) const { return matrix_of(in_16_bits.at(name)); }
  // Expects all tensors except `changed` to equal the base's, and those to differ.
  void expect_kept(const RawTensors& out, const Names& changed) const {
    const RawTensors before = load(base());
    ASSERT_EQ(out.size(), before.size());
    for (const auto& [name, tensor] : before) {
      ASSERT_TRUE(out.contains(name)) << name;
      EXPECT_EQ(out.at(name) == tensor, std::ranges::count(changed, name) == 0) << name;
    }
  }

  MergeOptions options;
  RawTensors in_16_bits;
};

TEST_F(BackToBlocks, fp8_in_the_blocks_and_types_of_the_base) {
  write_small_fp8(fp8_scales("BF16", {2, 2}));
  write_file(base() / "hf_quant_config.json", "{}");
  const RawTensors out = back(BlockFormat::fp8);
  merge_to(directory / "out", options);
  const std::string card = read_file(directory / "out/README.md");
  expect_kept(out, {"a.weight", "a.weight_scale_inv", "b.weight", "b.weight_scale_inv"});
  EXPECT_EQ(nlohmann::json::parse(config), nlohmann::json::parse(kFp8Config));
  EXPECT_EQ(std::ranges::count(files, "hf_quant_config.json"), 1) << "as the base's";
  EXPECT_TRUE(holds(card, "- fp8\n"));
  const Blocks a = fp8_oracle(plain("a.weight"), 3, 4);
  EXPECT_TRUE(out.at("a.weight") == (RawTensor{"F8_E4M3", {7, 11}, a.codes}));
  EXPECT_TRUE(out.at("a.weight_scale_inv") == (RawTensor{"F32", {3, 3}, bytes_of(a.scales)}));
  const std::string scales = as_bf16(fp8_oracle(plain("b.weight"), 3, 4).scales);
  EXPECT_TRUE(out.at("b.weight_scale_inv") == (RawTensor{"BF16", {2, 2}, scales}));
}

TEST_F(BackToBlocks, fp8_codes_are_made_by_the_scale_that_is_stored) {
  write({{"a.weight", fp8_codes({60, 64})}, {"a.weight_scale_inv", fp8_scales("BF16", {20, 16})}}, kFp8Config);
  write_adapter(adapter(), lora("a", 60, 64, 4));
  const RawTensors out = back(BlockFormat::fp8);
  const std::vector<float> stored = values_of(out.at("a.weight_scale_inv"));
  const Matrix a = plain("a.weight");
  std::string codes;
  for (std::int64_t r = 0; r < 60; ++r)
    for (std::int64_t c = 0; c < 64; ++c)
      codes += e4m3_code(a.at(r, c) * (1.0F / stored[static_cast<std::size_t>(r / 3 * 16 + c / 4)]));
  EXPECT_TRUE(out.at("a.weight").bytes == codes);
  EXPECT_FALSE(fp8_oracle(a, 3, 4).codes == codes);
}

TEST_F(BackToBlocks, fp8_keeps_values_whose_scale_would_be_zero_in_fp16) {
  const RawTensor codes{"F8_E4M3", {3, 4}, std::string(12, '\x30')};  // 0.5
  const RawTensor least{"F16", {1, 1}, std::string("\x01\x00", 2)};
  write({{"a.weight", codes}, {"a.weight_scale_inv", least}}, kFp8Config);
  RawTensors nothing = lora("a", 3, 4, 4);
  for (auto& [name, tensor] : nothing) std::ranges::fill(tensor.bytes, '\0');
  write_adapter(adapter(), nothing);
  const RawTensors out = back(BlockFormat::fp8);
  EXPECT_TRUE(out.at("a.weight") == codes);
  EXPECT_TRUE(out.at("a.weight_scale_inv") == least);
}

// Each matrix of a stack is split into blocks by itself.
TEST_F(BackToBlocks, fp8_of_ragged_stacks) {
  RawTensor weight = fp8_codes({3, 64, 7});
  write({{"mlp.experts.gate_up_proj", weight}, {"mlp.experts.gate_up_proj_scale_inv", fp8_scales("F32", {3, 22, 2})}},
        R"({"model_type": "gpt_oss", "quantization_config": {"weight_block_size": [3, 4]}})");
  write_adapter(adapter(), experts_adapter(3, 64, 7), kOfExperts);
  const RawTensors out = back(BlockFormat::fp8);
  std::string codes;
  std::string scales;
  const std::vector<float> values = values_of(in_16_bits.at("mlp.experts.gate_up_proj"));
  for (std::int64_t e = 0; e < 3; ++e) {
    const Blocks made = fp8_oracle({64, 7, {values.begin() + e * 64 * 7, values.begin() + (e + 1) * 64 * 7}}, 3, 4);
    codes += made.codes;
    scales += bytes_of(made.scales);
  }
  EXPECT_TRUE(out.at("mlp.experts.gate_up_proj").bytes == codes);
  EXPECT_TRUE(out.at("mlp.experts.gate_up_proj_scale_inv").bytes == scales);
}

TEST_F(BackToBlocks, fp8_whose_scales_are_powers_of_two) {
  write_small_fp8(fp8_scales("F8_E8M0", {2, 2}));
  options.ue8m0 = true;
  const RawTensors out = back(BlockFormat::fp8);
  const Blocks a = fp8_oracle(plain("a.weight"), 3, 4, true);
  EXPECT_TRUE(out.at("a.weight").bytes == a.codes);
  EXPECT_TRUE(out.at("a.weight_scale_inv").bytes == bytes_of(a.scales)) << "in the base's type";
  const Blocks b = fp8_oracle(plain("b.weight"), 3, 4, true);
  EXPECT_TRUE(out.at("b.weight").bytes == b.codes);
  EXPECT_TRUE(out.at("b.weight_scale_inv") == (RawTensor{"F8_E8M0", {2, 2}, e8m0_bytes(b.scales)}));
}

// Larger than a piece, with partial blocks in both directions.
TEST_F(BackToBlocks, fp8_of_several_pieces) {
  constexpr std::int64_t kSide = side_of_pieces(3001);
  constexpr std::int64_t kBlocks = (kSide + 127) / 128;
  write({{"a.weight", fp8_codes({kSide, kSide})}, {"a.weight_scale_inv", fp8_scales("F32", {kBlocks, kBlocks})}}, "{}");
  write_adapter(adapter(), lora("a", kSide, kSide, 4));
  const RawTensors out = back(BlockFormat::fp8);
  const Blocks a = fp8_oracle(plain("a.weight"), 128, 128);
  EXPECT_TRUE(out.at("a.weight").bytes == a.codes);
  EXPECT_TRUE(out.at("a.weight_scale_inv").bytes == bytes_of(a.scales));
}

TEST_F(BackToBlocks, mxfp4_of_gpt_oss_in_the_order_of_the_file) {
  for (const auto& [experts, rows, columns] :
       {std::array<std::int64_t, 3>{2, 6, 64}, {2, 7, 64}, {2, 1, 32}, {1, count_of_pieces(4200), 2080}}) {
    RawTensors tensors = stacked_mxfp4("mlp.experts.gate_up_proj", static_cast<std::size_t>(experts),
                                       static_cast<std::size_t>(rows), static_cast<std::size_t>(columns))
                             .tensors;
    tensors.merge(stacked_mxfp4("mlp.experts.down_proj", 2, 3, 32).tensors);
    write(tensors, kGptOss);
    write_adapter(adapter(), experts_adapter(experts, columns, rows), kOfExperts);
    const RawTensors out = back(BlockFormat::mxfp4);
    const std::string name = "mlp.experts.gate_up_proj";
    expect_kept(out, {name + "_blocks", name + "_scales"});
    std::string codes;
    std::string scales;
    const std::vector<float> values = values_of(in_16_bits.at(name));
    for (std::int64_t e = 0; e < experts; ++e) {
      const Matrix decoded{
          columns, rows, {values.begin() + e * rows * columns, values.begin() + (e + 1) * rows * columns}};
      const Blocks made = fp4_oracle(transpose_of(decoded), 32, false, power_above_sixth);
      codes += made.codes;
      scales += e8m0_bytes(made.scales);
    }
    EXPECT_TRUE(out.at(name + "_blocks").bytes == codes);
    EXPECT_TRUE(out.at(name + "_scales").bytes == scales);
    fs::remove_all(base());
    fs::remove_all(adapter());
  }
}

TEST_F(BackToBlocks, scales_are_kept_where_that_is_asked_for) {
  options.keep_scales = true;
  write_small_fp8(fp8_scales("BF16", {2, 2}));
  RawTensors out = back(BlockFormat::fp8);
  expect_kept(out, {"a.weight", "b.weight"});
  const Matrix a = plain("a.weight");
  for (std::int64_t r = 0; r < 7; ++r)
    for (std::int64_t c = 0; c < 11; ++c)
      EXPECT_EQ(out.at("a.weight").bytes[static_cast<std::size_t>(r * 11 + c)],
                e4m3_code(a.at(r, c) * (1.0F / (0.0625F * static_cast<float>(r / 3 * 3 + c / 4 + 1)))));
  fs::remove_all(base());
  fs::remove_all(adapter());
  const std::string name = "mlp.experts.gate_up_proj";
  write(stacked_mxfp4(name, 3, 6, 64).tensors, kGptOss);
  write_adapter(adapter(), experts_adapter(3, 64, 6), kOfExperts);
  out = back(BlockFormat::mxfp4);
  expect_kept(out, {name + "_blocks"});
  const std::string& scales = out.at(name + "_scales").bytes;
  const std::vector<float> values = values_of(in_16_bits.at(name));
  std::string codes;
  for (std::int64_t e = 0; e < 3; ++e)
    codes += fp4_oracle(transpose_of({64, 6, {values.begin() + e * 384, values.begin() + (e + 1) * 384}}), 32, false,
                        [&](std::size_t block, float) {
                          return e8m0_value(scales.at(static_cast<std::size_t>(e) * 12 + block));
                        })
                 .codes;
  EXPECT_TRUE(out.at(name + "_blocks").bytes == codes);
  options.to_blocks.reset();
  EXPECT_REFUSED(Status::invalid_argument, "`keep_scales` is of nf4, fp4, fp8, mxfp4, nvfp4 and int4", merged(options));
}

TEST_F(BackToBlocks, nvfp4_keeps_its_scales) {
  for (const Names4bit& names : {kPackedNvfp4, kModelopt}) {
    RawTensors tensors = made_fp4("n", names, 9, 42).tensors;
    std::string& scales = tensors.at("n.weight_scale").bytes;
    for (char& byte : scales) byte = static_cast<char>(byte & 0x3F);  // no NaN, no negative numbers
    scales[0] = 0;
    tensors["n.input_scale"] = f32({1.0F});
    write(tensors, "{}");
    write_adapter(adapter(), lora("n", 9, 42, 4));
    const RawTensors out = back(BlockFormat::nvfp4);
    const std::string codes = std::string("n.") + names.codes;
    expect_kept(out, {codes});
    const Blocks made = fp4_oracle(plain("n.weight"), 16, true, [&](std::size_t block, float) {
      const float scale = e4m3_value(scales.at(block));
      return names.is_divisor ? scale / 3.7F : scale * 3.7F;
    });
    EXPECT_TRUE(out.at(codes).bytes == made.codes) << names.codes;
    fs::remove_all(base());
    fs::remove_all(adapter());
  }
}

// Each weight keeps its own format.
constexpr const char* kInt4Config = R"({"quantization_config": {"quant_method": "compressed-tensors", "config_groups":
    {"g": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}}}})";

TEST_F(BackToBlocks, int4_in_the_groups_and_types_of_the_base) {
  RawTensors tensors = packed_int4("a", 9, 96, 32).tensors;
  tensors.merge(packed_int4("b", 5, 64, 32, "F32").tensors);
  tensors.merge(packed_int4("c", 5, 64, 32).tensors);
  write(tensors, kInt4Config);
  RawTensors factors = lora("a", 9, 96, 4);
  factors.merge(lora("b", 5, 64, 4));
  write_adapter(adapter(), factors);
  const RawTensors out = back(BlockFormat::int4);
  expect_kept(out, {"a.weight_packed", "a.weight_scale", "b.weight_packed", "b.weight_scale"});
  const Blocks a = int4_oracle(plain("a.weight"), 32, "BF16");
  EXPECT_TRUE(out.at("a.weight_packed").bytes == a.codes);
  EXPECT_TRUE(out.at("a.weight_scale").bytes == as_bf16(a.scales));
  const Blocks b = int4_oracle(plain("b.weight"), 32, "F32");
  EXPECT_TRUE(out.at("b.weight_packed").bytes == b.codes);
  EXPECT_TRUE(out.at("b.weight_scale").bytes == bytes_of(b.scales));
  options.keep_scales = true;
  expect_kept(back(BlockFormat::int4), {"a.weight_packed", "b.weight_packed"});
}

TEST_F(BackToBlocks, int4_that_ends_within_a_word_is_refused) {
  write(packed_int4("a", 9, 36, 32).tensors, kInt4Config);
  write_adapter(adapter(), lora("a", 9, 36, 4));
  EXPECT_REFUSED(Status::unsupported, "has 36 columns, which do not fill words of 8 codes: merge to 16 bits",
                 back_refused(BlockFormat::int4));
}

TEST_F(BackToBlocks, a_model_of_two_formats) {
  RawTensors tensors = made_fp4("x", kDeepseek, 5, 64).tensors;
  tensors.merge(RawTensors{{"a.weight", fp8_codes({4, 8})}, {"a.scale", fp8_scales("F8_E8M0", {1, 1})}});
  tensors["a.weight"].bytes = std::string(32, '\x38');
  write(tensors, "{}");
  RawTensors factors = lora("a", 4, 8, 4);
  factors.merge(lora("x", 5, 64, 4));
  write_adapter(adapter(), factors);
  const RawTensors out = back(BlockFormat::mxfp4);
  const Blocks x = fp4_oracle(plain("x.weight"), 32, false, power_above_sixth);
  EXPECT_TRUE(out.at("x.weight").bytes == x.codes);
  EXPECT_TRUE(out.at("x.scale").bytes == e8m0_bytes(x.scales));
  const Blocks a = fp8_oracle(plain("a.weight"), 128, 128, true);
  EXPECT_TRUE(out.at("a.weight").bytes == a.codes);
  EXPECT_TRUE(out.at("a.scale").bytes == e8m0_bytes(a.scales));
  EXPECT_TRUE(out == back(BlockFormat::fp8));
}

TEST_F(BackToBlocks, fp8_of_a_plain_base) {
  write_base({{kUp + ".weight", random_weight({256, 384})},
              {kDown + ".weight", random_weight({384, 256}, Dtype::float16, 2)},
              {"model.layers.0.self_attn.k_proj.weight", random_weight({64, 256}, Dtype::bfloat16, 3)},
              {"lm_head.weight", random_weight({128, 256}, Dtype::bfloat16, 4)}});
  write_adapter(adapter(), lora(kUp, 256, 384, 4));
  const RawTensors out = back(BlockFormat::fp8);
  for (const std::string& module : {kUp, kDown}) {
    const Blocks made = fp8_oracle(plain(module + ".weight"), 128, 128);
    EXPECT_TRUE(out.at(module + ".weight").bytes == made.codes);
    EXPECT_TRUE(out.at(module + ".weight_scale_inv").bytes == bytes_of(made.scales));
  }
  EXPECT_EQ(out.size(), 6U);
  const auto record = nlohmann::json::parse(config)["quantization_config"];
  EXPECT_EQ(record["weight_block_size"], nlohmann::json({128, 128}));
  EXPECT_EQ(record["modules_to_not_convert"], nlohmann::json({"lm_head", "model.layers.0.self_attn.k_proj"}));
  EXPECT_TRUE(std::ranges::any_of(report.notes, [](const std::string& note) { return holds(note, "whole blocks"); }));
  options.base_as = QuantType::nf4;  // as a QLoRA adapter saw it
  const RawTensors seen = merged(options);
  options.to_blocks.reset();
  const Matrix of_seen = matrix_of(merged(options).at(kUp + ".weight"));
  EXPECT_TRUE(seen.at(kUp + ".weight").bytes == fp8_oracle(of_seen, 128, 128).codes);
  options.to_blocks = BlockFormat::fp8;
  options.base_as.reset();
  options.exclude = {"*down_proj*"};
  EXPECT_EQ(merged(options).size(), 5U);
  options.include = {"*k_proj*"};
  EXPECT_REFUSED(Status::invalid_argument, "not whole blocks of 128 x 128: `include` cannot name it", merged(options));
}

TEST_F(BackToBlocks, shards_and_threads_give_the_same_bytes) {
  write_small_fp8(fp8_scales("BF16", {2, 2}));
  options.max_shard_size = 100;
  const RawTensors whole = back(BlockFormat::fp8);
  for (const std::int64_t index : {0, 1}) {
    options.shard = Shard{index, 2};
    merge_to(directory / "out", options);
  }
  finish(directory / "out");
  EXPECT_TRUE(load(directory / "out") == whole);
}

// With the old scales, no value changes its code.
TEST_F(BackToBlocks, an_adapter_that_is_lost_is_refused) {
  RawTensors tensors = made_fp4("n", kPackedNvfp4, 9, 42).tensors;
  for (char& byte : tensors.at("n.weight_scale").bytes) byte = '\x38';
  tensors["n.weight_global_scale"] = f32({2.0F});  // so that decoded values are exact in 16 bits
  write(tensors, "{}");
  write_adapter(adapter(), lora("n", 9, 42, 4));
  const std::vector<AdapterInput> faint{{adapter(), 1e-6}};
  options.to_blocks = BlockFormat::nvfp4;
  EXPECT_REFUSED(Status::invalid_data, "of what the adapter adds, 0.0 % is left when the sum is quantized",
                 merged(options, faint));
  options.dry_run = true;
  EXPECT_TRUE(holds(merge(base(), faint, directory / "out", options).refused, "of what the adapter adds, "));
  options.dry_run = false;
  options.fail_below = 0.0;
  merged(options, faint);
  EXPECT_EQ(report.merged.at(0).survival, 0.0);
}

TEST_F(BackToBlocks, what_cannot_be_encoded_is_refused) {
  RawTensors tensors = small_fp8();
  tensors.merge(packed_int4("i", 3, 32, 0, "BF16", false).tensors);
  write(tensors, R"({"quantization_config": {"weight_block_size": [3, 4], "config_groups": {"g": {"weights":
                  {"num_bits": 4, "type": "int", "group_size": 32, "symmetric": false}}}}})");
  write_adapter(adapter(), lora("i", 3, 32, 4));
  EXPECT_REFUSED(Status::unsupported, "has zero points, which calibration chose: merge to 16 bits",
                 back_refused(BlockFormat::fp8));
  EXPECT_REFUSED(Status::invalid_argument, "its weights are fp8, int4, and cannot become mxfp4",
                 back_refused(BlockFormat::mxfp4));
  options.dtype = Dtype::float16;
  EXPECT_REFUSED(Status::invalid_argument, "the output is fp8: neither a dtype nor", back_refused(BlockFormat::fp8));
  options.dtype.reset();
  options.ue8m0 = true;
  EXPECT_REFUSED(Status::invalid_argument, "`ue8m0` is of fp8", back_refused(BlockFormat::mxfp4));
}

TEST_F(BackToBlocks, a_plain_base_becomes_no_fp4_of_blocks) {
  write_base(layers());
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  EXPECT_REFUSED(Status::invalid_argument, "is not quantized; of such a base fp8, nf4 and fp4 are made",
                 back_refused(BlockFormat::nvfp4));
  EXPECT_REFUSED(Status::invalid_data, "is the weight of a linear layer of whole blocks of 128 x 128",
                 back_refused(BlockFormat::fp8));
}

TEST_F(BackToBlocks, what_is_not_finite_has_no_scale) {
  RawTensors tensors = small_fp8();
  tensors["a.weight"].bytes[5] = 0x7F;
  write_model(base(), tensors, kFp8Config);
  write_adapter(adapter(), lora("a", 7, 11, 4));
  EXPECT_REFUSED(Status::invalid_data, "it has NaN or infinity, which codes with scales of blocks cannot hold",
                 back_refused(BlockFormat::fp8));
}

TEST_F(BackToBlocks, one_scale_for_a_large_tensor_is_refused) {
  write({{"a.weight", {"F8_E4M3", {8193, 8192}, std::string(std::size_t{8193} * 8192, '\x30')}},
         {"a.weight_scale", f32({1.0F})}},
        "{}");
  write_adapter(adapter(), lora("a", 8193, 8192, 4));
  EXPECT_REFUSED(Status::unsupported, "of its elements share a scale", back_refused(BlockFormat::fp8));
}

}  // namespace
}  // namespace qfuse::checkpoint
