"""Keeps the inputs of a model's checkpointed layers in host memory between the forward and the backward pass."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from ..ops.gradients import is_watched
from ..training.offload import CudaCopies, Offload
from .transformers_graphs import checkpointed, replace_forward


def offload(backbone: nn.Module, copies: Callable[[torch.device], Any] = CudaCopies) -> Callable[[], None]:
    """Offloads the backbone's checkpoints; returns a function to undo it. copies: tests without a GPU pass another."""
    whole = backbone.forward
    kept: dict[torch.device, Offload] = {}

    def forward(*args: Any, **kwargs: Any) -> Any:
        layers = checkpointed(backbone.modules())
        if not layers or not backbone.training or not torch.is_grad_enabled() or is_watched():
            return whole(*args, **kwargs)
        device = next(layers[0].parameters()).device
        if copies is CudaCopies and device.type != "cuda":
            return whole(*args, **kwargs)
        if device not in kept:
            kept[device] = Offload(copies(device))
        with ExitStack() as stack:
            stack.enter_context(kept[device].forward())
            for layer in layers:
                function = partial(_within_hooks, kept[device], layer._gradient_checkpointing_func)
                stack.enter_context(patch.object(layer, "_gradient_checkpointing_func", function))
            return whole(*args, **kwargs)

    return replace_forward(backbone, forward)


def _within_hooks(kept: Offload, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with kept.hooks():
        return function(*args, **kwargs)
