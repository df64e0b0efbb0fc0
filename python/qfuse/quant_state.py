"""The many shapes in which the state of a 4-bit weight comes, read into one."""

import copy
import json
import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

import torch
from torch import Tensor, float32
from torch.nn import Module, Parameter

from . import dtypes, grouped, ops
from .gpu import has_gpu

__all__ = [
    "FLOAT_DTYPES",
    "NESTED_BLOCKSIZE",
    "QUANT_TYPES",
    "STATE",
    "Weight4bit",
    "decodable_weight",
    "decode_in_shape",
    "float_dtype",
    "from_state_dict",
    "is_repacked",
    "plain_weight",
    "read_weight",
    "refuse_cast",
    "to_state_dict",
    "unpacked_weight",
    "without_torch_function",
]

# Params4bit has a __torch_function__ of its own, through which every access to it would go.
without_torch_function = torch._C.DisableTorchFunctionSubclass

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
QUANT_TYPES: tuple[ops.QuantType, ...] = ("nf4", "fp4")
NESTED_BLOCKSIZE = 256  # bitsandbytes has no other
STATE = "quant_state.bitsandbytes__"  # between a weight's name and its quant_type

# The fields of a Weight4bit, which are the arguments of qfuse.ops.dequantize_4bit; the shape may be a torch.Size.
Arguments = tuple[tuple[Tensor, ...], tuple[int, ...], torch.dtype, ops.QuantType, int, int]


class Weight4bit(NamedTuple):
    """A 4-bit weight as the arguments of qfuse.ops.dequantize_4bit, in their order.

    tensors: (packed, absmax), or of a nested weight (packed, absmax, nested_absmax, nested_quant_map, nested_offset).
    dtype: what it decodes to.
    """

    tensors: tuple[Tensor, ...]
    shape: tuple[int, ...]
    dtype: torch.dtype
    quant_type: ops.QuantType = QUANT_TYPES[0]
    blocksize: int = 64
    nested_blocksize: int = NESTED_BLOCKSIZE

    @property
    def packed(self) -> Tensor:
        return self.tensors[0]

    @property
    def absmax(self) -> Tensor:
        """float32, or uint8 where nested."""
        return self.tensors[1]

    @property
    def nested(self) -> bool:
        return len(self.tensors) > 2

    @property
    def nested_absmax(self) -> Tensor | None:
        return self.tensors[2] if self.nested else None

    @property
    def nested_quant_map(self) -> Tensor | None:
        return self.tensors[3] if self.nested else None

    @property
    def nested_offset(self) -> Tensor | None:
        return self.tensors[4] if self.nested else None

    @property
    def device(self) -> torch.device:
        return self.packed.device

    def __repr__(self) -> str:
        """Without the values: of nested_quant_map alone these are 256."""
        dtype, nested = str(self.dtype).removeprefix("torch."), ", nested" * self.nested
        form = f"{self.quant_type}, {[*self.shape]}, {dtype}, blocks of {self.blocksize}{nested}"
        return f"Weight4bit({form}, {self.device})"

    def dequantize(self, dtype: torch.dtype | str | None = None, out: Tensor | None = None) -> Tensor:
        """qfuse.dequantize_4bit of it."""
        return decode_in_shape(self if dtype is None else self._replace(dtype=float_dtype(dtype)), out)

    def to(self, device: torch.device | str | int, non_blocking: bool = False) -> "Weight4bit":
        """Its tensors on `device`, as Tensor.to moves them; to convert codes to another dtype would spoil them."""
        if not isinstance(device, (torch.device, str, int)):
            raise TypeError("a Weight4bit moves between devices; the dtype it decodes to is w._replace(dtype=...)")
        return self._replace(tensors=tuple(tensor.to(device, non_blocking=non_blocking) for tensor in self.tensors))

    def params4bit(self, module: torch.nn.Module | None = None) -> Any:
        """A bitsandbytes.nn.Params4bit of the same tensors, as bitsandbytes would have loaded it.

        layer.weight = weight.params4bit(layer) puts it into a Linear4bit, whose quant_state is set too.
        """
        from bitsandbytes.functional import QuantState, get_4bit_type
        from bitsandbytes.nn import Params4bit

        state2 = None
        if self.nested:
            state2 = QuantState(
                self.nested_absmax, code=self.nested_quant_map, blocksize=self.nested_blocksize, dtype=torch.float32
            )
        code = get_4bit_type(self.quant_type, self.packed.device)
        shape = torch.Size(self.shape)
        state = QuantState(
            self.absmax, shape, code, self.blocksize, self.quant_type, self.dtype, self.nested_offset, state2
        )
        if module is not None:
            module.quant_state = state
        return Params4bit(
            self.packed,
            quant_state=state,
            blocksize=self.blocksize,
            quant_type=self.quant_type,
            compress_statistics=self.nested,
            quant_storage=self.packed.dtype,
            module=module,
            bnb_quantized=True,
        )


def float_dtype(dtype: torch.dtype | str) -> torch.dtype:
    """By its name too, as torch and the command have it. Which dtypes there may be is the ops' affair."""
    if isinstance(dtype, torch.dtype):
        return dtype
    number = dtypes.NAMES.get(dtypes.canonical(dtype))
    if number is None:
        raise ValueError(f"dtype is {dtype!r}, it can be float32, float16 or bfloat16")
    return FLOAT_DTYPES[number]


def decode_in_shape(weight: Arguments, out: Tensor | None) -> Tensor:
    """The weight in the state's shape, whatever that of its codes says."""
    names = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")
    for name, tensor in zip(names, weight[0], strict=False):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}, it must be a tensor")
    if out is not None and out.requires_grad:
        raise ValueError("out requires a gradient, which a decoded weight has none of")
    tensors, shape, dtype, quant_type, blocksize, nested_blocksize = weight
    tensors = grouped.unnested(tensors, shape, nested_blocksize)
    arguments = (tensors, shape, dtype, quant_type, blocksize, nested_blocksize)
    return ops.dequantize_4bit(*arguments) if out is None else ops.dequantize_4bit_out(*arguments, out=out)


torch.serialization.add_safe_globals([Weight4bit])  # for torch.load with weights_only, its default


def read_weight(weight: Any, quant_state: Any = None) -> Weight4bit:
    """`weight` with `quant_state`, or with its own: see qfuse.dequantize_4bit for what both can be.

    Its packed codes are the tensor that the weight holds, which may be a Params4bit, to be used without_torch_function.

    Raises TypeError where there is no state, and ValueError for what this library cannot decode exactly.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight
    tensors, shape, *others = read_arguments(weight, quant_state)
    return Weight4bit._make((tensors, tuple(shape), *others))


def plain_weight(weight: Weight4bit) -> Weight4bit:
    """Without the subclass of bitsandbytes', which would quantize where it is moved."""
    with without_torch_function():
        return weight._replace(tensors=tuple(tensor.detach().as_subclass(Tensor) for tensor in weight.tensors))


def to_state_dict(weight: Weight4bit, name: str) -> dict[str, Tensor]:
    """A weight as bitsandbytes stores it: its tensors under names that begin with its own, and the rest as JSON."""
    dtype = str(weight.dtype).removeprefix("torch.")
    scalars: dict[str, Any] = {"quant_type": weight.quant_type, "blocksize": weight.blocksize}
    scalars |= {"dtype": dtype, "shape": [*weight.shape]}
    found = {name: weight.packed, f"{name}.absmax": weight.absmax, f"{name}.quant_map": _quant_map(weight)}
    if weight.nested:
        _, _, nested_absmax, nested_quant_map, nested_offset = weight.tensors
        found |= {f"{name}.nested_absmax": nested_absmax, f"{name}.nested_quant_map": nested_quant_map}
        scalars |= {"nested_blocksize": weight.nested_blocksize, "nested_dtype": "float32"}
        scalars["nested_offset"] = nested_offset.item()
    text = json.dumps(scalars).encode()
    return found | {f"{name}.{STATE}{weight.quant_type}": torch.frombuffer(bytearray(text), dtype=torch.uint8)}


def from_state_dict(state: Mapping[str, Tensor], name: str) -> Weight4bit:
    """What to_state_dict or bitsandbytes has stored. KeyError names the tensor that is missing."""
    key = next((key for kind in QUANT_TYPES if (key := f"{name}.{STATE}{kind}") in state), None)
    if key is None:
        raise KeyError(f"{name}.{STATE}{QUANT_TYPES[0]}")
    scalars = json.loads(bytes(state[key].tolist()))
    packed, absmax = (state[part] for part in (name, f"{name}.absmax"))
    tensors: tuple[Tensor, ...] = (packed, absmax)
    if "nested_offset" in scalars:
        offset = torch.tensor(scalars["nested_offset"], dtype=torch.float32, device=packed.device)
        tensors = (packed, absmax, state[f"{name}.nested_absmax"], state[f"{name}.nested_quant_map"], offset)
    return Weight4bit(
        tensors,
        tuple(scalars["shape"]),
        getattr(torch, scalars["dtype"]),
        scalars["quant_type"],
        scalars["blocksize"],
        scalars.get("nested_blocksize", NESTED_BLOCKSIZE),
    )


def _quant_map(weight: Weight4bit) -> Tensor:
    """What each of the 16 codes stands for."""
    codes = torch.arange(0x01, 0x100, 0x22, dtype=torch.uint8, device=weight.device)  # 0 and 1, 2 and 3 and so on
    tensors = codes, torch.ones(1, device=weight.device)
    return ops.dequantize_4bit(tensors, (16,), torch.float32, weight.quant_type)


def read_arguments(weight: Any, quant_state: Any = None) -> Arguments:
    """read_weight of bitsandbytes' own forms, as a plain tuple, which takes less time to make."""
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


def unpacked_weight(packed: Tensor, state: Any) -> Arguments:
    """read_arguments of a weight that is repacked, as it is now: its codes, and the absmax that are left of it."""
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
    return (codes, absmax), tuple(state.shape), state.dtype, state.quant_type, state.blocksize, NESTED_BLOCKSIZE


def decodable_weight(packed: Tensor, quant_state: Any) -> Arguments | None:
    """read_arguments, or None for what an integration leaves to the original: what qfuse would refuse for its kind,
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
            found = read_arguments(packed, quant_state)
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


def _from_object(packed: Tensor, state: Any) -> Arguments:
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
    return tensors, state.shape, state.dtype, state.quant_type, state.blocksize, nested_blocksize


def _from_list(packed: Tensor, state: Any) -> Arguments:
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
    return tensors, tuple(shape), dtype, quant_type, blocksize, nested_blocksize


def _in_float32(tensors: tuple[Tensor, ...], nested_dtype: torch.dtype | None) -> tuple[Tensor, ...]:
    """A nested weight's tensors with the offset in the one dtype that the ops take."""
    if nested_dtype not in (torch.float32, None):
        raise ValueError(f"the nested absmax are decoded in {nested_dtype}, only float32 is supported")
    return (*tensors[:4], tensors[4].float())  # exact; bitsandbytes makes it in torch's default dtype


def _refuse_shapeless() -> NoReturn:
    raise ValueError("the quant_state has no shape, so the number of weights is not known")
