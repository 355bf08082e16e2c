"""Previews a run without writing anything."""

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
    """Return the report of a run that would process some changes.

    Args:
        changes: The changes.
        started: Start of the run, by the monotonic clock.
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
    """Return the report of the first run of a project without an index.

    Args:
        paths: Files and folders; relative ones are relative to the project.
        project: The folder that will hold the index.
        config: The settings.

    Raises:
        InputError: A path does not exist.
    """
    started = time.monotonic()
    roots = resolve_paths(paths, project)
    return preview(find_changes(roots, project, config, {}, None), started)
