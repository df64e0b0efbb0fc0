"""x @ W.T and dy @ W for NF4 weights, double-quantized, in bf16: qfuse's orders beside cuBLAS and bitsandbytes.

    python python/benchmarks/test_matmul_4bit.py --json matmul.json
    python python/benchmarks/test_matmul_4bit.py --device cpu --json matmul-cpu.json

On a GPU, device time of CUDA graphs that go round more weights than the caches hold. Beside qfuse stand torch's linear
on a bf16 weight, qfuse's decode and then that, and bitsandbytes' matmul_4bit where it can be imported. Before anything
is timed, every result is compared with a product in float64; and the plain order with torch's linear, whose bits it has
where cuBLAS does not split its sums. Last comes the host's time of a call in eager mode, of a layer so small that the
GPU is never behind.

On a CPU, one thread and all; all ways in turn in every round, so that what disturbs the machine disturbs all, and what
a way has read is no longer in the caches when its turn comes again. bitsandbytes has two ways: that of inference, for
which its Linear4bit reorders the weight and rounds its scales to bf16 where the processor has AVX512-BF16, and that of
training, which decodes to memory.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import measure
import torch
from measure import table

import qfuse

LAYERS = [(4096, 14336), (14336, 4096), (4096, 4096), (8192, 28672)]  # inputs and outputs
ROWS = [1, 8, 16, 32, 64, 128, 256]
CPU_LAYERS, CPU_ROWS = [(4096, 14336)], [1, 8, 64, 512]
CPU_ROUNDS = {1: 40, 8: 30, 64: 12, 512: 5}
SMALL = [(512, 256)], [1, 16]
HOST_ROUNDS, HOST_BLOCK = 40, 50
Ways = dict[str, Callable[[], torch.Tensor]]
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


def compare_with_fp64(
    weight: torch.Tensor, x: torch.Tensor, dy: torch.Tensor, results: dict[str, torch.Tensor]
) -> dict[str, float]:
    """The relative errors; raises where one but bitsandbytes' is too large, whose CPU kernel rounds scales to bf16."""
    forward, backward = x.double() @ weight.double().t(), dy.double() @ weight.double()
    errors = {n: relative_error(r, backward if n.startswith("dy") else forward) for n, r in results.items()}
    for name, error in errors.items():
        if name != "bitsandbytes" and not error <= ERROR:
            raise AssertionError(f"{name}: a relative error of {error}")
    return errors


def compare(layer: Layer, x: torch.Tensor, dy: torch.Tensor, all_ways: dict[str, Any]) -> dict[str, Any]:
    weight = layer.decode()
    results = {name: way(layer, weight) for name, way in all_ways.items()}
    errors = compare_with_fp64(weight, x, dy, results)
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


# ---- the host's time ----


def time_host(device: str, with_peer: bool) -> dict[str, Any]:
    """Microseconds until a call for one row returns."""
    layer = Layer(64, 64, device)
    x = torch.randn(1, 64, device=device).bfloat16()
    weight = layer.decode()
    calls: Ways = {
        "qfuse.ops.matmul_4bit": lambda: layer.multiply(x, "forward", "split"),
        "torch's linear, bf16": lambda: torch.nn.functional.linear(x, weight),
    }
    if with_peer:
        layer.state = layer.for_bitsandbytes()  # type: ignore[attr-defined]
        linear = bitsandbytes_layer(layer)
        calls["qfuse.matmul_4bit of a Linear4bit"] = lambda: qfuse.matmul_4bit(x, linear)
        calls["bitsandbytes' Linear4bit"] = lambda: linear(x)
    with torch.no_grad():
        times = measure.host_us(calls, measure.synchronizer(device), HOST_ROUNDS, HOST_BLOCK)
    return {name: measure.spread(blocks) for name, blocks in times.items()}


# ---- on a CPU ----


def bitsandbytes_layer(layer: Layer) -> Any:
    from bitsandbytes.nn import Linear4bit, Params4bit

    linear = Linear4bit(*layer.shape[::-1], bias=False, compute_dtype=torch.bfloat16, quant_type="nf4", device="meta")
    state = layer.for_bitsandbytes()
    linear.weight = Params4bit(layer.packed.view(-1, 1), quant_state=state, bnb_quantized=True, requires_grad=False)
    linear.weight.quant_state = state
    return linear.eval()


def cpu_ways(layer: Layer, weight: torch.Tensor, x: torch.Tensor, dy: torch.Tensor, peers: dict[str, Any]) -> Ways:
    linear = torch.nn.functional.linear
    all_ways: Ways = {
        "qfuse": lambda: layer.multiply(x, "forward", "plain"),
        "torch": lambda: linear(x, weight),
        "decode + torch": lambda: linear(x, layer.decode()),
    }
    if peers:
        from bitsandbytes.functional import dequantize_4bit

        decode = partial(dequantize_4bit, layer.packed.view(-1, 1), peers["state"])
        all_ways["bitsandbytes"] = lambda: peers["layer"](x)
        all_ways["bitsandbytes, decoding"] = lambda: linear(x, decode())
        all_ways["dy·W bitsandbytes"] = lambda: dy @ decode()
    all_ways["dy·W qfuse"] = lambda: layer.multiply(dy, "backward", "plain")
    all_ways["dy·W torch"] = lambda: dy @ weight
    return all_ways


def time_in_turn(all_ways: Ways, rounds: int) -> dict[str, Any]:
    watch = measure.Stopwatch("cpu")
    times: dict[str, list[float]] = {name: [] for name in all_ways}
    with measure.undisturbed(), torch.no_grad():
        for _ in range(1 + rounds):
            for name, way in all_ways.items():
                times[name].append(watch.microseconds(way))
    return {name: measure.spread(all_times[1:]) for name, all_times in times.items()}


def time_layer_on_cpu(inputs: int, outputs: int, rows: Sequence[int], with_peer: bool) -> list[dict[str, Any]]:
    layer = Layer(inputs, outputs, "cpu")
    weight = layer.decode()
    peers = {"layer": bitsandbytes_layer(layer), "state": layer.for_bitsandbytes()} if with_peer else {}
    cores, found = torch.get_num_threads(), []
    for m in rows:
        x, dy = torch.randn(m, inputs).bfloat16(), torch.randn(m, outputs).bfloat16()
        all_ways = cpu_ways(layer, weight, x, dy, peers)
        with torch.no_grad():
            errors = compare_with_fp64(weight, x, dy, {name: way() for name, way in all_ways.items()})
        for threads in sorted({1, cores}):
            measure.progress(f"{inputs} -> {outputs}, {m} rows, {threads} thread(s)")
            torch.set_num_threads(threads)
            times = time_in_turn(all_ways, CPU_ROUNDS.get(m, 3))
            row = {"inputs": inputs, "outputs": outputs, "rows": m, "threads": threads, "errors": errors}
            found.append(row | {"load": os.getloadavg(), "us": times})
    torch.set_num_threads(cores)
    return found


def tables(result: dict[str, Any]) -> str:
    names = list(result["rows"][0]["us"])
    lines = [
        [
            f"{row['inputs']} → {row['outputs']}",
            str(row["rows"]),
            str(row.get("threads", "")),
            *(f"{row['us'][n]['median']:.1f}" for n in names),
        ]
        for row in result["rows"]
    ]
    text = measure.heading(result) + " µs\n\n" + table(["K → N", "m", "threads", *names], lines)
    if "host_us" not in result:
        return text
    host = [[name, f"{t['median']:.2f}", f"{t['min']:.2f}"] for name, t in result["host_us"].items()]
    return text + "\n\n" + table(["a call on the host", "µs, median", "least"], host)


def main(argv: Sequence[str] | None = None) -> None:
    arguments = measure.parse(measure.argument_parser(__doc__), argv)
    try:
        import bitsandbytes  # noqa: F401

        with_peer = True
    except ImportError:
        with_peer = False
    on_cpu = arguments.device == "cpu"
    layers, rows = SMALL if arguments.small else (CPU_LAYERS, CPU_ROWS) if on_cpu else (LAYERS, ROWS)
    result = measure.circumstances(arguments)
    result["rows"] = [
        row
        for layer in layers
        for row in (
            time_layer_on_cpu(*layer, rows, with_peer)
            if on_cpu
            else time_layer(*layer, rows, arguments.device, with_peer)
        )
    ]
    if not on_cpu:
        result["host_us"] = time_host(arguments.device, with_peer)
    measure.finish(arguments, result, tables(result))


if __name__ == "__main__":
    main()
