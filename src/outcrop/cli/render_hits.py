"""Hits and contexts, for people and for programs."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render import write_utf8
from outcrop.cli.render_plain import escape_controls
from outcrop.model.hit import Hit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.search.context import Context

_FIELDS = tuple(field.name for field in fields(Hit))
_LINES = 6
_COLUMNS = 100


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
        write_utf8(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
        return
    if not hits:
        click.echo("nothing found")
    for rank, hit in enumerate(hits, 1):
        if rank > 1:
            click.echo()
        click.echo(_title(hit, rank if scored else None))
        click.echo(_body(hit, full=full))


def write_context(context: Context, *, as_json: bool) -> None:
    """Print a context: the text alone, or its pieces with their places."""
    if not as_json:
        click.echo(str(context) or "nothing found")
        return
    value = {
        "text": str(context),
        "token_count": context.token_count,
        "pieces": [
            {"text": piece.text, "is_cut": piece.is_cut, "hit": hit_values(piece.hit)}
            for piece in context.pieces
        ],
    }
    write_utf8(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def hit_values(hit: Hit) -> dict[str, Any]:
    """Return a hit as JSON values."""
    return {name: getattr(hit, name) for name in _FIELDS}


def _title(hit: Hit, rank: int | None) -> str:
    where = f"{escape_controls(hit.path)}:{hit.start_line}-{hit.end_line}"
    parts = [click.style(where, bold=True)]
    if hit.headers:
        parts.append(escape_controls(" > ".join(hit.headers)))
    if rank is not None:
        parts.insert(0, f"{rank}.")
        parts.append(click.style(f"({hit.score:.2f})", dim=True))
    parts.append(click.style(hit.id, dim=True))
    return "  ".join(parts)


def _body(hit: Hit, *, full: bool) -> str:
    """Return the text with matching words underlined on a terminal, indented."""
    text = _marked(hit) if sys.stdout.isatty() else _safe(hit.content)
    lines = [f"   {line}" for line in text.strip("\n").split("\n")]
    if full:
        return "\n".join(lines)
    lines = [line for line in lines if line.strip()]
    shown = [
        line if len(line) <= _COLUMNS or "\x1b" in line else f"{line[:_COLUMNS]}…"
        for line in lines[:_LINES]
    ]
    if len(lines) > _LINES:
        shown.append("   …")
    return "\n".join(shown)


def _marked(hit: Hit) -> str:
    pieces: list[str] = []
    last = 0
    for start, end in hit.highlights:
        pieces.append(_safe(hit.content[last:start]))
        pieces.append(click.style(_safe(hit.content[start:end]), underline=True))
        last = end
    return "".join([*pieces, _safe(hit.content[last:])])


def _safe(text: str) -> str:
    """Escape what could steer a terminal; line ends and tabs stay."""
    unified = text.replace("\r\n", "\n")
    return "\n".join(
        "\t".join(map(escape_controls, line.split("\t")))
        for line in unified.split("\n")
    )
