"""Shared by the tests of the peft integration: a small model with adapters, and a training step."""

import importlib

import pytest
import torch

peft = pytest.importorskip("peft")
bnb = pytest.importorskip("bitsandbytes")
LAYER = importlib.import_module("peft.tuners.lora.bnb").Linear4bit
ORIGINAL = LAYER.forward
HIDDEN, INNER = 128, 192
RANK, ALPHA = 6, 10
SETTINGS = dict(r=RANK, lora_alpha=ALPHA, target_modules=["up", "down"])


class Net(torch.nn.Module):
    """Two layers; only the second has a bias."""

    is_loaded_in_4bit = True  # peft recognizes 4-bit models by it

    def __init__(self, dtype=torch.bfloat16):
        super().__init__()
        kinds = dict(compute_dtype=dtype, quant_type="nf4")
        self.up = bnb.nn.Linear4bit(HIDDEN, INNER, bias=False, **kinds)
        self.down = bnb.nn.Linear4bit(INNER, HIDDEN, **kinds)

    def forward(self, x):
        return self.down(torch.nn.functional.silu(self.up(x)))


def make(device, dtype=torch.bfloat16, config=None, **more):
    """Returns a model with nonzero adapters."""
    torch.manual_seed(3)
    net = Net(dtype).to(dtype).to(device).train()
    model = peft.get_peft_model(net, config or peft.LoraConfig(**SETTINGS | more))
    randomize(model)
    return model


def randomize(model):
    torch.manual_seed(5)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(std=0.02)


def inputs(device, dtype=torch.bfloat16, tokens=24):
    torch.manual_seed(4)
    return torch.randn(2, tokens, HIDDEN, device=device, dtype=dtype)


def step(model, x, seed=6):
    """Returns the output and the gradients of a step, by name."""
    torch.manual_seed(seed)  # for dropouts
    leaf = x.clone().requires_grad_()
    model.zero_grad()
    y = model(leaf)
    y.float().square().mean().backward()
    grads = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    return {"y": y.detach(), "x": leaf.grad, **grads}


def checkpointed_step(model, x):
    """step() with activations of the whole model checkpointed."""
    inner, forward = model.base_model.model, model.base_model.model.forward
    inner.forward = lambda x: torch.utils.checkpoint.checkpoint(forward, x, use_reentrant=False)
    return step(model, x)


def distance(found, expected):
    return ((found.double() - expected.double()).norm() / expected.double().norm()).item()


def two_adapters(model):
    model.add_adapter("second", peft.LoraConfig(r=2, lora_alpha=6, target_modules=["up"], lora_dropout=0.1))
    randomize(model)
    model.base_model.set_adapter(["default", "second"])
