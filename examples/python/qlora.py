#!/usr/bin/env python3
"""Trains a LoRA adapter on a 4-bit model with peft; qfuse computes the layers, forward and backward.

    qlora.py MODEL OUT    # a directory or a name on the Hub: unsloth/Llama-3.2-1B-bnb-4bit; OUT gets the adapter

It runs on a GPU, or without one on a CPU, where only small models are fast enough. It trains on random tokens: put
batches of your own in their place. Needs torch, transformers, accelerate, peft and bitsandbytes beside qfuse.
"""

import sys

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft

STEPS, BATCH, TOKENS = 10, 2, 64


def main(model_name: str, out: str) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(qfuse.integrations.bitsandbytes.enable())  # which functions qfuse has replaced
    print(qfuse.integrations.peft.enable())

    base = AutoModelForCausalLM.from_pretrained(model_name, device_map=device, dtype=torch.bfloat16)
    model = get_peft_model(base, LoraConfig(r=16, lora_alpha=32, target_modules="all-linear", task_type="CAUSAL_LM"))
    print("left to peft:", qfuse.integrations.peft.uncovered(model) or "nothing")

    optimizer = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=1e-3)
    batch = torch.randint(base.config.vocab_size, (BATCH, TOKENS), device=device)
    for step in range(1, STEPS + 1):
        with torch.autocast(device, torch.bfloat16):
            loss = model(input_ids=batch, labels=batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.4f}")
    model.save_pretrained(out)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
