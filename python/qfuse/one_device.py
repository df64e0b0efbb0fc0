"""Whether the tensors of a call lie on one device, where no op looks: with one on meta, torch calls none."""

from collections.abc import Iterable, Iterator, Sequence

from torch import Tensor

__all__ = ["check", "of_weight"]

_WEIGHT_4BIT = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")


def of_weight(tensors: Sequence[Tensor]) -> Iterator[tuple[str, Tensor]]:
    """A 4-bit weight's tensors with their names, for check."""
    if len(tensors) not in (2, len(_WEIGHT_4BIT)):
        raise RuntimeError(f"weight has {len(tensors)} tensors, it must have 2 or 5: {', '.join(_WEIGHT_4BIT)}")
    yield from zip(_WEIGHT_4BIT, tensors, strict=False)


def check(tensors: Iterable[tuple[str, Tensor]]) -> None:
    """RuntimeError in the words of python/csrc/call.cpp, which refuses what the ops themselves see."""
    (first_name, first), *others = tensors
    for name, tensor in others:
        if tensor.device == first.device:
            continue
        place, here = _place(tensor), _place(first)
        if place != here:
            raise RuntimeError(f"{name} lies on {place}, {first_name} on {here}: all must be on one device")


def _place(tensor: Tensor) -> str:
    return "the CPU" if tensor.device.type == "cpu" else str(tensor.device)  # whatever index torch has for the CPU
