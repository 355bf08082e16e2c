"""Files that are broken, huge, odd or unreadable: counted, reported, never fatal."""

from __future__ import annotations

import os

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.languages import languages
from outcrop.errors import InputError, MissingExtraError
from outcrop.model.edge import EdgeKind
from outcrop.planning.cutting.syntax import cut


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def names(graph):
    return {node.fqn for node in graph.nodes}


def test_definitions_around_a_syntax_error_are_found(tmp_path):
    write(tmp_path, "a.py", "def one():\n    pass\n\ndef (:\n\ndef two():\n    one()\n")
    graph = build(tmp_path)
    assert {"a.one", "a.two"} <= names(graph)
    assert graph.report.with_errors == ("a.py",)


def test_a_generated_file_of_five_megabytes_gives_its_definitions(tmp_path):
    write(
        tmp_path,
        "big.py",
        "def f():\n    return 1\n\n" + "x = 'aaaaaaaaaa'\n" * 300_000,
    )
    graph = build(tmp_path, workers=1)
    assert "big.f" in names(graph)
    assert [item.path for item in graph.report.fallbacks] == ["big.py"]


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("deep.py", "def f():\n    return 1\n\nx = ", "\n"),
        ("deep.js", "function f() {}\nx = ", ";\n"),
        ("Deep.java", "class A { void f() {} Object x = ", "; }\n"),
    ],
)
def test_a_hundred_thousand_parentheses_are_survived(tmp_path, name, before, after):
    write(tmp_path, name, before + "(" * 100_000 + "1" + ")" * 100_000 + after)
    graph = build(tmp_path, workers=1)
    assert any(node.name == "f" for node in graph.nodes)
    assert [item.path for item in graph.report.fallbacks] == [name]


def test_a_byte_order_mark_shifts_nothing(tmp_path):
    path = write(tmp_path, "a.py", b"\xef\xbb\xbfdef f():\n    pass\n")
    node = next(n for n in build(tmp_path).nodes if n.fqn == "a.f")
    text = path.read_bytes().decode("utf-8")
    assert node.source_code == text[node.start_offset : node.end_offset]
    assert node.source_code == "def f():\n    pass"
    assert node.line_start == 1


def test_windows_line_ends_are_kept(tmp_path):
    write(tmp_path, "a.py", "def f():\r\n    '''One.\r\n\r\n    Two.\r\n    '''\r\n")
    node = next(n for n in build(tmp_path).nodes if n.fqn == "a.f")
    assert node.source_code.count("\r\n") == 4
    assert node.doc_comment == "One.\n\nTwo."
    assert (node.line_start, node.line_end) == (1, 5)


def test_latin_1_bytes_are_read(tmp_path):
    path = write(tmp_path, "a.py", "name = 'é'\ndef f():\n    pass\n".encode("latin-1"))
    node = next(n for n in build(tmp_path).nodes if n.fqn == "a.f")
    text = path.read_bytes().decode("latin-1")
    assert text[node.start_offset : node.end_offset] == node.source_code


def test_offsets_count_characters_not_bytes(tmp_path):
    text = "name = 'Žluťoučký 🐎'\n\n\ndef café():\n    return 'ü'\n"
    write(tmp_path, "a.py", text)
    node = next(n for n in build(tmp_path).nodes if n.fqn == "a.café")
    assert text[node.start_offset : node.end_offset] == node.source_code
    assert (node.line_start, node.line_end) == (4, 5)


def test_a_loop_of_links_ends(tmp_path):
    write(tmp_path, "pkg/a.py", "def f():\n    pass\n")
    (tmp_path / "pkg" / "again").symlink_to(tmp_path / "pkg", target_is_directory=True)
    (tmp_path / "up").symlink_to(tmp_path, target_is_directory=True)
    graph = build(tmp_path)
    assert [n.fqn for n in graph.nodes if n.name == "f"] == ["pkg.a.f"]
    assert {item.path for item in graph.report.skipped} == {"pkg/again", "up"}


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    write(tmp_path, "outside/b.py", "def g():\n    pass\n")
    write(tmp_path, "project/a.py", "def f():\n    pass\n")
    (tmp_path / "project" / "in").symlink_to(tmp_path / "outside")
    (tmp_path / "project" / "c.py").symlink_to(tmp_path / "outside" / "b.py")
    graph = build(tmp_path / "project")
    assert {node.file_path for node in graph.nodes} == {"a.py"}
    assert {item.path for item in graph.report.skipped} == {"in", "c.py"}


def test_an_unreadable_file_is_reported(tmp_path):
    write(tmp_path, "a.py", "def f():\n    pass\n")
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere")
    graph = build(tmp_path)
    assert "a.f" in names(graph)
    assert [item.path for item in graph.report.failed] == ["gone.py"]


def test_a_pipe_is_reported(tmp_path):
    write(tmp_path, "a.py", "def f():\n    pass\n")
    os.mkfifo(tmp_path / "b.py")
    graph = build(tmp_path)
    assert "a.f" in names(graph)
    assert [i.reason for i in graph.report.failed] == ["not a regular file"]


@pytest.mark.parametrize(
    ("manifest", "source", "text"),
    [
        ("go.mod", "a.go", "package a\n\nfunc f() {}\n"),
        ("Cargo.toml", "src/lib.rs", "fn f() {}\n"),
        ("tsconfig.json", "a.ts", "function f() {}\n"),
        ("package.json", "a.js", "function f() {}\n"),
    ],
)
@pytest.mark.parametrize("kind", ["pipe", "device", "nested"])
def test_a_manifest_that_cannot_be_read_counts_as_none(
    tmp_path, manifest, source, text, kind
):
    write(tmp_path, source, text)
    plain = names(build(tmp_path))
    if kind == "pipe":
        os.mkfifo(tmp_path / manifest)
    elif kind == "device":
        (tmp_path / manifest).symlink_to("/dev/zero")
    else:
        write(tmp_path, manifest, f"name = {'[' * 100_000}{']' * 100_000}")
    assert names(build(tmp_path)) == plain


def test_a_binary_file_is_reported(tmp_path):
    write(tmp_path, "a.py", b"def f():\0\n")
    assert [i.reason for i in build(tmp_path).report.failed] == ["binary file"]


def test_files_in_no_known_language_are_counted(tmp_path):
    write(tmp_path, "a.xyz", "?")
    write(tmp_path, "b.xyz", "?")
    assert build(tmp_path).report.unknown == {".xyz": 2}


def test_folders_of_tools_and_dependencies_are_passed_over(tmp_path):
    write(tmp_path, "a.py", "x = 1\n")
    write(tmp_path, "node_modules/m/index.js", "function f() {}\n")
    write(tmp_path, "env/pyvenv.cfg", "")
    write(tmp_path, "env/lib/b.py", "y = 1\n")
    graph = build(tmp_path)
    assert {node.file_path for node in graph.nodes} == {"a.py"}
    assert {item.path for item in graph.report.skipped} == {"node_modules", "env"}


def test_a_missing_grammar_is_said_and_counted(tmp_path, monkeypatch):
    def missing(self):
        raise MissingExtraError("reading lua code", "languages")

    monkeypatch.setattr(type(languages()["lua"]), "tree_language", property(missing))
    write(tmp_path, "a.lua", "x = 1\n")
    write(tmp_path, "b.py", "x = 1\n")
    report = build(tmp_path, workers=1).report
    assert report.missing_grammars == {"lua": 1}
    assert any("no grammar for lua" in line for line in report.lines())


def test_nothing_at_the_root_is_refused(tmp_path):
    with pytest.raises(InputError, match="no folder or file"):
        build(tmp_path / "nowhere")


def test_an_empty_folder_gives_an_empty_graph(tmp_path):
    graph = build(tmp_path)
    assert (graph.nodes, graph.edges) == ((), ())


def test_one_file_is_a_graph_of_its_own(tmp_path):
    path = write(tmp_path, "a.py", "def f():\n    pass\n")
    assert names(build(path)) == {"a", "a.f"}


AMBIGUOUS = (
    "{x()\nx\n~(x)\n" + "x = x(x)\n" * 17 + "\n    helper()\n}\n\nfun helper() {\n"
)
"""A Kotlin file that its grammar would read for hours."""


def test_a_file_that_takes_too_long_to_parse_is_kept_without_definitions(tmp_path):
    write(tmp_path, "Main.kt", AMBIGUOUS)
    write(tmp_path, "Other.kt", "fun other() {}\n")
    graph = build(tmp_path, workers=1)
    assert "other" in names(graph)
    assert graph.report.parsed == 2
    assert [item.path for item in graph.report.fallbacks] == ["Main.kt"]
    assert "too long" in graph.report.fallbacks[0].reason
    assert graph.facts["Main.kt"].text == AMBIGUOUS


def test_a_text_that_takes_too_long_to_parse_is_cut_at_lines():
    pieces = cut(AMBIGUOUS, "kotlin", limit=40)
    assert "".join(piece.text for piece in pieces) == AMBIGUOUS
    for piece in pieces:
        assert len(piece.text) <= 40
        assert piece.text.endswith("\n")


def test_a_parse_after_one_that_was_given_up_starts_afresh(tmp_path):
    cut(AMBIGUOUS, "kotlin", limit=40)
    write(tmp_path, "Main.kt", "fun main() {}\n")
    assert "main" in names(build(tmp_path, workers=1))


@pytest.mark.parametrize(
    "files",
    [
        {"main.go": "len()"},
        {"main.go": 'import"cart"cart()'},
        {"Tools.cs": "using a;M()"},
        {"Main.kt": "import Base Base()"},
        {"Helper.java": "a.help()", "Main.java": "a help()"},
        {"Program.cs": "a.Cut()", "Tools.cs": "public class a{Cut()}"},
    ],
)
def test_every_edge_starts_at_a_node(tmp_path, files):
    for name, text in files.items():
        write(tmp_path, name, text)
    graph = build(tmp_path, workers=1)
    assert {edge.src for edge in graph.edges} <= set(graph.by_id)


def test_statements_outside_a_type_call_from_the_first_type_of_the_file(tmp_path):
    write(
        tmp_path,
        "Program.cs",
        "Tools.Cut();\nclass Tools { public static void Cut() {} }",
    )
    graph = build(tmp_path, workers=1)
    assert ("Tools", "Tools.Cut") in {
        (graph.name_of(edge.src), graph.name_of(edge.dst))
        for edge in graph.edges
        if edge.kind == EdgeKind.CALLS
    }


def test_java_code_does_not_call_the_functions_of_kotlin(tmp_path):
    write(tmp_path, "Main.java", "class Main { void go() { run(); println(); } }")
    write(tmp_path, "Other.kt", "fun other() { println() }")
    graph = build(tmp_path, workers=1)
    calls = {e.dst for e in graph.edges if e.kind == EdgeKind.CALLS and e.external}
    assert calls == {"kotlin.println"}


CHAINS = 1500
LONG_CHAINS = {
    "attributes": {"m.py": f"import y\n\ny{'.a' * CHAINS}()\n"},
    "imports": {
        "main.py": "from m0 import f\n\nf()\n",
        f"m{CHAINS}.py": "def f(): pass\n",
        **{f"m{n}.py": f"from m{n + 1} import f\n" for n in range(CHAINS)},
    },
    "star imports": {
        "main.py": "from m0 import f\n\nf()\n",
        f"m{CHAINS}.py": "def f(): pass\n",
        **{f"m{n}.py": f"from m{n + 1} import *\n" for n in range(CHAINS)},
    },
    "constructors of each other": {
        "one.py": "from two import B\n\nclass A:\n    __init__ = B\n\nA()\n",
        "two.py": "from one import A\n\nclass B:\n    __init__ = A\n\nB()\n",
    },
    "bases": {
        "m.py": "class C0:\n    def f(self): pass\n"
        + "".join(f"class C{n + 1}(C{n}): pass\n" for n in range(400))
        + "C400().f()\n",
    },
    "variables": {
        "m.ts": "const x0 = { f() {} };\n"
        + "".join(f"const x{n + 1} = x{n};\n" for n in range(CHAINS))
        + f"x{CHAINS}.f();\n",
    },
}


@pytest.mark.parametrize("level", ["local", "flow"])
@pytest.mark.parametrize("chain", LONG_CHAINS)
def test_definitions_that_refer_to_each_other_in_long_chains_are_survived(
    tmp_path, chain, level
):
    for name, content in LONG_CHAINS[chain].items():
        write(tmp_path, name, content)
    graph = build(tmp_path, level=level, workers=1)
    assert graph.report.parsed == len(LONG_CHAINS[chain])


def test_a_function_is_found_behind_many_imports(tmp_path):
    for name, content in LONG_CHAINS["imports"].items():
        write(tmp_path, name, content)
    graph = build(tmp_path, workers=1)
    calls = {(graph.name_of(e.src), graph.name_of(e.dst)) for e in graph.edges
             if e.kind == EdgeKind.CALLS}  # fmt: skip
    assert calls == {("main", f"m{CHAINS}.f")}
