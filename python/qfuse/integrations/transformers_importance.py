"""The mean square of each input of a model's linear layers, by which `qfuse quantize --importance` chooses scales."""

from collections.abc import Iterable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from transformers.pytorch_utils import Conv1D


class _Squares:
    """The sum of the squares of a layer's inputs, [k] float64, and how many inputs it has seen."""

    def __init__(self) -> None:
        self.sum = torch.zeros((), dtype=torch.float64)
        self.count = 0

    def add(self, _: nn.Module, inputs: tuple[Any, ...], named: dict[str, Any]) -> None:
        (given,) = (*inputs, *named.values())
        x = given.detach().reshape(-1, given.shape[-1])
        self.sum = self.sum + x.double().square().sum(0)
        self.count += len(x)


def importance(model: nn.Module, batches: Iterable[Any]) -> dict[str, Tensor]:
    """Runs the model over `batches` and returns the mean square of each input of its linear layers.

    model: in evaluation mode. batches: of the text to calibrate by: mappings, which are the model's keywords, or single
    arguments such as input_ids. Every position counts, so leave out padding. docs/MODELS.md used 32,768 tokens.

    Returns float32 [k] on the CPU under the name of each weight: safetensors.torch.save_file writes what `qfuse
    quantize --importance` reads. Layers that no batch reaches are left out. Raises ValueError if there is no batch, or
    a mean square is not finite.
    """
    layers = {
        f"{name}.weight": (module, _Squares())
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear | Conv1D)
    }
    hooks = [module.register_forward_pre_hook(squares.add, with_kwargs=True) for module, squares in layers.values()]
    try:
        with torch.no_grad():
            for batch in batches:
                model(**batch) if isinstance(batch, Mapping) else model(batch)
    finally:
        for hook in hooks:
            hook.remove()
    found = {
        name: (squares.sum / squares.count).float().cpu() for name, (_, squares) in layers.items() if squares.count
    }
    if not found:
        raise ValueError("no batch reached a linear layer")
    for name, values in found.items():
        if not values.isfinite().all():
            raise ValueError(f"{name}: the mean square of an input is not finite")
    return found
