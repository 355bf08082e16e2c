"""Chunks as JSON: one text, or one line per chunk."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from outcrop.cli.render.text import write_utf8
from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.presentation.chunked_document import ChunkedDocument

_FIELDS = tuple(field.name for field in fields(Chunk))

# Some readers end a line at these too, and JSON lets them stand for themselves.
_LINE_ENDS = {ord(end): f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"}


def write_json(documents: Iterable[ChunkedDocument]) -> None:
    """Print a list with one object per document: its path and its chunks or its tree."""
    opening = "[\n"
    for document in documents:
        value: dict[str, Any] = {"path": document.path}
        if document.tree:
            value["tree"] = document.tree.to_tree_dict()
        else:
            value["chunks"] = [_values(chunk) for chunk in document.chunks]
        write_utf8(opening + _dump(value, indent=2))
        opening = ",\n"
    write_utf8("[]\n" if opening == "[\n" else "\n]\n")


def write_jsonl(documents: Iterable[ChunkedDocument]) -> None:
    """Print one object per line: the path of the document and a chunk's fields.

    Every node of a tree is such a chunk.
    """
    for document in documents:
        for chunk in document.tree.chunks if document.tree else document.chunks:
            value = {"path": document.path, **_values(chunk)}
            write_utf8(_dump(value) + "\n")


def _values(chunk: Chunk) -> dict[str, Any]:
    return {name: getattr(chunk, name) for name in _FIELDS}


def _dump(value: object, indent: int | None = None) -> str:
    source = json.dumps(value, ensure_ascii=False, indent=indent)
    return source.translate(_LINE_ENDS)
