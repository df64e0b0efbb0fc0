"""The ops, with types and documentation. Each is torch.ops.qfuse.<name>, a single node in compiled code.

All ops run on the CPU and on CUDA, on their tensors' device and torch's current stream there. They do not synchronize,
allocate only what they return, and can be captured into a CUDA graph once they have run on that device. All tensors of
a call must be on one device and contiguous unless said otherwise. Anything else raises a RuntimeError that names the
argument, its value and the requirement. include/qfuse/qfuse.h has the exact formulas, including every rounding.

In shapes, n is the number of weight elements and nb = ceil(n / blocksize) the number of blocks.
"""

from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from ..native import torch_ops
from ..native.torch_ops import Call, Direction, Order
from ..weight.form import QuantType
from ..weight.weight_4bit import Weight4bit
from . import fakes, gradients, rotated_products
from .swiglu_calls import expert_columns, silu_dot_fwd_bwd_quant_fuse, swiglu

__all__ = [
    "Direction",
    "Order",
    "QuantType",
    "dequantize_4bit",
    "dequantize_4bit_out",
    "dequantize_4bit_rows",
    "dequantize_blockwise",
    "dequantize_blockwise_out",
    "dequantize_fp8",
    "dequantize_int8",
    "expert_columns",
    "lora_merge",
    "lora_merge_out",
    "matmul_4bit",
    "matmul_4bit_grouped",
    "matmul_4bit_many",
    "quantize_4bit",
    "quantize_4bit_nested",
    "quantize_blockwise",
    "rotated_int8_matmul",
    "rotated_int8_quantize",
    "rotated_int8_swiglu",
    "rotated_int8_weight",
    "rotated_int8_weight_scales",
    "silu_dot_fwd_bwd_quant_fuse",
    "swiglu",
]

Reciprocal = Literal["ieee", "approx"]

rotated_products.register()
fakes.register()
gradients.register()
_ops = torch.ops.qfuse
_no_gradients = torch.library.Library("qfuse", "IMPL")  # registrations last as long as this object
for _op in (
    "dequantize_4bit",
    "dequantize_4bit_rows",
    "dequantize_blockwise",
    "dequantize_fp8",
    "dequantize_int8",
    "lora_merge",
    "lora_merge.out",
    "lora_merge_4bit",
    "quantize_4bit",
    "quantize_4bit.nested",
    "quantize_4bit.kept",
    "quantize_blockwise",
    "rotated_int8_matmul",
    "rotated_int8_quantize",
    "rotated_int8_swiglu",
    "rotated_int8_weight",
    "rotated_int8_weight_scales",
):
    # Otherwise torch gives results a gradient function that only warns if an argument requires a gradient.
    _no_gradients.impl(_op, torch.library.fallthrough_kernel, "Autograd")


def _weight(tensors: Sequence[Tensor], *form: Any) -> Weight4bit:
    """Makes a Weight4bit without checks: the ops reject invalid arguments."""
    return Weight4bit._make((tensors, *form))


def dequantize_4bit(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
) -> Tensor:
    """Decodes NF4 or FP4 weights with plain or nested absmax in one pass, with the bits of bitsandbytes on CUDA.

    weight: (packed, absmax) or (packed, absmax, nested_absmax, nested_quant_map, nested_offset), like
    Weight4bit.tensors. packed: ceil(n/2) bytes of two codes, the first in the high half, in any storage dtype; only its
    bits count. absmax: [nb] float32, or uint8 if nested. nested_absmax: [ceil(nb / nested_blocksize)] float32.
    nested_quant_map: [256] float32, the map stored with the weight. nested_offset: one float32, read on the device.
    dtype: float32, float16 or bfloat16. quant_type: "nf4" or "fp4". blocksize: a power of two, 32 to 4096. Returns
    `shape` in `dtype`.

    With quant_type "int4", "mxfp4", "nvfp4" or "nvfp4_divisor", which products also accept, weight is (packed, scales),
    the first code in the low half, and the last dimension a multiple of blocksize. scales: [nb] in any shape; "int4":
    float32, float16 or bfloat16; "mxfp4": float8_e8m0fnu or uint8; "nvfp4": float8_e4m3fn or uint8. blocksize is 32 for
    "mxfp4", 16 for "nvfp4". A third tensor of "nvfp4", one float32 or one for each expert of a stack, is a factor of
    the scales (modelopt's weight_scale_2), of "nvfp4_divisor" a divisor (compressed-tensors' weight_global_scale).
    """
    return torch_ops.dequantize_4bit(_weight(weight, shape, dtype, quant_type, blocksize, nested_blocksize))


def dequantize_4bit_out(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    *,
    out: Tensor,
) -> Tensor:
    """Writes dequantize_4bit's result to `out`, which has exactly `shape` and `dtype` and overlaps no argument."""
    return torch_ops.dequantize_4bit_out(_weight(weight, shape, dtype, quant_type, blocksize, nested_blocksize), out)


def quantize_4bit(
    input: Tensor,
    blocksize: int,
    quant_type: QuantType,
    reciprocal: Reciprocal = "ieee",
    importance: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Quantizes float32, float16 or bfloat16 of any shape to (packed [ceil(n/2), 1] uint8, absmax [nb] float32).

    reciprocal: how to divide by absmax: "ieee" or, only on CUDA, "approx", which gives the bytes of bitsandbytes there.

    importance: [k] float32, each >= 0, for an input [..., k]: the mean square of each input of the layer. Each block's
    absmax is then the scale with the least error, weighted by importance, of the six that qfuse.h lists; some are
    negative. Every decoder that multiplies by absmax reads them.
    """
    packed, absmax = _ops.quantize_4bit.default(input, blocksize, quant_type, reciprocal, importance)
    return packed, absmax


def quantize_4bit_nested(
    input: Tensor,
    blocksize: int,
    quant_type: QuantType,
    nested_blocksize: int = 256,
    given_offset: Tensor | None = None,
    reciprocal: Reciprocal = "ieee",
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Like quantize_4bit, but quantizes absmax too. Returns the tensors in the order of Weight4bit.tensors.

    packed: [ceil(n/2), 1] uint8. absmax: [nb] uint8. nested_absmax: [ceil(nb / nested_blocksize)] float32.
    nested_quant_map: [256] float32, the signed dynamic code. nested_offset: [] float32, the mean of absmax, or
    given_offset.
    """
    outputs: tuple[Tensor, Tensor, Tensor, Tensor, Tensor] = _ops.quantize_4bit.nested(
        input,
        blocksize,
        quant_type,
        nested_blocksize=nested_blocksize,
        given_offset=given_offset,
        reciprocal=reciprocal,
    )
    return outputs


def quantize_4bit_kept(
    input: Tensor,
    weight: Sequence[Tensor],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
) -> Tensor:
    """Quantizes float32, float16 or bfloat16 by the absmax of another weight to packed [ceil(n/2), 1] uint8.

    weight: a weight of as many elements, as for dequantize_4bit, plain or nested; its codes are not read. Values beyond
    a block's absmax get the outermost code. With the other tensors of weight, packed is a weight.
    """
    packed: Tensor = _ops.quantize_4bit.kept(
        input, weight, quant_type=quant_type, blocksize=blocksize, nested_blocksize=nested_blocksize
    )
    return packed


def quantize_blockwise(
    input: Tensor, blocksize: int, offset: float = 0.0, reciprocal: Reciprocal = "ieee"
) -> tuple[Tensor, Tensor]:
    """Quantizes input - offset in the signed dynamic 8-bit code: uint8 codes in input's shape, absmax [nb] float32."""
    codes, absmax = _ops.quantize_blockwise.default(input, blocksize, offset, reciprocal)
    return codes, absmax


def dequantize_blockwise(
    codes: Tensor, absmax: Tensor, quant_map: Tensor, blocksize: int, dtype: torch.dtype
) -> Tensor:
    """Decodes uint8 codes of any shape to `dtype`. quant_map: [256] float32, any codebook. absmax: [nb] float32."""
    result: Tensor = _ops.dequantize_blockwise.default(codes, absmax, quant_map, blocksize, dtype)
    return result


def dequantize_blockwise_out(
    codes: Tensor, absmax: Tensor, quant_map: Tensor, blocksize: int, dtype: torch.dtype, *, out: Tensor
) -> Tensor:
    """Writes dequantize_blockwise's result to `out`, of codes' shape and `dtype`, which overlaps no other argument."""
    _ops.dequantize_blockwise.out(codes, absmax, quant_map, blocksize, dtype, out=out)
    return out


def dequantize_int8(codes: Tensor, scb: Tensor, dtype: torch.dtype) -> Tensor:
    """Decodes LLM.int8 weights: codes [rows, cols] int8, scb [rows] float32, each row's largest magnitude."""
    result: Tensor = _ops.dequantize_int8.default(codes, scb, dtype)
    return result


def dequantize_4bit_rows(
    packed: Tensor,
    scales: Tensor,
    cols: int,
    quant_type: str,
    blocksize: int,
    dtype: torch.dtype,
    *,
    global_scale: Tensor | None = None,
    global_divisor: Tensor | None = None,
    zero_points: Tensor | None = None,
) -> Tensor:
    """Decodes E2M1 or INT4 codes with one scale per block of a row, as in MXFP4, NVFP4 and grouped INT4.

    An element is (code - zero point) * A in float32, rounded to `dtype`. A is the block's scale, times *global_scale
    (modelopt's weight_scale_2) or over *global_divisor (compressed-tensors' weight_global_scale), rounded to float32.
    packed: [rows, ceil(cols / 2)] uint8, the even column in the low nibble. scales: [rows, ceil(cols / blocksize)]
    float8_e4m3fn, float8_e8m0fnu (also as uint8), float32, float16 or bfloat16. quant_type: 'e2m1' or 'int4'.
    blocksize: a multiple of 16, or at least cols. global_scale, global_divisor: one float32. zero_points: only for
    'int4', uint8 in the shape of scales; None means 8. dtype: float32, float16 or bfloat16.
    """
    result: Tensor = _ops.dequantize_4bit_rows.default(
        packed,
        scales,
        cols,
        quant_type,
        blocksize,
        dtype,
        global_scale=global_scale,
        global_divisor=global_divisor,
        zero_points=zero_points,
    )
    return result


def dequantize_fp8(codes: Tensor, scales: Tensor, dtype: torch.dtype, blocks: tuple[int, int] = (128, 128)) -> Tensor:
    """Decodes FP8 weights with a scale for each block, the format of DeepSeek-V3 and Qwen3 checkpoints, to `dtype`.

    Each code is multiplied by its scale in float32 and rounded to `dtype`. codes: [rows, cols] float8_e4m3fn, or uint8
    with the same bits. blocks: rows and columns per block; (1, cols) for one scale per row, (rows, cols) for a single
    scale. scales: [ceil(rows / blocks[0]), ceil(cols / blocks[1])], or flat if one of these is 1; float32, bfloat16,
    float16, or float8_e8m0fnu, also as uint8. dtype: float32, float16 or bfloat16.
    """
    result: Tensor = _ops.dequantize_fp8.default(codes, scales, *blocks, dtype)
    return result


def lora_merge(weight: Tensor, a: Tensor, b: Tensor, scale: float, dtype: torch.dtype) -> Tensor:
    """Returns weight + scale * (b @ a), summed in float32 and rounded once to `dtype`, as `qfuse merge` writes it.

    weight: [rows, cols] float32, float16 or bfloat16. a: [rank, cols] and b: [rows, rank], float32. All three may have
    a first dimension of experts. scale: alpha / rank. dtype: float32, float16 or bfloat16. It has no gradients;
    qfuse.fake_quantize has those of the sum.
    """
    result: Tensor = _ops.lora_merge.default(weight, a, b, scale, dtype)
    return result


def lora_merge_out(weight: Tensor, a: Tensor, b: Tensor, scale: float, *, out: Tensor) -> Tensor:
    """Writes lora_merge's result, in out's dtype, to `out` in the weight's shape, which overlaps no factor.

    It may be the weight itself, or another tensor at its address with elements of the same size.
    """
    _ops.lora_merge.out(weight, a, b, scale, out=out)
    return out


def matmul_4bit(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: Direction = "forward",
    order: Order | None = "plain",
) -> Tensor:
    """Multiplies x [..., cols] by the transpose of a 4-bit weight [rows, cols] and adds bias [rows]: [..., rows].

    With direction="backward", multiplies x [..., rows] by the weight itself and adds bias [cols]: [..., cols]. x, bias
    and the result have one dtype, float32, float16 or bfloat16, to which the kernel decodes the weight. weight, shape
    (rows, cols), quant_type and the block sizes: as for dequantize_4bit. x may have any stride between rows; if its
    rows overlap or are not contiguous, x is copied. order: of the additions, "plain" or "split", which is faster for
    few rows. In any order, a row of the result depends only on that row of x. On a CPU without AMX both are the same.
    None: decodes the weight to memory, again in each direction, and multiplies with torch.

    order="factored" does not round the weight to x's dtype: it multiplies absmax, in float32, by sums of products with
    the codes' values. For inference with few rows, it is faster than "split" and closer to the weight before
    quantization. It requires CUDA, float16 on compute capability 7.5 or later or bfloat16 on 8.0 or later, the forward
    direction, no LoRA, cols that are a multiple of 64, and blocks of 64 or more; anything else is an error. It has no
    gradients: if x or bias requires one, it raises ValueError.

    lora_in [..., rank] and lora_weight, [rows, rank] or backward [rank, cols], in x's dtype, add a LoRA adapter:
    lora_in times the transpose of lora_weight, or backward times lora_weight, as further terms of the same sums.

    order="rotated_int8" does rotated_int8_quantize of x, rotated_int8_weight and rotated_int8_matmul in one call.

    All arguments but the weight may have gradients of any order; "rotated_int8" has first gradients only, "factored"
    none.
    """
    of = _weight(weight, shape, x.dtype, quant_type, blocksize, nested_blocksize)
    return gradients.matmul_4bit(Call(x, of, bias, direction, order, (lora_in, lora_weight)))


def matmul_4bit_grouped(
    x: Tensor,
    weight: Sequence[Tensor],
    expert_ends: Tensor,
    bias: Tensor | None = None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: Direction = "forward",
    order: Order | None = "plain",
) -> Tensor:
    """Does matmul_4bit for the rows of several experts, each with its own weight, bias and lora_weight; same bits.

    x: [m, cols], rows sorted by expert. expert_ends: [experts] int32 or int64 on x's device, ascending: the row after
    each expert's last one (offs in torch's grouped products). An expert may have no rows. Rows from the last end on
    belong to no expert: they are not read, their result is uninitialized, and their gradient is zero. On a GPU, the
    host does not wait for the ends, and each replay of a captured graph may have other ends. Ends that are not
    ascending or not within 0 to m give wrong results there, within the tensors; only torch's grouped products, which
    compute the gradients of bias and lora_weight in bfloat16, may fail an assertion. On a CPU such ends are an error.

    weight: the tensors of a stack of shape (experts, rows, cols), as for dequantize_4bit; each expert must fill whole
    blocks. A nested_offset of one element means that the stack was nested as a whole; nested_offset [experts] and
    nested_absmax [experts, ...] mean that each expert was nested by itself. bias: [experts, rows], or backward
    [experts, cols]. lora_in: [m, rank]. lora_weight: [experts, rows, rank], or backward [experts, rank, cols].

    direction="backward" maps x [m, rows] to [m, cols]. It is also the forward direction of a layer whose stack is
    stored transposed. order: as in matmul_4bit. None: decodes the stack to memory, and adds the bias and lora_in's
    product to the rounded product.

    All arguments but the weight may have gradients of any order, unless order is "factored".
    """
    of = _weight(weight, shape, x.dtype, quant_type, blocksize, nested_blocksize)
    return gradients.matmul_4bit(Call(x, of, bias, direction, order, (lora_in, lora_weight), expert_ends))


def matmul_4bit_many(
    x: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor] = (),
    *,
    rows: Sequence[int],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    order: Order = "plain",
) -> list[Tensor]:
    """Multiplies one x [..., cols] by several 4-bit weights [rows[i], cols], each with the bits of matmul_4bit.

    weights: the tensors of all weights in one flat list, the same number for each weight. biases: one per weight, or
    none. quant_type, the block sizes and order are shared by all. If x or a bias needs a gradient, the products are
    computed one by one, and order="factored" raises ValueError.
    """
    products: list[Tensor] = _ops.matmul_4bit_many.default(
        x,
        weights,
        biases,
        rows=rows,
        quant_type=quant_type,
        blocksize=blocksize,
        nested_blocksize=nested_blocksize,
        order=order,
    )
    return products


def rotated_int8_quantize(x: Tensor) -> tuple[Tensor, Tensor]:
    """Rotates x [..., terms], float32, float16 or bfloat16, by a Hadamard matrix and rounds it to INT8. Returns q in
    x's shape, and scale [...] float32, one per row.

    It prepares x for the training products x * W^T and dy * W by rotated_int8_matmul. terms must be a multiple of 64. x
    may have any stride between rows; if its rows overlap or are not contiguous, x is copied.
    """
    q, scale = _ops.rotated_int8_quantize.default(x)
    return q, scale


def rotated_int8_swiglu(gate: Tensor, up: Tensor, grad_y: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """Computes y = silu(gate) * up [..., channels], bfloat16, and rotated_int8_quantize of y in one pass. Returns y, q
    and scale; with grad_y instead the gradients of gate and up [2, ..., channels] and their q and scale.

    channels must be a multiple of 64. sigmoid, each product and y are computed as in swiglu: in fp32, and rounded to
    bfloat16 once. Strides between rows: as for rotated_int8_quantize.
    """
    out, q, scale = _ops.rotated_int8_swiglu.default(gate, up, grad_y)
    return out, q, scale


def rotated_int8_weight_scales(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    *,
    direction: Direction = "forward",
) -> Tensor:
    """Computes the INT8 scales of a 4-bit weight [rows, cols] after the rotation: [rows] float32 for x * W^T or, with
    direction="backward", [cols] for dy * W. Compute them once and keep them.

    weight, shape, quant_type and the block sizes: as for dequantize_4bit. cols must be a multiple of 64, and for
    "backward" rows too.
    """
    of = _weight(weight, shape, None, quant_type, blocksize, nested_blocksize)
    return torch_ops.rotated_int8_weight_scales(of, direction)


def rotated_int8_weight(
    weight: Sequence[Tensor],
    scale: Tensor,
    shape: Sequence[int],
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    *,
    direction: Direction = "forward",
) -> Tensor:
    """Converts a weight to int8 with the scales of rotated_int8_weight_scales: [rows, cols] or, with
    direction="backward", [cols, rows]."""
    of = _weight(weight, shape, None, quant_type, blocksize, nested_blocksize)
    return torch_ops.rotated_int8_weight(of, scale, direction)


def rotated_int8_matmul(
    x_q: Tensor,
    x_scale: Tensor,
    weight_q: Tensor,
    weight_scale: Tensor,
    dtype: torch.dtype,
    bias: Tensor | None = None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    direction: Direction = "forward",
) -> Tensor:
    """Multiplies x_q [..., terms] of rotated_int8_quantize by the transpose of weight_q [n, terms] of
    rotated_int8_weight and adds bias [n] and addend [..., n]. Returns [..., n] in `dtype`, also theirs, rounded once,
    with the same bits on every device. It has no gradients.

    lora_in [..., rank] and lora_weight, in `dtype`, add a LoRA adapter as in matmul_4bit. direction says only the
    layout of lora_weight: [n, rank] or, with "backward", [rank, n].
    """
    product: Tensor = _ops.rotated_int8_matmul.default(
        x_q, x_scale, weight_q, weight_scale, dtype, bias, lora_in, lora_weight, addend, direction=direction
    )
    return product
