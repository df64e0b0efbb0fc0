"""Registers modules under their former names, which pickles contain and other code may import."""

import sys
from types import ModuleType

from . import weight
from .integrations import transformers_experts
from .layers import experts, factors, linear
from .ops import functional, lora
from .patching import hook, patch

__all__: list[str] = []  # importing this module is enough

_MODULES: dict[str, ModuleType] = {
    "experts": experts,
    "factors": factors,
    "functional": functional,
    "integrations.experts": transformers_experts,
    "integrations.hook": hook,
    "integrations.patch": patch,
    "layers.stack": experts,
    "linear": linear,
    "lora": lora,
    "parameter": weight,
    "quant_state": weight,
}
for _name, _module in _MODULES.items():
    _parent, _, _leaf = f"{__package__}.{_name}".rpartition(".")
    sys.modules[f"{_parent}.{_leaf}"] = _module
    setattr(sys.modules[_parent], _leaf, _module)
