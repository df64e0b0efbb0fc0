"""Products of rows that lie expert by expert with dense matrices, one for each expert, and sums over such rows: by
torch's grouped products, which wait for nothing, or where it has none by tiles of rows, which do not either."""

import itertools
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..native import devices

_VALUES_A_LOAD = 8  # of bfloat16: torch's kernels load 16 bytes, and want every row to begin at a multiple of these
_MOST_EXPERTS = 1024  # that torch's kernels take: the threads of a block
_ROWS_A_TILE = 32


def has_kernel(x: Tensor, experts: int, *widths: int) -> bool:
    """Whether torch has a grouped product on x's GPU, of matrices of these widths: in others, it waits for the ends."""
    if not x.is_cuda or x.dtype != torch.bfloat16 or experts > _MOST_EXPERTS or 0 in (x.shape[0], experts, *widths):
        return False
    if torch._C._are_functorch_transforms_active():  # torch.func.vmap has no rule for it
        return False
    has_cores = devices.find_tensor_cores(x.device.index, x.dtype)
    return has_cores and all(width % _VALUES_A_LOAD == 0 for width in widths)


def product(x: Tensor, factors: Tensor, ends: Tensor, scaling: float = 1.0) -> Tensor:
    """Of each row of x [m, k] with its expert's factor of [E, k, n], in x's dtype: sums in fp32, rounded, and with a
    scaling rounded once more where torch's kernel makes them. What rows of no expert get means nothing."""
    experts, k, n = factors.shape
    if _is_batched(x, factors):
        parts = [x[begin:end].float() @ factors[i].float() for i, (begin, end) in enumerate(_ranges(ends, x.shape[0]))]
        found = torch.cat([*parts, x.new_zeros(_nobodys(ends, x.shape[0]), n, dtype=torch.float32)])
        return (found if scaling == 1 else found * scaling).to(x.dtype)
    if has_kernel(x, experts, k, n):
        found = _multiply(x, factors, ends)
        return found if scaling == 1 else found * scaling
    if 0 in (x.shape[0], experts, n):
        return x.new_zeros(x.shape[0], n)
    tiles = _tiles_of(ends, x.shape[0])
    tile_products = torch.bmm(x.float()[tiles.rows], factors.float()[tiles.experts]).flatten(0, 1)
    found = tile_products[tiles.places]
    return (found if scaling == 1 else found * scaling).to(x.dtype)


def outer(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    """leftᵀ·right over the rows of each expert, [E, p, q] of [m, p] and [m, q], in left's dtype: sums in fp32, rounded
    once. Zero for an expert without rows."""
    experts, p, q = ends.shape[0], left.shape[1], right.shape[1]
    right = right.to(left.dtype)
    if _is_batched(left, right):
        pairs = [(left[begin:end].float(), right[begin:end].float()) for begin, end in _ranges(ends, left.shape[0])]
        return torch.stack([one.mT @ other for one, other in pairs]).to(left.dtype)
    if has_kernel(left, experts, p, q):
        return _multiply(left.t(), right, ends)
    if 0 in (left.shape[0], experts, p, q):
        return left.new_zeros(experts, p, q)
    tiles = _tiles_of(ends, left.shape[0])
    left_tiles, right_tiles = (
        torch.where(tiles.has_row[..., None], tensor.float()[tiles.rows], 0.0) for tensor in (left, right)
    )
    tile_sums = torch.bmm(left_tiles.mT, right_tiles)
    # In a fixed order, which index_add_ on a GPU has not; and a NaN stays with its expert.
    found = torch.segment_reduce(tile_sums, "sum", lengths=tiles.counts, axis=0, unsafe=True)
    return found.to(left.dtype)


def _is_batched(*tensors: Tensor) -> bool:
    """By torch.autograd (is_grads_batched), whose vmap has few operations: an expert's rows are one product."""
    if torch.compiler.is_compiling():
        return False
    return any(map(torch._C._functorch.is_legacy_batchedtensor, tensors))


def _ranges(ends: Tensor, m: int) -> list[tuple[int, int]]:
    """Each expert's rows. Of ends that lie on a GPU the host waits for them."""
    bounds = [0, *(min(end, m) for end in ends.tolist())]
    return list(itertools.pairwise(bounds))


def _nobodys(ends: Tensor, m: int) -> int:
    return m - (min(int(ends[-1]), m) if ends.shape[0] else 0)


def _multiply(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    """torch's grouped product of a matrix with the experts' matrices, or of the experts' columns with as many rows."""
    multiply = _multiply_as_laid if torch.compiler.is_compiling() else _multiply_aligned
    found: Tensor = multiply(left, right, ends)
    return found


def _multiply_aligned(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    if right.dim() == 2:  # laid so, else torch's kernel refuses experts without rows, by an assertion on the GPU
        left, right = _aligned(left.t().contiguous()).t(), _aligned(right.contiguous())
    else:
        left, right = _aligned(left), _aligned(right.mT).mT if right.stride(-2) == 1 else _aligned(right)
    return torch._grouped_mm(left, right, offs=ends.int())


# torch's compiler would lay operands as it likes.
@torch.library.custom_op("qfuse_torch::grouped_mm", mutates_args=())
def _multiply_as_laid(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    return _multiply_aligned(left, right, ends)


@_multiply_as_laid.register_fake
def _(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    experts = () if right.dim() == 3 else (ends.shape[0],)
    return left.new_empty(*experts, left.shape[0], right.shape[-1])


def sums(tensor: Tensor, ends: Tensor) -> Tensor:
    """The sum of each expert's rows, [E, n] of [m, n]."""
    ones = tensor.new_ones(tensor.shape[0], _VALUES_A_LOAD)
    return outer(ones, tensor, ends)[:, 0]


def without_nobodys(tensor: Tensor, ends: Tensor) -> Tensor:
    """A gradient with zeros in the rows of no expert, which whoever sums over rows would else find to be anything: in
    place, where no gradient of it is wanted."""
    rows = torch.arange(tensor.shape[0], device=tensor.device)
    last = ends[-1] if ends.shape[0] else rows.new_zeros(())
    nobodys = (rows >= last)[:, None]
    is_fresh = not torch.is_grad_enabled() and not torch._C._are_functorch_transforms_active()
    return tensor.masked_fill_(nobodys, 0) if is_fresh else tensor.masked_fill(nobodys, 0)


def expert_of_rows(ends: Tensor, m: int) -> Tensor:
    """Whose each of m rows is; of nobody's row, some expert."""
    rows = torch.arange(m, dtype=ends.dtype, device=ends.device)
    return torch.searchsorted(ends, rows, right=True).clamp(max=ends.shape[0] - 1)


def _aligned(tensor: Tensor) -> Tensor:
    """Itself, or a copy, with rows that are contiguous and begin where torch's kernels want them. Where columns are, so
    would every expert's rows have to."""
    *_, step, inner = tensor.stride()
    is_aligned = inner == 1 and step >= tensor.shape[-1] and step % _VALUES_A_LOAD == 0
    # Dynamo knows no storage_offset: torch refuses what is not aligned in what is compiled.
    if is_aligned and (torch.compiler.is_compiling() or tensor.storage_offset() % _VALUES_A_LOAD == 0):
        return tensor
    return tensor.clone(memory_format=torch.contiguous_format)


class _Tiles(NamedTuple):
    """m rows cut into tiles, of one expert each; there are as many as there may have to be, however the rows are shared
    out: an expert's last tile is not full, and the last tiles may be empty."""

    rows: Tensor  # [tiles, _ROWS_A_TILE], 0 to m - 1
    has_row: Tensor  # of the same shape: whether that is a row of the tile's expert
    experts: Tensor  # [tiles]
    counts: Tensor  # [E]: tiles
    places: Tensor  # [m]: where a row is among those of all tiles


def _tiles_of(ends: Tensor, m: int) -> _Tiles:
    ends = ends.long().clamp(0, m).cummax(0).values  # on a GPU nothing has refused others
    begins = pad(ends[:-1], (1, 0))
    last = ends.shape[0] - 1
    counts = (ends - begins + _ROWS_A_TILE - 1) // _ROWS_A_TILE
    tile_ends = counts.cumsum(0)
    first_rows = begins - (tile_ends - counts) * _ROWS_A_TILE  # of an expert, as if its tiles were the first ones
    tiles = torch.arange(m // _ROWS_A_TILE + min(m, last + 1), device=ends.device)
    experts = torch.searchsorted(tile_ends, tiles, right=True).clamp(max=last)
    rows = (first_rows[experts] + tiles * _ROWS_A_TILE)[:, None] + torch.arange(_ROWS_A_TILE, device=ends.device)
    places = torch.arange(m, device=ends.device) - first_rows[expert_of_rows(ends, m)]
    places = places.clamp(0, rows.numel() - 1)  # of nobody's rows, too
    return _Tiles(rows.clamp(0, m - 1), rows < ends[experts][:, None], experts, counts, places)
