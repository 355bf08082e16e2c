"""Symbols of the code graph with what is around them, for people and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.render.text import escape_controls, write_json
from outcrop.model.edge import EdgeKind
from outcrop.presentation.text import by_file, count, short_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.graph import Link, SymbolView

_MAX_NAMES = 4  # of a file in a grouped list
_NODE_FIELDS = (
    *("id", "kind", "name", "fqn", "lang", "file_path", "line_start", "line_end"),
    *("signature", "doc_comment", "http_method", "http_path"),
)
_LINK_FIELDS = ("name", "kind", "resolution", "confidence", "external", "chunk_id")


def write_symbols(
    views: Sequence[SymbolView], *, total: int, limit: int, as_json: bool
) -> None:
    """Print symbols.

    Args:
        views: The symbols to print.
        total: How many there are.
        limit: Maximum number of links in each list for people.
        as_json: Print every field and link of the symbols as JSON.
    """
    if as_json:
        write_json({"total": total, "symbols": [_values(view) for view in views]})
        return
    for position, view in enumerate(views):
        if position:
            click.echo()
        _write_symbol(view, limit)
    if total > len(views):
        more = count(total - len(views), "symbol")
        click.echo(
            f"\n{more} more of this name; pass a qualified name, or a larger --limit"
        )


def _values(view: SymbolView) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(view.node, name) for name in _NODE_FIELDS}
    for relation, links in view.links().items():
        values[relation] = [
            {
                "id": link.node.id if link.node is not None else None,
                **{name: getattr(link, name) for name in _LINK_FIELDS},
            }
            for link in links
        ]
    return values


def _write_symbol(view: SymbolView, limit: int) -> None:
    """Print a symbol and what is around it."""
    node = view.node
    place = f" ({node.file_path}:{node.line_start})" if node.file_path else ""
    click.echo(escape_controls(f"{node.kind} {node.fqn}{place}"))
    if node.signature:
        click.echo(escape_controls(f"  {short_signature(node.signature)}"))
    if node.doc_comment:
        click.echo(escape_controls(f"  {node.doc_comment.splitlines()[0]}"))
    for title, links in _lists(view):
        if not links:
            continue
        if len(links) <= limit:
            click.echo(f"  {title}:")
            _write_links(links)
        else:
            click.echo(f"  {title}: {len(links):,}")
            _write_groups(links, limit)


def _write_links(links: Sequence[Link]) -> None:
    for link in links:
        external = ", external" if link.external else ""
        name = escape_controls(link.name)
        click.echo(f"    {name}  [{link.resolution}{external}]")


def _write_groups(links: Sequence[Link], limit: int) -> None:
    """Print the links of each file in one line."""
    groups = by_file(links)
    for path, inside in groups[:limit]:
        names = [link.node.name if link.node else link.name for link in inside]
        shown = ", ".join(names[:_MAX_NAMES])
        dots = ", …" if len(names) > _MAX_NAMES else ""
        where = path or "outside the project"
        click.echo(escape_controls(f"    {where} ({len(inside):,}): {shown}{dots}"))
    if len(groups) > limit:
        rest = sum(len(inside) for _, inside in groups[limit:])
        files = count(len(groups) - limit, "file")
        click.echo(f"    {rest:,} more in {files}; see --json, or pass --limit")


def _lists(view: SymbolView) -> list[tuple[str, Sequence[Link]]]:
    def only(links: Sequence[Link], kind: EdgeKind) -> list[Link]:
        return [link for link in links if link.kind == kind]

    return [
        ("contained in", view.parents),
        ("extends", only(view.bases, EdgeKind.EXTENDS)),
        ("implements", only(view.bases, EdgeKind.IMPLEMENTS)),
        ("extended by", only(view.derived, EdgeKind.EXTENDS)),
        ("implemented by", only(view.derived, EdgeKind.IMPLEMENTS)),
        ("overrides", view.overrides),
        ("overridden by", view.overridden_by),
        ("called by", view.callers),
        ("calls", view.callees),
        ("imports", view.imports),
        ("imported by", view.imported_by),
        ("mentioned in", view.mentions),
    ]
