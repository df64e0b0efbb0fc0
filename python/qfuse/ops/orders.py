"""Chooses the default summation order of a product, or to decode its weight to memory first."""

import functools
import math
from collections.abc import Sequence
from operator import index
from typing import get_args

import torch
from torch import Tensor

from ..native import devices, library
from ..native.torch_ops import Direction, Order, Orders
from ..weight.form import FLOAT_DTYPES, QUANT_TYPES
from ..weight.weight_4bit import Weight4bit
from . import gradients, grouped_products, rotated_products

_MOST_ROWS_OF_TILES = 128  # largest fused_rows of a product without a Hopper kernel
_MORE_ROWS, _MORE_COLS = 16384, 4096  # a weight larger by these is fused for more rows than that on Hopper
_MOST_ROWS_OF_BITSANDBYTES = 1536  # with more rows, bitsandbytes decodes and calls cuBLAS on every GPU
_MOST_FUSED_ROWS = 256  # up to this many rows, INT8 products, which decode the weight to memory, are not considered
_MOST_COLS_OF_PLAIN = 256  # up to this K, "plain" is faster on an H200 (2.7 us, and 2.9), from 512 on slower (3.4, 3.1)
_LEAST_GROUPED_ROWS = 16  # up to this many rows per expert, decoding is slower than any fused kernel

_batch_invariant = False
_are_transforms_active = torch._C._are_functorch_transforms_active


def set_batch_invariant(enabled: bool) -> None:
    """Sets, for all threads, whether matmul_4bit sums in one order for any number of rows, with or without gradients: a
    row of x then has the same result, to the bit. Initially False. An explicit order takes precedence.
    """
    global _batch_invariant
    _batch_invariant = bool(enabled)


def batch_invariant() -> bool:
    """Returns the setting of set_batch_invariant."""
    return _batch_invariant


def advised_blocksize(weight: Weight4bit) -> int:
    """Returns the block size to ask the library's advice for: formats with scales of rows use the kernels for blocks of
    64."""
    return weight.blocksize if weight.quant_type in QUANT_TYPES else 64


def default_orders(x: Tensor, shape: Sequence[int], blocksize: int, bias: Tensor | None) -> Orders:
    """Returns the orders of a product and of x's gradient, each the fastest in its own direction: None if the weight is
    decoded, "split" for few rows without a gradient, or "plain": the one order of training."""
    is_one_order = _batch_invariant or gradients.needs_gradient(x, bias)
    if not is_one_order and _is_known(_rows(x) <= _ask_advice(x, shape, blocksize)[0]):
        return "split", "split"
    return orders_of_training(x, shape, blocksize)


def orders_of_training(x: Tensor, shape: Sequence[int], blocksize: int) -> Orders:
    """default_orders without "split": the kernel for few rows has neither a gradient nor LoRA."""
    order: Order | None = None if is_decoded(x, shape, blocksize) else "plain"
    if not gradients.needs_gradient(x):
        return order, order
    return order, None if is_decoded(x, shape, blocksize, "backward") else "plain"


def has_factored(x: Tensor, weight: Weight4bit) -> bool:
    """Whether the order "factored" is supported: not under a transform, because an outer level may need a gradient."""
    if not x.is_cuda or _are_transforms_active() or weight.quant_type not in QUANT_TYPES:
        return False
    has_blocks = index(weight.shape[1]) % 64 == 0 and index(weight.blocksize) >= 64
    return has_blocks and devices.find_tensor_cores(x.device.index, x.dtype)


def is_decoded(x: Tensor, shape: Sequence[int], blocksize: int, direction: Direction = "forward") -> bool:
    """Whether a GPU decodes the weight to memory first, because its fused kernel of that direction is slower. Not under
    transforms, which cannot batch it."""
    if not x.is_cuda or _batch_invariant or _are_transforms_active():
        return False
    # Alignment is not checked: for a view without 16-byte alignment the op is slow but correct.
    fused_rows = _ask_advice(x, shape, blocksize, direction)[1]
    return fused_rows < 0 or _is_known(_rows(x) > fused_rows)


def int8_order(x: Tensor, shape: Sequence[int], blocksize: int) -> Order | None:
    """Returns "rotated_int8" if both sizes are multiples of its block and it is not slower than the fused product, that
    is, if the weight would be decoded to memory anyway, in each direction; otherwise None."""
    if any(index(size) % rotated_products.MULTIPLE for size in shape):
        return None
    is_one_order = _batch_invariant  # the choice must not depend on the number of rows
    are_many = is_one_order or _is_known(_rows(x) > _MOST_FUSED_ROWS)
    are_many = are_many or orders_of_training(x, shape, blocksize) == (None, None)
    return "rotated_int8" if are_many else None


def is_slower_than_bitsandbytes(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether bitsandbytes' own product is faster, or may be. On GPUs other than Hopper: without "split"; for a single
    row with a gradient; and for more than 128 rows, if fused products of 128 beat decoding, for as many as bitsandbytes
    has kernels for. On Hopper: for a single row without "split", unless K is small. Never with set_batch_invariant. See
    docs/PERFORMANCE.md.
    """
    if not x.is_cuda or _batch_invariant:
        return False
    few_rows, fused_rows = _ask_advice(x, shape, blocksize)
    if _has_hopper_kernel(x, shape, blocksize):
        return few_rows == 0 and index(shape[1]) > _MOST_COLS_OF_PLAIN and _is_known(_rows(x) == 1)
    is_timed = fused_rows < _MOST_ROWS_OF_TILES or _is_known(_rows(x) <= _MOST_ROWS_OF_TILES)
    is_single = _is_known(_rows(x) == 1) and gradients.needs_gradient(x)
    return (few_rows == 0 or is_single or not is_timed) and _is_known(_rows(x) <= _MOST_ROWS_OF_BITSANDBYTES)


def _ask_advice(x: Tensor, shape: Sequence[int], blocksize: int, direction: Direction = "forward") -> tuple[int, int]:
    """Returns the largest numbers of rows for the order "split", and for "plain" where "split" is not used; the latter
    -1 for none."""
    device = x.device.index if x.is_cuda else None
    rows, cols = shape
    # A constant in compiled code may depend only on constants: index() makes one from a size that torch takes as
    # dynamic.
    return _find_advice(device, x.dtype, index(rows), index(cols), index(blocksize), direction)


def _has_hopper_kernel(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether Hopper's kernels take the weight. They take sizes by their divisibility, which a larger weight shares."""
    larger = index(shape[0]) + _MORE_ROWS, index(shape[1]) + _MORE_COLS
    return _ask_advice(x, larger, blocksize)[1] > _MOST_ROWS_OF_TILES


def _rows(x: Tensor) -> int:
    return math.prod(x.shape[:-1])


def _is_known(condition: bool) -> bool:
    """Evaluates a condition on the number of rows. An export for any number of rows must not depend on one: there it
    returns false, and the fused product in plain order is correct for all numbers."""
    if not torch.compiler.is_exporting():
        return condition
    from torch.fx.experimental.symbolic_shapes import statically_known_true

    return bool(statically_known_true(condition))


@functools.cache
def _read_advice(
    device: int | None, dtype: torch.dtype, rows: int, cols: int, blocksize: int, direction: Direction
) -> tuple[int, int]:
    kind = library.Device(library.CPU, 0) if device is None else library.Device(library.CUDA, device)
    turn = get_args(Direction).index(direction)
    return library.matmul_4bit_advice(kind, FLOAT_DTYPES.index(dtype), turn, rows, cols, blocksize)


# Not cached itself: see devices.find_tensor_cores.
def _find_advice(
    device: int | None, dtype: torch.dtype, rows: int, cols: int, blocksize: int, direction: Direction = "forward"
) -> tuple[int, int]:
    return _read_advice(device, dtype, rows, cols, blocksize, direction)


_find_advice._dynamo_marked_constant = True  # type: ignore[attr-defined]


def default_order_grouped(x: Tensor, shape: Sequence[int], blocksize: int, splits_few: bool) -> Order | None:
    """Chooses by the total number of rows, because the experts' ends are on the GPU: as matmul_4bit would for the mean
    number of rows, over the experts that can have any."""
    if _batch_invariant:
        return "plain"
    experts, m = shape[0], x.shape[0]
    few_rows, plain_rows = _ask_advice(x, shape[1:], blocksize)
    fused_rows = max(few_rows, plain_rows)
    # For one weight, decoding is faster from about twice fused_rows on. For experts it pays later, because all of them
    # are decoded and torch's product has uneven tiles: on an H100 from about 1024 rows per expert, of any size.
    on_hopper = _has_hopper_kernel(x, shape[1:], blocksize)
    most_rows = _MOST_FUSED_ROWS if on_hopper else max(min(fused_rows, _MOST_FUSED_ROWS), _LEAST_GROUPED_ROWS)
    many = 4 * most_rows * experts
    if grouped_products.has_kernel(x, *shape) and _is_known(m > many):
        return None
    # On Hopper "plain", with tiles of 64 rows, is faster from a mean of one row per expert: on an H200, gpt-oss-20b's
    # experts take 97 and 58 us, and 118 and 62 in "split".
    few = min(experts - (1 if on_hopper else 0), few_rows * experts) if x.is_cuda else few_rows * min(experts, m)
    return "split" if splits_few and _is_known(m <= few) else "plain"
