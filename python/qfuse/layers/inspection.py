"""Checks whether a module only applies its weights, so that these may be used without calling it."""

from typing import Any

from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook as has_global_hooks

from .factors import Factor

__all__ = [
    "has_global_hooks",
    "has_hooks",
    "is_bare",
    "is_bare_linear",
    "is_bitsandbytes_linear",
    "is_dropping",
    "is_hooked",
    "is_plain",
]

_OWN = ("torch.nn.", "bitsandbytes.", "qfuse.")


def is_hooked(module: nn.Module) -> bool:
    """Whether a module has hooks or a replaced forward: a user's, accelerate's for layers that are offloaded or on
    several devices, FSDP's, or those of torch.nn.utils.prune or weight_norm."""
    forward = type(module).forward
    return bool(
        has_hooks(module)
        or "forward" in module.__dict__
        or not forward.__module__.startswith(_OWN)
        or hasattr(forward, "__wrapped__")
    )


def has_hooks(module: nn.Module) -> bool:
    return bool(
        module._forward_pre_hooks or module._forward_hooks or module._backward_hooks or module._backward_pre_hooks
    )


def is_bare(module: nn.Module, *kinds: type[nn.Module]) -> bool:
    """Whether a module is not hooked and is of exactly one of these classes, which excludes parametrized modules."""
    return type(module) in kinds and not is_hooked(module)


def is_bare_linear(module: nn.Module, in_forward: bool = True) -> bool:
    """Whether a module is a bare nn.Linear without a bias and with a plain weight. A DTensor is accepted only in a
    Factor or, outside a forward, from FSDP."""
    if module._parameters.get("bias", module) is not None:
        return False
    if type(module) is Factor:
        return not has_hooks(module)
    weight = module._parameters.get("weight")
    if not in_forward:
        weight = getattr(weight, "_local_tensor", weight)
    return is_bare(module, nn.Linear) and weight is not None and is_plain(weight)


def is_bitsandbytes_linear(module: Any) -> bool:
    """Whether a module is a 4-bit linear layer of bitsandbytes. Compares names, to avoid the import."""
    kind = type(module)
    return kind.__name__ in ("Linear4bit", "LinearNF4", "LinearFP4") and kind.__module__.startswith("bitsandbytes.")


def is_dropping(module: Any) -> bool:
    """Whether a module is a dropout that is active now."""
    return isinstance(module, nn.Dropout) and module.training and module.p > 0


def is_plain(tensor: Tensor) -> bool:
    """Whether a tensor is no FakeTensor, DTensor or other subclass with its own __torch_dispatch__."""
    return type(tensor).__torch_dispatch__ is Tensor.__torch_dispatch__
