"""A web route, and the joining of its path from parts."""

from __future__ import annotations

import re
from typing import NamedTuple

VERBS = frozenset({"GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"})
_STRING = re.compile(
    r"""^[A-Za-z@$]*(?:\"\"\"|'''|["'`])(.*?)(?:\"\"\"|'''|["'`])$""", re.DOTALL
)


class Route(NamedTuple):
    """A route and where it is written."""

    method: str
    path: str
    handler: int
    """The symbol that serves it, or -1."""
    place: int
    """The symbol that its text stands in."""
    start: int
    end: int
    line_start: int
    line_end: int


def string_value(text: str) -> str | None:
    """Return the value of a string literal; None for any other expression."""
    found = _STRING.match(text.strip())
    return found.group(1) if found else None


def join_path(*parts: str) -> str:
    """Return one path from the prefixes and the end of it."""
    kept = [part.strip("/") for part in parts if part.strip("/")]
    path = "/" + "/".join(kept)
    trailing = parts[-1].endswith("/") and kept and parts[-1].strip("/")
    return f"{path}/" if trailing else path
