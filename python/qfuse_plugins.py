"""What bitsandbytes and vLLM call when they start, by the entry points in pyproject.toml.

A module of its own, which imports nothing of qfuse until it is asked to: both call it in every process that has qfuse
installed, wanted or not.
"""

import importlib
import logging
import os
import warnings
from importlib.util import find_spec

_VARIABLE = "QFUSE_BITSANDBYTES"
_VALUES = ("decode", "matmul")


def bitsandbytes() -> None:
    """At the end of `import bitsandbytes`, which an exception would end."""
    wanted = os.environ.get(_VARIABLE)
    if not wanted:
        return
    if wanted not in _VALUES:
        warnings.warn(f"{_VARIABLE} is {wanted!r}, it can be decode or matmul; qfuse replaces nothing", stacklevel=2)
        return
    try:
        from qfuse.integrations import bitsandbytes as integration

        integration.enable(matmul=wanted == "matmul")
    except Exception as error:
        warnings.warn(f"{_VARIABLE} is {wanted}, but qfuse replaces nothing: {error}", stacklevel=2)


def vllm() -> None:
    """In each of vLLM's processes, workers among them: before the first layer is made, and with a line in their log."""
    if not os.environ.get(_VARIABLE) or find_spec("bitsandbytes") is None:
        return
    log = logging.getLogger("vllm.qfuse")
    try:
        importlib.import_module("bitsandbytes")  # which calls the function above

        from qfuse.integrations import report
    except Exception as error:
        log.warning("%s has no effect: %s", _VARIABLE, error)
        return
    for line in str(report()).splitlines():
        log.info("%s", line)
