"""`outcrop reembed`: embed an index with another embedder."""

from __future__ import annotations

import click

from outcrop.cli.opening import Choice, index_options


@click.command()
@click.option(
    "--force", is_flag=True, help="Re-embed every chunk, even with the same embedder."
)
@index_options
def reembed(choice: Choice, *, force: bool) -> None:
    """Embed the chunks that the configured embedder has not embedded yet.

    After a change of embedder these are all chunks. An interrupted run is continued.
    """
    from outcrop.cli.render.text import count

    with choice.open_existing() as opened:
        done = opened.reembed(
            force=force,
            on_page=lambda number: click.echo(
                f"{count(number, 'chunk')} embedded", err=True
            ),
        )
        click.echo(f"{count(done, 'chunk')} embedded with {opened.embedder.name}")
