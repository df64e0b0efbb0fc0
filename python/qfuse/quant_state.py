"""The many shapes in which the state of a 4-bit weight comes, read into one."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

__all__ = ["FLOAT_DTYPES", "Weight4bit", "decodable_weight", "read_weight"]

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)


class Weight4bit(NamedTuple):
    """A 4-bit weight as the arguments of qfuse.ops.dequantize_4bit, in their order."""

    packed: Tensor
    absmax: Tensor
    blocksize: int
    quant_type: str
    shape: tuple[int, ...]
    dtype: torch.dtype
    nested_absmax: Tensor | None
    nested_quant_map: Tensor | None
    nested_offset: Tensor | None
    nested_blocksize: int

    def to(self, device: torch.device | str | int, non_blocking: bool = False) -> "Weight4bit":
        """Its tensors on `device`, as Tensor.to moves them; to convert codes to another dtype would spoil them."""
        if not isinstance(device, (torch.device, str, int)):
            raise TypeError("a Weight4bit moves between devices; the dtype it decodes to is w._replace(dtype=...)")
        return Weight4bit._make(
            part.to(device, non_blocking=non_blocking) if isinstance(part, Tensor) else part for part in self
        )


torch.serialization.add_safe_globals([Weight4bit])  # for torch.load with weights_only, its default


def read_weight(weight: Any, quant_state: Any = None) -> Weight4bit:
    """`weight` with `quant_state`, or with its own: see qfuse.dequantize_4bit for what both can be.

    Raises TypeError where there is no state, and ValueError for what this library cannot decode exactly.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight
    packed, state = _find_state(weight, quant_state)
    return _from_list(packed, state) if isinstance(state, (list, tuple)) else _from_object(packed, state)


def decodable_weight(packed: Tensor, quant_state: Any) -> Weight4bit | None:
    """read_weight, or None for what an integration leaves to the original: what qfuse would refuse for its kind,
    and codes whose storage has lost the last bytes, which bitsandbytes reads beyond it.

    Other sizes are not looked at: where they do not fit, qfuse's message says so.
    Raises ValueError for a weight that is repacked: the original would take it for another one.
    """
    _refuse_repacked(quant_state)
    with torch._C.DisableTorchFunctionSubclass():  # see _find_state
        if packed.device.type not in ("cpu", "cuda") or torch.version.hip is not None or not packed.is_contiguous():
            return None
        try:
            weight = read_weight(packed, quant_state)
        except (AttributeError, TypeError, ValueError):
            return None
    nested = (weight.nested_absmax, weight.nested_quant_map)
    absmax_dtype = torch.float32 if weight.nested_absmax is None else torch.uint8
    lost = -(-math.prod(weight.shape) // 2) - weight.packed.nbytes  # bytes that filled no whole element of a storage
    ours = (
        weight.dtype in FLOAT_DTYPES
        and weight.absmax.dtype == absmax_dtype
        and all(array is None or array.dtype == torch.float32 for array in nested)
        and not 0 < lost < weight.packed.itemsize
    )
    return weight if ours else None


def _find_state(weight: Any, quant_state: Any) -> tuple[Tensor, Any]:
    # A small weight is decoded in less time than a careless search for its state takes. What is slow: looking up what
    # an object of bitsandbytes or torch.nn lacks, and any access to a Params4bit, which has a __torch_function__.
    module = None
    if isinstance(weight, torch.nn.Module):
        module, weight = weight, getattr(weight, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"weight is a {type(weight).__name__}, it must be a tensor or a module that has a weight")
    state = quant_state if quant_state is not None else getattr(weight, "quant_state", None)
    if state is None:
        state = getattr(module, "quant_state", None)
    if state is None:
        raise TypeError(
            f"a {type(weight).__name__} of {weight.dtype} has no quant_state, and none was given; "
            "bitsandbytes makes one when a layer is moved to its device"
        )
    if type(weight) is Tensor:
        return weight, state
    with torch._C.DisableTorchFunctionSubclass():
        return weight.detach(), state


def _refuse_repacked(state: Any) -> None:
    if getattr(state, "__dict__", {}).get("packing_format_for_cpu", False):
        raise ValueError(
            "bitsandbytes has repacked this weight for its own CPU kernels (packing_format_for_cpu) and "
            "rounded its absmax to bfloat16; load the model again, and decode it or call .train() before "
            "its first forward pass"
        )


def _from_object(packed: Tensor, state: Any) -> Weight4bit:
    _refuse_repacked(state)
    state2 = state.state2
    if state2 is None:
        return _weight(packed, state.absmax, state.shape, state.dtype, state.blocksize, state.quant_type)
    return _weight(
        packed,
        state.absmax,
        state.shape,
        state.dtype,
        state.blocksize,
        state.quant_type,
        state.offset,
        state2.absmax,
        state2.code,
        state2.blocksize,
        state2.dtype,
    )


def _from_list(packed: Tensor, state: Sequence[Any]) -> Weight4bit:
    """[absmax, shape, dtype, blocksize, None or [offset, state2], quant_type, code], as bitsandbytes once had it.

    state2 is an object or [absmax, code, blocksize, ..., dtype ...], as it was for 8-bit blocks.
    """
    if isinstance(state, Weight4bit):
        raise TypeError("quant_state is a Weight4bit: pass it as the weight")
    if len(state) < 6:
        raise ValueError(f"a quant_state that is a list has {len(state)} entries, 6 or 7 are needed")
    absmax, shape, dtype, blocksize, compressed, quant_type = state[:6]
    if compressed is None:
        return _weight(packed, absmax, shape, dtype, blocksize, quant_type)
    offset, state2 = compressed
    if isinstance(state2, (list, tuple)):
        nested_absmax, nested_map, nested_blocksize, _, nested_dtype = state2[:5]
    else:
        nested_absmax, nested_map, nested_blocksize, nested_dtype = (
            state2.absmax,
            state2.code,
            state2.blocksize,
            state2.dtype,
        )
    return _weight(
        packed,
        absmax,
        shape,
        dtype,
        blocksize,
        quant_type,
        offset,
        nested_absmax,
        nested_map,
        nested_blocksize,
        nested_dtype,
    )


def _weight(
    packed: Tensor,
    absmax: Tensor,
    shape: Sequence[int] | None,
    dtype: torch.dtype,
    blocksize: int,
    quant_type: str,
    offset: Tensor | None = None,
    nested_absmax: Tensor | None = None,
    nested_map: Tensor | None = None,
    nested_blocksize: int = 256,
    nested_dtype: torch.dtype | None = None,
) -> Weight4bit:
    if shape is None:
        raise ValueError("the quant_state has no shape, so the number of weights is not known")
    if nested_dtype not in (None, torch.float32):
        raise ValueError(f"the nested absmax are decoded in {nested_dtype}, only float32 is supported")
    if offset is not None and offset.dtype != torch.float32:
        offset = offset.float()  # exact; bitsandbytes makes it in torch's default dtype
    return Weight4bit(
        packed, absmax, blocksize, quant_type, tuple(shape), dtype, nested_absmax, nested_map, offset, nested_blocksize
    )
