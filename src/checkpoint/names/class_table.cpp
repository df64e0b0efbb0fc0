// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 1577> kSharedModules{{
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
    "word_embeddings@0 position_embeddings@148 LayerNorm@45", "dense@47", "query@61 key@61 value@61",
    "self@173 output@152", "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?1", "query@175 key@175 value@175",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?1", "weight[hidden_size]?1 bias[hidden_size]?1",
    "dense@177 LayerNorm@178", "self@176 output@179", "attention@174 intermediate@154 output@155 crossattention@180",
    "#{num_hidden_layers}@181", "layer@182", "dense@47 out_proj@22", "weight[max_position_embeddings,d_model]",
    "weight[d_model,d_model] bias[d_model]?0", "k_proj@186 v_proj@186 q_proj@186 out_proj@186",
    "self_attn@187 self_attn_layer_norm@131 encoder_attn@187 encoder_attn_layer_norm@131 fc1@132 fc2@133 "
    "final_layer_norm@131", "#{decoder_layers}@188",
    "weight[(encoder_attention_heads*(d_model/encoder_attention_heads)),d_model] "
    "bias[(encoder_attention_heads*(d_model/encoder_attention_heads))]?0", "weight[vocab_size,hidden_size]?",
    "weight[(max_position_embeddings+2),hidden_size]", "k_proj@47 v_proj@47 q_proj@47 out_proj@47",
    "weight[vision_config.hidden_size,?,vision_config.patch_size,vision_config.patch_size] "
    "bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,(((vision_config.image_size/vision_confi"
    "g.patch_size)*(vision_config.image_size/vision_config.patch_size))+1),vision_config.hidden_size] "
    "patch_embedding@194", "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[?]?",
    "qkv@196 projection@76",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size] bias[vision_config.hidden_size]",
    "fc1@198 fc2@199", "self_attn@197 layer_norm1@78 mlp@200 layer_norm2@78", "#{vision_config.num_hidden_layers}@201",
    "layers@202", "embeddings@195 encoder@203 post_layernorm@78",
    "weight[qformer_config.vocab_size,qformer_config.hidden_size]",
    "weight[qformer_config.max_position_embeddings,qformer_config.hidden_size]",
    "weight[image_text_hidden_size,qformer_config.hidden_size] bias[image_text_hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),encoder_hidden_size]?0 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[(3*vision_config.hidden_size)]",
    "qkv@209 projection@76", "self_attn@210 layer_norm1@78 mlp@200 layer_norm2@78",
    "#{vision_config.num_hidden_layers}@211", "layers@212", "embeddings@195 encoder@213 post_layernorm@78",
    "weight[text_config.max_position_embeddings,text_config.hidden_size]",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]",
    "word_embeddings@84 position_embeddings@215 LayerNorm@216",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@218 key@218 value@218",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]", "dense@220 LayerNorm@216",
    "self@219 output@221",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.encoder_hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@218 key@223 value@223", "self@224 output@221",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]", "dense@226",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]",
    "dense@228 LayerNorm@216", "attention@222 crossattention@225 intermediate@227 output@229",
    "#{text_config.num_hidden_layers}@230", "layer@231", "embeddings@217 encoder@232", "dense@220",
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
    "attention@222 crossattention@222 intermediate@227 output@229", "#{num_hidden_layers}@260", "LayerNorm@159",
    "#{(num_hidden_layers-1)}@262 LayerNorm@159", "fc1@49 fc2@50",
    "self_attn@193 layer_norm1@45 mlp@264 layer_norm2@45", "#{num_hidden_layers}@265", "layers@266",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size]", "weight[num_labels,n_embd]",
    "weight[vocab_size,n_embd]", "weight[n_embd,n_embd] bias[n_embd]", "weight[n_embd] bias[n_embd]",
    "bias[vocab_size] dense@47 layer_norm@45 decoder@166",
    "word_embeddings@0 token_type_embeddings@149 LayerNorm@45 position_embeddings@148", "embeddings@274 encoder@164",
    "weight[(decoder_config.num_attention_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_attention_heads*decoder_config.head_dim)]?0",
    "weight[(decoder_config.num_key_value_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_key_value_heads*decoder_config.head_dim)]?0",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*decoder_config.head_dim)] "
    "bias[decoder_config.hidden_size]?0", "q_proj@276 k_proj@277 v_proj@277 o_proj@278",
    "weight[decoder_config.hidden_size] bias[decoder_config.hidden_size]", "weight[vocab_size,n_embd] bias[vocab_size]",
    "weight[(4*n_embd),n_embd] bias[(4*n_embd)]", "weight[n_embd,(4*n_embd)] bias[n_embd]",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?0",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?0",
    "q_proj@284 k_proj@285 v_proj@285 o_proj@286", "gate_proj@65 up_proj@65 down_proj@66",
    "weight[num_experts,hidden_size]", "weight[((2*intermediate_size)/2),hidden_size]~a",
    "weight[hidden_size,intermediate_size]~b", "gate_proj@290 up_proj@290 down_proj@291",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]=a #{num_experts}@292 "
    "down_proj[num_experts,hidden_size,intermediate_size]=b", "gate@289 experts@293",
    "weight[vocab_size,hidden_size] bias[vocab_size]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/encoder_config.sub"
    "sampling_conv_channels),encoder_config.subsampling_conv_kernel_size,encoder_config.subsampling_conv_kernel_s"
    "ize] bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/1),1,1] "
    "bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.intermediate_size,encoder_config.hidden_size] bias[encoder_config.intermediate_size]?0",
    "weight[encoder_config.hidden_size,encoder_config.intermediate_size] bias[encoder_config.hidden_size]?0",
    "linear1@298 linear2@299",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size] "
    "bias[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?0",
    "weight[encoder_config.hidden_size] bias[encoder_config.hidden_size]",
    "query_net@284 key_net@285 value_net@285 out_projection@286",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?1",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?1",
    "weight[embedding_dim,vlm_config.text_config.hidden_size] bias[embedding_dim]", "LayerNorm@42 dense@57",
    "weight[vocab_size,embedding_size]? bias[vocab_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size] "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]",
    "weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),hidden_size]?0 "
    "bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))]?0",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size] bias[vision_config.hidden_size]", "proj@313",
    "weight[vision_config.num_position_embeddings,vision_config.hidden_size]",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]",
    "qkv@316 proj@76", "linear_fc1@198 linear_fc2@199", "norm1@78 norm2@78 attn@317 mlp@318",
    "#{vision_config.depth}@319",
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
    "weight[text_config.head_dim]", "to_q@324 to_k@325 to_v@325 to_out@326 norm_q@327 norm_k@327",
    "weight[text_config.intermediate_size,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.intermediate_size]", "gate_proj@329 up_proj@329 down_proj@330",
    "weight[text_config.hidden_size]", "self_attn@328 mlp@331 input_layernorm@332 post_attention_layernorm@332",
    "#{text_config.num_hidden_layers}@333", "weight[(num_attention_heads*dim_head),hidden_size]",
    "weight[dim_ff,hidden_size]", "weight[(num_key_value_heads*head_dim),hidden_size]",
    "weight[hidden_size,(num_attention_heads*head_dim)]", "q_proj@33 k_proj@337 v_proj@337 o_proj@338",
    "bias[vocab_size]?0 transform@160 decoder@166", "predictions@340", "bias[vocab_size]?1 dense@177 LayerNorm@178",
    "lm_head@342", "weight[pooler_hidden_size,pooler_hidden_size] bias[pooler_hidden_size]", "dense@344",
    "weight[max_position_embeddings,hidden_size]?", "weight[?,hidden_size]?",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),hidden_size]?!",
    "weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?1 bias[hidden_size]?0",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*n_shared_experts)]?3",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27",
    "self_attn@352 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@353", "weight[q_lora_rank,hidden_size]?3 bias[q_lora_rank]?2",
    "weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?3",
    "q_a_proj@355 q_a_layernorm(weight[q_lora_rank]?3) q_b_proj@356 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 q_proj@348",
    "self_attn@357 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@358", "weight[q_lora_rank,hidden_size]", "weight[(num_attention_heads*head_dim),q_lora_rank]",
    "weight[head_dim,hidden_size]", "weight[(o_groups*o_lora_rank),((num_attention_heads*head_dim)/o_groups)]",
    "weight[hidden_size,(o_groups*o_lora_rank)]", "weight[?,hidden_size]?1", "weight[(2*index_head_dim),hidden_size]?2",
    "weight[(index_n_heads*index_head_dim),q_lora_rank]?2", "weight[index_n_heads,hidden_size]?2", "w1@9 w3@9 w2@10",
    "#{n_routed_experts}@369", "weight[moe_intermediate_size,hidden_size] bias[moe_intermediate_size]?0",
    "weight[hidden_size,moe_intermediate_size] bias[hidden_size]?0", "w1@371 w3@371 w2@372",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b", "experts@374",
    "weight[(2*index_head_dim),hidden_size]?1",
    "weight[high_res_vision_config.output_channels] bias[high_res_vision_config.output_channels]",
    "weight[text_config.hidden_size,vision_config.hidden_size] bias[text_config.hidden_size]",
    "weight[dim,dim] bias[dim]", "weight[num_labels,dim] bias[num_labels]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?2",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]?2",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]?1",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?1", "weight[num_experts,hidden_size]?0",
    "weight[?,hidden_size] bias[?]?0", "weight[hidden_size,?] bias[hidden_size]?0",
    "weight[hidden_size_per_layer_input,hidden_size]", "weight[hidden_size,hidden_size_per_layer_input]",
    "weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]", "weight[hidden_size_per_layer_input]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]",
    "q_proj@393 k_proj@394 v_proj@394 o_proj@395",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?4",
    "weight[(moe_intermediate_size*moe_num_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*moe_num_shared_experts)]?3", "weight[task_type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 task_type_embeddings@399",
    "embeddings@400 encoder@164", "word_embeddings@0", "gamma[hidden_size] beta[hidden_size]",
    "self@151 output@172 LayerNorm@403", "dense@50", "dense@158", "gamma[hidden_size]?0 beta[hidden_size]?0",
    "self@157 output@406 LayerNorm@407", "attention@404 intermediate@154 output@405 LayerNorm@403 crossattention@408",
    "rotary_embeddings(inv_freq[?])", "self@410", "attention@411", "#{num_hidden_layers}@409 *@412",
    "layer@413 emb_layer_norm_after@45", "weight[1,(num_hidden_layers*num_attention_heads)] bias[1]", "regression@415",
    "embeddings@402 encoder@414 contact_head@416", "weight[vocab_size,hidden_size] bias[vocab_size]?",
    "weight[protein_encoder_config.hidden_size]?0 bias[protein_encoder_config.hidden_size]?0",
    "weight[(protein_encoder_config.num_attention_heads*(protein_encoder_config.hidden_size/protein_encoder_confi"
    "g.num_attention_heads)),protein_encoder_config.hidden_size] bias[(protein_encoder_config.num_attention_heads"
    "*(protein_encoder_config.hidden_size/protein_encoder_config.num_attention_heads))]",
    "weight[protein_encoder_config.hidden_size] bias[protein_encoder_config.hidden_size]",
    "weight[(protein_encoder_config.num_attention_heads*(protein_encoder_config.hidden_size/protein_encoder_confi"
    "g.num_attention_heads)),protein_encoder_config.hidden_size]?0 bias[(protein_encoder_config.num_attention_hea"
    "ds*(protein_encoder_config.hidden_size/protein_encoder_config.num_attention_heads))]?0",
    "weight[(resampler_dim_head*resampler_heads),protein_encoder_config.hidden_size]",
    "weight[((resampler_dim_head*resampler_heads)*2),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(resampler_dim_head*resampler_heads)]",
    "norm_media@421 norm_latents@421 to_q@423 to_kv@424 to_out@425",
    "weight[(protein_encoder_config.hidden_size*resampler_ff_mult),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(protein_encoder_config.hidden_size*resampler_ff_mult)]",
    "norm@421 fc1@427 fc2@428", "0@426 1@429",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size]", "proj@431",
    "gate_proj@49 up_proj@49 down_proj@50",
    "weight[(hidden_size*(spatial_merge_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_"
    "size))] bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))] bias[out_hidden_size]",
    "0@434 2@435", "ln_q(weight[hidden_size]) mlp@436", "q_proj@304 k_proj@305 v_proj@305 o_proj@306",
    "weight[?,hidden_size] bias[?]?2", "weight[?,emb_dim]?0 bias[?]?0", "summary@440",
    "weight[num_labels,emb_dim] bias[num_labels]", "weight[emb_dim] bias[emb_dim]",
    "weight[emb_dim,emb_dim] bias[emb_dim]", "#{}@443",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads))]",
    "q_proj@61 k_proj@62 v_proj@62 o_proj@63 q_norm@446 k_norm@447",
    "weight[shared_expert_intermediate_size,hidden_size]?1", "weight[hidden_size,shared_expert_intermediate_size]?1",
    "gate_proj@449 up_proj@449 down_proj@450", "word_embeddings@127 layer_norm@131", "weight[(n_head*d_head),d_model]",
    "weight[(n_head*d_head),d_model] bias[(n_head*d_head)]", "weight[d_model,(n_head*d_head)] bias[d_model]",
    "r_w_bias[n_head,d_head] r_r_bias[n_head,d_head] r_kernel[d_model,n_head,d_head] r_s_bias[n_head,d_head] "
    "seg_embed[2,n_head,d_head] q_head@453 k_head@454 v_head@454 post_proj@455 layer_norm@131",
    "weight[d_inner,d_model] bias[d_inner]", "weight[d_model,d_inner] bias[d_model]",
    "linear_1@457 linear_2@458 layer_norm@131", "attention@456 ffn@459", "#{}@460", "#{}@461", "blocks@462",
    "weight[vocab_size,d_model]? bias[vocab_size]", "weight[1,d_model] bias[1]",
    "weight[text_config.hidden_size,((patch_size*patch_size)*num_channels)] bias[text_config.hidden_size]",
    "weight[num_labels,n_embd] bias[num_labels]", "weight[vocab_size,n_embd]?", "weight[n_positions,n_embd]",
    "weight[n_embd,(3*n_embd)] bias[(3*n_embd)]", "c_attn@470 c_proj@271",
    "weight[n_embd,(2*n_embd)]?0 bias[(2*n_embd)]?0", "weight[n_embd,n_embd]?0 bias[n_embd]?0",
    "c_attn@472 q_attn@473 c_proj@473", "weight[?,n_embd] bias[?]",
    "weight[hidden_size,hidden_size] bias[hidden_size]?0", "dense_h_to_4h@49 dense_4h_to_h@50",
    "weight[vision_config.hidden_size]",
    "mm_input_projection_weight[vision_config.hidden_size,text_config.hidden_size] mm_soft_emb_norm@478",
    "weight[num_labels,text_config.hidden_size]", "model=text_config:Gemma3TextModel",
    "q_proj@284 k_proj@285 v_proj@285 o_proj@286 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "weight[(num_key_value_heads*head_dim),hidden_size]?0 bias[(num_key_value_heads*head_dim)]?1",
    "gate_proj(weight[?,hidden_size]) up_proj(weight[?,hidden_size]) down_proj(weight[hidden_size,?])",
    "0@88 1@88 2@88", "weight[(vision_config.num_key_value_heads*vision_config.head_dim),vision_config.hidden_size]?0",
    "linear@486 input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1", "weight[vision_config.head_dim]?0",
    "weight[vision_config.intermediate_size,vision_config.hidden_size]?0",
    "linear@489 input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1", "weight[vision_config.hidden_size]?0",
    "weight[(audio_config.hidden_size*4),audio_config.hidden_size]?0",
    "linear@492 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0",
    "weight[audio_config.hidden_size,(audio_config.hidden_size*4)]?0",
    "linear@494 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0", "weight[audio_config.hidden_size]?0",
    "ffw_layer_1@493 ffw_layer_2@495 pre_layer_norm@496 post_layer_norm@496",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size]?0", "linear@498 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0",
    "weight[audio_config.hidden_size,audio_config.hidden_size]?0",
    "linear@500 input_min[]?0 input_max[]?0 output_min[]?0 output_max[]?0", "weight[?,hidden_size] bias[?]?3",
    "weight[(intermediate_size*1),hidden_size]", "k_proj@76 v_proj@76 q_proj@76 out_proj@76",
    "self_attn@504 layer_norm1@78 mlp@200 layer_norm2@78", "#{vision_config.num_hidden_layers}@505", "layers@506",
    "embeddings@257 pre_layrnorm@78 encoder@507 post_layernorm@78", "attention@153 intermediate@154 output@155",
    "#{num_hidden_layers}@509", "layer@510", "weight[hidden_size,vision_config.hidden_size] bias[hidden_size]",
    "q_proj@284 k_proj@285 v_proj@285 o_proj@338", "weight[(2*intermediate_size),hidden_size]",
    "gate_up_proj@514 down_proj@66", "weight[?,text_config.hidden_size] bias[?]?2", "weight[text_config.hidden_size,?]",
    "weight[text_config.intermediate_size,text_config.hidden_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size]?0",
    "weight[((2*text_config.moe_intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.moe_intermediate_size]~b", "gate_proj@520 up_proj@520 down_proj@521",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?1",
    "weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?1",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?1 "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1",
    "weight[((image_size/patch_size)*(image_size/patch_size)),hidden_size]", "position_embedding@526",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size] bias[hidden_size]", "proj@528",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?!", "qkv@530 proj@88",
    "weight[out_hidden_size,hidden_size]", "weight[hidden_size,out_hidden_size]",
    "gate_proj@532 up_proj@532 down_proj@533", "norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@531 mlp@534",
    "#{depth}@535", "weight[out_hidden_size,out_hidden_size]", "weight[out_hidden_size] bias[out_hidden_size]",
    "weight[intermediate_size,out_hidden_size]", "weight[out_hidden_size,intermediate_size]",
    "proj@537 post_projection_norm@538 gate_proj@539 up_proj@539 down_proj@540",
    "weight[out_hidden_size,(hidden_size/1),spatial_merge_size,spatial_merge_size] bias[out_hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]", "q_proj@46 k_proj@543 v_proj@543 o_proj@395",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]",
    "weight[(text_config.hidden_size*2),audio_config.intermediate_size] bias[(text_config.hidden_size*2)]",
    "weight[text_config.hidden_size,(text_config.hidden_size*2)] bias[text_config.hidden_size]",
    "linear_1@546 linear_2@547", "model=text_config:EuroBertModel",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?0", "weight[(hidden_size/num_heads)]",
    "weight[(out_hidden_size*in_channels),out_hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size] bias[vision_config.hidden_size]", "projection@553",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]?",
    "rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 "
    "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 qkv@555 proj@76",
    "weight[vision_config.mlp_dim,vision_config.hidden_size] bias[vision_config.mlp_dim]",
    "weight[vision_config.hidden_size,vision_config.mlp_dim] bias[vision_config.hidden_size]", "lin1@557 lin2@558",
    "layer_norm1@78 attn@556 layer_norm2@78 mlp@559", "#{}@560",
    "weight[vision_config.output_channels,(vision_config.hidden_size/1),1,1]",
    "weight[vision_config.output_channels] bias[vision_config.output_channels]",
    "weight[vision_config.output_channels,(vision_config.output_channels/1),?,?]",
    "conv1@562 layer_norm1@563 conv2@564 layer_norm2@563",
    "pos_embed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patc"
    "h_size),vision_config.hidden_size]? patch_embed@554 layers@561 neck@565",
    "weight[(vision_config.output_channels*2),(vision_config.output_channels/1),?,?]",
    "weight[text_config.hidden_size,((vision_config.output_channels*2)/1),?,?]",
    "conv_upsampler1@567 conv_upsampler2@568 multimodal_projector@220", "lm_head@98 model=text_config:Qwen2Model",
    "weight[hidden_size,shared_intermediate_size]", "q_proj@61 k_proj@62 v_proj@62 o_proj@63",
    "weight[num_local_experts,hidden_size]", "layer@573", "weight[num_local_experts,hidden_size,intermediate_size]",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size] "
    "down_proj[num_local_experts,hidden_size,intermediate_size]",
    "weight[encoder_config.hidden_dim,encoder_config.input_dim] bias[encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim] bias[encoder_config.hidden_dim]",
    "weight[(encoder_config.hidden_dim*encoder_config.feedforward_mult),encoder_config.hidden_dim] "
    "bias[(encoder_config.hidden_dim*encoder_config.feedforward_mult)]",
    "weight[encoder_config.hidden_dim,(encoder_config.hidden_dim*encoder_config.feedforward_mult)] "
    "bias[encoder_config.hidden_dim]", "pre_norm@578 up_proj@579 down_proj@580",
    "weight[(encoder_config.dim_head*encoder_config.num_heads),encoder_config.hidden_dim]",
    "weight[((encoder_config.dim_head*encoder_config.num_heads)*2),encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim,(encoder_config.dim_head*encoder_config.num_heads)] "
    "bias[encoder_config.hidden_dim]", "weight[((2*encoder_config.max_pos_emb)+1),encoder_config.dim_head]",
    "pre_norm@578 to_q@582 to_kv@583 to_out@584 rel_pos_emb@585",
    "weight[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2),(encoder_config.hidden_dim/1),1]"
    " bias[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2)]",
    "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor),((encoder_config.hidden_dim*encoder_"
    "config.conv_expansion_factor)/(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)),encoder_conf"
    "ig.conv_kernel_size]", "conv@588", "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "bias[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_mean[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_var[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] num_batches_tracked[]",
    "weight[encoder_config.hidden_dim,((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)/1),1] "
    "bias[encoder_config.hidden_dim]", "norm@578 up_conv@587 depth_conv@589 batch_norm@590 down_conv@591",
    "ff1@581 attn@586 conv@592 ff2@581 post_norm@578", "#{encoder_config.num_layers}@593",
    "weight[encoder_config.output_dim,encoder_config.hidden_dim] bias[encoder_config.output_dim]",
    "weight[encoder_config.hidden_dim,encoder_config.output_dim] bias[encoder_config.hidden_dim]",
    "input_linear@577 layers@594 out@595 out_mid@596",
    "weight[text_config.hidden_size,projector_config.hidden_size] bias[text_config.hidden_size]",
    "query[1,(window_size/downsample_rate),projector_config.hidden_size] linear@598 "
    "qformer=projector_config:Blip2QFormerModel", "word_embeddings@0 token_type_embeddings@149 LayerNorm@45",
    "weight[intermediate_size,hidden_size]=a", "gate_proj@601 up_gate_proj(weight[*]~a) up_proj@601 down_proj@50",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=b "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=c", "q_proj@603 k_proj@603 v_proj@603",
    "qkv_proj(weight[*]~b bias[*]~c) o_proj@545", "attn_ln@45 mlp@602 self_attn@604 attention@605 mlp_ln@45",
    "#{num_hidden_layers}@606", "layer@607",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?4",
    "weight[num_experts,hidden_size]?2",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]?2=b",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*num_shared_experts)]?3", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?3",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?3",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?3", "weight[index_head_dim,hidden_size]?2",
    "weight[index_head_dim]?2 bias[index_head_dim]?2", "wq_b@367 wk@616 k_norm@617 weights_proj@368",
    "weight[(num_attention_heads*v_head_dim),hidden_size]",
    "learnable_sink_param[?] q_a_proj@613 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@614 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@615 indexer@618 linear_gate@619",
    "linear_gate@14 up_proj@14 down_proj@15",
    "linear_gate@7 up_proj@7 down_proj@8 experts@525 gate@28 shared_experts@621",
    "hc_fn[(2*hc_mult),(hc_mult*hidden_size)] hc_base[(2*hc_mult)] hc_scale[2]", "hc_attn_layer@623 hc_mlp_layer@623",
    "self_attn@620 mlp@622 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "hc_pre@624", "#{num_hidden_layers}@625",
    "hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
    "weight[(num_codebooks*codebook_size),hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]=a bias[(num_attention_heads*head_dim)]?1",
    "q_proj@629 k_proj@629 v_proj@629 gate_proj@629", "gqkv_proj(weight[*]~a) o_proj@70",
    "weight[intermediate_size,hidden_size]=b bias[intermediate_size]?0",
    "gate_proj@632 gate_up_proj(weight[*]~b) up_proj@632 down_proj@73", "self_attn@630 attn@631 mlp@633",
    "#{num_layers_per_stack}@634", "layers@635",
    "q_proj@284 k_proj@285 v_proj@285 o_proj@286 query_layernorm(weight[head_dim]) " "key_layernorm(weight[head_dim])",
    "q_proj@30 k_proj@31 v_proj@31 o_proj@32",
    "weight[text_config.hidden_size,vision_config.out_hidden_size] bias[text_config.hidden_size]",
    "weight[vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[type_vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[max_position_embeddings,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "x_min[1] x_max[1] act_scaling_factor[1]", "weight[hidden_size] bias[hidden_size] shift[1] activation@643",
    "word_embeddings@640 token_type_embeddings@641 position_embeddings@642 LayerNorm@644 embeddings_act1@643 "
    "embeddings_act2@643 output_activation@643",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))] weight_integer[?,?] "
    "fc_scaling_factor[(num_attention_heads*(hidden_size/num_attention_heads))] bias_integer[?]", "act@643",
    "query@646 key@646 value@646 query_activation@643 key_activation@643 value_activation@643 "
    "output_activation@643 softmax@647",
    "weight[hidden_size,hidden_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@649 LayerNorm@644 ln_input_act@643 output_activation@643", "self@648 output@650",
    "weight[intermediate_size,hidden_size] bias[intermediate_size] weight_integer[?,?] "
    "fc_scaling_factor[intermediate_size] bias_integer[?]", "dense@652 output_activation@643",
    "weight[hidden_size,intermediate_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@654 LayerNorm@644 ln_input_act@643 output_activation@643",
    "attention@651 intermediate@653 output@655 pre_intermediate_act@643 pre_output_act@643", "#{num_hidden_layers}@656",
    "layer@657", "embeddings@645 encoder@658",
    "weight[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_si"
    "ze)),vision_config.hidden_size]", "patch_embedding@553 position_embedding@660",
    "weight[text_config.intermediate_size,vision_config.hidden_size]", "weight[perceiver_config.hidden_size]",
    "weight[(perceiver_config.num_key_value_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_si"
    "ze]", "weight[(perceiver_config.hidden_size*4),perceiver_config.hidden_size]",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size] bias[hidden_size]",
    "patch_embedding@666 position_embedding@526", "weight[vision_config.embed_dim] bias[vision_config.embed_dim]",
    "weight[vision_config.embed_dim,vision_config.embed_dim] bias[vision_config.embed_dim]",
    "gate_proj@65 down_proj@66 up_proj@65",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),vision_config.embed_dim]",
    "weight[(hidden_size/num_attention_heads)]?0", "weight[vision_config.embed_dim]?0 bias[vision_config.embed_dim]?0",
    "weight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),vision_config.embed_dim]?0",
    "weight[n_embd,(4*n_embd)] bias[(4*n_embd)]", "weight[(4*n_embd),n_embd] bias[n_embd]", "c_fc@675 c_proj@676",
    "weight[(swa_num_key_value_heads*swa_head_dim),((swa_num_key_value_heads*swa_head_dim)/(swa_num_key_value_hea"
    "ds*swa_head_dim)),conv_kernel_size]?0 static_w[conv_kernel_size,(num_key_value_heads*head_dim)]?1 "
    "weight_proj[(num_key_value_heads*conv_kernel_size),hidden_size]?1", "weight[?,?,conv_kernel_size]", "conv1d@679",
    "conv1d@311", "weight[qformer_config.hidden_size] bias[qformer_config.hidden_size]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.hidden_size] "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.encoder_hidden_size]?0 "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0",
    "weight[qformer_config.intermediate_size,qformer_config.hidden_size] bias[qformer_config.intermediate_size]",
    "dense@685", "weight[qformer_config.hidden_size,qformer_config.intermediate_size] bias[qformer_config.hidden_size]",
    "dense@687 LayerNorm@682", "weight[(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]",
    "layer_norm@689 linear_1@690 linear_2@220", "weight[mamba_d_state]?2",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?4",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?4",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?4",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1",
    "weight[vision_config.hidden_size,?] bias[vision_config.hidden_size]",
    "weight[vision_config.projection_dim,vision_config.hidden_size] bias[vision_config.projection_dim]",
    "weight[?,?,?,?] bias[?]", "weight[?,?,1,1]?1 bias[?]?1",
    "norm1(weight[?] bias[?]) conv1@699 norm2(weight[?] bias[?]) conv2@699 nin_shortcut@700",
    "norm1(weight[?] bias[?]) conv1@699 norm2(weight[?] bias[?]) conv2@699", "weight[?,?,?,?]?2 bias[?]?2", "conv@703",
    "weight[?,?,1,1]?0 bias[?]?0", "norm(weight[?]?0 bias[?]?0) q@705 k@705 v@705 proj_out@705",
    "weight[?,?,1,1] bias[?]", "norm(weight[?] bias[?]) q@707 k@707 v@707 proj_out@707",
    "block_1@702 attn_1@708 block_2@702", "weight[vq_config.num_embeddings,vq_config.embed_dim]",
    "word_embeddings@0 token_type_embeddings@149",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=b", "q_proj@712 k_proj@712 v_proj@712",
    "Wqkv(weight[*]~a bias[*]~b) out_proj@545", "norm1@45 mlp@264 self_attn@713 mixer@714 norm2@45",
    "#{num_hidden_layers}@715", "layers@716", "embeddings@711 emb_ln@45 encoder@717",
    "weight[linear_head_dim,hidden_size]?2", "weight[(linear_head_dim*linear_num_heads),linear_head_dim]?2",
    "q_proj@33 k_proj@337 v_proj@337 o_proj@338 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]=a #{num_local_experts}@11 "
    "down_proj[num_local_experts,hidden_size,moe_intermediate_size]=b",
    "weight[shared_expert_intermediate_size,hidden_size]", "weight[hidden_size,shared_expert_intermediate_size]",
    "gate_proj@723 up_proj@723 down_proj@724", "weight[text_config.vocab_size,text_config.embed_dim]",
    "weight[text_config.embed_dim,text_config.embed_dim] bias[text_config.embed_dim]",
    "weight[text_config.embed_dim] bias[text_config.embed_dim]",
    "k_proj@727 v_proj@727 q_proj@727 out_proj@727 inner_attn_ln@728",
    "weight[text_config.ffn_dim,text_config.embed_dim] bias[text_config.ffn_dim]",
    "weight[text_config.embed_dim,text_config.ffn_dim] bias[text_config.embed_dim]",
    "weight[text_config.ffn_dim] bias[text_config.ffn_dim]", "fc1@730 fc2@731 ffn_layernorm@732",
    "weight[text_config.embed_dim,text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "k_proj@734 v_proj@734 q_proj@734 out_proj@734", "weight[text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "self_attn@729 self_attn_layer_norm@728 ffn@733 final_layer_norm@728 encoder_attn@735 "
    "encoder_attn_layer_norm@736", "#{text_config.layers}@737", "embed_tokens@726 layers@738 layer_norm@728",
    "weight[text_config.vocab_size,text_config.embed_dim]?", "model@508",
    "weight[text_config.embed_dim,vision_config.hidden_size] bias[text_config.embed_dim]",
    "k_proj@727 v_proj@727 q_proj@727 out_proj@727",
    "latent_query[latent_query_num,text_config.embed_dim] dense@742 x_attn@743", "weight[2,text_config.embed_dim]",
    "self_attn@743 self_attn_layer_norm@728 ffn@733 final_layer_norm@728", "#{text_config.layers}@746",
    "embed_tokens@726 segment_emb@745 layers@747 layer_norm@728",
    "weight[vision_config.hidden_size,vision_config.patch_embed_hidden_size] bias[vision_config.hidden_size]",
    "weight[vision_config.max_num_patches,vision_config.hidden_size]",
    "patch_projection@749 row_embedder@750 column_embedder@750",
    "weight[(vision_config.num_attention_heads*vision_config.head_dim),vision_config.hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.head_dim)]",
    "query@752 key@752 value@752 output@753", "weight[vision_config.intermediate_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size]", "wi_0@755 wi_1@755 wo@756",
    "attention@754 mlp@757 pre_mlp_layer_norm@478 pre_attention_layer_norm@478",
    "#{vision_config.num_hidden_layers}@758", "layer@759", "embeddings@751 encoder@760 layernorm@478",
    "weight[hidden_size,?] bias[hidden_size]?2", "weight[max_2d_position_embeddings,hidden_size]",
    "weight[max_2d_position_embeddings,coordinate_size]?1", "weight[max_2d_position_embeddings,shape_size]?1",
    "weight[num_attention_heads,rel_2d_pos_bins]?2",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1",
    "weight[(hidden_size/num_attention_heads)]?1",
    "q_proj@767 k_proj@768 v_proj@768 out_proj@769 q_layernorm@770 k_layernorm@770",
    "weight[(3*hidden_size),hidden_size]?0", "weight[hidden_size,hidden_size]?0",
    "weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?1 bias[hidden_size]?0",
    "weight[(3*hidden_size),hidden_size]?1 bias[(3*hidden_size)]?0",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?0", "conv@774 in_proj@775 out_proj@776",
    "weight[intermediate_size,hidden_size]?3", "weight[(hidden_size/num_attention_heads)]?4", "w1@65 w3@65 w2@66",
    "weight[(num_key_value_heads*head_dim),hidden_size]?3", "weight[hidden_size,(num_attention_heads*head_dim)]?3",
    "weight[vision_config.hidden_size,(vision_config.hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "merging_layer@783", "weight[max_2d_position_embeddings,(hidden_size/6)]",
    "weight[max_position_embeddings,(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio),hidden_size] bias[(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio)] bias[(hidden_size/channel_shrink_ratio)]",
    "x_position_embeddings@785 y_position_embeddings@785 h_position_embeddings@785 w_position_embeddings@785 "
    "box_position_embeddings@786 box_linear_embeddings@787 LayerNorm@788",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio),(hidden_size/channel_s"
    "hrink_ratio)] bias[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio)]",
    "query@46 key@46 value@46 layout_query@790 layout_key@790 layout_value@790",
    "weight[(hidden_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@792 LayerNorm@788", "self@791 output@152 layout_output@793",
    "weight[(intermediate_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(intermediate_size/channel_shrink_ratio)]", "dense@795",
    "weight[(hidden_size/channel_shrink_ratio),(intermediate_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@797 LayerNorm@788",
    "attention@794 intermediate@154 output@155 layout_intermediate@796 layout_output@798", "#{num_hidden_layers}@799",
    "layer@800", "embeddings@150 layout_embeddings@789 encoder@801", "weight[num_local_experts,hidden_size]?1",
    "weight[intermediate_size,hidden_size]?1", "weight[hidden_size,intermediate_size]?1",
    "weight[intermediate_size_mlp,hidden_size]?0",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)] bias[text_config.hidden_size]?0",
    "linear_1@807 linear_2@90", "lm_head@84 model=text_config:EuroBertModel", "weight[(num_heads*d_kv),d_model]",
    "weight[d_model,(num_heads*d_kv)]", "weight[relative_attention_num_buckets,num_heads]?",
    "q@810 k@810 v@810 o@811 relative_attention_bias@812", "LocalSelfAttention@813 layer_norm(weight[d_model])",
    "weight[d_ff,d_model]?0", "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi_0@815 wi_1@815",
    "DenseReluDense@816 layer_norm(weight[d_model])", "0@814 1@817", "layer@818", "#{num_layers}@819",
    "embed_tokens@138 block@820 final_layer_norm(weight[d_model])", "SelfAttention@813 layer_norm(weight[d_model])",
    "q@810 k@810 v@810 o@811", "EncDecAttention@823 layer_norm(weight[d_model])", "0@822 1@824 2@817", "layer@825",
    "#{num_decoder_layers}@826", "embed_tokens@138 block@827 final_layer_norm(weight[d_model])",
    "weight[((2*expert_ffn_hidden_size)/2),hidden_size]~a", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?0",
    "weight[(num_attention_heads*qk_head_dim),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?0",
    "q_a_proj@830 q_a_layernorm(weight[q_lora_rank]) q_b_proj@831 kv_a_proj_with_mqa@832 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@833", "weight[ffn_hidden_size,hidden_size]",
    "weight[hidden_size,ffn_hidden_size]", "gate_proj@835 up_proj@835 down_proj@836",
    "0(weight[hidden_size]) 1(weight[hidden_size])",
    "query@47 key@47 value@47 query_global@47 key_global@47 value_global@47", "self@839 output@152",
    "attention@840 intermediate@154 output@155", "#{num_hidden_layers}@841", "layer@842", "embeddings@274 encoder@843",
    "weight[entity_vocab_size,entity_emb_size]", "weight[hidden_size,entity_emb_size]",
    "entity_embeddings@845 entity_embedding_dense@846 position_embeddings@148 token_type_embeddings@149 "
    "LayerNorm@45", "query@46 key@46 value@46 w2e_query@156 e2w_query@156 e2e_query@156", "self@848 output@152",
    "attention@849 intermediate@154 output@155", "#{num_hidden_layers}@850", "layer@851",
    "embeddings@150 entity_embeddings@847 encoder@852", "weight[(hidden_size*2),hidden_size] bias[(hidden_size*2)]",
    "weight[(hidden_size*2)] bias[(hidden_size*2)]", "q@46 k@46 v@46 o@47", "attn@856 LayerNorm@45",
    "attention@857 intermediate@154 output@155", "#{num_hidden_layers}@858",
    "weight[relative_attention_num_buckets,num_attention_heads]", "layer@859 relative_attention_bias@860",
    "embeddings@171 encoder@861", "weight[(num_heads*d_kv),d_model]?2", "weight[d_model,(num_heads*d_kv)]?2",
    "q@863 k@863 v@863 o@864 relative_attention_bias@812",
    "wi_0@815 wi_1@815 wo(weight[d_model,d_ff]?) wi(weight[d_ff,d_model]?)", "weight[(num_heads*d_kv),d_model]?1",
    "weight[d_model,(num_heads*d_kv)]?1", "q@867 k@867 v@867 o@868",
    "wi_0@815 wi_1@815 wo(weight[d_model,d_ff]) wi(weight[d_ff,d_model]?)",
    "DenseReluDense@870 layer_norm(weight[d_model])", "0@822 1@871", "layer@872", "#{num_layers}@873",
    "embed_tokens@138 block@874 final_layer_norm(weight[d_model])", "0@822 1@824 2@871", "layer@876",
    "#{num_decoder_layers}@877", "embed_tokens@138 block@878 final_layer_norm(weight[d_model])",
    "weight[max_position_embeddings,d_model]?",
    "weight[hidden_size,(xpath_unit_hidden_size*max_depth)] bias[hidden_size]",
    "weight[(4*hidden_size),(xpath_unit_hidden_size*max_depth)] bias[(4*hidden_size)]",
    "weight[max_xpath_tag_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@883",
    "weight[max_xpath_subs_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@885",
    "xpath_unitseq2_embeddings@881 xpath_unitseq2_inner@882 inner2emb@237 xpath_tag_sub_embeddings@884 "
    "xpath_subs_sub_embeddings@886",
    "word_embeddings@0 position_embeddings@148 xpath_embeddings@887 token_type_embeddings@149 LayerNorm@45",
    "embeddings@888 encoder@511", "word_embeddings@0 position_embeddings@148 token_type_embeddings@149",
    "ln@45 self@151 output@172", "ln@159 self@157 output@406",
    "attention@891 ln@45 intermediate@154 output@405 crossattention@892", "#{num_hidden_layers}@893", "layer@894 ln@45",
    "embeddings@890 encoder@895",
    "weight[(vision_config.hidden_size*4),(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "pre_norm@689 linear_1@897 linear_2@690", "0@898", "mlp@899", "layer_norm1@45 self_attn@193 layer_norm2@45 mlp@264",
    "#{num_hidden_layers}@901", "layers@902", "weight[hidden_size,?] bias[hidden_size]",
    "layer_norm1@78 self_attn@504 layer_norm2@78 mlp@200", "#{vision_config.num_hidden_layers}@905", "layers@906",
    "w1@290 w3@290 w2@291", "#{num_local_experts}@908",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]=a "
    "down_proj[num_local_experts,hidden_size,intermediate_size]=b", "experts@910",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.temporal_patch_size,vision_con"
    "fig.patch_size,vision_config.patch_size]",
    "weight[projector_hidden_size,vision_config.hidden_size] bias[projector_hidden_size]",
    "weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]",
    "weight[projector_hidden_size,merged_hidden_size] bias[projector_hidden_size]",
    "q_proj@324 k_proj@325 v_proj@325 o_proj@326 q_norm@327 k_norm@327",
    "weight[text_config.num_local_experts,text_config.hidden_size]",
    "weight[((2*text_config.intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.intermediate_size]~b", "w1@918 w3@918 w2@919",
    "#{text_config.num_local_experts}@920", "weight[?,text_config.hidden_size]~c",
    "weight[text_config.hidden_size,text_config.shared_intermediate_size]", "gate_proj@922 up_proj@922 down_proj@923",
    "gate@917 experts@921 shared_experts@924 e_score_correction_bias[text_config.num_local_experts]",
    "gate_up_proj[text_config.num_local_experts,(2*text_config.intermediate_size),text_config.hidden_size]=a "
    "down_proj[text_config.num_local_experts,text_config.hidden_size,text_config.intermediate_size]=b",
    "weight[(2*text_config.shared_intermediate_size),text_config.hidden_size]=c", "gate_up_proj@927",
    "experts@926 shared_experts@928",
    "self_attn@916 block_sparse_moe@925 mlp@929 input_layernorm@332 post_attention_layernorm@332",
    "#{text_config.num_hidden_layers}@930", "embed_tokens@84 layers@931 norm@332",
    "weight[num_local_experts,hidden_size] e_score_correction_bias[num_local_experts]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?0", "gate@573 experts@909",
    "q_proj@324 k_proj@325 v_proj@325 o_proj@326", "norm@478 patch_merger@784 linear_1@807 linear_2@90",
    "weight[n_routed_experts,hidden_size]?1", "w1@755 w3@755 w2@756", "wk@75 wv@75 wq@75 wo@75",
    "attention_norm@478 feed_forward@940 attention@941 ffn_norm@478", "#{}@942", "layers@943",
    "patch_conv@255 ln_pre@478 transformer@944",
    "weight[?,text_config.hidden_size] bias[(text_config.kv_lora_rank+text_config.qk_rope_head_dim)]?2",
    "weight[text_config.kv_lora_rank]", "weight[?,text_config.kv_lora_rank]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)] "
    "bias[text_config.hidden_size]?2",
    "weight[(text_config.index_n_heads*text_config.index_head_dim),text_config.hidden_size]",
    "weight[text_config.index_head_dim,text_config.hidden_size]",
    "weight[text_config.index_head_dim] bias[text_config.index_head_dim]",
    "weight[text_config.index_n_heads,text_config.hidden_size]",
    "s[text_config.index_n_heads] b[text_config.index_n_heads]",
    "wq_b@950 wk@951 k_norm@952 weights_proj@953 q_input_norm@216 ssmax_scaling@954",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.hidden_size]", "s[text_config.num_attention_heads] b[text_config.num_attention_heads]",
    "wkv_a_with_mqa@946 kv_a_norm@947 wkv_b@948 wo@949 indexer@955 wq@956 ssmax_scaling@957", "w1@518 w3@518 w2@519",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a"
    " down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b",
    "experts@960", "w1@520 w3@520 w2@521", "#{text_config.n_routed_experts}@962",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?1", "w1@523 w3@523 w2@524",
    "attention@958 feed_forward@959 attention_norm@332 ffn_norm@332 mlp@961 experts@963 gate@964 " "shared_experts@965",
    "#{text_config.num_hidden_layers}@966",
    "weight[text_config.hidden_size,vision_config.vision_output_dim] bias[text_config.hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?0",
    "weight[?,(max_num_tiles*hidden_size)]", "gate[1] embedding@970",
    "weight[(attention_heads*(hidden_size/attention_heads)),hidden_size]",
    "weight[hidden_size,(attention_heads*(hidden_size/attention_heads))]",
    "q_proj@972 k_proj@972 v_proj@972 o_proj@973", "bias[hidden_size] weight[hidden_size]",
    "word_embeddings@39 position_embeddings@148 token_type_embeddings@149 embedding_transformation@904 "
    "LayerNorm@975", "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),true_hidden_size] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]",
    "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),?] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]", "query@977 key@977 value@978",
    "weight[true_hidden_size,true_hidden_size] bias[true_hidden_size]",
    "bias[true_hidden_size] weight[true_hidden_size]", "dense@980 LayerNorm@981", "self@979 output@982",
    "weight[intermediate_size,true_hidden_size] bias[intermediate_size]", "dense@984",
    "weight[true_hidden_size,intermediate_size] bias[true_hidden_size]",
    "weight[hidden_size,true_hidden_size]?1 bias[hidden_size]?1", "bias[hidden_size]?1 weight[hidden_size]?1",
    "dense@987 LayerNorm@988", "dense@986 LayerNorm@981 bottleneck@989",
    "weight[intra_bottleneck_size,hidden_size]?1 bias[intra_bottleneck_size]?1",
    "bias[intra_bottleneck_size]?1 weight[intra_bottleneck_size]?1", "dense@991 LayerNorm@992",
    "weight[intra_bottleneck_size,hidden_size]?0 bias[intra_bottleneck_size]?0",
    "bias[intra_bottleneck_size]?0 weight[intra_bottleneck_size]?0", "dense@994 LayerNorm@995",
    "input@993 attention@996", "dense@986 LayerNorm@981", "intermediate@985 output@998",
    "#{(num_feedforward_networks-1)}@999", "attention@983 intermediate@985 output@990 bottleneck@997 ffn@1000",
    "#{num_hidden_layers}@1001", "layer@1002", "embeddings@976 encoder@1003",
    "weight[(hidden_size-embedding_size),vocab_size]", "bias[vocab_size] transform@152 dense@1005 decoder@58",
    "weight[hidden_size,hidden_size] bias[hidden_size]?", "weight[hidden_size] bias[hidden_size]?",
    "dense@1007 norm@1008", "weight[hidden_size] bias[hidden_size]?0", "tok_embeddings@0 norm@1010",
    "weight[((hidden_size/num_attention_heads)*num_attention_heads),hidden_size] "
    "bias[((hidden_size/num_attention_heads)*num_attention_heads)]?0",
    "weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?1", "Wi@1013 Wo@385",
    "weight[hidden_size]? bias[hidden_size]?",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]?", "dense@1016 norm@1017",
    "weight[num_labels,text_config.hidden_size] bias[num_labels]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(pixel_shuffle_factor*pixel_shuffle_factor))]",
    "weight[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[hidden_size,(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]",
    "q_proj@1021 k_proj@1022 v_proj@1022 o_proj@1023", "linear@337", "weight[d_model,d_model]",
    "q_proj@284 k_proj@285 v_proj@285 o_proj@286 gate_proj@33", "weight[moe_hidden_size]",
    "weight[prompt_length,d_model]?0", "weight[prompt_mid_dim,d_model]?0 bias[prompt_mid_dim]?0",
    "weight[((decoder_layers*2)*d_model),prompt_mid_dim]?0 bias[((decoder_layers*2)*d_model)]?0", "0@1030 2@1031",
    "prompt_embedding@1029 prompt_trans@1032", "weight[(num_key_value_heads*head_dim),hidden_size]?6",
    "weight[num_experts,d_model]?0", "classifier@1035", "weight[encoder_ffn_dim,d_model]?0 bias[encoder_ffn_dim]?0",
    "weight[d_model,encoder_ffn_dim]?0 bias[d_model]?0", "fc1@1037 fc2@1038",
    "weight[decoder_ffn_dim,d_model]?0 bias[decoder_ffn_dim]?0", "weight[d_model,decoder_ffn_dim]?0 bias[d_model]?0",
    "fc1@1040 fc2@1041", "fc12@65 fc11@65 fc2@66", "weight[(num_attention_heads*head_dim),hidden_size]=a",
    "q_proj@1044 k_proj@1044 v_proj@1044", "Wqkv(weight[*]~a) out_proj@338",
    "norm1@45 mlp@1043 self_attn@1045 attn@1046 norm2@45", "#{num_hidden_layers}@1047", "layers@1048",
    "word_embeddings@0 position_embeddings@192 token_type_embeddings@149 LayerNorm@45",
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
    "k_proj@1064 v_proj@1064 q_proj@1064 out_proj@1064", "weight[text_config.d_model] bias[text_config.d_model]",
    "embeddings@661 encoder@907 post_layernorm@78", "vision_model@1067",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?0",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?0",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?0", "q_proj@1069 k_proj@1070 v_proj@1070 o_proj@1071",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]?0",
    "gate_proj@1073 up_proj@1073 down_proj@1074",
    "self_attn@1072 mlp@1075 input_layernorm@332 post_attention_layernorm@332", "#{text_config.num_hidden_layers}@1076",
    "embed_tokens@84 layers@1077 norm@332",
    "weight[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size),((vis"
    "ion_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)] "
    "bias[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)]",
    "weight[text_config.hidden_size,((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.s"
    "patial_merge_size)] bias[text_config.hidden_size]", "pre_norm@78 linear_1@1079 linear_2@1080", "linear@698",
    "weight[text_config.hidden_size]?0",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/subsampling_conv_channels),subsampling_conv_kern"
    "el_size,subsampling_conv_kernel_size] bias[subsampling_conv_channels]",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/1),1,1] bias[subsampling_conv_channels]",
    "linear1@384 linear2@385",
    "weight[hidden_size] bias[hidden_size] running_mean[hidden_size] running_var[hidden_size] " "num_batches_tracked[]",
    "k_proj@1026 v_proj@1026 q_proj@1026 out_proj@1026",
    "weight[(hidden_size/num_attention_heads)]?0 bias[(hidden_size/num_attention_heads)]?0",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))+(2*(num_key_value_heads*(hidden_size/num_att"
    "ention_heads)))),hidden_size]", "o_proj@395 qkv_proj@1090",
    "self_attn@1091 mlp@515 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@1092",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/audio_config.nemo_conv_channels),?,?"
    "] bias[audio_config.nemo_conv_channels]",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/1),1,1] "
    "bias[audio_config.nemo_conv_channels]", "weight[audio_config.hidden_size] bias[audio_config.hidden_size]",
    "weight[(audio_config.intermediate_size*2),audio_config.hidden_size] bias[(audio_config.intermediate_size*2)]",
    "weight[audio_config.hidden_size,audio_config.intermediate_size] bias[audio_config.hidden_size]",
    "layer_norm@1096 gate_up_proj@1097 down_proj@1098",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size] "
    "bias[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads))]",
    "weight[hidden_size,(audio_config.hidden_size*audio_config.downsample_rate)] bias[hidden_size]",
    "weight[vision_config.seq_len,vision_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*vision_config.d_kv),vision_config.hidden_size]",
    "weight[vision_config.d_ff,vision_config.hidden_size]", "weight[text_config.d_ff,text_config.hidden_size]",
    "weight[ngram,hidden_size]", "weight[(num_buckets*num_decoder_attention_heads),hidden_size] "
    "bias[(num_buckets*num_decoder_attention_heads)]",
    "key_proj@47 value_proj@47 query_proj@47 out_proj@47 relative_pos_embeddings@1107",
    "key_proj@158 value_proj@158 query_proj@158 out_proj@158",
    "weight[decoder_ffn_dim,hidden_size] bias[decoder_ffn_dim]",
    "weight[hidden_size,decoder_ffn_dim] bias[hidden_size]", "intermediate@1110 output@1111",
    "self_attn@1108 self_attn_layer_norm@45 cross_attn@1109 cross_attn_layer_norm@159 feed_forward@1112 "
    "feed_forward_layer_norm@45", "#{num_decoder_layers}@1113",
    "word_embeddings@191 position_embeddings@148 ngram_embeddings@1106 layers@1114 embeddings_layer_norm@45",
    "weight[encoder_ffn_dim,hidden_size] bias[encoder_ffn_dim]",
    "weight[hidden_size,encoder_ffn_dim] bias[hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),?,?] bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,?,vision_config.hidden_size]? "
    "patch_embedding@1118 mask_token[1,1,vision_config.hidden_size]?",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size]=a "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1=b",
    "q_proj@1120 k_proj@1120 v_proj@1120 q_norm@491 k_norm@491", "qkv(weight[*]~a bias[*]~b) proj@76",
    "ls1[vision_config.hidden_size] ls2[vision_config.hidden_size] attention@1121 attn@1122 mlp@200 norm1@78 "
    "norm2@78", "#{vision_config.num_hidden_layers}@1123", "layers@1124", "embeddings@1119 encoder@1125 layernorm@258",
    "q_proj@1069 k_proj@1070 v_proj@1070 o_proj@1071 q_norm@327 k_norm@327",
    "self_attn@1127 mlp@331 input_layernorm@332 post_attention_layernorm@332", "#{text_config.num_hidden_layers}@1128",
    "layers@1129", "embed_tokens@84 encoder@1130 norm@332", "weight[d_model,(num_mel_bins/1),?] bias[d_model]",
    "weight[d_model,(d_model/1),?] bias[d_model]", "weight[max_source_positions,d_model]",
    "k_proj@1026 v_proj@129 q_proj@129 out_proj@129",
    "self_attn@1135 self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131", "#{encoder_layers}@1136",
    "weight[text_config.hidden_size,audio_config.d_model] bias[text_config.hidden_size]", "linear@1138",
    "weight[vision_config.embed_dim,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_config"
    ".patch_size,vision_config.patch_size]", "proj@1140",
    "weight[(vision_config.embed_dim*3),vision_config.embed_dim] bias[(vision_config.embed_dim*3)]",
    "qkv@1142 proj@669", "weight[(vision_config.embed_dim*vision_config.mlp_ratio),vision_config.embed_dim] "
    "bias[(vision_config.embed_dim*vision_config.mlp_ratio)]",
    "weight[vision_config.embed_dim,(vision_config.embed_dim*vision_config.mlp_ratio)] "
    "bias[vision_config.embed_dim]", "fc1@1144 fc2@1145", "norm1@668 norm2@668 attn@1143 mlp@1146",
    "#{vision_config.depth}@1147",
    "weight[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(vision"
    "_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.hidden_size,(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.sp"
    "atial_merge_size))] bias[vision_config.hidden_size]", "0@1149 2@1150", "ln_q@668 mlp@1151",
    "patch_embed@1141 blocks@1148 merger@1152",
    "weight[audio_config.d_model,(audio_config.num_mel_bins/1),?] bias[audio_config.d_model]",
    "weight[audio_config.d_model,(audio_config.d_model/1),?] bias[audio_config.d_model]",
    "weight[2,audio_config.output_dim]", "weight[audio_config.d_model,audio_config.d_model]",
    "weight[audio_config.d_model,audio_config.d_model] bias[audio_config.d_model]",
    "k_proj@1157 v_proj@1158 q_proj@1158 out_proj@1158", "weight[audio_config.d_model] bias[audio_config.d_model]",
    "weight[audio_config.encoder_ffn_dim,audio_config.d_model] bias[audio_config.encoder_ffn_dim]",
    "weight[audio_config.d_model,audio_config.encoder_ffn_dim] bias[audio_config.d_model]",
    "self_attn@1159 self_attn_layer_norm@1160 fc1@1161 fc2@1162 final_layer_norm@1160",
    "#{audio_config.encoder_layers}@1163",
    "weight[audio_config.output_dim,audio_config.d_model] bias[audio_config.output_dim]",
    "conv1@1154 conv2@1155 audio_bos_eos_token@1156 layers@1164 ln_post@1160 proj@1165",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size]", "proj@1167", "q@76 k@76 v@76 proj@76",
    "gate_proj@198 up_proj@198 down_proj@199", "norm1@478 norm2@478 attn@1169 mlp@1170", "#{vision_config.depth}@1171",
    "0@321 2@322", "ln_q@478 mlp@1173", "patch_embed@1168 blocks@1172 merger@1174",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))]", "q_proj@218 k_proj@1176 v_proj@1176 o_proj@1177",
    "self_attn@1178 mlp@331 input_layernorm@332 post_attention_layernorm@332", "#{text_config.num_hidden_layers}@1179",
    "embed_tokens@84 layers@1180 norm@332", "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]",
    "qkv@1182 proj@47", "weight[downsample_hidden_size,(downsample_hidden_size/1),?,?] bias[downsample_hidden_size]",
    "weight[?,hidden_size] bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?2",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((l"
    "inear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_he"
    "ad_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0",
    "weight[shared_expert_intermediate_size,hidden_size]?2", "k_proj@1158 v_proj@1158 q_proj@1158 out_proj@1158",
    "self_attn@1188 self_attn_layer_norm@1160 fc1@1161 fc2@1162 final_layer_norm@1160",
    "#{audio_config.encoder_layers}@1189",
    "weight[audio_config.downsample_hidden_size,1,?,?] bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.downsample_hidden_size,(audio_config.downsample_hidden_size/1),?,?] "
    "bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.d_model,(audio_config.downsample_hidden_size*((((((audio_config.num_mel_bins+1)/2)+1)/2)"
    "+1)/2))]", "layers@1190 ln_post@1160 conv2d1@1191 conv2d2@1192 conv2d3@1192 conv_out@1193 proj1@1158 proj2@1165",
    "ln_q@323 mlp@1173", "#{}@1195", "ln_q@78 mlp@1173",
    "merger_list@1196 patch_embed@314 pos_embed@315 blocks@320 merger@1197",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))] bias[text_config.hidden_size]?0",
    "weight[(text_config.hidden_size/text_config.num_attention_heads)]",
    "q_proj@1199 k_proj@1200 v_proj@1200 o_proj@1201 q_norm@1202 k_norm@1202",
    "gate_up_proj[text_config.num_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]=a "
    "#{text_config.num_experts}@522 "
    "down_proj[text_config.num_experts,text_config.hidden_size,text_config.moe_intermediate_size]=b",
    "weight[text_config.num_experts,text_config.hidden_size]", "experts@1204 gate@1205",
    "self_attn@1203 mlp@1206 input_layernorm@332 post_attention_layernorm@332", "#{text_config.num_hidden_layers}@1207",
    "embed_tokens@84 layers@1208 norm@332", "weight[num_position_embeddings,hidden_size]",
    "linear_fc1@49 linear_fc2@50", "norm1@45 norm2@45 attn@1183 mlp@1211", "#{depth}@1212",
    "norm@45 linear_fc1@434 linear_fc2@435",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidde"
    "n_size]?0", "dt_bias[linear_num_value_heads]?0 A_log[?]?0 conv1d@1186 norm@1056 out_proj@1054 in_proj_qkv@1215 "
    "in_proj_z@1052 in_proj_b@1053 in_proj_a@1053",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]=b",
    "gate@289 experts@1217 shared_expert@725 shared_expert_gate(weight[1,hidden_size])",
    "weight[((num_attention_heads*head_dim)*2),hidden_size]?1", "weight[(num_key_value_heads*head_dim),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*head_dim)]?1",
    "q_proj@1219 k_proj@1220 v_proj@1220 o_proj@1221 q_norm(weight[head_dim]?1) k_norm(weight[head_dim]?1)",
    "weight[linear_num_value_heads,hidden_size]", "weight[(hc_count*hidden_size)]",
    "weight[hc_lowrank,(hc_count*hidden_size)]", "weight[(hc_count*hidden_size),hc_lowrank]",
    "weight[hc_count,(hc_count*hidden_size)]",
    "hc_norm@1224 input_mix_weight_down@1225 input_mix_weight_up@1226 block_inject_weight@1227",
    "weight[lru_width,hidden_size]?0 bias[lru_width]?0",
    "weight[(intermediate_size/2),hidden_size] bias[(intermediate_size/2)]", "weight[vocab_size,input_embedding_size]",
    "weight[max_position_embeddings,input_embedding_size]", "weight[type_vocab_size,input_embedding_size]",
    "weight[input_embedding_size] bias[input_embedding_size]",
    "word_embeddings@1231 position_embeddings@1232 token_type_embeddings@1233 LayerNorm@1234",
    "weight[hidden_size,input_embedding_size] bias[hidden_size]", "embedding_hidden_mapping_in@1236 layer@163",
    "embeddings@1235 encoder@1237", "weight[?] bias[?] running_mean[?] running_var[?] num_batches_tracked[]",
    "convolution(weight[?,?,1,1]) normalization@1239", "convolution(weight[?,?,?,?]) normalization@1239",
    "0@1240 1@1241 2@1240", "layer@1242",
    "weight[?]?0 bias[?]?0 running_mean[?]?0 running_var[?]?0 num_batches_tracked[]?0",
    "convolution(weight[?,?,1,1]?0) normalization@1244",
    "weight[?]?1 bias[?]?1 running_mean[?]?1 running_var[?]?1 num_batches_tracked[]?1",
    "convolution(weight[?,?,1,1]?1) normalization@1246", "convolution(weight[?,?,?,?]?1) normalization@1246",
    "0@1247 1@1248 2@1247", "layer@1249", "weight[pronunciation_vocab_size,pronunciation_embed_dim]",
    "weight[shape_vocab_size,shape_embed_dim]", "weight[hidden_size,?]?0 bias[hidden_size]?0",
    "word_embeddings@0 pronunciation_embed@1251 shape_embed@1252 position_embeddings@148 "
    "token_type_embeddings@149 map_inputs_layer@1253 LayerNorm@45", "embeddings@1254 encoder@164",
    "self@151 output@172 LayerNorm@45", "LayerNorm@45 dense@49", "self@157 output@406 LayerNorm@159",
    "attention@1256 intermediate@1257 output@405 crossattention@1258", "#{num_hidden_layers}@1259", "layer@1260",
    "embeddings@274 encoder@1261 LayerNorm@45", "weight[attention_hidden_size,hidden_size]", "projection@666",
    "weight[output_channels] bias[output_channels]",
    "weight[feature_projection_input_dim] bias[feature_projection_input_dim]",
    "weight[hidden_size,feature_projection_input_dim] bias[hidden_size]", "layer_norm@1266 projection@1267",
    "weight[speech_encoder_intermediate_size,hidden_size] bias[speech_encoder_intermediate_size]",
    "weight[hidden_size,speech_encoder_intermediate_size] bias[hidden_size]",
    "intermediate_dense@1269 output_dense@1270", "weight[(2*hidden_size),(hidden_size/1),1]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]", "weight[hidden_size,(hidden_size/1),1]",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]?0 bias[(2*hidden_size)]?0",
    "linear_q@158 linear_k@158 linear_v@158 linear_out@158",
    "weight[speech_encoder_intermediate_size,hidden_size]?0 bias[speech_encoder_intermediate_size]?0",
    "weight[hidden_size,speech_encoder_intermediate_size]?0 bias[hidden_size]?0",
    "intermediate_dense@1277 output_dense@1278",
    "residual_layer_norm@159 residual_conv@1275 self_attn_layer_norm@159 self_attn_conv@1275 self_attn@1276 "
    "ffn_layer_norm@159 ffn@1279", "#{num_adapter_layers}@1280", "layers@1281", "fc1@1110 fc2@1111",
    "self_attn@193 self_attn_layer_norm@45 cross_attention@193 cross_attention_layer_norm@45 ffn@1283 "
    "ffn_layer_norm@45", "#{decoder_layers}@1284", "embed_tokens@191 layers@1285 layer_norm@45",
    "weight[hidden_size,hidden_size]? bias[hidden_size]?", "k_proj@1287 v_proj@1287 q_proj@1287 out_proj@1287",
    "weight[encoder_ffn_dim,hidden_size]? bias[encoder_ffn_dim]?",
    "weight[hidden_size,encoder_ffn_dim]? bias[hidden_size]?", "fc1@1289 fc2@1290",
    "self_attn@1288 self_attn_layer_norm@1015 ffn@1291 ffn_layer_norm@1015", "#{encoder_layers}@1292",
    "embed_tokens@191 layers@1293 layer_norm@1015", "weight[decoder_ffn_dim,hidden_size]? bias[decoder_ffn_dim]?",
    "weight[hidden_size,decoder_ffn_dim]? bias[hidden_size]?", "fc1@1295 fc2@1296",
    "self_attn@1288 self_attn_layer_norm@1015 cross_attention@1288 cross_attention_layer_norm@1015 ffn@1297 "
    "ffn_layer_norm@1015", "#{decoder_layers}@1298", "embed_tokens@191 layers@1299 layer_norm@1015",
    "weight[t2u_encoder_ffn_dim,hidden_size] bias[t2u_encoder_ffn_dim]",
    "weight[hidden_size,t2u_encoder_ffn_dim] bias[hidden_size]", "fc1@1301 fc2@1302",
    "self_attn@193 self_attn_layer_norm@45 ffn@1303 ffn_layer_norm@45", "#{t2u_encoder_layers}@1304",
    "layers@1305 layer_norm@45", "weight[t2u_vocab_size,hidden_size]",
    "weight[t2u_decoder_ffn_dim,hidden_size] bias[t2u_decoder_ffn_dim]",
    "weight[hidden_size,t2u_decoder_ffn_dim] bias[hidden_size]", "fc1@1308 fc2@1309",
    "self_attn@193 self_attn_layer_norm@45 cross_attention@193 cross_attention_layer_norm@45 ffn@1310 "
    "ffn_layer_norm@45", "#{t2u_decoder_layers}@1311", "embed_tokens@1307 layers@1312 layer_norm@45",
    "encoder@1306 decoder@1313", "weight[t2u_vocab_size,hidden_size]?", "model@1314 lm_head@1315",
    "weight[unit_embed_dim,(unit_embed_dim/1),variance_predictor_kernel_size]? bias[unit_embed_dim]?",
    "weight[unit_embed_dim]? bias[unit_embed_dim]?", "weight[1,unit_embed_dim]? bias[1]?",
    "conv1@1317 ln1@1318 conv2@1317 ln2@1318 proj@1319", "weight[unit_hifi_gan_vocab_size,unit_embed_dim]?",
    "weight[vocoder_num_spkrs,spkr_embed_dim]?", "weight[vocoder_num_langs,lang_embed_dim]?",
    "weight[upsample_initial_channel,(((unit_embed_dim+lang_embed_dim)+spkr_embed_dim)/1),?]? "
    "bias[upsample_initial_channel]?", "weight[?,?,?]? bias[?]?", "#{}@1325", "0@1325 1@1325 2@1325",
    "convs1@1327 convs2@1327", "#{}@1328", "weight[1,?,?]? bias[1]?",
    "conv_pre@1324 upsampler@1326 resblocks@1329 conv_post@1330",
    "dur_predictor@1320 unit_embedding@1321 speaker_embedding@1322 language_embedding@1323 hifi_gan@1331",
    "fc1@1116 fc2@1117", "self_attn@193 self_attn_layer_norm@45 ffn@1333 ffn_layer_norm@45", "#{encoder_layers}@1334",
    "embed_tokens@191 layers@1335 layer_norm@45",
    "weight[feature_projection_input_dim]? bias[feature_projection_input_dim]?",
    "weight[hidden_size,feature_projection_input_dim]? bias[hidden_size]?", "layer_norm@1337 projection@1338",
    "weight[speech_encoder_intermediate_size,hidden_size]? bias[speech_encoder_intermediate_size]?",
    "weight[hidden_size,speech_encoder_intermediate_size]? bias[hidden_size]?",
    "intermediate_dense@1340 output_dense@1341", "weight[(2*hidden_size),(hidden_size/1),1]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]?",
    "weight[hidden_size,(hidden_size/1),1]?",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]? bias[(2*hidden_size)]?",
    "linear_q@1287 linear_k@1287 linear_v@1287 linear_out@1287",
    "residual_layer_norm@1015 residual_conv@1346 self_attn_layer_norm@1015 self_attn_conv@1346 self_attn@1347 "
    "ffn_layer_norm@1015 ffn@1342", "#{num_adapter_layers}@1348", "layers@1349", "weight[char_vocab_size,hidden_size]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_embed_dim/1),t2u_variance_predictor_kernel_"
    "size] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_hidden_dim/1),t2u_variance_predictor_kernel"
    "_size] bias[t2u_variance_predictor_hidden_dim]", "weight[1,t2u_variance_predictor_hidden_dim] bias[1]",
    "conv1@1352 ln1@1353 conv2@1354 ln2@1353 proj@1355",
    "self_attn@193 self_attn_layer_norm@45 conv1@87 conv2@87 conv_layer_norm@45", "#{t2u_decoder_layers}@1357",
    "pos_emb_alpha_char[1] pos_emb_alpha[1] embed_tokens@1307 embed_char@1351 duration_predictor@1356 layers@1358"
    " layer_norm@45", "encoder@1306 decoder@1359", "model@1360 lm_head@1315",
    "token_embedding@84 position_embedding@215", "k_proj@220 v_proj@220 q_proj@220 out_proj@220", "fc1@226 fc2@228",
    "layer_norm1@216 self_attn@1363 layer_norm2@216 mlp@1364", "#{text_config.num_hidden_layers}@1365", "layers@1366",
    "weight[text_config.projection_size,text_config.hidden_size] bias[text_config.projection_size]",
    "embeddings@1362 encoder@1367 final_layer_norm@216 head@1368",
    "in_proj_weight[(3*hidden_size),hidden_size]?0 in_proj_bias[(3*hidden_size)]?0 out_proj@158",
    "weight[intermediate_size,hidden_size]?0 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?0 bias[hidden_size]?0", "fc1@1371 fc2@1372",
    "probe[1,1,hidden_size]?0 attention@1370 layernorm@159 mlp@1373",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]", "weight[?,?,?] bias[?]?0", "conv@1376",
    "intermediate_dense@1116 output_dense@1117", "attention@193 layer_norm@45 feed_forward@1378 final_layer_norm@45",
    "#{encoder_layers}@1379", "weight[(2*encoder_max_relative_position),(hidden_size/encoder_attention_heads)]",
    "pe_k@1381", "layer_norm@45 layers@1380 embed_positions@1382", "intermediate_dense@1110 output_dense@1111",
    "self_attn@193 self_attn_layer_norm@45 encoder_attn@193 encoder_attn_layer_norm@45 feed_forward@1384 "
    "final_layer_norm@45", "#{decoder_layers}@1385", "layers@1386", "weight[(hidden_size/num_attention_heads)]?",
    "gamma[vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size]=a bias[vision_config.hidden_size]=b",
    "k_proj@1390 v_proj@1390 q_proj@1390", "in_proj_weight[*]~a in_proj_bias[*]~b out_proj@76", "c_fc@198 c_proj@199",
    "ls_1@1389 ls_2@1389 self_attn@1391 attn@1392 mlp@1393 ln_1@78 ln_2@78", "#{vision_config.num_hidden_layers}@1394",
    "resblocks@1395",
    "weight[(vision_config.hidden_size*2),(vision_config.hidden_size/1),?,?] bias[(vision_config.hidden_size*2)]",
    "weight[(vision_config.hidden_size*4),((vision_config.hidden_size*2)/1),?,?] "
    "bias[(vision_config.hidden_size*4)]",
    "conv1@255 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_siz"
    "e/vision_config.patch_size)),vision_config.hidden_size] ln_pre@78 transformer@1396 vit_downsampler1@1397 "
    "vit_downsampler2@1398", "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?3",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?3",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?3", "weight[text_config.num_attention_heads,text_config.hidden_size]",
    "q_proj@1400 k_proj@1401 v_proj@1401 o_proj@1402 q_norm@327 k_norm@327 g_proj@1403",
    "weight[text_config.intermediate_size,text_config.hidden_size]?1 bias[text_config.intermediate_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size]?1 bias[text_config.hidden_size]?0",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?2=c",
    "gate_proj@1405 up_proj@1405 down_proj@1406 experts@1407",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?2",
    "weight[text_config.n_routed_experts,?,text_config.hidden_size]~c",
    "weight[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?2",
    "gate@1409 gate_proj@1410 up_proj@1410 down_proj@1411 router_bias[text_config.n_routed_experts]?2",
    "weight[text_config.share_expert_dim,text_config.hidden_size]?2",
    "weight[text_config.hidden_size,text_config.share_expert_dim]?2", "gate_proj@1413 up_proj@1413 down_proj@1414",
    "self_attn@1404 mlp@1408 input_layernorm@332 post_attention_layernorm@332 moe@1412 share_expert@1415",
    "#{text_config.num_hidden_layers}@1416", "embed_tokens@84 layers@1417 norm@332",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]?",
    "weight[d_ff,d_model]?1", "weight[d_model,d_ff]?1", "weight[d_model,d_ff]?0", "wi@815 wo@1422",
    "expert_0@1423 expert_1@1423 expert_2@1423 expert_3@1423 expert_4@1423 expert_5@1423 expert_6@1423 "
    "expert_7@1423", "wi@1420 wo@1421 router@1036 experts@1424", "mlp@1425 layer_norm(weight[d_model])", "0@822 1@1426",
    "layer@1427", "#{}@1428", "embed_tokens@138 block@1429 final_layer_norm(weight[d_model])", "0@822 1@824 2@1426",
    "layer@1431", "#{}@1432", "embed_tokens@138 block@1433 final_layer_norm(weight[d_model])", "0@822 1@817",
    "layer@1435", "#{num_layers}@1436", "embed_tokens@138 block@1437 final_layer_norm(weight[d_model])",
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
    "weight[decoder.hidden_size,decoder.intermediate_size]", "gate_proj@1448 up_proj@1448 down_proj@1449",
    "weight[encoder.vocab_size,encoder.hidden_size]", "weight[encoder.hidden_size]",
    "weight[(encoder.num_attention_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_attention_heads*encoder.head_dim)]?0",
    "weight[(encoder.num_key_value_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_key_value_heads*encoder.head_dim)]?0",
    "weight[encoder.hidden_size,(encoder.num_attention_heads*encoder.head_dim)] bias[encoder.hidden_size]?0",
    "q_proj@1453 k_proj@1454 v_proj@1454 o_proj@1455", "weight[encoder.intermediate_size,encoder.hidden_size]",
    "weight[encoder.hidden_size,encoder.intermediate_size]", "gate_proj@1457 up_proj@1457 down_proj@1458",
    "self_attn@1456 pre_self_attn_layernorm@1452 post_self_attn_layernorm@1452 mlp@1459 "
    "pre_feedforward_layernorm@1452 post_feedforward_layernorm@1452", "#{encoder.num_hidden_layers}@1460",
    "embed_tokens@1451 norm@1452 layers@1461",
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
    "word_embeddings@0 position_embeddings@148 token_type_embeddings_0(weight[?,hidden_size]) "
    "token_type_embeddings_1(weight[?,hidden_size]) token_type_embeddings_2(weight[?,hidden_size]) "
    "token_type_embeddings_3(weight[?,hidden_size]) token_type_embeddings_4(weight[?,hidden_size]) "
    "token_type_embeddings_5(weight[?,hidden_size]) token_type_embeddings_6@347 LayerNorm@45",
    "weight[hidden_size,hidden_size]=a bias[hidden_size]=b",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0=b", "weight[?,hidden_size]?1=c bias[?]?1=d",
    "weight[d_model]?0 bias[d_model]?0", "weight[relative_attention_num_buckets,num_heads]",
    "q@810 k@810 v@810 o@811 relative_attention_bias@1475", "SelfAttention@1476 layer_norm(weight[d_model])",
    "0@1477 1@871", "layer@1478", "#{num_layers}@1479", "embed_tokens@138 block@1480 final_layer_norm(weight[d_model])",
    "0@1477 1@824 2@871", "layer@1482", "#{num_decoder_layers}@1483",
    "embed_tokens@138 block@1484 final_layer_norm(weight[d_model])",
    "weight[d_model,(num_channels/1),patch_size,patch_size] bias[d_model]", "proj@1486",
    "weight[d_model,(num_channels/1),patch_size,patch_size]? bias[d_model]?", "proj@1488",
    "weight[max_2d_position_embeddings,d_model]", "x_position_embeddings@1490 y_position_embeddings@1490",
    "relative_attention_bias(weight[?,num_heads]?)", "#{}@1492", "biases@1493",
    "relative_attention_bias(weight[?,num_heads])", "#{}@1495", "biases@1496",
    "weight[vision_config.sam_config.hidden_size] bias[vision_config.sam_config.hidden_size]",
    "weight[vision_config.sam_config.output_channels] bias[vision_config.sam_config.output_channels]",
    "weight[vision_config.encoder_config.hidden_size] bias[vision_config.encoder_config.hidden_size]",
    "weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size]=a "
    "bias[vision_config.encoder_config.hidden_size]=b",
    "weight[text_config.hidden_size,?] bias[text_config.hidden_size]",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?4",
    "weight[((2*text_config.moe_intermediate_size)/2),text_config.hidden_size]~c",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?2 "
    "bias[(text_config.moe_intermediate_size*text_config.n_shared_experts)]?3",
    "weight[num_filters,(channels/1),kernel_size] bias[num_filters]", "conv@1506",
    "weight[(ffn_expansion*num_filters),num_filters] bias[(ffn_expansion*num_filters)]",
    "weight[num_filters,(ffn_expansion*num_filters)] bias[num_filters]", "linear1@1508 linear2@1509",
    "weight[num_filters,(num_filters/num_filters),kernel_size] bias[num_filters]", "conv@1511",
    "gamma[num_filters] ffn_gamma[num_filters] norm(weight[num_filters]) ffn_norm(weight[num_filters]) ffn@1510 "
    "mixer@1512", "0@1513 1@1513 2@1513", "conv@1507 stage@1514", "conv(weight[?,?,?] bias[?])",
    "linear1(weight[?,?] bias[?]) linear2(weight[?,?] bias[?])", "weight[?,?,kernel_size] bias[?]", "conv@1518",
    "gamma[?] ffn_gamma[?] norm(weight[?]) ffn_norm(weight[?]) ffn@1517 mixer@1519", "#{}@1520", "conv@1516 stage@1521",
    "#{}@1522", "weight[hidden_size,?,kernel_size] bias[hidden_size]", "conv@1524",
    "stem@1515 conv_layers@1523 head@1525", "weight[(num_filters*64)]",
    "weight[(ffn_expansion*(num_filters*64)),(num_filters*64)] bias[(ffn_expansion*(num_filters*64))]",
    "weight[(num_filters*64),(ffn_expansion*(num_filters*64))] bias[(num_filters*64)]", "linear1@1528 linear2@1529",
    "weight[(num_filters*64),((num_filters*64)/(num_filters*64)),kernel_size] bias[(num_filters*64)]", "conv@1531",
    "gamma[(num_filters*64)] ffn_gamma[(num_filters*64)] norm@1527 ffn_norm@1527 ffn@1530 mixer@1532",
    "weight[text_config.hidden_size,acoustic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,semantic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "acoustic_linear_1@1534 acoustic_norm@332 acoustic_linear_2@220 semantic_linear_1@1535 semantic_norm@332 "
    "semantic_linear_2@220", "weight[diffusion_head_config.hidden_size,diffusion_head_config.hidden_size]",
    "weight[diffusion_head_config.intermediate_size,diffusion_head_config.hidden_size] "
    "bias[diffusion_head_config.intermediate_size]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num_attention_heads"
    ")),vision_config.hidden_size] bias[(vision_config.num_attention_heads*(vision_config.intermediate_size/visio"
    "n_config.num_attention_heads))]?0", "q_proj@61 k_proj@61 v_proj@61 o_proj@545",
    "attention@1541 layernorm_before@45 layernorm_after@45 mlp@264",
    "projector_layernorm(weight[?] bias[?]) linear_1@1502 linear_2@220",
    "weight[text_config.hidden_size,audio_config.intermediate_size]", "linear_1@1544 linear_2@81",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]",
    "weight[?,text_config.hidden_size]", "linear1@1547 linear2@517",
    "self_attn@937 mlp@331 input_layernorm@332 post_attention_layernorm@332 ada_rms_norm@1548",
    "#{text_config.num_hidden_layers}@1549", "embed_tokens@84 layers@1550 norm@332",
    "weight[text_config.hidden_size,(audio_config.hidden_size*downsample_factor)]", "linear_1@1552 linear_2@81",
    "weight[max_target_positions,d_model]",
    "self_attn@1135 self_attn_layer_norm@131 encoder_attn@1135 encoder_attn_layer_norm@131 fc1@132 fc2@133 "
    "final_layer_norm@131", "#{decoder_layers}@1555",
    "embed_tokens@127 embed_positions@1554 layers@1556 layer_norm@131",
    "conv1@1132 conv2@1133 embed_positions@1134 layers@1137 layer_norm@131",
    "weight[d_model,d_model]?0 bias[d_model]?0", "word_embeddings@0 token_type_embeddings@149 position_embeddings@148",
    "self@151 output@172 self_attn_layer_norm@45", "self@157 output@406 self_attn_layer_norm@159",
    "attention@1561 intermediate@154 output@405 LayerNorm@45 crossattention@1562", "#{num_hidden_layers}@1563",
    "layer@1564 LayerNorm@45", "embeddings@1560 encoder@1565", "summary@1559",
    "weight[(hidden_size/adapter_reduction_factor),hidden_size] bias[(hidden_size/adapter_reduction_factor)]",
    "weight[hidden_size,(hidden_size/adapter_reduction_factor)] bias[hidden_size]", "dense1@1568 dense2@1569",
    "en_XX@1570", "dense@50 LayerNorm@45 adapter_modules@1571 adapter_layer_norm@178",
    "attention@153 intermediate@154 output@1572 crossattention@161", "#{num_hidden_layers}@1573",
    "layer@1574 LayerNorm@159", "embeddings@274 encoder@1575",
}};

constexpr std::array<ClassRow, 947> kClassRows{{
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
     "bert(embeddings@150 encoder@183) qa_classifier(intermediate@154 output@155 qa_outputs@22)", ""},
    {"BigBirdForSequenceClassification", "big_bird", "", "bert", "classifier@184 bert=:BigBirdModel", ""},
    {"BigBirdForTokenClassification", "big_bird", "", "bert", "classifier@22 bert=:BigBirdModel", ""},
    {"BigBirdModel", "big_bird", "big_bird", "bert", "embeddings@150 encoder@183 pooler@47", ""},
    {"BigBirdPegasusForCausalLM", "bigbird_pegasus", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@185 layers@189 layernorm_embedding@131)) lm_head@127", ""},
    {"BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusForQuestionAnswering", "bigbird_pegasus", "", "model", "qa_outputs@139 model=:BigBirdPegasusModel",
     ""},
    {"BigBirdPegasusForSequenceClassification", "bigbird_pegasus", "", "model",
     "classification_head@140 model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusModel", "bigbird_pegasus", "bigbird_pegasus", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@185 layers(#{encoder_layers}(self_attn(self(query@190 "
     "key@190 value@190) output@186) self_attn_layer_norm@131 fc1@141 fc2@142 final_layer_norm@131)) "
     "layernorm_embedding@131) decoder(embed_tokens@138 embed_positions@185 layers@189 layernorm_embedding@131)", ""},
    {"BioGptForCausalLM", "biogpt", "", "biogpt", "output_projection@191 biogpt=:BioGptModel", ""},
    {"BioGptForSequenceClassification", "biogpt", "", "biogpt", "score@21 biogpt=:BioGptModel", ""},
    {"BioGptForTokenClassification", "biogpt", "", "biogpt", "classifier@22 biogpt=:BioGptModel", ""},
    {"BioGptModel", "biogpt", "biogpt", "biogpt",
     "embed_tokens@0 embed_positions@192 layers(#{num_hidden_layers}(self_attn@193 self_attn_layer_norm@45 fc1@49 "
     "fc2@50 final_layer_norm@45)) layer_norm@45", ""},
    {"BitNetForCausalLM", "bitnet", "", "model", "lm_head@0 model=:BitNetModel", ""},
    {"BitNetModel", "bitnet", "bitnet", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "attn_sub_norm(weight[hidden_size])) mlp(gate_proj@65 up_proj@65 down_proj@66 "
     "ffn_sub_norm(weight[intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BlenderbotForCausalLM PegasusForCausalLM", "blenderbot pegasus", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@185 layers@135 layer_norm@131)) lm_head@138", ""},
    {"BlenderbotForConditionalGeneration PegasusForConditionalGeneration", "blenderbot pegasus", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BlenderbotModel", ""},
    {"BlenderbotModel PegasusModel", "blenderbot pegasus", "blenderbot pegasus", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@185 layers@144 layer_norm@131) decoder(embed_tokens@138 "
     "embed_positions@185 layers@135 layer_norm@131)", ""},
    {"BlenderbotSmallForCausalLM", "blenderbot-small", "", "model",
     "model(decoder(embed_tokens@127 embed_positions@185 layers@135 layernorm_embedding@131)) lm_head@138", ""},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "", "model",
     "lm_head@138 final_logits_bias[1,vocab_size]? model=:BlenderbotSmallModel", ""},
    {"BlenderbotSmallModel", "blenderbot-small", "blenderbot-small", "model",
     "shared@127 encoder(embed_tokens@138 embed_positions@185 layers@144 layernorm_embedding@131) "
     "decoder(embed_tokens@138 embed_positions@185 layers@135 layernorm_embedding@131)", ""},
    {"Blip2ForImageTextRetrieval", "blip-2", "", "blip",
     "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@204 embeddings(word_embeddings@205 "
     "position_embeddings@206) vision_projection@207 text_projection@207 "
     "itm_head(weight[2,qformer_config.hidden_size] bias[2]) qformer=qformer_config:Blip2QFormerModel", ""},
    {"Blip2QFormerModel", "blip_2_qformer", "blip_2_qformer", "blip",
     "layernorm@45 encoder(layer(#{num_hidden_layers}(attention(attention@151 output@152) "
     "crossattention(attention(query@156 key@208 value@208) output@160) intermediate_query@154 output_query@155 "
     "intermediate(dense(weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?1)) "
     "output(dense(weight[hidden_size,intermediate_size]?1 bias[hidden_size]?1) LayerNorm@178))))", ""},
    {"BlipForQuestionAnswering", "blip", "", "blip",
     "vision_model@214 text_encoder@233 text_decoder(bert@233 cls(predictions(bias[text_config.vocab_size] "
     "transform@221 decoder(weight[text_config.vocab_size,text_config.hidden_size]? "
     "bias[text_config.vocab_size]?))))", ""},
    {"BlipModel", "blip", "blip", "blip",
     "logit_scale[] text_model(embeddings@217 encoder@232 pooler@234) vision_model@214 "
     "visual_projection(weight[projection_dim,vision_config.hidden_size]) "
     "text_projection(weight[projection_dim,text_config.hidden_size])", ""},
    {"BloomForCausalLM", "bloom", "", "transformer", "lm_head@191 transformer=:BloomModel", ""},
    {"BloomForQuestionAnswering", "bloom", "", "transformer", "qa_outputs@67 transformer=:BloomModel", ""},
    {"BloomForSequenceClassification", "bloom", "", "transformer", "score@21 transformer=:BloomModel", ""},
    {"BloomForTokenClassification", "bloom", "", "transformer", "classifier@22 transformer=:BloomModel", ""},
    {"BloomModel", "bloom", "bloom", "transformer",
     "word_embeddings@0 word_embeddings_layernorm@45 h(#{n_layer}(input_layernorm@45 "
     "self_attention(query_key_value@235 dense@47) post_attention_layernorm@45 mlp(dense_h_to_4h@236 "
     "dense_4h_to_h@237))) ln_f@45", ""},
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
     "token_type_embeddings(weight[text_config.type_vocab_size,text_config.hidden_size]) LayerNorm@216 "
     "position_embeddings@215) encoder(layer(#{text_config.num_hidden_layers}(attention@222 intermediate@227 "
     "output@229 crossattention(self(query@259 key@259 value@259) "
     "output(dense(weight[text_config.hidden_size,text_config.hidden_size]?0 bias[text_config.hidden_size]?0) "
     "LayerNorm(weight[text_config.hidden_size]?0 bias[text_config.hidden_size]?0)))))) pooler@234) "
     "cross_modal_image_layers@261 cross_modal_text_layers@261 cross_modal_image_pooler@172 "
     "cross_modal_text_pooler@172 cross_modal_text_layernorm@45 cross_modal_image_layernorm@45 "
     "cross_modal_text_link_tower@263 cross_modal_image_link_tower@263", ""},
    {"BrosForTokenClassification", "bros", "", "bros", "classifier@22 bros=:BrosModel", "pooler"},
    {"BrosModel", "bros", "bros", "bros",
     "embeddings(word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 "
     "position_ids[?,?]) bbox_embeddings(bbox_projection(weight[dim_bbox_projection,dim_bbox_sinusoid_emb_2d]) "
     "bbox_sinusoid_emb(x_pos_emb(inv_freq[?]) y_pos_emb(inv_freq[?]))) encoder@164 pooler@172", ""},
    {"CLIPTextModel", "clip_text_model", "clip_text_model", "clip",
     "embeddings(token_embedding@0 position_embedding@148) encoder@267 final_layer_norm@45", ""},
    {"CLIPVisionModel", "clip_vision_model", "clip_vision_model", "clip",
     "embeddings(class_embedding[hidden_size] patch_embedding@268 "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@45 encoder@267 post_layernorm@45", ""},
    {"CTRLForSequenceClassification", "ctrl", "", "transformer", "classifier@269 transformer=:CTRLModel", ""},
    {"CTRLLMHeadModel", "ctrl", "", "transformer",
     "lm_head(weight[vocab_size,n_embd]? bias[vocab_size]) transformer=:CTRLModel", ""},
    {"CTRLModel", "ctrl", "ctrl", "transformer",
     "w@270 h(#{n_layer}(multi_head_attention(Wq@271 Wk@271 Wv@271 dense@271) ffn(0(weight[dff,n_embd] bias[dff]) "
     "2(weight[n_embd,dff] bias[n_embd])) layernorm1@272 layernorm2@272)) layernorm@272", ""},
    {"CamembertForCausalLM CamembertForMaskedLM XLMRobertaForCausalLM XLMRobertaForMaskedLM", "camembert xlm-roberta",
     "", "roberta", "lm_head@273 roberta@275", ""},
    {"CamembertForMultipleChoice RobertaForMultipleChoice XLMRobertaForMultipleChoice", "camembert roberta xlm-roberta",
     "", "roberta", "classifier@60 roberta=:CamembertModel", ""},
    {"CamembertForQuestionAnswering XLMRobertaForQuestionAnswering", "camembert xlm-roberta", "", "roberta",
     "qa_outputs@22 roberta@275", ""},
    {"CamembertForSequenceClassification XLMRobertaForSequenceClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@184 roberta@275", ""},
    {"CamembertForTokenClassification XLMRobertaForTokenClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@22 roberta@275", ""},
    {"CamembertModel RobertaModel XLMRobertaModel", "camembert roberta xlm-roberta", "camembert roberta xlm-roberta",
     "roberta", "embeddings@274 encoder@164 pooler@172", ""},
    {"CanaryForConditionalGeneration", "canary", "", "model",
     "proj_out(weight[decoder_config.vocab_size,decoder_config.hidden_size]? bias[decoder_config.vocab_size]) "
     "model=:CanaryModel", "preprocessor\\.featurizer\\..*"},
    {"CanaryModel", "canary", "canary", "model",
     "decoder(embed_tokens(weight[decoder_config.vocab_size,decoder_config.hidden_size]) "
     "layers(#{decoder_config.num_hidden_layers}(self_attn@279 encoder_attn@279 "
     "mlp(fc1(weight[decoder_config.intermediate_size,decoder_config.hidden_size] "
     "bias[decoder_config.intermediate_size]) "
     "fc2(weight[decoder_config.hidden_size,decoder_config.intermediate_size] bias[decoder_config.hidden_size])) "
     "input_layernorm@280 post_attention_layernorm@280 final_layernorm@280)) norm@280 embedding_layernorm@280) "
     "encoder=encoder_config:ParakeetEncoder", "preprocessor\\.featurizer\\..*"},
    {"CodeGenForCausalLM", "codegen", "", "transformer", "lm_head@281 transformer=:CodeGenModel", ""},
    {"CodeGenModel", "codegen", "codegen", "transformer",
     "wte@270 h(#{n_layer}(ln_1@272 attn(qkv_proj(weight[(n_embd*3),n_embd]) out_proj(weight[n_embd,n_embd])) "
     "mlp(fc_in@282 fc_out@283))) ln_f@272", ""},
    {"Cohere2ForCausalLM", "cohere2", "", "model", "lm_head@191 model=:Cohere2Model", ""},
    {"Cohere2Model", "cohere2", "cohere2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@288 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2MoeForCausalLM", "cohere2_moe", "", "model", "lm_head@191 model=:Cohere2MoeModel", ""},
    {"Cohere2MoeModel", "cohere2_moe", "cohere2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@294 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "", "model", "lm_head@98 model=:Cohere2VisionModel", ""},
    {"Cohere2VisionModel", "cohere2_vision", "cohere2_vision", "model",
     "multi_modal_projector(linear_1(weight[alignment_intermediate_size,(vision_config.hidden_size*(downsample_fac"
     "tor*downsample_factor))] bias[alignment_intermediate_size]) "
     "linear_2(weight[text_config.hidden_size,(alignment_intermediate_size/2)] bias[text_config.hidden_size])) "
     "vision_tower=vision_config:SiglipVisionModel language_model=text_config:Cohere2Model", ""},
    {"CohereAsrForConditionalGeneration", "cohere_asr", "", "model",
     "log_softmax(mlp(layer0@295)) model=:CohereAsrModel", "preprocessor\\.featurizer\\..*"},
    {"CohereAsrModel", "cohere_asr", "cohere_asr", "model",
     "encoder(pre_encode(conv(0(weight[encoder_config.subsampling_conv_channels,1,encoder_config.subsampling_conv_"
     "kernel_size,encoder_config.subsampling_conv_kernel_size] bias[encoder_config.subsampling_conv_channels]) "
     "2@296 3@297 5@296 6@297) out(weight[encoder_config.hidden_size,(encoder_config.subsampling_conv_channels*(en"
     "coder_config.num_mel_bins/8))] bias[encoder_config.hidden_size])) "
     "layers(#{encoder_config.num_hidden_layers}(feed_forward1@300 self_attn(pos_bias_u[encoder_config.num_attenti"
     "on_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] pos_bias_v[encoder_config.num_atte"
     "ntion_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] linear_q(weight[(encoder_config"
     ".num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),encoder_config.hidden_"
     "size] bias[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_head"
     "s))]?0) linear_k@301 linear_v@301 linear_out(weight[encoder_config.hidden_size,(encoder_config.num_attention"
     "_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))] bias[encoder_config.hidden_size]?0)"
     " linear_pos@238) " "conv(pointwise_conv1(weight[(2*encoder_config.hidden_size),(encoder_config.hidden_size/1),1] "
     "bias[(2*encoder_config.hidden_size)]) depthwise_conv(weight[encoder_config.hidden_size,(encoder_config.hidde"
     "n_size/encoder_config.hidden_size),encoder_config.conv_kernel_size] bias[encoder_config.hidden_size]) "
     "batch_norm(weight[encoder_config.hidden_size] bias[encoder_config.hidden_size] "
     "running_mean[encoder_config.hidden_size] running_var[encoder_config.hidden_size] num_batches_tracked[]) "
     "pointwise_conv2(weight[encoder_config.hidden_size,(encoder_config.hidden_size/1),1] "
     "bias[encoder_config.hidden_size])) feed_forward2@300 norm_feed_forward1@302 norm_self_att@302 norm_conv@302 "
     "norm_feed_forward2@302 norm_out@302))) transf_decoder(_embedding(token_embedding@0 "
     "position_embedding(pos_enc[max_position_embeddings,hidden_size]) layer_norm@45) "
     "_decoder(layers(#{num_hidden_layers}(first_sub_layer@303 second_sub_layer@303 third_sub_layer(dense_in@49 "
     "dense_out@50) layer_norm_1@45 layer_norm_2@45 layer_norm_3@45)) final_layer_norm@45)) "
     "encoder_decoder_proj(weight[hidden_size,encoder_config.hidden_size] bias[hidden_size])",
     "preprocessor\\.featurizer\\..*"},
    {"CohereForCausalLM", "cohere", "", "model", "lm_head@191 model=:CohereModel", ""},
    {"CohereModel", "cohere", "cohere", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@304 k_proj@305 v_proj@305 o_proj@306 "
     "q_norm(weight[num_attention_heads,(hidden_size/num_attention_heads)]?0) "
     "k_norm(weight[num_key_value_heads,(hidden_size/num_attention_heads)]?0)) mlp@288 "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ColModernVBertForRetrieval", "colmodernvbert", "", "vlm",
     "embedding_proj_layer@307 vlm=vlm_config:ModernVBertModel", ""},
    {"ColPaliForRetrieval", "colpali", "", "vlm", "embedding_proj_layer@307 vlm=vlm_config:PaliGemmaModel", ""},
    {"ColQwen2ForRetrieval", "colqwen2", "", "vlm", "embedding_proj_layer@307 vlm=vlm_config:Qwen2VLModel", ""},
    {"ConvBertForMaskedLM", "convbert", "", "convbert",
     "generator_predictions@308 generator_lm_head@309 convbert=:ConvBertModel", ""},
    {"ConvBertForMultipleChoice", "convbert", "", "convbert", "classifier@60 convbert=:ConvBertModel", ""},
    {"ConvBertForQuestionAnswering", "convbert", "", "convbert", "qa_outputs@22 convbert=:ConvBertModel", ""},
    {"ConvBertForSequenceClassification", "convbert", "", "convbert", "classifier@184 convbert=:ConvBertModel", ""},
    {"ConvBertForTokenClassification", "convbert", "", "convbert", "classifier@22 convbert=:ConvBertModel", ""},
    {"ConvBertModel", "convbert", "convbert", "convbert",
     "embeddings@43 encoder(layer(#{num_hidden_layers}(attention(self(query@310 key@310 value@310 key_conv_attn_la"
     "yer(bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1] "
     "depthwise@311 pointwise(weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_rat"
     "io))/2)),(hidden_size/1),1])) conv_kernel_layer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),("
     "(num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))] "
     "bias[((num_attention_heads/head_ratio)*conv_kernel_size)]) conv_out_layer@310) output@152) intermediate@154 "
     "output@155 crossattention(self(query@312 key@312 value@312 key_conv_attn_layer(bias[((num_attention_heads/he"
     "ad_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1]?0 "
     "depthwise(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]?0) pointwise(weight[((num_attention"
     "_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),(hidden_size/1),1]?0)) conv_kernel_la"
     "yer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),((num_attention_heads/head_ratio)*((hidden_si"
     "ze/(num_attention_heads/head_ratio))/2))]?0 bias[((num_attention_heads/head_ratio)*conv_kernel_size)]?0) "
     "conv_out_layer@312) output@160))))", ""},
    {"Cosmos3OmniForConditionalGeneration", "cosmos3_omni", "", "model",
     "patch_embed@314 pos_embed@315 blocks@320 merger(norm@78 linear_fc1@321 linear_fc2@322) "
     "deepstack_merger_list(#{}(norm@323 linear_fc1@321 linear_fc2@322)) embed_tokens@84 layers@334 norm@332 "
     "lm_head@84",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"Cosmos3OmniModel", "cosmos3_omni", "cosmos3_omni", "model",
     "language_model(embed_tokens@84 layers@334 norm@332) visual=vision_config:Qwen3VLMoeVisionModel",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"CpmAntForCausalLM", "cpmant", "", "cpmant", "lm_head@0 cpmant=:CpmAntModel", ""},
    {"CpmAntModel", "cpmant", "cpmant", "cpmant",
     "encoder(layers(#{num_hidden_layers}(self_att(layernorm_before_attention(weight[hidden_size]) "
     "self_attention(project_q@335 project_k@335 project_v@335 "
     "attention_out(weight[hidden_size,(num_attention_heads*dim_head)]))) "
     "ffn(layernorm_before_ffn(weight[hidden_size]) ffn(w_in(w_0@336 w_1@336) "
     "w_out(weight[hidden_size,dim_ff]))))) output_layernorm(weight[hidden_size])) "
     "segment_embedding(weight[segment_types,hidden_size]) "
     "input_embedding(weight[(vocab_size+(prompt_types*prompt_length)),hidden_size]) position_bias(relative_attent"
     "ion_bias[((segment_types*segment_types)+position_bias_num_buckets),num_attention_heads])", ""},
    {"CwmForCausalLM", "cwm", "", "model", "lm_head@0 model=:CwmModel", ""},
    {"CwmModel", "cwm", "cwm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@339 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DPRQuestionEncoder", "dpr", "dpr", "question_encoder", "question_encoder(bert_model@165)", ""},
    {"Data2VecTextForCausalLM Data2VecTextForMaskedLM", "data2vec-text", "", "data2vec_text",
     "data2vec_text@275 lm_head@273", ""},
    {"Data2VecTextForMultipleChoice", "data2vec-text", "", "data2vec_text",
     "classifier@60 data2vec_text=:Data2VecTextModel", ""},
    {"Data2VecTextForQuestionAnswering", "data2vec-text", "", "data2vec_text", "data2vec_text@275 qa_outputs@22", ""},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@275 classifier@184",
     ""},
    {"Data2VecTextForTokenClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@275 classifier@22", ""},
    {"Data2VecTextModel", "data2vec-text", "data2vec-text", "data2vec_text", "embeddings@274 encoder@164 pooler@172",
     ""},
    {"DebertaForMaskedLM", "deberta", "", "deberta", "cls@341 lm_predictions@343 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForQuestionAnswering", "deberta", "", "deberta", "qa_outputs@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForSequenceClassification", "deberta", "", "deberta", "pooler@345 classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForTokenClassification", "deberta", "", "deberta", "classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaModel", "deberta", "deberta", "deberta",
     "embeddings(word_embeddings@0 position_embeddings@346 LayerNorm@45) encoder(layer(#{num_hidden_layers}(attent"
     "ion(self(q_bias[(num_attention_heads*(hidden_size/num_attention_heads))] "
     "v_bias[(num_attention_heads*(hidden_size/num_attention_heads))] "
     "in_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size])) output@152) "
     "intermediate@154 output@155)) rel_embeddings(weight[(max_position_embeddings*2),hidden_size]?))",
     "position_embeddings"},
    {"DebertaV2ForMaskedLM", "deberta-v2", "", "deberta", "cls@341 lm_predictions@343 deberta=:DebertaV2Model",
     "mask_predictions.* position_embeddings"},
    {"DebertaV2ForMultipleChoice", "deberta-v2", "", "deberta", "pooler@345 classifier@60 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForQuestionAnswering", "deberta-v2", "", "deberta", "qa_outputs@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForSequenceClassification", "deberta-v2", "", "deberta",
     "pooler@345 classifier@22 deberta=:DebertaV2Model", "position_embeddings"},
    {"DebertaV2ForTokenClassification", "deberta-v2", "", "deberta", "classifier@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2Model", "deberta-v2", "deberta-v2", "deberta",
     "embeddings(word_embeddings@0 position_embeddings@346 LayerNorm@45 "
     "token_type_embeddings(weight[type_vocab_size,hidden_size]?)) "
     "encoder(layer(#{num_hidden_layers}(attention(self(query_proj@46 key_proj@46 value_proj@46) output@152) "
     "intermediate@154 output@155)) rel_embeddings@347 LayerNorm@159)", "position_embeddings"},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "", "model", "lm_head@0 model=:DeepseekV2Model", ""},
    {"DeepseekV2ForSequenceClassification", "deepseek_v2", "", "model", "score@21 model=:DeepseekV2Model", ""},
    {"DeepseekV2Model", "deepseek_v2", "deepseek_v2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size]?5 "
     "bias[q_lora_rank]?4) q_a_layernorm(weight[q_lora_rank]?5) "
     "q_b_proj(weight[(num_attention_heads*(qk_nope_head_dim+qk_rope_head_dim)),q_lora_rank]?5) "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?4) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?4) q_proj@348) "
     "mlp(gate_proj@349 up_proj@349 down_proj@350 "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?2=a #{n_routed_experts}@11 "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?2=b) "
     "gate(weight[n_routed_experts,hidden_size]?2) shared_experts(gate_proj@351 up_proj@351 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?2 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"DeepseekV32ForCausalLM", "deepseek_v32", "", "model", "lm_head@0 model=:DeepseekV32Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV32Model", "deepseek_v32", "deepseek_v32", "model", "embed_tokens@0 layers@354 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "", "model", "lm_head@0 model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForSequenceClassification", "deepseek_v3", "", "model", "score@21 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForTokenClassification", "deepseek_v3", "", "model", "score@22 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3Model", "deepseek_v3", "deepseek_v3", "model", "embed_tokens@0 layers@359 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "", "model",
     "model(embed_tokens@0 layers(#{num_hidden_layers}(attn(attn_sink[num_attention_heads] wq_a@360 "
     "q_norm(weight[q_lora_rank]) wq_b@361 wkv@362 norm(weight[head_dim]) wo_a@363 wo_b@364 compressor(ape[?,?]?1 "
     "wkv@365 wgate@365 norm(weight[head_dim]?1)) indexer(compressor(ape[?,(2*index_head_dim)]?2 wkv@366 wgate@366"
     " norm(weight[index_head_dim]?2)) wq_b@367 weights_proj@368)) ffn(gate(weight[n_routed_experts,hidden_size] "
     "tid2eid[vocab_size,num_experts_per_tok]?! bias[n_routed_experts]?!) experts@370 shared_experts@373) mlp@375 "
     "attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
     " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]))"
     " norm(weight[hidden_size]) hc_head(hc_fn[hc_mult,(hc_mult*hidden_size)] hc_base[hc_mult] hc_scale[1])) " "head@0",
     "(^|\\.)mtp\\..*"},
    {"DeepseekV4Model", "deepseek_v4", "deepseek_v4", "model",
     "embed@0 layers(#{num_hidden_layers}(attn(attn_sink[num_attention_heads] wq_a@360 q_norm(weight[q_lora_rank])"
     " wq_b@361 wkv@362 norm(weight[head_dim]) wo_a@363 wo_b@364 compressor(ape[?,?] wkv(weight[?,hidden_size]) "
     "wgate(weight[?,hidden_size]) norm(weight[head_dim])) indexer(compressor(ape[?,(2*index_head_dim)]?1 wkv@376 "
     "wgate@376 norm(weight[index_head_dim]?1)) wq_b(weight[(index_n_heads*index_head_dim),q_lora_rank]?1) "
     "weights_proj(weight[index_n_heads,hidden_size]?1))) ffn(gate(weight[n_routed_experts,hidden_size] "
     "tid2eid[vocab_size,num_experts_per_tok]? bias[n_routed_experts]?) experts@370 shared_experts@373) mlp@375 "
     "attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
     " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]))"
     " norm(weight[hidden_size]) hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
     "(^|\\.)mtp\\..*"},
    {"DeepseekVLForConditionalGeneration", "deepseek_vl", "", "model", "lm_head@98 model=:DeepseekVLModel", ""},
    {"DeepseekVLHybridForConditionalGeneration", "deepseek_vl_hybrid", "", "model",
     "lm_head@98 model=:DeepseekVLHybridModel", ""},
    {"DeepseekVLHybridModel", "deepseek_vl_hybrid", "deepseek_vl_hybrid", "model",
     "high_res_vision_alpha[1] high_res_vision_neck(conv1(weight[high_res_vision_config.output_channels,(high_res_"
     "vision_config.hidden_size/1),1,1]) layer_norm1@377 "
     "conv2(weight[high_res_vision_config.output_channels,(high_res_vision_config.output_channels/1),?,?]) "
     "layer_norm2@377) high_res_vision_proj(conv1(weight[(high_res_vision_config.output_channels*2),(high_res_visi"
     "on_config.output_channels/1),?,?]) conv2(weight[(high_res_vision_config.output_channels*4),((high_res_vision"
     "_config.output_channels*2)/1),?,?])) "
     "aligner(vision_proj(weight[(text_config.hidden_size/2),vision_config.hidden_size] "
     "bias[(text_config.hidden_size/2)]) "
     "high_res_vision_proj(weight[(text_config.hidden_size/2),(high_res_vision_config.output_channels*4)] "
     "bias[(text_config.hidden_size/2)]) proj@220) high_res_vision_model=high_res_vision_config:SamVisionModel "
     "vision_model=vision_config:SiglipVisionModel language_model=text_config:EuroBertModel", ""},
    {"DeepseekVLModel", "deepseek_vl", "deepseek_vl", "model",
     "aligner(linear1@378 linear2@220) vision_model=vision_config:SiglipVisionModel "
     "language_model=text_config:EuroBertModel", ""},
    {"DiffLlamaForCausalLM", "diffllama", "", "model", "lm_head@0 model=:DiffLlamaModel", ""},
    {"DiffLlamaForQuestionAnswering", "diffllama", "", "transformer", "qa_outputs@67 transformer=:DiffLlamaModel", ""},
    {"DiffLlamaForSequenceClassification", "diffllama", "", "model", "score@21 model=:DiffLlamaModel", ""},
    {"DiffLlamaForTokenClassification", "diffllama", "", "model", "score@22 model=:DiffLlamaModel", ""},
    {"DiffLlamaModel", "diffllama", "diffllama", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(lambda_q1[?] lambda_k1[?] lambda_q2[?] lambda_k2[?] "
     "q_proj@284 k_proj@285 v_proj@285 o_proj@286) mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DistilBertForMaskedLM", "distilbert", "", "distilbert",
     "vocab_transform@379 vocab_layer_norm(weight[dim] bias[dim]) vocab_projector(weight[vocab_size,dim]? "
     "bias[vocab_size]) distilbert=:DistilBertModel", ""},
    {"DistilBertForMultipleChoice", "distilbert", "", "distilbert",
     "pre_classifier@379 classifier(weight[1,dim] bias[1]) distilbert=:DistilBertModel", ""},
    {"DistilBertForQuestionAnswering", "distilbert", "", "distilbert", "qa_outputs@380 distilbert=:DistilBertModel", ""},
    {"DistilBertForSequenceClassification", "distilbert", "", "distilbert",
     "pre_classifier@379 classifier@380 distilbert=:DistilBertModel", ""},
    {"DistilBertForTokenClassification", "distilbert", "", "distilbert", "classifier@380 distilbert=:DistilBertModel",
     ""},
    {"DistilBertModel", "distilbert", "distilbert", "distilbert",
     "embeddings(word_embeddings(weight[vocab_size,dim]) position_embeddings(weight[max_position_embeddings,dim]) "
     "LayerNorm(weight[dim] bias[dim])) transformer(layer(#{n_layers}(attention(q_lin@379 k_lin@379 v_lin@379 "
     "out_lin@379) sa_layer_norm(weight[dim] bias[dim]) ffn(lin1(weight[hidden_dim,dim] bias[hidden_dim]) "
     "lin2(weight[dim,hidden_dim] bias[dim])) output_layer_norm(weight[dim] bias[dim]))))", ""},
    {"DogeForCausalLM", "doge", "", "model", "lm_head@0 model=:DogeModel", ""},
    {"DogeForSequenceClassification", "doge", "", "model", "score@21 model=:DogeModel", ""},
    {"DogeModel", "doge", "doge", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_residual[hidden_size] post_attention_residual[hidden_size] "
     "input_layernorm(weight[hidden_size]) self_attn(A[num_key_value_heads] q_proj@381 k_proj@382 v_proj@382 "
     "dt_proj(weight[num_key_value_heads,(num_key_value_heads*(hidden_size/num_attention_heads))] "
     "bias[num_key_value_heads]?2) o_proj@383 q_norm@64 k_norm@64) post_attention_layernorm(weight[hidden_size]) "
     "mlp(gate_proj@384 up_proj@384 down_proj@385 router_gate(weight[?,hidden_size]?0) down_embed@386 "
     "up_embed@386))) norm(weight[hidden_size])", ""},
    {"ElectraForCausalLM ElectraForMaskedLM", "electra", "", "electra",
     "generator_predictions@308 generator_lm_head@309 electra=:ElectraModel", ""},
    {"ElectraForMultipleChoice", "electra", "", "electra",
     "sequence_summary(summary@158) classifier@60 electra=:ElectraModel", ""},
    {"ElectraForPreTraining", "electra", "", "electra",
     "discriminator_predictions(dense@47 dense_prediction@60) electra=:ElectraModel", ""},
    {"ElectraForQuestionAnswering", "electra", "", "electra", "qa_outputs@22 electra=:ElectraModel", ""},
    {"ElectraForSequenceClassification", "electra", "", "electra", "classifier@184 electra=:ElectraModel", ""},
    {"ElectraForTokenClassification", "electra", "", "electra", "classifier@22 electra=:ElectraModel", ""},
    {"ElectraModel", "electra", "electra", "electra",
     "embeddings@43 encoder@164 embeddings_project(weight[hidden_size,embedding_size]?0 bias[hidden_size]?0)", ""},
    {"EmbeddingGemma2Model", "embedding_gemma2", "embedding_gemma2", "model",
     "language_model=text_config:EmbeddingGemma2TextModel",
     "(^|\\.)audio_tower\\. (^|\\.)embed_audio\\. (^|\\.)embed_vision\\. (^|\\.)vision_tower\\."},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", "embedding_gemma2_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@387 k_proj@387 v_proj@387 o_proj@388 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) ple_block(per_layer_input_gate@389 per_layer_projection@390 "
     "post_per_layer_input_norm(weight[hidden_size])) layer_scalar[1])) norm(weight[hidden_size]) "
     "ple(per_layer_model_projection@391 per_layer_projection_norm@392) "
     "embedding_projection(weight[embedding_dim,hidden_size])", ""},
    {"Emu3ForCausalLM", "emu3_text_model", "", "model", "lm_head@0 model=:Emu3TextModel", ""},
    {"Emu3TextModel", "emu3_text_model", "", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@396 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "", "model", "lm_head@191 model=:Ernie4_5Model", ""},
    {"Ernie4_5Model", "ernie4_5", "ernie4_5", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "", "model", "lm_head@166 model=:Ernie4_5_MoeModel", "mtp"},
    {"Ernie4_5_MoeModel", "ernie4_5_moe", "ernie4_5_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_att"
     "ention_heads)),hidden_size] bias[(num_attention_heads*(hidden_size/num_attention_heads))]?4) k_proj@397 "
     "v_proj@397 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] "
     "bias[hidden_size]?4)) mlp(gate_proj@349 up_proj@349 down_proj@350 "
     "gate(weight[moe_num_experts,hidden_size]?2) moe_statics(e_score_correction_bias[1,moe_num_experts]?2) "
     "experts(gate_up_proj[moe_num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{moe_num_experts}@11 "
     "down_proj[moe_num_experts,hidden_size,moe_intermediate_size]?2=b) shared_experts(gate_proj@398 up_proj@398 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*moe_num_shared_experts)]?2 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "mtp"},
    {"ErnieForCausalLM ErnieForMaskedLM", "ernie", "", "ernie", "ernie@401 cls@168", ""},
    {"ErnieForMultipleChoice", "ernie", "", "ernie", "classifier@60 ernie=:ErnieModel", ""},
    {"ErnieForNextSentencePrediction", "ernie", "", "ernie", "cls@169 ernie=:ErnieModel", ""},
    {"ErnieForPreTraining", "ernie", "", "ernie", "cls@170 ernie=:ErnieModel", ""},
    {"ErnieForQuestionAnswering", "ernie", "", "ernie", "ernie@401 qa_outputs@22", ""},
    {"ErnieForSequenceClassification", "ernie", "", "ernie", "classifier@22 ernie=:ErnieModel", ""},
    {"ErnieForTokenClassification", "ernie", "", "ernie", "ernie@401 classifier@22", ""},
    {"ErnieModel", "ernie", "ernie", "ernie", "embeddings@400 encoder@164 pooler@172", ""},
    {"EsmForMaskedLM", "esm", "", "esm", "esm@417 lm_head(bias[vocab_size] dense@47 layer_norm@45 decoder@191)",
     "position_embeddings.weight"},
    {"EsmForSequenceClassification", "esm", "", "esm", "esm@417 classifier@184", "position_embeddings.weight"},
    {"EsmForTokenClassification", "esm", "", "esm", "esm@417 classifier@22", "position_embeddings.weight"},
    {"EsmModel", "esm", "esm", "esm", "embeddings@402 encoder@414 pooler@172 contact_head@416",
     "position_embeddings.weight"},
    {"EuroBertForMaskedLM", "eurobert", "", "model", "lm_head@418 model=:EuroBertModel", ""},
    {"EuroBertForSequenceClassification", "eurobert", "", "model", "dense@47 classifier@22 model=:EuroBertModel", ""},
    {"EuroBertForTokenClassification", "eurobert", "", "model", "classifier@22 model=:EuroBertModel", ""},
    {"EuroBertModel LlamaModel UltrabertModel", "eurobert llama ultrabert",
     "eurobert internlm3 iquestcoder llama ultrabert", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@71 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"EvollaForProteinText2Text", "evolla", "", "model", "lm_head@0 model=:EvollaModel", ""},
    {"EvollaModel", "evolla", "evolla", "model",
     "embed_tokens@0 protein_encoder(model(embeddings(word_embeddings(weight[protein_encoder_config.vocab_size,pro"
     "tein_encoder_config.hidden_size]) layer_norm@419) "
     "encoder(layer(#{protein_encoder_config.num_hidden_layers}(attention(self(query@420 key@420 value@420) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@421) "
     "intermediate(dense(weight[protein_encoder_config.intermediate_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.intermediate_size])) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.intermediate_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@421 crossattention(self(query@422 key@422 value@422) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size]?0 "
     "bias[protein_encoder_config.hidden_size]?0)) LayerNorm@419))) emb_layer_norm_after@421) "
     "rotary_embeddings(inv_freq[?])) "
     "sequence_compressor_resampler(latents[resampler_num_latents,protein_encoder_config.hidden_size] layers(0@430"
     " 1@430 2@430 3@430 4@430 5@430) norm@45 "
     "protein_projector(weight[hidden_size,protein_encoder_config.hidden_size] bias[hidden_size]))) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@381 k_proj@382 v_proj@382 o_proj@383) mlp(gate_proj@384 "
     "up_proj@384 down_proj@385) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) adapter(gate_attention[?]?0 gate_ffw[?]?0 query@156 "
     "key_protein@156 value_protein@156 attention_norm(weight[hidden_size]?0) "
     "out_proj(weight[hidden_size,hidden_size]?0 bias[hidden_size]?) ff(norm@159 "
     "fc1(weight[(hidden_size*aligner_ffn_mult),hidden_size]?0) "
     "fc2(weight[hidden_size,(hidden_size*aligner_ffn_mult)]?0))))) norm(weight[hidden_size])", ""},
    {"Exaone4ForCausalLM", "exaone4", "", "model", "lm_head@0 model=:Exaone4Model", ""},
    {"Exaone4ForQuestionAnswering", "exaone4", "", "transformer", "qa_outputs@67 transformer=:Exaone4Model", ""},
    {"Exaone4ForSequenceClassification", "exaone4", "", "model", "score@21 model=:Exaone4Model", ""},
    {"Exaone4ForTokenClassification", "exaone4", "", "model", "score@22 model=:Exaone4Model", ""},
    {"Exaone4Model", "exaone4", "exaone4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) "
     "k_proj(weight[?,hidden_size]) v_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) q_norm(weight[?]) "
     "k_norm(weight[?])) mlp@288 post_attention_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Exaone4_5_ForConditionalGeneration", "exaone4_5", "", "model", "lm_head@84 model=:Exaone4_5_Model", "mtp.*"},
    {"Exaone4_5_Model", "exaone4_5", "exaone4_5", "model",
     "visual=vision_config:Exaone4_5_VisionModel language_model=text_config:Exaone4Model", "mtp.*"},
    {"Exaone4_5_VisionModel", "exaone4_5_vision", "exaone4_5_vision", "model",
     "patch_embed@432 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(proj@47 qkv(weigh"
     "t[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2)),hidden_size] "
     "bias[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2))])) mlp@433)) "
     "merger@437", "mtp.*"},
    {"ExaoneMoeForCausalLM", "exaone_moe", "", "model", "lm_head@0 model=:ExaoneMoeModel", "mtp.*"},
    {"ExaoneMoeModel", "exaone_moe", "exaone_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@393 k_proj@394 v_proj@394 o_proj@395 q_norm@64 "
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
    {"FalconForCausalLM", "falcon", "", "transformer", "lm_head@191 transformer=:FalconModel", ""},
    {"FalconForQuestionAnswering", "falcon", "", "transformer", "qa_outputs@67 transformer=:FalconModel", ""},
    {"FalconForSequenceClassification", "falcon", "", "transformer", "score@21 transformer=:FalconModel", ""},
    {"FalconForTokenClassification", "falcon", "", "transformer", "classifier@22 transformer=:FalconModel", ""},
    {"FalconH1ForCausalLM", "falcon_h1", "", "model", "lm_head@0 model=:FalconH1Model", ""},
    {"FalconH1Model", "falcon_h1", "falcon_h1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@117 mamba(dt_bias[mamba_n_heads] "
     "A_log[mamba_n_heads] D[mamba_n_heads] conv1d(weight[?,?,mamba_d_conv] bias[?]?!) "
     "in_proj(weight[?,hidden_size] "
     "bias[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads)]?!) "
     "out_proj(weight[hidden_size,?] bias[hidden_size]?!) norm(weight[mamba_d_ssm]?!)) self_attn@438 "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"FalconMambaForCausalLM MambaForCausalLM", "falcon_mamba mamba", "", "backbone",
     "lm_head@191 backbone=:FalconMambaModel", ""},
    {"FalconMambaModel MambaModel", "falcon_mamba mamba", "falcon_mamba mamba", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(A_log[intermediate_size,state_size]"
     " D[intermediate_size] conv1d(weight[intermediate_size,(intermediate_size/intermediate_size),conv_kernel] "
     "bias[intermediate_size]?!) in_proj(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?0) "
     "x_proj(weight[(time_step_rank+(state_size*2)),intermediate_size]) "
     "dt_proj(weight[intermediate_size,time_step_rank] bias[intermediate_size]) out_proj@73))) "
     "norm_f(weight[hidden_size])", ""},
    {"FalconModel", "falcon", "falcon", "transformer",
     "word_embeddings@0 h(#{num_hidden_layers}(self_attention(query_key_value@439 "
     "dense(weight[hidden_size,hidden_size] bias[hidden_size]?2)) "
     "mlp(dense_h_to_4h(weight[ffn_hidden_size,hidden_size] bias[ffn_hidden_size]?2) "
     "dense_4h_to_h(weight[hidden_size,ffn_hidden_size] bias[hidden_size]?2)) input_layernorm@159 ln_attn@178 "
     "ln_mlp@178 post_attention_layernorm(weight[hidden_size]?3 bias[hidden_size]?3))) ln_f@45", ""},
    {"FlaubertForMultipleChoice XLMForMultipleChoice", "flaubert xlm", "", "transformer",
     "sequence_summary@441 logits_proj(weight[1,num_labels] bias[1]) transformer=:FlaubertModel", ""},
    {"FlaubertForQuestionAnsweringSimple XLMForQuestionAnsweringSimple", "flaubert xlm", "", "transformer",
     "qa_outputs@442 transformer=:FlaubertModel", ""},
    {"FlaubertForSequenceClassification XLMForSequenceClassification", "flaubert xlm", "", "transformer",
     "sequence_summary@441 transformer=:FlaubertModel", ""},
    {"FlaubertForTokenClassification XLMForTokenClassification", "flaubert xlm", "", "transformer",
     "classifier@442 transformer=:FlaubertModel", ""},
    {"FlaubertModel XLMModel", "flaubert xlm", "flaubert xlm", "transformer",
     "position_embeddings(weight[max_position_embeddings,emb_dim]) embeddings(weight[vocab_size,emb_dim]) "
     "layer_norm_emb@443 attentions(#{}(q_lin@444 k_lin@444 v_lin@444 out_lin@444)) layer_norm1@445 "
     "ffns(#{}(lin1(weight[(emb_dim*4),emb_dim] bias[(emb_dim*4)]) lin2(weight[emb_dim,(emb_dim*4)] "
     "bias[emb_dim]))) layer_norm2@445", ""},
    {"FlaubertWithLMHeadModel XLMWithLMHeadModel", "flaubert xlm", "", "transformer",
     "pred_layer(proj(weight[vocab_size,emb_dim]? bias[vocab_size])) transformer=:FlaubertModel", ""},
    {"FlexOlmoForCausalLM", "flex_olmo", "", "model", "lm_head@0 model=:FlexOlmoModel", ""},
    {"FlexOlmoModel", "flex_olmo", "flex_olmo", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@448 mlp@294 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"FlintForCausalLM", "flint", "", "model", "lm_head@0 model=:FlintModel", ""},
    {"FlintModel", "flint", "flint", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(softmax_offset[num_attention_heads] q_proj@30 k_proj@31"
     " v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts@38 gate@34 shared_expert@451) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"FunnelBaseModel", "funnel", "funnel", "funnel", "embeddings@452 encoder@463", ""},
    {"FunnelForMaskedLM", "funnel", "", "funnel", "lm_head@464 funnel=:FunnelModel", ""},
    {"FunnelForMultipleChoice", "funnel", "", "funnel",
     "classifier(linear_hidden@129 linear_out@465) funnel=:FunnelBaseModel", ""},
    {"FunnelForPreTraining", "funnel", "", "funnel",
     "discriminator_predictions(dense@129 dense_prediction@465) funnel=:FunnelModel", ""},
    {"FunnelForQuestionAnswering", "funnel", "", "funnel", "qa_outputs@139 funnel=:FunnelModel", ""},
    {"FunnelForSequenceClassification", "funnel", "", "funnel",
     "classifier(linear_hidden@129 linear_out@139) funnel=:FunnelBaseModel", ""},
    {"FunnelForTokenClassification", "funnel", "", "funnel", "classifier@139 funnel=:FunnelModel", ""},
    {"FunnelModel", "funnel", "funnel", "funnel",
     "embeddings@452 encoder@463 decoder(layers(#{num_decoder_layers}@460))", ""},
    {"FuyuForCausalLM", "fuyu", "", "model",
     "vision_embed_tokens@466 language_model(lm_head@84 model=text_config:PersimmonModel)", ""},
    {"FuyuModel", "fuyu", "fuyu", "model", "vision_embed_tokens@466 language_model(model=text_config:PersimmonModel)",
     ""},
    {"GPT2ForQuestionAnswering", "gpt2", "", "transformer",
     "qa_outputs(weight[2,n_embd] bias[2]) transformer=:GPT2Model", "attn.bias crossattention.bias"},
    {"GPT2ForSequenceClassification", "gpt2", "", "transformer", "score@269 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForTokenClassification", "gpt2", "", "transformer", "classifier@467 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2LMHeadModel", "gpt2", "", "transformer", "lm_head@468 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2Model", "gpt2", "gpt-sw3 gpt2", "transformer",
     "wte@270 wpe@469 h(#{n_layer}(ln_1@272 attn@471 ln_2@272 mlp(c_fc(weight[n_embd,?] bias[?]) "
     "c_proj(weight[?,n_embd] bias[n_embd])) crossattention@474 ln_cross_attn(weight[n_embd]?0 bias[n_embd]?0))) "
     "ln_f@272", "attn.bias crossattention.bias"},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", "", "transformer", "lm_head@468 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForSequenceClassification", "gpt_bigcode", "", "transformer", "score@269 transformer=:GPTBigCodeModel",
     ""},
    {"GPTBigCodeForTokenClassification", "gpt_bigcode", "", "transformer",
     "classifier@467 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeModel", "gpt_bigcode", "gpt_bigcode", "transformer",
     "wte@270 wpe@469 h(#{n_layer}(ln_1@272 attn(c_attn@475 c_proj@271) ln_2@272 mlp(c_fc@282 c_proj@283))) "
     "ln_f@272", ""},
    {"GPTJForCausalLM", "gptj", "", "transformer", "lm_head@281 transformer=:GPTJModel", ""},
    {"GPTJForQuestionAnswering", "gptj", "", "transformer", "qa_outputs@467 transformer=:GPTJModel", ""},
    {"GPTJForSequenceClassification", "gptj", "", "transformer", "score@269 transformer=:GPTJModel", ""},
    {"GPTJModel", "gptj", "gptj", "transformer",
     "wte@270 h(#{n_layer}(ln_1@272 attn(k_proj(weight[n_embd,n_embd]) v_proj(weight[n_embd,n_embd]) "
     "q_proj(weight[n_embd,n_embd]) out_proj(weight[n_embd,n_embd])) mlp(fc_in@475 fc_out(weight[n_embd,?] "
     "bias[n_embd])))) ln_f@272", ""},
    {"GPTNeoForCausalLM", "gpt_neo", "", "transformer", "lm_head@191 transformer=:GPTNeoModel", ""},
    {"GPTNeoForQuestionAnswering", "gpt_neo", "", "transformer", "qa_outputs@67 transformer=:GPTNeoModel", ""},
    {"GPTNeoForSequenceClassification", "gpt_neo", "", "transformer", "score@21 transformer=:GPTNeoModel", ""},
    {"GPTNeoForTokenClassification", "gpt_neo", "", "transformer", "classifier@22 transformer=:GPTNeoModel", ""},
    {"GPTNeoModel", "gpt_neo", "gpt_neo", "transformer",
     "wte@0 wpe@148 h(#{num_layers}(ln_1@45 attn(attention(k_proj@88 v_proj@88 q_proj@88 out_proj@47)) ln_2@45 "
     "mlp(c_fc@236 c_proj@237))) ln_f@45", ""},
    {"GPTNeoXForCausalLM", "gpt_neox", "", "gpt_neox", "embed_out@0 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForQuestionAnswering", "gpt_neox", "", "gpt_neox", "qa_outputs@67 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForSequenceClassification", "gpt_neox", "", "gpt_neox", "score@21 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForTokenClassification", "gpt_neox", "", "gpt_neox", "classifier@22 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXJapaneseForCausalLM", "gpt_neox_japanese", "", "gpt_neox_japanese",
     "embed_out@191 gpt_neox_japanese=:GPTNeoXJapaneseModel", ""},
    {"GPTNeoXJapaneseModel", "gpt_neox_japanese", "gpt_neox_japanese", "gpt_neox_japanese",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size]) dense@88 dense_bias[hidden_size]?) "
     "mlp(dense_h_to_4h(weight[(hidden_size*intermediate_multiple_size),hidden_size]) "
     "dense_4h_to_h(weight[hidden_size,(hidden_size*intermediate_multiple_size)])))) final_layer_norm@45", ""},
    {"GPTNeoXModel", "gpt_neox", "gpt_neox", "gpt_neox",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]?0) dense@476) mlp@477)) "
     "final_layer_norm@45", "attention.bias attention.masked_bias"},
    {"Gemma2ForCausalLM", "gemma2", "", "model", "lm_head@191 model=:Gemma2Model", ""},
    {"Gemma2ForSequenceClassification", "gemma2", "", "model", "score@21 model=:Gemma2Model", ""},
    {"Gemma2ForTokenClassification", "gemma2", "", "model", "score@22 model=:Gemma2Model", ""},
    {"Gemma2Model", "gemma2", "gemma2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3ForCausalLM", "gemma3_text", "", "model", "lm_head@191 model=:Gemma3TextModel", ""},
    {"Gemma3ForConditionalGeneration", "gemma3", "", "model",
     "multi_modal_projector@479 language_model(lm_head@98 model=text_config:Gemma3TextModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"Gemma3ForSequenceClassification", "gemma3", "", "model",
     "multi_modal_projector@479 score@480 vision_tower=vision_config:SiglipVisionModel language_model@481", ""},
    {"Gemma3Model", "gemma3", "gemma3", "model",
     "multi_modal_projector@479 vision_tower=vision_config:SiglipVisionModel language_model@481", ""},
    {"Gemma3TextForSequenceClassification", "gemma3_text", "", "model", "score@21 model=:Gemma3TextModel", ""},
    {"Gemma3TextModel", "gemma3_text", "gemma3_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@482 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3nForCausalLM", "gemma3n_text", "", "model", "lm_head@191 model=:Gemma3nTextModel", ""},
    {"Gemma3nTextModel", "gemma3n_text", "gemma3n_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 q_norm(weight[head_dim]) k_proj@483 "
     "v_proj@483 k_norm(weight[head_dim]?0) o_proj@70) mlp@484 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) altup(correct_output_scale[hidden_size] "
     "correction_coefs(weight[altup_num_inputs,altup_num_inputs]) "
     "prediction_coefs(weight[(altup_num_inputs*altup_num_inputs),altup_num_inputs]) "
     "modality_router(weight[altup_num_inputs,hidden_size]) router_norm(weight[hidden_size])) "
     "laurel(linear_left(weight[laurel_rank,hidden_size]) linear_right(weight[hidden_size,laurel_rank]) "
     "post_laurel_norm(weight[hidden_size])) per_layer_input_gate@389 per_layer_projection@390 "
     "post_per_layer_input_norm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_tokens_per_layer(weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]) "
     "per_layer_model_projection@391 per_layer_projection_norm@392 altup_projections@485 "
     "altup_unembed_projections@485", ""},
    {"Gemma4ForCausalLM", "gemma4_text", "", "model", "lm_head@191 model=:Gemma4TextModel", ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "", "model", "lm_head@98 model=:Gemma4Model", ""},
    {"Gemma4Model", "gemma4", "gemma4", "model",
     "vision_tower(patch_embedder(position_embedding_table[2,vision_config.position_embedding_size,vision_config.h"
     "idden_size]?1 "
     "input_proj(weight[vision_config.hidden_size,(3*(vision_config.patch_size*vision_config.patch_size))]?1)) enc"
     "oder(layers(#{vision_config.num_hidden_layers}(self_attn(q_proj(linear(weight[(vision_config.num_attention_h"
     "eads*vision_config.head_dim),vision_config.hidden_size]?0) input_min[]?1 input_max[]?1 output_min[]?1 "
     "output_max[]?1) k_proj@487 v_proj@487 o_proj(linear(weight[vision_config.hidden_size,(vision_config.num_atte"
     "ntion_heads*vision_config.head_dim)]?0) input_min[]?1 input_max[]?1 output_min[]?1 output_max[]?1) "
     "q_norm@488 k_norm@488) mlp(gate_proj@490 up_proj@490 "
     "down_proj(linear(weight[vision_config.hidden_size,vision_config.intermediate_size]?0) input_min[]?1 "
     "input_max[]?1 output_min[]?1 output_max[]?1)) input_layernorm@491 post_attention_layernorm@491 "
     "pre_feedforward_layernorm@491 post_feedforward_layernorm@491))) std_bias[vision_config.hidden_size]?2 "
     "std_scale[vision_config.hidden_size]?2) "
     "embed_vision(embedding_projection(weight[text_config.hidden_size,vision_config.hidden_size]?1)) "
     "audio_tower(subsample_conv_projection(layer0(conv(weight[?,1,?,?]?0) norm(weight[?]?0)) "
     "layer1(conv(weight[?,?,?,?]?0) norm(weight[?]?0)) input_proj_linear(weight[audio_config.hidden_size,?]?0)) "
     "layers(#{audio_config.num_hidden_layers}(feed_forward1@497 feed_forward2@497 "
     "self_attn(per_dim_scale[(audio_config.hidden_size/audio_config.num_attention_heads)]?0 q_proj@499 k_proj@499"
     " v_proj@499 post@501 relative_k_proj@498) "
     "lconv1d(linear_start(linear(weight[(audio_config.hidden_size*2),audio_config.hidden_size]?0) input_min[]?0 "
     "input_max[]?0 output_min[]?0 output_max[]?0) linear_end@501 depthwise_conv1d(weight[audio_config.hidden_size"
     ",(audio_config.hidden_size/audio_config.hidden_size),audio_config.conv_kernel_size]?0) pre_layer_norm@496 "
     "conv_norm@496) norm_pre_attn@496 norm_post_attn@496 norm_out@496)) "
     "output_proj(weight[audio_config.output_proj_dims,audio_config.hidden_size]?0 "
     "bias[audio_config.output_proj_dims]?0)) "
     "embed_audio(embedding_projection(weight[text_config.hidden_size,audio_config.output_proj_dims]?0)) "
     "language_model=text_config:Gemma4TextModel", ""},
    {"Gemma4TextModel", "gemma4_text", "gemma4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@502 q_norm(weight[?]) k_norm(weight[?]?2) "
     "k_proj(weight[?,hidden_size]?2 bias[?]?3) v_proj(weight[?,hidden_size]?! bias[?]?3) "
     "o_proj(weight[hidden_size,?] bias[hidden_size]?3)) mlp@484 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) "
     "per_layer_input_gate(weight[hidden_size_per_layer_input,hidden_size]?1) "
     "per_layer_projection(weight[hidden_size,hidden_size_per_layer_input]?1) "
     "post_per_layer_input_norm(weight[hidden_size]?1) layer_scalar[1] router(scale[hidden_size]?0 "
     "per_expert_scale[num_experts]?0 proj@386) "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?0 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?0) "
     "post_feedforward_layernorm_1(weight[hidden_size]?0) post_feedforward_layernorm_2(weight[hidden_size]?0) "
     "pre_feedforward_layernorm_2(weight[hidden_size]?0))) norm(weight[hidden_size]) "
     "embed_tokens_per_layer(weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]?0)"
     " per_layer_model_projection(weight[(num_hidden_layers*hidden_size_per_layer_input),hidden_size]?0) "
     "per_layer_projection_norm(weight[hidden_size_per_layer_input]?0)", ""},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", "", "model", "lm_head@191 model=:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "", "model", "lm_head@98 model=:Gemma4UnifiedModel", ""},
    {"Gemma4UnifiedModel", "gemma4_unified", "gemma4_unified", "model",
     "language_model=text_config:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedTextModel", "gemma4_unified_text", "gemma4_unified_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@387 q_norm(weight[?]) k_norm(weight[?]) "
     "k_proj@387 v_proj(weight[?,hidden_size]? bias[?]?0) o_proj@388) mlp(gate_proj@503 up_proj@503 "
     "down_proj(weight[hidden_size,(intermediate_size*1)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size])", ""},
    {"GemmaForCausalLM", "gemma", "", "model", "lm_head@191 model=:GemmaModel", ""},
    {"GemmaForSequenceClassification", "gemma", "", "model", "score@21 model=:GemmaModel", ""},
    {"GemmaForTokenClassification", "gemma", "", "model", "score@22 model=:GemmaModel", ""},
    {"GemmaModel", "gemma", "gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GitForCausalLM", "git", "", "git", "output@295 git=:GitModel", ""},
    {"GitModel", "git", "git", "git",
     "embeddings@171 image_encoder(vision_model@508) encoder@511 visual_projection(visual_projection(0@512 1@45))", ""},
    {"Glm46VForConditionalGeneration Glm4vForConditionalGeneration", "glm46v glm4v", "", "model",
     "lm_head@84 model=:Glm46VModel", ""},
    {"Glm46VModel Glm4vModel", "glm46v glm4v", "glm46v glm4v glmga", "model",
     "visual=vision_config:Glm4vVisionModel language_model=text_config:Glm4vTextModel", ""},
    {"Glm4ForCausalLM", "glm4", "", "model", "lm_head@0 model=:Glm4Model", ""},
    {"Glm4ForSequenceClassification", "glm4", "", "model", "score@21 model=:Glm4Model", ""},
    {"Glm4ForTokenClassification", "glm4", "", "model", "score@22 model=:Glm4Model", ""},
    {"Glm4Model", "glm4", "glm4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@513 mlp@515 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4MoeForCausalLM", "glm4_moe", "", "model", "lm_head@0 model=:Glm4MoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", "", "model", "lm_head@0 model=:Glm4MoeLiteModel",
     "model\\.layers\\.47.*"},
    {"Glm4MoeLiteModel", "glm4_moe_lite", "glm4_moe_lite", "model",
     "embed_tokens@0 layers@359 norm(weight[hidden_size])", "model\\.layers\\.47.*"},
    {"Glm4MoeModel", "glm4_moe", "glm4_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@502 k_proj@502 v_proj@502 "
     "o_proj(weight[hidden_size,?]) q_norm(weight[?]?2) k_norm(weight[?]?2)) mlp@29 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "", "model", "lm_head@84 model=:Glm4vMoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeModel", "glm4v_moe", "glm4v_moe", "model",
     "language_model(embed_tokens@84 layers(#{text_config.num_hidden_layers}(self_attn(q_proj@516 k_proj@516 "
     "v_proj@516 o_proj@517) mlp(gate_proj@518 up_proj@518 down_proj@519 experts(gate_up_proj[text_config.n_routed"
     "_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a "
     "#{text_config.n_routed_experts}@522 "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b) "
     "gate(weight[text_config.n_routed_experts,text_config.hidden_size]?1 "
     "e_score_correction_bias[text_config.n_routed_experts]?1) shared_experts(gate_proj@523 up_proj@523 "
     "down_proj@524)) input_layernorm@332 post_attention_layernorm@332)) norm@332) "
     "visual=vision_config:Glm4vMoeVisionModel", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeTextModel", "glm4v_moe_text", "glm4v_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@439 k_proj@439 v_proj@439 "
     "o_proj(weight[hidden_size,?])) mlp(gate_proj@7 up_proj@7 down_proj@8 experts@525 gate@28 shared_experts@16) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeVisionModel", "glm4v_moe_vision", "glm4v_moe_vision", "model",
     "embeddings@527 patch_embed@529 blocks@536 merger@541 post_conv_layernorm(weight[hidden_size]) downsample@542"
     " post_layernorm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vTextModel", "glm4v_text", "glm4v_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@544 mlp@515 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4vVisionModel", "glm4v_vision", "glm4v_vision", "model",
     "embeddings@527 patch_embed@529 blocks@536 merger@541 post_conv_layernorm(weight[hidden_size]) downsample@542"
     " post_layernorm(weight[hidden_size])", ""},
    {"GlmAsrEncoder", "glmasr_encoder", "glmasr_encoder", "model",
     "conv1@86 conv2@87 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@394 v_proj@543 o_proj@545) mlp@264 "
     "input_layernorm@45 post_attention_layernorm@45)) norm@45", ""},
    {"GlmAsrForConditionalGeneration", "glmasr", "", "model",
     "multi_modal_projector@548 language_model(lm_head@98 model=text_config:EuroBertModel) "
     "audio_tower=audio_config:GlmAsrEncoder", ""},
    {"GlmAsrModel", "glmasr", "glmasr", "model",
     "multi_modal_projector@548 audio_tower=audio_config:GlmAsrEncoder language_model@549", ""},
    {"GlmForCausalLM", "glm", "", "model", "lm_head@0 model=:GlmModel", ""},
    {"GlmForSequenceClassification", "glm", "", "model", "score@21 model=:GlmModel", ""},
    {"GlmForTokenClassification", "glm", "", "model", "score@22 model=:GlmModel", ""},
    {"GlmImageModel", "glm_image", "glm_image", "model",
     "visual=vision_config:GlmImageVisionModel language_model=text_config:GlmImageTextModel "
     "vqmodel=vq_config:GlmImageVQVAE", ""},
    {"GlmImageTextModel", "glm_image_text", "glm_image_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@395) mlp@515 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_self_attn_layernorm(weight[hidden_size]) post_mlp_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GlmImageVQVAE", "glm_image_vqmodel", "glm_image_vqmodel", "model",
     "quantize(embedding(weight[num_embeddings,embed_dim])) quant_conv(weight[embed_dim,(latent_channels/1),1,1] "
     "bias[embed_dim]) post_quant_conv(weight[latent_channels,(embed_dim/1),1,1] bias[latent_channels])", ""},
    {"GlmImageVisionModel", "glm_image_vision", "glm_image_vision", "model",
     "embeddings@527 patch_embed(proj(weight[hidden_size,(in_channels/1),patch_size,patch_size] "
     "bias[hidden_size])) blocks(#{depth}(norm1@45 norm2@45 attn(qkv@550 proj@476) mlp@264))", ""},
    {"GlmModel", "glm", "glm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@513 mlp@515 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", "", "model", "lm_head@0 model=:GlmMoeDsaModel", "model\\.layers\\.78.*"},
    {"GlmMoeDsaModel", "glm_moe_dsa", "glm_moe_dsa", "model", "embed_tokens@0 layers@354 norm(weight[hidden_size])",
     "model\\.layers\\.78.*"},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "", "model", "lm_head@84 model=:GlmOcrModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrModel", "glm_ocr", "glm_ocr", "model",
     "visual=vision_config:GlmOcrVisionModel language_model=text_config:GlmOcrTextModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrTextModel", "glm_ocr_text", "glm_ocr_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@396 mlp@515 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrVisionModel", "glm_ocr_vision", "glm_ocr_vision", "model",
     "patch_embed@529 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(qkv@550 proj@476 "
     "q_norm@551 k_norm@551) mlp@117)) merger(proj@537 post_projection_norm@538 gate_proj@552 up_proj@552 "
     "down_proj(weight[out_hidden_size,(out_hidden_size*in_channels)])) downsample@542 "
     "post_layernorm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GotOcr2ForConditionalGeneration", "got_ocr2", "", "model",
     "vision_tower@566 multi_modal_projector@569 language_model@570", ""},
    {"GotOcr2Model", "got_ocr2", "got_ocr2", "model", "vision_tower@566 multi_modal_projector@569 language_model@93",
     ""},
    {"GptOssForCausalLM", "gpt_oss", "", "model", "lm_head@0 model=:GptOssModel", ""},
    {"GptOssForSequenceClassification", "gpt_oss", "", "model", "score@21 model=:GptOssModel", ""},
    {"GptOssForTokenClassification OpenAIPrivacyFilterForTokenClassification", "gpt_oss openai_privacy_filter", "",
     "model", "score@22 model=:GptOssModel", ""},
    {"GptOssModel OpenAIPrivacyFilterModel", "gpt_oss openai_privacy_filter", "gpt_oss openai_privacy_filter", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@284 k_proj@285 "
     "v_proj@285 o_proj@286) mlp(router(weight[num_local_experts,hidden_size] bias[num_local_experts]) "
     "experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "gate_up_proj_bias[num_local_experts,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size] down_proj_bias[num_local_experts,hidden_size])) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteDoclingTextModel GraniteModel SmolLM3Model", "granite granite_docling_text smollm3",
     "granite granite_docling_text smollm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@438 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteForCausalLM", "granite", "", "model", "lm_head@0 model=:GraniteDoclingTextModel", ""},
    {"GraniteMoeForCausalLM GraniteMoeSharedForCausalLM", "granitemoe granitemoeshared", "", "model",
     "lm_head@0 model=:GraniteMoeModel", ""},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "", "model", "lm_head@0 model=:GraniteMoeHybridModel", ""},
    {"GraniteMoeHybridModel", "granitemoehybrid", "granitemoehybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) "
     "block_sparse_moe(router(layer(weight[num_local_experts,hidden_size]?0)) "
     "input_linear(weight[num_local_experts,(2*intermediate_size),hidden_size]?0) "
     "output_linear(weight[num_local_experts,hidden_size,intermediate_size]?0)) "
     "shared_mlp(input_linear(weight[(shared_intermediate_size*2),hidden_size]) output_linear@571) mamba@122 "
     "self_attn@126)) norm(weight[hidden_size])", ""},
    {"GraniteMoeModel GraniteMoeSharedModel", "granitemoe granitemoeshared", "granitemoe granitemoeshared", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe(router@574 "
     "input_linear(weight[num_local_experts,(2*intermediate_size),hidden_size]) output_linear@575))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", "", "model", "lm_head@0 model=:GraniteMoeSWAModel", ""},
    {"GraniteMoeSWAModel", "granitemoe_swa", "granitemoe_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@61 k_proj@62 "
     "v_proj@62 o_proj@63) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "block_sparse_moe(router@573 experts@576))) norm(weight[hidden_size])", ""},
    {"GraniteSWAForCausalLM", "granite_swa", "", "model", "lm_head@191 model=:GraniteSWAModel", ""},
    {"GraniteSWAModel", "granite_swa", "granite_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@304 k_proj@305 "
     "v_proj@305 o_proj@306) mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteSpeechForConditionalGeneration GraniteSpeechPlusForConditionalGeneration",
     "granite_speech granite_speech_plus", "", "model",
     "encoder@597 projector@599 language_model(lm_head@98 model=text_config:GraniteDoclingTextModel)", ""},
    {"GraniteSpeechModel GraniteSpeechPlusModel", "granite_speech granite_speech_plus",
     "granite_speech granite_speech_plus", "model",
     "encoder@597 projector@599 language_model(model=text_config:GraniteDoclingTextModel)", ""},
    {"GteForMaskedLM", "gte", "", "gte",
     "lm_head(dense@47 norm@45 decoder(weight[vocab_size,hidden_size]? bias[vocab_size])) gte=:GteModel",
     "inv_freq original_inv_freq"},
    {"GteForSequenceClassification", "gte", "", "gte", "gte(embeddings@600 pooler@172 encoder@608) classifier@22",
     "inv_freq original_inv_freq"},
    {"GteForTokenClassification", "gte", "", "gte", "classifier@22 gte=:GteModel", "inv_freq original_inv_freq"},
    {"GteModel", "gte", "gte", "gte", "embeddings@600 encoder@608", "inv_freq original_inv_freq"},
    {"HYV3ForCausalLM", "hy_v3", "", "model", "lm_head@0 model=:HYV3Model", "model\\.layers\\.80.*"},
    {"HYV3Model", "hy_v3", "hy_v3", "model", "embed_tokens@0 "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size] "
     "bias[(num_attention_heads*head_dim)]?4) k_proj@609 v_proj@609 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?4) q_norm(weight[head_dim]) "
     "k_norm(weight[head_dim])) mlp(gate_proj@349 up_proj@349 down_proj@350 router(gate@610) experts@611 "
     "shared_mlp(gate_proj@612 up_proj@612 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?2 bias[hidden_size]?3)) "
     "expert_bias[num_experts]?2) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.layers\\.80.*"},
    {"HYV4ForCausalLM", "hy_v4", "", "model",
     "model(embed_tokens@0 layers@626 norm(weight[hidden_size]) hc_pre(hc_head@627)) lm_head@0",
     "model\\.mtp_layers\\..*"},
    {"HYV4Model", "hy_v4", "hy_v4", "model", "embed_tokens@0 layers@626 norm(weight[hidden_size]) hc_head(hc_pre@627)",
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
     "embed_audio_tokens(embed_audio_tokens@628)) audio_lm_head@628", "text_lm_head.weight"},
    {"HrmTextForCausalLM", "hrm_text", "", "model", "lm_head@0 model=:HrmTextModel", ""},
    {"HrmTextModel", "hrm_text", "hrm_text", "model", "z_L_init[hidden_size] embed_tokens@0 L_module@636 H_module@636",
     ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "", "model", "lm_head@0 model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1ForSequenceClassification", "hunyuan_v1_dense", "", "model", "score@21 model=:HunYuanDenseV1Model",
     ""},
    {"HunYuanDenseV1Model", "hunyuan_v1_dense", "hunyuan_v1_dense", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@637 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "", "model", "lm_head@0 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1ForSequenceClassification", "hunyuan_v1_moe", "", "model", "score@21 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1Model", "hunyuan_v1_moe", "hunyuan_v1_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@637 mlp(gate(wg@289) experts@293 shared_mlp@288) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HyperCLOVAXForCausalLM", "hyperclovax", "", "model", "lm_head@0 model=:HyperCLOVAXModel", ""},
    {"HyperCLOVAXModel", "hyperclovax", "hyperclovax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@638 mlp@117 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_norm1(weight[hidden_size]?1) "
     "post_norm2(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"HyperCLOVAXVisionV2ForConditionalGeneration", "hyperclovax_vision_v2", "", "model",
     "model(vision_projector@639 language_model(lm_head@98) "
     "vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel)", ""},
    {"HyperCLOVAXVisionV2Model", "hyperclovax_vision_v2", "hyperclovax_vision_v2", "model",
     "projector@639 vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel", ""},
    {"IBertForMaskedLM", "ibert", "", "ibert", "ibert@659 lm_head@273", ""},
    {"IBertForMultipleChoice", "ibert", "", "ibert", "classifier@60 ibert=:IBertModel", ""},
    {"IBertForQuestionAnswering", "ibert", "", "ibert", "ibert@659 qa_outputs@22", ""},
    {"IBertForSequenceClassification", "ibert", "", "ibert", "ibert@659 classifier@184", ""},
    {"IBertForTokenClassification", "ibert", "", "ibert", "ibert@659 classifier@22", ""},
    {"IBertModel", "ibert", "ibert", "ibert", "embeddings@645 encoder@658 pooler@172", ""},
    {"Idefics2ForConditionalGeneration", "idefics2", "", "model", "lm_head@84 model=:Idefics2Model", ""},
    {"Idefics2Model", "idefics2", "idefics2", "model",
     "vision_model(embeddings@661 encoder@507 post_layernorm@78) connector(modality_projection(gate_proj@662 "
     "up_proj@662 down_proj@330) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,perceiver_config.hidden_size] "
     "layers(#{perceiver_config.resampler_depth}(input_latents_norm@663 input_context_norm@663 self_attn(q_proj(we"
     "ight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_size])"
     " k_proj@664 v_proj@664 o_proj(weight[perceiver_config.hidden_size,(perceiver_config.resampler_n_heads*percei"
     "ver_config.resampler_head_dim)])) post_attention_layernorm@663 mlp(gate_proj@665 up_proj@665 "
     "down_proj(weight[perceiver_config.hidden_size,(perceiver_config.hidden_size*4)])))) norm@663)) "
     "text_model=text_config:Ministral3Model", ""},
    {"Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration", "idefics3 smolvlm", "", "model",
     "lm_head@84 model=:Idefics3Model", ""},
    {"Idefics3Model SmolVLMModel", "idefics3 smolvlm", "idefics3 smolvlm", "model",
     "connector(modality_projection(proj(weight[text_config.hidden_size,(vision_config.hidden_size*(scale_factor*s"
     "cale_factor))]))) vision_model=vision_config:Idefics3VisionTransformer text_model=text_config:EuroBertModel", ""},
    {"Idefics3VisionTransformer SmolVLMVisionTransformer", "idefics3_vision smolvlm_vision",
     "idefics3_vision smolvlm_vision", "model", "embeddings@667 encoder@267 post_layernorm@45", ""},
    {"IdeficsForVisionText2Text", "idefics", "", "model", "lm_head@0 model=:IdeficsModel", ""},
    {"IdeficsModel", "idefics", "idefics", "model",
     "embed_tokens@0 vision_model(embeddings(class_embedding[vision_config.embed_dim] patch_embedding(weight[visio"
     "n_config.embed_dim,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch_size]) positi"
     "on_embedding(weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_c"
     "onfig.patch_size))+1),vision_config.embed_dim])) pre_layrnorm@668 "
     "encoder(layers(#{vision_config.num_hidden_layers}(self_attn(k_proj@669 v_proj@669 q_proj@669 out_proj@669) "
     "layer_norm1@668 mlp(fc1(weight[vision_config.intermediate_size,vision_config.embed_dim] "
     "bias[vision_config.intermediate_size]) fc2(weight[vision_config.embed_dim,vision_config.intermediate_size] "
     "bias[vision_config.embed_dim])) layer_norm2@668))) post_layernorm@668) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@393 k_proj@393 v_proj@393 o_proj@395) mlp@670 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "gated_cross_attn_layers(#{(num_hidden_layers/cross_layer_interval)}(alpha_cross_attn[1] alpha_dense[1] "
     "cross_attn(q_proj@393 k_proj@671 v_proj@671 o_proj@395 q_layer_norm@672 k_layer_norm@672) mlp@670 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size]) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,vision_config.embed_dim]?0 "
     "blocks(#{perceiver_config.resampler_depth}(0(context_layer_norm@673 latents_layer_norm@673 q_proj@674 "
     "k_proj@674 v_proj@674 output_proj(weight[vision_config.embed_dim,(perceiver_config.resampler_n_heads*perceiv"
     "er_config.resampler_head_dim)]?0)) 1(ln@673 " "fc(weight[(vision_config.embed_dim*4),vision_config.embed_dim]?0) "
     "c_proj(weight[vision_config.embed_dim,(vision_config.embed_dim*4)]?0)))) layer_norm@673)", ""},
    {"ImageGPTForCausalImageModeling", "imagegpt", "", "transformer",
     "lm_head(weight[(vocab_size-1),n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTForImageClassification", "imagegpt", "", "transformer", "score@269 transformer=:ImageGPTModel", ""},
    {"ImageGPTModel", "imagegpt", "imagegpt", "transformer",
     "wte@270 wpe@469 h(#{n_layer}(ln_1(weight[?]) attn@471 ln_2(weight[?]) mlp@677 crossattention@474 "
     "ln_cross_attn(weight[?]?0))) ln_f(weight[?])", ""},
    {"Inkling2ForCausalLM", "inkling2_text", "", "model", "model(llm(unembed@0) llm=:Inkling2TextModel)", ""},
    {"Inkling2TextModel", "inkling2_text", "inkling2_text", "model",
     "embed@0 embed_norm(weight[hidden_size]) attn_res(mlp_queries(#{num_hidden_layers}[hidden_size]) "
     "attn_queries(#{num_hidden_layers}[*]?) output_query[hidden_size]) "
     "layers(#{num_hidden_layers}(attn(wq_du(weight[?,hidden_size]) wk_dv(weight[?,hidden_size]) "
     "wv_dv(weight[?,hidden_size]) wr_du(weight[?,hidden_size]) wo_ud(weight[hidden_size,?]) k_sconv@678 "
     "v_sconv@678 rel_logits_proj(proj[d_rel,?]) gate_attn(weight[?,hidden_size]) "
     "attn_sink_proj(weight[?,hidden_size]) q_l2_clip(scale[?,?]) rel_l2_clip(scale[?,d_rel])) "
     "mlp(experts(w13_weight[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "w2_weight[n_routed_experts,hidden_size,moe_intermediate_size]) gate(weight[n_routed_experts,hidden_size] "
     "bias[n_routed_experts])) attn_norm(weight[hidden_size]?0) mlp_norm(weight[hidden_size]) attn_sconv@311 "
     "mlp_sconv@311 q_input_norm(weight[hidden_size]?1) k_input_norm(weight[hidden_size]?1) "
     "v_input_norm(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"InklingForCausalLM", "inkling_text", "", "model", "lm_head@0 model=:InklingTextModel", "model\\.mtp\\..*"},
    {"InklingTextModel", "inkling_text", "inkling_text", "model",
     "embed_tokens(weight[vocab_size,hidden_size] embed_norm(weight[hidden_size])) "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj(weight[?,hidden_size]) "
     "v_proj(weight[?,hidden_size]) r_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) k_sconv@680 "
     "v_sconv@680 q_norm(weight[?]) k_norm(weight[?]) rel_logits_proj(proj[d_rel,?])) "
     "mlp(gate(weight[(n_routed_experts+n_shared_experts),hidden_size] global_scale[1] "
     "e_score_correction_bias[n_routed_experts]) "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]) "
     "shared_experts(gate_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "up_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "down_proj[n_shared_experts,hidden_size,moe_intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) attn_sconv@681 mlp_sconv@681)) norm(weight[hidden_size])",
     "model\\.mtp\\..*"},
    {"InstructBlipModel InstructBlipVideoModel", "instructblip instructblipvideo", "instructblip instructblipvideo",
     "blip", "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@204 "
     "qformer(embeddings(word_embeddings@205 position_embeddings@206 layernorm@682) "
     "encoder(layer(#{qformer_config.num_hidden_layers}(attention(attention(query@683 key@683 value@683) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size] bias[qformer_config.hidden_size])"
     " LayerNorm@682)) crossattention(attention(query(weight[(qformer_config.num_attention_heads*(qformer_config.h"
     "idden_size/qformer_config.num_attention_heads)),qformer_config.hidden_size]?0 bias[(qformer_config.num_atten"
     "tion_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0) key@684 value@684) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0) LayerNorm(weight[qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0))) intermediate@686 output@688 intermediate_query@686 "
     "output_query@688)))) language_projection(weight[text_config.hidden_size,qformer_config.hidden_size] "
     "bias[text_config.hidden_size]) language_model=text_config:OPTModel", ""},
    {"InternVLForConditionalGeneration", "internvl", "", "model",
     "multi_modal_projector@691 language_model@570 vision_tower=vision_config:InternVLVisionModel", ""},
    {"InternVLModel", "internvl", "internvl", "model",
     "multi_modal_projector@691 vision_tower=vision_config:InternVLVisionModel language_model@93", ""},
    {"InternVLVisionModel", "internvl_vision", "internvl_vision", "internvl_vision",
     "embeddings(cls_token[1,1,hidden_size] position_embeddings[1,?,hidden_size]? "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?] bias[hidden_size])) "
     "mask_token[1,1,hidden_size]?) encoder(layer(#{num_hidden_layers}(lambda_1[hidden_size] lambda_2[hidden_size]"
     " attention(q_proj@304 k_proj@304 v_proj@304 projection_layer@47 q_norm(weight[hidden_size]?0) "
     "k_norm(weight[hidden_size]?0)) mlp@264 layernorm_before@45 layernorm_after@45))) layernorm@159", ""},
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
     "dt_layernorm(weight[mamba_dt_rank]?2) b_layernorm@692 c_layernorm@692) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8 router@34 experts(gate_up_proj[num_experts,(2*intermediate_size),hidden_size]?1=a "
     "#{num_experts}@292 down_proj[num_experts,hidden_size,intermediate_size]?1=b)) "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]) self_attn(q_proj@693 k_proj@694 "
     "v_proj@694 o_proj@695))) final_layernorm(weight[hidden_size])", ""},
    {"JanusForConditionalGeneration", "janus", "", "model", "lm_head@98 model=:JanusModel", ""},
    {"JanusModel", "janus", "janus", "model",
     "vision_model(embeddings@661 encoder(layers(#{vision_config.num_hidden_layers}(layer_norm1@78 "
     "self_attn(q_proj@696 k_proj@696 v_proj@696 projection_layer@76 q_norm@258 k_norm@258) layer_norm2@78 "
     "mlp(fc1(weight[?,vision_config.hidden_size] bias[?]) fc2@697)))) post_layernorm@78) aligner(fc1@698 "
     "hidden_layers(0(weight[vision_config.projection_dim,vision_config.projection_dim] "
     "bias[vision_config.projection_dim]))) "
     "vqmodel(encoder(conv_in(weight[vq_config.base_channels,(vq_config.in_channels/1),?,?] "
     "bias[vq_config.base_channels]) down(#{}(block(0@701 1@702) downsample@704 attn(0@706 1@706))) mid@709 "
     "norm_out(weight[?] bias[?]) conv_out@699) quantize(embedding@710) "
     "quant_conv(weight[vq_config.embed_dim,(vq_config.latent_channels/1),1,1] bias[vq_config.embed_dim]) "
     "post_quant_conv(weight[vq_config.latent_channels,(vq_config.embed_dim/1),1,1] "
     "bias[vq_config.latent_channels]) decoder(conv_in(weight[?,(vq_config.latent_channels/1),?,?] bias[?]) "
     "mid@709 up(#{}(block(0@701 1@702 2@702) attn(0@706 1@706 2@706) upsample@704)) norm_out(weight[?] bias[?]) "
     "conv_out(weight[vq_config.out_channels,?,?,?] bias[vq_config.out_channels]))) generation_embeddings@710 "
     "generation_aligner(fc1(weight[vq_config.projection_dim,vq_config.embed_dim] bias[vq_config.projection_dim]) "
     "hidden_layers(0(weight[vq_config.projection_dim,vq_config.projection_dim] bias[vq_config.projection_dim]))) "
     "generation_head(proj_out(weight[vq_config.projection_dim,vq_config.image_token_embed_dim] "
     "bias[vq_config.projection_dim]) vision_head(weight[vq_config.num_embeddings,vq_config.projection_dim] "
     "bias[vq_config.num_embeddings])) language_model=text_config:EuroBertModel", ""},
    {"JetMoeForCausalLM", "jetmoe", "", "model", "lm_head@191 model=:JetMoeModel", ""},
    {"JetMoeForSequenceClassification", "jetmoe", "", "model", "score@21 model=:JetMoeModel", ""},
    {"JetMoeModel", "jetmoe", "jetmoe", "model", "embed_tokens@0 layers(#{num_hidden_layers}(mlp(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(intermediate_size*2),hidden_size]) output_linear@575 router@574) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attention(experts(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(kv_channels*num_key_value_heads),hidden_size]) "
     "output_linear(weight[num_local_experts,hidden_size,(kv_channels*num_key_value_heads)]) router@574) "
     "kv_proj(weight[((kv_channels*num_key_value_heads)*2),hidden_size])))) norm(weight[hidden_size])", ""},
    {"JevForDecision", "jev", "", "model",
     "weight[num_verbalizers,hidden_size] proj(bias[num_verbalizers]) model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "", "roberta", "lm_head@273 roberta@718", ""},
    {"JinaEmbeddingsV3ForQuestionAnswering", "jina_embeddings_v3", "", "roberta", "qa_outputs@22 roberta@718", ""},
    {"JinaEmbeddingsV3ForSequenceClassification", "jina_embeddings_v3", "", "roberta", "classifier@184 roberta@718", ""},
    {"JinaEmbeddingsV3ForTokenClassification", "jina_embeddings_v3", "", "roberta", "classifier@22 roberta@718", ""},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "jina_embeddings_v3", "roberta",
     "embeddings@711 emb_ln@45 pooler@172 encoder@717", ""},
    {"KimiLinearForCausalLM", "kimi_linear", "", "model", "lm_head@0 model=:KimiLinearModel", ""},
    {"KimiLinearModel", "kimi_linear", "kimi_linear", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj@99 v_proj@99 "
     "conv1d@107 q_conv1d@100 k_conv1d@100 v_conv1d@100 dt_bias[(linear_head_dim*linear_num_heads)]?2 "
     "A_log[1,1,linear_num_heads,1]?2 f_a_proj@719 f_b_proj@720 b_proj@101 g_a_proj@719 g_b_proj@720 o_norm@102 "
     "o_proj(weight[hidden_size,?]) kv_a_proj_with_mqa@103 kv_a_layernorm@104 kv_b_proj@105) "
     "block_sparse_moe(gate_proj@7 up_proj@7 down_proj@8 experts(#{num_experts}(w1@109 w3@109 w2@110)) gate@147 "
     "shared_experts@37) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "mlp(experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=b "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=c)))) norm(weight[hidden_size])", ""},
    {"Kolibri1ForCausalLM", "kolibri1", "", "model", "lm_head@0 model=:Kolibri1Model", ""},
    {"Kolibri1Model", "kolibri1", "kolibri1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@721 mlp(experts@722 gate@573 shared_experts@725) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_attn_norm(weight[hidden_size]) post_ffn_norm(weight[hidden_size]) "
     "moe(router(expert_bias[num_local_experts])))) norm(weight[hidden_size])", ""},
    {"Kosmos2ForConditionalGeneration", "kosmos-2", "", "",
     "text_model(model@739 lm_head@740) vision_model@741 image_to_text_projection@744", ""},
    {"Kosmos2Model", "kosmos-2", "kosmos-2", "", "text_model(model@739) vision_model@741 image_to_text_projection@744",
     ""},
    {"Kosmos2_5ForConditionalGeneration", "kosmos-2.5", "", "",
     "text_model(model@748 lm_head@740) vision_model@761 image_to_text_projection@744", ""},
    {"Kosmos2_5Model", "kosmos-2.5", "kosmos-2.5", "",
     "text_model(model@748) vision_model@761 image_to_text_projection@744", ""},
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
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@439 k_proj@31 v_proj@31 o_proj@762 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim]) g_proj(weight[?,hidden_size])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=a #{num_experts}@11 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=b e_score_correction_bias[num_experts]?1) gate@34"
     " shared_expert@451) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"LayoutLMForMaskedLM", "layoutlm", "", "layoutlm", "cls@168 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForQuestionAnswering", "layoutlm", "", "layoutlm", "qa_outputs@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForSequenceClassification LayoutLMForTokenClassification", "layoutlm", "", "layoutlm",
     "classifier@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMModel", "layoutlm", "layoutlm", "layoutlm",
     "embeddings(word_embeddings@0 position_embeddings@148 x_position_embeddings@763 y_position_embeddings@763 "
     "h_position_embeddings@763 w_position_embeddings@763 token_type_embeddings@149 LayerNorm@45) encoder@511 "
     "pooler@172", ""},
    {"LayoutLMv3ForQuestionAnswering", "layoutlmv3", "", "layoutlmv3", "qa_outputs@184 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForSequenceClassification", "layoutlmv3", "", "layoutlmv3",
     "classifier@184 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForTokenClassification", "layoutlmv3", "", "layoutlmv3", "classifier@22 layoutlmv3=:LayoutLMv3Model",
     ""},
    {"LayoutLMv3Model", "layoutlmv3", "layoutlmv3", "layoutlmv3", "cls_token[1,1,hidden_size]?0 "
     "pos_embed[1,(((input_size/patch_size)*(input_size/patch_size))+1),hidden_size]?0 "
     "embeddings(word_embeddings(weight[vocab_size,hidden_size]?1) "
     "token_type_embeddings(weight[type_vocab_size,hidden_size]?1) LayerNorm@178 "
     "position_embeddings(weight[max_position_embeddings,hidden_size]?1) x_position_embeddings@764 "
     "y_position_embeddings@764 h_position_embeddings@765 w_position_embeddings@765) "
     "patch_embed(proj(weight[hidden_size,(num_channels/1),patch_size,patch_size]?0 bias[hidden_size]?0)) "
     "LayerNorm@159 norm@159 encoder(layer@510 rel_pos_bias(weight[num_attention_heads,rel_pos_bins]?) "
     "rel_pos_x_bias@766 rel_pos_y_bias@766)", ""},
    {"Lfm2ForCausalLM", "lfm2", "", "model", "lm_head@191 model=:Lfm2Model", ""},
    {"Lfm2Model", "lfm2", "lfm2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@771 feed_forward(w1(weight[?,hidden_size]) "
     "w3(weight[?,hidden_size]) w2(weight[hidden_size,?])) operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) conv(conv(weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?0) "
     "in_proj@772 out_proj@773))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2MoeForCausalLM", "lfm2_moe", "", "model", "lm_head@191 model=:Lfm2MoeModel", ""},
    {"Lfm2MoeModel", "lfm2_moe", "lfm2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@777 feed_forward(w1@778 w3@778 "
     "w2(weight[hidden_size,intermediate_size]?3) "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{num_experts}@369 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?2=b) gate@610 expert_bias[num_experts]?2) "
     "operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) self_attn(q_proj@693 k_proj@694 v_proj@694 "
     "out_proj@695 q_layernorm@779 k_layernorm@779))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "", "model", "lm_head@98 model=:Lfm2VlModel", ""},
    {"Lfm2VlModel", "lfm2_vl", "lfm2_vl", "model",
     "multi_modal_projector(layer_norm(weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0"
     " bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0) "
     "linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
     "bias[projector_hidden_size]?1) linear_2(weight[text_config.hidden_size,projector_hidden_size] "
     "bias[text_config.hidden_size]?1)) vision_tower=vision_config:Siglip2VisionModel "
     "language_model=text_config:Lfm2Model", ""},
    {"Lfm3ForCausalLM", "lfm3", "", "model", "lm_head@191 model=:Lfm3Model", ""},
    {"Lfm3Model", "lfm3", "lfm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@777 feed_forward@780 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) post_operator_norm(weight[hidden_size]?2) post_ffn_norm(weight[hidden_size]?2)"
     " self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size]?3) k_proj@781 v_proj@781 o_proj@782 "
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
     "embedding_norm(weight[hidden_size]) layers(#{num_hidden_layers}(conv(in_proj@772 "
     "spatial_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size,conv_kernel_size]?0) "
     "out_proj@773) feed_forward@780 operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "self_attn@771))", ""},
    {"LightOnOcrForConditionalGeneration", "lighton_ocr", "", "model", "lm_head@98 model=:LightOnOcrModel", ""},
    {"LightOnOcrModel", "lighton_ocr", "lighton_ocr", "",
     "vision_projection(norm@478 patch_merger@784 linear_1@80 linear_2@81) "
     "vision_encoder=vision_config:PixtralVisionModel language_model=text_config:Qwen3Model", ""},
    {"LiltForQuestionAnswering", "lilt", "", "lilt", "lilt@802 qa_outputs@22", ""},
    {"LiltForSequenceClassification", "lilt", "", "lilt", "lilt@802 classifier@184", ""},
    {"LiltForTokenClassification", "lilt", "", "lilt", "lilt@802 classifier@22", ""},
    {"LiltModel", "lilt", "lilt", "lilt", "embeddings@150 layout_embeddings@789 encoder@801 pooler@172", ""},
    {"Llama4ForCausalLM", "llama4_text", "", "language_model", "lm_head@0 model=:Llama4TextModel", ""},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,vision_config.vision_output_dim])) "
     "vision_model=vision_config:Llama4VisionModel language_model=text_config:Llama4ForCausalLM", ""},
    {"Llama4TextModel", "llama4_text", "llama4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@638 "
     "feed_forward(experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)]?1 "
     "down_proj[num_local_experts,intermediate_size,hidden_size]?1) router@803 shared_expert(gate_proj@804 "
     "up_proj@804 down_proj@805) gate_proj@806 up_proj@806 down_proj(weight[hidden_size,intermediate_size_mlp]?0))"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Llama4VisionModel", "llama4_vision_model", "", "vision_model", "class_embedding[hidden_size] "
     "positional_embedding_vlm[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "patch_embedding(linear(weight[hidden_size,((num_channels*patch_size)*patch_size)])) layernorm_pre@45 "
     "layernorm_post@45 model(layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@46 v_proj@46 o_proj@545) "
     "mlp@264 input_layernorm@45 post_attention_layernorm@45))) "
     "vision_adapter(mlp(fc1(weight[projector_input_dim,intermediate_size]) "
     "fc2(weight[projector_output_dim,projector_output_dim])))", ""},
    {"LlamaForCausalLM", "llama", "", "model", "lm_head@0 model=:EuroBertModel", ""},
    {"LlamaForQuestionAnswering", "llama", "", "transformer", "qa_outputs@67 transformer=:EuroBertModel", ""},
    {"LlamaForSequenceClassification", "llama", "", "model", "score@21 model=:EuroBertModel", ""},
    {"LlamaForTokenClassification", "llama", "", "model", "score@22 model=:EuroBertModel", ""},
    {"LlavaForConditionalGeneration", "llava", "", "model",
     "multi_modal_projector@808 language_model@809 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaModel", "llava", "llava", "model",
     "multi_modal_projector@808 vision_tower=vision_config:CLIPVisionModel language_model@549", ""},
    {"LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration", "llava_next llava_next_video", "",
     "model", "image_newline[text_config.hidden_size] multi_modal_projector@808 language_model@809 "
     "vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaNextModel LlavaNextVideoModel", "llava_next llava_next_video", "llava_next llava_next_video", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@808 vision_tower=vision_config:CLIPVisionModel "
     "language_model@549", ""},
    {"LlavaOnevisionForConditionalGeneration", "llava_onevision", "", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@808 language_model@92 "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"LlavaOnevisionModel", "llava_onevision", "llava_onevision", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@808 "
     "vision_tower=vision_config:SiglipVisionModel language_model@93", ""},
    {"LongT5ForConditionalGeneration", "longt5", "", "transformer", "shared@127 encoder@821 decoder@828 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongT5Model", "longt5", "longt5", "transformer", "shared@127 encoder@821 decoder@828",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongcatFlashForCausalLM", "longcat_flash", "", "model", "lm_head@0 model=:LongcatFlashModel", "model\\.mtp.*"},
    {"LongcatFlashModel", "longcat_flash", "longcat_flash", "model",
     "embed_tokens@0 layers(#{num_layers}(mlp(experts(gate_up_proj[(n_routed_experts+zero_expert_num),(2*expert_ff"
     "n_hidden_size),hidden_size]=a #{(n_routed_experts+zero_expert_num)}(gate_proj@829 up_proj@829) "
     "down_proj[n_routed_experts,hidden_size,expert_ffn_hidden_size]=b "
     "#{n_routed_experts}(down_proj(weight[hidden_size,expert_ffn_hidden_size]~b))) "
     "router(classifier(weight[(n_routed_experts+zero_expert_num),hidden_size]) "
     "e_score_correction_bias[(n_routed_experts+zero_expert_num)])) self_attn(0@834 1@834) mlps(0@837 1@837) "
     "input_layernorm@838 post_attention_layernorm@838)) norm(weight[hidden_size])", "model\\.mtp.*"},
    {"LongformerForMaskedLM", "longformer", "", "longformer", "longformer@844 lm_head@273", ""},
    {"LongformerForMultipleChoice", "longformer", "", "longformer", "classifier@60 longformer=:LongformerModel", ""},
    {"LongformerForQuestionAnswering", "longformer", "", "longformer", "longformer@844 qa_outputs@22", ""},
    {"LongformerForSequenceClassification", "longformer", "", "longformer", "longformer@844 classifier@184", ""},
    {"LongformerForTokenClassification", "longformer", "", "longformer", "longformer@844 classifier@22", ""},
    {"LongformerModel", "longformer", "longformer", "longformer", "embeddings@274 encoder@843 pooler@172", ""},
    {"LukeForMaskedLM", "luke", "", "luke",
     "lm_head(bias[vocab_size]? dense@47 layer_norm@45 decoder@295) entity_predictions(bias[entity_vocab_size] "
     "transform(dense(weight[entity_emb_size,hidden_size] bias[entity_emb_size]) LayerNorm(weight[entity_emb_size]"
     " bias[entity_emb_size])) decoder(weight[entity_vocab_size,entity_emb_size]?)) luke=:LukeModel", ""},
    {"LukeForMultipleChoice", "luke", "", "luke", "classifier@60 luke=:LukeModel", ""},
    {"LukeForQuestionAnswering", "luke", "", "luke", "luke@853 qa_outputs@22", ""},
    {"LukeForSequenceClassification", "luke", "", "luke", "classifier@22 luke=:LukeModel", ""},
    {"LukeForTokenClassification", "luke", "", "luke", "luke@853 classifier@22", ""},
    {"LukeModel", "luke", "luke", "luke", "embeddings@150 entity_embeddings@847 encoder@852 pooler@172", ""},
    {"LxmertForPreTraining", "lxmert", "", "lxmert",
     "cls(predictions(bias[vocab_size] transform@152 decoder@191) seq_relationship@67) "
     "obj_predict_head(transform(dense(weight[hidden_size,hidden_size]?4 bias[hidden_size]?4) "
     "LayerNorm(weight[hidden_size]?4 bias[hidden_size]?4)) "
     "decoder_dict(obj(weight[num_object_labels,hidden_size]?3 bias[num_object_labels]?3) "
     "attr(weight[num_attr_labels,hidden_size]?1 bias[num_attr_labels]?1) "
     "feat(weight[visual_feat_dim,hidden_size]?2 bias[visual_feat_dim]?2))) "
     "answer_head(logit_fc(0(weight[(hidden_size*2),hidden_size]?0 bias[(hidden_size*2)]?0) "
     "2(weight[(hidden_size*2)]?0 bias[(hidden_size*2)]?0) 3(weight[num_qa_labels,(hidden_size*2)]?0 "
     "bias[num_qa_labels]?0))) lxmert=:LxmertModel", ""},
    {"LxmertForQuestionAnswering", "lxmert", "", "lxmert",
     "answer_head(logit_fc(0@854 2@855 3(weight[num_qa_labels,(hidden_size*2)] bias[num_qa_labels]))) "
     "lxmert=:LxmertModel", ""},
    {"LxmertModel", "lxmert", "lxmert", "lxmert",
     "embeddings@150 encoder(visn_fc(visn_fc(weight[hidden_size,visual_feat_dim] bias[hidden_size]) "
     "visn_layer_norm@45 box_fc(weight[hidden_size,visual_pos_dim] bias[hidden_size]) box_layer_norm@45) "
     "layer(#{l_layers}@509) x_layers(#{x_layers}(visual_attention(att@151 output@152) lang_self_att@153 "
     "visn_self_att@153 lang_inter@154 lang_output@155 visn_inter@154 visn_output@155)) r_layers(#{r_layers}@509))"
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
    {"MPNetForMaskedLM", "mpnet", "", "mpnet", "mpnet@862 lm_head@273", ""},
    {"MPNetForMultipleChoice", "mpnet", "", "mpnet", "classifier@60 mpnet=:MPNetModel", ""},
    {"MPNetForQuestionAnswering", "mpnet", "", "mpnet", "mpnet@862 qa_outputs@22", ""},
    {"MPNetForSequenceClassification", "mpnet", "", "mpnet", "mpnet@862 classifier@184", ""},
    {"MPNetForTokenClassification", "mpnet", "", "mpnet", "mpnet@862 classifier@22", ""},
    {"MPNetModel", "mpnet", "mpnet", "mpnet", "embeddings@171 encoder@861 pooler@172", ""},
    {"MT5EncoderModel", "mt5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention@865 "
     "layer_norm(weight[d_model]) DenseReluDense@866 EncDecAttention@869)))) final_layer_norm(weight[d_model]))", ""},
    {"MT5ForConditionalGeneration", "mt5", "", "transformer", "shared@127 encoder@875 decoder@879 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForQuestionAnswering", "mt5", "", "transformer", "shared@127 encoder@875 decoder@879 qa_outputs@139",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForSequenceClassification", "mt5", "", "transformer", "classification_head@140 transformer=:MT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForTokenClassification", "mt5", "", "transformer", "classifier@139 transformer=:MT5EncoderModel", ""},
    {"MT5Model", "mt5", "mt5", "transformer", "shared@127 encoder@875 decoder@879",
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
     "model(decoder(embed_tokens(weight[decoder_vocab_size,d_model]) embed_positions@185 layers@135)) "
     "lm_head(weight[decoder_vocab_size,d_model]?)", ""},
    {"MarianMTModel", "marian", "", "model",
     "model(shared@138 encoder(embed_tokens@138 embed_positions@880 layers@144) "
     "decoder(embed_tokens(weight[?,d_model]?) embed_positions@880 layers@135)) lm_head(weight[?,d_model]?) "
     "final_logits_bias[1,?]?", ""},
    {"MarianModel", "marian", "marian", "model",
     "shared@138 encoder(embed_tokens@138 embed_positions@185 layers@144) decoder(embed_tokens(weight[?,d_model]?)"
     " embed_positions@185 layers@135)", ""},
    {"MarkupLMForQuestionAnswering", "markuplm", "", "markuplm", "markuplm@889 qa_outputs@22", ""},
    {"MarkupLMForSequenceClassification", "markuplm", "", "markuplm", "classifier@22 markuplm=:MarkupLMModel", ""},
    {"MarkupLMForTokenClassification", "markuplm", "", "markuplm", "markuplm@889 classifier@22", ""},
    {"MarkupLMModel", "markuplm", "markuplm", "markuplm", "embeddings@888 encoder@511 pooler@172", ""},
    {"MegatronBertForCausalLM MegatronBertForMaskedLM", "megatron-bert", "", "bert", "bert@896 cls@168", ""},
    {"MegatronBertForMultipleChoice", "megatron-bert", "", "bert", "classifier@60 bert=:MegatronBertModel", ""},
    {"MegatronBertForNextSentencePrediction", "megatron-bert", "", "bert", "cls@169 bert=:MegatronBertModel", ""},
    {"MegatronBertForPreTraining", "megatron-bert", "", "bert", "cls@170 bert=:MegatronBertModel", ""},
    {"MegatronBertForQuestionAnswering", "megatron-bert", "", "bert", "bert@896 qa_outputs@22", ""},
    {"MegatronBertForSequenceClassification", "megatron-bert", "", "bert", "classifier@22 bert=:MegatronBertModel", ""},
    {"MegatronBertForTokenClassification", "megatron-bert", "", "bert", "bert@896 classifier@22", ""},
    {"MegatronBertModel", "megatron-bert", "megatron-bert", "bert", "embeddings@890 encoder@895 pooler@172", ""},
    {"MellumForCausalLM", "mellum", "", "model", "lm_head@0 model=:MellumModel", "^mtp\\."},
    {"MellumModel", "mellum", "mellum", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@482 mlp(experts@722 gate@573) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "^mtp\\."},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", "", "model", "lm_head@0 model=:MiMoV2FlashModel", "^model\\.mtp\\."},
    {"MiMoV2FlashModel", "mimo_v2_flash", "mimo_v2_flash", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@439 v_proj@439 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)]) attention_sink_bias[num_attention_heads]?) "
     "mlp(gate_proj@7 up_proj@7 down_proj@8 experts@12 gate@28) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "^model\\.mtp\\."},
    {"MiniCPM3ForCausalLM", "minicpm3", "", "model", "lm_head@191 model=:MiniCPM3Model", ""},
    {"MiniCPM3ForSequenceClassification", "minicpm3", "", "model", "score@21 model=:MiniCPM3Model", ""},
    {"MiniCPM3Model", "minicpm3", "minicpm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size] "
     "bias[q_lora_rank]?1) q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?1) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?1)) mlp@117 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniCPMOcrForConditionalGeneration", "minicpm_ocr", "", "model", "lm_head@98 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniCPMOcrModel MiniCPMV4_7Model", "minicpm_ocr minicpmv4_7", "minicpm_ocr minicpmv4_7", "model",
     "merger@900 vision_tower=vision_config:MiniCPMOcrVisionModel language_model=text_config:Qwen3_5TextModel",
     "^mtp.*"},
    {"MiniCPMOcrVisionModel MiniCPMV4_7VisionModel", "minicpm_ocr_vision minicpmv4_7_vision",
     "minicpm_ocr_vision minicpmv4_7_vision", "",
     "embeddings@667 encoder@903 post_layernorm@45 vit_merger(self_attn@193 layer_norm1@45 pre_norm(weight[?] "
     "bias[?]) linear_1(weight[?,?] bias[?]) linear_2@904)", ""},
    {"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "", "model", "lm_head@84 model=:MiniCPMV4_6Model", "^mtp.*"},
    {"MiniCPMV4_6Model", "minicpmv4_6", "minicpmv4_6", "model",
     "vision_tower(embeddings@661 encoder@907 post_layernorm@78 vit_merger(self_attn@504 layer_norm1@78 "
     "pre_norm(weight[?] bias[?]) linear_1(weight[?,?] bias[?]) linear_2@697)) merger@900 "
     "language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"MiniCPMV4_7ForConditionalGeneration", "minicpmv4_7", "", "model", "lm_head@84 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniMaxForCausalLM", "minimax", "", "model", "lm_head@0 model=:MiniMaxModel", ""},
    {"MiniMaxForQuestionAnswering", "minimax", "", "model", "qa_outputs@67 model=:MiniMaxModel", ""},
    {"MiniMaxForSequenceClassification", "minimax", "", "model", "score@21 model=:MiniMaxModel", ""},
    {"MiniMaxForTokenClassification", "minimax", "", "model", "score@22 model=:MiniMaxModel", ""},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "", "model", "lm_head@0 model=:MiniMaxM2Model", ""},
    {"MiniMaxM2Model", "minimax_m2", "minimax_m2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@33 k_proj@337 v_proj@337 o_proj@338 "
     "q_norm(weight[(num_attention_heads*head_dim)]) k_norm(weight[(num_key_value_heads*head_dim)])) "
     "block_sparse_moe(gate@573 experts@909 e_score_correction_bias[num_local_experts]) mlp@911 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "", "model",
     "vision_tower(vision_model(embeddings(patch_embedding@912) pre_layrnorm@78 encoder@507)) "
     "multi_modal_projector(linear_1@913 linear_2@914) patch_merge_mlp(linear_1@915 linear_2@914) "
     "language_model(model@932 lm_head@84)", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "", "model", "lm_head@0 model=:MiniMaxM3VLTextModel",
     "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLModel", "minimax_m3_vl", "minimax_m3_vl", "model",
     "vision_tower(embeddings(proj@912) pre_layrnorm@78 layers@506) multi_modal_projector(linear_1@913 "
     "linear_2@914 merge_linear_1@915 merge_linear_2@914) language_model@932", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLTextModel", "minimax_m3_vl_text", "minimax_m3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@721 mlp(gate@933 experts@576 "
     "shared_experts(gate_up_proj(weight[(2*shared_intermediate_size),hidden_size]) down_proj@571)) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "(^|\\.)mtp\\..*"},
    {"MiniMaxModel", "minimax", "minimax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@767 k_proj@768 v_proj@768 o_proj@769 "
     "norm(weight[((hidden_size/num_attention_heads)*num_attention_heads)]?0) "
     "qkv_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size]?0) out_proj@934 "
     "output_gate@935 slope_rate[?,?,?]?0 query_decay[?,?,?]?0 key_decay[?,?,?]?0 diagonal_decay[?,?,?,?]?0) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) block_sparse_moe@936 "
     "mlp@911)) norm(weight[hidden_size])", ""},
    {"Ministral3ForCausalLM MinistralForCausalLM", "ministral ministral3", "", "model",
     "lm_head@0 model=:Ministral3Model", ""},
    {"Ministral3ForQuestionAnswering MistralForQuestionAnswering", "ministral3 mistral", "", "model",
     "qa_outputs@67 model=:Ministral3Model", ""},
    {"Ministral3ForSequenceClassification MinistralForSequenceClassification MistralForSequenceClassification",
     "ministral ministral3 mistral", "", "model", "score@21 model=:Ministral3Model", ""},
    {"Ministral3ForTokenClassification MinistralForTokenClassification MistralForTokenClassification",
     "ministral ministral3 mistral", "", "model", "score@22 model=:Ministral3Model", ""},
    {"Ministral3Model MinistralModel", "ministral ministral3", "ministral ministral3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@339 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MinistralForQuestionAnswering", "ministral", "", "transformer", "qa_outputs@67 transformer=:Ministral3Model", ""},
    {"Mistral3ForConditionalGeneration", "mistral3", "", "model",
     "multi_modal_projector(norm@478 patch_merger@784 linear_1(weight[text_config.hidden_size,?] "
     "bias[text_config.hidden_size]?0) linear_2@90) language_model(model(embed_tokens@84 "
     "layers(#{text_config.num_hidden_layers}(self_attn@937 mlp@331 input_layernorm@332 "
     "post_attention_layernorm@332)) norm@332) lm_head@98) vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral3Model", "mistral3", "mistral3", "model",
     "multi_modal_projector@938 vision_tower=vision_config:PixtralVisionModel "
     "language_model(model=text_config:Ministral3Model)", ""},
    {"Mistral4ForCausalLM", "mistral4", "", "model", "lm_head@0 model=:Mistral4Model", ""},
    {"Mistral4ForSequenceClassification", "mistral4", "", "model", "score@21 model=:Mistral4Model", ""},
    {"Mistral4ForTokenClassification", "mistral4", "", "model", "score@22 model=:Mistral4Model", ""},
    {"Mistral4Model", "mistral4", "mistral4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@357 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@525 "
     "gate@939 shared_experts@16) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MistralForCausalLM", "mistral", "", "model", "lm_head@0 model=:MistralModel", ""},
    {"MistralLarge4ForConditionalGeneration", "mistral_large4", "", "model",
     "vision_encoder@945 pre_mm_projector_norm@478 patch_merger@784 vision_language_adapter(w_in@807 w_out@90) "
     "tok_embeddings@84 layers@967 norm@332 output@84 lerope(alpha[?])", "mtp_dspark\\..*"},
    {"MistralLarge4Model", "mistral_large4", "mistral_large4", "model",
     "vision_tower@945 multi_modal_projector@938 language_model(embed_tokens@84 layers@967 norm@332 "
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
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1=b)) experts@370 gate@939 shared_experts@16))"
     " norm(weight[hidden_size]) rotary_emb(alpha[?])", "mtp_dspark\\..*"},
    {"MistralModel", "mistral", "mistral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) "
     "k_proj(weight[?,hidden_size]) v_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?])) mlp@288 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MixtralForCausalLM", "mixtral", "", "model", "lm_head@0 model=:MixtralModel", ""},
    {"MixtralForQuestionAnswering", "mixtral", "", "model", "qa_outputs@67 model=:MixtralModel", ""},
    {"MixtralForSequenceClassification", "mixtral", "", "model", "score@21 model=:MixtralModel", ""},
    {"MixtralForTokenClassification", "mixtral", "", "model", "score@22 model=:MixtralModel", ""},
    {"MixtralModel", "mixtral", "mixtral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@396 block_sparse_moe@936 mlp@911 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MllamaForCausalLM", "mllama_text_model", "", "language_model", "lm_head@0 model=:MllamaTextModel", ""},
    {"MllamaForConditionalGeneration", "mllama", "", "model",
     "multi_modal_projector@968 language_model(lm_head@84 model=text_config:MllamaTextModel) "
     "vision_model=vision_config:MllamaVisionModel", ""},
    {"MllamaModel", "mllama", "mllama", "model",
     "multi_modal_projector@968 vision_model=vision_config:MllamaVisionModel "
     "language_model(model=text_config:MllamaTextModel)", ""},
    {"MllamaTextModel", "mllama_text_model", "", "language_model.model",
     "embed_tokens(weight[(vocab_size+8),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj@767 k_proj@768"
     " v_proj@768 o_proj@769) mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) cross_attn_attn_gate[1]?0 cross_attn_mlp_gate[1]?0 "
     "cross_attn(q_proj@935 k_proj@969 v_proj@969 o_proj@934 q_norm@672 k_norm@672))) norm(weight[hidden_size])", ""},
    {"MllamaVisionModel", "mllama_vision_model", "", "vision_model",
     "class_embedding[hidden_size] patch_embedding@268 gated_positional_embedding(gate[1] "
     "embedding[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] tile_embedding(weight[?,((max_n"
     "um_tiles*(((image_size/patch_size)*(image_size/patch_size))+1))*hidden_size)])) "
     "pre_tile_positional_embedding@971 post_tile_positional_embedding@971 layernorm_pre@45 layernorm_post@45 "
     "transformer(layers(#{num_hidden_layers}(self_attn@974 mlp@264 input_layernorm@45 "
     "post_attention_layernorm@45))) global_transformer(layers(#{num_global_layers}(gate_attn[1] gate_ffn[1] "
     "self_attn@974 mlp@264 input_layernorm@45 post_attention_layernorm@45)))", ""},
    {"MobileBertForMaskedLM", "mobilebert", "", "mobilebert", "mobilebert@1004 cls(predictions@1006)", ""},
    {"MobileBertForMultipleChoice", "mobilebert", "", "mobilebert", "classifier@60 mobilebert=:MobileBertModel", ""},
    {"MobileBertForNextSentencePrediction", "mobilebert", "", "mobilebert", "cls@169 mobilebert=:MobileBertModel", ""},
    {"MobileBertForPreTraining", "mobilebert", "", "mobilebert",
     "cls(predictions@1006 seq_relationship@67) mobilebert=:MobileBertModel", ""},
    {"MobileBertForQuestionAnswering", "mobilebert", "", "mobilebert", "mobilebert@1004 qa_outputs@22", ""},
    {"MobileBertForSequenceClassification", "mobilebert", "", "mobilebert", "classifier@22 mobilebert=:MobileBertModel",
     ""},
    {"MobileBertForTokenClassification", "mobilebert", "", "mobilebert", "mobilebert@1004 classifier@22", ""},
    {"MobileBertModel", "mobilebert", "mobilebert", "mobilebert", "embeddings@976 encoder@1003 pooler@406", ""},
    {"ModernBertDecoderForCausalLM", "modernbert-decoder", "", "model",
     "lm_head@1009 decoder@166 model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderForSequenceClassification", "modernbert-decoder", "", "model",
     "head(dense@476 norm@1008) classifier(weight[num_labels,hidden_size] bias[num_labels]?0) "
     "model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderModel", "modernbert-decoder", "modernbert-decoder", "model",
     "embeddings@1011 layers(#{num_hidden_layers}(attn(q_proj@1012 k_proj@1012 v_proj@1012 Wo@476) mlp_norm@1008 "
     "mlp@1014 attn_norm@1015)) final_norm@1010", ""},
    {"ModernBertForMaskedLM", "modernbert", "", "model", "head@1009 decoder@166 model=:ModernBertModel", ""},
    {"ModernBertForMultipleChoice", "modernbert", "", "model", "head@1009 classifier@60 model=:ModernBertModel", ""},
    {"ModernBertForQuestionAnswering ModernBertForSequenceClassification ModernBertForTokenClassification",
     "modernbert", "", "model", "head@1009 classifier@22 model=:ModernBertModel", ""},
    {"ModernBertModel", "modernbert", "modernbert", "model",
     "embeddings@1011 layers(#{num_hidden_layers}(attn(Wqkv(weight[((3*(hidden_size/num_attention_heads))*num_atte"
     "ntion_heads),hidden_size] bias[((3*(hidden_size/num_attention_heads))*num_attention_heads)]?0) Wo@476) "
     "mlp_norm@1008 mlp@1014 attn_norm@1015)) final_norm@1010", ""},
    {"ModernVBertForMaskedLM", "modernvbert", "", "model",
     "projection_head@1018 lm_head(weight[text_config.vocab_size,text_config.hidden_size] "
     "bias[text_config.vocab_size]?) model=:ModernVBertModel", ""},
    {"ModernVBertForSequenceClassification ModernVBertForTokenClassification", "modernvbert", "", "model",
     "head@1018 classifier@1019 model=:ModernVBertModel", ""},
    {"ModernVBertModel", "modernvbert", "modernvbert", "model",
     "connector(modality_projection@1020) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:ModernBertModel", ""},
    {"MoonshineForConditionalGeneration", "moonshine", "", "model", "proj_out@191 model=:MoonshineModel", ""},
    {"MoonshineModel", "moonshine", "moonshine", "model",
     "encoder(conv1(weight[hidden_size,1,?]) conv2(weight[(2*hidden_size),(hidden_size/1),?] "
     "bias[(2*hidden_size)]) conv3(weight[hidden_size,((2*hidden_size)/1),?] bias[hidden_size]) groupnorm@45 "
     "layers(#{encoder_num_hidden_layers}(self_attn@1024 mlp@264 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) layer_norm(weight[hidden_size])) decoder(embed_tokens@0 "
     "layers(#{decoder_num_hidden_layers}(self_attn@1024 encoder_attn@1024 "
     "mlp(fc1(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]) fc2@50) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "final_layernorm(weight[hidden_size]))) norm(weight[hidden_size]))", ""},
    {"MoshiForCausalLM", "moshi", "", "model", "lm_head@0 model=:MoshiModel", ""},
    {"MoshiModel", "moshi", "moshi", "model",
     "embed_tokens(weight[(vocab_size+1),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj(linear@33) "
     "k_proj@1025 v_proj@1025 o_proj(linear@338)) mlp(fc1(weight[ffn_dim,hidden_size]) "
     "fc2(weight[hidden_size,(ffn_dim/2)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MossTranscribeDiarizeForConditionalGeneration", "moss_transcribe_diarize", "", "model",
     "lm_head@98 model=:MossTranscribeDiarizeModel", ""},
    {"MossTranscribeDiarizeModel", "moss_transcribe_diarize", "moss_transcribe_diarize", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(audio_config.hidden_size*audio_merge_size)] "
     "bias[text_config.hidden_size]?0) linear_2@90 norm@216) audio_tower=audio_config:AudioFlamingo3Encoder "
     "language_model=text_config:Qwen3Model", ""},
    {"MptForCausalLM", "mpt", "", "transformer", "lm_head@138 transformer=:MptModel", ""},
    {"MptForQuestionAnswering", "mpt", "", "transformer", "qa_outputs(weight[2,d_model] bias[2]) transformer=:MptModel",
     ""},
    {"MptForSequenceClassification", "mpt", "", "transformer",
     "score(weight[num_labels,d_model]) transformer=:MptModel", ""},
    {"MptForTokenClassification", "mpt", "", "transformer", "classifier@139 transformer=:MptModel", ""},
    {"MptModel", "mpt", "mpt", "transformer",
     "wte@127 blocks(#{n_layers}(norm_1(weight[d_model]) attn(Wqkv(weight[(3*d_model),d_model]) out_proj@1026) "
     "norm_2(weight[d_model]) ffn(up_proj(weight[(4*d_model),d_model]) down_proj(weight[d_model,(4*d_model)])))) "
     "norm_f(weight[d_model])", ""},
    {"MraForMaskedLM", "mra", "", "mra", "cls@168 mra=:MraModel", ""},
    {"MraForMultipleChoice", "mra", "", "mra", "pre_classifier@47 classifier@60 mra=:MraModel", ""},
    {"MraForQuestionAnswering", "mra", "", "mra", "qa_outputs@22 mra=:MraModel", ""},
    {"MraForSequenceClassification", "mra", "", "mra", "classifier@184 mra=:MraModel", ""},
    {"MraForTokenClassification", "mra", "", "mra", "classifier@22 mra=:MraModel", ""},
    {"MraModel", "mra", "mra", "mra",
     "embeddings(word_embeddings@0 position_embeddings@192 token_type_embeddings@149 LayerNorm@45 "
     "position_ids[?,?]) encoder@511", ""},
    {"MuseGlimmerForConditionalGeneration", "muse_glimmer", "", "model", "lm_head@84 model=:MuseGlimmerModel", ""},
    {"MuseGlimmerModel", "muse_glimmer", "muse_glimmer", "model",
     "vision_adapter(fc1(weight[projector_hidden_size,out_hidden_size]) "
     "fc2(weight[projector_hidden_size,projector_hidden_size])) "
     "vision_projection(weight[text_config.hidden_size,projector_hidden_size]) "
     "vision_tower=vision_config:MuseGlimmerVisionModel language_model=text_config:MuseGlimmerTextModel", ""},
    {"MuseGlimmerTextModel", "muse_glimmer_text", "muse_glimmer_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@1027 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MuseGlimmerVisionModel", "muse_glimmer_vision", "muse_glimmer_vision", "model",
     "patch_embedder(patch_embedding(weight[hidden_size,((patch_temporal*3)*(patch_size*patch_size))]) "
     "position_embedding_table(weight[(pos_emb_height*pos_emb_width),hidden_size])) ln_pre@45 "
     "layers(#{num_hidden_layers}(norm1@45 norm2@45 attn(proj@47 q_proj@47 k_proj@47 v_proj@47) mlp@264)) "
     "ln_post@45", ""},
    {"MuseSparkTextModel", "muse_spark_text", "muse_spark_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@1027 mlp(gate@933 "
     "pre_expert_proj(weight[moe_hidden_size,hidden_size]) pre_expert_norm@1028 "
     "experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),moe_hidden_size] "
     "down_proj[num_local_experts,moe_hidden_size,moe_intermediate_size] post_expert_norm@1028) "
     "post_expert_proj(weight[hidden_size,moe_hidden_size])) input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]) "
     "post_attention_residual_gate(gate[hidden_size]) post_feedforward_residual_gate(gate[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MvpForCausalLM PLBartForCausalLM", "mvp plbart", "", "model", "model@137 lm_head@138", ""},
    {"MvpForConditionalGeneration", "mvp", "", "model", "lm_head@138 final_logits_bias[1,vocab_size] model=:MvpModel",
     "final_logits_bias"},
    {"MvpForQuestionAnswering", "mvp", "", "model", "qa_outputs@139 model=:MvpModel", "final_logits_bias"},
    {"MvpForSequenceClassification", "mvp", "", "model", "classification_head@140 model=:MvpModel", "final_logits_bias"},
    {"MvpModel", "mvp", "mvp", "model",
     "shared@127 encoder@145 decoder(embed_tokens@138 embed_positions@128 layers@135 layernorm_embedding@131 "
     "self_attn_prompt@1033 cross_attn_prompt@1033)", "final_logits_bias"},
    {"NanoChatForCausalLM", "nanochat", "", "model", "lm_head@0 model=:NanoChatModel", ""},
    {"NanoChatModel", "nanochat", "nanochat", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 mlp(fc1@65 fc2@66)))", ""},
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
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?6) k_proj@1034 v_proj@1034 "
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
    {"NeoMMEModel", "neomme", "neomme", "model", "embed_tokens(word_embeddings(weight[vocab_size,embedding_rank]) "
     "embedding_projection(weight[hidden_size,embedding_rank])) "
     "patch_embeddings(norm(weight[(3*(patch_size*patch_size))] bias[(3*(patch_size*patch_size))]) "
     "up_proj(weight[(hidden_size*2),(3*(patch_size*patch_size))]) down_proj(weight[hidden_size,(hidden_size*2)] "
     "bias[hidden_size])) layers(#{num_hidden_layers}(lambdas[?] self_attn(q_proj@68 k_proj@69 v_proj@69 "
     "exclusive_self_attention(alpha[num_attention_heads]) output_projection(gate_proj@33 o_proj@70)) mlp@74)) "
     "value_embeddings(weight[vocab_size,(num_key_value_heads*head_dim)])", ""},
    {"NllbMoeForConditionalGeneration", "nllb-moe", "", "model", "lm_head@138 model=:NllbMoeModel", ""},
    {"NllbMoeModel", "nllb-moe", "nllb-moe", "model",
     "shared@127 encoder(embed_tokens@138 layers(#{}(self_attn@130 self_attn_layer_norm@131 "
     "ffn(fc1(weight[encoder_ffn_dim,d_model]?1 bias[encoder_ffn_dim]?1) fc2(weight[d_model,encoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1036 experts(expert_0@1039 expert_1@1039 expert_2@1039 expert_3@1039 expert_4@1039 "
     "expert_5@1039 expert_6@1039 expert_7@1039 expert_8@1039 expert_9@1039 expert_10@1039 expert_11@1039 "
     "expert_12@1039 expert_13@1039 expert_14@1039 expert_15@1039 expert_16@1039 expert_17@1039 expert_18@1039 "
     "expert_19@1039 expert_20@1039 expert_21@1039 expert_22@1039 expert_23@1039 expert_24@1039 expert_25@1039 "
     "expert_26@1039 expert_27@1039 expert_28@1039 expert_29@1039 expert_30@1039 expert_31@1039 expert_32@1039 "
     "expert_33@1039 expert_34@1039 expert_35@1039 expert_36@1039 expert_37@1039 expert_38@1039 expert_39@1039 "
     "expert_40@1039 expert_41@1039 expert_42@1039 expert_43@1039 expert_44@1039 expert_45@1039 expert_46@1039 "
     "expert_47@1039 expert_48@1039 expert_49@1039 expert_50@1039 expert_51@1039 expert_52@1039 expert_53@1039 "
     "expert_54@1039 expert_55@1039 expert_56@1039 expert_57@1039 expert_58@1039 expert_59@1039 expert_60@1039 "
     "expert_61@1039 expert_62@1039 expert_63@1039 expert_64@1039 expert_65@1039 expert_66@1039 expert_67@1039 "
     "expert_68@1039 expert_69@1039 expert_70@1039 expert_71@1039 expert_72@1039 expert_73@1039 expert_74@1039 "
     "expert_75@1039 expert_76@1039 expert_77@1039 expert_78@1039 expert_79@1039 expert_80@1039 expert_81@1039 "
     "expert_82@1039 expert_83@1039 expert_84@1039 expert_85@1039 expert_86@1039 expert_87@1039 expert_88@1039 "
     "expert_89@1039 expert_90@1039 expert_91@1039 expert_92@1039 expert_93@1039 expert_94@1039 expert_95@1039 "
     "expert_96@1039 expert_97@1039 expert_98@1039 expert_99@1039 expert_100@1039 expert_101@1039 expert_102@1039 "
     "expert_103@1039 expert_104@1039 expert_105@1039 expert_106@1039 expert_107@1039 expert_108@1039 "
     "expert_109@1039 expert_110@1039 expert_111@1039 expert_112@1039 expert_113@1039 expert_114@1039 "
     "expert_115@1039 expert_116@1039 expert_117@1039 expert_118@1039 expert_119@1039 expert_120@1039 "
     "expert_121@1039 expert_122@1039 expert_123@1039 expert_124@1039 expert_125@1039 expert_126@1039 "
     "expert_127@1039)) ff_layer_norm@131)) layer_norm@131) decoder(embed_tokens@138 layers(#{}(self_attn@130 "
     "self_attn_layer_norm@131 cross_attention@130 cross_attention_layer_norm@131 "
     "ffn(fc1(weight[decoder_ffn_dim,d_model]?1 bias[decoder_ffn_dim]?1) fc2(weight[d_model,decoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1036 experts(expert_0@1042 expert_1@1042 expert_2@1042 expert_3@1042 expert_4@1042 "
     "expert_5@1042 expert_6@1042 expert_7@1042 expert_8@1042 expert_9@1042 expert_10@1042 expert_11@1042 "
     "expert_12@1042 expert_13@1042 expert_14@1042 expert_15@1042 expert_16@1042 expert_17@1042 expert_18@1042 "
     "expert_19@1042 expert_20@1042 expert_21@1042 expert_22@1042 expert_23@1042 expert_24@1042 expert_25@1042 "
     "expert_26@1042 expert_27@1042 expert_28@1042 expert_29@1042 expert_30@1042 expert_31@1042 expert_32@1042 "
     "expert_33@1042 expert_34@1042 expert_35@1042 expert_36@1042 expert_37@1042 expert_38@1042 expert_39@1042 "
     "expert_40@1042 expert_41@1042 expert_42@1042 expert_43@1042 expert_44@1042 expert_45@1042 expert_46@1042 "
     "expert_47@1042 expert_48@1042 expert_49@1042 expert_50@1042 expert_51@1042 expert_52@1042 expert_53@1042 "
     "expert_54@1042 expert_55@1042 expert_56@1042 expert_57@1042 expert_58@1042 expert_59@1042 expert_60@1042 "
     "expert_61@1042 expert_62@1042 expert_63@1042 expert_64@1042 expert_65@1042 expert_66@1042 expert_67@1042 "
     "expert_68@1042 expert_69@1042 expert_70@1042 expert_71@1042 expert_72@1042 expert_73@1042 expert_74@1042 "
     "expert_75@1042 expert_76@1042 expert_77@1042 expert_78@1042 expert_79@1042 expert_80@1042 expert_81@1042 "
     "expert_82@1042 expert_83@1042 expert_84@1042 expert_85@1042 expert_86@1042 expert_87@1042 expert_88@1042 "
     "expert_89@1042 expert_90@1042 expert_91@1042 expert_92@1042 expert_93@1042 expert_94@1042 expert_95@1042 "
     "expert_96@1042 expert_97@1042 expert_98@1042 expert_99@1042 expert_100@1042 expert_101@1042 expert_102@1042 "
     "expert_103@1042 expert_104@1042 expert_105@1042 expert_106@1042 expert_107@1042 expert_108@1042 "
     "expert_109@1042 expert_110@1042 expert_111@1042 expert_112@1042 expert_113@1042 expert_114@1042 "
     "expert_115@1042 expert_116@1042 expert_117@1042 expert_118@1042 expert_119@1042 expert_120@1042 "
     "expert_121@1042 expert_122@1042 expert_123@1042 expert_124@1042 expert_125@1042 expert_126@1042 "
     "expert_127@1042)) ff_layer_norm@131)) layer_norm@131)", ""},
    {"NomicBertForMaskedLM", "nomic_bert", "", "nomic_bert",
     "cls(predictions(bias[vocab_size] transform(dense@47 layer_norm@45) decoder@166)) nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertForSequenceClassification", "nomic_bert", "", "nomic_bert",
     "nomic_bert(embeddings@711 emb_ln@45 pooler@172 encoder@1049) classifier@22", "inv_freq original_inv_freq"},
    {"NomicBertForTokenClassification", "nomic_bert", "", "nomic_bert", "classifier@22 nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertModel", "nomic_bert", "nomic_bert", "nomic_bert", "embeddings@711 emb_ln@45 encoder@1049",
     "inv_freq original_inv_freq"},
    {"NystromformerForMaskedLM", "nystromformer", "", "nystromformer", "cls@168 nystromformer=:NystromformerModel", ""},
    {"NystromformerForMultipleChoice", "nystromformer", "", "nystromformer",
     "pre_classifier@47 classifier@60 nystromformer=:NystromformerModel", ""},
    {"NystromformerForQuestionAnswering", "nystromformer", "", "nystromformer",
     "qa_outputs@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerForSequenceClassification", "nystromformer", "", "nystromformer",
     "classifier@184 nystromformer=:NystromformerModel", ""},
    {"NystromformerForTokenClassification", "nystromformer", "", "nystromformer",
     "classifier@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerModel", "nystromformer", "nystromformer", "nystromformer",
     "embeddings@1050 encoder(layer(#{num_hidden_layers}(attention(self(query@46 key@46 value@46 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_kernel_size,1])) output@152) "
     "intermediate@154 output@155)))", ""},
    {"OPTForCausalLM", "opt", "", "model", "lm_head(weight[vocab_size,word_embed_proj_dim]?) model=:OPTModel", ""},
    {"OPTForQuestionAnswering", "opt", "", "model", "qa_outputs(weight[2,word_embed_proj_dim] bias[2]) model=:OPTModel",
     ""},
    {"OPTForSequenceClassification", "opt", "", "model",
     "score(weight[num_labels,word_embed_proj_dim]) model=:OPTModel", ""},
    {"OPTModel", "opt", "opt", "model",
     "decoder(embed_tokens(weight[vocab_size,word_embed_proj_dim]) embed_positions@192 final_layer_norm@159 "
     "layers(#{num_hidden_layers}(self_attn(k_proj@476 v_proj@476 q_proj@476 out_proj@476) "
     "self_attn_layer_norm@178 fc1(weight[ffn_dim,hidden_size] bias[ffn_dim]?0) fc2(weight[hidden_size,ffn_dim] "
     "bias[hidden_size]?0) final_layer_norm@178)) project_out(weight[word_embed_proj_dim,hidden_size]?1) "
     "project_in(weight[hidden_size,word_embed_proj_dim]?1))", ""},
    {"Olmo2ForCausalLM Olmo3ForCausalLM", "olmo2 olmo3", "", "model", "lm_head@0 model=:Olmo2Model", ""},
    {"Olmo2ForSequenceClassification Olmo3ForSequenceClassification", "olmo2 olmo3", "", "model",
     "score@21 model=:Olmo2Model", ""},
    {"Olmo2Model Olmo3Model", "olmo2 olmo3", "olmo2 olmo3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@448 mlp@288 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OlmoForCausalLM", "olmo", "", "model", "lm_head@0 model=:OlmoModel", ""},
    {"OlmoForSequenceClassification", "olmo", "", "model", "score@21 model=:OlmoModel", ""},
    {"OlmoHybridForCausalLM", "olmo_hybrid", "", "model", "lm_head@0 model=:OlmoHybridModel", "^mtp.*"},
    {"OlmoHybridModel", "olmo_hybrid", "olmo_hybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mlp@288 attention_layer_norm(weight[hidden_size]?0) "
     "feedforward_layer_norm(weight[hidden_size]) linear_attn(A_log[?]?0 dt_bias[?]?0 q_proj@1051 k_proj@1051 "
     "v_proj@1052 a_proj@1053 b_proj@1053 g_proj@1052 o_proj@1054 conv1d(weight[(((linear_key_head_dim*linear_num_"
     "key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear_key_head_dim*linear_num_key_heads)*"
     "2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_v"
     "alue_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0=a) q_conv1d@1055 k_conv1d@1055 "
     "v_conv1d@1055 o_norm@1056) "
     "self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2) k_proj@1057 v_proj@1057 "
     "o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1 bias[hidden_size]?2) "
     "q_norm(weight[(num_attention_heads*(hidden_size/num_attention_heads))]?1) "
     "k_norm(weight[(num_key_value_heads*(hidden_size/num_attention_heads))]?1)) "
     "post_feedforward_layernorm(weight[hidden_size]?1))) norm(weight[hidden_size])", "^mtp.*"},
    {"OlmoModel", "olmo", "olmo", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 mlp@288))", ""},
    {"OlmoeForCausalLM", "olmoe", "", "model", "lm_head@0 model=:OlmoeModel", ""},
    {"OlmoeModel", "olmoe", "olmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "q_norm(weight[hidden_size]) k_norm(weight[((hidden_size/num_attention_heads)*num_key_value_heads)])) mlp@294"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OpenAIGPTForSequenceClassification", "openai-gpt", "", "transformer", "score@269 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTLMHeadModel", "openai-gpt", "", "transformer", "lm_head@468 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTModel", "openai-gpt", "openai-gpt", "transformer",
     "tokens_embed@270 positions_embed@469 h(#{n_layer}(attn(c_attn(weight[n_embd,(n_embd*3)] bias[(n_embd*3)]) "
     "c_proj@271) ln_1@272 mlp@677 ln_2@272))", ""},
    {"Ovis2ForConditionalGeneration", "ovis2", "", "model", "lm_head@98 model=:Ovis2Model", ""},
    {"Ovis2Model", "ovis2", "ovis2", "model",
     "vision_tower(transformer(embeddings(patch_embedding@553 position_embedding@660 rms_norm@478) "
     "encoder(layers(#{vision_config.num_hidden_layers}(attention(k_proj@1058 v_proj@1058 q_proj@1058 "
     "out_proj@1058) ffn(gate_proj@1059 up_proj@1059 "
     "down_proj(weight[vision_config.hidden_size,vision_config.intermediate_size] "
     "bias[vision_config.hidden_size]?1)) rms_norm1@478 rms_norm2@478))) rms_norm@478) head_linear(weight[(vision_"
     "config.vocab_size-vision_config.num_visual_indicator_tokens),((vision_config.hidden_size*vision_config.hidde"
     "n_stride)*vision_config.hidden_stride)]) "
     "head_norm(weight[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)] "
     "bias[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)])) "
     "visual_embeddings_table(weight[vision_config.vocab_size,hidden_size]) language_model=text_config:Qwen2Model", ""},
    {"PI0ForConditionalGeneration", "pi0", "", "model",
     "paligemma_with_expert(gemma_expert(lm_head(weight[dit_config.vocab_size,dit_config.hidden_size]) model(layer"
     "s(#{dit_config.num_hidden_layers}(self_attn(q_proj(weight[(dit_config.num_attention_heads*dit_config.head_di"
     "m),dit_config.hidden_size]) k_proj@1060 v_proj@1060 "
     "o_proj(weight[dit_config.hidden_size,(dit_config.num_attention_heads*dit_config.head_dim)])) "
     "mlp(gate_proj@1061 up_proj@1061 down_proj(weight[dit_config.hidden_size,dit_config.intermediate_size])) "
     "input_layernorm@1062 post_attention_layernorm@1062)) norm@1062)) paligemma(model=vlm_config:PaliGemmaModel))"
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
    {"PPFormulaNetForConditionalGeneration", "pp_formulanet", "", "model", "model(decoder(embed_tokens@1063 "
     "embed_positions(weight[(text_config.max_position_embeddings+2),text_config.d_model]) "
     "layers(#{text_config.decoder_layers}(self_attn@1065 self_attn_layer_norm@1066 encoder_attn@1065 "
     "encoder_attn_layer_norm@1066 fc1(weight[text_config.decoder_ffn_dim,text_config.d_model] "
     "bias[text_config.decoder_ffn_dim]) fc2(weight[text_config.d_model,text_config.decoder_ffn_dim] "
     "bias[text_config.d_model]) final_layer_norm@1066)) layernorm_embedding@1066 layer_norm@1066) encoder(pos_emb"
     "ed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patch_size)"
     ",vision_config.hidden_size]? patch_embed@554 layers@561 neck@565 multi_modal_projector(conv1(weight[vision_c"
     "onfig.post_conv_mid_channels,(vision_config.post_conv_in_channels/1),?,?]) "
     "conv2(weight[vision_config.post_conv_out_channels,(vision_config.post_conv_mid_channels/1),?,?]) "
     "linear_1(weight[vision_config.post_conv_out_channels,vision_config.post_conv_out_channels] "
     "bias[vision_config.post_conv_out_channels]) "
     "linear_2(weight[vision_config.decoder_hidden_size,vision_config.post_conv_out_channels] "
     "bias[vision_config.decoder_hidden_size])))) lm_head@1063", ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "", "model",
     "visual@1068 model@1078 mlp_AR@1081 lm_head@98", "packing_position_embedding vision_model.head"},
    {"PaddleOCRVLModel", "paddleocr_vl", "paddleocr_vl", "model", "visual@1068 language_model@1078 projector@1081",
     "packing_position_embedding vision_model.head"},
    {"PaliGemmaForConditionalGeneration", "paligemma", "", "model",
     "multi_modal_projector@1082 language_model(model(embed_tokens@84 "
     "layers(#{text_config.num_hidden_layers}(self_attn@937 mlp@331 input_layernorm@332 "
     "post_attention_layernorm@332 pre_feedforward_layernorm@1083 post_feedforward_layernorm@1083)) norm@332) "
     "lm_head@98) vision_tower=vision_config:SiglipVisionModel", ""},
    {"PaliGemmaModel", "paligemma", "paligemma", "model",
     "multi_modal_projector@1082 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:GemmaModel)", ""},
    {"ParakeetEncoder", "parakeet_encoder", "parakeet_encoder", "encoder",
     "subsampling(layers(0(weight[subsampling_conv_channels,1,subsampling_conv_kernel_size,subsampling_conv_kernel"
     "_size] bias[subsampling_conv_channels]) 2@1084 3@1085 5@1084 6@1085) "
     "linear(weight[hidden_size,(subsampling_conv_channels*(num_mel_bins/8))] bias[hidden_size])) "
     "layers(#{num_hidden_layers}(feed_forward1@1086 "
     "self_attn(bias_u[num_attention_heads,(hidden_size/num_attention_heads)] "
     "bias_v[num_attention_heads,(hidden_size/num_attention_heads)] q_proj@304 k_proj@305 v_proj@305 o_proj@306 "
     "relative_k_proj@393) conv(pointwise_conv1(weight[(2*hidden_size),(hidden_size/1),1] bias[(2*hidden_size)]?0)"
     " depthwise_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size] bias[hidden_size]?0) "
     "norm@1087 pointwise_conv2(weight[hidden_size,(hidden_size/1),1] bias[hidden_size]?0)) feed_forward2@1086 "
     "norm_feed_forward1@45 norm_self_att@45 norm_conv@45 norm_feed_forward2@45 norm_out@45))", ""},
    {"PegasusXForConditionalGeneration", "pegasus_x", "", "model", "lm_head@138 model=:PegasusXModel", ""},
    {"PegasusXModel", "pegasus_x", "pegasus_x", "model",
     "shared@127 encoder(embed_tokens@138 embed_global(weight[num_global_tokens,d_model]) "
     "layers(#{encoder_layers}(self_attn@1088 self_attn_layer_norm@131 global_self_attn_layer_norm@131 fc1@141 "
     "fc2@142 final_layer_norm@131)) layer_norm@131) decoder(embed_tokens@138 "
     "layers(#{decoder_layers}(self_attn@1088 self_attn_layer_norm@131 encoder_attn@1088 "
     "encoder_attn_layer_norm@131 fc1@132 fc2@133 final_layer_norm@131)) layer_norm@131)", ""},
    {"PersimmonForCausalLM", "persimmon", "", "model", "lm_head@0 model=:PersimmonModel", ""},
    {"PersimmonForSequenceClassification", "persimmon", "", "model", "score@21 model=:PersimmonModel", ""},
    {"PersimmonForTokenClassification", "persimmon", "", "model", "score@22 model=:PersimmonModel", ""},
    {"PersimmonModel", "persimmon", "persimmon", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(query_key_value@235 dense@545 q_layernorm@1089 "
     "k_layernorm@1089) mlp@477 input_layernorm@45 post_attention_layernorm@45)) final_layernorm@45", ""},
    {"Phi3ForCausalLM", "phi3", "", "model", "lm_head@0 model=:Phi3Model", ""},
    {"Phi3ForSequenceClassification", "phi3", "", "model", "score@21 model=:Phi3Model", ""},
    {"Phi3ForTokenClassification", "phi3", "", "model", "score@22 model=:Phi3Model", ""},
    {"Phi3Model", "phi3", "phi3", "model", "embed_tokens@0 layers@1093 norm(weight[hidden_size])", ""},
    {"Phi4MultimodalForCausalLM", "phi4_multimodal", "", "model", "lm_head@0 model=:Phi4MultimodalModel", ""},
    {"Phi4MultimodalModel", "phi4_multimodal", "phi4_multimodal", "model",
     "embed_tokens@0 layers@1093 norm(weight[hidden_size]) "
     "embed_tokens_extend(image_embed(global_img_feature_extensor[1,1,vision_config.hidden_size] "
     "sub_img_feature_extensor[1,1,1,vision_config.hidden_size] img_processor(embeddings@661 encoder@907 "
     "post_layernorm@78 head(probe[1,1,vision_config.hidden_size] attention@77 layernorm@78 mlp@200)) "
     "img_projection_up@512 img_projection_down@47) "
     "audio_embed(encoder(embed(conv(0(weight[audio_config.nemo_conv_channels,1,?,?] "
     "bias[audio_config.nemo_conv_channels]) 2@1094 3@1095 5@1094 6@1095) "
     "out(weight[audio_config.hidden_size,(audio_config.nemo_conv_channels*audio_config.nemo_final_size)] "
     "bias[audio_config.hidden_size])) "
     "relative_attention_bias_layer(bias_values(weight[?,audio_config.num_attention_heads])) "
     "encoders(#{audio_config.num_blocks}(feed_forward_in@1099 self_attn(q_proj@1100 k_proj@1100 v_proj@1100 o_pro"
     "j(weight[audio_config.hidden_size,(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.n"
     "um_attention_heads))] bias[audio_config.hidden_size])) conv(layer_norm@1096 "
     "glu(b1[1,audio_config.ext_pw_out_channel,1] b2[1,audio_config.ext_pw_out_channel,1] "
     "ext_pw_conv_1d(weight[(audio_config.ext_pw_out_channel*2),(audio_config.hidden_size/1),1] "
     "bias[(audio_config.ext_pw_out_channel*2)])) dw_sep_conv_1d(dw_conv(weight[(audio_config.hidden_size*audio_co"
     "nfig.depthwise_multiplier),(audio_config.hidden_size/audio_config.hidden_size),audio_config.kernel_size] "
     "bias[(audio_config.hidden_size*audio_config.depthwise_multiplier)]) pw_conv(weight[audio_config.depthwise_se"
     "parable_out_channel,((audio_config.hidden_size*audio_config.depthwise_multiplier)/1),1] "
     "bias[audio_config.depthwise_separable_out_channel])) "
     "ext_pw_conv_1d(weight[audio_config.ext_pw_out_channel,(audio_config.hidden_size/1),1] "
     "bias[audio_config.ext_pw_out_channel])) feed_forward_out@1099 layer_norm_att@1096 layer_norm@1096)) "
     "encoder_embedding(global_mean[audio_config.input_size] global_invstd[audio_config.input_size])) "
     "up_proj_for_speech@1101 down_proj_for_speech@47 up_proj_for_vision_speech@1101 "
     "down_proj_for_vision_speech@47))", ""},
    {"PhiForCausalLM", "phi", "", "model", "lm_head@295 model=:PhiModel", ""},
    {"PhiForSequenceClassification", "phi", "", "model", "score@21 model=:PhiModel", ""},
    {"PhiForTokenClassification", "phi", "", "model", "score@22 model=:PhiModel", ""},
    {"PhiModel", "phi", "phi", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@543 v_proj@543 dense@545 "
     "q_layernorm@1089 k_layernorm@1089) mlp@264 input_layernorm@45)) final_layernorm@45", ""},
    {"PhimoeForCausalLM", "phimoe", "", "model", "lm_head@418 model=:PhimoeModel", ""},
    {"PhimoeForSequenceClassification", "phimoe", "", "model", "score@21 model=:PhimoeModel", ""},
    {"PhimoeModel", "phimoe", "phimoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 block_sparse_moe@936 mlp@911 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"Pix2StructForConditionalGeneration", "pix2struct", "", "",
     "encoder(embeddings(patch_projection@749 row_embedder@1102 column_embedder@1102) "
     "encoder(layer(#{vision_config.num_hidden_layers}(attention(query@1103 key@1103 value@1103 "
     "output(weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.d_kv)])) "
     "mlp(wi_0@1104 wi_1@1104 wo(weight[vision_config.hidden_size,vision_config.d_ff])) pre_mlp_layer_norm@478 "
     "pre_attention_layer_norm@478))) layernorm@478) decoder(embed_tokens@84 "
     "layer(#{text_config.num_layers}(self_attention(attention(query@81 key@81 value@81 output@81 "
     "relative_attention_bias(weight[text_config.relative_attention_num_buckets,text_config.num_heads]?)) "
     "layer_norm@332) encoder_decoder_attention(attention(query@81 key@81 value@81 output@81) layer_norm@332) "
     "mlp(DenseReluDense(wi_0@1105 wi_1@1105 wo(weight[text_config.hidden_size,text_config.d_ff])) "
     "layer_norm@332))) final_layer_norm@332 lm_head@84)", ""},
    {"PixtralVisionModel", "pixtral", "pixtral", "vision_encoder",
     "patch_conv(weight[*]) ln_pre(weight[hidden_size]) transformer(layers(#{}(attention_norm(weight[hidden_size])"
     " feed_forward@288 attention(k_proj@88 v_proj@88 q_proj@88 o_proj@88) ffn_norm(weight[hidden_size]))))", ""},
    {"Pop2PianoForConditionalGeneration", "pop2piano", "", "transformer",
     "shared@127 mel_conditioner(embedding(weight[composer_vocab_size,d_model])) encoder@875 decoder@879 "
     "lm_head@127", ""},
    {"ProphetNetForCausalLM", "prophetnet", "", "prophetnet", "prophetnet(word_embeddings@0 decoder@1115) lm_head@191",
     ""},
    {"ProphetNetForConditionalGeneration", "prophetnet", "", "prophetnet", "lm_head@191 prophetnet=:ProphetNetModel",
     ""},
    {"ProphetNetModel", "prophetnet", "prophetnet", "prophetnet",
     "word_embeddings@0 encoder(word_embeddings@191 position_embeddings@148 embeddings_layer_norm@45 "
     "layers(#{num_encoder_layers}(self_attn(key_proj@47 value_proj@47 query_proj@47 out_proj@47) "
     "self_attn_layer_norm@45 feed_forward(intermediate@1116 output@1117) feed_forward_layer_norm@45))) "
     "decoder@1115", ""},
    {"QianfanOCRForConditionalGeneration", "qianfan_ocr", "", "model",
     "vision_model@1126 mlp1(0@689 1@690 3@220) language_model(model@1131 lm_head@84)", ""},
    {"QianfanOCRModel", "qianfan_ocr", "qianfan_ocr", "model",
     "vision_tower@1126 multi_modal_projector@691 language_model@1131", ""},
    {"Qwen2AudioEncoder", "qwen2_audio_encoder", "qwen2_audio_encoder", "model",
     "conv1@1132 conv2@1133 embed_positions@1134 layers@1137 layer_norm@131", ""},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "", "model",
     "multi_modal_projector@1139 language_model@92 audio_tower=audio_config:Qwen2AudioEncoder", ""},
    {"Qwen2AudioModel", "qwen2_audio", "qwen2_audio", "model",
     "multi_modal_projector@1139 audio_tower=audio_config:Qwen2AudioEncoder language_model@93", ""},
    {"Qwen2ForCausalLM", "qwen2", "", "model", "lm_head@0 model=:Qwen2Model", ""},
    {"Qwen2ForQuestionAnswering", "qwen2", "", "transformer", "qa_outputs@67 transformer=:Qwen2Model", ""},
    {"Qwen2ForSequenceClassification", "qwen2", "", "model", "score@21 model=:Qwen2Model", ""},
    {"Qwen2ForTokenClassification", "qwen2", "", "model", "score@22 model=:Qwen2Model", ""},
    {"Qwen2Model Qwen2VLTextModel Qwen2_5_VLTextModel", "qwen2 qwen2_5_vl_text qwen2_vl_text",
     "qwen2 qwen2_5_vl_text qwen2_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@544 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "", "model", "lm_head@0 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForQuestionAnswering", "qwen2_moe", "", "model", "qa_outputs@67 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForSequenceClassification", "qwen2_moe", "", "model", "score@21 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForTokenClassification", "qwen2_moe", "", "model", "score@22 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeModel", "qwen2_moe", "qwen2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@381 k_proj@382 v_proj@382 o_proj@395) "
     "mlp(gate@34 experts@38 shared_expert@451 shared_expert_gate(weight[1,hidden_size]?1) gate_proj@7 up_proj@7 "
     "down_proj@8) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "", "model", "visual@1153 lm_head@84 model=text_config:Qwen2Model",
     ""},
    {"Qwen2VLModel", "qwen2_vl", "qwen2_vl", "model", "visual@1153 language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni_thinker", "", "model",
     "audio_tower@1166 visual@1175 model@1181 lm_head@84", "^talker ^token2wav"},
    {"Qwen2_5OmniThinkerModel", "qwen2_5_omni_thinker", "qwen2_5_omni_thinker", "model",
     "audio_tower@1166 visual@1175 language_model@1181", "^talker ^token2wav"},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "", "model",
     "lm_head@84 visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VLModel", "qwen2_5_vl", "qwen2_5_vl", "model",
     "visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VisionTransformerPretrainedModel", "qwen2_5_vl_vision", "qwen2_5_vl_vision", "model",
     "patch_embed@432 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@1183 mlp@433)) "
     "merger@437", ""},
    {"Qwen3ASREncoder", "qwen3_asr_encoder", "qwen3_asr_encoder", "model",
     "layers@144 ln_post@131 conv2d1(weight[downsample_hidden_size,1,?,?] bias[downsample_hidden_size]) "
     "conv2d2@1184 conv2d3@1184 "
     "conv_out(weight[d_model,(downsample_hidden_size*((((((num_mel_bins+1)/2)+1)/2)+1)/2))])", ""},
    {"Qwen3ASRForConditionalGeneration", "qwen3_asr", "", "model", "lm_head@98 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRForTokenClassification", "qwen3_asr", "", "model", "score@480 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRModel", "qwen3_asr", "qwen3_asr", "model",
     "multi_modal_projector(linear_1@1158 linear_2@1165) audio_tower=audio_config:Qwen3ASREncoder "
     "language_model=text_config:Qwen3Model", ""},
    {"Qwen3ForCausalLM", "qwen3", "", "model", "lm_head@0 model=:Qwen3Model", ""},
    {"Qwen3ForQuestionAnswering", "qwen3", "", "transformer", "qa_outputs@67 transformer=:Qwen3Model", ""},
    {"Qwen3ForSequenceClassification", "qwen3", "", "model", "score@21 model=:Qwen3Model", ""},
    {"Qwen3ForTokenClassification", "qwen3", "", "model", "score@22 model=:Qwen3Model", ""},
    {"Qwen3Model Qwen3VLTextModel", "qwen3 qwen3_vl_text", "qwen3 qwen3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@482 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "", "model", "lm_head@0 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForQuestionAnswering", "qwen3_moe", "", "transformer", "qa_outputs@67 transformer=:Qwen3MoeModel", ""},
    {"Qwen3MoeForSequenceClassification", "qwen3_moe", "", "model", "score@21 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForTokenClassification", "qwen3_moe", "", "model", "score@22 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeModel", "qwen3_moe", "qwen3_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size] "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2) k_proj@1185 v_proj@1185 o_proj@762 "
     "q_norm(weight[?]) k_norm(weight[?])) "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]?1=a "
     "#{num_local_experts}@11 down_proj[num_local_experts,hidden_size,moe_intermediate_size]?1=b) gate@803 "
     "gate_proj@7 up_proj@7 down_proj@8) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3NextForCausalLM", "qwen3_next", "", "model", "lm_head@0 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForQuestionAnswering", "qwen3_next", "", "transformer", "qa_outputs@67 transformer=:Qwen3NextModel",
     "^mtp.*"},
    {"Qwen3NextForSequenceClassification", "qwen3_next", "", "model", "score@21 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForTokenClassification", "qwen3_next", "", "model", "score@22 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextModel", "qwen3_next", "qwen3_next", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads]?0 A_log[?]?0 "
     "conv1d@1186 in_proj_qkvz(weight[(((linear_key_head_dim*linear_num_key_heads)*2)+((linear_value_head_dim*line"
     "ar_num_value_heads)*2)),hidden_size]?0) in_proj_ba(weight[(linear_num_value_heads*2),hidden_size]?0) "
     "norm@1056 out_proj@1054) mlp(gate@610 experts@611 shared_expert(gate_proj@1187 up_proj@1187 "
     "down_proj(weight[hidden_size,shared_expert_intermediate_size]?2)) "
     "shared_expert_gate(weight[1,hidden_size]?2) gate_proj@804 up_proj@804 down_proj@805) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attn(q_proj(weight[((num_attention_heads*head_dim)*2),hidden_size]?3) k_proj@781 v_proj@781 o_proj@782 "
     "q_norm(weight[head_dim]?3) k_norm(weight[head_dim]?3)))) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe_thinker", "", "model",
     "audio_tower@1194 visual@1198 model@1209 lm_head@84", "^code2wav ^talker"},
    {"Qwen3OmniMoeThinkerModel", "qwen3_omni_moe_thinker", "qwen3_omni_moe_thinker", "model",
     "audio_tower@1194 visual@1198 language_model@1209", "^code2wav ^talker"},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "", "model", "lm_head@84 model=:Qwen3VLModel", ""},
    {"Qwen3VLModel", "qwen3_vl", "qwen3_vl", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3Model", ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "", "model", "lm_head@84 model=:Qwen3VLMoeModel", ""},
    {"Qwen3VLMoeModel", "qwen3_vl_moe", "qwen3_vl_moe", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3VLMoeTextModel", ""},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", "qwen3_vl_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@31 v_proj@31 o_proj@32 "
     "q_norm(weight[head_dim]) k_norm(weight[head_dim])) "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]?1 "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]?1) gate@803 gate_proj@7 up_proj@7 "
     "down_proj@8) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen3VLMoeVisionModel Qwen3VLVisionModel", "qwen3_vl_moe_vision qwen3_vl_vision",
     "qwen3_vl_moe_vision qwen3_vl_vision", "model", "patch_embed@529 pos_embed@1210 blocks@1213 merger@1214 "
     "deepstack_merger_list(#{}(norm(weight[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0) linear_fc1(weight[(hidden_size*(spatial_merge"
     "_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]?0) "
     "linear_fc2(weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))]?0 "
     "bias[out_hidden_size]?0)))", ""},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", "", "model", "lm_head@0 model=:Qwen3_5TextModel", "^model.visual.* ^mtp.*"},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "", "model", "lm_head@84 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForSequenceClassification", "qwen3_5", "", "model", "score@480 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForTokenClassification", "qwen3_5", "", "model", "score@1019 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5Model", "qwen3_5", "qwen3_5", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", "", "model", "lm_head@0 model=:Qwen3_5MoeTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "", "model", "lm_head@84 model=:Qwen3_5MoeModel", "^mtp.*"},
    {"Qwen3_5MoeModel", "qwen3_5_moe", "qwen3_5_moe", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5MoeTextModel", "^mtp.*"},
    {"Qwen3_5MoeTextModel", "qwen3_5_moe_text", "qwen3_5_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1216 mlp@1218 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1222)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3_5MoeVisionModel Qwen3_5VisionModel Qwen4ExpVisionModel",
     "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision", "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision",
     "model", "patch_embed@529 pos_embed@1210 blocks@1213 merger@1214", "^mtp.*"},
    {"Qwen3_5TextForSequenceClassification", "qwen3_5_text", "", "model", "score@21 model=:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5TextModel", "qwen3_5_text", "qwen3_5_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1216 mlp@288 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1222)) norm(weight[hidden_size])", "^mtp.*"},
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
     "in_proj_z(weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]) in_proj_b@1223 in_proj_a@1223)"
     " mlp@1218 attn_hyper_connection@1228 mlp_hyper_connection@1228)) hyper_connection_mixer(hc_norm@1224 "
     "input_mix_weight_down@1225 input_mix_weight_up@1226)", "^mtp.*"},
    {"RecurrentGemmaForCausalLM", "recurrent_gemma", "", "model", "lm_head@191 model=:RecurrentGemmaModel", ""},
    {"RecurrentGemmaModel", "recurrent_gemma", "recurrent_gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(temporal_pre_norm(weight[hidden_size]) "
     "temporal_block(linear_y@1229 linear_x@1229 linear_out(weight[hidden_size,lru_width]?0 bias[hidden_size]?0) "
     "conv_1d(weight[lru_width,(lru_width/lru_width),conv1d_width]?0 bias[lru_width]?0) "
     "rg_lru(recurrent_param[lru_width]?0 "
     "input_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0 "
     "input_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0 "
     "recurrent_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0"
     " recurrent_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0) "
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?1) k_proj@1220 v_proj@1220 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?1 bias[hidden_size]?1)) "
     "channel_pre_norm(weight[hidden_size]) mlp_block(gate_proj@1230 up_proj@1230 "
     "down_proj(weight[hidden_size,(intermediate_size/2)] bias[hidden_size])))) final_norm(weight[hidden_size])", ""},
    {"RemBertForCausalLM RemBertForMaskedLM", "rembert", "", "rembert",
     "rembert@1238 cls(predictions(dense(weight[output_embedding_size,hidden_size] bias[output_embedding_size]) "
     "decoder(weight[vocab_size,output_embedding_size] bias[vocab_size]) LayerNorm(weight[output_embedding_size] "
     "bias[output_embedding_size])))", ""},
    {"RemBertForMultipleChoice", "rembert", "", "rembert", "classifier@60 rembert=:RemBertModel", ""},
    {"RemBertForQuestionAnswering", "rembert", "", "rembert", "rembert@1238 qa_outputs@22", ""},
    {"RemBertForSequenceClassification", "rembert", "", "rembert", "classifier@22 rembert=:RemBertModel", ""},
    {"RemBertForTokenClassification", "rembert", "", "rembert", "rembert@1238 classifier@22", ""},
    {"RemBertModel", "rembert", "rembert", "rembert", "embeddings@1235 encoder@1237 pooler@172", ""},
    {"ResNetBackbone", "resnet", "", "resnet",
     "embedder(embedder(convolution(weight[embedding_size,(num_channels/1),?,?]) "
     "normalization(weight[embedding_size] bias[embedding_size] running_mean[embedding_size] "
     "running_var[embedding_size] num_batches_tracked[]))) encoder(stages(#{}(layers(0(shortcut@1240 layer@1242) "
     "1@1243 2@1243 3(layer(0@1245 1(convolution(weight[?,?,?,?]?0) normalization@1244) 2@1245)) 4@1250 5@1250))))", ""},
    {"RoCBertForCausalLM RoCBertForMaskedLM", "roc_bert", "", "roc_bert", "roc_bert@1255 cls@168", ""},
    {"RoCBertForMultipleChoice", "roc_bert", "", "roc_bert", "classifier@60 roc_bert=:RoCBertModel", ""},
    {"RoCBertForPreTraining", "roc_bert", "", "roc_bert", "cls@168 roc_bert=:RoCBertModel", ""},
    {"RoCBertForQuestionAnswering", "roc_bert", "", "roc_bert", "roc_bert@1255 qa_outputs@22", ""},
    {"RoCBertForSequenceClassification", "roc_bert", "", "roc_bert", "classifier@22 roc_bert=:RoCBertModel", ""},
    {"RoCBertForTokenClassification", "roc_bert", "", "roc_bert", "roc_bert@1255 classifier@22", ""},
    {"RoCBertModel", "roc_bert", "roc_bert", "roc_bert", "embeddings@1254 encoder@164 pooler@172", ""},
    {"RoFormerForCausalLM RoFormerForMaskedLM", "roformer", "", "roformer",
     "cls(predictions(bias[vocab_size] transform(dense@57 LayerNorm@42) decoder@58)) roformer=:RoFormerModel", ""},
    {"RoFormerForMultipleChoice", "roformer", "", "roformer", "classifier@60 roformer=:RoFormerModel", ""},
    {"RoFormerForQuestionAnswering", "roformer", "", "roformer", "qa_outputs@22 roformer=:RoFormerModel", ""},
    {"RoFormerForSequenceClassification", "roformer", "", "roformer", "classifier@184 roformer=:RoFormerModel", ""},
    {"RoFormerForTokenClassification", "roformer", "", "roformer", "classifier@22 roformer=:RoFormerModel", ""},
    {"RoFormerModel", "roformer", "roformer", "roformer",
     "embeddings(word_embeddings@39 token_type_embeddings@41 LayerNorm@42) "
     "encoder(embed_positions(weight[max_position_embeddings,(hidden_size/num_attention_heads)]) layer@163)", ""},
    {"RobertaForCausalLM RobertaForMaskedLM", "roberta", "", "roberta", "roberta@275 lm_head@273", ""},
    {"RobertaForQuestionAnswering", "roberta", "", "roberta", "roberta@275 qa_outputs@22", ""},
    {"RobertaForSequenceClassification", "roberta", "", "roberta", "roberta@275 classifier@184", ""},
    {"RobertaForTokenClassification", "roberta", "", "roberta", "roberta@275 classifier@22", ""},
    {"RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "",
     "roberta_prelayernorm", "roberta_prelayernorm@1262 lm_head@273", ""},
    {"RobertaPreLayerNormForMultipleChoice", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "classifier@60 roberta_prelayernorm=:RobertaPreLayerNormModel", ""},
    {"RobertaPreLayerNormForQuestionAnswering", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1262 qa_outputs@22", ""},
    {"RobertaPreLayerNormForSequenceClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1262 classifier@184", ""},
    {"RobertaPreLayerNormForTokenClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1262 classifier@22", ""},
    {"RobertaPreLayerNormModel", "roberta-prelayernorm", "roberta-prelayernorm", "roberta_prelayernorm",
     "embeddings@274 encoder@1261 LayerNorm@45 pooler@172", ""},
    {"RwkvForCausalLM", "rwkv", "", "rwkv", "head@0 rwkv=:RwkvModel", ""},
    {"RwkvModel", "rwkv", "rwkv", "rwkv", "embeddings@0 blocks(#{num_hidden_layers}(pre_ln@159 ln1@45 ln2@45 "
     "attention(time_decay[attention_hidden_size] time_first[attention_hidden_size] time_mix_key[1,1,hidden_size] "
     "time_mix_value[1,1,hidden_size] time_mix_receptance[1,1,hidden_size] key@1263 value@1263 receptance@1263 "
     "output(weight[hidden_size,attention_hidden_size])) feed_forward(time_mix_key[1,1,hidden_size] "
     "time_mix_receptance[1,1,hidden_size] key@65 receptance@88 value@66))) ln_out@45", ""},
    {"SamVisionModel", "sam_vision_model", "sam_vision_model", "sam",
     "vision_encoder(pos_embed[1,(image_size/patch_size),(image_size/patch_size),hidden_size]? patch_embed@1264 "
     "layers(#{}(layer_norm1@45 attn(rel_pos_h[?,(hidden_size/num_attention_heads)]?0 "
     "rel_pos_w[?,(hidden_size/num_attention_heads)]?0 qkv(weight[(hidden_size*3),hidden_size] "
     "bias[(hidden_size*3)]?) proj@47) layer_norm2@45 mlp(lin1(weight[mlp_dim,hidden_size] bias[mlp_dim]) "
     "lin2(weight[hidden_size,mlp_dim] bias[hidden_size])))) "
     "neck(conv1(weight[output_channels,(hidden_size/1),1,1]) layer_norm1@1265 "
     "conv2(weight[output_channels,(output_channels/1),?,?]) layer_norm2@1265))", ""},
    {"SeamlessM4TForSpeechToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 speech_encoder(feature_projection@1268 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1271 self_attn_layer_norm@45 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] linear_q@47 "
     "linear_k@47 linear_v@47 linear_out@47 linear_pos@88) conv_module(layer_norm@45 pointwise_conv1@1272 "
     "depthwise_conv@1273 batch_norm@1087 pointwise_conv2@1274) ffn2_layer_norm@45 ffn2@1271 final_layer_norm@45))"
     " layer_norm@45) intermediate_ffn@1271 adapter@1282 inner_layer_norm@45) text_decoder@1286 lm_head@191", ""},
    {"SeamlessM4TForTextToSpeech", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1294 text_decoder@1300 lm_head@191 t2u_model@1316 vocoder@1332", ""},
    {"SeamlessM4TForTextToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1336 text_decoder@1286 lm_head@191", ""},
    {"SeamlessM4TModel", "seamless_m4t", "seamless_m4t", "seamless_m4t",
     "shared@0 text_encoder@1294 speech_encoder(feature_projection@1339 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@1015 ffn1@1342 self_attn_layer_norm@1015 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? linear_q@1287 "
     "linear_k@1287 linear_v@1287 linear_out@1287 linear_pos(weight[hidden_size,hidden_size]?)) "
     "conv_module(layer_norm@1015 pointwise_conv1@1343 depthwise_conv@1344 batch_norm(weight[hidden_size]? "
     "bias[hidden_size]? running_mean[hidden_size]? running_var[hidden_size]? num_batches_tracked[]?) "
     "pointwise_conv2@1345) ffn2_layer_norm@1015 ffn2@1342 final_layer_norm@1015)) layer_norm@1015) "
     "intermediate_ffn@1342 adapter@1350 inner_layer_norm@1015) text_decoder@1300 lm_head@191 t2u_model@1316 "
     "vocoder@1332", ""},
    {"SeamlessM4Tv2ForSpeechToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 speech_encoder(feature_projection@1268 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1271 self_attn_layer_norm@45 self_attn(linear_q@47 linear_k@47 linear_v@47 linear_out@47 distance_embed"
     "ding(weight[((left_max_position_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_att"
     "ention_heads)])) conv_module(layer_norm@45 pointwise_conv1@1272 depthwise_conv@1273 depthwise_layer_norm@45 "
     "pointwise_conv2@1274) ffn2_layer_norm@45 ffn2@1271 final_layer_norm@45)) layer_norm@45) "
     "intermediate_ffn@1271 adapter@1282 inner_layer_norm@45) text_decoder@1286 lm_head@191", ""},
    {"SeamlessM4Tv2ForTextToSpeech", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1294 text_decoder@1300 lm_head@191 t2u_model@1361 vocoder@1332", ""},
    {"SeamlessM4Tv2ForTextToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1336 text_decoder@1286 lm_head@191", ""},
    {"SeamlessM4Tv2Model", "seamless_m4t_v2", "seamless_m4t_v2", "seamless_m4t_v2",
     "shared@0 text_encoder@1294 speech_encoder(feature_projection@1339 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@1015 ffn1@1342 self_attn_layer_norm@1015 "
     "self_attn(linear_q@1287 linear_k@1287 linear_v@1287 linear_out@1287 distance_embedding(weight[((left_max_pos"
     "ition_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_attention_heads)]?)) "
     "conv_module(layer_norm@1015 pointwise_conv1@1343 depthwise_conv@1344 depthwise_layer_norm@1015 "
     "pointwise_conv2@1345) ffn2_layer_norm@1015 ffn2@1342 final_layer_norm@1015)) layer_norm@1015) "
     "intermediate_ffn@1342 adapter@1350 inner_layer_norm@1015) text_decoder@1300 lm_head@191 t2u_model@1361 "
     "vocoder@1332", ""},
    {"SeedOssForCausalLM", "seed_oss", "", "model", "lm_head@0 model=:SeedOssModel", ""},
    {"SeedOssForQuestionAnswering", "seed_oss", "", "transformer", "qa_outputs@67 transformer=:SeedOssModel", ""},
    {"SeedOssForSequenceClassification", "seed_oss", "", "model", "score@21 model=:SeedOssModel", ""},
    {"SeedOssForTokenClassification", "seed_oss", "", "model", "score@22 model=:SeedOssModel", ""},
    {"SeedOssModel", "seed_oss", "seed_oss", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@68 k_proj@69 v_proj@69 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?)) mlp@117 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Siglip2ForImageClassification", "siglip2", "", "siglip2",
     "classifier(weight[num_labels,vision_config.hidden_size] bias[num_labels]) "
     "vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2Model", "siglip2", "siglip2", "siglip2",
     "logit_scale[1] logit_bias[1] text_model@1369 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2VisionModel", "siglip2_vision_model", "siglip2_vision_model", "vision_model",
     "embeddings(patch_embedding(weight[hidden_size,((num_channels*patch_size)*patch_size)] bias[hidden_size]) "
     "position_embedding(weight[num_patches,hidden_size])) encoder@903 post_layernorm@45 head@1374", ""},
    {"SiglipModel", "siglip", "siglip", "siglip",
     "logit_scale[1] logit_bias[1] text_model@1369 vision_model=vision_config:SiglipVisionModel", ""},
    {"SiglipVisionModel", "siglip_vision_model", "siglip_vision_model", "vision_model",
     "embeddings@667 encoder@903 post_layernorm@45 head@1374", ""},
    {"SmolLM3ForCausalLM", "smollm3", "", "model", "lm_head@191 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForQuestionAnswering", "smollm3", "", "transformer", "qa_outputs@67 transformer=:GraniteDoclingTextModel",
     ""},
    {"SmolLM3ForSequenceClassification", "smollm3", "", "model", "score@21 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForTokenClassification", "smollm3", "", "model", "score@22 model=:GraniteDoclingTextModel", ""},
    {"SolarOpenForCausalLM", "solar_open", "", "model", "lm_head@0 model=:SolarOpenModel", ""},
    {"SolarOpenModel", "solar_open", "solar_open", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@513 "
     "mlp(experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a #{n_routed_experts}@11 "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b) gate(weight[n_routed_experts,hidden_size] "
     "e_score_correction_bias[n_routed_experts]) shared_experts(gate_proj@1375 up_proj@1375 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Speech2TextForConditionalGeneration", "speech_to_text", "", "model", "lm_head@138 model=:Speech2TextModel", ""},
    {"Speech2TextModel", "speech_to_text", "speech_to_text", "model",
     "encoder(conv(conv_layers(#{}(weight[?,?,?] bias[?]))) layers@144 layer_norm@131) decoder(embed_tokens@127 "
     "layers@135 layer_norm@131)", ""},
    {"SpeechT5ForSpeechToText", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(masked_spec_embed[?] feature_encoder(conv_layers(0(conv(weight[?,1,?] bias[?]?0) "
     "layer_norm(weight[?] bias[?])) 1@1377 2@1377 3@1377 4@1377 5@1377 6@1377)) "
     "feature_projection(layer_norm(weight[?] bias[?]) projection@904) pos_conv_embed(conv(bias[hidden_size] "
     "parametrizations(weight(original0[?,?,?] "
     "original1[hidden_size,(hidden_size/num_conv_pos_embedding_groups),num_conv_pos_embeddings]))))) "
     "wrapped_encoder@1383) decoder(prenet(embed_tokens@0) wrapped_decoder@1387)) " "text_decoder_postnet(lm_head@191)",
     ""},
    {"SpeechT5ForTextToSpeech", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(embed_tokens@0 encode_positions(alpha[])) wrapped_encoder@1383) "
     "decoder(prenet(layers(#{speech_decoder_prenet_layers}(weight[speech_decoder_prenet_units,?] "
     "bias[speech_decoder_prenet_units])) final_layer(weight[hidden_size,speech_decoder_prenet_units] "
     "bias[hidden_size]) encode_positions(alpha[]) "
     "speaker_embeds_layer(weight[hidden_size,(speaker_embedding_dim+hidden_size)] bias[hidden_size])) "
     "wrapped_decoder@1387)) speech_decoder_postnet(feat_out(weight[(num_mel_bins*reduction_factor),hidden_size] "
     "bias[(num_mel_bins*reduction_factor)]) prob_out(weight[reduction_factor,hidden_size] bias[reduction_factor])"
     " layers(#{speech_decoder_postnet_layers}(conv(weight[?,?,speech_decoder_postnet_kernel]) batch_norm@1239)))", ""},
    {"SplinterForPreTraining SplinterForQuestionAnswering", "splinter", "", "splinter",
     "splinter_qass(query_start_transform@152 query_end_transform@152 start_transform@152 end_transform@152 "
     "start_classifier@88 end_classifier@88) splinter=:SplinterModel", ""},
    {"SplinterModel", "splinter", "splinter", "splinter", "embeddings@150 encoder@511", ""},
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
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@304 k_proj@305 v_proj@305 o_proj@88 "
     "q_layernorm(norms(#{num_attention_heads}@1388)) k_layernorm(norms(#{num_key_value_heads}@1388))) mlp@288 "
     "input_layernorm@45 post_attention_layernorm@159)) norm@45", ""},
    {"Starcoder2ForCausalLM", "starcoder2", "", "model", "lm_head@191 model=:Starcoder2Model", ""},
    {"Starcoder2ForSequenceClassification", "starcoder2", "", "model", "score@21 model=:Starcoder2Model", ""},
    {"Starcoder2ForTokenClassification", "starcoder2", "", "model", "score@22 model=:Starcoder2Model", ""},
    {"Starcoder2Model", "starcoder2", "starcoder2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@572 mlp(c_fc@72 c_proj@73) input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"Step3p7ForConditionalGeneration", "step3p7", "", "model",
     "vision_model@1399 model@1418 vit_large_projector@1419 lm_head@84", ""},
    {"Step3p7Model", "step3p7", "step3p7", "model", "vision_model@1399 language_model@1418 multi_modal_projector@1419",
     ""},
    {"SwitchTransformersForConditionalGeneration", "switch_transformers", "", "switch_transformers",
     "shared@127 encoder@1430 decoder@1434 lm_head@138", ""},
    {"SwitchTransformersModel", "switch_transformers", "switch_transformers", "switch_transformers",
     "shared@127 encoder@1430 decoder@1434", ""},
    {"T5EncoderModel", "t5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention@865 "
     "layer_norm(weight[d_model]) DenseReluDense(wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) wi_0@815 "
     "wi_1@815) EncDecAttention@869)))) final_layer_norm(weight[d_model]))", "decoder"},
    {"T5ForConditionalGeneration", "t5", "", "transformer", "shared@127 encoder@1438 decoder@828 lm_head@138",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForQuestionAnswering", "t5", "", "transformer", "shared@127 encoder@1438 decoder@828 qa_outputs@139",
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
     "eoi_embedding[encoder.text_config.hidden_size]) norm@1439 layers(#{encoder.text_config.num_hidden_layers}(se"
     "lf_attn(q_proj(weight[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim),encoder.text_co"
     "nfig.hidden_size] bias[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim)]?0) "
     "k_proj@1440 v_proj@1440 o_proj(weight[encoder.text_config.hidden_size,(encoder.text_config.num_attention_hea"
     "ds*encoder.text_config.head_dim)] bias[encoder.text_config.hidden_size]?0) q_norm@1441 k_norm@1441) "
     "pre_self_attn_layernorm@1439 post_self_attn_layernorm@1439 mlp(gate_proj@1442 up_proj@1442 "
     "down_proj(weight[encoder.text_config.hidden_size,encoder.text_config.intermediate_size])) "
     "pre_feedforward_layernorm@1439 post_feedforward_layernorm@1439)) multi_modal_projector(mm_input_projection_w"
     "eight[encoder.vision_config.hidden_size,encoder.text_config.hidden_size] "
     "mm_soft_emb_norm(weight[encoder.vision_config.hidden_size])) "
     "vision_tower=encoder.vision_config:SiglipVisionModel) "
     "decoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]? "
     "eoi_embedding[encoder.text_config.hidden_size]?) norm@1443 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1444 k_proj@1445 v_proj@1445 o_proj@1446 q_norm@1447 "
     "k_norm@1447) pre_self_attn_layernorm@1443 post_self_attn_layernorm@1443 mlp@1450 "
     "pre_feedforward_layernorm@1443 post_feedforward_layernorm@1443)))", ""},
    {"T5GemmaForConditionalGeneration", "t5gemma", "", "model",
     "lm_head(out_proj(weight[decoder.vocab_size,decoder.hidden_size]?)) model=:T5GemmaModel", ""},
    {"T5GemmaForSequenceClassification T5GemmaForTokenClassification", "t5gemma", "", "model",
     "model(encoder@1462 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]?0) "
     "norm(weight[decoder.hidden_size]?0) layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1463 k_proj@1464 "
     "v_proj@1464 o_proj@1465) pre_self_attn_layernorm@1466 post_self_attn_layernorm@1466 mlp(gate_proj@1467 "
     "up_proj@1467 down_proj(weight[decoder.hidden_size,decoder.intermediate_size]?1)) "
     "pre_feedforward_layernorm@1466 post_feedforward_layernorm@1466 cross_attn(q_proj@1463 k_proj@1468 "
     "v_proj@1468 o_proj@1465) pre_cross_attn_layernorm@1466 post_cross_attn_layernorm@1466)))) "
     "score(out_proj(weight[num_labels,?] bias[num_labels]))", ""},
    {"T5GemmaModel", "t5gemma", "t5gemma", "model",
     "encoder@1462 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]) norm@1443 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1444 k_proj@1445 v_proj@1445 o_proj@1446) "
     "pre_self_attn_layernorm@1443 post_self_attn_layernorm@1443 mlp@1450 pre_feedforward_layernorm@1443 "
     "post_feedforward_layernorm@1443 cross_attn(q_proj@1444 k_proj@1469 v_proj@1469 o_proj@1446) "
     "pre_cross_attn_layernorm@1443 post_cross_attn_layernorm@1443)))", ""},
    {"T5Model", "t5", "t5", "transformer", "shared@127 encoder@1438 decoder@828",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"TapasForMaskedLM", "tapas", "", "tapas", "tapas(embeddings@1470 encoder@164) cls@168", ""},
    {"TapasForQuestionAnswering", "tapas", "", "tapas",
     "output_weights[hidden_size] column_output_weights[hidden_size] output_bias[] column_output_bias[] "
     "tapas=:TapasModel", ""},
    {"TapasForSequenceClassification", "tapas", "", "tapas", "classifier@22 tapas=:TapasModel", ""},
    {"TapasModel", "tapas", "tapas", "tapas", "embeddings@1470 encoder@164 pooler@172", ""},
    {"Tipsv2Model", "tipsv2", "tipsv2", "model",
     "temperature[]? text_encoder=text_config:Tipsv2TextModel vision_encoder=vision_config:Tipsv2VisionModel",
     "text_encoder vision_encoder"},
    {"Tipsv2TextModel", "tipsv2_text_model", "tipsv2_text_model", "text_model",
     "token_embedding@0 transformer(resblocks(#{num_hidden_layers}(self_attn(k_proj@1471 v_proj@1471 q_proj@1471) "
     "attn(in_proj_weight[*]~a in_proj_bias[*]~b out_proj@47) ln_1@45 mlp(c_fc@49 c_proj@50) ln_2@45))) " "ln_final@45",
     "vision_encoder"},
    {"Tipsv2VisionModel", "tipsv2_vision_model", "tipsv2_vision_model", "vision_model",
     "cls_token[1,1,hidden_size] mask_token[1,hidden_size] "
     "pos_embed[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "register_tokens[1,num_register_tokens,hidden_size] patch_embed(proj@666) "
     "blocks(#{num_hidden_layers}(norm1@45 attention(q_proj@1472 k_proj@1472 v_proj@1472) attn(qkv(weight[*]~a "
     "bias[*]~b) proj@545) ls1(gamma[hidden_size]) norm2@45 mlp(c_fc(weight[(hidden_size*mlp_ratio),hidden_size]?2"
     " bias[(hidden_size*mlp_ratio)]?2) c_proj(weight[hidden_size,(hidden_size*mlp_ratio)]?2 bias[hidden_size]?2) "
     "gate_proj@1473 w12(weight[*]~c bias[*]~d) up_proj@1473 w3(weight[hidden_size,?]?1 bias[hidden_size]?1)) "
     "ls2(gamma[hidden_size]))) norm@45", "text_encoder"},
    {"TrOCRForCausalLM", "trocr", "", "model",
     "model(decoder(embed_tokens@127 embed_positions(weight[(max_position_embeddings+2),d_model]?) "
     "layernorm_embedding@1474 layers@135)) output_projection@138", ""},
    {"TvpModel", "tvp", "tvp", "model",
     "text_prompt[1,?,hidden_size] vision_model(grid_encoder_conv(weight[hidden_size,?,?,?]) "
     "backbone=backbone_config:ResNetBackbone) embeddings(word_embeddings@0 position_embeddings@148 "
     "token_type_embeddings@149 layer_norm@45) visual_embeddings(position_embeddings@148 "
     "row_position_embeddings(weight[max_grid_row_position_embeddings,hidden_size]) "
     "col_position_embeddings(weight[max_grid_col_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[1,hidden_size]) layer_norm@45) "
     "encoder(layer(#{num_hidden_layers}(attention(query@46 key@46 value@46 dense@47 layer_norm@45) "
     "intermediate@154 output(dense@50 layer_norm@45)))) pooler@172 "
     "visual_prompter(pad_up[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_down[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_left[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size] "
     "pad_right[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size])", ""},
    {"UMT5EncoderModel", "umt5", "", "transformer",
     "shared@127 encoder(embed_tokens@138 block(#{num_layers}(layer(#{}(SelfAttention(q@863 k@863 v@863 o@864 "
     "relative_attention_bias(weight[relative_attention_num_buckets,num_heads]?2)) layer_norm(weight[d_model]) "
     "DenseReluDense@866 EncDecAttention@869)))) final_layer_norm(weight[d_model]))", ""},
    {"UMT5ForConditionalGeneration", "umt5", "", "transformer", "shared@127 encoder@1481 decoder@1485 lm_head@138", ""},
    {"UMT5ForQuestionAnswering", "umt5", "", "transformer", "shared@127 encoder@1481 decoder@1485 qa_outputs@139", ""},
    {"UMT5ForSequenceClassification", "umt5", "", "transformer", "classification_head@140 transformer=:UMT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5ForTokenClassification", "umt5", "", "transformer", "classifier@139 transformer=:UMT5EncoderModel",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5Model", "umt5", "umt5", "transformer", "shared@127 encoder@1481 decoder@1485", ""},
    {"UdopForConditionalGeneration", "udop", "", "transformer",
     "shared@127 patch_embed@1487 encoder(embed_tokens@138 embed_patches@1489 block@1437 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1491 relative_bias@1494) decoder(embed_tokens@138 "
     "embed_patches@1487 block@827 final_layer_norm(weight[d_model]) relative_bias@1494) lm_head@138", ""},
    {"UdopModel", "udop", "udop", "transformer",
     "shared@127 patch_embed@1487 encoder(embed_tokens@138 embed_patches@1489 block@1437 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1491 relative_bias@1497) decoder(embed_tokens@138 "
     "embed_patches@1487 block@827 final_layer_norm(weight[d_model]) relative_bias@1497)", ""},
    {"UltraVBertForMaskedLM", "ultravbert", "", "model",
     "head(linear1(weight[text_config.prediction_head_size,text_config.hidden_size]) "
     "linear2(weight[text_config.hidden_size,text_config.prediction_head_size]) decoder@84) model=:UltraVBertModel",
     "vision_model\\.head\\."},
    {"UltraVBertForSequenceClassification UltraVBertForTokenClassification", "ultravbert", "", "model",
     "classifier@1019 model=:UltraVBertModel", "vision_model\\.head\\."},
    {"UltraVBertModel", "ultravbert", "ultravbert", "model",
     "connector(modality_projection@1020 norm@332) vision_model=vision_config:SiglipVisionModel "
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
     "n_config.sam_config.patch_size] bias[vision_config.sam_config.hidden_size])) blocks(#{}(norm1@1498 "
     "attn(rel_pos_h[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "rel_pos_w[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "qkv(weight[(vision_config.sam_config.hidden_size*3),vision_config.sam_config.hidden_size] "
     "bias[(vision_config.sam_config.hidden_size*3)]?) "
     "proj(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.hidden_size])) norm2@1498 "
     "mlp(lin1(weight[vision_config.sam_config.mlp_dim,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.mlp_dim]) "
     "lin2(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.mlp_dim] "
     "bias[vision_config.sam_config.hidden_size])))) "
     "neck(0(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.hidden_size/1),1,1]) 1@1499"
     " 2(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.output_channels/1),?,?]) "
     "3@1499) net_2(weight[?,(vision_config.sam_config.output_channels/1),?,?]) net_3(weight[?,?,?,?])) "
     "vision_model(embeddings(class_embedding[vision_config.encoder_config.hidden_size] position_embedding(weight["
     "(((vision_config.encoder_config.image_size/vision_config.encoder_config.patch_size)*(vision_config.encoder_c"
     "onfig.image_size/vision_config.encoder_config.patch_size))+1),vision_config.encoder_config.hidden_size])) "
     "pre_layrnorm@1500 transformer(layers(#{vision_config.encoder_config.num_hidden_layers}(self_attn(k_proj@1501"
     " qkv_proj(weight[*]~a bias[*]~b) v_proj@1501 q_proj@1501 "
     "out_proj(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm1@1500 "
     "mlp(fc1(weight[vision_config.encoder_config.intermediate_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.intermediate_size]) "
     "fc2(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.intermediate_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm2@1500)))) projector(layers@1502) embed_tokens@84"
     " layers(#{text_config.num_hidden_layers}(self_attn(q_proj(weight[(text_config.num_attention_heads*text_confi"
     "g.head_dim),text_config.hidden_size] bias[(text_config.num_attention_heads*text_config.head_dim)]?4) "
     "k_proj@1503 v_proj@1503 "
     "o_proj(weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
     "bias[text_config.hidden_size]?4)) mlp(gate_proj@1405 up_proj@1405 down_proj@1406 experts(gate_up_proj[text_c"
     "onfig.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?2=c "
     "#{text_config.n_routed_experts}(gate_proj@1504 up_proj@1504 "
     "down_proj(weight[text_config.hidden_size,text_config.moe_intermediate_size]~d)) "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?2=d) "
     "gate@1409 shared_experts(gate_proj@1505 up_proj@1505 "
     "down_proj(weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?2"
     " bias[text_config.hidden_size]?3))) input_layernorm@332 post_attention_layernorm@332)) norm@332",
     "lm_head patch_embedding"},
    {"VaultGemmaForCausalLM", "vaultgemma", "", "model", "lm_head@191 model=:VaultGemmaModel", ""},
    {"VaultGemmaModel", "vaultgemma", "vaultgemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@287 mlp@288 input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"VibeVoiceAcousticTokenizerEncoderModel", "vibevoice_acoustic_tokenizer_encoder",
     "vibevoice_acoustic_tokenizer_encoder", "vibevoice_acoustic_tokenizer", "stem@1515 conv_layers@1523 head@1525", ""},
    {"VibeVoiceAcousticTokenizerModel", "vibevoice_acoustic_tokenizer", "vibevoice_acoustic_tokenizer",
     "vibevoice_acoustic_tokenizer",
     "encoder@1526 decoder(stem(conv(conv(weight[(num_filters*64),(hidden_size/1),kernel_size] "
     "bias[(num_filters*64)])) stage(0@1533 1@1533 2@1533 3@1533 4@1533 5@1533 6@1533 7@1533)) "
     "conv_layers(#{}(convtr(convtr(weight[?,?,?] bias[?])) stage(0@1520 1@1520 2@1520))) "
     "head(conv(weight[channels,(num_filters/1),kernel_size] bias[channels])))", ""},
    {"VibeVoiceAsrForConditionalGeneration", "vibevoice_asr", "", "model",
     "multi_modal_projector@1536 language_model@92 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel", ""},
    {"VibeVoiceAsrModel", "vibevoice_asr", "vibevoice_asr", "model", "multi_modal_projector@1536 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "language_model@93", ""},
    {"VibeVoiceForConditionalGeneration", "vibevoice", "vibevoice", "model",
     "model(latent_scaling_factor[] latent_bias_factor[] "
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,audio_config.hidden_size] "
     "bias[text_config.hidden_size]) act@332 linear_2@220) "
     "semantic_connector(linear_1(weight[text_config.hidden_size,semantic_model_config.hidden_size] "
     "bias[text_config.hidden_size]) act@332 linear_2@220) diffusion_head(noisy_images_proj(weight[diffusion_head_"
     "config.hidden_size,diffusion_head_config.latent_size]) cond_proj@1537 "
     "timestep_proj(fc1(weight[diffusion_head_config.hidden_size,diffusion_head_config.frequency_embedding_size]) "
     "fc2@1537) layers(#{diffusion_head_config.num_hidden_layers}(ffn(gate_proj@1538 up_proj@1538 "
     "down_proj(weight[diffusion_head_config.hidden_size,diffusion_head_config.intermediate_size] "
     "bias[diffusion_head_config.hidden_size]?0)) norm(weight[diffusion_head_config.hidden_size]) "
     "linear(weight[(diffusion_head_config.hidden_size*3),diffusion_head_config.hidden_size]))) "
     "final_layer(linear_1(weight[(2*diffusion_head_config.hidden_size),diffusion_head_config.hidden_size]) "
     "linear_2(weight[diffusion_head_config.latent_size,diffusion_head_config.hidden_size]))) "
     "audio_tower=audio_config:VibeVoiceAcousticTokenizerModel language_model=text_config:Qwen2Model "
     "semantic_tokenizer_encoder=semantic_model_config:VibeVoiceAcousticTokenizerEncoderModel) lm_head@84", ""},
    {"VideoLlama3ForConditionalGeneration", "video_llama_3", "", "model", "lm_head@84 model=:VideoLlama3Model", ""},
    {"VideoLlama3Model", "video_llama_3", "video_llama_3", "model",
     "projector(readout(0@378 2@220)) vision_model=vision_config:VideoLlama3VisionModel "
     "language_model=text_config:Qwen2Model", ""},
    {"VideoLlama3VisionModel", "video_llama_3_vision", "video_llama_3_vision", "model",
     "embeddings(patch_embedding@666) encoder@903 post_layernorm@45", ""},
    {"VideoLlavaForConditionalGeneration", "video_llava", "", "model",
     "multi_modal_projector@808 language_model@809 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel", ""},
    {"VideoLlavaModel", "video_llava", "video_llava", "model",
     "multi_modal_projector@808 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel language_model@549", ""},
    {"VideoPrismClipModel", "videoprism", "videoprism", "model",
     "video_model(auxiliary_layers(#{vision_config.num_auxiliary_layers}(attention(q_proj@1539 k_proj@1539 "
     "v_proj@1539 o_proj(weight[vision_config.hidden_size,(vision_config.num_attention_heads*(vision_config.hidden"
     "_size/vision_config.num_attention_heads))] bias[vision_config.hidden_size])) layernorm_before@78 "
     "layernorm_after@78 mlp@200)) "
     "head(per_dim_scale[(vision_config.intermediate_size/vision_config.num_attention_heads)] "
     "pooling_attention_query[1,1,vision_config.hidden_size] q_proj@1540 k_proj@1540 v_proj@1540 o_proj(weight[vis"
     "ion_config.hidden_size,(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num"
     "_attention_heads))] bias[vision_config.hidden_size])) head_layernorm@78 "
     "vision_model=vision_config:VideoPrismVisionModel) text_model(embeddings(cls_emb[1,1,text_config.hidden_size]"
     " token_embedding@84 position_embedding[?,?] position_ids[?,?]) "
     "layers(#{text_config.num_hidden_layers}(attention(q_proj@1199 k_proj@1199 v_proj@1199 o_proj(weight[text_con"
     "fig.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]"
     " bias[text_config.hidden_size])) layernorm_before@216 layernorm_after@216 mlp@1364)) layernorm@216)", ""},
    {"VideoPrismVisionModel", "videoprism_vision_model", "videoprism_vision_model", "vision_model",
     "layernorm1@45 layernorm2@45 spatial_embeddings(position_embeddings[1,?,hidden_size] "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?,?] bias[hidden_size]))) "
     "temporal_embeddings(position_embeddings[1,num_frames,hidden_size]) "
     "spatial_layers(#{num_spatial_layers}@1542) temporal_layers(#{num_temporal_layers}@1542)", ""},
    {"ViltForQuestionAnswering", "vilt", "", "vilt",
     "classifier(0@854 1@855 3(weight[num_labels,(hidden_size*2)] bias[num_labels])) vilt=:ViltModel", ""},
    {"ViltModel", "vilt", "vilt", "vilt", "embeddings(cls_token[1,1,hidden_size] "
     "position_embeddings[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] text_embeddings@150"
     " patch_embeddings@1264 token_type_embeddings(weight[modality_type_vocab_size,hidden_size])) "
     "encoder(layer(#{num_hidden_layers}(attention(attention@173 output@172) intermediate@154 output@405 "
     "layernorm_before@45 layernorm_after@45))) layernorm@45 pooler@172", ""},
    {"VipLlavaForConditionalGeneration", "vipllava", "", "model",
     "multi_modal_projector@1543 language_model@809 vision_tower=vision_config:CLIPVisionModel", ""},
    {"VipLlavaModel", "vipllava", "vipllava", "model",
     "multi_modal_projector@1543 vision_tower=vision_config:CLIPVisionModel language_model@549", ""},
    {"VisualBertForPreTraining", "visual_bert", "", "visual_bert", "cls@170 visual_bert=:VisualBertModel", ""},
    {"VisualBertModel", "visual_bert", "visual_bert", "visual_bert",
     "embeddings(word_embeddings@0 position_embeddings@148 token_type_embeddings@149 LayerNorm@45 "
     "visual_token_type_embeddings@149 visual_position_embeddings@148 "
     "visual_projection(weight[hidden_size,visual_embedding_dim] bias[hidden_size])) encoder@511 pooler@172 "
     "additional_layer(attention@161 intermediate(dense@1371) output(dense@1372 LayerNorm@159))", ""},
    {"VoxtralForConditionalGeneration", "voxtral", "", "model",
     "multi_modal_projector@1545 language_model@809 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"VoxtralModel", "voxtral", "voxtral", "model",
     "multi_modal_projector@1545 audio_tower=audio_config:AudioFlamingo3Encoder language_model@549", ""},
    {"VoxtralRealtimeEncoder", "voxtral_realtime_encoder", "voxtral_realtime_encoder", "model",
     "embedder(conv1@86 conv2@87) layers(#{num_hidden_layers}(self_attn(q_proj@1546 k_proj@33 v_proj@1546 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size])) "
     "self_attn_layer_norm(weight[hidden_size]) final_layer_norm(weight[hidden_size]) mlp(gate_proj@65 up_proj@65 "
     "down_proj@50))) norm(weight[hidden_size])", ""},
    {"VoxtralRealtimeForConditionalGeneration", "voxtral_realtime", "", "model",
     "language_model(model@1551 lm_head@98) multi_modal_projector@1553 "
     "audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"VoxtralRealtimeModel", "voxtral_realtime", "voxtral_realtime", "model",
     "language_model(model@1551) multi_modal_projector@1553 audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"WhisperForCausalLM", "whisper", "", "model", "model(decoder@1557) proj_out@138", ""},
    {"WhisperForConditionalGeneration", "whisper", "", "model", "proj_out@138 model=:WhisperModel", ""},
    {"WhisperModel", "whisper", "whisper", "model", "encoder@1558 decoder@1557", ""},
    {"XGLMForCausalLM", "xglm", "", "model", "lm_head@138 model=:XGLMModel", ""},
    {"XGLMModel", "xglm", "xglm", "model",
     "embed_tokens@127 layers(#{num_layers}(self_attn@130 self_attn_layer_norm@131 fc1(weight[ffn_dim,d_model] "
     "bias[ffn_dim]) fc2(weight[d_model,ffn_dim] bias[d_model]) final_layer_norm@131 encoder_attn(k_proj@1559 "
     "v_proj@1559 q_proj@1559 out_proj@1559) encoder_attn_layer_norm@1474)) layer_norm@131", ""},
    {"XLMRobertaXLForCausalLM XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "", "roberta", "roberta@1566 lm_head@273", ""},
    {"XLMRobertaXLForMultipleChoice", "xlm-roberta-xl", "", "roberta", "classifier@60 roberta=:XLMRobertaXLModel", ""},
    {"XLMRobertaXLForQuestionAnswering", "xlm-roberta-xl", "", "roberta", "roberta@1566 qa_outputs@22", ""},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "", "roberta", "roberta@1566 classifier@184", ""},
    {"XLMRobertaXLForTokenClassification", "xlm-roberta-xl", "", "roberta", "roberta@1566 classifier@22", ""},
    {"XLMRobertaXLModel", "xlm-roberta-xl", "xlm-roberta-xl", "roberta", "embeddings@1560 encoder@1565 pooler@172", ""},
    {"XLNetForMultipleChoice", "xlnet", "", "transformer",
     "sequence_summary@1567 logits_proj@465 transformer=:XLNetModel", ""},
    {"XLNetForQuestionAnsweringSimple", "xlnet", "", "transformer", "qa_outputs@139 transformer=:XLNetModel", ""},
    {"XLNetForSequenceClassification", "xlnet", "", "transformer",
     "sequence_summary@1567 logits_proj@139 transformer=:XLNetModel", ""},
    {"XLNetForTokenClassification", "xlnet", "", "transformer", "classifier@139 transformer=:XLNetModel", ""},
    {"XLNetLMHeadModel", "xlnet", "", "transformer", "lm_loss@464 transformer=:XLNetModel", ""},
    {"XLNetModel", "xlnet", "xlnet", "transformer",
     "mask_emb[?,?,?] word_embedding@127 layer(#{n_layer}(rel_attn(q[?,?,?] k[?,?,?] v[?,?,?] o[?,?,?] r[?,?,?] "
     "r_r_bias[?,?] r_s_bias[?,?] r_w_bias[?,?] seg_embed[?,?,?] layer_norm@131) ff(layer_norm@131 layer_1@457 "
     "layer_2@458)))", ""},
    {"XmodForCausalLM XmodForMaskedLM", "xmod", "", "roberta", "roberta@1576 lm_head@273", ""},
    {"XmodForMultipleChoice", "xmod", "", "roberta", "classifier@60 roberta=:XmodModel", ""},
    {"XmodForQuestionAnswering", "xmod", "", "roberta", "roberta@1576 qa_outputs@22", ""},
    {"XmodForSequenceClassification", "xmod", "", "roberta", "roberta@1576 classifier@184", ""},
    {"XmodForTokenClassification", "xmod", "", "roberta", "roberta@1576 classifier@22", ""},
    {"XmodModel", "xmod", "xmod", "roberta", "embeddings@274 encoder@1575 pooler@172", ""},
    {"YosoForMaskedLM", "yoso", "", "yoso", "cls@168 yoso=:YosoModel", ""},
    {"YosoForMultipleChoice", "yoso", "", "yoso", "pre_classifier@47 classifier@60 yoso=:YosoModel", ""},
    {"YosoForQuestionAnswering", "yoso", "", "yoso", "qa_outputs@22 yoso=:YosoModel", ""},
    {"YosoForSequenceClassification", "yoso", "", "yoso", "classifier@184 yoso=:YosoModel", ""},
    {"YosoForTokenClassification", "yoso", "", "yoso", "classifier@22 yoso=:YosoModel", ""},
    {"YosoModel", "yoso", "yoso", "yoso", "embeddings@1050 encoder@511", ""},
    {"YoutuForCausalLM", "youtu", "", "model", "lm_head@191 model=:YoutuModel", ""},
    {"YoutuModel", "youtu", "youtu", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj@830 q_a_layernorm(weight[q_lora_rank]) "
     "q_b_proj@2 kv_a_proj_with_mqa@832 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@833) mlp@288 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint
