"""Writing over all cores, in worker processes with connections of their own.

Files are divided into groups, each of which one worker writes in one go.

A group of files whose worker ended is written again after all others, file by file, in
one worker: the system may have run out of memory because of another file. A file that
ends that worker too is reported, and the others are stored.
"""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from outcrop.errors import OutcropError
from outcrop.indexing.report import Abort, Written
from outcrop.indexing.writer import Writer
from outcrop.process_pool import Failure, run_tasks, running_tasks, waiting_processes
from outcrop.providers.registry import is_bundled, open_embedder
from outcrop.store.database import Database, DatabaseKey
from outcrop.store.leases import current_run, share_writing
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.run import Runner
    from outcrop.indexing.writer import Group
    from outcrop.providers.embedder import Embedder

PARALLEL_BYTES = 1_000_000
"""Less than this is written sooner than a process starts."""
MIN_SHARED_BYTES = 100_000
"""Less than this is not worth sharing, even with processes that wait already."""
MAX_WORKERS = 12
"""Each has two connections, and fewer keep a server busy."""
_MAX_WAITING = 100
"""Answers that wait while the run does something else; they are short."""
_OBJECTS_PER_COLLECTION = 500_000

_File = TypeVar("_File")

# About two thousand chunks, which is one transaction. Each adds a row for every word in
# it; half as many transactions have three quarters of these rows.
_MAX_BYTES = 800_000
_MIN_BYTES = 50_000
MAX_FILES = 400
# More of them balance the load better; each has a cost.
_GROUPS_PER_WORKER = 4


@dataclass(slots=True)
class WritingJob:
    """The job of the workers.

    Attributes:
        key: The database.
        embedder: Name of the embedder, or the embedder itself.
        config: How to index.
        run_number: The number of the run; workers of an earlier run must not write.
    """

    key: DatabaseKey
    embedder: str | Embedder
    config: IndexConfig
    run_number: int
    _writer: Writer | None = field(default=None, init=False, repr=False, compare=False)
    _database: Database | None = field(
        default=None, init=False, repr=False, compare=False
    )

    def prepare(self) -> None:
        """Prepare the process; an error would end it, so the first group opens."""
        gc.enable()
        # Each group makes many objects that live until it is written, and few cycles.
        gc.set_threshold(_OBJECTS_PER_COLLECTION)

    def run(self, group: Group) -> Written | Abort:
        """Write some files."""
        try:
            with share_writing(self.database, self.run_number):
                return self.writer.write(group)
        except (OutcropError, OSError) as error:
            return Abort.of(error)

    @property
    def database(self) -> Database:
        """The database, on connections of this process."""
        if self._database is None:
            self._database = Database.join(self.key)
        return self._database

    @property
    def writer(self) -> Writer:
        """The writer of this process."""
        if self._writer is None:
            store = PostgresStore(self.database)
            embedder = self.embedder
            if isinstance(embedder, str):
                embedder = open_embedder(embedder)
            self._writer = Writer(store, embedder, self.config)
        return self._writer


@contextmanager
def writing_groups(
    runner: Runner, groups: Iterable[Group], *, size_bytes: int
) -> Iterator[Iterator[Written]]:
    """Write groups of files, in any order; yield an iterator of what was done with each.

    Workers write in the background of the block. This process writes a group when the
    iterator is asked for it. An embedder that other processes cannot open, and a language
    model, are called from this process: they take longer than everything else.

    Args:
        runner: The run's database, models and settings.
        groups: The groups.
        size_bytes: Their total size, which decides whether to use other processes.
    """
    database, config = runner.database, runner.config
    count = _count_workers(runner, size_bytes)
    if not count:
        yield map(Writer(runner.store, runner.embedder, config).write, groups)
        return
    number = current_run(database)
    job = WritingJob(database.key, runner.embedder.name, config, number)
    with running_tasks(job, groups, count, max_waiting=_MAX_WAITING) as answers:
        yield _results(job, answers)


def can_share(config: IndexConfig, embedder: Embedder) -> bool:
    """Return whether other processes may write."""
    is_alone = not is_bundled(embedder) or config.summaries == "llm"
    return config.processes > 1 and not is_alone and bool(sys.executable)


def _count_workers(runner: Runner, size_bytes: int) -> int:
    """Return how many other processes write files of a total size."""
    if not can_share(runner.config, runner.embedder):
        return 0
    if size_bytes >= PARALLEL_BYTES:
        return min(runner.config.processes, MAX_WORKERS)
    return waiting_processes() if size_bytes >= MIN_SHARED_BYTES else 0


def _results(
    job: WritingJob, answers: Iterable[Written | Abort | Failure[Group]]
) -> Iterator[Written]:
    failed: list[Group] = []
    for answer in answers:
        if isinstance(answer, Failure):
            failed += ([task] for task in answer.task)
        else:
            yield result_of(answer)
    for answer in run_tasks(job, failed, 1) if failed else ():
        if isinstance(answer, Failure):
            rejected = Written()
            rejected.reject(answer.task[0].path, answer.reason)
            yield rejected
        else:
            yield result_of(answer)


def result_of(answer: Written | Abort) -> Written:
    """Return the answer of a worker, or raise the error that ends the run."""
    if isinstance(answer, Abort):
        raise answer.error()
    return answer


def group_by_size(
    files: Iterable[tuple[_File, int]], *, size_bytes: int, workers: int
) -> Iterator[list[_File]]:
    """Yield groups of files, which come with their sizes, in the order given.

    `size_bytes` is the size of all of them, which some workers share.
    """
    enough = group_bytes(size_bytes, workers)
    group: list[_File] = []
    size = 0
    for file, file_size in files:
        group.append(file)
        size += file_size
        if size >= enough or len(group) == MAX_FILES:
            yield group
            group, size = [], 0
    if group:
        yield group


def group_bytes(size_bytes: int, workers: int) -> int:
    """Return the size of a group, where some workers share files of a total size."""
    share = size_bytes // (workers * _GROUPS_PER_WORKER)
    return min(_MAX_BYTES, max(_MIN_BYTES, share))


def spread_first(
    files: Sequence[_File], sizes: Sequence[int], *, workers: int
) -> list[_File]:
    """Return files with a sample of about one group first, the others in order.

    The weights of words depend on the average length of chunks, which the first group
    of a new index decides. If it is far from that of the others, all weights are
    computed again. Chunks of large files are longer, so the sample has files of all
    sizes, as many of each as there are.
    """
    size = sum(sizes)
    step = max(1, size // group_bytes(size, workers))
    by_size = sorted(range(len(files)), key=sizes.__getitem__)
    sample = sorted(by_size[step // 2 :: step])
    taken = set(sample)
    others = (file for at, file in enumerate(files) if at not in taken)
    return [*(files[at] for at in sample), *others]
