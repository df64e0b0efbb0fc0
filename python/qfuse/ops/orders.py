"""In which order a product is added where none is asked for, or whether its weight is decoded to memory before it."""

import functools
import math
from collections.abc import Sequence
from operator import index
from typing import get_args

import torch
from torch import Tensor

from ..native import devices, library
from ..native.torch_ops import Direction, Order
from ..weight.form import FLOAT_DTYPES
from ..weight.weight_4bit import Weight4bit
from . import gradients, grouped_products, rotated_products

_MOST_ROWS_OF_TILES = 128  # fused_rows where a GPU has no Hopper's kernel for a product
_MOST_ROWS_OF_BITSANDBYTES = 1536  # with more, it decodes and calls cuBLAS on every GPU
_ROWS_OF_MANY_OUTPUTS = 64  # up to which `multistage` beats bitsandbytes' kernels, with so many outputs at least:
_MANY_OUTPUTS = 4096
_MOST_FUSED_ROWS = 256  # for which a product in INT8, whose weight is decoded to memory, is not thought of
_LEAST_GROUPED_ROWS = 16  # of an expert, for which decoding takes longer than a product of any kernel

_batch_invariant = False
_are_transforms_active = torch._C._are_functorch_transforms_active


def set_batch_invariant(enabled: bool) -> None:
    """Whether matmul_4bit, for all threads, adds in one order whatever the number of rows, and with gradients or
    without: a row of x then has one result, to the bit. False at first. An order that is given counts before it.
    """
    global _batch_invariant
    _batch_invariant = bool(enabled)


def batch_invariant() -> bool:
    """What set_batch_invariant has set."""
    return _batch_invariant


def advised_blocksize(weight: Weight4bit) -> int:
    """What the library's advice is asked for: MXFP4 has the kernels of blocks of 64."""
    return 64 if weight.quant_type == "mxfp4" else weight.blocksize


def default_order(x: Tensor, shape: Sequence[int], blocksize: int, bias: Tensor | None) -> Order | None:
    """Training adds in one order, whatever its batches; and a result beside which gradients are made, too."""
    if is_decoded(x, shape, blocksize):
        return None
    few_rows, _ = _ask_advice(x, shape, blocksize)
    is_plain = _batch_invariant or not _is_known(_rows(x) <= few_rows) or gradients.needs_gradient(x, bias)
    return "plain" if is_plain else "split"


def has_factored(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether the order "factored" can be had. Under a transform an outer level may need a gradient, which it lacks."""
    if not x.is_cuda or _are_transforms_active():
        return False
    return index(shape[1]) % 64 == 0 and index(blocksize) >= 64 and devices.find_tensor_cores(x.device.index, x.dtype)


def is_decoded(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether a GPU decodes the weight to memory first, where its fused kernel is slower, or, with a gradient and more
    than few rows, that of the other direction; that cannot be batched, as a transform may want."""
    if not x.is_cuda or _batch_invariant or _are_transforms_active():
        return False
    # A view may lack 16-byte alignment: there the op is slow, and right.
    few_rows, fused_rows = _ask_advice(x, shape, blocksize)
    if gradients.needs_gradient(x):
        fused_rows = max(few_rows, min(fused_rows, _ask_advice(x, shape, blocksize, "backward")[1]))
    return fused_rows < 0 or _is_known(_rows(x) > fused_rows)


def int8_order(x: Tensor, shape: Sequence[int], blocksize: int) -> Order | None:
    """ "rotated_int8" where it is asked for, has blocks in both directions, and is not slower than the fused product:
    where the weight would be decoded to memory anyway."""
    if any(index(size) % rotated_products.MULTIPLE for size in shape):
        return None
    is_one_order = _batch_invariant  # whose bits are those of any number of rows
    are_many = is_one_order or _is_known(_rows(x) > _MOST_FUSED_ROWS) or is_decoded(x, shape, blocksize)
    return "rotated_int8" if are_many else None


def is_slower_than_bitsandbytes(x: Tensor, shape: Sequence[int], blocksize: int) -> bool:
    """Whether bitsandbytes' own product is the faster one: on GPUs other than Hopper, with a gradient, or of more rows
    than "split" takes and 64 of many outputs, up to as many as it has kernels for; on Hopper for a single row that
    "split" cannot have. docs/PERFORMANCE.md has figures. Never where the order must not depend on the number of rows.
    """
    if not x.is_cuda or _batch_invariant:
        return False
    few_rows, fused_rows = _ask_advice(x, shape, blocksize)
    if fused_rows > _MOST_ROWS_OF_TILES:
        return few_rows == 0 and _is_known(_rows(x) == 1)
    has_multistage = few_rows > 0 and index(shape[0]) >= _MANY_OUTPUTS
    most_rows = max(few_rows, min(fused_rows, _ROWS_OF_MANY_OUTPUTS) if has_multistage else 0)
    is_fused = _is_known(_rows(x) <= most_rows) and not gradients.needs_gradient(x)
    return not is_fused and _is_known(_rows(x) <= _MOST_ROWS_OF_BITSANDBYTES)


def _ask_advice(x: Tensor, shape: Sequence[int], blocksize: int, direction: Direction = "forward") -> tuple[int, int]:
    """The most rows for the order "split", and for the fused product; these -1 where there are none."""
    device = x.device.index if x.is_cuda else None
    rows, cols = shape
    # A constant of compiled code depends on constants alone: index() makes one of a size that torch holds for variable.
    return _find_advice(device, x.dtype, index(rows), index(cols), index(blocksize), direction)


def _rows(x: Tensor) -> int:
    return math.prod(x.shape[:-1])


def _is_known(condition: bool) -> bool:
    """Of a number of rows. What is exported for any number must not ask for one: the fused product in its plain order
    is right for all."""
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


# Not itself cached: see devices.find_tensor_cores.
def _find_advice(
    device: int | None, dtype: torch.dtype, rows: int, cols: int, blocksize: int, direction: Direction = "forward"
) -> tuple[int, int]:
    return _read_advice(device, dtype, rows, cols, blocksize, direction)


_find_advice._dynamo_marked_constant = True  # type: ignore[attr-defined]


def default_order_grouped(x: Tensor, shape: Sequence[int], blocksize: int, splits_few: bool) -> Order | None:
    """By the rows of all experts, since how they are shared out lies on the GPU: what matmul_4bit has for their mean
    number, of those experts that can have any."""
    if _batch_invariant:
        return "plain"
    experts, m = shape[0], x.shape[0]
    few_rows, fused_rows = _ask_advice(x, shape[1:], blocksize)
    # Of one weight decoding is faster with about twice as many rows as fused_rows. Of experts it takes longer: all are
    # decoded, and torch's product makes uneven tiles, too: on an H100 until about 1024 rows an expert.
    many = 4 * max(fused_rows, _LEAST_GROUPED_ROWS) * experts
    if grouped_products.has_kernel(x, *shape) and _is_known(m > many):
        return None
    # On an H100 "plain", with tiles of 64 rows, is as fast as "split" from a mean of one row per expert.
    few = min(experts, few_rows * experts) if x.is_cuda else few_rows * min(experts, m)
    return "split" if splits_few and _is_known(m <= few) else "plain"
