"""Plugins that bitsandbytes and vLLM call when they start, through the entry points in pyproject.toml.

A separate module that imports qfuse only on request, because both call it in every process that has qfuse installed.
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
    """Called at the end of `import bitsandbytes`, which an exception would abort."""
    why_not = _enable()
    if why_not is None:
        return
    try:
        warnings.warn(why_not, stacklevel=2)
    except Warning:  # warnings are configured as errors
        print(why_not, file=sys.stderr)


def vllm() -> None:
    """Called in each vLLM process, including workers, before the first layer is made. Logs what was replaced."""
    if not os.environ.get(_VARIABLE):
        return
    log = logging.getLogger("vllm.qfuse")
    try:
        if find_spec("bitsandbytes") is None:
            return
        importlib.import_module("bitsandbytes")  # calls bitsandbytes() above, unless it was imported before

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
    """Enables what the environment variable asks for. Returns why nothing is replaced, or None."""
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
            integration.disable()  # undoes what was replaced before the failure
        return f"{_VARIABLE} is {wanted}, but qfuse replaces nothing: {error}"
    return None
