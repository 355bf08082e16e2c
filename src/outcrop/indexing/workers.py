"""Chunking over all cores, in worker processes.

A file that ends a worker is tried again after all others, alone, in a worker of its own:
the system may have run out of memory because of another file. A file that ends that one
too is reported, and the others are stored.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from outcrop.errors import INTERRUPTS, describe_failure
from outcrop.indexing.documents.prepare import Prepared, Task, prepare_bytes
from outcrop.process_pool import Failure, run_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.config import IndexConfig

PARALLEL_BYTES = 1_000_000
"""Less than this is chunked sooner than a process starts."""


class _Preparation(NamedTuple):
    """The job of the workers."""

    config: IndexConfig

    def prepare(self) -> None:
        """Do nothing: a worker needs nothing beside the settings."""

    def run(self, task: Task) -> Prepared:
        return prepare_file(task, self.config)


def prepare_files(
    tasks: Sequence[Task], config: IndexConfig, *, size_bytes: int
) -> Iterator[Prepared]:
    """Yield the documents of files, in any order.

    Args:
        tasks: The files.
        config: The settings.
        size_bytes: Their total size, which decides whether to start processes.
    """
    count = min(config.processes, len(tasks))
    if count < 2 or size_bytes < PARALLEL_BYTES or not sys.executable:  # noqa: PLR2004 - one process is the caller's own
        for task in tasks:
            yield prepare_file(task, config)
        return
    job = _Preparation(config)
    ended: list[Task] = []
    for answer in run_tasks(job, tasks, count):
        if isinstance(answer, Failure) and answer.worker_ended:
            ended.append(answer.task)
        else:
            yield _prepared(answer)
    for task in ended:
        yield from map(_prepared, run_tasks(job, [task], 1))


def prepare_file(task: Task, config: IndexConfig) -> Prepared:
    """Read and prepare one file; a problem is part of the result."""
    try:
        data = task.content.data if task.content else Path(task.file).read_bytes()
    except OSError:
        return Prepared(path=task.path, problem="unreadable", keeps_stored=True)
    try:
        return prepare_bytes(task, data, config)
    except INTERRUPTS:
        raise
    except BaseException as error:  # noqa: BLE001 - a panic of a native parser is not an Exception
        return _failed(task, describe_failure(error))


def _prepared(answer: Prepared | Failure[Task]) -> Prepared:
    if isinstance(answer, Failure):
        return _failed(answer.task, answer.reason)
    return answer


def _failed(task: Task, problem: str) -> Prepared:
    return Prepared(path=task.path, problem=problem, keeps_stored=True)
