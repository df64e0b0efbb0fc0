"""How torch differentiates and batches matmul_4bit."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["matmul_4bit", "needs_gradient", "register"]

_library = torch.library.Library("qfuse", "IMPL")  # whose registrations end with it
_is_compiling = torch.compiler.is_compiling  # a search through torch's modules takes longer than a call
_TURNED = {"forward": "backward", "backward": "forward"}


class _Matmul4bit(torch.autograd.Function):
    """What is kept between the directions is the packed weight alone, which has no gradient."""

    # Not torch.library.register_autograd, whose ops torch.func.grad refuses.
    generate_vmap_rule = True

    # The weight's tensors are named one by one, because the compiler of torch 2.11 counts the parameters.
    @staticmethod
    def forward(
        x: Tensor,
        bias: Tensor | None,
        packed: Tensor,
        absmax: Tensor,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        scalars: tuple[Any, ...],
    ) -> Tensor:
        weight = _given(packed, absmax, nested_absmax, nested_quant_map, nested_offset)
        # What is being compiled has to see the op, not how to get past a part of it.
        return (_call if _is_compiling() else _call_below_autograd)(x, weight, bias, scalars)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[2:-1])
        ctx.scalars = inputs[-1]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        grad_x = grad_bias = None
        if ctx.needs_input_grad[0]:
            *scalars, direction, order = ctx.scalars
            grad_x = matmul_4bit(grad, _given(*ctx.saved_tensors), None, (*scalars, _TURNED[direction], order))
        if ctx.needs_input_grad[1]:
            grad_bias = grad.reshape(-1, grad.shape[-1]).sum(0)
        return grad_x, grad_bias, *([None] * 6)


def _given(*tensors: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in tensors if tensor is not None)


def _call(x: Tensor, weight: Sequence[Tensor], bias: Tensor | None, scalars: tuple[Any, ...]) -> Tensor:
    shape, quant_type, blocksize, nested_blocksize, direction, order = scalars
    if order is None:
        decoded = torch.ops.qfuse.dequantize_4bit.default(
            weight, shape, x.dtype, quant_type, blocksize, nested_blocksize
        )
        with torch.autocast(x.device.type, enabled=False):  # x has the dtype to multiply in
            return torch.nn.functional.linear(x, decoded, bias) if direction == "forward" else x @ decoded
    product: Tensor = torch.ops.qfuse.matmul_4bit.default(
        x,
        weight,
        bias,
        shape=shape,
        quant_type=quant_type,
        blocksize=blocksize,
        nested_blocksize=nested_blocksize,
        direction=direction,
        order=order,
    )
    return product


def _call_below_autograd(x: Tensor, weight: Sequence[Tensor], bias: Tensor | None, scalars: tuple[Any, ...]) -> Tensor:
    """Past _matmul_autograd, which takes longer than all else."""
    with torch._C._AutoDispatchBelowAutograd():
        return _call(x, weight, bias, scalars)


def _call_with_gradient(x: Tensor, weight: Sequence[Tensor], bias: Tensor | None, scalars: tuple[Any, ...]) -> Tensor:
    if len(weight) > 5:  # which the op refuses in its own words
        return _call_below_autograd(x, weight, bias, scalars)
    nones = [None] * (5 - len(weight))  # of a weight that is not nested
    product: Tensor = _Matmul4bit.apply(x, bias, *weight, *nones, scalars)
    return product


def needs_gradient(x: Tensor, bias: Tensor | None) -> bool:
    return torch.is_grad_enabled() and (x.requires_grad or (bias is not None and bias.requires_grad))


def matmul_4bit(x: Tensor, weight: Sequence[Tensor], bias: Tensor | None, scalars: tuple[Any, ...]) -> Tensor:
    """The op, with gradients of every order. scalars: the op's keywords, in their order. Without an order, None, the
    weight is decoded to memory, in each direction anew, and the product is torch's."""
    # Under a transform, an outer level may need the gradient.
    if needs_gradient(x, bias) or _is_compiling() or torch._C._are_functorch_transforms_active():
        return _call_with_gradient(x, weight, bias, scalars)
    return _call_below_autograd(x, weight, bias, scalars)


def _matmul_autograd(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
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
    call = _call_with_gradient if needs_gradient(x, bias) else _call_below_autograd
    return call(x, weight, bias, scalars)


def _matmul_vmap(
    info: Any,
    in_dims: tuple[int | None, Sequence[int | None], int | None],
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    **scalars: Any,
) -> tuple[Tensor, int]:
    """One product of all rows; where weights or biases differ, one for each."""
    op = torch.ops.qfuse.matmul_4bit.default
    x_dim, weight_dims, bias_dim = in_dims
    if x_dim is not None and bias_dim is None and all(dim is None for dim in weight_dims):
        return op(x.movedim(x_dim, 0), weight, bias, **scalars), 0
    products = [
        op(
            _slice(x, x_dim, i),
            [_slice(tensor, dim, i) for tensor, dim in zip(weight, weight_dims, strict=True)],
            None if bias is None else _slice(bias, bias_dim, i),
            **scalars,
        )
        for i in range(info.batch_size)
    ]
    return torch.stack(products), 0


def _slice(tensor: Tensor, dim: int | None, index: int) -> Tensor:
    """Contiguous, as weights and biases must be."""
    return tensor if dim is None else tensor.select(dim, index).contiguous()


def register() -> None:
    _library.impl("matmul_4bit", _matmul_autograd, "Autograd")
    torch.library.register_vmap("qfuse::matmul_4bit", _matmul_vmap)
