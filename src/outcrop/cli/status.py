"""`outcrop status`: what is in the index."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options

if TYPE_CHECKING:
    from outcrop.indexing.reader import IndexStatus

_MEGABYTE = 1_000_000


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print every field as JSON.")
@index_options
def status(choice: Choice, *, as_json: bool) -> None:
    """Show where the index is and what is in it."""
    from outcrop.cli.render.plain import escape_controls
    from outcrop.cli.render.text import write_utf8

    with choice.open_existing() as opened:
        found = opened.status()
    if as_json:
        write_utf8(json.dumps(asdict(found), ensure_ascii=False, indent=2) + "\n")
        return
    rows = _rows(found)
    if choice.name is not None and not Path.cwd().is_relative_to(found.project):
        rows.append(("note", f"the current folder, {Path.cwd()}, is not part of it"))
    for name, value in rows:
        click.echo(f"{name:<12}{escape_controls(value)}")


def _rows(found: IndexStatus) -> list[tuple[str, str]]:
    contents, server = found.contents, found.server
    kind = "embedded" if server.embedded else "server"
    embedder = contents.embedder
    rows = [("project", f"{found.name} ({found.schema})")] if found.name else []
    rows += [
        ("folder" if found.name else "project", found.project),
        ("database", f"{kind} PostgreSQL {server.version}, {server.location}"),
        ("documents", f"{contents.documents:,}"),
        ("chunks", f"{contents.indexable:,} to search, {contents.chunks:,} in all"),
        ("embedder", str(embedder) if embedder else "none yet"),
        ("size", f"{contents.size_bytes / _MEGABYTE:,.1f} MB"),
    ]
    if contents.unembedded:
        rows.append(
            ("missing", f"{contents.unembedded:,} embeddings; run: outcrop reembed")
        )
    if contents.cut:
        rows.append(
            ("cut", f"{contents.cut:,} chunks with more words than can be indexed")
        )
    rows += [("note", note) for note in (found.notice, server.notice) if note]
    return rows
