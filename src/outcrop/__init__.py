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
    from outcrop.chunking.stages import HeaderProcessor, SectionSplitter
    from outcrop.chunking.strategies import (
        BlocksStrategy,
        CodeAwareStrategy,
        FallbackStrategy,
        StrategySelector,
        StructuralStrategy,
    )
    from outcrop.chunking.strategy import BaseStrategy
    from outcrop.codegraph.graph import Graph
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.indexing.project import list_projects, move_project, remove_project
    from outcrop.model.chunk import Chunk
    from outcrop.model.hit import Hit
    from outcrop.model.section import Section
    from outcrop.planning.orchestrator import ChunkBuildOrchestrator
    from outcrop.planning.plans import (
        ChunkBuildRequest,
        ChunkBuildResult,
        ChunkPlan,
        PipelinePlan,
        RelationHint,
        ServiceMeta,
    )
    from outcrop.planning.protocols import ChunkRunStore, ChunkWriter, NodeSource
    from outcrop.planning.strategies import (
        AdaptiveChunkStrategy,
        ChunkStrategy,
        PerNodeChunkStrategy,
    )
    from outcrop.sections import (
        IndexingConfig,
        MarkdownSplitter,
        SummaryGenerator,
        get_sections_schema,
        read_sections,
        write_sections,
    )
    from outcrop.store.projects.manage import ProjectInfo
    from outcrop.store.runs import PlanRuns
    from outcrop.text.tokens import TokenCounter

__version__ = "0.2.0"

# Public name -> the module that defines it.
_HOMES = {
    "AdaptiveChunkStrategy": "outcrop.planning.strategies",
    "BaseStrategy": "outcrop.chunking.strategy",
    "BlocksStrategy": "outcrop.chunking.strategies",
    "Chunk": "outcrop.model.chunk",
    "ChunkBuildOrchestrator": "outcrop.planning.orchestrator",
    "ChunkBuildRequest": "outcrop.planning.plans",
    "ChunkBuildResult": "outcrop.planning.plans",
    "ChunkConfig": "outcrop.chunking.config",
    "ChunkLevel": "outcrop.chunking.hierarchy",
    "ChunkPlan": "outcrop.planning.plans",
    "ChunkRunStore": "outcrop.planning.protocols",
    "ChunkStrategy": "outcrop.planning.strategies",
    "ChunkWriter": "outcrop.planning.protocols",
    "CodeAwareStrategy": "outcrop.chunking.strategies",
    "ContentAnalysis": "outcrop.chunking.analysis",
    "FallbackStrategy": "outcrop.chunking.strategies",
    "Graph": "outcrop.codegraph.graph",
    "HeaderProcessor": "outcrop.chunking.stages",
    "HierarchicalChunkingResult": "outcrop.chunking.hierarchy",
    "HierarchyBuilder": "outcrop.chunking.hierarchy_builder",
    "Hit": "outcrop.model.hit",
    "Index": "outcrop.indexing.index",
    "IndexConfig": "outcrop.indexing.config",
    "IndexingConfig": "outcrop.sections",
    "InvariantValidator": "outcrop.chunking.invariants",
    "MarkdownChunker": "outcrop.chunking.chunker",
    "MarkdownSplitter": "outcrop.sections",
    "NodeSource": "outcrop.planning.protocols",
    "PerNodeChunkStrategy": "outcrop.planning.strategies",
    "PipelinePlan": "outcrop.planning.plans",
    "PlanRuns": "outcrop.store.runs",
    "ProjectInfo": "outcrop.store.projects.manage",
    "RelationHint": "outcrop.planning.plans",
    "Section": "outcrop.model.section",
    "SectionSplitter": "outcrop.chunking.stages",
    "ServiceMeta": "outcrop.planning.plans",
    "StrategySelector": "outcrop.chunking.strategies",
    "StructuralStrategy": "outcrop.chunking.strategies",
    "SummaryGenerator": "outcrop.sections",
    "TokenCounter": "outcrop.text.tokens",
    "ValidationResult": "outcrop.chunking.invariants",
    "analyse": "outcrop.chunking.analysis",
    "get_sections_schema": "outcrop.sections",
    "list_projects": "outcrop.indexing.project",
    "move_project": "outcrop.indexing.project",
    "read_sections": "outcrop.sections",
    "remove_project": "outcrop.indexing.project",
    "write_sections": "outcrop.sections",
}

__all__ = [
    "AdaptiveChunkStrategy",
    "BaseStrategy",
    "BlocksStrategy",
    "Chunk",
    "ChunkBuildOrchestrator",
    "ChunkBuildRequest",
    "ChunkBuildResult",
    "ChunkConfig",
    "ChunkLevel",
    "ChunkPlan",
    "ChunkRunStore",
    "ChunkStrategy",
    "ChunkWriter",
    "CodeAwareStrategy",
    "ContentAnalysis",
    "FallbackStrategy",
    "Graph",
    "HeaderProcessor",
    "HierarchicalChunkingResult",
    "HierarchyBuilder",
    "Hit",
    "Index",
    "IndexConfig",
    "IndexingConfig",
    "InvariantValidator",
    "MarkdownChunker",
    "MarkdownSplitter",
    "NodeSource",
    "PerNodeChunkStrategy",
    "PipelinePlan",
    "PlanRuns",
    "ProjectInfo",
    "RelationHint",
    "Section",
    "SectionSplitter",
    "ServiceMeta",
    "StrategySelector",
    "StructuralStrategy",
    "SummaryGenerator",
    "TokenCounter",
    "ValidationResult",
    "__version__",
    "analyse",
    "get_sections_schema",
    "list_projects",
    "move_project",
    "read_sections",
    "remove_project",
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
