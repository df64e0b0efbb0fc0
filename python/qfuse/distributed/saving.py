"""save_pretrained of a model whose 4-bit weights FSDP2 has shared out says what to do: by itself it reads the memory of
what each rank has a part of, and torch's error says `invalid python storage`."""

import sys
from typing import Any

from ..patching.patch import Patch, Patches
from ..weight.tensor import Weight4bitTensor


def _refuse_parts(self: Any, *args: Any, state_dict: Any = None, **kwargs: Any) -> None:
    """On each rank that calls it, before anything is written. Who has gathered a state_dict passes it."""
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
    """Of the libraries that are loaded, for good."""
    for module, patches in _SAVING.items():
        if module in sys.modules:
            patches.enable()
