"""Batches of token sequences: what their mask and positions ask of attention, and lengths that repeat."""

from enum import Enum, auto

import torch
from torch import Tensor


class Attention(Enum):
    """What attention over a batch has to know."""

    CAUSAL = auto()  # no token sees a padding token, because padding is on the right, if there is some: no mask
    MASKED = auto()  # which tokens are padding
    PACKED = auto()  # where sequences begin, several of which are in a row


def attention_of(mask: Tensor | None, positions: Tensor | None, labels: Tensor | None = None) -> Attention:
    """mask: [batch, tokens], 0 where a token is padding. positions: [batch, tokens]; without a mask, a step between
    neighbours that is not 1 begins a sequence, as transformers has it. labels: [batch, tokens]; where padding has one
    that is not -100, what padding itself attends to counts, too. Waits for the GPU, if mask or positions are given."""
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
    """To a length that repeats: multiples of 64, and of an eighth of the power of two below where that is more. So at
    most a ninth of a long batch is padding."""
    octave = 1 << (max(tokens, 1).bit_length() - 1)
    multiple = max(SHORTEST, octave // LENGTHS_AN_OCTAVE)
    return -(-tokens // multiple) * multiple


def lengthen(tokens: Tensor, length: int, value: int | None) -> Tensor:
    """[batch, tokens, ...] with more tokens on the right, of this value, or else each its left neighbour + 1."""
    missing = length - tokens.shape[1]
    if missing <= 0:
        return tokens
    if value is None:
        steps = torch.arange(1, missing + 1, dtype=tokens.dtype, device=tokens.device)
        return torch.cat([tokens, tokens[:, -1:] + steps], 1)
    shape = (tokens.shape[0], missing, *tokens.shape[2:])
    return torch.cat([tokens, tokens.new_full(shape, value)], 1)
