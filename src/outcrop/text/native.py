"""The modules in C, if they were built; `native` in the repository has the source."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

PURE_VARIABLE = "OUTCROP_PURE"


def load_native(package: str) -> ModuleType | None:
    """Return the module in C of a package; None if not built or switched off."""
    if os.environ.get(PURE_VARIABLE, "") not in {"", "0"}:
        return None
    try:
        return import_module(f"{package}._native")
    except ImportError:
        return None


# Counts words and tokens.
NATIVE = load_native("outcrop.text")
