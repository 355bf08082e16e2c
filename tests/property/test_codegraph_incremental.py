"""A graph built on an earlier one equals the graph built from nothing."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.codegraph import build

NAMES = ["a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "D.java", "e.js", "f.go"]
PIECES = {
    ".py": [
        "from b import two\n",
        "from pkg.c import *\n",
        "import a\n",
        "def one():\n    two()\n",
        "def two(f=None):\n    f()\n    return one\n",
        "class K:\n    def m(self):\n        self.n()\n    def n(self):\n        pass\n",
        "class L(K):\n    def n(self):\n        super().n()\n",
        "two(one)()\n",
        "K().m()\n",
        "def (:\n",
    ],
    ".java": [
        "class D { void m() { n(); } void n() {} }\n",
        "class E extends D { void k() { m(); new D().n(); } }\n",
        "package x;\n",
    ],
    ".js": [
        "export function f() { g(); }\n",
        "function g() {}\n",
        'import { h } from "./a";\nh();\n',
    ],
    ".go": [
        "package main\n",
        "type T struct{}\nfunc (t *T) M() { t.N() }\nfunc (t *T) N() {}\n",
        "func main() { t := &T{}; t.M() }\n",
    ],
}


@st.composite
def edits(draw):
    """A list of projects, each a change or two away from the one before."""
    project: dict[str, str] = {}
    steps = []
    for _ in range(draw(st.integers(2, 5))):
        for _ in range(draw(st.integers(1, 3))):
            name = draw(st.sampled_from(NAMES))
            pieces = PIECES[Path(name).suffix]
            if draw(st.integers(0, 4)) == 0:
                project.pop(name, None)
            else:
                project[name] = "".join(
                    draw(st.lists(st.sampled_from(pieces), max_size=4))
                )
        steps.append(dict(project))
    return steps


def lay_out(root, project):
    for path in sorted(root.rglob("*"), reverse=True):
        if path.is_file() and path.relative_to(root).as_posix() not in project:
            path.unlink()
    for name, text in project.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@settings(max_examples=60, deadline=None)
@given(edits())
def test_an_incremental_build_equals_a_clean_one(steps):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        graph = None
        for project in steps:
            lay_out(root, project)
            graph = build(root, "app", previous=graph, workers=1)
            clean = build(root, "app", workers=1)
            assert graph.nodes == clean.nodes
            assert graph.edges == clean.edges


@settings(max_examples=30, deadline=None)
@given(edits())
def test_only_changed_files_are_parsed_again(steps):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        before: dict[str, str] = {}
        graph = None
        for project in steps:
            lay_out(root, project)
            graph = build(root, "app", previous=graph, workers=1)
            changed = {n for n, text in project.items() if before.get(n) != text}
            assert graph.report.parsed == len(changed)
            before = project


@settings(max_examples=30, deadline=None)
@given(edits())
def test_every_edge_joins_nodes_or_says_it_is_external(steps):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        lay_out(root, steps[-1])
        graph = build(root, "app", workers=1)
        ids = {node.id for node in graph.nodes}
        assert len(ids) == len(graph.nodes)
        for edge in graph.edges:
            assert edge.src in ids
            assert edge.external == (edge.dst not in ids)
            assert 0 < edge.confidence <= 1


@settings(max_examples=30, deadline=None)
@given(edits())
def test_nodes_hold_the_text_of_their_place(steps):
    with TemporaryDirectory() as folder:
        root = Path(folder)
        lay_out(root, steps[-1])
        for node in build(root, "app", workers=1).nodes:
            if node.file_path is not None:
                text = (root / node.file_path).read_text()
                assert node.source_code == text[node.start_offset : node.end_offset]
                assert node.line_start == text.count("\n", 0, node.start_offset) + 1
