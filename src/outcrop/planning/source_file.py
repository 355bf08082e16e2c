"""The chunks of one source file, cut by the rules of planning; nothing is stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.chunking.metadata import ChunkIds
from outcrop.codegraph.building import build
from outcrop.codegraph.languages import language_of
from outcrop.errors import MissingExtraError
from outcrop.model.chunk import Chunk
from outcrop.planning.protocols import SourceText
from outcrop.planning.strategies import AdaptiveChunkStrategy

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.model.node import Node
    from outcrop.planning.plans import ChunkPlan


def chunk_source(
    path: str, text: str, lang: str, *, limit: int, length: Callable[[str], int]
) -> list[Chunk]:
    """Cut a source file: one chunk per definition, none over the limit.

    Definitions are read from the file at `path`; without a grammar it is cut at lines.

    Raises:
        ConfigError: The limit is too small.
    """
    strategy = AdaptiveChunkStrategy(limit, length)
    source = SourceText(path=path, lang=lang, text=text)
    ids = ChunkIds()
    plans = strategy.build_file(source, _definitions(path), {})
    return [_chunk(plan, text, ids) for plan in plans]


def _definitions(path: str) -> list[Node]:
    if language_of(path) is None or not Path(path).is_file():
        return []
    try:
        graph = build(path, level="local", workers=1)
    except MissingExtraError:
        return []  # cut at lines
    return [node for node in graph.nodes if node.file_path is not None]


def _chunk(plan: ChunkPlan, text: str, ids: ChunkIds) -> Chunk:
    start, end = plan.span_chars or (0, 0)
    first_line, last_line = plan.span_lines or (1, 1)
    own = text[start:end]
    part = plan.metadata.get("part", 0)
    rule = "definition" if plan.node is not None else "lines"
    return Chunk(
        content=f"{plan.prefix}{own}{plan.suffix}",
        start_line=first_line,
        end_line=last_line,
        start_offset=start,
        end_offset=end,
        prefix=plan.prefix,
        suffix=plan.suffix,
        metadata={
            "chunk_id": ids.assign(b"code", own),
            "strategy": plan.pipeline.service.strategy,
            "content_type": "code",
            "language": plan.lang,
            "header_path": "/" + "/".join(plan.section_path),
            "headers": list(plan.section_path),
            "header_level": len(plan.section_path),
            "section_tags": [],
            "start_line": first_line,
            "end_line": last_line,
            "boundary": {"stage": "code", "rule": "part" if part else rule},
            "continued_from_header": bool(plan.prefix),
            "allow_oversize": False,
            "indexable": True,
        },
    )
