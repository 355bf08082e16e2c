"""`outcrop search --expand` and `outcrop related`, as people and programs use them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main

CODE = '''"""Making tea."""


def brew(leaves):
    """Steep leaves."""
    return steep(leaves)


def steep(leaves):
    """Wait."""
    return [leaf.flavour for leaf in leaves]
'''
POT = (
    "def pour():\n    ...\n\n\nclass Cup:\n    def pour(self):\n        return pour()\n"
)
GUIDE = "# Guide\n\nCall `tea.brew`.\n\n## Rain\n\nIt rains.\n"


@pytest.fixture(scope="module")
def run(server_url, tmp_path_factory):
    """Return a function that calls a command on an index of code and its guide."""
    project = tmp_path_factory.mktemp("commands")
    (project / "tea.py").write_text(CODE)
    (project / "pot.py").write_text(POT)
    (project / "guide.md").write_text(GUIDE)
    where = ["--project", str(project), "--database-url", server_url]

    def call(*arguments: str):
        return CliRunner().invoke(main, [*arguments, *where], catch_exceptions=False)

    assert call("index", str(project)).exit_code == 0
    return call


def test_a_search_follows_the_code_graph(run):
    done = run("search", "brew", "--expand", "mentions,calls", "--json")
    hits = json.loads(done.stdout)
    assert hits[0]["symbol"] == "tea.brew"
    assert {"guide.md", "tea.py"} <= {hit["path"] for hit in hits}
    assert all("graph" in hit["scores"] for hit in hits)


def test_related_says_how_each_is_related(run):
    done = run("related", "brew")
    assert done.exit_code == 0
    assert "callee (exact, 1.00)" in done.stdout
    assert "mention (" in done.stdout
    assert "def steep(leaves):" in done.stdout


def test_related_can_be_read_by_programs(run):
    found = json.loads(run("related", "brew", "--expand", "calls", "--json").stdout)
    assert [item["relation"] for item in found] == ["callee"]
    assert found[0]["hit"]["symbol"] == "tea.steep"
    assert found[0]["confidence"] == 1.0


def test_of_several_symbols_of_a_name_the_one_shown_is_named(run):
    done = run("related", "pour")
    assert (
        done.stderr == "shown for pot.pour; other symbols of this name: pot.Cup.pour\n"
    )
    assert run("related", "Cup.pour").stderr == ""
    assert run("related", "pot.pour").stderr == ""


def test_nothing_related_is_said_so(run):
    done = run("related", "steep", "--expand", "callees")
    assert (done.exit_code, done.stdout) == (0, "nothing found\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["related", "no_such"], "there is no symbol and no chunk 'no_such'"),
        (["related", "brew", "--expand", "uses"], "unknown relation 'uses'"),
        (["search", "tea", "--expand", "uses"], "unknown relation 'uses'"),
    ],
)
def test_what_cannot_be_followed_is_said(run, arguments, message):
    done = run(*arguments)
    assert done.exit_code != 0
    assert message in done.output


def test_row_3_65_a_search_is_restricted_to_a_package(run):
    done = run("search", "tea", "--package", "tea", "--json")
    assert {hit["path"] for hit in json.loads(done.stdout)} == {"tea.py"}
    done = run("search", "tea", "--package", "coffee")
    said = "nothing found: no code is in a package, module or type 'coffee'\n"
    assert done.stdout == said
    done = run("search", "tea", "--package", " . ")
    assert done.exit_code == 1
    assert "is not the name of a package" in done.stderr


def test_row_4_35_sections_and_documents_are_found(run):
    hits = json.loads(run("search", "rain", "--unit", "section", "--json").stdout)
    _, second, *text = run("search", "rain", "--unit", "section").stdout.splitlines()
    assert second.startswith("   summary: ")
    assert not any("summary:" in line for line in text[:1])
    assert "summary:" not in run("search", "rain").stdout
    assert (hits[0]["heading"], hits[0]["depth"]) == ("Rain", 2)
    shown = run("search", "rain", "--unit", "document").stdout
    assert "guide.md:1-7" in shown
    assert "It rains." in shown


def test_row_2_50_depth_finds_documents(run):
    hits = json.loads(run("search", "rain", "--depth", "0", "--json").stdout)
    assert {hit["unit"] for hit in hits} == {"document"}


def test_a_heading_restricts_the_hits(run):
    hits = json.loads(run("search", "rain", "--section", "guide/RAIN", "--json").stdout)
    assert {hit["header_path"] for hit in hits} == {"/Guide/Rain"}
    done = run("search", "x", "--section", "nowhere")
    assert done.stdout == "nothing found: no heading is 'nowhere'\n"


def test_row_2_51_the_hierarchy_is_shown(run):
    hits = json.loads(run("search", "rain", "--depth", "1", "--json").stdout)
    guide = next(hit for hit in hits if hit["heading"] == "Guide")
    below = json.loads(run("show", guide["id"], "--children", "--json").stdout)
    assert [hit["heading"] for hit in below] == ["Rain"]
    above = json.loads(run("show", below[0]["id"], "--parents", "--json").stdout)
    assert [hit["unit"] for hit in above] == ["document", "section"]
    beside = run("show", below[0]["id"], "--siblings")
    assert "Guide > Rain" in beside.stdout


def test_row_4_33_a_context_has_summaries_where_asked_for(run):
    plain = run("search", "rain", "--context", "300").stdout
    full = run("search", "rain", "--context", "300", "--with-summaries").stdout
    assert " document: " not in plain
    assert " document: " in full
    assert " section: It rains." in full
