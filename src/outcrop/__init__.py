"""Outcrop: exact, structured chunks of Markdown and source code, kept and found.

Public names are loaded on first use, so that `import outcrop` loads no parser, no
driver and no framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcrop.model.chunk import Chunk

__version__ = "0.1.0"

# Public name -> the module that defines it. One line a name, sorted.
_HOMES = {
    "Chunk": "outcrop.model.chunk",
}

__all__ = ["Chunk", "__version__"]  # noqa: RUF022 - sorted by a test


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'outcrop' has no attribute {name!r}") from None
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
