"""`outcrop serve`: the HTTP interface and the page, on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.text import escape_controls
from outcrop.cli.verbosity import log_requests
from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from outcrop.http.app import Mounted
    from outcrop.indexing.index import Index


@click.command()
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; any but a loopback address needs OUTCROP_TOKEN.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8321,
    show_default=True,
    metavar="N",
    help="Port to listen on; 0 selects a free one.",
)
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="PATH",
    help="A folder outside the project that may be indexed; repeatable.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A host name by which browsers may call the server; repeatable.",
)
@click.option(
    "--cors-origin",
    "cors_origins",
    multiple=True,
    metavar="ORIGIN",
    help="An origin whose pages may call the server; repeatable.",
)
@click.option(
    "--max-searches",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    metavar="N",
    help="Maximum searches at a time; others wait, or get 503.",
)
@index_options
def serve(
    choice: Choice,
    *,
    host: str,
    port: int,
    roots: tuple[Path, ...],
    allowed_hosts: tuple[str, ...],
    cors_origins: tuple[str, ...],
    max_searches: int,
) -> None:
    """Serve the index over HTTP, with web pages."""
    try:
        from outcrop.http import server
        from outcrop.http.app import create_app
        from outcrop.http.settings import TOKEN_VARIABLE, ServerSettings
        from outcrop.web.pages import mount_pages
    except ModuleNotFoundError as error:
        raise MissingExtraError("outcrop serve", "http") from error

    settings = ServerSettings(
        host=host,
        port=port,
        token=os.environ.get(TOKEN_VARIABLE) or None,
        roots=tuple(root.resolve() for root in roots),
        allowed_hosts=allowed_hosts,
        cors_origins=cors_origins,
        max_searches=max_searches,
    )
    with server.listen(host, port) as opened, choice.open() as index:
        mounted = [mount_pages(), *_for_agents(index)]
        app = create_app(index, settings=settings, mounted=mounted)
        address = server.describe(opened, settings)
        project = escape_controls(str(index.project))
        log_requests(click.get_current_context())
        click.echo(f"serving {project} at {address} (stop with Ctrl+C)")
        server.serve(app, settings, opened)


def _for_agents(index: Index) -> list[Mounted]:
    """Return the MCP endpoint, if its extra is installed."""
    try:
        from outcrop.mcp.endpoint import mount_server
    except ModuleNotFoundError:
        return []
    return [mount_server(index)]
