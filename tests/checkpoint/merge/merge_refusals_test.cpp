// What merge() refuses, and that a refused merge leaves no output.
#include <cmath>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

class MergeRefuses : public Merge {
 protected:
  void SetUp() override {
    write_base(layers());
    write_adapter(adapter(), lora(kUp, 33, 127, 4));
  }
  std::string refusal(Status status, const MergeOptions& options = {}, const std::string& out = "out") {
    const std::string error = error_of(status, [&] { merge_to(directory / out, options); });
    EXPECT_EQ(names_in(directory.path()), (Names{"adapter", "base"}));
    return error;
  }
  std::string refusal_of(const RawTensors& tensors, const nlohmann::json& changes = nlohmann::json::object(),
                         Status status = Status::invalid_data) {
    write_adapter(adapter(), tensors, changes);
    return refusal(status);
  }
};

TEST_F(MergeRefuses, outputs_that_are_an_input_or_within_one) {
  MergeOptions options;
  options.force = true;
  const auto before = files_in(adapter());
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter"), "is the input itself"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "base"), "is the input itself"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter/out"), "lies within the input"));
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options, "adapter/../adapter"), "is the input itself"));
  EXPECT_TRUE(files_in(adapter()) == before);
  fs::rename(adapter(), base() / "adapter");
  EXPECT_REFUSED(Status::invalid_argument, "is the input itself",
                 merge(base(), std::vector<AdapterInput>{{base() / "adapter"}}, base() / "adapter", options));
  EXPECT_TRUE(files_in(base() / "adapter") == before);
  // Someone put an adapter into the output of an earlier run. Replacing the output would delete the adapter.
  merge(base(), std::vector<AdapterInput>{{base() / "adapter"}}, directory / "out");
  fs::rename(base() / "adapter", directory / "out/adapter");
  EXPECT_REFUSED(Status::invalid_argument, "contains the input",
                 merge(base(), std::vector<AdapterInput>{{directory / "out/adapter"}}, directory / "out", options));
  EXPECT_TRUE(files_in(directory / "out/adapter") == before);
}

// The head of a classifier or a reward model, trained on a causal model.
TEST_F(MergeRefuses, a_head_that_the_base_lacks) {
  write_file(base() / "config.json", R"({"architectures": ["LlamaForCausalLM"]})");
  RawTensors tensors = lora(kUp, 33, 127, 4);
  tensors[kPeft + "score.weight"] = random_weight({3, 127});
  const nlohmann::json saved{{"modules_to_save", {"classifier", "score"}}};
  const std::string refused = refusal_of(tensors, saved);
  EXPECT_TRUE(holds(refused, "tensor 'base_model.model.score.weight': is of a head that was trained with the adapter"));
  EXPECT_TRUE(holds(refused,
                    "lacks, which is a LlamaForCausalLM: save the base with that head first, by transformers' "
                    "AutoModelForSequenceClassification.from_pretrained(BASE, num_labels=3)"));
  for (const auto& [task, name] : {std::pair("TOKEN_CLS", "AutoModelForTokenClassification."),
                                   std::pair("QUESTION_ANS", "AutoModelForQuestionAnswering."),
                                   std::pair("SEQ_CLS", "AutoModelForSequenceClassification.")}) {
    nlohmann::json config = saved;
    config["task_type"] = task;
    EXPECT_TRUE(holds(refusal_of(tensors, config), name));
  }
  // A layer, or a tensor that the config does not list as trained, belongs to another model.
  tensors[kPeft + "model.layers.7.mlp.gate.weight"] =
      std::exchange(tensors[kPeft + "score.weight"], random_weight({1}));
  tensors.erase(kPeft + "score.weight");
  EXPECT_TRUE(holds(refusal_of(tensors, {{"modules_to_save", {"gate"}}}), "the adapter is of another model"));
}

TEST_F(MergeRefuses, an_adapter_where_a_run_removes_what_it_finds) {
  fs::rename(adapter(), directory / "out.qfuse-partial");
  EXPECT_REFUSED(Status::invalid_argument, "which is removed on the way",
                 merge(base(), std::vector<AdapterInput>{{directory / "out.qfuse-partial"}}, directory / "out"));
  EXPECT_EQ(names_in(directory / "out.qfuse-partial").size(), 2U);
}

TEST_F(MergeRefuses, options) {
  EXPECT_EQ(error_of(Status::invalid_argument, [&] { merge(base(), {}, directory / "out"); }), "no adapter is given");
  EXPECT_REFUSED(Status::invalid_argument, "its weight is inf, and must be a number",
                 merge(base(), std::vector<AdapterInput>{{adapter(), INFINITY}}, directory / "out"));
  MergeOptions options;
  options.head = Head::untie;
  EXPECT_TRUE(holds(refusal(Status::invalid_argument, options), "there is nothing to tie or to untie"));
  EXPECT_REFUSED(Status::invalid_argument, "is an adapter itself; BASE comes first",
                 merge(adapter(), std::vector<AdapterInput>{{adapter()}}, directory / "out"));
  EXPECT_REFUSED(Status::io_error, "none",
                 merge(directory / "none", std::vector<AdapterInput>{{adapter()}}, directory / "out"));
}

TEST_F(MergeRefuses, numbers_that_are_none) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  std::vector<float> values = values_of(factors.at(kPeft + kUp + ".lora_A.weight"));
  values[130] = NAN;
  factors[kPeft + kUp + ".lora_A.weight"] = tensor_of(values, {4, 127}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "'" + kPeft + kUp + ".lora_A.weight': element 130 is nan"));
  MergeOptions options;
  options.allow_nonfinite = true;
  EXPECT_TRUE(std::isnan(values_of(merged(options).at(kUp + ".weight")).at(3)));
}

TEST_F(MergeRefuses, adapters_of_another_model) {
  EXPECT_TRUE(holds(
      refusal_of(lora("model.layers.7.mlp.up_proj", 33, 127, 4)),
      "has no tensor 'model.layers.7.mlp.up_proj.weight', the nearest is 'model.layers.0.mlp.up_proj.weight': the "
      "adapter is of another model, with other layers"));
  EXPECT_TRUE(holds(
      refusal_of(lora(kUp, 34, 127, 4)),
      "have the shapes [4, 127] and [34, 4], whose product does not fit '" + kUp + ".weight', which is [33, 127]"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 127, 33, 4)), "fits '" + kUp + ".weight' only transposed"));
}

TEST_F(MergeRefuses, ranks_that_the_config_does_not_say) {
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 5)),
                    "have the shapes [5, 127] and [33, 5], and adapter_config.json "
                    "says rank 4"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), {{"rank_pattern", {{"up_proj", 2}}}}), "says rank 2"));
}

TEST_F(MergeRefuses, tensors_that_are_left_over) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  const RawTensor a = factors.at(kPeft + kUp + ".lora_A.weight");
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_A.weight", a}}), "its lora_B is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_B.weight", a}}), "its lora_A is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_magnitude_vector", a}}), "its lora_A is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_B.bias", a}}), "its lora_B.weight is missing"));
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".lora_embedding_A", a}}), "its lora_embedding_B is missing"));
  factors[kPeft + kUp + ".lora_magnitude_vector"] = random_weight({33}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "is DoRA's, and adapter_config.json does not say use_dora"));
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), {{"use_dora", true}}), "its lora_magnitude_vector is missing"));
  factors[kPeft + kUp + ".lora_magnitude_vector"] = random_weight({32}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors, {{"use_dora", true}}), "has the shape [32], and needs 33 values"));
  factors = lora(kUp, 33, 127, 4);
  factors[kPeft + "model.other.weight"] = random_weight({33});
  EXPECT_TRUE(holds(refusal_of(factors), "has no tensor 'model.other.weight'"));
}

// Two module names in memory that are one tensor in the file, so that both products would be added to it.
TEST_F(MergeRefuses, two_modules_that_mean_one_tensor) {
  RawTensors factors = lora(kUp, 33, 127, 4);
  factors.merge(lora("language_model." + kUp, 33, 127, 4, 2));
  EXPECT_TRUE(holds(refusal_of(factors), "'" + kUp + ".weight'"));
}

TEST_F(MergeRefuses, names_that_may_mean_two) {
  RawTensors base_tensors = layers();
  base_tensors.erase(kUp + ".weight");
  base_tensors["a." + kUp + ".weight"] = random_weight({33, 127});
  base_tensors["b." + kUp + ".weight"] = random_weight({33, 127});
  write_base(base_tensors);
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "may be 'a." + kUp + ".weight' or 'b." + kUp + ".weight'"));
}

TEST_F(MergeRefuses, shapes_that_are_no_matrix) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {4}, {0}, {0, 127}, {4, 0}, {4, 127, 2}, {1, 1, 1, 1}}) {
    RawTensors factors = lora(kUp, 33, 127, 4);
    factors[kPeft + kUp + ".lora_A.weight"] = random_weight(shape, Dtype::float32);
    EXPECT_NE(refusal_of(factors), "");
    factors = lora(kUp, 33, 127, 4);
    factors[kPeft + kUp + ".lora_B.weight"] = random_weight(shape, Dtype::float32);
    EXPECT_NE(refusal_of(factors), "");
    EXPECT_NE(refusal_of({{kPeft + "model.norm.weight", random_weight(shape)}}), "");
  }
  write_base({{"number", random_weight({}, Dtype::float32)}});
  EXPECT_TRUE(holds(refusal_of({{kPeft + "number.weight", random_weight({})}}), "has no tensor"));
}

TEST_F(MergeRefuses, dtypes_that_cannot_be_merged_into) {
  EXPECT_TRUE(holds(refusal_of({{kPeft + kUp + ".weight", {"I64", {1}, std::string(8, '\0')}}},
                               nlohmann::json::object(), Status::unsupported),
                    "has the dtype I64; adapters have F32, F16 or BF16"));
  write_base({{kUp + ".weight", {"F64", {33, 127}, std::string(33 * 127 * 8, '\0')}}});
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), nlohmann::json::object(), Status::unsupported),
                    "is F64, and only F32, F16 and BF16 can be merged into"));
}

TEST_F(MergeRefuses, tokens_that_the_embedding_has_not) {
  write_base({{kEmbedding + ".weight", random_weight({37, 16})}, {"lm_head.weight", random_weight({37, 16})}});
  const RawTensors rows{{kPeft + kEmbedding + ".token_adapter.trainable_tokens_delta", random_weight({2, 16})}};
  const auto refusal_for = [&](const nlohmann::json& indices) {
    return refusal_of(rows, {{"trainable_token_indices", indices}});
  };
  EXPECT_TRUE(holds(refusal_for({1, 37}), "is for token 37, and the embedding has 37"));
  EXPECT_TRUE(holds(refusal_for({1, 9'223'372'036'854'775'807}), "and the embedding has 37"));
  EXPECT_TRUE(holds(refusal_for({1, 1}), "is for token 1 twice"));
  EXPECT_TRUE(holds(refusal_for({1, 2, 3}), "has the shape [2, 16], and needs 3 rows of 16"));
  EXPECT_TRUE(holds(refusal_for({1, -1}), "trainable_token_indices is [1,-1], needs to be numbers of tokens"));
  EXPECT_TRUE(holds(refusal_for({{"wte", {1, 2}}}), "do not say which rows it is for"));
  EXPECT_TRUE(holds(refusal_for(nullptr), "do not say which rows it is for"));
}

TEST_F(MergeRefuses, parts_of_an_adapter) {
  EXPECT_TRUE(holds(refusal_of(lora(kUp, 11, 127, 4)), "the adapter is of another model"));
  RawTensors factors = lora(kUp, 11, 127, 12);  // of 3 processes
  factors[kPeft + kUp + ".lora_A.weight"] = random_weight({4, 127}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors, {{"r", 12}}), "the file has one of 3 parts of each matrix"));
  for (const char* factor : {".lora_A.weight", ".lora_B.weight"})
    factors[kPeft + kUp + factor] = random_weight({24}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "FSDP leaves such parts"));
}

TEST_F(MergeRefuses, convolutions_in_groups) {
  write_base({{"conv.weight", random_weight({8, 2, 3}, Dtype::float32)}});
  RawTensors factors{{kPeft + "conv.lora_A.weight", random_weight({4, 6, 3}, Dtype::float32)},
                     {kPeft + "conv.lora_B.weight", random_weight({8, 4, 1}, Dtype::float32)}};
  EXPECT_TRUE(holds(refusal_of(factors), "is a convolution in 3 groups, which peft does not merge either"));
  factors[kPeft + "conv.lora_A.weight"] = random_weight({4, 6, 2}, Dtype::float32);
  EXPECT_TRUE(holds(refusal_of(factors), "the adapter is of another model"));
}

TEST_F(MergeRefuses, an_alpha_of_zero) {
  for (const nlohmann::json& changes : {nlohmann::json{{"lora_alpha", 0}}, {{"alpha_pattern", {{"up_proj", 0.0}}}}})
    EXPECT_TRUE(holds(refusal_of(lora(kUp, 33, 127, 4), changes), "the alpha of '" + kUp + "' is 0"));
}

// All factors are finite, but the scale overflows fp32.
TEST_F(MergeRefuses, scales_that_are_too_large_for_fp32) {
  EXPECT_NE(refusal_of(lora(kUp, 33, 127, 4), {{"lora_alpha", 1e300}}), "");
}

TEST_F(MergeRefuses, pipelines) {
  write_file(base() / "model_index.json", R"({"_class_name": "X"})");
  EXPECT_TRUE(holds(refusal(Status::invalid_data), "has no component with weights"));
}

}  // namespace
}  // namespace qfuse::checkpoint
