"""Making a filter from what callers pass."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING

from outcrop.errors import InputError
from outcrop.model.filter import Filter
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_LEVEL = 2**31 - 1  # an integer of the database
_SOURCES = frozenset(["doc", "code", "sql", "log"])


def make_filter(
    *,
    kind: str | Sequence[str] | None = None,
    path_glob: str | Sequence[str] | None = None,
    depth: int | tuple[int, int] | None = None,
    document: str | Sequence[str] | None = None,
) -> Filter | None:
    """Return a filter, or None if nothing is restricted.

    Args:
        kind: Kinds of chunk, or sources: `doc`, `code`.
        path_glob: Patterns, one of which has to match the document's path.
        depth: A level of the hierarchy, or the lowest and the highest.
        document: Paths of documents.

    Raises:
        InputError: A depth is not a level, a pattern is empty, or a text contains a
            NUL.
    """
    kinds = _texts("kind", kind)
    min_level, max_level = _levels(depth)
    return (
        Filter(
            path_globs=[_glob(text) for text in _texts("path_glob", path_glob)],
            documents=[t.removeprefix("./") for t in _texts("document", document)],
            kinds=[name for name in kinds if name not in _SOURCES],
            sources=[name for name in kinds if name in _SOURCES],
            min_level=min_level,
            max_level=max_level,
        )
        or None
    )


def _glob(text: str) -> str:
    """Return a pattern for relative paths; a folder matches everything in it."""
    plain = text.removeprefix("./")
    if not plain:
        raise InputError(f"path_glob {text!r} is not a valid pattern")
    return f"{plain}**" if plain.endswith("/") else plain


def _texts(name: str, value: str | Sequence[str] | None) -> list[str]:
    if value is None:
        return []
    texts = [value] if isinstance(value, str) else list(value)
    for text in texts:
        if "\0" in text:
            raise InputError(f"{name} is {text!r}, but it must not contain a NUL")
    return [replace_surrogates(text) for text in texts]


def _levels(depth: int | tuple[int, int] | None) -> tuple[int | None, int | None]:
    if depth is None:
        return None, None
    levels = (depth, depth) if isinstance(depth, int) else depth
    try:
        lowest, highest = map(index, levels)
    except (TypeError, ValueError):
        raise InputError(
            f"depth is {depth!r}, but it must be one level or two"
        ) from None
    if min(lowest, highest) < 0 or max(lowest, highest) > _MAX_LEVEL:
        raise InputError(
            f"depth is {depth!r}, but a level must be from 0 to {_MAX_LEVEL}"
        )
    return lowest, highest
