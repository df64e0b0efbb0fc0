"""Weights of bitsandbytes, decoded and multiplied by in one call."""

from typing import Any

import torch
from torch import Tensor

from . import direct, ops
from .quant_state import Arguments, Weight4bit, read_arguments, read_weight, without_torch_function

__all__ = ["dequantize_4bit", "dequantize_int8", "matmul_4bit"]


def dequantize_4bit(
    weight: Any, quant_state: Any = None, out: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """A 4-bit weight of bitsandbytes in its original shape and dtype: the bits that bitsandbytes decodes on CUDA.

    weight: a Linear4bit, a Params4bit, a Weight4bit of load_checkpoint, or packed codes with their quant_state.
    quant_state: bitsandbytes' QuantState or the list that it once was, which unsloth still takes; by default the
    weight's own. out: where to write, of the weight's shape, dtype and device, contiguous. dtype: float32, float16 or
    bfloat16 in place of the state's.

    The result has the state's shape and dtype. Of bitsandbytes' own forms, where codes whose shape[0] is 1 say that
    they were transposed, it is then the transpose, as bitsandbytes' is; of a Weight4bit, however its codes lie, it is
    not. It never requires a gradient.

    Raises TypeError or ValueError for a weight or state that is none, RuntimeError for tensors that do not fit.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        found: Arguments = weight if dtype is None else weight._replace(dtype=dtype)
        return _decode(found, out)
    found = read_arguments(weight, quant_state)
    return decode(found if dtype is None else (*found[:2], dtype, *found[3:]), out)


def decode(weight: Arguments, out: Tensor | None = None) -> Tensor:
    """dequantize_4bit of what read_arguments found."""
    if out is None:
        decoded = direct.dequantize_4bit(*weight, True)
        if decoded is not None:
            return decoded
    with without_torch_function():
        decoded = _decode(weight, out)
        return decoded.t() if weight[0][0].size(0) == 1 else decoded


def _decode(weight: Arguments, out: Tensor | None) -> Tensor:
    for name, tensor in zip(
        ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset"), weight[0], strict=False
    ):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}, it must be a tensor")
    if out is not None and out.requires_grad:
        raise ValueError("out requires a gradient, which a decoded weight has none of")
    return ops.dequantize_4bit(*weight) if out is None else ops.dequantize_4bit_out(*weight, out=out)


def dequantize_int8(weight: Any, scb: Tensor | None = None, dtype: torch.dtype = torch.bfloat16) -> Tensor:
    """An LLM.int8 weight of bitsandbytes, decoded to `dtype`, which neither it nor its file says.

    weight: a Linear8bitLt, an Int8Params, or int8 codes [rows, cols] with `scb`, the rows' scales [rows] float32.

    Raises TypeError where there is no scb, RuntimeError for tensors that do not fit.
    """
    codes = weight.weight if isinstance(weight, torch.nn.Module) else weight
    if scb is None:
        scb = getattr(codes, "SCB", None)
    if scb is None:  # a layer that has run keeps it in its state
        scb = getattr(getattr(weight, "state", None), "SCB", None)
    if not isinstance(codes, Tensor) or scb is None:
        raise TypeError(f"a {type(weight).__name__} has no SCB, and none was given")
    with without_torch_function():
        return ops.dequantize_int8(codes.detach(), scb.float(), dtype)


class _Matmul4bit(torch.autograd.Function):
    """x @ W.T + bias with W decoded anew for each direction: what is kept between them is the packed weight alone."""

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
        return torch.nn.functional.linear(x, ops.dequantize_4bit(weight, *scalars).to(x.dtype), bias)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[2:-1])
        ctx.scalars = inputs[-1]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = grads
        grad_x = grad_bias = None
        if ctx.needs_input_grad[0]:
            decoded = ops.dequantize_4bit(_given(*ctx.saved_tensors), *ctx.scalars)
            grad_x = grad @ decoded.to(grad.dtype)
        if ctx.needs_input_grad[1]:
            grad_bias = grad.reshape(-1, grad.shape[-1]).sum(0)
        return grad_x, grad_bias, *([None] * 6)


def _given(*tensors: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in tensors if tensor is not None)


def matmul_4bit(x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None) -> Tensor:
    """x [..., k] times the transpose of a 4-bit weight [n, k], plus bias [n]: a Linear4bit to train through.

    weight and quant_state are those of dequantize_4bit; how the packed codes lie does not matter. The result is
    torch.nn.functional.linear's in x's dtype. Gradients flow to x and bias; the weight is decoded again for them.
    """
    found = read_weight(weight, quant_state)
    if not x.is_floating_point():
        raise TypeError(f"x is {x.dtype}, it must be floating point")
    if len(found.shape) != 2 or x.shape[-1:] != found.shape[1:]:
        raise ValueError(f"x has shape {tuple(x.shape)}, the weight {found.shape}: they must be [..., k] and [n, k]")
    if bias is not None and bias.shape != found.shape[:1]:
        raise ValueError(f"bias has shape {tuple(bias.shape)}, it must be {found.shape[:1]}")
    with without_torch_function():
        packed, *scales = found.tensors  # of which torch 2.10 does not trace the properties
        tensors = (packed.detach(), *scales, *[None] * (4 - len(scales)))
    product: Tensor = _Matmul4bit.apply(x, None if bias is None else bias.to(x.dtype), *tensors, tuple(found[1:]))
    return product
