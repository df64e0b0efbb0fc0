"""The form of a 4-bit weight, that is, its properties other than its tensors, and the tensors' names."""

from typing import Literal, NamedTuple

import torch

QuantType = Literal["nf4", "fp4", "mxfp4"]

FLOAT_DTYPES = (torch.float32, torch.float16, torch.bfloat16)
QUANT_TYPES: tuple[QuantType, ...] = ("nf4", "fp4")  # bitsandbytes' own
BLOCKSIZES = (32, 64, 128, 256, 512, 1024, 2048, 4096)  # bitsandbytes' own
NESTED_BLOCKSIZE = 256  # bitsandbytes has no other
TENSORS = ("packed", "absmax", "nested_absmax", "nested_quant_map", "nested_offset")  # the last three only if nested


class Form(NamedTuple):
    """dtype: the dtype that the weight decodes to. Weight4bit has these fields after its tensors.

    In "mxfp4", whose blocksize is 32 and whose rows are whole blocks, the scales take the place of absmax: uint8, the
    exponents of powers of two. It is never nested.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype
    quant_type: QuantType = QUANT_TYPES[0]
    blocksize: int = 64
    nested_blocksize: int = NESTED_BLOCKSIZE
