"""Chunking a file that may be larger than memory, beside chunking it as a whole.

A file is made of real documents, over and over, with another number in each heading so
that few chunks are equal. Each way of cutting it runs in a process of its own; all have
to give the same chunks, which are compared by a digest over all their fields.

    python benchmarks/stream.py FOLDER --megabytes 100
    python benchmarks/stream.py FOLDER --megabytes 1000 --without-whole
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _machine import describe_machine

from outcrop import MarkdownChunker

_HEADING = re.compile(r"(?m)^(#{1,6} .*)$")
_WINDOWS = (250_000, 1_000_000)


def make_file(folder: Path, target: Path, size: int) -> None:
    """Write at least `size` bytes of the documents in a folder."""
    texts = [path.read_text("utf-8") for path in sorted(folder.rglob("*.md"))]
    if not texts:
        raise SystemExit(f"{folder}: there are no Markdown files")
    written, copy = 0, 0
    with target.open("wb") as file:
        while written < size:
            copy += 1
            for text in texts:
                numbered = _HEADING.sub(rf"\g<1> {copy}", text)
                written += file.write(f"{numbered}\n\n".encode())
                if written >= size:
                    break


def measure(path: str, window: int) -> dict[str, object]:
    """Cut a file, as a whole where the window is 0, and report what it took."""
    digest = hashlib.sha256()
    chunker = MarkdownChunker()
    count = 0
    started = time.process_time()
    with Path(path).open(encoding="utf-8", newline="") as file:
        chunks = (
            chunker.chunk_stream(file, window_chars=window)
            if window
            else chunker.chunk(file.read())
        )
        for chunk in chunks:
            count += 1
            digest.update(repr(chunk).encode("utf-8", "surrogatepass"))
    return {
        "chunks": count,
        "cpu": time.process_time() - started,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000,
        "digest": digest.hexdigest()[:12],
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--without-whole", action="store_true")
    parser.add_argument("--measure", nargs=2, metavar=("FILE", "WINDOW"))
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(args.measure[0], int(args.measure[1]))))
        return
    print(f"- Machine: {describe_machine()}\n")
    print("| way | chunks | CPU s | MB/s | peak memory MB | digest |")
    print("|---|---:|---:|---:|---:|---|")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "large.md"
        make_file(args.folder, file, args.megabytes * 1_000_000)
        for window in (*_WINDOWS, *(() if args.without_whole else (0,))):
            command = [sys.executable, __file__, "--measure", str(file), str(window)]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            row = json.loads(run.stdout)
            name = f"windows of {window:,} characters" if window else "as a whole"
            speed = args.megabytes / row["cpu"]
            print(
                f"| {name} | {row['chunks']:,} | {row['cpu']:.1f} | {speed:.1f} "
                f"| {row['peak']:.0f} | `{row['digest']}` |",
                flush=True,
            )


if __name__ == "__main__":
    main()
