"""Parsing over all cores, in processes of their own.

Workers are plain interpreters that read file names and write facts, so
they need neither a fork of the caller's state nor a guarded main module, and a
grammar that crashes takes one batch of files with it, not the caller.
"""

from __future__ import annotations

import marshal
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.codegraph.facts import FileFacts, pack, unpack
from outcrop.codegraph.parse import deep_recursion, parse_file
from outcrop.errors import MissingExtraError, OutcropError

if TYPE_CHECKING:
    from collections.abc import Sequence

_COMMAND = "from outcrop.codegraph.workers import main; main()"
PARALLEL_BYTES = 600_000
"""Less source than this is parsed sooner than a process starts."""


class Outcome(NamedTuple):
    """What became of one file."""

    path: str
    facts: FileFacts | None
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
        One outcome a file, in the order given.
    """
    count = workers or os.cpu_count() or 1
    sizes = [_size(root / path) for path, _ in files]
    if count == 1 or sum(sizes) < PARALLEL_BYTES or not sys.executable:
        return [_outcome(row) for row in _parse_rows(str(root), files)]
    from concurrent.futures import ThreadPoolExecutor

    batches = _split(files, sizes, count)
    with ThreadPoolExecutor(count) as pool:
        results = pool.map(lambda batch: _run_worker(str(root), batch), batches)
        by_path = {o.path: o for rows in results for o in map(_outcome, rows)}
    return [by_path[path] for path, _ in files]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _split(
    files: Sequence[tuple[str, str]], sizes: Sequence[int], count: int
) -> list[list[tuple[str, str]]]:
    """Cut files into batches of about equal size, large batches first."""
    order = sorted(range(len(files)), key=lambda i: -sizes[i])
    batches: list[list[tuple[str, str]]] = [[] for _ in range(min(count, len(files)))]
    loads = [0] * len(batches)
    for index in order:
        lightest = loads.index(min(loads))
        batches[lightest].append(files[index])
        loads[lightest] += sizes[index] + 500
    return batches


def _run_worker(root: str, batch: list[tuple[str, str]]) -> list[Any]:
    import subprocess

    process = subprocess.run(  # noqa: S603 - our own module, in our own interpreter
        [sys.executable, "-c", _COMMAND],
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
    # One file brought the worker down: find it, and keep the others.
    half = len(batch) // 2
    return _run_worker(root, batch[:half]) + _run_worker(root, batch[half:])


def _parse_rows(root: str, files: Sequence[tuple[str, str]]) -> list[Any]:
    with deep_recursion():
        return [_parse_row(root, path, lang) for path, lang in files]


def _parse_row(root: str, path: str, lang: str) -> tuple[Any, ...]:
    try:
        raw = Path(root, path).read_bytes()
        if b"\0" in raw:
            return path, None, "binary file", ""
        return path, pack(parse_file(path, lang, raw)), "", ""
    except MissingExtraError:
        return path, None, "", lang
    except OSError as exc:
        return path, None, exc.strerror or "unreadable", ""
    except (OutcropError, RecursionError, MemoryError) as exc:
        return path, None, str(exc) or type(exc).__name__, ""


def _outcome(row: tuple[Any, ...]) -> Outcome:
    path, packed, problem, missing = row
    return Outcome(
        path, unpack(packed) if packed is not None else None, problem, missing
    )


def main() -> None:
    """Parse the files named on standard input; write their facts."""
    import gc

    gc.disable()
    root, files = marshal.loads(sys.stdin.buffer.read())  # noqa: S302 - from our parent
    sys.stdout.buffer.write(marshal.dumps(_parse_rows(root, files)))
    sys.stdout.flush()
    # All is said: taking millions of objects down one by one would be wasted time.
    os._exit(0)
