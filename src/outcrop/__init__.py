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
    from outcrop.chunking.hierarchy import ChunkLevel, HierarchicalChunkingResult
    from outcrop.chunking.hierarchy_builder import HierarchyBuilder
    from outcrop.chunking.invariants import InvariantValidator, ValidationResult
    from outcrop.chunking.strategies import BaseStrategy, StrategySelector
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.model.chunk import Chunk
    from outcrop.model.hit import Hit
    from outcrop.model.section import Section
    from outcrop.sections import (
        IndexingConfig,
        MarkdownSplitter,
        SummaryGenerator,
        get_sections_schema,
        read_sections,
        write_sections,
    )
    from outcrop.text.tokens import TokenCounter

__version__ = "0.1.0"

# Public name -> the module that defines it.
_HOMES = {
    "BaseStrategy": "outcrop.chunking.strategies",
    "Chunk": "outcrop.model.chunk",
    "ChunkConfig": "outcrop.chunking.config",
    "ChunkLevel": "outcrop.chunking.hierarchy",
    "ContentAnalysis": "outcrop.chunking.analysis",
    "HierarchicalChunkingResult": "outcrop.chunking.hierarchy",
    "HierarchyBuilder": "outcrop.chunking.hierarchy_builder",
    "Hit": "outcrop.model.hit",
    "Index": "outcrop.indexing.index",
    "IndexConfig": "outcrop.indexing.config",
    "IndexingConfig": "outcrop.sections",
    "InvariantValidator": "outcrop.chunking.invariants",
    "MarkdownChunker": "outcrop.chunking.chunker",
    "MarkdownSplitter": "outcrop.sections",
    "Section": "outcrop.model.section",
    "StrategySelector": "outcrop.chunking.strategies",
    "SummaryGenerator": "outcrop.sections",
    "TokenCounter": "outcrop.text.tokens",
    "ValidationResult": "outcrop.chunking.invariants",
    "analyse": "outcrop.chunking.analysis",
    "get_sections_schema": "outcrop.sections",
    "read_sections": "outcrop.sections",
    "write_sections": "outcrop.sections",
}

__all__ = [
    "BaseStrategy",
    "Chunk",
    "ChunkConfig",
    "ChunkLevel",
    "ContentAnalysis",
    "HierarchicalChunkingResult",
    "HierarchyBuilder",
    "Hit",
    "Index",
    "IndexConfig",
    "IndexingConfig",
    "InvariantValidator",
    "MarkdownChunker",
    "MarkdownSplitter",
    "Section",
    "StrategySelector",
    "SummaryGenerator",
    "TokenCounter",
    "ValidationResult",
    "__version__",
    "analyse",
    "get_sections_schema",
    "read_sections",
    "write_sections",
]


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module 'outcrop' has no attribute {name!r}") from None
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
