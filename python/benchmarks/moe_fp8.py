#!/usr/bin/env python3
"""The experts of a mixture-of-experts layer in FP8 with qfuse's SwiGLU: bytes, errors and time of a step.

    moe_fp8.py                     # tiny, with products emulated in fp32: seconds on a CPU
    moe_fp8.py --graph --compile   # on a Hopper GPU: 8192 tokens, 8 experts, 2048 and 4096 channels

Each token goes to one expert and has a router weight. An expert multiplies by W1 [2h, d], applies SwiGLU and the router
weight, and multiplies by W2 [d, h]. In FP8 all six products, of the forward and of the gradients, multiply e4m3 by
e4m3. Their fp32 scales are powers of two: one per 128 numbers along K, and in W1 and W2 one per block of 128x128. Each
expert has its own product, because scaled_grouped_mm takes only one scale per row on Hopper.

  1. The bytes of qfuse's quantized SwiGLU and gradients are compared with those of torch's operations. On a GPU all
     must be equal; on a CPU, where exp may differ in the last bit, nearly all.
  2. The errors of the output and of every gradient, in bf16 and in FP8, are measured against fp32. Rounding to e4m3
     changes a number by at most 2^-4 of it, so n roundings with independent errors change a result by at most
     sqrt(n) * 2^-4, in norms. This is the bound of FP8's errors. A misplaced scale causes a far larger error.
  3. A step, and only SwiGLU with its quantizations, are timed in bf16, in FP8 with SwiGLU in torch's operations, and
     in FP8 with qfuse's. The last two differ in nothing else. Weights are cast before the clock starts.

Needs torch besides qfuse, on a GPU with CUDA 12.9 or later. Exit status: 0 all checks pass, 1 a check fails, 2 wrong
usage.
"""

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import fp8_layer as fp8
import measure
import torch
from torch import Tensor

ALIGNMENT = 16  # every expert's rows are a multiple of it
TIMED = 20  # number of timed runs
DIFFERING = 1e-3  # share of the bytes that may differ on a CPU
SUMS = 1e-5  # relative difference allowed for fp32 sums of the same terms in another order

# Number of e4m3 roundings that each result depends on. Gate and up each depend on the tokens and W1: together 4.
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


class Batch(NamedTuple):
    shares: fp8.Shares
    tokens: Tensor  # [m, d] bf16, sorted by expert, zero in rows without a token
    weights: Tensor  # [m]: the router weight of each row


# ---- data ----


def noise(rows: int, columns: int, like: Tensor) -> Tensor:
    return torch.randn(rows, columns, device=like.device).bfloat16()


def make_weights(sizes: Sizes, device: str) -> fp8.Both:
    def matrices(rows: int, columns: int) -> list[Tensor]:
        made = [torch.randn(rows, columns, device=device) for _ in range(sizes.experts)]
        return [(matrix / math.sqrt(columns)).requires_grad_() for matrix in made]

    return matrices(2 * sizes.hidden, sizes.width), matrices(sizes.width, sizes.hidden)


def make_batch(sizes: Sizes, device: str) -> Batch:
    """Makes random tokens. Later experts get more tokens than earlier ones."""
    router = torch.randn(sizes.experts, sizes.width, device=device) / math.sqrt(sizes.width)
    tokens = torch.randn(sizes.tokens, sizes.width, device=device).bfloat16()
    logits = tokens.float() @ router.t() + torch.linspace(-0.5, 0.5, sizes.experts, device=device)
    chosen, order = logits.argmax(1).sort(stable=True)
    counts = chosen.bincount(minlength=sizes.experts)
    rows = (counts + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
    before = (rows - counts).cumsum(0) - (rows - counts)  # rows of zeros before each expert's tokens
    places = torch.arange(sizes.tokens, device=device) + before[chosen]
    spread = tokens.new_zeros(int(rows.sum()), sizes.width).index_copy(0, places, tokens[order])
    experts = torch.arange(sizes.experts, device=device).repeat_interleave(rows)
    weights = (spread.float() @ router.t()).softmax(1).gather(1, experts[:, None])[:, 0]
    return Batch(fp8.share_out(rows.tolist(), device), spread, weights)


# ---- comparing ----


def compare_swiglu(batch: Batch, hidden: int) -> dict[str, float]:
    """Returns the fraction of bytes that differ between qfuse and torch. For the gradient of the router weights, which
    they sum in different orders, returns the distance."""
    shares, _, weights = batch
    a, grad_y = (noise(len(weights), columns, weights) for columns in (2 * hidden, hidden))

    def outputs(swiglu: fp8.Swiglu) -> tuple[Any, ...]:
        return swiglu.forward(a, weights, shares), *swiglu.backward(a, grad_y, weights, shares)

    (*found, last), (*expected, last_expected) = outputs(fp8.QFUSE), outputs(fp8.TORCH)
    differing = {}
    for name, one, other in zip(("y", "gradient", "gradient transposed", "y transposed"), found, expected, strict=True):
        payloads = one.payload.view(torch.uint8) != other.payload.view(torch.uint8)
        differing[f"payload of {name}"] = payloads.double().mean().item()
        differing[f"scales of {name}"] = (one.scales != other.scales).double().mean().item()
    return {**differing, "gradient of the router weights": fp8.distance([last], [last_expected])}


def results(way: fp8.Way, batch: Batch, both: fp8.Both, grad: Tensor) -> list[fp8.Matrices]:
    """Returns the results in the order of ROUNDINGS."""
    weights, tokens = (given.detach().requires_grad_() for given in (batch.weights, batch.tokens))
    out = way.layer(way.prepare(both), batch.shares, weights, tokens, both)
    of_weights, of_tokens, *rest = torch.autograd.grad(out, [weights, tokens, *both[0], *both[1]], grad.to(out.dtype))
    experts = len(rest) // 2
    return [[out.detach()], [of_tokens], [of_weights], rest[:experts], rest[experts:]]


def measure_errors(batch: Batch, both: fp8.Both, multiply: fp8.Multiply) -> dict[str, dict[str, float]]:
    """Returns the errors of each way against fp32."""
    grad = noise(len(batch.weights), batch.tokens.shape[1], batch.weights)
    exact = results(fp8.Plain(torch.float32), batch._replace(tokens=batch.tokens.float()), both, grad)
    ways: dict[str, fp8.Way] = {"bf16": fp8.Plain(torch.bfloat16), "FP8": fp8.Fp8(fp8.QFUSE, multiply)}
    return {
        label: dict(zip(ROUNDINGS, map(fp8.distance, results(way, batch, both, grad), exact), strict=True))
        for label, way in ways.items()
    }


def bound(name: str) -> float:
    """Returns the bound of an FP8 error."""
    return math.sqrt(ROUNDINGS[name]) * 2**-4


def find_faults(differing: dict[str, float], errors: dict[str, float], on_gpu: bool) -> list[str]:
    """Returns one line per failed check."""
    faults = []
    for name, share in differing.items():
        most = SUMS if name == "gradient of the router weights" else 0 if on_gpu else DIFFERING
        if not share <= most:
            faults.append(f"{name}: qfuse differs from torch's operations by {share:.3g}, which may be {most:.3g}")
    for name, error in errors.items():
        if not error <= bound(name):
            faults.append(f"{name}: the error of FP8 is {error:.3g}, its bound {bound(name):.3g}")
    return faults


# ---- timing ----


def timed_ways(multiply: fp8.Multiply, compiled: bool) -> dict[str, fp8.Way]:
    casts = (
        (torch.compile(fp8.cast_rows), torch.compile(fp8.cast_columns))
        if compiled
        else (fp8.cast_rows, fp8.cast_columns)
    )
    ways: dict[str, fp8.Way] = {"bf16": fp8.Plain(torch.bfloat16), "FP8, torch": fp8.Fp8(fp8.TORCH, multiply, *casts)}
    if compiled:
        ways["bf16, compiled"] = fp8.Plain(torch.bfloat16, torch.compile(fp8.plain_swiglu))
        ways["FP8, compiled"] = fp8.Fp8(
            fp8.Swiglu(torch.compile(fp8.torch_forward), torch.compile(fp8.torch_backward)), multiply, *casts
        )
    return {**ways, "FP8, qfuse": fp8.Fp8(fp8.QFUSE, multiply, *casts)}


def actions_of(way: fp8.Way, batch: Batch, both: fp8.Both) -> dict[str, Callable[[], object]]:
    """Returns the timed functions of a way."""
    shares, prepared, (width, hidden) = batch.shares, way.prepare(both), both[1][0].shape
    rows = len(batch.weights)
    grad, grad_y, a = (noise(rows, columns, batch.weights) for columns in (width, hidden, 2 * hidden))
    tokens, weights = (given.detach().requires_grad_() for given in (batch.tokens, batch.weights))

    def step() -> None:
        out = way.layer(prepared, shares, weights, tokens, both)
        torch.autograd.grad(out, [weights, tokens, *both[0], *both[1]], grad)

    return {"step": step, "SwiGLU alone": lambda: way.swiglu_alone(a, grad_y, weights.detach(), shares)}


def captured(action: Callable[[], object], device: str) -> Callable[[], object]:
    with measure.side_stream(device):
        action()  # what the first call makes is not part of the graph
        return measure.captured(action)


def measure_times(
    batch: Batch, both: fp8.Both, arguments: argparse.Namespace
) -> dict[str, dict[str, dict[str, float]]]:
    """Returns the milliseconds of all ways, timed in turn."""
    device = arguments.device
    first, second = ([matrix.detach().bfloat16().requires_grad_() for matrix in part] for part in both)
    ways = timed_ways(arguments.multiply, arguments.compile)
    actions = {label: actions_of(way, batch, (first, second)) for label, way in ways.items()}
    runs = {f"{label}: {what}": action for label, of in actions.items() for what, action in of.items()}
    if arguments.graph:
        runs = {name: captured(action, device) for name, action in runs.items()}
    times = measure.in_turns(runs, device, TIMED if device == "cuda" else 2)
    return {
        label: {what: measure.spread([us / 1e3 for us in times[f"{label}: {what}"]]) for what in of}
        for label, of in actions.items()
    }


# ---- the command ----


def errors_table(errors: dict[str, dict[str, float]]) -> str:
    rows = [[name, *(f"{errors[way][name]:.3g}" for way in errors), f"{bound(name):.3g}"] for name in ROUNDINGS]
    return measure.table(["error of the", *errors, "bound of FP8"], rows)


def times_table(times: dict[str, dict[str, dict[str, float]]]) -> str:
    rows = [[label, *(measure.text_of(ms, 3) for ms in of.values())] for label, of in times.items()]
    return measure.table(["ms", *next(iter(times.values()))], rows)


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = measure.argument_parser(__doc__, for_gpu=False)
    for name, what in zip(Sizes._fields, ("tokens", "experts", "channels of a token, d", "h"), strict=True):
        default = f"{getattr(LARGE, name)} on a GPU, {getattr(SMALL, name)} on a CPU"
        parser.add_argument(f"--{name}", type=measure.count, metavar="N", help=f"{what}, default {default}")
    parser.add_argument(
        "--gemm",
        choices=("auto", "scaled_mm", "emulated"),
        default="auto",
        help="scaled_mm: torch's FP8 products, on Hopper; emulated: decodes and multiplies in fp32; default auto: the "
        "first where it can be had",
    )
    parser.add_argument("--graph", action="store_true", help="times CUDA graphs, and so not the host; for a GPU")
    parser.add_argument("--compile", action="store_true", help="times torch's operations under torch.compile too")
    arguments = measure.parse(parser, argv)
    on_gpu = arguments.device == "cuda"
    values = [getattr(arguments, name) or getattr(LARGE if on_gpu else SMALL, name) for name in Sizes._fields]
    arguments.sizes = Sizes(*values)
    group = fp8.GROUP
    for name in ("width", "hidden"):
        value = getattr(arguments.sizes, name)
        if value % group:
            parser.error(f"--{name} {value} is no multiple of {group}: {value // group * group + group} is the next")
    hopper = on_gpu and torch.cuda.get_device_capability()[0] == 9
    if arguments.gemm == "scaled_mm" and not hopper:
        parser.error("--gemm scaled_mm needs a Hopper GPU, and this run is on another device: take --gemm emulated")
    if arguments.gemm == "auto":
        arguments.gemm = "scaled_mm" if hopper else "emulated"
    arguments.multiply = fp8.multiply_scaled_mm if arguments.gemm == "scaled_mm" else fp8.multiply_emulated
    return arguments


def main(argv: Sequence[str] | None = None) -> int:
    arguments = parse_arguments(argv)
    sizes, device = arguments.sizes, arguments.device
    torch.manual_seed(1)
    batch, both = make_batch(sizes, device), make_weights(sizes, device)
    differing = compare_swiglu(batch, sizes.hidden)
    errors = measure_errors(batch, both, arguments.multiply)
    faults = find_faults(differing, errors["FP8"], device == "cuda")
    times = {} if faults else measure_times(batch, both, arguments)
    result = measure.circumstances(arguments) | {
        "gemm": arguments.gemm,
        "graph": arguments.graph,
        "sizes": sizes._asdict(),
        "rows": batch.shares.rows,
        "differing": differing,
        "errors": errors,
        "faults": faults,
        "times": times,
    }
    shares = measure.table(["qfuse and torch", "differ in"], [[name, f"{n:.3g}"] for name, n in differing.items()])
    return measure.finish(arguments, result, shares, errors_table(errors), times_table(times) if times else "")


if __name__ == "__main__":
    sys.exit(main())
