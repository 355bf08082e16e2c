"""`outcrop related`: what calls, is called by, contains or documents something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.related import Related


@click.command()
@click.argument("symbol_or_chunk")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Maximum number of results.",
)
@click.option(
    "--expand",
    default="all",
    show_default=True,
    metavar="RELATIONS",
    help="Relations to follow: calls, callers, callees, parents, children, types, "
    "mentions or all; separate several with commas.",
)
@click.option("--full", is_flag=True, help="Show the whole text of every chunk.")
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
@index_options
def related(
    choice: Choice,
    symbol_or_chunk: str,
    *,
    limit: int,
    expand: str,
    full: bool,
    as_json: bool,
) -> None:
    """Show what is related to SYMBOL_OR_CHUNK, the strongest relation first.

    A symbol is named by its qualified name, the end of one or its name, a chunk by its
    id. A document is related to the symbols it names, and they to it.
    """
    with choice.open_existing() as opened:
        found = opened.related(symbol_or_chunk, limit, expand=expand)
    _write_json(found) if as_json else _write_lines(found, full=full)


def _write_json(found: Sequence[Related]) -> None:
    import json

    from outcrop.cli.render.hits import hit_values
    from outcrop.cli.render.text import write_utf8

    values = [
        {
            "relation": item.relation,
            "confidence": item.confidence,
            "resolution": item.resolution,
            "hit": hit_values(item.hit),
        }
        for item in found
    ]
    write_utf8(json.dumps(values, ensure_ascii=False, indent=2) + "\n")


def _write_lines(found: Sequence[Related], *, full: bool) -> None:
    from outcrop.cli.render.hits import write_hits

    if not found:
        click.echo("nothing found")
    for at, item in enumerate(found):
        if at:
            click.echo()
        sure = f"{item.resolution}, {item.confidence:.2f}"
        click.echo(click.style(f"{item.relation} ({sure})", dim=True))
        write_hits([item.hit], as_json=False, full=full, scored=False)
