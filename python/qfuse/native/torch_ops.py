"""Calls torch's ops on 4-bit weights. Only this module unpacks a weight into positional arguments.

Each op is called without torch's dispatcher where possible, because dispatching takes as long as launching a kernel
(ARCHITECTURE.md), otherwise through it.
"""

import contextlib
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.autograd import forward_ad

from . import extension

if TYPE_CHECKING:
    from ..weight.weight_4bit import Weight4bit

Direction = Literal["forward", "backward"]
Order = Literal["plain", "split", "factored", "rotated_int8"]
Orders = tuple[Order | None, Order | None]  # of a product and of its gradient

_decode: Callable[..., Any] | None = None
_multiply: Callable[..., Any] | None = None
_multiply_many: Callable[..., Any] | None = None
_is_compiling = torch.compiler.is_compiling  # looking it up through torch's modules takes longer than the call


class Call(NamedTuple):
    """Arguments of a product. order: None decodes the weight to memory and multiplies by torch. terms: LoRA's lora_in
    and lora_weight. ends: end rows of the experts if the weight is a stack of experts. gradient_order: of x's gradient,
    which is a product in the other direction; "same": order."""

    x: Tensor
    weight: "Weight4bit"
    bias: Tensor | None
    direction: Direction = "forward"
    order: Order | None = "plain"
    terms: tuple[Tensor | None, Tensor | None] = (None, None)
    ends: Tensor | None = None
    gradient_order: Order | Literal["same"] | None = "same"

    @property
    def orders(self) -> Orders:
        return self.order, self.order if self.gradient_order == "same" else self.gradient_order


def _load_directly() -> None:
    """Imports qfuse._direct if it exists. The extension, which it links with, must be loaded."""
    global _decode, _multiply, _multiply_many
    if importlib.util.find_spec("qfuse._direct") is None:  # not built without Python's headers
        return
    with contextlib.suppress(AttributeError, ValueError):  # raised if torch lacks something that the module looks up
        module = importlib.import_module("qfuse._direct")
        _decode, _multiply, _multiply_many = module.dequantize_4bit, module.matmul_4bit, module.matmul_4bit_many


extension.load()
_load_directly()
_ops = torch.ops.qfuse
_dequantize_4bit = _ops.dequantize_4bit.default


def is_dual() -> bool:
    """Whether forward-mode differentiation is active."""
    return forward_ad._current_level >= 0


# ---- without the dispatcher: returns None if the op must be dispatched, because a compiler, a mode, a transform, a
# tracer or a profiler has to see it, or because an argument is not a plain tensor


def dequantize_4bit_directly(weight: "Weight4bit", transposes: bool = False) -> Tensor | None:
    """transposes: whether to transpose the result if packed.size(0) is 1."""
    if _decode is None or _is_compiling():
        return None
    decoded: Tensor | None = _decode(*weight, transposes)
    return decoded


def matmul_4bit_directly(call: Call) -> Tensor | None:
    """Multiplies without gradients. Also returns None for experts and for products that the op does not compute."""
    x, weight, bias, direction, order, terms, ends, _ = call
    is_of_library = order is not None and order != "rotated_int8"
    if _multiply is None or not is_of_library or ends is not None or _is_compiling() or is_dual():
        return None
    tensors, shape, _, quant_type, blocksize, nested_blocksize = weight
    product: Tensor | None = _multiply(
        x, tensors, bias, *terms, shape, quant_type, blocksize, nested_blocksize, direction, order
    )
    return product


def matmul_4bit_many_directly(calls: Sequence[Call]) -> Sequence[Tensor] | None:
    """Multiplies one x by several weights, without gradients, under the conditions of matmul_4bit_many below."""
    if _multiply_many is None or _is_compiling() or is_dual():
        return None
    weight = calls[0].weight
    products: tuple[Tensor, ...] | None = _multiply_many(
        *_many(calls), weight.quant_type, weight.blocksize, weight.nested_blocksize, calls[0].order
    )
    return products


# ---- through the dispatcher


def dequantize_4bit(weight: "Weight4bit") -> Tensor:
    """Decodes a weight, without the dispatcher where possible."""
    decoded = dequantize_4bit_directly(weight)
    if decoded is None:
        decoded = _dequantize_4bit(*weight)
    return decoded


def dequantize_4bit_out(weight: "Weight4bit", out: Tensor) -> Tensor:
    _ops.dequantize_4bit.out(*weight, out=out)
    return out


def matmul_4bit(call: Call) -> Tensor:
    """Calls matmul_4bit or, if ends are given, matmul_4bit_grouped. The order must not be None."""
    x, weight, bias, direction, order, terms, ends, _ = call
    how = {"shape": weight.shape, **_blocks(weight), "direction": direction, "order": order}
    product: Tensor
    if ends is None:
        product = _ops.matmul_4bit.default(x, weight.tensors, bias, *terms, **how)
    else:
        product = _ops.matmul_4bit_grouped.default(x, weight.tensors, ends, bias, *terms, **how)
    return product


def matmul_4bit_many(calls: Sequence[Call]) -> list[Tensor]:
    """Multiplies one x, without LoRA terms, by weights that differ only in their number of rows."""
    x, weights, biases, rows = _many(calls)
    products: list[Tensor] = _ops.matmul_4bit_many.default(
        x, weights, biases, rows=rows, **_blocks(calls[0].weight), order=calls[0].order
    )
    return products


def rotated_int8_weight_scales(weight: "Weight4bit", direction: Direction) -> Tensor:
    scale: Tensor = _ops.rotated_int8_weight_scales.default(
        weight.tensors, weight.shape, **_blocks(weight), direction=direction
    )
    return scale


def rotated_int8_weight(weight: "Weight4bit", scale: Tensor, direction: Direction) -> Tensor:
    q: Tensor = _ops.rotated_int8_weight.default(
        weight.tensors, scale, weight.shape, **_blocks(weight), direction=direction
    )
    return q


def _many(calls: Sequence[Call]) -> tuple[Tensor, tuple[Tensor, ...], tuple[Tensor, ...], tuple[int, ...]]:
    """Returns x, the tensors of all weights, the biases and the weights' numbers of rows."""
    weights = tuple(tensor for call in calls for tensor in call.weight.tensors)
    biases = tuple(call.bias for call in calls if call.bias is not None)
    return calls[0].x, weights, biases, tuple(call.weight.shape[0] for call in calls)


def _blocks(weight: "Weight4bit") -> dict[str, Any]:
    return {"quant_type": weight.quant_type, "blocksize": weight.blocksize, "nested_blocksize": weight.nested_blocksize}
