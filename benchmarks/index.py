"""How fast files become an index, and how fast the index answers.

Documents are made of the paragraphs of real ones: those of a folder, mixed anew, about
10 kB each with a heading now and then, so that any size can be had without the same
chunk twice. Questions are sentences of the same text.

    python benchmarks/index.py --source docs --chunks 1000 10000 100000

Times are of the whole run: reading, chunking, embedding, storing, and what the database
does afterwards. Processor time and memory are those of all processes, the server's
included; memory is the greatest sum of their proportional sizes, looked at twice a
second.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from _machine import describe_machine
from _processes import Watch, timed

from outcrop.indexing.index import Index
from outcrop.search.question import Mode

DOCUMENT_BYTES = 10_000
PARAGRAPHS_A_SECTION = 4
FEWEST_WORDS = 6
CHUNK_BYTES = 420  # about what one chunk of these documents holds
QUESTIONS = 200
MODES = ("hybrid", "vector", "text")
TEXTS = (".md", ".rst", ".txt")


def read_paragraphs(folder: Path) -> list[str]:
    found: set[str] = set()
    for file in sorted(folder.rglob("*")):
        if file.suffix not in TEXTS or not file.is_file():
            continue
        text = file.read_bytes().decode(errors="ignore").replace("\0", "")
        for paragraph in text.split("\n\n"):
            plain = paragraph.strip()
            if not plain.startswith(("#", "```", "---")) and "```" not in plain:
                found.add(plain)
    return sorted(p for p in found if len(p.split()) >= FEWEST_WORDS)


def write_documents(paragraphs: list[str], folder: Path, total: int) -> int:
    """Write documents of about `total` bytes together; return how many."""
    choose = random.Random(1)  # noqa: S311 - the same documents every time
    written = number = 0
    while written < total:
        parts = [f"# Document {number}"]
        size = 0
        while size < DOCUMENT_BYTES:
            chosen = choose.sample(paragraphs, PARAGRAPHS_A_SECTION)
            words = choose.choice(chosen).split()[:3]
            # Some words change places, so that no two chunks are the same.
            mixed = [_mix(paragraph, choose) for paragraph in chosen]
            parts += [f"## {' '.join(words)} {choose.randrange(1000)}", *mixed]
            size += sum(map(len, mixed))
        file = folder / f"{number // 100:03}" / f"{number:05}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        written += file.write_text("\n\n".join(parts) + "\n")
        number += 1
    return number


def _mix(paragraph: str, choose: random.Random) -> str:
    lines = paragraph.split("\n")
    at = choose.randrange(len(lines))
    words = lines[at].split(" ")
    choose.shuffle(words)
    lines[at] = " ".join(words)
    return "\n".join(lines)


def percentiles(index: Index, questions: list[str], mode: str) -> str:
    for question in questions[:20]:
        index.search(question, mode=Mode(mode))  # warm
    times = sorted(
        timed(partial(index.search, question, mode=Mode(mode)))
        for question in questions
    )
    middle, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    return f"{middle * 1000:.0f} / {late * 1000:.0f}"


def measure_cold(folder: Path, question: str) -> tuple[float, float]:
    """Return seconds of `outcrop search` with the server stopped, and running."""
    command = [str(Path(sys.executable).with_name("outcrop")), "search", question]

    def run() -> None:
        subprocess.run(command, cwd=folder, check=True, capture_output=True)

    stopped = min(timed(run) for _ in range(3))
    with Index.open(folder):
        running = min(timed(run) for _ in range(3))
    return stopped, running


def measure_peer(folder: Path, python: str, questions: list[str]) -> list[str]:
    """Return the row of LangChain and Chroma on the same files."""
    files = list((folder / "docs").rglob("*.md"))
    size = sum(file.stat().st_size for file in files) / 1e6
    script = Path(__file__).with_name("_index_peer.py")
    with Watch("no process has this in its command") as watch:
        done = subprocess.run(
            [python, str(script), str(folder / "docs"), str(folder / "chroma")],
            input=json.dumps(questions),
            capture_output=True,
            text=True,
            check=True,
        )
    found = json.loads(done.stdout.splitlines()[-1])
    seconds = found["seconds"]
    vector = f"{found['p50'] * 1000:.0f} / {found['p99'] * 1000:.0f}"
    return [
        "LangChain + Chroma",
        f"{found['chunks']:,}",
        f"{len(files):,}",
        f"{size:.1f}",
        f"{seconds:.1f}",
        f"{watch.cpu_seconds:.1f}",
        f"{len(files) / seconds:.0f}",
        f"{size / seconds:.2f}",
        *("", "", "", vector, ""),
        f"{found['disk_mb']:.0f}",
        f"{watch.peak_mb:.0f}",
        "",
    ]


def measure(paragraphs: list[str], chunks: int, peer_python: str) -> list[list[str]]:
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    questions = [
        " ".join(choose.choice(paragraphs).split()[:12]) for _ in range(QUESTIONS)
    ]
    with tempfile.TemporaryDirectory(prefix="outcrop-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        files = write_documents(paragraphs, folder / "docs", chunks * CHUNK_BYTES)
        with Watch(name) as watch, Index.open(folder) as index:
            seconds = timed(lambda: index.index("docs"))
            peak, cpu = watch.peak_mb, watch.cpu_seconds
            unchanged = timed(lambda: index.index("docs"))
            changed = folder / "docs" / "000" / "00000.md"
            changed.write_text(changed.read_text() + "\nOne more paragraph.\n")
            one = timed(lambda: index.index("docs"))
            size = sum(f.stat().st_size for f in (folder / "docs").rglob("*.md")) / 1e6
            latency = [percentiles(index, questions, mode) for mode in MODES]
            status = index.status().contents
        stopped, running = measure_cold(folder, questions[0])
        peers = []
        if Path(peer_python).exists():
            peers.append(measure_peer(folder, peer_python, questions))
    ours = [
        "outcrop",
        f"{status.indexable:,}",
        f"{files:,}",
        f"{size:.1f}",
        f"{seconds:.1f}",
        f"{cpu:.1f}",
        f"{files / seconds:.0f}",
        f"{size / seconds:.2f}",
        f"{unchanged:.2f}",
        f"{one:.2f}",
        *latency,
        f"{status.size_bytes / 1e6:.0f}",
        f"{peak:.0f}",
        f"{stopped:.2f} / {running:.2f}",
    ]
    return [ours, *peers]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument(
        "--chunks", type=int, nargs="*", default=[1000, 10_000, 100_000]
    )
    parser.add_argument(
        "--peer-python",
        default=str(Path(__file__).parents[1] / ".venv-bench/bin/python"),
    )
    given = parser.parse_args()
    paragraphs = read_paragraphs(given.source)
    print(describe_machine())
    print(f"{len(paragraphs):,} paragraphs of {given.source}\n")
    heads = (
        *(
            "",
            "chunks",
            "files",
            "MB",
            "index s",
            "CPU s",
            "files/s",
            "MB/s",
            "no change s",
        ),
        *("one file s", *(f"{mode} p50 / p99 ms" for mode in MODES), "disk MB"),
        *("memory MB", "cold search s: stopped / running"),
    )
    print(f"| {' | '.join(heads)} |")
    print(f"|{'---|' * len(heads)}")
    for chunks in given.chunks:
        for row in measure(paragraphs, chunks, given.peer_python):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
