"""Reads one file and makes its document; a problem is part of the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import INTERRUPTS, describe_failure
from outcrop.indexing.documents.prepare import Prepared, Task, prepare_bytes

if TYPE_CHECKING:
    from outcrop.indexing.config import IndexConfig


def prepare_file(task: Task, config: IndexConfig) -> Prepared:
    """Read and prepare one file."""
    try:
        data = task.content.data if task.content else Path(task.file).read_bytes()
    except OSError:
        return Prepared(path=task.path, problem="unreadable", keeps_stored=True)
    try:
        return prepare_bytes(task, data, config)
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a native parser is not an Exception
        problem = describe_failure(error)
        return Prepared(path=task.path, problem=problem, keeps_stored=True)
