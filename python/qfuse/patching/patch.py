"""Replaces functions of another library in every module that has them under their name, and methods in their class.

Patches also accepts the classes of hook.py: where a library has a hook of its own, that is better than a patch.
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import signature
from threading import RLock
from typing import Any

from .. import versions
from .hook import Kernel, NotLoaded, Registered, Way

Function = Callable[..., Any]


class Unneeded(Exception):
    """Raised with the reason why a function that could be replaced is not."""


@dataclass
class Report:
    """What enable() did. True if anything was replaced. str() has one line per replacement, and one per reason for what
    was not replaced.

    "hook": replaced through the library's own hook. "patch": replaced in the library's modules or classes.
    """

    replaced: dict[str, Way] = field(default_factory=dict)  # way by place: "module.name", or an op and its device
    left: dict[str, str] = field(default_factory=dict)  # reason by name of what could not be replaced

    def __add__(self, other: "Report") -> "Report":
        return Report(self.replaced | other.replaced, self.left | other.left)

    def __bool__(self) -> bool:
        return bool(self.replaced)

    def __str__(self) -> str:
        return "\n".join(
            [
                *(f"qfuse replaced {place} ({way})" for place, way in self.replaced.items()),
                *(_left(reason, names) for reason, names in self._names_by_reason().items()),
            ]
        )

    def _names_by_reason(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, reason in self.left.items():
            found.setdefault(reason, []).append(name)
        return found


def _left(reason: str, names: list[str]) -> str:
    return f"qfuse left {', '.join(names)} as {'it is' if len(names) == 1 else 'they are'}: {reason}"


class Patch:
    """Replaces one function of a module, also where other modules imported it; or one method, as "Class.method".

    ours takes the original's arguments and returns None for calls that it leaves to the original. A private function,
    which is not part of the library's API, is replaced only if its module is loaded and its parameters are those of
    ours. examine(module) may raise Unneeded. A guard only checks: it raises an error or leaves the call to the
    original, and reports omit it.
    """

    way: Way = "patch"

    def __init__(
        self,
        module: str,
        name: str,
        ours: Function,
        private: bool = False,
        examine: Callable[[Any], None] = lambda module: None,
        is_guard: bool = False,
    ) -> None:
        self.is_guard = is_guard
        self._module, self._ours, self.private, self._examine = module, ours, private, examine
        self._class, _, self._name = name.rpartition(".")
        self._original: Function | None = None
        self._replacement: Function | None = None
        self.active = False  # checked by the replacement in each call, because other code may keep or wrap it

    def __str__(self) -> str:
        return ".".join(part for part in (self._module, self._class, self._name) if part)

    def replace(self) -> None:
        """Replaces the function, or raises an exception. A second call covers modules imported since the first."""
        if not self.active:
            original = self._find()
            if self._replacement is None or not (original is self._original or self._is_in(original)):
                self._original, self._replacement = original, self._ours_first(original)
        self.active = True
        self._put(self._original, self._replacement)

    def restore(self) -> None:
        """Restores the original wherever the replacement is now. Does nothing without replace(). If other code has kept
        or wrapped the replacement, it remains there and calls the original."""
        self.active = False
        if self._replacement is not None:
            self._put(self._replacement, self._original)

    def _is_in(self, function: Any) -> bool:
        """Whether a function wraps the replacement: by __wrapped__, functools.partial or a closure."""
        seen: list[Any] = []
        todo: list[Any] = [function]
        while todo:
            found = todo.pop()
            if found is self._replacement:
                return True
            if not callable(found) or any(found is each for each in seen):
                continue
            seen.append(found)
            todo.append(getattr(found, "__wrapped__", None))
            todo += [found.func] if isinstance(found, partial) else []
            todo += [cell.cell_contents for cell in getattr(found, "__closure__", None) or () if _is_filled(cell)]
        return False

    def _ours_first(self, original: Function) -> Function:
        @wraps(original)
        def replacement(*args: Any, **kwargs: Any) -> Any:
            result = self._ours(*args, **kwargs) if self.active else None
            return original(*args, **kwargs) if result is None else result

        return replacement

    def places(self) -> list[str]:
        """Returns where the replacement is now; empty if other code has replaced it."""
        if not self.active:
            return []
        found = sorted(f"{holder_name}.{self._name}" for holder_name, _ in self._holders(self._replacement))
        if not found and self._is_in(self._there()):
            found = [f"{self}, within what somebody has wrapped it in"]
        return found

    def _there(self) -> Any:
        module = sys.modules.get(self._module)
        return getattr(getattr(module, self._class, None) if self._class else module, self._name, None)

    def _holders(self, function: Function | None) -> Iterator[tuple[str, Any]]:
        if self._class:
            holder = getattr(sys.modules.get(self._module), self._class, None)
            if getattr(holder, "__dict__", {}).get(self._name) is function:
                yield f"{self._module}.{self._class}", holder
            return
        for module_name, module in list(sys.modules.items()):
            # Not getattr, which makes lazy modules import, and may raise any error in a module that is being imported.
            if getattr(module, "__dict__", {}).get(self._name) is function:
                yield module_name, module

    def _put(self, old: Function | None, new: Function | None) -> None:
        for _, holder in self._holders(old):
            setattr(holder, self._name, new)

    def _find(self) -> Function:
        if not self.private:
            loaded = importlib.import_module(self._module)
            self._examine(loaded)
            public: Function = getattr(getattr(loaded, self._class) if self._class else loaded, self._name)
            return public
        module = sys.modules.get(self._module)  # not imported: a module not loaded may not support this machine
        original: Function | None = getattr(module, self._name, None)
        if original is None:
            raise LookupError("there is none here") if module else NotLoaded(self._module)
        has, known = list(signature(original).parameters), list(signature(self._ours).parameters)
        if has != known:
            raise TypeError(f"its parameters are {', '.join(has)}; known are {', '.join(known)}")
        return original


class Patches:
    """Replacements that are made and undone together, for all threads of the process.

    library: the library to patch. It is imported first, without the lock, because its import may call enable(). Raises
    ImportError if its version is too old.
    """

    def __init__(self, *patches: Patch | Kernel | Registered, library: str | None = None) -> None:
        self._patches, self._library = patches, library
        self._lock = RLock()  # reentrant: garbage collection may end an abandoned context while the lock is held
        if library is not None:
            _of_libraries.append(self)
        self._stays = False  # true from enable() to disable()
        self._entered = 0  # number of active contexts of enabled(), in all threads
        self._left: dict[str, str] = {}  # reason by name of what could not be replaced

    def enable(self, stacklevel: int = 2) -> Report:
        """Replaces what can be replaced until disable(), and reports why the rest could not be.

        Failures are also warnings, except for private functions. A second call covers modules imported since the first.
        stacklevel: as for warnings.warn.
        """
        self._load()
        with self._lock:
            self._stays = True
            return self._replace(stacklevel + 1)

    def disable(self) -> None:
        """Restores all originals, even inside enabled(). Does nothing if nothing is enabled. A replacement that other
        code has kept or wrapped calls the original from then on."""
        with self._lock:
            self._stays = False
            self._restore()

    @property
    def is_enabled(self) -> bool:
        return self._stays or self._entered > 0

    @contextmanager
    def enabled(self) -> Iterator[Report]:
        """enable() as a context manager. The last of several to exit restores; what enable() replaced remains."""
        self._load()
        with self._lock:
            self._entered += 1
        try:
            yield self._replace()
        finally:
            with self._lock:
                self._entered -= 1
                if not self._entered and not self._stays:
                    self._restore()

    def report(self) -> Report:
        """Reports what is replaced now, and what could not be replaced at the last attempt."""
        if not self.is_enabled:
            return Report()
        with self._lock:
            replaced: dict[str, Way] = {}
            left = dict(self._left)
            for patch in (each for each in self._patches if not each.is_guard):
                places = patch.places()
                replaced |= dict.fromkeys(places, patch.way)
                if patch.active and not places:
                    left[str(patch)] = "somebody has put another one in its place since"
            return Report(replaced, left)

    def _load(self) -> None:
        if self._library is not None:
            versions.require(self._library)
            with suppress(Exception):  # the report will have the reason
                importlib.import_module(self._library)

    def _replace(self, stacklevel: int = 3) -> Report:
        with self._lock:
            self._left = {}
            for patch in self._patches:
                try:
                    patch.replace()
                except Exception as error:  # any failure concerns only this patch
                    if patch.is_guard:
                        continue
                    kind = "" if isinstance(error, NotLoaded) else f"{type(error).__name__}: "
                    self._left[str(patch)] = f"{kind}{error}"
        report = self.report()
        if any(str(patch) in report.left and not patch.private for patch in self._patches):
            warnings.warn(str(report), stacklevel=stacklevel)
        return report

    def _restore(self) -> None:
        for patch in reversed(self._patches):
            patch.restore()


_of_libraries: list[Patches] = []


def enable(chosen: Iterable[Patches]) -> Report:
    """Enables all of them. Warnings name the caller of the function that calls this."""
    report = Report()
    for patches in chosen:
        report += patches.enable(stacklevel=4)
    return report


@contextmanager
def enabled(chosen: Iterable[Patches]) -> Iterator[Report]:
    """enable() as a context manager. The last of several to exit restores the originals; a plain enable() persists."""
    with ExitStack() as contexts:
        yield sum((contexts.enter_context(patches.enabled()) for patches in chosen), Report())


def report() -> Report:
    """Reports what qfuse replaces now in all other libraries."""
    return sum((patches.report() for patches in _of_libraries), Report())


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
