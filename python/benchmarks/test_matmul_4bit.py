"""x @ W.T and dy @ W for NF4 weights, double-quantized, in bf16: qfuse's orders beside cuBLAS and bitsandbytes.

    python python/benchmarks/test_matmul_4bit.py --json matmul.json

Device time of CUDA graphs that go round more weights than the caches hold. Beside qfuse stand torch's linear on a bf16
weight, qfuse's decode and then that, and bitsandbytes' matmul_4bit where it can be imported. Before anything is timed,
every result is compared with a product in float64; and the plain order with torch's linear, whose bits it has where
cuBLAS does not split its sums.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import measure
import torch
from measure import table

import qfuse

LAYERS = [(4096, 14336), (14336, 4096), (4096, 4096), (8192, 28672)]  # inputs and outputs
ROWS = [1, 8, 16, 32, 64, 256]
SMALL = [(512, 256)], [1, 16]
ERROR = 4e-3  # of a whole result's norm: bf16 rounds by up to 2e-3


class Layer:
    """A random weight as bitsandbytes stores it."""

    def __init__(self, inputs: int, outputs: int, device: str) -> None:
        self.shape = (outputs, inputs)
        weight = torch.randn(self.shape, dtype=torch.bfloat16, device=device) * 0.02
        self.tensors = qfuse.ops.quantize_4bit_nested(weight, 64, "nf4")
        self.packed = self.tensors[0]

    def decode(self) -> torch.Tensor:
        return qfuse.ops.dequantize_4bit(self.tensors, self.shape, torch.bfloat16)

    def multiply(self, x: torch.Tensor, direction: qfuse.ops.Direction, order: qfuse.ops.Order) -> torch.Tensor:
        return qfuse.ops.matmul_4bit(x, self.tensors, None, shape=self.shape, direction=direction, order=order)

    def for_bitsandbytes(self) -> Any:
        from bitsandbytes.functional import QuantState, get_4bit_type

        _, codes, scales, quant_map, offset = self.tensors
        nested = QuantState(absmax=scales, blocksize=256, code=quant_map, dtype=torch.float32)
        code = get_4bit_type("nf4", device=self.packed.device)
        return QuantState(codes, torch.Size(self.shape), code, 64, "nf4", torch.bfloat16, offset, nested)


def relative_error(actual: torch.Tensor, expected: torch.Tensor) -> float:
    return float((actual.double() - expected).norm() / expected.norm())


def ways(x: torch.Tensor, dy: torch.Tensor, with_peer: bool) -> dict[str, Any]:
    """Each a function of a layer and its decoded weight."""
    linear = torch.nn.functional.linear
    all_ways: dict[str, Any] = {
        "split": lambda layer, _: layer.multiply(x, "forward", "split"),
        "plain": lambda layer, _: layer.multiply(x, "forward", "plain"),
        "cuBLAS": lambda _, weight: linear(x, weight),
        "decode + cuBLAS": lambda layer, _: linear(x, layer.decode()),
    }
    if with_peer:
        from bitsandbytes import matmul_4bit

        all_ways["bitsandbytes"] = lambda layer, _: matmul_4bit(x, layer.packed.view(-1, 1).t(), layer.state)
    all_ways["dy·W plain"] = lambda layer, _: layer.multiply(dy, "backward", "plain")
    all_ways["dy·W cuBLAS"] = lambda _, weight: dy @ weight
    return all_ways


def compare(layer: Layer, x: torch.Tensor, dy: torch.Tensor, all_ways: dict[str, Any]) -> dict[str, Any]:
    weight = layer.decode()
    results = {name: way(layer, weight) for name, way in all_ways.items()}
    forward, backward = x.double() @ weight.double().t(), dy.double() @ weight.double()
    errors = {n: relative_error(r, backward if n.startswith("dy") else forward) for n, r in results.items()}
    for name, error in errors.items():
        if name != "bitsandbytes" and not error <= ERROR:
            raise AssertionError(f"{name}: a relative error of {error}")
    differ = int((results["plain"] != results["cuBLAS"]).sum())
    return {"errors": errors, "plain_differs_from_cublas": differ, "of": results["plain"].numel()}


def run_all(runs: Sequence[measure.Run]) -> list[Any]:
    return [run() for run in runs]


def time_layer(inputs: int, outputs: int, rows: Sequence[int], device: str, with_peer: bool) -> list[dict[str, Any]]:
    count = max(2, -(-measure.ROTATED_BYTES // (inputs * outputs // 2)))
    layers = [Layer(inputs, outputs, device) for _ in range(min(count, measure.LAUNCHES))]
    weights = [layer.decode() for layer in layers[: max(2, -(-measure.ROTATED_BYTES // (2 * inputs * outputs)))]]
    if with_peer:
        for layer in layers:
            layer.state = layer.for_bitsandbytes()  # type: ignore[attr-defined]
    found = []
    for m in rows:
        measure.progress(f"{inputs} -> {outputs}, {m} rows")
        x = torch.randn(m, inputs, device=device).bfloat16()
        dy = torch.randn(m, outputs, device=device).bfloat16()
        all_ways = ways(x, dy, with_peer)
        row: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "rows": m, **compare(layers[0], x, dy, all_ways)}
        row["us"] = {}
        for name, way in all_ways.items():
            runs = [partial(way, layer, weights[i % len(weights)]) for i, layer in enumerate(layers)]
            times = measure.replayed_us(partial(run_all, runs), len(runs), device)
            row["us"][name] = measure.spread(times)
        found.append(row)
    return found


def tables(result: dict[str, Any]) -> str:
    names = list(result["rows"][0]["us"])
    lines = [
        [f"{row['inputs']} → {row['outputs']}", str(row["rows"]), *(f"{row['us'][n]['median']:.1f}" for n in names)]
        for row in result["rows"]
    ]
    return measure.heading(result) + " µs\n\n" + table(["K → N", "m", *names], lines)


def main(argv: Sequence[str] | None = None) -> None:
    arguments = measure.parse(measure.argument_parser(__doc__), argv)
    try:
        import bitsandbytes  # noqa: F401

        with_peer = arguments.device == "cuda"
    except ImportError:
        with_peer = False
    layers, rows = SMALL if arguments.small else (LAYERS, ROWS)
    result = measure.circumstances(arguments)
    result["rows"] = [r for layer in layers for r in time_layer(*layer, rows, arguments.device, with_peer)]
    measure.finish(arguments, result, tables(result))


if __name__ == "__main__":
    main()
