"""Parsing over all cores, in processes of their own.

A grammar that crashes takes one batch of files with it, not the caller. Workers are
forks where that is safe, which is in a process with one thread on Linux: a fork starts
in no time. Elsewhere, and for batches that brought a fork down, they are plain
interpreters that read file names and write facts.
"""

from __future__ import annotations

import marshal
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.codegraph.parse import deep_recursion, parse_file, prepare
from outcrop.codegraph.parsed import ParsedFile, pack, unpack
from outcrop.errors import INTERRUPTS, MissingExtraError, describe_failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Batch = list[tuple[str, str]]
_COMMAND = "from outcrop.codegraph.workers import main; main()"
MIN_PARALLEL_BYTES = 600_000
"""Source below which parsing is faster than starting an interpreter."""
MIN_FORK_BYTES = 100_000
"""Source below which parsing is faster than forking."""


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
    """Parse files, in parallel where that pays.

    Args:
        root: The folder that the paths are relative to.
        files: (path, language) of each file.
        workers: How many processes; as many as there are cores by default.

    Returns:
        One outcome per file, in the order given.
    """
    count = workers or os.cpu_count() or 1
    folder = f"{root}{os.sep}"
    sizes = [_size(folder + path) for path, _ in files]
    forks = _may_fork()
    enough = sum(sizes) >= (MIN_FORK_BYTES if forks else MIN_PARALLEL_BYTES)
    if count == 1 or not enough or not sys.executable:
        return _parse_all(str(root), files)
    batches = _split(files, sizes, count)
    run = _run_forks if forks else _run_workers
    by_path = {o.path: o for rows in run(str(root), batches) for o in rows}
    return [by_path[path] for path, _ in files]


def _may_fork() -> bool:
    """Whether a fork is safe: another thread may hold a lock that never opens again."""
    return sys.platform == "linux" and threading.active_count() == 1


def _run_forks(root: str, batches: Sequence[Batch]) -> Iterator[list[Outcome]]:
    # What is loaded now, no fork has to load again.
    for lang in {lang for batch in batches for _, lang in batch}:
        with suppress(MissingExtraError):
            prepare(lang)
    started = [_fork(root, batch) for batch in batches]
    try:
        for batch in batches:
            process, pipe = started[0]
            with open(pipe, "rb", closefd=False) as answers:
                raw = answers.read()
            _, status = os.waitpid(process, 0)
            os.close(pipe)
            started.pop(0)
            # Our own process wrote this; one that ended too soon is tried again.
            rows = marshal.loads(raw) if status == 0 else _run_worker(root, batch)  # noqa: S302
            yield list(map(_unpack, rows))
    finally:
        for process, pipe in started:  # still running after an error or an interrupt
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(pipe)


def _fork(root: str, batch: Batch) -> tuple[int, int]:
    """Start a fork that parses files; return its id and the pipe it answers on."""
    answers, questions = os.pipe()
    process = os.fork()
    if process:
        os.close(questions)
        return process, answers
    try:
        raw = marshal.dumps(list(map(_pack, _parse_all(root, batch))))
        with open(questions, "wb") as pipe:  # noqa: PTH123 - a pipe has no path
            pipe.write(raw)
        os._exit(0)
    finally:
        # Nothing of the caller's may run twice: no handler, no flush, no exception.
        os._exit(1)


def _run_workers(root: str, batches: Sequence[Batch]) -> Iterator[list[Outcome]]:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(batches)) as pool:
        for rows in pool.map(lambda batch: _run_worker(root, batch), batches):
            yield list(map(_unpack, rows))


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - text: there may be many
    except OSError:
        return 0


def _split(
    files: Sequence[tuple[str, str]], sizes: Sequence[int], count: int
) -> list[Batch]:
    """Cut files into batches of about equal size, large batches first."""
    order = sorted(range(len(files)), key=lambda i: -sizes[i])
    batches: list[Batch] = [[] for _ in range(min(count, len(files)))]
    loads = [0] * len(batches)
    for index in order:
        lightest = loads.index(min(loads))
        batches[lightest].append(files[index])
        loads[lightest] += sizes[index] + 500
    return batches


def _run_worker(root: str, batch: Batch) -> list[Any]:
    import subprocess

    process = subprocess.run(  # noqa: S603 - our own module, in our own interpreter
        [sys.executable, "-P", "-c", _COMMAND],
        input=marshal.dumps((root, batch)),
        stdout=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    if process.returncode == 0:
        rows: list[Any] = marshal.loads(process.stdout)  # noqa: S302 - from our worker
        return rows
    if len(batch) == 1:
        reason = f"the parser ended with status {process.returncode}"
        return [(batch[0][0], None, reason, "")]
    # One file crashed the worker: find it, and keep the others.
    half = len(batch) // 2
    return _run_worker(root, batch[:half]) + _run_worker(root, batch[half:])


def _parse_all(root: str, files: Sequence[tuple[str, str]]) -> list[Outcome]:
    with deep_recursion():
        return [_parse(root, path, lang) for path, lang in files]


def _parse(root: str, path: str, lang: str) -> Outcome:
    try:
        raw = Path(root, path).read_bytes()
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


def _unpack(row: tuple[Any, ...]) -> Outcome:
    path, packed, problem, missing = row
    return Outcome(path, None if packed is None else unpack(packed), problem, missing)


def main() -> None:
    """Parse the files named on standard input; write their facts."""
    import gc

    gc.disable()
    root, files = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from our parent
    sys.stdout.buffer.write(marshal.dumps(list(map(_pack, _parse_all(root, files)))))
    sys.stdout.flush()
    # Exit at once: deallocating millions of objects one by one would waste time.
    os._exit(0)
