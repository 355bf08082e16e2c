"""What a run would do, without doing it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from outcrop.indexing.files.changes import find_changes
from outcrop.indexing.project import resolve_paths
from outcrop.indexing.report import IndexReport

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.files.changes import Changes


def preview(changes: Changes, started: float) -> IndexReport:
    """Return what would be done about some changes.

    Args:
        changes: What is different.
        started: When the run began, by the monotonic clock.
    """
    planned = sorted(file.path for file in changes.plan)
    return IndexReport(
        added=[path for path in planned if path not in changes.known],
        changed=[path for path in planned if path in changes.known],
        removed=sorted(changes.gone),
        unchanged=changes.unchanged,
        problems=sorted(changes.problems, key=lambda problem: problem.path),
        skipped=dict(changes.found.skipped),
        outside_links=changes.found.outside_links,
        secrets=changes.found.secrets,
        seconds=time.monotonic() - started,
        dry_run=True,
    )


def preview_first(
    paths: Iterable[Path], project: Path, config: IndexConfig
) -> IndexReport:
    """Return what the first run would do, where there is no index yet.

    Args:
        paths: Files and folders; relative ones are relative to the project.
        project: The folder that is to hold the index.
        config: How to index.

    Raises:
        InputError: There is nothing at a path.
    """
    started = time.monotonic()
    roots = resolve_paths(paths, project)
    return preview(find_changes(roots, project, config, {}, None), started)
