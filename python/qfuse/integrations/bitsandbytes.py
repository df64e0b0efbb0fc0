"""bitsandbytes on qfuse: replaces its encode, and its decode where that is a separate step. Bytes are those of CUDA.

dequantize_4bit takes one pass instead of three for a nested weight. bitsandbytes calls it for the gradients of
Linear4bit and for parametrized weights; peft calls it to merge and unmerge adapters; transformers in
model.dequantize().

quantize_4bit, which quantizes a layer when it moves to a GPU, runs on torch's current stream. bitsandbytes' own runs on
the default stream, where it may read a weight before the weight is complete.

gemm_4bit multiplies few tokens without decoding; that path is not replaced. For many tokens, as in training, it decodes
in three launches and multiplies, in the function _dequant_linear_fallback, which is replaced.

enable(matmul=True) also replaces matmul_4bit, which Linear4bit calls in its forward pass. qfuse's may sum in another
order than bitsandbytes, so results differ by roundings. With enable(matmul="factored"), products of few rows without a
gradient use the order "factored" of qfuse.ops.matmul_4bit. Products for which bitsandbytes' kernel is faster, or may
be, stay its own: on GPUs other than Hopper some of more than 128 rows.

Calls that qfuse does not support, such as on another device or with an unusual state, go to the original. Two cases
raise ValueError: codes that were cast, and a weight that bitsandbytes has repacked for its CPU kernels, because the
original decodes it as if it were not repacked. qfuse computes the product with a repacked weight if a gradient is
needed, because the original has none."""

from contextlib import AbstractContextManager
from typing import Any, Literal

import torch
from torch import Tensor

from .. import ops
from ..layers.inspection import is_plain
from ..native import torch_ops
from ..native.devices import has_gpu
from ..ops.functional import decode, multiply
from ..ops.gradients import needs_gradient
from ..ops.orders import is_slower_than_bitsandbytes
from ..patching import patch
from ..patching.hook import Kernel
from ..patching.patch import Patch, Patches, Report, Unneeded
from ..weight.form import BLOCKSIZES, FLOAT_DTYPES, NESTED_BLOCKSIZE, QUANT_TYPES
from ..weight.quant_state import decodable_weight, is_repacked, refuse_cast, unpacked_weight
from ..weight.weight_4bit import Weight4bit, without_torch_function

__all__ = ["disable", "enable", "enabled", "report"]

_made: dict[tuple[str, torch.device, torch.dtype], Tensor] = {}


def _dequantize_4bit(
    A: Tensor,
    quant_state: Any = None,
    absmax: Tensor | None = None,
    out: Tensor | None = None,
    blocksize: int | None = None,
    quant_type: str = "fp4",
    **more: Any,
) -> Tensor | None:
    weight = decodable_weight(A, quant_state) if quant_state is not None and not more else None
    if weight is None:
        return None
    return decode(weight, out)


def _quantize_4bit(
    A: Tensor,
    absmax: Tensor | None = None,
    out: Tensor | None = None,
    blocksize: int | None = None,
    compress_statistics: bool = False,
    quant_type: ops.QuantType = "fp4",
    quant_storage: torch.dtype = torch.uint8,
    **more: Any,
) -> tuple[Tensor, Any] | None:
    if blocksize is None:
        blocksize = 64
    usual = absmax is None and out is None and not more
    if not usual or not _is_encodable(A, blocksize, quant_type, quant_storage):
        return None
    from bitsandbytes.functional import QuantState

    packed, scales = _encode(A, blocksize, quant_type, quant_storage)
    offset = state2 = None
    if compress_statistics:
        offset = scales.mean()  # torch's mean, to match bitsandbytes to the last bit
        scales, nested_absmax = ops.quantize_blockwise(scales - offset, NESTED_BLOCKSIZE, reciprocal="approx")
        state2 = QuantState(
            nested_absmax, code=_map("dynamic", A.device).clone(), blocksize=NESTED_BLOCKSIZE, dtype=torch.float32
        )
    code = _map(quant_type, A.device).clone()
    state = QuantState(scales, A.shape, code, blocksize, quant_type, A.dtype, offset, state2)
    return packed, state


def _is_encodable(A: Tensor, blocksize: int, quant_type: str, quant_storage: torch.dtype) -> bool:
    """Whether qfuse encodes A. On a CPU it does not, because bitsandbytes' bytes differ there."""
    known = A.dtype in FLOAT_DTYPES and blocksize in BLOCKSIZES and quant_type in QUANT_TYPES
    whole = (A.numel() + 1) // 2 % quant_storage.itemsize == 0  # otherwise bitsandbytes drops the last bytes
    return known and whole and A.is_cuda and torch.version.hip is None and is_plain(A) and has_gpu()


def _encode(A: Tensor, blocksize: int, quant_type: ops.QuantType, quant_storage: torch.dtype) -> tuple[Tensor, Tensor]:
    packed, scales = ops.quantize_4bit(A.contiguous(), blocksize, quant_type, "approx")
    return packed.view(-1).view(quant_storage).view(-1, 1), scales


def _map(name: str, device: torch.device) -> Tensor:
    """Codebook of "nf4", "fp4" or, for the nested absmax, "dynamic", from bitsandbytes' own functions. Clone it.

    bitsandbytes copies it to the GPU and synchronizes for every weight; here only the first weight of each kind does. A
    tensor made in a compiled graph is in the graph's memory and is not cached. During the capture of a CUDA graph,
    torch raises at the synchronization, before there is anything to cache.
    """
    key = name, device, torch.get_default_dtype()  # the dtype of the 16 values of a quant_type
    found = _made.get(key)
    if found is None:
        from bitsandbytes.functional import create_dynamic_map, get_4bit_type

        found = (create_dynamic_map() if name == "dynamic" else get_4bit_type(name, "cpu")).to(device)
        if is_plain(found) and not torch.compiler.is_compiling():
            _made[key] = found
    return found


def _weight_of_op(
    B: Tensor,
    shape: Any,
    dtype: torch.dtype,
    absmax: Tensor,
    blocksize: int,
    quant_type: str,
    absmax_8bit: Tensor | None = None,
    absmax_code: Tensor | None = None,
    absmax_offset: Tensor | None = None,
) -> Weight4bit | None:
    """Makes a weight from the arguments of bitsandbytes' ops. If absmax_8bit is given, absmax is the nested absmax."""
    if absmax_8bit is None:
        return decodable_weight(B, [absmax, shape, dtype, blocksize, None, quant_type])
    state2 = [absmax, absmax_code, NESTED_BLOCKSIZE, None, torch.float32]
    return decodable_weight(B, [absmax_8bit, shape, dtype, blocksize, [absmax_offset, state2], quant_type])


def _decode_op(A: Tensor, absmax: Tensor, blocksize: int, quant_type: str, shape: Any, dtype: torch.dtype) -> Any:
    """Implements bitsandbytes::dequantize_4bit, which has neither nested absmax nor a transpose."""
    weight = _weight_of_op(A, shape, dtype, absmax, blocksize, quant_type)
    return None if weight is None else torch_ops.dequantize_4bit(weight)


def _encode_op(
    A: Tensor, blocksize: int, quant_type: ops.QuantType, quant_storage: torch.dtype
) -> tuple[Tensor, Tensor] | None:
    """Implements bitsandbytes::quantize_4bit, which has no nested absmax."""
    return (
        _encode(A, blocksize, quant_type, quant_storage)
        if _is_encodable(A, blocksize, quant_type, quant_storage)
        else None
    )


def _decode_and_multiply(
    A: Tensor,
    B: Tensor,
    shapeB: Any,
    absmax: Tensor,
    blocksize: int,
    quant_type: str,
    bias: Tensor | None = None,
    absmax_8bit: Tensor | None = None,
    absmax_code: Tensor | None = None,
    absmax_offset: Tensor | None = None,
) -> Tensor | None:
    """Implements bitsandbytes::gemm_4bit like bitsandbytes does on a CPU, and on a GPU for many tokens."""
    weight = _weight_of_op(B, shapeB, A.dtype, absmax, blocksize, quant_type, absmax_8bit, absmax_code, absmax_offset)
    if weight is None:
        return None
    with without_torch_function():
        decoded = torch_ops.dequantize_4bit(weight)
    return torch.nn.functional.linear(A, decoded, bias)


def _multiply_op(
    A: Tensor,
    B: Tensor,
    shapeB: Any,
    absmax: Tensor,
    blocksize: int,
    quant_type: str,
    bias: Tensor | None = None,
    absmax_8bit: Tensor | None = None,
    absmax_code: Tensor | None = None,
    absmax_offset: Tensor | None = None,
) -> Tensor | None:
    """Implements bitsandbytes::gemm_4bit for calls without a gradient, as in bitsandbytes' matmul_4bit. Leaves others
    to the kernel that was there before, which supports gradients on a CPU."""
    if needs_gradient(A, bias):
        return None
    weight = _weight_of_op(B, shapeB, A.dtype, absmax, blocksize, quant_type, absmax_8bit, absmax_code, absmax_offset)
    return None if weight is None else _multiply(A, weight, bias)


def _matmul_4bit(
    A: Tensor, B: Tensor, quant_state: Any = None, out: Tensor | None = None, bias: Tensor | None = None, **more: Any
) -> Tensor | None:
    """Multiplies in A's dtype without autocast, because Linear4bit has cast A to its compute_dtype."""
    usual = quant_state is not None and out is None and not more and A.dtype in FLOAT_DTYPES
    if not usual:
        return None
    if is_repacked(quant_state):
        if not needs_gradient(A, bias):
            return None  # bitsandbytes' CPU kernel multiplies by it, but has no gradient
        weight: Weight4bit | None = unpacked_weight(B, quant_state)
    else:
        weight = decodable_weight(B, quant_state)
    return None if weight is None else _multiply(A, weight, bias)


def _multiply(A: Tensor, weight: Weight4bit, bias: Tensor | None) -> Tensor | None:
    if not _fits(A, weight, bias) or is_slower_than_bitsandbytes(A, weight.shape, weight.blocksize):
        return None
    return multiply(A, weight, bias, few_factored=_few_factored.is_enabled)


def _refuse_cast_codes(
    A: Tensor, B: Tensor, quant_state: Any, out: Tensor | None = None, bias: Tensor | None = None
) -> None:
    """Checks every matmul_4bit, because further down the weight is a plain tensor without the dtype of its codes."""
    if quant_state is not None:
        refuse_cast(B, quant_state)


def _fits(A: Tensor, weight: Weight4bit, bias: Tensor | None) -> bool:
    shape, device = weight.shape, weight.device
    fits = A.dtype in FLOAT_DTYPES and len(shape) == 2 and A.shape[-1:] == shape[1:] and A.device == device
    if bias is not None:
        fits = fits and bias.dtype == A.dtype and bias.shape == shape[:1] and bias.device == A.device
    return fits


def _examine(module: Any) -> None:
    if not hasattr(torch.ops.bitsandbytes, "gemm_4bit"):
        raise Unneeded("before 0.50, its matmul_4bit goes by how codes lie to tell weights from transposes")


_OPS_OF = {"CPU": "bitsandbytes.backends.cpu.ops", "CUDA": "bitsandbytes.backends.cuda.ops"}


def _kernel(op: str, device: str, ours: Any) -> Kernel:
    return Kernel(f"bitsandbytes::{op}", device, ours, _OPS_OF[device])


_patches = Patches(
    _kernel("dequantize_4bit", "CPU", _decode_op),
    _kernel("dequantize_4bit", "CUDA", _decode_op),
    _kernel("quantize_4bit", "CUDA", _encode_op),
    _kernel("gemm_4bit", "CPU", _decode_and_multiply),
    Patch("bitsandbytes.functional", "dequantize_4bit", _dequantize_4bit),
    Patch("bitsandbytes.functional", "quantize_4bit", _quantize_4bit),
    Patch(_OPS_OF["CUDA"], "_dequant_linear_fallback", _decode_and_multiply, private=True),
    Patch("bitsandbytes.autograd._functions", "matmul_4bit", _refuse_cast_codes, private=True, is_guard=True),
    library="bitsandbytes",
)
_product = Patches(
    _kernel("gemm_4bit", "CPU", _multiply_op),
    _kernel("gemm_4bit", "CUDA", _multiply_op),
    Patch("bitsandbytes.autograd._functions", "matmul_4bit", _matmul_4bit, examine=_examine),
    library="bitsandbytes",
)
_few_factored = Patches()  # replaces nothing: a flag that _multiply reads
Matmul = bool | Literal["factored"]


def _patches_of(matmul: Matmul) -> list[Patches]:
    if matmul not in (False, True, "factored"):
        raise ValueError(f"matmul is {matmul!r}, it can be False, True or 'factored'")
    return [_patches] + [_product] * bool(matmul) + [_few_factored] * (matmul == "factored")


def enable(matmul: Matmul = False) -> Report:
    """Replaces the functions that can be replaced until disable(), and reports why the others could not be.

    Failures are also warnings, except for private functions. A second call covers modules imported since the first.

    matmul: True also replaces matmul_4bit, with which Linear4bit multiplies. "factored" does the same, and where
    qfuse.matmul_4bit would use the order "split", for few rows without a gradient, it uses "factored" if the device and
    weight support that. On GPUs other than Hopper, products for which bitsandbytes' kernels may be faster stay its own.
    """
    return patch.enable(_patches_of(matmul))


def report() -> Report:
    """Reports what is replaced now."""
    return _patches.report() + _product.report()


def disable() -> None:
    """Restores all originals, even inside enabled(). Does nothing if nothing is enabled."""
    for patches in (_few_factored, _product, _patches):
        patches.disable()


def enabled(matmul: Matmul = False) -> AbstractContextManager[Report]:
    """enable() as a context manager. The last of several to exit restores the originals; a plain enable() persists."""
    return patch.enabled(_patches_of(matmul))
