"""How torch differentiates and batches matmul_4bit, by itself and with a LoRA adapter."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from . import direct

__all__ = ["lora", "matmul_4bit", "needs_gradient", "register"]

_library = torch.library.Library("qfuse", "IMPL")  # whose registrations end with it
_is_compiling = torch.compiler.is_compiling  # a search through torch's modules takes longer than a call
_TURNED = {"forward": "backward", "backward": "forward"}
_NO_TERMS = (None, None)  # of LoRA's


class _Matmul4bit(torch.autograd.Function):
    """What is kept between the directions is the packed weight, which has no gradient, and LoRA's terms."""

    # Not torch.library.register_autograd, whose ops torch.func.grad refuses.
    generate_vmap_rule = True

    # The weight's tensors are named one by one, because the compiler of torch 2.11 counts the parameters.
    @staticmethod
    def forward(
        x: Tensor,
        bias: Tensor | None,
        lora_in: Tensor | None,
        lora_weight: Tensor | None,
        packed: Tensor,
        absmax: Tensor,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        scalars: tuple[Any, ...],
    ) -> Tensor:
        weight = _given(packed, absmax, nested_absmax, nested_quant_map, nested_offset)
        # What is being compiled has to see the op, not how to get past a part of it.
        return (_call if _is_compiling() else _call_below_autograd)(x, weight, bias, scalars, (lora_in, lora_weight))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[2:-1])
        ctx.scalars = inputs[-1]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        lora_in, lora_weight, *weight = ctx.saved_tensors
        *scalars, direction, order = ctx.scalars
        grad_x = grad_bias = grad_lora_in = grad_lora_weight = None
        if ctx.needs_input_grad[0]:
            grad_x = matmul_4bit(grad, _given(*weight), None, (*scalars, _TURNED[direction], order))
        if ctx.needs_input_grad[1]:
            grad_bias = _rows(grad).sum(0)
        if ctx.needs_input_grad[2]:
            grad_lora_in = grad @ (lora_weight if direction == "forward" else lora_weight.t())
        if ctx.needs_input_grad[3]:
            grad_lora_weight = _rows(grad).t() @ _rows(lora_in)
            if direction == "backward":
                grad_lora_weight = grad_lora_weight.t()
        return grad_x, grad_bias, grad_lora_in, grad_lora_weight, *([None] * 6)


def _given(*tensors: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in tensors if tensor is not None)


def _rows(tensor: Tensor) -> Tensor:
    return tensor.reshape(-1, tensor.shape[-1])


def _call(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    scalars: tuple[Any, ...],
    terms: tuple[Tensor | None, Tensor | None] = _NO_TERMS,
) -> Tensor:
    shape, quant_type, blocksize, nested_blocksize, direction, order = scalars
    lora_in, lora_weight = terms
    if order is None:
        decoded = torch.ops.qfuse.dequantize_4bit.default(
            weight, shape, x.dtype, quant_type, blocksize, nested_blocksize
        )
        with torch.autocast(x.device.type, enabled=False):  # x has the dtype to multiply in
            product = torch.nn.functional.linear(x, decoded, bias) if direction == "forward" else x @ decoded
            if lora_in is not None and lora_weight is not None:
                factor = lora_weight.t() if direction == "forward" else lora_weight
                product.view(-1, product.shape[-1]).addmm_(_rows(lora_in), factor)
        return product
    given: Tensor = torch.ops.qfuse.matmul_4bit.default(
        x,
        weight,
        bias,
        lora_in,
        lora_weight,
        shape=shape,
        quant_type=quant_type,
        blocksize=blocksize,
        nested_blocksize=nested_blocksize,
        direction=direction,
        order=order,
    )
    return given


def _call_below_autograd(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    scalars: tuple[Any, ...],
    terms: tuple[Tensor | None, Tensor | None] = _NO_TERMS,
) -> Tensor:
    """Past _matmul_autograd, which takes longer than all else; where it can be, past torch's dispatcher, too."""
    if scalars[-1] is not None:
        product = direct.matmul_4bit(x, weight, bias, terms, scalars)
        if product is not None:
            return product
    with torch._C._AutoDispatchBelowAutograd():
        return _call(x, weight, bias, scalars, terms)


def _padded(weight: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    """With None for what a weight that is not nested has not."""
    return (*weight, *([None] * (5 - len(weight))))


def _call_with_gradient(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    scalars: tuple[Any, ...],
    terms: tuple[Tensor | None, Tensor | None] = _NO_TERMS,
) -> Tensor:
    if len(weight) > 5:  # which the op refuses in its own words
        return _call_below_autograd(x, weight, bias, scalars, terms)
    product: Tensor = _Matmul4bit.apply(x, bias, *terms, *_padded(weight), scalars)
    return product


def needs_gradient(*tensors: Tensor | None) -> bool:
    return torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors)


def _is_watched() -> bool:
    """Whether what is called has to be seen: under a transform, an outer level may need the gradient."""
    return _is_compiling() or torch._C._are_functorch_transforms_active()


def matmul_4bit(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    scalars: tuple[Any, ...],
    terms: tuple[Tensor | None, Tensor | None] = _NO_TERMS,
) -> Tensor:
    """The op, with gradients of every order. scalars: the op's keywords, in their order. terms: LoRA's lora_in and
    lora_weight. Without an order, None, the weight is decoded to memory, in each direction anew, and the product is
    torch's."""
    if needs_gradient(x, bias, *terms) or _is_watched():
        return _call_with_gradient(x, weight, bias, scalars, terms)
    return _call_below_autograd(x, weight, bias, scalars, terms)


def _matmul_autograd(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: str = "forward",
    order: str = "plain",
) -> Tensor:
    """The same for who calls torch.ops.qfuse.matmul_4bit."""
    scalars = (shape, quant_type, blocksize, nested_blocksize, direction, order)
    call = _call_with_gradient if needs_gradient(x, bias, lora_in, lora_weight) else _call_below_autograd
    return call(x, weight, bias, scalars, (lora_in, lora_weight))


def _matmul_vmap(
    info: Any,
    in_dims: tuple[Any, ...],
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    **scalars: Any,
) -> tuple[Tensor, int]:
    """One product of all rows; where weights or biases differ, or LoRA's terms, one for each."""
    op = torch.ops.qfuse.matmul_4bit.default
    x_dim, weight_dims, *dims = in_dims
    others = [bias, lora_in, lora_weight]
    dims += [None] * (len(others) - len(dims))
    if x_dim is not None and lora_in is None and all(dim is None for dim in (*weight_dims, *dims)):
        return op(x.movedim(x_dim, 0), weight, bias, **scalars), 0
    products = [
        op(
            _slice(x, x_dim, i),
            [_slice(tensor, dim, i) for tensor, dim in zip(weight, weight_dims, strict=True)],
            *(None if tensor is None else _slice(tensor, dim, i) for tensor, dim in zip(others, dims, strict=True)),
            **scalars,
        )
        for i in range(info.batch_size)
    ]
    return torch.stack(products), 0


def _slice(tensor: Tensor, dim: int | None, index: int) -> Tensor:
    """Contiguous, as weights and biases must be."""
    return tensor if dim is None else tensor.select(dim, index).contiguous()


# ---- with a LoRA adapter ----

_LORA_VECTOR = 8  # of 16-bit values a kernel loads at once: ranks are filled up with zeros to a multiple of this


class _Lora(torch.autograd.Function):
    """y = x·Wᵀ + t·Bᵀ + bias with t = scaling·x·Aᵀ, and dx = dy·W + u·A with u = scaling·dy·B: each is one product."""

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
        weight = _given(packed, absmax, nested_absmax, nested_quant_map, nested_offset)
        return _lora_forward(x, lora_x, weight, bias, lora_a, lora_b, scaling, scalars)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, Tensor]) -> None:
        x, lora_x, _, *tensors, scaling, scalars = inputs
        down = outputs[1]
        ctx.mark_non_differentiable(down)
        # Of x and lora_x only the one that the adapter has seen.
        ctx.save_for_backward(x if lora_x is None else lora_x, down, *tensors)
        ctx.has_own_x, ctx.scaling, ctx.scalars = lora_x is not None, scaling, scalars

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        grad = grads[0]
        x, down, lora_a, lora_b, *weight = ctx.saved_tensors
        scaling, (*scalars, _, order) = ctx.scaling, ctx.scalars
        turned = (*scalars, "backward", order)
        needs_x, needs_lora_x, needs_bias, needs_a, needs_b, *_ = ctx.needs_input_grad
        grad_x = grad_lora_x = grad_bias = grad_a = grad_b = None
        with _without_autocast(grad):
            a, b = _rounded(lora_a, lora_b, grad.dtype)
            if torch.is_grad_enabled():  # the gradient of this one depends on it
                down = _multiply_down(x, a.t(), scaling)
            up = _multiply_down(grad, b, scaling)
            if ctx.has_own_x:
                if needs_x:
                    grad_x = matmul_4bit(grad, _given(*weight), None, turned)
                if needs_lora_x:
                    grad_lora_x = up @ a
            elif needs_x:
                grad_x = matmul_4bit(grad, _given(*weight), None, turned, (up, a))
            if needs_a:
                grad_a = _outer(up, x, lora_a)[: lora_a.shape[0]]
            if needs_b:
                grad_b = _outer(grad, down, lora_b)[:, : lora_b.shape[1]]
            if needs_bias:
                grad_bias = _rows(grad).sum(0)
        return grad_x, grad_lora_x, grad_bias, grad_a, grad_b, *([None] * 7)


def _without_autocast(tensor: Tensor) -> Any:
    """x has the dtype to multiply in."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if torch.is_autocast_enabled(kind) else nullcontext()


def _rounded(lora_a: Tensor, lora_b: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Both in the dtype of the product, and of a rank that kernels load whole."""
    fill = -lora_a.shape[0] % _LORA_VECTOR
    a, b = lora_a.to(dtype), lora_b.to(dtype)
    if fill:
        a = torch.nn.functional.pad(a, (0, 0, 0, fill))
        b = torch.nn.functional.pad(b, (0, fill))
    return a.contiguous(), b.contiguous()


def _multiply_down(x: Tensor, factor: Tensor, scaling: float) -> Tensor:
    """scaling·x·factor, [..., rank], rounded once: torch multiplies sums by alpha before it rounds them."""
    product = torch.addmm(x.new_empty(1), _rows(x), factor, beta=0, alpha=scaling)
    return product.view(*x.shape[:-1], factor.shape[1])


def _outer(left: Tensor, right: Tensor, parameter: Tensor) -> Tensor:
    """leftᵀ·right over all rows, in the dtype of a parameter: sums in fp32 that are rounded to this alone, on a GPU."""
    left, right = _rows(left), _rows(right)
    if left.is_cuda and parameter.dtype == torch.float32 != left.dtype and not torch.is_grad_enabled():
        return torch.mm(left.t(), right, out_dtype=torch.float32)
    return (left.t() @ right).to(parameter.dtype)


def _lora_forward(
    x: Tensor,
    lora_x: Tensor | None,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    scalars: tuple[Any, ...],
) -> tuple[Tensor, Tensor]:
    with _without_autocast(x):
        a, b = _rounded(lora_a, lora_b, x.dtype)
        down = _multiply_down(x if lora_x is None else lora_x, a.t(), scaling)
        call = _call if _is_compiling() else _call_below_autograd
        return call(x, weight, bias, scalars, (down, b)), down


def lora(
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
    if needs_gradient(x, lora_x, bias, lora_a, lora_b) or _is_watched():
        product: Tensor = _Lora.apply(x, lora_x, bias, lora_a, lora_b, *_padded(weight), scaling, scalars)[0]
        return product
    return _lora_forward(x, lora_x, weight, bias, lora_a, lora_b, scaling, scalars)[0]


def register() -> None:
    _library.impl("matmul_4bit", _matmul_autograd, "Autograd")
    torch.library.register_vmap("qfuse::matmul_4bit", _matmul_vmap)
