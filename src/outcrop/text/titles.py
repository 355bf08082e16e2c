"""Titles as heading paths hold them.

Every chunk of a section repeats the titles above it, in its metadata, in the store and
in what is searched. A title of unlimited length would make that grow with the square of
the document, so a path holds the beginning of a very long one.
"""

from __future__ import annotations

MAX_TITLE_CHARS = 300
_ELLIPSIS = "…"


def path_title(title: str) -> str:
    """Return a title unchanged, or cut to `MAX_TITLE_CHARS` with an ellipsis."""
    if len(title) <= MAX_TITLE_CHARS:
        return title
    return title[: MAX_TITLE_CHARS - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
