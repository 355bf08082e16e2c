"""The edges of a graph, in order."""

from __future__ import annotations

from outcrop.codegraph import build


def test_edges_are_in_the_order_of_source_kind_and_target(tmp_path):
    (tmp_path / "shop.py").write_text(
        "import os\nfrom json import loads, dumps\n\n"
        "class Cart(dict):\n"
        "    def add(self, item):\n        self.check(item)\n        print(loads(item))\n"
        "    def check(self, item):\n        os.stat(dumps(item))\n\n"
        "def run():\n    Cart().add(1)\n"
    )

    edges = build(tmp_path).edges

    assert list(edges) == sorted(edges, key=lambda e: (e.src, e.kind, e.dst))
    assert {str(edge.kind) for edge in edges} >= {"CALLS", "CONTAINS", "EXTENDS"}


def test_calls_inside_strings_with_any_prefix_are_found(tmp_path):
    (tmp_path / "text.py").write_text(
        "def one(): pass\ndef two(): pass\ndef three(): pass\n\n"
        "def run():\n"
        '    return f"{one()}", rF\'{two():>4}\' "plain {one()}" \'a\' f"{three()!r}"\n'
    )

    graph = build(tmp_path)
    calls = {graph.name_of(e.dst) for e in graph.edges if e.kind == "CALLS"}

    assert calls == {"text.one", "text.two", "text.three"}
