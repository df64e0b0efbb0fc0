"""A 4-bit weight of bitsandbytes: its tensors and their properties."""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from .. import dtypes
from ..native import torch_ops
from .form import FLOAT_DTYPES, NESTED_BLOCKSIZE, QUANT_TYPES, SCALED, TENSORS, Form, QuantType, tensor_names

# Params4bit has its own __torch_function__, through which every access to it would go.
without_torch_function = torch._C.DisableTorchFunctionSubclass


class Weight4bit(NamedTuple):
    """A 4-bit weight as the arguments of qfuse.ops.dequantize_4bit, in their order: its tensors, then its form.

    tensors: (packed, absmax) or, if nested, (packed, absmax, nested_absmax, nested_quant_map, nested_offset). In other
    quant_types than bitsandbytes' own, (packed, scales) or (packed, scales, global_scale): see Form. dtype: the dtype
    that the weight decodes to.
    """

    tensors: tuple[Tensor, ...]
    shape: tuple[int, ...]
    dtype: torch.dtype
    quant_type: QuantType = QUANT_TYPES[0]
    blocksize: int = 64
    nested_blocksize: int = NESTED_BLOCKSIZE

    @property
    def form(self) -> Form:
        return Form._make(self[1:])

    @property
    def packed(self) -> Tensor:
        return self.tensors[0]

    @property
    def absmax(self) -> Tensor:
        """float32, or uint8 if nested; the scales of quant_types that are not bitsandbytes' own."""
        return self.tensors[1]

    @property
    def nested(self) -> bool:
        return len(self.tensors) == len(TENSORS)

    @property
    def global_scale(self) -> Tensor | None:
        return self.tensors[2] if len(self.tensors) == len(SCALED) else None

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
        """Leaves out the values: nested_quant_map alone has 256."""
        dtype, nested = str(self.dtype).removeprefix("torch."), ", nested" * self.nested
        form = f"{self.quant_type}, {[*self.shape]}, {dtype}, blocks of {self.blocksize}{nested}"
        return f"Weight4bit({form}, {self.device})"

    def dequantize(self, dtype: torch.dtype | str | None = None, out: Tensor | None = None) -> Tensor:
        """Calls qfuse.dequantize_4bit on this weight."""
        return decode_in_shape(self if dtype is None else self._replace(dtype=float_dtype(dtype)), out)

    def to(self, device: torch.device | str | int, non_blocking: bool = False) -> "Weight4bit":
        """Moves its tensors to `device` like Tensor.to. Refuses a dtype: converting codes to another corrupts them."""
        if not isinstance(device, (torch.device, str, int)):
            raise TypeError("a Weight4bit moves between devices; the dtype it decodes to is w._replace(dtype=...)")
        return self._replace(tensors=tuple(tensor.to(device, non_blocking=non_blocking) for tensor in self.tensors))

    def params4bit(self, module: torch.nn.Module | None = None) -> Any:
        """Makes a bitsandbytes.nn.Params4bit of the same tensors, as bitsandbytes would have loaded it.

        layer.weight = weight.params4bit(layer) puts it into a Linear4bit and also sets the layer's quant_state.
        """
        if self.quant_type not in QUANT_TYPES:
            raise ValueError(f"a weight of quant_type {self.quant_type!r} cannot be bitsandbytes', which lacks it")
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
    """Accepts a dtype, or its name in torch or in the qfuse command. The ops check which dtypes they support."""
    if isinstance(dtype, torch.dtype):
        return dtype
    number = dtypes.NAMES.get(dtypes.canonical(dtype))
    if number is None:
        raise ValueError(f"dtype is {dtype!r}, it can be float32, float16 or bfloat16")
    return FLOAT_DTYPES[number]


def decode_in_shape(weight: Weight4bit, out: Tensor | None = None) -> Tensor:
    """Decodes the weight to the state's shape, regardless of the shape of its codes."""
    for name, tensor in zip(tensor_names(weight.tensors), weight.tensors, strict=False):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"{name} is a {type(tensor).__name__}, it must be a tensor")
    if out is not None and out.requires_grad:
        raise ValueError("out requires a gradient, which a decoded weight has none of")
    weight = unnested(weight)
    return torch_ops.dequantize_4bit(weight) if out is None else torch_ops.dequantize_4bit_out(weight, out)


def unnested(weight: Weight4bit) -> Weight4bit:
    """Converts a stack whose experts are each nested by themselves to plain absmax of the same values; keeps others."""
    tensors, shape = weight.tensors, weight.shape
    if len(tensors) != 5 or len(shape) != 3 or not 1 < shape[0] == tensors[4].numel():
        return weight
    packed, codes, nested_absmax, nested_quant_map, nested_offset = tensors
    experts, nested_blocksize = shape[0], weight.nested_blocksize
    each = codes.numel() // experts
    blocks = pad(codes.reshape(experts, each), (0, -each % nested_blocksize))
    absmax = torch.ops.qfuse.dequantize_blockwise.default(
        blocks, nested_absmax.flatten(), nested_quant_map, nested_blocksize, torch.float32
    )
    return weight._replace(tensors=(packed, (absmax[:, :each] + nested_offset.reshape(experts, 1)).flatten()))


def given(*tensors: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in tensors if tensor is not None)


def plain_weight(weight: Weight4bit) -> Weight4bit:
    """Removes bitsandbytes' tensor subclass, which would quantize when it is moved."""
    with without_torch_function():
        return weight._replace(tensors=tuple(tensor.detach().as_subclass(Tensor) for tensor in weight.tensors))


# For torch.load with weights_only, which is its default; also under the name of the module that had it before.
torch.serialization.add_safe_globals([Weight4bit, (Weight4bit, "qfuse.quant_state.Weight4bit")])
