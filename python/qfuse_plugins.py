"""What bitsandbytes and vLLM call when they start, by the entry points in pyproject.toml.

A module of its own, which imports nothing of qfuse until it is asked to: both call it in every process that has qfuse
installed, wanted or not.
"""

import importlib
import logging
import os
import sys
import warnings
from importlib.util import find_spec
from typing import Any

_VARIABLE = "QFUSE_BITSANDBYTES"
_VALUES = ("decode", "matmul")


def bitsandbytes() -> None:
    """At the end of `import bitsandbytes`, which an exception would end."""
    why_not = _enable()
    if why_not is None:
        return
    try:
        warnings.warn(why_not, stacklevel=2)
    except Warning:  # where warnings are errors
        print(why_not, file=sys.stderr)


def vllm() -> None:
    """In each of vLLM's processes, workers among them: before the first layer is made, and with a line in their log."""
    if not os.environ.get(_VARIABLE):
        return
    log = logging.getLogger("vllm.qfuse")
    try:
        if find_spec("bitsandbytes") is None:
            return
        importlib.import_module("bitsandbytes")  # which has called the function above, unless it was there before

        from qfuse.integrations import report

        why_not = _enable()
    except Exception as error:
        why_not = f"{_VARIABLE} has no effect: {error}"
    if why_not is not None:
        log.warning("%s", why_not)
        return
    for line in str(report()).splitlines():
        log.info("%s", line)


def _enable() -> str | None:
    """As the variable says; or why nothing is replaced."""
    wanted = os.environ.get(_VARIABLE)
    if not wanted:
        return None
    if wanted not in _VALUES:
        return f"{_VARIABLE} is {wanted!r}, it can be decode or matmul; qfuse replaces nothing"
    integration: Any = None
    try:
        from qfuse.integrations import bitsandbytes as integration

        integration.enable(matmul=wanted == "matmul")
    except Exception as error:
        if integration is not None:
            integration.disable()  # what was replaced before it failed
        return f"{_VARIABLE} is {wanted}, but qfuse replaces nothing: {error}"
    return None
