"""Words counted in C, where that was built; `native/text` has the source."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

PURE_VARIABLE = "OUTCROP_PURE"


def is_pure() -> bool:
    """Return whether the modules in C are switched off."""
    return os.environ.get(PURE_VARIABLE, "") not in {"", "0"}


def load_native() -> ModuleType | None:
    """Return the module; None where it was not built or is switched off."""
    if is_pure():
        return None
    try:
        from outcrop.text import _native
    except ImportError:
        return None
    return _native


NATIVE = load_native()
