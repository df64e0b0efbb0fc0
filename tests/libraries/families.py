"""Small models with random weights, of every family that transformers can build from its config alone."""

import torch
import transformers
from transformers.models.auto import modeling_auto

LARGEST = 40_000_000  # parameters

# What makes a family's config a small model, wherever a config has such a number. Rows are whole blocks of 64, where a
# family lets them be.
SMALL = {
    "attention_heads": 4,
    "bos_token_id": 1,
    "d_ff": 256,
    "d_kv": 32,
    "d_model": 128,
    "decoder_attention_heads": 4,
    "decoder_ffn_dim": 256,
    "decoder_layers": 2,
    "depth": 2,
    "dim": 128,
    "embed_dim": 128,
    "embedding_size": 128,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 256,
    "encoder_layers": 2,
    "eos_token_id": 2,
    "expert_dim": 128,
    "expert_ffn_hidden_size": 128,
    "ffn_dim": 256,
    "ffn_hidden_size": 256,
    "first_k_dense_replace": 1,
    "head_dim": 32,
    "hidden_dim": 128,
    "hidden_size": 128,
    "image_size": 32,
    "intermediate_dim": 256,
    "intermediate_size": 256,
    "kv_channels": 32,
    "kv_lora_rank": 64,
    "layers": 2,
    "max_position_embeddings": 128,
    "max_window_layers": 1,
    "moe_intermediate_size": 128,
    "moe_num_experts": 4,
    "n_ctx": 128,
    "n_embd": 128,
    "n_group": 1,
    "n_head": 4,
    "n_heads": 4,
    "n_inner": 256,
    "n_layer": 2,
    "n_layers": 2,
    "n_positions": 128,
    "n_routed_experts": 4,
    "num_attention_heads": 4,
    "num_attention_layers": 2,
    "num_decoder_layers": 2,
    "num_encoder_layers": 2,
    "num_experts": 4,
    "num_experts_per_tok": 2,
    "num_heads": 4,
    "num_hidden_layers": 2,
    "num_key_value_heads": 2,
    "num_kv_heads": 2,
    "num_layers": 2,
    "num_local_experts": 4,
    "pad_token_id": 0,
    "patch_size": 8,
    "q_lora_rank": 64,
    "qk_nope_head_dim": 16,
    "qk_rope_head_dim": 16,
    "shared_expert_intermediate_size": 128,
    "sliding_window": 64,
    "topk_group": 1,
    "v_head_dim": 32,
    "vocab_size": 512,
    "word_embed_proj_dim": 128,
}

# What some families need besides, because their numbers depend on each other or stand under names of their own.
FURTHER = {
    "dots1": {"n_shared_experts": 1, "layer_types": ["full_attention"] * 2},
    "esm": {"vocab_size": 33, "mask_token_id": 32, "position_embedding_type": "rotary"},
    "flaubert": {"emb_dim": 128, "n_words": 512},
    "gemma3n_text": {
        "num_kv_shared_layers": 0,
        "vocab_size_per_layer_input": 512,
        "hidden_size_per_layer_input": 64,
        "laurel_rank": 64,
        "activation_sparsity_pattern": [0.0, 0.0],
        "layer_types": ["full_attention"] * 2,
    },
    "gemma4_text": {"vocab_size_per_layer_input": 512, "hidden_size_per_layer_input": 64},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "hunyuan_v1_dense": {"head_dim": 32, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "hunyuan_v1_moe": {"head_dim": 32, "rope_parameters": {"rope_type": "default", "rope_theta": 1e4}},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    "luke": {"entity_vocab_size": 64, "entity_emb_size": 64},
    "mamba2": {"num_heads": 8, "head_dim": 32, "n_groups": 1, "state_size": 16},
    "ministral": {"head_dim": 32, "layer_types": ["full_attention"] * 2},
    "nemotron": {"num_key_value_heads": 2, "head_dim": 32},
    "swin": {"embed_dim": 64, "depths": [1, 1], "num_heads": [2, 4], "window_size": 2, "patch_size": 2},
    "xlm": {"emb_dim": 128, "n_words": 512},
}

# Which class a family's checkpoints are loaded with: the first of these that it has.
_KINDS = [
    modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_PRETRAINING_MAPPING_NAMES,
    modeling_auto.MODEL_MAPPING_NAMES,
]


def all_families():
    """Name of a family to that of its class."""
    classes = {}
    for kind in _KINDS:
        for family, names in kind.items():
            classes.setdefault(family, names if isinstance(names, str) else names[0])
    return dict(sorted(classes.items()))


def small_config(config_class):
    plain = config_class()
    values = {}
    for key, value in plain.to_dict().items():
        if isinstance(value, dict) and hasattr(getattr(plain, key), "model_type"):  # the config of a part
            values[key] = small_config(type(getattr(plain, key))).to_dict()
        elif key in SMALL and isinstance(value, int) and not isinstance(value, bool):
            values[key] = SMALL[key]
        elif key == "layer_types":  # as many as there are layers
            values[key] = None
    values |= FURTHER.get(plain.model_type, {})
    try:
        return config_class(**values)
    except Exception:
        if values.pop("layer_types", None) is not None:
            raise
        return config_class(**values)


def make(class_name, path, **fields):
    """Saves a small model of that class; `fields`: of its config. Raises whatever transformers raises where it cannot
    be built so."""
    model_class = getattr(transformers, class_name)
    config = small_config(model_class.config_class)
    config.update(fields)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in model_class(config).parameters())
    if size > LARGEST:
        raise ValueError(f"{size} parameters")
    torch.manual_seed(1)
    model_class(config).to(torch.bfloat16).save_pretrained(path)
