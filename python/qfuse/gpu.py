"""What a GPU can do, asked of torch."""

import functools

import torch

__all__ = ["find_tensor_cores"]


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
