"""Fake implementations of the ops for compiled code: shapes, dtypes and devices of their results.

The ops check their arguments. Devices are checked here, too: if a tensor is on meta, torch calls only the fake.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from ..native.devices import check_one_device
from ..weight.form import SCALED, TENSORS, tensor_names

_QUANT_MAP_SIZE = 256  # entries of the codebook of 8-bit codes


def _of_weight(tensors: Sequence[Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Yields a 4-bit weight's tensors with their names."""
    if len(tensors) not in (2, len(SCALED), len(TENSORS)):
        raise RuntimeError(f"weight has {len(tensors)} tensors, it must have 2 or 5: {', '.join(TENSORS)}")
    yield from zip(tensor_names(tensors), tensors, strict=True)


def _tensors(arguments: dict[str, object]) -> Iterator[tuple[str, Tensor]]:
    """Yields the tensors of a call with their names in the op."""
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            yield name, value
        elif name == "weight" and isinstance(value, Sequence):
            yield from _of_weight(value)
        elif name == "source" and isinstance(value, Sequence):
            yield from [("source", value[0])] if len(value) == 1 else _of_weight(value)
        elif name == "weights" and isinstance(value, Sequence) and isinstance(rows := arguments["rows"], Sequence):
            each = len(value) // max(len(rows), 1)
            for i in range(len(rows)):
                yield from _of_weight(value[i * each : (i + 1) * each])
        elif name == "biases" and isinstance(value, Sequence):
            yield from (("bias", tensor) for tensor in value)


def _block_count(n: int, blocksize: int) -> int:
    torch._check(blocksize > 0, lambda: f"a block size is {blocksize}, it must be positive")
    return -(-n // blocksize)


def _check_out(out: Tensor, shape: Sequence[int], dtype: torch.dtype) -> None:
    torch._check(
        tuple(out.shape) == tuple(shape), lambda: f"out has shape {tuple(out.shape)}, it must be {tuple(shape)}"
    )
    torch._check(out.dtype == dtype, lambda: f"out is {out.dtype}, it must be {dtype}")


# ---- fakes: called with the argument names of the op's schema; each declares only those that it needs


def _dequantize_4bit(weight: Sequence[Tensor], shape: Sequence[int], dtype: torch.dtype, **_: Any) -> Tensor:
    return weight[0].new_empty(shape, dtype=dtype)


def _dequantize_4bit_out(shape: Sequence[int], dtype: torch.dtype, out: Tensor, **_: Any) -> None:
    _check_out(out, shape, dtype)


def _quantize_4bit(input: Tensor, blocksize: int, **_: Any) -> tuple[Tensor, Tensor]:
    n = input.numel()
    return (
        input.new_empty((-(-n // 2), 1), dtype=torch.uint8),
        input.new_empty((_block_count(n, blocksize),), dtype=torch.float32),
    )


def _quantize_4bit_nested(
    input: Tensor, blocksize: int, nested_blocksize: int, **_: Any
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    packed, absmax = _quantize_4bit(input, blocksize)
    nested_count = _block_count(absmax.numel(), nested_blocksize)
    nested_absmax, nested_quant_map = (absmax.new_empty((count,)) for count in (nested_count, _QUANT_MAP_SIZE))
    return packed, torch.empty_like(absmax, dtype=torch.uint8), nested_absmax, nested_quant_map, absmax.new_empty(())


def _quantize_4bit_kept(input: Tensor, **_: Any) -> Tensor:
    return input.new_empty((-(-input.numel() // 2), 1), dtype=torch.uint8)


def _quantize_blockwise(input: Tensor, blocksize: int, **_: Any) -> tuple[Tensor, Tensor]:
    return (
        input.new_empty(input.shape, dtype=torch.uint8),
        input.new_empty((_block_count(input.numel(), blocksize),), dtype=torch.float32),
    )


def _lora_merge(weight: Tensor, dtype: torch.dtype, **_: Any) -> Tensor:
    return weight.new_empty(weight.shape, dtype=dtype)


def _lora_merge_out(weight: Tensor, out: Tensor, **_: Any) -> None:
    _check_out(out, weight.shape, out.dtype)


def _lora_merge_4bit(
    source: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    to_blocksize: int = 64,
    to_nested_blocksize: int = 0,
    to: str = "nf4",
    keep_absmax: bool = False,
    **_: Any,
) -> list[Tensor]:
    out = source[0].new_empty(tuple(shape), dtype=dtype)
    if keep_absmax:
        return [out, _quantize_4bit_kept(out)]
    if to == "mxfp4":
        return [out, _quantize_4bit_kept(out), out.new_empty((out.numel() // to_blocksize,), dtype=torch.uint8)]
    if to_nested_blocksize:
        return [out, *_quantize_4bit_nested(out, to_blocksize, to_nested_blocksize)]
    return [out, *_quantize_4bit(out, to_blocksize)]


def _dequantize_4bit_rows(packed: Tensor, cols: int, dtype: torch.dtype, **_: Any) -> Tensor:
    return packed.new_empty((packed.shape[0], cols), dtype=dtype)


def _decoded_codes(codes: Tensor, dtype: torch.dtype, **_: Any) -> Tensor:
    return codes.new_empty(codes.shape, dtype=dtype)


def _dequantize_blockwise_out(codes: Tensor, dtype: torch.dtype, out: Tensor, **_: Any) -> None:
    _check_out(out, codes.shape, dtype)


def _matmul_4bit(x: Tensor, shape: Sequence[int], direction: str = "forward", **_: Any) -> Tensor:
    rows, cols = shape
    terms, outputs = (cols, rows) if direction == "forward" else (rows, cols)
    torch._check(
        x.dim() > 0 and x.shape[-1] == terms, lambda: f"x has shape {tuple(x.shape)}, its last must be {terms}"
    )
    return x.new_empty((*x.shape[:-1], outputs))


def _matmul_4bit_grouped(x: Tensor, shape: Sequence[int], direction: str = "forward", **_: Any) -> Tensor:
    torch._check(len(shape) == 3, lambda: f"shape is {tuple(shape)}, it must be [experts, rows, cols]")
    torch._check(x.dim() == 2, lambda: f"x has shape {tuple(x.shape)}, it must have 2 dimensions")
    return _matmul_4bit(x, shape[1:], direction)


def _matmul_4bit_many(x: Tensor, rows: Sequence[int], **_: Any) -> list[Tensor]:
    torch._check(x.dim() > 0, lambda: "x has shape (), it must be [..., cols]")
    return [x.new_empty((*x.shape[:-1], count)) for count in rows]


def _rotated_int8_quantize(x: Tensor, **_: Any) -> tuple[Tensor, Tensor]:
    torch._check(x.dim() > 0, lambda: "x has shape (), it must be [..., terms]")
    return x.new_empty(x.shape, dtype=torch.int8), x.new_empty(x.shape[:-1], dtype=torch.float32)


def _rotated_int8_weight_scales(
    weight: Sequence[Tensor], shape: Sequence[int], direction: str = "forward", **_: Any
) -> Tensor:
    rows, cols = shape
    return weight[0].new_empty((rows if direction == "forward" else cols,), dtype=torch.float32)


def _rotated_int8_weight(
    weight: Sequence[Tensor], shape: Sequence[int], direction: str = "forward", **_: Any
) -> Tensor:
    rows, cols = shape
    return weight[0].new_empty((rows, cols) if direction == "forward" else (cols, rows), dtype=torch.int8)


def _rotated_int8_matmul(x_q: Tensor, weight_q: Tensor, dtype: torch.dtype, **_: Any) -> Tensor:
    torch._check(x_q.dim() > 0, lambda: "x_q has shape (), it must be [..., terms]")
    torch._check(
        weight_q.dim() == 2, lambda: f"weight_q has shape {tuple(weight_q.shape)}, it must be [outputs, terms]"
    )
    return x_q.new_empty((*x_q.shape[:-1], weight_q.shape[0]), dtype=dtype)


def _rotated_int8_swiglu(gate: Tensor, grad_y: Tensor | None = None, **_: Any) -> tuple[Tensor, Tensor, Tensor]:
    torch._check(gate.dim() > 0, lambda: "gate has shape (), it must be [..., channels]")
    out = gate.new_empty(gate.shape if grad_y is None else (2, *gate.shape))
    return out, *_rotated_int8_quantize(out)


def _swiglu(**_: Any) -> None:
    return None


_FAKES: dict[str, Callable[..., object]] = {
    "dequantize_4bit": _dequantize_4bit,
    "dequantize_4bit.out": _dequantize_4bit_out,
    "quantize_4bit": _quantize_4bit,
    "quantize_4bit.nested": _quantize_4bit_nested,
    "quantize_4bit.kept": _quantize_4bit_kept,
    "quantize_blockwise": _quantize_blockwise,
    "dequantize_blockwise": _decoded_codes,
    "dequantize_blockwise.out": _dequantize_blockwise_out,
    "dequantize_int8": _decoded_codes,
    "matmul_4bit": _matmul_4bit,
    "matmul_4bit_grouped": _matmul_4bit_grouped,
    "matmul_4bit_many": _matmul_4bit_many,
    "matmul_4bit_rotated_int8": _matmul_4bit,
    "rotated_int8_quantize": _rotated_int8_quantize,
    "rotated_int8_weight_scales": _rotated_int8_weight_scales,
    "rotated_int8_weight": _rotated_int8_weight,
    "rotated_int8_matmul": _rotated_int8_matmul,
    "rotated_int8_swiglu": _rotated_int8_swiglu,
    "swiglu": _swiglu,
    "silu_dot_fwd_bwd_quant_fuse": _swiglu,
    "dequantize_fp8": _decoded_codes,
    "dequantize_4bit_rows": _dequantize_4bit_rows,
    "lora_merge": _lora_merge,
    "lora_merge.out": _lora_merge_out,
    "lora_merge_4bit": _lora_merge_4bit,
}


def _on_one_device(name: str, fake: Callable[..., object]) -> Callable[..., object]:
    """Wraps a fake so that it raises the op's error if the tensors are on different devices."""
    base, _, overload = name.partition(".")
    op = getattr(getattr(torch.ops.qfuse, base), overload or "default")
    names = [argument.name for argument in op._schema.arguments]

    @functools.wraps(fake)
    def checked(*args: Any, **kwargs: Any) -> object:
        arguments = dict(zip(names, args, strict=False)) | kwargs
        check_one_device(_tensors(arguments))
        return fake(**arguments)

    return checked


def register() -> None:
    for name, fake in _FAKES.items():
        torch.library.register_fake(f"qfuse::{name}", _on_one_device(name, fake))
