"""Products in the order "rotated_int8": both factors are rotated and rounded to INT8 by the ops rotated_int8_*.

A separate op, in Python: compiled code sees one node, and the weight's scales are looked up when it runs."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils.weak import TensorWeakRef

from ..native import torch_ops
from ..native.torch_ops import Call, Direction
from ..weight.weight_4bit import Weight4bit, without_torch_function

MULTIPLE = 64  # K must be a multiple of it

NAME = "matmul_4bit_rotated_int8"
_library = torch.library.Library("qfuse", "FRAGMENT")  # keeps its definitions as long as it exists
_library.define(
    f"{NAME}(Tensor x, Tensor[] weight, Tensor? bias, Tensor? lora_in, Tensor? lora_weight, "
    "Tensor? x_q=None, Tensor? x_scale=None, Tensor? addend=None, *, SymInt[] shape, str quant_type, int blocksize, "
    "int nested_blocksize, str direction) -> Tensor"
)


def multiply(call: Call, addend: Tensor | None = None) -> Tensor:
    """Multiplies by one weight, without gradients, and adds the addend before rounding."""
    if call.ends is not None:
        raise ValueError("the order 'rotated_int8' has no products of experts: take another order")
    weight = call.weight
    form = dict(quant_type=weight.quant_type, blocksize=weight.blocksize, nested_blocksize=weight.nested_blocksize)
    op = torch.ops.qfuse.matmul_4bit_rotated_int8.default
    rows = (None, None) if torch.compiler.is_compiling() else _rotated(call.x)
    given = call.x, weight.tensors, call.bias, *call.terms, *rows, addend
    product: Tensor = op(*given, shape=weight.shape, **form, direction=call.direction)
    return product


def sum_products(calls: Sequence[Call], total: Tensor | None = None) -> Tensor | None:
    """Adds products of the same shape to `total`, each before it is rounded."""
    for call in calls:
        total = multiply(call, total)
    return total


def _multiply(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None,
    lora_weight: Tensor | None,
    x_q: Tensor | None = None,
    x_scale: Tensor | None = None,
    addend: Tensor | None = None,
    *,
    shape: Sequence[int],
    direction: Direction,
    **form: Any,
) -> Tensor:
    """x_q, x_scale: the result of rotated_int8_quantize(x), if it exists already."""
    of = Weight4bit(tuple(weight), tuple(shape), x.dtype, **form)
    q, scale = torch.ops.qfuse.rotated_int8_quantize.default(x) if x_q is None else (x_q, x_scale)
    weight_q, weight_scale = _rotated_weight(of, direction)
    product: Tensor = torch.ops.qfuse.rotated_int8_matmul.default(
        q, scale, weight_q, weight_scale, x.dtype, bias, lora_in, lora_weight, addend, direction=direction
    )
    return product


# ---- rows that are quantized only once: x of several products, and tensors quantized by the kernel that makes them


class _Noted(NamedTuple):
    """What is kept as a tensor's attribute; valid until the tensor is modified or the stream changes."""

    version: int
    stream: int | None
    value: Any

    def is_of(self, x: Tensor) -> bool:
        return self.version == x._version and self.stream == _stream(x)


class _OfThread(threading.local):
    shared: list[TensorWeakRef] | None = None  # inside shared_inputs(): the tensors whose rows are kept


_of_thread = _OfThread()
_ROWS, _GATHERER = "_qfuse_rotated", "_qfuse_gatherer"  # attributes: q and scale; see gatherer_of()


def _stream(x: Tensor) -> int | None:
    return torch.cuda.current_stream(x.device).stream_id if x.is_cuda else None


@contextmanager
def shared_inputs() -> Iterator[None]:
    """Context in which an x of several products is rotated once. The caller must ensure that between these products
    only torch operations that count versions write to x, so not through .data."""
    shared: list[TensorWeakRef] = []
    before, _of_thread.shared = _of_thread.shared, shared
    try:
        yield
    finally:
        _of_thread.shared = before
        for of in shared:
            tensor = of()
            if tensor is not None:
                tensor.__dict__.pop(_ROWS, None)
                tensor.__dict__.pop(_GATHERER, None)


def _note(tensor: Tensor, name: str, value: Any) -> None:
    tensor.__dict__[name] = _Noted(tensor._version, _stream(tensor), value)
    if _of_thread.shared is not None:
        _of_thread.shared.append(TensorWeakRef(tensor))


def keep_rotated(tensor: Tensor, q: Tensor, scale: Tensor) -> None:
    """Keeps a tensor's rotated rows: for all its products inside shared_inputs(), otherwise for the first product."""
    if tensor.is_inference():  # has no version counter
        return
    _note(tensor, _ROWS, (q, scale))


def _rotated(x: Tensor) -> tuple[Tensor, Tensor] | tuple[None, None]:
    is_shared = _of_thread.shared is not None
    kept: _Noted | None = x.__dict__.get(_ROWS) if is_shared else x.__dict__.pop(_ROWS, None)
    if kept is not None and kept.is_of(x):
        rows: tuple[Tensor, Tensor] = kept.value
        return rows
    if not is_shared or x.is_inference() or torch._C._are_functorch_transforms_active():
        return None, None
    q, scale = torch.ops.qfuse.rotated_int8_quantize.default(x)
    keep_rotated(x, q, scale)
    return q, scale


# ---- gradients of an x of several products, which are summed in the products themselves


class _Gatherer(torch.autograd.Function):
    """x's gradient from the products that were put off to this function. They depend on its empty result, so autograd
    runs this after them."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.set_materialize_grads(False)
        ctx.put_off = {}  # lists of calls, by the backward pass that they belong to
        return x.new_empty(0)

    @staticmethod
    def backward(ctx: Any, *_: None) -> Tensor | None:
        return sum_products(ctx.put_off.pop(torch._C._current_graph_task_id(), ()))


def gatherer_of(x: Tensor) -> Tensor | None:
    """Inside shared_inputs(), returns the last input of the autograd functions of x's products, for put_off()."""
    if _of_thread.shared is None or not x.requires_grad or not torch.is_grad_enabled() or x.is_inference():
        return None
    kept: _Noted | None = x.__dict__.get(_GATHERER)
    if kept is not None and kept.is_of(x):
        gatherer: Tensor = kept.value
        return gatherer
    gatherer = _Gatherer.apply(x)
    _note(x, _GATHERER, gatherer)
    return gatherer


def put_off(ctx: Any, call: Call) -> bool:
    """Whether a product for x's gradient is left to the gatherer, which is the last input of the function of `ctx`."""
    if not ctx.needs_input_grad[-1]:
        return False
    gatherer = ctx.next_functions[-1][0]
    if not torch._C._will_engine_execute_node(gatherer):
        return False
    gatherer.put_off.setdefault(torch._C._current_graph_task_id(), []).append(call)
    return True


# ---- what is kept of a weight: its scales, which cost as much as decoding it, and if asked for its codes in INT8


class _Made(NamedTuple):
    of: Any  # the state of the weight
    scale: Tensor
    q: Tensor | None


class _Kept:
    """What is kept of the weight in a storage. The tensors' memory never moves, because a CUDA graph may read it."""

    def __init__(self, storage: Any) -> None:
        self.storage = StorageWeakRef(storage)
        self.has_codes = False
        self.made: dict[Direction, _Made] = {}


_kept: dict[int, _Kept] = {}


def keep_scales(packed: Tensor, codes: bool = False) -> None:
    """Caches this weight's scales until it is modified, and with `codes` its INT8 codes in both directions, 2 bytes per
    element. Only torch operations that count versions may write its codes. FSDP's gathers do not count them, so a part
    of a larger storage, which may be FSDP's, is not cached."""
    with without_torch_function():
        storage, size = packed.untyped_storage(), packed.nbytes
    kept = _kept_of(storage)
    if kept is None and storage.nbytes() == size:
        for key in [key for key, kept in list(_kept.items()) if kept.storage.expired()]:
            _kept.pop(key, None)  # another thread may have done so
        kept = _kept[storage._cdata] = _Kept(storage)
    if kept is not None and codes:
        kept.has_codes = True


def _kept_of(storage: Any) -> _Kept | None:
    kept = _kept.get(storage._cdata)  # the weak reference keeps the address from being reused
    return None if kept is None or kept.storage.expired() else kept


def _rotated_weight(weight: Weight4bit, direction: Direction) -> tuple[Tensor, Tensor]:
    """Returns INT8 codes and their scales."""
    kept = _kept_of(weight.packed.untyped_storage())
    if kept is None or any(each.is_inference() for each in weight.tensors):  # those have no version counter
        return _decoded(weight, torch_ops.rotated_int8_weight_scales(weight, direction), direction)
    state = weight.shape, weight[3:], [(each.data_ptr(), each._version) for each in weight.tensors]
    before = kept.made.get(direction)
    if before is not None and before.of == state:
        if before.q is not None:
            return before.q, before.scale
        found = _decoded(weight, before.scale, direction)
        if not kept.has_codes:
            return found
    else:
        found = _decoded(weight, torch_ops.rotated_int8_weight_scales(weight, direction), direction)
    if weight.packed.is_cuda and torch.cuda.is_current_stream_capturing():
        return found  # not cached: it is in the graph's memory
    q, scale = found
    kept.made[direction] = _Made(
        state,
        _in_place_of(None if before is None else before.scale, scale),
        _in_place_of(None if before is None else before.q, q) if kept.has_codes else None,
    )
    return found


def _decoded(weight: Weight4bit, scale: Tensor, direction: Direction) -> tuple[Tensor, Tensor]:
    return torch_ops.rotated_int8_weight(weight, scale, direction), scale


def _in_place_of(before: Tensor | None, found: Tensor) -> Tensor:
    return found if before is None or before.shape != found.shape else before.copy_(found)


def register() -> None:
    _library.impl(NAME, _multiply, "CompositeExplicitAutograd")
    _library.impl(NAME, torch.library.fallthrough_kernel, "Autograd")
