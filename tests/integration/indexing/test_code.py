"""Code in the index: graph and chunks follow the files, and only what changed."""

from __future__ import annotations

import random

import pytest

from integration.indexing.code_trees import edit_tree, write, write_tree
from integration.indexing.states import clean_state, state_of
from outcrop.errors import EmbeddingError
from outcrop.model.edge import EdgeKind

ROUNDS = [
    pytest.param(number, marks=[pytest.mark.full] if number >= 3 else [])
    for number in range(20)
]
LIBRARY = '''\
"""Shapes."""

import math


class Circle:
    """A round thing."""

    def __init__(self, radius):
        self.radius = radius

    def area(self):
        """Return how much it covers."""
        return square(self.radius) * math.pi


def square(number):
    """Return a number times itself."""
    total = number * number
    return total
'''
CALLER = """\
from shapes import Circle, square


def draw(canvas, radius):
    circle = Circle(radius)
    canvas.fill(circle.area())
    return square(radius)
"""
GUIDE = "# Guide\n\nUse `shapes.Circle.area` and `draw`.\n\n## Other\n\nNothing here.\n"


def write_shapes(project) -> None:
    write(project, "shapes.py", LIBRARY)
    write(project, "drawing.py", CALLER)
    write(project, "docs/guide.md", GUIDE)


def test_code_is_stored_with_its_graph(index, project):
    write_shapes(project)
    report = index.index()
    assert report.added == ["docs/guide.md", "drawing.py", "shapes.py"]
    assert report.graph.nodes_written == report.graph.nodes == len(_nodes(index))
    document = index.store.get_document("shapes.py")
    assert (document.kind, document.lang) == ("code", "python")
    area = index.symbol("shapes.Circle.area")
    assert [link.name for link in area.callers] == ["drawing.draw"]
    assert [link.name for link in area.parents] == ["shapes.Circle"]
    assert [link.name for link in area.callees] == ["shapes.square"]
    assert [link.name for link in area.mentions] == ["docs/guide.md > Guide"]
    assert index.symbols("Circ")[0].fqn == "shapes.Circle"


def test_chunks_of_code_are_verbatim_and_complete(index, project):
    write_tree(project)
    write(project, "latin.py", "")
    (project / "latin.py").write_bytes("# café\nname = 'é'\n".encode("latin-1"))
    index.index()
    for document in index.documents():
        data = (project / document.path).read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        covered = []
        for chunk in index.store.chunks_of(document.path):
            if document.kind != "code":
                continue
            own = text[chunk.start_offset : chunk.end_offset]
            assert chunk.content == chunk.prefix + own + chunk.suffix
            assert chunk.source == "code"
            covered += range(chunk.start_offset, chunk.end_offset)
        if document.kind == "code":
            assert len(covered) == len(set(covered))
            rest = set(range(len(text))) - set(covered)
            assert not "".join(text[place] for place in rest).strip()


def test_a_chunk_of_code_says_what_uses_it(index, project):
    write_shapes(project)
    index.index()
    chunks = {c.title: c for c in index.store.chunks_of("shapes.py")}
    square = chunks["shapes.square"]
    assert "drawing.draw" in square.used_by_md
    assert "shapes.Circle.area" in square.used_by_md
    assert square.explain_md.startswith("Return a number times itself.")
    assert square.node_id == index.symbol("shapes.square").node.id
    hit = index.search("number times itself", 1)[0]
    assert (hit.path, hit.source) == ("shapes.py", "code")


def test_an_unchanged_tree_of_code_writes_nothing(index, project):
    write_shapes(project)
    index.index()
    before = state_of(index, with_rows=True)
    index.embedder.texts.clear()
    report = index.index()
    assert (report.unchanged, report.wrote, report.embedded) == (3, False, 0)
    assert report.graph.nodes == 0
    assert state_of(index, with_rows=True) == before
    assert index.embedder.texts == []


def test_a_changed_function_embeds_its_chunk_alone(index, project):
    write_shapes(project)
    index.index()
    index.embedder.texts.clear()
    write(project, "shapes.py", LIBRARY.replace("total = ", "total = 1 * "))
    report = index.index()
    assert report.changed == ["shapes.py"]
    assert ["1 * number" in text for text in index.embedder.texts] == [True]
    assert report.graph.nodes_written == 2


def test_lines_inserted_above_embed_nothing_below(index, project):
    write_shapes(project)
    index.index()
    index.embedder.texts.clear()
    write(
        project, "shapes.py", LIBRARY.replace("import math", "import math\nimport os")
    )
    index.index()
    assert len(index.embedder.texts) == 1
    node = index.symbol("shapes.square").node
    assert node.line_start == 18
    # What uses it tells of its new line.
    draw = index.store.chunks_of("drawing.py")[-1]
    assert "shapes.py#L18" in draw.uses_md
    after = state_of(index)
    assert clean_state(index) == after


def test_a_caller_that_goes_leaves_no_trace(index, project):
    write_shapes(project)
    index.index()
    (project / "drawing.py").unlink()
    report = index.index()
    assert report.removed == ["drawing.py"]
    assert report.graph.nodes_deleted == 2
    assert {node.file_path for node in _nodes(index)} == {"shapes.py"}
    square = index.symbol("square")
    assert [link.name for link in square.callers] == ["shapes.Circle.area"]
    chunk = next(
        c for c in index.store.chunks_of("shapes.py") if c.title == "shapes.square"
    )
    assert "drawing" not in chunk.used_by_md
    after = state_of(index)
    assert clean_state(index) == after


def test_all_code_may_go(index, project):
    write_shapes(project)
    index.index()
    (project / "drawing.py").unlink()
    (project / "shapes.py").unlink()
    index.index()
    assert _nodes(index) == []
    assert state_of(index)["edges"] == []
    assert [d.path for d in index.documents()] == ["docs/guide.md"]


def test_a_document_is_linked_when_its_symbol_appears(index, project):
    write(project, "docs/guide.md", GUIDE)
    write(project, "other.py", "def unrelated():\n    print(1)\n    print(2)\n")
    index.index()
    assert [e for e in state_of(index)["edges"] if e[1] == "MENTIONS"] == []
    write_shapes(project)
    report = index.index()
    assert report.graph.mentions == 2
    chunk = index.store.chunks_of("docs/guide.md")[1]
    edges = index.store.edges_from([c.id for c in index.store.chunks_of(chunk.path)])
    assert {edge.kind for edge in edges} == {EdgeKind.MENTIONS}
    write(project, "docs/guide.md", GUIDE.replace("`draw`", "draw"))
    assert index.index().graph.mentions == 1


def test_embedding_again_gives_code_the_same_vectors(index, project):
    write_shapes(project)
    index.index()
    before = state_of(index)
    assert index.reembed(force=True) == index.status().contents.indexable
    assert state_of(index) == before


def test_code_outside_the_paths_stays_in_the_graph(index, project):
    write_shapes(project)
    write(project, "more/extra.py", "from shapes import square\n\nx = square(2)\n")
    index.index(["shapes.py", "drawing.py"])
    report = index.index("more")
    assert report.added == ["more/extra.py"]
    assert report.unchanged == 0
    callers = {link.name for link in index.symbol("shapes.square").callers}
    assert callers == {"drawing.draw", "more.extra", "shapes.Circle.area"}


def test_code_outside_the_paths_is_looked_at_only_for_a_new_graph(index, project):
    write_shapes(project)
    index.index()
    (project / "drawing.py").unlink()
    write(project, "shapes.py", LIBRARY.replace("Return a", "Give a"))
    write(project, "docs/guide.md", GUIDE + "\nMore.\n")
    report = index.index("docs")
    assert (report.changed, report.removed) == (["docs/guide.md"], [])
    write(project, "docs/example.py", "import shapes\n\nshapes.square(2)\n")
    report = index.index("docs")
    assert report.added == ["docs/example.py"]
    assert (report.changed, report.removed) == (["shapes.py"], ["drawing.py"])
    after = state_of(index)
    assert clean_state(index) == after


def test_a_run_is_noted_where_something_was_done(index, project):
    write_shapes(project)
    (project / "bad.py").write_bytes(b"\0")
    index.index()
    run = index.runs()[0]
    assert (run.kind, run.state, run.parameters) == ("index", "done", {"paths": ["."]})
    assert run.statistics["added"] == 3
    assert run.errors == [{"path": "bad.py", "error": "binary"}]
    assert run.statistics["graph"]["nodes_written"] > 0
    assert index.index().problems
    assert len(index.runs()) == 1


def test_a_run_that_fails_says_why(index, project, monkeypatch):
    write_shapes(project)
    killed = index.store.create_run("index")

    def fail(texts):
        raise EmbeddingError("no vectors today", stage="embed")

    monkeypatch.setattr(index.embedder, "embed", fail)
    with pytest.raises(EmbeddingError):
        index.index()
    run = index.runs()[0]
    assert (run.state, run.error) == ("failed", "no vectors today")
    assert index.run(killed.id).error.startswith("it was interrupted")
    monkeypatch.undo()
    index.index()
    after = state_of(index)
    assert clean_state(index) == after


def test_a_folder_outside_the_project_is_an_application_of_its_own(
    index, project, tmp_path
):
    outside = tmp_path / "elsewhere"
    write(outside, "src/pkg/__init__.py", "")
    write(outside, "src/pkg/tools.py", LIBRARY)
    write_shapes(project)
    index.index([".", outside])
    names = {app.name: app.nodes for app in index.store.applications()}
    assert set(names) == {"project", "elsewhere"}
    node = index.symbol("pkg.tools.square").node
    assert node.file_path == (outside / "src/pkg/tools.py").as_posix()
    before = state_of(index, with_rows=True)
    assert not index.index([".", outside]).wrote
    assert not index.index().wrote
    assert state_of(index, with_rows=True) == before
    (outside / "src/pkg/tools.py").unlink()
    (outside / "src/pkg/__init__.py").unlink()
    assert len(index.index(outside).removed) == 2
    assert index.symbols("pkg.tools.square") == []


def test_files_that_cannot_be_code_are_told(index, project):
    write(project, "good.py", CALLER)
    (project / "bad.py").write_bytes(b"x = '\0'\n")
    (project / "data.css").write_bytes(b"\0\1\2")
    report = index.index()
    assert [(p.path, p.reason) for p in report.problems] == [
        ("bad.py", "binary"),
        ("data.css", "binary"),
    ]
    assert [d.path for d in index.documents()] == ["good.py"]
    write(project, "bad.py", "def better(number):\n    return number - 1 * number\n")
    assert index.index().added == ["bad.py"]


def test_minified_code_is_left_out(index, project):
    write(project, "lib.js", "function pour(cup) {\n  return cup.fill(1);\n}\n")
    index.index()
    write(project, "lib.js", "function pour(cup){return cup.fill(1)};" * 300)
    report = index.index()
    assert (report.removed, report.skipped["generated"]) == (["lib.js"], 1)
    assert _nodes(index) == []
    assert not index.index().wrote


def test_code_without_its_grammar_is_cut_by_lines(index, project, monkeypatch):
    write_shapes(project)
    monkeypatch.setattr(
        "outcrop.indexing.files.kinds._is_installed", lambda lang: False
    )
    report = index.index()
    assert report.notes == [
        "no grammar for python: 2 files are cut by lines; pip install 'outcrop[code]'"
    ]
    assert index.search("number times itself", 1)[0].path == "shapes.py"
    assert _nodes(index) == []
    monkeypatch.undo()
    report = index.index()
    assert report.graph.nodes_written > 0
    after = state_of(index)
    assert clean_state(index) == after


def test_other_text_languages_are_found_by_lines(index, project):
    write(project, "style.css", ".pot { color: brown; }\n\n.cup { width: 3px; }\n")
    write(project, "Makefile", "brew:\n\tboil water\n")
    index.index()
    assert index.search("brown pot", 1)[0].path == "style.css"
    assert index.search("boil water", 1)[0].path == "Makefile"
    assert _nodes(index) == []


def test_a_watch_reads_changed_files_alone(index, project):
    import threading

    write_shapes(project)
    stop = threading.Event()
    watch = index.watch(stop=stop)
    assert next(watch).added
    write(project, "shapes.py", LIBRARY.replace("Return a", "Give a"))
    report = next(watch)
    assert report.changed == ["shapes.py"]
    stop.set()
    assert list(watch) == []
    after = state_of(index)
    assert clean_state(index) == after


@pytest.mark.parametrize("number", ROUNDS)
def test_after_random_edits_all_is_as_in_a_clean_index(index, project, number):
    choose = random.Random(number)  # noqa: S311 - a reproducible choice, no secret
    write_tree(project)
    index.index()
    for _ in range(6):
        edit_tree(project, choose)
        index.index()
    grown = state_of(index)
    clean = clean_state(index)
    for part, rows in grown.items():
        assert rows == clean[part], part


def _nodes(index):
    return [
        node
        for app in index.store.applications()
        for node in index.store.nodes_page(app.id, limit=10_000)
    ]


def test_a_dry_run_foretells_what_a_run_does_to_code_elsewhere(index, project):
    write_shapes(project)
    index.index()
    write(project, "shapes.py", LIBRARY.replace("square", "power"))
    write(project, "drawing.py", CALLER.replace("square", "power"))
    foretold = index.index(["shapes.py"], dry_run=True)
    done = index.index(["shapes.py"])
    assert foretold.changed == done.changed == ["drawing.py", "shapes.py"]
