"""Which bytes of a 4-bit weight a shard is, and the shard itself: an ordinary weight, which every function takes."""

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
    """Contiguous pieces of an array, all in bytes: `count` of `size`, each `stride` behind the one before."""

    begin: int
    size: int
    stride: int
    count: int  # type: ignore[assignment]

    def part(self, rank: int, ranks: int) -> "Runs":
        """An equal part of these bytes, one after the other: whole runs, or of a single one some bytes."""
        if self.count == 1:
            return self._replace(begin=self.begin + rank * self.size // ranks, size=self.size // ranks)
        count = self.count // ranks
        return self._replace(begin=self.begin + rank * count * self.stride, count=count)

    def of(self, array: Tensor) -> Tensor:
        """These bytes of an array of bytes, [count, size]: a view."""
        return array.view(-1).as_strided((self.count, self.size), (self.stride, 1), self.begin)


class ShardPlan(NamedTuple):
    """A shard of a weight in blocks: `runs` pieces of run_blocks blocks, the first at first_block and each
    stride_blocks behind the one before.

    shape: of the shard, which begins at index `begin` of dimension `dim`. nested_blocksize: of the shard, 0 where it is
    not nested. It is smaller than the whole's where one of the whole's nested blocks has blocks of other shards; the
    shard then has a nested_absmax for each of its own, nested_blocks in all, and decodes to the bits of the whole.
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
        """Of the codes."""
        return self._runs(self.blocksize, 2, math.prod(self.shape))

    def absmax(self, width: int | None = None) -> Runs:
        """Of the absmax, float32 or, nested, uint8; or of scales of so many bytes each."""
        return self._runs(width or (1 if self.nested_blocksize else 4), 1, None)

    def _runs(self, per_block: int, divisor: int, elements: int | None) -> Runs:
        begin, size, stride = (
            blocks * per_block // divisor for blocks in (self.first_block, self.run_blocks, self.stride_blocks)
        )
        if elements is not None and self.runs == 1:  # whose last block may not be full
            size = min(size, (elements + 1) // 2)
        return Runs(begin, size, stride, self.runs)

    def nested(self) -> Tensor:
        """Which of the whole's nested_absmax each of the shard's is, [nested_blocks] int64."""
        blocks = torch.arange(self.nested_blocks) * self.nested_blocksize
        run, within = blocks // max(self.run_blocks, 1), blocks % max(self.run_blocks, 1)
        return (self.first_block + run * self.stride_blocks + within) // max(self.whole_nested_blocksize, 1)


def cut_of(placement: Placement) -> int | None:
    """The dimension that is cut; None where nothing is."""
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
    """Which bytes of a 4-bit weight `rank` of `ranks` has. Nothing is read: it is arithmetic.

    shape: of the weight as it decodes, a matrix [n, k] or a stack of them. placement: Shard(dim) cuts as DTensor does,
    into pieces of ceil(size / ranks), of which the last ones may be smaller or empty; Replicate() is the whole.

    Raises ValueError on all ranks alike where the shard of one would begin or end within a block: codes share its
    absmax, and nothing is quantized anew. The message says which dimension or number of ranks could do.
    """
    dim, of_nested = cut_of(placement), nested_blocksize if nested else 0
    if dim is None:
        dim, rank, ranks = 0, 0, 1
    dim = dim % len(shape) if -len(shape) <= dim < 0 else dim
    for other in range(ranks):  # what cannot be cut is refused on all ranks alike, so that none waits for another
        library.shard_plan(shape, dim, other, ranks, blocksize, of_nested)
    begin, length, *numbers = library.shard_plan(shape, dim, rank, ranks, blocksize, of_nested)
    own = tuple(length if i == dim else size for i, size in enumerate(shape))
    return ShardPlan(own, dim, begin, blocksize, of_nested, *numbers)


def shard(weight: Weight4bit, placement: Placement, rank: int, ranks: int) -> Weight4bit:
    """The part of a weight that `rank` of `ranks` has, in memory of its own; it decodes to the bits of the whole.

    Of a weight that load_checkpoint has mapped, only the shard's pages are read. Raises what shard_plan does.
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
    """A shard of what was read of it, with the nested arrays of the whole."""
    if nested:
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
