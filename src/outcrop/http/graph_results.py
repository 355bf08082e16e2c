"""The code graph as callers get it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from outcrop.http.results import HitResult
from outcrop.model.symbol import Link, SymbolView


class _Result(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class NodeBrief(_Result):
    """A definition, without its text."""

    id: str
    kind: str
    lang: str
    name: str
    fqn: str
    signature: str | None
    file_path: str | None
    line_start: int | None
    line_end: int | None


class NodeResult(NodeBrief):
    """A definition with its text and its documentation."""

    package_name: str
    doc_comment: str | None
    source_code: str | None
    start_offset: int | None
    end_offset: int | None
    annotations: list[str]
    visibility: str
    http_method: str | None
    http_path: str | None


class LinkResult(_Result):
    """The other end of an edge, and how it was found."""

    node: NodeBrief | None = Field(description="None outside the project.")
    name: str
    kind: str
    resolution: str
    confidence: float
    external: bool
    chunk_id: str | None = Field(description="Of a chunk that names the symbol.")


class SymbolResult(_Result):
    """A symbol and everything that is related to it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "node": {
                        "id": "9d1f6a0be3c47a52",
                        "kind": "FUNCTION",
                        "lang": "python",
                        "name": "parse",
                        "fqn": "guide.reader.parse",
                        "signature": "def parse(text: str) -> Tree",
                        "file_path": "src/guide/reader.py",
                        "line_start": 12,
                        "line_end": 30,
                        "package_name": "guide.reader",
                        "doc_comment": "Read a text.",
                        "source_code": "def parse(text: str) -> Tree:\n    ...",
                        "start_offset": 210,
                        "end_offset": 250,
                        "annotations": [],
                        "visibility": "public",
                        "http_method": None,
                        "http_path": None,
                    },
                    "links": {"callers": [], "callees": []},
                }
            ]
        }
    )

    node: NodeResult
    links: dict[str, list[LinkResult]] = Field(
        description="By relation: callers, callees, parents, children and so on."
    )


class Symbols(_Result):
    """Symbols that fit a name, best first."""

    items: list[NodeBrief]


class RelatedResult(_Result):
    """A chunk at the other end of a relation."""

    hit: HitResult
    relation: str = Field(description="What it is to what was asked about.")
    confidence: float
    resolution: str


class RelatedList(_Result):
    """What is related, the strongest first."""

    items: list[RelatedResult]


# What may be related to a symbol, in the order people ask for it.
RELATIONS = (
    *("callers", "callees", "parents", "children", "bases", "derived"),
    *("overrides", "overridden_by", "imports", "imported_by", "mentions"),
)


def links_of(view: SymbolView) -> dict[str, tuple[Link, ...]]:
    """Return the relations of a symbol by name."""
    return {name: getattr(view, name) for name in RELATIONS}
