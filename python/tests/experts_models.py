"""Small models with experts to quantize, and the twin of a quantized model, whose stacks are decoded."""

import copy
import json

import torch
import transformers
from safetensors.torch import load_file, save_file
from torch.nn import Parameter
from transformers.integrations.moe import ALL_EXPERTS_FUNCTIONS, batched_mm_experts_forward

from qfuse.integrations import transformers_experts as experts


def mixtral(dtype=torch.float32, seed=0):
    config = transformers.MixtralConfig(**_SIZES, num_key_value_heads=2, num_local_experts=4)
    return _make(transformers.MixtralForCausalLM, config, dtype, seed)


def gpt_oss(dtype=torch.float32, seed=0):
    """Its stacks are transposed, its experts have biases, and gate and up columns alternate."""
    rope = {"rope_type": "default", "rope_theta": 1e4}
    config = transformers.GptOssConfig(
        **_SIZES, num_key_value_heads=2, num_local_experts=4, num_experts_per_tok=2, head_dim=16, rope_parameters=rope
    )
    return _make(transformers.GptOssForCausalLM, config, dtype, seed)


def published_gpt_oss(folder):
    """Writes a model directory like the published gpt-oss, with experts in MXFP4. Returns its arrays."""
    gpt_oss(torch.bfloat16).save_pretrained(folder)
    arrays = load_file(folder / "model.safetensors")
    for name in [name for name in arrays if name.endswith(("gate_up_proj", "down_proj"))]:
        experts, inputs, outputs = arrays.pop(name).shape
        blocks = experts, outputs, inputs // 32
        arrays[f"{name}_blocks"] = torch.randint(256, (*blocks, 16), dtype=torch.uint8)
        arrays[f"{name}_scales"] = torch.randint(118, 124, blocks, dtype=torch.uint8)  # 2^-9 to 2^-4
    save_file(arrays, folder / "model.safetensors", metadata={"format": "pt"})
    plain = ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]
    change_config(folder, quantization_config={"quant_method": "mxfp4", "modules_to_not_convert": plain})
    return arrays


def change_config(folder, **fields):
    """A field of None is removed."""
    config = json.loads((folder / "config.json").read_text()) | fields
    (folder / "config.json").write_text(json.dumps({key: value for key, value in config.items() if value is not None}))


_SIZES = dict(hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4, vocab_size=128)


def _make(model_class, config, dtype, seed):
    torch.manual_seed(seed)
    model = model_class(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.02)  # else biases would be zero
    return model.to(dtype).eval()


def tokens(model):
    torch.manual_seed(1)
    return torch.randint(1, 128, (2, 12)).to(model.device)


def logits(model):
    with torch.no_grad():
        return model(tokens(model)).logits


def close(found, expected):
    """Compares in float32 with a tolerance, because sums have another order."""
    return (found - expected).abs().max() <= 2e-5 * expected.abs().max()


def distance(found, exact):
    return (found.double() - exact.double()).abs().max().item()


def stacks(model):
    """Yields each quantized parameter of a model: its module, its name there, and the Stack4bit."""
    for module in list(model.modules()):
        for name in ("gate_up_proj", "up_proj", "down_proj"):
            stack = experts.stack_of(module, name)
            if stack is not None:
                yield module, name, stack


def decoded(model, implementation="eager"):
    """Returns a copy whose stacks are decoded."""
    twin = copy.deepcopy(model)
    for module, name, stack in list(stacks(twin)):
        module._parameters[name] = Parameter(stack.weight(module._parameters[name]).dequantize(), requires_grad=False)
        del module._modules[f"{name}_4bit"]
        module.config._experts_implementation = {"": implementation}
    return twin


def in_float64(model):
    """Returns the twin with only its experts in float64, because some model families cannot run in it as a whole."""
    twin = decoded(model, "float64_of_tests")
    for module in {module for module in twin.modules() if hasattr(module, "_apply_gate")}:
        module.double()
    return twin


def _multiply_in_float64(self, hidden_states, top_k_index, top_k_weights):
    y = batched_mm_experts_forward(self, hidden_states.double(), top_k_index, top_k_weights.double())
    return y.to(hidden_states.dtype)


ALL_EXPERTS_FUNCTIONS.register("float64_of_tests", _multiply_in_float64)
