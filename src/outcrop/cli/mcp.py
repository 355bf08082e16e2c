"""`outcrop mcp`: the index as tools for coding agents, and setting clients up for it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.plain import escape_controls
from outcrop.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.mcp.install.change import Change

_CLIENTS = ("claude", "claude-desktop", "cursor", "codex", "vscode")


_allow_writes = click.option(
    "--allow-writes",
    is_flag=True,
    help="Let the client have the index brought up to date with the project's files.",
)


@click.group(invoke_without_command=True)
@_allow_writes
@index_options
@click.pass_context
def mcp(context: click.Context, *, choice: Choice, allow_writes: bool) -> None:
    """Serve the index to a coding agent, over standard input and output.

    An agent starts this by itself: `outcrop mcp install` tells it how.
    """
    context.obj = choice
    if context.invoked_subcommand is not None:
        if allow_writes:
            raise click.UsageError(
                f"--allow-writes belongs behind {context.invoked_subcommand}"
            )
        return
    try:
        from outcrop.mcp.source import IndexSource
        from outcrop.mcp.stdio import serve_stdio
    except ImportError as error:
        raise MissingExtraError("serving MCP", "mcp") from error
    if sys.stdin.isatty():
        click.echo(
            "waiting for messages of an agent, which starts this by itself: see"
            " outcrop mcp install --help",
            err=True,
        )
    serve_stdio(IndexSource(choice.open_existing), allow_writes=allow_writes)


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name a client's settings."""
    for option in (
        click.option("--yes", is_flag=True, help="Write it without asking."),
        click.option(
            "--dry-run", is_flag=True, help="Show the change and write nothing."
        ),
        click.option(
            "--name",
            default="outcrop",
            show_default=True,
            help="What the settings call the server.",
        ),
        click.option(
            "--project",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="The project's folder; with --scope user, the one to serve always.  "
            "[default: the nearest one with an index, or else the current folder]",
        ),
        click.option(
            "--scope",
            type=click.Choice(["project", "user"]),
            help="The settings of the project, or those of the user.  "
            "[default: project, where the client has both]",
        ),
        click.option(
            "--client",
            required=True,
            type=click.Choice(_CLIENTS),
            help="Whose settings to change; claude is Claude Code.",
        ),
    ):
        command = option(command)
    return click.pass_obj(command)


@mcp.command()
@click.option(
    "--command",
    metavar="COMMAND",
    help="What the client is to run.  [default: this installation of outcrop]",
)
@_allow_writes
@_settings_options
def install(  # noqa: PLR0913 - one argument an option
    choice: Choice,
    *,
    client: str,
    scope: str | None,
    project: Path | None,
    name: str,
    command: str | None,
    allow_writes: bool,
    dry_run: bool,
    yes: bool,
) -> None:
    """Tell a client about the server: show the change to its settings, then write it.

    Everything else in the file stays as it is, comments included, and the old file is
    kept beside it.
    """
    from outcrop.mcp.install.change import plan_install
    from outcrop.mcp.install.clients import CLIENTS, Scope

    chosen = CLIENTS[client]
    where = Scope(scope or chosen.default_scope)
    given = project or choice.project
    folder = replace(choice, project=given).folder.resolve()
    is_pinned = where is Scope.USER and (given is not None or chosen.folder is None)
    entry = chosen.make_entry(
        _split(command) if command else _own_command(),
        project=folder if is_pinned else None,
        allow_writes=allow_writes,
    )
    change = plan_install(chosen.find_file(where, folder), chosen, name, entry)
    if not change.is_needed:
        click.echo(f"{_name(change.path)} has the server already")
        return
    if _carry_out(change, dry_run=dry_run, yes=yes):
        click.echo(f"next: {chosen.afterwards}")
        if choice.database_url:
            click.echo(
                "note: OUTCROP_DATABASE_URL is not written there, for it may hold a"
                " password; put it into the entry's environment"
            )


@mcp.command()
@_settings_options
def uninstall(
    choice: Choice,
    *,
    client: str,
    scope: str | None,
    project: Path | None,
    name: str,
    dry_run: bool,
    yes: bool,
) -> None:
    """Take the server out of a client's settings: show the change, then write it."""
    from outcrop.mcp.install.change import plan_uninstall
    from outcrop.mcp.install.clients import CLIENTS, Scope

    chosen = CLIENTS[client]
    where = Scope(scope or chosen.default_scope)
    folder = replace(choice, project=project or choice.project).folder.resolve()
    change = plan_uninstall(chosen.find_file(where, folder), chosen, name)
    if not change.is_needed:
        click.echo(f"{_name(change.path)} has no server {name!r}")
        return
    _carry_out(change, dry_run=dry_run, yes=yes)


def _carry_out(change: Change, *, dry_run: bool, yes: bool) -> bool:
    """Show a change, ask, and write it; return whether it was written."""
    from outcrop.mcp.install.change import apply_change

    for line in change.show().split("\n"):
        click.echo("\t".join(map(escape_controls, line.split("\t"))))
    if dry_run:
        return False
    if not yes and not sys.stdin.isatty():
        raise ConfigError("nobody is there to say yes: use --yes, or --dry-run to look")
    if not yes and not click.confirm("\nWrite this?"):
        click.echo("nothing written")
        return False
    backup = apply_change(change)
    click.echo(f"\nwritten: {_name(change.path)}")
    if backup is not None:
        click.echo(f"the old file is {_name(backup)}")
    return True


def _name(path: Path) -> str:
    return escape_controls(str(path))


def _split(command: str) -> list[str]:
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"--command is {command!r}, but: {error}") from error
    if not parts:
        raise ConfigError("--command is blank: say what starts outcrop")
    return parts


def _own_command() -> list[str]:
    """Return what starts this installation, wherever the client is started from."""
    script = Path(sys.executable).with_name("outcrop")
    if script.is_file():
        return [str(script)]
    return [sys.executable, "-m", "outcrop"]
