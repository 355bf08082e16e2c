"""`index_status` and `reindex`: what is in the index, and bringing it up to date.

`reindex` is the only tool that writes, so it is offered only where the user asked for
it. It reads files of the project alone: the resolved path decides, so neither `..` nor a
link gets out. Files that may hold secrets are not indexed by name.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Annotated, Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from outcrop.errors import InputError
from outcrop.mcp.answers import make_answer
from outcrop.mcp.source import IndexSource, refuse_empty
from outcrop.model.stored import Document

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.indexing.report import IndexReport, Progress

# Looking at more files would take seconds on a slow disk.
_MAX_FILES = 20_000
_MAX_PROBLEMS = 20
_MAX_PATHS = 100


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


def bind_status(source: IndexSource) -> Callable[..., CallToolResult]:
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
        return make_answer(value, _status_text(value))

    return index_status


def _compare(documents: Iterable[Document], project: Path) -> tuple[int, int]:
    """Count the documents whose file is different now, and those without one."""
    changed = gone = 0
    for document, _ in zip(documents, range(_MAX_FILES), strict=False):
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


def _status_text(value: Status) -> str:
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


class Reindexed(BaseModel):
    """The result of a run."""

    paths: list[str] = Field(description="The indexed paths")
    added: int
    changed: int
    removed: int
    unchanged: int
    problems: list[str] = Field(description="Files that could not be indexed, and why")


class _StoppedError(Exception):
    """Nobody waits for the result any more."""


def bind_reindex(
    source: IndexSource,
) -> Callable[..., Coroutine[Any, Any, CallToolResult]]:
    """Make the tool for an index."""
    running = Lock()

    async def reindex(
        context: Context,
        paths: Annotated[
            list[str] | None,
            Field(
                max_length=_MAX_PATHS,
                description="Files and folders of the project; without them, the "
                "folders that the index has documents from",
            ),
        ] = None,
    ) -> Annotated[CallToolResult, Reindexed]:
        """Bring the index up to date: new, changed and removed files of the project.

        Unchanged files cost next to nothing.
        """
        if not running.acquire(blocking=False):
            raise ToolError(
                "the index is being brought up to date already; wait for it"
            )
        stop = Event()

        def tell(progress: "Progress") -> None:
            if stop.is_set():
                raise _StoppedError("the agent no longer waits for it")
            done, total = progress.files, progress.total_files
            if total:
                anyio.from_thread.run(context.report_progress, done, total)

        def work() -> CallToolResult:
            try:
                index = source.get()
                chosen = _check(index, paths) if paths else _indexed_folders(index)
                report = index.index(chosen, on_progress=tell)
                return _report(chosen, report)
            finally:
                running.release()

        try:
            # A call that is cancelled ends after the batch that is under way: what is
            # stored by then stays, and the next run goes on from there.
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        finally:
            stop.set()

    return reindex


def _check(index: "Index", paths: Sequence[str]) -> list[str]:
    """Return paths, if everything below them may be indexed.

    Raises:
        InputError: One leads out of the project, itself or by a link below it, or is a
            file that may hold secrets.
    """
    from outcrop.indexing.files.allowed import find_forbidden

    forbidden = find_forbidden(paths, index.project, index.config)
    if forbidden is not None:
        reason = (
            "leads outside the project"
            if forbidden.reason == "outside"
            else "may hold secrets, by its name"
        )
        raise InputError(
            f"{forbidden.path[:200]!r} {reason}; its user can index it with: outcrop"
            " index PATH"
        )
    return list(paths)


def _indexed_folders(index: "Index") -> list[str]:
    """Return the folders that documents are from: the innermost below each top one."""
    below: dict[str, list[str]] = defaultdict(list)
    for document in index.documents():
        if not document.path.startswith("/"):
            below[document.path.partition("/")[0]].append(document.path)
    if not below:
        refuse_empty(index)
    return [os.path.commonpath(paths) for paths in below.values()]


def _report(paths: list[str], report: "IndexReport") -> CallToolResult:
    problems = [f"{p.path}: {p.reason}" for p in report.problems[:_MAX_PROBLEMS]]
    value = Reindexed(
        paths=paths,
        added=len(report.added),
        changed=len(report.changed),
        removed=len(report.removed),
        unchanged=report.unchanged,
        problems=problems,
    )
    text = (
        f"{value.added:,} added, {value.changed:,} changed, {value.removed:,} removed,"
        f" {value.unchanged:,} unchanged"
    )
    left_out = len(report.problems)
    if left_out:
        text += f"\n{left_out:,} left out:\n" + "\n".join(problems)
    text += _named("links out of the project, not followed", report.outside_links)
    text += _named("left out, may hold secrets", report.secrets)
    return make_answer(value, text)


def _named(what: str, paths: Sequence[str]) -> str:
    if not paths:
        return ""
    return f"\n{len(paths):,} {what}:\n" + "\n".join(paths[:_MAX_PROBLEMS])
