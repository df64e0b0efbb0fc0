"""Other libraries on qfuse: each module here has enable(), disable() and the context manager enabled().

enable() puts qfuse's functions in the place of the other library's, by its own hooks where it has them and by patches
elsewhere, and returns a Report of what it replaced, which way, or why it could not. It is never called by itself, and
importing the module imports nothing of the library. report() says what is replaced now, in all of them.

The environment variable QFUSE_BITSANDBYTES, decode or matmul, has bitsandbytes' import call its enable().
"""

from ..patching.patch import Report, report

__all__ = ["Report", "report"]
