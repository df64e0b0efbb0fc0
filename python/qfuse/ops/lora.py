"""matmul_4bit with a LoRA adapter and its gradients: for one weight, several weights with one input, or a stack of
experts."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from ..native.devices import check_one_device
from ..native.torch_ops import Call, Direction, Orders
from ..weight.form import Form
from ..weight.weight_4bit import Weight4bit, given
from . import grouped_products, rotated_products
from .gradients import (
    TURNED,
    Kept,
    decode,
    is_watched,
    matmul_4bit,
    needs_gradient,
    outer,
    padded,
    product,
    refuse_second,
    rows,
    sum_of_rows,
    without_autocast,
    without_gradient,
    without_nobodys,
)

_VECTOR = 8  # 16-bit values that a kernel loads at once; ranks are zero-padded to a multiple of it
# Divisors of t and u in float16, whose other factors, B and A, are multiplied by them: activations are large and B is
# small; gradients are small.
_DOWN_SHARE = 16.0
_UP_SHARE = 1 / 8


class _Lora(torch.autograd.Function):
    """y = x·Wᵀ + t·Bᵀ + bias with t = scaling·x·Aᵀ; dx = dy·W + u·A with u = scaling·dy·B. t, u, y and dx are one
    product each. t is also a result, so that the gradient of B, which depends on t, can be differentiated. With ends,
    each row is multiplied by its expert's W, A and B. If put_off is a list, y is not computed here: the list receives
    the call, and y is a placeholder without memory for _Product."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        lora_x: Tensor | None,
        bias: Tensor | None,
        lora_a: Tensor,
        lora_b: Tensor,
        ends: Tensor | None,
        weight: Weight4bit,
        scaling: float,
        direction: Direction,
        orders: Orders,
        put_off: list[Call] | None,
        gatherer: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        with without_autocast(x):
            a, b = _rounded(lora_a, lora_b, x.dtype)
            call, down = _with_terms(Call(x, weight, bias, direction, orders[0], ends=ends), lora_x, a, b, scaling)
            if put_off is None:
                y = without_gradient(call)
            else:
                put_off.append(call)
                y = x.new_empty(1).expand(*x.shape[:-1], lora_b.shape[-2])
        _, _, _, needs_a, needs_b, *_ = ctx.needs_input_grad
        seen = x if lora_x is None else lora_x
        kept = map(_savable, (seen if needs_a else None, down if needs_b else None, a, b))
        ctx.save_for_backward(*kept, ends, *_save_factors(ctx, (lora_a, lora_b)))
        ctx.set_materialize_grads(False)
        ctx.weight, ctx.direction, ctx.orders = Kept(weight), direction, orders
        ctx.has_own_x, ctx.scaling, ctx.dtype = lora_x is not None, scaling, x.dtype
        return y, down

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, grad_down: Tensor | None) -> tuple[Tensor | None, ...]:
        x, down, a, b, ends, *saved = ctx.saved_tensors
        lora_a, lora_b = _saved_factors(ctx, saved)
        if torch.is_grad_enabled():  # second gradients may flow to A and B
            with without_autocast(lora_a):
                a, b = _rounded(lora_a, lora_b, ctx.dtype)
        found = _backward(ctx, (x, down, a, b, ends), (lora_a, lora_b), ctx.weight.get(), grad, grad_down)
        return *found, *([None] * 7)


class _Product(torch.autograd.Function):
    """Computes y, which _Lora has put off. A checkpointed layer is recomputed only up to its last saved tensor: this
    function saves none, so a layer's last product is not recomputed."""

    @staticmethod
    def forward(ctx: Any, place: Tensor, call: Call) -> Tensor:
        with without_autocast(call.x):
            return without_gradient(call)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad, None


class _LoraWatched(torch.autograd.Function):
    """_Lora for transforms and torch's compiler, which need a weight's tensors as arguments, and setup_context."""

    generate_vmap_rule = True

    @staticmethod
    def forward(
        x: Tensor,
        lora_x: Tensor | None,
        bias: Tensor | None,
        lora_a: Tensor,
        lora_b: Tensor,
        ends: Tensor | None,
        packed: Tensor,
        absmax: Tensor,
        nested_absmax: Tensor | None,
        nested_quant_map: Tensor | None,
        nested_offset: Tensor | None,
        form: Form,
        scaling: float,
        direction: Direction,
        orders: Orders,
    ) -> tuple[Tensor, Tensor]:
        weight = Weight4bit(given(packed, absmax, nested_absmax, nested_quant_map, nested_offset), *form)
        with without_autocast(x):
            a, b = _rounded(lora_a, lora_b, x.dtype)
            return _forward(Call(x, weight, bias, direction, orders[0], ends=ends), lora_x, a, b, scaling)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, Tensor]) -> None:
        x, lora_x, _, lora_a, lora_b, *ends_and_weight, form, scaling, direction, orders = inputs
        ctx.save_for_backward(x if lora_x is None else lora_x, outputs[1], lora_a, lora_b, *ends_and_weight)
        ctx.form, ctx.direction, ctx.orders = form, direction, orders
        ctx.has_own_x, ctx.scaling, ctx.dtype = lora_x is not None, scaling, x.dtype

    @staticmethod
    def backward(ctx: Any, grad: Tensor, grad_down: Tensor) -> tuple[Tensor | None, ...]:
        x, down, lora_a, lora_b, ends, *tensors = ctx.saved_tensors
        weight = Weight4bit(given(*tensors), *ctx.form)
        with without_autocast(grad):
            saved = x, down, *_rounded(lora_a, lora_b, grad.dtype), ends
        return *_backward(ctx, saved, (lora_a, lora_b), weight, grad, grad_down), *([None] * 10)


def _savable(tensor: Tensor | None) -> Tensor | None:
    """Clones a tensor that was made in inference mode, because torch does not save such tensors."""
    return tensor.clone() if tensor is not None and tensor.is_inference() else tensor


def _save_factors(ctx: Any, factors: Sequence[Tensor]) -> list[Tensor | None]:
    """Returns A's and B's to save for second gradients; inference tensors, which cannot be saved, go to ctx.unsaved."""
    ctx.unsaved = [factor if factor.is_inference() else None for factor in factors]
    return [None if factor.is_inference() else factor for factor in factors]


def _saved_factors(ctx: Any, saved: Sequence[Tensor | None]) -> list[Any]:
    return [own if factor is None else factor for factor, own in zip(saved, ctx.unsaved, strict=True)]


def _backward(
    ctx: Any,
    saved: Sequence[Any],
    factors: tuple[Tensor, Tensor],
    weight: Weight4bit,
    grad: Tensor | None,
    grad_down: Tensor | None,
) -> tuple[Tensor | None, ...]:
    """Returns the gradients of x, lora_x, bias, A and B."""
    (x, down, a, b, ends), (lora_a, lora_b) = saved, factors
    scaling, direction, (order, gradient_order) = ctx.scaling, TURNED[ctx.direction], ctx.orders
    refuse_second(order)
    needs_x, needs_lora_x, needs_bias, needs_a, needs_b, *_ = ctx.needs_input_grad
    grad_x = grad_lora_x = grad_bias = grad_a = grad_b = None
    if grad is None and grad_down is None:
        return (None,) * 5
    with without_autocast(a):
        low = None if grad is None else grad.to(a.dtype)
        if needs_a or needs_lora_x or (needs_x and not ctx.has_own_x):
            up = _multiply_up(low, b, scaling, grad_down, ends)
        if needs_x and grad is not None:
            terms = (None, None) if ctx.has_own_x else _terms(up, a, scaling, _UP_SHARE, grad.dtype)
            terms = _laid_out(terms, direction == "backward")
            call = Call(grad, weight, None, direction, gradient_order, terms, ends, order)
            grad_x = None if rotated_products.put_off(ctx, call) else matmul_4bit(call)
        elif needs_x and not ctx.has_own_x:
            grad_x = product(up, a, ends).to(ctx.dtype)
        if grad_x is not None:
            grad_x = without_nobodys(grad_x, ends)
        if needs_lora_x:
            grad_lora_x = without_nobodys(product(up, a, ends).to(ctx.dtype), ends)
        if needs_a:
            grad_a = _cut(_outer(up, x, lora_a, ends), -2, lora_a)
        if needs_b and low is not None:
            grad_b = _cut(_outer(low, down, lora_b, ends), -1, lora_b)
        if needs_bias and grad is not None:
            grad_bias = sum_of_rows(grad, ends)
    return grad_x, grad_lora_x, grad_bias, grad_a, grad_b


def _zeros(beside: Tensor, lora_b: Tensor, dtype: torch.dtype) -> Tensor:
    """Zero gradient for a product that nothing depends on, while another result of the function has a gradient."""
    return beside.new_zeros((*beside.shape[:-1], lora_b.shape[0]), dtype=dtype)


def _rounded(lora_a: Tensor, lora_b: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Casts A and B to the dtype of t and u and pads the rank to a multiple of _VECTOR. The dtype is the product's, but
    float32 for float16 products, in which u would underflow and t, for a large alpha / rank, overflow."""
    fill = -lora_a.shape[-2] % _VECTOR
    low = torch.float32 if dtype == torch.float16 else dtype
    a, b = lora_a.to(low), lora_b.to(low)
    if fill:
        a = torch.nn.functional.pad(a, (0, 0, 0, fill))
        b = torch.nn.functional.pad(b, (0, fill))
    return a.contiguous(), b.contiguous()


def _multiply_down(x: Tensor, factor: Tensor, scaling: float, ends: Tensor | None = None) -> Tensor:
    """Returns scaling·x·factor, [..., rank], rounded once, because torch multiplies sums by alpha before rounding. For
    experts, grouped_products.py computes it."""
    if ends is not None:
        return grouped_products.product(x, factor, ends, scaling)
    if scaling == 1:
        return x @ factor
    # torch.func.vmap reads the input of addmm even if beta is 0, so it must not be uninitialized there.
    unread = factor.new_zeros(1) if torch._C._are_functorch_transforms_active() else factor.new_empty(1)
    found = torch.addmm(unread, rows(x), factor, beta=0, alpha=scaling)
    return found if x.dim() == 2 else found.view(*x.shape[:-1], factor.shape[1])


def _multiply_up(
    grad: Tensor | None, b: Tensor, scaling: float, grad_down: Tensor | None, ends: Tensor | None
) -> Tensor:
    """Returns u plus the part from a gradient of t itself. At least one of grad and grad_down is given."""
    if grad_down is None:
        return _multiply_down(cast(Tensor, grad), b, scaling, ends)
    own = grad_down * scaling
    return own if grad is None else _multiply_down(grad, b, scaling, ends) + own


def _terms(low: Tensor, factor: Tensor, scaling: float, share: float, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Casts t and B, or u and A, to `dtype` as additional terms of a product. In float16, a scaling above 1 is
    distributed over both, so that they overflow or lose significant bits only where the sum would, too."""
    if low.dtype == dtype:
        return low, factor
    share *= 2.0 ** round(math.log2(max(abs(scaling), 1.0)) / 2)
    return (low * (1 / share)).to(dtype), (factor * share).to(dtype)


def _laid_out(terms: tuple[Any, Any], is_as_it_lies: bool) -> tuple[Any, Any]:
    """Transposes the factor to the layout that the op needs: for a weight stored transposed, a layer is the op's
    backward, and its gradient the op's forward."""
    low, factor = terms
    return terms if factor is None or is_as_it_lies else (low, factor.mT.contiguous())


def _outer(left: Tensor, right: Tensor, parameter: Tensor, ends: Tensor | None = None) -> Tensor:
    """Returns leftᵀ·right over all rows in a parameter's dtype. On a GPU, the fp32 sums are rounded only to that."""
    if ends is not None:
        return outer(left, right, ends).to(parameter.dtype)
    left, right = rows(left), rows(right).to(left.dtype)
    on_nvidia = left.is_cuda and torch.version.hip is None
    if on_nvidia and parameter.dtype == torch.float32 != left.dtype and not torch.is_grad_enabled():
        return torch.mm(left.t(), right, out_dtype=torch.float32)
    return (left.t() @ right).to(parameter.dtype)


def _cut(grad: Tensor, dim: int, parameter: Tensor) -> Tensor:
    """Removes the padding of the rank."""
    rank = parameter.shape[dim]
    return grad if grad.shape[dim] == rank else grad.narrow(dim, 0, rank)


def _with_terms(call: Call, lora_x: Tensor | None, a: Tensor, b: Tensor, scaling: float) -> tuple[Call, Tensor]:
    """Returns the call with its LoRA terms from rounded factors, and t."""
    x = call.x
    down = _multiply_down((x if lora_x is None else lora_x).to(a.dtype), a.mT, scaling, call.ends)
    terms = _terms(down, b, scaling, _DOWN_SHARE, x.dtype)
    return call._replace(terms=_laid_out(terms, call.direction == "forward")), down


def _forward(call: Call, lora_x: Tensor | None, a: Tensor, b: Tensor, scaling: float) -> tuple[Tensor, Tensor]:
    """Returns y and t from rounded factors. call: the product without LoRA."""
    call, down = _with_terms(call, lora_x, a, b, scaling)
    return without_gradient(call), down


def is_saved_by_hooks() -> bool:
    """Whether hooks for saved tensors are active, as inside a checkpoint, also during its recomputation."""
    return torch._C._autograd._top_saved_tensors_default_hooks(False) is not None


def matmul_4bit_lora(call: Call, lora_x: Tensor | None, lora_a: Tensor, lora_b: Tensor, scaling: float) -> Tensor:
    """matmul_4bit with an adapter; x's gradient is one product, too. call: the product without the adapter. lora_x: the
    adapter's input if it is not x, such as the output of a dropout. For experts, A and B are stacks."""
    x, weight, bias, direction, _, _, ends, _ = call
    _check_devices(x, lora_x, lora_a, lora_b)
    how = scaling, direction, call.orders
    if is_watched():
        stored = padded(weight)
        watched: Tensor = _LoraWatched.apply(x, lora_x, bias, lora_a, lora_b, ends, *stored, weight.form, *how)[0]
        return watched
    if needs_gradient(x, lora_x, bias, lora_a, lora_b):
        put_off: list[Call] | None = [] if is_saved_by_hooks() else None
        gatherer = rotated_products.gatherer_of(x) if call.order == "rotated_int8" else None
        found: Tensor = _Lora.apply(x, lora_x, bias, lora_a, lora_b, ends, weight, *how, put_off, gatherer)[0]
        if put_off:
            found = _Product.apply(found, *put_off)
        return found
    with without_autocast(x):
        return _forward(call, lora_x, *_rounded(lora_a, lora_b, x.dtype), scaling)[0]


def add_to(product: Tensor, x: Tensor, lora_a: Tensor, lora_b: Tensor, scaling: float) -> Tensor:
    """Adds an adapter's product to a rounded one in place, without gradients."""
    _check_devices(product, x, lora_a, lora_b)
    with without_autocast(x):
        a, b = _rounded(lora_a, lora_b, product.dtype)
        down = _multiply_down(x.to(a.dtype), a.t(), scaling)
        low, b = _terms(down, b, scaling, _DOWN_SHARE, product.dtype)
        rows(product).addmm_(rows(low), b.t())
    return product


def _check_devices(x: Tensor, lora_x: Tensor | None, *factors: Tensor) -> None:
    """Checks devices, because torch's products accept tensors on meta among others and return uninitialized memory."""
    others = factors if lora_x is None else (lora_x, *factors)
    names = ("lora_a", "lora_b") if lora_x is None else ("lora_x", "lora_a", "lora_b")
    check_one_device((("x", x), *zip(names, others, strict=True)))


class Layer(NamedTuple):
    """One of several layers with the same input."""

    call: Call
    lora_a: Tensor
    lora_b: Tensor


class _SharedLora(torch.autograd.Function):
    """_Lora for several weights with one x: t, uᵀ·x and u·A are one product each for all weights. x's gradient sums the
    weights' products in their order."""

    # tensors: A, B and bias of each layer, passed separately because they may need gradients.
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, lora_x: Tensor | None, scaling: float, layers: Sequence[Layer], *tensors: Tensor | None
    ) -> tuple[Tensor, ...]:
        with without_autocast(x):
            a, bs = _rounded_all(*_factors_of(layers), x.dtype)
            products, down = _forward_shared(x, lora_x, layers, a, bs, scaling)
        needs = ctx.needs_input_grad[4:]
        seen = x if lora_x is None else lora_x
        kept = seen if any(needs[_A::_TENSORS]) else None, down if any(needs[_B::_TENSORS]) else None
        factors = [factor for layer in layers for factor in (layer.lora_a, layer.lora_b)]
        ctx.save_for_backward(*map(_savable, (*kept, a, *bs)), *_save_factors(ctx, factors))
        ctx.set_materialize_grads(False)
        ctx.weights = [(Kept(layer.call.weight), layer.call.orders) for layer in layers]
        ctx.has_own_x, ctx.scaling, ctx.dtype = lora_x is not None, scaling, x.dtype
        return *products, down

    @staticmethod
    def backward(ctx: Any, *some: Tensor | None) -> tuple[Tensor | None, ...]:
        scaling, count = ctx.scaling, len(ctx.weights)
        for _, (order, _) in ctx.weights:
            refuse_second(order)
        x, down, a, *saved = ctx.saved_tensors
        bs, factors = saved[:count], _saved_factors(ctx, saved[count:])
        lora_as, lora_bs = factors[0::2], factors[1::2]
        needs_x, needs_lora_x, _, _, *needs = ctx.needs_input_grad
        found: list[Tensor | None] = [None] * len(needs)
        grad_x = grad_lora_x = None
        beside = next((grad for grad in some if grad is not None), None)
        if beside is None:
            return (None,) * (4 + len(needs))
        grads = [
            _zeros(beside, lora_b, ctx.dtype) if grad is None else grad
            for grad, lora_b in zip(some[:-1], lora_bs, strict=True)
        ]
        with without_autocast(grads[0]):
            if torch.is_grad_enabled():  # second gradients may flow to A and B
                a, bs = _rounded_all(lora_as, lora_bs, ctx.dtype)
            ranks = [b.shape[1] for b in bs]
            lows = [dy.to(a.dtype) for dy in grads]
            up = torch.cat([_multiply_down(low, b, scaling) for low, b in zip(lows, bs, strict=True)], -1)
            if some[-1] is not None:
                up = up + some[-1] * scaling
            if needs_x:
                terms = (None, None) if ctx.has_own_x else _terms(up, a, scaling, _UP_SHARE, ctx.dtype)
                calls = [
                    Call(dy, kept.get(), None, "backward", turned, gradient_order=order)
                    for dy, (kept, (order, turned)) in zip(grads, ctx.weights, strict=True)
                ]
                grad_x = _sum_products(calls, terms)
            if needs_lora_x:
                grad_lora_x = (up @ a).to(ctx.dtype)
            if any(needs[_B::_TENSORS]):
                downs = down.split(ranks, -1)
            if any(needs[_A::_TENSORS]):
                grad_a = _outer(up, x, lora_as[0]).split(ranks)
            for i, (lora_a, lora_b) in enumerate(zip(lora_as, lora_bs, strict=True)):
                at = i * _TENSORS
                if needs[at + _A]:
                    found[at + _A] = _cut(grad_a[i], 0, lora_a)
                if needs[at + _B]:
                    found[at + _B] = _cut(_outer(lows[i], downs[i], lora_b), 1, lora_b)
                if needs[at + _BIAS]:
                    found[at + _BIAS] = rows(grads[i]).sum(0)
        return grad_x, grad_lora_x, None, None, *found


_TENSORS = 3  # per layer: A, B and bias
_A, _B, _BIAS = range(_TENSORS)


def _factors_of(layers: Sequence[Layer]) -> tuple[list[Tensor], list[Tensor]]:
    return [layer.lora_a for layer in layers], [layer.lora_b for layer in layers]


def _rounded_all(
    lora_as: Sequence[Tensor], lora_bs: Sequence[Tensor], dtype: torch.dtype
) -> tuple[Tensor, list[Tensor]]:
    """Returns all A's concatenated, and the list of B's, as _rounded makes them."""
    factors = [_rounded(*pair, dtype) for pair in zip(lora_as, lora_bs, strict=True)]
    return torch.cat([a for a, _ in factors]), [b for _, b in factors]


def _forward_shared(
    x: Tensor, lora_x: Tensor | None, layers: Sequence[Layer], a: Tensor, bs: Sequence[Tensor], scaling: float
) -> tuple[list[Tensor], Tensor]:
    down = _multiply_down((x if lora_x is None else lora_x).to(a.dtype), a.t(), scaling)
    products = []
    for layer, low, b in zip(layers, down.split([b.shape[1] for b in bs], -1), bs, strict=True):
        low, b = _terms(low, b, scaling, _DOWN_SHARE, x.dtype)
        terms = (low if layer.call.order is None else low.contiguous(), b)
        products.append(without_gradient(layer.call._replace(terms=terms)))
    return products, down


def _sum_products(calls: Sequence[Call], terms: tuple[Tensor | None, Tensor | None]) -> Tensor:
    """Sums dy·W of all layers and the LoRA terms; the sum is rounded after each layer."""
    total = matmul_4bit(calls[0]._replace(terms=terms))
    for call in calls[1:]:
        if torch.is_grad_enabled():
            total = total + matmul_4bit(call)
        elif call.order is None:  # torch's product adds to the total before it rounds
            rows(total).addmm_(rows(call.x), decode(call))
        elif call.order == "rotated_int8":
            total = rotated_products.multiply(call, total)
        else:
            total += without_gradient(call)
    return total


def matmul_4bit_lora_shared(
    x: Tensor, lora_x: Tensor | None, layers: Sequence[Layer], scaling: float
) -> tuple[Tensor, ...]:
    """matmul_4bit_lora of one x and several weights, whose A's have one dtype."""
    for layer in layers:
        _check_devices(x, lora_x, layer.lora_a, layer.lora_b)
    if is_watched():  # torch's compiler and transforms do not support a variable number of tensors
        return tuple(matmul_4bit_lora(layer.call, lora_x, layer.lora_a, layer.lora_b, scaling) for layer in layers)
    tensors = [tensor for layer in layers for tensor in (layer.lora_a, layer.lora_b, layer.call.bias)]
    if needs_gradient(x, lora_x, *tensors):
        products: tuple[Tensor, ...] = _SharedLora.apply(x, lora_x, scaling, layers, *tensors)
        return products[:-1]
    with without_autocast(x):
        return tuple(_forward_shared(x, lora_x, layers, *_rounded_all(*_factors_of(layers), x.dtype), scaling)[0])
