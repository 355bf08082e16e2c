"""Cutting a document of the request; nothing is stored."""

from __future__ import annotations

from dataclasses import asdict
from hashlib import sha256
from typing import TYPE_CHECKING

from fastapi import APIRouter

from outcrop.chunking.chunker import MarkdownChunker
from outcrop.errors import InputError
from outcrop.http.problems import problems
from outcrop.http.requests import MAX_CHUNKS, ChunkBody, SectionsBody
from outcrop.http.results import Chunks, CutChunk, Sections
from outcrop.http.service import Served
from outcrop.markdown import parse
from outcrop.presentation.reasons import boundary_reason
from outcrop.sections import IndexingConfig, MarkdownSplitter

if TYPE_CHECKING:
    from outcrop.markdown import Document

MAX_ANSWER_CHARS = 50_000_000

router = APIRouter(prefix="/v1", tags=["chunking"], responses=problems())


@router.post("/chunk", summary="Cut Markdown into chunks")
async def chunk(body: ChunkBody, service: Served) -> Chunks:
    """Return the chunks of a document, each with the reason for its boundary."""
    return await service.jobs.run(lambda: _chunk(body))


@router.post("/sections", summary="Cut Markdown at its headings")
async def sections(body: SectionsBody, service: Served) -> Sections:
    """Return the sections of a document; long ones are not split."""
    return await service.jobs.run(lambda: _sections(body))


def _chunk(body: ChunkBody) -> Chunks:
    chunker = MarkdownChunker(body.config())
    document = parse(body.text)
    _reject_large_answer(document, body.max_chunk_size)
    if body.tree:
        _reject_many_headings(document)
    tree = chunker.chunk_hierarchical(body.text) if body.tree else None
    chunks = chunker.chunk(body.text) if tree is None else tree.get_flat_chunks()
    return Chunks(
        strategy=str(chunks[0].metadata["strategy"]) if chunks else "",
        chunks=[
            CutChunk(**asdict(chunk), reason=boundary_reason(chunk)) for chunk in chunks
        ],
        tree=tree.to_tree_dict() if tree is not None else None,
    )


def _reject_many_headings(document: Document) -> None:
    """Reject a document whose headings would give too many chunks or sections.

    Raises:
        InputError: It has more than `MAX_CHUNKS` headings.
    """
    if len(document.headings) > MAX_CHUNKS:
        raise InputError(
            f"the document has {len(document.headings):,} headings, but the maximum "
            f"is {MAX_CHUNKS:,}; send less text"
        )


def _reject_large_answer(document: Document, limit: int) -> None:
    """Reject a document whose answer would be too large, before any work on it.

    Every chunk repeats the headings above it, as a path and as a list.

    Raises:
        InputError: The answer would hold more than `MAX_ANSWER_CHARS` characters.
    """
    size = _estimate(document, limit)
    if size > MAX_ANSWER_CHARS:
        raise InputError(
            f"the answer may have {size:,} characters, but the maximum is "
            f"{MAX_ANSWER_CHARS:,}; shorten the headings or send less text"
        )


def _estimate(document: Document, limit: int) -> int:
    """Estimate the characters of the chunks and their paths."""
    size = end = len(document.text)
    paths: list[int] = []
    for heading, title in zip(document.headings, document.titles, strict=True):
        above = paths[heading.parent] if heading.parent >= 0 else 0
        paths.append(above + 1 + len(title))
    for heading, path in zip(reversed(document.headings), reversed(paths), strict=True):
        parts = max(1, (end - heading.start) // limit)
        size += 2 * path * parts
        end = heading.start
    return size


def _sections(body: SectionsBody) -> Sections:
    config = IndexingConfig(
        body.max_tokens_per_section,
        max_depth=body.max_depth,
        content_scope=body.content_scope,
    )
    _reject_many_headings(parse(body.text))
    digest = sha256(body.text.encode()).hexdigest()
    found = MarkdownSplitter(config).split(body.text, body.document_path, digest)
    return Sections.of(sections=found)
