"""Other libraries on qfuse: each module here has enable(), disable() and the context manager enabled().

enable() replaces functions of the other library wherever modules hold them by name, and returns a Report of what it
replaced, or why it could not. It is never called by itself, and importing the module imports nothing of the library.
"""

from .patch import Report

__all__ = ["Report"]
