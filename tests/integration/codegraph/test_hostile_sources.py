"""Sources made to exhaust time, memory or the stack cost their own relations at most."""

from __future__ import annotations

import time
import tracemalloc

import pytest

from integration.codegraph.test_robustness import names, write
from outcrop.codegraph import build
from outcrop.model.edge import EdgeKind


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lib.rs", f"use {'x::' * 5_000}a;\nfn f() {{ a(); }}\n"),
        ("lib.rs", f"fn f(x: {'Vec<' * 5_000}u8{'>' * 5_000}) {{ x.g(); }}\n"),
        ("a.go", f"package a\nfunc f(x {'[]' * 5_000}int) {{ x.g() }}\n"),
        ("a.go", f"package a\nfunc f(x {'map[int]' * 5_000}int) {{ x.g() }}\n"),
        (
            "A.java",
            f"class A {{ void f({'L<' * 5_000}B{'>' * 5_000} x) {{ x.g(); }} }}",
        ),
        ("a.kt", f"fun f(x: {'L<' * 5_000}B{'>' * 5_000}) {{ x.g() }}\n"),
        ("A.cs", f"class A {{ void f({'L<' * 5_000}B{'>' * 5_000} x) {{ x.g(); }} }}"),
        ("a.ts", f"function f(x: {'L<' * 5_000}B{'>' * 5_000}) {{ x.g(); }}\n"),
        ("a.ts", f"function f(x: {'A | ' * 5_000}B) {{ x.g(); }}\n"),
    ],
)
def test_paths_and_types_of_any_depth_leave_the_graph_of_other_files(
    tmp_path, name, text
):
    write(tmp_path, name, text)
    write(tmp_path, f"in/z.{name.rpartition('.')[2]}", "")
    write(tmp_path, "other.py", "def one():\n    pass\n\ndef two():\n    one()\n")
    started = time.process_time()
    graph = build(tmp_path, workers=1)
    assert time.process_time() - started < 10
    calls = [edge for edge in graph.edges if edge.kind is EdgeKind.CALLS]
    one, two = (next(n.id for n in graph.nodes if n.name == x) for x in ("one", "two"))
    assert (two, one) in {(edge.src, edge.dst) for edge in calls}


def test_a_language_whose_relations_fail_is_named_and_the_others_are_resolved(
    tmp_path, monkeypatch
):
    def fail(*_):
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr("outcrop.codegraph.typed.relate_typed.relate_typed", fail)
    write(tmp_path, "A.java", "class A { void f() { g(); } void g() {} }\n")
    write(tmp_path, "a.py", "def one():\n    pass\n\ndef two():\n    one()\n")
    graph = build(tmp_path, workers=1)
    assert [edge for edge in graph.edges if edge.kind is EdgeKind.CALLS]
    assert "A.g" in names(graph)
    (fallback,) = graph.report.fallbacks
    assert fallback.path == "java"
    assert "recursion" in fallback.reason


def _names(count):
    return ", ".join(f"n{number}" for number in range(count))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", f"from {'x.' * 25_000}y import {_names(7_000)}\n"),
        ("a.py", f"from {'.' * 50_000}y import {_names(7_000)}\n"),
        ("a.py", f"import {'x' * 50_000} as m\n" + "m.f()\n" * 7_000),
        ("a.js", f"import {{ {_names(7_000)} }} from '{'x' * 50_000}';\n"),
        ("lib.rs", f"use {'x::' * 17_000}{{{_names(7_000)}}};\n"),
    ],
    ids=["python", "relative", "module", "javascript", "rust"],
)
def test_many_names_from_one_long_path_take_linear_time_and_memory(
    tmp_path, name, text
):
    write(tmp_path, name, text)
    started = time.process_time()
    tracemalloc.start()
    try:
        build(tmp_path, workers=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.process_time() - started < 10
    assert peak < 100_000_000


@pytest.mark.parametrize(("mixin", "count"), [("", 16_000), (", M", 4_000)])
def test_a_long_chain_of_classes_takes_linear_time(tmp_path, mixin, count):
    chain = "".join(f"class A{n + 1}(A{n}{mixin}): pass\n" for n in range(count))
    write(tmp_path, "a.py", f"class A0: pass\nclass M: pass\n{chain}")
    started = time.process_time()
    graph = build(tmp_path, workers=1)
    assert time.process_time() - started < 10
    extends = [edge for edge in graph.edges if edge.kind is EdgeKind.EXTENDS]
    assert len(extends) == count * (2 if mixin else 1)


def _modules(count, name, text):
    """Return files that each import everything from all others."""
    return {
        name.format(n): "".join(text.format(m) for m in range(count) if m != n)
        for n in range(count)
    }


@pytest.mark.parametrize(
    ("modules", "main"),
    [
        (
            _modules(40, "m{}.py", "from m{} import *\n"),
            {
                "main.py": "from m0 import f, g\n\ndef run():\n    f()\n    g()\n",
                "m39.py": "def f(): pass\n",
            },
        ),
        (
            _modules(40, "m{}.ts", "export * from './m{}';\n"),
            {
                "main.ts": "import { f, g } from './m0';\nfunction run() { f(); g(); }\n",
                "m39.ts": "export function f() {}\n",
            },
        ),
        (
            _modules(40, "src/m{}.rs", "pub use crate::m{}::*;\n"),
            {
                "src/lib.rs": "".join(f"mod m{n};\n" for n in range(40)),
                "src/main.rs": "use crate::m0::{f, g};\nfn run() { f(); g(); }\n",
                "src/m39.rs": "pub fn f() {}\n",
            },
        ),
    ],
    ids=["python", "typescript", "rust"],
)
def test_modules_that_all_import_everything_from_each_other_are_searched_once(
    tmp_path, modules, main
):
    for name, text in {**modules, **main}.items():
        write(tmp_path, name, text)
    started = time.process_time()
    graph = build(tmp_path, workers=1)
    assert time.process_time() - started < 10
    calls = [
        (graph.by_id[edge.src].name, graph.by_id[edge.dst].name)
        for edge in graph.edges
        if edge.kind is EdgeKind.CALLS and not edge.external
    ]
    assert calls == [("run", "f")]


def _numbered(count, text):
    return "".join(text.format(n, n + 1) for n in range(count))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.ts", _numbered(3_000, "class A{} extends A{} {{ f() {{ this.g(); }} }}\n")),
        (
            "lib.rs",
            _numbered(3_000, "trait A{}: A{} {{ fn f(&self) {{ self.g(); }} }}\n"),
        ),
        ("a.cs", "partial class A : B { void f() { this.g(); } }\n" * 4_000),
        ("a.ts", "function f() { f(); }\n" * 6_000),
        ("lib.rs", "struct A;\n" + "impl A { fn f(&self) { self.f(); } }\n" * 6_000),
        (
            "A.java",
            "class A { "
            + _numbered(1_500, "A m(A a, int b{}) {{ return m(m(m(a, 1), 2), 3); }}\n")
            + "}",
        ),
        ("A.java", _numbered(8_000, "class A{} {{ void go() {{ q.go(); }} }}\n")),
        (
            "a.js",
            "function A() {}\n" * 6_000
            + _numbered(6_000, "A.prototype.f{} = function() {{ this.f{}(); }}\n"),
        ),
    ],
    ids=["chain", "traits", "parts", "name", "impl", "overloads", "methods", "types"],
)
def test_thousands_of_bases_or_definitions_of_one_name_take_linear_time(
    tmp_path, name, text
):
    write(tmp_path, name, text)
    started = time.process_time()
    graph = build(tmp_path, workers=1)
    assert time.process_time() - started < 10
    assert not graph.report.fallbacks
