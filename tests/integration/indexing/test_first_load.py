"""What the first load of an index does only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from integration.store.servers import EVERY_SERVER
from outcrop.indexing import index_run
from outcrop.store.lexical import maintain

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from outcrop.indexing.index import Index
    from outcrop.store.database import Connection

FILES = 30
LONG = "word{} is said of every shelf and every river in this long paragraph. "


@pytest.fixture
def rewritten(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of chunks whose weights were computed again."""
    rewrite, counts = maintain._rewrite_vectors, []

    def count_and_rewrite(connection: Connection, old: float, new: float) -> None:
        rows = connection.execute("SELECT count(*) FROM chunk_lex").fetchone()
        counts.append(rows[0] if rows else 0)
        rewrite(connection, old, new)

    monkeypatch.setattr(maintain, "_rewrite_vectors", count_and_rewrite)
    return counts


@EVERY_SERVER
def test_weights_of_code_are_computed_once_though_documents_are_longer(
    project: Path,
    open_index: Callable[..., Index],
    rewritten: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(index_run, "_LOAD_FROM_BYTES", 0)
    monkeypatch.setattr(index_run, "_MAINTAIN_FROM_CHUNKS", 0)
    for number in range(4):
        text = "".join(LONG.format(number * 100 + at) for at in range(40))
        (project / f"{number}.md").write_text(f"# Long {number}\n\n{text}\n")
    for number in range(FILES):
        code = f"def make_{number}(shelf):\n    return shelf.river_{number}()\n"
        (project / f"m{number}.py").write_text(code)
    # Each file is a group of its own.
    monkeypatch.setattr("outcrop.indexing.workers._MIN_BYTES", 1)
    monkeypatch.setattr("outcrop.indexing.workers._MAX_BYTES", 1)

    index = open_index()
    index.index()

    totals = index.store.word_totals()
    assert totals.is_pinned_to(totals.wanted)
    assert sum(rewritten) < FILES, "the weights of all code were computed again"
