"""The level of each title above a chunk, as `Header 1`, `Header 2` and so on.

A chunk knows its titles and the level of the last. That says it all, unless a level
between them is skipped: then the document is parsed again.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from outcrop.markdown import parse

if TYPE_CHECKING:
    from outcrop.model.chunk import Chunk

    Titles = tuple[str, ...]
    Levels = tuple[int, ...]


class HeadingLevels:
    """Knows the headings of one document."""

    def __init__(self, text: str) -> None:
        self._text = text

    def titles(self, chunk: Chunk) -> dict[str, str]:
        """Return the titles above a chunk by `Header` and their level."""
        titles, level = chunk.metadata["headers"], chunk.metadata["header_level"]
        return {
            f"Header {level}": title
            for level, title in zip(
                self._levels(titles, level, chunk.end_offset), titles, strict=True
            )
        }

    def _levels(self, titles: list[str], level: int, end: int) -> Levels | range:
        if len(titles) == 1:
            return (level or 1,)  # that of a root is 0
        if len(titles) == level:
            return range(1, level + 1)
        starts, levels = self._by_path.get((tuple(titles), level), ([], []))
        at = bisect_left(starts, end) - 1  # the last of them that is not below
        return levels[at] if levels and at >= 0 else range(1, len(titles) + 1)

    @cached_property
    def _by_path(self) -> dict[tuple[Titles, int], tuple[list[int], list[Levels]]]:
        """Where the headings with the same titles and level start, and all levels."""
        found: dict[tuple[Titles, int], tuple[list[int], list[Levels]]] = {}
        paths: list[tuple[Titles, Levels]] = []
        document = parse(self._text)
        for heading, title in zip(document.headings, document.titles, strict=True):
            above: tuple[Titles, Levels] = ((), ())
            if heading.parent >= 0:
                above = paths[heading.parent]
            path = ((*above[0], title), (*above[1], heading.level))
            paths.append(path)
            starts, levels = found.setdefault((path[0], heading.level), ([], []))
            starts.append(heading.start)
            levels.append(path[1])
        return found
