"""Parsing the files of a project over all cores, in worker processes.

A grammar that crashes ends one worker, not the caller. The files of the batch that the
worker was at are then parsed again one by one: the file that crashes the parser is
reported, and the others are kept.
"""

from __future__ import annotations

import gc
import marshal
import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.codegraph.parse import MAX_RECURSION, deep_recursion, parse_file, prepare
from outcrop.codegraph.parsed import ParsedFile, pack, unpack
from outcrop.errors import INTERRUPTS, MissingExtraError, describe_failure
from outcrop.process_pool import Failure, may_fork, run_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Batch = list[tuple[str, str]]
"""(path, language) of files that a worker parses in one go."""
MIN_PARALLEL_BYTES = 600_000
"""Source below which parsing is faster than starting an interpreter."""
MIN_FORK_BYTES = 100_000
"""Source below which parsing is faster than forking."""
_BATCHES_PER_WORKER = 4
"""More of them balance the load better and move smaller answers; each has a cost."""


class Outcome(NamedTuple):
    """The result of parsing one file."""

    path: str
    facts: ParsedFile | None
    problem: str
    missing: str
    """The language whose grammar is not installed."""


def parse_files(
    root: Path, files: Sequence[tuple[str, str]], workers: int | None = None
) -> list[Outcome]:
    """Parse files, in parallel where that is faster.

    Args:
        root: The folder that the paths are relative to.
        files: (path, language) of each file.
        workers: Number of processes; one per core by default.

    Returns:
        One outcome per file, in the order given.
    """
    count = workers or os.cpu_count() or 1
    folder = f"{root}{os.sep}"
    sizes = [_size(folder + path) for path, _ in files]
    forks = may_fork()
    enough = sum(sizes) >= (MIN_FORK_BYTES if forks else MIN_PARALLEL_BYTES)
    if count == 1 or not enough or not sys.executable:
        with deep_recursion():
            return [_parse(str(root), path, lang) for path, lang in files]
    if forks:  # what is loaded now, no fork has to load again
        for lang in {lang for _, lang in files}:
            with suppress(MissingExtraError):
                prepare(lang)
    batches = _split(files, sizes, count * _BATCHES_PER_WORKER)
    parser = _Parser(str(root))
    by_path = {o.path: o for o in _parse_batches(parser, batches, count, forks=forks)}
    return [by_path[path] for path, _ in files]


class _Parser(NamedTuple):
    """The job of the workers; answers are bytes that `marshal` wrote."""

    root: str

    def prepare(self) -> None:
        gc.disable()  # parsing makes millions of tuples and no cycles
        sys.setrecursionlimit(max(sys.getrecursionlimit(), MAX_RECURSION))

    def run(self, batch: Batch) -> bytes:
        rows = [_pack(_parse(self.root, path, lang)) for path, lang in batch]
        return marshal.dumps(rows)


def _parse_batches(
    parser: _Parser, batches: list[Batch], count: int, *, forks: bool
) -> Iterator[Outcome]:
    single: list[Batch] = []
    for answer in run_tasks(parser, batches, min(count, len(batches)), forks=forks):
        if isinstance(answer, Failure):
            single += [[file] for file in answer.task]
        else:
            yield from _unpack(answer)
    for answer in run_tasks(parser, single, 1) if single else ():
        if isinstance(answer, Failure):
            yield Outcome(answer.task[0][0], None, answer.reason, "")
        else:
            yield from _unpack(answer)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - text: there may be many
    except OSError:
        return 0


def _split(
    files: Sequence[tuple[str, str]], sizes: Sequence[int], count: int
) -> list[Batch]:
    """Divide files into batches of about equal size."""
    order = sorted(range(len(files)), key=lambda i: -sizes[i])
    batches: list[Batch] = [[] for _ in range(min(count, len(files)))]
    loads = [0] * len(batches)
    for index in order:
        lightest = loads.index(min(loads))
        batches[lightest].append(files[index])
        loads[lightest] += sizes[index] + 500
    return batches


def _parse(root: str, path: str, lang: str) -> Outcome:
    try:
        file = Path(root, path)
        if not stat.S_ISREG(file.stat().st_mode):  # a pipe would never end
            return Outcome(path, None, "not a regular file", "")
        raw = file.read_bytes()
        if b"\0" in raw:
            return Outcome(path, None, "binary file", "")
        return Outcome(path, parse_file(path, lang, raw), "", "")
    except MissingExtraError:
        return Outcome(path, None, "", lang)
    except OSError as exc:
        return Outcome(path, None, exc.strerror or "unreadable", "")
    except INTERRUPTS:
        raise
    except BaseException as exc:  # noqa: BLE001 - a panic of a native parser is no Exception
        return Outcome(path, None, describe_failure(exc), "")


def _pack(outcome: Outcome) -> tuple[Any, ...]:
    """Turn an outcome into plain tuples, which `marshal` can write."""
    path, facts, problem, missing = outcome
    return path, None if facts is None else pack(facts), problem, missing


def _unpack(answer: bytes) -> Iterator[Outcome]:
    for path, packed, problem, missing in marshal.loads(answer):  # noqa: S302 - from our worker
        facts = None if packed is None else unpack(packed)
        yield Outcome(path, facts, problem, missing)
