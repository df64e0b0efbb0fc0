"""peft's LoRA over 4-bit experts: patches ParamWrapper, peft's layer that adapts one parameter of a module."""

import functools
from typing import Any

import torch
from torch import Tensor, nn

from .. import versions
from ..layers.experts import Adapter, Stack4bit, stack_of
from ..patching.patch import Patch, Patches, Report


def is_stack(module: nn.Module) -> bool:
    """Whether a module is an adapter over 4-bit experts, which qfuse always computes."""
    return type(module).__name__ == "ParamWrapper" and _stack_under(module) is not None


def _stack_under(wrapper: Any) -> Stack4bit | None:
    """Returns the stack of 4-bit experts that a ParamWrapper adapts, or None."""
    stack = stack_of(wrapper.get_base_layer(), wrapper.parameter_name)
    if stack is not None and not torch.compiler.is_compiling():  # torch 2.11 cannot trace the look-up of versions
        _require_sides()
    return stack


@functools.cache
def _require_sides() -> None:
    """Requires a recent peft: over a square stack, an older peft's A and B would fit but mean another adapter."""
    versions.require("peft, LoRA over experts")


def _features_of_stack(self: Any, module: nn.Module) -> tuple[int, int] | None:
    """Like the original, returns the last two dimensions and records the parameter's: the weight's, not the codes'."""
    stack = _stack_under(self)
    if stack is None:
        return None
    self.num_experts, *features = stack.shape
    self._param_ndim = len(stack.shape)
    return features[0], features[1]


def _forward_of_stack(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Passes the adapter to experts_forward, through the wrappers of the module's other parameters."""
    if _stack_under(self) is None or self.disable_adapters or self.merged or kwargs.get("adapter_names") is not None:
        return None
    active = [name for name in self.active_adapters if name in self.lora_A]
    if not active:
        return None
    others = kwargs.pop("qfuse_lora", None) or {}
    own = {self.parameter_name: _adapter_of_stack(self, active)}
    result: Tensor = self.base_layer(x, *args, qfuse_lora=others | own, **kwargs)
    return result


def _adapter_of_stack(wrapper: Any, names: list[str]) -> Adapter:
    """Returns A [experts, rank, k] and B [experts, n, rank]. peft's B is [n, rank * experts], experts innermost."""
    experts = wrapper.num_experts
    lora_as, lora_bs = [], []
    for name in names:
        lora_a, lora_b = wrapper.lora_A[name].weight, wrapper.lora_B[name].weight
        lora_as.append(lora_a.view(experts, -1, lora_a.shape[1]))
        lora_bs.append(lora_b.view(lora_b.shape[0], -1, experts).permute(2, 0, 1))
    if len(names) == 1:
        return lora_as[0], lora_bs[0], wrapper.scaling[names[0]]
    scaled_bs = [lora_b * wrapper.scaling[name] for name, lora_b in zip(names, lora_bs, strict=True)]
    return torch.cat(lora_as, 1), torch.cat(scaled_bs, 2), 1.0


def _refuse_to_merge(self: Any, *args: Any, **kwargs: Any) -> None:
    if _stack_under(self) is not None:
        raise ValueError(
            f"{self.parameter_name} is in 4 bits, into which no adapter can be merged: load the model in 16 bits, "
            "put the adapter over it, and merge there"
        )


def _refuse_to_merge_any(self: Any) -> None:
    """Refuses to merge a tuner before it has merged its first layers."""
    for module in self.model.modules():
        if type(module).__name__ == "ParamWrapper":
            _refuse_to_merge(module)


_stacks = Patches(
    Patch("peft.tuners.lora.layer", "ParamWrapper._get_in_out_features", _features_of_stack),
    Patch("peft.tuners.lora.layer", "ParamWrapper.forward", _forward_of_stack),
    Patch("peft.tuners.lora.layer", "ParamWrapper.merge", _refuse_to_merge),
    Patch("peft.tuners.lora.layer", "ParamWrapper.unmerge", _refuse_to_merge),
    Patch("peft.tuners.lora.model", "LoraModel._check_merge_allowed", _refuse_to_merge_any),
    library="peft",
)


def cover_stacks() -> Report:
    """Patches peft's functions that would use codes as a weight, permanently."""
    return _stacks.enable(stacklevel=3)


report = _stacks.report
