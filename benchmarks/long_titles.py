"""How time and memory grow with a long title above thousands of sections.

    python benchmarks/long_titles.py [--sizes 100 200 400 800] [--sources OTHER/src]

A quarter of each document is its title; every section below it has the title in its
path. Each row is a process of its own. Time is processor time, for `index` that of the
server included; memory is the peak of the process. With `--sources` the processes use
the sources of another checkout, for a comparison.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from _machine import describe_machine
from _processes import Watch

from outcrop import MarkdownChunker, MarkdownSplitter
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable

JOBS = ("chunk", "chunk_hierarchical", "sections", "index")


def document(kilobytes: int) -> str:
    """Return a document of a size, with a title that is a quarter of it."""
    size = kilobytes * 1000
    parts = [f"# {'word ' * (size // 20)}\n\n"]
    length = len(parts[0])
    while length < size:
        parts.append(f"## s{len(parts)}\n\ntext {len(parts)}\n\n")
        length += len(parts[-1])
    return "".join(parts)


def measure(job: str, kilobytes: int) -> dict[str, float]:
    """Do a job on a document of a size, in this process."""
    text = document(kilobytes)
    if job == "index":
        seconds = _index(text)
    else:
        jobs: dict[str, Callable[[str], object]] = {
            "chunk": MarkdownChunker().chunk,
            "chunk_hierarchical": MarkdownChunker().chunk_hierarchical,
            "sections": lambda text: MarkdownSplitter().split(text, "a.md", ""),
        }
        started = time.process_time()
        jobs[job](text)
        seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak_mb": peak}


def _index(text: str) -> float:
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the server may run as another user
        (folder / "a.md").write_text(text)
        with Index.open(folder) as index, Watch(str(folder / ".outcrop")) as watch:
            index.index()
        return watch.cpu_seconds


def main() -> None:
    """Measure every job at every size; print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 200, 400, 800])
    parser.add_argument("--sources", type=Path)
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(measure(options.job, options.sizes[0])))
        return
    print(describe_machine(), end="\n\n")
    print("| job |", " | ".join(f"{size} kB" for size in options.sizes), "|")
    print("| --- |", " | ".join("---:" for _ in options.sizes), "|")
    for job in JOBS:
        cells = [_cell(job, size, options.sources) for size in options.sizes]
        print(f"| {job} |", " | ".join(cells), "|", flush=True)


def _cell(job: str, size: int, sources: Path | None) -> str:
    environment = dict(os.environ)
    if sources is not None:
        environment["PYTHONPATH"] = str(sources.resolve())
    done = subprocess.run(
        [sys.executable, __file__, "--job", job, "--sizes", str(size)],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found = json.loads(done.stdout)
    return f"{found['seconds']:.2f} s, {found['peak_mb']:.0f} MB"


if __name__ == "__main__":
    main()
