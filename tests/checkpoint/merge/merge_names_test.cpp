// Adapters whose layers the file calls otherwise, has as rows of one weight, or lacks.
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <qfuse/checkpoint.hpp>
#include <string>
#include <utility>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

using nlohmann::json;

class MergeNames : public Merge {
 protected:
  std::string refusal(Status status, const RawTensors& factors, const json& fields = json::object()) {
    write_adapter(adapter(), factors, fields);
    return error_of(status, [&] { merged(); });
  }
};

// ---- Tinker's names ----

TEST_F(MergeNames, tinkers_head_is_lm_head) {
  const RawTensor weight = random_weight({37, 16});
  const RawTensor head = random_weight({37, 16}, Dtype::bfloat16, 9);
  const std::string tinkers = "model.unembed_tokens";
  const RawTensors factors = lora(tinkers, 37, 16, 4);
  write_adapter(adapter(), factors);
  for (const auto& [embedding, name] :
       {std::pair(kEmbedding, "LlamaForCausalLM"),
        std::pair(std::string("model.language_model.embed_tokens"), "Qwen3_5ForConditionalGeneration")}) {
    const std::string of_class = json{{"architectures", {name}}, {"tie_word_embeddings", false}}.dump();
    write_base({{embedding + ".weight", weight}, {"lm_head.weight", head}}, of_class);
    RawTensors out = merged();
    EXPECT_TRUE(out.at("lm_head.weight") == with_lora(head, factors, tinkers, kScale, Dtype::bfloat16)) << name;
    EXPECT_TRUE(out.at(embedding + ".weight") == weight) << name;
    // Tied: as peft's adapter of lm_head.
    fs::remove_all(base());
    write_base({{embedding + ".weight", weight}},
               json{{"architectures", {name}}, {"tie_word_embeddings", true}}.dump());
    out = merged();
    EXPECT_TRUE(out.at("lm_head.weight") == with_lora(weight, factors, tinkers, kScale, Dtype::bfloat16)) << name;
    EXPECT_TRUE(out.at(embedding + ".weight") == weight) << name;
    EXPECT_EQ(json::parse(config).at("tie_word_embeddings"), false);
    MergeOptions tie;
    tie.head = Head::tie;
    EXPECT_TRUE(merged(tie).at(embedding + ".weight") == with_lora(weight, factors, tinkers, kScale, Dtype::bfloat16));
    fs::remove_all(base());
  }
}

TEST_F(MergeNames, tinkers_attn_is_self_attn) {
  const std::string in_file = "model.layers.0.self_attn.q_proj.weight";
  const RawTensor weight = random_weight({33, 16});
  const RawTensors factors = lora("model.layers.0.attn.q_proj", 33, 16, 4);
  write_base({{in_file, weight}}, R"({"model_type": "gpt_oss"})");
  write_adapter(adapter(), factors);
  EXPECT_TRUE(merged().at(in_file) ==
              with_lora(weight, factors, "model.layers.0.attn.q_proj", kScale, Dtype::bfloat16));
}

// A vision model has its text layers below language_model, which Tinker leaves out; its experts share lora_A.
TEST_F(MergeNames, tinkers_experts_are_a_stack_of_a_vision_model) {
  const std::string stack = "model.language_model.layers.0.mlp.experts.gate_up_proj";
  const std::string experts = "model.layers.0.mlp.experts.";
  const RawTensor weight = random_weight({2, 8, 6});
  std::vector<float> values = values_of(weight);
  RawTensors factors;
  for (const auto& [name, half] : {std::pair("w1", 0), std::pair("w3", 4)}) {
    RawTensors own = lora(experts + name, 8, 6, 4, static_cast<unsigned>(half));
    RawTensor& all_b = own.at(kPeft + experts + name + ".lora_B.weight");
    RawTensor& a = own.at(kPeft + experts + name + ".lora_A.weight");
    const std::vector<float> b = values_of(all_b);
    for (const int expert : {0, 1}) {
      const auto begin = values.begin() + (expert * 8 + half) * 6;
      const Matrix rows{4, 4, {b.begin() + expert * 16, b.begin() + expert * 16 + 16}};
      std::ranges::copy(sum_of({begin, begin + 24}, rows, matrix_of(a), kScale), begin);
    }
    all_b.shape = {2, 4, 4};
    a.shape = {1, 4, 6};
    factors.merge(own);
  }
  write_base({{stack, weight}}, R"({"model_type": "qwen3_5_moe"})");
  write_adapter(adapter(), factors);
  EXPECT_TRUE(merged().at(stack) == tensor_of(values, weight.shape, Dtype::bfloat16));
}

// ---- rows of one weight ----

struct Part {
  std::string name;
  std::int64_t first = 0;
  std::int64_t rows = 0;
  std::int64_t rank = 4;
};

// `weight` with the product of each part in its rows, rounded once.
RawTensor with_parts(const RawTensor& weight, const RawTensors& factors, const std::string& holder,
                     const std::vector<Part>& parts) {
  const std::int64_t columns = weight.shape[1];
  std::vector<float> values = values_of(weight);
  for (const Part& part : parts) {
    const auto begin = values.begin() + part.first * columns;
    const std::vector<float> sums = sum_of(
        {begin, begin + part.rows * columns}, matrix_of(factors.at(kPeft + holder + part.name + ".lora_B.weight")),
        matrix_of(factors.at(kPeft + holder + part.name + ".lora_A.weight")), kScale);
    std::ranges::copy(sums, begin);
  }
  return tensor_of(values, weight.shape, Dtype::bfloat16);
}

RawTensors factors_of(const std::string& holder, const std::vector<Part>& parts, std::int64_t columns) {
  RawTensors factors;
  unsigned seed = 0;
  for (const Part& part : parts) factors.merge(lora(holder + part.name, part.rows, columns, part.rank, ++seed));
  return factors;
}

const std::string kLinear = "model.layers.0.linear_attn.";
const std::string kInProj = "model.language_model.layers.0.linear_attn.in_proj_qkv.weight";
// 2 heads of 3 for queries and keys, 4 of 5 for values: the rows are 6 + 6 + 20.
constexpr const char* kHybrid =
    R"({"model_type": "qwen3_5", "text_config": {"linear_num_key_heads": 2, "linear_key_head_dim": 3,
        "linear_num_value_heads": 4, "linear_value_head_dim": 5}})";

TEST_F(MergeNames, queries_keys_and_values_are_rows_of_one_weight) {
  const RawTensor weight = random_weight({32, 16});
  const std::vector<Part> all{{"in_proj_q", 0, 6}, {"in_proj_k", 6, 6, 2}, {"in_proj_v", 12, 20}};
  write_base({{kInProj, weight}}, kHybrid);
  for (const std::vector<Part>& parts : {all, std::vector<Part>{all[1]}, std::vector<Part>{all[0], all[2]}}) {
    const RawTensors factors = factors_of(kLinear, parts, 16);
    write_adapter(adapter(), factors, {{"rank_pattern", {{"in_proj_k", 2}}}, {"alpha_pattern", {{"in_proj_k", 4}}}});
    EXPECT_TRUE(merged().at(kInProj) == with_parts(weight, factors, kLinear, parts)) << parts.size();
    EXPECT_EQ(report.merged.size(), 1U);
  }
}

TEST_F(MergeNames, gate_and_x_are_the_first_rows_of_a_mamba_layer) {
  const std::string holder = "backbone.layers.0.mixer.";
  const RawTensor weight = random_weight({31, 16});
  const std::vector<Part> parts{{"gate_proj", 0, 12}, {"x_proj", 12, 12}};
  const RawTensors factors = factors_of(holder, parts, 16);
  write_base({{holder + "in_proj.weight", weight}},
             R"({"model_type": "nemotron_h", "mamba_num_heads": 3, "mamba_head_dim": 4})");
  write_adapter(adapter(), factors);
  EXPECT_TRUE(merged().at(holder + "in_proj.weight") == with_parts(weight, factors, holder, parts));
}

TEST_F(MergeNames, rows_that_do_not_fit_are_refused) {
  write_base({{kInProj, random_weight({32, 16})}}, kHybrid);
  EXPECT_TRUE(holds(refusal(Status::invalid_data, lora(kLinear + "in_proj_k", 7, 16, 4)),
                    "whose product does not fit the 6 rows from row 6 of '" + kInProj + "', which is [32, 16]"));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, lora(kLinear + "in_proj_k", 6, 15, 4)), "does not fit the 6 rows"));
  RawTensors twice = lora(kLinear + "in_proj_k", 6, 16, 4);
  twice.merge(lora("model.language_model.layers.0.linear_attn.in_proj_k", 6, 16, 4));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, twice), "and another of its modules are both '" + kInProj));
  RawTensors whole = lora(kLinear + "in_proj_k", 6, 16, 4);
  whole.merge(lora(kLinear + "in_proj_qkv", 32, 16, 4));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, whole), "and another of its modules are both '" + kInProj));
  RawTensors dora = lora(kLinear + "in_proj_k", 6, 16, 4);
  dora[kPeft + kLinear + "in_proj_k.lora_magnitude_vector"] = random_weight({6}, Dtype::float32);
  EXPECT_TRUE(holds(refusal(Status::unsupported, dora, {{"use_dora", true}}), "is for a part of the rows of"));
  for (const char* config :
       {R"({"model_type": "qwen3_5"})",
        R"({"linear_num_key_heads": 9223372036854775807, "linear_key_head_dim": 9223372036854775807})"}) {
    write_base({{kInProj, random_weight({32, 16})}}, config);
    EXPECT_TRUE(holds(refusal(Status::unsupported, lora(kLinear + "in_proj_k", 6, 16, 4)),
                      "does not say which: it lacks linear_num_key_heads and linear_key_head_dim"));
  }
}

// ---- layers that the file lacks ----

RawTensors zero(RawTensors factors, const std::string& module) {
  std::string& bytes = factors.at(kPeft + module + ".lora_B.weight").bytes;
  bytes.assign(bytes.size(), '\0');
  return factors;
}

// Gemma 4's last layers use keys and values of an earlier one, and its files may lack k_proj for them.
TEST_F(MergeNames, a_lora_that_is_zero_needs_no_layer) {
  const std::string own = "model.layers.0.self_attn.k_proj";
  const std::string shared = "model.layers.1.self_attn.k_proj";
  const RawTensor weight = random_weight({8, 16});
  const std::string gemma = R"({"model_type": "gemma4_text", "num_hidden_layers": 2, "num_kv_shared_layers": 1})";
  write_base({{own + ".weight", weight}}, gemma);
  RawTensors trained = lora(own, 8, 16, 4);
  trained.merge(lora(shared, 8, 16, 4, 2));
  const RawTensors factors = zero(trained, shared);
  write_adapter(adapter(), factors);
  const RawTensors out = merged();
  EXPECT_TRUE(out.at(own + ".weight") == with_lora(weight, factors, own, kScale, Dtype::bfloat16));
  EXPECT_EQ(out.size(), 1U);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_TRUE(holds(report.notes.front(), "since their lora_B is zero: 1, as '" + shared + "'"));

  EXPECT_TRUE(holds(refusal(Status::invalid_data, trained), "num_kv_shared_layers"));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, trained), "has no tensor '" + shared + ".weight'"));
  EXPECT_TRUE(holds(refusal(Status::invalid_data, zero(lora(shared, 8, 16, 4), shared)), "has no tensor"));
  RawTensors biased = factors;
  biased[kPeft + shared + ".lora_B.bias"] = random_weight({8}, Dtype::float32);
  EXPECT_TRUE(holds(refusal(Status::invalid_data, biased, {{"lora_bias", true}}), "has no tensor"));

  const RawTensor second = random_weight({8, 16}, Dtype::bfloat16, 5);
  write_base({{own + ".weight", weight}, {shared + ".weight", second}}, gemma);
  write_adapter(adapter(), trained);
  EXPECT_TRUE(merged().at(shared + ".weight") == with_lora(second, trained, shared, kScale, Dtype::bfloat16));
}

}  // namespace
}  // namespace qfuse::checkpoint
