"""The content of a file: whether it can be indexed, and whether it has changed.

The fingerprint of a document is a hash of everything its stored chunks depend on: the
file's bytes, the settings, and the versions of chunking, analysis and storage.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
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
_LAYOUT_VERSION = 7
HASH_BYTES = 16
NOT_UTF8 = "not UTF-8"


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
            return NOT_UTF8
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
    return blake2b(data, digest_size=HASH_BYTES).hexdigest()


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
    return blake2b(key.encode(), digest_size=HASH_BYTES).hexdigest()


@cache
def _settings_key(max_tokens: int, encoding: str) -> str:
    return f"{__version__}\0{_LAYOUT_VERSION}\0{ANALYSIS_VERSION}\0{max_tokens}\0{encoding}"
