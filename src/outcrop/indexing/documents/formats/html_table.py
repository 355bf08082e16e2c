"""A table of an HTML page, collected cell by cell and written as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_SPACES = re.compile(r"\s+")
_MAX_CELL_CHARS = 1000  # longer ones are parts of a page that a table lays out
_MAX_SPAN = 20


@dataclass(slots=True)
class _Row:
    line: int = 0
    """The line of the file where its text starts."""
    cells: list[list[str]] = field(default_factory=list)

    def texts(self) -> list[str]:
        return [_SPACES.sub(" ", "".join(cell)).strip() for cell in self.cells]


class HtmlTable:
    """The rows of a table."""

    def __init__(self) -> None:
        self._rows: list[_Row] = []
        self._cell: list[str] | None = None

    @property
    def in_cell(self) -> bool:
        """Whether text belongs to a cell now."""
        return self._cell is not None

    def open_row(self) -> None:
        """Start a row."""
        self._rows.append(_Row())
        self._cell = None

    def open_cell(self, span: str | None) -> None:
        """Start a cell, and the row as well where it is missing."""
        if not self._rows:
            self.open_row()
        self._cell = []
        columns = int(span) if span and re.fullmatch("[0-9]{1,4}", span) else 1
        empty: list[list[str]] = [[] for _ in range(min(columns, _MAX_SPAN) - 1)]
        self._rows[-1].cells.extend([self._cell, *empty])

    def add(self, text: str, line: int) -> None:
        """Add text that starts in a line of the file to the cell."""
        if self._cell is None:
            return
        self._cell.append(text.replace("\0", "\ufffd"))
        row = self._rows[-1]
        if not row.line and text.strip():
            row.line = line + text[: len(text) - len(text.lstrip())].count("\n")

    def close_cell(self) -> None:
        """End the cell."""
        self._cell = None

    def write(self) -> list[list[tuple[str, int]]]:
        """Return the blocks that the table becomes: lines with their places.

        A table of several rows and columns is one block. Others, and those with much
        text in a cell, only lay a page out: each row is a paragraph.
        """
        rows = [(row.line, row.texts()) for row in self._rows]
        rows = [(line, texts) for line, texts in rows if any(texts)]
        columns = max((len(texts) for _, texts in rows), default=0)
        longest = max((len(t) for _, texts in rows for t in texts), default=0)
        if len(rows) > 1 and columns > 1 and longest <= _MAX_CELL_CHARS:
            return [_pipe_table(rows, columns)]
        return [[(" | ".join(filter(None, texts)), line)] for line, texts in rows]


def _pipe_table(
    rows: list[tuple[int, list[str]]], columns: int
) -> list[tuple[str, int]]:
    lines = []
    for line, texts in rows:
        cells = [text.replace("|", "\\|") for text in texts]
        cells += [""] * (columns - len(cells))
        lines.append((f"| {' | '.join(cells)} |", line))
    head = lines[0][1]
    lines.insert(1, (f"|{' --- |' * columns}", head))
    return lines
