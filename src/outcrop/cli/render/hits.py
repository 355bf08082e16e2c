"""Hits and contexts, as text and as JSON."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render.text import escape_controls, field_values, write_json
from outcrop.presentation.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.hit import Hit, Range
    from outcrop.search.context import Context

_MAX_LINES = 6
_INDENT = "   "
_MAX_COLUMNS = 97  # of text; 100 with the indentation
_LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n|\Z)")


def write_hits(
    hits: Sequence[Hit], *, as_json: bool, full: bool = False, scored: bool = True
) -> None:
    """Print hits, best first.

    Args:
        hits: What to print.
        as_json: For programs: every field.
        full: The whole text, not its beginning.
        scored: Whether rank and score mean something.
    """
    if as_json:
        values = [hit_values(hit) for hit in hits]
        write_json(values)
        return
    if not hits:
        click.echo("nothing found")
    for rank, hit in enumerate(hits, 1):
        if rank > 1:
            click.echo()
        click.echo(_title(hit, rank if scored else None))
        # A chunk is its own best summary.
        summary = None if hit.unit == "chunk" else hit.summary or hit.document_summary
        if summary:
            click.echo(
                _INDENT
                + _style(escape_controls(shorten(summary, _MAX_COLUMNS)), dim=True)
            )
        click.echo(_body(hit, full=full))
        if hit.others:
            click.echo(_INDENT + _style(f"also {_list_others(hit)}", dim=True))


def write_context(context: Context, *, as_json: bool) -> None:
    """Print a context: the text alone, or its pieces with their places."""
    if not as_json:
        text = str(context) or "nothing found"
        # For a program or a file the text is exact.
        is_shown = sys.stdout.isatty()
        click.echo("\n".join(map(_safe, text.splitlines())) if is_shown else text)
        return
    value = {
        "text": str(context),
        "token_count": context.token_count,
        "mark": context.mark,
        "pieces": [
            {"text": piece.text, "is_cut": piece.is_cut, "hit": hit_values(piece.hit)}
            for piece in context.pieces
        ],
    }
    write_json(value)


def hit_values(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON values."""
    others = [field_values(other) for other in hit.others]
    return field_values(hit) | {"others": others}


def _list_others(hit: Hit) -> str:
    """Return where the other parts of the place are: lines, or another document."""
    places = [
        lines if other.path == hit.path else f"{escape_controls(other.path)}:{lines}"
        for other in hit.others
        for lines in [f"{other.start_line}-{other.end_line}"]
    ]
    return ", ".join(places)


def _style(text: str, **styles: bool) -> str:
    return click.style(text, **styles) if _has_styles() else text


def _title(hit: Hit, rank: int | None) -> str:
    where = f"{escape_controls(hit.path)}:{hit.start_line}-{hit.end_line}"
    parts = [_style(where, bold=True)]
    if hit.headers:
        parts.append(escape_controls(" > ".join(hit.headers)))
    if rank is not None:
        parts.insert(0, f"{rank}.")
        parts.append(_style(f"({hit.score:.2f})", dim=True))
    parts.append(_style(hit.id, dim=True))
    return "  ".join(parts)


def _body(hit: Hit, *, full: bool) -> str:
    """Return the text with matching words underlined on a terminal, indented."""
    # A repeated heading or signature would hide the beginning of what was found.
    text, marks = (hit.content, hit.highlights) if full else hit.without_prefix()
    if not _has_styles():
        marks = ()
    lines = [(line.start(), line[1]) for line in _LINE.finditer(text)]
    if full:
        while lines and not lines[0][1]:
            lines.pop(0)
        while lines and not lines[-1][1]:
            lines.pop()
        return "\n".join(_INDENT + _mark(text, at, marks) for at, text in lines)
    lines = [(at, text) for at, text in lines if text.strip()]
    shown = [
        f"{_INDENT}{_mark(text[:_MAX_COLUMNS], at, marks)}"
        + ("…" if len(text) > _MAX_COLUMNS else "")
        for at, text in lines[:_MAX_LINES]
    ]
    if len(lines) > _MAX_LINES:
        shown.append(f"{_INDENT}…")
    return "\n".join(shown)


def _mark(line: str, at: int, marks: Sequence[Range]) -> str:
    """Underline the marked parts of a line that starts at an offset."""
    pieces: list[str] = []
    last = 0
    for start, end in marks:
        first, stop = max(start - at, last), min(end - at, len(line))
        if first >= stop:
            continue
        pieces.append(_safe(line[last:first]))
        pieces.append(click.style(_safe(line[first:stop]), underline=True))
        last = stop
    return "".join([*pieces, _safe(line[last:])])


def _safe(text: str) -> str:
    """Escape control characters but tabs."""
    return "\t".join(map(escape_controls, text.split("\t")))


def _has_styles() -> bool:
    """Return whether the output is a terminal, and styles are wanted."""
    is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not is_plain
