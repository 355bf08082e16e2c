"""Which filters of a search without hits are the reason for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.search.question import make_filter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.indexing.sharded import AnyIndex

# What is said of a value that no chunk has, by the name of its filter.
_REASONS = {
    "path_glob": "no document has a path that matches {!r}",
    "package": "no code is in a package, module or type {!r}",
    "section": "no heading is {!r}",
    "tag": "no document has the tag {!r}",
}


def name_unmatched(
    index: AnyIndex, filters: Mapping[str, str | Sequence[str] | None]
) -> list[str]:
    """Return a reason for each value of a filter that nothing in the index meets.

    Args:
        index: The index that was searched.
        filters: Values by the names that `Index.search` gives its filters; others than
            paths, packages, sections and tags are not looked at.
    """
    reasons = []
    for name, reason in _REASONS.items():
        given = filters.get(name) or ()
        for value in [given] if isinstance(given, str) else given:
            restriction = make_filter(**{name: value})  # type: ignore[arg-type]  # texts
            if restriction is not None and not index.store.has_chunks(restriction):
                reasons.append(reason.format(value))
    return reasons
