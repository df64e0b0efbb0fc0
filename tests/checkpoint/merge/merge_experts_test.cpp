// Adapters of experts, which files hold as one tensor or one by one.
#include <qfuse/checkpoint.hpp>
#include <string>
#include <vector>

#include "adapters.h"
#include "merging.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

const std::string kExperts = "model.layers.0.mlp.experts";

// Of [experts, out, in]: the columns of lora_B are ordered by rank, then expert; the rows of lora_A by expert.
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

// More layers than experts: number 3 of layer 0 is no other name for number 0 of layer 3.
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

}  // namespace
}  // namespace qfuse::checkpoint
