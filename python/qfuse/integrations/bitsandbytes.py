"""bitsandbytes.functional.dequantize_4bit on qfuse: one pass where a nested weight took three, the bits of CUDA.

bitsandbytes calls it for the gradients of Linear4bit and for parametrized weights; peft to merge and unmerge adapters;
transformers in model.dequantize(). bitsandbytes' fused inference product, gemm_4bit, decodes inside of itself and is
left alone. Whatever qfuse does not decode, another device or storage or an unusual state, goes to the original.
"""
from functools import wraps
from typing import Any

from torch import Tensor

from ..functional import decode
from ..quant_state import decodable_weight
from .patch import Function, Patch

__all__ = ["disable", "enable", "enabled"]

def _make(original: Function) -> Function:
    @wraps(original)
    def dequantize_4bit(A: Tensor, quant_state: Any = None, absmax: Tensor | None = None, out: Tensor | None = None,
                        blocksize: int | None = None, quant_type: str = "fp4", **more: Any) -> Tensor:
        weight = decodable_weight(A, quant_state) if quant_state is not None and not more else None
        if weight is None:
            result: Tensor = original(A, quant_state, absmax, out, blocksize, quant_type, **more)
            return result
        return decode(weight, out)

    return dequantize_4bit


_patch = Patch("bitsandbytes.functional", "dequantize_4bit", _make)
enable, disable, enabled = _patch.enable, _patch.disable, _patch.enabled
