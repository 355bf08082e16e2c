"""What a type checker says about a script that uses the public names."""

from __future__ import annotations

import subprocess
import sys

import pytest

from release.environment import ROOT

pytest.importorskip("mypy", reason="make setup installs it")

SCRIPT = """\
from collections.abc import Sequence

from outcrop import Index


class LetterEmbedder:
    name = "letters-v1"
    dimension = 26

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(text.count(c)) for c in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


class Pathless:
    name = "none"


with Index.open(".", embedder=LetterEmbedder()) as index:
    index.search("noon", mode="hybrid", kind=["code", "doc"])
    index.search("noon", mode="hybird")  # wrong: mode
Index.open(".", embedder=Pathless())  # wrong: embedder
"""


@pytest.mark.timeout(
    300
)  # most of it for the types of the package, where none are cached
def test_types_allow_what_the_documentation_shows_and_no_other_values(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    mypy = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*mypy, "--cache-dir", ROOT / ".mypy_cache", tmp_path / "script.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [
        line.split(":")[1] for line in done.stdout.splitlines() if ": error:" in line
    ]
    expected = [n for n, line in enumerate(SCRIPT.splitlines(), 1) if "# wrong" in line]
    assert wrong == list(map(str, expected)), done.stdout
