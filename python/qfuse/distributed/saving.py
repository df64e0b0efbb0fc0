"""Makes save_pretrained of a model with 4-bit weights sharded by FSDP2 raise an error that says what to do. Without it,
save_pretrained reads the memory of sharded parameters, and torch's error is just `invalid python storage`."""

import sys
from typing import Any

from ..patching.patch import Patch, Patches
from ..weight.tensor import Weight4bitTensor


def _refuse_parts(self: Any, *args: Any, state_dict: Any = None, **kwargs: Any) -> None:
    """Raises ValueError on every calling rank before anything is written, unless a gathered state_dict is passed."""
    parts = (getattr(parameter, "_local_tensor", None) for parameter in self.parameters())
    if state_dict is None and any(isinstance(part, Weight4bitTensor) for part in parts):
        raise ValueError(
            "FSDP2 has shared out this model, of which each rank has a part: call qfuse.distributed.save(model, path) "
            "on all ranks, with base=True for the 4-bit weights too, and then qfuse.distributed.consolidate(path, out) "
            "on one; or save_pretrained(out, state_dict=state) on one with a state that all have gathered by "
            "get_model_state_dict, full_state_dict=True and ignore_frozen_params=True"
        )


_SAVING = {
    module: Patches(Patch(module, name, _refuse_parts))
    for module, name in (
        ("peft.peft_model", "PeftModel.save_pretrained"),
        ("transformers.modeling_utils", "PreTrainedModel.save_pretrained"),
    )
}


def cover_saving() -> None:
    """Patches save_pretrained of the libraries that are loaded, permanently."""
    for module, patches in _SAVING.items():
        if module in sys.modules:
            patches.enable()
