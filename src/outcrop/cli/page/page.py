"""Chunks as one web page that needs nothing else: no network, no other file.

The page shows untrusted documents. Every character of theirs is escaped,
and a content security policy allows the page's own script and style by their hashes
alone, so that nothing in a document could run even if an escape were missing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from outcrop.cli.page.document import article, shown
from outcrop.cli.page.tree import tree_list
from outcrop.cli.render.text import count, write_utf8
from outcrop.markdown import parse
from outcrop.presentation.page.nodes import nodes_of_chunks, page_nodes
from outcrop.presentation.reasons import boundary_reason, oversize_reason
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.markdown import Document
    from outcrop.presentation.chunked_document import ChunkedDocument
    from outcrop.presentation.page.nodes import PageNode


def write_page(documents: Iterable[ChunkedDocument]) -> None:
    """Print the page, as UTF-8."""
    write_utf8(build_page(list(documents)))


def build_page(documents: list[ChunkedDocument]) -> str:
    """The page that shows some documents, their sections and their chunks."""
    style = _asset("page.css") + _asset("page_tree.css")
    script, tree_script = _asset("page.js"), _asset("page_tree.js")
    placed = list(_place(documents))
    total = sum(len(document.chunks) for document in documents)
    heading = (
        f"{count(total, 'chunk')} of {count(len(documents), 'document')}"
        if documents
        else "no documents"
    )
    return Template(_asset("page.html")).substitute(
        policy=_policy([style], [script, tree_script]),
        title=shown(" ".join(["Outcrop:", *(d.path for d in documents[:3])])),
        heading=heading,
        style=style,
        script=script,
        tree_script=tree_script,
        contents=_contents(documents),
        tree=_tree(placed),
        documents="\n".join(
            article(place.document, place.parsed, place.number, place.first_chunk)
            for place in placed
        ),
        data=_data(placed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    """A document with its place on the page: chunks and nodes are counted through."""

    document: ChunkedDocument
    parsed: Document | None
    nodes: list[PageNode]
    number: int
    first_chunk: int
    first_node: int


def _place(documents: list[ChunkedDocument]) -> Iterator[_Placed]:
    first_chunk = first_node = 0
    for number, document in enumerate(documents):
        parsed = parse(document.text) if document.chunks else None
        nodes = page_nodes(document, parsed)
        yield _Placed(
            document=document,
            parsed=parsed,
            nodes=nodes,
            number=number,
            first_chunk=first_chunk,
            first_node=first_node,
        )
        first_chunk += len(document.chunks)
        first_node += len(nodes)


def _asset(name: str) -> str:
    return files("outcrop.cli.page").joinpath(name).read_text(encoding="utf-8")


def _policy(styles: list[str], scripts: list[str]) -> str:
    """Forbid everything but the page's own style and scripts."""
    return (
        f"default-src 'none'; style-src {_digests(styles)}; "
        f"script-src {_digests(scripts)}; base-uri 'none'; form-action 'none'"
    )


def _digests(sources: list[str]) -> str:
    digests = (hashlib.sha256(source.encode()).digest() for source in sources)
    return " ".join(f"'sha256-{base64.b64encode(d).decode()}'" for d in digests)


def _contents(documents: list[ChunkedDocument]) -> str:
    """Links to the documents, where there are several."""
    if len(documents) < 2:  # noqa: PLR2004 - several means more than one
        return ""
    return "".join(
        f'<a href="#d{number}">{shown(document.path)}</a>'
        for number, document in enumerate(documents)
    )


def _tree(placed: list[_Placed]) -> str:
    """The sections of all documents; nothing where there are none to show."""
    if not any(len(place.nodes) > 1 for place in placed):
        return ""
    items = "".join(
        tree_list(place.nodes, place.first_node, place.first_chunk) for place in placed
    )
    return (
        '<details class="tree" id="tree" open><summary>Sections</summary>'
        f'<ul role="tree" aria-label="Sections">{items}</ul></details>'
    )


def _data(placed: list[_Placed]) -> str:
    """Return the data for the script, as JSON that cannot end its element."""
    values = {
        "chunks": [value for place in placed for value in _chunk_values(place)],
        "nodes": [value for place in placed for value in _node_values(place)],
    }
    source = json.dumps(values, ensure_ascii=True)
    return (
        source.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    )


def _chunk_values(place: _Placed) -> Iterator[dict[str, Any]]:
    document = place.document
    lines = LineCounter(document.text)
    nodes = nodes_of_chunks(document, place.parsed, place.nodes)
    for index, (chunk, node) in enumerate(zip(document.chunks, nodes, strict=True)):
        boundary = chunk.metadata["boundary"]
        own_line = lines.line_at(chunk.start_offset)
        yield {
            "path": document.path,
            "number": index + 1,
            "total": len(document.chunks),
            "node": place.first_node + node,
            "limit": document.limit,
            "size": len(chunk.content),
            "lines": f"{chunk.start_line} to {chunk.end_line}",
            "span": f"from line {own_line}, offsets {chunk.start_offset:,} to "
            f"{chunk.end_offset:,}",
            "why": boundary_reason(chunk),
            "rule": f"{boundary['stage']} / {boundary['rule']}",
            "over": oversize_reason(chunk),
            "prefix": chunk.prefix,
            "suffix": chunk.suffix,
            "metadata": chunk.metadata,
        }


def _node_values(place: _Placed) -> Iterator[dict[str, Any]]:
    for node in place.nodes:
        chunk = place.first_chunk + node.chunk
        if node.is_leaf:
            yield {"chunk": chunk, "isLeaf": True}
        else:
            yield {
                "path": place.document.path,
                "article": f"d{place.number}",
                "title": node.title,
                "headers": node.headers,
                "depth": node.depth,
                "from": node.start_line,
                "to": node.end_line,
                "size": node.size,
                "chunk": chunk,
                "isLeaf": False,
                "content": node.content,
                "metadata": node.metadata,
            }
