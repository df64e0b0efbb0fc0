"""Sums and gathers over ranks with gradients: what stands before and behind a layer that is cut.

A sum is the same on each rank and in each run: its addends are added in fp32 in the order of the ranks and rounded
once. A library's all-reduce may choose another order by size, topology and version. Of two ranks every order is the
same one.
"""

import weakref
from typing import Any

import torch
import torch.distributed._functional_collectives as funcol
from torch import Tensor
from torch.distributed import ProcessGroup

__all__ = ["collected", "copied", "gathered", "once", "scattered_sum", "summed"]


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


class _Copied(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup) -> Tensor:
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        once.forget()
        return _sum(grads[0], ctx.group), None


class _Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup) -> Tensor:
        return _sum(x, group)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        return grads[0], None


class _Gathered(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
        ctx.group, ctx.dim = group, dim
        return _gather(x, group, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        once.forget()
        return _scatter(grads[0], ctx.group, ctx.dim), None, None


class _ScatteredSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
        ctx.group, ctx.dim = group, dim
        return _scatter(x, group, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return _gather(grads[0], ctx.group, ctx.dim), None, None


class _Collected(torch.autograd.Function):
    """The parts of all ranks, where the whole is used alike on each: of its gradient each rank has its own part."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
        ctx.group, ctx.dim = group, dim
        return _gather(x, group, dim)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        return grads[0].chunk(ctx.group.size(), ctx.dim)[ctx.group.rank()].contiguous(), None, None


def copied(x: Tensor, group: ProcessGroup) -> Tensor:
    """x, which all ranks have alike and use for parts of one result: its gradient is the sum over them."""
    found: Tensor = _Copied.apply(x, group)
    return found


def summed(x: Tensor, group: ProcessGroup) -> Tensor:
    """The sum of the ranks' x, on each of them; each uses it alike."""
    found: Tensor = _Summed.apply(x, group)
    return found


def gathered(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """The ranks' parts along dim, on each of them, which use them for parts of one result."""
    found: Tensor = _Gathered.apply(x, group, dim)
    return found


def collected(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """The ranks' parts along dim, on each of them, which use them alike."""
    found: Tensor = _Collected.apply(x, group, dim)
    return found


def scattered_sum(x: Tensor, group: ProcessGroup, dim: int) -> Tensor:
    """This rank's part along dim of the sum of the ranks' x."""
    found: Tensor = _ScatteredSum.apply(x, group, dim)
    return found


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
