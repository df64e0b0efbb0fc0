#!/usr/bin/env python3
"""Compares the ways of choices.py to round a model's linear layers, by judge.py's figures.

    experiment.py FOLDER NAME --text evaluation.txt --calibration calibration.txt --json models.json

FOLDER is a 16-bit model of transformers. All linear layers but the head are rounded, decoded to bf16 and multiplied in
fp32; the reference has their bf16 weights. NAME's entry is added to the file, whose other entries are kept; the figures
of each window go to a file beside it. Every choice is compared with NF4 of as many bytes, and rms is relative to the
weights. Exit status: 0, 2 wrong usage."""

import argparse
import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from choices import Choice, choices
from judge import TOKENS, WINDOWS, load, mean_and_error, scores, share_won_back, tokens_of, windows_of
from torch import Tensor

CALIBRATION = 64  # windows


def layers_of(model: Any) -> dict[str, torch.nn.Linear]:
    head = model.get_output_embeddings()
    linear = torch.nn.Linear
    return {name: layer for name, layer in model.named_modules() if isinstance(layer, linear) and layer is not head}


@torch.no_grad()
def hessians_of(model: Any, windows: Tensor) -> dict[str, Tensor]:
    """Returns the mean of x x^T [K, K] over the inputs x of each layer."""
    sums: dict[str, Tensor] = {}

    def add(name: str, x: Tensor) -> None:
        x = x.reshape(-1, x.shape[-1])
        sums[name] = sums.get(name, 0) + x.t() @ x / windows.numel()

    layers = layers_of(model)
    hooks = [
        layer.register_forward_pre_hook(lambda _, inputs, name=name: add(name, inputs[0]))
        for name, layer in layers.items()
    ]
    for part in windows.split(8 if windows.is_cuda else 1):
        model.model(input_ids=part, use_cache=False)
    for hook in hooks:
        hook.remove()
    return sums


@contextmanager
def rounded_inputs(layers: dict[str, torch.nn.Linear], choice: Choice) -> Iterator[None]:
    rounded = choice.inputs
    hooks = []
    if rounded is not None:
        hooks = [layer.register_forward_pre_hook(lambda _, x: (rounded(x[0]),)) for layer in layers.values()]
    yield
    for hook in hooks:
        hook.remove()


@torch.no_grad()
def try_choice(choice: Choice, model: Any, reference: Any, hessians: dict[str, Tensor], windows: Tensor) -> Any:
    """Rounds the model's layers, which get the reference's weights back at the next choice."""
    layers, wrong, whole = layers_of(model), 0.0, 0.0
    started = time.monotonic()
    for name, exact in layers_of(reference).items():
        back = choice.back(exact.weight, hessians[name])
        wrong += float((back - exact.weight).double().square().sum())
        whole += float(exact.weight.double().square().sum())
        layers[name].weight.copy_(back.to(torch.bfloat16))
    seconds = time.monotonic() - started
    with rounded_inputs(layers, choice):
        losses, divergences = scores(model, windows, reference)
    perplexity = math.exp(mean_and_error(losses)[0])
    words = f"perplexity {perplexity:.4f}, KL {mean_and_error(divergences)[0]:.5f}"
    print(f"{choice.name}: {words}, rounded in {seconds:.1f} s, {time.monotonic() - started:.1f} s", flush=True)
    return dict(rms=math.sqrt(wrong / whole), losses=losses, divergences=divergences)


def summary(choice: Choice, raw: dict[str, Any], exact: list[float]) -> dict[str, Any]:
    found, beside = raw[choice.name], raw[choice.beside]
    lost = [a - b for a, b in zip(found["losses"], exact, strict=True)]
    figures = dict(
        name=choice.name,
        bits=round(choice.bits, 3),
        is_nf4=choice.is_nf4,
        beside=choice.beside,
        rms=found["rms"],
        perplexity=math.exp(mean_and_error(found["losses"])[0]),
        lost=mean_and_error(lost),
        divergence=mean_and_error(found["divergences"]),
    )
    if choice.name != choice.beside:
        zeros = [0.0] * len(exact)
        figures["loss_won_back"] = share_won_back(found["losses"], beside["losses"], exact)
        figures["divergence_won_back"] = share_won_back(found["divergences"], beside["divergences"], zeros)
    return figures


def compare(arguments: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    from transformers import AutoTokenizer

    device = arguments.device
    tokenizer = AutoTokenizer.from_pretrained(arguments.folder)
    evaluation, calibration = (
        windows_of(tokens_of(tokenizer, file.read_text("utf-8")), arguments.tokens, most).to(device)
        for file, most in ((arguments.text, arguments.windows), (arguments.calibration, arguments.calibrating))
    )
    model, reference = (load(arguments.folder, device) for _ in range(2))
    for layer in layers_of(reference).values():
        layer.weight.data = layer.weight.data.to(torch.bfloat16).float()
    exact, _ = scores(reference, evaluation)
    print(f"{arguments.name}, as it is: perplexity {math.exp(mean_and_error(exact)[0]):.4f}", flush=True)
    hessians = hessians_of(reference, calibration)
    tried = [choice for choice in choices() if not arguments.only or choice.name in arguments.only]
    raw = {choice.name: try_choice(choice, model, reference, hessians, evaluation) for choice in tried}
    weights = sum(layer.weight.numel() for layer in layers_of(reference).values())
    result = dict(
        parameters=sum(each.numel() for each in reference.parameters()),
        rounded=weights,
        windows=len(evaluation),
        tokens=evaluation.shape[1],
        calibrating=len(calibration),
        perplexity=math.exp(mean_and_error(exact)[0]),
        choices=[summary(choice, raw, exact) for choice in tried],
    )
    return result, dict(as_it_is=exact) | raw


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--text", type=Path, required=True, metavar="FILE", help="to judge by, UTF-8")
    parser.add_argument("--calibration", type=Path, required=True, metavar="FILE", help="another text, UTF-8")
    parser.add_argument("--json", type=Path, required=True, metavar="FILE")
    parser.add_argument("--windows", type=int, default=WINDOWS, metavar="N", help=f"at most, default: {WINDOWS}")
    parser.add_argument("--calibrating", type=int, default=CALIBRATION, metavar="N", help=f"default: {CALIBRATION}")
    parser.add_argument("--tokens", type=int, default=TOKENS, metavar="N", help=f"of a window, default: {TOKENS}")
    parser.add_argument("--only", nargs="+", metavar="CHOICE", help="with those that they are compared with")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args(words)
    torch.set_float32_matmul_precision("highest")
    result, raw = compare(arguments)
    name = torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU"
    result |= dict(date=time.strftime("%Y-%m-%d"), device=name, torch=torch.__version__)
    for file, entry in ((arguments.json, result), (arguments.json.with_suffix(".windows.json"), raw)):
        entries = json.loads(file.read_text("utf-8")) if file.exists() else {}
        file.write_text(json.dumps(entries | {arguments.name: entry}, indent=1) + "\n")


if __name__ == "__main__":
    main()
