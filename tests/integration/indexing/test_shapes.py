"""Files that keep their shape are updated alone, and all is as in a clean index."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from integration.indexing.code_trees import write, write_tree
from integration.indexing.states import clean_state, state_of
from outcrop.indexing.code import update

if TYPE_CHECKING:
    from pathlib import Path

SERVER = '''\
from fastapi import APIRouter, FastAPI

from web import views

router = APIRouter(prefix="/tea")


@router.get("/{leaf}")
def read_leaf(leaf):
    """Read one leaf."""
    return views.show(leaf)


router.add_api_route("/show", views.show)
app = FastAPI()
app.include_router(router, prefix="/v1")
'''
VIEWS = '''\
def show(leaf):
    """Show a leaf."""
    return [dry(leaf) for _ in range(2)]


def dry(leaf):
    return sorted(leaf, key=lambda part: part.weight)
'''
JAVA = """\
package tea;

/** A kettle. */
public class Kettle {
    private int volume, heat;

    public int boil() { return volume + heat; }
}

class Stove {
    Kettle kettle = new Kettle();

    int cook() { return kettle.boil(); }
}
"""
COMMENTS = {".py": "# note {}\n", ".java": "// note {}\n", ".ts": "// note {}\n"}


def write_project(folder: Path) -> None:
    write_tree(folder, count=3)
    write(folder, "web/__init__.py", "")
    write(folder, "web/server.py", SERVER)
    write(folder, "web/views.py", VIEWS)
    write(folder, "tea/Kettle.java", JAVA)


def lay_out_again(folder: Path, choose: random.Random) -> None:
    """Add a comment or blank lines between definitions, or change documentation."""
    files = sorted(f for f in folder.rglob("*.*") if f.suffix in COMMENTS)
    file = choose.choice([f for f in files if ".outcrop" not in f.parts])
    text = file.read_text()
    change = choose.randrange(4)
    note = COMMENTS[file.suffix].format(choose.randrange(1000))
    if change == 0:
        text = note + text
    elif change == 1:
        text += note
    elif change == 2:
        at = choose.choice(
            [0, *(n for n in range(len(text)) if text[n : n + 2] == "\n\n")]
        )
        text = f"{text[:at]}\n\n{note}\n{text[at:]}"
    else:
        text = text.replace("leaf.", f"leaf {choose.randrange(1000)}.")
        text = text.replace("A kettle.", f"A kettle {choose.randrange(1000)}.")
        text += "\n"
    file.write_text(text)


@pytest.fixture
def built(monkeypatch) -> list[str]:
    """Return the applications whose whole graph was built, in order."""
    names: list[str] = []
    build = update.store_graph

    def note(store, group, *given, **named):
        names.append(group.name)
        return build(store, group, *given, **named)

    monkeypatch.setattr(update, "store_graph", note)
    return names


@pytest.mark.parametrize("number", range(12))
def test_after_new_comments_all_is_as_in_a_clean_index(index, project, built, number):
    choose = random.Random(number)  # noqa: S311 - a reproducible choice, no secret
    write_project(project)
    index.index()
    assert built == [project.name]
    for _ in range(5):
        for _ in range(choose.randint(1, 3)):
            lay_out_again(project, choose)
        index.index()
    assert built == [project.name]
    grown = state_of(index)
    clean = clean_state(index)
    for part, rows in grown.items():
        assert rows == clean[part], part


@pytest.mark.parametrize("number", range(6))
def test_after_comments_and_new_calls_all_is_as_in_a_clean_index(
    index, project, built, number
):
    choose = random.Random(number)  # noqa: S311 - as above
    write_project(project)
    index.index()
    for step in range(4):
        lay_out_again(project, choose)
        if step % 2:
            views = (project / "web/views.py").read_text()
            call = f"\n\ndef extra_{step}():\n    return show(dry({step}))\n"
            write(project, "web/views.py", views + call)
        index.index()
    assert len(built) == 3
    grown = state_of(index)
    clean = clean_state(index)
    for part, rows in grown.items():
        assert rows == clean[part], part


def test_the_places_of_routes_move_and_their_documentation_changes(
    index, project, built
):
    write_project(project)
    index.index()
    write(project, "web/server.py", "# above\n" + SERVER)
    write(project, "web/views.py", VIEWS.replace("Show a leaf", "Show one leaf"))
    report = index.index()
    assert built == [project.name]
    assert report.graph.edges_written == 0
    shown = index.symbol("GET /v1/tea/show").node
    assert shown.doc_comment == "Show one leaf."
    assert shown.line_start == 15
    assert index.symbol("GET /v1/tea/{leaf}").node.line_start == 9


def test_another_strategy_plans_everything_again(index, project, built, open_index):
    from outcrop.indexing.config import IndexConfig

    write_project(project)
    index.index()
    other = open_index(config=IndexConfig(workers=1, strategy="per-node"))
    other.index()
    assert len(built) == 2
    grown = state_of(other)
    assert clean_state(other) == grown


def test_unchanged_files_are_not_parsed_again_for_a_new_call(
    index, project, monkeypatch
):
    from outcrop.codegraph import building

    write_project(project)
    index.index()
    parsed: list[str] = []
    parse = building.parse_files

    def note(root, files, workers):
        parsed.extend(path for path, _ in files)
        return parse(root, files, workers)

    monkeypatch.setattr(building, "parse_files", note)
    write(project, "web/views.py", f"{VIEWS}\n\nshow(3)\n")
    index.index()
    assert parsed == ["web/views.py"]


def test_an_interrupted_update_is_completed_by_the_next_run(
    index, project, built, monkeypatch
):
    write_project(project)
    index.index()
    write(project, "web/views.py", f"# above\n{VIEWS}")
    with monkeypatch.context() as patch:

        def fail(*_: object) -> None:
            raise RuntimeError("the process ends")

        patch.setattr(update.CodeDocuments, "tasks", fail)
        with pytest.raises(RuntimeError):
            index.index()
    index.index()
    grown = state_of(index)
    assert clean_state(index) == grown
