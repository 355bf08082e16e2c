"""Reads the top level of a YAML mapping: scalars, and lists of scalars.

That is what front matter consists of. A full parser would be one more dependency of the
core. Nested mappings, anchors and tags are left out rather than guessed at.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

Value = str | list[str]

_LINES = re.compile(r"\r\n?|\n")
# Possessive: what follows a long run of spaces decides once whether they match.
_KEY = re.compile(r"""(["']?)([^\s"'#:&*!|>%@`{\[\]},?-][^"':#]*+)\1\s*:(?:\s+|$)""")
_NESTED_KEY = re.compile(r"^\?\s|:(?:\s|$)")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_ITEM = re.compile(r"\s*-(?:\s+|$)")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"'((?:[^']|'')*)'\s*(?:#.*)?", re.DOTALL)
_FLOW_ITEM = re.compile(
    r"""\s*+("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,\[\]{}"']*+)\s*(,|\])""", re.DOTALL
)
_BLOCK_SCALAR = re.compile(r"([|>])[-+\d]*\s*(?:#.*)?")
# Anchors, aliases, tags and mappings, and what no plain scalar may start with.
_OTHER_STARTS = frozenset("&*!{}[]|>%@`,")
_NULLS = frozenset(["", "~", "null", "Null", "NULL"])


def read_simple_yaml(text: str, only: Container[str] | None = None) -> dict[str, Value]:
    """Return the scalars and the lists of scalars at the top level of a mapping.

    Scalars are strings as they are written: `2024` and `true` too. A value that is
    empty, malformed or of another kind is left out. Of equal keys the first counts. With
    `only`, other keys than these, in lower case, are left out too.
    """
    found: dict[str, Value] = {}
    for key, lines in _entries(text):
        if only is not None and key.casefold() not in only:
            continue
        value = _read_value(lines)
        if value:
            found.setdefault(key, value)
    return found


def _entries(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each key with the lines of its value, the first without the key."""
    key, lines = "", [""]
    for line in _LINES.split(text):
        is_outer = line[:1] not in {"", " ", "\t", "#", "-", "]"}
        match = _KEY.match(line) if is_outer else None
        if not is_outer:
            lines.append(line)
            continue
        if key:
            yield key, lines
        # A line that is not an entry ends the one before; the lines below it are skipped.
        key, lines = (match[2].rstrip(), [line[match.end() :]]) if match else ("", [""])
    if key:
        yield key, lines


def _read_value(lines: list[str]) -> Value | None:
    first = lines[0].strip()
    rest = lines[1:]
    if match := _BLOCK_SCALAR.fullmatch(first):
        return _block_scalar(rest, is_folded=match[1] == ">")
    if first.startswith(('"', "'", "[")):
        # Comments between the lines of a value are rare enough to be misread.
        whole = " ".join([first, *(line.strip() for line in rest)]).strip()
        return _flow_list(whole) if first[0] == "[" else _scalar(whole)
    plain = [text for line in rest if (text := _COMMENT.sub("", line).strip())]
    if first and not first.startswith("#"):
        return _scalar(" ".join([_COMMENT.sub("", first).strip(), *plain]))
    if plain and _ITEM.match(plain[0]):
        return _block_list(rest)
    return _scalar_alone(" ".join(plain))


def _block_scalar(lines: list[str], *, is_folded: bool) -> str:
    visible = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in visible), default=0)
    text = "\n".join(line[indent:].rstrip() for line in lines).strip("\n")
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text) if is_folded else text


def _block_list(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        match = _ITEM.match(line)
        if match is None:
            continue
        item = _scalar_alone(line[match.end() :].strip())
        if item:
            items.append(item)
    return items


def _flow_list(text: str) -> list[str] | None:
    items: list[str] = []
    at = 1
    while match := _FLOW_ITEM.match(text, at):
        at = match.end()
        source = _COMMENT.sub("", match[1]) if match[1][:1] not in "\"'" else match[1]
        item = _scalar(source.strip())
        if item:
            items.append(item)
        if match[2] == "]":
            return items
    return None


def _scalar_alone(source: str) -> str | None:
    """Return the text of a scalar where a mapping could be as well."""
    is_quoted = source.startswith(('"', "'"))
    is_mapping = not is_quoted and _NESTED_KEY.search(_COMMENT.sub("", source))
    return None if is_mapping or not source else _scalar(source)


def _scalar(source: str) -> str | None:
    """Return the text of a scalar on one line; None if it is null or not a scalar."""
    if match := _DOUBLE_QUOTED.fullmatch(source):
        try:
            return str(json.loads(f'"{match[1]}"', strict=False))
        except ValueError:
            return match[1]  # an escape that JSON does not have
    if match := _SINGLE_QUOTED.fullmatch(source):
        return match[1].replace("''", "'")
    plain = _COMMENT.sub("", source).strip()
    if plain in _NULLS or plain[0] in _OTHER_STARTS or plain[0] in "\"'":
        return None
    return plain
