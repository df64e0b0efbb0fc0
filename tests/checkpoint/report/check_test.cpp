// The problems that `check` finds, for models whose needs in transformers 5 are known by hand.
// tests/libraries/test_check.py compares with transformers itself.
#include <algorithm>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

constexpr std::int64_t kRows = 24;  // rows of the vocabulary

nlohmann::json llama_config() {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"vocab_size", kRows},
          {"hidden_size", 8},
          {"intermediate_size", 12},
          {"num_hidden_layers", 2},
          {"num_attention_heads", 2},
          {"num_key_value_heads", 1},
          {"head_dim", 4},
          {"tie_word_embeddings", false}};
}

RawTensor zeros(std::vector<std::int64_t> shape) {
  std::int64_t elements = 1;
  for (const std::int64_t size : shape) elements *= size;
  return {"BF16", std::move(shape), std::string(static_cast<std::size_t>(elements) * 2, '\0')};
}

RawTensors llama_tensors() {
  RawTensors tensors{{"model.embed_tokens.weight", zeros({kRows, 8})},
                     {"model.norm.weight", zeros({8})},
                     {"lm_head.weight", zeros({kRows, 8})}};
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    for (const std::string name : {"q_proj", "o_proj"})
      tensors[layer + "self_attn." + name + ".weight"] = zeros({8, 8});
    for (const std::string name : {"k_proj", "v_proj"})
      tensors[layer + "self_attn." + name + ".weight"] = zeros({4, 8});
    for (const std::string name : {"gate_proj", "up_proj"}) tensors[layer + "mlp." + name + ".weight"] = zeros({12, 8});
    tensors[layer + "mlp.down_proj.weight"] = zeros({8, 12});
    tensors[layer + "input_layernorm.weight"] = zeros({8});
    tensors[layer + "post_attention_layernorm.weight"] = zeros({8});
  }
  return tensors;
}

// "kind tensor" for each problem, sorted.
Names found(const CheckReport& report) {
  Names all;
  for (const CheckProblem& problem : report.problems) all.push_back(problem.kind + " " + problem.tensor);
  std::ranges::sort(all);
  return all;
}

class Check : public testing::Test {
 protected:
  [[nodiscard]] CheckReport report() const {
    write_model(directory.path(), tensors, config.dump());
    return check(directory.path());
  }
  [[nodiscard]] Names problems() const { return found(report()); }
  [[nodiscard]] bool all_begin_with(const std::string& beginning) const {
    return std::ranges::all_of(problems(), [&](const std::string& it) { return it.starts_with(beginning); });
  }

  TemporaryDirectory directory;
  nlohmann::json config = llama_config();
  RawTensors tensors = llama_tensors();
};

TEST_F(Check, NothingIsWrong) {
  const CheckReport all = report();
  EXPECT_EQ(found(all), Names());
  EXPECT_EQ(all.notes, Names());
  EXPECT_EQ(all.tensors, 21);
  EXPECT_EQ(all.files, 1);
}

TEST_F(Check, FindsWhatIsMissing) {
  tensors.erase("model.layers.1.mlp.up_proj.weight");
  EXPECT_EQ(problems(), Names({"missing model.layers.1.mlp.up_proj.weight"}));
  EXPECT_TRUE(holds(report().problems.front().message, "[12, 8]"));
}

TEST_F(Check, FindsAnAdapterBesideTheModel) {
  write_file(directory / "adapter_config.json", "{}");
  EXPECT_EQ(problems(), Names({"content "}));
  EXPECT_TRUE(holds(report().problems.front().message, "transformers loads that adapter and the base that it names"));
}

TEST_F(Check, FindsFilesThatContradictEachOther) {
  write_file(directory / "tokenizer_config.json", R"({"eos_token": "<end>", "pad_token": "<pad>"})");
  write_file(directory / "tokenizer.json", R"({"model": {"vocab": {"<end>": 1, "<pad>": 2}}})");
  write_file(directory / "generation_config.json", R"({"eos_token_id": [1, 3], "pad_token_id": 0})");
  EXPECT_EQ(problems(), Names());
  EXPECT_EQ(report().notes.size(), 1U);  // about the padding token, which breaks nothing
  EXPECT_FALSE(report().cannot_tell);
  write_file(directory / "generation_config.json", R"({"eos_token_id": 3})");
  EXPECT_EQ(problems(), Names({"tokenizer "}));
}

TEST_F(Check, FindsALayerThatIsMissing) {
  config["num_hidden_layers"] = 3;
  EXPECT_EQ(problems().size(), 9U);
  config["num_hidden_layers"] = std::int64_t{1} << 62;  // a made-up value
  EXPECT_GT(problems().size(), 9U);
  config["num_hidden_layers"] = 1;
  EXPECT_TRUE(all_begin_with("unexpected model.layers.1."));
  EXPECT_EQ(problems().size(), 9U);
}

TEST_F(Check, FindsWhatTheClassHasNot) {
  tensors["model.layers.0.mlp.other.weight"] = zeros({2});
  EXPECT_EQ(problems(), Names({"unexpected model.layers.0.mlp.other.weight"}));
}

TEST_F(Check, PassesOverWhatTransformersPassesOver) {
  tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = zeros({2});
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, TakesWhatNeedNotBeThere) {
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    for (const std::string name : {"gate_proj", "up_proj"}) tensors[layer + "mlp." + name + ".bias"] = zeros({12});
    tensors[layer + "mlp.down_proj.bias"] = zeros({8});
  }
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, FindsWhatIsMissingBesideItsLike) {
  tensors["model.layers.0.mlp.up_proj.bias"] = zeros({12});
  tensors["model.layers.0.mlp.down_proj.bias"] = zeros({8});
  EXPECT_EQ(problems(), Names({"missing model.layers.0.mlp.gate_proj.bias"}));
}

TEST_F(Check, FindsWhatALikeLayerHas) {
  config["architectures"] = {"DeepseekV2ForCausalLM"};
  config["model_type"] = "deepseek_v2";
  config["q_lora_rank"] = nullptr;
  tensors = {};
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    tensors[layer + "self_attn.q_proj.weight"] = zeros({8, 8});
    tensors[layer + "self_attn.o_proj.weight"] = zeros({8, 8});
  }
  const auto lacks = [&] {
    const Names all = problems();
    return std::ranges::find(all, "missing model.layers.1.self_attn.q_proj.weight") != all.end();
  };
  EXPECT_FALSE(lacks());
  tensors.erase("model.layers.1.self_attn.q_proj.weight");
  EXPECT_TRUE(lacks());
  tensors["model.layers.1.self_attn.q_a_proj.weight"] = zeros({8, 8});
  EXPECT_FALSE(lacks()) << "the layer is of another kind";
}

TEST_F(Check, NothingIsMissingWithoutElements) {
  config["intermediate_size"] = 0;
  for (const std::string layer : {"model.layers.0.", "model.layers.1."})
    for (const std::string name : {"gate_proj", "up_proj", "down_proj"})
      tensors.erase(layer + "mlp." + name + ".weight");
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, CountsLabels) {
  config["architectures"] = {"LlamaForSequenceClassification"};
  tensors.erase("lm_head.weight");
  tensors["score.weight"] = zeros({2, 8});
  EXPECT_EQ(problems(), Names());
  config["id2label"] = {{"0", "bad"}, {"1", "fair"}, {"2", "good"}};
  EXPECT_EQ(problems(), Names({"mismatched score.weight"}));
  tensors["score.weight"] = zeros({3, 8});
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, FindsOtherShapes) {
  tensors["model.layers.0.mlp.down_proj.weight"] = zeros({12, 8});
  config["vocab_size"] = kRows + 8;
  EXPECT_EQ(problems(), Names({"mismatched lm_head.weight", "mismatched model.embed_tokens.weight",
                               "mismatched model.layers.0.mlp.down_proj.weight"}));
}

TEST_F(Check, FieldsThatAreNotThereDecideNothing) {
  config.erase("head_dim");
  tensors["model.layers.0.self_attn.q_proj.weight"] = zeros({16, 8});
  EXPECT_EQ(problems(), Names());
  config["head_dim"] = std::int64_t{1} << 62;  // times two heads exceeds 63 bits
  config["num_key_value_heads"] = 2;
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, ATiedHeadNeedNotBeThere) {
  tensors.erase("lm_head.weight");
  EXPECT_EQ(problems(), Names({"missing lm_head.weight"}));
  config["tie_word_embeddings"] = true;
  EXPECT_EQ(problems(), Names());
}

// A Mixtral model with 3 experts, in the layout of files.
class CheckExperts : public Check {
 protected:
  CheckExperts() {
    config["architectures"] = {"MixtralForCausalLM"};
    config["model_type"] = "mixtral";
    config["num_local_experts"] = 3;
    for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
      for (const std::string name : {"gate_proj", "up_proj", "down_proj"})
        tensors.erase(layer + "mlp." + name + ".weight");
      tensors[layer + "block_sparse_moe.gate.weight"] = zeros({3, 8});
      for (int expert = 0; expert < 3; ++expert) add_expert(layer, expert);
    }
  }

  void add_expert(const std::string& layer, int expert) {
    const std::string name = layer + "block_sparse_moe.experts." + std::to_string(expert);
    tensors[name + ".w1.weight"] = tensors[name + ".w3.weight"] = zeros({12, 8});
    tensors[name + ".w2.weight"] = zeros({8, 12});
  }

  void erase_all(const std::string& beginning) {
    std::erase_if(tensors, [&](const auto& it) { return it.first.starts_with(beginning); });
  }
};

TEST_F(CheckExperts, NothingIsWrong) { EXPECT_EQ(problems(), Names()); }

TEST_F(CheckExperts, FindsWhatOneLacks) {
  tensors.erase("model.layers.1.block_sparse_moe.experts.2.w2.weight");
  EXPECT_EQ(problems(), Names({"missing model.layers.1.block_sparse_moe.experts.2.w2.weight"}));
}

TEST_F(CheckExperts, FindsOneThatIsMissing) {
  erase_all("model.layers.1.block_sparse_moe.experts.1.");
  EXPECT_EQ(problems().size(), 3U);
  EXPECT_TRUE(all_begin_with("missing model.layers.1.block_sparse_moe.experts.1."));
}

TEST_F(CheckExperts, FindsALayerWithoutAny) {
  erase_all("model.layers.1.block_sparse_moe.experts.");
  EXPECT_EQ(problems(),
            Names({"missing model.layers.1.mlp.experts.down_proj", "missing model.layers.1.mlp.experts.gate_up_proj"}));
}

TEST_F(CheckExperts, FindsOneTooMany) {
  add_expert("model.layers.0.", 3);
  EXPECT_EQ(problems().size(), 3U);
  EXPECT_TRUE(all_begin_with("unexpected model.layers.0.block_sparse_moe.experts.3."));
}

TEST_F(CheckExperts, FindsOtherShapes) {
  tensors["model.layers.0.block_sparse_moe.experts.1.w1.weight"] = zeros({8, 12});
  EXPECT_EQ(problems(), Names({"mismatched model.layers.0.block_sparse_moe.experts.1.w1.weight"}));
}

TEST_F(CheckExperts, TakesThemAsTheyAreInMemory) {
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    erase_all(layer + "block_sparse_moe.experts.");
    tensors[layer + "mlp.experts.gate_up_proj"] = zeros({3, 24, 8});
    tensors[layer + "mlp.experts.down_proj"] = zeros({3, 8, 12});
  }
  EXPECT_EQ(problems(), Names());
}

TEST_F(CheckExperts, AConfigMaySayAnyNumberOfThem) {
  config["num_local_experts"] = std::int64_t{1} << 62;
  EXPECT_GT(problems().size(), 9U);
}

TEST_F(Check, NamesWithoutTheInnerModel) {
  RawTensors inner;
  for (const auto& [name, tensor] : tensors) inner[name.starts_with("model.") ? name.substr(6) : name] = tensor;
  tensors = inner;
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, QuantizedWeightsHaveTheirShapes) {
  RawTensors weight = small_nf4("model.layers.0.mlp.up_proj.weight");  // shape 6 x 32
  tensors.erase("model.layers.0.mlp.up_proj.weight");
  tensors.merge(weight);
  EXPECT_EQ(problems(), Names({"mismatched model.layers.0.mlp.up_proj.weight", "quantization "}));
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
  EXPECT_EQ(problems(), Names({"mismatched model.layers.0.mlp.up_proj.weight"}));
}

TEST_F(Check, WeightsInFp8AreAsConfigSaysOrNot) {
  const std::string first = "model.layers.0.mlp.up_proj";
  const std::string second = "model.layers.1.mlp.up_proj";
  tensors[first + ".weight"] = {"F8_E4M3", {12, 8}, std::string(96, '\0')};
  tensors[first + ".weight_scale_inv"] = f32({1});
  tensors[first + ".output_scale"] = f32({1});
  EXPECT_EQ(problems(), Names({"quantization ", "quantization "})) << "no record, and the other layer's is plain";
  config["quantization_config"] = {{"quant_method", "fp8"}, {"modules_to_not_convert", {second}}};
  EXPECT_EQ(problems(), Names());
  EXPECT_FALSE(report().cannot_tell);
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"ignore", {second}}};
  EXPECT_TRUE(holds(report().problems.at(0).message,
                    "says that bitsandbytes quantized it, and its weights say another method"));
  config["quantization_config"] = {{"quant_method", "fp8"}, {"ignored_layers", {"up_proj"}}};
  EXPECT_TRUE(holds(report().problems.at(0).message, "which config.json lists as not quantized"));
  tensors[first + ".weight_scale_inv"] = {"F32", {2, 1}, std::string(8, '\0')};
  EXPECT_REFUSED(Status::invalid_data, "have [1, 1] in blocks of 128 x 128", static_cast<void>(report()));
}

TEST_F(Check, FindsAConfigThatSpeaksOfQuantizedWeights) {
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
  EXPECT_EQ(problems(), Names({"quantization "}));
}

TEST_F(Check, FindsTokensWithoutRows) {
  write_file(directory / "tokenizer.json", R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 24}}})");
  EXPECT_EQ(problems(), Names({"tokenizer model.embed_tokens.weight"}));
}

TEST_F(Check, SaysWhatItDoesNotKnow) {
  config["architectures"] = {"SomebodysModel"};
  EXPECT_TRUE(holds(report().notes.front(), "'SomebodysModel' is not known"));
  EXPECT_TRUE(report().cannot_tell);
  config = llama_config();
  config["auto_map"] = {{"AutoModelForCausalLM", "modeling.Llama"}};
  EXPECT_TRUE(holds(report().notes.front(), "not compared"));
  EXPECT_EQ(problems(), Names());
}

TEST_F(Check, ADirectoryWithoutConfig) {
  write_file(directory / "model.safetensors", safetensors(tensors));
  EXPECT_EQ(found(check(directory.path())), Names({"config "}));
  EXPECT_TRUE(holds(check(directory / "model.safetensors").notes.front(), "is a file"));
}

TEST_F(Check, HostileNames) {
  for (const std::string name :
       {"", ".", "#", "model.layers.#.mlp.up_proj.weight", "model.layers.99999999999999999999.x",
        "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0"})
    tensors[name] = zeros({1});
  EXPECT_EQ(problems().size(), 6U);
  EXPECT_TRUE(all_begin_with("unexpected "));
}

TEST_F(Check, ALongName) {
  config["architectures"] = {"DeepseekV3ForCausalLM"};  // its ignored names are a regular expression
  tensors = {{std::string(1'000'000, 'm'), zeros({1})}};
  EXPECT_EQ(found(report()).back(), "unexpected " + std::string(1'000'000, 'm'));
}

TEST_F(Check, Json) {
  tensors.erase("model.norm.weight");
  const nlohmann::json json = nlohmann::json::parse(to_json(report()));
  EXPECT_EQ(json["problems"][0]["kind"], "missing");
  EXPECT_EQ(json["problems"][0]["tensor"], "model.norm.weight");
  EXPECT_EQ(json["files"], 1);
}

// ---- what conversions do with the problems ---------------------------------------------------------------------

TEST_F(Check, AQuantizedModelWithAMisnamedTensorIsRefused) {
  RawTensors weight = small_nf4("model.layers.0.mlp.other_proj.weight");
  tensors.erase("model.layers.0.mlp.up_proj.weight");
  tensors.merge(weight);
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
  EXPECT_EQ(problems().size(), 2U);
  const TemporaryDirectory other;
  const std::string error = error_of(Status::unsupported, [&] { dequantize(directory.path(), other / "out"); });
  EXPECT_TRUE(holds(error, "'model.layers.0.mlp.up_proj.weight' is in no file"));
  EXPECT_TRUE(holds(error, "'model.layers.0.mlp.other_proj.weight' is no tensor of LlamaForCausalLM"));
  EXPECT_TRUE(holds(error, "`allow_other_names`"));
  EXPECT_FALSE(fs::exists(other / "out"));
  DequantizeOptions options;
  options.allow_other_names = true;
  EXPECT_TRUE(holds(dequantize(directory.path(), other / "out", options).notes.front(), "1 missing"));
}

TEST_F(Check, AQuantizedModelWithOtherNamesInAllLayersIsConverted) {
  for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
    tensors.erase(layer + "mlp.up_proj.weight");
    tensors.merge(RawTensors(small_nf4(layer + "mlp.other_proj.weight")));
  }
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
  EXPECT_EQ(problems().size(), 4U);
  const TemporaryDirectory other;
  EXPECT_TRUE(holds(dequantize(directory.path(), other / "out").notes.front(),
                    "by what is known of LlamaForCausalLM, tensors of the output are: 2 missing"));
}

TEST_F(Check, AnUnknownTensorIsNoted) {
  tensors.merge(RawTensors(small_nf4("model.layers.0.mlp.other_proj.weight")));
  config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
  EXPECT_EQ(problems().size(), 1U);
  const TemporaryDirectory other;
  EXPECT_TRUE(holds(dequantize(directory.path(), other / "out").notes.front(), "1 unexpected"));
}

}  // namespace
}  // namespace qfuse::checkpoint
