"""A 4-bit weight as one tensor that torch treats as a parameter: moved, saved and sharded as one, and never decoded.

Its shape and dtype are those it decodes to, so that FSDP2 and DTensor see rows to split and a dtype that parameters may
have; it stores bytes. It implements the torch operations that FSDP2 uses on parameters, and refuses all others by name.
FSDP2 gathers its bytes as bytes, because an all-gather in a float dtype would lose NaN patterns
(pytorch/pytorch#159333).
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NoReturn

import torch
from torch import Tensor
from torch.nn import Parameter

from .form import FLOAT_DTYPES, QUANT_TYPES, SCALED, TENSORS, Form, tensor_names
from .peft_methods import asking
from .weight_4bit import Weight4bit, plain_weight

_aten = torch.ops.aten


class Weight4bitTensor(Tensor):
    """A matrix [n, k], or a stack of matrices, whose rows are whole blocks.

        layer.weight = torch.nn.Parameter(Weight4bitTensor.of(weight), requires_grad=False)

    packed: [n, k / 2] uint8. absmax: [n, k / blocksize], float32, or uint8 if nested; for formats with scales of rows,
    the scales, those of one byte as uint8. Every part of a weight has the whole nested arrays, which are 0.05 % of its
    bytes, or the global scale. quant_state: the Weight4bit, which all functions of qfuse accept; they also accept the
    tensor itself.
    """

    packed: Tensor
    absmax: Tensor
    form: Form
    is_part: bool  # whether it has only some rows of a weight; its nested arrays are still whole
    _state: Weight4bit

    @staticmethod
    def __new__(
        cls, inner: Sequence[Tensor], form: Form, is_part: bool = False, shape: torch.Size | None = None
    ) -> "Weight4bitTensor":
        """shape: by default that of the codes, regardless of the form's."""
        packed, absmax, *nested = inner
        shape = torch.Size((*packed.shape[:-1], 2 * packed.shape[-1])) if shape is None else shape
        made: Weight4bitTensor = torch.Tensor._make_wrapper_subclass(
            cls, shape, dtype=form.dtype, device=packed.device, requires_grad=False
        )
        made.packed, made.absmax, made.is_part = packed, absmax, is_part
        made.form = form._replace(shape=tuple(shape))
        for name, tensor in zip(tensor_names(inner)[2:], nested, strict=True):
            setattr(made, name, tensor)
        # Made once, because every call reads it and torch's compiler must see the same tensors.
        made._state = Weight4bit((packed, absmax.view(-1), *nested), *made.form)
        return made

    @classmethod
    def of(cls, weight: Weight4bit) -> "Weight4bitTensor":
        """Wraps a weight without a copy. Raises ValueError if its rows are not whole blocks or if it has no rows."""
        weight = plain_weight(weight)
        *rows, cols = weight.shape
        scale = weight.tensors[-1] if len(weight.tensors) > 2 else None
        if not rows or cols % weight.blocksize != 0 or (scale is not None and scale.numel() != 1):
            raise ValueError(
                f"a weight of shape {tuple(weight.shape)} in blocks of {weight.blocksize} is not in rows of whole "
                "blocks with one nested_offset or global_scale, so that no rows can be cut from it"
            )
        packed, absmax, *nested = weight.tensors
        packed = packed.contiguous().view(-1).view(torch.uint8).view(*rows, cols // 2)
        absmax = absmax.contiguous().view(*rows, cols // weight.blocksize)
        if absmax.dtype in (torch.float8_e8m0fnu, torch.float8_e4m3fn):
            absmax = absmax.view(torch.uint8)
        return cls((packed, absmax, *nested), weight.form)

    def __init__(
        self, inner: Sequence[Tensor], form: Form, is_part: bool = False, shape: torch.Size | None = None
    ) -> None:
        """See __new__."""

    @property
    def data(self) -> Tensor:
        return self.detach()

    @data.setter
    def data(self, other: Any) -> None:
        """Swaps the inner tensors too, because torch would only exchange the wrapper, which holds no bytes."""
        if not isinstance(other, Weight4bitTensor):
            raise TypeError(f"a {type(other).__name__} cannot be the data of a {self!r}")
        torch.Tensor.data.__set__(self, other)  # type: ignore[attr-defined]
        vars(self).update({name: vars(other)[name] for name in (*other._names(), "form", "is_part", "_state")})

    def requires_grad_(self, requires_grad: bool = True) -> "Weight4bitTensor":
        """Raises RuntimeError like any non-float tensor: it never gets a gradient, and optimizers would count it."""
        if requires_grad:
            _refuse_gradient()
        return self

    @property
    def requires_grad(self) -> bool:
        return False

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @property
    def inner(self) -> tuple[Tensor, ...]:  # type: ignore[override]
        """Its tensors, in the order of Weight4bit.tensors."""
        return tuple(getattr(self, name) for name in self._names())

    def _names(self) -> tuple[str, ...]:
        return TENSORS if self._is_nested() else SCALED if hasattr(self, SCALED[2]) else TENSORS[:2]

    def _is_nested(self) -> bool:
        return self.absmax.dtype is torch.uint8 and self.form.quant_type in QUANT_TYPES

    @property
    def quant_state(self) -> Weight4bit:
        if self.is_part:
            raise ValueError(
                "this is a part of a parameter that FSDP has sharded; it is whole in the module's forward, "
                "and after module.unshard()"
            )
        return self._state

    def whole_form(self, shape: Sequence[int]) -> Weight4bit:
        """Returns the whole weight that this tensor is a part of, with empty codes and absmax."""
        packed, absmax, *nested = self.inner
        return Weight4bit((packed.new_empty(0), absmax.new_empty(0), *nested), *self.form._replace(shape=tuple(shape)))

    def dequantize(self) -> Tensor:
        """Calls qfuse.dequantize_4bit on this weight."""
        return self.quant_state.dequantize()

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        nested = self._is_nested()
        form = f"{self.form.dtype}, {self.form.quant_type}, blocksize={self.form.blocksize}, nested={nested}"
        return f"Weight4bitTensor({tuple(self.shape)}, {form}, device={self.device})"

    def __tensor_flatten__(self) -> tuple[list[str], tuple[Form, bool]]:
        return list(self._names()), (self.form, self.is_part)

    @staticmethod
    def __tensor_unflatten__(
        inner: dict[str, Tensor], context: tuple[Form, bool], size: Any, stride: Any
    ) -> "Weight4bitTensor":
        return Weight4bitTensor(list(inner.values()), *context, size)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restores a pickle. In older ones the form has no shape, and is_part at its end."""
        dtype, *others = state["form"]
        if isinstance(dtype, torch.dtype):
            *others, state["is_part"] = others
            state["form"] = Form(tuple(self.shape), dtype, *others)
        vars(self).update(state)

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        handler = _HANDLERS.get(func) or _HANDLERS.get(str(func))
        if handler is None:
            _refuse(func)
        return handler(func, *args, **(kwargs or {}))

    def fsdp_pre_all_gather(
        self, mesh: Any, outer_size: torch.Size, outer_stride: Any, module: Any, mp_policy: Any
    ) -> tuple[tuple[Tensor, ...], Any]:
        """FSDP2's hook: returns bytes to gather, regardless of its mixed-precision policy."""
        if outer_size[0] % mesh.size() != 0:  # all ranks raise it, so that none waits for another
            raise ValueError(
                f"a 4-bit weight of shape {tuple(outer_size)} cannot be shared out by rows to {mesh.size()} ranks: "
                "FSDP pads rows, which codes are not; choose a number of ranks that divides them"
            )
        if any(p.requires_grad for p in module.parameters(recurse=False) if getattr(p, "_local_tensor", None) is self):
            _refuse_gradient()  # DTensor itself accepts requires_grad
        packed, absmax, *nested = self.inner
        if mesh.size() == 1:  # FSDP then passes on only the first input
            return (packed,), (absmax, nested, self.form)
        return (packed, absmax.view(torch.uint8)), (absmax, nested, self.form)

    def fsdp_post_all_gather(
        self, outputs: tuple[Tensor, ...], metadata: Any, param_dtype: torch.dtype, *, out: Tensor | None = None
    ) -> tuple["Weight4bitTensor", tuple[Tensor, ...]] | None:
        """FSDP2's hook: makes the whole weight over the gathered bytes, which later gathers overwrite."""
        packed = outputs[0]
        if out is not None:
            whole: Any = getattr(out, "_local_tensor", out)
            held = whole.packed
            if held.untyped_storage().data_ptr() != packed.untyped_storage().data_ptr():
                raise RuntimeError("FSDP has gathered a 4-bit weight into other memory than its parameter's")
            return None
        absmax, nested, form = metadata
        if len(outputs) > 1:
            absmax = outputs[1].view(absmax.dtype)
        return Weight4bitTensor((packed, absmax, *nested), form), outputs


# For torch.load with weights_only, which is its default; also under the name of the module that had both before.
torch.serialization.add_safe_globals([Weight4bitTensor, Form])
torch.serialization.add_safe_globals([(kind, f"qfuse.parameter.{kind.__name__}") for kind in (Weight4bitTensor, Form)])


def parameter_of(weight: Weight4bit) -> Parameter:
    """Makes a frozen parameter that shares the weight's memory."""
    return Parameter(Weight4bitTensor.of(weight), requires_grad=False)


_is_one_tensor = ContextVar("of state dicts", default=False)
is_one_tensor = _is_one_tensor.get


@contextmanager
def as_one_tensor() -> Iterator[None]:
    """State dicts made here have each 4-bit parameter as one tensor, else as bitsandbytes' arrays or not at all."""
    token = _is_one_tensor.set(True)
    try:
        yield
    finally:
        _is_one_tensor.reset(token)


def _refuse_gradient() -> NoReturn:
    raise RuntimeError(
        "a weight in 4 bits cannot require a gradient: train an adapter over it, or load this layer in 16 bits, as by "
        "llm_int8_skip_modules of a BitsAndBytesConfig"
    )


def _refuse(func: Any) -> NoReturn:
    of_peft = asking()
    if of_peft is None:
        way_out = "Multiply by qfuse.matmul_4bit, decode by its dequantize()"
    elif of_peft.merges:
        way_out = f"peft's {of_peft.method} cannot be merged into it: save the adapter, and merge it by `qfuse merge`"
    else:
        way_out = (
            f"peft's {of_peft.method} computes with the weight itself: put it over bitsandbytes' own layers, without "
            "qfuse.distributed.shardable, or take LoRA with target_modules"
        )
    raise NotImplementedError(f"a Weight4bitTensor has no {func}: it holds 4-bit codes. {way_out}")


on_split: list[Callable[[], None]] = []  # called before FSDP shards the first parameter
_HANDLERS: dict[Any, Callable[..., Any]] = {}


def _handles(*funcs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def keep(handler: Callable[..., Any]) -> Callable[..., Any]:
        _HANDLERS.update(dict.fromkeys(funcs, handler))
        return handler

    return keep


@_handles(_aten.detach.default, _aten.alias.default, _aten.clone.default, _aten._pin_memory.default)
def _each(func: Any, tensor: Weight4bitTensor, *args: Any, **kwargs: Any) -> Weight4bitTensor:
    """Applies func to every inner tensor."""
    return Weight4bitTensor(
        [func(each, *args, **kwargs) for each in tensor.inner], tensor.form, tensor.is_part, tensor.shape
    )


@_handles(_aten.empty_like.default, _aten.zeros_like.default, _aten._to_copy.default)
def _each_in_its_dtype(
    func: Any, tensor: Weight4bitTensor, *, dtype: torch.dtype | None = None, **kwargs: Any
) -> Weight4bitTensor:
    """A new dtype changes only the dtype that the weight decodes to."""
    form = tensor.form
    if dtype is not None:
        if dtype not in FLOAT_DTYPES:
            raise TypeError(f"a 4-bit weight decodes to float32, float16 or bfloat16, not to {dtype}")
        form = form._replace(dtype=dtype)
    kwargs.pop("memory_format", None)
    return Weight4bitTensor([func(each, **kwargs) for each in tensor.inner], form, tensor.is_part, tensor.shape)


@_handles(_aten.split.Tensor)
def _split(func: Any, tensor: Weight4bitTensor, size: int, dim: int = 0) -> list[Weight4bitTensor]:
    """Splits as in FSDP's sharding. on_split prepares state dicts for sharded parameters, which exist from then on."""
    for prepare in on_split:
        prepare()
    return [_rows(tensor, dim, begin, begin + size) for begin in range(0, tensor.shape[0], size)]


@_handles(_aten.slice.Tensor)
def _slice(
    func: Any, tensor: Weight4bitTensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Weight4bitTensor:
    if step != 1:
        _refuse(func)
    return _rows(tensor, dim, start or 0, end)


def _rows(tensor: Weight4bitTensor, dim: int, begin: int, end: int | None) -> Weight4bitTensor:
    if dim % tensor.dim() != 0:
        raise NotImplementedError(
            f"dimension {dim} of a Weight4bitTensor cannot be cut: FSDP shares out rows, "
            "qfuse.distributed.RowwiseLinear4bit columns"
        )
    packed, absmax, *nested = tensor.inner
    packed, absmax = packed[begin:end], absmax[begin:end]
    is_part = tensor.is_part or packed.shape[0] < tensor.shape[0]
    return Weight4bitTensor((packed, absmax, *nested), tensor.form, is_part)


@_handles(_aten.new_zeros.default, _aten.new_empty.default)
def _new(func: Any, tensor: Weight4bitTensor, size: Sequence[int], **kwargs: Any) -> Weight4bitTensor:
    """Makes a tensor with another number of rows and the same nested arrays."""
    if not size or tuple(size[1:]) != tuple(tensor.shape[1:]):
        _refuse(func)
    packed, absmax, *nested = tensor.inner
    kwargs.pop("dtype", None)
    made = [func(each, (size[0], *each.shape[1:]), **kwargs) for each in (packed, absmax)]
    is_part = tensor.is_part or size[0] != tensor.shape[0]
    return Weight4bitTensor((*made, *nested), tensor.form, is_part)


@_handles(_aten.copy_.default)
def _copy(func: Any, tensor: Weight4bitTensor, source: Any, non_blocking: bool = False) -> Weight4bitTensor:
    forms = {(each.form[2:], each.absmax.dtype) for each in (tensor, source) if isinstance(each, Weight4bitTensor)}
    if not isinstance(source, Weight4bitTensor) or len(forms) > 1 or source.shape != tensor.shape:
        raise TypeError(f"{source!r:.200} cannot be copied to a {tensor!r}: its bytes mean something else")
    for to, of in zip(tensor.inner, source.inner, strict=True):
        if to is not of:
            func(to, of, non_blocking)
    return tensor


@_handles(_aten.view.default)
def _view(func: Any, tensor: Weight4bitTensor, size: Sequence[int]) -> Weight4bitTensor:
    """Flattens or returns the same shape: FSDP stores a shard flat, and does no operation on it."""
    if tuple(size) not in ((-1,), (tensor.numel(),), tuple(tensor.shape)):
        _refuse(func)
    shape = tensor.shape if tuple(size) == tuple(tensor.shape) else torch.Size((tensor.numel(),))
    return Weight4bitTensor(tensor.inner, tensor.form, tensor.is_part, shape)


@_handles(_aten.as_strided.default)
def _as_strided(
    func: Any, tensor: Weight4bitTensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Weight4bitTensor:
    if tuple(size) != tuple(tensor.shape) or storage_offset:
        _refuse(func)
    return Weight4bitTensor(tensor.inner, tensor.form, tensor.is_part, tensor.shape)


@_handles(_aten.is_pinned.default)
def _is_pinned(func: Any, tensor: Weight4bitTensor, *args: Any, **kwargs: Any) -> bool:
    return all(func(each, *args, **kwargs) for each in tensor.inner)


@_handles(torch.ops._c10d_functional.all_gather_into_tensor.default, torch.ops._c10d_functional.wait_tensor.default)
def _gather(func: Any, tensor: Weight4bitTensor, *args: Any) -> Weight4bitTensor:
    """Serves DTensor.full_tensor(), for code that saves a whole model."""
    packed, absmax, *nested = tensor.inner
    made = [func(each.contiguous(), *args) for each in (packed, absmax)]
    return Weight4bitTensor((*made, *nested), tensor.form)


@_handles("_c10d_functional._wrap_tensor_autograd.default")  # in newer versions of torch, once DTensor is imported
def _wait(func: Any, tensor: Weight4bitTensor) -> Weight4bitTensor:
    """Waits at once, instead of returning a tensor that waits at its first use."""
    found: Weight4bitTensor = _gather(torch.ops._c10d_functional.wait_tensor.default, tensor)
    return found
