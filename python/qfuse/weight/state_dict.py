"""Stores a 4-bit weight like bitsandbytes: tensors whose names begin with the weight's, and the rest as JSON."""

import json
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .form import NESTED_BLOCKSIZE, QUANT_TYPES, Form, QuantType
from .weight_4bit import Weight4bit, decode_in_shape

STATE = "quant_state.bitsandbytes__"  # between a weight's name and its quant_type
BLOCKS, SCALES = "_blocks", "_scales"  # of a stack in MXFP4, after its name in gpt-oss' files
BYTES_OF_BLOCK = 16


def to_state_dict(weight: Weight4bit, name: str, offset: float | None = None) -> dict[str, Tensor]:
    """Returns a weight's tensors under its name and names that begin with it; other values are JSON in bytes. offset:
    the nested offset if known; otherwise it is read from the device, which synchronizes a GPU."""
    if weight.quant_type not in QUANT_TYPES:
        raise ValueError(
            f"bitsandbytes' layout has no quant_type {weight.quant_type!r}, which {name!r} has: keep the files that it "
            "was read from, or torch.save the Weight4bit"
        )
    found = {name: weight.packed, f"{name}.absmax": weight.absmax}
    found[f"{name}.quant_map"] = quant_map(weight.quant_type, weight.device)
    if weight.nested:
        _, _, nested_absmax, nested_quant_map, nested_offset = weight.tensors
        found |= {f"{name}.nested_absmax": nested_absmax, f"{name}.nested_quant_map": nested_quant_map}
        offset = nested_offset.item() if offset is None else offset
    return found | {f"{name}.{STATE}{weight.quant_type}": encoded_form(weight.form, offset)}


def from_state_dict(state: Mapping[str, Tensor], name: str) -> Weight4bit:
    """Reads what to_state_dict or bitsandbytes has stored. Raises KeyError with the name of a missing tensor."""
    key = next((key for kind in QUANT_TYPES if (key := f"{name}.{STATE}{kind}") in state), None)
    if key is None:
        raise KeyError(f"{name}.{STATE}{QUANT_TYPES[0]}")
    form, offset = decoded_form(state[key])
    tensors: tuple[Tensor, ...] = tuple(state[part] for part in (name, f"{name}.absmax"))
    if offset is not None:
        nested = state[f"{name}.nested_absmax"], state[f"{name}.nested_quant_map"]
        tensors = (*tensors, *nested, offset.to(tensors[0].device))
    return Weight4bit(tensors, *form)


def to_blocks(weight: Weight4bit, name: str) -> dict[str, Tensor]:
    """Returns a stack in MXFP4, [experts, rows, columns], under gpt-oss' names and in its shapes."""
    scales = weight.absmax.view(torch.uint8).view(*weight.shape[:-1], weight.shape[-1] // weight.blocksize)
    return {name + BLOCKS: weight.packed.view(torch.uint8).view(*scales.shape, BYTES_OF_BLOCK), name + SCALES: scales}


def from_blocks(state: Mapping[str, Tensor], name: str) -> Weight4bit:
    """Reads what to_blocks returns or a gpt-oss checkpoint has. Raises KeyError with the name of a missing tensor."""
    blocks, scales = state[name + BLOCKS], state[name + SCALES]
    if blocks.shape != (*scales.shape, BYTES_OF_BLOCK):
        raise ValueError(
            f"{name}{BLOCKS} is {[*blocks.shape]}, it must be {[*scales.shape, BYTES_OF_BLOCK]} by its scales"
        )
    *rows, count = scales.shape
    block = 2 * BYTES_OF_BLOCK
    return Weight4bit((blocks.flatten(-2), scales), (*rows, count * block), torch.bfloat16, "mxfp4", block)


def encoded_form(form: Form, nested_offset: float | None) -> Tensor:
    """Encodes bitsandbytes' quant_state as its JSON in bytes."""
    dtype = str(form.dtype).removeprefix("torch.")
    scalars: dict[str, Any] = {"quant_type": form.quant_type, "blocksize": form.blocksize}
    scalars |= {"dtype": dtype, "shape": [*form.shape]}
    if nested_offset is not None:
        scalars |= {"nested_blocksize": form.nested_blocksize, "nested_dtype": "float32"}
        scalars["nested_offset"] = nested_offset
    return torch.frombuffer(bytearray(json.dumps(scalars).encode()), dtype=torch.uint8)


def decoded_form(state: Tensor) -> tuple[Form, Tensor | None]:
    """Returns the form and, for a nested weight, its offset."""
    scalars = json.loads(bytes(state.tolist()))
    offset = scalars.get("nested_offset")
    form = Form(
        tuple(scalars["shape"]),
        getattr(torch, scalars["dtype"]),
        scalars["quant_type"],
        scalars["blocksize"],
        scalars.get("nested_blocksize", NESTED_BLOCKSIZE),
    )
    return form, None if offset is None else torch.tensor(offset, dtype=torch.float32)


def quant_map(quant_type: QuantType, device: torch.device) -> Tensor:
    """Returns the values of the codes 0 to 15."""
    codes = torch.arange(0x01, 0x100, 0x22, dtype=torch.uint8)  # 0 and 1, 2 and 3 and so on
    return decode_in_shape(Weight4bit((codes, torch.ones(1)), (16,), torch.float32, quant_type)).to(device)
