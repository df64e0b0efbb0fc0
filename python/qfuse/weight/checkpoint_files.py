"""Maps the arrays in a checkpoint's files to torch's dtypes, shapes and 4-bit weights."""

import json
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..native import library
from .form import BLOCKSIZES, NESTED_BLOCKSIZE, QuantType
from .weight_4bit import Weight4bit

# dtypes by safetensors' names. torch has no F6_E2M3 and F6_E3M2.
DTYPES = {
    "BOOL": torch.bool,
    "F4": torch.float4_e2m1fn_x2,
    "U8": torch.uint8,
    "I8": torch.int8,
    "F8_E5M2": torch.float8_e5m2,
    "F8_E4M3": torch.float8_e4m3fn,
    "F8_E8M0": torch.float8_e8m0fnu,
    "F8_E4M3FNUZ": torch.float8_e4m3fnuz,
    "F8_E5M2FNUZ": torch.float8_e5m2fnuz,
    "I16": torch.int16,
    "U16": torch.uint16,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I32": torch.int32,
    "U32": torch.uint32,
    "F32": torch.float32,
    "C64": torch.complex64,
    "F64": torch.float64,
    "I64": torch.int64,
    "U64": torch.uint64,
}


def inspect_files(path: str | os.PathLike[str]) -> Any:
    try:
        os.stat(path)  # raises PermissionError and other OSErrors
    except FileNotFoundError as error:
        hint = "No such local path; of a model on the Hub, huggingface_hub.snapshot_download(id) gives one"
        raise FileNotFoundError(error.errno, hint, os.fspath(path)) from None
    return json.loads(library.inspect(path))["tensors"]


def weight_form(tensor: Any, read: Callable[[Any], Tensor]) -> Weight4bit:
    """Makes a weight of the inventory from its arrays, which `read` returns."""
    name = tensor["name"]
    arrays = {array["name"]: array for array in tensor["arrays"]}
    parts = [name, f"{name}.absmax"]
    if tensor["nested"]:
        parts += [f"{name}.nested_absmax", f"{name}.nested_quant_map"]
    tensors = [read(arrays[part]) for part in parts]
    if tensor["nested"]:
        tensors.append(torch.tensor(float(tensor["nested_offset"]), dtype=torch.float32, device=tensors[0].device))
    scalars = tensor["format"], tensor["blocksize"], tensor["nested_blocksize"] or NESTED_BLOCKSIZE
    return Weight4bit(tuple(tensors), tuple(tensor["shape"]), DTYPES[tensor["dtype"]], *scalars)


# The quant_type by the inventory's format, and by the array of the global scale in NVFP4, which multiplies or divides.
_SCALED: dict[tuple[str, str], QuantType] = {
    ("int4", ""): "int4",
    ("mxfp4", ""): "mxfp4",
    ("nvfp4", "weight_scale_2"): "nvfp4",
    ("nvfp4", "weight_global_scale"): "nvfp4_divisor",
}


def scaled_form(tensor: Any, read: Callable[[Any], Tensor]) -> Weight4bit | None:
    """Makes a weight of the inventory whose rows have scales. Returns None for one of another format, with zero points,
    or with rows that are not whole blocks. The rows of gpt-oss' stacks are outputs, as in files: transposed to the
    inventory's shape."""
    packed, *others = tensor["arrays"]
    ends = {array["name"].rpartition(".")[2]: array for array in others}
    scales = next((ends[end] for end in ends if end in ("scale", "weight_scale") or end.endswith("_scales")), None)
    of_all = next((end for end in ends if (tensor["format"], end) in _SCALED), "")
    quant_type = _SCALED.get((tensor["format"], of_all))
    if quant_type is None or scales is None or "weight_zero_point" in ends:
        return None
    (*rows, blocks), block = scales["shape"], max(tensor["block"])
    cols = tensor["shape"][-1 if tensor["block"][0] == 1 else -2]
    if cols != blocks * block or (quant_type == "int4" and block not in BLOCKSIZES):
        return None
    tensors = tuple(read(array) for array in (packed, scales, *([ends[of_all]] if of_all else [])))
    return Weight4bit(tensors, (*rows, cols), DTYPES[tensor["dtype"]], quant_type, block)


def raw_form(array: Any) -> tuple[torch.dtype, list[int]]:
    """Returns the dtype and shape that an array of the inventory has in torch."""
    dtype, shape = DTYPES.get(array["dtype"]), array["shape"]
    if dtype is torch.float4_e2m1fn_x2:  # one element in torch holds two of the file
        *shape, last = shape
        dtype = dtype if last % 2 == 0 else None
        shape = [*shape, last // 2]
    if dtype is None:
        raise ValueError(
            f"{array['path']}: tensor '{array['name']}': torch has no dtype for {array['dtype']} of "
            f"shape {array['shape']}"
        )
    return dtype, shape


def encoded(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def identity(file: os.stat_result) -> tuple[int, ...]:
    return file.st_dev, file.st_ino, file.st_size, file.st_mtime_ns
