"""The weight that `qfuse merge --to nf4`, fp8 or mxfp4 makes of a weight and an adapter, in training: its bits, with
gradients that pass the rounding unchanged (a straight-through estimator, Bengio et al. 2013, arXiv:1308.3432)."""

import math
from typing import Any, Literal, NamedTuple, cast, get_args

import torch
from torch import Tensor

from ..weight.form import FLOAT_DTYPES, QUANT_TYPES, Form, QuantType
from ..weight.quant_state import read_weight
from ..weight.weight_4bit import Weight4bit, plain_weight
from . import gradients
from .gradients import rows, without_autocast

__all__ = ["fake_quantize"]

Merged = Literal["nf4", "fp4", "mxfp4", "fp8"]
Rule = Literal["up", "nearest"]
FP8_BLOCK = 128  # rows and columns with one scale, as in DeepSeek-V3
_MOST_FP8 = 448.0  # the largest float8_e4m3fn
_PIECE = 1 << 24  # elements that are widened to float32 at a time

_ops = torch.ops.qfuse


class Target(NamedTuple):
    """What an adapter is merged to. Block size and nesting are those of a 16-bit weight; a 4-bit one keeps its own.
    scales: of "mxfp4". keep_scales: of a 4-bit weight, only codes are new."""

    to: Merged
    blocksize: int = 64
    double_quant: bool = True
    scales: Rule | None = None
    keep_scales: bool = False


class MergedFp8(NamedTuple):
    """An FP8 weight with a scale per 128 x 128 block, as qfuse.ops.dequantize_fp8 takes it."""

    codes: Tensor
    scales: Tensor

    def dequantize(self, dtype: torch.dtype) -> Tensor:
        decoded: Tensor = _ops.dequantize_fp8.default(self.codes, self.scales, FP8_BLOCK, FP8_BLOCK, dtype)
        return decoded


def fake_quantize(
    weight: Any,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float = 1.0,
    to: Merged = "nf4",
    *,
    blocksize: int = 64,
    double_quant: bool = True,
    scales: Rule | None = None,
    keep_scales: bool = False,
) -> Tensor:
    """Returns decode(encode(round(weight + scaling * lora_b @ lora_a))), which is what the file of `qfuse merge --to`
    decodes to, bit for bit, on the CPU and on CUDA.

    weight: [n, k], a 4-bit weight as for qfuse.dequantize_4bit, or a float32, float16 or bfloat16 tensor. lora_a:
    [rank, k], lora_b: [n, rank], of any float dtype. scaling: alpha / rank. The sum is computed as by qfuse.h's
    lora_merge and rounded to the weight's dtype. to: "nf4", "fp4" or, for a 16-bit weight with sides that are multiples
    of 128, "fp8", with a scale per 128 x 128 block; for an MXFP4 weight, "mxfp4". blocksize, double_quant: as for
    `qfuse merge`, for 16-bit weights; a 4-bit weight keeps its type, block size and nesting, and gets new absmax or
    scales. scales: how those of "mxfp4" are rounded (docs/FORMAT.md, section 17): "up" as in gpt-oss and DeepSeek-V4,
    "nearest" as in compressed-tensors. keep_scales: a 4-bit weight keeps its absmax or scales, and sums beyond them
    saturate, as with `qfuse merge --keep-scales`. Returns [n, k] in the weight's dtype.

    Gradients are those of weight + scaling * lora_b @ lora_a, to lora_a, lora_b and a 16-bit weight. Needs memory for
    the result and the codes.

    Raises ValueError or TypeError for a weight that `qfuse merge` refuses, RuntimeError for shapes that do not fit.
    """
    is_plain = isinstance(weight, Tensor) and weight.dtype in FLOAT_DTYPES and not hasattr(weight, "quant_state")
    source = weight if is_plain else read_weight(weight)
    target = Target(to, blocksize, double_quant, scales, keep_scales)
    _, decoded = merge(source, lora_a, lora_b, scaling, target)
    of = weight if is_plain else None
    if not gradients.needs_gradient(of, lora_a, lora_b):
        return decoded
    effective: Tensor = _RoundedSum.apply(decoded, of, lora_a, lora_b, scaling)
    return effective


class _RoundedSum(torch.autograd.Function):
    """Returns a rounded weight, and passes its gradient to the parts of the sum."""

    @staticmethod
    def forward(
        ctx: Any, decoded: Tensor, weight: Tensor | None, lora_a: Tensor, lora_b: Tensor, scaling: float
    ) -> Tensor:
        ctx.save_for_backward(lora_a, lora_b)
        ctx.scaling = scaling
        return decoded.detach()  # no view, which torch lets nobody overwrite

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        lora_a, lora_b = ctx.saved_tensors
        _, needs_weight, needs_a, needs_b, _ = ctx.needs_input_grad
        with without_autocast(grad):
            grad_a = (lora_b.t() @ grad.to(lora_b.dtype) * ctx.scaling).to(lora_a.dtype) if needs_a else None
            grad_b = (grad.to(lora_a.dtype) @ lora_a.t() * ctx.scaling).to(lora_b.dtype) if needs_b else None
        return None, grad if needs_weight else None, grad_a, grad_b, None


def merge(
    weight: Weight4bit | Tensor, lora_a: Tensor, lora_b: Tensor, scaling: float, target: Target
) -> tuple[Weight4bit | MergedFp8, Tensor]:
    """Returns the codes and scales that `qfuse merge --to` writes, and what they decode to in the weight's dtype,
    without gradients. Raises ValueError as why_not says."""
    if target.to not in get_args(Merged):
        raise ValueError(f"to is {target.to!r}, it can be {', '.join(map(repr, get_args(Merged)))}")
    if target.to == "mxfp4" and target.scales not in get_args(Rule):
        raise ValueError(
            f"scales is {target.scales!r}, of 'mxfp4' it is 'up' or 'nearest', as the checkpoint's library"
        )
    if reason := why_not(weight, target):
        raise ValueError(reason)
    factors = lora_a.detach().float().contiguous(), lora_b.detach().float().contiguous()
    weight = weight.detach().contiguous() if isinstance(weight, Tensor) else plain_weight(weight)
    with torch.no_grad():
        if target.to != "fp8":
            return _in_4bit(weight, *factors, scaling, target)
        fp8 = _in_fp8(_ops.lora_merge.default(weight, *factors, scaling, weight.dtype))
        return fp8, fp8.dequantize(weight.dtype)


def why_not(weight: Weight4bit | Tensor, target: Target) -> str | None:
    """Returns why `qfuse merge --to` makes no such codes of a weight."""
    shape = tuple(weight.shape)
    if len(shape) != 2:
        return f"its weight has shape {shape}, it must be [n, k]"
    if target.keep_scales and not isinstance(weight, Weight4bit):
        return "its weight is not in 4 bits, and has no scales to keep"
    kind = weight.quant_type if isinstance(weight, Weight4bit) else "not in mxfp4" if target.to == "mxfp4" else None
    if kind is not None:
        refused = kind not in (*QUANT_TYPES, "mxfp4") or kind != target.to
        return f"its weight is {kind}, which `qfuse merge` does not turn into {target.to}" * refused or None
    if target.to == "fp8" and any(size % FP8_BLOCK for size in shape):
        return f"its weight has shape {shape}, and `qfuse merge` turns multiples of {FP8_BLOCK} into fp8, no others"
    return None


def _in_4bit(
    weight: Weight4bit | Tensor, lora_a: Tensor, lora_b: Tensor, scaling: float, target: Target
) -> tuple[Weight4bit, Tensor]:
    if isinstance(weight, Weight4bit):
        form, tensors, nested = weight.form, weight.tensors, weight.nested
    else:
        to = cast(QuantType, target.to)
        form = Weight4bit((), tuple(weight.shape), weight.dtype, to, target.blocksize).form
        tensors, nested = (weight,), target.double_quant
    decoded, *made = _ops.lora_merge_4bit.default(
        tensors,
        lora_a,
        lora_b,
        scaling,
        form.shape,
        *form[1:],
        to=form.quant_type,
        to_blocksize=form.blocksize,
        to_nested_blocksize=form.nested_blocksize if nested else 0,
        keep_absmax=target.keep_scales,
        mx_scales=target.scales or "up",
    )
    if target.to == "mxfp4":
        made = [new.view(old.dtype).view(old.shape) for new, old in zip(made, tensors, strict=False)]
    if target.keep_scales:
        made += tensors[1:]
    return Weight4bit(tuple(made), *form), decoded


def _in_fp8(total: Tensor) -> MergedFp8:
    """Encodes by the formulas of docs/FORMAT.md, section 17: transformers' Fp8Quantize. No product of a number and its
    block's factor is so far beyond the largest code that it needs to be clamped: it rounds to that code."""
    bands, across = total.shape[0] // FP8_BLOCK, total.shape[1] // FP8_BLOCK
    codes = torch.empty_like(total, dtype=torch.float8_e4m3fn)
    scales = total.new_empty((bands, across), dtype=torch.float32)
    step = max(_PIECE // max(FP8_BLOCK * total.shape[1], 1), 1)
    for first in range(0, bands, step):
        piece = slice(first * FP8_BLOCK, (first + step) * FP8_BLOCK)
        blocks = total[piece].unflatten(1, (across, FP8_BLOCK)).unflatten(0, (-1, FP8_BLOCK))
        factor = torch.linalg.vector_norm(blocks, math.inf, (1, 3)).float().reciprocal() * _MOST_FP8
        factor = torch.where(factor == math.inf, 1.0, factor)  # a block of zeros, or nearly
        scales[first : first + step] = factor.reciprocal()
        codes[piece].copy_((blocks * factor[:, None, :, None]).flatten(2).flatten(0, 1))
    return MergedFp8(codes, scales)


# ---- the product with such a weight


def multiply_merged(
    x: Tensor,
    weight: Weight4bit | Tensor,
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    target: Target,
) -> Tensor:
    """Returns x times the transpose of the merged weight, plus bias in x's dtype. Gradients of A and B are those of
    x times weight + scaling * lora_b @ lora_a; x's is that of the merged weight, of which only the codes are kept. None
    has a second gradient."""
    merged, decoded = merge(weight, lora_a, lora_b, scaling, target)
    if decoded.dtype != x.dtype:
        decoded = merged.dequantize(x.dtype)
    tensors = merged.tensors if isinstance(merged, Weight4bit) else merged
    form = merged.form if isinstance(merged, Weight4bit) else None
    y: Tensor = _Multiply.apply(x, bias, decoded, form, *tensors)
    if not gradients.needs_gradient(lora_a, lora_b):
        return y
    adapted: Tensor = _Adapted.apply(y, x.detach(), lora_a, lora_b, scaling)
    return adapted


def _refuse_second() -> None:
    """Refuses second gradients: codes have none to A and B, and x is a constant in those of A and B."""
    if torch.is_grad_enabled():
        raise ValueError(
            "a gradient of a product with a merged weight has no gradient: leave out create_graph, or multiply by the "
            "tensor that qfuse.fake_quantize returns"
        )


class _Multiply(torch.autograd.Function):
    """x·Wᵀ + bias; decodes W again for the gradient of x, so that only codes are kept. form: of a 4-bit weight, else
    None."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, bias: Tensor | None, decoded: Tensor, form: Form | None, *tensors: Tensor
    ) -> Tensor:
        ctx.save_for_backward(*tensors)
        ctx.form = form
        with without_autocast(x):
            return torch.nn.functional.linear(x, decoded, bias)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        _refuse_second()
        tensors = ctx.saved_tensors
        needs_x, needs_bias, *_ = ctx.needs_input_grad
        grad_x = None
        if needs_x:
            merged = MergedFp8(*tensors) if ctx.form is None else Weight4bit(tensors, *ctx.form)
            with without_autocast(grad):
                grad_x = grad @ merged.dequantize(grad.dtype)
        return grad_x, rows(grad).sum(0) if needs_bias else None, None, None, *(None for _ in tensors)


class _Adapted(torch.autograd.Function):
    """Returns y, and gives A and B the gradients that they have in y = x·Wᵀ + scaling·x·Aᵀ·Bᵀ."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, x: Tensor, lora_a: Tensor, lora_b: Tensor, scaling: float) -> Tensor:
        ctx.save_for_backward(x, lora_a, lora_b)
        ctx.scaling = scaling
        return y.detach()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        _refuse_second()
        x, lora_a, lora_b = ctx.saved_tensors
        _, _, needs_a, needs_b, _ = ctx.needs_input_grad
        grad_a = grad_b = None
        with without_autocast(grad):
            # In float16, gradients times a small B would underflow.
            dtype = torch.float32 if grad.dtype == torch.float16 else grad.dtype
            x, low = rows(x).to(dtype), rows(grad).to(dtype)
            if needs_a:
                grad_a = (low @ lora_b.to(dtype) * ctx.scaling).t() @ x
            if needs_b:
                grad_b = low.t() @ (x @ lora_a.to(dtype).t() * ctx.scaling)
        grad_a = None if grad_a is None else grad_a.to(lora_a.dtype)
        grad_b = None if grad_b is None else grad_b.to(lora_b.dtype)
        return grad, None, grad_a, grad_b, None
