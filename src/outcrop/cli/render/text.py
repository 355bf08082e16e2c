"""Counts, a summary of a document, and output for programs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.presentation.chunked_document import ChunkedDocument


def count(number: int, noun: str) -> str:
    """Return a number with its noun, as in `1 chunk` and `1,204 chunks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def summary(document: ChunkedDocument) -> str:
    """Return one line on a document: chunks, length and strategy."""
    if not document.chunks:
        return "no chunks: the document is blank"
    chunks = count(len(document.chunks), "chunk")
    size = count(len(document.text), "character")
    if document.tree:
        nodes = count(len(document.tree.chunks), "node")
        chunks = f"{nodes}, {len(document.chunks):,} of them chunks,"
    return f"{chunks} of {size}, strategy {document.strategy}"


def write_utf8(text: str) -> None:
    """Write UTF-8 without changing line ends, whatever the terminal.

    Lone surrogates, as in a path of undecodable bytes, become question marks.
    """
    sys.stdout.flush()
    stream = sys.stdout.buffer
    rest = memoryview(text.encode(errors="replace"))
    while rest:  # unbuffered, a stream may take a part
        rest = rest[stream.write(rest) :]
    stream.flush()
