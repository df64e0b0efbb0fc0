"""Which of peft's methods asks a 4-bit parameter for what it has not, so that its error can say so."""

import sys
from types import FrameType
from typing import NamedTuple

_TUNERS = "peft.tuners."
# As peft's documents spell them; all others are in capitals, as their folders' names are. Of LoRA's variants and first
# values the module's or function's name says which.
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
    """By the functions that are being called."""
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
