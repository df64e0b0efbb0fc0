// Adapters of experts, which a file stores as one stacked tensor or one by one.
#include <cmath>
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

const std::string kExperts = "model.layers.0.mlp.experts";

// One expert's matrices. Columns of the stored lora_B are ordered by rank, then expert; rows of lora_A by expert.
struct Expert {
  Matrix b;
  Matrix a;
};
Expert expert_of(const RawTensors& factors, std::int64_t experts, std::int64_t expert, std::int64_t rank) {
  const Matrix all_b = matrix_of(factors.at(kPeft + kExperts + ".lora_B.weight"));
  const Matrix all_a = matrix_of(factors.at(kPeft + kExperts + ".lora_A.weight"));
  Expert one{{all_b.rows, rank, {}}, {rank, all_a.columns, {}}};
  for (std::int64_t row = 0; row < all_b.rows; ++row)
    for (std::int64_t k = 0; k < rank; ++k) one.b.values.push_back(all_b.at(row, k * experts + expert));
  for (std::int64_t k = 0; k < rank; ++k)
    for (std::int64_t column = 0; column < all_a.columns; ++column)
      one.a.values.push_back(all_a.at(expert * rank + k, column));
  return one;
}

std::vector<float> part(const std::vector<float>& values, std::int64_t begin, std::int64_t count) {
  return {values.begin() + begin, values.begin() + begin + count};
}

TEST_F(Merge, joined_experts_get_a_product_each) {
  constexpr std::int64_t kCount = 5;
  const RawTensor weight = random_weight({kCount, 6, 9});
  const RawTensors factors = lora(kExperts, 6, 9, 2 * kCount);
  std::vector<float> expected;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Expert expert = expert_of(factors, kCount, i, 2);
    const std::vector<float> sums = sum_of(part(values_of(weight), i * 54, 54), expert.b, expert.a, 4.0F);
    expected.insert(expected.end(), sums.begin(), sums.end());
  }
  write_base({{kExperts + ".down_proj", weight}});
  write_adapter(adapter(), factors,
                {{"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.down_proj"}}});
  EXPECT_TRUE(merged().at(kExperts + ".down_proj") == tensor_of(expected, {kCount, 6, 9}, Dtype::bfloat16));
  EXPECT_EQ(report.merged.at(0).rule, "lora of experts");
}

// There are more layers than experts, to show that expert 3 of layer 0 is not mistaken for expert 0 of layer 3.
TEST_F(Merge, experts_that_are_stored_one_by_one_share_the_rows_of_a_product) {
  constexpr std::int64_t kCount = 3;
  RawTensors base;
  for (int layer = 0; layer < 5; ++layer)
    for (int i = 0; i < kCount; ++i)
      for (const char* name : {"gate_proj", "up_proj"})
        base["model.layers." + std::to_string(layer) + ".mlp.experts." + std::to_string(i) + "." + name + ".weight"] =
            random_weight({4, 9}, Dtype::bfloat16, static_cast<unsigned>(100 * layer + 10 * i + name[0]));
  const RawTensors factors = lora(kExperts, 8, 9, 2 * kCount);
  write_base(base);
  write_adapter(adapter(), factors,
                {{"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.gate_up_proj"}}});
  const RawTensors out = merged();
  for (std::int64_t i = 0; i < kCount; ++i) {
    const Expert expert = expert_of(factors, kCount, i, 2);
    for (const bool up : {false, true}) {
      const std::string name = kExperts + "." + std::to_string(i) + (up ? ".up_proj.weight" : ".gate_proj.weight");
      const Matrix rows{4, 2, part(expert.b.values, up ? 8 : 0, 8)};
      EXPECT_TRUE(out.at(name) ==
                  tensor_of(sum_of(values_of(base.at(name)), rows, expert.a, 4.0F), {4, 9}, Dtype::bfloat16))
          << name;
    }
  }
  EXPECT_EQ(report.merged.size(), 6U);
  for (const auto& [name, tensor] : base)
    if (!name.starts_with(kExperts)) {
      EXPECT_TRUE(out.at(name) == tensor) << name;
    }
}

// ---- names ----

// The adapter uses the names that transformers 5 has in memory. The file uses other names.
TEST_F(Merge, stacks_that_the_file_calls_otherwise) {
  const std::string moe = "model.layers.0.block_sparse_moe";
  for (const auto& [parameter, in_file] :
       {std::pair("gate_up_proj", ".input_linear.weight"), std::pair("down_proj", ".output_linear.weight"),
        std::pair("down_proj", ".experts.fc2.weight")}) {
    const RawTensor weight = random_weight({3, 6, 9}, Dtype::float32);
    const RawTensors factors = lora(moe + ".experts", 6, 9, 2 * 3);
    const nlohmann::json fields{
        {"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {std::string("experts.") + parameter}}};
    write_base({{moe + ".experts." + parameter, weight}});
    write_adapter(adapter(), factors, fields);
    const RawTensor expected = merged().at(moe + ".experts." + parameter);
    write_base({{moe + in_file, weight}});
    EXPECT_TRUE(merged().at(moe + in_file) == expected) << in_file;
    fs::remove_all(adapter());
  }
}

// Inkling interleaves the rows of gate and up in the file, but not in memory.
TEST_F(Merge, stacks_whose_rows_take_turns_in_the_file) {
  const RawTensor weight = random_weight({3, 6, 9}, Dtype::float32);
  const auto turns = [](const RawTensor& of) {
    const std::vector<float> values = values_of(of);
    std::vector<float> other;
    for (std::int64_t expert = 0; expert < 3; ++expert)
      for (std::int64_t row = 0; row < 6; ++row)
        for (const float x : part(values, (expert * 6 + row / 2 + row % 2 * 3) * 9, 9)) other.push_back(x);
    return tensor_of(other, {3, 6, 9}, Dtype::float32);
  };
  write_adapter(adapter(), lora(kExperts, 6, 9, 2 * 3),
                {{"r", 2}, {"peft_version", "0.19.0"}, {"target_parameters", {"experts.gate_up_proj"}}});
  write_base({{kExperts + ".gate_up_proj", weight}});
  const RawTensor expected = merged().at(kExperts + ".gate_up_proj");
  write_base({{kExperts + ".w13_weight", turns(weight)}});
  EXPECT_TRUE(merged().at(kExperts + ".w13_weight") == turns(expected));
}

// ---- a LoRA of each expert's own layers ----

// with_singles() adds each Single's product to rows `first`, `first` + `step`, ... of its expert's matrix.
struct Single {
  std::string module;
  std::int64_t expert = 0;
  std::int64_t first = 0;
  std::int64_t step = 1;
};
std::vector<float> with_singles(const RawTensor& weight, const RawTensors& factors, const std::vector<Single>& singles,
                                bool turned, float scale) {
  std::vector<float> values = values_of(weight);
  const std::int64_t rows = weight.shape[turned ? 2 : 1];
  const std::int64_t columns = weight.shape[turned ? 1 : 2];
  for (const Single& single : singles) {
    const Matrix b = matrix_of(factors.at(kPeft + single.module + ".lora_B.weight"));
    const Matrix a = matrix_of(factors.at(kPeft + single.module + ".lora_A.weight"));
    for (std::int64_t row = 0; row < b.rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column) {
        const std::int64_t at = single.first + row * single.step;
        float& value = values[static_cast<std::size_t>(single.expert * rows * columns +
                                                       (turned ? column * rows + at : at * columns + column))];
        float product = 0.0F;
        for (std::int64_t k = 0; k < b.columns; ++k) product = std::fma(b.at(row, k), a.at(k, column), product);
        value += scale * product;
      }
  }
  return values;
}

class MergeSingles : public Merge {
 protected:
  // The stack is [3 experts, 8, 6] or transposed, gate and up 4 x 6. Expert 1 has only a gate LoRA, of another rank.
  void judge(const std::string& name, bool turned, bool in_turns, const std::string& config) {
    const RawTensor weight = random_weight(turned ? Shape{3, 6, 8} : Shape{3, 8, 6}, Dtype::float32);
    const std::int64_t step = in_turns ? 2 : 1;
    const std::int64_t up = in_turns ? 1 : 4;
    const std::vector<Single> singles{{kExperts + ".0.gate_proj", 0, 0, step},
                                      {kExperts + ".0.up_proj", 0, up, step},
                                      {kExperts + ".1.w1", 1, 0, step},
                                      {kExperts + ".2.up_proj", 2, up, step}};
    RawTensors factors;
    unsigned seed = 0;
    for (const Single& single : singles)
      factors.merge(lora(single.module, 4, 6, single.module.ends_with("w1") ? 3 : 2, ++seed));
    write_base({{name, weight}}, config);
    write_adapter(adapter(), factors,
                  {{"r", 2}, {"lora_alpha", 4}, {"rank_pattern", {{"w1", 3}}}, {"alpha_pattern", {{"w1", 6}}}});
    const RawTensor expected =
        tensor_of(with_singles(weight, factors, singles, turned, 2.0F), weight.shape, Dtype::float32);
    EXPECT_TRUE(merged().at(name) == expected) << name;
  }
  using Shape = std::vector<std::int64_t>;
};

TEST_F(MergeSingles, lie_in_a_stack) {
  judge(kExperts + ".gate_up_proj", false, false, R"({"model_type": "qwen3_5_moe"})");
  judge(kExperts + ".gate_up_proj", true, false, R"({"model_type": "llama4"})");
  judge(kExperts + ".gate_up_proj", true, true, R"({"model_type": "gpt_oss"})");
  judge("model.layers.0.mlp.input_linear.weight", false, false, R"({"model_type": "granitemoe"})");
  judge(kExperts + ".w13_weight", false, true, R"({"model_type": "inkling2_text"})");
}

// The names are those of unsloth's gpt-oss loader. The scales differ.
TEST_F(MergeSingles, have_gate_and_up_as_one) {
  const RawTensor weight = random_weight({2, 6, 8}, Dtype::float32);
  RawTensors factors = lora(kExperts + ".gate_up_projs.0", 8, 6, 2, 1);
  factors.merge(lora(kExperts + ".gate_up_projs.1", 8, 6, 2, 2));
  write_base({{kExperts + ".gate_up_proj", weight}}, R"({"model_type": "gpt_oss"})");
  write_adapter(adapter(), factors, {{"r", 2}, {"lora_alpha", 4}, {"alpha_pattern", {{"gate_up_projs.1", 1}}}});
  std::vector<float> values = with_singles(weight, factors, {{kExperts + ".gate_up_projs.0", 0}}, true, 2.0F);
  values = with_singles(tensor_of(values, weight.shape, Dtype::float32), factors, {{kExperts + ".gate_up_projs.1", 1}},
                        true, 0.5F);
  EXPECT_TRUE(merged().at(kExperts + ".gate_up_proj") == tensor_of(values, weight.shape, Dtype::float32));
}

// Tinker stores the matrices of all experts as one 3D tensor, or as a single matrix if all experts share it.
TEST_F(MergeSingles, are_in_tensors_of_three_dimensions) {
  RawTensors base;
  for (int i = 0; i < 3; ++i)
    base[kExperts + "." + std::to_string(i) + ".up_proj.weight"] =
        random_weight({4, 6}, Dtype::float32, static_cast<unsigned>(i));
  const RawTensors apart = lora(kExperts + ".w3", 3 * 4, 6, 2);
  RawTensors factors = apart;
  factors.at(kPeft + kExperts + ".w3.lora_A.weight").shape = {1, 2, 6};
  factors.at(kPeft + kExperts + ".w3.lora_B.weight").shape = {3, 4, 2};
  write_base(base);
  write_adapter(adapter(), factors, {{"r", 2}, {"lora_alpha", 4}});
  const RawTensors out = merged();
  const Matrix b = matrix_of(apart.at(kPeft + kExperts + ".w3.lora_B.weight"));
  const Matrix a = matrix_of(apart.at(kPeft + kExperts + ".w3.lora_A.weight"));
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::string name = kExperts + "." + std::to_string(i) + ".up_proj.weight";
    const Matrix rows{4, 2, part(b.values, i * 8, 8)};
    EXPECT_TRUE(out.at(name) == tensor_of(sum_of(values_of(base.at(name)), rows, a, 2.0F), {4, 6}, Dtype::float32));
  }
}

TEST_F(MergeSingles, may_have_no_gate) {
  const std::string up = kExperts + ".0.up_proj.weight";
  const RawTensors plain = lora(kExperts + ".0.w1", 4, 6, 2);
  RawTensors factors;
  for (const auto& [name, tensor] : plain) {
    std::string of_all = name;
    RawTensor& factor = factors[of_all.erase(of_all.find(".0.w1."), 2)] = tensor;
    factor.shape.insert(factor.shape.begin(), 1);
    factors[of_all.replace(of_all.find(".w1."), 4, ".w3.")] = {"F32", {0}, {}};
  }
  const RawTensor weight = random_weight({4, 6}, Dtype::float32);
  write_base({{up, weight}});
  write_adapter(adapter(), factors, {{"r", 2}, {"lora_alpha", 4}});
  EXPECT_TRUE(merged().at(up) == with_lora(weight, plain, kExperts + ".0.w1", 2.0F, Dtype::float32));
}

TEST_F(MergeSingles, are_refused_where_they_fit_nothing) {
  const RawTensor weight = random_weight({3, 8, 6}, Dtype::float32);
  const auto refusal = [&](const RawTensors& factors, Status status, const nlohmann::json& fields) {
    write_adapter(adapter(), factors, fields);
    return error_of(status, [&] { merged(); });
  };
  const nlohmann::json fields{{"r", 2}};
  write_base({{kExperts + ".gate_up_proj", weight}}, R"({"model_type": "qwen3_moe"})");
  EXPECT_TRUE(holds(refusal(lora(kExperts + ".3.up_proj", 4, 6, 2), Status::invalid_data, fields),
                    "is for expert 3, and 'model.layers.0.mlp.experts.gate_up_proj' has 3"));
  EXPECT_TRUE(holds(refusal(lora(kExperts + ".1.up_proj", 5, 6, 2), Status::invalid_data, fields),
                    "which does not fit 'model.layers.0.mlp.experts.gate_up_proj', which is [3, 8, 6]"));
  RawTensors twice = lora(kExperts + ".1.up_proj", 4, 6, 2);
  twice.merge(lora(kExperts + ".1.w3", 4, 6, 2));
  EXPECT_TRUE(holds(refusal(twice, Status::invalid_data, fields), "are both for expert 1 of"));
  RawTensors dora = lora(kExperts + ".1.up_proj", 4, 6, 2);
  dora[kPeft + kExperts + ".1.up_proj.lora_magnitude_vector"] = random_weight({4}, Dtype::float32);
  EXPECT_TRUE(
      holds(refusal(dora, Status::unsupported, {{"r", 2}, {"use_dora", true}}), "is DoRA's for a single expert"));
  const std::string unknown = refusal(lora(kExperts + ".1.down_proj", 6, 4, 2), Status::invalid_data, fields);
  EXPECT_TRUE(holds(unknown, "the file calls its experts in a way that is not known here"));
  EXPECT_FALSE(holds(unknown, "peft"));
  fs::remove(base() / "config.json");
  write_base({{kExperts + ".down_proj", random_weight({3, 6, 6}, Dtype::float32)}}, "");
  EXPECT_TRUE(holds(refusal(lora(kExperts + ".1.down_proj", 6, 6, 2), Status::unsupported, fields),
                    "fits its square experts as it is and transposed"));
}

// ---- the order of lora_B ----

class MergeOrders : public Merge {
 protected:
  void SetUp() override { write_base({{kExperts + ".down_proj", random_weight({3, 6, 9}, Dtype::float32)}}); }
  RawTensor with(const nlohmann::json& more = nlohmann::json::object(), LoraBLayout layout = LoraBLayout::as_said,
                 std::int64_t rank = 2) {
    nlohmann::json fields{{"r", rank}, {"peft_version", "0.19.0"}, {"target_parameters", {"mlp.experts.down_proj"}}};
    fields.update(more);
    write_adapter(adapter(), lora(kExperts, 6, 9, rank * 3), fields);
    MergeOptions options;
    options.lora_b_layout = layout;
    return merged(options).at(kExperts + ".down_proj");
  }
};

TEST_F(MergeOrders, is_asked_for_where_unsloth_does_not_say_it) {
  const RawTensor peft = with();
  const RawTensor grouped = with({{"lora_B_layout", "grouped_by_expert"}});
  EXPECT_FALSE(peft == grouped);
  const nlohmann::json mapping{{"auto_mapping", {{"base_model_class", "X"}, {"unsloth_fixed", true}}}};
  const nlohmann::json base{{"base_model_name_or_path", "Unsloth/Qwen3-30B-A3B"}};
  for (const auto& [sign, said] : {std::pair(mapping, "adapter_config.json has auto_mapping.unsloth_fixed"),
                                   std::pair(base, "its base is 'Unsloth/Qwen3-30B-A3B'"),
                                   std::pair(nlohmann::json{{"unsloth_version", "2026.1"}}, "has unsloth_version")}) {
    const std::string error = error_of(Status::unsupported, [&, sign = sign] { with(sign); });
    for (const char* words : {"[rank][expert]", "[expert][rank]", "lora_b_layout", "grouped_by_expert", said})
      EXPECT_TRUE(holds(error, words)) << error;
    EXPECT_TRUE(with(sign, LoraBLayout::peft) == peft);
    EXPECT_TRUE(with(sign, LoraBLayout::grouped_by_expert) == grouped);
    nlohmann::json marked = sign;
    marked["lora_B_layout"] = "grouped_by_expert";
    EXPECT_TRUE(with(marked) == grouped);
    with(sign, LoraBLayout::as_said, 1);  // with rank 1 both orders are the same
  }
  write_file(adapter() / "README.md", "---\ntags:\n- base_model:adapter:x\n- unsloth\n---\n");
  EXPECT_REFUSED(Status::unsupported, "its README.md has the tag unsloth", with());
  write_file(adapter() / "README.md", "---\ntags: [lora]\n---\nnot by unsloth\n");
  EXPECT_TRUE(with() == peft);
}

}  // namespace
}  // namespace qfuse::checkpoint
