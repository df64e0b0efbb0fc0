"""Replaces stacks of experts by packed ones, whose arrays transformers joins from those of single experts."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.nn import Parameter
from transformers.core_model_loading import Concatenate, ConversionOps, MergeModulelist, WeightConverter

from ..layers.experts import name_of
from ..layers.packed_linear import PACKED
from ..layers.packed_stack import PackedStack
from . import transformers_experts
from .compressed_arrays import BY_TRANSFORMERS, Arrays, form_of
from .transformers_packed import dtype_of, put_stacks

Sides = dict[str, dict[str, Arrays]]  # of a stack: the pattern of gate, up or down, then the expert's name in the files


def put_in_place(model: Any, stacks: dict[str, Sides]) -> None:
    """stacks: by the name of the parameter in the model, which is on the device meta."""
    if not stacks:
        return
    experts = dict(transformers_experts.find_experts(model))
    every = {f"{name}.{leaf}" for name, module in experts.items() for leaf in module._parameters if "_proj" in leaf}
    others = every - stacks.keys() - {name for name in every if name.endswith("_bias")}
    lost = stacks.keys() - every
    if others or lost:
        raise ValueError(
            f"experts stay packed if all of a model's are: {min(others or lost)} is not; {BY_TRANSFORMERS}"
        )
    for path, sides in stacks.items():
        name, _, leaf = path.rpartition(".")
        put_stacks(experts[name], {leaf: _packed(experts[name]._parameters[leaf], sides, path)})


def _packed(dense: Any, sides: Sides, path: str) -> tuple[PackedStack, Parameter]:
    experts, rows, cols = dense.shape
    ways = {
        (form_of(module, arrays, (rows // len(sides), cols), dtype_of(dense)), tuple(_without_values(arrays)))
        for side in sides.values()
        for module, arrays in side.items()
    }
    if len(ways) > 1 or any(len(side) != experts for side in sides.values()):
        raise ValueError(
            f"the files have {[len(side) for side in sides.values()]} experts for {path}, in {len(ways)} forms: it "
            f"needs {experts} in one form; download them again"
        )
    ((form, arrays),) = ways
    made = {}
    for leaf, dtype_and_shape in arrays:
        array = dtype_and_shape.empty("meta")
        shape = (experts, array.shape[0] * len(sides), *array.shape[1:])
        made[leaf] = torch.empty(shape, dtype=array.dtype, device=dense.device)
    codes = Parameter(made.pop(PACKED), requires_grad=False)
    return PackedStack(form._replace(shape=(experts, rows, cols)), made), codes


def _without_values(arrays: Arrays) -> Iterable[tuple[str, Any]]:
    for leaf, array in sorted(arrays.items()):
        if not array.shape:
            raise ValueError(f"{leaf} of an expert has no dimension, along which others could be joined to it")
        yield leaf, array._replace(values=())


def conversions(found: list[Any], stacks: dict[str, Sides]) -> list[Any]:
    """Returns transformers' conversions with one for each array of an expert in place of the one for its weight."""
    leaves = {pattern: _leaves(side) for sides in stacks.values() for pattern, side in sides.items()}
    made: list[Any] = []
    for each in found:
        of_weight = each.source_patterns[0] in leaves if isinstance(each, WeightConverter) else False
        made += _of_arrays(each, leaves[each.source_patterns[0]]) if of_weight else [each]
    return made


class _Join(ConversionOps):  # type: ignore[misc]
    """MergeModulelist and Concatenate in one, whose reverse keeps dimensions of 1, which transformers 5.20 drops."""

    @torch.no_grad()
    def convert(
        self, input_dict: dict[str, Any], source_patterns: list[str], target_patterns: list[str], **_: Any
    ) -> dict[str, Tensor]:
        return {target_patterns[0]: torch.cat([torch.stack(input_dict.pop(each)) for each in source_patterns], 1)}

    @property
    def reverse_op(self) -> ConversionOps:
        return _Part()


class _Part(ConversionOps):  # type: ignore[misc]
    @torch.no_grad()
    def convert(
        self, input_dict: dict[str, Any], source_patterns: list[str], target_patterns: list[str], **_: Any
    ) -> dict[str, Tensor]:
        (found,) = input_dict.values()
        sides = (found[0] if isinstance(found, list) else found).chunk(len(target_patterns), 1)
        every = zip(target_patterns, sides, strict=True)
        return {each.replace("*", str(i)): expert for each, side in every for i, expert in enumerate(side)}

    @property
    def reverse_op(self) -> ConversionOps:
        return _Join()


def _leaves(side: dict[str, Arrays]) -> list[str]:
    return sorted(next(iter(side.values())))


def _of_arrays(converter: Any, leaves: list[str]) -> list[Any]:
    sources, (target, *_) = converter._original_source_patterns, converter._original_target_patterns
    kinds = [(type(each), each.dim) for each in converter.operations if type(each) in (MergeModulelist, Concatenate)]
    if kinds != [(MergeModulelist, 0), (Concatenate, 1)][: len(converter.operations)]:
        raise ValueError(f"transformers makes {target} by more than joining experts: {BY_TRANSFORMERS}")
    made = []
    for leaf in leaves:
        # The lookahead, which matters only in saving, excludes the names of the other arrays.
        whole = rf"{target}(?!\w)" if leaf == PACKED else f"{name_of(target)}.{leaf}"
        of_leaf = [source.removesuffix("weight") + leaf for source in sources]
        made.append(WeightConverter(of_leaf, [whole], operations=[_Join()]))
        for scope in ("scope_prefix", "base_model_prefix"):
            setattr(made[-1], scope, getattr(converter, scope, None))
    return made
