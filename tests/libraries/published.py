"""Configurations with the structure of published models, and the sizes of small ones.

What a table of classes is easily wrong about is here as it is published: layers of several kinds, dense layers before
mixtures, steps, parts that a zero or None leaves out, tied and shared layers. Sizes are small, because files of them
are written.
"""

import torch
import transformers
from transformers.core_model_loading import revert_weight_conversion

TEXT = {
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
ALL_HEADS = {"num_key_value_heads": 4}
HEAD_DIM = {"head_dim": 32}  # which is no quotient of the others
TIED, UNTIED = {"tie_word_embeddings": True}, {"tie_word_embeddings": False}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
LOCAL_EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
ROUTED = {
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "n_shared_experts": 1,
    "n_group": 1,
    "topk_group": 1,
    "first_k_dense_replace": 1,
}
LATENT = {**ALL_HEADS, **ROUTED, "kv_lora_rank": 32, "qk_nope_head_dim": 16, "qk_rope_head_dim": 8, "v_head_dim": 16}
INDEXED = {"q_lora_rank": 48, "index_n_heads": 2, "index_head_dim": 16}
SLIDING = {"layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "full_attention"]}
ALTERNATING = {"layer_types": ["sliding_attention", "full_attention"] * 2}
LINEAR = {
    "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"],
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16, "mamba_d_state": 16, "mamba_n_groups": 1}
GRANITE_4 = {**MAMBA, "shared_intermediate_size": 48, "layer_types": ["mamba", "mamba", "attention", "mamba"]}
GEMMA_4 = {
    **ALTERNATING,
    "head_dim": 16,
    "global_head_dim": 32,
    "vocab_size_per_layer_input": 128,
    "hidden_size_per_layer_input": 0,
}
GEMMA_4_SMALL = {"hidden_size_per_layer_input": 32, "num_kv_shared_layers": 2, "use_double_wide_mlp": True}
NEMOTRON_H = {
    "mamba_num_heads": 8,
    "mamba_head_dim": 16,
    "ssm_state_size": 16,
    "n_groups": 1,
    "head_dim": 16,
    "layers_block_type": ["mamba", "mlp", "attention", "mamba"],
}
VISION = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 28,
    "patch_size": 14,
}
QWEN_VISION = {"depth": 2, "hidden_size": 32, "num_heads": 2, "intermediate_size": 48, "out_hidden_size": 64}
QWEN3_VISION = {**QWEN_VISION, "deepstack_visual_indexes": [0, 1], "num_position_embeddings": 16}
SECTIONS = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 1e6}
AUDIO = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "output_proj_dims": 48,
    "subsampling_conv_channels": [16, 8],
}
ENCODER = {
    "vocab_size": 128,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
}
T5 = {"vocab_size": 128, "d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 2, "num_heads": 4}
GPT = {"vocab_size": 128, "n_embd": 64, "n_layer": 2, "n_head": 4, "n_positions": 128}
SEQUENCES = {
    "d_model": 64,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 96,
    "decoder_ffn_dim": 96,
    "vocab_size": 128,
    "pad_token_id": 1,
}


def text(*fields, **more):
    """Fields of a config of text."""
    merged = dict(TEXT)
    for it in fields:
        merged |= it
    return merged | more


def parts(text_config, vision_config=None, **more):
    """Fields of a config of text and images."""
    return {"text_config": text_config, "vision_config": vision_config or VISION} | more


# Name to the class and the fields of its config; names are those of models whose structure it has.
PUBLISHED = {
    "Llama-2-7b": ("LlamaForCausalLM", text(ALL_HEADS, UNTIED)),
    "Llama-3.1-8B": ("LlamaForCausalLM", text(UNTIED)),
    "Llama-3.2-1B": ("LlamaForCausalLM", text(TIED, head_dim=16)),
    "Llama-3.1-reward": ("LlamaForSequenceClassification", text(num_labels=1)),
    "Llama-3.2-Vision": (
        "MllamaForConditionalGeneration",
        parts(
            text(cross_attention_layers=[1, 3]),
            {**VISION, "num_global_layers": 1, "attention_heads": 2, "intermediate_layers_indices": [0, 1]},
        ),
    ),
    "Llama-4-Scout": (
        "Llama4ForConditionalGeneration",
        parts(text(HEAD_DIM, LOCAL_EXPERTS, interleave_moe_layer_step=1, intermediate_size_mlp=128)),
    ),
    "Llama-4-Maverick": (
        "Llama4ForConditionalGeneration",
        parts(text(HEAD_DIM, LOCAL_EXPERTS, interleave_moe_layer_step=2, intermediate_size_mlp=128)),
    ),
    "Llama-4-Maverick-text": (
        "Llama4ForCausalLM",
        text(HEAD_DIM, LOCAL_EXPERTS, interleave_moe_layer_step=2, intermediate_size_mlp=128),
    ),
    "Mistral-7B": ("MistralForCausalLM", text()),
    "Mistral-Nemo": ("MistralForCausalLM", text(HEAD_DIM)),
    "Mistral-Small-3.1": (
        "Mistral3ForConditionalGeneration",
        parts(text(HEAD_DIM, model_type="mistral"), {**VISION, "model_type": "pixtral", "head_dim": 16}),
    ),
    "Mixtral-8x7B": ("MixtralForCausalLM", text(LOCAL_EXPERTS)),
    "Ministral-8B": ("MinistralForCausalLM", text(HEAD_DIM, SLIDING)),
    "Ministral-3-3B": (
        "Mistral3ForConditionalGeneration",
        parts(text(HEAD_DIM, TIED, model_type="ministral3"), {**VISION, "model_type": "pixtral", "head_dim": 16}),
    ),
    "Mistral-4": (
        "Mistral4ForCausalLM",
        text(LATENT, q_lora_rank=48, first_k_dense_replace=0, qk_head_dim=24, head_dim=24),
    ),
    "Qwen2-0.5B": ("Qwen2ForCausalLM", text(TIED)),
    "Qwen2.5-7B": ("Qwen2ForCausalLM", text(UNTIED)),
    "Qwen1.5-MoE-A2.7B": (
        "Qwen2MoeForCausalLM",
        text(EXPERTS, shared_expert_intermediate_size=48, decoder_sparse_step=1, mlp_only_layers=[]),
    ),
    "Qwen2-MoE with mlp_only_layers": (
        "Qwen2MoeForCausalLM",
        text(EXPERTS, shared_expert_intermediate_size=48, mlp_only_layers=[0, 3]),
    ),
    "Qwen3-0.6B": ("Qwen3ForCausalLM", text(HEAD_DIM, TIED)),
    "Qwen3-8B": ("Qwen3ForCausalLM", text(HEAD_DIM, UNTIED)),
    "Qwen3-Embedding": ("Qwen3Model", text(HEAD_DIM)),
    "Qwen3-30B-A3B": ("Qwen3MoeForCausalLM", text(HEAD_DIM, EXPERTS, mlp_only_layers=[])),
    "Qwen3-MoE with decoder_sparse_step": ("Qwen3MoeForCausalLM", text(HEAD_DIM, EXPERTS, decoder_sparse_step=2)),
    "Qwen3-MoE with mlp_only_layers": ("Qwen3MoeForCausalLM", text(HEAD_DIM, EXPERTS, mlp_only_layers=[1])),
    "Qwen3-Next-80B-A3B": ("Qwen3NextForCausalLM", text(HEAD_DIM, EXPERTS, LINEAR, shared_expert_intermediate_size=32)),
    "Qwen3-Next with mlp_only_layers": (
        "Qwen3NextForCausalLM",
        text(HEAD_DIM, EXPERTS, LINEAR, shared_expert_intermediate_size=32, mlp_only_layers=[0]),
    ),
    "Qwen3.5-4B": (
        "Qwen3_5ForConditionalGeneration",
        parts(text(HEAD_DIM, LINEAR, TIED, rope_parameters=SECTIONS), QWEN3_VISION, **TIED),
    ),
    "Qwen3.5-35B-A3B": (
        "Qwen3_5MoeForConditionalGeneration",
        parts(
            text(HEAD_DIM, LINEAR, EXPERTS, shared_expert_intermediate_size=32, rope_parameters=SECTIONS), QWEN3_VISION
        ),
    ),
    "Qwen2-VL-2B": (
        "Qwen2VLForConditionalGeneration",
        parts(text(TIED, rope_parameters=SECTIONS), {"depth": 2, "embed_dim": 32, "num_heads": 2, "hidden_size": 64}),
    ),
    "Qwen2.5-VL-7B": (
        "Qwen2_5_VLForConditionalGeneration",
        parts(text(rope_parameters=SECTIONS), {**QWEN_VISION, "fullatt_block_indexes": [1]}),
    ),
    "Qwen3-VL-4B": (
        "Qwen3VLForConditionalGeneration",
        parts(text(HEAD_DIM, TIED, rope_parameters=SECTIONS), QWEN3_VISION, **TIED),
    ),
    "Qwen3-VL-30B-A3B": (
        "Qwen3VLMoeForConditionalGeneration",
        parts(text(HEAD_DIM, EXPERTS, rope_parameters=SECTIONS), QWEN3_VISION),
    ),
    "gemma-2b": ("GemmaForCausalLM", text(HEAD_DIM, num_key_value_heads=1)),
    "gemma-2-9b": ("Gemma2ForCausalLM", text(HEAD_DIM, ALTERNATING)),
    "gemma-3-1b": ("Gemma3ForCausalLM", text(HEAD_DIM, SLIDING, num_key_value_heads=1)),
    "gemma-3-4b": ("Gemma3ForConditionalGeneration", parts(text(HEAD_DIM, SLIDING), mm_tokens_per_image=4)),
    "embeddinggemma-300m": ("Gemma3TextModel", text(HEAD_DIM, SLIDING, use_bidirectional_attention=True)),
    "gemma-3n-E2B text": (
        "Gemma3nForCausalLM",
        text(
            HEAD_DIM,
            ALTERNATING,
            num_kv_shared_layers=2,
            vocab_size_per_layer_input=128,
            hidden_size_per_layer_input=32,
            laurel_rank=8,
            activation_sparsity_pattern=[0.95, 0.95, 0.0, 0.0],
            intermediate_size=[96] * 4,
        ),
    ),
    "gemma-4-26B-A4B": (
        "Gemma4ForConditionalGeneration",
        parts(
            text(
                GEMMA_4,
                enable_moe_block=True,
                num_experts=4,
                top_k_experts=2,
                moe_intermediate_size=32,
                attention_k_eq_v=True,
                num_global_key_value_heads=1,
            ),
            {**VISION, "head_dim": 16, "num_key_value_heads": 2, "standardize": True},
            audio_config=None,
        ),
    ),
    "gemma-4-31B": (
        "Gemma4ForConditionalGeneration",
        parts(
            text(GEMMA_4, attention_k_eq_v=True, num_global_key_value_heads=1),
            {**VISION, "head_dim": 16, "num_key_value_heads": 2, "standardize": True},
            audio_config=None,
        ),
    ),
    "gemma-4-E2B": (
        "Gemma4ForConditionalGeneration",
        parts(
            text(GEMMA_4, GEMMA_4_SMALL, num_key_value_heads=1),
            {**VISION, "head_dim": 16, "num_key_value_heads": 2, "use_clipped_linears": True},
            audio_config=AUDIO,
        ),
    ),
    "gemma-4-E4B without audio": (
        "Gemma4ForConditionalGeneration",
        parts(
            text(GEMMA_4, GEMMA_4_SMALL, use_double_wide_mlp=False),
            {**VISION, "head_dim": 16, "num_key_value_heads": 2, "use_clipped_linears": True},
            audio_config=None,
        ),
    ),
    "gemma-4-E2B text": ("Gemma4ForCausalLM", text(GEMMA_4, GEMMA_4_SMALL)),
    "gemma-4-26B-A4B text": (
        "Gemma4ForCausalLM",
        text(GEMMA_4, enable_moe_block=True, num_experts=4, top_k_experts=2, moe_intermediate_size=32),
    ),
    "gemma-4-31B text": ("Gemma4ForCausalLM", text(GEMMA_4, attention_k_eq_v=True, num_global_key_value_heads=1)),
    "paligemma2-3b": (
        "PaliGemmaForConditionalGeneration",
        parts(text(HEAD_DIM, model_type="gemma2"), {**VISION, "model_type": "siglip_vision_model"}),
    ),
    "phi-2": ("PhiForCausalLM", text(ALL_HEADS, partial_rotary_factor=0.5)),
    "Phi-3-mini": ("Phi3ForCausalLM", text(ALL_HEADS)),
    "Phi-4-mini": ("Phi3ForCausalLM", text(TIED)),
    "Phi-3.5-MoE": ("PhimoeForCausalLM", text(LOCAL_EXPERTS, attention_bias=True, lm_head_bias=True)),
    "DeepSeek-V2-Lite": ("DeepseekV2ForCausalLM", text(LATENT, q_lora_rank=None, n_shared_experts=2)),
    "DeepSeek-V2": ("DeepseekV2ForCausalLM", text(LATENT, q_lora_rank=48, n_shared_experts=2)),
    "DeepSeek-V3": ("DeepseekV3ForCausalLM", text(LATENT, q_lora_rank=48, first_k_dense_replace=3)),
    "DeepSeek-V3.2": ("DeepseekV32ForCausalLM", text(LATENT, INDEXED, first_k_dense_replace=3)),
    "DeepSeek-V4": (
        "DeepseekV4ForCausalLM",
        text(
            ROUTED,
            num_key_value_heads=1,
            head_dim=32,
            q_lora_rank=48,
            o_groups=2,
            o_lora_rank=16,
            index_n_heads=2,
            index_head_dim=16,
        ),
    ),
    "Moonlight-16B-A3B": ("DeepseekV3ForCausalLM", text(LATENT, q_lora_rank=None, n_shared_experts=2)),
    "Kimi-K2": ("DeepseekV3ForCausalLM", text(LATENT, q_lora_rank=48)),
    "glm-4-9b": ("GlmForCausalLM", text(HEAD_DIM, attention_bias=True)),
    "GLM-4-32B-0414": ("Glm4ForCausalLM", text(HEAD_DIM)),
    "GLM-4.5-Air": ("Glm4MoeForCausalLM", text(ROUTED, HEAD_DIM, attention_bias=True, use_qk_norm=False)),
    "GLM-4.6": (
        "Glm4MoeForCausalLM",
        text(ROUTED, HEAD_DIM, attention_bias=True, use_qk_norm=True, first_k_dense_replace=3),
    ),
    "GLM-4.1V-9B": (
        "Glm4vForConditionalGeneration",
        parts(text(rope_parameters=SECTIONS), {**VISION, "depth": 2, "num_heads": 2, "out_hidden_size": 64}),
    ),
    "GLM-4.5V": (
        "Glm4vMoeForConditionalGeneration",
        parts(
            text(ROUTED, HEAD_DIM, attention_bias=True, rope_parameters=SECTIONS),
            {**VISION, "depth": 2, "num_heads": 2, "out_hidden_size": 64},
        ),
    ),
    "GLM-4.7-Flash": ("Glm4MoeLiteForCausalLM", text(LATENT, q_lora_rank=48)),
    "GLM-5": ("GlmMoeDsaForCausalLM", text(LATENT, INDEXED, first_k_dense_replace=3)),
    "gpt-oss-20b": ("GptOssForCausalLM", text(HEAD_DIM, LOCAL_EXPERTS, ALTERNATING)),
    "granite-3.3-8b": ("GraniteForCausalLM", text(TIED)),
    "granite-3.1-3b-a800m": ("GraniteMoeForCausalLM", text(LOCAL_EXPERTS, TIED)),
    "granite-4.0-h-tiny": ("GraniteMoeHybridForCausalLM", text(GRANITE_4, LOCAL_EXPERTS, TIED)),
    "granite-4.0-h-micro": (
        "GraniteMoeHybridForCausalLM",
        text(GRANITE_4, TIED, num_local_experts=0, num_experts_per_tok=0),
    ),
    "granite-4.0-micro": (
        "GraniteMoeHybridForCausalLM",
        text(GRANITE_4, TIED, num_local_experts=0, num_experts_per_tok=0, layer_types=["attention"] * 4),
    ),
    "OLMo-7B": ("OlmoForCausalLM", text(ALL_HEADS)),
    "OLMo-2-1B": ("Olmo2ForCausalLM", text(ALL_HEADS)),
    "Olmo-3-7B": ("Olmo3ForCausalLM", text(SLIDING, ALL_HEADS)),
    "Olmo-Hybrid-7B": ("OlmoHybridForCausalLM", text(LINEAR, ALL_HEADS)),
    "OLMoE-1B-7B": ("OlmoeForCausalLM", text(ALL_HEADS, num_experts=4, num_experts_per_tok=2)),
    "LFM2-1.2B": ("Lfm2ForCausalLM", text(layer_types=["conv", "conv", "full_attention", "conv"], block_ff_dim=96)),
    "LFM2-8B-A1B": (
        "Lfm2MoeForCausalLM",
        text(EXPERTS, layer_types=["conv", "conv", "full_attention", "conv"], num_dense_layers=2),
    ),
    "LFM2-VL-450M": (
        "Lfm2VlForConditionalGeneration",
        parts(
            text(layer_types=["conv", "conv", "full_attention", "conv"], model_type="lfm2"),
            {**VISION, "model_type": "siglip2_vision_model", "vision_use_head": False},
        ),
    ),
    "Bamba-9B": ("BambaForCausalLM", text(MAMBA, attn_layer_indices=[2])),
    "Jamba-v0.1": (
        "JambaForCausalLM",
        text(
            attn_layer_period=4,
            attn_layer_offset=2,
            expert_layer_period=2,
            expert_layer_offset=1,
            num_experts=4,
            num_experts_per_tok=2,
            mamba_d_state=16,
            mamba_dt_rank=8,
        ),
    ),
    "Jamba-Reasoning-3B": (
        "JambaForCausalLM",
        text(attn_layer_period=4, attn_layer_offset=2, num_experts=1, num_experts_per_tok=1, mamba_d_state=16, **TIED),
    ),
    "falcon-7b": (
        "FalconForCausalLM",
        {**ENCODER, "multi_query": True, "parallel_attn": True, "bias": False, "alibi": False},
    ),
    "falcon-40b": (
        "FalconForCausalLM",
        {**ENCODER, "new_decoder_architecture": True, "num_kv_heads": 2, "bias": False, "alibi": False},
    ),
    "falcon-rw-1b": (
        "FalconForCausalLM",
        {**ENCODER, "multi_query": False, "parallel_attn": False, "bias": True, "alibi": True},
    ),
    "falcon-11B": (
        "FalconForCausalLM",
        {**ENCODER, "new_decoder_architecture": True, "num_kv_heads": 2, "num_ln_in_parallel_attn": 1, "bias": False},
    ),
    "Falcon-H1-1.5B": (
        "FalconH1ForCausalLM",
        text(mamba_d_ssm=128, mamba_n_heads=8, mamba_d_head=16, mamba_d_state=16, mamba_n_groups=1),
    ),
    "falcon-mamba-7b": (
        "FalconMambaForCausalLM",
        {"vocab_size": 128, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 16},
    ),
    "mamba-130m": ("MambaForCausalLM", {"vocab_size": 128, "hidden_size": 64, "num_hidden_layers": 2}),
    "Mamba-Codestral-7B": (
        "Mamba2ForCausalLM",
        {
            "vocab_size": 128,
            "hidden_size": 64,
            "num_hidden_layers": 2,
            "num_heads": 8,
            "head_dim": 16,
            "n_groups": 2,
            "state_size": 16,
            "tie_word_embeddings": False,
        },
    ),
    "Minitron-4B": ("NemotronForCausalLM", text(HEAD_DIM)),
    "Nemotron-H-8B": ("NemotronHForCausalLM", text(NEMOTRON_H)),
    "Nemotron-3-Nano-30B-A3B": (
        "NemotronHForCausalLM",
        text(
            NEMOTRON_H,
            ROUTED,
            layers_block_type=["mamba", "moe", "attention", "moe"],
            moe_shared_expert_intermediate_size=48,
        ),
    ),
    "Nemotron-3-Super with moe_latent_size": (
        "NemotronHForCausalLM",
        text(
            NEMOTRON_H,
            ROUTED,
            layers_block_type=["mamba", "moe", "attention", "moe"],
            moe_shared_expert_intermediate_size=48,
            moe_latent_size=24,
        ),
    ),
    "Zamba2-1.2B": (
        "Zamba2ForCausalLM",
        text(
            num_hidden_layers=6,
            layers_block_type=["mamba", "hybrid", "mamba", "mamba", "hybrid", "mamba"],
            mamba_d_state=16,
            n_mamba_heads=4,
            num_mem_blocks=1,
            use_shared_attention_adapter=True,
            adapter_rank=8,
            use_mem_rope=True,
        ),
    ),
    "Zamba2-7B": (
        "Zamba2ForCausalLM",
        text(
            num_hidden_layers=6,
            layers_block_type=["mamba", "hybrid", "mamba", "hybrid", "mamba", "hybrid"],
            mamba_d_state=16,
            n_mamba_heads=4,
            num_mem_blocks=2,
            adapter_rank=8,
        ),
    ),
    "c4ai-command-r-v01": ("CohereForCausalLM", text(use_qk_norm=False)),
    "c4ai-command-r-plus": ("CohereForCausalLM", text(use_qk_norm=True)),
    "command-a": ("Cohere2ForCausalLM", text(HEAD_DIM, SLIDING)),
    "aya-vision-8b": (
        "AyaVisionForConditionalGeneration",
        parts(
            text(HEAD_DIM, SLIDING, model_type="cohere2"),
            {**VISION, "model_type": "siglip_vision_model", "vision_use_head": False},
        ),
    ),
    "starcoder2-3b": ("Starcoder2ForCausalLM", text(use_bias=True)),
    "pythia-160m": ("GPTNeoXForCausalLM", text(UNTIED)),
    "gpt-j-6b": ("GPTJForCausalLM", {**GPT, "rotary_dim": 8}),
    "gpt2": ("GPT2LMHeadModel", GPT),
    "opt-125m": ("OPTForCausalLM", {**ENCODER, "ffn_dim": 96, "word_embed_proj_dim": 64}),
    "opt-350m": (
        "OPTForCausalLM",
        {**ENCODER, "ffn_dim": 96, "word_embed_proj_dim": 32, "do_layer_norm_before": False},
    ),
    "bloom-560m": ("BloomForCausalLM", {"vocab_size": 128, "hidden_size": 64, "n_layer": 2, "n_head": 4}),
    "mpt-7b": ("MptForCausalLM", {"vocab_size": 128, "d_model": 64, "n_layers": 2, "n_heads": 4}),
    "MiniMax-Text-01": (
        "MiniMaxForCausalLM",
        text(LOCAL_EXPERTS, layer_types=["linear_attention"] * 3 + ["full_attention"]),
    ),
    "MiniMax-M2": ("MiniMaxM2ForCausalLM", text(LOCAL_EXPERTS, HEAD_DIM)),
    "ERNIE-4.5-0.3B": ("Ernie4_5ForCausalLM", text(HEAD_DIM, use_bias=False)),
    "ERNIE-4.5-21B-A3B": (
        "Ernie4_5_MoeForCausalLM",
        text(
            moe_num_experts=4,
            moe_k=2,
            moe_num_shared_experts=2,
            moe_intermediate_size=32,
            moe_layer_start_index=1,
            moe_layer_interval=1,
            moe_layer_end_index=3,
        ),
    ),
    "Hunyuan-7B": ("HunYuanDenseV1ForCausalLM", text(HEAD_DIM)),
    "Hunyuan-A13B": ("HunYuanMoEV1ForCausalLM", text(HEAD_DIM, num_experts=4, moe_topk=2)),
    "dots.llm1": ("Dots1ForCausalLM", text(ROUTED, HEAD_DIM, n_shared_experts=2)),
    "SmolLM3-3B": ("SmolLM3ForCausalLM", text(TIED, no_rope_layers=[1, 1, 1, 0])),
    "SmolVLM-256M": (
        "SmolVLMForConditionalGeneration",
        parts(text(model_type="llama"), {**VISION, "model_type": "smolvlm_vision"}, scale_factor=2),
    ),
    "Seed-OSS-36B": ("SeedOssForCausalLM", text(HEAD_DIM, attention_bias=True, attention_out_bias=False)),
    "Apertus-8B": ("ApertusForCausalLM", text()),
    "AFM-4.5B": ("ArceeForCausalLM", text()),
    "EXAONE-4.0-1.2B": ("Exaone4ForCausalLM", text(SLIDING, HEAD_DIM)),
    "LongCat-Flash": (
        "LongcatFlashForCausalLM",
        text(LATENT, q_lora_rank=48, num_layers=2, zero_expert_num=2, ffn_hidden_size=96, expert_ffn_hidden_size=32),
    ),
    "recurrentgemma-2b": (
        "RecurrentGemmaForCausalLM",
        text(
            num_hidden_layers=3,
            lru_width=64,
            block_types=["recurrent", "recurrent", "attention"],
            num_key_value_heads=1,
        ),
    ),
    "stablelm-2-1_6b": ("StableLmForCausalLM", text(use_qkv_bias=True, **ALL_HEADS)),
    "stablelm-2-12b": ("StableLmForCausalLM", text(qk_layernorm=True, use_parallel_residual=True)),
    "whisper-tiny": (
        "WhisperForConditionalGeneration",
        {**SEQUENCES, "max_source_positions": 64, "max_target_positions": 64, "num_mel_bins": 80},
    ),
    "t5-small": ("T5ForConditionalGeneration", {**T5, "feed_forward_proj": "relu"}),
    "flan-t5-small": ("T5ForConditionalGeneration", {**T5, "feed_forward_proj": "gated-gelu", **UNTIED}),
    "mt5-small": ("MT5ForConditionalGeneration", {**T5, "feed_forward_proj": "gated-gelu", **UNTIED}),
    "bart-base": ("BartForConditionalGeneration", SEQUENCES),
    "bert-base": ("BertForMaskedLM", ENCODER),
    "bert-base without pooler": ("BertForTokenClassification", {**ENCODER, "num_labels": 9}),
    "roberta-base": ("RobertaForMaskedLM", {**ENCODER, "type_vocab_size": 1}),
    "xlm-roberta reranker": ("XLMRobertaForSequenceClassification", {**ENCODER, "num_labels": 1}),
    "deberta-v3-base": (
        "DebertaV2ForSequenceClassification",
        {
            **ENCODER,
            "relative_attention": True,
            "position_buckets": 16,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_biased_input": False,
            "type_vocab_size": 0,
        },
    ),
    "ModernBERT-base": ("ModernBertForMaskedLM", {**ENCODER, "global_attn_every_n_layers": 3, "pad_token_id": 0}),
    "llava-1.5-7b": (
        "LlavaForConditionalGeneration",
        parts(text(model_type="llama"), {**VISION, "model_type": "clip_vision_model", "projection_dim": 32}),
    ),
    "llava-onevision-qwen2": (
        "LlavaOnevisionForConditionalGeneration",
        parts(text(model_type="qwen2"), {**VISION, "model_type": "siglip_vision_model", "vision_use_head": False}),
    ),
    "InternVL3-1B": (
        "InternVLForConditionalGeneration",
        parts(
            text(model_type="qwen2"),
            {**VISION, "model_type": "internvl_vision", "image_size": [28, 28], "patch_size": [14, 14]},
        ),
    ),
    "Idefics3-8B": (
        "Idefics3ForConditionalGeneration",
        parts(text(model_type="llama"), {**VISION, "model_type": "idefics3_vision"}, scale_factor=2),
    ),
    "clip-vit-base": (
        "CLIPModel",
        {"text_config": {**ENCODER, "eos_token_id": 2}, "vision_config": VISION, "projection_dim": 32},
    ),
}


def published_config(name):
    class_name, fields = PUBLISHED[name]
    return getattr(transformers, class_name).config_class(**fields)


def build(name):
    """A model without memory."""
    with torch.device("meta"):
        model = getattr(transformers, PUBLISHED[name][0])(published_config(name))
    model.tie_weights()
    return model


def stored_shapes(model):
    """Of what transformers would save: name to shape."""
    state = model.state_dict()
    kept = {name: it for name, it in state.items() if name not in model.all_tied_weights_keys}
    ignored = model._keys_to_ignore_on_save or ()
    kept = {name: torch.empty_like(it, device="meta") for name, it in kept.items() if name not in ignored}
    return {name: list(it.shape) for name, it in revert_weight_conversion(model, kept).items()}
