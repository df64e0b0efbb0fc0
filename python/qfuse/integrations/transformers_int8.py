"""Layers of a model of transformers whose products share what is rotated to INT8: q, k and v the rows of their input,
gate and up likewise; and SwiGLU blocks, whose y and gradients are quantized where they are made. A block is one whose
forward has the code of Llama's."""

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
    undo = [_replace(*each) for each in _layers(model)]

    def restore() -> None:
        for each in undo:
            each()

    return len(undo), restore


def _layers(model: nn.Module) -> Iterator[tuple[nn.Module, Callable[..., Any]]]:
    """Those that share, and their forward then."""
    for module in model.modules():
        # One that is no method, as accelerate makes them, is left alone.
        if not isinstance(module.forward, types.MethodType):
            continue
        forward = module.forward.__func__
        if _are_adapted(module, _MLP):
            yield module, _mlp(forward) if _is_swiglu(module) else _sharing(forward)
        elif _are_adapted(module, _ATTENTION):
            yield module, _sharing(forward)


def _are_adapted(module: nn.Module, names: Sequence[str]) -> bool:
    return all(_is_adapted(getattr(module, name, None)) for name in names)


def _is_adapted(layer: Any) -> bool:
    base = getattr(layer, "base_layer", None)
    return base is not None and is_base(base)


def _replace(module: nn.Module, forward: Callable[..., Any]) -> Callable[[], None]:
    """As a method, so that a copy of the module calls its own."""
    before = vars(module).get("forward")
    module.forward = types.MethodType(forward, module)

    def restore() -> None:
        if before is None:
            vars(module).pop("forward", None)
        else:
            module.forward = before

    return restore


def _sharing(forward: Callable[..., Any]) -> Callable[..., Any]:
    def shared(self: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            return forward(self, *args, **kwargs)
        with shared_inputs():
            return forward(self, *args, **kwargs)

    return shared


def _swiglu_forward(self, x):  # type: ignore[no-untyped-def]
    down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
    return down_proj  # noqa: RET504


def _swiglu_forward_at_once(self, x):  # type: ignore[no-untyped-def]
    return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def _is_swiglu(mlp: Any) -> bool:
    """By the class's own forward, in whose place liger-kernel's may be."""
    code = getattr(type(mlp).forward, "__code__", None)
    known = (each.__code__ for each in (_swiglu_forward, _swiglu_forward_at_once))
    return any(code is not None and _steps(code) == _steps(each) for each in known) and _is_silu(mlp.act_fn)


def _steps(code: types.CodeType) -> tuple[Any, ...]:
    return code.co_code, code.co_names, code.co_consts, code.co_argcount


def _mlp(forward: Callable[..., Any]) -> Callable[..., Any]:
    def mlp(self: Any, x: Tensor) -> Any:
        if not _is_in_int8(self, x):
            return forward(self, x)
        with shared_inputs():
            gate, up = self.gate_proj(x), self.up_proj(x)
            is_bfloat16 = gate.dtype is up.dtype is torch.bfloat16  # which autocast to another dtype makes float32
            return self.down_proj(swiglu(gate, up) if is_bfloat16 else self.act_fn(gate) * up)

    return mlp


def _is_in_int8(mlp: Any, x: Tensor) -> bool:
    if x.dtype is not torch.bfloat16 or torch.compiler.is_compiling():
        return False
    layers = [getattr(mlp, name) for name in _MLP]
    shape = layers[0].out_features, layers[0].in_features
    return all(map(multiplies_in_int8, layers)) and int8_order(x, shape, _BLOCKSIZE) is not None


def _is_silu(activation: Any) -> bool:
    return type(activation).__name__ in ("SiLU", "SiLUActivation")
