"""peft's LoRA layers with qfuse's forward, for peft.register: a module of its own, which imports peft and bitsandbytes.

The layers' names are those of peft's, parameters and all else are theirs, too.
"""

from typing import Any

import bitsandbytes
from peft.tuners.lora import bnb, layer
from torch import Tensor

from ..layers import linear
from .peft_forward import forward_of_any, forward_of_bnb


class Linear4bit(bnb.Linear4bit):  # type: ignore[misc]
    """Over a Linear4bit of bitsandbytes."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        y = forward_of_bnb(self, x, *args, **kwargs)
        return super().forward(x, *args, **kwargs) if y is None else y


class Linear(layer.Linear):  # type: ignore[misc]
    """Over a qfuse.nn.Linear4bit, whose weight is its parameter."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        y = forward_of_any(self, x, *args, **kwargs)
        return super().forward(x, *args, **kwargs) if y is None else y


LAYERS = {bitsandbytes.nn.Linear4bit: Linear4bit, linear.Linear4bit: Linear}
