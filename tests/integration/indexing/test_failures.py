"""One document that fails is named; the others are stored."""

from __future__ import annotations

import json
import threading

import pytest

from integration.indexing.opened import CountingEmbedder
from outcrop.chunking.chunker import MarkdownChunker
from outcrop.cli.render.reports import write_report
from outcrop.codegraph import parse_files
from outcrop.indexing.report import Problem
from outcrop.planning.strategies.adaptive import AdaptiveChunkStrategy

MARK = "unlucky"


class Panic(BaseException):
    """What a native extension raises; no Exception."""


def write(project, **texts: str) -> None:
    for name, text in texts.items():
        stem, _, extension = name.rpartition("_")
        (project / f"{stem}.{extension}").write_text(text)


@pytest.fixture
def unlucky_markdown(monkeypatch):
    """Make the chunker panic at documents that hold a word."""
    chunk = MarkdownChunker.chunk_hierarchical

    def fail(self, text, **settings):
        if MARK in text:
            raise Panic("index out of range")
        return chunk(self, text, **settings)

    monkeypatch.setattr(MarkdownChunker, "chunk_hierarchical", fail)


class UnluckyEmbedder(CountingEmbedder):
    """Panics at texts that hold a word."""

    def embed(self, texts):
        if any(MARK in text for text in texts):
            raise Panic("no such token")
        return super().embed(texts)


@pytest.mark.usefixtures("unlucky_markdown")
def test_a_document_that_cannot_be_chunked_is_named(index, project, capsys):
    write(project, a_md="# A\n", b_md=MARK, c_md="# C\n")
    report = index.index()
    assert report.added == ["a.md", "c.md"]
    assert report.problems == [Problem(path="b.md", reason="Panic: index out of range")]
    write_report(report, as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed["problems"] == [
        {"path": "b.md", "reason": "Panic: index out of range"}
    ]


@pytest.mark.usefixtures("unlucky_markdown")
def test_the_stored_version_of_a_document_that_fails_stays(index, project):
    write(project, a_md="# Before\n")
    index.index()
    write(project, a_md=MARK)
    report = index.index()
    assert (report.changed, report.removed) == ([], [])
    assert [problem.path for problem in report.problems] == ["a.md"]
    assert [d.title for d in index.documents()] == ["Before"]


def test_a_document_that_cannot_be_embedded_is_named(open_index, project):
    write(project, a_md="# A\n", b_md=MARK, c_md="# C\n", d_py="def f(): pass\n")
    write(project, e_py=f"def {MARK}(): pass\n")
    report = open_index(embedder=UnluckyEmbedder()).index()
    assert report.added == ["a.md", "c.md", "d.py"]
    reason = "Panic: no such token"
    assert report.problems == [
        Problem(path="b.md", reason=reason),
        Problem(path="e.py", reason=reason),
    ]


def test_a_file_of_code_that_cannot_be_planned_is_named(index, project, monkeypatch):
    build_file = AdaptiveChunkStrategy.build_file

    def fail(self, source, *others):
        if source.path == "b.py":
            raise RecursionError("too deep")
        return build_file(self, source, *others)

    monkeypatch.setattr(AdaptiveChunkStrategy, "build_file", fail)
    write(project, a_py="def f(): pass\n", b_py="def g(): pass\n", c_py="x = 1\n")
    report = index.index()
    assert report.added == ["a.py", "c.py"]
    assert report.problems == [Problem(path="b.py", reason="RecursionError: too deep")]


def test_a_file_of_code_that_cannot_be_parsed_is_named_and_cut_by_lines(
    index, project, monkeypatch
):
    parse_file = parse_files.parse_file

    def fail(path, lang, raw):
        if path == "b.py":
            raise Panic("no such node")
        return parse_file(path, lang, raw)

    monkeypatch.setattr(parse_files, "parse_file", fail)
    write(project, a_py="def f(): pass\n", b_py="def g(): pass\n")
    report = index.index()
    assert report.added == ["a.py", "b.py"]
    assert report.notes == ["b.py: not in the code graph: Panic: no such node"]


@pytest.mark.usefixtures("unlucky_markdown")
def test_a_watch_goes_on_after_a_document_that_fails(index, project):
    write(project, a_md="# A\n")
    stop = threading.Event()
    reports = index.watch(stop=stop)
    assert next(reports).added == ["a.md"]
    write(project, b_md=MARK)
    assert [problem.path for problem in next(reports).problems] == ["b.md"]
    write(project, c_md="# C\n")
    assert next(reports).added == ["c.md"]
    stop.set()
    assert list(reports) == []
