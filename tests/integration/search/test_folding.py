"""Hits of one place, as people and programs see them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main

PARAGRAPHS = [
    f"Paragraph {at} says how the memory of container {at} is limited. " * 6
    for at in range(18)
]
GUIDE = "# Guide\n\nIntro.\n\n## Memory\n\n" + "\n\n".join(PARAGRAPHS) + "\n"
OTHER = "# Machines\n\nThe memory of a machine is limited by its owner.\n"


@pytest.fixture(scope="module")
def run(server_url, tmp_path_factory):
    """Return a function that searches a long section, its translation and a note."""
    project = tmp_path_factory.mktemp("folding")
    (project / "guide.md").write_text(GUIDE)
    (project / "guide.de.md").write_text(
        "# Leitfaden\n\n## Memory\n\nDer Speicher (memory) von einem Container ist limited, "
        "und das ist nicht mit dem Speicher auf der Platte zu verwechseln.\n"
    )
    (project / "other.md").write_text(OTHER)
    where = ["--project", str(project), "--database-url", server_url]

    def call(*arguments: str):
        return CliRunner().invoke(main, [*arguments, *where], catch_exceptions=False)

    assert call("index", str(project)).exit_code == 0
    return call


def search(run, *options):
    done = run("search", "limit the memory of a container", *options, "--json")
    return json.loads(done.stdout)


def test_a_long_section_is_one_hit_and_lists_its_other_parts(run):
    hits = search(run, "--limit", "3")
    places = [(hit["path"], hit["header_path"]) for hit in hits]
    assert places[0] == ("guide.md", "/Guide/Memory")
    assert len(set(places)) == 3
    assert "other.md" in {path for path, _ in places}
    paths = {other["path"] for other in hits[0]["others"]}
    assert paths == {"guide.md", "guide.de.md"}


def test_every_part_is_shown_on_request(run):
    hits = search(run, "--limit", "3", "--no-group")
    assert [hit["path"] for hit in hits] == ["guide.md"] * 3
    assert not any(hit["others"] for hit in hits)


@pytest.mark.parametrize("grouped", [(), ("--no-group",)])
def test_the_lines_of_a_hit_are_those_of_its_own_text(run, grouped):
    lines = GUIDE.splitlines()
    hits = [
        hit
        for hit in search(run, "--limit", "20", *grouped)
        if hit["path"] == "guide.md"
    ]
    assert any(hit["prefix"] for hit in hits)
    for hit in hits:
        own = GUIDE[hit["start_offset"] : hit["end_offset"]]
        there = "\n".join(lines[hit["start_line"] - 1 : hit["end_line"]])
        assert there.strip() == own.strip()


def test_the_text_shown_starts_with_the_own_lines(run):
    """The best part without reranking repeats the heading of its section."""
    question = "limit the memory of a container"
    shown = run("search", question, "--limit", "2", "--rerank", "off").stdout
    assert "Paragraph" in shown.splitlines()[1]
    assert "   also " in shown


def test_a_search_can_be_limited_to_a_language(run):
    paths = {hit["path"] for hit in search(run, "--lang", "en", "--no-group")}
    assert "guide.md" in paths
    assert search(run, "--lang", "de")[0]["path"] == "guide.de.md"


def test_a_language_that_no_document_has_is_refused(run):
    done = run("search", "memory", "--lang", "xx")
    assert done.exit_code == 1
    assert "no document is in language 'xx'; the index has: de, en" in done.output
