"""The content of a file: whether it can be indexed, and whether it has changed.

The fingerprint of a document is a hash of everything its stored chunks depend on: the
file's bytes, the settings, and the versions of chunking, analysis and storage.

A large file is read piece by piece.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from hashlib import blake2b, file_digest
from typing import TYPE_CHECKING, NamedTuple

from outcrop import __version__
from outcrop.indexing.config import DEFAULT_CODE_STRATEGY
from outcrop.indexing.files.kinds import BINARY_KINDS, CODE, GENERATED, is_minified
from outcrop.text.analysis import ANALYSIS_VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Bump when the same file would be stored differently.
_LAYOUT_VERSION = 11
_HASH_BYTES = 16
_NOT_UTF8 = "not UTF-8"
MIN_STREAMED_BYTES = 10_000_000
"""Markdown files from this size on are indexed window by window."""
_PIECE_BYTES = 1_000_000
# What `find_embedded` looks for: a line that starts with a shortcode or a tag.
_TAG_LINE = re.compile(rb"(?:\A|[\r\n])[ \t]*\{[{%]")
_MAX_INDENT = 1_000


class Content(NamedTuple):
    """The bytes of a file, and their hash; without it they may not be indexable."""

    data: bytes
    digest: str


def read_content(file: Path) -> Content | None:
    """Read and hash a file; None if it cannot be read."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    return Content(data, content_hash(data))


def content_problem(kind: str, data: bytes) -> str:
    """Return why a file's content cannot be indexed; empty where it can.

    Code that is not UTF-8 is read as Latin-1.
    """
    if kind in BINARY_KINDS:
        return ""
    problem = null_problem(data, data)
    if not problem and kind != CODE:
        try:
            data.decode()
        except UnicodeDecodeError:
            return _NOT_UTF8
    return problem


def null_problem(data: bytes, start: bytes) -> str:
    """Return why a part of a file with a NUL is not text; empty without a NUL.

    `start` is the beginning of the file.
    """
    if b"\0" not in data:
        return ""
    return "UTF-16, not UTF-8" if start.startswith(_UTF16_MARKS) else "binary"


def refusal(kind: str, data: bytes) -> str:
    """Return why a file is not indexed: `content_problem`, or `generated`."""
    if kind == CODE and is_minified(data):
        return content_problem(kind, data) or GENERATED
    return content_problem(kind, data)


def content_hash(data: bytes) -> str:
    """Return the hash of a file's bytes."""
    return blake2b(data, digest_size=_HASH_BYTES).hexdigest()


def fingerprint(
    content: str, kind: str, config: IndexConfig, lang: str | None = None
) -> str:
    """Return the fingerprint of a document from the hash of its bytes."""
    tokens = config.max_code_tokens if kind == CODE else config.max_tokens
    settings = [_settings_key(tokens, config.encoding)]
    if kind == CODE and config.code_strategy != DEFAULT_CODE_STRATEGY:
        settings.append(config.code_strategy)
    elif kind != CODE:
        settings.append(config.summaries or "")
    key = "\0".join([content, kind, lang or "", *settings])
    return blake2b(key.encode(), digest_size=_HASH_BYTES).hexdigest()


@cache
def _settings_key(max_tokens: int, encoding: str) -> str:
    return f"{__version__}\0{_LAYOUT_VERSION}\0{ANALYSIS_VERSION}\0{max_tokens}\0{encoding}"


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
    digest = blake2b(digest_size=_HASH_BYTES)
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
    with file.open("rb") as opened:
        return file_digest(opened, lambda: blake2b(digest_size=_HASH_BYTES)).hexdigest()


def _decoding_problem(
    decoder: codecs.IncrementalDecoder, piece: bytes, *, final: bool = False
) -> str:
    try:
        decoder.decode(piece, final)
    except UnicodeDecodeError:
        return _NOT_UTF8
    return ""
