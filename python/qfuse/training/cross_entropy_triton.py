"""Cross-entropy of rows of logits and its gradient in Triton. A program computes one row, which it reads twice."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 8192  # logits that a program holds at once
WARPS = 16


@triton.jit
def _logits(at, is_there, scale, softcap, HAS_SOFTCAP: tl.constexpr):
    z = tl.load(at, mask=is_there, other=-float("inf")).to(tl.float32) * scale
    if HAS_SOFTCAP:  # tanh from exp, because Triton has no tanh
        z = tl.where(is_there, softcap * (1.0 - 2.0 / (tl.exp(2.0 * z / softcap) + 1.0)), -float("inf"))
    return z


@triton.jit
def _cross_entropy(
    rows, stride, labels, losses, count, ignore_index, scale, softcap, HAS_SOFTCAP: tl.constexpr, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    label = tl.load(labels + row)
    at = rows + row * stride
    columns = tl.arange(0, BLOCK)
    if label == ignore_index:
        for begin in range(0, count, BLOCK):
            tl.store(at + begin + columns, 0.0, mask=begin + columns < count)
        tl.store(losses + row, 0.0)
        return
    largest = -float("inf")
    total = 0.0
    # The label's logit is taken from the loaded values: read from memory later, another thread may have overwritten it
    # by its gradient.
    of_label = 0.0
    for begin in range(0, count, BLOCK):
        column = begin + columns
        z = _logits(at + column, column < count, scale, softcap, HAS_SOFTCAP)
        before = largest
        of_label += tl.sum(tl.where(column == label, z, 0.0), 0)
        largest = tl.maximum(largest, tl.max(z, 0))
        total = total * tl.exp(before - largest) + tl.sum(tl.exp(z - largest), 0)
    normalizer = largest + tl.log(total)
    is_known = (label >= 0) & (label < count)
    tl.store(losses + row, tl.where(is_known, normalizer - of_label, float("nan")))
    for begin in range(0, count, BLOCK):
        column = begin + columns
        z = _logits(at + column, column < count, scale, softcap, HAS_SOFTCAP)
        gradient = (tl.exp(z - normalizer) - tl.where(column == label, 1.0, 0.0)) * scale
        if HAS_SOFTCAP:
            gradient = gradient * (1.0 - (z / softcap) * (z / softcap))
        tl.store(at + column, gradient, mask=column < count)


def cross_entropy_(products: Tensor, labels: Tensor, ignore_index: int, scale: float, softcap: float) -> Tensor:
    losses = torch.empty(len(products), dtype=torch.float32, device=products.device)
    count = products.shape[1]
    if len(products):
        with torch.cuda.device(products.device):
            _cross_entropy[(len(products),)](
                products,
                products.stride(0),
                labels,
                losses,
                count,
                ignore_index,
                scale,
                softcap,
                HAS_SOFTCAP=softcap != 0.0,
                BLOCK=min(BLOCK, triton.next_power_of_2(count)),
                num_warps=WARPS,
            )
    return losses
