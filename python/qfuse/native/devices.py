"""Checks that the tensors of a call are on one device, what a GPU supports, and whether qfuse can use torch's GPU."""

import functools
import warnings
from collections.abc import Iterable

import torch
from torch import Tensor

from . import library


def check_one_device(tensors: Iterable[tuple[str, Tensor]]) -> None:
    """Raises RuntimeError if tensors are on different devices. Needed because torch runs no op if a tensor is on meta;
    the message is that of python/csrc/call.cpp, which checks the tensors of ops that run."""
    (first_name, first), *others = tensors
    for name, tensor in others:
        if tensor.device == first.device:
            continue
        place, here = _place(tensor), _place(first)
        if place != here:
            raise RuntimeError(f"{name} lies on {place}, {first_name} on {here}: all must be on one device")


def _place(tensor: Tensor) -> str:
    return "the CPU" if tensor.device.type == "cpu" else str(tensor.device)  # ignores the CPU's index


@functools.cache
def _read_tensor_cores(device: int, dtype: torch.dtype) -> bool:
    """Whether a GPU has tensor cores for the dtype. Returns true for a GPU index that is not available here,
    consistently with qfuse_matmul_4bit_advice."""
    least = {torch.float16: (7, 5), torch.bfloat16: (8, 0)}
    if dtype not in least or torch.version.hip is not None:
        return False
    return device >= torch.cuda.device_count() or torch.cuda.get_device_capability(device) >= least[dtype]


# Not cached itself: torch.compile treats the result of a plain function with this mark as a constant. The mark is set
# directly because torch.compiler.assume_constant_result would import the compiler.
def find_tensor_cores(device: int, dtype: torch.dtype) -> bool:
    return _read_tensor_cores(device, dtype)


find_tensor_cores._dynamo_marked_constant = True  # type: ignore[attr-defined]


@functools.cache
def _look_for_gpu() -> bool:
    if not torch.cuda.is_available() or library.device_count(library.CUDA) > 0:  # without CUDA, GPU tensors are fakes
        return True
    try:
        library.describe_device(library.Device(library.CUDA, 0))
    except RuntimeError as error:
        warnings.warn(f"qfuse leaves weights on GPUs to the original: {error}", stacklevel=4)
    return False


def has_gpu() -> bool:
    """Whether this build works with the driver here; if not, warns once with the reason. Call it only if a tensor is on
    a GPU, because it initializes CUDA in the process."""
    return _look_for_gpu()


has_gpu._dynamo_marked_constant = True  # type: ignore[attr-defined]
