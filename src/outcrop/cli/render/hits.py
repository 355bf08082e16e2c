"""Hits and contexts as text and as JSON, with notes on what the index lacks."""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render.text import escape_controls, field_values, write_json
from outcrop.cli.verbosity import is_quiet
from outcrop.presentation.text import shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from outcrop.indexing.index import Index
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.hit import Hit, Range
    from outcrop.search.context import Context

_MAX_LINES = 6
_INDENT = "   "
_MAX_COLUMNS = 97  # of text; 100 with the indentation
_LINE = re.compile(r"([^\r\n]*)(?:\r\n?|\n|\Z)")


def write_hits(
    hits: Sequence[Hit], *, as_json: bool, full: bool = False, scored: bool = True
) -> None:
    """Print hits, best first, with rank and score if these mean something."""
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
            shown = escape_controls(shorten(f"summary: {summary}", _MAX_COLUMNS))
            click.echo(_INDENT + _style(shown, dim=True))
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
    # The name of a symbol can be given to `related` and `graph show` as it is.
    if above := hit.symbol or " > ".join(hit.headers):
        parts.append(escape_controls(above))
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


_MAX_VALUES = 3  # of one filter; more would not be read


def why_partial(opened: AnyIndex) -> str | None:
    """Return why the index may lack documents, and what to do; None if it does not."""
    if missing := opened.missing:
        return f"no answer from {', '.join(missing)}; --require-all makes it an error"
    reasons = map(_why_unfinished, opened.parts)
    return next((reason for reason in reasons if reason is not None), None)


def _why_unfinished(opened: Index) -> str | None:
    from outcrop.indexing.freshness import latest_run
    from outcrop.model.run import RunState

    run = latest_run(opened.store)
    if run is None or run.state == RunState.DONE:
        return None
    if (running := opened.running()) is not None:
        return f"an index run is not finished: {running}"
    return "the last index run did not finish; complete it with: outcrop index"


def note_partial(opened: AnyIndex) -> None:
    """Note on standard error that results may be incomplete, if so."""
    if not is_quiet() and (partial := why_partial(opened)) is not None:
        click.echo(f"note: results may be incomplete: {partial}", err=True)


def offer_filters(
    opened: AnyIndex, hits: Sequence[Hit], *, used: Collection[str]
) -> None:
    """Note on standard error which filters that are not used yet separate the hits."""
    if is_quiet():
        return
    values = {
        "--kind": [hit.source for hit in hits],
        "--lang": _languages(opened, hits),
        "--path": list(_folders([hit.path for hit in hits])),
    }
    offers = [
        ", ".join(f"{option} {escape_controls(quote(value))}" for value in chosen)
        for option, found in values.items()
        if option not in used and (chosen := _choose(found))
    ]
    if offers:
        click.echo(f"narrow it with: {'; '.join(offers)}", err=True)


def _choose(values: Iterable[str]) -> list[str]:
    """Return the most frequent values; nothing if all hits have the same."""
    counts = Counter(filter(None, values))
    return (
        [value for value, _ in counts.most_common(_MAX_VALUES)]
        if len(counts) > 1
        else []
    )


def _languages(opened: AnyIndex, hits: Sequence[Hit]) -> list[str]:
    paths = {hit.path for hit in hits}
    known = {
        document.path: document.lang or ""
        for part in opened.parts
        for document in part.store.get_documents(paths)
    }
    return [known.get(hit.path, "") for hit in hits]


def _folders(paths: Sequence[str]) -> Iterable[str]:
    """Yield the outermost folder of each path; nothing for a file outside of folders.

    Hits of several inner folders are the rule, and no reason for a filter.
    """
    for path in paths:
        folder, slash, _ = path.partition("/")
        yield f"{folder}{slash}" if folder and slash else ""
