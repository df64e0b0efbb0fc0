"""Multiplies rows sorted by expert by their expert's dense matrix, and sums such rows per expert. Uses torch's grouped
products, or tiles of rows where torch has none. Neither synchronizes with the GPU."""

import itertools
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import pad

from ..native import devices

_VALUES_A_LOAD = 8  # bfloat16 values per 16-byte load: torch's kernels need rows that are 16-byte aligned
_MOST_EXPERTS = 1024  # limit of torch's kernels: the threads of a block
_ROWS_A_TILE = 32


def has_kernel(x: Tensor, experts: int, *widths: int) -> bool:
    """Whether torch has a grouped kernel on x's GPU for matrices of these widths; without one it synchronizes."""
    if not x.is_cuda or x.dtype != torch.bfloat16 or experts > _MOST_EXPERTS or 0 in (x.shape[0], experts, *widths):
        return False
    if torch._C._are_functorch_transforms_active():  # torch.func.vmap has no rule for it
        return False
    has_cores = devices.find_tensor_cores(x.device.index, x.dtype)
    return has_cores and all(width % _VALUES_A_LOAD == 0 for width in widths)


def product(x: Tensor, factors: Tensor, ends: Tensor, scaling: float = 1.0) -> Tensor:
    """Multiplies each row of x [m, k] by its expert's factor of [E, k, n], in x's dtype. Sums are in fp32 and rounded;
    with torch's kernel, a scaling rounds once more. Results of rows without an expert are undefined."""
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
    """Returns leftᵀ·right over the rows of each expert, [E, p, q] from [m, p] and [m, q], in left's dtype. Sums are in
    fp32 and rounded once; they are zero for an expert without rows."""
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
    # segment_reduce sums in a fixed order, unlike index_add_ on a GPU, and keeps a NaN in its expert.
    found = torch.segment_reduce(tile_sums, "sum", lengths=tiles.counts, axis=0, unsafe=True)
    return found.to(left.dtype)


def _is_batched(*tensors: Tensor) -> bool:
    """Whether torch.autograd batches a tensor (is_grads_batched): its vmap supports only one product per expert."""
    if torch.compiler.is_compiling():
        return False
    return any(map(torch._C._functorch.is_legacy_batchedtensor, tensors))


def _ranges(ends: Tensor, m: int) -> list[tuple[int, int]]:
    """Returns each expert's range of rows. Synchronizes if the ends are on a GPU."""
    bounds = [0, *(min(end, m) for end in ends.tolist())]
    return list(itertools.pairwise(bounds))


def _nobodys(ends: Tensor, m: int) -> int:
    return m - (min(int(ends[-1]), m) if ends.shape[0] else 0)


def _multiply(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    """torch's grouped product: rows of a matrix with the experts' matrices, or each expert's columns with its rows."""
    multiply = _multiply_as_laid if torch.compiler.is_compiling() else _multiply_aligned
    found: Tensor = multiply(left, right, ends)
    return found


def _multiply_aligned(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    if right.dim() == 2:  # with another layout, torch's kernel fails a GPU assertion for experts without rows
        left, right = _aligned(left.t().contiguous()).t(), _aligned(right.contiguous())
    else:
        left, right = _aligned(left), _aligned(right.mT).mT if right.stride(-2) == 1 else _aligned(right)
    return torch._grouped_mm(left, right, offs=ends.int())


# A custom op, because torch's compiler would choose other layouts for the operands.
@torch.library.custom_op("qfuse_torch::grouped_mm", mutates_args=())
def _multiply_as_laid(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    return _multiply_aligned(left, right, ends)


@_multiply_as_laid.register_fake
def _(left: Tensor, right: Tensor, ends: Tensor) -> Tensor:
    experts = () if right.dim() == 3 else (ends.shape[0],)
    return left.new_empty(*experts, left.shape[0], right.shape[-1])


def sums(tensor: Tensor, ends: Tensor) -> Tensor:
    """Sums each expert's rows: [m, n] to [E, n]."""
    ones = tensor.new_ones(tensor.shape[0], _VALUES_A_LOAD)
    return outer(ones, tensor, ends)[:, 0]


def without_nobodys(tensor: Tensor, ends: Tensor) -> Tensor:
    """Zeros a gradient's rows without an expert, which are uninitialized and would spoil sums over rows. Works in place
    unless a second gradient may be needed."""
    rows = torch.arange(tensor.shape[0], device=tensor.device)
    last = ends[-1] if ends.shape[0] else rows.new_zeros(())
    nobodys = (rows >= last)[:, None]
    is_fresh = not torch.is_grad_enabled() and not torch._C._are_functorch_transforms_active()
    return tensor.masked_fill_(nobodys, 0) if is_fresh else tensor.masked_fill(nobodys, 0)


def expert_of_rows(ends: Tensor, m: int) -> Tensor:
    """Returns the expert of each of m rows; for a row without an expert, an arbitrary one."""
    rows = torch.arange(m, dtype=ends.dtype, device=ends.device)
    return torch.searchsorted(ends, rows, right=True).clamp(max=ends.shape[0] - 1)


def _aligned(tensor: Tensor) -> Tensor:
    """Returns the tensor, or a copy, with contiguous rows aligned as torch's kernels need. Contiguous columns are
    copied, too, because each expert's rows would have to be aligned."""
    *_, step, inner = tensor.stride()
    is_aligned = inner == 1 and step >= tensor.shape[-1] and step % _VALUES_A_LOAD == 0
    # Dynamo does not support storage_offset; in compiled code torch refuses a misaligned tensor.
    if is_aligned and (torch.compiler.is_compiling() or tensor.storage_offset() % _VALUES_A_LOAD == 0):
        return tensor
    return tensor.clone(memory_format=torch.contiguous_format)


class _Tiles(NamedTuple):
    """m rows cut into tiles with rows of one expert each. The number of tiles is an upper bound for any distribution of
    rows to experts: an expert's last tile may be partial, and the last tiles may be empty."""

    rows: Tensor  # [tiles, _ROWS_A_TILE]: row numbers, 0 to m - 1
    has_row: Tensor  # [tiles, _ROWS_A_TILE]: whether the row belongs to the tile's expert
    experts: Tensor  # [tiles]: expert of each tile
    counts: Tensor  # [E]: number of tiles of each expert
    places: Tensor  # [m]: index of each row among the rows of all tiles


def _tiles_of(ends: Tensor, m: int) -> _Tiles:
    ends = ends.long().clamp(0, m).cummax(0).values  # on a GPU, invalid ends were not refused
    begins = pad(ends[:-1], (1, 0))
    last = ends.shape[0] - 1
    counts = (ends - begins + _ROWS_A_TILE - 1) // _ROWS_A_TILE
    tile_ends = counts.cumsum(0)
    first_rows = begins - (tile_ends - counts) * _ROWS_A_TILE  # tile t begins at first_rows[e] + t * _ROWS_A_TILE
    tiles = torch.arange(m // _ROWS_A_TILE + min(m, last + 1), device=ends.device)
    experts = torch.searchsorted(tile_ends, tiles, right=True).clamp(max=last)
    rows = (first_rows[experts] + tiles * _ROWS_A_TILE)[:, None] + torch.arange(_ROWS_A_TILE, device=ends.device)
    places = torch.arange(m, device=ends.device) - first_rows[expert_of_rows(ends, m)]
    places = places.clamp(0, rows.numel() - 1)  # keeps rows without an expert in range, too
    return _Tiles(rows.clamp(0, m - 1), rows < ends[experts][:, None], experts, counts, places)
