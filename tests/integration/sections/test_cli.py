"""`outcrop sections`, from files to files."""

import json

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main
from outcrop.sections import DOCUMENT_ROOT, read_sections

pytest.importorskip("pyarrow")

TEXT = """Before.

# Guide

This guide says how the parser reads a document.

## Use

```
code
```
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command in a folder with one document."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guide.md").write_text(TEXT)
    return lambda *arguments, **settings: CliRunner().invoke(
        main, ["sections", *arguments], **settings
    )


def test_outline_shows_lines_tokens_and_headings(run):
    result = run("guide.md")
    assert result.exit_code == 0
    rows = [line.split(maxsplit=2) for line in result.stdout.splitlines()]
    assert rows[0] == ["guide.md:", "3", "sections"]
    assert [(lines, heading) for lines, _, heading in rows[1:]] == [
        ("1-1", DOCUMENT_ROOT),
        ("3-5", "Guide"),
        ("7-11", "Use"),
    ]


def test_json_has_every_field(run):
    result = run("guide.md", "--json")
    ((document),) = json.loads(result.stdout)
    assert document["path"] == "guide.md"
    first, guide, use = document["sections"]
    assert first["content"] + guide["content"] + use["content"] == TEXT
    assert guide["id"] == use["parent_id"]
    assert use["vector"] is None
    assert len(use["document_hash"]) == 64


def test_standard_input_is_read(run):
    result = run("-", "--json", input="# A\n")
    assert json.loads(result.stdout)[0]["sections"][0]["heading"] == "A"


def test_subtree_gives_a_section_the_text_below_it(run):
    result = run("guide.md", "--json", "--scope", "subtree")
    guide = json.loads(result.stdout)[0]["sections"][1]
    assert TEXT[TEXT.index("# Guide") :] == guide["content"]


def test_section_over_the_limit_is_marked(run):
    result = run("guide.md", "--max-tokens", "5")
    assert "Guide  (over 5 tokens)" in result.stdout


@pytest.mark.parametrize(
    "suffix", [".parquet", ".arrow", pytest.param(".lance", marks=pytest.mark.lance)]
)
def test_sections_are_written_with_vectors_and_times(suffix, run, tmp_path):
    if suffix == ".lance":
        pytest.importorskip("lancedb", reason="needs the extra lance")
    pytest.importorskip("tokenizers")
    result = run("guide.md", "--out", f"out{suffix}", "--embed", "local")
    assert result.exit_code == 0, result.output
    assert "3 sections written" in result.stderr
    stored = read_sections(tmp_path / f"out{suffix}")
    assert [len(section.vector) for section in stored] == [256] * 3
    assert all(section.created_at == section.updated_at for section in stored)
    assert "".join(section.content for section in stored) == TEXT


def test_row_4_27_a_second_command_adds_its_files(run, tmp_path):
    (tmp_path / "other.md").write_text("# Other\n")
    run("guide.md", "--out", "out.parquet")
    run("other.md", "--out", "out.parquet")
    stored = read_sections(tmp_path / "out.parquet")
    assert {section.document_path for section in stored} == {"guide.md", "other.md"}
    run("other.md", "--out", "out.parquet", "--overwrite")
    stored = read_sections(tmp_path / "out.parquet")
    assert {section.document_path for section in stored} == {"other.md"}


def test_summaries_are_shown_and_kept(run, tmp_path):
    pytest.importorskip("tokenizers")
    result = run("guide.md", "--summaries", "extractive")
    assert "This guide says how the parser reads a document." in result.stdout
    run("guide.md", "--summaries", "extractive", "--out", "out.arrow")
    stored = read_sections(tmp_path / "out.arrow")
    assert stored[2].summary == "Use"
    assert all(section.document_summary for section in stored)


def test_unreadable_file_is_reported_and_nothing_is_written(run, tmp_path):
    run("guide.md", "--out", "out.parquet")
    before = (tmp_path / "out.parquet").read_bytes()
    result = run("guide.md", "none.md", "--out", "out.parquet")
    assert result.exit_code == 1
    assert "none.md: no such file" in result.stderr
    assert "nothing was written" in result.stderr
    assert before == (tmp_path / "out.parquet").read_bytes()


def test_unreadable_file_does_not_keep_the_others_from_being_shown(run):
    result = run("none.md", "guide.md")
    assert result.exit_code == 1
    assert "Guide" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--out", "out.csv"), 1, "ends in '.csv'"),
        (("--out", "nowhere/out.parquet"), 1, "is not a folder"),
        (("--embed", "nonsense"), 2, "unknown embedder 'nonsense'"),
        (("--summaries", "nonsense"), 2, "unknown summarizer 'nonsense'"),
        (("--max-tokens", "0"), 2, "--max-tokens"),
        (("--scope", "all"), 2, "--scope"),
    ],
)
def test_wrong_argument_is_refused(arguments, code, message, run):
    result = run("guide.md", *arguments)
    assert code == result.exit_code
    assert message in result.stderr


def test_control_characters_of_a_heading_are_shown_not_sent(run, tmp_path):
    (tmp_path / "evil.md").write_text("# \x1b[31mred\n")
    assert "\\x1b[31mred" in run("evil.md").stdout
