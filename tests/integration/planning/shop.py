"""A small program, its graph in the store, and the ways to plan and fill it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph import build
from outcrop.pipeline.inline import GraphContext
from outcrop.pipeline.stage import STAGES
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.graph import GraphReplaced
from outcrop.store.runs import PlanRuns

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.codegraph import Graph
    from outcrop.model.stored import StageOutcome, StoredChunk
    from outcrop.store.store import PostgresStore

APPLICATION = "shop"
CART = '''\
"""Carts."""


class Cart:
    """What a customer wants to buy."""

    def __init__(self, items):
        self.items = items

    def total(self):
        """Add up the prices of all items."""
        return add_up(item.price for item in self.items)


def add_up(numbers):
    return sum(numbers, start=0)
'''
REPORT = '''\
from cart import Cart

QUERY = "SELECT id, price FROM items JOIN carts ON true"


def report(connection):
    """Print what all carts cost."""
    rows = connection.execute("SELECT * FROM carts WHERE paid")
    connection.execute("INSERT INTO log VALUES (1)")
    return Cart(rows).total()
'''


class Shop:
    """The program."""

    def __init__(self, store: PostgresStore, folder: Path) -> None:
        self.store = store
        self.folder = folder
        self.graph: Graph | None = None
        self.replaced = GraphReplaced()
        self.write("cart.py", CART)
        self.write("report.py", REPORT)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def read(self) -> None:
        """Build the graph and store it."""
        self.graph = build(self.folder, APPLICATION, workers=1)
        self.store.put_application(APPLICATION)
        self.replaced = self.store.replace_graph(
            APPLICATION, self.graph.nodes, self.graph.edges
        )

    def read_text(self, path: str) -> str | None:
        file = self.folder / path
        return file.read_text() if file.exists() else None

    def plan(self, strategy: str = "per-node", **fields: Any) -> ChunkBuildResult:
        orchestrator = ChunkBuildOrchestrator(
            self.store, self.store, PlanRuns(self.store), read_text=self.read_text
        )
        request = ChunkBuildRequest(
            application_id=APPLICATION, strategy=strategy, **fields
        )
        return orchestrator.start(request)

    def fill(self) -> list[StageOutcome]:
        """Take all chunks through the stages they have left; return what failed."""
        assert self.graph is not None
        context = GraphContext(
            self.graph, read_text=self.read_text, embedder=LocalEmbedder()
        )
        failed = []
        for name, stage in STAGES.items():
            batch = [
                chunk
                for chunk in self.chunks()
                if name in chunk.pipeline["stages"]
                and name not in chunk.pipeline.get("done", [])
            ]
            facts = stage.run(batch, context) if batch else []
            failed += [fact for fact in facts if fact.error]
            with self.store._database.write() as connection:
                self.store.put_facts(connection, batch, facts)
                connection.execute(
                    "UPDATE chunks SET pipeline = jsonb_set(pipeline, '{done}',"
                    " coalesce(pipeline -> 'done', '[]') || to_jsonb(%s::text))"
                    " WHERE id = ANY(%s)",
                    (name, [fact.chunk_id for fact in facts if not fact.error]),
                )
        return failed

    def chunks(self) -> list[StoredChunk]:
        with self.store._database.read() as connection:
            rows = connection.execute(
                "SELECT id FROM chunks WHERE application_id = %s ORDER BY id",
                (APPLICATION,),
            )
            ids = [row[0] for row in rows]
        return self.store.get_chunks(ids)

    def chunk(self, title: str) -> StoredChunk:
        (found,) = [chunk for chunk in self.chunks() if chunk.title == title]
        return found

    def has_vector(self, chunk: StoredChunk) -> bool:
        with self.store._database.read() as connection:
            row = connection.execute(
                "SELECT emb IS NOT NULL FROM chunks WHERE id = %s", (chunk.id,)
            ).fetchone()
        return bool(row and row[0])
