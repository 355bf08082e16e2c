"""Changing one entry of a JSON text, and nothing else in it.

Comments, order, indentation, line ends and commas of the rest stay as they are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError
from outcrop.mcp.install.jsonc import Value, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

_INDENT = re.compile(r"[ \t]*")
_DEFAULT_UNIT = "  "


def read_data(text: str) -> dict[str, Any]:
    """Return what a text says.

    Raises:
        InputError: It is no JSON object.
    """
    data: dict[str, Any] = _read(text).data
    return data


def set_entry(text: str, key: str, name: str, entry: dict[str, object]) -> str:
    """Put an entry in, or its fields into the entry of that name."""
    servers = read_data(text).get(key, {})
    if not isinstance(servers, dict):
        raise InputError(f"{key!r} is no object with servers")
    if not isinstance(servers.get(name), dict):
        return _set(text, (key, name), entry)
    for field, value in entry.items():
        text = _set(text, (key, name, field), value)
    return text


def remove_entry(text: str, key: str, name: str) -> str:
    """Take an entry out, where it is there."""
    root = _read(text)
    at = root.find(key)
    if at is None:
        return text
    servers = root.members[at][1].value
    at = servers.find(name)
    return text if at is None else _cut(text, servers, at)


def _read(text: str) -> Value:
    root = parse(text)
    if not isinstance(root.data, dict):
        raise InputError("it is no JSON object")
    return root


def _set(text: str, path: Sequence[str], data: object) -> str:
    """Set what stands below some names, each inside the one before."""
    root = _read(text)
    layout = _Layout(text, root)
    if root.start == root.end:  # nothing, or comments alone
        before = f"{text.rstrip()}{layout.line_end}" if text.strip() else ""
        return f"{before}{layout.dump(_nest(path, data), '')}{layout.line_end}"
    value = root
    for depth, name in enumerate(path):
        at = value.find(name)
        if at is None:
            return layout.add(value, name, _nest(path[depth + 1 :], data))
        member = value.members[at][1]
        value = member.value
    return text if value.data == data else layout.replace(value, data)


def _nest(path: Sequence[str], data: object) -> object:
    for name in reversed(path):
        data = {name: data}
    return data


class _Layout:
    """How a text is laid out, so that what is added looks like the rest."""

    def __init__(self, text: str, root: Value) -> None:
        self._text = text
        self.line_end = "\r\n" if "\r\n" in text else "\n"
        self._is_flat = bool(root.members) and "\n" not in text[root.start : root.end]
        first = root.members[0][1].start if root.members else 0
        self._unit = self._own_indent(first) or _DEFAULT_UNIT

    def dump(self, data: object, indent: str) -> str:
        """Write a value down: an object a line a member, everything else on one line."""
        if self._is_flat or not isinstance(data, dict) or not data:
            return json.dumps(data, ensure_ascii=False)
        inner = indent + self._unit
        lines = f",{self.line_end}".join(
            f"{inner}{json.dumps(name)}: {self.dump(value, inner)}"
            for name, value in data.items()
        )
        return f"{{{self.line_end}{lines}{self.line_end}{indent}}}"

    def replace(self, value: Value, data: object) -> str:
        """Put another value in the place of one."""
        text = self._text
        dumped = self.dump(data, self._line_indent(value.start))
        return f"{text[: value.start]}{dumped}{text[value.end :]}"

    def add(self, parent: Value, name: str, data: object) -> str:
        """Add a member behind the last one of an object."""
        text, closer = self._text, parent.end - 1
        last = parent.members[-1][1] if parent.members else None
        comma = ""
        if last is not None and last.comma is None:
            text = f"{text[: last.value.end]},{text[last.value.end :]}"
            closer += 1
        elif last is not None:
            comma = ","  # commas behind the last are this file's manner
        kept = text[:closer].rstrip(" \t\r\n")
        if self._is_flat:
            space = " " if last else ""
            member = f"{space}{json.dumps(name)}: {self.dump(data, '')}{comma}"
            return f"{kept}{member}{text[closer:]}"
        indent, outer = self._indents(parent)
        member = f"{json.dumps(name)}: {self.dump(data, indent)}{comma}"
        added = f"{self.line_end}{indent}{member}{self.line_end}{outer}"
        return f"{kept}{added}{text[closer:]}"

    def _indents(self, parent: Value) -> tuple[str, str]:
        """Return the indentation of an object's members and of its closing brace."""
        outer = self._line_indent(parent.start)
        for _, member in parent.members:
            own = self._own_indent(member.start)
            if own is not None:
                return own, outer
        return outer + self._unit, outer

    def _own_indent(self, at: int) -> str | None:
        """Return what is before a place on its line, where that is white space."""
        before = self._text[self._text.rfind("\n", 0, at) + 1 : at]
        return before if before and not before.strip(" \t") else None

    def _line_indent(self, at: int) -> str:
        """Return the indentation of the line that a place is on."""
        match = _INDENT.match(self._text, self._text.rfind("\n", 0, at) + 1, at)
        return match[0] if match else ""


def _cut(text: str, parent: Value, at: int) -> str:
    """Take a member out, with one comma and the line that it leaves empty."""
    member = parent.members[at][1]
    start, end, between = member.start, member.value.end, ""
    if member.comma is not None:
        # A comment may stand between a value and its comma, and end with the line.
        between = text[end : member.comma]
        between = between if between.strip() else ""
        end = member.comma + 1
    text = _close_gap(f"{text[:start]}{between}{text[end:]}", start + len(between))
    previous = parent.members[at - 1][1] if at else None
    if member.comma is None and previous is not None and previous.comma is not None:
        text = f"{text[: previous.comma]}{text[previous.comma + 1 :]}"
    return text


def _close_gap(text: str, at: int) -> str:
    """Drop the line around a place, where nothing is left on it."""
    line = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at) + 1 or len(text)
    if line and not text[line:end].strip():
        return text[:line] + text[end:]
    before, behind = text[:at].rstrip(" \t"), text[at:].lstrip(" \t")
    if before.endswith("{") or behind.startswith("}"):
        return before + behind
    return text
