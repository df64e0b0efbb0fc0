"""The oldest supported versions of other libraries; no other place defines them.

There are no newest versions: the integrations' reports say what a later version has changed.
"""

import re
from importlib.metadata import PackageNotFoundError, version

OLDEST = {
    "torch": "2.10",  # first with the stable C++ interface that qfuse needs
    "bitsandbytes": "0.48",  # first whose ops' kernels can be replaced
    "peft": "0.17",  # the oldest version tested
    "transformers": "5.20",  # first with all fields of the experts interface that experts_forward reads
    "trl": "1.15",  # first whose VLLMGeneration iterates over what it pushes in one method
    "accelerate": "1.6",  # first that prepares a model for FSDP2
    "peft, LoRA over experts": "0.19",  # before, A and B belonged to the other sides of a stack
}
_FOR = {  # the feature that needs the version; everything else works with older ones
    "transformers": " for experts in 4 bits",
    "peft, LoRA over experts": " for LoRA over experts in 4 bits",
}


def require(what: str, found: str | None = None) -> None:
    """Raises ImportError if a library is too old. Accepts a library that is not installed.

    what: a key of OLDEST. found: the library's version, if known."""
    library = what.split(",")[0]
    if found is None:
        try:
            found = version(library)
        except PackageNotFoundError:
            return
    if is_older(found, OLDEST[what]):
        raise ImportError(f"qfuse needs {library} {OLDEST[what]} or later{_FOR.get(what, '')}, this is {found}")


def is_older(found: str, oldest: str) -> bool:
    """Compares the first two numbers of the versions."""
    return _numbers(found) < _numbers(oldest)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])
