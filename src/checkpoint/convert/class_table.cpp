// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/convert/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 1461> kSharedModules{{
    "weight[vocab_size,hidden_size]", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5", "weight[intermediate_size,hidden_size]?",
    "weight[hidden_size,intermediate_size]?", "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]~",
    "weight[n_routed_experts,hidden_size]? e_score_correction_bias[n_routed_experts]?",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?",
    "weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?", "gate_proj@11 up_proj@11 down_proj@12",
    "gate_proj@7 up_proj@7 down_proj@8 experts@9 gate@10 shared_experts@13",
    "self_attn@6 mlp@14 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "post_mlp_layernorm(weight[hidden_size]?)", "gate_proj(weight[*]~) up_proj(weight[*]~) down_proj(weight[*]~)",
    "#{}@16", "experts@17", "mlp@18", "#{num_hidden_layers}@15 #{}@19",
    "embed_tokens@0 layers@20 norm(weight[hidden_size])", "weight[?,hidden_size] bias[?]",
    "weight[(index_n_heads*index_head_dim),q_lora_rank]", "weight[index_head_dim,hidden_size]",
    "weight[index_head_dim] bias[index_head_dim]", "weight[index_n_heads,hidden_size]",
    "wq_b@23 wk@24 k_norm@25 weights_proj@26",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?",
    "weight[(num_attention_heads*head_dim),hidden_size]", "weight[num_experts,hidden_size]?", "gate@32",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?",
    "weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?", "gate_proj@34 up_proj@34 down_proj@35",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]~", "weight[vocab_size,embedding_size]",
    "weight[max_position_embeddings,embedding_size]", "weight[type_vocab_size,embedding_size]",
    "weight[embedding_size] bias[embedding_size]",
    "word_embeddings@38 position_embeddings@39 token_type_embeddings@40 LayerNorm@41",
    "weight[hidden_size,embedding_size] bias[hidden_size]", "weight[hidden_size] bias[hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[hidden_size,hidden_size] bias[hidden_size]", "query@45 key@45 value@45 dense@46 LayerNorm@44",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]",
    "weight[hidden_size,intermediate_size] bias[hidden_size]",
    "full_layer_layer_norm@44 attention@47 ffn@48 ffn_output@49", "#{inner_group_num}@50", "albert_layers@51",
    "#{num_hidden_groups}@52", "embedding_hidden_mapping_in@43 albert_layer_groups@53", "embeddings@42 encoder@54",
    "weight[embedding_size,hidden_size] bias[embedding_size]", "weight[vocab_size,embedding_size]? bias[vocab_size]?",
    "bias[vocab_size] LayerNorm@41 dense@56 decoder@57", "weight[1,hidden_size] bias[1]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?",
    "weight[(hidden_size/num_attention_heads)]", "q_proj@60 k_proj@61 v_proj@61 o_proj@62 q_norm@63 k_norm@63",
    "weight[intermediate_size,hidden_size]", "weight[hidden_size,intermediate_size]",
    "q_proj@28 k_proj@29 v_proj@29 o_proj@30", "weight[intermediate_size,hidden_size] bias[intermediate_size]?",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?", "up_proj@68 down_proj@69",
    "weight[vision_config.hidden_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size] bias[vision_config.hidden_size]",
    "in_proj_weight[(3*vision_config.hidden_size),vision_config.hidden_size] "
    "in_proj_bias[(3*vision_config.hidden_size)] out_proj@72",
    "weight[vision_config.hidden_size] bias[vision_config.hidden_size]",
    "q_proj@71 k_proj@71 v_proj@71 multihead_attn@73 linear@72 layer_norm@74 layer_norm_kv@74",
    "weight[text_config.hidden_size,vision_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size]", "linear_in@76 linear_out@77",
    "query[max_value_projector_patch_to_query_dict,vision_config.hidden_size] cross_attn@75 layer_norm@74 "
    "feed_forward@78", "weight[text_config.vocab_size,text_config.hidden_size]",
    "weight[(intermediate_size*moe_num_shared_experts),hidden_size] "
    "bias[(intermediate_size*moe_num_shared_experts)]?", "weight[hidden_size,(num_mel_bins/1),?] bias[hidden_size]",
    "weight[hidden_size,(hidden_size/1),?] bias[hidden_size]", "weight[hidden_size,hidden_size]",
    "weight[text_config.hidden_size,audio_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]", "linear_1@85 linear_2@86",
    "lm_head@80 model=text_config:Qwen2Model", "model=text_config:Qwen2Model",
    "weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.hidden_size/2)] bias[text_config.hidden_size]",
    "layernorm@90 linear_1@91 linear_2@92", "weight[text_config.vocab_size,text_config.hidden_size]?",
    "weight[(linear_head_dim*linear_num_heads),hidden_size]?", "weight[linear_num_heads,hidden_size]?",
    "weight[linear_head_dim]?", "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]?",
    "q_proj(weight[?,hidden_size]) k_proj@95 v_proj@95 A_log[linear_num_heads]? "
    "dt_bias[(linear_head_dim*linear_num_heads)]? f_proj@95 b_proj@96 o_norm@97 dense(weight[hidden_size,?]) "
    "g_proj(weight[?,hidden_size]) kv_a_proj_with_mqa@98 kv_a_layernorm(weight[kv_lora_rank]?) kv_b_proj@99",
    "weight[((linear_head_dim*linear_num_heads)*3),(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*line"
    "ar_num_heads)*3)),linear_conv_kernel_dim]~", "conv1d@101",
    "weight[num_experts,hidden_size]? expert_bias[num_experts]?",
    "gate_proj@7 up_proj@7 down_proj@8 experts@37 gate@103 shared_experts@36",
    "attention@100 self_attn@102 mlp@104 input_layernorm(weight[hidden_size]) "
    "post_attention_layernorm(weight[hidden_size])", "q_conv1d(weight[*]~) k_conv1d(weight[*]~) v_conv1d(weight[*]~)",
    "attention@106 mlp@18", "#{num_hidden_layers}@105 #{}@107", "gate_proj@68 up_proj@68 down_proj@69",
    "weight[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)),(((mamba_expand*hidden_size)+((2*mamb"
    "a_n_groups)*mamba_d_state))/((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
    "bias[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))]?",
    "weight[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)))+mamba_n"
    "_heads),hidden_size] bias[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba"
    "_d_state)))+mamba_n_heads)]?", "weight[(mamba_expand*hidden_size)]",
    "weight[hidden_size,(mamba_expand*hidden_size)] bias[hidden_size]?",
    "dt_bias[mamba_n_heads] A_log[mamba_n_heads] D[mamba_n_heads] conv1d@110 in_proj@111 norm@112 out_proj@113",
    "weight[vocab_size,d_model]", "weight[(max_position_embeddings+2),d_model]",
    "weight[d_model,d_model] bias[d_model]", "k_proj@117 v_proj@117 q_proj@117 out_proj@117",
    "weight[d_model] bias[d_model]", "weight[decoder_ffn_dim,d_model] bias[decoder_ffn_dim]",
    "weight[d_model,decoder_ffn_dim] bias[d_model]",
    "self_attn@118 self_attn_layer_norm@119 encoder_attn@118 encoder_attn_layer_norm@119 fc1@120 fc2@121 "
    "final_layer_norm@119", "#{decoder_layers}@122",
    "embed_tokens@115 embed_positions@116 layers@123 layernorm_embedding@119", "decoder@124",
    "weight[vocab_size,d_model]?", "weight[?,d_model] bias[?]", "dense@117 out_proj@127",
    "weight[encoder_ffn_dim,d_model] bias[encoder_ffn_dim]", "weight[d_model,encoder_ffn_dim] bias[d_model]",
    "self_attn@118 self_attn_layer_norm@119 fc1@129 fc2@130 final_layer_norm@119", "#{encoder_layers}@131",
    "embed_tokens@126 embed_positions@116 layers@132 layernorm_embedding@119",
    "embed_tokens@126 embed_positions@116 layers@123 layernorm_embedding@119",
    "weight[num_experts,hidden_size]? e_score_correction_bias[num_experts]?",
    "weight[max_position_embeddings,hidden_size]", "weight[type_vocab_size,hidden_size]",
    "word_embeddings@0 position_embeddings@136 token_type_embeddings@137 LayerNorm@44", "query@45 key@45 value@45",
    "dense@46 LayerNorm@44", "self@139 output@140", "dense@48", "dense@49 LayerNorm@44",
    "attention@141 intermediate@142 output@143", "#{num_hidden_layers}@144", "layer@145", "embeddings@138 encoder@146",
    "weight[vocab_size,hidden_size]? bias[vocab_size]?", "bias[vocab_size] transform@140 decoder@148",
    "predictions@149", "seq_relationship@22", "predictions@149 seq_relationship@22",
    "word_embeddings@0 position_embeddings@136 LayerNorm@44", "dense@46", "query@60 key@60 value@60",
    "self@155 output@140", "attention@156 intermediate@142 output@143", "#{num_hidden_layers}@157", "layer@158",
    "dense@46 out_proj@22", "weight[max_position_embeddings,d_model]", "weight[d_model,d_model] bias[d_model]?",
    "k_proj@162 v_proj@162 q_proj@162 out_proj@162",
    "self_attn@163 self_attn_layer_norm@119 encoder_attn@163 encoder_attn_layer_norm@119 fc1@120 fc2@121 "
    "final_layer_norm@119", "#{decoder_layers}@164",
    "weight[(encoder_attention_heads*(d_model/encoder_attention_heads)),d_model] "
    "bias[(encoder_attention_heads*(d_model/encoder_attention_heads))]?", "weight[vocab_size,hidden_size]?",
    "weight[(max_position_embeddings+2),hidden_size]", "k_proj@46 v_proj@46 q_proj@46 out_proj@46",
    "weight[vision_config.hidden_size,?,vision_config.patch_size,vision_config.patch_size] "
    "bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,(((vision_config.image_size/vision_confi"
    "g.patch_size)*(vision_config.image_size/vision_config.patch_size))+1),vision_config.hidden_size] "
    "patch_embedding@170", "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[?]",
    "qkv@172 projection@72",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size] bias[vision_config.hidden_size]",
    "fc1@174 fc2@175", "self_attn@173 layer_norm1@74 mlp@176 layer_norm2@74", "#{vision_config.num_hidden_layers}@177",
    "layers@178", "embeddings@171 encoder@179 post_layernorm@74",
    "weight[qformer_config.vocab_size,qformer_config.hidden_size]",
    "weight[qformer_config.max_position_embeddings,qformer_config.hidden_size]",
    "weight[image_text_hidden_size,qformer_config.hidden_size] bias[image_text_hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]? "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),encoder_hidden_size]? "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "weight[hidden_size,hidden_size]? bias[hidden_size]?", "weight[hidden_size]? bias[hidden_size]?",
    "dense@186 LayerNorm@187", "weight[intermediate_size,hidden_size]? bias[intermediate_size]?", "dense@189",
    "weight[hidden_size,intermediate_size]? bias[hidden_size]?", "dense@191 LayerNorm@187",
    "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[(3*vision_config.hidden_size)]",
    "qkv@193 projection@72", "self_attn@194 layer_norm1@74 mlp@176 layer_norm2@74",
    "#{vision_config.num_hidden_layers}@195", "layers@196", "embeddings@171 encoder@197 post_layernorm@74",
    "weight[text_config.max_position_embeddings,text_config.hidden_size]",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]",
    "word_embeddings@80 position_embeddings@199 LayerNorm@200",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@202 key@202 value@202", "dense@86 LayerNorm@200", "self@203 output@204",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.encoder_hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@202 key@206 value@206", "self@207 output@204",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]", "dense@209",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]",
    "dense@211 LayerNorm@200", "attention@205 crossattention@208 intermediate@210 output@212",
    "#{text_config.num_hidden_layers}@213", "layer@214", "embeddings@201 encoder@215", "dense@86",
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
    "class_embedding[vision_config.hidden_size] patch_embedding@238 position_embedding@239",
    "weight[vision_config.hidden_size]? bias[vision_config.hidden_size]?",
    "attention@205 crossattention@205 intermediate@210 output@212", "#{num_hidden_layers}@242", "LayerNorm@187",
    "#{(num_hidden_layers-1)}@244 LayerNorm@187", "fc1@48 fc2@49",
    "self_attn@169 layer_norm1@44 mlp@246 layer_norm2@44", "#{num_hidden_layers}@247", "layers@248",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size]", "weight[vocab_size,n_embd]",
    "weight[n_embd,n_embd] bias[n_embd]", "weight[n_embd] bias[n_embd]",
    "bias[vocab_size] dense@46 layer_norm@44 decoder@148",
    "word_embeddings@0 token_type_embeddings@137 LayerNorm@44 position_embeddings@136", "embeddings@255 encoder@146",
    "weight[(decoder_config.num_attention_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_attention_heads*decoder_config.head_dim)]",
    "weight[(decoder_config.num_key_value_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_key_value_heads*decoder_config.head_dim)]",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*decoder_config.head_dim)] "
    "bias[decoder_config.hidden_size]", "q_proj@257 k_proj@258 v_proj@258 o_proj@259",
    "weight[decoder_config.hidden_size] bias[decoder_config.hidden_size]", "weight[vocab_size,n_embd] bias[vocab_size]",
    "weight[(4*n_embd),n_embd] bias[(4*n_embd)]", "weight[n_embd,(4*n_embd)] bias[n_embd]", "fc_in@263 fc_out@264",
    "gate_proj@65 up_proj@65 down_proj@66", "weight[num_experts,hidden_size]",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]~ "
    "down_proj[num_experts,hidden_size,intermediate_size]~", "gate@267 experts@268",
    "weight[vocab_size,hidden_size] bias[vocab_size]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/encoder_config.sub"
    "sampling_conv_channels),encoder_config.subsampling_conv_kernel_size,encoder_config.subsampling_conv_kernel_s"
    "ize] bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/1),1,1] "
    "bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.intermediate_size,encoder_config.hidden_size] bias[encoder_config.intermediate_size]?",
    "weight[encoder_config.hidden_size,encoder_config.intermediate_size] bias[encoder_config.hidden_size]?",
    "linear1@273 linear2@274",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size] "
    "bias[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?",
    "weight[encoder_config.hidden_size] bias[encoder_config.hidden_size]",
    "query_net@28 key_net@29 value_net@29 out_projection@30",
    "weight[embedding_dim,vlm_config.text_config.hidden_size] bias[embedding_dim]", "LayerNorm@41 dense@56",
    "weight[vocab_size,embedding_size]? bias[vocab_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size] "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size] bias[vision_config.hidden_size]", "proj@284",
    "weight[vision_config.num_position_embeddings,vision_config.hidden_size]",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]",
    "qkv@287 proj@72", "linear_fc1@174 linear_fc2@175", "norm1@74 norm2@74 attn@288 mlp@289",
    "#{vision_config.depth}@290",
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
    "weight[text_config.head_dim]", "to_q@295 to_k@296 to_v@296 to_out@297 norm_q@298 norm_k@298",
    "weight[text_config.intermediate_size,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.intermediate_size]", "gate_proj@300 up_proj@300 down_proj@301",
    "weight[text_config.hidden_size]", "self_attn@299 mlp@302 input_layernorm@303 post_attention_layernorm@303",
    "#{text_config.num_hidden_layers}@304", "weight[(num_attention_heads*dim_head),hidden_size]",
    "weight[dim_ff,hidden_size]", "weight[(num_key_value_heads*head_dim),hidden_size]",
    "weight[hidden_size,(num_attention_heads*head_dim)]", "q_proj@31 k_proj@308 v_proj@308 o_proj@309",
    "weight[pooler_hidden_size,pooler_hidden_size] bias[pooler_hidden_size]", "dense@311",
    "weight[max_position_embeddings,hidden_size]?", "word_embeddings@0 position_embeddings@313 LayerNorm@44",
    "weight[(max_position_embeddings*2),hidden_size]?", "weight[n_routed_experts,hidden_size]?",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]? " "bias[(moe_intermediate_size*n_shared_experts)]?",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27",
    "self_attn@318 mlp@14 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@319 #{}@19",
    "self_attn@6 mlp@14 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@321 #{}@19", "weight[q_lora_rank,hidden_size]",
    "weight[(num_attention_heads*head_dim),q_lora_rank]", "weight[head_dim,hidden_size]",
    "weight[(o_groups*o_lora_rank),((num_attention_heads*head_dim)/o_groups)]",
    "weight[hidden_size,(o_groups*o_lora_rank)]",
    "ape[?,?] wkv(weight[?,hidden_size]) wgate(weight[?,hidden_size]) norm(weight[head_dim])",
    "weight[(2*index_head_dim),hidden_size]?", "weight[index_head_dim]?",
    "ape[?,(2*index_head_dim)]? wkv@329 wgate@329 norm@330", "weight[(index_n_heads*index_head_dim),q_lora_rank]?",
    "weight[index_n_heads,hidden_size]?", "compressor@331 wq_b@332 weights_proj@333",
    "attn_sink[num_attention_heads] wq_a@323 q_norm(weight[q_lora_rank]) wq_b@324 wkv@325 norm(weight[head_dim]) "
    "wo_a@326 wo_b@327 compressor@328 indexer@334",
    "weight[n_routed_experts,hidden_size] tid2eid[vocab_size,num_experts_per_tok]? bias[n_routed_experts]?",
    "weight[moe_intermediate_size,hidden_size] bias[moe_intermediate_size]?",
    "weight[hidden_size,moe_intermediate_size] bias[hidden_size]?", "w1@337 w3@337 w2@338",
    "gate@336 shared_experts@339", "experts@9",
    "attn@335 ffn@340 mlp@341 attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
    "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
    " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]",
    "w1(weight[*]~) w3(weight[*]~) w2(weight[*]~)", "#{}@343", "experts@344", "ffn@345",
    "#{num_hidden_layers}@342 #{}@346",
    "weight[high_res_vision_config.output_channels] bias[high_res_vision_config.output_channels]",
    "weight[text_config.hidden_size,vision_config.hidden_size] bias[text_config.hidden_size]",
    "weight[dim,dim] bias[dim]", "weight[?,hidden_size]?", "weight[?,hidden_size] bias[?]?",
    "weight[hidden_size,?] bias[hidden_size]?", "weight[hidden_size_per_layer_input,hidden_size]",
    "weight[hidden_size,hidden_size_per_layer_input]",
    "weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]", "weight[hidden_size_per_layer_input]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]",
    "q_proj@358 k_proj@359 v_proj@359 o_proj@360", "q_proj@60 k_proj@61 v_proj@61 o_proj@62",
    "weight[(moe_intermediate_size*moe_num_shared_experts),hidden_size]? "
    "bias[(moe_intermediate_size*moe_num_shared_experts)]?", "weight[task_type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@136 token_type_embeddings@137 LayerNorm@44 task_type_embeddings@364",
    "embeddings@365 encoder@146", "word_embeddings@0", "gamma[hidden_size] beta[hidden_size]",
    "self@139 output@154 LayerNorm@368", "dense@49", "attention@369 intermediate@142 output@370 LayerNorm@368",
    "rotary_embeddings(inv_freq[?])", "self@372", "attention@373", "#{num_hidden_layers}@371 *@374",
    "layer@375 emb_layer_norm_after@44", "weight[1,(num_hidden_layers*num_attention_heads)] bias[1]", "regression@377",
    "embeddings@367 encoder@376 contact_head@378",
    "weight[(protein_encoder_config.num_attention_heads*(protein_encoder_config.hidden_size/protein_encoder_confi"
    "g.num_attention_heads)),protein_encoder_config.hidden_size] bias[(protein_encoder_config.num_attention_heads"
    "*(protein_encoder_config.hidden_size/protein_encoder_config.num_attention_heads))]",
    "weight[protein_encoder_config.hidden_size] bias[protein_encoder_config.hidden_size]",
    "weight[(resampler_dim_head*resampler_heads),protein_encoder_config.hidden_size]",
    "weight[((resampler_dim_head*resampler_heads)*2),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(resampler_dim_head*resampler_heads)]",
    "norm_media@381 norm_latents@381 to_q@382 to_kv@383 to_out@384",
    "weight[(protein_encoder_config.hidden_size*resampler_ff_mult),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(protein_encoder_config.hidden_size*resampler_ff_mult)]",
    "norm@381 fc1@386 fc2@387", "0@385 1@388", "q_proj@358 k_proj@359 v_proj@359 o_proj@360 q_norm@63 k_norm@63",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size]", "proj@391",
    "gate_proj@48 up_proj@48 down_proj@49",
    "weight[(hidden_size*(spatial_merge_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_"
    "size))] bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))] bias[out_hidden_size]",
    "0@394 2@395", "ln_q(weight[hidden_size]) mlp@396",
    "weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?",
    "weight[hidden_size,hidden_size] bias[hidden_size]?", "weight[?,emb_dim] bias[?]", "summary@400",
    "weight[emb_dim] bias[emb_dim]", "weight[emb_dim,emb_dim] bias[emb_dim]", "#{}@402",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads))]",
    "q_proj@60 k_proj@61 v_proj@61 o_proj@62 q_norm@405 k_norm@406",
    "weight[shared_expert_intermediate_size,hidden_size]?", "weight[hidden_size,shared_expert_intermediate_size]?",
    "gate_proj@408 up_proj@408 down_proj@409", "word_embeddings@115 layer_norm@119", "weight[(n_head*d_head),d_model]",
    "weight[(n_head*d_head),d_model] bias[(n_head*d_head)]", "weight[d_model,(n_head*d_head)] bias[d_model]",
    "r_w_bias[n_head,d_head] r_r_bias[n_head,d_head] r_kernel[d_model,n_head,d_head] r_s_bias[n_head,d_head] "
    "seg_embed[?,n_head,d_head] q_head@412 k_head@413 v_head@413 post_proj@414 layer_norm@119",
    "weight[d_inner,d_model] bias[d_inner]", "weight[d_model,d_inner] bias[d_model]",
    "linear_1@416 linear_2@417 layer_norm@119", "attention@415 ffn@418", "#{}@419", "#{}@420", "blocks@421",
    "weight[vocab_size,d_model]? bias[vocab_size]", "weight[1,d_model] bias[1]",
    "weight[text_config.hidden_size,((patch_size*patch_size)*num_channels)] bias[text_config.hidden_size]",
    "weight[?,n_embd] bias[?]", "weight[vocab_size,n_embd]?", "weight[n_positions,n_embd]",
    "weight[n_embd,(3*n_embd)] bias[(3*n_embd)]", "c_attn@429 c_proj@252", "weight[n_embd,(4*n_embd)] bias[(4*n_embd)]",
    "weight[(4*n_embd),n_embd] bias[n_embd]", "c_fc@431 c_proj@432", "weight[n_embd,(2*n_embd)]? bias[(2*n_embd)]?",
    "weight[n_embd,n_embd]? bias[n_embd]?", "c_attn@434 q_attn@435 c_proj@435", "dense_h_to_4h@48 dense_4h_to_h@49",
    "weight[vision_config.hidden_size]",
    "mm_input_projection_weight[vision_config.hidden_size,text_config.hidden_size] mm_soft_emb_norm@438",
    "weight[?,text_config.hidden_size]", "model=text_config:Gemma3TextModel",
    "q_proj@28 k_proj@29 v_proj@29 o_proj@30 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "weight[(num_key_value_heads*head_dim),hidden_size]? bias[(num_key_value_heads*head_dim)]?",
    "weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]", "0@84 1@84 2@84",
    "weight[?,hidden_size]? bias[?]?",
    "q_proj@352 q_norm(weight[?]) k_norm(weight[?]) k_proj@352 v_proj@446 o_proj@353",
    "weight[(intermediate_size*1),hidden_size]", "weight[hidden_size,(intermediate_size*1)]",
    "gate_proj@448 up_proj@448 down_proj@449", "k_proj@72 v_proj@72 q_proj@72 out_proj@72",
    "self_attn@451 layer_norm1@74 mlp@176 layer_norm2@74", "#{vision_config.num_hidden_layers}@452", "layers@453",
    "embeddings@240 pre_layrnorm@74 encoder@454 post_layernorm@74",
    "weight[hidden_size,vision_config.hidden_size] bias[hidden_size]", "q_proj@28 k_proj@29 v_proj@29 o_proj@309",
    "weight[(2*intermediate_size),hidden_size]", "gate_up_proj@458 down_proj@66",
    "weight[(hidden_size/num_attention_heads)]?",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))]", "q_proj@202 k_proj@461 v_proj@461 o_proj@462",
    "weight[text_config.intermediate_size,text_config.hidden_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size]?",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]~",
    "weight[text_config.n_routed_experts,text_config.hidden_size]? "
    "e_score_correction_bias[text_config.n_routed_experts]?",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?",
    "weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?",
    "gate_proj@468 up_proj@468 down_proj@469", "q_proj@60 k_proj@61 v_proj@61 o_proj@360",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]? "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?",
    "weight[((image_size/patch_size)*(image_size/patch_size)),hidden_size]", "position_embedding@473",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size] bias[hidden_size]", "proj@475",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?", "qkv@477 proj@84",
    "weight[out_hidden_size,hidden_size]", "weight[hidden_size,out_hidden_size]",
    "gate_proj@479 up_proj@479 down_proj@480", "norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@478 mlp@481",
    "#{depth}@482", "weight[out_hidden_size,out_hidden_size]", "weight[out_hidden_size] bias[out_hidden_size]",
    "weight[intermediate_size,out_hidden_size]", "weight[out_hidden_size,intermediate_size]",
    "proj@484 post_projection_norm@485 gate_proj@486 up_proj@486 down_proj@487",
    "weight[out_hidden_size,(hidden_size/1),spatial_merge_size,spatial_merge_size] bias[out_hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]", "q_proj@45 k_proj@490 v_proj@490 o_proj@360",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]",
    "weight[(text_config.hidden_size*2),audio_config.intermediate_size] bias[(text_config.hidden_size*2)]",
    "weight[text_config.hidden_size,(text_config.hidden_size*2)] bias[text_config.hidden_size]",
    "linear_1@493 linear_2@494", "model=text_config:Ernie4_5Model", "weight[(hidden_size/num_heads)]",
    "weight[(out_hidden_size*in_channels),out_hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size] bias[vision_config.hidden_size]", "projection@499",
    "rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)] "
    "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)] qkv@287 proj@72",
    "weight[vision_config.mlp_dim,vision_config.hidden_size] bias[vision_config.mlp_dim]",
    "weight[vision_config.hidden_size,vision_config.mlp_dim] bias[vision_config.hidden_size]", "lin1@502 lin2@503",
    "layer_norm1@74 attn@501 layer_norm2@74 mlp@504", "#{}@505",
    "weight[vision_config.output_channels,(vision_config.hidden_size/1),1,1]",
    "weight[vision_config.output_channels] bias[vision_config.output_channels]",
    "weight[vision_config.output_channels,(vision_config.output_channels/1),?,?]",
    "conv1@507 layer_norm1@508 conv2@509 layer_norm2@508",
    "pos_embed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patc"
    "h_size),vision_config.hidden_size] patch_embed@500 layers@506 neck@510",
    "weight[(vision_config.output_channels*2),(vision_config.output_channels/1),?,?]",
    "weight[text_config.hidden_size,((vision_config.output_channels*2)/1),?,?]",
    "conv_upsampler1@512 conv_upsampler2@513 multimodal_projector@86", "lm_head@94 model=text_config:Qwen2Model",
    "weight[num_local_experts,hidden_size]", "layer@516", "weight[num_local_experts,(2*intermediate_size),hidden_size]",
    "weight[num_local_experts,hidden_size,intermediate_size]", "router@517 input_linear@518 output_linear@519",
    "weight[hidden_size,shared_intermediate_size]",
    "sinks[num_attention_heads] q_proj@60 k_proj@61 v_proj@61 o_proj@62",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size] "
    "down_proj[num_local_experts,hidden_size,intermediate_size]",
    "weight[encoder_config.hidden_dim,encoder_config.input_dim] bias[encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim] bias[encoder_config.hidden_dim]",
    "weight[(encoder_config.hidden_dim*encoder_config.feedforward_mult),encoder_config.hidden_dim] "
    "bias[(encoder_config.hidden_dim*encoder_config.feedforward_mult)]",
    "weight[encoder_config.hidden_dim,(encoder_config.hidden_dim*encoder_config.feedforward_mult)] "
    "bias[encoder_config.hidden_dim]", "pre_norm@525 up_proj@526 down_proj@527",
    "weight[(encoder_config.dim_head*encoder_config.num_heads),encoder_config.hidden_dim]",
    "weight[((encoder_config.dim_head*encoder_config.num_heads)*2),encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim,(encoder_config.dim_head*encoder_config.num_heads)] "
    "bias[encoder_config.hidden_dim]", "weight[((2*encoder_config.max_pos_emb)+1),encoder_config.dim_head]",
    "pre_norm@525 to_q@529 to_kv@530 to_out@531 rel_pos_emb@532",
    "weight[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2),(encoder_config.hidden_dim/1),1]"
    " bias[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2)]",
    "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor),((encoder_config.hidden_dim*encoder_"
    "config.conv_expansion_factor)/(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)),encoder_conf"
    "ig.conv_kernel_size]", "conv@535", "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "bias[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_mean[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_var[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] num_batches_tracked[]",
    "weight[encoder_config.hidden_dim,((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)/1),1] "
    "bias[encoder_config.hidden_dim]", "norm@525 up_conv@534 depth_conv@536 batch_norm@537 down_conv@538",
    "ff1@528 attn@533 conv@539 ff2@528 post_norm@525", "#{encoder_config.num_layers}@540",
    "weight[encoder_config.output_dim,encoder_config.hidden_dim] bias[encoder_config.output_dim]",
    "weight[encoder_config.hidden_dim,encoder_config.output_dim] bias[encoder_config.hidden_dim]",
    "input_linear@524 layers@541 out@542 out_mid@543",
    "weight[text_config.hidden_size,projector_config.hidden_size] bias[text_config.hidden_size]",
    "query[1,(window_size/downsample_rate),projector_config.hidden_size] linear@545 "
    "qformer=projector_config:Blip2QFormerModel", "weight[vocab_size,hidden_size]? bias[vocab_size]",
    "word_embeddings@0 token_type_embeddings@137 LayerNorm@44", "down_proj@49", "o_proj@492",
    "attn_ln@44 mlp@549 attention@550 mlp_ln@44", "up_gate_proj(weight[*]~)", "qkv_proj(weight[*]~ bias[*]~)",
    "mlp@552 attention@553", "#{num_hidden_layers}@551 #{}@554", "layer@555", "weight[intermediate_size,hidden_size]~",
    "gate_proj@557 up_proj@557", "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]~ "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]~", "q_proj@559 k_proj@559 v_proj@559",
    "mlp@558 self_attn@560", "#{num_hidden_layers}@561",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]? "
    "bias[(moe_intermediate_size*num_shared_experts)]?", "weight[index_head_dim,hidden_size]?",
    "weight[index_head_dim]? bias[index_head_dim]?", "wq_b@332 wk@564 k_norm@565 weights_proj@333",
    "weight[(num_attention_heads*v_head_dim),hidden_size]",
    "learnable_sink_param[?] q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@566 linear_gate@567",
    "linear_gate@11 up_proj@11 down_proj@12",
    "linear_gate@7 up_proj@7 down_proj@8 experts@472 gate@10 shared_experts@569",
    "hc_fn[(2*hc_mult),(hc_mult*hidden_size)] hc_base[(2*hc_mult)] hc_scale[?]", "hc_attn_layer@571 hc_mlp_layer@571",
    "self_attn@568 mlp@570 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "hc_pre@572", "#{num_hidden_layers}@573",
    "hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
    "weight[(num_codebooks*codebook_size),hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]~ bias[(num_attention_heads*head_dim)]?",
    "q_proj@577 k_proj@577 v_proj@577 gate_proj@577", "o_proj@30",
    "weight[intermediate_size,hidden_size]~ bias[intermediate_size]?", "gate_proj@580 up_proj@580 down_proj@69",
    "self_attn@578 attn@579 mlp@581", "gate_up_proj(weight[*]~)", "attn(gqkv_proj(weight[*]~)) mlp@583",
    "#{num_layers_per_stack}@582 #{}@584", "layers@585",
    "q_proj@28 k_proj@29 v_proj@29 o_proj@30 query_layernorm(weight[head_dim]) key_layernorm(weight[head_dim])",
    "weight[text_config.hidden_size,vision_config.out_hidden_size] bias[text_config.hidden_size]",
    "weight[vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[type_vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[max_position_embeddings,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "x_min[1] x_max[1] act_scaling_factor[1]", "weight[hidden_size] bias[hidden_size] shift[1] activation@592",
    "word_embeddings@589 token_type_embeddings@590 position_embeddings@591 LayerNorm@593 embeddings_act1@592 "
    "embeddings_act2@592 output_activation@592",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))] weight_integer[?,?] "
    "fc_scaling_factor[(num_attention_heads*(hidden_size/num_attention_heads))] bias_integer[?]", "act@592",
    "query@595 key@595 value@595 query_activation@592 key_activation@592 value_activation@592 "
    "output_activation@592 softmax@596",
    "weight[hidden_size,hidden_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@598 LayerNorm@593 ln_input_act@592 output_activation@592", "self@597 output@599",
    "weight[intermediate_size,hidden_size] bias[intermediate_size] weight_integer[?,?] "
    "fc_scaling_factor[intermediate_size] bias_integer[?]", "dense@601 output_activation@592",
    "weight[hidden_size,intermediate_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@603 LayerNorm@593 ln_input_act@592 output_activation@592",
    "attention@600 intermediate@602 output@604 pre_intermediate_act@592 pre_output_act@592", "#{num_hidden_layers}@605",
    "layer@606", "embeddings@594 encoder@607",
    "weight[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_si"
    "ze)),vision_config.hidden_size]", "patch_embedding@499 position_embedding@609",
    "weight[text_config.intermediate_size,vision_config.hidden_size]", "weight[perceiver_config.hidden_size]",
    "weight[(perceiver_config.num_key_value_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_si"
    "ze]", "weight[(perceiver_config.hidden_size*4),perceiver_config.hidden_size]",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size] bias[hidden_size]",
    "patch_embedding@615 position_embedding@473", "weight[vision_config.embed_dim] bias[vision_config.embed_dim]",
    "weight[vision_config.embed_dim,vision_config.embed_dim] bias[vision_config.embed_dim]",
    "gate_proj@65 down_proj@66 up_proj@65",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),vision_config.embed_dim]",
    "weight[vision_config.embed_dim]? bias[vision_config.embed_dim]?",
    "weight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),vision_config.embed_dim]?",
    "weight[(swa_num_key_value_heads*swa_head_dim),((swa_num_key_value_heads*swa_head_dim)/(swa_num_key_value_hea"
    "ds*swa_head_dim)),conv_kernel_size]? static_w[conv_kernel_size,(num_key_value_heads*head_dim)]? "
    "weight_proj[(num_key_value_heads*conv_kernel_size),hidden_size]?", "weight[?,?,conv_kernel_size]", "conv1d@624",
    "conv1d@283", "weight[qformer_config.hidden_size] bias[qformer_config.hidden_size]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.hidden_size] "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.encoder_hidden_size]? "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?",
    "weight[qformer_config.intermediate_size,qformer_config.hidden_size] bias[qformer_config.intermediate_size]",
    "dense@630", "weight[qformer_config.hidden_size,qformer_config.intermediate_size] bias[qformer_config.hidden_size]",
    "dense@632 LayerNorm@627", "weight[(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]",
    "layer_norm@634 linear_1@635 linear_2@86", "weight[mamba_d_state]?",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?",
    "q_proj@638 k_proj@639 v_proj@639 o_proj@640",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]",
    "weight[?,vision_config.hidden_size] bias[?]",
    "weight[vision_config.hidden_size,?] bias[vision_config.hidden_size]",
    "weight[vision_config.projection_dim,vision_config.hidden_size] bias[vision_config.projection_dim]",
    "weight[?,?,?,?] bias[?]", "norm1(weight[?] bias[?]) conv1@646 norm2(weight[?] bias[?]) conv2@646", "conv@646",
    "0@647 1@647", "block@649 downsample@648", "weight[?,?,1,1] bias[?]",
    "norm1(weight[?] bias[?]) conv1@646 norm2(weight[?] bias[?]) conv2@646 nin_shortcut@651", "0@652 1@647",
    "norm(weight[?] bias[?]) q@651 k@651 v@651 proj_out@651", "block_1@647 attn_1@654 block_2@647",
    "weight[vq_config.num_embeddings,vq_config.embed_dim]", "0@647 1@647 2@647", "0@652 1@647 2@647",
    "block@658 upsample@648", "word_embeddings@0 token_type_embeddings@137", "out_proj@492",
    "norm1@44 mlp@246 mixer@661 norm2@44", "Wqkv(weight[*]~ bias[*]~)", "mixer@663", "#{num_hidden_layers}@662 #{}@664",
    "layers@665", "self_attn@560", "#{num_hidden_layers}@667", "embeddings@660 emb_ln@44 encoder@666 layers@668",
    "weight[linear_head_dim,hidden_size]?", "weight[(linear_head_dim*linear_num_heads),linear_head_dim]?",
    "wqkv(weight[*]~ bias[*]~)",
    "weight[vision_config.hidden_size,vision_config.hidden_size]~ bias[vision_config.hidden_size]~",
    "q_proj@673 k_proj@673 v_proj@673", "attn@674", "#{vision_config.num_hidden_layers}@675", "experts@466", "mlp@677",
    "#{text_config.num_hidden_layers}@678", "layers@679", "weight[projection_hidden_size] bias[projection_hidden_size]",
    "weight[text_config.q_lora_rank,text_config.hidden_size]", "weight[text_config.q_lora_rank]",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.q_lora_rank]", "weight[(text_config.kv_lora_rank+text_config.qk_rope_head_dim),text_config.hidden_size]",
    "weight[text_config.kv_lora_rank]",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.v_head_dim)),text_config.k"
    "v_lora_rank]", "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)]",
    "q_a_proj@682 q_a_layernorm@683 q_b_proj@684 kv_a_proj_with_mqa@685 kv_a_layernorm@686 kv_b_proj@687 " "o_proj@688",
    "gate_proj@464 up_proj@464 down_proj@465 gate@467 shared_experts@470",
    "self_attn@689 mlp@690 input_layernorm@303 post_attention_layernorm@303",
    "#{text_config.num_hidden_layers}@691 #{}@19", "weight[text_config.hidden_size,?] bias[text_config.hidden_size]",
    "proj@72", "q_proj@31 k_proj@308 v_proj@308 o_proj@309 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]~ "
    "down_proj[num_local_experts,hidden_size,moe_intermediate_size]~",
    "weight[shared_expert_intermediate_size,hidden_size]", "weight[hidden_size,shared_expert_intermediate_size]",
    "gate_proj@697 up_proj@697 down_proj@698", "weight[text_config.vocab_size,text_config.embed_dim]",
    "weight[text_config.embed_dim,text_config.embed_dim] bias[text_config.embed_dim]",
    "weight[text_config.embed_dim] bias[text_config.embed_dim]",
    "k_proj@701 v_proj@701 q_proj@701 out_proj@701 inner_attn_ln@702",
    "weight[text_config.ffn_dim,text_config.embed_dim] bias[text_config.ffn_dim]",
    "weight[text_config.embed_dim,text_config.ffn_dim] bias[text_config.embed_dim]",
    "weight[text_config.ffn_dim] bias[text_config.ffn_dim]", "fc1@704 fc2@705 ffn_layernorm@706",
    "weight[text_config.embed_dim,text_config.embed_dim]? bias[text_config.embed_dim]?",
    "k_proj@708 v_proj@708 q_proj@708 out_proj@708", "weight[text_config.embed_dim]? bias[text_config.embed_dim]?",
    "self_attn@703 self_attn_layer_norm@702 ffn@707 final_layer_norm@702 encoder_attn@709 "
    "encoder_attn_layer_norm@710", "#{text_config.layers}@711", "embed_tokens@700 layers@712 layer_norm@702",
    "weight[text_config.vocab_size,text_config.embed_dim]?", "model@455",
    "weight[text_config.embed_dim,vision_config.hidden_size] bias[text_config.embed_dim]",
    "k_proj@701 v_proj@701 q_proj@701 out_proj@701",
    "latent_query[latent_query_num,text_config.embed_dim] dense@716 x_attn@717", "weight[?,text_config.embed_dim]",
    "self_attn@717 self_attn_layer_norm@702 ffn@707 final_layer_norm@702", "#{text_config.layers}@720",
    "embed_tokens@700 segment_emb@719 layers@721 layer_norm@702",
    "weight[vision_config.hidden_size,vision_config.patch_embed_hidden_size] bias[vision_config.hidden_size]",
    "weight[vision_config.max_num_patches,vision_config.hidden_size]",
    "patch_projection@723 row_embedder@724 column_embedder@724",
    "weight[(vision_config.num_attention_heads*vision_config.head_dim),vision_config.hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.head_dim)]",
    "query@726 key@726 value@726 output@727", "weight[vision_config.intermediate_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size]", "wi_0@729 wi_1@729 wo@730",
    "attention@728 mlp@731 pre_mlp_layer_norm@438 pre_attention_layer_norm@438",
    "#{vision_config.num_hidden_layers}@732", "layer@733", "embeddings@725 encoder@734 layernorm@438",
    "weight[max_2d_position_embeddings,hidden_size]", "weight[max_2d_position_embeddings,coordinate_size]?",
    "weight[max_2d_position_embeddings,shape_size]?", "weight[num_attention_heads,rel_2d_pos_bins]?",
    "q_proj@638 k_proj@639 v_proj@639 out_proj@640 q_layernorm@460 k_layernorm@460",
    "weight[(3*hidden_size),hidden_size]?", "weight[hidden_size,hidden_size]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]? bias[hidden_size]?",
    "weight[(3*hidden_size),hidden_size]? bias[(3*hidden_size)]?", "conv@743 in_proj@744 out_proj@186",
    "w1@65 w3@65 w2@66", "weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]?", "weight[(num_key_value_heads*head_dim),hidden_size]?",
    "weight[hidden_size,(num_attention_heads*head_dim)]?",
    "weight[vision_config.hidden_size,(vision_config.hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "merging_layer@751", "weight[max_2d_position_embeddings,(hidden_size/6)]",
    "weight[max_position_embeddings,(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio),hidden_size] bias[(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio)] bias[(hidden_size/channel_shrink_ratio)]",
    "x_position_embeddings@753 y_position_embeddings@753 h_position_embeddings@753 w_position_embeddings@753 "
    "box_position_embeddings@754 box_linear_embeddings@755 LayerNorm@756",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio),(hidden_size/channel_s"
    "hrink_ratio)] bias[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio)]",
    "query@45 key@45 value@45 layout_query@758 layout_key@758 layout_value@758",
    "weight[(hidden_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@760 LayerNorm@756", "self@759 output@140 layout_output@761",
    "weight[(intermediate_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(intermediate_size/channel_shrink_ratio)]", "dense@763",
    "weight[(hidden_size/channel_shrink_ratio),(intermediate_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@765 LayerNorm@756",
    "attention@762 intermediate@142 output@143 layout_intermediate@764 layout_output@766", "#{num_hidden_layers}@767",
    "layer@768", "embeddings@138 layout_embeddings@757 encoder@769",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)] bias[text_config.hidden_size]",
    "linear_1@771 linear_2@86", "lm_head@80 model=text_config:Ernie4_5Model", "weight[(num_heads*d_kv),d_model]",
    "weight[d_model,(num_heads*d_kv)]", "weight[relative_attention_num_buckets,num_heads]?",
    "q@774 k@774 v@774 o@775 relative_attention_bias@776", "LocalSelfAttention@777 layer_norm(weight[d_model])",
    "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?)",
    "DenseReluDense@779 layer_norm(weight[d_model])", "0@778 1@780", "layer@781", "#{num_layers}@782",
    "embed_tokens@126 block@783 final_layer_norm(weight[d_model])", "SelfAttention@777 layer_norm(weight[d_model])",
    "q@774 k@774 v@774 o@775", "EncDecAttention@786 layer_norm(weight[d_model])", "0@785 1@787 2@780", "layer@788",
    "#{num_decoder_layers}@789", "embed_tokens@126 block@790 final_layer_norm(weight[d_model])",
    "weight[(num_attention_heads*qk_head_dim),q_lora_rank]",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@792 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5", "weight[ffn_hidden_size,hidden_size]",
    "weight[hidden_size,ffn_hidden_size]", "gate_proj@794 up_proj@794 down_proj@795",
    "0(weight[hidden_size]) 1(weight[hidden_size])",
    "query@46 key@46 value@46 query_global@46 key_global@46 value_global@46", "self@798 output@140",
    "attention@799 intermediate@142 output@143", "#{num_hidden_layers}@800", "layer@801", "embeddings@255 encoder@802",
    "weight[entity_vocab_size,entity_emb_size]", "weight[hidden_size,entity_emb_size]",
    "entity_embeddings@804 entity_embedding_dense@805 position_embeddings@136 token_type_embeddings@137 "
    "LayerNorm@44", "query@45 key@45 value@45 w2e_query@184 e2w_query@184 e2e_query@184", "self@807 output@140",
    "attention@808 intermediate@142 output@143", "#{num_hidden_layers}@809", "layer@810",
    "embeddings@138 entity_embeddings@806 encoder@811", "weight[(hidden_size*2),hidden_size] bias[(hidden_size*2)]",
    "weight[(hidden_size*2)] bias[(hidden_size*2)]", "weight[num_qa_labels,(hidden_size*2)] bias[num_qa_labels]",
    "0@813 2@814 3@815", "logit_fc@816", "q@45 k@45 v@45 o@46", "attn@818 LayerNorm@44",
    "attention@819 intermediate@142 output@143", "#{num_hidden_layers}@820",
    "weight[relative_attention_num_buckets,num_attention_heads]", "layer@821 relative_attention_bias@822",
    "embeddings@153 encoder@823", "weight[(num_heads*d_kv),d_model]?", "weight[d_model,(num_heads*d_kv)]?",
    "q@825 k@825 v@825 o@826 relative_attention_bias@776", "q@825 k@825 v@825 o@826",
    "wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi(weight[d_ff,d_model]?)",
    "DenseReluDense@829 layer_norm(weight[d_model])", "0@785 1@830", "layer@831", "#{num_layers}@832",
    "embed_tokens@126 block@833 final_layer_norm(weight[d_model])", "0@785 1@787 2@830", "layer@835",
    "#{num_decoder_layers}@836", "embed_tokens@126 block@837 final_layer_norm(weight[d_model])",
    "weight[max_position_embeddings,d_model]?",
    "weight[hidden_size,(xpath_unit_hidden_size*max_depth)] bias[hidden_size]",
    "weight[(4*hidden_size),(xpath_unit_hidden_size*max_depth)] bias[(4*hidden_size)]",
    "weight[max_xpath_tag_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@842",
    "weight[max_xpath_subs_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@844",
    "xpath_unitseq2_embeddings@840 xpath_unitseq2_inner@841 inner2emb@220 xpath_tag_sub_embeddings@843 "
    "xpath_subs_sub_embeddings@845",
    "word_embeddings@0 position_embeddings@136 xpath_embeddings@846 token_type_embeddings@137 LayerNorm@44",
    "embeddings@847 encoder@146", "word_embeddings@0 position_embeddings@136 token_type_embeddings@137",
    "ln@44 self@139 output@154", "attention@850 ln@44 intermediate@142 output@370", "#{num_hidden_layers}@851",
    "layer@852 ln@44", "embeddings@849 encoder@853", "experts@696 gate@516",
    "weight[(vision_config.hidden_size*4),(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "pre_norm@634 linear_1@856 linear_2@635", "0@857", "mlp@858", "layer_norm1@44 self_attn@169 layer_norm2@44 mlp@246",
    "#{num_hidden_layers}@860", "layers@861", "weight[hidden_size,?] bias[hidden_size]",
    "layer_norm1@74 self_attn@451 layer_norm2@74 mlp@176", "#{vision_config.num_hidden_layers}@864", "layers@865",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]~ "
    "down_proj[num_local_experts,hidden_size,intermediate_size]~", "experts@867", "block_sparse_moe@345",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.temporal_patch_size,vision_con"
    "fig.patch_size,vision_config.patch_size]",
    "weight[projector_hidden_size,vision_config.hidden_size] bias[projector_hidden_size]",
    "weight[projector_hidden_size,merged_hidden_size] bias[projector_hidden_size]",
    "q_proj@295 k_proj@296 v_proj@296 o_proj@297 q_norm@298 k_norm@298",
    "weight[text_config.num_local_experts,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.shared_intermediate_size]", "down_proj@875",
    "gate@874 shared_experts@876 e_score_correction_bias[text_config.num_local_experts]",
    "gate_proj(weight[*]~) up_proj(weight[*]~)", "experts@344 shared_experts@878", "block_sparse_moe@879",
    "gate_up_proj[text_config.num_local_experts,(2*text_config.intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.num_local_experts,text_config.hidden_size,text_config.intermediate_size]~",
    "weight[(2*text_config.shared_intermediate_size),text_config.hidden_size]~", "gate_up_proj@882",
    "experts@881 shared_experts@883",
    "weight[num_local_experts,hidden_size] e_score_correction_bias[num_local_experts]", "gate@516",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)]",
    "norm@438 patch_merger@752 linear_1@887 linear_2@77", "w1@729 w3@729 w2@730", "wk@71 wv@71 wq@71 wo@71",
    "attention_norm@438 feed_forward@889 attention@890 ffn_norm@438", "#{}@891", "layers@892",
    "patch_conv@238 ln_pre@438 transformer@893",
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
    "wq_b@900 wk@901 k_norm@902 weights_proj@903 q_input_norm@200 ssmax_scaling@904",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.hidden_size]", "s[text_config.num_attention_heads] b[text_config.num_attention_heads]",
    "wkv_a_with_mqa@897 kv_a_norm@686 wkv_b@898 wo@899 indexer@905 wq@906 ssmax_scaling@907", "w1@464 w3@464 w2@465",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?", "w1@468 w3@468 w2@469",
    "weight[text_config.hidden_size,vision_config.vision_output_dim] bias[text_config.hidden_size]",
    "weight[?,(max_num_tiles*hidden_size)]", "gate[1] embedding@913",
    "weight[(attention_heads*(hidden_size/attention_heads)),hidden_size]",
    "weight[hidden_size,(attention_heads*(hidden_size/attention_heads))]",
    "q_proj@915 k_proj@915 v_proj@915 o_proj@916", "bias[hidden_size] weight[hidden_size]",
    "word_embeddings@38 position_embeddings@136 token_type_embeddings@137 embedding_transformation@863 "
    "LayerNorm@918", "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),true_hidden_size] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]",
    "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),?] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]", "query@920 key@920 value@921",
    "weight[true_hidden_size,true_hidden_size] bias[true_hidden_size]",
    "bias[true_hidden_size] weight[true_hidden_size]", "dense@923 LayerNorm@924", "self@922 output@925",
    "weight[intermediate_size,true_hidden_size] bias[intermediate_size]", "dense@927",
    "weight[true_hidden_size,intermediate_size] bias[true_hidden_size]",
    "weight[hidden_size,true_hidden_size]? bias[hidden_size]?", "bias[hidden_size]? weight[hidden_size]?",
    "dense@930 LayerNorm@931", "dense@929 LayerNorm@924 bottleneck@932",
    "weight[intra_bottleneck_size,hidden_size]? bias[intra_bottleneck_size]?",
    "bias[intra_bottleneck_size]? weight[intra_bottleneck_size]?", "dense@934 LayerNorm@935", "input@936 attention@936",
    "dense@929 LayerNorm@924", "intermediate@928 output@938", "#{(num_feedforward_networks-1)}@939",
    "attention@926 intermediate@928 output@933 bottleneck@937 ffn@940", "#{num_hidden_layers}@941", "layer@942",
    "embeddings@919 encoder@943", "weight[(hidden_size-embedding_size),vocab_size]",
    "bias[vocab_size] transform@140 dense@945 decoder@57", "dense@84 norm(weight[hidden_size])",
    "weight[hidden_size] bias[hidden_size]?", "tok_embeddings@0 norm@948",
    "weight[((hidden_size/num_attention_heads)*num_attention_heads),hidden_size] "
    "bias[((hidden_size/num_attention_heads)*num_attention_heads)]?", "Wi@398 Wo@69", "dense@77 norm@303",
    "weight[?,text_config.hidden_size] bias[?]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(pixel_shuffle_factor*pixel_shuffle_factor))]",
    "weight[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]?",
    "weight[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads))]?",
    "weight[hidden_size,(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]",
    "q_proj@955 k_proj@956 v_proj@956 o_proj@957", "linear@308", "weight[d_model,d_model]",
    "q_proj@28 k_proj@29 v_proj@29 o_proj@30 gate_proj@31", "weight[moe_hidden_size]", "weight[prompt_length,d_model]?",
    "weight[prompt_mid_dim,d_model]? bias[prompt_mid_dim]?",
    "weight[((decoder_layers*2)*d_model),prompt_mid_dim]? bias[((decoder_layers*2)*d_model)]?", "0@964 2@965",
    "prompt_embedding@963 prompt_trans@966", "weight[encoder_ffn_dim,d_model]? bias[encoder_ffn_dim]?",
    "weight[d_model,encoder_ffn_dim]? bias[d_model]?", "weight[num_experts,d_model]?", "classifier@970",
    "fc1@968 fc2@969", "weight[decoder_ffn_dim,d_model]? bias[decoder_ffn_dim]?",
    "weight[d_model,decoder_ffn_dim]? bias[d_model]?", "fc1@973 fc2@974", "fc12@65 fc11@65 fc2@66", "out_proj@309",
    "norm1@44 mlp@976 attn@977 norm2@44", "attn(Wqkv(weight[*]~))", "#{num_hidden_layers}@978 #{}@979", "layers@980",
    "weight[(num_attention_heads*head_dim),hidden_size]~", "q_proj@982 k_proj@982 v_proj@982", "self_attn@983",
    "#{num_hidden_layers}@984", "word_embeddings@0 position_embeddings@168 token_type_embeddings@137 LayerNorm@44",
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
    "k_proj@997 v_proj@997 q_proj@997 out_proj@997", "weight[text_config.d_model] bias[text_config.d_model]",
    "embeddings@610 encoder@866 post_layernorm@74", "vision_model@1000",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?", "q_proj@1002 k_proj@1003 v_proj@1003 o_proj@1004",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]?",
    "gate_proj@1006 up_proj@1006 down_proj@1007",
    "self_attn@1005 mlp@1008 input_layernorm@303 post_attention_layernorm@303", "#{text_config.num_hidden_layers}@1009",
    "embed_tokens@80 layers@1010 norm@303",
    "weight[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size),((vis"
    "ion_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)] "
    "bias[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)]",
    "weight[text_config.hidden_size,((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.s"
    "patial_merge_size)] bias[text_config.hidden_size]", "pre_norm@74 linear_1@1012 linear_2@1013", "linear@645",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/subsampling_conv_channels),subsampling_conv_kern"
    "el_size,subsampling_conv_kernel_size] bias[subsampling_conv_channels]",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/1),1,1] bias[subsampling_conv_channels]",
    "linear1@68 linear2@69", "weight[hidden_size] bias[hidden_size] running_mean[hidden_size] running_var[hidden_size] "
    "num_batches_tracked[]", "k_proj@960 v_proj@960 q_proj@960 out_proj@960",
    "weight[(hidden_size/num_attention_heads)]? bias[(hidden_size/num_attention_heads)]?",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))+(2*(num_key_value_heads*(hidden_size/num_att"
    "ention_heads)))),hidden_size]", "o_proj@360 qkv_proj@1022",
    "self_attn@1023 mlp@459 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@1024",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/audio_config.nemo_conv_channels),?,?"
    "] bias[audio_config.nemo_conv_channels]",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/1),1,1] "
    "bias[audio_config.nemo_conv_channels]", "weight[audio_config.hidden_size] bias[audio_config.hidden_size]",
    "weight[(audio_config.intermediate_size*2),audio_config.hidden_size] bias[(audio_config.intermediate_size*2)]",
    "weight[audio_config.hidden_size,audio_config.intermediate_size] bias[audio_config.hidden_size]",
    "layer_norm@1028 gate_up_proj@1029 down_proj@1030",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size] "
    "bias[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads))]",
    "weight[hidden_size,(audio_config.hidden_size*audio_config.downsample_rate)] bias[hidden_size]",
    "weight[vision_config.seq_len,vision_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*vision_config.d_kv),vision_config.hidden_size]",
    "weight[vision_config.d_ff,vision_config.hidden_size]", "weight[text_config.d_ff,text_config.hidden_size]",
    "weight[ngram,hidden_size]", "weight[(num_buckets*num_decoder_attention_heads),hidden_size] "
    "bias[(num_buckets*num_decoder_attention_heads)]",
    "key_proj@46 value_proj@46 query_proj@46 out_proj@46 relative_pos_embeddings@1039",
    "key_proj@186 value_proj@186 query_proj@186 out_proj@186",
    "weight[decoder_ffn_dim,hidden_size] bias[decoder_ffn_dim]",
    "weight[hidden_size,decoder_ffn_dim] bias[hidden_size]", "intermediate@1042 output@1043",
    "self_attn@1040 self_attn_layer_norm@44 cross_attn@1041 cross_attn_layer_norm@187 feed_forward@1044 "
    "feed_forward_layer_norm@44", "#{num_decoder_layers}@1045",
    "word_embeddings@167 position_embeddings@136 ngram_embeddings@1038 layers@1046 embeddings_layer_norm@44",
    "weight[encoder_ffn_dim,hidden_size] bias[encoder_ffn_dim]",
    "weight[hidden_size,encoder_ffn_dim] bias[hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),?,?] bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,?,vision_config.hidden_size]? "
    "patch_embedding@1050 mask_token[1,1,vision_config.hidden_size]?", "weight[vision_config.hidden_size]?",
    "q_norm@1052 k_norm@1052", "ls1[?] ls2[?] attn@694 mlp@176 norm1@74 norm2@74 attention@1053",
    "qkv(weight[*]~ bias[*]~)", "attn@1055", "#{vision_config.num_hidden_layers}@1054 #{}@1056", "layers@1057",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size]~ "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]~",
    "q_proj@1059 k_proj@1059 v_proj@1059", "attention@1060", "#{vision_config.num_hidden_layers}@1061",
    "q_proj@1002 k_proj@1003 v_proj@1003 o_proj@1004 q_norm@298 k_norm@298",
    "self_attn@1063 mlp@302 input_layernorm@303 post_attention_layernorm@303", "#{text_config.num_hidden_layers}@1064",
    "layers@1065", "embed_tokens@80 encoder@1066 norm@303", "weight[d_model,(num_mel_bins/1),?] bias[d_model]",
    "weight[d_model,(d_model/1),?] bias[d_model]", "weight[max_source_positions,d_model]",
    "k_proj@960 v_proj@117 q_proj@117 out_proj@117",
    "self_attn@1071 self_attn_layer_norm@119 fc1@129 fc2@130 final_layer_norm@119", "#{encoder_layers}@1072",
    "weight[text_config.hidden_size,audio_config.d_model] bias[text_config.hidden_size]", "linear@1074",
    "gate@267 experts@37 shared_expert@699 shared_expert_gate(weight[1,hidden_size])",
    "weight[vision_config.embed_dim,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_config"
    ".patch_size,vision_config.patch_size]", "proj@1077",
    "weight[(vision_config.embed_dim*3),vision_config.embed_dim] bias[(vision_config.embed_dim*3)]",
    "qkv@1079 proj@618", "weight[(vision_config.embed_dim*vision_config.mlp_ratio),vision_config.embed_dim] "
    "bias[(vision_config.embed_dim*vision_config.mlp_ratio)]",
    "weight[vision_config.embed_dim,(vision_config.embed_dim*vision_config.mlp_ratio)] "
    "bias[vision_config.embed_dim]", "fc1@1081 fc2@1082", "norm1@617 norm2@617 attn@1080 mlp@1083",
    "#{vision_config.depth}@1084",
    "weight[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(vision"
    "_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.hidden_size,(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.sp"
    "atial_merge_size))] bias[vision_config.hidden_size]", "0@1086 2@1087", "ln_q@617 mlp@1088",
    "patch_embed@1078 blocks@1085 merger@1089",
    "weight[audio_config.d_model,(audio_config.num_mel_bins/1),?] bias[audio_config.d_model]",
    "weight[audio_config.d_model,(audio_config.d_model/1),?] bias[audio_config.d_model]",
    "weight[?,audio_config.output_dim]", "weight[audio_config.d_model,audio_config.d_model]",
    "weight[audio_config.d_model,audio_config.d_model] bias[audio_config.d_model]",
    "k_proj@1094 v_proj@1095 q_proj@1095 out_proj@1095", "weight[audio_config.d_model] bias[audio_config.d_model]",
    "weight[audio_config.encoder_ffn_dim,audio_config.d_model] bias[audio_config.encoder_ffn_dim]",
    "weight[audio_config.d_model,audio_config.encoder_ffn_dim] bias[audio_config.d_model]",
    "self_attn@1096 self_attn_layer_norm@1097 fc1@1098 fc2@1099 final_layer_norm@1097",
    "#{audio_config.encoder_layers}@1100",
    "weight[audio_config.output_dim,audio_config.d_model] bias[audio_config.output_dim]",
    "conv1@1091 conv2@1092 audio_bos_eos_token@1093 layers@1101 ln_post@1097 proj@1102",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size]", "proj@1104", "q@72 k@72 v@72 proj@72",
    "gate_proj@174 up_proj@174 down_proj@175", "norm1@438 norm2@438 attn@1106 mlp@1107", "#{vision_config.depth}@1108",
    "0@292 2@293", "ln_q@438 mlp@1110", "patch_embed@1105 blocks@1109 merger@1111",
    "self_attn@463 mlp@302 input_layernorm@303 post_attention_layernorm@303", "#{text_config.num_hidden_layers}@1113",
    "embed_tokens@80 layers@1114 norm@303", "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]",
    "qkv@1116 proj@46", "weight[downsample_hidden_size,(downsample_hidden_size/1),?,?] bias[downsample_hidden_size]",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((l"
    "inear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_he"
    "ad_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?",
    "weight[((num_attention_heads*head_dim)*2),hidden_size]?",
    "q_proj@1120 k_proj@749 v_proj@749 o_proj@750 q_norm(weight[head_dim]?) k_norm(weight[head_dim]?)",
    "k_proj@1095 v_proj@1095 q_proj@1095 out_proj@1095",
    "self_attn@1122 self_attn_layer_norm@1097 fc1@1098 fc2@1099 final_layer_norm@1097",
    "#{audio_config.encoder_layers}@1123",
    "weight[audio_config.downsample_hidden_size,1,?,?] bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.downsample_hidden_size,(audio_config.downsample_hidden_size/1),?,?] "
    "bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.d_model,(audio_config.downsample_hidden_size*((((((audio_config.num_mel_bins+1)/2)+1)/2)"
    "+1)/2))]", "layers@1124 ln_post@1097 conv2d1@1125 conv2d2@1126 conv2d3@1126 conv_out@1127 proj1@1095 proj2@1102",
    "ln_q@294 mlp@1110", "#{}@1129", "ln_q@74 mlp@1110",
    "merger_list@1130 patch_embed@285 pos_embed@286 blocks@291 merger@1131",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))] bias[text_config.hidden_size]?",
    "weight[(text_config.hidden_size/text_config.num_attention_heads)]",
    "q_proj@1133 k_proj@1134 v_proj@1134 o_proj@1135 q_norm@1136 k_norm@1136",
    "weight[text_config.num_experts,text_config.hidden_size]",
    "gate_up_proj[text_config.num_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~ "
    "down_proj[text_config.num_experts,text_config.hidden_size,text_config.moe_intermediate_size]~",
    "weight[num_position_embeddings,hidden_size]", "linear_fc1@48 linear_fc2@49",
    "norm1@44 norm2@44 attn@1117 mlp@1141", "#{depth}@1142", "norm@44 linear_fc1@394 linear_fc2@395",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidde"
    "n_size]?",
    "dt_bias[linear_num_value_heads]? A_log[?]? conv1d@1119 norm@991 out_proj@990 in_proj_qkv@1145 in_proj_z@988 "
    "in_proj_b@989 in_proj_a@989", "weight[linear_num_value_heads,hidden_size]", "weight[(hc_count*hidden_size)]",
    "weight[hc_lowrank,(hc_count*hidden_size)]", "weight[(hc_count*hidden_size),hc_lowrank]",
    "weight[hc_count,(hc_count*hidden_size)]",
    "hc_norm@1148 input_mix_weight_down@1149 input_mix_weight_up@1150 block_inject_weight@1151",
    "weight[lru_width,hidden_size]? bias[lru_width]?",
    "weight[(intermediate_size/2),hidden_size] bias[(intermediate_size/2)]", "weight[vocab_size,input_embedding_size]",
    "weight[max_position_embeddings,input_embedding_size]", "weight[type_vocab_size,input_embedding_size]",
    "weight[input_embedding_size] bias[input_embedding_size]",
    "word_embeddings@1155 position_embeddings@1156 token_type_embeddings@1157 LayerNorm@1158",
    "weight[hidden_size,input_embedding_size] bias[hidden_size]", "embedding_hidden_mapping_in@1160 layer@145",
    "embeddings@1159 encoder@1161", "weight[?] bias[?] running_mean[?] running_var[?] num_batches_tracked[]",
    "convolution(weight[?,?,1,1]) normalization@1163", "convolution(weight[?,?,?,?]) normalization@1163",
    "0@1164 1@1165 2@1164", "layer@1166", "weight[?]? bias[?]? running_mean[?]? running_var[?]? num_batches_tracked[]?",
    "convolution(weight[?,?,1,1]?) normalization@1168", "convolution(weight[?,?,?,?]?) normalization@1168",
    "0@1169 1@1170 2@1169", "layer@1171", "weight[pronunciation_vocab_size,pronunciation_embed_dim]",
    "weight[shape_vocab_size,shape_embed_dim]", "weight[hidden_size,?]? bias[hidden_size]?",
    "word_embeddings@0 pronunciation_embed@1173 shape_embed@1174 position_embeddings@136 "
    "token_type_embeddings@137 map_inputs_layer@1175 LayerNorm@44", "embeddings@1176 encoder@146",
    "self@139 output@154 LayerNorm@44", "LayerNorm@44 dense@48", "attention@1178 intermediate@1179 output@370",
    "#{num_hidden_layers}@1180", "layer@1181", "embeddings@255 encoder@1182 LayerNorm@44",
    "weight[attention_hidden_size,hidden_size]", "projection@615", "weight[output_channels] bias[output_channels]",
    "weight[feature_projection_input_dim] bias[feature_projection_input_dim]",
    "weight[hidden_size,feature_projection_input_dim] bias[hidden_size]", "layer_norm@1187 projection@1188",
    "weight[speech_encoder_intermediate_size,hidden_size] bias[speech_encoder_intermediate_size]",
    "weight[hidden_size,speech_encoder_intermediate_size] bias[hidden_size]",
    "intermediate_dense@1190 output_dense@1191", "weight[(2*hidden_size),(hidden_size/1),1]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]", "weight[hidden_size,(hidden_size/1),1]",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]? bias[(2*hidden_size)]?",
    "linear_q@186 linear_k@186 linear_v@186 linear_out@186",
    "weight[speech_encoder_intermediate_size,hidden_size]? bias[speech_encoder_intermediate_size]?",
    "weight[hidden_size,speech_encoder_intermediate_size]? bias[hidden_size]?",
    "intermediate_dense@1198 output_dense@1199",
    "residual_layer_norm@187 residual_conv@1196 self_attn_layer_norm@187 self_attn_conv@1196 self_attn@1197 "
    "ffn_layer_norm@187 ffn@1200", "#{num_adapter_layers}@1201", "layers@1202", "fc1@1042 fc2@1043",
    "self_attn@169 self_attn_layer_norm@44 cross_attention@169 cross_attention_layer_norm@44 ffn@1204 "
    "ffn_layer_norm@44", "#{decoder_layers}@1205", "embed_tokens@167 layers@1206 layer_norm@44",
    "k_proj@186 v_proj@186 q_proj@186 out_proj@186", "weight[encoder_ffn_dim,hidden_size]? bias[encoder_ffn_dim]?",
    "weight[hidden_size,encoder_ffn_dim]? bias[hidden_size]?", "fc1@1209 fc2@1210",
    "self_attn@1208 self_attn_layer_norm@187 ffn@1211 ffn_layer_norm@187", "#{encoder_layers}@1212",
    "embed_tokens@167 layers@1213 layer_norm@187", "weight[decoder_ffn_dim,hidden_size]? bias[decoder_ffn_dim]?",
    "weight[hidden_size,decoder_ffn_dim]? bias[hidden_size]?", "fc1@1215 fc2@1216",
    "self_attn@1208 self_attn_layer_norm@187 cross_attention@1208 cross_attention_layer_norm@187 ffn@1217 "
    "ffn_layer_norm@187", "#{decoder_layers}@1218", "embed_tokens@167 layers@1219 layer_norm@187",
    "weight[t2u_encoder_ffn_dim,hidden_size] bias[t2u_encoder_ffn_dim]",
    "weight[hidden_size,t2u_encoder_ffn_dim] bias[hidden_size]", "fc1@1221 fc2@1222",
    "self_attn@169 self_attn_layer_norm@44 ffn@1223 ffn_layer_norm@44", "#{t2u_encoder_layers}@1224",
    "layers@1225 layer_norm@44", "weight[t2u_vocab_size,hidden_size]",
    "weight[t2u_decoder_ffn_dim,hidden_size] bias[t2u_decoder_ffn_dim]",
    "weight[hidden_size,t2u_decoder_ffn_dim] bias[hidden_size]", "fc1@1228 fc2@1229",
    "self_attn@169 self_attn_layer_norm@44 cross_attention@169 cross_attention_layer_norm@44 ffn@1230 "
    "ffn_layer_norm@44", "#{t2u_decoder_layers}@1231", "embed_tokens@1227 layers@1232 layer_norm@44",
    "encoder@1226 decoder@1233", "weight[t2u_vocab_size,hidden_size]?", "model@1234 lm_head@1235",
    "weight[unit_embed_dim,(unit_embed_dim/1),variance_predictor_kernel_size]? bias[unit_embed_dim]?",
    "weight[unit_embed_dim]? bias[unit_embed_dim]?", "weight[1,unit_embed_dim]? bias[1]?",
    "conv1@1237 ln1@1238 conv2@1237 ln2@1238 proj@1239", "weight[unit_hifi_gan_vocab_size,unit_embed_dim]?",
    "weight[vocoder_num_spkrs,spkr_embed_dim]?", "weight[vocoder_num_langs,lang_embed_dim]?",
    "weight[upsample_initial_channel,(((unit_embed_dim+lang_embed_dim)+spkr_embed_dim)/1),?]? "
    "bias[upsample_initial_channel]?", "weight[?,?,?]? bias[?]?", "#{}@1245", "0@1245 1@1245 2@1245",
    "convs1@1247 convs2@1247", "#{}@1248", "weight[1,?,?]? bias[1]?",
    "conv_pre@1244 upsampler@1246 resblocks@1249 conv_post@1250",
    "dur_predictor@1240 unit_embedding@1241 speaker_embedding@1242 language_embedding@1243 hifi_gan@1251",
    "fc1@1048 fc2@1049", "self_attn@169 self_attn_layer_norm@44 ffn@1253 ffn_layer_norm@44", "#{encoder_layers}@1254",
    "embed_tokens@167 layers@1255 layer_norm@44",
    "weight[feature_projection_input_dim]? bias[feature_projection_input_dim]?",
    "weight[hidden_size,feature_projection_input_dim]? bias[hidden_size]?", "layer_norm@1257 projection@1258",
    "weight[(2*hidden_size),(hidden_size/1),1]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]?",
    "weight[hidden_size,(hidden_size/1),1]?", "weight[char_vocab_size,hidden_size]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_embed_dim/1),t2u_variance_predictor_kernel_"
    "size] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_hidden_dim/1),t2u_variance_predictor_kernel"
    "_size] bias[t2u_variance_predictor_hidden_dim]", "weight[1,t2u_variance_predictor_hidden_dim] bias[1]",
    "conv1@1264 ln1@1265 conv2@1266 ln2@1265 proj@1267",
    "self_attn@169 self_attn_layer_norm@44 conv1@83 conv2@83 conv_layer_norm@44", "#{t2u_decoder_layers}@1269",
    "pos_emb_alpha_char[1] pos_emb_alpha[1] embed_tokens@1227 embed_char@1263 duration_predictor@1268 layers@1270"
    " layer_norm@44", "encoder@1226 decoder@1271", "model@1272 lm_head@1235",
    "token_embedding@80 position_embedding@199", "k_proj@86 v_proj@86 q_proj@86 out_proj@86", "fc1@209 fc2@211",
    "layer_norm1@200 self_attn@1275 layer_norm2@200 mlp@1276", "#{text_config.num_hidden_layers}@1277", "layers@1278",
    "weight[text_config.projection_size,text_config.hidden_size] bias[text_config.projection_size]",
    "embeddings@1274 encoder@1279 final_layer_norm@200 head@1280",
    "in_proj_weight[(3*hidden_size),hidden_size]? in_proj_bias[(3*hidden_size)]? out_proj@186", "fc1@189 fc2@191",
    "probe[1,1,hidden_size]? attention@1282 layernorm@187 mlp@1283",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]", "weight[?,?,?] bias[?]?", "conv@1286",
    "intermediate_dense@1048 output_dense@1049", "attention@169 layer_norm@44 feed_forward@1288 final_layer_norm@44",
    "#{encoder_layers}@1289", "weight[(2*encoder_max_relative_position),(hidden_size/encoder_attention_heads)]",
    "pe_k@1291", "layer_norm@44 layers@1290 embed_positions@1292", "intermediate_dense@1042 output_dense@1043",
    "self_attn@169 self_attn_layer_norm@44 encoder_attn@169 encoder_attn_layer_norm@44 feed_forward@1294 "
    "final_layer_norm@44", "#{decoder_layers}@1295", "layers@1296", "out_proj@72", "c_fc@174 c_proj@175",
    "ls_1(gamma[?]) ls_2(gamma[?]) attn@1298 mlp@1299 ln_1@74 ln_2@74", "in_proj_weight[*]~ in_proj_bias[*]~",
    "attn@1301", "#{vision_config.num_hidden_layers}@1300 #{}@1302", "resblocks@1303",
    "weight[(vision_config.hidden_size*2),(vision_config.hidden_size/1),?,?] bias[(vision_config.hidden_size*2)]",
    "weight[(vision_config.hidden_size*4),((vision_config.hidden_size*2)/1),?,?] "
    "bias[(vision_config.hidden_size*4)]", "k_proj@673 v_proj@673 q_proj@673", "self_attn@1307",
    "#{vision_config.num_hidden_layers}@1308", "weight[text_config.num_attention_heads,text_config.hidden_size]",
    "q_proj@1002 k_proj@1003 v_proj@1003 o_proj@1004 q_norm@298 k_norm@298 g_proj@1310",
    "weight[text_config.intermediate_size,text_config.hidden_size]? bias[text_config.intermediate_size]?",
    "weight[text_config.hidden_size,text_config.intermediate_size]? bias[text_config.hidden_size]?",
    "weight[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?",
    "gate@910 down_proj@1314 router_bias[text_config.n_routed_experts]?",
    "weight[text_config.share_expert_dim,text_config.hidden_size]?",
    "weight[text_config.hidden_size,text_config.share_expert_dim]?", "gate_proj@1316 up_proj@1316 down_proj@1317",
    "moe@878",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]~",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]?",
    "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?)",
    "expert_0@1322 expert_1@1322 expert_2@1322 expert_3@1322 expert_4@1322 expert_5@1322 expert_6@1322 "
    "expert_7@1322", "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) router@971 experts@1323",
    "mlp@1324 layer_norm(weight[d_model])", "0@785 1@1325", "layer@1326", "#{}@1327",
    "embed_tokens@126 block@1328 final_layer_norm(weight[d_model])", "0@785 1@787 2@1325", "layer@1330", "#{}@1331",
    "embed_tokens@126 block@1332 final_layer_norm(weight[d_model])", "0@785 1@780", "layer@1334", "#{num_layers}@1335",
    "embed_tokens@126 block@1336 final_layer_norm(weight[d_model])", "weight[?,decoder.hidden_size] bias[?]",
    "out_proj@1338", "weight[encoder.text_config.hidden_size]",
    "weight[(encoder.text_config.num_key_value_heads*encoder.text_config.head_dim),encoder.text_config.hidden_siz" "e]",
    "weight[encoder.text_config.head_dim]",
    "weight[encoder.text_config.intermediate_size,encoder.text_config.hidden_size]", "weight[decoder.hidden_size]",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size]", "weight[decoder.head_dim]",
    "weight[decoder.intermediate_size,decoder.hidden_size]", "weight[decoder.hidden_size,decoder.intermediate_size]",
    "gate_proj@1347 up_proj@1347 down_proj@1348", "weight[encoder.hidden_size]",
    "weight[(encoder.num_key_value_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_key_value_heads*encoder.head_dim)]?", "weight[encoder.intermediate_size,encoder.hidden_size]",
    "weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_attention_heads*decoder.head_dim)]?",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?",
    "weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)] bias[decoder.hidden_size]?",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?",
    "word_embeddings@0 position_embeddings@136 token_type_embeddings_0(weight[?,hidden_size]) "
    "token_type_embeddings_1(weight[?,hidden_size]) token_type_embeddings_2(weight[?,hidden_size]) "
    "token_type_embeddings_3(weight[?,hidden_size]) token_type_embeddings_4(weight[?,hidden_size]) "
    "token_type_embeddings_5(weight[?,hidden_size]) token_type_embeddings_6@351 LayerNorm@44",
    "weight[hidden_size,hidden_size]~ bias[hidden_size]~", "weight[?,hidden_size]~ bias[?]~",
    "weight[d_model]? bias[d_model]?", "weight[relative_attention_num_buckets,num_heads]",
    "q@774 k@774 v@774 o@775 relative_attention_bias@1361", "SelfAttention@1362 layer_norm(weight[d_model])",
    "0@1363 1@830", "layer@1364", "#{num_layers}@1365", "embed_tokens@126 block@1366 final_layer_norm(weight[d_model])",
    "0@1363 1@787 2@830", "layer@1368", "#{num_decoder_layers}@1369",
    "embed_tokens@126 block@1370 final_layer_norm(weight[d_model])",
    "weight[d_model,(num_channels/1),patch_size,patch_size] bias[d_model]", "proj@1372",
    "weight[d_model,(num_channels/1),patch_size,patch_size]? bias[d_model]?", "proj@1374",
    "weight[max_2d_position_embeddings,d_model]", "x_position_embeddings@1376 y_position_embeddings@1376",
    "relative_attention_bias(weight[?,num_heads]?)", "#{}@1378", "biases@1379",
    "relative_attention_bias(weight[?,num_heads])", "#{}@1381", "biases@1382",
    "weight[vision_config.sam_config.hidden_size] bias[vision_config.sam_config.hidden_size]",
    "weight[vision_config.sam_config.output_channels] bias[vision_config.sam_config.output_channels]",
    "weight[vision_config.encoder_config.hidden_size] bias[vision_config.encoder_config.hidden_size]",
    "weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size]~ "
    "bias[vision_config.encoder_config.hidden_size]~",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]? "
    "bias[(text_config.moe_intermediate_size*text_config.n_shared_experts)]?",
    "weight[num_filters,(channels/1),kernel_size] bias[num_filters]", "conv@1389",
    "weight[(ffn_expansion*num_filters),num_filters] bias[(ffn_expansion*num_filters)]",
    "weight[num_filters,(ffn_expansion*num_filters)] bias[num_filters]", "linear1@1391 linear2@1392",
    "weight[num_filters,(num_filters/num_filters),kernel_size] bias[num_filters]", "conv@1394",
    "gamma[?] ffn_gamma[?] norm(weight[num_filters]) ffn_norm(weight[num_filters]) ffn@1393 mixer@1395",
    "0@1396 1@1396 2@1396", "conv@1390 stage@1397", "conv(weight[?,?,?] bias[?])",
    "linear1(weight[?,?] bias[?]) linear2(weight[?,?] bias[?])", "weight[?,?,kernel_size] bias[?]", "conv@1401",
    "gamma[?] ffn_gamma[?] norm(weight[?]) ffn_norm(weight[?]) ffn@1400 mixer@1402", "#{}@1403", "conv@1399 stage@1404",
    "#{}@1405", "weight[hidden_size,?,kernel_size] bias[hidden_size]", "conv@1407",
    "stem@1398 conv_layers@1406 head@1408", "weight[(num_filters*64)]",
    "weight[(ffn_expansion*(num_filters*64)),(num_filters*64)] bias[(ffn_expansion*(num_filters*64))]",
    "weight[(num_filters*64),(ffn_expansion*(num_filters*64))] bias[(num_filters*64)]", "linear1@1411 linear2@1412",
    "weight[(num_filters*64),((num_filters*64)/(num_filters*64)),kernel_size] bias[(num_filters*64)]", "conv@1414",
    "gamma[?] ffn_gamma[?] norm@1410 ffn_norm@1410 ffn@1413 mixer@1415",
    "weight[text_config.hidden_size,acoustic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,semantic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "acoustic_linear_1@1417 acoustic_norm@303 acoustic_linear_2@86 semantic_linear_1@1418 semantic_norm@303 "
    "semantic_linear_2@86", "weight[diffusion_head_config.hidden_size,diffusion_head_config.hidden_size]",
    "weight[diffusion_head_config.intermediate_size,diffusion_head_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num_attention_heads"
    ")),vision_config.hidden_size] bias[(vision_config.num_attention_heads*(vision_config.intermediate_size/visio"
    "n_config.num_attention_heads))]", "q_proj@60 k_proj@60 v_proj@60 o_proj@492",
    "attention@1423 layernorm_before@44 layernorm_after@44 mlp@246",
    "weight[(5*vision_config.hidden_size)] bias[(5*vision_config.hidden_size)]",
    "weight[text_config.hidden_size,(5*vision_config.hidden_size)] bias[text_config.hidden_size]",
    "projector_layernorm@1425 linear_1@1426 linear_2@86",
    "weight[text_config.hidden_size,audio_config.intermediate_size]", "linear_1@1428 linear_2@77",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]",
    "q_proj@295 k_proj@296 v_proj@296 o_proj@297", "weight[text_config.hidden_size,?]", "linear1@440 linear2@1432",
    "self_attn@1431 mlp@302 input_layernorm@303 post_attention_layernorm@303 ada_rms_norm@1433",
    "#{text_config.num_hidden_layers}@1434", "embed_tokens@80 layers@1435 norm@303",
    "weight[text_config.hidden_size,(audio_config.hidden_size*downsample_factor)]", "linear_1@1437 linear_2@77",
    "weight[max_target_positions,d_model]",
    "self_attn@1071 self_attn_layer_norm@119 encoder_attn@1071 encoder_attn_layer_norm@119 fc1@120 fc2@121 "
    "final_layer_norm@119", "#{decoder_layers}@1440",
    "embed_tokens@115 embed_positions@1439 layers@1441 layer_norm@119",
    "conv1@1068 conv2@1069 embed_positions@1070 layers@1073 layer_norm@119", "weight[d_model,d_model]? bias[d_model]?",
    "word_embeddings@0 token_type_embeddings@137 position_embeddings@136",
    "self@139 output@154 self_attn_layer_norm@44", "attention@1446 intermediate@142 output@370 LayerNorm@44",
    "#{num_hidden_layers}@1447", "layer@1448 LayerNorm@44", "embeddings@1445 encoder@1449", "summary@117",
    "weight[(hidden_size/adapter_reduction_factor),hidden_size] bias[(hidden_size/adapter_reduction_factor)]",
    "weight[hidden_size,(hidden_size/adapter_reduction_factor)] bias[hidden_size]", "dense1@1452 dense2@1453",
    "en_XX@1454", "dense@49 LayerNorm@44 adapter_modules@1455 adapter_layer_norm@187",
    "attention@141 intermediate@142 output@1456", "#{num_hidden_layers}@1457", "layer@1458 LayerNorm@187",
    "embeddings@255 encoder@1459",
}};

constexpr std::array<ClassRow, 937> kClassRows{{
    {"AXK1ForCausalLM", "axk1", "", "model", "model@21 lm_head@0", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForSequenceClassification", "axk1", "", "model", "model@21 score(weight[?,hidden_size])",
     "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1ForTokenClassification", "axk1", "", "model", "model@21 score@22", "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK1Model", "axk1", "axk1", "model", "embed_tokens@0 layers@20 norm(weight[hidden_size])",
     "inv_freq mlp\\.post_mlp_layernorm"},
    {"AXK2ForCausalLM", "axk2", "", "model", "lm_head@0 model=:AXK2Model", "inv_freq"},
    {"AXK2ForSequenceClassification", "axk2", "", "model", "score(weight[?,hidden_size]) model=:AXK2Model", "inv_freq"},
    {"AXK2ForTokenClassification", "axk2", "", "model", "score@22 model=:AXK2Model", "inv_freq"},
    {"AXK2Model", "axk2", "axk2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) "
     "q_b_proj(weight[(num_attention_heads*((qk_nope_head_dim+qk_rope_head_dim)+v_head_dim)),(2*q_lora_rank)]) "
     "kv_a_proj_with_mqa@3 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27) mlp@14 "
     "input_layernorm(norm(weight[hidden_size]) W_down(weight[gated_norm_rank,hidden_size]) "
     "W_up(weight[hidden_size,gated_norm_rank])) post_attention_layernorm(weight[hidden_size]? "
     "norm(weight[hidden_size]?) W_down(weight[gated_norm_rank,hidden_size]?) "
     "W_up(weight[hidden_size,gated_norm_rank]?))) #{}@19) norm(weight[hidden_size])", "inv_freq"},
    {"AfmoeForCausalLM", "afmoe", "", "model", "lm_head@0 model=:AfmoeModel", ""},
    {"AfmoeModel", "afmoe", "afmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 k_proj@29 v_proj@29 o_proj@30 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@31) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_mlp_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]) mlp(gate_proj@7 up_proj@7 down_proj@8 expert_bias[num_experts]? "
     "router@33 shared_experts@36 experts@37)) #{}@19) norm(weight[hidden_size])", ""},
    {"AlbertForMaskedLM", "albert", "", "albert", "albert@55 predictions@58", ""},
    {"AlbertForMultipleChoice", "albert", "", "albert", "classifier@59 albert=:AlbertModel", ""},
    {"AlbertForPreTraining", "albert", "", "albert", "predictions@58 sop_classifier(classifier@22) albert=:AlbertModel",
     ""},
    {"AlbertForQuestionAnswering", "albert", "", "albert", "albert@55 qa_outputs@22", ""},
    {"AlbertForSequenceClassification", "albert", "", "albert", "classifier@22 albert=:AlbertModel", ""},
    {"AlbertForTokenClassification", "albert", "", "albert", "albert@55 classifier@22", ""},
    {"AlbertModel", "albert", "albert", "albert", "embeddings@42 encoder@54 pooler@46", ""},
    {"ApertusForCausalLM", "apertus", "", "model", "lm_head@0 model=:ApertusModel", ""},
    {"ApertusForTokenClassification", "apertus", "", "model", "score@22 model=:ApertusModel", ""},
    {"ApertusModel", "apertus", "apertus", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp(up_proj@65 down_proj@66 act_fn(alpha_p[?] "
     "alpha_n[?] beta[] eps[])) attention_layernorm(weight[hidden_size]) "
     "feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ArceeForCausalLM", "arcee", "", "model", "lm_head@0 model=:ArceeModel", ""},
    {"ArceeForQuestionAnswering", "arcee", "", "transformer", "qa_outputs@22 transformer=:ArceeModel", ""},
    {"ArceeForSequenceClassification", "arcee", "", "model", "score(weight[?,hidden_size]) model=:ArceeModel", ""},
    {"ArceeForTokenClassification", "arcee", "", "model", "score@22 model=:ArceeModel", ""},
    {"ArceeModel", "arcee", "arcee", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@70 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"AriaForConditionalGeneration", "aria", "", "model",
     "multi_modal_projector@79 language_model(lm_head@80 model=text_config:AriaTextModel) "
     "vision_tower=vision_config:Idefics3VisionTransformer", ""},
    {"AriaModel", "aria", "aria", "model",
     "multi_modal_projector@79 vision_tower=vision_config:Idefics3VisionTransformer "
     "language_model(model=text_config:AriaTextModel)", ""},
    {"AriaTextForCausalLM", "aria_text", "", "model", "lm_head@0 model=:AriaTextModel", ""},
    {"AriaTextModel", "aria_text", "aria_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp(router(weight[moe_num_experts,hidden_size]) "
     "experts(fc1(weight[moe_num_experts,hidden_size,(2*intermediate_size)]) "
     "fc2(weight[moe_num_experts,intermediate_size,hidden_size])) shared_experts(gate_proj@81 up_proj@81 "
     "down_proj(weight[hidden_size,(intermediate_size*moe_num_shared_experts)] bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"AudioFlamingo3Encoder MossTranscribeDiarizeAudioModel VoxtralEncoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder", "model",
     "conv1@82 conv2@83 embed_positions(weight[max_source_positions,hidden_size]) "
     "layers(#{num_hidden_layers}(self_attn(k_proj@84 v_proj@46 q_proj@46 out_proj@46) self_attn_layer_norm@44 "
     "fc1@48 fc2@49 final_layer_norm@44)) layer_norm@44", ""},
    {"AudioFlamingo3ForConditionalGeneration MusicFlamingoForConditionalGeneration", "audioflamingo3 musicflamingo", "",
     "model", "multi_modal_projector@87 language_model@88 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"AudioFlamingo3Model MusicFlamingoModel", "audioflamingo3 musicflamingo", "audioflamingo3 musicflamingo", "model",
     "multi_modal_projector@87 audio_tower=audio_config:AudioFlamingo3Encoder language_model@89", ""},
    {"AyaVisionForConditionalGeneration", "aya_vision", "", "model",
     "multi_modal_projector@93 language_model(lm_head@94 model=text_config:Cohere2Model) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"AyaVisionModel", "aya_vision", "aya_vision", "model",
     "multi_modal_projector@93 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:Cohere2Model)", ""},
    {"BailingHybridForCausalLM", "bailing_hybrid", "", "model",
     "model(word_embeddings@0 layers@108 norm(weight[hidden_size])) lm_head@0", "model\\.layers\\.42\\..*"},
    {"BailingHybridModel", "bailing_hybrid", "bailing_hybrid", "model",
     "embed_tokens@0 layers@108 norm(weight[hidden_size])", "model\\.layers\\.42\\..*"},
    {"BambaForCausalLM", "bamba", "", "model", "lm_head@0 model=:BambaModel", ""},
    {"BambaModel", "bamba", "bamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@109 input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) mamba@114)) final_layernorm(weight[hidden_size])", ""},
    {"BartForCausalLM", "bart", "", "model", "model@125 lm_head@126", "decoder.version encoder.version"},
    {"BartForConditionalGeneration", "bart", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:BartModel", "decoder.version encoder.version"},
    {"BartForQuestionAnswering", "bart", "", "model", "qa_outputs@127 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartForSequenceClassification", "bart", "", "model", "classification_head@128 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartModel", "bart", "bart", "model", "shared@115 encoder@133 decoder@134", "decoder.version encoder.version"},
    {"BeamForCausalLM", "beam", "", "model", "lm_head@0 model=:BeamModel", ""},
    {"BeamModel", "beam", "beam", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(gate_bias[num_attention_heads] q_proj@28 k_proj@29 "
     "v_proj@29 o_proj@30 q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@31) mlp(gate_proj@7 "
     "up_proj@7 down_proj@8 experts@37 gate@135) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"BertForMaskedLM BertLMHeadModel", "bert", "", "bert", "bert@147 cls@150", ""},
    {"BertForMultipleChoice", "bert", "", "bert", "classifier@59 bert=:BertModel", ""},
    {"BertForNextSentencePrediction", "bert", "", "bert", "cls@151 bert=:BertModel", ""},
    {"BertForPreTraining", "bert", "", "bert", "cls@152 bert=:BertModel", ""},
    {"BertForQuestionAnswering", "bert", "", "bert", "bert@147 qa_outputs@22", ""},
    {"BertForSequenceClassification", "bert", "", "bert", "classifier@22 bert=:BertModel", ""},
    {"BertForTokenClassification", "bert", "", "bert", "bert@147 classifier@22", ""},
    {"BertGenerationDecoder", "bert-generation", "", "bert",
     "lm_head(bias[vocab_size] decoder@148) bert=:BertGenerationEncoder", ""},
    {"BertGenerationEncoder", "bert-generation", "bert-generation", "bert", "embeddings@153 encoder@146", ""},
    {"BertModel", "bert", "bert", "bert", "embeddings@138 encoder@146 pooler@154", ""},
    {"BigBirdForCausalLM BigBirdForMaskedLM", "big_bird", "", "bert", "cls@150 bert=:BigBirdModel", ""},
    {"BigBirdForMultipleChoice", "big_bird", "", "bert", "classifier@59 bert=:BigBirdModel", ""},
    {"BigBirdForPreTraining", "big_bird", "", "bert", "cls@152 bert=:BigBirdModel", ""},
    {"BigBirdForQuestionAnswering", "big_bird", "", "bert",
     "bert(embeddings@138 encoder@159) qa_classifier(intermediate@142 output@143 qa_outputs@22)", ""},
    {"BigBirdForSequenceClassification", "big_bird", "", "bert", "classifier@160 bert=:BigBirdModel", ""},
    {"BigBirdForTokenClassification", "big_bird", "", "bert", "classifier@22 bert=:BigBirdModel", ""},
    {"BigBirdModel", "big_bird", "big_bird", "bert", "embeddings@138 encoder@159 pooler@46", ""},
    {"BigBirdPegasusForCausalLM", "bigbird_pegasus", "", "model",
     "model(decoder(embed_tokens@115 embed_positions@161 layers@165 layernorm_embedding@119)) lm_head@115", ""},
    {"BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusForQuestionAnswering", "bigbird_pegasus", "", "model", "qa_outputs@127 model=:BigBirdPegasusModel",
     ""},
    {"BigBirdPegasusForSequenceClassification", "bigbird_pegasus", "", "model",
     "classification_head@128 model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusModel", "bigbird_pegasus", "bigbird_pegasus", "model",
     "shared@115 encoder(embed_tokens@126 embed_positions@161 layers(#{encoder_layers}(self_attn(self(query@166 "
     "key@166 value@166) output@162) self_attn_layer_norm@119 fc1@129 fc2@130 final_layer_norm@119)) "
     "layernorm_embedding@119) decoder(embed_tokens@126 embed_positions@161 layers@165 layernorm_embedding@119)", ""},
    {"BioGptForCausalLM", "biogpt", "", "biogpt", "output_projection@167 biogpt=:BioGptModel", ""},
    {"BioGptForSequenceClassification", "biogpt", "", "biogpt", "score(weight[?,hidden_size]) biogpt=:BioGptModel", ""},
    {"BioGptForTokenClassification", "biogpt", "", "biogpt", "classifier@22 biogpt=:BioGptModel", ""},
    {"BioGptModel", "biogpt", "biogpt", "biogpt",
     "embed_tokens@0 embed_positions@168 layers(#{num_hidden_layers}(self_attn@169 self_attn_layer_norm@44 fc1@48 "
     "fc2@49 final_layer_norm@44)) layer_norm@44", ""},
    {"BitNetForCausalLM", "bitnet", "", "model", "lm_head@0 model=:BitNetModel", ""},
    {"BitNetModel", "bitnet", "bitnet", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@60 k_proj@61 v_proj@61 o_proj@62 "
     "attn_sub_norm(weight[hidden_size])) mlp(gate_proj@65 up_proj@65 down_proj@66 "
     "ffn_sub_norm(weight[intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BlenderbotForCausalLM PegasusForCausalLM", "blenderbot pegasus", "", "model",
     "model(decoder(embed_tokens@115 embed_positions@161 layers@123 layer_norm@119)) lm_head@126", ""},
    {"BlenderbotForConditionalGeneration PegasusForConditionalGeneration", "blenderbot pegasus", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:BlenderbotModel", ""},
    {"BlenderbotModel PegasusModel", "blenderbot pegasus", "blenderbot pegasus", "model",
     "shared@115 encoder(embed_tokens@126 embed_positions@161 layers@132 layer_norm@119) decoder(embed_tokens@126 "
     "embed_positions@161 layers@123 layer_norm@119)", ""},
    {"BlenderbotSmallForCausalLM", "blenderbot-small", "", "model",
     "model(decoder(embed_tokens@115 embed_positions@161 layers@123 layernorm_embedding@119)) lm_head@126", ""},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:BlenderbotSmallModel", ""},
    {"BlenderbotSmallModel", "blenderbot-small", "blenderbot-small", "model",
     "shared@115 encoder(embed_tokens@126 embed_positions@161 layers@132 layernorm_embedding@119) "
     "decoder(embed_tokens@126 embed_positions@161 layers@123 layernorm_embedding@119)", ""},
    {"Blip2ForImageTextRetrieval", "blip-2", "", "blip",
     "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@180 embeddings(word_embeddings@181 "
     "position_embeddings@182) vision_projection@183 text_projection@183 "
     "itm_head(weight[?,qformer_config.hidden_size] bias[?]) qformer=qformer_config:Blip2QFormerModel", ""},
    {"Blip2QFormerModel", "blip_2_qformer", "blip_2_qformer", "blip",
     "layernorm@44 encoder(layer(#{num_hidden_layers}(attention(attention@139 output@140) "
     "crossattention(attention(query@184 key@185 value@185) output@188) intermediate_query@142 output_query@143 "
     "intermediate@190 output@192)))", ""},
    {"BlipForQuestionAnswering", "blip", "", "blip",
     "vision_model@198 text_encoder@216 text_decoder(bert@216 cls(predictions(bias[text_config.vocab_size] "
     "transform@204 decoder(weight[text_config.vocab_size,text_config.hidden_size]? "
     "bias[text_config.vocab_size]?))))", ""},
    {"BlipModel", "blip", "blip", "blip",
     "logit_scale[] text_model(embeddings@201 encoder@215 pooler@217) vision_model@198 "
     "visual_projection(weight[projection_dim,vision_config.hidden_size]) "
     "text_projection(weight[projection_dim,text_config.hidden_size])", ""},
    {"BloomForCausalLM", "bloom", "", "transformer", "lm_head@167 transformer=:BloomModel", ""},
    {"BloomForQuestionAnswering", "bloom", "", "transformer", "qa_outputs@22 transformer=:BloomModel", ""},
    {"BloomForSequenceClassification", "bloom", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:BloomModel", ""},
    {"BloomForTokenClassification", "bloom", "", "transformer", "classifier@22 transformer=:BloomModel", ""},
    {"BloomModel", "bloom", "bloom", "transformer",
     "word_embeddings@0 word_embeddings_layernorm@44 h(#{n_layer}(input_layernorm@44 "
     "self_attention(query_key_value@218 dense@46) post_attention_layernorm@44 mlp(dense_h_to_4h@219 "
     "dense_4h_to_h@220))) ln_f@44", ""},
    {"BltForCausalLM", "blt", "", "model", "lm_head(weight[vocab_size,decoder_config.hidden_size]) model=:BltModel", ""},
    {"BltModel", "blt", "blt", "model",
     "local_encoder(layers(#{encoder_config.num_hidden_layers}(self_attn(q_proj@221 k_proj@222 v_proj@222 "
     "o_proj@223) mlp(gate_proj@224 up_proj@224 "
     "down_proj(weight[encoder_config.hidden_size,encoder_config.intermediate_size])) input_layernorm@225 "
     "post_attention_layernorm@225)) patch_embedding_projection(weight[(encoder_config.hidden_size*encoder_config."
     "cross_attn_k),encoder_config.hidden_size]) "
     "embed_tokens(weight[encoder_config.vocab_size,encoder_config.hidden_size]) cross_attn_layers(#{}(q_proj@221 "
     "k_proj@222 v_proj@222 o_proj@223 q_norm@225 k_norm@225))) global_transformer(layers(#{}(self_attn(q_proj(wei"
     "ght[(global_config.num_attention_heads*(global_config.hidden_size/global_config.num_attention_heads)),global"
     "_config.hidden_size]) k_proj@226 v_proj@226 o_proj(weight[global_config.hidden_size,(global_config.num_atten"
     "tion_heads*(global_config.hidden_size/global_config.num_attention_heads))])) mlp(gate_proj@227 up_proj@227 "
     "down_proj(weight[global_config.hidden_size,global_config.intermediate_size])) input_layernorm@228 "
     "post_attention_layernorm@228)) "
     "token_embedding_projection(weight[global_config.hidden_size,global_config.encoder_cross_output_size]?)) "
     "local_decoder(layers(#{decoder_config.num_hidden_layers}(self_attn(q_proj@229 k_proj@230 v_proj@230 "
     "o_proj@231) mlp(gate_proj@232 up_proj@232 "
     "down_proj(weight[decoder_config.hidden_size,decoder_config.intermediate_size])) input_layernorm@233 "
     "post_attention_layernorm@233)) patch_embedding_projection(weight[(decoder_config.hidden_size*decoder_config."
     "cross_attn_k),decoder_config.hidden_size_global]) norm@233 cross_attn_layers(#{}(q_proj@229 k_proj@230 "
     "v_proj@230 o_proj@231 q_norm@233 k_norm@233))) "
     "encoder_hash_tok_embedding(weight[?,encoder_config.hidden_size]) patcher(layers(#{}(self_attn(q_proj(weight["
     "(patcher_config.num_attention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads)),patcher"
     "_config.hidden_size]?) k_proj@234 v_proj@234 o_proj(weight[patcher_config.hidden_size,(patcher_config.num_at"
     "tention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads))]?)) mlp(gate_proj@235 "
     "up_proj@235 down_proj(weight[patcher_config.hidden_size,patcher_config.intermediate_size]?)) "
     "input_layernorm@236 post_attention_layernorm@236)) embed_tokens@237 norm@236 lm_head@237)", ""},
    {"BridgeTowerModel", "bridgetower", "bridgetower", "bridgetower",
     "cross_modal_text_transform(weight[hidden_size,text_config.hidden_size]? bias[hidden_size]? "
     "#{num_hidden_layers}(weight[hidden_size,text_config.hidden_size]? bias[hidden_size]?)) "
     "cross_modal_image_transform(weight[hidden_size,vision_config.hidden_size]? bias[hidden_size]? "
     "#{num_hidden_layers}(weight[hidden_size,vision_config.hidden_size]? bias[hidden_size]?)) "
     "token_type_embeddings(weight[?,hidden_size]) vision_model(visual(embeddings@240 ln_pre@74 "
     "transformer(resblocks(#{}(attn@73 ln_1@74 "
     "mlp(c_fc(weight[(vision_config.hidden_size*4),vision_config.hidden_size] "
     "bias[(vision_config.hidden_size*4)]) c_proj(weight[vision_config.hidden_size,(vision_config.hidden_size*4)] "
     "bias[vision_config.hidden_size])) ln_2@74))) ln_post@74 "
     "ln_separate(#{vision_config.num_hidden_layers}@241))) text_model(embeddings(word_embeddings@80 "
     "token_type_embeddings(weight[text_config.type_vocab_size,text_config.hidden_size]) LayerNorm@200 "
     "position_embeddings@199) encoder(layer(#{text_config.num_hidden_layers}(attention@205 intermediate@210 "
     "output@212))) pooler@217) cross_modal_image_layers@243 cross_modal_text_layers@243 "
     "cross_modal_image_pooler@154 cross_modal_text_pooler@154 cross_modal_text_layernorm@44 "
     "cross_modal_image_layernorm@44 cross_modal_text_link_tower@245 cross_modal_image_link_tower@245", ""},
    {"BrosForTokenClassification", "bros", "", "bros", "classifier@22 bros=:BrosModel", "pooler"},
    {"BrosModel", "bros", "bros", "bros",
     "embeddings(word_embeddings@0 position_embeddings@136 token_type_embeddings@137 LayerNorm@44 "
     "position_ids[?,?]) bbox_embeddings(bbox_projection(weight[dim_bbox_projection,dim_bbox_sinusoid_emb_2d]) "
     "bbox_sinusoid_emb(x_pos_emb(inv_freq[?]) y_pos_emb(inv_freq[?]))) encoder@146 pooler@154", ""},
    {"CLIPTextModel", "clip_text_model", "clip_text_model", "clip",
     "embeddings(token_embedding@0 position_embedding@136) encoder@249 final_layer_norm@44", ""},
    {"CLIPVisionModel", "clip_vision_model", "clip_vision_model", "clip",
     "embeddings(class_embedding[hidden_size] patch_embedding@250 "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@44 encoder@249 post_layernorm@44", ""},
    {"CTRLForSequenceClassification", "ctrl", "", "transformer", "classifier(weight[?,n_embd]) transformer=:CTRLModel",
     ""},
    {"CTRLLMHeadModel", "ctrl", "", "transformer",
     "lm_head(weight[vocab_size,n_embd]? bias[vocab_size]) transformer=:CTRLModel", ""},
    {"CTRLModel", "ctrl", "ctrl", "transformer",
     "w@251 h(#{n_layer}(multi_head_attention(Wq@252 Wk@252 Wv@252 dense@252) ffn(0(weight[dff,n_embd] bias[dff]) "
     "2(weight[n_embd,dff] bias[n_embd])) layernorm1@253 layernorm2@253)) layernorm@253", ""},
    {"CamembertForCausalLM CamembertForMaskedLM XLMRobertaForCausalLM XLMRobertaForMaskedLM", "camembert xlm-roberta",
     "", "roberta", "lm_head@254 roberta@256", ""},
    {"CamembertForMultipleChoice RobertaForMultipleChoice XLMRobertaForMultipleChoice", "camembert roberta xlm-roberta",
     "", "roberta", "classifier@59 roberta=:CamembertModel", ""},
    {"CamembertForQuestionAnswering XLMRobertaForQuestionAnswering", "camembert xlm-roberta", "", "roberta",
     "qa_outputs@22 roberta@256", ""},
    {"CamembertForSequenceClassification XLMRobertaForSequenceClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@160 roberta@256", ""},
    {"CamembertForTokenClassification XLMRobertaForTokenClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@22 roberta@256", ""},
    {"CamembertModel RobertaModel XLMRobertaModel", "camembert roberta xlm-roberta", "camembert roberta xlm-roberta",
     "roberta", "embeddings@255 encoder@146 pooler@154", ""},
    {"CanaryForConditionalGeneration", "canary", "", "model",
     "proj_out(weight[decoder_config.vocab_size,decoder_config.hidden_size]? bias[decoder_config.vocab_size]) "
     "model=:CanaryModel", "preprocessor\\.featurizer\\..*"},
    {"CanaryModel", "canary", "canary", "model",
     "decoder(embed_tokens(weight[decoder_config.vocab_size,decoder_config.hidden_size]) "
     "layers(#{decoder_config.num_hidden_layers}(self_attn@260 encoder_attn@260 "
     "mlp(fc1(weight[decoder_config.intermediate_size,decoder_config.hidden_size] "
     "bias[decoder_config.intermediate_size]) "
     "fc2(weight[decoder_config.hidden_size,decoder_config.intermediate_size] bias[decoder_config.hidden_size])) "
     "input_layernorm@261 post_attention_layernorm@261 final_layernorm@261)) norm@261 embedding_layernorm@261) "
     "encoder=encoder_config:ParakeetEncoder", "preprocessor\\.featurizer\\..*"},
    {"CodeGenForCausalLM", "codegen", "", "transformer", "lm_head@262 transformer=:CodeGenModel", ""},
    {"CodeGenModel", "codegen", "codegen", "transformer",
     "wte@251 h(#{n_layer}(ln_1@253 attn(qkv_proj(weight[(n_embd*3),n_embd]) out_proj(weight[n_embd,n_embd])) "
     "mlp@265)) ln_f@253", ""},
    {"Cohere2ForCausalLM", "cohere2", "", "model", "lm_head@167 model=:Cohere2Model", ""},
    {"Cohere2Model", "cohere2", "cohere2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@266 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2MoeForCausalLM", "cohere2_moe", "", "model", "lm_head@167 model=:Cohere2MoeModel", ""},
    {"Cohere2MoeModel", "cohere2_moe", "cohere2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@269 input_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", ""},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "", "model", "lm_head@94 model=:Cohere2VisionModel", ""},
    {"Cohere2VisionModel", "cohere2_vision", "cohere2_vision", "model",
     "multi_modal_projector(linear_1(weight[alignment_intermediate_size,(vision_config.hidden_size*(downsample_fac"
     "tor*downsample_factor))] bias[alignment_intermediate_size]) "
     "linear_2(weight[text_config.hidden_size,(alignment_intermediate_size/2)] bias[text_config.hidden_size])) "
     "vision_tower=vision_config:SiglipVisionModel language_model=text_config:Cohere2Model", ""},
    {"CohereAsrForConditionalGeneration", "cohere_asr", "", "model",
     "log_softmax(mlp(layer0@270)) model=:CohereAsrModel", "preprocessor\\.featurizer\\..*"},
    {"CohereAsrModel", "cohere_asr", "cohere_asr", "model",
     "encoder(pre_encode(conv(0(weight[encoder_config.subsampling_conv_channels,1,encoder_config.subsampling_conv_"
     "kernel_size,encoder_config.subsampling_conv_kernel_size] bias[encoder_config.subsampling_conv_channels]) "
     "2@271 3@272 5@271 6@272) out(weight[encoder_config.hidden_size,(encoder_config.subsampling_conv_channels*(en"
     "coder_config.num_mel_bins/8))] bias[encoder_config.hidden_size])) "
     "layers(#{encoder_config.num_hidden_layers}(feed_forward1@275 self_attn(pos_bias_u[encoder_config.num_attenti"
     "on_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] pos_bias_v[encoder_config.num_atte"
     "ntion_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] linear_q(weight[(encoder_config"
     ".num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),encoder_config.hidden_"
     "size] "
     "bias[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?)"
     " linear_k@276 linear_v@276 linear_out(weight[encoder_config.hidden_size,(encoder_config.num_attention_heads*"
     "(encoder_config.hidden_size/encoder_config.num_attention_heads))] bias[encoder_config.hidden_size]?) "
     "linear_pos@221) conv(pointwise_conv1(weight[(2*encoder_config.hidden_size),(encoder_config.hidden_size/1),1]"
     " bias[(2*encoder_config.hidden_size)]) depthwise_conv(weight[encoder_config.hidden_size,(encoder_config.hidd"
     "en_size/encoder_config.hidden_size),encoder_config.conv_kernel_size] bias[encoder_config.hidden_size]) "
     "batch_norm(weight[encoder_config.hidden_size] bias[encoder_config.hidden_size] "
     "running_mean[encoder_config.hidden_size] running_var[encoder_config.hidden_size] num_batches_tracked[]) "
     "pointwise_conv2(weight[encoder_config.hidden_size,(encoder_config.hidden_size/1),1] "
     "bias[encoder_config.hidden_size])) feed_forward2@275 norm_feed_forward1@277 norm_self_att@277 norm_conv@277 "
     "norm_feed_forward2@277 norm_out@277))) transf_decoder(_embedding(token_embedding@0 "
     "position_embedding(pos_enc[max_position_embeddings,hidden_size]) layer_norm@44) "
     "_decoder(layers(#{num_hidden_layers}(first_sub_layer@278 second_sub_layer@278 third_sub_layer(dense_in@48 "
     "dense_out@49) layer_norm_1@44 layer_norm_2@44 layer_norm_3@44)) final_layer_norm@44)) "
     "encoder_decoder_proj(weight[hidden_size,encoder_config.hidden_size] bias[hidden_size])",
     "preprocessor\\.featurizer\\..*"},
    {"CohereForCausalLM", "cohere", "", "model", "lm_head@167 model=:CohereModel", ""},
    {"CohereModel", "cohere", "cohere", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@60 k_proj@61 v_proj@61 o_proj@62 "
     "q_norm(weight[num_attention_heads,(hidden_size/num_attention_heads)]?) "
     "k_norm(weight[num_key_value_heads,(hidden_size/num_attention_heads)]?)) mlp@266 "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ColModernVBertForRetrieval", "colmodernvbert", "", "vlm",
     "embedding_proj_layer@279 vlm=vlm_config:ModernVBertModel", ""},
    {"ColPaliForRetrieval", "colpali", "", "vlm", "embedding_proj_layer@279 vlm=vlm_config:PaliGemmaModel", ""},
    {"ColQwen2ForRetrieval", "colqwen2", "", "vlm", "embedding_proj_layer@279 vlm=vlm_config:Qwen2VLModel", ""},
    {"ConvBertForMaskedLM", "convbert", "", "convbert",
     "generator_predictions@280 generator_lm_head@281 convbert=:ConvBertModel", ""},
    {"ConvBertForMultipleChoice", "convbert", "", "convbert", "classifier@59 convbert=:ConvBertModel", ""},
    {"ConvBertForQuestionAnswering", "convbert", "", "convbert", "qa_outputs@22 convbert=:ConvBertModel", ""},
    {"ConvBertForSequenceClassification", "convbert", "", "convbert", "classifier@160 convbert=:ConvBertModel", ""},
    {"ConvBertForTokenClassification", "convbert", "", "convbert", "classifier@22 convbert=:ConvBertModel", ""},
    {"ConvBertModel", "convbert", "convbert", "convbert",
     "embeddings@42 encoder(layer(#{num_hidden_layers}(attention(self(query@282 key@282 value@282 key_conv_attn_la"
     "yer(bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1] "
     "depthwise@283 pointwise(weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_rat"
     "io))/2)),(hidden_size/1),1])) conv_kernel_layer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),("
     "(num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))] "
     "bias[((num_attention_heads/head_ratio)*conv_kernel_size)]) conv_out_layer@282) output@140) intermediate@142 "
     "output@143)))", ""},
    {"Cosmos3OmniForConditionalGeneration", "cosmos3_omni", "", "model",
     "patch_embed@285 pos_embed@286 blocks@291 merger(norm@74 linear_fc1@292 linear_fc2@293) "
     "deepstack_merger_list(#{}(norm@294 linear_fc1@292 linear_fc2@293)) embed_tokens@80 layers@305 norm@303 "
     "lm_head@80",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"Cosmos3OmniModel", "cosmos3_omni", "cosmos3_omni", "model",
     "language_model(embed_tokens@80 layers@305 norm@303) visual=vision_config:Qwen3VLMoeVisionModel",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"CpmAntForCausalLM", "cpmant", "", "cpmant", "lm_head@0 cpmant=:CpmAntModel", ""},
    {"CpmAntModel", "cpmant", "cpmant", "cpmant",
     "encoder(layers(#{num_hidden_layers}(self_att(layernorm_before_attention(weight[hidden_size]) "
     "self_attention(project_q@306 project_k@306 project_v@306 "
     "attention_out(weight[hidden_size,(num_attention_heads*dim_head)]))) "
     "ffn(layernorm_before_ffn(weight[hidden_size]) ffn(w_in(w_0@307 w_1@307) "
     "w_out(weight[hidden_size,dim_ff]))))) output_layernorm(weight[hidden_size])) "
     "segment_embedding(weight[segment_types,hidden_size]) "
     "input_embedding(weight[(vocab_size+(prompt_types*prompt_length)),hidden_size]) position_bias(relative_attent"
     "ion_bias[((segment_types*segment_types)+position_bias_num_buckets),num_attention_heads])", ""},
    {"CwmForCausalLM", "cwm", "", "model", "lm_head@0 model=:CwmModel", ""},
    {"CwmModel", "cwm", "cwm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@310 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DPRQuestionEncoder", "dpr", "dpr", "question_encoder", "question_encoder(bert_model@147)", ""},
    {"Data2VecTextForCausalLM Data2VecTextForMaskedLM", "data2vec-text", "", "data2vec_text",
     "data2vec_text@256 lm_head@254", ""},
    {"Data2VecTextForMultipleChoice", "data2vec-text", "", "data2vec_text",
     "classifier@59 data2vec_text=:Data2VecTextModel", ""},
    {"Data2VecTextForQuestionAnswering", "data2vec-text", "", "data2vec_text", "data2vec_text@256 qa_outputs@22", ""},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@256 classifier@160",
     ""},
    {"Data2VecTextForTokenClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@256 classifier@22", ""},
    {"Data2VecTextModel", "data2vec-text", "data2vec-text", "data2vec_text", "embeddings@255 encoder@146 pooler@154",
     ""},
    {"DebertaForMaskedLM", "deberta", "", "deberta", "cls@150 deberta=:DebertaModel", "position_embeddings"},
    {"DebertaForQuestionAnswering", "deberta", "", "deberta", "qa_outputs@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForSequenceClassification", "deberta", "", "deberta", "pooler@312 classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForTokenClassification", "deberta", "", "deberta", "classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaModel", "deberta", "deberta", "deberta",
     "embeddings@314 encoder(layer(#{num_hidden_layers}(attention(self(q_bias[(num_attention_heads*(hidden_size/nu"
     "m_attention_heads))] v_bias[(num_attention_heads*(hidden_size/num_attention_heads))] "
     "in_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size])) output@140) "
     "intermediate@142 output@143)) rel_embeddings@315)", "position_embeddings"},
    {"DebertaV2ForMaskedLM", "deberta-v2", "", "deberta", "cls@150 deberta=:DebertaV2Model",
     "mask_predictions.* position_embeddings"},
    {"DebertaV2ForMultipleChoice", "deberta-v2", "", "deberta", "pooler@312 classifier@59 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForQuestionAnswering", "deberta-v2", "", "deberta", "qa_outputs@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForSequenceClassification", "deberta-v2", "", "deberta",
     "pooler@312 classifier@22 deberta=:DebertaV2Model", "position_embeddings"},
    {"DebertaV2ForTokenClassification", "deberta-v2", "", "deberta", "classifier@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2Model", "deberta-v2", "deberta-v2", "deberta",
     "embeddings@314 encoder(layer(#{num_hidden_layers}(attention(self(query_proj@45 key_proj@45 value_proj@45) "
     "output@140) intermediate@142 output@143)) rel_embeddings@315)", "position_embeddings"},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "", "model", "lm_head@0 model=:DeepseekV2Model", ""},
    {"DeepseekV2ForSequenceClassification", "deepseek_v2", "", "model",
     "score(weight[?,hidden_size]) model=:DeepseekV2Model", ""},
    {"DeepseekV2Model", "deepseek_v2", "deepseek_v2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@6 mlp(gate_proj@189 up_proj@189 down_proj@191 experts@9"
     " gate@316 shared_experts(gate_proj@317 up_proj@317 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]? bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"DeepseekV32ForCausalLM", "deepseek_v32", "", "model", "lm_head@0 model=:DeepseekV32Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV32Model", "deepseek_v32", "deepseek_v32", "model", "embed_tokens@0 layers@320 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "", "model", "lm_head@0 model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForSequenceClassification", "deepseek_v3", "", "model",
     "score(weight[?,hidden_size]) model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForTokenClassification", "deepseek_v3", "", "model", "score@22 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3Model", "deepseek_v3", "deepseek_v3", "model", "embed_tokens@0 layers@322 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "", "model",
     "model(embed_tokens@0 layers@347 norm(weight[hidden_size]) hc_head(hc_fn[hc_mult,(hc_mult*hidden_size)] "
     "hc_base[hc_mult] hc_scale[1])) head@0", "(^|\\.)mtp\\..*"},
    {"DeepseekV4Model", "deepseek_v4", "deepseek_v4", "model",
     "embed@0 layers@347 norm(weight[hidden_size]) hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult]"
     " hc_head_scale[1]", "(^|\\.)mtp\\..*"},
    {"DeepseekVLForConditionalGeneration", "deepseek_vl", "", "model", "lm_head@94 model=:DeepseekVLModel", ""},
    {"DeepseekVLHybridForConditionalGeneration", "deepseek_vl_hybrid", "", "model",
     "lm_head@94 model=:DeepseekVLHybridModel", ""},
    {"DeepseekVLHybridModel", "deepseek_vl_hybrid", "deepseek_vl_hybrid", "model",
     "high_res_vision_alpha[1] high_res_vision_neck(conv1(weight[high_res_vision_config.output_channels,(high_res_"
     "vision_config.hidden_size/1),1,1]) layer_norm1@348 "
     "conv2(weight[high_res_vision_config.output_channels,(high_res_vision_config.output_channels/1),?,?]) "
     "layer_norm2@348) high_res_vision_proj(conv1(weight[(high_res_vision_config.output_channels*2),(high_res_visi"
     "on_config.output_channels/1),?,?]) conv2(weight[(high_res_vision_config.output_channels*4),((high_res_vision"
     "_config.output_channels*2)/1),?,?])) "
     "aligner(vision_proj(weight[(text_config.hidden_size/2),vision_config.hidden_size] "
     "bias[(text_config.hidden_size/2)]) "
     "high_res_vision_proj(weight[(text_config.hidden_size/2),(high_res_vision_config.output_channels*4)] "
     "bias[(text_config.hidden_size/2)]) proj@86) high_res_vision_model=high_res_vision_config:SamVisionModel "
     "vision_model=vision_config:SiglipVisionModel language_model=text_config:Ernie4_5Model", ""},
    {"DeepseekVLModel", "deepseek_vl", "deepseek_vl", "model",
     "aligner(linear1@349 linear2@86) vision_model=vision_config:SiglipVisionModel "
     "language_model=text_config:Ernie4_5Model", ""},
    {"DiffLlamaForCausalLM", "diffllama", "", "model", "lm_head@0 model=:DiffLlamaModel", ""},
    {"DiffLlamaForQuestionAnswering", "diffllama", "", "transformer", "qa_outputs@22 transformer=:DiffLlamaModel", ""},
    {"DiffLlamaForSequenceClassification", "diffllama", "", "model",
     "score(weight[?,hidden_size]) model=:DiffLlamaModel", ""},
    {"DiffLlamaForTokenClassification", "diffllama", "", "model", "score@22 model=:DiffLlamaModel", ""},
    {"DiffLlamaModel", "diffllama", "diffllama", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(lambda_q1[?] lambda_k1[?] lambda_q2[?] lambda_k2[?] "
     "q_proj@28 k_proj@29 v_proj@29 o_proj@30) mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DistilBertForMaskedLM", "distilbert", "", "distilbert",
     "vocab_transform@350 vocab_layer_norm(weight[dim] bias[dim]) vocab_projector(weight[vocab_size,dim]? "
     "bias[vocab_size]) distilbert=:DistilBertModel", ""},
    {"DistilBertForMultipleChoice", "distilbert", "", "distilbert",
     "pre_classifier@350 classifier(weight[1,dim] bias[1]) distilbert=:DistilBertModel", ""},
    {"DistilBertForQuestionAnswering", "distilbert", "", "distilbert",
     "qa_outputs(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertForSequenceClassification", "distilbert", "", "distilbert",
     "pre_classifier@350 classifier(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertForTokenClassification", "distilbert", "", "distilbert",
     "classifier(weight[?,dim] bias[?]) distilbert=:DistilBertModel", ""},
    {"DistilBertModel", "distilbert", "distilbert", "distilbert",
     "embeddings(word_embeddings(weight[vocab_size,dim]) position_embeddings(weight[max_position_embeddings,dim]) "
     "LayerNorm(weight[dim] bias[dim])) transformer(layer(#{n_layers}(attention(q_lin@350 k_lin@350 v_lin@350 "
     "out_lin@350) sa_layer_norm(weight[dim] bias[dim]) ffn(lin1(weight[hidden_dim,dim] bias[hidden_dim]) "
     "lin2(weight[dim,hidden_dim] bias[dim])) output_layer_norm(weight[dim] bias[dim]))))", ""},
    {"DogeForCausalLM", "doge", "", "model", "lm_head@0 model=:DogeModel", ""},
    {"DogeForSequenceClassification", "doge", "", "model", "score(weight[?,hidden_size]) model=:DogeModel", ""},
    {"DogeModel", "doge", "doge", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_residual[hidden_size] post_attention_residual[hidden_size] "
     "input_layernorm(weight[hidden_size]) self_attn(A[num_key_value_heads] q_proj@60 k_proj@61 v_proj@61 "
     "dt_proj(weight[num_key_value_heads,(num_key_value_heads*(hidden_size/num_attention_heads))] "
     "bias[num_key_value_heads]?) o_proj@62 q_norm@63 k_norm@63) post_attention_layernorm(weight[hidden_size]) "
     "mlp(gate_proj@68 up_proj@68 down_proj@69 router_gate@351 down_embed@32 up_embed@32))) "
     "norm(weight[hidden_size])", ""},
    {"ElectraForCausalLM ElectraForMaskedLM", "electra", "", "electra",
     "generator_predictions@280 generator_lm_head@281 electra=:ElectraModel", ""},
    {"ElectraForMultipleChoice", "electra", "", "electra",
     "sequence_summary(summary@46) classifier@59 electra=:ElectraModel", ""},
    {"ElectraForPreTraining", "electra", "", "electra",
     "discriminator_predictions(dense@46 dense_prediction@59) electra=:ElectraModel", ""},
    {"ElectraForQuestionAnswering", "electra", "", "electra", "qa_outputs@22 electra=:ElectraModel", ""},
    {"ElectraForSequenceClassification", "electra", "", "electra", "classifier@160 electra=:ElectraModel", ""},
    {"ElectraForTokenClassification", "electra", "", "electra", "classifier@22 electra=:ElectraModel", ""},
    {"ElectraModel", "electra", "electra", "electra",
     "embeddings@42 encoder@146 embeddings_project(weight[hidden_size,embedding_size]? bias[hidden_size]?)", ""},
    {"EmbeddingGemma2Model", "embedding_gemma2", "embedding_gemma2", "model",
     "language_model=text_config:EmbeddingGemma2TextModel",
     "(^|\\.)audio_tower\\. (^|\\.)embed_audio\\. (^|\\.)embed_vision\\. (^|\\.)vision_tower\\."},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", "embedding_gemma2_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@352 k_proj@352 v_proj@352 o_proj@353 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) ple_block(per_layer_input_gate@354 per_layer_projection@355 "
     "post_per_layer_input_norm(weight[hidden_size])) layer_scalar[1])) norm(weight[hidden_size]) "
     "ple(per_layer_model_projection@356 per_layer_projection_norm@357) "
     "embedding_projection(weight[embedding_dim,hidden_size])", ""},
    {"Emu3ForCausalLM", "emu3_text_model", "", "model", "lm_head@0 model=:Emu3TextModel", ""},
    {"Emu3TextModel", "emu3_text_model", "", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@361 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "", "model", "lm_head@167 model=:Ernie4_5Model", ""},
    {"Ernie4_5Model EuroBertModel LlamaModel SeedOssModel UltrabertModel", "ernie4_5 eurobert llama seed_oss ultrabert",
     "ernie4_5 eurobert internlm3 iquestcoder llama seed_oss ultrabert", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "", "model", "lm_head@167 model=:Ernie4_5_MoeModel", "mtp"},
    {"Ernie4_5_MoeModel", "ernie4_5_moe", "ernie4_5_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 mlp(gate_proj@189 up_proj@189 down_proj@191 "
     "gate(weight[moe_num_experts,hidden_size]?) moe_statics(e_score_correction_bias[1,moe_num_experts]?) "
     "experts(gate_up_proj[moe_num_experts,(2*moe_intermediate_size),hidden_size]~ "
     "down_proj[moe_num_experts,hidden_size,moe_intermediate_size]~) shared_experts(gate_proj@363 up_proj@363 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*moe_num_shared_experts)]? bias[hidden_size]?))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", "mtp"},
    {"ErnieForCausalLM ErnieForMaskedLM", "ernie", "", "ernie", "ernie@366 cls@150", ""},
    {"ErnieForMultipleChoice", "ernie", "", "ernie", "classifier@59 ernie=:ErnieModel", ""},
    {"ErnieForNextSentencePrediction", "ernie", "", "ernie", "cls@151 ernie=:ErnieModel", ""},
    {"ErnieForPreTraining", "ernie", "", "ernie", "cls@152 ernie=:ErnieModel", ""},
    {"ErnieForQuestionAnswering", "ernie", "", "ernie", "ernie@366 qa_outputs@22", ""},
    {"ErnieForSequenceClassification", "ernie", "", "ernie", "classifier@22 ernie=:ErnieModel", ""},
    {"ErnieForTokenClassification", "ernie", "", "ernie", "ernie@366 classifier@22", ""},
    {"ErnieModel", "ernie", "ernie", "ernie", "embeddings@365 encoder@146 pooler@154", ""},
    {"EsmForMaskedLM", "esm", "", "esm", "esm@379 lm_head(bias[vocab_size] dense@46 layer_norm@44 decoder@167)",
     "position_embeddings.weight"},
    {"EsmForSequenceClassification", "esm", "", "esm", "esm@379 classifier@160", "position_embeddings.weight"},
    {"EsmForTokenClassification", "esm", "", "esm", "esm@379 classifier@22", "position_embeddings.weight"},
    {"EsmModel", "esm", "esm", "esm", "embeddings@367 encoder@376 pooler@154 contact_head@378",
     "position_embeddings.weight"},
    {"EuroBertForMaskedLM LlamaForCausalLM SeedOssForCausalLM", "eurobert llama seed_oss", "", "model",
     "lm_head@0 model=:Ernie4_5Model", ""},
    {"EuroBertForSequenceClassification", "eurobert", "", "model", "dense@46 classifier@22 model=:Ernie4_5Model", ""},
    {"EuroBertForTokenClassification", "eurobert", "", "model", "classifier@22 model=:Ernie4_5Model", ""},
    {"EvollaForProteinText2Text", "evolla", "", "model", "lm_head@0 model=:EvollaModel", ""},
    {"EvollaModel", "evolla", "evolla", "model",
     "embed_tokens@0 protein_encoder(model(embeddings(word_embeddings(weight[protein_encoder_config.vocab_size,pro"
     "tein_encoder_config.hidden_size]) layer_norm(weight[protein_encoder_config.hidden_size]? "
     "bias[protein_encoder_config.hidden_size]?)) "
     "encoder(layer(#{protein_encoder_config.num_hidden_layers}(attention(self(query@380 key@380 value@380) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@381) "
     "intermediate(dense(weight[protein_encoder_config.intermediate_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.intermediate_size])) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.intermediate_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@381)) emb_layer_norm_after@381) "
     "rotary_embeddings(inv_freq[?])) "
     "sequence_compressor_resampler(latents[resampler_num_latents,protein_encoder_config.hidden_size] layers(0@389"
     " 1@389 2@389 3@389 4@389 5@389) norm@44 "
     "protein_projector(weight[hidden_size,protein_encoder_config.hidden_size] bias[hidden_size]))) "
     "layers(#{num_hidden_layers}(self_attn@362 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) adapter(gate_attention[?]? gate_ffw[?]? query@184 "
     "key_protein@184 value_protein@184 attention_norm(weight[hidden_size]?) out_proj@186 ff(norm@187 "
     "fc1(weight[(hidden_size*aligner_ffn_mult),hidden_size]?) "
     "fc2(weight[hidden_size,(hidden_size*aligner_ffn_mult)]?))))) norm(weight[hidden_size])", ""},
    {"Exaone4ForCausalLM", "exaone4", "", "model", "lm_head@0 model=:Exaone4Model", ""},
    {"Exaone4ForQuestionAnswering", "exaone4", "", "transformer", "qa_outputs@22 transformer=:Exaone4Model", ""},
    {"Exaone4ForSequenceClassification", "exaone4", "", "model", "score(weight[?,hidden_size]) model=:Exaone4Model", ""},
    {"Exaone4ForTokenClassification", "exaone4", "", "model", "score@22 model=:Exaone4Model", ""},
    {"Exaone4Model", "exaone4", "exaone4", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@390 mlp@266 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Exaone4_5_ForConditionalGeneration", "exaone4_5", "", "model", "lm_head@80 model=:Exaone4_5_Model", "mtp.*"},
    {"Exaone4_5_Model", "exaone4_5", "exaone4_5", "model",
     "visual=vision_config:Exaone4_5_VisionModel language_model=text_config:Exaone4Model", "mtp.*"},
    {"Exaone4_5_VisionModel", "exaone4_5_vision", "exaone4_5_vision", "model",
     "patch_embed@392 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(proj@46 qkv(weigh"
     "t[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2)),hidden_size] "
     "bias[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2))])) mlp@393)) "
     "merger@397", "mtp.*"},
    {"ExaoneMoeForCausalLM", "exaone_moe", "", "model", "lm_head@0 model=:ExaoneMoeModel", "mtp.*"},
    {"ExaoneMoeModel", "exaone_moe", "exaone_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@390 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@37 "
     "gate@32 shared_experts@36 e_score_correction_bias[num_experts]?) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "mtp.*"},
    {"FNetForMaskedLM", "fnet", "", "fnet", "cls@150 fnet=:FNetModel", ""},
    {"FNetForMultipleChoice", "fnet", "", "fnet", "classifier@59 fnet=:FNetModel", ""},
    {"FNetForNextSentencePrediction", "fnet", "", "fnet", "cls@151 fnet=:FNetModel", ""},
    {"FNetForPreTraining", "fnet", "", "fnet", "cls@152 fnet=:FNetModel", ""},
    {"FNetForQuestionAnswering", "fnet", "", "fnet", "qa_outputs@22 fnet=:FNetModel", ""},
    {"FNetForSequenceClassification FNetForTokenClassification", "fnet", "", "fnet", "classifier@22 fnet=:FNetModel",
     ""},
    {"FNetModel", "fnet", "fnet", "fnet",
     "embeddings(word_embeddings@0 position_embeddings@136 token_type_embeddings@137 LayerNorm@44 projection@46) "
     "encoder(layer(#{num_hidden_layers}(fourier(output(LayerNorm@44)) intermediate@142 output@143))) pooler@154", ""},
    {"FalconForCausalLM", "falcon", "", "transformer", "lm_head@167 transformer=:FalconModel", ""},
    {"FalconForQuestionAnswering", "falcon", "", "transformer", "qa_outputs@22 transformer=:FalconModel", ""},
    {"FalconForSequenceClassification", "falcon", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:FalconModel", ""},
    {"FalconForTokenClassification", "falcon", "", "transformer", "classifier@22 transformer=:FalconModel", ""},
    {"FalconH1ForCausalLM", "falcon_h1", "", "model", "lm_head@0 model=:FalconH1Model", ""},
    {"FalconH1Model", "falcon_h1", "falcon_h1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@109 mamba(dt_bias[mamba_n_heads] "
     "A_log[mamba_n_heads] D[mamba_n_heads] conv1d(weight[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)),((mamba"
     "_d_ssm+((2*mamba_n_groups)*mamba_d_state))/(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
     "bias[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))]?) "
     "in_proj(weight[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads),hidden_size] "
     "bias[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads)]?) "
     "out_proj(weight[hidden_size,mamba_d_ssm] bias[hidden_size]?) norm(weight[mamba_d_ssm]?)) self_attn@362 "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"FalconMambaForCausalLM MambaForCausalLM", "falcon_mamba mamba", "", "backbone",
     "lm_head@167 backbone=:FalconMambaModel", ""},
    {"FalconMambaModel MambaModel", "falcon_mamba mamba", "falcon_mamba mamba", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(A_log[intermediate_size,state_size]"
     " D[intermediate_size] conv1d(weight[intermediate_size,(intermediate_size/intermediate_size),conv_kernel] "
     "bias[intermediate_size]?) in_proj@398 x_proj(weight[(time_step_rank+(state_size*2)),intermediate_size]) "
     "dt_proj(weight[intermediate_size,time_step_rank] bias[intermediate_size]) out_proj@69))) "
     "norm_f(weight[hidden_size])", ""},
    {"FalconModel", "falcon", "falcon", "transformer",
     "word_embeddings@0 h(#{num_hidden_layers}(self_attention(query_key_value(weight[?,hidden_size] "
     "bias[(hidden_size+(2*(hidden_size/num_attention_heads)))]?) dense@399) "
     "mlp(dense_h_to_4h(weight[ffn_hidden_size,hidden_size] bias[ffn_hidden_size]?) "
     "dense_4h_to_h(weight[hidden_size,ffn_hidden_size] bias[hidden_size]?)) input_layernorm@187 ln_attn@187 "
     "ln_mlp@187 post_attention_layernorm@187)) ln_f@44", ""},
    {"FlaubertForMultipleChoice XLMForMultipleChoice", "flaubert xlm", "", "transformer",
     "sequence_summary@401 logits_proj(weight[1,?] bias[1]) transformer=:FlaubertModel", ""},
    {"FlaubertForQuestionAnsweringSimple XLMForQuestionAnsweringSimple", "flaubert xlm", "", "transformer",
     "qa_outputs@400 transformer=:FlaubertModel", ""},
    {"FlaubertForSequenceClassification XLMForSequenceClassification", "flaubert xlm", "", "transformer",
     "sequence_summary@401 transformer=:FlaubertModel", ""},
    {"FlaubertForTokenClassification XLMForTokenClassification", "flaubert xlm", "", "transformer",
     "classifier@400 transformer=:FlaubertModel", ""},
    {"FlaubertModel XLMModel", "flaubert xlm", "flaubert xlm", "transformer",
     "position_embeddings(weight[max_position_embeddings,emb_dim]) embeddings(weight[vocab_size,emb_dim]) "
     "layer_norm_emb@402 attentions(#{}(q_lin@403 k_lin@403 v_lin@403 out_lin@403)) layer_norm1@404 "
     "ffns(#{}(lin1(weight[(emb_dim*4),emb_dim] bias[(emb_dim*4)]) lin2(weight[emb_dim,(emb_dim*4)] "
     "bias[emb_dim]))) layer_norm2@404", ""},
    {"FlaubertWithLMHeadModel XLMWithLMHeadModel", "flaubert xlm", "", "transformer",
     "pred_layer(proj(weight[vocab_size,emb_dim]? bias[vocab_size])) transformer=:FlaubertModel", ""},
    {"FlexOlmoForCausalLM", "flex_olmo", "", "model", "lm_head@0 model=:FlexOlmoModel", ""},
    {"FlexOlmoModel", "flex_olmo", "flex_olmo", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@407 mlp@269 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"FlintForCausalLM", "flint", "", "model", "lm_head@0 model=:FlintModel", ""},
    {"FlintModel", "flint", "flint", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(softmax_offset[num_attention_heads] q_proj@28 k_proj@29"
     " v_proj@29 o_proj@30 q_norm(weight[head_dim]) k_norm(weight[head_dim])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts@37 gate@32 shared_expert@410) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"FunnelBaseModel", "funnel", "funnel", "funnel", "embeddings@411 encoder@422", ""},
    {"FunnelForMaskedLM", "funnel", "", "funnel", "lm_head@423 funnel=:FunnelModel", ""},
    {"FunnelForMultipleChoice", "funnel", "", "funnel",
     "classifier(linear_hidden@117 linear_out@424) funnel=:FunnelBaseModel", ""},
    {"FunnelForPreTraining", "funnel", "", "funnel",
     "discriminator_predictions(dense@117 dense_prediction@424) funnel=:FunnelModel", ""},
    {"FunnelForQuestionAnswering", "funnel", "", "funnel", "qa_outputs@127 funnel=:FunnelModel", ""},
    {"FunnelForSequenceClassification", "funnel", "", "funnel",
     "classifier(linear_hidden@117 linear_out@127) funnel=:FunnelBaseModel", ""},
    {"FunnelForTokenClassification", "funnel", "", "funnel", "classifier@127 funnel=:FunnelModel", ""},
    {"FunnelModel", "funnel", "funnel", "funnel",
     "embeddings@411 encoder@422 decoder(layers(#{num_decoder_layers}@419))", ""},
    {"FuyuForCausalLM", "fuyu", "", "model",
     "vision_embed_tokens@425 language_model(lm_head@80 model=text_config:PersimmonModel)", ""},
    {"FuyuModel", "fuyu", "fuyu", "model", "vision_embed_tokens@425 language_model(model=text_config:PersimmonModel)",
     ""},
    {"GPT2ForQuestionAnswering", "gpt2", "", "transformer", "qa_outputs@426 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForSequenceClassification", "gpt2", "", "transformer", "score(weight[?,n_embd]) transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForTokenClassification", "gpt2", "", "transformer", "classifier@426 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2LMHeadModel", "gpt2", "", "transformer", "lm_head@427 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2Model", "gpt2", "gpt-sw3 gpt2", "transformer",
     "wte@251 wpe@428 h(#{n_layer}(ln_1@253 attn@430 ln_2@253 mlp@433 crossattention@436 "
     "ln_cross_attn(weight[n_embd]? bias[n_embd]?))) ln_f@253", "attn.bias crossattention.bias"},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", "", "transformer", "lm_head@427 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForSequenceClassification", "gpt_bigcode", "", "transformer",
     "score(weight[?,n_embd]) transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForTokenClassification", "gpt_bigcode", "", "transformer",
     "classifier@426 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeModel", "gpt_bigcode", "gpt_bigcode", "transformer",
     "wte@251 wpe@428 h(#{n_layer}(ln_1@253 attn(c_attn@426 c_proj@252) ln_2@253 mlp(c_fc@263 c_proj@264))) "
     "ln_f@253", ""},
    {"GPTJForCausalLM", "gptj", "", "transformer", "lm_head@262 transformer=:GPTJModel", ""},
    {"GPTJForQuestionAnswering", "gptj", "", "transformer", "qa_outputs@426 transformer=:GPTJModel", ""},
    {"GPTJForSequenceClassification", "gptj", "", "transformer", "score(weight[?,n_embd]) transformer=:GPTJModel", ""},
    {"GPTJModel", "gptj", "gptj", "transformer",
     "wte@251 h(#{n_layer}(ln_1@253 attn(k_proj(weight[n_embd,n_embd]) v_proj(weight[n_embd,n_embd]) "
     "q_proj(weight[n_embd,n_embd]) out_proj(weight[n_embd,n_embd])) mlp@265)) ln_f@253", ""},
    {"GPTNeoForCausalLM", "gpt_neo", "", "transformer", "lm_head@167 transformer=:GPTNeoModel", ""},
    {"GPTNeoForQuestionAnswering", "gpt_neo", "", "transformer", "qa_outputs@22 transformer=:GPTNeoModel", ""},
    {"GPTNeoForSequenceClassification", "gpt_neo", "", "transformer",
     "score(weight[?,hidden_size]) transformer=:GPTNeoModel", ""},
    {"GPTNeoForTokenClassification", "gpt_neo", "", "transformer", "classifier@22 transformer=:GPTNeoModel", ""},
    {"GPTNeoModel", "gpt_neo", "gpt_neo", "transformer",
     "wte@0 wpe@136 h(#{num_layers}(ln_1@44 attn(attention(k_proj@84 v_proj@84 q_proj@84 out_proj@46)) ln_2@44 "
     "mlp(c_fc@219 c_proj@220))) ln_f@44", ""},
    {"GPTNeoXForCausalLM", "gpt_neox", "", "gpt_neox", "embed_out@0 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForQuestionAnswering", "gpt_neox", "", "gpt_neox", "qa_outputs@22 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForSequenceClassification", "gpt_neox", "", "gpt_neox",
     "score(weight[?,hidden_size]) gpt_neox=:GPTNeoXModel", "attention.bias attention.masked_bias"},
    {"GPTNeoXForTokenClassification", "gpt_neox", "", "gpt_neox", "classifier@22 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXJapaneseForCausalLM", "gpt_neox_japanese", "", "gpt_neox_japanese",
     "embed_out@167 gpt_neox_japanese=:GPTNeoXJapaneseModel", ""},
    {"GPTNeoXJapaneseModel", "gpt_neox_japanese", "gpt_neox_japanese", "gpt_neox_japanese",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@44 post_attention_layernorm@44 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size]) dense@84 dense_bias[hidden_size]?) "
     "mlp(dense_h_to_4h(weight[(hidden_size*intermediate_multiple_size),hidden_size]) "
     "dense_4h_to_h(weight[hidden_size,(hidden_size*intermediate_multiple_size)])))) final_layer_norm@44", ""},
    {"GPTNeoXModel", "gpt_neox", "gpt_neox", "gpt_neox",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@44 post_attention_layernorm@44 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]?) dense@399) mlp@437)) "
     "final_layer_norm@44", "attention.bias attention.masked_bias"},
    {"Gemma2ForCausalLM", "gemma2", "", "model", "lm_head@167 model=:Gemma2Model", ""},
    {"Gemma2ForSequenceClassification", "gemma2", "", "model", "score(weight[?,hidden_size]) model=:Gemma2Model", ""},
    {"Gemma2ForTokenClassification", "gemma2", "", "model", "score@22 model=:Gemma2Model", ""},
    {"Gemma2Model", "gemma2", "gemma2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3ForCausalLM", "gemma3_text", "", "model", "lm_head@167 model=:Gemma3TextModel", ""},
    {"Gemma3ForConditionalGeneration", "gemma3", "", "model",
     "multi_modal_projector@439 language_model(lm_head@94 model=text_config:Gemma3TextModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"Gemma3ForSequenceClassification", "gemma3", "", "model",
     "multi_modal_projector@439 score@440 vision_tower=vision_config:SiglipVisionModel language_model@441", ""},
    {"Gemma3Model", "gemma3", "gemma3", "model",
     "multi_modal_projector@439 vision_tower=vision_config:SiglipVisionModel language_model@441", ""},
    {"Gemma3TextForSequenceClassification", "gemma3_text", "", "model",
     "score(weight[?,hidden_size]) model=:Gemma3TextModel", ""},
    {"Gemma3TextModel", "gemma3_text", "gemma3_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@442 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3nForCausalLM", "gemma3n_text", "", "model", "lm_head@167 model=:Gemma3nTextModel", ""},
    {"Gemma3nTextModel", "gemma3n_text", "gemma3n_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 q_norm(weight[head_dim]) k_proj@443 "
     "v_proj@443 k_norm(weight[head_dim]?) o_proj@30) mlp(gate_proj(weight[?,hidden_size]) "
     "up_proj(weight[?,hidden_size]) down_proj(weight[hidden_size,?])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) altup(correct_output_scale[hidden_size] "
     "correction_coefs(weight[altup_num_inputs,altup_num_inputs]) "
     "prediction_coefs(weight[(altup_num_inputs*altup_num_inputs),altup_num_inputs]) "
     "modality_router(weight[altup_num_inputs,hidden_size]) router_norm(weight[hidden_size])) "
     "laurel(linear_left(weight[laurel_rank,hidden_size]) linear_right(weight[hidden_size,laurel_rank]) "
     "post_laurel_norm(weight[hidden_size])) per_layer_input_gate@354 per_layer_projection@355 "
     "post_per_layer_input_norm(weight[hidden_size]))) norm(weight[hidden_size]) embed_tokens_per_layer@444 "
     "per_layer_model_projection@356 per_layer_projection_norm@357 altup_projections@445 "
     "altup_unembed_projections@445", ""},
    {"Gemma4ForCausalLM", "gemma4_text", "", "model", "lm_head@167 model=:Gemma4TextModel", ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "", "model", "lm_head@94 model=:Gemma4Model", ""},
    {"Gemma4Model", "gemma4", "gemma4", "model", "language_model=text_config:Gemma4TextModel", ""},
    {"Gemma4TextModel", "gemma4_text", "gemma4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@447 mlp@450 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) per_layer_input_gate@354 per_layer_projection@355 "
     "post_per_layer_input_norm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size]) "
     "embed_tokens_per_layer@444 per_layer_model_projection@356 per_layer_projection_norm@357", ""},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", "", "model", "lm_head@167 model=:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "", "model", "lm_head@94 model=:Gemma4UnifiedModel", ""},
    {"Gemma4UnifiedModel", "gemma4_unified", "gemma4_unified", "model",
     "language_model=text_config:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedTextModel", "gemma4_unified_text", "gemma4_unified_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@447 mlp@450 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size])", ""},
    {"GemmaForCausalLM", "gemma", "", "model", "lm_head@167 model=:GemmaModel", ""},
    {"GemmaForSequenceClassification", "gemma", "", "model", "score(weight[?,hidden_size]) model=:GemmaModel", ""},
    {"GemmaForTokenClassification", "gemma", "", "model", "score@22 model=:GemmaModel", ""},
    {"GemmaModel", "gemma", "gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GitForCausalLM", "git", "", "git", "output@270 git=:GitModel", ""},
    {"GitModel", "git", "git", "git",
     "embeddings@153 image_encoder(vision_model@455) encoder@146 visual_projection(visual_projection(0@456 1@44))", ""},
    {"Glm46VForConditionalGeneration Glm4vForConditionalGeneration", "glm46v glm4v", "", "model",
     "lm_head@80 model=:Glm46VModel", ""},
    {"Glm46VModel Glm4vModel", "glm46v glm4v", "glm46v glm4v glmga", "model",
     "visual=vision_config:Glm4vVisionModel language_model=text_config:Glm4vTextModel", ""},
    {"Glm4ForCausalLM", "glm4", "", "model", "lm_head@0 model=:Glm4Model", ""},
    {"Glm4ForSequenceClassification", "glm4", "", "model", "score(weight[?,hidden_size]) model=:Glm4Model", ""},
    {"Glm4ForTokenClassification", "glm4", "", "model", "score@22 model=:Glm4Model", ""},
    {"Glm4Model", "glm4", "glm4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@457 mlp@459 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4MoeForCausalLM", "glm4_moe", "", "model", "lm_head@0 model=:Glm4MoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", "", "model", "lm_head@0 model=:Glm4MoeLiteModel",
     "model\\.layers\\.47.*"},
    {"Glm4MoeLiteModel", "glm4_moe_lite", "glm4_moe_lite", "model",
     "embed_tokens@0 layers@322 norm(weight[hidden_size])", "model\\.layers\\.47.*"},
    {"Glm4MoeModel", "glm4_moe", "glm4_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@60 k_proj@61 v_proj@61 o_proj@360 q_norm@460 "
     "k_norm@460) mlp@14 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "", "model", "lm_head@80 model=:Glm4vMoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeModel", "glm4v_moe", "glm4v_moe", "model",
     "language_model(embed_tokens@80 layers(#{text_config.num_hidden_layers}(self_attn@463 mlp(gate_proj@464 "
     "up_proj@464 down_proj@465 experts@466 gate@467 shared_experts@470) input_layernorm@303 "
     "post_attention_layernorm@303) #{}@19) norm@303) visual=vision_config:Glm4vMoeVisionModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeTextModel", "glm4v_moe_text", "glm4v_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@471 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@472 "
     "gate@10 shared_experts@13) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeVisionModel", "glm4v_moe_vision", "glm4v_moe_vision", "model",
     "embeddings@474 patch_embed@476 blocks@483 merger@488 post_conv_layernorm(weight[hidden_size]) downsample@489"
     " post_layernorm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vTextModel", "glm4v_text", "glm4v_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@491 mlp@459 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4vVisionModel", "glm4v_vision", "glm4v_vision", "model",
     "embeddings@474 patch_embed@476 blocks@483 merger@488 post_conv_layernorm(weight[hidden_size]) downsample@489"
     " post_layernorm(weight[hidden_size])", ""},
    {"GlmAsrEncoder", "glmasr_encoder", "glmasr_encoder", "model",
     "conv1@82 conv2@83 layers(#{num_hidden_layers}(self_attn(q_proj@45 k_proj@359 v_proj@490 o_proj@492) mlp@246 "
     "input_layernorm@44 post_attention_layernorm@44)) norm@44", ""},
    {"GlmAsrForConditionalGeneration", "glmasr", "", "model",
     "multi_modal_projector@495 language_model(lm_head@94 model=text_config:Ernie4_5Model) "
     "audio_tower=audio_config:GlmAsrEncoder", ""},
    {"GlmAsrModel", "glmasr", "glmasr", "model",
     "multi_modal_projector@495 audio_tower=audio_config:GlmAsrEncoder language_model@496", ""},
    {"GlmForCausalLM", "glm", "", "model", "lm_head@0 model=:GlmModel", ""},
    {"GlmForSequenceClassification", "glm", "", "model", "score(weight[?,hidden_size]) model=:GlmModel", ""},
    {"GlmForTokenClassification", "glm", "", "model", "score@22 model=:GlmModel", ""},
    {"GlmImageModel", "glm_image", "glm_image", "model",
     "visual=vision_config:GlmImageVisionModel language_model=text_config:GlmImageTextModel "
     "vqmodel=vq_config:GlmImageVQVAE", ""},
    {"GlmImageTextModel", "glm_image_text", "glm_image_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@471 mlp@459 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmImageVQVAE", "glm_image_vqmodel", "glm_image_vqmodel", "model",
     "quantize(embedding(weight[num_embeddings,embed_dim])) quant_conv(weight[embed_dim,(latent_channels/1),1,1] "
     "bias[embed_dim]) post_quant_conv(weight[latent_channels,(embed_dim/1),1,1] bias[latent_channels])", ""},
    {"GlmImageVisionModel", "glm_image_vision", "glm_image_vision", "model",
     "embeddings@474 patch_embed(proj(weight[hidden_size,(in_channels/1),patch_size,patch_size] "
     "bias[hidden_size])) blocks(#{depth}(norm1@44 norm2@44 attn(qkv@477 proj@399) mlp@246))", ""},
    {"GlmModel", "glm", "glm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@457 mlp@459 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", "", "model", "lm_head@0 model=:GlmMoeDsaModel", "model\\.layers\\.78.*"},
    {"GlmMoeDsaModel", "glm_moe_dsa", "glm_moe_dsa", "model", "embed_tokens@0 layers@320 norm(weight[hidden_size])",
     "model\\.layers\\.78.*"},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "", "model", "lm_head@80 model=:GlmOcrModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrModel", "glm_ocr", "glm_ocr", "model",
     "visual=vision_config:GlmOcrVisionModel language_model=text_config:GlmOcrTextModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrTextModel", "glm_ocr_text", "glm_ocr_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@361 mlp@459 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrVisionModel", "glm_ocr_vision", "glm_ocr_vision", "model",
     "patch_embed@476 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(qkv@477 proj@399 "
     "q_norm@497 k_norm@497) mlp@109)) merger(proj@484 post_projection_norm@485 gate_proj@498 up_proj@498 "
     "down_proj(weight[out_hidden_size,(out_hidden_size*in_channels)])) downsample@489 "
     "post_layernorm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GotOcr2ForConditionalGeneration", "got_ocr2", "", "model",
     "vision_tower@511 multi_modal_projector@514 language_model@515", ""},
    {"GotOcr2Model", "got_ocr2", "got_ocr2", "model", "vision_tower@511 multi_modal_projector@514 language_model@89",
     ""},
    {"GptOssForCausalLM", "gpt_oss", "", "model", "lm_head@0 model=:GptOssModel", ""},
    {"GptOssForSequenceClassification", "gpt_oss", "", "model", "score(weight[?,hidden_size]) model=:GptOssModel", ""},
    {"GptOssForTokenClassification OpenAIPrivacyFilterForTokenClassification", "gpt_oss openai_privacy_filter", "",
     "model", "score@22 model=:GptOssModel", ""},
    {"GptOssModel OpenAIPrivacyFilterModel", "gpt_oss openai_privacy_filter", "gpt_oss openai_privacy_filter", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@28 k_proj@29 "
     "v_proj@29 o_proj@30) mlp(router(weight[num_local_experts,hidden_size] bias[num_local_experts]) "
     "experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "gate_up_proj_bias[num_local_experts,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size] down_proj_bias[num_local_experts,hidden_size])) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteDoclingTextModel GraniteModel SmolLM3Model", "granite granite_docling_text smollm3",
     "granite granite_docling_text smollm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteForCausalLM", "granite", "", "model", "lm_head@0 model=:GraniteDoclingTextModel", ""},
    {"GraniteMoeForCausalLM GraniteMoeSharedForCausalLM", "granitemoe granitemoeshared", "", "model",
     "lm_head@0 model=:GraniteMoeModel", ""},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "", "model", "lm_head@0 model=:GraniteMoeHybridModel", ""},
    {"GraniteMoeHybridModel", "granitemoehybrid", "granitemoehybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@520 "
     "shared_mlp(input_linear(weight[(shared_intermediate_size*2),hidden_size]) output_linear@521) mamba@114)) "
     "norm(weight[hidden_size])", ""},
    {"GraniteMoeModel GraniteMoeSharedModel", "granitemoe granitemoeshared", "granitemoe granitemoeshared", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@520)) norm(weight[hidden_size])", ""},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", "", "model", "lm_head@0 model=:GraniteMoeSWAModel", ""},
    {"GraniteMoeSWAModel", "granitemoe_swa", "granitemoe_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@522 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe(router@516 experts@523))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteSWAForCausalLM", "granite_swa", "", "model", "lm_head@167 model=:GraniteSWAModel", ""},
    {"GraniteSWAModel", "granite_swa", "granite_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@522 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteSpeechForConditionalGeneration GraniteSpeechPlusForConditionalGeneration",
     "granite_speech granite_speech_plus", "", "model",
     "encoder@544 projector@546 language_model(lm_head@94 model=text_config:GraniteDoclingTextModel)", ""},
    {"GraniteSpeechModel GraniteSpeechPlusModel", "granite_speech granite_speech_plus",
     "granite_speech granite_speech_plus", "model",
     "encoder@544 projector@546 language_model(model=text_config:GraniteDoclingTextModel)", ""},
    {"GteForMaskedLM", "gte", "", "gte", "lm_head(dense@46 norm@44 decoder@547) gte=:GteModel",
     "inv_freq original_inv_freq"},
    {"GteForSequenceClassification", "gte", "", "gte",
     "gte(embeddings@548 pooler@154 encoder@556 layers@562) classifier@22", "inv_freq original_inv_freq"},
    {"GteForTokenClassification", "gte", "", "gte", "classifier@22 gte=:GteModel", "inv_freq original_inv_freq"},
    {"GteModel", "gte", "gte", "gte", "embeddings@548 encoder@556 layers@562", "inv_freq original_inv_freq"},
    {"HYV3ForCausalLM", "hy_v3", "", "model", "lm_head@0 model=:HYV3Model", "model\\.layers\\.80.*"},
    {"HYV3Model", "hy_v3", "hy_v3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@442 mlp(gate_proj@189 up_proj@189 down_proj@191 "
     "router@33 experts@37 shared_mlp(gate_proj@563 up_proj@563 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*num_shared_experts)]? bias[hidden_size]?)) "
     "expert_bias[num_experts]?) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "model\\.layers\\.80.*"},
    {"HYV4ForCausalLM", "hy_v4", "", "model",
     "model(embed_tokens@0 layers@574 norm(weight[hidden_size]) hc_pre(hc_head@575)) lm_head@0",
     "model\\.mtp_layers\\..*"},
    {"HYV4Model", "hy_v4", "hy_v4", "model", "embed_tokens@0 layers@574 norm(weight[hidden_size]) hc_head(hc_pre@575)",
     "model\\.mtp_layers\\..*"},
    {"HeliumForCausalLM", "helium", "", "model", "lm_head@0 model=:HeliumModel", ""},
    {"HeliumForSequenceClassification", "helium", "", "model", "score(weight[?,hidden_size]) model=:HeliumModel", ""},
    {"HeliumForTokenClassification", "helium", "", "model", "score@22 model=:HeliumModel", ""},
    {"HeliumModel", "helium", "helium", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 k_proj@29 v_proj@29 o_proj@84) mlp@109 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HiggsAudioV2ForConditionalGeneration", "higgs_audio_v2", "higgs_audio_v2", "model",
     "model(embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) audio_mlp@109 audio_input_layernorm(weight[hidden_size]) "
     "audio_post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_audio_tokens(embed_audio_tokens@576)) audio_lm_head@576", "text_lm_head.weight"},
    {"HrmTextForCausalLM", "hrm_text", "", "model", "lm_head@0 model=:HrmTextModel", ""},
    {"HrmTextModel", "hrm_text", "hrm_text", "model", "z_L_init[hidden_size] embed_tokens@0 L_module@586 H_module@586",
     ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "", "model", "lm_head@0 model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1ForSequenceClassification", "hunyuan_v1_dense", "", "model",
     "score(weight[?,hidden_size]) model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1Model", "hunyuan_v1_dense", "hunyuan_v1_dense", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@587 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "", "model", "lm_head@0 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1ForSequenceClassification", "hunyuan_v1_moe", "", "model",
     "score(weight[?,hidden_size]) model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1Model", "hunyuan_v1_moe", "hunyuan_v1_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@587 mlp(gate(wg@267) experts@268 shared_mlp@266) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"HyperCLOVAXForCausalLM", "hyperclovax", "", "model", "lm_head@0 model=:HyperCLOVAXModel", ""},
    {"HyperCLOVAXModel", "hyperclovax", "hyperclovax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_norm1(weight[hidden_size]?) "
     "post_norm2(weight[hidden_size]?))) norm(weight[hidden_size])", ""},
    {"HyperCLOVAXVisionV2ForConditionalGeneration", "hyperclovax_vision_v2", "", "model",
     "model(vision_projector@588 language_model(lm_head@94) "
     "vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel)", ""},
    {"HyperCLOVAXVisionV2Model", "hyperclovax_vision_v2", "hyperclovax_vision_v2", "model",
     "projector@588 vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel", ""},
    {"IBertForMaskedLM", "ibert", "", "ibert", "ibert@608 lm_head@254", ""},
    {"IBertForMultipleChoice", "ibert", "", "ibert", "classifier@59 ibert=:IBertModel", ""},
    {"IBertForQuestionAnswering", "ibert", "", "ibert", "ibert@608 qa_outputs@22", ""},
    {"IBertForSequenceClassification", "ibert", "", "ibert", "ibert@608 classifier@160", ""},
    {"IBertForTokenClassification", "ibert", "", "ibert", "ibert@608 classifier@22", ""},
    {"IBertModel", "ibert", "ibert", "ibert", "embeddings@594 encoder@607 pooler@154", ""},
    {"Idefics2ForConditionalGeneration", "idefics2", "", "model", "lm_head@80 model=:Idefics2Model", ""},
    {"Idefics2Model", "idefics2", "idefics2", "model",
     "vision_model(embeddings@610 encoder@454 post_layernorm@74) connector(modality_projection(gate_proj@611 "
     "up_proj@611 down_proj@301) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,perceiver_config.hidden_size] "
     "layers(#{perceiver_config.resampler_depth}(input_latents_norm@612 input_context_norm@612 self_attn(q_proj(we"
     "ight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_size])"
     " k_proj@613 v_proj@613 o_proj(weight[perceiver_config.hidden_size,(perceiver_config.resampler_n_heads*percei"
     "ver_config.resampler_head_dim)])) post_attention_layernorm@612 mlp(gate_proj@614 up_proj@614 "
     "down_proj(weight[perceiver_config.hidden_size,(perceiver_config.hidden_size*4)])))) norm@612)) "
     "text_model=text_config:Ministral3Model", ""},
    {"Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration", "idefics3 smolvlm", "", "model",
     "lm_head@80 model=:Idefics3Model", ""},
    {"Idefics3Model SmolVLMModel", "idefics3 smolvlm", "idefics3 smolvlm", "model",
     "connector(modality_projection(proj(weight[text_config.hidden_size,(vision_config.hidden_size*(scale_factor*s"
     "cale_factor))]))) vision_model=vision_config:Idefics3VisionTransformer text_model=text_config:Ernie4_5Model", ""},
    {"Idefics3VisionTransformer SmolVLMVisionTransformer", "idefics3_vision smolvlm_vision",
     "idefics3_vision smolvlm_vision", "model", "embeddings@616 encoder@249 post_layernorm@44", ""},
    {"IdeficsForVisionText2Text", "idefics", "", "model", "lm_head@0 model=:IdeficsModel", ""},
    {"IdeficsModel", "idefics", "idefics", "model",
     "embed_tokens@0 vision_model(embeddings(class_embedding[vision_config.embed_dim] patch_embedding(weight[visio"
     "n_config.embed_dim,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch_size]) positi"
     "on_embedding(weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_c"
     "onfig.patch_size))+1),vision_config.embed_dim])) pre_layrnorm@617 "
     "encoder(layers(#{vision_config.num_hidden_layers}(self_attn(k_proj@618 v_proj@618 q_proj@618 out_proj@618) "
     "layer_norm1@617 mlp(fc1(weight[vision_config.intermediate_size,vision_config.embed_dim] "
     "bias[vision_config.intermediate_size]) fc2(weight[vision_config.embed_dim,vision_config.intermediate_size] "
     "bias[vision_config.embed_dim])) layer_norm2@617))) post_layernorm@617) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@358 k_proj@358 v_proj@358 o_proj@360) mlp@619 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "gated_cross_attn_layers(#{(num_hidden_layers/cross_layer_interval)}(alpha_cross_attn[1] alpha_dense[1] "
     "cross_attn(q_proj@358 k_proj@620 v_proj@620 o_proj@360 q_layer_norm@460 k_layer_norm@460) mlp@619 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size]) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,vision_config.embed_dim]? "
     "blocks(#{perceiver_config.resampler_depth}(0(context_layer_norm@621 latents_layer_norm@621 q_proj@622 "
     "k_proj@622 v_proj@622 output_proj(weight[vision_config.embed_dim,(perceiver_config.resampler_n_heads*perceiv"
     "er_config.resampler_head_dim)]?)) 1(ln@621 fc(weight[(vision_config.embed_dim*4),vision_config.embed_dim]?) "
     "c_proj(weight[vision_config.embed_dim,(vision_config.embed_dim*4)]?)))) layer_norm@621)", ""},
    {"ImageGPTForCausalImageModeling", "imagegpt", "", "transformer",
     "lm_head(weight[(vocab_size-1),n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTForImageClassification", "imagegpt", "", "transformer",
     "score(weight[?,n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTModel", "imagegpt", "imagegpt", "transformer",
     "wte@251 wpe@428 h(#{n_layer}(ln_1(weight[?]) attn@430 ln_2(weight[?]) mlp@433 crossattention@436 "
     "ln_cross_attn(weight[?]?))) ln_f(weight[?])", ""},
    {"Inkling2ForCausalLM", "inkling2_text", "", "model", "model(llm(unembed@0) llm=:Inkling2TextModel)", ""},
    {"Inkling2TextModel", "inkling2_text", "inkling2_text", "model",
     "embed@0 embed_norm(weight[hidden_size]) attn_res(mlp_queries(#{num_hidden_layers}[hidden_size]) "
     "attn_queries(#{num_hidden_layers}[?]?) output_query[hidden_size]) "
     "layers(#{num_hidden_layers}(attn(wq_du(weight[?,hidden_size]) wk_dv(weight[?,hidden_size]) "
     "wv_dv(weight[?,hidden_size]) wr_du(weight[?,hidden_size]) wo_ud(weight[hidden_size,?]) k_sconv@623 "
     "v_sconv@623 rel_logits_proj(proj[d_rel,?]) gate_attn(weight[?,hidden_size]) "
     "attn_sink_proj(weight[?,hidden_size]) q_l2_clip(scale[?,?]) rel_l2_clip(scale[?,d_rel])) "
     "mlp(experts(w13_weight[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "w2_weight[n_routed_experts,hidden_size,moe_intermediate_size]) gate(weight[n_routed_experts,hidden_size] "
     "bias[n_routed_experts])) attn_norm(weight[hidden_size]?) mlp_norm(weight[hidden_size]) attn_sconv@283 "
     "mlp_sconv@283 q_input_norm(weight[hidden_size]?) k_input_norm(weight[hidden_size]?) "
     "v_input_norm(weight[hidden_size]?))) norm(weight[hidden_size])", ""},
    {"InklingForCausalLM", "inkling_text", "", "model", "lm_head@0 model=:InklingTextModel", "model\\.mtp\\..*"},
    {"InklingTextModel", "inkling_text", "inkling_text", "model",
     "embed_tokens(weight[vocab_size,hidden_size] embed_norm(weight[hidden_size])) "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj(weight[?,hidden_size]) "
     "v_proj(weight[?,hidden_size]) r_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) k_sconv@625 "
     "v_sconv@625 q_norm(weight[?]) k_norm(weight[?]) rel_logits_proj(proj[d_rel,?])) "
     "mlp(gate(weight[(n_routed_experts+n_shared_experts),hidden_size] global_scale[1] "
     "e_score_correction_bias[n_routed_experts]) "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]) "
     "shared_experts(gate_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "up_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "down_proj[n_shared_experts,hidden_size,moe_intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) attn_sconv@626 mlp_sconv@626)) norm(weight[hidden_size])",
     "model\\.mtp\\..*"},
    {"InstructBlipModel InstructBlipVideoModel", "instructblip instructblipvideo", "instructblip instructblipvideo",
     "blip", "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@180 "
     "qformer(embeddings(word_embeddings@181 position_embeddings@182 layernorm@627) "
     "encoder(layer(#{qformer_config.num_hidden_layers}(attention(attention(query@628 key@628 value@628) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size] bias[qformer_config.hidden_size])"
     " LayerNorm@627)) crossattention(attention(query(weight[(qformer_config.num_attention_heads*(qformer_config.h"
     "idden_size/qformer_config.num_attention_heads)),qformer_config.hidden_size]? "
     "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?)"
     " key@629 value@629) output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size]? "
     "bias[qformer_config.hidden_size]?) LayerNorm(weight[qformer_config.hidden_size]? "
     "bias[qformer_config.hidden_size]?))) intermediate@631 output@633 intermediate_query@631 output_query@633))))"
     " language_projection(weight[text_config.hidden_size,qformer_config.hidden_size] "
     "bias[text_config.hidden_size]) language_model=text_config:OPTModel", ""},
    {"InternVLForConditionalGeneration", "internvl", "", "model",
     "multi_modal_projector@636 language_model@515 vision_tower=vision_config:InternVLVisionModel", ""},
    {"InternVLModel", "internvl", "internvl", "model",
     "multi_modal_projector@636 vision_tower=vision_config:InternVLVisionModel language_model@89", ""},
    {"InternVLVisionModel", "internvl_vision", "internvl_vision", "internvl_vision",
     "embeddings(cls_token[1,1,hidden_size] position_embeddings[1,?,hidden_size]? "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?] bias[hidden_size])) "
     "mask_token[1,1,hidden_size]?) encoder(layer(#{num_hidden_layers}(lambda_1[?] lambda_2[?] attention(q_proj@60"
     " k_proj@60 v_proj@60 projection_layer@46 q_norm(weight[hidden_size]?) k_norm(weight[hidden_size]?)) mlp@246 "
     "layernorm_before@44 layernorm_after@44))) layernorm@187", ""},
    {"Jais2ForCausalLM", "jais2", "", "model", "lm_head@0 model=:Jais2Model", ""},
    {"Jais2Model", "jais2", "jais2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@70 input_layernorm@44 "
     "post_attention_layernorm@44)) norm@44", ""},
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
     "dt_layernorm(weight[mamba_dt_rank]?) b_layernorm@637 c_layernorm@637) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8 router@32 experts@268) input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) self_attn@641) #{}(feed_forward@18)) "
     "final_layernorm(weight[hidden_size])", ""},
    {"JanusForConditionalGeneration", "janus", "", "model", "lm_head@94 model=:JanusModel", ""},
    {"JanusModel", "janus", "janus", "model",
     "vision_model(embeddings@610 encoder(layers(#{vision_config.num_hidden_layers}(layer_norm1@74 "
     "self_attn(q_proj@642 k_proj@642 v_proj@642 projection_layer@72) layer_norm2@74 mlp(fc1@643 fc2@644)))) "
     "post_layernorm@74) aligner(fc1@645 "
     "hidden_layers(0(weight[vision_config.projection_dim,vision_config.projection_dim] "
     "bias[vision_config.projection_dim]))) "
     "vqmodel(encoder(conv_in(weight[vq_config.base_channels,(vq_config.in_channels/1),?,?] "
     "bias[vq_config.base_channels]) down(0(block(0(norm1(weight[(vq_config.base_channels*1)] "
     "bias[(vq_config.base_channels*1)]) conv1(weight[?,((vq_config.base_channels*1)/1),?,?] bias[?]) "
     "norm2(weight[?] bias[?]) conv2@646) 1@647) downsample@648) 1@650 2(block@653 downsample@648) 3@650 "
     "4(block@653 attn(0@654 1@654))) mid@655 norm_out(weight[?] bias[?]) "
     "conv_out(weight[vq_config.latent_channels,?,?,?] bias[vq_config.latent_channels])) quantize(embedding@656) "
     "quant_conv(weight[vq_config.embed_dim,(vq_config.latent_channels/1),1,1] bias[vq_config.embed_dim]) "
     "post_quant_conv(weight[vq_config.latent_channels,(vq_config.embed_dim/1),1,1] "
     "bias[vq_config.latent_channels]) decoder(conv_in(weight[?,(vq_config.latent_channels/1),?,?] bias[?]) "
     "mid@655 up(0(block@657 attn(0@654 1@654 2@654) upsample@648) 1@659 2(block@657 upsample@648) 3@659 "
     "4(block@657)) norm_out(weight[?] bias[?]) conv_out(weight[vq_config.out_channels,?,?,?] "
     "bias[vq_config.out_channels]))) generation_embeddings@656 "
     "generation_aligner(fc1(weight[vq_config.projection_dim,vq_config.embed_dim] bias[vq_config.projection_dim]) "
     "hidden_layers(0(weight[vq_config.projection_dim,vq_config.projection_dim] bias[vq_config.projection_dim]))) "
     "generation_head(proj_out(weight[vq_config.projection_dim,vq_config.image_token_embed_dim] "
     "bias[vq_config.projection_dim]) vision_head(weight[vq_config.num_embeddings,vq_config.projection_dim] "
     "bias[vq_config.num_embeddings])) language_model=text_config:Ernie4_5Model", ""},
    {"JetMoeForCausalLM", "jetmoe", "", "model", "lm_head@167 model=:JetMoeModel", ""},
    {"JetMoeForSequenceClassification", "jetmoe", "", "model", "score(weight[?,hidden_size]) model=:JetMoeModel", ""},
    {"JetMoeModel", "jetmoe", "jetmoe", "model", "embed_tokens@0 layers(#{num_hidden_layers}(mlp(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(intermediate_size*2),hidden_size]) output_linear@519 router@517) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attention(experts(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(kv_channels*num_key_value_heads),hidden_size]) "
     "output_linear(weight[num_local_experts,hidden_size,(kv_channels*num_key_value_heads)]) router@517) "
     "kv_proj(weight[((kv_channels*num_key_value_heads)*2),hidden_size])))) norm(weight[hidden_size])", ""},
    {"JevForDecision", "jev", "", "model",
     "weight[num_verbalizers,hidden_size] proj(bias[num_verbalizers]) model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "", "roberta", "lm_head@254 roberta@669", ""},
    {"JinaEmbeddingsV3ForQuestionAnswering", "jina_embeddings_v3", "", "roberta", "qa_outputs@22 roberta@669", ""},
    {"JinaEmbeddingsV3ForSequenceClassification", "jina_embeddings_v3", "", "roberta", "classifier@160 roberta@669", ""},
    {"JinaEmbeddingsV3ForTokenClassification", "jina_embeddings_v3", "", "roberta", "classifier@22 roberta@669", ""},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "jina_embeddings_v3", "roberta",
     "embeddings@660 emb_ln@44 pooler@154 encoder@666 layers@668", ""},
    {"KimiLinearForCausalLM", "kimi_linear", "", "model", "lm_head@0 model=:KimiLinearModel", ""},
    {"KimiLinearModel", "kimi_linear", "kimi_linear", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj@95 v_proj@95 "
     "conv1d@101 dt_bias[(linear_head_dim*linear_num_heads)]? A_log[1,1,linear_num_heads,1]? f_a_proj@670 "
     "f_b_proj@671 b_proj@96 g_a_proj@670 g_b_proj@671 o_norm@97 o_proj(weight[hidden_size,?]) "
     "kv_a_proj_with_mqa@98 kv_a_layernorm(weight[kv_lora_rank]?) kv_b_proj@99) block_sparse_moe(gate_proj@7 "
     "up_proj@7 down_proj@8 gate@135 shared_experts@36) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) mlp(experts@37)) #{}(self_attn@106 block_sparse_moe@345)) "
     "norm(weight[hidden_size])", ""},
    {"Kolibri1ForCausalLM", "kolibri1", "", "model", "lm_head@0 model=:Kolibri1Model", ""},
    {"Kolibri1Model", "kolibri1", "kolibri1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@695 mlp(experts@696 gate@516 shared_experts@699) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_attn_norm(weight[hidden_size]) post_ffn_norm(weight[hidden_size]) "
     "moe(router(expert_bias[num_local_experts]))) #{}@19) norm(weight[hidden_size])", ""},
    {"Kosmos2ForConditionalGeneration", "kosmos-2", "", "",
     "text_model(model@713 lm_head@714) vision_model@715 image_to_text_projection@718", ""},
    {"Kosmos2Model", "kosmos-2", "kosmos-2", "", "text_model(model@713) vision_model@715 image_to_text_projection@718",
     ""},
    {"Kosmos2_5ForConditionalGeneration", "kosmos-2.5", "", "",
     "text_model(model@722 lm_head@714) vision_model@735 image_to_text_projection@718", ""},
    {"Kosmos2_5Model", "kosmos-2.5", "kosmos-2.5", "",
     "text_model(model@722) vision_model@735 image_to_text_projection@718", ""},
    {"LEDForConditionalGeneration", "led", "", "led", "lm_head@126 final_logits_bias[1,vocab_size]? led=:LEDModel", ""},
    {"LEDForQuestionAnswering", "led", "", "led", "qa_outputs@127 led=:LEDModel", ""},
    {"LEDModel", "led", "led", "led",
     "shared@115 encoder(embed_tokens@126 embed_positions(weight[max_encoder_position_embeddings,d_model]) "
     "layers(#{encoder_layers}(self_attn(longformer_self_attn(query@117 key@117 value@117 query_global@117 "
     "key_global@117 value_global@117) output@117) self_attn_layer_norm@119 fc1@129 fc2@130 final_layer_norm@119))"
     " layernorm_embedding@119) decoder(embed_tokens@126 "
     "embed_positions(weight[max_decoder_position_embeddings,d_model]) layers@123 layernorm_embedding@119)", ""},
    {"LagunaForCausalLM", "laguna", "", "model", "lm_head@0 model=:LagunaModel", ""},
    {"LagunaModel", "laguna", "laguna", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@352 k_proj@29 v_proj@29 o_proj@353 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) g_proj(weight[?,hidden_size])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]~ "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]~ e_score_correction_bias[num_experts]?) gate@32 "
     "shared_expert@410) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) "
     "#{}@19) norm(weight[hidden_size])", ""},
    {"LayoutLMForMaskedLM", "layoutlm", "", "layoutlm", "cls@150 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForQuestionAnswering", "layoutlm", "", "layoutlm", "qa_outputs@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForSequenceClassification LayoutLMForTokenClassification", "layoutlm", "", "layoutlm",
     "classifier@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMModel", "layoutlm", "layoutlm", "layoutlm",
     "embeddings(word_embeddings@0 position_embeddings@136 x_position_embeddings@736 y_position_embeddings@736 "
     "h_position_embeddings@736 w_position_embeddings@736 token_type_embeddings@137 LayerNorm@44) encoder@146 "
     "pooler@154", ""},
    {"LayoutLMv3ForQuestionAnswering", "layoutlmv3", "", "layoutlmv3", "qa_outputs@160 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForSequenceClassification", "layoutlmv3", "", "layoutlmv3",
     "classifier@160 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForTokenClassification", "layoutlmv3", "", "layoutlmv3", "classifier@22 layoutlmv3=:LayoutLMv3Model",
     ""},
    {"LayoutLMv3Model", "layoutlmv3", "layoutlmv3", "layoutlmv3",
     "cls_token[1,1,hidden_size]? pos_embed[1,(((input_size/patch_size)*(input_size/patch_size))+1),hidden_size]? "
     "embeddings(word_embeddings@167 token_type_embeddings(weight[type_vocab_size,hidden_size]?) LayerNorm@187 "
     "position_embeddings@313 x_position_embeddings@737 y_position_embeddings@737 h_position_embeddings@738 "
     "w_position_embeddings@738) patch_embed(proj(weight[hidden_size,(num_channels/1),patch_size,patch_size]? "
     "bias[hidden_size]?)) LayerNorm@187 norm@187 encoder(layer@145 "
     "rel_pos_bias(weight[num_attention_heads,rel_pos_bins]?) rel_pos_x_bias@739 rel_pos_y_bias@739)", ""},
    {"Lfm2ForCausalLM", "lfm2", "", "model", "lm_head@167 model=:Lfm2Model", ""},
    {"Lfm2Model", "lfm2", "lfm2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@740 feed_forward(w1(weight[?,hidden_size]) "
     "w3(weight[?,hidden_size]) w2(weight[hidden_size,?])) operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) conv(conv(weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?) "
     "in_proj@741 out_proj@742))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2MoeForCausalLM", "lfm2_moe", "", "model", "lm_head@167 model=:Lfm2MoeModel", ""},
    {"Lfm2MoeModel", "lfm2_moe", "lfm2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@745 feed_forward@746 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) self_attn@740)) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "", "model", "lm_head@94 model=:Lfm2VlModel", ""},
    {"Lfm2VlModel", "lfm2_vl", "lfm2_vl", "model", "multi_modal_projector(layer_norm@90 "
     "linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
     "bias[projector_hidden_size]) linear_2@747) vision_tower=vision_config:Siglip2VisionModel "
     "language_model=text_config:Lfm2Model", ""},
    {"Lfm3ForCausalLM", "lfm3", "", "model", "lm_head@167 model=:Lfm3Model", ""},
    {"Lfm3Model", "lfm3", "lfm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@745 feed_forward@746 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) post_operator_norm(weight[hidden_size]?) post_ffn_norm(weight[hidden_size]?) "
     "self_attn(q_proj@748 k_proj@749 v_proj@749 o_proj@750 q_norm(weight[head_dim]?) k_norm(weight[head_dim]?) "
     "gate_proj(weight[num_attention_heads,hidden_size]?)))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm3VlForConditionalGeneration", "lfm3_vl", "", "model", "lm_head@94 model=:Lfm3VlModel", ""},
    {"Lfm3VlModel", "lfm3_vl", "lfm3_vl", "model",
     "multi_modal_projector(layer_norm@74 linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(vision"
     "_config.spatial_merge_size*vision_config.spatial_merge_size))] bias[projector_hidden_size]) linear_2@747) "
     "language_model=text_config:Lfm3Model vision_tower=vision_config:Lfm3VlVisionModel", ""},
    {"Lfm3VlVisionModel", "lfm3_vl_vision", "lfm3_vl_vision", "model",
     "patchifier(weight[hidden_size,((in_channels*temporal_patch_size)*(patch_size*patch_size))]) "
     "embedding_norm(weight[hidden_size]) layers(#{num_hidden_layers}(conv(in_proj@741 "
     "spatial_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size,conv_kernel_size]?) out_proj@742)"
     " feed_forward@746 operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) self_attn@740))", ""},
    {"LightOnOcrForConditionalGeneration", "lighton_ocr", "", "model", "lm_head@94 model=:LightOnOcrModel", ""},
    {"LightOnOcrModel", "lighton_ocr", "lighton_ocr", "",
     "vision_projection(norm@438 patch_merger@752 linear_1@76 linear_2@77) "
     "vision_encoder=vision_config:PixtralVisionModel language_model=text_config:Qwen3Model", ""},
    {"LiltForQuestionAnswering", "lilt", "", "lilt", "lilt@770 qa_outputs@22", ""},
    {"LiltForSequenceClassification", "lilt", "", "lilt", "lilt@770 classifier@160", ""},
    {"LiltForTokenClassification", "lilt", "", "lilt", "lilt@770 classifier@22", ""},
    {"LiltModel", "lilt", "lilt", "lilt", "embeddings@138 layout_embeddings@757 encoder@769 pooler@154", ""},
    {"Llama4ForCausalLM", "llama4_text", "", "language_model", "lm_head@0 model=:Llama4TextModel", ""},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,vision_config.vision_output_dim])) "
     "vision_model=vision_config:Llama4VisionModel language_model=text_config:Llama4ForCausalLM", ""},
    {"Llama4TextModel", "llama4_text", "llama4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 "
     "feed_forward(experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size]) router@516 shared_expert@266) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Llama4VisionModel", "llama4_vision_model", "", "vision_model", "class_embedding[?] positional_embedding_vlm[?,?] "
     "patch_embedding(linear(weight[hidden_size,((num_channels*patch_size)*patch_size)])) layernorm_pre@44 "
     "layernorm_post@44 model(layers(#{num_hidden_layers}(self_attn(q_proj@45 k_proj@45 v_proj@45 o_proj@492) "
     "mlp@246 input_layernorm@44 post_attention_layernorm@44))) "
     "vision_adapter(mlp(fc1(weight[projector_input_dim,intermediate_size]) "
     "fc2(weight[projector_output_dim,projector_output_dim])))", ""},
    {"LlamaForQuestionAnswering SeedOssForQuestionAnswering", "llama seed_oss", "", "transformer",
     "qa_outputs@22 transformer=:Ernie4_5Model", ""},
    {"LlamaForSequenceClassification SeedOssForSequenceClassification", "llama seed_oss", "", "model",
     "score(weight[?,hidden_size]) model=:Ernie4_5Model", ""},
    {"LlamaForTokenClassification SeedOssForTokenClassification", "llama seed_oss", "", "model",
     "score@22 model=:Ernie4_5Model", ""},
    {"LlavaForConditionalGeneration", "llava", "", "model",
     "multi_modal_projector@772 language_model@773 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaModel", "llava", "llava", "model",
     "multi_modal_projector@772 vision_tower=vision_config:CLIPVisionModel language_model@496", ""},
    {"LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration", "llava_next llava_next_video", "",
     "model",
     "image_newline[?] multi_modal_projector@772 language_model@773 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaNextModel LlavaNextVideoModel", "llava_next llava_next_video", "llava_next llava_next_video", "model",
     "image_newline[?] multi_modal_projector@772 vision_tower=vision_config:CLIPVisionModel language_model@496", ""},
    {"LlavaOnevisionForConditionalGeneration", "llava_onevision", "", "model",
     "image_newline[?] multi_modal_projector@772 language_model@88 vision_tower=vision_config:SiglipVisionModel", ""},
    {"LlavaOnevisionModel", "llava_onevision", "llava_onevision", "model",
     "image_newline[?] multi_modal_projector@772 vision_tower=vision_config:SiglipVisionModel language_model@89", ""},
    {"LongT5ForConditionalGeneration", "longt5", "", "transformer", "shared@115 encoder@784 decoder@791 lm_head@126",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongT5Model", "longt5", "longt5", "transformer", "shared@115 encoder@784 decoder@791",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongcatFlashForCausalLM", "longcat_flash", "", "model", "lm_head@0 model=:LongcatFlashModel", "model\\.mtp.*"},
    {"LongcatFlashModel", "longcat_flash", "longcat_flash", "model",
     "embed_tokens@0 layers(#{num_layers}(mlp(experts(gate_up_proj[(n_routed_experts+zero_expert_num),(2*expert_ff"
     "n_hidden_size),hidden_size]~ down_proj[n_routed_experts,hidden_size,expert_ffn_hidden_size]~) "
     "router(classifier(weight[(n_routed_experts+zero_expert_num),hidden_size]) "
     "e_score_correction_bias[(n_routed_experts+zero_expert_num)])) self_attn(0@793 1@793) mlps(0@796 1@796) "
     "input_layernorm@797 post_attention_layernorm@797) #{}@19) norm(weight[hidden_size])", "model\\.mtp.*"},
    {"LongformerForMaskedLM", "longformer", "", "longformer", "longformer@803 lm_head@254", ""},
    {"LongformerForMultipleChoice", "longformer", "", "longformer", "classifier@59 longformer=:LongformerModel", ""},
    {"LongformerForQuestionAnswering", "longformer", "", "longformer", "longformer@803 qa_outputs@22", ""},
    {"LongformerForSequenceClassification", "longformer", "", "longformer", "longformer@803 classifier@160", ""},
    {"LongformerForTokenClassification", "longformer", "", "longformer", "longformer@803 classifier@22", ""},
    {"LongformerModel", "longformer", "longformer", "longformer", "embeddings@255 encoder@802 pooler@154", ""},
    {"LukeForMaskedLM", "luke", "", "luke",
     "lm_head(bias[vocab_size]? dense@46 layer_norm@44 decoder@270) entity_predictions(bias[entity_vocab_size] "
     "transform(dense(weight[entity_emb_size,hidden_size] bias[entity_emb_size]) LayerNorm(weight[entity_emb_size]"
     " bias[entity_emb_size])) decoder(weight[entity_vocab_size,entity_emb_size]?)) luke=:LukeModel", ""},
    {"LukeForMultipleChoice", "luke", "", "luke", "classifier@59 luke=:LukeModel", ""},
    {"LukeForQuestionAnswering", "luke", "", "luke", "luke@812 qa_outputs@22", ""},
    {"LukeForSequenceClassification", "luke", "", "luke", "classifier@22 luke=:LukeModel", ""},
    {"LukeForTokenClassification", "luke", "", "luke", "luke@812 classifier@22", ""},
    {"LukeModel", "luke", "luke", "luke", "embeddings@138 entity_embeddings@806 encoder@811 pooler@154", ""},
    {"LxmertForPreTraining", "lxmert", "", "lxmert",
     "cls(predictions(bias[vocab_size] transform@140 decoder@167) seq_relationship@22) "
     "obj_predict_head(transform@140 decoder_dict(obj(weight[num_object_labels,hidden_size] "
     "bias[num_object_labels]) attr(weight[num_attr_labels,hidden_size] bias[num_attr_labels]) "
     "feat(weight[visual_feat_dim,hidden_size] bias[visual_feat_dim]))) answer_head@817 lxmert=:LxmertModel", ""},
    {"LxmertForQuestionAnswering", "lxmert", "", "lxmert", "answer_head@817 lxmert=:LxmertModel", ""},
    {"LxmertModel", "lxmert", "lxmert", "lxmert",
     "embeddings@138 encoder(visn_fc(visn_fc(weight[hidden_size,visual_feat_dim] bias[hidden_size]) "
     "visn_layer_norm@44 box_fc(weight[hidden_size,visual_pos_dim] bias[hidden_size]) box_layer_norm@44) "
     "layer(#{l_layers}@144) x_layers(#{x_layers}(visual_attention(att@139 output@140) lang_self_att@141 "
     "visn_self_att@141 lang_inter@142 lang_output@143 visn_inter@142 visn_output@143)) r_layers(#{r_layers}@144))"
     " pooler@154", ""},
    {"M2M100ForConditionalGeneration", "m2m_100", "", "model", "lm_head@126 model=:M2M100Model", ""},
    {"M2M100Model", "m2m_100", "m2m_100", "model",
     "shared@115 encoder(embed_tokens@126 layers@132 layer_norm@119) decoder(embed_tokens@126 layers@123 "
     "layer_norm@119)", ""},
    {"MBartForCausalLM", "mbart", "", "model",
     "model(decoder(embed_tokens@115 embed_positions@116 layers@123 layernorm_embedding@119 layer_norm@119)) "
     "lm_head@126", ""},
    {"MBartForConditionalGeneration", "mbart", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:MBartModel", ""},
    {"MBartForQuestionAnswering", "mbart", "", "model", "qa_outputs@127 model=:MBartModel", ""},
    {"MBartForSequenceClassification", "mbart", "", "model", "classification_head@128 model=:MBartModel", ""},
    {"MBartModel", "mbart", "mbart", "model",
     "shared@115 encoder(embed_tokens@126 embed_positions@116 layers@132 layernorm_embedding@119 layer_norm@119) "
     "decoder(embed_tokens@126 embed_positions@116 layers@123 layernorm_embedding@119 layer_norm@119)", ""},
    {"MPNetForMaskedLM", "mpnet", "", "mpnet", "mpnet@824 lm_head@254", ""},
    {"MPNetForMultipleChoice", "mpnet", "", "mpnet", "classifier@59 mpnet=:MPNetModel", ""},
    {"MPNetForQuestionAnswering", "mpnet", "", "mpnet", "mpnet@824 qa_outputs@22", ""},
    {"MPNetForSequenceClassification", "mpnet", "", "mpnet", "mpnet@824 classifier@160", ""},
    {"MPNetForTokenClassification", "mpnet", "", "mpnet", "mpnet@824 classifier@22", ""},
    {"MPNetModel", "mpnet", "mpnet", "mpnet", "embeddings@153 encoder@823 pooler@154", ""},
    {"MT5EncoderModel UMT5EncoderModel", "mt5 umt5", "", "transformer",
     "shared@115 encoder(embed_tokens@126 block(#{num_layers}(layer(#{}(SelfAttention@827 "
     "layer_norm(weight[d_model]) DenseReluDense(wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?) "
     "wo(weight[d_model,d_ff]?) wi(weight[d_ff,d_model]?)) EncDecAttention@828)))) "
     "final_layer_norm(weight[d_model]))", ""},
    {"MT5ForConditionalGeneration", "mt5", "", "transformer", "shared@115 encoder@834 decoder@838 lm_head@126",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForQuestionAnswering", "mt5", "", "transformer", "shared@115 encoder@834 decoder@838 qa_outputs@127",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForSequenceClassification", "mt5", "", "transformer", "classification_head@128 transformer=:MT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForTokenClassification", "mt5", "", "transformer", "classifier@127 transformer=:MT5EncoderModel", ""},
    {"MT5Model", "mt5", "mt5", "transformer", "shared@115 encoder@834 decoder@838",
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
     "model(decoder(embed_tokens(weight[decoder_vocab_size,d_model]) embed_positions@161 layers@123)) "
     "lm_head(weight[decoder_vocab_size,d_model]?)", ""},
    {"MarianMTModel", "marian", "", "model",
     "model(shared@126 encoder(embed_tokens@126 embed_positions@839 layers@132) "
     "decoder(embed_tokens(weight[?,d_model]?) embed_positions@839 layers@123)) lm_head(weight[?,d_model]?) "
     "final_logits_bias[1,?]?", ""},
    {"MarianModel", "marian", "marian", "model",
     "shared@126 encoder(embed_tokens@126 embed_positions@161 layers@132) decoder(embed_tokens(weight[?,d_model]?)"
     " embed_positions@161 layers@123)", ""},
    {"MarkupLMForQuestionAnswering", "markuplm", "", "markuplm", "markuplm@848 qa_outputs@22", ""},
    {"MarkupLMForSequenceClassification", "markuplm", "", "markuplm", "classifier@22 markuplm=:MarkupLMModel", ""},
    {"MarkupLMForTokenClassification", "markuplm", "", "markuplm", "markuplm@848 classifier@22", ""},
    {"MarkupLMModel", "markuplm", "markuplm", "markuplm", "embeddings@847 encoder@146 pooler@154", ""},
    {"MegatronBertForCausalLM MegatronBertForMaskedLM", "megatron-bert", "", "bert", "bert@854 cls@150", ""},
    {"MegatronBertForMultipleChoice", "megatron-bert", "", "bert", "classifier@59 bert=:MegatronBertModel", ""},
    {"MegatronBertForNextSentencePrediction", "megatron-bert", "", "bert", "cls@151 bert=:MegatronBertModel", ""},
    {"MegatronBertForPreTraining", "megatron-bert", "", "bert", "cls@152 bert=:MegatronBertModel", ""},
    {"MegatronBertForQuestionAnswering", "megatron-bert", "", "bert", "bert@854 qa_outputs@22", ""},
    {"MegatronBertForSequenceClassification", "megatron-bert", "", "bert", "classifier@22 bert=:MegatronBertModel", ""},
    {"MegatronBertForTokenClassification", "megatron-bert", "", "bert", "bert@854 classifier@22", ""},
    {"MegatronBertModel", "megatron-bert", "megatron-bert", "bert", "embeddings@849 encoder@853 pooler@154", ""},
    {"MellumForCausalLM", "mellum", "", "model", "lm_head@0 model=:MellumModel", "^mtp\\."},
    {"MellumModel", "mellum", "mellum", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@442 mlp@855 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "^mtp\\."},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", "", "model", "lm_head@0 model=:MiMoV2FlashModel", "^model\\.mtp\\."},
    {"MiMoV2FlashModel", "mimo_v2_flash", "mimo_v2_flash", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 k_proj@352 v_proj@352 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)]) attention_sink_bias[num_attention_heads]?) "
     "mlp(gate_proj@7 up_proj@7 down_proj@8 experts@9 gate@10) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", "^model\\.mtp\\."},
    {"MiniCPM3ForCausalLM", "minicpm3", "", "model", "lm_head@167 model=:MiniCPM3Model", ""},
    {"MiniCPM3ForSequenceClassification", "minicpm3", "", "model", "score(weight[?,hidden_size]) model=:MiniCPM3Model",
     ""},
    {"MiniCPM3Model", "minicpm3", "minicpm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@6 mlp@109 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MiniCPMOcrForConditionalGeneration", "minicpm_ocr", "", "model", "lm_head@94 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniCPMOcrModel MiniCPMV4_7Model", "minicpm_ocr minicpmv4_7", "minicpm_ocr minicpmv4_7", "model",
     "merger@859 vision_tower=vision_config:MiniCPMOcrVisionModel language_model=text_config:Qwen3_5TextModel",
     "^mtp.*"},
    {"MiniCPMOcrVisionModel MiniCPMV4_7VisionModel", "minicpm_ocr_vision minicpmv4_7_vision",
     "minicpm_ocr_vision minicpmv4_7_vision", "",
     "embeddings@616 encoder@862 post_layernorm@44 vit_merger(self_attn@169 layer_norm1@44 pre_norm(weight[?] "
     "bias[?]) linear_1(weight[?,?] bias[?]) linear_2@863)", ""},
    {"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "", "model", "lm_head@80 model=:MiniCPMV4_6Model", "^mtp.*"},
    {"MiniCPMV4_6Model", "minicpmv4_6", "minicpmv4_6", "model",
     "vision_tower(embeddings@610 encoder@866 post_layernorm@74 vit_merger(self_attn@451 layer_norm1@74 "
     "pre_norm(weight[?] bias[?]) linear_1(weight[?,?] bias[?]) linear_2@644)) merger@859 "
     "language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"MiniCPMV4_7ForConditionalGeneration", "minicpmv4_7", "", "model", "lm_head@80 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniMaxForCausalLM", "minimax", "", "model", "lm_head@0 model=:MiniMaxModel", ""},
    {"MiniMaxForQuestionAnswering", "minimax", "", "model", "qa_outputs@22 model=:MiniMaxModel", ""},
    {"MiniMaxForSequenceClassification", "minimax", "", "model", "score(weight[?,hidden_size]) model=:MiniMaxModel", ""},
    {"MiniMaxForTokenClassification", "minimax", "", "model", "score@22 model=:MiniMaxModel", ""},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "", "model", "lm_head@0 model=:MiniMaxM2Model", ""},
    {"MiniMaxM2Model", "minimax_m2", "minimax_m2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@31 k_proj@308 v_proj@308 o_proj@309 "
     "q_norm(weight[(num_attention_heads*head_dim)]) k_norm(weight[(num_key_value_heads*head_dim)])) "
     "block_sparse_moe(gate@516 e_score_correction_bias[num_local_experts]) mlp@868 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@869) "
     "norm(weight[hidden_size])", ""},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "", "model",
     "vision_tower(vision_model(embeddings(patch_embedding@870) pre_layrnorm@74 encoder@454)) "
     "multi_modal_projector(linear_1@871 linear_2@747) patch_merge_mlp(linear_1@872 linear_2@747) "
     "language_model(model(embed_tokens@80 layers(#{text_config.num_hidden_layers}(self_attn@873 "
     "block_sparse_moe@877 input_layernorm@303 post_attention_layernorm@303) #{}@880) norm@303) lm_head@80) "
     "model(language_model(layers(#{text_config.num_hidden_layers}(mlp@884))))", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "", "model", "lm_head@0 model=:MiniMaxM3VLTextModel",
     "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLModel", "minimax_m3_vl", "minimax_m3_vl", "model",
     "vision_tower(embeddings(proj@870) pre_layrnorm@74 layers@453) multi_modal_projector(linear_1@871 "
     "linear_2@747 merge_linear_1@872 merge_linear_2@747) language_model(embed_tokens@80 "
     "layers(#{text_config.num_hidden_layers}(self_attn@873 block_sparse_moe@877 mlp@884 input_layernorm@303 "
     "post_attention_layernorm@303) #{}@880) norm@303)", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLTextModel", "minimax_m3_vl_text", "minimax_m3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@695 mlp(gate@885 experts@523 "
     "shared_experts(gate_up_proj(weight[(2*shared_intermediate_size),hidden_size]) down_proj@521)) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "(^|\\.)mtp\\..*"},
    {"MiniMaxModel", "minimax", "minimax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@638 k_proj@639 v_proj@639 o_proj@640 "
     "norm(weight[((hidden_size/num_attention_heads)*num_attention_heads)]?) "
     "qkv_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size]?) out_proj@640 "
     "output_gate@638 slope_rate[?,?,?]? query_decay[?,?,?]? key_decay[?,?,?]? diagonal_decay[?,?,?,?]?) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) block_sparse_moe@886 "
     "mlp@868) #{}@869) norm(weight[hidden_size])", ""},
    {"Ministral3ForCausalLM MinistralForCausalLM MistralForCausalLM", "ministral ministral3 mistral", "", "model",
     "lm_head@0 model=:Ministral3Model", ""},
    {"Ministral3ForQuestionAnswering MistralForQuestionAnswering", "ministral3 mistral", "", "model",
     "qa_outputs@22 model=:Ministral3Model", ""},
    {"Ministral3ForSequenceClassification MinistralForSequenceClassification MistralForSequenceClassification",
     "ministral ministral3 mistral", "", "model", "score(weight[?,hidden_size]) model=:Ministral3Model", ""},
    {"Ministral3ForTokenClassification MinistralForTokenClassification MistralForTokenClassification",
     "ministral ministral3 mistral", "", "model", "score@22 model=:Ministral3Model", ""},
    {"Ministral3Model MinistralModel MistralModel", "ministral ministral3 mistral", "ministral ministral3 mistral",
     "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@310 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MinistralForQuestionAnswering", "ministral", "", "transformer", "qa_outputs@22 transformer=:Ministral3Model", ""},
    {"Mistral3ForConditionalGeneration", "mistral3", "", "model",
     "multi_modal_projector@888 language_model(lm_head@94 model=text_config:Ministral3Model) "
     "vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral3Model", "mistral3", "mistral3", "model",
     "multi_modal_projector@888 vision_tower=vision_config:PixtralVisionModel "
     "language_model(model=text_config:Ministral3Model)", ""},
    {"Mistral4ForCausalLM", "mistral4", "", "model", "lm_head@0 model=:Mistral4Model", ""},
    {"Mistral4ForSequenceClassification", "mistral4", "", "model", "score(weight[?,hidden_size]) model=:Mistral4Model",
     ""},
    {"Mistral4ForTokenClassification", "mistral4", "", "model", "score@22 model=:Mistral4Model", ""},
    {"Mistral4Model", "mistral4", "mistral4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@6 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@472 "
     "gate@316 shared_experts@13) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MistralLarge4ForConditionalGeneration", "mistral_large4", "", "model",
     "vision_encoder@894 pre_mm_projector_norm@438 patch_merger@752 vision_language_adapter(w_in@895 w_out@896) "
     "tok_embeddings@80 layers(#{text_config.num_hidden_layers}(attention@908 feed_forward@909 attention_norm@303 "
     "ffn_norm@303 gate@910 shared_experts@911) #{}@345) model(language_model@680) norm@303 output@80 "
     "lerope(alpha[?])", "mtp_dspark\\..*"},
    {"MistralLarge4Model", "mistral_large4", "mistral_large4", "model",
     "vision_tower@894 multi_modal_projector(norm@438 patch_merger@752 linear_1@895 linear_2@896) "
     "language_model(embed_tokens@80 layers(#{text_config.num_hidden_layers}(attention@908 feed_forward@909 "
     "attention_norm@303 ffn_norm@303 mlp@677 gate@910 shared_experts@911) #{}@345) norm@303 rotary_emb(alpha[?]))",
     "mtp_dspark\\..*"},
    {"MistralLarge4TextModel", "mistral_large4_text", "mistral_large4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(attention(wkv_a_with_mqa(weight[?,hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?) kv_a_norm(weight[kv_lora_rank]) wkv_b(weight[?,kv_lora_rank]) "
     "o_proj@5 indexer(wq_b(weight[(index_n_heads*index_head_dim),hidden_size]) wk@24 k_norm@25 weights_proj@26 "
     "q_input_norm@44 ssmax_scaling(s[index_n_heads] b[index_n_heads])) "
     "wq(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),hidden_size]) "
     "ssmax_scaling(s[num_attention_heads] b[num_attention_heads])) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8) attention_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) mlp@341 gate@316 "
     "shared_experts@13) #{}@345) norm(weight[hidden_size]) rotary_emb(alpha[?])", "mtp_dspark\\..*"},
    {"MixtralForCausalLM", "mixtral", "", "model", "lm_head@0 model=:MixtralModel", ""},
    {"MixtralForQuestionAnswering", "mixtral", "", "model", "qa_outputs@22 model=:MixtralModel", ""},
    {"MixtralForSequenceClassification", "mixtral", "", "model", "score(weight[?,hidden_size]) model=:MixtralModel", ""},
    {"MixtralForTokenClassification", "mixtral", "", "model", "score@22 model=:MixtralModel", ""},
    {"MixtralModel", "mixtral", "mixtral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@361 block_sparse_moe@886 mlp@868 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@869) "
     "norm(weight[hidden_size])", ""},
    {"MllamaForCausalLM", "mllama_text_model", "", "language_model", "lm_head@0 model=:MllamaTextModel", ""},
    {"MllamaForConditionalGeneration", "mllama", "", "model",
     "multi_modal_projector@912 language_model(lm_head@80 model=text_config:MllamaTextModel) "
     "vision_model=vision_config:MllamaVisionModel", ""},
    {"MllamaModel", "mllama", "mllama", "model",
     "multi_modal_projector@912 vision_model=vision_config:MllamaVisionModel "
     "language_model(model=text_config:MllamaTextModel)", ""},
    {"MllamaTextModel", "mllama_text_model", "", "language_model.model",
     "embed_tokens(weight[(vocab_size+8),hidden_size]) layers(#{num_hidden_layers}(self_attn@641 mlp@266 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) cross_attn_attn_gate[1]? "
     "cross_attn_mlp_gate[1]? cross_attn(q_proj@638 k_proj@639 v_proj@639 o_proj@640 q_norm@460 k_norm@460))) "
     "norm(weight[hidden_size])", ""},
    {"MllamaVisionModel", "mllama_vision_model", "", "vision_model",
     "class_embedding[?] patch_embedding@250 gated_positional_embedding(gate[1] embedding[?,?] tile_embedding(weig"
     "ht[?,((max_num_tiles*(((image_size/patch_size)*(image_size/patch_size))+1))*hidden_size)])) "
     "pre_tile_positional_embedding@914 post_tile_positional_embedding@914 layernorm_pre@44 layernorm_post@44 "
     "transformer(layers(#{num_hidden_layers}(self_attn@917 mlp@246 input_layernorm@44 "
     "post_attention_layernorm@44))) global_transformer(layers(#{num_global_layers}(gate_attn[?] gate_ffn[?] "
     "self_attn@917 mlp@246 input_layernorm@44 post_attention_layernorm@44)))", ""},
    {"MobileBertForMaskedLM", "mobilebert", "", "mobilebert", "mobilebert@944 cls(predictions@946)", ""},
    {"MobileBertForMultipleChoice", "mobilebert", "", "mobilebert", "classifier@59 mobilebert=:MobileBertModel", ""},
    {"MobileBertForNextSentencePrediction", "mobilebert", "", "mobilebert", "cls@151 mobilebert=:MobileBertModel", ""},
    {"MobileBertForPreTraining", "mobilebert", "", "mobilebert",
     "cls(predictions@946 seq_relationship@22) mobilebert=:MobileBertModel", ""},
    {"MobileBertForQuestionAnswering", "mobilebert", "", "mobilebert", "mobilebert@944 qa_outputs@22", ""},
    {"MobileBertForSequenceClassification", "mobilebert", "", "mobilebert", "classifier@22 mobilebert=:MobileBertModel",
     ""},
    {"MobileBertForTokenClassification", "mobilebert", "", "mobilebert", "mobilebert@944 classifier@22", ""},
    {"MobileBertModel", "mobilebert", "mobilebert", "mobilebert", "embeddings@919 encoder@943 pooler(dense@186)", ""},
    {"ModernBertDecoderForCausalLM", "modernbert-decoder", "", "model",
     "lm_head@947 decoder@547 model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderForSequenceClassification", "modernbert-decoder", "", "model",
     "head@947 classifier(weight[?,hidden_size]) model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderModel", "modernbert-decoder", "modernbert-decoder", "model",
     "embeddings@949 layers(#{num_hidden_layers}(attn(q_proj@950 k_proj@950 v_proj@950 Wo@399) mlp_norm@948 "
     "mlp@951 attn_norm@187)) final_norm@948", ""},
    {"ModernBertForMaskedLM", "modernbert", "", "model", "head@947 decoder@547 model=:ModernBertModel", ""},
    {"ModernBertForMultipleChoice", "modernbert", "", "model", "head@947 classifier@59 model=:ModernBertModel", ""},
    {"ModernBertForQuestionAnswering ModernBertForSequenceClassification ModernBertForTokenClassification",
     "modernbert", "", "model", "head@947 classifier@22 model=:ModernBertModel", ""},
    {"ModernBertModel", "modernbert", "modernbert", "model",
     "embeddings@949 layers(#{num_hidden_layers}(attn(Wqkv(weight[((3*(hidden_size/num_attention_heads))*num_atten"
     "tion_heads),hidden_size] bias[((3*(hidden_size/num_attention_heads))*num_attention_heads)]?) Wo@399) "
     "mlp_norm@948 mlp@951 attn_norm@187)) final_norm@948", ""},
    {"ModernVBertForMaskedLM", "modernvbert", "", "model",
     "projection_head@952 lm_head(weight[text_config.vocab_size,text_config.hidden_size] "
     "bias[text_config.vocab_size]) model=:ModernVBertModel", ""},
    {"ModernVBertForSequenceClassification ModernVBertForTokenClassification", "modernvbert", "", "model",
     "head@952 classifier@953 model=:ModernVBertModel", ""},
    {"ModernVBertModel", "modernvbert", "modernvbert", "model",
     "connector(modality_projection@954) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:ModernBertModel", ""},
    {"MoonshineForConditionalGeneration", "moonshine", "", "model", "proj_out@167 model=:MoonshineModel", ""},
    {"MoonshineModel", "moonshine", "moonshine", "model",
     "encoder(conv1(weight[hidden_size,1,?]) conv2(weight[(2*hidden_size),(hidden_size/1),?] "
     "bias[(2*hidden_size)]) conv3(weight[hidden_size,((2*hidden_size)/1),?] bias[hidden_size]) groupnorm@44 "
     "layers(#{encoder_num_hidden_layers}(self_attn@958 mlp@246 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) layer_norm(weight[hidden_size])) decoder(embed_tokens@0 "
     "layers(#{decoder_num_hidden_layers}(self_attn@958 encoder_attn@958 "
     "mlp(fc1(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]) fc2@49) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "final_layernorm(weight[hidden_size]))) norm(weight[hidden_size]))", ""},
    {"MoshiForCausalLM", "moshi", "", "model", "lm_head@0 model=:MoshiModel", ""},
    {"MoshiModel", "moshi", "moshi", "model",
     "embed_tokens(weight[(vocab_size+1),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj(linear@31) "
     "k_proj@959 v_proj@959 o_proj(linear@309)) mlp(fc1(weight[ffn_dim,hidden_size]) "
     "fc2(weight[hidden_size,(ffn_dim/2)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MossTranscribeDiarizeForConditionalGeneration", "moss_transcribe_diarize", "", "model",
     "lm_head@94 model=:MossTranscribeDiarizeModel", ""},
    {"MossTranscribeDiarizeModel", "moss_transcribe_diarize", "moss_transcribe_diarize", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(audio_config.hidden_size*audio_merge_size)] "
     "bias[text_config.hidden_size]) linear_2@86 norm@200) audio_tower=audio_config:AudioFlamingo3Encoder "
     "language_model=text_config:Qwen3Model", ""},
    {"MptForCausalLM", "mpt", "", "transformer", "lm_head@126 transformer=:MptModel", ""},
    {"MptForQuestionAnswering", "mpt", "", "transformer", "qa_outputs@127 transformer=:MptModel", ""},
    {"MptForSequenceClassification", "mpt", "", "transformer", "score(weight[?,d_model]) transformer=:MptModel", ""},
    {"MptForTokenClassification", "mpt", "", "transformer", "classifier@127 transformer=:MptModel", ""},
    {"MptModel", "mpt", "mpt", "transformer",
     "wte@115 blocks(#{n_layers}(norm_1(weight[d_model]) attn(Wqkv(weight[(3*d_model),d_model]) out_proj@960) "
     "norm_2(weight[d_model]) ffn(up_proj(weight[(4*d_model),d_model]) down_proj(weight[d_model,(4*d_model)])))) "
     "norm_f(weight[d_model])", ""},
    {"MraForMaskedLM", "mra", "", "mra", "cls@150 mra=:MraModel", ""},
    {"MraForMultipleChoice", "mra", "", "mra", "pre_classifier@46 classifier@59 mra=:MraModel", ""},
    {"MraForQuestionAnswering", "mra", "", "mra", "qa_outputs@22 mra=:MraModel", ""},
    {"MraForSequenceClassification", "mra", "", "mra", "classifier@160 mra=:MraModel", ""},
    {"MraForTokenClassification", "mra", "", "mra", "classifier@22 mra=:MraModel", ""},
    {"MraModel", "mra", "mra", "mra",
     "embeddings(word_embeddings@0 position_embeddings@168 token_type_embeddings@137 LayerNorm@44 "
     "position_ids[?,?]) encoder@146", ""},
    {"MuseGlimmerForConditionalGeneration", "muse_glimmer", "", "model", "lm_head@80 model=:MuseGlimmerModel", ""},
    {"MuseGlimmerModel", "muse_glimmer", "muse_glimmer", "model",
     "vision_adapter(fc1(weight[projector_hidden_size,out_hidden_size]) "
     "fc2(weight[projector_hidden_size,projector_hidden_size])) "
     "vision_projection(weight[text_config.hidden_size,projector_hidden_size]) "
     "vision_tower=vision_config:MuseGlimmerVisionModel language_model=text_config:MuseGlimmerTextModel", ""},
    {"MuseGlimmerTextModel", "muse_glimmer_text", "muse_glimmer_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@961 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MuseGlimmerVisionModel", "muse_glimmer_vision", "muse_glimmer_vision", "model",
     "patch_embedder(patch_embedding(weight[hidden_size,((patch_temporal*3)*(patch_size*patch_size))]) "
     "position_embedding_table(weight[(pos_emb_height*pos_emb_width),hidden_size])) ln_pre@44 "
     "layers(#{num_hidden_layers}(norm1@44 norm2@44 attn(proj@46 q_proj@46 k_proj@46 v_proj@46) mlp@246)) "
     "ln_post@44", ""},
    {"MuseSparkTextModel", "muse_spark_text", "muse_spark_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@961 mlp(gate@885 "
     "pre_expert_proj(weight[moe_hidden_size,hidden_size]) pre_expert_norm@962 "
     "experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),moe_hidden_size] "
     "down_proj[num_local_experts,moe_hidden_size,moe_intermediate_size] post_expert_norm@962) "
     "post_expert_proj(weight[hidden_size,moe_hidden_size])) input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]) "
     "post_attention_residual_gate(gate[hidden_size]) post_feedforward_residual_gate(gate[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MvpForCausalLM PLBartForCausalLM", "mvp plbart", "", "model", "model@125 lm_head@126", ""},
    {"MvpForConditionalGeneration", "mvp", "", "model", "lm_head@126 final_logits_bias[1,vocab_size] model=:MvpModel",
     "final_logits_bias"},
    {"MvpForQuestionAnswering", "mvp", "", "model", "qa_outputs@127 model=:MvpModel", "final_logits_bias"},
    {"MvpForSequenceClassification", "mvp", "", "model", "classification_head@128 model=:MvpModel", "final_logits_bias"},
    {"MvpModel", "mvp", "mvp", "model",
     "shared@115 encoder@133 decoder(embed_tokens@126 embed_positions@116 layers@123 layernorm_embedding@119 "
     "self_attn_prompt@967 cross_attn_prompt@967)", "final_logits_bias"},
    {"NanoChatForCausalLM", "nanochat", "", "model", "lm_head@0 model=:NanoChatModel", ""},
    {"NanoChatModel", "nanochat", "nanochat", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 mlp(fc1@65 fc2@66)))", ""},
    {"NemotronForCausalLM", "nemotron", "", "model", "lm_head@0 model=:NemotronModel", ""},
    {"NemotronForQuestionAnswering", "nemotron", "", "transformer", "qa_outputs@22 transformer=:NemotronModel", ""},
    {"NemotronForSequenceClassification", "nemotron", "", "model", "score(weight[?,hidden_size]) model=:NemotronModel",
     ""},
    {"NemotronForTokenClassification", "nemotron", "", "model", "score@22 model=:NemotronModel", ""},
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
     "down_proj(weight[*]~)) down_proj[n_routed_experts,hidden_size,moe_intermediate_size]~) gate@10 "
     "shared_experts(up_proj(weight[moe_shared_expert_intermediate_size,hidden_size]? "
     "bias[moe_shared_expert_intermediate_size]?) "
     "down_proj(weight[hidden_size,moe_shared_expert_intermediate_size]? bias[hidden_size]?)) q_proj@748 "
     "k_proj@749 v_proj@749 o_proj@750 up_proj@189 down_proj@191))) norm_f(weight[hidden_size])", "mtp.*"},
    {"NemotronModel", "nemotron", "nemotron", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@28 k_proj@29 v_proj@29 "
     "o_proj(weight[hidden_size,(head_dim*num_attention_heads)] bias[hidden_size]?)) mlp@70 input_layernorm@44 "
     "post_attention_layernorm@44)) norm@44", ""},
    {"NeoMMEForMaskedLM", "neomme", "", "model",
     "unembedding_projection(weight[hidden_size,embedding_rank]?) lm_head(weight[vocab_size,embedding_rank]?) "
     "model=:NeoMMEModel", ""},
    {"NeoMMEModel", "neomme", "neomme", "model", "embed_tokens(word_embeddings(weight[vocab_size,embedding_rank]) "
     "embedding_projection(weight[hidden_size,embedding_rank])) "
     "patch_embeddings(norm(weight[(3*(patch_size*patch_size))] bias[(3*(patch_size*patch_size))]) "
     "up_proj(weight[(hidden_size*2),(3*(patch_size*patch_size))]) down_proj(weight[hidden_size,(hidden_size*2)] "
     "bias[hidden_size])) layers(#{num_hidden_layers}(lambdas[?] self_attn(q_proj@28 k_proj@29 v_proj@29 "
     "exclusive_self_attention(alpha[num_attention_heads]) output_projection(gate_proj@31 o_proj@30)) mlp@70)) "
     "value_embeddings(weight[vocab_size,(num_key_value_heads*head_dim)])", ""},
    {"NllbMoeForConditionalGeneration", "nllb-moe", "", "model", "lm_head@126 model=:NllbMoeModel", ""},
    {"NllbMoeModel", "nllb-moe", "nllb-moe", "model",
     "shared@115 encoder(embed_tokens@126 layers(#{}(self_attn@118 self_attn_layer_norm@119 ffn(fc1@968 fc2@969 "
     "router@971 experts(expert_0@972 expert_1@972 expert_2@972 expert_3@972 expert_4@972 expert_5@972 "
     "expert_6@972 expert_7@972 expert_8@972 expert_9@972 expert_10@972 expert_11@972 expert_12@972 expert_13@972 "
     "expert_14@972 expert_15@972 expert_16@972 expert_17@972 expert_18@972 expert_19@972 expert_20@972 "
     "expert_21@972 expert_22@972 expert_23@972 expert_24@972 expert_25@972 expert_26@972 expert_27@972 "
     "expert_28@972 expert_29@972 expert_30@972 expert_31@972 expert_32@972 expert_33@972 expert_34@972 "
     "expert_35@972 expert_36@972 expert_37@972 expert_38@972 expert_39@972 expert_40@972 expert_41@972 "
     "expert_42@972 expert_43@972 expert_44@972 expert_45@972 expert_46@972 expert_47@972 expert_48@972 "
     "expert_49@972 expert_50@972 expert_51@972 expert_52@972 expert_53@972 expert_54@972 expert_55@972 "
     "expert_56@972 expert_57@972 expert_58@972 expert_59@972 expert_60@972 expert_61@972 expert_62@972 "
     "expert_63@972 expert_64@972 expert_65@972 expert_66@972 expert_67@972 expert_68@972 expert_69@972 "
     "expert_70@972 expert_71@972 expert_72@972 expert_73@972 expert_74@972 expert_75@972 expert_76@972 "
     "expert_77@972 expert_78@972 expert_79@972 expert_80@972 expert_81@972 expert_82@972 expert_83@972 "
     "expert_84@972 expert_85@972 expert_86@972 expert_87@972 expert_88@972 expert_89@972 expert_90@972 "
     "expert_91@972 expert_92@972 expert_93@972 expert_94@972 expert_95@972 expert_96@972 expert_97@972 "
     "expert_98@972 expert_99@972 expert_100@972 expert_101@972 expert_102@972 expert_103@972 expert_104@972 "
     "expert_105@972 expert_106@972 expert_107@972 expert_108@972 expert_109@972 expert_110@972 expert_111@972 "
     "expert_112@972 expert_113@972 expert_114@972 expert_115@972 expert_116@972 expert_117@972 expert_118@972 "
     "expert_119@972 expert_120@972 expert_121@972 expert_122@972 expert_123@972 expert_124@972 expert_125@972 "
     "expert_126@972 expert_127@972)) ff_layer_norm@119)) layer_norm@119) decoder(embed_tokens@126 "
     "layers(#{}(self_attn@118 self_attn_layer_norm@119 cross_attention@118 cross_attention_layer_norm@119 "
     "ffn(fc1@973 fc2@974 router@971 experts(expert_0@975 expert_1@975 expert_2@975 expert_3@975 expert_4@975 "
     "expert_5@975 expert_6@975 expert_7@975 expert_8@975 expert_9@975 expert_10@975 expert_11@975 expert_12@975 "
     "expert_13@975 expert_14@975 expert_15@975 expert_16@975 expert_17@975 expert_18@975 expert_19@975 "
     "expert_20@975 expert_21@975 expert_22@975 expert_23@975 expert_24@975 expert_25@975 expert_26@975 "
     "expert_27@975 expert_28@975 expert_29@975 expert_30@975 expert_31@975 expert_32@975 expert_33@975 "
     "expert_34@975 expert_35@975 expert_36@975 expert_37@975 expert_38@975 expert_39@975 expert_40@975 "
     "expert_41@975 expert_42@975 expert_43@975 expert_44@975 expert_45@975 expert_46@975 expert_47@975 "
     "expert_48@975 expert_49@975 expert_50@975 expert_51@975 expert_52@975 expert_53@975 expert_54@975 "
     "expert_55@975 expert_56@975 expert_57@975 expert_58@975 expert_59@975 expert_60@975 expert_61@975 "
     "expert_62@975 expert_63@975 expert_64@975 expert_65@975 expert_66@975 expert_67@975 expert_68@975 "
     "expert_69@975 expert_70@975 expert_71@975 expert_72@975 expert_73@975 expert_74@975 expert_75@975 "
     "expert_76@975 expert_77@975 expert_78@975 expert_79@975 expert_80@975 expert_81@975 expert_82@975 "
     "expert_83@975 expert_84@975 expert_85@975 expert_86@975 expert_87@975 expert_88@975 expert_89@975 "
     "expert_90@975 expert_91@975 expert_92@975 expert_93@975 expert_94@975 expert_95@975 expert_96@975 "
     "expert_97@975 expert_98@975 expert_99@975 expert_100@975 expert_101@975 expert_102@975 expert_103@975 "
     "expert_104@975 expert_105@975 expert_106@975 expert_107@975 expert_108@975 expert_109@975 expert_110@975 "
     "expert_111@975 expert_112@975 expert_113@975 expert_114@975 expert_115@975 expert_116@975 expert_117@975 "
     "expert_118@975 expert_119@975 expert_120@975 expert_121@975 expert_122@975 expert_123@975 expert_124@975 "
     "expert_125@975 expert_126@975 expert_127@975)) ff_layer_norm@119)) layer_norm@119)", ""},
    {"NomicBertForMaskedLM", "nomic_bert", "", "nomic_bert",
     "cls(predictions(bias[vocab_size] transform(dense@46 layer_norm@44) decoder@148)) nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertForSequenceClassification", "nomic_bert", "", "nomic_bert",
     "nomic_bert(embeddings@660 emb_ln@44 pooler@154 encoder@981 layers@985) classifier@22",
     "inv_freq original_inv_freq"},
    {"NomicBertForTokenClassification", "nomic_bert", "", "nomic_bert", "classifier@22 nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertModel", "nomic_bert", "nomic_bert", "nomic_bert", "embeddings@660 emb_ln@44 encoder@981 layers@985",
     "inv_freq original_inv_freq"},
    {"NystromformerForMaskedLM", "nystromformer", "", "nystromformer", "cls@150 nystromformer=:NystromformerModel", ""},
    {"NystromformerForMultipleChoice", "nystromformer", "", "nystromformer",
     "pre_classifier@46 classifier@59 nystromformer=:NystromformerModel", ""},
    {"NystromformerForQuestionAnswering", "nystromformer", "", "nystromformer",
     "qa_outputs@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerForSequenceClassification", "nystromformer", "", "nystromformer",
     "classifier@160 nystromformer=:NystromformerModel", ""},
    {"NystromformerForTokenClassification", "nystromformer", "", "nystromformer",
     "classifier@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerModel", "nystromformer", "nystromformer", "nystromformer",
     "embeddings@986 encoder(layer(#{num_hidden_layers}(attention(self(query@45 key@45 value@45 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_kernel_size,1])) output@140) "
     "intermediate@142 output@143)))", ""},
    {"OPTForCausalLM", "opt", "", "model", "lm_head(weight[vocab_size,word_embed_proj_dim]?) model=:OPTModel", ""},
    {"OPTForQuestionAnswering", "opt", "", "model", "qa_outputs(weight[?,word_embed_proj_dim] bias[?]) model=:OPTModel",
     ""},
    {"OPTForSequenceClassification", "opt", "", "model", "score(weight[?,word_embed_proj_dim]) model=:OPTModel", ""},
    {"OPTModel", "opt", "opt", "model",
     "decoder(embed_tokens(weight[vocab_size,word_embed_proj_dim]) embed_positions@168 final_layer_norm@187 "
     "layers(#{num_hidden_layers}(self_attn(k_proj@399 v_proj@399 q_proj@399 out_proj@399) "
     "self_attn_layer_norm@187 fc1(weight[ffn_dim,hidden_size] bias[ffn_dim]?) fc2(weight[hidden_size,ffn_dim] "
     "bias[hidden_size]?) final_layer_norm@187)))", ""},
    {"Olmo2ForCausalLM Olmo3ForCausalLM", "olmo2 olmo3", "", "model", "lm_head@0 model=:Olmo2Model", ""},
    {"Olmo2ForSequenceClassification Olmo3ForSequenceClassification", "olmo2 olmo3", "", "model",
     "score(weight[?,hidden_size]) model=:Olmo2Model", ""},
    {"Olmo2Model Olmo3Model", "olmo2 olmo3", "olmo2 olmo3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@407 mlp@266 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OlmoForCausalLM", "olmo", "", "model", "lm_head@0 model=:OlmoModel", ""},
    {"OlmoForSequenceClassification", "olmo", "", "model", "score(weight[?,hidden_size]) model=:OlmoModel", ""},
    {"OlmoHybridForCausalLM", "olmo_hybrid", "", "model", "lm_head@0 model=:OlmoHybridModel", "^mtp.*"},
    {"OlmoHybridModel", "olmo_hybrid", "olmo_hybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mlp@266 attention_layer_norm(weight[hidden_size]?) "
     "feedforward_layer_norm(weight[hidden_size]) linear_attn(A_log[?]? dt_bias[?]? q_proj@987 k_proj@987 "
     "v_proj@988 a_proj@989 b_proj@989 g_proj@988 o_proj@990 conv1d(weight[(((linear_key_head_dim*linear_num_key_h"
     "eads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear_key_head_dim*linear_num_key_heads)*2)+(l"
     "inear_value_head_dim*linear_num_value_heads))/(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_"
     "head_dim*linear_num_value_heads))),linear_conv_kernel_dim]~) o_norm@991) self_attn(q_proj@184 k_proj@992 "
     "v_proj@992 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]? "
     "bias[hidden_size]?) q_norm(weight[(num_attention_heads*(hidden_size/num_attention_heads))]?) "
     "k_norm(weight[(num_key_value_heads*(hidden_size/num_attention_heads))]?)) "
     "post_feedforward_layernorm(weight[hidden_size]?)) #{}(linear_attn@106)) norm(weight[hidden_size])", "^mtp.*"},
    {"OlmoModel", "olmo", "olmo", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 mlp@266))", ""},
    {"OlmoeForCausalLM", "olmoe", "", "model", "lm_head@0 model=:OlmoeModel", ""},
    {"OlmoeModel", "olmoe", "olmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@60 k_proj@61 v_proj@61 o_proj@62 "
     "q_norm(weight[hidden_size]) k_norm(weight[((hidden_size/num_attention_heads)*num_key_value_heads)])) mlp@269"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"OpenAIGPTForSequenceClassification", "openai-gpt", "", "transformer",
     "score(weight[?,n_embd]) transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTLMHeadModel", "openai-gpt", "", "transformer", "lm_head@427 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTModel", "openai-gpt", "openai-gpt", "transformer",
     "tokens_embed@251 positions_embed@428 h(#{n_layer}(attn(c_attn(weight[n_embd,(n_embd*3)] bias[(n_embd*3)]) "
     "c_proj@252) ln_1@253 mlp@433 ln_2@253))", ""},
    {"Ovis2ForConditionalGeneration", "ovis2", "", "model", "lm_head@94 model=:Ovis2Model", ""},
    {"Ovis2Model", "ovis2", "ovis2", "model",
     "vision_tower(transformer(embeddings(patch_embedding@499 position_embedding@609 rms_norm@438) "
     "encoder(layers(#{vision_config.num_hidden_layers}(attention(k_proj@71 v_proj@71 q_proj@71 out_proj@71) "
     "ffn(gate_proj@729 up_proj@729 down_proj@730) rms_norm1@438 rms_norm2@438))) rms_norm@438) head_linear(weight"
     "[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens),((vision_config.hidden_size*vision_con"
     "fig.hidden_stride)*vision_config.hidden_stride)]) "
     "head_norm(weight[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)] "
     "bias[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)])) "
     "visual_embeddings_table(weight[vision_config.vocab_size,hidden_size]) language_model=text_config:Qwen2Model", ""},
    {"PI0ForConditionalGeneration", "pi0", "", "model",
     "paligemma_with_expert(gemma_expert(lm_head(weight[dit_config.vocab_size,dit_config.hidden_size]) model(layer"
     "s(#{dit_config.num_hidden_layers}(self_attn(q_proj(weight[(dit_config.num_attention_heads*dit_config.head_di"
     "m),dit_config.hidden_size]) k_proj@993 v_proj@993 "
     "o_proj(weight[dit_config.hidden_size,(dit_config.num_attention_heads*dit_config.head_dim)])) "
     "mlp(gate_proj@994 up_proj@994 down_proj(weight[dit_config.hidden_size,dit_config.intermediate_size])) "
     "input_layernorm@995 post_attention_layernorm@995)) norm@995)) paligemma(model=vlm_config:PaliGemmaModel)) "
     "action_in_proj(weight[dit_config.hidden_size,max_action_dim] bias[dit_config.hidden_size]) "
     "state_proj(weight[dit_config.hidden_size,max_state_dim] bias[dit_config.hidden_size]) "
     "action_time_mlp_in(weight[dit_config.hidden_size,(2*dit_config.hidden_size)] bias[dit_config.hidden_size]) "
     "action_time_mlp_out(weight[dit_config.hidden_size,dit_config.hidden_size] bias[dit_config.hidden_size]) "
     "action_out_proj(weight[max_action_dim,dit_config.hidden_size] bias[max_action_dim])", ""},
    {"PI0Model", "pi0", "pi0", "model", "dit=dit_config:GemmaModel vlm=vlm_config:PaliGemmaModel", ""},
    {"PLBartForConditionalGeneration", "plbart", "", "model",
     "lm_head@126 final_logits_bias[1,vocab_size]? model=:PLBartModel", ""},
    {"PLBartForSequenceClassification", "plbart", "", "model", "classification_head@128 model=:PLBartModel", ""},
    {"PLBartModel", "plbart", "plbart", "model", "shared@115 encoder@133 decoder@134", ""},
    {"PPFormulaNetForConditionalGeneration", "pp_formulanet", "", "model", "model(decoder(embed_tokens@996 "
     "embed_positions(weight[(text_config.max_position_embeddings+2),text_config.d_model]) "
     "layers(#{text_config.decoder_layers}(self_attn@998 self_attn_layer_norm@999 encoder_attn@998 "
     "encoder_attn_layer_norm@999 fc1(weight[text_config.decoder_ffn_dim,text_config.d_model] "
     "bias[text_config.decoder_ffn_dim]) fc2(weight[text_config.d_model,text_config.decoder_ffn_dim] "
     "bias[text_config.d_model]) final_layer_norm@999)) layernorm_embedding@999 layer_norm@999) encoder(pos_embed["
     "1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patch_size),vi"
     "sion_config.hidden_size]? patch_embed@500 layers(#{}(layer_norm1@74 "
     "attn(rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)]? "
     "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)]? "
     "qkv(weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]?) "
     "proj@72) layer_norm2@74 mlp@504)) neck@510 multi_modal_projector(conv1(weight[vision_config.post_conv_mid_ch"
     "annels,(vision_config.post_conv_in_channels/1),?,?]) "
     "conv2(weight[vision_config.post_conv_out_channels,(vision_config.post_conv_mid_channels/1),?,?]) "
     "linear_1(weight[vision_config.post_conv_out_channels,vision_config.post_conv_out_channels] "
     "bias[vision_config.post_conv_out_channels]) "
     "linear_2(weight[vision_config.decoder_hidden_size,vision_config.post_conv_out_channels] "
     "bias[vision_config.decoder_hidden_size])))) lm_head@996", ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "", "model",
     "visual@1001 model@1011 mlp_AR@1014 lm_head@94", "packing_position_embedding vision_model.head"},
    {"PaddleOCRVLModel", "paddleocr_vl", "paddleocr_vl", "model", "visual@1001 language_model@1011 projector@1014",
     "packing_position_embedding vision_model.head"},
    {"PaliGemmaForConditionalGeneration", "paligemma", "", "model",
     "multi_modal_projector@1015 language_model(lm_head@94 model=text_config:GemmaModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"PaliGemmaModel", "paligemma", "paligemma", "model",
     "multi_modal_projector@1015 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:GemmaModel)", ""},
    {"ParakeetEncoder", "parakeet_encoder", "parakeet_encoder", "encoder",
     "subsampling(layers(0(weight[subsampling_conv_channels,1,subsampling_conv_kernel_size,subsampling_conv_kernel"
     "_size] bias[subsampling_conv_channels]) 2@1016 3@1017 5@1016 6@1017) "
     "linear(weight[hidden_size,(subsampling_conv_channels*(num_mel_bins/8))] bias[hidden_size])) "
     "layers(#{num_hidden_layers}(feed_forward1@1018 "
     "self_attn(bias_u[num_attention_heads,(hidden_size/num_attention_heads)] "
     "bias_v[num_attention_heads,(hidden_size/num_attention_heads)] q_proj@60 k_proj@61 v_proj@61 o_proj@62 "
     "relative_k_proj@358) conv(pointwise_conv1(weight[(2*hidden_size),(hidden_size/1),1] bias[(2*hidden_size)]?) "
     "depthwise_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size] bias[hidden_size]?) norm@1019 "
     "pointwise_conv2(weight[hidden_size,(hidden_size/1),1] bias[hidden_size]?)) feed_forward2@1018 "
     "norm_feed_forward1@44 norm_self_att@44 norm_conv@44 norm_feed_forward2@44 norm_out@44))", ""},
    {"PegasusXForConditionalGeneration", "pegasus_x", "", "model", "lm_head@126 model=:PegasusXModel", ""},
    {"PegasusXModel", "pegasus_x", "pegasus_x", "model",
     "shared@115 encoder(embed_tokens@126 embed_global(weight[num_global_tokens,d_model]) "
     "layers(#{encoder_layers}(self_attn@1020 self_attn_layer_norm@119 global_self_attn_layer_norm@119 fc1@129 "
     "fc2@130 final_layer_norm@119)) layer_norm@119) decoder(embed_tokens@126 "
     "layers(#{decoder_layers}(self_attn@1020 self_attn_layer_norm@119 encoder_attn@1020 "
     "encoder_attn_layer_norm@119 fc1@120 fc2@121 final_layer_norm@119)) layer_norm@119)", ""},
    {"PersimmonForCausalLM", "persimmon", "", "model", "lm_head@0 model=:PersimmonModel", ""},
    {"PersimmonForSequenceClassification", "persimmon", "", "model",
     "score(weight[?,hidden_size]) model=:PersimmonModel", ""},
    {"PersimmonForTokenClassification", "persimmon", "", "model", "score@22 model=:PersimmonModel", ""},
    {"PersimmonModel", "persimmon", "persimmon", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(query_key_value@218 dense@492 q_layernorm@1021 "
     "k_layernorm@1021) mlp@437 input_layernorm@44 post_attention_layernorm@44)) final_layernorm@44", ""},
    {"Phi3ForCausalLM", "phi3", "", "model", "lm_head@0 model=:Phi3Model", ""},
    {"Phi3ForSequenceClassification", "phi3", "", "model", "score(weight[?,hidden_size]) model=:Phi3Model", ""},
    {"Phi3ForTokenClassification", "phi3", "", "model", "score@22 model=:Phi3Model", ""},
    {"Phi3Model", "phi3", "phi3", "model", "embed_tokens@0 layers@1025 norm(weight[hidden_size])", ""},
    {"Phi4MultimodalForCausalLM", "phi4_multimodal", "", "model", "lm_head@0 model=:Phi4MultimodalModel", ""},
    {"Phi4MultimodalModel", "phi4_multimodal", "phi4_multimodal", "model",
     "embed_tokens@0 layers@1025 norm(weight[hidden_size]) "
     "embed_tokens_extend(image_embed(global_img_feature_extensor[1,1,vision_config.hidden_size] "
     "sub_img_feature_extensor[1,1,1,vision_config.hidden_size] img_processor(embeddings@610 encoder@866 "
     "post_layernorm@74 head(probe[1,1,vision_config.hidden_size] attention@73 layernorm@74 mlp@176)) "
     "img_projection_up@456 img_projection_down@46) "
     "audio_embed(encoder(embed(conv(0(weight[audio_config.nemo_conv_channels,1,?,?] "
     "bias[audio_config.nemo_conv_channels]) 2@1026 3@1027 5@1026 6@1027) "
     "out(weight[audio_config.hidden_size,(audio_config.nemo_conv_channels*audio_config.nemo_final_size)] "
     "bias[audio_config.hidden_size])) "
     "relative_attention_bias_layer(bias_values(weight[?,audio_config.num_attention_heads])) "
     "encoders(#{audio_config.num_blocks}(feed_forward_in@1031 self_attn(q_proj@1032 k_proj@1032 v_proj@1032 o_pro"
     "j(weight[audio_config.hidden_size,(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.n"
     "um_attention_heads))] bias[audio_config.hidden_size])) conv(layer_norm@1028 "
     "glu(b1[1,audio_config.ext_pw_out_channel,1] b2[1,audio_config.ext_pw_out_channel,1] "
     "ext_pw_conv_1d(weight[(audio_config.ext_pw_out_channel*2),(audio_config.hidden_size/1),1] "
     "bias[(audio_config.ext_pw_out_channel*2)])) dw_sep_conv_1d(dw_conv(weight[(audio_config.hidden_size*audio_co"
     "nfig.depthwise_multiplier),(audio_config.hidden_size/audio_config.hidden_size),audio_config.kernel_size] "
     "bias[(audio_config.hidden_size*audio_config.depthwise_multiplier)]) pw_conv(weight[audio_config.depthwise_se"
     "parable_out_channel,((audio_config.hidden_size*audio_config.depthwise_multiplier)/1),1] "
     "bias[audio_config.depthwise_separable_out_channel])) "
     "ext_pw_conv_1d(weight[audio_config.ext_pw_out_channel,(audio_config.hidden_size/1),1] "
     "bias[audio_config.ext_pw_out_channel])) feed_forward_out@1031 layer_norm_att@1028 layer_norm@1028)) "
     "encoder_embedding(global_mean[audio_config.input_size] global_invstd[audio_config.input_size])) "
     "up_proj_for_speech@1033 down_proj_for_speech@46 up_proj_for_vision_speech@1033 "
     "down_proj_for_vision_speech@46))", ""},
    {"PhiForCausalLM", "phi", "", "model", "lm_head@270 model=:PhiModel", ""},
    {"PhiForSequenceClassification", "phi", "", "model", "score(weight[?,hidden_size]) model=:PhiModel", ""},
    {"PhiForTokenClassification", "phi", "", "model", "score@22 model=:PhiModel", ""},
    {"PhiModel", "phi", "phi", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@45 k_proj@490 v_proj@490 dense@492 "
     "q_layernorm@1021 k_layernorm@1021) mlp@246 input_layernorm@44)) final_layernorm@44", ""},
    {"PhimoeForCausalLM", "phimoe", "", "model", "lm_head@0 model=:PhimoeModel", ""},
    {"PhimoeForSequenceClassification", "phimoe", "", "model", "score(weight[?,hidden_size]) model=:PhimoeModel", ""},
    {"PhimoeModel", "phimoe", "phimoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 block_sparse_moe@886 mlp@868 input_layernorm@44 "
     "post_attention_layernorm@44) #{}@869) norm@44", ""},
    {"Pix2StructForConditionalGeneration", "pix2struct", "", "",
     "encoder(embeddings(patch_projection@723 row_embedder@1034 column_embedder@1034) "
     "encoder(layer(#{vision_config.num_hidden_layers}(attention(query@1035 key@1035 value@1035 "
     "output(weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.d_kv)])) "
     "mlp(wi_0@1036 wi_1@1036 wo(weight[vision_config.hidden_size,vision_config.d_ff])) pre_mlp_layer_norm@438 "
     "pre_attention_layer_norm@438))) layernorm@438) decoder(embed_tokens@80 "
     "layer(#{text_config.num_layers}(self_attention(attention(query@77 key@77 value@77 output@77 "
     "relative_attention_bias(weight[text_config.relative_attention_num_buckets,text_config.num_heads]?)) "
     "layer_norm@303) encoder_decoder_attention(attention(query@77 key@77 value@77 output@77) layer_norm@303) "
     "mlp(DenseReluDense(wi_0@1037 wi_1@1037 wo(weight[text_config.hidden_size,text_config.d_ff])) "
     "layer_norm@303))) final_layer_norm@303 lm_head@80)", ""},
    {"PixtralVisionModel", "pixtral", "pixtral", "vision_encoder",
     "patch_conv@250 ln_pre(weight[hidden_size]) transformer(layers(#{}(attention_norm(weight[hidden_size]) "
     "feed_forward@266 attention(k_proj@84 v_proj@84 q_proj@84 o_proj@84) ffn_norm(weight[hidden_size]))))", ""},
    {"Pop2PianoForConditionalGeneration", "pop2piano", "", "transformer",
     "shared@115 mel_conditioner(embedding(weight[composer_vocab_size,d_model])) encoder@834 decoder@838 "
     "lm_head@115", ""},
    {"ProphetNetForCausalLM", "prophetnet", "", "prophetnet", "prophetnet(word_embeddings@0 decoder@1047) lm_head@167",
     ""},
    {"ProphetNetForConditionalGeneration", "prophetnet", "", "prophetnet", "lm_head@167 prophetnet=:ProphetNetModel",
     ""},
    {"ProphetNetModel", "prophetnet", "prophetnet", "prophetnet",
     "word_embeddings@0 encoder(word_embeddings@167 position_embeddings@136 embeddings_layer_norm@44 "
     "layers(#{num_encoder_layers}(self_attn(key_proj@46 value_proj@46 query_proj@46 out_proj@46) "
     "self_attn_layer_norm@44 feed_forward(intermediate@1048 output@1049) feed_forward_layer_norm@44))) "
     "decoder@1047", ""},
    {"QianfanOCRForConditionalGeneration", "qianfan_ocr", "", "model",
     "vision_model(embeddings@1051 encoder@1058 layernorm@241) model(vision_tower(layers@1062)) mlp1(0@634 1@635 "
     "3@86) language_model(model@1067 lm_head@80)", ""},
    {"QianfanOCRModel", "qianfan_ocr", "qianfan_ocr", "model",
     "vision_tower(embeddings@1051 encoder@1058 layers@1062 layernorm@241) multi_modal_projector@636 "
     "language_model@1067", ""},
    {"Qwen2AudioEncoder", "qwen2_audio_encoder", "qwen2_audio_encoder", "model",
     "conv1@1068 conv2@1069 embed_positions@1070 layers@1073 layer_norm@119", ""},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "", "model",
     "multi_modal_projector@1075 language_model@88 audio_tower=audio_config:Qwen2AudioEncoder", ""},
    {"Qwen2AudioModel", "qwen2_audio", "qwen2_audio", "model",
     "multi_modal_projector@1075 audio_tower=audio_config:Qwen2AudioEncoder language_model@89", ""},
    {"Qwen2ForCausalLM", "qwen2", "", "model", "lm_head@0 model=:Qwen2Model", ""},
    {"Qwen2ForQuestionAnswering", "qwen2", "", "transformer", "qa_outputs@22 transformer=:Qwen2Model", ""},
    {"Qwen2ForSequenceClassification", "qwen2", "", "model", "score(weight[?,hidden_size]) model=:Qwen2Model", ""},
    {"Qwen2ForTokenClassification", "qwen2", "", "model", "score@22 model=:Qwen2Model", ""},
    {"Qwen2Model Qwen2VLTextModel Qwen2_5_VLTextModel", "qwen2 qwen2_5_vl_text qwen2_vl_text",
     "qwen2 qwen2_5_vl_text qwen2_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@491 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "", "model", "lm_head@0 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForQuestionAnswering", "qwen2_moe", "", "model", "qa_outputs@22 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForSequenceClassification", "qwen2_moe", "", "model", "score(weight[?,hidden_size]) model=:Qwen2MoeModel",
     ""},
    {"Qwen2MoeForTokenClassification", "qwen2_moe", "", "model", "score@22 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeModel", "qwen2_moe", "qwen2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@471 mlp@1076 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "", "model", "visual@1090 lm_head@80 model=text_config:Qwen2Model",
     ""},
    {"Qwen2VLModel", "qwen2_vl", "qwen2_vl", "model", "visual@1090 language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni_thinker", "", "model",
     "audio_tower@1103 visual@1112 model@1115 lm_head@80", "^talker ^token2wav"},
    {"Qwen2_5OmniThinkerModel", "qwen2_5_omni_thinker", "qwen2_5_omni_thinker", "model",
     "audio_tower@1103 visual@1112 language_model@1115", "^talker ^token2wav"},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "", "model",
     "lm_head@80 visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VLModel", "qwen2_5_vl", "qwen2_5_vl", "model",
     "visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VisionTransformerPretrainedModel", "qwen2_5_vl_vision", "qwen2_5_vl_vision", "model",
     "patch_embed@392 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@1117 mlp@393)) "
     "merger@397", ""},
    {"Qwen3ASREncoder", "qwen3_asr_encoder", "qwen3_asr_encoder", "model",
     "layers@132 ln_post@119 conv2d1(weight[downsample_hidden_size,1,?,?] bias[downsample_hidden_size]) "
     "conv2d2@1118 conv2d3@1118 "
     "conv_out(weight[d_model,(downsample_hidden_size*((((((num_mel_bins+1)/2)+1)/2)+1)/2))])", ""},
    {"Qwen3ASRForConditionalGeneration", "qwen3_asr", "", "model", "lm_head@94 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRForTokenClassification", "qwen3_asr", "", "model", "score@440 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRModel", "qwen3_asr", "qwen3_asr", "model",
     "multi_modal_projector(linear_1@1095 linear_2@1102) audio_tower=audio_config:Qwen3ASREncoder "
     "language_model=text_config:Qwen3Model", ""},
    {"Qwen3ForCausalLM", "qwen3", "", "model", "lm_head@0 model=:Qwen3Model", ""},
    {"Qwen3ForQuestionAnswering", "qwen3", "", "transformer", "qa_outputs@22 transformer=:Qwen3Model", ""},
    {"Qwen3ForSequenceClassification", "qwen3", "", "model", "score(weight[?,hidden_size]) model=:Qwen3Model", ""},
    {"Qwen3ForTokenClassification", "qwen3", "", "model", "score@22 model=:Qwen3Model", ""},
    {"Qwen3Model Qwen3VLTextModel", "qwen3 qwen3_vl_text", "qwen3 qwen3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@442 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "", "model", "lm_head@0 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForQuestionAnswering", "qwen3_moe", "", "transformer", "qa_outputs@22 transformer=:Qwen3MoeModel", ""},
    {"Qwen3MoeForSequenceClassification", "qwen3_moe", "", "model", "score(weight[?,hidden_size]) model=:Qwen3MoeModel",
     ""},
    {"Qwen3MoeForTokenClassification", "qwen3_moe", "", "model", "score@22 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeModel", "qwen3_moe", "qwen3_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@64 mlp@855 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size])) #{}@19) norm(weight[hidden_size])", ""},
    {"Qwen3NextForCausalLM", "qwen3_next", "", "model", "lm_head@0 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForQuestionAnswering", "qwen3_next", "", "transformer", "qa_outputs@22 transformer=:Qwen3NextModel",
     "^mtp.*"},
    {"Qwen3NextForSequenceClassification", "qwen3_next", "", "model",
     "score(weight[?,hidden_size]) model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForTokenClassification", "qwen3_next", "", "model", "score@22 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextModel", "qwen3_next", "qwen3_next", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads]? A_log[?]? "
     "conv1d@1119 in_proj_qkvz(weight[(((linear_key_head_dim*linear_num_key_heads)*2)+((linear_value_head_dim*line"
     "ar_num_value_heads)*2)),hidden_size]?) in_proj_ba(weight[(linear_num_value_heads*2),hidden_size]?) norm@991 "
     "out_proj@990) mlp@1076 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attn@1121) #{}@19) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe_thinker", "", "model",
     "audio_tower@1128 visual@1132 model(embed_tokens@80 layers(#{text_config.num_hidden_layers}(self_attn@1137 "
     "mlp(gate@1138) input_layernorm@303 post_attention_layernorm@303) #{}@19) "
     "language_model(layers(#{text_config.num_hidden_layers}(mlp(experts@1139)))) norm@303) lm_head@80",
     "^code2wav ^talker"},
    {"Qwen3OmniMoeThinkerModel", "qwen3_omni_moe_thinker", "qwen3_omni_moe_thinker", "model",
     "audio_tower@1128 visual@1132 language_model(embed_tokens@80 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1137 mlp(experts@1139 gate@1138) input_layernorm@303 "
     "post_attention_layernorm@303) #{}@19) norm@303)", "^code2wav ^talker"},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "", "model", "lm_head@80 model=:Qwen3VLModel", ""},
    {"Qwen3VLModel", "qwen3_vl", "qwen3_vl", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3Model", ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "", "model", "lm_head@80 model=:Qwen3VLMoeModel", ""},
    {"Qwen3VLMoeModel", "qwen3_vl_moe", "qwen3_vl_moe", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3VLMoeTextModel", ""},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", "qwen3_vl_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@442 "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]) gate@516) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen3VLMoeVisionModel Qwen3VLVisionModel", "qwen3_vl_moe_vision qwen3_vl_vision",
     "qwen3_vl_moe_vision qwen3_vl_vision", "model", "patch_embed@476 pos_embed@1140 blocks@1143 merger@1144 "
     "deepstack_merger_list(#{}(norm(weight[(hidden_size*(spatial_merge_size*spatial_merge_size))] "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]) linear_fc1@394 linear_fc2@395))", ""},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", "", "model", "lm_head@0 model=:Qwen3_5TextModel", "^model.visual.* ^mtp.*"},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "", "model", "lm_head@80 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForSequenceClassification", "qwen3_5", "", "model", "score@440 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForTokenClassification", "qwen3_5", "", "model", "score@953 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5Model", "qwen3_5", "qwen3_5", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", "", "model", "lm_head@0 model=:Qwen3_5MoeTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "", "model", "lm_head@80 model=:Qwen3_5MoeModel", "^mtp.*"},
    {"Qwen3_5MoeModel", "qwen3_5_moe", "qwen3_5_moe", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5MoeTextModel", "^mtp.*"},
    {"Qwen3_5MoeTextModel", "qwen3_5_moe_text", "qwen3_5_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1146 mlp@1076 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1121) #{}@19) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3_5MoeVisionModel Qwen3_5VisionModel Qwen4ExpVisionModel",
     "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision", "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision",
     "model", "patch_embed@476 pos_embed@1140 blocks@1143 merger@1144", "^mtp.*"},
    {"Qwen3_5TextForSequenceClassification", "qwen3_5_text", "", "model",
     "score(weight[?,hidden_size]) model=:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5TextModel", "qwen3_5_text", "qwen3_5_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1146 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1121)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen4ExpForCausalLM", "qwen4_exp_text", "", "model", "lm_head@0 model=:Qwen4ExpTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen4ExpForConditionalGeneration", "qwen4_exp", "", "model", "lm_head@80 model=:Qwen4ExpModel", "^mtp.*"},
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
     "in_proj_z(weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]) in_proj_b@1147 in_proj_a@1147)"
     " mlp@1076 attn_hyper_connection@1152 mlp_hyper_connection@1152) #{}@19) hyper_connection_mixer(hc_norm@1148 "
     "input_mix_weight_down@1149 input_mix_weight_up@1150)", "^mtp.*"},
    {"RecurrentGemmaForCausalLM", "recurrent_gemma", "", "model", "lm_head@167 model=:RecurrentGemmaModel", ""},
    {"RecurrentGemmaModel", "recurrent_gemma", "recurrent_gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(temporal_pre_norm(weight[hidden_size]) "
     "temporal_block(linear_y@1153 linear_x@1153 linear_out(weight[hidden_size,lru_width]? bias[hidden_size]?) "
     "conv_1d(weight[lru_width,(lru_width/lru_width),conv1d_width]? bias[lru_width]?) "
     "rg_lru(recurrent_param[lru_width]? "
     "input_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]? "
     "input_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]? "
     "recurrent_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]? "
     "recurrent_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?) q_proj@748 k_proj@749 v_proj@749 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]? bias[hidden_size]?)) "
     "channel_pre_norm(weight[hidden_size]) mlp_block(gate_proj@1154 up_proj@1154 "
     "down_proj(weight[hidden_size,(intermediate_size/2)] bias[hidden_size])))) final_norm(weight[hidden_size])", ""},
    {"RemBertForCausalLM RemBertForMaskedLM", "rembert", "", "rembert",
     "rembert@1162 cls(predictions(dense(weight[output_embedding_size,hidden_size] bias[output_embedding_size]) "
     "decoder(weight[vocab_size,output_embedding_size] bias[vocab_size]) LayerNorm(weight[output_embedding_size] "
     "bias[output_embedding_size])))", ""},
    {"RemBertForMultipleChoice", "rembert", "", "rembert", "classifier@59 rembert=:RemBertModel", ""},
    {"RemBertForQuestionAnswering", "rembert", "", "rembert", "rembert@1162 qa_outputs@22", ""},
    {"RemBertForSequenceClassification", "rembert", "", "rembert", "classifier@22 rembert=:RemBertModel", ""},
    {"RemBertForTokenClassification", "rembert", "", "rembert", "rembert@1162 classifier@22", ""},
    {"RemBertModel", "rembert", "rembert", "rembert", "embeddings@1159 encoder@1161 pooler@154", ""},
    {"ResNetBackbone", "resnet", "", "resnet",
     "embedder(embedder(convolution(weight[embedding_size,(num_channels/1),?,?]) "
     "normalization(weight[embedding_size] bias[embedding_size] running_mean[embedding_size] "
     "running_var[embedding_size] num_batches_tracked[]))) encoder(stages(#{}(layers(0(shortcut@1164 layer@1166) "
     "1@1167 2@1167 3@1172 4@1172 5@1172))))", ""},
    {"RoCBertForCausalLM RoCBertForMaskedLM", "roc_bert", "", "roc_bert", "roc_bert@1177 cls@150", ""},
    {"RoCBertForMultipleChoice", "roc_bert", "", "roc_bert", "classifier@59 roc_bert=:RoCBertModel", ""},
    {"RoCBertForPreTraining", "roc_bert", "", "roc_bert", "cls@150 roc_bert=:RoCBertModel", ""},
    {"RoCBertForQuestionAnswering", "roc_bert", "", "roc_bert", "roc_bert@1177 qa_outputs@22", ""},
    {"RoCBertForSequenceClassification", "roc_bert", "", "roc_bert", "classifier@22 roc_bert=:RoCBertModel", ""},
    {"RoCBertForTokenClassification", "roc_bert", "", "roc_bert", "roc_bert@1177 classifier@22", ""},
    {"RoCBertModel", "roc_bert", "roc_bert", "roc_bert", "embeddings@1176 encoder@146 pooler@154", ""},
    {"RoFormerForCausalLM RoFormerForMaskedLM", "roformer", "", "roformer",
     "cls(predictions(bias[vocab_size] transform(dense@56 LayerNorm@41) decoder@57)) roformer=:RoFormerModel", ""},
    {"RoFormerForMultipleChoice", "roformer", "", "roformer", "classifier@59 roformer=:RoFormerModel", ""},
    {"RoFormerForQuestionAnswering", "roformer", "", "roformer", "qa_outputs@22 roformer=:RoFormerModel", ""},
    {"RoFormerForSequenceClassification", "roformer", "", "roformer", "classifier@160 roformer=:RoFormerModel", ""},
    {"RoFormerForTokenClassification", "roformer", "", "roformer", "classifier@22 roformer=:RoFormerModel", ""},
    {"RoFormerModel", "roformer", "roformer", "roformer",
     "embeddings(word_embeddings@38 token_type_embeddings@40 LayerNorm@41) "
     "encoder(embed_positions(weight[max_position_embeddings,(hidden_size/num_attention_heads)]) layer@145)", ""},
    {"RobertaForCausalLM RobertaForMaskedLM", "roberta", "", "roberta", "roberta@256 lm_head@254", ""},
    {"RobertaForQuestionAnswering", "roberta", "", "roberta", "roberta@256 qa_outputs@22", ""},
    {"RobertaForSequenceClassification", "roberta", "", "roberta", "roberta@256 classifier@160", ""},
    {"RobertaForTokenClassification", "roberta", "", "roberta", "roberta@256 classifier@22", ""},
    {"RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "",
     "roberta_prelayernorm", "roberta_prelayernorm@1183 lm_head@254", ""},
    {"RobertaPreLayerNormForMultipleChoice", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "classifier@59 roberta_prelayernorm=:RobertaPreLayerNormModel", ""},
    {"RobertaPreLayerNormForQuestionAnswering", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1183 qa_outputs@22", ""},
    {"RobertaPreLayerNormForSequenceClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1183 classifier@160", ""},
    {"RobertaPreLayerNormForTokenClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1183 classifier@22", ""},
    {"RobertaPreLayerNormModel", "roberta-prelayernorm", "roberta-prelayernorm", "roberta_prelayernorm",
     "embeddings@255 encoder@1182 LayerNorm@44 pooler@154", ""},
    {"RwkvForCausalLM", "rwkv", "", "rwkv", "head@0 rwkv=:RwkvModel", ""},
    {"RwkvModel", "rwkv", "rwkv", "rwkv", "embeddings@0 blocks(#{num_hidden_layers}(pre_ln@187 ln1@44 ln2@44 "
     "attention(time_decay[attention_hidden_size] time_first[attention_hidden_size] time_mix_key[1,1,hidden_size] "
     "time_mix_value[1,1,hidden_size] time_mix_receptance[1,1,hidden_size] key@1184 value@1184 receptance@1184 "
     "output(weight[hidden_size,attention_hidden_size])) feed_forward(time_mix_key[1,1,hidden_size] "
     "time_mix_receptance[1,1,hidden_size] key@65 receptance@84 value@66))) ln_out@44", ""},
    {"SamVisionModel", "sam_vision_model", "sam_vision_model", "sam",
     "vision_encoder(pos_embed[1,(image_size/patch_size),(image_size/patch_size),hidden_size]? patch_embed@1185 "
     "layers(#{}(layer_norm1@44 attn(rel_pos_h[?,(hidden_size/num_attention_heads)]? "
     "rel_pos_w[?,(hidden_size/num_attention_heads)]? qkv@477 proj@46) layer_norm2@44 "
     "mlp(lin1(weight[mlp_dim,hidden_size] bias[mlp_dim]) lin2(weight[hidden_size,mlp_dim] bias[hidden_size])))) "
     "neck(conv1(weight[output_channels,(hidden_size/1),1,1]) layer_norm1@1186 "
     "conv2(weight[output_channels,(output_channels/1),?,?]) layer_norm2@1186))", ""},
    {"SeamlessM4TForSpeechToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 speech_encoder(feature_projection@1189 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@44 "
     "ffn1@1192 self_attn_layer_norm@44 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] linear_q@46 "
     "linear_k@46 linear_v@46 linear_out@46 linear_pos@84) conv_module(layer_norm@44 pointwise_conv1@1193 "
     "depthwise_conv@1194 batch_norm@1019 pointwise_conv2@1195) ffn2_layer_norm@44 ffn2@1192 final_layer_norm@44))"
     " layer_norm@44) intermediate_ffn@1192 adapter@1203 inner_layer_norm@44) text_decoder@1207 lm_head@167", ""},
    {"SeamlessM4TForTextToSpeech", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1214 text_decoder@1220 lm_head@167 t2u_model@1236 vocoder@1252", ""},
    {"SeamlessM4TForTextToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1256 text_decoder@1207 lm_head@167", ""},
    {"SeamlessM4TModel", "seamless_m4t", "seamless_m4t", "seamless_m4t",
     "shared@0 text_encoder@1214 speech_encoder(feature_projection@1259 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@187 ffn1@1200 self_attn_layer_norm@187 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? linear_q@186 "
     "linear_k@186 linear_v@186 linear_out@186 linear_pos@742) conv_module(layer_norm@187 pointwise_conv1@1260 "
     "depthwise_conv@1261 batch_norm(weight[hidden_size]? bias[hidden_size]? running_mean[hidden_size]? "
     "running_var[hidden_size]? num_batches_tracked[]?) pointwise_conv2@1262) ffn2_layer_norm@187 ffn2@1200 "
     "final_layer_norm@187)) layer_norm@187) intermediate_ffn@1200 adapter@1203 inner_layer_norm@187) "
     "text_decoder@1220 lm_head@167 t2u_model@1236 vocoder@1252", ""},
    {"SeamlessM4Tv2ForSpeechToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 speech_encoder(feature_projection@1189 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@44 "
     "ffn1@1192 self_attn_layer_norm@44 self_attn(linear_q@46 linear_k@46 linear_v@46 linear_out@46 distance_embed"
     "ding(weight[((left_max_position_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_att"
     "ention_heads)])) conv_module(layer_norm@44 pointwise_conv1@1193 depthwise_conv@1194 depthwise_layer_norm@44 "
     "pointwise_conv2@1195) ffn2_layer_norm@44 ffn2@1192 final_layer_norm@44)) layer_norm@44) "
     "intermediate_ffn@1192 adapter@1203 inner_layer_norm@44) text_decoder@1207 lm_head@167", ""},
    {"SeamlessM4Tv2ForTextToSpeech", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1214 text_decoder@1220 lm_head@167 t2u_model@1273 vocoder@1252", ""},
    {"SeamlessM4Tv2ForTextToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1256 text_decoder@1207 lm_head@167", ""},
    {"SeamlessM4Tv2Model", "seamless_m4t_v2", "seamless_m4t_v2", "seamless_m4t_v2",
     "shared@0 text_encoder@1214 speech_encoder(feature_projection@1259 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@187 ffn1@1200 self_attn_layer_norm@187 "
     "self_attn(linear_q@186 linear_k@186 linear_v@186 linear_out@186 distance_embedding(weight[((left_max_positio"
     "n_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_attention_heads)]?)) "
     "conv_module(layer_norm@187 pointwise_conv1@1260 depthwise_conv@1261 depthwise_layer_norm@187 "
     "pointwise_conv2@1262) ffn2_layer_norm@187 ffn2@1200 final_layer_norm@187)) layer_norm@187) "
     "intermediate_ffn@1200 adapter@1203 inner_layer_norm@187) text_decoder@1220 lm_head@167 t2u_model@1273 "
     "vocoder@1252", ""},
    {"Siglip2ForImageClassification", "siglip2", "", "siglip2",
     "classifier@643 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2Model", "siglip2", "siglip2", "siglip2",
     "logit_scale[1] logit_bias[1] text_model@1281 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2VisionModel", "siglip2_vision_model", "siglip2_vision_model", "vision_model",
     "embeddings(patch_embedding(weight[hidden_size,((num_channels*patch_size)*patch_size)] bias[hidden_size]) "
     "position_embedding(weight[num_patches,hidden_size])) encoder@862 post_layernorm@44 head@1284", ""},
    {"SiglipModel", "siglip", "siglip", "siglip",
     "logit_scale[1] logit_bias[1] text_model@1281 vision_model=vision_config:SiglipVisionModel", ""},
    {"SiglipVisionModel", "siglip_vision_model", "siglip_vision_model", "vision_model",
     "embeddings@616 encoder@862 post_layernorm@44 head@1284", ""},
    {"SmolLM3ForCausalLM", "smollm3", "", "model", "lm_head@167 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForQuestionAnswering", "smollm3", "", "transformer", "qa_outputs@22 transformer=:GraniteDoclingTextModel",
     ""},
    {"SmolLM3ForSequenceClassification", "smollm3", "", "model",
     "score(weight[?,hidden_size]) model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForTokenClassification", "smollm3", "", "model", "score@22 model=:GraniteDoclingTextModel", ""},
    {"SolarOpenForCausalLM", "solar_open", "", "model", "lm_head@0 model=:SolarOpenModel", ""},
    {"SolarOpenModel", "solar_open", "solar_open", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@457 mlp(experts@9 "
     "gate(weight[n_routed_experts,hidden_size] e_score_correction_bias[n_routed_experts]) "
     "shared_experts(gate_proj@1285 up_proj@1285 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])) #{}@19) "
     "norm(weight[hidden_size])", ""},
    {"Speech2TextForConditionalGeneration", "speech_to_text", "", "model", "lm_head@126 model=:Speech2TextModel", ""},
    {"Speech2TextModel", "speech_to_text", "speech_to_text", "model",
     "encoder(conv(conv_layers(#{}(weight[?,?,?] bias[?]))) layers@132 layer_norm@119) decoder(embed_tokens@115 "
     "layers@123 layer_norm@119)", ""},
    {"SpeechT5ForSpeechToText", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(masked_spec_embed[?] feature_encoder(conv_layers(0(conv(weight[?,1,?] bias[?]?) "
     "layer_norm(weight[?] bias[?])) 1@1287 2@1287 3@1287 4@1287 5@1287 6@1287)) "
     "feature_projection(layer_norm(weight[?] bias[?]) projection@863) pos_conv_embed(conv(bias[hidden_size] "
     "parametrizations(weight(original0[?,?,?] "
     "original1[hidden_size,(hidden_size/num_conv_pos_embedding_groups),num_conv_pos_embeddings]))))) "
     "wrapped_encoder@1293) decoder(prenet(embed_tokens@0) wrapped_decoder@1297)) " "text_decoder_postnet(lm_head@167)",
     ""},
    {"SpeechT5ForTextToSpeech", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(embed_tokens@0 encode_positions(alpha[])) wrapped_encoder@1293) "
     "decoder(prenet(layers(#{speech_decoder_prenet_layers}(weight[speech_decoder_prenet_units,?] "
     "bias[speech_decoder_prenet_units])) final_layer(weight[hidden_size,speech_decoder_prenet_units] "
     "bias[hidden_size]) encode_positions(alpha[]) "
     "speaker_embeds_layer(weight[hidden_size,(speaker_embedding_dim+hidden_size)] bias[hidden_size])) "
     "wrapped_decoder@1297)) speech_decoder_postnet(feat_out(weight[(num_mel_bins*reduction_factor),hidden_size] "
     "bias[(num_mel_bins*reduction_factor)]) prob_out(weight[reduction_factor,hidden_size] bias[reduction_factor])"
     " layers(#{speech_decoder_postnet_layers}(conv(weight[?,?,speech_decoder_postnet_kernel]) batch_norm@1163)))", ""},
    {"SplinterForPreTraining SplinterForQuestionAnswering", "splinter", "", "splinter",
     "splinter_qass(query_start_transform@140 query_end_transform@140 start_transform@140 end_transform@140 "
     "start_classifier@84 end_classifier@84) splinter=:SplinterModel", ""},
    {"SplinterModel", "splinter", "splinter", "splinter", "embeddings@138 encoder@146", ""},
    {"SqueezeBertForMaskedLM", "squeezebert", "", "transformer",
     "cls(predictions(bias[vocab_size] transform@140 decoder@57)) transformer=:SqueezeBertModel", ""},
    {"SqueezeBertForMultipleChoice", "squeezebert", "", "transformer", "classifier@59 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForQuestionAnswering", "squeezebert", "", "transformer", "qa_outputs@22 transformer=:SqueezeBertModel",
     ""},
    {"SqueezeBertForSequenceClassification SqueezeBertForTokenClassification", "squeezebert", "", "transformer",
     "classifier@22 transformer=:SqueezeBertModel", ""},
    {"SqueezeBertModel", "squeezebert", "squeezebert", "transformer",
     "embeddings(word_embeddings@38 position_embeddings@39 token_type_embeddings@40 LayerNorm@44) "
     "encoder(layers(#{num_hidden_layers}(attention(query(weight[hidden_size,(hidden_size/q_groups),1] "
     "bias[hidden_size]) key(weight[hidden_size,(hidden_size/k_groups),1] bias[hidden_size]) "
     "value(weight[hidden_size,(hidden_size/v_groups),1] bias[hidden_size])) "
     "post_attention(conv1d(weight[hidden_size,(hidden_size/post_attention_groups),1] bias[hidden_size]) "
     "layernorm@44) intermediate(conv1d(weight[intermediate_size,(hidden_size/intermediate_groups),1] "
     "bias[intermediate_size])) output(conv1d(weight[hidden_size,(intermediate_size/output_groups),1] "
     "bias[hidden_size]) layernorm@44)))) pooler@154", ""},
    {"StableLmForCausalLM", "stablelm", "", "model", "lm_head@0 model=:StableLmModel", ""},
    {"StableLmForSequenceClassification", "stablelm", "", "model", "score(weight[?,hidden_size]) model=:StableLmModel",
     ""},
    {"StableLmForTokenClassification", "stablelm", "", "model", "score@22 model=:StableLmModel", ""},
    {"StableLmModel", "stablelm", "stablelm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@60 k_proj@61 v_proj@61 o_proj@84 "
     "q_layernorm(norms(#{num_attention_heads}@460)) k_layernorm(norms(#{num_key_value_heads}@460))) mlp@266 "
     "input_layernorm@44 post_attention_layernorm@187)) norm@44", ""},
    {"Starcoder2ForCausalLM", "starcoder2", "", "model", "lm_head@167 model=:Starcoder2Model", ""},
    {"Starcoder2ForSequenceClassification", "starcoder2", "", "model",
     "score(weight[?,hidden_size]) model=:Starcoder2Model", ""},
    {"Starcoder2ForTokenClassification", "starcoder2", "", "model", "score@22 model=:Starcoder2Model", ""},
    {"Starcoder2Model", "starcoder2", "starcoder2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@362 mlp(c_fc@68 c_proj@69) input_layernorm@44 "
     "post_attention_layernorm@44)) norm@44", ""},
    {"Step3p7ForConditionalGeneration", "step3p7", "", "model",
     "vision_model(conv1@238 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_con"
     "fig.image_size/vision_config.patch_size)),vision_config.hidden_size] ln_pre@74 transformer@1304 "
     "vit_downsampler1@1305 vit_downsampler2@1306) model(vision_model(layers@1309) embed_tokens@80 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1311 mlp(gate_proj@1312 up_proj@1312 down_proj@1313) "
     "input_layernorm@303 post_attention_layernorm@303 moe@1315 share_expert@1318) #{}@1319) norm@303 "
     "language_model(layers(#{text_config.num_hidden_layers}(mlp(experts@1320))))) vit_large_projector@1321 "
     "lm_head@80", ""},
    {"Step3p7Model", "step3p7", "step3p7", "model",
     "vision_model(conv1@238 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_con"
     "fig.image_size/vision_config.patch_size)),vision_config.hidden_size] ln_pre@74 transformer@1304 layers@1309 "
     "vit_downsampler1@1305 vit_downsampler2@1306) language_model(embed_tokens@80 "
     "layers(#{text_config.num_hidden_layers}(self_attn@1311 mlp(gate_proj@1312 up_proj@1312 down_proj@1313 "
     "experts@1320) input_layernorm@303 post_attention_layernorm@303 moe@1315 share_expert@1318) #{}@1319) "
     "norm@303) multi_modal_projector@1321", ""},
    {"SwitchTransformersForConditionalGeneration", "switch_transformers", "", "switch_transformers",
     "shared@115 encoder@1329 decoder@1333 lm_head@126", ""},
    {"SwitchTransformersModel", "switch_transformers", "switch_transformers", "switch_transformers",
     "shared@115 encoder@1329 decoder@1333", ""},
    {"T5EncoderModel", "t5", "", "transformer",
     "shared@115 encoder(embed_tokens@126 block(#{num_layers}(layer(#{}(SelfAttention@827 "
     "layer_norm(weight[d_model]) DenseReluDense(wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) "
     "wi_0(weight[d_ff,d_model]?) wi_1(weight[d_ff,d_model]?)) EncDecAttention@828)))) "
     "final_layer_norm(weight[d_model]))", "decoder"},
    {"T5ForConditionalGeneration", "t5", "", "transformer", "shared@115 encoder@1337 decoder@791 lm_head@126",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForQuestionAnswering", "t5", "", "transformer", "shared@115 encoder@1337 decoder@791 qa_outputs@127",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForSequenceClassification", "t5", "", "transformer", "classification_head@128 transformer=:T5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForTokenClassification", "t5", "", "transformer", "classifier@127 transformer=:T5EncoderModel", "decoder"},
    {"T5Gemma2ForConditionalGeneration", "t5gemma2", "", "model",
     "lm_head(out_proj(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]?)) "
     "model=:T5Gemma2Model", ""},
    {"T5Gemma2ForSequenceClassification T5Gemma2ForTokenClassification", "t5gemma2", "", "model",
     "score@1339 model=:T5Gemma2Model", ""},
    {"T5Gemma2Model", "t5gemma2", "t5gemma2", "model",
     "encoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size] "
     "eoi_embedding[encoder.text_config.hidden_size]) norm@1340 layers(#{encoder.text_config.num_hidden_layers}(se"
     "lf_attn(q_proj(weight[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim),encoder.text_co"
     "nfig.hidden_size]) k_proj@1341 v_proj@1341 o_proj(weight[encoder.text_config.hidden_size,(encoder.text_confi"
     "g.num_attention_heads*encoder.text_config.head_dim)]) q_norm@1342 k_norm@1342) pre_self_attn_layernorm@1340 "
     "post_self_attn_layernorm@1340 mlp(gate_proj@1343 up_proj@1343 "
     "down_proj(weight[encoder.text_config.hidden_size,encoder.text_config.intermediate_size])) "
     "pre_feedforward_layernorm@1340 post_feedforward_layernorm@1340)) multi_modal_projector(mm_input_projection_w"
     "eight[encoder.vision_config.hidden_size,encoder.text_config.hidden_size] "
     "mm_soft_emb_norm(weight[encoder.vision_config.hidden_size])) "
     "vision_tower=encoder.vision_config:SiglipVisionModel) "
     "decoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]? "
     "eoi_embedding[encoder.text_config.hidden_size]?) norm@1344 layers(#{decoder.num_hidden_layers}(self_attn(q_p"
     "roj(weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size]) k_proj@1345 v_proj@1345 "
     "o_proj(weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)]) q_norm@1346 k_norm@1346) "
     "pre_self_attn_layernorm@1344 post_self_attn_layernorm@1344 mlp@1349 pre_feedforward_layernorm@1344 "
     "post_feedforward_layernorm@1344)))", ""},
    {"T5GemmaForConditionalGeneration", "t5gemma", "", "model",
     "lm_head(out_proj(weight[decoder.vocab_size,decoder.hidden_size]?)) model=:T5GemmaModel", ""},
    {"T5GemmaForSequenceClassification T5GemmaForTokenClassification", "t5gemma", "", "model",
     "score@1339 model=:T5GemmaModel", ""},
    {"T5GemmaModel", "t5gemma", "t5gemma", "model",
     "encoder(embed_tokens(weight[encoder.vocab_size,encoder.hidden_size]) norm@1350 layers(#{encoder.num_hidden_l"
     "ayers}(self_attn(q_proj(weight[(encoder.num_attention_heads*encoder.head_dim),encoder.hidden_size] "
     "bias[(encoder.num_attention_heads*encoder.head_dim)]?) k_proj@1351 v_proj@1351 "
     "o_proj(weight[encoder.hidden_size,(encoder.num_attention_heads*encoder.head_dim)] "
     "bias[encoder.hidden_size]?)) pre_self_attn_layernorm@1350 post_self_attn_layernorm@1350 mlp(gate_proj@1352 "
     "up_proj@1352 down_proj(weight[encoder.hidden_size,encoder.intermediate_size])) "
     "pre_feedforward_layernorm@1350 post_feedforward_layernorm@1350))) "
     "decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]) norm@1344 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1353 k_proj@1354 v_proj@1354 o_proj@1355) "
     "pre_self_attn_layernorm@1344 post_self_attn_layernorm@1344 mlp@1349 pre_feedforward_layernorm@1344 "
     "post_feedforward_layernorm@1344 cross_attn(q_proj@1353 k_proj@1356 v_proj@1356 o_proj@1355) "
     "pre_cross_attn_layernorm@1344 post_cross_attn_layernorm@1344)))", ""},
    {"T5Model", "t5", "t5", "transformer", "shared@115 encoder@1337 decoder@791",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"TapasForMaskedLM", "tapas", "", "tapas", "tapas(embeddings@1357 encoder@146) cls@150", ""},
    {"TapasForQuestionAnswering", "tapas", "", "tapas",
     "output_weights[hidden_size] column_output_weights[hidden_size] output_bias[] column_output_bias[] "
     "tapas=:TapasModel", ""},
    {"TapasForSequenceClassification", "tapas", "", "tapas", "classifier@22 tapas=:TapasModel", ""},
    {"TapasModel", "tapas", "tapas", "tapas", "embeddings@1357 encoder@146 pooler@154", ""},
    {"Tipsv2Model", "tipsv2", "tipsv2", "model",
     "temperature[]? text_encoder=text_config:Tipsv2TextModel vision_encoder=vision_config:Tipsv2VisionModel",
     "text_encoder vision_encoder"},
    {"Tipsv2TextModel", "tipsv2_text_model", "tipsv2_text_model", "text_model",
     "token_embedding@0 encoder(layers(#{num_hidden_layers}(self_attn(k_proj@1358 v_proj@1358 q_proj@1358)))) "
     "transformer(resblocks(#{}@1302 #{num_hidden_layers}(attn(out_proj@46) ln_1@44 mlp(c_fc@48 c_proj@49) "
     "ln_2@44))) ln_final@44", "vision_encoder"},
    {"Tipsv2VisionModel", "tipsv2_vision_model", "tipsv2_vision_model", "vision_model",
     "cls_token[1,1,hidden_size] mask_token[1,hidden_size] "
     "pos_embed[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "register_tokens[1,num_register_tokens,hidden_size] patch_embed(proj@615) "
     "blocks(#{num_hidden_layers}(norm1@44 attn(proj@492) ls1(gamma[?]) norm2@44 "
     "mlp(c_fc(weight[(hidden_size*mlp_ratio),hidden_size]? bias[(hidden_size*mlp_ratio)]?) "
     "c_proj(weight[hidden_size,(hidden_size*mlp_ratio)]? bias[hidden_size]?) w3@1175) ls2(gamma[?])) "
     "#{}(attn@1055 mlp(w12(weight[*]~ bias[*]~)))) encoder(layer(#{num_hidden_layers}(attention@560 "
     "mlp(gate_proj@1359 up_proj@1359)))) norm@44", "text_encoder"},
    {"TrOCRForCausalLM", "trocr", "", "model",
     "model(decoder(embed_tokens@115 embed_positions(weight[(max_position_embeddings+2),d_model]?) "
     "layernorm_embedding@1360 layers@123)) output_projection@126", ""},
    {"TvpModel", "tvp", "tvp", "model",
     "text_prompt[1,?,hidden_size] vision_model(grid_encoder_conv(weight[hidden_size,?,?,?]) "
     "backbone=backbone_config:ResNetBackbone) embeddings(word_embeddings@0 position_embeddings@136 "
     "token_type_embeddings@137 layer_norm@44) visual_embeddings(position_embeddings@136 "
     "row_position_embeddings(weight[max_grid_row_position_embeddings,hidden_size]) "
     "col_position_embeddings(weight[max_grid_col_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[1,hidden_size]) layer_norm@44) "
     "encoder(layer(#{num_hidden_layers}(attention(query@45 key@45 value@45 dense@46 layer_norm@44) "
     "intermediate@142 output(dense@49 layer_norm@44)))) pooler@154 "
     "visual_prompter(pad_up[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_down[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_left[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size] "
     "pad_right[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size])", ""},
    {"UMT5ForConditionalGeneration", "umt5", "", "transformer", "shared@115 encoder@1367 decoder@1371 lm_head@126", ""},
    {"UMT5ForQuestionAnswering", "umt5", "", "transformer", "shared@115 encoder@1367 decoder@1371 qa_outputs@127", ""},
    {"UMT5ForSequenceClassification", "umt5", "", "transformer", "classification_head@128 transformer=:UMT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5ForTokenClassification", "umt5", "", "transformer", "classifier@127 transformer=:MT5EncoderModel",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5Model", "umt5", "umt5", "transformer", "shared@115 encoder@1367 decoder@1371", ""},
    {"UdopForConditionalGeneration", "udop", "", "transformer",
     "shared@115 patch_embed@1373 encoder(embed_tokens@126 embed_patches@1375 block@1336 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1377 relative_bias@1380) decoder(embed_tokens@126 "
     "embed_patches@1373 block@790 final_layer_norm(weight[d_model]) relative_bias@1380) lm_head@126", ""},
    {"UdopModel", "udop", "udop", "transformer",
     "shared@115 patch_embed@1373 encoder(embed_tokens@126 embed_patches@1375 block@1336 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1377 relative_bias@1383) decoder(embed_tokens@126 "
     "embed_patches@1373 block@790 final_layer_norm(weight[d_model]) relative_bias@1383)", ""},
    {"UltraVBertForMaskedLM", "ultravbert", "", "model",
     "head(linear1(weight[text_config.prediction_head_size,text_config.hidden_size]) "
     "linear2(weight[text_config.hidden_size,text_config.prediction_head_size]) decoder@80) model=:UltraVBertModel",
     "vision_model\\.head\\."},
    {"UltraVBertForSequenceClassification UltraVBertForTokenClassification", "ultravbert", "", "model",
     "classifier@953 model=:UltraVBertModel", "vision_model\\.head\\."},
    {"UltraVBertModel", "ultravbert", "ultravbert", "model",
     "connector(modality_projection@954 norm@303) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:Ernie4_5Model", "vision_model\\.head\\."},
    {"UltrabertForMaskedLM", "ultrabert", "", "model",
     "head(linear1(weight[prediction_head_size,hidden_size]) linear2(weight[hidden_size,prediction_head_size])) "
     "cls@0 ultrabert=:Ernie4_5Model", ""},
    {"UltrabertForQuestionAnswering", "ultrabert", "", "model", "qa_outputs@22 ultrabert=:Ernie4_5Model", ""},
    {"UltrabertForSequenceClassification UltrabertForTokenClassification", "ultrabert", "", "model",
     "classifier@22 ultrabert=:Ernie4_5Model", ""},
    {"UnlimitedOcrForConditionalGeneration", "unlimited_ocr", "", "model", "lm_head@80 model=:UnlimitedOcrModel",
     "lm_head patch_embedding"},
    {"UnlimitedOcrModel", "unlimited_ocr", "unlimited_ocr", "model",
     "view_seperator[text_config.hidden_size] image_newline[text_config.hidden_size] sam_model(pos_embed[1,(vision"
     "_config.sam_config.image_size/vision_config.sam_config.patch_size),(vision_config.sam_config.image_size/visi"
     "on_config.sam_config.patch_size),vision_config.sam_config.hidden_size]? patch_embed(proj(weight[vision_confi"
     "g.sam_config.hidden_size,(vision_config.sam_config.num_channels/1),vision_config.sam_config.patch_size,visio"
     "n_config.sam_config.patch_size] bias[vision_config.sam_config.hidden_size])) blocks(#{}(norm1@1384 "
     "attn(rel_pos_h[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]? "
     "rel_pos_w[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]? "
     "qkv(weight[(vision_config.sam_config.hidden_size*3),vision_config.sam_config.hidden_size] "
     "bias[(vision_config.sam_config.hidden_size*3)]?) "
     "proj(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.hidden_size])) norm2@1384 "
     "mlp(lin1(weight[vision_config.sam_config.mlp_dim,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.mlp_dim]) "
     "lin2(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.mlp_dim] "
     "bias[vision_config.sam_config.hidden_size])))) "
     "neck(0(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.hidden_size/1),1,1]) 1@1385"
     " 2(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.output_channels/1),?,?]) "
     "3@1385) net_2(weight[?,(vision_config.sam_config.output_channels/1),?,?]) net_3(weight[?,?,?,?])) "
     "vision_model(embeddings(class_embedding[vision_config.encoder_config.hidden_size] position_embedding(weight["
     "(((vision_config.encoder_config.image_size/vision_config.encoder_config.patch_size)*(vision_config.encoder_c"
     "onfig.image_size/vision_config.encoder_config.patch_size))+1),vision_config.encoder_config.hidden_size])) "
     "pre_layrnorm@1386 transformer(layers(#{}(self_attn@553) #{vision_config.encoder_config.num_hidden_layers}(se"
     "lf_attn(out_proj(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm1@1386 "
     "mlp(fc1(weight[vision_config.encoder_config.intermediate_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.intermediate_size]) "
     "fc2(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.intermediate_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm2@1386)))) vision_tower(vision_encoder(encoder(la"
     "yers(#{vision_config.encoder_config.num_hidden_layers}(self_attn(k_proj@1387 v_proj@1387 q_proj@1387)))))) "
     "projector(layers@693) embed_tokens@80 layers(#{text_config.num_hidden_layers}(self_attn@1005 "
     "mlp(gate_proj@1312 up_proj@1312 down_proj@1313 gate@910 shared_experts(gate_proj@1388 up_proj@1388 "
     "down_proj(weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]? "
     "bias[text_config.hidden_size]?))) input_layernorm@303 post_attention_layernorm@303) #{}@19) "
     "language_model@680 norm@303", "lm_head patch_embedding"},
    {"VaultGemmaForCausalLM", "vaultgemma", "", "model", "lm_head@167 model=:VaultGemmaModel", ""},
    {"VaultGemmaModel", "vaultgemma", "vaultgemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@67 mlp@266 input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"VibeVoiceAcousticTokenizerEncoderModel", "vibevoice_acoustic_tokenizer_encoder",
     "vibevoice_acoustic_tokenizer_encoder", "vibevoice_acoustic_tokenizer", "stem@1398 conv_layers@1406 head@1408", ""},
    {"VibeVoiceAcousticTokenizerModel", "vibevoice_acoustic_tokenizer", "vibevoice_acoustic_tokenizer",
     "vibevoice_acoustic_tokenizer",
     "encoder@1409 decoder(stem(conv(conv(weight[(num_filters*64),(hidden_size/1),kernel_size] "
     "bias[(num_filters*64)])) stage(0@1416 1@1416 2@1416 3@1416 4@1416 5@1416 6@1416 7@1416)) "
     "conv_layers(#{}(convtr(convtr(weight[?,?,?] bias[?])) stage(0@1403 1@1403 2@1403))) "
     "head(conv(weight[channels,(num_filters/1),kernel_size] bias[channels])))", ""},
    {"VibeVoiceAsrForConditionalGeneration", "vibevoice_asr", "", "model",
     "multi_modal_projector@1419 language_model@88 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel", ""},
    {"VibeVoiceAsrModel", "vibevoice_asr", "vibevoice_asr", "model", "multi_modal_projector@1419 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "language_model@89", ""},
    {"VibeVoiceForConditionalGeneration", "vibevoice", "vibevoice", "model",
     "model(latent_scaling_factor[] latent_bias_factor[] multi_modal_projector(linear_1@85 act@303 linear_2@86) "
     "semantic_connector(linear_1(weight[text_config.hidden_size,semantic_model_config.hidden_size] "
     "bias[text_config.hidden_size]) act@303 linear_2@86) diffusion_head(noisy_images_proj(weight[diffusion_head_c"
     "onfig.hidden_size,diffusion_head_config.latent_size]) cond_proj@1420 "
     "timestep_proj(fc1(weight[diffusion_head_config.hidden_size,diffusion_head_config.frequency_embedding_size]) "
     "fc2@1420) layers(#{diffusion_head_config.num_hidden_layers}(ffn(gate_proj@1421 up_proj@1421 "
     "down_proj(weight[diffusion_head_config.hidden_size,diffusion_head_config.intermediate_size])) "
     "norm(weight[diffusion_head_config.hidden_size]) "
     "linear(weight[(diffusion_head_config.hidden_size*3),diffusion_head_config.hidden_size]))) "
     "final_layer(linear_1(weight[(2*diffusion_head_config.hidden_size),diffusion_head_config.hidden_size]) "
     "linear_2(weight[diffusion_head_config.latent_size,diffusion_head_config.hidden_size]))) "
     "audio_tower=audio_config:VibeVoiceAcousticTokenizerModel language_model=text_config:Qwen2Model "
     "semantic_tokenizer_encoder=semantic_model_config:VibeVoiceAcousticTokenizerEncoderModel) lm_head@80", ""},
    {"VideoLlama3ForConditionalGeneration", "video_llama_3", "", "model", "lm_head@80 model=:VideoLlama3Model", ""},
    {"VideoLlama3Model", "video_llama_3", "video_llama_3", "model",
     "projector(readout(0@349 2@86)) vision_model=vision_config:VideoLlama3VisionModel "
     "language_model=text_config:Qwen2Model", ""},
    {"VideoLlama3VisionModel", "video_llama_3_vision", "video_llama_3_vision", "model",
     "embeddings(patch_embedding@615) encoder@862 post_layernorm@44", ""},
    {"VideoLlavaForConditionalGeneration", "video_llava", "", "model",
     "multi_modal_projector@772 language_model@773 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel", ""},
    {"VideoLlavaModel", "video_llava", "video_llava", "model",
     "multi_modal_projector@772 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel language_model@496", ""},
    {"VideoPrismClipModel", "videoprism", "videoprism", "model",
     "video_model(auxiliary_layers(#{vision_config.num_auxiliary_layers}(attention(q_proj@642 k_proj@642 "
     "v_proj@642 o_proj(weight[vision_config.hidden_size,(vision_config.num_attention_heads*(vision_config.hidden_"
     "size/vision_config.num_attention_heads))] bias[vision_config.hidden_size])) layernorm_before@74 "
     "layernorm_after@74 mlp@176)) "
     "head(per_dim_scale[(vision_config.intermediate_size/vision_config.num_attention_heads)] "
     "pooling_attention_query[1,1,vision_config.hidden_size] q_proj@1422 k_proj@1422 v_proj@1422 o_proj(weight[vis"
     "ion_config.hidden_size,(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num"
     "_attention_heads))] bias[vision_config.hidden_size])) head_layernorm@74 "
     "vision_model=vision_config:VideoPrismVisionModel) text_model(embeddings(cls_emb[1,1,text_config.hidden_size]"
     " token_embedding@80 position_embedding[?,?] position_ids[?,?]) "
     "layers(#{text_config.num_hidden_layers}(attention(q_proj@202 k_proj@202 v_proj@202 o_proj(weight[text_config"
     ".hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))] "
     "bias[text_config.hidden_size])) layernorm_before@200 layernorm_after@200 mlp@1276)) layernorm@200)", ""},
    {"VideoPrismVisionModel", "videoprism_vision_model", "videoprism_vision_model", "vision_model",
     "layernorm1@44 layernorm2@44 spatial_embeddings(position_embeddings[1,?,hidden_size] "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?,?] bias[hidden_size]))) "
     "temporal_embeddings(position_embeddings[1,num_frames,hidden_size]) "
     "spatial_layers(#{num_spatial_layers}@1424) temporal_layers(#{num_temporal_layers}@1424)", ""},
    {"ViltForQuestionAnswering", "vilt", "", "vilt",
     "classifier(0@813 1@814 3(weight[?,(hidden_size*2)] bias[?])) vilt=:ViltModel", ""},
    {"ViltModel", "vilt", "vilt", "vilt", "embeddings(cls_token[1,1,hidden_size] "
     "position_embeddings[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] text_embeddings@138"
     " patch_embeddings@1185 token_type_embeddings(weight[modality_type_vocab_size,hidden_size])) "
     "encoder(layer(#{num_hidden_layers}(attention(attention@155 output@154) intermediate@142 output@370 "
     "layernorm_before@44 layernorm_after@44))) layernorm@44 pooler@154", ""},
    {"VipLlavaForConditionalGeneration", "vipllava", "", "model",
     "multi_modal_projector@1427 language_model@773 vision_tower=vision_config:CLIPVisionModel", ""},
    {"VipLlavaModel", "vipllava", "vipllava", "model",
     "multi_modal_projector@1427 vision_tower=vision_config:CLIPVisionModel language_model@496", ""},
    {"VisualBertForPreTraining", "visual_bert", "", "visual_bert", "cls@152 visual_bert=:VisualBertModel", ""},
    {"VisualBertModel", "visual_bert", "visual_bert", "visual_bert",
     "embeddings(word_embeddings@0 position_embeddings@136 token_type_embeddings@137 LayerNorm@44 "
     "visual_token_type_embeddings@137 visual_position_embeddings@136 "
     "visual_projection(weight[hidden_size,visual_embedding_dim] bias[hidden_size])) encoder@146 pooler@154 "
     "additional_layer(attention(self(query@184 key@184 value@184) output@188) intermediate@190 output@192)", ""},
    {"VoxtralForConditionalGeneration", "voxtral", "", "model",
     "multi_modal_projector@1429 language_model@773 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"VoxtralModel", "voxtral", "voxtral", "model",
     "multi_modal_projector@1429 audio_tower=audio_config:AudioFlamingo3Encoder language_model@496", ""},
    {"VoxtralRealtimeEncoder", "voxtral_realtime_encoder", "voxtral_realtime_encoder", "model",
     "embedder(conv1@82 conv2@83) layers(#{num_hidden_layers}(self_attn(q_proj@1430 k_proj@31 v_proj@1430 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size])) "
     "self_attn_layer_norm(weight[hidden_size]) final_layer_norm(weight[hidden_size]) mlp(gate_proj@65 up_proj@65 "
     "down_proj@49))) norm(weight[hidden_size])", ""},
    {"VoxtralRealtimeForConditionalGeneration", "voxtral_realtime", "", "model",
     "language_model(model@1436 lm_head@94) multi_modal_projector@1438 "
     "audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"VoxtralRealtimeModel", "voxtral_realtime", "voxtral_realtime", "model",
     "language_model(model@1436) multi_modal_projector@1438 audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"WhisperForCausalLM", "whisper", "", "model", "model(decoder@1442) proj_out@126", ""},
    {"WhisperForConditionalGeneration", "whisper", "", "model", "proj_out@126 model=:WhisperModel", ""},
    {"WhisperModel", "whisper", "whisper", "model", "encoder@1443 decoder@1442", ""},
    {"XGLMForCausalLM", "xglm", "", "model", "lm_head@126 model=:XGLMModel", ""},
    {"XGLMModel", "xglm", "xglm", "model",
     "embed_tokens@115 layers(#{num_layers}(self_attn@118 self_attn_layer_norm@119 fc1(weight[ffn_dim,d_model] "
     "bias[ffn_dim]) fc2(weight[d_model,ffn_dim] bias[d_model]) final_layer_norm@119 encoder_attn(k_proj@1444 "
     "v_proj@1444 q_proj@1444 out_proj@1444) encoder_attn_layer_norm@1360)) layer_norm@119", ""},
    {"XLMRobertaXLForCausalLM XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "", "roberta", "roberta@1450 lm_head@254", ""},
    {"XLMRobertaXLForMultipleChoice", "xlm-roberta-xl", "", "roberta", "classifier@59 roberta=:XLMRobertaXLModel", ""},
    {"XLMRobertaXLForQuestionAnswering", "xlm-roberta-xl", "", "roberta", "roberta@1450 qa_outputs@22", ""},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "", "roberta", "roberta@1450 classifier@160", ""},
    {"XLMRobertaXLForTokenClassification", "xlm-roberta-xl", "", "roberta", "roberta@1450 classifier@22", ""},
    {"XLMRobertaXLModel", "xlm-roberta-xl", "xlm-roberta-xl", "roberta", "embeddings@1445 encoder@1449 pooler@154", ""},
    {"XLNetForMultipleChoice", "xlnet", "", "transformer",
     "sequence_summary@1451 logits_proj@424 transformer=:XLNetModel", ""},
    {"XLNetForQuestionAnsweringSimple", "xlnet", "", "transformer", "qa_outputs@127 transformer=:XLNetModel", ""},
    {"XLNetForSequenceClassification", "xlnet", "", "transformer",
     "sequence_summary@1451 logits_proj@127 transformer=:XLNetModel", ""},
    {"XLNetForTokenClassification", "xlnet", "", "transformer", "classifier@127 transformer=:XLNetModel", ""},
    {"XLNetLMHeadModel", "xlnet", "", "transformer", "lm_loss@423 transformer=:XLNetModel", ""},
    {"XLNetModel", "xlnet", "xlnet", "transformer",
     "mask_emb[?,?,?] word_embedding@115 layer(#{n_layer}(rel_attn(q[?,?,?] k[?,?,?] v[?,?,?] o[?,?,?] r[?,?,?] "
     "r_r_bias[?,?] r_s_bias[?,?] r_w_bias[?,?] seg_embed[?,?,?] layer_norm@119) ff(layer_norm@119 layer_1@416 "
     "layer_2@417)))", ""},
    {"XmodForCausalLM XmodForMaskedLM", "xmod", "", "roberta", "roberta@1460 lm_head@254", ""},
    {"XmodForMultipleChoice", "xmod", "", "roberta", "classifier@59 roberta=:XmodModel", ""},
    {"XmodForQuestionAnswering", "xmod", "", "roberta", "roberta@1460 qa_outputs@22", ""},
    {"XmodForSequenceClassification", "xmod", "", "roberta", "roberta@1460 classifier@160", ""},
    {"XmodForTokenClassification", "xmod", "", "roberta", "roberta@1460 classifier@22", ""},
    {"XmodModel", "xmod", "xmod", "roberta", "embeddings@255 encoder@1459 pooler@154", ""},
    {"YosoForMaskedLM", "yoso", "", "yoso", "cls@150 yoso=:YosoModel", ""},
    {"YosoForMultipleChoice", "yoso", "", "yoso", "pre_classifier@46 classifier@59 yoso=:YosoModel", ""},
    {"YosoForQuestionAnswering", "yoso", "", "yoso", "qa_outputs@22 yoso=:YosoModel", ""},
    {"YosoForSequenceClassification", "yoso", "", "yoso", "classifier@160 yoso=:YosoModel", ""},
    {"YosoForTokenClassification", "yoso", "", "yoso", "classifier@22 yoso=:YosoModel", ""},
    {"YosoModel", "yoso", "yoso", "yoso", "embeddings@986 encoder@146", ""},
    {"YoutuForCausalLM", "youtu", "", "model", "lm_head@167 model=:YoutuModel", ""},
    {"YoutuModel", "youtu", "youtu", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@6 mlp@266 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint
