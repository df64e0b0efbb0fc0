// Dequantizes FP8 checkpoints from file to file. dequantize_formats_test.cpp has what all formats share.
#include <fmt/format.h>

#include <qfuse/checkpoint.hpp>

#include "adapters.h"
#include "fp8.h"

namespace qfuse::checkpoint {
namespace {

nlohmann::json written_config(const fs::path& directory) {
  return nlohmann::json::parse(read_file(directory / "config.json"));
}

// vLLM reads hf_quant_config.json, which is beside config.json, as the quantization config of the model.
TEST(DequantizeFp8, records_of_other_tools_go_too) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_fp8(),
              R"({"compression_config": {"ignore": ["re:lm_.*"], "config_groups": {"0": {"weights": {"num_bits": 8, )"
              R"("type": "float", "block_structure": [3, 4]}}}}, "dtype": "bfloat16"})");
  write_file(directory / "in/hf_quant_config.json", "{}");
  write_file(directory / "in/tokenizer.json", "{}");
  const ConversionReport report = dequantize(directory / "in", directory / "out");
  EXPECT_EQ(names_in(directory / "out"), (Names{"config.json", "model.safetensors", "tokenizer.json"}));
  EXPECT_EQ(written_config(directory / "out"), nlohmann::json({{"dtype", "bfloat16"}}));
  EXPECT_TRUE(holds(report.notes[2], "hf_quant_config.json is left out: it says that the model is quantized"));
}

Names notes_with(const std::string& lists) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_fp8();
  for (const std::string layer : {"layers.0.q_proj", "layers.1.q_proj"}) {
    tensors[layer + ".weight"] = fp8_codes({3, 4});
    tensors[layer + ".weight_scale_inv"] = f32({1});
  }
  tensors["layers.2.q_proj.weight"] = random_weight({3, 4});
  write_model(directory / "in", tensors, R"({"quantization_config": {"weight_block_size": [3, 4], )" + lists + "}}");
  Names notes = dequantize(directory / "in", directory / "out").notes;
  return {notes.begin() + 2, notes.end()};  // skips the notes on the model's family and on activation scales
}

TEST(DequantizeFp8, what_config_says_otherwise_is_said) {
  const auto expect = [](const std::string& lists, const Names& parts) {
    SCOPED_TRACE(lists);
    const Names notes = notes_with(lists);
    ASSERT_EQ(notes.size(), parts.size()) << (notes.empty() ? "" : notes.front());
    for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(holds(notes[i], parts[i]));
  };
  const std::string unlisted =
      "1 weights are not quantized, as that of 'layers.2.q_proj', where the same layers of other";
  expect(R"("quant_method": "fp8", "ignored_layers": null)", {unlisted});
  expect(R"("quant_method": "compressed-tensors", "ignore": [])", {});
  expect(R"("quant_method": "fp8", "ignored_layers": ["layers.2"])", {});
  expect(R"("quant_method": "fp8", "ignore": ["re:.*2.q_proj"])", {});
  expect(R"("quant_method": "fp8", "exclude_modules": ["layers.2*"])", {});
  expect(R"("quant_method": "fp8", "modules_to_not_convert": ["q_proj"])",
         {"2 weights are quantized, as that of 'layers.0.q_proj', which config.json lists as not quantized"});
  expect(R"("quant_method": "fp8", "modules_to_not_convert": ["layers.2.q_proj", "a"])",
         {"1 weights are quantized, as that of 'a'"});
  expect(R"("quant_method": "fp8", "modules_to_not_convert": [""])", {unlisted});
  expect(R"("quant_method": "fp8", "ignore": ["re:("])",
         {"config.json's list of what is not quantized was not compared"});
}

TEST(DequantizeFp8, what_no_layout_claims_is_refused_by_name) {
  const auto refused = [](RawTensors tensors, const std::string& part) {
    SCOPED_TRACE(part);
    const TemporaryDirectory directory;
    tensors.merge(small_fp8());
    write_model(directory / "in", tensors, kFp8Config);
    EXPECT_REFUSED(Status::unsupported, part, dequantize(directory / "in", directory / "out"));
    EXPECT_EQ(names_in(directory.path()), Names{"in"});
    write_adapter(directory / "adapter", lora("a", 7, 11, 2), {{"r", 2}});
    const std::vector<AdapterInput> adapters{{directory / "adapter"}};
    EXPECT_REFUSED(Status::unsupported, part, merge(directory / "in", adapters, directory / "out"));
    EXPECT_FALSE(fs::exists(directory / "out"));
    EXPECT_TRUE(holds(inspect(directory / "in").notes.at(0), part));
  };
  refused({{"e.w1.weight", {"I8", {2, 4}, "01234567"}}, {"e.w1.scale", f32({1})}},
          "has 'e.w1.weight' in I8 with 'e.w1.scale', integers or 4-bit codes that qfuse does not read");
  refused({{"e.w1.weight", u8({1})}, {"e.w1.weight_scale", {"F8_E4M3", {1}, "0"}}},
          "has 'e.w1.weight' in U8 with 'e.w1.weight_scale'");
  refused({{"e.W_q", u8({1})}}, "is quantized by HQQ, as the names of its tensors say");
  const auto bytes = [](const char* type, std::vector<std::int64_t> shape) {
    return RawTensor{type, shape, std::string(elements_of(shape), 'x')};
  };
  const auto scaled = [&](const std::string& name, const char* type, const std::string& scale) {
    refused({{name, bytes(type, {2, 3, 4})}, {scale, f32({1})}},
            fmt::format("has '{}' in {} with '{}'", name, type, scale));
    refused({{name, bytes(type, {24})}, {scale, f32({1})}}, fmt::format("has '{}' in {} with '{}'", name, type, scale));
  };
  for (const char* type : {"U8", "I8"})
    for (const std::string name : {"e.gate_up_proj", "c.weight"})
      for (const char* ending : {"_scale", "_scales", "_scale_2"}) scaled(name, type, name + ending);
  scaled("c.weight", "I8", "c.scales");
  refused({{"e.table", bytes("U8", {2, 3})}}, "has 'e.table' in U8 beside quantized weights, integers or 4-bit codes");
  for (const char* type : {"F8_E5M2", "F8_E4M3FNUZ", "F8_E5M2FNUZ"})
    for (const std::vector<std::int64_t>& shape :
         std::vector<std::vector<std::int64_t>>{{2, 2}, {2, 3, 4}, {2, 1, 2, 1}})
      for (const std::string name : {"c.weight", "e.gate_up_proj"}) {
        const std::string part = fmt::format("has '{}' in {}, and qfuse reads F8_E4M3 with scales", name, type);
        refused({{name, bytes(type, shape)}}, part);
        refused({{name, bytes(type, shape)}, {name + "_scale", f32({1})}}, part);
      }
  for (const std::string name : {"n.query_norm.scale", "proj_scale"})
    refused({{name, bytes("F8_E4M3", {4, 4})}}, fmt::format("has '{}' in F8_E4M3, and qfuse reads", name));
}

TEST(DequantizeFp8, bytes_that_nothing_scales_are_kept) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_fp8();
  tensors["e.tokens"] = u8({1, 2, 3});
  write_model(directory / "in", tensors, kFp8Config);
  dequantize(directory / "in", directory / "out");
  EXPECT_TRUE(load(directory / "out").at("e.tokens") == tensors["e.tokens"]);
}

TEST(DequantizeFp8, a_plain_model_whose_config_says_fp8_has_nothing_to_dequantize) {
  const TemporaryDirectory directory;
  write_model(directory / "in", {{"a.weight", random_weight({8, 64})}}, kFp8Config);
  EXPECT_REFUSED(Status::unsupported, "has a quantization_config of FP8, and no tensor of F8_E4M3 with scales",
                 dequantize(directory / "in", directory / "out"));
}

// GPT-2's Conv1D is [in, out]. bitsandbytes stores it as [out, in], but no FP8 format transposes it.
TEST(DequantizeFp8, nothing_is_transposed) {
  const TemporaryDirectory directory;
  RawTensors tensors{{"h.0.attn.c_attn.weight", fp8_codes({4, 12})}, {"h.0.attn.c_attn.weight_scale", f32({1})}};
  write_model(directory / "in", tensors, R"({"model_type": "gpt2"})");
  dequantize(directory / "in", directory / "out");
  EXPECT_EQ(load(directory / "out").at("h.0.attn.c_attn.weight").shape, (std::vector<std::int64_t>{4, 12}));
  EXPECT_TRUE(compare(directory / "in", directory / "out").equal);
}

TEST(DequantizeFp8, inspect_says_how_it_is_stored) {
  const TemporaryDirectory directory;
  write_model(directory / "in", small_fp8(), kFp8Config);
  const Inventory inventory = inspect(directory / "in");
  ASSERT_EQ(inventory.tensors.size(), 5U);
  const TensorInfo& a = inventory.tensors[1];
  EXPECT_EQ(a.name, "a.weight");
  EXPECT_EQ(a.format, "fp8");
  EXPECT_EQ(a.dtype, "BF16");
  EXPECT_EQ(a.block, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(a.scale_dtype, "F32");
  EXPECT_EQ(a.blocksize, 0);
  EXPECT_EQ(a.bytes, 77 + 36);
  EXPECT_EQ(a.decoded_bytes, 154);
  EXPECT_EQ(inventory.tensors[0].format, "activation_scale");
  EXPECT_EQ(inventory.decoded_bytes, 154 + 60 + 8);
  const auto json = nlohmann::json::parse(to_json(inventory));
  EXPECT_EQ(json["tensors"][1]["block"], nlohmann::json({3, 4}));
  EXPECT_EQ(json["tensors"][1]["scale_dtype"], "F32");
  EXPECT_EQ(json["tensors"][4]["block"], nlohmann::json::array());
}

}  // namespace
}  // namespace qfuse::checkpoint
