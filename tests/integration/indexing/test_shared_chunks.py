"""Definitions so small that they share a chunk are found by their relations."""

from __future__ import annotations

import pytest

from outcrop.model.hit import Relation

FILES = {
    "cups/sizes.py": """def small(x):
    return x


def large(y):
    return small(y) * 3


def full(z):
    return z
""",
    "cups/plain.py": "".join(f"def cup_{n}(x):\n    return x\n\n\n" for n in range(3)),
    "cups/shelf.py": """from cups.sizes import large


def stack(n):
    return n * large()
""",
}


@pytest.fixture
def shelf(index, project):
    for path, text in FILES.items():
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(text)
    index.index(["cups"])
    return index


def relate(shelf, symbol, relation):
    found = shelf.related(symbol, expand=relation)
    return [(item.relation, item.hit.path) for item in found]


def test_a_callee_that_shares_a_chunk_is_found(shelf):
    callee = (Relation.CALLEE, "cups/sizes.py")
    assert relate(shelf, "cups.shelf.stack", "callees") == [callee]
    assert relate(shelf, "cups.sizes.large", "callees") == [callee]


def test_a_search_follows_the_graph_to_a_shared_chunk(shelf):
    hits = shelf.search("stack", 4, expand="callees")
    assert any(hit.path == "cups/sizes.py" and "graph" in hit.scores for hit in hits)


def test_the_relations_of_a_chunk_are_those_of_every_definition_in_it(index, project):
    (project / "cups").mkdir()
    (project / "cups" / "sizes.py").write_text(FILES["cups/sizes.py"])
    calls = "from cups.sizes import {0}\n\n\ndef stack_{0}(n):\n    return n * {0}(n)\n"
    for name in ("small", "large", "full"):
        (project / "cups" / f"{name}_shelf.py").write_text(calls.format(name))
    index.index(["cups"])
    (chunk,) = index.store.chunks_of("cups/sizes.py")
    assert relate(index, chunk.id, "callers") == [
        (Relation.CALLER, f"cups/{name}_shelf.py")
        for name in ("full", "large", "small")
    ]


def test_a_chunk_of_a_whole_file_does_not_contain_itself(shelf):
    (chunk,) = shelf.store.chunks_of("cups/plain.py")
    assert chunk.metadata["node_kind"] == "MODULE"
    assert relate(shelf, "cups.plain", "children") == []
