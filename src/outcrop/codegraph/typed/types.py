"""Type expressions as written, reduced to a name and its arguments."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_DECORATION = re.compile(
    r"""^(?:\s|&|\*|\?|!|@[\w.]+(?:\([^)]*\))?
        |'[a-z_]+\b|\b(?:mut|dyn|impl|const|readonly|final|ref|in|out|params|this
        |suspend|vararg|keyof|typeof|unowned|lateinit)\b)+""",
    re.VERBOSE,
)
_NAME = re.compile(r"[\w$]+(?:(?:\.|::)[\w$]+)*")
ARRAY = "[]"


class Type(NamedTuple):
    """A type: its name as written, and its type arguments."""

    name: str
    arguments: tuple[Type, ...] = ()


NOTHING = Type("")
_MAX_DEPTH = 100
"""Types nested deeper than this count as none; each level is a call or two."""


@lru_cache(maxsize=20_000)
def parse_type(text: str, depth: int = _MAX_DEPTH) -> Type:
    """Return the type that a text names; `Type("")` where it names none."""
    inwards = depth - 1
    text = _DECORATION.sub("", text.strip().removeprefix(":").strip()) if depth else ""
    if text.startswith("[]"):
        return Type(ARRAY, (parse_type(text[2:], inwards),))
    if text.startswith("[") and "]" in text:
        inner = text[1 : text.index("]")].partition(";")[0]
        rest = text[text.index("]") + 1 :]
        return Type(ARRAY, (parse_type(rest or inner, inwards),))
    if text.startswith("map[") and "]" in text:
        value = parse_type(text[text.index("]") + 1 :], inwards)
        return Type("map", (NOTHING, value))
    found = _NAME.match(text)
    if found is None:
        return NOTHING
    rest = text[found.end() :].lstrip()
    arguments: tuple[Type, ...] = ()
    if rest[:1] in {"<", "["} and rest[:2] != "[]":
        inner, rest = _bracketed(rest)
        arguments = tuple(parse_type(part, inwards) for part in _split(inner))
    rest = rest.lstrip("?!")
    result = Type(found.group(), arguments)
    while rest.startswith("[") and "]" in rest:
        result = Type(ARRAY, (result,))
        rest = rest[rest.index("]") + 1 :].lstrip("?!")
    if rest.lstrip().startswith("|"):
        return _union(result, parse_type(rest.lstrip()[1:], inwards))
    return result


def _union(first: Type, others: Type) -> Type:
    """Return the one type of a union that is not an empty one."""
    if first.name in {"null", "undefined", "None"}:
        return others
    return first if others.name in {"null", "undefined", ""} else NOTHING


def _bracketed(text: str) -> tuple[str, str]:
    depth = 0
    for position, character in enumerate(text):
        if character in "<[(":
            depth += 1
        elif character in ">])":
            depth -= 1
            if depth == 0:
                return text[1:position], text[position + 1 :]
    return text[1:], ""


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "<[(":
            depth += 1
        elif character in ">])":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for part in (*parts, text[start:]) if part.strip()]
