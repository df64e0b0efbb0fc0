"""A MoE model of a few layers with a published model's shapes and random weights, tokens distributed as by a router,
and several ways to multiply by the experts."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import mxfp4_of_unsloth
import torch
from llamas import Attention, Cache, Weights, norm, random_weight
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

import qfuse

SEED = 1
SKEW = 0.6  # standard deviation of each expert's bias in the router's logits
RANK, SCALING = 16, 2.0


class Size(NamedTuple):
    experts: int
    top: int  # experts per token
    hidden: int
    intermediate: int

    @property
    def stacks(self) -> dict[str, tuple[int, int, int]]:
        """Shapes [experts, n, k] of the two stacks; gate and up are one."""
        return {
            "gate_up": (self.experts, 2 * self.intermediate, self.hidden),
            "down": (self.experts, self.hidden, self.intermediate),
        }


SIZES = {
    "tiny": Size(4, 2, 128, 128),
    "qwen3-30b-a3b": Size(128, 8, 2048, 768),
    "mixtral-8x7b": Size(8, 2, 4096, 14336),
    "gpt-oss-20b": Size(32, 4, 2880, 2880),
    "gpt-oss-120b": Size(128, 4, 2880, 2880),
}


def experts_of(stack: qfuse.Weight4bit) -> list[qfuse.Weight4bit]:
    """Returns each expert as a weight. Decodes nested absmax: an expert may not fill whole nested blocks."""
    experts, *shape = stack.shape
    packed, absmax, *globals_each = stack.tensors
    if stack.nested:
        globals_each = []
        _, codes, nested_absmax, quant_map, offset = stack.tensors
        absmax = qfuse.ops.dequantize_blockwise(codes, nested_absmax, quant_map, 256, torch.float32) + offset
    arrays = (packed.flatten(), absmax.flatten(), *globals_each)
    singles = zip(*(array.chunk(experts) for array in arrays), strict=True)
    return [stack._replace(tensors=single, shape=tuple(shape)) for single in singles]


# ---- rows of experts ----


def route(tokens: int, size: Size, device: str) -> Tensor:
    """Chooses the experts [tokens, top] of each token: the largest sums of a normal bias per expert and Gumbel noise,
    which draws from the softmax of the biases."""
    generator = torch.Generator().manual_seed(SEED)
    bias = SKEW * torch.randn(size.experts, generator=generator)
    noise = -torch.empty(tokens, size.experts).exponential_(generator=generator).log()
    return (bias + noise).topk(size.top).indices.to(device)


def sort_by_expert(chosen: Tensor, experts: int) -> tuple[Tensor, Tensor]:
    """For `chosen` [tokens, top]: the index of the element in each sorted row, and the row after each expert's last."""
    ids, order = chosen.reshape(-1).sort(stable=True)
    of_each = torch.arange(experts, device=ids.device)
    return order, torch.searchsorted(ids, of_each, right=True, out_int32=True)


def counts_of(ends: Tensor) -> list[int]:
    """Returns the number of rows of each expert. Synchronizes a GPU."""
    return ends.diff(prepend=ends.new_zeros(1)).tolist()


# ---- the model ----


class Shape(NamedTuple):
    size: Size
    heads: int
    kv_heads: int
    width: int  # of a head
    layers: int  # of the whole model
    vocabulary: int  # reduced in proportion to 4 layers


SHAPES = {
    "qwen3-30b-a3b": Shape(SIZES["qwen3-30b-a3b"], 32, 4, 128, layers=48, vocabulary=12672),  # of 151936
    "gpt-oss-20b": Shape(SIZES["gpt-oss-20b"], 64, 8, 64, layers=24, vocabulary=33536),  # of 201088
    "gpt-oss-120b": Shape(SIZES["gpt-oss-120b"], 64, 8, 64, layers=36, vocabulary=22400),
    "tiny": Shape(SIZES["tiny"], 4, 2, 32, layers=48, vocabulary=256),
}


class Stack(nn.Module):
    """A layer of all experts with an adapter, with weights in 4 bits, in bf16 or in both."""

    def __init__(self, shape: tuple[int, int, int], device: str, kinds: Sequence[str], weights: Weights) -> None:
        super().__init__()
        stack = random_weight(shape, device, weights)
        self.stack = stack if "4-bit" in kinds else None
        self.dense = stack.dequantize() if "bf16" in kinds else None
        experts, n, k = shape
        self.lora_a = nn.Parameter(torch.randn(experts, RANK, k, device=device) * k**-0.5)
        self.lora_b = nn.Parameter(torch.zeros(experts, n, RANK, device=device))

    @property
    def weight(self) -> qfuse.Weight4bit:
        assert self.stack is not None
        return self.stack

    def stored_bytes(self) -> int:
        if self.stack is not None:
            return sum(tensor.nbytes for tensor in self.stack.tensors)
        return 0 if self.dense is None else self.dense.nbytes


def frozen(inputs: int, outputs: int, device: str) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=False, device=device, dtype=torch.bfloat16).requires_grad_(False)
    nn.init.normal_(layer.weight, std=inputs**-0.5)
    return layer


class Experts(nn.Module):
    """Computes like transformers' grouped_mm, but with `multiply` for the products."""

    def __init__(self, size: Size, device: str, kinds: Sequence[str], weights: Weights) -> None:
        super().__init__()
        self.size = size
        self.router = frozen(size.hidden, size.experts, device)
        self.gate_up, self.down = (Stack(shape, device, kinds, weights) for shape in size.stacks.values())
        self.multiply: Multiply  # set by Model.multiplying

    def forward(self, x: Tensor) -> Tensor:
        shares, chosen = self.router(x).float().softmax(-1).topk(self.size.top)
        order, ends = sort_by_expert(chosen, self.size.experts)
        shares = (shares / shares.sum(-1, keepdim=True)).reshape(-1)[order, None].to(x.dtype)
        gate, up = self.multiply(x[order // self.size.top], self.gate_up, ends).chunk(2, -1)
        y = self.multiply(functional.silu(gate) * up, self.down, ends) * shares
        place = torch.empty_like(order)
        place[order] = torch.arange(len(order), device=x.device)
        return y[place].view(len(x), self.size.top, -1).sum(1)


class Layer(nn.Module):
    def __init__(self, shape: Shape, device: str, kinds: Sequence[str], weights: Weights) -> None:
        super().__init__()
        hidden = shape.size.hidden
        self.attention = Attention(
            hidden, shape.heads, shape.kv_heads, shape.width, lambda inputs, outputs: frozen(inputs, outputs, device)
        )
        self.attention.q_norm, self.attention.k_norm = (norm(shape.width, device) for _ in range(2))
        self.experts = Experts(shape.size, device, kinds, weights)
        self.norms = nn.ModuleList(norm(hidden, device) for _ in range(2))

    def forward(self, x: Tensor, position: Tensor, cache: Cache | None = None) -> Tensor:
        x = x + self.attention(self.norms[0](x), position, cache)
        mixed: Tensor = x + self.experts(self.norms[1](x))
        return mixed


class Model(nn.Module):
    def __init__(self, shape: Shape, layers: int, device: str, kinds: Sequence[str], weights: Weights = "nf4") -> None:
        super().__init__()
        torch.manual_seed(SEED)
        self.embedding = torch.randn(shape.vocabulary, shape.size.hidden, device=device).bfloat16()
        self.layers = nn.ModuleList(Layer(shape, device, kinds, weights) for _ in range(layers))
        self.norm, self.head = norm(shape.size.hidden, device), frozen(shape.size.hidden, shape.vocabulary, device)

    def multiplying(self, multiply: "Multiply") -> "Model":
        for module in self.modules():
            if isinstance(module, Experts):
                module.multiply = multiply
        return self

    def adapters(self) -> list[nn.Parameter]:
        return [parameter for parameter in self.parameters() if parameter.requires_grad]

    def through_layers(self, x: Tensor, position: Tensor, caches: Sequence[Cache]) -> Tensor:
        """Runs one token of each sequence."""
        for layer, cache in zip(self.layers, caches, strict=True):
            x = layer(x, position, cache)
        return x

    def loss(self, tokens: Tensor) -> Tensor:
        x = self.embedding[tokens].requires_grad_()  # so that the first layer has gradients like all others
        position = torch.arange(len(tokens), device=tokens.device)
        for layer in self.layers:
            x = checkpoint(layer, x, position, use_reentrant=False, preserve_rng_state=False)
        logits = self.head(self.norm(x))[:-1]
        return functional.cross_entropy(logits.float(), tokens[1:])


# ---- the ways to multiply ----

Multiply = Callable[[Tensor, Stack, Tensor], Tensor]  # x sorted by expert, the stack, and the experts' ends


def grouped_mm(x: Tensor, matrices: Tensor | None, ends: Tensor) -> Tensor:
    """matrices: [experts, n, k]"""
    assert matrices is not None
    return torch._grouped_mm(x, matrices.to(x.dtype).mT, offs=ends)


def with_adapter(product: Tensor, x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
    low = grouped_mm(x, layer.lora_a, ends) * SCALING
    return product + grouped_mm(low, layer.lora_b, ends)


def one_by_one(x: Tensor, layer: Stack, ends: Tensor) -> Tensor:
    rows = x.split(counts_of(ends))
    factors = experts_of(layer.weight), layer.lora_a, layer.lora_b
    return torch.cat(
        [
            qfuse.matmul_4bit_lora(own, single, a, b, SCALING, order="plain")
            for own, single, a, b in zip(rows, *factors, strict=True)
        ]
    )


MULTIPLY: dict[str, Multiply] = {
    "bf16": lambda x, layer, ends: with_adapter(grouped_mm(x, layer.dense, ends), x, layer, ends),
    "decode": lambda x, layer, ends: with_adapter(grouped_mm(x, layer.weight.dequantize(), ends), x, layer, ends),
    "qfuse": lambda x, layer, ends: qfuse.matmul_4bit_grouped_lora(
        x, layer.weight, ends, layer.lora_a, layer.lora_b, SCALING
    ),
    "unsloth": lambda x, layer, ends: with_adapter(mxfp4_of_unsloth.product_of(x, ends)(layer.weight), x, layer, ends),
    "one by one": one_by_one,
}
GENERATING: dict[str, Multiply] = {
    "bf16": lambda x, layer, ends: grouped_mm(x, layer.dense, ends),
    "qfuse, split": lambda x, layer, ends: qfuse.matmul_4bit_grouped(x, layer.weight, ends, order="split"),
    "qfuse, factored": lambda x, layer, ends: qfuse.matmul_4bit_grouped(x, layer.weight, ends, order="factored"),
}
