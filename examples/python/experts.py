#!/usr/bin/env python3
"""Trains LoRA on the 4-bit experts of a mixture-of-experts model: one step with peft, which saves the adapter.

    experts.py OUT          # a tiny Qwen3-MoE made here; the adapter is saved in OUT
    experts.py OUT MODEL    # a 16-bit model, by directory or name on the Hub: its experts are quantized here
    experts.py OUT MODEL    # a Qwen3-MoE directory written by `qfuse quantize --experts`: its codes are loaded
    experts.py OUT MODEL    # gpt-oss, such as openai/gpt-oss-20b: its experts stay in MXFP4

It runs on a GPU, or on a CPU if there is none, where only small models are fast enough. It trains on random tokens:
replace them with your own batches. Needs torch, transformers and peft besides qfuse.
"""

import sys
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig, get_peft_model
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedModel, Qwen3MoeConfig

import qfuse
from qfuse.integrations.transformers import Mxfp4Config

TINY = dict(vocab_size=256, hidden_size=128, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
TINY |= dict(head_dim=32, moe_intermediate_size=64, num_experts=8, num_experts_per_tok=2)
BATCH, TOKENS = 2, 64


def parts_of(weight: Any) -> tuple[Tensor, Tensor]:
    """Returns the codes and the absmax, not nested."""
    if len(weight.tensors) == 2:
        return weight.tensors
    packed, codes, nested_absmax, quant_map, offset = weight.tensors
    absmax = qfuse.ops.dequantize_blockwise(codes, nested_absmax, quant_map, weight.nested_blocksize, torch.float32)
    return packed, absmax + offset


def load_codes(folder: Path) -> PreTrainedModel:
    """Loads the experts' codes unchanged and joins the files' separate experts into stacks. Decodes other weights."""
    config = AutoConfig.from_pretrained(folder)
    del config.quantization_config  # with it, transformers would look for stacks
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    print(qfuse.quantize_experts(model, nested=False))  # random weights, which the codes replace below
    state = model.state_dict()
    weights = qfuse.load_checkpoint(folder)
    for name, weight in weights.items():
        if ".experts." not in name:
            state[name] = weight.dequantize() if isinstance(weight, qfuse.Weight4bit) else weight
    for name in [name for name in state if name.endswith(("experts.gate_up_proj", "experts.down_proj"))]:
        experts, _, stack = name.rpartition(".")
        parts = ("gate_proj", "up_proj") if stack == "gate_up_proj" else ("down_proj",)
        found = [parts_of(weights[f"{experts}.{i}.{part}.weight"]) for i in range(len(state[name])) for part in parts]
        for target, pieces in zip((name, f"{name}.absmax"), zip(*found, strict=True), strict=True):
            state[target] = torch.cat([piece.flatten() for piece in pieces]).view_as(state[target])
    model.load_state_dict(state)
    return model


def load(name: str | None) -> PreTrainedModel:
    if name is None:
        model = AutoModelForCausalLM.from_config(Qwen3MoeConfig(**TINY), dtype=torch.bfloat16)
    elif quantized := getattr(AutoConfig.from_pretrained(name), "quantization_config", None):
        if quantized["quant_method"] == "mxfp4":
            return AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16, quantization_config=Mxfp4Config())
        return load_codes(Path(name))
    else:
        model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.bfloat16)
    print(qfuse.quantize_experts(model))  # reports what was quantized, and what was skipped and why
    return model


def main(out: str, name: str | None = None) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    base = load(name).to(device)
    stacks = ["mlp.experts.gate_up_proj", "mlp.experts.down_proj"]
    lora = LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"], target_parameters=stacks)
    model = get_peft_model(base, lora)
    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    batch = torch.randint(base.config.vocab_size, (BATCH, TOKENS), device=device)
    for step in range(2):
        loss = model(input_ids=batch, labels=batch).loss
        print(f"loss {'behind' if step else 'before'} the step: {loss.item():.4f}")
        if step == 0:
            loss.backward()
            optimizer.step()
    model.save_pretrained(out)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
