"""Ops past torch's dispatcher, which takes as long as launching a kernel does: see ARCHITECTURE.md."""

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import forward_ad

__all__ = ["dequantize_4bit", "is_dual", "load", "matmul_4bit", "matmul_4bit_many"]

_decode: Callable[..., Any] | None = None
_multiply: Callable[..., Any] | None = None
_multiply_many: Callable[..., Any] | None = None
_is_compiling = torch.compiler.is_compiling  # a search through torch's modules takes longer than a call


def load() -> None:
    """Once the extension is loaded, which the module is linked with."""
    global _decode, _multiply, _multiply_many
    if importlib.util.find_spec("qfuse._direct") is None:  # it needs Python's headers to be built
        return
    with contextlib.suppress(AttributeError, ValueError):  # a torch that has changed what the module looks up
        module = importlib.import_module("qfuse._direct")
        _decode, _multiply, _multiply_many = module.dequantize_4bit, module.matmul_4bit, module.matmul_4bit_many


def dequantize_4bit(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    quant_type: str,
    blocksize: int,
    nested_blocksize: int,
    transposes: bool = False,
) -> Tensor | None:
    """The op's result, or None where the op has to be called: where a compiler, a mode, a transform, a tracer or a
    profiler has to see it, or an argument is not plain.

    transposes: whether the result is transposed where packed.size(0) is 1.
    """
    if _decode is None or _is_compiling():
        return None
    decoded: Tensor | None = _decode(weight, shape, dtype, quant_type, blocksize, nested_blocksize, transposes)
    return decoded


def is_dual() -> bool:
    """Whether somebody differentiates in forward mode."""
    return forward_ad._current_level >= 0


def matmul_4bit(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    scalars: tuple[Any, ...],
    terms: tuple[Tensor | None, Tensor | None],
    ends: Tensor | None = None,
) -> Tensor | None:
    """A gradients.Call's result without gradients, or None likewise, and where it is not by the op at all."""
    if _multiply is None or scalars[-1] is None or ends is not None or _is_compiling() or is_dual():
        return None
    product: Tensor | None = _multiply(x, weight, bias, *terms, *scalars)
    return product


def matmul_4bit_many(
    x: Tensor, weights: tuple[Tensor, ...], biases: tuple[Tensor, ...], rows: tuple[int, ...], *scalars: str | int
) -> tuple[Tensor, ...] | None:
    """The op's results without gradients, or None likewise."""
    if _multiply_many is None or _is_compiling() or is_dual():
        return None
    products: tuple[Tensor, ...] | None = _multiply_many(x, weights, biases, rows, *scalars)
    return products
