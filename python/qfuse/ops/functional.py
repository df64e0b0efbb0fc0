"""Weights of bitsandbytes, decoded and multiplied by in one call."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import ops
from ..native import devices, torch_ops
from ..native.torch_ops import Call
from ..weight.form import FLOAT_DTYPES
from ..weight.quant_state import read_weight
from ..weight.weight_4bit import Weight4bit, decode_in_shape, float_dtype, without_torch_function
from . import gradients, lora, rotated_int8_matmul, rotated_int8_quantize
from .orders import (
    advised_blocksize,
    batch_invariant,
    default_order,
    default_order_grouped,
    has_factored,
    is_decoded,
    set_batch_invariant,
)

__all__ = [
    "batch_invariant",
    "dequantize_4bit",
    "dequantize_int8",
    "matmul_4bit",
    "matmul_4bit_grouped",
    "matmul_4bit_grouped_lora",
    "matmul_4bit_lora",
    "matmul_4bit_lora_shared",
    "matmul_4bit_many",
    "rotated_int8_matmul",
    "rotated_int8_quantize",
    "rotated_int8_weight",
    "rotated_int8_weight_scales",
    "set_batch_invariant",
]


def dequantize_4bit(
    weight: Any, quant_state: Any = None, out: Tensor | None = None, dtype: torch.dtype | str | None = None
) -> Tensor:
    """A 4-bit weight of bitsandbytes in its original shape and dtype: the bits that bitsandbytes decodes on CUDA.

    weight: a Linear4bit, a Params4bit, a Weight4bit of load_checkpoint, or packed codes with their quant_state.
    quant_state: bitsandbytes' QuantState or the list that it once was; by default the
    weight's own. out: where to write, of the weight's shape, dtype and device, contiguous. dtype: torch.float32,
    float16 or bfloat16, or its name, in place of the state's.

    The result has the state's shape and dtype. Of bitsandbytes' own forms, where codes whose shape[0] is 1 say that
    they were transposed, it is then the transpose, as bitsandbytes' is; of a Weight4bit, however its codes lie, it is
    not. It never requires a gradient.

    Raises TypeError or ValueError for a weight or state that is none, RuntimeError for tensors that do not fit.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight.dequantize(dtype, out)
    found = read_weight(weight, quant_state)
    return decode(found if dtype is None else found._replace(dtype=float_dtype(dtype)), out)


def decode(weight: Weight4bit, out: Tensor | None = None) -> Tensor:
    """dequantize_4bit of what read_weight found."""
    if out is None:
        decoded = torch_ops.dequantize_4bit_directly(weight, transposes=True)
        if decoded is not None:
            return decoded
    with without_torch_function():
        decoded = decode_in_shape(weight, out)
        return decoded.t() if weight.packed.size(0) == 1 else decoded


def dequantize_int8(weight: Any, scb: Tensor | None = None, dtype: torch.dtype | str = torch.bfloat16) -> Tensor:
    """An LLM.int8 weight of bitsandbytes, decoded to `dtype`, which neither it nor its file says.

    weight: a Linear8bitLt, an Int8Params, or int8 codes [rows, cols] with `scb`, the rows' scales [rows] float32.

    Raises TypeError where there is no scb, RuntimeError for tensors that do not fit.
    """
    codes = weight.weight if isinstance(weight, torch.nn.Module) else weight
    if scb is None:
        scb = getattr(codes, "SCB", None)
    if scb is None:  # a layer that has run keeps it in its state
        scb = getattr(getattr(weight, "state", None), "SCB", None)
    if not isinstance(codes, Tensor) or scb is None:
        raise TypeError(f"a {type(weight).__name__} has no SCB, and none was given")
    with without_torch_function():
        return ops.dequantize_int8(codes.detach(), scb.float(), float_dtype(dtype))


def matmul_4bit(
    x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None, *, order: ops.Order | None = None
) -> Tensor:
    """x [..., k] times the transpose of a 4-bit weight [n, k], plus bias [n]: a Linear4bit to train through.

    weight and quant_state are those of dequantize_4bit; how the packed codes lie does not matter. The weight is decoded
    to x's dtype, whatever the state's is, within the product or before it (see order); for x's gradient, once more.
    x is float32, float16 or bfloat16; the result has its dtype, and under torch.autocast that of
    torch.nn.functional.linear. Gradients flow to x and bias.

    order: that of qfuse.ops.matmul_4bit. By default it is "split" for few rows that need no gradient, up to 64 by the
    shape and the GPU, if k is a multiple of 64, blocks are of 64 and it has tensor cores for x's dtype; else
    "plain". By default too, a GPU decodes the weight to memory and multiplies by torch's linear where that is about as
    fast or faster: for more than 256 rows, and in float32; on GPUs other than Hopper, or where k is no multiple of 64,
    n none of 8 or blocks are smaller than 64, for more than 128 rows, or fewer, or always, by the shape and the GPU's
    clock and memory. From 384 rows on it has the bits of "plain" on an H200. set_batch_invariant makes the order
    "plain" throughout.

    order="factored", for inference with few rows on a GPU, is never the default: its weight is not rounded to x's
    dtype. It has no gradients; qfuse.ops.matmul_4bit says what it asks for. Nor is order="rotated_int8", for training
    with many rows: x and the weight are rotated and rounded to INT8, as qfuse.ops.rotated_int8_* do it, and so are
    their gradients' products, with an error of about 1 % of a result's norm. n and k are multiples of 64; a gradient
    has no gradient.

    Raises TypeError or ValueError for a weight or an x that does not fit, ValueError for the order "factored" where x
    or bias requires a gradient, and RuntimeError for what the op refuses.
    """
    found = read_weight(weight, quant_state)
    x, bias = _operands(x, found, bias)
    return multiply(x, found, bias, order)


def matmul_4bit_many(
    x: Tensor,
    weights: Sequence[Any],
    quant_states: Sequence[Any] | None = None,
    biases: Sequence[Tensor | None] | None = None,
    *,
    order: ops.Order | None = None,
) -> tuple[Tensor, ...]:
    """matmul_4bit of one x and several weights, such as those of q, k and v, or gate and up: a product of each, with
    its bits and gradients.

    weights: what matmul_4bit takes. quant_states, biases: one for each weight, which may be None. order: of all.

    It is one op where no gradient is needed, no weight is decoded to memory, and the weights have the same quant_type
    and block sizes, are all nested or none, and have a bias or none have. Else it is single products.

    Raises what matmul_4bit does, and ValueError where there are not as many of one kind as of another.
    """
    quant_states = [None] * len(weights) if quant_states is None else quant_states
    biases = [None] * len(weights) if biases is None else biases
    if not len(weights) == len(quant_states) == len(biases):
        raise ValueError(
            f"there are {len(weights)} weights, {len(quant_states)} quant_states and {len(biases)} biases, "
            "they must be as many of each"
        )
    if not weights:
        return ()
    found = [read_weight(weight, state) for weight, state in zip(weights, quant_states, strict=True)]
    operands = [_operands(x, weight, bias) for weight, bias in zip(found, biases, strict=True)]
    x = operands[0][0]
    calls = [_call_of(x, weight, bias, order) for weight, (_, bias) in zip(found, operands, strict=True)]
    together = gradients.are_together(calls)
    products = torch_ops.matmul_4bit_many_directly(calls) if together else None
    if products is not None:
        return tuple(products)
    with without_torch_function():
        calls = [call._replace(weight=_detached(call.weight)) for call in calls]
        return tuple(gradients.many_by_dispatcher(calls) if together else map(gradients.matmul_4bit, calls))


def matmul_4bit_lora(
    x: Tensor,
    weight: Any,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float | Tensor = 1.0,
    *,
    quant_state: Any = None,
    bias: Tensor | None = None,
    lora_x: Tensor | None = None,
    order: ops.Order | None = None,
) -> Tensor:
    """matmul_4bit with a LoRA adapter: x·Wᵀ + scaling·(x·Aᵀ)·Bᵀ + bias, and its gradients.

    lora_a: A [rank, k]. lora_b: B [n, rank]. Both of any floating point dtype; they are rounded to x's, or under
    torch.autocast to that of the product. t = scaling·x·Aᵀ is summed in fp32 and rounded to that dtype; t·Bᵀ is added
    to the sums of x·Wᵀ before they are rounded, once. Likewise u = scaling·dy·B is rounded, and u·A added to the sums
    of dy·W for x's gradient. Those of A, uᵀ·x, and B, dyᵀ·t, are summed in fp32 and rounded to their dtypes, on a CPU
    to x's first. Where the weight is decoded to memory (see matmul_4bit), what the adapter adds is added to the rounded
    product. lora_x: what the adapter sees in place of x, in the same shape, as torch.nn.functional.dropout(x, p).

    In float16, whose range is small, t, u and the gradients of A and B are products of x, dy, A and B in float32. Where
    t·Bᵀ and u·A are added, t and B, u and A are rounded to float16 after a factor has gone from one to the other: t is
    divided by 16, u multiplied by 8, both divided by the power of two that is nearest to the root of a scaling above 1.

    scaling: a number, or a tensor, which may be trained; B is multiplied by it then.

    What is kept for the gradients: x or lora_x where A needs one, t where B does, A and B, and these rounded. The
    packed weight is its owner's: it is not saved, and may have been made in inference mode. Gradients flow to all but
    the weight, of any order.

    Raises what matmul_4bit does, and ValueError for an A, B or lora_x whose shape does not fit.
    """
    found = read_weight(weight, quant_state)
    x, bias = _operands(x, found, bias)
    _check_adapter(found.shape, lora_a, lora_b)
    lora_x = _own_input(x, lora_x)
    lora_b, scaling = scaled(lora_b, scaling)
    return multiply_with_lora(x, found, bias, lora_a, lora_b, scaling, lora_x, order)


def matmul_4bit_grouped(
    x: Tensor,
    weight: Any,
    expert_ends: Tensor,
    quant_state: Any = None,
    bias: Tensor | None = None,
    *,
    is_transposed: bool = False,
    order: ops.Order | None = None,
) -> Tensor:
    """matmul_4bit of the rows of several experts, each with its own weight [n, k] of a stack: a layer of a mixture.

    x: [m, k], the rows of one expert after those of another. expert_ends: [experts] int32 or int64 on x's device, the
    row behind each expert's last one, ascending; nothing waits for them on a GPU. Rows from the last end on are
    nobody's: theirs of the result are not initialized, their gradient is zero.

    weight, quant_state: those of matmul_4bit, of shape (experts, n, k), or where is_transposed, as in gpt-oss,
    (experts, k, n). Nested, either the stack was as one, or each expert by itself; see qfuse.ops.matmul_4bit_grouped.
    bias: [experts, n]. Gradients flow to x and bias.

    order: that of qfuse.ops.matmul_4bit. By default it is "split" for up to as many rows as there are experts, on a
    CPU more, that need no gradient, else "plain", each with the bits of matmul_4bit. By default too, a GPU decodes the
    whole stack to memory where experts have, in the mean, four times as many rows as matmul_4bit would decode for, in
    bfloat16, and torch has a grouped product of the shape; a bias is then added to what was rounded.
    set_batch_invariant makes the order "plain" throughout.

    Raises what matmul_4bit does.
    """
    found = read_weight(weight, quant_state)
    x, bias = _grouped_operands(x, found, expert_ends, bias, is_transposed)
    with without_torch_function():
        has_gradient = gradients.needs_gradient(x, bias)
        call = _grouped_call(x, found, bias, expert_ends, is_transposed, order, splits_few=not has_gradient)
        return gradients.matmul_4bit(call)


def matmul_4bit_grouped_lora(
    x: Tensor,
    weight: Any,
    expert_ends: Tensor,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float | Tensor = 1.0,
    *,
    quant_state: Any = None,
    bias: Tensor | None = None,
    lora_x: Tensor | None = None,
    is_transposed: bool = False,
    order: ops.Order | None = None,
) -> Tensor:
    """matmul_4bit_grouped with a LoRA adapter of each expert: lora_a [experts, rank, k], lora_b [experts, n, rank],
    however the weight lies.

    What matmul_4bit_lora says holds for the rows of each expert, but for this: in bfloat16 on a GPU t and u are rounded
    before they are multiplied by a scaling, and once more behind it, which counts for none that is a power of two; and
    the gradients of A and B are rounded to x's dtype before their own. No product waits for the ends: those that torch
    has no kernel for, in float16 and float32, go by tiles of rows.

    Raises what matmul_4bit_grouped and matmul_4bit_lora do.
    """
    found = read_weight(weight, quant_state)
    x, bias = _grouped_operands(x, found, expert_ends, bias, is_transposed)
    _check_adapter(_layer_shape(found, is_transposed), lora_a, lora_b)
    lora_x = _own_input(x, lora_x)
    lora_b, factor = scaled(lora_b, scaling)
    with without_torch_function():
        call = _grouped_call(x, found, bias, expert_ends, is_transposed, order)
        return lora.matmul_4bit_lora(call, lora_x, lora_a, lora_b, factor)


def _layer_shape(weight: Weight4bit, is_transposed: bool) -> tuple[int, int, int]:
    """experts, n and k of a stack."""
    if len(weight.shape) != 3:
        kinds = "[experts, k, n]" if is_transposed else "[experts, n, k]"
        raise ValueError(f"the weight has shape {tuple(weight.shape)}, it must be {kinds}")
    experts, rows, cols = weight.shape
    return (experts, cols, rows) if is_transposed else (experts, rows, cols)


def _grouped_operands(
    x: Tensor, weight: Weight4bit, expert_ends: Tensor, bias: Tensor | None, is_transposed: bool
) -> tuple[Tensor, Tensor | None]:
    """x and bias in the dtype of the product."""
    x, bias = _autocast(x), None if bias is None else _autocast(bias)
    if x.dtype not in FLOAT_DTYPES:
        raise TypeError(f"x is {x.dtype}, it must be float32, float16 or bfloat16")
    experts, n, k = _layer_shape(weight, is_transposed)
    if x.dim() != 2 or x.shape[1] != k:
        raise ValueError(f"x has shape {tuple(x.shape)}, it must be [m, {k}]")
    if expert_ends.dtype not in (torch.int32, torch.int64):
        raise TypeError(f"expert_ends is {expert_ends.dtype}, it must be int32 or int64")
    if expert_ends.shape != (experts,):
        raise ValueError(f"expert_ends has shape {tuple(expert_ends.shape)}, it must be [{experts}]")
    if bias is not None and bias.shape != (experts, n):
        raise ValueError(f"bias has shape {tuple(bias.shape)}, it must be [{experts}, {n}]")
    devices.check_one_device((("x", x), ("expert_ends", expert_ends)))
    return x, None if bias is None else bias.to(x.dtype).contiguous()


def _grouped_call(
    x: Tensor,
    weight: Weight4bit,
    bias: Tensor | None,
    ends: Tensor,
    is_transposed: bool,
    order: ops.Order | None,
    splits_few: bool = False,
) -> Call:
    if order is None:
        order = default_order_grouped(x, weight.shape, advised_blocksize(weight), splits_few)
    return Call(x, _detached(weight), bias, "backward" if is_transposed else "forward", order, ends=ends)


def matmul_4bit_lora_shared(
    x: Tensor,
    weights: Sequence[Any],
    lora_as: Sequence[Tensor],
    lora_bs: Sequence[Tensor],
    scaling: float | Tensor = 1.0,
    *,
    biases: Sequence[Tensor | None] | None = None,
    lora_x: Tensor | None = None,
    order: ops.Order | None = None,
) -> tuple[Tensor, ...]:
    """matmul_4bit_lora of one x and several weights, such as those of q, k and v, or gate and up: a product of each.

    weights: what matmul_4bit takes, each with its own quant_state. lora_as, lora_bs, biases: one for each weight; the
    ranks may differ, the A's have one dtype. scaling, lora_x, order: of all of them.

    x is read once for all A's, and once for all of their gradients, and what the adapters add to x's gradient is one
    product. Each result, and the gradients of A, B and bias, are rounded where matmul_4bit_lora says, though a sum may
    be ordered otherwise. x's gradient is rounded after each weight in turn; where the weight is decoded to memory, what
    was rounded before is in the sums of the next product. Under torch.compile and transforms of torch.func each weight
    is multiplied by on its own, with the bits of matmul_4bit_lora.

    Raises what matmul_4bit_lora does, and ValueError where there are not as many of one kind as of another.
    """
    biases = [None] * len(weights) if biases is None else biases
    if not 0 < len(weights) == len(lora_as) == len(lora_bs) == len(biases):
        raise ValueError(
            f"there are {len(weights)} weights, {len(lora_as)} lora_as, {len(lora_bs)} lora_bs and {len(biases)} "
            "biases, they must be as many of each, and at least one"
        )
    if len({lora_a.dtype for lora_a in lora_as}) > 1:
        raise TypeError(f"lora_as are {', '.join(str(lora_a.dtype) for lora_a in lora_as)}, they must be of one dtype")
    found = [read_weight(weight, None) for weight in weights]
    operands = [_operands(x, weight, bias) for weight, bias in zip(found, biases, strict=True)]
    for weight, lora_a, lora_b in zip(found, lora_as, lora_bs, strict=True):
        _check_adapter(weight.shape, lora_a, lora_b)
    lora_bs, (factor, *_) = zip(*(scaled(lora_b, scaling) for lora_b in lora_bs), strict=True)
    x = operands[0][0]
    with without_torch_function():
        calls = [_adapted_call(x, weight, bias, order) for weight, (_, bias) in zip(found, operands, strict=True)]
        layers = list(map(lora.Layer, calls, lora_as, lora_bs))
        return lora.matmul_4bit_lora_shared(x, _own_input(x, lora_x), layers, factor)


def rotated_int8_weight_scales(weight: Any, quant_state: Any = None, *, direction: ops.Direction = "forward") -> Tensor:
    """The scales of a 4-bit weight [n, k] of bitsandbytes in INT8, rotated by a Hadamard matrix: [n] float32 for
    x * W^T, with direction="backward" [k] for dy * W. To be made once, and kept.

    weight and quant_state are those of dequantize_4bit. k is a multiple of 64, and for "backward" n too.
    """
    found = read_weight(weight, quant_state)
    with without_torch_function():
        return torch_ops.rotated_int8_weight_scales(_detached(found), direction)


def rotated_int8_weight(
    weight: Any, scale: Tensor, quant_state: Any = None, *, direction: ops.Direction = "forward"
) -> Tensor:
    """The weight by these scales: [n, k] int8 or, with direction="backward", [k, n], for rotated_int8_matmul."""
    found = read_weight(weight, quant_state)
    with without_torch_function():
        return torch_ops.rotated_int8_weight(_detached(found), scale, direction)


def scaled(lora_b: Tensor, scaling: float | Tensor) -> tuple[Tensor, float]:
    """What is left of a scaling beside B: a tensor, which may be trained, is multiplied by B."""
    return (lora_b * scaling, 1.0) if isinstance(scaling, Tensor) else (lora_b, float(scaling))


def _check_adapter(shape: Sequence[int], lora_a: Tensor, lora_b: Tensor) -> None:
    if not (lora_a.is_floating_point() and lora_b.is_floating_point()):
        raise TypeError(f"lora_a and lora_b are {lora_a.dtype} and {lora_b.dtype}, they must be floating point")
    *experts, rows, cols = shape
    rank = lora_a.shape[-2] if lora_a.dim() > 1 else 0
    if lora_a.shape != (*experts, rank, cols) or lora_b.shape != (*experts, rows, rank):
        of_each = "".join(f"{count}, " for count in experts)
        raise ValueError(
            f"lora_a and lora_b have the shapes {tuple(lora_a.shape)} and {tuple(lora_b.shape)}, "
            f"they must be [{of_each}rank, {cols}] and [{of_each}{rows}, rank]"
        )


def _own_input(x: Tensor, lora_x: Tensor | None) -> Tensor | None:
    if lora_x is not None and lora_x.shape != x.shape:
        raise ValueError(f"lora_x has shape {tuple(lora_x.shape)}, it must be that of x, {tuple(x.shape)}")
    return None if lora_x is None else lora_x.to(x.dtype)


def _operands(x: Tensor, weight: Weight4bit, bias: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """x and bias in the dtype of the product."""
    x, bias = _autocast(x), None if bias is None else _autocast(bias)
    if x.dtype not in FLOAT_DTYPES:
        raise TypeError(f"x is {x.dtype}, it must be float32, float16 or bfloat16")
    if len(weight.shape) != 2 or x.shape[-1:] != weight.shape[1:]:
        raise ValueError(f"x has shape {tuple(x.shape)}, the weight {weight.shape}: they must be [..., k] and [n, k]")
    if bias is not None and bias.shape != weight.shape[:1]:
        raise ValueError(f"bias has shape {tuple(bias.shape)}, it must be {weight.shape[:1]}")
    return x, None if bias is None else bias.to(x.dtype).contiguous()


def multiply_with_lora(
    x: Tensor,
    weight: Weight4bit,
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    lora_x: Tensor | None,
    order: ops.Order | None = None,
) -> Tensor:
    """matmul_4bit_lora of what read_weight found, and of a bias and a lora_x in x's dtype."""
    with without_torch_function():
        return lora.matmul_4bit_lora(_adapted_call(x, weight, bias, order), lora_x, lora_a, lora_b, scaling)


def _adapted_call(x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None) -> Call:
    """The product that an adapter adds to."""
    if order is None:
        # One order: the few rows that a second one is for have a kernel without LoRA alone.
        order = None if is_decoded(x, weight.shape, advised_blocksize(weight)) else "plain"
    return Call(x, _detached(weight), bias, order=order)


def multiply(
    x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None = None, few_factored: bool = False
) -> Tensor:
    """matmul_4bit of what read_weight found, and of a bias in x's dtype. few_factored: by default the order is
    "factored" in place of "split", where it can be had."""
    call = _call_of(x, weight, bias, order, few_factored)
    product = gradients.past_dispatcher(call)
    if product is not None:
        return product
    with without_torch_function():
        return gradients.by_dispatcher(call._replace(weight=_detached(weight)))


def _call_of(
    x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None, few_factored: bool = False
) -> Call:
    if order is None:
        order = default_order(x, weight.shape, advised_blocksize(weight), bias)
        if order == "split" and few_factored and has_factored(x, weight.shape, weight.blocksize):
            order = "factored"
    return Call(x, weight, bias, "forward", order)


def _detached(weight: Weight4bit) -> Weight4bit:
    """Of a Params4bit, with the tensor that every transform knows."""
    packed, *scales = weight.tensors
    return weight._replace(tensors=(packed.detach(), *scales))


def _autocast(tensor: Tensor) -> Tensor:
    """As torch.nn.functional.linear casts what it is given: all floating point numbers but float64."""
    device = tensor.device.type
    if tensor.dtype not in FLOAT_DTYPES or not gradients.is_autocast(device):
        return tensor
    return tensor.to(torch.get_autocast_dtype(device))
