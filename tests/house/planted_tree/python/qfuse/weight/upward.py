"""tools/checks/imports must find an import of a higher layer, but must accept one only for a type."""

from typing import TYPE_CHECKING

from ..layers import one

if TYPE_CHECKING:
    from ..layers import other
