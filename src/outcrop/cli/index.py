"""`outcrop index` and `reembed`: bring the index up to date."""

from __future__ import annotations

import logging
import signal
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.reports import write_report
from outcrop.cli.verbosity import is_quiet, silence
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.cluster.engine import Engine
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.index import Index
    from outcrop.indexing.sharded import AnyIndex


@click.command()
@click.argument("names", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option(
    "--watch", is_flag=True, help="Keep running, and index again when files change."
)
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option(
    "--strategy",
    metavar="NAME",
    help="How code becomes chunks: adaptive or per-node; later runs keep it.",
)
@click.option(
    "--max-tokens",
    type=int,
    default=180,
    show_default=True,
    metavar="N",
    help="Maximum tokens per chunk; changing it re-chunks everything.",
)
@click.option(
    "--max-file-size",
    type=int,
    default=10_000_000,
    show_default=True,
    metavar="BYTES",
    help="Skip larger files; Markdown from 10 MB on is read in parts.",
)
@click.option(
    "--workers",
    type=int,
    metavar="N",
    help="Worker processes.  [default: one per core]",
)
@click.option(
    "--engine",
    type=click.Choice(["daft", "ray"]),
    help="Index by a dataflow of Daft, in this process or on a Ray cluster; PATH may "
    "then be a glob or object storage (s3://, gs://, hf://, az://).",
)
@click.option(
    "--address",
    metavar="HOST:PORT",
    help="The head of the Ray cluster; also RAY_ADDRESS.  [default: a Ray on this "
    "machine, for the run]",
)
@click.option(
    "--follow-links", is_flag=True, help="Follow links that lead out of the project."
)
@click.option(
    "--include-secrets",
    is_flag=True,
    help="Index files even if their names suggest secrets.",
)
@click.option(
    "--summaries",
    type=click.Choice(["off", "extractive", "llm"]),
    help="Summarize documents and sections: by their own sentences, or by a language "
    "model.  [default: as in the last run; extractive for a new index]",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@index_options
def index(  # noqa: PLR0913 - one argument per option
    choice: Choice,
    names: tuple[str, ...],
    *,
    watch: bool,
    dry_run: bool,
    strategy: str | None,
    max_tokens: int,
    max_file_size: int,
    workers: int | None,
    engine: str | None,
    address: str | None,
    follow_links: bool,
    include_secrets: bool,
    summaries: str | None,
    as_json: bool,
) -> None:
    """Bring the index up to date with files and folders.

    PATH is a file of Markdown, text or code, or a folder; the default is the current
    folder. git+file:///REPOSITORY@REVISION, or https instead of file, checks a revision
    out into a folder of the repository's name, or --project, and indexes that. Files that .gitignore or .outcropignore names are skipped. Unchanged files
    are left alone, and deleted files are removed from the index. For code, the graph of
    definitions, calls and mentions is stored too.
    """
    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.paths import require_paths

    if watch and dry_run:
        raise click.UsageError("--watch and --dry-run cannot be used together")
    config = IndexConfig(
        strategy=strategy,
        max_tokens=max_tokens,
        max_file_bytes=max_file_size,
        workers=workers,
        follow_links=follow_links,
        include_secrets=include_secrets,
        summaries=summaries,
    )
    if engine is not None or address is not None:
        if watch:
            raise click.UsageError("--watch and --engine cannot be used together")
        with _open_engine(choice, engine, address) as opened_engine:
            _index_by(
                opened_engine, choice, names, config, dry_run=dry_run, as_json=as_json
            )
        return
    _reject_remote(names)
    choice, paths = _check_out(choice, names)
    _announce_project_above(choice)
    # Paths are relative to the current folder, not to the project.
    roots = [path.absolute() for path in paths]
    if choice.has_several_databases:
        require_paths(roots)
        with choice.open_all(config, create=not dry_run) as several:
            choice.check_paths(several.project, roots)
            if watch:
                _watch(several, roots, as_json=as_json)
            else:
                _run(several, roots, dry_run=dry_run, as_json=as_json)
        return
    found = choice.find(config)
    if found is None:
        # A mistyped path leaves no empty index behind.
        require_paths(roots)
        choice.check_paths(choice.folder, roots)
        if dry_run:
            from outcrop.indexing.files.changes import preview_first

            report = preview_first(roots, choice.folder.resolve(), config)
            write_report(report, as_json=as_json)
            return
        _check_models(choice, config)  # nor does a wrong setting
        if not watch:
            _load(choice, roots, config, as_json=as_json)
            return
        found = choice.open(config)
    with found as opened:
        choice.check_paths(opened.project, roots)
        _announce_if_new(opened)
        if watch:
            _watch(opened, roots, as_json=as_json)
        else:
            _run(opened, roots, dry_run=dry_run, as_json=as_json)


def _open_engine(choice: Choice, name: str | None, address: str | None) -> Engine:
    """Open an engine, unless its machines could not reach the database."""
    from outcrop.indexing.cluster.engine import Engine, check_address

    if name == "ray":
        check_address(address, choice.database_url)
    return Engine.open(name or "daft", address=address)


def _index_by(
    engine: Engine,
    choice: Choice,
    names: tuple[str, ...],
    config: IndexConfig,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Index by an engine, which finds out itself what the names stand for."""
    from outcrop.indexing.paths import is_remote

    paths = [
        name if is_remote(name) else Path(name).absolute() for name in names or (".",)
    ]
    local = [path for path in paths if isinstance(path, Path)]
    with choice.open_all(config, create=not dry_run) as opened:
        choice.check_paths(opened.project, local)
        _run(opened, paths, dry_run=dry_run, as_json=as_json, engine=engine)


def _reject_remote(names: tuple[str, ...]) -> None:
    from outcrop.indexing.paths import is_remote

    for name in names:
        if is_remote(name):
            raise click.UsageError(
                f"{name} is in object storage; add --engine daft or --engine ray"
            )


def _check_out(choice: Choice, names: tuple[str, ...]) -> tuple[Choice, list[Path]]:
    """Return the paths to index; check out a git revision if one is named."""
    from outcrop.indexing.files.git_revision import read_git_revision

    revisions = [read_git_revision(name) for name in names]
    if not any(revisions):
        return choice, [Path(name) for name in names or (".",)]
    revision = revisions[0]
    if revision is None or len(names) > 1:
        raise click.UsageError("name one git revision and no other paths")
    folder = (choice.project or Path(revision.name)).absolute()
    commit = revision.check_out(folder)
    if not is_quiet():
        click.echo(f"{revision.url} at {commit[:12]}, in {folder}", err=True)
    return replace(choice, project=folder), [folder]


def _announce_project_above(choice: Choice) -> None:
    """Say which index is updated, where that is not plain from the current folder."""
    if choice.project is not None or choice.is_by_name or is_quiet():
        return
    here, folder = Path.cwd(), choice.folder
    if folder.resolve() != here.resolve():
        click.echo(
            f"this folder is in the project {folder}, whose index is updated;"
            " for an index of its own: outcrop index --project .",
            err=True,
        )


def _announce_if_new(opened: Index) -> None:
    space = opened.space
    if space.is_new and not is_quiet():
        place = opened.store.server.location
        click.echo(
            f"made project {space.name!r} of {opened.project} in {place}", err=True
        )


def _check_models(choice: Choice, config: IndexConfig) -> None:
    """Open the models of a project, apart from the embedder, and reject wrong names.

    Raises:
        ConfigError: A model is unknown, or a setting of it is invalid.
        MissingExtraError: Its library is not installed.
    """
    choice.check_reranker()
    if config.summaries == "llm":
        from outcrop.providers.registry import open_summarizer

        open_summarizer("openai")


def _load(
    choice: Choice, roots: Sequence[Path], config: IndexConfig, *, as_json: bool
) -> None:
    """Index a project that has no index yet."""
    from outcrop.process_pool import keep_processes
    from outcrop.providers.registry import open_embedder

    embedder = open_embedder(choice.configured_embedder())
    # Workers use the database as long as they are kept.
    with ExitStack() as closed_last, keep_processes():
        with choice.early_database():
            from outcrop.cli.render.progress import show_progress
            from outcrop.indexing.first_load import FirstLoad

            first = FirstLoad.find(roots, choice.folder.resolve(), config)
            first.fork_workers(embedder)  # before there are threads
            first.build_graphs()
            opened = closed_last.enter_context(choice.open(config, embedder=embedder))
        choice.check_paths(opened.project, roots)
        _announce_if_new(opened)
        with show_progress() as on_progress:
            report = first.run(opened, on_progress)
        write_report(report, as_json=as_json)


def _run(
    opened: AnyIndex,
    roots: Sequence[Path | str],
    *,
    dry_run: bool,
    as_json: bool,
    engine: Engine | None = None,
) -> None:
    from outcrop.cli.render.progress import show_progress

    with show_progress() as on_progress:
        report = opened.index(
            roots, dry_run=dry_run, on_progress=on_progress, engine=engine
        )
    write_report(report, as_json=as_json)


def _watch(opened: AnyIndex, roots: list[Path], *, as_json: bool) -> None:
    # It logs the interrupt, which is the normal end of a watch.
    silence("watchfiles", below=logging.ERROR)
    stop = Event()

    def interrupt(*_: object) -> None:
        # The event ends the watch even where the exception is lost, as it is in a
        # callback or while something is being deleted.
        stop.set()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        for report in opened.watch(roots, stop=stop):
            write_report(report, as_json=as_json)
            if not as_json and not is_quiet():
                click.echo("watching for changes; stop with Ctrl-C", err=True)
    except KeyboardInterrupt:
        return
    finally:
        signal.signal(signal.SIGINT, before)


@click.command()
@click.option(
    "--force", is_flag=True, help="Re-embed every chunk, even with the same embedder."
)
@index_options
def reembed(choice: Choice, *, force: bool) -> None:
    """Embed the chunks that the configured embedder has not embedded yet.

    After a change of embedder these are all chunks. An interrupted run is continued.
    """
    # Without a choice an index keeps the embedder of earlier releases: not here.
    chosen = choice.configured_embedder()
    with replace(choice, embedder=chosen).open_all() as opened:
        done = opened.reembed(
            force=force,
            on_page=lambda number: click.echo(
                f"{count(number, 'chunk')} embedded", err=True
            ),
        )
        click.echo(f"{count(done, 'chunk')} embedded with {opened.embedder.name}")
