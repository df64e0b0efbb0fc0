"""The many shapes in which bitsandbytes has the state of a 4-bit weight, read into one."""

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
    """`weight` with `quant_state`, or with its own: see qfuse.dequantize_4bit for what both can be.

    Its packed codes are the tensor that the weight holds, which may be a Params4bit, to be used without_torch_function.

    Raises TypeError where there is no state, and ValueError for what this library cannot decode exactly.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight
    # Nothing is kept between calls: to see that nothing was replaced takes as long as to read it, and what was kept
    # would be memory that is not freed when a layer is moved. What is slow is a search for what an object of torch or
    # bitsandbytes lacks.
    module = None
    if isinstance(weight, Module):
        module = weight
        weight = module._parameters.get("weight")  # torch's own search for module.weight takes five times as long
        if weight is None:  # torch.nn.utils.parametrize has made it an attribute
            weight = getattr(module, "weight", None)
    if not isinstance(weight, Tensor):
        raise TypeError(f"weight is a {type(weight).__name__}, it must be a tensor or a module that has a weight")
    state = quant_state if quant_state is not None else getattr(weight, "quant_state", None)
    if type(state) is Weight4bit and quant_state is None:  # of a Weight4bitTensor
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
    """Raises ValueError where codes in a storage of floating point numbers were converted, as by module.half() or a
    mixed precision of FSDP: their bits are other codes. What was cast there and back cannot be seen."""
    if type(packed) in (Tensor, Parameter):  # as FSDP makes of a Params4bit: the layer knows
        storage = getattr(module, "quant_storage", None)
        if storage not in FLOAT_DTYPES:  # it may be as the layer was made, before a checkpoint was loaded into it
            return
    else:
        storage = getattr(packed, "quant_storage", None)
        if storage is None or storage is torch.uint8:  # bytes that become more are refused for their number
            return
    with without_torch_function():
        dtype, held = packed.dtype, packed.nbytes
    if dtype is storage:
        return
    shape = state[1] if isinstance(state, (list, tuple)) else state.shape
    # Codes in another storage were loaded into a layer, and its record is stale, where they have the right length
    # though a cast would have changed that.
    is_stale = dtype.itemsize != storage.itemsize and held == -(-math.prod(shape or ()) // 2)
    if not is_stale:
        raise ValueError(
            f"the packed codes were stored as {storage} (quant_storage) and have been cast to {dtype}, which "
            "made other codes of them; load the weight again, and cast only what is not quantized"
        )


def is_repacked(state: Any) -> bool:
    """By bitsandbytes, for its own CPU kernels."""
    return bool(getattr(state, "__dict__", {}).get("packing_format_for_cpu", False))


def unpacked_weight(packed: Tensor, state: Any) -> Weight4bit:
    """read_weight of a weight that is repacked, as it is now: its codes, and the absmax that are left of it."""
    from bitsandbytes.functional import _convert_weight_packed_for_cpu_inverse

    warnings.warn(
        "bitsandbytes has repacked a weight for its CPU kernels, which have no gradient, and rounded its absmax to "
        "bfloat16; qfuse multiplies by what it is now",
        stacklevel=2,
    )
    state = copy.copy(state)
    state.original_nested = False  # its absmax are plain now
    absmax = state.absmax.T.reshape(-1).float()
    with without_torch_function():
        codes, state = _convert_weight_packed_for_cpu_inverse(packed.detach().as_subclass(Tensor), state)
    return Weight4bit((codes, absmax), tuple(state.shape), state.dtype, state.quant_type, state.blocksize)


def decodable_weight(packed: Tensor, quant_state: Any) -> Weight4bit | None:
    """read_weight, or None for what an integration leaves to the original: what qfuse would refuse for its kind,
    and codes whose storage has lost the last bytes, which bitsandbytes reads beyond it.

    Other sizes are not looked at: where they do not fit, qfuse's message says so.
    Raises ValueError for a weight that is repacked or was cast: the original would take it for another one.
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
        lost = -(-math.prod(shape) // 2) - packed.nbytes  # bytes that filled no whole element of a storage
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
    if fields["absmax"].dtype is torch.bfloat16:  # as for a state_dict: plain ones stay transposed
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
    """[absmax, shape, dtype, blocksize, None or [offset, state2], quant_type, code], as bitsandbytes once had it.

    state2 is an object or [absmax, code, blocksize, ..., dtype ...], as it was for 8-bit blocks.
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
    """A nested weight's tensors with the offset in the one dtype that the ops take."""
    if nested_dtype not in (torch.float32, None):
        raise ValueError(f"the nested absmax are decoded in {nested_dtype}, only float32 is supported")
    return (*tensors[:4], tensors[4].float())  # exact; bitsandbytes makes it in torch's default dtype


def _refuse_shapeless() -> NoReturn:
    raise ValueError("the quant_state has no shape, so the number of weights is not known")
