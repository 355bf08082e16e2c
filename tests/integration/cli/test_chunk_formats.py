"""What `outcrop chunk` prints: a table for people, JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import pytest

from outcrop import ChunkConfig, MarkdownChunker, TokenCounter
from outcrop.cli.chunk_options import SETTINGS, configure

DOCUMENT = """\
# Guide

Read this first.

## Install / set up

Run the line below, then `check` it. {}

```sh
make install
```

## Use

| option | meaning |
|---|---|
| `-v` | more words |
"""
TEXT = DOCUMENT.format("Wait until it ends. " * 12)


@pytest.fixture
def guide(tmp_path):
    (tmp_path / "guide.md").write_text(TEXT)
    return "guide.md"


def test_json_holds_every_field_of_every_chunk(outcrop, guide):
    result = outcrop("chunk", guide, "--max-size", "200", "--format", "json")
    expected = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(TEXT)
    assert len(expected) > 3
    assert json.loads(result.stdout) == [
        {"path": guide, "chunks": [asdict(chunk) for chunk in expected]}
    ]


def test_jsonl_is_one_chunk_a_line(outcrop, guide):
    result = outcrop("chunk", guide, "--max-size", "200", "--format", "jsonl")
    expected = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(TEXT)
    lines = result.stdout.split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == [
        {"path": guide, **asdict(chunk)} for chunk in expected
    ]


def test_every_option_reaches_the_chunker(outcrop, guide):
    result = outcrop(
        *("chunk", guide, "--max-size", "150", "--min-size", "20", "--overlap", "30"),
        *("--strategy", "fallback", "--oversize", "split", "--format", "json"),
        *("--tolerance", "0.1", "--unit", "tokens"),
    )
    config = ChunkConfig(
        max_chunk_size=150,
        min_chunk_size=20,
        overlap_size=30,
        strategy="fallback",
        oversize_blocks="split",
        oversize_tolerance=0.1,
        length=TokenCounter(),
    )
    expected = [asdict(chunk) for chunk in MarkdownChunker(config).chunk(TEXT)]
    assert json.loads(result.stdout)[0]["chunks"] == expected


def test_row_1_37_every_setting_of_the_chunker_has_an_option():
    assert set(SETTINGS) == {field.name for field in fields(ChunkConfig)}


def test_row_1_37_the_defaults_of_the_options_are_those_of_the_chunker():
    defaults = {
        name: declaration.get("default") for name, (_, declaration) in SETTINGS.items()
    }
    assert configure(**defaults) == ChunkConfig()


def test_row_1_37_thresholds_decide_which_strategy_is_chosen(outcrop, tmp_path):
    (tmp_path / "a.md").write_text("# A\n\n## B\n\nText.\n")
    assert "strategy fallback" in outcrop("chunk", "a.md").stdout
    result = outcrop("chunk", "a.md", "--structure-threshold", "2")
    assert "strategy structural" in result.stdout
    result = outcrop("chunk", "a.md", "--code-threshold", "0")
    assert "strategy code_aware" in result.stdout


def test_row_1_37_the_summary_of_a_tree_can_be_left_out(outcrop, tmp_path):
    (tmp_path / "a.md").write_text("# A\n\nOpening words.\n\n## B\n\nText.\n")
    trees = [
        json.loads(outcrop("chunk", "a.md", "--tree", "--format", "json", *more).stdout)
        for more in ((), ("--no-summary",))
    ]
    previews = [tree[0]["tree"]["content_preview"] for tree in trees]
    assert previews == ["# A\n\nOpening words.", "# A"]


def test_without_options_the_configuration_is_the_default(outcrop, guide):
    result = outcrop("chunk", guide, "--format", "json")
    expected = [asdict(chunk) for chunk in MarkdownChunker().chunk(TEXT)]
    assert json.loads(result.stdout)[0]["chunks"] == expected


def test_the_table_shows_number_lines_size_path_and_reason(outcrop, guide):
    result = outcrop("chunk", guide, "--max-size", "200")
    title, header, *rows = result.stdout.splitlines()
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=200)).chunk(TEXT)
    assert title == (
        f"guide.md: {len(chunks)} chunks of {len(TEXT)} characters, strategy code_aware"
    )
    assert header.split() == [
        "#",
        "lines",
        "size",
        "path",
        "why",
        "it",
        "starts",
        "here",
    ]
    assert len(rows) == len(chunks)
    for number, (row, chunk) in enumerate(zip(rows, chunks, strict=True), start=1):
        lines = f"{chunk.start_line}-{chunk.end_line}"
        assert row.split()[:3] == [str(number), lines, str(len(chunk.content))]
        assert chunk.metadata["header_path"] in row
    assert rows[0].endswith("the document begins")


def test_a_table_in_a_pipe_is_neither_coloured_nor_folded(outcrop, tmp_path):
    title = "A very long title " * 10
    (tmp_path / "long.md").write_text(f"# {title}\n\nText.\n")
    result = outcrop("chunk", "long.md")
    assert "\x1b" not in result.stdout
    assert len(result.stdout.splitlines()) == 3
    assert f"/{title.strip()}  the document begins" in result.stdout


def test_a_table_has_no_white_space_at_line_ends(outcrop, guide):
    lines = outcrop("chunk", guide, "--max-size", "200").stdout.splitlines()
    assert lines == [line.rstrip() for line in lines]


def test_a_chunk_over_the_limit_says_why(outcrop, tmp_path):
    code = "\n".join(f"line {n} of the program" for n in range(20))
    (tmp_path / "code.md").write_text(f"# Code\n\n```\n{code}\n```\n")
    row = outcrop("chunk", "code.md", "--max-size", "100").stdout.splitlines()[-1]
    assert row.endswith("(a block that stays whole, over 100)")


def test_titles_cannot_steer_the_terminal_or_be_read_as_markup(outcrop, tmp_path):
    (tmp_path / "a.md").write_text("# \x1b[31mred [bold]x[/bold] \u202eback\n\nText\n")
    result = outcrop("chunk", "a.md")
    assert "/\\x1b[31mred [bold]x[/bold] \\u202eback" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_blank_document_has_no_chunks(outcrop, tmp_path, text):
    (tmp_path / "blank.md").write_text(text)
    table = outcrop("chunk", "blank.md")
    assert (table.exit_code, table.stdout) == (
        0,
        "blank.md: no chunks: the document is blank\n",
    )
    listed = outcrop("chunk", "blank.md", "--format", "json").stdout
    assert json.loads(listed) == [{"path": "blank.md", "chunks": []}]
    assert outcrop("chunk", "blank.md", "--format", "jsonl").stdout == ""


def test_a_table_follows_the_next_after_a_blank_line(outcrop, guide):
    lines = outcrop("chunk", guide, guide).stdout.splitlines()
    assert lines.count("") == 1
    assert sum(line.startswith("guide.md: ") for line in lines) == 2
