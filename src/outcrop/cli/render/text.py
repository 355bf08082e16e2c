"""Output for programs, and text that is safe for a terminal.

A title or a file name may hold escape sequences that move the cursor, change colours or
turn the reading direction. They are shown, never sent.
"""

from __future__ import annotations

import sys
import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from _typeshed import DataclassInstance

# Controls, lone surrogates, line and paragraph separators.
_ESCAPED_CATEGORIES = frozenset({"Cc", "Cs", "Zl", "Zp"})
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # fmt: skip


def write_json(value: object, *, indent: int | None = 2) -> None:
    """Print a value as JSON for programs; times are in ISO 8601."""
    import json
    from datetime import datetime

    dumped = json.dumps(
        value, ensure_ascii=False, indent=indent, default=datetime.isoformat
    )
    write_utf8(f"{dumped}\n")


def field_values(value: DataclassInstance) -> dict[str, Any]:
    """Return the fields of a dataclass by name, as they are."""
    from dataclasses import fields

    return {field.name: getattr(value, field.name) for field in fields(value)}


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


def align(
    rows: Sequence[Sequence[str]], numbers: Collection[int] = ()
) -> Iterator[str]:
    """Yield rows as lines with their cells in columns; numbers are on the right."""
    columns = list(zip(*rows, strict=True))[:-1]  # nothing is aligned with the last
    widths = [max(map(len, column)) for column in columns]
    for row in rows:
        cells = [
            row[at].rjust(width) if at in numbers else row[at].ljust(width)
            for at, width in enumerate(widths)
        ]
        yield "  ".join([*cells, row[-1]])


def escape_controls(text: str) -> str:
    r"""Replace what could steer a terminal by its escape, as in `\x1b`."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if (
        character in _BIDI_CONTROLS
        or unicodedata.category(character) in _ESCAPED_CATEGORIES
    ):
        return character.encode("unicode_escape").decode("ascii")
    return character
