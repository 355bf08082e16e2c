"""What the processes of an engine do with rows."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from outcrop.indexing.cluster.rows import (
    Rejected,
    Row,
    close_workers,
    pack_job,
    write_rows,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FATAL = b"fatal"


class Listing:
    """A job that returns its rows, and ends its process at one of them."""

    def prepare(self) -> None:
        pass

    def run(self, rows: Sequence[Row]) -> bytes:
        if any(row.packed == FATAL for row in rows):
            raise SystemExit(4)
        return pickle.dumps([row.packed for row in rows])


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_workers()


def test_an_engine_loads_neither_database_nor_chunker():
    script = "import sys, outcrop.indexing.cluster.rows; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "outcrop.indexing.cluster.rows" in loaded
    heavy = {
        "numpy",
        "psycopg",
        "outcrop.store",
        "outcrop.chunking",
        "outcrop.planning",
    }
    assert not loaded & heavy


def test_a_row_that_ends_its_worker_is_named_and_the_others_have_answers():
    rows = [Row(packed, is_remote=False, data=None) for packed in (b"a", FATAL, b"b")]
    first, *others = write_rows(pack_job(Listing(), 1), rows)
    assert others == [b"", b""]
    answers = pickle.loads(first)  # noqa: S301 - packed above
    reason = "ended its worker process (exit status 4)"
    assert answers == [
        pickle.dumps([b"a"]),
        Rejected(FATAL, reason),
        pickle.dumps([b"b"]),
    ]
