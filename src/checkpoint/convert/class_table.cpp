// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/convert/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 1457> kSharedModules{{
    "weight[vocab_size,hidden_size]", "weight[?,hidden_size] bias[?]",
    "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?",
    "q_a_proj@2 q_a_layernorm(weight[q_lora_rank]) q_b_proj@3 kv_a_proj_with_mqa@4 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@5 o_proj@6", "weight[intermediate_size,hidden_size]?",
    "weight[hidden_size,intermediate_size]?", "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]~",
    "weight[n_routed_experts,hidden_size]? e_score_correction_bias[n_routed_experts]?",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?",
    "weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?", "gate_proj@12 up_proj@12 down_proj@13",
    "gate_proj@8 up_proj@8 down_proj@9 experts@10 gate@11 shared_experts@14",
    "gate_proj(weight[*]~) up_proj(weight[*]~) down_proj(weight[*]~)", "#{}@16", "experts@17", "mlp@18",
    "weight[(index_n_heads*index_head_dim),q_lora_rank]", "weight[index_head_dim,hidden_size]",
    "weight[index_head_dim] bias[index_head_dim]", "weight[index_n_heads,hidden_size]",
    "wq_b@20 wk@21 k_norm@22 weights_proj@23",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?",
    "weight[(num_attention_heads*head_dim),hidden_size]", "weight[num_experts,hidden_size]?", "gate@29",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?",
    "weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?", "gate_proj@31 up_proj@31 down_proj@32",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]~", "weight[vocab_size,embedding_size]",
    "weight[max_position_embeddings,embedding_size]", "weight[type_vocab_size,embedding_size]",
    "weight[embedding_size] bias[embedding_size]",
    "word_embeddings@35 position_embeddings@36 token_type_embeddings@37 LayerNorm@38",
    "weight[hidden_size,embedding_size] bias[hidden_size]", "weight[hidden_size] bias[hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[hidden_size,hidden_size] bias[hidden_size]", "query@42 key@42 value@42 dense@43 LayerNorm@41",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]",
    "weight[hidden_size,intermediate_size] bias[hidden_size]",
    "full_layer_layer_norm@41 attention@44 ffn@45 ffn_output@46", "#{inner_group_num}@47", "albert_layers@48",
    "#{num_hidden_groups}@49", "embedding_hidden_mapping_in@40 albert_layer_groups@50", "embeddings@39 encoder@51",
    "weight[embedding_size,hidden_size] bias[embedding_size]", "weight[vocab_size,embedding_size]? bias[vocab_size]?",
    "bias[vocab_size] LayerNorm@38 dense@53 decoder@54", "weight[1,hidden_size] bias[1]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?",
    "weight[(hidden_size/num_attention_heads)]", "q_proj@57 k_proj@58 v_proj@58 o_proj@59 q_norm@60 k_norm@60",
    "weight[intermediate_size,hidden_size]", "weight[hidden_size,intermediate_size]",
    "q_proj@25 k_proj@26 v_proj@26 o_proj@27", "weight[intermediate_size,hidden_size] bias[intermediate_size]?",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?", "up_proj@65 down_proj@66",
    "weight[vision_config.hidden_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size] bias[vision_config.hidden_size]",
    "in_proj_weight[(3*vision_config.hidden_size),vision_config.hidden_size] "
    "in_proj_bias[(3*vision_config.hidden_size)] out_proj@69",
    "weight[vision_config.hidden_size] bias[vision_config.hidden_size]",
    "q_proj@68 k_proj@68 v_proj@68 multihead_attn@70 linear@69 layer_norm@71 layer_norm_kv@71",
    "weight[text_config.hidden_size,vision_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size]", "linear_in@73 linear_out@74",
    "query[max_value_projector_patch_to_query_dict,vision_config.hidden_size] cross_attn@72 layer_norm@71 "
    "feed_forward@75", "weight[text_config.vocab_size,text_config.hidden_size]",
    "weight[(intermediate_size*moe_num_shared_experts),hidden_size] "
    "bias[(intermediate_size*moe_num_shared_experts)]?", "weight[hidden_size,(num_mel_bins/1),?] bias[hidden_size]",
    "weight[hidden_size,(hidden_size/1),?] bias[hidden_size]", "weight[hidden_size,hidden_size]",
    "weight[text_config.hidden_size,audio_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]", "linear_1@82 linear_2@83",
    "lm_head@77 model=text_config:Qwen2Model", "model=text_config:Qwen2Model",
    "weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.hidden_size/2)] bias[text_config.hidden_size]",
    "layernorm@87 linear_1@88 linear_2@89", "weight[text_config.vocab_size,text_config.hidden_size]?",
    "weight[(linear_head_dim*linear_num_heads),hidden_size]?", "weight[linear_num_heads,hidden_size]?",
    "weight[linear_head_dim]?", "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]?",
    "q_proj(weight[?,hidden_size]) k_proj@92 v_proj@92 A_log[linear_num_heads]? "
    "dt_bias[(linear_head_dim*linear_num_heads)]? f_proj@92 b_proj@93 o_norm@94 dense(weight[hidden_size,?]) "
    "g_proj(weight[?,hidden_size]) kv_a_proj_with_mqa@95 kv_a_layernorm(weight[kv_lora_rank]?) kv_b_proj@96",
    "weight[((linear_head_dim*linear_num_heads)*3),(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*line"
    "ar_num_heads)*3)),linear_conv_kernel_dim]~", "conv1d@98",
    "weight[num_experts,hidden_size]? expert_bias[num_experts]?",
    "gate_proj@8 up_proj@8 down_proj@9 experts@34 gate@100 shared_experts@33",
    "attention@97 self_attn@99 mlp@101 input_layernorm(weight[hidden_size]) "
    "post_attention_layernorm(weight[hidden_size])", "q_conv1d(weight[*]~) k_conv1d(weight[*]~) v_conv1d(weight[*]~)",
    "attention@103 mlp@18", "#{num_hidden_layers}@102 #{}@104", "gate_proj@65 up_proj@65 down_proj@66",
    "weight[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)),(((mamba_expand*hidden_size)+((2*mamb"
    "a_n_groups)*mamba_d_state))/((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
    "bias[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))]?",
    "weight[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)))+mamba_n"
    "_heads),hidden_size] bias[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba"
    "_d_state)))+mamba_n_heads)]?", "weight[(mamba_expand*hidden_size)]",
    "weight[hidden_size,(mamba_expand*hidden_size)] bias[hidden_size]?",
    "dt_bias[mamba_n_heads] A_log[mamba_n_heads] D[mamba_n_heads] conv1d@107 in_proj@108 norm@109 out_proj@110",
    "weight[vocab_size,d_model]", "weight[(max_position_embeddings+2),d_model]",
    "weight[d_model,d_model] bias[d_model]", "k_proj@114 v_proj@114 q_proj@114 out_proj@114",
    "weight[d_model] bias[d_model]", "weight[decoder_ffn_dim,d_model] bias[decoder_ffn_dim]",
    "weight[d_model,decoder_ffn_dim] bias[d_model]",
    "self_attn@115 self_attn_layer_norm@116 encoder_attn@115 encoder_attn_layer_norm@116 fc1@117 fc2@118 "
    "final_layer_norm@116", "#{decoder_layers}@119",
    "embed_tokens@112 embed_positions@113 layers@120 layernorm_embedding@116", "decoder@121",
    "weight[vocab_size,d_model]?", "weight[?,d_model] bias[?]", "dense@114 out_proj@124",
    "weight[encoder_ffn_dim,d_model] bias[encoder_ffn_dim]", "weight[d_model,encoder_ffn_dim] bias[d_model]",
    "self_attn@115 self_attn_layer_norm@116 fc1@126 fc2@127 final_layer_norm@116", "#{encoder_layers}@128",
    "embed_tokens@123 embed_positions@113 layers@129 layernorm_embedding@116",
    "embed_tokens@123 embed_positions@113 layers@120 layernorm_embedding@116",
    "weight[num_experts,hidden_size]? e_score_correction_bias[num_experts]?",
    "weight[max_position_embeddings,hidden_size]", "weight[type_vocab_size,hidden_size]",
    "word_embeddings@0 position_embeddings@133 token_type_embeddings@134 LayerNorm@41", "query@42 key@42 value@42",
    "dense@43 LayerNorm@41", "self@136 output@137", "dense@45", "dense@46 LayerNorm@41",
    "attention@138 intermediate@139 output@140", "#{num_hidden_layers}@141", "layer@142", "embeddings@135 encoder@143",
    "weight[vocab_size,hidden_size]? bias[vocab_size]?", "bias[vocab_size] transform@137 decoder@145",
    "predictions@146", "seq_relationship@1", "predictions@146 seq_relationship@1",
    "word_embeddings@0 position_embeddings@133 LayerNorm@41", "dense@43", "query@57 key@57 value@57",
    "self@152 output@137", "attention@153 intermediate@139 output@140", "#{num_hidden_layers}@154", "layer@155",
    "dense@43 out_proj@1", "weight[max_position_embeddings,d_model]", "weight[d_model,d_model] bias[d_model]?",
    "k_proj@159 v_proj@159 q_proj@159 out_proj@159",
    "self_attn@160 self_attn_layer_norm@116 encoder_attn@160 encoder_attn_layer_norm@116 fc1@117 fc2@118 "
    "final_layer_norm@116", "#{decoder_layers}@161",
    "weight[(encoder_attention_heads*(d_model/encoder_attention_heads)),d_model] "
    "bias[(encoder_attention_heads*(d_model/encoder_attention_heads))]?", "weight[vocab_size,hidden_size]?",
    "weight[(max_position_embeddings+2),hidden_size]", "k_proj@43 v_proj@43 q_proj@43 out_proj@43",
    "weight[vision_config.hidden_size,?,vision_config.patch_size,vision_config.patch_size] "
    "bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,(((vision_config.image_size/vision_confi"
    "g.patch_size)*(vision_config.image_size/vision_config.patch_size))+1),vision_config.hidden_size] "
    "patch_embedding@167", "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[?]",
    "qkv@169 projection@69",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size] bias[vision_config.hidden_size]",
    "fc1@171 fc2@172", "self_attn@170 layer_norm1@71 mlp@173 layer_norm2@71", "#{vision_config.num_hidden_layers}@174",
    "layers@175", "embeddings@168 encoder@176 post_layernorm@71",
    "weight[qformer_config.vocab_size,qformer_config.hidden_size]",
    "weight[qformer_config.max_position_embeddings,qformer_config.hidden_size]",
    "weight[image_text_hidden_size,qformer_config.hidden_size] bias[image_text_hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]? "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),encoder_hidden_size]? "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[hidden_size,hidden_size]? bias[hidden_size]?", "weight[hidden_size]? bias[hidden_size]?",
    "dense@183 LayerNorm@184", "weight[intermediate_size,hidden_size]? bias[intermediate_size]?", "dense@186",
    "weight[hidden_size,intermediate_size]? bias[hidden_size]?", "dense@188 LayerNorm@184",
    "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[(3*vision_config.hidden_size)]",
    "qkv@190 projection@69", "self_attn@191 layer_norm1@71 mlp@173 layer_norm2@71",
    "#{vision_config.num_hidden_layers}@192", "layers@193", "embeddings@168 encoder@194 post_layernorm@71",
    "weight[text_config.max_position_embeddings,text_config.hidden_size]",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]",
    "word_embeddings@77 position_embeddings@196 LayerNorm@197",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@199 key@199 value@199", "dense@83 LayerNorm@197", "self@200 output@201",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.encoder_hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@199 key@203 value@203", "self@204 output@201",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]", "dense@206",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]",
    "dense@208 LayerNorm@197", "attention@202 crossattention@205 intermediate@207 output@209",
    "#{text_config.num_hidden_layers}@210", "layer@211", "embeddings@198 encoder@212", "dense@83",
    "weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]",
    "weight[(4*hidden_size),hidden_size] bias[(4*hidden_size)]",
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
    "patcher_config.hidden_size]?", "weight[patcher_config.intermediate_size,patcher_config.hidden_size]?",
    "weight[patcher_config.hidden_size]?", "weight[patcher_config.vocab_size,patcher_config.hidden_size]?",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size]",
    "weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_s"
    "ize))+1),vision_config.hidden_size]",
    "class_embedding[vision_config.hidden_size] patch_embedding@235 position_embedding@236",
    "weight[vision_config.hidden_size]? bias[vision_config.hidden_size]?",
    "attention@202 crossattention@202 intermediate@207 output@209", "#{num_hidden_layers}@239", "LayerNorm@184",
    "#{(num_hidden_layers-1)}@241 LayerNorm@184", "fc1@45 fc2@46",
    "self_attn@166 layer_norm1@41 mlp@243 layer_norm2@41", "#{num_hidden_layers}@244", "layers@245",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size]", "weight[vocab_size,n_embd]",
    "weight[n_embd,n_embd] bias[n_embd]", "weight[n_embd] bias[n_embd]",
    "bias[vocab_size] dense@43 layer_norm@41 decoder@145",
    "word_embeddings@0 token_type_embeddings@134 LayerNorm@41 position_embeddings@133", "embeddings@252 encoder@143",
    "weight[(decoder_config.num_attention_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_attention_heads*decoder_config.head_dim)]",
    "weight[(decoder_config.num_key_value_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_key_value_heads*decoder_config.head_dim)]",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*decoder_config.head_dim)] "
    "bias[decoder_config.hidden_size]", "q_proj@254 k_proj@255 v_proj@255 o_proj@256",
    "weight[decoder_config.hidden_size] bias[decoder_config.hidden_size]", "weight[vocab_size,n_embd] bias[vocab_size]",
    "weight[(4*n_embd),n_embd] bias[(4*n_embd)]", "weight[n_embd,(4*n_embd)] bias[n_embd]", "fc_in@260 fc_out@261",
    "gate_proj@62 up_proj@62 down_proj@63", "weight[num_experts,hidden_size]",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]~ "
    "down_proj[num_experts,hidden_size,intermediate_size]~", "gate@264 experts@265",
    "weight[vocab_size,hidden_size] bias[vocab_size]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/encoder_config.sub"
    "sampling_conv_channels),encoder_config.subsampling_conv_kernel_size,encoder_config.subsampling_conv_kernel_s"
    "ize] bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/1),1,1] "
    "bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.intermediate_size,encoder_config.hidden_size] bias[encoder_config.intermediate_size]?",
    "weight[encoder_config.hidden_size,encoder_config.intermediate_size] bias[encoder_config.hidden_size]?",
    "linear1@270 linear2@271",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size] "
    "bias[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?",
    "weight[encoder_config.hidden_size] bias[encoder_config.hidden_size]",
    "query_net@25 key_net@26 value_net@26 out_projection@27",
    "weight[embedding_dim,vlm_config.text_config.hidden_size] bias[embedding_dim]", "LayerNorm@38 dense@53",
    "weight[vocab_size,embedding_size]? bias[vocab_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size] "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size] bias[vision_config.hidden_size]", "proj@281",
    "weight[vision_config.num_position_embeddings,vision_config.hidden_size]",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]",
    "qkv@284 proj@69", "linear_fc1@171 linear_fc2@172", "norm1@71 norm2@71 attn@285 mlp@286",
    "#{vision_config.depth}@287",
    "weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(visi"
    "on_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.out_hidden_size,(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_con"
    "fig.spatial_merge_size))] bias[vision_config.out_hidden_size]",
    "weight[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.hidden_size*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size]",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)]",
    "weight[text_config.head_dim]", "to_q@292 to_k@293 to_v@293 to_out@294 norm_q@295 norm_k@295",
    "weight[text_config.intermediate_size,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.intermediate_size]", "gate_proj@297 up_proj@297 down_proj@298",
    "weight[text_config.hidden_size]", "self_attn@296 mlp@299 input_layernorm@300 post_attention_layernorm@300",
    "#{text_config.num_hidden_layers}@301", "weight[(num_attention_heads*dim_head),hidden_size]",
    "weight[dim_ff,hidden_size]", "weight[(num_key_value_heads*head_dim),hidden_size]",
    "weight[hidden_size,(num_attention_heads*head_dim)]", "q_proj@28 k_proj@305 v_proj@305 o_proj@306",
    "weight[pooler_hidden_size,pooler_hidden_size] bias[pooler_hidden_size]", "dense@308",
    "weight[max_position_embeddings,hidden_size]?", "word_embeddings@0 position_embeddings@310 LayerNorm@41",
    "weight[(max_position_embeddings*2),hidden_size]?", "weight[n_routed_experts,hidden_size]?",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]? " "bias[(moe_intermediate_size*n_shared_experts)]?",
    "q_a_proj@2 q_a_layernorm(weight[q_lora_rank]) q_b_proj@3 kv_a_proj_with_mqa@4 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@5 o_proj@6 indexer@24",
    "self_attn@315 mlp@15 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@316 #{}@19",
    "self_attn@7 mlp@15 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@318 #{}@19", "weight[q_lora_rank,hidden_size]",
    "weight[(num_attention_heads*head_dim),q_lora_rank]", "weight[head_dim,hidden_size]",
    "weight[(o_groups*o_lora_rank),((num_attention_heads*head_dim)/o_groups)]",
    "weight[hidden_size,(o_groups*o_lora_rank)]",
    "ape[?,?] wkv(weight[?,hidden_size]) wgate(weight[?,hidden_size]) norm(weight[head_dim])",
    "weight[(2*index_head_dim),hidden_size]?", "weight[index_head_dim]?",
    "ape[?,(2*index_head_dim)]? wkv@326 wgate@326 norm@327", "weight[(index_n_heads*index_head_dim),q_lora_rank]?",
    "weight[index_n_heads,hidden_size]?", "compressor@328 wq_b@329 weights_proj@330",
    "attn_sink[num_attention_heads] wq_a@320 q_norm(weight[q_lora_rank]) wq_b@321 wkv@322 norm(weight[head_dim]) "
    "wo_a@323 wo_b@324 compressor@325 indexer@331",
    "weight[n_routed_experts,hidden_size] tid2eid[vocab_size,num_experts_per_tok]? bias[n_routed_experts]?",
    "weight[moe_intermediate_size,hidden_size] bias[moe_intermediate_size]?",
    "weight[hidden_size,moe_intermediate_size] bias[hidden_size]?", "w1@334 w3@334 w2@335",
    "gate@333 shared_experts@336", "experts@10",
    "attn@332 ffn@337 mlp@338 attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
    "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
    " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]",
    "w1(weight[*]~) w3(weight[*]~) w2(weight[*]~)", "#{}@340", "experts@341", "ffn@342",
    "#{num_hidden_layers}@339 #{}@343",
    "weight[high_res_vision_config.output_channels] bias[high_res_vision_config.output_channels]",
    "weight[text_config.hidden_size,vision_config.hidden_size] bias[text_config.hidden_size]",
    "weight[dim,dim] bias[dim]", "weight[?,hidden_size]?", "weight[?,hidden_size] bias[?]?",
    "weight[hidden_size,?] bias[hidden_size]?", "weight[hidden_size_per_layer_input,hidden_size]",
    "weight[hidden_size,hidden_size_per_layer_input]",
    "weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]", "weight[hidden_size_per_layer_input]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]",
    "q_proj@355 k_proj@356 v_proj@356 o_proj@357", "q_proj@57 k_proj@58 v_proj@58 o_proj@59",
    "weight[(moe_intermediate_size*moe_num_shared_experts),hidden_size]? "
    "bias[(moe_intermediate_size*moe_num_shared_experts)]?", "weight[task_type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@133 token_type_embeddings@134 LayerNorm@41 task_type_embeddings@361",
    "embeddings@362 encoder@143", "word_embeddings@0", "gamma[hidden_size] beta[hidden_size]",
    "self@136 output@151 LayerNorm@365", "dense@46", "attention@366 intermediate@139 output@367 LayerNorm@365",
    "rotary_embeddings(inv_freq[?])", "self@369", "attention@370", "#{num_hidden_layers}@368 *@371",
    "layer@372 emb_layer_norm_after@41", "weight[1,(num_hidden_layers*num_attention_heads)] bias[1]", "regression@374",
    "embeddings@364 encoder@373 contact_head@375",
    "weight[(protein_encoder_config.num_attention_heads*(protein_encoder_config.hidden_size/protein_encoder_confi"
    "g.num_attention_heads)),protein_encoder_config.hidden_size] bias[(protein_encoder_config.num_attention_heads"
    "*(protein_encoder_config.hidden_size/protein_encoder_config.num_attention_heads))]",
    "weight[protein_encoder_config.hidden_size] bias[protein_encoder_config.hidden_size]",
    "weight[(resampler_dim_head*resampler_heads),protein_encoder_config.hidden_size]",
    "weight[((resampler_dim_head*resampler_heads)*2),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(resampler_dim_head*resampler_heads)]",
    "norm_media@378 norm_latents@378 to_q@379 to_kv@380 to_out@381",
    "weight[(protein_encoder_config.hidden_size*resampler_ff_mult),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(protein_encoder_config.hidden_size*resampler_ff_mult)]",
    "norm@378 fc1@383 fc2@384", "0@382 1@385", "q_proj@355 k_proj@356 v_proj@356 o_proj@357 q_norm@60 k_norm@60",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size]", "proj@388",
    "gate_proj@45 up_proj@45 down_proj@46",
    "weight[(hidden_size*(spatial_merge_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_"
    "size))] bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))] bias[out_hidden_size]",
    "0@391 2@392", "ln_q(weight[hidden_size]) mlp@393",
    "weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?",
    "weight[hidden_size,hidden_size] bias[hidden_size]?", "weight[?,emb_dim] bias[?]", "summary@397",
    "weight[emb_dim] bias[emb_dim]", "weight[emb_dim,emb_dim] bias[emb_dim]", "#{}@399",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads))]",
    "q_proj@57 k_proj@58 v_proj@58 o_proj@59 q_norm@402 k_norm@403",
    "weight[shared_expert_intermediate_size,hidden_size]?", "weight[hidden_size,shared_expert_intermediate_size]?",
    "gate_proj@405 up_proj@405 down_proj@406", "word_embeddings@112 layer_norm@116", "weight[(n_head*d_head),d_model]",
    "weight[(n_head*d_head),d_model] bias[(n_head*d_head)]", "weight[d_model,(n_head*d_head)] bias[d_model]",
    "r_w_bias[n_head,d_head] r_r_bias[n_head,d_head] r_kernel[d_model,n_head,d_head] r_s_bias[n_head,d_head] "
    "seg_embed[?,n_head,d_head] q_head@409 k_head@410 v_head@410 post_proj@411 layer_norm@116",
    "weight[d_inner,d_model] bias[d_inner]", "weight[d_model,d_inner] bias[d_model]",
    "linear_1@413 linear_2@414 layer_norm@116", "attention@412 ffn@415", "#{}@416", "#{}@417", "blocks@418",
    "weight[vocab_size,d_model]? bias[vocab_size]", "weight[1,d_model] bias[1]",
    "weight[text_config.hidden_size,((patch_size*patch_size)*num_channels)] bias[text_config.hidden_size]",
    "weight[?,n_embd] bias[?]", "weight[vocab_size,n_embd]?", "weight[n_positions,n_embd]",
    "weight[n_embd,(3*n_embd)] bias[(3*n_embd)]", "c_attn@426 c_proj@249", "weight[n_embd,(4*n_embd)] bias[(4*n_embd)]",
    "weight[(4*n_embd),n_embd] bias[n_embd]", "c_fc@428 c_proj@429", "weight[n_embd,(2*n_embd)]? bias[(2*n_embd)]?",
    "weight[n_embd,n_embd]? bias[n_embd]?", "c_attn@431 q_attn@432 c_proj@432", "dense_h_to_4h@45 dense_4h_to_h@46",
    "weight[vision_config.hidden_size]",
    "mm_input_projection_weight[vision_config.hidden_size,text_config.hidden_size] mm_soft_emb_norm@435",
    "weight[?,text_config.hidden_size]", "model=text_config:Gemma3TextModel",
    "q_proj@25 k_proj@26 v_proj@26 o_proj@27 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "weight[(num_key_value_heads*head_dim),hidden_size]? bias[(num_key_value_heads*head_dim)]?",
    "weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]", "0@81 1@81 2@81",
    "weight[?,hidden_size]? bias[?]?",
    "q_proj@349 q_norm(weight[?]) k_norm(weight[?]) k_proj@349 v_proj@443 o_proj@350",
    "weight[(intermediate_size*1),hidden_size]", "weight[hidden_size,(intermediate_size*1)]",
    "gate_proj@445 up_proj@445 down_proj@446", "k_proj@69 v_proj@69 q_proj@69 out_proj@69",
    "self_attn@448 layer_norm1@71 mlp@173 layer_norm2@71", "#{vision_config.num_hidden_layers}@449", "layers@450",
    "embeddings@237 pre_layrnorm@71 encoder@451 post_layernorm@71",
    "weight[hidden_size,vision_config.hidden_size] bias[hidden_size]", "q_proj@25 k_proj@26 v_proj@26 o_proj@306",
    "weight[(2*intermediate_size),hidden_size]", "gate_up_proj@455 down_proj@63",
    "weight[(hidden_size/num_attention_heads)]?",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))]", "q_proj@199 k_proj@458 v_proj@458 o_proj@459",
    "weight[text_config.intermediate_size,text_config.hidden_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size]?",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]~",
    "weight[text_config.n_routed_experts,text_config.hidden_size]? "
    "e_score_correction_bias[text_config.n_routed_experts]?",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?",
    "weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?",
    "gate_proj@465 up_proj@465 down_proj@466", "q_proj@57 k_proj@58 v_proj@58 o_proj@357",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]? "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?",
    "weight[((image_size/patch_size)*(image_size/patch_size)),hidden_size]", "position_embedding@470",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size] bias[hidden_size]", "proj@472",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?", "qkv@474 proj@81",
    "weight[out_hidden_size,hidden_size]", "weight[hidden_size,out_hidden_size]",
    "gate_proj@476 up_proj@476 down_proj@477", "norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@475 mlp@478",
    "#{depth}@479", "weight[out_hidden_size,out_hidden_size]", "weight[out_hidden_size] bias[out_hidden_size]",
    "weight[intermediate_size,out_hidden_size]", "weight[out_hidden_size,intermediate_size]",
    "proj@481 post_projection_norm@482 gate_proj@483 up_proj@483 down_proj@484",
    "weight[out_hidden_size,(hidden_size/1),spatial_merge_size,spatial_merge_size] bias[out_hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]", "q_proj@42 k_proj@487 v_proj@487 o_proj@357",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]",
    "weight[(text_config.hidden_size*2),audio_config.intermediate_size] bias[(text_config.hidden_size*2)]",
    "weight[text_config.hidden_size,(text_config.hidden_size*2)] bias[text_config.hidden_size]",
    "linear_1@490 linear_2@491", "model=text_config:Ernie4_5Model", "weight[(hidden_size/num_heads)]",
    "weight[(out_hidden_size*in_channels),out_hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size] bias[vision_config.hidden_size]", "projection@496",
    "rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)] "
    "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)] qkv@284 proj@69",
    "weight[vision_config.mlp_dim,vision_config.hidden_size] bias[vision_config.mlp_dim]",
    "weight[vision_config.hidden_size,vision_config.mlp_dim] bias[vision_config.hidden_size]", "lin1@499 lin2@500",
    "layer_norm1@71 attn@498 layer_norm2@71 mlp@501", "#{}@502",
    "weight[vision_config.output_channels,(vision_config.hidden_size/1),1,1]",
    "weight[vision_config.output_channels] bias[vision_config.output_channels]",
    "weight[vision_config.output_channels,(vision_config.output_channels/1),?,?]",
    "conv1@504 layer_norm1@505 conv2@506 layer_norm2@505",
    "pos_embed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patc"
    "h_size),vision_config.hidden_size] patch_embed@497 layers@503 neck@507",
    "weight[(vision_config.output_channels*2),(vision_config.output_channels/1),?,?]",
    "weight[text_config.hidden_size,((vision_config.output_channels*2)/1),?,?]",
    "conv_upsampler1@509 conv_upsampler2@510 multimodal_projector@83", "lm_head@91 model=text_config:Qwen2Model",
    "weight[num_local_experts,hidden_size]", "layer@513", "weight[num_local_experts,(2*intermediate_size),hidden_size]",
    "weight[num_local_experts,hidden_size,intermediate_size]", "router@514 input_linear@515 output_linear@516",
    "weight[hidden_size,shared_intermediate_size]",
    "sinks[num_attention_heads] q_proj@57 k_proj@58 v_proj@58 o_proj@59",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size] "
    "down_proj[num_local_experts,hidden_size,intermediate_size]",
    "weight[encoder_config.hidden_dim,encoder_config.input_dim] bias[encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim] bias[encoder_config.hidden_dim]",
    "weight[(encoder_config.hidden_dim*encoder_config.feedforward_mult),encoder_config.hidden_dim] "
    "bias[(encoder_config.hidden_dim*encoder_config.feedforward_mult)]",
    "weight[encoder_config.hidden_dim,(encoder_config.hidden_dim*encoder_config.feedforward_mult)] "
    "bias[encoder_config.hidden_dim]", "pre_norm@522 up_proj@523 down_proj@524",
    "weight[(encoder_config.dim_head*encoder_config.num_heads),encoder_config.hidden_dim]",
    "weight[((encoder_config.dim_head*encoder_config.num_heads)*2),encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim,(encoder_config.dim_head*encoder_config.num_heads)] "
    "bias[encoder_config.hidden_dim]", "weight[((2*encoder_config.max_pos_emb)+1),encoder_config.dim_head]",
    "pre_norm@522 to_q@526 to_kv@527 to_out@528 rel_pos_emb@529",
    "weight[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2),(encoder_config.hidden_dim/1),1]"
    " bias[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2)]",
    "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor),((encoder_config.hidden_dim*encoder_"
    "config.conv_expansion_factor)/(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)),encoder_conf"
    "ig.conv_kernel_size]", "conv@532", "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "bias[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_mean[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_var[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] num_batches_tracked[]",
    "weight[encoder_config.hidden_dim,((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)/1),1] "
    "bias[encoder_config.hidden_dim]", "norm@522 up_conv@531 depth_conv@533 batch_norm@534 down_conv@535",
    "ff1@525 attn@530 conv@536 ff2@525 post_norm@522", "#{encoder_config.num_layers}@537",
    "weight[encoder_config.output_dim,encoder_config.hidden_dim] bias[encoder_config.output_dim]",
    "weight[encoder_config.hidden_dim,encoder_config.output_dim] bias[encoder_config.hidden_dim]",
    "input_linear@521 layers@538 out@539 out_mid@540",
    "weight[text_config.hidden_size,projector_config.hidden_size] bias[text_config.hidden_size]",
    "query[1,(window_size/downsample_rate),projector_config.hidden_size] linear@542 "
    "qformer=projector_config:Blip2QFormerModel", "weight[vocab_size,hidden_size]? bias[vocab_size]",
    "word_embeddings@0 token_type_embeddings@134 LayerNorm@41", "down_proj@46", "o_proj@489",
    "attn_ln@41 mlp@546 attention@547 mlp_ln@41", "up_gate_proj(weight[*]~)", "qkv_proj(weight[*]~ bias[*]~)",
    "mlp@549 attention@550", "#{num_hidden_layers}@548 #{}@551", "layer@552", "weight[intermediate_size,hidden_size]~",
    "gate_proj@554 up_proj@554", "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]~ "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]~", "q_proj@556 k_proj@556 v_proj@556",
    "mlp@555 self_attn@557", "#{num_hidden_layers}@558",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]? "
    "bias[(moe_intermediate_size*num_shared_experts)]?", "weight[index_head_dim,hidden_size]?",
    "weight[index_head_dim]? bias[index_head_dim]?", "wq_b@329 wk@561 k_norm@562 weights_proj@330",
    "weight[(num_attention_heads*v_head_dim),hidden_size]",
    "learnable_sink_param[?] q_a_proj@2 q_a_layernorm(weight[q_lora_rank]) q_b_proj@3 kv_a_proj_with_mqa@4 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@5 o_proj@6 indexer@563 linear_gate@564",
    "linear_gate@12 up_proj@12 down_proj@13",
    "linear_gate@8 up_proj@8 down_proj@9 experts@469 gate@11 shared_experts@566",
    "hc_fn[(2*hc_mult),(hc_mult*hidden_size)] hc_base[(2*hc_mult)] hc_scale[?]", "hc_attn_layer@568 hc_mlp_layer@568",
    "self_attn@565 mlp@567 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "hc_pre@569", "#{num_hidden_layers}@570",
    "hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
    "weight[(num_codebooks*codebook_size),hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]~ bias[(num_attention_heads*head_dim)]?",
    "q_proj@574 k_proj@574 v_proj@574 gate_proj@574", "o_proj@27",
    "weight[intermediate_size,hidden_size]~ bias[intermediate_size]?", "gate_proj@577 up_proj@577 down_proj@66",
    "self_attn@575 attn@576 mlp@578", "gate_up_proj(weight[*]~)", "attn(gqkv_proj(weight[*]~)) mlp@580",
    "#{num_layers_per_stack}@579 #{}@581", "layers@582",
    "q_proj@25 k_proj@26 v_proj@26 o_proj@27 query_layernorm(weight[head_dim]) key_layernorm(weight[head_dim])",
    "weight[text_config.hidden_size,vision_config.out_hidden_size] bias[text_config.hidden_size]",
    "weight[vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[type_vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[max_position_embeddings,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "x_min[1] x_max[1] act_scaling_factor[1]", "weight[hidden_size] bias[hidden_size] shift[1] activation@589",
    "word_embeddings@586 token_type_embeddings@587 position_embeddings@588 LayerNorm@590 embeddings_act1@589 "
    "embeddings_act2@589 output_activation@589",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))] weight_integer[?,?] "
    "fc_scaling_factor[(num_attention_heads*(hidden_size/num_attention_heads))] bias_integer[?]", "act@589",
    "query@592 key@592 value@592 query_activation@589 key_activation@589 value_activation@589 "
    "output_activation@589 softmax@593",
    "weight[hidden_size,hidden_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@595 LayerNorm@590 ln_input_act@589 output_activation@589", "self@594 output@596",
    "weight[intermediate_size,hidden_size] bias[intermediate_size] weight_integer[?,?] "
    "fc_scaling_factor[intermediate_size] bias_integer[?]", "dense@598 output_activation@589",
    "weight[hidden_size,intermediate_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@600 LayerNorm@590 ln_input_act@589 output_activation@589",
    "attention@597 intermediate@599 output@601 pre_intermediate_act@589 pre_output_act@589", "#{num_hidden_layers}@602",
    "layer@603", "embeddings@591 encoder@604",
    "weight[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_si"
    "ze)),vision_config.hidden_size]", "patch_embedding@496 position_embedding@606",
    "weight[text_config.intermediate_size,vision_config.hidden_size]", "weight[perceiver_config.hidden_size]",
    "weight[(perceiver_config.num_key_value_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_si"
    "ze]", "weight[(perceiver_config.hidden_size*4),perceiver_config.hidden_size]",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size] bias[hidden_size]",
    "patch_embedding@612 position_embedding@470", "weight[vision_config.embed_dim] bias[vision_config.embed_dim]",
    "weight[vision_config.embed_dim,vision_config.embed_dim] bias[vision_config.embed_dim]",
    "gate_proj@62 down_proj@63 up_proj@62",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),vision_config.embed_dim]",
    "weight[vision_config.embed_dim]? bias[vision_config.embed_dim]?",
    "weight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),vision_config.embed_dim]?",
    "weight[(swa_num_key_value_heads*swa_head_dim),((swa_num_key_value_heads*swa_head_dim)/(swa_num_key_value_hea"
    "ds*swa_head_dim)),conv_kernel_size]? static_w[conv_kernel_size,(num_key_value_heads*head_dim)]? "
    "weight_proj[(num_key_value_heads*conv_kernel_size),hidden_size]?", "weight[?,?,conv_kernel_size]", "conv1d@621",
    "conv1d@280", "weight[qformer_config.hidden_size] bias[qformer_config.hidden_size]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.hidden_size] "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.encoder_hidden_size]? "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?",
    "weight[qformer_config.intermediate_size,qformer_config.hidden_size] bias[qformer_config.intermediate_size]",
    "dense@627", "weight[qformer_config.hidden_size,qformer_config.intermediate_size] bias[qformer_config.hidden_size]",
    "dense@629 LayerNorm@624", "weight[(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]",
    "layer_norm@631 linear_1@632 linear_2@83", "weight[mamba_d_state]?",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "q_proj@635 k_proj@636 v_proj@636 o_proj@637",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]",
    "weight[?,vision_config.hidden_size] bias[?]",
    "weight[vision_config.hidden_size,?] bias[vision_config.hidden_size]",
    "weight[vision_config.projection_dim,vision_config.hidden_size] bias[vision_config.projection_dim]",
    "weight[?,?,?,?] bias[?]", "norm1(weight[?] bias[?]) conv1@643 norm2(weight[?] bias[?]) conv2@643", "conv@643",
    "0@644 1@644", "block@646 downsample@645", "weight[?,?,1,1] bias[?]",
    "norm1(weight[?] bias[?]) conv1@643 norm2(weight[?] bias[?]) conv2@643 nin_shortcut@648", "0@649 1@644",
    "norm(weight[?] bias[?]) q@648 k@648 v@648 proj_out@648", "block_1@644 attn_1@651 block_2@644",
    "weight[vq_config.num_embeddings,vq_config.embed_dim]", "0@644 1@644 2@644", "0@649 1@644 2@644",
    "block@655 upsample@645", "word_embeddings@0 token_type_embeddings@134", "out_proj@489",
    "norm1@41 mlp@243 mixer@658 norm2@41", "Wqkv(weight[*]~ bias[*]~)", "mixer@660", "#{num_hidden_layers}@659 #{}@661",
    "layers@662", "self_attn@557", "#{num_hidden_layers}@664", "embeddings@657 emb_ln@41 encoder@663 layers@665",
    "weight[linear_head_dim,hidden_size]?", "weight[(linear_head_dim*linear_num_heads),linear_head_dim]?",
    "wqkv(weight[*]~ bias[*]~)",
    "weight[vision_config.hidden_size,vision_config.hidden_size]~ bias[vision_config.hidden_size]~",
    "q_proj@670 k_proj@670 v_proj@670", "attn@671", "#{vision_config.num_hidden_layers}@672", "experts@463", "mlp@674",
    "#{text_config.num_hidden_layers}@675", "layers@676", "weight[projection_hidden_size] bias[projection_hidden_size]",
    "weight[text_config.q_lora_rank,text_config.hidden_size]", "weight[text_config.q_lora_rank]",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.q_lora_rank]", "weight[(text_config.kv_lora_rank+text_config.qk_rope_head_dim),text_config.hidden_size]",
    "weight[text_config.kv_lora_rank]",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.v_head_dim)),text_config.k"
    "v_lora_rank]", "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)]",
    "q_a_proj@679 q_a_layernorm@680 q_b_proj@681 kv_a_proj_with_mqa@682 kv_a_layernorm@683 kv_b_proj@684 " "o_proj@685",
    "gate_proj@461 up_proj@461 down_proj@462 gate@464 shared_experts@467",
    "self_attn@686 mlp@687 input_layernorm@300 post_attention_layernorm@300",
    "#{text_config.num_hidden_layers}@688 #{}@19", "weight[text_config.hidden_size,?] bias[text_config.hidden_size]",
    "proj@69", "q_proj@28 k_proj@305 v_proj@305 o_proj@306 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[num_local_experts,hidden_size,moe_intermediate_size]~",
    "weight[shared_expert_intermediate_size,hidden_size]", "weight[hidden_size,shared_expert_intermediate_size]",
    "gate_proj@694 up_proj@694 down_proj@695", "weight[text_config.vocab_size,text_config.embed_dim]",
    "weight[text_config.embed_dim,text_config.embed_dim] bias[text_config.embed_dim]",
    "weight[text_config.embed_dim] bias[text_config.embed_dim]",
    "k_proj@698 v_proj@698 q_proj@698 out_proj@698 inner_attn_ln@699",
    "weight[text_config.ffn_dim,text_config.embed_dim] bias[text_config.ffn_dim]",
    "weight[text_config.embed_dim,text_config.ffn_dim] bias[text_config.embed_dim]",
    "weight[text_config.ffn_dim] bias[text_config.ffn_dim]", "fc1@701 fc2@702 ffn_layernorm@703",
    "weight[text_config.embed_dim,text_config.embed_dim]? bias[text_config.embed_dim]?",
    "k_proj@705 v_proj@705 q_proj@705 out_proj@705", "weight[text_config.embed_dim]? bias[text_config.embed_dim]?",
    "self_attn@700 self_attn_layer_norm@699 ffn@704 final_layer_norm@699 encoder_attn@706 "
    "encoder_attn_layer_norm@707", "#{text_config.layers}@708", "embed_tokens@697 layers@709 layer_norm@699",
    "weight[text_config.vocab_size,text_config.embed_dim]?", "model@452",
    "weight[text_config.embed_dim,vision_config.hidden_size] bias[text_config.embed_dim]",
    "k_proj@698 v_proj@698 q_proj@698 out_proj@698",
    "latent_query[latent_query_num,text_config.embed_dim] dense@713 x_attn@714", "weight[?,text_config.embed_dim]",
    "self_attn@714 self_attn_layer_norm@699 ffn@704 final_layer_norm@699", "#{text_config.layers}@717",
    "embed_tokens@697 segment_emb@716 layers@718 layer_norm@699",
    "weight[vision_config.hidden_size,vision_config.patch_embed_hidden_size] bias[vision_config.hidden_size]",
    "weight[vision_config.max_num_patches,vision_config.hidden_size]",
    "patch_projection@720 row_embedder@721 column_embedder@721",
    "weight[(vision_config.num_attention_heads*vision_config.head_dim),vision_config.hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.head_dim)]",
    "query@723 key@723 value@723 output@724", "weight[vision_config.intermediate_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size]", "wi_0@726 wi_1@726 wo@727",
    "attention@725 mlp@728 pre_mlp_layer_norm@435 pre_attention_layer_norm@435",
    "#{vision_config.num_hidden_layers}@729", "layer@730", "embeddings@722 encoder@731 layernorm@435",
    "weight[max_2d_position_embeddings,hidden_size]", "weight[max_2d_position_embeddings,coordinate_size]?",
    "weight[max_2d_position_embeddings,shape_size]?", "weight[num_attention_heads,rel_2d_pos_bins]?",
    "q_proj@635 k_proj@636 v_proj@636 out_proj@637 q_layernorm@457 k_layernorm@457",
    "weight[(3*hidden_size),hidden_size]?", "weight[hidden_size,hidden_size]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]? bias[hidden_size]?",
    "weight[(3*hidden_size),hidden_size]? bias[(3*hidden_size)]?", "conv@740 in_proj@741 out_proj@183",
    "w1@62 w3@62 w2@63", "weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]?", "weight[(num_key_value_heads*head_dim),hidden_size]?",
    "weight[hidden_size,(num_attention_heads*head_dim)]?",
    "weight[vision_config.hidden_size,(vision_config.hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "merging_layer@748", "weight[max_2d_position_embeddings,(hidden_size/6)]",
    "weight[max_position_embeddings,(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio),hidden_size] bias[(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio)] bias[(hidden_size/channel_shrink_ratio)]",
    "x_position_embeddings@750 y_position_embeddings@750 h_position_embeddings@750 w_position_embeddings@750 "
    "box_position_embeddings@751 box_linear_embeddings@752 LayerNorm@753",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio),(hidden_size/channel_s"
    "hrink_ratio)] bias[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio)]",
    "query@42 key@42 value@42 layout_query@755 layout_key@755 layout_value@755",
    "weight[(hidden_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@757 LayerNorm@753", "self@756 output@137 layout_output@758",
    "weight[(intermediate_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(intermediate_size/channel_shrink_ratio)]", "dense@760",
    "weight[(hidden_size/channel_shrink_ratio),(intermediate_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@762 LayerNorm@753",
    "attention@759 intermediate@139 output@140 layout_intermediate@761 layout_output@763", "#{num_hidden_layers}@764",
    "layer@765", "embeddings@135 layout_embeddings@754 encoder@766",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)] bias[text_config.hidden_size]",
    "linear_1@768 linear_2@83", "lm_head@77 model=text_config:Ernie4_5Model", "weight[(num_heads*d_kv),d_model]",
    "weight[d_model,(num_heads*d_kv)]", "weight[relative_attention_num_buckets,num_heads]?",
    "q@771 k@771 v@771 o@772 relative_attention_bias@773", "LocalSelfAttention@774 layer_norm(weight[d_model])",
    "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?)",
    "DenseReluDense@776 layer_norm(weight[d_model])", "0@775 1@777", "layer@778", "#{num_layers}@779",
    "embed_tokens@123 block@780 final_layer_norm(weight[d_model])", "SelfAttention@774 layer_norm(weight[d_model])",
    "q@771 k@771 v@771 o@772", "EncDecAttention@783 layer_norm(weight[d_model])", "0@782 1@784 2@777", "layer@785",
    "#{num_decoder_layers}@786", "embed_tokens@123 block@787 final_layer_norm(weight[d_model])",
    "weight[(num_attention_heads*qk_head_dim),q_lora_rank]",
    "q_a_proj@2 q_a_layernorm(weight[q_lora_rank]) q_b_proj@789 kv_a_proj_with_mqa@4 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@5 o_proj@6", "weight[ffn_hidden_size,hidden_size]",
    "weight[hidden_size,ffn_hidden_size]", "gate_proj@791 up_proj@791 down_proj@792",
    "0(weight[hidden_size]) 1(weight[hidden_size])",
    "query@43 key@43 value@43 query_global@43 key_global@43 value_global@43", "self@795 output@137",
    "attention@796 intermediate@139 output@140", "#{num_hidden_layers}@797", "layer@798", "embeddings@252 encoder@799",
    "weight[entity_vocab_size,entity_emb_size]", "weight[hidden_size,entity_emb_size]",
    "entity_embeddings@801 entity_embedding_dense@802 position_embeddings@133 token_type_embeddings@134 "
    "LayerNorm@41", "query@42 key@42 value@42 w2e_query@181 e2w_query@181 e2e_query@181", "self@804 output@137",
    "attention@805 intermediate@139 output@140", "#{num_hidden_layers}@806", "layer@807",
    "embeddings@135 entity_embeddings@803 encoder@808", "weight[(hidden_size*2),hidden_size] bias[(hidden_size*2)]",
    "weight[(hidden_size*2)] bias[(hidden_size*2)]", "weight[num_qa_labels,(hidden_size*2)] bias[num_qa_labels]",
    "0@810 2@811 3@812", "logit_fc@813", "q@42 k@42 v@42 o@43", "attn@815 LayerNorm@41",
    "attention@816 intermediate@139 output@140", "#{num_hidden_layers}@817",
    "weight[relative_attention_num_buckets,num_attention_heads]", "layer@818 relative_attention_bias@819",
    "embeddings@150 encoder@820", "weight[(num_heads*d_kv),d_model]?", "weight[d_model,(num_heads*d_kv)]?",
    "q@822 k@822 v@822 o@823 relative_attention_bias@773", "q@822 k@822 v@822 o@823",
    "wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi(weight[d_ff,d_model]?)",
    "DenseReluDense@826 layer_norm(weight[d_model])", "0@782 1@827", "layer@828", "#{num_layers}@829",
    "embed_tokens@123 block@830 final_layer_norm(weight[d_model])", "0@782 1@784 2@827", "layer@832",
    "#{num_decoder_layers}@833", "embed_tokens@123 block@834 final_layer_norm(weight[d_model])",
    "weight[hidden_size,(xpath_unit_hidden_size*max_depth)] bias[hidden_size]",
    "weight[(4*hidden_size),(xpath_unit_hidden_size*max_depth)] bias[(4*hidden_size)]",
    "weight[max_xpath_tag_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@838",
    "weight[max_xpath_subs_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@840",
    "xpath_unitseq2_embeddings@836 xpath_unitseq2_inner@837 inner2emb@217 xpath_tag_sub_embeddings@839 "
    "xpath_subs_sub_embeddings@841",
    "word_embeddings@0 position_embeddings@133 xpath_embeddings@842 token_type_embeddings@134 LayerNorm@41",
    "embeddings@843 encoder@143", "word_embeddings@0 position_embeddings@133 token_type_embeddings@134",
    "ln@41 self@136 output@151", "attention@846 ln@41 intermediate@139 output@367", "#{num_hidden_layers}@847",
    "layer@848 ln@41", "embeddings@845 encoder@849", "experts@693 gate@513",
    "weight[(vision_config.hidden_size*4),(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "pre_norm@631 linear_1@852 linear_2@632", "0@853", "mlp@854", "layer_norm1@41 self_attn@166 layer_norm2@41 mlp@243",
    "#{num_hidden_layers}@856", "layers@857", "weight[hidden_size,?] bias[hidden_size]",
    "layer_norm1@71 self_attn@448 layer_norm2@71 mlp@173", "#{vision_config.num_hidden_layers}@860", "layers@861",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]~ "
    "down_proj[num_local_experts,hidden_size,intermediate_size]~", "experts@863", "block_sparse_moe@342",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.temporal_patch_size,vision_con"
    "fig.patch_size,vision_config.patch_size]",
    "weight[projector_hidden_size,vision_config.hidden_size] bias[projector_hidden_size]",
    "weight[projector_hidden_size,merged_hidden_size] bias[projector_hidden_size]",
    "q_proj@292 k_proj@293 v_proj@293 o_proj@294 q_norm@295 k_norm@295",
    "weight[text_config.num_local_experts,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.shared_intermediate_size]", "down_proj@871",
    "gate@870 shared_experts@872 e_score_correction_bias[text_config.num_local_experts]",
    "gate_proj(weight[*]~) up_proj(weight[*]~)", "experts@341 shared_experts@874", "block_sparse_moe@875",
    "gate_up_proj[text_config.num_local_experts,(2*text_config.intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.num_local_experts,text_config.hidden_size,text_config.intermediate_size]~",
    "weight[(2*text_config.shared_intermediate_size),text_config.hidden_size]~", "gate_up_proj@878",
    "experts@877 shared_experts@879",
    "weight[num_local_experts,hidden_size] e_score_correction_bias[num_local_experts]", "gate@513",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)]",
    "norm@435 patch_merger@749 linear_1@883 linear_2@74", "w1@726 w3@726 w2@727", "wk@68 wv@68 wq@68 wo@68",
    "attention_norm@435 feed_forward@885 attention@886 ffn_norm@435", "#{}@887", "layers@888",
    "patch_conv@235 ln_pre@435 transformer@889",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)] bias[text_config.hidden_size]?",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?",
    "weight[?,text_config.hidden_size] bias[(text_config.kv_lora_rank+text_config.qk_rope_head_dim)]?",
    "weight[?,text_config.kv_lora_rank]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)] "
    "bias[text_config.hidden_size]?",
    "weight[(text_config.index_n_heads*text_config.index_head_dim),text_config.hidden_size]",
    "weight[text_config.index_head_dim,text_config.hidden_size]",
    "weight[text_config.index_head_dim] bias[text_config.index_head_dim]",
    "weight[text_config.index_n_heads,text_config.hidden_size]",
    "s[text_config.index_n_heads] b[text_config.index_n_heads]",
    "wq_b@896 wk@897 k_norm@898 weights_proj@899 q_input_norm@197 ssmax_scaling@900",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.hidden_size]", "s[text_config.num_attention_heads] b[text_config.num_attention_heads]",
    "wkv_a_with_mqa@893 kv_a_norm@683 wkv_b@894 wo@895 indexer@901 wq@902 ssmax_scaling@903", "w1@461 w3@461 w2@462",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?", "w1@465 w3@465 w2@466",
    "weight[text_config.hidden_size,vision_config.vision_output_dim] bias[text_config.hidden_size]",
    "weight[?,(max_num_tiles*hidden_size)]", "gate[1] embedding@909",
    "weight[(attention_heads*(hidden_size/attention_heads)),hidden_size]",
    "weight[hidden_size,(attention_heads*(hidden_size/attention_heads))]",
    "q_proj@911 k_proj@911 v_proj@911 o_proj@912", "bias[hidden_size] weight[hidden_size]",
    "word_embeddings@35 position_embeddings@133 token_type_embeddings@134 embedding_transformation@859 "
    "LayerNorm@914", "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),true_hidden_size] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]",
    "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),?] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]", "query@916 key@916 value@917",
    "weight[true_hidden_size,true_hidden_size] bias[true_hidden_size]",
    "bias[true_hidden_size] weight[true_hidden_size]", "dense@919 LayerNorm@920", "self@918 output@921",
    "weight[intermediate_size,true_hidden_size] bias[intermediate_size]", "dense@923",
    "weight[true_hidden_size,intermediate_size] bias[true_hidden_size]",
    "weight[hidden_size,true_hidden_size]? bias[hidden_size]?", "bias[hidden_size]? weight[hidden_size]?",
    "dense@926 LayerNorm@927", "dense@925 LayerNorm@920 bottleneck@928",
    "weight[intra_bottleneck_size,hidden_size]? bias[intra_bottleneck_size]?",
    "bias[intra_bottleneck_size]? weight[intra_bottleneck_size]?", "dense@930 LayerNorm@931", "input@932 attention@932",
    "dense@925 LayerNorm@920", "intermediate@924 output@934", "#{(num_feedforward_networks-1)}@935",
    "attention@922 intermediate@924 output@929 bottleneck@933 ffn@936", "#{num_hidden_layers}@937", "layer@938",
    "embeddings@915 encoder@939", "weight[(hidden_size-embedding_size),vocab_size]",
    "bias[vocab_size] transform@137 dense@941 decoder@54", "dense@81 norm(weight[hidden_size])",
    "weight[hidden_size] bias[hidden_size]?", "tok_embeddings@0 norm@944",
    "weight[((hidden_size/num_attention_heads)*num_attention_heads),hidden_size] "
    "bias[((hidden_size/num_attention_heads)*num_attention_heads)]?", "Wi@395 Wo@66", "dense@74 norm@300",
    "weight[?,text_config.hidden_size] bias[?]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(pixel_shuffle_factor*pixel_shuffle_factor))]",
    "weight[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]?",
    "weight[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads))]?",
    "weight[hidden_size,(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]",
    "q_proj@951 k_proj@952 v_proj@952 o_proj@953", "linear@305", "weight[d_model,d_model]",
    "q_proj@25 k_proj@26 v_proj@26 o_proj@27 gate_proj@28", "weight[moe_hidden_size]", "weight[prompt_length,d_model]?",
    "weight[prompt_mid_dim,d_model]? bias[prompt_mid_dim]?",
    "weight[((decoder_layers*2)*d_model),prompt_mid_dim]? bias[((decoder_layers*2)*d_model)]?", "0@960 2@961",
    "prompt_embedding@959 prompt_trans@962", "weight[encoder_ffn_dim,d_model]? bias[encoder_ffn_dim]?",
    "weight[d_model,encoder_ffn_dim]? bias[d_model]?", "weight[num_experts,d_model]?", "classifier@966",
    "fc1@964 fc2@965", "weight[decoder_ffn_dim,d_model]? bias[decoder_ffn_dim]?",
    "weight[d_model,decoder_ffn_dim]? bias[d_model]?", "fc1@969 fc2@970", "fc12@62 fc11@62 fc2@63", "out_proj@306",
    "norm1@41 mlp@972 attn@973 norm2@41", "attn(Wqkv(weight[*]~))", "#{num_hidden_layers}@974 #{}@975", "layers@976",
    "weight[(num_attention_heads*head_dim),hidden_size]~", "q_proj@978 k_proj@978 v_proj@978", "self_attn@979",
    "#{num_hidden_layers}@980", "word_embeddings@0 position_embeddings@165 token_type_embeddings@134 LayerNorm@41",
    "weight[(linear_key_head_dim*linear_num_key_heads),hidden_size]?",
    "weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]?",
    "weight[linear_num_value_heads,hidden_size]?",
    "weight[hidden_size,(linear_value_head_dim*linear_num_value_heads)]?", "weight[linear_value_head_dim]?",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]? "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?",
    "weight[(dit_config.num_key_value_heads*dit_config.head_dim),dit_config.hidden_size]",
    "weight[dit_config.intermediate_size,dit_config.hidden_size]", "weight[dit_config.hidden_size]",
    "weight[text_config.vocab_size,text_config.d_model]",
    "weight[text_config.d_model,text_config.d_model] bias[text_config.d_model]",
    "k_proj@993 v_proj@993 q_proj@993 out_proj@993", "weight[text_config.d_model] bias[text_config.d_model]",
    "embeddings@607 encoder@862 post_layernorm@71", "vision_model@996",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?", "q_proj@998 k_proj@999 v_proj@999 o_proj@1000",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]?",
    "gate_proj@1002 up_proj@1002 down_proj@1003",
    "self_attn@1001 mlp@1004 input_layernorm@300 post_attention_layernorm@300", "#{text_config.num_hidden_layers}@1005",
    "embed_tokens@77 layers@1006 norm@300",
    "weight[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size),((vis"
    "ion_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)] "
    "bias[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)]",
    "weight[text_config.hidden_size,((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.s"
    "patial_merge_size)] bias[text_config.hidden_size]", "pre_norm@71 linear_1@1008 linear_2@1009", "linear@642",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/subsampling_conv_channels),subsampling_conv_kern"
    "el_size,subsampling_conv_kernel_size] bias[subsampling_conv_channels]",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/1),1,1] bias[subsampling_conv_channels]",
    "linear1@65 linear2@66", "weight[hidden_size] bias[hidden_size] running_mean[hidden_size] running_var[hidden_size] "
    "num_batches_tracked[]", "k_proj@956 v_proj@956 q_proj@956 out_proj@956",
    "weight[(hidden_size/num_attention_heads)]? bias[(hidden_size/num_attention_heads)]?",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))+(2*(num_key_value_heads*(hidden_size/num_att"
    "ention_heads)))),hidden_size]", "o_proj@357 qkv_proj@1018",
    "self_attn@1019 mlp@456 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@1020",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/audio_config.nemo_conv_channels),?,?"
    "] bias[audio_config.nemo_conv_channels]",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/1),1,1] "
    "bias[audio_config.nemo_conv_channels]", "weight[audio_config.hidden_size] bias[audio_config.hidden_size]",
    "weight[(audio_config.intermediate_size*2),audio_config.hidden_size] bias[(audio_config.intermediate_size*2)]",
    "weight[audio_config.hidden_size,audio_config.intermediate_size] bias[audio_config.hidden_size]",
    "layer_norm@1024 gate_up_proj@1025 down_proj@1026",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size] "
    "bias[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads))]",
    "weight[hidden_size,(audio_config.hidden_size*audio_config.downsample_rate)] bias[hidden_size]",
    "weight[vision_config.seq_len,vision_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*vision_config.d_kv),vision_config.hidden_size]",
    "weight[vision_config.d_ff,vision_config.hidden_size]", "weight[text_config.d_ff,text_config.hidden_size]",
    "weight[ngram,hidden_size]", "weight[(num_buckets*num_decoder_attention_heads),hidden_size] "
    "bias[(num_buckets*num_decoder_attention_heads)]",
    "key_proj@43 value_proj@43 query_proj@43 out_proj@43 relative_pos_embeddings@1035",
    "key_proj@183 value_proj@183 query_proj@183 out_proj@183",
    "weight[decoder_ffn_dim,hidden_size] bias[decoder_ffn_dim]",
    "weight[hidden_size,decoder_ffn_dim] bias[hidden_size]", "intermediate@1038 output@1039",
    "self_attn@1036 self_attn_layer_norm@41 cross_attn@1037 cross_attn_layer_norm@184 feed_forward@1040 "
    "feed_forward_layer_norm@41", "#{num_decoder_layers}@1041",
    "word_embeddings@164 position_embeddings@133 ngram_embeddings@1034 layers@1042 embeddings_layer_norm@41",
    "weight[encoder_ffn_dim,hidden_size] bias[encoder_ffn_dim]",
    "weight[hidden_size,encoder_ffn_dim] bias[hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),?,?] bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,?,vision_config.hidden_size]? "
    "patch_embedding@1046 mask_token[1,1,vision_config.hidden_size]?", "weight[vision_config.hidden_size]?",
    "q_norm@1048 k_norm@1048", "ls1[?] ls2[?] attn@691 mlp@173 norm1@71 norm2@71 attention@1049",
    "qkv(weight[*]~ bias[*]~)", "attn@1051", "#{vision_config.num_hidden_layers}@1050 #{}@1052", "layers@1053",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size]~ "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]~",
    "q_proj@1055 k_proj@1055 v_proj@1055", "attention@1056", "#{vision_config.num_hidden_layers}@1057",
    "q_proj@998 k_proj@999 v_proj@999 o_proj@1000 q_norm@295 k_norm@295",
    "self_attn@1059 mlp@299 input_layernorm@300 post_attention_layernorm@300", "#{text_config.num_hidden_layers}@1060",
    "layers@1061", "embed_tokens@77 encoder@1062 norm@300", "weight[d_model,(num_mel_bins/1),?] bias[d_model]",
    "weight[d_model,(d_model/1),?] bias[d_model]", "weight[max_source_positions,d_model]",
    "k_proj@956 v_proj@114 q_proj@114 out_proj@114",
    "self_attn@1067 self_attn_layer_norm@116 fc1@126 fc2@127 final_layer_norm@116", "#{encoder_layers}@1068",
    "weight[text_config.hidden_size,audio_config.d_model] bias[text_config.hidden_size]", "linear@1070",
    "gate@264 experts@34 shared_expert@696 shared_expert_gate(weight[1,hidden_size])",
    "weight[vision_config.embed_dim,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_config"
    ".patch_size,vision_config.patch_size]", "proj@1073",
    "weight[(vision_config.embed_dim*3),vision_config.embed_dim] bias[(vision_config.embed_dim*3)]",
    "qkv@1075 proj@615", "weight[(vision_config.embed_dim*vision_config.mlp_ratio),vision_config.embed_dim] "
    "bias[(vision_config.embed_dim*vision_config.mlp_ratio)]",
    "weight[vision_config.embed_dim,(vision_config.embed_dim*vision_config.mlp_ratio)] "
    "bias[vision_config.embed_dim]", "fc1@1077 fc2@1078", "norm1@614 norm2@614 attn@1076 mlp@1079",
    "#{vision_config.depth}@1080",
    "weight[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(vision"
    "_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.hidden_size,(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.sp"
    "atial_merge_size))] bias[vision_config.hidden_size]", "0@1082 2@1083", "ln_q@614 mlp@1084",
    "patch_embed@1074 blocks@1081 merger@1085",
    "weight[audio_config.d_model,(audio_config.num_mel_bins/1),?] bias[audio_config.d_model]",
    "weight[audio_config.d_model,(audio_config.d_model/1),?] bias[audio_config.d_model]",
    "weight[?,audio_config.output_dim]", "weight[audio_config.d_model,audio_config.d_model]",
    "weight[audio_config.d_model,audio_config.d_model] bias[audio_config.d_model]",
    "k_proj@1090 v_proj@1091 q_proj@1091 out_proj@1091", "weight[audio_config.d_model] bias[audio_config.d_model]",
    "weight[audio_config.encoder_ffn_dim,audio_config.d_model] bias[audio_config.encoder_ffn_dim]",
    "weight[audio_config.d_model,audio_config.encoder_ffn_dim] bias[audio_config.d_model]",
    "self_attn@1092 self_attn_layer_norm@1093 fc1@1094 fc2@1095 final_layer_norm@1093",
    "#{audio_config.encoder_layers}@1096",
    "weight[audio_config.output_dim,audio_config.d_model] bias[audio_config.output_dim]",
    "conv1@1087 conv2@1088 audio_bos_eos_token@1089 layers@1097 ln_post@1093 proj@1098",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size]", "proj@1100", "q@69 k@69 v@69 proj@69",
    "gate_proj@171 up_proj@171 down_proj@172", "norm1@435 norm2@435 attn@1102 mlp@1103", "#{vision_config.depth}@1104",
    "0@289 2@290", "ln_q@435 mlp@1106", "patch_embed@1101 blocks@1105 merger@1107",
    "self_attn@460 mlp@299 input_layernorm@300 post_attention_layernorm@300", "#{text_config.num_hidden_layers}@1109",
    "embed_tokens@77 layers@1110 norm@300", "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]",
    "qkv@1112 proj@43", "weight[downsample_hidden_size,(downsample_hidden_size/1),?,?] bias[downsample_hidden_size]",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((l"
    "inear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_he"
    "ad_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?",
    "weight[((num_attention_heads*head_dim)*2),hidden_size]?",
    "q_proj@1116 k_proj@746 v_proj@746 o_proj@747 q_norm(weight[head_dim]?) k_norm(weight[head_dim]?)",
    "k_proj@1091 v_proj@1091 q_proj@1091 out_proj@1091",
    "self_attn@1118 self_attn_layer_norm@1093 fc1@1094 fc2@1095 final_layer_norm@1093",
    "#{audio_config.encoder_layers}@1119",
    "weight[audio_config.downsample_hidden_size,1,?,?] bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.downsample_hidden_size,(audio_config.downsample_hidden_size/1),?,?] "
    "bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.d_model,(audio_config.downsample_hidden_size*((((((audio_config.num_mel_bins+1)/2)+1)/2)"
    "+1)/2))]", "layers@1120 ln_post@1093 conv2d1@1121 conv2d2@1122 conv2d3@1122 conv_out@1123 proj1@1091 proj2@1098",
    "ln_q@291 mlp@1106", "#{}@1125", "ln_q@71 mlp@1106",
    "merger_list@1126 patch_embed@282 pos_embed@283 blocks@288 merger@1127",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))] bias[text_config.hidden_size]?",
    "weight[(text_config.hidden_size/text_config.num_attention_heads)]",
    "q_proj@1129 k_proj@1130 v_proj@1130 o_proj@1131 q_norm@1132 k_norm@1132",
    "weight[text_config.num_experts,text_config.hidden_size]",
    "gate_up_proj[text_config.num_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.num_experts,text_config.hidden_size,text_config.moe_intermediate_size]~",
    "weight[num_position_embeddings,hidden_size]", "linear_fc1@45 linear_fc2@46",
    "norm1@41 norm2@41 attn@1113 mlp@1137", "#{depth}@1138", "norm@41 linear_fc1@391 linear_fc2@392",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidde"
    "n_size]?",
    "dt_bias[linear_num_value_heads]? A_log[?]? conv1d@1115 norm@987 out_proj@986 in_proj_qkv@1141 in_proj_z@984 "
    "in_proj_b@985 in_proj_a@985", "weight[linear_num_value_heads,hidden_size]", "weight[(hc_count*hidden_size)]",
    "weight[hc_lowrank,(hc_count*hidden_size)]", "weight[(hc_count*hidden_size),hc_lowrank]",
    "weight[hc_count,(hc_count*hidden_size)]",
    "hc_norm@1144 input_mix_weight_down@1145 input_mix_weight_up@1146 block_inject_weight@1147",
    "weight[lru_width,hidden_size]? bias[lru_width]?",
    "weight[(intermediate_size/2),hidden_size] bias[(intermediate_size/2)]", "weight[vocab_size,input_embedding_size]",
    "weight[max_position_embeddings,input_embedding_size]", "weight[type_vocab_size,input_embedding_size]",
    "weight[input_embedding_size] bias[input_embedding_size]",
    "word_embeddings@1151 position_embeddings@1152 token_type_embeddings@1153 LayerNorm@1154",
    "weight[hidden_size,input_embedding_size] bias[hidden_size]", "embedding_hidden_mapping_in@1156 layer@142",
    "embeddings@1155 encoder@1157", "weight[?] bias[?] running_mean[?] running_var[?] num_batches_tracked[]",
    "convolution(weight[?,?,1,1]) normalization@1159", "convolution(weight[?,?,?,?]) normalization@1159",
    "0@1160 1@1161 2@1160", "layer@1162", "weight[?]? bias[?]? running_mean[?]? running_var[?]? num_batches_tracked[]?",
    "convolution(weight[?,?,1,1]?) normalization@1164", "convolution(weight[?,?,?,?]?) normalization@1164",
    "0@1165 1@1166 2@1165", "layer@1167", "weight[pronunciation_vocab_size,pronunciation_embed_dim]",
    "weight[shape_vocab_size,shape_embed_dim]", "weight[hidden_size,?]? bias[hidden_size]?",
    "word_embeddings@0 pronunciation_embed@1169 shape_embed@1170 position_embeddings@133 "
    "token_type_embeddings@134 map_inputs_layer@1171 LayerNorm@41", "embeddings@1172 encoder@143",
    "self@136 output@151 LayerNorm@41", "LayerNorm@41 dense@45", "attention@1174 intermediate@1175 output@367",
    "#{num_hidden_layers}@1176", "layer@1177", "embeddings@252 encoder@1178 LayerNorm@41",
    "weight[attention_hidden_size,hidden_size]", "projection@612", "weight[output_channels] bias[output_channels]",
    "weight[feature_projection_input_dim] bias[feature_projection_input_dim]",
    "weight[hidden_size,feature_projection_input_dim] bias[hidden_size]", "layer_norm@1183 projection@1184",
    "weight[speech_encoder_intermediate_size,hidden_size] bias[speech_encoder_intermediate_size]",
    "weight[hidden_size,speech_encoder_intermediate_size] bias[hidden_size]",
    "intermediate_dense@1186 output_dense@1187", "weight[(2*hidden_size),(hidden_size/1),1]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]", "weight[hidden_size,(hidden_size/1),1]",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]? bias[(2*hidden_size)]?",
    "linear_q@183 linear_k@183 linear_v@183 linear_out@183",
    "weight[speech_encoder_intermediate_size,hidden_size]? bias[speech_encoder_intermediate_size]?",
    "weight[hidden_size,speech_encoder_intermediate_size]? bias[hidden_size]?",
    "intermediate_dense@1194 output_dense@1195",
    "residual_layer_norm@184 residual_conv@1192 self_attn_layer_norm@184 self_attn_conv@1192 self_attn@1193 "
    "ffn_layer_norm@184 ffn@1196", "#{num_adapter_layers}@1197", "layers@1198", "fc1@1038 fc2@1039",
    "self_attn@166 self_attn_layer_norm@41 cross_attention@166 cross_attention_layer_norm@41 ffn@1200 "
    "ffn_layer_norm@41", "#{decoder_layers}@1201", "embed_tokens@164 layers@1202 layer_norm@41",
    "k_proj@183 v_proj@183 q_proj@183 out_proj@183", "weight[encoder_ffn_dim,hidden_size]? bias[encoder_ffn_dim]?",
    "weight[hidden_size,encoder_ffn_dim]? bias[hidden_size]?", "fc1@1205 fc2@1206",
    "self_attn@1204 self_attn_layer_norm@184 ffn@1207 ffn_layer_norm@184", "#{encoder_layers}@1208",
    "embed_tokens@164 layers@1209 layer_norm@184", "weight[decoder_ffn_dim,hidden_size]? bias[decoder_ffn_dim]?",
    "weight[hidden_size,decoder_ffn_dim]? bias[hidden_size]?", "fc1@1211 fc2@1212",
    "self_attn@1204 self_attn_layer_norm@184 cross_attention@1204 cross_attention_layer_norm@184 ffn@1213 "
    "ffn_layer_norm@184", "#{decoder_layers}@1214", "embed_tokens@164 layers@1215 layer_norm@184",
    "weight[t2u_encoder_ffn_dim,hidden_size] bias[t2u_encoder_ffn_dim]",
    "weight[hidden_size,t2u_encoder_ffn_dim] bias[hidden_size]", "fc1@1217 fc2@1218",
    "self_attn@166 self_attn_layer_norm@41 ffn@1219 ffn_layer_norm@41", "#{t2u_encoder_layers}@1220",
    "layers@1221 layer_norm@41", "weight[t2u_vocab_size,hidden_size]",
    "weight[t2u_decoder_ffn_dim,hidden_size] bias[t2u_decoder_ffn_dim]",
    "weight[hidden_size,t2u_decoder_ffn_dim] bias[hidden_size]", "fc1@1224 fc2@1225",
    "self_attn@166 self_attn_layer_norm@41 cross_attention@166 cross_attention_layer_norm@41 ffn@1226 "
    "ffn_layer_norm@41", "#{t2u_decoder_layers}@1227", "embed_tokens@1223 layers@1228 layer_norm@41",
    "encoder@1222 decoder@1229", "weight[t2u_vocab_size,hidden_size]?", "model@1230 lm_head@1231",
    "weight[unit_embed_dim,(unit_embed_dim/1),variance_predictor_kernel_size]? bias[unit_embed_dim]?",
    "weight[unit_embed_dim]? bias[unit_embed_dim]?", "weight[1,unit_embed_dim]? bias[1]?",
    "conv1@1233 ln1@1234 conv2@1233 ln2@1234 proj@1235", "weight[unit_hifi_gan_vocab_size,unit_embed_dim]?",
    "weight[vocoder_num_spkrs,spkr_embed_dim]?", "weight[vocoder_num_langs,lang_embed_dim]?",
    "weight[upsample_initial_channel,(((unit_embed_dim+lang_embed_dim)+spkr_embed_dim)/1),?]? "
    "bias[upsample_initial_channel]?", "weight[?,?,?]? bias[?]?", "#{}@1241", "0@1241 1@1241 2@1241",
    "convs1@1243 convs2@1243", "#{}@1244", "weight[1,?,?]? bias[1]?",
    "conv_pre@1240 upsampler@1242 resblocks@1245 conv_post@1246",
    "dur_predictor@1236 unit_embedding@1237 speaker_embedding@1238 language_embedding@1239 hifi_gan@1247",
    "fc1@1044 fc2@1045", "self_attn@166 self_attn_layer_norm@41 ffn@1249 ffn_layer_norm@41", "#{encoder_layers}@1250",
    "embed_tokens@164 layers@1251 layer_norm@41",
    "weight[feature_projection_input_dim]? bias[feature_projection_input_dim]?",
    "weight[hidden_size,feature_projection_input_dim]? bias[hidden_size]?", "layer_norm@1253 projection@1254",
    "weight[(2*hidden_size),(hidden_size/1),1]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]?",
    "weight[hidden_size,(hidden_size/1),1]?", "weight[char_vocab_size,hidden_size]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_embed_dim/1),t2u_variance_predictor_kernel_"
    "size] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_hidden_dim/1),t2u_variance_predictor_kernel"
    "_size] bias[t2u_variance_predictor_hidden_dim]", "weight[1,t2u_variance_predictor_hidden_dim] bias[1]",
    "conv1@1260 ln1@1261 conv2@1262 ln2@1261 proj@1263",
    "self_attn@166 self_attn_layer_norm@41 conv1@80 conv2@80 conv_layer_norm@41", "#{t2u_decoder_layers}@1265",
    "pos_emb_alpha_char[1] pos_emb_alpha[1] embed_tokens@1223 embed_char@1259 duration_predictor@1264 layers@1266"
    " layer_norm@41", "encoder@1222 decoder@1267", "model@1268 lm_head@1231",
    "token_embedding@77 position_embedding@196", "k_proj@83 v_proj@83 q_proj@83 out_proj@83", "fc1@206 fc2@208",
    "layer_norm1@197 self_attn@1271 layer_norm2@197 mlp@1272", "#{text_config.num_hidden_layers}@1273", "layers@1274",
    "weight[text_config.projection_size,text_config.hidden_size] bias[text_config.projection_size]",
    "embeddings@1270 encoder@1275 final_layer_norm@197 head@1276",
    "in_proj_weight[(3*hidden_size),hidden_size]? in_proj_bias[(3*hidden_size)]? out_proj@183", "fc1@186 fc2@188",
    "probe[1,1,hidden_size]? attention@1278 layernorm@184 mlp@1279",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]", "weight[?,?,?] bias[?]?", "conv@1282",
    "intermediate_dense@1044 output_dense@1045", "attention@166 layer_norm@41 feed_forward@1284 final_layer_norm@41",
    "#{encoder_layers}@1285", "weight[(2*encoder_max_relative_position),(hidden_size/encoder_attention_heads)]",
    "pe_k@1287", "layer_norm@41 layers@1286 embed_positions@1288", "intermediate_dense@1038 output_dense@1039",
    "self_attn@166 self_attn_layer_norm@41 encoder_attn@166 encoder_attn_layer_norm@41 feed_forward@1290 "
    "final_layer_norm@41", "#{decoder_layers}@1291", "layers@1292", "out_proj@69", "c_fc@171 c_proj@172",
    "ls_1(gamma[?]) ls_2(gamma[?]) attn@1294 mlp@1295 ln_1@71 ln_2@71", "in_proj_weight[*]~ in_proj_bias[*]~",
    "attn@1297", "#{vision_config.num_hidden_layers}@1296 #{}@1298", "resblocks@1299",
    "weight[(vision_config.hidden_size*2),(vision_config.hidden_size/1),?,?] bias[(vision_config.hidden_size*2)]",
    "weight[(vision_config.hidden_size*4),((vision_config.hidden_size*2)/1),?,?] "
    "bias[(vision_config.hidden_size*4)]", "k_proj@670 v_proj@670 q_proj@670", "self_attn@1303",
    "#{vision_config.num_hidden_layers}@1304", "weight[text_config.num_attention_heads,text_config.hidden_size]",
    "q_proj@998 k_proj@999 v_proj@999 o_proj@1000 q_norm@295 k_norm@295 g_proj@1306",
    "weight[text_config.intermediate_size,text_config.hidden_size]? bias[text_config.intermediate_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size]? bias[text_config.hidden_size]?",
    "weight[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?",
    "gate@906 down_proj@1310 router_bias[text_config.n_routed_experts]?",
    "weight[text_config.share_expert_dim,text_config.hidden_size]?",
    "weight[text_config.hidden_size,text_config.share_expert_dim]?", "gate_proj@1312 up_proj@1312 down_proj@1313",
    "moe@874",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]?",
    "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?)",
    "expert_0@1318 expert_1@1318 expert_2@1318 expert_3@1318 expert_4@1318 expert_5@1318 expert_6@1318 "
    "expert_7@1318", "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) router@967 experts@1319",
    "mlp@1320 layer_norm(weight[d_model])", "0@782 1@1321", "layer@1322", "#{}@1323",
    "embed_tokens@123 block@1324 final_layer_norm(weight[d_model])", "0@782 1@784 2@1321", "layer@1326", "#{}@1327",
    "embed_tokens@123 block@1328 final_layer_norm(weight[d_model])", "0@782 1@777", "layer@1330", "#{num_layers}@1331",
    "embed_tokens@123 block@1332 final_layer_norm(weight[d_model])", "weight[?,decoder.hidden_size] bias[?]",
    "out_proj@1334", "weight[encoder.text_config.hidden_size]",
    "weight[(encoder.text_config.num_key_value_heads*encoder.text_config.head_dim),encoder.text_config.hidden_siz" "e]",
    "weight[encoder.text_config.head_dim]",
    "weight[encoder.text_config.intermediate_size,encoder.text_config.hidden_size]", "weight[decoder.hidden_size]",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size]", "weight[decoder.head_dim]",
    "weight[decoder.intermediate_size,decoder.hidden_size]", "weight[decoder.hidden_size,decoder.intermediate_size]",
    "gate_proj@1343 up_proj@1343 down_proj@1344", "weight[encoder.hidden_size]",
    "weight[(encoder.num_key_value_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_key_value_heads*encoder.head_dim)]?", "weight[encoder.intermediate_size,encoder.hidden_size]",
    "weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_attention_heads*decoder.head_dim)]?",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?",
    "weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)] bias[decoder.hidden_size]?",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?",
    "word_embeddings@0 position_embeddings@133 token_type_embeddings_0(weight[?,hidden_size]) "
    "token_type_embeddings_1(weight[?,hidden_size]) token_type_embeddings_2(weight[?,hidden_size]) "
    "token_type_embeddings_3(weight[?,hidden_size]) token_type_embeddings_4(weight[?,hidden_size]) "
    "token_type_embeddings_5(weight[?,hidden_size]) token_type_embeddings_6@348 LayerNorm@41",
    "weight[hidden_size,hidden_size]~ bias[hidden_size]~", "weight[?,hidden_size]~ bias[?]~",
    "weight[d_model]? bias[d_model]?", "weight[relative_attention_num_buckets,num_heads]",
    "q@771 k@771 v@771 o@772 relative_attention_bias@1357", "SelfAttention@1358 layer_norm(weight[d_model])",
    "0@1359 1@827", "layer@1360", "#{num_layers}@1361", "embed_tokens@123 block@1362 final_layer_norm(weight[d_model])",
    "0@1359 1@784 2@827", "layer@1364", "#{num_decoder_layers}@1365",
    "embed_tokens@123 block@1366 final_layer_norm(weight[d_model])",
    "weight[d_model,(num_channels/1),patch_size,patch_size] bias[d_model]", "proj@1368",
    "weight[d_model,(num_channels/1),patch_size,patch_size]? bias[d_model]?", "proj@1370",
    "weight[max_2d_position_embeddings,d_model]", "x_position_embeddings@1372 y_position_embeddings@1372",
    "relative_attention_bias(weight[?,num_heads]?)", "#{}@1374", "biases@1375",
    "relative_attention_bias(weight[?,num_heads])", "#{}@1377", "biases@1378",
    "weight[vision_config.sam_config.hidden_size] bias[vision_config.sam_config.hidden_size]",
    "weight[vision_config.sam_config.output_channels] bias[vision_config.sam_config.output_channels]",
    "weight[vision_config.encoder_config.hidden_size] bias[vision_config.encoder_config.hidden_size]",
    "weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size]~ "
    "bias[vision_config.encoder_config.hidden_size]~",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]? "
    "bias[(text_config.moe_intermediate_size*text_config.n_shared_experts)]?",
    "weight[num_filters,(channels/1),kernel_size] bias[num_filters]", "conv@1385",
    "weight[(ffn_expansion*num_filters),num_filters] bias[(ffn_expansion*num_filters)]",
    "weight[num_filters,(ffn_expansion*num_filters)] bias[num_filters]", "linear1@1387 linear2@1388",
    "weight[num_filters,(num_filters/num_filters),kernel_size] bias[num_filters]", "conv@1390",
    "gamma[?] ffn_gamma[?] norm(weight[num_filters]) ffn_norm(weight[num_filters]) ffn@1389 mixer@1391",
    "0@1392 1@1392 2@1392", "conv@1386 stage@1393", "conv(weight[?,?,?] bias[?])",
    "linear1(weight[?,?] bias[?]) linear2(weight[?,?] bias[?])", "weight[?,?,kernel_size] bias[?]", "conv@1397",
    "gamma[?] ffn_gamma[?] norm(weight[?]) ffn_norm(weight[?]) ffn@1396 mixer@1398", "#{}@1399", "conv@1395 stage@1400",
    "#{}@1401", "weight[hidden_size,?,kernel_size] bias[hidden_size]", "conv@1403",
    "stem@1394 conv_layers@1402 head@1404", "weight[(num_filters*64)]",
    "weight[(ffn_expansion*(num_filters*64)),(num_filters*64)] bias[(ffn_expansion*(num_filters*64))]",
    "weight[(num_filters*64),(ffn_expansion*(num_filters*64))] bias[(num_filters*64)]", "linear1@1407 linear2@1408",
    "weight[(num_filters*64),((num_filters*64)/(num_filters*64)),kernel_size] bias[(num_filters*64)]", "conv@1410",
    "gamma[?] ffn_gamma[?] norm@1406 ffn_norm@1406 ffn@1409 mixer@1411",
    "weight[text_config.hidden_size,acoustic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,semantic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "acoustic_linear_1@1413 acoustic_norm@300 acoustic_linear_2@83 semantic_linear_1@1414 semantic_norm@300 "
    "semantic_linear_2@83", "weight[diffusion_head_config.hidden_size,diffusion_head_config.hidden_size]",
    "weight[diffusion_head_config.intermediate_size,diffusion_head_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num_attention_heads"
    ")),vision_config.hidden_size] bias[(vision_config.num_attention_heads*(vision_config.intermediate_size/visio"
    "n_config.num_attention_heads))]", "q_proj@57 k_proj@57 v_proj@57 o_proj@489",
    "attention@1419 layernorm_before@41 layernorm_after@41 mlp@243",
    "weight[(5*vision_config.hidden_size)] bias[(5*vision_config.hidden_size)]",
    "weight[text_config.hidden_size,(5*vision_config.hidden_size)] bias[text_config.hidden_size]",
    "projector_layernorm@1421 linear_1@1422 linear_2@83",
    "weight[text_config.hidden_size,audio_config.intermediate_size]", "linear_1@1424 linear_2@74",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]",
    "q_proj@292 k_proj@293 v_proj@293 o_proj@294", "weight[text_config.hidden_size,?]", "linear1@437 linear2@1428",
    "self_attn@1427 mlp@299 input_layernorm@300 post_attention_layernorm@300 ada_rms_norm@1429",
    "#{text_config.num_hidden_layers}@1430", "embed_tokens@77 layers@1431 norm@300",
    "weight[text_config.hidden_size,(audio_config.hidden_size*downsample_factor)]", "linear_1@1433 linear_2@74",
    "weight[max_target_positions,d_model]",
    "self_attn@1067 self_attn_layer_norm@116 encoder_attn@1067 encoder_attn_layer_norm@116 fc1@117 fc2@118 "
    "final_layer_norm@116", "#{decoder_layers}@1436",
    "embed_tokens@112 embed_positions@1435 layers@1437 layer_norm@116",
    "conv1@1064 conv2@1065 embed_positions@1066 layers@1069 layer_norm@116", "weight[d_model,d_model]? bias[d_model]?",
    "word_embeddings@0 token_type_embeddings@134 position_embeddings@133",
    "self@136 output@151 self_attn_layer_norm@41", "attention@1442 intermediate@139 output@367 LayerNorm@41",
    "#{num_hidden_layers}@1443", "layer@1444 LayerNorm@41", "embeddings@1441 encoder@1445", "summary@114",
    "weight[(hidden_size/adapter_reduction_factor),hidden_size] bias[(hidden_size/adapter_reduction_factor)]",
    "weight[hidden_size,(hidden_size/adapter_reduction_factor)] bias[hidden_size]", "dense1@1448 dense2@1449",
    "en_XX@1450", "dense@46 LayerNorm@41 adapter_modules@1451 adapter_layer_norm@184",
    "attention@138 intermediate@139 output@1452", "#{num_hidden_layers}@1453", "layer@1454 LayerNorm@184",
    "embeddings@252 encoder@1455",
}};

constexpr std::array<ClassRow, 939> kClassRows{{
    {"AXK1ForCausalLM", "axk1", "", "model", "lm_head@0 model=:AXK1Model", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForSequenceClassification", "axk1", "", "model", "score(weight[?,hidden_size]) model=:AXK1Model",
     "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForTokenClassification", "axk1", "", "model", "score@1 model=:AXK1Model", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1Model", "axk1", "axk1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@7 mlp@15 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_mlp_layernorm(weight[hidden_size]?)) #{}@19) "
     "norm(weight[hidden_size])", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK2ForCausalLM", "axk2", "", "model", "lm_head@0 model=:AXK2Model", "inv_freq"},
    {"AXK2ForSequenceClassification", "axk2", "", "model", "score(weight[?,hidden_size]) model=:AXK2Model", "inv_freq"},
    {"AXK2ForTokenClassification", "axk2", "", "model", "score@1 model=:AXK2Model", "inv_freq"},
    {"AXK2Model", "axk2", "axk2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj@2 q_a_layernorm(weight[q_lora_rank]) "
     "q_b_proj(weight[(num_attention_heads*((qk_nope_head_dim+qk_rope_head_dim)+v_head_dim)),(2*q_lora_rank)]) "
     "kv_a_proj_with_mqa@4 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@5 o_proj@6 indexer@24) mlp@15 "
     "input_layernorm(norm(weight[hidden_size]) W_down(weight[gated_norm_rank,hidden_size]) "
     "W_up(weight[hidden_size,gated_norm_rank])) post_attention_layernorm(weight[hidden_size]? "
     "norm(weight[hidden_size]?) W_down(weight[gated_norm_rank,hidden_size]?) "
     "W_up(weight[hidden_size,gated_norm_rank]?))) #{}@19) norm(weight[hidden_size])", "inv_freq"},
    {"AfmoeForCausalLM", "afmoe", "", "model", "lm_head@0 model=:AfmoeModel", ""},
    {"AfmoeModel", "afmoe", "afmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@25 k_proj@26 v_proj@26 o_proj@27 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@28) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_mlp_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]) mlp(gate_proj@8 up_proj@8 down_proj@9 expert_bias[num_experts]? "
     "router@30 shared_experts@33 experts@34)) #{}@19) norm(weight[hidden_size])", ""},
    {"AlbertForMaskedLM", "albert", "", "albert", "albert@52 predictions@55", ""},
    {"AlbertForMultipleChoice", "albert", "", "albert", "classifier@56 albert=:AlbertModel", ""},
    {"AlbertForPreTraining", "albert", "", "albert", "predictions@55 sop_classifier(classifier@1) albert=:AlbertModel",
     ""},
    {"AlbertForQuestionAnswering", "albert", "", "albert", "albert@52 qa_outputs@1", ""},
    {"AlbertForSequenceClassification", "albert", "", "albert", "classifier@1 albert=:AlbertModel", ""},
    {"AlbertForTokenClassification", "albert", "", "albert", "albert@52 classifier@1", ""},
    {"AlbertModel", "albert", "albert", "albert", "embeddings@39 encoder@51 pooler@43", ""},
    {"ApertusForCausalLM", "apertus", "", "model", "lm_head@0 model=:ApertusModel", ""},
    {"ApertusForTokenClassification", "apertus", "", "model", "score@1 model=:ApertusModel", ""},
    {"ApertusModel", "apertus", "apertus", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@61 mlp(up_proj@62 down_proj@63 act_fn(alpha_p[?] "
     "alpha_n[?] beta[] eps[])) attention_layernorm(weight[hidden_size]) "
     "feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ArceeForCausalLM", "arcee", "", "model", "lm_head@0 model=:ArceeModel", ""},
    {"ArceeForQuestionAnswering", "arcee", "", "transformer", "qa_outputs@1 transformer=:ArceeModel", ""},
    {"ArceeForSequenceClassification", "arcee", "", "model", "score(weight[?,hidden_size]) model=:ArceeModel", ""},
    {"ArceeForTokenClassification", "arcee", "", "model", "score@1 model=:ArceeModel", ""},
    {"ArceeModel", "arcee", "arcee", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@67 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"AriaForConditionalGeneration", "aria", "", "model",
     "multi_modal_projector@76 language_model(lm_head@77 model=text_config:AriaTextModel) "
     "vision_tower=vision_config:Idefics3VisionTransformer", ""},
    {"AriaModel", "aria", "aria", "model",
     "multi_modal_projector@76 vision_tower=vision_config:Idefics3VisionTransformer "
     "language_model(model=text_config:AriaTextModel)", ""},
    {"AriaTextForCausalLM", "aria_text", "", "model", "lm_head@0 model=:AriaTextModel", ""},
    {"AriaTextModel", "aria_text", "aria_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp(router(weight[moe_num_experts,hidden_size]) "
     "experts(fc1(weight[moe_num_experts,hidden_size,(2*intermediate_size)]) "
     "fc2(weight[moe_num_experts,intermediate_size,hidden_size])) shared_experts(gate_proj@78 up_proj@78 "
     "down_proj(weight[hidden_size,(intermediate_size*moe_num_shared_experts)] bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"AudioFlamingo3Encoder MossTranscribeDiarizeAudioModel VoxtralEncoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder", "model",
     "conv1@79 conv2@80 embed_positions(weight[max_source_positions,hidden_size]) "
     "layers(#{num_hidden_layers}(self_attn(k_proj@81 v_proj@43 q_proj@43 out_proj@43) self_attn_layer_norm@41 "
     "fc1@45 fc2@46 final_layer_norm@41)) layer_norm@41", ""},
    {"AudioFlamingo3ForConditionalGeneration MusicFlamingoForConditionalGeneration", "audioflamingo3 musicflamingo", "",
     "model", "multi_modal_projector@84 language_model@85 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"AudioFlamingo3Model MusicFlamingoModel", "audioflamingo3 musicflamingo", "audioflamingo3 musicflamingo", "model",
     "multi_modal_projector@84 audio_tower=audio_config:AudioFlamingo3Encoder language_model@86", ""},
    {"AyaVisionForConditionalGeneration", "aya_vision", "", "model",
     "multi_modal_projector@90 language_model(lm_head@91 model=text_config:Cohere2Model) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"AyaVisionModel", "aya_vision", "aya_vision", "model",
     "multi_modal_projector@90 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:Cohere2Model)", ""},
    {"BailingHybridForCausalLM", "bailing_hybrid", "", "model",
     "model(word_embeddings@0 layers@105 norm(weight[hidden_size])) lm_head@0", "model\\.layers\\.42\\..*"},
    {"BailingHybridModel", "bailing_hybrid", "bailing_hybrid", "model",
     "embed_tokens@0 layers@105 norm(weight[hidden_size])", "model\\.layers\\.42\\..*"},
    {"BambaForCausalLM", "bamba", "", "model", "lm_head@0 model=:BambaModel", ""},
    {"BambaModel", "bamba", "bamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@106 input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) mamba@111)) final_layernorm(weight[hidden_size])", ""},
    {"BartForCausalLM", "bart", "", "model", "model@122 lm_head@123", "decoder.version encoder.version"},
    {"BartForConditionalGeneration", "bart", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:BartModel", "decoder.version encoder.version"},
    {"BartForQuestionAnswering", "bart", "", "model", "qa_outputs@124 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartForSequenceClassification", "bart", "", "model", "classification_head@125 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartModel", "bart", "bart", "model", "shared@112 encoder@130 decoder@131", "decoder.version encoder.version"},
    {"BeamForCausalLM", "beam", "", "model", "lm_head@0 model=:BeamModel", ""},
    {"BeamModel", "beam", "beam", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(gate_bias[num_attention_heads] q_proj@25 k_proj@26 "
     "v_proj@26 o_proj@27 q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@28) mlp(gate_proj@8 "
     "up_proj@8 down_proj@9 experts@34 gate@132) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"BertForMaskedLM BertLMHeadModel", "bert", "", "bert", "bert@144 cls@147", ""},
    {"BertForMultipleChoice", "bert", "", "bert", "classifier@56 bert=:BertModel", ""},
    {"BertForNextSentencePrediction", "bert", "", "bert", "cls@148 bert=:BertModel", ""},
    {"BertForPreTraining", "bert", "", "bert", "cls@149 bert=:BertModel", ""},
    {"BertForQuestionAnswering", "bert", "", "bert", "bert@144 qa_outputs@1", ""},
    {"BertForSequenceClassification", "bert", "", "bert", "classifier@1 bert=:BertModel", ""},
    {"BertForTokenClassification", "bert", "", "bert", "bert@144 classifier@1", ""},
    {"BertGenerationDecoder", "bert-generation", "", "bert",
     "lm_head(bias[vocab_size] decoder@145) bert=:BertGenerationEncoder", ""},
    {"BertGenerationEncoder", "bert-generation", "bert-generation", "bert", "embeddings@150 encoder@143", ""},
    {"BertModel", "bert", "bert", "bert", "embeddings@135 encoder@143 pooler@151", ""},
    {"BigBirdForCausalLM BigBirdForMaskedLM", "big_bird", "", "bert", "cls@147 bert=:BigBirdModel", ""},
    {"BigBirdForMultipleChoice", "big_bird", "", "bert", "classifier@56 bert=:BigBirdModel", ""},
    {"BigBirdForPreTraining", "big_bird", "", "bert", "cls@149 bert=:BigBirdModel", ""},
    {"BigBirdForQuestionAnswering", "big_bird", "", "bert",
     "bert(embeddings@135 encoder@156) qa_classifier(intermediate@139 output@140 qa_outputs@1)", ""},
    {"BigBirdForSequenceClassification", "big_bird", "", "bert", "classifier@157 bert=:BigBirdModel", ""},
    {"BigBirdForTokenClassification", "big_bird", "", "bert", "classifier@1 bert=:BigBirdModel", ""},
    {"BigBirdModel", "big_bird", "big_bird", "bert", "embeddings@135 encoder@156 pooler@43", ""},
    {"BigBirdPegasusForCausalLM", "bigbird_pegasus", "", "model",
     "model(decoder(embed_tokens@112 embed_positions@158 layers@162 layernorm_embedding@116)) lm_head@112", ""},
    {"BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusForQuestionAnswering", "bigbird_pegasus", "", "model", "qa_outputs@124 model=:BigBirdPegasusModel",
     ""},
    {"BigBirdPegasusForSequenceClassification", "bigbird_pegasus", "", "model",
     "classification_head@125 model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusModel", "bigbird_pegasus", "bigbird_pegasus", "model",
     "shared@112 encoder(embed_tokens@123 embed_positions@158 layers(#{encoder_layers}(self_attn(self(query@163 "
     "key@163 value@163) output@159) self_attn_layer_norm@116 fc1@126 fc2@127 final_layer_norm@116)) "
     "layernorm_embedding@116) decoder(embed_tokens@123 embed_positions@158 layers@162 layernorm_embedding@116)", ""},
    {"BioGptForCausalLM", "biogpt", "", "biogpt", "output_projection@164 biogpt=:BioGptModel", ""},
    {"BioGptForSequenceClassification", "biogpt", "", "biogpt", "score(weight[?,hidden_size]) biogpt=:BioGptModel", ""},
    {"BioGptForTokenClassification", "biogpt", "", "biogpt", "classifier@1 biogpt=:BioGptModel", ""},
    {"BioGptModel", "biogpt", "biogpt", "biogpt",
     "embed_tokens@0 embed_positions@165 layers(#{num_hidden_layers}(self_attn@166 self_attn_layer_norm@41 fc1@45 "
     "fc2@46 final_layer_norm@41)) layer_norm@41", ""},
    {"BitNetForCausalLM", "bitnet", "", "model", "lm_head@0 model=:BitNetModel", ""},
    {"BitNetModel", "bitnet", "bitnet", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@57 k_proj@58 v_proj@58 o_proj@59 "
     "attn_sub_norm(weight[hidden_size])) mlp(gate_proj@62 up_proj@62 down_proj@63 "
     "ffn_sub_norm(weight[intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BlenderbotForCausalLM PegasusForCausalLM", "blenderbot pegasus", "", "model",
     "model(decoder(embed_tokens@112 embed_positions@158 layers@120 layer_norm@116)) lm_head@123", ""},
    {"BlenderbotForConditionalGeneration PegasusForConditionalGeneration", "blenderbot pegasus", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:BlenderbotModel", ""},
    {"BlenderbotModel PegasusModel", "blenderbot pegasus", "blenderbot pegasus", "model",
     "shared@112 encoder(embed_tokens@123 embed_positions@158 layers@129 layer_norm@116) decoder(embed_tokens@123 "
     "embed_positions@158 layers@120 layer_norm@116)", ""},
    {"BlenderbotSmallForCausalLM", "blenderbot-small", "", "model",
     "model(decoder(embed_tokens@112 embed_positions@158 layers@120 layernorm_embedding@116)) lm_head@123", ""},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:BlenderbotSmallModel", ""},
    {"BlenderbotSmallModel", "blenderbot-small", "blenderbot-small", "model",
     "shared@112 encoder(embed_tokens@123 embed_positions@158 layers@129 layernorm_embedding@116) "
     "decoder(embed_tokens@123 embed_positions@158 layers@120 layernorm_embedding@116)", ""},
    {"Blip2ForImageTextRetrieval", "blip-2", "", "blip",
     "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@177 embeddings(word_embeddings@178 "
     "position_embeddings@179) vision_projection@180 text_projection@180 "
     "itm_head(weight[?,qformer_config.hidden_size] bias[?]) qformer=qformer_config:Blip2QFormerModel", ""},
    {"Blip2QFormerModel", "blip_2_qformer", "blip_2_qformer", "blip",
     "layernorm@41 encoder(layer(#{num_hidden_layers}(attention(attention@136 output@137) "
     "crossattention(attention(query@181 key@182 value@182) output@185) intermediate_query@139 output_query@140 "
     "intermediate@187 output@189)))", ""},
    {"BlipForQuestionAnswering", "blip", "", "blip",
     "vision_model@195 text_encoder@213 text_decoder(bert@213 cls(predictions(bias[text_config.vocab_size] "
     "transform@201 decoder(weight[text_config.vocab_size,text_config.hidden_size]? "
     "bias[text_config.vocab_size]?))))", ""},
    {"BlipModel", "blip", "blip", "blip",
     "logit_scale[] text_model(embeddings@198 encoder@212 pooler@214) vision_model@195 "
     "visual_projection(weight[projection_dim,vision_config.hidden_size]) "
     "text_projection(weight[projection_dim,text_config.hidden_size])", ""},
    {"BloomForCausalLM", "bloom", "", "transformer", "lm_head@164 transformer=:BloomModel", ""},
    {"BloomForQuestionAnswering", "bloom", "", "transformer", "qa_outputs@1 transformer=:BloomModel", ""},
    {"BloomForSequenceClassification", "bloom", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:BloomModel", ""},
    {"BloomForTokenClassification", "bloom", "", "transformer", "classifier@1 transformer=:BloomModel", ""},
    {"BloomModel", "bloom", "bloom", "transformer",
     "word_embeddings@0 word_embeddings_layernorm@41 h(#{n_layer}(input_layernorm@41 "
     "self_attention(query_key_value@215 dense@43) post_attention_layernorm@41 mlp(dense_h_to_4h@216 "
     "dense_4h_to_h@217))) ln_f@41", ""},
    {"BltForCausalLM", "blt", "", "model", "lm_head(weight[vocab_size,decoder_config.hidden_size]) model=:BltModel", ""},
    {"BltModel", "blt", "blt", "model",
     "local_encoder(layers(#{encoder_config.num_hidden_layers}(self_attn(q_proj@218 k_proj@219 v_proj@219 "
     "o_proj@220) mlp(gate_proj@221 up_proj@221 "
     "down_proj(weight[encoder_config.hidden_size,encoder_config.intermediate_size])) input_layernorm@222 "
     "post_attention_layernorm@222)) patch_embedding_projection(weight[(encoder_config.hidden_size*encoder_config."
     "cross_attn_k),encoder_config.hidden_size]) "
     "embed_tokens(weight[encoder_config.vocab_size,encoder_config.hidden_size]) cross_attn_layers(#{}(q_proj@218 "
     "k_proj@219 v_proj@219 o_proj@220 q_norm@222 k_norm@222))) global_transformer(layers(#{}(self_attn(q_proj(wei"
     "ght[(global_config.num_attention_heads*(global_config.hidden_size/global_config.num_attention_heads)),global"
     "_config.hidden_size]) k_proj@223 v_proj@223 o_proj(weight[global_config.hidden_size,(global_config.num_atten"
     "tion_heads*(global_config.hidden_size/global_config.num_attention_heads))])) mlp(gate_proj@224 up_proj@224 "
     "down_proj(weight[global_config.hidden_size,global_config.intermediate_size])) input_layernorm@225 "
     "post_attention_layernorm@225)) "
     "token_embedding_projection(weight[global_config.hidden_size,global_config.encoder_cross_output_size]?)) "
     "local_decoder(layers(#{decoder_config.num_hidden_layers}(self_attn(q_proj@226 k_proj@227 v_proj@227 "
     "o_proj@228) mlp(gate_proj@229 up_proj@229 "
     "down_proj(weight[decoder_config.hidden_size,decoder_config.intermediate_size])) input_layernorm@230 "
     "post_attention_layernorm@230)) patch_embedding_projection(weight[(decoder_config.hidden_size*decoder_config."
     "cross_attn_k),decoder_config.hidden_size_global]) norm@230 cross_attn_layers(#{}(q_proj@226 k_proj@227 "
     "v_proj@227 o_proj@228 q_norm@230 k_norm@230))) "
     "encoder_hash_tok_embedding(weight[?,encoder_config.hidden_size]) patcher(layers(#{}(self_attn(q_proj(weight["
     "(patcher_config.num_attention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads)),patcher"
     "_config.hidden_size]?) k_proj@231 v_proj@231 o_proj(weight[patcher_config.hidden_size,(patcher_config.num_at"
     "tention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads))]?)) mlp(gate_proj@232 "
     "up_proj@232 down_proj(weight[patcher_config.hidden_size,patcher_config.intermediate_size]?)) "
     "input_layernorm@233 post_attention_layernorm@233)) embed_tokens@234 norm@233 lm_head@234)", ""},
    {"BridgeTowerModel", "bridgetower", "bridgetower", "bridgetower",
     "cross_modal_text_transform(weight[hidden_size,text_config.hidden_size]? bias[hidden_size]? "
     "#{num_hidden_layers}(weight[hidden_size,text_config.hidden_size]? bias[hidden_size]?)) "
     "cross_modal_image_transform(weight[hidden_size,vision_config.hidden_size]? bias[hidden_size]? "
     "#{num_hidden_layers}(weight[hidden_size,vision_config.hidden_size]? bias[hidden_size]?)) "
     "token_type_embeddings(weight[?,hidden_size]) vision_model(visual(embeddings@237 ln_pre@71 "
     "transformer(resblocks(#{}(attn@70 ln_1@71 "
     "mlp(c_fc(weight[(vision_config.hidden_size*4),vision_config.hidden_size] "
     "bias[(vision_config.hidden_size*4)]) c_proj(weight[vision_config.hidden_size,(vision_config.hidden_size*4)] "
     "bias[vision_config.hidden_size])) ln_2@71))) ln_post@71 "
     "ln_separate(#{vision_config.num_hidden_layers}@238))) text_model(embeddings(word_embeddings@77 "
     "token_type_embeddings(weight[text_config.type_vocab_size,text_config.hidden_size]) LayerNorm@197 "
     "position_embeddings@196) encoder(layer(#{text_config.num_hidden_layers}(attention@202 intermediate@207 "
     "output@209))) pooler@214) cross_modal_image_layers@240 cross_modal_text_layers@240 "
     "cross_modal_image_pooler@151 cross_modal_text_pooler@151 cross_modal_text_layernorm@41 "
     "cross_modal_image_layernorm@41 cross_modal_text_link_tower@242 cross_modal_image_link_tower@242", ""},
    {"BrosForTokenClassification", "bros", "", "bros", "classifier@1 bros=:BrosModel", "pooler"},
    {"BrosModel", "bros", "bros", "bros",
     "embeddings(word_embeddings@0 position_embeddings@133 token_type_embeddings@134 LayerNorm@41 "
     "position_ids[?,?]) bbox_embeddings(bbox_projection(weight[dim_bbox_projection,dim_bbox_sinusoid_emb_2d]) "
     "bbox_sinusoid_emb(x_pos_emb(inv_freq[?]) y_pos_emb(inv_freq[?]))) encoder@143 pooler@151", ""},
    {"CLIPTextModel", "clip_text_model", "clip_text_model", "clip",
     "embeddings(token_embedding@0 position_embedding@133) encoder@246 final_layer_norm@41", ""},
    {"CLIPVisionModel", "clip_vision_model", "clip_vision_model", "clip",
     "embeddings(class_embedding[hidden_size] patch_embedding@247 "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@41 encoder@246 post_layernorm@41", ""},
    {"CTRLForSequenceClassification", "ctrl", "", "transformer", "classifier(weight[?,n_embd]) transformer=:CTRLModel",
     ""},
    {"CTRLLMHeadModel", "ctrl", "", "transformer",
     "lm_head(weight[vocab_size,n_embd]? bias[vocab_size]) transformer=:CTRLModel", ""},
    {"CTRLModel", "ctrl", "ctrl", "transformer",
     "w@248 h(#{n_layer}(multi_head_attention(Wq@249 Wk@249 Wv@249 dense@249) ffn(0(weight[dff,n_embd] bias[dff]) "
     "2(weight[n_embd,dff] bias[n_embd])) layernorm1@250 layernorm2@250)) layernorm@250", ""},
    {"CamembertForCausalLM CamembertForMaskedLM XLMRobertaForCausalLM XLMRobertaForMaskedLM", "camembert xlm-roberta",
     "", "roberta", "lm_head@251 roberta@253", ""},
    {"CamembertForMultipleChoice RobertaForMultipleChoice XLMRobertaForMultipleChoice", "camembert roberta xlm-roberta",
     "", "roberta", "classifier@56 roberta=:CamembertModel", ""},
    {"CamembertForQuestionAnswering XLMRobertaForQuestionAnswering", "camembert xlm-roberta", "", "roberta",
     "qa_outputs@1 roberta@253", ""},
    {"CamembertForSequenceClassification XLMRobertaForSequenceClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@157 roberta@253", ""},
    {"CamembertForTokenClassification XLMRobertaForTokenClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@1 roberta@253", ""},
    {"CamembertModel RobertaModel XLMRobertaModel", "camembert roberta xlm-roberta", "camembert roberta xlm-roberta",
     "roberta", "embeddings@252 encoder@143 pooler@151", ""},
    {"CanaryForConditionalGeneration", "canary", "", "model",
     "proj_out(weight[decoder_config.vocab_size,decoder_config.hidden_size]? bias[decoder_config.vocab_size]) "
     "model=:CanaryModel", "preprocessor\\.featurizer\\..*"},
    {"CanaryModel", "canary", "canary", "model",
     "decoder(embed_tokens(weight[decoder_config.vocab_size,decoder_config.hidden_size]) "
     "layers(#{decoder_config.num_hidden_layers}(self_attn@257 encoder_attn@257 "
     "mlp(fc1(weight[decoder_config.intermediate_size,decoder_config.hidden_size] "
     "bias[decoder_config.intermediate_size]) "
     "fc2(weight[decoder_config.hidden_size,decoder_config.intermediate_size] bias[decoder_config.hidden_size])) "
     "input_layernorm@258 post_attention_layernorm@258 final_layernorm@258)) norm@258 embedding_layernorm@258) "
     "encoder=encoder_config:ParakeetEncoder", "preprocessor\\.featurizer\\..*"},
    {"CodeGenForCausalLM", "codegen", "", "transformer", "lm_head@259 transformer=:CodeGenModel", ""},
    {"CodeGenModel", "codegen", "codegen", "transformer",
     "wte@248 h(#{n_layer}(ln_1@250 attn(qkv_proj(weight[(n_embd*3),n_embd]) out_proj(weight[n_embd,n_embd])) "
     "mlp@262)) ln_f@250", ""},
    {"Cohere2ForCausalLM", "cohere2", "", "model", "lm_head@164 model=:Cohere2Model", ""},
    {"Cohere2Model", "cohere2", "cohere2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@263 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2MoeForCausalLM", "cohere2_moe", "", "model", "lm_head@164 model=:Cohere2MoeModel", ""},
    {"Cohere2MoeModel", "cohere2_moe", "cohere2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@266 input_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", ""},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "", "model", "lm_head@91 model=:Cohere2VisionModel", ""},
    {"Cohere2VisionModel", "cohere2_vision", "cohere2_vision", "model",
     "multi_modal_projector(linear_1(weight[alignment_intermediate_size,(vision_config.hidden_size*(downsample_fac"
     "tor*downsample_factor))] bias[alignment_intermediate_size]) "
     "linear_2(weight[text_config.hidden_size,(alignment_intermediate_size/2)] bias[text_config.hidden_size])) "
     "vision_tower=vision_config:SiglipVisionModel language_model=text_config:Cohere2Model", ""},
    {"CohereAsrForConditionalGeneration", "cohere_asr", "", "model",
     "log_softmax(mlp(layer0@267)) model=:CohereAsrModel", "preprocessor\\.featurizer\\..*"},
    {"CohereAsrModel", "cohere_asr", "cohere_asr", "model",
     "encoder(pre_encode(conv(0(weight[encoder_config.subsampling_conv_channels,1,encoder_config.subsampling_conv_"
     "kernel_size,encoder_config.subsampling_conv_kernel_size] bias[encoder_config.subsampling_conv_channels]) "
     "2@268 3@269 5@268 6@269) out(weight[encoder_config.hidden_size,(encoder_config.subsampling_conv_channels*(en"
     "coder_config.num_mel_bins/8))] bias[encoder_config.hidden_size])) "
     "layers(#{encoder_config.num_hidden_layers}(feed_forward1@272 self_attn(pos_bias_u[encoder_config.num_attenti"
     "on_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] pos_bias_v[encoder_config.num_atte"
     "ntion_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] linear_q(weight[(encoder_config"
     ".num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),encoder_config.hidden_"
     "size] "
     "bias[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?)"
     " linear_k@273 linear_v@273 linear_out(weight[encoder_config.hidden_size,(encoder_config.num_attention_heads*"
     "(encoder_config.hidden_size/encoder_config.num_attention_heads))] bias[encoder_config.hidden_size]?) "
     "linear_pos@218) conv(pointwise_conv1(weight[(2*encoder_config.hidden_size),(encoder_config.hidden_size/1),1]"
     " bias[(2*encoder_config.hidden_size)]) depthwise_conv(weight[encoder_config.hidden_size,(encoder_config.hidd"
     "en_size/encoder_config.hidden_size),encoder_config.conv_kernel_size] bias[encoder_config.hidden_size]) "
     "batch_norm(weight[encoder_config.hidden_size] bias[encoder_config.hidden_size] "
     "running_mean[encoder_config.hidden_size] running_var[encoder_config.hidden_size] num_batches_tracked[]) "
     "pointwise_conv2(weight[encoder_config.hidden_size,(encoder_config.hidden_size/1),1] "
     "bias[encoder_config.hidden_size])) feed_forward2@272 norm_feed_forward1@274 norm_self_att@274 norm_conv@274 "
     "norm_feed_forward2@274 norm_out@274))) transf_decoder(_embedding(token_embedding@0 "
     "position_embedding(pos_enc[max_position_embeddings,hidden_size]) layer_norm@41) "
     "_decoder(layers(#{num_hidden_layers}(first_sub_layer@275 second_sub_layer@275 third_sub_layer(dense_in@45 "
     "dense_out@46) layer_norm_1@41 layer_norm_2@41 layer_norm_3@41)) final_layer_norm@41)) "
     "encoder_decoder_proj(weight[hidden_size,encoder_config.hidden_size] bias[hidden_size])",
     "preprocessor\\.featurizer\\..*"},
    {"CohereForCausalLM", "cohere", "", "model", "lm_head@164 model=:CohereModel", ""},
    {"CohereModel", "cohere", "cohere", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@57 k_proj@58 v_proj@58 o_proj@59 "
     "q_norm(weight[num_attention_heads,(hidden_size/num_attention_heads)]?) "
     "k_norm(weight[num_key_value_heads,(hidden_size/num_attention_heads)]?)) mlp@263 "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ColModernVBertForRetrieval", "colmodernvbert", "", "vlm",
     "embedding_proj_layer@276 vlm=vlm_config:ModernVBertModel", ""},
    {"ColPaliForRetrieval", "colpali", "", "vlm", "embedding_proj_layer@276 vlm=vlm_config:PaliGemmaModel", ""},
    {"ColQwen2ForRetrieval", "colqwen2", "", "vlm", "embedding_proj_layer@276 vlm=vlm_config:Qwen2VLModel", ""},
    {"ConvBertForMaskedLM", "convbert", "", "convbert",
     "generator_predictions@277 generator_lm_head@278 convbert=:ConvBertModel", ""},
    {"ConvBertForMultipleChoice", "convbert", "", "convbert", "classifier@56 convbert=:ConvBertModel", ""},
    {"ConvBertForQuestionAnswering", "convbert", "", "convbert", "qa_outputs@1 convbert=:ConvBertModel", ""},
    {"ConvBertForSequenceClassification", "convbert", "", "convbert", "classifier@157 convbert=:ConvBertModel", ""},
    {"ConvBertForTokenClassification", "convbert", "", "convbert", "classifier@1 convbert=:ConvBertModel", ""},
    {"ConvBertModel", "convbert", "convbert", "convbert",
     "embeddings@39 encoder(layer(#{num_hidden_layers}(attention(self(query@279 key@279 value@279 key_conv_attn_la"
     "yer(bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1] "
     "depthwise@280 pointwise(weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_rat"
     "io))/2)),(hidden_size/1),1])) conv_kernel_layer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),("
     "(num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))] "
     "bias[((num_attention_heads/head_ratio)*conv_kernel_size)]) conv_out_layer@279) output@137) intermediate@139 "
     "output@140)))", ""},
    {"Cosmos3OmniForConditionalGeneration", "cosmos3_omni", "", "model",
     "patch_embed@282 pos_embed@283 blocks@288 merger(norm@71 linear_fc1@289 linear_fc2@290) "
     "deepstack_merger_list(#{}(norm@291 linear_fc1@289 linear_fc2@290)) embed_tokens@77 layers@302 norm@300 "
     "lm_head@77",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"Cosmos3OmniModel", "cosmos3_omni", "cosmos3_omni", "model",
     "language_model(embed_tokens@77 layers@302 norm@300) visual=vision_config:Qwen3VLMoeVisionModel",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"CpmAntForCausalLM", "cpmant", "", "cpmant", "lm_head@0 cpmant=:CpmAntModel", ""},
    {"CpmAntModel", "cpmant", "cpmant", "cpmant",
     "encoder(layers(#{num_hidden_layers}(self_att(layernorm_before_attention(weight[hidden_size]) "
     "self_attention(project_q@303 project_k@303 project_v@303 "
     "attention_out(weight[hidden_size,(num_attention_heads*dim_head)]))) "
     "ffn(layernorm_before_ffn(weight[hidden_size]) ffn(w_in(w_0@304 w_1@304) "
     "w_out(weight[hidden_size,dim_ff]))))) output_layernorm(weight[hidden_size])) "
     "segment_embedding(weight[segment_types,hidden_size]) "
     "input_embedding(weight[(vocab_size+(prompt_types*prompt_length)),hidden_size]) position_bias(relative_attent"
     "ion_bias[((segment_types*segment_types)+position_bias_num_buckets),num_attention_heads])", ""},
    {"CwmForCausalLM", "cwm", "", "model", "lm_head@0 model=:CwmModel", ""},
    {"CwmModel", "cwm", "cwm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@307 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DPRQuestionEncoder", "dpr", "dpr", "question_encoder", "question_encoder(bert_model@144)", ""},
    {"Data2VecTextForCausalLM Data2VecTextForMaskedLM", "data2vec-text", "", "data2vec_text",
     "data2vec_text@253 lm_head@251", ""},
    {"Data2VecTextForMultipleChoice", "data2vec-text", "", "data2vec_text",
     "classifier@56 data2vec_text=:Data2VecTextModel", ""},
    {"Data2VecTextForQuestionAnswering", "data2vec-text", "", "data2vec_text", "data2vec_text@253 qa_outputs@1", ""},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@253 classifier@157",
     ""},
    {"Data2VecTextForTokenClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@253 classifier@1", ""},
    {"Data2VecTextModel", "data2vec-text", "data2vec-text", "data2vec_text", "embeddings@252 encoder@143 pooler@151",
     ""},
    {"DebertaForMaskedLM", "deberta", "", "deberta", "cls@147 deberta=:DebertaModel", "position_embeddings"},
    {"DebertaForQuestionAnswering", "deberta", "", "deberta", "qa_outputs@1 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForSequenceClassification", "deberta", "", "deberta", "pooler@309 classifier@1 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForTokenClassification", "deberta", "", "deberta", "classifier@1 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaModel", "deberta", "deberta", "deberta",
     "embeddings@311 encoder(layer(#{num_hidden_layers}(attention(self(q_bias[(num_attention_heads*(hidden_size/nu"
     "m_attention_heads))] v_bias[(num_attention_heads*(hidden_size/num_attention_heads))] "
     "in_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size])) output@137) "
     "intermediate@139 output@140)) rel_embeddings@312)", "position_embeddings"},
    {"DebertaV2ForMaskedLM", "deberta-v2", "", "deberta", "cls@147 deberta=:DebertaV2Model",
     "mask_predictions.* position_embeddings"},
    {"DebertaV2ForMultipleChoice", "deberta-v2", "", "deberta", "pooler@309 classifier@56 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForQuestionAnswering", "deberta-v2", "", "deberta", "qa_outputs@1 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForSequenceClassification", "deberta-v2", "", "deberta",
     "pooler@309 classifier@1 deberta=:DebertaV2Model", "position_embeddings"},
    {"DebertaV2ForTokenClassification", "deberta-v2", "", "deberta", "classifier@1 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2Model", "deberta-v2", "deberta-v2", "deberta",
     "embeddings@311 encoder(layer(#{num_hidden_layers}(attention(self(query_proj@42 key_proj@42 value_proj@42) "
     "output@137) intermediate@139 output@140)) rel_embeddings@312)", "position_embeddings"},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "", "model", "lm_head@0 model=:DeepseekV2Model", ""},
    {"DeepseekV2ForSequenceClassification", "deepseek_v2", "", "model",
     "score(weight[?,hidden_size]) model=:DeepseekV2Model", ""},
    {"DeepseekV2Model", "deepseek_v2", "deepseek_v2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@7 mlp(gate_proj@186 up_proj@186 down_proj@188 "
     "experts@10 gate@313 shared_experts(gate_proj@314 up_proj@314 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]? bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"DeepseekV32ForCausalLM", "deepseek_v32", "", "model", "lm_head@0 model=:DeepseekV32Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV32Model", "deepseek_v32", "deepseek_v32", "model", "embed_tokens@0 layers@317 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "", "model", "lm_head@0 model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForSequenceClassification", "deepseek_v3", "", "model",
     "score(weight[?,hidden_size]) model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForTokenClassification", "deepseek_v3", "", "model", "score@1 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3Model", "deepseek_v3", "deepseek_v3", "model", "embed_tokens@0 layers@319 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "", "model",
     "model(embed_tokens@0 layers@344 norm(weight[hidden_size]) hc_head(hc_fn[hc_mult,(hc_mult*hidden_size)] "
     "hc_base[hc_mult] hc_scale[1])) head@0", "(^|\\.)mtp\\..*"},
    {"DeepseekV4Model", "deepseek_v4", "deepseek_v4", "model",
     "embed@0 layers@344 norm(weight[hidden_size]) hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult]"
     " hc_head_scale[1]", "(^|\\.)mtp\\..*"},
    {"DeepseekVLForConditionalGeneration", "deepseek_vl", "", "model", "lm_head@91 model=:DeepseekVLModel", ""},
    {"DeepseekVLHybridForConditionalGeneration", "deepseek_vl_hybrid", "", "model",
     "lm_head@91 model=:DeepseekVLHybridModel", ""},
    {"DeepseekVLHybridModel", "deepseek_vl_hybrid", "deepseek_vl_hybrid", "model",
     "high_res_vision_alpha[1] high_res_vision_neck(conv1(weight[high_res_vision_config.output_channels,(high_res_"
     "vision_config.hidden_size/1),1,1]) layer_norm1@345 "
     "conv2(weight[high_res_vision_config.output_channels,(high_res_vision_config.output_channels/1),?,?]) "
     "layer_norm2@345) high_res_vision_proj(conv1(weight[(high_res_vision_config.output_channels*2),(high_res_visi"
     "on_config.output_channels/1),?,?]) conv2(weight[(high_res_vision_config.output_channels*4),((high_res_vision"
     "_config.output_channels*2)/1),?,?])) "
     "aligner(vision_proj(weight[(text_config.hidden_size/2),vision_config.hidden_size] "
     "bias[(text_config.hidden_size/2)]) "
     "high_res_vision_proj(weight[(text_config.hidden_size/2),(high_res_vision_config.output_channels*4)] "
     "bias[(text_config.hidden_size/2)]) proj@83) high_res_vision_model=high_res_vision_config:SamVisionModel "
     "vision_model=vision_config:SiglipVisionModel language_model=text_config:Ernie4_5Model", ""},
    {"DeepseekVLModel", "deepseek_vl", "deepseek_vl", "model",
     "aligner(linear1@346 linear2@83) vision_model=vision_config:SiglipVisionModel "
     "language_model=text_config:Ernie4_5Model", ""},
    {"DiffLlamaForCausalLM", "diffllama", "", "model", "lm_head@0 model=:DiffLlamaModel", ""},
    {"DiffLlamaForQuestionAnswering", "diffllama", "", "transformer", "qa_outputs@1 transformer=:DiffLlamaModel", ""},
    {"DiffLlamaForSequenceClassification", "diffllama", "", "model",
     "score(weight[?,hidden_size]) model=:DiffLlamaModel", ""},
    {"DiffLlamaForTokenClassification", "diffllama", "", "model", "score@1 model=:DiffLlamaModel", ""},
    {"DiffLlamaModel", "diffllama", "diffllama", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(lambda_q1[?] lambda_k1[?] lambda_q2[?] lambda_k2[?] "
     "q_proj@25 k_proj@26 v_proj@26 o_proj@27) mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DistilBertForMaskedLM", "distilbert", "", "distilbert",
     "vocab_transform@347 vocab_layer_norm(weight[dim] bias[dim]) vocab_projector(weight[vocab_size,dim]? "
     "bias[vocab_size]) distilbert=:DistilBertModel", ""},
    {"DistilBertForMultipleChoice", "distilbert", "", "distilbert",
     "pre_classifier@347 classifier(weight[1,dim] bias[1]) distilbert=:DistilBertModel", ""},
    {"DistilBertForQuestionAnswering", "distilbert", "", "distilbert",
     "qa_outputs(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertForSequenceClassification", "distilbert", "", "distilbert",
     "pre_classifier@347 classifier(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertForTokenClassification", "distilbert", "", "distilbert",
     "classifier(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertModel", "distilbert", "distilbert", "distilbert",
     "embeddings(word_embeddings(weight[vocab_size,dim]) position_embeddings(weight[max_position_embeddings,dim]) "
     "LayerNorm(weight[dim] bias[dim])) transformer(layer(#{n_layers}(attention(q_lin@347 k_lin@347 v_lin@347 "
     "out_lin@347) sa_layer_norm(weight[dim] bias[dim]) ffn(lin1(weight[hidden_dim,dim] bias[hidden_dim]) "
     "lin2(weight[dim,hidden_dim] bias[dim])) output_layer_norm(weight[dim] bias[dim]))))", ""},
    {"DogeForCausalLM", "doge", "", "model", "lm_head@0 model=:DogeModel", ""},
    {"DogeForSequenceClassification", "doge", "", "model", "score(weight[?,hidden_size]) model=:DogeModel", ""},
    {"DogeModel", "doge", "doge", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_residual[hidden_size] post_attention_residual[hidden_size] "
     "input_layernorm(weight[hidden_size]) self_attn(A[num_key_value_heads] q_proj@57 k_proj@58 v_proj@58 "
     "dt_proj(weight[num_key_value_heads,(num_key_value_heads*(hidden_size/num_attention_heads))] "
     "bias[num_key_value_heads]?) o_proj@59 q_norm@60 k_norm@60) post_attention_layernorm(weight[hidden_size]) "
     "mlp(gate_proj@65 up_proj@65 down_proj@66 router_gate@348 down_embed@29 up_embed@29))) "
     "norm(weight[hidden_size])", ""},
    {"ElectraForCausalLM ElectraForMaskedLM", "electra", "", "electra",
     "generator_predictions@277 generator_lm_head@278 electra=:ElectraModel", ""},
    {"ElectraForMultipleChoice", "electra", "", "electra",
     "sequence_summary(summary@43) classifier@56 electra=:ElectraModel", ""},
    {"ElectraForPreTraining", "electra", "", "electra",
     "discriminator_predictions(dense@43 dense_prediction@56) electra=:ElectraModel", ""},
    {"ElectraForQuestionAnswering", "electra", "", "electra", "qa_outputs@1 electra=:ElectraModel", ""},
    {"ElectraForSequenceClassification", "electra", "", "electra", "classifier@157 electra=:ElectraModel", ""},
    {"ElectraForTokenClassification", "electra", "", "electra", "classifier@1 electra=:ElectraModel", ""},
    {"ElectraModel", "electra", "electra", "electra",
     "embeddings@39 encoder@143 embeddings_project(weight[hidden_size,embedding_size]? bias[hidden_size]?)", ""},
    {"EmbeddingGemma2Model", "embedding_gemma2", "embedding_gemma2", "model",
     "language_model=text_config:EmbeddingGemma2TextModel",
     "(^|\\.)audio_tower\\. (^|\\.)embed_audio\\. (^|\\.)embed_vision\\. (^|\\.)vision_tower\\."},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", "embedding_gemma2_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@349 k_proj@349 v_proj@349 o_proj@350 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) ple_block(per_layer_input_gate@351 per_layer_projection@352 "
     "post_per_layer_input_norm(weight[hidden_size])) layer_scalar[1])) norm(weight[hidden_size]) "
     "ple(per_layer_model_projection@353 per_layer_projection_norm@354) "
     "embedding_projection(weight[embedding_dim,hidden_size])", ""},
    {"Emu3ForCausalLM", "emu3_text_model", "", "model", "lm_head@0 model=:Emu3TextModel", ""},
    {"Emu3TextModel", "emu3_text_model", "", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@358 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "", "model", "lm_head@164 model=:Ernie4_5Model", ""},
    {"Ernie4_5Model EuroBertModel LlamaModel SeedOssModel UltrabertModel", "ernie4_5 eurobert llama seed_oss ultrabert",
     "ernie4_5 eurobert internlm3 iquestcoder llama seed_oss ultrabert", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "", "model", "lm_head@164 model=:Ernie4_5_MoeModel", "mtp"},
    {"Ernie4_5_MoeModel", "ernie4_5_moe", "ernie4_5_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 mlp(gate_proj@186 up_proj@186 down_proj@188 "
     "gate(weight[moe_num_experts,hidden_size]?) moe_statics(e_score_correction_bias[1,moe_num_experts]?) "
     "experts(gate_up_proj[moe_num_experts,(2*moe_intermediate_size),hidden_size]~ "
     "down_proj[moe_num_experts,hidden_size,moe_intermediate_size]~) shared_experts(gate_proj@360 up_proj@360 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*moe_num_shared_experts)]? bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", "mtp"},
    {"ErnieForCausalLM ErnieForMaskedLM", "ernie", "", "ernie", "ernie@363 cls@147", ""},
    {"ErnieForMultipleChoice", "ernie", "", "ernie", "classifier@56 ernie=:ErnieModel", ""},
    {"ErnieForNextSentencePrediction", "ernie", "", "ernie", "cls@148 ernie=:ErnieModel", ""},
    {"ErnieForPreTraining", "ernie", "", "ernie", "cls@149 ernie=:ErnieModel", ""},
    {"ErnieForQuestionAnswering", "ernie", "", "ernie", "ernie@363 qa_outputs@1", ""},
    {"ErnieForSequenceClassification", "ernie", "", "ernie", "classifier@1 ernie=:ErnieModel", ""},
    {"ErnieForTokenClassification", "ernie", "", "ernie", "ernie@363 classifier@1", ""},
    {"ErnieModel", "ernie", "ernie", "ernie", "embeddings@362 encoder@143 pooler@151", ""},
    {"EsmForMaskedLM", "esm", "", "esm", "esm@376 lm_head(bias[vocab_size] dense@43 layer_norm@41 decoder@164)",
     "position_embeddings.weight"},
    {"EsmForSequenceClassification", "esm", "", "esm", "esm@376 classifier@157", "position_embeddings.weight"},
    {"EsmForTokenClassification", "esm", "", "esm", "esm@376 classifier@1", "position_embeddings.weight"},
    {"EsmModel", "esm", "esm", "esm", "embeddings@364 encoder@373 pooler@151 contact_head@375",
     "position_embeddings.weight"},
    {"EuroBertForMaskedLM LlamaForCausalLM SeedOssForCausalLM", "eurobert llama seed_oss", "", "model",
     "lm_head@0 model=:Ernie4_5Model", ""},
    {"EuroBertForSequenceClassification", "eurobert", "", "model", "dense@43 classifier@1 model=:Ernie4_5Model", ""},
    {"EuroBertForTokenClassification", "eurobert", "", "model", "classifier@1 model=:Ernie4_5Model", ""},
    {"EvollaForProteinText2Text", "evolla", "", "model", "lm_head@0 model=:EvollaModel", ""},
    {"EvollaModel", "evolla", "evolla", "model",
     "embed_tokens@0 protein_encoder(model(embeddings(word_embeddings(weight[protein_encoder_config.vocab_size,pro"
     "tein_encoder_config.hidden_size]) layer_norm(weight[protein_encoder_config.hidden_size]? "
     "bias[protein_encoder_config.hidden_size]?)) "
     "encoder(layer(#{protein_encoder_config.num_hidden_layers}(attention(self(query@377 key@377 value@377) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@378) "
     "intermediate(dense(weight[protein_encoder_config.intermediate_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.intermediate_size])) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.intermediate_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@378)) emb_layer_norm_after@378) "
     "rotary_embeddings(inv_freq[?])) "
     "sequence_compressor_resampler(latents[resampler_num_latents,protein_encoder_config.hidden_size] layers(0@386"
     " 1@386 2@386 3@386 4@386 5@386) norm@41 "
     "protein_projector(weight[hidden_size,protein_encoder_config.hidden_size] bias[hidden_size]))) "
     "layers(#{num_hidden_layers}(self_attn@359 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) adapter(gate_attention[?]? gate_ffw[?]? query@181 "
     "key_protein@181 value_protein@181 attention_norm(weight[hidden_size]?) out_proj@183 ff(norm@184 "
     "fc1(weight[(hidden_size*aligner_ffn_mult),hidden_size]?) "
     "fc2(weight[hidden_size,(hidden_size*aligner_ffn_mult)]?))))) norm(weight[hidden_size])", ""},
    {"Exaone4ForCausalLM", "exaone4", "", "model", "lm_head@0 model=:Exaone4Model", ""},
    {"Exaone4ForQuestionAnswering", "exaone4", "", "transformer", "qa_outputs@1 transformer=:Exaone4Model", ""},
    {"Exaone4ForSequenceClassification", "exaone4", "", "model", "score(weight[?,hidden_size]) model=:Exaone4Model", ""},
    {"Exaone4ForTokenClassification", "exaone4", "", "model", "score@1 model=:Exaone4Model", ""},
    {"Exaone4Model", "exaone4", "exaone4", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@387 mlp@263 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Exaone4_5_ForConditionalGeneration", "exaone4_5", "", "model", "lm_head@77 model=:Exaone4_5_Model", "mtp.*"},
    {"Exaone4_5_Model", "exaone4_5", "exaone4_5", "model",
     "visual=vision_config:Exaone4_5_VisionModel language_model=text_config:Exaone4Model", "mtp.*"},
    {"Exaone4_5_VisionModel", "exaone4_5_vision", "exaone4_5_vision", "model",
     "patch_embed@389 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(proj@43 qkv(weigh"
     "t[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2)),hidden_size] "
     "bias[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2))])) mlp@390)) "
     "merger@394", "mtp.*"},
    {"ExaoneMoeForCausalLM", "exaone_moe", "", "model", "lm_head@0 model=:ExaoneMoeModel", "mtp.*"},
    {"ExaoneMoeModel", "exaone_moe", "exaone_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@387 mlp(gate_proj@8 up_proj@8 down_proj@9 experts@34 "
     "gate@29 shared_experts@33 e_score_correction_bias[num_experts]?) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "mtp.*"},
    {"FNetForMaskedLM", "fnet", "", "fnet", "cls@147 fnet=:FNetModel", ""},
    {"FNetForMultipleChoice", "fnet", "", "fnet", "classifier@56 fnet=:FNetModel", ""},
    {"FNetForNextSentencePrediction", "fnet", "", "fnet", "cls@148 fnet=:FNetModel", ""},
    {"FNetForPreTraining", "fnet", "", "fnet", "cls@149 fnet=:FNetModel", ""},
    {"FNetForQuestionAnswering", "fnet", "", "fnet", "qa_outputs@1 fnet=:FNetModel", ""},
    {"FNetForSequenceClassification FNetForTokenClassification", "fnet", "", "fnet", "classifier@1 fnet=:FNetModel", ""},
    {"FNetModel", "fnet", "fnet", "fnet",
     "embeddings(word_embeddings@0 position_embeddings@133 token_type_embeddings@134 LayerNorm@41 projection@43) "
     "encoder(layer(#{num_hidden_layers}(fourier(output(LayerNorm@41)) intermediate@139 output@140))) pooler@151", ""},
    {"FalconForCausalLM", "falcon", "", "transformer", "lm_head@164 transformer=:FalconModel", ""},
    {"FalconForQuestionAnswering", "falcon", "", "transformer", "qa_outputs@1 transformer=:FalconModel", ""},
    {"FalconForSequenceClassification", "falcon", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:FalconModel", ""},
    {"FalconForTokenClassification", "falcon", "", "transformer", "classifier@1 transformer=:FalconModel", ""},
    {"FalconH1ForCausalLM", "falcon_h1", "", "model", "lm_head@0 model=:FalconH1Model", ""},
    {"FalconH1Model", "falcon_h1", "falcon_h1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@106 mamba(dt_bias[mamba_n_heads] "
     "A_log[mamba_n_heads] D[mamba_n_heads] conv1d(weight[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)),((mamba"
     "_d_ssm+((2*mamba_n_groups)*mamba_d_state))/(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
     "bias[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))]?) "
     "in_proj(weight[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads),hidden_size] "
     "bias[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads)]?) "
     "out_proj(weight[hidden_size,mamba_d_ssm] bias[hidden_size]?) norm(weight[mamba_d_ssm]?)) self_attn@359 "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"FalconMambaForCausalLM MambaForCausalLM", "falcon_mamba mamba", "", "backbone",
     "lm_head@164 backbone=:FalconMambaModel", ""},
    {"FalconMambaModel MambaModel", "falcon_mamba mamba", "falcon_mamba mamba", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(A_log[intermediate_size,state_size]"
     " D[intermediate_size] conv1d(weight[intermediate_size,(intermediate_size/intermediate_size),conv_kernel] "
     "bias[intermediate_size]?) in_proj@395 x_proj(weight[(time_step_rank+(state_size*2)),intermediate_size]) "
     "dt_proj(weight[intermediate_size,time_step_rank] bias[intermediate_size]) out_proj@66))) "
     "norm_f(weight[hidden_size])", ""},
    {"FalconModel", "falcon", "falcon", "transformer",
     "word_embeddings@0 h(#{num_hidden_layers}(self_attention(query_key_value(weight[?,hidden_size] "
     "bias[(hidden_size+(2*(hidden_size/num_attention_heads)))]?) dense@396) "
     "mlp(dense_h_to_4h(weight[ffn_hidden_size,hidden_size] bias[ffn_hidden_size]?) "
     "dense_4h_to_h(weight[hidden_size,ffn_hidden_size] bias[hidden_size]?)) input_layernorm@184 ln_attn@184 "
     "ln_mlp@184 post_attention_layernorm@184)) ln_f@41", ""},
    {"FlaubertForMultipleChoice XLMForMultipleChoice", "flaubert xlm", "", "transformer",
     "sequence_summary@398 logits_proj(weight[1,?] bias[1]) transformer=:FlaubertModel", ""},
    {"FlaubertForQuestionAnsweringSimple XLMForQuestionAnsweringSimple", "flaubert xlm", "", "transformer",
     "qa_outputs@397 transformer=:FlaubertModel", ""},
    {"FlaubertForSequenceClassification XLMForSequenceClassification", "flaubert xlm", "", "transformer",
     "sequence_summary@398 transformer=:FlaubertModel", ""},
    {"FlaubertForTokenClassification XLMForTokenClassification", "flaubert xlm", "", "transformer",
     "classifier@397 transformer=:FlaubertModel", ""},
    {"FlaubertModel XLMModel", "flaubert xlm", "flaubert xlm", "transformer",
     "position_embeddings(weight[max_position_embeddings,emb_dim]) embeddings(weight[vocab_size,emb_dim]) "
     "layer_norm_emb@399 attentions(#{}(q_lin@400 k_lin@400 v_lin@400 out_lin@400)) layer_norm1@401 "
     "ffns(#{}(lin1(weight[(emb_dim*4),emb_dim] bias[(emb_dim*4)]) lin2(weight[emb_dim,(emb_dim*4)] "
     "bias[emb_dim]))) layer_norm2@401", ""},
    {"FlaubertWithLMHeadModel XLMWithLMHeadModel", "flaubert xlm", "", "transformer",
     "pred_layer(proj(weight[vocab_size,emb_dim]? bias[vocab_size])) transformer=:FlaubertModel", ""},
    {"FlexOlmoForCausalLM", "flex_olmo", "", "model", "lm_head@0 model=:FlexOlmoModel", ""},
    {"FlexOlmoModel", "flex_olmo", "flex_olmo", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@404 mlp@266 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"FlintForCausalLM", "flint", "", "model", "lm_head@0 model=:FlintModel", ""},
    {"FlintModel", "flint", "flint", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(softmax_offset[num_attention_heads] q_proj@25 k_proj@26"
     " v_proj@26 o_proj@27 q_norm(weight[head_dim]) k_norm(weight[head_dim])) mlp(gate_proj@8 up_proj@8 "
     "down_proj@9 experts@34 gate@29 shared_expert@407) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"FunnelBaseModel", "funnel", "funnel", "funnel", "embeddings@408 encoder@419", ""},
    {"FunnelForMaskedLM", "funnel", "", "funnel", "lm_head@420 funnel=:FunnelModel", ""},
    {"FunnelForMultipleChoice", "funnel", "", "funnel",
     "classifier(linear_hidden@114 linear_out@421) funnel=:FunnelBaseModel", ""},
    {"FunnelForPreTraining", "funnel", "", "funnel",
     "discriminator_predictions(dense@114 dense_prediction@421) funnel=:FunnelModel", ""},
    {"FunnelForQuestionAnswering", "funnel", "", "funnel", "qa_outputs@124 funnel=:FunnelModel", ""},
    {"FunnelForSequenceClassification", "funnel", "", "funnel",
     "classifier(linear_hidden@114 linear_out@124) funnel=:FunnelBaseModel", ""},
    {"FunnelForTokenClassification", "funnel", "", "funnel", "classifier@124 funnel=:FunnelModel", ""},
    {"FunnelModel", "funnel", "funnel", "funnel",
     "embeddings@408 encoder@419 decoder(layers(#{num_decoder_layers}@416))", ""},
    {"FuyuForCausalLM", "fuyu", "", "model",
     "vision_embed_tokens@422 language_model(lm_head@77 model=text_config:PersimmonModel)", ""},
    {"FuyuModel", "fuyu", "fuyu", "model", "vision_embed_tokens@422 language_model(model=text_config:PersimmonModel)",
     ""},
    {"GPT2ForQuestionAnswering", "gpt2", "", "transformer", "qa_outputs@423 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForSequenceClassification", "gpt2", "", "transformer", "score(weight[?,n_embd]) transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForTokenClassification", "gpt2", "", "transformer", "classifier@423 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2LMHeadModel", "gpt2", "", "transformer", "lm_head@424 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2Model", "gpt2", "gpt-sw3 gpt2", "transformer",
     "wte@248 wpe@425 h(#{n_layer}(ln_1@250 attn@427 ln_2@250 mlp@430 crossattention@433 "
     "ln_cross_attn(weight[n_embd]? bias[n_embd]?))) ln_f@250", "attn.bias crossattention.bias"},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", "", "transformer", "lm_head@424 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForSequenceClassification", "gpt_bigcode", "", "transformer",
     "score(weight[?,n_embd]) transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForTokenClassification", "gpt_bigcode", "", "transformer",
     "classifier@423 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeModel", "gpt_bigcode", "gpt_bigcode", "transformer",
     "wte@248 wpe@425 h(#{n_layer}(ln_1@250 attn(c_attn@423 c_proj@249) ln_2@250 mlp(c_fc@260 c_proj@261))) "
     "ln_f@250", ""},
    {"GPTJForCausalLM", "gptj", "", "transformer", "lm_head@259 transformer=:GPTJModel", ""},
    {"GPTJForQuestionAnswering", "gptj", "", "transformer", "qa_outputs@423 transformer=:GPTJModel", ""},
    {"GPTJForSequenceClassification", "gptj", "", "transformer", "score(weight[?,n_embd]) transformer=:GPTJModel", ""},
    {"GPTJModel", "gptj", "gptj", "transformer",
     "wte@248 h(#{n_layer}(ln_1@250 attn(k_proj(weight[n_embd,n_embd]) v_proj(weight[n_embd,n_embd]) "
     "q_proj(weight[n_embd,n_embd]) out_proj(weight[n_embd,n_embd])) mlp@262)) ln_f@250", ""},
    {"GPTNeoForCausalLM", "gpt_neo", "", "transformer", "lm_head@164 transformer=:GPTNeoModel", ""},
    {"GPTNeoForQuestionAnswering", "gpt_neo", "", "transformer", "qa_outputs@1 transformer=:GPTNeoModel", ""},
    {"GPTNeoForSequenceClassification", "gpt_neo", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:GPTNeoModel", ""},
    {"GPTNeoForTokenClassification", "gpt_neo", "", "transformer", "classifier@1 transformer=:GPTNeoModel", ""},
    {"GPTNeoModel", "gpt_neo", "gpt_neo", "transformer",
     "wte@0 wpe@133 h(#{num_layers}(ln_1@41 attn(attention(k_proj@81 v_proj@81 q_proj@81 out_proj@43)) ln_2@41 "
     "mlp(c_fc@216 c_proj@217))) ln_f@41", ""},
    {"GPTNeoXForCausalLM", "gpt_neox", "", "gpt_neox", "embed_out@0 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForQuestionAnswering", "gpt_neox", "", "gpt_neox", "qa_outputs@1 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForSequenceClassification", "gpt_neox", "", "gpt_neox",
     "score(weight[?,hidden_size]) gpt_neox=:GPTNeoXModel", "attention.bias attention.masked_bias"},
    {"GPTNeoXForTokenClassification", "gpt_neox", "", "gpt_neox", "classifier@1 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXJapaneseForCausalLM", "gpt_neox_japanese", "", "gpt_neox_japanese",
     "embed_out@164 gpt_neox_japanese=:GPTNeoXJapaneseModel", ""},
    {"GPTNeoXJapaneseModel", "gpt_neox_japanese", "gpt_neox_japanese", "gpt_neox_japanese",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@41 post_attention_layernorm@41 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size]) dense@81 dense_bias[hidden_size]?) "
     "mlp(dense_h_to_4h(weight[(hidden_size*intermediate_multiple_size),hidden_size]) "
     "dense_4h_to_h(weight[hidden_size,(hidden_size*intermediate_multiple_size)])))) final_layer_norm@41", ""},
    {"GPTNeoXModel", "gpt_neox", "gpt_neox", "gpt_neox",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@41 post_attention_layernorm@41 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]?) dense@396) mlp@434)) "
     "final_layer_norm@41", "attention.bias attention.masked_bias"},
    {"Gemma2ForCausalLM", "gemma2", "", "model", "lm_head@164 model=:Gemma2Model", ""},
    {"Gemma2ForSequenceClassification", "gemma2", "", "model", "score(weight[?,hidden_size]) model=:Gemma2Model", ""},
    {"Gemma2ForTokenClassification", "gemma2", "", "model", "score@1 model=:Gemma2Model", ""},
    {"Gemma2Model", "gemma2", "gemma2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3ForCausalLM", "gemma3_text", "", "model", "lm_head@164 model=:Gemma3TextModel", ""},
    {"Gemma3ForConditionalGeneration", "gemma3", "", "model",
     "multi_modal_projector@436 language_model(lm_head@91 model=text_config:Gemma3TextModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"Gemma3ForSequenceClassification", "gemma3", "", "model",
     "multi_modal_projector@436 score@437 vision_tower=vision_config:SiglipVisionModel language_model@438", ""},
    {"Gemma3Model", "gemma3", "gemma3", "model",
     "multi_modal_projector@436 vision_tower=vision_config:SiglipVisionModel language_model@438", ""},
    {"Gemma3TextForSequenceClassification", "gemma3_text", "", "model",
     "score(weight[?,hidden_size]) model=:Gemma3TextModel", ""},
    {"Gemma3TextModel", "gemma3_text", "gemma3_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@439 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3nForCausalLM", "gemma3n_text", "", "model", "lm_head@164 model=:Gemma3nTextModel", ""},
    {"Gemma3nTextModel", "gemma3n_text", "gemma3n_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@25 q_norm(weight[head_dim]) k_proj@440 "
     "v_proj@440 k_norm(weight[head_dim]?) o_proj@27) mlp(gate_proj(weight[?,hidden_size]) "
     "up_proj(weight[?,hidden_size]) down_proj(weight[hidden_size,?])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) altup(correct_output_scale[hidden_size] "
     "correction_coefs(weight[altup_num_inputs,altup_num_inputs]) "
     "prediction_coefs(weight[(altup_num_inputs*altup_num_inputs),altup_num_inputs]) "
     "modality_router(weight[altup_num_inputs,hidden_size]) router_norm(weight[hidden_size])) "
     "laurel(linear_left(weight[laurel_rank,hidden_size]) linear_right(weight[hidden_size,laurel_rank]) "
     "post_laurel_norm(weight[hidden_size])) per_layer_input_gate@351 per_layer_projection@352 "
     "post_per_layer_input_norm(weight[hidden_size]))) norm(weight[hidden_size]) embed_tokens_per_layer@441 "
     "per_layer_model_projection@353 per_layer_projection_norm@354 altup_projections@442 "
     "altup_unembed_projections@442", ""},
    {"Gemma4ForCausalLM", "gemma4_text", "", "model", "lm_head@164 model=:Gemma4TextModel", ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "", "model", "lm_head@91 model=:Gemma4Model", ""},
    {"Gemma4Model", "gemma4", "gemma4", "model", "language_model=text_config:Gemma4TextModel", ""},
    {"Gemma4TextModel", "gemma4_text", "gemma4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@444 mlp@447 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) per_layer_input_gate@351 per_layer_projection@352 "
     "post_per_layer_input_norm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size]) "
     "embed_tokens_per_layer@441 per_layer_model_projection@353 per_layer_projection_norm@354", ""},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", "", "model", "lm_head@164 model=:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "", "model", "lm_head@91 model=:Gemma4UnifiedModel", ""},
    {"Gemma4UnifiedModel", "gemma4_unified", "gemma4_unified", "model",
     "language_model=text_config:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedTextModel", "gemma4_unified_text", "gemma4_unified_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@444 mlp@447 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size])", ""},
    {"GemmaForCausalLM", "gemma", "", "model", "lm_head@164 model=:GemmaModel", ""},
    {"GemmaForSequenceClassification", "gemma", "", "model", "score(weight[?,hidden_size]) model=:GemmaModel", ""},
    {"GemmaForTokenClassification", "gemma", "", "model", "score@1 model=:GemmaModel", ""},
    {"GemmaModel", "gemma", "gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GitForCausalLM", "git", "", "git", "output@267 git=:GitModel", ""},
    {"GitModel", "git", "git", "git",
     "embeddings@150 image_encoder(vision_model@452) encoder@143 visual_projection(visual_projection(0@453 1@41))", ""},
    {"Glm46VForConditionalGeneration Glm4vForConditionalGeneration", "glm46v glm4v", "", "model",
     "lm_head@77 model=:Glm46VModel", ""},
    {"Glm46VModel Glm4vModel", "glm46v glm4v", "glm46v glm4v glmga", "model",
     "visual=vision_config:Glm4vVisionModel language_model=text_config:Glm4vTextModel", ""},
    {"Glm4ForCausalLM", "glm4", "", "model", "lm_head@0 model=:Glm4Model", ""},
    {"Glm4ForSequenceClassification", "glm4", "", "model", "score(weight[?,hidden_size]) model=:Glm4Model", ""},
    {"Glm4ForTokenClassification", "glm4", "", "model", "score@1 model=:Glm4Model", ""},
    {"Glm4Model", "glm4", "glm4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@454 mlp@456 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4MoeForCausalLM", "glm4_moe", "", "model", "lm_head@0 model=:Glm4MoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", "", "model", "lm_head@0 model=:Glm4MoeLiteModel",
     "model\\.layers\\.47.*"},
    {"Glm4MoeLiteModel", "glm4_moe_lite", "glm4_moe_lite", "model",
     "embed_tokens@0 layers@319 norm(weight[hidden_size])", "model\\.layers\\.47.*"},
    {"Glm4MoeModel", "glm4_moe", "glm4_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@57 k_proj@58 v_proj@58 o_proj@357 q_norm@457 "
     "k_norm@457) mlp@15 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "", "model", "lm_head@77 model=:Glm4vMoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeModel", "glm4v_moe", "glm4v_moe", "model",
     "language_model(embed_tokens@77 layers(#{text_config.num_hidden_layers}(self_attn@460 mlp(gate_proj@461 "
     "up_proj@461 down_proj@462 experts@463 gate@464 shared_experts@467) input_layernorm@300 "
     "post_attention_layernorm@300) #{}@19) norm@300) visual=vision_config:Glm4vMoeVisionModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeTextModel", "glm4v_moe_text", "glm4v_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@468 mlp(gate_proj@8 up_proj@8 down_proj@9 experts@469 "
     "gate@11 shared_experts@14) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeVisionModel", "glm4v_moe_vision", "glm4v_moe_vision", "model",
     "embeddings@471 patch_embed@473 blocks@480 merger@485 post_conv_layernorm(weight[hidden_size]) downsample@486"
     " post_layernorm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vTextModel", "glm4v_text", "glm4v_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@488 mlp@456 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4vVisionModel", "glm4v_vision", "glm4v_vision", "model",
     "embeddings@471 patch_embed@473 blocks@480 merger@485 post_conv_layernorm(weight[hidden_size]) downsample@486"
     " post_layernorm(weight[hidden_size])", ""},
    {"GlmAsrEncoder", "glmasr_encoder", "glmasr_encoder", "model",
     "conv1@79 conv2@80 layers(#{num_hidden_layers}(self_attn(q_proj@42 k_proj@356 v_proj@487 o_proj@489) mlp@243 "
     "input_layernorm@41 post_attention_layernorm@41)) norm@41", ""},
    {"GlmAsrForConditionalGeneration", "glmasr", "", "model",
     "multi_modal_projector@492 language_model(lm_head@91 model=text_config:Ernie4_5Model) "
     "audio_tower=audio_config:GlmAsrEncoder", ""},
    {"GlmAsrModel", "glmasr", "glmasr", "model",
     "multi_modal_projector@492 audio_tower=audio_config:GlmAsrEncoder language_model@493", ""},
    {"GlmForCausalLM", "glm", "", "model", "lm_head@0 model=:GlmModel", ""},
    {"GlmForSequenceClassification", "glm", "", "model", "score(weight[?,hidden_size]) model=:GlmModel", ""},
    {"GlmForTokenClassification", "glm", "", "model", "score@1 model=:GlmModel", ""},
    {"GlmImageModel", "glm_image", "glm_image", "model",
     "visual=vision_config:GlmImageVisionModel language_model=text_config:GlmImageTextModel "
     "vqmodel=vq_config:GlmImageVQVAE", ""},
    {"GlmImageTextModel", "glm_image_text", "glm_image_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@468 mlp@456 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmImageVQVAE", "glm_image_vqmodel", "glm_image_vqmodel", "model",
     "quantize(embedding(weight[num_embeddings,embed_dim])) quant_conv(weight[embed_dim,(latent_channels/1),1,1] "
     "bias[embed_dim]) post_quant_conv(weight[latent_channels,(embed_dim/1),1,1] bias[latent_channels])", ""},
    {"GlmImageVisionModel", "glm_image_vision", "glm_image_vision", "model",
     "embeddings@471 patch_embed(proj(weight[hidden_size,(in_channels/1),patch_size,patch_size] "
     "bias[hidden_size])) blocks(#{depth}(norm1@41 norm2@41 attn(qkv@474 proj@396) mlp@243))", ""},
    {"GlmModel", "glm", "glm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@454 mlp@456 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", "", "model", "lm_head@0 model=:GlmMoeDsaModel", "model\\.layers\\.78.*"},
    {"GlmMoeDsaModel", "glm_moe_dsa", "glm_moe_dsa", "model", "embed_tokens@0 layers@317 norm(weight[hidden_size])",
     "model\\.layers\\.78.*"},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "", "model", "lm_head@77 model=:GlmOcrModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrModel", "glm_ocr", "glm_ocr", "model",
     "visual=vision_config:GlmOcrVisionModel language_model=text_config:GlmOcrTextModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrTextModel", "glm_ocr_text", "glm_ocr_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@358 mlp@456 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrVisionModel", "glm_ocr_vision", "glm_ocr_vision", "model",
     "patch_embed@473 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(qkv@474 proj@396 "
     "q_norm@494 k_norm@494) mlp@106)) merger(proj@481 post_projection_norm@482 gate_proj@495 up_proj@495 "
     "down_proj(weight[out_hidden_size,(out_hidden_size*in_channels)])) downsample@486 "
     "post_layernorm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GotOcr2ForConditionalGeneration", "got_ocr2", "", "model",
     "vision_tower@508 multi_modal_projector@511 language_model@512", ""},
    {"GotOcr2Model", "got_ocr2", "got_ocr2", "model", "vision_tower@508 multi_modal_projector@511 language_model@86",
     ""},
    {"GptOssForCausalLM", "gpt_oss", "", "model", "lm_head@0 model=:GptOssModel", ""},
    {"GptOssForSequenceClassification", "gpt_oss", "", "model", "score(weight[?,hidden_size]) model=:GptOssModel", ""},
    {"GptOssForTokenClassification OpenAIPrivacyFilterForTokenClassification", "gpt_oss openai_privacy_filter", "",
     "model", "score@1 model=:GptOssModel", ""},
    {"GptOssModel OpenAIPrivacyFilterModel", "gpt_oss openai_privacy_filter", "gpt_oss openai_privacy_filter", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@25 k_proj@26 "
     "v_proj@26 o_proj@27) mlp(router(weight[num_local_experts,hidden_size] bias[num_local_experts]) "
     "experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "gate_up_proj_bias[num_local_experts,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size] down_proj_bias[num_local_experts,hidden_size])) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteDoclingTextModel GraniteModel SmolLM3Model", "granite granite_docling_text smollm3",
     "granite granite_docling_text smollm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteForCausalLM", "granite", "", "model", "lm_head@0 model=:GraniteDoclingTextModel", ""},
    {"GraniteMoeForCausalLM GraniteMoeSharedForCausalLM", "granitemoe granitemoeshared", "", "model",
     "lm_head@0 model=:GraniteMoeModel", ""},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "", "model", "lm_head@0 model=:GraniteMoeHybridModel", ""},
    {"GraniteMoeHybridModel", "granitemoehybrid", "granitemoehybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@517 "
     "shared_mlp(input_linear(weight[(shared_intermediate_size*2),hidden_size]) output_linear@518) mamba@111)) "
     "norm(weight[hidden_size])", ""},
    {"GraniteMoeModel GraniteMoeSharedModel", "granitemoe granitemoeshared", "granitemoe granitemoeshared", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@517)) norm(weight[hidden_size])", ""},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", "", "model", "lm_head@0 model=:GraniteMoeSWAModel", ""},
    {"GraniteMoeSWAModel", "granitemoe_swa", "granitemoe_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@519 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe(router@513 experts@520))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteSWAForCausalLM", "granite_swa", "", "model", "lm_head@164 model=:GraniteSWAModel", ""},
    {"GraniteSWAModel", "granite_swa", "granite_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@519 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteSpeechForConditionalGeneration GraniteSpeechPlusForConditionalGeneration",
     "granite_speech granite_speech_plus", "", "model",
     "encoder@541 projector@543 language_model(lm_head@91 model=text_config:GraniteDoclingTextModel)", ""},
    {"GraniteSpeechModel GraniteSpeechPlusModel", "granite_speech granite_speech_plus",
     "granite_speech granite_speech_plus", "model",
     "encoder@541 projector@543 language_model(model=text_config:GraniteDoclingTextModel)", ""},
    {"GteForMaskedLM", "gte", "", "gte", "lm_head(dense@43 norm@41 decoder@544) gte=:GteModel",
     "inv_freq original_inv_freq"},
    {"GteForSequenceClassification", "gte", "", "gte",
     "gte(embeddings@545 pooler@151 encoder@553 layers@559) classifier@1", "inv_freq original_inv_freq"},
    {"GteForTokenClassification", "gte", "", "gte", "classifier@1 gte=:GteModel", "inv_freq original_inv_freq"},
    {"GteModel", "gte", "gte", "gte", "embeddings@545 encoder@553 layers@559", "inv_freq original_inv_freq"},
    {"HYV3ForCausalLM", "hy_v3", "", "model", "lm_head@0 model=:HYV3Model", "model\\.layers\\.80.*"},
    {"HYV3Model", "hy_v3", "hy_v3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@439 mlp(gate_proj@186 up_proj@186 down_proj@188 "
     "router@30 experts@34 shared_mlp(gate_proj@560 up_proj@560 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*num_shared_experts)]? bias[hidden_size]?)) "
     "expert_bias[num_experts]?) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "model\\.layers\\.80.*"},
    {"HYV4ForCausalLM", "hy_v4", "", "model",
     "model(embed_tokens@0 layers@571 norm(weight[hidden_size]) hc_pre(hc_head@572)) lm_head@0",
     "model\\.mtp_layers\\..*"},
    {"HYV4Model", "hy_v4", "hy_v4", "model", "embed_tokens@0 layers@571 norm(weight[hidden_size]) hc_head(hc_pre@572)",
     "model\\.mtp_layers\\..*"},
    {"HeliumForCausalLM", "helium", "", "model", "lm_head@0 model=:HeliumModel", ""},
    {"HeliumForSequenceClassification", "helium", "", "model", "score(weight[?,hidden_size]) model=:HeliumModel", ""},
    {"HeliumForTokenClassification", "helium", "", "model", "score@1 model=:HeliumModel", ""},
    {"HeliumModel", "helium", "helium", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@25 k_proj@26 v_proj@26 o_proj@81) mlp@106 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HiggsAudioV2ForConditionalGeneration", "higgs_audio_v2", "higgs_audio_v2", "model",
     "model(embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) audio_mlp@106 audio_input_layernorm(weight[hidden_size]) "
     "audio_post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_audio_tokens(embed_audio_tokens@573)) audio_lm_head@573", "text_lm_head.weight"},
    {"HrmTextForCausalLM", "hrm_text", "", "model", "lm_head@0 model=:HrmTextModel", ""},
    {"HrmTextModel", "hrm_text", "hrm_text", "model", "z_L_init[hidden_size] embed_tokens@0 L_module@583 H_module@583",
     ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "", "model", "lm_head@0 model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1ForSequenceClassification", "hunyuan_v1_dense", "", "model",
     "score(weight[?,hidden_size]) model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1Model", "hunyuan_v1_dense", "hunyuan_v1_dense", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@584 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "", "model", "lm_head@0 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1ForSequenceClassification", "hunyuan_v1_moe", "", "model",
     "score(weight[?,hidden_size]) model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1Model", "hunyuan_v1_moe", "hunyuan_v1_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@584 mlp(gate(wg@264) experts@265 shared_mlp@263) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"HyperCLOVAXForCausalLM", "hyperclovax", "", "model", "lm_head@0 model=:HyperCLOVAXModel", ""},
    {"HyperCLOVAXModel", "hyperclovax", "hyperclovax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_norm1(weight[hidden_size]?) "
     "post_norm2(weight[hidden_size]?))) norm(weight[hidden_size])", ""},
    {"HyperCLOVAXVisionV2ForConditionalGeneration", "hyperclovax_vision_v2", "", "model",
     "model(vision_projector@585 language_model(lm_head@91) "
     "vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel)", ""},
    {"HyperCLOVAXVisionV2Model", "hyperclovax_vision_v2", "hyperclovax_vision_v2", "model",
     "projector@585 vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel", ""},
    {"IBertForMaskedLM", "ibert", "", "ibert", "ibert@605 lm_head@251", ""},
    {"IBertForMultipleChoice", "ibert", "", "ibert", "classifier@56 ibert=:IBertModel", ""},
    {"IBertForQuestionAnswering", "ibert", "", "ibert", "ibert@605 qa_outputs@1", ""},
    {"IBertForSequenceClassification", "ibert", "", "ibert", "ibert@605 classifier@157", ""},
    {"IBertForTokenClassification", "ibert", "", "ibert", "ibert@605 classifier@1", ""},
    {"IBertModel", "ibert", "ibert", "ibert", "embeddings@591 encoder@604 pooler@151", ""},
    {"Idefics2ForConditionalGeneration", "idefics2", "", "model", "lm_head@77 model=:Idefics2Model", ""},
    {"Idefics2Model", "idefics2", "idefics2", "model",
     "vision_model(embeddings@607 encoder@451 post_layernorm@71) connector(modality_projection(gate_proj@608 "
     "up_proj@608 down_proj@298) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,perceiver_config.hidden_size] "
     "layers(#{perceiver_config.resampler_depth}(input_latents_norm@609 input_context_norm@609 self_attn(q_proj(we"
     "ight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_size])"
     " k_proj@610 v_proj@610 o_proj(weight[perceiver_config.hidden_size,(perceiver_config.resampler_n_heads*percei"
     "ver_config.resampler_head_dim)])) post_attention_layernorm@609 mlp(gate_proj@611 up_proj@611 "
     "down_proj(weight[perceiver_config.hidden_size,(perceiver_config.hidden_size*4)])))) norm@609)) "
     "text_model=text_config:Ministral3Model", ""},
    {"Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration", "idefics3 smolvlm", "", "model",
     "lm_head@77 model=:Idefics3Model", ""},
    {"Idefics3Model SmolVLMModel", "idefics3 smolvlm", "idefics3 smolvlm", "model",
     "connector(modality_projection(proj(weight[text_config.hidden_size,(vision_config.hidden_size*(scale_factor*s"
     "cale_factor))]))) vision_model=vision_config:Idefics3VisionTransformer text_model=text_config:Ernie4_5Model", ""},
    {"Idefics3VisionTransformer SmolVLMVisionTransformer", "idefics3_vision smolvlm_vision",
     "idefics3_vision smolvlm_vision", "model", "embeddings@613 encoder@246 post_layernorm@41", ""},
    {"IdeficsForVisionText2Text", "idefics", "", "model", "lm_head@0 model=:IdeficsModel", ""},
    {"IdeficsModel", "idefics", "idefics", "model",
     "embed_tokens@0 vision_model(embeddings(class_embedding[vision_config.embed_dim] patch_embedding(weight[visio"
     "n_config.embed_dim,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch_size]) positi"
     "on_embedding(weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_c"
     "onfig.patch_size))+1),vision_config.embed_dim])) pre_layrnorm@614 "
     "encoder(layers(#{vision_config.num_hidden_layers}(self_attn(k_proj@615 v_proj@615 q_proj@615 out_proj@615) "
     "layer_norm1@614 mlp(fc1(weight[vision_config.intermediate_size,vision_config.embed_dim] "
     "bias[vision_config.intermediate_size]) fc2(weight[vision_config.embed_dim,vision_config.intermediate_size] "
     "bias[vision_config.embed_dim])) layer_norm2@614))) post_layernorm@614) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@355 k_proj@355 v_proj@355 o_proj@357) mlp@616 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "gated_cross_attn_layers(#{(num_hidden_layers/cross_layer_interval)}(alpha_cross_attn[1] alpha_dense[1] "
     "cross_attn(q_proj@355 k_proj@617 v_proj@617 o_proj@357 q_layer_norm@457 k_layer_norm@457) mlp@616 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size]) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,vision_config.embed_dim]? "
     "blocks(#{perceiver_config.resampler_depth}(0(context_layer_norm@618 latents_layer_norm@618 q_proj@619 "
     "k_proj@619 v_proj@619 output_proj(weight[vision_config.embed_dim,(perceiver_config.resampler_n_heads*perceiv"
     "er_config.resampler_head_dim)]?)) 1(ln@618 fc(weight[(vision_config.embed_dim*4),vision_config.embed_dim]?) "
     "c_proj(weight[vision_config.embed_dim,(vision_config.embed_dim*4)]?)))) layer_norm@618)", ""},
    {"ImageGPTForCausalImageModeling", "imagegpt", "", "transformer",
     "lm_head(weight[(vocab_size-1),n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTForImageClassification", "imagegpt", "", "transformer",
     "score(weight[?,n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTModel", "imagegpt", "imagegpt", "transformer",
     "wte@248 wpe@425 h(#{n_layer}(ln_1(weight[?]) attn@427 ln_2(weight[?]) mlp@430 crossattention@433 "
     "ln_cross_attn(weight[?]?))) ln_f(weight[?])", ""},
    {"Inkling2ForCausalLM", "inkling2_text", "", "model", "model(llm(unembed@0) llm=:Inkling2TextModel)", ""},
    {"Inkling2TextModel", "inkling2_text", "inkling2_text", "model",
     "embed@0 embed_norm(weight[hidden_size]) attn_res(mlp_queries(#{num_hidden_layers}[hidden_size]) "
     "attn_queries(#{num_hidden_layers}[?]?) output_query[hidden_size]) "
     "layers(#{num_hidden_layers}(attn(wq_du(weight[?,hidden_size]) wk_dv(weight[?,hidden_size]) "
     "wv_dv(weight[?,hidden_size]) wr_du(weight[?,hidden_size]) wo_ud(weight[hidden_size,?]) k_sconv@620 "
     "v_sconv@620 rel_logits_proj(proj[d_rel,?]) gate_attn(weight[?,hidden_size]) "
     "attn_sink_proj(weight[?,hidden_size]) q_l2_clip(scale[?,?]) rel_l2_clip(scale[?,d_rel])) "
     "mlp(experts(w13_weight[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "w2_weight[n_routed_experts,hidden_size,moe_intermediate_size]) gate(weight[n_routed_experts,hidden_size] "
     "bias[n_routed_experts])) attn_norm(weight[hidden_size]?) mlp_norm(weight[hidden_size]) attn_sconv@280 "
     "mlp_sconv@280 q_input_norm(weight[hidden_size]?) k_input_norm(weight[hidden_size]?) "
     "v_input_norm(weight[hidden_size]?))) norm(weight[hidden_size])", ""},
    {"InklingForCausalLM", "inkling_text", "", "model", "lm_head@0 model=:InklingTextModel", "model\\.mtp\\..*"},
    {"InklingTextModel", "inkling_text", "inkling_text", "model",
     "embed_tokens(weight[vocab_size,hidden_size] embed_norm(weight[hidden_size])) "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj(weight[?,hidden_size]) "
     "v_proj(weight[?,hidden_size]) r_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) k_sconv@622 "
     "v_sconv@622 q_norm(weight[?]) k_norm(weight[?]) rel_logits_proj(proj[d_rel,?])) "
     "mlp(gate(weight[(n_routed_experts+n_shared_experts),hidden_size] global_scale[1] "
     "e_score_correction_bias[n_routed_experts]) "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]) "
     "shared_experts(gate_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "up_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "down_proj[n_shared_experts,hidden_size,moe_intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) attn_sconv@623 mlp_sconv@623)) norm(weight[hidden_size])",
     "model\\.mtp\\..*"},
    {"InstructBlipModel InstructBlipVideoModel", "instructblip instructblipvideo", "instructblip instructblipvideo",
     "blip", "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@177 "
     "qformer(embeddings(word_embeddings@178 position_embeddings@179 layernorm@624) "
     "encoder(layer(#{qformer_config.num_hidden_layers}(attention(attention(query@625 key@625 value@625) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size] bias[qformer_config.hidden_size])"
     " LayerNorm@624)) crossattention(attention(query(weight[(qformer_config.num_attention_heads*(qformer_config.h"
     "idden_size/qformer_config.num_attention_heads)),qformer_config.hidden_size]? "
     "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?)"
     " key@626 value@626) output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size]? "
     "bias[qformer_config.hidden_size]?) LayerNorm(weight[qformer_config.hidden_size]? "
     "bias[qformer_config.hidden_size]?))) intermediate@628 output@630 intermediate_query@628 output_query@630))))"
     " language_projection(weight[text_config.hidden_size,qformer_config.hidden_size] "
     "bias[text_config.hidden_size]) language_model=text_config:OPTModel", ""},
    {"InternVLForConditionalGeneration", "internvl", "", "model",
     "multi_modal_projector@633 language_model@512 vision_tower=vision_config:InternVLVisionModel", ""},
    {"InternVLModel", "internvl", "internvl", "model",
     "multi_modal_projector@633 vision_tower=vision_config:InternVLVisionModel language_model@86", ""},
    {"InternVLVisionModel", "internvl_vision", "internvl_vision", "internvl_vision",
     "embeddings(cls_token[1,1,hidden_size] position_embeddings[1,?,hidden_size]? "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?] bias[hidden_size])) "
     "mask_token[1,1,hidden_size]?) encoder(layer(#{num_hidden_layers}(lambda_1[?] lambda_2[?] attention(q_proj@57"
     " k_proj@57 v_proj@57 projection_layer@43 q_norm(weight[hidden_size]?) k_norm(weight[hidden_size]?)) mlp@243 "
     "layernorm_before@41 layernorm_after@41))) layernorm@184", ""},
    {"Jais2ForCausalLM", "jais2", "", "model", "lm_head@0 model=:Jais2Model", ""},
    {"Jais2Model", "jais2", "jais2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@67 input_layernorm@41 "
     "post_attention_layernorm@41)) norm@41", ""},
    {"JambaForCausalLM", "jamba", "", "model", "lm_head@0 model=:JambaModel", ""},
    {"JambaForSequenceClassification", "jamba", "", "model", "score(weight[?,hidden_size]) model=:JambaModel", ""},
    {"JambaModel", "jamba", "jamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mamba(A_log[?,?]? D[(mamba_expand*hidden_size)]? conv1d(weight[(m"
     "amba_expand*hidden_size),((mamba_expand*hidden_size)/(mamba_expand*hidden_size)),mamba_d_conv]? "
     "bias[(mamba_expand*hidden_size)]?) in_proj(weight[((mamba_expand*hidden_size)*2),hidden_size]? "
     "bias[((mamba_expand*hidden_size)*2)]?) "
     "x_proj(weight[(mamba_dt_rank+(mamba_d_state*2)),(mamba_expand*hidden_size)]?) "
     "dt_proj(weight[(mamba_expand*hidden_size),mamba_dt_rank]? bias[(mamba_expand*hidden_size)]?) "
     "out_proj(weight[hidden_size,(mamba_expand*hidden_size)]? bias[hidden_size]?) "
     "dt_layernorm(weight[mamba_dt_rank]?) b_layernorm@634 c_layernorm@634) feed_forward(gate_proj@8 up_proj@8 "
     "down_proj@9 router@29 experts@265) input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) self_attn@638) #{}(feed_forward@18)) "
     "final_layernorm(weight[hidden_size])", ""},
    {"JanusForConditionalGeneration", "janus", "", "model", "lm_head@91 model=:JanusModel", ""},
    {"JanusModel", "janus", "janus", "model",
     "vision_model(embeddings@607 encoder(layers(#{vision_config.num_hidden_layers}(layer_norm1@71 "
     "self_attn(q_proj@639 k_proj@639 v_proj@639 projection_layer@69) layer_norm2@71 mlp(fc1@640 fc2@641)))) "
     "post_layernorm@71) aligner(fc1@642 "
     "hidden_layers(0(weight[vision_config.projection_dim,vision_config.projection_dim] "
     "bias[vision_config.projection_dim]))) "
     "vqmodel(encoder(conv_in(weight[vq_config.base_channels,(vq_config.in_channels/1),?,?] "
     "bias[vq_config.base_channels]) down(0(block(0(norm1(weight[(vq_config.base_channels*1)] "
     "bias[(vq_config.base_channels*1)]) conv1(weight[?,((vq_config.base_channels*1)/1),?,?] bias[?]) "
     "norm2(weight[?] bias[?]) conv2@643) 1@644) downsample@645) 1@647 2(block@650 downsample@645) 3@647 "
     "4(block@650 attn(0@651 1@651))) mid@652 norm_out(weight[?] bias[?]) "
     "conv_out(weight[vq_config.latent_channels,?,?,?] bias[vq_config.latent_channels])) quantize(embedding@653) "
     "quant_conv(weight[vq_config.embed_dim,(vq_config.latent_channels/1),1,1] bias[vq_config.embed_dim]) "
     "post_quant_conv(weight[vq_config.latent_channels,(vq_config.embed_dim/1),1,1] "
     "bias[vq_config.latent_channels]) decoder(conv_in(weight[?,(vq_config.latent_channels/1),?,?] bias[?]) "
     "mid@652 up(0(block@654 attn(0@651 1@651 2@651) upsample@645) 1@656 2(block@654 upsample@645) 3@656 "
     "4(block@654)) norm_out(weight[?] bias[?]) conv_out(weight[vq_config.out_channels,?,?,?] "
     "bias[vq_config.out_channels]))) generation_embeddings@653 "
     "generation_aligner(fc1(weight[vq_config.projection_dim,vq_config.embed_dim] bias[vq_config.projection_dim]) "
     "hidden_layers(0(weight[vq_config.projection_dim,vq_config.projection_dim] bias[vq_config.projection_dim]))) "
     "generation_head(proj_out(weight[vq_config.projection_dim,vq_config.image_token_embed_dim] "
     "bias[vq_config.projection_dim]) vision_head(weight[vq_config.num_embeddings,vq_config.projection_dim] "
     "bias[vq_config.num_embeddings])) language_model=text_config:Ernie4_5Model", ""},
    {"JetMoeForCausalLM", "jetmoe", "", "model", "lm_head@164 model=:JetMoeModel", ""},
    {"JetMoeForSequenceClassification", "jetmoe", "", "model", "score(weight[?,hidden_size]) model=:JetMoeModel", ""},
    {"JetMoeModel", "jetmoe", "jetmoe", "model", "embed_tokens@0 layers(#{num_hidden_layers}(mlp(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(intermediate_size*2),hidden_size]) output_linear@516 router@514) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attention(experts(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(kv_channels*num_key_value_heads),hidden_size]) "
     "output_linear(weight[num_local_experts,hidden_size,(kv_channels*num_key_value_heads)]) router@514) "
     "kv_proj(weight[((kv_channels*num_key_value_heads)*2),hidden_size])))) norm(weight[hidden_size])", ""},
    {"JevForDecision", "jev", "", "model",
     "weight[num_verbalizers,hidden_size] proj(bias[num_verbalizers]) model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "", "roberta", "lm_head@251 roberta@666", ""},
    {"JinaEmbeddingsV3ForQuestionAnswering", "jina_embeddings_v3", "", "roberta", "qa_outputs@1 roberta@666", ""},
    {"JinaEmbeddingsV3ForSequenceClassification", "jina_embeddings_v3", "", "roberta", "classifier@157 roberta@666", ""},
    {"JinaEmbeddingsV3ForTokenClassification", "jina_embeddings_v3", "", "roberta", "classifier@1 roberta@666", ""},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "jina_embeddings_v3", "roberta",
     "embeddings@657 emb_ln@41 pooler@151 encoder@663 layers@665", ""},
    {"KimiLinearForCausalLM", "kimi_linear", "", "model", "lm_head@0 model=:KimiLinearModel", ""},
    {"KimiLinearModel", "kimi_linear", "kimi_linear", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj@92 v_proj@92 "
     "conv1d@98 dt_bias[(linear_head_dim*linear_num_heads)]? A_log[1,1,linear_num_heads,1]? f_a_proj@667 "
     "f_b_proj@668 b_proj@93 g_a_proj@667 g_b_proj@668 o_norm@94 o_proj(weight[hidden_size,?]) "
     "kv_a_proj_with_mqa@95 kv_a_layernorm(weight[kv_lora_rank]?) kv_b_proj@96) block_sparse_moe(gate_proj@8 "
     "up_proj@8 down_proj@9 gate@132 shared_experts@33) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) mlp(experts@34)) #{}(self_attn@103 block_sparse_moe@342)) "
     "norm(weight[hidden_size])", ""},
    {"Kimi_K25ForConditionalGeneration", "kimi_k25", "", "model",
     "vision_tower(encoder(patch_embed(proj@167) blocks(#{vision_config.num_hidden_layers}(norm0@71 norm2@238 "
     "wo@69 mlp(fc0@171 fc2(weight[vision_config.hidden_size,vision_config.intermediate_size]? "
     "bias[vision_config.hidden_size]?))) #{}@669) final_layernorm@71) patch_embed(pos_emb(weight[vision_config.po"
     "s_emb_height,vision_config.pos_emb_width,vision_config.hidden_size]))) model(vision_tower(layers@673) "
     "language_model@677 mm_projector(pre_norm@678)) language_model(model(embed_tokens@77 blocks@689 norm@300) "
     "lm_head@91) mm_projector(proj(0(weight[?,?] bias[?]) 2@690))", "model\\.layers\\.61.*"},
    {"Kimi_K25Model", "kimi_k25", "kimi_k25", "model",
     "vision_tower(patch_embed(proj@167 pos_emb(position_embeddings[vision_config.pos_emb_height,vision_config.pos"
     "_emb_width,vision_config.hidden_size])) blocks(#{vision_config.num_hidden_layers}(norm1@71 norm2@71 attn@691"
     " mlp@173) #{}@669) layers@673 final_layernorm@71) language_model(embed_tokens@77 blocks@689 layers@676 "
     "norm@300) mm_projector(pre_norm@678 in_proj(weight[?,?] bias[?]) out_proj@690)", "model\\.layers\\.61.*"},
    {"Kolibri1ForCausalLM", "kolibri1", "", "model", "lm_head@0 model=:Kolibri1Model", ""},
    {"Kolibri1Model", "kolibri1", "kolibri1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@692 mlp(experts@693 gate@513 shared_experts@696) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_attn_norm(weight[hidden_size]) post_ffn_norm(weight[hidden_size]) "
     "moe(router(expert_bias[num_local_experts]))) #{}@19) norm(weight[hidden_size])", ""},
    {"Kosmos2ForConditionalGeneration", "kosmos-2", "", "",
     "text_model(model@710 lm_head@711) vision_model@712 image_to_text_projection@715", ""},
    {"Kosmos2Model", "kosmos-2", "kosmos-2", "", "text_model(model@710) vision_model@712 image_to_text_projection@715",
     ""},
    {"Kosmos2_5ForConditionalGeneration", "kosmos-2.5", "", "",
     "text_model(model@719 lm_head@711) vision_model@732 image_to_text_projection@715", ""},
    {"Kosmos2_5Model", "kosmos-2.5", "kosmos-2.5", "",
     "text_model(model@719) vision_model@732 image_to_text_projection@715", ""},
    {"LEDForConditionalGeneration", "led", "", "led", "lm_head@123 final_logits_bias[1,vocab_size]? led=:LEDModel", ""},
    {"LEDForQuestionAnswering", "led", "", "led", "qa_outputs@124 led=:LEDModel", ""},
    {"LEDModel", "led", "led", "led",
     "shared@112 encoder(embed_tokens@123 embed_positions(weight[max_encoder_position_embeddings,d_model]) "
     "layers(#{encoder_layers}(self_attn(longformer_self_attn(query@114 key@114 value@114 query_global@114 "
     "key_global@114 value_global@114) output@114) self_attn_layer_norm@116 fc1@126 fc2@127 final_layer_norm@116))"
     " layernorm_embedding@116) decoder(embed_tokens@123 "
     "embed_positions(weight[max_decoder_position_embeddings,d_model]) layers@120 layernorm_embedding@116)", ""},
    {"LagunaForCausalLM", "laguna", "", "model", "lm_head@0 model=:LagunaModel", ""},
    {"LagunaModel", "laguna", "laguna", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@349 k_proj@26 v_proj@26 o_proj@350 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) g_proj(weight[?,hidden_size])) mlp(gate_proj@8 up_proj@8 "
     "down_proj@9 experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]~ "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]~ e_score_correction_bias[num_experts]?) gate@29 "
     "shared_expert@407) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", ""},
    {"LayoutLMForMaskedLM", "layoutlm", "", "layoutlm", "cls@147 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForQuestionAnswering", "layoutlm", "", "layoutlm", "qa_outputs@1 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForSequenceClassification LayoutLMForTokenClassification", "layoutlm", "", "layoutlm",
     "classifier@1 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMModel", "layoutlm", "layoutlm", "layoutlm",
     "embeddings(word_embeddings@0 position_embeddings@133 x_position_embeddings@733 y_position_embeddings@733 "
     "h_position_embeddings@733 w_position_embeddings@733 token_type_embeddings@134 LayerNorm@41) encoder@143 "
     "pooler@151", ""},
    {"LayoutLMv3ForQuestionAnswering", "layoutlmv3", "", "layoutlmv3", "qa_outputs@157 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForSequenceClassification", "layoutlmv3", "", "layoutlmv3",
     "classifier@157 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForTokenClassification", "layoutlmv3", "", "layoutlmv3", "classifier@1 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3Model", "layoutlmv3", "layoutlmv3", "layoutlmv3",
     "cls_token[1,1,hidden_size]? pos_embed[1,(((input_size/patch_size)*(input_size/patch_size))+1),hidden_size]? "
     "embeddings(word_embeddings@164 token_type_embeddings(weight[type_vocab_size,hidden_size]?) LayerNorm@184 "
     "position_embeddings@310 x_position_embeddings@734 y_position_embeddings@734 h_position_embeddings@735 "
     "w_position_embeddings@735) patch_embed(proj(weight[hidden_size,(num_channels/1),patch_size,patch_size]? "
     "bias[hidden_size]?)) LayerNorm@184 norm@184 encoder(layer@142 "
     "rel_pos_bias(weight[num_attention_heads,rel_pos_bins]?) rel_pos_x_bias@736 rel_pos_y_bias@736)", ""},
    {"Lfm2ForCausalLM", "lfm2", "", "model", "lm_head@164 model=:Lfm2Model", ""},
    {"Lfm2Model", "lfm2", "lfm2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@737 feed_forward(w1(weight[?,hidden_size]) "
     "w3(weight[?,hidden_size]) w2(weight[hidden_size,?])) operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) conv(conv(weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?) "
     "in_proj@738 out_proj@739))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2MoeForCausalLM", "lfm2_moe", "", "model", "lm_head@164 model=:Lfm2MoeModel", ""},
    {"Lfm2MoeModel", "lfm2_moe", "lfm2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@742 feed_forward@743 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) self_attn@737)) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "", "model", "lm_head@91 model=:Lfm2VlModel", ""},
    {"Lfm2VlModel", "lfm2_vl", "lfm2_vl", "model", "multi_modal_projector(layer_norm@87 "
     "linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
     "bias[projector_hidden_size]) linear_2@744) vision_tower=vision_config:Siglip2VisionModel "
     "language_model=text_config:Lfm2Model", ""},
    {"Lfm3ForCausalLM", "lfm3", "", "model", "lm_head@164 model=:Lfm3Model", ""},
    {"Lfm3Model", "lfm3", "lfm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@742 feed_forward@743 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) post_operator_norm(weight[hidden_size]?) post_ffn_norm(weight[hidden_size]?) "
     "self_attn(q_proj@745 k_proj@746 v_proj@746 o_proj@747 q_norm(weight[head_dim]?) k_norm(weight[head_dim]?) "
     "gate_proj(weight[num_attention_heads,hidden_size]?)))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm3VlForConditionalGeneration", "lfm3_vl", "", "model", "lm_head@91 model=:Lfm3VlModel", ""},
    {"Lfm3VlModel", "lfm3_vl", "lfm3_vl", "model",
     "multi_modal_projector(layer_norm@71 linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(vision"
     "_config.spatial_merge_size*vision_config.spatial_merge_size))] bias[projector_hidden_size]) linear_2@744) "
     "language_model=text_config:Lfm3Model vision_tower=vision_config:Lfm3VlVisionModel", ""},
    {"Lfm3VlVisionModel", "lfm3_vl_vision", "lfm3_vl_vision", "model",
     "patchifier(weight[hidden_size,((in_channels*temporal_patch_size)*(patch_size*patch_size))]) "
     "embedding_norm(weight[hidden_size]) layers(#{num_hidden_layers}(conv(in_proj@738 "
     "spatial_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size,conv_kernel_size]?) out_proj@739)"
     " feed_forward@743 operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) self_attn@737))", ""},
    {"LightOnOcrForConditionalGeneration", "lighton_ocr", "", "model", "lm_head@91 model=:LightOnOcrModel", ""},
    {"LightOnOcrModel", "lighton_ocr", "lighton_ocr", "",
     "vision_projection(norm@435 patch_merger@749 linear_1@73 linear_2@74) "
     "vision_encoder=vision_config:PixtralVisionModel language_model=text_config:Qwen3Model", ""},
    {"LiltForQuestionAnswering", "lilt", "", "lilt", "lilt@767 qa_outputs@1", ""},
    {"LiltForSequenceClassification", "lilt", "", "lilt", "lilt@767 classifier@157", ""},
    {"LiltForTokenClassification", "lilt", "", "lilt", "lilt@767 classifier@1", ""},
    {"LiltModel", "lilt", "lilt", "lilt", "embeddings@135 layout_embeddings@754 encoder@766 pooler@151", ""},
    {"Llama4ForCausalLM", "llama4_text", "", "language_model", "lm_head@0 model=:Llama4TextModel", ""},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,vision_config.vision_output_dim])) "
     "vision_model=vision_config:Llama4VisionModel language_model=text_config:Llama4ForCausalLM", ""},
    {"Llama4TextModel", "llama4_text", "llama4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 "
     "feed_forward(experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size]) router@513 shared_expert@263) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Llama4VisionModel", "llama4_vision_model", "", "vision_model", "class_embedding[?] positional_embedding_vlm[?,?] "
     "patch_embedding(linear(weight[hidden_size,((num_channels*patch_size)*patch_size)])) layernorm_pre@41 "
     "layernorm_post@41 model(layers(#{num_hidden_layers}(self_attn(q_proj@42 k_proj@42 v_proj@42 o_proj@489) "
     "mlp@243 input_layernorm@41 post_attention_layernorm@41))) "
     "vision_adapter(mlp(fc1(weight[projector_input_dim,intermediate_size]) "
     "fc2(weight[projector_output_dim,projector_output_dim])))", ""},
    {"LlamaForQuestionAnswering SeedOssForQuestionAnswering", "llama seed_oss", "", "transformer",
     "qa_outputs@1 transformer=:Ernie4_5Model", ""},
    {"LlamaForSequenceClassification SeedOssForSequenceClassification", "llama seed_oss", "", "model",
     "score(weight[?,hidden_size]) model=:Ernie4_5Model", ""},
    {"LlamaForTokenClassification SeedOssForTokenClassification", "llama seed_oss", "", "model",
     "score@1 model=:Ernie4_5Model", ""},
    {"LlavaForConditionalGeneration", "llava", "", "model",
     "multi_modal_projector@769 language_model@770 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaModel", "llava", "llava", "model",
     "multi_modal_projector@769 vision_tower=vision_config:CLIPVisionModel language_model@493", ""},
    {"LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration", "llava_next llava_next_video", "",
     "model",
     "image_newline[?] multi_modal_projector@769 language_model@770 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaNextModel LlavaNextVideoModel", "llava_next llava_next_video", "llava_next llava_next_video", "model",
     "image_newline[?] multi_modal_projector@769 vision_tower=vision_config:CLIPVisionModel language_model@493", ""},
    {"LlavaOnevisionForConditionalGeneration", "llava_onevision", "", "model",
     "image_newline[?] multi_modal_projector@769 language_model@85 vision_tower=vision_config:SiglipVisionModel", ""},
    {"LlavaOnevisionModel", "llava_onevision", "llava_onevision", "model",
     "image_newline[?] multi_modal_projector@769 vision_tower=vision_config:SiglipVisionModel language_model@86", ""},
    {"LongT5ForConditionalGeneration", "longt5", "", "transformer", "shared@112 encoder@781 decoder@788 lm_head@123",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongT5Model", "longt5", "longt5", "transformer", "shared@112 encoder@781 decoder@788",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongcatFlashForCausalLM", "longcat_flash", "", "model", "lm_head@0 model=:LongcatFlashModel", "model\\.mtp.*"},
    {"LongcatFlashModel", "longcat_flash", "longcat_flash", "model",
     "embed_tokens@0 layers(#{num_layers}(mlp(experts(gate_up_proj[(n_routed_experts+zero_expert_num),(2*expert_ff"
     "n_hidden_size),hidden_size]~ down_proj[n_routed_experts,hidden_size,expert_ffn_hidden_size]~) "
     "router(classifier(weight[(n_routed_experts+zero_expert_num),hidden_size]) "
     "e_score_correction_bias[(n_routed_experts+zero_expert_num)])) self_attn(0@790 1@790) mlps(0@793 1@793) "
     "input_layernorm@794 post_attention_layernorm@794) #{}@19) norm(weight[hidden_size])", "model\\.mtp.*"},
    {"LongformerForMaskedLM", "longformer", "", "longformer", "longformer@800 lm_head@251", ""},
    {"LongformerForMultipleChoice", "longformer", "", "longformer", "classifier@56 longformer=:LongformerModel", ""},
    {"LongformerForQuestionAnswering", "longformer", "", "longformer", "longformer@800 qa_outputs@1", ""},
    {"LongformerForSequenceClassification", "longformer", "", "longformer", "longformer@800 classifier@157", ""},
    {"LongformerForTokenClassification", "longformer", "", "longformer", "longformer@800 classifier@1", ""},
    {"LongformerModel", "longformer", "longformer", "longformer", "embeddings@252 encoder@799 pooler@151", ""},
    {"LukeForMaskedLM", "luke", "", "luke",
     "lm_head(bias[vocab_size]? dense@43 layer_norm@41 decoder@267) entity_predictions(bias[entity_vocab_size] "
     "transform(dense(weight[entity_emb_size,hidden_size] bias[entity_emb_size]) LayerNorm(weight[entity_emb_size]"
     " bias[entity_emb_size])) decoder(weight[entity_vocab_size,entity_emb_size]?)) luke=:LukeModel", ""},
    {"LukeForMultipleChoice", "luke", "", "luke", "classifier@56 luke=:LukeModel", ""},
    {"LukeForQuestionAnswering", "luke", "", "luke", "luke@809 qa_outputs@1", ""},
    {"LukeForSequenceClassification", "luke", "", "luke", "classifier@1 luke=:LukeModel", ""},
    {"LukeForTokenClassification", "luke", "", "luke", "luke@809 classifier@1", ""},
    {"LukeModel", "luke", "luke", "luke", "embeddings@135 entity_embeddings@803 encoder@808 pooler@151", ""},
    {"LxmertForPreTraining", "lxmert", "", "lxmert",
     "cls(predictions(bias[vocab_size] transform@137 decoder@164) seq_relationship@1) "
     "obj_predict_head(transform@137 decoder_dict(obj(weight[num_object_labels,hidden_size] "
     "bias[num_object_labels]) attr(weight[num_attr_labels,hidden_size] bias[num_attr_labels]) "
     "feat(weight[visual_feat_dim,hidden_size] bias[visual_feat_dim]))) answer_head@814 lxmert=:LxmertModel", ""},
    {"LxmertForQuestionAnswering", "lxmert", "", "lxmert", "answer_head@814 lxmert=:LxmertModel", ""},
    {"LxmertModel", "lxmert", "lxmert", "lxmert",
     "embeddings@135 encoder(visn_fc(visn_fc(weight[hidden_size,visual_feat_dim] bias[hidden_size]) "
     "visn_layer_norm@41 box_fc(weight[hidden_size,visual_pos_dim] bias[hidden_size]) box_layer_norm@41) "
     "layer(#{l_layers}@141) x_layers(#{x_layers}(visual_attention(att@136 output@137) lang_self_att@138 "
     "visn_self_att@138 lang_inter@139 lang_output@140 visn_inter@139 visn_output@140)) r_layers(#{r_layers}@141))"
     " pooler@151", ""},
    {"M2M100ForConditionalGeneration", "m2m_100", "", "model", "lm_head@123 model=:M2M100Model", ""},
    {"M2M100Model", "m2m_100", "m2m_100", "model",
     "shared@112 encoder(embed_tokens@123 layers@129 layer_norm@116) decoder(embed_tokens@123 layers@120 "
     "layer_norm@116)", ""},
    {"MBartForCausalLM", "mbart", "", "model",
     "model(decoder(embed_tokens@112 embed_positions@113 layers@120 layernorm_embedding@116 layer_norm@116)) "
     "lm_head@123", ""},
    {"MBartForConditionalGeneration", "mbart", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:MBartModel", ""},
    {"MBartForQuestionAnswering", "mbart", "", "model", "qa_outputs@124 model=:MBartModel", ""},
    {"MBartForSequenceClassification", "mbart", "", "model", "classification_head@125 model=:MBartModel", ""},
    {"MBartModel", "mbart", "mbart", "model",
     "shared@112 encoder(embed_tokens@123 embed_positions@113 layers@129 layernorm_embedding@116 layer_norm@116) "
     "decoder(embed_tokens@123 embed_positions@113 layers@120 layernorm_embedding@116 layer_norm@116)", ""},
    {"MPNetForMaskedLM", "mpnet", "", "mpnet", "mpnet@821 lm_head@251", ""},
    {"MPNetForMultipleChoice", "mpnet", "", "mpnet", "classifier@56 mpnet=:MPNetModel", ""},
    {"MPNetForQuestionAnswering", "mpnet", "", "mpnet", "mpnet@821 qa_outputs@1", ""},
    {"MPNetForSequenceClassification", "mpnet", "", "mpnet", "mpnet@821 classifier@157", ""},
    {"MPNetForTokenClassification", "mpnet", "", "mpnet", "mpnet@821 classifier@1", ""},
    {"MPNetModel", "mpnet", "mpnet", "mpnet", "embeddings@150 encoder@820 pooler@151", ""},
    {"MT5EncoderModel UMT5EncoderModel", "mt5 umt5", "", "transformer",
     "shared@112 encoder(embed_tokens@123 block(#{num_layers}(layer(#{}(SelfAttention@824 "
     "layer_norm(weight[d_model]) DenseReluDense(wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?) "
     "wo(weight[d_model,d_ff]?) wi(weight[d_ff,d_model]?)) EncDecAttention@825)))) "
     "final_layer_norm(weight[d_model]))", ""},
    {"MT5ForConditionalGeneration", "mt5", "", "transformer", "shared@112 encoder@831 decoder@835 lm_head@123",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForQuestionAnswering", "mt5", "", "transformer", "shared@112 encoder@831 decoder@835 qa_outputs@124",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForSequenceClassification", "mt5", "", "transformer", "classification_head@125 transformer=:MT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForTokenClassification", "mt5", "", "transformer", "classifier@124 transformer=:MT5EncoderModel", ""},
    {"MT5Model", "mt5", "mt5", "transformer", "shared@112 encoder@831 decoder@835",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"Mamba2ForCausalLM", "mamba2", "", "backbone", "lm_head@0 backbone=:Mamba2Model", ""},
    {"Mamba2Model", "mamba2", "mamba2", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(dt_bias[num_heads] A_log[num_heads]"
     " D[num_heads] conv1d(weight[((expand*hidden_size)+((2*n_groups)*state_size)),(((expand*hidden_size)+((2*n_gr"
     "oups)*state_size))/((expand*hidden_size)+((2*n_groups)*state_size))),conv_kernel] "
     "bias[((expand*hidden_size)+((2*n_groups)*state_size))]?) in_proj(weight[(((expand*hidden_size)+((expand*hidd"
     "en_size)+((2*n_groups)*state_size)))+num_heads),hidden_size] "
     "bias[(((expand*hidden_size)+((expand*hidden_size)+((2*n_groups)*state_size)))+num_heads)]?) "
     "norm(weight[(expand*hidden_size)]) out_proj(weight[hidden_size,(expand*hidden_size)] bias[hidden_size]?)))) "
     "norm_f(weight[hidden_size])", ""},
    {"MarianForCausalLM", "marian", "", "model",
     "model(decoder(embed_tokens(weight[decoder_vocab_size,d_model]) embed_positions@158 layers@120)) "
     "lm_head(weight[decoder_vocab_size,d_model]?)", ""},
    {"MarianMTModel", "marian", "", "model", "lm_head@123 final_logits_bias[1,vocab_size]? model=:MarianModel", ""},
    {"MarianModel", "marian", "marian", "model",
     "shared@123 encoder(embed_tokens@123 embed_positions@158 layers@129) decoder(embed_tokens(weight[?,d_model]?)"
     " embed_positions@158 layers@120)", ""},
    {"MarkupLMForQuestionAnswering", "markuplm", "", "markuplm", "markuplm@844 qa_outputs@1", ""},
    {"MarkupLMForSequenceClassification", "markuplm", "", "markuplm", "classifier@1 markuplm=:MarkupLMModel", ""},
    {"MarkupLMForTokenClassification", "markuplm", "", "markuplm", "markuplm@844 classifier@1", ""},
    {"MarkupLMModel", "markuplm", "markuplm", "markuplm", "embeddings@843 encoder@143 pooler@151", ""},
    {"MegatronBertForCausalLM MegatronBertForMaskedLM", "megatron-bert", "", "bert", "bert@850 cls@147", ""},
    {"MegatronBertForMultipleChoice", "megatron-bert", "", "bert", "classifier@56 bert=:MegatronBertModel", ""},
    {"MegatronBertForNextSentencePrediction", "megatron-bert", "", "bert", "cls@148 bert=:MegatronBertModel", ""},
    {"MegatronBertForPreTraining", "megatron-bert", "", "bert", "cls@149 bert=:MegatronBertModel", ""},
    {"MegatronBertForQuestionAnswering", "megatron-bert", "", "bert", "bert@850 qa_outputs@1", ""},
    {"MegatronBertForSequenceClassification", "megatron-bert", "", "bert", "classifier@1 bert=:MegatronBertModel", ""},
    {"MegatronBertForTokenClassification", "megatron-bert", "", "bert", "bert@850 classifier@1", ""},
    {"MegatronBertModel", "megatron-bert", "megatron-bert", "bert", "embeddings@845 encoder@849 pooler@151", ""},
    {"MellumForCausalLM", "mellum", "", "model", "lm_head@0 model=:MellumModel", "^mtp\\."},
    {"MellumModel", "mellum", "mellum", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@439 mlp@851 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "^mtp\\."},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", "", "model", "lm_head@0 model=:MiMoV2FlashModel", "^model\\.mtp\\."},
    {"MiMoV2FlashModel", "mimo_v2_flash", "mimo_v2_flash", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@25 k_proj@349 v_proj@349 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)]) attention_sink_bias[num_attention_heads]?) "
     "mlp(gate_proj@8 up_proj@8 down_proj@9 experts@10 gate@11) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "^model\\.mtp\\."},
    {"MiniCPM3ForCausalLM", "minicpm3", "", "model", "lm_head@164 model=:MiniCPM3Model", ""},
    {"MiniCPM3ForSequenceClassification", "minicpm3", "", "model", "score(weight[?,hidden_size]) model=:MiniCPM3Model",
     ""},
    {"MiniCPM3Model", "minicpm3", "minicpm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@7 mlp@106 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MiniCPMOcrForConditionalGeneration", "minicpm_ocr", "", "model", "lm_head@91 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniCPMOcrModel MiniCPMV4_7Model", "minicpm_ocr minicpmv4_7", "minicpm_ocr minicpmv4_7", "model",
     "merger@855 vision_tower=vision_config:MiniCPMOcrVisionModel language_model=text_config:Qwen3_5TextModel",
     "^mtp.*"},
    {"MiniCPMOcrVisionModel MiniCPMV4_7VisionModel", "minicpm_ocr_vision minicpmv4_7_vision",
     "minicpm_ocr_vision minicpmv4_7_vision", "",
     "embeddings@613 encoder@858 post_layernorm@41 vit_merger(self_attn@166 layer_norm1@41 pre_norm(weight[?] "
     "bias[?]) linear_1(weight[?,?] bias[?]) linear_2@859)", ""},
    {"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "", "model", "lm_head@77 model=:MiniCPMV4_6Model", "^mtp.*"},
    {"MiniCPMV4_6Model", "minicpmv4_6", "minicpmv4_6", "model",
     "vision_tower(embeddings@607 encoder@862 post_layernorm@71 vit_merger(self_attn@448 layer_norm1@71 "
     "pre_norm(weight[?] bias[?]) linear_1(weight[?,?] bias[?]) linear_2@641)) merger@855 "
     "language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"MiniCPMV4_7ForConditionalGeneration", "minicpmv4_7", "", "model", "lm_head@77 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniMaxForCausalLM", "minimax", "", "model", "lm_head@0 model=:MiniMaxModel", ""},
    {"MiniMaxForQuestionAnswering", "minimax", "", "model", "qa_outputs@1 model=:MiniMaxModel", ""},
    {"MiniMaxForSequenceClassification", "minimax", "", "model", "score(weight[?,hidden_size]) model=:MiniMaxModel", ""},
    {"MiniMaxForTokenClassification", "minimax", "", "model", "score@1 model=:MiniMaxModel", ""},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "", "model", "lm_head@0 model=:MiniMaxM2Model", ""},
    {"MiniMaxM2Model", "minimax_m2", "minimax_m2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 k_proj@305 v_proj@305 o_proj@306 "
     "q_norm(weight[(num_attention_heads*head_dim)]) k_norm(weight[(num_key_value_heads*head_dim)])) "
     "block_sparse_moe(gate@513 e_score_correction_bias[num_local_experts]) mlp@864 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@865) "
     "norm(weight[hidden_size])", ""},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "", "model",
     "vision_tower(vision_model(embeddings(patch_embedding@866) pre_layrnorm@71 encoder@451)) "
     "multi_modal_projector(linear_1@867 linear_2@744) patch_merge_mlp(linear_1@868 linear_2@744) "
     "language_model(model(embed_tokens@77 layers(#{text_config.num_hidden_layers}(self_attn@869 "
     "block_sparse_moe@873 input_layernorm@300 post_attention_layernorm@300) #{}@876) norm@300) lm_head@77) "
     "model(language_model(layers(#{text_config.num_hidden_layers}(mlp@880))))", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "", "model", "lm_head@0 model=:MiniMaxM3VLTextModel",
     "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLModel", "minimax_m3_vl", "minimax_m3_vl", "model",
     "vision_tower(embeddings(proj@866) pre_layrnorm@71 layers@450) multi_modal_projector(linear_1@867 "
     "linear_2@744 merge_linear_1@868 merge_linear_2@744) language_model(embed_tokens@77 "
     "layers(#{text_config.num_hidden_layers}(self_attn@869 block_sparse_moe@873 mlp@880 input_layernorm@300 "
     "post_attention_layernorm@300) #{}@876) norm@300)", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLTextModel", "minimax_m3_vl_text", "minimax_m3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@692 mlp(gate@881 experts@520 "
     "shared_experts(gate_up_proj(weight[(2*shared_intermediate_size),hidden_size]) down_proj@518)) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "(^|\\.)mtp\\..*"},
    {"MiniMaxModel", "minimax", "minimax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@635 k_proj@636 v_proj@636 o_proj@637 "
     "norm(weight[((hidden_size/num_attention_heads)*num_attention_heads)]?) "
     "qkv_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size]?) out_proj@637 "
     "output_gate@635 slope_rate[?,?,?]? query_decay[?,?,?]? key_decay[?,?,?]? diagonal_decay[?,?,?,?]?) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) block_sparse_moe@882 "
     "mlp@864) #{}@865) norm(weight[hidden_size])", ""},
    {"Ministral3ForCausalLM MinistralForCausalLM MistralForCausalLM", "ministral ministral3 mistral", "", "model",
     "lm_head@0 model=:Ministral3Model", ""},
    {"Ministral3ForQuestionAnswering MistralForQuestionAnswering", "ministral3 mistral", "", "model",
     "qa_outputs@1 model=:Ministral3Model", ""},
    {"Ministral3ForSequenceClassification MinistralForSequenceClassification MistralForSequenceClassification",
     "ministral ministral3 mistral", "", "model", "score(weight[?,hidden_size]) model=:Ministral3Model", ""},
    {"Ministral3ForTokenClassification MinistralForTokenClassification MistralForTokenClassification",
     "ministral ministral3 mistral", "", "model", "score@1 model=:Ministral3Model", ""},
    {"Ministral3Model MinistralModel MistralModel", "ministral ministral3 mistral", "ministral ministral3 mistral",
     "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@307 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MinistralForQuestionAnswering", "ministral", "", "transformer", "qa_outputs@1 transformer=:Ministral3Model", ""},
    {"Mistral3ForConditionalGeneration", "mistral3", "", "model",
     "multi_modal_projector@884 language_model(lm_head@91 model=text_config:Ministral3Model) "
     "vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral3Model", "mistral3", "mistral3", "model",
     "multi_modal_projector@884 vision_tower=vision_config:PixtralVisionModel "
     "language_model(model=text_config:Ministral3Model)", ""},
    {"Mistral4ForCausalLM", "mistral4", "", "model", "lm_head@0 model=:Mistral4Model", ""},
    {"Mistral4ForSequenceClassification", "mistral4", "", "model", "score(weight[?,hidden_size]) model=:Mistral4Model",
     ""},
    {"Mistral4ForTokenClassification", "mistral4", "", "model", "score@1 model=:Mistral4Model", ""},
    {"Mistral4Model", "mistral4", "mistral4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@7 mlp(gate_proj@8 up_proj@8 down_proj@9 experts@469 "
     "gate@313 shared_experts@14) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MistralLarge4ForConditionalGeneration", "mistral_large4", "", "model",
     "vision_encoder@890 pre_mm_projector_norm@435 patch_merger@749 vision_language_adapter(w_in@891 w_out@892) "
     "tok_embeddings@77 layers(#{text_config.num_hidden_layers}(attention@904 feed_forward@905 attention_norm@300 "
     "ffn_norm@300 gate@906 shared_experts@907) #{}@342) model(language_model@677) norm@300 output@77 "
     "lerope(alpha[?])", "mtp_dspark\\..*"},
    {"MistralLarge4Model", "mistral_large4", "mistral_large4", "model",
     "vision_tower@890 multi_modal_projector(norm@435 patch_merger@749 linear_1@891 linear_2@892) "
     "language_model(embed_tokens@77 layers(#{text_config.num_hidden_layers}(attention@904 feed_forward@905 "
     "attention_norm@300 ffn_norm@300 mlp@674 gate@906 shared_experts@907) #{}@342) norm@300 rotary_emb(alpha[?]))",
     "mtp_dspark\\..*"},
    {"MistralLarge4TextModel", "mistral_large4_text", "mistral_large4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(attention(wkv_a_with_mqa(weight[?,hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?) kv_a_norm(weight[kv_lora_rank]) wkv_b(weight[?,kv_lora_rank]) "
     "o_proj@6 indexer(wq_b(weight[(index_n_heads*index_head_dim),hidden_size]) wk@21 k_norm@22 weights_proj@23 "
     "q_input_norm@41 ssmax_scaling(s[index_n_heads] b[index_n_heads])) "
     "wq(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),hidden_size]) "
     "ssmax_scaling(s[num_attention_heads] b[num_attention_heads])) feed_forward(gate_proj@8 up_proj@8 "
     "down_proj@9) attention_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) mlp@338 gate@313 "
     "shared_experts@14) #{}@342) norm(weight[hidden_size]) rotary_emb(alpha[?])", "mtp_dspark\\..*"},
    {"MixtralForCausalLM", "mixtral", "", "model", "lm_head@0 model=:MixtralModel", ""},
    {"MixtralForQuestionAnswering", "mixtral", "", "model", "qa_outputs@1 model=:MixtralModel", ""},
    {"MixtralForSequenceClassification", "mixtral", "", "model", "score(weight[?,hidden_size]) model=:MixtralModel", ""},
    {"MixtralForTokenClassification", "mixtral", "", "model", "score@1 model=:MixtralModel", ""},
    {"MixtralModel", "mixtral", "mixtral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@358 block_sparse_moe@882 mlp@864 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@865) "
     "norm(weight[hidden_size])", ""},
    {"MllamaForCausalLM", "mllama_text_model", "", "language_model", "lm_head@0 model=:MllamaTextModel", ""},
    {"MllamaForConditionalGeneration", "mllama", "", "model",
     "multi_modal_projector@908 language_model(lm_head@77 model=text_config:MllamaTextModel) "
     "vision_model=vision_config:MllamaVisionModel", ""},
    {"MllamaModel", "mllama", "mllama", "model",
     "multi_modal_projector@908 vision_model=vision_config:MllamaVisionModel "
     "language_model(model=text_config:MllamaTextModel)", ""},
    {"MllamaTextModel", "mllama_text_model", "", "language_model.model",
     "embed_tokens(weight[(vocab_size+8),hidden_size]) layers(#{num_hidden_layers}(self_attn@638 mlp@263 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) cross_attn_attn_gate[1]? "
     "cross_attn_mlp_gate[1]? cross_attn(q_proj@635 k_proj@636 v_proj@636 o_proj@637 q_norm@457 k_norm@457))) "
     "norm(weight[hidden_size])", ""},
    {"MllamaVisionModel", "mllama_vision_model", "", "vision_model",
     "class_embedding[?] patch_embedding@247 gated_positional_embedding(gate[1] embedding[?,?] tile_embedding(weig"
     "ht[?,((max_num_tiles*(((image_size/patch_size)*(image_size/patch_size))+1))*hidden_size)])) "
     "pre_tile_positional_embedding@910 post_tile_positional_embedding@910 layernorm_pre@41 layernorm_post@41 "
     "transformer(layers(#{num_hidden_layers}(self_attn@913 mlp@243 input_layernorm@41 "
     "post_attention_layernorm@41))) global_transformer(layers(#{num_global_layers}(gate_attn[?] gate_ffn[?] "
     "self_attn@913 mlp@243 input_layernorm@41 post_attention_layernorm@41)))", ""},
    {"MobileBertForMaskedLM", "mobilebert", "", "mobilebert", "mobilebert@940 cls(predictions@942)", ""},
    {"MobileBertForMultipleChoice", "mobilebert", "", "mobilebert", "classifier@56 mobilebert=:MobileBertModel", ""},
    {"MobileBertForNextSentencePrediction", "mobilebert", "", "mobilebert", "cls@148 mobilebert=:MobileBertModel", ""},
    {"MobileBertForPreTraining", "mobilebert", "", "mobilebert",
     "cls(predictions@942 seq_relationship@1) mobilebert=:MobileBertModel", ""},
    {"MobileBertForQuestionAnswering", "mobilebert", "", "mobilebert", "mobilebert@940 qa_outputs@1", ""},
    {"MobileBertForSequenceClassification", "mobilebert", "", "mobilebert", "classifier@1 mobilebert=:MobileBertModel",
     ""},
    {"MobileBertForTokenClassification", "mobilebert", "", "mobilebert", "mobilebert@940 classifier@1", ""},
    {"MobileBertModel", "mobilebert", "mobilebert", "mobilebert", "embeddings@915 encoder@939 pooler(dense@183)", ""},
    {"ModernBertDecoderForCausalLM", "modernbert-decoder", "", "model",
     "lm_head@943 decoder@544 model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderForSequenceClassification", "modernbert-decoder", "", "model",
     "head@943 classifier(weight[?,hidden_size]) model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderModel", "modernbert-decoder", "modernbert-decoder", "model",
     "embeddings@945 layers(#{num_hidden_layers}(attn(q_proj@946 k_proj@946 v_proj@946 Wo@396) mlp_norm@944 "
     "mlp@947 attn_norm@184)) final_norm@944", ""},
    {"ModernBertForMaskedLM", "modernbert", "", "model", "head@943 decoder@544 model=:ModernBertModel", ""},
    {"ModernBertForMultipleChoice", "modernbert", "", "model", "head@943 classifier@56 model=:ModernBertModel", ""},
    {"ModernBertForQuestionAnswering ModernBertForSequenceClassification ModernBertForTokenClassification",
     "modernbert", "", "model", "head@943 classifier@1 model=:ModernBertModel", ""},
    {"ModernBertModel", "modernbert", "modernbert", "model",
     "embeddings@945 layers(#{num_hidden_layers}(attn(Wqkv(weight[((3*(hidden_size/num_attention_heads))*num_atten"
     "tion_heads),hidden_size] bias[((3*(hidden_size/num_attention_heads))*num_attention_heads)]?) Wo@396) "
     "mlp_norm@944 mlp@947 attn_norm@184)) final_norm@944", ""},
    {"ModernVBertForMaskedLM", "modernvbert", "", "model",
     "projection_head@948 lm_head(weight[text_config.vocab_size,text_config.hidden_size] "
     "bias[text_config.vocab_size]) model=:ModernVBertModel", ""},
    {"ModernVBertForSequenceClassification ModernVBertForTokenClassification", "modernvbert", "", "model",
     "head@948 classifier@949 model=:ModernVBertModel", ""},
    {"ModernVBertModel", "modernvbert", "modernvbert", "model",
     "connector(modality_projection@950) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:ModernBertModel", ""},
    {"MoonshineForConditionalGeneration", "moonshine", "", "model", "proj_out@164 model=:MoonshineModel", ""},
    {"MoonshineModel", "moonshine", "moonshine", "model",
     "encoder(conv1(weight[hidden_size,1,?]) conv2(weight[(2*hidden_size),(hidden_size/1),?] "
     "bias[(2*hidden_size)]) conv3(weight[hidden_size,((2*hidden_size)/1),?] bias[hidden_size]) groupnorm@41 "
     "layers(#{encoder_num_hidden_layers}(self_attn@954 mlp@243 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) layer_norm(weight[hidden_size])) decoder(embed_tokens@0 "
     "layers(#{decoder_num_hidden_layers}(self_attn@954 encoder_attn@954 "
     "mlp(fc1(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]) fc2@46) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "final_layernorm(weight[hidden_size]))) norm(weight[hidden_size]))", ""},
    {"MoshiForCausalLM", "moshi", "", "model", "lm_head@0 model=:MoshiModel", ""},
    {"MoshiModel", "moshi", "moshi", "model",
     "embed_tokens(weight[(vocab_size+1),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj(linear@28) "
     "k_proj@955 v_proj@955 o_proj(linear@306)) mlp(fc1(weight[ffn_dim,hidden_size]) "
     "fc2(weight[hidden_size,(ffn_dim/2)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MossTranscribeDiarizeForConditionalGeneration", "moss_transcribe_diarize", "", "model",
     "lm_head@91 model=:MossTranscribeDiarizeModel", ""},
    {"MossTranscribeDiarizeModel", "moss_transcribe_diarize", "moss_transcribe_diarize", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(audio_config.hidden_size*audio_merge_size)] "
     "bias[text_config.hidden_size]) linear_2@83 norm@197) audio_tower=audio_config:AudioFlamingo3Encoder "
     "language_model=text_config:Qwen3Model", ""},
    {"MptForCausalLM", "mpt", "", "transformer", "lm_head@123 transformer=:MptModel", ""},
    {"MptForQuestionAnswering", "mpt", "", "transformer", "qa_outputs@124 transformer=:MptModel", ""},
    {"MptForSequenceClassification", "mpt", "", "transformer", "score(weight[?,d_model]) transformer=:MptModel", ""},
    {"MptForTokenClassification", "mpt", "", "transformer", "classifier@124 transformer=:MptModel", ""},
    {"MptModel", "mpt", "mpt", "transformer",
     "wte@112 blocks(#{n_layers}(norm_1(weight[d_model]) attn(Wqkv(weight[(3*d_model),d_model]) out_proj@956) "
     "norm_2(weight[d_model]) ffn(up_proj(weight[(4*d_model),d_model]) down_proj(weight[d_model,(4*d_model)])))) "
     "norm_f(weight[d_model])", ""},
    {"MraForMaskedLM", "mra", "", "mra", "cls@147 mra=:MraModel", ""},
    {"MraForMultipleChoice", "mra", "", "mra", "pre_classifier@43 classifier@56 mra=:MraModel", ""},
    {"MraForQuestionAnswering", "mra", "", "mra", "qa_outputs@1 mra=:MraModel", ""},
    {"MraForSequenceClassification", "mra", "", "mra", "classifier@157 mra=:MraModel", ""},
    {"MraForTokenClassification", "mra", "", "mra", "classifier@1 mra=:MraModel", ""},
    {"MraModel", "mra", "mra", "mra",
     "embeddings(word_embeddings@0 position_embeddings@165 token_type_embeddings@134 LayerNorm@41 "
     "position_ids[?,?]) encoder@143", ""},
    {"MuseGlimmerForConditionalGeneration", "muse_glimmer", "", "model", "lm_head@77 model=:MuseGlimmerModel", ""},
    {"MuseGlimmerModel", "muse_glimmer", "muse_glimmer", "model",
     "vision_adapter(fc1(weight[projector_hidden_size,out_hidden_size]) "
     "fc2(weight[projector_hidden_size,projector_hidden_size])) "
     "vision_projection(weight[text_config.hidden_size,projector_hidden_size]) "
     "vision_tower=vision_config:MuseGlimmerVisionModel language_model=text_config:MuseGlimmerTextModel", ""},
    {"MuseGlimmerTextModel", "muse_glimmer_text", "muse_glimmer_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@957 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MuseGlimmerVisionModel", "muse_glimmer_vision", "muse_glimmer_vision", "model",
     "patch_embedder(patch_embedding(weight[hidden_size,((patch_temporal*3)*(patch_size*patch_size))]) "
     "position_embedding_table(weight[(pos_emb_height*pos_emb_width),hidden_size])) ln_pre@41 "
     "layers(#{num_hidden_layers}(norm1@41 norm2@41 attn(proj@43 q_proj@43 k_proj@43 v_proj@43) mlp@243)) "
     "ln_post@41", ""},
    {"MuseSparkTextModel", "muse_spark_text", "muse_spark_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@957 mlp(gate@881 "
     "pre_expert_proj(weight[moe_hidden_size,hidden_size]) pre_expert_norm@958 "
     "experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),moe_hidden_size] "
     "down_proj[num_local_experts,moe_hidden_size,moe_intermediate_size] post_expert_norm@958) "
     "post_expert_proj(weight[hidden_size,moe_hidden_size])) input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]) "
     "post_attention_residual_gate(gate[hidden_size]) post_feedforward_residual_gate(gate[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MvpForCausalLM PLBartForCausalLM", "mvp plbart", "", "model", "model@122 lm_head@123", ""},
    {"MvpForConditionalGeneration", "mvp", "", "model", "lm_head@123 final_logits_bias[1,vocab_size] model=:MvpModel",
     "final_logits_bias"},
    {"MvpForQuestionAnswering", "mvp", "", "model", "qa_outputs@124 model=:MvpModel", "final_logits_bias"},
    {"MvpForSequenceClassification", "mvp", "", "model", "classification_head@125 model=:MvpModel", "final_logits_bias"},
    {"MvpModel", "mvp", "mvp", "model",
     "shared@112 encoder@130 decoder(embed_tokens@123 embed_positions@113 layers@120 layernorm_embedding@116 "
     "self_attn_prompt@963 cross_attn_prompt@963)", "final_logits_bias"},
    {"NanoChatForCausalLM", "nanochat", "", "model", "lm_head@0 model=:NanoChatModel", ""},
    {"NanoChatModel", "nanochat", "nanochat", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 mlp(fc1@62 fc2@63)))", ""},
    {"NemotronForCausalLM", "nemotron", "", "model", "lm_head@0 model=:NemotronModel", ""},
    {"NemotronForQuestionAnswering", "nemotron", "", "transformer", "qa_outputs@1 transformer=:NemotronModel", ""},
    {"NemotronForSequenceClassification", "nemotron", "", "model", "score(weight[?,hidden_size]) model=:NemotronModel",
     ""},
    {"NemotronForTokenClassification", "nemotron", "", "model", "score@1 model=:NemotronModel", ""},
    {"NemotronHForCausalLM", "nemotron_h", "", "model", "lm_head@0 backbone=:NemotronHModel", "mtp.*"},
    {"NemotronHModel", "nemotron_h", "nemotron_h", "model",
     "embeddings@0 layers(#{}(norm(weight[hidden_size]) mixer(dt_bias[mamba_num_heads]? A_log[mamba_num_heads]? "
     "D[mamba_num_heads]? conv1d(weight[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size)),(((mamba_"
     "num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))/((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm"
     "_state_size))),conv_kernel]? bias[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))]?) in_pro"
     "j(weight[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))"
     ")+mamba_num_heads),hidden_size]? bias[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_dim)+("
     "(2*n_groups)*ssm_state_size)))+mamba_num_heads)]?) norm(weight[(mamba_num_heads*mamba_head_dim)]?) "
     "out_proj(weight[hidden_size,(mamba_num_heads*mamba_head_dim)]? bias[hidden_size]?) "
     "experts(up_proj[n_routed_experts,moe_intermediate_size,hidden_size]~ #{}(up_proj(weight[*]~) "
     "down_proj(weight[*]~)) down_proj[n_routed_experts,hidden_size,moe_intermediate_size]~) gate@11 "
     "shared_experts(up_proj(weight[moe_shared_expert_intermediate_size,hidden_size]? "
     "bias[moe_shared_expert_intermediate_size]?) "
     "down_proj(weight[hidden_size,moe_shared_expert_intermediate_size]? bias[hidden_size]?)) q_proj@745 "
     "k_proj@746 v_proj@746 o_proj@747 up_proj@186 down_proj@188))) norm_f(weight[hidden_size])", "mtp.*"},
    {"NemotronModel", "nemotron", "nemotron", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@25 k_proj@26 v_proj@26 "
     "o_proj(weight[hidden_size,(head_dim*num_attention_heads)] bias[hidden_size]?)) mlp@67 input_layernorm@41 "
     "post_attention_layernorm@41)) norm@41", ""},
    {"NeoMMEForMaskedLM", "neomme", "", "model",
     "unembedding_projection(weight[hidden_size,embedding_rank]?) lm_head(weight[vocab_size,embedding_rank]?) "
     "model=:NeoMMEModel", ""},
    {"NeoMMEModel", "neomme", "neomme", "model", "embed_tokens(word_embeddings(weight[vocab_size,embedding_rank]) "
     "embedding_projection(weight[hidden_size,embedding_rank])) "
     "patch_embeddings(norm(weight[(3*(patch_size*patch_size))] bias[(3*(patch_size*patch_size))]) "
     "up_proj(weight[(hidden_size*2),(3*(patch_size*patch_size))]) down_proj(weight[hidden_size,(hidden_size*2)] "
     "bias[hidden_size])) layers(#{num_hidden_layers}(lambdas[?] self_attn(q_proj@25 k_proj@26 v_proj@26 "
     "exclusive_self_attention(alpha[num_attention_heads]) output_projection(gate_proj@28 o_proj@27)) mlp@67)) "
     "value_embeddings(weight[vocab_size,(num_key_value_heads*head_dim)])", ""},
    {"NllbMoeForConditionalGeneration", "nllb-moe", "", "model", "lm_head@123 model=:NllbMoeModel", ""},
    {"NllbMoeModel", "nllb-moe", "nllb-moe", "model",
     "shared@112 encoder(embed_tokens@123 layers(#{}(self_attn@115 self_attn_layer_norm@116 ffn(fc1@964 fc2@965 "
     "router@967 experts(expert_0@968 expert_1@968 expert_2@968 expert_3@968 expert_4@968 expert_5@968 "
     "expert_6@968 expert_7@968 expert_8@968 expert_9@968 expert_10@968 expert_11@968 expert_12@968 expert_13@968 "
     "expert_14@968 expert_15@968 expert_16@968 expert_17@968 expert_18@968 expert_19@968 expert_20@968 "
     "expert_21@968 expert_22@968 expert_23@968 expert_24@968 expert_25@968 expert_26@968 expert_27@968 "
     "expert_28@968 expert_29@968 expert_30@968 expert_31@968 expert_32@968 expert_33@968 expert_34@968 "
     "expert_35@968 expert_36@968 expert_37@968 expert_38@968 expert_39@968 expert_40@968 expert_41@968 "
     "expert_42@968 expert_43@968 expert_44@968 expert_45@968 expert_46@968 expert_47@968 expert_48@968 "
     "expert_49@968 expert_50@968 expert_51@968 expert_52@968 expert_53@968 expert_54@968 expert_55@968 "
     "expert_56@968 expert_57@968 expert_58@968 expert_59@968 expert_60@968 expert_61@968 expert_62@968 "
     "expert_63@968 expert_64@968 expert_65@968 expert_66@968 expert_67@968 expert_68@968 expert_69@968 "
     "expert_70@968 expert_71@968 expert_72@968 expert_73@968 expert_74@968 expert_75@968 expert_76@968 "
     "expert_77@968 expert_78@968 expert_79@968 expert_80@968 expert_81@968 expert_82@968 expert_83@968 "
     "expert_84@968 expert_85@968 expert_86@968 expert_87@968 expert_88@968 expert_89@968 expert_90@968 "
     "expert_91@968 expert_92@968 expert_93@968 expert_94@968 expert_95@968 expert_96@968 expert_97@968 "
     "expert_98@968 expert_99@968 expert_100@968 expert_101@968 expert_102@968 expert_103@968 expert_104@968 "
     "expert_105@968 expert_106@968 expert_107@968 expert_108@968 expert_109@968 expert_110@968 expert_111@968 "
     "expert_112@968 expert_113@968 expert_114@968 expert_115@968 expert_116@968 expert_117@968 expert_118@968 "
     "expert_119@968 expert_120@968 expert_121@968 expert_122@968 expert_123@968 expert_124@968 expert_125@968 "
     "expert_126@968 expert_127@968)) ff_layer_norm@116)) layer_norm@116) decoder(embed_tokens@123 "
     "layers(#{}(self_attn@115 self_attn_layer_norm@116 cross_attention@115 cross_attention_layer_norm@116 "
     "ffn(fc1@969 fc2@970 router@967 experts(expert_0@971 expert_1@971 expert_2@971 expert_3@971 expert_4@971 "
     "expert_5@971 expert_6@971 expert_7@971 expert_8@971 expert_9@971 expert_10@971 expert_11@971 expert_12@971 "
     "expert_13@971 expert_14@971 expert_15@971 expert_16@971 expert_17@971 expert_18@971 expert_19@971 "
     "expert_20@971 expert_21@971 expert_22@971 expert_23@971 expert_24@971 expert_25@971 expert_26@971 "
     "expert_27@971 expert_28@971 expert_29@971 expert_30@971 expert_31@971 expert_32@971 expert_33@971 "
     "expert_34@971 expert_35@971 expert_36@971 expert_37@971 expert_38@971 expert_39@971 expert_40@971 "
     "expert_41@971 expert_42@971 expert_43@971 expert_44@971 expert_45@971 expert_46@971 expert_47@971 "
     "expert_48@971 expert_49@971 expert_50@971 expert_51@971 expert_52@971 expert_53@971 expert_54@971 "
     "expert_55@971 expert_56@971 expert_57@971 expert_58@971 expert_59@971 expert_60@971 expert_61@971 "
     "expert_62@971 expert_63@971 expert_64@971 expert_65@971 expert_66@971 expert_67@971 expert_68@971 "
     "expert_69@971 expert_70@971 expert_71@971 expert_72@971 expert_73@971 expert_74@971 expert_75@971 "
     "expert_76@971 expert_77@971 expert_78@971 expert_79@971 expert_80@971 expert_81@971 expert_82@971 "
     "expert_83@971 expert_84@971 expert_85@971 expert_86@971 expert_87@971 expert_88@971 expert_89@971 "
     "expert_90@971 expert_91@971 expert_92@971 expert_93@971 expert_94@971 expert_95@971 expert_96@971 "
     "expert_97@971 expert_98@971 expert_99@971 expert_100@971 expert_101@971 expert_102@971 expert_103@971 "
     "expert_104@971 expert_105@971 expert_106@971 expert_107@971 expert_108@971 expert_109@971 expert_110@971 "
     "expert_111@971 expert_112@971 expert_113@971 expert_114@971 expert_115@971 expert_116@971 expert_117@971 "
     "expert_118@971 expert_119@971 expert_120@971 expert_121@971 expert_122@971 expert_123@971 expert_124@971 "
     "expert_125@971 expert_126@971 expert_127@971)) ff_layer_norm@116)) layer_norm@116)", ""},
    {"NomicBertForMaskedLM", "nomic_bert", "", "nomic_bert",
     "cls(predictions(bias[vocab_size] transform(dense@43 layer_norm@41) decoder@145)) nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertForSequenceClassification", "nomic_bert", "", "nomic_bert",
     "nomic_bert(embeddings@657 emb_ln@41 pooler@151 encoder@977 layers@981) classifier@1",
     "inv_freq original_inv_freq"},
    {"NomicBertForTokenClassification", "nomic_bert", "", "nomic_bert", "classifier@1 nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertModel", "nomic_bert", "nomic_bert", "nomic_bert", "embeddings@657 emb_ln@41 encoder@977 layers@981",
     "inv_freq original_inv_freq"},
    {"NystromformerForMaskedLM", "nystromformer", "", "nystromformer", "cls@147 nystromformer=:NystromformerModel", ""},
    {"NystromformerForMultipleChoice", "nystromformer", "", "nystromformer",
     "pre_classifier@43 classifier@56 nystromformer=:NystromformerModel", ""},
    {"NystromformerForQuestionAnswering", "nystromformer", "", "nystromformer",
     "qa_outputs@1 nystromformer=:NystromformerModel", ""},
    {"NystromformerForSequenceClassification", "nystromformer", "", "nystromformer",
     "classifier@157 nystromformer=:NystromformerModel", ""},
    {"NystromformerForTokenClassification", "nystromformer", "", "nystromformer",
     "classifier@1 nystromformer=:NystromformerModel", ""},
    {"NystromformerModel", "nystromformer", "nystromformer", "nystromformer",
     "embeddings@982 encoder(layer(#{num_hidden_layers}(attention(self(query@42 key@42 value@42 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_kernel_size,1])) output@137) "
     "intermediate@139 output@140)))", ""},
    {"OPTForCausalLM", "opt", "", "model", "lm_head(weight[vocab_size,word_embed_proj_dim]?) model=:OPTModel", ""},
    {"OPTForQuestionAnswering", "opt", "", "model", "qa_outputs(weight[?,word_embed_proj_dim] bias[?]) model=:OPTModel",
     ""},
    {"OPTForSequenceClassification", "opt", "", "model", "score(weight[?,word_embed_proj_dim]) model=:OPTModel", ""},
    {"OPTModel", "opt", "opt", "model",
     "decoder(embed_tokens(weight[vocab_size,word_embed_proj_dim]) embed_positions@165 final_layer_norm@184 "
     "layers(#{num_hidden_layers}(self_attn(k_proj@396 v_proj@396 q_proj@396 out_proj@396) "
     "self_attn_layer_norm@184 fc1(weight[ffn_dim,hidden_size] bias[ffn_dim]?) fc2(weight[hidden_size,ffn_dim] "
     "bias[hidden_size]?) final_layer_norm@184)))", ""},
    {"Olmo2ForCausalLM Olmo3ForCausalLM", "olmo2 olmo3", "", "model", "lm_head@0 model=:Olmo2Model", ""},
    {"Olmo2ForSequenceClassification Olmo3ForSequenceClassification", "olmo2 olmo3", "", "model",
     "score(weight[?,hidden_size]) model=:Olmo2Model", ""},
    {"Olmo2Model Olmo3Model", "olmo2 olmo3", "olmo2 olmo3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@404 mlp@263 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OlmoForCausalLM", "olmo", "", "model", "lm_head@0 model=:OlmoModel", ""},
    {"OlmoForSequenceClassification", "olmo", "", "model", "score(weight[?,hidden_size]) model=:OlmoModel", ""},
    {"OlmoHybridForCausalLM", "olmo_hybrid", "", "model", "lm_head@0 model=:OlmoHybridModel", "^mtp.*"},
    {"OlmoHybridModel", "olmo_hybrid", "olmo_hybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mlp@263 attention_layer_norm(weight[hidden_size]?) "
     "feedforward_layer_norm(weight[hidden_size]) linear_attn(A_log[?]? dt_bias[?]? q_proj@983 k_proj@983 "
     "v_proj@984 a_proj@985 b_proj@985 g_proj@984 o_proj@986 conv1d(weight[(((linear_key_head_dim*linear_num_key_h"
     "eads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear_key_head_dim*linear_num_key_heads)*2)+(l"
     "inear_value_head_dim*linear_num_value_heads))/(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_"
     "head_dim*linear_num_value_heads))),linear_conv_kernel_dim]~) o_norm@987) self_attn(q_proj@181 k_proj@988 "
     "v_proj@988 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]? "
     "bias[hidden_size]?) q_norm(weight[(num_attention_heads*(hidden_size/num_attention_heads))]?) "
     "k_norm(weight[(num_key_value_heads*(hidden_size/num_attention_heads))]?)) "
     "post_feedforward_layernorm(weight[hidden_size]?)) #{}(linear_attn@103)) norm(weight[hidden_size])", "^mtp.*"},
    {"OlmoModel", "olmo", "olmo", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 mlp@263))", ""},
    {"OlmoeForCausalLM", "olmoe", "", "model", "lm_head@0 model=:OlmoeModel", ""},
    {"OlmoeModel", "olmoe", "olmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@57 k_proj@58 v_proj@58 o_proj@59 "
     "q_norm(weight[hidden_size]) k_norm(weight[((hidden_size/num_attention_heads)*num_key_value_heads)])) mlp@266"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"OpenAIGPTForSequenceClassification", "openai-gpt", "", "transformer",
     "score(weight[?,n_embd]) transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTLMHeadModel", "openai-gpt", "", "transformer", "lm_head@424 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTModel", "openai-gpt", "openai-gpt", "transformer",
     "tokens_embed@248 positions_embed@425 h(#{n_layer}(attn(c_attn(weight[n_embd,(n_embd*3)] bias[(n_embd*3)]) "
     "c_proj@249) ln_1@250 mlp@430 ln_2@250))", ""},
    {"Ovis2ForConditionalGeneration", "ovis2", "", "model", "lm_head@91 model=:Ovis2Model", ""},
    {"Ovis2Model", "ovis2", "ovis2", "model",
     "vision_tower(transformer(embeddings(patch_embedding@496 position_embedding@606 rms_norm@435) "
     "encoder(layers(#{vision_config.num_hidden_layers}(attention(k_proj@68 v_proj@68 q_proj@68 out_proj@68) "
     "ffn(gate_proj@726 up_proj@726 down_proj@727) rms_norm1@435 rms_norm2@435))) rms_norm@435) head_linear(weight"
     "[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens),((vision_config.hidden_size*vision_con"
     "fig.hidden_stride)*vision_config.hidden_stride)]) "
     "head_norm(weight[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)] "
     "bias[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)])) "
     "visual_embeddings_table(weight[vision_config.vocab_size,hidden_size]) language_model=text_config:Qwen2Model", ""},
    {"PI0ForConditionalGeneration", "pi0", "", "model",
     "paligemma_with_expert(gemma_expert(lm_head(weight[dit_config.vocab_size,dit_config.hidden_size]) model(layer"
     "s(#{dit_config.num_hidden_layers}(self_attn(q_proj(weight[(dit_config.num_attention_heads*dit_config.head_di"
     "m),dit_config.hidden_size]) k_proj@989 v_proj@989 "
     "o_proj(weight[dit_config.hidden_size,(dit_config.num_attention_heads*dit_config.head_dim)])) "
     "mlp(gate_proj@990 up_proj@990 down_proj(weight[dit_config.hidden_size,dit_config.intermediate_size])) "
     "input_layernorm@991 post_attention_layernorm@991)) norm@991)) paligemma(model=vlm_config:PaliGemmaModel)) "
     "action_in_proj(weight[dit_config.hidden_size,max_action_dim] bias[dit_config.hidden_size]) "
     "state_proj(weight[dit_config.hidden_size,max_state_dim] bias[dit_config.hidden_size]) "
     "action_time_mlp_in(weight[dit_config.hidden_size,(2*dit_config.hidden_size)] bias[dit_config.hidden_size]) "
     "action_time_mlp_out(weight[dit_config.hidden_size,dit_config.hidden_size] bias[dit_config.hidden_size]) "
     "action_out_proj(weight[max_action_dim,dit_config.hidden_size] bias[max_action_dim])", ""},
    {"PI0Model", "pi0", "pi0", "model", "dit=dit_config:GemmaModel vlm=vlm_config:PaliGemmaModel", ""},
    {"PLBartForConditionalGeneration", "plbart", "", "model",
     "lm_head@123 final_logits_bias[1,vocab_size]? model=:PLBartModel", ""},
    {"PLBartForSequenceClassification", "plbart", "", "model", "classification_head@125 model=:PLBartModel", ""},
    {"PLBartModel", "plbart", "plbart", "model", "shared@112 encoder@130 decoder@131", ""},
    {"PPFormulaNetForConditionalGeneration", "pp_formulanet", "", "model", "model(decoder(embed_tokens@992 "
     "embed_positions(weight[(text_config.max_position_embeddings+2),text_config.d_model]) "
     "layers(#{text_config.decoder_layers}(self_attn@994 self_attn_layer_norm@995 encoder_attn@994 "
     "encoder_attn_layer_norm@995 fc1(weight[text_config.decoder_ffn_dim,text_config.d_model] "
     "bias[text_config.decoder_ffn_dim]) fc2(weight[text_config.d_model,text_config.decoder_ffn_dim] "
     "bias[text_config.d_model]) final_layer_norm@995)) layernorm_embedding@995 layer_norm@995) encoder(pos_embed["
     "1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patch_size),vi"
     "sion_config.hidden_size]? patch_embed@497 layers(#{}(layer_norm1@71 "
     "attn(rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)]? "
     "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)]? "
     "qkv(weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]?) "
     "proj@69) layer_norm2@71 mlp@501)) neck@507 multi_modal_projector(conv1(weight[vision_config.post_conv_mid_ch"
     "annels,(vision_config.post_conv_in_channels/1),?,?]) "
     "conv2(weight[vision_config.post_conv_out_channels,(vision_config.post_conv_mid_channels/1),?,?]) "
     "linear_1(weight[vision_config.post_conv_out_channels,vision_config.post_conv_out_channels] "
     "bias[vision_config.post_conv_out_channels]) "
     "linear_2(weight[vision_config.decoder_hidden_size,vision_config.post_conv_out_channels] "
     "bias[vision_config.decoder_hidden_size])))) lm_head@992", ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "", "model", "visual@997 model@1007 mlp_AR@1010 lm_head@91",
     "packing_position_embedding vision_model.head"},
    {"PaddleOCRVLModel", "paddleocr_vl", "paddleocr_vl", "model", "visual@997 language_model@1007 projector@1010",
     "packing_position_embedding vision_model.head"},
    {"PaliGemmaForConditionalGeneration", "paligemma", "", "model",
     "multi_modal_projector@1011 language_model(lm_head@91 model=text_config:GemmaModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"PaliGemmaModel", "paligemma", "paligemma", "model",
     "multi_modal_projector@1011 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:GemmaModel)", ""},
    {"ParakeetEncoder", "parakeet_encoder", "parakeet_encoder", "encoder",
     "subsampling(layers(0(weight[subsampling_conv_channels,1,subsampling_conv_kernel_size,subsampling_conv_kernel"
     "_size] bias[subsampling_conv_channels]) 2@1012 3@1013 5@1012 6@1013) "
     "linear(weight[hidden_size,(subsampling_conv_channels*(num_mel_bins/8))] bias[hidden_size])) "
     "layers(#{num_hidden_layers}(feed_forward1@1014 "
     "self_attn(bias_u[num_attention_heads,(hidden_size/num_attention_heads)] "
     "bias_v[num_attention_heads,(hidden_size/num_attention_heads)] q_proj@57 k_proj@58 v_proj@58 o_proj@59 "
     "relative_k_proj@355) conv(pointwise_conv1(weight[(2*hidden_size),(hidden_size/1),1] bias[(2*hidden_size)]?) "
     "depthwise_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size] bias[hidden_size]?) norm@1015 "
     "pointwise_conv2(weight[hidden_size,(hidden_size/1),1] bias[hidden_size]?)) feed_forward2@1014 "
     "norm_feed_forward1@41 norm_self_att@41 norm_conv@41 norm_feed_forward2@41 norm_out@41))", ""},
    {"PegasusXForConditionalGeneration", "pegasus_x", "", "model", "lm_head@123 model=:PegasusXModel", ""},
    {"PegasusXModel", "pegasus_x", "pegasus_x", "model",
     "shared@112 encoder(embed_tokens@123 embed_global(weight[num_global_tokens,d_model]) "
     "layers(#{encoder_layers}(self_attn@1016 self_attn_layer_norm@116 global_self_attn_layer_norm@116 fc1@126 "
     "fc2@127 final_layer_norm@116)) layer_norm@116) decoder(embed_tokens@123 "
     "layers(#{decoder_layers}(self_attn@1016 self_attn_layer_norm@116 encoder_attn@1016 "
     "encoder_attn_layer_norm@116 fc1@117 fc2@118 final_layer_norm@116)) layer_norm@116)", ""},
    {"PersimmonForCausalLM", "persimmon", "", "model", "lm_head@0 model=:PersimmonModel", ""},
    {"PersimmonForSequenceClassification", "persimmon", "", "model",
     "score(weight[?,hidden_size]) model=:PersimmonModel", ""},
    {"PersimmonForTokenClassification", "persimmon", "", "model", "score@1 model=:PersimmonModel", ""},
    {"PersimmonModel", "persimmon", "persimmon", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(query_key_value@215 dense@489 q_layernorm@1017 "
     "k_layernorm@1017) mlp@434 input_layernorm@41 post_attention_layernorm@41)) final_layernorm@41", ""},
    {"Phi3ForCausalLM", "phi3", "", "model", "lm_head@0 model=:Phi3Model", ""},
    {"Phi3ForSequenceClassification", "phi3", "", "model", "score(weight[?,hidden_size]) model=:Phi3Model", ""},
    {"Phi3ForTokenClassification", "phi3", "", "model", "score@1 model=:Phi3Model", ""},
    {"Phi3Model", "phi3", "phi3", "model", "embed_tokens@0 layers@1021 norm(weight[hidden_size])", ""},
    {"Phi4MultimodalForCausalLM", "phi4_multimodal", "", "model", "lm_head@0 model=:Phi4MultimodalModel", ""},
    {"Phi4MultimodalModel", "phi4_multimodal", "phi4_multimodal", "model",
     "embed_tokens@0 layers@1021 norm(weight[hidden_size]) "
     "embed_tokens_extend(image_embed(global_img_feature_extensor[1,1,vision_config.hidden_size] "
     "sub_img_feature_extensor[1,1,1,vision_config.hidden_size] img_processor(embeddings@607 encoder@862 "
     "post_layernorm@71 head(probe[1,1,vision_config.hidden_size] attention@70 layernorm@71 mlp@173)) "
     "img_projection_up@453 img_projection_down@43) "
     "audio_embed(encoder(embed(conv(0(weight[audio_config.nemo_conv_channels,1,?,?] "
     "bias[audio_config.nemo_conv_channels]) 2@1022 3@1023 5@1022 6@1023) "
     "out(weight[audio_config.hidden_size,(audio_config.nemo_conv_channels*audio_config.nemo_final_size)] "
     "bias[audio_config.hidden_size])) "
     "relative_attention_bias_layer(bias_values(weight[?,audio_config.num_attention_heads])) "
     "encoders(#{audio_config.num_blocks}(feed_forward_in@1027 self_attn(q_proj@1028 k_proj@1028 v_proj@1028 o_pro"
     "j(weight[audio_config.hidden_size,(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.n"
     "um_attention_heads))] bias[audio_config.hidden_size])) conv(layer_norm@1024 "
     "glu(b1[1,audio_config.ext_pw_out_channel,1] b2[1,audio_config.ext_pw_out_channel,1] "
     "ext_pw_conv_1d(weight[(audio_config.ext_pw_out_channel*2),(audio_config.hidden_size/1),1] "
     "bias[(audio_config.ext_pw_out_channel*2)])) dw_sep_conv_1d(dw_conv(weight[(audio_config.hidden_size*audio_co"
     "nfig.depthwise_multiplier),(audio_config.hidden_size/audio_config.hidden_size),audio_config.kernel_size] "
     "bias[(audio_config.hidden_size*audio_config.depthwise_multiplier)]) pw_conv(weight[audio_config.depthwise_se"
     "parable_out_channel,((audio_config.hidden_size*audio_config.depthwise_multiplier)/1),1] "
     "bias[audio_config.depthwise_separable_out_channel])) "
     "ext_pw_conv_1d(weight[audio_config.ext_pw_out_channel,(audio_config.hidden_size/1),1] "
     "bias[audio_config.ext_pw_out_channel])) feed_forward_out@1027 layer_norm_att@1024 layer_norm@1024)) "
     "encoder_embedding(global_mean[audio_config.input_size] global_invstd[audio_config.input_size])) "
     "up_proj_for_speech@1029 down_proj_for_speech@43 up_proj_for_vision_speech@1029 "
     "down_proj_for_vision_speech@43))", ""},
    {"PhiForCausalLM", "phi", "", "model", "lm_head@267 model=:PhiModel", ""},
    {"PhiForSequenceClassification", "phi", "", "model", "score(weight[?,hidden_size]) model=:PhiModel", ""},
    {"PhiForTokenClassification", "phi", "", "model", "score@1 model=:PhiModel", ""},
    {"PhiModel", "phi", "phi", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@42 k_proj@487 v_proj@487 dense@489 "
     "q_layernorm@1017 k_layernorm@1017) mlp@243 input_layernorm@41)) final_layernorm@41", ""},
    {"PhimoeForCausalLM", "phimoe", "", "model", "lm_head@0 model=:PhimoeModel", ""},
    {"PhimoeForSequenceClassification", "phimoe", "", "model", "score(weight[?,hidden_size]) model=:PhimoeModel", ""},
    {"PhimoeModel", "phimoe", "phimoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 block_sparse_moe@882 mlp@864 input_layernorm@41 "
     "post_attention_layernorm@41) #{}@865) norm@41", ""},
    {"Pix2StructForConditionalGeneration", "pix2struct", "", "",
     "encoder(embeddings(patch_projection@720 row_embedder@1030 column_embedder@1030) "
     "encoder(layer(#{vision_config.num_hidden_layers}(attention(query@1031 key@1031 value@1031 "
     "output(weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.d_kv)])) "
     "mlp(wi_0@1032 wi_1@1032 wo(weight[vision_config.hidden_size,vision_config.d_ff])) pre_mlp_layer_norm@435 "
     "pre_attention_layer_norm@435))) layernorm@435) decoder(embed_tokens@77 "
     "layer(#{text_config.num_layers}(self_attention(attention(query@74 key@74 value@74 output@74 "
     "relative_attention_bias(weight[text_config.relative_attention_num_buckets,text_config.num_heads]?)) "
     "layer_norm@300) encoder_decoder_attention(attention(query@74 key@74 value@74 output@74) layer_norm@300) "
     "mlp(DenseReluDense(wi_0@1033 wi_1@1033 wo(weight[text_config.hidden_size,text_config.d_ff])) "
     "layer_norm@300))) final_layer_norm@300 lm_head@77)", ""},
    {"PixtralVisionModel", "pixtral", "pixtral", "vision_encoder",
     "patch_conv@247 ln_pre(weight[hidden_size]) transformer(layers(#{}(attention_norm(weight[hidden_size]) "
     "feed_forward@263 attention(k_proj@81 v_proj@81 q_proj@81 o_proj@81) ffn_norm(weight[hidden_size]))))", ""},
    {"Pop2PianoForConditionalGeneration", "pop2piano", "", "transformer",
     "shared@112 mel_conditioner(embedding(weight[composer_vocab_size,d_model])) encoder@831 decoder@835 "
     "lm_head@112", ""},
    {"ProphetNetForCausalLM", "prophetnet", "", "prophetnet", "prophetnet(word_embeddings@0 decoder@1043) lm_head@164",
     ""},
    {"ProphetNetForConditionalGeneration", "prophetnet", "", "prophetnet", "lm_head@164 prophetnet=:ProphetNetModel",
     ""},
    {"ProphetNetModel", "prophetnet", "prophetnet", "prophetnet",
     "word_embeddings@0 encoder(word_embeddings@164 position_embeddings@133 embeddings_layer_norm@41 "
     "layers(#{num_encoder_layers}(self_attn(key_proj@43 value_proj@43 query_proj@43 out_proj@43) "
     "self_attn_layer_norm@41 feed_forward(intermediate@1044 output@1045) feed_forward_layer_norm@41))) "
     "decoder@1043", ""},
    {"QianfanOCRForConditionalGeneration", "qianfan_ocr", "", "model",
     "vision_model(embeddings@1047 encoder@1054 layernorm@238) model(vision_tower(layers@1058)) mlp1(0@631 1@632 "
     "3@83) language_model(model@1063 lm_head@77)", ""},
    {"QianfanOCRModel", "qianfan_ocr", "qianfan_ocr", "model",
     "vision_tower(embeddings@1047 encoder@1054 layers@1058 layernorm@238) multi_modal_projector@633 "
     "language_model@1063", ""},
    {"Qwen2AudioEncoder", "qwen2_audio_encoder", "qwen2_audio_encoder", "model",
     "conv1@1064 conv2@1065 embed_positions@1066 layers@1069 layer_norm@116", ""},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "", "model",
     "multi_modal_projector@1071 language_model@85 audio_tower=audio_config:Qwen2AudioEncoder", ""},
    {"Qwen2AudioModel", "qwen2_audio", "qwen2_audio", "model",
     "multi_modal_projector@1071 audio_tower=audio_config:Qwen2AudioEncoder language_model@86", ""},
    {"Qwen2ForCausalLM", "qwen2", "", "model", "lm_head@0 model=:Qwen2Model", ""},
    {"Qwen2ForQuestionAnswering", "qwen2", "", "transformer", "qa_outputs@1 transformer=:Qwen2Model", ""},
    {"Qwen2ForSequenceClassification", "qwen2", "", "model", "score(weight[?,hidden_size]) model=:Qwen2Model", ""},
    {"Qwen2ForTokenClassification", "qwen2", "", "model", "score@1 model=:Qwen2Model", ""},
    {"Qwen2Model Qwen2VLTextModel Qwen2_5_VLTextModel", "qwen2 qwen2_5_vl_text qwen2_vl_text",
     "qwen2 qwen2_5_vl_text qwen2_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@488 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "", "model", "lm_head@0 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForQuestionAnswering", "qwen2_moe", "", "model", "qa_outputs@1 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForSequenceClassification", "qwen2_moe", "", "model", "score(weight[?,hidden_size]) model=:Qwen2MoeModel",
     ""},
    {"Qwen2MoeForTokenClassification", "qwen2_moe", "", "model", "score@1 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeModel", "qwen2_moe", "qwen2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@468 mlp@1072 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "", "model", "visual@1086 lm_head@77 model=text_config:Qwen2Model",
     ""},
    {"Qwen2VLModel", "qwen2_vl", "qwen2_vl", "model", "visual@1086 language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni_thinker", "", "model",
     "audio_tower@1099 visual@1108 model@1111 lm_head@77", "^talker ^token2wav"},
    {"Qwen2_5OmniThinkerModel", "qwen2_5_omni_thinker", "qwen2_5_omni_thinker", "model",
     "audio_tower@1099 visual@1108 language_model@1111", "^talker ^token2wav"},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "", "model",
     "lm_head@77 visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VLModel", "qwen2_5_vl", "qwen2_5_vl", "model",
     "visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VisionTransformerPretrainedModel", "qwen2_5_vl_vision", "qwen2_5_vl_vision", "model",
     "patch_embed@389 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@1113 mlp@390)) "
     "merger@394", ""},
    {"Qwen3ASREncoder", "qwen3_asr_encoder", "qwen3_asr_encoder", "model",
     "layers@129 ln_post@116 conv2d1(weight[downsample_hidden_size,1,?,?] bias[downsample_hidden_size]) "
     "conv2d2@1114 conv2d3@1114 "
     "conv_out(weight[d_model,(downsample_hidden_size*((((((num_mel_bins+1)/2)+1)/2)+1)/2))])", ""},
    {"Qwen3ASRForConditionalGeneration", "qwen3_asr", "", "model", "lm_head@91 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRForTokenClassification", "qwen3_asr", "", "model", "score@437 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRModel", "qwen3_asr", "qwen3_asr", "model",
     "multi_modal_projector(linear_1@1091 linear_2@1098) audio_tower=audio_config:Qwen3ASREncoder "
     "language_model=text_config:Qwen3Model", ""},
    {"Qwen3ForCausalLM", "qwen3", "", "model", "lm_head@0 model=:Qwen3Model", ""},
    {"Qwen3ForQuestionAnswering", "qwen3", "", "transformer", "qa_outputs@1 transformer=:Qwen3Model", ""},
    {"Qwen3ForSequenceClassification", "qwen3", "", "model", "score(weight[?,hidden_size]) model=:Qwen3Model", ""},
    {"Qwen3ForTokenClassification", "qwen3", "", "model", "score@1 model=:Qwen3Model", ""},
    {"Qwen3Model Qwen3VLTextModel", "qwen3 qwen3_vl_text", "qwen3 qwen3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@439 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "", "model", "lm_head@0 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForQuestionAnswering", "qwen3_moe", "", "transformer", "qa_outputs@1 transformer=:Qwen3MoeModel", ""},
    {"Qwen3MoeForSequenceClassification", "qwen3_moe", "", "model", "score(weight[?,hidden_size]) model=:Qwen3MoeModel",
     ""},
    {"Qwen3MoeForTokenClassification", "qwen3_moe", "", "model", "score@1 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeModel", "qwen3_moe", "qwen3_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@61 mlp@851 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"Qwen3NextForCausalLM", "qwen3_next", "", "model", "lm_head@0 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForQuestionAnswering", "qwen3_next", "", "transformer", "qa_outputs@1 transformer=:Qwen3NextModel",
     "^mtp.*"},
    {"Qwen3NextForSequenceClassification", "qwen3_next", "", "model",
     "score(weight[?,hidden_size]) model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForTokenClassification", "qwen3_next", "", "model", "score@1 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextModel", "qwen3_next", "qwen3_next", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads]? A_log[?]? "
     "conv1d@1115 in_proj_qkvz(weight[(((linear_key_head_dim*linear_num_key_heads)*2)+((linear_value_head_dim*line"
     "ar_num_value_heads)*2)),hidden_size]?) in_proj_ba(weight[(linear_num_value_heads*2),hidden_size]?) norm@987 "
     "out_proj@986) mlp@1072 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attn@1117) #{}@19) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe_thinker", "", "model",
     "audio_tower@1124 visual@1128 model(embed_tokens@77 layers(#{text_config.num_hidden_layers}(self_attn@1133 "
     "mlp(gate@1134) input_layernorm@300 post_attention_layernorm@300) #{}@19) "
     "language_model(layers(#{text_config.num_hidden_layers}(mlp(experts@1135)))) norm@300) lm_head@77",
     "^code2wav ^talker"},
    {"Qwen3OmniMoeThinkerModel", "qwen3_omni_moe_thinker", "qwen3_omni_moe_thinker", "model",
     "audio_tower@1124 visual@1128 language_model(embed_tokens@77 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1133 mlp(experts@1135 gate@1134) input_layernorm@300 "
     "post_attention_layernorm@300) #{}@19) norm@300)", "^code2wav ^talker"},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "", "model", "lm_head@77 model=:Qwen3VLModel", ""},
    {"Qwen3VLModel", "qwen3_vl", "qwen3_vl", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3Model", ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "", "model", "lm_head@77 model=:Qwen3VLMoeModel", ""},
    {"Qwen3VLMoeModel", "qwen3_vl_moe", "qwen3_vl_moe", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3VLMoeTextModel", ""},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", "qwen3_vl_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@439 "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]) gate@513) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen3VLMoeVisionModel Qwen3VLVisionModel", "qwen3_vl_moe_vision qwen3_vl_vision",
     "qwen3_vl_moe_vision qwen3_vl_vision", "model", "patch_embed@473 pos_embed@1136 blocks@1139 merger@1140 "
     "deepstack_merger_list(#{}(norm(weight[(hidden_size*(spatial_merge_size*spatial_merge_size))] "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]) linear_fc1@391 linear_fc2@392))", ""},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", "", "model", "lm_head@0 model=:Qwen3_5TextModel", "^model.visual.* ^mtp.*"},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "", "model", "lm_head@77 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForSequenceClassification", "qwen3_5", "", "model", "score@437 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForTokenClassification", "qwen3_5", "", "model", "score@949 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5Model", "qwen3_5", "qwen3_5", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", "", "model", "lm_head@0 model=:Qwen3_5MoeTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "", "model", "lm_head@77 model=:Qwen3_5MoeModel", "^mtp.*"},
    {"Qwen3_5MoeModel", "qwen3_5_moe", "qwen3_5_moe", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5MoeTextModel", "^mtp.*"},
    {"Qwen3_5MoeTextModel", "qwen3_5_moe_text", "qwen3_5_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1142 mlp@1072 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1117) #{}@19) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3_5MoeVisionModel Qwen3_5VisionModel Qwen4ExpVisionModel",
     "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision", "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision",
     "model", "patch_embed@473 pos_embed@1136 blocks@1139 merger@1140", "^mtp.*"},
    {"Qwen3_5TextForSequenceClassification", "qwen3_5_text", "", "model",
     "score(weight[?,hidden_size]) model=:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5TextModel", "qwen3_5_text", "qwen3_5_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1142 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1117)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen4ExpForCausalLM", "qwen4_exp_text", "", "model", "lm_head@0 model=:Qwen4ExpTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen4ExpForConditionalGeneration", "qwen4_exp", "", "model", "lm_head@77 model=:Qwen4ExpModel", "^mtp.*"},
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
     "in_proj_z(weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]) in_proj_b@1143 in_proj_a@1143)"
     " mlp@1072 attn_hyper_connection@1148 mlp_hyper_connection@1148) #{}@19) hyper_connection_mixer(hc_norm@1144 "
     "input_mix_weight_down@1145 input_mix_weight_up@1146)", "^mtp.*"},
    {"RecurrentGemmaForCausalLM", "recurrent_gemma", "", "model", "lm_head@164 model=:RecurrentGemmaModel", ""},
    {"RecurrentGemmaModel", "recurrent_gemma", "recurrent_gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(temporal_pre_norm(weight[hidden_size]) "
     "temporal_block(linear_y@1149 linear_x@1149 linear_out(weight[hidden_size,lru_width]? bias[hidden_size]?) "
     "conv_1d(weight[lru_width,(lru_width/lru_width),conv1d_width]? bias[lru_width]?) "
     "rg_lru(recurrent_param[lru_width]? "
     "input_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]? "
     "input_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]? "
     "recurrent_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]? "
     "recurrent_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?) q_proj@745 k_proj@746 v_proj@746 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]? bias[hidden_size]?)) "
     "channel_pre_norm(weight[hidden_size]) mlp_block(gate_proj@1150 up_proj@1150 "
     "down_proj(weight[hidden_size,(intermediate_size/2)] bias[hidden_size])))) final_norm(weight[hidden_size])", ""},
    {"RemBertForCausalLM RemBertForMaskedLM", "rembert", "", "rembert",
     "rembert@1158 cls(predictions(dense(weight[output_embedding_size,hidden_size] bias[output_embedding_size]) "
     "decoder(weight[vocab_size,output_embedding_size] bias[vocab_size]) LayerNorm(weight[output_embedding_size] "
     "bias[output_embedding_size])))", ""},
    {"RemBertForMultipleChoice", "rembert", "", "rembert", "classifier@56 rembert=:RemBertModel", ""},
    {"RemBertForQuestionAnswering", "rembert", "", "rembert", "rembert@1158 qa_outputs@1", ""},
    {"RemBertForSequenceClassification", "rembert", "", "rembert", "classifier@1 rembert=:RemBertModel", ""},
    {"RemBertForTokenClassification", "rembert", "", "rembert", "rembert@1158 classifier@1", ""},
    {"RemBertModel", "rembert", "rembert", "rembert", "embeddings@1155 encoder@1157 pooler@151", ""},
    {"ResNetBackbone", "resnet", "", "resnet",
     "embedder(embedder(convolution(weight[embedding_size,(num_channels/1),?,?]) "
     "normalization(weight[embedding_size] bias[embedding_size] running_mean[embedding_size] "
     "running_var[embedding_size] num_batches_tracked[]))) encoder(stages(#{}(layers(0(shortcut@1160 layer@1162) "
     "1@1163 2@1163 3@1168 4@1168 5@1168))))", ""},
    {"RoCBertForCausalLM RoCBertForMaskedLM", "roc_bert", "", "roc_bert", "roc_bert@1173 cls@147", ""},
    {"RoCBertForMultipleChoice", "roc_bert", "", "roc_bert", "classifier@56 roc_bert=:RoCBertModel", ""},
    {"RoCBertForPreTraining", "roc_bert", "", "roc_bert", "cls@147 roc_bert=:RoCBertModel", ""},
    {"RoCBertForQuestionAnswering", "roc_bert", "", "roc_bert", "roc_bert@1173 qa_outputs@1", ""},
    {"RoCBertForSequenceClassification", "roc_bert", "", "roc_bert", "classifier@1 roc_bert=:RoCBertModel", ""},
    {"RoCBertForTokenClassification", "roc_bert", "", "roc_bert", "roc_bert@1173 classifier@1", ""},
    {"RoCBertModel", "roc_bert", "roc_bert", "roc_bert", "embeddings@1172 encoder@143 pooler@151", ""},
    {"RoFormerForCausalLM RoFormerForMaskedLM", "roformer", "", "roformer",
     "cls(predictions(bias[vocab_size] transform(dense@53 LayerNorm@38) decoder@54)) roformer=:RoFormerModel", ""},
    {"RoFormerForMultipleChoice", "roformer", "", "roformer", "classifier@56 roformer=:RoFormerModel", ""},
    {"RoFormerForQuestionAnswering", "roformer", "", "roformer", "qa_outputs@1 roformer=:RoFormerModel", ""},
    {"RoFormerForSequenceClassification", "roformer", "", "roformer", "classifier@157 roformer=:RoFormerModel", ""},
    {"RoFormerForTokenClassification", "roformer", "", "roformer", "classifier@1 roformer=:RoFormerModel", ""},
    {"RoFormerModel", "roformer", "roformer", "roformer",
     "embeddings(word_embeddings@35 token_type_embeddings@37 LayerNorm@38) "
     "encoder(embed_positions(weight[max_position_embeddings,(hidden_size/num_attention_heads)]) layer@142)", ""},
    {"RobertaForCausalLM RobertaForMaskedLM", "roberta", "", "roberta", "roberta@253 lm_head@251", ""},
    {"RobertaForQuestionAnswering", "roberta", "", "roberta", "roberta@253 qa_outputs@1", ""},
    {"RobertaForSequenceClassification", "roberta", "", "roberta", "roberta@253 classifier@157", ""},
    {"RobertaForTokenClassification", "roberta", "", "roberta", "roberta@253 classifier@1", ""},
    {"RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "",
     "roberta_prelayernorm", "roberta_prelayernorm@1179 lm_head@251", ""},
    {"RobertaPreLayerNormForMultipleChoice", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "classifier@56 roberta_prelayernorm=:RobertaPreLayerNormModel", ""},
    {"RobertaPreLayerNormForQuestionAnswering", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1179 qa_outputs@1", ""},
    {"RobertaPreLayerNormForSequenceClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1179 classifier@157", ""},
    {"RobertaPreLayerNormForTokenClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1179 classifier@1", ""},
    {"RobertaPreLayerNormModel", "roberta-prelayernorm", "roberta-prelayernorm", "roberta_prelayernorm",
     "embeddings@252 encoder@1178 LayerNorm@41 pooler@151", ""},
    {"RwkvForCausalLM", "rwkv", "", "rwkv", "head@0 rwkv=:RwkvModel", ""},
    {"RwkvModel", "rwkv", "rwkv", "rwkv", "embeddings@0 blocks(#{num_hidden_layers}(pre_ln@184 ln1@41 ln2@41 "
     "attention(time_decay[attention_hidden_size] time_first[attention_hidden_size] time_mix_key[1,1,hidden_size] "
     "time_mix_value[1,1,hidden_size] time_mix_receptance[1,1,hidden_size] key@1180 value@1180 receptance@1180 "
     "output(weight[hidden_size,attention_hidden_size])) feed_forward(time_mix_key[1,1,hidden_size] "
     "time_mix_receptance[1,1,hidden_size] key@62 receptance@81 value@63))) ln_out@41", ""},
    {"SamVisionModel", "sam_vision_model", "sam_vision_model", "sam",
     "vision_encoder(pos_embed[1,(image_size/patch_size),(image_size/patch_size),hidden_size]? patch_embed@1181 "
     "layers(#{}(layer_norm1@41 attn(rel_pos_h[?,(hidden_size/num_attention_heads)]? "
     "rel_pos_w[?,(hidden_size/num_attention_heads)]? qkv@474 proj@43) layer_norm2@41 "
     "mlp(lin1(weight[mlp_dim,hidden_size] bias[mlp_dim]) lin2(weight[hidden_size,mlp_dim] bias[hidden_size])))) "
     "neck(conv1(weight[output_channels,(hidden_size/1),1,1]) layer_norm1@1182 "
     "conv2(weight[output_channels,(output_channels/1),?,?]) layer_norm2@1182))", ""},
    {"SeamlessM4TForSpeechToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 speech_encoder(feature_projection@1185 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@41 "
     "ffn1@1188 self_attn_layer_norm@41 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] linear_q@43 "
     "linear_k@43 linear_v@43 linear_out@43 linear_pos@81) conv_module(layer_norm@41 pointwise_conv1@1189 "
     "depthwise_conv@1190 batch_norm@1015 pointwise_conv2@1191) ffn2_layer_norm@41 ffn2@1188 final_layer_norm@41))"
     " layer_norm@41) intermediate_ffn@1188 adapter@1199 inner_layer_norm@41) text_decoder@1203 lm_head@164", ""},
    {"SeamlessM4TForTextToSpeech", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1210 text_decoder@1216 lm_head@164 t2u_model@1232 vocoder@1248", ""},
    {"SeamlessM4TForTextToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1252 text_decoder@1203 lm_head@164", ""},
    {"SeamlessM4TModel", "seamless_m4t", "seamless_m4t", "seamless_m4t",
     "shared@0 text_encoder@1210 speech_encoder(feature_projection@1255 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@184 ffn1@1196 self_attn_layer_norm@184 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? linear_q@183 "
     "linear_k@183 linear_v@183 linear_out@183 linear_pos@739) conv_module(layer_norm@184 pointwise_conv1@1256 "
     "depthwise_conv@1257 batch_norm(weight[hidden_size]? bias[hidden_size]? running_mean[hidden_size]? "
     "running_var[hidden_size]? num_batches_tracked[]?) pointwise_conv2@1258) ffn2_layer_norm@184 ffn2@1196 "
     "final_layer_norm@184)) layer_norm@184) intermediate_ffn@1196 adapter@1199 inner_layer_norm@184) "
     "text_decoder@1216 lm_head@164 t2u_model@1232 vocoder@1248", ""},
    {"SeamlessM4Tv2ForSpeechToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 speech_encoder(feature_projection@1185 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@41 "
     "ffn1@1188 self_attn_layer_norm@41 self_attn(linear_q@43 linear_k@43 linear_v@43 linear_out@43 distance_embed"
     "ding(weight[((left_max_position_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_att"
     "ention_heads)])) conv_module(layer_norm@41 pointwise_conv1@1189 depthwise_conv@1190 depthwise_layer_norm@41 "
     "pointwise_conv2@1191) ffn2_layer_norm@41 ffn2@1188 final_layer_norm@41)) layer_norm@41) "
     "intermediate_ffn@1188 adapter@1199 inner_layer_norm@41) text_decoder@1203 lm_head@164", ""},
    {"SeamlessM4Tv2ForTextToSpeech", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1210 text_decoder@1216 lm_head@164 t2u_model@1269 vocoder@1248", ""},
    {"SeamlessM4Tv2ForTextToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1252 text_decoder@1203 lm_head@164", ""},
    {"SeamlessM4Tv2Model", "seamless_m4t_v2", "seamless_m4t_v2", "seamless_m4t_v2",
     "shared@0 text_encoder@1210 speech_encoder(feature_projection@1255 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@184 ffn1@1196 self_attn_layer_norm@184 "
     "self_attn(linear_q@183 linear_k@183 linear_v@183 linear_out@183 distance_embedding(weight[((left_max_positio"
     "n_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_attention_heads)]?)) "
     "conv_module(layer_norm@184 pointwise_conv1@1256 depthwise_conv@1257 depthwise_layer_norm@184 "
     "pointwise_conv2@1258) ffn2_layer_norm@184 ffn2@1196 final_layer_norm@184)) layer_norm@184) "
     "intermediate_ffn@1196 adapter@1199 inner_layer_norm@184) text_decoder@1216 lm_head@164 t2u_model@1269 "
     "vocoder@1248", ""},
    {"Siglip2ForImageClassification", "siglip2", "", "siglip2",
     "classifier@640 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2Model", "siglip2", "siglip2", "siglip2",
     "logit_scale[1] logit_bias[1] text_model@1277 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2VisionModel", "siglip2_vision_model", "siglip2_vision_model", "vision_model",
     "embeddings(patch_embedding(weight[hidden_size,((num_channels*patch_size)*patch_size)] bias[hidden_size]) "
     "position_embedding(weight[num_patches,hidden_size])) encoder@858 post_layernorm@41 head@1280", ""},
    {"SiglipModel", "siglip", "siglip", "siglip",
     "logit_scale[1] logit_bias[1] text_model@1277 vision_model=vision_config:SiglipVisionModel", ""},
    {"SiglipVisionModel", "siglip_vision_model", "siglip_vision_model", "vision_model",
     "embeddings@613 encoder@858 post_layernorm@41 head@1280", ""},
    {"SmolLM3ForCausalLM", "smollm3", "", "model", "lm_head@164 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForQuestionAnswering", "smollm3", "", "transformer", "qa_outputs@1 transformer=:GraniteDoclingTextModel",
     ""},
    {"SmolLM3ForSequenceClassification", "smollm3", "", "model",
     "score(weight[?,hidden_size]) model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForTokenClassification", "smollm3", "", "model", "score@1 model=:GraniteDoclingTextModel", ""},
    {"SolarOpenForCausalLM", "solar_open", "", "model", "lm_head@0 model=:SolarOpenModel", ""},
    {"SolarOpenModel", "solar_open", "solar_open", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@454 mlp(experts@10 "
     "gate(weight[n_routed_experts,hidden_size] e_score_correction_bias[n_routed_experts]) "
     "shared_experts(gate_proj@1281 up_proj@1281 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"Speech2TextForConditionalGeneration", "speech_to_text", "", "model", "lm_head@123 model=:Speech2TextModel", ""},
    {"Speech2TextModel", "speech_to_text", "speech_to_text", "model",
     "encoder(conv(conv_layers(#{}(weight[?,?,?] bias[?]))) layers@129 layer_norm@116) decoder(embed_tokens@112 "
     "layers@120 layer_norm@116)", ""},
    {"SpeechT5ForSpeechToText", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(masked_spec_embed[?] feature_encoder(conv_layers(0(conv(weight[?,1,?] bias[?]?) "
     "layer_norm(weight[?] bias[?])) 1@1283 2@1283 3@1283 4@1283 5@1283 6@1283)) "
     "feature_projection(layer_norm(weight[?] bias[?]) projection@859) pos_conv_embed(conv(bias[hidden_size] "
     "parametrizations(weight(original0[?,?,?] "
     "original1[hidden_size,(hidden_size/num_conv_pos_embedding_groups),num_conv_pos_embeddings]))))) "
     "wrapped_encoder@1289) decoder(prenet(embed_tokens@0) wrapped_decoder@1293)) " "text_decoder_postnet(lm_head@164)",
     ""},
    {"SpeechT5ForTextToSpeech", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(embed_tokens@0 encode_positions(alpha[])) wrapped_encoder@1289) "
     "decoder(prenet(layers(#{speech_decoder_prenet_layers}(weight[speech_decoder_prenet_units,?] "
     "bias[speech_decoder_prenet_units])) final_layer(weight[hidden_size,speech_decoder_prenet_units] "
     "bias[hidden_size]) encode_positions(alpha[]) "
     "speaker_embeds_layer(weight[hidden_size,(speaker_embedding_dim+hidden_size)] bias[hidden_size])) "
     "wrapped_decoder@1293)) speech_decoder_postnet(feat_out(weight[(num_mel_bins*reduction_factor),hidden_size] "
     "bias[(num_mel_bins*reduction_factor)]) prob_out(weight[reduction_factor,hidden_size] bias[reduction_factor])"
     " layers(#{speech_decoder_postnet_layers}(conv(weight[?,?,speech_decoder_postnet_kernel]) batch_norm@1159)))", ""},
    {"SplinterForPreTraining SplinterForQuestionAnswering", "splinter", "", "splinter",
     "splinter_qass(query_start_transform@137 query_end_transform@137 start_transform@137 end_transform@137 "
     "start_classifier@81 end_classifier@81) splinter=:SplinterModel", ""},
    {"SplinterModel", "splinter", "splinter", "splinter", "embeddings@135 encoder@143", ""},
    {"SqueezeBertForMaskedLM", "squeezebert", "", "transformer",
     "cls(predictions(bias[vocab_size] transform@137 decoder@54)) transformer=:SqueezeBertModel", ""},
    {"SqueezeBertForMultipleChoice", "squeezebert", "", "transformer", "classifier@56 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForQuestionAnswering", "squeezebert", "", "transformer", "qa_outputs@1 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForSequenceClassification SqueezeBertForTokenClassification", "squeezebert", "", "transformer",
     "classifier@1 transformer=:SqueezeBertModel", ""},
    {"SqueezeBertModel", "squeezebert", "squeezebert", "transformer",
     "embeddings(word_embeddings@35 position_embeddings@36 token_type_embeddings@37 LayerNorm@41) "
     "encoder(layers(#{num_hidden_layers}(attention(query(weight[hidden_size,(hidden_size/q_groups),1] "
     "bias[hidden_size]) key(weight[hidden_size,(hidden_size/k_groups),1] bias[hidden_size]) "
     "value(weight[hidden_size,(hidden_size/v_groups),1] bias[hidden_size])) "
     "post_attention(conv1d(weight[hidden_size,(hidden_size/post_attention_groups),1] bias[hidden_size]) "
     "layernorm@41) intermediate(conv1d(weight[intermediate_size,(hidden_size/intermediate_groups),1] "
     "bias[intermediate_size])) output(conv1d(weight[hidden_size,(intermediate_size/output_groups),1] "
     "bias[hidden_size]) layernorm@41)))) pooler@151", ""},
    {"StableLmForCausalLM", "stablelm", "", "model", "lm_head@0 model=:StableLmModel", ""},
    {"StableLmForSequenceClassification", "stablelm", "", "model", "score(weight[?,hidden_size]) model=:StableLmModel",
     ""},
    {"StableLmForTokenClassification", "stablelm", "", "model", "score@1 model=:StableLmModel", ""},
    {"StableLmModel", "stablelm", "stablelm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@57 k_proj@58 v_proj@58 o_proj@81 "
     "q_layernorm(norms(#{num_attention_heads}@457)) k_layernorm(norms(#{num_key_value_heads}@457))) mlp@263 "
     "input_layernorm@41 post_attention_layernorm@184)) norm@41", ""},
    {"Starcoder2ForCausalLM", "starcoder2", "", "model", "lm_head@164 model=:Starcoder2Model", ""},
    {"Starcoder2ForSequenceClassification", "starcoder2", "", "model",
     "score(weight[?,hidden_size]) model=:Starcoder2Model", ""},
    {"Starcoder2ForTokenClassification", "starcoder2", "", "model", "score@1 model=:Starcoder2Model", ""},
    {"Starcoder2Model", "starcoder2", "starcoder2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@359 mlp(c_fc@65 c_proj@66) input_layernorm@41 "
     "post_attention_layernorm@41)) norm@41", ""},
    {"Step3p7ForConditionalGeneration", "step3p7", "", "model",
     "vision_model(conv1@235 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_con"
     "fig.image_size/vision_config.patch_size)),vision_config.hidden_size] ln_pre@71 transformer@1300 "
     "vit_downsampler1@1301 vit_downsampler2@1302) model(vision_model(layers@1305) embed_tokens@77 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1307 mlp(gate_proj@1308 up_proj@1308 down_proj@1309) "
     "input_layernorm@300 post_attention_layernorm@300 moe@1311 share_expert@1314) #{}@1315) norm@300 "
     "language_model(layers(#{text_config.num_hidden_layers}(mlp(experts@1316))))) vit_large_projector@1317 "
     "lm_head@77", ""},
    {"Step3p7Model", "step3p7", "step3p7", "model",
     "vision_model(conv1@235 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_con"
     "fig.image_size/vision_config.patch_size)),vision_config.hidden_size] ln_pre@71 transformer@1300 layers@1305 "
     "vit_downsampler1@1301 vit_downsampler2@1302) language_model(embed_tokens@77 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1307 mlp(gate_proj@1308 up_proj@1308 down_proj@1309 "
     "experts@1316) input_layernorm@300 post_attention_layernorm@300 moe@1311 share_expert@1314) #{}@1315) "
     "norm@300) multi_modal_projector@1317", ""},
    {"SwitchTransformersForConditionalGeneration", "switch_transformers", "", "switch_transformers",
     "shared@112 encoder@1325 decoder@1329 lm_head@123", ""},
    {"SwitchTransformersModel", "switch_transformers", "switch_transformers", "switch_transformers",
     "shared@112 encoder@1325 decoder@1329", ""},
    {"T5EncoderModel", "t5", "", "transformer",
     "shared@112 encoder(embed_tokens@123 block(#{num_layers}(layer(#{}(SelfAttention@824 "
     "layer_norm(weight[d_model]) DenseReluDense(wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) "
     "wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?)) EncDecAttention@825)))) "
     "final_layer_norm(weight[d_model]))", "decoder"},
    {"T5ForConditionalGeneration", "t5", "", "transformer", "shared@112 encoder@1333 decoder@788 lm_head@123",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForQuestionAnswering", "t5", "", "transformer", "shared@112 encoder@1333 decoder@788 qa_outputs@124",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForSequenceClassification", "t5", "", "transformer", "classification_head@125 transformer=:T5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForTokenClassification", "t5", "", "transformer", "classifier@124 transformer=:T5EncoderModel", "decoder"},
    {"T5Gemma2ForConditionalGeneration", "t5gemma2", "", "model",
     "lm_head(out_proj(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]?)) "
     "model=:T5Gemma2Model", ""},
    {"T5Gemma2ForSequenceClassification T5Gemma2ForTokenClassification", "t5gemma2", "", "model",
     "score@1335 model=:T5Gemma2Model", ""},
    {"T5Gemma2Model", "t5gemma2", "t5gemma2", "model",
     "encoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size] "
     "eoi_embedding[encoder.text_config.hidden_size]) norm@1336 layers(#{encoder.text_config.num_hidden_layers}(se"
     "lf_attn(q_proj(weight[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim),encoder.text_co"
     "nfig.hidden_size]) k_proj@1337 v_proj@1337 o_proj(weight[encoder.text_config.hidden_size,(encoder.text_confi"
     "g.num_attention_heads*encoder.text_config.head_dim)]) q_norm@1338 k_norm@1338) pre_self_attn_layernorm@1336 "
     "post_self_attn_layernorm@1336 mlp(gate_proj@1339 up_proj@1339 "
     "down_proj(weight[encoder.text_config.hidden_size,encoder.text_config.intermediate_size])) "
     "pre_feedforward_layernorm@1336 post_feedforward_layernorm@1336)) multi_modal_projector(mm_input_projection_w"
     "eight[encoder.vision_config.hidden_size,encoder.text_config.hidden_size] "
     "mm_soft_emb_norm(weight[encoder.vision_config.hidden_size])) "
     "vision_tower=encoder.vision_config:SiglipVisionModel) "
     "decoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]? "
     "eoi_embedding[encoder.text_config.hidden_size]?) norm@1340 layers(#{decoder.num_hidden_layers}(self_attn(q_p"
     "roj(weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size]) k_proj@1341 v_proj@1341 "
     "o_proj(weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)]) q_norm@1342 k_norm@1342) "
     "pre_self_attn_layernorm@1340 post_self_attn_layernorm@1340 mlp@1345 pre_feedforward_layernorm@1340 "
     "post_feedforward_layernorm@1340)))", ""},
    {"T5GemmaForConditionalGeneration", "t5gemma", "", "model",
     "lm_head(out_proj(weight[decoder.vocab_size,decoder.hidden_size]?)) model=:T5GemmaModel", ""},
    {"T5GemmaForSequenceClassification T5GemmaForTokenClassification", "t5gemma", "", "model",
     "score@1335 model=:T5GemmaModel", ""},
    {"T5GemmaModel", "t5gemma", "t5gemma", "model",
     "encoder(embed_tokens(weight[encoder.vocab_size,encoder.hidden_size]) norm@1346 layers(#{encoder.num_hidden_l"
     "ayers}(self_attn(q_proj(weight[(encoder.num_attention_heads*encoder.head_dim),encoder.hidden_size] "
     "bias[(encoder.num_attention_heads*encoder.head_dim)]?) k_proj@1347 v_proj@1347 "
     "o_proj(weight[encoder.hidden_size,(encoder.num_attention_heads*encoder.head_dim)] "
     "bias[encoder.hidden_size]?)) pre_self_attn_layernorm@1346 post_self_attn_layernorm@1346 mlp(gate_proj@1348 "
     "up_proj@1348 down_proj(weight[encoder.hidden_size,encoder.intermediate_size])) "
     "pre_feedforward_layernorm@1346 post_feedforward_layernorm@1346))) "
     "decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]) norm@1340 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1349 k_proj@1350 v_proj@1350 o_proj@1351) "
     "pre_self_attn_layernorm@1340 post_self_attn_layernorm@1340 mlp@1345 pre_feedforward_layernorm@1340 "
     "post_feedforward_layernorm@1340 cross_attn(q_proj@1349 k_proj@1352 v_proj@1352 o_proj@1351) "
     "pre_cross_attn_layernorm@1340 post_cross_attn_layernorm@1340)))", ""},
    {"T5Model", "t5", "t5", "transformer", "shared@112 encoder@1333 decoder@788",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"TapasForMaskedLM", "tapas", "", "tapas", "tapas(embeddings@1353 encoder@143) cls@147", ""},
    {"TapasForQuestionAnswering", "tapas", "", "tapas",
     "output_weights[hidden_size] column_output_weights[hidden_size] output_bias[] column_output_bias[] "
     "tapas=:TapasModel", ""},
    {"TapasForSequenceClassification", "tapas", "", "tapas", "classifier@1 tapas=:TapasModel", ""},
    {"TapasModel", "tapas", "tapas", "tapas", "embeddings@1353 encoder@143 pooler@151", ""},
    {"Tipsv2Model", "tipsv2", "tipsv2", "model",
     "temperature[]? text_encoder=text_config:Tipsv2TextModel vision_encoder=vision_config:Tipsv2VisionModel",
     "text_encoder vision_encoder"},
    {"Tipsv2TextModel", "tipsv2_text_model", "tipsv2_text_model", "text_model",
     "token_embedding@0 encoder(layers(#{num_hidden_layers}(self_attn(k_proj@1354 v_proj@1354 q_proj@1354)))) "
     "transformer(resblocks(#{}@1298 #{num_hidden_layers}(attn(out_proj@43) ln_1@41 mlp(c_fc@45 c_proj@46) "
     "ln_2@41))) ln_final@41", "vision_encoder"},
    {"Tipsv2VisionModel", "tipsv2_vision_model", "tipsv2_vision_model", "vision_model",
     "cls_token[1,1,hidden_size] mask_token[1,hidden_size] "
     "pos_embed[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "register_tokens[1,num_register_tokens,hidden_size] patch_embed(proj@612) "
     "blocks(#{num_hidden_layers}(norm1@41 attn(proj@489) ls1(gamma[?]) norm2@41 "
     "mlp(c_fc(weight[(hidden_size*mlp_ratio),hidden_size]? bias[(hidden_size*mlp_ratio)]?) "
     "c_proj(weight[hidden_size,(hidden_size*mlp_ratio)]? bias[hidden_size]?) w3@1171) ls2(gamma[?])) "
     "#{}(attn@1051 mlp(w12(weight[*]~ bias[*]~)))) encoder(layer(#{num_hidden_layers}(attention@557 "
     "mlp(gate_proj@1355 up_proj@1355)))) norm@41", "text_encoder"},
    {"TrOCRForCausalLM", "trocr", "", "model",
     "model(decoder(embed_tokens@112 embed_positions(weight[(max_position_embeddings+2),d_model]?) "
     "layernorm_embedding@1356 layers@120)) output_projection@123", ""},
    {"TvpModel", "tvp", "tvp", "model",
     "text_prompt[1,?,hidden_size] vision_model(grid_encoder_conv(weight[hidden_size,?,?,?]) "
     "backbone=backbone_config:ResNetBackbone) embeddings(word_embeddings@0 position_embeddings@133 "
     "token_type_embeddings@134 layer_norm@41) visual_embeddings(position_embeddings@133 "
     "row_position_embeddings(weight[max_grid_row_position_embeddings,hidden_size]) "
     "col_position_embeddings(weight[max_grid_col_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[1,hidden_size]) layer_norm@41) "
     "encoder(layer(#{num_hidden_layers}(attention(query@42 key@42 value@42 dense@43 layer_norm@41) "
     "intermediate@139 output(dense@46 layer_norm@41)))) pooler@151 "
     "visual_prompter(pad_up[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_down[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_left[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size] "
     "pad_right[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size])", ""},
    {"UMT5ForConditionalGeneration", "umt5", "", "transformer", "shared@112 encoder@1363 decoder@1367 lm_head@123", ""},
    {"UMT5ForQuestionAnswering", "umt5", "", "transformer", "shared@112 encoder@1363 decoder@1367 qa_outputs@124", ""},
    {"UMT5ForSequenceClassification", "umt5", "", "transformer", "classification_head@125 transformer=:UMT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5ForTokenClassification", "umt5", "", "transformer", "classifier@124 transformer=:MT5EncoderModel",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5Model", "umt5", "umt5", "transformer", "shared@112 encoder@1363 decoder@1367", ""},
    {"UdopForConditionalGeneration", "udop", "", "transformer",
     "shared@112 patch_embed@1369 encoder(embed_tokens@123 embed_patches@1371 block@1332 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1373 relative_bias@1376) decoder(embed_tokens@123 "
     "embed_patches@1369 block@787 final_layer_norm(weight[d_model]) relative_bias@1376) lm_head@123", ""},
    {"UdopModel", "udop", "udop", "transformer",
     "shared@112 patch_embed@1369 encoder(embed_tokens@123 embed_patches@1371 block@1332 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1373 relative_bias@1379) decoder(embed_tokens@123 "
     "embed_patches@1369 block@787 final_layer_norm(weight[d_model]) relative_bias@1379)", ""},
    {"UltraVBertForMaskedLM", "ultravbert", "", "model",
     "head(linear1(weight[text_config.prediction_head_size,text_config.hidden_size]) "
     "linear2(weight[text_config.hidden_size,text_config.prediction_head_size]) decoder@77) model=:UltraVBertModel",
     "vision_model\\.head\\."},
    {"UltraVBertForSequenceClassification UltraVBertForTokenClassification", "ultravbert", "", "model",
     "classifier@949 model=:UltraVBertModel", "vision_model\\.head\\."},
    {"UltraVBertModel", "ultravbert", "ultravbert", "model",
     "connector(modality_projection@950 norm@300) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:Ernie4_5Model", "vision_model\\.head\\."},
    {"UltrabertForMaskedLM", "ultrabert", "", "model",
     "head(linear1(weight[prediction_head_size,hidden_size]) linear2(weight[hidden_size,prediction_head_size])) "
     "cls@0 ultrabert=:Ernie4_5Model", ""},
    {"UltrabertForQuestionAnswering", "ultrabert", "", "model", "qa_outputs@1 ultrabert=:Ernie4_5Model", ""},
    {"UltrabertForSequenceClassification UltrabertForTokenClassification", "ultrabert", "", "model",
     "classifier@1 ultrabert=:Ernie4_5Model", ""},
    {"UnlimitedOcrForConditionalGeneration", "unlimited_ocr", "", "model", "lm_head@77 model=:UnlimitedOcrModel",
     "lm_head patch_embedding"},
    {"UnlimitedOcrModel", "unlimited_ocr", "unlimited_ocr", "model",
     "view_seperator[text_config.hidden_size] image_newline[text_config.hidden_size] sam_model(pos_embed[1,(vision"
     "_config.sam_config.image_size/vision_config.sam_config.patch_size),(vision_config.sam_config.image_size/visi"
     "on_config.sam_config.patch_size),vision_config.sam_config.hidden_size]? patch_embed(proj(weight[vision_confi"
     "g.sam_config.hidden_size,(vision_config.sam_config.num_channels/1),vision_config.sam_config.patch_size,visio"
     "n_config.sam_config.patch_size] bias[vision_config.sam_config.hidden_size])) blocks(#{}(norm1@1380 "
     "attn(rel_pos_h[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]? "
     "rel_pos_w[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]? "
     "qkv(weight[(vision_config.sam_config.hidden_size*3),vision_config.sam_config.hidden_size] "
     "bias[(vision_config.sam_config.hidden_size*3)]?) "
     "proj(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.hidden_size])) norm2@1380 "
     "mlp(lin1(weight[vision_config.sam_config.mlp_dim,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.mlp_dim]) "
     "lin2(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.mlp_dim] "
     "bias[vision_config.sam_config.hidden_size])))) "
     "neck(0(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.hidden_size/1),1,1]) 1@1381"
     " 2(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.output_channels/1),?,?]) "
     "3@1381) net_2(weight[?,(vision_config.sam_config.output_channels/1),?,?]) net_3(weight[?,?,?,?])) "
     "vision_model(embeddings(class_embedding[vision_config.encoder_config.hidden_size] position_embedding(weight["
     "(((vision_config.encoder_config.image_size/vision_config.encoder_config.patch_size)*(vision_config.encoder_c"
     "onfig.image_size/vision_config.encoder_config.patch_size))+1),vision_config.encoder_config.hidden_size])) "
     "pre_layrnorm@1382 transformer(layers(#{}(self_attn@550) #{vision_config.encoder_config.num_hidden_layers}(se"
     "lf_attn(out_proj(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm1@1382 "
     "mlp(fc1(weight[vision_config.encoder_config.intermediate_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.intermediate_size]) "
     "fc2(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.intermediate_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm2@1382)))) vision_tower(vision_encoder(encoder(la"
     "yers(#{vision_config.encoder_config.num_hidden_layers}(self_attn(k_proj@1383 v_proj@1383 q_proj@1383)))))) "
     "projector(layers@690) embed_tokens@77 layers(#{text_config.num_hidden_layers}(self_attn@1001 "
     "mlp(gate_proj@1308 up_proj@1308 down_proj@1309 gate@906 shared_experts(gate_proj@1384 up_proj@1384 "
     "down_proj(weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]? "
     "bias[text_config.hidden_size]?))) input_layernorm@300 post_attention_layernorm@300) #{}@19) "
     "language_model@677 norm@300", "lm_head patch_embedding"},
    {"VaultGemmaForCausalLM", "vaultgemma", "", "model", "lm_head@164 model=:VaultGemmaModel", ""},
    {"VaultGemmaModel", "vaultgemma", "vaultgemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@263 input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"VibeVoiceAcousticTokenizerEncoderModel", "vibevoice_acoustic_tokenizer_encoder",
     "vibevoice_acoustic_tokenizer_encoder", "vibevoice_acoustic_tokenizer", "stem@1394 conv_layers@1402 head@1404", ""},
    {"VibeVoiceAcousticTokenizerModel", "vibevoice_acoustic_tokenizer", "vibevoice_acoustic_tokenizer",
     "vibevoice_acoustic_tokenizer",
     "encoder@1405 decoder(stem(conv(conv(weight[(num_filters*64),(hidden_size/1),kernel_size] "
     "bias[(num_filters*64)])) stage(0@1412 1@1412 2@1412 3@1412 4@1412 5@1412 6@1412 7@1412)) "
     "conv_layers(#{}(convtr(convtr(weight[?,?,?] bias[?])) stage(0@1399 1@1399 2@1399))) "
     "head(conv(weight[channels,(num_filters/1),kernel_size] bias[channels])))", ""},
    {"VibeVoiceAsrForConditionalGeneration", "vibevoice_asr", "", "model",
     "multi_modal_projector@1415 language_model@85 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel", ""},
    {"VibeVoiceAsrModel", "vibevoice_asr", "vibevoice_asr", "model", "multi_modal_projector@1415 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "language_model@86", ""},
    {"VibeVoiceForConditionalGeneration", "vibevoice", "vibevoice", "model",
     "model(latent_scaling_factor[] latent_bias_factor[] multi_modal_projector(linear_1@82 act@300 linear_2@83) "
     "semantic_connector(linear_1(weight[text_config.hidden_size,semantic_model_config.hidden_size] "
     "bias[text_config.hidden_size]) act@300 linear_2@83) diffusion_head(noisy_images_proj(weight[diffusion_head_c"
     "onfig.hidden_size,diffusion_head_config.latent_size]) cond_proj@1416 "
     "timestep_proj(fc1(weight[diffusion_head_config.hidden_size,diffusion_head_config.frequency_embedding_size]) "
     "fc2@1416) layers(#{diffusion_head_config.num_hidden_layers}(ffn(gate_proj@1417 up_proj@1417 "
     "down_proj(weight[diffusion_head_config.hidden_size,diffusion_head_config.intermediate_size])) "
     "norm(weight[diffusion_head_config.hidden_size]) "
     "linear(weight[(diffusion_head_config.hidden_size*3),diffusion_head_config.hidden_size]))) "
     "final_layer(linear_1(weight[(2*diffusion_head_config.hidden_size),diffusion_head_config.hidden_size]) "
     "linear_2(weight[diffusion_head_config.latent_size,diffusion_head_config.hidden_size]))) "
     "audio_tower=audio_config:VibeVoiceAcousticTokenizerModel language_model=text_config:Qwen2Model "
     "semantic_tokenizer_encoder=semantic_model_config:VibeVoiceAcousticTokenizerEncoderModel) lm_head@77", ""},
    {"VideoLlama3ForConditionalGeneration", "video_llama_3", "", "model", "lm_head@77 model=:VideoLlama3Model", ""},
    {"VideoLlama3Model", "video_llama_3", "video_llama_3", "model",
     "projector(readout(0@346 2@83)) vision_model=vision_config:VideoLlama3VisionModel "
     "language_model=text_config:Qwen2Model", ""},
    {"VideoLlama3VisionModel", "video_llama_3_vision", "video_llama_3_vision", "model",
     "embeddings(patch_embedding@612) encoder@858 post_layernorm@41", ""},
    {"VideoLlavaForConditionalGeneration", "video_llava", "", "model",
     "multi_modal_projector@769 language_model@770 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel", ""},
    {"VideoLlavaModel", "video_llava", "video_llava", "model",
     "multi_modal_projector@769 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel language_model@493", ""},
    {"VideoPrismClipModel", "videoprism", "videoprism", "model",
     "video_model(auxiliary_layers(#{vision_config.num_auxiliary_layers}(attention(q_proj@639 k_proj@639 "
     "v_proj@639 o_proj(weight[vision_config.hidden_size,(vision_config.num_attention_heads*(vision_config.hidden_"
     "size/vision_config.num_attention_heads))] bias[vision_config.hidden_size])) layernorm_before@71 "
     "layernorm_after@71 mlp@173)) "
     "head(per_dim_scale[(vision_config.intermediate_size/vision_config.num_attention_heads)] "
     "pooling_attention_query[1,1,vision_config.hidden_size] q_proj@1418 k_proj@1418 v_proj@1418 o_proj(weight[vis"
     "ion_config.hidden_size,(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num"
     "_attention_heads))] bias[vision_config.hidden_size])) head_layernorm@71 "
     "vision_model=vision_config:VideoPrismVisionModel) text_model(embeddings(cls_emb[1,1,text_config.hidden_size]"
     " token_embedding@77 position_embedding[?,?] position_ids[?,?]) "
     "layers(#{text_config.num_hidden_layers}(attention(q_proj@199 k_proj@199 v_proj@199 o_proj(weight[text_config"
     ".hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))] "
     "bias[text_config.hidden_size])) layernorm_before@197 layernorm_after@197 mlp@1272)) layernorm@197)", ""},
    {"VideoPrismVisionModel", "videoprism_vision_model", "videoprism_vision_model", "vision_model",
     "layernorm1@41 layernorm2@41 spatial_embeddings(position_embeddings[1,?,hidden_size] "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?,?] bias[hidden_size]))) "
     "temporal_embeddings(position_embeddings[1,num_frames,hidden_size]) "
     "spatial_layers(#{num_spatial_layers}@1420) temporal_layers(#{num_temporal_layers}@1420)", ""},
    {"ViltForQuestionAnswering", "vilt", "", "vilt",
     "classifier(0@810 1@811 3(weight[?,(hidden_size*2)] bias[?])) vilt=:ViltModel", ""},
    {"ViltModel", "vilt", "vilt", "vilt", "embeddings(cls_token[1,1,hidden_size] "
     "position_embeddings[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] text_embeddings@135"
     " patch_embeddings@1181 token_type_embeddings(weight[modality_type_vocab_size,hidden_size])) "
     "encoder(layer(#{num_hidden_layers}(attention(attention@152 output@151) intermediate@139 output@367 "
     "layernorm_before@41 layernorm_after@41))) layernorm@41 pooler@151", ""},
    {"VipLlavaForConditionalGeneration", "vipllava", "", "model",
     "multi_modal_projector@1423 language_model@770 vision_tower=vision_config:CLIPVisionModel", ""},
    {"VipLlavaModel", "vipllava", "vipllava", "model",
     "multi_modal_projector@1423 vision_tower=vision_config:CLIPVisionModel language_model@493", ""},
    {"VisualBertForPreTraining", "visual_bert", "", "visual_bert", "cls@149 visual_bert=:VisualBertModel", ""},
    {"VisualBertModel", "visual_bert", "visual_bert", "visual_bert",
     "embeddings(word_embeddings@0 position_embeddings@133 token_type_embeddings@134 LayerNorm@41 "
     "visual_token_type_embeddings@134 visual_position_embeddings@133 "
     "visual_projection(weight[hidden_size,visual_embedding_dim] bias[hidden_size])) encoder@143 pooler@151 "
     "additional_layer(attention(self(query@181 key@181 value@181) output@185) intermediate@187 output@189)", ""},
    {"VoxtralForConditionalGeneration", "voxtral", "", "model",
     "multi_modal_projector@1425 language_model@770 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"VoxtralModel", "voxtral", "voxtral", "model",
     "multi_modal_projector@1425 audio_tower=audio_config:AudioFlamingo3Encoder language_model@493", ""},
    {"VoxtralRealtimeEncoder", "voxtral_realtime_encoder", "voxtral_realtime_encoder", "model",
     "embedder(conv1@79 conv2@80) layers(#{num_hidden_layers}(self_attn(q_proj@1426 k_proj@28 v_proj@1426 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size])) "
     "self_attn_layer_norm(weight[hidden_size]) final_layer_norm(weight[hidden_size]) mlp(gate_proj@62 up_proj@62 "
     "down_proj@46))) norm(weight[hidden_size])", ""},
    {"VoxtralRealtimeForConditionalGeneration", "voxtral_realtime", "", "model",
     "language_model(model@1432 lm_head@91) multi_modal_projector@1434 "
     "audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"VoxtralRealtimeModel", "voxtral_realtime", "voxtral_realtime", "model",
     "language_model(model@1432) multi_modal_projector@1434 audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"WhisperForCausalLM", "whisper", "", "model", "model(decoder@1438) proj_out@123", ""},
    {"WhisperForConditionalGeneration", "whisper", "", "model", "proj_out@123 model=:WhisperModel", ""},
    {"WhisperModel", "whisper", "whisper", "model", "encoder@1439 decoder@1438", ""},
    {"XGLMForCausalLM", "xglm", "", "model", "lm_head@123 model=:XGLMModel", ""},
    {"XGLMModel", "xglm", "xglm", "model",
     "embed_tokens@112 layers(#{num_layers}(self_attn@115 self_attn_layer_norm@116 fc1(weight[ffn_dim,d_model] "
     "bias[ffn_dim]) fc2(weight[d_model,ffn_dim] bias[d_model]) final_layer_norm@116 encoder_attn(k_proj@1440 "
     "v_proj@1440 q_proj@1440 out_proj@1440) encoder_attn_layer_norm@1356)) layer_norm@116", ""},
    {"XLMRobertaXLForCausalLM XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "", "roberta", "roberta@1446 lm_head@251", ""},
    {"XLMRobertaXLForMultipleChoice", "xlm-roberta-xl", "", "roberta", "classifier@56 roberta=:XLMRobertaXLModel", ""},
    {"XLMRobertaXLForQuestionAnswering", "xlm-roberta-xl", "", "roberta", "roberta@1446 qa_outputs@1", ""},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "", "roberta", "roberta@1446 classifier@157", ""},
    {"XLMRobertaXLForTokenClassification", "xlm-roberta-xl", "", "roberta", "roberta@1446 classifier@1", ""},
    {"XLMRobertaXLModel", "xlm-roberta-xl", "xlm-roberta-xl", "roberta", "embeddings@1441 encoder@1445 pooler@151", ""},
    {"XLNetForMultipleChoice", "xlnet", "", "transformer",
     "sequence_summary@1447 logits_proj@421 transformer=:XLNetModel", ""},
    {"XLNetForQuestionAnsweringSimple", "xlnet", "", "transformer", "qa_outputs@124 transformer=:XLNetModel", ""},
    {"XLNetForSequenceClassification", "xlnet", "", "transformer",
     "sequence_summary@1447 logits_proj@124 transformer=:XLNetModel", ""},
    {"XLNetForTokenClassification", "xlnet", "", "transformer", "classifier@124 transformer=:XLNetModel", ""},
    {"XLNetLMHeadModel", "xlnet", "", "transformer", "lm_loss@420 transformer=:XLNetModel", ""},
    {"XLNetModel", "xlnet", "xlnet", "transformer",
     "mask_emb[?,?,?] word_embedding@112 layer(#{n_layer}(rel_attn(q[?,?,?] k[?,?,?] v[?,?,?] o[?,?,?] r[?,?,?] "
     "r_r_bias[?,?] r_s_bias[?,?] r_w_bias[?,?] seg_embed[?,?,?] layer_norm@116) ff(layer_norm@116 layer_1@413 "
     "layer_2@414)))", ""},
    {"XmodForCausalLM XmodForMaskedLM", "xmod", "", "roberta", "roberta@1456 lm_head@251", ""},
    {"XmodForMultipleChoice", "xmod", "", "roberta", "classifier@56 roberta=:XmodModel", ""},
    {"XmodForQuestionAnswering", "xmod", "", "roberta", "roberta@1456 qa_outputs@1", ""},
    {"XmodForSequenceClassification", "xmod", "", "roberta", "roberta@1456 classifier@157", ""},
    {"XmodForTokenClassification", "xmod", "", "roberta", "roberta@1456 classifier@1", ""},
    {"XmodModel", "xmod", "xmod", "roberta", "embeddings@252 encoder@1455 pooler@151", ""},
    {"YosoForMaskedLM", "yoso", "", "yoso", "cls@147 yoso=:YosoModel", ""},
    {"YosoForMultipleChoice", "yoso", "", "yoso", "pre_classifier@43 classifier@56 yoso=:YosoModel", ""},
    {"YosoForQuestionAnswering", "yoso", "", "yoso", "qa_outputs@1 yoso=:YosoModel", ""},
    {"YosoForSequenceClassification", "yoso", "", "yoso", "classifier@157 yoso=:YosoModel", ""},
    {"YosoForTokenClassification", "yoso", "", "yoso", "classifier@1 yoso=:YosoModel", ""},
    {"YosoModel", "yoso", "yoso", "yoso", "embeddings@982 encoder@143", ""},
    {"YoutuForCausalLM", "youtu", "", "model", "lm_head@164 model=:YoutuModel", ""},
    {"YoutuModel", "youtu", "youtu", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@7 mlp@263 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint
