"""Chunks as JSON: one text, one line per chunk, or lines for a framework.

No framework is needed to write its lines. Each is what the framework's own class is made
of: `Document(**line)` in LangChain, `TextNode.from_dict(line)` in LlamaIndex,
`Document.from_dict(line)` in Haystack.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from outcrop.adapters.fields import (
    EMBEDDED,
    HeadingLevels,
    haystack_fields,
    haystack_hierarchy,
    langchain_fields,
    node_fields,
)
from outcrop.adapters.nodes import Node, make_nodes
from outcrop.cli.render.text import field_values, write_utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from outcrop.model.chunk import Chunk
    from outcrop.presentation.document import ChunkedDocument

    Write = Callable[[Iterable[ChunkedDocument]], None]
    Lines = Callable[[ChunkedDocument, list[Node]], Iterator[dict[str, Any]]]

# Some readers end a line at these too, and JSON does not require to escape them.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def _write_json(documents: Iterable[ChunkedDocument]) -> None:
    """Print a list with one object per document: its path and its chunks or its tree."""
    opening = "[\n"
    for document in documents:
        value: dict[str, Any] = {"path": document.path}
        if document.tree:
            value["tree"] = document.tree.to_tree_dict()
        else:
            value["chunks"] = [field_values(chunk) for chunk in document.chunks]
        write_utf8(opening + _dump(value, indent=2))
        opening = ",\n"
    write_utf8("[]\n" if opening == "[\n" else "\n]\n")


def write_jsonl(chunks_by_file: Iterable[tuple[str, Iterable[Chunk]]]) -> None:
    """Print one object per line: the path of the document and a chunk's fields."""
    for path, chunks in chunks_by_file:
        for chunk in chunks:
            write_utf8(_dump({"path": path, **field_values(chunk)}) + "\n")


def _dump(value: object, indent: int | None = None) -> str:
    source = json.dumps(value, ensure_ascii=False, indent=indent)
    return source.translate(_LINE_ENDS)


# How LlamaIndex writes a relation, and what a relation leads to.
_SOURCE, _PREVIOUS, _NEXT, _PARENT, _CHILD = "1", "2", "3", "4", "5"
_TEXT, _DOCUMENT = "1", "4"


def _write_lines(documents: Iterable[ChunkedDocument], *, lines: Lines) -> None:
    """Print one object per line, as a framework reads them."""
    for document in documents:
        tree = document.tree
        chunks = tree.chunks if tree else document.chunks
        nodes = make_nodes(
            chunks, document.text, document.path, is_tree=tree is not None
        )
        for line in lines(document, nodes):
            # In ASCII, no character can be lost or taken for a line end.
            write_utf8(f"{json.dumps(line)}\n")


def _langchain(
    document: ChunkedDocument, nodes: list[Node]
) -> Iterator[dict[str, Any]]:
    levels = HeadingLevels(document.text)
    for node in nodes:
        fields = {"source": document.path, **langchain_fields(node, levels)}
        yield {"id": node.id, "page_content": node.text, "metadata": fields}


def _llamaindex(
    document: ChunkedDocument, nodes: list[Node]
) -> Iterator[dict[str, Any]]:
    for node in nodes:
        fields = node_fields(node)
        hidden = [name for name in fields if name not in EMBEDDED]
        yield {
            "class_name": "TextNode",
            "id_": node.id,
            "text": node.text,
            "start_char_idx": node.start,
            "end_char_idx": node.end,
            "metadata": {"file_path": document.path, **fields},
            "excluded_embed_metadata_keys": hidden,
            "excluded_llm_metadata_keys": hidden,
            "relationships": _relations(node, document.path),
        }


def _relations(node: Node, path: str) -> dict[str, Any]:
    relations: dict[str, Any] = {_SOURCE: {"node_id": path, "node_type": _DOCUMENT}}
    links = {_PREVIOUS: node.previous, _NEXT: node.next, _PARENT: node.parent}
    for name, link in links.items():
        if link is not None:
            relations[name] = {"node_id": link, "node_type": _TEXT}
    if node.children:
        relations[_CHILD] = [
            {"node_id": child, "node_type": _TEXT} for child in node.children
        ]
    return relations


def _haystack(document: ChunkedDocument, nodes: list[Node]) -> Iterator[dict[str, Any]]:
    counts = {True: 0, False: 0}
    for node in nodes:
        meta = {"file_path": document.path}
        meta.update(haystack_fields(node, document.path, counts[node.is_leaf]))
        counts[node.is_leaf] += 1
        if document.tree:
            meta.update(haystack_hierarchy(node, document.limit))
        yield {"id": node.id, "content": node.text, "meta": meta}


# Format -> the function that prints it.
WRITERS: dict[str, Write] = {
    "json": _write_json,
    "langchain": partial(_write_lines, lines=_langchain),
    "llamaindex": partial(_write_lines, lines=_llamaindex),
    "haystack": partial(_write_lines, lines=_haystack),
}
