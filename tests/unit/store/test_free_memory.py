"""The memory of this machine that is free."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.store.free_memory import free_memory_mb

if TYPE_CHECKING:
    from pathlib import Path


def test_the_available_memory_is_read(tmp_path: Path):
    source = tmp_path / "meminfo"
    source.write_text(
        "MemTotal: 4096000 kB\nMemAvailable:    2048000 kB\nCached: 1 kB\n"
    )
    assert free_memory_mb(source) == 2000


def test_it_is_unknown_where_the_system_does_not_say(tmp_path: Path):
    assert free_memory_mb(tmp_path / "missing") == 0
    (tmp_path / "other").write_text("MemTotal: 4096000 kB\n")
    assert free_memory_mb(tmp_path / "other") == 0
