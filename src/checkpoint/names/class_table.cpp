// Made by tests/libraries/class_tensors.py from transformers 5.23.0, and again by its test.
#include <array>

#include "checkpoint/names/class_tensors.h"

namespace qfuse::checkpoint {
namespace {

// clang-format off
constexpr std::array<std::string_view, 1558> kSharedModules{{
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
    "weight[(hidden_size/num_attention_heads)]", "q_proj@61 k_proj@62 v_proj@62 o_proj@63 q_norm@64 k_norm@64",
    "weight[intermediate_size,hidden_size]", "weight[hidden_size,intermediate_size]", "weight[2,hidden_size] bias[2]",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?1",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?1",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?1", "q_proj@69 k_proj@70 v_proj@70 o_proj@71",
    "weight[intermediate_size,hidden_size] bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size] bias[hidden_size]?0", "up_proj@73 down_proj@74",
    "weight[vision_config.hidden_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size] bias[vision_config.hidden_size]",
    "in_proj_weight[(3*vision_config.hidden_size),vision_config.hidden_size] "
    "in_proj_bias[(3*vision_config.hidden_size)] out_proj@77",
    "weight[vision_config.hidden_size] bias[vision_config.hidden_size]",
    "q_proj@76 k_proj@76 v_proj@76 multihead_attn@78 linear@77 layer_norm@79 layer_norm_kv@79",
    "weight[text_config.hidden_size,vision_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.hidden_size]", "linear_in@81 linear_out@82",
    "query[max_value_projector_patch_to_query_dict,vision_config.hidden_size] cross_attn@80 layer_norm@79 "
    "feed_forward@83", "weight[text_config.vocab_size,text_config.hidden_size]",
    "weight[(intermediate_size*moe_num_shared_experts),hidden_size] "
    "bias[(intermediate_size*moe_num_shared_experts)]?0", "weight[hidden_size,(num_mel_bins/1),?] bias[hidden_size]",
    "weight[hidden_size,(hidden_size/1),?] bias[hidden_size]", "weight[hidden_size,hidden_size]",
    "weight[text_config.hidden_size,audio_config.hidden_size] bias[text_config.hidden_size]?0",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?0",
    "linear_1@90 linear_2@91", "lm_head@85 model=text_config:Qwen2Model", "model=text_config:Qwen2Model",
    "weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
    "bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,(text_config.hidden_size/2)] bias[text_config.hidden_size]",
    "layernorm@95 linear_1@96 linear_2@97", "weight[text_config.vocab_size,text_config.hidden_size]?",
    "weight[(linear_head_dim*linear_num_heads),hidden_size]?2",
    "weight[?,(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*linear_num_heads)*3)),linear_conv_kernel_"
    "dim]~a", "weight[linear_num_heads,hidden_size]?2", "weight[linear_head_dim]?2",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size]?3", "weight[kv_lora_rank]?3",
    "weight[(num_attention_heads*(qk_nope_head_dim+v_head_dim)),kv_lora_rank]?3",
    "q_proj(weight[?,hidden_size]) k_proj@100 v_proj@100 q_conv1d@101 k_conv1d@101 v_conv1d@101 "
    "A_log[linear_num_heads]?2 dt_bias[(linear_head_dim*linear_num_heads)]?2 f_proj@100 b_proj@102 o_norm@103 "
    "dense(weight[hidden_size,?]) g_proj(weight[?,hidden_size]) kv_a_proj_with_mqa@104 kv_a_layernorm@105 "
    "kv_b_proj@106",
    "weight[((linear_head_dim*linear_num_heads)*3),(((linear_head_dim*linear_num_heads)*3)/((linear_head_dim*line"
    "ar_num_heads)*3)),linear_conv_kernel_dim]?2=a", "conv1d@108",
    "weight[((2*moe_intermediate_size)/2),hidden_size]~b", "weight[hidden_size,moe_intermediate_size]~c",
    "gate_proj@110 up_proj@110 down_proj@111",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=b #{num_experts}@112 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=c",
    "weight[num_experts,hidden_size]?1 expert_bias[num_experts]?1",
    "gate_proj@7 up_proj@7 down_proj@8 experts@113 gate@114 shared_experts@37",
    "attention@107 self_attn@109 mlp@115 input_layernorm(weight[hidden_size]) "
    "post_attention_layernorm(weight[hidden_size])", "#{num_hidden_layers}@116", "gate_proj@73 up_proj@73 down_proj@74",
    "weight[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)),(((mamba_expand*hidden_size)+((2*mamb"
    "a_n_groups)*mamba_d_state))/((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
    "bias[((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state))]?", "weight[(mamba_expand*hidden_size)]",
    "weight[vocab_size,d_model]", "weight[(max_position_embeddings+2),d_model]",
    "weight[d_model,d_model] bias[d_model]", "k_proj@123 v_proj@123 q_proj@123 out_proj@123",
    "weight[d_model] bias[d_model]", "weight[decoder_ffn_dim,d_model] bias[decoder_ffn_dim]",
    "weight[d_model,decoder_ffn_dim] bias[d_model]",
    "self_attn@124 self_attn_layer_norm@125 encoder_attn@124 encoder_attn_layer_norm@125 fc1@126 fc2@127 "
    "final_layer_norm@125", "#{decoder_layers}@128",
    "embed_tokens@121 embed_positions@122 layers@129 layernorm_embedding@125", "decoder@130",
    "weight[vocab_size,d_model]?", "weight[num_labels,d_model] bias[num_labels]", "dense@123 out_proj@133",
    "weight[encoder_ffn_dim,d_model] bias[encoder_ffn_dim]", "weight[d_model,encoder_ffn_dim] bias[d_model]",
    "self_attn@124 self_attn_layer_norm@125 fc1@135 fc2@136 final_layer_norm@125", "#{encoder_layers}@137",
    "embed_tokens@132 embed_positions@122 layers@138 layernorm_embedding@125",
    "embed_tokens@132 embed_positions@122 layers@129 layernorm_embedding@125",
    "weight[num_experts,hidden_size]?1 e_score_correction_bias[num_experts]?1",
    "weight[max_position_embeddings,hidden_size]", "weight[type_vocab_size,hidden_size]",
    "word_embeddings@0 position_embeddings@142 token_type_embeddings@143 LayerNorm@45", "query@46 key@46 value@46",
    "dense@47 LayerNorm@45", "self@145 output@146", "dense@49", "dense@50 LayerNorm@45",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?0 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0", "query@150 key@150 value@150",
    "weight[hidden_size,hidden_size]?0 bias[hidden_size]?0", "weight[hidden_size]?0 bias[hidden_size]?0",
    "dense@152 LayerNorm@153", "self@151 output@154", "attention@147 intermediate@148 output@149 crossattention@155",
    "#{num_hidden_layers}@156", "layer@157", "embeddings@144 encoder@158",
    "weight[vocab_size,hidden_size]? bias[vocab_size]?", "bias[vocab_size] transform@146 decoder@160",
    "predictions@161", "seq_relationship@68", "predictions@161 seq_relationship@68",
    "word_embeddings@0 position_embeddings@142 LayerNorm@45", "dense@47", "query@61 key@61 value@61",
    "self@167 output@146", "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?1", "query@169 key@169 value@169",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?1", "weight[hidden_size]?1 bias[hidden_size]?1",
    "dense@171 LayerNorm@172", "self@170 output@173", "attention@168 intermediate@148 output@149 crossattention@174",
    "#{num_hidden_layers}@175", "layer@176", "dense@47 out_proj@22", "weight[max_position_embeddings,d_model]",
    "weight[d_model,d_model] bias[d_model]?0", "k_proj@180 v_proj@180 q_proj@180 out_proj@180",
    "self_attn@181 self_attn_layer_norm@125 encoder_attn@181 encoder_attn_layer_norm@125 fc1@126 fc2@127 "
    "final_layer_norm@125", "#{decoder_layers}@182",
    "weight[(encoder_attention_heads*(d_model/encoder_attention_heads)),d_model] "
    "bias[(encoder_attention_heads*(d_model/encoder_attention_heads))]?0", "weight[vocab_size,hidden_size]?",
    "weight[(max_position_embeddings+2),hidden_size]", "k_proj@47 v_proj@47 q_proj@47 out_proj@47",
    "weight[vision_config.hidden_size,?,vision_config.patch_size,vision_config.patch_size] "
    "bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,(((vision_config.image_size/vision_confi"
    "g.patch_size)*(vision_config.image_size/vision_config.patch_size))+1),vision_config.hidden_size] "
    "patch_embedding@188", "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[?]?",
    "qkv@190 projection@77",
    "weight[vision_config.intermediate_size,vision_config.hidden_size] bias[vision_config.intermediate_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size] bias[vision_config.hidden_size]",
    "fc1@192 fc2@193", "self_attn@191 layer_norm1@79 mlp@194 layer_norm2@79", "#{vision_config.num_hidden_layers}@195",
    "layers@196", "embeddings@189 encoder@197 post_layernorm@79",
    "weight[qformer_config.vocab_size,qformer_config.hidden_size]",
    "weight[qformer_config.max_position_embeddings,qformer_config.hidden_size]",
    "weight[image_text_hidden_size,qformer_config.hidden_size] bias[image_text_hidden_size]",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),encoder_hidden_size]?0 "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(3*vision_config.hidden_size),vision_config.hidden_size] bias[(3*vision_config.hidden_size)]",
    "qkv@203 projection@77", "self_attn@204 layer_norm1@79 mlp@194 layer_norm2@79",
    "#{vision_config.num_hidden_layers}@205", "layers@206", "embeddings@189 encoder@207 post_layernorm@79",
    "weight[text_config.max_position_embeddings,text_config.hidden_size]",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]",
    "word_embeddings@85 position_embeddings@209 LayerNorm@210",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@212 key@212 value@212",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]", "dense@214 LayerNorm@210",
    "self@213 output@215",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.encoder_hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "query@212 key@217 value@217", "self@218 output@215",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]", "dense@220",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]",
    "dense@222 LayerNorm@210", "attention@216 crossattention@219 intermediate@221 output@223",
    "#{text_config.num_hidden_layers}@224", "layer@225", "embeddings@211 encoder@226", "dense@214",
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
    "class_embedding[vision_config.hidden_size] patch_embedding@249 position_embedding@250",
    "weight[vision_config.hidden_size]?0 bias[vision_config.hidden_size]?0",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size]?0 "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "attention@216 crossattention@216 intermediate@221 output@223", "#{num_hidden_layers}@254", "LayerNorm@153",
    "#{(num_hidden_layers-1)}@256 LayerNorm@153", "fc1@49 fc2@50",
    "self_attn@187 layer_norm1@45 mlp@258 layer_norm2@45", "#{num_hidden_layers}@259", "layers@260",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size]", "weight[num_labels,n_embd]",
    "weight[vocab_size,n_embd]", "weight[n_embd,n_embd] bias[n_embd]", "weight[n_embd] bias[n_embd]",
    "bias[vocab_size] dense@47 layer_norm@45 decoder@160",
    "word_embeddings@0 token_type_embeddings@143 LayerNorm@45 position_embeddings@142", "embeddings@268 encoder@158",
    "weight[(decoder_config.num_attention_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_attention_heads*decoder_config.head_dim)]?0",
    "weight[(decoder_config.num_key_value_heads*decoder_config.head_dim),decoder_config.hidden_size] "
    "bias[(decoder_config.num_key_value_heads*decoder_config.head_dim)]?0",
    "weight[decoder_config.hidden_size,(decoder_config.num_attention_heads*decoder_config.head_dim)] "
    "bias[decoder_config.hidden_size]?0", "q_proj@270 k_proj@271 v_proj@271 o_proj@272",
    "weight[decoder_config.hidden_size] bias[decoder_config.hidden_size]", "weight[vocab_size,n_embd] bias[vocab_size]",
    "weight[(4*n_embd),n_embd] bias[(4*n_embd)]", "weight[n_embd,(4*n_embd)] bias[n_embd]", "fc_in@276 fc_out@277",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]?0",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?0",
    "q_proj@279 k_proj@280 v_proj@280 o_proj@281", "gate_proj@66 up_proj@66 down_proj@67",
    "weight[num_experts,hidden_size]", "weight[((2*intermediate_size)/2),hidden_size]~a",
    "weight[hidden_size,intermediate_size]~b", "gate_proj@285 up_proj@285 down_proj@286",
    "gate_up_proj[num_experts,(2*intermediate_size),hidden_size]=a #{num_experts}@287 "
    "down_proj[num_experts,hidden_size,intermediate_size]=b", "gate@284 experts@288",
    "weight[vocab_size,hidden_size] bias[vocab_size]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/encoder_config.sub"
    "sampling_conv_channels),encoder_config.subsampling_conv_kernel_size,encoder_config.subsampling_conv_kernel_s"
    "ize] bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.subsampling_conv_channels,(encoder_config.subsampling_conv_channels/1),1,1] "
    "bias[encoder_config.subsampling_conv_channels]",
    "weight[encoder_config.intermediate_size,encoder_config.hidden_size] bias[encoder_config.intermediate_size]?0",
    "weight[encoder_config.hidden_size,encoder_config.intermediate_size] bias[encoder_config.hidden_size]?0",
    "linear1@293 linear2@294",
    "weight[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),"
    "encoder_config.hidden_size] "
    "bias[(encoder_config.num_key_value_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))]?0",
    "weight[encoder_config.hidden_size] bias[encoder_config.hidden_size]",
    "query_net@279 key_net@280 value_net@280 out_projection@281",
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
    "ig.patch_size,vision_config.patch_size] bias[vision_config.hidden_size]", "proj@308",
    "weight[vision_config.num_position_embeddings,vision_config.hidden_size]",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]",
    "qkv@311 proj@77", "linear_fc1@192 linear_fc2@193", "norm1@79 norm2@79 attn@312 mlp@313",
    "#{vision_config.depth}@314",
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
    "weight[text_config.head_dim]", "to_q@319 to_k@320 to_v@320 to_out@321 norm_q@322 norm_k@322",
    "weight[text_config.intermediate_size,text_config.hidden_size]",
    "weight[text_config.hidden_size,text_config.intermediate_size]", "gate_proj@324 up_proj@324 down_proj@325",
    "weight[text_config.hidden_size]", "self_attn@323 mlp@326 input_layernorm@327 post_attention_layernorm@327",
    "#{text_config.num_hidden_layers}@328", "weight[(num_attention_heads*dim_head),hidden_size]",
    "weight[dim_ff,hidden_size]", "weight[(num_key_value_heads*head_dim),hidden_size]",
    "weight[hidden_size,(num_attention_heads*head_dim)]", "q_proj@33 k_proj@332 v_proj@332 o_proj@333",
    "bias[vocab_size]?0 transform@154 decoder@160", "predictions@335", "bias[vocab_size]?1 dense@171 LayerNorm@172",
    "lm_head@337", "weight[pooler_hidden_size,pooler_hidden_size] bias[pooler_hidden_size]", "dense@339",
    "weight[max_position_embeddings,hidden_size]?", "word_embeddings@0 position_embeddings@341 LayerNorm@45",
    "weight[(max_position_embeddings*2),hidden_size]?",
    "weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?1 bias[hidden_size]?0",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*n_shared_experts)]?3",
    "q_a_proj@1 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@3 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@5 indexer@27",
    "self_attn@347 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@348",
    "self_attn@6 mlp@29 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@350", "weight[q_lora_rank,hidden_size]", "weight[(num_attention_heads*head_dim),q_lora_rank]",
    "weight[head_dim,hidden_size]", "weight[(o_groups*o_lora_rank),((num_attention_heads*head_dim)/o_groups)]",
    "weight[hidden_size,(o_groups*o_lora_rank)]",
    "ape[?,?] wkv(weight[?,hidden_size]) wgate(weight[?,hidden_size]) norm(weight[head_dim])",
    "weight[(2*index_head_dim),hidden_size]?1", "weight[index_head_dim]?1",
    "ape[?,(2*index_head_dim)]?1 wkv@358 wgate@358 norm@359", "weight[(index_n_heads*index_head_dim),q_lora_rank]?1",
    "weight[index_n_heads,hidden_size]?1", "compressor@360 wq_b@361 weights_proj@362",
    "attn_sink[num_attention_heads] wq_a@352 q_norm(weight[q_lora_rank]) wq_b@353 wkv@354 norm(weight[head_dim]) "
    "wo_a@355 wo_b@356 compressor@357 indexer@363",
    "weight[n_routed_experts,hidden_size] tid2eid[vocab_size,num_experts_per_tok]? bias[n_routed_experts]?",
    "w1@9 w3@9 w2@10", "#{n_routed_experts}@366",
    "weight[moe_intermediate_size,hidden_size] bias[moe_intermediate_size]?0",
    "weight[hidden_size,moe_intermediate_size] bias[hidden_size]?0", "w1@368 w3@368 w2@369",
    "gate@365 experts@367 shared_experts@370", "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b", "experts@372",
    "attn@364 ffn@371 mlp@373 attn_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
    "hc_attn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_attn_base[((2+hc_mult)*hc_mult)] hc_attn_scale[?]"
    " hc_ffn_fn[((2+hc_mult)*hc_mult),(hc_mult*hidden_size)] hc_ffn_base[((2+hc_mult)*hc_mult)] hc_ffn_scale[?]",
    "#{num_hidden_layers}@374",
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
    "q_proj@392 k_proj@393 v_proj@393 o_proj@394",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?4",
    "weight[(moe_intermediate_size*moe_num_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*moe_num_shared_experts)]?3", "weight[task_type_vocab_size,hidden_size]?",
    "word_embeddings@0 position_embeddings@142 token_type_embeddings@143 LayerNorm@45 task_type_embeddings@398",
    "embeddings@399 encoder@158", "word_embeddings@0", "gamma[hidden_size] beta[hidden_size]",
    "self@145 output@166 LayerNorm@402", "dense@50", "dense@152", "gamma[hidden_size]?0 beta[hidden_size]?0",
    "self@151 output@405 LayerNorm@406", "attention@403 intermediate@148 output@404 LayerNorm@402 crossattention@407",
    "rotary_embeddings(inv_freq[?])", "self@409", "attention@410", "#{num_hidden_layers}@408 *@411",
    "layer@412 emb_layer_norm_after@45", "weight[1,(num_hidden_layers*num_attention_heads)] bias[1]", "regression@414",
    "embeddings@401 encoder@413 contact_head@415", "weight[vocab_size,hidden_size] bias[vocab_size]?",
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
    "norm_media@420 norm_latents@420 to_q@422 to_kv@423 to_out@424",
    "weight[(protein_encoder_config.hidden_size*resampler_ff_mult),protein_encoder_config.hidden_size]",
    "weight[protein_encoder_config.hidden_size,(protein_encoder_config.hidden_size*resampler_ff_mult)]",
    "norm@420 fc1@426 fc2@427", "0@425 1@428", "q_proj@392 k_proj@393 v_proj@393 o_proj@394 q_norm@64 k_norm@64",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size]", "proj@431",
    "gate_proj@49 up_proj@49 down_proj@50",
    "weight[(hidden_size*(spatial_merge_size*spatial_merge_size)),(hidden_size*(spatial_merge_size*spatial_merge_"
    "size))] bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "weight[out_hidden_size,(hidden_size*(spatial_merge_size*spatial_merge_size))] bias[out_hidden_size]",
    "0@434 2@435", "ln_q(weight[hidden_size]) mlp@436", "q_proj@299 k_proj@300 v_proj@300 o_proj@301",
    "weight[?,emb_dim]?0 bias[?]?0", "summary@439", "weight[num_labels,emb_dim] bias[num_labels]",
    "weight[emb_dim] bias[emb_dim]", "weight[emb_dim,emb_dim] bias[emb_dim]", "#{}@442",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads))]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads))]",
    "q_proj@61 k_proj@62 v_proj@62 o_proj@63 q_norm@445 k_norm@446",
    "weight[shared_expert_intermediate_size,hidden_size]?1", "weight[hidden_size,shared_expert_intermediate_size]?1",
    "gate_proj@448 up_proj@448 down_proj@449", "word_embeddings@121 layer_norm@125", "weight[(n_head*d_head),d_model]",
    "weight[(n_head*d_head),d_model] bias[(n_head*d_head)]", "weight[d_model,(n_head*d_head)] bias[d_model]",
    "r_w_bias[n_head,d_head] r_r_bias[n_head,d_head] r_kernel[d_model,n_head,d_head] r_s_bias[n_head,d_head] "
    "seg_embed[2,n_head,d_head] q_head@452 k_head@453 v_head@453 post_proj@454 layer_norm@125",
    "weight[d_inner,d_model] bias[d_inner]", "weight[d_model,d_inner] bias[d_model]",
    "linear_1@456 linear_2@457 layer_norm@125", "attention@455 ffn@458", "#{}@459", "#{}@460", "blocks@461",
    "weight[vocab_size,d_model]? bias[vocab_size]", "weight[1,d_model] bias[1]",
    "weight[text_config.hidden_size,((patch_size*patch_size)*num_channels)] bias[text_config.hidden_size]",
    "weight[num_labels,n_embd] bias[num_labels]", "weight[vocab_size,n_embd]?", "weight[n_positions,n_embd]",
    "weight[n_embd,(3*n_embd)] bias[(3*n_embd)]", "c_attn@469 c_proj@265", "weight[n_embd,(4*n_embd)] bias[(4*n_embd)]",
    "weight[(4*n_embd),n_embd] bias[n_embd]", "c_fc@471 c_proj@472", "weight[n_embd,(2*n_embd)]?0 bias[(2*n_embd)]?0",
    "weight[n_embd,n_embd]?0 bias[n_embd]?0", "c_attn@474 q_attn@475 c_proj@475",
    "weight[hidden_size,hidden_size] bias[hidden_size]?0", "dense_h_to_4h@49 dense_4h_to_h@50",
    "weight[vision_config.hidden_size]",
    "mm_input_projection_weight[vision_config.hidden_size,text_config.hidden_size] mm_soft_emb_norm@479",
    "weight[num_labels,text_config.hidden_size]", "model=text_config:Gemma3TextModel",
    "q_proj@279 k_proj@280 v_proj@280 o_proj@281 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "weight[(num_key_value_heads*head_dim),hidden_size]?0 bias[(num_key_value_heads*head_dim)]?1",
    "weight[vocab_size_per_layer_input,(num_hidden_layers*hidden_size_per_layer_input)]", "0@89 1@89 2@89",
    "weight[?,hidden_size]? bias[?]?0",
    "q_proj@386 q_norm(weight[?]) k_norm(weight[?]) k_proj@386 v_proj@487 o_proj@387",
    "weight[(intermediate_size*1),hidden_size]", "weight[hidden_size,(intermediate_size*1)]",
    "gate_proj@489 up_proj@489 down_proj@490", "k_proj@77 v_proj@77 q_proj@77 out_proj@77",
    "self_attn@492 layer_norm1@79 mlp@194 layer_norm2@79", "#{vision_config.num_hidden_layers}@493", "layers@494",
    "embeddings@251 pre_layrnorm@79 encoder@495 post_layernorm@79", "attention@147 intermediate@148 output@149",
    "#{num_hidden_layers}@497", "layer@498", "weight[hidden_size,vision_config.hidden_size] bias[hidden_size]",
    "q_proj@279 k_proj@280 v_proj@280 o_proj@333", "weight[(2*intermediate_size),hidden_size]",
    "gate_up_proj@502 down_proj@67", "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]?3", "weight[(hidden_size/num_attention_heads)]?2",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?2",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))]", "weight[text_config.intermediate_size,text_config.hidden_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size]?0",
    "weight[((2*text_config.moe_intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.moe_intermediate_size]~b", "gate_proj@510 up_proj@510 down_proj@511",
    "weight[(text_config.moe_intermediate_size*text_config.n_shared_experts),text_config.hidden_size]?1",
    "weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?1",
    "gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?1 "
    "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1",
    "weight[((image_size/patch_size)*(image_size/patch_size)),hidden_size]", "position_embedding@516",
    "weight[hidden_size,(in_channels/1),temporal_patch_size,patch_size,patch_size] bias[hidden_size]", "proj@518",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?", "qkv@520 proj@89",
    "weight[out_hidden_size,hidden_size]", "weight[hidden_size,out_hidden_size]",
    "gate_proj@522 up_proj@522 down_proj@523", "norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@521 mlp@524",
    "#{depth}@525", "weight[out_hidden_size,out_hidden_size]", "weight[out_hidden_size] bias[out_hidden_size]",
    "weight[intermediate_size,out_hidden_size]", "weight[out_hidden_size,intermediate_size]",
    "proj@527 post_projection_norm@528 gate_proj@529 up_proj@529 down_proj@530",
    "weight[out_hidden_size,(hidden_size/1),spatial_merge_size,spatial_merge_size] bias[out_hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_key_value_heads*(hidden_size/num_attention_heads))]", "q_proj@46 k_proj@533 v_proj@533 o_proj@394",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] bias[hidden_size]",
    "weight[(text_config.hidden_size*2),audio_config.intermediate_size] bias[(text_config.hidden_size*2)]",
    "weight[text_config.hidden_size,(text_config.hidden_size*2)] bias[text_config.hidden_size]",
    "linear_1@536 linear_2@537", "model=text_config:EuroBertModel", "q_proj@61 k_proj@62 v_proj@62 o_proj@394",
    "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]?0", "weight[(hidden_size/num_heads)]",
    "weight[(out_hidden_size*in_channels),out_hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch"
    "_size] bias[vision_config.hidden_size]", "projection@544",
    "weight[(vision_config.hidden_size*3),vision_config.hidden_size] bias[(vision_config.hidden_size*3)]?",
    "rel_pos_h[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 "
    "rel_pos_w[?,(vision_config.hidden_size/vision_config.num_attention_heads)]?0 qkv@546 proj@77",
    "weight[vision_config.mlp_dim,vision_config.hidden_size] bias[vision_config.mlp_dim]",
    "weight[vision_config.hidden_size,vision_config.mlp_dim] bias[vision_config.hidden_size]", "lin1@548 lin2@549",
    "layer_norm1@79 attn@547 layer_norm2@79 mlp@550", "#{}@551",
    "weight[vision_config.output_channels,(vision_config.hidden_size/1),1,1]",
    "weight[vision_config.output_channels] bias[vision_config.output_channels]",
    "weight[vision_config.output_channels,(vision_config.output_channels/1),?,?]",
    "conv1@553 layer_norm1@554 conv2@555 layer_norm2@554",
    "pos_embed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patc"
    "h_size),vision_config.hidden_size]? patch_embed@545 layers@552 neck@556",
    "weight[(vision_config.output_channels*2),(vision_config.output_channels/1),?,?]",
    "weight[text_config.hidden_size,((vision_config.output_channels*2)/1),?,?]",
    "conv_upsampler1@558 conv_upsampler2@559 multimodal_projector@214", "lm_head@99 model=text_config:Qwen2Model",
    "weight[num_local_experts,hidden_size]", "layer@562", "weight[num_local_experts,(2*intermediate_size),hidden_size]",
    "weight[num_local_experts,hidden_size,intermediate_size]", "router@563 input_linear@564 output_linear@565",
    "weight[hidden_size,shared_intermediate_size]", "q_proj@61 k_proj@62 v_proj@62 o_proj@63",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size] "
    "down_proj[num_local_experts,hidden_size,intermediate_size]",
    "weight[encoder_config.hidden_dim,encoder_config.input_dim] bias[encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim] bias[encoder_config.hidden_dim]",
    "weight[(encoder_config.hidden_dim*encoder_config.feedforward_mult),encoder_config.hidden_dim] "
    "bias[(encoder_config.hidden_dim*encoder_config.feedforward_mult)]",
    "weight[encoder_config.hidden_dim,(encoder_config.hidden_dim*encoder_config.feedforward_mult)] "
    "bias[encoder_config.hidden_dim]", "pre_norm@571 up_proj@572 down_proj@573",
    "weight[(encoder_config.dim_head*encoder_config.num_heads),encoder_config.hidden_dim]",
    "weight[((encoder_config.dim_head*encoder_config.num_heads)*2),encoder_config.hidden_dim]",
    "weight[encoder_config.hidden_dim,(encoder_config.dim_head*encoder_config.num_heads)] "
    "bias[encoder_config.hidden_dim]", "weight[((2*encoder_config.max_pos_emb)+1),encoder_config.dim_head]",
    "pre_norm@571 to_q@575 to_kv@576 to_out@577 rel_pos_emb@578",
    "weight[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2),(encoder_config.hidden_dim/1),1]"
    " bias[((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)*2)]",
    "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor),((encoder_config.hidden_dim*encoder_"
    "config.conv_expansion_factor)/(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)),encoder_conf"
    "ig.conv_kernel_size]", "conv@581", "weight[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "bias[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_mean[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] "
    "running_var[(encoder_config.hidden_dim*encoder_config.conv_expansion_factor)] num_batches_tracked[]",
    "weight[encoder_config.hidden_dim,((encoder_config.hidden_dim*encoder_config.conv_expansion_factor)/1),1] "
    "bias[encoder_config.hidden_dim]", "norm@571 up_conv@580 depth_conv@582 batch_norm@583 down_conv@584",
    "ff1@574 attn@579 conv@585 ff2@574 post_norm@571", "#{encoder_config.num_layers}@586",
    "weight[encoder_config.output_dim,encoder_config.hidden_dim] bias[encoder_config.output_dim]",
    "weight[encoder_config.hidden_dim,encoder_config.output_dim] bias[encoder_config.hidden_dim]",
    "input_linear@570 layers@587 out@588 out_mid@589",
    "weight[text_config.hidden_size,projector_config.hidden_size] bias[text_config.hidden_size]",
    "query[1,(window_size/downsample_rate),projector_config.hidden_size] linear@591 "
    "qformer=projector_config:Blip2QFormerModel", "word_embeddings@0 token_type_embeddings@143 LayerNorm@45",
    "weight[intermediate_size,hidden_size]=a", "gate_proj@594 up_gate_proj(weight[*]~a) up_proj@594 down_proj@50",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=b "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=c", "q_proj@596 k_proj@596 v_proj@596",
    "qkv_proj(weight[*]~b bias[*]~c) o_proj@535", "attn_ln@45 mlp@595 self_attn@597 attention@598 mlp_ln@45",
    "#{num_hidden_layers}@599", "layer@600",
    "weight[(num_key_value_heads*head_dim),hidden_size] bias[(num_key_value_heads*head_dim)]?4",
    "weight[(moe_intermediate_size*num_shared_experts),hidden_size]?2 "
    "bias[(moe_intermediate_size*num_shared_experts)]?3", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?3",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?3",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?3",
    "weight[(index_n_heads*index_head_dim),q_lora_rank]?2", "weight[index_head_dim,hidden_size]?2",
    "weight[index_head_dim]?2 bias[index_head_dim]?2", "weight[index_n_heads,hidden_size]?2",
    "wq_b@607 wk@608 k_norm@609 weights_proj@610", "weight[(num_attention_heads*v_head_dim),hidden_size]",
    "learnable_sink_param[?] q_a_proj@604 q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 kv_a_proj_with_mqa@605 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@606 indexer@611 linear_gate@612",
    "linear_gate@14 up_proj@14 down_proj@15",
    "linear_gate@7 up_proj@7 down_proj@8 experts@515 gate@28 shared_experts@614",
    "hc_fn[(2*hc_mult),(hc_mult*hidden_size)] hc_base[(2*hc_mult)] hc_scale[2]", "hc_attn_layer@616 hc_mlp_layer@616",
    "self_attn@613 mlp@615 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
    "hc_pre@617", "#{num_hidden_layers}@618",
    "hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult] hc_head_scale[1]",
    "weight[(num_codebooks*codebook_size),hidden_size]",
    "weight[(num_attention_heads*head_dim),hidden_size]=a bias[(num_attention_heads*head_dim)]?1",
    "q_proj@622 k_proj@622 v_proj@622 gate_proj@622", "gqkv_proj(weight[*]~a) o_proj@71",
    "weight[intermediate_size,hidden_size]=b bias[intermediate_size]?0",
    "gate_proj@625 gate_up_proj(weight[*]~b) up_proj@625 down_proj@74", "self_attn@623 attn@624 mlp@626",
    "#{num_layers_per_stack}@627", "layers@628",
    "q_proj@279 k_proj@280 v_proj@280 o_proj@281 query_layernorm(weight[head_dim]) " "key_layernorm(weight[head_dim])",
    "weight[text_config.hidden_size,vision_config.out_hidden_size] bias[text_config.hidden_size]",
    "weight[vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[type_vocab_size,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "weight[max_position_embeddings,hidden_size] weight_scaling_factor[1] weight_integer[?,?]",
    "x_min[1] x_max[1] act_scaling_factor[1]", "weight[hidden_size] bias[hidden_size] shift[1] activation@635",
    "word_embeddings@632 token_type_embeddings@633 position_embeddings@634 LayerNorm@636 embeddings_act1@635 "
    "embeddings_act2@635 output_activation@635",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size] "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))] weight_integer[?,?] "
    "fc_scaling_factor[(num_attention_heads*(hidden_size/num_attention_heads))] bias_integer[?]", "act@635",
    "query@638 key@638 value@638 query_activation@635 key_activation@635 value_activation@635 "
    "output_activation@635 softmax@639",
    "weight[hidden_size,hidden_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@641 LayerNorm@636 ln_input_act@635 output_activation@635", "self@640 output@642",
    "weight[intermediate_size,hidden_size] bias[intermediate_size] weight_integer[?,?] "
    "fc_scaling_factor[intermediate_size] bias_integer[?]", "dense@644 output_activation@635",
    "weight[hidden_size,intermediate_size] bias[hidden_size] weight_integer[?,?] fc_scaling_factor[hidden_size] "
    "bias_integer[?]", "dense@646 LayerNorm@636 ln_input_act@635 output_activation@635",
    "attention@643 intermediate@645 output@647 pre_intermediate_act@635 pre_output_act@635", "#{num_hidden_layers}@648",
    "layer@649", "embeddings@637 encoder@650",
    "weight[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_config.patch_si"
    "ze)),vision_config.hidden_size]", "patch_embedding@544 position_embedding@652",
    "weight[text_config.intermediate_size,vision_config.hidden_size]", "weight[perceiver_config.hidden_size]",
    "weight[(perceiver_config.num_key_value_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_si"
    "ze]", "weight[(perceiver_config.hidden_size*4),perceiver_config.hidden_size]",
    "weight[hidden_size,(num_channels/1),patch_size,patch_size] bias[hidden_size]",
    "patch_embedding@658 position_embedding@516", "weight[vision_config.embed_dim] bias[vision_config.embed_dim]",
    "weight[vision_config.embed_dim,vision_config.embed_dim] bias[vision_config.embed_dim]",
    "gate_proj@66 down_proj@67 up_proj@66",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),vision_config.embed_dim]",
    "weight[(hidden_size/num_attention_heads)]?0", "weight[vision_config.embed_dim]?0 bias[vision_config.embed_dim]?0",
    "weight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),vision_config.embed_dim]?0",
    "weight[(swa_num_key_value_heads*swa_head_dim),((swa_num_key_value_heads*swa_head_dim)/(swa_num_key_value_hea"
    "ds*swa_head_dim)),conv_kernel_size]?0 static_w[conv_kernel_size,(num_key_value_heads*head_dim)]?1 "
    "weight_proj[(num_key_value_heads*conv_kernel_size),hidden_size]?1", "weight[?,?,conv_kernel_size]", "conv1d@668",
    "conv1d@306", "weight[qformer_config.hidden_size] bias[qformer_config.hidden_size]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.hidden_size] "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]",
    "weight[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads)),"
    "qformer_config.encoder_hidden_size]?0 "
    "bias[(qformer_config.num_attention_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0",
    "weight[qformer_config.intermediate_size,qformer_config.hidden_size] bias[qformer_config.intermediate_size]",
    "dense@674", "weight[qformer_config.hidden_size,qformer_config.intermediate_size] bias[qformer_config.hidden_size]",
    "dense@676 LayerNorm@671", "weight[(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]",
    "layer_norm@678 linear_1@679 linear_2@214", "weight[mamba_d_state]?2",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?4",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1",
    "weight[vision_config.hidden_size,?] bias[vision_config.hidden_size]",
    "weight[vision_config.projection_dim,vision_config.hidden_size] bias[vision_config.projection_dim]",
    "weight[?,?,?,?] bias[?]", "weight[?,?,1,1]?1 bias[?]?1",
    "norm1(weight[?] bias[?]) conv1@686 norm2(weight[?] bias[?]) conv2@686 nin_shortcut@687",
    "norm1(weight[?] bias[?]) conv1@686 norm2(weight[?] bias[?]) conv2@686", "weight[?,?,?,?]?2 bias[?]?2", "conv@690",
    "weight[?,?,1,1]?0 bias[?]?0", "norm(weight[?]?0 bias[?]?0) q@692 k@692 v@692 proj_out@692",
    "weight[?,?,1,1] bias[?]", "norm(weight[?] bias[?]) q@694 k@694 v@694 proj_out@694",
    "block_1@689 attn_1@695 block_2@689", "weight[vq_config.num_embeddings,vq_config.embed_dim]",
    "word_embeddings@0 token_type_embeddings@143",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]=b", "q_proj@699 k_proj@699 v_proj@699",
    "Wqkv(weight[*]~a bias[*]~b) out_proj@535", "norm1@45 mlp@258 self_attn@700 mixer@701 norm2@45",
    "#{num_hidden_layers}@702", "layers@703", "embeddings@698 emb_ln@45 encoder@704",
    "weight[linear_head_dim,hidden_size]?2", "weight[(linear_head_dim*linear_num_heads),linear_head_dim]?2",
    "q_proj@33 k_proj@332 v_proj@332 o_proj@333 q_norm(weight[head_dim]) k_norm(weight[head_dim])",
    "gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size]=a #{num_local_experts}@11 "
    "down_proj[num_local_experts,hidden_size,moe_intermediate_size]=b",
    "weight[shared_expert_intermediate_size,hidden_size]", "weight[hidden_size,shared_expert_intermediate_size]",
    "gate_proj@710 up_proj@710 down_proj@711", "weight[text_config.vocab_size,text_config.embed_dim]",
    "weight[text_config.embed_dim,text_config.embed_dim] bias[text_config.embed_dim]",
    "weight[text_config.embed_dim] bias[text_config.embed_dim]",
    "k_proj@714 v_proj@714 q_proj@714 out_proj@714 inner_attn_ln@715",
    "weight[text_config.ffn_dim,text_config.embed_dim] bias[text_config.ffn_dim]",
    "weight[text_config.embed_dim,text_config.ffn_dim] bias[text_config.embed_dim]",
    "weight[text_config.ffn_dim] bias[text_config.ffn_dim]", "fc1@717 fc2@718 ffn_layernorm@719",
    "weight[text_config.embed_dim,text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "k_proj@721 v_proj@721 q_proj@721 out_proj@721", "weight[text_config.embed_dim]?0 bias[text_config.embed_dim]?0",
    "self_attn@716 self_attn_layer_norm@715 ffn@720 final_layer_norm@715 encoder_attn@722 "
    "encoder_attn_layer_norm@723", "#{text_config.layers}@724", "embed_tokens@713 layers@725 layer_norm@715",
    "weight[text_config.vocab_size,text_config.embed_dim]?", "model@496",
    "weight[text_config.embed_dim,vision_config.hidden_size] bias[text_config.embed_dim]",
    "k_proj@714 v_proj@714 q_proj@714 out_proj@714",
    "latent_query[latent_query_num,text_config.embed_dim] dense@729 x_attn@730", "weight[2,text_config.embed_dim]",
    "self_attn@730 self_attn_layer_norm@715 ffn@720 final_layer_norm@715", "#{text_config.layers}@733",
    "embed_tokens@713 segment_emb@732 layers@734 layer_norm@715",
    "weight[vision_config.hidden_size,vision_config.patch_embed_hidden_size] bias[vision_config.hidden_size]",
    "weight[vision_config.max_num_patches,vision_config.hidden_size]",
    "patch_projection@736 row_embedder@737 column_embedder@737",
    "weight[(vision_config.num_attention_heads*vision_config.head_dim),vision_config.hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.head_dim)]",
    "query@739 key@739 value@739 output@740", "weight[vision_config.intermediate_size,vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.intermediate_size]", "wi_0@742 wi_1@742 wo@743",
    "attention@741 mlp@744 pre_mlp_layer_norm@479 pre_attention_layer_norm@479",
    "#{vision_config.num_hidden_layers}@745", "layer@746", "embeddings@738 encoder@747 layernorm@479",
    "weight[?,hidden_size] bias[?]?2", "weight[max_2d_position_embeddings,hidden_size]",
    "weight[max_2d_position_embeddings,coordinate_size]?1", "weight[max_2d_position_embeddings,shape_size]?1",
    "weight[num_attention_heads,rel_2d_pos_bins]?2",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1",
    "weight[(hidden_size/num_attention_heads)]?1",
    "q_proj@754 k_proj@755 v_proj@755 out_proj@756 q_layernorm@757 k_layernorm@757",
    "weight[(3*hidden_size),hidden_size]?0", "weight[hidden_size,hidden_size]?0",
    "weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?1 bias[hidden_size]?0",
    "weight[(3*hidden_size),hidden_size]?1 bias[(3*hidden_size)]?0",
    "weight[hidden_size,hidden_size]?1 bias[hidden_size]?0", "conv@761 in_proj@762 out_proj@763", "w1@66 w3@66 w2@67",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?2",
    "weight[(num_key_value_heads*head_dim),hidden_size]?3",
    "weight[vision_config.hidden_size,(vision_config.hidden_size*(spatial_merge_size*spatial_merge_size))]",
    "merging_layer@768", "weight[max_2d_position_embeddings,(hidden_size/6)]",
    "weight[max_position_embeddings,(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio),hidden_size] bias[(hidden_size/channel_shrink_ratio)]",
    "weight[(hidden_size/channel_shrink_ratio)] bias[(hidden_size/channel_shrink_ratio)]",
    "x_position_embeddings@770 y_position_embeddings@770 h_position_embeddings@770 w_position_embeddings@770 "
    "box_position_embeddings@771 box_linear_embeddings@772 LayerNorm@773",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio),(hidden_size/channel_s"
    "hrink_ratio)] bias[((num_attention_heads*(hidden_size/num_attention_heads))/channel_shrink_ratio)]",
    "query@46 key@46 value@46 layout_query@775 layout_key@775 layout_value@775",
    "weight[(hidden_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@777 LayerNorm@773", "self@776 output@146 layout_output@778",
    "weight[(intermediate_size/channel_shrink_ratio),(hidden_size/channel_shrink_ratio)] "
    "bias[(intermediate_size/channel_shrink_ratio)]", "dense@780",
    "weight[(hidden_size/channel_shrink_ratio),(intermediate_size/channel_shrink_ratio)] "
    "bias[(hidden_size/channel_shrink_ratio)]", "dense@782 LayerNorm@773",
    "attention@779 intermediate@148 output@149 layout_intermediate@781 layout_output@783", "#{num_hidden_layers}@784",
    "layer@785", "embeddings@144 layout_embeddings@774 encoder@786",
    "weight[text_config.hidden_size,(vision_config.hidden_size*1)] bias[text_config.hidden_size]?0",
    "linear_1@788 linear_2@91", "lm_head@85 model=text_config:EuroBertModel", "weight[(num_heads*d_kv),d_model]",
    "weight[d_model,(num_heads*d_kv)]", "weight[relative_attention_num_buckets,num_heads]?",
    "q@791 k@791 v@791 o@792 relative_attention_bias@793", "LocalSelfAttention@794 layer_norm(weight[d_model])",
    "weight[d_ff,d_model]?0", "wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]) wi_0@796 wi_1@796",
    "DenseReluDense@797 layer_norm(weight[d_model])", "0@795 1@798", "layer@799", "#{num_layers}@800",
    "embed_tokens@132 block@801 final_layer_norm(weight[d_model])", "SelfAttention@794 layer_norm(weight[d_model])",
    "q@791 k@791 v@791 o@792", "EncDecAttention@804 layer_norm(weight[d_model])", "0@803 1@805 2@798", "layer@806",
    "#{num_decoder_layers}@807", "embed_tokens@132 block@808 final_layer_norm(weight[d_model])",
    "weight[((2*expert_ffn_hidden_size)/2),hidden_size]~a", "weight[q_lora_rank,hidden_size] bias[q_lora_rank]?0",
    "weight[(num_attention_heads*qk_head_dim),q_lora_rank]",
    "weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] bias[(kv_lora_rank+qk_rope_head_dim)]?0",
    "weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?0",
    "q_a_proj@811 q_a_layernorm(weight[q_lora_rank]) q_b_proj@812 kv_a_proj_with_mqa@813 "
    "kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@814", "weight[ffn_hidden_size,hidden_size]",
    "weight[hidden_size,ffn_hidden_size]", "gate_proj@816 up_proj@816 down_proj@817",
    "0(weight[hidden_size]) 1(weight[hidden_size])",
    "query@47 key@47 value@47 query_global@47 key_global@47 value_global@47", "self@820 output@146",
    "attention@821 intermediate@148 output@149", "#{num_hidden_layers}@822", "layer@823", "embeddings@268 encoder@824",
    "weight[entity_vocab_size,entity_emb_size]", "weight[hidden_size,entity_emb_size]",
    "entity_embeddings@826 entity_embedding_dense@827 position_embeddings@142 token_type_embeddings@143 "
    "LayerNorm@45", "query@46 key@46 value@46 w2e_query@150 e2w_query@150 e2e_query@150", "self@829 output@146",
    "attention@830 intermediate@148 output@149", "#{num_hidden_layers}@831", "layer@832",
    "embeddings@144 entity_embeddings@828 encoder@833", "weight[(hidden_size*2),hidden_size] bias[(hidden_size*2)]",
    "weight[(hidden_size*2)] bias[(hidden_size*2)]", "q@46 k@46 v@46 o@47", "attn@837 LayerNorm@45",
    "attention@838 intermediate@148 output@149", "#{num_hidden_layers}@839",
    "weight[relative_attention_num_buckets,num_attention_heads]", "layer@840 relative_attention_bias@841",
    "embeddings@165 encoder@842", "weight[(num_heads*d_kv),d_model]?2", "weight[d_model,(num_heads*d_kv)]?2",
    "q@844 k@844 v@844 o@845 relative_attention_bias@793",
    "wi_0@796 wi_1@796 wo(weight[d_model,d_ff]?) wi(weight[d_ff,d_model]?)", "weight[(num_heads*d_kv),d_model]?1",
    "weight[d_model,(num_heads*d_kv)]?1", "q@848 k@848 v@848 o@849",
    "wi_0@796 wi_1@796 wo(weight[d_model,d_ff]) wi(weight[d_ff,d_model]?)",
    "DenseReluDense@851 layer_norm(weight[d_model])", "0@803 1@852", "layer@853", "#{num_layers}@854",
    "embed_tokens@132 block@855 final_layer_norm(weight[d_model])", "0@803 1@805 2@852", "layer@857",
    "#{num_decoder_layers}@858", "embed_tokens@132 block@859 final_layer_norm(weight[d_model])",
    "weight[max_position_embeddings,d_model]?",
    "weight[hidden_size,(xpath_unit_hidden_size*max_depth)] bias[hidden_size]",
    "weight[(4*hidden_size),(xpath_unit_hidden_size*max_depth)] bias[(4*hidden_size)]",
    "weight[max_xpath_tag_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@864",
    "weight[max_xpath_subs_unit_embeddings,xpath_unit_hidden_size]", "#{max_depth}@866",
    "xpath_unitseq2_embeddings@862 xpath_unitseq2_inner@863 inner2emb@231 xpath_tag_sub_embeddings@865 "
    "xpath_subs_sub_embeddings@867",
    "word_embeddings@0 position_embeddings@142 xpath_embeddings@868 token_type_embeddings@143 LayerNorm@45",
    "embeddings@869 encoder@499", "word_embeddings@0 position_embeddings@142 token_type_embeddings@143",
    "ln@45 self@145 output@166", "ln@153 self@151 output@405",
    "attention@872 ln@45 intermediate@148 output@404 crossattention@873", "#{num_hidden_layers}@874", "layer@875 ln@45",
    "embeddings@871 encoder@876", "experts@709 gate@562",
    "weight[(vision_config.hidden_size*4),(vision_config.hidden_size*4)] bias[(vision_config.hidden_size*4)]",
    "pre_norm@678 linear_1@879 linear_2@679", "0@880", "mlp@881", "layer_norm1@45 self_attn@187 layer_norm2@45 mlp@258",
    "#{num_hidden_layers}@883", "layers@884", "weight[hidden_size,?] bias[hidden_size]",
    "layer_norm1@79 self_attn@492 layer_norm2@79 mlp@194", "#{vision_config.num_hidden_layers}@887", "layers@888",
    "w1@285 w3@285 w2@286", "#{num_local_experts}@890",
    "gate_up_proj[num_local_experts,(2*intermediate_size),hidden_size]=a "
    "down_proj[num_local_experts,hidden_size,intermediate_size]=b", "experts@892",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),vision_config.temporal_patch_size,vision_con"
    "fig.patch_size,vision_config.patch_size]",
    "weight[projector_hidden_size,vision_config.hidden_size] bias[projector_hidden_size]",
    "weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]",
    "weight[projector_hidden_size,merged_hidden_size] bias[projector_hidden_size]",
    "q_proj@319 k_proj@320 v_proj@320 o_proj@321 q_norm@322 k_norm@322",
    "weight[text_config.num_local_experts,text_config.hidden_size]",
    "weight[((2*text_config.intermediate_size)/2),text_config.hidden_size]~a",
    "weight[text_config.hidden_size,text_config.intermediate_size]~b", "w1@900 w3@900 w2@901",
    "#{text_config.num_local_experts}@902", "weight[?,text_config.hidden_size]~c",
    "weight[text_config.hidden_size,text_config.shared_intermediate_size]", "gate_proj@904 up_proj@904 down_proj@905",
    "gate@899 experts@903 shared_experts@906 e_score_correction_bias[text_config.num_local_experts]",
    "gate_up_proj[text_config.num_local_experts,(2*text_config.intermediate_size),text_config.hidden_size]=a "
    "down_proj[text_config.num_local_experts,text_config.hidden_size,text_config.intermediate_size]=b",
    "weight[(2*text_config.shared_intermediate_size),text_config.hidden_size]=c", "gate_up_proj@909",
    "experts@908 shared_experts@910",
    "self_attn@898 block_sparse_moe@907 mlp@911 input_layernorm@327 post_attention_layernorm@327",
    "#{text_config.num_hidden_layers}@912", "embed_tokens@85 layers@913 norm@327",
    "weight[num_local_experts,hidden_size] e_score_correction_bias[num_local_experts]",
    "weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?0",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?0", "gate@562 experts@891",
    "norm@479 patch_merger@769 linear_1@788 linear_2@91", "weight[n_routed_experts,hidden_size]?1",
    "w1@742 w3@742 w2@743", "wk@76 wv@76 wq@76 wo@76", "attention_norm@479 feed_forward@921 attention@922 ffn_norm@479",
    "#{}@923", "layers@924", "patch_conv@249 ln_pre@479 transformer@925",
    "weight[?,text_config.hidden_size] bias[(text_config.kv_lora_rank+text_config.qk_rope_head_dim)]?2",
    "weight[text_config.kv_lora_rank]", "weight[?,text_config.kv_lora_rank]",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.v_head_dim)] "
    "bias[text_config.hidden_size]?2",
    "weight[(text_config.index_n_heads*text_config.index_head_dim),text_config.hidden_size]",
    "weight[text_config.index_head_dim,text_config.hidden_size]",
    "weight[text_config.index_head_dim] bias[text_config.index_head_dim]",
    "weight[text_config.index_n_heads,text_config.hidden_size]",
    "s[text_config.index_n_heads] b[text_config.index_n_heads]",
    "wq_b@931 wk@932 k_norm@933 weights_proj@934 q_input_norm@210 ssmax_scaling@935",
    "weight[(text_config.num_attention_heads*(text_config.qk_nope_head_dim+text_config.qk_rope_head_dim)),text_co"
    "nfig.hidden_size]", "s[text_config.num_attention_heads] b[text_config.num_attention_heads]",
    "wkv_a_with_mqa@927 kv_a_norm@928 wkv_b@929 wo@930 indexer@936 wq@937 ssmax_scaling@938", "w1@508 w3@508 w2@509",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a"
    " down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b",
    "experts@941", "w1@510 w3@510 w2@511", "#{text_config.n_routed_experts}@943",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?1", "w1@513 w3@513 w2@514",
    "attention@939 feed_forward@940 attention_norm@327 ffn_norm@327 mlp@942 experts@944 gate@945 " "shared_experts@946",
    "#{text_config.num_hidden_layers}@947",
    "weight[text_config.hidden_size,vision_config.vision_output_dim] bias[text_config.hidden_size]",
    "weight[(num_key_value_heads*(hidden_size/num_attention_heads)),hidden_size]?0",
    "weight[?,(max_num_tiles*hidden_size)]", "gate[1] embedding@951",
    "weight[(attention_heads*(hidden_size/attention_heads)),hidden_size]",
    "weight[hidden_size,(attention_heads*(hidden_size/attention_heads))]",
    "q_proj@953 k_proj@953 v_proj@953 o_proj@954", "bias[hidden_size] weight[hidden_size]",
    "word_embeddings@39 position_embeddings@142 token_type_embeddings@143 embedding_transformation@886 "
    "LayerNorm@956", "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),true_hidden_size] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]",
    "weight[(num_attention_heads*(true_hidden_size/num_attention_heads)),?] "
    "bias[(num_attention_heads*(true_hidden_size/num_attention_heads))]", "query@958 key@958 value@959",
    "weight[true_hidden_size,true_hidden_size] bias[true_hidden_size]",
    "bias[true_hidden_size] weight[true_hidden_size]", "dense@961 LayerNorm@962", "self@960 output@963",
    "weight[intermediate_size,true_hidden_size] bias[intermediate_size]", "dense@965",
    "weight[true_hidden_size,intermediate_size] bias[true_hidden_size]",
    "weight[hidden_size,true_hidden_size]?1 bias[hidden_size]?1", "bias[hidden_size]?1 weight[hidden_size]?1",
    "dense@968 LayerNorm@969", "dense@967 LayerNorm@962 bottleneck@970",
    "weight[intra_bottleneck_size,hidden_size]?1 bias[intra_bottleneck_size]?1",
    "bias[intra_bottleneck_size]?1 weight[intra_bottleneck_size]?1", "dense@972 LayerNorm@973",
    "weight[intra_bottleneck_size,hidden_size]?0 bias[intra_bottleneck_size]?0",
    "bias[intra_bottleneck_size]?0 weight[intra_bottleneck_size]?0", "dense@975 LayerNorm@976",
    "input@974 attention@977", "dense@967 LayerNorm@962", "intermediate@966 output@979",
    "#{(num_feedforward_networks-1)}@980", "attention@964 intermediate@966 output@971 bottleneck@978 ffn@981",
    "#{num_hidden_layers}@982", "layer@983", "embeddings@957 encoder@984",
    "weight[(hidden_size-embedding_size),vocab_size]", "bias[vocab_size] transform@146 dense@986 decoder@58",
    "weight[hidden_size,hidden_size] bias[hidden_size]?", "weight[hidden_size] bias[hidden_size]?",
    "dense@988 norm@989", "weight[hidden_size] bias[hidden_size]?0", "tok_embeddings@0 norm@991",
    "weight[((hidden_size/num_attention_heads)*num_attention_heads),hidden_size] "
    "bias[((hidden_size/num_attention_heads)*num_attention_heads)]?0",
    "weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?1", "Wi@994 Wo@384",
    "weight[hidden_size]? bias[hidden_size]?",
    "weight[text_config.hidden_size,text_config.hidden_size] bias[text_config.hidden_size]?",
    "weight[text_config.hidden_size] bias[text_config.hidden_size]?", "dense@997 norm@998",
    "weight[num_labels,text_config.hidden_size] bias[num_labels]",
    "weight[text_config.hidden_size,(vision_config.hidden_size*(pixel_shuffle_factor*pixel_shuffle_factor))]",
    "weight[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads)),hidden_size] "
    "bias[(encoder_num_key_value_heads*(hidden_size/encoder_num_attention_heads))]?0",
    "weight[hidden_size,(encoder_num_attention_heads*(hidden_size/encoder_num_attention_heads))]",
    "q_proj@1002 k_proj@1003 v_proj@1003 o_proj@1004", "linear@332", "weight[d_model,d_model]",
    "q_proj@279 k_proj@280 v_proj@280 o_proj@281 gate_proj@33", "weight[moe_hidden_size]",
    "weight[prompt_length,d_model]?0", "weight[prompt_mid_dim,d_model]?0 bias[prompt_mid_dim]?0",
    "weight[((decoder_layers*2)*d_model),prompt_mid_dim]?0 bias[((decoder_layers*2)*d_model)]?0", "0@1011 2@1012",
    "prompt_embedding@1010 prompt_trans@1013", "weight[(num_key_value_heads*head_dim),hidden_size]?5",
    "weight[num_experts,d_model]?0", "classifier@1016", "weight[encoder_ffn_dim,d_model]?0 bias[encoder_ffn_dim]?0",
    "weight[d_model,encoder_ffn_dim]?0 bias[d_model]?0", "fc1@1018 fc2@1019",
    "weight[decoder_ffn_dim,d_model]?0 bias[decoder_ffn_dim]?0", "weight[d_model,decoder_ffn_dim]?0 bias[d_model]?0",
    "fc1@1021 fc2@1022", "fc12@66 fc11@66 fc2@67", "weight[(num_attention_heads*head_dim),hidden_size]=a",
    "q_proj@1025 k_proj@1025 v_proj@1025", "Wqkv(weight[*]~a) out_proj@333",
    "norm1@45 mlp@1024 self_attn@1026 attn@1027 norm2@45", "#{num_hidden_layers}@1028", "layers@1029",
    "word_embeddings@0 position_embeddings@186 token_type_embeddings@143 LayerNorm@45",
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
    "k_proj@1045 v_proj@1045 q_proj@1045 out_proj@1045", "weight[text_config.d_model] bias[text_config.d_model]",
    "embeddings@653 encoder@889 post_layernorm@79", "vision_model@1048",
    "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?0",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?0",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?0", "q_proj@1050 k_proj@1051 v_proj@1051 o_proj@1052",
    "weight[text_config.intermediate_size,text_config.hidden_size] bias[text_config.intermediate_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size] bias[text_config.hidden_size]?0",
    "gate_proj@1054 up_proj@1054 down_proj@1055",
    "self_attn@1053 mlp@1056 input_layernorm@327 post_attention_layernorm@327", "#{text_config.num_hidden_layers}@1057",
    "embed_tokens@85 layers@1058 norm@327",
    "weight[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size),((vis"
    "ion_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)] "
    "bias[((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.spatial_merge_size)]",
    "weight[text_config.hidden_size,((vision_config.hidden_size*vision_config.spatial_merge_size)*vision_config.s"
    "patial_merge_size)] bias[text_config.hidden_size]", "pre_norm@79 linear_1@1060 linear_2@1061", "linear@685",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/subsampling_conv_channels),subsampling_conv_kern"
    "el_size,subsampling_conv_kernel_size] bias[subsampling_conv_channels]",
    "weight[subsampling_conv_channels,(subsampling_conv_channels/1),1,1] bias[subsampling_conv_channels]",
    "linear1@383 linear2@384",
    "weight[hidden_size] bias[hidden_size] running_mean[hidden_size] running_var[hidden_size] " "num_batches_tracked[]",
    "k_proj@1007 v_proj@1007 q_proj@1007 out_proj@1007",
    "weight[(hidden_size/num_attention_heads)]?0 bias[(hidden_size/num_attention_heads)]?0",
    "weight[((num_attention_heads*(hidden_size/num_attention_heads))+(2*(num_key_value_heads*(hidden_size/num_att"
    "ention_heads)))),hidden_size]", "o_proj@394 qkv_proj@1070",
    "self_attn@1071 mlp@503 input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size])",
    "#{num_hidden_layers}@1072",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/audio_config.nemo_conv_channels),?,?"
    "] bias[audio_config.nemo_conv_channels]",
    "weight[audio_config.nemo_conv_channels,(audio_config.nemo_conv_channels/1),1,1] "
    "bias[audio_config.nemo_conv_channels]", "weight[audio_config.hidden_size] bias[audio_config.hidden_size]",
    "weight[(audio_config.intermediate_size*2),audio_config.hidden_size] bias[(audio_config.intermediate_size*2)]",
    "weight[audio_config.hidden_size,audio_config.intermediate_size] bias[audio_config.hidden_size]",
    "layer_norm@1076 gate_up_proj@1077 down_proj@1078",
    "weight[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads)),audio_"
    "config.hidden_size] "
    "bias[(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.num_attention_heads))]",
    "weight[hidden_size,(audio_config.hidden_size*audio_config.downsample_rate)] bias[hidden_size]",
    "weight[vision_config.seq_len,vision_config.hidden_size]",
    "weight[(vision_config.num_attention_heads*vision_config.d_kv),vision_config.hidden_size]",
    "weight[vision_config.d_ff,vision_config.hidden_size]", "weight[text_config.d_ff,text_config.hidden_size]",
    "weight[ngram,hidden_size]", "weight[(num_buckets*num_decoder_attention_heads),hidden_size] "
    "bias[(num_buckets*num_decoder_attention_heads)]",
    "key_proj@47 value_proj@47 query_proj@47 out_proj@47 relative_pos_embeddings@1087",
    "key_proj@152 value_proj@152 query_proj@152 out_proj@152",
    "weight[decoder_ffn_dim,hidden_size] bias[decoder_ffn_dim]",
    "weight[hidden_size,decoder_ffn_dim] bias[hidden_size]", "intermediate@1090 output@1091",
    "self_attn@1088 self_attn_layer_norm@45 cross_attn@1089 cross_attn_layer_norm@153 feed_forward@1092 "
    "feed_forward_layer_norm@45", "#{num_decoder_layers}@1093",
    "word_embeddings@185 position_embeddings@142 ngram_embeddings@1086 layers@1094 embeddings_layer_norm@45",
    "weight[encoder_ffn_dim,hidden_size] bias[encoder_ffn_dim]",
    "weight[hidden_size,encoder_ffn_dim] bias[hidden_size]",
    "weight[vision_config.hidden_size,(vision_config.num_channels/1),?,?] bias[vision_config.hidden_size]",
    "class_embedding[1,1,vision_config.hidden_size] position_embedding[1,?,vision_config.hidden_size]? "
    "patch_embedding@1098 mask_token[1,1,vision_config.hidden_size]?",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size]=a "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?1=b",
    "weight[vision_config.hidden_size]?0", "q_proj@1100 k_proj@1100 v_proj@1100 q_norm@1101 k_norm@1101",
    "qkv(weight[*]~a bias[*]~b) proj@77",
    "ls1[vision_config.hidden_size] ls2[vision_config.hidden_size] attention@1102 attn@1103 mlp@194 norm1@79 "
    "norm2@79", "#{vision_config.num_hidden_layers}@1104", "layers@1105", "embeddings@1099 encoder@1106 layernorm@252",
    "q_proj@1050 k_proj@1051 v_proj@1051 o_proj@1052 q_norm@322 k_norm@322",
    "self_attn@1108 mlp@326 input_layernorm@327 post_attention_layernorm@327", "#{text_config.num_hidden_layers}@1109",
    "layers@1110", "embed_tokens@85 encoder@1111 norm@327", "weight[d_model,(num_mel_bins/1),?] bias[d_model]",
    "weight[d_model,(d_model/1),?] bias[d_model]", "weight[max_source_positions,d_model]",
    "k_proj@1007 v_proj@123 q_proj@123 out_proj@123",
    "self_attn@1116 self_attn_layer_norm@125 fc1@135 fc2@136 final_layer_norm@125", "#{encoder_layers}@1117",
    "weight[text_config.hidden_size,audio_config.d_model] bias[text_config.hidden_size]", "linear@1119",
    "gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]=a #{num_experts}@11 "
    "down_proj[num_experts,hidden_size,moe_intermediate_size]=b",
    "gate@284 experts@1121 shared_expert@712 shared_expert_gate(weight[1,hidden_size])",
    "weight[vision_config.embed_dim,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_config"
    ".patch_size,vision_config.patch_size]", "proj@1123",
    "weight[(vision_config.embed_dim*3),vision_config.embed_dim] bias[(vision_config.embed_dim*3)]",
    "qkv@1125 proj@661", "weight[(vision_config.embed_dim*vision_config.mlp_ratio),vision_config.embed_dim] "
    "bias[(vision_config.embed_dim*vision_config.mlp_ratio)]",
    "weight[vision_config.embed_dim,(vision_config.embed_dim*vision_config.mlp_ratio)] "
    "bias[vision_config.embed_dim]", "fc1@1127 fc2@1128", "norm1@660 norm2@660 attn@1126 mlp@1129",
    "#{vision_config.depth}@1130",
    "weight[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size)),(vision"
    "_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))] "
    "bias[(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.spatial_merge_size))]",
    "weight[vision_config.hidden_size,(vision_config.embed_dim*(vision_config.spatial_merge_size*vision_config.sp"
    "atial_merge_size))] bias[vision_config.hidden_size]", "0@1132 2@1133", "ln_q@660 mlp@1134",
    "patch_embed@1124 blocks@1131 merger@1135",
    "weight[audio_config.d_model,(audio_config.num_mel_bins/1),?] bias[audio_config.d_model]",
    "weight[audio_config.d_model,(audio_config.d_model/1),?] bias[audio_config.d_model]",
    "weight[2,audio_config.output_dim]", "weight[audio_config.d_model,audio_config.d_model]",
    "weight[audio_config.d_model,audio_config.d_model] bias[audio_config.d_model]",
    "k_proj@1140 v_proj@1141 q_proj@1141 out_proj@1141", "weight[audio_config.d_model] bias[audio_config.d_model]",
    "weight[audio_config.encoder_ffn_dim,audio_config.d_model] bias[audio_config.encoder_ffn_dim]",
    "weight[audio_config.d_model,audio_config.encoder_ffn_dim] bias[audio_config.d_model]",
    "self_attn@1142 self_attn_layer_norm@1143 fc1@1144 fc2@1145 final_layer_norm@1143",
    "#{audio_config.encoder_layers}@1146",
    "weight[audio_config.output_dim,audio_config.d_model] bias[audio_config.output_dim]",
    "conv1@1137 conv2@1138 audio_bos_eos_token@1139 layers@1147 ln_post@1143 proj@1148",
    "weight[vision_config.hidden_size,(vision_config.in_channels/1),vision_config.temporal_patch_size,vision_conf"
    "ig.patch_size,vision_config.patch_size]", "proj@1150", "q@77 k@77 v@77 proj@77",
    "gate_proj@192 up_proj@192 down_proj@193", "norm1@479 norm2@479 attn@1152 mlp@1153", "#{vision_config.depth}@1154",
    "0@316 2@317", "ln_q@479 mlp@1156", "patch_embed@1151 blocks@1155 merger@1157",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]",
    "q_proj@212 k_proj@1159 v_proj@1159 o_proj@507",
    "self_attn@1160 mlp@326 input_layernorm@327 post_attention_layernorm@327", "#{text_config.num_hidden_layers}@1161",
    "embed_tokens@85 layers@1162 norm@327", "weight[(hidden_size*3),hidden_size] bias[(hidden_size*3)]",
    "qkv@1164 proj@47", "weight[downsample_hidden_size,(downsample_hidden_size/1),?,?] bias[downsample_hidden_size]",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((l"
    "inear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_he"
    "ad_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0",
    "weight[((num_attention_heads*head_dim)*2),hidden_size]?1", "weight[(num_key_value_heads*head_dim),hidden_size]?1",
    "weight[hidden_size,(num_attention_heads*head_dim)]?1",
    "q_proj@1168 k_proj@1169 v_proj@1169 o_proj@1170 q_norm(weight[head_dim]?1) k_norm(weight[head_dim]?1)",
    "k_proj@1141 v_proj@1141 q_proj@1141 out_proj@1141",
    "self_attn@1172 self_attn_layer_norm@1143 fc1@1144 fc2@1145 final_layer_norm@1143",
    "#{audio_config.encoder_layers}@1173",
    "weight[audio_config.downsample_hidden_size,1,?,?] bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.downsample_hidden_size,(audio_config.downsample_hidden_size/1),?,?] "
    "bias[audio_config.downsample_hidden_size]",
    "weight[audio_config.d_model,(audio_config.downsample_hidden_size*((((((audio_config.num_mel_bins+1)/2)+1)/2)"
    "+1)/2))]", "layers@1174 ln_post@1143 conv2d1@1175 conv2d2@1176 conv2d3@1176 conv_out@1177 proj1@1141 proj2@1148",
    "ln_q@318 mlp@1156", "#{}@1179", "ln_q@79 mlp@1156",
    "merger_list@1180 patch_embed@309 pos_embed@310 blocks@315 merger@1181",
    "weight[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "weight[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_conf"
    "ig.hidden_size] "
    "bias[(text_config.num_key_value_heads*(text_config.hidden_size/text_config.num_attention_heads))]?0",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_att"
    "ention_heads))] bias[text_config.hidden_size]?0",
    "weight[(text_config.hidden_size/text_config.num_attention_heads)]",
    "q_proj@1183 k_proj@1184 v_proj@1184 o_proj@1185 q_norm@1186 k_norm@1186",
    "gate_up_proj[text_config.num_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]=a "
    "#{text_config.num_experts}@512 "
    "down_proj[text_config.num_experts,text_config.hidden_size,text_config.moe_intermediate_size]=b",
    "weight[text_config.num_experts,text_config.hidden_size]", "experts@1188 gate@1189",
    "self_attn@1187 mlp@1190 input_layernorm@327 post_attention_layernorm@327", "#{text_config.num_hidden_layers}@1191",
    "embed_tokens@85 layers@1192 norm@327", "weight[num_position_embeddings,hidden_size]",
    "linear_fc1@49 linear_fc2@50", "norm1@45 norm2@45 attn@1165 mlp@1195", "#{depth}@1196",
    "norm@45 linear_fc1@434 linear_fc2@435",
    "weight[(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),hidde"
    "n_size]?0", "dt_bias[linear_num_value_heads]?0 A_log[?]?0 conv1d@1167 norm@1037 out_proj@1035 in_proj_qkv@1199 "
    "in_proj_z@1033 in_proj_b@1034 in_proj_a@1034", "weight[linear_num_value_heads,hidden_size]",
    "weight[(hc_count*hidden_size)]", "weight[hc_lowrank,(hc_count*hidden_size)]",
    "weight[(hc_count*hidden_size),hc_lowrank]", "weight[hc_count,(hc_count*hidden_size)]",
    "hc_norm@1202 input_mix_weight_down@1203 input_mix_weight_up@1204 block_inject_weight@1205",
    "weight[lru_width,hidden_size]?0 bias[lru_width]?0",
    "weight[(intermediate_size/2),hidden_size] bias[(intermediate_size/2)]", "weight[vocab_size,input_embedding_size]",
    "weight[max_position_embeddings,input_embedding_size]", "weight[type_vocab_size,input_embedding_size]",
    "weight[input_embedding_size] bias[input_embedding_size]",
    "word_embeddings@1209 position_embeddings@1210 token_type_embeddings@1211 LayerNorm@1212",
    "weight[hidden_size,input_embedding_size] bias[hidden_size]", "embedding_hidden_mapping_in@1214 layer@157",
    "embeddings@1213 encoder@1215", "weight[?] bias[?] running_mean[?] running_var[?] num_batches_tracked[]",
    "convolution(weight[?,?,1,1]) normalization@1217", "convolution(weight[?,?,?,?]) normalization@1217",
    "0@1218 1@1219 2@1218", "layer@1220",
    "weight[?]?0 bias[?]?0 running_mean[?]?0 running_var[?]?0 num_batches_tracked[]?0",
    "convolution(weight[?,?,1,1]?0) normalization@1222",
    "weight[?]?1 bias[?]?1 running_mean[?]?1 running_var[?]?1 num_batches_tracked[]?1",
    "convolution(weight[?,?,1,1]?1) normalization@1224", "convolution(weight[?,?,?,?]?1) normalization@1224",
    "0@1225 1@1226 2@1225", "layer@1227", "weight[pronunciation_vocab_size,pronunciation_embed_dim]",
    "weight[shape_vocab_size,shape_embed_dim]", "weight[hidden_size,?]?0 bias[hidden_size]?0",
    "word_embeddings@0 pronunciation_embed@1229 shape_embed@1230 position_embeddings@142 "
    "token_type_embeddings@143 map_inputs_layer@1231 LayerNorm@45", "embeddings@1232 encoder@158",
    "self@145 output@166 LayerNorm@45", "LayerNorm@45 dense@49", "self@151 output@405 LayerNorm@153",
    "attention@1234 intermediate@1235 output@404 crossattention@1236", "#{num_hidden_layers}@1237", "layer@1238",
    "embeddings@268 encoder@1239 LayerNorm@45", "weight[attention_hidden_size,hidden_size]", "projection@658",
    "weight[output_channels] bias[output_channels]",
    "weight[feature_projection_input_dim] bias[feature_projection_input_dim]",
    "weight[hidden_size,feature_projection_input_dim] bias[hidden_size]", "layer_norm@1244 projection@1245",
    "weight[speech_encoder_intermediate_size,hidden_size] bias[speech_encoder_intermediate_size]",
    "weight[hidden_size,speech_encoder_intermediate_size] bias[hidden_size]",
    "intermediate_dense@1247 output_dense@1248", "weight[(2*hidden_size),(hidden_size/1),1]",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]", "weight[hidden_size,(hidden_size/1),1]",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]?0 bias[(2*hidden_size)]?0",
    "linear_q@152 linear_k@152 linear_v@152 linear_out@152",
    "weight[speech_encoder_intermediate_size,hidden_size]?0 bias[speech_encoder_intermediate_size]?0",
    "weight[hidden_size,speech_encoder_intermediate_size]?0 bias[hidden_size]?0",
    "intermediate_dense@1255 output_dense@1256",
    "residual_layer_norm@153 residual_conv@1253 self_attn_layer_norm@153 self_attn_conv@1253 self_attn@1254 "
    "ffn_layer_norm@153 ffn@1257", "#{num_adapter_layers}@1258", "layers@1259", "fc1@1090 fc2@1091",
    "self_attn@187 self_attn_layer_norm@45 cross_attention@187 cross_attention_layer_norm@45 ffn@1261 "
    "ffn_layer_norm@45", "#{decoder_layers}@1262", "embed_tokens@185 layers@1263 layer_norm@45",
    "weight[hidden_size,hidden_size]? bias[hidden_size]?", "k_proj@1265 v_proj@1265 q_proj@1265 out_proj@1265",
    "weight[encoder_ffn_dim,hidden_size]? bias[encoder_ffn_dim]?",
    "weight[hidden_size,encoder_ffn_dim]? bias[hidden_size]?", "fc1@1267 fc2@1268",
    "self_attn@1266 self_attn_layer_norm@996 ffn@1269 ffn_layer_norm@996", "#{encoder_layers}@1270",
    "embed_tokens@185 layers@1271 layer_norm@996", "weight[decoder_ffn_dim,hidden_size]? bias[decoder_ffn_dim]?",
    "weight[hidden_size,decoder_ffn_dim]? bias[hidden_size]?", "fc1@1273 fc2@1274",
    "self_attn@1266 self_attn_layer_norm@996 cross_attention@1266 cross_attention_layer_norm@996 ffn@1275 "
    "ffn_layer_norm@996", "#{decoder_layers}@1276", "embed_tokens@185 layers@1277 layer_norm@996",
    "weight[t2u_encoder_ffn_dim,hidden_size] bias[t2u_encoder_ffn_dim]",
    "weight[hidden_size,t2u_encoder_ffn_dim] bias[hidden_size]", "fc1@1279 fc2@1280",
    "self_attn@187 self_attn_layer_norm@45 ffn@1281 ffn_layer_norm@45", "#{t2u_encoder_layers}@1282",
    "layers@1283 layer_norm@45", "weight[t2u_vocab_size,hidden_size]",
    "weight[t2u_decoder_ffn_dim,hidden_size] bias[t2u_decoder_ffn_dim]",
    "weight[hidden_size,t2u_decoder_ffn_dim] bias[hidden_size]", "fc1@1286 fc2@1287",
    "self_attn@187 self_attn_layer_norm@45 cross_attention@187 cross_attention_layer_norm@45 ffn@1288 "
    "ffn_layer_norm@45", "#{t2u_decoder_layers}@1289", "embed_tokens@1285 layers@1290 layer_norm@45",
    "encoder@1284 decoder@1291", "weight[t2u_vocab_size,hidden_size]?", "model@1292 lm_head@1293",
    "weight[unit_embed_dim,(unit_embed_dim/1),variance_predictor_kernel_size]? bias[unit_embed_dim]?",
    "weight[unit_embed_dim]? bias[unit_embed_dim]?", "weight[1,unit_embed_dim]? bias[1]?",
    "conv1@1295 ln1@1296 conv2@1295 ln2@1296 proj@1297", "weight[unit_hifi_gan_vocab_size,unit_embed_dim]?",
    "weight[vocoder_num_spkrs,spkr_embed_dim]?", "weight[vocoder_num_langs,lang_embed_dim]?",
    "weight[upsample_initial_channel,(((unit_embed_dim+lang_embed_dim)+spkr_embed_dim)/1),?]? "
    "bias[upsample_initial_channel]?", "weight[?,?,?]? bias[?]?", "#{}@1303", "0@1303 1@1303 2@1303",
    "convs1@1305 convs2@1305", "#{}@1306", "weight[1,?,?]? bias[1]?",
    "conv_pre@1302 upsampler@1304 resblocks@1307 conv_post@1308",
    "dur_predictor@1298 unit_embedding@1299 speaker_embedding@1300 language_embedding@1301 hifi_gan@1309",
    "fc1@1096 fc2@1097", "self_attn@187 self_attn_layer_norm@45 ffn@1311 ffn_layer_norm@45", "#{encoder_layers}@1312",
    "embed_tokens@185 layers@1313 layer_norm@45",
    "weight[feature_projection_input_dim]? bias[feature_projection_input_dim]?",
    "weight[hidden_size,feature_projection_input_dim]? bias[hidden_size]?", "layer_norm@1315 projection@1316",
    "weight[speech_encoder_intermediate_size,hidden_size]? bias[speech_encoder_intermediate_size]?",
    "weight[hidden_size,speech_encoder_intermediate_size]? bias[hidden_size]?",
    "intermediate_dense@1318 output_dense@1319", "weight[(2*hidden_size),(hidden_size/1),1]?",
    "weight[hidden_size,(hidden_size/hidden_size),conv_depthwise_kernel_size]?",
    "weight[hidden_size,(hidden_size/1),1]?",
    "weight[(2*hidden_size),(hidden_size/1),adaptor_kernel_size]? bias[(2*hidden_size)]?",
    "linear_q@1265 linear_k@1265 linear_v@1265 linear_out@1265",
    "residual_layer_norm@996 residual_conv@1324 self_attn_layer_norm@996 self_attn_conv@1324 self_attn@1325 "
    "ffn_layer_norm@996 ffn@1320", "#{num_adapter_layers}@1326", "layers@1327", "weight[char_vocab_size,hidden_size]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_embed_dim/1),t2u_variance_predictor_kernel_"
    "size] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim] bias[t2u_variance_predictor_hidden_dim]",
    "weight[t2u_variance_predictor_hidden_dim,(t2u_variance_predictor_hidden_dim/1),t2u_variance_predictor_kernel"
    "_size] bias[t2u_variance_predictor_hidden_dim]", "weight[1,t2u_variance_predictor_hidden_dim] bias[1]",
    "conv1@1330 ln1@1331 conv2@1332 ln2@1331 proj@1333",
    "self_attn@187 self_attn_layer_norm@45 conv1@88 conv2@88 conv_layer_norm@45", "#{t2u_decoder_layers}@1335",
    "pos_emb_alpha_char[1] pos_emb_alpha[1] embed_tokens@1285 embed_char@1329 duration_predictor@1334 layers@1336"
    " layer_norm@45", "encoder@1284 decoder@1337", "model@1338 lm_head@1293",
    "token_embedding@85 position_embedding@209", "k_proj@214 v_proj@214 q_proj@214 out_proj@214", "fc1@220 fc2@222",
    "layer_norm1@210 self_attn@1341 layer_norm2@210 mlp@1342", "#{text_config.num_hidden_layers}@1343", "layers@1344",
    "weight[text_config.projection_size,text_config.hidden_size] bias[text_config.projection_size]",
    "embeddings@1340 encoder@1345 final_layer_norm@210 head@1346",
    "in_proj_weight[(3*hidden_size),hidden_size]?0 in_proj_bias[(3*hidden_size)]?0 out_proj@152",
    "weight[intermediate_size,hidden_size]?0 bias[intermediate_size]?0",
    "weight[hidden_size,intermediate_size]?0 bias[hidden_size]?0", "fc1@1349 fc2@1350",
    "probe[1,1,hidden_size]?0 attention@1348 layernorm@153 mlp@1351",
    "weight[(moe_intermediate_size*n_shared_experts),hidden_size]", "weight[?,?,?] bias[?]?0", "conv@1354",
    "intermediate_dense@1096 output_dense@1097", "attention@187 layer_norm@45 feed_forward@1356 final_layer_norm@45",
    "#{encoder_layers}@1357", "weight[(2*encoder_max_relative_position),(hidden_size/encoder_attention_heads)]",
    "pe_k@1359", "layer_norm@45 layers@1358 embed_positions@1360", "intermediate_dense@1090 output_dense@1091",
    "self_attn@187 self_attn_layer_norm@45 encoder_attn@187 encoder_attn_layer_norm@45 feed_forward@1362 "
    "final_layer_norm@45", "#{decoder_layers}@1363", "layers@1364", "weight[(hidden_size/num_attention_heads)]?",
    "gamma[vision_config.hidden_size]",
    "weight[vision_config.hidden_size,vision_config.hidden_size]=a bias[vision_config.hidden_size]=b",
    "k_proj@1368 v_proj@1368 q_proj@1368", "in_proj_weight[*]~a in_proj_bias[*]~b out_proj@77", "c_fc@192 c_proj@193",
    "ls_1@1367 ls_2@1367 self_attn@1369 attn@1370 mlp@1371 ln_1@79 ln_2@79", "#{vision_config.num_hidden_layers}@1372",
    "resblocks@1373",
    "weight[(vision_config.hidden_size*2),(vision_config.hidden_size/1),?,?] bias[(vision_config.hidden_size*2)]",
    "weight[(vision_config.hidden_size*4),((vision_config.hidden_size*2)/1),?,?] "
    "bias[(vision_config.hidden_size*4)]",
    "conv1@249 positional_embedding[((vision_config.image_size/vision_config.patch_size)*(vision_config.image_siz"
    "e/vision_config.patch_size)),vision_config.hidden_size] ln_pre@79 transformer@1374 vit_downsampler1@1375 "
    "vit_downsampler2@1376", "weight[(text_config.num_attention_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_attention_heads*text_config.head_dim)]?3",
    "weight[(text_config.num_key_value_heads*text_config.head_dim),text_config.hidden_size] "
    "bias[(text_config.num_key_value_heads*text_config.head_dim)]?3",
    "weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
    "bias[text_config.hidden_size]?3", "weight[text_config.num_attention_heads,text_config.hidden_size]",
    "q_proj@1378 k_proj@1379 v_proj@1379 o_proj@1380 q_norm@322 k_norm@322 g_proj@1381",
    "weight[text_config.intermediate_size,text_config.hidden_size]?1 bias[text_config.intermediate_size]?0",
    "weight[text_config.hidden_size,text_config.intermediate_size]?1 bias[text_config.hidden_size]?0",
    "gate_up_proj[text_config.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?2=c",
    "gate_proj@1383 up_proj@1383 down_proj@1384 experts@1385",
    "weight[text_config.n_routed_experts,text_config.hidden_size]?2",
    "weight[text_config.n_routed_experts,?,text_config.hidden_size]~c",
    "weight[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?2",
    "gate@1387 gate_proj@1388 up_proj@1388 down_proj@1389 router_bias[text_config.n_routed_experts]?2",
    "weight[text_config.share_expert_dim,text_config.hidden_size]?2",
    "weight[text_config.hidden_size,text_config.share_expert_dim]?2", "gate_proj@1391 up_proj@1391 down_proj@1392",
    "self_attn@1382 mlp@1386 input_layernorm@327 post_attention_layernorm@327 moe@1390 share_expert@1393",
    "#{text_config.num_hidden_layers}@1394", "embed_tokens@85 layers@1395 norm@327",
    "weight[text_config.hidden_size,(vision_config.hidden_size*4)] bias[text_config.hidden_size]?",
    "weight[d_ff,d_model]?1", "weight[d_model,d_ff]?1", "weight[d_model,d_ff]?0", "wi@796 wo@1400",
    "expert_0@1401 expert_1@1401 expert_2@1401 expert_3@1401 expert_4@1401 expert_5@1401 expert_6@1401 "
    "expert_7@1401", "wi@1398 wo@1399 router@1017 experts@1402", "mlp@1403 layer_norm(weight[d_model])", "0@803 1@1404",
    "layer@1405", "#{}@1406", "embed_tokens@132 block@1407 final_layer_norm(weight[d_model])", "0@803 1@805 2@1404",
    "layer@1409", "#{}@1410", "embed_tokens@132 block@1411 final_layer_norm(weight[d_model])", "0@803 1@798",
    "layer@1413", "#{num_layers}@1414", "embed_tokens@132 block@1415 final_layer_norm(weight[d_model])",
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
    "weight[decoder.hidden_size,decoder.intermediate_size]", "gate_proj@1426 up_proj@1426 down_proj@1427",
    "weight[encoder.vocab_size,encoder.hidden_size]", "weight[encoder.hidden_size]",
    "weight[(encoder.num_attention_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_attention_heads*encoder.head_dim)]?0",
    "weight[(encoder.num_key_value_heads*encoder.head_dim),encoder.hidden_size] "
    "bias[(encoder.num_key_value_heads*encoder.head_dim)]?0",
    "weight[encoder.hidden_size,(encoder.num_attention_heads*encoder.head_dim)] bias[encoder.hidden_size]?0",
    "q_proj@1431 k_proj@1432 v_proj@1432 o_proj@1433", "weight[encoder.intermediate_size,encoder.hidden_size]",
    "weight[encoder.hidden_size,encoder.intermediate_size]", "gate_proj@1435 up_proj@1435 down_proj@1436",
    "self_attn@1434 pre_self_attn_layernorm@1430 post_self_attn_layernorm@1430 mlp@1437 "
    "pre_feedforward_layernorm@1430 post_feedforward_layernorm@1430", "#{encoder.num_hidden_layers}@1438",
    "embed_tokens@1429 norm@1430 layers@1439",
    "weight[(decoder.num_attention_heads*decoder.head_dim),decoder.hidden_size]?1 "
    "bias[(decoder.num_attention_heads*decoder.head_dim)]?0",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.hidden_size]?1 "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "weight[decoder.hidden_size,(decoder.num_attention_heads*decoder.head_dim)]?1 bias[decoder.hidden_size]?0",
    "weight[decoder.hidden_size]?1", "weight[decoder.intermediate_size,decoder.hidden_size]?1",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size]?1 "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0",
    "weight[(decoder.num_key_value_heads*decoder.head_dim),decoder.cross_attention_hidden_size] "
    "bias[(decoder.num_key_value_heads*decoder.head_dim)]?0", "weight[?,hidden_size]?",
    "word_embeddings@0 position_embeddings@142 token_type_embeddings_0(weight[?,hidden_size]) "
    "token_type_embeddings_1(weight[?,hidden_size]) token_type_embeddings_2(weight[?,hidden_size]) "
    "token_type_embeddings_3(weight[?,hidden_size]) token_type_embeddings_4(weight[?,hidden_size]) "
    "token_type_embeddings_5(weight[?,hidden_size]) token_type_embeddings_6@1448 LayerNorm@45",
    "weight[hidden_size,hidden_size]=a bias[hidden_size]=b",
    "weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]=a "
    "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?0=b", "weight[?,hidden_size]?1=c bias[?]?1=d",
    "weight[d_model]?0 bias[d_model]?0", "weight[relative_attention_num_buckets,num_heads]",
    "q@791 k@791 v@791 o@792 relative_attention_bias@1454", "SelfAttention@1455 layer_norm(weight[d_model])",
    "0@1456 1@852", "layer@1457", "#{num_layers}@1458", "embed_tokens@132 block@1459 final_layer_norm(weight[d_model])",
    "0@1456 1@805 2@852", "layer@1461", "#{num_decoder_layers}@1462",
    "embed_tokens@132 block@1463 final_layer_norm(weight[d_model])",
    "weight[d_model,(num_channels/1),patch_size,patch_size] bias[d_model]", "proj@1465",
    "weight[d_model,(num_channels/1),patch_size,patch_size]? bias[d_model]?", "proj@1467",
    "weight[max_2d_position_embeddings,d_model]", "x_position_embeddings@1469 y_position_embeddings@1469",
    "relative_attention_bias(weight[?,num_heads]?)", "#{}@1471", "biases@1472",
    "relative_attention_bias(weight[?,num_heads])", "#{}@1474", "biases@1475",
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
    "weight[num_filters,(channels/1),kernel_size] bias[num_filters]", "conv@1485",
    "weight[(ffn_expansion*num_filters),num_filters] bias[(ffn_expansion*num_filters)]",
    "weight[num_filters,(ffn_expansion*num_filters)] bias[num_filters]", "linear1@1487 linear2@1488",
    "weight[num_filters,(num_filters/num_filters),kernel_size] bias[num_filters]", "conv@1490",
    "gamma[num_filters] ffn_gamma[num_filters] norm(weight[num_filters]) ffn_norm(weight[num_filters]) ffn@1489 "
    "mixer@1491", "0@1492 1@1492 2@1492", "conv@1486 stage@1493", "conv(weight[?,?,?] bias[?])",
    "linear1(weight[?,?] bias[?]) linear2(weight[?,?] bias[?])", "weight[?,?,kernel_size] bias[?]", "conv@1497",
    "gamma[?] ffn_gamma[?] norm(weight[?]) ffn_norm(weight[?]) ffn@1496 mixer@1498", "#{}@1499", "conv@1495 stage@1500",
    "#{}@1501", "weight[hidden_size,?,kernel_size] bias[hidden_size]", "conv@1503",
    "stem@1494 conv_layers@1502 head@1504", "weight[(num_filters*64)]",
    "weight[(ffn_expansion*(num_filters*64)),(num_filters*64)] bias[(ffn_expansion*(num_filters*64))]",
    "weight[(num_filters*64),(ffn_expansion*(num_filters*64))] bias[(num_filters*64)]", "linear1@1507 linear2@1508",
    "weight[(num_filters*64),((num_filters*64)/(num_filters*64)),kernel_size] bias[(num_filters*64)]", "conv@1510",
    "gamma[(num_filters*64)] ffn_gamma[(num_filters*64)] norm@1506 ffn_norm@1506 ffn@1509 mixer@1511",
    "weight[text_config.hidden_size,acoustic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "weight[text_config.hidden_size,semantic_tokenizer_encoder_config.hidden_size] bias[text_config.hidden_size]",
    "acoustic_linear_1@1513 acoustic_norm@327 acoustic_linear_2@214 semantic_linear_1@1514 semantic_norm@327 "
    "semantic_linear_2@214", "weight[diffusion_head_config.hidden_size,diffusion_head_config.hidden_size]",
    "weight[diffusion_head_config.intermediate_size,diffusion_head_config.hidden_size] "
    "bias[diffusion_head_config.intermediate_size]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads)),vis"
    "ion_config.hidden_size] "
    "bias[(vision_config.num_attention_heads*(vision_config.hidden_size/vision_config.num_attention_heads))]?0",
    "weight[(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num_attention_heads"
    ")),vision_config.hidden_size] bias[(vision_config.num_attention_heads*(vision_config.intermediate_size/visio"
    "n_config.num_attention_heads))]?0", "q_proj@61 k_proj@61 v_proj@61 o_proj@535",
    "attention@1520 layernorm_before@45 layernorm_after@45 mlp@258",
    "projector_layernorm(weight[?] bias[?]) linear_1@1481 linear_2@214",
    "weight[text_config.hidden_size,audio_config.intermediate_size]", "linear_1@1523 linear_2@82",
    "weight[(num_attention_heads*head_dim),hidden_size] bias[(num_attention_heads*head_dim)]",
    "q_proj@319 k_proj@320 v_proj@320 o_proj@321", "weight[?,text_config.hidden_size]",
    "weight[text_config.hidden_size,?]", "linear1@1527 linear2@1528",
    "self_attn@1526 mlp@326 input_layernorm@327 post_attention_layernorm@327 ada_rms_norm@1529",
    "#{text_config.num_hidden_layers}@1530", "embed_tokens@85 layers@1531 norm@327",
    "weight[text_config.hidden_size,(audio_config.hidden_size*downsample_factor)]", "linear_1@1533 linear_2@82",
    "weight[max_target_positions,d_model]",
    "self_attn@1116 self_attn_layer_norm@125 encoder_attn@1116 encoder_attn_layer_norm@125 fc1@126 fc2@127 "
    "final_layer_norm@125", "#{decoder_layers}@1536",
    "embed_tokens@121 embed_positions@1535 layers@1537 layer_norm@125",
    "conv1@1113 conv2@1114 embed_positions@1115 layers@1118 layer_norm@125",
    "weight[d_model,d_model]?0 bias[d_model]?0", "word_embeddings@0 token_type_embeddings@143 position_embeddings@142",
    "self@145 output@166 self_attn_layer_norm@45", "self@151 output@405 self_attn_layer_norm@153",
    "attention@1542 intermediate@148 output@404 LayerNorm@45 crossattention@1543", "#{num_hidden_layers}@1544",
    "layer@1545 LayerNorm@45", "embeddings@1541 encoder@1546", "summary@1540",
    "weight[(hidden_size/adapter_reduction_factor),hidden_size] bias[(hidden_size/adapter_reduction_factor)]",
    "weight[hidden_size,(hidden_size/adapter_reduction_factor)] bias[hidden_size]", "dense1@1549 dense2@1550",
    "en_XX@1551", "dense@50 LayerNorm@45 adapter_modules@1552 adapter_layer_norm@172",
    "attention@147 intermediate@148 output@1553 crossattention@155", "#{num_hidden_layers}@1554",
    "layer@1555 LayerNorm@153", "embeddings@268 encoder@1556",
}};

constexpr std::array<ClassRow, 945> kClassRows{{
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
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@65 mlp(up_proj@66 down_proj@67 act_fn(alpha_p[?] "
     "alpha_n[?] beta[] eps[])) attention_layernorm(weight[hidden_size]) "
     "feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ArceeForCausalLM", "arcee", "", "model", "lm_head@0 model=:ArceeModel", ""},
    {"ArceeForQuestionAnswering", "arcee", "", "transformer", "qa_outputs@68 transformer=:ArceeModel", ""},
    {"ArceeForSequenceClassification", "arcee", "", "model", "score@21 model=:ArceeModel", ""},
    {"ArceeForTokenClassification", "arcee", "", "model", "score@22 model=:ArceeModel", ""},
    {"ArceeModel", "arcee", "arcee", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@72 mlp@75 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"AriaForConditionalGeneration", "aria", "", "model",
     "multi_modal_projector@84 language_model(lm_head@85 model=text_config:AriaTextModel) "
     "vision_tower=vision_config:Idefics3VisionTransformer", ""},
    {"AriaModel", "aria", "aria", "model",
     "multi_modal_projector@84 vision_tower=vision_config:Idefics3VisionTransformer "
     "language_model(model=text_config:AriaTextModel)", ""},
    {"AriaTextForCausalLM", "aria_text", "", "model", "lm_head@0 model=:AriaTextModel", ""},
    {"AriaTextModel", "aria_text", "aria_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@72 mlp(router(weight[moe_num_experts,hidden_size]) "
     "experts(fc1(weight[moe_num_experts,hidden_size,(2*intermediate_size)]) "
     "fc2(weight[moe_num_experts,intermediate_size,hidden_size])) shared_experts(gate_proj@86 up_proj@86 "
     "down_proj(weight[hidden_size,(intermediate_size*moe_num_shared_experts)] bias[hidden_size]?0))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"AudioFlamingo3Encoder MossTranscribeDiarizeAudioModel VoxtralEncoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder",
     "audioflamingo3_encoder moss_transcribe_diarize_audio voxtral_encoder", "model",
     "conv1@87 conv2@88 embed_positions(weight[max_source_positions,hidden_size]) "
     "layers(#{num_hidden_layers}(self_attn(k_proj@89 v_proj@47 q_proj@47 out_proj@47) self_attn_layer_norm@45 "
     "fc1@49 fc2@50 final_layer_norm@45)) layer_norm@45", ""},
    {"AudioFlamingo3ForConditionalGeneration MusicFlamingoForConditionalGeneration", "audioflamingo3 musicflamingo", "",
     "model", "multi_modal_projector@92 language_model@93 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"AudioFlamingo3Model MusicFlamingoModel", "audioflamingo3 musicflamingo", "audioflamingo3 musicflamingo", "model",
     "multi_modal_projector@92 audio_tower=audio_config:AudioFlamingo3Encoder language_model@94", ""},
    {"AyaVisionForConditionalGeneration", "aya_vision", "", "model",
     "multi_modal_projector@98 language_model(lm_head@99 model=text_config:Cohere2Model) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"AyaVisionModel", "aya_vision", "aya_vision", "model",
     "multi_modal_projector@98 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:Cohere2Model)", ""},
    {"BailingHybridForCausalLM", "bailing_hybrid", "", "model",
     "model(word_embeddings@0 layers@117 norm(weight[hidden_size])) lm_head@0", "model\\.layers\\.42\\..*"},
    {"BailingHybridModel", "bailing_hybrid", "bailing_hybrid", "model",
     "embed_tokens@0 layers@117 norm(weight[hidden_size])", "model\\.layers\\.42\\..*"},
    {"BambaForCausalLM", "bamba", "", "model", "lm_head@0 model=:BambaModel", ""},
    {"BambaModel", "bamba", "bamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@118 input_layernorm(weight[hidden_size]) "
     "pre_ff_layernorm(weight[hidden_size]) mamba(dt_bias[mamba_n_heads] A_log[mamba_n_heads] D[mamba_n_heads] "
     "conv1d@119 in_proj(weight[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba"
     "_d_state)))+mamba_n_heads),hidden_size] bias[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*ma"
     "mba_n_groups)*mamba_d_state)))+mamba_n_heads)]?1) norm@120 "
     "out_proj(weight[hidden_size,(mamba_expand*hidden_size)] bias[hidden_size]?1)))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"BartForCausalLM", "bart", "", "model", "model@131 lm_head@132", "decoder.version encoder.version"},
    {"BartForConditionalGeneration", "bart", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:BartModel", "decoder.version encoder.version"},
    {"BartForQuestionAnswering", "bart", "", "model", "qa_outputs@133 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartForSequenceClassification", "bart", "", "model", "classification_head@134 model=:BartModel",
     "decoder.version encoder.version"},
    {"BartModel", "bart", "bart", "model", "shared@121 encoder@139 decoder@140", "decoder.version encoder.version"},
    {"BeamForCausalLM", "beam", "", "model", "lm_head@0 model=:BeamModel", ""},
    {"BeamModel", "beam", "beam", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(gate_bias[num_attention_heads] q_proj@30 k_proj@31 "
     "v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim]) gate_proj@33) mlp(gate_proj@7 "
     "up_proj@7 down_proj@8 experts@38 gate@141) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BertForMaskedLM BertLMHeadModel", "bert", "", "bert", "bert@159 cls@162", ""},
    {"BertForMultipleChoice", "bert", "", "bert", "classifier@60 bert=:BertModel", ""},
    {"BertForNextSentencePrediction", "bert", "", "bert", "cls@163 bert=:BertModel", ""},
    {"BertForPreTraining", "bert", "", "bert", "cls@164 bert=:BertModel", ""},
    {"BertForQuestionAnswering", "bert", "", "bert", "bert@159 qa_outputs@22", ""},
    {"BertForSequenceClassification", "bert", "", "bert", "classifier@22 bert=:BertModel", ""},
    {"BertForTokenClassification", "bert", "", "bert", "bert@159 classifier@22", ""},
    {"BertGenerationDecoder", "bert-generation", "", "bert",
     "lm_head(bias[vocab_size] decoder@160) bert=:BertGenerationEncoder", ""},
    {"BertGenerationEncoder", "bert-generation", "bert-generation", "bert", "embeddings@165 encoder@158", ""},
    {"BertModel", "bert", "bert", "bert", "embeddings@144 encoder@158 pooler@166", ""},
    {"BigBirdForCausalLM BigBirdForMaskedLM", "big_bird", "", "bert", "cls@162 bert=:BigBirdModel", ""},
    {"BigBirdForMultipleChoice", "big_bird", "", "bert", "classifier@60 bert=:BigBirdModel", ""},
    {"BigBirdForPreTraining", "big_bird", "", "bert", "cls@164 bert=:BigBirdModel", ""},
    {"BigBirdForQuestionAnswering", "big_bird", "", "bert",
     "bert(embeddings@144 encoder@177) qa_classifier(intermediate@148 output@149 qa_outputs@22)", ""},
    {"BigBirdForSequenceClassification", "big_bird", "", "bert", "classifier@178 bert=:BigBirdModel", ""},
    {"BigBirdForTokenClassification", "big_bird", "", "bert", "classifier@22 bert=:BigBirdModel", ""},
    {"BigBirdModel", "big_bird", "big_bird", "bert", "embeddings@144 encoder@177 pooler@47", ""},
    {"BigBirdPegasusForCausalLM", "bigbird_pegasus", "", "model",
     "model(decoder(embed_tokens@121 embed_positions@179 layers@183 layernorm_embedding@125)) lm_head@121", ""},
    {"BigBirdPegasusForConditionalGeneration", "bigbird_pegasus", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusForQuestionAnswering", "bigbird_pegasus", "", "model", "qa_outputs@133 model=:BigBirdPegasusModel",
     ""},
    {"BigBirdPegasusForSequenceClassification", "bigbird_pegasus", "", "model",
     "classification_head@134 model=:BigBirdPegasusModel", ""},
    {"BigBirdPegasusModel", "bigbird_pegasus", "bigbird_pegasus", "model",
     "shared@121 encoder(embed_tokens@132 embed_positions@179 layers(#{encoder_layers}(self_attn(self(query@184 "
     "key@184 value@184) output@180) self_attn_layer_norm@125 fc1@135 fc2@136 final_layer_norm@125)) "
     "layernorm_embedding@125) decoder(embed_tokens@132 embed_positions@179 layers@183 layernorm_embedding@125)", ""},
    {"BioGptForCausalLM", "biogpt", "", "biogpt", "output_projection@185 biogpt=:BioGptModel", ""},
    {"BioGptForSequenceClassification", "biogpt", "", "biogpt", "score@21 biogpt=:BioGptModel", ""},
    {"BioGptForTokenClassification", "biogpt", "", "biogpt", "classifier@22 biogpt=:BioGptModel", ""},
    {"BioGptModel", "biogpt", "biogpt", "biogpt",
     "embed_tokens@0 embed_positions@186 layers(#{num_hidden_layers}(self_attn@187 self_attn_layer_norm@45 fc1@49 "
     "fc2@50 final_layer_norm@45)) layer_norm@45", ""},
    {"BitNetForCausalLM", "bitnet", "", "model", "lm_head@0 model=:BitNetModel", ""},
    {"BitNetModel", "bitnet", "bitnet", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "attn_sub_norm(weight[hidden_size])) mlp(gate_proj@66 up_proj@66 down_proj@67 "
     "ffn_sub_norm(weight[intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"BlenderbotForCausalLM PegasusForCausalLM", "blenderbot pegasus", "", "model",
     "model(decoder(embed_tokens@121 embed_positions@179 layers@129 layer_norm@125)) lm_head@132", ""},
    {"BlenderbotForConditionalGeneration PegasusForConditionalGeneration", "blenderbot pegasus", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:BlenderbotModel", ""},
    {"BlenderbotModel PegasusModel", "blenderbot pegasus", "blenderbot pegasus", "model",
     "shared@121 encoder(embed_tokens@132 embed_positions@179 layers@138 layer_norm@125) decoder(embed_tokens@132 "
     "embed_positions@179 layers@129 layer_norm@125)", ""},
    {"BlenderbotSmallForCausalLM", "blenderbot-small", "", "model",
     "model(decoder(embed_tokens@121 embed_positions@179 layers@129 layernorm_embedding@125)) lm_head@132", ""},
    {"BlenderbotSmallForConditionalGeneration", "blenderbot-small", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:BlenderbotSmallModel", ""},
    {"BlenderbotSmallModel", "blenderbot-small", "blenderbot-small", "model",
     "shared@121 encoder(embed_tokens@132 embed_positions@179 layers@138 layernorm_embedding@125) "
     "decoder(embed_tokens@132 embed_positions@179 layers@129 layernorm_embedding@125)", ""},
    {"Blip2ForImageTextRetrieval", "blip-2", "", "blip",
     "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@198 embeddings(word_embeddings@199 "
     "position_embeddings@200) vision_projection@201 text_projection@201 "
     "itm_head(weight[2,qformer_config.hidden_size] bias[2]) qformer=qformer_config:Blip2QFormerModel", ""},
    {"Blip2QFormerModel", "blip_2_qformer", "blip_2_qformer", "blip",
     "layernorm@45 encoder(layer(#{num_hidden_layers}(attention(attention@145 output@146) "
     "crossattention(attention(query@150 key@202 value@202) output@154) intermediate_query@148 output_query@149 "
     "intermediate(dense(weight[intermediate_size,hidden_size]?1 bias[intermediate_size]?1)) "
     "output(dense(weight[hidden_size,intermediate_size]?1 bias[hidden_size]?1) LayerNorm@172))))", ""},
    {"BlipForQuestionAnswering", "blip", "", "blip",
     "vision_model@208 text_encoder@227 text_decoder(bert@227 cls(predictions(bias[text_config.vocab_size] "
     "transform@215 decoder(weight[text_config.vocab_size,text_config.hidden_size]? "
     "bias[text_config.vocab_size]?))))", ""},
    {"BlipModel", "blip", "blip", "blip",
     "logit_scale[] text_model(embeddings@211 encoder@226 pooler@228) vision_model@208 "
     "visual_projection(weight[projection_dim,vision_config.hidden_size]) "
     "text_projection(weight[projection_dim,text_config.hidden_size])", ""},
    {"BloomForCausalLM", "bloom", "", "transformer", "lm_head@185 transformer=:BloomModel", ""},
    {"BloomForQuestionAnswering", "bloom", "", "transformer", "qa_outputs@68 transformer=:BloomModel", ""},
    {"BloomForSequenceClassification", "bloom", "", "transformer", "score@21 transformer=:BloomModel", ""},
    {"BloomForTokenClassification", "bloom", "", "transformer", "classifier@22 transformer=:BloomModel", ""},
    {"BloomModel", "bloom", "bloom", "transformer",
     "word_embeddings@0 word_embeddings_layernorm@45 h(#{n_layer}(input_layernorm@45 "
     "self_attention(query_key_value@229 dense@47) post_attention_layernorm@45 mlp(dense_h_to_4h@230 "
     "dense_4h_to_h@231))) ln_f@45", ""},
    {"BltForCausalLM", "blt", "", "model", "lm_head(weight[vocab_size,decoder_config.hidden_size]) model=:BltModel", ""},
    {"BltModel", "blt", "blt", "model",
     "local_encoder(layers(#{encoder_config.num_hidden_layers}(self_attn(q_proj@232 k_proj@233 v_proj@233 "
     "o_proj@234) mlp(gate_proj@235 up_proj@235 "
     "down_proj(weight[encoder_config.hidden_size,encoder_config.intermediate_size])) input_layernorm@236 "
     "post_attention_layernorm@236)) patch_embedding_projection(weight[(encoder_config.hidden_size*encoder_config."
     "cross_attn_k),encoder_config.hidden_size]) "
     "embed_tokens(weight[encoder_config.vocab_size,encoder_config.hidden_size]) cross_attn_layers(#{}(q_proj@232 "
     "k_proj@233 v_proj@233 o_proj@234 q_norm@236 k_norm@236))) global_transformer(layers(#{}(self_attn(q_proj(wei"
     "ght[(global_config.num_attention_heads*(global_config.hidden_size/global_config.num_attention_heads)),global"
     "_config.hidden_size]) k_proj@237 v_proj@237 o_proj(weight[global_config.hidden_size,(global_config.num_atten"
     "tion_heads*(global_config.hidden_size/global_config.num_attention_heads))])) mlp(gate_proj@238 up_proj@238 "
     "down_proj(weight[global_config.hidden_size,global_config.intermediate_size])) input_layernorm@239 "
     "post_attention_layernorm@239)) "
     "token_embedding_projection(weight[global_config.hidden_size,global_config.encoder_cross_output_size]?)) "
     "local_decoder(layers(#{decoder_config.num_hidden_layers}(self_attn(q_proj@240 k_proj@241 v_proj@241 "
     "o_proj@242) mlp(gate_proj@243 up_proj@243 "
     "down_proj(weight[decoder_config.hidden_size,decoder_config.intermediate_size])) input_layernorm@244 "
     "post_attention_layernorm@244)) patch_embedding_projection(weight[(decoder_config.hidden_size*decoder_config."
     "cross_attn_k),decoder_config.hidden_size_global]) norm@244 cross_attn_layers(#{}(q_proj@240 k_proj@241 "
     "v_proj@241 o_proj@242 q_norm@244 k_norm@244))) "
     "encoder_hash_tok_embedding(weight[?,encoder_config.hidden_size]) patcher(layers(#{}(self_attn(q_proj(weight["
     "(patcher_config.num_attention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads)),patcher"
     "_config.hidden_size]?0) k_proj@245 v_proj@245 o_proj(weight[patcher_config.hidden_size,(patcher_config.num_a"
     "ttention_heads*(patcher_config.hidden_size/patcher_config.num_attention_heads))]?0)) mlp(gate_proj@246 "
     "up_proj@246 down_proj(weight[patcher_config.hidden_size,patcher_config.intermediate_size]?0)) "
     "input_layernorm@247 post_attention_layernorm@247)) embed_tokens@248 norm@247 lm_head@248)", ""},
    {"BridgeTowerModel", "bridgetower", "bridgetower", "bridgetower",
     "cross_modal_text_transform(weight[hidden_size,text_config.hidden_size]?1 bias[hidden_size]?1 "
     "#{num_hidden_layers}(weight[hidden_size,text_config.hidden_size]?0 bias[hidden_size]?0)) "
     "cross_modal_image_transform(weight[hidden_size,vision_config.hidden_size]?1 bias[hidden_size]?1 "
     "#{num_hidden_layers}(weight[hidden_size,vision_config.hidden_size]?0 bias[hidden_size]?0)) "
     "token_type_embeddings(weight[2,hidden_size]) vision_model(visual(embeddings@251 ln_pre@79 "
     "transformer(resblocks(#{}(attn@78 ln_1@79 "
     "mlp(c_fc(weight[(vision_config.hidden_size*4),vision_config.hidden_size] "
     "bias[(vision_config.hidden_size*4)]) c_proj(weight[vision_config.hidden_size,(vision_config.hidden_size*4)] "
     "bias[vision_config.hidden_size])) ln_2@79))) ln_post@79 "
     "ln_separate(#{vision_config.num_hidden_layers}@252))) text_model(embeddings(word_embeddings@85 "
     "token_type_embeddings(weight[text_config.type_vocab_size,text_config.hidden_size]) LayerNorm@210 "
     "position_embeddings@209) encoder(layer(#{text_config.num_hidden_layers}(attention@216 intermediate@221 "
     "output@223 crossattention(self(query@253 key@253 value@253) "
     "output(dense(weight[text_config.hidden_size,text_config.hidden_size]?0 bias[text_config.hidden_size]?0) "
     "LayerNorm(weight[text_config.hidden_size]?0 bias[text_config.hidden_size]?0)))))) pooler@228) "
     "cross_modal_image_layers@255 cross_modal_text_layers@255 cross_modal_image_pooler@166 "
     "cross_modal_text_pooler@166 cross_modal_text_layernorm@45 cross_modal_image_layernorm@45 "
     "cross_modal_text_link_tower@257 cross_modal_image_link_tower@257", ""},
    {"BrosForTokenClassification", "bros", "", "bros", "classifier@22 bros=:BrosModel", "pooler"},
    {"BrosModel", "bros", "bros", "bros",
     "embeddings(word_embeddings@0 position_embeddings@142 token_type_embeddings@143 LayerNorm@45 "
     "position_ids[?,?]) bbox_embeddings(bbox_projection(weight[dim_bbox_projection,dim_bbox_sinusoid_emb_2d]) "
     "bbox_sinusoid_emb(x_pos_emb(inv_freq[?]) y_pos_emb(inv_freq[?]))) encoder@158 pooler@166", ""},
    {"CLIPTextModel", "clip_text_model", "clip_text_model", "clip",
     "embeddings(token_embedding@0 position_embedding@142) encoder@261 final_layer_norm@45", ""},
    {"CLIPVisionModel", "clip_vision_model", "clip_vision_model", "clip",
     "embeddings(class_embedding[hidden_size] patch_embedding@262 "
     "position_embedding(weight[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size])) "
     "pre_layrnorm@45 encoder@261 post_layernorm@45", ""},
    {"CTRLForSequenceClassification", "ctrl", "", "transformer", "classifier@263 transformer=:CTRLModel", ""},
    {"CTRLLMHeadModel", "ctrl", "", "transformer",
     "lm_head(weight[vocab_size,n_embd]? bias[vocab_size]) transformer=:CTRLModel", ""},
    {"CTRLModel", "ctrl", "ctrl", "transformer",
     "w@264 h(#{n_layer}(multi_head_attention(Wq@265 Wk@265 Wv@265 dense@265) ffn(0(weight[dff,n_embd] bias[dff]) "
     "2(weight[n_embd,dff] bias[n_embd])) layernorm1@266 layernorm2@266)) layernorm@266", ""},
    {"CamembertForCausalLM CamembertForMaskedLM XLMRobertaForCausalLM XLMRobertaForMaskedLM", "camembert xlm-roberta",
     "", "roberta", "lm_head@267 roberta@269", ""},
    {"CamembertForMultipleChoice RobertaForMultipleChoice XLMRobertaForMultipleChoice", "camembert roberta xlm-roberta",
     "", "roberta", "classifier@60 roberta=:CamembertModel", ""},
    {"CamembertForQuestionAnswering XLMRobertaForQuestionAnswering", "camembert xlm-roberta", "", "roberta",
     "qa_outputs@22 roberta@269", ""},
    {"CamembertForSequenceClassification XLMRobertaForSequenceClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@178 roberta@269", ""},
    {"CamembertForTokenClassification XLMRobertaForTokenClassification", "camembert xlm-roberta", "", "roberta",
     "classifier@22 roberta@269", ""},
    {"CamembertModel RobertaModel XLMRobertaModel", "camembert roberta xlm-roberta", "camembert roberta xlm-roberta",
     "roberta", "embeddings@268 encoder@158 pooler@166", ""},
    {"CanaryForConditionalGeneration", "canary", "", "model",
     "proj_out(weight[decoder_config.vocab_size,decoder_config.hidden_size]? bias[decoder_config.vocab_size]) "
     "model=:CanaryModel", "preprocessor\\.featurizer\\..*"},
    {"CanaryModel", "canary", "canary", "model",
     "decoder(embed_tokens(weight[decoder_config.vocab_size,decoder_config.hidden_size]) "
     "layers(#{decoder_config.num_hidden_layers}(self_attn@273 encoder_attn@273 "
     "mlp(fc1(weight[decoder_config.intermediate_size,decoder_config.hidden_size] "
     "bias[decoder_config.intermediate_size]) "
     "fc2(weight[decoder_config.hidden_size,decoder_config.intermediate_size] bias[decoder_config.hidden_size])) "
     "input_layernorm@274 post_attention_layernorm@274 final_layernorm@274)) norm@274 embedding_layernorm@274) "
     "encoder=encoder_config:ParakeetEncoder", "preprocessor\\.featurizer\\..*"},
    {"CodeGenForCausalLM", "codegen", "", "transformer", "lm_head@275 transformer=:CodeGenModel", ""},
    {"CodeGenModel", "codegen", "codegen", "transformer",
     "wte@264 h(#{n_layer}(ln_1@266 attn(qkv_proj(weight[(n_embd*3),n_embd]) out_proj(weight[n_embd,n_embd])) "
     "mlp@278)) ln_f@266", ""},
    {"Cohere2ForCausalLM", "cohere2", "", "model", "lm_head@185 model=:Cohere2Model", ""},
    {"Cohere2Model", "cohere2", "cohere2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@283 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2MoeForCausalLM", "cohere2_moe", "", "model", "lm_head@185 model=:Cohere2MoeModel", ""},
    {"Cohere2MoeModel", "cohere2_moe", "cohere2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@289 input_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Cohere2VisionForConditionalGeneration", "cohere2_vision", "", "model", "lm_head@99 model=:Cohere2VisionModel", ""},
    {"Cohere2VisionModel", "cohere2_vision", "cohere2_vision", "model",
     "multi_modal_projector(linear_1(weight[alignment_intermediate_size,(vision_config.hidden_size*(downsample_fac"
     "tor*downsample_factor))] bias[alignment_intermediate_size]) "
     "linear_2(weight[text_config.hidden_size,(alignment_intermediate_size/2)] bias[text_config.hidden_size])) "
     "vision_tower=vision_config:SiglipVisionModel language_model=text_config:Cohere2Model", ""},
    {"CohereAsrForConditionalGeneration", "cohere_asr", "", "model",
     "log_softmax(mlp(layer0@290)) model=:CohereAsrModel", "preprocessor\\.featurizer\\..*"},
    {"CohereAsrModel", "cohere_asr", "cohere_asr", "model",
     "encoder(pre_encode(conv(0(weight[encoder_config.subsampling_conv_channels,1,encoder_config.subsampling_conv_"
     "kernel_size,encoder_config.subsampling_conv_kernel_size] bias[encoder_config.subsampling_conv_channels]) "
     "2@291 3@292 5@291 6@292) out(weight[encoder_config.hidden_size,(encoder_config.subsampling_conv_channels*(en"
     "coder_config.num_mel_bins/8))] bias[encoder_config.hidden_size])) "
     "layers(#{encoder_config.num_hidden_layers}(feed_forward1@295 self_attn(pos_bias_u[encoder_config.num_attenti"
     "on_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] pos_bias_v[encoder_config.num_atte"
     "ntion_heads,(encoder_config.hidden_size/encoder_config.num_attention_heads)] linear_q(weight[(encoder_config"
     ".num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads)),encoder_config.hidden_"
     "size] bias[(encoder_config.num_attention_heads*(encoder_config.hidden_size/encoder_config.num_attention_head"
     "s))]?0) linear_k@296 linear_v@296 linear_out(weight[encoder_config.hidden_size,(encoder_config.num_attention"
     "_heads*(encoder_config.hidden_size/encoder_config.num_attention_heads))] bias[encoder_config.hidden_size]?0)"
     " linear_pos@232) " "conv(pointwise_conv1(weight[(2*encoder_config.hidden_size),(encoder_config.hidden_size/1),1] "
     "bias[(2*encoder_config.hidden_size)]) depthwise_conv(weight[encoder_config.hidden_size,(encoder_config.hidde"
     "n_size/encoder_config.hidden_size),encoder_config.conv_kernel_size] bias[encoder_config.hidden_size]) "
     "batch_norm(weight[encoder_config.hidden_size] bias[encoder_config.hidden_size] "
     "running_mean[encoder_config.hidden_size] running_var[encoder_config.hidden_size] num_batches_tracked[]) "
     "pointwise_conv2(weight[encoder_config.hidden_size,(encoder_config.hidden_size/1),1] "
     "bias[encoder_config.hidden_size])) feed_forward2@295 norm_feed_forward1@297 norm_self_att@297 norm_conv@297 "
     "norm_feed_forward2@297 norm_out@297))) transf_decoder(_embedding(token_embedding@0 "
     "position_embedding(pos_enc[max_position_embeddings,hidden_size]) layer_norm@45) "
     "_decoder(layers(#{num_hidden_layers}(first_sub_layer@298 second_sub_layer@298 third_sub_layer(dense_in@49 "
     "dense_out@50) layer_norm_1@45 layer_norm_2@45 layer_norm_3@45)) final_layer_norm@45)) "
     "encoder_decoder_proj(weight[hidden_size,encoder_config.hidden_size] bias[hidden_size])",
     "preprocessor\\.featurizer\\..*"},
    {"CohereForCausalLM", "cohere", "", "model", "lm_head@185 model=:CohereModel", ""},
    {"CohereModel", "cohere", "cohere", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@299 k_proj@300 v_proj@300 o_proj@301 "
     "q_norm(weight[num_attention_heads,(hidden_size/num_attention_heads)]?0) "
     "k_norm(weight[num_key_value_heads,(hidden_size/num_attention_heads)]?0)) mlp@283 "
     "input_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"ColModernVBertForRetrieval", "colmodernvbert", "", "vlm",
     "embedding_proj_layer@302 vlm=vlm_config:ModernVBertModel", ""},
    {"ColPaliForRetrieval", "colpali", "", "vlm", "embedding_proj_layer@302 vlm=vlm_config:PaliGemmaModel", ""},
    {"ColQwen2ForRetrieval", "colqwen2", "", "vlm", "embedding_proj_layer@302 vlm=vlm_config:Qwen2VLModel", ""},
    {"ConvBertForMaskedLM", "convbert", "", "convbert",
     "generator_predictions@303 generator_lm_head@304 convbert=:ConvBertModel", ""},
    {"ConvBertForMultipleChoice", "convbert", "", "convbert", "classifier@60 convbert=:ConvBertModel", ""},
    {"ConvBertForQuestionAnswering", "convbert", "", "convbert", "qa_outputs@22 convbert=:ConvBertModel", ""},
    {"ConvBertForSequenceClassification", "convbert", "", "convbert", "classifier@178 convbert=:ConvBertModel", ""},
    {"ConvBertForTokenClassification", "convbert", "", "convbert", "classifier@22 convbert=:ConvBertModel", ""},
    {"ConvBertModel", "convbert", "convbert", "convbert",
     "embeddings@43 encoder(layer(#{num_hidden_layers}(attention(self(query@305 key@305 value@305 key_conv_attn_la"
     "yer(bias[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1] "
     "depthwise@306 pointwise(weight[((num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_rat"
     "io))/2)),(hidden_size/1),1])) conv_kernel_layer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),("
     "(num_attention_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2))] "
     "bias[((num_attention_heads/head_ratio)*conv_kernel_size)]) conv_out_layer@305) output@146) intermediate@148 "
     "output@149 crossattention(self(query@307 key@307 value@307 key_conv_attn_layer(bias[((num_attention_heads/he"
     "ad_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),1]?0 "
     "depthwise(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size]?0) pointwise(weight[((num_attention"
     "_heads/head_ratio)*((hidden_size/(num_attention_heads/head_ratio))/2)),(hidden_size/1),1]?0)) conv_kernel_la"
     "yer(weight[((num_attention_heads/head_ratio)*conv_kernel_size),((num_attention_heads/head_ratio)*((hidden_si"
     "ze/(num_attention_heads/head_ratio))/2))]?0 bias[((num_attention_heads/head_ratio)*conv_kernel_size)]?0) "
     "conv_out_layer@307) output@154))))", ""},
    {"Cosmos3OmniForConditionalGeneration", "cosmos3_omni", "", "model",
     "patch_embed@309 pos_embed@310 blocks@315 merger(norm@79 linear_fc1@316 linear_fc2@317) "
     "deepstack_merger_list(#{}(norm@318 linear_fc1@316 linear_fc2@317)) embed_tokens@85 layers@329 norm@327 "
     "lm_head@85",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"Cosmos3OmniModel", "cosmos3_omni", "cosmos3_omni", "model",
     "language_model(embed_tokens@85 layers@329 norm@327) visual=vision_config:Qwen3VLMoeVisionModel",
     "\\.add_k_proj\\. \\.add_q_proj\\. \\.add_v_proj\\. \\.norm_added_k\\. \\.norm_added_q\\. \\.to_add_out\\. "
     "^action_modality_embed$ ^action_proj_in\\. ^action_proj_out\\. ^audio_modality_embed$ ^audio_proj_in\\. "
     "^audio_proj_out\\. ^proj_in\\. ^proj_out\\. ^time_embedder\\. moe_gen"},
    {"CpmAntForCausalLM", "cpmant", "", "cpmant", "lm_head@0 cpmant=:CpmAntModel", ""},
    {"CpmAntModel", "cpmant", "cpmant", "cpmant",
     "encoder(layers(#{num_hidden_layers}(self_att(layernorm_before_attention(weight[hidden_size]) "
     "self_attention(project_q@330 project_k@330 project_v@330 "
     "attention_out(weight[hidden_size,(num_attention_heads*dim_head)]))) "
     "ffn(layernorm_before_ffn(weight[hidden_size]) ffn(w_in(w_0@331 w_1@331) "
     "w_out(weight[hidden_size,dim_ff]))))) output_layernorm(weight[hidden_size])) "
     "segment_embedding(weight[segment_types,hidden_size]) "
     "input_embedding(weight[(vocab_size+(prompt_types*prompt_length)),hidden_size]) position_bias(relative_attent"
     "ion_bias[((segment_types*segment_types)+position_bias_num_buckets),num_attention_heads])", ""},
    {"CwmForCausalLM", "cwm", "", "model", "lm_head@0 model=:CwmModel", ""},
    {"CwmModel", "cwm", "cwm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@334 mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DPRQuestionEncoder", "dpr", "dpr", "question_encoder", "question_encoder(bert_model@159)", ""},
    {"Data2VecTextForCausalLM Data2VecTextForMaskedLM", "data2vec-text", "", "data2vec_text",
     "data2vec_text@269 lm_head@267", ""},
    {"Data2VecTextForMultipleChoice", "data2vec-text", "", "data2vec_text",
     "classifier@60 data2vec_text=:Data2VecTextModel", ""},
    {"Data2VecTextForQuestionAnswering", "data2vec-text", "", "data2vec_text", "data2vec_text@269 qa_outputs@22", ""},
    {"Data2VecTextForSequenceClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@269 classifier@178",
     ""},
    {"Data2VecTextForTokenClassification", "data2vec-text", "", "data2vec_text", "data2vec_text@269 classifier@22", ""},
    {"Data2VecTextModel", "data2vec-text", "data2vec-text", "data2vec_text", "embeddings@268 encoder@158 pooler@166",
     ""},
    {"DebertaForMaskedLM", "deberta", "", "deberta", "cls@336 lm_predictions@338 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForQuestionAnswering", "deberta", "", "deberta", "qa_outputs@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForSequenceClassification", "deberta", "", "deberta", "pooler@340 classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaForTokenClassification", "deberta", "", "deberta", "classifier@22 deberta=:DebertaModel",
     "position_embeddings"},
    {"DebertaModel", "deberta", "deberta", "deberta",
     "embeddings@342 encoder(layer(#{num_hidden_layers}(attention(self(q_bias[(num_attention_heads*(hidden_size/nu"
     "m_attention_heads))] v_bias[(num_attention_heads*(hidden_size/num_attention_heads))] "
     "in_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size])) output@146) "
     "intermediate@148 output@149)) rel_embeddings@343)", "position_embeddings"},
    {"DebertaV2ForMaskedLM", "deberta-v2", "", "deberta", "cls@336 lm_predictions@338 deberta=:DebertaV2Model",
     "mask_predictions.* position_embeddings"},
    {"DebertaV2ForMultipleChoice", "deberta-v2", "", "deberta", "pooler@340 classifier@60 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForQuestionAnswering", "deberta-v2", "", "deberta", "qa_outputs@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2ForSequenceClassification", "deberta-v2", "", "deberta",
     "pooler@340 classifier@22 deberta=:DebertaV2Model", "position_embeddings"},
    {"DebertaV2ForTokenClassification", "deberta-v2", "", "deberta", "classifier@22 deberta=:DebertaV2Model",
     "position_embeddings"},
    {"DebertaV2Model", "deberta-v2", "deberta-v2", "deberta",
     "embeddings@342 encoder(layer(#{num_hidden_layers}(attention(self(query_proj@46 key_proj@46 value_proj@46) "
     "output@146) intermediate@148 output@149)) rel_embeddings@343)", "position_embeddings"},
    {"DeepseekV2ForCausalLM", "deepseek_v2", "", "model", "lm_head@0 model=:DeepseekV2Model", ""},
    {"DeepseekV2ForSequenceClassification", "deepseek_v2", "", "model", "score@21 model=:DeepseekV2Model", ""},
    {"DeepseekV2Model", "deepseek_v2", "deepseek_v2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size] "
     "bias[q_lora_rank]?4) q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?4) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?4)) mlp(gate_proj@344 "
     "up_proj@344 down_proj@345 experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]?2=a "
     "#{n_routed_experts}@11 down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?2=b) "
     "gate(weight[n_routed_experts,hidden_size]?2) shared_experts(gate_proj@346 up_proj@346 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]?2 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"DeepseekV32ForCausalLM", "deepseek_v32", "", "model", "lm_head@0 model=:DeepseekV32Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV32Model", "deepseek_v32", "deepseek_v32", "model", "embed_tokens@0 layers@349 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForCausalLM", "deepseek_v3", "", "model", "lm_head@0 model=:DeepseekV3Model", "model\\.layers\\.61.*"},
    {"DeepseekV3ForSequenceClassification", "deepseek_v3", "", "model", "score@21 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3ForTokenClassification", "deepseek_v3", "", "model", "score@22 model=:DeepseekV3Model",
     "model\\.layers\\.61.*"},
    {"DeepseekV3Model", "deepseek_v3", "deepseek_v3", "model", "embed_tokens@0 layers@351 norm(weight[hidden_size])",
     "model\\.layers\\.61.*"},
    {"DeepseekV4ForCausalLM", "deepseek_v4", "", "model",
     "model(embed_tokens@0 layers@375 norm(weight[hidden_size]) hc_head(hc_fn[hc_mult,(hc_mult*hidden_size)] "
     "hc_base[hc_mult] hc_scale[1])) head@0", "(^|\\.)mtp\\..*"},
    {"DeepseekV4Model", "deepseek_v4", "deepseek_v4", "model",
     "embed@0 layers@375 norm(weight[hidden_size]) hc_head_fn[hc_mult,(hc_mult*hidden_size)] hc_head_base[hc_mult]"
     " hc_head_scale[1]", "(^|\\.)mtp\\..*"},
    {"DeepseekVLForConditionalGeneration", "deepseek_vl", "", "model", "lm_head@99 model=:DeepseekVLModel", ""},
    {"DeepseekVLHybridForConditionalGeneration", "deepseek_vl_hybrid", "", "model",
     "lm_head@99 model=:DeepseekVLHybridModel", ""},
    {"DeepseekVLHybridModel", "deepseek_vl_hybrid", "deepseek_vl_hybrid", "model",
     "high_res_vision_alpha[1] high_res_vision_neck(conv1(weight[high_res_vision_config.output_channels,(high_res_"
     "vision_config.hidden_size/1),1,1]) layer_norm1@376 "
     "conv2(weight[high_res_vision_config.output_channels,(high_res_vision_config.output_channels/1),?,?]) "
     "layer_norm2@376) high_res_vision_proj(conv1(weight[(high_res_vision_config.output_channels*2),(high_res_visi"
     "on_config.output_channels/1),?,?]) conv2(weight[(high_res_vision_config.output_channels*4),((high_res_vision"
     "_config.output_channels*2)/1),?,?])) "
     "aligner(vision_proj(weight[(text_config.hidden_size/2),vision_config.hidden_size] "
     "bias[(text_config.hidden_size/2)]) "
     "high_res_vision_proj(weight[(text_config.hidden_size/2),(high_res_vision_config.output_channels*4)] "
     "bias[(text_config.hidden_size/2)]) proj@214) high_res_vision_model=high_res_vision_config:SamVisionModel "
     "vision_model=vision_config:SiglipVisionModel language_model=text_config:EuroBertModel", ""},
    {"DeepseekVLModel", "deepseek_vl", "deepseek_vl", "model",
     "aligner(linear1@377 linear2@214) vision_model=vision_config:SiglipVisionModel "
     "language_model=text_config:EuroBertModel", ""},
    {"DiffLlamaForCausalLM", "diffllama", "", "model", "lm_head@0 model=:DiffLlamaModel", ""},
    {"DiffLlamaForQuestionAnswering", "diffllama", "", "transformer", "qa_outputs@68 transformer=:DiffLlamaModel", ""},
    {"DiffLlamaForSequenceClassification", "diffllama", "", "model", "score@21 model=:DiffLlamaModel", ""},
    {"DiffLlamaForTokenClassification", "diffllama", "", "model", "score@22 model=:DiffLlamaModel", ""},
    {"DiffLlamaModel", "diffllama", "diffllama", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(lambda_q1[?] lambda_k1[?] lambda_q2[?] lambda_k2[?] "
     "q_proj@279 k_proj@280 v_proj@280 o_proj@281) mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"DistilBertForMaskedLM", "distilbert", "", "distilbert",
     "vocab_transform@378 vocab_layer_norm(weight[dim] bias[dim]) vocab_projector(weight[vocab_size,dim]? "
     "bias[vocab_size]) distilbert=:DistilBertModel", ""},
    {"DistilBertForMultipleChoice", "distilbert", "", "distilbert",
     "pre_classifier@378 classifier(weight[1,dim] bias[1]) distilbert=:DistilBertModel", ""},
    {"DistilBertForQuestionAnswering", "distilbert", "", "distilbert", "qa_outputs@379 distilbert=:DistilBertModel", ""},
    {"DistilBertForSequenceClassification", "distilbert", "", "distilbert",
     "pre_classifier@378 classifier@379 distilbert=:DistilBertModel", ""},
    {"DistilBertForTokenClassification", "distilbert", "", "distilbert", "classifier@379 distilbert=:DistilBertModel",
     ""},
    {"DistilBertModel", "distilbert", "distilbert", "distilbert",
     "embeddings(word_embeddings(weight[vocab_size,dim]) position_embeddings(weight[max_position_embeddings,dim]) "
     "LayerNorm(weight[dim] bias[dim])) transformer(layer(#{n_layers}(attention(q_lin@378 k_lin@378 v_lin@378 "
     "out_lin@378) sa_layer_norm(weight[dim] bias[dim]) ffn(lin1(weight[hidden_dim,dim] bias[hidden_dim]) "
     "lin2(weight[dim,hidden_dim] bias[dim])) output_layer_norm(weight[dim] bias[dim]))))", ""},
    {"DogeForCausalLM", "doge", "", "model", "lm_head@0 model=:DogeModel", ""},
    {"DogeForSequenceClassification", "doge", "", "model", "score@21 model=:DogeModel", ""},
    {"DogeModel", "doge", "doge", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_residual[hidden_size] post_attention_residual[hidden_size] "
     "input_layernorm(weight[hidden_size]) self_attn(A[num_key_value_heads] q_proj@380 k_proj@381 v_proj@381 "
     "dt_proj(weight[num_key_value_heads,(num_key_value_heads*(hidden_size/num_attention_heads))] "
     "bias[num_key_value_heads]?2) o_proj@382 q_norm@64 k_norm@64) post_attention_layernorm(weight[hidden_size]) "
     "mlp(gate_proj@383 up_proj@383 down_proj@384 router_gate(weight[?,hidden_size]?0) down_embed@385 "
     "up_embed@385))) norm(weight[hidden_size])", ""},
    {"ElectraForCausalLM ElectraForMaskedLM", "electra", "", "electra",
     "generator_predictions@303 generator_lm_head@304 electra=:ElectraModel", ""},
    {"ElectraForMultipleChoice", "electra", "", "electra",
     "sequence_summary(summary@152) classifier@60 electra=:ElectraModel", ""},
    {"ElectraForPreTraining", "electra", "", "electra",
     "discriminator_predictions(dense@47 dense_prediction@60) electra=:ElectraModel", ""},
    {"ElectraForQuestionAnswering", "electra", "", "electra", "qa_outputs@22 electra=:ElectraModel", ""},
    {"ElectraForSequenceClassification", "electra", "", "electra", "classifier@178 electra=:ElectraModel", ""},
    {"ElectraForTokenClassification", "electra", "", "electra", "classifier@22 electra=:ElectraModel", ""},
    {"ElectraModel", "electra", "electra", "electra",
     "embeddings@43 encoder@158 embeddings_project(weight[hidden_size,embedding_size]?0 bias[hidden_size]?0)", ""},
    {"EmbeddingGemma2Model", "embedding_gemma2", "embedding_gemma2", "model",
     "language_model=text_config:EmbeddingGemma2TextModel",
     "(^|\\.)audio_tower\\. (^|\\.)embed_audio\\. (^|\\.)embed_vision\\. (^|\\.)vision_tower\\."},
    {"EmbeddingGemma2TextModel", "embedding_gemma2_text", "embedding_gemma2_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@386 k_proj@386 v_proj@386 o_proj@387 "
     "q_norm(weight[?]) k_norm(weight[?])) mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) ple_block(per_layer_input_gate@388 per_layer_projection@389 "
     "post_per_layer_input_norm(weight[hidden_size])) layer_scalar[1])) norm(weight[hidden_size]) "
     "ple(per_layer_model_projection@390 per_layer_projection_norm@391) "
     "embedding_projection(weight[embedding_dim,hidden_size])", ""},
    {"Emu3ForCausalLM", "emu3_text_model", "", "model", "lm_head@0 model=:Emu3TextModel", ""},
    {"Emu3TextModel", "emu3_text_model", "", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@395 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5ForCausalLM", "ernie4_5", "", "model", "lm_head@185 model=:Ernie4_5Model", ""},
    {"Ernie4_5Model", "ernie4_5", "ernie4_5", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Ernie4_5_MoeForCausalLM", "ernie4_5_moe", "", "model", "lm_head@160 model=:Ernie4_5_MoeModel", "mtp"},
    {"Ernie4_5_MoeModel", "ernie4_5_moe", "ernie4_5_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_att"
     "ention_heads)),hidden_size] bias[(num_attention_heads*(hidden_size/num_attention_heads))]?4) k_proj@396 "
     "v_proj@396 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))] "
     "bias[hidden_size]?4)) mlp(gate_proj@344 up_proj@344 down_proj@345 "
     "gate(weight[moe_num_experts,hidden_size]?2) moe_statics(e_score_correction_bias[1,moe_num_experts]?2) "
     "experts(gate_up_proj[moe_num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{moe_num_experts}@11 "
     "down_proj[moe_num_experts,hidden_size,moe_intermediate_size]?2=b) shared_experts(gate_proj@397 up_proj@397 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*moe_num_shared_experts)]?2 bias[hidden_size]?3))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "mtp"},
    {"ErnieForCausalLM ErnieForMaskedLM", "ernie", "", "ernie", "ernie@400 cls@162", ""},
    {"ErnieForMultipleChoice", "ernie", "", "ernie", "classifier@60 ernie=:ErnieModel", ""},
    {"ErnieForNextSentencePrediction", "ernie", "", "ernie", "cls@163 ernie=:ErnieModel", ""},
    {"ErnieForPreTraining", "ernie", "", "ernie", "cls@164 ernie=:ErnieModel", ""},
    {"ErnieForQuestionAnswering", "ernie", "", "ernie", "ernie@400 qa_outputs@22", ""},
    {"ErnieForSequenceClassification", "ernie", "", "ernie", "classifier@22 ernie=:ErnieModel", ""},
    {"ErnieForTokenClassification", "ernie", "", "ernie", "ernie@400 classifier@22", ""},
    {"ErnieModel", "ernie", "ernie", "ernie", "embeddings@399 encoder@158 pooler@166", ""},
    {"EsmForMaskedLM", "esm", "", "esm", "esm@416 lm_head(bias[vocab_size] dense@47 layer_norm@45 decoder@185)",
     "position_embeddings.weight"},
    {"EsmForSequenceClassification", "esm", "", "esm", "esm@416 classifier@178", "position_embeddings.weight"},
    {"EsmForTokenClassification", "esm", "", "esm", "esm@416 classifier@22", "position_embeddings.weight"},
    {"EsmModel", "esm", "esm", "esm", "embeddings@401 encoder@413 pooler@166 contact_head@415",
     "position_embeddings.weight"},
    {"EuroBertForMaskedLM", "eurobert", "", "model", "lm_head@417 model=:EuroBertModel", ""},
    {"EuroBertForSequenceClassification", "eurobert", "", "model", "dense@47 classifier@22 model=:EuroBertModel", ""},
    {"EuroBertForTokenClassification", "eurobert", "", "model", "classifier@22 model=:EuroBertModel", ""},
    {"EuroBertModel LlamaModel UltrabertModel", "eurobert llama ultrabert",
     "eurobert internlm3 iquestcoder llama ultrabert", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@72 mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"EvollaForProteinText2Text", "evolla", "", "model", "lm_head@0 model=:EvollaModel", ""},
    {"EvollaModel", "evolla", "evolla", "model",
     "embed_tokens@0 protein_encoder(model(embeddings(word_embeddings(weight[protein_encoder_config.vocab_size,pro"
     "tein_encoder_config.hidden_size]) layer_norm@418) "
     "encoder(layer(#{protein_encoder_config.num_hidden_layers}(attention(self(query@419 key@419 value@419) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@420) "
     "intermediate(dense(weight[protein_encoder_config.intermediate_size,protein_encoder_config.hidden_size] "
     "bias[protein_encoder_config.intermediate_size])) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.intermediate_size] "
     "bias[protein_encoder_config.hidden_size])) LayerNorm@420 crossattention(self(query@421 key@421 value@421) "
     "output(dense(weight[protein_encoder_config.hidden_size,protein_encoder_config.hidden_size]?0 "
     "bias[protein_encoder_config.hidden_size]?0)) LayerNorm@418))) emb_layer_norm_after@420) "
     "rotary_embeddings(inv_freq[?])) "
     "sequence_compressor_resampler(latents[resampler_num_latents,protein_encoder_config.hidden_size] layers(0@429"
     " 1@429 2@429 3@429 4@429 5@429) norm@45 "
     "protein_projector(weight[hidden_size,protein_encoder_config.hidden_size] bias[hidden_size]))) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@380 k_proj@381 v_proj@381 o_proj@382) mlp(gate_proj@383 "
     "up_proj@383 down_proj@384) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) adapter(gate_attention[?]?0 gate_ffw[?]?0 query@150 "
     "key_protein@150 value_protein@150 attention_norm(weight[hidden_size]?0) "
     "out_proj(weight[hidden_size,hidden_size]?0 bias[hidden_size]?) ff(norm@153 "
     "fc1(weight[(hidden_size*aligner_ffn_mult),hidden_size]?0) "
     "fc2(weight[hidden_size,(hidden_size*aligner_ffn_mult)]?0))))) norm(weight[hidden_size])", ""},
    {"Exaone4ForCausalLM", "exaone4", "", "model", "lm_head@0 model=:Exaone4Model", ""},
    {"Exaone4ForQuestionAnswering", "exaone4", "", "transformer", "qa_outputs@68 transformer=:Exaone4Model", ""},
    {"Exaone4ForSequenceClassification", "exaone4", "", "model", "score@21 model=:Exaone4Model", ""},
    {"Exaone4ForTokenClassification", "exaone4", "", "model", "score@22 model=:Exaone4Model", ""},
    {"Exaone4Model", "exaone4", "exaone4", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@430 mlp@283 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Exaone4_5_ForConditionalGeneration", "exaone4_5", "", "model", "lm_head@85 model=:Exaone4_5_Model", "mtp.*"},
    {"Exaone4_5_Model", "exaone4_5", "exaone4_5", "model",
     "visual=vision_config:Exaone4_5_VisionModel language_model=text_config:Exaone4Model", "mtp.*"},
    {"Exaone4_5_VisionModel", "exaone4_5_vision", "exaone4_5_vision", "model",
     "patch_embed@432 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(proj@47 qkv(weigh"
     "t[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2)),hidden_size] "
     "bias[((num_heads*(hidden_size/num_heads))+((num_key_value_heads*(hidden_size/num_heads))*2))])) mlp@433)) "
     "merger@437", "mtp.*"},
    {"ExaoneMoeForCausalLM", "exaone_moe", "", "model", "lm_head@0 model=:ExaoneMoeModel", "mtp.*"},
    {"ExaoneMoeModel", "exaone_moe", "exaone_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@430 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@38 "
     "gate@34 shared_experts@37 e_score_correction_bias[num_experts]?1) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "mtp.*"},
    {"FNetForMaskedLM", "fnet", "", "fnet", "cls@162 fnet=:FNetModel", ""},
    {"FNetForMultipleChoice", "fnet", "", "fnet", "classifier@60 fnet=:FNetModel", ""},
    {"FNetForNextSentencePrediction", "fnet", "", "fnet", "cls@163 fnet=:FNetModel", ""},
    {"FNetForPreTraining", "fnet", "", "fnet", "cls@164 fnet=:FNetModel", ""},
    {"FNetForQuestionAnswering", "fnet", "", "fnet", "qa_outputs@22 fnet=:FNetModel", ""},
    {"FNetForSequenceClassification FNetForTokenClassification", "fnet", "", "fnet", "classifier@22 fnet=:FNetModel",
     ""},
    {"FNetModel", "fnet", "fnet", "fnet",
     "embeddings(word_embeddings@0 position_embeddings@142 token_type_embeddings@143 LayerNorm@45 projection@47) "
     "encoder(layer(#{num_hidden_layers}(fourier(output(LayerNorm@45)) intermediate@148 output@149))) pooler@166", ""},
    {"FalconForCausalLM", "falcon", "", "transformer", "lm_head@185 transformer=:FalconModel", ""},
    {"FalconForQuestionAnswering", "falcon", "", "transformer", "qa_outputs@68 transformer=:FalconModel", ""},
    {"FalconForSequenceClassification", "falcon", "", "transformer", "score@21 transformer=:FalconModel", ""},
    {"FalconForTokenClassification", "falcon", "", "transformer", "classifier@22 transformer=:FalconModel", ""},
    {"FalconH1ForCausalLM", "falcon_h1", "", "model", "lm_head@0 model=:FalconH1Model", ""},
    {"FalconH1Model", "falcon_h1", "falcon_h1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(feed_forward@118 mamba(dt_bias[mamba_n_heads] "
     "A_log[mamba_n_heads] D[mamba_n_heads] conv1d(weight[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)),((mamba"
     "_d_ssm+((2*mamba_n_groups)*mamba_d_state))/(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))),mamba_d_conv] "
     "bias[(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state))]?) "
     "in_proj(weight[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads),hidden_size] "
     "bias[((mamba_d_ssm+(mamba_d_ssm+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads)]?) "
     "out_proj(weight[hidden_size,mamba_d_ssm] bias[hidden_size]?) norm(weight[mamba_d_ssm]?)) self_attn@438 "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"FalconMambaForCausalLM MambaForCausalLM", "falcon_mamba mamba", "", "backbone",
     "lm_head@185 backbone=:FalconMambaModel", ""},
    {"FalconMambaModel MambaModel", "falcon_mamba mamba", "falcon_mamba mamba", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(A_log[intermediate_size,state_size]"
     " D[intermediate_size] conv1d(weight[intermediate_size,(intermediate_size/intermediate_size),conv_kernel] "
     "bias[intermediate_size]?) in_proj(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]?0) "
     "x_proj(weight[(time_step_rank+(state_size*2)),intermediate_size]) "
     "dt_proj(weight[intermediate_size,time_step_rank] bias[intermediate_size]) out_proj@74))) "
     "norm_f(weight[hidden_size])", ""},
    {"FalconModel", "falcon", "falcon", "transformer",
     "word_embeddings@0 h(#{num_hidden_layers}(self_attention(query_key_value(weight[?,hidden_size] "
     "bias[(hidden_size+(2*(hidden_size/num_attention_heads)))]?2) dense(weight[hidden_size,hidden_size] "
     "bias[hidden_size]?2)) mlp(dense_h_to_4h(weight[ffn_hidden_size,hidden_size] bias[ffn_hidden_size]?2) "
     "dense_4h_to_h(weight[hidden_size,ffn_hidden_size] bias[hidden_size]?2)) input_layernorm@153 ln_attn@172 "
     "ln_mlp@172 post_attention_layernorm(weight[hidden_size]?3 bias[hidden_size]?3))) ln_f@45", ""},
    {"FlaubertForMultipleChoice XLMForMultipleChoice", "flaubert xlm", "", "transformer",
     "sequence_summary@440 logits_proj(weight[1,num_labels] bias[1]) transformer=:FlaubertModel", ""},
    {"FlaubertForQuestionAnsweringSimple XLMForQuestionAnsweringSimple", "flaubert xlm", "", "transformer",
     "qa_outputs@441 transformer=:FlaubertModel", ""},
    {"FlaubertForSequenceClassification XLMForSequenceClassification", "flaubert xlm", "", "transformer",
     "sequence_summary@440 transformer=:FlaubertModel", ""},
    {"FlaubertForTokenClassification XLMForTokenClassification", "flaubert xlm", "", "transformer",
     "classifier@441 transformer=:FlaubertModel", ""},
    {"FlaubertModel XLMModel", "flaubert xlm", "flaubert xlm", "transformer",
     "position_embeddings(weight[max_position_embeddings,emb_dim]) embeddings(weight[vocab_size,emb_dim]) "
     "layer_norm_emb@442 attentions(#{}(q_lin@443 k_lin@443 v_lin@443 out_lin@443)) layer_norm1@444 "
     "ffns(#{}(lin1(weight[(emb_dim*4),emb_dim] bias[(emb_dim*4)]) lin2(weight[emb_dim,(emb_dim*4)] "
     "bias[emb_dim]))) layer_norm2@444", ""},
    {"FlaubertWithLMHeadModel XLMWithLMHeadModel", "flaubert xlm", "", "transformer",
     "pred_layer(proj(weight[vocab_size,emb_dim]? bias[vocab_size])) transformer=:FlaubertModel", ""},
    {"FlexOlmoForCausalLM", "flex_olmo", "", "model", "lm_head@0 model=:FlexOlmoModel", ""},
    {"FlexOlmoModel", "flex_olmo", "flex_olmo", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@447 mlp@289 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"FlintForCausalLM", "flint", "", "model", "lm_head@0 model=:FlintModel", ""},
    {"FlintModel", "flint", "flint", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(softmax_offset[num_attention_heads] q_proj@30 k_proj@31"
     " v_proj@31 o_proj@32 q_norm(weight[head_dim]) k_norm(weight[head_dim])) mlp(gate_proj@7 up_proj@7 "
     "down_proj@8 experts@38 gate@34 shared_expert@450) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"FunnelBaseModel", "funnel", "funnel", "funnel", "embeddings@451 encoder@462", ""},
    {"FunnelForMaskedLM", "funnel", "", "funnel", "lm_head@463 funnel=:FunnelModel", ""},
    {"FunnelForMultipleChoice", "funnel", "", "funnel",
     "classifier(linear_hidden@123 linear_out@464) funnel=:FunnelBaseModel", ""},
    {"FunnelForPreTraining", "funnel", "", "funnel",
     "discriminator_predictions(dense@123 dense_prediction@464) funnel=:FunnelModel", ""},
    {"FunnelForQuestionAnswering", "funnel", "", "funnel", "qa_outputs@133 funnel=:FunnelModel", ""},
    {"FunnelForSequenceClassification", "funnel", "", "funnel",
     "classifier(linear_hidden@123 linear_out@133) funnel=:FunnelBaseModel", ""},
    {"FunnelForTokenClassification", "funnel", "", "funnel", "classifier@133 funnel=:FunnelModel", ""},
    {"FunnelModel", "funnel", "funnel", "funnel",
     "embeddings@451 encoder@462 decoder(layers(#{num_decoder_layers}@459))", ""},
    {"FuyuForCausalLM", "fuyu", "", "model",
     "vision_embed_tokens@465 language_model(lm_head@85 model=text_config:PersimmonModel)", ""},
    {"FuyuModel", "fuyu", "fuyu", "model", "vision_embed_tokens@465 language_model(model=text_config:PersimmonModel)",
     ""},
    {"GPT2ForQuestionAnswering", "gpt2", "", "transformer",
     "qa_outputs(weight[2,n_embd] bias[2]) transformer=:GPT2Model", "attn.bias crossattention.bias"},
    {"GPT2ForSequenceClassification", "gpt2", "", "transformer", "score@263 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2ForTokenClassification", "gpt2", "", "transformer", "classifier@466 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2LMHeadModel", "gpt2", "", "transformer", "lm_head@467 transformer=:GPT2Model",
     "attn.bias crossattention.bias"},
    {"GPT2Model", "gpt2", "gpt-sw3 gpt2", "transformer",
     "wte@264 wpe@468 h(#{n_layer}(ln_1@266 attn@470 ln_2@266 mlp@473 crossattention@476 "
     "ln_cross_attn(weight[n_embd]?0 bias[n_embd]?0))) ln_f@266", "attn.bias crossattention.bias"},
    {"GPTBigCodeForCausalLM", "gpt_bigcode", "", "transformer", "lm_head@467 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeForSequenceClassification", "gpt_bigcode", "", "transformer", "score@263 transformer=:GPTBigCodeModel",
     ""},
    {"GPTBigCodeForTokenClassification", "gpt_bigcode", "", "transformer",
     "classifier@466 transformer=:GPTBigCodeModel", ""},
    {"GPTBigCodeModel", "gpt_bigcode", "gpt_bigcode", "transformer",
     "wte@264 wpe@468 h(#{n_layer}(ln_1@266 attn(c_attn(weight[?,n_embd] bias[?]) c_proj@265) ln_2@266 "
     "mlp(c_fc@276 c_proj@277))) ln_f@266", ""},
    {"GPTJForCausalLM", "gptj", "", "transformer", "lm_head@275 transformer=:GPTJModel", ""},
    {"GPTJForQuestionAnswering", "gptj", "", "transformer", "qa_outputs@466 transformer=:GPTJModel", ""},
    {"GPTJForSequenceClassification", "gptj", "", "transformer", "score@263 transformer=:GPTJModel", ""},
    {"GPTJModel", "gptj", "gptj", "transformer",
     "wte@264 h(#{n_layer}(ln_1@266 attn(k_proj(weight[n_embd,n_embd]) v_proj(weight[n_embd,n_embd]) "
     "q_proj(weight[n_embd,n_embd]) out_proj(weight[n_embd,n_embd])) mlp@278)) ln_f@266", ""},
    {"GPTNeoForCausalLM", "gpt_neo", "", "transformer", "lm_head@185 transformer=:GPTNeoModel", ""},
    {"GPTNeoForQuestionAnswering", "gpt_neo", "", "transformer", "qa_outputs@68 transformer=:GPTNeoModel", ""},
    {"GPTNeoForSequenceClassification", "gpt_neo", "", "transformer", "score@21 transformer=:GPTNeoModel", ""},
    {"GPTNeoForTokenClassification", "gpt_neo", "", "transformer", "classifier@22 transformer=:GPTNeoModel", ""},
    {"GPTNeoModel", "gpt_neo", "gpt_neo", "transformer",
     "wte@0 wpe@142 h(#{num_layers}(ln_1@45 attn(attention(k_proj@89 v_proj@89 q_proj@89 out_proj@47)) ln_2@45 "
     "mlp(c_fc@230 c_proj@231))) ln_f@45", ""},
    {"GPTNeoXForCausalLM", "gpt_neox", "", "gpt_neox", "embed_out@0 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForQuestionAnswering", "gpt_neox", "", "gpt_neox", "qa_outputs@68 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForSequenceClassification", "gpt_neox", "", "gpt_neox", "score@21 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXForTokenClassification", "gpt_neox", "", "gpt_neox", "classifier@22 gpt_neox=:GPTNeoXModel",
     "attention.bias attention.masked_bias"},
    {"GPTNeoXJapaneseForCausalLM", "gpt_neox_japanese", "", "gpt_neox_japanese",
     "embed_out@185 gpt_neox_japanese=:GPTNeoXJapaneseModel", ""},
    {"GPTNeoXJapaneseModel", "gpt_neox_japanese", "gpt_neox_japanese", "gpt_neox_japanese",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size]) dense@89 dense_bias[hidden_size]?) "
     "mlp(dense_h_to_4h(weight[(hidden_size*intermediate_multiple_size),hidden_size]) "
     "dense_4h_to_h(weight[hidden_size,(hidden_size*intermediate_multiple_size)])))) final_layer_norm@45", ""},
    {"GPTNeoXModel", "gpt_neox", "gpt_neox", "gpt_neox",
     "embed_in@0 layers(#{num_hidden_layers}(input_layernorm@45 post_attention_layernorm@45 "
     "attention(query_key_value(weight[(3*hidden_size),hidden_size] bias[(3*hidden_size)]?0) dense@477) mlp@478)) "
     "final_layer_norm@45", "attention.bias attention.masked_bias"},
    {"Gemma2ForCausalLM", "gemma2", "", "model", "lm_head@185 model=:Gemma2Model", ""},
    {"Gemma2ForSequenceClassification", "gemma2", "", "model", "score@21 model=:Gemma2Model", ""},
    {"Gemma2ForTokenClassification", "gemma2", "", "model", "score@22 model=:Gemma2Model", ""},
    {"Gemma2Model", "gemma2", "gemma2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3ForCausalLM", "gemma3_text", "", "model", "lm_head@185 model=:Gemma3TextModel", ""},
    {"Gemma3ForConditionalGeneration", "gemma3", "", "model",
     "multi_modal_projector@480 language_model(lm_head@99 model=text_config:Gemma3TextModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"Gemma3ForSequenceClassification", "gemma3", "", "model",
     "multi_modal_projector@480 score@481 vision_tower=vision_config:SiglipVisionModel language_model@482", ""},
    {"Gemma3Model", "gemma3", "gemma3", "model",
     "multi_modal_projector@480 vision_tower=vision_config:SiglipVisionModel language_model@482", ""},
    {"Gemma3TextForSequenceClassification", "gemma3_text", "", "model", "score@21 model=:Gemma3TextModel", ""},
    {"Gemma3TextModel", "gemma3_text", "gemma3_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@483 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Gemma3nForCausalLM", "gemma3n_text", "", "model", "lm_head@185 model=:Gemma3nTextModel", ""},
    {"Gemma3nTextModel", "gemma3n_text", "gemma3n_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@69 q_norm(weight[head_dim]) k_proj@484 "
     "v_proj@484 k_norm(weight[head_dim]?0) o_proj@71) mlp(gate_proj(weight[?,hidden_size]) "
     "up_proj(weight[?,hidden_size]) down_proj(weight[hidden_size,?])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) altup(correct_output_scale[hidden_size] "
     "correction_coefs(weight[altup_num_inputs,altup_num_inputs]) "
     "prediction_coefs(weight[(altup_num_inputs*altup_num_inputs),altup_num_inputs]) "
     "modality_router(weight[altup_num_inputs,hidden_size]) router_norm(weight[hidden_size])) "
     "laurel(linear_left(weight[laurel_rank,hidden_size]) linear_right(weight[hidden_size,laurel_rank]) "
     "post_laurel_norm(weight[hidden_size])) per_layer_input_gate@388 per_layer_projection@389 "
     "post_per_layer_input_norm(weight[hidden_size]))) norm(weight[hidden_size]) embed_tokens_per_layer@485 "
     "per_layer_model_projection@390 per_layer_projection_norm@391 altup_projections@486 "
     "altup_unembed_projections@486", ""},
    {"Gemma4ForCausalLM", "gemma4_text", "", "model", "lm_head@185 model=:Gemma4TextModel", ""},
    {"Gemma4ForConditionalGeneration", "gemma4", "", "model", "lm_head@99 model=:Gemma4Model", ""},
    {"Gemma4Model", "gemma4", "gemma4", "model", "language_model=text_config:Gemma4TextModel", ""},
    {"Gemma4TextModel", "gemma4_text", "gemma4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@488 mlp@491 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) per_layer_input_gate@388 per_layer_projection@389 "
     "post_per_layer_input_norm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size]) "
     "embed_tokens_per_layer@485 per_layer_model_projection@390 per_layer_projection_norm@391", ""},
    {"Gemma4UnifiedForCausalLM", "gemma4_unified_text", "", "model", "lm_head@185 model=:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedForConditionalGeneration", "gemma4_unified", "", "model", "lm_head@99 model=:Gemma4UnifiedModel", ""},
    {"Gemma4UnifiedModel", "gemma4_unified", "gemma4_unified", "model",
     "language_model=text_config:Gemma4UnifiedTextModel", ""},
    {"Gemma4UnifiedTextModel", "gemma4_unified_text", "gemma4_unified_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@488 mlp@491 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]) layer_scalar[1])) norm(weight[hidden_size])", ""},
    {"GemmaForCausalLM", "gemma", "", "model", "lm_head@185 model=:GemmaModel", ""},
    {"GemmaForSequenceClassification", "gemma", "", "model", "score@21 model=:GemmaModel", ""},
    {"GemmaForTokenClassification", "gemma", "", "model", "score@22 model=:GemmaModel", ""},
    {"GemmaModel", "gemma", "gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GitForCausalLM", "git", "", "git", "output@290 git=:GitModel", ""},
    {"GitModel", "git", "git", "git",
     "embeddings@165 image_encoder(vision_model@496) encoder@499 visual_projection(visual_projection(0@500 1@45))", ""},
    {"Glm46VForConditionalGeneration Glm4vForConditionalGeneration", "glm46v glm4v", "", "model",
     "lm_head@85 model=:Glm46VModel", ""},
    {"Glm46VModel Glm4vModel", "glm46v glm4v", "glm46v glm4v glmga", "model",
     "visual=vision_config:Glm4vVisionModel language_model=text_config:Glm4vTextModel", ""},
    {"Glm4ForCausalLM", "glm4", "", "model", "lm_head@0 model=:Glm4Model", ""},
    {"Glm4ForSequenceClassification", "glm4", "", "model", "score@21 model=:Glm4Model", ""},
    {"Glm4ForTokenClassification", "glm4", "", "model", "score@22 model=:Glm4Model", ""},
    {"Glm4Model", "glm4", "glm4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@501 mlp@503 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4MoeForCausalLM", "glm4_moe", "", "model", "lm_head@0 model=:Glm4MoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4MoeLiteForCausalLM", "glm4_moe_lite", "", "model", "lm_head@0 model=:Glm4MoeLiteModel",
     "model\\.layers\\.47.*"},
    {"Glm4MoeLiteModel", "glm4_moe_lite", "glm4_moe_lite", "model",
     "embed_tokens@0 layers@351 norm(weight[hidden_size])", "model\\.layers\\.47.*"},
    {"Glm4MoeModel", "glm4_moe", "glm4_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_att"
     "ention_heads)),hidden_size] bias[(num_attention_heads*(hidden_size/num_attention_heads))]?3) k_proj@504 "
     "v_proj@504 o_proj@394 q_norm@505 k_norm@505) mlp@29 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeForConditionalGeneration", "glm4v_moe", "", "model", "lm_head@85 model=:Glm4vMoeModel",
     "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeModel", "glm4v_moe", "glm4v_moe", "model",
     "language_model(embed_tokens@85 layers(#{text_config.num_hidden_layers}(self_attn(q_proj(weight[(text_config."
     "num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads)),text_config.hidden_size] "
     "bias[(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]?2) "
     "k_proj@506 v_proj@506 o_proj@507) mlp(gate_proj@508 up_proj@508 down_proj@509 experts(gate_up_proj[text_conf"
     "ig.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?1=a "
     "#{text_config.n_routed_experts}@512 "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?1=b) "
     "gate(weight[text_config.n_routed_experts,text_config.hidden_size]?1 "
     "e_score_correction_bias[text_config.n_routed_experts]?1) shared_experts(gate_proj@513 up_proj@513 "
     "down_proj@514)) input_layernorm@327 post_attention_layernorm@327)) norm@327) "
     "visual=vision_config:Glm4vMoeVisionModel", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeTextModel", "glm4v_moe_text", "glm4v_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@380 k_proj@381 v_proj@381 o_proj@394) "
     "mlp(gate_proj@7 up_proj@7 down_proj@8 experts@515 gate@28 shared_experts@16) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vMoeVisionModel", "glm4v_moe_vision", "glm4v_moe_vision", "model",
     "embeddings@517 patch_embed@519 blocks@526 merger@531 post_conv_layernorm(weight[hidden_size]) downsample@532"
     " post_layernorm(weight[hidden_size])", "model\\.layers\\.46.* model\\.layers\\.92.*"},
    {"Glm4vTextModel", "glm4v_text", "glm4v_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@534 mlp@503 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Glm4vVisionModel", "glm4v_vision", "glm4v_vision", "model",
     "embeddings@517 patch_embed@519 blocks@526 merger@531 post_conv_layernorm(weight[hidden_size]) downsample@532"
     " post_layernorm(weight[hidden_size])", ""},
    {"GlmAsrEncoder", "glmasr_encoder", "glmasr_encoder", "model",
     "conv1@87 conv2@88 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@393 v_proj@533 o_proj@535) mlp@258 "
     "input_layernorm@45 post_attention_layernorm@45)) norm@45", ""},
    {"GlmAsrForConditionalGeneration", "glmasr", "", "model",
     "multi_modal_projector@538 language_model(lm_head@99 model=text_config:EuroBertModel) "
     "audio_tower=audio_config:GlmAsrEncoder", ""},
    {"GlmAsrModel", "glmasr", "glmasr", "model",
     "multi_modal_projector@538 audio_tower=audio_config:GlmAsrEncoder language_model@539", ""},
    {"GlmForCausalLM", "glm", "", "model", "lm_head@0 model=:GlmModel", ""},
    {"GlmForSequenceClassification", "glm", "", "model", "score@21 model=:GlmModel", ""},
    {"GlmForTokenClassification", "glm", "", "model", "score@22 model=:GlmModel", ""},
    {"GlmImageModel", "glm_image", "glm_image", "model",
     "visual=vision_config:GlmImageVisionModel language_model=text_config:GlmImageTextModel "
     "vqmodel=vq_config:GlmImageVQVAE", ""},
    {"GlmImageTextModel", "glm_image_text", "glm_image_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@540 mlp@503 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmImageVQVAE", "glm_image_vqmodel", "glm_image_vqmodel", "model",
     "quantize(embedding(weight[num_embeddings,embed_dim])) quant_conv(weight[embed_dim,(latent_channels/1),1,1] "
     "bias[embed_dim]) post_quant_conv(weight[latent_channels,(embed_dim/1),1,1] bias[latent_channels])", ""},
    {"GlmImageVisionModel", "glm_image_vision", "glm_image_vision", "model",
     "embeddings@517 patch_embed(proj(weight[hidden_size,(in_channels/1),patch_size,patch_size] "
     "bias[hidden_size])) blocks(#{depth}(norm1@45 norm2@45 attn(qkv@541 proj@477) mlp@258))", ""},
    {"GlmModel", "glm", "glm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@501 mlp@503 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GlmMoeDsaForCausalLM", "glm_moe_dsa", "", "model", "lm_head@0 model=:GlmMoeDsaModel", "model\\.layers\\.78.*"},
    {"GlmMoeDsaModel", "glm_moe_dsa", "glm_moe_dsa", "model", "embed_tokens@0 layers@349 norm(weight[hidden_size])",
     "model\\.layers\\.78.*"},
    {"GlmOcrForConditionalGeneration", "glm_ocr", "", "model", "lm_head@85 model=:GlmOcrModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrModel", "glm_ocr", "glm_ocr", "model",
     "visual=vision_config:GlmOcrVisionModel language_model=text_config:GlmOcrTextModel",
     "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrTextModel", "glm_ocr_text", "glm_ocr_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@395 mlp@503 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) post_self_attn_layernorm(weight[hidden_size]) "
     "post_mlp_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GlmOcrVisionModel", "glm_ocr_vision", "glm_ocr_vision", "model",
     "patch_embed@519 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn(qkv@541 proj@477 "
     "q_norm@542 k_norm@542) mlp@118)) merger(proj@527 post_projection_norm@528 gate_proj@543 up_proj@543 "
     "down_proj(weight[out_hidden_size,(out_hidden_size*in_channels)])) downsample@532 "
     "post_layernorm(weight[hidden_size])", "model\\.language_model\\.layers\\.16.*"},
    {"GotOcr2ForConditionalGeneration", "got_ocr2", "", "model",
     "vision_tower@557 multi_modal_projector@560 language_model@561", ""},
    {"GotOcr2Model", "got_ocr2", "got_ocr2", "model", "vision_tower@557 multi_modal_projector@560 language_model@94",
     ""},
    {"GptOssForCausalLM", "gpt_oss", "", "model", "lm_head@0 model=:GptOssModel", ""},
    {"GptOssForSequenceClassification", "gpt_oss", "", "model", "score@21 model=:GptOssModel", ""},
    {"GptOssForTokenClassification OpenAIPrivacyFilterForTokenClassification", "gpt_oss openai_privacy_filter", "",
     "model", "score@22 model=:GptOssModel", ""},
    {"GptOssModel OpenAIPrivacyFilterModel", "gpt_oss openai_privacy_filter", "gpt_oss openai_privacy_filter", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@279 k_proj@280 "
     "v_proj@280 o_proj@281) mlp(router(weight[num_local_experts,hidden_size] bias[num_local_experts]) "
     "experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "gate_up_proj_bias[num_local_experts,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size] down_proj_bias[num_local_experts,hidden_size])) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteDoclingTextModel GraniteModel SmolLM3Model", "granite granite_docling_text smollm3",
     "granite granite_docling_text smollm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@438 mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteForCausalLM", "granite", "", "model", "lm_head@0 model=:GraniteDoclingTextModel", ""},
    {"GraniteMoeForCausalLM GraniteMoeSharedForCausalLM", "granitemoe granitemoeshared", "", "model",
     "lm_head@0 model=:GraniteMoeModel", ""},
    {"GraniteMoeHybridForCausalLM", "granitemoehybrid", "", "model", "lm_head@0 model=:GraniteMoeHybridModel", ""},
    {"GraniteMoeHybridModel", "granitemoehybrid", "granitemoehybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@566 "
     "shared_mlp(input_linear(weight[(shared_intermediate_size*2),hidden_size]) output_linear@567) "
     "mamba(dt_bias[mamba_n_heads] A_log[mamba_n_heads] D[mamba_n_heads] conv1d@119 in_proj(weight[(((mamba_expand"
     "*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_heads),hidden_size] b"
     "ias[(((mamba_expand*hidden_size)+((mamba_expand*hidden_size)+((2*mamba_n_groups)*mamba_d_state)))+mamba_n_he"
     "ads)]?0) norm@120 out_proj(weight[hidden_size,(mamba_expand*hidden_size)] bias[hidden_size]?0)))) "
     "norm(weight[hidden_size])", ""},
    {"GraniteMoeModel GraniteMoeSharedModel", "granitemoe granitemoeshared", "granitemoe granitemoeshared", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@568 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) block_sparse_moe@566)) norm(weight[hidden_size])", ""},
    {"GraniteMoeSWAForCausalLM", "granitemoe_swa", "", "model", "lm_head@0 model=:GraniteMoeSWAModel", ""},
    {"GraniteMoeSWAModel", "granitemoe_swa", "granitemoe_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@61 k_proj@62 "
     "v_proj@62 o_proj@63) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "block_sparse_moe(router@562 experts@569))) norm(weight[hidden_size])", ""},
    {"GraniteSWAForCausalLM", "granite_swa", "", "model", "lm_head@185 model=:GraniteSWAModel", ""},
    {"GraniteSWAModel", "granite_swa", "granite_swa", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(sinks[num_attention_heads] q_proj@299 k_proj@300 "
     "v_proj@300 o_proj@301) mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"GraniteSpeechForConditionalGeneration GraniteSpeechPlusForConditionalGeneration",
     "granite_speech granite_speech_plus", "", "model",
     "encoder@590 projector@592 language_model(lm_head@99 model=text_config:GraniteDoclingTextModel)", ""},
    {"GraniteSpeechModel GraniteSpeechPlusModel", "granite_speech granite_speech_plus",
     "granite_speech granite_speech_plus", "model",
     "encoder@590 projector@592 language_model(model=text_config:GraniteDoclingTextModel)", ""},
    {"GteForMaskedLM", "gte", "", "gte",
     "lm_head(dense@47 norm@45 decoder(weight[vocab_size,hidden_size]? bias[vocab_size])) gte=:GteModel",
     "inv_freq original_inv_freq"},
    {"GteForSequenceClassification", "gte", "", "gte", "gte(embeddings@593 pooler@166 encoder@601) classifier@22",
     "inv_freq original_inv_freq"},
    {"GteForTokenClassification", "gte", "", "gte", "classifier@22 gte=:GteModel", "inv_freq original_inv_freq"},
    {"GteModel", "gte", "gte", "gte", "embeddings@593 encoder@601", "inv_freq original_inv_freq"},
    {"HYV3ForCausalLM", "hy_v3", "", "model", "lm_head@0 model=:HYV3Model", "model\\.layers\\.80.*"},
    {"HYV3Model", "hy_v3", "hy_v3", "model", "embed_tokens@0 "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size] "
     "bias[(num_attention_heads*head_dim)]?4) k_proj@602 v_proj@602 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?4) q_norm(weight[head_dim]) "
     "k_norm(weight[head_dim])) mlp(gate_proj@344 up_proj@344 down_proj@345 "
     "router(gate(weight[num_experts,hidden_size]?2)) "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?2=a #{num_experts}@11 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?2=b) shared_mlp(gate_proj@603 up_proj@603 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*num_shared_experts)]?2 bias[hidden_size]?3)) "
     "expert_bias[num_experts]?2) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "model\\.layers\\.80.*"},
    {"HYV4ForCausalLM", "hy_v4", "", "model",
     "model(embed_tokens@0 layers@619 norm(weight[hidden_size]) hc_pre(hc_head@620)) lm_head@0",
     "model\\.mtp_layers\\..*"},
    {"HYV4Model", "hy_v4", "hy_v4", "model", "embed_tokens@0 layers@619 norm(weight[hidden_size]) hc_head(hc_pre@620)",
     "model\\.mtp_layers\\..*"},
    {"HeliumForCausalLM", "helium", "", "model", "lm_head@0 model=:HeliumModel", ""},
    {"HeliumForSequenceClassification", "helium", "", "model", "score@21 model=:HeliumModel", ""},
    {"HeliumForTokenClassification", "helium", "", "model", "score@22 model=:HeliumModel", ""},
    {"HeliumModel", "helium", "helium", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@69 k_proj@70 v_proj@70 o_proj@89) mlp@118 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HiggsAudioV2ForConditionalGeneration", "higgs_audio_v2", "higgs_audio_v2", "model",
     "model(embed_tokens@0 layers(#{num_hidden_layers}(self_attn@72 mlp@118 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) audio_mlp@118 audio_input_layernorm(weight[hidden_size]) "
     "audio_post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size]) "
     "embed_audio_tokens(embed_audio_tokens@621)) audio_lm_head@621", "text_lm_head.weight"},
    {"HrmTextForCausalLM", "hrm_text", "", "model", "lm_head@0 model=:HrmTextModel", ""},
    {"HrmTextModel", "hrm_text", "hrm_text", "model", "z_L_init[hidden_size] embed_tokens@0 L_module@629 H_module@629",
     ""},
    {"HunYuanDenseV1ForCausalLM", "hunyuan_v1_dense", "", "model", "lm_head@0 model=:HunYuanDenseV1Model", ""},
    {"HunYuanDenseV1ForSequenceClassification", "hunyuan_v1_dense", "", "model", "score@21 model=:HunYuanDenseV1Model",
     ""},
    {"HunYuanDenseV1Model", "hunyuan_v1_dense", "hunyuan_v1_dense", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@630 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"HunYuanMoEV1ForCausalLM", "hunyuan_v1_moe", "", "model", "lm_head@0 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1ForSequenceClassification", "hunyuan_v1_moe", "", "model", "score@21 model=:HunYuanMoEV1Model", ""},
    {"HunYuanMoEV1Model", "hunyuan_v1_moe", "hunyuan_v1_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@630 mlp(gate(wg@284) experts@288 shared_mlp@283) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"HyperCLOVAXForCausalLM", "hyperclovax", "", "model", "lm_head@0 model=:HyperCLOVAXModel", ""},
    {"HyperCLOVAXModel", "hyperclovax", "hyperclovax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@31 v_proj@31 o_proj@32) mlp@118 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_norm1(weight[hidden_size]?1) post_norm2(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"HyperCLOVAXVisionV2ForConditionalGeneration", "hyperclovax_vision_v2", "", "model",
     "model(vision_projector@631 language_model(lm_head@99) "
     "vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel)", ""},
    {"HyperCLOVAXVisionV2Model", "hyperclovax_vision_v2", "hyperclovax_vision_v2", "model",
     "projector@631 vision_model=vision_config:Qwen2_5_VisionTransformerPretrainedModel "
     "language_model=text_config:HyperCLOVAXModel", ""},
    {"IBertForMaskedLM", "ibert", "", "ibert", "ibert@651 lm_head@267", ""},
    {"IBertForMultipleChoice", "ibert", "", "ibert", "classifier@60 ibert=:IBertModel", ""},
    {"IBertForQuestionAnswering", "ibert", "", "ibert", "ibert@651 qa_outputs@22", ""},
    {"IBertForSequenceClassification", "ibert", "", "ibert", "ibert@651 classifier@178", ""},
    {"IBertForTokenClassification", "ibert", "", "ibert", "ibert@651 classifier@22", ""},
    {"IBertModel", "ibert", "ibert", "ibert", "embeddings@637 encoder@650 pooler@166", ""},
    {"Idefics2ForConditionalGeneration", "idefics2", "", "model", "lm_head@85 model=:Idefics2Model", ""},
    {"Idefics2Model", "idefics2", "idefics2", "model",
     "vision_model(embeddings@653 encoder@495 post_layernorm@79) connector(modality_projection(gate_proj@654 "
     "up_proj@654 down_proj@325) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,perceiver_config.hidden_size] "
     "layers(#{perceiver_config.resampler_depth}(input_latents_norm@655 input_context_norm@655 self_attn(q_proj(we"
     "ight[(perceiver_config.resampler_n_heads*perceiver_config.resampler_head_dim),perceiver_config.hidden_size])"
     " k_proj@656 v_proj@656 o_proj(weight[perceiver_config.hidden_size,(perceiver_config.resampler_n_heads*percei"
     "ver_config.resampler_head_dim)])) post_attention_layernorm@655 mlp(gate_proj@657 up_proj@657 "
     "down_proj(weight[perceiver_config.hidden_size,(perceiver_config.hidden_size*4)])))) norm@655)) "
     "text_model=text_config:Ministral3Model", ""},
    {"Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration", "idefics3 smolvlm", "", "model",
     "lm_head@85 model=:Idefics3Model", ""},
    {"Idefics3Model SmolVLMModel", "idefics3 smolvlm", "idefics3 smolvlm", "model",
     "connector(modality_projection(proj(weight[text_config.hidden_size,(vision_config.hidden_size*(scale_factor*s"
     "cale_factor))]))) vision_model=vision_config:Idefics3VisionTransformer text_model=text_config:EuroBertModel", ""},
    {"Idefics3VisionTransformer SmolVLMVisionTransformer", "idefics3_vision smolvlm_vision",
     "idefics3_vision smolvlm_vision", "model", "embeddings@659 encoder@261 post_layernorm@45", ""},
    {"IdeficsForVisionText2Text", "idefics", "", "model", "lm_head@0 model=:IdeficsModel", ""},
    {"IdeficsModel", "idefics", "idefics", "model",
     "embed_tokens@0 vision_model(embeddings(class_embedding[vision_config.embed_dim] patch_embedding(weight[visio"
     "n_config.embed_dim,(vision_config.num_channels/1),vision_config.patch_size,vision_config.patch_size]) positi"
     "on_embedding(weight[(((vision_config.image_size/vision_config.patch_size)*(vision_config.image_size/vision_c"
     "onfig.patch_size))+1),vision_config.embed_dim])) pre_layrnorm@660 "
     "encoder(layers(#{vision_config.num_hidden_layers}(self_attn(k_proj@661 v_proj@661 q_proj@661 out_proj@661) "
     "layer_norm1@660 mlp(fc1(weight[vision_config.intermediate_size,vision_config.embed_dim] "
     "bias[vision_config.intermediate_size]) fc2(weight[vision_config.embed_dim,vision_config.intermediate_size] "
     "bias[vision_config.embed_dim])) layer_norm2@660))) post_layernorm@660) "
     "layers(#{num_hidden_layers}(self_attn(q_proj@392 k_proj@392 v_proj@392 o_proj@394) mlp@662 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "gated_cross_attn_layers(#{(num_hidden_layers/cross_layer_interval)}(alpha_cross_attn[1] alpha_dense[1] "
     "cross_attn(q_proj@392 k_proj@663 v_proj@663 o_proj@394 q_layer_norm@664 k_layer_norm@664) mlp@662 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size]) "
     "perceiver_resampler(latents[perceiver_config.resampler_n_latents,vision_config.embed_dim]?0 "
     "blocks(#{perceiver_config.resampler_depth}(0(context_layer_norm@665 latents_layer_norm@665 q_proj@666 "
     "k_proj@666 v_proj@666 output_proj(weight[vision_config.embed_dim,(perceiver_config.resampler_n_heads*perceiv"
     "er_config.resampler_head_dim)]?0)) 1(ln@665 " "fc(weight[(vision_config.embed_dim*4),vision_config.embed_dim]?0) "
     "c_proj(weight[vision_config.embed_dim,(vision_config.embed_dim*4)]?0)))) layer_norm@665)", ""},
    {"ImageGPTForCausalImageModeling", "imagegpt", "", "transformer",
     "lm_head(weight[(vocab_size-1),n_embd]) transformer=:ImageGPTModel", ""},
    {"ImageGPTForImageClassification", "imagegpt", "", "transformer", "score@263 transformer=:ImageGPTModel", ""},
    {"ImageGPTModel", "imagegpt", "imagegpt", "transformer",
     "wte@264 wpe@468 h(#{n_layer}(ln_1(weight[?]) attn@470 ln_2(weight[?]) mlp@473 crossattention@476 "
     "ln_cross_attn(weight[?]?0))) ln_f(weight[?])", ""},
    {"Inkling2ForCausalLM", "inkling2_text", "", "model", "model(llm(unembed@0) llm=:Inkling2TextModel)", ""},
    {"Inkling2TextModel", "inkling2_text", "inkling2_text", "model",
     "embed@0 embed_norm(weight[hidden_size]) attn_res(mlp_queries(#{num_hidden_layers}[hidden_size]) "
     "attn_queries(#{num_hidden_layers}[*]?) output_query[hidden_size]) "
     "layers(#{num_hidden_layers}(attn(wq_du(weight[?,hidden_size]) wk_dv(weight[?,hidden_size]) "
     "wv_dv(weight[?,hidden_size]) wr_du(weight[?,hidden_size]) wo_ud(weight[hidden_size,?]) k_sconv@667 "
     "v_sconv@667 rel_logits_proj(proj[d_rel,?]) gate_attn(weight[?,hidden_size]) "
     "attn_sink_proj(weight[?,hidden_size]) q_l2_clip(scale[?,?]) rel_l2_clip(scale[?,d_rel])) "
     "mlp(experts(w13_weight[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "w2_weight[n_routed_experts,hidden_size,moe_intermediate_size]) gate(weight[n_routed_experts,hidden_size] "
     "bias[n_routed_experts])) attn_norm(weight[hidden_size]?0) mlp_norm(weight[hidden_size]) attn_sconv@306 "
     "mlp_sconv@306 q_input_norm(weight[hidden_size]?1) k_input_norm(weight[hidden_size]?1) "
     "v_input_norm(weight[hidden_size]?1))) norm(weight[hidden_size])", ""},
    {"InklingForCausalLM", "inkling_text", "", "model", "lm_head@0 model=:InklingTextModel", "model\\.mtp\\..*"},
    {"InklingTextModel", "inkling_text", "inkling_text", "model",
     "embed_tokens(weight[vocab_size,hidden_size] embed_norm(weight[hidden_size])) "
     "layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj(weight[?,hidden_size]) "
     "v_proj(weight[?,hidden_size]) r_proj(weight[?,hidden_size]) o_proj(weight[hidden_size,?]) k_sconv@669 "
     "v_sconv@669 q_norm(weight[?]) k_norm(weight[?]) rel_logits_proj(proj[d_rel,?])) "
     "mlp(gate(weight[(n_routed_experts+n_shared_experts),hidden_size] global_scale[1] "
     "e_score_correction_bias[n_routed_experts]) "
     "experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]) "
     "shared_experts(gate_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "up_proj[n_shared_experts,moe_intermediate_size,hidden_size] "
     "down_proj[n_shared_experts,hidden_size,moe_intermediate_size])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) attn_sconv@670 mlp_sconv@670)) norm(weight[hidden_size])",
     "model\\.mtp\\..*"},
    {"InstructBlipModel InstructBlipVideoModel", "instructblip instructblipvideo", "instructblip instructblipvideo",
     "blip", "query_tokens[1,num_query_tokens,qformer_config.hidden_size] vision_model@198 "
     "qformer(embeddings(word_embeddings@199 position_embeddings@200 layernorm@671) "
     "encoder(layer(#{qformer_config.num_hidden_layers}(attention(attention(query@672 key@672 value@672) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size] bias[qformer_config.hidden_size])"
     " LayerNorm@671)) crossattention(attention(query(weight[(qformer_config.num_attention_heads*(qformer_config.h"
     "idden_size/qformer_config.num_attention_heads)),qformer_config.hidden_size]?0 bias[(qformer_config.num_atten"
     "tion_heads*(qformer_config.hidden_size/qformer_config.num_attention_heads))]?0) key@673 value@673) "
     "output(dense(weight[qformer_config.hidden_size,qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0) LayerNorm(weight[qformer_config.hidden_size]?0 "
     "bias[qformer_config.hidden_size]?0))) intermediate@675 output@677 intermediate_query@675 "
     "output_query@677)))) language_projection(weight[text_config.hidden_size,qformer_config.hidden_size] "
     "bias[text_config.hidden_size]) language_model=text_config:OPTModel", ""},
    {"InternVLForConditionalGeneration", "internvl", "", "model",
     "multi_modal_projector@680 language_model@561 vision_tower=vision_config:InternVLVisionModel", ""},
    {"InternVLModel", "internvl", "internvl", "model",
     "multi_modal_projector@680 vision_tower=vision_config:InternVLVisionModel language_model@94", ""},
    {"InternVLVisionModel", "internvl_vision", "internvl_vision", "internvl_vision",
     "embeddings(cls_token[1,1,hidden_size] position_embeddings[1,?,hidden_size]? "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?] bias[hidden_size])) "
     "mask_token[1,1,hidden_size]?) encoder(layer(#{num_hidden_layers}(lambda_1[hidden_size] lambda_2[hidden_size]"
     " attention(q_proj@299 k_proj@299 v_proj@299 projection_layer@47 q_norm(weight[hidden_size]?0) "
     "k_norm(weight[hidden_size]?0)) mlp@258 layernorm_before@45 layernorm_after@45))) layernorm@153", ""},
    {"Jais2ForCausalLM", "jais2", "", "model", "lm_head@0 model=:Jais2Model", ""},
    {"Jais2Model", "jais2", "jais2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@72 mlp@75 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"JambaForCausalLM", "jamba", "", "model", "lm_head@0 model=:JambaModel", ""},
    {"JambaForSequenceClassification", "jamba", "", "model", "score@21 model=:JambaModel", ""},
    {"JambaModel", "jamba", "jamba", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mamba(A_log[?,?]?2 D[(mamba_expand*hidden_size)]?2 conv1d(weight["
     "(mamba_expand*hidden_size),((mamba_expand*hidden_size)/(mamba_expand*hidden_size)),mamba_d_conv]?2 "
     "bias[(mamba_expand*hidden_size)]?) in_proj(weight[((mamba_expand*hidden_size)*2),hidden_size]?2 "
     "bias[((mamba_expand*hidden_size)*2)]?3) "
     "x_proj(weight[(mamba_dt_rank+(mamba_d_state*2)),(mamba_expand*hidden_size)]?2) "
     "dt_proj(weight[(mamba_expand*hidden_size),mamba_dt_rank]?2 bias[(mamba_expand*hidden_size)]?2) "
     "out_proj(weight[hidden_size,(mamba_expand*hidden_size)]?2 bias[hidden_size]?3) "
     "dt_layernorm(weight[mamba_dt_rank]?2) b_layernorm@681 c_layernorm@681) feed_forward(gate_proj@7 up_proj@7 "
     "down_proj@8 router@34 experts(gate_up_proj[num_experts,(2*intermediate_size),hidden_size]?1=a "
     "#{num_experts}@287 down_proj[num_experts,hidden_size,intermediate_size]?1=b)) "
     "input_layernorm(weight[hidden_size]) pre_ff_layernorm(weight[hidden_size]) "
     "self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?4) k_proj@682 "
     "v_proj@682 o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?4)))) "
     "final_layernorm(weight[hidden_size])", ""},
    {"JanusForConditionalGeneration", "janus", "", "model", "lm_head@99 model=:JanusModel", ""},
    {"JanusModel", "janus", "janus", "model",
     "vision_model(embeddings@653 encoder(layers(#{vision_config.num_hidden_layers}(layer_norm1@79 "
     "self_attn(q_proj@683 k_proj@683 v_proj@683 projection_layer@77 q_norm@252 k_norm@252) layer_norm2@79 "
     "mlp(fc1(weight[?,vision_config.hidden_size] bias[?]) fc2@684)))) post_layernorm@79) aligner(fc1@685 "
     "hidden_layers(0(weight[vision_config.projection_dim,vision_config.projection_dim] "
     "bias[vision_config.projection_dim]))) "
     "vqmodel(encoder(conv_in(weight[vq_config.base_channels,(vq_config.in_channels/1),?,?] "
     "bias[vq_config.base_channels]) down(#{}(block(0@688 1@689) downsample@691 attn(0@693 1@693))) mid@696 "
     "norm_out(weight[?] bias[?]) conv_out@686) quantize(embedding@697) "
     "quant_conv(weight[vq_config.embed_dim,(vq_config.latent_channels/1),1,1] bias[vq_config.embed_dim]) "
     "post_quant_conv(weight[vq_config.latent_channels,(vq_config.embed_dim/1),1,1] "
     "bias[vq_config.latent_channels]) decoder(conv_in(weight[?,(vq_config.latent_channels/1),?,?] bias[?]) "
     "mid@696 up(#{}(block(0@688 1@689 2@689) attn(0@693 1@693 2@693) upsample@691)) norm_out(weight[?] bias[?]) "
     "conv_out(weight[vq_config.out_channels,?,?,?] bias[vq_config.out_channels]))) generation_embeddings@697 "
     "generation_aligner(fc1(weight[vq_config.projection_dim,vq_config.embed_dim] bias[vq_config.projection_dim]) "
     "hidden_layers(0(weight[vq_config.projection_dim,vq_config.projection_dim] bias[vq_config.projection_dim]))) "
     "generation_head(proj_out(weight[vq_config.projection_dim,vq_config.image_token_embed_dim] "
     "bias[vq_config.projection_dim]) vision_head(weight[vq_config.num_embeddings,vq_config.projection_dim] "
     "bias[vq_config.num_embeddings])) language_model=text_config:EuroBertModel", ""},
    {"JetMoeForCausalLM", "jetmoe", "", "model", "lm_head@185 model=:JetMoeModel", ""},
    {"JetMoeForSequenceClassification", "jetmoe", "", "model", "score@21 model=:JetMoeModel", ""},
    {"JetMoeModel", "jetmoe", "jetmoe", "model", "embed_tokens@0 layers(#{num_hidden_layers}(mlp(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(intermediate_size*2),hidden_size]) output_linear@565 router@563) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "self_attention(experts(bias[hidden_size] "
     "input_linear(weight[num_local_experts,(kv_channels*num_key_value_heads),hidden_size]) "
     "output_linear(weight[num_local_experts,hidden_size,(kv_channels*num_key_value_heads)]) router@563) "
     "kv_proj(weight[((kv_channels*num_key_value_heads)*2),hidden_size])))) norm(weight[hidden_size])", ""},
    {"JevForDecision", "jev", "", "model",
     "weight[num_verbalizers,hidden_size] proj(bias[num_verbalizers]) model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"JinaEmbeddingsV3ForMaskedLM", "jina_embeddings_v3", "", "roberta", "lm_head@267 roberta@705", ""},
    {"JinaEmbeddingsV3ForQuestionAnswering", "jina_embeddings_v3", "", "roberta", "qa_outputs@22 roberta@705", ""},
    {"JinaEmbeddingsV3ForSequenceClassification", "jina_embeddings_v3", "", "roberta", "classifier@178 roberta@705", ""},
    {"JinaEmbeddingsV3ForTokenClassification", "jina_embeddings_v3", "", "roberta", "classifier@22 roberta@705", ""},
    {"JinaEmbeddingsV3Model", "jina_embeddings_v3", "jina_embeddings_v3", "roberta",
     "embeddings@698 emb_ln@45 pooler@166 encoder@704", ""},
    {"KimiLinearForCausalLM", "kimi_linear", "", "model", "lm_head@0 model=:KimiLinearModel", ""},
    {"KimiLinearModel", "kimi_linear", "kimi_linear", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj(weight[?,hidden_size]) k_proj@100 v_proj@100 "
     "conv1d@108 q_conv1d@101 k_conv1d@101 v_conv1d@101 dt_bias[(linear_head_dim*linear_num_heads)]?2 "
     "A_log[1,1,linear_num_heads,1]?2 f_a_proj@706 f_b_proj@707 b_proj@102 g_a_proj@706 g_b_proj@707 o_norm@103 "
     "o_proj(weight[hidden_size,?]) kv_a_proj_with_mqa@104 kv_a_layernorm@105 kv_b_proj@106) "
     "block_sparse_moe(gate_proj@7 up_proj@7 down_proj@8 experts(#{num_experts}(w1@110 w3@110 w2@111)) gate@141 "
     "shared_experts@37) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "mlp(experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=b "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=c)))) norm(weight[hidden_size])", ""},
    {"Kolibri1ForCausalLM", "kolibri1", "", "model", "lm_head@0 model=:Kolibri1Model", ""},
    {"Kolibri1Model", "kolibri1", "kolibri1", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@708 mlp(experts@709 gate@562 shared_experts@712) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "post_attn_norm(weight[hidden_size]) post_ffn_norm(weight[hidden_size]) "
     "moe(router(expert_bias[num_local_experts])))) norm(weight[hidden_size])", ""},
    {"Kosmos2ForConditionalGeneration", "kosmos-2", "", "",
     "text_model(model@726 lm_head@727) vision_model@728 image_to_text_projection@731", ""},
    {"Kosmos2Model", "kosmos-2", "kosmos-2", "", "text_model(model@726) vision_model@728 image_to_text_projection@731",
     ""},
    {"Kosmos2_5ForConditionalGeneration", "kosmos-2.5", "", "",
     "text_model(model@735 lm_head@727) vision_model@748 image_to_text_projection@731", ""},
    {"Kosmos2_5Model", "kosmos-2.5", "kosmos-2.5", "",
     "text_model(model@735) vision_model@748 image_to_text_projection@731", ""},
    {"LEDForConditionalGeneration", "led", "", "led", "lm_head@132 final_logits_bias[1,vocab_size]? led=:LEDModel", ""},
    {"LEDForQuestionAnswering", "led", "", "led", "qa_outputs@133 led=:LEDModel", ""},
    {"LEDModel", "led", "led", "led",
     "shared@121 encoder(embed_tokens@132 embed_positions(weight[max_encoder_position_embeddings,d_model]) "
     "layers(#{encoder_layers}(self_attn(longformer_self_attn(query@123 key@123 value@123 query_global@123 "
     "key_global@123 value_global@123) output@123) self_attn_layer_norm@125 fc1@135 fc2@136 final_layer_norm@125))"
     " layernorm_embedding@125) decoder(embed_tokens@132 "
     "embed_positions(weight[max_decoder_position_embeddings,d_model]) layers@129 layernorm_embedding@125)", ""},
    {"LagunaForCausalLM", "laguna", "", "model", "lm_head@0 model=:LagunaModel", ""},
    {"LagunaModel", "laguna", "laguna", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@749 k_proj@31 v_proj@31 "
     "o_proj(weight[hidden_size,?] bias[hidden_size]?2) q_norm(weight[head_dim]) k_norm(weight[head_dim]) "
     "g_proj(weight[?,hidden_size])) mlp(gate_proj@7 up_proj@7 down_proj@8 "
     "experts(gate_up_proj[num_experts,(2*moe_intermediate_size),hidden_size]?1=a #{num_experts}@11 "
     "down_proj[num_experts,hidden_size,moe_intermediate_size]?1=b e_score_correction_bias[num_experts]?1) gate@34"
     " shared_expert@450) input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"LayoutLMForMaskedLM", "layoutlm", "", "layoutlm", "cls@162 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForQuestionAnswering", "layoutlm", "", "layoutlm", "qa_outputs@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMForSequenceClassification LayoutLMForTokenClassification", "layoutlm", "", "layoutlm",
     "classifier@22 layoutlm=:LayoutLMModel", ""},
    {"LayoutLMModel", "layoutlm", "layoutlm", "layoutlm",
     "embeddings(word_embeddings@0 position_embeddings@142 x_position_embeddings@750 y_position_embeddings@750 "
     "h_position_embeddings@750 w_position_embeddings@750 token_type_embeddings@143 LayerNorm@45) encoder@499 "
     "pooler@166", ""},
    {"LayoutLMv3ForQuestionAnswering", "layoutlmv3", "", "layoutlmv3", "qa_outputs@178 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForSequenceClassification", "layoutlmv3", "", "layoutlmv3",
     "classifier@178 layoutlmv3=:LayoutLMv3Model", ""},
    {"LayoutLMv3ForTokenClassification", "layoutlmv3", "", "layoutlmv3", "classifier@22 layoutlmv3=:LayoutLMv3Model",
     ""},
    {"LayoutLMv3Model", "layoutlmv3", "layoutlmv3", "layoutlmv3", "cls_token[1,1,hidden_size]?0 "
     "pos_embed[1,(((input_size/patch_size)*(input_size/patch_size))+1),hidden_size]?0 "
     "embeddings(word_embeddings(weight[vocab_size,hidden_size]?1) "
     "token_type_embeddings(weight[type_vocab_size,hidden_size]?1) LayerNorm@172 "
     "position_embeddings(weight[max_position_embeddings,hidden_size]?1) x_position_embeddings@751 "
     "y_position_embeddings@751 h_position_embeddings@752 w_position_embeddings@752) "
     "patch_embed(proj(weight[hidden_size,(num_channels/1),patch_size,patch_size]?0 bias[hidden_size]?0)) "
     "LayerNorm@153 norm@153 encoder(layer@498 rel_pos_bias(weight[num_attention_heads,rel_pos_bins]?) "
     "rel_pos_x_bias@753 rel_pos_y_bias@753)", ""},
    {"Lfm2ForCausalLM", "lfm2", "", "model", "lm_head@185 model=:Lfm2Model", ""},
    {"Lfm2Model", "lfm2", "lfm2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@758 feed_forward(w1(weight[?,hidden_size]) "
     "w3(weight[?,hidden_size]) w2(weight[hidden_size,?])) operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) conv(conv(weight[hidden_size,(hidden_size/hidden_size),conv_L_cache]?0) "
     "in_proj@759 out_proj@760))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2MoeForCausalLM", "lfm2_moe", "", "model", "lm_head@185 model=:Lfm2MoeModel", ""},
    {"Lfm2MoeModel", "lfm2_moe", "lfm2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@764 feed_forward@765 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) "
     "self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?2) k_proj@766 "
     "v_proj@766 out_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?2) "
     "q_layernorm@505 k_layernorm@505))) embedding_norm(weight[hidden_size])", ""},
    {"Lfm2VlForConditionalGeneration", "lfm2_vl", "", "model", "lm_head@99 model=:Lfm2VlModel", ""},
    {"Lfm2VlModel", "lfm2_vl", "lfm2_vl", "model",
     "multi_modal_projector(layer_norm(weight[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0"
     " bias[(vision_config.hidden_size*(downsample_factor*downsample_factor))]?0) "
     "linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(downsample_factor*downsample_factor))] "
     "bias[projector_hidden_size]?1) linear_2(weight[text_config.hidden_size,projector_hidden_size] "
     "bias[text_config.hidden_size]?1)) vision_tower=vision_config:Siglip2VisionModel "
     "language_model=text_config:Lfm2Model", ""},
    {"Lfm3ForCausalLM", "lfm3", "", "model", "lm_head@185 model=:Lfm3Model", ""},
    {"Lfm3Model", "lfm3", "lfm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(conv@764 feed_forward@765 operator_norm(weight[hidden_size]) "
     "ffn_norm(weight[hidden_size]) post_operator_norm(weight[hidden_size]?2) post_ffn_norm(weight[hidden_size]?2)"
     " self_attn(q_proj(weight[(num_attention_heads*head_dim),hidden_size]?3) k_proj@767 v_proj@767 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?3) q_norm(weight[head_dim]?3) "
     "k_norm(weight[head_dim]?3) gate_proj(weight[num_attention_heads,hidden_size]?3)))) "
     "embedding_norm(weight[hidden_size])", ""},
    {"Lfm3VlForConditionalGeneration", "lfm3_vl", "", "model", "lm_head@99 model=:Lfm3VlModel", ""},
    {"Lfm3VlModel", "lfm3_vl", "lfm3_vl", "model",
     "multi_modal_projector(layer_norm@79 linear_1(weight[projector_hidden_size,(vision_config.hidden_size*(vision"
     "_config.spatial_merge_size*vision_config.spatial_merge_size))] bias[projector_hidden_size]?0) "
     "linear_2(weight[text_config.hidden_size,projector_hidden_size] bias[text_config.hidden_size]?0)) "
     "language_model=text_config:Lfm3Model vision_tower=vision_config:Lfm3VlVisionModel", ""},
    {"Lfm3VlVisionModel", "lfm3_vl_vision", "lfm3_vl_vision", "model",
     "patchifier(weight[hidden_size,((in_channels*temporal_patch_size)*(patch_size*patch_size))]) "
     "embedding_norm(weight[hidden_size]) layers(#{num_hidden_layers}(conv(in_proj@759 "
     "spatial_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size,conv_kernel_size]?0) "
     "out_proj@760) feed_forward@765 operator_norm(weight[hidden_size]) ffn_norm(weight[hidden_size]) "
     "self_attn@758))", ""},
    {"LightOnOcrForConditionalGeneration", "lighton_ocr", "", "model", "lm_head@99 model=:LightOnOcrModel", ""},
    {"LightOnOcrModel", "lighton_ocr", "lighton_ocr", "",
     "vision_projection(norm@479 patch_merger@769 linear_1@81 linear_2@82) "
     "vision_encoder=vision_config:PixtralVisionModel language_model=text_config:Qwen3Model", ""},
    {"LiltForQuestionAnswering", "lilt", "", "lilt", "lilt@787 qa_outputs@22", ""},
    {"LiltForSequenceClassification", "lilt", "", "lilt", "lilt@787 classifier@178", ""},
    {"LiltForTokenClassification", "lilt", "", "lilt", "lilt@787 classifier@22", ""},
    {"LiltModel", "lilt", "lilt", "lilt", "embeddings@144 layout_embeddings@774 encoder@786 pooler@166", ""},
    {"Llama4ForCausalLM", "llama4_text", "", "language_model", "lm_head@0 model=:Llama4TextModel", ""},
    {"Llama4ForConditionalGeneration", "llama4", "llama4", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,vision_config.vision_output_dim])) "
     "vision_model=vision_config:Llama4VisionModel language_model=text_config:Llama4ForCausalLM", ""},
    {"Llama4TextModel", "llama4_text", "llama4_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 "
     "feed_forward(experts(gate_up_proj[num_local_experts,hidden_size,(2*intermediate_size)] "
     "down_proj[num_local_experts,intermediate_size,hidden_size]) router@562 shared_expert@283) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Llama4VisionModel", "llama4_vision_model", "", "vision_model", "class_embedding[hidden_size] "
     "positional_embedding_vlm[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "patch_embedding(linear(weight[hidden_size,((num_channels*patch_size)*patch_size)])) layernorm_pre@45 "
     "layernorm_post@45 model(layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@46 v_proj@46 o_proj@535) "
     "mlp@258 input_layernorm@45 post_attention_layernorm@45))) "
     "vision_adapter(mlp(fc1(weight[projector_input_dim,intermediate_size]) "
     "fc2(weight[projector_output_dim,projector_output_dim])))", ""},
    {"LlamaForCausalLM", "llama", "", "model", "lm_head@0 model=:EuroBertModel", ""},
    {"LlamaForQuestionAnswering", "llama", "", "transformer", "qa_outputs@68 transformer=:EuroBertModel", ""},
    {"LlamaForSequenceClassification", "llama", "", "model", "score@21 model=:EuroBertModel", ""},
    {"LlamaForTokenClassification", "llama", "", "model", "score@22 model=:EuroBertModel", ""},
    {"LlavaForConditionalGeneration", "llava", "", "model",
     "multi_modal_projector@789 language_model@790 vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaModel", "llava", "llava", "model",
     "multi_modal_projector@789 vision_tower=vision_config:CLIPVisionModel language_model@539", ""},
    {"LlavaNextForConditionalGeneration LlavaNextVideoForConditionalGeneration", "llava_next llava_next_video", "",
     "model", "image_newline[text_config.hidden_size] multi_modal_projector@789 language_model@790 "
     "vision_tower=vision_config:CLIPVisionModel", ""},
    {"LlavaNextModel LlavaNextVideoModel", "llava_next llava_next_video", "llava_next llava_next_video", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@789 vision_tower=vision_config:CLIPVisionModel "
     "language_model@539", ""},
    {"LlavaOnevisionForConditionalGeneration", "llava_onevision", "", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@789 language_model@93 "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"LlavaOnevisionModel", "llava_onevision", "llava_onevision", "model",
     "image_newline[text_config.hidden_size] multi_modal_projector@789 "
     "vision_tower=vision_config:SiglipVisionModel language_model@94", ""},
    {"LongT5ForConditionalGeneration", "longt5", "", "transformer", "shared@121 encoder@802 decoder@809 lm_head@132",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongT5Model", "longt5", "longt5", "transformer", "shared@121 encoder@802 decoder@809",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"LongcatFlashForCausalLM", "longcat_flash", "", "model", "lm_head@0 model=:LongcatFlashModel", "model\\.mtp.*"},
    {"LongcatFlashModel", "longcat_flash", "longcat_flash", "model",
     "embed_tokens@0 layers(#{num_layers}(mlp(experts(gate_up_proj[(n_routed_experts+zero_expert_num),(2*expert_ff"
     "n_hidden_size),hidden_size]=a #{(n_routed_experts+zero_expert_num)}(gate_proj@810 up_proj@810) "
     "down_proj[n_routed_experts,hidden_size,expert_ffn_hidden_size]=b "
     "#{n_routed_experts}(down_proj(weight[hidden_size,expert_ffn_hidden_size]~b))) "
     "router(classifier(weight[(n_routed_experts+zero_expert_num),hidden_size]) "
     "e_score_correction_bias[(n_routed_experts+zero_expert_num)])) self_attn(0@815 1@815) mlps(0@818 1@818) "
     "input_layernorm@819 post_attention_layernorm@819)) norm(weight[hidden_size])", "model\\.mtp.*"},
    {"LongformerForMaskedLM", "longformer", "", "longformer", "longformer@825 lm_head@267", ""},
    {"LongformerForMultipleChoice", "longformer", "", "longformer", "classifier@60 longformer=:LongformerModel", ""},
    {"LongformerForQuestionAnswering", "longformer", "", "longformer", "longformer@825 qa_outputs@22", ""},
    {"LongformerForSequenceClassification", "longformer", "", "longformer", "longformer@825 classifier@178", ""},
    {"LongformerForTokenClassification", "longformer", "", "longformer", "longformer@825 classifier@22", ""},
    {"LongformerModel", "longformer", "longformer", "longformer", "embeddings@268 encoder@824 pooler@166", ""},
    {"LukeForMaskedLM", "luke", "", "luke",
     "lm_head(bias[vocab_size]? dense@47 layer_norm@45 decoder@290) entity_predictions(bias[entity_vocab_size] "
     "transform(dense(weight[entity_emb_size,hidden_size] bias[entity_emb_size]) LayerNorm(weight[entity_emb_size]"
     " bias[entity_emb_size])) decoder(weight[entity_vocab_size,entity_emb_size]?)) luke=:LukeModel", ""},
    {"LukeForMultipleChoice", "luke", "", "luke", "classifier@60 luke=:LukeModel", ""},
    {"LukeForQuestionAnswering", "luke", "", "luke", "luke@834 qa_outputs@22", ""},
    {"LukeForSequenceClassification", "luke", "", "luke", "classifier@22 luke=:LukeModel", ""},
    {"LukeForTokenClassification", "luke", "", "luke", "luke@834 classifier@22", ""},
    {"LukeModel", "luke", "luke", "luke", "embeddings@144 entity_embeddings@828 encoder@833 pooler@166", ""},
    {"LxmertForPreTraining", "lxmert", "", "lxmert",
     "cls(predictions(bias[vocab_size] transform@146 decoder@185) seq_relationship@68) "
     "obj_predict_head(transform(dense(weight[hidden_size,hidden_size]?4 bias[hidden_size]?4) "
     "LayerNorm(weight[hidden_size]?4 bias[hidden_size]?4)) "
     "decoder_dict(obj(weight[num_object_labels,hidden_size]?3 bias[num_object_labels]?3) "
     "attr(weight[num_attr_labels,hidden_size]?1 bias[num_attr_labels]?1) "
     "feat(weight[visual_feat_dim,hidden_size]?2 bias[visual_feat_dim]?2))) "
     "answer_head(logit_fc(0(weight[(hidden_size*2),hidden_size]?0 bias[(hidden_size*2)]?0) "
     "2(weight[(hidden_size*2)]?0 bias[(hidden_size*2)]?0) 3(weight[num_qa_labels,(hidden_size*2)]?0 "
     "bias[num_qa_labels]?0))) lxmert=:LxmertModel", ""},
    {"LxmertForQuestionAnswering", "lxmert", "", "lxmert",
     "answer_head(logit_fc(0@835 2@836 3(weight[num_qa_labels,(hidden_size*2)] bias[num_qa_labels]))) "
     "lxmert=:LxmertModel", ""},
    {"LxmertModel", "lxmert", "lxmert", "lxmert",
     "embeddings@144 encoder(visn_fc(visn_fc(weight[hidden_size,visual_feat_dim] bias[hidden_size]) "
     "visn_layer_norm@45 box_fc(weight[hidden_size,visual_pos_dim] bias[hidden_size]) box_layer_norm@45) "
     "layer(#{l_layers}@497) x_layers(#{x_layers}(visual_attention(att@145 output@146) lang_self_att@147 "
     "visn_self_att@147 lang_inter@148 lang_output@149 visn_inter@148 visn_output@149)) r_layers(#{r_layers}@497))"
     " pooler@166", ""},
    {"M2M100ForConditionalGeneration", "m2m_100", "", "model", "lm_head@132 model=:M2M100Model", ""},
    {"M2M100Model", "m2m_100", "m2m_100", "model",
     "shared@121 encoder(embed_tokens@132 layers@138 layer_norm@125) decoder(embed_tokens@132 layers@129 "
     "layer_norm@125)", ""},
    {"MBartForCausalLM", "mbart", "", "model",
     "model(decoder(embed_tokens@121 embed_positions@122 layers@129 layernorm_embedding@125 layer_norm@125)) "
     "lm_head@132", ""},
    {"MBartForConditionalGeneration", "mbart", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:MBartModel", ""},
    {"MBartForQuestionAnswering", "mbart", "", "model", "qa_outputs@133 model=:MBartModel", ""},
    {"MBartForSequenceClassification", "mbart", "", "model", "classification_head@134 model=:MBartModel", ""},
    {"MBartModel", "mbart", "mbart", "model",
     "shared@121 encoder(embed_tokens@132 embed_positions@122 layers@138 layernorm_embedding@125 layer_norm@125) "
     "decoder(embed_tokens@132 embed_positions@122 layers@129 layernorm_embedding@125 layer_norm@125)", ""},
    {"MPNetForMaskedLM", "mpnet", "", "mpnet", "mpnet@843 lm_head@267", ""},
    {"MPNetForMultipleChoice", "mpnet", "", "mpnet", "classifier@60 mpnet=:MPNetModel", ""},
    {"MPNetForQuestionAnswering", "mpnet", "", "mpnet", "mpnet@843 qa_outputs@22", ""},
    {"MPNetForSequenceClassification", "mpnet", "", "mpnet", "mpnet@843 classifier@178", ""},
    {"MPNetForTokenClassification", "mpnet", "", "mpnet", "mpnet@843 classifier@22", ""},
    {"MPNetModel", "mpnet", "mpnet", "mpnet", "embeddings@165 encoder@842 pooler@166", ""},
    {"MT5EncoderModel", "mt5", "", "transformer",
     "shared@121 encoder(embed_tokens@132 block(#{num_layers}(layer(#{}(SelfAttention@846 "
     "layer_norm(weight[d_model]) DenseReluDense@847 EncDecAttention@850)))) final_layer_norm(weight[d_model]))", ""},
    {"MT5ForConditionalGeneration", "mt5", "", "transformer", "shared@121 encoder@856 decoder@860 lm_head@132",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForQuestionAnswering", "mt5", "", "transformer", "shared@121 encoder@856 decoder@860 qa_outputs@133",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForSequenceClassification", "mt5", "", "transformer", "classification_head@134 transformer=:MT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"MT5ForTokenClassification", "mt5", "", "transformer", "classifier@133 transformer=:MT5EncoderModel", ""},
    {"MT5Model", "mt5", "mt5", "transformer", "shared@121 encoder@856 decoder@860",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"Mamba2ForCausalLM", "mamba2", "", "backbone", "lm_head@0 backbone=:Mamba2Model", ""},
    {"Mamba2Model", "mamba2", "mamba2", "backbone",
     "embeddings@0 layers(#{num_hidden_layers}(norm(weight[hidden_size]) mixer(dt_bias[num_heads] A_log[num_heads]"
     " D[num_heads] conv1d(weight[((expand*hidden_size)+((2*n_groups)*state_size)),(((expand*hidden_size)+((2*n_gr"
     "oups)*state_size))/((expand*hidden_size)+((2*n_groups)*state_size))),conv_kernel] "
     "bias[((expand*hidden_size)+((2*n_groups)*state_size))]?) in_proj(weight[(((expand*hidden_size)+((expand*hidd"
     "en_size)+((2*n_groups)*state_size)))+num_heads),hidden_size] "
     "bias[(((expand*hidden_size)+((expand*hidden_size)+((2*n_groups)*state_size)))+num_heads)]?0) "
     "norm(weight[(expand*hidden_size)]) out_proj(weight[hidden_size,(expand*hidden_size)] bias[hidden_size]?0))))"
     " norm_f(weight[hidden_size])", ""},
    {"MarianForCausalLM", "marian", "", "model",
     "model(decoder(embed_tokens(weight[decoder_vocab_size,d_model]) embed_positions@179 layers@129)) "
     "lm_head(weight[decoder_vocab_size,d_model]?)", ""},
    {"MarianMTModel", "marian", "", "model",
     "model(shared@132 encoder(embed_tokens@132 embed_positions@861 layers@138) "
     "decoder(embed_tokens(weight[?,d_model]?) embed_positions@861 layers@129)) lm_head(weight[?,d_model]?) "
     "final_logits_bias[1,?]?", ""},
    {"MarianModel", "marian", "marian", "model",
     "shared@132 encoder(embed_tokens@132 embed_positions@179 layers@138) decoder(embed_tokens(weight[?,d_model]?)"
     " embed_positions@179 layers@129)", ""},
    {"MarkupLMForQuestionAnswering", "markuplm", "", "markuplm", "markuplm@870 qa_outputs@22", ""},
    {"MarkupLMForSequenceClassification", "markuplm", "", "markuplm", "classifier@22 markuplm=:MarkupLMModel", ""},
    {"MarkupLMForTokenClassification", "markuplm", "", "markuplm", "markuplm@870 classifier@22", ""},
    {"MarkupLMModel", "markuplm", "markuplm", "markuplm", "embeddings@869 encoder@499 pooler@166", ""},
    {"MegatronBertForCausalLM MegatronBertForMaskedLM", "megatron-bert", "", "bert", "bert@877 cls@162", ""},
    {"MegatronBertForMultipleChoice", "megatron-bert", "", "bert", "classifier@60 bert=:MegatronBertModel", ""},
    {"MegatronBertForNextSentencePrediction", "megatron-bert", "", "bert", "cls@163 bert=:MegatronBertModel", ""},
    {"MegatronBertForPreTraining", "megatron-bert", "", "bert", "cls@164 bert=:MegatronBertModel", ""},
    {"MegatronBertForQuestionAnswering", "megatron-bert", "", "bert", "bert@877 qa_outputs@22", ""},
    {"MegatronBertForSequenceClassification", "megatron-bert", "", "bert", "classifier@22 bert=:MegatronBertModel", ""},
    {"MegatronBertForTokenClassification", "megatron-bert", "", "bert", "bert@877 classifier@22", ""},
    {"MegatronBertModel", "megatron-bert", "megatron-bert", "bert", "embeddings@871 encoder@876 pooler@166", ""},
    {"MellumForCausalLM", "mellum", "", "model", "lm_head@0 model=:MellumModel", "^mtp\\."},
    {"MellumModel", "mellum", "mellum", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@483 mlp@878 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "^mtp\\."},
    {"MiMoV2FlashForCausalLM", "mimo_v2_flash", "", "model", "lm_head@0 model=:MiMoV2FlashModel", "^model\\.mtp\\."},
    {"MiMoV2FlashModel", "mimo_v2_flash", "mimo_v2_flash", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@30 k_proj@749 v_proj@749 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)]) attention_sink_bias[num_attention_heads]?) "
     "mlp(gate_proj@7 up_proj@7 down_proj@8 experts@12 gate@28) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", "^model\\.mtp\\."},
    {"MiniCPM3ForCausalLM", "minicpm3", "", "model", "lm_head@185 model=:MiniCPM3Model", ""},
    {"MiniCPM3ForSequenceClassification", "minicpm3", "", "model", "score@21 model=:MiniCPM3Model", ""},
    {"MiniCPM3Model", "minicpm3", "minicpm3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj(weight[q_lora_rank,hidden_size] "
     "bias[q_lora_rank]?1) q_a_layernorm(weight[q_lora_rank]) q_b_proj@2 "
     "kv_a_proj_with_mqa(weight[(kv_lora_rank+qk_rope_head_dim),hidden_size] "
     "bias[(kv_lora_rank+qk_rope_head_dim)]?1) kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 "
     "o_proj(weight[hidden_size,(num_attention_heads*v_head_dim)] bias[hidden_size]?1)) mlp@118 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniCPMOcrForConditionalGeneration", "minicpm_ocr", "", "model", "lm_head@99 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniCPMOcrModel MiniCPMV4_7Model", "minicpm_ocr minicpmv4_7", "minicpm_ocr minicpmv4_7", "model",
     "merger@882 vision_tower=vision_config:MiniCPMOcrVisionModel language_model=text_config:Qwen3_5TextModel",
     "^mtp.*"},
    {"MiniCPMOcrVisionModel MiniCPMV4_7VisionModel", "minicpm_ocr_vision minicpmv4_7_vision",
     "minicpm_ocr_vision minicpmv4_7_vision", "",
     "embeddings@659 encoder@885 post_layernorm@45 vit_merger(self_attn@187 layer_norm1@45 pre_norm(weight[?] "
     "bias[?]) linear_1(weight[?,?] bias[?]) linear_2@886)", ""},
    {"MiniCPMV4_6ForConditionalGeneration", "minicpmv4_6", "", "model", "lm_head@85 model=:MiniCPMV4_6Model", "^mtp.*"},
    {"MiniCPMV4_6Model", "minicpmv4_6", "minicpmv4_6", "model",
     "vision_tower(embeddings@653 encoder@889 post_layernorm@79 vit_merger(self_attn@492 layer_norm1@79 "
     "pre_norm(weight[?] bias[?]) linear_1(weight[?,?] bias[?]) linear_2@684)) merger@882 "
     "language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"MiniCPMV4_7ForConditionalGeneration", "minicpmv4_7", "", "model", "lm_head@85 model=:MiniCPMOcrModel", "^mtp.*"},
    {"MiniMaxForCausalLM", "minimax", "", "model", "lm_head@0 model=:MiniMaxModel", ""},
    {"MiniMaxForQuestionAnswering", "minimax", "", "model", "qa_outputs@68 model=:MiniMaxModel", ""},
    {"MiniMaxForSequenceClassification", "minimax", "", "model", "score@21 model=:MiniMaxModel", ""},
    {"MiniMaxForTokenClassification", "minimax", "", "model", "score@22 model=:MiniMaxModel", ""},
    {"MiniMaxM2ForCausalLM", "minimax_m2", "", "model", "lm_head@0 model=:MiniMaxM2Model", ""},
    {"MiniMaxM2Model", "minimax_m2", "minimax_m2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@33 k_proj@332 v_proj@332 o_proj@333 "
     "q_norm(weight[(num_attention_heads*head_dim)]) k_norm(weight[(num_key_value_heads*head_dim)])) "
     "block_sparse_moe(gate@562 experts@891 e_score_correction_bias[num_local_experts]) mlp@893 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MiniMaxM3SparseForConditionalGeneration", "minimax_m3_vl", "", "model",
     "vision_tower(vision_model(embeddings(patch_embedding@894) pre_layrnorm@79 encoder@495)) "
     "multi_modal_projector(linear_1@895 linear_2@896) patch_merge_mlp(linear_1@897 linear_2@896) "
     "language_model(model@914 lm_head@85)", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLForCausalLM", "minimax_m3_vl_text", "", "model", "lm_head@0 model=:MiniMaxM3VLTextModel",
     "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLModel", "minimax_m3_vl", "minimax_m3_vl", "model",
     "vision_tower(embeddings(proj@894) pre_layrnorm@79 layers@494) multi_modal_projector(linear_1@895 "
     "linear_2@896 merge_linear_1@897 merge_linear_2@896) language_model@914", "(^|\\.)mtp\\..*"},
    {"MiniMaxM3VLTextModel", "minimax_m3_vl_text", "minimax_m3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@708 mlp(gate@915 experts@569 "
     "shared_experts(gate_up_proj(weight[(2*shared_intermediate_size),hidden_size]) down_proj@567)) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", "(^|\\.)mtp\\..*"},
    {"MiniMaxModel", "minimax", "minimax", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@754 k_proj@755 v_proj@755 o_proj@756 "
     "norm(weight[((hidden_size/num_attention_heads)*num_attention_heads)]?0) "
     "qkv_proj(weight[((num_attention_heads*(hidden_size/num_attention_heads))*3),hidden_size]?0) out_proj@916 "
     "output_gate@917 slope_rate[?,?,?]?0 query_decay[?,?,?]?0 key_decay[?,?,?]?0 diagonal_decay[?,?,?,?]?0) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) block_sparse_moe@918 "
     "mlp@893)) norm(weight[hidden_size])", ""},
    {"Ministral3ForCausalLM MinistralForCausalLM MistralForCausalLM", "ministral ministral3 mistral", "", "model",
     "lm_head@0 model=:Ministral3Model", ""},
    {"Ministral3ForQuestionAnswering MistralForQuestionAnswering", "ministral3 mistral", "", "model",
     "qa_outputs@68 model=:Ministral3Model", ""},
    {"Ministral3ForSequenceClassification MinistralForSequenceClassification MistralForSequenceClassification",
     "ministral ministral3 mistral", "", "model", "score@21 model=:Ministral3Model", ""},
    {"Ministral3ForTokenClassification MinistralForTokenClassification MistralForTokenClassification",
     "ministral ministral3 mistral", "", "model", "score@22 model=:Ministral3Model", ""},
    {"Ministral3Model MinistralModel MistralModel", "ministral ministral3 mistral", "ministral ministral3 mistral",
     "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@334 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MinistralForQuestionAnswering", "ministral", "", "transformer", "qa_outputs@68 transformer=:Ministral3Model", ""},
    {"Mistral3ForConditionalGeneration", "mistral3", "", "model",
     "multi_modal_projector@919 language_model(lm_head@99 model=text_config:Ministral3Model) "
     "vision_tower=vision_config:PixtralVisionModel", ""},
    {"Mistral3Model", "mistral3", "mistral3", "model",
     "multi_modal_projector@919 vision_tower=vision_config:PixtralVisionModel "
     "language_model(model=text_config:Ministral3Model)", ""},
    {"Mistral4ForCausalLM", "mistral4", "", "model", "lm_head@0 model=:Mistral4Model", ""},
    {"Mistral4ForSequenceClassification", "mistral4", "", "model", "score@21 model=:Mistral4Model", ""},
    {"Mistral4ForTokenClassification", "mistral4", "", "model", "score@22 model=:Mistral4Model", ""},
    {"Mistral4Model", "mistral4", "mistral4", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@6 mlp(gate_proj@7 up_proj@7 down_proj@8 experts@515 "
     "gate@920 shared_experts@16) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MistralLarge4ForConditionalGeneration", "mistral_large4", "", "model",
     "vision_encoder@926 pre_mm_projector_norm@479 patch_merger@769 vision_language_adapter(w_in@788 w_out@91) "
     "tok_embeddings@85 layers@948 norm@327 output@85 lerope(alpha[?])", "mtp_dspark\\..*"},
    {"MistralLarge4Model", "mistral_large4", "mistral_large4", "model",
     "vision_tower@926 multi_modal_projector@919 language_model(embed_tokens@85 layers@948 norm@327 "
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
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?1=b)) experts@367 gate@920 shared_experts@16))"
     " norm(weight[hidden_size]) rotary_emb(alpha[?])", "mtp_dspark\\..*"},
    {"MixtralForCausalLM", "mixtral", "", "model", "lm_head@0 model=:MixtralModel", ""},
    {"MixtralForQuestionAnswering", "mixtral", "", "model", "qa_outputs@68 model=:MixtralModel", ""},
    {"MixtralForSequenceClassification", "mixtral", "", "model", "score@21 model=:MixtralModel", ""},
    {"MixtralForTokenClassification", "mixtral", "", "model", "score@22 model=:MixtralModel", ""},
    {"MixtralModel", "mixtral", "mixtral", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@395 block_sparse_moe@918 mlp@893 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MllamaForCausalLM", "mllama_text_model", "", "language_model", "lm_head@0 model=:MllamaTextModel", ""},
    {"MllamaForConditionalGeneration", "mllama", "", "model",
     "multi_modal_projector@949 language_model(lm_head@85 model=text_config:MllamaTextModel) "
     "vision_model=vision_config:MllamaVisionModel", ""},
    {"MllamaModel", "mllama", "mllama", "model",
     "multi_modal_projector@949 vision_model=vision_config:MllamaVisionModel "
     "language_model(model=text_config:MllamaTextModel)", ""},
    {"MllamaTextModel", "mllama_text_model", "", "language_model.model",
     "embed_tokens(weight[(vocab_size+8),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj@754 k_proj@755"
     " v_proj@755 o_proj@756) mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) cross_attn_attn_gate[1]?0 cross_attn_mlp_gate[1]?0 "
     "cross_attn(q_proj@917 k_proj@950 v_proj@950 o_proj@916 q_norm@664 k_norm@664))) norm(weight[hidden_size])", ""},
    {"MllamaVisionModel", "mllama_vision_model", "", "vision_model",
     "class_embedding[hidden_size] patch_embedding@262 gated_positional_embedding(gate[1] "
     "embedding[(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] tile_embedding(weight[?,((max_n"
     "um_tiles*(((image_size/patch_size)*(image_size/patch_size))+1))*hidden_size)])) "
     "pre_tile_positional_embedding@952 post_tile_positional_embedding@952 layernorm_pre@45 layernorm_post@45 "
     "transformer(layers(#{num_hidden_layers}(self_attn@955 mlp@258 input_layernorm@45 "
     "post_attention_layernorm@45))) global_transformer(layers(#{num_global_layers}(gate_attn[1] gate_ffn[1] "
     "self_attn@955 mlp@258 input_layernorm@45 post_attention_layernorm@45)))", ""},
    {"MobileBertForMaskedLM", "mobilebert", "", "mobilebert", "mobilebert@985 cls(predictions@987)", ""},
    {"MobileBertForMultipleChoice", "mobilebert", "", "mobilebert", "classifier@60 mobilebert=:MobileBertModel", ""},
    {"MobileBertForNextSentencePrediction", "mobilebert", "", "mobilebert", "cls@163 mobilebert=:MobileBertModel", ""},
    {"MobileBertForPreTraining", "mobilebert", "", "mobilebert",
     "cls(predictions@987 seq_relationship@68) mobilebert=:MobileBertModel", ""},
    {"MobileBertForQuestionAnswering", "mobilebert", "", "mobilebert", "mobilebert@985 qa_outputs@22", ""},
    {"MobileBertForSequenceClassification", "mobilebert", "", "mobilebert", "classifier@22 mobilebert=:MobileBertModel",
     ""},
    {"MobileBertForTokenClassification", "mobilebert", "", "mobilebert", "mobilebert@985 classifier@22", ""},
    {"MobileBertModel", "mobilebert", "mobilebert", "mobilebert", "embeddings@957 encoder@984 pooler@405", ""},
    {"ModernBertDecoderForCausalLM", "modernbert-decoder", "", "model",
     "lm_head@990 decoder@160 model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderForSequenceClassification", "modernbert-decoder", "", "model",
     "head(dense@477 norm@989) classifier(weight[num_labels,hidden_size] bias[num_labels]?0) "
     "model=:ModernBertDecoderModel", ""},
    {"ModernBertDecoderModel", "modernbert-decoder", "modernbert-decoder", "model",
     "embeddings@992 layers(#{num_hidden_layers}(attn(q_proj@993 k_proj@993 v_proj@993 Wo@477) mlp_norm@989 "
     "mlp@995 attn_norm@996)) final_norm@991", ""},
    {"ModernBertForMaskedLM", "modernbert", "", "model", "head@990 decoder@160 model=:ModernBertModel", ""},
    {"ModernBertForMultipleChoice", "modernbert", "", "model", "head@990 classifier@60 model=:ModernBertModel", ""},
    {"ModernBertForQuestionAnswering ModernBertForSequenceClassification ModernBertForTokenClassification",
     "modernbert", "", "model", "head@990 classifier@22 model=:ModernBertModel", ""},
    {"ModernBertModel", "modernbert", "modernbert", "model",
     "embeddings@992 layers(#{num_hidden_layers}(attn(Wqkv(weight[((3*(hidden_size/num_attention_heads))*num_atten"
     "tion_heads),hidden_size] bias[((3*(hidden_size/num_attention_heads))*num_attention_heads)]?0) Wo@477) "
     "mlp_norm@989 mlp@995 attn_norm@996)) final_norm@991", ""},
    {"ModernVBertForMaskedLM", "modernvbert", "", "model",
     "projection_head@999 lm_head(weight[text_config.vocab_size,text_config.hidden_size] "
     "bias[text_config.vocab_size]?) model=:ModernVBertModel", ""},
    {"ModernVBertForSequenceClassification ModernVBertForTokenClassification", "modernvbert", "", "model",
     "head@999 classifier@1000 model=:ModernVBertModel", ""},
    {"ModernVBertModel", "modernvbert", "modernvbert", "model",
     "connector(modality_projection@1001) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:ModernBertModel", ""},
    {"MoonshineForConditionalGeneration", "moonshine", "", "model", "proj_out@185 model=:MoonshineModel", ""},
    {"MoonshineModel", "moonshine", "moonshine", "model",
     "encoder(conv1(weight[hidden_size,1,?]) conv2(weight[(2*hidden_size),(hidden_size/1),?] "
     "bias[(2*hidden_size)]) conv3(weight[hidden_size,((2*hidden_size)/1),?] bias[hidden_size]) groupnorm@45 "
     "layers(#{encoder_num_hidden_layers}(self_attn@1005 mlp@258 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) layer_norm(weight[hidden_size])) decoder(embed_tokens@0 "
     "layers(#{decoder_num_hidden_layers}(self_attn@1005 encoder_attn@1005 "
     "mlp(fc1(weight[(intermediate_size*2),hidden_size] bias[(intermediate_size*2)]) fc2@50) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]) "
     "final_layernorm(weight[hidden_size]))) norm(weight[hidden_size]))", ""},
    {"MoshiForCausalLM", "moshi", "", "model", "lm_head@0 model=:MoshiModel", ""},
    {"MoshiModel", "moshi", "moshi", "model",
     "embed_tokens(weight[(vocab_size+1),hidden_size]) layers(#{num_hidden_layers}(self_attn(q_proj(linear@33) "
     "k_proj@1006 v_proj@1006 o_proj(linear@333)) mlp(fc1(weight[ffn_dim,hidden_size]) "
     "fc2(weight[hidden_size,(ffn_dim/2)])) input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MossTranscribeDiarizeForConditionalGeneration", "moss_transcribe_diarize", "", "model",
     "lm_head@99 model=:MossTranscribeDiarizeModel", ""},
    {"MossTranscribeDiarizeModel", "moss_transcribe_diarize", "moss_transcribe_diarize", "model",
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,(audio_config.hidden_size*audio_merge_size)] "
     "bias[text_config.hidden_size]?0) linear_2@91 norm@210) audio_tower=audio_config:AudioFlamingo3Encoder "
     "language_model=text_config:Qwen3Model", ""},
    {"MptForCausalLM", "mpt", "", "transformer", "lm_head@132 transformer=:MptModel", ""},
    {"MptForQuestionAnswering", "mpt", "", "transformer", "qa_outputs(weight[2,d_model] bias[2]) transformer=:MptModel",
     ""},
    {"MptForSequenceClassification", "mpt", "", "transformer",
     "score(weight[num_labels,d_model]) transformer=:MptModel", ""},
    {"MptForTokenClassification", "mpt", "", "transformer", "classifier@133 transformer=:MptModel", ""},
    {"MptModel", "mpt", "mpt", "transformer",
     "wte@121 blocks(#{n_layers}(norm_1(weight[d_model]) attn(Wqkv(weight[(3*d_model),d_model]) out_proj@1007) "
     "norm_2(weight[d_model]) ffn(up_proj(weight[(4*d_model),d_model]) down_proj(weight[d_model,(4*d_model)])))) "
     "norm_f(weight[d_model])", ""},
    {"MraForMaskedLM", "mra", "", "mra", "cls@162 mra=:MraModel", ""},
    {"MraForMultipleChoice", "mra", "", "mra", "pre_classifier@47 classifier@60 mra=:MraModel", ""},
    {"MraForQuestionAnswering", "mra", "", "mra", "qa_outputs@22 mra=:MraModel", ""},
    {"MraForSequenceClassification", "mra", "", "mra", "classifier@178 mra=:MraModel", ""},
    {"MraForTokenClassification", "mra", "", "mra", "classifier@22 mra=:MraModel", ""},
    {"MraModel", "mra", "mra", "mra",
     "embeddings(word_embeddings@0 position_embeddings@186 token_type_embeddings@143 LayerNorm@45 "
     "position_ids[?,?]) encoder@499", ""},
    {"MuseGlimmerForConditionalGeneration", "muse_glimmer", "", "model", "lm_head@85 model=:MuseGlimmerModel", ""},
    {"MuseGlimmerModel", "muse_glimmer", "muse_glimmer", "model",
     "vision_adapter(fc1(weight[projector_hidden_size,out_hidden_size]) "
     "fc2(weight[projector_hidden_size,projector_hidden_size])) "
     "vision_projection(weight[text_config.hidden_size,projector_hidden_size]) "
     "vision_tower=vision_config:MuseGlimmerVisionModel language_model=text_config:MuseGlimmerTextModel", ""},
    {"MuseGlimmerTextModel", "muse_glimmer_text", "muse_glimmer_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@1008 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) pre_feedforward_layernorm(weight[hidden_size]) "
     "post_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"MuseGlimmerVisionModel", "muse_glimmer_vision", "muse_glimmer_vision", "model",
     "patch_embedder(patch_embedding(weight[hidden_size,((patch_temporal*3)*(patch_size*patch_size))]) "
     "position_embedding_table(weight[(pos_emb_height*pos_emb_width),hidden_size])) ln_pre@45 "
     "layers(#{num_hidden_layers}(norm1@45 norm2@45 attn(proj@47 q_proj@47 k_proj@47 v_proj@47) mlp@258)) "
     "ln_post@45", ""},
    {"MuseSparkTextModel", "muse_spark_text", "muse_spark_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@1008 mlp(gate@915 "
     "pre_expert_proj(weight[moe_hidden_size,hidden_size]) pre_expert_norm@1009 "
     "experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),moe_hidden_size] "
     "down_proj[num_local_experts,moe_hidden_size,moe_intermediate_size] post_expert_norm@1009) "
     "post_expert_proj(weight[hidden_size,moe_hidden_size])) input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]) "
     "post_attention_residual_gate(gate[hidden_size]) post_feedforward_residual_gate(gate[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"MvpForCausalLM PLBartForCausalLM", "mvp plbart", "", "model", "model@131 lm_head@132", ""},
    {"MvpForConditionalGeneration", "mvp", "", "model", "lm_head@132 final_logits_bias[1,vocab_size] model=:MvpModel",
     "final_logits_bias"},
    {"MvpForQuestionAnswering", "mvp", "", "model", "qa_outputs@133 model=:MvpModel", "final_logits_bias"},
    {"MvpForSequenceClassification", "mvp", "", "model", "classification_head@134 model=:MvpModel", "final_logits_bias"},
    {"MvpModel", "mvp", "mvp", "model",
     "shared@121 encoder@139 decoder(embed_tokens@132 embed_positions@122 layers@129 layernorm_embedding@125 "
     "self_attn_prompt@1014 cross_attn_prompt@1014)", "final_logits_bias"},
    {"NanoChatForCausalLM", "nanochat", "", "model", "lm_head@0 model=:NanoChatModel", ""},
    {"NanoChatModel", "nanochat", "nanochat", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@568 mlp(fc1@66 fc2@67)))", ""},
    {"NemotronForCausalLM", "nemotron", "", "model", "lm_head@0 model=:NemotronModel", ""},
    {"NemotronForQuestionAnswering", "nemotron", "", "transformer", "qa_outputs@68 transformer=:NemotronModel", ""},
    {"NemotronForSequenceClassification", "nemotron", "", "model", "score@21 model=:NemotronModel", ""},
    {"NemotronForTokenClassification", "nemotron", "", "model", "score@22 model=:NemotronModel", ""},
    {"NemotronHForCausalLM", "nemotron_h", "", "model", "lm_head@0 backbone=:NemotronHModel", "mtp.*"},
    {"NemotronHModel", "nemotron_h", "nemotron_h", "model",
     "embeddings@0 layers(#{}(norm(weight[hidden_size]) mixer(dt_bias[mamba_num_heads]?0 A_log[mamba_num_heads]?0 "
     "D[mamba_num_heads]?0 conv1d(weight[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size)),(((mamba"
     "_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))/((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ss"
     "m_state_size))),conv_kernel]?0 bias[((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size))]?) in_p"
     "roj(weight[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_dim)+((2*n_groups)*ssm_state_size"
     ")))+mamba_num_heads),hidden_size]?0 bias[(((mamba_num_heads*mamba_head_dim)+((mamba_num_heads*mamba_head_dim"
     ")+((2*n_groups)*ssm_state_size)))+mamba_num_heads)]?4) norm(weight[(mamba_num_heads*mamba_head_dim)]?0) "
     "out_proj(weight[hidden_size,(mamba_num_heads*mamba_head_dim)]?0 bias[hidden_size]?4) "
     "experts(up_proj[n_routed_experts,moe_intermediate_size,hidden_size]?3=a "
     "#{n_routed_experts}(up_proj(weight[moe_intermediate_size,hidden_size]~a) down_proj@10) "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]?3=b) "
     "gate(weight[n_routed_experts,hidden_size]?3 e_score_correction_bias[n_routed_experts]?3) "
     "shared_experts(up_proj(weight[moe_shared_expert_intermediate_size,hidden_size]?3 "
     "bias[moe_shared_expert_intermediate_size]?6) "
     "down_proj(weight[hidden_size,moe_shared_expert_intermediate_size]?3 bias[hidden_size]?6)) "
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?5) k_proj@1015 v_proj@1015 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?5) up_proj(weight[intermediate_size,hidden_size]?2"
     " bias[intermediate_size]?1) down_proj(weight[hidden_size,intermediate_size]?2 bias[hidden_size]?1)))) "
     "norm_f(weight[hidden_size])", "mtp.*"},
    {"NemotronModel", "nemotron", "nemotron", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@69 k_proj@70 v_proj@70 "
     "o_proj(weight[hidden_size,(head_dim*num_attention_heads)] bias[hidden_size]?1)) mlp@75 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"NeoMMEForMaskedLM", "neomme", "", "model",
     "unembedding_projection(weight[hidden_size,embedding_rank]?) lm_head(weight[vocab_size,embedding_rank]?) "
     "model=:NeoMMEModel", ""},
    {"NeoMMEModel", "neomme", "neomme", "model", "embed_tokens(word_embeddings(weight[vocab_size,embedding_rank]) "
     "embedding_projection(weight[hidden_size,embedding_rank])) "
     "patch_embeddings(norm(weight[(3*(patch_size*patch_size))] bias[(3*(patch_size*patch_size))]) "
     "up_proj(weight[(hidden_size*2),(3*(patch_size*patch_size))]) down_proj(weight[hidden_size,(hidden_size*2)] "
     "bias[hidden_size])) layers(#{num_hidden_layers}(lambdas[?] self_attn(q_proj@69 k_proj@70 v_proj@70 "
     "exclusive_self_attention(alpha[num_attention_heads]) output_projection(gate_proj@33 o_proj@71)) mlp@75)) "
     "value_embeddings(weight[vocab_size,(num_key_value_heads*head_dim)])", ""},
    {"NllbMoeForConditionalGeneration", "nllb-moe", "", "model", "lm_head@132 model=:NllbMoeModel", ""},
    {"NllbMoeModel", "nllb-moe", "nllb-moe", "model",
     "shared@121 encoder(embed_tokens@132 layers(#{}(self_attn@124 self_attn_layer_norm@125 "
     "ffn(fc1(weight[encoder_ffn_dim,d_model]?1 bias[encoder_ffn_dim]?1) fc2(weight[d_model,encoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1017 experts(expert_0@1020 expert_1@1020 expert_2@1020 expert_3@1020 expert_4@1020 "
     "expert_5@1020 expert_6@1020 expert_7@1020 expert_8@1020 expert_9@1020 expert_10@1020 expert_11@1020 "
     "expert_12@1020 expert_13@1020 expert_14@1020 expert_15@1020 expert_16@1020 expert_17@1020 expert_18@1020 "
     "expert_19@1020 expert_20@1020 expert_21@1020 expert_22@1020 expert_23@1020 expert_24@1020 expert_25@1020 "
     "expert_26@1020 expert_27@1020 expert_28@1020 expert_29@1020 expert_30@1020 expert_31@1020 expert_32@1020 "
     "expert_33@1020 expert_34@1020 expert_35@1020 expert_36@1020 expert_37@1020 expert_38@1020 expert_39@1020 "
     "expert_40@1020 expert_41@1020 expert_42@1020 expert_43@1020 expert_44@1020 expert_45@1020 expert_46@1020 "
     "expert_47@1020 expert_48@1020 expert_49@1020 expert_50@1020 expert_51@1020 expert_52@1020 expert_53@1020 "
     "expert_54@1020 expert_55@1020 expert_56@1020 expert_57@1020 expert_58@1020 expert_59@1020 expert_60@1020 "
     "expert_61@1020 expert_62@1020 expert_63@1020 expert_64@1020 expert_65@1020 expert_66@1020 expert_67@1020 "
     "expert_68@1020 expert_69@1020 expert_70@1020 expert_71@1020 expert_72@1020 expert_73@1020 expert_74@1020 "
     "expert_75@1020 expert_76@1020 expert_77@1020 expert_78@1020 expert_79@1020 expert_80@1020 expert_81@1020 "
     "expert_82@1020 expert_83@1020 expert_84@1020 expert_85@1020 expert_86@1020 expert_87@1020 expert_88@1020 "
     "expert_89@1020 expert_90@1020 expert_91@1020 expert_92@1020 expert_93@1020 expert_94@1020 expert_95@1020 "
     "expert_96@1020 expert_97@1020 expert_98@1020 expert_99@1020 expert_100@1020 expert_101@1020 expert_102@1020 "
     "expert_103@1020 expert_104@1020 expert_105@1020 expert_106@1020 expert_107@1020 expert_108@1020 "
     "expert_109@1020 expert_110@1020 expert_111@1020 expert_112@1020 expert_113@1020 expert_114@1020 "
     "expert_115@1020 expert_116@1020 expert_117@1020 expert_118@1020 expert_119@1020 expert_120@1020 "
     "expert_121@1020 expert_122@1020 expert_123@1020 expert_124@1020 expert_125@1020 expert_126@1020 "
     "expert_127@1020)) ff_layer_norm@125)) layer_norm@125) decoder(embed_tokens@132 layers(#{}(self_attn@124 "
     "self_attn_layer_norm@125 cross_attention@124 cross_attention_layer_norm@125 "
     "ffn(fc1(weight[decoder_ffn_dim,d_model]?1 bias[decoder_ffn_dim]?1) fc2(weight[d_model,decoder_ffn_dim]?1 "
     "bias[d_model]?1) router@1017 experts(expert_0@1023 expert_1@1023 expert_2@1023 expert_3@1023 expert_4@1023 "
     "expert_5@1023 expert_6@1023 expert_7@1023 expert_8@1023 expert_9@1023 expert_10@1023 expert_11@1023 "
     "expert_12@1023 expert_13@1023 expert_14@1023 expert_15@1023 expert_16@1023 expert_17@1023 expert_18@1023 "
     "expert_19@1023 expert_20@1023 expert_21@1023 expert_22@1023 expert_23@1023 expert_24@1023 expert_25@1023 "
     "expert_26@1023 expert_27@1023 expert_28@1023 expert_29@1023 expert_30@1023 expert_31@1023 expert_32@1023 "
     "expert_33@1023 expert_34@1023 expert_35@1023 expert_36@1023 expert_37@1023 expert_38@1023 expert_39@1023 "
     "expert_40@1023 expert_41@1023 expert_42@1023 expert_43@1023 expert_44@1023 expert_45@1023 expert_46@1023 "
     "expert_47@1023 expert_48@1023 expert_49@1023 expert_50@1023 expert_51@1023 expert_52@1023 expert_53@1023 "
     "expert_54@1023 expert_55@1023 expert_56@1023 expert_57@1023 expert_58@1023 expert_59@1023 expert_60@1023 "
     "expert_61@1023 expert_62@1023 expert_63@1023 expert_64@1023 expert_65@1023 expert_66@1023 expert_67@1023 "
     "expert_68@1023 expert_69@1023 expert_70@1023 expert_71@1023 expert_72@1023 expert_73@1023 expert_74@1023 "
     "expert_75@1023 expert_76@1023 expert_77@1023 expert_78@1023 expert_79@1023 expert_80@1023 expert_81@1023 "
     "expert_82@1023 expert_83@1023 expert_84@1023 expert_85@1023 expert_86@1023 expert_87@1023 expert_88@1023 "
     "expert_89@1023 expert_90@1023 expert_91@1023 expert_92@1023 expert_93@1023 expert_94@1023 expert_95@1023 "
     "expert_96@1023 expert_97@1023 expert_98@1023 expert_99@1023 expert_100@1023 expert_101@1023 expert_102@1023 "
     "expert_103@1023 expert_104@1023 expert_105@1023 expert_106@1023 expert_107@1023 expert_108@1023 "
     "expert_109@1023 expert_110@1023 expert_111@1023 expert_112@1023 expert_113@1023 expert_114@1023 "
     "expert_115@1023 expert_116@1023 expert_117@1023 expert_118@1023 expert_119@1023 expert_120@1023 "
     "expert_121@1023 expert_122@1023 expert_123@1023 expert_124@1023 expert_125@1023 expert_126@1023 "
     "expert_127@1023)) ff_layer_norm@125)) layer_norm@125)", ""},
    {"NomicBertForMaskedLM", "nomic_bert", "", "nomic_bert",
     "cls(predictions(bias[vocab_size] transform(dense@47 layer_norm@45) decoder@160)) nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertForSequenceClassification", "nomic_bert", "", "nomic_bert",
     "nomic_bert(embeddings@698 emb_ln@45 pooler@166 encoder@1030) classifier@22", "inv_freq original_inv_freq"},
    {"NomicBertForTokenClassification", "nomic_bert", "", "nomic_bert", "classifier@22 nomic_bert=:NomicBertModel",
     "inv_freq original_inv_freq"},
    {"NomicBertModel", "nomic_bert", "nomic_bert", "nomic_bert", "embeddings@698 emb_ln@45 encoder@1030",
     "inv_freq original_inv_freq"},
    {"NystromformerForMaskedLM", "nystromformer", "", "nystromformer", "cls@162 nystromformer=:NystromformerModel", ""},
    {"NystromformerForMultipleChoice", "nystromformer", "", "nystromformer",
     "pre_classifier@47 classifier@60 nystromformer=:NystromformerModel", ""},
    {"NystromformerForQuestionAnswering", "nystromformer", "", "nystromformer",
     "qa_outputs@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerForSequenceClassification", "nystromformer", "", "nystromformer",
     "classifier@178 nystromformer=:NystromformerModel", ""},
    {"NystromformerForTokenClassification", "nystromformer", "", "nystromformer",
     "classifier@22 nystromformer=:NystromformerModel", ""},
    {"NystromformerModel", "nystromformer", "nystromformer", "nystromformer",
     "embeddings@1031 encoder(layer(#{num_hidden_layers}(attention(self(query@46 key@46 value@46 "
     "conv(weight[num_attention_heads,(num_attention_heads/num_attention_heads),conv_kernel_size,1])) output@146) "
     "intermediate@148 output@149)))", ""},
    {"OPTForCausalLM", "opt", "", "model", "lm_head(weight[vocab_size,word_embed_proj_dim]?) model=:OPTModel", ""},
    {"OPTForQuestionAnswering", "opt", "", "model", "qa_outputs(weight[2,word_embed_proj_dim] bias[2]) model=:OPTModel",
     ""},
    {"OPTForSequenceClassification", "opt", "", "model",
     "score(weight[num_labels,word_embed_proj_dim]) model=:OPTModel", ""},
    {"OPTModel", "opt", "opt", "model",
     "decoder(embed_tokens(weight[vocab_size,word_embed_proj_dim]) embed_positions@186 final_layer_norm@153 "
     "layers(#{num_hidden_layers}(self_attn(k_proj@477 v_proj@477 q_proj@477 out_proj@477) "
     "self_attn_layer_norm@172 fc1(weight[ffn_dim,hidden_size] bias[ffn_dim]?0) fc2(weight[hidden_size,ffn_dim] "
     "bias[hidden_size]?0) final_layer_norm@172)))", ""},
    {"Olmo2ForCausalLM Olmo3ForCausalLM", "olmo2 olmo3", "", "model", "lm_head@0 model=:Olmo2Model", ""},
    {"Olmo2ForSequenceClassification Olmo3ForSequenceClassification", "olmo2 olmo3", "", "model",
     "score@21 model=:Olmo2Model", ""},
    {"Olmo2Model Olmo3Model", "olmo2 olmo3", "olmo2 olmo3", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@447 mlp@283 "
     "post_attention_layernorm(weight[hidden_size]) post_feedforward_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OlmoForCausalLM", "olmo", "", "model", "lm_head@0 model=:OlmoModel", ""},
    {"OlmoForSequenceClassification", "olmo", "", "model", "score@21 model=:OlmoModel", ""},
    {"OlmoHybridForCausalLM", "olmo_hybrid", "", "model", "lm_head@0 model=:OlmoHybridModel", "^mtp.*"},
    {"OlmoHybridModel", "olmo_hybrid", "olmo_hybrid", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(mlp@283 attention_layer_norm(weight[hidden_size]?0) "
     "feedforward_layer_norm(weight[hidden_size]) linear_attn(A_log[?]?0 dt_bias[?]?0 q_proj@1032 k_proj@1032 "
     "v_proj@1033 a_proj@1034 b_proj@1034 g_proj@1033 o_proj@1035 conv1d(weight[(((linear_key_head_dim*linear_num_"
     "key_heads)*2)+(linear_value_head_dim*linear_num_value_heads)),((((linear_key_head_dim*linear_num_key_heads)*"
     "2)+(linear_value_head_dim*linear_num_value_heads))/(((linear_key_head_dim*linear_num_key_heads)*2)+(linear_v"
     "alue_head_dim*linear_num_value_heads))),linear_conv_kernel_dim]?0=a) q_conv1d@1036 k_conv1d@1036 "
     "v_conv1d@1036 o_norm@1037) "
     "self_attn(q_proj(weight[(num_attention_heads*(hidden_size/num_attention_heads)),hidden_size]?1 "
     "bias[(num_attention_heads*(hidden_size/num_attention_heads))]?2) k_proj@1038 v_proj@1038 "
     "o_proj(weight[hidden_size,(num_attention_heads*(hidden_size/num_attention_heads))]?1 bias[hidden_size]?2) "
     "q_norm(weight[(num_attention_heads*(hidden_size/num_attention_heads))]?1) "
     "k_norm(weight[(num_key_value_heads*(hidden_size/num_attention_heads))]?1)) "
     "post_feedforward_layernorm(weight[hidden_size]?1))) norm(weight[hidden_size])", "^mtp.*"},
    {"OlmoModel", "olmo", "olmo", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@568 mlp@283))", ""},
    {"OlmoeForCausalLM", "olmoe", "", "model", "lm_head@0 model=:OlmoeModel", ""},
    {"OlmoeModel", "olmoe", "olmoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@61 k_proj@62 v_proj@62 o_proj@63 "
     "q_norm(weight[hidden_size]) k_norm(weight[((hidden_size/num_attention_heads)*num_key_value_heads)])) mlp@289"
     " input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"OpenAIGPTForSequenceClassification", "openai-gpt", "", "transformer", "score@263 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTLMHeadModel", "openai-gpt", "", "transformer", "lm_head@467 transformer=:OpenAIGPTModel", ""},
    {"OpenAIGPTModel", "openai-gpt", "openai-gpt", "transformer",
     "tokens_embed@264 positions_embed@468 h(#{n_layer}(attn(c_attn(weight[n_embd,(n_embd*3)] bias[(n_embd*3)]) "
     "c_proj@265) ln_1@266 mlp@473 ln_2@266))", ""},
    {"Ovis2ForConditionalGeneration", "ovis2", "", "model", "lm_head@99 model=:Ovis2Model", ""},
    {"Ovis2Model", "ovis2", "ovis2", "model",
     "vision_tower(transformer(embeddings(patch_embedding@544 position_embedding@652 rms_norm@479) "
     "encoder(layers(#{vision_config.num_hidden_layers}(attention(k_proj@1039 v_proj@1039 q_proj@1039 "
     "out_proj@1039) ffn(gate_proj@1040 up_proj@1040 "
     "down_proj(weight[vision_config.hidden_size,vision_config.intermediate_size] "
     "bias[vision_config.hidden_size]?1)) rms_norm1@479 rms_norm2@479))) rms_norm@479) head_linear(weight[(vision_"
     "config.vocab_size-vision_config.num_visual_indicator_tokens),((vision_config.hidden_size*vision_config.hidde"
     "n_stride)*vision_config.hidden_stride)]) "
     "head_norm(weight[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)] "
     "bias[(vision_config.vocab_size-vision_config.num_visual_indicator_tokens)])) "
     "visual_embeddings_table(weight[vision_config.vocab_size,hidden_size]) language_model=text_config:Qwen2Model", ""},
    {"PI0ForConditionalGeneration", "pi0", "", "model",
     "paligemma_with_expert(gemma_expert(lm_head(weight[dit_config.vocab_size,dit_config.hidden_size]) model(layer"
     "s(#{dit_config.num_hidden_layers}(self_attn(q_proj(weight[(dit_config.num_attention_heads*dit_config.head_di"
     "m),dit_config.hidden_size]) k_proj@1041 v_proj@1041 "
     "o_proj(weight[dit_config.hidden_size,(dit_config.num_attention_heads*dit_config.head_dim)])) "
     "mlp(gate_proj@1042 up_proj@1042 down_proj(weight[dit_config.hidden_size,dit_config.intermediate_size])) "
     "input_layernorm@1043 post_attention_layernorm@1043)) norm@1043)) paligemma(model=vlm_config:PaliGemmaModel))"
     " action_in_proj(weight[dit_config.hidden_size,max_action_dim] bias[dit_config.hidden_size]) "
     "state_proj(weight[dit_config.hidden_size,max_state_dim] bias[dit_config.hidden_size]) "
     "action_time_mlp_in(weight[dit_config.hidden_size,(2*dit_config.hidden_size)] bias[dit_config.hidden_size]) "
     "action_time_mlp_out(weight[dit_config.hidden_size,dit_config.hidden_size] bias[dit_config.hidden_size]) "
     "action_out_proj(weight[max_action_dim,dit_config.hidden_size] bias[max_action_dim])", ""},
    {"PI0Model", "pi0", "pi0", "model", "dit=dit_config:GemmaModel vlm=vlm_config:PaliGemmaModel", ""},
    {"PLBartForConditionalGeneration", "plbart", "", "model",
     "lm_head@132 final_logits_bias[1,vocab_size]? model=:PLBartModel", ""},
    {"PLBartForSequenceClassification", "plbart", "", "model", "classification_head@134 model=:PLBartModel", ""},
    {"PLBartModel", "plbart", "plbart", "model", "shared@121 encoder@139 decoder@140", ""},
    {"PPFormulaNetForConditionalGeneration", "pp_formulanet", "", "model", "model(decoder(embed_tokens@1044 "
     "embed_positions(weight[(text_config.max_position_embeddings+2),text_config.d_model]) "
     "layers(#{text_config.decoder_layers}(self_attn@1046 self_attn_layer_norm@1047 encoder_attn@1046 "
     "encoder_attn_layer_norm@1047 fc1(weight[text_config.decoder_ffn_dim,text_config.d_model] "
     "bias[text_config.decoder_ffn_dim]) fc2(weight[text_config.d_model,text_config.decoder_ffn_dim] "
     "bias[text_config.d_model]) final_layer_norm@1047)) layernorm_embedding@1047 layer_norm@1047) encoder(pos_emb"
     "ed[1,(vision_config.image_size/vision_config.patch_size),(vision_config.image_size/vision_config.patch_size)"
     ",vision_config.hidden_size]? patch_embed@545 layers@552 neck@556 multi_modal_projector(conv1(weight[vision_c"
     "onfig.post_conv_mid_channels,(vision_config.post_conv_in_channels/1),?,?]) "
     "conv2(weight[vision_config.post_conv_out_channels,(vision_config.post_conv_mid_channels/1),?,?]) "
     "linear_1(weight[vision_config.post_conv_out_channels,vision_config.post_conv_out_channels] "
     "bias[vision_config.post_conv_out_channels]) "
     "linear_2(weight[vision_config.decoder_hidden_size,vision_config.post_conv_out_channels] "
     "bias[vision_config.decoder_hidden_size])))) lm_head@1044", ""},
    {"PaddleOCRVLForConditionalGeneration", "paddleocr_vl", "", "model",
     "visual@1049 model@1059 mlp_AR@1062 lm_head@99", "packing_position_embedding vision_model.head"},
    {"PaddleOCRVLModel", "paddleocr_vl", "paddleocr_vl", "model", "visual@1049 language_model@1059 projector@1062",
     "packing_position_embedding vision_model.head"},
    {"PaliGemmaForConditionalGeneration", "paligemma", "", "model",
     "multi_modal_projector@1063 language_model(lm_head@99 model=text_config:GemmaModel) "
     "vision_tower=vision_config:SiglipVisionModel", ""},
    {"PaliGemmaModel", "paligemma", "paligemma", "model",
     "multi_modal_projector@1063 vision_tower=vision_config:SiglipVisionModel "
     "language_model(model=text_config:GemmaModel)", ""},
    {"ParakeetEncoder", "parakeet_encoder", "parakeet_encoder", "encoder",
     "subsampling(layers(0(weight[subsampling_conv_channels,1,subsampling_conv_kernel_size,subsampling_conv_kernel"
     "_size] bias[subsampling_conv_channels]) 2@1064 3@1065 5@1064 6@1065) "
     "linear(weight[hidden_size,(subsampling_conv_channels*(num_mel_bins/8))] bias[hidden_size])) "
     "layers(#{num_hidden_layers}(feed_forward1@1066 "
     "self_attn(bias_u[num_attention_heads,(hidden_size/num_attention_heads)] "
     "bias_v[num_attention_heads,(hidden_size/num_attention_heads)] q_proj@299 k_proj@300 v_proj@300 o_proj@301 "
     "relative_k_proj@392) conv(pointwise_conv1(weight[(2*hidden_size),(hidden_size/1),1] bias[(2*hidden_size)]?0)"
     " depthwise_conv(weight[hidden_size,(hidden_size/hidden_size),conv_kernel_size] bias[hidden_size]?0) "
     "norm@1067 pointwise_conv2(weight[hidden_size,(hidden_size/1),1] bias[hidden_size]?0)) feed_forward2@1066 "
     "norm_feed_forward1@45 norm_self_att@45 norm_conv@45 norm_feed_forward2@45 norm_out@45))", ""},
    {"PegasusXForConditionalGeneration", "pegasus_x", "", "model", "lm_head@132 model=:PegasusXModel", ""},
    {"PegasusXModel", "pegasus_x", "pegasus_x", "model",
     "shared@121 encoder(embed_tokens@132 embed_global(weight[num_global_tokens,d_model]) "
     "layers(#{encoder_layers}(self_attn@1068 self_attn_layer_norm@125 global_self_attn_layer_norm@125 fc1@135 "
     "fc2@136 final_layer_norm@125)) layer_norm@125) decoder(embed_tokens@132 "
     "layers(#{decoder_layers}(self_attn@1068 self_attn_layer_norm@125 encoder_attn@1068 "
     "encoder_attn_layer_norm@125 fc1@126 fc2@127 final_layer_norm@125)) layer_norm@125)", ""},
    {"PersimmonForCausalLM", "persimmon", "", "model", "lm_head@0 model=:PersimmonModel", ""},
    {"PersimmonForSequenceClassification", "persimmon", "", "model", "score@21 model=:PersimmonModel", ""},
    {"PersimmonForTokenClassification", "persimmon", "", "model", "score@22 model=:PersimmonModel", ""},
    {"PersimmonModel", "persimmon", "persimmon", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(query_key_value@229 dense@535 q_layernorm@1069 "
     "k_layernorm@1069) mlp@478 input_layernorm@45 post_attention_layernorm@45)) final_layernorm@45", ""},
    {"Phi3ForCausalLM", "phi3", "", "model", "lm_head@0 model=:Phi3Model", ""},
    {"Phi3ForSequenceClassification", "phi3", "", "model", "score@21 model=:Phi3Model", ""},
    {"Phi3ForTokenClassification", "phi3", "", "model", "score@22 model=:Phi3Model", ""},
    {"Phi3Model", "phi3", "phi3", "model", "embed_tokens@0 layers@1073 norm(weight[hidden_size])", ""},
    {"Phi4MultimodalForCausalLM", "phi4_multimodal", "", "model", "lm_head@0 model=:Phi4MultimodalModel", ""},
    {"Phi4MultimodalModel", "phi4_multimodal", "phi4_multimodal", "model",
     "embed_tokens@0 layers@1073 norm(weight[hidden_size]) "
     "embed_tokens_extend(image_embed(global_img_feature_extensor[1,1,vision_config.hidden_size] "
     "sub_img_feature_extensor[1,1,1,vision_config.hidden_size] img_processor(embeddings@653 encoder@889 "
     "post_layernorm@79 head(probe[1,1,vision_config.hidden_size] attention@78 layernorm@79 mlp@194)) "
     "img_projection_up@500 img_projection_down@47) "
     "audio_embed(encoder(embed(conv(0(weight[audio_config.nemo_conv_channels,1,?,?] "
     "bias[audio_config.nemo_conv_channels]) 2@1074 3@1075 5@1074 6@1075) "
     "out(weight[audio_config.hidden_size,(audio_config.nemo_conv_channels*audio_config.nemo_final_size)] "
     "bias[audio_config.hidden_size])) "
     "relative_attention_bias_layer(bias_values(weight[?,audio_config.num_attention_heads])) "
     "encoders(#{audio_config.num_blocks}(feed_forward_in@1079 self_attn(q_proj@1080 k_proj@1080 v_proj@1080 o_pro"
     "j(weight[audio_config.hidden_size,(audio_config.num_attention_heads*(audio_config.hidden_size/audio_config.n"
     "um_attention_heads))] bias[audio_config.hidden_size])) conv(layer_norm@1076 "
     "glu(b1[1,audio_config.ext_pw_out_channel,1] b2[1,audio_config.ext_pw_out_channel,1] "
     "ext_pw_conv_1d(weight[(audio_config.ext_pw_out_channel*2),(audio_config.hidden_size/1),1] "
     "bias[(audio_config.ext_pw_out_channel*2)])) dw_sep_conv_1d(dw_conv(weight[(audio_config.hidden_size*audio_co"
     "nfig.depthwise_multiplier),(audio_config.hidden_size/audio_config.hidden_size),audio_config.kernel_size] "
     "bias[(audio_config.hidden_size*audio_config.depthwise_multiplier)]) pw_conv(weight[audio_config.depthwise_se"
     "parable_out_channel,((audio_config.hidden_size*audio_config.depthwise_multiplier)/1),1] "
     "bias[audio_config.depthwise_separable_out_channel])) "
     "ext_pw_conv_1d(weight[audio_config.ext_pw_out_channel,(audio_config.hidden_size/1),1] "
     "bias[audio_config.ext_pw_out_channel])) feed_forward_out@1079 layer_norm_att@1076 layer_norm@1076)) "
     "encoder_embedding(global_mean[audio_config.input_size] global_invstd[audio_config.input_size])) "
     "up_proj_for_speech@1081 down_proj_for_speech@47 up_proj_for_vision_speech@1081 "
     "down_proj_for_vision_speech@47))", ""},
    {"PhiForCausalLM", "phi", "", "model", "lm_head@290 model=:PhiModel", ""},
    {"PhiForSequenceClassification", "phi", "", "model", "score@21 model=:PhiModel", ""},
    {"PhiForTokenClassification", "phi", "", "model", "score@22 model=:PhiModel", ""},
    {"PhiModel", "phi", "phi", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@46 k_proj@533 v_proj@533 dense@535 "
     "q_layernorm@1069 k_layernorm@1069) mlp@258 input_layernorm@45)) final_layernorm@45", ""},
    {"PhimoeForCausalLM", "phimoe", "", "model", "lm_head@417 model=:PhimoeModel", ""},
    {"PhimoeForSequenceClassification", "phimoe", "", "model", "score@21 model=:PhimoeModel", ""},
    {"PhimoeModel", "phimoe", "phimoe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@568 block_sparse_moe@918 mlp@893 input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"Pix2StructForConditionalGeneration", "pix2struct", "", "",
     "encoder(embeddings(patch_projection@736 row_embedder@1082 column_embedder@1082) "
     "encoder(layer(#{vision_config.num_hidden_layers}(attention(query@1083 key@1083 value@1083 "
     "output(weight[vision_config.hidden_size,(vision_config.num_attention_heads*vision_config.d_kv)])) "
     "mlp(wi_0@1084 wi_1@1084 wo(weight[vision_config.hidden_size,vision_config.d_ff])) pre_mlp_layer_norm@479 "
     "pre_attention_layer_norm@479))) layernorm@479) decoder(embed_tokens@85 "
     "layer(#{text_config.num_layers}(self_attention(attention(query@82 key@82 value@82 output@82 "
     "relative_attention_bias(weight[text_config.relative_attention_num_buckets,text_config.num_heads]?)) "
     "layer_norm@327) encoder_decoder_attention(attention(query@82 key@82 value@82 output@82) layer_norm@327) "
     "mlp(DenseReluDense(wi_0@1085 wi_1@1085 wo(weight[text_config.hidden_size,text_config.d_ff])) "
     "layer_norm@327))) final_layer_norm@327 lm_head@85)", ""},
    {"PixtralVisionModel", "pixtral", "pixtral", "vision_encoder",
     "patch_conv@262 ln_pre(weight[hidden_size]) transformer(layers(#{}(attention_norm(weight[hidden_size]) "
     "feed_forward@283 attention(k_proj@89 v_proj@89 q_proj@89 o_proj@89) ffn_norm(weight[hidden_size]))))", ""},
    {"Pop2PianoForConditionalGeneration", "pop2piano", "", "transformer",
     "shared@121 mel_conditioner(embedding(weight[composer_vocab_size,d_model])) encoder@856 decoder@860 "
     "lm_head@121", ""},
    {"ProphetNetForCausalLM", "prophetnet", "", "prophetnet", "prophetnet(word_embeddings@0 decoder@1095) lm_head@185",
     ""},
    {"ProphetNetForConditionalGeneration", "prophetnet", "", "prophetnet", "lm_head@185 prophetnet=:ProphetNetModel",
     ""},
    {"ProphetNetModel", "prophetnet", "prophetnet", "prophetnet",
     "word_embeddings@0 encoder(word_embeddings@185 position_embeddings@142 embeddings_layer_norm@45 "
     "layers(#{num_encoder_layers}(self_attn(key_proj@47 value_proj@47 query_proj@47 out_proj@47) "
     "self_attn_layer_norm@45 feed_forward(intermediate@1096 output@1097) feed_forward_layer_norm@45))) "
     "decoder@1095", ""},
    {"QianfanOCRForConditionalGeneration", "qianfan_ocr", "", "model",
     "vision_model@1107 mlp1(0@678 1@679 3@214) language_model(model@1112 lm_head@85)", ""},
    {"QianfanOCRModel", "qianfan_ocr", "qianfan_ocr", "model",
     "vision_tower@1107 multi_modal_projector@680 language_model@1112", ""},
    {"Qwen2AudioEncoder", "qwen2_audio_encoder", "qwen2_audio_encoder", "model",
     "conv1@1113 conv2@1114 embed_positions@1115 layers@1118 layer_norm@125", ""},
    {"Qwen2AudioForConditionalGeneration", "qwen2_audio", "", "model",
     "multi_modal_projector@1120 language_model@93 audio_tower=audio_config:Qwen2AudioEncoder", ""},
    {"Qwen2AudioModel", "qwen2_audio", "qwen2_audio", "model",
     "multi_modal_projector@1120 audio_tower=audio_config:Qwen2AudioEncoder language_model@94", ""},
    {"Qwen2ForCausalLM", "qwen2", "", "model", "lm_head@0 model=:Qwen2Model", ""},
    {"Qwen2ForQuestionAnswering", "qwen2", "", "transformer", "qa_outputs@68 transformer=:Qwen2Model", ""},
    {"Qwen2ForSequenceClassification", "qwen2", "", "model", "score@21 model=:Qwen2Model", ""},
    {"Qwen2ForTokenClassification", "qwen2", "", "model", "score@22 model=:Qwen2Model", ""},
    {"Qwen2Model Qwen2VLTextModel Qwen2_5_VLTextModel", "qwen2 qwen2_5_vl_text qwen2_vl_text",
     "qwen2 qwen2_5_vl_text qwen2_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@534 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2MoeForCausalLM", "qwen2_moe", "", "model", "lm_head@0 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForQuestionAnswering", "qwen2_moe", "", "model", "qa_outputs@68 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForSequenceClassification", "qwen2_moe", "", "model", "score@21 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeForTokenClassification", "qwen2_moe", "", "model", "score@22 model=:Qwen2MoeModel", ""},
    {"Qwen2MoeModel", "qwen2_moe", "qwen2_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@540 mlp@1122 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen2VLForConditionalGeneration", "qwen2_vl", "", "model", "visual@1136 lm_head@85 model=text_config:Qwen2Model",
     ""},
    {"Qwen2VLModel", "qwen2_vl", "qwen2_vl", "model", "visual@1136 language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5OmniThinkerForConditionalGeneration", "qwen2_5_omni_thinker", "", "model",
     "audio_tower@1149 visual@1158 model@1163 lm_head@85", "^talker ^token2wav"},
    {"Qwen2_5OmniThinkerModel", "qwen2_5_omni_thinker", "qwen2_5_omni_thinker", "model",
     "audio_tower@1149 visual@1158 language_model@1163", "^talker ^token2wav"},
    {"Qwen2_5_VLForConditionalGeneration", "qwen2_5_vl", "", "model",
     "lm_head@85 visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VLModel", "qwen2_5_vl", "qwen2_5_vl", "model",
     "visual=vision_config:Qwen2_5_VisionTransformerPretrainedModel language_model=text_config:Qwen2Model", ""},
    {"Qwen2_5_VisionTransformerPretrainedModel", "qwen2_5_vl_vision", "qwen2_5_vl_vision", "model",
     "patch_embed@432 blocks(#{depth}(norm1(weight[hidden_size]) norm2(weight[hidden_size]) attn@1165 mlp@433)) "
     "merger@437", ""},
    {"Qwen3ASREncoder", "qwen3_asr_encoder", "qwen3_asr_encoder", "model",
     "layers@138 ln_post@125 conv2d1(weight[downsample_hidden_size,1,?,?] bias[downsample_hidden_size]) "
     "conv2d2@1166 conv2d3@1166 "
     "conv_out(weight[d_model,(downsample_hidden_size*((((((num_mel_bins+1)/2)+1)/2)+1)/2))])", ""},
    {"Qwen3ASRForConditionalGeneration", "qwen3_asr", "", "model", "lm_head@99 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRForTokenClassification", "qwen3_asr", "", "model", "score@481 model=:Qwen3ASRModel", ""},
    {"Qwen3ASRModel", "qwen3_asr", "qwen3_asr", "model",
     "multi_modal_projector(linear_1@1141 linear_2@1148) audio_tower=audio_config:Qwen3ASREncoder "
     "language_model=text_config:Qwen3Model", ""},
    {"Qwen3ForCausalLM", "qwen3", "", "model", "lm_head@0 model=:Qwen3Model", ""},
    {"Qwen3ForQuestionAnswering", "qwen3", "", "transformer", "qa_outputs@68 transformer=:Qwen3Model", ""},
    {"Qwen3ForSequenceClassification", "qwen3", "", "model", "score@21 model=:Qwen3Model", ""},
    {"Qwen3ForTokenClassification", "qwen3", "", "model", "score@22 model=:Qwen3Model", ""},
    {"Qwen3Model Qwen3VLTextModel", "qwen3 qwen3_vl_text", "qwen3 qwen3_vl_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@483 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3MoeForCausalLM", "qwen3_moe", "", "model", "lm_head@0 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForQuestionAnswering", "qwen3_moe", "", "transformer", "qa_outputs@68 transformer=:Qwen3MoeModel", ""},
    {"Qwen3MoeForSequenceClassification", "qwen3_moe", "", "model", "score@21 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeForTokenClassification", "qwen3_moe", "", "model", "score@22 model=:Qwen3MoeModel", ""},
    {"Qwen3MoeModel", "qwen3_moe", "qwen3_moe", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@65 mlp@878 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"Qwen3NextForCausalLM", "qwen3_next", "", "model", "lm_head@0 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForQuestionAnswering", "qwen3_next", "", "transformer", "qa_outputs@68 transformer=:Qwen3NextModel",
     "^mtp.*"},
    {"Qwen3NextForSequenceClassification", "qwen3_next", "", "model", "score@21 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextForTokenClassification", "qwen3_next", "", "model", "score@22 model=:Qwen3NextModel", "^mtp.*"},
    {"Qwen3NextModel", "qwen3_next", "qwen3_next", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn(dt_bias[linear_num_value_heads]?0 A_log[?]?0 "
     "conv1d@1167 in_proj_qkvz(weight[(((linear_key_head_dim*linear_num_key_heads)*2)+((linear_value_head_dim*line"
     "ar_num_value_heads)*2)),hidden_size]?0) in_proj_ba(weight[(linear_num_value_heads*2),hidden_size]?0) "
     "norm@1037 out_proj@1035) mlp@1122 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1171)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3OmniMoeThinkerForConditionalGeneration", "qwen3_omni_moe_thinker", "", "model",
     "audio_tower@1178 visual@1182 model@1193 lm_head@85", "^code2wav ^talker"},
    {"Qwen3OmniMoeThinkerModel", "qwen3_omni_moe_thinker", "qwen3_omni_moe_thinker", "model",
     "audio_tower@1178 visual@1182 language_model@1193", "^code2wav ^talker"},
    {"Qwen3VLForConditionalGeneration", "qwen3_vl", "", "model", "lm_head@85 model=:Qwen3VLModel", ""},
    {"Qwen3VLModel", "qwen3_vl", "qwen3_vl", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3Model", ""},
    {"Qwen3VLMoeForConditionalGeneration", "qwen3_vl_moe", "", "model", "lm_head@85 model=:Qwen3VLMoeModel", ""},
    {"Qwen3VLMoeModel", "qwen3_vl_moe", "qwen3_vl_moe", "model",
     "visual=vision_config:Qwen3VLMoeVisionModel language_model=text_config:Qwen3VLMoeTextModel", ""},
    {"Qwen3VLMoeTextModel", "qwen3_vl_moe_text", "qwen3_vl_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@483 "
     "mlp(experts(gate_up_proj[num_local_experts,(2*moe_intermediate_size),hidden_size] "
     "down_proj[num_local_experts,hidden_size,moe_intermediate_size]) gate@562) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Qwen3VLMoeVisionModel Qwen3VLVisionModel", "qwen3_vl_moe_vision qwen3_vl_vision",
     "qwen3_vl_moe_vision qwen3_vl_vision", "model", "patch_embed@519 pos_embed@1194 blocks@1197 merger@1198 "
     "deepstack_merger_list(#{}(norm(weight[(hidden_size*(spatial_merge_size*spatial_merge_size))] "
     "bias[(hidden_size*(spatial_merge_size*spatial_merge_size))]) linear_fc1@434 linear_fc2@435))", ""},
    {"Qwen3_5ForCausalLM", "qwen3_5_text", "", "model", "lm_head@0 model=:Qwen3_5TextModel", "^model.visual.* ^mtp.*"},
    {"Qwen3_5ForConditionalGeneration", "qwen3_5", "", "model", "lm_head@85 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForSequenceClassification", "qwen3_5", "", "model", "score@481 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5ForTokenClassification", "qwen3_5", "", "model", "score@1000 model=:Qwen3_5Model", "^mtp.*"},
    {"Qwen3_5Model", "qwen3_5", "qwen3_5", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5MoeForCausalLM", "qwen3_5_moe_text", "", "model", "lm_head@0 model=:Qwen3_5MoeTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen3_5MoeForConditionalGeneration", "qwen3_5_moe", "", "model", "lm_head@85 model=:Qwen3_5MoeModel", "^mtp.*"},
    {"Qwen3_5MoeModel", "qwen3_5_moe", "qwen3_5_moe", "model",
     "visual=vision_config:Qwen3_5MoeVisionModel language_model=text_config:Qwen3_5MoeTextModel", "^mtp.*"},
    {"Qwen3_5MoeTextModel", "qwen3_5_moe_text", "qwen3_5_moe_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1200 mlp@1122 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1171)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen3_5MoeVisionModel Qwen3_5VisionModel Qwen4ExpVisionModel",
     "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision", "qwen3_5_moe_vision qwen3_5_vision qwen4_exp_vision",
     "model", "patch_embed@519 pos_embed@1194 blocks@1197 merger@1198", "^mtp.*"},
    {"Qwen3_5TextForSequenceClassification", "qwen3_5_text", "", "model", "score@21 model=:Qwen3_5TextModel", "^mtp.*"},
    {"Qwen3_5TextModel", "qwen3_5_text", "qwen3_5_text", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(linear_attn@1200 mlp@283 input_layernorm(weight[hidden_size]) "
     "post_attention_layernorm(weight[hidden_size]) self_attn@1171)) norm(weight[hidden_size])", "^mtp.*"},
    {"Qwen4ExpForCausalLM", "qwen4_exp_text", "", "model", "lm_head@0 model=:Qwen4ExpTextModel",
     "^model.visual.* ^mtp.*"},
    {"Qwen4ExpForConditionalGeneration", "qwen4_exp", "", "model", "lm_head@85 model=:Qwen4ExpModel", "^mtp.*"},
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
     "in_proj_z(weight[(linear_value_head_dim*linear_num_value_heads),hidden_size]) in_proj_b@1201 in_proj_a@1201)"
     " mlp@1122 attn_hyper_connection@1206 mlp_hyper_connection@1206)) hyper_connection_mixer(hc_norm@1202 "
     "input_mix_weight_down@1203 input_mix_weight_up@1204)", "^mtp.*"},
    {"RecurrentGemmaForCausalLM", "recurrent_gemma", "", "model", "lm_head@185 model=:RecurrentGemmaModel", ""},
    {"RecurrentGemmaModel", "recurrent_gemma", "recurrent_gemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(temporal_pre_norm(weight[hidden_size]) "
     "temporal_block(linear_y@1207 linear_x@1207 linear_out(weight[hidden_size,lru_width]?0 bias[hidden_size]?0) "
     "conv_1d(weight[lru_width,(lru_width/lru_width),conv1d_width]?0 bias[lru_width]?0) "
     "rg_lru(recurrent_param[lru_width]?0 "
     "input_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0 "
     "input_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0 "
     "recurrent_gate_weight[num_attention_heads,(lru_width/num_attention_heads),(lru_width/num_attention_heads)]?0"
     " recurrent_gate_bias[num_attention_heads,(lru_width/num_attention_heads)]?0) "
     "q_proj(weight[(num_attention_heads*head_dim),hidden_size]?1) k_proj@1169 v_proj@1169 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)]?1 bias[hidden_size]?1)) "
     "channel_pre_norm(weight[hidden_size]) mlp_block(gate_proj@1208 up_proj@1208 "
     "down_proj(weight[hidden_size,(intermediate_size/2)] bias[hidden_size])))) final_norm(weight[hidden_size])", ""},
    {"RemBertForCausalLM RemBertForMaskedLM", "rembert", "", "rembert",
     "rembert@1216 cls(predictions(dense(weight[output_embedding_size,hidden_size] bias[output_embedding_size]) "
     "decoder(weight[vocab_size,output_embedding_size] bias[vocab_size]) LayerNorm(weight[output_embedding_size] "
     "bias[output_embedding_size])))", ""},
    {"RemBertForMultipleChoice", "rembert", "", "rembert", "classifier@60 rembert=:RemBertModel", ""},
    {"RemBertForQuestionAnswering", "rembert", "", "rembert", "rembert@1216 qa_outputs@22", ""},
    {"RemBertForSequenceClassification", "rembert", "", "rembert", "classifier@22 rembert=:RemBertModel", ""},
    {"RemBertForTokenClassification", "rembert", "", "rembert", "rembert@1216 classifier@22", ""},
    {"RemBertModel", "rembert", "rembert", "rembert", "embeddings@1213 encoder@1215 pooler@166", ""},
    {"ResNetBackbone", "resnet", "", "resnet",
     "embedder(embedder(convolution(weight[embedding_size,(num_channels/1),?,?]) "
     "normalization(weight[embedding_size] bias[embedding_size] running_mean[embedding_size] "
     "running_var[embedding_size] num_batches_tracked[]))) encoder(stages(#{}(layers(0(shortcut@1218 layer@1220) "
     "1@1221 2@1221 3(layer(0@1223 1(convolution(weight[?,?,?,?]?0) normalization@1222) 2@1223)) 4@1228 5@1228))))", ""},
    {"RoCBertForCausalLM RoCBertForMaskedLM", "roc_bert", "", "roc_bert", "roc_bert@1233 cls@162", ""},
    {"RoCBertForMultipleChoice", "roc_bert", "", "roc_bert", "classifier@60 roc_bert=:RoCBertModel", ""},
    {"RoCBertForPreTraining", "roc_bert", "", "roc_bert", "cls@162 roc_bert=:RoCBertModel", ""},
    {"RoCBertForQuestionAnswering", "roc_bert", "", "roc_bert", "roc_bert@1233 qa_outputs@22", ""},
    {"RoCBertForSequenceClassification", "roc_bert", "", "roc_bert", "classifier@22 roc_bert=:RoCBertModel", ""},
    {"RoCBertForTokenClassification", "roc_bert", "", "roc_bert", "roc_bert@1233 classifier@22", ""},
    {"RoCBertModel", "roc_bert", "roc_bert", "roc_bert", "embeddings@1232 encoder@158 pooler@166", ""},
    {"RoFormerForCausalLM RoFormerForMaskedLM", "roformer", "", "roformer",
     "cls(predictions(bias[vocab_size] transform(dense@57 LayerNorm@42) decoder@58)) roformer=:RoFormerModel", ""},
    {"RoFormerForMultipleChoice", "roformer", "", "roformer", "classifier@60 roformer=:RoFormerModel", ""},
    {"RoFormerForQuestionAnswering", "roformer", "", "roformer", "qa_outputs@22 roformer=:RoFormerModel", ""},
    {"RoFormerForSequenceClassification", "roformer", "", "roformer", "classifier@178 roformer=:RoFormerModel", ""},
    {"RoFormerForTokenClassification", "roformer", "", "roformer", "classifier@22 roformer=:RoFormerModel", ""},
    {"RoFormerModel", "roformer", "roformer", "roformer",
     "embeddings(word_embeddings@39 token_type_embeddings@41 LayerNorm@42) "
     "encoder(embed_positions(weight[max_position_embeddings,(hidden_size/num_attention_heads)]) layer@157)", ""},
    {"RobertaForCausalLM RobertaForMaskedLM", "roberta", "", "roberta", "roberta@269 lm_head@267", ""},
    {"RobertaForQuestionAnswering", "roberta", "", "roberta", "roberta@269 qa_outputs@22", ""},
    {"RobertaForSequenceClassification", "roberta", "", "roberta", "roberta@269 classifier@178", ""},
    {"RobertaForTokenClassification", "roberta", "", "roberta", "roberta@269 classifier@22", ""},
    {"RobertaPreLayerNormForCausalLM RobertaPreLayerNormForMaskedLM", "roberta-prelayernorm", "",
     "roberta_prelayernorm", "roberta_prelayernorm@1240 lm_head@267", ""},
    {"RobertaPreLayerNormForMultipleChoice", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "classifier@60 roberta_prelayernorm=:RobertaPreLayerNormModel", ""},
    {"RobertaPreLayerNormForQuestionAnswering", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1240 qa_outputs@22", ""},
    {"RobertaPreLayerNormForSequenceClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1240 classifier@178", ""},
    {"RobertaPreLayerNormForTokenClassification", "roberta-prelayernorm", "", "roberta_prelayernorm",
     "roberta_prelayernorm@1240 classifier@22", ""},
    {"RobertaPreLayerNormModel", "roberta-prelayernorm", "roberta-prelayernorm", "roberta_prelayernorm",
     "embeddings@268 encoder@1239 LayerNorm@45 pooler@166", ""},
    {"RwkvForCausalLM", "rwkv", "", "rwkv", "head@0 rwkv=:RwkvModel", ""},
    {"RwkvModel", "rwkv", "rwkv", "rwkv", "embeddings@0 blocks(#{num_hidden_layers}(pre_ln@153 ln1@45 ln2@45 "
     "attention(time_decay[attention_hidden_size] time_first[attention_hidden_size] time_mix_key[1,1,hidden_size] "
     "time_mix_value[1,1,hidden_size] time_mix_receptance[1,1,hidden_size] key@1241 value@1241 receptance@1241 "
     "output(weight[hidden_size,attention_hidden_size])) feed_forward(time_mix_key[1,1,hidden_size] "
     "time_mix_receptance[1,1,hidden_size] key@66 receptance@89 value@67))) ln_out@45", ""},
    {"SamVisionModel", "sam_vision_model", "sam_vision_model", "sam",
     "vision_encoder(pos_embed[1,(image_size/patch_size),(image_size/patch_size),hidden_size]? patch_embed@1242 "
     "layers(#{}(layer_norm1@45 attn(rel_pos_h[?,(hidden_size/num_attention_heads)]?0 "
     "rel_pos_w[?,(hidden_size/num_attention_heads)]?0 qkv@520 proj@47) layer_norm2@45 "
     "mlp(lin1(weight[mlp_dim,hidden_size] bias[mlp_dim]) lin2(weight[hidden_size,mlp_dim] bias[hidden_size])))) "
     "neck(conv1(weight[output_channels,(hidden_size/1),1,1]) layer_norm1@1243 "
     "conv2(weight[output_channels,(output_channels/1),?,?]) layer_norm2@1243))", ""},
    {"SeamlessM4TForSpeechToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 speech_encoder(feature_projection@1246 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1249 self_attn_layer_norm@45 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)] linear_q@47 "
     "linear_k@47 linear_v@47 linear_out@47 linear_pos@89) conv_module(layer_norm@45 pointwise_conv1@1250 "
     "depthwise_conv@1251 batch_norm@1067 pointwise_conv2@1252) ffn2_layer_norm@45 ffn2@1249 final_layer_norm@45))"
     " layer_norm@45) intermediate_ffn@1249 adapter@1260 inner_layer_norm@45) text_decoder@1264 lm_head@185", ""},
    {"SeamlessM4TForTextToSpeech", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1272 text_decoder@1278 lm_head@185 t2u_model@1294 vocoder@1310", ""},
    {"SeamlessM4TForTextToText", "seamless_m4t", "", "seamless_m4t",
     "shared@0 text_encoder@1314 text_decoder@1264 lm_head@185", ""},
    {"SeamlessM4TModel", "seamless_m4t", "seamless_m4t", "seamless_m4t",
     "shared@0 text_encoder@1272 speech_encoder(feature_projection@1317 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@996 ffn1@1320 self_attn_layer_norm@996 "
     "self_attn(pos_bias_u[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? "
     "pos_bias_v[speech_encoder_attention_heads,(hidden_size/speech_encoder_attention_heads)]? linear_q@1265 "
     "linear_k@1265 linear_v@1265 linear_out@1265 linear_pos(weight[hidden_size,hidden_size]?)) "
     "conv_module(layer_norm@996 pointwise_conv1@1321 depthwise_conv@1322 batch_norm(weight[hidden_size]? "
     "bias[hidden_size]? running_mean[hidden_size]? running_var[hidden_size]? num_batches_tracked[]?) "
     "pointwise_conv2@1323) ffn2_layer_norm@996 ffn2@1320 final_layer_norm@996)) layer_norm@996) "
     "intermediate_ffn@1320 adapter@1328 inner_layer_norm@996) text_decoder@1278 lm_head@185 t2u_model@1294 "
     "vocoder@1310", ""},
    {"SeamlessM4Tv2ForSpeechToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 speech_encoder(feature_projection@1246 encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@45 "
     "ffn1@1249 self_attn_layer_norm@45 self_attn(linear_q@47 linear_k@47 linear_v@47 linear_out@47 distance_embed"
     "ding(weight[((left_max_position_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_att"
     "ention_heads)])) conv_module(layer_norm@45 pointwise_conv1@1250 depthwise_conv@1251 depthwise_layer_norm@45 "
     "pointwise_conv2@1252) ffn2_layer_norm@45 ffn2@1249 final_layer_norm@45)) layer_norm@45) "
     "intermediate_ffn@1249 adapter@1260 inner_layer_norm@45) text_decoder@1264 lm_head@185", ""},
    {"SeamlessM4Tv2ForTextToSpeech", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1272 text_decoder@1278 lm_head@185 t2u_model@1339 vocoder@1310", ""},
    {"SeamlessM4Tv2ForTextToText", "seamless_m4t_v2", "", "seamless_m4t_v2",
     "shared@0 text_encoder@1314 text_decoder@1264 lm_head@185", ""},
    {"SeamlessM4Tv2Model", "seamless_m4t_v2", "seamless_m4t_v2", "seamless_m4t_v2",
     "shared@0 text_encoder@1272 speech_encoder(feature_projection@1317 "
     "encoder(layers(#{speech_encoder_layers}(ffn1_layer_norm@996 ffn1@1320 self_attn_layer_norm@996 "
     "self_attn(linear_q@1265 linear_k@1265 linear_v@1265 linear_out@1265 distance_embedding(weight[((left_max_pos"
     "ition_embeddings+right_max_position_embeddings)+1),(hidden_size/speech_encoder_attention_heads)]?)) "
     "conv_module(layer_norm@996 pointwise_conv1@1321 depthwise_conv@1322 depthwise_layer_norm@996 "
     "pointwise_conv2@1323) ffn2_layer_norm@996 ffn2@1320 final_layer_norm@996)) layer_norm@996) "
     "intermediate_ffn@1320 adapter@1328 inner_layer_norm@996) text_decoder@1278 lm_head@185 t2u_model@1339 "
     "vocoder@1310", ""},
    {"SeedOssForCausalLM", "seed_oss", "", "model", "lm_head@0 model=:SeedOssModel", ""},
    {"SeedOssForQuestionAnswering", "seed_oss", "", "transformer", "qa_outputs@68 transformer=:SeedOssModel", ""},
    {"SeedOssForSequenceClassification", "seed_oss", "", "model", "score@21 model=:SeedOssModel", ""},
    {"SeedOssForTokenClassification", "seed_oss", "", "model", "score@22 model=:SeedOssModel", ""},
    {"SeedOssModel", "seed_oss", "seed_oss", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@69 k_proj@70 v_proj@70 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size]?)) mlp@118 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Siglip2ForImageClassification", "siglip2", "", "siglip2",
     "classifier(weight[num_labels,vision_config.hidden_size] bias[num_labels]) "
     "vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2Model", "siglip2", "siglip2", "siglip2",
     "logit_scale[1] logit_bias[1] text_model@1347 vision_model=vision_config:Siglip2VisionModel", ""},
    {"Siglip2VisionModel", "siglip2_vision_model", "siglip2_vision_model", "vision_model",
     "embeddings(patch_embedding(weight[hidden_size,((num_channels*patch_size)*patch_size)] bias[hidden_size]) "
     "position_embedding(weight[num_patches,hidden_size])) encoder@885 post_layernorm@45 head@1352", ""},
    {"SiglipModel", "siglip", "siglip", "siglip",
     "logit_scale[1] logit_bias[1] text_model@1347 vision_model=vision_config:SiglipVisionModel", ""},
    {"SiglipVisionModel", "siglip_vision_model", "siglip_vision_model", "vision_model",
     "embeddings@659 encoder@885 post_layernorm@45 head@1352", ""},
    {"SmolLM3ForCausalLM", "smollm3", "", "model", "lm_head@185 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForQuestionAnswering", "smollm3", "", "transformer", "qa_outputs@68 transformer=:GraniteDoclingTextModel",
     ""},
    {"SmolLM3ForSequenceClassification", "smollm3", "", "model", "score@21 model=:GraniteDoclingTextModel", ""},
    {"SmolLM3ForTokenClassification", "smollm3", "", "model", "score@22 model=:GraniteDoclingTextModel", ""},
    {"SolarOpenForCausalLM", "solar_open", "", "model", "lm_head@0 model=:SolarOpenModel", ""},
    {"SolarOpenModel", "solar_open", "solar_open", "model", "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@501 "
     "mlp(experts(gate_up_proj[n_routed_experts,(2*moe_intermediate_size),hidden_size]=a #{n_routed_experts}@11 "
     "down_proj[n_routed_experts,hidden_size,moe_intermediate_size]=b) gate(weight[n_routed_experts,hidden_size] "
     "e_score_correction_bias[n_routed_experts]) shared_experts(gate_proj@1353 up_proj@1353 "
     "down_proj(weight[hidden_size,(moe_intermediate_size*n_shared_experts)]))) "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
    {"Speech2TextForConditionalGeneration", "speech_to_text", "", "model", "lm_head@132 model=:Speech2TextModel", ""},
    {"Speech2TextModel", "speech_to_text", "speech_to_text", "model",
     "encoder(conv(conv_layers(#{}(weight[?,?,?] bias[?]))) layers@138 layer_norm@125) decoder(embed_tokens@121 "
     "layers@129 layer_norm@125)", ""},
    {"SpeechT5ForSpeechToText", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(masked_spec_embed[?] feature_encoder(conv_layers(0(conv(weight[?,1,?] bias[?]?0) "
     "layer_norm(weight[?] bias[?])) 1@1355 2@1355 3@1355 4@1355 5@1355 6@1355)) "
     "feature_projection(layer_norm(weight[?] bias[?]) projection@886) pos_conv_embed(conv(bias[hidden_size] "
     "parametrizations(weight(original0[?,?,?] "
     "original1[hidden_size,(hidden_size/num_conv_pos_embedding_groups),num_conv_pos_embeddings]))))) "
     "wrapped_encoder@1361) decoder(prenet(embed_tokens@0) wrapped_decoder@1365)) " "text_decoder_postnet(lm_head@185)",
     ""},
    {"SpeechT5ForTextToSpeech", "speecht5", "", "speecht5",
     "speecht5(encoder(prenet(embed_tokens@0 encode_positions(alpha[])) wrapped_encoder@1361) "
     "decoder(prenet(layers(#{speech_decoder_prenet_layers}(weight[speech_decoder_prenet_units,?] "
     "bias[speech_decoder_prenet_units])) final_layer(weight[hidden_size,speech_decoder_prenet_units] "
     "bias[hidden_size]) encode_positions(alpha[]) "
     "speaker_embeds_layer(weight[hidden_size,(speaker_embedding_dim+hidden_size)] bias[hidden_size])) "
     "wrapped_decoder@1365)) speech_decoder_postnet(feat_out(weight[(num_mel_bins*reduction_factor),hidden_size] "
     "bias[(num_mel_bins*reduction_factor)]) prob_out(weight[reduction_factor,hidden_size] bias[reduction_factor])"
     " layers(#{speech_decoder_postnet_layers}(conv(weight[?,?,speech_decoder_postnet_kernel]) batch_norm@1217)))", ""},
    {"SplinterForPreTraining SplinterForQuestionAnswering", "splinter", "", "splinter",
     "splinter_qass(query_start_transform@146 query_end_transform@146 start_transform@146 end_transform@146 "
     "start_classifier@89 end_classifier@89) splinter=:SplinterModel", ""},
    {"SplinterModel", "splinter", "splinter", "splinter", "embeddings@144 encoder@499", ""},
    {"SqueezeBertForMaskedLM", "squeezebert", "", "transformer",
     "cls(predictions(bias[vocab_size] transform@146 decoder@58)) transformer=:SqueezeBertModel", ""},
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
     "bias[hidden_size]) layernorm@45)))) pooler@166", ""},
    {"StableLmForCausalLM", "stablelm", "", "model", "lm_head@0 model=:StableLmModel", ""},
    {"StableLmForSequenceClassification", "stablelm", "", "model", "score@21 model=:StableLmModel", ""},
    {"StableLmForTokenClassification", "stablelm", "", "model", "score@22 model=:StableLmModel", ""},
    {"StableLmModel", "stablelm", "stablelm", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_proj@299 k_proj@300 v_proj@300 o_proj@89 "
     "q_layernorm(norms(#{num_attention_heads}@1366)) k_layernorm(norms(#{num_key_value_heads}@1366))) mlp@283 "
     "input_layernorm@45 post_attention_layernorm@153)) norm@45", ""},
    {"Starcoder2ForCausalLM", "starcoder2", "", "model", "lm_head@185 model=:Starcoder2Model", ""},
    {"Starcoder2ForSequenceClassification", "starcoder2", "", "model", "score@21 model=:Starcoder2Model", ""},
    {"Starcoder2ForTokenClassification", "starcoder2", "", "model", "score@22 model=:Starcoder2Model", ""},
    {"Starcoder2Model", "starcoder2", "starcoder2", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@568 mlp(c_fc@73 c_proj@74) input_layernorm@45 "
     "post_attention_layernorm@45)) norm@45", ""},
    {"Step3p7ForConditionalGeneration", "step3p7", "", "model",
     "vision_model@1377 model@1396 vit_large_projector@1397 lm_head@85", ""},
    {"Step3p7Model", "step3p7", "step3p7", "model", "vision_model@1377 language_model@1396 multi_modal_projector@1397",
     ""},
    {"SwitchTransformersForConditionalGeneration", "switch_transformers", "", "switch_transformers",
     "shared@121 encoder@1408 decoder@1412 lm_head@132", ""},
    {"SwitchTransformersModel", "switch_transformers", "switch_transformers", "switch_transformers",
     "shared@121 encoder@1408 decoder@1412", ""},
    {"T5EncoderModel", "t5", "", "transformer",
     "shared@121 encoder(embed_tokens@132 block(#{num_layers}(layer(#{}(SelfAttention@846 "
     "layer_norm(weight[d_model]) DenseReluDense(wi(weight[d_ff,d_model]?) wo(weight[d_model,d_ff]?) wi_0@796 "
     "wi_1@796) EncDecAttention@850)))) final_layer_norm(weight[d_model]))", "decoder"},
    {"T5ForConditionalGeneration", "t5", "", "transformer", "shared@121 encoder@1416 decoder@809 lm_head@132",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForQuestionAnswering", "t5", "", "transformer", "shared@121 encoder@1416 decoder@809 qa_outputs@133",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForSequenceClassification", "t5", "", "transformer", "classification_head@134 transformer=:T5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"T5ForTokenClassification", "t5", "", "transformer", "classifier@133 transformer=:T5EncoderModel", "decoder"},
    {"T5Gemma2ForConditionalGeneration", "t5gemma2", "", "model",
     "lm_head(out_proj(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]?)) "
     "model=:T5Gemma2Model", ""},
    {"T5Gemma2ForSequenceClassification T5Gemma2ForTokenClassification", "t5gemma2", "", "model",
     "score(out_proj(weight[num_labels,decoder.hidden_size] bias[num_labels])) model=:T5Gemma2Model", ""},
    {"T5Gemma2Model", "t5gemma2", "t5gemma2", "model",
     "encoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size] "
     "eoi_embedding[encoder.text_config.hidden_size]) norm@1417 layers(#{encoder.text_config.num_hidden_layers}(se"
     "lf_attn(q_proj(weight[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim),encoder.text_co"
     "nfig.hidden_size] bias[(encoder.text_config.num_attention_heads*encoder.text_config.head_dim)]?0) "
     "k_proj@1418 v_proj@1418 o_proj(weight[encoder.text_config.hidden_size,(encoder.text_config.num_attention_hea"
     "ds*encoder.text_config.head_dim)] bias[encoder.text_config.hidden_size]?0) q_norm@1419 k_norm@1419) "
     "pre_self_attn_layernorm@1417 post_self_attn_layernorm@1417 mlp(gate_proj@1420 up_proj@1420 "
     "down_proj(weight[encoder.text_config.hidden_size,encoder.text_config.intermediate_size])) "
     "pre_feedforward_layernorm@1417 post_feedforward_layernorm@1417)) multi_modal_projector(mm_input_projection_w"
     "eight[encoder.vision_config.hidden_size,encoder.text_config.hidden_size] "
     "mm_soft_emb_norm(weight[encoder.vision_config.hidden_size])) "
     "vision_tower=encoder.vision_config:SiglipVisionModel) "
     "decoder(embed_tokens(weight[encoder.text_config.vocab_size,encoder.text_config.hidden_size]? "
     "eoi_embedding[encoder.text_config.hidden_size]?) norm@1421 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1422 k_proj@1423 v_proj@1423 o_proj@1424 q_norm@1425 "
     "k_norm@1425) pre_self_attn_layernorm@1421 post_self_attn_layernorm@1421 mlp@1428 "
     "pre_feedforward_layernorm@1421 post_feedforward_layernorm@1421)))", ""},
    {"T5GemmaForConditionalGeneration", "t5gemma", "", "model",
     "lm_head(out_proj(weight[decoder.vocab_size,decoder.hidden_size]?)) model=:T5GemmaModel", ""},
    {"T5GemmaForSequenceClassification T5GemmaForTokenClassification", "t5gemma", "", "model",
     "model(encoder@1440 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]?0) "
     "norm(weight[decoder.hidden_size]?0) layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1441 k_proj@1442 "
     "v_proj@1442 o_proj@1443) pre_self_attn_layernorm@1444 post_self_attn_layernorm@1444 mlp(gate_proj@1445 "
     "up_proj@1445 down_proj(weight[decoder.hidden_size,decoder.intermediate_size]?1)) "
     "pre_feedforward_layernorm@1444 post_feedforward_layernorm@1444 cross_attn(q_proj@1441 k_proj@1446 "
     "v_proj@1446 o_proj@1443) pre_cross_attn_layernorm@1444 post_cross_attn_layernorm@1444)))) "
     "score(out_proj(weight[num_labels,?] bias[num_labels]))", ""},
    {"T5GemmaModel", "t5gemma", "t5gemma", "model",
     "encoder@1440 decoder(embed_tokens(weight[decoder.vocab_size,decoder.hidden_size]) norm@1421 "
     "layers(#{decoder.num_hidden_layers}(self_attn(q_proj@1422 k_proj@1423 v_proj@1423 o_proj@1424) "
     "pre_self_attn_layernorm@1421 post_self_attn_layernorm@1421 mlp@1428 pre_feedforward_layernorm@1421 "
     "post_feedforward_layernorm@1421 cross_attn(q_proj@1422 k_proj@1447 v_proj@1447 o_proj@1424) "
     "pre_cross_attn_layernorm@1421 post_cross_attn_layernorm@1421)))", ""},
    {"T5Model", "t5", "t5", "transformer", "shared@121 encoder@1416 decoder@809",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"TapasForMaskedLM", "tapas", "", "tapas", "tapas(embeddings@1449 encoder@158) cls@162", ""},
    {"TapasForQuestionAnswering", "tapas", "", "tapas",
     "output_weights[hidden_size] column_output_weights[hidden_size] output_bias[] column_output_bias[] "
     "tapas=:TapasModel", ""},
    {"TapasForSequenceClassification", "tapas", "", "tapas", "classifier@22 tapas=:TapasModel", ""},
    {"TapasModel", "tapas", "tapas", "tapas", "embeddings@1449 encoder@158 pooler@166", ""},
    {"Tipsv2Model", "tipsv2", "tipsv2", "model",
     "temperature[]? text_encoder=text_config:Tipsv2TextModel vision_encoder=vision_config:Tipsv2VisionModel",
     "text_encoder vision_encoder"},
    {"Tipsv2TextModel", "tipsv2_text_model", "tipsv2_text_model", "text_model",
     "token_embedding@0 transformer(resblocks(#{num_hidden_layers}(self_attn(k_proj@1450 v_proj@1450 q_proj@1450) "
     "attn(in_proj_weight[*]~a in_proj_bias[*]~b out_proj@47) ln_1@45 mlp(c_fc@49 c_proj@50) ln_2@45))) " "ln_final@45",
     "vision_encoder"},
    {"Tipsv2VisionModel", "tipsv2_vision_model", "tipsv2_vision_model", "vision_model",
     "cls_token[1,1,hidden_size] mask_token[1,hidden_size] "
     "pos_embed[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] "
     "register_tokens[1,num_register_tokens,hidden_size] patch_embed(proj@658) "
     "blocks(#{num_hidden_layers}(norm1@45 attention(q_proj@1451 k_proj@1451 v_proj@1451) attn(qkv(weight[*]~a "
     "bias[*]~b) proj@535) ls1(gamma[hidden_size]) norm2@45 mlp(c_fc(weight[(hidden_size*mlp_ratio),hidden_size]?2"
     " bias[(hidden_size*mlp_ratio)]?2) c_proj(weight[hidden_size,(hidden_size*mlp_ratio)]?2 bias[hidden_size]?2) "
     "gate_proj@1452 w12(weight[*]~c bias[*]~d) up_proj@1452 w3(weight[hidden_size,?]?1 bias[hidden_size]?1)) "
     "ls2(gamma[hidden_size]))) norm@45", "text_encoder"},
    {"TrOCRForCausalLM", "trocr", "", "model",
     "model(decoder(embed_tokens@121 embed_positions(weight[(max_position_embeddings+2),d_model]?) "
     "layernorm_embedding@1453 layers@129)) output_projection@132", ""},
    {"TvpModel", "tvp", "tvp", "model",
     "text_prompt[1,?,hidden_size] vision_model(grid_encoder_conv(weight[hidden_size,?,?,?]) "
     "backbone=backbone_config:ResNetBackbone) embeddings(word_embeddings@0 position_embeddings@142 "
     "token_type_embeddings@143 layer_norm@45) visual_embeddings(position_embeddings@142 "
     "row_position_embeddings(weight[max_grid_row_position_embeddings,hidden_size]) "
     "col_position_embeddings(weight[max_grid_col_position_embeddings,hidden_size]) "
     "token_type_embeddings(weight[1,hidden_size]) layer_norm@45) "
     "encoder(layer(#{num_hidden_layers}(attention(query@46 key@46 value@46 dense@47 layer_norm@45) "
     "intermediate@148 output(dense@50 layer_norm@45)))) pooler@166 "
     "visual_prompter(pad_up[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_down[1,num_frames,?,visual_prompt_size,max_img_size] "
     "pad_left[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size] "
     "pad_right[1,num_frames,?,(max_img_size-(visual_prompt_size*2)),visual_prompt_size])", ""},
    {"UMT5EncoderModel", "umt5", "", "transformer",
     "shared@121 encoder(embed_tokens@132 block(#{num_layers}(layer(#{}(SelfAttention(q@844 k@844 v@844 o@845 "
     "relative_attention_bias(weight[relative_attention_num_buckets,num_heads]?2)) layer_norm(weight[d_model]) "
     "DenseReluDense@847 EncDecAttention@850)))) final_layer_norm(weight[d_model]))", ""},
    {"UMT5ForConditionalGeneration", "umt5", "", "transformer", "shared@121 encoder@1460 decoder@1464 lm_head@132", ""},
    {"UMT5ForQuestionAnswering", "umt5", "", "transformer", "shared@121 encoder@1460 decoder@1464 qa_outputs@133", ""},
    {"UMT5ForSequenceClassification", "umt5", "", "transformer", "classification_head@134 transformer=:UMT5Model",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5ForTokenClassification", "umt5", "", "transformer", "classifier@133 transformer=:UMT5EncoderModel",
     "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"},
    {"UMT5Model", "umt5", "umt5", "transformer", "shared@121 encoder@1460 decoder@1464", ""},
    {"UdopForConditionalGeneration", "udop", "", "transformer",
     "shared@121 patch_embed@1466 encoder(embed_tokens@132 embed_patches@1468 block@1415 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1470 relative_bias@1473) decoder(embed_tokens@132 "
     "embed_patches@1466 block@808 final_layer_norm(weight[d_model]) relative_bias@1473) lm_head@132", ""},
    {"UdopModel", "udop", "udop", "transformer",
     "shared@121 patch_embed@1466 encoder(embed_tokens@132 embed_patches@1468 block@1415 "
     "final_layer_norm(weight[d_model]) cell_2d_embedding@1470 relative_bias@1476) decoder(embed_tokens@132 "
     "embed_patches@1466 block@808 final_layer_norm(weight[d_model]) relative_bias@1476)", ""},
    {"UltraVBertForMaskedLM", "ultravbert", "", "model",
     "head(linear1(weight[text_config.prediction_head_size,text_config.hidden_size]) "
     "linear2(weight[text_config.hidden_size,text_config.prediction_head_size]) decoder@85) model=:UltraVBertModel",
     "vision_model\\.head\\."},
    {"UltraVBertForSequenceClassification UltraVBertForTokenClassification", "ultravbert", "", "model",
     "classifier@1000 model=:UltraVBertModel", "vision_model\\.head\\."},
    {"UltraVBertModel", "ultravbert", "ultravbert", "model",
     "connector(modality_projection@1001 norm@327) vision_model=vision_config:SiglipVisionModel "
     "text_model=text_config:EuroBertModel", "vision_model\\.head\\."},
    {"UltrabertForMaskedLM", "ultrabert", "", "model",
     "head(linear1(weight[prediction_head_size,hidden_size]) linear2(weight[hidden_size,prediction_head_size])) "
     "cls@0 ultrabert=:EuroBertModel", ""},
    {"UltrabertForQuestionAnswering", "ultrabert", "", "model", "qa_outputs@68 ultrabert=:EuroBertModel", ""},
    {"UltrabertForSequenceClassification UltrabertForTokenClassification", "ultrabert", "", "model",
     "classifier@22 ultrabert=:EuroBertModel", ""},
    {"UnlimitedOcrForConditionalGeneration", "unlimited_ocr", "", "model", "lm_head@85 model=:UnlimitedOcrModel",
     "lm_head patch_embedding"},
    {"UnlimitedOcrModel", "unlimited_ocr", "unlimited_ocr", "model",
     "view_seperator[text_config.hidden_size] image_newline[text_config.hidden_size] sam_model(pos_embed[1,(vision"
     "_config.sam_config.image_size/vision_config.sam_config.patch_size),(vision_config.sam_config.image_size/visi"
     "on_config.sam_config.patch_size),vision_config.sam_config.hidden_size]? patch_embed(proj(weight[vision_confi"
     "g.sam_config.hidden_size,(vision_config.sam_config.num_channels/1),vision_config.sam_config.patch_size,visio"
     "n_config.sam_config.patch_size] bias[vision_config.sam_config.hidden_size])) blocks(#{}(norm1@1477 "
     "attn(rel_pos_h[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "rel_pos_w[?,(vision_config.sam_config.hidden_size/vision_config.sam_config.num_attention_heads)]?0 "
     "qkv(weight[(vision_config.sam_config.hidden_size*3),vision_config.sam_config.hidden_size] "
     "bias[(vision_config.sam_config.hidden_size*3)]?) "
     "proj(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.hidden_size])) norm2@1477 "
     "mlp(lin1(weight[vision_config.sam_config.mlp_dim,vision_config.sam_config.hidden_size] "
     "bias[vision_config.sam_config.mlp_dim]) "
     "lin2(weight[vision_config.sam_config.hidden_size,vision_config.sam_config.mlp_dim] "
     "bias[vision_config.sam_config.hidden_size])))) "
     "neck(0(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.hidden_size/1),1,1]) 1@1478"
     " 2(weight[vision_config.sam_config.output_channels,(vision_config.sam_config.output_channels/1),?,?]) "
     "3@1478) net_2(weight[?,(vision_config.sam_config.output_channels/1),?,?]) net_3(weight[?,?,?,?])) "
     "vision_model(embeddings(class_embedding[vision_config.encoder_config.hidden_size] position_embedding(weight["
     "(((vision_config.encoder_config.image_size/vision_config.encoder_config.patch_size)*(vision_config.encoder_c"
     "onfig.image_size/vision_config.encoder_config.patch_size))+1),vision_config.encoder_config.hidden_size])) "
     "pre_layrnorm@1479 transformer(layers(#{vision_config.encoder_config.num_hidden_layers}(self_attn(k_proj@1480"
     " qkv_proj(weight[*]~a bias[*]~b) v_proj@1480 q_proj@1480 "
     "out_proj(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm1@1479 "
     "mlp(fc1(weight[vision_config.encoder_config.intermediate_size,vision_config.encoder_config.hidden_size] "
     "bias[vision_config.encoder_config.intermediate_size]) "
     "fc2(weight[vision_config.encoder_config.hidden_size,vision_config.encoder_config.intermediate_size] "
     "bias[vision_config.encoder_config.hidden_size])) layer_norm2@1479)))) projector(layers@1481) embed_tokens@85"
     " layers(#{text_config.num_hidden_layers}(self_attn(q_proj(weight[(text_config.num_attention_heads*text_confi"
     "g.head_dim),text_config.hidden_size] bias[(text_config.num_attention_heads*text_config.head_dim)]?4) "
     "k_proj@1482 v_proj@1482 "
     "o_proj(weight[text_config.hidden_size,(text_config.num_attention_heads*text_config.head_dim)] "
     "bias[text_config.hidden_size]?4)) mlp(gate_proj@1383 up_proj@1383 down_proj@1384 experts(gate_up_proj[text_c"
     "onfig.n_routed_experts,(2*text_config.moe_intermediate_size),text_config.hidden_size]?2=c "
     "#{text_config.n_routed_experts}(gate_proj@1483 up_proj@1483 "
     "down_proj(weight[text_config.hidden_size,text_config.moe_intermediate_size]~d)) "
     "down_proj[text_config.n_routed_experts,text_config.hidden_size,text_config.moe_intermediate_size]?2=d) "
     "gate@1387 shared_experts(gate_proj@1484 up_proj@1484 "
     "down_proj(weight[text_config.hidden_size,(text_config.moe_intermediate_size*text_config.n_shared_experts)]?2"
     " bias[text_config.hidden_size]?3))) input_layernorm@327 post_attention_layernorm@327)) norm@327",
     "lm_head patch_embedding"},
    {"VaultGemmaForCausalLM", "vaultgemma", "", "model", "lm_head@185 model=:VaultGemmaModel", ""},
    {"VaultGemmaModel", "vaultgemma", "vaultgemma", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn@282 mlp@283 input_layernorm(weight[hidden_size]) "
     "pre_feedforward_layernorm(weight[hidden_size]))) norm(weight[hidden_size])", ""},
    {"VibeVoiceAcousticTokenizerEncoderModel", "vibevoice_acoustic_tokenizer_encoder",
     "vibevoice_acoustic_tokenizer_encoder", "vibevoice_acoustic_tokenizer", "stem@1494 conv_layers@1502 head@1504", ""},
    {"VibeVoiceAcousticTokenizerModel", "vibevoice_acoustic_tokenizer", "vibevoice_acoustic_tokenizer",
     "vibevoice_acoustic_tokenizer",
     "encoder@1505 decoder(stem(conv(conv(weight[(num_filters*64),(hidden_size/1),kernel_size] "
     "bias[(num_filters*64)])) stage(0@1512 1@1512 2@1512 3@1512 4@1512 5@1512 6@1512 7@1512)) "
     "conv_layers(#{}(convtr(convtr(weight[?,?,?] bias[?])) stage(0@1499 1@1499 2@1499))) "
     "head(conv(weight[channels,(num_filters/1),kernel_size] bias[channels])))", ""},
    {"VibeVoiceAsrForConditionalGeneration", "vibevoice_asr", "", "model",
     "multi_modal_projector@1515 language_model@93 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel", ""},
    {"VibeVoiceAsrModel", "vibevoice_asr", "vibevoice_asr", "model", "multi_modal_projector@1515 "
     "acoustic_tokenizer_encoder=acoustic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "semantic_tokenizer_encoder=semantic_tokenizer_encoder_config:VibeVoiceAcousticTokenizerEncoderModel "
     "language_model@94", ""},
    {"VibeVoiceForConditionalGeneration", "vibevoice", "vibevoice", "model",
     "model(latent_scaling_factor[] latent_bias_factor[] "
     "multi_modal_projector(linear_1(weight[text_config.hidden_size,audio_config.hidden_size] "
     "bias[text_config.hidden_size]) act@327 linear_2@214) "
     "semantic_connector(linear_1(weight[text_config.hidden_size,semantic_model_config.hidden_size] "
     "bias[text_config.hidden_size]) act@327 linear_2@214) diffusion_head(noisy_images_proj(weight[diffusion_head_"
     "config.hidden_size,diffusion_head_config.latent_size]) cond_proj@1516 "
     "timestep_proj(fc1(weight[diffusion_head_config.hidden_size,diffusion_head_config.frequency_embedding_size]) "
     "fc2@1516) layers(#{diffusion_head_config.num_hidden_layers}(ffn(gate_proj@1517 up_proj@1517 "
     "down_proj(weight[diffusion_head_config.hidden_size,diffusion_head_config.intermediate_size] "
     "bias[diffusion_head_config.hidden_size]?0)) norm(weight[diffusion_head_config.hidden_size]) "
     "linear(weight[(diffusion_head_config.hidden_size*3),diffusion_head_config.hidden_size]))) "
     "final_layer(linear_1(weight[(2*diffusion_head_config.hidden_size),diffusion_head_config.hidden_size]) "
     "linear_2(weight[diffusion_head_config.latent_size,diffusion_head_config.hidden_size]))) "
     "audio_tower=audio_config:VibeVoiceAcousticTokenizerModel language_model=text_config:Qwen2Model "
     "semantic_tokenizer_encoder=semantic_model_config:VibeVoiceAcousticTokenizerEncoderModel) lm_head@85", ""},
    {"VideoLlama3ForConditionalGeneration", "video_llama_3", "", "model", "lm_head@85 model=:VideoLlama3Model", ""},
    {"VideoLlama3Model", "video_llama_3", "video_llama_3", "model",
     "projector(readout(0@377 2@214)) vision_model=vision_config:VideoLlama3VisionModel "
     "language_model=text_config:Qwen2Model", ""},
    {"VideoLlama3VisionModel", "video_llama_3_vision", "video_llama_3_vision", "model",
     "embeddings(patch_embedding@658) encoder@885 post_layernorm@45", ""},
    {"VideoLlavaForConditionalGeneration", "video_llava", "", "model",
     "multi_modal_projector@789 language_model@790 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel", ""},
    {"VideoLlavaModel", "video_llava", "video_llava", "model",
     "multi_modal_projector@789 video_tower=vision_config:CLIPVisionModel "
     "image_tower=vision_config:CLIPVisionModel language_model@539", ""},
    {"VideoPrismClipModel", "videoprism", "videoprism", "model",
     "video_model(auxiliary_layers(#{vision_config.num_auxiliary_layers}(attention(q_proj@1518 k_proj@1518 "
     "v_proj@1518 o_proj(weight[vision_config.hidden_size,(vision_config.num_attention_heads*(vision_config.hidden"
     "_size/vision_config.num_attention_heads))] bias[vision_config.hidden_size])) layernorm_before@79 "
     "layernorm_after@79 mlp@194)) "
     "head(per_dim_scale[(vision_config.intermediate_size/vision_config.num_attention_heads)] "
     "pooling_attention_query[1,1,vision_config.hidden_size] q_proj@1519 k_proj@1519 v_proj@1519 o_proj(weight[vis"
     "ion_config.hidden_size,(vision_config.num_attention_heads*(vision_config.intermediate_size/vision_config.num"
     "_attention_heads))] bias[vision_config.hidden_size])) head_layernorm@79 "
     "vision_model=vision_config:VideoPrismVisionModel) text_model(embeddings(cls_emb[1,1,text_config.hidden_size]"
     " token_embedding@85 position_embedding[?,?] position_ids[?,?]) "
     "layers(#{text_config.num_hidden_layers}(attention(q_proj@1183 k_proj@1183 v_proj@1183 o_proj(weight[text_con"
     "fig.hidden_size,(text_config.num_attention_heads*(text_config.hidden_size/text_config.num_attention_heads))]"
     " bias[text_config.hidden_size])) layernorm_before@210 layernorm_after@210 mlp@1342)) layernorm@210)", ""},
    {"VideoPrismVisionModel", "videoprism_vision_model", "videoprism_vision_model", "vision_model",
     "layernorm1@45 layernorm2@45 spatial_embeddings(position_embeddings[1,?,hidden_size] "
     "patch_embeddings(projection(weight[hidden_size,(num_channels/1),?,?,?] bias[hidden_size]))) "
     "temporal_embeddings(position_embeddings[1,num_frames,hidden_size]) "
     "spatial_layers(#{num_spatial_layers}@1521) temporal_layers(#{num_temporal_layers}@1521)", ""},
    {"ViltForQuestionAnswering", "vilt", "", "vilt",
     "classifier(0@835 1@836 3(weight[num_labels,(hidden_size*2)] bias[num_labels])) vilt=:ViltModel", ""},
    {"ViltModel", "vilt", "vilt", "vilt", "embeddings(cls_token[1,1,hidden_size] "
     "position_embeddings[1,(((image_size/patch_size)*(image_size/patch_size))+1),hidden_size] text_embeddings@144"
     " patch_embeddings@1242 token_type_embeddings(weight[modality_type_vocab_size,hidden_size])) "
     "encoder(layer(#{num_hidden_layers}(attention(attention@167 output@166) intermediate@148 output@404 "
     "layernorm_before@45 layernorm_after@45))) layernorm@45 pooler@166", ""},
    {"VipLlavaForConditionalGeneration", "vipllava", "", "model",
     "multi_modal_projector@1522 language_model@790 vision_tower=vision_config:CLIPVisionModel", ""},
    {"VipLlavaModel", "vipllava", "vipllava", "model",
     "multi_modal_projector@1522 vision_tower=vision_config:CLIPVisionModel language_model@539", ""},
    {"VisualBertForPreTraining", "visual_bert", "", "visual_bert", "cls@164 visual_bert=:VisualBertModel", ""},
    {"VisualBertModel", "visual_bert", "visual_bert", "visual_bert",
     "embeddings(word_embeddings@0 position_embeddings@142 token_type_embeddings@143 LayerNorm@45 "
     "visual_token_type_embeddings@143 visual_position_embeddings@142 "
     "visual_projection(weight[hidden_size,visual_embedding_dim] bias[hidden_size])) encoder@499 pooler@166 "
     "additional_layer(attention@155 intermediate(dense@1349) output(dense@1350 LayerNorm@153))", ""},
    {"VoxtralForConditionalGeneration", "voxtral", "", "model",
     "multi_modal_projector@1524 language_model@790 audio_tower=audio_config:AudioFlamingo3Encoder", ""},
    {"VoxtralModel", "voxtral", "voxtral", "model",
     "multi_modal_projector@1524 audio_tower=audio_config:AudioFlamingo3Encoder language_model@539", ""},
    {"VoxtralRealtimeEncoder", "voxtral_realtime_encoder", "voxtral_realtime_encoder", "model",
     "embedder(conv1@87 conv2@88) layers(#{num_hidden_layers}(self_attn(q_proj@1525 k_proj@33 v_proj@1525 "
     "o_proj(weight[hidden_size,(num_attention_heads*head_dim)] bias[hidden_size])) "
     "self_attn_layer_norm(weight[hidden_size]) final_layer_norm(weight[hidden_size]) mlp(gate_proj@66 up_proj@66 "
     "down_proj@50))) norm(weight[hidden_size])", ""},
    {"VoxtralRealtimeForConditionalGeneration", "voxtral_realtime", "", "model",
     "language_model(model@1532 lm_head@99) multi_modal_projector@1534 "
     "audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"VoxtralRealtimeModel", "voxtral_realtime", "voxtral_realtime", "model",
     "language_model(model@1532) multi_modal_projector@1534 audio_tower=audio_config:VoxtralRealtimeEncoder", ""},
    {"WhisperForCausalLM", "whisper", "", "model", "model(decoder@1538) proj_out@132", ""},
    {"WhisperForConditionalGeneration", "whisper", "", "model", "proj_out@132 model=:WhisperModel", ""},
    {"WhisperModel", "whisper", "whisper", "model", "encoder@1539 decoder@1538", ""},
    {"XGLMForCausalLM", "xglm", "", "model", "lm_head@132 model=:XGLMModel", ""},
    {"XGLMModel", "xglm", "xglm", "model",
     "embed_tokens@121 layers(#{num_layers}(self_attn@124 self_attn_layer_norm@125 fc1(weight[ffn_dim,d_model] "
     "bias[ffn_dim]) fc2(weight[d_model,ffn_dim] bias[d_model]) final_layer_norm@125 encoder_attn(k_proj@1540 "
     "v_proj@1540 q_proj@1540 out_proj@1540) encoder_attn_layer_norm@1453)) layer_norm@125", ""},
    {"XLMRobertaXLForCausalLM XLMRobertaXLForMaskedLM", "xlm-roberta-xl", "", "roberta", "roberta@1547 lm_head@267", ""},
    {"XLMRobertaXLForMultipleChoice", "xlm-roberta-xl", "", "roberta", "classifier@60 roberta=:XLMRobertaXLModel", ""},
    {"XLMRobertaXLForQuestionAnswering", "xlm-roberta-xl", "", "roberta", "roberta@1547 qa_outputs@22", ""},
    {"XLMRobertaXLForSequenceClassification", "xlm-roberta-xl", "", "roberta", "roberta@1547 classifier@178", ""},
    {"XLMRobertaXLForTokenClassification", "xlm-roberta-xl", "", "roberta", "roberta@1547 classifier@22", ""},
    {"XLMRobertaXLModel", "xlm-roberta-xl", "xlm-roberta-xl", "roberta", "embeddings@1541 encoder@1546 pooler@166", ""},
    {"XLNetForMultipleChoice", "xlnet", "", "transformer",
     "sequence_summary@1548 logits_proj@464 transformer=:XLNetModel", ""},
    {"XLNetForQuestionAnsweringSimple", "xlnet", "", "transformer", "qa_outputs@133 transformer=:XLNetModel", ""},
    {"XLNetForSequenceClassification", "xlnet", "", "transformer",
     "sequence_summary@1548 logits_proj@133 transformer=:XLNetModel", ""},
    {"XLNetForTokenClassification", "xlnet", "", "transformer", "classifier@133 transformer=:XLNetModel", ""},
    {"XLNetLMHeadModel", "xlnet", "", "transformer", "lm_loss@463 transformer=:XLNetModel", ""},
    {"XLNetModel", "xlnet", "xlnet", "transformer",
     "mask_emb[?,?,?] word_embedding@121 layer(#{n_layer}(rel_attn(q[?,?,?] k[?,?,?] v[?,?,?] o[?,?,?] r[?,?,?] "
     "r_r_bias[?,?] r_s_bias[?,?] r_w_bias[?,?] seg_embed[?,?,?] layer_norm@125) ff(layer_norm@125 layer_1@456 "
     "layer_2@457)))", ""},
    {"XmodForCausalLM XmodForMaskedLM", "xmod", "", "roberta", "roberta@1557 lm_head@267", ""},
    {"XmodForMultipleChoice", "xmod", "", "roberta", "classifier@60 roberta=:XmodModel", ""},
    {"XmodForQuestionAnswering", "xmod", "", "roberta", "roberta@1557 qa_outputs@22", ""},
    {"XmodForSequenceClassification", "xmod", "", "roberta", "roberta@1557 classifier@178", ""},
    {"XmodForTokenClassification", "xmod", "", "roberta", "roberta@1557 classifier@22", ""},
    {"XmodModel", "xmod", "xmod", "roberta", "embeddings@268 encoder@1556 pooler@166", ""},
    {"YosoForMaskedLM", "yoso", "", "yoso", "cls@162 yoso=:YosoModel", ""},
    {"YosoForMultipleChoice", "yoso", "", "yoso", "pre_classifier@47 classifier@60 yoso=:YosoModel", ""},
    {"YosoForQuestionAnswering", "yoso", "", "yoso", "qa_outputs@22 yoso=:YosoModel", ""},
    {"YosoForSequenceClassification", "yoso", "", "yoso", "classifier@178 yoso=:YosoModel", ""},
    {"YosoForTokenClassification", "yoso", "", "yoso", "classifier@22 yoso=:YosoModel", ""},
    {"YosoModel", "yoso", "yoso", "yoso", "embeddings@1031 encoder@499", ""},
    {"YoutuForCausalLM", "youtu", "", "model", "lm_head@185 model=:YoutuModel", ""},
    {"YoutuModel", "youtu", "youtu", "model",
     "embed_tokens@0 layers(#{num_hidden_layers}(self_attn(q_a_proj@811 q_a_layernorm(weight[q_lora_rank]) "
     "q_b_proj@2 kv_a_proj_with_mqa@813 kv_a_layernorm(weight[kv_lora_rank]) kv_b_proj@4 o_proj@814) mlp@283 "
     "input_layernorm(weight[hidden_size]) post_attention_layernorm(weight[hidden_size]))) "
     "norm(weight[hidden_size])", ""},
}};
// clang-format on

}  // namespace

std::span<const ClassRow> class_table() { return kClassRows; }
std::span<const std::string_view> shared_modules() { return kSharedModules; }

}  // namespace qfuse::checkpoint
