from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

for package in ("haystack", "langchain_core", "llama_index.core"):
    pytest.importorskip(package, reason="make test runs it in .venv-frameworks")

ROOT = Path(__file__).parents[2]


@pytest.mark.full
def test_every_adapter_is_held_against_the_chunker(tmp_path):
    page = tmp_path / "page.md"
    command = [sys.executable, "benchmarks/adapters.py", "docs/examples"]
    done = subprocess.run(
        [*command, "--rounds", "1", "--write", str(page)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    written = page.read_text(encoding="utf-8")
    for name in ("LangChain", "LlamaIndex", "Haystack", "Dify"):
        rows = [line for line in written.splitlines() if line.startswith(f"| {name}")]
        assert len(rows) == 4  # a list and a tree, at two limits
        assert all("×" in row for row in rows)
    assert done.stdout.strip() in written.replace("\n\n\n", "\n\n")
