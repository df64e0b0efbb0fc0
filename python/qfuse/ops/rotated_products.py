"""Products in the order "rotated_int8": both factors are rotated and rounded to INT8, as the ops rotated_int8_* do it.

An op of its own, in Python: compiled code sees one node, and the scales of a weight are found where it runs."""

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

MULTIPLE = 64  # of the terms of a sum

NAME = "matmul_4bit_rotated_int8"
_library = torch.library.Library("qfuse", "FRAGMENT")  # whose definitions end with it
_library.define(
    f"{NAME}(Tensor x, Tensor[] weight, Tensor? bias, Tensor? lora_in, Tensor? lora_weight, "
    "Tensor? x_q=None, Tensor? x_scale=None, *, SymInt[] shape, str quant_type, int blocksize, int nested_blocksize, "
    "str direction) -> Tensor"
)


def multiply(call: Call) -> Tensor:
    """Of one weight, without gradients."""
    if call.ends is not None:
        raise ValueError("the order 'rotated_int8' has no products of experts: take another order")
    weight = call.weight
    form = dict(quant_type=weight.quant_type, blocksize=weight.blocksize, nested_blocksize=weight.nested_blocksize)
    op = torch.ops.qfuse.matmul_4bit_rotated_int8.default
    rows = (None, None) if torch.compiler.is_compiling() else _rotated(call.x)
    product: Tensor = op(
        call.x, weight.tensors, call.bias, *call.terms, *rows, shape=weight.shape, **form, direction=call.direction
    )
    return product


def _multiply(
    x: Tensor,
    weight: Sequence[Tensor],
    bias: Tensor | None,
    lora_in: Tensor | None,
    lora_weight: Tensor | None,
    x_q: Tensor | None = None,
    x_scale: Tensor | None = None,
    *,
    shape: Sequence[int],
    direction: Direction,
    **form: Any,
) -> Tensor:
    """x_q, x_scale: what rotated_int8_quantize makes of x, if it has been made."""
    of = Weight4bit(tuple(weight), tuple(shape), x.dtype, **form)
    q, scale = torch.ops.qfuse.rotated_int8_quantize.default(x) if x_q is None else (x_q, x_scale)
    weight_scale = _scales(of, direction)
    weight_q = torch_ops.rotated_int8_weight(of, weight_scale, direction)
    product: Tensor = torch.ops.qfuse.rotated_int8_matmul.default(
        q, scale, weight_q, weight_scale, x.dtype, bias, lora_in, lora_weight, direction=direction
    )
    return product


# ---- rows that are rotated and rounded once: x of several products, and what is quantized where it is made


class _Rotated(NamedTuple):
    """q and scale of a tensor, as long as this is the same."""

    of: TensorWeakRef
    version: int
    stream: int | None
    rows: tuple[Tensor, Tensor]

    def is_of(self, x: Tensor) -> bool:
        return self.of() is x and self.version == x._version and self.stream == _stream(x)


class _OfThread(threading.local):
    shares = False
    rotated: tuple[_Rotated, ...] = ()


_of_thread = _OfThread()
_MOST = 2  # kept of a thread: d_gate's and d_up's


def _stream(x: Tensor) -> int | None:
    return torch.cuda.current_stream(x.device).stream_id if x.is_cuda else None


@contextmanager
def shared_inputs() -> Iterator[None]:
    """Within it, an x of several products is rotated once. Who calls sees to it that nothing but torch's operations,
    which count that, writes to x between them."""
    before = _of_thread.shares
    _of_thread.shares, _of_thread.rotated = True, ()
    try:
        yield
    finally:
        _of_thread.shares, _of_thread.rotated = before, ()


def keep_rotated(tensor: Tensor, q: Tensor, scale: Tensor) -> None:
    """For the product of this thread that takes the tensor next."""
    if tensor.is_inference():  # which counts nothing
        return
    made = _Rotated(TensorWeakRef(tensor), tensor._version, _stream(tensor), (q, scale))
    _of_thread.rotated = (*_of_thread.rotated, made)[-_MOST:]


def _rotated(x: Tensor) -> tuple[Tensor, Tensor] | tuple[None, None]:
    for kept in _of_thread.rotated:
        if not x.is_inference() and kept.is_of(x):
            if not _of_thread.shares:
                _of_thread.rotated = tuple(other for other in _of_thread.rotated if other is not kept)
            return kept.rows
    if not _of_thread.shares or x.is_inference() or torch._C._are_functorch_transforms_active():
        return None, None
    q, scale = torch.ops.qfuse.rotated_int8_quantize.default(x)
    keep_rotated(x, q, scale)
    return q, scale


# ---- a weight's scales, which cost as much as decoding it


class _Kept:
    """Of the weight in a storage. What was made of it lies where it is for good: a CUDA graph may read it."""

    def __init__(self, storage: Any) -> None:
        self.storage = StorageWeakRef(storage)
        self.scales: dict[Direction, tuple[list[tuple[int, int]], Tensor]] = {}


_kept: dict[int, _Kept] = {}


def keep_scales(packed: Tensor) -> None:
    """From now on the scales of this weight are made once, until it is modified: of codes that nobody writes but by
    torch's operations, which count that. FSDP's gathers do not: a part of a larger storage may be theirs."""
    with without_torch_function():
        storage, size = packed.untyped_storage(), packed.nbytes
    if storage.nbytes() == size and _kept_of(storage) is None:
        for key in [key for key, kept in _kept.items() if kept.storage.expired()]:
            del _kept[key]
        _kept[storage._cdata] = _Kept(storage)


def _kept_of(storage: Any) -> _Kept | None:
    kept = _kept.get(storage._cdata)  # whose address stays taken as long as there is a weak reference to it
    return None if kept is None or kept.storage.expired() else kept


def _scales(weight: Weight4bit, direction: Direction) -> Tensor:
    kept = _kept_of(weight.packed.untyped_storage())
    if kept is None or any(each.is_inference() for each in weight.tensors):  # which count nothing
        return torch_ops.rotated_int8_weight_scales(weight, direction)
    state = [(each.data_ptr(), each._version) for each in weight.tensors]
    made_of, scale = kept.scales.get(direction, (None, None))
    if scale is not None and made_of == state:
        return scale
    found = torch_ops.rotated_int8_weight_scales(weight, direction)
    if weight.packed.is_cuda and torch.cuda.is_current_stream_capturing():
        return found  # it lies in the graph's memory
    if scale is None or scale.shape != found.shape:
        scale = found
    else:
        scale.copy_(found)
    kept.scales[direction] = state, scale
    return scale


def register() -> None:
    _library.impl(NAME, _multiply, "CompositeExplicitAutograd")
    _library.impl(NAME, torch.library.fallthrough_kernel, "Autograd")
