"""`outcrop chunk --format` for frameworks, where none of them is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main
from trees import GUIDE

FORMATS = pytest.mark.parametrize("name", ["langchain", "llamaindex", "haystack"])
TEXTS = {"langchain": "page_content", "llamaindex": "text", "haystack": "content"}
IDS = {"langchain": "id", "llamaindex": "id_", "haystack": "id"}
SOURCE, PREVIOUS, NEXT, PARENT, CHILD = "12345"


def run(text, name, *options):
    source = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    command = ["chunk", "-", "--format", name, *options]
    done = CliRunner().invoke(main, command, input=source)
    assert done.exit_code == 0, done.output
    return done.stdout


def lines(text, name, *options):
    return [json.loads(line) for line in run(text, name, *options).splitlines()]


@FORMATS
def test_every_format_tells_the_same_texts_and_ids(name):
    expected = lines(GUIDE, "jsonl", "--tree")
    made = lines(GUIDE, name, "--tree")
    assert [line[TEXTS[name]] for line in made] == [
        GUIDE[line["start_offset"] : line["end_offset"]] for line in expected
    ]
    other = "haystack" if name == "langchain" else "langchain"
    assert [line[IDS[name]] for line in made] == [
        line[IDS[other]] for line in lines(GUIDE, other, "--tree")
    ]


@FORMATS
def test_lines_are_ascii_whatever_the_document_holds(name):
    text = "# Ёлка\n\nA\u2028B\x85C 👩‍👩‍👧\n"
    printed = run(text, name)
    assert printed.isascii()
    assert len(printed.splitlines()) == 1
    assert json.loads(printed)[TEXTS[name]] == text.rstrip("\n")


@FORMATS
def test_a_blank_document_prints_nothing(name):
    assert run(" \n", name) == ""


def test_llamaindex_reads_relations_by_number():
    made = {line["id_"]: line for line in lines(GUIDE, "llamaindex", "--tree")}
    for key, line in made.items():
        relations = line["relationships"]
        assert relations[SOURCE] == {"node_id": "-", "node_type": "4"}
        for child in relations.get(CHILD, []):
            assert made[child["node_id"]]["relationships"][PARENT]["node_id"] == key
        if NEXT in relations:
            following = made[relations[NEXT]["node_id"]]["relationships"]
            assert following[PREVIOUS]["node_id"] == key


def test_haystack_has_a_hierarchy_only_with_a_tree():
    assert "__parent_id" not in lines(GUIDE, "haystack")[0]["meta"]
    first, *others = lines(GUIDE, "haystack", "--tree")
    assert first["meta"]["__parent_id"] is None
    assert all(other["meta"]["__parent_id"] for other in others)


@FORMATS
def test_the_path_is_that_of_the_command(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in ("a.md", "b.md"):
        Path(path).write_text(GUIDE, encoding="utf-8")
    done = CliRunner().invoke(main, ["chunk", "a.md", "b.md", "--format", name])
    made = [json.loads(line) for line in done.stdout.splitlines()]
    fields = [line.get("metadata") or line["meta"] for line in made]
    assert {f.get("source") or f["file_path"] for f in fields} == {"a.md", "b.md"}
    assert len({line[IDS[name]] for line in made}) == len(made)


def test_no_framework_is_loaded():
    script = (
        "import sys; from outcrop.cli.main import main\n"
        "main(['chunk', 'README.md', '--format', 'llamaindex'], standalone_mode=False)\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert not loaded & {"haystack", "langchain_core", "llama_index", "pydantic"}
