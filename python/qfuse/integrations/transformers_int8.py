"""Shares rotated INT8 inputs between products of a transformers model: q, k and v share their input, and so do gate and
up. SwiGLU blocks quantize y and gradients in the kernel that makes them. An MLP is a SwiGLU block if the code of its
forward is Llama's."""

import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ..layers.inspection import has_hooks
from ..ops.gradients import is_watched
from ..ops.orders import int8_order
from ..ops.rotated_products import shared_inputs
from ..ops.rotated_swiglu import swiglu
from .peft_forward import examine, is_base, multiplies_in_int8

_ATTENTION = "q_proj", "k_proj", "v_proj"
_MLP = "gate_proj", "up_proj", "down_proj"
_BEFORE = "_qfuse_before"  # attribute of a replacement forward: the original
_BLOCKSIZE = 64  # bitsandbytes' default; decides which numbers of rows are too few for INT8


class Shared(NamedTuple):
    """Numbers of modules that share a rotated input, and of SwiGLU blocks that quantize their outputs."""

    attentions: int = 0
    mlps: int = 0
    swiglus: int = 0

    def __str__(self) -> str:
        return (
            f"q, k and v of one rotation in {self.attentions} layers, gate and up in {self.mlps}; "
            f"SwiGLU quantizes what it makes in {self.swiglus}"
        )


def share_rotated(model: nn.Module) -> Shared:
    """Makes a model's layers share rotated inputs until restore_rotated(). Returns how many do."""
    counts = [0, 0, 0]
    for module in model.modules():
        forward = _own_forward(module)
        if forward is None:
            continue
        if _are_adapted(module, _MLP):
            is_swiglu = _is_swiglu(module, forward)
            _replace(module, forward, _mlp(forward) if is_swiglu else _sharing(forward))
            counts[1] += 1
            counts[2] += is_swiglu
        elif _are_adapted(module, _ATTENTION):
            _replace(module, forward, _sharing(forward))
            counts[0] += 1
    return Shared(*counts)


def restore_rotated(model: nn.Module) -> None:
    """Undoes share_rotated(), also in a copy of the model."""
    for module in model.modules():
        before = getattr(module.forward, _BEFORE, None)
        if before is None:
            continue
        vars(module).pop("forward")
        if before is not type(module).forward:
            module.forward = types.MethodType(before, module)


def _own_forward(module: nn.Module) -> Callable[..., Any] | None:
    """Returns the function of the module's forward if that is a method bound to it and not replaced yet."""
    forward = module.forward
    if not isinstance(forward, types.MethodType) or forward.__self__ is not module or hasattr(forward, _BEFORE):
        return None
    return forward.__func__


def _are_adapted(module: nn.Module, names: Sequence[str]) -> bool:
    return all(_is_adapted(getattr(module, name, None)) for name in names)


def _is_adapted(layer: Any) -> bool:
    base = getattr(layer, "base_layer", None)
    return base is not None and is_base(base)


def _replace(module: nn.Module, before: Callable[..., Any], forward: Callable[..., Any]) -> None:
    """Sets forward as a bound method, so that copies call their own, restore_rotated() finds it and pickling works."""
    setattr(forward, _BEFORE, before)
    forward.__name__ = "forward"
    module.forward = types.MethodType(forward, module)


def _sharing(before: Callable[..., Any]) -> Callable[..., Any]:
    def shared(self: Any, *args: Any, **kwargs: Any) -> Any:
        if torch.compiler.is_compiling():
            return before(self, *args, **kwargs)
        with shared_inputs():
            return before(self, *args, **kwargs)

    return shared


def _swiglu_forward(self, x):  # type: ignore[no-untyped-def]
    down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
    return down_proj  # noqa: RET504


def _swiglu_forward_at_once(self, x):  # type: ignore[no-untyped-def]
    return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def _is_swiglu(mlp: Any, forward: Callable[..., Any]) -> bool:
    """Compares the code of the class's own forward, which liger-kernel may have replaced in the instance."""
    of_class = type(mlp).forward
    if forward is not of_class and not forward.__module__.startswith("liger_kernel."):
        return False
    code = getattr(of_class, "__code__", None)
    known = (each.__code__ for each in (_swiglu_forward, _swiglu_forward_at_once))
    return any(code is not None and _steps(code) == _steps(each) for each in known) and _is_silu(mlp.act_fn)


def _steps(code: types.CodeType) -> tuple[Any, ...]:
    return code.co_code, code.co_names, code.co_consts, code.co_argcount


def _mlp(before: Callable[..., Any]) -> Callable[..., Any]:
    def mlp(self: Any, x: Tensor) -> Any:
        if torch.compiler.is_compiling():
            return before(self, x)
        with shared_inputs():
            if not _is_in_int8(self, x):
                return before(self, x)
            gate, up = self.gate_proj(x), self.up_proj(x)
            is_bfloat16 = gate.dtype is up.dtype is torch.bfloat16  # false under autocast to another dtype
            return self.down_proj(swiglu(gate, up) if is_bfloat16 else self.act_fn(gate) * up)

    return mlp


def _is_in_int8(mlp: Any, x: Tensor) -> bool:
    """Whether qfuse multiplies in INT8 in all three layers."""
    if x.dtype is not torch.bfloat16 or is_watched() or _is_changed(mlp.act_fn):
        return False
    layers = [getattr(mlp, name) for name in _MLP]
    shape = layers[0].out_features, layers[0].in_features
    if not all(map(multiplies_in_int8, layers)) or int8_order(x, shape, _BLOCKSIZE) is None:
        return False
    return not any(_is_changed(layer) or isinstance(examine(layer, x), str) for layer in layers)


def _is_changed(module: nn.Module) -> bool:
    """Whether a module has hooks or a replaced forward."""
    return has_hooks(module) or "forward" in module.__dict__


def _is_silu(activation: Any) -> bool:
    kind = type(activation)
    return kind is nn.SiLU or (kind.__module__, kind.__name__) == ("transformers.activations", "SiLUActivation")
