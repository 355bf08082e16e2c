"""The links of a document: to other documents of the index, to headings, and outside."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urlsplit

from outcrop.indexing.files.kinds import MARKDOWN_KINDS
from outcrop.presentation.reading import HEADING_ANCHOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from outcrop.indexing.sharded import AnyIndex

# Nothing else can be followed: `javascript:` and `data:` among others would run.
_OUTSIDE = re.compile(r"(?:https?://|mailto:)[^\s\x00-\x20]+", re.IGNORECASE)
# What a link may leave out of the name of a page.
_ENDINGS = ("", ".md", ".mdx", "/index.md", "/README.md", "/_index.md")


def resolve_links(index: AnyIndex, path: str, targets: Iterable[str]) -> dict[str, str]:
    """Return the addresses of those link targets in a document that may be followed."""
    addresses: dict[str, str] = {}
    places: dict[str, tuple[list[str], str]] = {}
    for target in targets:
        if _OUTSIDE.fullmatch(target):
            addresses[target] = target
        elif target.startswith("#"):
            addresses[target] = _anchor(target[1:]) or "#main"
        elif (place := _place(path, target)) is not None:
            places[target] = place
    names = {name for candidates, _ in places.values() for name in candidates}
    kinds = {each.path: each.kind for each in index.store.get_documents(names)}
    for target, (candidates, fragment) in places.items():
        found = next((name for name in candidates if name in kinds), None)
        if found is not None:
            view = "?view=read" if kinds[found] in MARKDOWN_KINDS else ""
            addresses[target] = f"/documents/{quote(found)}{view}{_anchor(fragment)}"
    return addresses


def _anchor(fragment: str) -> str:
    return f"#{HEADING_ANCHOR}{quote(unquote(fragment).lower())}" if fragment else ""


def _place(path: str, target: str) -> tuple[list[str], str] | None:
    """Return the paths that a target may mean, and the heading in it."""
    try:
        parts = urlsplit(target)
    except ValueError:
        return None
    name = unquote(parts.path)
    if parts.scheme or parts.netloc or not name or "\0" in name:
        return None
    folder = "" if name.startswith("/") else posixpath.dirname(path)
    whole = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    if whole.startswith(".."):
        return None
    return list(_candidates(whole)), parts.fragment


def _candidates(whole: str) -> Iterator[str]:
    for ending in _ENDINGS:
        yield whole + ending
    stem, dot, ending = whole.rpartition(".")
    if dot and ending == "html":
        yield f"{stem}.md"
