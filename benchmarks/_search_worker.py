"""Searches one index and says what each search cost, for `search_beside.py`.

It runs with the revision that the interpreter has installed, so it uses nothing else.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from outcrop.indexing.index import Index

_CONNECTIONS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'"


def server_ms(pid: int) -> float:
    """Return the processor time of a connection; of one that was closed, nothing."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6
    except FileNotFoundError:
        return 0.0


def spent(pids: list[int]) -> list[float]:
    """Return the milliseconds of this process, of the server, and that have passed."""
    passed = time.process_time() * 1000, time.perf_counter() * 1000
    return [passed[0], sum(map(server_ms, pids)), passed[1]]


def main() -> None:
    folder = Path(sys.argv[1])
    is_new = not (folder / ".outcrop").exists()
    with Index.open(folder) as index:
        if is_new:
            index.index(["docs"])
        print(index.status().contents.indexable, flush=True)
        pids: list[int] = []
        for line in sys.stdin:
            question = json.loads(line)
            if question is None:  # a new pass: the pool may have more connections
                with index.store._database.read() as connection:  # noqa: SLF001 - the inside is measured
                    pids = [pid for (pid,) in connection.execute(_CONNECTIONS)]
                continue
            before = spent(pids)
            index.search(question)
            after = spent(pids)
            cost = [late - early for early, late in zip(before, after, strict=True)]
            print(json.dumps(cost), flush=True)


if __name__ == "__main__":
    main()
