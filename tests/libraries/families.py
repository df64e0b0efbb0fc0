"""Small models with random weights, for every model type that transformers can build from its config alone."""

import torch
import transformers
from transformers.models.auto import modeling_auto

LARGEST = 40_000_000  # maximum number of parameters

# The fields that are set in any config that has them, by their new value, to make a model small. Row lengths are
# multiples of 64, the block size, where the model type allows it.
_NAMES_OF = {
    0: "pad_token_id",
    1: "bos_token_id first_k_dense_replace max_window_layers n_group topk_group",
    2: (
        "decoder_layers depth encoder_layers eos_token_id layers n_layer n_layers num_attention_layers "
        "num_decoder_layers num_encoder_layers num_experts_per_tok num_hidden_layers num_key_value_heads "
        "num_kv_heads num_layers"
    ),
    4: (
        "attention_heads decoder_attention_heads encoder_attention_heads moe_num_experts n_head n_heads "
        "n_routed_experts num_attention_heads num_experts num_heads num_local_experts"
    ),
    8: "patch_size",
    16: "qk_nope_head_dim qk_rope_head_dim",
    32: "d_kv head_dim image_size kv_channels v_head_dim",
    64: "kv_lora_rank q_lora_rank sliding_window",
    128: (
        "d_model dim embed_dim embedding_size expert_dim expert_ffn_hidden_size hidden_dim hidden_size "
        "max_position_embeddings moe_intermediate_size n_ctx n_embd n_positions shared_expert_intermediate_size "
        "word_embed_proj_dim"
    ),
    256: ("d_ff decoder_ffn_dim encoder_ffn_dim ffn_dim ffn_hidden_size intermediate_dim intermediate_size n_inner"),
    512: "vocab_size",
}
SMALL = {name: size for size, names in _NAMES_OF.items() for name in names.split()}


# Further fields of some model types, whose numbers depend on each other or have unusual names.
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

# Mappings of model types to classes. A model type is loaded with the class of the first mapping that has it.
_KINDS = [
    modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    modeling_auto.MODEL_FOR_PRETRAINING_MAPPING_NAMES,
    modeling_auto.MODEL_MAPPING_NAMES,
]


def all_families():
    """Maps each model type to the name of its class."""
    classes = {}
    for kind in _KINDS:
        for family, names in kind.items():
            classes.setdefault(family, names if isinstance(names, str) else names[0])
    return dict(sorted(classes.items()))


def small_config(config_class):
    plain = config_class()
    values = {}
    for key, value in plain.to_dict().items():
        if isinstance(value, dict) and hasattr(getattr(plain, key), "model_type"):  # a sub-config
            values[key] = small_config(type(getattr(plain, key))).to_dict()
        elif key in SMALL and isinstance(value, int) and not isinstance(value, bool):
            values[key] = SMALL[key]
        elif key == "layer_types":  # its default length is for another number of layers
            values[key] = None
    values |= FURTHER.get(plain.model_type, {})
    try:
        return config_class(**values)
    except Exception:
        if values.pop("layer_types", None) is not None:
            raise
        return config_class(**values)


def make(class_name, path, **fields):
    """Saves a small model of that class with `fields` in its config. Raises transformers' error if it cannot be
    built."""
    model_class = getattr(transformers, class_name)
    config = small_config(model_class.config_class)
    config.update(fields)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in model_class(config).parameters())
    if size > LARGEST:
        raise ValueError(f"{size} parameters")
    torch.manual_seed(1)
    model_class(config).to(torch.bfloat16).save_pretrained(path)
