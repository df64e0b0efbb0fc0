"""unsloth's fast_dequantize on qfuse, in every module that imported it by name: one launch where it made three.

Versions with a kernel of their own, of one launch and as fast, are left as they are. In the others it is the same call,
with three differences, all of them for the better: the current stream is honoured, not the one that was current when
unsloth was imported; FP4 and float32 states get their own bits, which unsloth decoded as NF4 and bfloat16; and
use_global_buffer is ignored, so that the next call does not overwrite a result. fp8 weights go to the original.
"""

from typing import Any

from torch import Tensor

from ..functional import decode
from ..quant_state import decodable_weight
from .patch import Patch, Patches, Unneeded

__all__ = ["disable", "enable", "enabled"]


def _fast_dequantize(
    W: Any,
    quant_state: Any = None,
    out: Tensor | None = None,
    use_global_buffer: bool = False,
    dtype: Any = None,
    **more: Any,
) -> Tensor | None:  # dtype: of fp8 weights alone
    ours = quant_state is not None and not more and isinstance(W, Tensor)
    weight = decodable_weight(W, quant_state) if ours else None
    if weight is None:
        return None
    return decode(weight, out)


def _examine(utils: Any) -> None:
    if getattr(utils, "_USE_NF4_KERNELS", False):
        raise Unneeded(
            "this unsloth decodes NF4 in one launch itself, which is as fast; with UNSLOTH_BNB_TRITON=0 in "
            "the environment it makes three, and those can be replaced"
        )


_patches = Patches(Patch("unsloth.kernels.utils", "fast_dequantize", _fast_dequantize, examine=_examine))
enable, disable, enabled = _patches.enable, _patches.disable, _patches.enabled
