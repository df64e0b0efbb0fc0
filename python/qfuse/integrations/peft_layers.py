"""peft's LoRA layers with qfuse's forward, for peft.register. Separate because it imports peft and bitsandbytes.

The classes have the names of peft's, and inherit parameters and everything else.
"""

from typing import Any

import bitsandbytes
from peft.tuners.lora import bnb, layer
from torch import Tensor

from ..layers import linear, packed_linear
from .peft_forward import forward_of_any, forward_of_bnb


class Linear4bit(bnb.Linear4bit):  # type: ignore[misc]
    """LoRA layer over a bitsandbytes Linear4bit."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        y = forward_of_bnb(self, x, *args, **kwargs)
        return super().forward(x, *args, **kwargs) if y is None else y


class Linear(layer.Linear):  # type: ignore[misc]
    """LoRA layer over a qfuse.nn.Linear4bit, whose weight is its parameter, or a PackedLinear."""

    def forward(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        y = forward_of_any(self, x, *args, **kwargs)
        return super().forward(x, *args, **kwargs) if y is None else y


LAYERS = {bitsandbytes.nn.Linear4bit: Linear4bit, linear.Linear4bit: Linear, packed_linear.PackedLinear: Linear}
