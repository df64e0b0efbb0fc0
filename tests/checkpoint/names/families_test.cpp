// Known model families: the consistency of the table, and what follows from it.
#include "checkpoint/names/families.h"

#include <algorithm>

#include "support.h"

namespace qfuse::checkpoint {
namespace {

TEST(FamiliesTest, the_checked_ones_are_sorted_and_named_once) {
  for (const auto checked : {checked_families(), checked_diffusers_classes()}) {
    EXPECT_GE(checked.size(), 30U);
    EXPECT_TRUE(std::is_sorted(checked.begin(), checked.end()));
    EXPECT_EQ(std::adjacent_find(checked.begin(), checked.end()), checked.end());
  }
}

TEST(FamiliesTest, what_is_transposed) {
  const std::vector<std::int64_t> kMatrix{3, 5};
  EXPECT_FALSE(Families({"gpt2"}).is_transposed("transformer.h.0.attn.c_attn.weight", std::vector<std::int64_t>{15}));
  EXPECT_TRUE(Families({"gpt2"}).is_transposed("transformer.h.0.attn.c_attn.weight", kMatrix));
  EXPECT_FALSE(Families({"gpt2"}).is_transposed("lm_head.weight", kMatrix));
  EXPECT_FALSE(Families({"gpt2"}).is_transposed("transformer.h.0.attn.c_attn.bias", kMatrix));
  EXPECT_FALSE(Families({"gpt_neox"}).is_transposed("transformer.h.0.attn.c_attn.weight", kMatrix));
  EXPECT_FALSE(Families({"gpt_bigcode"}).is_transposed("transformer.h.0.attn.c_attn.weight", kMatrix))
      << "names its layers as GPT-2 does, but they are linear";
  EXPECT_TRUE(
      Families({"vision-encoder-decoder", "gpt2"}).is_transposed("decoder.transformer.h.0.attn.c_attn.weight", kMatrix))
      << "the family of a part";
  EXPECT_FALSE(Families({}).is_transposed("transformer.h.0.attn.c_attn.weight", kMatrix));
}

TEST(FamiliesTest, what_stays_plain) {
  EXPECT_TRUE(Families({"falcon"}).stays_plain("transformer.h.0.self_attention.query_key_value.weight"));
  EXPECT_FALSE(Families({"bloom"}).stays_plain("transformer.h.0.self_attention.query_key_value.weight"));
  EXPECT_TRUE(Families({"t5"}).stays_plain("encoder.block.0.layer.1.DenseReluDense.wo.weight"));
  EXPECT_FALSE(Families({"t5"}).stays_plain("encoder.block.0.layer.1.DenseReluDense.wi.weight"));
}

TEST(FamiliesTest, what_is_checked) {
  EXPECT_TRUE(Families({"llama"}).is_checked());
  EXPECT_TRUE(Families({"FluxTransformer2DModel"}).is_checked());
  EXPECT_TRUE(Families({}).is_checked()) << "a file has no family";
  EXPECT_FALSE(Families({"llama4000"}).is_checked());
  EXPECT_FALSE(Families({"", "llama"}).is_checked());
  EXPECT_FALSE(Families({"llama4_text"}).is_quantizable());
}

}  // namespace
}  // namespace qfuse::checkpoint
