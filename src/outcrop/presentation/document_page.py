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

from outcrop.markdown import parse
from outcrop.presentation.chunks import chart_sizes, show_chunks
from outcrop.presentation.document import nodes_of_chunks, page_nodes
from outcrop.presentation.document_html import (
    chart_html,
    chunks_html,
    escaped,
    tree_html,
    tree_items,
)
from outcrop.presentation.reasons import boundary_reason, oversize_reason
from outcrop.presentation.text import count
from outcrop.text.offsets import LineCounter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.markdown import Document
    from outcrop.presentation.document import ChunkedDocument, PageNode


def build_page(documents: list[ChunkedDocument]) -> str:
    """Return the page that shows some documents, their sections and their chunks."""
    sheets = ("static/document.css", "static/colours.css", "page/page.css")
    style = "".join(map(_asset, sheets))
    script, tree_script = _asset("page/page.js"), _asset("static/tree.js")
    placed = list(_place(documents))
    total = sum(len(document.chunks) for document in documents)
    heading = (
        f"{count(total, 'chunk')} of {count(len(documents), 'document')}"
        if documents
        else "no documents"
    )
    return Template(_asset("page/page.html")).substitute(
        policy=_policy([style], [script, tree_script]),
        title=escaped(" ".join(["Outcrop:", *(d.path for d in documents[:3])])),
        heading=heading,
        style=style,
        script=script,
        tree_script=tree_script,
        contents=_contents(documents),
        tree=_tree(placed),
        documents="\n".join(map(_article, placed)),
        data=_data(placed),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _PageDocument:
    """A document with its place on the page: chunks and nodes are counted through."""

    document: ChunkedDocument
    parsed: Document | None
    nodes: list[PageNode]
    number: int
    first_chunk: int
    first_node: int


def _place(documents: list[ChunkedDocument]) -> Iterator[_PageDocument]:
    first_chunk = first_node = 0
    for number, document in enumerate(documents):
        is_markdown = document.chunks and document.lang is None
        parsed = parse(document.text) if is_markdown else None
        nodes = page_nodes(document, parsed)
        yield _PageDocument(
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
    return files("outcrop.presentation").joinpath(name).read_text(encoding="utf-8")


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
    """Return links to the documents, if there are several."""
    if len(documents) < 2:  # noqa: PLR2004 - several means more than one
        return ""
    return "".join(
        f'<a href="#d{number}">{escaped(document.path)}</a>'
        for number, document in enumerate(documents)
    )


def _article(place: _PageDocument) -> str:
    document, first = place.document, place.first_chunk
    chunks = show_chunks(
        document.text,
        document.chunks,
        place.parsed,
        measure=document.measure,
        lang=document.lang,
    )
    chart = chart_html(chart_sizes(chunks, document.limit), first, document.unit)
    return (
        f'<article class="document" id="d{place.number}"><header>'
        f"<h2>{escaped(document.path)}</h2><p>{escaped(document.summary)}</p>"
        f"{chart}</header>{chunks_html(chunks, first)}</article>"
    )


def _tree(placed: list[_PageDocument]) -> str:
    """Return the sections of all documents; nothing if there are none to show."""
    if not any(len(place.nodes) > 1 for place in placed):
        return ""
    items = [
        item
        for place in placed
        for item in tree_items(place.nodes, place.first_node, place.first_chunk)
    ]
    return tree_html("".join(items), "Sections")


def _data(placed: list[_PageDocument]) -> str:
    """Return the data for the script, as JSON that cannot end its element."""
    values = {
        "chunks": [value for place in placed for value in _chunk_values(place)],
        "nodes": [value for place in placed for value in _node_values(place)],
    }
    source = json.dumps(values, ensure_ascii=True)
    return (
        source.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    )


def _chunk_values(place: _PageDocument) -> Iterator[dict[str, Any]]:
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
            "size": document.measure(chunk),
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


def _node_values(place: _PageDocument) -> Iterator[dict[str, Any]]:
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
