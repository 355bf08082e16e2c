"""The chunkers that are measured, each behind the same two functions.

`make(limit)` gives the function whose time counts: text in, the tool's own result out.
`describe(text, result)` turns that result into records for the defect counter and is
never timed. Overlap is off everywhere and sizes are characters. Nothing is imported
before a tool is made, so that every tool can live in an environment of its own.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from os import devnull
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Cut = Callable[[str], Sequence[Any]]

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_TRAIL = 1000  # white space behind a chunk, in documents people write
_LEVELS = [("#" * level, f"h{level}") for level in range(1, 7)]


class Record(TypedDict):
    """One chunk as the defect counter reads it; None where a tool does not say.

    Keys: `t` its text, `s` and `e` its offsets, `sl` and `el` its lines, `path` the
    titles of the headings above it.
    """

    t: str
    s: int | None
    e: int | None
    sl: int | None
    el: int | None
    path: list[str] | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A chunker under measurement.

    Attributes:
        name: How options name it.
        title: How tables name it.
        package: The distribution whose version is printed.
        make: Gives the function to be timed, for a limit in characters.
        describe: Records of a result; None where its defects are not counted.
        only_hostile: Whether it is measured on hostile shapes alone.
    """

    name: str
    title: str
    package: str
    make: Callable[[int], Cut]
    describe: Callable[[str, Sequence[Any]], list[Record]] | None
    only_hostile: bool = False

    @property
    def is_outcrop(self) -> bool:
        """Whether it runs in Outcrop's environment rather than in the peers'."""
        return self.package == "outcrop"


def _record(text: str, start: int | None = None, path: Any = None) -> Record:
    end = None if start is None else start + len(text)
    return Record(t=text, s=start, e=end, sl=None, el=None, path=path)


def _outcrop(limit: int) -> Cut:
    from outcrop import ChunkConfig, MarkdownChunker

    return MarkdownChunker(ChunkConfig(max_chunk_size=limit)).chunk


def _outcrop_split(limit: int) -> Cut:
    from outcrop import ChunkConfig, MarkdownChunker

    config = ChunkConfig(max_chunk_size=limit, oversize_blocks="split")
    return MarkdownChunker(config).chunk


def _outcrop_halves(_: int) -> Cut:
    return lambda text: _outcrop_split(len(text) // 2)(text)


def _outcrop_tree(limit: int) -> Cut:
    from outcrop import ChunkConfig, MarkdownChunker

    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=limit))
    return lambda text: chunker.chunk_hierarchical(text).chunks


def _outcrop_graph(_: int) -> Cut:
    """The code graph of one JavaScript file, exported as JSON; its nodes count."""
    from outcrop.codegraph import build
    from outcrop.codegraph.export import write_json

    def export(text: str) -> Sequence[Any]:
        with TemporaryDirectory() as folder:
            Path(folder, "shape.js").write_text(text, "utf-8")
            graph = build(folder, "shape", workers=1)
        with Path(devnull).open("w", encoding="utf-8") as output:
            output.writelines(write_json(graph))
        return graph.nodes

    return export


def _describe_outcrop(text: str, chunks: Sequence[Any]) -> list[Record]:
    """Records of the own spans: repeated headings are no part of the document."""
    ends = [match.end() for match in _LINE_END.finditer(text)]
    return [
        Record(
            t=text[chunk.start_offset : chunk.end_offset],
            s=chunk.start_offset,
            e=chunk.end_offset,
            sl=bisect_right(ends, chunk.start_offset) + 1,
            el=bisect_right(ends, chunk.end_offset - 1) + 1,
            path=chunk.metadata["headers"],
        )
        for chunk in chunks
    ]


def count_inside_lines(text: str, records: Iterable[Record]) -> int:
    """How many chunks that name their lines start or end inside one."""
    count = 0
    for record in records:
        start, end = record["s"], record["e"]
        if record["sl"] is None or start is None or end is None:
            continue
        lead = text[_line_start(text, start) : start]
        trail = _LINE_END.split(text[end : end + _LONGEST_TRAIL], maxsplit=1)[0]
        count += bool(lead.strip() or trail.strip())
    return count


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _semantic(limit: int) -> Cut:
    from semantic_text_splitter import MarkdownSplitter

    cut: Cut = MarkdownSplitter(limit).chunk_indices
    return cut


def _describe_semantic(_: str, pieces: Iterable[tuple[int, str]]) -> list[Record]:
    return [_record(piece, start) for start, piece in pieces]


def _langchain(limit: int) -> Cut:
    from langchain_text_splitters import (
        MarkdownHeaderTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    sections = MarkdownHeaderTextSplitter(_LEVELS, strip_headers=False)
    parts = RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0)
    return lambda text: parts.split_documents(sections.split_text(text))


def _describe_langchain(_: str, documents: Sequence[Any]) -> list[Record]:
    records = []
    for document in documents:
        path = [document.metadata[k] for _, k in _LEVELS if k in document.metadata]
        records.append(_record(document.page_content, path=path))
    return records


def _chonkie(limit: int) -> Cut:
    from chonkie import RecursiveChunker

    cut: Cut = RecursiveChunker(tokenizer="character", chunk_size=limit).chunk
    return cut


def _describe_chonkie(_: str, chunks: Sequence[Any]) -> list[Record]:
    return [
        Record(t=c.text, s=c.start_index, e=c.end_index, sl=None, el=None, path=None)
        for c in chunks
    ]


def _llama_index(_: int) -> Cut:
    """Sections only: the tool has no limit."""
    from llama_index.core import Document
    from llama_index.core.node_parser import MarkdownNodeParser

    parser = MarkdownNodeParser()
    return lambda text: parser.get_nodes_from_documents([Document(text=text)])


def _describe_llama_index(_: str, nodes: Sequence[Any]) -> list[Record]:
    return [
        Record(
            t=node.text,
            s=node.start_char_idx,
            e=node.end_char_idx,
            sl=None,
            el=None,
            path=node.metadata.get("header_path"),
        )
        for node in nodes
    ]


_ALL = (
    Tool(
        name="outcrop",
        title="Outcrop",
        package="outcrop",
        make=_outcrop,
        describe=_describe_outcrop,
    ),
    Tool(
        name="outcrop-split",
        title='Outcrop, `oversize_blocks="split"`',
        package="outcrop",
        make=_outcrop_split,
        describe=None,
    ),
    Tool(
        name="outcrop-halves",
        title='Outcrop, `oversize_blocks="split"`, limit half the text',
        package="outcrop",
        make=_outcrop_halves,
        describe=None,
        only_hostile=True,
    ),
    Tool(
        name="outcrop-tree",
        title="Outcrop, `chunk_hierarchical`",
        package="outcrop",
        make=_outcrop_tree,
        describe=None,
        only_hostile=True,
    ),
    Tool(
        name="outcrop-graph",
        title="Outcrop, `graph export`",
        package="outcrop",
        make=_outcrop_graph,
        describe=None,
        only_hostile=True,
    ),
    Tool(
        name="semantic-text-splitter",
        title="semantic-text-splitter `MarkdownSplitter`",
        package="semantic-text-splitter",
        make=_semantic,
        describe=_describe_semantic,
    ),
    Tool(
        name="langchain",
        title="LangChain header + recursive splitter",
        package="langchain-text-splitters",
        make=_langchain,
        describe=_describe_langchain,
    ),
    Tool(
        name="chonkie",
        title="chonkie `RecursiveChunker`",
        package="chonkie",
        make=_chonkie,
        describe=_describe_chonkie,
    ),
    Tool(
        name="llama-index",
        title="LlamaIndex `MarkdownNodeParser` (no limit)",
        package="llama-index-core",
        make=_llama_index,
        describe=_describe_llama_index,
    ),
)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
OUTCROP = "outcrop"
SEMANTIC = "semantic-text-splitter"
LANGCHAIN = "langchain"
