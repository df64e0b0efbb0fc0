"""A SwiGLU block between products in the order "rotated_int8", which quantizes its results in the same pass."""

from typing import Any

import torch
from torch import Tensor

from .gradients import refuse_second
from .rotated_products import keep_rotated


class _Swiglu(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        ctx.save_for_backward(gate, up)
        ctx.set_materialize_grads(False)
        y, q, scale = torch.ops.qfuse.rotated_int8_swiglu.default(gate, up)
        ctx.mark_non_differentiable(q, scale)
        return y, q, scale

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, *_: None) -> tuple[Tensor | None, Tensor | None]:
        refuse_second("rotated_int8")
        if grad is None:
            return None, None
        both, q, scale = torch.ops.qfuse.rotated_int8_swiglu.default(*ctx.saved_tensors, grad)
        gradients = both[0], both[1]
        for gradient, *rows in zip(gradients, q, scale, strict=True):
            keep_rotated(gradient, *rows)
        return gradients


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """Returns silu(gate) * up in bfloat16, rounded once. The result and the gradients of gate and up are rotated here,
    for the products that take them. A gradient has no second gradient."""
    y, q, scale = _Swiglu.apply(gate, up)
    keep_rotated(y, q, scale)
    found: Tensor = y
    return found
