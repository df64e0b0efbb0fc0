"""4-bit checkpoints whose tensors differ from those of their plain model, in the layouts of loaders of such models.

Each function adds a checkpoint's tensors for one plain tensor, and returns the plain tensor as it is after decoding."""

import bitsandbytes
import torch


def quantized(name, weight, tensors):
    """Adds a weight in 4 bits, and returns its decoded value."""
    codes, state = bitsandbytes.functional.quantize_4bit(
        weight.contiguous(), quant_type="nf4", compress_statistics=True
    )
    tensors[name] = codes
    tensors |= {f"{name}.{key}": part for key, part in state.as_dict(packed=True).items()}
    return bitsandbytes.functional.dequantize_4bit(codes, state).to(weight.dtype)


def turned(matrices):
    return torch.stack([matrix.T for matrix in matrices]).contiguous()


def split_gpt_oss(name, weight, tensors):
    """unsloth_zoo: GptOssExpertsBnb4bit, GptOssTopKRouter."""
    if name.endswith(("experts.gate_up_proj", "experts.down_proj")):
        return turned(quantized(f"{name}s.{e}.weight", one.T, tensors) for e, one in enumerate(weight))
    if ".experts." in name:  # the biases
        tensors |= {f"{name.removesuffix('_bias')}s.{e}.bias": one.clone() for e, one in enumerate(weight)}
    else:
        tensors[name.replace(".router.", ".router.linear.")] = weight
    return weight


def parts_of(name):
    return ["gate_proj", "up_proj"] if name.endswith(("gate_up_proj", "fc1.weight")) else ["down_proj"]


def split_one_by_one(name, weight, tensors, inner=""):
    holder, _, last = name.rpartition(".experts.")
    if not holder:
        tensors[name] = weight
        return weight
    parts = parts_of(last)
    return turned(
        torch.cat(
            [
                quantized(f"{holder}.experts.{inner}{e}.{part}.weight", half, tensors)
                for part, half in zip(parts, one.T.chunk(len(parts)), strict=True)
            ]
        )
        for e, one in enumerate(weight)
    )


def split_llama4(name, weight, tensors):
    """transformers 4 and 5: SequentialLlama4TextExperts."""
    return split_one_by_one(name, weight, tensors)


def split_aria(name, weight, tensors):
    """Aria-sequential_mlp: SequentialMLP."""
    return split_one_by_one(name, weight, tensors, "experts.")


def stacked_llama4(name, weight, tensors):
    """unsloth's Llama 4; unsloth_zoo reads it with _SplitFusedExpertDeserialize."""
    if ".experts." not in name:
        tensors[name] = weight
        return weight
    holder, _, last = name.rpartition(".")
    parts = parts_of(last)
    halves = weight.chunk(len(parts), dim=2)
    return torch.cat(
        [
            quantized(f"{holder}.{part}.weight", half.reshape(-1, half.shape[2]), tensors).reshape(half.shape)
            for part, half in zip(parts, halves, strict=True)
        ],
        dim=2,
    )


def stacked_qwen3(name, weight, tensors):
    """transformers-qwen3-moe-fused: MoeFusedLinear4bit. In the plain model, all experts are one tensor."""
    if ".mlp.experts." not in name:
        tensors[name] = weight
        return weight
    parts = parts_of(name)
    halves = weight.chunk(len(parts), dim=1)
    holder = name.partition(".experts.")[0]
    return torch.cat(
        [quantized(f"{holder}.{part}.weight", half, tensors) for part, half in zip(parts, halves, strict=True)], dim=1
    )


def packed(name, weight, tensors):
    """bitsandbytes' replace_parameter_4bit: all experts are one 3D 4-bit weight."""
    if (".experts." in name and weight.ndim == 3) or (name.endswith("_linear.weight") and weight.ndim == 3):
        return quantized(name, weight, tensors)
    tensors[name] = weight
    return weight


# Class of the checkpoints, their layout, and whether the plain model stacks its experts only with
# `save_original_format=False`.
LAYOUTS = {
    "gpt-oss, one by one": ("GptOssForCausalLM", split_gpt_oss, False),
    "Llama 4, one by one": ("Llama4ForCausalLM", split_llama4, False),
    "Llama 4, gate and up apart": ("Llama4ForCausalLM", stacked_llama4, False),
    "Aria, one by one": ("AriaForConditionalGeneration", split_aria, False),
    "Qwen3 MoE, fused": ("Qwen3MoeForCausalLM", stacked_qwen3, True),
    "gpt-oss, packed": ("GptOssForCausalLM", packed, False),
    "Granite MoE, packed": ("GraniteMoeForCausalLM", packed, False),
    "Qwen3 MoE, packed": ("Qwen3MoeForCausalLM", packed, True),
    "Mixtral, packed": ("MixtralForCausalLM", packed, True),
    "Qwen3-VL MoE, packed": ("Qwen3VLMoeForConditionalGeneration", packed, True),
}
