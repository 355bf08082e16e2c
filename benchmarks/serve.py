"""How the server bears many clients at a time.

A server of its own process, over documents made of the paragraphs of real ones; clients
ask mixed questions by all modes, with and without filters, and for contexts. The same
clients then ask for `/health`, which does nothing: what the rest costs is the search.

    python benchmarks/serve.py --source docs --chunks 10000 --clients 50 --seconds 60
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from _load import Load, encode, run_load
from _machine import describe_machine
from _markdown_report import insert
from _processes import cpu_seconds_of
from index import CHUNK_BYTES, read_paragraphs, write_documents

from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

START = "<!-- serving benchmark: start, written by benchmarks/serve.py -->"
END = "<!-- serving benchmark: end -->"
QUESTIONS = 300
WARM_SECONDS = 2.0
MOST_RATIO = 20
# Room for what a fresh process still loads and caches.
MOST_GROWTH_MB = 40


def make_requests(paragraphs: list[str]) -> list[bytes]:
    """Return mixed requests: three in four are searches, the rest packs a context."""
    choose = random.Random(2)  # noqa: S311 - the same questions every time
    made = []
    for number in range(QUESTIONS):
        words = choose.choice(paragraphs).split()
        at = choose.randrange(max(1, len(words) - 8))
        question = " ".join(words[at : at + 8])
        body: dict[str, object] = {"query": question}
        if number % 4 == 3:  # noqa: PLR2004 - every fourth
            made.append(encode("POST", "/v1/context", body | {"max_tokens": 1000}))
            continue
        body |= {"limit": 10, "mode": ("hybrid", "vector", "text")[number % 3]}
        if number % 5 == 0:
            body["path_glob"] = ["docs/00*/**"]
        made.append(encode("POST", "/v1/search", body))
    choose.shuffle(made)
    return made


@contextmanager
def serving(folder: Path, workers: int) -> Iterator[tuple[int, int]]:
    """Start a server; yield its port and the id of its process."""
    command = [sys.executable, "-m", "outcrop", "serve", "--port", "0", "-q"]
    if workers > 1:
        command += ["--workers", str(workers)]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None  # noqa: S101 - a pipe was asked for
    try:
        address = process.stdout.readline().partition(" at http://")[2].split("/")[0]
        yield int(address.rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def resident_mb(pid: int) -> float:
    """Return how much memory a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def measure(options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the figures of the mixed load and of `/health`."""
    paragraphs = read_paragraphs(options.source)
    requests = make_requests(paragraphs)
    with tempfile.TemporaryDirectory(prefix="outcrop-serve-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the database may run as another user
        write_documents(paragraphs, folder / "docs", options.chunks * CHUNK_BYTES)
        with Index.open(folder) as index:
            index.index(["docs"])
            chunks = index.status().contents.indexable
            found = {"chunks": {"chunks": float(chunks)}}
            with serving(folder, options.workers) as (port, pid):
                loads = {
                    "mixed searches": requests,
                    "`/health`": [encode("GET", "/health")],
                }
                bare = options.health_seconds or options.seconds
                times = {"mixed searches": options.seconds, "`/health`": bare}
                for title, asked in loads.items():
                    run_load(port, asked, clients=options.clients, seconds=WARM_SECONDS)
                    before, spent = resident_mb(pid), cpu_seconds_of(pid, name)
                    load = run_load(
                        port, asked, clients=options.clients, seconds=times[title]
                    )
                    spent = cpu_seconds_of(pid, name) - spent
                    found[title] = figures(load, before, resident_mb(pid))
                    found[title]["cpu"] = spent / len(load.seconds) * 1000
    return found


def figures(load: Load, before: float, after: float) -> dict[str, float]:
    """Return what a load is judged by."""
    for error in sorted(set(load.errors))[:5]:
        print(f"error: {error}", file=sys.stderr)
    p50, p99 = load.percentile(0.5), load.percentile(0.99)
    return {
        "requests": len(load.seconds),
        "errors": len(load.errors),
        "rate": load.rate,
        "p50": p50 * 1000,
        "p99": p99 * 1000,
        "most": max(load.seconds) * 1000,
        "ratio": p99 / p50,
        "memory": after,
        "growth": after - before,
    }


def render(found: dict[str, dict[str, float]], facts: list[str]) -> str:
    """Return the table."""
    rows = [
        (
            "| load | requests | errors | a second | p50 ms | p99 ms | most ms | p99 / p50 |"
            " CPU ms each | memory MB | grown by MB |"
        ),
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for title, row in found.items():
        if title == "chunks":
            continue
        rows.append(
            f"| {title} | {row['requests']:,.0f} | {row['errors']:.0f} |"
            f" {row['rate']:,.0f} | {row['p50']:.0f} | {row['p99']:.0f} |"
            f" {row['most']:.0f} | {row['ratio']:.1f} | {row['cpu']:.1f} |"
            f" {row['memory']:.0f} |"
            f" {row['growth']:.1f} |"
        )
    return "\n".join([*(f"- {fact}" for fact in facts), "", *rows])


def is_borne(found: dict[str, dict[str, float]]) -> bool:
    """Say whether no request failed, none was left waiting, and memory stayed flat."""
    mixed = found["mixed searches"]
    return (
        mixed["errors"] == 0
        and mixed["ratio"] <= MOST_RATIO
        and mixed["growth"] <= MOST_GROWTH_MB
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=Path("docs"))
    parser.add_argument("--chunks", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--workers", type=int, default=1, help="of the server")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--health-seconds", type=float, help="of the load on /health")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", type=Path, metavar="PAGE")
    options = parser.parse_args()
    machine = describe_machine()
    found = measure(options)
    if options.json:
        print(json.dumps(found))
        return
    facts = [
        f"Command: `{' '.join(['python', 'benchmarks/serve.py', *sys.argv[1:]])}`",
        f"Date: {datetime.now(UTC).date()}",
        f"Machine: {machine}, {os.getloadavg()[0]:.1f} at the end",
        (
            f"{found['chunks']['chunks']:,.0f} chunks; {options.clients} clients, "
            f"{options.seconds:g} s each load"
        ),
        (
            f"No error, p99 ≤ {MOST_RATIO} p50, memory flat: "
            f"{'yes' if is_borne(found) else '**no**'}"
        ),
    ]
    section = render(found, facts)
    print(section)
    if options.write:
        page = options.write.read_text("utf-8")
        options.write.write_text(insert(page, section, (START, END)), "utf-8")


if __name__ == "__main__":
    main()
