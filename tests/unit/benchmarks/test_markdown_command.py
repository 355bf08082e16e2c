"""The command itself, on a small folder, with Outcrop alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
CHECKER = """
import json, sys
found = {}
for run in sys.argv[2:]:
    lines = [json.loads(line) for line in open(run, encoding="utf-8")]
    counts = json.loads(open(COUNTS).read())
    chunks = [chunk for line in lines for chunk in line["chunks"]]
    counts["chunks"] = counts["line_claimed"] = len(chunks)
    counts["line_wrong"] = len(chunks)
    found[run] = counts
json.dump(found, open("defects.json", "w"))
"""


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs" / "deep"
    docs.mkdir(parents=True)
    (docs / "one.md").write_bytes(b"# One\r\n\r\nText of one.\r\n")
    (docs.parent / "two.md").write_text("# Two\n\n" + "Words go on. " * 400, "utf-8")
    return docs.parent


def run(*arguments):
    command = [sys.executable, str(ROOT / "benchmarks/markdown.py")]
    return subprocess.run(
        [*command, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )


def test_speed_is_measured_and_the_run_described(folder):
    done = run(folder, "--only", "speed", "--tools", "outcrop", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert "- Command: `python benchmarks/markdown.py " in done.stdout
    assert "- Corpus: 2 files, 0.0 MB" in done.stdout
    assert "- Versions: outcrop " in done.stdout
    assert "| Outcrop | " in done.stdout


def test_a_missing_peer_is_left_out_and_named(folder):
    options = ["--only", "speed", "--rounds", "1", "--peer-python", sys.executable]
    done = run(folder, *options, "--tools", "outcrop", "llama-index")
    assert done.returncode == 0, done.stderr
    assert "llama-index is left out: ModuleNotFoundError" in done.stderr
    assert "| LlamaIndex" not in done.stdout


def test_defects_come_from_the_checker(folder, tmp_path, defect_counts):
    import json

    counts = tmp_path / "counts.json"
    counts.write_text(json.dumps(defect_counts), "utf-8")
    checker = tmp_path / "checker.py"
    checker.write_text(f"COUNTS = {str(counts)!r}\n{CHECKER}", "utf-8")
    options = ["--only", "defects", "--checker", checker, "--tools", "outcrop"]
    done = run(folder, *options, "--limits", "1000")
    assert done.returncode == 0, done.stderr
    assert "### Defects at 1000 characters" in done.stdout
    assert "| Outcrop | 7 | 0 / 0 |" in done.stdout
    # The one line of the second file is in six chunks, which no line count fits.
    assert "| 1 of 7 (6) |" in done.stdout


def test_a_folder_without_markdown_is_refused(tmp_path):
    done = run(tmp_path)
    assert done.returncode == 2
    assert f"there is no Markdown in {tmp_path}" in done.stderr


def test_part_of_the_benchmark_is_not_written_into_a_page(folder, tmp_path):
    done = run(folder, "--only", "speed", "--write", tmp_path / "page.md")
    assert done.returncode == 2
    assert "--write needs all parts" in done.stderr


def test_the_profile_names_every_stage_and_adds_up(folder):
    done = run(folder, "--profile", "--limits", "1000", "--rounds", "1")
    assert done.returncode == 0, done.stderr
    assert "| whole |" in done.stdout
    assert "| compute metadata |" in done.stdout
