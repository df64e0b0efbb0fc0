"""Trains adapters for the merge: layers multiply by the weight that `qfuse merge --to` will write. Implements
qfuse.integrations.peft.merge_aware, which documents it."""

import warnings
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook

from ..layers.factors import bias_of, factor_of
from ..layers.inspection import is_hooked, is_plain
from ..layers.packed_linear import PackedLinear
from ..ops.gradients import is_autocast
from ..ops.merged import Merged, Target, multiply_merged, why_not
from ..weight.form import FLOAT_DTYPES
from ..weight.quant_state import is_repacked
from ..weight.weight_4bit import Weight4bit, without_torch_function
from .peft_forward import MERGED, compute_dtype_of, is_base, weight_of, why_not_factors

RECORD = "qfuse_merge"  # key within auto_mapping of adapter_config.json, which `qfuse merge` reads


class _MergeAware:
    """Precedes a class of peft's in the class of a merge-aware layer."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        y = _forward(self, x, *args, **kwargs)
        return super().forward(x, *args, **kwargs) if y is None else y  # type: ignore[misc]

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickles the layer by peft's class, because its own is in no module."""
        reduced: Any = super().__reduce_ex__(protocol)
        return _empty_layer, (type(self).__mro__[2],), *reduced[2:]


_classes: dict[type, Any] = {}  # by class of peft's


def _class_of(kind: type) -> Any:
    if kind not in _classes:
        _classes[kind] = type(kind.__name__, (_MergeAware, kind), {"__module__": __name__})
    return _classes[kind]


def _empty_layer(kind: type) -> Any:
    made = _class_of(kind)
    return made.__new__(made)


class _Adapted(NamedTuple):
    weight: Weight4bit | Tensor
    lora_a: Tensor
    lora_b: Tensor
    scaling: float


def _examine(layer: Any, x: Tensor | None = None) -> _Adapted | str:
    """Returns the weight and the adapter of a layer, or why its merged weight is not used. x: the input, in a call."""
    modules = layer._modules
    base, a_of, b_of = modules["base_layer"], modules["lora_A"]._modules, modules["lora_B"]._modules
    active = [name for name in layer.active_adapters if name in a_of]
    if len(active) != 1:
        return f"{len(active)} of its adapters are active, and one is merged"
    (name,) = active
    factors, dropout = (a_of[name], b_of[name]), modules["lora_dropout"]._modules[name]
    if reason := why_not_factors(layer, factors, dropout, name, 1, in_forward=x is not None):
        return reason
    if getattr(dropout, "p", 0):
        return f"its lora_dropout is {dropout.p}, which a merged weight cannot have"
    if is_hooked(base):
        return "its base layer has hooks, or a forward that was replaced"
    if is_repacked(getattr(base, "quant_state", None)):
        return "bitsandbytes has repacked its weight for its CPU kernels, and rounded it: load the model again"
    weight: Any = weight_of(base, layer, x) if is_base(base) else base._parameters.get("weight")
    if isinstance(weight, Tensor):
        if not is_plain(weight) or weight.dtype not in FLOAT_DTYPES:
            return f"its weight is a {type(weight).__name__} of {weight.dtype}"
        if weight.requires_grad:
            return "its base weight is trained, too"
    elif weight is None:
        return "its weight is not one that qfuse decodes"
    lora_a, lora_b = map(factor_of, factors)
    return _Adapted(weight, lora_a, lora_b, layer.scaling[name])


def _forward(layer: Any, x: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
    """Returns None where the layer does not apply its adapter, or does not yet multiply by its merged weight."""
    target = vars(layer).get(MERGED)
    if target is None or layer.disable_adapters or layer.merged_adapters:
        return None
    if args or any(value is not None for value in kwargs.values()):
        raise RuntimeError("a merge-aware layer takes no arguments besides its input, such as adapter_names")
    adapted = _examine(layer, x)
    if isinstance(adapted, str):
        raise RuntimeError(f"a merge-aware layer cannot multiply by its merged weight: {adapted}")
    base, dtype = layer._modules["base_layer"], _dtype_of(layer._modules["base_layer"], x)
    bias = bias_of(base)
    with without_torch_function():
        y = multiply_merged(x.to(dtype), adapted.weight, None if bias is None else bias.to(dtype), *adapted[1:], target)
    if not is_base(base):
        return y
    y = y.to(x.dtype)
    return y.to(torch.promote_types(y.dtype, dtype)) if is_autocast(x.device.type) else y


def _dtype_of(base: Any, x: Tensor) -> torch.dtype:
    if is_base(base):
        if not base.compute_type_is_set:  # like Linear4bit's own forward
            base.set_compute_type(x)
            base.compute_type_is_set = True
        return compute_dtype_of(base, x) or torch.float32
    return torch.get_autocast_dtype(x.device.type) if is_autocast(x.device.type) else x.dtype


def _target_of(layer: Any, target: Target) -> Target:
    """PackedLinear is the layer of compressed-tensors' checkpoints."""
    return target._replace(scales="nearest" if isinstance(layer.get_base_layer(), PackedLinear) else None)


def _is_of_merge(name: str, layer: Any, model: nn.Module, in_4bit: bool) -> str | None:
    """Returns why `qfuse merge --to` leaves the layer's weight in 16 bits."""
    base = layer.get_base_layer()
    if in_4bit and not is_base(base):
        return "it is not in 4 bits, and stays so"
    if not in_4bit and type(base) is not nn.Linear:
        return f"it is a {type(base).__name__}, which `qfuse merge` does not quantize"
    head = getattr(model, "get_output_embeddings", lambda: None)()
    return "it is the output head, which stays in 16 bits" if head is not None and head in (layer, base) else None


def merge_aware(
    model: nn.Module,
    to: Merged | None,
    from_step: int,
    blocksize: int,
    double_quant: bool,
    layers: Iterable[str] | None,
    keep_scales: bool,
) -> dict[str, str]:
    from peft.tuners.lora.layer import LoraLayer

    adapted = {name: module for name, module in model.named_modules() if isinstance(module, LoraLayer)}
    if to is None:
        _restore(model, adapted)
        return {}
    target, in_4bit = Target(to, blocksize, double_quant, keep_scales=keep_scales), any(map(is_base, model.modules()))
    ends = None if layers is None else tuple(f".{name}" for name in ([layers] if isinstance(layers, str) else layers))
    left: dict[str, str] = {}
    refused: dict[str, str] = {}
    for name, layer in adapted.items():
        if ends is not None and not f".{name}".endswith(ends):
            left[name] = "it is not among `layers`"
        elif reason := _is_of_merge(name, layer, model, in_4bit):
            left[name] = reason
        elif isinstance(found := _examine(layer), str):
            refused[name] = found
        elif reason := why_not(found.weight, target):
            (refused if in_4bit else left)[name] = reason
    if refused or len(left) == len(adapted):
        raise ValueError(_message(refused or left or {type(model).__name__: "it has no LoRA layer"}))
    chosen = [layer for name, layer in adapted.items() if name not in left]
    for layer in chosen:
        if not isinstance(layer, _MergeAware):
            layer.__class__ = _class_of(type(layer))
        setattr(layer, MERGED, None if from_step > 0 else _target_of(layer, target))
        _waiting.pop(layer, None)
    if from_step > 0:
        _drop_records(_active_configs(model))
        _Start(model, chosen, target, in_4bit, from_step)
    else:
        _record(model, target, in_4bit)
    _warn_unrecorded(model, target)
    return left


def _message(refused: dict[str, str]) -> str:
    name, reason = next(iter(refused.items()))
    others = f"; and {len(refused) - 1} others" if len(refused) > 1 else ""
    return f"cannot train for the merge: {name}: {reason}{others}"


def _restore(model: nn.Module, adapted: dict[str, Any]) -> None:
    for layer in adapted.values():
        if isinstance(layer, _MergeAware):
            layer.__class__ = type(layer).__mro__[2]
            delattr(layer, MERGED)
            _waiting.pop(layer, None)
    _drop_records(getattr(model, "peft_config", {}))


class _Start:
    """Makes layers multiply by their merged weights after a number of optimizer steps over their adapters, whose config
    does not say so before."""

    def __init__(self, model: nn.Module, layers: list[Any], target: Target, in_4bit: bool, steps: int) -> None:
        self._model, self._target, self._in_4bit, self._left = weakref.ref(model), target, in_4bit, steps
        _waiting.update(dict.fromkeys(layers, self))
        register_optimizer_step_post_hook(self)

    def __call__(self, optimizer: Optimizer, *_: Any) -> None:
        layers = [layer for layer, start in _waiting.items() if start is self]
        ours = {id(parameter) for layer in layers for parameter in layer.parameters()}
        if not any(id(parameter) in ours for group in optimizer.param_groups for parameter in group["params"]):
            return
        self._left -= 1
        if self._left > 0:
            return
        for layer in layers:
            setattr(layer, MERGED, _target_of(layer, self._target))
            del _waiting[layer]  # the hook stays registered: torch iterates over its hooks now
        if (model := self._model()) is not None:
            _record(model, self._target, self._in_4bit)


_waiting: weakref.WeakKeyDictionary[Any, _Start] = weakref.WeakKeyDictionary()  # a later merge_aware() replaces a start


def _record(model: nn.Module, target: Target, in_4bit: bool) -> None:
    """Writes the target to the adapters' configs. peft loads auto_mapping as it is, whatever its version, and reads it
    only for an adapter without a task_type, for which it replaces it on saving."""
    own = {} if in_4bit or target.to == "fp8" else {"block_size": target.blocksize, "double_quant": target.double_quant}
    own |= {"keep_scales": True} if target.keep_scales else {}
    for config in _active_configs(model).values():
        config.auto_mapping = {
            **(config.auto_mapping or {}),
            RECORD: {"to": target.to, "base": "4-bit" if in_4bit else "16-bit", **own},
        }


def _drop_records(configs: dict[str, Any]) -> None:
    for config in configs.values():
        if config.auto_mapping:
            config.auto_mapping.pop(RECORD, None)


def _warn_unrecorded(model: nn.Module, target: Target) -> None:
    for name, config in _active_configs(model).items():
        if config.task_type is None:
            warnings.warn(
                f"the config of the adapter {name!r} has no task_type, so peft does not save that it was trained for "
                f"a merge to {target.to}: `qfuse merge` needs --fail-below 0",
                stacklevel=4,
            )


def _active_configs(model: nn.Module) -> dict[str, Any]:
    configs: dict[str, Any] = getattr(model, "peft_config", {})
    return {name: configs[name] for name in getattr(model, "active_adapters", ())}
