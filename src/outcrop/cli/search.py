"""`outcrop search`, `show` and `related`: chunks of the index, found or named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.opening import (
    Choice,
    index_options,
    json_option,
    limit_option,
    require_all_option,
    rerank_option,
)
from outcrop.cli.render.hits import (
    hit_values,
    note_partial,
    offer_filters,
    why_partial,
    write_context,
    write_hits,
)
from outcrop.cli.render.text import escape_controls, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.hit import Related
    from outcrop.model.node import Node

_MAX_OTHERS = 5
_FILTERS = ("path_glob", "kind", "package", "section", "tag", "lang", "depth")


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="QUERY")
@limit_option(5, "Maximum number of hits.")
@click.option(
    "--mode",
    type=click.Choice(["hybrid", "vector", "text"]),
    default="hybrid",
    show_default=True,
    help="Rank by all signals, by vectors only, or by words only.",
)
@click.option(
    "--context",
    "max_tokens",
    type=click.IntRange(min=1),
    metavar="TOKENS",
    help="Print the best text within this token budget, for a language model.",
)
@click.option(
    "--path",
    "path_globs",
    multiple=True,
    metavar="GLOB",
    help="Search only documents whose path matches; repeatable.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Search only chunks of this kind or source: section, text, doc, code; "
    "repeatable.",
)
@click.option(
    "--package",
    "packages",
    multiple=True,
    metavar="NAME",
    help="Search only code in this package, module or type, and below; repeatable.",
)
@click.option(
    "--unit",
    type=click.Choice(["chunk", "section", "document"]),
    help="Find chunks, sections or documents.  [default: chunk]",
)
@click.option(
    "--section",
    "sections",
    multiple=True,
    metavar="HEADING",
    help="Search only below this heading, or path of headings such as "
    "'Set it up/Tools'; repeatable.",
)
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    help="Search only documents with this tag in their front matter; repeatable.",
)
@click.option(
    "--lang",
    "languages",
    multiple=True,
    metavar="LANGUAGE",
    help="Search only documents or code in this language: en, ru, python; repeatable.",
)
@click.option(
    "--depth",
    type=int,
    metavar="LEVEL",
    help="Find documents (0) or sections of this level (1 for H1 and so on); with "
    "--unit chunk, chunks of this level.",
)
@click.option(
    "--with-summaries",
    is_flag=True,
    help="With --context, add the summaries of documents and sections.",
)
@click.option(
    "--expand",
    metavar="RELATIONS",
    help="Follow the code graph from the best hits: calls, callers, callees, parents, "
    "children, types, mentions or all; separate several with commas.",
)
@click.option("--full", is_flag=True, help="Show the whole text of every hit.")
@click.option(
    "--no-group",
    "group",
    flag_value=False,
    default=True,
    help="Show every part of a section, and any number of parts of a document.",
)
@click.option(
    "--verbatim", is_flag=True, help="Do not correct words that occur nowhere."
)
@require_all_option
@json_option
@index_options
@rerank_option
def search(  # noqa: PLR0913 - one argument per option
    choice: Choice,
    words: tuple[str, ...],
    *,
    limit: int,
    mode: str,
    max_tokens: int | None,
    path_globs: tuple[str, ...],
    kinds: tuple[str, ...],
    packages: tuple[str, ...],
    unit: str | None,
    sections: tuple[str, ...],
    tags: tuple[str, ...],
    languages: tuple[str, ...],
    depth: int | None,
    with_summaries: bool,
    expand: str | None,
    full: bool,
    group: bool,
    verbatim: bool,
    require_all: bool,
    as_json: bool,
) -> None:
    """Find the chunks, sections or documents that answer QUERY best."""
    query = " ".join(words)  # quoted or not
    filters = {
        "path_glob": path_globs,
        "kind": kinds,
        "package": packages,
        "section": sections,
        "unit": unit,
        "tag": tags,
        "lang": languages,
        "depth": depth,
        "mode": mode,
        "expand": expand,
    }
    with choice.open_all(require_all=require_all) as opened:
        if not verbatim:
            query = _correct(opened, query)
        if max_tokens is None:
            hits = opened.search(query, limit, group=group, **filters)  # type: ignore[arg-type]  # each has its type
            if hits or as_json:
                write_hits(hits, as_json=as_json, full=full)
                note_partial(opened)
                # Fewer hits are all there are: nothing is hidden by others.
                if not as_json and len(hits) == limit:
                    given = {"--kind": kinds, "--lang": languages, "--path": path_globs}
                    used = {option for option, values in given.items() if values}
                    offer_filters(opened, hits, used=used)
                return
        else:
            context = opened.context(
                query,
                max_tokens,
                with_summaries=with_summaries,
                **filters,  # type: ignore[arg-type]  # as above
            )
            if context or as_json:
                write_context(context, as_json=as_json)
                note_partial(opened)
                return
            hits = opened.search(query, 1, **filters)  # type: ignore[arg-type]  # as above
        if hits:
            click.echo(f"no result fits into {max_tokens} tokens")
            return
        click.echo(_why_nothing(opened, filters))


def _correct(opened: AnyIndex, query: str) -> str:
    """Return the question to ask, and say on standard error if it is another one."""
    spelling = opened.check_spelling(query)
    if spelling.is_corrected:
        corrected = escape_controls(spelling.query)
        click.echo(f"searched for: {corrected} (--verbatim keeps the words)", err=True)
    if spelling.suggestions:
        meant = ", or ".join(map(escape_controls, spelling.suggestions))
        click.echo(f"did you mean: {meant}", err=True)
    return spelling.query


def _why_nothing(opened: AnyIndex, filters: Mapping[str, Any]) -> str:
    from outcrop.presentation.reasons import name_unmatched

    if (partial := why_partial(opened)) is not None:
        return f"nothing found: {partial}"
    if not opened.status().contents.documents:
        return "nothing found: the index is empty; fill it with: outcrop index PATH"
    if reasons := name_unmatched(opened, filters):
        relative = f"; paths are relative to {opened.project}"
        said = escape_controls("; ".join(reasons))
        return f"nothing found: {said}{relative * bool(filters['path_glob'])}"
    if any(filters[name] not in {None, ()} for name in _FILTERS):
        return (
            f"nothing found within the filters; paths are relative to {opened.project}"
        )
    return "nothing found"


@click.command()
@click.argument("chunk_id")
@click.option(
    "--around",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="Also show this many chunks before and after it.",
)
@click.option(
    "--children",
    "relation",
    flag_value="children",
    help="Show what is below it in the hierarchy instead.",
)
@click.option(
    "--parents",
    "relation",
    flag_value="parents",
    help="Show what is around it instead.",
)
@click.option(
    "--siblings",
    "relation",
    flag_value="siblings",
    help="Show it with its siblings instead.",
)
@json_option
@index_options
def show(
    choice: Choice, chunk_id: str, *, around: int, relation: str | None, as_json: bool
) -> None:
    """Show the chunk, section or document CHUNK_ID.

    It is an id, or the first digits of one; of a document, the path will do.
    """
    with choice.open_all() as opened:
        if relation is not None:
            hits = getattr(opened, relation)(chunk_id)
            write_hits(hits, as_json=as_json, scored=False)
            return
        found = opened.get(chunk_id)
        hits = [found]
        if around:
            neighbours = opened.neighbours(found.id, before=around, after=around)
            hits = sorted([*neighbours, found], key=lambda hit: hit.start_offset)
        write_hits(hits, as_json=as_json, full=True, scored=False)


@click.command()
@click.argument("symbol_or_chunk")
@limit_option(10, "Maximum number of results.")
@click.option(
    "--expand",
    default="all",
    show_default=True,
    metavar="RELATIONS",
    help="Relations to follow: calls, callers, callees, parents, children, types, "
    "mentions or all; separate several with commas.",
)
@click.option("--full", is_flag=True, help="Show the whole text of every chunk.")
@json_option
@index_options
def related(
    choice: Choice,
    symbol_or_chunk: str,
    *,
    limit: int,
    expand: str,
    full: bool,
    as_json: bool,
) -> None:
    """Show what is related to SYMBOL_OR_CHUNK, the strongest relation first.

    A symbol is named by its qualified name, the end of one or its name, a chunk by its
    id. A document is related to the symbols it names, and they to it.
    """
    with choice.open_all() as opened:
        found = opened.related(symbol_or_chunk, limit, expand=expand)
        nodes = opened.store.find_nodes(symbol_or_chunk, limit=_MAX_OTHERS + 2)
    _write_related(found, as_json=as_json, full=full)
    _note_others(symbol_or_chunk, nodes)


def _note_others(symbol: str, nodes: Sequence[Node]) -> None:
    """Say which of several symbols of a name was meant."""
    others = [escape_controls(node.fqn) for node in nodes[1:]]
    if not others or symbol in (nodes[0].fqn, nodes[0].id):
        return
    rest = ", …" if len(others) > _MAX_OTHERS else ""
    listed = ", ".join(others[:_MAX_OTHERS])
    click.echo(
        f"shown for {escape_controls(nodes[0].fqn)}; other symbols of this name: "
        f"{listed}{rest}",
        err=True,
    )


def _write_related(found: Sequence[Related], *, as_json: bool, full: bool) -> None:
    if as_json:
        write_json(
            [
                {
                    "relation": item.relation,
                    "confidence": item.confidence,
                    "resolution": item.resolution,
                    "hit": hit_values(item.hit),
                }
                for item in found
            ]
        )
        return
    if not found:
        click.echo("nothing found")
    for at, item in enumerate(found):
        if at:
            click.echo()
        sure = f"{item.resolution}, {item.confidence:.2f}"
        click.echo(click.style(f"{item.relation} ({sure})", dim=True))
        write_hits([item.hit], as_json=False, full=full, scored=False)
