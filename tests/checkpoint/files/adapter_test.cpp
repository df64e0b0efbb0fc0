// How an adapter's directory is read, and which directories are refused as no adapter.
#include "checkpoint/files/adapter.h"

#include <cmath>

#include "adapters.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

const nlohmann::json kNothing = nlohmann::json::object();

AdapterConfig config_with(const nlohmann::json& changes) {
  nlohmann::json all{{"peft_type", "LORA"}, {"r", 4}, {"lora_alpha", 8}};
  all.update(changes);
  return {all.dump(), "f"};
}

std::string config_error(const nlohmann::json& changes, Status status = Status::invalid_data) {
  return error_of(status, [&] { config_with(changes); });
}

std::string text_error(const std::string& text) {
  return error_of(Status::invalid_data, [&] { AdapterConfig(text, "f"); });
}

// ---- the config --------------------------------------------------------------------------------------------------

TEST(AdapterConfig, rank_and_scale) {
  EXPECT_EQ(config_with(kNothing).rank_of("a.up_proj"), 4);
  EXPECT_EQ(config_with(kNothing).scale_of("a.up_proj"), 2.0);
  EXPECT_EQ(config_with({{"lora_alpha", 0.5}}).scale_of("a"), 0.125);
  EXPECT_EQ(config_with({{"use_rslora", true}}).scale_of("a"), 4.0);
  EXPECT_EQ(config_with({{"r", 4.0}}).rank_of("a"), 4);
}

// peft matches a pattern with the whole name or with its end after a dot. The first of several patterns wins.
TEST(AdapterConfig, patterns) {
  const nlohmann::json ranks =
      nlohmann::json::parse(R"({"rank_pattern": {"up_proj": 2, "model.layers.0.down": 3, "layers\\.[12]\\..*": 5}})");
  const AdapterConfig config = config_with(ranks);
  EXPECT_EQ(config.rank_of("model.layers.0.up_proj"), 2);
  EXPECT_EQ(config.rank_of("up_proj"), 2);
  EXPECT_EQ(config.rank_of("model.layers.0.x_up_proj"), 4);
  EXPECT_EQ(config.rank_of("model.layers.0.up_proj.x"), 4);
  EXPECT_EQ(config.rank_of("model.layers.0.down"), 3);
  EXPECT_EQ(config.rank_of("model.layers.1.up"), 5);
  EXPECT_EQ(config.scale_of("model.layers.1.up"), 1.6);
  const AdapterConfig ordered(R"({"peft_type": "LORA", "r": 4, "lora_alpha": 8, "rank_pattern": {"z.*": 1, "zy": 2}})",
                              "f");
  EXPECT_EQ(ordered.rank_of("zy"), 1) << "the first in the file, not in the alphabet";
}

TEST(AdapterConfig, hostile_patterns) {
  EXPECT_TRUE(holds(config_error({{"rank_pattern", {{"(", 2}}}}, Status::unsupported),
                    "f: rank_pattern '(' is no regular expression that is understood here: missing closing"));
  const AdapterConfig slow = config_with({{"alpha_pattern", {{"(a*)*b", 2}}}});
  EXPECT_REFUSED(Status::unsupported, "f: alpha_pattern '(a*)*b' cannot be matched with 'aaa",
                 static_cast<void>(slow.scale_of(std::string(300, 'a') + "!b")));
}

TEST(AdapterConfig, values_that_are_none) {
  EXPECT_EQ(text_error("[]"), "f: is not a JSON object");
  EXPECT_TRUE(holds(text_error("{"), "f: "));
  EXPECT_TRUE(holds(error_of(Status::unsupported, [] { AdapterConfig(R"({"lora_parameters": {"rank": 8}})", "f"); }),
                    "f: is of an adapter of MLX"));
  EXPECT_TRUE(holds(text_error(R"({"peft_type": "LORA", "lora_alpha": 8})"), "f: r is missing"));
  EXPECT_TRUE(holds(text_error(R"({"peft_type": "LORA", "r": 8})"), "f: lora_alpha is missing"));
  for (const nlohmann::json& rank : {nlohmann::json(0), nlohmann::json(-4), nlohmann::json(1.5), nlohmann::json(1e300)})
    EXPECT_TRUE(holds(config_error({{"r", rank}}), "needs to be a whole rank from 1"));
  EXPECT_TRUE(holds(config_error({{"r", "4"}}), "f: r is \"4\", needs to be a number"));
  EXPECT_TRUE(holds(text_error(R"({"peft_type": "LORA", "r": 4, "lora_alpha": NaN})"), "lora_alpha is NaN"));
  EXPECT_TRUE(holds(config_error({{"rank_pattern", {{"a", 0}}}}), "whole ranks from 1"));
  EXPECT_TRUE(holds(config_error({{"rank_pattern", {1, 2}}}), "needs to be an object"));
  EXPECT_TRUE(holds(config_error({{"alpha_pattern", {{"a", "b"}}}}), "needs to be a number"));
  EXPECT_TRUE(holds(config_error({{"use_dora", 1}}), "use_dora is 1, needs to be true or false"));
  EXPECT_TRUE(holds(config_error({{"bias", "some"}}), "needs to be none, all or lora_only"));
  EXPECT_TRUE(holds(config_error({{"target_parameters", {1}}}), "needs to be strings"));
  for (const nlohmann::json& tokens : {nlohmann::json{-1}, nlohmann::json{1.5}, nlohmann::json{"a"},
                                       nlohmann::json{18446744073709551615U}, nlohmann::json("a")})
    EXPECT_TRUE(holds(config_error({{"trainable_token_indices", tokens}}), "needs to be numbers of tokens"));
}

TEST(AdapterConfig, kinds_that_cannot_be_merged) {
  const auto unsupported = [](const nlohmann::json& changes) { return config_error(changes, Status::unsupported); };
  EXPECT_TRUE(holds(unsupported({{"peft_type", "LOHA"}}), "f: peft_type is 'LOHA', and only LORA"));
  EXPECT_TRUE(
      holds(unsupported({{"init_lora_weights", "pissa_niter_4"}}), "changed the base's weights before training"));
  EXPECT_TRUE(holds(unsupported({{"init_lora_weights", "new"}}), "is unknown"));
  EXPECT_TRUE(holds(unsupported({{"layer_replication", {{0, 1}}}}), "layer_replication is set"));
  EXPECT_TRUE(holds(unsupported({{"some_new_field", true}}), "some_new_field is true: no such field is known"));
  for (const nlohmann::json& fine : {nlohmann::json{{"some_new_field", false}},
                                     {{"some_new_field", nullptr}},
                                     {{"some_new_field", ""}},
                                     {{"some_new_field", nlohmann::json::array()}},
                                     {{"layer_replication", nullptr}},
                                     {{"init_lora_weights", true}},
                                     {{"init_lora_weights", "gaussian"}},
                                     {{"lora_dropout", 0.1}}})
    EXPECT_EQ(config_error(fine), "") << fine;
}

// Fields written by peft 0.2, by ms-swift, and by tools that copy the model's config into the adapter's.
TEST(AdapterConfig, fields_of_other_versions_and_tools) {
  for (const nlohmann::json& fine : {nlohmann::json{{"enable_lora", nullptr}, {"merge_weights", true}},
                                     {{"lora_dtype", "float32"}, {"lorap_lr_ratio", 16.0}, {"lorap_emb_lr", 1e-6}},
                                     {{"_name_or_path", "a/b"}, {"architectures", {"LlamaForCausalLM"}}},
                                     {{"model_type", "llama"}, {"dtype", "bfloat16"}, {"torch_dtype", "bfloat16"}},
                                     {{"transformers_version", "5.0.0"}, {"lora_alpha", 8.0}}})
    EXPECT_EQ(config_error(fine), "") << fine;
  const std::map<std::string, nlohmann::json> unknown{{"enable_lora", {true, false, true}},
                                                      {"use_qa_lora", true},
                                                      {"new_group_size", 16},
                                                      {"new_scale", 1.0},
                                                      {"new_name", "x"}};
  for (const auto& [field, value] : unknown)
    EXPECT_TRUE(holds(config_error({{field, value}}, Status::unsupported), "f: " + field + " is ")) << field;
}

TEST(AdapterConfig, versions) {
  EXPECT_EQ(config_with(kNothing).peft_version(), std::nullopt);
  EXPECT_EQ(config_with({{"peft_version", "0.18.1.dev0@abc"}}).peft_version(), 18);
  EXPECT_EQ(config_with({{"peft_version", "1.2"}}).peft_version(), 1002);
  EXPECT_EQ(config_with({{"peft_version", "new"}}).peft_version(), std::nullopt);
  // peft 0.17 did not write its version and is recognized by its fields. A later file that lost its version is not.
  EXPECT_EQ(config_with({{"qalora_group_size", 16}}).peft_version(), 17);
  EXPECT_EQ(config_with({{"qalora_group_size", 16}, {"ensure_weight_tying", false}}).peft_version(), std::nullopt);
  EXPECT_EQ(config_with({{"qalora_group_size", 16}, {"peft_version", "0.19.0"}}).peft_version(), 19);
}

// ---- the directory -----------------------------------------------------------------------------------------------

class AdapterFiles : public testing::Test {
 protected:
  std::string error(Status status) {
    return error_of(status, [&] { Adapter adapter(path); });
  }
  TemporaryDirectory directory;
  fs::path path = directory / "adapter";
};

TEST_F(AdapterFiles, what_is_no_adapter) {
  EXPECT_TRUE(holds(error(Status::io_error), "adapter: no such file or directory"));
  write_adapter(path, lora("up", 3, 5, 4));
  fs::rename(path / "adapter_config.json", path / "config.json");
  EXPECT_TRUE(holds(error(Status::io_error), "is not an adapter: adapter_config.json is missing"));
  write_adapter(path / "checkpoint-500", lora("up", 3, 5, 4));
  EXPECT_TRUE(holds(error(Status::io_error),
                    "adapter_config.json is missing; adapters are " + (path / "checkpoint-500").native()));
  write_adapter(path, lora("up", 3, 5, 4));
  fs::rename(path / "adapter_model.safetensors", path / "adapter_model.bin");
  EXPECT_TRUE(holds(error(Status::unsupported), "is a pickle file, which can run code when read"));
  fs::remove(path / "adapter_model.bin");
  EXPECT_TRUE(holds(error(Status::io_error), "has no adapter_model.safetensors"));
  write_adapter(path, {});
  EXPECT_TRUE(holds(error(Status::invalid_data), "holds no tensor"));
  path /= "adapter_config.json";
  EXPECT_TRUE(holds(error(Status::invalid_argument), "is a file; an adapter of peft is the directory"));
}

TEST_F(AdapterFiles, a_name_on_the_hub) {
  path = "tloen/alpaca-lora-7b";
  EXPECT_TRUE(holds(error(Status::io_error),
                    "if it is a model on the Hub, `hf download tloen/alpaca-lora-7b` puts it into the cache"));
}

TEST_F(AdapterFiles, parts_that_zero_3_has_left) {
  write_adapter(path, {{kPeft + "up.lora_A.weight", {"F32", {0}, {}}}});
  EXPECT_TRUE(holds(error(Status::invalid_data), "has the shape [0], as DeepSpeed's ZeRO-3 leaves it"));
}

TEST_F(AdapterFiles, the_untrained_copy_is_not_used) {
  RawTensors tensors = lora("up", 3, 5, 4);
  tensors[kPeft + "head.original_module.weight"] = tensors.begin()->second;
  write_adapter(path, tensors);
  EXPECT_EQ(Adapter(path).tensors().size(), 2U);
}

// The meaning of each name: the part of an adapter, and the module or tensor of the base model.
using Meanings = std::map<std::string, std::pair<AdapterPart, std::string>>;

// Writes and opens an adapter with these tensor names, and expects that each is read as `known` says.
Adapter adapter_that_means(const Meanings& known, const fs::path& path) {
  RawTensors tensors;
  for (const auto& [name, meaning] : known) tensors[name] = f32({1.0F});
  write_adapter(path, tensors);
  Adapter adapter(path);
  EXPECT_EQ(adapter.tensors().size(), known.size());
  for (const AdapterTensor& tensor : adapter.tensors()) {
    const auto& [part, module] = known.at(tensor.stored.entry->name);
    EXPECT_EQ(tensor.part, part) << tensor.stored.entry->name;
    EXPECT_EQ(tensor.module, module);
  }
  return adapter;
}

TEST_F(AdapterFiles, what_a_name_says) {
  const Meanings known{{kPeft + "m.up.lora_A.weight", {AdapterPart::a, "m.up"}},
                       {"m.up.lora_B.weight", {AdapterPart::b, "m.up"}},
                       {kPeft + "m.up.lora_B.bias", {AdapterPart::b_bias, "m.up"}},
                       {kPeft + "m.up.lora_magnitude_vector", {AdapterPart::magnitude, "m.up"}},
                       {kPeft + "m.x.lora_magnitude_vector.weight", {AdapterPart::magnitude, "m.x"}},
                       {kPeft + "m.e.lora_embedding_A", {AdapterPart::embedding_a, "m.e"}},
                       {kPeft + "m.e.lora_embedding_B", {AdapterPart::embedding_b, "m.e"}},
                       {kPeft + "m.e.token_adapter.trainable_tokens_delta", {AdapterPart::token_rows, "m.e"}},
                       {kPeft + "m.s.modules_to_save.default.weight", {AdapterPart::whole, "m.s.weight"}},
                       {kPeft + "m.s.modules_to_save.bias", {AdapterPart::whole, "m.s.bias"}},
                       {kPeft + "m.b.base_layer.weight", {AdapterPart::whole, "m.b.weight"}},
                       {kPeft + "m.n.weight", {AdapterPart::whole, "m.n.weight"}},
                       {kPeft + "m._checkpoint_wrapped_module.c.lora_A.weight", {AdapterPart::a, "m.c"}},
                       {"_fsdp_wrapped_module." + kPeft + "m.f._orig_mod.lora_A.weight", {AdapterPart::a, "m.f"}},
                       {"thinker." + kPeft + "m.t.lora_A.weight", {AdapterPart::a, "thinker.m.t"}},
                       {"x" + kPeft + "m.lora_A.weight", {AdapterPart::a, "x" + kPeft + "m"}}};
  const Adapter adapter = adapter_that_means(known, path);
  for (const AdapterTensor& tensor : adapter.tensors()) EXPECT_EQ(tensor.of_base, tensor.module == "m.b.weight");
}

// The names in a state dict, where the adapter's own name follows the kind of tensor.
TEST_F(AdapterFiles, what_a_name_says_with_the_adapters_own) {
  const Meanings known{{kPeft + "m.up.lora_A.mine.weight", {AdapterPart::a, "m.up"}},
                       {"m.up.lora_B.mine.weight", {AdapterPart::b, "m.up"}},
                       {kPeft + "m.up.lora_B.mine.bias", {AdapterPart::b_bias, "m.up"}},
                       {kPeft + "m.up.lora_magnitude_vector.mine", {AdapterPart::magnitude, "m.up"}},
                       {kPeft + "m.x.lora_magnitude_vector.mine.weight", {AdapterPart::magnitude, "m.x"}},
                       {kPeft + "m.e.lora_embedding_A.mine", {AdapterPart::embedding_a, "m.e"}},
                       {kPeft + "m.e.lora_embedding_B.mine", {AdapterPart::embedding_b, "m.e"}},
                       {kPeft + "m.e.token_adapter.trainable_tokens_delta.mine", {AdapterPart::token_rows, "m.e"}},
                       {kPeft + "m.s.modules_to_save.mine.weight", {AdapterPart::whole, "m.s.weight"}},
                       {kPeft + "m.up.base_layer.weight", {AdapterPart::whole, "m.up.weight"}},
                       {kPeft + "m.n.weight", {AdapterPart::whole, "m.n.weight"}}};
  const Adapter adapter = adapter_that_means(known, path);
  for (const AdapterTensor& tensor : adapter.tensors())
    EXPECT_EQ(tensor.is_copy, tensor.module == "m.up.weight" || tensor.module == "m.n.weight") << "may be the base's";
}

TEST_F(AdapterFiles, two_adapters_in_one_file) {
  for (const char* other : {"b.lora_A.two.weight", "b.lora_A.weight", "b.lora_embedding_A"}) {
    write_adapter(path, {{"a.lora_A.one.weight", f32({1.0F})}, {other, f32({1.0F})}});
    const std::string message = error(Status::invalid_data);
    EXPECT_TRUE(holds(message, "'one'")) << other;
    EXPECT_TRUE(holds(message, "a file of several adapters cannot be merged")) << other;
  }
}

TEST_F(AdapterFiles, names_that_are_unknown_and_dtypes_that_no_adapter_has) {
  for (const char* name : {"m.up.lora_C.weight", "m.up.lora_A.a.b.weight", "m.token_adapter.x", ".lora_A.weight"}) {
    write_adapter(path, {{kPeft + name, f32({1.0F})}});
    EXPECT_TRUE(holds(error(Status::unsupported), "is no part of an adapter that is known here")) << name;
  }
  write_adapter(path, {{kPeft + "m.up.lora_A.weight", u8({1})}});
  EXPECT_TRUE(holds(error(Status::unsupported), "has the dtype U8; adapters have F32, F16 or BF16"));
}

TEST_F(AdapterFiles, values_that_are_not_finite_are_named) {
  std::vector<float> values(2'500'000, 1.0F);
  for (const std::size_t at : {0U, 1'048'575U, 1'048'576U, 2'499'999U}) {
    std::vector<float> bad = values;
    bad[at] = -INFINITY;
    write_adapter(path, {{"a.lora_A.weight", f32(values)}, {"b.lora_A.weight", f32(bad)}});
    EXPECT_REFUSED(Status::invalid_data, "tensor 'b.lora_A.weight': element " + std::to_string(at) + " is -inf",
                   Adapter(path).check_finite());
  }
  write_adapter(path, {{"a.lora_A.weight", f32(values)}, {"e.lora_A.weight", {"F32", {0, 5}, {}}}});
  Adapter(path).check_finite();
}

TEST_F(AdapterFiles, elements_are_widened_exactly) {
  for (const Dtype dtype : {Dtype::float32, Dtype::float16, Dtype::bfloat16}) {
    const RawTensor tensor = random_weight({1001}, dtype);
    write_adapter(path, {{"a.lora_A.weight", tensor}});
    const Adapter adapter(path);
    const std::vector<float> all = values_of(tensor);
    for (const std::size_t first : {0U, 1U, 500U, 1001U}) {
      std::vector<float> out(1001 - first);
      read_as_float(adapter.tensors().front().stored, static_cast<std::int64_t>(first), out);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
    }
  }
}

// Bytes that are cut off while the file is open must not be read as zeros.
TEST_F(AdapterFiles, a_file_that_shrinks_is_an_error) {
  write_adapter(path, lora("up", 300, 500, 4));
  const Adapter adapter(path);
  fs::resize_file(path / "adapter_model.safetensors", 1000);
  EXPECT_REFUSED(Status::io_error, "ends at byte 1000", adapter.check_finite());
}

}  // namespace
}  // namespace qfuse::checkpoint
