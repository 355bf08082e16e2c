"""`outcrop chunk` cuts code as code, and says so."""

from __future__ import annotations

import json
import re

import pytest

CODE = '''"""A small module."""

LIMIT = 3


def first(value):
    """Return it."""
    return value


class Second:
    """Holds one."""

    def method(self):
        return LIMIT
'''


@pytest.fixture
def app(tmp_path):
    path = tmp_path / "app.py"
    path.write_text(CODE)
    return path


def test_a_python_file_is_cut_at_its_definitions(outcrop, app):
    result = outcrop("chunk", "app.py", "--max-size", "90", "--format", "json")
    (document,) = json.loads(result.stdout)
    paths = [chunk["metadata"]["header_path"] for chunk in document["chunks"]]
    assert paths[:2] == ["/app", "/app/first"]
    for chunk in document["chunks"]:
        own = CODE[chunk["start_offset"] : chunk["end_offset"]]
        assert chunk["content"] == chunk["prefix"] + own + chunk["suffix"]
        assert len(chunk["content"]) <= 90
        assert chunk["metadata"]["language"] == "python"
        assert chunk["metadata"]["content_type"] == "code"
    assert "".join(
        "".join(CODE[c["start_offset"] : c["end_offset"]].split())
        for c in document["chunks"]
    ) == "".join(CODE.split())


def test_the_table_says_that_it_is_code_and_why_a_chunk_starts(outcrop, app):
    result = outcrop("chunk", "app.py", "--max-size", "90")
    first, *rows = result.stdout.splitlines()
    assert first.endswith("characters of python code, strategy adaptive")
    assert rows[2].split(maxsplit=4)[3:] == ["/app/first", "a definition"]


def test_as_markdown_cuts_the_same_file_as_markdown(outcrop, app):
    result = outcrop("chunk", "app.py", "--as", "markdown")
    assert "python code" not in result.stdout
    assert "strategy code_aware" in result.stdout


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("run", "#!/usr/bin/env python3\nprint(1)\n", "of python code"),
        ("run", "#!/usr/bin/env -S node --check\nlet a\n", "of javascript code"),
        ("run", "#!/bin/sh\nls\n", "of bash code"),
        ("run", "#!/opt/unknown\nls\n", "strategy fallback"),
        ("run", "Just text.\n", "strategy fallback"),
        ("notes.txt", "#!/bin/sh\nls\n", "strategy fallback"),
        ("a.json", "{}\n", "of json code"),
        ("guide.md", "import this\n", "strategy fallback"),
    ],
)
def test_name_and_first_line_tell_code_from_documents(
    outcrop, tmp_path, name, text, words
):
    (tmp_path / name).write_text(text)
    assert words in outcrop("chunk", name).stdout.splitlines()[0]


def test_a_script_on_standard_input_is_code_too(outcrop):
    result = outcrop("chunk", "-", stdin=b"#!/usr/bin/python3\nprint(1)\n")
    assert "of python code" in result.stdout


def test_a_tree_of_code_is_refused_with_what_to_do(outcrop, app):
    result = outcrop("chunk", "app.py", "--tree")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: app.py: python code has no tree of sections; omit --tree, or pass"
        " --as markdown\n"
    )
    assert outcrop("chunk", "app.py", "--tree", "--as", "markdown").exit_code == 0


def test_a_size_too_small_for_code_names_the_option(outcrop, app):
    result = outcrop("chunk", "app.py", "--max-size", "3")
    assert result.exit_code == 1
    assert "app.py: python code: --max-size is 3, but it must be" in result.stderr


@pytest.mark.parametrize(
    "output_format", ["jsonl", "html", "langchain", "llamaindex", "haystack"]
)
def test_every_format_shows_code(outcrop, app, output_format):
    result = outcrop("chunk", "app.py", "--max-size", "90", "--format", output_format)
    assert result.exit_code == 0
    # On the page the tokens of code have colours.
    text = re.sub(r"</?span[^>]*>", "", result.stdout)
    assert "def first(value)" in text
    assert "Holds one" in result.stdout
