"""Weights of bitsandbytes, decoded and multiplied by in one call."""

from typing import Any

import torch
from torch import Tensor

from . import ops
from .quant_state import Weight4bit, read_weight

__all__ = ["dequantize_4bit", "matmul_4bit"]


def dequantize_4bit(weight: Any, quant_state: Any = None, out: Tensor | None = None) -> Tensor:
    """A 4-bit weight of bitsandbytes in its original shape and dtype: the bits that bitsandbytes decodes on CUDA.

    weight: a Linear4bit, a Params4bit, a Weight4bit of load_checkpoint, or packed codes with their quant_state.
    quant_state: bitsandbytes' QuantState or the list that it once was, which unsloth still takes; by default the
    weight's own. out: where to write, of the weight's shape, dtype and device, contiguous.

    The result has the state's shape and dtype. Of bitsandbytes' own forms, where codes whose shape[0] is 1 say that
    they were transposed, it is then the transpose, as bitsandbytes' is; of a Weight4bit, however its codes lie, it is
    not. It never requires a gradient.

    Raises TypeError or ValueError for a weight or state that is none, RuntimeError for tensors that do not fit.
    """
    found = read_weight(weight, quant_state)
    return _decode(found, out) if isinstance(weight, Weight4bit) else decode(found, out)


def decode(weight: Weight4bit, out: Tensor | None = None) -> Tensor:
    """dequantize_4bit of what read_weight found in bitsandbytes' own forms."""
    decoded = _decode(weight, out)
    return decoded.t() if weight.packed.shape[0] == 1 else decoded


def _decode(weight: Weight4bit, out: Tensor | None) -> Tensor:
    if out is None:
        return ops.dequantize_4bit(*weight)
    ops.dequantize_4bit_out(*weight, out=out)
    return out


class _Matmul4bit(torch.autograd.Function):
    """x @ W.T + bias with W decoded anew for each direction: what is kept between them is the packed weight alone."""

    generate_vmap_rule = True

    # The weight's parts are named one by one, because the compiler of torch 2.11 counts the parameters.
    @staticmethod
    def forward(
        x: Tensor,
        bias: Tensor | None,
        packed: Tensor,
        absmax: Tensor,
        blocksize: int,
        quant_type: str,
        shape: tuple[int, ...],
        dtype: torch.dtype,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        nested_blocksize: int,
    ) -> Tensor:
        decoded = ops.dequantize_4bit(
            packed,
            absmax,
            blocksize,
            quant_type,
            shape,
            dtype,
            nested_absmax,
            nested_quant_map,
            nested_offset,
            nested_blocksize,
        )
        return torch.nn.functional.linear(x, decoded.to(x.dtype), bias)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        weight = inputs[2:]
        ctx.save_for_backward(*(part if isinstance(part, Tensor) else None for part in weight))
        ctx.rest = [None if isinstance(part, Tensor) else part for part in weight]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        grad_x = grad_bias = None
        if ctx.needs_input_grad[0]:
            weight = (rest if part is None else part for part, rest in zip(ctx.saved_tensors, ctx.rest, strict=True))
            grad_x = grad @ ops.dequantize_4bit(*weight).to(grad.dtype)
        if ctx.needs_input_grad[1]:
            grad_bias = grad.reshape(-1, grad.shape[-1]).sum(0)
        return grad_x, grad_bias, *([None] * len(ctx.rest))


def matmul_4bit(x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None) -> Tensor:
    """x [..., k] times the transpose of a 4-bit weight [n, k], plus bias [n]: a Linear4bit to train through.

    weight and quant_state are those of dequantize_4bit; how the packed codes lie does not matter. The result is
    torch.nn.functional.linear's in x's dtype. Gradients flow to x and bias; the weight is decoded again for them.
    """
    found = read_weight(weight, quant_state)
    if len(found.shape) != 2 or x.shape[-1:] != found.shape[1:]:
        raise ValueError(f"x has shape {tuple(x.shape)}, the weight {found.shape}: they must be [..., k] and [n, k]")
    if bias is not None and bias.shape != found.shape[:1]:
        raise ValueError(f"bias has shape {tuple(bias.shape)}, it must be {found.shape[:1]}")
    product: Tensor = _Matmul4bit.apply(x, None if bias is None else bias.to(x.dtype), *found)
    return product
