"""Compiles each layer of a transformers model with torch.compile where CUDA graphs are impossible: under FSDP2 a
layer's parameters move in each step, and gradients are exchanged between kernels. A layer then takes one Python call
instead of hundreds, and its norms, RoPE and activation are fused."""

from collections.abc import Callable

import torch
from torch import nn
from transformers.modeling_layers import GradientCheckpointingLayer


def layers_of(backbone: nn.Module) -> list[nn.Module]:
    """Returns the layers to compile, each separately: layers that are alike share one compiled code."""
    return [each for each in backbone.modules() if isinstance(each, GradientCheckpointingLayer)]


def why_not(backbone: nn.Module) -> str | None:
    """Returns why layers are not compiled by default, or None."""
    if any("experts" in name.split(".") for name, _ in backbone.named_modules()):
        return "experts choose their tokens in each batch anew"
    return None if layers_of(backbone) else "it has no layers that transformers can checkpoint"


def compile_layers(backbone: nn.Module) -> Callable[[], None]:
    """Compiles layers in place, before or after fully_shard; skips compiled ones. Returns a function to undo it."""
    compiled = [each for each in layers_of(backbone) if each._compiled_call_impl is None]
    for layer in compiled:
        layer.compile()

    def undo() -> None:
        for layer in compiled:
            layer._compiled_call_impl = None

    return undo


def several_processes() -> bool:
    has_group = torch.distributed.is_available() and torch.distributed.is_initialized()
    return has_group and torch.distributed.get_world_size() > 1
