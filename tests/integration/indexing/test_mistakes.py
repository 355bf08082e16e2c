"""Mistakes of callers are answered by errors that say what to do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from outcrop.errors import (
    ConfigError,
    EmbeddingError,
    InputError,
    NotFoundError,
    StorageError,
)
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index


@pytest.mark.parametrize("paths", [5, [5], ["docs", None]])
def test_what_is_not_a_path_is_refused(index, paths):
    with pytest.raises(InputError, match="is not a path"):
        index.index(paths)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda index: index.get(5), "an id must be a str, not int"),
        (lambda index: index.siblings(None), "an id must be a str, not NoneType"),
        (lambda index: index.documents(after=3), "after is 3"),
        (lambda index: index.symbols(3), "the name of a symbol must be a str, not int"),
        (lambda index: index.symbols("tea", limit=0), "limit is 0"),
        (lambda index: index.symbol(b"tea"), "must be a str, not bytes"),
        (lambda index: index.related("tea", limit=0), "limit is 0"),
        (lambda index: index.search("tea", kind="document"), "unknown kind 'document'"),
    ],
)
def test_wrong_arguments_are_named(index, ask, message):
    with pytest.raises(InputError, match=message):
        ask(index)


@pytest.mark.parametrize("name", ["t\0ea", "t\udcffea"])
def test_names_that_no_database_can_hold_are_unknown(index, project, name):
    (project / "tea.py").write_text("def tea(): ...\n")
    index.index()
    assert index.symbols(name) == []
    for ask in (index.symbol, index.related, index.get, index.sections):
        with pytest.raises(NotFoundError):
            ask(name)


def test_settings_have_to_be_of_their_type(project):
    with pytest.raises(
        ConfigError, match="follow_links is 'no', but it must be True or"
    ):
        IndexConfig(follow_links="no")
    with pytest.raises(ConfigError, match="it must be an IndexConfig"):
        Index.open(project, config={})


def test_a_url_of_another_database_is_not_taken_for_a_folder():
    with pytest.raises(InputError, match="starts with postgresql://"):
        Index.open("mysql://localhost/docs")


def test_a_closed_index_says_so(project):
    (project / "guide.md").write_text("# Guide\n\nHeat the water.\n")
    with Index.open(project) as index:
        index.index(["guide.md"])
    with pytest.raises(StorageError, match="the index is closed"):
        index.search("water")


class ListEmbedder:
    """An embedder that returns what most libraries do: lists, of any length."""

    name = "lists"
    dimension = 2

    def __init__(self, width=2):
        self.width = width

    def embed(self, texts):
        return [[3.0, *[float("water" in text)] * (self.width - 1)] for text in texts]


def test_an_embedder_may_return_lists(project):
    (project / "guide.md").write_text("# Guide\n\nHeat the water.\n")
    (project / "other.md").write_text("# Other\n\nCut the bread.\n")
    with Index.open(project, embedder=ListEmbedder()) as index:
        index.index()
        assert [hit.path for hit in index.search("hot water", mode="vector")] == [
            "guide.md",
            "other.md",
        ]


def test_an_embedder_with_vectors_of_another_width_is_named(project):
    (project / "guide.md").write_text("# Guide\n\nHeat the water.\n")
    said = "embedder 'lists' gave 1 x 3 numbers"
    with Index.open(project, embedder=ListEmbedder(3)) as index:
        with pytest.raises(EmbeddingError, match=said):
            index.index()
        with pytest.raises(EmbeddingError, match=said):
            index.search("water")


@pytest.mark.parametrize("embedder", [5, ["local"], object()])
def test_what_is_no_embedder_is_refused(project, embedder):
    with pytest.raises(ConfigError, match="must be a name, or have name, dimension"):
        Index.open(project, embedder=embedder)


FORKING = """
import os, sys
from outcrop import Index
from outcrop.errors import StorageError

with Index.open(sys.argv[1]) as index:
    assert index.search("water")
    for _ in range(2):
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            assert status == 0, status
            continue
        with index:
            try:
                index.search("water")
            except StorageError as error:
                assert "opened before this process was forked" in str(error), error
            else:
                os._exit(2)
        with Index.open(sys.argv[1]) as own:
            assert own.search("water")
        index.close()
        os._exit(0)
    for _ in range(3):
        assert index.search("water")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_has_to_open_the_index_itself_and_leaves_it_open(project):
    (project / "guide.md").write_text("# Guide\n\nHeat the water.\n")
    with Index.open(project) as index:
        index.index()
    command = [sys.executable, "-c", FORKING, str(project)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
