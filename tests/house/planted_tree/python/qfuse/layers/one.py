"""tools/checks/imports must find an import cycle with other.py."""

from .other import name
