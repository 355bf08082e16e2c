"""`outcrop graph`: the code graph of a folder, written out or looked up."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from outcrop.cli.opening import Choice, index_options, json_option, limit_option
from outcrop.cli.render.reports import write_graph_report
from outcrop.cli.render.text import escape_controls, write_json
from outcrop.errors import InputError, MissingExtraError, NotFoundError
from outcrop.model.edge import EdgeKind
from outcrop.presentation.text import by_file, count, short_signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.codegraph.graph import BuildReport
    from outcrop.model.graph import Link, SymbolView

_FORMATS = ("json", "jsonl", "graphml", "dot", "html")
_KINDS = tuple(str(kind) for kind in EdgeKind if kind != EdgeKind.MENTIONS)
_MAX_SYMBOLS = 1_000
_MAX_NAMES = 4  # of a file in a grouped list
_NODE_FIELDS = (
    *("id", "kind", "name", "fqn", "lang", "file_path", "line_start", "line_end"),
    *("signature", "doc_comment", "http_method", "http_path"),
)
_LINK_FIELDS = ("name", "kind", "resolution", "confidence", "external", "chunk_id")
_level = click.option(
    "--level",
    type=click.Choice(["local", "flow"]),
    default="flow",
    show_default=True,
    help="Follow values within a function, or across calls too.",
)


@click.group()
def graph() -> None:
    """Build the code graph of a project: definitions, calls, inheritance, routes."""


@graph.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    default="json",
    show_default=True,
    help="Output format; html is a page to pan and zoom.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(_KINDS, case_sensitive=False),
    multiple=True,
    help="Only edges of this kind; repeatable.",
)
@_level
@click.option("--app", "application", help="Name of the application.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file instead of standard output.",
)
def export(
    path: Path,
    format_: str,
    kinds: tuple[str, ...],
    level: Literal["local", "flow"],
    application: str | None,
    output: Path | None,
) -> None:
    """Write the graph of PATH. Nothing is stored; problems go to standard error."""
    from outcrop.codegraph import build
    from outcrop.codegraph.export import FORMATS

    found = build(path, application, level=level)
    _check_grammars(found.report)
    if kinds:
        wanted = {kind.upper() for kind in kinds}
        kept = tuple(edge for edge in found.edges if edge.kind in wanted)
        found = dataclasses.replace(found, edges=kept)
    for line in found.report.lines():
        click.echo(escape_controls(line), err=True)
    pieces = FORMATS[format_](found)
    if output is None:
        # Names may hold characters that the terminal cannot encode: write UTF-8.
        stream = sys.stdout.buffer
        for piece in pieces:
            stream.write(piece.encode("utf-8", "backslashreplace"))
        stream.flush()
        return
    with output.open("w", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(pieces)


@graph.command("build")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--app", "application", help="Name of the application.")
@_level
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@index_options
def build_(
    choice: Choice,
    path: Path,
    application: str | None,
    level: Literal["local", "flow"],
    *,
    as_json: bool,
) -> None:
    """Build the graph of PATH into the index.

    If no file has changed, nothing is done; otherwise the difference is stored. Files
    that .gitignore or .outcropignore names are skipped.
    """
    from outcrop.cli.render.progress import show_progress

    with choice.open_all(create=True) as opened, show_progress() as on_progress:
        choice.check_paths(opened.project, [path.absolute()])
        report = opened.build_graph(
            path.absolute(),
            application=application,
            level=level,
            on_progress=on_progress,
        )
    write_graph_report(report, as_json=as_json)


@graph.command()
@click.argument("symbol")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@limit_option(
    10,
    "Maximum number of symbols, and of links in a list; longer lists are grouped by "
    "file.",
)
@_level
@json_option
@index_options
def show(
    choice: Choice,
    symbol: str,
    path: Path | None,
    *,
    limit: int,
    level: Literal["local", "flow"],
    as_json: bool,
) -> None:
    """Show what SYMBOL is, who calls it, and what it calls.

    SYMBOL is a qualified name, the end of one, or a bare name. It is looked up in the
    index if there is one with code; with PATH, or without such an index, in a graph
    built from the files in PATH.
    """
    found = None if path is not None else _stored_views(choice, symbol, limit)
    if found is None:
        found = _built_views(path or Path(), symbol, level, limit)
    views, total = found
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


def _stored_views(
    choice: Choice, symbol: str, limit: int
) -> tuple[list[SymbolView], int] | None:
    """Return the symbols of this name in the index and how many there are.

    None if the index holds no code.
    """
    from outcrop.indexing.reader import name_similar, view_symbol

    try:
        opened = choice.open_all()
    except NotFoundError:
        return None
    with opened:
        if not any(app.nodes for app in opened.store.applications()):
            return None
        nodes = opened.store.find_nodes(symbol, limit=_MAX_SYMBOLS)
        if not nodes:
            raise NotFoundError(
                f"no symbol {symbol!r} in the index; pass a qualified name or the end of"
                f" one, or the PATH of its code{name_similar(opened.store, symbol)}"
            )
        best = [node for node in nodes if node.fqn == symbol] or nodes
        return [view_symbol(opened.store, node) for node in best[:limit]], len(best)


def _built_views(
    path: Path, symbol: str, level: Literal["local", "flow"], limit: int
) -> tuple[list[SymbolView], int]:
    from outcrop.codegraph import build
    from outcrop.model.graph import make_view

    found = build(path, level=level)
    nodes = found.find(symbol)
    if not nodes:
        _check_grammars(found.report)
        raise InputError(
            f"no symbol {symbol!r} in {str(path)!r}; "
            "pass a qualified name or the end of one"
        )
    views = [
        make_view(
            node, found.outgoing(node.id), found.incoming(node.id), found.by_id, {}
        )
        for node in nodes[:limit]
    ]
    return views, len(nodes)


def _check_grammars(report: BuildReport) -> None:
    """Reject a graph that is empty only because no grammar is installed.

    Raises:
        MissingExtraError: Code was found, and none of it could be read.
    """
    from outcrop.codegraph.languages import language

    if report.missing_grammars and not report.parsed + report.reused:
        lang = max(report.missing_grammars, key=report.missing_grammars.__getitem__)
        raise MissingExtraError(f"reading {lang} code", language(lang).extra)


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
            for link in links:
                external = ", external" if link.external else ""
                name = escape_controls(link.name)
                click.echo(f"    {name}  [{link.resolution}{external}]")
        else:
            click.echo(f"  {title}: {len(links):,}")
            _write_groups(links, limit)


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
