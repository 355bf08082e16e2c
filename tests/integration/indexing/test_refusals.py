"""A file that the database cannot take as it is: never the end of a whole run."""

from __future__ import annotations

import random
import string

import pytest

from integration.indexing.code_trees import write

# As escapes, in plain docstrings: the files themselves are good UTF-8 without a NUL.
STEMMER = '''\
def is_consonant(word):
    """Say whether "\\0" ends the word \\ud800."""
    return word
'''


def test_escapes_in_a_docstring_do_not_stop_a_run(index, project):
    write(project, "porter.py", STEMMER)
    write(project, "other.py", "def other():\n    '''Is fine.'''\n    return 1\n")
    write(project, "guide.md", "# Guide\n\nCall `is_consonant`.\n")
    report = index.index()
    assert report.problems == []
    assert report.added == ["guide.md", "other.py", "porter.py"]
    (symbol,) = index.store.find_nodes("is_consonant")
    assert symbol.doc_comment == 'Say whether "\ufffd" ends the word \ufffd.'
    hits = index.search("is_consonant ends the word", kind="code")
    assert hits[0].path == "porter.py"
    # The source itself is stored as it is written.
    assert '"\\0"' in hits[0].content
    assert index.index().wrote is False


@pytest.mark.parametrize("name", ["note.md", "module.py"])
def test_a_document_that_is_refused_is_named_and_the_others_are_stored(
    index, project, name
):
    write(project, f"a-{name}", "# One\n")
    write(project, f"z-{name}", "# Two\n")
    # Too long, and too random to be compressed, for an index of the database.
    letters = random.Random(1)  # noqa: S311 - a reproducible choice, no secret
    folders = [
        "".join(letters.choices(string.ascii_letters + string.digits, k=250))
        for _ in range(15)
    ]
    refused = "/".join([*folders, name])
    write(project, refused, "# Three\n")

    report = index.index()

    assert report.added == [f"a-{name}", f"z-{name}"]
    (problem,) = report.problems
    assert problem.path == refused
    assert problem.reason.startswith("refused by the database: ")
    assert [d.path for d in index.store.documents()] == [f"a-{name}", f"z-{name}"]
    # The run is noted with its problem, and the next one says the same.
    assert index.store.runs(limit=1)[0].errors[0]["path"] == refused
    assert [p.path for p in index.index().problems] == [refused]


def test_the_stored_version_of_a_refused_document_stays(index, project, monkeypatch):
    write(project, "a.md", "# One\n\nFirst.\n")
    write(project, "b.md", "# Two\n\nSecond.\n")
    index.index()
    dimension = index.embedder.dimension
    embed = type(index.embedder).embed

    def embed_shorter(self, texts):
        vectors = embed(self, texts)
        return vectors[:, : dimension - 1] if "Longer" in texts[0] else vectors

    monkeypatch.setattr(type(index.embedder), "embed", embed_shorter)
    write(project, "a.md", "# One\n\nLonger.\n")
    (problem,) = index.index().problems
    assert problem.path == "a.md"
    assert "dimensions" in problem.reason
    assert [hit.path for hit in index.search("First", mode="text")] == ["a.md"]

    monkeypatch.undo()
    assert index.index().changed == ["a.md"]
    assert [hit.path for hit in index.search("Longer", mode="text")] == ["a.md"]
