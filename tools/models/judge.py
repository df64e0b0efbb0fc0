#!/usr/bin/env python3
"""Judges models by a text: perplexity, and KL divergence per token from a reference, on the same windows for all.

    judge.py REFERENCE CANDIDATE... --text FILE [--windows 256 --tokens 512 --json FILE]

REFERENCE and CANDIDATE are folders that transformers loads, quantized ones too; the reference's tokenizer is used.
Windows are spread evenly over the text and do not overlap. Every candidate is compared with the reference, and with the
first candidate, window by window: the standard error is that of the mean difference, which is far smaller than that of
either mean. Products are summed in fp32. Exit status: 0, 2 wrong usage."""

import argparse
import json
import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

WINDOWS, TOKENS = 256, 512


def windows_of(tokens: Tensor, length: int, most: int) -> Tensor:
    """Returns windows [W, length], W <= most, evenly spread over tokens [T]."""
    whole = len(tokens) // length
    count = min(most, whole)
    if not count:
        raise SystemExit(f"the text has {len(tokens)} tokens, a window has {length}")
    return torch.stack([tokens[(at := i * whole // count * length) : at + length] for i in range(count)])


def tokens_of(tokenizer: Any, text: str) -> Tensor:
    lines = tokenizer(text.splitlines(keepends=True), add_special_tokens=False, verbose=False)["input_ids"]
    return torch.tensor([token for line in lines for token in line])


def log_probabilities(model: Any, windows: Tensor) -> Tensor:
    """Returns log p [W, T - 1, V] of every next token."""
    return model(input_ids=windows, use_cache=False).logits[:, :-1].float().log_softmax(-1)


@torch.no_grad()
def scores(model: Any, windows: Tensor, reference: Any = None, batch: int = 8) -> tuple[list[float], list[float]]:
    """Returns, per window, the mean of -log p(next token), and of KL(reference || model), both in nats."""
    losses, divergences = [], []
    for part in windows.split(batch if windows.is_cuda else 1):
        found = log_probabilities(model, part)
        losses += (-found.gather(2, part[:, 1:, None])).double().mean((1, 2)).tolist()
        if reference is not None:
            expected = log_probabilities(reference, part)
            divergence = (expected.exp() * (expected - found)).sum(-1)
            divergences += divergence.double().mean(1).tolist()
    return losses, divergences


def mean_and_error(values: list[float]) -> tuple[float, float]:
    """Returns the mean and its standard error."""
    mean = math.fsum(values) / len(values)
    square = math.fsum((value - mean) ** 2 for value in values)
    return mean, math.sqrt(square / max(1, len(values) - 1) / len(values))


def share_won_back(candidate: list[float], beside: list[float], exact: list[float]) -> tuple[float, float]:
    """Returns which share of the distance from exact to beside the candidate wins back, and the standard error of this
    ratio of paired means."""
    lost = [b - e for b, e in zip(beside, exact, strict=True)]
    won = [b - c for b, c in zip(beside, candidate, strict=True)]
    share = math.fsum(won) / math.fsum(lost)
    _, error = mean_and_error([w - share * loss for w, loss in zip(won, lost, strict=True)])
    return share, error / abs(mean_and_error(lost)[0])


def load(folder: Path, device: str) -> Any:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(folder, dtype="auto").eval()
    is_quantized = getattr(model, "quantization_method", None) is not None
    return model.to(device) if is_quantized else model.to(device, torch.float32)


def judge(arguments: argparse.Namespace) -> dict[str, Any]:
    from transformers import AutoTokenizer

    tokens = tokens_of(AutoTokenizer.from_pretrained(arguments.reference), arguments.text.read_text("utf-8"))
    windows = windows_of(tokens, arguments.tokens, arguments.windows).to(arguments.device)
    reference = load(arguments.reference, arguments.device)
    exact, _ = scores(reference, windows)
    print(f"{len(windows)} windows of {windows.shape[1]} tokens; differences are of -log p, in nats per token")
    print(f"{arguments.reference}: perplexity {math.exp(mean_and_error(exact)[0]):.4f}")
    found: dict[str, Any] = {str(arguments.reference): dict(losses=exact)}
    first: list[float] = []
    for folder in arguments.candidates:
        losses, divergences = scores(load(folder, arguments.device), windows, reference)
        found[str(folder)] = dict(losses=losses, divergences=divergences)
        words = [f"{folder}: perplexity {math.exp(mean_and_error(losses)[0]):.4f}"]
        words.append("KL {:.5f} ± {:.5f}".format(*mean_and_error(divergences)))
        for name, other in (("reference", exact), ("first", first)):
            if other:
                difference = mean_and_error([a - b for a, b in zip(losses, other, strict=True)])
                words.append("{:+.5f} ± {:.5f} from the {}".format(*difference, name))
        print(", ".join(words), flush=True)
        first = first or losses
    return found


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reference", type=Path)
    parser.add_argument("candidates", type=Path, nargs="+", metavar="CANDIDATE")
    parser.add_argument("--text", type=Path, required=True, metavar="FILE", help="UTF-8")
    parser.add_argument("--windows", type=int, default=WINDOWS, metavar="N", help=f"at most, default: {WINDOWS}")
    parser.add_argument("--tokens", type=int, default=TOKENS, metavar="N", help=f"of a window, default: {TOKENS}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the figures of each window go")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args(words)
    found = judge(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
