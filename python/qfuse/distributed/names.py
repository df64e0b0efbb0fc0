"""Names of modules and parameters without the parts that wrappers and peft add."""

import re

PEFT = "base_model.model."  # prefix of all names in a peft model
_WRAPPERS = ("_checkpoint_wrapped_module.", "_orig_mod.", "_fsdp_wrapped_module.")
_LAYERS_OF_PEFT = ("base_layer.", "original_module.", "token_adapter.")


def without_wrappers(name: str) -> str:
    """Removes the parts that activation checkpointing, torch.compile and FSDP add."""
    return _without(name, _WRAPPERS)


def name_in_base(name: str) -> str:
    """Removes the parts that peft adds: the name in the model without adapters."""
    return _without(name.removeprefix(PEFT), _LAYERS_OF_PEFT)


def name_in_files(name: str) -> str:
    """Name of the parameter in the model's files. A copy that peft trains whole (modules_to_save) starts from it."""
    return name_in_base(re.sub(r"\.modules_to_save\.[^.]+\.", ".", without_wrappers(name)))


def _without(name: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        name = name.replace(part, "")
    return name
