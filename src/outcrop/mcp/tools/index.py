"""`index_status` and `reindex`: what is in the index, and bringing it up to date.

`reindex` is the only tool that writes, so it is offered only where the user asked for
it. It reads files of the project alone: the resolved path decides, so neither `..` nor a
link gets out. Files that may hold secrets are not indexed by name.
"""

from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
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
from outcrop.mcp.source import IndexSource, count_changes

if TYPE_CHECKING:
    from outcrop.indexing.report import IndexReport, Progress
    from outcrop.indexing.sharded import AnyIndex

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
    new: int = Field(description="Files without a document")
    changed: int = Field(description="Documents whose file is newer than the index")
    gone: int = Field(description="Documents whose file is no longer there")
    running: str | None = Field(
        default=None, description="Progress of a run that brings it up to date now"
    )
    advice: str | None = Field(default=None, description="What to run, if anything")


def bind_status(source: IndexSource) -> Callable[..., CallToolResult]:
    """Make the tool for an index."""

    def index_status() -> Annotated[CallToolResult, Status]:
        """Say what is indexed, how much, and how many files differ from it."""
        index = source.open()
        found, documents = index.status(), index.documents()
        running = index.running()
        differing = index.compare()
        contents = found.contents
        value = Status(
            project=found.project,
            name=found.name,
            documents=dict(Counter(document.kind for document in documents)),
            chunks=contents.indexable,
            symbols=contents.nodes,
            embedder=contents.embedder.name if contents.embedder else None,
            missing_embeddings=contents.unembedded,
            new=len(differing.new) if differing else 0,
            changed=len(differing.changed) if differing else 0,
            gone=len(differing.gone) if differing else 0,
            running=None if running is None else str(running),
        )
        value.advice = index.note or _advise(
            value, source, is_compared=differing is not None
        )
        text = _status_text(value, count_changes(differing) if differing else None)
        return make_answer(value, text)

    return index_status


def _advise(value: Status, source: IndexSource, *, is_compared: bool) -> str | None:
    if source.problem is not None:
        return f"the index cannot be brought up to date: {source.problem}"
    if value.running is not None:
        return None
    if value.missing_embeddings:
        return "some chunks have no embedding; run: outcrop reembed"
    if not is_compared:
        return "files are not compared: the indexed folder is not here"
    return _advise_update(value, is_refreshed=source.is_refreshed)


def _advise_update(value: Status, *, is_refreshed: bool) -> str | None:
    is_stale = bool(value.new or value.changed or value.gone)
    if is_refreshed:
        return "files changed; they are indexed within seconds" if is_stale else None
    if not value.documents:
        return "the index is empty; fill it with: outcrop index PATH"
    return (
        "files changed; bring it up to date with: outcrop index" if is_stale else None
    )


def _status_text(value: Status, changes: str | None) -> str:
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(value.documents.items()))
    lines = [
        f"project: {f'{value.name}, ' if value.name else ''}{value.project}",
        f"documents: {kinds or 'none'}",
        f"chunks: {value.chunks:,}",
        f"symbols: {value.symbols:,}",
        changes,
        value.running and f"being brought up to date: {value.running}",
        value.advice,
    ]
    return "\n".join(line for line in lines if line)


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
                description="Files and folders of the project; without them, those "
                "that the index was built from, or all",
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
                index = source.open().continued()
                chosen = _check(index, paths) if paths else index.indexed_paths()
                report = index.index(chosen, on_progress=tell)
                return _report(chosen, report)
            finally:
                running.release()

        try:
            # A call that is cancelled ends after the batch that is under way: what is
            # stored by then stays, and the next run continues from there.
            return await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        finally:
            stop.set()

    return reindex


def _check(index: "AnyIndex", paths: Sequence[str]) -> list[str]:
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
