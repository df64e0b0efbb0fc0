"""Loads the torch extension, which registers the ops as torch.ops.qfuse.*."""

import torch

from .. import versions
from . import library

_LIBRARY = library.FOLDER / "libqfuse_torch.so"


def load() -> None:
    """Loads it. Raises ImportError with the reason if the extension is missing or torch is too old."""
    if not _LIBRARY.is_file():
        raise ImportError(f"{_LIBRARY} is not there: install qfuse with pip, its sources alone cannot be imported")
    try:
        torch.ops.load_library(str(_LIBRARY))
    except OSError as error:
        reason = error.__cause__ or error  # the loader's message, without the sentence that torch puts before it
        versions.require("torch", torch.__version__)
        raise ImportError(f"{_LIBRARY} cannot be loaded: {reason}") from error
