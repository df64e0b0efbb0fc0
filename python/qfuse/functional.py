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

    The result has the state's shape and dtype, but is transposed, as bitsandbytes' is, where weight.shape[0] == 1: so
    packed codes say that they were transposed. It never requires a gradient.

    Raises TypeError or ValueError for a weight or state that is none, RuntimeError for tensors that do not fit.
    """
    return decode(read_weight(weight, quant_state), out)


def decode(weight: Weight4bit, out: Tensor | None = None) -> Tensor:
    """dequantize_4bit of what read_weight found."""
    if out is None:
        out = ops.dequantize_4bit(*weight)
    else:
        ops.dequantize_4bit_out(*weight, out=out)
    return out.t() if weight.packed.shape[0] == 1 else out


class _Matmul4bit(torch.autograd.Function):
    """x @ W.T with W decoded anew for each direction, so that what is kept between them is the packed weight alone."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *weight: Any) -> Tensor:
        ctx.weight = Weight4bit(*weight)
        return torch.nn.functional.linear(x, ops.dequantize_4bit(*weight).to(x.dtype))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        grad_x = grad @ ops.dequantize_4bit(*ctx.weight).to(grad.dtype) if ctx.needs_input_grad[0] else None
        return grad_x, *([None] * len(ctx.weight))


def matmul_4bit(x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None) -> Tensor:
    """x [..., k] times the transpose of a 4-bit weight [n, k], plus bias [n]: a Linear4bit to train through.

    weight and quant_state are those of dequantize_4bit; how the packed codes lie does not matter. The product is
    torch.nn.functional.linear in x's dtype. Gradients flow to x and bias; the weight is decoded again for them.
    """
    found = read_weight(weight, quant_state)
    if len(found.shape) != 2 or x.shape[-1] != found.shape[1]:
        raise ValueError(f"x has shape {tuple(x.shape)}, the weight {found.shape}: they must be [..., k] and [n, k]")
    product: Tensor = _Matmul4bit.apply(x, *found)
    return product if bias is None else product + bias.to(product.dtype)
