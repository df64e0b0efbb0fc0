"""Tensor-parallel plans for the 4-bit layers of transformers' models."""

import re
import warnings
from typing import Any

from torch import nn
from torch.distributed.tensor.parallel import ParallelStyle

from .names import name_in_files
from .tensor_parallel import ColwiseLinear4bit, RowwiseLinear4bit, is_layer


def tensor_parallel_plan(model: nn.Module) -> dict[str, ParallelStyle]:
    """Returns a plan for parallelize_module that follows the tp_plan of a transformers model.

        parallelize_module(model, mesh["tp"], qfuse.distributed.tensor_parallel_plan(model))

    "colwise" becomes ColwiseLinear4bit and "rowwise" RowwiseLinear4bit; a layer's peft adapters are sharded with it.
    Layers that are not 4-bit stay whole on each rank.

    Raises ValueError if the model has no tp_plan, if the plan names no 4-bit layer, or if it has another style for one.
    """
    base_of: Any = getattr(model, "get_base_model", None)
    plain = model if base_of is None else base_of()
    rules: dict[str, str] = getattr(plain, "tp_plan", None) or getattr(plain, "_tp_plan", None) or {}
    if not rules:
        raise ValueError(f"{type(plain).__name__} has no tp_plan: name its layers to parallelize_module yourself")
    found: dict[str, ParallelStyle] = {}
    for name, module in model.named_modules():
        rule = next((rules[key] for key in rules if re.fullmatch(_pattern(key), name_in_files(name))), None)
        if rule == "replicated_with_grad_allreduce" and any(each.requires_grad for each in module.parameters()):
            warnings.warn(f"each rank will have a part of the gradient of {name} alone: freeze it", stacklevel=2)
        if rule is not None and is_layer(module) and not any(name.startswith(f"{outer}.") for outer in found):
            found[name] = _style(name, rule)
    if not found:
        raise ValueError(f"{type(plain).__name__} has no 4-bit layer that its tp_plan names: shardable makes them")
    return found


def _pattern(key: str) -> str:
    return r"(.*\.)?" + re.escape(key).replace(r"\*", r"[^.]+")


def _style(name: str, rule: Any) -> ParallelStyle:
    styles: dict[Any, ParallelStyle] = {
        "colwise": ColwiseLinear4bit(),
        "rowwise": RowwiseLinear4bit(),
        "colwise_gather_output": ColwiseLinear4bit(gather_output=True),
        "colwise_rep": ColwiseLinear4bit(gather_output=True),
    }
    if rule not in styles:
        raise ValueError(f"{name} has the style {rule!r} in the model's tp_plan, which no 4-bit layer has")
    return styles[rule]
