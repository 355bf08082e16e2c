"""Writing over all cores, in worker processes with connections of their own.

A group of files whose worker ended is written again after all others, file by file, in
one worker: the system may have run out of memory because of another file. A file that
ends that worker too is reported, and the others are stored.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.errors import OutcropError
from outcrop.indexing.writer import Writer
from outcrop.indexing.written import Written
from outcrop.process_pool import Failure, run_tasks
from outcrop.providers.registry import is_bundled, open_embedder
from outcrop.store.database import Database, DatabaseKey
from outcrop.store.leases import hold_lease, share_lease
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.run import Runner
    from outcrop.indexing.writer import Group

PARALLEL_BYTES = 1_000_000
"""Less than this is written sooner than a process starts."""
_MAX_WORKERS = 12
"""Each has two connections, and fewer keep a server busy."""
WRITERS = "index writers"
"""The lease that workers share, as long as they may write."""


@dataclass(frozen=True, slots=True)
class _Abort:
    """An error that ends the run, on its way from a worker."""

    kind: type[BaseException]
    message: str
    details: dict[str, Any]

    @classmethod
    def of(cls, error: BaseException) -> _Abort:
        return cls(type(error), str(error), dict(vars(error)))

    def error(self) -> BaseException:
        """Return the error again; its class may have other arguments than a message."""
        error = self.kind.__new__(self.kind, self.message)
        error.__dict__.update(self.details)
        return error


@dataclass(slots=True)
class _Writing:
    """The job of the workers.

    Attributes:
        key: The database.
        embedder: The name of the embedder.
        config: How to index.
        caller: The id of the process that the workers work for.
    """

    key: DatabaseKey
    embedder: str
    config: IndexConfig
    caller: int = field(default_factory=os.getpid)
    _writer: Writer | None = field(default=None, init=False, repr=False)
    _open: ExitStack | None = field(default=None, init=False, repr=False)

    def prepare(self) -> None:
        """Do nothing: an error would end the worker, so the first group opens."""

    def run(self, group: Group) -> Written | _Abort:
        try:
            if self._writer is None:
                self._writer = self._open_writer()
            return self._writer.write(group)
        except (OutcropError, OSError) as error:
            return _Abort.of(error)

    def _open_writer(self) -> Writer:
        self._open = ExitStack()
        database = self._open.enter_context(Database.join(self.key))
        self._open.enter_context(share_lease(database, WRITERS))
        # If the run was killed before this, the next one may not have waited for us.
        if os.getppid() != self.caller:
            raise OutcropError("the run that this worker belongs to has ended")
        store = PostgresStore(database)
        return Writer(store, open_embedder(self.embedder), self.config)


def await_writers(database: Database) -> None:
    """Wait for the workers of a run that was killed, which finish what they are at."""
    with hold_lease(database, WRITERS):
        pass


def write_groups(
    runner: Runner, groups: Iterable[Group], *, size_bytes: int
) -> Iterator[Written]:
    """Write groups of files, in any order; yield what was done with each.

    An embedder that other processes cannot open, and a language model, are called from
    this process: they take longer than everything else.

    Args:
        runner: The run's database, models and settings.
        groups: The groups.
        size_bytes: Their total size, which decides whether to start processes.
    """
    config = runner.config
    is_small = config.processes == 1 or size_bytes < PARALLEL_BYTES
    is_alone = not is_bundled(runner.embedder) or config.summaries == "llm"
    if is_small or is_alone or not sys.executable:
        writer = Writer(runner.store, runner.embedder, config)
        yield from map(writer.write, groups)
        return
    job = _Writing(runner.database.key, runner.embedder.name, config)
    failed: list[Group] = []
    for answer in run_tasks(job, groups, min(config.processes, _MAX_WORKERS)):
        if isinstance(answer, Failure):
            failed += ([task] for task in answer.task)
        else:
            yield _result(answer)
    for answer in run_tasks(job, failed, 1) if failed else ():
        if isinstance(answer, Failure):
            rejected = Written()
            rejected.reject(answer.task[0].path, answer.reason)
            yield rejected
        else:
            yield _result(answer)


def _result(answer: Written | _Abort) -> Written:
    if isinstance(answer, _Abort):
        raise answer.error()
    return answer
