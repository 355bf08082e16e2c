"""Whether the content of a file can be indexed."""

from __future__ import annotations

from outcrop.indexing.files.kinds import CODE

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


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
