// How a merge treats tied tensors and tensors whose size follows the vocabulary. These are facts of the class that
// config.json names.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adapters.h"
#include "checkpoint/names/vocabulary.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

using nlohmann::json;

class MergeTied : public Merge {
 protected:
  // Writes a base of class `name`, with further config fields.
  void write_base_of(const std::string& name, const RawTensors& tensors, json config = json::object()) {
    config["architectures"] = {name};
    write_base(tensors, config.dump());
  }
  [[nodiscard]] json field(const std::string& pointer) const {
    return json::parse(config).value(json::json_pointer(pointer), json());
  }
  std::string refusal(Status status) {
    return error_of(status, [&] { merged(); });
  }
  static MergeOptions with(Head head) {
    MergeOptions options;
    options.head = head;
    return options;
  }

  const RawTensor weight = random_weight({37, 16});
  const RawTensor other = random_weight({37, 16}, Dtype::bfloat16, 9);
  const RawTensor grown = random_weight({40, 16}, Dtype::bfloat16, 2);
};

// The head becomes a separate tensor, and the embedding is unchanged.
TEST_F(MergeTied, a_head_that_is_trained_alone_is_no_longer_tied) {
  const RawTensors factors = lora("lm_head", 37, 16, 4);
  write_base_of("LlamaForCausalLM", {{kEmbedding + ".weight", weight}}, {{"tie_word_embeddings", true}});
  write_adapter(adapter(), factors);
  RawTensors out = merged();
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == weight);
  const RawTensor head = with_lora(weight, factors, "lm_head", kScale, Dtype::bfloat16);
  EXPECT_TRUE(out.at("lm_head.weight") == head);
  EXPECT_EQ(field("/tie_word_embeddings"), false);
  EXPECT_EQ(report.tensors, 2);

  out = merged(with(Head::tie));
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == head);
  EXPECT_FALSE(out.contains("lm_head.weight"));
  EXPECT_EQ(field("/tie_word_embeddings"), true);
}

TEST_F(MergeTied, a_head_can_be_untied) {
  RawTensors base = layers();
  base[kEmbedding + ".weight"] = weight;
  write_base(base, R"({"model_type": "llama"})");
  write_adapter(adapter(), lora(kUp, 33, 127, 4));
  EXPECT_FALSE(merged().contains("lm_head.weight"));
  EXPECT_EQ(config, R"({"model_type": "llama"})");
  const RawTensors out = merged(with(Head::untie));
  EXPECT_TRUE(out.at("lm_head.weight") == weight);
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == weight);
  EXPECT_EQ(field("/tie_word_embeddings"), false);
}

// Some heads are not called lm_head, and some classes tie without a field in the config.
TEST_F(MergeTied, the_class_says_what_is_tied) {
  const std::string embedding = "model.decoder.embed_tokens";
  const RawTensors factors = lora("proj_out", 37, 16, 4);
  write_adapter(adapter(), factors);
  write_base_of("WhisperForConditionalGeneration", {{embedding + ".weight", weight}});
  const RawTensors out = merged();
  EXPECT_TRUE(out.at("proj_out.weight") == with_lora(weight, factors, "proj_out", kScale, Dtype::bfloat16));
  EXPECT_TRUE(out.at(embedding + ".weight") == weight);
  EXPECT_EQ(field("/tie_word_embeddings"), false);

  write_base_of("LlamaForCausalLM", {{embedding + ".weight", weight}});
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "has no tensor 'proj_out.weight'"));
}

// Untying one tensor of a group unties all.
TEST_F(MergeTied, a_group_is_written_whole) {
  const RawTensors factors = lora("lm_head", 37, 16, 4);
  write_base_of("BartForConditionalGeneration", {{"model.shared.weight", weight}});
  write_adapter(adapter(), factors);
  const RawTensors out = merged();
  EXPECT_EQ(out.size(), 4);
  for (const char* name :
       {"model.shared.weight", "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"})
    EXPECT_TRUE(out.at(name) == weight) << name;
  EXPECT_TRUE(out.at("lm_head.weight") == with_lora(weight, factors, "lm_head", kScale, Dtype::bfloat16));
  EXPECT_EQ(field("/tie_word_embeddings"), false);
}

// An untied Marian decoder takes its row count from decoder_vocab_size, which was unused (and wrong) before.
TEST_F(MergeTied, a_decoder_is_as_large_as_what_is_written) {
  const RawTensors factors = lora("lm_head", 37, 16, 4);
  write_adapter(adapter(), factors);
  write_base_of("MarianMTModel", {{"model.shared.weight", weight}}, {{"decoder_vocab_size", 99}, {"vocab_size", 37}});
  EXPECT_EQ(merged().size(), 4);
  EXPECT_EQ(field("/decoder_vocab_size"), 37);
  EXPECT_EQ(field("/vocab_size"), 37);
}

// If encoder and decoder share no embedding, the head is tied to the decoder's.
TEST_F(MergeTied, an_encoder_that_shares_nothing_is_apart) {
  const RawTensors factors = lora("lm_head", 37, 16, 4);
  write_adapter(adapter(), factors);
  const RawTensor encoder = random_weight({41, 16}, Dtype::bfloat16, 9);
  write_base_of("MarianMTModel",
                {{"model.encoder.embed_tokens.weight", encoder}, {"model.decoder.embed_tokens.weight", weight}},
                {{"share_encoder_decoder_embeddings", false}, {"decoder_vocab_size", 37}, {"vocab_size", 41}});
  const RawTensors out = merged();
  EXPECT_EQ(out.size(), 3);
  EXPECT_TRUE(out.at("model.encoder.embed_tokens.weight") == encoder);
  EXPECT_TRUE(out.at("model.decoder.embed_tokens.weight") == weight);
  EXPECT_TRUE(out.at("lm_head.weight") == with_lora(weight, factors, "lm_head", kScale, Dtype::bfloat16));
  EXPECT_EQ(field("/tie_word_embeddings"), false);
  EXPECT_EQ(field("/decoder_vocab_size"), 37);
  write_adapter(adapter(), {{kPeft + "model.encoder.embed_tokens.weight", random_weight({43, 16})}});
  EXPECT_TRUE(holds(refusal(Status::unsupported), "cannot change the number of tokens of a MarianMTModel"));
}

// T5's tie_word_embeddings also selects how its outputs are scaled, so it must not become false.
TEST_F(MergeTied, a_flag_that_means_something_else_stays) {
  write_base_of("T5ForConditionalGeneration", {{"shared.weight", weight}}, {{"tie_word_embeddings", true}});
  write_adapter(adapter(), lora("lm_head", 37, 16, 4));
  EXPECT_EQ(merged().size(), 4);
  EXPECT_EQ(field("/tie_word_embeddings"), true);
  ASSERT_EQ(report.notes.size(), 1);
  EXPECT_TRUE(holds(report.notes.front(), "no field of its config says that tensors are no longer tied"));
}

TEST_F(MergeTied, nobody_knows_what_an_unknown_class_ties) {
  for (const char* text : {R"({"architectures": ["MyForCausalLM"]})", R"({"architectures": []})", "{}"}) {
    write_base({{kEmbedding + ".weight", weight}}, text);
    for (const RawTensors& factors :
         {lora("lm_head", 37, 16, 4), RawTensors{{kPeft + kEmbedding + ".weight", random_weight({37, 16})}}}) {
      write_adapter(adapter(), factors, {{"modules_to_save", {"embed_tokens"}}});
      EXPECT_TRUE(
          holds(refusal(Status::unsupported), "`tie` changes both, `untie` gives the head a tensor of its own"));
      EXPECT_EQ(merged(with(Head::tie)).size(), 1);
      EXPECT_EQ(merged(with(Head::untie)).size(), 2);
    }
  }
  // The base has both tensors, or its config says that nothing is tied.
  write_adapter(adapter(), lora("lm_head", 37, 16, 4));
  write_base({{kEmbedding + ".weight", weight}, {"lm_head.weight", weight}}, "{}");
  EXPECT_TRUE(merged().at(kEmbedding + ".weight") == weight);
  write_base({{kEmbedding + ".weight", weight}}, R"({"tie_word_embeddings": false})");
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "has no tensor 'lm_head.weight'"));
}

// transformers ties two equal tensors of a file, and keeps two that differ.
TEST_F(MergeTied, equal_tensors_of_a_tied_file_are_one) {
  const RawTensors tokens{{kPeft + kEmbedding + ".token_adapter.trainable_tokens_delta", random_weight({1, 16})}};
  write_adapter(adapter(), tokens, {{"trainable_token_indices", {3}}});
  for (const bool are_equal : {true, false}) {
    write_base_of("LlamaForCausalLM",
                  {{kEmbedding + ".weight", weight}, {"lm_head.weight", are_equal ? weight : other}},
                  {{"tie_word_embeddings", true}});
    const RawTensors out = merged();
    EXPECT_FALSE(out.at(kEmbedding + ".weight") == weight);
    EXPECT_TRUE(out.at("lm_head.weight") == (are_equal ? out.at(kEmbedding + ".weight") : other));
    EXPECT_EQ(field("/tie_word_embeddings"), true);
    const bool is_noted = std::ranges::any_of(
        report.notes, [](const std::string& note) { return note.find("ties 'lm_head.weight'") != note.npos; });
    EXPECT_EQ(is_noted, !are_equal);
  }
}

// Otherwise transformers would expect the head quantized, because the config's list does not name it.
TEST_F(MergeTied, an_untied_head_stays_plain_in_a_quantized_model) {
  const std::string embedding = "model.decoder.embed_tokens.weight";
  write_base_of("WhisperForConditionalGeneration", {{embedding, weight}, {kUp + ".weight", random_weight({64, 64})}});
  write_adapter(adapter(), lora("proj_out", 37, 16, 4));
  MergeOptions options;
  options.to_4bit = QuantType::nf4;
  const RawTensors out = merged(options);
  EXPECT_EQ(out.at("proj_out.weight").shape, weight.shape);
  const json skipped = field("/quantization_config/llm_int8_skip_modules");
  EXPECT_TRUE(std::ranges::find(skipped, "proj_out") != skipped.end()) << skipped;
}

// ---- a change of the vocabulary size ----

TEST_F(MergeTied, a_vocabulary_may_grow) {
  write_base({{kEmbedding + ".weight", weight}, {"lm_head.weight", weight}},
             R"({"model_type": "llama", "vocab_size": 37})");
  write_adapter(adapter(), {{kPeft + kEmbedding + ".weight", grown}, {kPeft + "lm_head.weight", grown}});
  const RawTensors out = merged();
  EXPECT_TRUE(out.at(kEmbedding + ".weight") == grown);
  EXPECT_TRUE(out.at("lm_head.weight") == grown);
  EXPECT_EQ(field("/vocab_size"), 40);
}

// The config gets vocab_size even if it was missing because it had the class's default.
TEST_F(MergeTied, the_config_says_how_many_tokens_there_are) {
  const std::string embedding = "language_model.model.embed_tokens.weight";
  write_base_of("Gemma3ForConditionalGeneration", {{embedding, weight}}, {{"text_config", json::object()}});
  write_adapter(adapter(), {{kPeft + "model.language_model.embed_tokens.weight", grown}});
  EXPECT_TRUE(merged().at(embedding) == grown);
  EXPECT_EQ(field("/text_config/vocab_size"), 40);
  EXPECT_EQ(report.tensors, 1);
}

// Older configs store the text model's fields at the top level. Other parts have their own vocabulary sizes.
TEST_F(MergeTied, a_config_without_parts_stays_without) {
  const std::string embedding = "model.embed_tokens.weight";
  write_base_of("Qwen2VLForConditionalGeneration", {{embedding, weight}},
                {{"vocab_size", 37}, {"tie_word_embeddings", true}, {"vision_config", {{"vocab_size", 37}}}});
  write_adapter(adapter(), {{kPeft + "model.language_model.embed_tokens.weight", grown}});
  EXPECT_TRUE(merged().at(embedding) == grown);
  EXPECT_EQ(field("/vocab_size"), 40);
  EXPECT_EQ(field("/vision_config/vocab_size"), 37);
  EXPECT_EQ(field("/text_config"), json());

  write_adapter(adapter(), lora("lm_head", 37, 16, 4));
  EXPECT_EQ(merged().size(), 2);
  EXPECT_EQ(field("/tie_word_embeddings"), false);
  EXPECT_EQ(field("/text_config"), json());
}

// The trained tokens apply to the tied tensor under any name that peft stores them with.
TEST_F(MergeTied, tokens_that_were_trained_are_of_all_names) {
  const RawTensor row = random_weight({1, 16}, Dtype::bfloat16, 4);
  for (const char* name : {"model.shared", "model.encoder.embed_tokens", "lm_head"}) {
    write_base_of("BartForConditionalGeneration", {{"model.shared.weight", weight}});
    write_adapter(adapter(), {{kPeft + name + ".token_adapter.trainable_tokens_delta", row}},
                  {{"trainable_token_indices", {3}}});
    const RawTensors out = merged();
    EXPECT_EQ(out.size(), 1);
    EXPECT_EQ(out.at("model.shared.weight").bytes.substr(3 * 32, 32), row.bytes) << name;
  }
}

TEST_F(MergeTied, biases_of_new_tokens_are_zero) {
  const RawTensor bias = random_weight({1, 37}, Dtype::float32, 5);
  write_base_of("BartForConditionalGeneration", {{"model.shared.weight", weight}, {"final_logits_bias", bias}},
                {{"vocab_size", 37}});
  write_adapter(adapter(), {{kPeft + "model.shared.weight", grown}, {kPeft + "lm_head.weight", grown}});
  const RawTensors out = merged();
  std::vector<float> values = values_of(bias);
  values.resize(40);
  EXPECT_TRUE(out.at("final_logits_bias") == tensor_of(values, {1, 40}, Dtype::float32));
  EXPECT_TRUE(out.at("model.shared.weight") == grown);
  EXPECT_EQ(out.size(), 2);
  EXPECT_EQ(field("/vocab_size"), 40);

  const RawTensor fewer = random_weight({30, 16}, Dtype::bfloat16, 2);
  write_adapter(adapter(), {{kPeft + "model.shared.weight", fewer}, {kPeft + "lm_head.weight", fewer}});
  values.resize(30);
  EXPECT_TRUE(merged().at("final_logits_bias") == tensor_of(values, {1, 30}, Dtype::float32));
}

TEST_F(MergeTied, new_rows_that_no_adapter_has_are_not_made_up) {
  write_base_of("LlamaForCausalLM", {{kEmbedding + ".weight", weight}, {"lm_head.weight", weight}});
  write_adapter(adapter(), {{kPeft + kEmbedding + ".weight", grown}});
  EXPECT_TRUE(holds(refusal(Status::invalid_data),
                    "makes the vocabulary 40 tokens, from 37, and has no rows of 'lm_head.weight' for them"));
}

// ---- what was probably not intended ----

TEST_F(MergeTied, a_tokenizer_of_more_tokens_is_noted) {
  write_base_of("LlamaForCausalLM", {{kEmbedding + ".weight", weight}, {kUp + ".weight", random_weight({33, 127})}});
  for (const int largest : {36, 37}) {
    write_adapter(adapter(), lora(kUp, 33, 127, 4));
    write_file(adapter() / "tokenizer.json", nlohmann::json{{"model", {{"vocab", {{"a", largest}}}}}}.dump());
    merged();
    ASSERT_EQ(report.notes.size(), largest == 36 ? 0 : 1);
  }
  EXPECT_TRUE(holds(report.notes.front(), "its tokenizer has tokens up to 37, and the model 37 rows for them"));
  write_adapter(adapter("other"), lora(kUp, 33, 127, 4));
  write_file(adapter("other") / "tokenizer.json", R"({"model": {"vocab": {"a": 1}}})");
  merged({}, {{adapter("other")}, {adapter()}});
  ASSERT_EQ(report.notes.size(), 2);
  EXPECT_TRUE(holds(report.notes.back(), "the last one's is taken"));
}

TEST_F(MergeTied, an_adapter_that_adds_nothing_is_noted) {
  write_base(layers());
  RawTensors factors = lora(kUp, 33, 127, 4);
  std::string& bytes = factors.at(kPeft + kUp + ".lora_B.weight").bytes;
  bytes.assign(bytes.size(), '\0');
  write_adapter(adapter(), factors);
  merged();
  ASSERT_EQ(report.notes.size(), 1);
  EXPECT_TRUE(holds(report.notes.front(), "every lora_B is zero: it adds nothing"));
}

// ---- the table ----

TEST(VocabularyTable, has_every_class_once) {
  Names classes;
  for (const VocabularyRow& row : vocabulary_table()) {
    EXPECT_FALSE(row.tensors.empty());
    EXPECT_TRUE(row.ties_by_default || !row.tie_fields.empty() || row.tensors.find('=') == row.tensors.npos);
    std::string name;
    for (const char c : std::string(row.classes) + " ")
      if (c == ' ')
        classes.push_back(std::exchange(name, ""));
      else
        name += c;
  }
  std::ranges::sort(classes);
  EXPECT_TRUE(std::ranges::adjacent_find(classes) == classes.end());
  EXPECT_TRUE(std::ranges::binary_search(classes, "LlamaForCausalLM"));
}

}  // namespace
}  // namespace qfuse::checkpoint
