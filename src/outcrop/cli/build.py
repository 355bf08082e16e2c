"""`outcrop build` and `worker`: plan the chunks of code as a run, and process its stages."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.text import escape_controls, write_json
from outcrop.cli.runs import write_run
from outcrop.cli.verbosity import silence
from outcrop.errors import StageError
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.indexing.code.build import CodeBuild
    from outcrop.indexing.config import IndexConfig
    from outcrop.model.run import Run
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


@click.command()
@click.argument(
    "path", type=click.Path(path_type=Path), default=Path(), metavar="[PATH]"
)
@click.option("--app", "application", metavar="NAME", help="Name of the application.")
@click.option(
    "--strategy",
    metavar="NAME",
    help="The planning strategy: adaptive or per-node.  [default: that of the index]",
)
@click.option(
    "--kinds",
    metavar="KIND,KIND",
    help="Plan only nodes of these kinds, such as CLASS,METHOD.",
)
@click.option("--limit", type=int, metavar="N", help="Plan at most this many nodes.")
@click.option(
    "--batch-size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Read this many nodes, and fill this many chunks, at a time.",
)
@click.option(
    "--relations/--no-relations",
    default=True,
    show_default=True,
    help="Read the calls between nodes for the relations of chunks.",
)
@click.option(
    "--retry-failed", is_flag=True, help="Also retry what failed in earlier runs."
)
@click.option(
    "--summarize",
    metavar="NAME",
    help="The summarizer: extractive, or openai:MODEL.  [default: extractive]",
)
@click.option("--docs", is_flag=True, help="Also explain the documents in the index.")
@concurrency_option
@click.option("--no-work", is_flag=True, help="Leave the stages to other workers.")
@click.option(
    "--dry-run", is_flag=True, help="Show what would be planned; write nothing."
)
@click.option("--json", "as_json", is_flag=True, help="Print the run as JSON.")
@index_options
def build(  # noqa: PLR0913 - one argument per option
    choice: Choice,
    path: Path,
    *,
    application: str | None,
    strategy: str | None,
    kinds: str | None,
    limit: int | None,
    batch_size: int | None,
    relations: bool,
    retry_failed: bool,
    summarize: str | None,
    docs: bool,
    concurrency: int,
    no_work: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Plan the chunks of the code in PATH as a run, and process its stages.

    The graph and the plans are written first; the stages are jobs, which this command
    processes together with any other worker. On an interrupt the current batch is
    finished; the next worker or the next build continues the run.
    """
    from outcrop.cli.render.progress import show_steps
    from outcrop.indexing.code.build import Builder
    from outcrop.indexing.code.build_options import BuildOptions
    from outcrop.indexing.config import IndexConfig
    from outcrop.pipeline.jobs.settings import WorkerSettings
    from outcrop.providers.registry import DEFAULT_SUMMARIZER
    from outcrop.store.store import PostgresStore

    options = BuildOptions(
        application=application,
        strategy=strategy,
        kinds=tuple(kinds.replace(",", " ").split()) if kinds else None,
        limit=limit,
        batch_size=batch_size,
        relations=relations,
        retry_failed=retry_failed,
        summarizer=summarize or DEFAULT_SUMMARIZER,
        docs=docs,
    )
    roots = [path.absolute()]
    work = open_for_work(choice, concurrency=concurrency, create=True)
    with work as (database, embedder):
        with show_steps(quiet=as_json) as update:
            folder = choice.folder_in(database)
            choice.check_paths(folder, roots)
            builder = Builder(database, embedder, folder, IndexConfig(), on_step=update)
            begin = builder.dry_run if dry_run else builder.start
            built = begin(roots, options)
        # A run shows its notes itself; a dry run leaves none.
        notes = () if built.run_id else built.planned.notes
        for line in (*built.problems, *notes):
            click.echo(escape_controls(line), err=True)
        if dry_run:
            _write_plan(built, as_json=as_json)
            return
        is_left = False
        if not no_work:
            settings = WorkerSettings(concurrency=concurrency, poll_seconds=0.5)
            worker = make_worker(
                database, embedder, IndexConfig(), settings, folder=folder
            )
            is_left = _work(worker, built, quiet=as_json)
        run = PostgresStore(database).get_run(built.run_id)
        write_run(run, as_json=as_json, indent=None)
        _end(run, is_left=is_left)


def _work(worker: Worker, built: CodeBuild, *, quiet: bool) -> bool:
    """Work until the run is done; return whether it was interrupted."""
    from outcrop.cli.render.progress import show_stages

    with show_stages(quiet=quiet) as update:
        worker.run(
            run_id=built.run_id,
            on_standing=lambda standing: update(
                {name: asdict(count) for name, count in standing.stages.items()}
            ),
        )
    return worker.interrupted


def _write_plan(built: CodeBuild, *, as_json: bool) -> None:
    planned = built.planned
    if as_json:
        values = {"application": built.application, **planned.statistics()}
        write_json(values, indent=None)
        return
    click.echo(
        f"nothing written; {count(planned.processed_nodes, 'node')} of "
        f"{escape_controls(built.application)} would make {count(planned.skipped_chunks, 'chunk')}, "
        f"{planned.rate:,.0f} nodes/s"
    )


def _end(run: Run, *, is_left: bool) -> None:
    """Print how to continue; raise an error if chunks failed."""
    if is_left and run.state == "running":
        click.echo("interrupted; continue with: outcrop worker --once", err=True)
    failed = run.statistics.get("chunks", {}).get("failed", 0)
    if failed and run.state == "done":
        reason = run.errors[0].get("message", "") if run.errors else ""
        shown = f": {escape_controls(reason)}" if reason else ""
        raise StageError(
            f"{failed:,} of the run's chunks failed{shown}; see: outcrop runs {run.id};"
            " try again with: outcrop build --retry-failed",
            stage="build",
        )
