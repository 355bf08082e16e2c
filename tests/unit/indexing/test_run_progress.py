"""How often the progress of a run is stored."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from outcrop.indexing.report import IndexReport, Progress
from outcrop.indexing.run import RunProgress

if TYPE_CHECKING:
    import pytest


class Stored:
    """A store that adds up the counts of a run."""

    def __init__(self) -> None:
        self.writes = 0
        self.counts: dict[str, int] = {}

    def update_run(self, run_id: int, *, stages: dict[str, dict[str, int]]) -> None:
        """Add to the counts of the run."""
        self.writes += 1
        for name, added in stages["documents"].items():
            self.counts[name] = self.counts.get(name, 0) + added

    def finish_run(self, run_id: int, *, statistics: dict[str, Any]) -> None:
        """End the run."""


def _progress(files: int) -> Progress:
    return Progress(
        files=files, total_files=90, size_bytes=0, total_bytes=0, chunks=0, doing=""
    )


def test_counts_are_stored_once_a_second_and_at_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    clock = SimpleNamespace(monotonic=lambda: now)
    monkeypatch.setattr("outcrop.indexing.run.time", clock)
    told: list[int] = []
    store = Stored()
    progress = RunProgress(store, 1, lambda each: told.append(each.files))  # type: ignore[arg-type]
    for files in range(1, 21):
        progress(_progress(files))
        now += 0.25
    assert told == list(range(1, 21))
    assert (store.writes, store.counts["done"]) == (5, 17)

    added = [f"{number}.md" for number in range(90)]
    progress.finish(IndexReport(added=added))
    assert store.counts == {"done": 90, "total": 90, "failed": 0}
