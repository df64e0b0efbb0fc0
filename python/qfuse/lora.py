"""matmul_4bit with a LoRA adapter over it, and its gradients."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .gradients import (
    Call,
    apply,
    given,
    is_watched,
    matmul_4bit,
    needs_gradient,
    padded,
    rows,
    without_autocast,
    without_gradient,
)

__all__ = ["matmul_4bit_lora"]

_VECTOR = 8  # of 16-bit values a kernel loads at once: ranks are filled up with zeros to a multiple of this


class _Lora(torch.autograd.Function):
    """y = x·Wᵀ + t·Bᵀ + bias with t = scaling·x·Aᵀ; dx = dy·W + u·A with u = scaling·dy·B: t and u, and then y and dx,
    are a product each."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        x: Tensor,
        lora_x: Tensor | None,
        bias: Tensor | None,
        lora_a: Tensor,
        lora_b: Tensor,
        packed: Tensor,
        absmax: Tensor,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        scaling: float,
        scalars: tuple[Any, ...],
    ) -> tuple[Tensor, Tensor]:
        weight = given(packed, absmax, nested_absmax, nested_quant_map, nested_offset)
        return _forward(x, lora_x, weight, bias, lora_a, lora_b, scaling, scalars)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, Tensor]) -> None:
        x, lora_x, _, *tensors, scaling, scalars = inputs
        down = outputs[1]
        ctx.mark_non_differentiable(down)
        # Of x and lora_x only the one that the adapter has seen, and neither for an adapter that is not trained.
        is_trained = is_watched() or any(factor.requires_grad for factor in tensors[:2])
        seen = (x if lora_x is None else lora_x, down) if is_trained else (None, None)
        ctx.save_for_backward(*seen, *tensors)
        ctx.has_own_x, ctx.scaling, ctx.scalars = lora_x is not None, scaling, scalars

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        grad = grads[0]
        x, down, lora_a, lora_b, *weight = ctx.saved_tensors
        scaling, (*scalars, _, order) = ctx.scaling, ctx.scalars
        turned = (*scalars, "backward", order)
        needs_x, needs_lora_x, needs_bias, needs_a, needs_b, *_ = ctx.needs_input_grad
        grad_x = grad_lora_x = grad_bias = grad_a = grad_b = None
        with without_autocast(grad):
            a, b = _rounded(lora_a, lora_b, grad.dtype)
            if needs_a or needs_lora_x or (needs_x and not ctx.has_own_x):
                up = _multiply_down(grad, b, scaling)
            if needs_x:
                terms = (None, None) if ctx.has_own_x else (up, a)
                grad_x = matmul_4bit(Call(grad, given(*weight), None, turned, terms))
            if needs_lora_x:
                grad_lora_x = up @ a
            if needs_a:
                grad_a = _outer(up, x, lora_a)[: lora_a.shape[0]]
            if needs_b:
                if torch.is_grad_enabled():  # the gradient of this one depends on A
                    down = _multiply_down(x, a.t(), scaling)
                grad_b = _outer(grad, down, lora_b)[:, : lora_b.shape[1]]
            if needs_bias:
                grad_bias = rows(grad).sum(0)
        return grad_x, grad_lora_x, grad_bias, grad_a, grad_b, *([None] * 7)


def _rounded(lora_a: Tensor, lora_b: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Both in the dtype of the product, and of a rank that kernels load whole."""
    fill = -lora_a.shape[0] % _VECTOR
    a, b = lora_a.to(dtype), lora_b.to(dtype)
    if fill:
        a = torch.nn.functional.pad(a, (0, 0, 0, fill))
        b = torch.nn.functional.pad(b, (0, fill))
    return a.contiguous(), b.contiguous()


def _multiply_down(x: Tensor, factor: Tensor, scaling: float) -> Tensor:
    """scaling·x·factor, [..., rank], rounded once: torch multiplies sums by alpha before it rounds them."""
    product = torch.addmm(x.new_empty(1), rows(x), factor, beta=0, alpha=scaling)
    return product.view(*x.shape[:-1], factor.shape[1])


def _outer(left: Tensor, right: Tensor, parameter: Tensor) -> Tensor:
    """leftᵀ·right over all rows, in the dtype of a parameter: sums in fp32 that are rounded to this alone, on a GPU."""
    left, right = rows(left), rows(right)
    on_nvidia = left.is_cuda and torch.version.hip is None
    if on_nvidia and parameter.dtype == torch.float32 != left.dtype and not torch.is_grad_enabled():
        return torch.mm(left.t(), right, out_dtype=torch.float32)
    return (left.t() @ right).to(parameter.dtype)


def _forward(
    x: Tensor,
    lora_x: Tensor | None,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    scalars: tuple[Any, ...],
) -> tuple[Tensor, Tensor]:
    with without_autocast(x):
        a, b = _rounded(lora_a, lora_b, x.dtype)
        down = _multiply_down(x if lora_x is None else lora_x, a.t(), scaling)
        return without_gradient(Call(x, weight, bias, scalars, (down, b))), down


def matmul_4bit_lora(
    x: Tensor,
    lora_x: Tensor | None,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    scalars: tuple[Any, ...],
) -> Tensor:
    """matmul_4bit with an adapter, of whose gradients x's is made in one product. lora_x: what the adapter sees where
    it is not x, as behind a dropout."""
    if needs_gradient(x, lora_x, bias, lora_a, lora_b) or is_watched():
        product: Tensor = apply(_Lora, x, lora_x, bias, lora_a, lora_b, *padded(weight), scaling, scalars)[0]
        return product
    return _forward(x, lora_x, weight, bias, lora_a, lora_b, scaling, scalars)[0]
