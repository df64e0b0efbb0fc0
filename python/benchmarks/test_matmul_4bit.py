"""x @ W.T and dy @ W for NF4 weights, double-quantized, in bf16: qfuse's orders beside cuBLAS and bitsandbytes.

    python python/benchmarks/test_matmul_4bit.py --json matmul.json
    python python/benchmarks/test_matmul_4bit.py --device cpu --json matmul-cpu.json
    QFUSE_PLAN=matmul_4bit:kernel=warp_specialized,tokens=128 python python/benchmarks/test_matmul_4bit.py \
        --layers 4096x14336 --rows 256,512,2048 --order plain --json wide.json

On a GPU, device time of CUDA graphs that go round more weights than the caches hold. Beside qfuse stand torch's linear
on a bf16 weight, qfuse's decode and then that, and bitsandbytes' matmul_4bit where it can be imported; and qfuse's
product with the terms of a LoRA adapter of rank 16. Before anything
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
from typing import Any, NamedTuple

import measure
import torch
from measure import table

import qfuse

LAYERS = [(4096, 14336), (14336, 4096), (4096, 4096), (8192, 28672)]  # inputs and outputs
ROWS = [1, 8, 16, 32, 64, 128, 256]
CPU_LAYERS, CPU_ROWS = [(4096, 14336)], [1, 8, 64, 512]
CPU_ROUNDS = {1: 40, 8: 30, 64: 12, 512: 5}
SMALL = [(512, 256)], [1, 16]
Ways = dict[str, Callable[[], torch.Tensor]]
ERROR = 4e-3  # of a whole result's norm: bf16 rounds by up to 2e-3
RANK = 16  # of LoRA's terms
ORDERS = ("plain", "split", "factored")


class Layer:
    """A random weight as bitsandbytes stores it."""

    def __init__(self, inputs: int, outputs: int, device: str) -> None:
        self.shape = (outputs, inputs)
        weight = torch.randn(self.shape, dtype=torch.bfloat16, device=device) * 0.02
        self.tensors = qfuse.ops.quantize_4bit_nested(weight, 64, "nf4")
        self.packed = self.tensors[0]

    def decode(self) -> torch.Tensor:
        return qfuse.ops.dequantize_4bit(self.tensors, self.shape, torch.bfloat16)

    def multiply(
        self, x: torch.Tensor, direction: qfuse.ops.Direction, order: qfuse.ops.Order, *lora: torch.Tensor
    ) -> torch.Tensor:
        return qfuse.ops.matmul_4bit(x, self.tensors, None, *lora, shape=self.shape, direction=direction, order=order)

    def for_bitsandbytes(self) -> Any:
        from bitsandbytes.functional import QuantState, get_4bit_type

        _, codes, scales, quant_map, offset = self.tensors
        nested = QuantState(absmax=scales, blocksize=256, code=quant_map, dtype=torch.float32)
        code = get_4bit_type("nf4", device=self.packed.device)
        return QuantState(codes, torch.Size(self.shape), code, 64, "nf4", torch.bfloat16, offset, nested)


def relative_error(actual: torch.Tensor, expected: torch.Tensor) -> float:
    return float((actual.double() - expected).norm() / expected.norm())


class Operands(NamedTuple):
    """What is multiplied by a weight, and by the factors of an adapter."""

    x: torch.Tensor
    dy: torch.Tensor
    down: torch.Tensor  # x times A, [m, rank]
    up: torch.Tensor  # dy times B
    lora_a: torch.Tensor
    lora_b: torch.Tensor

    @classmethod
    def random(cls, m: int, inputs: int, outputs: int, device: str) -> "Operands":
        shapes = [(m, inputs), (m, outputs), (m, RANK), (m, RANK), (RANK, inputs), (outputs, RANK)]
        return cls(*(torch.randn(shape, device=device).bfloat16() for shape in shapes))

    def exact(self, name: str, weight: torch.Tensor) -> torch.Tensor:
        """In float64, what the way of that name is to give."""
        wide = Operands(*(operand.double() for operand in self))
        if name.startswith("dy"):
            return wide.dy @ weight.double() + (wide.up @ wide.lora_a if name.endswith("LoRA") else 0)
        return wide.x @ weight.double().t() + (wide.down @ wide.lora_b.t() if name.endswith("LoRA") else 0)


def ways(operands: Operands, with_peer: bool, orders: Sequence[str]) -> dict[str, Any]:
    """Each a function of a layer and its decoded weight."""
    linear = torch.nn.functional.linear
    x, dy, down, up, lora_a, lora_b = operands
    all_ways: dict[str, Any] = {
        "factored": lambda layer, _: layer.multiply(x, "forward", "factored"),
        "split": lambda layer, _: layer.multiply(x, "forward", "split"),
        "plain": lambda layer, _: layer.multiply(x, "forward", "plain"),
        "plain, LoRA": lambda layer, _: layer.multiply(x, "forward", "plain", down, lora_b),
        "cuBLAS": lambda _, weight: linear(x, weight),
        "decode + cuBLAS": lambda layer, _: linear(x, layer.decode()),
    }
    if with_peer:
        from bitsandbytes import matmul_4bit

        all_ways["bitsandbytes"] = lambda layer, _: matmul_4bit(x, layer.packed.view(-1, 1).t(), layer.state)
    all_ways["dy·W plain"] = lambda layer, _: layer.multiply(dy, "backward", "plain")
    all_ways["dy·W plain, LoRA"] = lambda layer, _: layer.multiply(dy, "backward", "plain", up, lora_a)
    all_ways["dy·W cuBLAS"] = lambda _, weight: dy @ weight
    all_ways["dy·W decode + cuBLAS"] = lambda layer, _: dy @ layer.decode()
    return {name: way for name, way in all_ways.items() if name not in ORDERS or name in orders}


def compare_with_fp64(weight: torch.Tensor, operands: Operands, results: dict[str, torch.Tensor]) -> dict[str, float]:
    """The relative errors; raises where one but bitsandbytes' is too large, whose CPU kernel rounds scales to bf16."""
    errors = {name: relative_error(result, operands.exact(name, weight)) for name, result in results.items()}
    for name, error in errors.items():
        if name != "bitsandbytes" and not error <= ERROR:
            raise AssertionError(f"{name}: a relative error of {error}")
    return errors


def compare(layer: Layer, operands: Operands, all_ways: dict[str, Any]) -> dict[str, Any]:
    weight = layer.decode()
    results = {name: way(layer, weight) for name, way in all_ways.items()}
    errors = compare_with_fp64(weight, operands, results)
    pairs = {"plain": "cuBLAS", "dy·W plain": "dy·W cuBLAS"}
    differ = {one: int((results[one] != results[other]).sum()) for one, other in pairs.items() if one in results}
    return {"errors": errors, "differ_from_cublas": differ, "of": {name: results[name].numel() for name in differ}}


def run_all(runs: Sequence[measure.Run]) -> list[Any]:
    return [run() for run in runs]


def time_layer(
    inputs: int, outputs: int, rows: Sequence[int], device: str, with_peer: bool, orders: Sequence[str]
) -> list[dict[str, Any]]:
    count = max(2, -(-measure.ROTATED_BYTES // (inputs * outputs // 2)))
    layers = [Layer(inputs, outputs, device) for _ in range(min(count, measure.LAUNCHES))]
    weights = [layer.decode() for layer in layers[: max(2, -(-measure.ROTATED_BYTES // (2 * inputs * outputs)))]]
    if with_peer:
        for layer in layers:
            layer.state = layer.for_bitsandbytes()  # type: ignore[attr-defined]
    found = []
    for m in rows:
        measure.progress(f"{inputs} -> {outputs}, {m} rows")
        operands = Operands.random(m, inputs, outputs, device)
        all_ways = ways(operands, with_peer, orders)
        row: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "rows": m, "us": {}}
        row |= compare(layers[0], operands, all_ways)
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
        times = measure.host_us(calls, measure.synchronizer(device))
    return {name: measure.spread(blocks) for name, blocks in times.items()}


# ---- on a CPU ----


def bitsandbytes_layer(layer: Layer) -> Any:
    from bitsandbytes.nn import Linear4bit, Params4bit

    linear = Linear4bit(*layer.shape[::-1], bias=False, compute_dtype=torch.bfloat16, quant_type="nf4", device="meta")
    state = layer.for_bitsandbytes()
    linear.weight = Params4bit(layer.packed.view(-1, 1), quant_state=state, bnb_quantized=True, requires_grad=False)
    linear.weight.quant_state = state
    return linear.eval()


def cpu_ways(layer: Layer, weight: torch.Tensor, operands: Operands, peers: dict[str, Any]) -> Ways:
    linear = torch.nn.functional.linear
    x, dy = operands.x, operands.dy
    order: qfuse.ops.Order = "split" if len(x) <= 4 else "plain"  # as qfuse.matmul_4bit chooses
    all_ways: Ways = {
        "qfuse": lambda: layer.multiply(x, "forward", order),
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
        operands = Operands.random(m, inputs, outputs, "cpu")
        all_ways = cpu_ways(layer, weight, operands, peers)
        with torch.no_grad():
            errors = compare_with_fp64(weight, operands, {name: way() for name, way in all_ways.items()})
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


def sizes(text: str) -> tuple[int, int]:
    inputs, outputs = map(int, text.split("x"))
    return inputs, outputs


def main(argv: Sequence[str] | None = None) -> None:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=sizes, nargs="+", metavar="KxN", help="inputs and outputs of each")
    parser.add_argument("--rows", type=lambda text: [int(m) for m in text.split(",")], metavar="M,M,...")
    parser.add_argument("--order", choices=ORDERS, help="of forward products without LoRA; default: all")
    arguments = measure.parse(parser, argv)
    try:
        import bitsandbytes  # noqa: F401

        with_peer = True
    except ImportError:
        with_peer = False
    on_cpu = arguments.device == "cpu"
    usual = SMALL if arguments.small else (CPU_LAYERS, CPU_ROWS) if on_cpu else (LAYERS, ROWS)
    layers: list[tuple[int, int]] = arguments.layers or usual[0]
    rows: list[int] = arguments.rows or usual[1]
    orders = [arguments.order] if arguments.order else list(ORDERS)
    result = measure.circumstances(arguments)
    result["rows"] = [
        row
        for layer in layers
        for row in (
            time_layer_on_cpu(*layer, rows, with_peer)
            if on_cpu
            else time_layer(*layer, rows, arguments.device, with_peer, orders)
        )
    ]
    if not on_cpu and "QFUSE_PLAN" not in os.environ:  # which the host's small layer cannot have
        result["host_us"] = time_host(arguments.device, with_peer)
    measure.finish(arguments, result, tables(result))


if __name__ == "__main__":
    main()
