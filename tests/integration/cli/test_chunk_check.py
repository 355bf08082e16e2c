"""`outcrop chunk --check` holds chunks to the promises."""

from __future__ import annotations

import json

import pytest

TEXT = "# Kettles\n\nA kettle boils water for tea.\n\n## Care\n\nDescale it often.\n"


@pytest.fixture
def guide(tmp_path):
    (tmp_path / "guide.md").write_text(TEXT)


def _chunks(outcrop, output_format="json"):
    result = outcrop(
        *("chunk", "guide.md", "--max-size", "45", "--format", output_format)
    )
    return result.stdout


def _check(outcrop, tmp_path, content):
    (tmp_path / "chunks.json").write_text(content)
    return outcrop(
        *("chunk", "guide.md", "--check", "--max-size", "45"),
        *("--chunks", "chunks.json"),
    )


@pytest.mark.usefixtures("guide")
def test_row_0_11_what_the_chunker_cuts_is_valid(outcrop, tmp_path):
    (tmp_path / "app.py").write_text("def f():\n    return 1\n")
    result = outcrop("chunk", "guide.md", "app.py", "--check")
    assert result.stdout == (
        "guide.md: valid, 1 chunk, coverage 100.0%\n"
        "app.py: valid, 1 chunk, coverage 100.0%\n"
    )
    assert result.exit_code == 0


@pytest.mark.usefixtures("guide")
@pytest.mark.parametrize("output_format", ["json", "jsonl"])
def test_row_0_11_chunks_of_a_file_are_valid(outcrop, tmp_path, output_format):
    result = _check(outcrop, tmp_path, _chunks(outcrop, output_format))
    assert result.stdout == "guide.md: valid, 2 chunks, coverage 100.0%\n"
    assert result.exit_code == 0


@pytest.mark.usefixtures("guide")
def test_row_0_11_a_lost_chunk_is_named_and_the_exit_code_is_1(outcrop, tmp_path):
    (document,) = json.loads(_chunks(outcrop))
    del document["chunks"][1]
    result = _check(outcrop, tmp_path, json.dumps([document]))
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()
    assert first.startswith("guide.md: invalid, 1 chunk, coverage ")
    assert second.startswith("  the text at offset 42 is in no chunk: '## Care")


@pytest.mark.usefixtures("guide")
def test_row_0_11_offsets_may_be_missing(outcrop, tmp_path):
    (document,) = json.loads(_chunks(outcrop))
    names = ("content", "start_line", "end_line")
    document["chunks"] = [
        {name: chunk[name] for name in names} for chunk in document["chunks"]
    ]
    assert _check(outcrop, tmp_path, json.dumps([document])).exit_code == 0


@pytest.mark.usefixtures("guide")
@pytest.mark.parametrize(
    "content",
    ["nothing", "[1]", '{"path": "guide.md"}', '[{"path": "guide.md"}]', "7"],
)
def test_row_0_11_a_file_of_something_else_is_refused(outcrop, tmp_path, content):
    result = _check(outcrop, tmp_path, content)
    assert result.exit_code == 1
    assert "chunks.json: not chunks as --format json or jsonl prints" in result.stderr


@pytest.mark.usefixtures("guide")
def test_row_0_11_chunks_need_the_check(outcrop):
    result = outcrop("chunk", "guide.md", "--chunks", "chunks.json")
    assert result.exit_code == 2
    assert "--chunks needs --check" in result.stderr
