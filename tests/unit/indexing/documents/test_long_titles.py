"""What is stored of long titles over many sections grows with the document."""

from __future__ import annotations

import tracemalloc

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.markdown.document import MAX_TITLE_CHARS
from outcrop.text.search_text import search_text


def _markdown(size: int) -> str:
    section = "\n\n## s\n\nx\n"
    return "# " + "title " * (size // 12) + section * (size // 2 // len(section))


def _rst(size: int) -> str:
    section = "\n\ns\n----\n\nx\n"
    title = "title " * (size // 12)
    return f"{title}\n====" + section * (size // 2 // len(section))


KINDS = {"a.md": ("markdown", _markdown), "a.rst": ("text", _rst)}


def _prepare(name: str, size: int):
    kind, make = KINDS[name]
    task = Task(path=name, file=name, kind=kind, modified_ns=0)
    return prepare_bytes(task, make(size).encode(), IndexConfig()).chunks


def _stored(name: str, size: int) -> int:
    """Count the characters that are stored of a document or searched in it."""
    return sum(
        len(chunk.content)
        + sum(map(len, chunk.section_path))
        + sum(map(len, chunk.terms))
        + len(search_text(chunk).embedded)
        + len(search_text(chunk).counted)
        for chunk in _prepare(name, size)
    )


@pytest.mark.parametrize("name", KINDS)
def test_what_is_stored_grows_with_the_document(name):
    small, large = _stored(name, 10_000), _stored(name, 40_000)
    assert large <= 4 * 1.25 * small


@pytest.mark.parametrize("name", KINDS)
def test_memory_grows_with_the_document(name):
    _prepare(name, 1000)  # what is loaded once is not counted
    peaks = []
    for size in (10_000, 40_000):
        tracemalloc.start()
        _prepare(name, size)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] <= 4 * 1.25 * peaks[0]


@pytest.mark.parametrize("name", KINDS)
def test_titles_of_stored_paths_are_bounded(name):
    chunks = _prepare(name, 40_000)
    assert max(len(chunk.section_path) for chunk in chunks) == 2
    titles = [title for chunk in chunks for title in chunk.section_path]
    assert max(map(len, titles)) <= MAX_TITLE_CHARS
