"""Sums and gathers over ranks, with gradients, for the inputs and outputs of a tensor-parallel layer.

A sum has the same bits on each rank and in each run: its addends are added in fp32 in the order of the ranks and
rounded once. A library's all-reduce may choose another order by size, topology and version. For two ranks, where the
order does not matter, torch's all-reduce is used.
"""

import weakref
from collections.abc import Callable
from typing import Any

import torch
import torch.distributed._functional_collectives as funcol
from torch import Tensor
from torch.distributed import ProcessGroup


def _gather(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    return torch.cat(funcol.all_gather_tensor(x.contiguous(), 0, group).chunk(group.size()), dim)


def _parts_summed(parts: Tensor, dtype: torch.dtype) -> Tensor:
    """Sums [ranks, ...] over the ranks to [...] in fp32."""
    found = parts[0].float()
    for part in parts[1:]:
        found += part
    return found.to(dtype)


def _scatter(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """Returns this rank's part along dim of the sum over ranks."""
    ranks = group.size()
    if x.shape[dim] % ranks != 0:
        raise ValueError(f"dimension {dim} of {tuple(x.shape)} cannot be shared out to {ranks} ranks")
    if ranks == 1:
        return x
    parts = torch.stack(x.chunk(ranks, dim))
    own = funcol.all_to_all_single(parts.flatten(0, 1), None, None, group)
    return _parts_summed(funcol.wait_tensor(own).view(parts.shape), x.dtype)


def _sum(x: Tensor, group: ProcessGroup) -> Tensor:
    ranks = group.size()
    if ranks == 1:
        return x
    if ranks == 2:
        both: Tensor = funcol.wait_tensor(funcol.all_reduce(x.contiguous(), "sum", group))
        return both
    # A scatter and a gather move as many bytes as an all-reduce.
    flat = x.reshape(-1)
    flat = torch.nn.functional.pad(flat, (0, -flat.numel() % ranks))
    found = _gather(_scatter(flat, group, 0), group, 0)
    return found[: x.numel()].view(x.shape)


Step = Callable[[Tensor], Tensor]


class _Between(torch.autograd.Function):
    """Applies one function forward and another one to the gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, forth: Step, back: Step) -> Tensor:
        ctx.back = back
        return forth(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        once.forget()
        return ctx.back(grads[0]), None, None


def _between(x: Tensor, forth: Step, back: Step) -> Tensor:
    found: Tensor = _Between.apply(x, forth, back)
    return found


def copied(x: Tensor, group: ProcessGroup) -> Tensor:
    """Returns x, which is the same on all ranks, for parts of one result: its gradient is the sum over ranks."""
    return _between(x, lambda x: x.view_as(x), lambda grad: _sum(grad, group))


def summed(x: Tensor, group: ProcessGroup) -> Tensor:
    """Returns the sum of the ranks' x on each rank; all ranks must use it alike."""
    return _between(x, lambda x: _sum(x, group), lambda grad: grad)


def gathered(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """Concatenates the ranks' parts along dim on each rank, for parts of one result."""
    return _between(x, lambda x: _gather(x, group, dim), lambda grad: _scatter(grad, group, dim))


def scattered_sum(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """Returns this rank's part along dim of the sum of the ranks' x."""
    return _between(x, lambda x: _scatter(x, group, dim), lambda grad: _gather(grad, group, dim))


def collected(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """Concatenates the ranks' parts along dim; all ranks use them alike, so each takes its part of the gradient."""

    def own(grad: Tensor) -> Tensor:
        return grad.chunk(group.size(), dim)[group.rank()].contiguous()

    return _between(x, lambda x: _gather(x, group, dim), own)


class _Once:
    """Caches the last result, for layers with the same x, such as q, k and v: x is gathered once, and the layers'
    gradients are summed before they are sent. The result is kept until another call or its backward pass."""

    def __init__(self) -> None:
        self._last: tuple[Any, ...] = ()

    def __call__(self, operation: Any, x: Tensor, *args: Any) -> Tensor:
        if torch.compiler.is_compiling() or not (torch.is_grad_enabled() and x.requires_grad):
            made: Tensor = operation(x, *args)
            return made
        key, last = (operation, args, x._version), self._last  # read once: another thread may replace self._last
        if not last or last[0]() is not x or last[1] != key:
            self._last = last = weakref.ref(x), key, operation(x, *args)
        found: Tensor = last[2]
        return found

    def forget(self) -> None:
        self._last = ()


once = _Once()
