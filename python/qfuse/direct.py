"""dequantize_4bit past torch's dispatcher, which takes as long as launching the kernel does: see ARCHITECTURE.md."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

__all__ = ["dequantize_4bit"]

_decode: Callable[..., Any] | None = None
_NUMBERS = {torch.float32: 6, torch.float16: 5, torch.bfloat16: 15}  # torch::headeronly::ScalarType

# Looked up once, because a search through torch's modules takes longer than a call.
_is_compiling = torch.compiler.is_compiling
try:
    _dispatch_modes = torch._C._len_torch_dispatch_stack
    _has_function_mode = torch._C._is_torch_function_mode_enabled
    _transform_level = torch._C._functorch.maybe_current_level
    _tracing_state = torch._C._get_tracing_state
    _is_profiling = torch._C._autograd._profiler_enabled
    if importlib.util.find_spec("qfuse._direct") is not None:  # it needs Python's headers to be built
        _decode = importlib.import_module("qfuse._direct").dequantize_4bit
except AttributeError:  # a torch that has renamed what is looked up here or by the module
    pass


def _watched() -> bool:
    """Whether something has to see which ops are called: a compiler, a mode, a transform, a tracer or a profiler."""
    return (
        _is_compiling()
        or _dispatch_modes() > 0
        or _has_function_mode()
        or _transform_level() is not None
        or _tracing_state() is not None
        or _is_profiling()
    )


def dequantize_4bit(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    quant_type: str,
    blocksize: int,
    nested_blocksize: int,
) -> Tensor | None:
    """The op's result, or None where the op has to be called, because it is watched or an argument is not plain."""
    if _decode is None or _watched():
        return None
    decoded: Tensor | None = _decode(weight, shape, _NUMBERS.get(dtype), quant_type, blocksize, nested_blocksize)
    return decoded
