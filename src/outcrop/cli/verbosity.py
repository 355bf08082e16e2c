"""`--verbose` and `--quiet`, which every command has: how much it logs and prints."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

_QUIET = "outcrop.cli.quiet"
_VERBOSE = "outcrop.cli.verbose"
_LEVELS = {1: logging.INFO, 2: logging.DEBUG}
# Libraries whose own steps are worth seeing with -vv.
_LIBRARIES = ("psycopg", "procrastinate", "stamina", "uvicorn", "watchfiles")
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbosity:
    """The verbosity of a command, to pass to a process that does part of its work."""

    quiet: bool  # whether only results and errors are to be printed
    verbose: int  # how often `-v` was given

    @classmethod
    def of(cls, context: click.Context) -> Verbosity:
        """Return the verbosity of a command."""
        return cls(quiet=_QUIET in context.meta, verbose=context.meta.get(_VERBOSE, 0))

    @contextmanager
    def applied(self) -> Iterator[click.Context]:
        """Yield the context of a command with this verbosity."""
        command = click.Command("outcrop")
        add_options(command)
        options = ["--verbose"] * self.verbose + ["--quiet"] * self.quiet
        with command.make_context("outcrop", options) as context:
            yield context


def is_quiet() -> bool:
    """Return whether only results and errors are to be printed."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def is_verbose() -> bool:
    """Return whether the steps are to be logged."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_VERBOSE))


def silence(*libraries: str, below: int = logging.CRITICAL) -> None:
    """Raise the level of loggers that repeat what is reported at the end."""
    if not is_verbose():
        for name in libraries:
            logging.getLogger(name).setLevel(below)


def add_options(command: click.Command) -> None:
    """Add the two options to a command."""
    command.params.append(
        click.Option(
            ["-v", "--verbose"],
            count=True,
            expose_value=False,
            callback=_set_verbose,
            help="Log each step to standard error; twice for details.",
        )
    )
    command.params.append(
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            callback=_set_quiet,
            help="Print results and errors only.",
        )
    )


def _set_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click calls it
    if value:
        context.meta[_QUIET] = True


def _set_verbose(context: click.Context, _: click.Parameter, value: int) -> None:
    if not value or _VERBOSE in context.meta:
        return
    context.meta[_VERBOSE] = value
    level = _LEVELS[min(value, max(_LEVELS))]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(_FORMAT))
    names = ["outcrop", *(_LIBRARIES if level == logging.DEBUG else ())]
    for name in names:
        _log_to(context, logging.getLogger(name), handler, level)


def log_requests(context: click.Context) -> None:
    """Log the requests of a server to standard error, unless it is to be quiet."""
    if is_quiet() or is_verbose():  # a verbose command logs them among the rest
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    _log_to(context, logging.getLogger("outcrop.http"), handler, logging.INFO)


def _log_to(
    context: click.Context, logger: logging.Logger, handler: logging.Handler, level: int
) -> None:
    """Log to a handler until the command ends, which need not end the process."""
    before, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(level)
    logger.propagate = False

    def restore() -> None:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = propagates

    context.call_on_close(restore)
