"""torch modules over bitsandbytes' 4-bit weights."""

from .layers.experts import Experts4bit, GroupedLinear4bit, clamped_swiglu
from .layers.linear import Linear4bit
from .layers.linear_lora import Linear4bitLoRA

__all__ = ["Experts4bit", "GroupedLinear4bit", "Linear4bit", "Linear4bitLoRA", "clamped_swiglu"]
