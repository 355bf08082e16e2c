"""Reading a large file piece by piece: its hash, and whether it can be indexed."""

from __future__ import annotations

import codecs
import re
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from outcrop.indexing.files.content import (
    HASH_BYTES,
    NOT_UTF8,
    null_problem,
)

if TYPE_CHECKING:
    from pathlib import Path

MIN_STREAMED_BYTES = 10_000_000
"""Markdown files from this size on are indexed window by window."""
_PIECE_BYTES = 1_000_000
# What `find_embedded` looks for: a line that starts with a shortcode or a tag.
_TAG_LINE = re.compile(rb"(?:\A|[\r\n])[ \t]*\{[{%]")
_MAX_INDENT = 1_000


class ScannedFile(NamedTuple):
    """What is known of a file after it was read once.

    Attributes:
        digest: The hash of its bytes.
        problem: Why it cannot be indexed; empty if it can.
        has_tags: Whether a line may start with a shortcode or a tag.
    """

    digest: str
    problem: str
    has_tags: bool


def is_streamed(kind: str, name: str, size: int) -> bool:
    """Return whether a file is indexed window by window: a large one of Markdown.

    The components of MDX may reach over any distance, so such files are not.
    """
    is_markdown = kind == "markdown" and not name.lower().endswith(".mdx")
    return is_markdown and size >= MIN_STREAMED_BYTES


def scan_file(file: Path) -> ScannedFile:
    """Read a file of text once, with little memory.

    Raises:
        OSError: It cannot be read.
    """
    digest = blake2b(digest_size=HASH_BYTES)
    decoder = codecs.getincrementaldecoder("utf-8")()
    problem, has_tags = "", False
    first, before = b"", b""
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE_BYTES):
            first = first or piece
            digest.update(piece)
            problem = problem or null_problem(piece, first)
            joined = before + piece
            has_tags = has_tags or _TAG_LINE.search(joined) is not None
            before = joined[-_MAX_INDENT:]
            if not problem:
                problem = _decoding_problem(decoder, piece)
    problem = problem or _decoding_problem(decoder, b"", final=True)
    return ScannedFile(digest.hexdigest(), problem, has_tags)


def hash_file(file: Path) -> str:
    """Return the hash of a file's bytes, read with little memory.

    Raises:
        OSError: It cannot be read.
    """
    digest = blake2b(digest_size=HASH_BYTES)
    with file.open("rb") as opened:
        while piece := opened.read(_PIECE_BYTES):
            digest.update(piece)
    return digest.hexdigest()


def _decoding_problem(
    decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool = False
) -> str:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return NOT_UTF8
    return ""
