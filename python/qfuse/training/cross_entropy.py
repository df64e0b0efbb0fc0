"""Cross-entropy of a language model's head in chunks of tokens, so that the logits are never whole in memory.

A vocabulary of 128,256 entries takes 257 kB of bf16 logits per token, and four times as much again for a float32 copy
and its gradient. Here a chunk's gradient overwrites its logits and is multiplied by the weight at once, so that the
backward pass only multiplies by a scalar.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

try:
    from . import cross_entropy_triton as kernels
except ImportError:  # without Triton, as on a machine without a GPU
    kernels = None  # type: ignore[assignment]

CHUNK_BYTES = 1 << 27  # logits per chunk: 512 tokens in bf16 for a vocabulary of 128,256
MULTIPLE_OF_TOKENS = 64  # tokens per chunk are a multiple of it, to fill the tiles of a product


class Logits(NamedTuple):
    """Transformation of the head's product to logits: z = product * scale, then softcap * tanh(z / softcap). A softcap
    of 0 means none."""

    scale: float = 1.0
    softcap: float = 0.0


UNCHANGED = Logits()


def linear_cross_entropy(
    hidden: Tensor, weight: Tensor, labels: Tensor, ignore_index: int = -100, logits: Logits = UNCHANGED
) -> Tensor:
    """Returns the sum of -log softmax(hidden @ weight.T)[label] over the tokens whose label is not ignore_index.

    hidden: [..., K], the head's input; its gradient is computed with the loss. weight: [vocabulary, K], without a
    gradient. labels: int64 [...], hidden's shape without its last dimension, already shifted. Products are in hidden's
    dtype, or autocast's; softmax, loss and sum are in float32, and gradients are rounded once from it.

    Returns a float32 scalar, which is NaN if a label is neither ignore_index nor in the vocabulary.
    """
    if weight.requires_grad:
        raise ValueError("linear_cross_entropy makes no gradient of the weight: detach it, or multiply by it yourself")
    if labels.shape != hidden.shape[:-1]:
        raise ValueError(
            f"labels have shape {list(labels.shape)}, hidden of {list(hidden.shape)} needs one for a token"
        )
    kind = hidden.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else hidden.dtype
    rows = hidden.reshape(-1, hidden.shape[-1]).to(dtype)
    loss: Tensor = _LinearCrossEntropy.apply(
        rows, weight.to(dtype), labels.reshape(-1).contiguous(), ignore_index, logits
    )
    return loss


def rows_of_a_chunk(vocabulary: int, element_size: int) -> int:
    rows = CHUNK_BYTES // (vocabulary * element_size)
    return max(rows // MULTIPLE_OF_TOKENS, 1) * MULTIPLE_OF_TOKENS


class _LinearCrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor, ignore_index: int, logits: Logits) -> Tensor:
        losses = hidden.new_empty(len(hidden), dtype=torch.float32)
        needs_gradient = ctx.needs_input_grad[0]
        gradient = torch.empty_like(hidden) if needs_gradient else None
        step = rows_of_a_chunk(len(weight), hidden.element_size())
        with torch.autocast(hidden.device.type, enabled=False):
            for begin in range(0, len(hidden), step):
                chunk = slice(begin, begin + step)
                products = hidden[chunk] @ weight.T
                losses[chunk] = cross_entropy_(products, labels[chunk], ignore_index, logits)
                if gradient is not None:
                    torch.mm(products, weight, out=gradient[chunk])
        if gradient is not None:
            ctx.save_for_backward(gradient)
        return losses.sum()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, of_loss: Tensor) -> tuple[Tensor | None, ...]:
        (gradient,) = ctx.saved_tensors
        return gradient * of_loss, None, None, None, None


def cross_entropy_(products: Tensor, labels: Tensor, ignore_index: int, logits: Logits) -> Tensor:
    """Returns the loss of each row of products [M, N], and overwrites products by their gradients."""
    if kernels is not None and products.is_cuda:
        return kernels.cross_entropy_(products, labels, ignore_index, logits.scale, logits.softcap)
    z = products.float() * logits.scale
    if logits.softcap:
        z = torch.tanh(z / logits.softcap) * logits.softcap
    is_counted = labels != ignore_index
    is_wrong = is_counted & ((labels < 0) | (labels >= products.shape[1]))
    places = labels.where(is_counted & ~is_wrong, 0).unsqueeze(1)
    normalizer = torch.logsumexp(z, 1, keepdim=True)
    loss = (normalizer - z.gather(1, places)).squeeze(1)
    slope = logits.scale if not logits.softcap else logits.scale * (1 - (z / logits.softcap).square())
    probabilities = torch.exp(z - normalizer)
    probabilities.scatter_add_(1, places, probabilities.new_full((), -1.0).expand(places.shape))
    products.copy_(torch.where(is_counted.unsqueeze(1), probabilities * slope, 0.0))
    return torch.where(is_counted, loss, 0.0).masked_fill(is_wrong, torch.nan)
