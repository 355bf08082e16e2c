"""`outcrop mcp`: the index as tools for coding agents, and setting clients up for it."""

from __future__ import annotations

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.errors import MissingExtraError


@click.group(invoke_without_command=True)
@index_options
@click.pass_context
def mcp(context: click.Context, *, choice: Choice) -> None:
    """Serve the index to a coding agent, over standard input and output.

    An agent starts this by itself: `outcrop mcp install` tells it how.
    """
    if context.invoked_subcommand is not None:
        return
    try:
        from outcrop.mcp.source import IndexSource
        from outcrop.mcp.stdio import serve_stdio
    except ImportError as error:
        raise MissingExtraError("serving MCP", "mcp") from error
    serve_stdio(IndexSource(choice.open_existing))
