"""The graph written out through the command, in every format."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main
from outcrop.codegraph.language import Language
from outcrop.errors import MissingExtraError

PROGRAM = '''"""Shop."""


class Cart:
    """A cart with </script> in its text."""

    def add(self, item: "Item") -> None:
        check(item)
        print(item)


class Big(Cart):
    def add(self, item):
        super().add(item)


def check(item):
    pass
'''


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "shop.py").write_text(PROGRAM)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(main, ["graph", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_json_has_nodes_and_edges_by_qualified_name(folder):
    found = json.loads(run("export", folder, "--format", "json"))
    assert set(found) == {"nodes", "edges"}
    node = next(n for n in found["nodes"] if n["fqn"] == "shop.Cart.add")
    assert node["kind"] == "METHOD"
    assert node["signature"] == 'def add(self, item: "Item") -> None'
    assert node["file_path"] == "shop.py"
    assert (node["line_start"], node["line_end"]) == (7, 9)
    keys = ("src", "dst", "kind", "resolution", "external")
    edges = {tuple(edge[key] for key in keys) for edge in found["edges"]}
    assert ("shop.Cart.add", "shop.check", "CALLS", "exact", False) in edges
    assert ("shop.Cart.add", "builtins.print", "CALLS", "exact", True) in edges
    assert ("shop.Big", "shop.Cart", "EXTENDS", "exact", False) in edges
    assert ("shop.Big.add", "shop.Cart.add", "OVERRIDES", "exact", False) in edges


def test_json_is_the_default_and_kinds_can_be_chosen(folder):
    found = json.loads(run("export", folder, "--kind", "calls"))
    assert {edge["kind"] for edge in found["edges"]} == {"CALLS"}
    assert len(found["nodes"]) == 6


def test_jsonl_has_a_record_a_line(folder):
    lines = run("export", folder, "--format", "jsonl").splitlines()
    types = [json.loads(line)["type"] for line in lines]
    assert types == sorted(types, reverse=True)
    assert set(types) == {"node", "edge"}


def test_graphml_is_xml_with_every_end_of_every_edge(folder):
    root = ET.fromstring(run("export", folder, "--format", "graphml"))  # noqa: S314 - our own
    space = "{http://graphml.graphdrawing.org/xmlns}"
    nodes = {node.get("id") for node in root.iter(f"{space}node")}
    for edge in root.iter(f"{space}edge"):
        assert {edge.get("source"), edge.get("target")} <= nodes


def test_dot_quotes_its_names(folder):
    text = run("export", folder, "--format", "dot")
    assert text.startswith("digraph ")
    assert "shop.Cart.add" in text
    assert text.rstrip().endswith("}")


def test_page_is_self_contained_and_its_data_cannot_end_the_script(folder):
    text = run("export", folder, "--format", "html")
    assert "http://" not in text
    assert "https://" not in text
    data = text.partition('id="data">')[2].partition("</script>")[0]
    found = json.loads(data)
    assert "shop.Cart.add" in {node[0] for node in found["nodes"]}
    assert {len(node) for node in found["nodes"]} == {5}


def test_output_goes_to_a_file(folder, tmp_path):
    target = tmp_path / "graph.json"
    assert run("export", folder, "-o", target) == ""
    assert json.loads(target.read_text("utf-8"))["nodes"]


def test_problems_are_said_on_standard_error(folder):
    (folder / "bad.py").write_bytes(b"\0")
    result = CliRunner().invoke(main, ["graph", "export", str(folder)])
    assert "failed: bad.py: binary file" in result.stderr
    assert json.loads(result.stdout)["nodes"]


def test_show_lists_callers_and_callees(folder):
    text = run("show", "Cart.add", folder)
    assert text.startswith("METHOD shop.Cart.add (shop.py:7)\n")
    assert "  called by:\n    shop.Big.add  [exact]\n" in text
    assert "    builtins.print  [exact, external]\n" in text
    assert "  overridden by:\n    shop.Big.add  [exact]\n" in text


def test_show_of_an_unknown_name_says_what_to_do(folder):
    result = CliRunner().invoke(main, ["graph", "show", "nothing", str(folder)])
    assert result.exit_code == 1
    assert "no symbol 'nothing' in" in result.stderr


def test_show_groups_many_callers_by_file(tmp_path):
    (tmp_path / "lib.py").write_text(
        f"def get(key: str = {'x' * 400!r}):\n    return key\n"
    )
    for name in ("many", "few"):
        calls = "".join(
            f"def {name}{n}():\n    return get()\n\n"
            for n in range(8 if name == "many" else 3)
        )
        (tmp_path / f"{name}.py").write_text(f"from lib import get\n\n{calls}")
    shown = run("show", "get", tmp_path, "--limit", "1").splitlines()
    assert len(shown[1]) < 230
    assert shown[1].endswith(" …")
    at = shown.index("  called by: 11")
    assert shown[at + 1 : at + 3] == [
        "    many.py (8): many0, many1, many2, many3, …",
        "    3 more in 1 file; see --json, or pass --limit",
    ]


def test_show_prints_at_most_so_many_symbols(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}.py").write_text("def get():\n    pass\n")
    shown = run("show", "get", tmp_path, "--limit", "2")
    assert shown.count("FUNCTION") == 2
    assert "1 symbol more of this name; pass a qualified name" in shown


def test_show_prints_every_link_for_programs(folder):
    shown = json.loads(run("show", "check", folder, "--json", "--limit", "1"))
    assert shown["total"] == 1
    (symbol,) = shown["symbols"]
    assert symbol["fqn"] == "shop.check"
    assert [link["name"] for link in symbol["callers"]] == ["shop.Cart.add"]
    assert symbol["callers"][0]["resolution"] == "exact"


def test_show_names_the_extra_where_the_grammar_is_missing(folder, monkeypatch):
    def fail(self):
        raise MissingExtraError("reading python code", "code")

    monkeypatch.setattr(Language, "tree_language", property(fail))
    result = CliRunner().invoke(main, ["graph", "show", "check", str(folder)])
    assert result.exit_code == 3
    assert "pip install 'outcrop[code]'" in result.stderr
