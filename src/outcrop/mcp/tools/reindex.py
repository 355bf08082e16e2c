"""`reindex`: bring the index up to date with files of the project.

The one tool that writes, so that it is offered only where the user asked for it. It
reads files of the project alone: what counts is where a path leads in the end, so that
neither `..` nor a link gets out. Files that may hold secrets are not taken by name.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
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

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.indexing.report import IndexReport, Progress

_MAX_PROBLEMS = 20
_MAX_PATHS = 100


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


def bind(source: IndexSource) -> Callable[..., Coroutine[Any, Any, CallToolResult]]:
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
                return _answer(chosen, report)
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
    """Return paths, if everything below them is in the project.

    Raises:
        InputError: One leads elsewhere, itself or by a link below it, or is a file
            that may hold secrets.
    """
    from outcrop.indexing.files.discover import discover
    from outcrop.indexing.files.ignore import named_secret
    from outcrop.indexing.project import resolve_paths

    project = os.path.realpath(index.project)
    resolved = resolve_paths(paths, index.project)
    for given, path in zip(paths, resolved, strict=False):
        _refuse_outside(path, project, given)
        if not index.config.include_secrets and named_secret(path):
            raise InputError(
                f"{given[:200]!r} may hold secrets, by its name; its user can index it"
                " with: outcrop index PATH"
            )
    # With links, to reject those that the run would silently skip.
    config = replace(index.config, follow_links=True)
    found = discover(resolved, index.project, config)
    for name, file in found.files.items():
        _refuse_outside(file.file, project, name)
    return [str(path) for path in paths]


def _refuse_outside(path: Path, project: str, name: str) -> None:
    real = os.path.realpath(path)
    if real != project and not real.startswith(f"{project.rstrip('/')}/"):
        raise InputError(
            f"{name[:200]!r} leads outside the project; its user can index it with:"
            " outcrop index PATH"
        )


def _indexed_folders(index: "Index") -> list[str]:
    """Return the folders that documents are from: the innermost below each top one."""
    below: dict[str, list[str]] = defaultdict(list)
    for document in index.documents():
        if not document.path.startswith("/"):
            below[document.path.partition("/")[0]].append(document.path)
    if not below:
        refuse_empty(index)
    return [os.path.commonpath(paths) for paths in below.values()]


def _answer(paths: list[str], report: "IndexReport") -> CallToolResult:
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
