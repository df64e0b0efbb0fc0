"""Llamas with random weights for the benchmarks, and the attention of such models."""

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional

import qfuse

Multiply = Callable[[Tensor, Sequence[nn.Module]], Sequence[Tensor]]  # multiplies x by each of several layers
MakeLinear = Callable[[int, int], nn.Module]  # takes the numbers of inputs and outputs
Weights = Literal["nf4", "int4", "mxfp4", "nvfp4"]
WEIGHTS: tuple[Weights, ...] = get_args(Weights)


class Size(NamedTuple):
    """Sizes of a Llama. kv_heads divides heads, and heads divides hidden. Every width is whole blocks of 64, because
    for other widths bitsandbytes itself decodes wrong on some CPUs."""

    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    layers: int
    vocabulary: int  # reduced like the layers, so that the last layer keeps its real share of a step


SIZES = {
    "tiny": Size(128, 256, 4, 2, layers=2, vocabulary=512),
    "1b": Size(2048, 8192, 32, 8, layers=4, vocabulary=128256 * 4 // 16),  # Llama-3.2-1B, which has 16 layers
    "8b": Size(4096, 14336, 32, 8, layers=4, vocabulary=128256 * 4 // 32),  # Llama-3.1-8B, which has 32
}


def random_weight(shape: tuple[int, ...], device: str, weights: Weights = "nf4") -> qfuse.Weight4bit:
    """Returns nested NF4 in blocks of 64. Experts [experts, n, k] are one weight, as in qfuse.quantize_experts.

    Other formats have random codes, and scales that make a product about as large as its input: int4 in groups of 128
    with bf16 scales, nvfp4 with a global scale for each expert."""
    if weights == "nf4":
        dense = torch.randn(shape, dtype=torch.bfloat16, device=device) * shape[-1] ** -0.5
        return qfuse.Weight4bit(qfuse.ops.quantize_4bit_nested(dense, 64, "nf4"), shape, torch.bfloat16)
    block, root_mean_square = {"int4": (128, 4.64), "mxfp4": (32, 2.93), "nvfp4": (16, 2.93)}[weights]
    codes = torch.randint(256, (*shape[:-1], shape[-1] // 2), dtype=torch.uint8, device=device)
    size = shape[-1] ** -0.5 / root_mean_square
    scales = torch.rand(*shape[:-1], shape[-1] // block, device=device) + 0.5
    if weights == "nvfp4":
        factor = torch.full((shape[0] if len(shape) == 3 else 1,), size / 128, device=device)
        tensors: tuple[Tensor, ...] = (codes, (scales * 128).to(torch.float8_e4m3fn), factor)
    elif weights == "int4":
        tensors = codes, (scales * size).bfloat16()
    else:
        tensors = codes, (127 + math.log2(size) + scales.log2()).round().byte()
    return qfuse.Weight4bit(tensors, shape, torch.bfloat16, weights, block)


def norm(width: int, device: str) -> nn.RMSNorm:
    return nn.RMSNorm(width, eps=1e-5, dtype=torch.bfloat16, device=device).requires_grad_(False)


def one_by_one(x: Tensor, layers: Sequence[nn.Module]) -> Sequence[Tensor]:
    return [layer(x) for layer in layers]


# ---- attention ----


class Cache:
    """Keys and values of a layer, [batch, kv_heads, tokens, width], for all tokens. Those of the context are random."""

    def __init__(self, shape: tuple[int, int, int, int], context: int, device: str, dtype: torch.dtype) -> None:
        self.keys, self.values = (torch.zeros(shape, dtype=dtype, device=device) for _ in range(2))
        for kept in (self.keys, self.values):
            kept[:, :, :context].normal_()

    def add(self, position: Tensor, keys: Tensor, values: Tensor) -> None:
        self.keys.index_copy_(2, position, keys)
        self.values.index_copy_(2, position, values)


def turn(x: Tensor, position: Tensor) -> Tensor:
    """Applies the rotary position embedding to [..., tokens, width] at the positions [tokens]."""
    half = x.shape[-1] // 2
    frequencies = 500000.0 ** (-torch.arange(half, device=x.device) / half)
    angle = position[:, None] * frequencies
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    first, second = x[..., :half], x[..., half:]
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def attend_to_cache(q: Tensor, position: Tensor, cache: Cache) -> Tensor:
    """Attends one token per sequence, q [batch, heads, 1, width]. Heads that share keys become rows of one product."""
    rows = q.reshape(len(q), cache.keys.shape[1], -1, q.shape[-1])
    seen = (torch.arange(cache.keys.shape[2], device=q.device) <= position)[None]
    return functional.scaled_dot_product_attention(rows, cache.keys, cache.values, attn_mask=seen).reshape(q.shape)


class Attention(nn.Module):
    """Attention with heads of this width. q_norm and k_norm do nothing unless a model sets its own."""

    def __init__(self, hidden: int, heads: int, kv_heads: int, width: int, linear: MakeLinear) -> None:
        super().__init__()
        self.width = width
        self.q, self.o = linear(hidden, heads * width), linear(heads * width, hidden)
        self.k, self.v = (linear(hidden, kv_heads * width) for _ in range(2))
        self.q_norm: nn.Module = nn.Identity()
        self.k_norm: nn.Module = nn.Identity()
        self.multiply: Multiply = one_by_one

    def forward(self, x: Tensor, position: Tensor, cache: Cache | None) -> Tensor:
        """x: [batch * tokens, hidden] at positions [tokens]: one token per sequence, or sequences from position 0."""
        q, k, v = (
            y.view(len(x) // len(position), len(position), -1, self.width).transpose(1, 2)
            for y in self.multiply(x, (self.q, self.k, self.v))
        )
        q, k = turn(self.q_norm(q), position), turn(self.k_norm(k), position)
        if cache is not None:
            cache.add(position, k, v)
        if cache is not None and len(position) == 1:
            mixed = attend_to_cache(q, position, cache)
        else:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        found: Tensor = self.o(mixed.transpose(1, 2).reshape(len(x), -1))
        return found
