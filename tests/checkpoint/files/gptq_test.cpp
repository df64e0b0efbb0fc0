// Which tensors form a GPTQ or AWQ weight, and what the config says about them. Everything else is refused by name.
#include "checkpoint/files/gptq.h"

#include <fmt/format.h>

#include "checkpoint/files/foreign.h"
#include "checkpoint/files/layout.h"
#include "gptq.h"

namespace qfuse::checkpoint {
namespace {

// Returns what foreign_method says of a model whose weights are not decoded, or "" if they are.
std::string unread_method(const std::string& record, const Files& beside = {}) {
  const TemporaryDirectory directory;
  write_model(directory / "m", small_gptq(kGptq1),
              record.empty() ? "{}" : R"({"quantization_config": )" + record + "}");
  for (const auto& [name, text] : beside) write_file(directory / "m" / name, text);
  const Model model(directory / "m");
  const std::optional<Config> config = read_config(model);
  const std::vector<Tensor> tensors = read_layout(model, config).tensors;
  const std::string method = foreign_method(model, config, tensors);
  EXPECT_EQ(method.empty(), std::ranges::any_of(tensors, &Tensor::is_gptq));
  return method;
}

TEST(Gptq, configs_that_are_read) {
  for (const std::string rest : {R"("quant_method": "gptq", "bits": 4)",
                                 R"("quant_method": "GPTQ", "format": "gptq", "checkpoint_format": "GPTQ")",
                                 R"("quant_method": "gptq", "pack_dtype": "int32", "is_marlin_format": false)",
                                 R"("quant_method": "gptq", "sym": false, "desc_act": false, "static_groups": true)",
                                 R"("quant_method": "gptq", "version": "1.0", "dynamic": {})",
                                 R"("quant_method": "gptq", "modules_in_block_to_quantize": [["a"]], "lm_head": true)"})
    EXPECT_EQ(unread_method(R"({"group_size": 8, )" + rest + "}"), "") << rest;
  const std::string file = "quantize_config.json";
  const std::string record = R"({"quant_method": "gptq", "group_size": 8})";
  EXPECT_EQ(unread_method("", {{file, R"({"bits": 4, "group_size": 8})"}}), "");
  EXPECT_EQ(unread_method(record, {{file, R"({"bits": 4})"}}), "");
  EXPECT_EQ(unread_method(record, {{file, R"({"tool": "another"})"}}), "");
}

// Rules in the config may give one layer another group size. g_idx states it.
TEST(Gptq, groups_of_each_layer_are_its_own) {
  const TemporaryDirectory directory;
  const GptqSize size{8, 16, 4};
  RawTensors tensors = small_gptq(kGptq1);
  tensors.erase("b.qweight");
  for (const std::string part : {"b.qzeros", "b.scales"}) tensors.erase(part);
  tensors.merge(gptq_parts("c", kGptq1, size));
  tensors["c.g_idx"] = g_idx_of({0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3});
  write_model(directory / "m", tensors,
              R"({"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "gptq", "group_size": 8, )"
              R"("dynamic": {"+:c": {"group_size": 4}}}})");
  dequantize(directory / "m", directory / "out");
  EXPECT_TRUE(load(directory / "out").at("c.weight") == gptq_decoded(tensors, "c", kGptq1, size, 4));
  EXPECT_EQ(inspect(directory / "m").tensors.at(2).block, (std::vector<std::int64_t>{1, 4}));
}

TEST(Gptq, configs_that_are_not_read_have_a_reason) {
  const std::string file = "quantize_config.json";
  const auto expect = [](const std::string& found, const std::string& part) { EXPECT_TRUE(holds(found, part)); };
  const auto with = [](const std::string& rest) { return R"({"quant_method": "gptq", )" + rest + "}"; };
  const auto awq = [](const std::string& rest) { return R"({"quant_method": "awq", )" + rest + "}"; };
  for (const char* bits : {"2", "3", "8", "\"4\""})
    expect(unread_method(with(fmt::format(R"("bits": {})", bits))),
           fmt::format("is quantized by GPTQ in {} bits, as its config.json says; qfuse reads 4 bits in int32", bits));
  expect(unread_method(with(R"("checkpoint_format": "marlin")")), "is quantized by GPTQ in the format 'marlin'");
  expect(unread_method(with(R"("is_marlin_format": true)")), "in the format 'marlin'");
  expect(unread_method(with(R"("format": "gptq_p")")), "in the format 'gptq_p'");
  expect(unread_method(with(R"("format": "gptq", "checkpoint_format": "gptq_v2")")),
         "in two formats, 'gptq' and 'gptq_v2'");
  expect(unread_method(with(R"("pack_dtype": "int64")")), R"(packed in "int64")");
  for (const char* version : {"gemv", "GEMV_FAST", "marlin", "llm-awq"})
    expect(unread_method(awq(fmt::format(R"("version": "{}")", version))), "is quantized by AWQ in the format '");
  expect(unread_method(awq(R"("backend": "llm-awq")")), "is quantized by AWQ in the format 'llm-awq'");
  expect(unread_method(awq(R"("bits": 8)")), "is quantized by AWQ in 8 bits");
  expect(unread_method("", {{file, R"({"bits": 3})"}}),
         "is quantized by GPTQ in 3 bits, as its quantize_config.json says");
  expect(unread_method("", {{"quant_config.json", R"({"w_bit": 4, "version": "GEMV"})"}}),
         "is quantized by AWQ in the format 'gemv', as its quant_config.json says");
  expect(unread_method(with(R"("bits": 4)"), {{file, R"({"bits": 4, "checkpoint_format": "gptq_v2"})"}}),
         "has a config.json that says another format of 4-bit weights than quantize_config.json or quant_config.json");
  expect(unread_method(R"({"quant_method": "auto-round", "bits": 4})"),
         "is quantized by 'auto-round', as its config.json");
  expect(unread_method(""),
         "is quantized by GPTQ, as the names of its tensors say, and neither config.json nor quantize_config.json or "
         "quant_config.json beside them says how");
}

std::string gptq_error(Status status, const RawTensors& tensors, const std::string& config) {
  const TemporaryDirectory directory;
  write_model(directory / "m", tensors, config);
  return error_of(status, [&] {
    const Model model(directory / "m");
    read_layout(model, read_config(model));
  });
}

RawTensors replaced(RawTensors tensors, const std::string& name, const RawTensor& tensor) {
  tensors[name] = tensor;
  return tensors;
}

RawTensors removed(RawTensors tensors, const std::string& name) {
  EXPECT_EQ(tensors.erase(name), 1U);
  return tensors;
}

TEST(Gptq, refuses_weights_whose_parts_disagree) {
  struct Refused {
    RawTensors tensors;
    const char* message;
    Status status = Status::invalid_data;
    std::string config = gptq_config(kGptq1);
  };
  const RawTensors good = small_gptq(kGptq1);
  const RawTensors awq = small_gptq(kAwq);
  const auto words = [](std::vector<std::int64_t> shape) { return random_words(std::move(shape), 1); };
  const auto scales = [](std::vector<std::int64_t> shape) { return fp8_scales("F16", std::move(shape)); };
  const char* const sorted = R"({"quantization_config": {"quant_method": "gptq", "desc_act": true}})";
  const char* const groups = R"({"quantization_config": {"quant_method": "gptq", "group_size": 6}})";
  const char* const unstated = R"({"quantization_config": {"quant_method": "gptq"}})";
  const char* const awq_groups = R"({"quantization_config": {"quant_method": "awq", "group_size": 4}})";
  const std::vector<Refused> cases{
      {removed(good, "b.qzeros"), "'b.qweight': needs tensor 'b.qzeros', which is missing"},
      {removed(good, "b.scales"), "'b.qweight': needs tensor 'b.scales', which is missing"},
      {removed(good, "b.qweight"), "'b.qzeros': is part of a quantized weight, but 'b.qweight' is missing"},
      {replaced(good, "c.g_idx", g_idx_of({0})), "'c.g_idx': is part of a quantized weight, but 'c.qweight'"},
      {replaced(good, "c.scales", scales({2, 2})), "'c.scales': is part of a quantized weight, but 'c.qweight'"},
      {replaced(awq, "mlp.act.scales", f32({1})), "'mlp.act.scales': scales what 'mlp.act' gives, as AutoAWQ does",
       Status::unsupported, gptq_config(kAwq)},
      {replaced(awq, "a.g_idx", g_idx_of({0})), "'a.g_idx': is part of", Status::invalid_data, gptq_config(kAwq)},
      {replaced(good, "a.weight", f32({1})), "'a.weight': 'a.qweight' is this tensor too, quantized"},
      {replaced(good, "a.qweight", {"I16", {3, 8}, std::string(48, 'x')}), "'a.qweight': is I16, needs I32"},
      {replaced(good, "a.qweight", words({24})), "'a.qweight': has shape [24], and needs 2 dimensions"},
      {replaced(good, "a.qzeros", words({3})), "'a.qzeros': has shape [3], and needs 2 dimensions"},
      {replaced(good, "a.g_idx", words({3, 8})), "'a.g_idx': has shape [3, 8], and needs 1 dimensions"},
      {replaced(good, "a.scales", {"F64", {3, 8}, std::string(192, 'x')}), "'a.scales': is F64, while scales are F16",
       Status::unsupported},
      {replaced(good, "a.qweight", words({4, 8})),
       "'a.qweight': has shape [4, 8], and a weight of 8 rows and 24 columns in 3 groups needs [3, 8]"},
      {replaced(good, "a.qweight", words({3, 9})), "'a.scales': has shape [3, 8], and a weight of 9 rows and 24"},
      {replaced(good, "a.scales", scales({3, 16})), "'a.scales': has shape [3, 16], and a weight of 8 rows"},
      {replaced(good, "a.qzeros", words({2, 1})), "'a.qzeros': has shape [2, 1], and a weight of 8 rows"},
      {replaced(good, "a.g_idx", g_idx_of({0, 1})), "'a.qweight': has shape [3, 8], and a weight of 8 rows and 2"},
      {replaced(good, "a.qzeros", words({3, 2})), "'a.qzeros': has zero points of 8 bits; qfuse reads 4",
       Status::unsupported},
      {replaced(replaced(good, "a.qzeros", words({0, 1})), "a.scales", scales({0, 8})),
       "'a.scales': has 0 groups, of 24 columns"},
      {good, "'b.qweight': is quantized with desc_act, and the tensor of its columns' groups, 'b.g_idx', is missing",
       Status::invalid_data, sorted},
      {good, "'b.scales': has 2 groups, and 16 columns in groups of 6 have 3", Status::invalid_data, groups},
      {awq, "'a.scales': has 3 groups, and 24 columns in groups of 4 have 6", Status::invalid_data, awq_groups},
      {good, "'b.scales': has 2 groups of 16 columns, and the config states no group_size", Status::invalid_data,
       unstated},
      {good, "'a.scales': has shape [3, 8], and a weight of 64 rows", Status::invalid_data, gptq_config(kAwq)},
      {awq, "'a.scales': has shape [3, 8], and a weight of 1 rows", Status::invalid_data, gptq_config(kGptq1)},
      {replaced(good, "embed_tokens.qweight", words({1, 8})), "'embed_tokens.qweight': is an embedding",
       Status::unsupported},
      {replaced(good, "transformer.wte.qweight", words({1, 8})), "'transformer.wte.qweight': is an embedding",
       Status::unsupported},
      {replaced(awq, "a.qweight", words({1 << 21, 0})), "'a.qweight': has shape [2097152, 0], and qfuse reads at most",
       Status::unsupported, gptq_config(kAwq)},
      {replaced(good, "b.qweight", words({1LL << 60, 0})), "and qfuse reads at most 1048576 columns",
       Status::unsupported},
  };
  for (const Refused& refused : cases) {
    SCOPED_TRACE(refused.message);
    EXPECT_TRUE(holds(gptq_error(refused.status, refused.tensors, refused.config), refused.message));
  }
}

// A weight without rows, but with the maximum number of columns.
RawTensors no_rows(const std::string& module) {
  return {{module + ".qweight", i32({1 << 17, 0}, "")},
          {module + ".qzeros", i32({1 << 17, 0}, "")},
          {module + ".scales", {"F16", {1 << 17, 0}, ""}}};
}

TEST(Gptq, every_tensor_is_claimed_once) {
  for (const GptqKind* kind : {&kGptq1, &kAwq}) {
    const TemporaryDirectory directory;
    RawTensors tensors = small_gptq(*kind);
    const RawTensors none = kind->is_awq ? gptq_parts("none", *kind, {0, 0, 0}) : no_rows("none");
    tensors.insert(none.begin(), none.end());
    write_model(directory / "m", tensors, gptq_config(*kind));
    const Model model(directory / "m");
    Names plain;
    std::int64_t bytes = 0;
    for (const Tensor& tensor : read_layout(model, read_config(model)).tensors) {
      bytes += tensor.stored_bytes();
      if (!tensor.is_gptq()) plain.push_back(tensor.name);
    }
    EXPECT_EQ(plain, (Names{"a.bias", "norm.weight"}));
    EXPECT_EQ(bytes, model.data_bytes());
    dequantize(directory / "m", directory / "out");
    EXPECT_EQ(load(directory / "out").at("none.weight").shape,
              (std::vector<std::int64_t>{0, kind->is_awq ? 0 : 1 << 20}));
  }
}

TEST(Gptq, a_file_has_the_packing_of_the_config_beside_it) {
  const TemporaryDirectory directory;
  const fs::path file = directory / "x.safetensors";
  write_file(file, safetensors(small_gptq(kGptq2)));
  EXPECT_TRUE(holds(inspect(file).notes.at(0), "is quantized by GPTQ, as the names of its tensors say"));
  write_file(directory / "quantize_config.json", "no JSON");
  EXPECT_EQ(inspect(file).notes.size(), 1U);
  write_file(directory / "quantize_config.json", R"({"bits": 4, "group_size": 8, "checkpoint_format": "gptq_v2"})");
  EXPECT_EQ(inspect(file).tensors.at(1).format, "gptq");
  fs::remove(directory / "quantize_config.json");
  write_file(directory / "config.json", gptq_config(kGptq2));
  EXPECT_EQ(inspect(file).tensors.at(1).format, "gptq");
  dequantize(file, directory / "out.safetensors");
  EXPECT_TRUE(load(directory / "out.safetensors").at("a.weight").bytes.size() == 2 * 8 * 24);
}

TEST(Gptq, weights_decode_to_the_dtype_of_the_config_or_of_the_scales) {
  const TemporaryDirectory directory;
  write_model(directory / "m", small_gptq(kGptq1),
              R"({"quantization_config": {"quant_method": "gptq", "group_size": 8}})");
  const Inventory inventory = inspect(directory / "m");
  EXPECT_EQ(inventory.tensors.at(1).dtype, "F16");
  EXPECT_EQ(inventory.tensors.at(2).dtype, "BF16");
}

// Refuses tensors that may also be quantized, instead of copying them.
TEST(Gptq, what_no_layout_claims_is_refused_by_name) {
  const TemporaryDirectory directory;
  RawTensors tensors = small_gptq(kGptq1);
  tensors["e.up_proj"] = {"U8", {2, 4}, "01234567"};
  write_model(directory / "m", tensors, gptq_config(kGptq1));
  EXPECT_REFUSED(Status::unsupported, "has 'e.up_proj' in U8 beside quantized weights",
                 dequantize(directory / "m", directory / "out"));
}

}  // namespace
}  // namespace qfuse::checkpoint
