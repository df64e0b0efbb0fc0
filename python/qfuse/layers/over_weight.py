"""Base class of modules over a 4-bit weight that is not a parameter, but can become one."""

from typing import Any

from torch import nn

from ..weight.tensor import is_one_tensor, parameter_of
from ..weight.weight_4bit import Weight4bit


class OverWeight(nn.Module):
    """A module over a 4-bit weight, `base`. Its state_dict contains only the adapter.

    Moving the module to a device moves the weight; changing its dtype, such as by module.half(), does not affect it.
    """

    base: Any  # a Weight4bit, or a Weight4bitTensor parameter, whose quant_state is the Weight4bit

    @property
    def weight_4bit(self) -> Weight4bit:
        """The current weight. If FSDP shards it as a parameter, it is available only in the module's forward."""
        found: Weight4bit = self.base if isinstance(self.base, Weight4bit) else self.base.quant_state
        return found

    @property
    def quant_type(self) -> str:
        base = getattr(self.base, "_local_tensor", self.base)  # local part of a DTensor
        found: str = base.quant_type if isinstance(base, Weight4bit) else base.form.quant_type
        return found

    def make_base_a_parameter(self) -> None:
        """Makes the weight a parameter, so that FSDP shards it."""
        if isinstance(self.base, Weight4bit):
            base = parameter_of(self.base)  # may raise, before anything changes
            del self.__dict__["base"]
            self.register_parameter("base", base)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Implements to(), cuda(), half() and the like: moves the weight, but keeps its scales in float32."""
        super()._apply(fn, recurse)
        if isinstance(self.base, Weight4bit):
            self.base = self.base.to(fn(self.base.packed.new_empty(0)).device)
        return self

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if not is_one_tensor():
            destination.pop(f"{prefix}base", None)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        super()._load_from_state_dict(state_dict, prefix, *args)
        missing = args[2]
        if f"{prefix}base" in missing:
            missing.remove(f"{prefix}base")
