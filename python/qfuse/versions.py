"""The oldest versions that qfuse works with: the one place that says so.

The newest are not limited: what a later version has changed, the integrations' reports say.
"""

import re
from importlib.metadata import PackageNotFoundError, version

OLDEST = {
    "torch": "2.10",  # its stable C++ interface
    "bitsandbytes": "0.48",  # kernels of its ops can be replaced
    "peft": "0.17",  # the oldest that the tests were run under
    "transformers": "5.20",  # all fields of its experts interface that experts_forward reads
    "accelerate": "1.6",  # prepares a model for FSDP2
    "peft, LoRA over experts": "0.19",  # which side of a stack A and B belong to was another one before
}
_FOR = {  # all else works with older ones
    "transformers": " for experts in 4 bits",
    "peft, LoRA over experts": " for LoRA over experts in 4 bits",
}


def require(what: str, found: str | None = None) -> None:
    """Raises ImportError where a library is too old. One that is not installed is nobody's fault.

    what: a key of OLDEST. found: the library's version, where that is known."""
    library = what.split(",")[0]
    if found is None:
        try:
            found = version(library)
        except PackageNotFoundError:
            return
    if is_older(found, OLDEST[what]):
        raise ImportError(f"qfuse needs {library} {OLDEST[what]} or later{_FOR.get(what, '')}, this is {found}")


def is_older(found: str, oldest: str) -> bool:
    """By the two numbers that a version begins with."""
    return _numbers(found) < _numbers(oldest)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])
