"""Autograd and vmap rules of matmul_4bit and matmul_4bit_grouped."""

import functools
import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from ..native import torch_ops
from ..native.devices import check_one_device
from ..native.torch_ops import Call, Direction, Order, Orders
from ..weight.form import Form
from ..weight.weight_4bit import Weight4bit, given, unnested
from . import grouped_products, rotated_products

_library = torch.library.Library("qfuse", "IMPL")  # keeps its registrations as long as it exists
_is_compiling = torch.compiler.is_compiling  # looking it up through torch's modules takes longer than the call
TURNED: dict[Direction, Direction] = {"forward": "backward", "backward": "forward"}


class Kept:
    """A weight kept from forward to backward. It has no gradient, and its layer owns it, so it is not a saved tensor:
    hooks for saved tensors, such as those that offload activations, would process it, and autograd would refuse one
    that was made in inference mode."""

    def __init__(self, weight: Weight4bit) -> None:
        self._weight, self._versions = weight, _versions(weight)

    def get(self) -> Weight4bit:
        if _versions(self._weight) != self._versions:  # the same check as torch's for saved tensors
            raise RuntimeError(
                "a 4-bit weight that is needed for a gradient has been modified by an inplace operation since then"
            )
        return self._weight


def _versions(weight: Weight4bit) -> list[int]:
    return [0 if tensor.is_inference() else tensor._version for tensor in weight.tensors]


class _Matmul4bit(torch.autograd.Function):
    """Autograd function of a product. Keeps LoRA's terms, the ends and the packed weight for the backward pass."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        bias: Tensor | None,
        lora_in: Tensor | None,
        lora_weight: Tensor | None,
        ends: Tensor | None,
        weight: Weight4bit,
        direction: Direction,
        orders: Orders,
        gatherer: Tensor | None,
    ) -> Tensor:
        ctx.save_for_backward(lora_in, lora_weight, ends)
        ctx.weight, ctx.direction, ctx.orders = Kept(weight), direction, orders
        return without_gradient(Call(x, weight, bias, direction, orders[0], (lora_in, lora_weight), ends))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return *_backward(ctx, ctx.weight.get(), ctx.saved_tensors, *grads), *([None] * 5)


class _Matmul4bitWatched(torch.autograd.Function):
    """_Matmul4bit for transforms and torch's compiler, which need a weight's tensors as separate arguments, and
    setup_context. torch.library.register_autograd is no alternative, because torch.func.grad refuses its ops.
    """

    generate_vmap_rule = True

    # Explicit parameters, because torch 2.11's compiler counts them.
    @staticmethod
    def forward(
        x: Tensor,
        bias: Tensor | None,
        lora_in: Tensor | None,
        lora_weight: Tensor | None,
        ends: Tensor | None,
        packed: Tensor,
        absmax: Tensor,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        form: Form,
        direction: Direction,
        orders: Orders,
    ) -> Tensor:
        weight = Weight4bit(given(packed, absmax, nested_absmax, nested_quant_map, nested_offset), *form)
        return without_gradient(Call(x, weight, bias, direction, orders[0], (lora_in, lora_weight), ends))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[2:-3])
        ctx.form, ctx.direction, ctx.orders = inputs[-3:]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        saved = ctx.saved_tensors  # once: a checkpoint refuses to compute them twice
        weight = Weight4bit(given(*saved[3:]), *ctx.form)
        return *_backward(ctx, weight, saved[:3], *grads), *([None] * 9)


def _backward(
    ctx: Any, weight: Weight4bit, terms_and_ends: Sequence[Any], grad: Tensor
) -> tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None]:
    """Returns the gradients of x, bias and the two LoRA terms."""
    lora_in, lora_weight, ends = terms_and_ends
    direction, (order, gradient_order) = ctx.direction, ctx.orders
    _refuse_factored(order)  # reached under a transform, whose inner levels see no gradient
    refuse_second(order)
    grad_x = grad_bias = grad_lora_in = grad_lora_weight = None
    if ctx.needs_input_grad[0]:
        turned = Call(grad, weight, None, TURNED[direction], gradient_order, ends=ends, gradient_order=order)
        grad_x = None if rotated_products.put_off(ctx, turned) else without_nobodys(matmul_4bit(turned), ends)
    with without_autocast(grad):
        if ctx.needs_input_grad[1]:
            grad_bias = sum_of_rows(grad, ends)
        if ctx.needs_input_grad[2]:
            grad_lora_in = product(grad, lora_weight if direction == "forward" else lora_weight.mT, ends)
            grad_lora_in = without_nobodys(grad_lora_in, ends)
        if ctx.needs_input_grad[3]:
            left, right = (grad, lora_in) if direction == "forward" else (lora_in, grad)
            grad_lora_weight = outer(left, right, ends)
    return grad_x, grad_bias, grad_lora_in, grad_lora_weight


# ---- dense products: all rows by one factor or, with ends, each row by its expert's factor


def product(x: Tensor, factor: Tensor, ends: Tensor | None) -> Tensor:
    return x @ factor if ends is None else grouped_products.product(x, factor, ends)


def outer(left: Tensor, right: Tensor, ends: Tensor | None) -> Tensor:
    """Returns leftᵀ·right over all rows or, with ends, over the rows of each expert."""
    return rows(left).t() @ rows(right) if ends is None else grouped_products.outer(left, right, ends)


def sum_of_rows(tensor: Tensor, ends: Tensor | None) -> Tensor:
    return rows(tensor).sum(0) if ends is None else grouped_products.sums(tensor, ends)


def without_nobodys(gradient: Tensor, ends: Tensor | None) -> Tensor:
    return gradient if ends is None else grouped_products.without_nobodys(gradient, ends)


def rows(tensor: Tensor) -> Tensor:
    return tensor if tensor.dim() == 2 else tensor.reshape(math.prod(tensor.shape[:-1]), tensor.shape[-1])


def is_autocast(kind: str) -> bool:
    """Whether autocast is on for a device type. Returns false for meta, for which torch raises an error."""
    return kind != "meta" and torch.is_autocast_enabled(kind)


def without_autocast(tensor: Tensor) -> Any:
    """Context without autocast, because the tensor already has the dtype to multiply in."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if is_autocast(kind) else nullcontext()


def decode(call: Call) -> Tensor:
    """Decodes the weight [n, k], or a stack of weights, to x's dtype."""
    beside = [("x", call.x)] if call.bias is None else [("x", call.x), ("bias", call.bias)]
    check_one_device((("packed", call.weight.packed), *beside))  # torch's product does not check a tensor on meta
    weight = unnested(call.weight._replace(dtype=call.x.dtype))
    if call.direction == "backward" and _is_compiling():
        weight = _seen_apart(weight)
    return torch_ops.dequantize_4bit(weight)


def _seen_apart(weight: Weight4bit) -> Weight4bit:
    """Reshapes the codes so that torch's compiler does not merge the decodes of forward and backward: it would keep the
    decoded weights of the whole model from forward to backward."""
    packed, *others = weight.tensors
    return weight._replace(tensors=(packed.reshape(-1) if packed.dim() > 1 else packed.unsqueeze(1), *others))


def _call(call: Call) -> Tensor:
    if call.order == "rotated_int8":
        return rotated_products.multiply(call)
    if call.order is not None:
        return torch_ops.matmul_4bit(call)
    x, _, bias, direction, _, (lora_in, lora_weight), ends, _ = call
    if ends is not None:
        return _call_decoded_grouped(call, ends)
    decoded = decode(call)
    with without_autocast(x):
        product = torch.nn.functional.linear(x, decoded, bias) if direction == "forward" else x @ decoded
        if lora_in is not None and lora_weight is not None:
            check_one_device((("x", x), ("lora_in", lora_in), ("lora_weight", lora_weight)))
            factor = lora_weight.t() if direction == "forward" else lora_weight
            product.view(-1, product.shape[-1]).addmm_(rows(lora_in), factor)
    return product


def _call_decoded_grouped(call: Call, ends: Tensor) -> Tensor:
    x, _, bias, direction, _, (lora_in, lora_weight), *_ = call
    check_one_device((("x", x), ("expert_ends", ends)))
    decoded = decode(call)
    found = grouped_products.product(x, decoded.mT if direction == "forward" else decoded, ends)
    if lora_in is not None and lora_weight is not None:
        factor = lora_weight.mT if direction == "forward" else lora_weight
        found = found + grouped_products.product(lora_in, factor, ends)
    if bias is not None:
        found = found + bias[grouped_products.expert_of_rows(ends, x.shape[0])]
    return found


def _call_below_autograd(call: Call) -> Tensor:
    """Calls the op without _matmul_autograd, which takes longer than everything else."""
    with torch._C._AutoDispatchBelowAutograd():
        return _call(call)


def _call_past_autograd(call: Call) -> Tensor:
    """Calls the op without autograd and, where possible, without torch's dispatcher."""
    product = torch_ops.matmul_4bit_directly(call)
    return _call_below_autograd(call) if product is None else product


def without_gradient(call: Call) -> Tensor:
    """matmul_4bit inside a function that defines its own gradient."""
    # The compiler has to see the op itself, not the shortcuts around the dispatcher.
    return (_call if _is_compiling() else _call_past_autograd)(call)


def padded(weight: Weight4bit) -> tuple[Tensor | None, ...]:
    """Returns a weight's five tensors, with None for the nested ones if it is not nested."""
    return (*weight.tensors, *([None] * (5 - len(weight.tensors))))


def _refuse_factored(order: str | None) -> None:
    """Refuses gradients for the order "factored", whose weight differs from the one that a gradient multiplies by."""
    if order == "factored":
        raise ValueError(
            "x or bias requires a gradient, which the order 'factored' does not have: "
            "multiply under torch.no_grad(), or in another order"
        )


def refuse_second(order: str | None) -> None:
    """Refuses second gradients for "rotated_int8", because rounding to INT8 cannot be differentiated."""
    if order == "rotated_int8" and torch.is_grad_enabled():
        raise ValueError(
            "a gradient of a product in the order 'rotated_int8' has no gradient: leave out create_graph, "
            "or multiply in another order"
        )


def _call_with_gradient(call: Call, is_kept: bool = True) -> Tensor:
    """is_kept: the weight is a layer's, so that it need not be a saved tensor."""
    x, weight, bias, direction, order, terms, ends, _ = call
    if needs_gradient(x, bias):
        _refuse_factored(order)
    if is_kept and not is_watched():
        gatherer = rotated_products.gatherer_of(x) if order == "rotated_int8" else None
        found: Tensor = _Matmul4bit.apply(x, bias, *terms, ends, weight, direction, call.orders, gatherer)
        return found
    if len(weight.tensors) > 5:  # the op refuses it with its own message
        return _call_below_autograd(call)
    tensors = padded(weight)
    watched: Tensor = _Matmul4bitWatched.apply(x, bias, *terms, ends, *tensors, weight.form, direction, call.orders)
    return watched


def needs_gradient(*tensors: Tensor | None) -> bool:
    if torch.is_grad_enabled():
        for tensor in tensors:  # any() with a generator takes twice as long
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def is_watched() -> bool:
    """Whether a compiler or a transform must see the call: an outer level of a transform may need the gradient, and
    forward-mode differentiation, which is not supported, must be refused."""
    return _is_compiling() or torch._C._are_functorch_transforms_active() or torch_ops.is_dual()


def matmul_4bit(call: Call) -> Tensor:
    """The op with gradients of any order."""
    product = past_dispatcher(call)
    return by_dispatcher(call) if product is None else product


def past_dispatcher(call: Call) -> Tensor | None:
    """matmul_4bit without torch's dispatcher. Returns None if a gradient is needed or the op must be dispatched."""
    return None if needs_gradient(call.x, call.bias, *call.terms) else torch_ops.matmul_4bit_directly(call)


def by_dispatcher(call: Call) -> Tensor:
    """matmul_4bit for calls for which past_dispatcher has returned None."""
    if needs_gradient(call.x, call.bias, *call.terms) or is_watched():
        return _call_with_gradient(call)
    return _call_below_autograd(call)


def saving_weight(call: Call) -> Tensor:
    """matmul_4bit by a weight that was made for this call: it becomes a saved tensor, which checkpoints drop."""
    product = past_dispatcher(call)
    return _call_with_gradient(call, is_kept=False) if product is None else product


def are_together(calls: Sequence[Call]) -> bool:
    """Whether calls with one x and without LoRA can be one matmul_4bit_many: no gradient is needed, orders are equal,
    the weights differ only in shape, and all or none are nested and have a bias."""
    first = calls[0]
    if first.order in (None, "rotated_int8") or needs_gradient(first.x, *(call.bias for call in calls)):
        return False
    if torch._C._are_functorch_transforms_active() or torch_ops.is_dual():
        return False
    kind = _kind(first)
    return all(_kind(call) == kind for call in calls)


def _kind(call: Call) -> tuple[Any, ...]:
    tensors, _, _, *blocks = call.weight
    return len(tensors), call.bias is None, call.direction, call.order, *blocks


def many_by_dispatcher(calls: Sequence[Call]) -> Sequence[Tensor]:
    if _is_compiling():  # the compiler has to see the op itself, not the shortcuts around the dispatcher
        return _call_many(calls)
    with torch._C._AutoDispatchBelowAutograd():
        return _call_many(calls)


def _call_many(calls: Sequence[Call]) -> list[Tensor]:
    return torch_ops.matmul_4bit_many(calls)


# ---- for calls of torch.ops.qfuse.*: torch omits arguments with default values, so the defaults are repeated here


def _read(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None = None,
    *terms: Tensor | None,
    ends: Tensor | None = None,
    direction: Direction = "forward",
    order: Order | None = "plain",
    **form: Any,
) -> Call:
    lora_in, lora_weight = (*terms, None, None)[:2]
    of = Weight4bit(tuple(weight), dtype=x.dtype, **form)
    return Call(x, of, bias, direction, order, (lora_in, lora_weight), ends)


def _read_grouped(x: Tensor, weight: Sequence[Tensor], expert_ends: Tensor, *others: Any, **scalars: Any) -> Call:
    return _read(x, weight, *others, ends=expert_ends, **scalars)


def _many_autograd(
    x: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], *, rows: Sequence[int], **scalars: Any
) -> list[Tensor]:
    """Runs matmul_4bit_many, or separate products if a gradient is needed."""
    if not needs_gradient(x, *biases):
        with torch._C._AutoDispatchBelowAutograd():
            products: list[Tensor] = torch.ops.qfuse.matmul_4bit_many.default(x, weights, biases, rows=rows, **scalars)
            return products
    each = len(weights) // max(len(rows), 1)
    return [
        matmul_4bit(
            _read(
                x,
                weights[i * each : (i + 1) * each],
                biases[i] if biases else None,
                shape=(count, x.shape[-1]),
                **scalars,
            )
        )
        for i, count in enumerate(rows)
    ]


def _matmul_autograd(*args: Any, **scalars: Any) -> Tensor:
    call = _read(*args, **scalars)
    return (_call_with_gradient if needs_gradient(call.x, call.bias, *call.terms) else _call_past_autograd)(call)


def _grouped_autograd(*args: Any, **scalars: Any) -> Tensor:
    call = _read_grouped(*args, **scalars)
    return (_call_with_gradient if needs_gradient(call.x, call.bias, *call.terms) else _call_below_autograd)(call)


def _matmul_batched(*args: Any, **scalars: Any) -> Tensor:
    """Computes by torch's own operations for gradients that torch.autograd has batched (is_grads_batched), because the
    vmap that it uses for them does not support lists of tensors."""
    return _call(_read(*args, **scalars)._replace(order=None))  # None: the order of torch's product


def _grouped_batched(*args: Any, **scalars: Any) -> Tensor:
    """Like _matmul_batched, for matmul_4bit_grouped."""
    return _call(_read_grouped(*args, **scalars)._replace(order=None))


def _matmul_vmap(
    name: str,
    info: Any,
    in_dims: tuple[Any, ...],
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    **scalars: Any,
) -> tuple[Tensor, int]:
    """vmap rule: one product for all rows, or one per batch entry if weights, biases or LoRA's terms are batched."""
    op = getattr(torch.ops.qfuse, name).default
    x_dim, weight_dims, *dims = in_dims
    others = [bias, lora_in, lora_weight]
    dims += [None] * (len(others) - len(dims))
    bias_dim, low_dim, factor_dim = dims
    are_shared = all(dim is None for dim in (*weight_dims, bias_dim, factor_dim))
    if x_dim is not None and are_shared and (lora_in is None) == (low_dim is None):
        low = None if lora_in is None else lora_in.movedim(low_dim, 0).contiguous()
        return op(x.movedim(x_dim, 0), weight, bias, low, lora_weight, **scalars), 0
    return _each_of_batch(op, info, in_dims, (x, weight, *others), scalars)


def _grouped_vmap(info: Any, in_dims: tuple[Any, ...], *args: Any, **scalars: Any) -> tuple[Tensor, int]:
    return _each_of_batch(torch.ops.qfuse.matmul_4bit_grouped.default, info, in_dims, args, scalars)


def _each_of_batch(
    op: Any, info: Any, in_dims: Sequence[Any], args: Sequence[Any], scalars: dict[str, Any]
) -> tuple[Tensor, int]:
    dims = (*in_dims, *[None] * (len(args) - len(in_dims)))

    def of(index: int, value: Any, dim: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [_slice(tensor, own, index) for tensor, own in zip(value, dim, strict=True)]
        return None if value is None else _slice(value, dim, index)

    results = [
        op(*(of(i, value, dim) for value, dim in zip(args, dims, strict=True)), **scalars)
        for i in range(info.batch_size)
    ]
    return torch.stack(results), 0


def _slice(tensor: Tensor, dim: int | None, index: int) -> Tensor:
    """Returns a contiguous slice, because weights and biases must be contiguous."""
    return tensor if dim is None else tensor.select(dim, index).contiguous()


def register() -> None:
    _library.impl("matmul_4bit", _matmul_autograd, "Autograd")
    _library.impl("matmul_4bit_many", _many_autograd, "Autograd")
    _library.impl("matmul_4bit_grouped", _grouped_autograd, "Autograd")
    _library.impl("matmul_4bit", _matmul_batched, "Batched")
    _library.impl("matmul_4bit_grouped", _grouped_batched, "Batched")
    for name in ("matmul_4bit", rotated_products.NAME):
        torch.library.register_vmap(f"qfuse::{name}", functools.partial(_matmul_vmap, name))
    torch.library.register_vmap("qfuse::matmul_4bit_grouped", _grouped_vmap)
