"""Decodes bitsandbytes' weights and multiplies by them, in one call each."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import ops
from ..native import devices, torch_ops
from ..native.torch_ops import Call
from ..weight.form import FLOAT_DTYPES
from ..weight.quant_state import read_weight
from ..weight.tensor import Weight4bitTensor
from ..weight.weight_4bit import Weight4bit, decode_in_shape, float_dtype, without_torch_function
from . import gradients, lora, rotated_int8_matmul, rotated_int8_quantize
from .orders import (
    advised_blocksize,
    batch_invariant,
    default_order_grouped,
    default_orders,
    has_factored,
    orders_of_training,
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
    """Decodes a bitsandbytes 4-bit weight to its original shape and dtype, with the bits of bitsandbytes on CUDA.

    weight: a Linear4bit, a Params4bit, a Weight4bit from load_checkpoint, or packed codes with their quant_state.
    quant_state: bitsandbytes' QuantState or its former list; default: the weight's own. out: contiguous tensor for the
    result, with the weight's shape, dtype and device. dtype: torch.float32, float16, bfloat16 or a name; default: the
    state's.

    The result has the state's shape and dtype. In bitsandbytes' own forms, packed codes whose shape[0] is 1 are marked
    as transposed; the result is then the transpose, as in bitsandbytes. No other form is ever transposed. The result
    never requires a gradient.

    Raises TypeError or ValueError for an invalid weight or state, RuntimeError for tensors that do not fit.
    """
    if isinstance(weight, Weight4bit) and quant_state is None:
        return weight.dequantize(dtype, out)
    found = read_weight(weight, quant_state)
    # One row of a Weight4bitTensor's codes has the shape that marks bitsandbytes' as transposed.
    if found.shape[:1] == (1,) and isinstance(getattr(weight, "weight", weight), Weight4bitTensor):
        return found.dequantize(dtype, out)
    return decode(found if dtype is None else found._replace(dtype=float_dtype(dtype)), out)


def decode(weight: Weight4bit, out: Tensor | None = None) -> Tensor:
    """Implements dequantize_4bit for a weight from read_weight."""
    if out is None:
        decoded = torch_ops.dequantize_4bit_directly(weight, transposes=True)
        if decoded is not None:
            return decoded
    with without_torch_function():
        decoded = decode_in_shape(weight, out)
        return decoded.t() if weight.packed.size(0) == 1 else decoded


def dequantize_int8(weight: Any, scb: Tensor | None = None, dtype: torch.dtype | str = torch.bfloat16) -> Tensor:
    """Decodes a bitsandbytes LLM.int8 weight to `dtype`, which neither the weight nor its file records.

    weight: a Linear8bitLt, an Int8Params, or int8 codes [rows, cols] with `scb`, the rows' scales, [rows] float32.

    Raises TypeError if there is no scb, RuntimeError for tensors that do not fit.
    """
    codes = weight.weight if isinstance(weight, torch.nn.Module) else weight
    if scb is None:
        scb = getattr(codes, "SCB", None)
    if scb is None:  # a layer that has run keeps SCB in its state
        scb = getattr(getattr(weight, "state", None), "SCB", None)
    if not isinstance(codes, Tensor) or scb is None:
        raise TypeError(f"a {type(weight).__name__} has no SCB, and none was given")
    with without_torch_function():
        return ops.dequantize_int8(codes.detach(), scb.float(), float_dtype(dtype))


def matmul_4bit(
    x: Tensor, weight: Any, quant_state: Any = None, bias: Tensor | None = None, *, order: ops.Order | None = None
) -> Tensor:
    """Multiplies x [..., k] by the transpose of a 4-bit weight [n, k] and adds bias [n], with gradients.

    weight and quant_state: as for dequantize_4bit; whether the packed codes are transposed does not matter. The weight
    is decoded to x's dtype, whatever the state's dtype is, inside the product or before it (see order), and again for
    x's gradient. x is float32, float16 or bfloat16. The result has x's dtype or, under torch.autocast, the dtype of
    torch.nn.functional.linear. Gradients flow to x and bias.

    order: as for qfuse.ops.matmul_4bit. The default is "split" for few rows without a gradient (at most 64, depending
    on shape and GPU) if k is a multiple of 64, the block size is 64 and the GPU has tensor cores for x's dtype;
    otherwise "plain". Also by default, a GPU decodes the weight to memory and multiplies by torch's linear where that
    is about as fast or faster, for the product and for x's gradient each: above 256 or 512 rows, and in float32. On
    GPUs other than Hopper, or if k is no multiple of 64, n no multiple of 8 or blocks are smaller than 64, it does so
    for more than 128 rows, or for fewer, or always, depending on the shape and the GPU's clock and memory. From 384
    rows on, this has the bits of "plain" on an H200. set_batch_invariant makes every default order "plain".

    order="factored", for inference with few rows on a GPU, must be requested: it does not round the weight to x's
    dtype. It has no gradients; qfuse.ops.matmul_4bit lists its requirements. order="rotated_int8", for training with
    many rows, must also be requested: x and the weight are rotated and rounded to INT8 like in
    qfuse.ops.rotated_int8_*, also in x's gradient, with an error of about 1 % of a result's norm. n and k must be
    multiples of 64, and a gradient has no second gradient.

    Raises TypeError or ValueError for a weight or an x that does not fit, ValueError for the order "factored" if x or
    bias requires a gradient, and RuntimeError for arguments that the op refuses.
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
    """Multiplies one x by several weights, such as those of q, k and v or of gate and up. Returns one product per
    weight, with the bits and gradients of matmul_4bit.

    weights: each as for matmul_4bit. quant_states, biases: one per weight, each may be None. order: of all products.

    A single op computes all products if no gradient is needed, no weight is decoded to memory, all weights have the
    same quant_type and block sizes, and all or none are nested and have a bias. Otherwise they are separate products.

    Raises the errors of matmul_4bit, and ValueError if the numbers of weights, quant_states and biases differ.
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

    lora_a: A [rank, k]. lora_b: B [n, rank]. Both may have any floating point dtype; they are rounded to x's dtype or,
    under torch.autocast, to the product's. t = scaling·x·Aᵀ is summed in fp32 and rounded to that dtype; t·Bᵀ is added
    to the sums of x·Wᵀ, which are then rounded once. Likewise, for x's gradient, u = scaling·dy·B is rounded, and u·A
    is added to the sums of dy·W. The gradients of A, uᵀ·x, and of B, dyᵀ·t, are summed in fp32 and rounded to the
    dtypes of A and B; a CPU first rounds them to x's dtype. On a GPU, if the default order is "split" or decodes the
    weight to memory (see matmul_4bit), the adapter's product is added to the rounded product. lora_x: the adapter's
    input, in x's shape, if it is not x, such as torch.nn.functional.dropout(x, p).

    In float16, because of its small range, t, u and the gradients of A and B are computed in float32 from x, dy, A and
    B. For t·Bᵀ and u·A, both factors are rounded to float16 after a scale moves from one to the other: t is divided by
    16, u is multiplied by 8, and for a scaling above 1 both are divided by the power of two nearest to its square root.

    scaling: a number, or a tensor, which may be trained; a tensor is multiplied into B.

    Saved for the gradients: x or lora_x if A needs a gradient, t if B needs one, A and B, and A and B rounded. The
    packed weight is not saved: its owner keeps it, and it may have been made in inference mode. Gradients of any order
    flow to all inputs but the weight.

    Raises the errors of matmul_4bit, and ValueError for an A, B or lora_x whose shape does not fit.
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
    """matmul_4bit for a MoE layer: each row of x is multiplied by its expert's weight [n, k] of a stack.

    x: [m, k], sorted by expert. expert_ends: [experts] int32 or int64 on x's device, the row after each expert's last
    one, ascending; on a GPU, no op waits for them on the host. Rows from the last end on belong to no expert: their
    result is uninitialized and their gradient is zero.

    weight, quant_state: as for matmul_4bit, with shape (experts, n, k) or, if is_transposed, as in gpt-oss,
    (experts, k, n). Nested absmax are those of the whole stack or of each expert by itself; see
    qfuse.ops.matmul_4bit_grouped. bias: [experts, n]. Gradients flow to x and bias.

    order: as for qfuse.ops.matmul_4bit. The default is "split" without a gradient for at most as many rows as experts
    (on a CPU, for more), otherwise "plain", each with the bits of matmul_4bit. Also by default, for a bfloat16 x, a GPU
    decodes the whole stack to memory if experts have on average four times the rows from which matmul_4bit decodes and
    torch has a grouped product for the shape; a bias is then added to the rounded product. set_batch_invariant makes
    every default order "plain".

    Raises the errors of matmul_4bit.
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
    """matmul_4bit_grouped with a LoRA adapter per expert: lora_a [experts, rank, k], lora_b [experts, n, rank], also if
    is_transposed.

    The rows of each expert are computed as matmul_4bit_lora documents, with two differences. In bfloat16 on a GPU, t
    and u are rounded before and after the multiplication by a scaling, which changes nothing if that is a power of two.
    The gradients of A and B are rounded to x's dtype before their own. No product synchronizes the ends: products
    without a kernel in torch, in float16 and float32, are computed in tiles of rows.

    Raises the errors of matmul_4bit_grouped and matmul_4bit_lora.
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
    """Returns experts, n and k of a stack."""
    if len(weight.shape) != 3:
        kinds = "[experts, k, n]" if is_transposed else "[experts, n, k]"
        raise ValueError(f"the weight has shape {tuple(weight.shape)}, it must be {kinds}")
    experts, rows, cols = weight.shape
    return (experts, cols, rows) if is_transposed else (experts, rows, cols)


def _grouped_operands(
    x: Tensor, weight: Weight4bit, expert_ends: Tensor, bias: Tensor | None, is_transposed: bool
) -> tuple[Tensor, Tensor | None]:
    """Checks the operands, and casts x and bias to the dtype of the product."""
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
    """matmul_4bit_lora of one x and several weights, such as those of q, k and v or of gate and up. Returns one product
    per weight.

    weights: each as for matmul_4bit, with its own quant_state. lora_as, lora_bs, biases: one per weight. Ranks may
    differ, but all A's have one dtype. scaling, lora_x, order: shared by all.

    x is read once for all A's and once for all of their gradients, and one product adds all adapters to x's gradient.
    Results and the gradients of A, B and bias are rounded where matmul_4bit_lora documents it, but a sum may have
    another order. x's gradient is rounded after each weight in turn; if a weight is decoded to memory, its product's
    sums start from the gradient rounded so far. Under torch.compile and torch.func transforms the weights are
    multiplied separately, with the bits of matmul_4bit_lora.

    Raises the errors of matmul_4bit_lora, and ValueError if the numbers of weights, A's, B's and biases differ.
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
    """Computes the INT8 scales of a bitsandbytes 4-bit weight [n, k], rotated by a Hadamard matrix: [n] float32 for
    x * W^T or, with direction="backward", [k] float32 for dy * W. Compute them once and keep them.

    weight and quant_state: as for dequantize_4bit. k must be a multiple of 64; for "backward", n too.
    """
    found = read_weight(weight, quant_state)
    with without_torch_function():
        return torch_ops.rotated_int8_weight_scales(_detached(found), direction)


def rotated_int8_weight(
    weight: Any, scale: Tensor, quant_state: Any = None, *, direction: ops.Direction = "forward"
) -> Tensor:
    """Converts a weight to int8 by these scales, for rotated_int8_matmul: [n, k] or, for "backward", [k, n]."""
    found = read_weight(weight, quant_state)
    with without_torch_function():
        return torch_ops.rotated_int8_weight(_detached(found), scale, direction)


def scaled(lora_b: Tensor, scaling: float | Tensor) -> tuple[Tensor, float]:
    """Returns B and a number to scale by. A scaling that is a tensor, which may be trained, is multiplied into B."""
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
    """Checks x and bias, and casts them to the dtype of the product."""
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
    """Implements matmul_4bit_lora for a weight from read_weight, and a bias and lora_x in x's dtype."""
    with without_torch_function():
        if order is None and _adds_adapter_after(x, weight, bias, lora_a, lora_b, lora_x):
            product = multiply(x, weight, bias, "split")
            return lora.add_to(product, x if lora_x is None else lora_x, lora_a, lora_b, scaling)
        return lora.matmul_4bit_lora(_adapted_call(x, weight, bias, order), lora_x, lora_a, lora_b, scaling)


def _adds_adapter_after(x: Tensor, weight: Weight4bit, *tensors: Tensor | None) -> bool:
    """Whether a product takes the kernel for few rows, which has no LoRA. Without it, one row takes almost twice as
    long."""
    if not x.is_cuda or torch._C._are_functorch_transforms_active() or gradients.needs_gradient(x, *tensors):
        return False
    return default_orders(x, weight.shape, advised_blocksize(weight), None)[0] == "split"


def _adapted_call(x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None) -> Call:
    """Returns the call of the base product, to which an adapter is added."""
    orders = orders_of_training(x, weight.shape, advised_blocksize(weight)) if order is None else (order, order)
    return Call(x, _detached(weight), bias, order=orders[0], gradient_order=orders[1])


def multiply(
    x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None = None, few_factored: bool = False
) -> Tensor:
    """Implements matmul_4bit for a weight from read_weight and a bias in x's dtype. few_factored: the default order is
    "factored" instead of "split" where that is supported."""
    call = _call_of(x, weight, bias, order, few_factored)
    product = gradients.past_dispatcher(call)
    if product is not None:
        return product
    with without_torch_function():
        return gradients.by_dispatcher(call._replace(weight=_detached(weight)))


def multiply_once(x: Tensor, weight: Weight4bit, bias: Tensor | None) -> Tensor:
    """multiply() by a weight that was made for this call."""
    return gradients.saving_weight(_call_of(x, weight, bias, None))


def _call_of(
    x: Tensor, weight: Weight4bit, bias: Tensor | None, order: ops.Order | None, few_factored: bool = False
) -> Call:
    if order is not None:
        return Call(x, weight, bias, "forward", order)
    order, gradient_order = default_orders(x, weight.shape, advised_blocksize(weight), bias)
    if order == "split" and few_factored and has_factored(x, weight):
        order = "factored"
    return Call(x, weight, bias, "forward", order, gradient_order=gradient_order)


def _detached(weight: Weight4bit) -> Weight4bit:
    """Replaces a Params4bit by a plain tensor, which every transform supports."""
    packed, *scales = weight.tensors
    return weight._replace(tensors=(packed.detach(), *scales))


def _autocast(tensor: Tensor) -> Tensor:
    """Casts under autocast like torch.nn.functional.linear: all floating point dtypes but float64."""
    device = tensor.device.type
    if tensor.dtype not in FLOAT_DTYPES or not gradients.is_autocast(device):
        return tensor
    return tensor.to(torch.get_autocast_dtype(device))
