"""Deep nesting and long names cost what the file costs, no more."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.export import write_json
from outcrop.codegraph.names import MAX_NAME_CHARS, MAX_NESTING

NESTED = {
    "a.js": lambda n: "function f(){" * n + "}" * n,
    "b.js": lambda n: "const f=()=>{" * n + "}" * n,
    "c.js": lambda n: "run(()=>{" * n + "})" * n,
    "a.py": lambda n: "x = " + "lambda: " * n + "0\n",
}
MANY = {
    "a.js": lambda n: f"class {'C' * n} {{{'f(){}' * (n // 5)}}}",
    "a.py": lambda n: f"class {'C' * n}:\n" + "  def f(self): pass\n" * (n // 20),
    "b.py": lambda n: f"import {'p' * n} as x\n" + "x.f()\n" * (n // 6),
    "A.java": lambda n: f"package {'p' * n};\n" + "class A {}\n" * (n // 11),
    "a.rs": lambda n: f"impl {'T' * n} {{\n" + "fn f() {}\n" * (n // 10) + "}\n",
}
SHAPES = [
    *(pytest.param(name, make, id=f"nested {name}") for name, make in NESTED.items()),
    *(pytest.param(name, make, id=f"many in {name}") for name, make in MANY.items()),
]


def _graph(folder, name, text):
    (folder / name).write_text(text, "utf-8")
    return build(folder, "app", workers=1)


@pytest.mark.parametrize(("name", "make"), SHAPES)
def test_an_export_grows_with_the_file(tmp_path, name, make):
    sizes = [
        sum(map(len, write_json(_graph(tmp_path, name, make(size)))))
        for size in (2000, 8000)
    ]
    assert sizes[1] <= 4 * 1.25 * sizes[0]


@pytest.mark.parametrize(("name", "make"), SHAPES)
def test_memory_grows_with_the_file(tmp_path, name, make):
    _graph(tmp_path, name, make(10))  # what is loaded once is not counted
    peaks = []
    # Tracing follows the whole stack at each allocation, so a deep one takes seconds.
    for size in (500, 2000) if make in NESTED.values() else (1000, 4000):
        tracemalloc.start()
        _graph(tmp_path, name, make(size))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= 4 * 1.5 * peaks[0]


@pytest.mark.parametrize(("name", "make"), SHAPES)
def test_ids_and_names_of_the_nodes_are_unique_and_bounded(tmp_path, name, make):
    nodes = _graph(tmp_path, name, make(4000)).nodes
    assert len({node.id for node in nodes}) == len(nodes)
    assert all(len(node.fqn) <= MAX_NAME_CHARS for node in nodes)
    assert all(len(node.package_name) <= MAX_NAME_CHARS for node in nodes)


@pytest.mark.parametrize("name", NESTED)
def test_definitions_nested_too_deeply_are_text_of_the_one_around(tmp_path, name):
    kept = _graph(tmp_path, name, NESTED[name](MAX_NESTING))
    assert not kept.report.fallbacks
    cut = _graph(tmp_path, name, NESTED[name](MAX_NESTING + 1))
    assert len(cut.nodes) == len(kept.nodes)
    (reason,) = cut.report.fallbacks
    assert (reason.path, str(MAX_NESTING) in reason.reason) == (name, True)


def test_nested_python_functions_are_cut_at_the_same_depth(tmp_path):
    lines = [" " * level + f"def f{level}():\n" for level in range(MAX_NESTING + 9)]
    graph = _graph(tmp_path, "a.py", "".join(lines) + " " * len(lines) + "pass\n")
    names = [node.name for node in graph.nodes]
    assert names == ["a", *(f"f{level}" for level in range(MAX_NESTING))]


def test_long_names_that_begin_alike_stay_apart(tmp_path):
    text = "".join(f"class {'C' * 2000}{end} {{ f() {{}} }}\n" for end in "ab")
    nodes = _graph(tmp_path, "a.js", text).nodes
    assert len({node.fqn for node in nodes}) == len(nodes) == 5


def test_time_for_nested_definitions_grows_with_the_file(tmp_path):
    seconds = []
    for size in (2000, 16_000):
        started = time.process_time()
        _graph(tmp_path, "a.js", NESTED["a.js"](size))
        seconds.append(time.process_time() - started)
    assert seconds[1] <= 8 * 3 * seconds[0]


def test_variables_declared_by_the_thousand_in_one_statement_are_read(tmp_path):
    values = ",".join(f"a{number}=()=>1" for number in range(5000))
    started = time.process_time()
    graph = _graph(tmp_path, "a.js", f"const {values};\n")
    assert time.process_time() - started < 20  # was minutes
    assert graph.nodes[1].source_code == "a0=()=>1"
    assert len(graph.nodes) == 5001


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        ("const a = () => 1;", ["const a = () => 1;"]),
        ("const /* c */ a = () => 1;", ["const /* c */ a = () => 1;"]),
        ("export const a = () => 1;", ["export const a = () => 1;"]),
        ("export const a = () => 1, b = () => 2;", ["a = () => 1", "b = () => 2"]),
        ("var a = 1, b = 2;", ["a = 1", "b = 2"]),
    ],
)
def test_one_variable_is_its_statement_and_several_are_their_own(
    tmp_path, text, sources
):
    nodes = _graph(tmp_path, "a.js", text).nodes[1:]
    assert [node.source_code for node in nodes] == sources
