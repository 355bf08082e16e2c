"""`outline`: the sections or symbols of a document, or the documents there are."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.errors import NotFoundError
from outcrop.mcp.answers import Answer, make_answer
from outcrop.mcp.source import (
    IndexSource,
    documents_below,
    find_document,
    reject_empty,
)
from outcrop.model.stored import Document, StoredChunk
from outcrop.presentation.text import shorten
from outcrop.text.marks import on_one_line

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex

_MAX_ENTRIES = 1_000
_MAX_TITLE_CHARS = 120
_BEFORE = "(before the first heading)"


class OutlineEntry(BaseModel):
    """A section, a symbol or a document."""

    title: str
    depth: int = Field(description="0 for the outermost")
    id: str | None = Field(default=None, description="Id that read_chunk takes")
    path: str | None = Field(default=None, description="Path of a document")
    start_line: int | None = None
    end_line: int | None = None
    tokens: int | None = Field(
        default=None, description="Tokens, including subsections"
    )


class Outline(Answer):
    """Entries in order."""

    path: str | None = Field(default=None, description="The document")
    entries: list[OutlineEntry]
    left_out: int = Field(description="Entries beyond the limit")


@dataclass(slots=True)
class _Section:
    """A section, while its chunks are collected."""

    chunk: StoredChunk
    headings: tuple[str, ...]
    end_line: int
    end_offset: int
    tokens: int = 0


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def outline(
        path: Annotated[
            str,
            Field(
                description="Path of a document or a folder; without one, all documents"
            ),
        ] = "",
        depth: Annotated[
            int, Field(ge=1, le=20, description="Number of levels to show")
        ] = 6,
        limit: Annotated[
            int, Field(ge=1, le=_MAX_ENTRIES, description="Maximum number of entries")
        ] = 100,
        after: Annotated[
            int, Field(ge=0, description="Number of entries to skip at the start")
        ] = 0,
    ) -> Annotated[CallToolResult, Outline]:
        """Show how a document is built: its sections or symbols with lines and ids.

        For a folder it lists the documents below it, and without a path all of them.
        """
        shown, every = _entries(source.get(), path)
        entries = [entry for entry in every if entry.depth < depth]
        page = entries[after : after + limit]
        left_out = max(0, len(entries) - after - len(page))
        value = Outline(path=shown, entries=page, left_out=left_out)
        return make_answer(value, _as_text(value, after))

    return outline


def _entries(index: "AnyIndex", path: str) -> tuple[str | None, list[OutlineEntry]]:
    """Return the path of a document with its sections, or None with documents."""
    if path.strip():
        try:
            shown = find_document(index, path).path
        except NotFoundError:
            documents = documents_below(index, path)
            if not documents:
                raise
        else:
            sections = _sections(index.store.chunks_of(shown))
            return shown, list(_section_entries(sections))
    else:
        documents = index.documents()
        if not documents:
            reject_empty(index)
    return None, [_document_entry(document) for document in documents]


def _sections(chunks: Iterable[StoredChunk]) -> list[_Section]:
    """Group chunks that are under the same headings."""
    found: list[_Section] = []
    around: list[_Section] = []
    for chunk in chunks:
        if chunk.start_offset is None or chunk.kind == "document":
            continue
        headings = tuple(chunk.section_path)
        end, end_line = chunk.end_offset or 0, chunk.end_line or 0
        while around and around[-1].end_offset <= chunk.start_offset:
            if around[-1].headings == headings:
                break
            around.pop()
        if not around or around[-1].headings != headings:
            around.append(_Section(chunk, headings, end_line, end))
            found.append(around[-1])
        here = around[-1]
        here.end_line = max(here.end_line, end_line)
        here.end_offset = max(here.end_offset, end)
        if chunk.is_leaf:
            for section in around:
                section.tokens += chunk.token_count or 0
    return found


def _section_entries(sections: Sequence[_Section]) -> Iterator[OutlineEntry]:
    outermost = min((len(s.headings) for s in sections if s.headings), default=1)
    for section in sections:
        chunk, headings = section.chunk, section.headings
        title = chunk.metadata.get("signature") or chunk.title
        title = title or (headings[-1] if headings else _BEFORE)
        yield OutlineEntry(
            title=shorten(title, _MAX_TITLE_CHARS),
            depth=max(0, len(headings) - outermost),
            id=chunk.id,
            start_line=chunk.start_line,
            end_line=section.end_line,
            tokens=section.tokens,
        )


def _document_entry(document: Document) -> OutlineEntry:
    title = shorten(document.title or document.path, _MAX_TITLE_CHARS)
    return OutlineEntry(title=title, depth=0, path=document.path)


def _as_text(value: Outline, after: int) -> str:
    lines = [value.path] if value.path else []
    lines += map(_line, value.entries)
    if value.left_out:
        further = after + len(value.entries)
        lines.append(f"[{value.left_out} more: after={further}]")
    return "\n".join(lines) or "no entries"


def _line(entry: OutlineEntry) -> str:
    title = on_one_line(entry.title)
    if entry.path is not None:
        path = on_one_line(entry.path)
        return f"{path}  {title}" if entry.title != entry.path else path
    indent = "  " * entry.depth
    lines = f"{entry.start_line}-{entry.end_line}"
    return f"{indent}{title}  {lines}  {entry.tokens} tokens  [{entry.id}]"
