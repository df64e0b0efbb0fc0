"""peft on qfuse: a LoRA adapter over a Linear4bit of bitsandbytes, forward and backward, in few kernels.

peft multiplies by the base weight in the layer's compute_dtype, casts the input to the adapter's dtype, float32 by
default, multiplies by A, by B and by the scale there, casts what comes of it and adds it. Here the adapter is rounded
to the compute_dtype, and its share is added to the sums of the base weight before they are rounded, or, on a GPU where
there are more than 256 rows, to the product: see qfuse.matmul_4bit_lora, which says what is rounded where. Results
differ from peft's by such roundings.

register(config) is peft's own hook: the layers that peft makes by this LoraConfig are qfuse's, and nothing is replaced.
enable() replaces the forward of peft's classes, for adapters that are attached already and for code that makes its own
LoraConfig.

A call that needs no gradient goes to peft's own code where bitsandbytes' product is the faster one: on GPUs other than
Hopper.

A layer that qfuse does not cover goes to peft's own code, which is unchanged: uncovered(model) says which, and why. So
does float32, where the two would differ by roundings for nothing.

Over experts that qfuse.quantize_experts has quantized, peft's own code would take uint8 codes for a weight. There
cover_stacks(), which quantize_experts calls, makes the adapter's shapes those of the weight, and the product
qfuse.matmul_4bit_grouped_lora. It is no choice that could be wrong or slow elsewhere, so enable() and disable() have
nothing to do with it.
"""

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor, nn

from .. import versions
from ..factors import bias_of, factor_of
from ..functional import is_slower_than_bitsandbytes, multiply_with_lora, scaled
from ..gradients import is_autocast, needs_gradient
from ..linear import Linear4bit
from ..modules import (
    has_global_hooks,
    is_bare,
    is_bare_linear,
    is_bitsandbytes_linear,
    is_dropping,
    is_hooked,
    is_plain,
)
from ..parameter import Weight4bitTensor
from ..quant_state import (
    FLOAT_DTYPES,
    Arguments,
    decodable_weight,
    is_repacked,
    read_arguments,
    refuse_cast,
    unpacked_weight,
)
from .experts import Adapter, Stack4bit, stack_of
from .hook import Way
from .patch import Patch, Patches, Report

__all__ = ["disable", "enable", "enabled", "register", "report", "uncovered"]

Config = TypeVar("Config")


def _is_base(module: Any) -> bool:
    return type(module) is Linear4bit or is_bitsandbytes_linear(module)


class _Covered(NamedTuple):
    adapters: list[str]
    weight: Arguments


def _examine(layer: Any, x: Tensor | None = None) -> _Covered | str:
    """Of a layer of peft's its adapters and weight, or why it goes to peft, as it is now. x: of a call."""
    if layer.disable_adapters:
        return "its adapters are disabled"
    if layer.merged_adapters:
        return "an adapter is merged into it"
    modules = layer._modules  # torch's search for what is not in __dict__ takes longer
    base, a_of, b_of = modules["base_layer"], modules["lora_A"]._modules, modules["lora_B"]._modules
    if not _is_base(base):
        return f"its base layer is a {type(base).__module__}.{type(base).__name__}"
    active = [name for name in layer.active_adapters if name in a_of]
    if not active:
        return "none of its adapters is active"
    for name in active:
        dropout = modules["lora_dropout"]._modules[name]
        reason = _why_not(layer, (a_of[name], b_of[name]), dropout, name, len(active), in_forward=x is not None)
        if reason:
            return reason
    if is_hooked(base):
        return "its base layer has hooks, or a forward that was replaced"
    if x is not None and not base.compute_type_is_set:  # as Linear4bit's own forward does
        base.set_compute_type(x)
        base.compute_type_is_set = True
    if base.compute_dtype is torch.float32 and not is_autocast(base.weight.device.type):
        return "it computes in float32"
    weight = _weight_of(base, layer, x)
    return "its weight is not one that qfuse decodes" if weight is None else _Covered(active, weight)


def _why_not(layer: Any, factors: tuple[Any, Any], dropout: Any, name: str, count: int, in_forward: bool) -> str | None:
    if name in getattr(layer, "lora_variant", ()) or getattr(layer, "use_dora", {}).get(name):
        return "its adapter is more than A and B, as that of DoRA"
    if not all(is_bare_linear(factor, in_forward) for factor in factors):
        return "its adapter has a bias, hooks, a parametrization, or layers of another kind"
    if not is_bare(dropout, nn.Identity, nn.Dropout) or getattr(dropout, "inplace", False):
        return f"its dropout is {dropout}, or has hooks"
    if count > 1 and is_dropping(dropout):
        return f"{count} of its adapters are active, each with a dropout of its own"
    return None


def _weight_of(base: Any, layer: Any, x: Tensor | None) -> Arguments | None:
    weight = base._parameters.get("weight")
    part = getattr(weight, "_local_tensor", None)
    if x is None and part is not None:  # FSDP's, of a weight that is whole in each forward
        is_own = isinstance(part, Weight4bitTensor)
        return part.whole_form(weight.shape) if is_own else read_arguments(part, base.quant_state)
    if isinstance(weight, Weight4bitTensor):
        return weight.quant_state
    if weight is None or not is_plain(weight):
        return None
    state = getattr(weight, "quant_state", None)
    if state is None:
        state = base.quant_state
        if state is None:
            return None
        if x is not None:
            weight = _with_state(base)
    if is_repacked(state):  # bitsandbytes' own product of it has no gradient
        is_trained = torch.is_grad_enabled() if x is None else needs_gradient(x, *layer.parameters())
        return unpacked_weight(weight, state) if is_trained else None
    refuse_cast(weight, state, base)
    found = decodable_weight(weight, state)
    return found if found is not None and len(found[1]) == 2 else None


def _with_state(base: Any) -> Tensor:
    """As bitsandbytes' forward does where a weight has become a plain one, under FSDP or in a copy of a loaded model:
    who merges or copies the model next needs it so."""
    from bitsandbytes.nn.modules import fix_4bit_weight_quant_state_from_module

    fix_4bit_weight_quant_state_from_module(base)
    mended: Tensor = base._parameters["weight"]
    return mended


def _forward(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    # What peft is given beside x chooses adapters by sample.
    if args or any(value is not None for value in kwargs.values()) or has_global_hooks():
        return None
    covered = _examine(self, x)
    if isinstance(covered, str):
        return None
    weight, base = covered.weight, self._modules["base_layer"]
    dtype = _compute_dtype(base, x)
    if dtype is None or x.device != weight[0][0].device or x.shape[-1:] != weight[1][1:]:
        return None
    given = x.to(dtype)
    is_slower = is_slower_than_bitsandbytes(given, weight[1], weight[4]) and is_bitsandbytes_linear(base)
    if is_slower and not needs_gradient(x, *self.parameters()):
        return None
    bias = bias_of(base)
    bias = None if bias is None else bias.to(dtype)
    return multiply_with_lora(given, weight, bias, *_adapter(self, covered.adapters, given)).to(x.dtype)


def _compute_dtype(base: Any, x: Tensor) -> torch.dtype | None:
    """None for one that is left to peft."""
    dtype = x.dtype if base.compute_dtype is None else base.compute_dtype
    if dtype is torch.float32:
        kind = x.device.type
        dtype = torch.get_autocast_dtype(kind) if is_autocast(kind) else None
    return dtype if dtype in FLOAT_DTYPES else None


def _adapter(layer: Any, names: list[str], x: Tensor) -> tuple[Tensor, Tensor, float, Tensor | None]:
    """A, B, the scale and, where it is not x, what A sees. Several adapters are one of their ranks' sum."""
    modules, scaling = layer._modules, layer.scaling
    a_of, b_of = modules["lora_A"]._modules, modules["lora_B"]._modules
    if len(names) > 1:
        lora_a = torch.cat([factor_of(a_of[name]) for name in names])
        return lora_a, torch.cat([factor_of(b_of[name]) * scaling[name] for name in names], 1), 1.0, None
    (name,) = names
    dropout = modules["lora_dropout"]._modules[name]
    lora_b, factor = scaled(factor_of(b_of[name]), scaling[name])
    return factor_of(a_of[name]), lora_b, factor, dropout(x) if is_dropping(dropout) else None


def _layers(model: nn.Module) -> Iterator[tuple[str, Any]]:
    """Those over a Linear4bit; peft's generic kind where the model does not say is_loaded_in_4bit."""
    from peft.tuners.lora.bnb import Linear4bit
    from peft.tuners.lora.layer import Linear

    for name, module in model.named_modules():
        if isinstance(module, Linear4bit) or (isinstance(module, Linear) and _is_base(module.get_base_layer())):
            yield name, module


def uncovered(model: nn.Module) -> dict[str, str]:
    """The layers of a model with LoRA over a Linear4bit that go to peft's own code, and why, as they are now. A model
    without such a layer is named by its class."""
    found = {name: _examine(layer) for name, layer in _layers(model)}
    if not found and not any(_is_stack(module) for module in model.modules()):
        in_4bit = any(_is_base(module) for module in model.modules())
        reason = "no adapter of LoRA's is over a layer in 4 bits" if in_4bit else "no layer of this model is in 4 bits"
        return {type(model).__name__: reason}
    return {name: reason for name, reason in found.items() if isinstance(reason, str)}


def _is_stack(module: nn.Module) -> bool:
    """An adapter over experts in 4 bits, which is always qfuse's."""
    return type(module).__name__ == "ParamWrapper" and _stack_under(module) is not None


def forward_of_any(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Most layers of the generic kind are over a plain nn.Linear."""
    return _forward(self, x, *args, **kwargs) if _is_base(self._modules["base_layer"]) else None


def forward_of_bnb(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """In the dtype that peft's sum has, which under autocast is that of two addends."""
    y = _forward(self, x, *args, **kwargs)
    if y is None or not torch.is_autocast_enabled():  # CUDA's, which peft asks for wherever x is
        return y
    return y.to(torch.promote_types(y.dtype, torch.get_autocast_dtype(x.device.type)))


_patches = Patches(
    Patch("peft.tuners.lora.bnb", "Linear4bit.forward", forward_of_bnb),
    Patch("peft.tuners.lora.layer", "Linear.forward", forward_of_any),
    library="peft",
)
enable, disable, enabled = _patches.enable, _patches.disable, _patches.enabled


def register(config: Config) -> Config:
    """Has a LoraConfig make qfuse's layers over a Linear4bit, and gives it back.

        model = peft.get_peft_model(model, register(peft.LoraConfig(r=16, target_modules="all-linear")))
        model = peft.PeftModel.from_pretrained(model, path, config=register(peft.LoraConfig.from_pretrained(path)))

    What peft saves does not say so. It is a private method of peft's that takes them, which calls itself experimental.
    """
    versions.require("peft")
    from .peft_layers import LAYERS

    config._register_custom_module(LAYERS)  # type: ignore[attr-defined]
    return config


def report(model: nn.Module | None = None) -> Report:
    """What is replaced now; of a model, which way each layer with LoRA over a Linear4bit goes, as it is now."""
    if model is None:
        return _patches.report() + _stacks.report()
    left = uncovered(model)
    ways = {name: way for name, layer in _layers(model) if (way := _way_of(layer))}
    why = "another forward has replaced qfuse's" if _patches.is_enabled else "enable() has not been called"
    left |= {name: why for name, layer in _layers(model) if name not in left | ways}
    return Report({name: way for name, way in ways.items() if name not in left}, left)


def _way_of(layer: nn.Module) -> Way | None:
    if type(layer).__module__ == f"{__package__}.peft_layers":
        return "hook"
    owner = next(each for each in type(layer).__mro__ if "forward" in vars(each))
    place = f"{owner.__module__}.{owner.__qualname__}.forward"
    return "patch" if any(each.split(",")[0] == place for each in _patches.report().replaced) else None


def _stack_under(wrapper: Any) -> Stack4bit | None:
    """Of a ParamWrapper, which adapts one parameter of a module."""
    stack = stack_of(wrapper.get_base_layer(), wrapper.parameter_name)
    if stack is not None and not torch.compiler.is_compiling():  # torch 2.11 cannot trace how versions are looked up
        _require_sides()
    return stack


@functools.cache
def _require_sides() -> None:
    """Over a square stack an older peft's A and B would fit, and be another adapter."""
    versions.require("peft, LoRA over experts")


def _features_of_stack(self: Any, module: nn.Module) -> tuple[int, int] | None:
    """As the original: the last two dimensions, and what it notes of the parameter. The codes' shape is another."""
    stack = _stack_under(self)
    if stack is None:
        return None
    self.num_experts, *features = stack.shape
    self._param_ndim = len(stack.shape)
    return features[0], features[1]


def _forward_of_stack(self: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Hands the adapter on to experts_forward, through the wrappers of the module's other parameters."""
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
    """A [experts, rank, k], B [experts, n, rank]. peft's B has the experts innermost: [n, rank * experts]."""
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
    """Of a tuner, before it has merged the first layers."""
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
    """What of peft must know that codes are no weight; for good."""
    return _stacks.enable(stacklevel=3)
