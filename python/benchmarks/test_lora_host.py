"""Host time of a QLoRA layer in eager mode, forward and backward: peft with bitsandbytes, and qfuse.

    python python/benchmarks/test_lora_host.py --json lora-host.json
    python python/benchmarks/test_lora_host.py --device cpu --small

The model is a chain of Linear4bit layers with peft's LoRA on each, so small that a GPU always keeps up: the time is the
host's until it has launched all kernels. Three ways take turns: without qfuse; with qfuse multiplying; and with qfuse
also computing the LoRA layers. Before timing, compares the ways' outputs and gradients.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import perf_counter_ns
from typing import Any

import bitsandbytes
import measure
import peft
import torch
from torch import Tensor

import qfuse.integrations.bitsandbytes
import qfuse.integrations.peft

WIDTH, RANK, TOKENS = 64, 16, 320  # enough rows that a GPU decodes the weight first, as in training
LAYERS, ROUNDS, STEPS = 32, 12, 10
WAYS = ["peft", "qfuse multiplies", "qfuse, LoRA too"]
DIRECTIONS = ("forward", "backward")
ERROR = 3e-2  # relative to a result's norm, after a chain of roundings to bf16


class Chain(torch.nn.Module):
    is_loaded_in_4bit = True  # tells peft

    def __init__(self, layers: int) -> None:
        super().__init__()
        settings = dict(bias=False, compute_dtype=torch.bfloat16, quant_type="nf4")
        self.layers = torch.nn.ModuleList(bitsandbytes.nn.Linear4bit(WIDTH, WIDTH, **settings) for _ in range(layers))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


def make(layers: int, device: str, dropout: float) -> Any:
    torch.manual_seed(1)
    chain = Chain(layers)
    for weight in chain.parameters():  # so that a long chain neither grows nor vanishes
        torch.nn.init.orthogonal_(weight.data)
    config = peft.LoraConfig(r=RANK, lora_alpha=RANK, lora_dropout=dropout, target_modules=r"layers\.\d+")
    model = peft.get_peft_model(chain.to(torch.bfloat16).to(device).train(), config)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, std=1e-3)
    return model


@contextmanager
def on(way: str) -> Iterator[None]:
    with ExitStack() as stack:
        if way != WAYS[0]:
            stack.enter_context(qfuse.integrations.bitsandbytes.enabled(matmul=True))
        if way == WAYS[2]:
            stack.enter_context(qfuse.integrations.peft.enabled())
        yield


def step(model: Any, x: Tensor, grad: Tensor, wait: measure.Run) -> tuple[float, float]:
    """Returns the microseconds until all kernels are launched, forward and backward."""
    wait()
    begun = perf_counter_ns()
    y = model(x)
    forward = perf_counter_ns()
    wait()
    turned = perf_counter_ns()
    y.backward(grad)
    ended = perf_counter_ns()
    return (forward - begun) / 1e3, (ended - turned) / 1e3


def results(way: str, model: Any, x: Tensor, grad: Tensor) -> list[Tensor]:
    model.zero_grad()
    with on(way):
        y = model(x)
        y.backward(grad)
    return [y.detach(), *(p.grad for p in model.parameters() if p.grad is not None)]


def check(model: Any, x: Tensor, grad: Tensor) -> None:
    expected = results(WAYS[0], model, x, grad)
    for way in WAYS[1:]:
        for ours, theirs in zip(results(way, model, x, grad), expected, strict=True):
            measure.require(f"{way}, from what peft gives", measure.relative_error(ours, theirs), ERROR)


def measure_ways(arguments: Any, dropout: float) -> dict[str, dict[str, dict[str, float]]]:
    layers, rounds = (4, 2) if arguments.small else (LAYERS, ROUNDS)
    model = make(layers, arguments.device, dropout)
    shape = (8 if arguments.small else TOKENS, WIDTH)
    x, grad = (torch.randn(shape, dtype=torch.bfloat16, device=arguments.device) for _ in range(2))
    if dropout == 0:
        check(model, x, grad)
    wait = measure.synchronizer(arguments.device)
    times: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    for number in range(1 + rounds):  # the first warms up
        for way in WAYS:
            with on(way), measure.undisturbed():
                found = [step(model, x, grad, wait) for _ in range(STEPS)]
            if number > 0:
                times[way] += found[STEPS // 2 :]  # the first ones run with cold caches
    return {
        way: {name: measure.spread([pair[i] / layers for pair in values]) for i, name in enumerate(DIRECTIONS)}
        for way, values in times.items()
    }


def main(argv: Sequence[str] | None = None) -> int:
    arguments = measure.parse(measure.argument_parser(__doc__), argv)
    result = measure.circumstances(arguments)
    parts = []
    for dropout in (0.0, 0.05):
        found = result[f"dropout {dropout}"] = measure_ways(arguments, dropout)
        rows = [[way, *(measure.text_of(found[way][direction]) for direction in DIRECTIONS)] for way in WAYS]
        parts.append(measure.table([f"µs a layer, dropout {dropout}: median (least to most)", *DIRECTIONS], rows))
    return measure.finish(arguments, result, *parts)


if __name__ == "__main__":
    raise SystemExit(main())
