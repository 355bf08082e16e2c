"""Large files are cut a part at a time, with the same output."""

from __future__ import annotations

import pytest

from outcrop import MarkdownChunker

_TEXT = "".join(f"# Part {n}\r\n\r\n{'Words of it. ' * 30}\r\n\r\n" for n in range(30))


@pytest.fixture
def streamed(monkeypatch):
    """The texts that were read by a stream; every file counts as large."""
    monkeypatch.setattr("outcrop.cli.files.MIN_STREAMED_BYTES", 1)
    whole = MarkdownChunker.chunk_stream
    calls = []

    def chunk_stream(self, reader, **options):
        calls.append(reader.name)
        return whole(self, reader, **options)

    monkeypatch.setattr(MarkdownChunker, "chunk_stream", chunk_stream)
    return calls


def test_lines_of_a_large_file_are_those_of_a_small_one(
    outcrop, tmp_path, streamed, monkeypatch
):
    (tmp_path / "a.md").write_bytes(_TEXT.encode())
    large = outcrop("chunk", "a.md", "--format", "jsonl", "--max-size", "300")
    assert streamed == ["a.md"]
    monkeypatch.setattr("outcrop.cli.files.MIN_STREAMED_BYTES", 10_000_000)
    small = outcrop("chunk", "a.md", "--format", "jsonl", "--max-size", "300")
    assert len(streamed) == 1
    assert large.exit_code == small.exit_code == 0
    assert large.stdout_bytes == small.stdout_bytes
    assert large.stdout.count("\n") > 30


def test_files_are_printed_in_the_order_given_and_bad_ones_are_reported(
    outcrop, tmp_path, streamed
):
    (tmp_path / "a.md").write_text("# A\n")
    (tmp_path / "b.md").write_bytes(b"# B\n\xff\n")
    (tmp_path / "c.py").write_text("def c():\n    pass\n")
    (tmp_path / "d.md").write_text("# D\n")
    result = outcrop(
        "chunk", "a.md", "b.md", "c.py", "missing.md", "d.md", "--format", "jsonl"
    )
    assert streamed == ["a.md", "d.md"]
    assert [line.split('"')[3] for line in result.stdout.splitlines()] == [
        "a.md",
        "c.py",
        "d.md",
    ]
    assert result.exit_code == 1
    assert "b.md: not UTF-8: byte 0xff on line 2" in result.stderr
    assert "missing.md: no such file" in result.stderr


@pytest.mark.parametrize(
    "options", [["--format", "json"], [], ["--tree", "--format", "jsonl"], ["--check"]]
)
def test_other_output_needs_the_whole_document(outcrop, tmp_path, streamed, options):
    (tmp_path / "a.md").write_bytes(_TEXT.encode())
    assert outcrop("chunk", "a.md", *options).exit_code == 0
    assert streamed == []
