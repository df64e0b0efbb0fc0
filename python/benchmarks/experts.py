"""Layers of a mixture's experts over 4-bit stacks, in bf16: qfuse's orders beside torch's grouped product.

    python python/benchmarks/experts.py --json experts.json
    python python/benchmarks/experts.py --shapes qwen3-30b-a3b --rows 1,8,64
    python python/benchmarks/experts.py --device cpu --small

Device time of CUDA graphs that go round more 4-bit stacks than the caches hold; on a CPU, of runs. The layers are those
of Qwen3-30B-A3B (128 experts, 8 of a token, 2048 -> 2 x 768 -> 2048) and Mixtral 8x7B (8 experts, 2 of a token,
4096 -> 2 x 14336 -> 4096), stacks in NF4 with double quantization. Rows are shared out unevenly, as routers do it: each
token takes the experts with the largest sums of Gumbel noise and a normal bias of the expert's, of a standard deviation
of 0.6. Both the mean number of rows and the largest are printed.

Beside x·Wᵀ, forward, and dy·W, its gradient, in qfuse's orders stand torch._grouped_mm on bf16 stacks, and the whole
stack decoded by qfuse and then that. "plain, LoRA" has the terms of an adapter of rank 16 of each expert in its sums.
The orders for few rows are measured up to 32 in the mean. The roof is the time that a copy in the same run has for as
many bytes as a product of 4-bit weights has to touch: x, the result, and the experts that have rows, once.

Before anything is timed, each of qfuse's results is compared with qfuse.ops.matmul_4bit expert by expert, bit for bit,
and the peers' with those in norm. Last comes the host's time of a call of a stack so small that the host binds.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import measure
import mixtures
import torch
from measure import table
from torch import Tensor

import qfuse

ROWS = [1, 8, 32, 64, 128, 256, 512]  # of an expert, in the mean
SMALL_ROWS = [1, 8, 64]
FEW = 32  # rows of an expert that the orders "split" and "factored" are measured for
RANK = 16  # of LoRA's terms
ORDERS: dict[str, qfuse.ops.Order] = {
    "plain": "plain",
    "plain, LoRA": "plain",
    "split": "split",
    "factored": "factored",
}
ERROR = 4e-3  # between two results that are rounded to bf16, in norm: each rounding is up to 2e-3
DIRECTIONS: tuple[qfuse.ops.Direction, ...] = ("forward", "backward")


class Layer(NamedTuple):
    """The same weights in 4 bits and decoded."""

    stack: qfuse.Weight4bit
    dense: Tensor

    @classmethod
    def random(cls, shape: tuple[int, int, int], device: str) -> "Layer":
        stack = mixtures.random_stack(shape, device)
        return cls(stack, stack.dequantize())


class Operands(NamedTuple):
    x: Tensor
    ends: Tensor
    direction: qfuse.ops.Direction
    low: Tensor  # x times A, or dy times B, [m, rank]
    factors: Tensor  # B, or A, of each expert

    @classmethod
    def random(cls, ends: Tensor, shape: tuple[int, int, int], direction: qfuse.ops.Direction) -> "Operands":
        experts, n, k = shape
        is_forward, m = direction == "forward", int(ends[-1])
        of_factors = (experts, n, RANK) if is_forward else (experts, RANK, k)
        shapes = (m, k if is_forward else n), (m, RANK), of_factors
        x, low, factors = (torch.randn(each, dtype=torch.bfloat16, device=ends.device) for each in shapes)
        return cls(x, ends, direction, low, factors)

    def lora(self, name: str) -> tuple[Tensor, ...]:
        return (self.low, self.factors) if name.endswith("LoRA") else ()


def ours(name: str, operands: Operands, layer: Layer) -> Tensor:
    x, ends, direction, *_ = operands
    weight, lora = layer.stack, operands.lora(name)
    return qfuse.ops.matmul_4bit_grouped(
        x, weight.tensors, ends, None, *lora, shape=weight.shape, direction=direction, order=ORDERS[name]
    )


def expert_by_expert(name: str, operands: Operands, singles: Sequence[qfuse.Weight4bit]) -> Tensor:
    x, ends, direction, low, factors = operands
    products, begin = [], 0
    for single, factor, end in zip(singles, factors, ends.tolist(), strict=True):
        lora = (low[begin:end], factor) if name.endswith("LoRA") else ()
        shape, order = single.shape, ORDERS[name]
        products.append(
            qfuse.ops.matmul_4bit(
                x[begin:end], single.tensors, None, *lora, shape=shape, direction=direction, order=order
            )
        )
        begin = end
    return torch.cat(products)


def grouped_mm(operands: Operands, dense: Tensor) -> Tensor:
    factors = dense.mT if operands.direction == "forward" else dense
    return torch._grouped_mm(operands.x, factors, offs=operands.ends)


def names_of_ours(operands: Operands, mean: int) -> list[str]:
    names = ["plain", "plain, LoRA"]
    if operands.direction == "forward" and mean <= FEW:
        names += ["split"] + ["factored"] * operands.x.is_cuda
    return names


def peers(operands: Operands) -> dict[str, Callable[[Layer], Tensor]]:
    return {
        "_grouped_mm": lambda layer: grouped_mm(operands, layer.dense),
        "decode + _grouped_mm": lambda layer: grouped_mm(operands, layer.stack.dequantize()),
    }


# ---- comparing ----


def compare(operands: Operands, layer: Layer, names: Sequence[str]) -> dict[str, float]:
    """The distances in norm from the plain order; raises where a bit of ours is wrong, or the norm of another."""
    singles = mixtures.experts_of(layer.stack)
    plain = expert_by_expert("plain", operands, singles)
    results = {name: ours(name, operands, layer) for name in names}
    for name, found in results.items():
        differing = measure.differing_bytes(found, expert_by_expert(name, operands, singles))
        if differing:
            raise AssertionError(f"{name}, {operands.direction}: {differing} bytes are not those of matmul_4bit")
    results |= {name: peer(layer) for name, peer in peers(operands).items()}
    exact = plain.float()
    errors = {
        name: float((found.float() - exact).norm() / exact.norm())
        for name, found in results.items()
        if not name.endswith("LoRA")
    }
    for name, error in errors.items():
        if not error <= ERROR:
            raise AssertionError(f"{name}, {operands.direction}: {error:.2e} away from the plain order")
    return errors


# ---- timing ----


def touched_bytes(operands: Operands, shape: Sequence[int], stored: int) -> int:
    """Of a product without LoRA over a stack of so many bytes."""
    experts, n, k = shape
    in_use = sum(count > 0 for count in mixtures.counts_of(operands.ends))
    return stored * in_use // experts + len(operands.x) * (n + k) * operands.x.element_size()


def run_all(runs: Sequence[measure.Run]) -> list[Any]:
    return [run() for run in runs]


def time_product(operands: Operands, layers: Sequence[Layer], mean: int) -> dict[str, Any]:
    device, shape = operands.x.device.type, layers[0].stack.shape
    names = names_of_ours(operands, mean)
    found: dict[str, Any] = {"direction": operands.direction, "errors": compare(operands, layers[0], names), "us": {}}
    found["bytes"] = touched_bytes(operands, shape, mixtures.stored_bytes(layers[0].stack))
    found["bytes_of_bf16"] = touched_bytes(operands, shape, layers[0].dense.nbytes)
    found["flops"] = 2 * len(operands.x) * math.prod(shape[1:])
    ways = {name: partial(ours, name, operands) for name in names} | peers(operands)
    for name, way in ways.items():
        runs = [partial(way, layers[i % len(layers)]) for i in range(measure.LAUNCHES)]
        found["us"][name] = measure.spread(measure.replayed_us(partial(run_all, runs), len(runs), device))
    return found


def time_stack(
    name: str, stack: str, means: Sequence[int], device: str, bytes_per_second: float
) -> list[dict[str, Any]]:
    size = mixtures.SIZES[name]
    shape = size.stacks[stack]
    of_one = math.prod(shape) // 2
    layers = [
        Layer.random(shape, device)
        for _ in range(min(measure.LAUNCHES, max(2, math.ceil(measure.ROTATED_BYTES / of_one))))
    ]
    rows = []
    for mean in means:
        _, ends = mixtures.sort_by_expert(mixtures.route(mean * size.experts // size.top, size, device), size.experts)
        counts = mixtures.counts_of(ends)
        shares = {"mean": mean, "rows": sum(counts), "largest": max(counts), "empty": counts.count(0)}
        for direction in DIRECTIONS:
            measure.progress(f"{name} {stack}, {mean} rows an expert, at most {max(counts)}, {direction}")
            operands = Operands.random(ends, shape, direction)
            row = {"model": name, "stack": stack, "shape": shape} | shares | time_product(operands, layers, mean)
            rows.append(row | {"roof_us": row["bytes"] / bytes_per_second * 1e6})
    return rows


# ---- the host's time ----


def time_host(device: str) -> dict[str, dict[str, float]]:
    """Microseconds until a call for one row returns, of a stack so small that the host binds."""
    layer = Layer.random((2, 64, 64), device)
    operands = Operands.random(torch.tensor([1, 1], dtype=torch.int32, device=device), (2, 64, 64), "forward")
    calls = {
        "qfuse.ops.matmul_4bit_grouped": lambda: ours("split", operands, layer),
        "qfuse.matmul_4bit_grouped": lambda: qfuse.matmul_4bit_grouped(operands.x, layer.stack, operands.ends),
        "torch._grouped_mm, bf16": lambda: grouped_mm(operands, layer.dense),
    }
    times = measure.host_us(calls, measure.synchronizer(device))
    return {name: measure.spread(blocks) for name, blocks in times.items()}


# ---- the command ----


def tables(result: dict[str, Any]) -> str:
    names = list(dict.fromkeys(name for row in result["rows"] for name in row["us"]))
    lines = [
        [
            f"{row['model']} {row['stack']}",
            "x·Wᵀ" if row["direction"] == "forward" else "dy·W",
            f"{row['mean']} ({row['largest']})",
            f"{row['roof_us']:.1f}",
            *(f"{row['us'][name]['median']:.1f}" if name in row["us"] else "" for name in names),
        ]
        for row in result["rows"]
    ]
    copy = f"a copy moves {result['copied_bytes_per_second'] / 1e9:.0f} GB/s"
    head = ["stack", "product", "rows an expert (largest)", "roof", *names]
    host = [[name, f"{t['median']:.1f}", f"{t['min']:.1f}"] for name, t in result["host_us"].items()]
    products = f"{measure.heading(result)} µs; {copy}\n\n{table(head, lines)}"
    return products + "\n\n" + table(["a call on the host", "µs, median", "least"], host)


@torch.no_grad()
def main(argv: Sequence[str] | None = None) -> None:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--shapes", choices=mixtures.SIZES, nargs="+", help="of which models; default: all but tiny")
    parser.add_argument("--rows", type=lambda text: [int(m) for m in text.split(",")], metavar="M,M,...")
    arguments = measure.parse(parser, argv)
    torch.manual_seed(mixtures.SEED)
    models = arguments.shapes or (["tiny"] if arguments.small else [name for name in mixtures.SIZES if name != "tiny"])
    means: list[int] = arguments.rows or (SMALL_ROWS if arguments.small else ROWS)
    result = measure.circumstances(arguments)
    result["skew"] = mixtures.SKEW
    result["copied_bytes_per_second"] = measure.copied_bytes_per_second(arguments.device, arguments.small)
    result["rows"] = [
        row
        for model in models
        for stack in mixtures.SIZES[model].stacks
        for row in time_stack(model, stack, means, arguments.device, result["copied_bytes_per_second"])
    ]
    result["host_us"] = time_host(arguments.device)
    measure.finish(arguments, result, tables(result))


if __name__ == "__main__":
    main()
