"""Computes the loss of a transformers causal language model from the head's input, without storing logits.

A model's forward calls its head, in some families scales or caps the logits, and passes them to its loss function. Here
the head returns a tensor that only records how to compute the logits. The loss function uses the recorded input; any
other computation with the tensor computes the logits.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import MethodType
from typing import Any

import torch
import torch.distributed.fsdp
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from ..ops.gradients import is_watched
from ..training.cross_entropy import Logits, linear_cross_entropy

Function = Callable[..., Any]


class DeferredLogits(Tensor):
    """Has the shape, dtype, device and autograd node of logits, but no memory for them. torch functions that read
    values compute them, once. Code that reads the memory without torch finds NaN."""

    hidden: Tensor
    head: nn.Module
    changes: Logits
    function: Function  # computes the logits from hidden
    computed: Tensor | None

    @staticmethod
    def of(hidden: Tensor, head: nn.Linear, forward: Function) -> "DeferredLogits":
        function = _under_autocast_of_now(forward, hidden.device.type)
        dtype = _dtype_of_product(hidden)
        return _made(hidden.to(dtype), head, Logits(), function, head.weight.shape[0], dtype)

    def compute(self) -> Tensor:
        if self.computed is None:  # always with a gradient, which a later caller may need
            with torch.inference_mode(False):  # this also enables gradients
                self.computed = self.function(self.hidden)
        return self.computed

    @classmethod
    def __torch_function__(cls, func: Function, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func in _DESCRIPTIONS:
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        if func is Tensor.register_hook and is_shared_out(args[0].head):  # FSDP's hook on its module's output
            with torch._C.DisableTorchFunctionSubclass():
                return func(*args, **kwargs)
        if func in _OF_A_GRADIENT:
            raise RuntimeError("logits whose loss is made without them have no gradient: speed_up_training(loss=False)")
        if args and isinstance(args[0], DeferredLogits) and not kwargs and args[0].computed is None:
            changed = args[0]._changed(func, args[1:])
            if changed is not None:
                return changed
        args, kwargs = torch.utils._pytree.tree_map_only(DeferredLogits, lambda each: each.compute(), (args, kwargs))
        return func(*args, **kwargs)

    def _changed(self, func: Function, rest: tuple[Any, ...]) -> "DeferredLogits | None":
        """Records a scale, a softcap or a cast of logits; None for any other function. Scales apply before softcaps."""
        scale, softcap = self.changes
        number = rest[0] if len(rest) == 1 and isinstance(rest[0], (int, float)) else None
        changes = self.changes
        if func in _TO_FLOAT and not rest:
            return self._next(changes, Tensor.float, torch.float32)
        if func in _TANH and not rest and not softcap:  # tanh(z) is a softcap of 1
            return self._next(Logits(scale, 1.0), torch.tanh)
        if number and func in _TIMES:
            if softcap == 1.0:  # c * tanh(z) is a softcap of c on c * z
                return self._next(Logits(scale * number, float(number)), lambda z: z * number)
            if not softcap:
                return self._next(Logits(scale * number, 0.0), lambda z: z * number)
        if number and func in _DIVIDED_BY and not softcap:
            return self._next(Logits(scale / number, 0.0), lambda z: z / number)
        return None

    def _next(self, changes: Logits, change: Function, dtype: torch.dtype | None = None) -> "DeferredLogits":
        function = _under_autocast_of_now(change, self.device.type)

        def composed(hidden: Tensor) -> Tensor:
            # Uses the same logits if they were computed, so that in-place changes to them take effect.
            before: Tensor = self.compute() if hidden is self.hidden else self.function(hidden)
            after: Tensor = function(before)
            return after

        return _made(self.hidden, self.head, changes, composed, self.shape[-1], dtype or self.dtype)


def _made(
    hidden: Tensor, head: nn.Module, changes: Logits, function: Function, vocabulary: int, dtype: torch.dtype
) -> DeferredLogits:
    made = _Place.apply(hidden, function, vocabulary, dtype).as_subclass(DeferredLogits)
    made.hidden, made.head, made.changes, made.function, made.computed = hidden, head, changes, function, None
    return made  # type: ignore[no-any-return]


class _Place(torch.autograd.Function):
    """Autograd node of the logits, for autograd functions that take the tensor without computing it."""

    @staticmethod
    def forward(ctx: Any, hidden: Tensor, function: Function, vocabulary: int, dtype: torch.dtype) -> Tensor:
        ctx.save_for_backward(hidden)
        ctx.function = function
        return hidden.new_full((1,), torch.nan, dtype=dtype).expand(*hidden.shape[:-1], vocabulary)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (hidden,) = ctx.saved_tensors
        with torch.enable_grad():
            leaf = hidden.detach().requires_grad_()
            (found,) = torch.autograd.grad(ctx.function(leaf), leaf, grad)
        return found, None, None, None


def _under_autocast_of_now(function: Function, kind: str) -> Function:
    now = partial(torch.autocast, kind, torch.get_autocast_dtype(kind), torch.is_autocast_enabled(kind))

    def called(tensor: Tensor) -> Any:
        with now():
            return function(tensor)

    return called


_DESCRIPTIONS = {
    getattr(Tensor, name).__get__
    for name in (
        *("shape", "dtype", "device", "ndim", "is_cuda", "layout", "is_meta"),
        *("requires_grad", "grad_fn", "is_leaf", "_base"),
    )
} | {Tensor.size, Tensor.dim, Tensor.is_floating_point, Tensor.numel, Tensor.__len__}
_OF_A_GRADIENT = {Tensor.retain_grad, Tensor.register_hook}
_TO_FLOAT = {Tensor.float}
_TANH = {torch.tanh, Tensor.tanh}
_TIMES = {torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__}
_DIVIDED_BY = {torch.div, Tensor.div, Tensor.__truediv__, torch.true_divide}


def _dtype_of_product(hidden: Tensor) -> torch.dtype:
    kind = hidden.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype


def why_not(model: Any) -> str | None:
    """Returns why the model's loss cannot be deferred, or None."""
    from transformers.loss.loss_utils import ForCausalLMLoss

    head = model.get_output_embeddings()
    if not (type(head) is nn.Linear or (is_shared_out(head) and nn.Linear in type(head).__bases__)):
        return f"its head is a {type(head).__name__}" if head is not None else "it has no head"
    if head.weight.requires_grad:
        return "its head is trained"
    if head.bias is not None:
        return "its head has a bias"
    if "forward" in vars(head):  # such as accelerate's, for a model on several devices
        return "its head has a forward of its own"
    if model.loss_function is not ForCausalLMLoss:
        return "its loss is not that of a causal language model"
    return None


def defer(model: Any) -> Callable[[], None]:
    """Makes the model compute its loss without logits; returns a function to undo it."""
    head = model.get_output_embeddings()
    own = vars(model).get("_loss_function")
    head.forward = MethodType(forward, head)  # a bound method, so that a copy of the model binds its own head
    model.loss_function = ours = partial(_loss_function, model.loss_function)

    def undo() -> None:
        if vars(model).get("_loss_function") is ours:
            del model._loss_function
            if own is not None:
                model.loss_function = own
        vars(head).pop("forward", None)

    return undo


def forward(head: nn.Linear, input: Tensor) -> Tensor:
    """Forward of a head with deferred logits. Named like the method it replaces, so that a model can be unpickled."""
    computed = partial(type(head).forward, head)
    if is_shared_out(head):
        if vars(head).get(_IS_ASKED):
            return computed(input)
        computed = partial(_asked, head)
    is_trained = head.training and torch.is_grad_enabled() and not is_watched()
    is_its_own = head.weight.requires_grad or head.bias is not None
    if not is_trained or is_its_own or not input.requires_grad or input.device != head.weight.device:
        return type(head).forward(head, input)
    return DeferredLogits.of(input, head, computed)


_IS_ASKED = "_qfuse_is_asked"  # attribute of a head during a call that must return real logits


def is_shared_out(head: Any) -> bool:
    """Whether fully_shard wraps the head itself: then its weight is whole only during its forward."""
    return torch.distributed.is_available() and isinstance(head, torch.distributed.fsdp.FSDPModule)


def _asked(head: nn.Module, hidden: Tensor) -> Tensor:
    """Computes a head's logits by calling it, because its hooks gather its weight now and for the backward pass."""
    vars(head)[_IS_ASKED] = True
    try:
        found: Tensor = head(hidden)
        return found
    finally:
        del vars(head)[_IS_ASKED]


@contextmanager
def _whole_weight(head: Any) -> Iterator[Tensor]:
    if not is_shared_out(head):
        yield head.weight
        return
    head.unshard()
    try:
        yield head.weight
    finally:
        head.reshard()


def _loss_function(original: Function, logits: Tensor, labels: Tensor | None, *args: Any, **kwargs: Any) -> Any:
    wanted = {name: value for name, value in kwargs.items() if name in _KNOWN}
    is_covered = len(args) <= 1 and not _NAMES_OF_CROSS_ENTROPY & kwargs.keys()
    has_labels = labels is not None or kwargs.get("shift_labels") is not None
    if isinstance(logits, DeferredLogits) and logits.computed is None and is_covered and has_labels:
        return _loss(logits, labels, **wanted)
    return original(logits, labels, *args, **kwargs)


_KNOWN = {"num_items_in_batch", "ignore_index", "shift_labels"}
_NAMES_OF_CROSS_ENTROPY = {"weight", "label_smoothing", "reduction"}


def _loss(
    logits: DeferredLogits,
    labels: Tensor | None,
    num_items_in_batch: Tensor | int | None = None,
    ignore_index: int = -100,
    shift_labels: Tensor | None = None,
) -> Tensor:
    """Computes transformers' ForCausalLMLoss: shifts the labels, and divides the sum by num_items_in_batch, the tokens
    of all micro-batches of a step, or if that is not given, by this batch's tokens."""
    if shift_labels is None:
        assert labels is not None
        shift_labels = nn.functional.pad(labels, (0, 1), value=ignore_index)[..., 1:]
    hidden = logits.hidden
    shift_labels = shift_labels.to(hidden.device).reshape(hidden.shape[:-1])
    with _whole_weight(logits.head) as weight:
        total = linear_cross_entropy(hidden, weight, shift_labels, ignore_index, logits.changes)
    if num_items_in_batch is None:
        found = (shift_labels != ignore_index).sum()
        return torch.where(found > 0, total / found.clamp(min=1), torch.nan)  # like torch, a NaN without a gradient
    count = num_items_in_batch.to(total.device) if isinstance(num_items_in_batch, Tensor) else num_items_in_batch
    return total / count
