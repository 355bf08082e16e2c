"""Whether the content of a file can be indexed."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from outcrop import __version__
from outcrop.indexing.files.kinds import CODE
from outcrop.text.analysis import ANALYSIS_VERSION

if TYPE_CHECKING:
    from outcrop.indexing.config import IndexConfig

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Bump when the same file would be stored differently.
_LAYOUT_VERSION = 3
_BYTES = 16


def content_problem(kind: str, data: bytes) -> str:
    """Return why a file's content cannot be indexed; empty where it can.

    Code that is not UTF-8 is read as Latin-1.
    """
    if b"\0" in data:
        return "UTF-16, not UTF-8" if data.startswith(_UTF16_MARKS) else "binary"
    if kind != CODE:
        try:
            data.decode()
        except UnicodeDecodeError:
            return "not UTF-8"
    return ""


def content_hash(data: bytes) -> str:
    """Return the hash of a file's bytes."""
    return blake2b(data, digest_size=_BYTES).hexdigest()


def fingerprint(
    content: str, kind: str, config: IndexConfig, lang: str | None = None
) -> str:
    """Return the fingerprint of a document.

    Args:
        content: The hash of its bytes.
        kind: What it is read as.
        config: The settings.
        lang: The language of code.
    """
    tokens = config.max_code_tokens if kind == CODE else config.max_tokens
    settings = _settings_key(tokens, config.encoding)
    key = "\0".join([content, kind, lang or "", settings])
    return blake2b(key.encode(), digest_size=_BYTES).hexdigest()


@cache
def _settings_key(max_tokens: int, encoding: str) -> str:
    return f"{__version__}\0{_LAYOUT_VERSION}\0{ANALYSIS_VERSION}\0{max_tokens}\0{encoding}"
