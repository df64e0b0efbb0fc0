"""The layers of a model of transformers as regions of torch.compile, where no CUDA graph can hold them: under FSDP2 a
layer's parameters lie elsewhere in each step, and its gradients are exchanged between kernels. What a layer launches is
then one call of Python's instead of hundreds, and its norms, RoPE and activation are fused."""

from collections.abc import Callable

import torch
from torch import nn
from transformers.modeling_layers import GradientCheckpointingLayer


def layers_of(backbone: nn.Module) -> list[nn.Module]:
    """That are compiled each by itself: the code of one serves all that are alike."""
    return [each for each in backbone.modules() if isinstance(each, GradientCheckpointingLayer)]


def why_not(backbone: nn.Module) -> str | None:
    """Why layers are not compiled unasked."""
    if any("experts" in name.split(".") for name, _ in backbone.named_modules()):
        return "experts choose their tokens in each batch anew"
    return None if layers_of(backbone) else "it has no layers that transformers can checkpoint"


def compile_layers(backbone: nn.Module) -> Callable[[], None]:
    """In place, before or after fully_shard; returns what undoes it. A layer that is compiled already stays so."""
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
