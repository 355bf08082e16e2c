"""What `outcrop chunk --tree` prints: a tree for people, its nodes for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict

import pytest
from click import unstyle

from outcrop import ChunkConfig, MarkdownChunker, __version__

TEXT = """\
---
title: Tea
---

# Tea

Read this first.

## Boil

Fill the kettle.

### Gas

Light it.

### {title}

{long}

## Steep
"""
TEXT = TEXT.format(title="Wood / coal", long="Split the logs and wait. " * 12)


@pytest.fixture
def tea(tmp_path):
    (tmp_path / "tea.md").write_text(TEXT)
    return "tea.md"


def _tree(size=200, text=TEXT, **settings):
    config = ChunkConfig(max_chunk_size=size, **settings)
    return MarkdownChunker(config).chunk_hierarchical(text)


def test_in_a_pipe_the_titles_are_indented_behind_their_numbers(outcrop, tea):
    printed = outcrop("chunk", tea, "--max-size", "200", "--tree").stdout
    assert printed.splitlines()[1:] == [
        "lines  size  children  title",
        " 1-21   419         2  Tea",
        "  1-3    18         -    (no heading)",
        " 5-21   399         3    Tea",
        "  5-7    23         -      (its own text)",
        " 9-19   363         4      Boil",
        " 9-11    25         -        (its own text)",
        "13-15    18         -        Gas",
        "17-19   191         -        Wood / coal, part 1",
        "17-19   141         -        Wood / coal, part 2",
        "21-21     8         -      Steep",
    ]


def test_the_first_line_counts_nodes_and_chunks(outcrop, tea):
    first = outcrop("chunk", tea, "--max-size", "200", "--tree").stdout.splitlines()[0]
    tree = _tree()
    assert first == (
        f"tea.md: {len(tree.chunks)} nodes, {len(tree.get_flat_chunks())} of them "
        f"chunks, of {len(TEXT)} characters, strategy {tree.strategy_used}"
    )


def test_on_a_terminal_the_tree_is_drawn(outcrop, tea, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("NO_COLOR", raising=False)
    printed = outcrop("chunk", tea, "--max-size", "200", "--tree").stdout
    assert "\x1b[" in printed
    plain = unstyle(printed).splitlines()
    assert plain[1] == "Tea  lines 1-21, 419 characters, 2 children"
    assert "├── (no heading)  lines 1-3, 18 characters" in plain
    assert any(line.endswith("└── Steep  lines 21-21, 8 characters") for line in plain)
    assert len(plain) == 1 + len(_tree().chunks)


def test_json_is_the_tree_of_each_file(outcrop, tea):
    printed = outcrop(
        "chunk", tea, tea, "--max-size", "200", "--tree", "--format", "json"
    )
    expected = {"path": "tea.md", "tree": _tree().to_tree_dict()}
    assert json.loads(printed.stdout) == [expected, expected]


def test_jsonl_is_one_node_a_line_with_all_its_metadata(outcrop, tea):
    printed = outcrop("chunk", tea, "--max-size", "200", "--tree", "--format", "jsonl")
    lines = printed.stdout.split("\n")
    assert lines.pop() == ""
    nodes = [json.loads(line) for line in lines]
    assert nodes == [{"path": "tea.md", **asdict(node)} for node in _tree().chunks]
    assert nodes[0]["metadata"]["is_root"]


def test_every_option_reaches_the_chunker(outcrop, tea):
    printed = outcrop(
        *("chunk", tea, "--max-size", "120", "--overlap", "10", "--tree"),
        *("--strategy", "structural", "--oversize", "split", "--format", "json"),
    )
    tree = _tree(120, overlap_size=10, strategy="structural", oversize_blocks="split")
    assert json.loads(printed.stdout)[0]["tree"] == tree.to_tree_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--min-size", "10"), "--min-size has no effect with --tree"),
        (("--strategy", "fallback"), "--strategy fallback has no sections"),
    ],
)
def test_an_option_that_a_tree_would_ignore_is_refused(outcrop, tea, options, message):
    result = outcrop("chunk", tea, "--tree", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stdout == ""


def test_titles_cannot_steer_the_terminal_or_be_read_as_markup(
    outcrop, tmp_path, monkeypatch
):
    (tmp_path / "a.md").write_text("# \x1b[31mred [bold]x[/bold] \u202eback\n\nText\n")
    piped = outcrop("chunk", "a.md", "--tree").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    drawn = outcrop("chunk", "a.md", "--tree").stdout
    for printed in (piped, drawn):
        assert "\\x1b[31mred [bold]x[/bold] \\u202eback" in printed
        assert "\x1b[31m" not in printed
        assert "\u202e" not in printed


@pytest.mark.parametrize("text", ["", " \n\t\n"])
def test_a_blank_document_has_no_tree(outcrop, tmp_path, text):
    (tmp_path / "blank.md").write_text(text)
    printed = outcrop("chunk", "blank.md", "--tree")
    assert printed.stdout == "blank.md: no chunks: the document is blank\n"
    listed = outcrop("chunk", "blank.md", "--tree", "--format", "json").stdout
    assert json.loads(listed) == [{"path": "blank.md", "tree": {}}]
    assert outcrop("chunk", "blank.md", "--tree", "--format", "jsonl").stdout == ""


def test_a_file_that_cannot_be_read_leaves_the_others_their_tree(outcrop, tea):
    result = outcrop("chunk", "missing.md", tea, "--tree")
    assert result.exit_code == 1
    assert result.stderr == "error: missing.md: no such file\n"
    assert result.stdout.startswith("tea.md: ")


def test_trees_of_several_files_are_set_apart_by_a_blank_line(outcrop, tea):
    lines = outcrop("chunk", tea, tea, "--tree").stdout.splitlines()
    assert lines.count("") == 1
    assert sum(line.startswith("tea.md: ") for line in lines) == 2


def test_a_heading_without_a_title_has_a_name(outcrop, tmp_path):
    (tmp_path / "a.md").write_text("#\n\ntext\n\n##\n\nmore\n")
    printed = outcrop("chunk", "a.md", "--tree").stdout
    assert printed.count("(untitled)") == 2


def test_the_package_runs_as_a_module(tmp_path):
    (tmp_path / "a.md").write_text("# A\n\ntext\n")
    run = [sys.executable, "-m", "outcrop"]
    version = subprocess.run(
        [*run, "--version"], capture_output=True, text=True, check=True
    )
    assert version.stdout.endswith(f", version {__version__}\n")
    tree = subprocess.run(
        [*run, "chunk", "a.md", "--tree"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert tree.stdout.splitlines()[-1].endswith("-    A")
