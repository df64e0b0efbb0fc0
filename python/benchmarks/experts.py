"""Layers of a MoE model's experts over 4-bit stacks: qfuse's orders beside torch's grouped product in bf16.

    python python/benchmarks/experts.py --json experts.json
    python python/benchmarks/experts.py --shapes qwen3-30b-a3b --rows 1,8,64
    python python/benchmarks/experts.py --shapes gpt-oss-20b --weights mxfp4 --dtype float16
    python python/benchmarks/experts.py --device cpu --small

It measures device time of CUDA graphs that cycle through more 4-bit stacks than the caches hold; on a CPU, of runs. The
layers are those of Qwen3-30B-A3B (128 experts, 8 per token, 2048 -> 2 x 768 -> 2048) and Mixtral 8x7B (8 experts, 2 per
token, 4096 -> 2 x 14336 -> 4096), or those asked for. Stacks are in nested NF4 or in MXFP4. Rows are distributed
unevenly, as by a router: each token takes the experts with the largest sums of Gumbel noise and a normal bias per
expert with a standard deviation of 0.6. Both the mean and the largest number of rows per expert are printed. With
--dtype float16, rows and results of 4-bit products are in fp16, and torch._grouped_mm has the same rows in bf16.

x·Wᵀ, forward, and dy·W, its gradient, in qfuse's orders are compared with torch._grouped_mm on bf16 stacks, with qfuse
decoding the whole stack and torch._grouped_mm after it, and, if those packages are installed, with others' Triton
kernels: forward with grouped-nf4-gemm, which takes plain absmax, and for MXFP4 with triton_kernels, which transformers
uses for gpt-oss, here with sorted rows and without bias and activation; for MXFP4 and rows in bf16 with unsloth_zoo's,
which trains gpt-oss, in both directions. A package that raises or is wrong is left out with a warning. The orders for
few rows are measured up to a mean of 32.

Before anything is timed, each result of qfuse is compared bit for bit with qfuse.ops.matmul_4bit expert by expert, and
those of the others by norm. Last comes the host's time per call for a stack so small that the host is the bottleneck.
"""

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import measure
import mixtures
import mxfp4_of_triton
import mxfp4_of_unsloth
import torch
from llamas import WEIGHTS, Weights, random_weight
from torch import Tensor

import qfuse

try:
    from nf4_grouped import gemm_4bit_grouped as gemm_of_triton
except ImportError:
    gemm_of_triton = None

ROWS = [1, 8, 32, 64, 128, 256, 512]  # per expert, on average
SMALL_ROWS = [1, 8, 64]
FEW = 32  # largest mean number of rows per expert with the orders "split" and "factored"
ERROR = 4e-3  # relative, by norm, between two results rounded to bf16: each rounding adds up to 2e-3
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}
DIRECTIONS: tuple[qfuse.ops.Direction, ...] = ("forward", "backward")
PACKAGES = ("grouped-nf4-gemm", "triton_kernels", "unsloth_zoo")

Result = TypeVar("Result")


def results_of(runs: Mapping[str, Callable[[], Result]]) -> dict[str, Result]:
    """Returns the result of each run. A package's run that raises is left out with a warning."""
    results = {}
    for name, run in runs.items():
        try:
            results[name] = run()
        except Exception as error:
            if name not in PACKAGES:
                raise
            measure.progress(f"warning: {name} is left out: {type(error).__name__}: {error}")
    return results


class Layer(NamedTuple):
    """The same weights in 4 bits and decoded, NF4's decoded absmax, and MXFP4 as triton_kernels has it."""

    stack: qfuse.Weight4bit
    dense: Tensor
    absmax: Tensor | None = None
    swizzled: mxfp4_of_triton.Stack | None = None

    @classmethod
    def random(cls, shape: tuple[int, int, int], device: str, weights: Weights = "nf4") -> "Layer":
        stack = random_weight(shape, device, weights)
        if weights == "mxfp4" and mxfp4_of_triton.is_there():
            swizzled = results_of({"triton_kernels": partial(mxfp4_of_triton.Stack.of, stack)})
            return cls(stack, stack.dequantize(), swizzled=swizzled.get("triton_kernels"))
        if weights != "nf4":
            return cls(stack, stack.dequantize())
        _, codes, absmax, quant_map, offset = stack.tensors
        decoded = torch.ops.qfuse.dequantize_blockwise(codes, absmax, quant_map, stack.nested_blocksize, torch.float32)
        return cls(stack, stack.dequantize(), decoded + offset)


Way = Callable[[Layer], Tensor]


class Operands(NamedTuple):
    x: Tensor
    ends: Tensor
    direction: qfuse.ops.Direction

    @classmethod
    def random(
        cls,
        ends: Tensor,
        shape: tuple[int, int, int],
        direction: qfuse.ops.Direction,
        dtype: torch.dtype = torch.bfloat16,
    ) -> "Operands":
        """Rows that bf16 can hold."""
        width = shape[2] if direction == "forward" else shape[1]
        x = torch.randn(int(ends[-1]), width, dtype=torch.bfloat16, device=ends.device)
        return cls(x.to(dtype), ends, direction)


def form_of(weight: qfuse.Weight4bit) -> dict[str, Any]:
    return {"shape": weight.shape, "quant_type": weight.quant_type, "blocksize": weight.blocksize}


def ours(operands: Operands, order: qfuse.ops.Order, layer: Layer) -> Tensor:
    x, ends, direction = operands
    weight = layer.stack
    return qfuse.ops.matmul_4bit_grouped(
        x, weight.tensors, ends, None, **form_of(weight), direction=direction, order=order
    )


def expert_by_expert(operands: Operands, order: qfuse.ops.Order, layer: Layer) -> Tensor:
    rows = operands.x.split(mixtures.counts_of(operands.ends))
    products = [
        qfuse.ops.matmul_4bit(own, single.tensors, None, **form_of(single), direction=operands.direction, order=order)
        for own, single in zip(rows, mixtures.experts_of(layer.stack), strict=True)
    ]
    return torch.cat(products)


def grouped_mm(operands: Operands, dense: Tensor) -> Tensor:
    factors = dense.mT if operands.direction == "forward" else dense
    return torch._grouped_mm(operands.x, factors, offs=operands.ends)


def by_nf4_gemm(operands: Operands) -> Way:
    """grouped-nf4-gemm takes sizes and experts on the host: reads them once, here."""
    counts = mixtures.counts_of(operands.ends)
    experts = [expert for expert, count in enumerate(counts) if count > 0]
    sizes = [counts[expert] for expert in experts]

    def multiply(layer: Layer) -> Tensor:
        assert layer.absmax is not None
        count, n, k = layer.stack.shape
        packed, absmax = layer.stack.tensors[0].view(count, n, k // 2), layer.absmax.view(count, n, -1)
        return gemm_of_triton(operands.x, packed, absmax, sizes, experts)

    return multiply


def by_triton_kernels(operands: Operands) -> Way:
    product = mxfp4_of_triton.product_of(operands.x, operands.ends)

    def multiply(layer: Layer) -> Tensor:
        assert layer.swizzled is not None
        return product(layer.swizzled)

    return multiply


def by_unsloth(operands: Operands) -> Way:
    product = mxfp4_of_unsloth.product_of(*operands)
    return lambda layer: product(layer.stack)


def orders_of(operands: Operands, mean: int, weights: Weights = "nf4") -> list[qfuse.ops.Order]:
    few: list[qfuse.ops.Order] = ["split", "factored"] if operands.x.is_cuda and weights == "nf4" else ["split"]
    return ["plain", *(few if operands.direction == "forward" and mean <= FEW else [])]


def ways(operands: Operands, orders: Sequence[qfuse.ops.Order], layer: Layer) -> dict[str, Way]:
    found: dict[str, Way] = {order: partial(ours, operands, order) for order in orders}
    in_bf16 = operands._replace(x=operands.x.bfloat16())
    found["_grouped_mm"] = lambda layer: grouped_mm(in_bf16, layer.dense)
    found["decode + _grouped_mm"] = lambda layer: grouped_mm(in_bf16, layer.stack.dequantize())
    if operands.direction == "forward" and gemm_of_triton is not None and layer.absmax is not None:
        found["grouped-nf4-gemm"] = by_nf4_gemm(operands)
    if operands.direction == "forward" and layer.swizzled is not None:
        found |= results_of({"triton_kernels": partial(by_triton_kernels, operands)})
    if mxfp4_of_unsloth.takes(layer.stack.quant_type, operands.x.device.type, operands.x.dtype):
        found |= results_of({"unsloth_zoo": partial(by_unsloth, operands)})
    return found


def compare(operands: Operands, layer: Layer, orders: Sequence[qfuse.ops.Order]) -> dict[str, float]:
    """Returns relative errors by norm against the plain order. Raises if qfuse's bits or torch's norm are wrong."""
    exact = expert_by_expert(operands, "plain", layer)
    expected: dict[str, Tensor] = {order: expert_by_expert(operands, order, layer) for order in orders}

    def error_of(name: str, way: Way) -> float:
        found, what = way(layer), f"{name}, {operands.direction}"
        if name in expected and (differing := measure.differing_bytes(found, expected[name])):
            raise AssertionError(f"{what}: {differing} bytes are not those of matmul_4bit")
        return measure.require(what, measure.relative_error(found, exact), ERROR)

    return results_of({name: partial(error_of, name, way) for name, way in ways(operands, orders, layer).items()})


# ---- timing ----


def time_stack(name: str, stack: str, means: Sequence[int], arguments: argparse.Namespace) -> list[dict[str, Any]]:
    size, device, weights = mixtures.SIZES[name], arguments.device, arguments.weights
    shape = size.stacks[stack]
    layers = [Layer.random(shape, device, weights) for _ in range(measure.copies_for(math.prod(shape) // 2))]
    rows = []
    for mean in means:
        _, ends = mixtures.sort_by_expert(mixtures.route(mean * size.experts // size.top, size, device), size.experts)
        counts = mixtures.counts_of(ends)
        shares = {"mean": mean, "rows": sum(counts), "largest": max(counts), "empty": counts.count(0)}
        for direction in DIRECTIONS:
            measure.progress(f"{name} {stack}, {mean} rows an expert, at most {max(counts)}, {direction}")
            operands = Operands.random(ends, shape, direction, DTYPES[arguments.dtype])
            orders = orders_of(operands, mean, weights)
            row: dict[str, Any] = {"model": name, "stack": stack, "shape": shape, "direction": direction} | shares
            row["errors"] = compare(operands, layers[0], orders)
            right = {way: run for way, run in ways(operands, orders, layers[0]).items() if way in row["errors"]}
            times = {way: partial(measure.time_round, run, layers, device) for way, run in right.items()}
            row["us"] = results_of(times)
            rows.append(row)
    return rows


def time_host(device: str) -> dict[str, dict[str, float]]:
    """Microseconds until a call for one row returns, with a stack so small that the host is the bottleneck."""
    layer = Layer.random((2, 64, 64), device)
    operands = Operands.random(torch.tensor([1, 1], dtype=torch.int32, device=device), (2, 64, 64), "forward")
    calls = {
        "qfuse.ops.matmul_4bit_grouped": lambda: ours(operands, "split", layer),
        "qfuse.matmul_4bit_grouped": lambda: qfuse.matmul_4bit_grouped(operands.x, layer.stack, operands.ends),
        "torch._grouped_mm, bf16": lambda: grouped_mm(operands, layer.dense),
    }
    return measure.host_us(calls, device)


# ---- the command ----


def products_table(rows: Sequence[dict[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row["us"]))
    lines = [
        [
            f"{row['model']} {row['stack']}",
            "x·Wᵀ" if row["direction"] == "forward" else "dy·W",
            f"{row['mean']} ({row['largest']})",
            *(f"{row['us'][name]['median']:.1f}" if name in row["us"] else "" for name in names),
        ]
        for row in rows
    ]
    return measure.table(["µs; stack", "product", "rows an expert (largest)", *names], lines)


@torch.no_grad()
def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--shapes", choices=mixtures.SIZES, nargs="+", help="default: Qwen3's and Mixtral's")
    parser.add_argument("--rows", type=measure.counts, metavar="M,M,...")
    parser.add_argument("--weights", choices=WEIGHTS, default="nf4", help="the experts' 4 bits, default nf4")
    parser.add_argument("--dtype", choices=DTYPES, default="bfloat16", help="of rows, default bfloat16")
    arguments = measure.parse(parser, argv)
    torch.manual_seed(mixtures.SEED)
    models = arguments.shapes or (["tiny"] if arguments.small else ["qwen3-30b-a3b", "mixtral-8x7b"])
    means: list[int] = arguments.rows or (SMALL_ROWS if arguments.small else ROWS)
    result = measure.circumstances(arguments) | {"skew": mixtures.SKEW, "dtype": arguments.dtype}
    result["rows"] = [
        row
        for model in models
        for stack in mixtures.SIZES[model].stacks
        for row in time_stack(model, stack, means, arguments)
    ]
    result["host_us"] = time_host(arguments.device)
    return measure.finish(arguments, result, products_table(result["rows"]), measure.host_table(result["host_us"]))


if __name__ == "__main__":
    raise SystemExit(main())
