#!/usr/bin/env python3
"""Trains a small Llama on a text, or trains a model further, so that there is a model in full precision to judge.

    train.py OUT --tokenizer FOLDER --text training.txt --seconds 200        a new one of 63 million parameters
    train.py OUT --start FOLDER --text training.txt --seconds 60 --rate 3e-4

AdamW under bf16 autocast; the rate falls to zero within the given seconds, whatever the speed. Weights are saved in
bf16, with the tokenizer. Exit status: 0, 2 wrong usage."""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import torch
from judge import TOKENS
from torch import Tensor

WARM_UP, DECAY, CLIP, BETAS = 0.03, 0.1, 1.0, (0.9, 0.95)
WIDTHS = dict(hidden_size=512, intermediate_size=1536, num_hidden_layers=12, num_attention_heads=8)
WIDTHS |= dict(num_key_value_heads=4, max_position_embeddings=2048)
SMALL = dict(hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2, num_key_value_heads=1)


def tokens_of(tokenizer: Any, text: Path) -> Tensor:
    """Returns all tokens of a text, in parts so that the tokenizer uses every core."""
    letters = text.read_text("utf-8")
    parts = [letters[at : at + 100_000] for at in range(0, len(letters), 100_000)]
    options = dict(add_special_tokens=False, return_attention_mask=False, verbose=False)
    found = tokenizer(parts, **options)["input_ids"]
    return torch.cat([torch.tensor(part, dtype=torch.int32) for part in found])


def model_of(arguments: argparse.Namespace, tokenizer: Any) -> Any:
    from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

    if arguments.start:
        return AutoModelForCausalLM.from_pretrained(arguments.start, dtype=torch.float32)
    widths = WIDTHS | (SMALL if arguments.small else {})
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), tie_word_embeddings=True, **widths))


def loss_of(model: Any, windows: Tensor) -> Tensor:
    with torch.autocast(windows.device.type, torch.bfloat16):
        logits = model(input_ids=windows, use_cache=False).logits[:, :-1]
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), windows[:, 1:].flatten())


def train(model: Any, windows: Tensor, arguments: argparse.Namespace) -> None:
    decayed = [each for each in model.parameters() if each.dim() > 1]
    others = [each for each in model.parameters() if each.dim() == 1]
    groups = [dict(params=decayed, weight_decay=DECAY), dict(params=others, weight_decay=0.0)]
    optimizer = torch.optim.AdamW(groups, lr=arguments.rate, betas=BETAS, fused=True)
    run = loss_of if arguments.eager else torch.compile(loss_of)
    run(model, windows[: arguments.batch].to(arguments.device).long()).backward()  # compiles outside of the clock
    optimizer.zero_grad()
    order: list[int] = []
    step, spent, begun = 0, 0.0, time.monotonic()
    while spent < 1:
        if len(order) < arguments.batch:
            order = torch.randperm(len(windows)).tolist()
        chosen, order = order[: arguments.batch], order[arguments.batch :]
        loss = run(model, windows[chosen].to(arguments.device, non_blocking=True).long())
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        for group in optimizer.param_groups:
            group["lr"] = arguments.rate * min(spent / WARM_UP, (1 - spent) / (1 - WARM_UP))
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if step % 20 == 0 or arguments.small or arguments.eager:
            value = float(loss.detach())  # waits for the GPU, so that the clock is right
            spent = (time.monotonic() - begun) / arguments.seconds
            if step % 200 == 0 or spent >= 1:
                seen = step * arguments.batch / len(windows)
                print(f"step {step}, {seen:.2f} times the text: loss {value:.4f}", flush=True)


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--text", type=Path, required=True, metavar="FILE", help="UTF-8")
    parser.add_argument("--tokenizer", type=Path, metavar="FOLDER", help="of the new model")
    parser.add_argument("--start", type=Path, metavar="FOLDER", help="a model to train further")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rate", type=float, default=1e-3, help="default: %(default)s")
    parser.add_argument("--batch", type=int, default=64, metavar="N", help=f"windows of {TOKENS} tokens per step")
    parser.add_argument("--eager", action="store_true", help="do not compile the step")
    parser.add_argument("--small", action="store_true", help="two narrow layers, to try this on a CPU")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args(words)
    if not (arguments.tokenizer or arguments.start):
        parser.error("give --tokenizer for a new model, or --start")
    from transformers import AutoTokenizer

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    torch.manual_seed(0)
    tokenizer = AutoTokenizer.from_pretrained(arguments.start or arguments.tokenizer)
    tokens = tokens_of(tokenizer, arguments.text)
    windows = tokens[: len(tokens) // TOKENS * TOKENS].view(-1, TOKENS)
    model = model_of(arguments, tokenizer).to(arguments.device)
    parameters = sum(each.numel() for each in model.parameters())
    print(f"{parameters / 1e6:.1f} million parameters, {len(tokens) / 1e6:.1f} million tokens", flush=True)
    train(model, windows, arguments)
    model.to(torch.bfloat16).save_pretrained(arguments.out)
    tokenizer.save_pretrained(arguments.out)


if __name__ == "__main__":
    main()
