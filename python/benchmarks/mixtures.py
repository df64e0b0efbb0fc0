"""The mixtures of experts that the benchmarks make, with random weights, and tokens as a router shares them out."""

from typing import NamedTuple

import torch
from torch import Tensor

import qfuse

SEED = 1
SKEW = 0.6  # standard deviation of what an expert's logits have over others'
BLOCKSIZE, NESTED_BLOCKSIZE = 64, 256


class Size(NamedTuple):
    """An expert's blocks are whole nested blocks, so that a part of a nested stack is a nested weight."""

    experts: int
    top: int  # experts of a token
    hidden: int
    intermediate: int

    @property
    def stacks(self) -> dict[str, tuple[int, int, int]]:
        """The shapes of an expert's layers, gate and up as one, [experts, n, k]."""
        return {
            "gate_up": (self.experts, 2 * self.intermediate, self.hidden),
            "down": (self.experts, self.hidden, self.intermediate),
        }


SIZES = {
    "tiny": Size(4, 2, 128, 128),
    "qwen3-30b-a3b": Size(128, 8, 2048, 768),
    "mixtral-8x7b": Size(8, 2, 4096, 14336),
}


def random_stack(shape: tuple[int, int, int], device: str) -> qfuse.Weight4bit:
    """NF4, nested as one, as qfuse.quantize_experts stores it."""
    dense = torch.randn(shape, dtype=torch.bfloat16, device=device) * shape[-1] ** -0.5
    tensors = qfuse.ops.quantize_4bit_nested(dense, BLOCKSIZE, "nf4", NESTED_BLOCKSIZE)
    return qfuse.Weight4bit(tensors, shape, torch.bfloat16)


def experts_of(stack: qfuse.Weight4bit) -> list[qfuse.Weight4bit]:
    """Each as a weight of its own, which shares the stack's memory."""
    experts, *shape = stack.shape
    *parts, quant_map, offset = stack.tensors
    singles = zip(*(part.flatten().chunk(experts) for part in parts), strict=True)
    return [stack._replace(tensors=(*single, quant_map, offset), shape=tuple(shape)) for single in singles]


def stored_bytes(stack: qfuse.Weight4bit) -> int:
    return sum(tensor.nbytes for tensor in stack.tensors)


def route(tokens: int, size: Size, device: str) -> Tensor:
    """The experts [tokens, top] of each token: where a normal bias of the expert's and Gumbel noise are largest, which
    is to draw by the softmax of the biases."""
    generator = torch.Generator().manual_seed(SEED)
    bias = SKEW * torch.randn(size.experts, generator=generator)
    noise = -torch.empty(tokens, size.experts).exponential_(generator=generator).log()
    return (bias + noise).topk(size.top).indices.to(device)


def sort_by_expert(chosen: Tensor, experts: int) -> tuple[Tensor, Tensor]:
    """Of [tokens, top], which of its elements is in each sorted row, and the row behind each expert's last one."""
    ids, order = chosen.reshape(-1).sort(stable=True)
    of_each = torch.arange(experts, device=ids.device)
    return order, torch.searchsorted(ids, of_each, right=True, out_int32=True)


def counts_of(ends: Tensor) -> list[int]:
    """The rows of each expert; waits for a GPU."""
    return ends.diff(prepend=ends.new_zeros(1)).tolist()
