"""What modules over a 4-bit weight have in common that is no parameter of theirs, but may become one."""

from typing import Any

from torch import nn

from ..weight.tensor import is_one_tensor, parameter_of
from ..weight.weight_4bit import Weight4bit


class OverWeight(nn.Module):
    """A module over a weight, `base`, whose state_dict is an adapter's alone.

    Moving the module takes the weight along; a change of dtype, as by module.half(), leaves it as it is.
    """

    base: Any  # a Weight4bit, or a parameter that is a Weight4bitTensor, which has its fields in quant_state

    @property
    def weight_4bit(self) -> Weight4bit:
        """The weight as it is now: of a parameter that FSDP shares out, in the module's forward alone."""
        found: Weight4bit = self.base if isinstance(self.base, Weight4bit) else self.base.quant_state
        return found

    @property
    def quant_type(self) -> str:
        base = getattr(self.base, "_local_tensor", self.base)  # of a DTensor
        found: str = base.quant_type if isinstance(base, Weight4bit) else base.form.quant_type
        return found

    def make_base_a_parameter(self) -> None:
        """For FSDP, which shares out parameters."""
        if isinstance(self.base, Weight4bit):
            base = parameter_of(self.base)  # which may refuse it
            del self.__dict__["base"]
            self.register_parameter("base", base)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        """Of to(), cuda(), half() and their like: the weight's scales are float32 whatever becomes of the rest."""
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
