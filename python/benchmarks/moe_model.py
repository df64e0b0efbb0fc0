"""A mixture of experts of a few layers shaped as those of Qwen3-30B-A3B, with random weights, and the ways to multiply
by its experts."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mixtures
import torch
from llamas import Cache, attend_to_cache, turn
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

import qfuse

RANK, SCALING = 16, 2.0
Multiply = Callable[[Tensor, "Stack", Tensor], Tensor]  # of rows sorted by expert, and the rows' ends


class Shape(NamedTuple):
    size: mixtures.Size
    heads: int
    kv_heads: int
    width: int  # of a head
    vocabulary: int


QWEN3 = Shape(mixtures.SIZES["qwen3-30b-a3b"], 32, 4, 128, vocabulary=12672)  # of 151936, 4 layers' share of 48
TINY = Shape(mixtures.SIZES["tiny"], 4, 2, 32, vocabulary=256)


class Stack(nn.Module):
    """A layer of all experts, with an adapter, over weights in 4 bits, in bf16 or both."""

    def __init__(self, shape: tuple[int, int, int], device: str, kinds: Sequence[str]) -> None:
        super().__init__()
        stack = mixtures.random_stack(shape, device)
        self.stack = stack if "4-bit" in kinds else None
        self.dense = stack.dequantize() if "bf16" in kinds else None
        experts, n, k = shape
        self.lora_a = nn.Parameter(torch.randn(experts, RANK, k, device=device) * k**-0.5)
        self.lora_b = nn.Parameter(torch.zeros(experts, n, RANK, device=device))

    @property
    def weight(self) -> qfuse.Weight4bit:
        assert self.stack is not None
        return self.stack

    def stored_bytes(self, in_bf16: bool) -> int:
        return self.dense.nbytes if in_bf16 and self.dense is not None else mixtures.stored_bytes(self.weight)


def frozen(inputs: int, outputs: int, device: str) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=False, device=device, dtype=torch.bfloat16).requires_grad_(False)
    nn.init.normal_(layer.weight, std=inputs**-0.5)
    return layer


def norm(width: int, device: str) -> nn.RMSNorm:
    return nn.RMSNorm(width, eps=1e-6, dtype=torch.bfloat16, device=device).requires_grad_(False)


class Attention(nn.Module):
    def __init__(self, shape: Shape, device: str) -> None:
        super().__init__()
        self.width, hidden = shape.width, shape.size.hidden
        self.q = frozen(hidden, shape.heads * shape.width, device)
        self.k, self.v = (frozen(hidden, shape.kv_heads * shape.width, device) for _ in range(2))
        self.o = frozen(shape.heads * shape.width, hidden, device)
        self.q_norm, self.k_norm = (norm(shape.width, device) for _ in range(2))

    def forward(self, x: Tensor, position: Tensor, cache: Cache | None) -> Tensor:
        """x [tokens, hidden]: one sequence, or with a cache a token of each."""
        q, k, v = (
            layer(x).view(-1, len(position), layer.out_features // self.width, self.width).transpose(1, 2)
            for layer in (self.q, self.k, self.v)
        )
        q, k = turn(self.q_norm(q), position), turn(self.k_norm(k), position)
        if cache is None:
            mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        else:
            cache.add(position, k, v)
            mixed = attend_to_cache(q, position, cache)
        found: Tensor = self.o(mixed.transpose(1, 2).reshape(len(x), -1))
        return found


class Experts(nn.Module):
    """As transformers' grouped_mm computes them, but for the products, which are `multiply`'s."""

    def __init__(self, size: mixtures.Size, device: str, kinds: Sequence[str]) -> None:
        super().__init__()
        self.size = size
        self.router = frozen(size.hidden, size.experts, device)
        self.gate_up, self.down = (Stack(shape, device, kinds) for shape in size.stacks.values())
        self.multiply: Multiply  # by whoever makes a model

    def route(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Of each sorted row, which of tokens and their experts it is, and its share; and the rows' ends."""
        shares, chosen = self.router(x).float().softmax(-1).topk(self.size.top)
        order, ends = mixtures.sort_by_expert(chosen, self.size.experts)
        shares = shares / shares.sum(-1, keepdim=True)
        return order, shares.reshape(-1)[order, None].to(x.dtype), ends

    def forward(self, x: Tensor) -> Tensor:
        order, shares, ends = self.route(x)
        gate, up = self.multiply(x[order // self.size.top], self.gate_up, ends).chunk(2, -1)
        y = self.multiply(functional.silu(gate) * up, self.down, ends) * shares
        place = torch.empty_like(order)
        place[order] = torch.arange(len(order), device=x.device)
        return y[place].view(len(x), self.size.top, -1).sum(1)


class Layer(nn.Module):
    def __init__(self, shape: Shape, device: str, kinds: Sequence[str]) -> None:
        super().__init__()
        self.attention, self.experts = Attention(shape, device), Experts(shape.size, device, kinds)
        self.norms = nn.ModuleList(norm(shape.size.hidden, device) for _ in range(2))

    def forward(self, x: Tensor, position: Tensor, cache: Cache | None = None) -> Tensor:
        x = x + self.attention(self.norms[0](x), position, cache)
        mixed: Tensor = x + self.experts(self.norms[1](x))
        return mixed


class Model(nn.Module):
    def __init__(self, shape: Shape, layers: int, device: str, kinds: Sequence[str]) -> None:
        super().__init__()
        torch.manual_seed(mixtures.SEED)
        self.embedding = torch.randn(shape.vocabulary, shape.size.hidden, device=device).bfloat16()
        self.layers = nn.ModuleList(Layer(shape, device, kinds) for _ in range(layers))
        self.norm, self.head = norm(shape.size.hidden, device), frozen(shape.size.hidden, shape.vocabulary, device)

    def experts(self) -> list[Experts]:
        return [module for module in self.modules() if isinstance(module, Experts)]

    def multiplying(self, multiply: Multiply) -> "Model":
        for experts in self.experts():
            experts.multiply = multiply
        return self

    def adapters(self) -> list[nn.Parameter]:
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def through_layers(self, x: Tensor, position: Tensor, caches: Sequence[Cache]) -> Tensor:
        """A token of each sequence."""
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, position, cache)
        return x

    def loss(self, tokens: Tensor) -> Tensor:
        x = self.embedding[tokens].requires_grad_()  # so that the first layer has gradients as all others
        position = torch.arange(len(tokens), device=tokens.device)
        for layer in self.layers:
            x = checkpoint(layer, x, position, use_reentrant=False, preserve_rng_state=False)
        logits = self.head(self.norm(x))[:-1]
        return functional.cross_entropy(logits.float(), tokens[1:])


# ---- the ways to multiply ----


def grouped_mm(x: Tensor, matrices: Tensor | None, ends: Tensor) -> Tensor:
    """matrices: [experts, n, k]"""
    assert matrices is not None
    return torch._grouped_mm(x, matrices.to(x.dtype).mT, offs=ends)


def with_adapter(product: Tensor, x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
    low = grouped_mm(x, layer.lora_a, ends) * SCALING
    return product + grouped_mm(low, layer.lora_b, ends)


def one_by_one(x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
    rows = x.split(mixtures.counts_of(ends))
    factors = mixtures.experts_of(layer.weight), layer.lora_a, layer.lora_b
    return torch.cat(
        [
            qfuse.matmul_4bit_lora(own, single, a, b, SCALING, order="plain")
            for own, single, a, b in zip(rows, *factors, strict=True)
        ]
    )


def exact(x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
    """In float64; A and B are rounded as they are for all."""
    products = []
    for own, single, a, b in zip(
        x.double().split(mixtures.counts_of(ends)),
        mixtures.experts_of(layer.weight),
        layer.lora_a.to(x.dtype).double(),
        layer.lora_b.to(x.dtype).double(),
        strict=True,
    ):
        products.append(own @ single.dequantize().double().t() + SCALING * (own @ a.t()) @ b.t())
    return torch.cat(products)


MULTIPLY: dict[str, Multiply] = {
    "bf16": lambda x, layer, ends: with_adapter(grouped_mm(x, layer.dense, ends), x, layer, ends),
    "decode": lambda x, layer, ends: with_adapter(grouped_mm(x, layer.weight.dequantize(), ends), x, layer, ends),
    "qfuse": lambda x, layer, ends: qfuse.matmul_4bit_grouped_lora(
        x, layer.weight, ends, layer.lora_a, layer.lora_b, SCALING
    ),
    "one by one": one_by_one,
}
GENERATING: dict[str, Multiply] = {
    "bf16": lambda x, layer, ends: grouped_mm(x, layer.dense, ends),
    "qfuse, split": lambda x, layer, ends: qfuse.matmul_4bit_grouped(x, layer.weight, ends, order="split"),
    "qfuse, factored": lambda x, layer, ends: qfuse.matmul_4bit_grouped(x, layer.weight, ends, order="factored"),
}


def touched_bytes(model: Model, way: str, step: Callable[[], Any], caches: Sequence[Cache]) -> int:
    """Of a step: the caches, attention's and the routers' weights, and the experts that have rows."""
    touched = [cache.keys.nbytes + cache.values.nbytes for cache in caches]
    touched += [parameter.nbytes for parameter in model.layers.parameters() if not parameter.requires_grad]

    def multiply(x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
        counts = mixtures.counts_of(ends)
        touched.append(layer.stored_bytes(way == "bf16") * sum(count > 0 for count in counts) // len(counts))
        return GENERATING[way](x, layer, ends)

    model.multiplying(multiply)
    step()
    model.multiplying(GENERATING[way])
    return sum(touched)
