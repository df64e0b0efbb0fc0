"""The ops with types and a manual. Each is torch.ops.qfuse.<name>, which compiled code sees as one node.

All of them run on the CPU and on CUDA, on the tensors' own device and torch's current stream there, wait for nothing,
allocate only what they return, and may be captured into a CUDA graph once they have run on that device. All tensors of
a call lie on one device and are contiguous unless said otherwise; anything else is a RuntimeError that names the
argument, what it is and what it must be. include/qfuse/qfuse.h has the formulas to the last rounding.

In shapes, n is the number of weights and nb = ceil(n / blocksize) that of blocks.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from ..native import torch_ops
from ..native.torch_ops import Call, Direction, Order
from ..weight.form import QuantType
from ..weight.weight_4bit import Weight4bit
from . import fakes, gradients, rotated_products

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
Recipe = Literal["int8", "deepseek", "transformer_engine", "torchao", "mx"]
ScaleRule = Literal["power_of_two", "torchao"]
ZeroRule = Literal["floor", "one", "least"]

rotated_products.register()
fakes.register()
gradients.register()
_ops = torch.ops.qfuse
_no_gradients = torch.library.Library("qfuse", "IMPL")  # whose registrations end with it
for _op in (
    "dequantize_4bit",
    "dequantize_4bit_rows",
    "dequantize_blockwise",
    "dequantize_fp8",
    "dequantize_int8",
    "quantize_4bit",
    "quantize_4bit.nested",
    "quantize_blockwise",
    "rotated_int8_matmul",
    "rotated_int8_quantize",
    "rotated_int8_swiglu",
    "rotated_int8_weight",
    "rotated_int8_weight_scales",
):
    # Else torch gives results a gradient function that only warns, wherever an argument requires a gradient.
    _no_gradients.impl(_op, torch.library.fallthrough_kernel, "Autograd")


def _weight(tensors: Sequence[Tensor], *form: Any) -> Weight4bit:
    """As given: the ops refuse what is none."""
    return Weight4bit._make((tensors, *form))


def dequantize_4bit(
    weight: Sequence[Tensor],
    shape: Sequence[int],
    dtype: torch.dtype,
    quant_type: QuantType = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
) -> Tensor:
    """NF4 or FP4 weights with plain or nested absmax, in one pass: the bits that bitsandbytes decodes on CUDA.

    weight: (packed, absmax) or (packed, absmax, nested_absmax, nested_quant_map, nested_offset), as Weight4bit.tensors
    has them. packed: ceil(n/2) bytes, two codes each, the first in the high half; any storage dtype, whose bits are
    taken as they are. absmax: [nb] float32, or uint8 where nested. nested_absmax: [ceil(nb / nested_blocksize)]
    float32. nested_quant_map: [256] float32, the map stored with the weight. nested_offset: one float32, read where it
    lies. dtype: float32, float16 or bfloat16. quant_type: "nf4" or "fp4". blocksize: a power of two, 32 to 4096.
    Returns `shape` in `dtype`.

    Of quant_type "mxfp4", which products take too, weight is (packed, scales): E2M1 codes, the first in the low half,
    and scales [nb], uint8 or float8_e8m0fnu. blocksize is 32, and the last dimension a multiple of it.
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
    """dequantize_4bit into `out`, which has exactly `shape` and `dtype` and overlaps no other argument."""
    return torch_ops.dequantize_4bit_out(_weight(weight, shape, dtype, quant_type, blocksize, nested_blocksize), out)


def quantize_4bit(
    input: Tensor, blocksize: int, quant_type: QuantType, reciprocal: Reciprocal = "ieee"
) -> tuple[Tensor, Tensor]:
    """float32, float16 or bfloat16 weights of any shape to (packed [ceil(n/2), 1] uint8, absmax [nb] float32).

    reciprocal: how to divide by absmax, "ieee" or, on CUDA only, "approx", which gives bitsandbytes' bytes there.
    """
    packed, absmax = _ops.quantize_4bit.default(input, blocksize, quant_type, reciprocal)
    return packed, absmax


def quantize_4bit_nested(
    input: Tensor,
    blocksize: int,
    quant_type: QuantType,
    nested_blocksize: int = 256,
    given_offset: Tensor | None = None,
    reciprocal: Reciprocal = "ieee",
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """quantize_4bit whose absmax are coded too: the tensors of a nested weight, in the order of Weight4bit.tensors.

    packed: [ceil(n/2), 1] uint8. absmax: [nb] uint8. nested_absmax: [ceil(nb / nested_blocksize)] float32.
    nested_quant_map: [256] float32, the signed dynamic code. nested_offset: [] float32, the mean of the absmax, or
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


def quantize_blockwise(
    input: Tensor, blocksize: int, offset: float = 0.0, reciprocal: Reciprocal = "ieee"
) -> tuple[Tensor, Tensor]:
    """input - offset in the signed dynamic 8-bit code: (codes, uint8 in the input's shape; absmax [nb] float32)."""
    codes, absmax = _ops.quantize_blockwise.default(input, blocksize, offset, reciprocal)
    return codes, absmax


def dequantize_blockwise(
    codes: Tensor, absmax: Tensor, quant_map: Tensor, blocksize: int, dtype: torch.dtype
) -> Tensor:
    """uint8 codes of any shape and any code, quant_map [256] float32, with absmax [nb] float32, decoded to `dtype`."""
    result: Tensor = _ops.dequantize_blockwise.default(codes, absmax, quant_map, blocksize, dtype)
    return result


def dequantize_blockwise_out(
    codes: Tensor, absmax: Tensor, quant_map: Tensor, blocksize: int, dtype: torch.dtype, *, out: Tensor
) -> Tensor:
    """dequantize_blockwise into `out`, which has the codes' shape and `dtype` and overlaps no other argument."""
    _ops.dequantize_blockwise.out(codes, absmax, quant_map, blocksize, dtype, out=out)
    return out


def dequantize_int8(codes: Tensor, scb: Tensor, dtype: torch.dtype) -> Tensor:
    """LLM.int8 weights to `dtype`: codes [rows, cols] int8, scb [rows] float32, the rows' largest absolute values."""
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
    """E2M1 or INT4 codes with scales of blocks along rows, as MXFP4, NVFP4 and INT4 in groups have them, decoded.

    (code - zero point) * A in float32, rounded to `dtype`; A is the block's scale, times *global_scale (modelopt's
    weight_scale_2) or over *global_divisor (compressed-tensors' weight_global_scale), rounded to float32. packed:
    [rows, ceil(cols / 2)] uint8, the even column in the low nibble. scales: [rows, ceil(cols / blocksize)]
    float8_e4m3fn, float8_e8m0fnu (also as uint8), float32, float16 or bfloat16. quant_type: 'e2m1' or 'int4'.
    blocksize: a multiple of 16, or cols or more. global_scale, global_divisor: one float32. zero_points: of 'int4',
    uint8 with the shape of scales; None for 8. dtype: float32, float16 or bfloat16.
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
    """FP8 weights with a scale for each block, as DeepSeek-V3 and Qwen3 are published, decoded to `dtype`.

    Each code times its scale in float32, rounded to `dtype`. codes: [rows, cols] float8_e4m3fn, or uint8 with its bits.
    blocks: rows and columns of a block; (1, cols) for a scale a row, (rows, cols) for one. scales: [ceil(rows /
    blocks[0]), ceil(cols / blocks[1])], flat too where one of these is 1, float32, bfloat16, float16, or
    float8_e8m0fnu, also as uint8. dtype: float32, float16 or bfloat16.
    """
    result: Tensor = _ops.dequantize_fp8.default(codes, scales, *blocks, dtype)
    return result


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
    """x [..., cols] times the transpose of a 4-bit weight [rows, cols], plus bias [rows]: [..., rows] in x's dtype.

    With direction="backward", x [..., rows] times the weight itself: [..., cols], plus bias [cols]. The weight is
    decoded on the way, to x's dtype, float32, float16 or bfloat16, which bias has too. weight, shape (rows, cols),
    quant_type and the block sizes are those of dequantize_4bit. The rows of x may lie apart; if they overlap or are not
    contiguous, x is copied. order: of the additions, "plain" or "split", which is faster for few rows; in any order,
    what a row gives depends on that row alone. On a CPU without AMX they are the same. None: the weight is decoded to
    memory, in each direction anew, and the product is torch's.

    order="factored" does not round the weight to x's dtype: absmax, in float32, is multiplied by sums of products with
    the codes' values. For inference with few rows: faster than "split", and nearer to the weight that was quantized.
    It is there on CUDA alone, for float16 from compute capability 7.5 and for bfloat16 from 8.0 on, forward, without
    LoRA, for cols that are a multiple of 64 and blocks of 64 or more; all else is refused. It has no gradients: where x
    or bias requires one, it is a ValueError.

    lora_in [..., rank] and lora_weight, [rows, rank] or backward [rank, cols], in x's dtype, add what a LoRA adapter
    does: lora_in times the transpose of lora_weight, or backward times it, as further terms of the same sums.

    order="rotated_int8" is rotated_int8_quantize of x, rotated_int8_weight and rotated_int8_matmul, in one call.

    All but the weight may have gradients, of the first and every higher order, unless order is "factored"; of the first
    alone if it is "rotated_int8".
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
    """matmul_4bit of the rows of several experts, each with its own weight, bias and lora_weight, to the bit.

    x: [m, cols], the rows of one expert after those of another, as a router sorts them. expert_ends: [experts] int32 or
    int64 on x's device, ascending: the row behind each expert's last one, what torch's grouped products call offs. An
    expert may have no rows. Rows from the last end on are nobody's: not read, and theirs of the result are not
    initialized; they get a gradient of zero. On a GPU nothing waits for the ends, and a captured graph may find others
    each time: ends that are not ascending, or not 0 to m, give other results, within the tensors, but torch's grouped
    products, which make the gradients of bias and lora_weight in bfloat16, may stop at an assertion; on a CPU they are
    refused.

    weight: the tensors of a stack of shape (experts, rows, cols), as those of dequantize_4bit, of which each expert's
    elements fill whole blocks. Nested, a nested_offset of one element says that the stack was nested as one;
    nested_offset [experts] and nested_absmax [experts, ...] that each expert was by itself. bias: [experts, rows], or
    backward [experts, cols]. lora_in: [m, rank]. lora_weight: [experts, rows, rank], or backward [experts, rank, cols].

    With direction="backward", x [m, rows]: [m, cols]. That is also the layer itself for a stack that is stored
    transposed. order: as in matmul_4bit. None: the stack is decoded to memory, and a bias and lora_in's product are
    added to the rounded product.

    All but the weight may have gradients, of the first and every higher order, unless order is "factored".
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
    """Products of one x [..., cols] by several 4-bit weights [rows[i], cols], each with the bits of matmul_4bit.

    weights: the tensors of all of them, one weight after another, each with as many. biases: one for each, or none.
    quant_type, the block sizes and order are those of all. Where x or a bias needs a gradient, it is single products,
    and order="factored" a ValueError.
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
    """x [..., terms], float32, float16 or bfloat16, rotated by a Hadamard matrix and rounded to INT8: q in x's shape,
    and scale [...] float32, one a row.

    For products in training, x * W^T and dy * W, as rotated_int8_matmul multiplies. terms is a multiple of 64. The rows
    of x may lie apart; if they overlap or are not contiguous, x is copied.
    """
    q, scale = _ops.rotated_int8_quantize.default(x)
    return q, scale


def rotated_int8_swiglu(gate: Tensor, up: Tensor, grad_y: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """y = silu(gate) * up [..., channels], bfloat16, and what rotated_int8_quantize makes of it, in one pass: y, q and
    scale. With grad_y the gradients of gate and up [2, ..., channels], theirs of q and scale.

    channels is a multiple of 64. sigmoid, each product and y are those of swiglu: fp32, rounded to bfloat16 once. Rows
    may lie apart, as for rotated_int8_quantize.
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
    """The scales of a 4-bit weight [rows, cols] in INT8, rotated: [rows] float32 for x * W^T or, with
    direction="backward", [cols] for dy * W. To be made once, and kept.

    weight, shape, quant_type and the block sizes are those of dequantize_4bit. cols is a multiple of 64, and for
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
    """The weight by these scales, of rotated_int8_weight_scales: [rows, cols] int8 or, with direction="backward",
    [cols, rows]."""
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
    *,
    direction: Direction = "forward",
) -> Tensor:
    """x_q [..., terms], of rotated_int8_quantize, times the transpose of weight_q [n, terms], of rotated_int8_weight,
    plus bias [n]: [..., n] in `dtype`, which bias has too. The same bits on every device. It has no gradients.

    lora_in [..., rank] and lora_weight in `dtype` add what a LoRA adapter does, as in matmul_4bit; direction says how
    lora_weight lies, [n, rank] or with "backward" [rank, n], and nothing else.
    """
    product: Tensor = _ops.rotated_int8_matmul.default(
        x_q, x_scale, weight_q, weight_scale, dtype, bias, lora_in, lora_weight, direction=direction
    )
    return product


def expert_columns(m: int, experts: int) -> int:
    """Columns that the transposed outputs of swiglu need for m tokens, however they are shared out among the experts,
    each of which fills whole groups of 128."""
    return (m + 127 * experts) // 128 * 128


Quantized = tuple[Tensor, Tensor]  # payloads, and the scales of their groups


# An output of torch.ops.qfuse.swiglu as two arguments, as errors name them.
_PIECE = re.compile(r"\b(y|y_t|grad_input|grad_input_t)_([qs])\b")
_PUBLISHED = {"y_t": "y_{}_t", "grad_input": "grad_input_{}", "grad_input_t": "grad_input_{}_t"}


def _call_swiglu(op: Callable[..., None], piece: Callable[[str, str], str], *arguments: Any, **keywords: Any) -> None:
    """piece: what the caller has for the payloads "q" or the scales "s" of an output."""
    if torch.compiler.is_compiling():  # which would have to trace the way of an error too
        return op(*arguments, **keywords)
    try:
        op(*arguments, **keywords)
    except RuntimeError as error:
        if type(error) is not RuntimeError:  # torch's own, as of no memory
            raise
        said = _PIECE.sub(lambda found: piece(found[1], found[2]), str(error)).replace("NULL", "None")
        raise RuntimeError(said) from None


def _pieces(name: str, output: Quantized | None) -> Quantized | tuple[None, None]:
    if output is None:
        return None, None
    if not isinstance(output, (tuple, list)) or len(output) != 2:
        raise TypeError(f"{name} is a {type(output).__name__}, it must be a pair of tensors, payloads and scales")
    payload, scales = output
    # Torch's compiler cannot have an op write to float8_e8m0fnu (2.15: "auto_functionalized_v2 was not removed").
    return payload, scales.view(torch.uint8) if scales.dtype == torch.float8_e8m0fnu else scales


def swiglu(
    x: Tensor,
    *,
    grad_y: Tensor | None = None,
    y: Quantized | None = None,
    y_t: Quantized | None = None,
    grad_input: Quantized | None = None,
    grad_input_t: Quantized | None = None,
    weights: Tensor | None = None,
    grad_weights: Tensor | None = None,
    expert_ends: Tensor | None = None,
    limit: float | None = None,
    alpha: float = 1.0,
    up_offset: float = 0.0,
    recipe: Recipe | None = None,
    group_size: int | None = None,
    scale_rule: ScaleRule | None = None,
    zero_rule: ZeroRule | None = None,
    amax_floor: float | None = None,
) -> None:
    """y = silu(gate) * up in INT8 or FP8, forward or backward, in one pass: what is given to be written says which.

    x: [m, 2h] bfloat16, gate and up. grad_y: [m, h] bfloat16, needed for gradients. The rows of both may lie apart. h
    is a multiple of 128.

    Written, as pairs of payloads and scales of groups of 128, each of them or None:
      y: [m, h] and [m, h/128], groups of channels; of the forward alone, without a gradient
      y_t: [h, m] and [h, ceil(m/128)], y transposed, in groups of tokens
      grad_input: [m, 2h] and [m, 2h/128], the gradients of gate and up
      grad_input_t: [2h, m] and [2h, ceil(m/128)], these transposed, in groups of tokens
    All of them start from values rounded to bfloat16.

    Payloads are int8 or float8_e4m3fn. Scales of FP8 are powers of two, unless scale_rule says otherwise: the least
    ones by which a group's largest magnitude, or 1e-4 where that is more, becomes at most 448.

    Scales are float32, or of FP8 UE8M0: float8_e8m0fnu or uint8, the exponent of two, plus 127, as a byte, 255 for NaN.
    All of a call have one dtype. float32 may also lie group by group, all of them, as DeepGEMM loads them: [rows,
    groups] with the strides (1, rows rounded up to a multiple of 4). int32 are UE8M0 as DeepGEMM packs them, four of a
    row's groups to a word, the first one in its lowest byte: [rows, ceil(groups/4)] with such strides.

    recipe: a format by its name, of which the arguments behind it may change parts; payloads have to be of its kind.
      "int8": the published operator's, and what int8 has without a recipe
      "deepseek": what float8_e4m3fn has without one, as DeepGEMM and TileKernels make powers of two
      "transformer_engine": powers of two, zero_rule "one"
      "torchao": scale_rule "torchao", amax_floor 1e-12
      "mx": MXFP8, group_size 32, zero_rule "least"; its scales are UE8M0, though float32 are taken as well
    group_size: 128 or 32; of 32, every "/128" of a scale above is "/32". h stays a multiple of 128.
    scale_rule, of FP8: "power_of_two", or of a group's largest magnitude a in float32 "torchao": scale 1 / (448 / a),
      values times (448 / a)
    zero_rule, of FP8: "floor": a is at least amax_floor. "one": the scale of a group of zeros, or with an infinity or
      NaN, is 1, and values are multiplied with at most the largest bfloat16. "least", of powers of two: the scale of
      zeros is 2^-127, with an infinity 2^127, with NaN NaN.
    amax_floor, of FP8: 1e-30 to 1e30, in place of 1e-4, or with zero_rule "one" of none, which 0 stands for there.
    int8 is truncated toward zero; FP8 is rounded to nearest, ties to even.

    weights: [m] float32, the router's: y is multiplied with its token's before it is rounded. grad_weights: [m]
    float32, written in the backward: the sum over a token's channels of grad_y and what y is without the weight, in an
    order that is the same everywhere; 0 for rows behind the last expert's.

    limit: gates are clamped to at most limit, ups to -limit to limit; where that changes one, its gradient is 0. alpha:
    y = gate * sigmoid(alpha * gate) * up. up_offset: is added to ups. gpt-oss has 7, 1.702 and 1; its interleaved gates
    and ups have to be separated first.

    expert_ends: [experts] int32 or int64 on x's device, ascending: the row behind each expert's last one, where the
    rows are those of several experts, one after another; what torch's grouped products call offs. Rows from the last
    end on are nobody's: not read, and of theirs only grad_weights is written. No group of tokens has those of two
    experts: what is transposed is as if zeros filled up each expert's tokens to a multiple of 128, and has
    expert_columns(m, experts) columns in place of m. In y_t [h, columns] and grad_input_t [2h, columns] the experts'
    columns lie side by side; where payloads have one dimension, [h * columns] and [2h * columns], each expert's matrix
    [h, its columns] lies behind the one before, as DeepGEMM's k-grouped products take them, and so do their scales,
    [h * columns/128], unless these are given group by group, [h, columns/128] with the strides (1, h). What is behind
    the last expert's columns keeps its values. On a GPU nothing waits for the ends: ends that are not ascending, or not
    0 to m, give other results, within the tensors; on a CPU they are refused.
    """
    (y_q, y_s), (y_t_q, y_t_s) = _pieces("y", y), _pieces("y_t", y_t)
    grad_input_q, grad_input_s = _pieces("grad_input", grad_input)
    grad_input_t_q, grad_input_t_s = _pieces("grad_input_t", grad_input_t)
    _call_swiglu(
        _ops.swiglu.default,
        lambda output, part: f"{output}[{0 if part == 'q' else 1}]",
        x,
        grad_y=grad_y,
        y_q=y_q,
        y_s=y_s,
        y_t_q=y_t_q,
        y_t_s=y_t_s,
        grad_input_q=grad_input_q,
        grad_input_s=grad_input_s,
        grad_input_t_q=grad_input_t_q,
        grad_input_t_s=grad_input_t_s,
        weights=weights,
        grad_weights=grad_weights,
        expert_ends=expert_ends,
        limit=limit,
        alpha=alpha,
        up_offset=up_offset,
        recipe=recipe,
        group_size=group_size,
        scale_rule=scale_rule,
        zero_rule=zero_rule,
        amax_floor=amax_floor,
    )


def silu_dot_fwd_bwd_quant_fuse(
    x: Tensor,
    grad_y: Tensor | None,
    grad_input_q: Tensor | None,
    grad_input_s: Tensor | None,
    y_q_t: Tensor | None,
    y_s_t: Tensor | None,
    grad_input_q_t: Tensor | None = None,
    grad_input_s_t: Tensor | None = None,
    expert_ends: Tensor | None = None,
) -> None:
    """swiglu's backward under the published operator's name, its tensors named and ordered as there: the gradients
    grad_input_q [m, 2h] with grad_input_s, y transposed, y_q_t [h, m] with y_s_t, and the gradients transposed,
    grad_input_q_t [2h, m] with grad_input_s_t; each pair or None.
    See swiglu."""
    _call_swiglu(
        _ops.silu_dot_fwd_bwd_quant_fuse.default,
        lambda output, part: _PUBLISHED.get(output, output + "_{}").format(part),
        x,
        grad_y,
        grad_input_q,
        grad_input_s,
        y_q_t,
        y_s_t,
        grad_input_q_t,
        grad_input_s_t,
        expert_ends,
    )
