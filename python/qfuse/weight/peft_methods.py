"""Finds the peft method that asks a 4-bit parameter for something unsupported, so that the error can name it."""

import sys
from types import FrameType
from typing import NamedTuple

_TUNERS = "peft.tuners."
# Names as in peft's documentation; all others are their folder's name in capitals. LoRA's variants and initializations
# are recognized by the module's or function's name.
_SPELLED = {
    "delora": "DeLoRA",
    "dora": "DoRA",
    "eva": "EVA",
    "hira": "HiRA",
    "loha": "LoHa",
    "lokr": "LoKr",
    "lora": "LoRA",
    "miss": "MiSS",
    "olora": "OLoRA",
    "pissa": "PiSSA",
    "shira": "SHiRA",
}


class Asking(NamedTuple):
    method: str
    merges: bool


def asking() -> Asking | None:
    """Looks for peft's functions on the call stack. Returns None if there are none."""
    frame: FrameType | None = sys._getframe(1)
    method, merges = None, False
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith(_TUNERS):
            over_parameter = type(frame.f_locals.get("self")).__name__ == "ParamWrapper"
            method = "LoRA with target_parameters" if over_parameter else method or _method(module, frame)
            merges = merges or "merge" in frame.f_code.co_name
        frame = frame.f_back
    return None if method is None else Asking(method, merges)


def _method(module: str, frame: FrameType) -> str:
    _, _, tuner, *inner = module.split(".")
    parts = [frame.f_code.co_name.split("_")[0], *inner, tuner]
    known = next((part for part in parts if part in _SPELLED), None)
    return tuner.upper() if known is None else _SPELLED[known]
