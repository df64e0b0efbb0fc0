"""Times the weight of a merge-aware layer, decode(encode(W + scaling·B·A)) with its codes, beside its steps as ops of
their own:

    python python/benchmarks/merged_codes.py --ranks 16,32 --json FILE

Times are per call in CUDA graphs that rotate through weights which no cache holds. All bits are compared first.
"""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import measure
import torch
from measure import table_of, text_of
from torch import Tensor

import qfuse
from qfuse import ops
from qfuse.ops import merged

SHAPES = ((4096, 4096), (14336, 4096), (4096, 14336))
SMALL = ((128, 256),)
PLAIN, NESTED, KEPT = "NF4", "nested NF4", " with its absmax"
KINDS = {  # what W is, and what its sum becomes
    f"{PLAIN} to {PLAIN}": (PLAIN, PLAIN),
    f"{NESTED} to {NESTED}": (NESTED, NESTED),
    f"{PLAIN}{KEPT}": (PLAIN, PLAIN),
    f"{NESTED}{KEPT}": (NESTED, NESTED),
    f"bf16 to {PLAIN}": ("bf16", PLAIN),
    f"bf16 to {NESTED}": ("bf16", NESTED),
    "MXFP4 to MXFP4": ("mxfp4", "mxfp4"),
    "bf16 to FP8": ("bf16", "fp8"),
}


class Layer(NamedTuple):
    weight: qfuse.Weight4bit | Tensor
    lora_a: Tensor
    lora_b: Tensor


def make_layer(kind: str, rows: int, cols: int, rank: int, device: str) -> Layer:
    dense = torch.randn(rows, cols, dtype=torch.bfloat16, device=device) * cols**-0.5
    factors = torch.randn(rank, cols, device=device) * cols**-0.5, torch.randn(rows, rank, device=device) * 0.02
    if kind == "bf16":
        return Layer(dense, *factors)
    if kind == "mxfp4":
        codes = torch.randint(256, (rows, cols // 2), dtype=torch.uint8, device=device)
        scales = torch.randint(117, 120, (rows, cols // 32), dtype=torch.uint8, device=device)
        return Layer(qfuse.Weight4bit((codes, scales), (rows, cols), torch.bfloat16, "mxfp4", 32), *factors)
    return Layer(quantized(dense, kind == NESTED), *factors)


def quantized(values: Tensor, nested: bool) -> qfuse.Weight4bit:
    encode = ops.quantize_4bit_nested if nested else ops.quantize_4bit
    return qfuse.Weight4bit(tuple(encode(values, 64, "nf4")), tuple(values.shape), values.dtype)


def at_once(target: merged.Target, layer: Layer) -> list[Tensor]:
    """Returns the weight, then its codes and scales."""
    made, decoded = merged.merge(*layer, 2.0, target)
    return [decoded, *(made.tensors if isinstance(made, qfuse.Weight4bit) else made)]


def step_by_step(target: merged.Target, layer: Layer) -> list[Tensor]:
    weight = layer.weight
    total = weight.dequantize() if isinstance(weight, qfuse.Weight4bit) else torch.empty_like(weight)
    ops.lora_merge_out(weight if isinstance(weight, Tensor) else total, layer.lora_a, layer.lora_b, 2.0, out=total)
    if target.keep_scales and isinstance(weight, qfuse.Weight4bit):
        packed = ops.quantize_4bit_kept(total, weight.tensors)
        made = qfuse.Weight4bit((packed, *weight.tensors[1:]), *weight.form)
    else:
        made = quantized(total, target.double_quant)
    return [made.dequantize(out=total), *made.tensors]


def time_kind(kind: str, shape: tuple[int, int], rank: int, device: str) -> dict[str, Any]:
    source, to = KINDS[kind]
    in_nf4 = to in (PLAIN, NESTED)
    target = merged.Target(
        "nf4" if in_nf4 else to,  # type: ignore[arg-type]
        64,
        to == NESTED,
        "nearest" if to == "mxfp4" else None,
        keep_scales=kind.endswith(KEPT),
    )
    count = measure.copies_for(5 * shape[0] * shape[1] // 2) if device == "cuda" else 2
    layers = [make_layer(source, *shape, rank, device) for _ in range(count)]
    ways = {"at once": at_once} | ({"step by step": step_by_step} if in_nf4 else {})
    found = [way(target, layers[0]) for way in ways.values()]
    for other in found[1:]:
        if any(measure.differing_bytes(*map(torch.flatten, pair)) for pair in zip(found[0], other, strict=True)):
            raise AssertionError(f"{kind}: the ways have other bits")
    times = {name: measure.time_round(partial(way, target), layers, device) for name, way in ways.items()}
    return {"kind": kind, "shape": shape, "rank": rank, "us": times}


def main(argv: Sequence[str] | None = None) -> int:
    parser = measure.argument_parser(__doc__)
    parser.add_argument("--ranks", type=measure.counts, default=[16])
    parser.add_argument("--kinds", default=",".join(KINDS), help=f"of: {', '.join(KINDS)}")
    arguments = measure.parse(parser, argv)
    torch.manual_seed(0)
    rows = []
    with torch.no_grad(), measure.side_stream(arguments.device):
        for kind in arguments.kinds.split(","):
            for shape in SMALL if arguments.small else SHAPES:
                for rank in arguments.ranks:
                    measure.progress(f"{kind}, {shape}, rank {rank}")
                    rows.append(time_kind(kind, shape, rank, arguments.device))
    table = table_of(
        rows,
        {
            "W and its merge": lambda row: row["kind"],
            "n × k": lambda row: " × ".join(map(str, row["shape"])),
            "rank": lambda row: row["rank"],
            "µs at once": lambda row: text_of(row["us"]["at once"]),
            "step by step": lambda row: text_of(row["us"]["step by step"]) if "step by step" in row["us"] else "",
        },
    )
    return measure.finish(arguments, measure.circumstances(arguments) | {"rows": rows}, table)


if __name__ == "__main__":
    sys.exit(main())
