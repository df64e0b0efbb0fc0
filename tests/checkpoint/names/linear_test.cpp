// Which tensors are quantized by default, for the names of real models.
#include "checkpoint/names/linear.h"

#include "checkpoint/names/names.h"
#include "checkpoint/names/patterns.h"
#include "support.h"

namespace qfuse::checkpoint {
namespace {

TensorEntry matrix(const std::string& name, TensorType type = TensorType::bf16,
                   std::vector<std::int64_t> shape = {8, 4}) {
  const std::int64_t bytes = element_count(shape).value() * type_bits(type) / 8;
  return {name, type, std::move(shape), 0, bytes};
}

Layer layer(const std::string& name) { return layer_of(matrix(name)); }

TEST(Linear, the_projections_of_a_transformer_are_linear) {
  for (const char* name : {
           "model.layers.0.self_attn.q_proj.weight",
           "model.layers.11.mlp.gate_proj.weight",
           "model.layers.11.mlp.down_proj.weight",
           "model.layers.3.mlp.shared_expert.up_proj.weight",
           "model.layers.3.mlp.shared_experts.gate_proj.weight",
           "encoder.block.1.layer.1.mlp.experts.expert_0.wi.weight",
           "model.layers.3.self_attn.kv_a_proj_with_mqa.weight",
           "bert.encoder.layer.0.attention.output.dense.weight",
           "encoder.block.0.layer.0.SelfAttention.q.weight",
           "transformer.h.0.self_attention.query_key_value.weight",
           "gpt_neox.layers.0.mlp.dense_h_to_4h.weight",
           "layers.0.attention.wq.weight",
           "case000.weight",
       })
    EXPECT_EQ(layer(name), Layer::linear) << name;
}

TEST(Linear, experts_may_be_one_tensor) {
  const auto of_shape = [](const char* name, std::vector<std::int64_t> shape) {
    return layer_of(matrix(name, TensorType::bf16, std::move(shape)));
  };
  for (const char* name : {
           "model.layers.0.mlp.experts.gate_up_proj",
           "model.language_model.layers.3.experts.down_proj",
           "model.layers.0.feed_forward.experts.down_proj",
           "language_model.model.layers.0.mlp.experts.fc1.weight",
           "model.layers.0.mixer.experts.up_proj",
           "model.layers.0.mlp.shared_experts.gate_proj",
           "model.layers.0.block_sparse_moe.input_linear.weight",
           "model.layers.0.self_attention.experts.output_linear.weight",
       })
    EXPECT_EQ(of_shape(name, {4, 8, 16}), Layer::stack) << name;
  for (const char* name : {
           "model.layers.0.linear_attn.conv1d.weight",
           "model.layers.0.temporal_block.rg_lru.input_gate_weight",
           "vision_tower.blocks.0.experts.down_proj",
           "experts",
       })
    EXPECT_EQ(of_shape(name, {4, 8, 16}), Layer::other) << name;
  EXPECT_EQ(of_shape("mlp.experts.gate_up_proj_bias", {4, 8}), Layer::other);
  EXPECT_EQ(layer_of(matrix("mlp.experts.gate_up_proj", TensorType::u8, {4, 8, 16})), Layer::other);
}

TEST(Linear, embeddings_are_none) {
  for (const char* name : {
           "model.embed_tokens.weight",
           "transformer.wte.weight",
           "transformer.wpe.weight",
           "tok_embeddings.weight",
           "gpt_neox.embed_in.weight",
           "bert.embeddings.word_embeddings.weight",
           "bert.embeddings.position_embeddings.weight",
           "bert.embeddings.token_type_embeddings.weight",
           "model.decoder.embed_positions.weight",
           "shared.weight",
           "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
       })
    EXPECT_EQ(layer(name), Layer::other) << name;
}

TEST(Linear, heads_routers_and_towers_are_kept) {
  for (const char* name : {
           "lm_head.weight",
           "embed_out.weight",
           "output.weight",
           "transformer.output_layer.weight",
           "score.weight",
           "classifier.weight",
           "classifier.dense.weight",
           "qa_outputs.weight",
           "model.layers.3.mlp.gate.weight",
           "model.layers.3.mlp.shared_expert_gate.weight",
           "model.layers.3.block_sparse_moe.gate.weight",
           "model.layers.3.feed_forward.router.weight",
           "model.layers.3.mlp.router.classifier.weight",
           "model.layers.3.mamba.in_proj.weight",
           "model.vision_tower.encoder.layers.0.self_attn.q_proj.weight",
           "vision_tower.vision_model.encoder.layers.0.mlp.fc1.weight",
           "audio_tower.layers.0.fc1.weight",
           "multi_modal_projector.linear_1.weight",
           "visual.merger.mlp.0.weight",
           "model.embed_vision.embedding_projection.weight",
           "encoder.embedding_hidden_mapping_in.weight",
           "model.layers.0.input_layernorm.weight",
           "text_projection.weight",
           "decoder.output_projection.weight",
           "audio_lm_head.weight",
           "lm_heads.3.weight",
           "mask_decoder.iou_token.weight",
           "char_embeddings.HashBucketCodepointEmbedder_3.weight",
           "model.decoder.embed_tokens.0.weight",
           "encoder.layers.0.attn.rel_pos_emb.weight",
       })
    EXPECT_EQ(layer(name), Layer::kept) << name;
}

TEST(Linear, experts_are_told_by_their_number) {
  EXPECT_EQ(layer("model.layers.3.mlp.experts.7.gate_proj.weight"), Layer::expert);
  EXPECT_EQ(layer("model.layers.3.block_sparse_moe.experts.0.w1.weight"), Layer::expert);
  EXPECT_EQ(layer("experts.12.weight"), Layer::expert);
  EXPECT_EQ(layer("experts.up_proj.weight"), Layer::linear);
}

TEST(Linear, only_matrices_of_floats_named_weight) {
  const std::string name = "q_proj.weight";
  for (const TensorType type : {TensorType::f32, TensorType::f16, TensorType::bf16})
    EXPECT_EQ(layer_of(matrix(name, type)), Layer::linear) << type_name(type);
  for (const TensorType type : {TensorType::f64, TensorType::f8_e4m3, TensorType::i8, TensorType::u8, TensorType::i32})
    EXPECT_EQ(layer_of(matrix(name, type)), Layer::other) << type_name(type);
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {8}, {2, 2, 2}, {8, 4, 3, 3}})
    EXPECT_EQ(layer_of(matrix(name, TensorType::bf16, shape)), Layer::other) << shape.size();
  for (const char* other : {"q_proj.bias", "q_proj.lora_A", "weight", "q_projweight"})
    EXPECT_EQ(layer(other), Layer::other) << other;
}

TEST(Linear, floats_of_two_dimensions_or_more_can_be_encoded) {
  const auto can = [](TensorType type, std::vector<std::int64_t> shape) {
    return is_encodable(matrix("experts.gate_up_proj", type, std::move(shape)));
  };
  EXPECT_TRUE(can(TensorType::bf16, {8, 4}));
  EXPECT_TRUE(can(TensorType::f32, {1, 1}));
  EXPECT_TRUE(can(TensorType::f16, {2, 3, 4}));
  EXPECT_FALSE(can(TensorType::bf16, {8}));
  EXPECT_FALSE(can(TensorType::bf16, {}));
  EXPECT_FALSE(can(TensorType::bf16, {0, 4}));
  EXPECT_FALSE(can(TensorType::u8, {8, 4}));
}

TEST(Linear, patterns_are_those_of_a_shell) {
  const auto matches = [](const std::string& name, const std::string& pattern) {
    return matches_any(name, std::span(&pattern, 1));
  };
  EXPECT_TRUE(matches("model.layers.0.mlp.up_proj.weight", "*.mlp.*"));
  EXPECT_TRUE(matches("lm_head.weight", "lm_head.weight"));
  EXPECT_TRUE(matches("h.1.w", "h.?.w"));
  EXPECT_TRUE(matches("h.1.w", "h.[0-3].w"));
  EXPECT_FALSE(matches("h.4.w", "h.[0-3].w"));
  EXPECT_FALSE(matches("h.10.w", "h.?.w"));
  EXPECT_FALSE(matches("model.lm_head.weight", "lm_head.weight")) << "the whole name";
  EXPECT_FALSE(matches_any("x", {}));
}

TEST(Linear, modules) {
  EXPECT_EQ(module_of("a.b.weight"), "a.b");
  EXPECT_EQ(module_of("a.b"), "a.b");
}

}  // namespace
}  // namespace qfuse::checkpoint
