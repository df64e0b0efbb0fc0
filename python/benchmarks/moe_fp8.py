#!/usr/bin/env python3
"""Trains the experts of a mixture-of-experts layer in FP8 with qfuse's SwiGLU: the errors, the losses and the time.

    moe_fp8.py                     # tiny, with products made of fp32 ones: on a CPU in a minute
    moe_fp8.py --graph --compile   # on a Hopper GPU: 8192 tokens, 8 experts, 2048 and 4096 channels

Each token goes to one expert and has a router weight. An expert multiplies by W1 [2h, d], applies SwiGLU and the router
weight, and multiplies by W2 [d, h]. In FP8 all six products, the forward's and the gradients', multiply e4m3 by e4m3.
Their scales are powers of two in fp32: one for each 128 numbers along the summed dimension, and of W1 and W2 one for
each block of 128x128. What it does, without a network:

  1. On a GPU it compares small products of torch.nn.functional.scaled_mm with those of the decoded matrices.
  2. It compares the bytes of qfuse's quantized SwiGLU and gradients with those of torch's operations. On a GPU they
     must be equal; on a CPU, where exp may differ in the last bit, nearly all.
  3. It measures the errors of the output and of every gradient, in bf16 and in FP8, against fp32. Rounding to e4m3
     changes a number by at most 2^-4 of it, so n roundings whose errors are independent change a result by at most
     sqrt(n) * 2^-4, as norms. That is the bound of FP8's errors.
  4. It trains a layer, of at most 256 and 512 channels, to compute what another one computes, in bf16 and in FP8. Both
     losses have to fall. They may differ by the square of the bound of the output's error.
  5. It times a step, forward and backward, and SwiGLU with its quantizations alone: in bf16, in FP8 with SwiGLU in
     torch's operations, and in FP8 with qfuse's. The last two differ in nothing else: torch quantizes the tokens and
     the gradient of the output in both. Weights are cast before the clock starts, to bf16 or FP8.

There is a product for each expert, in bf16 as in FP8: torch.nn.functional.scaled_grouped_mm takes one scale a row on
Hopper, not one for each 128 numbers. So the host has to know how many tokens each expert has; qfuse reads it on the
GPU. cuBLAS wants an expert's rows to be a multiple of 4; rows of zeros fill them up to one of 16. qfuse needs none.
DeepGEMM, which has grouped products for these layouts, is not used.

Needs torch beside qfuse, for a GPU of CUDA 12.9 or later. Exit status: 0 all is as it must be, 1 something is not, 2
wrong usage, 130 interrupted.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import measure
import torch
from fp8_layer import (
    GROUP,
    QFUSE,
    TORCH,
    Both,
    Fp8,
    Matrices,
    Multiply,
    Plain,
    Shares,
    Swiglu,
    Way,
    cast_columns,
    cast_rows,
    check_products,
    distance,
    multiply_emulated,
    multiply_scaled_mm,
    plain_swiglu,
    share_out,
    torch_backward,
    torch_forward,
)
from torch import Tensor

import qfuse

ALIGNMENT = 16  # an expert's rows are a multiple of it
WARM_UP, TIMED = 3, 20  # runs of what is timed
LAST = 10  # steps at the end of the training whose mean loss is compared
RATE, BATCHES = 1e-3, 4  # of AdamW; what is trained with, in turns
DIFFERING = 1e-3  # share of the bytes that may differ on a CPU
SUMS = 1e-5  # distance of sums in fp32 of the same terms in another order

# How many roundings to e4m3 each result depends on. Gate and up come from the tokens and W1: that is 4.
ROUNDINGS = {
    "output": 6,  # gate and up, y, W2
    "gradient of the tokens": 8,  # gate and up, the output's gradient, W2, the gradient of gate and up, W1
    "gradient of the router weights": 6,  # gate and up, the output's gradient, W2
    "gradient of W1": 8,  # gate and up, the output's gradient, W2, the gradient of gate and up, the tokens
    "gradient of W2": 6,  # gate and up, y, the output's gradient
}


class Sizes(NamedTuple):
    tokens: int
    experts: int
    width: int
    hidden: int


SMALL, LARGE = Sizes(160, 3, 256, 128), Sizes(8192, 8, 2048, 4096)
TRAINED = Sizes(2048, 8, 256, 512)  # the most that is trained


class Batch(NamedTuple):
    shares: Shares
    tokens: Tensor  # [m, d] bf16, sorted by expert, zero where no token is
    experts: Tensor  # [m]: of each row


# ---- data ----


def noise(rows: int, columns: int, like: Tensor) -> Tensor:
    return torch.randn(rows, columns, device=like.device).bfloat16()


def make_weights(sizes: Sizes, seed: int, device: str) -> tuple[list[Tensor], list[Tensor]]:
    generator = torch.Generator(device).manual_seed(seed)

    def matrices(rows: int, columns: int) -> list[Tensor]:
        made = [torch.randn(rows, columns, generator=generator, device=device) for _ in range(sizes.experts)]
        return [(matrix / math.sqrt(columns)).requires_grad_() for matrix in made]

    return matrices(2 * sizes.hidden, sizes.width), matrices(sizes.width, sizes.hidden)


def make_router(sizes: Sizes, seed: int, device: str) -> Tensor:
    generator = torch.Generator(device).manual_seed(seed)
    return torch.randn(sizes.experts, sizes.width, generator=generator, device=device) / math.sqrt(sizes.width)


def make_batch(sizes: Sizes, router: Tensor, seed: int) -> Batch:
    """Random tokens. The later an expert, the more of them it has."""
    device = router.device
    generator = torch.Generator(device).manual_seed(seed)
    tokens = torch.randn(sizes.tokens, sizes.width, generator=generator, device=device).bfloat16()
    logits = tokens.float() @ router.t() + torch.linspace(-0.5, 0.5, sizes.experts, device=device)
    chosen, order = logits.argmax(1).sort(stable=True)
    counts = chosen.bincount(minlength=sizes.experts)
    rows = (counts + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    before = (rows - counts).cumsum(0) - (rows - counts)  # rows of zeros before those of each expert
    places = torch.arange(sizes.tokens, device=device) + before[chosen]
    spread = tokens.new_zeros(int(rows.sum()), sizes.width).index_copy(0, places, tokens[order])
    experts = torch.arange(sizes.experts, device=device).repeat_interleave(rows)
    return Batch(share_out(rows.tolist(), device), spread, experts)


def router_weights(batch: Batch, router: Tensor) -> Tensor:
    return (batch.tokens.float() @ router.t()).softmax(1).gather(1, batch.experts[:, None])[:, 0]


# ---- comparing ----


def compare_swiglu(batch: Batch, weights: Tensor, hidden: int) -> dict[str, float]:
    """The shares of the bytes in which qfuse and torch differ; of the gradient of the router weights, whose terms they
    add in another order, the distance."""
    a, grad_y = (noise(len(weights), columns, weights) for columns in (2 * hidden, hidden))

    def outputs(swiglu: Swiglu) -> tuple[Any, ...]:
        return swiglu.forward(a, weights, batch.shares), *swiglu.backward(a, grad_y, weights, batch.shares)

    (*found, last), (*expected, last_expected) = outputs(QFUSE), outputs(TORCH)
    differing = {}
    for name, one, other in zip(("y", "gradient", "gradient transposed", "y transposed"), found, expected, strict=True):
        payloads = one.payload.view(torch.uint8) != other.payload.view(torch.uint8)
        differing[f"payload of {name}"] = payloads.double().mean().item()
        differing[f"scales of {name}"] = (one.scales != other.scales).double().mean().item()
    return {**differing, "gradient of the router weights": distance([last], [last_expected])}


def results(way: Way, batch: Batch, given: Tensor, both: Both, grad: Tensor) -> list[Matrices]:
    """In the order of ROUNDINGS."""
    weights, tokens = given.detach().requires_grad_(), batch.tokens.detach().requires_grad_()
    out = way.layer(way.prepare(both), batch.shares, weights, tokens, both)
    of_weights, of_tokens, *rest = torch.autograd.grad(out, [weights, tokens, *both[0], *both[1]], grad.to(out.dtype))
    experts = len(rest) // 2
    return [[out.detach()], [of_tokens], [of_weights], rest[:experts], rest[experts:]]


def measure_errors(ways: dict[str, Way], batch: Batch, weights: Tensor, both: Both) -> dict[str, dict[str, float]]:
    """Of each way, against fp32."""
    grad = noise(len(weights), batch.tokens.shape[1], weights)
    exact = results(Plain(torch.float32), batch._replace(tokens=batch.tokens.float()), weights, both, grad)
    errors = {}
    for label, way in ways.items():
        found = results(way, batch, weights, both, grad)
        errors[label] = dict(zip(ROUNDINGS, map(distance, found, exact), strict=True))
    return errors


# ---- training ----


def train(way: Way, sizes: Sizes, arguments: argparse.Namespace) -> list[float]:
    """The losses: the squared errors, relative to the squares of what is to be computed."""
    seed, device = arguments.seed, arguments.device
    teacher, student = make_weights(sizes, seed, device), make_weights(sizes, seed + 1, device)
    router = make_router(sizes, seed, device)
    learned = torch.zeros_like(router, requires_grad=True)
    optimizer = torch.optim.AdamW([*student[0], *student[1], learned], lr=RATE)
    losses = []
    batches = [make_batch(sizes, router, seed + number) for number in range(BATCHES)]
    for step in range(arguments.steps):
        batch = batches[step % BATCHES]
        with torch.no_grad():
            exact = Plain(torch.float32)
            target = exact.layer(None, batch.shares, router_weights(batch, router), batch.tokens, teacher)
        weights = router_weights(batch, learned)
        out = way.layer(way.prepare(student), batch.shares, weights, batch.tokens, student)
        # Their sum: the gradients of their mean may be below 1e-4, which is the least absmax that scales are made for.
        squares = (out.float() - target).square().sum()
        optimizer.zero_grad()
        squares.backward()
        optimizer.step()
        losses.append((squares.detach() / target.square().sum()).item())
    return losses


# ---- timing ----


def timed_ways(multiply: Multiply, compiled: bool) -> dict[str, Way]:
    casts = (torch.compile(cast_rows), torch.compile(cast_columns)) if compiled else (cast_rows, cast_columns)
    ways: dict[str, Way] = {"bf16": Plain(torch.bfloat16), "FP8, torch": Fp8(TORCH, multiply, *casts)}
    if compiled:
        ways["bf16, compiled"] = Plain(torch.bfloat16, torch.compile(plain_swiglu))
        ways["FP8, compiled"] = Fp8(
            Swiglu(torch.compile(torch_forward), torch.compile(torch_backward)), multiply, *casts
        )
    return {**ways, "FP8, qfuse": Fp8(QFUSE, multiply, *casts)}


def capture(action: Callable[[], object]) -> Callable[[], object]:
    """The same as a CUDA graph."""
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        action()  # what is made at the first time is not part of the graph
    torch.cuda.current_stream().wait_stream(stream)
    with torch.cuda.graph(graph):
        action()
    return graph.replay


def milliseconds(action: Callable[[], object], on_gpu: bool) -> float:
    if not on_gpu:
        begin = time.perf_counter()
        action()
        return (time.perf_counter() - begin) * 1e3
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    start.record()
    action()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end))


def actions_of(way: Way, batch: Batch, weights: Tensor, both: Both) -> dict[str, Callable[[], object]]:
    """What is timed."""
    shares, prepared, (width, hidden) = batch.shares, way.prepare(both), both[1][0].shape
    grad, grad_y, a = (noise(len(weights), columns, weights) for columns in (width, hidden, 2 * hidden))
    tokens, weights = batch.tokens.detach().requires_grad_(), weights.detach().requires_grad_()

    def step() -> None:
        out = way.layer(prepared, shares, weights, tokens, both)
        torch.autograd.grad(out, [weights, tokens, *both[0], *both[1]], grad)

    return {"step": step, "SwiGLU alone": lambda: way.swiglu_alone(a, grad_y, weights.detach(), shares)}


def measure_times(
    batch: Batch, weights: Tensor, both: Both, arguments: argparse.Namespace
) -> dict[str, dict[str, list[float]]]:
    """Milliseconds, of all ways in turns."""
    on_gpu = arguments.device == "cuda"
    first, second = ([matrix.detach().bfloat16().requires_grad_() for matrix in part] for part in both)
    ways = timed_ways(arguments.multiply, arguments.compile)
    actions = {label: actions_of(way, batch, weights, (first, second)) for label, way in ways.items()}
    if arguments.graph:
        actions = {label: {what: capture(action) for what, action in of.items()} for label, of in actions.items()}
    times: dict[str, dict[str, list[float]]] = {label: {what: [] for what in of} for label, of in actions.items()}
    for _ in range(WARM_UP + (TIMED if on_gpu else 2)):
        for label, of in actions.items():
            for what, action in of.items():
                times[label][what].append(milliseconds(action, on_gpu))
    return {label: {what: ms[WARM_UP:] for what, ms in of.items()} for label, of in times.items()}


# ---- the report ----


def bound(name: str) -> float:
    """Of an error of FP8."""
    return math.sqrt(ROUNDINGS[name]) * 2**-4


def find_faults(figures: dict[str, Any], on_gpu: bool) -> list[str]:
    """A line for whatever is not as it must be."""
    faults = []
    for name, share in figures["differing"].items():
        most = SUMS if name == "gradient of the router weights" else 0 if on_gpu else DIFFERING
        if not share <= most:
            faults.append(f"{name}: qfuse differs from torch's operations by {share:.3g}, which may be {most:.3g}")
    for name, error in figures["errors"]["FP8"].items():
        if not error <= bound(name):
            faults.append(f"{name}: the error of FP8 is {error:.3g}, its bound {bound(name):.3g}")
    final, most = figures["final"], bound("output") ** 2  # what the errors of the output may add to a loss
    for label, losses in figures["losses"].items():
        if not final[label] < losses[0]:
            faults.append(f"The loss in {label} has not fallen: it was {losses[0]:.4g} and is {final[label]:.4g}")
    if not abs(final["FP8"] - final["bf16"]) <= most:
        faults.append(f"The losses {final} are not alike: they may differ by {most:.3g}")
    return faults


def print_table(heads: Sequence[str], rows: dict[str, list[float]], form: str) -> None:
    print(f"\n{'':<44}" + "".join(f"{head:>16}" for head in heads))
    for name, values in rows.items():
        print(f"{name:<44}" + "".join(f"{value:>16{form}}" for value in values))


def print_report(figures: dict[str, Any], faults: list[str]) -> None:
    errors, losses, times = figures["errors"], figures["losses"], figures["times"]
    print_table(["qfuse and torch"], {f"differing: {name}": [n] for name, n in figures["differing"].items()}, ".3g")
    rows = {f"error of the {name}": [errors["bf16"][name], errors["FP8"][name], bound(name)] for name in ROUNDINGS}
    print_table(["bf16", "FP8", "bound of FP8"], rows, ".3g")
    steps = len(losses["bf16"])
    shown = sorted({0, steps // 8, steps // 4, steps // 2, steps - 1})
    rows = {f"loss of step {step + 1}": [losses[label][step] for label in losses] for step in shown}
    rows[f"mean of the last {LAST}"] = list(figures["final"].values())
    print_table(list(losses), rows, ".4g")
    rows = {f"{what}, median ms": [statistics.median(of[what]) for of in times.values()] for what in times["bf16"]}
    print_table(list(times), rows, ".3f")
    print("\n" + ("\n".join(faults) or "All is as it must be"))


# ---- the command ----


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    measure.add_device(parser)
    for name, what in zip(Sizes._fields, ("tokens", "experts", "channels of a token, d", "h"), strict=True):
        default = f"{getattr(LARGE, name)} on a GPU, {getattr(SMALL, name)} on a CPU"
        parser.add_argument(f"--{name}", type=measure.count, metavar="N", help=f"{what}, default {default}")
    parser.add_argument("--steps", type=measure.count, default=200, metavar="N", help="of the training, default 200")
    parser.add_argument(
        "--gemm",
        choices=("auto", "scaled_mm", "emulated"),
        default="auto",
        help="scaled_mm: torch's FP8 products, on Hopper; emulated: decodes and multiplies in fp32; default auto: the "
        "first where it can be had",
    )
    parser.add_argument("--graph", action="store_true", help="times CUDA graphs, and so not the host; for a GPU")
    parser.add_argument("--compile", action="store_true", help="times torch's operations under torch.compile too")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default 1")
    parser.add_argument("--json", type=Path, metavar="FILE", help="gets all figures")
    arguments = parser.parse_args()
    measure.settle_device(parser, arguments)
    on_gpu = arguments.device == "cuda"
    for name in Sizes._fields:
        value = getattr(arguments, name) or getattr(LARGE if on_gpu else SMALL, name)
        if name in ("width", "hidden") and value % GROUP:
            parser.error(f"--{name} {value} is no multiple of {GROUP}: {value // GROUP * GROUP + GROUP} is the next")
        setattr(arguments, name, value)
    if arguments.steps < 2 * LAST:
        parser.error(f"--steps {arguments.steps} are too few to see whether a loss falls: take {2 * LAST} or more")
    hopper = on_gpu and torch.cuda.get_device_capability()[0] == 9
    if arguments.gemm == "scaled_mm" and not hopper:
        parser.error("--gemm scaled_mm needs a Hopper GPU, and this run is on another device: take --gemm emulated")
    if arguments.graph and not on_gpu:
        parser.error("--graph is for a GPU, and this run is on a CPU: leave it out, or run where torch sees a GPU")
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        parser.error(f"{arguments.json} cannot be made: {arguments.json.absolute().parent} is no directory")
    if arguments.gemm == "auto":
        arguments.gemm = "scaled_mm" if hopper else "emulated"
    return arguments


def measure_all(arguments: argparse.Namespace, sizes: Sizes) -> dict[str, Any]:
    arguments.multiply = multiply_scaled_mm if arguments.gemm == "scaled_mm" else multiply_emulated
    ways: dict[str, Way] = {"bf16": Plain(torch.bfloat16), "FP8": Fp8(QFUSE, arguments.multiply)}
    router = make_router(sizes, arguments.seed, arguments.device)
    batch = make_batch(sizes, router, arguments.seed)
    weights, both = router_weights(batch, router), make_weights(sizes, arguments.seed, arguments.device)
    trained = Sizes(*map(min, sizes, TRAINED))
    print(
        f"{measure.device_name(arguments.device)}, products: {arguments.gemm}, {sizes}; trained: {trained}", flush=True
    )
    losses = {label: train(way, trained, arguments) for label, way in ways.items()}
    return {
        "device": measure.device_name(arguments.device),
        "date": measure.date(),
        "command": sys.argv,
        "versions": {"qfuse": qfuse.__version__, "torch": torch.__version__},
        "gemm": arguments.gemm,
        "graph": arguments.graph,
        "sizes": sizes._asdict(),
        "rows": batch.shares.rows,
        "trained": trained._asdict(),
        "differing": compare_swiglu(batch, weights, sizes.hidden),
        "errors": measure_errors(ways, batch, weights, both),
        "losses": losses,
        "times": measure_times(batch, weights, both, arguments),
        "final": {label: statistics.fmean(of[-LAST:]) for label, of in losses.items()},
    }


def main() -> int:
    arguments = parse_arguments()
    torch.manual_seed(arguments.seed)
    if arguments.gemm == "scaled_mm" and (faults := check_products(arguments.device)):
        print("\n".join(faults))
        return 1
    figures = measure_all(arguments, Sizes(*(getattr(arguments, name) for name in Sizes._fields)))
    faults = find_faults(figures, arguments.device == "cuda")
    print_report(figures, faults)
    if arguments.json:
        arguments.json.write_text(json.dumps({**figures, "faults": faults}, indent=1) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nInterrupted", file=sys.stderr)
        sys.exit(130)
