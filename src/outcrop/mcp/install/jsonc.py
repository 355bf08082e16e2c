"""Reading JSON with comments: values, and where each stands in the text."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from outcrop.errors import InputError

# Deeper than any settings; a text that is deeper must not exhaust the stack.
_DEEPEST = 100
_SPACE = " \t\r\n"
_DECODER = json.JSONDecoder()


@dataclass(slots=True)
class Member:
    """A name with its value, inside an object.

    Attributes:
        start: Where the name starts.
        value: The value.
        comma: Where the comma behind it is; None where there is none.
    """

    start: int
    value: Value
    comma: int | None = None


@dataclass(slots=True)
class Value:
    """A value and its place.

    Attributes:
        data: As `json` gives it.
        start: Where it starts.
        end: Where it ends, exclusive.
        members: Of an object, in order; of equal names each stands here.
    """

    data: Any
    start: int
    end: int
    members: list[tuple[str, Member]] = field(default_factory=list)

    def find(self, name: str) -> int | None:
        """Return the place of a member among the members; the last of equal names."""
        places = [at for at, (key, _) in enumerate(self.members) if key == name]
        return places[-1] if places else None


def parse(text: str) -> Value:
    """Read a text; comments and a comma behind the last value are allowed.

    Raises:
        InputError: It cannot be read; the message says where.
    """
    reader = _Reader(text)
    at = reader.skip(0)
    if at == len(text):
        return Value({}, at, at)
    value = reader.read(at, 0)
    rest = reader.skip(value.end)
    if rest != len(text):
        raise reader.wrong(rest, "there is more behind the end")
    return value


class _Reader:
    """Reads values out of one text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def wrong(self, at: int, why: str) -> InputError:
        line = self._text.count("\n", 0, at) + 1
        return InputError(f"line {line}: {why}")

    def skip(self, at: int) -> int:
        """Return where the next token starts, behind white space and comments."""
        text = self._text
        while at < len(text):
            if text[at] in _SPACE:
                at += 1
            elif text.startswith("//", at):
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise self.wrong(at, "a comment is not closed")
                at = end + 2
            else:
                break
        return at

    def read(self, at: int, depth: int) -> Value:
        if depth > _DEEPEST:
            raise self.wrong(at, "values are nested too deeply")
        opener = self._text[at : at + 1]
        if opener == "{":
            return self._read_object(at, depth)
        if opener == "[":
            return self._read_array(at, depth)
        return self._read_scalar(at)

    def _read_scalar(self, at: int) -> Value:
        try:
            data, end = _DECODER.raw_decode(self._text, at)
        except ValueError:
            raise self.wrong(at, "a value is expected") from None
        return Value(data, at, end)

    def _read_array(self, at: int, depth: int) -> Value:
        items: list[Any] = []
        start, at = at, self.skip(at + 1)
        while not self._text.startswith("]", at):
            item = self.read(at, depth + 1)
            items.append(item.data)
            at, _ = self._behind(item.end, "]")
        return Value(items, start, at + 1)

    def _read_object(self, at: int, depth: int) -> Value:
        found = Value({}, at, at)
        at = self.skip(at + 1)
        while not self._text.startswith("}", at):
            if not self._text.startswith('"', at):
                raise self.wrong(at, "a name in quotes is expected")
            name = self._read_scalar(at)
            colon = self.skip(name.end)
            if not self._text.startswith(":", colon):
                raise self.wrong(colon, "a colon is expected")
            value = self.read(self.skip(colon + 1), depth + 1)
            member = Member(at, value)
            at, member.comma = self._behind(value.end, "}")
            found.data[name.data] = value.data
            found.members.append((name.data, member))
        found.end = at + 1
        return found

    def _behind(self, at: int, closer: str) -> tuple[int, int | None]:
        """Return where the next item or the end is, and where a comma stood before."""
        at = self.skip(at)
        if self._text.startswith(",", at):
            return self.skip(at + 1), at
        if self._text.startswith(closer, at):
            return at, None
        raise self.wrong(at, f"a comma or {closer} is expected")
