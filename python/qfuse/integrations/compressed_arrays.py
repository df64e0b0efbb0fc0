"""Reads from the headers of a compressed-tensors checkpoint which of its weights are packed in 4 bits, and how."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch
from safetensors import safe_open

from ..layers.packed_linear import DIVISOR, PACKED, SCALE
from ..weight.checkpoint_files import DTYPES
from ..weight.form import BLOCKSIZES, Form, QuantType

_SHAPE = "weight_shape"
_OF_WEIGHT = (SCALE, DIVISOR, _SHAPE, "weight_zero_point", "weight_g_idx")
_PARTS = ("scale", "zero_point", "global_scale")
OF_ACTIVATIONS = tuple(f"{of}_{part}" for of in ("input", "output", "q", "k", "v") for part in _PARTS)
_READ = ("pack-quantized", "nvfp4-pack-quantized", "mxfp4-pack-quantized")
_DECODE = "`qfuse dequantize` makes a 16-bit model of it"
BY_TRANSFORMERS = "load it by transformers itself, with its CompressedTensorsConfig(dequantize=True)"


class Array(NamedTuple):
    """dtype: in safetensors' spelling. values: read only for weight_shape."""

    dtype: str
    shape: tuple[int, ...]
    values: tuple[int, ...] = ()

    def empty(self, device: torch.device | str) -> torch.Tensor:
        return torch.empty(self.shape, dtype=DTYPES[self.dtype], device=device)


Arrays = dict[str, Array]  # of a module, by the last part of their names


def activation_bits(config: dict[str, Any]) -> int | None:
    """Returns the bits in which the checkpoint wants inputs quantized, or None. config: its quantization_config.

    Raises ValueError if the packed weights are only a part of what the layers compute with."""
    groups = list((config.get("config_groups") or {}).values())
    formats = {_value(each) for each in (config.get("format"), *(group.get("format") for group in groups)) if each}
    for other in sorted(formats - {*_READ, "mixed-precision", "dense"}):
        raise ValueError(
            f'config.json has the format "{other}", weights stay packed in {", ".join(_READ)}: {BY_TRANSFORMERS}'
        )
    transforms = (config.get("transform_config") or {}).get("config_groups")
    if transforms:
        raise ValueError(
            f"config.json has transforms ({', '.join(transforms)}) of inputs at run time: {BY_TRANSFORMERS}"
        )
    sparsity = (config.get("sparsity_config") or {}).get("format")
    if sparsity not in (None, "dense"):
        raise ValueError(f'config.json has sparse weights in the format "{_value(sparsity)}": {BY_TRANSFORMERS}')
    return next((each["num_bits"] for group in groups if (each := group.get("input_activations"))), None)


def _value(word: Any) -> Any:
    """Returns a member of an enum, as compressed-tensors has them, as config.json spells it."""
    return getattr(word, "value", word)


def read_modules(files: Iterable[str]) -> dict[str, Arrays]:
    """Returns the arrays of the files by the names of their modules there, and then by their last part. Raises
    ValueError for parts of a weight that is not packed."""
    modules: dict[str, Arrays] = {}
    for name, array in read_arrays(files):
        module, _, leaf = name.rpartition(".")
        modules.setdefault(module, {})[leaf] = array
    for module, arrays in modules.items():
        stray = next((leaf for leaf in _OF_WEIGHT if leaf in arrays and PACKED not in arrays), None)
        if stray is not None:
            raise ValueError(f"the files have {module}.{stray} without {PACKED}, as FP8 has it: {_DECODE}")
    return modules


def read_arrays(files: Iterable[str]) -> Iterator[tuple[str, Array]]:
    for file in files:
        if not file.endswith(".safetensors"):
            raise ValueError(f"{file}: packed weights are read from safetensors alone")
        with safe_open(file, "pt") as opened:
            for key in opened.keys():
                array = opened.get_slice(key)
                shape, is_short = tuple(array.get_shape()), key.endswith(f".{_SHAPE}")
                values = tuple(opened.get_tensor(key).tolist()) if is_short and shape == (2,) else ()
                yield key, Array(array.get_dtype(), shape, values)


def form_of(name: str, arrays: Arrays, shape: tuple[int, ...], dtype: torch.dtype) -> Form:
    """Returns the form of a module's packed weight.

    name: in the files. shape: of the weight in the model, [n, k]. dtype: of the model. Raises ValueError for a weight
    that no product takes, or whose arrays disagree with each other or with the model."""
    _refuse_others(name, arrays)
    quant_type, block, codes = _kind(name, arrays)
    n, k = shape
    scales = arrays[SCALE].shape
    blocks = scales[1] if len(scales) == 2 else 0
    if arrays[PACKED].shape != (n, k // codes) or k % codes or scales != (n, blocks):
        raise ValueError(
            f"{name} has {PACKED} {[*arrays[PACKED].shape]} and {SCALE} {[*scales]} in the files: for 4 bits of the "
            f"model's {n} x {k} these are [{n}, {k / codes:g}] and [{n}, groups]; {_DECODE}, if it has 4 bits"
        )
    stated = arrays[_SHAPE].values if _SHAPE in arrays else shape
    if stated != shape:
        raise ValueError(f"{name}.{_SHAPE} is {[*stated]} in the files, and {[*shape]} by config.json")
    block = block or (k // blocks if blocks else 0)
    if block not in (16, *BLOCKSIZES) or (quant_type == "int4" and block == 16) or block * blocks != k:
        raise ValueError(
            f"{name} has {blocks} scales in a row of {k} weights: products take groups whose size is a power of two "
            f"from {BLOCKSIZES[0]} to {BLOCKSIZES[-1]} and, in NVFP4, 16; {_DECODE}"
        )
    return Form(shape, dtype, quant_type, block)


def _kind(name: str, arrays: Arrays) -> tuple[QuantType, int, int]:
    """Returns the quant_type, its block size or 0 if it may have several, and the codes in an element of PACKED."""
    dtypes = [arrays[leaf].dtype if leaf in arrays else "missing" for leaf in (PACKED, SCALE, DIVISOR)]
    if dtypes[0] == "I32" and dtypes[1] in ("F32", "F16", "BF16") and dtypes[2] == "missing":
        return "int4", 0, 8
    if dtypes == ["U8", "F8_E4M3", "F32"] and arrays[DIVISOR].shape == (1,):
        return "nvfp4_divisor", 16, 2
    if dtypes[0] == "U8" and dtypes[1] in ("U8", "F8_E8M0") and dtypes[2] == "missing":
        return "mxfp4", 32, 2
    found = ", ".join(f"{leaf} {dtype}" for leaf, dtype in zip((PACKED, SCALE, DIVISOR), dtypes, strict=True))
    raise ValueError(f"{name} has {found}, which is neither INT4 nor NVFP4 nor MXFP4: download the files again")


def _refuse_others(name: str, arrays: Arrays) -> None:
    if "weight_zero_point" in arrays:
        raise ValueError(f"{name} has zero points, with which no product multiplies: {_DECODE}")
    if "weight_g_idx" in arrays:
        raise ValueError(
            f"{name} has weight_g_idx, columns whose groups are in another order (act-order), for which there are no "
            f"products: {BY_TRANSFORMERS}"
        )
    others = sorted(arrays.keys() - {PACKED, "bias", *_OF_WEIGHT, *OF_ACTIVATIONS})
    if others:
        raise ValueError(f"{name} has {', '.join(others)} beside its {PACKED}, which mean what is not known here")
