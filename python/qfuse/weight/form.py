"""The form of a 4-bit weight, that is, its properties other than its tensors, and the tensors' names."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import torch

QuantType = Literal["nf4", "fp4", "int4", "mxfp4", "nvfp4", "nvfp4_divisor"]

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
QUANT_TYPES: tuple[QuantType, ...] = ("nf4", "fp4")  # bitsandbytes' own
BLOCKSIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096)  # bitsandbytes' own
NESTED_BLOCKSIZE = 256  # bitsandbytes has no other
TENSORS = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")  # the last three only if nested
SCALED = ("packed", "absmax", "global_scale")  # with scales of rows in the place of absmax; "nvfp4" may have the last


class Form(NamedTuple):
    """dtype: the dtype that the weight decodes to. Weight4bit has these fields after its tensors.

    In quant_types other than bitsandbytes' own, rows are whole blocks, and scales [..., cols / blocksize] take the
    place of absmax; none is nested. Low nibbles come first.
    - "int4": codes -8 to 7, stored plus 8; scales float32, float16 or bfloat16; blocksize a power of two, 32 to 4096
    - "mxfp4": E2M1 codes, blocksize 32, scales float8_e8m0fnu or uint8
    - "nvfp4" and "nvfp4_divisor": E2M1 codes, blocksize 16, scales float8_e4m3fn or uint8, and optionally global_scale,
      one float32, or one for each expert of a stack: a factor of the scales (modelopt), or a divisor
      (compressed-tensors)
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    quant_type: QuantType = QUANT_TYPES[0]
    blocksize: int = 64
    nested_blocksize: int = NESTED_BLOCKSIZE


def tensor_names(tensors: Sequence[Any]) -> tuple[str, ...]:
    """Returns the names of a weight's tensors, by their number."""
    return SCALED if len(tensors) == len(SCALED) else TENSORS[: len(tensors)]
