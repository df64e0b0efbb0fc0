"""Computes which bytes of a 4-bit weight a shard has, and makes the shard: an ordinary weight for every function."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor
from torch.distributed.tensor import Placement, Replicate, Shard

from ..native import library
from ..weight.form import NESTED_BLOCKSIZE
from ..weight.weight_4bit import Weight4bit


class Runs(NamedTuple):
    """`count` contiguous pieces of an array, each of `size` bytes, which start `stride` bytes apart from `begin` on."""

    begin: int
    size: int
    stride: int
    count: int  # type: ignore[assignment]

    def part(self, rank: int, ranks: int) -> "Runs":
        """One of `ranks` equal parts of these bytes, in order: whole runs, or bytes of a single run."""
        if self.count == 1:
            return self._replace(begin=self.begin + rank * self.size // ranks, size=self.size // ranks)
        count = self.count // ranks
        return self._replace(begin=self.begin + rank * count * self.stride, count=count)

    def of(self, array: Tensor) -> Tensor:
        """View [count, size] of these bytes in an array of bytes."""
        return array.view(-1).as_strided((self.count, self.size), (self.stride, 1), self.begin)


class ShardPlan(NamedTuple):
    """A shard of a weight, in blocks: `runs` runs of run_blocks blocks each, which start stride_blocks apart from
    first_block on.

    shape: of the shard, which begins at index `begin` of dimension `dim`. nested_blocksize: of the shard; 0 if it is
    not nested. It is smaller than the whole weight's if a nested block of the whole also has blocks of other shards.
    The shard then has one nested_absmax per smaller block, nested_blocks in total, and decodes to the whole's bits.
    """

    shape: tuple[int, ...]
    dim: int
    begin: int
    blocksize: int
    whole_nested_blocksize: int
    runs: int
    first_block: int
    run_blocks: int
    stride_blocks: int
    nested_blocksize: int
    nested_blocks: int

    def packed(self) -> Runs:
        """The shard's bytes of the codes."""
        return self._runs(self.blocksize, 2, math.prod(self.shape))

    def absmax(self, width: int | None = None) -> Runs:
        """The shard's bytes of absmax: float32 or, nested, uint8; or of scales of `width` bytes each."""
        return self._runs(width or (1 if self.nested_blocksize else 4), 1, None)

    def _runs(self, per_block: int, divisor: int, elements: int | None) -> Runs:
        begin, size, stride = (
            blocks * per_block // divisor for blocks in (self.first_block, self.run_blocks, self.stride_blocks)
        )
        if elements is not None and self.runs == 1:  # the last block of a single run may be partial
            size = min(size, (elements + 1) // 2)
        return Runs(begin, size, stride, self.runs)

    def nested(self) -> Tensor:
        """Index of each of the shard's nested_absmax in those of the whole weight, [nested_blocks] int64."""
        blocks = torch.arange(self.nested_blocks) * self.nested_blocksize
        run, within = blocks // max(self.run_blocks, 1), blocks % max(self.run_blocks, 1)
        return (self.first_block + run * self.stride_blocks + within) // max(self.whole_nested_blocksize, 1)


def cut_of(placement: Placement) -> int | None:
    """The dimension that a placement cuts, or None. Raises ValueError unless it is Shard or Replicate."""
    if type(placement) is Shard:
        return placement.dim
    if type(placement) is Replicate:
        return None
    raise ValueError(f"a weight cannot be placed as {placement}: it can be Shard(dim) or Replicate()")


def shard_plan(
    shape: Sequence[int],
    blocksize: int,
    nested: bool,
    placement: Placement,
    rank: int,
    ranks: int,
    *,
    nested_blocksize: int = NESTED_BLOCKSIZE,
) -> ShardPlan:
    """Computes which bytes of a 4-bit weight `rank` of `ranks` has. Reads no data.

    shape: of the decoded weight, a matrix [n, k] or a stack of matrices. placement: Shard(dim) cuts as DTensor does,
    into pieces of ceil(size / ranks), of which the last ones may be smaller or empty; Replicate() is the whole.

    Raises ValueError on all ranks alike if any rank's shard would begin or end within a block, because its codes share
    one absmax and nothing is requantized. The message suggests a dimension or number of ranks that works.
    """
    dim, of_nested = cut_of(placement), nested_blocksize if nested else 0
    if dim is None:
        dim, rank, ranks = 0, 0, 1
    dim = dim % len(shape) if -len(shape) <= dim < 0 else dim
    for other in range(ranks):  # all ranks check all shards and fail together, so that none waits for another
        library.shard_plan(shape, dim, other, ranks, blocksize, of_nested)
    begin, length, *numbers = library.shard_plan(shape, dim, rank, ranks, blocksize, of_nested)
    own = tuple(length if i == dim else size for i, size in enumerate(shape))
    return ShardPlan(own, dim, begin, blocksize, of_nested, *numbers)


def shard(weight: Weight4bit, placement: Placement, rank: int, ranks: int) -> Weight4bit:
    """Copies the part of a weight that `rank` of `ranks` has; it decodes to the same bits as the whole.

    If load_checkpoint has mapped the weight, only the shard's pages are read. Raises the errors of shard_plan.
    """
    plan = shard_plan(
        weight.shape, weight.blocksize, weight.nested, placement, rank, ranks, nested_blocksize=weight.nested_blocksize
    )
    packed, absmax, *nested = weight.tensors
    found = [
        runs.of(array.contiguous().view(-1).view(torch.uint8)).clone().view(-1)
        for runs, array in ((plan.packed(), packed), (plan.absmax(absmax.element_size()), absmax))
    ]
    return assembled(weight, plan, found[0], found[1].view(absmax.dtype), nested)


def assembled(
    weight: Weight4bit, plan: ShardPlan, packed: Tensor, absmax: Tensor, nested: Sequence[Tensor]
) -> Weight4bit:
    """Makes a shard from its codes and absmax and from the nested arrays of the whole weight."""
    if len(nested) == 1 and nested[0].numel() != 1:
        raise ValueError("a stack whose experts each have a global scale cannot be cut; dequantize it first")
    if len(nested) == 3:
        nested_absmax, nested_quant_map, nested_offset = nested
        if nested_offset.numel() != 1:
            raise ValueError("a stack whose experts are each nested by themselves cannot be cut; dequantize it first")
        own = nested_absmax.view(-1)[plan.nested().to(nested_absmax.device)]
        nested = own, nested_quant_map, nested_offset
    return weight._replace(
        tensors=(packed, absmax, *nested),
        shape=plan.shape,
        nested_blocksize=plan.nested_blocksize or weight.nested_blocksize,
    )
