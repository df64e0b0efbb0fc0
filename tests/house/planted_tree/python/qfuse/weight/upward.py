"""What tools/checks/imports must find: an import upwards. What it must not: one for a type."""

from typing import TYPE_CHECKING

from ..layers import one

if TYPE_CHECKING:
    from ..layers import other
