"""How torch differentiates and batches matmul_4bit and matmul_4bit_grouped."""

import math
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

from . import direct, grouped, one_device

__all__ = [
    "Call",
    "Kept",
    "are_together",
    "by_dispatcher",
    "decode",
    "given",
    "is_autocast",
    "is_watched",
    "many_by_dispatcher",
    "many_past_dispatcher",
    "matmul_4bit",
    "needs_gradient",
    "outer",
    "padded",
    "past_dispatcher",
    "product",
    "register",
    "rows",
    "sum_of_rows",
    "turned",
    "without_autocast",
    "without_gradient",
    "without_nobodys",
]

_library = torch.library.Library("qfuse", "IMPL")  # whose registrations end with it
_is_compiling = torch.compiler.is_compiling  # a search through torch's modules takes longer than a call
_TURNED = {"forward": "backward", "backward": "forward"}


class Call(NamedTuple):
    """Of the op, by x, weight and bias. scalars: its keywords, in their order; without an order, None, the weight is
    decoded to memory, in each direction anew, and the product is torch's. terms: LoRA's lora_in and lora_weight. ends:
    of the experts whose weights are a stack, matmul_4bit_grouped's."""

    x: Tensor
    weight: Sequence[Tensor]
    bias: Tensor | None
    scalars: tuple[Any, ...]
    terms: tuple[Tensor | None, Tensor | None] = (None, None)
    ends: Tensor | None = None


class Kept:
    """A weight between the directions, which has no gradient. It is not saved: its layer has it. Saved, it would be
    carried by every hook for saved tensors, as those that offload activations are, and refused if it was made in
    inference mode."""

    def __init__(self, weight: Sequence[Tensor]) -> None:
        self._weight, self._versions = weight, _versions(weight)

    def get(self) -> Sequence[Tensor]:
        if _versions(self._weight) != self._versions:  # as torch says of what it has saved
            raise RuntimeError(
                "a 4-bit weight that is needed for a gradient has been modified by an inplace operation since then"
            )
        return self._weight


def _versions(weight: Sequence[Tensor]) -> list[int]:
    return [0 if tensor.is_inference() else tensor._version for tensor in weight]


class _Matmul4bit(torch.autograd.Function):
    """What is kept between the directions is LoRA's terms, the ends and the packed weight."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        bias: Tensor | None,
        lora_in: Tensor | None,
        lora_weight: Tensor | None,
        ends: Tensor | None,
        weight: Sequence[Tensor],
        scalars: tuple[Any, ...],
    ) -> Tensor:
        ctx.save_for_backward(lora_in, lora_weight, ends)
        ctx.weight, ctx.scalars = Kept(weight), scalars
        return without_gradient(Call(x, weight, bias, scalars, (lora_in, lora_weight), ends))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return *_backward(ctx, ctx.weight.get(), ctx.saved_tensors, *grads), None, None, None


class _Matmul4bitWatched(torch.autograd.Function):
    """_Matmul4bit for transforms and torch's compiler, which take a weight's tensors one by one, and a context apart.

    Not torch.library.register_autograd, whose ops torch.func.grad refuses.
    """

    generate_vmap_rule = True

    # The compiler of torch 2.11 counts the parameters.
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
        scalars: tuple[Any, ...],
    ) -> Tensor:
        weight = given(packed, absmax, nested_absmax, nested_quant_map, nested_offset)
        return without_gradient(Call(x, weight, bias, scalars, (lora_in, lora_weight), ends))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[2:-1])
        ctx.scalars = inputs[-1]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        *terms_and_ends, _, _, _, _, _ = ctx.saved_tensors
        return *_backward(ctx, given(*ctx.saved_tensors[3:]), terms_and_ends, *grads), *([None] * 7)


def _backward(
    ctx: Any, weight: Sequence[Tensor], terms_and_ends: Sequence[Any], grad: Tensor
) -> tuple[Tensor | None, Tensor | None, Tensor | None, Tensor | None]:
    """Gradients of x, bias and the terms."""
    lora_in, lora_weight, ends = terms_and_ends
    *_, direction, order = ctx.scalars
    _refuse_factored(order)  # by a transform, whose inner levels see no gradient
    grad_x = grad_bias = grad_lora_in = grad_lora_weight = None
    if ctx.needs_input_grad[0]:
        grad_x = without_nobodys(matmul_4bit(Call(grad, weight, None, turned(ctx.scalars), ends=ends)), ends)
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


def turned(scalars: tuple[Any, ...]) -> tuple[Any, ...]:
    *others, direction, order = scalars
    return (*others, _TURNED[direction], order)


# ---- dense products, of all rows by one factor, or with ends each by its expert's


def product(x: Tensor, factor: Tensor, ends: Tensor | None) -> Tensor:
    return x @ factor if ends is None else grouped.product(x, factor, ends)


def outer(left: Tensor, right: Tensor, ends: Tensor | None) -> Tensor:
    """leftᵀ·right over all rows, or over those of each expert."""
    return rows(left).t() @ rows(right) if ends is None else grouped.outer(left, right, ends)


def sum_of_rows(tensor: Tensor, ends: Tensor | None) -> Tensor:
    return rows(tensor).sum(0) if ends is None else grouped.sums(tensor, ends)


def without_nobodys(gradient: Tensor, ends: Tensor | None) -> Tensor:
    return gradient if ends is None else grouped.without_nobodys(gradient, ends)


def given(*tensors: Tensor | None) -> tuple[Tensor, ...]:
    return tuple(tensor for tensor in tensors if tensor is not None)


def rows(tensor: Tensor) -> Tensor:
    return tensor if tensor.dim() == 2 else tensor.reshape(math.prod(tensor.shape[:-1]), tensor.shape[-1])


def is_autocast(kind: str) -> bool:
    """Whether autocast is on for a type of device: of meta, torch raises an error."""
    return kind != "meta" and torch.is_autocast_enabled(kind)


def without_autocast(tensor: Tensor) -> Any:
    """A tensor has the dtype to multiply in."""
    kind = tensor.device.type
    return torch.autocast(kind, enabled=False) if is_autocast(kind) else nullcontext()


def decode(call: Call) -> Tensor:
    """The weight [n, k], or a stack of these, in x's dtype."""
    beside = [("x", call.x)] if call.bias is None else [("x", call.x), ("bias", call.bias)]
    one_device.check((("packed", call.weight[0]), *beside))  # of one on meta, torch's product says nothing
    shape, *others, nested_blocksize, _, _ = call.scalars
    weight = grouped.unnested(call.weight, shape, nested_blocksize)
    arguments = (weight, shape, call.x.dtype, *others, nested_blocksize)
    decoded = direct.dequantize_4bit(*arguments)
    if decoded is None:
        decoded = torch.ops.qfuse.dequantize_4bit.default(*arguments)
    return decoded


def _call(call: Call) -> Tensor:
    x, weight, bias, scalars, (lora_in, lora_weight), ends = call
    shape, quant_type, blocksize, nested_blocksize, direction, order = scalars
    if ends is not None:
        return _call_grouped(call, ends)
    if order is None:
        decoded = decode(call)
        with without_autocast(x):
            product = torch.nn.functional.linear(x, decoded, bias) if direction == "forward" else x @ decoded
            if lora_in is not None and lora_weight is not None:
                one_device.check((("x", x), ("lora_in", lora_in), ("lora_weight", lora_weight)))
                factor = lora_weight.t() if direction == "forward" else lora_weight
                product.view(-1, product.shape[-1]).addmm_(rows(lora_in), factor)
        return product
    result: Tensor = torch.ops.qfuse.matmul_4bit.default(
        x,
        weight,
        bias,
        lora_in,
        lora_weight,
        shape=shape,
        quant_type=quant_type,
        blocksize=blocksize,
        nested_blocksize=nested_blocksize,
        direction=direction,
        order=order,
    )
    return result


def _call_grouped(call: Call, ends: Tensor) -> Tensor:
    x, weight, bias, scalars, (lora_in, lora_weight), _ = call
    shape, quant_type, blocksize, nested_blocksize, direction, order = scalars
    if order is not None:
        result: Tensor = torch.ops.qfuse.matmul_4bit_grouped.default(
            x,
            weight,
            ends,
            bias,
            lora_in,
            lora_weight,
            shape=shape,
            quant_type=quant_type,
            blocksize=blocksize,
            nested_blocksize=nested_blocksize,
            direction=direction,
            order=order,
        )
        return result
    one_device.check((("x", x), ("expert_ends", ends)))
    decoded = decode(call)
    found = grouped.product(x, decoded.mT if direction == "forward" else decoded, ends)
    if lora_in is not None and lora_weight is not None:
        found = found + grouped.product(lora_in, lora_weight.mT if direction == "forward" else lora_weight, ends)
    if bias is not None:
        found = found + bias[grouped.expert_of_rows(ends, x.shape[0])]
    return found


def _call_below_autograd(call: Call) -> Tensor:
    """Past _matmul_autograd, which takes longer than all else."""
    with torch._C._AutoDispatchBelowAutograd():
        return _call(call)


def _call_past_autograd(call: Call) -> Tensor:
    """Where it can be, past torch's dispatcher, too."""
    product = direct.matmul_4bit(*call)
    return _call_below_autograd(call) if product is None else product


def without_gradient(call: Call) -> Tensor:
    """matmul_4bit within a function that has its own gradient."""
    # What is being compiled has to see the op, not how to get past a part of it.
    return (_call if _is_compiling() else _call_past_autograd)(call)


def padded(weight: Sequence[Tensor]) -> tuple[Tensor | None, ...]:
    """With None for what a weight that is not nested has not."""
    return (*weight, *([None] * (5 - len(weight))))


def _refuse_factored(order: str | None) -> None:
    """Whose weight is not the one that a gradient would multiply by."""
    if order == "factored":
        raise ValueError(
            "x or bias requires a gradient, which the order 'factored' does not have: "
            "multiply under torch.no_grad(), or in another order"
        )


def _call_with_gradient(call: Call) -> Tensor:
    x, weight, bias, scalars, terms, ends = call
    if needs_gradient(x, bias):
        _refuse_factored(scalars[-1])
    if not is_watched():
        found: Tensor = _Matmul4bit.apply(x, bias, *terms, ends, weight, scalars)
        return found
    if len(weight) > 5:  # which the op refuses in its own words
        return _call_below_autograd(call)
    watched: Tensor = _Matmul4bitWatched.apply(x, bias, *terms, ends, *padded(weight), scalars)
    return watched


def needs_gradient(*tensors: Tensor | None) -> bool:
    if torch.is_grad_enabled():
        for tensor in tensors:  # any() of a generator takes twice as long
            if tensor is not None and tensor.requires_grad:
                return True
    return False


def is_watched() -> bool:
    """Whether what is called has to be seen: under a transform, an outer level may need the gradient, and forward-mode
    differentiation, which there is not, is to be refused."""
    return _is_compiling() or torch._C._are_functorch_transforms_active() or direct.is_dual()


def matmul_4bit(call: Call) -> Tensor:
    """The op, with gradients of every order."""
    product = past_dispatcher(call)
    return by_dispatcher(call) if product is None else product


def past_dispatcher(call: Call) -> Tensor | None:
    """matmul_4bit where no gradient is needed and nobody has to see the op, else None."""
    return None if needs_gradient(call.x, call.bias, *call.terms) else direct.matmul_4bit(*call)


def by_dispatcher(call: Call) -> Tensor:
    """matmul_4bit where past_dispatcher has given None, which need not be asked again."""
    if needs_gradient(call.x, call.bias, *call.terms) or is_watched():
        return _call_with_gradient(call)
    return _call_below_autograd(call)


def are_together(calls: Sequence[Call]) -> bool:
    """Whether calls of one x, without LoRA, can be one matmul_4bit_many: no gradient is needed, they have the same
    scalars but for the shape, and all or none are nested and have a bias."""
    first = calls[0]
    if first.scalars[-1] is None or needs_gradient(first.x, *(call.bias for call in calls)):
        return False
    if torch._C._are_functorch_transforms_active() or direct.is_dual():
        return False
    kind = (len(first.weight), first.bias is None, *first.scalars[1:])
    return all((len(call.weight), call.bias is None, *call.scalars[1:]) == kind for call in calls)


def _many_arguments(calls: Sequence[Call]) -> tuple[Any, ...]:
    """Of the op, in its order."""
    _, quant_type, blocksize, nested_blocksize, _, order = calls[0].scalars
    weights = tuple(tensor for call in calls for tensor in call.weight)
    rows = tuple(call.scalars[0][0] for call in calls)
    biases = given(*(call.bias for call in calls))
    return calls[0].x, weights, biases, rows, quant_type, blocksize, nested_blocksize, order


def many_past_dispatcher(calls: Sequence[Call]) -> Sequence[Tensor] | None:
    """Calls that are together, or None as of past_dispatcher."""
    return direct.matmul_4bit_many(*_many_arguments(calls))


def many_by_dispatcher(calls: Sequence[Call]) -> Sequence[Tensor]:
    arguments = _many_arguments(calls)
    if _is_compiling():  # what is being compiled has to see the op, not how to get past a part of it
        return _call_many(*arguments)
    with torch._C._AutoDispatchBelowAutograd():
        return _call_many(*arguments)


def _call_many(
    x: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], rows: Sequence[int], *scalars: Any
) -> list[Tensor]:
    keywords = dict(zip(("quant_type", "blocksize", "nested_blocksize", "order"), scalars, strict=True))
    products: list[Tensor] = torch.ops.qfuse.matmul_4bit_many.default(x, weights, biases, rows=rows, **keywords)
    return products


def _many_autograd(
    x: Tensor,
    weights: Sequence[Tensor],
    biases: Sequence[Tensor],
    *,
    rows: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    order: str = "plain",
) -> list[Tensor]:
    """Where a gradient is needed, single products."""
    if not needs_gradient(x, *biases):
        with torch._C._AutoDispatchBelowAutograd():
            return _call_many(x, weights, biases, rows, quant_type, blocksize, nested_blocksize, order)
    each = len(weights) // max(len(rows), 1)
    return [
        matmul_4bit(
            Call(
                x,
                weights[i * each : (i + 1) * each],
                biases[i] if biases else None,
                ((count, x.shape[-1]), quant_type, blocksize, nested_blocksize, "forward", order),
            )
        )
        for i, count in enumerate(rows)
    ]


def _matmul_autograd(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: str = "forward",
    order: str = "plain",
) -> Tensor:
    """The same for who calls torch.ops.qfuse.matmul_4bit."""
    scalars = (shape, quant_type, blocksize, nested_blocksize, direction, order)
    call = Call(x, weight, bias, scalars, (lora_in, lora_weight))
    return (_call_with_gradient if needs_gradient(x, bias, *call.terms) else _call_past_autograd)(call)


def _grouped_autograd(
    x: Tensor,
    weight: Sequence[Tensor],
    expert_ends: Tensor,
    bias: Tensor | None = None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: str = "forward",
    order: str = "plain",
) -> Tensor:
    """The same for who calls torch.ops.qfuse.matmul_4bit_grouped."""
    scalars = (shape, quant_type, blocksize, nested_blocksize, direction, order)
    call = Call(x, weight, bias, scalars, (lora_in, lora_weight), expert_ends)
    return (_call_with_gradient if needs_gradient(x, bias, *call.terms) else _call_below_autograd)(call)


def _matmul_vmap(
    info: Any,
    in_dims: tuple[Any, ...],
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    **scalars: Any,
) -> tuple[Tensor, int]:
    """One product of all rows; where weights or biases differ, or LoRA's terms, one for each."""
    op = torch.ops.qfuse.matmul_4bit.default
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


def _matmul_batched(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: str = "forward",
    order: str = "plain",
) -> Tensor:
    """In operations of torch's, of gradients that torch.autograd has batched (is_grads_batched): it has a vmap of its
    own for that, which knows no list of tensors."""
    scalars = (shape, quant_type, blocksize, nested_blocksize, direction, None)  # in the order of torch's product
    return _call(Call(x, weight, bias, scalars, (lora_in, lora_weight)))


def _grouped_batched(
    x: Tensor,
    weight: Sequence[Tensor],
    expert_ends: Tensor,
    bias: Tensor | None = None,
    lora_in: Tensor | None = None,
    lora_weight: Tensor | None = None,
    *,
    shape: Sequence[int],
    quant_type: str = "nf4",
    blocksize: int = 64,
    nested_blocksize: int = 256,
    direction: str = "forward",
    order: str = "plain",
) -> Tensor:
    """As _matmul_batched."""
    scalars = (shape, quant_type, blocksize, nested_blocksize, direction, None)
    return _call(Call(x, weight, bias, scalars, (lora_in, lora_weight), expert_ends))


def _slice(tensor: Tensor, dim: int | None, index: int) -> Tensor:
    """Contiguous, as weights and biases must be."""
    return tensor if dim is None else tensor.select(dim, index).contiguous()


def register() -> None:
    _library.impl("matmul_4bit", _matmul_autograd, "Autograd")
    _library.impl("matmul_4bit_many", _many_autograd, "Autograd")
    _library.impl("matmul_4bit_grouped", _grouped_autograd, "Autograd")
    _library.impl("matmul_4bit", _matmul_batched, "Batched")
    _library.impl("matmul_4bit_grouped", _grouped_batched, "Batched")
    torch.library.register_vmap("qfuse::matmul_4bit", _matmul_vmap)
    torch.library.register_vmap("qfuse::matmul_4bit_grouped", _grouped_vmap)
