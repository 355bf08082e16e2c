"""Answers about the code graph."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from outcrop.http import examples
from outcrop.http.derived import Result, fields_of
from outcrop.http.results import HitResult
from outcrop.model.node import Node
from outcrop.model.related import Related
from outcrop.model.symbol import Link, SymbolView


@fields_of(
    Node,
    *("id", "lang", "name", "fqn", "signature", "file_path", "line_start", "line_end"),
)
class NodeBrief(Result):
    """A definition, without its text."""

    kind: str


@fields_of(Node, without=["application_id"])
class NodeResult(Result):
    """A definition with its text and its documentation."""

    kind: str


@fields_of(Link)
class LinkResult(Result):
    """The other end of an edge, and how it was found."""

    node: NodeBrief | None = Field(description="None if it is outside the project.")
    kind: str
    resolution: str
    chunk_id: str | None = Field(description="The chunk that mentions the symbol.")


class SymbolResult(Result):
    """A symbol and everything that is related to it."""

    model_config = ConfigDict(json_schema_extra={"examples": [examples.SYMBOL]})

    node: NodeResult
    links: dict[str, list[LinkResult]] = Field(
        description="By relation: callers, callees, parents, children and so on."
    )


class Symbols(Result):
    """Symbols that match a name, best first."""

    items: list[NodeBrief]


@fields_of(Related)
class RelatedResult(Result):
    """A chunk at the other end of a relation."""

    hit: HitResult
    relation: str = Field(description="Its relation to the given symbol or chunk.")


class RelatedList(Result):
    """Related chunks, the strongest relation first."""

    items: list[RelatedResult]


# The relations of a symbol, the most used first.
RELATIONS = (
    *("callers", "callees", "parents", "children", "bases", "derived"),
    *("overrides", "overridden_by", "imports", "imported_by", "mentions"),
)


def links_of(view: SymbolView) -> dict[str, tuple[Link, ...]]:
    """Return the relations of a symbol by name."""
    return {name: getattr(view, name) for name in RELATIONS}
