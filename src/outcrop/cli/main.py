"""The `outcrop` command: a table of subcommands, each loaded when it is called.

Nothing is imported to show `outcrop --help`: the table holds the one line of help of
every command. A command whose module is not installed is left out.
"""

from __future__ import annotations

import atexit
import errno
import gc
import io
import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from outcrop import __version__, errors
from outcrop.cli.render.text import escape_controls


class Entry(NamedTuple):
    """Where a command lives, as `module:attribute`, and its line in the help."""

    target: str
    help: str

    @property
    def module(self) -> str:
        """The module that has to be loaded."""
        return self.target.partition(":")[0]

    def load(self) -> click.Command:
        """Import the command."""
        module, _, attribute = self.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


COMMANDS = {
    "index": Entry("outcrop.cli.index:index", "Bring the index up to date with files"),
    "search": Entry("outcrop.cli.search:search", "Find chunks that answer a question"),
    "related": Entry(
        "outcrop.cli.search:related", "Show what calls or documents something"
    ),
    "show": Entry("outcrop.cli.search:show", "Show a chunk by its id"),
    "serve": Entry("outcrop.cli.serve:serve", "Serve the index over HTTP, with a page"),
    "status": Entry("outcrop.cli.status:status", "Show what is in the index"),
    "projects": Entry(
        "outcrop.cli.projects:projects", "List the projects of a shared database"
    ),
    "doctor": Entry("outcrop.cli.status:doctor", "Check what is installed and works"),
    "reembed": Entry(
        "outcrop.cli.index:reembed", "Embed the index with another embedder"
    ),
    "build": Entry("outcrop.cli.build:build", "Build the chunks of code as jobs"),
    "worker": Entry("outcrop.cli.build:worker", "Process the jobs of an index"),
    "runs": Entry("outcrop.cli.runs:runs", "Show runs, their stages and failures"),
    "chunk": Entry("outcrop.cli.chunk:chunk", "Cut Markdown into chunks, with reasons"),
    "sections": Entry("outcrop.cli.sections:sections", "Cut Markdown at its headings"),
    "graph": Entry("outcrop.cli.graph:graph", "Build the code graph of a project"),
    "mcp": Entry("outcrop.cli.mcp:mcp", "Serve the index to coding agents"),
    "eval": Entry(
        "outcrop.cli.evaluate:evaluate", "Score search on questions of your own"
    ),
    "export": Entry("outcrop.cli.export:export", "Write the chunks into another store"),
    "config": Entry(
        "outcrop.cli.settings:config", "Show settings and where they come from"
    ),
    "completion": Entry(
        "outcrop.cli.completion:completion", "Complete commands in a shell"
    ),
}

# The nearest class of an error counts; click itself gives 2 for wrong usage.
EXIT_CODES: dict[type[errors.OutcropError], int] = {
    errors.OutcropError: 1,
    errors.InputError: 1,
    errors.ConfigError: 2,
    errors.MissingExtraError: 3,
    errors.StorageError: 4,
    errors.StageError: 5,
    errors.InvariantError: 70,
}
# Importing makes many objects and no garbage; collecting meanwhile would take a sixth of
# the time to load a command.
_OBJECTS_PER_COLLECTION = 50_000
_NO_THREAD = "can't start new thread"  # as the interpreter says it
_NO_PROCESS = (
    "no more processes or threads may be started; raise the limit (ulimit -u), or end"
    " some"
)
INTERRUPTED = 130  # 128 plus the number of the signal, as in shells


def exit_code_of(error: errors.OutcropError) -> int:
    """The exit code of an error: that of its nearest class in the table."""
    return next(EXIT_CODES[c] for c in type(error).__mro__ if c in EXIT_CODES)


def report(error: errors.OutcropError) -> None:
    """Print an error for people; paths in it cannot steer the terminal."""
    click.echo(f"error: {escape_controls(str(error))}", err=True)


def report_refusal(error: OSError) -> None:
    """Print an error of the system: no space left, permission denied."""
    reason = (error.strerror or str(error)).lower()
    if reason == os.strerror(errno.EAGAIN).lower():
        reason = _NO_PROCESS
    if isinstance(error, FileNotFoundError) and error.filename is None:
        reason = "the current folder no longer exists; change to another one"
    where = "" if error.filename is None else f"{os.fsdecode(error.filename)}: "
    click.echo(f"error: {escape_controls(where + reason)}", err=True)


def _show_warning(message: Warning | str, *_place: object, **_options: object) -> None:
    """Print a warning for people, without the line of code that it comes from."""
    click.echo(f"warning: {escape_controls(str(message))}", err=True)


class LazyGroup(click.Group):
    """A group that imports a command when it is called, and reports our errors."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of the installed commands, in the order of the table."""
        return [name for name, entry in COMMANDS.items() if find_spec(entry.module)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one command."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command = COMMANDS[cmd_name].load()
        _prepare(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command by its name; of a misspelt one, name the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            meant = get_close_matches(args[0], self.list_commands(ctx), 1)
            if not meant:
                raise
            hint = f"{error.message} Did you mean {meant[0]!r}?"
            raise click.UsageError(hint, ctx) from None

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """List the commands by the table alone."""
        rows = [(name, COMMANDS[name].help) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an error of ours becomes one line and an exit code."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except errors.OutcropError as error:
            report(error)
            ctx.exit(exit_code_of(error))
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has closed the pipe: no error
                raise
            report_refusal(error)
            ctx.exit(1)
        except RuntimeError as error:
            if str(error) != _NO_THREAD:
                raise
            click.echo(f"error: {_NO_PROCESS}", err=True)
            ctx.exit(1)


def _prepare(command: click.Command) -> None:
    """Give a command the settings file, and the options that all commands have."""
    from outcrop.cli.settings import SettingsContext
    from outcrop.cli.verbosity import add_options

    if command.context_class is SettingsContext:
        return
    command.context_class = SettingsContext
    add_options(command)
    for child in getattr(command, "commands", {}).values():
        _prepare(child)


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="outcrop")
def main() -> None:
    """Cut documents and code into exact chunks, and find them again."""
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    # Looking for garbage once more at the end takes a sixth of a second after an index.
    atexit.register(gc.freeze)
    # Closed by the caller, who wants to see nothing.
    if sys.stdout is None:
        sys.stdout = _nowhere()
    if sys.stderr is None:
        sys.stderr = _nowhere()
    # Do not fail where a terminal cannot show a character.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
