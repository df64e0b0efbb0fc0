"""Runs other libraries on qfuse. Each module here has enable(), disable() and the context manager enabled().

enable() replaces functions of the other library by qfuse's, through the library's own hooks where it has them and by
patches elsewhere. It returns a Report of what it replaced and how, and of what it could not replace and why. It is
never called automatically, and importing a module here does not import the library. report() says what is replaced now
in all libraries. If the environment variable QFUSE_BITSANDBYTES is decode or matmul, importing bitsandbytes calls its
enable().
"""

from ..patching.patch import Report, report

__all__ = ["Report", "report"]
