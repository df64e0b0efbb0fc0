"""Weights of bitsandbytes, decoded and multiplied by in one call."""

import functools
import math
from collections.abc import Sequence
from operator import index
from typing import Any

import torch
from torch import Tensor

from . import direct, gpu, gradients, grouped, library, lora, one_device, ops
from .quant_state import (
    FLOAT_DTYPES,
    Arguments,
    Weight4bit,
    decode_in_shape,
    float_dtype,
    read_arguments,
    read_weight,
    without_torch_function,
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
    found = read_arguments(weight, quant_state)
    return decode(found if dtype is None else (*found[:2], float_dtype(dtype), *found[3:]), out)


def decode(weight: Arguments, out: Tensor | None = None) -> Tensor:
    """dequantize_4bit of what read_arguments found."""
    if out is None:
        decoded = direct.dequantize_4bit(*weight, True)
        if decoded is not None:
            return decoded
    with without_torch_function():
        decoded = decode_in_shape(weight, out)
        return decoded.t() if weight[0][0].size(0) == 1 else decoded


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


_MOST_ROWS_OF_TILES = 64  # fused_rows where a GPU has no kernel but `tiled` for a product
_MOST_ROWS_OF_BITSANDBYTES = 1536  # with more, it decodes and calls cuBLAS on every GPU
_LEAST_GROUPED_ROWS = 16  # of an expert, for which decoding takes longer than a product of any kernel

_batch_invariant = False
_are_transforms_active = torch._C._are_functorch_transforms_active


def set_batch_invariant(enabled: bool) -> None:
    """Whether matmul_4bit, for all threads, adds in one order whatever the number of rows, and with gradients or
    without: a row of x then has one result, to the bit. False at first. An order that is given counts before it.
    """
    global _batch_invariant
    _batch_invariant = bool(enabled)


def batch_invariant() -> bool:
    """What set_batch_invariant has set."""
    return _batch_invariant


def matmul_4bit(
    x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None, *, order: ops.Order | None = None
) -> Tensor:
    """x [..., k] times the transpose of a 4-bit weight [n, k], plus bias [n]: a Linear4bit to train through.

    weight and quant_state are those of dequantize_4bit; how the packed codes lie does not matter. The weight is decoded
    to x's dtype, whatever the state's is, within the product or before it (see order); for x's gradient, once more.
    x is float32, float16 or bfloat16; the result has its dtype, and under torch.autocast that of
    torch.nn.functional.linear. Gradients flow to x and bias.

    order: that of qfuse.ops.matmul_4bit. By default it is "split" for up to 16 rows that need no gradient, or up to 8
    where k is more than 8192, if k is a multiple of 256, blocks are of 64 and the GPU is Hopper; else "plain". By
    default too, a GPU decodes the weight to memory and multiplies by torch's linear where that is about as fast or
    faster: for more than 256 rows, and in float32; on GPUs other than Hopper, or where k is no multiple of 64, n none
    of 8 or blocks are smaller than 64, for more than 64 or 8 rows, or always, by the GPU's clock and memory. From 384
    rows on it has the bits of "plain" on an H200. set_batch_invariant makes the order "plain" throughout.

    order="factored", for inference with few rows on a GPU, is never the default: its weight is not rounded to x's
    dtype. It has no gradients; qfuse.ops.matmul_4bit says what it asks for.

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
    products = gradients.many_past_dispatcher(calls) if together else None
    if products is not None:
        return tuple(products)
    with without_torch_function():
        calls = [_detached(call) for call in calls]
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
        tensors, scalars = _prepare_grouped(x, found, is_transposed, order, splits_few=not has_gradient)
        return gradients.matmul_4bit(gradients.Call(x, tensors, bias, scalars, ends=expert_ends))


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
        tensors, scalars = _prepare_grouped(x, found, is_transposed, order)
        return lora.matmul_4bit_lora(x, lora_x, tensors, bias, lora_a, lora_b, factor, scalars, expert_ends)


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
    one_device.check((("x", x), ("expert_ends", expert_ends)))
    return x, None if bias is None else bias.to(x.dtype).contiguous()


def _prepare_grouped(
    x: Tensor, weight: Weight4bit, is_transposed: bool, order: ops.Order | None, splits_few: bool = False
) -> tuple[tuple[Tensor, ...], tuple[Any, ...]]:
    """A stack as its tensors and the scalars of gradients.Call."""
    (packed, *scales), shape, _, quant_type, blocksize, nested_blocksize = weight
    if order is None:
        order = _default_order_grouped(x, shape, blocksize, splits_few)
    direction = "backward" if is_transposed else "forward"
    return (packed.detach(), *scales), (shape, quant_type, blocksize, nested_blocksize, direction, order)


def _default_order_grouped(x: Tensor, shape: Sequence[int], blocksize: int, splits_few: bool) -> ops.Order | None:
    """By the rows of all experts, since how they are shared out lies on the GPU: what matmul_4bit has for their mean
    number, of those experts that can have any."""
    if _batch_invariant:
        return "plain"
    experts, m = shape[0], x.shape[0]
    few_rows, fused_rows = _ask_advice(x, shape[1:], blocksize)
    # Of one weight decoding is faster with about twice as many rows as fused_rows. Of experts it takes longer: all are
    # decoded, and torch's product makes uneven tiles, too: on an H100 until about 1024 rows an expert.
    many = 4 * max(fused_rows, _LEAST_GROUPED_ROWS) * experts
    if grouped.has_kernel(x, *shape) and _is_known(m > many):
        return None
    # On an H100 tiles of 64 rows are as fast as the order for few ones from one row an expert on.
    few = min(experts, few_rows * experts) if x.is_cuda else few_rows * min(experts, m)
    return "split" if splits_few and _is_known(m <= few) else "plain"


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
        prepared = [_prepare(x, weight, order) for weight in found]
        layers = [
            lora.Layer(tensors, bias, lora_a, lora_b, scalars)
            for (tensors, scalars), (_, bias), lora_a, lora_b in zip(prepared, operands, lora_as, lora_bs, strict=True)
        ]
        return lora.matmul_4bit_lora_shared(x, _own_input(x, lora_x), layers, factor)


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
    weight: Arguments,
    bias: Tensor | None,
    lora_a: Tensor,
    lora_b: Tensor,
    scaling: float,
    lora_x: Tensor | None,
    order: ops.Order | None = None,
) -> Tensor:
    """matmul_4bit_lora of what read_arguments found, and of a bias and a lora_x in x's dtype."""
    with without_torch_function():
        tensors, scalars = _prepare(x, weight, order)
        return lora.matmul_4bit_lora(x, lora_x, tensors, bias, lora_a, lora_b, scaling, scalars)


def _prepare(x: Tensor, weight: Arguments, order: ops.Order | None) -> tuple[tuple[Tensor, ...], tuple[Any, ...]]:
    """A weight under an adapter as its tensors and the scalars of gradients.Call."""
    (packed, *scales), shape, _, quant_type, blocksize, nested_blocksize = weight
    if order is None:
        # One order: the few rows that a second one is for have a kernel without LoRA alone.
        order = None if _is_decoded(x, shape, blocksize) else "plain"
    # Of a Params4bit, the tensor that every transform knows.
    return (packed.detach(), *scales), (shape, quant_type, blocksize, nested_blocksize, "forward", order)


def multiply(
    x: Tensor, weight: Arguments, bias: Tensor | None, order: ops.Order | None = None, few_factored: bool = False
) -> Tensor:
    """matmul_4bit of what read_arguments found, and of a bias in x's dtype. few_factored: by default the order is
    "factored" in place of "split", where it can be had."""
    call = _call_of(x, weight, bias, order, few_factored)
    product = gradients.past_dispatcher(call)
    if product is not None:
        return product
    with without_torch_function():
        return gradients.by_dispatcher(_detached(call))


def _call_of(
    x: Tensor, weight: Arguments, bias: Tensor | None, order: ops.Order | None, few_factored: bool = False
) -> gradients.Call:
    tensors, shape, _, quant_type, blocksize, nested_blocksize = weight
    if order is None:
        order = _default_order(x, shape, blocksize, bias)
        if order == "split" and few_factored and _has_factored(x, shape, blocksize):
            order = "factored"
    return gradients.Call(x, tensors, bias, (shape, quant_type, blocksize, nested_blocksize, "forward", order))


def _detached(call: gradients.Call) -> gradients.Call:
    """Of a Params4bit, with the tensor that every transform knows."""
    packed, *scales = call.weight
    return call._replace(weight=(packed.detach(), *scales))


def _default_order(x: Tensor, shape: Sequence[int], blocksize: int, bias: Tensor | None) -> ops.Order | None:
    """Training adds in one order, whatever its batches; and a result beside which gradients are made, too."""
    if _is_decoded(x, shape, blocksize):
        return None
    few_rows, _ = _ask_advice(x, shape, blocksize)
    is_plain = _batch_invariant or not _is_known(_rows(x) <= few_rows) or gradients.needs_gradient(x, bias)
    return "plain" if is_plain else "split"


def _has_factored(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether the order "factored" can be had. Under a transform an outer level may need a gradient, which it lacks."""
    if not x.is_cuda or _are_transforms_active():
        return False
    return index(shape[1]) % 64 == 0 and index(blocksize) >= 64 and gpu.find_tensor_cores(x.device.index, x.dtype)


def _is_decoded(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether a GPU decodes the weight to memory first, where its fused kernel is slower; that cannot be batched, as a
    transform may want."""
    if not x.is_cuda or _batch_invariant or _are_transforms_active():
        return False
    # A view may lack 16-byte alignment: there the op is slow, and right.
    _, fused_rows = _ask_advice(x, shape, blocksize)
    return fused_rows < 0 or _is_known(_rows(x) > fused_rows)


def is_slower_than_bitsandbytes(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether bitsandbytes' own product is the faster one: on GPUs other than Hopper, up to as many rows as it has
    kernels for, and on Hopper for a single row that "split" cannot have. docs/PERFORMANCE.md has figures. Never where
    the order must not depend on the number of rows."""
    if not x.is_cuda or _batch_invariant:
        return False
    few_rows, fused_rows = _ask_advice(x, shape, blocksize)
    if few_rows > 0:
        return False
    has_pipeline = fused_rows > _MOST_ROWS_OF_TILES
    return _is_known(_rows(x) == 1 if has_pipeline else _rows(x) <= _MOST_ROWS_OF_BITSANDBYTES)


def _ask_advice(x: Tensor, shape: Sequence[int], blocksize: int) -> tuple[int, int]:
    """The most rows for the order "split", and for the fused product; these -1 where there are none."""
    device = x.device.index if x.is_cuda else None
    rows, cols = shape
    # A constant of compiled code depends on constants alone: index() makes one of a size that torch holds for variable.
    return _find_advice(device, x.dtype, index(rows), index(cols), index(blocksize))


def _rows(x: Tensor) -> int:
    return math.prod(x.shape[:-1])


def _is_known(condition: bool) -> bool:
    """Of a number of rows. What is exported for any number must not ask for one: the fused product in its plain order
    is right for all."""
    if not torch.compiler.is_exporting():
        return condition
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return bool(statically_known_true(condition))


@functools.cache
def _read_advice(device: int | None, dtype: torch.dtype, rows: int, cols: int, blocksize: int) -> tuple[int, int]:
    kind = library.Device(library.CPU, 0) if device is None else library.Device(library.CUDA, device)
    return library.matmul_4bit_advice(kind, FLOAT_DTYPES.index(dtype), rows, cols, blocksize)


# Not itself cached: see gpu.find_tensor_cores.
def _find_advice(device: int | None, dtype: torch.dtype, rows: int, cols: int, blocksize: int) -> tuple[int, int]:
    return _read_advice(device, dtype, rows, cols, blocksize)


_find_advice._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _autocast(tensor: Tensor) -> Tensor:
    """As torch.nn.functional.linear casts what it is given: all floating point numbers but float64."""
    device = tensor.device.type
    if tensor.dtype not in FLOAT_DTYPES or not gradients.is_autocast(device):
        return tensor
    return tensor.to(torch.get_autocast_dtype(device))
