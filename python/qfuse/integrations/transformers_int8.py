"""Layers of a model of transformers whose products share what is rotated to INT8: q, k and v the rows of their input,
gate and up likewise; and SwiGLU blocks, whose y and gradients are quantized where they are made."""

import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from ..ops.orders import int8_order
from ..ops.rotated_products import shared_inputs
from ..ops.rotated_swiglu import swiglu
from .peft_forward import is_base, multiplies_in_int8

_ATTENTION = "q_proj", "k_proj", "v_proj"
_MLP = "gate_proj", "up_proj", "down_proj"
_BLOCKSIZE = 64  # bitsandbytes' own; it counts for how many rows are few


def share_rotated(model: nn.Module) -> tuple[int, Callable[[], None]]:
    """How many layers of the model do so from now on, and what undoes it."""
    undo = [*_replaced(model, _ATTENTION, _sharing), *_replaced(model, _MLP, _mlp)]

    def restore() -> None:
        for each in undo:
            each()

    return len(undo), restore


def _replaced(
    model: nn.Module, names: Sequence[str], forward_of: Callable[[Any], Callable[..., Any]]
) -> Iterator[Callable[[], None]]:
    for module in model.modules():
        children = [getattr(module, name, None) for name in names]
        # A forward that is no method, as accelerate makes them, is left alone.
        if all(map(_is_adapted, children)) and isinstance(module.forward, types.MethodType):
            yield _replace(module, forward_of(module.forward.__func__))


def _is_adapted(layer: Any) -> bool:
    base = getattr(layer, "base_layer", None)
    return base is not None and is_base(base)


def _replace(module: nn.Module, forward: Callable[..., Any]) -> Callable[[], None]:
    """As a method, so that a copy of the module calls its own."""
    before = vars(module).get("forward")
    module.forward = types.MethodType(forward, module)  # type: ignore[method-assign]

    def restore() -> None:
        if before is None:
            vars(module).pop("forward", None)
        else:
            module.forward = before  # type: ignore[method-assign]

    return restore


def _sharing(forward: Callable[..., Any]) -> Callable[..., Any]:
    def shared(self: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            return forward(self, *args, **kwargs)
        with shared_inputs():
            return forward(self, *args, **kwargs)

    return shared


def _mlp(forward: Callable[..., Any]) -> Callable[..., Any]:
    def mlp(self: Any, x: Tensor) -> Any:
        if not _is_swiglu_in_int8(self, x):
            return forward(self, x)
        with shared_inputs():
            gate, up = self.gate_proj(x), self.up_proj(x)
            return self.down_proj(swiglu(gate, up))

    return mlp


def _is_swiglu_in_int8(mlp: Any, x: Tensor) -> bool:
    if x.dtype is not torch.bfloat16 or torch.compiler.is_compiling() or not _is_silu(mlp.act_fn):
        return False
    layers = [getattr(mlp, name) for name in _MLP]
    shape = layers[0].out_features, layers[0].in_features
    return all(map(multiplies_in_int8, layers)) and int8_order(x, shape, _BLOCKSIZE) is not None


def _is_silu(activation: Any) -> bool:
    return type(activation).__name__ in ("SiLU", "SiLUActivation")
