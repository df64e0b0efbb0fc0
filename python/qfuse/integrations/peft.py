"""peft on qfuse: a LoRA adapter over a Linear4bit of bitsandbytes, forward and backward, in few kernels.

peft multiplies by the base weight in the layer's compute_dtype, casts the input to the adapter's dtype, float32 by
default, multiplies by A, by B and by the scale there, casts what comes of it and adds it. Here the adapter is rounded
to the compute_dtype, and its share is added to the sums of the base weight before they are rounded, or, on a GPU where
there are more than 256 rows, to the product: see qfuse.matmul_4bit_lora, which says what is rounded where. Results
differ from peft's by such roundings.

A layer that qfuse does not cover goes to peft's own code, which is unchanged: uncovered(model) says which, and why.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.modules.module import _has_any_global_hook as _has_global_hooks

from ..functional import multiply_with_lora
from ..quant_state import FLOAT_DTYPES, Arguments, decodable_weight
from .patch import Patch, Patches

__all__ = ["disable", "enable", "enabled", "uncovered"]


_BASES = ("Linear4bit", "LinearNF4", "LinearFP4")


def _is_changed(module: nn.Module) -> bool:
    """Whether something is called beside its forward, or in its place, as by accelerate where layers are on several
    devices."""
    hooks = (module._forward_hooks, module._forward_pre_hooks, module._backward_hooks, module._backward_pre_hooks)
    forward = type(module).forward
    own = forward.__module__.startswith(("torch.nn.", "bitsandbytes.")) and not hasattr(forward, "__wrapped__")
    return any(hooks) or "forward" in module.__dict__ or not own


class _Covered(NamedTuple):
    adapter: str
    weight: Arguments


def _examine(layer: Any) -> _Covered | str:
    """Of a layer of peft's its adapter and weight, or why it goes to peft, as it is now."""
    if layer.disable_adapters:
        return "its adapters are disabled"
    if layer.merged:
        return "an adapter is merged into it"
    active = [name for name in layer.active_adapters if name in layer.lora_A]
    if len(active) != 1:
        return f"{len(active)} of its adapters are active"
    (name,) = active
    if name in getattr(layer, "lora_variant", ()) or getattr(layer, "use_dora", {}).get(name):
        return "its adapter is more than A and B, as that of DoRA"
    base, lora_a, lora_b, dropout = layer.base_layer, layer.lora_A[name], layer.lora_B[name], layer.lora_dropout[name]
    if type(lora_a) is not nn.Linear or type(lora_b) is not nn.Linear or lora_b.bias is not None:
        return "its adapter has a bias, or layers of another kind"
    if type(base).__name__ not in _BASES or not type(base).__module__.startswith("bitsandbytes."):
        return f"its base layer is a {type(base).__module__}.{type(base).__name__}"
    if type(dropout) not in (nn.Identity, nn.Dropout) or getattr(dropout, "inplace", False):
        return f"its dropout is {dropout}"
    if any(_is_changed(module) for module in (base, lora_a, lora_b, dropout)):
        return "a layer inside of it has hooks, or a forward that was replaced"
    weight = _weight_of(base)
    return "its weight is not one that qfuse decodes" if weight is None else _Covered(name, weight)


def _weight_of(base: Any) -> Arguments | None:
    quant_state = getattr(base.weight, "quant_state", None)
    if quant_state is None or getattr(quant_state, "packing_format_for_cpu", False):
        return None
    weight = decodable_weight(base.weight, quant_state)
    return weight if weight is not None and len(weight[1]) == 2 else None


def _forward(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    # What peft is given beside x chooses adapters by sample.
    if args or any(value is not None for value in kwargs.values()) or _has_global_hooks():
        return None
    covered = _examine(self)
    if isinstance(covered, str):
        return None
    (name, weight), base = covered, self.base_layer
    if not base.compute_type_is_set:  # as Linear4bit's own forward does
        base.set_compute_type(x)
        base.compute_type_is_set = True
    dtype = x.dtype if base.compute_dtype is None else base.compute_dtype
    if dtype == torch.float32 and torch.is_autocast_enabled(x.device.type):
        dtype = torch.get_autocast_dtype(x.device.type)
    if dtype not in FLOAT_DTYPES or x.device != base.weight.device or x.shape[-1:] != weight[1][1:]:
        return None
    given = x.to(dtype)
    dropout = self.lora_dropout[name]
    lora_x = dropout(given) if isinstance(dropout, nn.Dropout) and dropout.training and dropout.p > 0 else None
    bias = None if base.bias is None else base.bias.to(dtype)
    lora_a, lora_b = self.lora_A[name].weight, self.lora_B[name].weight
    return multiply_with_lora(given, weight, bias, lora_a, lora_b, self.scaling[name], lora_x).to(x.dtype)


def _layers(model: nn.Module) -> Iterator[tuple[str, Any]]:
    from peft.tuners.lora.bnb import Linear4bit

    for name, module in model.named_modules():
        if isinstance(module, Linear4bit):
            yield name, module


def uncovered(model: nn.Module) -> dict[str, str]:
    """The layers of a model with LoRA over a Linear4bit that go to peft's own code, and why, as they are now."""
    found = {name: _examine(layer) for name, layer in _layers(model)}
    return {name: reason for name, reason in found.items() if isinstance(reason, str)}


_patches = Patches(Patch("peft.tuners.lora.bnb", "Linear4bit.forward", _forward))
enable, disable, enabled = _patches.enable, _patches.disable, _patches.enabled
