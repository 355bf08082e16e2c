"""The statements of a TOML text, and where each stands.

A text that was read as TOML before is expected: here it is only divided.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass

_BARE_END = re.compile(r"[\n#,\]}]")
_KEY_PART = re.compile(r'"(?:\\.|[^"\\])*"|\'[^\']*\'|[^=\'"]+')
_INSIDE = re.compile(r"[\"'#\[\]{}]")
_MOST_CLOSING_QUOTES = 2  # of a text's own, before the three that close it


@dataclass(slots=True)
class Statement:
    """A table's header, or a key with its value; with all the lines it takes.

    Attributes:
        path: The names, from the outside in.
        start: Where it starts.
        end: Where the line behind it starts.
        is_header: Whether it opens a table.
        value_start: Where the value starts; of a header, where it ends.
        value_end: Where the value ends, before a comment.
    """

    path: tuple[str, ...]
    start: int
    end: int
    is_header: bool
    value_start: int
    value_end: int


def split_statements(text: str) -> list[Statement]:
    """Divide a text into its statements; comments and blank lines are in none."""
    found: list[Statement] = []
    at = 0
    while at < len(text):
        start = _skip_blanks(text, at)
        at = _line_end(text, start)
        first = text[start : start + 1]
        if first in {"", "\n", "\r", "#"}:
            continue
        if first == "[":
            path = _path(tomllib.loads(text[start:at]))
            found.append(Statement(path, start, at, True, at, at))  # noqa: FBT003 - a field
            continue
        equals = _find_equals(text, start)
        value = _skip_blanks(text, equals + 1)
        end = _value_end(text, value)
        at = _line_end(text, end)
        path = _path(tomllib.loads(f"{text[start:equals]} = 0"))
        found.append(Statement(path, start, at, False, value, end))  # noqa: FBT003 - as above
    return found


def _skip_blanks(text: str, at: int) -> int:
    while text[at : at + 1] in {" ", "\t"}:
        at += 1
    return at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _path(data: object) -> tuple[str, ...]:
    """Return the names of the only value in nested tables."""
    names: list[str] = []
    while isinstance(data, dict) and data:
        ((name, data),) = data.items()
        names.append(name)
    return tuple(names)


def _find_equals(text: str, at: int) -> int:
    while text[at] != "=":
        match = _KEY_PART.match(text, at)
        at = match.end() if match else at + 1
    return at


def _value_end(text: str, at: int) -> int:
    if text[at] in "\"'":
        return _string_end(text, at)
    if text[at] in "[{":
        return _group_end(text, at)
    match = _BARE_END.search(text, at)
    end = match.start() if match else len(text)
    return at + len(text[at:end].rstrip())


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    mark = quote * 3 if text.startswith(quote * 3, at) else quote
    at += len(mark)
    while not text.startswith(mark, at):
        at += 2 if quote == '"' and text[at] == "\\" else 1
    at += len(mark)
    if mark != quote:
        for _ in range(_MOST_CLOSING_QUOTES):
            at += text.startswith(quote, at)
    return at


def _group_end(text: str, at: int) -> int:
    """Return where an array or an inline table ends."""
    depth = 0
    while True:
        match = _INSIDE.search(text, at)
        if match is None:
            return len(text)
        at, sign = match.start(), match[0]
        if sign in "\"'":
            at = _string_end(text, at)
            continue
        if sign == "#":
            at = _line_end(text, at)
            continue
        depth += 1 if sign in "[{" else -1
        at += 1
        if not depth:
            return at
