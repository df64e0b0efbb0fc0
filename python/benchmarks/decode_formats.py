#!/usr/bin/env python3
"""Decodes weights in FP8, MXFP4, NVFP4 and INT4 beside the functions of the libraries that write these formats.

    python python/benchmarks/decode_formats.py [--json FILE] [--commit HASH]
    python python/benchmarks/decode_formats.py --device cpu --small

First checks that both make the same bits. Then the library, qfuse and the roof, a copy of as many bytes, take turns,
each with 24 calls in a row over enough weights that the GPU's caches hold none. Prints microseconds per call, and on a
GPU the memory that a call needs at its peak, with its result. Exit status 1 if a bit differs.

Needs the installed package, torch, transformers and compressed-tensors. Skips a library that cannot be imported, and
prints why.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import measure
import torch
from torch import Tensor

import qfuse

ROWS, COLUMNS = 14336, 4096
EXPERTS = 4
GROUP = 128  # elements per scale of INT4
ROOF, US = "a copy of as many bytes", "qfuse"
COPY_UNIT = 1 << 16  # bytes of which the roof copies a multiple: CUDA copies some others more slowly

Decode = Callable[[], Tensor]


class Pair(NamedTuple):
    """One weight, decoded by qfuse and by the format's library."""

    ours: Decode
    theirs: Decode
    size: int  # bytes of codes and scales


class Format(NamedTuple):
    name: str
    library: str
    make: Callable[[int, int, str], Pair]


def size_of(*tensors: Tensor) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def random_bytes(*shape: int, least: int = 0, most: int = 255) -> Tensor:
    return torch.randint(least, most + 1, shape, dtype=torch.uint8)


def random_scales(*shape: int) -> Tensor:
    return 2**-8 * (1 + torch.rand(shape))


def fp8_codes(rows: int, columns: int) -> Tensor:
    codes = random_bytes(rows, columns)
    return torch.where(codes & 0x7F == 0x7F, 0, codes).view(torch.float8_e4m3fn)  # without NaN


def fp8_blocks(rows: int, columns: int, device: str) -> Pair:
    from transformers.integrations.finegrained_fp8 import Fp8Dequantize

    codes, scales = fp8_codes(rows, columns).to(device), random_scales(rows // 128, columns // 128).to(device)
    decode = partial(Fp8Dequantize(None)._dequantize_one, output_dtype=torch.bfloat16)
    return Pair(
        lambda: qfuse.ops.dequantize_fp8(codes, scales, torch.bfloat16),
        lambda: decode(codes, scales),
        size_of(codes, scales),
    )


def gpt_oss(rows: int, columns: int, device: str) -> Pair:
    """A stack of experts, which transformers also transposes."""
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors

    blocks = random_bytes(EXPERTS, rows // EXPERTS, columns // 32, 16).to(device)
    scales = random_bytes(EXPERTS, rows // EXPERTS, columns // 32, least=112, most=123).to(device)
    weight = qfuse.Weight4bit(
        (blocks.flatten(-2), scales), (EXPERTS, rows // EXPERTS, columns), torch.bfloat16, "mxfp4", 32
    )
    return Pair(
        lambda: qfuse.dequantize_4bit(weight).mT.contiguous(),
        lambda: convert_moe_packed_tensors(blocks, scales),
        size_of(blocks, scales),
    )


def compressed(layout: str, state: dict[str, Tensor], device: str, **weights: Any) -> tuple[dict[str, Tensor], Decode]:
    """Returns the tensors on the device, and compressed-tensors' decompression of them."""
    from compressed_tensors.compressors import BaseCompressor
    from compressed_tensors.quantization import QuantizationArgs, QuantizationScheme

    state = {name: tensor.to(device) for name, tensor in state.items()}
    scheme = QuantizationScheme(targets=["Linear"], weights=QuantizationArgs(symmetric=True, **weights))
    compressor = BaseCompressor.get_value_from_registry(layout)
    return state, lambda: compressor.decompress(state, scheme)["weight"]


def fp8_rows(rows: int, columns: int, device: str) -> Pair:
    stored = {"weight": fp8_codes(rows, columns), "weight_scale": random_scales(rows, 1).bfloat16()}
    state, theirs = compressed("float-quantized", stored, device, num_bits=8, type="float", strategy="channel")
    codes, scales = state.values()
    return Pair(
        lambda: qfuse.ops.dequantize_fp8(codes, scales, torch.bfloat16, (1, columns)), theirs, size_of(codes, scales)
    )


def four_bits(
    kind: qfuse.ops.QuantType, layout: str, stored: dict[str, Tensor], device: str, shape: Sequence[int], **weights: Any
) -> Pair:
    state, theirs = compressed(layout, stored, device, num_bits=4, **weights)
    codes, *scales = (tensor for name, tensor in state.items() if name != "weight_shape")
    tensors = (codes.view(torch.uint8), *scales)
    weight = qfuse.Weight4bit(tensors, (*shape,), torch.bfloat16, kind, weights["group_size"])
    return Pair(lambda: qfuse.dequantize_4bit(weight), theirs, size_of(*tensors))


def mxfp4(rows: int, columns: int, device: str) -> Pair:
    stored = {
        "weight_packed": random_bytes(rows, columns // 2),
        "weight_scale": random_bytes(rows, columns // 32, least=112, most=123),
    }
    scheme = {"type": "float", "group_size": 32, "strategy": "group"}
    return four_bits("mxfp4", "mxfp4-pack-quantized", stored, device, (rows, columns), **scheme)


def nvfp4(rows: int, columns: int, device: str) -> Pair:
    stored = {
        "weight_packed": random_bytes(rows, columns // 2),
        "weight_scale": random_bytes(rows, columns // 16, least=0x40, most=0x7D).view(torch.float8_e4m3fn),
        "weight_global_scale": torch.tensor([2688.0]),
    }
    scheme = {"type": "float", "group_size": 16, "strategy": "tensor_group"}
    return four_bits("nvfp4_divisor", "nvfp4-pack-quantized", stored, device, (rows, columns), **scheme)


def int4(rows: int, columns: int, device: str) -> Pair:
    stored = {
        "weight_packed": random_bytes(rows, columns // 2).view(torch.int32),
        "weight_scale": random_scales(rows, columns // GROUP).bfloat16(),
        "weight_shape": torch.tensor([rows, columns]),
    }
    scheme = {"type": "int", "group_size": GROUP, "strategy": "group"}
    return four_bits("int4", "pack-quantized", stored, device, (rows, columns), **scheme)


FORMATS = (
    Format("FP8, blocks of 128 x 128", "transformers", fp8_blocks),
    Format("FP8, a scale per row", "compressed-tensors", fp8_rows),
    Format(f"MXFP4, {EXPERTS} experts, transposed", "transformers", gpt_oss),
    Format("MXFP4", "compressed-tensors", mxfp4),
    Format("NVFP4", "compressed-tensors", nvfp4),
    Format("INT4, groups of 128", "compressed-tensors", int4),
)


def peak_bytes(decode: Decode, device: str) -> int | None:
    """Returns the most memory that a call has at a time beyond what was there before."""
    if device == "cpu":
        return None
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    decode()
    return torch.cuda.max_memory_allocated() - before


def time_format(of: Format, rows: int, columns: int, device: str) -> dict[str, Any]:
    """Returns a row of the result: spreads of the microseconds per call. Raises AssertionError if a bit differs."""
    pair = of.make(rows, columns, device)
    if differing := measure.differing_bytes(decoded := pair.ours(), pair.theirs()):
        raise AssertionError(f"{differing} bytes differ from {of.library}'s")
    size = pair.size + size_of(decoded)
    peaks = {US: peak_bytes(pair.ours, device), of.library: peak_bytes(pair.theirs, device)}
    pairs = [pair] + [
        of.make(rows, columns, device) for _ in range(1, measure.copies_for(size) if device != "cpu" else 1)
    ]
    copied = size // 2 // COPY_UNIT * COPY_UNIT
    buffers = [torch.empty(2, copied, dtype=torch.uint8, device=device) for _ in pairs]

    def calls(one: Callable[[int], Any]) -> Callable[[], None]:
        def run() -> None:
            for i in range(measure.LAUNCHES):
                one(i % len(pairs))

        return run

    runs = {
        ROOF: calls(lambda i: buffers[i][0].copy_(buffers[i][1])),
        US: calls(lambda i: pairs[i].ours()),
        of.library: calls(lambda i: pairs[i].theirs()),
    }
    times = measure.in_turns(runs, device)
    us = {name: measure.spread([each / measure.LAUNCHES for each in found]) for name, found in times.items()}
    return {"format": of.name, "library": of.library, "bytes": size, "us": us, "peak_bytes": peaks}


def rows_of(device: str, rows: int, columns: int) -> Iterator[dict[str, Any]]:
    for of in FORMATS:
        measure.progress(of.name)
        torch.manual_seed(0)
        try:
            yield time_format(of, rows, columns, device)
        except ImportError as error:
            yield {"format": of.name, "library": of.library, "missing": f"{type(error).__name__}: {error}"}
        except AssertionError as error:
            yield {"format": of.name, "library": of.library, "fault": str(error)}


def main(argv: Sequence[str] | None = None) -> int:
    arguments = measure.parse(measure.argument_parser(__doc__), argv)
    rows, columns = (ROWS // 28, COLUMNS // 8) if arguments.small else (ROWS, COLUMNS)
    found = list(rows_of(arguments.device, rows, columns))
    timed = [row for row in found if "us" in row]
    result = measure.circumstances(arguments) | {
        "shape": [rows, columns],
        "rows": timed,
        "missing": {row["format"]: row["missing"] for row in found if "missing" in row},
        "faults": [f"{row['format']}: {row['fault']}" for row in found if "fault" in row],
    }
    columns_of_table: dict[str, Callable[[Any], object]] = {
        f"{rows} x {columns} to bf16": lambda row: row["format"],
        "qfuse, µs (least to most)": lambda row: measure.text_of(row["us"][US]),
        "of the roof": lambda row: f"{100 * row['us'][ROOF]['median'] / row['us'][US]['median']:.0f} %",
        "library": lambda row: row["library"],
        "its µs": lambda row: measure.text_of(row["us"][row["library"]]),
        "times qfuse's": lambda row: f"{row['us'][row['library']]['median'] / row['us'][US]['median']:.1f}",
        "peak memory, GB": lambda row: measure.gigabytes(row["peak_bytes"][US]),
        "its": lambda row: measure.gigabytes(row["peak_bytes"][row["library"]]),
    }
    without = [f"Without {name}: {reason}." for name, reason in result["missing"].items()]
    return measure.finish(arguments, result, *without, measure.table_of(timed, columns_of_table))


if __name__ == "__main__":
    sys.exit(main())
