"""`outcrop export`: write the chunks of an index into another vector store."""

from __future__ import annotations

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.verbosity import is_quiet
from outcrop.export.target import DEFAULT_COLLECTION, TARGETS, export_index
from outcrop.presentation.text import count


@click.command()
@click.argument("destination")
@click.option(
    "--to",
    "target",
    type=click.Choice([*TARGETS]),
    required=True,
    help="What to write.",
)
@click.option(
    "--collection",
    metavar="NAME",
    default=DEFAULT_COLLECTION,
    show_default=True,
    help="Name of the collection or table.",
)
@index_options
def export(choice: Choice, destination: str, target: str, collection: str) -> None:
    """Write the chunks of the index, with vectors and metadata, to DESTINATION.

    DESTINATION is a file for jsonl and parquet, a folder or a URL for qdrant and
    chroma, and the URL of a database for pgvector.
    """
    with choice.open_all() as opened:
        written, left_out = export_index(
            opened, target, destination, collection=collection
        )
    if not is_quiet():
        click.echo(f"{count(written, 'chunk')} written")
    if left_out:
        missing = count(left_out, "chunk")
        click.echo(
            f"{missing} without a vector left out; run: outcrop reembed", err=True
        )
