"""Functions of another library, replaced in every module that holds them by name, and methods in their class.

Patches takes what hook.py has, too: a library's own hook is the better way wherever it serves.
"""

import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from inspect import signature
from threading import RLock
from typing import Any

from .. import versions
from .hook import Kernel, NotLoaded, Registered, Way

Function = Callable[..., Any]


class Unneeded(Exception):
    """Says why a function is left as it is although it could be replaced."""


@dataclass
class Report:
    """What enable() did. True where something was replaced; as text, a line for each part, and where several are left
    for one reason, a line for all of these.

    A "hook" is what the library offers for it, a "patch" a function that was replaced.
    """

    replaced: dict[str, Way] = field(default_factory=dict)  # "module.name" of every place, or an op and its device
    left: dict[str, str] = field(default_factory=dict)  # what could not be replaced, and why

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
    """One function of one module, and where else it went by its name; or, as "Class.method", one method.

    ours takes the original's arguments and returns None for what it leaves to the original. A private function, which
    the library promises to nobody, is replaced only where it is loaded and has the parameters that ours has.
    examine(module) may raise Unneeded. A guard computes nothing, and no report names it: it leaves every call to the
    original, unless it raises an error.
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
        self.active = False  # what the replacement goes by, wherever somebody keeps or has wrapped it

    def __str__(self) -> str:
        return ".".join(part for part in (self._module, self._class, self._name) if part)

    def replace(self) -> None:
        """Raises what keeps it from being done. A second call finds modules imported since the first."""
        if not self.active:
            original = self._find()
            if self._replacement is None or not (original is self._original or self._is_in(original)):
                self._original, self._replacement = original, self._ours_first(original)
        self.active = True
        self._put(self._original, self._replacement)

    def restore(self) -> None:
        """Puts the original back wherever the replacement is now; without replace(), does nothing. Where somebody has
        wrapped the replacement or keeps it, it stays, and is the original from now on."""
        self.active = False
        if self._replacement is not None:
            self._put(self._replacement, self._original)

    def _is_in(self, function: Any) -> bool:
        """Whether it calls the replacement: by what functools leaves, or by a closure."""
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
        """Where the replacement is now; nowhere, if somebody has put another function there."""
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
            # Not getattr: a lazy module would import things, and one that is being imported may raise anything.
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
        module = sys.modules.get(self._module)  # what the library did not import may not be for this machine
        original: Function | None = getattr(module, self._name, None)
        if original is None:
            raise LookupError("there is none here") if module else NotLoaded(self._module)
        has, known = list(signature(original).parameters), list(signature(self._ours).parameters)
        if has != known:
            raise TypeError(f"its parameters are {', '.join(has)}; known are {', '.join(known)}")
        return original


class Patches:
    """What is replaced together and put back together, for all threads of the process.

    library: whose it is. It is imported first, without the lock, as its import may come back here; a version that is
    too old is an ImportError.
    """

    def __init__(self, *patches: Patch | Kernel | Registered, library: str | None = None) -> None:
        self._patches, self._library = patches, library
        self._lock = RLock()  # a context that nobody ended ends with its garbage, perhaps below itself
        if library is not None:
            _of_libraries.append(self)
        self._stays = False  # from enable() to disable()
        self._entered = 0  # contexts of enabled(), whichever threads they are in
        self._left: dict[str, str] = {}  # what could not be replaced, and why

    def enable(self, stacklevel: int = 2) -> Report:
        """Replaces what can be replaced and says why the rest could not: with a warning too, but for private functions.

        It stays so until disable(). A second call finds modules imported since the first. stacklevel: whose line the
        warning names, as warnings.warn counts.
        """
        self._load()
        with self._lock:
            self._stays = True
            return self._replace(stacklevel + 1)

    def disable(self) -> None:
        """Puts every original back, inside of enabled() too; without enable(), does nothing. A replacement that
        somebody keeps, or has wrapped, calls the original from now on."""
        with self._lock:
            self._stays = False
            self._restore()

    @property
    def is_enabled(self) -> bool:
        return self._stays or self._entered > 0

    @contextmanager
    def enabled(self) -> Iterator[Report]:
        """enable() for a with statement. The last of several to end puts back; what enable() did by itself stays."""
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
        """What is replaced now, and what could not be when somebody last asked for it."""
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
            with suppress(Exception):  # of which the report will say more
                importlib.import_module(self._library)

    def _replace(self, stacklevel: int = 3) -> Report:
        with self._lock:
            self._left = {}
            for patch in self._patches:
                try:
                    patch.replace()
                except Exception as error:  # whatever keeps it from being replaced here is its own affair
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


def report() -> Report:
    """What qfuse replaces now in other libraries, all of them."""
    return sum((patches.report() for patches in _of_libraries), Report())


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
