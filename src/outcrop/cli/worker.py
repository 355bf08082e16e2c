"""`outcrop worker`: process the jobs of an index, alone or as part of `build`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.text import escape_controls
from outcrop.cli.verbosity import silence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from outcrop.indexing.config import IndexConfig
    from outcrop.pipeline.jobs.settings import WorkerSettings
    from outcrop.pipeline.jobs.worker import Worker
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database


_OTHER_CONNECTIONS = 4  # one for the lease, one for monitoring, two spare
# They log every lost connection, for which a worker waits.
_CHATTY = ("procrastinate", "psycopg.pool")


concurrency_option = click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of jobs to process at a time.",
)


@click.command()
@concurrency_option
@click.option("--once", is_flag=True, help="Exit when there is nothing left to do.")
@index_options
def worker(choice: Choice, *, concurrency: int, once: bool) -> None:
    """Process the stages of runs, as jobs from the index's database.

    Any number of workers may do so at a time, on any machine that reaches the
    database. An interrupt finishes the current batch; what is left is done by others.
    """
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


@contextmanager
def open_for_work(
    choice: Choice, *, concurrency: int, create: bool
) -> Iterator[tuple[Database, Embedder]]:
    """Yield the database of an index, and the embedder it was built with or named."""
    from outcrop.providers.registry import DEFAULT_EMBEDDER, open_embedder
    from outcrop.store.store import PostgresStore

    silence(*_CHATTY)
    with choice.open_database(
        create=create, max_connections=concurrency + _OTHER_CONNECTIONS
    ) as database:
        known = PostgresStore(database).embedder()
        name = choice.embedder or (known.name if known else DEFAULT_EMBEDDER)
        yield database, open_embedder(name)


def make_worker(
    database: Database,
    embedder: Embedder,
    config: IndexConfig,
    settings: WorkerSettings,
    *,
    folder: Path | None,
) -> Worker:
    """Return a worker that plans again what changed, where it can reach the files.

    They are in `folder` or, if that is None, where each run says.
    """
    from outcrop.indexing.code.build import Builder
    from outcrop.pipeline.jobs.open_worker import open_worker, reachable_folder
    from outcrop.store.store import PostgresStore

    def replan(run_id: int) -> None:
        project = reachable_folder(PostgresStore(database).get_run(run_id), folder)
        if project is not None:
            Builder(database, embedder, project, config).replan(run_id)

    return open_worker(database, embedder, settings, folder=folder, replan=replan)
