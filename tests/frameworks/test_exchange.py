"""What `outcrop chunk --format` prints is what the adapters make."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

pytest.importorskip("haystack", reason="make test runs it in .venv-frameworks")
pytest.importorskip("langchain_core", reason="make test runs it in .venv-frameworks")
pytest.importorskip("llama_index.core", reason="make test runs it in .venv-frameworks")

import haystack
from langchain_core.documents import Document
from llama_index.core import Document as Source
from llama_index.core.schema import TextNode

from outcrop.adapters.haystack import OutcropDocumentSplitter
from outcrop.adapters.langchain import OutcropMarkdownSplitter
from outcrop.adapters.llamaindex import OutcropNodeParser
from outcrop.cli.main import main

PATH = "docs/examples/tide-gauge.md"
TREES = pytest.mark.parametrize("tree", [True, False])


def lines(name, *, tree):
    options = ["--max-size", "300", "--overlap", "0", "--format", name]
    done = CliRunner().invoke(main, ["chunk", PATH, *options, *["--tree"] * tree])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


@TREES
def test_langchain_reads_its_lines(texts, tree):
    splitter = OutcropMarkdownSplitter(300, hierarchy=tree)
    made = splitter.create_documents([texts[PATH]], [{"source": PATH}])
    assert [Document(**line) for line in lines("langchain", tree=tree)] == made


@TREES
def test_llamaindex_reads_its_lines(texts, tree):
    parser = OutcropNodeParser(chunk_size=300, hierarchy=tree)
    source = Source(text=texts[PATH], id_=PATH, metadata={"file_path": PATH})
    made = parser.get_nodes_from_documents([source])
    read = [TextNode.from_dict(line) for line in lines("llamaindex", tree=tree)]
    for node in [*made, *read]:  # a line does not repeat what the document is
        node.source_node.metadata = {}
        node.source_node.hash = None
    assert read == made


@TREES
def test_haystack_reads_its_lines(texts, tree):
    splitter = OutcropDocumentSplitter(300, hierarchy=tree)
    given = haystack.Document(id=PATH, content=texts[PATH], meta={"file_path": PATH})
    made = splitter.run(documents=[given])["documents"]
    read = [haystack.Document.from_dict(line) for line in lines("haystack", tree=tree)]
    assert read == made
