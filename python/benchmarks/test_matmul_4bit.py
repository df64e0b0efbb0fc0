"""x @ W.T and dy @ W for 4-bit weights in bf16: qfuse's orders, cuBLAS and bitsandbytes.

    python python/benchmarks/test_matmul_4bit.py --json matmul.json
    python python/benchmarks/test_matmul_4bit.py --device cpu --json matmul-cpu.json
    QFUSE_PLAN=matmul_4bit:kernel=warp_specialized,tokens=128 python python/benchmarks/test_matmul_4bit.py \
        --layers 4096x14336 --rows 256,512,2048 --order plain --json wide.json
    python python/benchmarks/test_matmul_4bit.py --weights int4 --json int4.json

The weights are NF4 with nested absmax, or as --weights says; only NF4 has "factored", INT8 and bitsandbytes' layer.

On a GPU: device time of CUDA graphs that rotate through more weights than the caches hold. Besides qfuse's orders and
the defaults of both directions, times torch's linear with a bf16 weight, qfuse's decode followed by it, and
bitsandbytes' Linear4bit if installed. Above 256 rows, INT8 is the order "rotated_int8" with kept scales, and INT8 alone
is its product without quantizing either factor. Before timing, compares every result with a product in float64.
QFUSE_COMPUTE_CAPABILITY=80 measures another GPU's kernels (docs/PORTING.md).

On a CPU: one thread, and all. Every round times all ways in turn, so that disturbances affect all, and the caches no
longer hold what a way has read at its next turn. bitsandbytes has two ways. Its inference reorders Linear4bit's weight,
and rounds its scales to bf16 if the processor has AVX512-BF16. Its training decodes to memory.
"""

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import measure
import torch
from llamas import WEIGHTS, Weights, random_weight
from torch import Tensor
from torch.nn.functional import linear

import qfuse
from qfuse.ops import orders, rotated_products

LAYERS = [(4096, 14336), (14336, 4096), (4096, 4096), (8192, 28672)]  # inputs and outputs
ROWS = [1, 8, 16, 32, 64, 128, 256]
CPU_LAYERS, CPU_ROWS = [(4096, 14336)], [1, 8, 64, 512]
CPU_ROUNDS = {1: 40, 8: 30, 64: 12, 512: 5}
SMALL = [(512, 256)], [1, 16]
ERROR = 4e-3  # relative to a result's norm: bf16 rounds by up to 2e-3
INT8_ERROR = 2e-2
MOST_FUSED_ROWS = 256
ORDERS: tuple[qfuse.ops.Order, ...] = ("factored", "split", "plain")


class Layer(NamedTuple):
    """One weight: in 4 bits, decoded, as a bitsandbytes layer (None if not installed), and in INT8. Only NF4 has the
    last two."""

    weight: qfuse.Weight4bit
    dense: Tensor
    peer: Any
    int8: Any  # the INT8 weight and its scales, for the forward

    def multiply(self, x: Tensor, direction: qfuse.ops.Direction, order: qfuse.ops.Order) -> Tensor:
        w = self.weight
        form = partial(qfuse.ops.matmul_4bit, shape=w.shape, quant_type=w.quant_type, blocksize=w.blocksize)
        return form(x, w.tensors, None, direction=direction, order=order)


Way = Callable[[Layer], Tensor]


def bitsandbytes_layer(weight: qfuse.Weight4bit) -> Any:
    try:
        from bitsandbytes.functional import QuantState, get_4bit_type
        from bitsandbytes.nn import Linear4bit, Params4bit
    except ImportError:
        return None
    packed, codes, scales, quant_map, offset = weight.tensors
    nested = QuantState(absmax=scales, blocksize=256, code=quant_map, dtype=torch.float32)
    code = get_4bit_type("nf4", device=packed.device)
    state = QuantState(codes, torch.Size(weight.shape), code, 64, "nf4", torch.bfloat16, offset, nested)
    layer = Linear4bit(*weight.shape[::-1], bias=False, compute_dtype=torch.bfloat16, quant_type="nf4", device="meta")
    layer.weight = Params4bit(packed.view(-1, 1), quant_state=state, bnb_quantized=True, requires_grad=False)
    layer.weight.quant_state = state
    return layer.eval()


def random_layer(inputs: int, outputs: int, device: str, weights: Weights) -> Layer:
    weight = random_weight((outputs, inputs), device, weights)
    if weights != "nf4":
        return Layer(weight, weight.dequantize(), None, None)
    rotated_products.keep_scales(weight.packed)
    scale = qfuse.rotated_int8_weight_scales(weight)
    int8 = qfuse.rotated_int8_weight(weight, scale), scale
    return Layer(weight, weight.dequantize(), bitsandbytes_layer(weight), int8)


def decode_of_bitsandbytes(layer: Layer, state: Any) -> Tensor:
    from bitsandbytes.functional import dequantize_4bit

    decoded: Tensor = dequantize_4bit(layer.weight.packed.view(-1, 1), state)
    return decoded


def product(x: Tensor, order: qfuse.ops.Order, layer: Layer) -> Tensor:
    return layer.multiply(x, "forward", order)


def int8_ways(x: Tensor, dy: Tensor) -> dict[str, Way]:
    q, scale = qfuse.rotated_int8_quantize(x)
    return {
        "INT8": lambda layer: layer.multiply(x, "forward", "rotated_int8"),
        "INT8 alone": lambda layer: qfuse.rotated_int8_matmul(q, scale, layer.int8[0], layer.int8[1], x.dtype),
        "dy·W INT8": lambda layer: layer.multiply(dy, "backward", "rotated_int8"),
    }


def ways(x: Tensor, dy: Tensor, like: Layer, named: Sequence[qfuse.ops.Order]) -> dict[str, Way]:
    found: dict[str, Way] = {order: partial(product, x, order) for order in named}
    found["default"] = lambda layer: qfuse.matmul_4bit(x, layer.weight)
    found["cuBLAS"] = lambda layer: linear(x, layer.dense)
    found["decode + cuBLAS"] = lambda layer: linear(x, layer.weight.dequantize())
    if like.peer is not None:
        found["bitsandbytes"] = lambda layer: layer.peer(x)
    if len(x) > MOST_FUSED_ROWS and like.int8 is not None:
        found |= int8_ways(x, dy)
    found["dy·W plain"] = lambda layer: layer.multiply(dy, "backward", "plain")
    found["dy·W cuBLAS"] = lambda layer: dy @ layer.dense
    found["dy·W decode + cuBLAS"] = lambda layer: dy @ layer.weight.dequantize()
    w = like.weight
    is_decoded = orders.is_decoded(dy, w.shape, orders.advised_blocksize(w), "backward")
    found["dy·W default"] = found["dy·W decode + cuBLAS" if is_decoded else "dy·W plain"]
    return found


def cpu_ways(x: Tensor, dy: Tensor, state: Any) -> dict[str, Way]:
    order: qfuse.ops.Order = "split" if len(x) <= 4 else "plain"  # the choice of qfuse.matmul_4bit
    found: dict[str, Way] = {
        "qfuse": lambda layer: layer.multiply(x, "forward", order),
        "torch": lambda layer: linear(x, layer.dense),
    }
    if state is not None:
        found["bitsandbytes"] = lambda layer: layer.peer(x)
        found["bitsandbytes, decoding"] = lambda layer: linear(x, decode_of_bitsandbytes(layer, state))
        found["dy·W bitsandbytes"] = lambda layer: dy @ decode_of_bitsandbytes(layer, state)
    found["dy·W qfuse"] = lambda layer: layer.multiply(dy, "backward", "plain")
    found["dy·W torch"] = lambda layer: dy @ layer.dense
    return found


def compare(layer: Layer, x: Tensor, dy: Tensor, all_ways: dict[str, Way]) -> dict[str, float]:
    """Raises if an error is too large, except bitsandbytes', whose CPU kernel rounds scales to bf16."""
    dense = layer.dense.double()
    forward, backward = x.double() @ dense.t(), dy.double() @ dense
    errors = {}
    for name, way in all_ways.items():
        errors[name] = measure.relative_error(way(layer), backward if name.startswith("dy") else forward)
        most = INT8_ERROR if "INT8" in name else ERROR
        measure.require(name, errors[name], float("inf") if name == "bitsandbytes" else most)
    return errors


def random_rows(m: int, inputs: int, outputs: int, device: str) -> tuple[Tensor, Tensor]:
    x, dy = (torch.randn(m, width, device=device).bfloat16() for width in (inputs, outputs))
    return x, dy


def time_layer(
    inputs: int, outputs: int, rows: Sequence[int], named: Sequence[qfuse.ops.Order], weights: Weights
) -> list[dict[str, Any]]:
    device = "cuda"
    layers = [random_layer(inputs, outputs, device, weights) for _ in range(measure.copies_for(inputs * outputs // 2))]
    found = []
    for m in rows:
        measure.progress(f"{inputs} -> {outputs}, {m} rows")
        x, dy = random_rows(m, inputs, outputs, device)
        all_ways = ways(x, dy, layers[0], named)
        row: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "rows": m}
        row["errors"] = compare(layers[0], x, dy, all_ways)
        row["us"] = {name: measure.time_round(way, layers, device) for name, way in all_ways.items()}
        found.append(row)
    return found


def time_layer_on_cpu(inputs: int, outputs: int, rows: Sequence[int], weights: Weights) -> list[dict[str, Any]]:
    layer = random_layer(inputs, outputs, "cpu", weights)
    # From a separate layer, because the first forward in eval mode reorders the codes.
    state = None if layer.peer is None else bitsandbytes_layer(layer.weight).weight.quant_state
    cores, found = torch.get_num_threads(), []
    for m in rows:
        x, dy = random_rows(m, inputs, outputs, "cpu")
        all_ways = cpu_ways(x, dy, state)
        errors = compare(layer, x, dy, all_ways)
        for threads in sorted({1, cores}):
            measure.progress(f"{inputs} -> {outputs}, {m} rows, {threads} thread(s)")
            torch.set_num_threads(threads)
            runs = {name: partial(way, layer) for name, way in all_ways.items()}
            times = measure.in_turns(runs, "cpu", CPU_ROUNDS.get(m, 3), warm_ups=1)
            row = {"inputs": inputs, "outputs": outputs, "rows": m, "threads": threads, "errors": errors}
            row["us"] = {name: measure.spread(us) for name, us in times.items()}
            found.append(row | {"load": os.getloadavg()})
    torch.set_num_threads(cores)
    return found


def products_table(rows: Sequence[dict[str, Any]]) -> str:
    names = list(rows[0]["us"])
    lines = [
        [
            f"{row['inputs']} → {row['outputs']}",
            str(row["rows"]),
            str(row.get("threads", "")),
            *(f"{row['us'][name]['median']:.1f}" if name in row["us"] else "" for name in names),
        ]
        for row in rows
    ]
    return measure.table(["µs; K → N", "m", "threads", *names], lines)


def sizes(text: str) -> tuple[int, int]:
    inputs, outputs = map(int, text.split("x"))
    return inputs, outputs


@torch.no_grad()
def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--layers", type=sizes, nargs="+", metavar="KxN", help="inputs and outputs of each")
    parser.add_argument("--rows", type=measure.counts, metavar="M,M,...")
    parser.add_argument("--order", choices=ORDERS, help="of forward products; default: all")
    parser.add_argument("--weights", choices=WEIGHTS, default="nf4", help="default nf4")
    arguments = measure.parse(parser, argv)
    on_cpu = arguments.device == "cpu"
    usual = SMALL if arguments.small else (CPU_LAYERS, CPU_ROWS) if on_cpu else (LAYERS, ROWS)
    layers: list[tuple[int, int]] = arguments.layers or usual[0]
    rows: list[int] = arguments.rows or usual[1]
    weights: Weights = arguments.weights
    named = [arguments.order] if arguments.order else ORDERS if weights == "nf4" else ORDERS[1:]
    found = [
        row
        for layer in layers
        for row in (time_layer_on_cpu(*layer, rows, weights) if on_cpu else time_layer(*layer, rows, named, weights))
    ]
    result = measure.circumstances(arguments) | {"weights": weights, "rows": found}  # after bitsandbytes' import
    return measure.finish(arguments, result, products_table(found))


if __name__ == "__main__":
    raise SystemExit(main())
