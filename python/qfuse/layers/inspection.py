"""Whether a module is no more than its weights, so that these may be read past it."""

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
    """Whether something is called beside its forward, or in its place: a user's hook, accelerate's where layers are
    offloaded or on several devices, FSDP's, that of torch.nn.utils.prune or weight_norm."""
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
    """Whether it is of one of these very classes, which a parametrized module is not, and not hooked."""
    return type(module) in kinds and not is_hooked(module)


def is_bare_linear(module: nn.Module, in_forward: bool = True) -> bool:
    """A bare nn.Linear without a bias, whose weight is torch's own, no part as a DTensor, except a Factor's, and except
    FSDP's before a forward."""
    if module._parameters.get("bias", module) is not None:
        return False
    if type(module) is Factor:
        return not has_hooks(module)
    weight = module._parameters.get("weight")
    if not in_forward:
        weight = getattr(weight, "_local_tensor", weight)
    return is_bare(module, nn.Linear) and weight is not None and is_plain(weight)


def is_bitsandbytes_linear(module: Any) -> bool:
    """Over a 4-bit weight: by names, so that nothing is imported."""
    kind = type(module)
    return kind.__name__ in ("Linear4bit", "LinearNF4", "LinearFP4") and kind.__module__.startswith("bitsandbytes.")


def is_dropping(module: Any) -> bool:
    """Of a dropout or what stands for none."""
    return isinstance(module, nn.Dropout) and module.training and module.p > 0


def is_plain(tensor: Tensor) -> bool:
    """Not a FakeTensor, a DTensor or another subclass with ops of its own, to which plain tensors are strangers."""
    return type(tensor).__torch_dispatch__ is Tensor.__torch_dispatch__
