"""Replacements through other libraries' own hooks: kernels of their ops, and names in their registries."""

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any, Literal

import torch

Way = Literal["hook", "patch"]


class NotLoaded(Exception):
    """A library's module for a device that is not here is not loaded. This is not a failure."""

    def __init__(self, module: str) -> None:
        super().__init__(f"no device of this kind here: {module} is not loaded")


class Kernel:
    """A kernel for another library's op, registered with torch over that library's own kernel.

    ours takes the op's arguments and returns None for calls that it leaves to the original kernel. module is the one
    that registers the original: if it is not loaded, nothing is computed on that device.

    The kernel is registered once and checks on each call whether it is active. Unregistering it while another thread
    runs it, or after another library has stored it, would crash the process or fail these calls.
    """

    way: Way = "hook"
    private = True  # a missing op or device is normal and needs no warning
    is_guard = False

    def __init__(self, op: str, device: str, ours: Callable[..., Any], module: str) -> None:
        self._op, self._device, self._ours, self._module = op, device, ours, module
        self._library: torch.library.Library | None = None  # keeps the registration as long as it exists
        self.active = False

    def __str__(self) -> str:
        return f"{self._op} on {self._device}"

    def replace(self) -> None:
        """Activates the kernel, and registers it first if needed. Raises an exception if that is impossible."""
        if self._library is None:
            self._library = self._register()
        self.active = True

    def restore(self) -> None:
        self.active = False

    def places(self) -> list[str]:
        """Returns its name, or nothing if it is not active or another kernel was registered over it."""
        if not self.active or __file__ not in str(torch.library.get_kernel(self._op, self._device)):
            return []
        return [str(self)]

    def _register(self) -> torch.library.Library:
        namespace, _, name = self._op.partition("::")
        if self._module not in sys.modules:
            raise NotLoaded(self._module)
        if not hasattr(getattr(torch.ops, namespace), name):
            raise LookupError("this version has no such op")
        original = torch.library.get_kernel(self._op, self._device)
        library = torch.library.Library(namespace, "FRAGMENT")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s:.*)Overriding a previously registered kernel")  # torch 2.10, 2.11
            # torch.library.register_kernel, without keys, cannot call the original.
            library.impl(name, self._ours_first(original), self._device, with_keyset=True, allow_override=True)
        return library

    def _ours_first(self, original: Any) -> Callable[..., Any]:
        ours = self._ours

        def kernel(keys: Any, *args: Any, **kwargs: Any) -> Any:
            result = ours(*args, **kwargs) if self.active else None
            return original.call_boxed(keys, *args, **kwargs) if result is None else result

        found: Callable[..., Any] = torch.compiler.disable(kernel)
        return found


class Registered:
    """A name in another library's registry. It stays there, because it has no effect unless it is selected by name."""

    way: Way = "hook"
    private = is_guard = False
    active = False  # always: Patches.report() must not expect a place that it could lose

    def __init__(self, module: str, registry: str, name: str, ours: Callable[..., Any]) -> None:
        self._module, self._registry, self._name, self._ours = module, registry, name, ours

    def __str__(self) -> str:
        return f"{self._module}.{self._registry}[{self._name!r}]"

    def replace(self) -> None:
        getattr(importlib.import_module(self._module), self._registry).register(self._name, self._ours)

    def restore(self) -> None:
        pass

    def places(self) -> list[str]:
        registry = getattr(sys.modules.get(self._module), self._registry, {})
        return [str(self)] if self._name in registry else []
