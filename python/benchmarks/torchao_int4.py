"""Linear layers of torchao in int4, groups of 64, and the bound of their error. Needs torchao 0.18.

On a GPU the products are torch's tinygemm, which torchao calls for weights in this packing. Weights packed for mslk,
torchao's default, use another library. On a CPU the products are torch's tinygemm for CPUs.
"""

import importlib.util
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

GROUP = 64
ROWS = 16  # of the compared products


def is_there() -> bool:
    return importlib.util.find_spec("torchao") is not None


def configuration(device: str) -> Any:
    """Keeps the inductor's settings, which torchao would change for the whole process, equal for all models."""
    if device == "cpu":
        from torchao.prototype.quantization.int4 import PrototypeInt4WeightOnlyConfig

        return PrototypeInt4WeightOnlyConfig(group_size=GROUP, set_inductor_config=False)
    from torchao.quantization import Int4WeightOnlyConfig

    return Int4WeightOnlyConfig(group_size=GROUP, int4_packing_format="tile_packed_to_4d", set_inductor_config=False)


def quantize(layers: nn.Module, device: str) -> None:
    """Quantizes the linear layers in place."""
    from torchao.quantization import quantize_

    quantize_(layers, configuration(device))


def linear_layers(layers: nn.Module) -> Iterator[tuple[str, nn.Linear]]:
    return ((name, layer) for name, layer in layers.named_modules() if isinstance(layer, nn.Linear))


def largest_error(weight: Tensor) -> float:
    """Returns the relative error of a weight whose elements are all off by half a step. A group's range is 15 steps."""
    low, high = weight.view(-1, GROUP).aminmax(dim=1)
    half_steps = (high - low) / 30
    return float(half_steps.norm() * GROUP**0.5 / weight.norm())


def find_faults(layers: nn.Module, in_int4: nn.Module) -> list[str]:
    """Checks products with random rows. They have the weight's relative error, on average 0.58 of the largest."""
    faults = []
    for (name, layer), (_, other) in zip(linear_layers(layers), linear_layers(in_int4), strict=True):
        if type(other.weight) is nn.Parameter:
            faults.append(f"torchao left {name} as it was")
        x = torch.randn(ROWS, layer.in_features, dtype=torch.bfloat16, device=layer.weight.device)
        weight = layer.weight.float()
        expected = x.float() @ weight.T
        error, allowed = float((other(x) - expected).norm() / expected.norm()), largest_error(weight)
        if not error <= allowed:  # NaN is a fault, too
            faults.append(f"{name} of torchao has an error of {error:.2e}, half a step is {allowed:.2e}")
    return faults
