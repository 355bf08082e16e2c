"""`outcrop worker`: process the jobs of an index."""

from __future__ import annotations

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.plain import escape_controls


@click.command()
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of jobs to process at a time.",
)
@click.option("--once", is_flag=True, help="Exit when there is nothing left to do.")
@index_options
def worker(choice: Choice, *, concurrency: int, once: bool) -> None:
    """Process the stages of runs, as jobs from the index's database.

    Any number of workers may do so at a time, on any machine that reaches the
    database. An interrupt finishes the current batch; what is left is done by others.
    """
    from outcrop.cli.open_worker import make_worker, open_for_work
    from outcrop.indexing.config import IndexConfig
    from outcrop.pipeline.jobs.settings import WorkerSettings

    settings = WorkerSettings(concurrency=concurrency)
    work = open_for_work(choice, concurrency=concurrency, create=False)
    with work as (database, embedder):
        made = make_worker(
            database, embedder, IndexConfig(), settings, folder=choice.project
        )
        if not once:
            place = escape_controls(database.info.location)
            click.echo(f"working for {place}; stop with Ctrl-C", err=True)
        made.run(until_idle=once)
        if made.interrupted:
            click.echo("interrupted; other workers process the rest", err=True)
