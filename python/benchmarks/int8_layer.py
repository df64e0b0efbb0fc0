"""A decoder layer's seven products with frozen NF4 weights, forward and backward, in INT8, and its SwiGLU alone.

    python python/benchmarks/int8_layer.py --json int8_layer.json

The layer is an 8B Llama's by default: q, k, v of one input, o of another, gate and up of a third, and down of SwiGLU's
y, without attention, norms or adapters. Computes the gradients of all three inputs. Ways: "decode + cuBLAS" is qfuse's
default; "INT8 apart" rotates the rows for every product; "INT8" rotates a shared input once, and its SwiGLU quantizes
its own output; "INT8 kept" also keeps the weights' INT8 codes. Other ways use liger-kernel's SwiGLU if installed, else
torch's. Times CUDA graphs of four layers on the device. Before timing, compares every way's results with those of
"decode + cuBLAS".
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any, NamedTuple

import measure
import torch
from llamas import SIZES, Size, random_weight
from torch import Tensor

import qfuse
from qfuse.ops import rotated_products, rotated_swiglu

LAYERS = 4  # in a graph, enough that caches hold no weight until its next use
MOVED = [("forward", 7), ("backward", 12)]  # bytes per channel of a token
ERROR = 3e-2  # relative to a result's norm, after two consecutive products
INT8: qfuse.ops.Order = "rotated_int8"


class Layer(NamedTuple):
    attention: list[qfuse.Weight4bit]  # q, k, v
    out: qfuse.Weight4bit
    mlp: list[qfuse.Weight4bit]  # gate, up
    down: qfuse.Weight4bit

    @classmethod
    def of(cls, weights: Sequence[qfuse.Weight4bit], codes: bool) -> "Layer":
        """codes: keeps their INT8 codes, not only their scales."""
        for weight in weights:
            rotated_products.keep_scales(weight.packed, codes)
        return cls(list(weights[:3]), weights[3], list(weights[4:6]), weights[6])


class Inputs(NamedTuple):
    x: Tensor
    attended: Tensor
    normed: Tensor


def random_layer(size: Size, device: str) -> Layer:
    kv = size.hidden // size.heads * size.kv_heads
    shapes = [(size.hidden, size.hidden), (kv, size.hidden), (kv, size.hidden), (size.hidden, size.hidden)]
    shapes += [(size.intermediate, size.hidden)] * 2 + [(size.hidden, size.intermediate)]
    return Layer.of([random_weight(shape, device) for shape in shapes], codes=False)


def with_codes_kept(layer: Layer) -> Layer:
    """Copies a layer, because what is kept of a weight belongs to its memory."""
    weights = [*layer.attention, layer.out, *layer.mlp, layer.down]
    copies = [weight._replace(tensors=tuple(each.clone() for each in weight.tensors)) for weight in weights]
    return Layer.of(copies, codes=True)


def activation(device: str) -> Callable[[Tensor, Tensor], Tensor]:
    """On a GPU, liger-kernel's if it is installed."""
    try:
        from liger_kernel.ops.swiglu import LigerSiLUMulFunction
    except ImportError:
        device = "cpu"
    if device == "cpu":
        return lambda gate, up: torch.nn.functional.silu(gate) * up
    apply: Callable[[Tensor, Tensor], Tensor] = LigerSiLUMulFunction.apply
    return apply


def step(
    inputs: Inputs,
    gradients: Sequence[Tensor],
    order: qfuse.ops.Order | None,
    swiglu: Callable[[Tensor, Tensor], Tensor],
    sharing: Callable[[], AbstractContextManager[Any]],
    layer: Layer,
) -> list[Tensor]:
    """Returns the outputs and the gradients of the inputs."""
    leaves = Inputs(*(each.detach().requires_grad_() for each in inputs))
    with sharing():
        outputs = [qfuse.matmul_4bit(leaves.x, weight, order=order) for weight in layer.attention]
    outputs.append(qfuse.matmul_4bit(leaves.attended, layer.out, order=order))
    with sharing():
        gate, up = (qfuse.matmul_4bit(leaves.normed, weight, order=order) for weight in layer.mlp)
        outputs.append(qfuse.matmul_4bit(swiglu(gate, up), layer.down, order=order))
    return [*(each.detach() for each in outputs), *torch.autograd.grad(outputs, list(leaves), gradients)]


def ways(inputs: Inputs, gradients: Sequence[Tensor]) -> dict[str, Callable[[Layer], list[Tensor]]]:
    of, swiglu = partial(step, inputs, gradients), activation(inputs.x.device.type)
    in_int8 = partial(of, INT8, rotated_swiglu.swiglu, rotated_products.shared_inputs)
    return {
        "decode + cuBLAS": partial(of, None, swiglu, nullcontext),
        "INT8 apart": partial(of, INT8, swiglu, nullcontext),
        "INT8": in_int8,
        "INT8 kept": in_int8,
    }


def time_swiglu(m: int, size: Size, device: str) -> dict[str, dict[str, float]]:
    """Times SwiGLU alone in microseconds: forward and backward, each beside a copy that moves as many bytes."""
    count = m * size.intermediate
    sets = [
        [torch.randn(m, size.intermediate, device=device).bfloat16() for _ in range(3)]
        for _ in range(measure.copies_for(6 * count))
    ]
    moved = {name: torch.empty(bytes_of * count // 2, dtype=torch.uint8, device=device) for name, bytes_of in MOVED}
    ways: dict[str, Callable[[list[Tensor]], Any]] = {
        "forward": lambda given: qfuse.ops.rotated_int8_swiglu(*given[:2]),
        "backward": lambda given: qfuse.ops.rotated_int8_swiglu(*given),
        "silu(gate) * up, rotated_int8_quantize": lambda given: qfuse.ops.rotated_int8_quantize(
            activation(device)(*given[:2])
        ),
    }
    for name, place in moved.items():
        ways[f"{name}, a copy"] = lambda _, place=place: place.clone()  # type: ignore[misc]
    return {name: measure.time_round(way, sets, device) for name, way in ways.items()}


def time_tokens(m: int, size: Size, layers: Sequence[Layer], device: str) -> dict[str, Any]:
    measure.progress(f"{m} tokens")
    kv = size.hidden // size.heads * size.kv_heads
    inputs = Inputs(*(torch.randn(m, size.hidden, device=device).bfloat16() for _ in range(3)))
    widths = [size.hidden, kv, kv, size.hidden, size.hidden]
    gradients = [torch.randn(m, width, device=device).bfloat16() for width in widths]
    found: dict[str, Any] = {"tokens": m, "errors": {}, "us": {}}
    all_ways = ways(inputs, gradients)
    expected = all_ways["decode + cuBLAS"](layers[0])
    kept = [with_codes_kept(layer) for layer in layers]
    layers_of = {name: kept if name == "INT8 kept" else layers for name in all_ways}
    for name, way in all_ways.items():
        pairs = zip(way(layers_of[name][0]), expected, strict=True)
        found["errors"][name] = max(measure.require(name, measure.relative_error(*pair), ERROR) for pair in pairs)
    runs: dict[str, measure.Run] = {name: partial(run_all, way, layers_of[name]) for name, way in all_ways.items()}
    for run in runs.values():  # also makes the weights' scales
        run()
    if device == "cuda":
        runs = {name: measure.captured(run) for name, run in runs.items()}
    times = measure.in_turns(runs, device)
    found["us"] = {name: measure.spread([us / len(layers) for us in each]) for name, each in times.items()}
    found["swiglu_us"] = time_swiglu(m, size, device)
    return found


def run_all(way: Callable[[Layer], list[Tensor]], layers: Sequence[Layer]) -> None:
    for layer in layers:
        way(layer)


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--tokens", type=measure.counts, metavar="M,M,...", help="default: 2048,8192")
    arguments = measure.parse(parser, argv)
    size = SIZES["tiny" if arguments.small else "8b"]
    tokens = arguments.tokens or ([40] if arguments.small else [2048, 8192])
    with measure.side_stream(arguments.device):
        layers = [random_layer(size, arguments.device) for _ in range(LAYERS)]
        rows = [time_tokens(m, size, layers, arguments.device) for m in tokens]
    result = measure.circumstances(arguments) | {"rows": rows}
    tables = [
        measure.table(["µs; tokens", *rows[0][of]], [_line(row, of) for row in rows]) for of in ("us", "swiglu_us")
    ]
    return measure.finish(arguments, result, *tables)


def _line(row: dict[str, Any], of: str) -> list[str]:
    return [str(row["tokens"]), *map(measure.text_of, row[of].values())]


if __name__ == "__main__":
    raise SystemExit(main())
