"""Functions of another library, replaced in every module that holds them by name."""
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Patch", "Report"]

Function = Callable[..., Any]


@dataclass
class Report:
    """What enable() did. True where something was replaced; as text, one line for people."""

    library: str
    replaced: list[str] = field(default_factory=list)  # "module.name" of every place
    reason: str = ""  # why nothing was replaced

    def __bool__(self) -> bool:
        return bool(self.replaced)

    def __str__(self) -> str:
        if self.replaced:
            return f"qfuse replaced {', '.join(self.replaced)}"
        return f"qfuse replaced nothing of {self.library}: {self.reason}"


class Patch:
    """One function of one module, and where else it went by its name.

    make(original) returns the replacement, which may call the original for what qfuse does not do.
    """

    def __init__(self, module: str, name: str, make: Callable[[Function], Function]) -> None:
        self._module, self._name, self._make = module, name, make
        self._original: Function | None = None
        self._replacement: Function | None = None

    def enable(self) -> Report:
        """Replaces; where that cannot be, warns and says why. A second call finds modules imported since the first."""
        report = Report(self._module.partition(".")[0])
        if self._original is None:
            try:
                original = getattr(importlib.import_module(self._module), self._name)
            except Exception as error:  # whatever keeps it from being imported here is its own affair
                report.reason = f"{self._module}.{self._name} cannot be had ({type(error).__name__}: {error})"
                warnings.warn(str(report), stacklevel=2)
                return report
            self._original, self._replacement = original, self._make(original)
        _replace(self._name, self._original, self._replacement)
        report.replaced = _places(self._name, self._replacement)
        return report

    def disable(self) -> None:
        """Puts the original back wherever the replacement is now; without enable(), does nothing."""
        if self._original is not None:
            _replace(self._name, self._replacement, self._original)
            self._original = self._replacement = None

    @contextmanager
    def enabled(self) -> Iterator[Report]:
        """enable() for a with statement; what was enabled before it stays so after it."""
        was_enabled = self._original is not None
        report = self.enable()
        try:
            yield report
        finally:
            if not was_enabled:
                self.disable()


def _holders(name: str, function: Function | None) -> Iterator[tuple[str, Any]]:
    for module_name, module in list(sys.modules.items()):
        # Not getattr: a lazy module would import things, and one that is being imported may raise anything.
        if getattr(module, "__dict__", {}).get(name) is function:
            yield module_name, module


def _replace(name: str, old: Function | None, new: Function | None) -> None:
    for _, module in _holders(name, old):
        setattr(module, name, new)


def _places(name: str, function: Function | None) -> list[str]:
    return sorted(f"{module_name}.{name}" for module_name, _ in _holders(name, function))
