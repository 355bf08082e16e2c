"""`outcrop projects`: what a shared database holds, and removing or moving a project."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import database_url_option, json_option
from outcrop.cli.render.text import align, escape_controls, write_json
from outcrop.errors import ConfigError, NotFoundError
from outcrop.presentation.text import megabytes

if TYPE_CHECKING:
    from outcrop.store.projects.manage import ProjectInfo

_HEADINGS = ("name", "documents", "chunks", "size", "last indexed", "folder")
_NUMBERS = range(1, 4)


@click.group(invoke_without_command=True)
@json_option
@database_url_option
@click.pass_context
def projects(
    context: click.Context, *, as_json: bool, database_url: str | None
) -> None:
    """List the projects of a shared database, each the index of one folder.

    With several databases, those of each are listed.
    """
    context.obj = database_url
    if context.invoked_subcommand is not None:
        return
    from outcrop.indexing.project import list_projects

    databases = _databases(database_url)
    found = {place: list_projects(url) for place, url in databases.items()}
    if as_json:
        several = len(found) > 1
        write_json(
            [
                {**asdict(info), "database": place} if several else asdict(info)
                for place, projects in found.items()
                for info in projects
            ]
        )
        return
    for place, projects in found.items():
        if len(found) > 1:
            click.echo(place)
        _write_table(projects)


@projects.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Delete it without asking.")
@database_url_option
@click.pass_obj
def remove(
    outer: str | None, name: str, *, yes: bool, database_url: str | None
) -> None:
    """Delete project NAME and its whole index from a shared database, or from several.

    The files that it is the index of are left alone. A project that is being indexed,
    or that workers are busy with, is not deleted.
    """
    from outcrop.indexing.project import remove_project

    found = _find(name, database_url or outer)
    if not yes:
        for place, info in found.items():
            root = "no folder" if info.root is None else escape_controls(info.root)
            where = f" in {place}" if len(found) > 1 else ""
            click.echo(f"{name}: {_number(info.documents)} documents of {root}{where}")
        if not sys.stdin.isatty():
            raise ConfigError("cannot confirm without a terminal; pass --yes")
        click.confirm("Delete this project's index?", abort=True)
    urls = _databases(database_url or outer)
    for place in found:
        remove_project(name, urls[place])
    click.echo(f"deleted project {name}")


@projects.command()
@click.argument("name")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@database_url_option
@click.pass_obj
def move(
    outer: str | None, name: str, folder: Path, *, database_url: str | None
) -> None:
    """Make project NAME the index of FOLDER from now on.

    A folder that was moved or renamed needs no such thing: it is recognised.
    """
    from outcrop.indexing.project import move_project

    urls = _databases(database_url or outer)
    for place in _find(name, database_url or outer):
        move_project(name, folder, urls[place])
    shown = escape_controls(str(folder.resolve()))
    click.echo(f"project {name} is the index of {shown} now")


def _databases(database_url: str | None) -> dict[str, str | None]:
    """Return the URLs of the databases by name, without users and passwords."""
    from outcrop.store.address import describe_place, find_url, split_urls

    urls = split_urls(find_url(database_url))
    return {describe_place(url): url for url in urls} or {"": None}


def _find(name: str, database_url: str | None) -> dict[str, ProjectInfo]:
    """Return a project in each database that has it.

    Raises:
        NotFoundError: None has it.
        StorageError: A database cannot be reached.
    """
    from outcrop.indexing.project import list_projects

    databases = _databases(database_url)
    found = {
        place: info
        for place, url in databases.items()
        for info in list_projects(url)
        if info.name == name
    }
    if not found:
        where = "this database" if len(databases) == 1 else "any of these databases"
        raise NotFoundError(
            f"there is no project {name!r} in {where}; see: outcrop projects"
        )
    return found


def _write_table(found: list[ProjectInfo]) -> None:
    if not found:
        click.echo("no projects yet; create one with: outcrop index PATH")
        return
    for line in align([_HEADINGS, *map(_cells, found)], numbers=_NUMBERS):
        click.echo(escape_controls(line))


def _cells(info: ProjectInfo) -> tuple[str, ...]:
    indexed = info.indexed_at
    return (
        info.name,
        _number(info.documents),
        _number(info.chunks),
        megabytes(info.size_bytes),
        "never" if indexed is None else f"{indexed.astimezone():%Y-%m-%d %H:%M}",
        info.root or f"(no owner: take it over with --project {info.name})",
    )


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"
