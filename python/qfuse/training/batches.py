"""Batches of token sequences: which attention their mask and positions need, and rounding of their lengths."""

from enum import Enum, auto

import torch
from torch import Tensor


class Attention(Enum):
    """Kind of attention that a batch needs."""

    CAUSAL = auto()  # causal without a mask: any padding is on the right, where no token sees it
    MASKED = auto()  # needs a mask of padding tokens
    PACKED = auto()  # a row holds several sequences; attention must know where each starts


def attention_of(mask: Tensor | None, positions: Tensor | None, labels: Tensor | None = None) -> Attention:
    """Returns the kind of a batch. mask: [batch, tokens], 0 for padding. positions: [batch, tokens]; without a mask, a
    step between neighbors that is not 1 starts a sequence, as in transformers. labels: [batch, tokens]; if a padding
    token has a label other than -100, its own attention matters, too. Synchronizes if mask or positions are given."""
    if mask is not None:
        present = mask != 0
        is_causal = present[:, 0].all() & (present[:, :-1] | ~present[:, 1:]).all()
        if labels is not None and labels.shape == mask.shape:
            is_causal &= (present | (labels == -100)).all()
        return Attention.CAUSAL if bool(is_causal) else Attention.MASKED
    if positions is not None and bool((positions.diff(dim=-1) != 1).any()):
        return Attention.PACKED
    return Attention.CAUSAL


SHORTEST = 64
LENGTHS_AN_OCTAVE = 8


def round_up(tokens: int) -> int:
    """Rounds a length up to a multiple of 64, or of an eighth of the power of two below it if that is more, so that few
    lengths occur. At most a ninth of a long batch is padding."""
    octave = 1 << (max(tokens, 1).bit_length() - 1)
    multiple = max(SHORTEST, octave // LENGTHS_AN_OCTAVE)
    return -(-tokens // multiple) * multiple


def lengthen(tokens: Tensor, length: int, value: int | None) -> Tensor:
    """Pads [batch, tokens, ...] on the right with `value`, or if that is None, with the left neighbor + 1."""
    missing = length - tokens.shape[1]
    if missing <= 0:
        return tokens
    if value is None:
        steps = torch.arange(1, missing + 1, dtype=tokens.dtype, device=tokens.device)
        return torch.cat([tokens, tokens[:, -1:] + steps], 1)
    shape = (tokens.shape[0], missing, *tokens.shape[2:])
    return torch.cat([tokens, tokens.new_full(shape, value)], 1)
