// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/convert/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 23> kShared{{
     "weight[vocab_size,d_model]?",
     "weight[vocab_size,d_model]",
     "weight[(max_position_embeddings+2),d_model]",
     "weight[d_model,d_model] bias[d_model]",
     "k_proj@3 v_proj@3 q_proj@3 out_proj@3",
     "weight[d_model] bias[d_model]",
     "weight[vocab_size,hidden_size]",
     "weight[hidden_size] bias[hidden_size]",
     "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]",
     "weight[hidden_size,hidden_size] bias[hidden_size]",
     "dense@9 LayerNorm@7",
     "weight[intermediate_size,hidden_size] bias[intermediate_size]",
     "weight[hidden_size,intermediate_size] bias[hidden_size]",
     "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?",
     "weight[intermediate_size,hidden_size] bias[intermediate_size]?",
     "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]",
     "weight[(num_heads*d_kv),d_model]",
     "weight[d_model,(num_heads*d_kv)]",
     "weight[relative_attention_num_buckets,num_heads]?",
     "q@16 k@16 v@16 o@17 relative_attention_bias@18",
     "SelfAttention@19 layer_norm(weight[d_model])",
     "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?)",
     "DenseReluDense@21 layer_norm(weight[d_model])",
}};

constexpr std::array<ClassRow, 10> kClassRows{{
    {"BartForConditionalGeneration",
     "",
     "model",
     "lm_head@0 final_logits_bias[?,?] model=:BartModel",
     "decoder.version encoder.version"},
    {"BartModel",
     "bart",
     "model",
     "shared@1 encoder(embed_tokens@0 embed_positions@2 layers(#{encoder_layers}(self_attn@4 "
     "self_attn_layer_norm@5 fc1(weight[encoder_ffn_dim,d_model] bias[encoder_ffn_dim]) "
     "fc2(weight[d_model,encoder_ffn_dim] bias[d_model]) final_layer_norm@5)) layernorm_embedding@5) "
     "decoder(embed_tokens@0 embed_positions@2 layers(#{decoder_layers}(self_attn@4 self_attn_layer_norm@5 "
     "encoder_attn@4 encoder_attn_layer_norm@5 fc1(weight[decoder_ffn_dim,d_model] bias[decoder_ffn_dim]) "
     "fc2(weight[d_model,decoder_ffn_dim] bias[d_model]) final_layer_norm@5)) layernorm_embedding@5)",
     "decoder.version encoder.version"},
    {"BertForMaskedLM",
     "",
     "bert",
     "bert(embeddings(word_embeddings@6 position_embeddings(weight[max_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[type_vocab_size,hidden_size]) LayerNorm@7) "
     "encoder(layer(#{num_hidden_layers}(attention(self(query@8 key@8 value@8) output@10) intermediate(dense@11) "
     "output(dense@12 LayerNorm@7))))) cls(predictions(bias[vocab_size] transform@10 "
     "decoder(weight[vocab_size,hidden_size]? bias[vocab_size]?)))",
     ""},
    {"CLIPVisionModel",
     "clip_vision_model",
     "clip",
     "embeddings(class_embedding[hidden_size] "
     "patch_embedding(weight[hidden_size,(num_channels/1),patch_size,patch_size]) "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@7 encoder(layers(#{num_hidden_layers}(self_attn(k_proj@9 v_proj@9 q_proj@9 out_proj@9) "
     "layer_norm1@7 mlp(fc1@11 fc2@12) layer_norm2@7))) post_layernorm@7",
     ""},
    {"LlamaForCausalLM",
     "",
     "model",
     "lm_head@6 model=:LlamaModel",
     ""},
    {"LlamaModel",
     "internlm3 iquestcoder llama",
     "model",
     "embed_tokens@6 "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size] "
     "bias[(num_attention_heads*head_dim)]?) k_proj@13 v_proj@13 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?)) mlp(gate_proj@14 up_proj@14 "
     "down_proj(weight[hidden_size,intermediate_size] bias[hidden_size]?)) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])",
     ""},
    {"LlavaForConditionalGeneration",
     "",
     "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(vision_config.hidden_size*1)] "
     "bias[text_config.hidden_size]) linear_2(weight[text_config.hidden_size,text_config.hidden_size] "
     "bias[text_config.hidden_size])) "
     "language_model(lm_head(weight[text_config.vocab_size,text_config.hidden_size]) model=text_config:LlamaModel)"
     " vision_tower=vision_config:CLIPVisionModel",
     ""},
    {"MixtralForCausalLM",
     "",
     "model",
     "lm_head@6 model=:MixtralModel",
     ""},
    {"MixtralModel",
     "mixtral",
     "model",
     "embed_tokens@6 layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_att"
     "ention_heads)),hidden_size]) k_proj@15 v_proj@15 "
     "o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))])) "
     "block_sparse_moe(gate(weight[num_local_experts,hidden_size])) "
     "mlp(experts(gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]~ "
     "down_proj[num_local_experts,hidden_size,intermediate_size]~)) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}(block_sparse_moe(experts(#{}(w1(weight[*]~) "
     "w3(weight[*]~) w2(weight[*]~)))))) norm(weight[hidden_size])",
     ""},
    {"T5ForConditionalGeneration",
     "",
     "transformer",
     "shared@1 encoder(embed_tokens@0 block(#{num_layers}(layer(0@20 1@22))) final_layer_norm(weight[d_model])) "
     "decoder(embed_tokens@0 block(#{num_decoder_layers}(layer(0@20 1(EncDecAttention(q@16 k@16 v@16 o@17) "
     "layer_norm(weight[d_model])) 2@22))) final_layer_norm(weight[d_model])) lm_head@0",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kShared; }

}  // namespace qfuse::checkpoint
