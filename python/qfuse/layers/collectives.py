"""Sums and gathers over ranks with gradients: what stands before and behind a layer that is cut.

A sum is the same on each rank and in each run: its addends are added in fp32 in the order of the ranks and rounded
once. A library's all-reduce may choose another order by size, topology and version. Of two ranks every order is the
same one.
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
    """[ranks, ...] to [...]."""
    found = parts[0].float()
    for part in parts[1:]:
        found += part
    return found.to(dtype)


def _scatter(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """This rank's part along dim of the sum over ranks."""
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
    # As many bytes as an all-reduce moves.
    flat = x.reshape(-1)
    flat = torch.nn.functional.pad(flat, (0, -flat.numel() % ranks))
    found = _gather(_scatter(flat, group, 0), group, 0)
    return found[: x.numel()].view(x.shape)


Step = Callable[[Tensor], Tensor]


class _Between(torch.autograd.Function):
    """One step forward, another one with the gradient."""

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
    """x, which all ranks have alike and use for parts of one result: its gradient is the sum over them."""
    return _between(x, lambda x: x.view_as(x), lambda grad: _sum(grad, group))


def summed(x: Tensor, group: ProcessGroup) -> Tensor:
    """The sum of the ranks' x, on each of them; each uses it alike."""
    return _between(x, lambda x: _sum(x, group), lambda grad: grad)


def gathered(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """The ranks' parts along dim, on each of them, which use them for parts of one result."""
    return _between(x, lambda x: _gather(x, group, dim), lambda grad: _scatter(grad, group, dim))


def scattered_sum(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """This rank's part along dim of the sum of the ranks' x."""
    return _between(x, lambda x: _scatter(x, group, dim), lambda grad: _gather(grad, group, dim))


def collected(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """The ranks' parts along dim, on each of them, which use them alike: of its gradient each has its own part."""

    def own(grad: Tensor) -> Tensor:
        return grad.chunk(group.size(), dim)[group.rank()].contiguous()

    return _between(x, lambda x: _gather(x, group, dim), own)


class _Once:
    """The result of the last call, for layers that are given one x, as q, k and v are: of one result the gradients are
    summed before they are sent, and one is gathered for all. It is kept until there is another one, or its gradient was
    asked for."""

    def __init__(self) -> None:
        self._last: tuple[Any, ...] = ()

    def __call__(self, operation: Any, x: Tensor, *args: Any) -> Tensor:
        if torch.compiler.is_compiling() or not (torch.is_grad_enabled() and x.requires_grad):
            made: Tensor = operation(x, *args)
            return made
        key, last = (operation, args, x._version), self._last  # which another thread may replace
        if not last or last[0]() is not x or last[1] != key:
            self._last = last = weakref.ref(x), key, operation(x, *args)
        found: Tensor = last[2]
        return found

    def forget(self) -> None:
        self._last = ()


once = _Once()
