"""`outcrop show`: one chunk by its id, with its surroundings on request."""

from __future__ import annotations

import click

from outcrop.cli.opening import Choice, index_options


@click.command()
@click.argument("chunk_id")
@click.option(
    "--around",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Also show this many chunks before and after it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
@index_options
def show(choice: Choice, chunk_id: str, *, around: int, as_json: bool) -> None:
    """Show the chunk CHUNK_ID: its id, or the first digits of it."""
    from outcrop.cli.render.hits import write_hits

    with choice.open_existing() as opened:
        found = opened.get(chunk_id)
        hits = [found]
        if around:
            neighbours = opened.neighbours(found.id, before=around, after=around)
            hits = sorted([*neighbours, found], key=lambda hit: hit.start_offset)
        write_hits(hits, as_json=as_json, full=True, scored=False)
