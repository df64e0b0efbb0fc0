"""A small random model of each model type of transformers that has the experts interface."""

import dataclasses
import importlib
import inspect
import re
from pathlib import Path

import torch
import transformers

# Patterns for the whole name of a config field -> value that makes the model small. Other fields keep their defaults.
SMALL = {
    r"hidden_size|emb_dim|d_model": 64,
    r"intermediate_size|dense_intermediate_size|prefix_dense_intermediate_size": 96,
    r"(moe|expert)_(intermediate|ffn_hidden)_size|.*shared.*intermediate_size|moe_latent_size": 32,
    r"num_hidden_layers|num_layers|n_layers|n_shared_experts|num_shared_experts": 2,
    r"(swa_|global_|linear_)?num_attention_heads|(swa_|global_)?num_key_value_heads": 4,
    r"(swa_|global_)?(v_)?head_dim|swa_v_head_dim|qk_(nope|rope)_head_dim": 16,
    r"vocab_size.*": 128,
    r"(moe_)?num_(local_|routed_)?experts|n_routed_experts": 4,
    r"num_experts_per_tok(en)?|moe_topk|moe_k|top_k_experts|moe_router_topk": 2,
    r"n_groups?|topk_group|num_expert_groups?|moe_layer_freq|expert_layer_period": 1,
    r"first_k_dense_replace|num_dense_layers|decoder_sparse_step|moe_num_shared_experts": 1,
    r"(q|kv|o)_lora_rank|index_head_dim": 16,
    r"index_n_heads|index_topk": 4,
    r"max_position_embeddings|original_max_position_embeddings": 256,
    r"sliding_window|attention_chunk_size": 8,
    r"linear_num_((key|value)_)?heads|mamba_n_groups|mamba_expand": 2,
    r"linear_((key|value)_)?head_dim|mamba_head_dim|mamba_d_head|mamba_d_state|ssm_state_size": 16,
    r"mamba_num_heads|mamba_n_heads|ssm_num_heads": 8,
    r".*(pad|bos|eos)_token_id": 0,
    r".*dropout.*": 0.0,
}
# What field names do not show: fields that are None, lists with an element per layer, and values that must match.
_ROPE = {"rope_type": "default", "rope_theta": 1e4}
_ROUTED = {"num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32}
SPECIAL = {
    "beam": {"mlp_layer_types": ["dense", "sparse"]},
    "deepseek_ocr2": {"num_experts_per_tok": 2, "mlp_layer_types": ["dense", "sparse"]},
    "deepseek_v2": {"num_experts_per_tok": 2},
    "diffusion_gemma": _ROUTED,
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2},
    "ernie4_5_vl_moe": {"moe_intermediate_size": [32, 32], "rope_parameters": _ROPE | {"mrope_section": [3, 3, 2]}},
    "flint": {"mlp_only_layers": []},
    "gemma4": _ROUTED | {"enable_moe_block": True},
    "glm4v_moe": {"rope_parameters": _ROPE | {"partial_rotary_factor": 0.5, "mrope_section": [2, 1, 1]}},
    "glm5_next": {"qk_rope_head_dim": 0, "head_dim": 0, "index_kpool": 1, "mlp_layer_types": ["dense", "sparse"]},
    "hunyuan_v1_moe": {"num_experts": 4, "moe_topk": 2, "head_dim": 16},
    "jamba": {"expert_layer_offset": 0},
    "lfm2_moe": {"layer_types": ["full_attention", "conv"]},
    "mimo_v2_flash": {"num_key_value_heads": 2},
    "zaya": {"num_experts_per_tok": 1},
}
ENDINGS = ("ForCausalLM", "TextModel", "ForConditionalGeneration", "Model")  # of class names, in order of preference


def families():
    """Returns the model types that have the experts interface, by transformers' folder names."""
    models = Path(transformers.__file__).parent / "models"
    sources = {file.parent.name: file.read_text("utf-8") for file in models.glob("*/modeling_*.py")}
    return sorted(name for name, source in sources.items() if "\n@use_experts_implementation" in source)


def build(family):
    """Builds a small model of the family's first class that can be built and run on tokens."""
    errors = []
    for model_class in _classes(family):
        try:
            torch.manual_seed(0)
            model = model_class(_small(model_class.config_class, SPECIAL.get(family, {}))).eval()
            run(model)
            return model
        except Exception as error:
            errors.append(f"{model_class.__name__}: {type(error).__name__}: {error}")
    raise AssertionError("\n".join([f"no model of {family} can be built", *errors]))


def _classes(family):
    module = importlib.import_module(f"transformers.models.{family}.modeling_{family}")
    found = [each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__]
    for ending in ENDINGS:
        for each in found:
            name = each.__name__
            if issubclass(each, transformers.PreTrainedModel) and name.endswith(ending) and "PreTrained" not in name:
                yield each


def _small(config_class, special):
    values = {}
    for field in dataclasses.fields(config_class):
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            found = [value for pattern, value in SMALL.items() if re.fullmatch(pattern, field.name)]
            values[field.name] = (found or [field.default])[0]
    for name, part in getattr(config_class, "sub_configs", {}).items():
        if dataclasses.is_dataclass(part):
            values[name] = _small(part, {}).to_dict()
    return config_class(**values | special)


def run(model):
    torch.manual_seed(1)
    found = model(input_ids=torch.randint(1, 128, (2, 12)), use_cache=False)
    return found.logits if hasattr(found, "logits") else found.last_hidden_state
