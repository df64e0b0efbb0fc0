"""What tools/checks/imports must find: a circle with other.py."""

from .other import name
