"""The real command, on real files in a folder of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


class Outcrop(Protocol):
    """Runs `outcrop` with arguments, and with a standard input."""

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Result: ...


@pytest.fixture
def outcrop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcrop:
    """`outcrop(*arguments)`, started in `tmp_path`."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        return CliRunner().invoke(
            main, arguments, input=stdin, prog_name="outcrop", catch_exceptions=False
        )

    return run
