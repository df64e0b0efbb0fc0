"""Linear layers by torchao, int4 in groups of 64, and what their error may be. Needs torchao 0.18.

On a GPU the products are torch's tinygemm, which torchao calls for weights in this packing; those that it packs for
mslk, its default, are another library's. On a CPU they are torch's tinygemm for CPUs.
"""

import importlib.util
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

GROUP = 64
ROWS = 16  # of the products that are compared


def is_there() -> bool:
    return importlib.util.find_spec("torchao") is not None


def configuration(device: str) -> Any:
    """The inductor's settings, which torchao would change for the whole process, stay the same for all models."""
    if device == "cpu":
        from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig

        return PrototypeInt4WeightOnlyConfig(group_size=GROUP, set_inductor_config=False)
    from torchao.quantization import Int4WeightOnlyConfig

    return Int4WeightOnlyConfig(group_size=GROUP, int4_packing_format="tile_packed_to_4d", set_inductor_config=False)


def quantize(layers: nn.Module, device: str) -> None:
    """The linear layers in place."""
    from torchao.quantization import quantize_

    quantize_(layers, configuration(device))


def linear_layers(layers: nn.Module) -> Iterator[tuple[str, nn.Linear]]:
    return ((name, layer) for name, layer in layers.named_modules() if isinstance(layer, nn.Linear))


def largest_error(weight: Tensor) -> float:
    """Relative, of a weight each of whose elements is off by half a step: a group's range has 15 steps."""
    low, high = weight.view(-1, GROUP).aminmax(dim=1)
    half_steps = (high - low) / 30
    return float(half_steps.norm() * GROUP**0.5 / weight.norm())


def find_faults(layers: nn.Module, in_int4: nn.Module) -> list[str]:
    """Of products with random rows: they have the weight's relative error, on average 0.58 of the largest."""
    faults = []
    for (name, layer), (_, other) in zip(linear_layers(layers), linear_layers(in_int4), strict=True):
        if type(other.weight) is nn.Parameter:
            faults.append(f"torchao left {name} as it was")
        x = torch.randn(ROWS, layer.in_features, dtype=torch.bfloat16, device=layer.weight.device)
        weight = layer.weight.float()
        expected = x.float() @ weight.T
        error, allowed = float((other(x) - expected).norm() / expected.norm()), largest_error(weight)
        if not error <= allowed:  # NaN is wrong, too
            faults.append(f"{name} of torchao has an error of {error:.2e}, half a step is {allowed:.2e}")
    return faults
