"""Cutting a document that is sent along; nothing is stored."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING

from fastapi import APIRouter

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.errors import InputError
from outcrop.http.bodies import ChunkBody, SectionsBody
from outcrop.http.described import problems
from outcrop.http.results import Chunks, CutChunk, SectionResult, Sections
from outcrop.http.service import Served
from outcrop.presentation.reasons import boundary_reason
from outcrop.sections import IndexingConfig, MarkdownSplitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.chunk import Chunk

_MOST_CHARACTERS = 50_000_000

router = APIRouter(prefix="/v1", tags=["chunking"], responses=problems())


@router.post("/chunk", summary="Cut Markdown into chunks")
async def chunk(body: ChunkBody, service: Served) -> Chunks:
    """Return the chunks of a document, each with the reason for its boundary."""
    return await service.jobs.run(lambda: _chunk(body))


@router.post("/sections", summary="Cut Markdown at its headings")
async def sections(body: SectionsBody, service: Served) -> Sections:
    """Return the sections of a document; none is cut because it is long."""
    return await service.jobs.run(lambda: _sections(body))


def _chunk(body: ChunkBody) -> Chunks:
    chunker = MarkdownChunker(body.config())
    tree = chunker.chunk_hierarchical(body.text) if body.tree else None
    chunks = chunker.chunk(body.text) if tree is None else tree.get_flat_chunks()
    _refuse_too_much(chunks)
    return Chunks(
        strategy=str(chunks[0].metadata["strategy"]) if chunks else "",
        chunks=[
            CutChunk(**asdict(chunk), reason=boundary_reason(chunk)) for chunk in chunks
        ],
        tree=tree.to_tree_dict() if tree is not None else None,
    )


def _refuse_too_much(chunks: Sequence[Chunk]) -> None:
    """Refuse an answer far larger than its question.

    Every chunk repeats the headings above it, so a page-long heading over many small
    sections becomes gigabytes.
    """
    size = sum(
        len(chunk.content) + 2 * len(chunk.metadata["header_path"]) for chunk in chunks
    )
    if size > _MOST_CHARACTERS:
        raise InputError(
            f"the answer would have {size:,} characters, but at most "
            f"{_MOST_CHARACTERS:,} are sent: shorten the headings or send less text"
        )


def _sections(body: SectionsBody) -> Sections:
    config = IndexingConfig(
        body.max_tokens_per_section,
        max_depth=body.max_depth,
        content_scope=body.content_scope,
    )
    digest = sha256(body.text.encode()).hexdigest()
    found = MarkdownSplitter(config).split(body.text, body.document_path, digest)
    return Sections(sections=[SectionResult.model_validate(item) for item in found])
