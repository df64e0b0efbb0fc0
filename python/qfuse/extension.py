"""Loads the extension, which registers the ops as torch.ops.qfuse.*, and calls what of it is no op."""

import ctypes
from pathlib import Path

import torch

_LIBRARY = Path(__file__).with_name("libqfuse_torch.so")


def load() -> None:
    """Raises ImportError with the reason where the extension is missing or this torch is too old for it."""
    if not _LIBRARY.is_file():
        raise ImportError(f"{_LIBRARY} is not there: install qfuse with pip, its sources alone cannot be imported")
    try:
        torch.ops.load_library(str(_LIBRARY))
    except OSError as error:
        reason = error.__cause__ or error  # torch puts a sentence of its own before the loader's
        if tuple(int(part) for part in torch.__version__.split(".")[:2]) < (2, 10):
            raise ImportError(f"qfuse needs torch 2.10 or later, this is {torch.__version__}") from error
        raise ImportError(f"{_LIBRARY} cannot be loaded: {reason}") from error


def inspect(path: bytes) -> tuple[int, bytes]:
    """A qfuse_status with the inventory of a checkpoint as JSON, or with a message."""
    texts: list[bytes] = []
    take = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(texts.append)
    status: int = ctypes.CDLL(str(_LIBRARY)).qfuse_python_inspect(path, take)
    return status, texts[0]
