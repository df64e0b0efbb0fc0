"""What other libraries offer to be replaced: kernels of their ops, and names in their registries."""

import importlib
import sys
import warnings
from collections.abc import Callable
from typing import Any, Literal

import torch

__all__ = ["Kernel", "Registered", "Way"]

Way = Literal["hook", "patch"]


class Kernel:
    """A kernel for an op of another library's, registered with torch over that library's own.

    ours takes the op's arguments and returns None for what it leaves to the kernel that was there before. module is
    the one that registers that kernel: where it is not loaded, there is nothing to compute on that device.
    """

    way: Way = "hook"
    private = True  # to have no such op or device is ordinary: no reason to warn

    def __init__(self, op: str, device: str, ours: Callable[..., Any], module: str) -> None:
        self._op, self._device, self._ours, self._module = op, device, ours, module
        self._library: torch.library.Library | None = None  # the registration ends with it

    def __str__(self) -> str:
        return f"{self._op} on {self._device}"

    def replace(self) -> None:
        """Raises what keeps it from being done."""
        if self._library is not None:
            return
        namespace, _, name = self._op.partition("::")
        if self._module not in sys.modules:
            raise LookupError(f"{self._module} is not loaded here")
        if not hasattr(getattr(torch.ops, namespace), name):
            raise LookupError("this version has no such op")
        original = torch.library.get_kernel(self._op, self._device)
        library = torch.library.Library(namespace, "FRAGMENT")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "(?s:.*)Overriding a previously registered kernel")  # torch 2.10, 2.11
            # torch.library.register_kernel, without keys, cannot call the original.
            library.impl(name, self._ours_first(original), self._device, with_keyset=True, allow_override=True)
        self._library = library

    def restore(self) -> None:
        self._library = None

    def places(self) -> list[str]:
        return [] if self._library is None else [str(self)]

    def _ours_first(self, original: Any) -> Callable[..., Any]:
        ours = self._ours

        def kernel(keys: Any, *args: Any, **kwargs: Any) -> Any:
            result = ours(*args, **kwargs)
            return original.call_boxed(keys, *args, **kwargs) if result is None else result

        found: Callable[..., Any] = torch.compiler.disable(kernel)
        return found


class Registered:
    """A name in a registry of another library's, which stays there: nobody meets it who does not ask for it."""

    way: Way = "hook"
    private = False

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
