// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 1608> kSharedModules{{
    "weight[vocab_size,hidden_size]", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?2",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?2",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?2",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5", "weight[intermediate_size,hidden_size]?0",
    "weight[hidden_size,intermediate_size]?0", "weight[((2*moe_intermediate_size)/2),hidden_size]~a",
    "weight[hidden_size,moe_intermediate_size]~b", "gate_proj@9 up_proj@9 down_proj@10",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?1=a #{n_routed_experts}@11 "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1=b",
    "weight[n_routed_experts,hidden_size]?1 e_score_correction_bias[n_routed_experts]?",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?1",
    "weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?1", "gate_proj@14 up_proj@14 down_proj@15",
    "gate_proj@7 up_proj@7 down_proj@8 experts@12 gate@13 shared_experts@16",
    "self_attn@6 mlp@17 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "post_mlp_layernorm(weight[hidden_size]?1)", "#{num_hidden_layers}@18",
    "embed_tokens@0 layers@19 norm(weight[hidden_size])", "weight[num_labels,hidden_size]",
    "weight[num_labels,hidden_size] bias[num_labels]", "weight[(index_n_heads*index_head_dim),q_lora_rank]",
    "weight[index_head_dim,hidden_size]", "weight[index_head_dim] bias[index_head_dim]",
    "weight[index_n_heads,hidden_size]", "wq_b@23 wk@24 k_norm@25 weights_proj@26",
    "weight[n_routed_experts,hidden_size]?1 e_score_correction_bias[n_routed_experts]?1",
    "gate_proj@7 up_proj@7 down_proj@8 experts@12 gate@28 shared_experts@16",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?2",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?2",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?2",
    "weight[(num_attention_heads*head_dim),hidden_size]", "weight[num_experts,hidden_size]?1",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?1",
    "weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?1", "gate_proj@35 up_proj@35 down_proj@36",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=b", "weight[vocab_size,embedding_size]",
    "weight[max_position_embeddings,embedding_size]", "weight[type_vocab_size,embedding_size]",
    "weight[embedding_size] bias[embedding_size]",
    "word_embeddings@39 position_embeddings@40 token_type_embeddings@41 LayerNorm@42",
    "weight[hidden_size,embedding_size] bias[hidden_size]", "weight[hidden_size] bias[hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[hidden_size,hidden_size] bias[hidden_size]", "query@46 key@46 value@46 dense@47 LayerNorm@45",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]",
    "weight[hidden_size,intermediate_size] bias[hidden_size]",
    "full_layer_layer_norm@45 attention@48 ffn@49 ffn_output@50", "#{inner_group_num}@51", "albert_layers@52",
    "#{num_hidden_groups}@53", "embedding_hidden_mapping_in@44 albert_layer_groups@54", "embeddings@43 encoder@55",
    "weight[embedding_size,hidden_size] bias[embedding_size]", "weight[vocab_size,embedding_size]? bias[vocab_size]?",
    "bias[vocab_size] LayerNorm@42 dense@57 decoder@58", "weight[1,hidden_size] bias[1]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?0",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?0",
    "weight[(hidden_size/num_attention_heads)]", "weight[intermediate_size,hidden_size]",
    "weight[hidden_size,intermediate_size]", "weight[2,hidden_size] bias[2]",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?1",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?1",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?1", "q_proj@68 k_proj@69 v_proj@69 o_proj@70",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?0", "up_proj@72 down_proj@73",
    "weight[vision_config.hidden_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size] bias[vision_config.hidden_size]",
    "in_proj_weight[(3*vision_config.hidden_size),vision_config.hidden_size] "
    "in_proj_bias[(3*vision_config.hidden_size)] out_proj@76",
    "weight[vision_config.hidden_size] bias[vision_config.hidden_size]",
    "q_proj@75 k_proj@75 v_proj@75 multihead_attn@77 linear@76 layer_norm@78 layer_norm_kv@78",
    "weight[text_config.hidden_size,vision_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size]", "linear_in@80 linear_out@81",
    "query[max_value_projector_patch_to_query_dict,vision_config.hidden_size] cross_attn@79 layer_norm@78 "
    "feed_forward@82", "weight[text_config.vocab_size,text_config.hidden_size]",
    "weight[(intermediate_size*moe_num_shared_experts),hidden_size] "
    "bias[(intermediate_size*moe_num_shared_experts)]?0", "weight[hidden_size,(num_mel_bins/1),?] bias[hidden_size]",
    "weight[hidden_size,(hidden_size/1),?] bias[hidden_size]", "weight[hidden_size,hidden_size]",
    "weight[text_config.hidden_size,audio_config.hidden_size] bias[text_config.hidden_size]?0",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?0",
    "linear_1@89 linear_2@90", "lm_head@84 model=text_config:Qwen2Model", "model=text_config:Qwen2Model",
    "weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.hidden_size/2)] bias[text_config.hidden_size]",
    "layernorm@94 linear_1@95 linear_2@96", "weight[text_config.vocab_size,text_config.hidden_size]?",
    "weight[(linear_head_dim*linear_num_heads),hidden_size]?2",
    "weight[?,(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*linear_num_heads)*3)),linear_conv_kernel_"
    "dim]~a", "weight[linear_num_heads,hidden_size]?2", "weight[linear_head_dim]?2",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size]?3", "weight[kv_lora_rank]?3",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]?3",
    "q_proj(weight[?,hidden_size]) k_proj@99 v_proj@99 q_conv1d@100 k_conv1d@100 v_conv1d@100 "
    "A_log[linear_num_heads]?2 dt_bias[(linear_head_dim*linear_num_heads)]?2 f_proj@99 b_proj@101 o_norm@102 "
    "dense(weight[hidden_size,?]) g_proj(weight[?,hidden_size]) kv_a_proj_with_mqa@103 kv_a_layernorm@104 "
    "kv_b_proj@105",
    "weight[((linear_head_dim*linear_num_heads)*3),(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*line"
    "ar_num_heads)*3)),linear_conv_kernel_dim]?2=a", "conv1d@107",
    "weight[((2*moe_intermediate_size)/2),hidden_size]~b", "weight[hidden_size,moe_intermediate_size]~c",
    "gate_proj@109 up_proj@109 down_proj@110",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=b #{num_experts}@111 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=c",
    "weight[num_experts,hidden_size]?1 expert_bias[num_experts]?1",
    "gate_proj@7 up_proj@7 down_proj@8 experts@112 gate@113 shared_experts@37",
    "attention@106 self_attn@108 mlp@114 input_layernorm(weight[hidden_size]) "
    "post_attention_layernorm(weight[hidden_size])", "#{num_hidden_layers}@115", "gate_proj@72 up_proj@72 down_proj@73",
    "weight[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)),(((mamba_expand*hidden_size)+((2*mamb"
    "a_n_groups)*mamba_d_state))/((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv]?1"
    " bias[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))]?!",
    "weight[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)))+mamba_n"
    "_heads),hidden_size]?1 bias[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mam"
    "ba_d_state)))+mamba_n_heads)]?2", "weight[(mamba_expand*hidden_size)]?1",
    "weight[hidden_size,(mamba_expand*hidden_size)]?1 bias[hidden_size]?2",
    "dt_bias[mamba_n_heads]?1 A_log[mamba_n_heads]?1 D[mamba_n_heads]?1 conv1d@118 in_proj@119 norm@120 "
    "out_proj@121", "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?3",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?3",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?3",
    "q_proj@123 k_proj@124 v_proj@124 o_proj@125", "weight[vocab_size,d_model]",
    "weight[(max_position_embeddings+2),d_model]", "weight[d_model,d_model] bias[d_model]",
    "k_proj@129 v_proj@129 q_proj@129 out_proj@129", "weight[d_model] bias[d_model]",
    "weight[decoder_ffn_dim,d_model] bias[decoder_ffn_dim]", "weight[d_model,decoder_ffn_dim] bias[d_model]",
    "self_attn@130 self_attn_layer_norm@131 encoder_attn@130 encoder_attn_layer_norm@131 fc1@132 fc2@133 "
    "final_layer_norm@131", "#{decoder_layers}@134",
    "embed_tokens@127 embed_positions@128 layers@135 layernorm_embedding@131", "decoder@136",
    "weight[vocab_size,d_model]?", "weight[num_labels,d_model] bias[num_labels]", "dense@129 out_proj@139",
    "weight[encoder_ffn_dim,d_model] bias[encoder_ffn_dim]", "weight[d_model,encoder_ffn_dim] bias[d_model]",
    "self_attn@130 self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131", "#{encoder_layers}@143",
    "embed_tokens@138 embed_positions@128 layers@144 layernorm_embedding@131",
    "embed_tokens@138 embed_positions@128 layers@135 layernorm_embedding@131",
    "weight[num_experts,hidden_size]?1 e_score_correction_bias[num_experts]?1",
    "weight[max_position_embeddings,hidden_size]", "weight[type_vocab_size,hidden_size]",
    "word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45", "query@46 key@46 value@46",
    "dense@47 LayerNorm@45", "self@151 output@152", "dense@49", "dense@50 LayerNorm@45",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?0 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0", "query@156 key@156 value@156",
    "weight[hidden_size,hidden_size]?0 bias[hidden_size]?0", "weight[hidden_size]?0 bias[hidden_size]?0",
    "dense@158 LayerNorm@159", "self@157 output@160", "attention@153 intermediate@154 output@155 crossattention@161",
    "#{num_hidden_layers}@162", "layer@163", "embeddings@150 encoder@164",
    "weight[vocab_size,hidden_size]? bias[vocab_size]?", "bias[vocab_size] transform@152 decoder@166",
    "predictions@167", "seq_relationship@67", "predictions@167 seq_relationship@67",
    "word_embeddings@0 position_embeddings@148 LayerNorm@45", "dense@47", "weight[?,hidden_size] bias[?]?0",
    "query@173 key@173 value@173", "self@174 output@152",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?1", "query@176 key@176 value@176",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?1", "weight[hidden_size]?1 bias[hidden_size]?1",
    "dense@178 LayerNorm@179", "self@177 output@180", "attention@175 intermediate@154 output@155 crossattention@181",
    "#{num_hidden_layers}@182", "layer@183", "dense@47 out_proj@22", "weight[max_position_embeddings,d_model]",
    "weight[d_model,d_model] bias[d_model]?0", "k_proj@187 v_proj@187 q_proj@187 out_proj@187",
    "self_attn@188 self_attn_layer_norm@131 encoder_attn@188 encoder_attn_layer_norm@131 fc1@132 fc2@133 "
    "final_layer_norm@131", "#{decoder_layers}@189",
    "weight[(encoder_attention_heads*(d_model/encoder_attention_heads)),d_model] "
    "bias[(encoder_attention_heads*(d_model/encoder_attention_heads))]?0", "weight[vocab_size,hidden_size]?",
    "weight[(max_position_embeddings+2),hidden_size]", "k_proj@47 v_proj@47 q_proj@47 out_proj@47",
    "weight[vision_config.hidden_size,?,vision_config.patch_size,vision_config.patch_size] "
    "bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,(((vision_config.image_size/vision_confi"
    "g.patch_size)*(vision_config.image_size/vision_config.patch_size))+1),vision_config.hidden_size] "
    "patch_embedding@195", "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[?]?!",
    "qkv@197 projection@76",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size] bias[vision_config.hidden_size]",
    "fc1@199 fc2@200", "self_attn@198 layer_norm1@78 mlp@201 layer_norm2@78", "#{vision_config.num_hidden_layers}@202",
    "layers@203", "embeddings@196 encoder@204 post_layernorm@78",
    "weight[qformer_config.vocab_size,qformer_config.hidden_size]",
    "weight[qformer_config.max_position_embeddings,qformer_config.hidden_size]",
    "weight[image_text_hidden_size,qformer_config.hidden_size] bias[image_text_hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),encoder_hidden_size]?0 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[(3*vision_config.hidden_size)]",
    "qkv@210 projection@76", "self_attn@211 layer_norm1@78 mlp@201 layer_norm2@78",
    "#{vision_config.num_hidden_layers}@212", "layers@213", "embeddings@196 encoder@214 post_layernorm@78",
    "weight[text_config.max_position_embeddings,text_config.hidden_size]",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]",
    "word_embeddings@84 position_embeddings@216 LayerNorm@217",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@219 key@219 value@219",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]", "dense@221 LayerNorm@217",
    "self@220 output@222",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.encoder_hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@219 key@224 value@224", "self@225 output@222",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]", "dense@227",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]",
    "dense@229 LayerNorm@217", "attention@223 crossattention@226 intermediate@228 output@230",
    "#{text_config.num_hidden_layers}@231", "layer@232", "embeddings@218 encoder@233", "dense@221",
    "weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]",
    "weight[hidden_size,(4*hidden_size)] bias[hidden_size]",
    "weight[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size]",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size]",
    "weight[encoder_config.hidden_size,(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_co"
    "nfig.num_attention_heads))]", "weight[encoder_config.intermediate_size,encoder_config.hidden_size]",
    "weight[encoder_config.hidden_size]",
    "weight[(global_config.num_key_value_heads*(global_config.hidden_size/global_config.num_attention_heads)),glo"
    "bal_config.hidden_size]", "weight[global_config.intermediate_size,global_config.hidden_size]",
    "weight[global_config.hidden_size]",
    "weight[(decoder_config.num_attention_heads*(decoder_config.hidden_size/decoder_config.num_attention_heads)),"
    "decoder_config.hidden_size]",
    "weight[(decoder_config.num_key_value_heads*(decoder_config.hidden_size/decoder_config.num_attention_heads)),"
    "decoder_config.hidden_size]",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*(decoder_config.hidden_size/decoder_co"
    "nfig.num_attention_heads))]", "weight[decoder_config.intermediate_size,decoder_config.hidden_size]",
    "weight[decoder_config.hidden_size]",
    "weight[(patcher_config.num_key_value_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads)),"
    "patcher_config.hidden_size]?0", "weight[patcher_config.intermediate_size,patcher_config.hidden_size]?0",
    "weight[patcher_config.hidden_size]?0", "weight[patcher_config.vocab_size,patcher_config.hidden_size]?0",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size]",
    "weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_s"
    "ize))+1),vision_config.hidden_size]",
    "class_embedding[vision_config.hidden_size] patch_embedding@255 position_embedding@256",
    "weight[vision_config.hidden_size]?0 bias[vision_config.hidden_size]?0",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size]?0 "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "attention@223 crossattention@223 intermediate@228 output@230", "#{num_hidden_layers}@260", "LayerNorm@159",
    "#{(num_hidden_layers-1)}@262 LayerNorm@159", "weight[?,hidden_size] bias[?]", "query@264 key@264 value@264",
    "self@265 output@152", "attention@266 intermediate@154 output@155 crossattention@161", "#{num_hidden_layers}@267",
    "layer@268", "fc1@49 fc2@50", "self_attn@194 layer_norm1@45 mlp@270 layer_norm2@45", "#{num_hidden_layers}@271",
    "layers@272", "weight[hidden_size,(num_channels/1),patch_size,patch_size]", "weight[num_labels,n_embd]",
    "weight[vocab_size,n_embd]", "weight[n_embd,n_embd] bias[n_embd]", "weight[n_embd] bias[n_embd]",
    "bias[vocab_size] dense@47 layer_norm@45 decoder@166",
    "word_embeddings@0 token_type_embeddings@149 LayerNorm@45 position_embeddings@148", "embeddings@280 encoder@164",
    "weight[(decoder_config.num_attention_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_attention_heads*decoder_config.head_dim)]?0",
    "weight[(decoder_config.num_key_value_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_key_value_heads*decoder_config.head_dim)]?0",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*decoder_config.head_dim)] "
    "bias[decoder_config.hidden_size]?0", "q_proj@282 k_proj@283 v_proj@283 o_proj@284",
    "weight[decoder_config.hidden_size] bias[decoder_config.hidden_size]", "weight[vocab_size,n_embd] bias[vocab_size]",
    "weight[?,n_embd] bias[?]", "weight[n_embd,?] bias[n_embd]", "fc_in@288 fc_out@289",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?0",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?0",
    "q_proj@291 k_proj@292 v_proj@292 o_proj@293", "gate_proj@65 up_proj@65 down_proj@66",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?3",
    "weight[((2*intermediate_size)/2),hidden_size]~a", "weight[hidden_size,intermediate_size]~b",
    "gate_proj@297 up_proj@297 down_proj@298",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]?1=a #{num_experts}@299 "
    "down_proj[num_experts,hidden_size,intermediate_size]?1=b",
    "weight[(intermediate_size*num_shared_experts),hidden_size]?2", "weight[vocab_size,hidden_size] bias[vocab_size]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/encoder_config.sub"
    "sampling_conv_channels),encoder_config.subsampling_conv_kernel_size,encoder_config.subsampling_conv_kernel_s"
    "ize] bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/1),1,1] "
    "bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.intermediate_size,encoder_config.hidden_size] bias[encoder_config.intermediate_size]?0",
    "weight[encoder_config.hidden_size,encoder_config.intermediate_size] bias[encoder_config.hidden_size]?0",
    "linear1@305 linear2@306",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size] "
    "bias[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?0",
    "weight[encoder_config.hidden_size] bias[encoder_config.hidden_size]",
    "query_net@291 key_net@292 value_net@292 out_projection@293",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?1",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?1",
    "weight[embedding_dim,vlm_config.text_config.hidden_size] bias[embedding_dim]", "LayerNorm@42 dense@57",
    "weight[vocab_size,embedding_size]? bias[vocab_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size] "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]", "weight[*] bias[hidden_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size]?0 "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]?0",
    "weight[hidden_size,embedding_size]?0 bias[hidden_size]?0",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size] bias[vision_config.hidden_size]", "proj@322",
    "weight[vision_config.num_position_embeddings,vision_config.hidden_size]",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]",
    "qkv@325 proj@76", "linear_fc1@199 linear_fc2@200", "norm1@78 norm2@78 attn@326 mlp@327",
    "#{vision_config.depth}@328",
    "weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(visi"
    "on_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.out_hidden_size,(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_con"
    "fig.spatial_merge_size))] bias[vision_config.out_hidden_size]",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size]",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)]",
    "weight[text_config.head_dim]", "to_q@332 to_k@333 to_v@333 to_out@334 norm_q@335 norm_k@335",
    "weight[text_config.intermediate_size,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.intermediate_size]", "gate_proj@337 up_proj@337 down_proj@338",
    "weight[text_config.hidden_size]", "self_attn@336 mlp@339 input_layernorm@340 post_attention_layernorm@340",
    "#{text_config.num_hidden_layers}@341", "weight[(num_attention_heads*dim_head),hidden_size]",
    "weight[dim_ff,hidden_size]", "weight[(num_key_value_heads*head_dim),hidden_size]",
    "weight[hidden_size,(num_attention_heads*head_dim)]", "q_proj@33 k_proj@345 v_proj@345 o_proj@346",
    "bias[vocab_size]?0 transform@160 decoder@166", "predictions@348", "bias[vocab_size]?1 dense@178 LayerNorm@179",
    "lm_head@350", "weight[pooler_hidden_size,pooler_hidden_size] bias[pooler_hidden_size]", "dense@352",
    "weight[max_position_embeddings,hidden_size]?", "weight[type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@354 LayerNorm@45 token_type_embeddings@355", "weight[?,hidden_size]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),hidden_size]?!",
    "weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?1 bias[hidden_size]?0",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*n_shared_experts)]?3",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27",
    "self_attn@362 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@363", "weight[q_lora_rank,hidden_size]?3 bias[q_lora_rank]?2",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?3",
    "q_a_proj@365 q_a_layernorm(weight[q_lora_rank]?3) q_b_proj@366 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 q_proj@358",
    "self_attn@367 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@368", "weight[q_lora_rank,hidden_size]", "weight[(num_attention_heads*head_dim),q_lora_rank]",
    "weight[head_dim,hidden_size]", "weight[(o_groups*o_lora_rank),((num_attention_heads*head_dim)/o_groups)]",
    "weight[hidden_size,(o_groups*o_lora_rank)]", "weight[?,hidden_size]?1",
    "ape[?,?]?1 wkv@375 wgate@375 norm(weight[head_dim]?1)", "weight[(2*index_head_dim),hidden_size]?2",
    "weight[index_head_dim]?2", "ape[?,(2*index_head_dim)]?2 wkv@377 wgate@377 norm@378",
    "weight[(index_n_heads*index_head_dim),q_lora_rank]?2", "weight[index_n_heads,hidden_size]?2",
    "compressor@379 wq_b@380 weights_proj@381",
    "attn_sink[num_attention_heads] wq_a@370 q_norm(weight[q_lora_rank]) wq_b@371 wkv@372 norm(weight[head_dim]) "
    "wo_a@373 wo_b@374 compressor@376 indexer@382",
    "weight[n_routed_experts,hidden_size] tid2eid[vocab_size,num_experts_per_tok]?! bias[n_routed_experts]?!",
    "w1@9 w3@9 w2@10", "#{n_routed_experts}@385",
    "weight[moe_intermediate_size,hidden_size] bias[moe_intermediate_size]?0",
    "weight[hidden_size,moe_intermediate_size] bias[hidden_size]?0", "w1@387 w3@387 w2@388",
    "gate@384 experts@386 shared_experts@389", "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b", "experts@391",
    "attn@383 ffn@390 mlp@392 attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
    "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
    " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]",
    "#{num_hidden_layers}@393",
    "weight[high_res_vision_config.output_channels] bias[high_res_vision_config.output_channels]",
    "weight[text_config.hidden_size,vision_config.hidden_size] bias[text_config.hidden_size]",
    "weight[dim,dim] bias[dim]", "weight[num_labels,dim] bias[num_labels]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?2",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?2",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]?1",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?1", "weight[?,hidden_size]?0",
    "weight[num_experts,hidden_size]?0", "weight[hidden_size,?] bias[hidden_size]?0",
    "weight[hidden_size_per_layer_input,hidden_size]", "weight[hidden_size,hidden_size_per_layer_input]",
    "weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]", "weight[hidden_size_per_layer_input]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]",
    "q_proj@411 k_proj@412 v_proj@412 o_proj@413",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?5",
    "weight[(moe_intermediate_size*moe_num_shared_experts),hidden_size]?4 "
    "bias[(moe_intermediate_size*moe_num_shared_experts)]?3", "weight[task_type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 task_type_embeddings@417",
    "embeddings@418 encoder@164", "word_embeddings@0", "gamma[hidden_size] beta[hidden_size]",
    "self@265 output@172 LayerNorm@421", "dense@50", "dense@158", "gamma[hidden_size]?0 beta[hidden_size]?0",
    "self@157 output@424 LayerNorm@425", "attention@422 intermediate@154 output@423 LayerNorm@421 crossattention@426",
    "rotary_embeddings(inv_freq[?])", "self@428", "attention@429", "#{num_hidden_layers}@427 *@430",
    "layer@431 emb_layer_norm_after@45", "weight[1,(num_hidden_layers*num_attention_heads)] bias[1]", "regression@433",
    "embeddings@420 encoder@432 contact_head@434", "weight[vocab_size,hidden_size] bias[vocab_size]?",
    "weight[protein_encoder_config.hidden_size]?0 bias[protein_encoder_config.hidden_size]?0",
    "weight[?,protein_encoder_config.hidden_size] bias[?]",
    "weight[protein_encoder_config.hidden_size] bias[protein_encoder_config.hidden_size]",
    "weight[(protein_encoder_config.num_attention_heads*(protein_encoder_config.hidden_size/protein_encoder_confi"
    "g.num_attention_heads)),protein_encoder_config.hidden_size]?0 bias[(protein_encoder_config.num_attention_hea"
    "ds*(protein_encoder_config.hidden_size/protein_encoder_config.num_attention_heads))]?0",
    "weight[(resampler_dim_head*resampler_heads),protein_encoder_config.hidden_size]",
    "weight[((resampler_dim_head*resampler_heads)*2),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(resampler_dim_head*resampler_heads)]",
    "norm_media@439 norm_latents@439 to_q@441 to_kv@442 to_out@443",
    "weight[(protein_encoder_config.hidden_size*resampler_ff_mult),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(protein_encoder_config.hidden_size*resampler_ff_mult)]",
    "norm@439 fc1@445 fc2@446", "0@444 1@447",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size]", "proj@449",
    "gate_proj@49 up_proj@49 down_proj@50",
    "weight[(hidden_size*(spatial_merge_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_"
    "size))] bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))] bias[out_hidden_size]",
    "0@452 2@453", "ln_q(weight[hidden_size]) mlp@454", "q_proj@311 k_proj@312 v_proj@312 o_proj@313",
    "weight[?,hidden_size] bias[?]?2", "weight[?,emb_dim]?0 bias[?]?0", "summary@458",
    "weight[num_labels,emb_dim] bias[num_labels]", "weight[emb_dim] bias[emb_dim]",
    "weight[emb_dim,emb_dim] bias[emb_dim]", "#{}@461",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads))]",
    "q_proj@61 k_proj@62 v_proj@62 o_proj@63 q_norm@464 k_norm@465", "weight[num_experts,hidden_size]",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]=a #{num_experts}@299 "
    "down_proj[num_experts,hidden_size,intermediate_size]=b", "gate@467 experts@468",
    "weight[shared_expert_intermediate_size,hidden_size]?1", "weight[hidden_size,shared_expert_intermediate_size]?1",
    "gate_proj@470 up_proj@470 down_proj@471", "word_embeddings@127 layer_norm@131",
    "weight[(n_head*d_head),d_model]?0", "weight[(n_head*d_head),d_model]?0 bias[(n_head*d_head)]?0",
    "weight[d_model,(n_head*d_head)]?0 bias[d_model]?0", "weight[d_model]?0 bias[d_model]?0",
    "r_w_bias[n_head,d_head]?0 r_r_bias[n_head,d_head]?0 r_kernel[d_model,n_head,d_head]?0 "
    "r_s_bias[n_head,d_head]?0 seg_embed[2,n_head,d_head]?0 q_head@474 k_head@475 v_head@475 post_proj@476 "
    "layer_norm@477", "weight[d_inner,d_model]?0 bias[d_inner]?0", "weight[d_model,d_inner]?0 bias[d_model]?0",
    "linear_1@479 linear_2@480 layer_norm@477", "attention@478 ffn@481", "#{}@482", "#{}@483", "blocks@484",
    "weight[vocab_size,d_model]? bias[vocab_size]", "weight[1,d_model] bias[1]",
    "weight[(n_head*d_head),d_model] bias[(n_head*d_head)]", "weight[d_inner,d_model] bias[d_inner]",
    "weight[d_model,d_inner] bias[d_model]",
    "weight[text_config.hidden_size,((patch_size*patch_size)*num_channels)] bias[text_config.hidden_size]",
    "weight[num_labels,n_embd] bias[num_labels]", "weight[vocab_size,n_embd]?", "weight[n_positions,n_embd]",
    "weight[n_embd,(3*n_embd)] bias[(3*n_embd)]", "c_attn@495 c_proj@277", "weight[n_embd,?] bias[?]",
    "weight[?,n_embd] bias[n_embd]", "c_fc@497 c_proj@498", "weight[n_embd,(2*n_embd)]?0 bias[(2*n_embd)]?0",
    "weight[n_embd,n_embd]?0 bias[n_embd]?0", "c_attn@500 q_attn@501 c_proj@501",
    "weight[hidden_size,?] bias[hidden_size]", "weight[hidden_size,hidden_size] bias[hidden_size]?0",
    "dense_h_to_4h@49 dense_4h_to_h@50", "weight[vision_config.hidden_size]",
    "mm_input_projection_weight[vision_config.hidden_size,text_config.hidden_size] mm_soft_emb_norm@506",
    "weight[num_labels,text_config.hidden_size]", "model=text_config:Gemma3TextModel",
    "q_proj@291 k_proj@292 v_proj@292 o_proj@293 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "weight[(num_key_value_heads*head_dim),hidden_size]?0 bias[(num_key_value_heads*head_dim)]?1",
    "gate_proj(weight[?,hidden_size]) up_proj(weight[?,hidden_size]) down_proj(weight[hidden_size,?])",
    "0@88 1@88 2@88", "weight[(vision_config.num_key_value_heads*vision_config.head_dim),vision_config.hidden_size]?0",
    "linear@514 input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1", "weight[vision_config.head_dim]?0",
    "weight[vision_config.intermediate_size,vision_config.hidden_size]?0",
    "linear@517 input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1", "weight[vision_config.hidden_size]?0",
    "weight[(audio_config.hidden_size*4),audio_config.hidden_size]?0",
    "linear@520 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0",
    "weight[audio_config.hidden_size,(audio_config.hidden_size*4)]?0",
    "linear@522 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0", "weight[audio_config.hidden_size]?0",
    "ffw_layer_1@521 ffw_layer_2@523 pre_layer_norm@524 post_layer_norm@524",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size]?0", "linear@526 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0",
    "weight[audio_config.hidden_size,audio_config.hidden_size]?0",
    "linear@528 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0", "weight[?,hidden_size] bias[?]?3",
    "weight[(intermediate_size*1),hidden_size]", "k_proj@76 v_proj@76 q_proj@76 out_proj@76",
    "self_attn@532 layer_norm1@78 mlp@201 layer_norm2@78", "#{vision_config.num_hidden_layers}@533", "layers@534",
    "embeddings@257 pre_layrnorm@78 encoder@535 post_layernorm@78", "attention@266 intermediate@154 output@155",
    "#{num_hidden_layers}@537", "layer@538", "weight[hidden_size,vision_config.hidden_size] bias[hidden_size]",
    "q_proj@291 k_proj@292 v_proj@292 o_proj@346", "weight[(2*intermediate_size),hidden_size]",
    "gate_up_proj@542 down_proj@66", "weight[?,text_config.hidden_size] bias[?]?2", "weight[text_config.hidden_size,?]",
    "weight[text_config.intermediate_size,text_config.hidden_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size]?0",
    "weight[((2*text_config.moe_intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.moe_intermediate_size]~b", "gate_proj@548 up_proj@548 down_proj@549",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?1",
    "weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?1",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?1 "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1",
    "weight[((image_size/patch_size)*(image_size/patch_size)),hidden_size]", "position_embedding@554",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size] bias[hidden_size]", "proj@556",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?!", "qkv@558 proj@88",
    "weight[out_hidden_size,hidden_size]", "weight[hidden_size,out_hidden_size]",
    "gate_proj@560 up_proj@560 down_proj@561", "norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@559 mlp@562",
    "#{depth}@563", "weight[out_hidden_size,out_hidden_size]", "weight[out_hidden_size] bias[out_hidden_size]",
    "weight[intermediate_size,out_hidden_size]", "weight[out_hidden_size,intermediate_size]",
    "proj@565 post_projection_norm@566 gate_proj@567 up_proj@567 down_proj@568",
    "weight[out_hidden_size,(hidden_size/1),spatial_merge_size,spatial_merge_size] bias[out_hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]", "q_proj@46 k_proj@571 v_proj@571 o_proj@413",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]",
    "weight[(text_config.hidden_size*2),audio_config.intermediate_size] bias[(text_config.hidden_size*2)]",
    "weight[text_config.hidden_size,(text_config.hidden_size*2)] bias[text_config.hidden_size]",
    "linear_1@574 linear_2@575", "model=text_config:EuroBertModel",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?0", "weight[(hidden_size/num_heads)]",
    "weight[(out_hidden_size*in_channels),out_hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size] bias[vision_config.hidden_size]", "projection@581",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]?!",
    "rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 "
    "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 qkv@583 proj@76",
    "weight[vision_config.mlp_dim,vision_config.hidden_size] bias[vision_config.mlp_dim]",
    "weight[vision_config.hidden_size,vision_config.mlp_dim] bias[vision_config.hidden_size]", "lin1@585 lin2@586",
    "layer_norm1@78 attn@584 layer_norm2@78 mlp@587", "#{}@588",
    "weight[vision_config.output_channels,(vision_config.hidden_size/1),1,1]",
    "weight[vision_config.output_channels] bias[vision_config.output_channels]",
    "weight[vision_config.output_channels,(vision_config.output_channels/1),?,?]",
    "conv1@590 layer_norm1@591 conv2@592 layer_norm2@591",
    "pos_embed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patc"
    "h_size),vision_config.hidden_size]? patch_embed@582 layers@589 neck@593",
    "weight[(vision_config.output_channels*2),(vision_config.output_channels/1),?,?]",
    "weight[text_config.hidden_size,((vision_config.output_channels*2)/1),?,?]",
    "conv_upsampler1@595 conv_upsampler2@596 multimodal_projector@221", "lm_head@98 model=text_config:Qwen2Model",
    "q_proj@61 k_proj@62 v_proj@62 o_proj@63", "weight[num_local_experts,hidden_size]", "layer@600",
    "weight[num_local_experts,(2*intermediate_size),hidden_size]",
    "weight[num_local_experts,hidden_size,intermediate_size]", "router@601 input_linear@602 output_linear@603",
    "weight[(shared_intermediate_size*2),hidden_size]?1", "weight[hidden_size,shared_intermediate_size]?1",
    "input_linear@605 output_linear@606",
    "weight[encoder_config.hidden_dim,encoder_config.input_dim] bias[encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim] bias[encoder_config.hidden_dim]",
    "weight[(encoder_config.hidden_dim*encoder_config.feedforward_mult),encoder_config.hidden_dim] "
    "bias[(encoder_config.hidden_dim*encoder_config.feedforward_mult)]",
    "weight[encoder_config.hidden_dim,(encoder_config.hidden_dim*encoder_config.feedforward_mult)] "
    "bias[encoder_config.hidden_dim]", "pre_norm@609 up_proj@610 down_proj@611",
    "weight[(encoder_config.dim_head*encoder_config.num_heads),encoder_config.hidden_dim]",
    "weight[((encoder_config.dim_head*encoder_config.num_heads)*2),encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim,(encoder_config.dim_head*encoder_config.num_heads)] "
    "bias[encoder_config.hidden_dim]", "weight[((2*encoder_config.max_pos_emb)+1),encoder_config.dim_head]",
    "pre_norm@609 to_q@613 to_kv@614 to_out@615 rel_pos_emb@616",
    "weight[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2),(encoder_config.hidden_dim/1),1]"
    " bias[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2)]",
    "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor),((encoder_config.hidden_dim*encoder_"
    "config.conv_expansion_factor)/(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)),encoder_conf"
    "ig.conv_kernel_size]", "conv@619", "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "bias[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_mean[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_var[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] num_batches_tracked[]",
    "weight[encoder_config.hidden_dim,((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)/1),1] "
    "bias[encoder_config.hidden_dim]", "norm@609 up_conv@618 depth_conv@620 batch_norm@621 down_conv@622",
    "ff1@612 attn@617 conv@623 ff2@612 post_norm@609", "#{encoder_config.num_layers}@624",
    "weight[encoder_config.output_dim,encoder_config.hidden_dim] bias[encoder_config.output_dim]",
    "weight[encoder_config.hidden_dim,encoder_config.output_dim] bias[encoder_config.hidden_dim]",
    "input_linear@608 layers@625 out@626 out_mid@627",
    "weight[text_config.hidden_size,projector_config.hidden_size] bias[text_config.hidden_size]",
    "query[1,(window_size/downsample_rate),projector_config.hidden_size] linear@629 "
    "qformer=projector_config:Blip2QFormerModel", "word_embeddings@0 token_type_embeddings@355 LayerNorm@45",
    "weight[intermediate_size,hidden_size]=a", "gate_proj@632 up_gate_proj(weight[*]~a) up_proj@632 down_proj@50",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=b "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=c", "q_proj@634 k_proj@634 v_proj@634",
    "qkv_proj(weight[*]~b bias[*]~c) o_proj@573", "attn_ln@45 mlp@633 self_attn@635 attention@636 mlp_ln@45",
    "#{num_hidden_layers}@637", "layer@638",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?4",
    "weight[num_experts,hidden_size]?2",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]?2=b",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*num_shared_experts)]?3", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?3",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?3",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?3", "weight[index_head_dim,hidden_size]?2",
    "weight[index_head_dim]?2 bias[index_head_dim]?2", "wq_b@380 wk@647 k_norm@648 weights_proj@381",
    "weight[(num_attention_heads*v_head_dim),hidden_size]",
    "learnable_sink_param[?] q_a_proj@644 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@645 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@646 indexer@649 linear_gate@650",
    "linear_gate@14 up_proj@14 down_proj@15",
    "linear_gate@7 up_proj@7 down_proj@8 experts@553 gate@28 shared_experts@652",
    "hc_fn[(2*hc_mult),(hc_mult*hidden_size)] hc_base[(2*hc_mult)] hc_scale[2]", "hc_attn_layer@654 hc_mlp_layer@654",
    "self_attn@651 mlp@653 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "hc_pre@655", "#{num_hidden_layers}@656",
    "hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
    "weight[(num_codebooks*codebook_size),hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]=a bias[(num_attention_heads*head_dim)]?1",
    "q_proj@660 k_proj@660 v_proj@660 gate_proj@660", "gqkv_proj(weight[*]~a) o_proj@70",
    "weight[intermediate_size,hidden_size]=b bias[intermediate_size]?0",
    "gate_proj@663 gate_up_proj(weight[*]~b) up_proj@663 down_proj@73", "self_attn@661 attn@662 mlp@664",
    "#{num_layers_per_stack}@665", "layers@666",
    "q_proj@291 k_proj@292 v_proj@292 o_proj@293 query_layernorm(weight[head_dim]) " "key_layernorm(weight[head_dim])",
    "q_proj@30 k_proj@31 v_proj@31 o_proj@32",
    "weight[text_config.hidden_size,vision_config.out_hidden_size] bias[text_config.hidden_size]",
    "weight[vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[type_vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[max_position_embeddings,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "x_min[1] x_max[1] act_scaling_factor[1]", "weight[hidden_size] bias[hidden_size] shift[1] activation@674",
    "word_embeddings@671 token_type_embeddings@672 position_embeddings@673 LayerNorm@675 embeddings_act1@674 "
    "embeddings_act2@674 output_activation@674",
    "weight[?,hidden_size] bias[?] weight_integer[?,?] fc_scaling_factor[?] bias_integer[?]", "act@674",
    "query@677 key@677 value@677 query_activation@674 key_activation@674 value_activation@674 "
    "output_activation@674 softmax@678",
    "weight[hidden_size,hidden_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@680 LayerNorm@675 ln_input_act@674 output_activation@674", "self@679 output@681",
    "weight[intermediate_size,hidden_size] bias[intermediate_size] weight_integer[?,?] "
    "fc_scaling_factor[intermediate_size] bias_integer[?]", "dense@683 output_activation@674",
    "weight[hidden_size,intermediate_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@685 LayerNorm@675 ln_input_act@674 output_activation@674",
    "attention@682 intermediate@684 output@686 pre_intermediate_act@674 pre_output_act@674", "#{num_hidden_layers}@687",
    "layer@688", "embeddings@676 encoder@689",
    "weight[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_si"
    "ze)),vision_config.hidden_size]", "patch_embedding@581 position_embedding@691",
    "weight[text_config.intermediate_size,vision_config.hidden_size]", "weight[perceiver_config.hidden_size]",
    "weight[(perceiver_config.num_key_value_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_si"
    "ze]", "weight[(perceiver_config.hidden_size*4),perceiver_config.hidden_size]",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size] bias[hidden_size]",
    "patch_embedding@697 position_embedding@554", "weight[vision_config.embed_dim] bias[vision_config.embed_dim]",
    "weight[vision_config.embed_dim,vision_config.embed_dim] bias[vision_config.embed_dim]",
    "gate_proj@65 down_proj@66 up_proj@65",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),vision_config.embed_dim]",
    "weight[(hidden_size/num_attention_heads)]?0", "weight[vision_config.embed_dim]?0 bias[vision_config.embed_dim]?0",
    "weight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),vision_config.embed_dim]?0",
    "weight[(swa_num_key_value_heads*swa_head_dim),((swa_num_key_value_heads*swa_head_dim)/(swa_num_key_value_hea"
    "ds*swa_head_dim)),conv_kernel_size]?0 static_w[conv_kernel_size,(num_key_value_heads*head_dim)]?1 "
    "weight_proj[(num_key_value_heads*conv_kernel_size),hidden_size]?1", "weight[?,?,conv_kernel_size]", "conv1d@707",
    "conv1d@318", "weight[qformer_config.hidden_size] bias[qformer_config.hidden_size]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.hidden_size] "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.encoder_hidden_size]?0 "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0",
    "weight[qformer_config.intermediate_size,qformer_config.hidden_size] bias[qformer_config.intermediate_size]",
    "dense@713", "weight[qformer_config.hidden_size,qformer_config.intermediate_size] bias[qformer_config.hidden_size]",
    "dense@715 LayerNorm@710", "weight[(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]",
    "layer_norm@717 linear_1@718 linear_2@221", "weight[mamba_d_state]?2",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?4",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?4",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?4",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1",
    "weight[vision_config.hidden_size,?] bias[vision_config.hidden_size]",
    "weight[vision_config.projection_dim,vision_config.hidden_size] bias[vision_config.projection_dim]",
    "weight[?,?,?,?] bias[?]", "weight[?,?,1,1]?1 bias[?]?1",
    "norm1(weight[?] bias[?]) conv1@727 norm2(weight[?] bias[?]) conv2@727 nin_shortcut@728",
    "norm1(weight[?] bias[?]) conv1@727 norm2(weight[?] bias[?]) conv2@727", "weight[?,?,?,?]?2 bias[?]?2", "conv@731",
    "weight[?,?,1,1]?0 bias[?]?0", "norm(weight[?]?0 bias[?]?0) q@733 k@733 v@733 proj_out@733",
    "weight[?,?,1,1] bias[?]", "norm(weight[?] bias[?]) q@735 k@735 v@735 proj_out@735",
    "block_1@730 attn_1@736 block_2@730", "weight[vq_config.num_embeddings,vq_config.embed_dim]",
    "word_embeddings@0 token_type_embeddings@149",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=b", "q_proj@740 k_proj@740 v_proj@740",
    "Wqkv(weight[*]~a bias[*]~b) out_proj@573", "norm1@45 mlp@270 self_attn@741 mixer@742 norm2@45",
    "#{num_hidden_layers}@743", "layers@744", "embeddings@739 emb_ln@45 encoder@745",
    "weight[linear_head_dim,hidden_size]?2", "weight[(linear_head_dim*linear_num_heads),linear_head_dim]?2",
    "weight[shared_expert_intermediate_size,hidden_size]", "weight[hidden_size,shared_expert_intermediate_size]",
    "gate_proj@749 up_proj@749 down_proj@750", "weight[text_config.vocab_size,text_config.embed_dim]",
    "weight[text_config.embed_dim,text_config.embed_dim] bias[text_config.embed_dim]",
    "weight[text_config.embed_dim] bias[text_config.embed_dim]",
    "k_proj@753 v_proj@753 q_proj@753 out_proj@753 inner_attn_ln@754",
    "weight[text_config.ffn_dim,text_config.embed_dim] bias[text_config.ffn_dim]",
    "weight[text_config.embed_dim,text_config.ffn_dim] bias[text_config.embed_dim]",
    "weight[text_config.ffn_dim] bias[text_config.ffn_dim]", "fc1@756 fc2@757 ffn_layernorm@758",
    "weight[text_config.embed_dim,text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "k_proj@760 v_proj@760 q_proj@760 out_proj@760", "weight[text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "self_attn@755 self_attn_layer_norm@754 ffn@759 final_layer_norm@754 encoder_attn@761 "
    "encoder_attn_layer_norm@762", "#{text_config.layers}@763", "embed_tokens@752 layers@764 layer_norm@754",
    "weight[text_config.vocab_size,text_config.embed_dim]?", "model@536",
    "weight[text_config.embed_dim,vision_config.hidden_size] bias[text_config.embed_dim]",
    "k_proj@753 v_proj@753 q_proj@753 out_proj@753",
    "latent_query[latent_query_num,text_config.embed_dim] dense@768 x_attn@769", "weight[2,text_config.embed_dim]",
    "self_attn@769 self_attn_layer_norm@754 ffn@759 final_layer_norm@754", "#{text_config.layers}@772",
    "embed_tokens@752 segment_emb@771 layers@773 layer_norm@754",
    "weight[vision_config.hidden_size,vision_config.patch_embed_hidden_size] bias[vision_config.hidden_size]",
    "weight[vision_config.max_num_patches,vision_config.hidden_size]",
    "patch_projection@775 row_embedder@776 column_embedder@776",
    "weight[(vision_config.num_attention_heads*vision_config.head_dim),vision_config.hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.head_dim)]",
    "query@778 key@778 value@778 output@779", "weight[vision_config.intermediate_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size]", "wi_0@781 wi_1@781 wo@782",
    "attention@780 mlp@783 pre_mlp_layer_norm@506 pre_attention_layer_norm@506",
    "#{vision_config.num_hidden_layers}@784", "layer@785", "embeddings@777 encoder@786 layernorm@506",
    "weight[hidden_size,?] bias[hidden_size]?2", "weight[max_2d_position_embeddings,hidden_size]",
    "attention@153 intermediate@154 output@155", "#{num_hidden_layers}@790", "layer@791",
    "weight[max_2d_position_embeddings,coordinate_size]?1", "weight[max_2d_position_embeddings,shape_size]?1",
    "weight[num_attention_heads,rel_2d_pos_bins]?2",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1",
    "weight[(hidden_size/num_attention_heads)]?1",
    "q_proj@796 k_proj@797 v_proj@797 out_proj@798 q_layernorm@799 k_layernorm@799",
    "weight[(3*hidden_size),hidden_size]?0", "weight[hidden_size,hidden_size]?0",
    "weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?1 bias[hidden_size]?0",
    "weight[(3*hidden_size),hidden_size]?1 bias[(3*hidden_size)]?0",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?0", "conv@803 in_proj@804 out_proj@805",
    "weight[intermediate_size,hidden_size]?3", "weight[(hidden_size/num_attention_heads)]?4", "w1@65 w3@65 w2@66",
    "weight[(num_key_value_heads*head_dim),hidden_size]?3", "weight[hidden_size,(num_attention_heads*head_dim)]?3",
    "weight[vision_config.hidden_size,(vision_config.hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "merging_layer@812", "weight[max_2d_position_embeddings,(hidden_size/6)]",
    "weight[max_position_embeddings,(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio),hidden_size] bias[(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio)] bias[(hidden_size/channel_shrink_ratio)]",
    "x_position_embeddings@814 y_position_embeddings@814 h_position_embeddings@814 w_position_embeddings@814 "
    "box_position_embeddings@815 box_linear_embeddings@816 LayerNorm@817",
    "weight[?,(hidden_size/channel_shrink_ratio)] bias[?]",
    "query@264 key@264 value@264 layout_query@819 layout_key@819 layout_value@819",
    "weight[(hidden_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@821 LayerNorm@817", "self@820 output@152 layout_output@822",
    "weight[(intermediate_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(intermediate_size/channel_shrink_ratio)]", "dense@824",
    "weight[(hidden_size/channel_shrink_ratio),(intermediate_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@826 LayerNorm@817",
    "attention@823 intermediate@154 output@155 layout_intermediate@825 layout_output@827", "#{num_hidden_layers}@828",
    "layer@829", "embeddings@150 layout_embeddings@818 encoder@830", "weight[num_local_experts,hidden_size]?1",
    "weight[intermediate_size,hidden_size]?1", "weight[hidden_size,intermediate_size]?1",
    "weight[intermediate_size_mlp,hidden_size]?0", "weight[text_config.hidden_size,?] bias[text_config.hidden_size]?0",
    "linear_1@836 linear_2@90", "lm_head@84 model=text_config:EuroBertModel", "weight[(num_heads*d_kv),d_model]",
    "weight[d_model,(num_heads*d_kv)]", "weight[relative_attention_num_buckets,num_heads]?",
    "q@839 k@839 v@839 o@840 relative_attention_bias@841", "LocalSelfAttention@842 layer_norm(weight[d_model])",
    "weight[d_ff,d_model]?!", "weight[d_ff,d_model]?0", "wi@844 wo(weight[d_model,d_ff]) wi_0@845 wi_1@845",
    "DenseReluDense@846 layer_norm(weight[d_model])", "0@843 1@847", "layer@848", "#{num_layers}@849",
    "embed_tokens@138 block@850 final_layer_norm(weight[d_model])", "SelfAttention@842 layer_norm(weight[d_model])",
    "q@839 k@839 v@839 o@840", "EncDecAttention@853 layer_norm(weight[d_model])", "0@852 1@854 2@847", "layer@855",
    "#{num_decoder_layers}@856", "embed_tokens@138 block@857 final_layer_norm(weight[d_model])",
    "weight[((2*expert_ffn_hidden_size)/2),hidden_size]~a", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?0",
    "weight[(num_attention_heads*qk_head_dim),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?0",
    "q_a_proj@860 q_a_layernorm(weight[q_lora_rank]) q_b_proj@861 kv_a_proj_with_mqa@862 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@863", "weight[ffn_hidden_size,hidden_size]",
    "weight[hidden_size,ffn_hidden_size]", "gate_proj@865 up_proj@865 down_proj@866",
    "0(weight[hidden_size]) 1(weight[hidden_size])",
    "query@47 key@47 value@47 query_global@47 key_global@47 value_global@47", "self@869 output@152",
    "attention@870 intermediate@154 output@155", "#{num_hidden_layers}@871", "layer@872", "embeddings@280 encoder@873",
    "weight[entity_vocab_size,entity_emb_size]", "weight[hidden_size,entity_emb_size]",
    "entity_embeddings@875 entity_embedding_dense@876 position_embeddings@148 token_type_embeddings@149 "
    "LayerNorm@45", "weight[?,hidden_size]?0 bias[?]?0",
    "query@264 key@264 value@264 w2e_query@878 e2w_query@878 e2e_query@878", "self@879 output@152",
    "attention@880 intermediate@154 output@155", "#{num_hidden_layers}@881", "layer@882",
    "embeddings@150 entity_embeddings@877 encoder@883", "weight[(hidden_size*2),hidden_size] bias[(hidden_size*2)]",
    "weight[(hidden_size*2)] bias[(hidden_size*2)]", "q@264 k@264 v@264 o@47", "attn@887 LayerNorm@45",
    "attention@888 intermediate@154 output@155", "#{num_hidden_layers}@889",
    "weight[relative_attention_num_buckets,num_attention_heads]", "layer@890 relative_attention_bias@891",
    "embeddings@171 encoder@892", "weight[(num_heads*d_kv),d_model]?2", "weight[d_model,(num_heads*d_kv)]?2",
    "weight[relative_attention_num_buckets,num_heads]?!", "q@894 k@894 v@894 o@895 relative_attention_bias@896",
    "weight[d_model,d_ff]?!", "wi_0@845 wi_1@845 wo@898 wi@844", "weight[(num_heads*d_kv),d_model]?1",
    "weight[d_model,(num_heads*d_kv)]?1", "q@900 k@900 v@900 o@901",
    "wi_0@845 wi_1@845 wo(weight[d_model,d_ff]) wi@844", "DenseReluDense@903 layer_norm(weight[d_model])",
    "0@852 1@904", "layer@905", "#{num_layers}@906", "embed_tokens@138 block@907 final_layer_norm(weight[d_model])",
    "0@852 1@854 2@904", "layer@909", "#{num_decoder_layers}@910",
    "embed_tokens@138 block@911 final_layer_norm(weight[d_model])", "weight[max_position_embeddings,d_model]?",
    "weight[hidden_size,(xpath_unit_hidden_size*max_depth)] bias[hidden_size]",
    "weight[(4*hidden_size),(xpath_unit_hidden_size*max_depth)] bias[(4*hidden_size)]",
    "weight[max_xpath_tag_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@916",
    "weight[max_xpath_subs_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@918",
    "xpath_unitseq2_embeddings@914 xpath_unitseq2_inner@915 inner2emb@237 xpath_tag_sub_embeddings@917 "
    "xpath_subs_sub_embeddings@919",
    "word_embeddings@0 position_embeddings@148 xpath_embeddings@920 token_type_embeddings@149 LayerNorm@45",
    "embeddings@921 encoder@792", "word_embeddings@0 position_embeddings@148 token_type_embeddings@149",
    "ln@45 self@265 output@172", "ln@159 self@157 output@424",
    "attention@924 ln@45 intermediate@154 output@423 crossattention@925", "#{num_hidden_layers}@926", "layer@927 ln@45",
    "embeddings@923 encoder@928",
    "q_proj@30 k_proj@31 v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]?1=a #{num_local_experts}@11 "
    "down_proj[num_local_experts,hidden_size,moe_intermediate_size]?1=b",
    "experts@931 gate@832 gate_proj@7 up_proj@7 down_proj@8",
    "weight[(vision_config.hidden_size*4),(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "pre_norm@717 linear_1@933 linear_2@718", "0@934", "mlp@935", "layer_norm1@45 self_attn@194 layer_norm2@45 mlp@270",
    "#{num_hidden_layers}@937", "layers@938", "layer_norm1@78 self_attn@532 layer_norm2@78 mlp@201",
    "#{vision_config.num_hidden_layers}@940", "layers@941", "w1@297 w3@297 w2@298", "#{num_local_experts}@943",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]=a "
    "down_proj[num_local_experts,hidden_size,intermediate_size]=b", "experts@945",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.temporal_patch_size,vision_con"
    "fig.patch_size,vision_config.patch_size]",
    "weight[projector_hidden_size,vision_config.hidden_size] bias[projector_hidden_size]",
    "weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]",
    "weight[projector_hidden_size,merged_hidden_size] bias[projector_hidden_size]",
    "weight[(text_config.index_n_heads*text_config.index_head_dim),text_config.hidden_size]?2",
    "weight[text_config.index_head_dim,text_config.hidden_size]?2", "weight[text_config.index_head_dim]?2",
    "q_proj@332 k_proj@333 v_proj@333 o_proj@334 q_norm@335 k_norm@335 index_q_proj@951 index_k_proj@952 "
    "index_q_norm@953 index_k_norm@953", "weight[text_config.num_local_experts,text_config.hidden_size]?1",
    "weight[((2*text_config.intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.intermediate_size]~b", "w1@956 w3@956 w2@957",
    "#{text_config.num_local_experts}@958", "weight[?,text_config.hidden_size]~c",
    "weight[text_config.hidden_size,text_config.shared_intermediate_size]?1", "gate_proj@960 up_proj@960 down_proj@961",
    "gate@955 experts@959 shared_experts@962 e_score_correction_bias[text_config.num_local_experts]?1",
    "gate_up_proj[text_config.num_local_experts,(2*text_config.intermediate_size),text_config.hidden_size]?1=a "
    "down_proj[text_config.num_local_experts,text_config.hidden_size,text_config.intermediate_size]?1=b",
    "weight[(2*text_config.shared_intermediate_size),text_config.hidden_size]?1=c", "gate_up_proj@965",
    "weight[(2*text_config.dense_intermediate_size),text_config.hidden_size]?0=d",
    "weight[?,text_config.hidden_size]~d", "weight[text_config.hidden_size,text_config.dense_intermediate_size]?0",
    "experts@964 shared_experts@966 gate_up_proj@967 gate_proj@968 up_proj@968 down_proj@969",
    "self_attn@954 block_sparse_moe@963 mlp@970 input_layernorm@340 post_attention_layernorm@340",
    "#{text_config.num_hidden_layers}@971", "embed_tokens@84 layers@972 norm@340",
    "weight[num_local_experts,hidden_size]?1 e_score_correction_bias[num_local_experts]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?0", "gate@600 experts@944",
    "norm@506 patch_merger@813 linear_1@836 linear_2@90", "q_proj@332 k_proj@333 v_proj@333 o_proj@334",
    "self_attn@979 mlp@339 input_layernorm@340 post_attention_layernorm@340", "#{text_config.num_hidden_layers}@980",
    "embed_tokens@84 layers@981 norm@340", "weight[n_routed_experts,hidden_size]?1", "w1@781 w3@781 w2@782",
    "wk@75 wv@75 wq@75 wo@75", "attention_norm@506 feed_forward@984 attention@985 ffn_norm@506", "#{}@986",
    "layers@987", "patch_conv(weight[*]) ln_pre@506 transformer@988",
    "weight[?,text_config.hidden_size] bias[(text_config.kv_lora_rank+text_config.qk_rope_head_dim)]?2",
    "weight[text_config.kv_lora_rank]", "weight[?,text_config.kv_lora_rank]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)] "
    "bias[text_config.hidden_size]?2",
    "weight[(text_config.index_n_heads*text_config.index_head_dim),text_config.hidden_size]",
    "weight[text_config.index_head_dim,text_config.hidden_size]",
    "weight[text_config.index_head_dim] bias[text_config.index_head_dim]",
    "weight[text_config.index_n_heads,text_config.hidden_size]",
    "s[text_config.index_n_heads] b[text_config.index_n_heads]",
    "wq_b@994 wk@995 k_norm@996 weights_proj@997 q_input_norm@217 ssmax_scaling@998",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.hidden_size]", "s[text_config.num_attention_heads] b[text_config.num_attention_heads]",
    "wkv_a_with_mqa@990 kv_a_norm@991 wkv_b@992 wo@993 indexer@999 wq@1000 ssmax_scaling@1001", "w1@546 w3@546 w2@547",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a"
    " down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b",
    "experts@1004", "w1@548 w3@548 w2@549", "#{text_config.n_routed_experts}@1006",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?1", "w1@551 w3@551 w2@552",
    "attention@1002 feed_forward@1003 attention_norm@340 ffn_norm@340 mlp@1005 experts@1007 gate@1008 "
    "shared_experts@1009", "#{text_config.num_hidden_layers}@1010",
    "weight[text_config.hidden_size,vision_config.vision_output_dim] bias[text_config.hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?0",
    "weight[?,(max_num_tiles*hidden_size)]", "gate[1] embedding@1014",
    "weight[(attention_heads*(hidden_size/attention_heads)),hidden_size]",
    "weight[hidden_size,(attention_heads*(hidden_size/attention_heads))]",
    "q_proj@1016 k_proj@1016 v_proj@1016 o_proj@1017", "bias[hidden_size] weight[hidden_size]",
    "word_embeddings@39 position_embeddings@148 token_type_embeddings@149 embedding_transformation@503 "
    "LayerNorm@1019", "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),true_hidden_size] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]",
    "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),?] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]", "query@1021 key@1021 value@1022",
    "weight[true_hidden_size,true_hidden_size] bias[true_hidden_size]",
    "bias[true_hidden_size] weight[true_hidden_size]", "dense@1024 LayerNorm@1025", "self@1023 output@1026",
    "weight[intermediate_size,true_hidden_size] bias[intermediate_size]", "dense@1028",
    "weight[true_hidden_size,intermediate_size] bias[true_hidden_size]",
    "weight[hidden_size,true_hidden_size]?1 bias[hidden_size]?1", "bias[hidden_size]?1 weight[hidden_size]?1",
    "dense@1031 LayerNorm@1032", "dense@1030 LayerNorm@1025 bottleneck@1033",
    "weight[intra_bottleneck_size,hidden_size]?1 bias[intra_bottleneck_size]?1",
    "bias[intra_bottleneck_size]?1 weight[intra_bottleneck_size]?1", "dense@1035 LayerNorm@1036",
    "weight[intra_bottleneck_size,hidden_size]?0 bias[intra_bottleneck_size]?0",
    "bias[intra_bottleneck_size]?0 weight[intra_bottleneck_size]?0", "dense@1038 LayerNorm@1039",
    "input@1037 attention@1040", "weight[intermediate_size,true_hidden_size]?0 bias[intermediate_size]?0", "dense@1042",
    "weight[true_hidden_size,intermediate_size]?0 bias[true_hidden_size]?0",
    "bias[true_hidden_size]?0 weight[true_hidden_size]?0", "dense@1044 LayerNorm@1045", "intermediate@1043 output@1046",
    "#{(num_feedforward_networks-1)}@1047", "attention@1027 intermediate@1029 output@1034 bottleneck@1041 ffn@1048",
    "#{num_hidden_layers}@1049", "layer@1050", "embeddings@1020 encoder@1051",
    "weight[(hidden_size-embedding_size),vocab_size]", "bias[vocab_size] transform@152 dense@1053 decoder@58",
    "weight[hidden_size,hidden_size] bias[hidden_size]?", "weight[hidden_size] bias[hidden_size]?",
    "dense@1055 norm@1056", "weight[hidden_size] bias[hidden_size]?0", "tok_embeddings@0 norm@1058",
    "weight[((hidden_size/num_attention_heads)*num_attention_heads),hidden_size] "
    "bias[((hidden_size/num_attention_heads)*num_attention_heads)]?0", "weight[hidden_size] bias[hidden_size]?!",
    "weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?1", "Wi@1062 Wo@403",
    "weight[hidden_size]? bias[hidden_size]?!",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]?", "dense@1065 norm@1066",
    "weight[num_labels,text_config.hidden_size] bias[num_labels]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(pixel_shuffle_factor*pixel_shuffle_factor))]",
    "weight[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[hidden_size,(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]",
    "q_proj@1070 k_proj@1071 v_proj@1071 o_proj@1072", "linear@345", "weight[d_model,d_model]",
    "weight[moe_hidden_size]?1", "weight[prompt_length,d_model]?0",
    "weight[prompt_mid_dim,d_model]?0 bias[prompt_mid_dim]?0",
    "weight[((decoder_layers*2)*d_model),prompt_mid_dim]?0 bias[((decoder_layers*2)*d_model)]?0", "0@1078 2@1079",
    "prompt_embedding@1077 prompt_trans@1080", "weight[(num_key_value_heads*head_dim),hidden_size]?6",
    "weight[num_experts,d_model]?0", "classifier@1083", "weight[encoder_ffn_dim,d_model]?0 bias[encoder_ffn_dim]?0",
    "weight[d_model,encoder_ffn_dim]?0 bias[d_model]?0", "fc1@1085 fc2@1086",
    "weight[decoder_ffn_dim,d_model]?0 bias[decoder_ffn_dim]?0", "weight[d_model,decoder_ffn_dim]?0 bias[d_model]?0",
    "fc1@1088 fc2@1089", "fc12@65 fc11@65 fc2@66", "weight[(num_attention_heads*head_dim),hidden_size]=a",
    "q_proj@1092 k_proj@1092 v_proj@1092", "Wqkv(weight[*]~a) out_proj@346",
    "norm1@45 mlp@1091 self_attn@1093 attn@1094 norm2@45", "#{num_hidden_layers}@1095", "layers@1096",
    "word_embeddings@0 position_embeddings@193 token_type_embeddings@149 LayerNorm@45",
    "weight[(linear_key_head_dim*linear_num_key_heads),hidden_size]?0",
    "weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]?0",
    "weight[linear_num_value_heads,hidden_size]?0",
    "weight[hidden_size,(linear_value_head_dim*linear_num_value_heads)]?0",
    "weight[?,((((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(("
    "(linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_k"
    "ernel_dim]~a", "weight[linear_value_head_dim]?0",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?2",
    "weight[vision_config.hidden_size,vision_config.hidden_size] bias[vision_config.hidden_size]?0",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]?1",
    "weight[(dit_config.num_key_value_heads*dit_config.head_dim),dit_config.hidden_size]",
    "weight[dit_config.intermediate_size,dit_config.hidden_size]", "weight[dit_config.hidden_size]",
    "weight[text_config.vocab_size,text_config.d_model]",
    "weight[text_config.d_model,text_config.d_model] bias[text_config.d_model]",
    "k_proj@1112 v_proj@1112 q_proj@1112 out_proj@1112", "weight[text_config.d_model] bias[text_config.d_model]",
    "embeddings@692 encoder@942 post_layernorm@78", "vision_model@1115",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?0",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?0",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?0", "q_proj@1117 k_proj@1118 v_proj@1118 o_proj@1119",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]?0",
    "gate_proj@1121 up_proj@1121 down_proj@1122",
    "self_attn@1120 mlp@1123 input_layernorm@340 post_attention_layernorm@340", "#{text_config.num_hidden_layers}@1124",
    "embed_tokens@84 layers@1125 norm@340",
    "weight[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size),((vis"
    "ion_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)] "
    "bias[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)]",
    "weight[text_config.hidden_size,((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.s"
    "patial_merge_size)] bias[text_config.hidden_size]", "pre_norm@78 linear_1@1127 linear_2@1128", "linear@726",
    "weight[text_config.hidden_size]?0",
    "self_attn@979 mlp@339 input_layernorm@340 post_attention_layernorm@340 pre_feedforward_layernorm@1131 "
    "post_feedforward_layernorm@1131", "#{text_config.num_hidden_layers}@1132", "embed_tokens@84 layers@1133 norm@340",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/subsampling_conv_channels),subsampling_conv_kern"
    "el_size,subsampling_conv_kernel_size] bias[subsampling_conv_channels]",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/1),1,1] bias[subsampling_conv_channels]",
    "linear1@402 linear2@403",
    "weight[hidden_size] bias[hidden_size] running_mean[hidden_size] running_var[hidden_size] " "num_batches_tracked[]",
    "k_proj@1075 v_proj@1075 q_proj@1075 out_proj@1075",
    "weight[(hidden_size/num_attention_heads)]?0 bias[(hidden_size/num_attention_heads)]?0",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))+(2*(num_key_value_heads*(hidden_size/num_att"
    "ention_heads)))),hidden_size]", "o_proj@413 qkv_proj@1141",
    "self_attn@1142 mlp@543 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@1143", "weight[audio_config.hidden_size] bias[audio_config.hidden_size]",
    "weight[(audio_config.intermediate_size*2),audio_config.hidden_size] bias[(audio_config.intermediate_size*2)]",
    "weight[audio_config.hidden_size,audio_config.intermediate_size] bias[audio_config.hidden_size]",
    "layer_norm@1145 gate_up_proj@1146 down_proj@1147",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size] "
    "bias[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads))]",
    "weight[hidden_size,(audio_config.hidden_size*audio_config.downsample_rate)] bias[hidden_size]",
    "weight[vision_config.seq_len,vision_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*vision_config.d_kv),vision_config.hidden_size]",
    "weight[vision_config.d_ff,vision_config.hidden_size]", "weight[text_config.d_ff,text_config.hidden_size]",
    "weight[ngram,hidden_size]", "weight[(num_buckets*num_decoder_attention_heads),hidden_size] "
    "bias[(num_buckets*num_decoder_attention_heads)]",
    "key_proj@47 value_proj@47 query_proj@47 out_proj@47 relative_pos_embeddings@1156",
    "key_proj@158 value_proj@158 query_proj@158 out_proj@158",
    "weight[decoder_ffn_dim,hidden_size] bias[decoder_ffn_dim]",
    "weight[hidden_size,decoder_ffn_dim] bias[hidden_size]", "intermediate@1159 output@1160",
    "self_attn@1157 self_attn_layer_norm@45 cross_attn@1158 cross_attn_layer_norm@159 feed_forward@1161 "
    "feed_forward_layer_norm@45", "#{num_decoder_layers}@1162",
    "word_embeddings@192 position_embeddings@148 ngram_embeddings@1155 layers@1163 embeddings_layer_norm@45",
    "weight[encoder_ffn_dim,hidden_size] bias[encoder_ffn_dim]",
    "weight[hidden_size,encoder_ffn_dim] bias[hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),?,?] bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,?,vision_config.hidden_size]? "
    "patch_embedding@1167 mask_token[1,1,vision_config.hidden_size]?",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size]=a "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1=b",
    "q_proj@1169 k_proj@1169 v_proj@1169 q_norm@519 k_norm@519", "qkv(weight[*]~a bias[*]~b) proj@76",
    "ls1[vision_config.hidden_size] ls2[vision_config.hidden_size] attention@1170 attn@1171 mlp@201 norm1@78 "
    "norm2@78", "#{vision_config.num_hidden_layers}@1172", "layers@1173", "embeddings@1168 encoder@1174 layernorm@258",
    "q_proj@1117 k_proj@1118 v_proj@1118 o_proj@1119 q_norm@335 k_norm@335",
    "self_attn@1176 mlp@339 input_layernorm@340 post_attention_layernorm@340", "#{text_config.num_hidden_layers}@1177",
    "layers@1178", "embed_tokens@84 encoder@1179 norm@340", "weight[d_model,(num_mel_bins/1),?] bias[d_model]",
    "weight[d_model,(d_model/1),?] bias[d_model]", "weight[max_source_positions,d_model]",
    "k_proj@1075 v_proj@129 q_proj@129 out_proj@129",
    "self_attn@1184 self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131", "#{encoder_layers}@1185",
    "weight[text_config.hidden_size,audio_config.d_model] bias[text_config.hidden_size]", "linear@1187",
    "weight[vision_config.embed_dim,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_config"
    ".patch_size,vision_config.patch_size]", "proj@1189",
    "weight[(vision_config.embed_dim*3),vision_config.embed_dim] bias[(vision_config.embed_dim*3)]",
    "qkv@1191 proj@700", "weight[(vision_config.embed_dim*vision_config.mlp_ratio),vision_config.embed_dim] "
    "bias[(vision_config.embed_dim*vision_config.mlp_ratio)]",
    "weight[vision_config.embed_dim,(vision_config.embed_dim*vision_config.mlp_ratio)] "
    "bias[vision_config.embed_dim]", "fc1@1193 fc2@1194", "norm1@699 norm2@699 attn@1192 mlp@1195",
    "#{vision_config.depth}@1196",
    "weight[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(vision"
    "_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.hidden_size,(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.sp"
    "atial_merge_size))] bias[vision_config.hidden_size]", "0@1198 2@1199", "ln_q@699 mlp@1200",
    "patch_embed@1190 blocks@1197 merger@1201",
    "weight[audio_config.d_model,(audio_config.num_mel_bins/1),?] bias[audio_config.d_model]",
    "weight[audio_config.d_model,(audio_config.d_model/1),?] bias[audio_config.d_model]",
    "weight[2,audio_config.output_dim]", "weight[audio_config.d_model,audio_config.d_model]",
    "weight[audio_config.d_model,audio_config.d_model] bias[audio_config.d_model]",
    "k_proj@1206 v_proj@1207 q_proj@1207 out_proj@1207", "weight[audio_config.d_model] bias[audio_config.d_model]",
    "weight[audio_config.encoder_ffn_dim,audio_config.d_model] bias[audio_config.encoder_ffn_dim]",
    "weight[audio_config.d_model,audio_config.encoder_ffn_dim] bias[audio_config.d_model]",
    "self_attn@1208 self_attn_layer_norm@1209 fc1@1210 fc2@1211 final_layer_norm@1209",
    "#{audio_config.encoder_layers}@1212",
    "weight[audio_config.output_dim,audio_config.d_model] bias[audio_config.output_dim]",
    "conv1@1203 conv2@1204 audio_bos_eos_token@1205 layers@1213 ln_post@1209 proj@1214",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size]", "proj@1216", "q@76 k@76 v@76 proj@76",
    "gate_proj@199 up_proj@199 down_proj@200", "norm1@506 norm2@506 attn@1218 mlp@1219", "#{vision_config.depth}@1220",
    "0@330 2@331", "ln_q@506 mlp@1222", "patch_embed@1217 blocks@1221 merger@1223",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))]", "q_proj@219 k_proj@1225 v_proj@1225 o_proj@1226",
    "self_attn@1227 mlp@339 input_layernorm@340 post_attention_layernorm@340", "#{text_config.num_hidden_layers}@1228",
    "embed_tokens@84 layers@1229 norm@340", "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]",
    "qkv@1231 proj@47", "weight[downsample_hidden_size,(downsample_hidden_size/1),?,?] bias[downsample_hidden_size]",
    "weight[?,hidden_size] bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?2",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((l"
    "inear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_he"
    "ad_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0",
    "weight[shared_expert_intermediate_size,hidden_size]?2", "k_proj@1207 v_proj@1207 q_proj@1207 out_proj@1207",
    "self_attn@1237 self_attn_layer_norm@1209 fc1@1210 fc2@1211 final_layer_norm@1209",
    "#{audio_config.encoder_layers}@1238",
    "weight[audio_config.downsample_hidden_size,1,?,?] bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.downsample_hidden_size,(audio_config.downsample_hidden_size/1),?,?] "
    "bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.d_model,(audio_config.downsample_hidden_size*((((((audio_config.num_mel_bins+1)/2)+1)/2)"
    "+1)/2))]", "layers@1239 ln_post@1209 conv2d1@1240 conv2d2@1241 conv2d3@1241 conv_out@1242 proj1@1207 proj2@1214",
    "weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]?0 "
    "bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]?0",
    "weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(visi"
    "on_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]?0 "
    "bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]?0",
    "weight[vision_config.out_hidden_size,(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_con"
    "fig.spatial_merge_size))]?0 bias[vision_config.out_hidden_size]?0", "0@1245 2@1246", "ln_q@1244 mlp@1247",
    "#{}@1248", "ln_q@78 mlp@1222", "merger_list@1249 patch_embed@323 pos_embed@324 blocks@329 merger@1250",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?2",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?2",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))] bias[text_config.hidden_size]?2",
    "weight[(text_config.hidden_size/text_config.num_attention_heads)]",
    "q_proj@1252 k_proj@1253 v_proj@1253 o_proj@1254 q_norm@1255 k_norm@1255",
    "gate_up_proj[text_config.num_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a "
    "#{text_config.num_experts}@550 "
    "down_proj[text_config.num_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b",
    "weight[text_config.num_experts,text_config.hidden_size]?1",
    "experts@1257 gate@1258 gate_proj@546 up_proj@546 down_proj@547",
    "self_attn@1256 mlp@1259 input_layernorm@340 post_attention_layernorm@340", "#{text_config.num_hidden_layers}@1260",
    "embed_tokens@84 layers@1261 norm@340", "weight[num_position_embeddings,hidden_size]",
    "linear_fc1@49 linear_fc2@50", "norm1@45 norm2@45 attn@1232 mlp@1264", "#{depth}@1265",
    "norm@45 linear_fc1@452 linear_fc2@453",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidde"
    "n_size]?0", "dt_bias[linear_num_value_heads]?0 A_log[?]?0 conv1d@1235 norm@1104 out_proj@1102 in_proj_qkv@1268 "
    "in_proj_z@1100 in_proj_b@1101 in_proj_a@1101",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]=b",
    "gate@467 experts@1270 shared_expert@751 shared_expert_gate(weight[1,hidden_size])",
    "weight[((num_attention_heads*head_dim)*2),hidden_size]?1", "weight[(num_key_value_heads*head_dim),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*head_dim)]?1",
    "q_proj@1272 k_proj@1273 v_proj@1273 o_proj@1274 q_norm(weight[head_dim]?1) k_norm(weight[head_dim]?1)",
    "weight[linear_num_value_heads,hidden_size]", "weight[(hc_count*hidden_size)]",
    "weight[hc_lowrank,(hc_count*hidden_size)]", "weight[(hc_count*hidden_size),hc_lowrank]",
    "weight[hc_count,(hc_count*hidden_size)]",
    "hc_norm@1277 input_mix_weight_down@1278 input_mix_weight_up@1279 block_inject_weight@1280",
    "weight[?,(ple_embed_dim/((ngram_size-1)*heads_per_ngram))]~c", "weight[(hidden_size*hc_count)]?0",
    "weight[lru_width,hidden_size]?0 bias[lru_width]?0",
    "weight[(intermediate_size/2),hidden_size] bias[(intermediate_size/2)]", "weight[vocab_size,input_embedding_size]",
    "weight[max_position_embeddings,input_embedding_size]", "weight[type_vocab_size,input_embedding_size]",
    "weight[input_embedding_size] bias[input_embedding_size]",
    "word_embeddings@1286 position_embeddings@1287 token_type_embeddings@1288 LayerNorm@1289",
    "weight[hidden_size,input_embedding_size] bias[hidden_size]", "embedding_hidden_mapping_in@1291 layer@268",
    "embeddings@1290 encoder@1292", "weight[?] bias[?] running_mean[?] running_var[?] num_batches_tracked[]",
    "convolution(weight[?,?,1,1]) normalization@1294", "weight[pronunciation_vocab_size,pronunciation_embed_dim]",
    "weight[shape_vocab_size,shape_embed_dim]", "weight[hidden_size,?]?0 bias[hidden_size]?0",
    "word_embeddings@0 pronunciation_embed@1296 shape_embed@1297 position_embeddings@148 "
    "token_type_embeddings@149 map_inputs_layer@1298 LayerNorm@45", "embeddings@1299 encoder@164",
    "self@151 output@172 LayerNorm@45", "LayerNorm@45 dense@49", "self@157 output@424 LayerNorm@159",
    "attention@1301 intermediate@1302 output@423 crossattention@1303", "#{num_hidden_layers}@1304", "layer@1305",
    "embeddings@280 encoder@1306 LayerNorm@45", "projection@697", "weight[output_channels] bias[output_channels]",
    "weight[feature_projection_input_dim] bias[feature_projection_input_dim]",
    "weight[hidden_size,feature_projection_input_dim] bias[hidden_size]", "layer_norm@1310 projection@1311",
    "weight[speech_encoder_intermediate_size,hidden_size] bias[speech_encoder_intermediate_size]",
    "weight[hidden_size,speech_encoder_intermediate_size] bias[hidden_size]",
    "intermediate_dense@1313 output_dense@1314", "weight[(2*hidden_size),(hidden_size/1),1]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]", "weight[hidden_size,(hidden_size/1),1]",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]?0 bias[(2*hidden_size)]?0",
    "linear_q@158 linear_k@158 linear_v@158 linear_out@158",
    "weight[speech_encoder_intermediate_size,hidden_size]?0 bias[speech_encoder_intermediate_size]?0",
    "weight[hidden_size,speech_encoder_intermediate_size]?0 bias[hidden_size]?0",
    "intermediate_dense@1321 output_dense@1322",
    "residual_layer_norm@159 residual_conv@1319 self_attn_layer_norm@159 self_attn_conv@1319 self_attn@1320 "
    "ffn_layer_norm@159 ffn@1323", "#{num_adapter_layers}@1324", "layers@1325", "fc1@1159 fc2@1160",
    "self_attn@194 self_attn_layer_norm@45 cross_attention@194 cross_attention_layer_norm@45 ffn@1327 "
    "ffn_layer_norm@45", "#{decoder_layers}@1328", "embed_tokens@192 layers@1329 layer_norm@45",
    "weight[hidden_size,hidden_size]? bias[hidden_size]?", "k_proj@1331 v_proj@1331 q_proj@1331 out_proj@1331",
    "weight[hidden_size]? bias[hidden_size]?", "weight[encoder_ffn_dim,hidden_size]? bias[encoder_ffn_dim]?",
    "weight[hidden_size,encoder_ffn_dim]? bias[hidden_size]?", "fc1@1334 fc2@1335",
    "self_attn@1332 self_attn_layer_norm@1333 ffn@1336 ffn_layer_norm@1333", "#{encoder_layers}@1337",
    "embed_tokens@192 layers@1338 layer_norm@1333", "weight[decoder_ffn_dim,hidden_size]? bias[decoder_ffn_dim]?",
    "weight[hidden_size,decoder_ffn_dim]? bias[hidden_size]?", "fc1@1340 fc2@1341",
    "self_attn@1332 self_attn_layer_norm@1333 cross_attention@1332 cross_attention_layer_norm@1333 ffn@1342 "
    "ffn_layer_norm@1333", "#{decoder_layers}@1343", "embed_tokens@192 layers@1344 layer_norm@1333",
    "weight[t2u_encoder_ffn_dim,hidden_size] bias[t2u_encoder_ffn_dim]",
    "weight[hidden_size,t2u_encoder_ffn_dim] bias[hidden_size]", "fc1@1346 fc2@1347",
    "self_attn@194 self_attn_layer_norm@45 ffn@1348 ffn_layer_norm@45", "#{t2u_encoder_layers}@1349",
    "layers@1350 layer_norm@45", "weight[t2u_vocab_size,hidden_size]",
    "weight[t2u_decoder_ffn_dim,hidden_size] bias[t2u_decoder_ffn_dim]",
    "weight[hidden_size,t2u_decoder_ffn_dim] bias[hidden_size]", "fc1@1353 fc2@1354",
    "self_attn@194 self_attn_layer_norm@45 cross_attention@194 cross_attention_layer_norm@45 ffn@1355 "
    "ffn_layer_norm@45", "#{t2u_decoder_layers}@1356", "embed_tokens@1352 layers@1357 layer_norm@45",
    "encoder@1351 decoder@1358", "weight[t2u_vocab_size,hidden_size]?", "model@1359 lm_head@1360",
    "weight[unit_embed_dim,(unit_embed_dim/1),variance_predictor_kernel_size]? bias[unit_embed_dim]?",
    "weight[unit_embed_dim]? bias[unit_embed_dim]?", "weight[1,unit_embed_dim]? bias[1]?",
    "conv1@1362 ln1@1363 conv2@1362 ln2@1363 proj@1364", "weight[unit_hifi_gan_vocab_size,unit_embed_dim]?",
    "weight[vocoder_num_spkrs,spkr_embed_dim]?", "weight[vocoder_num_langs,lang_embed_dim]?",
    "weight[upsample_initial_channel,(((unit_embed_dim+lang_embed_dim)+spkr_embed_dim)/1),?]? "
    "bias[upsample_initial_channel]?", "weight[?,?,?]? bias[?]?", "#{}@1370", "0@1370 1@1370 2@1370",
    "convs1@1372 convs2@1372", "#{}@1373", "weight[1,?,?]? bias[1]?",
    "conv_pre@1369 upsampler@1371 resblocks@1374 conv_post@1375",
    "dur_predictor@1365 unit_embedding@1366 speaker_embedding@1367 language_embedding@1368 hifi_gan@1376",
    "fc1@1165 fc2@1166", "self_attn@194 self_attn_layer_norm@45 ffn@1378 ffn_layer_norm@45", "#{encoder_layers}@1379",
    "embed_tokens@192 layers@1380 layer_norm@45",
    "weight[feature_projection_input_dim]? bias[feature_projection_input_dim]?",
    "weight[hidden_size,feature_projection_input_dim]? bias[hidden_size]?", "layer_norm@1382 projection@1383",
    "weight[speech_encoder_intermediate_size,hidden_size]? bias[speech_encoder_intermediate_size]?",
    "weight[hidden_size,speech_encoder_intermediate_size]? bias[hidden_size]?",
    "intermediate_dense@1385 output_dense@1386", "weight[(2*hidden_size),(hidden_size/1),1]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]?",
    "weight[hidden_size,(hidden_size/1),1]?",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]? bias[(2*hidden_size)]?",
    "linear_q@1331 linear_k@1331 linear_v@1331 linear_out@1331",
    "residual_layer_norm@1333 residual_conv@1391 self_attn_layer_norm@1333 self_attn_conv@1391 self_attn@1392 "
    "ffn_layer_norm@1333 ffn@1387", "#{num_adapter_layers}@1393", "layers@1394", "weight[char_vocab_size,hidden_size]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_embed_dim/1),t2u_variance_predictor_kernel_"
    "size] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_hidden_dim/1),t2u_variance_predictor_kernel"
    "_size] bias[t2u_variance_predictor_hidden_dim]", "weight[1,t2u_variance_predictor_hidden_dim] bias[1]",
    "conv1@1397 ln1@1398 conv2@1399 ln2@1398 proj@1400",
    "self_attn@194 self_attn_layer_norm@45 conv1@87 conv2@87 conv_layer_norm@45", "#{t2u_decoder_layers}@1402",
    "pos_emb_alpha_char[1] pos_emb_alpha[1] embed_tokens@1352 embed_char@1396 duration_predictor@1401 layers@1403"
    " layer_norm@45", "encoder@1351 decoder@1404", "model@1405 lm_head@1360",
    "token_embedding@84 position_embedding@216", "k_proj@221 v_proj@221 q_proj@221 out_proj@221", "fc1@227 fc2@229",
    "layer_norm1@217 self_attn@1408 layer_norm2@217 mlp@1409", "#{text_config.num_hidden_layers}@1410", "layers@1411",
    "weight[text_config.projection_size,text_config.hidden_size] bias[text_config.projection_size]",
    "embeddings@1407 encoder@1412 final_layer_norm@217 head@1413",
    "in_proj_weight[(3*hidden_size),hidden_size]?0 in_proj_bias[(3*hidden_size)]?0 out_proj@158",
    "weight[intermediate_size,hidden_size]?0 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?0 bias[hidden_size]?0", "fc1@1416 fc2@1417",
    "probe[1,1,hidden_size]?0 attention@1415 layernorm@159 mlp@1418",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]", "weight[?,?,?]?0 bias[?]?0",
    "weight[?,?,?] bias[?]?0", "conv@1422", "intermediate_dense@1165 output_dense@1166",
    "attention@194 layer_norm@45 feed_forward@1424 final_layer_norm@45", "#{encoder_layers}@1425",
    "weight[(2*encoder_max_relative_position),(hidden_size/encoder_attention_heads)]", "pe_k@1427",
    "layer_norm@45 layers@1426 embed_positions@1428", "intermediate_dense@1159 output_dense@1160",
    "self_attn@194 self_attn_layer_norm@45 encoder_attn@194 encoder_attn_layer_norm@45 feed_forward@1430 "
    "final_layer_norm@45", "#{decoder_layers}@1431", "layers@1432", "weight[(hidden_size/num_attention_heads)]?!",
    "weight[d_ff,d_model]?1", "weight[d_model,d_ff]?1", "weight[d_model,d_ff]?0", "wi@845 wo@1437",
    "expert_0@1438 expert_1@1438 expert_2@1438 expert_3@1438 expert_4@1438 expert_5@1438 expert_6@1438 "
    "expert_7@1438", "wi@1435 wo@1436 router@1084 experts@1439", "mlp@1440 layer_norm(weight[d_model])", "0@852 1@1441",
    "layer@1442", "#{}@1443", "embed_tokens@138 block@1444 final_layer_norm(weight[d_model])",
    "weight[(num_heads*d_kv),d_model]?0", "weight[d_model,(num_heads*d_kv)]?0",
    "q@1446 k@1446 v@1446 o@1447 relative_attention_bias@841", "SelfAttention@1448 layer_norm(weight[d_model]?0)",
    "q@1446 k@1446 v@1446 o@1447", "EncDecAttention@1450 layer_norm(weight[d_model]?0)", "weight[d_ff,d_model]?2",
    "weight[d_model,d_ff]?2", "weight[num_experts,d_model]?1", "classifier@1454", "wi@1435 wo@1436",
    "expert_0@1456 expert_1@1456 expert_2@1456 expert_3@1456 expert_4@1456 expert_5@1456 expert_6@1456 "
    "expert_7@1456", "wi@1452 wo@1453 router@1455 experts@1457", "mlp@1458 layer_norm(weight[d_model]?0)",
    "0@1449 1@1451 2@1459", "layer@1460", "#{}@1461", "embed_tokens@138 block@1462 final_layer_norm(weight[d_model])",
    "0@852 1@847", "layer@1464", "#{num_layers}@1465", "embed_tokens@138 block@1466 final_layer_norm(weight[d_model])",
    "weight[encoder.text_config.hidden_size]",
    "weight[(encoder.text_config.num_key_value_heads*encoder.text_config.head_dim),encoder.text_config.hidden_siz"
    "e] bias[(encoder.text_config.num_key_value_heads*encoder.text_config.head_dim)]?0",
    "weight[encoder.text_config.head_dim]",
    "weight[encoder.text_config.intermediate_size,encoder.text_config.hidden_size]", "weight[decoder.hidden_size]",
    "weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_attention_heads*decoder.head_dim)]?0",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)] bias[decoder.hidden_size]?0",
    "weight[decoder.head_dim]", "weight[decoder.intermediate_size,decoder.hidden_size]",
    "weight[decoder.hidden_size,decoder.intermediate_size]", "gate_proj@1477 up_proj@1477 down_proj@1478",
    "weight[encoder.vocab_size,encoder.hidden_size]", "weight[encoder.hidden_size]",
    "weight[(encoder.num_attention_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_attention_heads*encoder.head_dim)]?0",
    "weight[(encoder.num_key_value_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_key_value_heads*encoder.head_dim)]?0",
    "weight[encoder.hidden_size,(encoder.num_attention_heads*encoder.head_dim)] bias[encoder.hidden_size]?0",
    "q_proj@1482 k_proj@1483 v_proj@1483 o_proj@1484", "weight[encoder.intermediate_size,encoder.hidden_size]",
    "weight[encoder.hidden_size,encoder.intermediate_size]", "gate_proj@1486 up_proj@1486 down_proj@1487",
    "self_attn@1485 pre_self_attn_layernorm@1481 post_self_attn_layernorm@1481 mlp@1488 "
    "pre_feedforward_layernorm@1481 post_feedforward_layernorm@1481", "#{encoder.num_hidden_layers}@1489",
    "embed_tokens@1480 norm@1481 layers@1490",
    "weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size]?1 "
    "bias[(decoder.num_attention_heads*decoder.head_dim)]?0",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size]?1 "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)]?1 bias[decoder.hidden_size]?0",
    "weight[decoder.hidden_size]?1", "weight[decoder.intermediate_size,decoder.hidden_size]?1",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size]?1 "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "word_embeddings@0 position_embeddings@148 token_type_embeddings_0@357 token_type_embeddings_1@404 "
    "token_type_embeddings_2@404 token_type_embeddings_3@404 token_type_embeddings_4@404 "
    "token_type_embeddings_5@404 token_type_embeddings_6@357 LayerNorm@45",
    "weight[hidden_size,hidden_size]=a bias[hidden_size]=b",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0=b", "weight[?,hidden_size]?1=c bias[?]?1=d",
    "weight[relative_attention_num_buckets,num_heads]", "q@839 k@839 v@839 o@840 relative_attention_bias@1503",
    "SelfAttention@1504 layer_norm(weight[d_model])", "0@1505 1@904", "layer@1506", "#{num_layers}@1507",
    "embed_tokens@138 block@1508 final_layer_norm(weight[d_model])", "0@1505 1@854 2@904", "layer@1510",
    "#{num_decoder_layers}@1511", "embed_tokens@138 block@1512 final_layer_norm(weight[d_model])",
    "weight[d_model,(num_channels/1),patch_size,patch_size] bias[d_model]", "proj@1514",
    "weight[d_model,(num_channels/1),patch_size,patch_size]? bias[d_model]?", "proj@1516",
    "weight[max_2d_position_embeddings,d_model]", "x_position_embeddings@1518 y_position_embeddings@1518",
    "relative_attention_bias(weight[?,num_heads]?)", "#{}@1520", "biases@1521",
    "relative_attention_bias(weight[?,num_heads])", "#{}@1523", "biases@1524",
    "weight[vision_config.sam_config.hidden_size] bias[vision_config.sam_config.hidden_size]",
    "weight[vision_config.sam_config.output_channels] bias[vision_config.sam_config.output_channels]",
    "weight[vision_config.encoder_config.hidden_size] bias[vision_config.encoder_config.hidden_size]",
    "weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size]=a "
    "bias[vision_config.encoder_config.hidden_size]=b",
    "weight[text_config.hidden_size,?] bias[text_config.hidden_size]",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?4",
    "weight[text_config.intermediate_size,text_config.hidden_size]?1 bias[text_config.intermediate_size]?0",
    "weight[((2*text_config.moe_intermediate_size)/2),text_config.hidden_size]~c",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?2 "
    "bias[(text_config.moe_intermediate_size*text_config.n_shared_experts)]?3",
    "weight[num_filters,(channels/1),kernel_size] bias[num_filters]", "conv@1535",
    "weight[(ffn_expansion*num_filters),num_filters] bias[(ffn_expansion*num_filters)]",
    "weight[num_filters,(ffn_expansion*num_filters)] bias[num_filters]", "linear1@1537 linear2@1538",
    "weight[num_filters,(num_filters/num_filters),kernel_size] bias[num_filters]", "conv@1540",
    "gamma[num_filters] ffn_gamma[num_filters] norm(weight[num_filters]) ffn_norm(weight[num_filters]) ffn@1539 "
    "mixer@1541", "0@1542 1@1542 2@1542", "conv@1536 stage@1543", "conv@1421", "weight[?,?]?0 bias[?]?0",
    "linear1@1546 linear2@1546", "weight[?,?,kernel_size]?0 bias[?]?0", "conv@1548",
    "gamma[?]?0 ffn_gamma[?]?0 norm(weight[?]?0) ffn_norm(weight[?]?0) ffn@1547 mixer@1549", "#{}@1550",
    "conv@1545 stage@1551", "#{}@1552", "weight[hidden_size,?,kernel_size] bias[hidden_size]", "conv@1554",
    "stem@1544 conv_layers@1553 head@1555", "weight[(num_filters*64)]",
    "weight[(ffn_expansion*(num_filters*64)),(num_filters*64)] bias[(ffn_expansion*(num_filters*64))]",
    "weight[(num_filters*64),(ffn_expansion*(num_filters*64))] bias[(num_filters*64)]", "linear1@1558 linear2@1559",
    "weight[(num_filters*64),((num_filters*64)/(num_filters*64)),kernel_size] bias[(num_filters*64)]", "conv@1561",
    "gamma[(num_filters*64)] ffn_gamma[(num_filters*64)] norm@1557 ffn_norm@1557 ffn@1560 mixer@1562",
    "weight[text_config.hidden_size,acoustic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,semantic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "acoustic_linear_1@1564 acoustic_norm@340 acoustic_linear_2@221 semantic_linear_1@1565 semantic_norm@340 "
    "semantic_linear_2@221", "weight[diffusion_head_config.hidden_size,diffusion_head_config.hidden_size]",
    "weight[diffusion_head_config.intermediate_size,diffusion_head_config.hidden_size] "
    "bias[diffusion_head_config.intermediate_size]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num_attention_heads"
    ")),vision_config.hidden_size] bias[(vision_config.num_attention_heads*(vision_config.intermediate_size/visio"
    "n_config.num_attention_heads))]?0",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "q_proj@61 k_proj@61 v_proj@61 o_proj@573", "attention@1572 layernorm_before@45 layernorm_after@45 mlp@270",
    "projector_layernorm(weight[?] bias[?]) linear_1@1530 linear_2@221",
    "weight[text_config.hidden_size,audio_config.intermediate_size]", "linear_1@1575 linear_2@81",
    "weight[?,text_config.hidden_size]", "q_proj@1577 k_proj@1577 v_proj@1577 o_proj@545", "linear1@1577 linear2@545",
    "self_attn@1578 mlp@339 input_layernorm@340 post_attention_layernorm@340 ada_rms_norm@1579",
    "#{text_config.num_hidden_layers}@1580", "embed_tokens@84 layers@1581 norm@340",
    "weight[text_config.hidden_size,(audio_config.hidden_size*downsample_factor)]", "linear_1@1583 linear_2@81",
    "weight[max_target_positions,d_model]",
    "self_attn@1184 self_attn_layer_norm@131 encoder_attn@1184 encoder_attn_layer_norm@131 fc1@132 fc2@133 "
    "final_layer_norm@131", "#{decoder_layers}@1586",
    "embed_tokens@127 embed_positions@1585 layers@1587 layer_norm@131",
    "conv1@1181 conv2@1182 embed_positions@1183 layers@1186 layer_norm@131",
    "weight[d_model,d_model]?0 bias[d_model]?0", "word_embeddings@0 token_type_embeddings@149 position_embeddings@148",
    "self@151 output@172 self_attn_layer_norm@45", "self@157 output@424 self_attn_layer_norm@159",
    "attention@1592 intermediate@154 output@423 LayerNorm@45 crossattention@1593", "#{num_hidden_layers}@1594",
    "layer@1595 LayerNorm@45", "embeddings@1591 encoder@1596", "summary@1590",
    "weight[(hidden_size/adapter_reduction_factor),hidden_size] bias[(hidden_size/adapter_reduction_factor)]",
    "weight[hidden_size,(hidden_size/adapter_reduction_factor)] bias[hidden_size]", "dense1@1599 dense2@1600",
    "en_XX@1601", "dense@50 LayerNorm@45 adapter_modules@1602 adapter_layer_norm@179",
    "attention@153 intermediate@154 output@1603 crossattention@161", "#{num_hidden_layers}@1604",
    "layer@1605 LayerNorm@159", "embeddings@280 encoder@1606",
}};

constexpr std::array<ClassRow, 948> kClassRows{{
    {"AXK1ForCausalLM", "axk1", "", "model", "model@20 lm_head@0", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForSequenceClassification", "axk1", "", "model", "model@20 score@21", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForTokenClassification", "axk1", "", "model", "model@20 score@22", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1Model", "axk1", "axk1", "model", "embed_tokens@0 layers@19 norm(weight[hidden_size])",
     "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK2ForCausalLM", "axk2", "", "model", "lm_head@0 model=:AXK2Model", "inv_freq"},
    {"AXK2ForSequenceClassification", "axk2", "", "model", "score@21 model=:AXK2Model", "inv_freq"},
    {"AXK2ForTokenClassification", "axk2", "", "model", "score@22 model=:AXK2Model", "inv_freq"},
    {"AXK2Model", "axk2", "axk2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) "
     "q_b_proj(weight[(num_attention_heads*((qk_nope_head_dim+qk_rope_head_dim)+v_head_dim)),(2*q_lora_rank)]) "
     "kv_a_proj_with_mqa@3 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27) mlp@29 "
     "input_layernorm(norm(weight[hidden_size]) W_down(weight[gated_norm_rank,hidden_size]) "
     "W_up(weight[hidden_size,gated_norm_rank])) post_attention_layernorm(weight[hidden_size]?0 "
     "norm(weight[hidden_size]?1) W_down(weight[gated_norm_rank,hidden_size]?1) "
     "W_up(weight[hidden_size,gated_norm_rank]?1)))) norm(weight[hidden_size])", "inv_freq"},
    {"AfmoeForCausalLM", "afmoe", "", "model", "lm_head@0 model=:AfmoeModel", ""},
    {"AfmoeModel", "afmoe", "afmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@31 v_proj@31 o_proj@32 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@33) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_mlp_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]) mlp(gate_proj@7 up_proj@7 down_proj@8 expert_bias[num_experts]?1 "
     "router(gate@34) shared_experts@37 experts@38))) norm(weight[hidden_size])", ""},
    {"AlbertForMaskedLM", "albert", "", "albert", "albert@56 predictions@59", ""},
    {"AlbertForMultipleChoice", "albert", "", "albert", "classifier@60 albert=:AlbertModel", ""},
    {"AlbertForPreTraining", "albert", "", "albert", "predictions@59 sop_classifier(classifier@22) albert=:AlbertModel",
     ""},
    {"AlbertForQuestionAnswering", "albert", "", "albert", "albert@56 qa_outputs@22", ""},
    {"AlbertForSequenceClassification", "albert", "", "albert", "classifier@22 albert=:AlbertModel", ""},
    {"AlbertForTokenClassification", "albert", "", "albert", "albert@56 classifier@22", ""},
    {"AlbertModel", "albert", "albert", "albert", "embeddings@43 encoder@55 pooler@47", ""},
    {"ApertusForCausalLM", "apertus", "", "model", "lm_head@0 model=:ApertusModel", ""},
    {"ApertusForTokenClassification", "apertus", "", "model", "score@22 model=:ApertusModel", ""},
    {"ApertusModel", "apertus", "apertus", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 q_norm@64 "
     "k_norm@64) mlp(up_proj@65 down_proj@66 act_fn(alpha_p[?] alpha_n[?] beta[] eps[])) "
     "attention_layernorm(weight[hidden_size]) feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"ArceeForCausalLM", "arcee", "", "model", "lm_head@0 model=:ArceeModel", ""},
    {"ArceeForQuestionAnswering", "arcee", "", "transformer", "qa_outputs@67 transformer=:ArceeModel", ""},
    {"ArceeForSequenceClassification", "arcee", "", "model", "score@21 model=:ArceeModel", ""},
    {"ArceeForTokenClassification", "arcee", "", "model", "score@22 model=:ArceeModel", ""},
    {"ArceeModel", "arcee", "arcee", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp@74 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"AriaForConditionalGeneration", "aria", "", "model",
     "multi_modal_projector@83 language_model(lm_head@84 model=text_config:AriaTextModel) "
     "vision_tower=vision_config:Idefics3VisionTransformer", ""},
    {"AriaModel", "aria", "aria", "model",
     "multi_modal_projector@83 vision_tower=vision_config:Idefics3VisionTransformer "
     "language_model(model=text_config:AriaTextModel)", ""},
    {"AriaTextForCausalLM", "aria_text", "", "model", "lm_head@0 model=:AriaTextModel", ""},
    {"AriaTextModel", "aria_text", "aria_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp(router(weight[moe_num_experts,hidden_size]) "
     "experts(fc1(weight[moe_num_experts,hidden_size,(2*intermediate_size)]) "
     "fc2(weight[moe_num_experts,intermediate_size,hidden_size])) shared_experts(gate_proj@85 up_proj@85 "
     "down_proj(weight[hidden_size,(intermediate_size*moe_num_shared_experts)] bias[hidden_size]?0))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"AudioFlamingo3Encoder MossTranscribeDiarizeAudioModel VoxtralEncoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder", "model",
     "conv1@86 conv2@87 embed_positions(weight[max_source_positions,hidden_size]) "
     "layers(#{num_hidden_layers}(self_attn(k_proj@88 v_proj@47 q_proj@47 out_proj@47) self_attn_layer_norm@45 "
     "fc1@49 fc2@50 final_layer_norm@45)) layer_norm@45", ""},
    {"AudioFlamingo3ForConditionalGeneration MusicFlamingoForConditionalGeneration", "audioflamingo3 musicflamingo", "",
     "model", "multi_modal_projector@91 language_model@92 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"AudioFlamingo3Model MusicFlamingoModel", "audioflamingo3 musicflamingo", "audioflamingo3 musicflamingo", "model",
     "multi_modal_projector@91 audio_tower=audio_config:AudioFlamingo3Encoder language_model@93", ""},
    {"AyaVisionForConditionalGeneration", "aya_vision", "", "model",
     "multi_modal_projector@97 language_model(lm_head@98 model=text_config:Cohere2Model) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"AyaVisionModel", "aya_vision", "aya_vision", "model",
     "multi_modal_projector@97 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:Cohere2Model)", ""},
    {"BailingHybridForCausalLM", "bailing_hybrid", "", "model",
     "model(word_embeddings@0 layers@116 norm(weight[hidden_size])) lm_head@0", "model\\.layers\\.42\\..*"},
    {"BailingHybridModel", "bailing_hybrid", "bailing_hybrid", "model",
     "embed_tokens@0 layers@116 norm(weight[hidden_size])", "model\\.layers\\.42\\..*"},
    {"BambaForCausalLM", "bamba", "", "model", "lm_head@0 model=:BambaModel", ""},
    {"BambaModel", "bamba", "bamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@117 input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) mamba@122 self_attn@126)) final_layernorm(weight[hidden_size])", ""},
    {"BartForCausalLM", "bart", "", "model", "model@137 lm_head@138", "decoder.version encoder.version"},
    {"BartForConditionalGeneration", "bart", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BartModel", "decoder.version encoder.version"},
    {"BartForQuestionAnswering", "bart", "", "model", "qa_outputs@139 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartForSequenceClassification", "bart", "", "model", "classification_head@140 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartModel", "bart", "bart", "model", "shared@127 encoder@145 decoder@146", "decoder.version encoder.version"},
    {"BeamForCausalLM", "beam", "", "model", "lm_head@0 model=:BeamModel", ""},
    {"BeamModel", "beam", "beam", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(gate_bias[num_attention_heads] q_proj@30 k_proj@31 "
     "v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@33) mlp(gate_proj@7 "
     "up_proj@7 down_proj@8 experts@38 gate@147) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BertForMaskedLM BertLMHeadModel", "bert", "", "bert", "bert@165 cls@168", ""},
    {"BertForMultipleChoice", "bert", "", "bert", "classifier@60 bert=:BertModel", ""},
    {"BertForNextSentencePrediction", "bert", "", "bert", "cls@169 bert=:BertModel", ""},
    {"BertForPreTraining", "bert", "", "bert", "cls@170 bert=:BertModel", ""},
    {"BertForQuestionAnswering", "bert", "", "bert", "bert@165 qa_outputs@22", ""},
    {"BertForSequenceClassification", "bert", "", "bert", "classifier@22 bert=:BertModel", ""},
    {"BertForTokenClassification", "bert", "", "bert", "bert@165 classifier@22", ""},
    {"BertGenerationDecoder", "bert-generation", "", "bert",
     "lm_head(bias[vocab_size] decoder@166) bert=:BertGenerationEncoder", ""},
    {"BertGenerationEncoder", "bert-generation", "bert-generation", "bert", "embeddings@171 encoder@164", ""},
    {"BertModel", "bert", "bert", "bert", "embeddings@150 encoder@164 pooler@172", ""},
    {"BigBirdForCausalLM BigBirdForMaskedLM", "big_bird", "", "bert", "cls@168 bert=:BigBirdModel", ""},
    {"BigBirdForMultipleChoice", "big_bird", "", "bert", "classifier@60 bert=:BigBirdModel", ""},
    {"BigBirdForPreTraining", "big_bird", "", "bert", "cls@170 bert=:BigBirdModel", ""},
    {"BigBirdForQuestionAnswering", "big_bird", "", "bert",
     "bert(embeddings@150 encoder@184) qa_classifier(intermediate@154 output@155 qa_outputs@22)", ""},
    {"BigBirdForSequenceClassification", "big_bird", "", "bert", "classifier@185 bert=:BigBirdModel", ""},
    {"BigBirdForTokenClassification", "big_bird", "", "bert", "classifier@22 bert=:BigBirdModel", ""},
    {"BigBirdModel", "big_bird", "big_bird", "bert", "embeddings@150 encoder@184 pooler@47", ""},
    {"BigBirdPegasusForCausalLM", "bigbird_pegasus", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@186 layers@190 layernorm_embedding@131)) lm_head@127", ""},
    {"BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusForQuestionAnswering", "bigbird_pegasus", "", "model", "qa_outputs@139 model=:BigBirdPegasusModel",
     ""},
    {"BigBirdPegasusForSequenceClassification", "bigbird_pegasus", "", "model",
     "classification_head@140 model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusModel", "bigbird_pegasus", "bigbird_pegasus", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@186 layers(#{encoder_layers}(self_attn(self(query@191 "
     "key@191 value@191) output@187) self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131)) "
     "layernorm_embedding@131) decoder(embed_tokens@138 embed_positions@186 layers@190 layernorm_embedding@131)", ""},
    {"BioGptForCausalLM", "biogpt", "", "biogpt", "output_projection@192 biogpt=:BioGptModel", ""},
    {"BioGptForSequenceClassification", "biogpt", "", "biogpt", "score@21 biogpt=:BioGptModel", ""},
    {"BioGptForTokenClassification", "biogpt", "", "biogpt", "classifier@22 biogpt=:BioGptModel", ""},
    {"BioGptModel", "biogpt", "biogpt", "biogpt",
     "embed_tokens@0 embed_positions@193 layers(#{num_hidden_layers}(self_attn@194 self_attn_layer_norm@45 fc1@49 "
     "fc2@50 final_layer_norm@45)) layer_norm@45", ""},
    {"BitNetForCausalLM", "bitnet", "", "model", "lm_head@0 model=:BitNetModel", ""},
    {"BitNetModel", "bitnet", "bitnet", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "attn_sub_norm(weight[hidden_size])) mlp(gate_proj@65 up_proj@65 down_proj@66 "
     "ffn_sub_norm(weight[intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BlenderbotForCausalLM PegasusForCausalLM", "blenderbot pegasus", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@186 layers@135 layer_norm@131)) lm_head@138", ""},
    {"BlenderbotForConditionalGeneration PegasusForConditionalGeneration", "blenderbot pegasus", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BlenderbotModel", ""},
    {"BlenderbotModel PegasusModel", "blenderbot pegasus", "blenderbot pegasus", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@186 layers@144 layer_norm@131) decoder(embed_tokens@138 "
     "embed_positions@186 layers@135 layer_norm@131)", ""},
    {"BlenderbotSmallForCausalLM", "blenderbot-small", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@186 layers@135 layernorm_embedding@131)) lm_head@138", ""},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BlenderbotSmallModel", ""},
    {"BlenderbotSmallModel", "blenderbot-small", "blenderbot-small", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@186 layers@144 layernorm_embedding@131) "
     "decoder(embed_tokens@138 embed_positions@186 layers@135 layernorm_embedding@131)", ""},
    {"Blip2ForImageTextRetrieval", "blip-2", "", "blip",
     "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@205 embeddings(word_embeddings@206 "
     "position_embeddings@207) vision_projection@208 text_projection@208 "
     "itm_head(weight[2,qformer_config.hidden_size] bias[2]) qformer=qformer_config:Blip2QFormerModel", ""},
    {"Blip2QFormerModel", "blip_2_qformer", "blip_2_qformer", "blip",
     "layernorm@45 encoder(layer(#{num_hidden_layers}(attention(attention@151 output@152) "
     "crossattention(attention(query@156 key@209 value@209) output@160) intermediate_query@154 output_query@155 "
     "intermediate(dense(weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?1)) "
     "output(dense(weight[hidden_size,intermediate_size]?1 bias[hidden_size]?1) LayerNorm@179))))", ""},
    {"BlipForQuestionAnswering", "blip", "", "blip",
     "vision_model@215 text_encoder@234 text_decoder(bert@234 cls(predictions(bias[text_config.vocab_size] "
     "transform@222 decoder(weight[text_config.vocab_size,text_config.hidden_size]? "
     "bias[text_config.vocab_size]?))))", ""},
    {"BlipModel", "blip", "blip", "blip",
     "logit_scale[] text_model(embeddings@218 encoder@233 pooler@235) vision_model@215 "
     "visual_projection(weight[projection_dim,vision_config.hidden_size]) "
     "text_projection(weight[projection_dim,text_config.hidden_size])", ""},
    {"BloomForCausalLM", "bloom", "", "transformer", "lm_head@192 transformer=:BloomModel", ""},
    {"BloomForQuestionAnswering", "bloom", "", "transformer", "qa_outputs@67 transformer=:BloomModel", ""},
    {"BloomForSequenceClassification", "bloom", "", "transformer", "score@21 transformer=:BloomModel", ""},
    {"BloomForTokenClassification", "bloom", "", "transformer", "classifier@22 transformer=:BloomModel", ""},
    {"BloomModel", "bloom", "bloom", "transformer",
     "word_embeddings@0 word_embeddings_layernorm@45 h(#{n_layer}(input_layernorm@45 "
     "self_attention(query_key_value@236 dense@47) post_attention_layernorm@45 "
     "mlp(dense_h_to_4h(weight[(4*hidden_size),hidden_size] bias[(4*hidden_size)]) dense_4h_to_h@237))) ln_f@45", ""},
    {"BltForCausalLM", "blt", "", "model", "lm_head(weight[vocab_size,decoder_config.hidden_size]) model=:BltModel", ""},
    {"BltModel", "blt", "blt", "model",
     "local_encoder(layers(#{encoder_config.num_hidden_layers}(self_attn(q_proj@238 k_proj@239 v_proj@239 "
     "o_proj@240) mlp(gate_proj@241 up_proj@241 "
     "down_proj(weight[encoder_config.hidden_size,encoder_config.intermediate_size])) input_layernorm@242 "
     "post_attention_layernorm@242)) patch_embedding_projection(weight[(encoder_config.hidden_size*encoder_config."
     "cross_attn_k),encoder_config.hidden_size]) "
     "embed_tokens(weight[encoder_config.vocab_size,encoder_config.hidden_size]) cross_attn_layers(#{}(q_proj@238 "
     "k_proj@239 v_proj@239 o_proj@240 q_norm@242 k_norm@242))) global_transformer(layers(#{}(self_attn(q_proj(wei"
     "ght[(global_config.num_attention_heads*(global_config.hidden_size/global_config.num_attention_heads)),global"
     "_config.hidden_size]) k_proj@243 v_proj@243 o_proj(weight[global_config.hidden_size,(global_config.num_atten"
     "tion_heads*(global_config.hidden_size/global_config.num_attention_heads))])) mlp(gate_proj@244 up_proj@244 "
     "down_proj(weight[global_config.hidden_size,global_config.intermediate_size])) input_layernorm@245 "
     "post_attention_layernorm@245)) "
     "token_embedding_projection(weight[global_config.hidden_size,global_config.encoder_cross_output_size]?)) "
     "local_decoder(layers(#{decoder_config.num_hidden_layers}(self_attn(q_proj@246 k_proj@247 v_proj@247 "
     "o_proj@248) mlp(gate_proj@249 up_proj@249 "
     "down_proj(weight[decoder_config.hidden_size,decoder_config.intermediate_size])) input_layernorm@250 "
     "post_attention_layernorm@250)) patch_embedding_projection(weight[(decoder_config.hidden_size*decoder_config."
     "cross_attn_k),decoder_config.hidden_size_global]) norm@250 cross_attn_layers(#{}(q_proj@246 k_proj@247 "
     "v_proj@247 o_proj@248 q_norm@250 k_norm@250))) "
     "encoder_hash_tok_embedding(weight[?,encoder_config.hidden_size]) patcher(layers(#{}(self_attn(q_proj(weight["
     "(patcher_config.num_attention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads)),patcher"
     "_config.hidden_size]?0) k_proj@251 v_proj@251 o_proj(weight[patcher_config.hidden_size,(patcher_config.num_a"
     "ttention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads))]?0)) mlp(gate_proj@252 "
     "up_proj@252 down_proj(weight[patcher_config.hidden_size,patcher_config.intermediate_size]?0)) "
     "input_layernorm@253 post_attention_layernorm@253)) embed_tokens@254 norm@253 lm_head@254)", ""},
    {"BridgeTowerModel", "bridgetower", "bridgetower", "bridgetower",
     "cross_modal_text_transform(weight[hidden_size,text_config.hidden_size]?1 bias[hidden_size]?1 "
     "#{num_hidden_layers}(weight[hidden_size,text_config.hidden_size]?0 bias[hidden_size]?0)) "
     "cross_modal_image_transform(weight[hidden_size,vision_config.hidden_size]?1 bias[hidden_size]?1 "
     "#{num_hidden_layers}(weight[hidden_size,vision_config.hidden_size]?0 bias[hidden_size]?0)) "
     "token_type_embeddings(weight[2,hidden_size]) vision_model(visual(embeddings@257 ln_pre@78 "
     "transformer(resblocks(#{}(attn@77 ln_1@78 "
     "mlp(c_fc(weight[(vision_config.hidden_size*4),vision_config.hidden_size] "
     "bias[(vision_config.hidden_size*4)]) c_proj(weight[vision_config.hidden_size,(vision_config.hidden_size*4)] "
     "bias[vision_config.hidden_size])) ln_2@78))) ln_post@78 "
     "ln_separate(#{vision_config.num_hidden_layers}@258))) text_model(embeddings(word_embeddings@84 "
     "token_type_embeddings(weight[text_config.type_vocab_size,text_config.hidden_size]) LayerNorm@217 "
     "position_embeddings@216) encoder(layer(#{text_config.num_hidden_layers}(attention@223 intermediate@228 "
     "output@230 crossattention(self(query@259 key@259 value@259) "
     "output(dense(weight[text_config.hidden_size,text_config.hidden_size]?0 bias[text_config.hidden_size]?0) "
     "LayerNorm(weight[text_config.hidden_size]?0 bias[text_config.hidden_size]?0)))))) pooler@235) "
     "cross_modal_image_layers@261 cross_modal_text_layers@261 cross_modal_image_pooler@172 "
     "cross_modal_text_pooler@172 cross_modal_text_layernorm@45 cross_modal_image_layernorm@45 "
     "cross_modal_text_link_tower@263 cross_modal_image_link_tower@263", ""},
    {"BrosForTokenClassification", "bros", "", "bros", "classifier@22 bros=:BrosModel", "pooler"},
    {"BrosModel", "bros", "bros", "bros",
     "embeddings(word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 "
     "position_ids[?,?]) bbox_embeddings(bbox_projection(weight[dim_bbox_projection,dim_bbox_sinusoid_emb_2d]) "
     "bbox_sinusoid_emb(x_pos_emb(inv_freq[?]) y_pos_emb(inv_freq[?]))) encoder@269 pooler@172", ""},
    {"CLIPTextModel", "clip_text_model", "clip_text_model", "clip",
     "embeddings(token_embedding@0 position_embedding@148) encoder@273 final_layer_norm@45", ""},
    {"CLIPVisionModel", "clip_vision_model", "clip_vision_model", "clip",
     "embeddings(class_embedding[hidden_size] patch_embedding@274 "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@45 encoder@273 post_layernorm@45", ""},
    {"CTRLForSequenceClassification", "ctrl", "", "transformer", "classifier@275 transformer=:CTRLModel", ""},
    {"CTRLLMHeadModel", "ctrl", "", "transformer",
     "lm_head(weight[vocab_size,n_embd]? bias[vocab_size]) transformer=:CTRLModel", ""},
    {"CTRLModel", "ctrl", "ctrl", "transformer",
     "w@276 h(#{n_layer}(multi_head_attention(Wq@277 Wk@277 Wv@277 dense@277) ffn(0(weight[dff,n_embd] bias[dff]) "
     "2(weight[n_embd,dff] bias[n_embd])) layernorm1@278 layernorm2@278)) layernorm@278", ""},
    {"CamembertForCausalLM CamembertForMaskedLM XLMRobertaForCausalLM XLMRobertaForMaskedLM", "camembert xlm-roberta",
     "", "roberta", "lm_head@279 roberta@281", ""},
    {"CamembertForMultipleChoice RobertaForMultipleChoice XLMRobertaForMultipleChoice", "camembert roberta xlm-roberta",
     "", "roberta", "classifier@60 roberta=:CamembertModel", ""},
    {"CamembertForQuestionAnswering XLMRobertaForQuestionAnswering", "camembert xlm-roberta", "", "roberta",
     "qa_outputs@22 roberta@281", ""},
    {"CamembertForSequenceClassification XLMRobertaForSequenceClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@185 roberta@281", ""},
    {"CamembertForTokenClassification XLMRobertaForTokenClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@22 roberta@281", ""},
    {"CamembertModel RobertaModel XLMRobertaModel", "camembert roberta xlm-roberta", "camembert roberta xlm-roberta",
     "roberta", "embeddings@280 encoder@164 pooler@172", ""},
    {"CanaryForConditionalGeneration", "canary", "", "model",
     "proj_out(weight[decoder_config.vocab_size,decoder_config.hidden_size]? bias[decoder_config.vocab_size]) "
     "model=:CanaryModel", "preprocessor\\.featurizer\\..*"},
    {"CanaryModel", "canary", "canary", "model",
     "decoder(embed_tokens(weight[decoder_config.vocab_size,decoder_config.hidden_size]) "
     "layers(#{decoder_config.num_hidden_layers}(self_attn@285 encoder_attn@285 "
     "mlp(fc1(weight[decoder_config.intermediate_size,decoder_config.hidden_size] "
     "bias[decoder_config.intermediate_size]) "
     "fc2(weight[decoder_config.hidden_size,decoder_config.intermediate_size] bias[decoder_config.hidden_size])) "
     "input_layernorm@286 post_attention_layernorm@286 final_layernorm@286)) norm@286 embedding_layernorm@286) "
     "encoder=encoder_config:ParakeetEncoder", "preprocessor\\.featurizer\\..*"},
    {"CodeGenForCausalLM", "codegen", "", "transformer", "lm_head@287 transformer=:CodeGenModel", ""},
    {"CodeGenModel", "codegen", "codegen", "transformer",
     "wte@276 h(#{n_layer}(ln_1@278 attn(qkv_proj(weight[(n_embd*3),n_embd]) out_proj(weight[n_embd,n_embd])) "
     "mlp@290)) ln_f@278", ""},
    {"Cohere2ForCausalLM", "cohere2", "", "model", "lm_head@192 model=:Cohere2Model", ""},
    {"Cohere2Model", "cohere2", "cohere2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@294 mlp@295 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2MoeForCausalLM", "cohere2_moe", "", "model", "lm_head@192 model=:Cohere2MoeModel", ""},
    {"Cohere2MoeModel", "cohere2_moe", "cohere2_moe", "model", "embed_tokens@0 "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size] "
     "bias[(num_attention_heads*head_dim)]?3) k_proj@296 v_proj@296 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?3)) mlp(gate@34 experts@300 "
     "shared_experts(gate_proj@301 up_proj@301 "
     "down_proj(weight[hidden_size,(intermediate_size*num_shared_experts)]?2)) gate_proj@7 up_proj@7 down_proj@8) "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "", "model", "lm_head@98 model=:Cohere2VisionModel", ""},
    {"Cohere2VisionModel", "cohere2_vision", "cohere2_vision", "model",
     "multi_modal_projector(linear_1(weight[alignment_intermediate_size,(vision_config.hidden_size*(downsample_fac"
     "tor*downsample_factor))] bias[alignment_intermediate_size]) "
     "linear_2(weight[text_config.hidden_size,(alignment_intermediate_size/2)] bias[text_config.hidden_size])) "
     "vision_tower=vision_config:SiglipVisionModel language_model=text_config:Cohere2Model", ""},
    {"CohereAsrForConditionalGeneration", "cohere_asr", "", "model",
     "log_softmax(mlp(layer0@302)) model=:CohereAsrModel", "preprocessor\\.featurizer\\..*"},
    {"CohereAsrModel", "cohere_asr", "cohere_asr", "model",
     "encoder(pre_encode(conv(0(weight[encoder_config.subsampling_conv_channels,1,encoder_config.subsampling_conv_"
     "kernel_size,encoder_config.subsampling_conv_kernel_size] bias[encoder_config.subsampling_conv_channels]) "
     "2@303 3@304 5@303 6@304) out(weight[encoder_config.hidden_size,(encoder_config.subsampling_conv_channels*(en"
     "coder_config.num_mel_bins/8))] bias[encoder_config.hidden_size])) "
     "layers(#{encoder_config.num_hidden_layers}(feed_forward1@307 self_attn(pos_bias_u[encoder_config.num_attenti"
     "on_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] pos_bias_v[encoder_config.num_atte"
     "ntion_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] linear_q(weight[(encoder_config"
     ".num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),encoder_config.hidden_"
     "size] bias[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_head"
     "s))]?0) linear_k@308 linear_v@308 linear_out(weight[encoder_config.hidden_size,(encoder_config.num_attention"
     "_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))] bias[encoder_config.hidden_size]?0)"
     " linear_pos@238) " "conv(pointwise_conv1(weight[(2*encoder_config.hidden_size),(encoder_config.hidden_size/1),1] "
     "bias[(2*encoder_config.hidden_size)]) depthwise_conv(weight[encoder_config.hidden_size,(encoder_config.hidde"
     "n_size/encoder_config.hidden_size),encoder_config.conv_kernel_size] bias[encoder_config.hidden_size]) "
     "batch_norm(weight[encoder_config.hidden_size] bias[encoder_config.hidden_size] "
     "running_mean[encoder_config.hidden_size] running_var[encoder_config.hidden_size] num_batches_tracked[]) "
     "pointwise_conv2(weight[encoder_config.hidden_size,(encoder_config.hidden_size/1),1] "
     "bias[encoder_config.hidden_size])) feed_forward2@307 norm_feed_forward1@309 norm_self_att@309 norm_conv@309 "
     "norm_feed_forward2@309 norm_out@309))) transf_decoder(_embedding(token_embedding@0 "
     "position_embedding(pos_enc[max_position_embeddings,hidden_size]) layer_norm@45) "
     "_decoder(layers(#{num_hidden_layers}(first_sub_layer@310 second_sub_layer@310 third_sub_layer(dense_in@49 "
     "dense_out@50) layer_norm_1@45 layer_norm_2@45 layer_norm_3@45)) final_layer_norm@45)) "
     "encoder_decoder_proj(weight[hidden_size,encoder_config.hidden_size] bias[hidden_size])",
     "preprocessor\\.featurizer\\..*"},
    {"CohereForCausalLM", "cohere", "", "model", "lm_head@192 model=:CohereModel", ""},
    {"CohereModel", "cohere", "cohere", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@311 k_proj@312 v_proj@312 o_proj@313 "
     "q_norm(weight[num_attention_heads,(hidden_size/num_attention_heads)]?0) "
     "k_norm(weight[num_key_value_heads,(hidden_size/num_attention_heads)]?0)) mlp@295 "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ColModernVBertForRetrieval", "colmodernvbert", "", "vlm",
     "embedding_proj_layer@314 vlm=vlm_config:ModernVBertModel", ""},
    {"ColPaliForRetrieval", "colpali", "", "vlm", "embedding_proj_layer@314 vlm=vlm_config:PaliGemmaModel", ""},
    {"ColQwen2ForRetrieval", "colqwen2", "", "vlm", "embedding_proj_layer@314 vlm=vlm_config:Qwen2VLModel", ""},
    {"ConvBertForMaskedLM", "convbert", "", "convbert",
     "generator_predictions@315 generator_lm_head@316 convbert=:ConvBertModel", ""},
    {"ConvBertForMultipleChoice", "convbert", "", "convbert", "classifier@60 convbert=:ConvBertModel", ""},
    {"ConvBertForQuestionAnswering", "convbert", "", "convbert", "qa_outputs@22 convbert=:ConvBertModel", ""},
    {"ConvBertForSequenceClassification", "convbert", "", "convbert", "classifier@185 convbert=:ConvBertModel", ""},
    {"ConvBertForTokenClassification", "convbert", "", "convbert", "classifier@22 convbert=:ConvBertModel", ""},
    {"ConvBertModel", "convbert", "convbert", "convbert",
     "embeddings@43 encoder(layer(#{num_hidden_layers}(attention(self(query@317 key@317 value@317 key_conv_attn_la"
     "yer(bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1] "
     "depthwise@318 pointwise(weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_rat"
     "io))/2)),(hidden_size/1),1])) conv_kernel_layer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),("
     "(num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))] "
     "bias[((num_attention_heads/head_ratio)*conv_kernel_size)]) conv_out_layer@317) output@152) "
     "intermediate(dense(weight[*] bias[intermediate_size])) output(dense@319 LayerNorm@45) "
     "crossattention(self(query@320 key@320 value@320 key_conv_attn_layer(bias[((num_attention_heads/head_ratio)*("
     "(hidden_size/(num_attention_heads/head_ratio))/2)),1]?0 "
     "depthwise(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]?0) pointwise(weight[((num_attention"
     "_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),(hidden_size/1),1]?0)) conv_kernel_la"
     "yer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),((num_attention_heads/head_ratio)*((hidden_si"
     "ze/(num_attention_heads/head_ratio))/2))]?0 bias[((num_attention_heads/head_ratio)*conv_kernel_size)]?0) "
     "conv_out_layer@320) output@160)))) embeddings_project@321", ""},
    {"Cosmos3OmniForConditionalGeneration", "cosmos3_omni", "", "model",
     "patch_embed@323 pos_embed@324 blocks@329 merger(norm@78 linear_fc1@330 linear_fc2@331) deepstack_merger_list"
     "(#{}(norm(weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_si"
     "ze))] bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))])"
     " linear_fc1@330 linear_fc2@331)) embed_tokens@84 layers@342 norm@340 lm_head@84",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"Cosmos3OmniModel", "cosmos3_omni", "cosmos3_omni", "model",
     "language_model(embed_tokens@84 layers@342 norm@340) visual=vision_config:Qwen3VLMoeVisionModel",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"CpmAntForCausalLM", "cpmant", "", "cpmant", "lm_head@0 cpmant=:CpmAntModel", ""},
    {"CpmAntModel", "cpmant", "cpmant", "cpmant",
     "encoder(layers(#{num_hidden_layers}(self_att(layernorm_before_attention(weight[hidden_size]) "
     "self_attention(project_q@343 project_k@343 project_v@343 "
     "attention_out(weight[hidden_size,(num_attention_heads*dim_head)]))) "
     "ffn(layernorm_before_ffn(weight[hidden_size]) ffn(w_in(w_0@344 w_1@344) "
     "w_out(weight[hidden_size,dim_ff]))))) output_layernorm(weight[hidden_size])) "
     "segment_embedding(weight[segment_types,hidden_size]) "
     "input_embedding(weight[(vocab_size+(prompt_types*prompt_length)),hidden_size]) position_bias(relative_attent"
     "ion_bias[((segment_types*segment_types)+position_bias_num_buckets),num_attention_heads])", ""},
    {"CwmForCausalLM", "cwm", "", "model", "lm_head@0 model=:CwmModel", ""},
    {"CwmModel", "cwm", "cwm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@347 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DPRQuestionEncoder", "dpr", "dpr", "question_encoder",
     "question_encoder(bert_model@165 encode_proj(weight[projection_dim,hidden_size]?0 bias[projection_dim]?0))", ""},
    {"Data2VecTextForCausalLM Data2VecTextForMaskedLM", "data2vec-text", "", "data2vec_text",
     "data2vec_text@281 lm_head@279", ""},
    {"Data2VecTextForMultipleChoice", "data2vec-text", "", "data2vec_text",
     "classifier@60 data2vec_text=:Data2VecTextModel", ""},
    {"Data2VecTextForQuestionAnswering", "data2vec-text", "", "data2vec_text", "data2vec_text@281 qa_outputs@22", ""},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@281 classifier@185",
     ""},
    {"Data2VecTextForTokenClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@281 classifier@22", ""},
    {"Data2VecTextModel", "data2vec-text", "data2vec-text", "data2vec_text", "embeddings@280 encoder@164 pooler@172",
     ""},
    {"DebertaForMaskedLM", "deberta", "", "deberta", "cls@349 lm_predictions@351 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForQuestionAnswering", "deberta", "", "deberta", "qa_outputs@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForSequenceClassification", "deberta", "", "deberta", "pooler@353 classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForTokenClassification", "deberta", "", "deberta", "classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaModel", "deberta", "deberta", "deberta",
     "embeddings@356 encoder(layer(#{num_hidden_layers}(attention(self(q_bias[?] v_bias[?] "
     "in_proj(weight[?,hidden_size])) output@152) intermediate@154 output@155)) "
     "rel_embeddings(weight[(max_position_embeddings*2),hidden_size]?))", "position_embeddings"},
    {"DebertaV2ForMaskedLM", "deberta-v2", "", "deberta", "cls@349 lm_predictions@351 deberta=:DebertaV2Model",
     "mask_predictions.* position_embeddings"},
    {"DebertaV2ForMultipleChoice", "deberta-v2", "", "deberta", "pooler@353 classifier@60 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForQuestionAnswering", "deberta-v2", "", "deberta", "qa_outputs@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForSequenceClassification", "deberta-v2", "", "deberta",
     "pooler@353 classifier@22 deberta=:DebertaV2Model", "position_embeddings"},
    {"DebertaV2ForTokenClassification", "deberta-v2", "", "deberta", "classifier@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2Model", "deberta-v2", "deberta-v2", "deberta",
     "embeddings@356 encoder(layer(#{num_hidden_layers}(attention(self(query_proj@46 key_proj@46 value_proj@46) "
     "output@152) intermediate@154 output@155)) rel_embeddings@357 LayerNorm@159)", "position_embeddings"},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "", "model", "lm_head@0 model=:DeepseekV2Model", ""},
    {"DeepseekV2ForSequenceClassification", "deepseek_v2", "", "model", "score@21 model=:DeepseekV2Model", ""},
    {"DeepseekV2Model", "deepseek_v2", "deepseek_v2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size]?5 "
     "bias[q_lora_rank]?4) q_a_layernorm(weight[q_lora_rank]?5) "
     "q_b_proj(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?5) "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?4) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?4) q_proj@358) "
     "mlp(gate_proj@359 up_proj@359 down_proj@360 "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?2=a #{n_routed_experts}@11 "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?2=b) "
     "gate(weight[n_routed_experts,hidden_size]?2) shared_experts(gate_proj@361 up_proj@361 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?2 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"DeepseekV32ForCausalLM", "deepseek_v32", "", "model", "lm_head@0 model=:DeepseekV32Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV32Model", "deepseek_v32", "deepseek_v32", "model", "embed_tokens@0 layers@364 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "", "model", "lm_head@0 model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForSequenceClassification", "deepseek_v3", "", "model", "score@21 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForTokenClassification", "deepseek_v3", "", "model", "score@22 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3Model", "deepseek_v3", "deepseek_v3", "model", "embed_tokens@0 layers@369 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "", "model",
     "model(embed_tokens@0 layers@394 norm(weight[hidden_size]) hc_head(hc_fn[hc_mult,(hc_mult*hidden_size)] "
     "hc_base[hc_mult] hc_scale[1])) head@0", "(^|\\.)mtp\\..*"},
    {"DeepseekV4Model", "deepseek_v4", "deepseek_v4", "model",
     "embed@0 layers@394 norm(weight[hidden_size]) hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult]"
     " hc_head_scale[1]", "(^|\\.)mtp\\..*"},
    {"DeepseekVLForConditionalGeneration", "deepseek_vl", "", "model", "lm_head@98 model=:DeepseekVLModel", ""},
    {"DeepseekVLHybridForConditionalGeneration", "deepseek_vl_hybrid", "", "model",
     "lm_head@98 model=:DeepseekVLHybridModel", ""},
    {"DeepseekVLHybridModel", "deepseek_vl_hybrid", "deepseek_vl_hybrid", "model",
     "high_res_vision_alpha[1] high_res_vision_neck(conv1(weight[high_res_vision_config.output_channels,(high_res_"
     "vision_config.hidden_size/1),1,1]) layer_norm1@395 "
     "conv2(weight[high_res_vision_config.output_channels,(high_res_vision_config.output_channels/1),?,?]) "
     "layer_norm2@395) high_res_vision_proj(conv1(weight[(high_res_vision_config.output_channels*2),(high_res_visi"
     "on_config.output_channels/1),?,?]) conv2(weight[(high_res_vision_config.output_channels*4),((high_res_vision"
     "_config.output_channels*2)/1),?,?])) "
     "aligner(vision_proj(weight[(text_config.hidden_size/2),vision_config.hidden_size] "
     "bias[(text_config.hidden_size/2)]) "
     "high_res_vision_proj(weight[(text_config.hidden_size/2),(high_res_vision_config.output_channels*4)] "
     "bias[(text_config.hidden_size/2)]) proj@221) high_res_vision_model=high_res_vision_config:SamVisionModel "
     "vision_model=vision_config:SiglipVisionModel language_model=text_config:EuroBertModel", ""},
    {"DeepseekVLModel", "deepseek_vl", "deepseek_vl", "model",
     "aligner(linear1@396 linear2@221) vision_model=vision_config:SiglipVisionModel "
     "language_model=text_config:EuroBertModel", ""},
    {"DiffLlamaForCausalLM", "diffllama", "", "model", "lm_head@0 model=:DiffLlamaModel", ""},
    {"DiffLlamaForQuestionAnswering", "diffllama", "", "transformer", "qa_outputs@67 transformer=:DiffLlamaModel", ""},
    {"DiffLlamaForSequenceClassification", "diffllama", "", "model", "score@21 model=:DiffLlamaModel", ""},
    {"DiffLlamaForTokenClassification", "diffllama", "", "model", "score@22 model=:DiffLlamaModel", ""},
    {"DiffLlamaModel", "diffllama", "diffllama", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(lambda_q1[?] lambda_k1[?] lambda_q2[?] lambda_k2[?] "
     "q_proj@291 k_proj@292 v_proj@292 o_proj@293) mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DistilBertForMaskedLM", "distilbert", "", "distilbert",
     "vocab_transform@397 vocab_layer_norm(weight[dim] bias[dim]) vocab_projector(weight[vocab_size,dim]? "
     "bias[vocab_size]) distilbert=:DistilBertModel", ""},
    {"DistilBertForMultipleChoice", "distilbert", "", "distilbert",
     "pre_classifier@397 classifier(weight[1,dim] bias[1]) distilbert=:DistilBertModel", ""},
    {"DistilBertForQuestionAnswering", "distilbert", "", "distilbert", "qa_outputs@398 distilbert=:DistilBertModel", ""},
    {"DistilBertForSequenceClassification", "distilbert", "", "distilbert",
     "pre_classifier@397 classifier@398 distilbert=:DistilBertModel", ""},
    {"DistilBertForTokenClassification", "distilbert", "", "distilbert", "classifier@398 distilbert=:DistilBertModel",
     ""},
    {"DistilBertModel", "distilbert", "distilbert", "distilbert",
     "embeddings(word_embeddings(weight[vocab_size,dim]) position_embeddings(weight[max_position_embeddings,dim]) "
     "LayerNorm(weight[dim] bias[dim])) transformer(layer(#{n_layers}(attention(q_lin@397 k_lin@397 v_lin@397 "
     "out_lin@397) sa_layer_norm(weight[dim] bias[dim]) ffn(lin1(weight[hidden_dim,dim] bias[hidden_dim]) "
     "lin2(weight[dim,hidden_dim] bias[dim])) output_layer_norm(weight[dim] bias[dim]))))", ""},
    {"DogeForCausalLM", "doge", "", "model", "lm_head@0 model=:DogeModel", ""},
    {"DogeForSequenceClassification", "doge", "", "model", "score@21 model=:DogeModel", ""},
    {"DogeModel", "doge", "doge", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_residual[hidden_size] post_attention_residual[hidden_size] "
     "input_layernorm(weight[hidden_size]) self_attn(A[num_key_value_heads] q_proj@399 k_proj@400 v_proj@400 "
     "dt_proj(weight[num_key_value_heads,(num_key_value_heads*(hidden_size/num_attention_heads))] "
     "bias[num_key_value_heads]?2) o_proj@401 q_norm@64 k_norm@64) post_attention_layernorm(weight[hidden_size]) "
     "mlp(gate_proj@402 up_proj@402 down_proj@403 router_gate@404 down_embed@405 up_embed@405))) "
     "norm(weight[hidden_size])", ""},
    {"ElectraForCausalLM ElectraForMaskedLM", "electra", "", "electra",
     "generator_predictions@315 generator_lm_head@316 electra=:ElectraModel", ""},
    {"ElectraForMultipleChoice", "electra", "", "electra",
     "sequence_summary(summary@158) classifier@60 electra=:ElectraModel", ""},
    {"ElectraForPreTraining", "electra", "", "electra",
     "discriminator_predictions(dense@47 dense_prediction@60) electra=:ElectraModel", ""},
    {"ElectraForQuestionAnswering", "electra", "", "electra", "qa_outputs@22 electra=:ElectraModel", ""},
    {"ElectraForSequenceClassification", "electra", "", "electra", "classifier@185 electra=:ElectraModel", ""},
    {"ElectraForTokenClassification", "electra", "", "electra", "classifier@22 electra=:ElectraModel", ""},
    {"ElectraModel", "electra", "electra", "electra", "embeddings@43 encoder@164 embeddings_project@321", ""},
    {"EmbeddingGemma2Model", "embedding_gemma2", "embedding_gemma2", "model",
     "language_model=text_config:EmbeddingGemma2TextModel",
     "(^|\\.)audio_tower\\. (^|\\.)embed_audio\\. (^|\\.)embed_vision\\. (^|\\.)vision_tower\\."},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", "embedding_gemma2_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@173 k_proj@173 v_proj@173 o_proj@406 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) ple_block(per_layer_input_gate@407 per_layer_projection@408 "
     "post_per_layer_input_norm(weight[hidden_size])) layer_scalar[1])) norm(weight[hidden_size]) "
     "ple(per_layer_model_projection@409 per_layer_projection_norm@410) "
     "embedding_projection(weight[embedding_dim,hidden_size])", ""},
    {"Emu3ForCausalLM", "emu3_text_model", "", "model", "lm_head@0 model=:Emu3TextModel", ""},
    {"Emu3TextModel", "emu3_text_model", "", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@414 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "", "model", "lm_head@192 model=:Ernie4_5Model", ""},
    {"Ernie4_5Model", "ernie4_5", "ernie4_5", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@294 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "", "model", "lm_head@166 model=:Ernie4_5_MoeModel", "mtp"},
    {"Ernie4_5_MoeModel", "ernie4_5_moe", "ernie4_5_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_att"
     "ention_heads)),hidden_size] bias[(num_attention_heads*(hidden_size/num_attention_heads))]?5) k_proj@415 "
     "v_proj@415 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] "
     "bias[hidden_size]?5)) mlp(gate_proj@359 up_proj@359 down_proj@360 "
     "gate(weight[moe_num_experts,hidden_size]?2) moe_statics(e_score_correction_bias[1,moe_num_experts]?2) "
     "experts(gate_up_proj[moe_num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{moe_num_experts}@11 "
     "down_proj[moe_num_experts,hidden_size,moe_intermediate_size]?2=b) shared_experts(gate_proj@416 up_proj@416 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*moe_num_shared_experts)]?4 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "mtp"},
    {"ErnieForCausalLM ErnieForMaskedLM", "ernie", "", "ernie", "ernie@419 cls@168", ""},
    {"ErnieForMultipleChoice", "ernie", "", "ernie", "classifier@60 ernie=:ErnieModel", ""},
    {"ErnieForNextSentencePrediction", "ernie", "", "ernie", "cls@169 ernie=:ErnieModel", ""},
    {"ErnieForPreTraining", "ernie", "", "ernie", "cls@170 ernie=:ErnieModel", ""},
    {"ErnieForQuestionAnswering", "ernie", "", "ernie", "ernie@419 qa_outputs@22", ""},
    {"ErnieForSequenceClassification", "ernie", "", "ernie", "classifier@22 ernie=:ErnieModel", ""},
    {"ErnieForTokenClassification", "ernie", "", "ernie", "ernie@419 classifier@22", ""},
    {"ErnieModel", "ernie", "ernie", "ernie", "embeddings@418 encoder@164 pooler@172", ""},
    {"EsmForMaskedLM", "esm", "", "esm", "esm@435 lm_head(bias[vocab_size] dense@47 layer_norm@45 decoder@192)",
     "position_embeddings.weight"},
    {"EsmForSequenceClassification", "esm", "", "esm", "esm@435 classifier@185", "position_embeddings.weight"},
    {"EsmForTokenClassification", "esm", "", "esm", "esm@435 classifier@22", "position_embeddings.weight"},
    {"EsmModel", "esm", "esm", "esm", "embeddings@420 encoder@432 pooler@172 contact_head@434",
     "position_embeddings.weight"},
    {"EuroBertForMaskedLM", "eurobert", "", "model", "lm_head@436 model=:EuroBertModel", ""},
    {"EuroBertForSequenceClassification", "eurobert", "", "model", "dense@47 classifier@22 model=:EuroBertModel", ""},
    {"EuroBertForTokenClassification", "eurobert", "", "model", "classifier@22 model=:EuroBertModel", ""},
    {"EuroBertModel LlamaModel UltrabertModel", "eurobert llama ultrabert",
     "eurobert internlm3 iquestcoder llama ultrabert", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"EvollaForProteinText2Text", "evolla", "", "model", "lm_head@0 model=:EvollaModel", ""},
    {"EvollaModel", "evolla", "evolla", "model",
     "embed_tokens@0 protein_encoder(model(embeddings(word_embeddings(weight[protein_encoder_config.vocab_size,pro"
     "tein_encoder_config.hidden_size]) layer_norm@437) "
     "encoder(layer(#{protein_encoder_config.num_hidden_layers}(attention(self(query@438 key@438 value@438) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@439) "
     "intermediate(dense(weight[protein_encoder_config.intermediate_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.intermediate_size])) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.intermediate_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@439 crossattention(self(query@440 key@440 value@440) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size]?0 "
     "bias[protein_encoder_config.hidden_size]?0)) LayerNorm@437))) emb_layer_norm_after@439) "
     "rotary_embeddings(inv_freq[?])) "
     "sequence_compressor_resampler(latents[resampler_num_latents,protein_encoder_config.hidden_size] layers(0@448"
     " 1@448 2@448 3@448 4@448 5@448) norm@45 "
     "protein_projector(weight[hidden_size,protein_encoder_config.hidden_size] bias[hidden_size]))) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@399 k_proj@400 v_proj@400 o_proj@401) mlp(gate_proj@402 "
     "up_proj@402 down_proj@403) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) adapter(gate_attention[?]?0 gate_ffw[?]?0 query@156 "
     "key_protein@156 value_protein@156 attention_norm(weight[hidden_size]?0) "
     "out_proj(weight[hidden_size,hidden_size]?0 bias[hidden_size]?!) ff(norm@159 "
     "fc1(weight[(hidden_size*aligner_ffn_mult),hidden_size]?0) "
     "fc2(weight[hidden_size,(hidden_size*aligner_ffn_mult)]?0))))) norm(weight[hidden_size])", ""},
    {"Exaone4ForCausalLM", "exaone4", "", "model", "lm_head@0 model=:Exaone4Model", ""},
    {"Exaone4ForQuestionAnswering", "exaone4", "", "transformer", "qa_outputs@67 transformer=:Exaone4Model", ""},
    {"Exaone4ForSequenceClassification", "exaone4", "", "model", "score@21 model=:Exaone4Model", ""},
    {"Exaone4ForTokenClassification", "exaone4", "", "model", "score@22 model=:Exaone4Model", ""},
    {"Exaone4Model", "exaone4", "exaone4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) "
     "k_proj(weight[?,hidden_size]) v_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) q_norm(weight[?]) "
     "k_norm(weight[?])) mlp@295 post_attention_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Exaone4_5_ForConditionalGeneration", "exaone4_5", "", "model", "lm_head@84 model=:Exaone4_5_Model", "mtp.*"},
    {"Exaone4_5_Model", "exaone4_5", "exaone4_5", "model",
     "visual=vision_config:Exaone4_5_VisionModel language_model=text_config:Exaone4Model", "mtp.*"},
    {"Exaone4_5_VisionModel", "exaone4_5_vision", "exaone4_5_vision", "model",
     "patch_embed@450 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(proj@47 qkv(weigh"
     "t[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2)),hidden_size] "
     "bias[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2))])) mlp@451)) "
     "merger@455", "mtp.*"},
    {"ExaoneMoeForCausalLM", "exaone_moe", "", "model", "lm_head@0 model=:ExaoneMoeModel", "mtp.*"},
    {"ExaoneMoeModel", "exaone_moe", "exaone_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@411 k_proj@412 v_proj@412 o_proj@413 q_norm@64 "
     "k_norm@64) mlp(gate_proj@7 up_proj@7 down_proj@8 experts@38 gate@34 shared_experts@37 "
     "e_score_correction_bias[num_experts]?1) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "mtp.*"},
    {"FNetForMaskedLM", "fnet", "", "fnet", "cls@168 fnet=:FNetModel", ""},
    {"FNetForMultipleChoice", "fnet", "", "fnet", "classifier@60 fnet=:FNetModel", ""},
    {"FNetForNextSentencePrediction", "fnet", "", "fnet", "cls@169 fnet=:FNetModel", ""},
    {"FNetForPreTraining", "fnet", "", "fnet", "cls@170 fnet=:FNetModel", ""},
    {"FNetForQuestionAnswering", "fnet", "", "fnet", "qa_outputs@22 fnet=:FNetModel", ""},
    {"FNetForSequenceClassification FNetForTokenClassification", "fnet", "", "fnet", "classifier@22 fnet=:FNetModel",
     ""},
    {"FNetModel", "fnet", "fnet", "fnet",
     "embeddings(word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 projection@47) "
     "encoder(layer(#{num_hidden_layers}(fourier(output(LayerNorm@45)) intermediate@154 output@155))) pooler@172", ""},
    {"FalconForCausalLM", "falcon", "", "transformer", "lm_head@192 transformer=:FalconModel", ""},
    {"FalconForQuestionAnswering", "falcon", "", "transformer", "qa_outputs@67 transformer=:FalconModel", ""},
    {"FalconForSequenceClassification", "falcon", "", "transformer", "score@21 transformer=:FalconModel", ""},
    {"FalconForTokenClassification", "falcon", "", "transformer", "classifier@22 transformer=:FalconModel", ""},
    {"FalconH1ForCausalLM", "falcon_h1", "", "model", "lm_head@0 model=:FalconH1Model", ""},
    {"FalconH1Model", "falcon_h1", "falcon_h1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@117 mamba(dt_bias[mamba_n_heads] "
     "A_log[mamba_n_heads] D[mamba_n_heads] conv1d(weight[?,?,mamba_d_conv] bias[?]?!) "
     "in_proj(weight[?,hidden_size] "
     "bias[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads)]?!) "
     "out_proj(weight[hidden_size,?] bias[hidden_size]?!) norm(weight[mamba_d_ssm]?!)) self_attn@456 "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"FalconMambaForCausalLM MambaForCausalLM", "falcon_mamba mamba", "", "backbone",
     "lm_head@192 backbone=:FalconMambaModel", ""},
    {"FalconMambaModel MambaModel", "falcon_mamba mamba", "falcon_mamba mamba", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(A_log[intermediate_size,state_size]"
     " D[intermediate_size] conv1d(weight[intermediate_size,(intermediate_size/intermediate_size),conv_kernel] "
     "bias[intermediate_size]?!) in_proj(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?0) "
     "x_proj(weight[(time_step_rank+(state_size*2)),intermediate_size]) "
     "dt_proj(weight[intermediate_size,time_step_rank] bias[intermediate_size]) out_proj@73))) "
     "norm_f(weight[hidden_size])", ""},
    {"FalconModel", "falcon", "falcon", "transformer",
     "word_embeddings@0 h(#{num_hidden_layers}(self_attention(query_key_value@457 "
     "dense(weight[hidden_size,hidden_size] bias[hidden_size]?2)) "
     "mlp(dense_h_to_4h(weight[ffn_hidden_size,hidden_size] bias[ffn_hidden_size]?2) "
     "dense_4h_to_h(weight[hidden_size,ffn_hidden_size] bias[hidden_size]?2)) input_layernorm@159 ln_attn@179 "
     "ln_mlp@179 post_attention_layernorm(weight[hidden_size]?3 bias[hidden_size]?3))) ln_f@45", ""},
    {"FlaubertForMultipleChoice XLMForMultipleChoice", "flaubert xlm", "", "transformer",
     "sequence_summary@459 logits_proj(weight[1,num_labels] bias[1]) transformer=:FlaubertModel", ""},
    {"FlaubertForQuestionAnsweringSimple XLMForQuestionAnsweringSimple", "flaubert xlm", "", "transformer",
     "qa_outputs@460 transformer=:FlaubertModel", ""},
    {"FlaubertForSequenceClassification XLMForSequenceClassification", "flaubert xlm", "", "transformer",
     "sequence_summary@459 transformer=:FlaubertModel", ""},
    {"FlaubertForTokenClassification XLMForTokenClassification", "flaubert xlm", "", "transformer",
     "classifier@460 transformer=:FlaubertModel", ""},
    {"FlaubertModel XLMModel", "flaubert xlm", "flaubert xlm", "transformer",
     "position_embeddings(weight[max_position_embeddings,emb_dim]) embeddings(weight[vocab_size,emb_dim]) "
     "layer_norm_emb@461 attentions(#{}(q_lin@462 k_lin@462 v_lin@462 out_lin@462)) layer_norm1@463 "
     "ffns(#{}(lin1(weight[(emb_dim*4),emb_dim] bias[(emb_dim*4)]) lin2(weight[emb_dim,(emb_dim*4)] "
     "bias[emb_dim]))) layer_norm2@463 lang_embeddings(weight[n_langs,emb_dim]?)", ""},
    {"FlaubertWithLMHeadModel XLMWithLMHeadModel", "flaubert xlm", "", "transformer",
     "pred_layer(proj(weight[vocab_size,emb_dim]? bias[vocab_size])) transformer=:FlaubertModel", ""},
    {"FlexOlmoForCausalLM", "flex_olmo", "", "model", "lm_head@0 model=:FlexOlmoModel", ""},
    {"FlexOlmoModel", "flex_olmo", "flex_olmo", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@466 mlp@469 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"FlintForCausalLM", "flint", "", "model", "lm_head@0 model=:FlintModel", ""},
    {"FlintModel", "flint", "flint", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(softmax_offset[num_attention_heads] q_proj@30 k_proj@31"
     " v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts@38 gate@34 shared_expert@472) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"FunnelBaseModel", "funnel", "funnel", "funnel", "embeddings@473 encoder@485", ""},
    {"FunnelForMaskedLM", "funnel", "", "funnel", "lm_head@486 funnel=:FunnelModel", ""},
    {"FunnelForMultipleChoice", "funnel", "", "funnel",
     "classifier(linear_hidden@129 linear_out@487) funnel=:FunnelBaseModel", ""},
    {"FunnelForPreTraining", "funnel", "", "funnel",
     "discriminator_predictions(dense@129 dense_prediction@487) funnel=:FunnelModel", ""},
    {"FunnelForQuestionAnswering", "funnel", "", "funnel", "qa_outputs@139 funnel=:FunnelModel", ""},
    {"FunnelForSequenceClassification", "funnel", "", "funnel",
     "classifier(linear_hidden@129 linear_out@139) funnel=:FunnelBaseModel", ""},
    {"FunnelForTokenClassification", "funnel", "", "funnel", "classifier@139 funnel=:FunnelModel", ""},
    {"FunnelModel", "funnel", "funnel", "funnel",
     "embeddings@473 encoder@485 decoder(layers(#{num_decoder_layers}(attention(r_w_bias[n_head,d_head] "
     "r_r_bias[n_head,d_head] r_kernel[d_model,n_head,d_head] r_s_bias[n_head,d_head] seg_embed[2,n_head,d_head] "
     "q_head(weight[(n_head*d_head),d_model]) k_head@488 v_head@488 post_proj(weight[d_model,(n_head*d_head)] "
     "bias[d_model]) layer_norm@131) ffn(linear_1@489 linear_2@490 layer_norm@131))))", ""},
    {"FuyuForCausalLM", "fuyu", "", "model",
     "vision_embed_tokens@491 language_model(lm_head@84 model=text_config:PersimmonModel)", ""},
    {"FuyuModel", "fuyu", "fuyu", "model", "vision_embed_tokens@491 language_model(model=text_config:PersimmonModel)",
     ""},
    {"GPT2ForQuestionAnswering", "gpt2", "", "transformer",
     "qa_outputs(weight[2,n_embd] bias[2]) transformer=:GPT2Model", "attn.bias crossattention.bias"},
    {"GPT2ForSequenceClassification", "gpt2", "", "transformer", "score@275 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForTokenClassification", "gpt2", "", "transformer", "classifier@492 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2LMHeadModel", "gpt2", "", "transformer", "lm_head@493 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2Model", "gpt2", "gpt-sw3 gpt2", "transformer",
     "wte@276 wpe@494 h(#{n_layer}(ln_1@278 attn@496 ln_2@278 mlp@499 crossattention@502 "
     "ln_cross_attn(weight[n_embd]?0 bias[n_embd]?0))) ln_f@278", "attn.bias crossattention.bias"},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", "", "transformer", "lm_head@493 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForSequenceClassification", "gpt_bigcode", "", "transformer", "score@275 transformer=:GPTBigCodeModel",
     ""},
    {"GPTBigCodeForTokenClassification", "gpt_bigcode", "", "transformer",
     "classifier@492 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeModel", "gpt_bigcode", "gpt_bigcode", "transformer",
     "wte@276 wpe@494 h(#{n_layer}(ln_1@278 attn(c_attn@288 c_proj@277) ln_2@278 mlp(c_fc@288 c_proj@289))) "
     "ln_f@278", ""},
    {"GPTJForCausalLM", "gptj", "", "transformer", "lm_head@287 transformer=:GPTJModel", ""},
    {"GPTJForQuestionAnswering", "gptj", "", "transformer", "qa_outputs@492 transformer=:GPTJModel", ""},
    {"GPTJForSequenceClassification", "gptj", "", "transformer", "score@275 transformer=:GPTJModel", ""},
    {"GPTJModel", "gptj", "gptj", "transformer",
     "wte@276 h(#{n_layer}(ln_1@278 attn(k_proj(weight[n_embd,n_embd]) v_proj(weight[n_embd,n_embd]) "
     "q_proj(weight[n_embd,n_embd]) out_proj(weight[n_embd,n_embd])) mlp@290)) ln_f@278", ""},
    {"GPTNeoForCausalLM", "gpt_neo", "", "transformer", "lm_head@192 transformer=:GPTNeoModel", ""},
    {"GPTNeoForQuestionAnswering", "gpt_neo", "", "transformer", "qa_outputs@67 transformer=:GPTNeoModel", ""},
    {"GPTNeoForSequenceClassification", "gpt_neo", "", "transformer", "score@21 transformer=:GPTNeoModel", ""},
    {"GPTNeoForTokenClassification", "gpt_neo", "", "transformer", "classifier@22 transformer=:GPTNeoModel", ""},
    {"GPTNeoModel", "gpt_neo", "gpt_neo", "transformer",
     "wte@0 wpe@148 h(#{num_layers}(ln_1@45 attn(attention(k_proj@88 v_proj@88 q_proj@88 out_proj@47)) ln_2@45 "
     "mlp(c_fc@264 c_proj@503))) ln_f@45", ""},
    {"GPTNeoXForCausalLM", "gpt_neox", "", "gpt_neox", "embed_out@0 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForQuestionAnswering", "gpt_neox", "", "gpt_neox", "qa_outputs@67 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForSequenceClassification", "gpt_neox", "", "gpt_neox", "score@21 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForTokenClassification", "gpt_neox", "", "gpt_neox", "classifier@22 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXJapaneseForCausalLM", "gpt_neox_japanese", "", "gpt_neox_japanese",
     "embed_out@192 gpt_neox_japanese=:GPTNeoXJapaneseModel", ""},
    {"GPTNeoXJapaneseModel", "gpt_neox_japanese", "gpt_neox_japanese", "gpt_neox_japanese",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size]) dense@88 dense_bias[hidden_size]?) "
     "mlp(dense_h_to_4h(weight[(hidden_size*intermediate_multiple_size),hidden_size]) "
     "dense_4h_to_h(weight[hidden_size,(hidden_size*intermediate_multiple_size)])))) final_layer_norm@45", ""},
    {"GPTNeoXModel", "gpt_neox", "gpt_neox", "gpt_neox",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]?0) dense@504) mlp@505)) "
     "final_layer_norm@45", "attention.bias attention.masked_bias"},
    {"Gemma2ForCausalLM", "gemma2", "", "model", "lm_head@192 model=:Gemma2Model", ""},
    {"Gemma2ForSequenceClassification", "gemma2", "", "model", "score@21 model=:Gemma2Model", ""},
    {"Gemma2ForTokenClassification", "gemma2", "", "model", "score@22 model=:Gemma2Model", ""},
    {"Gemma2Model", "gemma2", "gemma2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@294 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3ForCausalLM", "gemma3_text", "", "model", "lm_head@192 model=:Gemma3TextModel", ""},
    {"Gemma3ForConditionalGeneration", "gemma3", "", "model",
     "multi_modal_projector@507 language_model(lm_head@98 model=text_config:Gemma3TextModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"Gemma3ForSequenceClassification", "gemma3", "", "model",
     "multi_modal_projector@507 score@508 vision_tower=vision_config:SiglipVisionModel language_model@509", ""},
    {"Gemma3Model", "gemma3", "gemma3", "model",
     "multi_modal_projector@507 vision_tower=vision_config:SiglipVisionModel language_model@509", ""},
    {"Gemma3TextForSequenceClassification", "gemma3_text", "", "model", "score@21 model=:Gemma3TextModel", ""},
    {"Gemma3TextModel", "gemma3_text", "gemma3_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@510 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3nForCausalLM", "gemma3n_text", "", "model", "lm_head@192 model=:Gemma3nTextModel", ""},
    {"Gemma3nTextModel", "gemma3n_text", "gemma3n_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 q_norm(weight[head_dim]) k_proj@511 "
     "v_proj@511 k_norm(weight[head_dim]?0) o_proj@70) mlp@512 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) altup(correct_output_scale[hidden_size] "
     "correction_coefs(weight[altup_num_inputs,altup_num_inputs]) "
     "prediction_coefs(weight[(altup_num_inputs*altup_num_inputs),altup_num_inputs]) "
     "modality_router(weight[altup_num_inputs,hidden_size]) router_norm(weight[hidden_size])) "
     "laurel(linear_left(weight[laurel_rank,hidden_size]) linear_right(weight[hidden_size,laurel_rank]) "
     "post_laurel_norm(weight[hidden_size])) per_layer_input_gate@407 per_layer_projection@408 "
     "post_per_layer_input_norm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_tokens_per_layer(weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]) "
     "per_layer_model_projection@409 per_layer_projection_norm@410 altup_projections@513 "
     "altup_unembed_projections@513", ""},
    {"Gemma4ForCausalLM", "gemma4_text", "", "model", "lm_head@192 model=:Gemma4TextModel", ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "", "model", "lm_head@98 model=:Gemma4Model", ""},
    {"Gemma4Model", "gemma4", "gemma4", "model",
     "vision_tower(patch_embedder(position_embedding_table[2,vision_config.position_embedding_size,vision_config.h"
     "idden_size]?1 "
     "input_proj(weight[vision_config.hidden_size,(3*(vision_config.patch_size*vision_config.patch_size))]?1)) enc"
     "oder(layers(#{vision_config.num_hidden_layers}(self_attn(q_proj(linear(weight[(vision_config.num_attention_h"
     "eads*vision_config.head_dim),vision_config.hidden_size]?0) input_min[]?1 input_max[]?1 output_min[]?1 "
     "output_max[]?1) k_proj@515 v_proj@515 o_proj(linear(weight[vision_config.hidden_size,(vision_config.num_atte"
     "ntion_heads*vision_config.head_dim)]?0) input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1) "
     "q_norm@516 k_norm@516) mlp(gate_proj@518 up_proj@518 "
     "down_proj(linear(weight[vision_config.hidden_size,vision_config.intermediate_size]?0) input_min[]?1 "
     "input_max[]?1 output_min[]?1 output_max[]?1)) input_layernorm@519 post_attention_layernorm@519 "
     "pre_feedforward_layernorm@519 post_feedforward_layernorm@519))) std_bias[vision_config.hidden_size]?2 "
     "std_scale[vision_config.hidden_size]?2) "
     "embed_vision(embedding_projection(weight[text_config.hidden_size,vision_config.hidden_size]?1)) "
     "audio_tower(subsample_conv_projection(layer0(conv(weight[?,1,?,?]?0) norm(weight[?]?0)) "
     "layer1(conv(weight[?,?,?,?]?0) norm(weight[?]?0)) input_proj_linear(weight[audio_config.hidden_size,?]?0)) "
     "layers(#{audio_config.num_hidden_layers}(feed_forward1@525 feed_forward2@525 "
     "self_attn(per_dim_scale[(audio_config.hidden_size/audio_config.num_attention_heads)]?0 q_proj@527 k_proj@527"
     " v_proj@527 post@529 relative_k_proj@526) "
     "lconv1d(linear_start(linear(weight[(audio_config.hidden_size*2),audio_config.hidden_size]?0) input_min[]?0 "
     "input_max[]?0 output_min[]?0 output_max[]?0) linear_end@529 depthwise_conv1d(weight[audio_config.hidden_size"
     ",(audio_config.hidden_size/audio_config.hidden_size),audio_config.conv_kernel_size]?0) pre_layer_norm@524 "
     "conv_norm@524) norm_pre_attn@524 norm_post_attn@524 norm_out@524)) "
     "output_proj(weight[audio_config.output_proj_dims,audio_config.hidden_size]?0 "
     "bias[audio_config.output_proj_dims]?0)) "
     "embed_audio(embedding_projection(weight[text_config.hidden_size,audio_config.output_proj_dims]?0)) "
     "language_model=text_config:Gemma4TextModel", ""},
    {"Gemma4TextModel", "gemma4_text", "gemma4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@530 q_norm(weight[?]) k_norm(weight[?]?2) "
     "k_proj(weight[?,hidden_size]?2 bias[?]?3) v_proj(weight[?,hidden_size]?! bias[?]?3) "
     "o_proj(weight[hidden_size,?] bias[hidden_size]?3)) mlp@512 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) "
     "per_layer_input_gate(weight[hidden_size_per_layer_input,hidden_size]?1) "
     "per_layer_projection(weight[hidden_size,hidden_size_per_layer_input]?1) "
     "post_per_layer_input_norm(weight[hidden_size]?1) layer_scalar[1] router(scale[hidden_size]?0 "
     "per_expert_scale[num_experts]?0 proj@405) "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?0 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?0) "
     "post_feedforward_layernorm_1(weight[hidden_size]?0) post_feedforward_layernorm_2(weight[hidden_size]?0) "
     "pre_feedforward_layernorm_2(weight[hidden_size]?0))) norm(weight[hidden_size]) "
     "embed_tokens_per_layer(weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]?0)"
     " per_layer_model_projection(weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]?0) "
     "per_layer_projection_norm(weight[hidden_size_per_layer_input]?0)", ""},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", "", "model", "lm_head@192 model=:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "", "model", "lm_head@98 model=:Gemma4UnifiedModel", ""},
    {"Gemma4UnifiedModel", "gemma4_unified", "gemma4_unified", "model",
     "language_model=text_config:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedTextModel", "gemma4_unified_text", "gemma4_unified_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@173 q_norm(weight[?]) k_norm(weight[?]) "
     "k_proj@173 v_proj(weight[?,hidden_size]?! bias[?]?0) o_proj@406) mlp(gate_proj@531 up_proj@531 "
     "down_proj(weight[hidden_size,(intermediate_size*1)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size])", ""},
    {"GemmaForCausalLM", "gemma", "", "model", "lm_head@192 model=:GemmaModel", ""},
    {"GemmaForSequenceClassification", "gemma", "", "model", "score@21 model=:GemmaModel", ""},
    {"GemmaForTokenClassification", "gemma", "", "model", "score@22 model=:GemmaModel", ""},
    {"GemmaModel", "gemma", "gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@294 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GitForCausalLM", "git", "", "git", "output@302 git=:GitModel", ""},
    {"GitModel", "git", "git", "git",
     "embeddings@171 image_encoder(vision_model@536) encoder@539 visual_projection(visual_projection(0@540 1@45)) "
     "img_temporal_embedding(0[1,1,vision_config.hidden_size]?0 1[1,1,vision_config.hidden_size]?0)", ""},
    {"Glm46VForConditionalGeneration Glm4vForConditionalGeneration", "glm46v glm4v", "", "model",
     "lm_head@84 model=:Glm46VModel", ""},
    {"Glm46VModel Glm4vModel", "glm46v glm4v", "glm46v glm4v glmga", "model",
     "visual=vision_config:Glm4vVisionModel language_model=text_config:Glm4vTextModel", ""},
    {"Glm4ForCausalLM", "glm4", "", "model", "lm_head@0 model=:Glm4Model", ""},
    {"Glm4ForSequenceClassification", "glm4", "", "model", "score@21 model=:Glm4Model", ""},
    {"Glm4ForTokenClassification", "glm4", "", "model", "score@22 model=:Glm4Model", ""},
    {"Glm4Model", "glm4", "glm4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@541 mlp@543 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4MoeForCausalLM", "glm4_moe", "", "model", "lm_head@0 model=:Glm4MoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", "", "model", "lm_head@0 model=:Glm4MoeLiteModel",
     "model\\.layers\\.47.*"},
    {"Glm4MoeLiteModel", "glm4_moe_lite", "glm4_moe_lite", "model",
     "embed_tokens@0 layers@369 norm(weight[hidden_size])", "model\\.layers\\.47.*"},
    {"Glm4MoeModel", "glm4_moe", "glm4_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@530 k_proj@530 v_proj@530 "
     "o_proj(weight[hidden_size,?]) q_norm(weight[?]?2) k_norm(weight[?]?2)) mlp@29 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "", "model", "lm_head@84 model=:Glm4vMoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeModel", "glm4v_moe", "glm4v_moe", "model",
     "language_model(embed_tokens@84 layers(#{text_config.num_hidden_layers}(self_attn(q_proj@544 k_proj@544 "
     "v_proj@544 o_proj@545) mlp(gate_proj@546 up_proj@546 down_proj@547 experts(gate_up_proj[text_config.n_routed"
     "_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a "
     "#{text_config.n_routed_experts}@550 "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b) "
     "gate(weight[text_config.n_routed_experts,text_config.hidden_size]?1 "
     "e_score_correction_bias[text_config.n_routed_experts]?1) shared_experts(gate_proj@551 up_proj@551 "
     "down_proj@552)) input_layernorm@340 post_attention_layernorm@340)) norm@340) "
     "visual=vision_config:Glm4vMoeVisionModel", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeTextModel", "glm4v_moe_text", "glm4v_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@457 k_proj@457 v_proj@457 "
     "o_proj(weight[hidden_size,?])) mlp(gate_proj@7 up_proj@7 down_proj@8 experts@553 gate@28 shared_experts@16) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeVisionModel", "glm4v_moe_vision", "glm4v_moe_vision", "model",
     "embeddings@555 patch_embed@557 blocks@564 merger@569 post_conv_layernorm(weight[hidden_size]) downsample@570"
     " post_layernorm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vTextModel", "glm4v_text", "glm4v_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 mlp@543 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4vVisionModel", "glm4v_vision", "glm4v_vision", "model",
     "embeddings@555 patch_embed@557 blocks@564 merger@569 post_conv_layernorm(weight[hidden_size]) downsample@570"
     " post_layernorm(weight[hidden_size])", ""},
    {"GlmAsrEncoder", "glmasr_encoder", "glmasr_encoder", "model",
     "conv1@86 conv2@87 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@412 v_proj@571 o_proj@573) mlp@270 "
     "input_layernorm@45 post_attention_layernorm@45)) norm@45", ""},
    {"GlmAsrForConditionalGeneration", "glmasr", "", "model",
     "multi_modal_projector@576 language_model(lm_head@98 model=text_config:EuroBertModel) "
     "audio_tower=audio_config:GlmAsrEncoder", ""},
    {"GlmAsrModel", "glmasr", "glmasr", "model",
     "multi_modal_projector@576 audio_tower=audio_config:GlmAsrEncoder language_model@577", ""},
    {"GlmForCausalLM", "glm", "", "model", "lm_head@0 model=:GlmModel", ""},
    {"GlmForSequenceClassification", "glm", "", "model", "score@21 model=:GlmModel", ""},
    {"GlmForTokenClassification", "glm", "", "model", "score@22 model=:GlmModel", ""},
    {"GlmImageModel", "glm_image", "glm_image", "model",
     "visual=vision_config:GlmImageVisionModel language_model=text_config:GlmImageTextModel "
     "vqmodel=vq_config:GlmImageVQVAE", ""},
    {"GlmImageTextModel", "glm_image_text", "glm_image_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@413) mlp@543 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_self_attn_layernorm(weight[hidden_size]) post_mlp_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GlmImageVQVAE", "glm_image_vqmodel", "glm_image_vqmodel", "model",
     "quantize(embedding(weight[num_embeddings,embed_dim])) quant_conv(weight[embed_dim,(latent_channels/1),1,1] "
     "bias[embed_dim]) post_quant_conv(weight[latent_channels,(embed_dim/1),1,1] bias[latent_channels])", ""},
    {"GlmImageVisionModel", "glm_image_vision", "glm_image_vision", "model",
     "embeddings@555 patch_embed(proj(weight[hidden_size,(in_channels/1),patch_size,patch_size] "
     "bias[hidden_size])) blocks(#{depth}(norm1@45 norm2@45 attn(qkv@578 proj@504) mlp@270))", ""},
    {"GlmModel", "glm", "glm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@541 mlp@543 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", "", "model", "lm_head@0 model=:GlmMoeDsaModel", "model\\.layers\\.78.*"},
    {"GlmMoeDsaModel", "glm_moe_dsa", "glm_moe_dsa", "model", "embed_tokens@0 layers@364 norm(weight[hidden_size])",
     "model\\.layers\\.78.*"},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "", "model", "lm_head@84 model=:GlmOcrModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrModel", "glm_ocr", "glm_ocr", "model",
     "visual=vision_config:GlmOcrVisionModel language_model=text_config:GlmOcrTextModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrTextModel", "glm_ocr_text", "glm_ocr_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@414 mlp@543 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrVisionModel", "glm_ocr_vision", "glm_ocr_vision", "model",
     "patch_embed@557 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(qkv@578 proj@504 "
     "q_norm@579 k_norm@579) mlp@117)) merger(proj@565 post_projection_norm@566 gate_proj@580 up_proj@580 "
     "down_proj(weight[out_hidden_size,(out_hidden_size*in_channels)])) downsample@570 "
     "post_layernorm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GotOcr2ForConditionalGeneration", "got_ocr2", "", "model",
     "vision_tower@594 multi_modal_projector@597 language_model@598", ""},
    {"GotOcr2Model", "got_ocr2", "got_ocr2", "model", "vision_tower@594 multi_modal_projector@597 language_model@93",
     ""},
    {"GptOssForCausalLM", "gpt_oss", "", "model", "lm_head@0 model=:GptOssModel", ""},
    {"GptOssForSequenceClassification", "gpt_oss", "", "model", "score@21 model=:GptOssModel", ""},
    {"GptOssForTokenClassification OpenAIPrivacyFilterForTokenClassification", "gpt_oss openai_privacy_filter", "",
     "model", "score@22 model=:GptOssModel", ""},
    {"GptOssModel OpenAIPrivacyFilterModel", "gpt_oss openai_privacy_filter", "gpt_oss openai_privacy_filter", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@291 k_proj@292 "
     "v_proj@292 o_proj@293) mlp(router(weight[num_local_experts,hidden_size] bias[num_local_experts]) "
     "experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "gate_up_proj_bias[num_local_experts,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size] down_proj_bias[num_local_experts,hidden_size])) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteDoclingTextModel GraniteModel SmolLM3Model", "granite granite_docling_text smollm3",
     "granite granite_docling_text smollm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@456 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteForCausalLM", "granite", "", "model", "lm_head@0 model=:GraniteDoclingTextModel", ""},
    {"GraniteMoeForCausalLM", "granitemoe", "", "model", "lm_head@0 model=:GraniteMoeModel", ""},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "", "model", "lm_head@0 model=:GraniteMoeHybridModel", ""},
    {"GraniteMoeHybridModel", "granitemoehybrid", "granitemoehybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) "
     "block_sparse_moe(router(layer(weight[num_local_experts,hidden_size]?0)) "
     "input_linear(weight[num_local_experts,(2*intermediate_size),hidden_size]?0) "
     "output_linear(weight[num_local_experts,hidden_size,intermediate_size]?0)) "
     "shared_mlp(input_linear(weight[(shared_intermediate_size*2),hidden_size]) "
     "output_linear(weight[hidden_size,shared_intermediate_size])) mamba@122 self_attn@126)) "
     "norm(weight[hidden_size])", ""},
    {"GraniteMoeModel", "granitemoe", "granitemoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@604)) norm(weight[hidden_size])", ""},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", "", "model", "lm_head@0 model=:GraniteMoeSWAModel", ""},
    {"GraniteMoeSWAModel", "granitemoe_swa", "granitemoe_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@61 k_proj@62 "
     "v_proj@62 o_proj@63) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "block_sparse_moe(router@600 experts(gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size] "
     "down_proj[num_local_experts,hidden_size,intermediate_size])) shared_mlp@607)) norm(weight[hidden_size])", ""},
    {"GraniteMoeSharedForCausalLM", "granitemoeshared", "", "model", "lm_head@0 model=:GraniteMoeSharedModel", ""},
    {"GraniteMoeSharedModel", "granitemoeshared", "granitemoeshared", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@604 shared_mlp@607)) " "norm(weight[hidden_size])",
     ""},
    {"GraniteSWAForCausalLM", "granite_swa", "", "model", "lm_head@192 model=:GraniteSWAModel", ""},
    {"GraniteSWAModel", "granite_swa", "granite_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@311 k_proj@312 "
     "v_proj@312 o_proj@313) mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteSpeechForConditionalGeneration GraniteSpeechPlusForConditionalGeneration",
     "granite_speech granite_speech_plus", "", "model",
     "encoder@628 projector@630 language_model(lm_head@98 model=text_config:GraniteDoclingTextModel)", ""},
    {"GraniteSpeechModel GraniteSpeechPlusModel", "granite_speech granite_speech_plus",
     "granite_speech granite_speech_plus", "model",
     "encoder@628 projector@630 language_model(model=text_config:GraniteDoclingTextModel)", ""},
    {"GteForMaskedLM", "gte", "", "gte",
     "lm_head(dense@47 norm@45 decoder(weight[vocab_size,hidden_size]? bias[vocab_size])) gte=:GteModel",
     "inv_freq original_inv_freq"},
    {"GteForSequenceClassification", "gte", "", "gte", "gte(embeddings@631 pooler@172 encoder@639) classifier@22",
     "inv_freq original_inv_freq"},
    {"GteForTokenClassification", "gte", "", "gte", "classifier@22 gte=:GteModel", "inv_freq original_inv_freq"},
    {"GteModel", "gte", "gte", "gte", "embeddings@631 encoder@639", "inv_freq original_inv_freq"},
    {"HYV3ForCausalLM", "hy_v3", "", "model", "lm_head@0 model=:HYV3Model", "model\\.layers\\.80.*"},
    {"HYV3Model", "hy_v3", "hy_v3", "model", "embed_tokens@0 "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size] "
     "bias[(num_attention_heads*head_dim)]?4) k_proj@640 v_proj@640 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?4) q_norm(weight[head_dim]) "
     "k_norm(weight[head_dim])) mlp(gate_proj@359 up_proj@359 down_proj@360 router(gate@641) experts@642 "
     "shared_mlp(gate_proj@643 up_proj@643 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?2 bias[hidden_size]?3)) "
     "expert_bias[num_experts]?2) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.layers\\.80.*"},
    {"HYV4ForCausalLM", "hy_v4", "", "model",
     "model(embed_tokens@0 layers@657 norm(weight[hidden_size]) hc_pre(hc_head@658)) lm_head@0",
     "model\\.mtp_layers\\..*"},
    {"HYV4Model", "hy_v4", "hy_v4", "model", "embed_tokens@0 layers@657 norm(weight[hidden_size]) hc_head(hc_pre@658)",
     "model\\.mtp_layers\\..*"},
    {"HeliumForCausalLM", "helium", "", "model", "lm_head@0 model=:HeliumModel", ""},
    {"HeliumForSequenceClassification", "helium", "", "model", "score@21 model=:HeliumModel", ""},
    {"HeliumForTokenClassification", "helium", "", "model", "score@22 model=:HeliumModel", ""},
    {"HeliumModel", "helium", "helium", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 k_proj@69 v_proj@69 o_proj@88) mlp@117 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HiggsAudioV2ForConditionalGeneration", "higgs_audio_v2", "higgs_audio_v2", "model",
     "model(embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) audio_mlp@117 audio_input_layernorm(weight[hidden_size]) "
     "audio_post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_audio_tokens(embed_audio_tokens@659)) audio_lm_head@659", "text_lm_head.weight"},
    {"HrmTextForCausalLM", "hrm_text", "", "model", "lm_head@0 model=:HrmTextModel", ""},
    {"HrmTextModel", "hrm_text", "hrm_text", "model", "z_L_init[hidden_size] embed_tokens@0 L_module@667 H_module@667",
     ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "", "model", "lm_head@0 model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1ForSequenceClassification", "hunyuan_v1_dense", "", "model", "score@21 model=:HunYuanDenseV1Model",
     ""},
    {"HunYuanDenseV1Model", "hunyuan_v1_dense", "hunyuan_v1_dense", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@668 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "", "model", "lm_head@0 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1ForSequenceClassification", "hunyuan_v1_moe", "", "model", "score@21 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1Model", "hunyuan_v1_moe", "hunyuan_v1_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@668 mlp(gate(wg@467) experts@468 shared_mlp@295) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HyperCLOVAXForCausalLM", "hyperclovax", "", "model", "lm_head@0 model=:HyperCLOVAXModel", ""},
    {"HyperCLOVAXModel", "hyperclovax", "hyperclovax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@669 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_norm1(weight[hidden_size]?1) "
     "post_norm2(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"HyperCLOVAXVisionV2ForConditionalGeneration", "hyperclovax_vision_v2", "", "model",
     "model(vision_projector@670 language_model(lm_head@98) "
     "vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel)", ""},
    {"HyperCLOVAXVisionV2Model", "hyperclovax_vision_v2", "hyperclovax_vision_v2", "model",
     "projector@670 vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel", ""},
    {"IBertForMaskedLM", "ibert", "", "ibert", "ibert@690 lm_head@279", ""},
    {"IBertForMultipleChoice", "ibert", "", "ibert", "classifier@60 ibert=:IBertModel", ""},
    {"IBertForQuestionAnswering", "ibert", "", "ibert", "ibert@690 qa_outputs@22", ""},
    {"IBertForSequenceClassification", "ibert", "", "ibert", "ibert@690 classifier@185", ""},
    {"IBertForTokenClassification", "ibert", "", "ibert", "ibert@690 classifier@22", ""},
    {"IBertModel", "ibert", "ibert", "ibert", "embeddings@676 encoder@689 pooler@172", ""},
    {"Idefics2ForConditionalGeneration", "idefics2", "", "model", "lm_head@84 model=:Idefics2Model", ""},
    {"Idefics2Model", "idefics2", "idefics2", "model",
     "vision_model(embeddings@692 encoder@535 post_layernorm@78) connector(modality_projection(gate_proj@693 "
     "up_proj@693 down_proj@338) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,perceiver_config.hidden_size] "
     "layers(#{perceiver_config.resampler_depth}(input_latents_norm@694 input_context_norm@694 self_attn(q_proj(we"
     "ight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_size])"
     " k_proj@695 v_proj@695 o_proj(weight[perceiver_config.hidden_size,(perceiver_config.resampler_n_heads*percei"
     "ver_config.resampler_head_dim)])) post_attention_layernorm@694 mlp(gate_proj@696 up_proj@696 "
     "down_proj(weight[perceiver_config.hidden_size,(perceiver_config.hidden_size*4)])))) norm@694)) "
     "text_model=text_config:Ministral3Model", ""},
    {"Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration", "idefics3 smolvlm", "", "model",
     "lm_head@84 model=:Idefics3Model", ""},
    {"Idefics3Model SmolVLMModel", "idefics3 smolvlm", "idefics3 smolvlm", "model",
     "connector(modality_projection(proj(weight[text_config.hidden_size,(vision_config.hidden_size*(scale_factor*s"
     "cale_factor))]))) vision_model=vision_config:Idefics3VisionTransformer text_model=text_config:EuroBertModel", ""},
    {"Idefics3VisionTransformer SmolVLMVisionTransformer", "idefics3_vision smolvlm_vision",
     "idefics3_vision smolvlm_vision", "model", "embeddings@698 encoder@273 post_layernorm@45", ""},
    {"IdeficsForVisionText2Text", "idefics", "", "model", "lm_head@0 model=:IdeficsModel", ""},
    {"IdeficsModel", "idefics", "idefics", "model", "embed_tokens(weight[vocab_size,hidden_size] "
     "additional_embedding(weight[additional_vocab_size,hidden_size]?)) "
     "vision_model(embeddings(class_embedding[vision_config.embed_dim] patch_embedding(weight[vision_config.embed_"
     "dim,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch_size]) position_embedding(we"
     "ight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_siz"
     "e))+1),vision_config.embed_dim])) pre_layrnorm@699 "
     "encoder(layers(#{vision_config.num_hidden_layers}(self_attn(k_proj@700 v_proj@700 q_proj@700 out_proj@700) "
     "layer_norm1@699 mlp(fc1(weight[vision_config.intermediate_size,vision_config.embed_dim] "
     "bias[vision_config.intermediate_size]) fc2(weight[vision_config.embed_dim,vision_config.intermediate_size] "
     "bias[vision_config.embed_dim])) layer_norm2@699))) post_layernorm@699) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@411 k_proj@411 v_proj@411 o_proj@413) mlp@701 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "gated_cross_attn_layers(#{(num_hidden_layers/cross_layer_interval)}(alpha_cross_attn[1] alpha_dense[1] "
     "cross_attn(q_proj@411 k_proj@702 v_proj@702 o_proj@413 q_layer_norm@703 k_layer_norm@703) mlp@701 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size]) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,vision_config.embed_dim]?0 "
     "blocks(#{perceiver_config.resampler_depth}(0(context_layer_norm@704 latents_layer_norm@704 q_proj@705 "
     "k_proj@705 v_proj@705 output_proj(weight[vision_config.embed_dim,(perceiver_config.resampler_n_heads*perceiv"
     "er_config.resampler_head_dim)]?0)) 1(ln@704 " "fc(weight[(vision_config.embed_dim*4),vision_config.embed_dim]?0) "
     "c_proj(weight[vision_config.embed_dim,(vision_config.embed_dim*4)]?0)))) layer_norm@704)", ""},
    {"ImageGPTForCausalImageModeling", "imagegpt", "", "transformer",
     "lm_head(weight[(vocab_size-1),n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTForImageClassification", "imagegpt", "", "transformer", "score@275 transformer=:ImageGPTModel", ""},
    {"ImageGPTModel", "imagegpt", "imagegpt", "transformer",
     "wte@276 wpe@494 h(#{n_layer}(ln_1(weight[?]) attn@496 ln_2(weight[?]) mlp@499 crossattention@502 "
     "ln_cross_attn(weight[?]?0))) ln_f(weight[?])", ""},
    {"Inkling2ForCausalLM", "inkling2_text", "", "model", "model(llm(unembed@0) llm=:Inkling2TextModel)", ""},
    {"Inkling2TextModel", "inkling2_text", "inkling2_text", "model",
     "embed@0 embed_norm(weight[hidden_size]) attn_res(mlp_queries(#{num_hidden_layers}[hidden_size]) "
     "attn_queries(#{num_hidden_layers}[*]?) output_query[hidden_size]) "
     "layers(#{num_hidden_layers}(attn(wq_du(weight[?,hidden_size]) wk_dv(weight[?,hidden_size]) "
     "wv_dv(weight[?,hidden_size]) wr_du(weight[?,hidden_size]) wo_ud(weight[hidden_size,?]) k_sconv@706 "
     "v_sconv@706 rel_logits_proj(proj[d_rel,?]) gate_attn(weight[?,hidden_size]) "
     "attn_sink_proj(weight[?,hidden_size]) q_l2_clip(scale[?,?]) rel_l2_clip(scale[?,d_rel])) "
     "mlp(experts(w13_weight[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "w2_weight[n_routed_experts,hidden_size,moe_intermediate_size]) gate(weight[n_routed_experts,hidden_size] "
     "bias[n_routed_experts])) attn_norm(weight[hidden_size]?0) mlp_norm(weight[hidden_size]) attn_sconv@318 "
     "mlp_sconv@318 q_input_norm(weight[hidden_size]?1) k_input_norm(weight[hidden_size]?1) "
     "v_input_norm(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"InklingForCausalLM", "inkling_text", "", "model", "lm_head@0 model=:InklingTextModel", "model\\.mtp\\..*"},
    {"InklingTextModel", "inkling_text", "inkling_text", "model",
     "embed_tokens(weight[vocab_size,hidden_size] embed_norm(weight[hidden_size])) "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj(weight[?,hidden_size]) "
     "v_proj(weight[?,hidden_size]) r_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) k_sconv@708 "
     "v_sconv@708 q_norm(weight[?]) k_norm(weight[?]) rel_logits_proj(proj[d_rel,?])) "
     "mlp(gate(weight[(n_routed_experts+n_shared_experts),hidden_size]?1 global_scale[1]?1 "
     "e_score_correction_bias[n_routed_experts]?1) experts@553 "
     "shared_experts(gate_proj[n_shared_experts,moe_intermediate_size,hidden_size]?1 "
     "up_proj[n_shared_experts,moe_intermediate_size,hidden_size]?1 "
     "down_proj[n_shared_experts,hidden_size,moe_intermediate_size]?1) global_scale[1]?0 gate_proj@7 up_proj@7 "
     "down_proj@8) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "attn_sconv@709 mlp_sconv@709)) norm(weight[hidden_size])", "model\\.mtp\\..*"},
    {"InstructBlipModel InstructBlipVideoModel", "instructblip instructblipvideo", "instructblip instructblipvideo",
     "blip", "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@205 "
     "qformer(embeddings(word_embeddings@206 position_embeddings@207 layernorm@710) "
     "encoder(layer(#{qformer_config.num_hidden_layers}(attention(attention(query@711 key@711 value@711) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size] bias[qformer_config.hidden_size])"
     " LayerNorm@710)) crossattention(attention(query(weight[(qformer_config.num_attention_heads*(qformer_config.h"
     "idden_size/qformer_config.num_attention_heads)),qformer_config.hidden_size]?0 bias[(qformer_config.num_atten"
     "tion_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0) key@712 value@712) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0) LayerNorm(weight[qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0))) intermediate@714 output@716 intermediate_query@714 "
     "output_query@716)))) language_projection(weight[text_config.hidden_size,qformer_config.hidden_size] "
     "bias[text_config.hidden_size]) language_model=text_config:OPTModel", ""},
    {"InternVLForConditionalGeneration", "internvl", "", "model",
     "multi_modal_projector@719 language_model@598 vision_tower=vision_config:InternVLVisionModel", ""},
    {"InternVLModel", "internvl", "internvl", "model",
     "multi_modal_projector@719 vision_tower=vision_config:InternVLVisionModel language_model@93", ""},
    {"InternVLVisionModel", "internvl_vision", "internvl_vision", "internvl_vision",
     "embeddings(cls_token[1,1,hidden_size] position_embeddings[1,?,hidden_size]? "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?] bias[hidden_size])) "
     "mask_token[1,1,hidden_size]?) encoder(layer(#{num_hidden_layers}(lambda_1[hidden_size] lambda_2[hidden_size]"
     " attention(q_proj@311 k_proj@311 v_proj@311 projection_layer@47 q_norm(weight[hidden_size]?0) "
     "k_norm(weight[hidden_size]?0)) mlp@270 layernorm_before@45 layernorm_after@45))) layernorm@159", ""},
    {"Jais2ForCausalLM", "jais2", "", "model", "lm_head@0 model=:Jais2Model", ""},
    {"Jais2Model", "jais2", "jais2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp@74 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"JambaForCausalLM", "jamba", "", "model", "lm_head@0 model=:JambaModel", ""},
    {"JambaForSequenceClassification", "jamba", "", "model", "score@21 model=:JambaModel", ""},
    {"JambaModel", "jamba", "jamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mamba(A_log[?,?]?2 D[(mamba_expand*hidden_size)]?2 conv1d(weight["
     "(mamba_expand*hidden_size),((mamba_expand*hidden_size)/(mamba_expand*hidden_size)),mamba_d_conv]?2 "
     "bias[(mamba_expand*hidden_size)]?!) in_proj(weight[((mamba_expand*hidden_size)*2),hidden_size]?2 "
     "bias[((mamba_expand*hidden_size)*2)]?3) "
     "x_proj(weight[(mamba_dt_rank+(mamba_d_state*2)),(mamba_expand*hidden_size)]?2) "
     "dt_proj(weight[(mamba_expand*hidden_size),mamba_dt_rank]?2 bias[(mamba_expand*hidden_size)]?2) "
     "out_proj(weight[hidden_size,(mamba_expand*hidden_size)]?2 bias[hidden_size]?3) "
     "dt_layernorm(weight[mamba_dt_rank]?2) b_layernorm@720 c_layernorm@720) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8 router@34 experts@300) input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) self_attn(q_proj@721 k_proj@722 v_proj@722 o_proj@723))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"JanusForConditionalGeneration", "janus", "", "model", "lm_head@98 model=:JanusModel", ""},
    {"JanusModel", "janus", "janus", "model",
     "vision_model(embeddings@692 encoder(layers(#{vision_config.num_hidden_layers}(layer_norm1@78 "
     "self_attn(q_proj@724 k_proj@724 v_proj@724 projection_layer@76 q_norm@258 k_norm@258) layer_norm2@78 "
     "mlp(fc1(weight[?,vision_config.hidden_size] bias[?]) fc2@725)))) post_layernorm@78) aligner(fc1@726 "
     "hidden_layers(0(weight[vision_config.projection_dim,vision_config.projection_dim] "
     "bias[vision_config.projection_dim]))) "
     "vqmodel(encoder(conv_in(weight[vq_config.base_channels,(vq_config.in_channels/1),?,?] "
     "bias[vq_config.base_channels]) down(#{}(block(0@729 1@730) downsample@732 attn(0@734 1@734))) mid@737 "
     "norm_out(weight[?] bias[?]) conv_out@727) quantize(embedding@738) "
     "quant_conv(weight[vq_config.embed_dim,(vq_config.latent_channels/1),1,1] bias[vq_config.embed_dim]) "
     "post_quant_conv(weight[vq_config.latent_channels,(vq_config.embed_dim/1),1,1] "
     "bias[vq_config.latent_channels]) decoder(conv_in(weight[?,(vq_config.latent_channels/1),?,?] bias[?]) "
     "mid@737 up(#{}(block(0@729 1@730 2@730) attn(0@734 1@734 2@734) upsample@732)) norm_out(weight[?] bias[?]) "
     "conv_out(weight[vq_config.out_channels,?,?,?] bias[vq_config.out_channels]))) generation_embeddings@738 "
     "generation_aligner(fc1(weight[vq_config.projection_dim,vq_config.embed_dim] bias[vq_config.projection_dim]) "
     "hidden_layers(0(weight[vq_config.projection_dim,vq_config.projection_dim] bias[vq_config.projection_dim]))) "
     "generation_head(proj_out(weight[vq_config.projection_dim,vq_config.image_token_embed_dim] "
     "bias[vq_config.projection_dim]) vision_head(weight[vq_config.num_embeddings,vq_config.projection_dim] "
     "bias[vq_config.num_embeddings])) language_model=text_config:EuroBertModel", ""},
    {"JetMoeForCausalLM", "jetmoe", "", "model", "lm_head@192 model=:JetMoeModel", ""},
    {"JetMoeForSequenceClassification", "jetmoe", "", "model", "score@21 model=:JetMoeModel", ""},
    {"JetMoeModel", "jetmoe", "jetmoe", "model", "embed_tokens@0 layers(#{num_hidden_layers}(mlp(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(intermediate_size*2),hidden_size]) output_linear@603 router@601) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attention(experts(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(kv_channels*num_key_value_heads),hidden_size]) "
     "output_linear(weight[num_local_experts,hidden_size,(kv_channels*num_key_value_heads)]) router@601) "
     "kv_proj(weight[((kv_channels*num_key_value_heads)*2),hidden_size])))) norm(weight[hidden_size])", ""},
    {"JevForDecision", "jev", "", "model",
     "weight[num_verbalizers,hidden_size] proj(bias[num_verbalizers]) model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "", "roberta", "lm_head@279 roberta@746", ""},
    {"JinaEmbeddingsV3ForQuestionAnswering", "jina_embeddings_v3", "", "roberta", "qa_outputs@22 roberta@746", ""},
    {"JinaEmbeddingsV3ForSequenceClassification", "jina_embeddings_v3", "", "roberta", "classifier@185 roberta@746", ""},
    {"JinaEmbeddingsV3ForTokenClassification", "jina_embeddings_v3", "", "roberta", "classifier@22 roberta@746", ""},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "jina_embeddings_v3", "roberta",
     "embeddings@739 emb_ln@45 pooler@172 encoder@745", ""},
    {"KimiLinearForCausalLM", "kimi_linear", "", "model", "lm_head@0 model=:KimiLinearModel", ""},
    {"KimiLinearModel", "kimi_linear", "kimi_linear", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj@99 v_proj@99 "
     "conv1d@107 q_conv1d@100 k_conv1d@100 v_conv1d@100 dt_bias[(linear_head_dim*linear_num_heads)]?2 "
     "A_log[1,1,linear_num_heads,1]?2 f_a_proj@747 f_b_proj@748 b_proj@101 g_a_proj@747 g_b_proj@748 o_norm@102 "
     "o_proj(weight[hidden_size,?]) kv_a_proj_with_mqa@103 kv_a_layernorm@104 kv_b_proj@105) "
     "block_sparse_moe(gate_proj@7 up_proj@7 down_proj@8 experts(#{num_experts}(w1@109 w3@109 w2@110)) gate@147 "
     "shared_experts@37) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "mlp(experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=b "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=c)))) norm(weight[hidden_size])", ""},
    {"Kolibri1ForCausalLM", "kolibri1", "", "model", "lm_head@0 model=:Kolibri1Model", ""},
    {"Kolibri1Model", "kolibri1", "kolibri1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@33 k_proj@345 v_proj@345 o_proj@346 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim])) "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]=a #{num_local_experts}@11 "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]=b) gate@600 shared_experts@751) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_attn_norm(weight[hidden_size]) post_ffn_norm(weight[hidden_size]) "
     "moe(router(expert_bias[num_local_experts])))) norm(weight[hidden_size])", ""},
    {"Kosmos2ForConditionalGeneration", "kosmos-2", "", "",
     "text_model(model@765 lm_head@766) vision_model@767 image_to_text_projection@770", ""},
    {"Kosmos2Model", "kosmos-2", "kosmos-2", "", "text_model(model@765) vision_model@767 image_to_text_projection@770",
     ""},
    {"Kosmos2_5ForConditionalGeneration", "kosmos-2.5", "", "",
     "text_model(model@774 lm_head@766) vision_model@787 image_to_text_projection@770", ""},
    {"Kosmos2_5Model", "kosmos-2.5", "kosmos-2.5", "",
     "text_model(model@774) vision_model@787 image_to_text_projection@770", ""},
    {"LEDForConditionalGeneration", "led", "", "led", "lm_head@138 final_logits_bias[1,vocab_size]? led=:LEDModel", ""},
    {"LEDForQuestionAnswering", "led", "", "led", "qa_outputs@139 led=:LEDModel", ""},
    {"LEDModel", "led", "led", "led",
     "shared@127 encoder(embed_tokens@138 embed_positions(weight[max_encoder_position_embeddings,d_model]) "
     "layers(#{encoder_layers}(self_attn(longformer_self_attn(query@129 key@129 value@129 query_global@129 "
     "key_global@129 value_global@129) output@129) self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131))"
     " layernorm_embedding@131) decoder(embed_tokens@138 "
     "embed_positions(weight[max_decoder_position_embeddings,d_model]) layers@135 layernorm_embedding@131)", ""},
    {"LagunaForCausalLM", "laguna", "", "model", "lm_head@0 model=:LagunaModel", ""},
    {"LagunaModel", "laguna", "laguna", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@457 k_proj@31 v_proj@31 o_proj@788 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) g_proj(weight[?,hidden_size])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=a #{num_experts}@11 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=b e_score_correction_bias[num_experts]?1) gate@34"
     " shared_expert@472) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"LayoutLMForMaskedLM", "layoutlm", "", "layoutlm", "cls@168 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForQuestionAnswering", "layoutlm", "", "layoutlm", "qa_outputs@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForSequenceClassification LayoutLMForTokenClassification", "layoutlm", "", "layoutlm",
     "classifier@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMModel", "layoutlm", "layoutlm", "layoutlm",
     "embeddings(word_embeddings@0 position_embeddings@148 x_position_embeddings@789 y_position_embeddings@789 "
     "h_position_embeddings@789 w_position_embeddings@789 token_type_embeddings@149 LayerNorm@45) encoder@792 "
     "pooler@172", ""},
    {"LayoutLMv3ForQuestionAnswering", "layoutlmv3", "", "layoutlmv3", "qa_outputs@185 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForSequenceClassification", "layoutlmv3", "", "layoutlmv3",
     "classifier@185 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForTokenClassification", "layoutlmv3", "", "layoutlmv3", "classifier@22 layoutlmv3=:LayoutLMv3Model",
     ""},
    {"LayoutLMv3Model", "layoutlmv3", "layoutlmv3", "layoutlmv3",
     "cls_token[1,1,hidden_size]?0 pos_embed[1,?,hidden_size]?0 "
     "embeddings(word_embeddings(weight[vocab_size,hidden_size]?1) "
     "token_type_embeddings(weight[type_vocab_size,hidden_size]?1) LayerNorm@179 "
     "position_embeddings(weight[max_position_embeddings,hidden_size]?1) x_position_embeddings@793 "
     "y_position_embeddings@793 h_position_embeddings@794 w_position_embeddings@794) "
     "patch_embed(proj(weight[hidden_size,(num_channels/1),patch_size,patch_size]?0 bias[hidden_size]?0)) "
     "LayerNorm@159 norm@159 encoder(layer@538 rel_pos_bias(weight[num_attention_heads,rel_pos_bins]?) "
     "rel_pos_x_bias@795 rel_pos_y_bias@795)", ""},
    {"Lfm2ForCausalLM", "lfm2", "", "model", "lm_head@192 model=:Lfm2Model", ""},
    {"Lfm2Model", "lfm2", "lfm2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@800 feed_forward(w1(weight[?,hidden_size]) "
     "w3(weight[?,hidden_size]) w2(weight[hidden_size,?])) operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) conv(conv(weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?0) "
     "in_proj@801 out_proj@802))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2MoeForCausalLM", "lfm2_moe", "", "model", "lm_head@192 model=:Lfm2MoeModel", ""},
    {"Lfm2MoeModel", "lfm2_moe", "lfm2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@806 feed_forward(w1@807 w3@807 "
     "w2(weight[hidden_size,intermediate_size]?3) "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{num_experts}@385 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?2=b) gate@641 expert_bias[num_experts]?2) "
     "operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) self_attn(q_proj@721 k_proj@722 v_proj@722 "
     "out_proj@723 q_layernorm@808 k_layernorm@808))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "", "model", "lm_head@98 model=:Lfm2VlModel", ""},
    {"Lfm2VlModel", "lfm2_vl", "lfm2_vl", "model",
     "multi_modal_projector(layer_norm(weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0"
     " bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0) "
     "linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
     "bias[projector_hidden_size]?1) linear_2(weight[text_config.hidden_size,projector_hidden_size] "
     "bias[text_config.hidden_size]?1)) vision_tower=vision_config:Siglip2VisionModel "
     "language_model=text_config:Lfm2Model", ""},
    {"Lfm3ForCausalLM", "lfm3", "", "model", "lm_head@192 model=:Lfm3Model", ""},
    {"Lfm3Model", "lfm3", "lfm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@806 feed_forward@809 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) post_operator_norm(weight[hidden_size]?2) post_ffn_norm(weight[hidden_size]?2)"
     " self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size]?3) k_proj@810 v_proj@810 o_proj@811 "
     "q_norm(weight[head_dim]?3) k_norm(weight[head_dim]?3) "
     "gate_proj(weight[num_attention_heads,hidden_size]?3)))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm3VlForConditionalGeneration", "lfm3_vl", "", "model", "lm_head@98 model=:Lfm3VlModel", ""},
    {"Lfm3VlModel", "lfm3_vl", "lfm3_vl", "model",
     "multi_modal_projector(layer_norm@78 linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(vision"
     "_config.spatial_merge_size*vision_config.spatial_merge_size))] bias[projector_hidden_size]?0) "
     "linear_2(weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]?0)) "
     "language_model=text_config:Lfm3Model vision_tower=vision_config:Lfm3VlVisionModel", ""},
    {"Lfm3VlVisionModel", "lfm3_vl_vision", "lfm3_vl_vision", "model",
     "patchifier(weight[hidden_size,((in_channels*temporal_patch_size)*(patch_size*patch_size))]) "
     "embedding_norm(weight[hidden_size]) layers(#{num_hidden_layers}(conv(in_proj@801 "
     "spatial_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size,conv_kernel_size]?0) "
     "out_proj@802) feed_forward@809 operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "self_attn@800))", ""},
    {"LightOnOcrForConditionalGeneration", "lighton_ocr", "", "model", "lm_head@98 model=:LightOnOcrModel", ""},
    {"LightOnOcrModel", "lighton_ocr", "lighton_ocr", "",
     "vision_projection(norm@506 patch_merger@813 linear_1@80 linear_2@81) "
     "vision_encoder=vision_config:PixtralVisionModel language_model=text_config:Qwen3Model", ""},
    {"LiltForQuestionAnswering", "lilt", "", "lilt", "lilt@831 qa_outputs@22", ""},
    {"LiltForSequenceClassification", "lilt", "", "lilt", "lilt@831 classifier@185", ""},
    {"LiltForTokenClassification", "lilt", "", "lilt", "lilt@831 classifier@22", ""},
    {"LiltModel", "lilt", "lilt", "lilt", "embeddings@150 layout_embeddings@818 encoder@830 pooler@172", ""},
    {"Llama4ForCausalLM", "llama4_text", "", "language_model", "lm_head@0 model=:Llama4TextModel", ""},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,vision_config.vision_output_dim])) "
     "vision_model=vision_config:Llama4VisionModel language_model=text_config:Llama4ForCausalLM", ""},
    {"Llama4TextModel", "llama4_text", "llama4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@669 "
     "feed_forward(experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)]?1 "
     "down_proj[num_local_experts,intermediate_size,hidden_size]?1) router@832 shared_expert(gate_proj@833 "
     "up_proj@833 down_proj@834) gate_proj@835 up_proj@835 down_proj(weight[hidden_size,intermediate_size_mlp]?0))"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Llama4VisionModel", "llama4_vision_model", "", "vision_model", "class_embedding[hidden_size] "
     "positional_embedding_vlm[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "patch_embedding(linear(weight[hidden_size,((num_channels*patch_size)*patch_size)])) layernorm_pre@45 "
     "layernorm_post@45 model(layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@46 v_proj@46 o_proj@573) "
     "mlp@270 input_layernorm@45 post_attention_layernorm@45))) "
     "vision_adapter(mlp(fc1(weight[projector_input_dim,intermediate_size]) "
     "fc2(weight[projector_output_dim,projector_output_dim])))", ""},
    {"LlamaForCausalLM", "llama", "", "model", "lm_head@0 model=:EuroBertModel", ""},
    {"LlamaForQuestionAnswering", "llama", "", "transformer", "qa_outputs@67 transformer=:EuroBertModel", ""},
    {"LlamaForSequenceClassification", "llama", "", "model", "score@21 model=:EuroBertModel", ""},
    {"LlamaForTokenClassification", "llama", "", "model", "score@22 model=:EuroBertModel", ""},
    {"LlavaForConditionalGeneration", "llava", "", "model",
     "multi_modal_projector@837 language_model@838 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaModel", "llava", "llava", "model",
     "multi_modal_projector@837 vision_tower=vision_config:CLIPVisionModel language_model@577", ""},
    {"LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration", "llava_next llava_next_video", "",
     "model", "image_newline[text_config.hidden_size] multi_modal_projector@837 language_model@838 "
     "vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaNextModel LlavaNextVideoModel", "llava_next llava_next_video", "llava_next llava_next_video", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@837 vision_tower=vision_config:CLIPVisionModel "
     "language_model@577", ""},
    {"LlavaOnevisionForConditionalGeneration", "llava_onevision", "", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@837 language_model@92 "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"LlavaOnevisionModel", "llava_onevision", "llava_onevision", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@837 "
     "vision_tower=vision_config:SiglipVisionModel language_model@93", ""},
    {"LongT5ForConditionalGeneration", "longt5", "", "transformer", "shared@127 encoder@851 decoder@858 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongT5Model", "longt5", "longt5", "transformer", "shared@127 encoder@851 decoder@858",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongcatFlashForCausalLM", "longcat_flash", "", "model", "lm_head@0 model=:LongcatFlashModel", "model\\.mtp.*"},
    {"LongcatFlashModel", "longcat_flash", "longcat_flash", "model",
     "embed_tokens@0 layers(#{num_layers}(mlp(experts(gate_up_proj[(n_routed_experts+zero_expert_num),(2*expert_ff"
     "n_hidden_size),hidden_size]=a #{(n_routed_experts+zero_expert_num)}(gate_proj@859 up_proj@859) "
     "down_proj[n_routed_experts,hidden_size,expert_ffn_hidden_size]=b "
     "#{n_routed_experts}(down_proj(weight[hidden_size,expert_ffn_hidden_size]~b))) "
     "router(classifier(weight[(n_routed_experts+zero_expert_num),hidden_size]) "
     "e_score_correction_bias[(n_routed_experts+zero_expert_num)])) self_attn(0@864 1@864) mlps(0@867 1@867) "
     "input_layernorm@868 post_attention_layernorm@868)) norm(weight[hidden_size])", "model\\.mtp.*"},
    {"LongformerForMaskedLM", "longformer", "", "longformer", "longformer@874 lm_head@279", ""},
    {"LongformerForMultipleChoice", "longformer", "", "longformer", "classifier@60 longformer=:LongformerModel", ""},
    {"LongformerForQuestionAnswering", "longformer", "", "longformer", "longformer@874 qa_outputs@22", ""},
    {"LongformerForSequenceClassification", "longformer", "", "longformer", "longformer@874 classifier@185", ""},
    {"LongformerForTokenClassification", "longformer", "", "longformer", "longformer@874 classifier@22", ""},
    {"LongformerModel", "longformer", "longformer", "longformer", "embeddings@280 encoder@873 pooler@172", ""},
    {"LukeForMaskedLM", "luke", "", "luke",
     "lm_head(bias[vocab_size]? dense@47 layer_norm@45 decoder@302) entity_predictions(bias[entity_vocab_size] "
     "transform(dense(weight[entity_emb_size,hidden_size] bias[entity_emb_size]) LayerNorm(weight[entity_emb_size]"
     " bias[entity_emb_size])) decoder(weight[entity_vocab_size,entity_emb_size]?)) luke=:LukeModel", ""},
    {"LukeForMultipleChoice", "luke", "", "luke", "classifier@60 luke=:LukeModel", ""},
    {"LukeForQuestionAnswering", "luke", "", "luke", "luke@884 qa_outputs@22", ""},
    {"LukeForSequenceClassification", "luke", "", "luke", "classifier@22 luke=:LukeModel", ""},
    {"LukeForTokenClassification", "luke", "", "luke", "luke@884 classifier@22", ""},
    {"LukeModel", "luke", "luke", "luke", "embeddings@150 entity_embeddings@877 encoder@883 pooler@172", ""},
    {"LxmertForPreTraining", "lxmert", "", "lxmert",
     "cls(predictions(bias[vocab_size] transform@152 decoder@192) seq_relationship@67) "
     "obj_predict_head(transform(dense(weight[hidden_size,hidden_size]?4 bias[hidden_size]?4) "
     "LayerNorm(weight[hidden_size]?4 bias[hidden_size]?4)) "
     "decoder_dict(obj(weight[num_object_labels,hidden_size]?3 bias[num_object_labels]?3) "
     "attr(weight[num_attr_labels,hidden_size]?1 bias[num_attr_labels]?1) "
     "feat(weight[visual_feat_dim,hidden_size]?2 bias[visual_feat_dim]?2))) "
     "answer_head(logit_fc(0(weight[(hidden_size*2),hidden_size]?0 bias[(hidden_size*2)]?0) "
     "2(weight[(hidden_size*2)]?0 bias[(hidden_size*2)]?0) 3(weight[num_qa_labels,(hidden_size*2)]?0 "
     "bias[num_qa_labels]?0))) lxmert=:LxmertModel", ""},
    {"LxmertForQuestionAnswering", "lxmert", "", "lxmert",
     "answer_head(logit_fc(0@885 2@886 3(weight[num_qa_labels,(hidden_size*2)] bias[num_qa_labels]))) "
     "lxmert=:LxmertModel", ""},
    {"LxmertModel", "lxmert", "lxmert", "lxmert",
     "embeddings@150 encoder(visn_fc(visn_fc(weight[hidden_size,visual_feat_dim] bias[hidden_size]) "
     "visn_layer_norm@45 box_fc(weight[hidden_size,visual_pos_dim] bias[hidden_size]) box_layer_norm@45) "
     "layer(#{l_layers}@537) x_layers(#{x_layers}(visual_attention(att@265 output@152) lang_self_att@266 "
     "visn_self_att@266 lang_inter@154 lang_output@155 visn_inter@154 visn_output@155)) r_layers(#{r_layers}@537))"
     " pooler@172", ""},
    {"M2M100ForConditionalGeneration", "m2m_100", "", "model", "lm_head@138 model=:M2M100Model", ""},
    {"M2M100Model", "m2m_100", "m2m_100", "model",
     "shared@127 encoder(embed_tokens@138 layers@144 layer_norm@131) decoder(embed_tokens@138 layers@135 "
     "layer_norm@131)", ""},
    {"MBartForCausalLM", "mbart", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@128 layers@135 layernorm_embedding@131 layer_norm@131)) "
     "lm_head@138", ""},
    {"MBartForConditionalGeneration", "mbart", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:MBartModel", ""},
    {"MBartForQuestionAnswering", "mbart", "", "model", "qa_outputs@139 model=:MBartModel", ""},
    {"MBartForSequenceClassification", "mbart", "", "model", "classification_head@140 model=:MBartModel", ""},
    {"MBartModel", "mbart", "mbart", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@128 layers@144 layernorm_embedding@131 layer_norm@131) "
     "decoder(embed_tokens@138 embed_positions@128 layers@135 layernorm_embedding@131 layer_norm@131)", ""},
    {"MPNetForMaskedLM", "mpnet", "", "mpnet", "mpnet@893 lm_head@279", ""},
    {"MPNetForMultipleChoice", "mpnet", "", "mpnet", "classifier@60 mpnet=:MPNetModel", ""},
    {"MPNetForQuestionAnswering", "mpnet", "", "mpnet", "mpnet@893 qa_outputs@22", ""},
    {"MPNetForSequenceClassification", "mpnet", "", "mpnet", "mpnet@893 classifier@185", ""},
    {"MPNetForTokenClassification", "mpnet", "", "mpnet", "mpnet@893 classifier@22", ""},
    {"MPNetModel", "mpnet", "mpnet", "mpnet", "embeddings@171 encoder@892 pooler@172", ""},
    {"MT5EncoderModel", "mt5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention@897 "
     "layer_norm(weight[d_model]) DenseReluDense@899 EncDecAttention@902)))) final_layer_norm(weight[d_model]))", ""},
    {"MT5ForConditionalGeneration", "mt5", "", "transformer", "shared@127 encoder@908 decoder@912 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForQuestionAnswering", "mt5", "", "transformer", "shared@127 encoder@908 decoder@912 qa_outputs@139",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForSequenceClassification", "mt5", "", "transformer", "classification_head@140 transformer=:MT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForTokenClassification", "mt5", "", "transformer", "classifier@139 transformer=:MT5EncoderModel", ""},
    {"MT5Model", "mt5", "mt5", "transformer", "shared@127 encoder@908 decoder@912",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"Mamba2ForCausalLM", "mamba2", "", "backbone", "lm_head@0 backbone=:Mamba2Model", ""},
    {"Mamba2Model", "mamba2", "mamba2", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(dt_bias[num_heads] A_log[num_heads]"
     " D[num_heads] conv1d(weight[((expand*hidden_size)+((2*n_groups)*state_size)),(((expand*hidden_size)+((2*n_gr"
     "oups)*state_size))/((expand*hidden_size)+((2*n_groups)*state_size))),conv_kernel] "
     "bias[((expand*hidden_size)+((2*n_groups)*state_size))]?!) in_proj(weight[(((expand*hidden_size)+((expand*hid"
     "den_size)+((2*n_groups)*state_size)))+num_heads),hidden_size] "
     "bias[(((expand*hidden_size)+((expand*hidden_size)+((2*n_groups)*state_size)))+num_heads)]?0) "
     "norm(weight[(expand*hidden_size)]) out_proj(weight[hidden_size,(expand*hidden_size)] bias[hidden_size]?0))))"
     " norm_f(weight[hidden_size])", ""},
    {"MarianForCausalLM", "marian", "", "model",
     "model(decoder(embed_tokens(weight[decoder_vocab_size,d_model]) embed_positions@186 layers@135)) "
     "lm_head(weight[decoder_vocab_size,d_model]?)", ""},
    {"MarianMTModel", "marian", "", "model",
     "model(shared@138 encoder(embed_tokens@138 embed_positions@913 layers@144) "
     "decoder(embed_tokens(weight[?,d_model]?) embed_positions@913 layers@135)) lm_head(weight[?,d_model]?) "
     "final_logits_bias[1,?]?", ""},
    {"MarianModel", "marian", "marian", "model",
     "shared@138 encoder(embed_tokens@138 embed_positions@186 layers@144) decoder(embed_tokens(weight[?,d_model]?)"
     " embed_positions@186 layers@135)", ""},
    {"MarkupLMForQuestionAnswering", "markuplm", "", "markuplm", "markuplm@922 qa_outputs@22", ""},
    {"MarkupLMForSequenceClassification", "markuplm", "", "markuplm", "classifier@22 markuplm=:MarkupLMModel", ""},
    {"MarkupLMForTokenClassification", "markuplm", "", "markuplm", "markuplm@922 classifier@22", ""},
    {"MarkupLMModel", "markuplm", "markuplm", "markuplm", "embeddings@921 encoder@792 pooler@172", ""},
    {"MegatronBertForCausalLM MegatronBertForMaskedLM", "megatron-bert", "", "bert", "bert@929 cls@168", ""},
    {"MegatronBertForMultipleChoice", "megatron-bert", "", "bert", "classifier@60 bert=:MegatronBertModel", ""},
    {"MegatronBertForNextSentencePrediction", "megatron-bert", "", "bert", "cls@169 bert=:MegatronBertModel", ""},
    {"MegatronBertForPreTraining", "megatron-bert", "", "bert", "cls@170 bert=:MegatronBertModel", ""},
    {"MegatronBertForQuestionAnswering", "megatron-bert", "", "bert", "bert@929 qa_outputs@22", ""},
    {"MegatronBertForSequenceClassification", "megatron-bert", "", "bert", "classifier@22 bert=:MegatronBertModel", ""},
    {"MegatronBertForTokenClassification", "megatron-bert", "", "bert", "bert@929 classifier@22", ""},
    {"MegatronBertModel", "megatron-bert", "megatron-bert", "bert", "embeddings@923 encoder@928 pooler@172", ""},
    {"MellumForCausalLM", "mellum", "", "model", "lm_head@0 model=:MellumModel", "^mtp\\."},
    {"MellumModel", "mellum", "mellum", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@930 mlp@932 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "^mtp\\."},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", "", "model", "lm_head@0 model=:MiMoV2FlashModel", "^model\\.mtp\\."},
    {"MiMoV2FlashModel", "mimo_v2_flash", "mimo_v2_flash", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@457 v_proj@457 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)]) attention_sink_bias[num_attention_heads]?!) "
     "mlp(gate_proj@7 up_proj@7 down_proj@8 experts@12 gate@28) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "^model\\.mtp\\."},
    {"MiniCPM3ForCausalLM", "minicpm3", "", "model", "lm_head@192 model=:MiniCPM3Model", ""},
    {"MiniCPM3ForSequenceClassification", "minicpm3", "", "model", "score@21 model=:MiniCPM3Model", ""},
    {"MiniCPM3Model", "minicpm3", "minicpm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size]?2 "
     "bias[q_lora_rank]?1) q_a_layernorm(weight[q_lora_rank]?2) "
     "q_b_proj(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?2) "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?1) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?1) q_proj@358) mlp@117 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniCPMOcrForConditionalGeneration", "minicpm_ocr", "", "model", "lm_head@98 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniCPMOcrModel MiniCPMV4_7Model", "minicpm_ocr minicpmv4_7", "minicpm_ocr minicpmv4_7", "model",
     "merger@936 vision_tower=vision_config:MiniCPMOcrVisionModel language_model=text_config:Qwen3_5TextModel",
     "^mtp.*"},
    {"MiniCPMOcrVisionModel MiniCPMV4_7VisionModel", "minicpm_ocr_vision minicpmv4_7_vision",
     "minicpm_ocr_vision minicpmv4_7_vision", "",
     "embeddings@698 encoder@939 post_layernorm@45 vit_merger(self_attn@194 layer_norm1@45 pre_norm(weight[?] "
     "bias[?]) linear_1(weight[?,?] bias[?]) linear_2@503)", ""},
    {"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "", "model", "lm_head@84 model=:MiniCPMV4_6Model", "^mtp.*"},
    {"MiniCPMV4_6Model", "minicpmv4_6", "minicpmv4_6", "model",
     "vision_tower(embeddings@692 encoder@942 post_layernorm@78 vit_merger(self_attn@532 layer_norm1@78 "
     "pre_norm(weight[?] bias[?]) linear_1(weight[?,?] bias[?]) linear_2@725)) merger@936 "
     "language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"MiniCPMV4_7ForConditionalGeneration", "minicpmv4_7", "", "model", "lm_head@84 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniMaxForCausalLM", "minimax", "", "model", "lm_head@0 model=:MiniMaxModel", ""},
    {"MiniMaxForQuestionAnswering", "minimax", "", "model", "qa_outputs@67 model=:MiniMaxModel", ""},
    {"MiniMaxForSequenceClassification", "minimax", "", "model", "score@21 model=:MiniMaxModel", ""},
    {"MiniMaxForTokenClassification", "minimax", "", "model", "score@22 model=:MiniMaxModel", ""},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "", "model", "lm_head@0 model=:MiniMaxM2Model", ""},
    {"MiniMaxM2Model", "minimax_m2", "minimax_m2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@33 k_proj@345 v_proj@345 o_proj@346 "
     "q_norm(weight[(num_attention_heads*head_dim)]) k_norm(weight[(num_key_value_heads*head_dim)])) "
     "block_sparse_moe(gate@600 experts@944 e_score_correction_bias[num_local_experts]) mlp@946 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "", "model",
     "vision_tower(vision_model(embeddings(patch_embedding@947) pre_layrnorm@78 encoder@535)) "
     "multi_modal_projector(linear_1@948 linear_2@949) patch_merge_mlp(linear_1@950 linear_2@949) "
     "language_model(model@973 lm_head@84)", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "", "model", "lm_head@0 model=:MiniMaxM3VLTextModel",
     "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLModel", "minimax_m3_vl", "minimax_m3_vl", "model",
     "vision_tower(embeddings(proj@947) pre_layrnorm@78 layers@534) multi_modal_projector(linear_1@948 "
     "linear_2@949 merge_linear_1@950 merge_linear_2@949) language_model@973", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLTextModel", "minimax_m3_vl_text", "minimax_m3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@33 k_proj@345 v_proj@345 o_proj@346 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) "
     "indexer(q_proj(weight[(index_n_heads*index_head_dim),hidden_size]?2) k_proj@647 q_norm@378 k_norm@378)) "
     "mlp(gate@974 experts(gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]?1 "
     "down_proj[num_local_experts,hidden_size,intermediate_size]?1) "
     "shared_experts(gate_up_proj(weight[(2*shared_intermediate_size),hidden_size]?1) down_proj@606) "
     "gate_up_proj(weight[(2*dense_intermediate_size),hidden_size]?0) "
     "down_proj(weight[hidden_size,dense_intermediate_size]?0)) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "(^|\\.)mtp\\..*"},
    {"MiniMaxModel", "minimax", "minimax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@796 k_proj@797 v_proj@797 o_proj@798 "
     "norm(weight[((hidden_size/num_attention_heads)*num_attention_heads)]?0) "
     "qkv_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size]?0) out_proj@975 "
     "output_gate@976 slope_rate[?,?,?]?0 query_decay[?,?,?]?0 key_decay[?,?,?]?0 diagonal_decay[?,?,?,?]?0) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) block_sparse_moe@977 "
     "mlp@946)) norm(weight[hidden_size])", ""},
    {"Ministral3ForCausalLM MistralForCausalLM", "ministral3 mistral", "", "model", "lm_head@0 model=:Ministral3Model",
     ""},
    {"Ministral3ForQuestionAnswering MistralForQuestionAnswering", "ministral3 mistral", "", "model",
     "qa_outputs@67 model=:Ministral3Model", ""},
    {"Ministral3ForSequenceClassification MistralForSequenceClassification", "ministral3 mistral", "", "model",
     "score@21 model=:Ministral3Model", ""},
    {"Ministral3ForTokenClassification MistralForTokenClassification", "ministral3 mistral", "", "model",
     "score@22 model=:Ministral3Model", ""},
    {"Ministral3Model MistralModel", "ministral3 mistral", "ministral3 mistral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) "
     "k_proj(weight[?,hidden_size]) v_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?])) mlp@295 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MinistralForCausalLM", "ministral", "", "model", "lm_head@0 model=:MinistralModel", ""},
    {"MinistralForQuestionAnswering", "ministral", "", "transformer", "qa_outputs@67 transformer=:MinistralModel", ""},
    {"MinistralForSequenceClassification", "ministral", "", "model", "score@21 model=:MinistralModel", ""},
    {"MinistralForTokenClassification", "ministral", "", "model", "score@22 model=:MinistralModel", ""},
    {"MinistralModel", "ministral", "ministral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@347 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Mistral3ForConditionalGeneration", "mistral3", "", "model",
     "multi_modal_projector@978 language_model(model@982 lm_head@98) vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral3Model", "mistral3", "mistral3", "model",
     "multi_modal_projector@978 language_model(model@982) vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral4ForCausalLM", "mistral4", "", "model", "lm_head@0 model=:Mistral4Model", ""},
    {"Mistral4ForSequenceClassification", "mistral4", "", "model", "score@21 model=:Mistral4Model", ""},
    {"Mistral4ForTokenClassification", "mistral4", "", "model", "score@22 model=:Mistral4Model", ""},
    {"Mistral4Model", "mistral4", "mistral4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@367 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@553 "
     "gate@983 shared_experts@16) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MistralLarge4ForConditionalGeneration", "mistral_large4", "", "model",
     "vision_encoder@989 pre_mm_projector_norm@506 patch_merger@813 vision_language_adapter(w_in@836 w_out@90) "
     "tok_embeddings@84 layers@1011 norm@340 output@84 lerope(alpha[?])", "mtp_dspark\\..*"},
    {"MistralLarge4Model", "mistral_large4", "mistral_large4", "model",
     "vision_tower@989 multi_modal_projector@978 language_model(embed_tokens@84 layers@1011 norm@340 "
     "rotary_emb(alpha[?]))", "mtp_dspark\\..*"},
    {"MistralLarge4TextModel", "mistral_large4_text", "mistral_large4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(attention(wkv_a_with_mqa(weight[?,hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?2) kv_a_norm(weight[kv_lora_rank]) wkv_b(weight[?,kv_lora_rank]) "
     "o_proj@5 indexer(wq_b(weight[(index_n_heads*index_head_dim),hidden_size]) wk@24 k_norm@25 weights_proj@26 "
     "q_input_norm@45 ssmax_scaling(s[index_n_heads] b[index_n_heads])) "
     "wq(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),hidden_size]) "
     "ssmax_scaling(s[num_attention_heads] b[num_attention_heads])) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8) attention_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "mlp(experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?1=a "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1=b)) experts@386 gate@983 shared_experts@16))"
     " norm(weight[hidden_size]) rotary_emb(alpha[?])", "mtp_dspark\\..*"},
    {"MixtralForCausalLM", "mixtral", "", "model", "lm_head@0 model=:MixtralModel", ""},
    {"MixtralForQuestionAnswering", "mixtral", "", "model", "qa_outputs@67 model=:MixtralModel", ""},
    {"MixtralForSequenceClassification", "mixtral", "", "model", "score@21 model=:MixtralModel", ""},
    {"MixtralForTokenClassification", "mixtral", "", "model", "score@22 model=:MixtralModel", ""},
    {"MixtralModel", "mixtral", "mixtral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@414 block_sparse_moe@977 mlp@946 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MllamaForCausalLM", "mllama_text_model", "", "language_model", "lm_head@0 model=:MllamaTextModel", ""},
    {"MllamaForConditionalGeneration", "mllama", "", "model",
     "multi_modal_projector@1012 language_model(lm_head@84 model=text_config:MllamaTextModel) "
     "vision_model=vision_config:MllamaVisionModel", ""},
    {"MllamaModel", "mllama", "mllama", "model",
     "multi_modal_projector@1012 vision_model=vision_config:MllamaVisionModel "
     "language_model(model=text_config:MllamaTextModel)", ""},
    {"MllamaTextModel", "mllama_text_model", "", "language_model.model",
     "embed_tokens(weight[(vocab_size+8),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj@796 k_proj@797"
     " v_proj@797 o_proj@798) mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) cross_attn_attn_gate[1]?0 cross_attn_mlp_gate[1]?0 "
     "cross_attn(q_proj@976 k_proj@1013 v_proj@1013 o_proj@975 q_norm@703 k_norm@703))) norm(weight[hidden_size])", ""},
    {"MllamaVisionModel", "mllama_vision_model", "", "vision_model",
     "class_embedding[hidden_size] patch_embedding@274 gated_positional_embedding(gate[1] "
     "embedding[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] tile_embedding(weight[?,((max_n"
     "um_tiles*(((image_size/patch_size)*(image_size/patch_size))+1))*hidden_size)])) "
     "pre_tile_positional_embedding@1015 post_tile_positional_embedding@1015 layernorm_pre@45 layernorm_post@45 "
     "transformer(layers(#{num_hidden_layers}(self_attn@1018 mlp@270 input_layernorm@45 "
     "post_attention_layernorm@45))) global_transformer(layers(#{num_global_layers}(gate_attn[1] gate_ffn[1] "
     "self_attn@1018 mlp@270 input_layernorm@45 post_attention_layernorm@45)))", ""},
    {"MobileBertForMaskedLM", "mobilebert", "", "mobilebert", "mobilebert@1052 cls(predictions@1054)", ""},
    {"MobileBertForMultipleChoice", "mobilebert", "", "mobilebert", "classifier@60 mobilebert=:MobileBertModel", ""},
    {"MobileBertForNextSentencePrediction", "mobilebert", "", "mobilebert", "cls@169 mobilebert=:MobileBertModel", ""},
    {"MobileBertForPreTraining", "mobilebert", "", "mobilebert",
     "cls(predictions@1054 seq_relationship@67) mobilebert=:MobileBertModel", ""},
    {"MobileBertForQuestionAnswering", "mobilebert", "", "mobilebert", "mobilebert@1052 qa_outputs@22", ""},
    {"MobileBertForSequenceClassification", "mobilebert", "", "mobilebert", "classifier@22 mobilebert=:MobileBertModel",
     ""},
    {"MobileBertForTokenClassification", "mobilebert", "", "mobilebert", "mobilebert@1052 classifier@22", ""},
    {"MobileBertModel", "mobilebert", "mobilebert", "mobilebert", "embeddings@1020 encoder@1051 pooler@424", ""},
    {"ModernBertDecoderForCausalLM", "modernbert-decoder", "", "model",
     "lm_head@1057 decoder@166 model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderForSequenceClassification", "modernbert-decoder", "", "model",
     "head(dense@504 norm@1056) classifier(weight[num_labels,hidden_size] bias[num_labels]?0) "
     "model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderModel", "modernbert-decoder", "modernbert-decoder", "model",
     "embeddings@1059 layers(#{num_hidden_layers}(attn(q_proj@1060 k_proj@1060 v_proj@1060 Wo@504) mlp_norm@1061 "
     "mlp@1063 attn_norm@1064)) final_norm@1058", ""},
    {"ModernBertForMaskedLM", "modernbert", "", "model", "head@1057 decoder@166 model=:ModernBertModel", ""},
    {"ModernBertForMultipleChoice", "modernbert", "", "model", "head@1057 classifier@60 model=:ModernBertModel", ""},
    {"ModernBertForQuestionAnswering ModernBertForSequenceClassification ModernBertForTokenClassification",
     "modernbert", "", "model", "head@1057 classifier@22 model=:ModernBertModel", ""},
    {"ModernBertModel", "modernbert", "modernbert", "model",
     "embeddings@1059 layers(#{num_hidden_layers}(attn(Wqkv(weight[((3*(hidden_size/num_attention_heads))*num_atte"
     "ntion_heads),hidden_size] bias[((3*(hidden_size/num_attention_heads))*num_attention_heads)]?0) Wo@504) "
     "mlp_norm@1061 mlp@1063 attn_norm@1064)) final_norm@1058", ""},
    {"ModernVBertForMaskedLM", "modernvbert", "", "model",
     "projection_head@1067 lm_head(weight[text_config.vocab_size,text_config.hidden_size] "
     "bias[text_config.vocab_size]?) model=:ModernVBertModel", ""},
    {"ModernVBertForSequenceClassification ModernVBertForTokenClassification", "modernvbert", "", "model",
     "head@1067 classifier@1068 model=:ModernVBertModel", ""},
    {"ModernVBertModel", "modernvbert", "modernvbert", "model",
     "connector(modality_projection@1069) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:ModernBertModel", ""},
    {"MoonshineForConditionalGeneration", "moonshine", "", "model", "proj_out@192 model=:MoonshineModel", ""},
    {"MoonshineModel", "moonshine", "moonshine", "model",
     "encoder(conv1(weight[hidden_size,1,?]) conv2(weight[(2*hidden_size),(hidden_size/1),?] "
     "bias[(2*hidden_size)]) conv3(weight[hidden_size,((2*hidden_size)/1),?] bias[hidden_size]) groupnorm@45 "
     "layers(#{encoder_num_hidden_layers}(self_attn@1073 mlp@270 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) layer_norm(weight[hidden_size])) decoder(embed_tokens@0 "
     "layers(#{decoder_num_hidden_layers}(self_attn@1073 encoder_attn@1073 "
     "mlp(fc1(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]) fc2@50) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "final_layernorm(weight[hidden_size]))) norm(weight[hidden_size]))", ""},
    {"MoshiForCausalLM", "moshi", "", "model", "lm_head@0 model=:MoshiModel", ""},
    {"MoshiModel", "moshi", "moshi", "model",
     "embed_tokens(weight[(vocab_size+1),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj(linear@33) "
     "k_proj@1074 v_proj@1074 o_proj(linear@346)) mlp(fc1(weight[ffn_dim,hidden_size]) "
     "fc2(weight[hidden_size,(ffn_dim/2)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MossTranscribeDiarizeForConditionalGeneration", "moss_transcribe_diarize", "", "model",
     "lm_head@98 model=:MossTranscribeDiarizeModel", ""},
    {"MossTranscribeDiarizeModel", "moss_transcribe_diarize", "moss_transcribe_diarize", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(audio_config.hidden_size*audio_merge_size)] "
     "bias[text_config.hidden_size]?0) linear_2@90 norm@217) audio_tower=audio_config:AudioFlamingo3Encoder "
     "language_model=text_config:Qwen3Model", ""},
    {"MptForCausalLM", "mpt", "", "transformer", "lm_head@138 transformer=:MptModel", ""},
    {"MptForQuestionAnswering", "mpt", "", "transformer", "qa_outputs(weight[2,d_model] bias[2]) transformer=:MptModel",
     ""},
    {"MptForSequenceClassification", "mpt", "", "transformer",
     "score(weight[num_labels,d_model]) transformer=:MptModel", ""},
    {"MptForTokenClassification", "mpt", "", "transformer", "classifier@139 transformer=:MptModel", ""},
    {"MptModel", "mpt", "mpt", "transformer",
     "wte@127 blocks(#{n_layers}(norm_1(weight[d_model]) attn(Wqkv(weight[(3*d_model),d_model]) out_proj@1075) "
     "norm_2(weight[d_model]) ffn(up_proj(weight[(4*d_model),d_model]) down_proj(weight[d_model,(4*d_model)])))) "
     "norm_f(weight[d_model])", ""},
    {"MraForMaskedLM", "mra", "", "mra", "cls@168 mra=:MraModel", ""},
    {"MraForMultipleChoice", "mra", "", "mra", "pre_classifier@47 classifier@60 mra=:MraModel", ""},
    {"MraForQuestionAnswering", "mra", "", "mra", "qa_outputs@22 mra=:MraModel", ""},
    {"MraForSequenceClassification", "mra", "", "mra", "classifier@185 mra=:MraModel", ""},
    {"MraForTokenClassification", "mra", "", "mra", "classifier@22 mra=:MraModel", ""},
    {"MraModel", "mra", "mra", "mra",
     "embeddings(word_embeddings@0 position_embeddings@193 token_type_embeddings@149 LayerNorm@45 "
     "position_ids[?,?]) encoder@539", ""},
    {"MuseGlimmerForConditionalGeneration", "muse_glimmer", "", "model", "lm_head@84 model=:MuseGlimmerModel", ""},
    {"MuseGlimmerModel", "muse_glimmer", "muse_glimmer", "model",
     "vision_adapter(fc1(weight[projector_hidden_size,out_hidden_size]) "
     "fc2(weight[projector_hidden_size,projector_hidden_size])) "
     "vision_projection(weight[text_config.hidden_size,projector_hidden_size]) "
     "vision_tower=vision_config:MuseGlimmerVisionModel language_model=text_config:MuseGlimmerTextModel", ""},
    {"MuseGlimmerTextModel", "muse_glimmer_text", "muse_glimmer_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@291 k_proj@292 v_proj@292 o_proj@293 "
     "gate_proj@33) mlp@295 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MuseGlimmerVisionModel", "muse_glimmer_vision", "muse_glimmer_vision", "model",
     "patch_embedder(patch_embedding(weight[hidden_size,((patch_temporal*3)*(patch_size*patch_size))]) "
     "position_embedding_table(weight[(pos_emb_height*pos_emb_width),hidden_size])) ln_pre@45 "
     "layers(#{num_hidden_layers}(norm1@45 norm2@45 attn(proj@47 q_proj@47 k_proj@47 v_proj@47) mlp@270)) "
     "ln_post@45", ""},
    {"MuseSparkTextModel", "muse_spark_text", "muse_spark_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@31 v_proj@31 o_proj@32 gate_proj@33) "
     "mlp(gate@974 pre_expert_proj(weight[moe_hidden_size,hidden_size]?1) pre_expert_norm@1076 "
     "experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),moe_hidden_size]?1 "
     "down_proj[num_local_experts,moe_hidden_size,moe_intermediate_size]?1 post_expert_norm@1076) "
     "post_expert_proj(weight[hidden_size,moe_hidden_size]?1) gate_proj@7 up_proj@7 down_proj@8) "
     "input_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) post_attention_residual_gate(gate[hidden_size]) "
     "post_feedforward_residual_gate(gate[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MvpForCausalLM PLBartForCausalLM", "mvp plbart", "", "model", "model@137 lm_head@138", ""},
    {"MvpForConditionalGeneration", "mvp", "", "model", "lm_head@138 final_logits_bias[1,vocab_size] model=:MvpModel",
     "final_logits_bias"},
    {"MvpForQuestionAnswering", "mvp", "", "model", "qa_outputs@139 model=:MvpModel", "final_logits_bias"},
    {"MvpForSequenceClassification", "mvp", "", "model", "classification_head@140 model=:MvpModel", "final_logits_bias"},
    {"MvpModel", "mvp", "mvp", "model",
     "shared@127 encoder@145 decoder(embed_tokens@138 embed_positions@128 layers@135 layernorm_embedding@131 "
     "self_attn_prompt@1081 cross_attn_prompt@1081)", "final_logits_bias"},
    {"NanoChatForCausalLM", "nanochat", "", "model", "lm_head@0 model=:NanoChatModel", ""},
    {"NanoChatModel", "nanochat", "nanochat", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 mlp(fc1@65 fc2@66)))", ""},
    {"NemotronForCausalLM", "nemotron", "", "model", "lm_head@0 model=:NemotronModel", ""},
    {"NemotronForQuestionAnswering", "nemotron", "", "transformer", "qa_outputs@67 transformer=:NemotronModel", ""},
    {"NemotronForSequenceClassification", "nemotron", "", "model", "score@21 model=:NemotronModel", ""},
    {"NemotronForTokenClassification", "nemotron", "", "model", "score@22 model=:NemotronModel", ""},
    {"NemotronHForCausalLM", "nemotron_h", "", "model", "lm_head@0 backbone=:NemotronHModel", "mtp.*"},
    {"NemotronHModel", "nemotron_h", "nemotron_h", "model",
     "embeddings@0 layers(#{}(norm(weight[hidden_size]) mixer(dt_bias[mamba_num_heads]?0 A_log[mamba_num_heads]?0 "
     "D[mamba_num_heads]?0 conv1d(weight[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size)),(((mamba"
     "_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))/((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ss"
     "m_state_size))),conv_kernel]?0 bias[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))]?!) in_"
     "proj(weight[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_siz"
     "e)))+mamba_num_heads),hidden_size]?0 bias[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_di"
     "m)+((2*n_groups)*ssm_state_size)))+mamba_num_heads)]?5) norm(weight[(mamba_num_heads*mamba_head_dim)]?0) "
     "out_proj(weight[hidden_size,(mamba_num_heads*mamba_head_dim)]?0 bias[hidden_size]?5) "
     "experts(up_proj[n_routed_experts,moe_intermediate_size,?]?3=a "
     "#{n_routed_experts}(up_proj(weight[moe_intermediate_size,?]~a) down_proj(weight[?,moe_intermediate_size]~b))"
     " down_proj[n_routed_experts,?,moe_intermediate_size]?3=b) gate(weight[n_routed_experts,hidden_size]?3 "
     "e_score_correction_bias[n_routed_experts]?3) "
     "shared_experts(up_proj(weight[moe_shared_expert_intermediate_size,hidden_size]?3 "
     "bias[moe_shared_expert_intermediate_size]?7) "
     "down_proj(weight[hidden_size,moe_shared_expert_intermediate_size]?3 bias[hidden_size]?7)) "
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?6) k_proj@1082 v_proj@1082 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?6) up_proj(weight[intermediate_size,hidden_size]?2"
     " bias[intermediate_size]?1) down_proj(weight[hidden_size,intermediate_size]?2 bias[hidden_size]?1) "
     "fc1_latent_proj(weight[moe_latent_size,hidden_size]?4) "
     "fc2_latent_proj(weight[hidden_size,moe_latent_size]?4)))) norm_f(weight[hidden_size])", "mtp.*"},
    {"NemotronModel", "nemotron", "nemotron", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 k_proj@69 v_proj@69 "
     "o_proj(weight[hidden_size,(head_dim*num_attention_heads)] bias[hidden_size]?1)) mlp@74 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"NeoMMEForMaskedLM", "neomme", "", "model",
     "unembedding_projection(weight[hidden_size,embedding_rank]?) lm_head(weight[vocab_size,embedding_rank]?) "
     "model=:NeoMMEModel", ""},
    {"NllbMoeForConditionalGeneration", "nllb-moe", "", "model", "lm_head@138 model=:NllbMoeModel", ""},
    {"NllbMoeModel", "nllb-moe", "nllb-moe", "model",
     "shared@127 encoder(embed_tokens@138 layers(#{}(self_attn@130 self_attn_layer_norm@131 "
     "ffn(fc1(weight[encoder_ffn_dim,d_model]?1 bias[encoder_ffn_dim]?1) fc2(weight[d_model,encoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1084 experts(expert_0@1087 expert_1@1087 expert_2@1087 expert_3@1087 expert_4@1087 "
     "expert_5@1087 expert_6@1087 expert_7@1087 expert_8@1087 expert_9@1087 expert_10@1087 expert_11@1087 "
     "expert_12@1087 expert_13@1087 expert_14@1087 expert_15@1087 expert_16@1087 expert_17@1087 expert_18@1087 "
     "expert_19@1087 expert_20@1087 expert_21@1087 expert_22@1087 expert_23@1087 expert_24@1087 expert_25@1087 "
     "expert_26@1087 expert_27@1087 expert_28@1087 expert_29@1087 expert_30@1087 expert_31@1087 expert_32@1087 "
     "expert_33@1087 expert_34@1087 expert_35@1087 expert_36@1087 expert_37@1087 expert_38@1087 expert_39@1087 "
     "expert_40@1087 expert_41@1087 expert_42@1087 expert_43@1087 expert_44@1087 expert_45@1087 expert_46@1087 "
     "expert_47@1087 expert_48@1087 expert_49@1087 expert_50@1087 expert_51@1087 expert_52@1087 expert_53@1087 "
     "expert_54@1087 expert_55@1087 expert_56@1087 expert_57@1087 expert_58@1087 expert_59@1087 expert_60@1087 "
     "expert_61@1087 expert_62@1087 expert_63@1087 expert_64@1087 expert_65@1087 expert_66@1087 expert_67@1087 "
     "expert_68@1087 expert_69@1087 expert_70@1087 expert_71@1087 expert_72@1087 expert_73@1087 expert_74@1087 "
     "expert_75@1087 expert_76@1087 expert_77@1087 expert_78@1087 expert_79@1087 expert_80@1087 expert_81@1087 "
     "expert_82@1087 expert_83@1087 expert_84@1087 expert_85@1087 expert_86@1087 expert_87@1087 expert_88@1087 "
     "expert_89@1087 expert_90@1087 expert_91@1087 expert_92@1087 expert_93@1087 expert_94@1087 expert_95@1087 "
     "expert_96@1087 expert_97@1087 expert_98@1087 expert_99@1087 expert_100@1087 expert_101@1087 expert_102@1087 "
     "expert_103@1087 expert_104@1087 expert_105@1087 expert_106@1087 expert_107@1087 expert_108@1087 "
     "expert_109@1087 expert_110@1087 expert_111@1087 expert_112@1087 expert_113@1087 expert_114@1087 "
     "expert_115@1087 expert_116@1087 expert_117@1087 expert_118@1087 expert_119@1087 expert_120@1087 "
     "expert_121@1087 expert_122@1087 expert_123@1087 expert_124@1087 expert_125@1087 expert_126@1087 "
     "expert_127@1087)) ff_layer_norm@131)) layer_norm@131) decoder(embed_tokens@138 layers(#{}(self_attn@130 "
     "self_attn_layer_norm@131 cross_attention@130 cross_attention_layer_norm@131 "
     "ffn(fc1(weight[decoder_ffn_dim,d_model]?1 bias[decoder_ffn_dim]?1) fc2(weight[d_model,decoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1084 experts(expert_0@1090 expert_1@1090 expert_2@1090 expert_3@1090 expert_4@1090 "
     "expert_5@1090 expert_6@1090 expert_7@1090 expert_8@1090 expert_9@1090 expert_10@1090 expert_11@1090 "
     "expert_12@1090 expert_13@1090 expert_14@1090 expert_15@1090 expert_16@1090 expert_17@1090 expert_18@1090 "
     "expert_19@1090 expert_20@1090 expert_21@1090 expert_22@1090 expert_23@1090 expert_24@1090 expert_25@1090 "
     "expert_26@1090 expert_27@1090 expert_28@1090 expert_29@1090 expert_30@1090 expert_31@1090 expert_32@1090 "
     "expert_33@1090 expert_34@1090 expert_35@1090 expert_36@1090 expert_37@1090 expert_38@1090 expert_39@1090 "
     "expert_40@1090 expert_41@1090 expert_42@1090 expert_43@1090 expert_44@1090 expert_45@1090 expert_46@1090 "
     "expert_47@1090 expert_48@1090 expert_49@1090 expert_50@1090 expert_51@1090 expert_52@1090 expert_53@1090 "
     "expert_54@1090 expert_55@1090 expert_56@1090 expert_57@1090 expert_58@1090 expert_59@1090 expert_60@1090 "
     "expert_61@1090 expert_62@1090 expert_63@1090 expert_64@1090 expert_65@1090 expert_66@1090 expert_67@1090 "
     "expert_68@1090 expert_69@1090 expert_70@1090 expert_71@1090 expert_72@1090 expert_73@1090 expert_74@1090 "
     "expert_75@1090 expert_76@1090 expert_77@1090 expert_78@1090 expert_79@1090 expert_80@1090 expert_81@1090 "
     "expert_82@1090 expert_83@1090 expert_84@1090 expert_85@1090 expert_86@1090 expert_87@1090 expert_88@1090 "
     "expert_89@1090 expert_90@1090 expert_91@1090 expert_92@1090 expert_93@1090 expert_94@1090 expert_95@1090 "
     "expert_96@1090 expert_97@1090 expert_98@1090 expert_99@1090 expert_100@1090 expert_101@1090 expert_102@1090 "
     "expert_103@1090 expert_104@1090 expert_105@1090 expert_106@1090 expert_107@1090 expert_108@1090 "
     "expert_109@1090 expert_110@1090 expert_111@1090 expert_112@1090 expert_113@1090 expert_114@1090 "
     "expert_115@1090 expert_116@1090 expert_117@1090 expert_118@1090 expert_119@1090 expert_120@1090 "
     "expert_121@1090 expert_122@1090 expert_123@1090 expert_124@1090 expert_125@1090 expert_126@1090 "
     "expert_127@1090)) ff_layer_norm@131)) layer_norm@131)", ""},
    {"NomicBertForMaskedLM", "nomic_bert", "", "nomic_bert",
     "cls(predictions(bias[vocab_size] transform(dense@47 layer_norm@45) decoder@166)) nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertForSequenceClassification", "nomic_bert", "", "nomic_bert",
     "nomic_bert(embeddings@739 emb_ln@45 pooler@172 encoder@1097) classifier@22", "inv_freq original_inv_freq"},
    {"NomicBertForTokenClassification", "nomic_bert", "", "nomic_bert", "classifier@22 nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertModel", "nomic_bert", "nomic_bert", "nomic_bert", "embeddings@739 emb_ln@45 encoder@1097",
     "inv_freq original_inv_freq"},
    {"NystromformerForMaskedLM", "nystromformer", "", "nystromformer", "cls@168 nystromformer=:NystromformerModel", ""},
    {"NystromformerForMultipleChoice", "nystromformer", "", "nystromformer",
     "pre_classifier@47 classifier@60 nystromformer=:NystromformerModel", ""},
    {"NystromformerForQuestionAnswering", "nystromformer", "", "nystromformer",
     "qa_outputs@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerForSequenceClassification", "nystromformer", "", "nystromformer",
     "classifier@185 nystromformer=:NystromformerModel", ""},
    {"NystromformerForTokenClassification", "nystromformer", "", "nystromformer",
     "classifier@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerModel", "nystromformer", "nystromformer", "nystromformer",
     "embeddings@1098 encoder(layer(#{num_hidden_layers}(attention(self(query@264 key@264 value@264 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_kernel_size,1])) output@152) "
     "intermediate@154 output@155)))", ""},
    {"OPTForCausalLM", "opt", "", "model", "lm_head(weight[vocab_size,word_embed_proj_dim]?) model=:OPTModel", ""},
    {"OPTForQuestionAnswering", "opt", "", "model", "qa_outputs(weight[2,word_embed_proj_dim] bias[2]) model=:OPTModel",
     ""},
    {"OPTForSequenceClassification", "opt", "", "model",
     "score(weight[num_labels,word_embed_proj_dim]) model=:OPTModel", ""},
    {"OPTModel", "opt", "opt", "model",
     "decoder(embed_tokens(weight[vocab_size,word_embed_proj_dim]) embed_positions@193 final_layer_norm@159 "
     "layers(#{num_hidden_layers}(self_attn(k_proj@504 v_proj@504 q_proj@504 out_proj@504) "
     "self_attn_layer_norm@179 fc1(weight[ffn_dim,hidden_size] bias[ffn_dim]?0) fc2(weight[hidden_size,ffn_dim] "
     "bias[hidden_size]?0) final_layer_norm@179)) project_out(weight[word_embed_proj_dim,hidden_size]?1) "
     "project_in(weight[hidden_size,word_embed_proj_dim]?1))", ""},
    {"Olmo2ForCausalLM Olmo3ForCausalLM", "olmo2 olmo3", "", "model", "lm_head@0 model=:Olmo2Model", ""},
    {"Olmo2ForSequenceClassification Olmo3ForSequenceClassification", "olmo2 olmo3", "", "model",
     "score@21 model=:Olmo2Model", ""},
    {"Olmo2Model Olmo3Model", "olmo2 olmo3", "olmo2 olmo3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@466 mlp@295 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OlmoForCausalLM", "olmo", "", "model", "lm_head@0 model=:OlmoModel", ""},
    {"OlmoForSequenceClassification", "olmo", "", "model", "score@21 model=:OlmoModel", ""},
    {"OlmoHybridForCausalLM", "olmo_hybrid", "", "model", "lm_head@0 model=:OlmoHybridModel", "^mtp.*"},
    {"OlmoHybridModel", "olmo_hybrid", "olmo_hybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mlp@295 attention_layer_norm(weight[hidden_size]?0) "
     "feedforward_layer_norm(weight[hidden_size]) linear_attn(A_log[?]?0 dt_bias[?]?0 q_proj@1099 k_proj@1099 "
     "v_proj@1100 a_proj@1101 b_proj@1101 g_proj@1100 o_proj@1102 conv1d(weight[(((linear_key_head_dim*linear_num_"
     "key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear_key_head_dim*linear_num_key_heads)*"
     "2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_v"
     "alue_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0=a) q_conv1d@1103 k_conv1d@1103 "
     "v_conv1d@1103 o_norm@1104) "
     "self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2) k_proj@1105 v_proj@1105 "
     "o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1 bias[hidden_size]?2) "
     "q_norm(weight[(num_attention_heads*(hidden_size/num_attention_heads))]?1) "
     "k_norm(weight[(num_key_value_heads*(hidden_size/num_attention_heads))]?1)) "
     "post_feedforward_layernorm(weight[hidden_size]?1))) norm(weight[hidden_size])", "^mtp.*"},
    {"OlmoModel", "olmo", "olmo", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 mlp@295))", ""},
    {"OlmoeForCausalLM", "olmoe", "", "model", "lm_head@0 model=:OlmoeModel", ""},
    {"OlmoeModel", "olmoe", "olmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "q_norm(weight[hidden_size]) k_norm(weight[((hidden_size/num_attention_heads)*num_key_value_heads)])) mlp@469"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OpenAIGPTForSequenceClassification", "openai-gpt", "", "transformer", "score@275 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTLMHeadModel", "openai-gpt", "", "transformer", "lm_head@493 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTModel", "openai-gpt", "openai-gpt", "transformer",
     "tokens_embed@276 positions_embed@494 h(#{n_layer}(attn(c_attn(weight[n_embd,(n_embd*3)] bias[(n_embd*3)]) "
     "c_proj@277) ln_1@278 mlp(c_fc(weight[n_embd,(4*n_embd)] bias[(4*n_embd)]) c_proj(weight[(4*n_embd),n_embd] "
     "bias[n_embd])) ln_2@278))", ""},
    {"Ovis2ForConditionalGeneration", "ovis2", "", "model", "lm_head@98 model=:Ovis2Model", ""},
    {"Ovis2Model", "ovis2", "ovis2", "model",
     "vision_tower(transformer(embeddings(patch_embedding@581 position_embedding@691 rms_norm@506) "
     "encoder(layers(#{vision_config.num_hidden_layers}(attention(k_proj@1106 v_proj@1106 q_proj@1106 "
     "out_proj@1106) ffn(gate_proj@1107 up_proj@1107 "
     "down_proj(weight[vision_config.hidden_size,vision_config.intermediate_size] "
     "bias[vision_config.hidden_size]?1)) rms_norm1@506 rms_norm2@506))) rms_norm@506) head_linear(weight[(vision_"
     "config.vocab_size-vision_config.num_visual_indicator_tokens),((vision_config.hidden_size*vision_config.hidde"
     "n_stride)*vision_config.hidden_stride)]) "
     "head_norm(weight[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)] "
     "bias[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)])) "
     "visual_embeddings_table(weight[vision_config.vocab_size,hidden_size]) language_model=text_config:Qwen2Model", ""},
    {"PI0ForConditionalGeneration", "pi0", "", "model",
     "paligemma_with_expert(gemma_expert(lm_head(weight[dit_config.vocab_size,dit_config.hidden_size]) model(layer"
     "s(#{dit_config.num_hidden_layers}(self_attn(q_proj(weight[(dit_config.num_attention_heads*dit_config.head_di"
     "m),dit_config.hidden_size]) k_proj@1108 v_proj@1108 "
     "o_proj(weight[dit_config.hidden_size,(dit_config.num_attention_heads*dit_config.head_dim)])) "
     "mlp(gate_proj@1109 up_proj@1109 down_proj(weight[dit_config.hidden_size,dit_config.intermediate_size])) "
     "input_layernorm@1110 post_attention_layernorm@1110)) norm@1110)) paligemma(model=vlm_config:PaliGemmaModel))"
     " action_in_proj(weight[dit_config.hidden_size,max_action_dim] bias[dit_config.hidden_size]) "
     "state_proj(weight[dit_config.hidden_size,max_state_dim] bias[dit_config.hidden_size]) "
     "action_time_mlp_in(weight[dit_config.hidden_size,(2*dit_config.hidden_size)] bias[dit_config.hidden_size]) "
     "action_time_mlp_out(weight[dit_config.hidden_size,dit_config.hidden_size] bias[dit_config.hidden_size]) "
     "action_out_proj(weight[max_action_dim,dit_config.hidden_size] bias[max_action_dim])", ""},
    {"PI0Model", "pi0", "pi0", "model", "dit=dit_config:GemmaModel vlm=vlm_config:PaliGemmaModel", ""},
    {"PLBartForConditionalGeneration", "plbart", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:PLBartModel", ""},
    {"PLBartForSequenceClassification", "plbart", "", "model", "classification_head@140 model=:PLBartModel", ""},
    {"PLBartModel", "plbart", "plbart", "model", "shared@127 encoder@145 decoder@146", ""},
    {"PPFormulaNetForConditionalGeneration", "pp_formulanet", "", "model", "model(decoder(embed_tokens@1111 "
     "embed_positions(weight[(text_config.max_position_embeddings+2),text_config.d_model]) "
     "layers(#{text_config.decoder_layers}(self_attn@1113 self_attn_layer_norm@1114 encoder_attn@1113 "
     "encoder_attn_layer_norm@1114 fc1(weight[text_config.decoder_ffn_dim,text_config.d_model] "
     "bias[text_config.decoder_ffn_dim]) fc2(weight[text_config.d_model,text_config.decoder_ffn_dim] "
     "bias[text_config.d_model]) final_layer_norm@1114)) layernorm_embedding@1114 layer_norm@1114) encoder(pos_emb"
     "ed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patch_size)"
     ",vision_config.hidden_size]? patch_embed@582 layers@589 neck@593 multi_modal_projector(conv1(weight[vision_c"
     "onfig.post_conv_mid_channels,(vision_config.post_conv_in_channels/1),?,?]) "
     "conv2(weight[vision_config.post_conv_out_channels,(vision_config.post_conv_mid_channels/1),?,?]) "
     "linear_1(weight[vision_config.post_conv_out_channels,vision_config.post_conv_out_channels] "
     "bias[vision_config.post_conv_out_channels]) "
     "linear_2(weight[vision_config.decoder_hidden_size,vision_config.post_conv_out_channels] "
     "bias[vision_config.decoder_hidden_size])))) lm_head@1111", ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "", "model",
     "visual@1116 model@1126 mlp_AR@1129 lm_head@98", "packing_position_embedding vision_model.head"},
    {"PaddleOCRVLModel", "paddleocr_vl", "paddleocr_vl", "model", "visual@1116 language_model@1126 projector@1129",
     "packing_position_embedding vision_model.head"},
    {"PaliGemmaForConditionalGeneration", "paligemma", "", "model",
     "multi_modal_projector@1130 language_model(model@1134 lm_head@98) " "vision_tower=vision_config:SiglipVisionModel",
     ""},
    {"PaliGemmaModel", "paligemma", "paligemma", "model",
     "multi_modal_projector@1130 language_model(model@1134) vision_tower=vision_config:SiglipVisionModel", ""},
    {"ParakeetEncoder", "parakeet_encoder", "parakeet_encoder", "encoder",
     "subsampling(layers(0(weight[subsampling_conv_channels,1,subsampling_conv_kernel_size,subsampling_conv_kernel"
     "_size] bias[subsampling_conv_channels]) 2@1135 3@1136 5@1135 6@1136) "
     "linear(weight[hidden_size,(subsampling_conv_channels*(num_mel_bins/8))] bias[hidden_size])) "
     "layers(#{num_hidden_layers}(feed_forward1@1137 "
     "self_attn(bias_u[num_attention_heads,(hidden_size/num_attention_heads)] "
     "bias_v[num_attention_heads,(hidden_size/num_attention_heads)] q_proj@311 k_proj@312 v_proj@312 o_proj@313 "
     "relative_k_proj@411) conv(pointwise_conv1(weight[(2*hidden_size),(hidden_size/1),1] bias[(2*hidden_size)]?0)"
     " depthwise_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size] bias[hidden_size]?0) "
     "norm@1138 pointwise_conv2(weight[hidden_size,(hidden_size/1),1] bias[hidden_size]?0)) feed_forward2@1137 "
     "norm_feed_forward1@45 norm_self_att@45 norm_conv@45 norm_feed_forward2@45 norm_out@45))", ""},
    {"PegasusXForConditionalGeneration", "pegasus_x", "", "model", "lm_head@138 model=:PegasusXModel", ""},
    {"PegasusXModel", "pegasus_x", "pegasus_x", "model",
     "shared@127 encoder(embed_tokens@138 embed_global(weight[num_global_tokens,d_model]) "
     "layers(#{encoder_layers}(self_attn@1139 self_attn_layer_norm@131 global_self_attn_layer_norm@131 fc1@141 "
     "fc2@142 final_layer_norm@131)) layer_norm@131) decoder(embed_tokens@138 "
     "layers(#{decoder_layers}(self_attn@1139 self_attn_layer_norm@131 encoder_attn@1139 "
     "encoder_attn_layer_norm@131 fc1@132 fc2@133 final_layer_norm@131)) layer_norm@131)", ""},
    {"PersimmonForCausalLM", "persimmon", "", "model", "lm_head@0 model=:PersimmonModel", ""},
    {"PersimmonForSequenceClassification", "persimmon", "", "model", "score@21 model=:PersimmonModel", ""},
    {"PersimmonForTokenClassification", "persimmon", "", "model", "score@22 model=:PersimmonModel", ""},
    {"PersimmonModel", "persimmon", "persimmon", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(query_key_value@236 dense@573 q_layernorm@1140 "
     "k_layernorm@1140) mlp@505 input_layernorm@45 post_attention_layernorm@45)) final_layernorm@45", ""},
    {"Phi3ForCausalLM", "phi3", "", "model", "lm_head@0 model=:Phi3Model", ""},
    {"Phi3ForSequenceClassification", "phi3", "", "model", "score@21 model=:Phi3Model", ""},
    {"Phi3ForTokenClassification", "phi3", "", "model", "score@22 model=:Phi3Model", ""},
    {"Phi3Model", "phi3", "phi3", "model", "embed_tokens@0 layers@1144 norm(weight[hidden_size])", ""},
    {"Phi4MultimodalForCausalLM", "phi4_multimodal", "", "model", "lm_head@0 model=:Phi4MultimodalModel", ""},
    {"Phi4MultimodalModel", "phi4_multimodal", "phi4_multimodal", "model",
     "embed_tokens@0 layers@1144 norm(weight[hidden_size]) "
     "embed_tokens_extend(image_embed(global_img_feature_extensor[1,1,vision_config.hidden_size] "
     "sub_img_feature_extensor[1,1,1,vision_config.hidden_size] img_processor(embeddings@692 encoder@942 "
     "post_layernorm@78 head(probe[1,1,vision_config.hidden_size] attention@77 layernorm@78 mlp@201)) "
     "img_projection_up@540 img_projection_down@47) "
     "audio_embed(encoder(embed(conv(#{}(weight[audio_config.nemo_conv_channels,?,?,?] "
     "bias[audio_config.nemo_conv_channels])) "
     "out(weight[audio_config.hidden_size,(audio_config.nemo_conv_channels*audio_config.nemo_final_size)] "
     "bias[audio_config.hidden_size])) "
     "relative_attention_bias_layer(bias_values(weight[?,audio_config.num_attention_heads])) "
     "encoders(#{audio_config.num_blocks}(feed_forward_in@1148 self_attn(q_proj@1149 k_proj@1149 v_proj@1149 o_pro"
     "j(weight[audio_config.hidden_size,(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.n"
     "um_attention_heads))] bias[audio_config.hidden_size])) conv(layer_norm@1145 "
     "glu(b1[1,audio_config.ext_pw_out_channel,1] b2[1,audio_config.ext_pw_out_channel,1] "
     "ext_pw_conv_1d(weight[(audio_config.ext_pw_out_channel*2),(audio_config.hidden_size/1),1] "
     "bias[(audio_config.ext_pw_out_channel*2)])) dw_sep_conv_1d(dw_conv(weight[(audio_config.hidden_size*audio_co"
     "nfig.depthwise_multiplier),(audio_config.hidden_size/audio_config.hidden_size),audio_config.kernel_size] "
     "bias[(audio_config.hidden_size*audio_config.depthwise_multiplier)]) pw_conv(weight[audio_config.depthwise_se"
     "parable_out_channel,((audio_config.hidden_size*audio_config.depthwise_multiplier)/1),1] "
     "bias[audio_config.depthwise_separable_out_channel])) "
     "ext_pw_conv_1d(weight[audio_config.ext_pw_out_channel,(audio_config.hidden_size/1),1] "
     "bias[audio_config.ext_pw_out_channel])) feed_forward_out@1148 layer_norm_att@1145 layer_norm@1145)) "
     "encoder_embedding(global_mean[audio_config.input_size] global_invstd[audio_config.input_size])) "
     "up_proj_for_speech@1150 down_proj_for_speech@47 up_proj_for_vision_speech@1150 "
     "down_proj_for_vision_speech@47))", ""},
    {"PhiForCausalLM", "phi", "", "model", "lm_head@302 model=:PhiModel", ""},
    {"PhiForSequenceClassification", "phi", "", "model", "score@21 model=:PhiModel", ""},
    {"PhiForTokenClassification", "phi", "", "model", "score@22 model=:PhiModel", ""},
    {"PhiModel", "phi", "phi", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@571 v_proj@571 dense@573 "
     "q_layernorm@1140 k_layernorm@1140) mlp@270 input_layernorm@45)) final_layernorm@45", ""},
    {"PhimoeForCausalLM", "phimoe", "", "model", "lm_head@436 model=:PhimoeModel", ""},
    {"PhimoeForSequenceClassification", "phimoe", "", "model", "score@21 model=:PhimoeModel", ""},
    {"PhimoeModel", "phimoe", "phimoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 block_sparse_moe@977 mlp@946 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"Pix2StructForConditionalGeneration", "pix2struct", "", "",
     "encoder(embeddings(patch_projection@775 row_embedder@1151 column_embedder@1151) "
     "encoder(layer(#{vision_config.num_hidden_layers}(attention(query@1152 key@1152 value@1152 "
     "output(weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.d_kv)])) "
     "mlp(wi_0@1153 wi_1@1153 wo(weight[vision_config.hidden_size,vision_config.d_ff])) pre_mlp_layer_norm@506 "
     "pre_attention_layer_norm@506))) layernorm@506) decoder(embed_tokens@84 "
     "layer(#{text_config.num_layers}(self_attention(attention(query@81 key@81 value@81 output@81 "
     "relative_attention_bias(weight[text_config.relative_attention_num_buckets,text_config.num_heads]?)) "
     "layer_norm@340) encoder_decoder_attention(attention(query@81 key@81 value@81 output@81) layer_norm@340) "
     "mlp(DenseReluDense(wi_0@1154 wi_1@1154 wo(weight[text_config.hidden_size,text_config.d_ff])) "
     "layer_norm@340))) final_layer_norm@340 lm_head@84)", ""},
    {"PixtralVisionModel", "pixtral", "pixtral", "vision_encoder",
     "patch_conv(weight[*]) ln_pre(weight[hidden_size]) transformer(layers(#{}(attention_norm(weight[hidden_size])"
     " feed_forward@295 attention(k_proj@88 v_proj@88 q_proj@88 o_proj@88) ffn_norm(weight[hidden_size]))))", ""},
    {"Pop2PianoForConditionalGeneration", "pop2piano", "", "transformer",
     "shared@127 mel_conditioner(embedding(weight[composer_vocab_size,d_model])) encoder@908 decoder@912 "
     "lm_head@127", ""},
    {"ProphetNetForCausalLM", "prophetnet", "", "prophetnet", "prophetnet(word_embeddings@0 decoder@1164) lm_head@192",
     ""},
    {"ProphetNetForConditionalGeneration", "prophetnet", "", "prophetnet", "lm_head@192 prophetnet=:ProphetNetModel",
     ""},
    {"ProphetNetModel", "prophetnet", "prophetnet", "prophetnet",
     "word_embeddings@0 encoder(word_embeddings@192 position_embeddings@148 embeddings_layer_norm@45 "
     "layers(#{num_encoder_layers}(self_attn(key_proj@47 value_proj@47 query_proj@47 out_proj@47) "
     "self_attn_layer_norm@45 feed_forward(intermediate@1165 output@1166) feed_forward_layer_norm@45))) "
     "decoder@1164", ""},
    {"QianfanOCRForConditionalGeneration", "qianfan_ocr", "", "model",
     "vision_model@1175 mlp1(0@717 1@718 3@221) language_model(model@1180 lm_head@84)", ""},
    {"QianfanOCRModel", "qianfan_ocr", "qianfan_ocr", "model",
     "vision_tower@1175 multi_modal_projector@719 language_model@1180", ""},
    {"Qwen2AudioEncoder", "qwen2_audio_encoder", "qwen2_audio_encoder", "model",
     "conv1@1181 conv2@1182 embed_positions@1183 layers@1186 layer_norm@131", ""},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "", "model",
     "multi_modal_projector@1188 language_model@92 audio_tower=audio_config:Qwen2AudioEncoder", ""},
    {"Qwen2AudioModel", "qwen2_audio", "qwen2_audio", "model",
     "multi_modal_projector@1188 audio_tower=audio_config:Qwen2AudioEncoder language_model@93", ""},
    {"Qwen2ForCausalLM", "qwen2", "", "model", "lm_head@0 model=:Qwen2Model", ""},
    {"Qwen2ForQuestionAnswering", "qwen2", "", "transformer", "qa_outputs@67 transformer=:Qwen2Model", ""},
    {"Qwen2ForSequenceClassification", "qwen2", "", "model", "score@21 model=:Qwen2Model", ""},
    {"Qwen2ForTokenClassification", "qwen2", "", "model", "score@22 model=:Qwen2Model", ""},
    {"Qwen2Model Qwen2VLTextModel Qwen2_5_VLTextModel", "qwen2 qwen2_5_vl_text qwen2_vl_text",
     "qwen2 qwen2_5_vl_text qwen2_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "", "model", "lm_head@0 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForQuestionAnswering", "qwen2_moe", "", "model", "qa_outputs@67 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForSequenceClassification", "qwen2_moe", "", "model", "score@21 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForTokenClassification", "qwen2_moe", "", "model", "score@22 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeModel", "qwen2_moe", "qwen2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@399 k_proj@400 v_proj@400 o_proj@413) "
     "mlp(gate@34 experts@38 shared_expert@472 shared_expert_gate(weight[1,hidden_size]?1) gate_proj@7 up_proj@7 "
     "down_proj@8) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "", "model", "visual@1202 lm_head@84 model=text_config:Qwen2Model",
     ""},
    {"Qwen2VLModel", "qwen2_vl", "qwen2_vl", "model", "visual@1202 language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni_thinker", "", "model",
     "audio_tower@1215 visual@1224 model@1230 lm_head@84", "^talker ^token2wav"},
    {"Qwen2_5OmniThinkerModel", "qwen2_5_omni_thinker", "qwen2_5_omni_thinker", "model",
     "audio_tower@1215 visual@1224 language_model@1230", "^talker ^token2wav"},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "", "model",
     "lm_head@84 visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VLModel", "qwen2_5_vl", "qwen2_5_vl", "model",
     "visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VisionTransformerPretrainedModel", "qwen2_5_vl_vision", "qwen2_5_vl_vision", "model",
     "patch_embed@450 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@1232 mlp@451)) "
     "merger@455", ""},
    {"Qwen3ASREncoder", "qwen3_asr_encoder", "qwen3_asr_encoder", "model",
     "layers@144 ln_post@131 conv2d1(weight[downsample_hidden_size,1,?,?] bias[downsample_hidden_size]) "
     "conv2d2@1233 conv2d3@1233 "
     "conv_out(weight[d_model,(downsample_hidden_size*((((((num_mel_bins+1)/2)+1)/2)+1)/2))])", ""},
    {"Qwen3ASRForConditionalGeneration", "qwen3_asr", "", "model", "lm_head@98 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRForTokenClassification", "qwen3_asr", "", "model", "score@508 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRModel", "qwen3_asr", "qwen3_asr", "model",
     "multi_modal_projector(linear_1@1207 linear_2@1214) audio_tower=audio_config:Qwen3ASREncoder "
     "language_model=text_config:Qwen3Model", ""},
    {"Qwen3ForCausalLM", "qwen3", "", "model", "lm_head@0 model=:Qwen3Model", ""},
    {"Qwen3ForQuestionAnswering", "qwen3", "", "transformer", "qa_outputs@67 transformer=:Qwen3Model", ""},
    {"Qwen3ForSequenceClassification", "qwen3", "", "model", "score@21 model=:Qwen3Model", ""},
    {"Qwen3ForTokenClassification", "qwen3", "", "model", "score@22 model=:Qwen3Model", ""},
    {"Qwen3Model Qwen3VLTextModel", "qwen3 qwen3_vl_text", "qwen3 qwen3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@510 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "", "model", "lm_head@0 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForQuestionAnswering", "qwen3_moe", "", "transformer", "qa_outputs@67 transformer=:Qwen3MoeModel", ""},
    {"Qwen3MoeForSequenceClassification", "qwen3_moe", "", "model", "score@21 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForTokenClassification", "qwen3_moe", "", "model", "score@22 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeModel", "qwen3_moe", "qwen3_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size] "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2) k_proj@1234 v_proj@1234 o_proj@788 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@932 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3NextForCausalLM", "qwen3_next", "", "model", "lm_head@0 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForQuestionAnswering", "qwen3_next", "", "transformer", "qa_outputs@67 transformer=:Qwen3NextModel",
     "^mtp.*"},
    {"Qwen3NextForSequenceClassification", "qwen3_next", "", "model", "score@21 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForTokenClassification", "qwen3_next", "", "model", "score@22 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextModel", "qwen3_next", "qwen3_next", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads]?0 A_log[?]?0 "
     "conv1d@1235 in_proj_qkvz(weight[(((linear_key_head_dim*linear_num_key_heads)*2)+((linear_value_head_dim*line"
     "ar_num_value_heads)*2)),hidden_size]?0) in_proj_ba(weight[(linear_num_value_heads*2),hidden_size]?0) "
     "norm@1104 out_proj@1102) mlp(gate@641 experts@642 shared_expert(gate_proj@1236 up_proj@1236 "
     "down_proj(weight[hidden_size,shared_expert_intermediate_size]?2)) "
     "shared_expert_gate(weight[1,hidden_size]?2) gate_proj@833 up_proj@833 down_proj@834) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attn(q_proj(weight[((num_attention_heads*head_dim)*2),hidden_size]?3) k_proj@810 v_proj@810 o_proj@811 "
     "q_norm(weight[head_dim]?3) k_norm(weight[head_dim]?3)))) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe_thinker", "", "model",
     "audio_tower@1243 visual@1251 model@1262 lm_head@84", "^code2wav ^talker"},
    {"Qwen3OmniMoeThinkerModel", "qwen3_omni_moe_thinker", "qwen3_omni_moe_thinker", "model",
     "audio_tower@1243 visual@1251 language_model@1262", "^code2wav ^talker"},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "", "model", "lm_head@84 model=:Qwen3VLModel", ""},
    {"Qwen3VLModel", "qwen3_vl", "qwen3_vl", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3Model", ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "", "model", "lm_head@84 model=:Qwen3VLMoeModel", ""},
    {"Qwen3VLMoeModel", "qwen3_vl_moe", "qwen3_vl_moe", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3VLMoeTextModel", ""},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", "qwen3_vl_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@930 "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]?1 "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]?1) gate@832 gate_proj@7 up_proj@7 "
     "down_proj@8) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen3VLMoeVisionModel Qwen3VLVisionModel", "qwen3_vl_moe_vision qwen3_vl_vision",
     "qwen3_vl_moe_vision qwen3_vl_vision", "model", "patch_embed@557 pos_embed@1263 blocks@1266 merger@1267 "
     "deepstack_merger_list(#{}(norm(weight[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0) linear_fc1(weight[(hidden_size*(spatial_merge"
     "_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0) "
     "linear_fc2(weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[out_hidden_size]?0)))", ""},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", "", "model", "lm_head@0 model=:Qwen3_5TextModel", "^model.visual.* ^mtp.*"},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "", "model", "lm_head@84 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForSequenceClassification", "qwen3_5", "", "model", "score@508 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForTokenClassification", "qwen3_5", "", "model", "score@1068 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5Model", "qwen3_5", "qwen3_5", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", "", "model", "lm_head@0 model=:Qwen3_5MoeTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "", "model", "lm_head@84 model=:Qwen3_5MoeModel", "^mtp.*"},
    {"Qwen3_5MoeModel", "qwen3_5_moe", "qwen3_5_moe", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5MoeTextModel", "^mtp.*"},
    {"Qwen3_5MoeTextModel", "qwen3_5_moe_text", "qwen3_5_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1269 mlp@1271 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1275)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3_5MoeVisionModel Qwen3_5VisionModel Qwen4ExpVisionModel",
     "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision", "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision",
     "model", "patch_embed@557 pos_embed@1263 blocks@1266 merger@1267", "^mtp.*"},
    {"Qwen3_5TextForSequenceClassification", "qwen3_5_text", "", "model", "score@21 model=:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5TextModel", "qwen3_5_text", "qwen3_5_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1269 mlp@295 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1275)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen4ExpForCausalLM", "qwen4_exp_text", "", "model", "lm_head@0 model=:Qwen4ExpTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen4ExpForConditionalGeneration", "qwen4_exp", "", "model", "lm_head@84 model=:Qwen4ExpModel", "^mtp.*"},
    {"Qwen4ExpModel", "qwen4_exp", "qwen4_exp", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen4ExpTextModel", "^mtp.*"},
    {"Qwen4ExpTextModel", "qwen4_exp_text", "qwen4_exp_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads] A_log[?] conv1d(weigh"
     "t[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear"
     "_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_head_di"
     "m*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]) "
     "norm(weight[linear_value_head_dim]) "
     "out_proj(weight[hidden_size,(linear_value_head_dim*linear_num_value_heads)]) in_proj_qkv(weight[(((linear_ke"
     "y_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidden_size]) "
     "in_proj_z(weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]) in_proj_b@1276 in_proj_a@1276)"
     " mlp@1271 attn_hyper_connection@1281 mlp_hyper_connection@1281 ple(ple_embedding(ngram_embedding(weight[(250"
     "0012*make_ngram_vocab_size_divisible_by),(ple_embed_dim/((ngram_size-1)*heads_per_ngram))]?0=c shard_0@1282 "
     "shard_1@1282 shard_2@1282 shard_3@1282 shard_4@1282 shard_5@1282 shard_6@1282 shard_7@1282 shard_8@1282 "
     "shard_9@1282 shard_10@1282 shard_11@1282 shard_12@1282 shard_13@1282 shard_14@1282 shard_15@1282 "
     "shard_16@1282 shard_17@1282 shard_18@1282 shard_19@1282 shard_20@1282 shard_21@1282 shard_22@1282 "
     "shard_23@1282 shard_24@1282 shard_25@1282 shard_26@1282 shard_27@1282 shard_28@1282 shard_29@1282 "
     "shard_30@1282 shard_31@1282 shard_32@1282 shard_33@1282 shard_34@1282 shard_35@1282 shard_36@1282 "
     "shard_37@1282 shard_38@1282 shard_39@1282 shard_40@1282 shard_41@1282 shard_42@1282 shard_43@1282 "
     "shard_44@1282 shard_45@1282 shard_46@1282 shard_47@1282 shard_48@1282 shard_49@1282 shard_50@1282 "
     "shard_51@1282 shard_52@1282 shard_53@1282 shard_54@1282 shard_55@1282 shard_56@1282 shard_57@1282 "
     "shard_58@1282 shard_59@1282 shard_60@1282 shard_61@1282 shard_62@1282 shard_63@1282 shard_64@1282 "
     "shard_65@1282 shard_66@1282 shard_67@1282 shard_68@1282 shard_69@1282 shard_70@1282 shard_71@1282 "
     "shard_72@1282 shard_73@1282 shard_74@1282 shard_75@1282 shard_76@1282 shard_77@1282 shard_78@1282 "
     "shard_79@1282 shard_80@1282 shard_81@1282 shard_82@1282 shard_83@1282 shard_84@1282 shard_85@1282 "
     "shard_86@1282 shard_87@1282 shard_88@1282 shard_89@1282 shard_90@1282 shard_91@1282 shard_92@1282 "
     "shard_93@1282 shard_94@1282 shard_95@1282 shard_96@1282 shard_97@1282 shard_98@1282 shard_99@1282 "
     "shard_100@1282 shard_101@1282 shard_102@1282 shard_103@1282 shard_104@1282 shard_105@1282 shard_106@1282 "
     "shard_107@1282 shard_108@1282 shard_109@1282 shard_110@1282 shard_111@1282 shard_112@1282 shard_113@1282 "
     "shard_114@1282 shard_115@1282 shard_116@1282 shard_117@1282 shard_118@1282 shard_119@1282 shard_120@1282 "
     "shard_121@1282 shard_122@1282 shard_123@1282 shard_124@1282 shard_125@1282 shard_126@1282 shard_127@1282 "
     "shard_128@1282 shard_129@1282 shard_130@1282 shard_131@1282 shard_132@1282 shard_133@1282 shard_134@1282 "
     "shard_135@1282 shard_136@1282 shard_137@1282 shard_138@1282 shard_139@1282 shard_140@1282 shard_141@1282 "
     "shard_142@1282 shard_143@1282 shard_144@1282 shard_145@1282 shard_146@1282 shard_147@1282 shard_148@1282 "
     "shard_149@1282 shard_150@1282 shard_151@1282 shard_152@1282 shard_153@1282 shard_154@1282 shard_155@1282 "
     "shard_156@1282 shard_157@1282 shard_158@1282 shard_159@1282 shard_160@1282 shard_161@1282 shard_162@1282 "
     "shard_163@1282 shard_164@1282 shard_165@1282 shard_166@1282 shard_167@1282 shard_168@1282 shard_169@1282 "
     "shard_170@1282 shard_171@1282 shard_172@1282 shard_173@1282 shard_174@1282 shard_175@1282 shard_176@1282 "
     "shard_177@1282 shard_178@1282 shard_179@1282 shard_180@1282 shard_181@1282 shard_182@1282 shard_183@1282 "
     "shard_184@1282 shard_185@1282 shard_186@1282 shard_187@1282 shard_188@1282 shard_189@1282 shard_190@1282 "
     "shard_191@1282 shard_192@1282 shard_193@1282 shard_194@1282 shard_195@1282 shard_196@1282 shard_197@1282 "
     "shard_198@1282 shard_199@1282 shard_200@1282 shard_201@1282 shard_202@1282 shard_203@1282 shard_204@1282 "
     "shard_205@1282 shard_206@1282 shard_207@1282 shard_208@1282 shard_209@1282 shard_210@1282 shard_211@1282 "
     "shard_212@1282 shard_213@1282 shard_214@1282 shard_215@1282 shard_216@1282 shard_217@1282 shard_218@1282 "
     "shard_219@1282 shard_220@1282 shard_221@1282 shard_222@1282 shard_223@1282 shard_224@1282 shard_225@1282 "
     "shard_226@1282 shard_227@1282 shard_228@1282 shard_229@1282 shard_230@1282 shard_231@1282 shard_232@1282 "
     "shard_233@1282 shard_234@1282 shard_235@1282 shard_236@1282 shard_237@1282 shard_238@1282 shard_239@1282 "
     "shard_240@1282 shard_241@1282 shard_242@1282 shard_243@1282 shard_244@1282 shard_245@1282 shard_246@1282 "
     "shard_247@1282 shard_248@1282 shard_249@1282 shard_250@1282 shard_251@1282 shard_252@1282 shard_253@1282 "
     "shard_254@1282 shard_255@1282 shard_256@1282 shard_257@1282 shard_258@1282 shard_259@1282 shard_260@1282 "
     "shard_261@1282 shard_262@1282 shard_263@1282 shard_264@1282 shard_265@1282 shard_266@1282 shard_267@1282 "
     "shard_268@1282 shard_269@1282 shard_270@1282 shard_271@1282 shard_272@1282 shard_273@1282 shard_274@1282 "
     "shard_275@1282 shard_276@1282 shard_277@1282 shard_278@1282 shard_279@1282 shard_280@1282 shard_281@1282 "
     "shard_282@1282 shard_283@1282 shard_284@1282 shard_285@1282 shard_286@1282 shard_287@1282 shard_288@1282 "
     "shard_289@1282 shard_290@1282 shard_291@1282 shard_292@1282 shard_293@1282 shard_294@1282 shard_295@1282 "
     "shard_296@1282 shard_297@1282 shard_298@1282 shard_299@1282 shard_300@1282 shard_301@1282 shard_302@1282 "
     "shard_303@1282 shard_304@1282 shard_305@1282 shard_306@1282 shard_307@1282 shard_308@1282 shard_309@1282 "
     "shard_310@1282 shard_311@1282 shard_312@1282 shard_313@1282 shard_314@1282 shard_315@1282 shard_316@1282 "
     "shard_317@1282 shard_318@1282 shard_319@1282 shard_320@1282 shard_321@1282 shard_322@1282 shard_323@1282 "
     "shard_324@1282 shard_325@1282 shard_326@1282 shard_327@1282 shard_328@1282 shard_329@1282 shard_330@1282 "
     "shard_331@1282 shard_332@1282 shard_333@1282 shard_334@1282 shard_335@1282 shard_336@1282 shard_337@1282 "
     "shard_338@1282 shard_339@1282 shard_340@1282 shard_341@1282 shard_342@1282 shard_343@1282 shard_344@1282 "
     "shard_345@1282 shard_346@1282 shard_347@1282 shard_348@1282 shard_349@1282 shard_350@1282 shard_351@1282 "
     "shard_352@1282 shard_353@1282 shard_354@1282 shard_355@1282 shard_356@1282 shard_357@1282 shard_358@1282 "
     "shard_359@1282 shard_360@1282 shard_361@1282 shard_362@1282 shard_363@1282 shard_364@1282 shard_365@1282 "
     "shard_366@1282 shard_367@1282 shard_368@1282 shard_369@1282 shard_370@1282 shard_371@1282 shard_372@1282 "
     "shard_373@1282 shard_374@1282 shard_375@1282 shard_376@1282 shard_377@1282 shard_378@1282 shard_379@1282 "
     "shard_380@1282 shard_381@1282 shard_382@1282 shard_383@1282 shard_384@1282 shard_385@1282 shard_386@1282 "
     "shard_387@1282 shard_388@1282 shard_389@1282 shard_390@1282 shard_391@1282 shard_392@1282 shard_393@1282 "
     "shard_394@1282 shard_395@1282 shard_396@1282 shard_397@1282 shard_398@1282 shard_399@1282 shard_400@1282 "
     "shard_401@1282 shard_402@1282 shard_403@1282 shard_404@1282 shard_405@1282 shard_406@1282 shard_407@1282 "
     "shard_408@1282 shard_409@1282 shard_410@1282 shard_411@1282 shard_412@1282 shard_413@1282 shard_414@1282 "
     "shard_415@1282 shard_416@1282 shard_417@1282 shard_418@1282 shard_419@1282 shard_420@1282 shard_421@1282 "
     "shard_422@1282 shard_423@1282 shard_424@1282 shard_425@1282 shard_426@1282 shard_427@1282 shard_428@1282 "
     "shard_429@1282 shard_430@1282 shard_431@1282 shard_432@1282 shard_433@1282 shard_434@1282 shard_435@1282 "
     "shard_436@1282 shard_437@1282 shard_438@1282 shard_439@1282 shard_440@1282 shard_441@1282 shard_442@1282 "
     "shard_443@1282 shard_444@1282 shard_445@1282 shard_446@1282 shard_447@1282 shard_448@1282 shard_449@1282 "
     "shard_450@1282 shard_451@1282 shard_452@1282 shard_453@1282 shard_454@1282 shard_455@1282 shard_456@1282 "
     "shard_457@1282 shard_458@1282 shard_459@1282 shard_460@1282 shard_461@1282 shard_462@1282 shard_463@1282 "
     "shard_464@1282 shard_465@1282 shard_466@1282 shard_467@1282 shard_468@1282 shard_469@1282 shard_470@1282 "
     "shard_471@1282 shard_472@1282 shard_473@1282 shard_474@1282 shard_475@1282 shard_476@1282 shard_477@1282 "
     "shard_478@1282 shard_479@1282 shard_480@1282 shard_481@1282 shard_482@1282 shard_483@1282 shard_484@1282 "
     "shard_485@1282 shard_486@1282 shard_487@1282 shard_488@1282 shard_489@1282 shard_490@1282 shard_491@1282 "
     "shard_492@1282 shard_493@1282 shard_494@1282 shard_495@1282 shard_496@1282 shard_497@1282 shard_498@1282 "
     "shard_499@1282 shard_500@1282 shard_501@1282 shard_502@1282 shard_503@1282 shard_504@1282 shard_505@1282 "
     "shard_506@1282 shard_507@1282 shard_508@1282 shard_509@1282 shard_510@1282 shard_511@1282) "
     "layer_multipliers[?]?0 ngram_heads_vocab_sizes[?]?0 ngram_heads_offsets[?]?0) "
     "key_proj(weight[(hidden_size*hc_count),ple_embed_dim]?0) value_proj(weight[hidden_size,ple_embed_dim]?0) "
     "norm_key@1283 norm_query@1283 norm_conv@1283 conv1d(weight[(hidden_size*hc_count),((hidden_size*hc_count)/(h"
     "idden_size*hc_count)),ple_conv_kernel_size]?0)))) hyper_connection_mixer(hc_norm@1277 "
     "input_mix_weight_down@1278 input_mix_weight_up@1279)", "^mtp.*"},
    {"RecurrentGemmaForCausalLM", "recurrent_gemma", "", "model", "lm_head@192 model=:RecurrentGemmaModel", ""},
    {"RecurrentGemmaModel", "recurrent_gemma", "recurrent_gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(temporal_pre_norm(weight[hidden_size]) "
     "temporal_block(linear_y@1284 linear_x@1284 linear_out(weight[hidden_size,lru_width]?0 bias[hidden_size]?0) "
     "conv_1d(weight[lru_width,(lru_width/lru_width),conv1d_width]?0 bias[lru_width]?0) "
     "rg_lru(recurrent_param[lru_width]?0 "
     "input_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0 "
     "input_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0 "
     "recurrent_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0"
     " recurrent_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0) "
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?1) k_proj@1273 v_proj@1273 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?1 bias[hidden_size]?1)) "
     "channel_pre_norm(weight[hidden_size]) mlp_block(gate_proj@1285 up_proj@1285 "
     "down_proj(weight[hidden_size,(intermediate_size/2)] bias[hidden_size])))) final_norm(weight[hidden_size])", ""},
    {"RemBertForCausalLM RemBertForMaskedLM", "rembert", "", "rembert",
     "rembert@1293 cls(predictions(dense(weight[output_embedding_size,hidden_size] bias[output_embedding_size]) "
     "decoder(weight[vocab_size,output_embedding_size] bias[vocab_size]) LayerNorm(weight[output_embedding_size] "
     "bias[output_embedding_size])))", ""},
    {"RemBertForMultipleChoice", "rembert", "", "rembert", "classifier@60 rembert=:RemBertModel", ""},
    {"RemBertForQuestionAnswering", "rembert", "", "rembert", "rembert@1293 qa_outputs@22", ""},
    {"RemBertForSequenceClassification", "rembert", "", "rembert", "classifier@22 rembert=:RemBertModel", ""},
    {"RemBertForTokenClassification", "rembert", "", "rembert", "rembert@1293 classifier@22", ""},
    {"RemBertModel", "rembert", "rembert", "rembert", "embeddings@1290 encoder@1292 pooler@172", ""},
    {"ResNetBackbone", "resnet", "", "resnet",
     "embedder(embedder(convolution(weight[embedding_size,(num_channels/1),?,?]) "
     "normalization(weight[embedding_size] bias[embedding_size] running_mean[embedding_size] "
     "running_var[embedding_size] num_batches_tracked[]))) "
     "encoder(stages(#{}(layers(#{}(shortcut(convolution(weight[?,?,1,1]?0) normalization(weight[?]?0 bias[?]?0 "
     "running_mean[?]?0 running_var[?]?0 num_batches_tracked[]?0)) layer(0@1295 1(convolution(weight[?,?,?,?]) "
     "normalization@1294) 2@1295))))))", ""},
    {"RoCBertForCausalLM RoCBertForMaskedLM", "roc_bert", "", "roc_bert", "roc_bert@1300 cls@168", ""},
    {"RoCBertForMultipleChoice", "roc_bert", "", "roc_bert", "classifier@60 roc_bert=:RoCBertModel", ""},
    {"RoCBertForPreTraining", "roc_bert", "", "roc_bert", "cls@168 roc_bert=:RoCBertModel", ""},
    {"RoCBertForQuestionAnswering", "roc_bert", "", "roc_bert", "roc_bert@1300 qa_outputs@22", ""},
    {"RoCBertForSequenceClassification", "roc_bert", "", "roc_bert", "classifier@22 roc_bert=:RoCBertModel", ""},
    {"RoCBertForTokenClassification", "roc_bert", "", "roc_bert", "roc_bert@1300 classifier@22", ""},
    {"RoCBertModel", "roc_bert", "roc_bert", "roc_bert", "embeddings@1299 encoder@164 pooler@172", ""},
    {"RoFormerForCausalLM RoFormerForMaskedLM", "roformer", "", "roformer",
     "cls(predictions(bias[vocab_size] transform(dense@57 LayerNorm@42) decoder@58)) roformer=:RoFormerModel", ""},
    {"RoFormerForMultipleChoice", "roformer", "", "roformer", "classifier@60 roformer=:RoFormerModel", ""},
    {"RoFormerForQuestionAnswering", "roformer", "", "roformer", "qa_outputs@22 roformer=:RoFormerModel", ""},
    {"RoFormerForSequenceClassification", "roformer", "", "roformer", "classifier@185 roformer=:RoFormerModel", ""},
    {"RoFormerForTokenClassification", "roformer", "", "roformer", "classifier@22 roformer=:RoFormerModel", ""},
    {"RoFormerModel", "roformer", "roformer", "roformer",
     "embeddings(word_embeddings@39 token_type_embeddings@41 LayerNorm@42) "
     "encoder(embed_positions(weight[max_position_embeddings,(hidden_size/num_attention_heads)]) layer@268) "
     "embeddings_project@321", ""},
    {"RobertaForCausalLM RobertaForMaskedLM", "roberta", "", "roberta", "roberta@281 lm_head@279", ""},
    {"RobertaForQuestionAnswering", "roberta", "", "roberta", "roberta@281 qa_outputs@22", ""},
    {"RobertaForSequenceClassification", "roberta", "", "roberta", "roberta@281 classifier@185", ""},
    {"RobertaForTokenClassification", "roberta", "", "roberta", "roberta@281 classifier@22", ""},
    {"RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "",
     "roberta_prelayernorm", "roberta_prelayernorm@1307 lm_head@279", ""},
    {"RobertaPreLayerNormForMultipleChoice", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "classifier@60 roberta_prelayernorm=:RobertaPreLayerNormModel", ""},
    {"RobertaPreLayerNormForQuestionAnswering", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1307 qa_outputs@22", ""},
    {"RobertaPreLayerNormForSequenceClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1307 classifier@185", ""},
    {"RobertaPreLayerNormForTokenClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1307 classifier@22", ""},
    {"RobertaPreLayerNormModel", "roberta-prelayernorm", "roberta-prelayernorm", "roberta_prelayernorm",
     "embeddings@280 encoder@1306 LayerNorm@45 pooler@172", ""},
    {"RwkvForCausalLM", "rwkv", "", "rwkv", "head@0 rwkv=:RwkvModel", ""},
    {"RwkvModel", "rwkv", "rwkv", "rwkv",
     "embeddings@0 blocks(#{num_hidden_layers}(pre_ln@159 ln1@45 ln2@45 attention(time_decay[?] time_first[?] "
     "time_mix_key[1,1,hidden_size] time_mix_value[1,1,hidden_size] time_mix_receptance[1,1,hidden_size] "
     "key(weight[?,hidden_size]) value(weight[?,hidden_size]) receptance(weight[?,hidden_size]) "
     "output(weight[hidden_size,?])) feed_forward(time_mix_key[1,1,hidden_size] "
     "time_mix_receptance[1,1,hidden_size] key(weight[?,hidden_size]) receptance@88 "
     "value(weight[hidden_size,?])))) ln_out@45", ""},
    {"SamVisionModel", "sam_vision_model", "sam_vision_model", "sam",
     "vision_encoder(pos_embed[1,(image_size/patch_size),(image_size/patch_size),hidden_size]? patch_embed@1308 "
     "layers(#{}(layer_norm1@45 attn(rel_pos_h[?,(hidden_size/num_attention_heads)]?0 "
     "rel_pos_w[?,(hidden_size/num_attention_heads)]?0 qkv@558 proj@47) layer_norm2@45 "
     "mlp(lin1(weight[mlp_dim,hidden_size] bias[mlp_dim]) lin2(weight[hidden_size,mlp_dim] bias[hidden_size])))) "
     "neck(conv1(weight[output_channels,(hidden_size/1),1,1]) layer_norm1@1309 "
     "conv2(weight[output_channels,(output_channels/1),?,?]) layer_norm2@1309))", ""},
    {"SeamlessM4TForSpeechToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 speech_encoder(feature_projection@1312 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1315 self_attn_layer_norm@45 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] linear_q@47 "
     "linear_k@47 linear_v@47 linear_out@47 linear_pos@88) conv_module(layer_norm@45 pointwise_conv1@1316 "
     "depthwise_conv@1317 batch_norm@1138 pointwise_conv2@1318) ffn2_layer_norm@45 ffn2@1315 final_layer_norm@45))"
     " layer_norm@45) intermediate_ffn@1315 adapter@1326 inner_layer_norm@45) text_decoder@1330 lm_head@192", ""},
    {"SeamlessM4TForTextToSpeech", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1339 text_decoder@1345 lm_head@192 t2u_model@1361 vocoder@1377", ""},
    {"SeamlessM4TForTextToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1381 text_decoder@1330 lm_head@192", ""},
    {"SeamlessM4TModel", "seamless_m4t", "seamless_m4t", "seamless_m4t",
     "shared@0 text_encoder@1339 speech_encoder(feature_projection@1384 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@1333 ffn1@1387 self_attn_layer_norm@1333 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? linear_q@1331 "
     "linear_k@1331 linear_v@1331 linear_out@1331 linear_pos(weight[hidden_size,hidden_size]?)) "
     "conv_module(layer_norm@1333 pointwise_conv1@1388 depthwise_conv@1389 batch_norm(weight[hidden_size]? "
     "bias[hidden_size]? running_mean[hidden_size]? running_var[hidden_size]? num_batches_tracked[]?) "
     "pointwise_conv2@1390) ffn2_layer_norm@1333 ffn2@1387 final_layer_norm@1333)) layer_norm@1333) "
     "intermediate_ffn@1387 adapter@1395 inner_layer_norm@1333) text_decoder@1345 lm_head@192 t2u_model@1361 "
     "vocoder@1377", ""},
    {"SeamlessM4Tv2ForSpeechToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 speech_encoder(feature_projection@1312 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1315 self_attn_layer_norm@45 self_attn(linear_q@47 linear_k@47 linear_v@47 linear_out@47 distance_embed"
     "ding(weight[((left_max_position_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_att"
     "ention_heads)])) conv_module(layer_norm@45 pointwise_conv1@1316 depthwise_conv@1317 depthwise_layer_norm@45 "
     "pointwise_conv2@1318) ffn2_layer_norm@45 ffn2@1315 final_layer_norm@45)) layer_norm@45) "
     "intermediate_ffn@1315 adapter@1326 inner_layer_norm@45) text_decoder@1330 lm_head@192", ""},
    {"SeamlessM4Tv2ForTextToSpeech", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1339 text_decoder@1345 lm_head@192 t2u_model@1406 vocoder@1377", ""},
    {"SeamlessM4Tv2ForTextToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1381 text_decoder@1330 lm_head@192", ""},
    {"SeamlessM4Tv2Model", "seamless_m4t_v2", "seamless_m4t_v2", "seamless_m4t_v2",
     "shared@0 text_encoder@1339 speech_encoder(feature_projection@1384 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@1333 ffn1@1387 self_attn_layer_norm@1333 "
     "self_attn(linear_q@1331 linear_k@1331 linear_v@1331 linear_out@1331 distance_embedding(weight[((left_max_pos"
     "ition_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_attention_heads)]?)) "
     "conv_module(layer_norm@1333 pointwise_conv1@1388 depthwise_conv@1389 depthwise_layer_norm@1333 "
     "pointwise_conv2@1390) ffn2_layer_norm@1333 ffn2@1387 final_layer_norm@1333)) layer_norm@1333) "
     "intermediate_ffn@1387 adapter@1395 inner_layer_norm@1333) text_decoder@1345 lm_head@192 t2u_model@1406 "
     "vocoder@1377", ""},
    {"SeedOssForCausalLM", "seed_oss", "", "model", "lm_head@0 model=:SeedOssModel", ""},
    {"SeedOssForQuestionAnswering", "seed_oss", "", "transformer", "qa_outputs@67 transformer=:SeedOssModel", ""},
    {"SeedOssForSequenceClassification", "seed_oss", "", "model", "score@21 model=:SeedOssModel", ""},
    {"SeedOssForTokenClassification", "seed_oss", "", "model", "score@22 model=:SeedOssModel", ""},
    {"SeedOssModel", "seed_oss", "seed_oss", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 k_proj@69 v_proj@69 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?!)) mlp@117 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Siglip2ForImageClassification", "siglip2", "", "siglip2",
     "classifier(weight[num_labels,vision_config.hidden_size] bias[num_labels]) "
     "vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2Model", "siglip2", "siglip2", "siglip2",
     "logit_scale[1] logit_bias[1] text_model@1414 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2VisionModel", "siglip2_vision_model", "siglip2_vision_model", "vision_model",
     "embeddings(patch_embedding(weight[hidden_size,((num_channels*patch_size)*patch_size)] bias[hidden_size]) "
     "position_embedding(weight[num_patches,hidden_size])) encoder@939 post_layernorm@45 head@1419", ""},
    {"SiglipModel", "siglip", "siglip", "siglip",
     "logit_scale[1] logit_bias[1] text_model@1414 vision_model=vision_config:SiglipVisionModel", ""},
    {"SiglipVisionModel", "siglip_vision_model", "siglip_vision_model", "vision_model",
     "embeddings@698 encoder@939 post_layernorm@45 head@1419", ""},
    {"SmolLM3ForCausalLM", "smollm3", "", "model", "lm_head@192 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForQuestionAnswering", "smollm3", "", "transformer", "qa_outputs@67 transformer=:GraniteDoclingTextModel",
     ""},
    {"SmolLM3ForSequenceClassification", "smollm3", "", "model", "score@21 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForTokenClassification", "smollm3", "", "model", "score@22 model=:GraniteDoclingTextModel", ""},
    {"SolarOpenForCausalLM", "solar_open", "", "model", "lm_head@0 model=:SolarOpenModel", ""},
    {"SolarOpenModel", "solar_open", "solar_open", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@541 "
     "mlp(experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a #{n_routed_experts}@11 "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b) gate(weight[n_routed_experts,hidden_size] "
     "e_score_correction_bias[n_routed_experts]) shared_experts(gate_proj@1420 up_proj@1420 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Speech2TextForConditionalGeneration", "speech_to_text", "", "model", "lm_head@138 model=:Speech2TextModel", ""},
    {"Speech2TextModel", "speech_to_text", "speech_to_text", "model",
     "encoder(conv(conv_layers(#{}@1421)) layers@144 layer_norm@131) decoder(embed_tokens@127 layers@135 "
     "layer_norm@131)", ""},
    {"SpeechT5ForSpeechToText", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(masked_spec_embed[?] feature_encoder(conv_layers(0(conv(weight[?,1,?] bias[?]?0) "
     "layer_norm(weight[?] bias[?])) 1@1423 2@1423 3@1423 4@1423 5@1423 6@1423)) "
     "feature_projection(layer_norm(weight[?] bias[?]) projection@503) pos_conv_embed(conv(bias[hidden_size] "
     "parametrizations(weight(original0[?,?,?] "
     "original1[hidden_size,(hidden_size/num_conv_pos_embedding_groups),num_conv_pos_embeddings]))))) "
     "wrapped_encoder@1429) decoder(prenet(embed_tokens@0) wrapped_decoder@1433)) " "text_decoder_postnet(lm_head@192)",
     ""},
    {"SpeechT5ForTextToSpeech", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(embed_tokens@0 encode_positions(alpha[])) wrapped_encoder@1429) "
     "decoder(prenet(layers(#{speech_decoder_prenet_layers}(weight[speech_decoder_prenet_units,?] "
     "bias[speech_decoder_prenet_units])) final_layer(weight[hidden_size,speech_decoder_prenet_units] "
     "bias[hidden_size]) encode_positions(alpha[]) "
     "speaker_embeds_layer(weight[hidden_size,(speaker_embedding_dim+hidden_size)] bias[hidden_size])) "
     "wrapped_decoder@1433)) speech_decoder_postnet(feat_out(weight[(num_mel_bins*reduction_factor),hidden_size] "
     "bias[(num_mel_bins*reduction_factor)]) prob_out(weight[reduction_factor,hidden_size] bias[reduction_factor])"
     " layers(#{speech_decoder_postnet_layers}(conv(weight[?,?,speech_decoder_postnet_kernel]) batch_norm@1294)))", ""},
    {"SplinterForPreTraining SplinterForQuestionAnswering", "splinter", "", "splinter",
     "splinter_qass(query_start_transform@152 query_end_transform@152 start_transform@152 end_transform@152 "
     "start_classifier@88 end_classifier@88) splinter=:SplinterModel", ""},
    {"SplinterModel", "splinter", "splinter", "splinter", "embeddings@150 encoder@792", ""},
    {"SqueezeBertForMaskedLM", "squeezebert", "", "transformer",
     "cls(predictions(bias[vocab_size] transform@152 decoder@58)) transformer=:SqueezeBertModel", ""},
    {"SqueezeBertForMultipleChoice", "squeezebert", "", "transformer", "classifier@60 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForQuestionAnswering", "squeezebert", "", "transformer", "qa_outputs@22 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForSequenceClassification SqueezeBertForTokenClassification", "squeezebert", "", "transformer",
     "classifier@22 transformer=:SqueezeBertModel", ""},
    {"SqueezeBertModel", "squeezebert", "squeezebert", "transformer",
     "embeddings(word_embeddings@39 position_embeddings@40 token_type_embeddings@41 LayerNorm@45) "
     "encoder(layers(#{num_hidden_layers}(attention(query(weight[hidden_size,(hidden_size/q_groups),1] "
     "bias[hidden_size]) key(weight[hidden_size,(hidden_size/k_groups),1] bias[hidden_size]) "
     "value(weight[hidden_size,(hidden_size/v_groups),1] bias[hidden_size])) "
     "post_attention(conv1d(weight[hidden_size,(hidden_size/post_attention_groups),1] bias[hidden_size]) "
     "layernorm@45) intermediate(conv1d(weight[intermediate_size,(hidden_size/intermediate_groups),1] "
     "bias[intermediate_size])) output(conv1d(weight[hidden_size,(intermediate_size/output_groups),1] "
     "bias[hidden_size]) layernorm@45)))) pooler@172", ""},
    {"StableLmForCausalLM", "stablelm", "", "model", "lm_head@0 model=:StableLmModel", ""},
    {"StableLmForSequenceClassification", "stablelm", "", "model", "score@21 model=:StableLmModel", ""},
    {"StableLmForTokenClassification", "stablelm", "", "model", "score@22 model=:StableLmModel", ""},
    {"StableLmModel", "stablelm", "stablelm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@311 k_proj@312 v_proj@312 o_proj@88 "
     "q_layernorm(norms(#{num_attention_heads}@1434)) k_layernorm(norms(#{num_key_value_heads}@1434))) mlp@295 "
     "input_layernorm@45 post_attention_layernorm@159)) norm@45", ""},
    {"Starcoder2ForCausalLM", "starcoder2", "", "model", "lm_head@192 model=:Starcoder2Model", ""},
    {"Starcoder2ForSequenceClassification", "starcoder2", "", "model", "score@21 model=:Starcoder2Model", ""},
    {"Starcoder2ForTokenClassification", "starcoder2", "", "model", "score@22 model=:Starcoder2Model", ""},
    {"Starcoder2Model", "starcoder2", "starcoder2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@599 mlp(c_fc@72 c_proj@73) input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"SwitchTransformersForConditionalGeneration", "switch_transformers", "", "switch_transformers",
     "shared@127 encoder@1445 decoder@1463 lm_head@138", ""},
    {"SwitchTransformersModel", "switch_transformers", "switch_transformers", "switch_transformers",
     "shared@127 encoder@1445 decoder@1463", ""},
    {"T5EncoderModel", "t5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention@897 "
     "layer_norm(weight[d_model]) DenseReluDense(wi@844 wo@898 wi_0@845 wi_1@845) EncDecAttention@902)))) "
     "final_layer_norm(weight[d_model]))", "decoder"},
    {"T5ForConditionalGeneration", "t5", "", "transformer", "shared@127 encoder@1467 decoder@858 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForQuestionAnswering", "t5", "", "transformer", "shared@127 encoder@1467 decoder@858 qa_outputs@139",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForSequenceClassification", "t5", "", "transformer", "classification_head@140 transformer=:T5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForTokenClassification", "t5", "", "transformer", "classifier@139 transformer=:T5EncoderModel", "decoder"},
    {"T5Gemma2ForConditionalGeneration", "t5gemma2", "", "model",
     "lm_head(out_proj(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]?)) "
     "model=:T5Gemma2Model", ""},
    {"T5Gemma2ForSequenceClassification T5Gemma2ForTokenClassification", "t5gemma2", "", "model",
     "score(out_proj(weight[num_labels,decoder.hidden_size] bias[num_labels])) model=:T5Gemma2Model", ""},
    {"T5Gemma2Model", "t5gemma2", "t5gemma2", "model",
     "encoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size] "
     "eoi_embedding[encoder.text_config.hidden_size]) norm@1468 layers(#{encoder.text_config.num_hidden_layers}(se"
     "lf_attn(q_proj(weight[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim),encoder.text_co"
     "nfig.hidden_size] bias[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim)]?0) "
     "k_proj@1469 v_proj@1469 o_proj(weight[encoder.text_config.hidden_size,(encoder.text_config.num_attention_hea"
     "ds*encoder.text_config.head_dim)] bias[encoder.text_config.hidden_size]?0) q_norm@1470 k_norm@1470) "
     "pre_self_attn_layernorm@1468 post_self_attn_layernorm@1468 mlp(gate_proj@1471 up_proj@1471 "
     "down_proj(weight[encoder.text_config.hidden_size,encoder.text_config.intermediate_size])) "
     "pre_feedforward_layernorm@1468 post_feedforward_layernorm@1468)) multi_modal_projector(mm_input_projection_w"
     "eight[encoder.vision_config.hidden_size,encoder.text_config.hidden_size] "
     "mm_soft_emb_norm(weight[encoder.vision_config.hidden_size])) "
     "vision_tower=encoder.vision_config:SiglipVisionModel) "
     "decoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]? "
     "eoi_embedding[encoder.text_config.hidden_size]?) norm@1472 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1473 k_proj@1474 v_proj@1474 o_proj@1475 q_norm@1476 "
     "k_norm@1476) pre_self_attn_layernorm@1472 post_self_attn_layernorm@1472 mlp@1479 "
     "pre_feedforward_layernorm@1472 post_feedforward_layernorm@1472)))", ""},
    {"T5GemmaForConditionalGeneration", "t5gemma", "", "model",
     "lm_head(out_proj(weight[decoder.vocab_size,decoder.hidden_size]?)) model=:T5GemmaModel", ""},
    {"T5GemmaForSequenceClassification T5GemmaForTokenClassification", "t5gemma", "", "model",
     "model(encoder@1491 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]?0) "
     "norm(weight[decoder.hidden_size]?0) layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1492 k_proj@1493 "
     "v_proj@1493 o_proj@1494) pre_self_attn_layernorm@1495 post_self_attn_layernorm@1495 mlp(gate_proj@1496 "
     "up_proj@1496 down_proj(weight[decoder.hidden_size,decoder.intermediate_size]?1)) "
     "pre_feedforward_layernorm@1495 post_feedforward_layernorm@1495 cross_attn(q_proj@1492 k_proj@1497 "
     "v_proj@1497 o_proj@1494) pre_cross_attn_layernorm@1495 post_cross_attn_layernorm@1495)))) "
     "score(out_proj(weight[num_labels,?] bias[num_labels]))", ""},
    {"T5GemmaModel", "t5gemma", "t5gemma", "model",
     "encoder@1491 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]) norm@1472 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1473 k_proj@1474 v_proj@1474 o_proj@1475) "
     "pre_self_attn_layernorm@1472 post_self_attn_layernorm@1472 mlp@1479 pre_feedforward_layernorm@1472 "
     "post_feedforward_layernorm@1472 cross_attn(q_proj@1473 k_proj@1498 v_proj@1498 o_proj@1475) "
     "pre_cross_attn_layernorm@1472 post_cross_attn_layernorm@1472)))", ""},
    {"T5Model", "t5", "t5", "transformer", "shared@127 encoder@1467 decoder@858",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"TapasForMaskedLM", "tapas", "", "tapas", "tapas(embeddings@1499 encoder@269) cls@168", ""},
    {"TapasForQuestionAnswering", "tapas", "", "tapas",
     "output_weights[hidden_size] column_output_weights[hidden_size] output_bias[] column_output_bias[] "
     "tapas=:TapasModel", ""},
    {"TapasForSequenceClassification", "tapas", "", "tapas", "classifier@22 tapas=:TapasModel", ""},
    {"TapasModel", "tapas", "tapas", "tapas", "embeddings@1499 encoder@269 pooler@172", ""},
    {"Tipsv2Model", "tipsv2", "tipsv2", "model",
     "temperature[]? text_encoder=text_config:Tipsv2TextModel vision_encoder=vision_config:Tipsv2VisionModel",
     "text_encoder vision_encoder"},
    {"Tipsv2TextModel", "tipsv2_text_model", "tipsv2_text_model", "text_model",
     "token_embedding@0 transformer(resblocks(#{num_hidden_layers}(self_attn(k_proj@1500 v_proj@1500 q_proj@1500) "
     "attn(in_proj_weight[*]~a in_proj_bias[*]~b out_proj@47) ln_1@45 mlp(c_fc@49 c_proj@50) ln_2@45))) " "ln_final@45",
     "vision_encoder"},
    {"Tipsv2VisionModel", "tipsv2_vision_model", "tipsv2_vision_model", "vision_model",
     "cls_token[1,1,hidden_size] mask_token[1,hidden_size] "
     "pos_embed[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "register_tokens[1,num_register_tokens,hidden_size] patch_embed(proj@697) "
     "blocks(#{num_hidden_layers}(norm1@45 attention(q_proj@1501 k_proj@1501 v_proj@1501) attn(qkv(weight[*]~a "
     "bias[*]~b) proj@573) ls1(gamma[hidden_size]) norm2@45 mlp(c_fc(weight[(hidden_size*mlp_ratio),hidden_size]?2"
     " bias[(hidden_size*mlp_ratio)]?2) c_proj(weight[hidden_size,(hidden_size*mlp_ratio)]?2 bias[hidden_size]?2) "
     "gate_proj@1502 w12(weight[*]~c bias[*]~d) up_proj@1502 w3(weight[hidden_size,?]?1 bias[hidden_size]?1)) "
     "ls2(gamma[hidden_size]))) norm@45", "text_encoder"},
    {"TrOCRForCausalLM", "trocr", "", "model",
     "model(decoder(embed_tokens@127 embed_positions(weight[(max_position_embeddings+2),d_model]?) "
     "layernorm_embedding@477 layers@135)) output_projection@138", ""},
    {"TvpModel", "tvp", "tvp", "model",
     "text_prompt[1,?,hidden_size] vision_model(grid_encoder_conv(weight[hidden_size,?,?,?]) "
     "backbone=backbone_config:ResNetBackbone) embeddings(word_embeddings@0 position_embeddings@148 "
     "token_type_embeddings@149 layer_norm@45) visual_embeddings(position_embeddings@148 "
     "row_position_embeddings(weight[max_grid_row_position_embeddings,hidden_size]) "
     "col_position_embeddings(weight[max_grid_col_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[1,hidden_size]) layer_norm@45) "
     "encoder(layer(#{num_hidden_layers}(attention(query@264 key@264 value@264 dense@47 layer_norm@45) "
     "intermediate@154 output(dense@50 layer_norm@45)))) pooler@172 "
     "visual_prompter(pad_up[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_down[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_left[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size] "
     "pad_right[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size])", ""},
    {"UMT5EncoderModel", "umt5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention(q@894 k@894 v@894 o@895 "
     "relative_attention_bias(weight[relative_attention_num_buckets,num_heads]?2)) layer_norm(weight[d_model]) "
     "DenseReluDense@899 EncDecAttention@902)))) final_layer_norm(weight[d_model]))", ""},
    {"UMT5ForConditionalGeneration", "umt5", "", "transformer", "shared@127 encoder@1509 decoder@1513 lm_head@138", ""},
    {"UMT5ForQuestionAnswering", "umt5", "", "transformer", "shared@127 encoder@1509 decoder@1513 qa_outputs@139", ""},
    {"UMT5ForSequenceClassification", "umt5", "", "transformer", "classification_head@140 transformer=:UMT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5ForTokenClassification", "umt5", "", "transformer", "classifier@139 transformer=:UMT5EncoderModel",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5Model", "umt5", "umt5", "transformer", "shared@127 encoder@1509 decoder@1513", ""},
    {"UdopForConditionalGeneration", "udop", "", "transformer",
     "shared@127 patch_embed@1515 encoder(embed_tokens@138 embed_patches@1517 block@1466 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1519 relative_bias@1522) decoder(embed_tokens@138 "
     "embed_patches@1515 block@857 final_layer_norm(weight[d_model]) relative_bias@1522) lm_head@138", ""},
    {"UdopModel", "udop", "udop", "transformer",
     "shared@127 patch_embed@1515 encoder(embed_tokens@138 embed_patches@1517 block@1466 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1519 relative_bias@1525) decoder(embed_tokens@138 "
     "embed_patches@1515 block@857 final_layer_norm(weight[d_model]) relative_bias@1525)", ""},
    {"UltraVBertForMaskedLM", "ultravbert", "", "model",
     "head(linear1(weight[text_config.prediction_head_size,text_config.hidden_size]) "
     "linear2(weight[text_config.hidden_size,text_config.prediction_head_size]) decoder@84) model=:UltraVBertModel",
     "vision_model\\.head\\."},
    {"UltraVBertForSequenceClassification UltraVBertForTokenClassification", "ultravbert", "", "model",
     "classifier@1068 model=:UltraVBertModel", "vision_model\\.head\\."},
    {"UltraVBertModel", "ultravbert", "ultravbert", "model",
     "connector(modality_projection@1069 norm@340) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:EuroBertModel", "vision_model\\.head\\."},
    {"UltrabertForMaskedLM", "ultrabert", "", "model",
     "head(linear1(weight[prediction_head_size,hidden_size]) linear2(weight[hidden_size,prediction_head_size])) "
     "cls@0 ultrabert=:EuroBertModel", ""},
    {"UltrabertForQuestionAnswering", "ultrabert", "", "model", "qa_outputs@67 ultrabert=:EuroBertModel", ""},
    {"UltrabertForSequenceClassification UltrabertForTokenClassification", "ultrabert", "", "model",
     "classifier@22 ultrabert=:EuroBertModel", ""},
    {"UnlimitedOcrForConditionalGeneration", "unlimited_ocr", "", "model", "lm_head@84 model=:UnlimitedOcrModel",
     "lm_head patch_embedding"},
    {"UnlimitedOcrModel", "unlimited_ocr", "unlimited_ocr", "model",
     "view_seperator[text_config.hidden_size] image_newline[text_config.hidden_size] sam_model(pos_embed[1,(vision"
     "_config.sam_config.image_size/vision_config.sam_config.patch_size),(vision_config.sam_config.image_size/visi"
     "on_config.sam_config.patch_size),vision_config.sam_config.hidden_size]? patch_embed(proj(weight[vision_confi"
     "g.sam_config.hidden_size,(vision_config.sam_config.num_channels/1),vision_config.sam_config.patch_size,visio"
     "n_config.sam_config.patch_size] bias[vision_config.sam_config.hidden_size])) blocks(#{}(norm1@1526 "
     "attn(rel_pos_h[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "rel_pos_w[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "qkv(weight[(vision_config.sam_config.hidden_size*3),vision_config.sam_config.hidden_size] "
     "bias[(vision_config.sam_config.hidden_size*3)]?!) "
     "proj(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.hidden_size])) norm2@1526 "
     "mlp(lin1(weight[vision_config.sam_config.mlp_dim,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.mlp_dim]) "
     "lin2(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.mlp_dim] "
     "bias[vision_config.sam_config.hidden_size])))) "
     "neck(0(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.hidden_size/1),1,1]) 1@1527"
     " 2(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.output_channels/1),?,?]) "
     "3@1527) net_2(weight[?,(vision_config.sam_config.output_channels/1),?,?]) net_3(weight[?,?,?,?])) "
     "vision_model(embeddings(class_embedding[vision_config.encoder_config.hidden_size] position_embedding(weight["
     "(((vision_config.encoder_config.image_size/vision_config.encoder_config.patch_size)*(vision_config.encoder_c"
     "onfig.image_size/vision_config.encoder_config.patch_size))+1),vision_config.encoder_config.hidden_size])) "
     "pre_layrnorm@1528 transformer(layers(#{vision_config.encoder_config.num_hidden_layers}(self_attn(k_proj@1529"
     " qkv_proj(weight[*]~a bias[*]~b) v_proj@1529 q_proj@1529 "
     "out_proj(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm1@1528 "
     "mlp(fc1(weight[vision_config.encoder_config.intermediate_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.intermediate_size]) "
     "fc2(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.intermediate_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm2@1528)))) projector(layers@1530) embed_tokens@84"
     " layers(#{text_config.num_hidden_layers}(self_attn(q_proj(weight[(text_config.num_attention_heads*text_confi"
     "g.head_dim),text_config.hidden_size] bias[(text_config.num_attention_heads*text_config.head_dim)]?4) "
     "k_proj@1531 v_proj@1531 "
     "o_proj(weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
     "bias[text_config.hidden_size]?4)) mlp(gate_proj@1532 up_proj@1532 "
     "down_proj(weight[text_config.hidden_size,text_config.intermediate_size]?1 bias[text_config.hidden_size]?0) e"
     "xperts(gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_si"
     "ze]?2=c #{text_config.n_routed_experts}(gate_proj@1533 up_proj@1533 "
     "down_proj(weight[text_config.hidden_size,text_config.moe_intermediate_size]~d)) "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?2=d) "
     "gate(weight[text_config.n_routed_experts,text_config.hidden_size]?2) shared_experts(gate_proj@1534 "
     "up_proj@1534 "
     "down_proj(weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?2"
     " bias[text_config.hidden_size]?3))) input_layernorm@340 post_attention_layernorm@340)) norm@340",
     "lm_head patch_embedding"},
    {"VaultGemmaForCausalLM", "vaultgemma", "", "model", "lm_head@192 model=:VaultGemmaModel", ""},
    {"VaultGemmaModel", "vaultgemma", "vaultgemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@294 mlp@295 input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"VibeVoiceAcousticTokenizerEncoderModel", "vibevoice_acoustic_tokenizer_encoder",
     "vibevoice_acoustic_tokenizer_encoder", "vibevoice_acoustic_tokenizer", "stem@1544 conv_layers@1553 head@1555", ""},
    {"VibeVoiceAcousticTokenizerModel", "vibevoice_acoustic_tokenizer", "vibevoice_acoustic_tokenizer",
     "vibevoice_acoustic_tokenizer",
     "encoder@1556 decoder(stem(conv(conv(weight[(num_filters*64),(hidden_size/1),kernel_size] "
     "bias[(num_filters*64)])) stage(0@1563 1@1563 2@1563 3@1563 4@1563 5@1563 6@1563 7@1563)) "
     "conv_layers(#{}(convtr(convtr@1421) stage(0@1550 1@1550 2@1550))) "
     "head(conv(weight[channels,(num_filters/1),kernel_size] bias[channels])))", ""},
    {"VibeVoiceAsrForConditionalGeneration", "vibevoice_asr", "", "model",
     "multi_modal_projector@1566 language_model@92 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel", ""},
    {"VibeVoiceAsrModel", "vibevoice_asr", "vibevoice_asr", "model", "multi_modal_projector@1566 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "language_model@93", ""},
    {"VibeVoiceForConditionalGeneration", "vibevoice", "vibevoice", "model",
     "model(latent_scaling_factor[] latent_bias_factor[] "
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,audio_config.hidden_size] "
     "bias[text_config.hidden_size]) act@340 linear_2@221) "
     "semantic_connector(linear_1(weight[text_config.hidden_size,semantic_model_config.hidden_size] "
     "bias[text_config.hidden_size]) act@340 linear_2@221) diffusion_head(noisy_images_proj(weight[diffusion_head_"
     "config.hidden_size,diffusion_head_config.latent_size]) cond_proj@1567 "
     "timestep_proj(fc1(weight[diffusion_head_config.hidden_size,diffusion_head_config.frequency_embedding_size]) "
     "fc2@1567) layers(#{diffusion_head_config.num_hidden_layers}(ffn(gate_proj@1568 up_proj@1568 "
     "down_proj(weight[diffusion_head_config.hidden_size,diffusion_head_config.intermediate_size] "
     "bias[diffusion_head_config.hidden_size]?0)) norm(weight[diffusion_head_config.hidden_size]) "
     "linear(weight[(diffusion_head_config.hidden_size*3),diffusion_head_config.hidden_size]))) "
     "final_layer(linear_1(weight[(2*diffusion_head_config.hidden_size),diffusion_head_config.hidden_size]) "
     "linear_2(weight[diffusion_head_config.latent_size,diffusion_head_config.hidden_size]))) "
     "audio_tower=audio_config:VibeVoiceAcousticTokenizerModel language_model=text_config:Qwen2Model "
     "semantic_tokenizer_encoder=semantic_model_config:VibeVoiceAcousticTokenizerEncoderModel) lm_head@84", ""},
    {"VideoLlama3ForConditionalGeneration", "video_llama_3", "", "model", "lm_head@84 model=:VideoLlama3Model", ""},
    {"VideoLlama3Model", "video_llama_3", "video_llama_3", "model",
     "projector(readout(0@396 2@221)) vision_model=vision_config:VideoLlama3VisionModel "
     "language_model=text_config:Qwen2Model", ""},
    {"VideoLlama3VisionModel", "video_llama_3_vision", "video_llama_3_vision", "model",
     "embeddings(patch_embedding@319) encoder@939 post_layernorm@45", ""},
    {"VideoLlavaForConditionalGeneration", "video_llava", "", "model",
     "multi_modal_projector@837 language_model@838 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel", ""},
    {"VideoLlavaModel", "video_llava", "video_llava", "model",
     "multi_modal_projector@837 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel language_model@577", ""},
    {"VideoPrismClipModel", "videoprism", "videoprism", "model",
     "video_model(auxiliary_layers(#{vision_config.num_auxiliary_layers}(attention(q_proj@1569 k_proj@1569 "
     "v_proj@1569 o_proj(weight[vision_config.hidden_size,(vision_config.num_attention_heads*(vision_config.hidden"
     "_size/vision_config.num_attention_heads))] bias[vision_config.hidden_size])) layernorm_before@78 "
     "layernorm_after@78 mlp@201)) "
     "head(per_dim_scale[(vision_config.intermediate_size/vision_config.num_attention_heads)] "
     "pooling_attention_query[1,1,vision_config.hidden_size] q_proj@1570 k_proj@1570 v_proj@1570 o_proj(weight[vis"
     "ion_config.hidden_size,(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num"
     "_attention_heads))] bias[vision_config.hidden_size])) head_layernorm@78 "
     "vision_model=vision_config:VideoPrismVisionModel) text_model(embeddings(cls_emb[1,1,text_config.hidden_size]"
     " token_embedding@84 position_embedding[?,?] position_ids[?,?]) "
     "layers(#{text_config.num_hidden_layers}(attention(q_proj@1571 k_proj@1571 v_proj@1571 o_proj(weight[text_con"
     "fig.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]"
     " bias[text_config.hidden_size])) layernorm_before@217 layernorm_after@217 mlp@1409)) layernorm@217)", ""},
    {"VideoPrismVisionModel", "videoprism_vision_model", "videoprism_vision_model", "vision_model",
     "layernorm1@45 layernorm2@45 spatial_embeddings(position_embeddings[1,?,hidden_size] "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?,?] bias[hidden_size]))) "
     "temporal_embeddings(position_embeddings[1,num_frames,hidden_size]) "
     "spatial_layers(#{num_spatial_layers}@1573) temporal_layers(#{num_temporal_layers}@1573)", ""},
    {"ViltForQuestionAnswering", "vilt", "", "vilt",
     "classifier(0@885 1@886 3(weight[num_labels,(hidden_size*2)] bias[num_labels])) vilt=:ViltModel", ""},
    {"ViltModel", "vilt", "vilt", "vilt", "embeddings(cls_token[1,1,hidden_size] "
     "position_embeddings[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] text_embeddings@150"
     " patch_embeddings@1308 token_type_embeddings(weight[modality_type_vocab_size,hidden_size])) "
     "encoder(layer(#{num_hidden_layers}(attention(attention@174 output@172) intermediate@154 output@423 "
     "layernorm_before@45 layernorm_after@45))) layernorm@45 pooler@172", ""},
    {"VipLlavaForConditionalGeneration", "vipllava", "", "model",
     "multi_modal_projector@1574 language_model@838 vision_tower=vision_config:CLIPVisionModel", ""},
    {"VipLlavaModel", "vipllava", "vipllava", "model",
     "multi_modal_projector@1574 vision_tower=vision_config:CLIPVisionModel language_model@577", ""},
    {"VisualBertForPreTraining", "visual_bert", "", "visual_bert", "cls@170 visual_bert=:VisualBertModel", ""},
    {"VisualBertModel", "visual_bert", "visual_bert", "visual_bert",
     "embeddings(word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 "
     "visual_token_type_embeddings@149 visual_position_embeddings@148 "
     "visual_projection(weight[hidden_size,visual_embedding_dim] bias[hidden_size])) encoder@539 pooler@172 "
     "additional_layer(attention@161 intermediate(dense@1416) output(dense@1417 LayerNorm@159))", ""},
    {"VoxtralForConditionalGeneration", "voxtral", "", "model",
     "multi_modal_projector@1576 language_model@838 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"VoxtralModel", "voxtral", "voxtral", "model",
     "multi_modal_projector@1576 audio_tower=audio_config:AudioFlamingo3Encoder language_model@577", ""},
    {"VoxtralRealtimeEncoder", "voxtral_realtime_encoder", "voxtral_realtime_encoder", "model",
     "embedder(conv1@86 conv2@87) layers(#{num_hidden_layers}(self_attn(q_proj@264 k_proj(weight[?,hidden_size]) "
     "v_proj@264 o_proj@503) self_attn_layer_norm(weight[hidden_size]) final_layer_norm(weight[hidden_size]) "
     "mlp(gate_proj@65 up_proj@65 down_proj@50))) norm(weight[hidden_size])", ""},
    {"VoxtralRealtimeForConditionalGeneration", "voxtral_realtime", "", "model",
     "language_model(model@1582 lm_head@98) multi_modal_projector@1584 "
     "audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"VoxtralRealtimeModel", "voxtral_realtime", "voxtral_realtime", "model",
     "language_model(model@1582) multi_modal_projector@1584 audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"WhisperForCausalLM", "whisper", "", "model", "model(decoder@1588) proj_out@138", ""},
    {"WhisperForConditionalGeneration", "whisper", "", "model", "proj_out@138 model=:WhisperModel", ""},
    {"WhisperModel", "whisper", "whisper", "model", "encoder@1589 decoder@1588", ""},
    {"XGLMForCausalLM", "xglm", "", "model", "lm_head@138 model=:XGLMModel", ""},
    {"XGLMModel", "xglm", "xglm", "model",
     "embed_tokens@127 layers(#{num_layers}(self_attn@130 self_attn_layer_norm@131 fc1(weight[ffn_dim,d_model] "
     "bias[ffn_dim]) fc2(weight[d_model,ffn_dim] bias[d_model]) final_layer_norm@131 encoder_attn(k_proj@1590 "
     "v_proj@1590 q_proj@1590 out_proj@1590) encoder_attn_layer_norm@477)) layer_norm@131", ""},
    {"XLMRobertaXLForCausalLM XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "", "roberta", "roberta@1597 lm_head@279", ""},
    {"XLMRobertaXLForMultipleChoice", "xlm-roberta-xl", "", "roberta", "classifier@60 roberta=:XLMRobertaXLModel", ""},
    {"XLMRobertaXLForQuestionAnswering", "xlm-roberta-xl", "", "roberta", "roberta@1597 qa_outputs@22", ""},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "", "roberta", "roberta@1597 classifier@185", ""},
    {"XLMRobertaXLForTokenClassification", "xlm-roberta-xl", "", "roberta", "roberta@1597 classifier@22", ""},
    {"XLMRobertaXLModel", "xlm-roberta-xl", "xlm-roberta-xl", "roberta", "embeddings@1591 encoder@1596 pooler@172", ""},
    {"XLNetForMultipleChoice", "xlnet", "", "transformer",
     "sequence_summary@1598 logits_proj@487 transformer=:XLNetModel", ""},
    {"XLNetForQuestionAnsweringSimple", "xlnet", "", "transformer", "qa_outputs@139 transformer=:XLNetModel", ""},
    {"XLNetForSequenceClassification", "xlnet", "", "transformer",
     "sequence_summary@1598 logits_proj@139 transformer=:XLNetModel", ""},
    {"XLNetForTokenClassification", "xlnet", "", "transformer", "classifier@139 transformer=:XLNetModel", ""},
    {"XLNetLMHeadModel", "xlnet", "", "transformer", "lm_loss@486 transformer=:XLNetModel", ""},
    {"XLNetModel", "xlnet", "xlnet", "transformer",
     "mask_emb[?,?,?] word_embedding@127 layer(#{n_layer}(rel_attn(q[?,?,?] k[?,?,?] v[?,?,?] o[?,?,?] r[?,?,?] "
     "r_r_bias[?,?] r_s_bias[?,?] r_w_bias[?,?] seg_embed[?,?,?] layer_norm@131) ff(layer_norm@131 layer_1@489 "
     "layer_2@490)))", ""},
    {"XmodForCausalLM XmodForMaskedLM", "xmod", "", "roberta", "roberta@1607 lm_head@279", ""},
    {"XmodForMultipleChoice", "xmod", "", "roberta", "classifier@60 roberta=:XmodModel", ""},
    {"XmodForQuestionAnswering", "xmod", "", "roberta", "roberta@1607 qa_outputs@22", ""},
    {"XmodForSequenceClassification", "xmod", "", "roberta", "roberta@1607 classifier@185", ""},
    {"XmodForTokenClassification", "xmod", "", "roberta", "roberta@1607 classifier@22", ""},
    {"XmodModel", "xmod", "xmod", "roberta", "embeddings@280 encoder@1606 pooler@172", ""},
    {"YosoForMaskedLM", "yoso", "", "yoso", "cls@168 yoso=:YosoModel", ""},
    {"YosoForMultipleChoice", "yoso", "", "yoso", "pre_classifier@47 classifier@60 yoso=:YosoModel", ""},
    {"YosoForQuestionAnswering", "yoso", "", "yoso", "qa_outputs@22 yoso=:YosoModel", ""},
    {"YosoForSequenceClassification", "yoso", "", "yoso", "classifier@185 yoso=:YosoModel", ""},
    {"YosoForTokenClassification", "yoso", "", "yoso", "classifier@22 yoso=:YosoModel", ""},
    {"YosoModel", "yoso", "yoso", "yoso",
     "embeddings@1098 encoder(layer(#{num_hidden_layers}(attention(self(query@264 key@264 value@264 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_window,1]?!)) output@152) "
     "intermediate@154 output@155)))", ""},
    {"YoutuForCausalLM", "youtu", "", "model", "lm_head@192 model=:YoutuModel", ""},
    {"YoutuModel", "youtu", "youtu", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size]?1 "
     "bias[q_lora_rank]?0) q_a_layernorm(weight[q_lora_rank]?1) "
     "q_b_proj(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?1) "
     "kv_a_proj_with_mqa@862 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@863 q_proj@358) mlp@295 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint
