"""Models and training for the tests of several ranks."""

import copy
import os
from typing import Any

import torch
from torch import Tensor, nn

import qfuse
from qfuse.nn import Experts4bit, Linear4bit, Linear4bitLoRA

WIDTH, INNER = 256, 512
DEVICE = os.environ.get("QFUSE_RANKS_DEVICE", "cpu")  # device of the ranks of distributed_cases.py


def weight(n: int, k: int, seed: int, nested: bool = True, blocksize: int = 64, quant_type: Any = "nf4") -> Any:
    dense = torch.randn(n, k, generator=torch.Generator().manual_seed(seed)) / k**0.5
    quantize = qfuse.ops.quantize_4bit_nested if nested else qfuse.ops.quantize_4bit
    tensors = quantize(dense.bfloat16().to(DEVICE), blocksize, quant_type)
    return qfuse.Weight4bit(tensors, (n, k), torch.bfloat16, quant_type, blocksize)


def lora(
    n: int, k: int, seed: int, dtype: torch.dtype = torch.float32, bias: bool = False, **options: Any
) -> nn.Module:
    generator = torch.Generator().manual_seed(seed)
    own_bias = torch.randn(n, generator=generator).to(DEVICE) if bias else None
    layer = Linear4bitLoRA(weight(n, k, seed, **options), rank=8, alpha=16, bias=own_bias, dtype=dtype)
    for factor in (layer.lora_A, layer.lora_B):
        factor.weight.data.copy_(torch.randn(factor.weight.shape, generator=generator) * 0.05)
    return layer


class Block(nn.Module):
    """Half of a decoder layer: up and down, each with an adapter, and an unquantized norm."""

    def __init__(self, seed: int, **options: Any) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(WIDTH, device=DEVICE)
        self.norm.weight.requires_grad_(False)
        self.up = lora(INNER, WIDTH, 10 * seed, **options)
        self.down = lora(WIDTH, INNER, 10 * seed + 1, **options)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(nn.functional.silu(self.up(self.norm(x).to(x.dtype))))


class Model(nn.Module):
    def __init__(self, depth: int = 2, **options: Any) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Block(seed, nested=seed % 2 == 0, **options) for seed in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x


class Plain(nn.Module):
    """Layers without adapters; their input gradients train the scale in front of them."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH, device=DEVICE))
        self.up, self.down = Linear4bit(weight(INNER, WIDTH, 1)), Linear4bit(weight(WIDTH, INNER, 2, nested=False))

    def forward(self, x: Tensor) -> Tensor:
        return self.down(nn.functional.silu(self.up((x * self.scale).to(x.dtype))))


def mxfp4(seed: int, *shape: int) -> qfuse.Weight4bit:
    generator = torch.Generator().manual_seed(seed)
    codes = torch.randint(256, (*shape[:-1], shape[-1] // 2), dtype=torch.uint8, generator=generator)
    scales = torch.randint(120, 124, (*shape[:-1], shape[-1] // 32), dtype=torch.uint8, generator=generator)
    return qfuse.Weight4bit((codes, scales), shape, torch.bfloat16, "mxfp4", 32)


def int4(seed: int, *shape: int) -> qfuse.Weight4bit:
    codes, scales = mxfp4(seed, *shape).tensors
    return qfuse.Weight4bit((codes, scales.bfloat16() / 10000), shape, torch.bfloat16, "int4", 32)


def experts(seed: int = 0, rank: int = 4, count: int = 4, packed: Any = None) -> Experts4bit:
    """packed: mxfp4 or int4."""
    generator = torch.Generator().manual_seed(seed)
    gate_up = torch.randn(count, 2 * 64, 128, generator=generator).bfloat16() / 11
    down = torch.randn(count, 128, 64, generator=generator).bfloat16() / 8
    bias = torch.randn(count, 128, generator=generator).bfloat16()
    stacks: Any = (packed(0, count, 128, 128), packed(1, count, 128, 64)) if packed else (gate_up, down)
    made = Experts4bit(*(stack.to(DEVICE) for stack in stacks), down_bias=bias.to(DEVICE), rank=rank)
    for stack in (made.gate_up_proj, made.down_proj):
        for factor in (stack.lora_A, stack.lora_B):
            if factor is not None:
                factor.data.copy_(torch.randn(factor.shape, generator=generator) * 0.05)
    return made


def batch(tokens: int = 16, width: int = WIDTH, seed: int = 0) -> Tensor:
    return torch.randn(tokens, width, generator=torch.Generator().manual_seed(seed)).bfloat16().to(DEVICE)


def train(model: nn.Module, x: Tensor, steps: int = 3) -> list[float]:
    """Returns the loss of each step."""
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    return train_with(model, optimizer, x, steps)


def train_with(model: nn.Module, optimizer: torch.optim.Optimizer, x: Tensor, steps: int) -> list[float]:
    losses = []
    for _ in range(steps):
        loss = model(x).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def gradients(model: nn.Module, x: Tensor) -> dict[str, Tensor]:
    """Returns gradients of a copy by name, without what checkpoint_wrapper and torch.compile add to names."""
    from qfuse.distributed.names import name_in_files

    model = copy.deepcopy(model)
    model(x).float().square().mean().backward()
    return {name_in_files(name): whole(p.grad) for name, p in model.named_parameters() if p.grad is not None}


def whole(tensor: Any) -> Tensor:
    found: Tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return found


def assert_same(found: dict[str, Tensor], expected: dict[str, Tensor]) -> None:
    assert found.keys() == expected.keys() and found
    for name, tensor in expected.items():
        assert torch.equal(found[name], tensor), name
