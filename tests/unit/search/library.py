"""A small library of documents and code, for any source of candidates."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from outcrop.model.edge import Edge, EdgeKind
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.node import Node, NodeKind
from outcrop.model.section import DOCUMENT_ROOT, IndexedSection, Section
from outcrop.model.stored import Document, StoredChunk
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.text.analysis import count_terms
from unit.search.memory_source import MemorySource

APPLICATION = "shop"
EMBEDDER = LocalEmbedder()
IDENTITY = EmbedderIdentity(name=EMBEDDER.name, dimension=EMBEDDER.dimension)


def make_chunk(path: str, index: int, text: str, **fields: Any) -> StoredChunk:
    """Return a leaf with what an indexer would have worked out."""
    digest = hashlib.sha256(f"{path} {index} {text}".encode()).hexdigest()
    is_indexed = fields.get("indexable", True)
    values: dict[str, Any] = {
        "chunk_id": digest[:8],
        "source": "doc",
        "kind": "section",
        "content_hash": digest,
        "search_hash": digest,
        "token_count": len(text.split()),
        "start_line": 10 * index + 1,
        "end_line": 10 * index + 2,
        "start_offset": 100 * index,
        "end_offset": 100 * index + len(text),
        "level": 1,
        "terms": count_terms(text) if is_indexed else {},
        "emb": EMBEDDER.embed([text])[0] if is_indexed else None,
        "embed_model": EMBEDDER.name,
    }
    return StoredChunk(path=path, content=text, chunk_index=index, **values | fields)


def make_node(fqn: str, kind: NodeKind, path: str) -> Node:
    package, _, name = fqn.rpartition(".")
    return Node(
        id=f"{APPLICATION}:{fqn}",
        application_id=APPLICATION,
        kind=kind,
        lang="python",
        name=name,
        package_name=package,
        fqn=fqn,
        signature=None,
        doc_comment=None,
        source_code="...",
        file_path=path,
        line_start=1,
        line_end=1,
        start_offset=0,
        end_offset=3,
    )


def make_definition(node: Node, index: int, text: str, **metadata: Any) -> StoredChunk:
    """Return the chunk of a definition."""
    return make_chunk(
        node.file_path,
        index,
        text,
        source="code",
        kind="snippet",
        level=2,
        section_path=node.fqn.split("."),
        node_id=node.id,
        application_id=APPLICATION,
        metadata={"node_kind": str(node.kind), "fqn": node.fqn, **metadata},
    )


def _section(chunk: StoredChunk, before: list[IndexedSection]) -> IndexedSection:
    headings = tuple(chunk.section_path)
    parent = next((b for b in before if b.headings == headings[:-1]), None)
    text = chunk.content or f"# {headings[-1]}"
    section = Section(
        id=hashlib.sha256(f"{chunk.path}{headings}".encode()).hexdigest()[:16],
        document_path=chunk.path,
        heading=headings[-1] if headings else DOCUMENT_ROOT,
        depth=len(headings),
        content=text,
        token_count=len(text.split()),
        parent_id=parent.section.id if parent and headings else None,
        order=len(before),
        document_hash="1",
        start_offset=chunk.start_offset,
        end_offset=chunk.start_offset + len(text),
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        summary=f"About {headings[-1] if headings else 'nothing'}.",
    )
    return IndexedSection(
        section=section,
        headings=headings,
        first_chunk=chunk.chunk_index,
        last_chunk=chunk.chunk_index,
        terms=count_terms(f"{' '.join(headings)} {text}"),
    )


def _longer(before: IndexedSection, chunk: StoredChunk) -> IndexedSection:
    section = before.section
    text = f"{section.content}\n{chunk.content}"
    return replace(
        before,
        section=replace(
            section,
            content=text,
            token_count=len(text.split()),
            end_offset=section.start_offset + len(text),
            end_line=chunk.end_line,
        ),
        last_chunk=chunk.chunk_index,
        terms=count_terms(text),
    )


@dataclass(frozen=True, kw_only=True)
class Library:
    """Everything that an index of the library holds.

    `chunks` has names for the chunks, so that tests can say which one they mean.
    """

    chunks: dict[str, StoredChunk]
    nodes: dict[str, Node]
    edges: list[Edge]
    summaries: dict[str, str]

    def documents(self) -> list[tuple[Document, list[StoredChunk]]]:
        paths = dict.fromkeys(chunk.path for chunk in self.chunks.values())
        return [
            (
                Document(
                    path=path,
                    kind="code" if path.endswith(".py") else "markdown",
                    fingerprint="1",
                    summary=self.summaries.get(path),
                ),
                [chunk for chunk in self.chunks.values() if chunk.path == path],
            )
            for path in paths
        ]

    def source(self) -> MemorySource:
        return MemorySource(
            identity=IDENTITY,
            chunks=list(self.chunks.values()),
            summaries=self.summaries,
            nodes=list(self.nodes.values()),
            edges=self.edges,
            sections_stored=[each for of in self.sections().values() for each in of],
        )

    def sections(self) -> dict[str, list[IndexedSection]]:
        """Return the sections of the documents: one for each heading."""
        found: dict[str, list[IndexedSection]] = {}
        for chunk in self.chunks.values():
            if chunk.source == "code":
                continue
            of_document = found.setdefault(chunk.path, [])
            headings = tuple(chunk.section_path)
            if of_document and of_document[-1].headings == headings:
                of_document[-1] = _longer(of_document[-1], chunk)
            else:
                of_document.append(_section(chunk, of_document))
        return found

    def id(self, name: str) -> str:
        return self.chunks[name].id

    def names(self, ids: list[str]) -> list[str]:
        names = {chunk.id: name for name, chunk in self.chunks.items()}
        return [names[chunk_id] for chunk_id in ids]


def make_library() -> Library:
    nodes = {
        "Order": make_node("shop.orders.Order", NodeKind.CLASS, "shop/orders.py"),
        "place": make_node("shop.orders.place", NodeKind.FUNCTION, "shop/orders.py"),
        "charge": make_node("shop.money.charge", NodeKind.FUNCTION, "shop/money.py"),
        "test": make_node("tests.test_place", NodeKind.FUNCTION, "tests/test_shop.py"),
    }
    chunks = _document_chunks() | _code_chunks(nodes)
    calls = [("place", "charge", 1.0), ("test", "place", 0.5)]
    edges = [
        Edge(
            src=nodes[src].id,
            dst=nodes[dst].id,
            kind=EdgeKind.CALLS,
            confidence=confidence,
        )
        for src, dst, confidence in calls
    ]
    edges += [
        Edge(
            src=nodes["charge"].id,
            dst="stripe.Charge",
            kind=EdgeKind.CALLS,
            external=True,
        ),
        Edge(
            src=chunks["paying"].id,
            dst=nodes["charge"].id,
            kind=EdgeKind.MENTIONS,
            confidence=0.9,
        ),
    ]
    summaries = {"docs/tea.md": "How tea is brewed."}
    return Library(chunks=chunks, nodes=nodes, edges=edges, summaries=summaries)


def _document_chunks() -> dict[str, StoredChunk]:
    tea = "docs/tea.md"
    brewing = make_chunk(
        tea,
        0,
        "",
        is_leaf=False,
        indexable=False,
        section_path=["Brewing"],
        metadata={"last_leaf": 2, "section_tokens": 22},
    )
    return {
        "brewing": brewing,
        "water": make_chunk(
            tea,
            1,
            "Green tea wants water at eighty degrees, not at the boil.",
            section_path=["Brewing", "Water"],
            parent_id=brewing.id,
            level=2,
        ),
        "time": make_chunk(
            tea,
            2,
            "Black tea steeps in hot water for four minutes, green tea for two.",
            section_path=["Brewing", "Time"],
            parent_id=brewing.id,
            level=2,
        ),
        "cups, first": make_chunk(
            "docs/cups.md",
            0,
            "A cup of porcelain keeps the tea warm.",
            section_path=["Cups"],
            metadata={"part": 0, "parts": 2, "gap_after": "\n"},
        ),
        "cups, second": make_chunk(
            "docs/cups.md",
            1,
            "A cup of glass shows its colour.",
            section_path=["Cups"],
            metadata={"part": 1, "parts": 2},
        ),
        "paying": make_chunk(
            "docs/paying.md",
            0,
            "Cards are debited by `charge` once the order is placed.",
            section_path=["Paying"],
            rank_boost=1.5,
        ),
        "todo": make_chunk(
            "notes/todo.txt", 0, "Buy tea and cups.", kind="text", level=0, emb=None
        ),
    }


def _code_chunks(nodes: dict[str, Node]) -> dict[str, StoredChunk]:
    return {
        "Order": make_definition(
            nodes["Order"], 0, "class Order: the cups and kettles of one customer"
        ),
        "place, first": make_definition(
            nodes["place"], 1, "def place(order): charge the customer", part=0, parts=2
        ),
        "place, second": make_definition(
            nodes["place"], 2, "return ship(order)", part=1, parts=2
        ),
        "charge": make_definition(
            nodes["charge"], 0, "def charge(card, amount): debit the card of a customer"
        ),
        "test": make_definition(
            nodes["test"], 0, "def test_place(): place(order) and charge the customer"
        ),
    }
