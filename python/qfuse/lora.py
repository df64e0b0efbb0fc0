"""matmul_4bit with a LoRA adapter over it, of one weight or of several with one input, and its gradients."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from .gradients import (
    Call,
    apply,
    decode,
    given,
    is_watched,
    matmul_4bit,
    needs_gradient,
    padded,
    rows,
    without_autocast,
    without_gradient,
)

__all__ = ["Layer", "matmul_4bit_lora", "matmul_4bit_lora_shared"]

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
    # torch.func.vmap multiplies by beta what every other addmm leaves unread.
    unread = x.new_zeros(1) if torch._C._are_functorch_transforms_active() else x.new_empty(1)
    product = torch.addmm(unread, rows(x), factor, beta=0, alpha=scaling)
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


class Layer(NamedTuple):
    """Of several with one input: weight and scalars are those of gradients.Call."""

    weight: Sequence[Tensor]
    bias: Tensor | None
    lora_a: Tensor
    lora_b: Tensor
    scalars: tuple[Any, ...]


class _SharedLora(torch.autograd.Function):
    """_Lora of several weights that x is multiplied by: of all of them t is one product, uᵀ·x is one, and u·A. What the
    weights add to x's gradient is summed in their order."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        lora_x: Tensor | None,
        scaling: float,
        scalars: Sequence[tuple[Any, ...]],
        *tensors: Tensor | None,
    ) -> tuple[Tensor, ...]:
        layers = _regroup(tensors, scalars)
        products, down = _forward_shared(x, lora_x, layers, scaling)
        ctx.mark_non_differentiable(down)
        needs = ctx.needs_input_grad[4:]
        is_trained = any(needs[_A::_TENSORS]) or any(needs[_B::_TENSORS])
        seen = (x if lora_x is None else lora_x, down) if is_trained else (None, None)
        ctx.save_for_backward(*seen, *tensors)
        ctx.has_own_x, ctx.scaling, ctx.scalars = lora_x is not None, scaling, scalars
        return *products, down

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        grads, scaling = grads[:-1], ctx.scaling
        x, down, *tensors = ctx.saved_tensors
        layers = _regroup(tensors, ctx.scalars)
        needs_x, needs_lora_x, _, _, *needs = ctx.needs_input_grad
        found: list[Tensor | None] = [None] * len(tensors)
        grad_x = grad_lora_x = None
        with without_autocast(grads[0]):
            factors = [_rounded(layer.lora_a, layer.lora_b, grads[0].dtype) for layer in layers]
            ranks, a = [a.shape[0] for a, _ in factors], torch.cat([a for a, _ in factors])
            up = torch.cat([_multiply_down(dy, b, scaling) for dy, (_, b) in zip(grads, factors, strict=True)], -1)
            if needs_x:
                grad_x = _sum_products(grads, layers, (None, None) if ctx.has_own_x else (up, a))
            if needs_lora_x:
                grad_lora_x = up @ a
            if any(needs[_B::_TENSORS]):
                if torch.is_grad_enabled():  # the gradients of B depend on A
                    down = _multiply_down(x, a.t(), scaling)
                lows = down.split(ranks, -1)
            if any(needs[_A::_TENSORS]):
                grad_a = _outer(up, x, layers[0].lora_a).split(ranks)
            for i, (dy, layer) in enumerate(zip(grads, layers, strict=True)):
                at = i * _TENSORS
                if needs[at + _A]:
                    found[at + _A] = grad_a[i][: layer.lora_a.shape[0]]
                if needs[at + _B]:
                    found[at + _B] = _outer(dy, lows[i], layer.lora_b)[:, : layer.lora_b.shape[1]]
                if needs[at + _BIAS]:
                    found[at + _BIAS] = rows(dy).sum(0)
        return grad_x, grad_lora_x, None, None, *found


_TENSORS = 8  # of a layer, of which these have a gradient:
_A, _B, _BIAS = range(3)


def _flatten(layer: Layer) -> tuple[Tensor | None, ...]:
    return (layer.lora_a, layer.lora_b, layer.bias, *padded(layer.weight))


def _regroup(tensors: Sequence[Any], scalars: Sequence[tuple[Any, ...]]) -> list[Layer]:
    layers = []
    for i, own in enumerate(scalars):
        lora_a, lora_b, bias, *weight = tensors[i * _TENSORS : (i + 1) * _TENSORS]
        layers.append(Layer(given(*weight), bias, lora_a, lora_b, own))
    return layers


def _forward_shared(
    x: Tensor, lora_x: Tensor | None, layers: Sequence[Layer], scaling: float
) -> tuple[list[Tensor], Tensor]:
    with without_autocast(x):
        factors = [_rounded(layer.lora_a, layer.lora_b, x.dtype) for layer in layers]
        a = torch.cat([a for a, _ in factors])
        down = _multiply_down(x if lora_x is None else lora_x, a.t(), scaling)
        lows = down.split([a.shape[0] for a, _ in factors], -1)
        calls = [
            Call(
                x, layer.weight, layer.bias, layer.scalars, (low if layer.scalars[-1] is None else low.contiguous(), b)
            )
            for layer, low, (_, b) in zip(layers, lows, factors, strict=True)
        ]
        return [without_gradient(call) for call in calls], down


def _sum_products(
    grads: Sequence[Tensor], layers: Sequence[Layer], terms: tuple[Tensor | None, Tensor | None]
) -> Tensor:
    """dy·W of all layers, and the terms: each sum is rounded before the next is added."""
    calls = [
        Call(dy, layer.weight, None, (*layer.scalars[:-2], "backward", layer.scalars[-1]))
        for dy, layer in zip(grads, layers, strict=True)
    ]
    total = matmul_4bit(calls[0]._replace(terms=terms))
    for call in calls[1:]:
        if torch.is_grad_enabled():
            total = total + matmul_4bit(call)
        elif call.scalars[-1] is None:  # in the sums of torch's product
            rows(total).addmm_(rows(call.x), decode(call))
        else:
            total += without_gradient(call)
    return total


def matmul_4bit_lora_shared(
    x: Tensor, lora_x: Tensor | None, layers: Sequence[Layer], scaling: float
) -> tuple[Tensor, ...]:
    """matmul_4bit_lora of one x and several weights, whose A's are of one dtype."""
    if is_watched():  # torch's compiler and its transforms take no function of any number of tensors
        return tuple(
            matmul_4bit_lora(x, lora_x, each.weight, each.bias, each.lora_a, each.lora_b, scaling, each.scalars)
            for each in layers
        )
    tensors = [tensor for layer in layers for tensor in _flatten(layer)]
    if needs_gradient(x, lora_x, *tensors):
        products: tuple[Tensor, ...] = _SharedLora.apply(
            x, lora_x, scaling, [layer.scalars for layer in layers], *tensors
        )
        return products[:-1]
    return tuple(_forward_shared(x, lora_x, layers, scaling)[0])
