"""Outcrop: exact, structured chunks of Markdown and source code, kept and found.

Public names are loaded on first use, so that `import outcrop` loads no parser, no
driver and no framework.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis, analyse
    from outcrop.chunking.chunker import MarkdownChunker
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.invariants import InvariantValidator, ValidationResult
    from outcrop.chunking.strategies import BaseStrategy, StrategySelector
    from outcrop.model.chunk import Chunk

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOMES = {
    "BaseStrategy": "outcrop.chunking.strategies",
    "Chunk": "outcrop.model.chunk",
    "ChunkConfig": "outcrop.chunking.config",
    "ContentAnalysis": "outcrop.chunking.analysis",
    "InvariantValidator": "outcrop.chunking.invariants",
    "MarkdownChunker": "outcrop.chunking.chunker",
    "StrategySelector": "outcrop.chunking.strategies",
    "ValidationResult": "outcrop.chunking.invariants",
    "analyse": "outcrop.chunking.analysis",
}

__all__ = [
    "BaseStrategy",
    "Chunk",
    "ChunkConfig",
    "ContentAnalysis",
    "InvariantValidator",
    "MarkdownChunker",
    "StrategySelector",
    "ValidationResult",
    "__version__",
    "analyse",
]


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'outcrop' has no attribute {name!r}") from None
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
