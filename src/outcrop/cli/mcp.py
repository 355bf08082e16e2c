"""`outcrop mcp`: the index as tools for coding agents, and adding it to clients."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.opening import Choice, index_options, require_all_option
from outcrop.cli.render.text import escape_controls
from outcrop.errors import ConfigError, MissingExtraError, NotFoundError
from outcrop.mcp.install.clients import CLIENTS, Scope, other_client
from outcrop.mcp.install.plan import plan_install, plan_uninstall

if TYPE_CHECKING:
    from collections.abc import Callable

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.mcp.install.plan import Step

_allow_writes = click.option(
    "--allow-writes",
    is_flag=True,
    help="Let the client update the index from the project's files.",
)


@click.group(invoke_without_command=True)
@_allow_writes
@click.option(
    "--no-watch",
    is_flag=True,
    help="Serve the index as it is: do not build a missing one, nor follow changes.",
)
@require_all_option
@index_options
@click.pass_context
def mcp(
    context: click.Context,
    *,
    choice: Choice,
    allow_writes: bool,
    no_watch: bool,
    require_all: bool,
) -> None:
    """Serve the index to a coding agent over standard input and output.

    If the folder has no index, the first call builds one, and the index then
    follows the files while the agent runs. Agents start this command themselves;
    `outcrop mcp install` sets them up.
    """
    context.obj = choice
    if context.invoked_subcommand is not None:
        if allow_writes:
            raise click.UsageError(
                f"pass --allow-writes after {context.invoked_subcommand!r}"
            )
        return
    try:
        from outcrop.mcp.server import serve_stdio
        from outcrop.mcp.source import IndexSource
    except ImportError as error:
        raise MissingExtraError("serving MCP", "mcp") from error
    if sys.stdin.isatty():
        click.echo(
            "waiting for MCP messages on standard input; agents normally start this"
            " command themselves (see: outcrop mcp install --help)",
            err=True,
        )
    may_create = allow_writes or not no_watch
    source = IndexSource(
        lambda: _open(choice, may_create=may_create, require_all=require_all),
        is_refreshed=not no_watch,
    )
    serve_stdio(source, allow_writes=allow_writes)


def _open(choice: Choice, *, may_create: bool, require_all: bool) -> AnyIndex:
    """Open the index; create a missing one, unless its folder is not a project.

    Raises:
        NotFoundError: There is no index, and none may be created, or the folder holds
            the user's home.
    """
    try:
        return choice.open_all(require_all=require_all)
    except NotFoundError:
        if not may_create or Path.home().is_relative_to(choice.folder):
            raise
    return choice.open_all(create=True, require_all=require_all)


def _settings_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that name a client's settings."""
    for option in (
        click.option("--yes", is_flag=True, help="Do it without asking."),
        click.option(
            "--dry-run", is_flag=True, help="Show the command or the change only."
        ),
        click.option(
            "--name",
            default="outcrop",
            show_default=True,
            help="The server's name in the settings.",
        ),
        click.option(
            "--project",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="The project's folder; with --scope user, the only project to serve.  "
            "[default: the nearest folder with an index, or the current one]",
        ),
        click.option(
            "--scope",
            type=click.Choice(["project", "user"]),
            help="Change the project's settings or the user's.  "
            "[default: project, if the client has both]",
        ),
        click.option(
            "--client",
            required=True,
            metavar="NAME",
            help=f"The client: {', '.join(CLIENTS)}; claude is Claude Code. For another"
            " one, install prints the JSON to paste.",
        ),
    ):
        command = option(command)
    return click.pass_obj(command)


@mcp.command()
@click.option(
    "--command",
    metavar="COMMAND",
    help="The command the client runs.  [default: this installation of outcrop]",
)
@_allow_writes
@_settings_options
def install(  # noqa: PLR0913 - one argument per option
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
    """Add the server to a client.

    Runs the client's own command where it has one that is on the PATH (claude, codex,
    code), and edits its settings file otherwise, keeping a backup. The command or the
    change is shown first, and carried out after confirmation.
    """
    given = project or choice.project
    folder = replace(choice, project=given).folder.resolve()
    # By default this installation, by absolute path.
    script = Path(sys.executable).with_name("outcrop")
    own = [str(script)] if script.is_file() else [sys.executable, "-m", "outcrop"]
    server = _split(command) if command else own
    if client not in CLIENTS:
        if yes:
            raise _unknown(client)
        click.echo(f"{_unknown(client)}; add this to its settings:\n", err=True)
        click.echo(other_client(server, folder, name))
        return
    chosen = CLIENTS[client]
    where = Scope(scope or chosen.default_scope)
    is_pinned = where is Scope.USER and (given is not None or chosen.folder is None)
    entry = chosen.make_entry(
        server,
        project=folder if is_pinned else None,
        allow_writes=allow_writes,
    )
    step = plan_install(chosen, where, folder, name, entry)
    if not step.is_needed:
        path = escape_controls(str(chosen.find_file(where, folder)))
        click.echo(f"{path} already has the server")
        return
    if _carry_out(step, dry_run=dry_run, yes=yes):
        click.echo(f"next: {chosen.afterwards}")
        if choice.database_url:
            click.echo(
                "note: the database URL is not written there, because it may hold a"
                " password; set OUTCROP_DATABASE_URL in the entry's environment"
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
    """Remove the server from a client: show the command or the change, then do it."""
    if client not in CLIENTS:
        raise _unknown(client)
    chosen = CLIENTS[client]
    where = Scope(scope or chosen.default_scope)
    folder = replace(choice, project=project or choice.project).folder.resolve()
    step = plan_uninstall(chosen, where, folder, name)
    if not step.is_needed:
        path = escape_controls(str(chosen.find_file(where, folder)))
        click.echo(f"{path} has no server {name!r}")
        return
    _carry_out(step, dry_run=dry_run, yes=yes)


def _carry_out(step: Step, *, dry_run: bool, yes: bool) -> bool:
    """Show a step, ask, and carry it out; return whether that was done."""
    for line in step.show().split("\n"):
        click.echo("\t".join(map(escape_controls, line.split("\t"))))
    if dry_run:
        return False
    if not yes and not sys.stdin.isatty():
        raise ConfigError(
            "cannot ask for confirmation without a terminal; pass --yes, or --dry-run"
            " to preview"
        )
    if not yes and not click.confirm(f"\n{step.question}"):
        click.echo("nothing was changed")
        return False
    click.echo()
    for line in step.carry_out():
        click.echo(escape_controls(line))
    return True


def _unknown(client: str) -> ConfigError:
    names = ", ".join(CLIENTS)
    return ConfigError(f"unknown client {client!r}; the known ones are {names}")


def _split(command: str) -> list[str]:
    try:
        parts = shlex.split(command)
    except ValueError as error:
        raise ConfigError(f"invalid --command {command!r}: {error}") from error
    if not parts:
        raise ConfigError("--command is blank; pass the command that starts outcrop")
    return parts
