"""Whether the tensors of a call lie on one device, what a GPU can do, and whether qfuse has one where torch has."""

import functools
import warnings
from collections.abc import Iterable

import torch
from torch import Tensor

from . import library


def check_one_device(tensors: Iterable[tuple[str, Tensor]]) -> None:
    """Where no op looks: with a tensor on meta, torch calls none. RuntimeError in the words of python/csrc/call.cpp,
    which refuses what the ops themselves see."""
    (first_name, first), *others = tensors
    for name, tensor in others:
        if tensor.device == first.device:
            continue
        place, here = _place(tensor), _place(first)
        if place != here:
            raise RuntimeError(f"{name} lies on {place}, {first_name} on {here}: all must be on one device")


def _place(tensor: Tensor) -> str:
    return "the CPU" if tensor.device.type == "cpu" else str(tensor.device)  # whatever index torch has for the CPU


@functools.cache
def _read_tensor_cores(device: int, dtype: torch.dtype) -> bool:
    """Whether a GPU has them for the dtype. One that cannot be had here is taken for one that does, as advice takes
    it."""
    least = {torch.float16: (7, 5), torch.bfloat16: (8, 0)}
    if dtype not in least or torch.version.hip is not None:
        return False
    return device >= torch.cuda.device_count() or torch.cuda.get_device_capability(device) >= least[dtype]


# Not itself cached: the compiler takes the result of a plain function with this mark for a constant. What sets it,
# torch.compiler.assume_constant_result, would import the compiler.
def find_tensor_cores(device: int, dtype: torch.dtype) -> bool:
    return _read_tensor_cores(device, dtype)


find_tensor_cores._dynamo_marked_constant = True  # type: ignore[attr-defined]


@functools.cache
def _look_for_gpu() -> bool:
    if not torch.cuda.is_available() or library.device_count(library.CUDA) > 0:  # else a tensor on a GPU is a fake
        return True
    try:
        library.describe_device(library.Device(library.CUDA, 0))
    except RuntimeError as error:
        warnings.warn(f"qfuse leaves weights on GPUs to the original: {error}", stacklevel=4)
    return False


def has_gpu() -> bool:
    """Whether this build and the driver here go together; if not, a warning says why, once. For who holds a tensor on a
    GPU: to ask makes the process one that uses CUDA."""
    return _look_for_gpu()


has_gpu._dynamo_marked_constant = True  # type: ignore[attr-defined]
