"""Small checkpoints in compressed-tensors' formats of 4 bits, and the values of their weights, decoded by torch."""

import json
from typing import NamedTuple

import torch
import transformers
from experts_models import change_config
from safetensors.torch import load_file, save_file
from torch.utils._python_dispatch import TorchDispatchMode

FILE = "model.safetensors"
E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])
IGNORED = ["lm_head"]


class Kind(NamedTuple):
    """A format. args: the "weights" of its group in config.json."""

    format: str
    quant_type: str
    group: int
    args: dict
    scales: torch.dtype


def _int4(group, scales=torch.bfloat16):
    args = {"type": "int", "strategy": "group", "group_size": group}
    return Kind("pack-quantized", "int4", group, args, scales)


KINDS = {
    "int4_32": _int4(32),
    "int4_128": _int4(128),
    "int4_float32": _int4(64, torch.float32),
    "nvfp4": Kind(
        "nvfp4-pack-quantized",
        "nvfp4_divisor",
        16,
        {"type": "float", "strategy": "tensor_group", "group_size": 16, "scale_dtype": "torch.float8_e4m3fn"},
        torch.float8_e4m3fn,
    ),
    "mxfp4": Kind(
        "mxfp4-pack-quantized",
        "mxfp4",
        32,
        {"type": "float", "strategy": "group", "group_size": 32, "scale_dtype": "torch.uint8"},
        torch.uint8,
    ),
}


def drawn(kind, n, k):
    """Returns random arrays of a weight [n, k]: every code, and values of about 0.05."""
    packed = torch.randint(256, (n, k // 2), dtype=torch.uint8)
    spread = torch.rand(n, k // kind.group) + 0.5
    if kind.quant_type == "int4":
        scales = (spread * 0.01).to(kind.scales)
        return {"weight_packed": packed.view(torch.int32), "weight_scale": scales, "weight_shape": torch.tensor([n, k])}
    if kind.quant_type == "mxfp4":
        return {"weight_packed": packed, "weight_scale": torch.randint(118, 122, spread.shape, dtype=torch.uint8)}
    divisor = torch.rand(1) * 1000 + 9000
    return {"weight_packed": packed, "weight_scale": (spread * 128).to(kind.scales), "weight_global_scale": divisor}


def decoded(arrays, dtype):
    """Returns the values of a weight, rounded once to a dtype, by the formulas of docs/FORMAT.md, section 15."""
    packed, scales = arrays["weight_packed"].view(torch.uint8), arrays["weight_scale"]
    codes = torch.stack((packed & 15, packed >> 4), -1).flatten(-2).long()
    values = codes.float() - 8 if "weight_shape" in arrays else E2M1[codes]
    a = torch.exp2(scales.float() - 127) if scales.dtype is torch.uint8 else scales.float()
    if "weight_global_scale" in arrays:
        a = a / arrays["weight_global_scale"]
    return (values * a.repeat_interleave(codes.shape[-1] // scales.shape[-1], -1)).to(dtype)


def tiny_llama(dtype=torch.bfloat16):
    torch.manual_seed(0)
    sizes = dict(hidden_size=128, intermediate_size=256, num_hidden_layers=2, vocab_size=128)
    config = transformers.LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, attention_bias=True)
    model = transformers.LlamaForCausalLM(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)  # else biases would be zero
    return _cast(model, dtype)


def _cast(model, dtype):
    """Like from_pretrained, leaves the buffers of the rotary embedding in float32."""
    for parameter in model.parameters():
        parameter.data = parameter.data.to(dtype)
    return model


def is_packed(name):
    return name.endswith("_proj.weight")


def published(folder, kind, activations=None):
    """Writes a Llama whose linear layers are packed. Returns its arrays."""
    tiny_llama().save_pretrained(folder)
    arrays = load_file(folder / FILE)
    for name in [name for name in arrays if is_packed(name)]:
        module = name.removesuffix("weight")
        arrays |= {module + leaf: array for leaf, array in drawn(kind, *arrays.pop(name).shape).items()}
        if activations:
            arrays[f"{module}input_global_scale"] = torch.rand(1) * 100
    save_file(arrays, folder / FILE, metadata={"format": "pt"})
    change_config(folder, quantization_config=quantization_config(kind, activations))
    return arrays


def deepseek(dtype=torch.bfloat16):
    """Like Kimi-K2: the files have an expert's three linear layers, which transformers joins to stacks."""
    torch.manual_seed(0)
    sizes = dict(hidden_size=64, intermediate_size=64, moe_intermediate_size=32, num_hidden_layers=2, vocab_size=128)
    experts = dict(n_routed_experts=4, num_experts_per_tok=2, n_group=1, topk_group=1, first_k_dense_replace=1)
    ranks = dict(q_lora_rank=32, kv_lora_rank=32, qk_rope_head_dim=16, qk_nope_head_dim=16, v_head_dim=16)
    heads = dict(num_attention_heads=4, num_key_value_heads=4)
    config = transformers.DeepseekV3Config(**sizes, **experts, **ranks, **heads)
    return _cast(transformers.DeepseekV3ForCausalLM(config), dtype)


def published_deepseek(folder, kind):
    """Writes a model whose experts and o_proj are packed. Returns the same arrays with weights decoded by torch."""
    deepseek().save_pretrained(folder)
    plain = load_file(folder / FILE)
    arrays = dict(plain)
    for name in [name for name in arrays if ".experts." in name or name.endswith("o_proj.weight")]:
        module = name.removesuffix("weight")
        found = drawn(kind, *arrays.pop(name).shape)
        if "weight_global_scale" in found and "up_proj" in name:
            found["weight_global_scale"] = arrays[
                f"{module.replace('up_proj', 'gate_proj')}weight_global_scale"
            ].clone()
        arrays |= {module + leaf: array for leaf, array in found.items()}
        plain[name] = decoded(found, torch.bfloat16)
    save_file(arrays, folder / FILE, metadata={"format": "pt"})
    change_config(folder, quantization_config=quantization_config(kind))
    return plain


def quantization_config(kind, activations=None, **more):
    """The form in which compressed-tensors writes it."""
    weights = {"num_bits": 4, "symmetric": True, "dynamic": False} | kind.args
    inputs = {"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "dynamic": "local"}
    group = {"targets": ["Linear"], "weights": weights, "format": kind.format, "output_activations": None}
    group["input_activations"] = inputs if activations else None
    return {
        "config_groups": {"group_0": group},
        "format": kind.format,
        "ignore": IGNORED,
        "quant_method": "compressed-tensors",
        "quantization_status": "compressed",
        "kv_cache_scheme": None,
    } | more


def plain_model(folder, dtype=torch.float32, decoded_to=None):
    """Returns the model of a packed checkpoint with its weights decoded by torch, to a dtype that may be narrower."""
    stored = load_file(folder / FILE)
    model = tiny_llama(dtype)
    state = {}
    for name in model.state_dict():
        module = name.removesuffix("weight")
        arrays = {
            key.removeprefix(module): array for key, array in stored.items() if key.startswith(f"{module}weight_")
        }
        state[name] = decoded(arrays, decoded_to or dtype) if is_packed(name) else stored[name].to(dtype)
    model.load_state_dict(state)
    return model.eval()


class LargestFloats(TorchDispatchMode):
    """Elements of the largest floating point tensor that any operation makes in memory."""

    found = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        made = function(*args, **kwargs or {})
        for tensor in made if isinstance(made, (list, tuple)) else [made]:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point() and not tensor.is_meta:
                self.found = max(self.found, tensor.numel())
        return made


def rewrite(folder, change):
    """Rewrites the file after `change` has modified its arrays."""
    arrays = load_file(folder / FILE)
    change(arrays)
    save_file(arrays, folder / FILE, metadata={"format": "pt"})


def reconfigure(folder, **fields):
    """Changes fields of the quantization_config."""
    config = json.loads((folder / "config.json").read_text())["quantization_config"]
    change_config(folder, quantization_config=config | fields)


def same_arrays(a, b):
    """Compares bytes, dtypes and shapes, because torch computes with no float8."""
    forms = [{name: (array.dtype, array.shape) for name, array in each.items()} for each in (a, b)]
    return forms[0] == forms[1] and all(torch.equal(_bytes(a[name]), _bytes(b[name])) for name in a)


def _bytes(array):
    return array.cpu().contiguous().reshape(-1).view(torch.uint8)
