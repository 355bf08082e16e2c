"""Which of several files of the same module name is meant: the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def nearest(files: Mapping[str, int], path: str) -> int | None:
    """Return the value of the file that shares most folders with a path, if any.

    Of several that are equally near it is the last.
    """
    if len(files) <= 1:
        return next(iter(files.values()), None)
    folders = path.split("/")[:-1]
    best = max(reversed(list(files)), key=lambda file: shared(file.split("/"), folders))
    return files[best]


def shared(left: Sequence[str], right: Sequence[str]) -> int:
    """Return how many folders two paths share from the top on."""
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count
