"""`index_status`: what is in the index, and how much of it is out of date."""

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.mcp.answers import make_answer
from outcrop.mcp.source import IndexSource
from outcrop.model.stored import Document

# Looking at more files would take seconds on a slow disk.
_MOST_FILES = 20_000


class Status(BaseModel):
    """Counts of what is stored."""

    project: str = Field(description="The folder that paths are relative to")
    name: str | None = Field(default=None, description="Its name in the database")
    documents: dict[str, int] = Field(description="How many, by kind")
    chunks: int = Field(description="Chunks that search finds")
    symbols: int = Field(description="Symbols of the code graph")
    embedder: str | None = Field(default=None, description="What made the embeddings")
    missing_embeddings: int
    changed: int = Field(description="Documents whose file is newer than the index")
    gone: int = Field(description="Documents whose file is no longer there")
    advice: str | None = Field(default=None, description="What to run, if anything")


def bind(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def index_status() -> Annotated[CallToolResult, Status]:
        """Say what is indexed, how much, and whether files changed since."""
        index = source.get()
        found, documents = index.status(), index.documents()
        changed, gone = _compare(documents, index.project)
        contents = found.contents
        value = Status(
            project=found.project,
            name=found.name,
            documents=dict(Counter(document.kind for document in documents)),
            chunks=contents.indexable,
            symbols=contents.nodes,
            embedder=contents.embedder.name if contents.embedder else None,
            missing_embeddings=contents.unembedded,
            changed=changed,
            gone=gone,
            advice=_advise(bool(documents), contents.unembedded, changed + gone),
        )
        return make_answer(value, _as_text(value))

    return index_status


def _compare(documents: Iterable[Document], project: Path) -> tuple[int, int]:
    """Count the documents whose file is different now, and those without one."""
    changed = gone = 0
    for document, _ in zip(documents, range(_MOST_FILES), strict=False):
        try:
            file = (project / document.path).stat()
        except (OSError, ValueError):
            gone += 1
            continue
        same = (file.st_mtime_ns, file.st_size)
        changed += same != (document.modified_ns, document.size_bytes)
    return changed, gone


def _advise(filled: bool, unembedded: int, stale: int) -> str | None:  # noqa: FBT001 - private
    if not filled:
        return "the index is empty; fill it with: outcrop index PATH"
    if unembedded:
        return "some chunks have no embedding; run: outcrop reembed"
    return "files changed; bring it up to date with: outcrop index" if stale else None


def _as_text(value: Status) -> str:
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(value.documents.items()))
    lines = [
        f"project: {f'{value.name}, ' if value.name else ''}{value.project}",
        f"documents: {kinds or 'none'}",
        f"chunks: {value.chunks:,}",
        f"symbols: {value.symbols:,}",
        f"files changed since: {value.changed:,}; gone: {value.gone:,}",
    ]
    if value.advice:
        lines.append(value.advice)
    return "\n".join(lines)
