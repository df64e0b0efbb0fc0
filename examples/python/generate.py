#!/usr/bin/env python3
"""Generates text with a 4-bit model: transformers as usual, except that qfuse multiplies directly by the 4-bit codes.

    generate.py MODEL PROMPT    # a directory or a name on the Hub: unsloth/Llama-3.2-1B-Instruct-bnb-4bit
    generate.py MODEL 1 15 7    # the prompt as token ids, for a model without a tokenizer

It runs on a GPU, or on a CPU if there is none. Needs torch, transformers, accelerate and bitsandbytes besides qfuse.
"""

import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import qfuse.integrations.bitsandbytes

NEW_TOKENS = 32


def main(model_name: str, prompt: list[str]) -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(qfuse.integrations.bitsandbytes.enable(matmul=True))  # prints which functions qfuse has replaced

    model = AutoModelForCausalLM.from_pretrained(model_name, device_map=device, dtype=torch.bfloat16)
    tokenizer = None if all(word.isdigit() for word in prompt) else AutoTokenizer.from_pretrained(model_name)
    tokens = [int(word) for word in prompt] if tokenizer is None else tokenizer(" ".join(prompt))["input_ids"]

    inputs = torch.tensor([tokens], device=device)
    with torch.inference_mode():
        output = model.generate(
            inputs, attention_mask=torch.ones_like(inputs), max_new_tokens=NEW_TOKENS, do_sample=False
        )[0].tolist()
    print(output if tokenizer is None else tokenizer.decode(output, skip_special_tokens=True))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
