"""Facts of files as bytes, so that they can be kept between runs.

The format is MessagePack: reading it makes plain values and runs nothing. What another
version wrote, or what is damaged, counts as not kept: the file is parsed again.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.facts import FileFacts, pack, unpack
from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

REVISION = 2
"""Raised whenever files are read differently."""
_MARK = f"outcrop facts {REVISION}"
_FIELDS = len(FileFacts._fields)


def facts_to_bytes(facts: FileFacts) -> bytes:
    """Return the facts of a file as bytes.

    Raises:
        MissingExtraError: MessagePack is not installed.
    """
    return bytes(_messagepack().packb((_MARK, pack(facts))))


def facts_from_bytes(data: bytes) -> FileFacts | None:
    """Return facts that were kept, or None where they are of no use any more.

    Raises:
        MissingExtraError: MessagePack is not installed.
    """
    read = _messagepack().unpackb
    try:
        mark, packed = read(data, use_list=False, strict_map_key=False)
        return _checked(packed) if mark == _MARK else None
    except (ValueError, TypeError, IndexError, RecursionError):
        return None


def _checked(packed: Any) -> FileFacts | None:
    if not isinstance(packed, tuple) or len(packed) != _FIELDS:
        return None
    facts = unpack(packed)
    texts = (facts.path, facts.lang, facts.digest, facts.text)
    return facts if all(isinstance(text, str) for text in texts) else None


def _messagepack() -> ModuleType:
    try:
        return import_module("msgpack")
    except ImportError as exc:
        raise MissingExtraError("keeping what files say", "code") from exc
