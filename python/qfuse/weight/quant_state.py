"""Converts the various forms in which bitsandbytes stores the state of a 4-bit weight to one, Weight4bit."""

import copy
import math
import warnings
from typing import Any, NoReturn

import torch
from torch import Tensor, float32
from torch.nn import Module, Parameter

from ..native.devices import has_gpu
from .form import FLOAT_DTYPES, NESTED_BLOCKSIZE
from .weight_4bit import Weight4bit, without_torch_function


def read_weight(weight: Any, quant_state: Any = None) -> Weight4bit:
    """Reads `weight` with `quant_state`, or with its own. qfuse.dequantize_4bit documents the accepted types.

    The packed codes are the weight's own tensor, which may be a Params4bit: use it inside without_torch_function.

    Raises TypeError if there is no state, and ValueError for a weight that this library cannot decode exactly.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight
    # Nothing is cached: checking that nothing was replaced takes as long as reading, and a cache would keep memory
    # alive when a layer is moved. Only look-ups of attributes that an object of torch or bitsandbytes lacks are slow.
    module = None
    if isinstance(weight, Module):
        module = weight
        weight = module._parameters.get("weight")  # module.weight takes five times as long
        if weight is None:  # torch.nn.utils.parametrize makes it a property
            weight = getattr(module, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"weight is a {type(weight).__name__}, it must be a tensor or a module that has a weight")
    state = quant_state if quant_state is not None else getattr(weight, "quant_state", None)
    if type(state) is Weight4bit and quant_state is None:  # weight is a Weight4bitTensor
        return state
    if state is None:
        state = getattr(module, "quant_state", None)
    if state is None and weight.dtype is torch.int8:
        raise TypeError("the weight is int8, as LLM.int8 has it (Linear8bitLt): qfuse.dequantize_int8 decodes it")
    if state is None:
        raise TypeError(
            f"a {type(weight).__name__} of {weight.dtype} has no quant_state, and none was given; "
            "bitsandbytes makes one when a layer is moved to its device"
        )
    refuse_cast(weight, state, module)
    return _from_object(weight, state) if hasattr(state, "state2") else _from_list(weight, state)


def refuse_cast(packed: Tensor, state: Any, module: Any = None) -> None:
    """Raises ValueError if codes stored in a floating point dtype were cast, such as by module.half() or FSDP's mixed
    precision, because that changes the codes. A cast there and back cannot be detected."""
    if type(packed) in (Tensor, Parameter):  # FSDP makes these from a Params4bit; then the layer knows the dtype
        storage = getattr(module, "quant_storage", None)
        if storage not in FLOAT_DTYPES:  # may be outdated, from before a checkpoint was loaded into the layer
            return
    else:
        storage = getattr(packed, "quant_storage", None)
        if storage is None or storage is torch.uint8:  # a cast changes the size of byte codes, which is checked later
            return
    with without_torch_function():
        dtype, held = packed.dtype, packed.nbytes
    if dtype is storage:
        return
    shape = state[1] if isinstance(state, (list, tuple)) else state.shape
    # If the codes have the right length although a cast would have changed it, codes of another storage dtype were
    # loaded into the layer, and its quant_storage is stale.
    is_stale = dtype.itemsize != storage.itemsize and held == -(-math.prod(shape or ()) // 2)
    if not is_stale:
        raise ValueError(
            f"the packed codes were stored as {storage} (quant_storage) and have been cast to {dtype}, which "
            "made other codes of them; load the weight again, and cast only what is not quantized"
        )


def is_repacked(state: Any) -> bool:
    """Whether bitsandbytes has repacked a weight for its CPU kernels."""
    return bool(getattr(state, "__dict__", {}).get("packing_format_for_cpu", False))


def unpacked_weight(packed: Tensor, state: Any) -> Weight4bit:
    """read_weight for a repacked weight in its current state: its codes, and its absmax rounded to bfloat16."""
    from bitsandbytes.functional import _convert_weight_packed_for_cpu_inverse

    warnings.warn(
        "bitsandbytes has repacked a weight for its CPU kernels, which have no gradient, and rounded its absmax to "
        "bfloat16; qfuse multiplies by what it is now",
        stacklevel=2,
    )
    state = copy.copy(state)
    state.original_nested = False  # repacking made its absmax plain
    absmax = state.absmax.T.reshape(-1).float()
    with without_torch_function():
        codes, state = _convert_weight_packed_for_cpu_inverse(packed.detach().as_subclass(Tensor), state)
    return Weight4bit((codes, absmax), tuple(state.shape), state.dtype, state.quant_type, state.blocksize)


def decodable_weight(packed: Tensor, quant_state: Any) -> Weight4bit | None:
    """read_weight, or None for a weight that an integration leaves to the original: one of a kind that qfuse refuses,
    or whose storage lost the last bytes of its codes, where bitsandbytes reads out of bounds.

    Other sizes are not checked here; the ops report sizes that do not fit. Raises ValueError for a weight that is
    repacked or was cast, because the original would decode it wrongly.
    """
    _refuse_repacked(quant_state)
    refuse_cast(packed, quant_state)
    with without_torch_function():
        if packed.device.type not in ("cpu", "cuda") or torch.version.hip is not None or not packed.is_contiguous():
            return None
        if packed.is_cuda and not has_gpu():
            return None
        try:
            found = read_weight(packed, quant_state)
        except (AttributeError, TypeError, ValueError):
            return None
        (_, absmax, *nested), shape, dtype, *_ = found
        lost = -(-math.prod(shape) // 2) - packed.nbytes  # last bytes that did not fill an element of the storage
        ours = (
            dtype in FLOAT_DTYPES
            and absmax.dtype == (torch.uint8 if nested else torch.float32)
            and all(array.dtype == torch.float32 for array in nested)
            and not 0 < lost < packed.itemsize
        )
    return found if ours else None


def _refuse_repacked(state: Any) -> None:
    fields = getattr(state, "__dict__", {})
    if "packing_format_for_cpu" not in fields:
        return
    if fields["packing_format_for_cpu"]:
        raise ValueError(
            "bitsandbytes has repacked this weight for its own CPU kernels (packing_format_for_cpu) and "
            "rounded its absmax to bfloat16; load the model again, and decode it or call .train() before "
            "its first forward pass"
        )
    if fields["absmax"].dtype is torch.bfloat16:  # after taking a state_dict: plain absmax stay transposed
        raise ValueError(
            "bitsandbytes had repacked this weight for its own CPU kernels, and has brought back its codes but not its "
            "absmax; load the model again, and take its state_dict before its first forward pass"
        )


def _from_object(packed: Tensor, state: Any) -> Weight4bit:
    if "packing_format_for_cpu" in getattr(state, "__dict__", ()):
        _refuse_repacked(state)
    tensors: tuple[Tensor, ...] = (packed, state.absmax)
    nested, nested_blocksize = state.state2, NESTED_BLOCKSIZE
    if nested is not None:
        tensors = (packed, state.absmax, nested.absmax, nested.code, state.offset)
        nested_blocksize = nested.blocksize
        if nested.dtype is not float32 or state.offset.dtype is not float32:
            tensors = _in_float32(tensors, nested.dtype)
    if state.shape is None:
        _refuse_shapeless()
    shape = tuple(state.shape)
    return Weight4bit(tensors, shape, state.dtype, state.quant_type, state.blocksize, nested_blocksize)


def _from_list(packed: Tensor, state: Any) -> Weight4bit:
    """Reads a list [absmax, shape, dtype, blocksize, None or [offset, state2], quant_type, code] of old bitsandbytes.

    state2 is an object, or a list [absmax, code, blocksize, ..., dtype ...] as for 8-bit blocks.
    """
    if isinstance(state, Weight4bit):
        raise TypeError("quant_state is a Weight4bit: pass it as the weight")
    if not isinstance(state, (list, tuple)):
        raise TypeError(f"quant_state is a {type(state).__name__}, it must be bitsandbytes' QuantState or a list")
    if len(state) < 6:
        raise ValueError(f"a quant_state that is a list has {len(state)} entries, 6 or 7 are needed")
    absmax, shape, dtype, blocksize, compressed, quant_type = state[:6]
    tensors: tuple[Tensor, ...] = (packed, absmax)
    nested_blocksize = NESTED_BLOCKSIZE
    if compressed is not None:
        offset, nested = compressed
        if not isinstance(nested, (list, tuple)):
            nested = [nested.absmax, nested.code, nested.blocksize, None, nested.dtype]
        nested_absmax, nested_map, nested_blocksize, _, nested_dtype = nested[:5]
        tensors = _in_float32((packed, absmax, nested_absmax, nested_map, offset), nested_dtype)
    if shape is None:
        _refuse_shapeless()
    return Weight4bit(tensors, tuple(shape), dtype, quant_type, blocksize, nested_blocksize)


def _in_float32(tensors: tuple[Tensor, ...], nested_dtype: torch.dtype | None) -> tuple[Tensor, ...]:
    """Returns a nested weight's tensors with the offset in float32, the only dtype that the ops accept."""
    if nested_dtype not in (torch.float32, None):
        raise ValueError(f"the nested absmax are decoded in {nested_dtype}, only float32 is supported")
    return (*tensors[:4], tensors[4].float())  # bitsandbytes makes the offset in torch's default dtype; this is exact


def _refuse_shapeless() -> NoReturn:
    raise ValueError("the quant_state has no shape, so the number of weights is not known")
