"""Chunks for programs: one JSON text, or one line a chunk.

Always UTF-8 and always a line feed at the end, whatever the terminal is set to.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from outcrop.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.cli.render import ChunkedDocument

_FIELDS = tuple(field.name for field in fields(Chunk))


def write_json(documents: Iterable[ChunkedDocument]) -> None:
    """Print a list with one object a document: its path and its chunks."""
    opening = "[\n"
    for document in documents:
        value = {
            "path": document.path,
            "chunks": [_values(chunk) for chunk in document.chunks],
        }
        _write(opening + json.dumps(value, ensure_ascii=False, indent=2))
        opening = ",\n"
    _write("[]\n" if opening == "[\n" else "\n]\n")


def write_jsonl(documents: Iterable[ChunkedDocument]) -> None:
    """Print one object a line: the path of the document and a chunk's fields."""
    for document in documents:
        for chunk in document.chunks:
            value = {"path": document.path, **_values(chunk)}
            _write(json.dumps(value, ensure_ascii=False) + "\n")


def _values(chunk: Chunk) -> dict[str, Any]:
    return {name: getattr(chunk, name) for name in _FIELDS}


def _write(text: str) -> None:
    # A path of undecodable bytes holds lone surrogates: they become question marks.
    click.echo(text.encode(errors="replace"), nl=False)
