"""`outcrop graph build` and `show`: the graph in the index, without documents."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from integration.indexing.code_trees import write, write_tree
from integration.indexing.states import clean_state, state_of
from integration.store.created import give_database
from outcrop.cli.main import main
from outcrop.errors import InputError, NotFoundError
from outcrop.indexing.index import Index
from outcrop.store.database import Database
from outcrop.store.server.embedded import EmbeddedServer

APP = "from lib import work\n\n\ndef run(job):\n    return work(job)\n"
LIB = 'class Base:\n    """A base."""\n\n\ndef work(job):\n    """Do a job."""\n    print(job)\n'


@pytest.fixture(scope="module")
def served():
    """Return a project whose server runs for all tests of this file."""
    project = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    project.chmod(0o755)
    give_database(project)
    write(project, "app.py", APP)
    write(project, "lib.py", LIB)
    with EmbeddedServer(project / ".outcrop"):
        yield project
    shutil.rmtree(project)


@pytest.fixture
def folder(served):
    """Return the project with no graph in its index."""
    with Database.open(served) as database, database.write() as connection:
        connection.execute("DELETE FROM applications")
        connection.execute("DELETE FROM edges")
    return served


def run(folder: Path, *arguments: str):
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(
            main, arguments, prog_name="outcrop", catch_exceptions=False
        )
    finally:
        os.chdir(before)


@pytest.mark.parametrize("symbol", ["lib.wrok", "lbi.work", "wokr", "Lib.Work_"])
def test_an_unknown_symbol_is_answered_with_similar_ones(folder, symbol):
    run(folder, "graph", "build", ".")
    for command in (["graph", "show", symbol], ["related", symbol]):
        refused = run(folder, *command)
        assert refused.exit_code == 4
        assert "; similar: lib.work" in refused.stderr
    with Index.open(folder) as index:
        for find in (index.related, index.symbol):
            with pytest.raises(NotFoundError, match=r"; similar: lib\.work"):
                find(symbol)
            with pytest.raises(NotFoundError) as error:
                find("quite_another_name")
            assert "similar" not in str(error.value)


def test_a_graph_is_built_into_the_index_and_shown(folder):
    first = json.loads(run(folder, "graph", "build", ".", "--json").stdout)
    assert first["application"] == folder.name
    assert (first["files"], first["graph"]["nodes"]) == (2, 5)
    assert first["graph"]["nodes_written"] == 5
    again = run(folder, "graph", "build", ".").stdout
    assert again == f"{folder.name}: 2 files, nothing has changed\n"
    shown = run(folder, "graph", "show", "work").stdout
    assert shown.splitlines() == [
        "FUNCTION lib.work (lib.py:5)",
        "  def work(job)",
        "  Do a job.",
        "  contained in:",
        "    lib  [exact]",
        "  called by:",
        "    app.run  [exact]",
        "  calls:",
        "    builtins.print  [exact, external]",
        "  imported by:",
        "    app  [exact]",
    ]
    built = run(folder, "graph", "show", "work", ".").stdout
    assert built == shown


def test_only_the_difference_is_written(folder):
    run(folder, "graph", "build", ".", "--app", "other")
    write(folder, "lib.py", LIB.replace("Do a", "Do one"))
    done = run(folder, "graph", "build", ".", "--app", "other").stdout
    write(folder, "lib.py", LIB)
    assert done.startswith("other: 2 files, 5 nodes (2 written, 0 deleted), ")


def test_a_symbol_that_is_not_there_is_said_so(folder):
    run(folder, "graph", "build", ".")
    missing = run(folder, "graph", "show", "nothing")
    assert missing.exit_code == 4
    assert "no symbol 'nothing' in the index" in missing.stderr
    missing = run(folder, "graph", "show", "nothing", ".")
    assert missing.exit_code == 1


def test_a_path_that_is_not_there_is_refused(index):
    with pytest.raises(InputError, match="there is no file or folder"):
        index.build_graph("nowhere")


def test_ignored_files_are_not_built(index, project):
    write(project, "app.py", APP)
    write(project, "lib.py", LIB)
    write(project, ".gitignore", "lib.py\n")
    assert index.build_graph().files == 1


def test_a_graph_that_was_built_does_not_confuse_the_indexer(index, project):
    write_tree(project)
    index.index()
    write(project, "tea/lib0.py", "def brew(pot):\n    return pot.boil(pot.leaves)\n")
    report = index.build_graph()
    assert report.graph.nodes_deleted > 0
    index.index()
    after = state_of(index)
    assert clean_state(index) == after


def test_a_graph_outside_the_project_starts_at_its_folder(index, tmp_path):
    outside = tmp_path / "elsewhere"
    write(outside, "src/lib.py", LIB)
    assert index.build_graph(outside).application == "elsewhere"
    node = index.symbol("lib.work").node
    assert node.file_path == (outside / "src/lib.py").as_posix()
