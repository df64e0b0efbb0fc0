"""Names of modules and parameters, without what others put into them."""

import re

PEFT = "base_model.model."  # what the names of a model of peft's begin with
_WRAPPERS = ("_checkpoint_wrapped_module.", "_orig_mod.", "_fsdp_wrapped_module.")
_LAYERS_OF_PEFT = ("base_layer.", "original_module.", "token_adapter.")


def without_wrappers(name: str) -> str:
    """As if no layer were checkpointed, compiled or wrapped by FSDP."""
    return _without(name, _WRAPPERS)


def name_in_base(name: str) -> str:
    """As if there were no adapter."""
    return _without(name.removeprefix(PEFT), _LAYERS_OF_PEFT)


def name_in_files(name: str) -> str:
    """That of the same parameter in the model's files, which a copy that peft trains as a whole has to begin with."""
    return name_in_base(re.sub(r"\.modules_to_save\.[^.]+\.", ".", without_wrappers(name)))


def _without(name: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        name = name.replace(part, "")
    return name
