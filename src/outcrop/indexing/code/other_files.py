"""Files of code that the graph does not read: styles, queries, templates.

They have no nodes to plan by, so they are cut as the indexer cuts them. The graph does
not keep their text either; it is written with the plan, so that a worker far from the
files can do the other stages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from outcrop.model.ids import store_id
from outcrop.pipeline.extract_snippet import ExtractSnippet
from outcrop.pipeline.jobs.ledger import note_done
from outcrop.pipeline.memory import GraphContext
from outcrop.planning.protocols import Covered
from outcrop.planning.strategies import SourceText
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.codegraph import Graph
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.planning.plans import ChunkBuildResult, ChunkPlan
    from outcrop.planning.strategies import FileChunkStrategy
    from outcrop.providers.embedder import Embedder
    from outcrop.store.database import Database


class OtherFiles:
    """Plans files without nodes.

    Args:
        database: The index.
        embedder: What the index is built with; not asked for anything.
        strategy: Cuts a file.
        read_text: Returns the text of a file, or None.
    """

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        strategy: FileChunkStrategy,
        read_text: Callable[[str], str | None],
    ) -> None:
        self._database = database
        self._store = PostgresStore(database)
        self._strategy = strategy
        self._read_text = read_text
        self._context = GraphContext([], [], read_text=read_text, embedder=embedder)

    def count(self, group: ApplicationFiles, graph: Graph) -> int:
        """Return how many chunks there would be."""
        return sum(len(plans) for _, plans in self._plans(group, graph))

    def write(
        self, planned: ChunkBuildResult, group: ApplicationFiles, graph: Graph
    ) -> ChunkBuildResult:
        """Write the plans; return what was planned with these added."""
        for path, plans in self._plans(group, graph):
            saved = self._store.save_plan(
                plans, application_id=group.name, covered=Covered(paths=[path])
            )
            if saved.written:
                self._extract([store_id(plan.path, plan.id) for plan in plans])
            planned = replace(
                planned,
                written_chunks=planned.written_chunks + saved.written,
                skipped_chunks=planned.skipped_chunks + saved.skipped,
                deleted_chunks=planned.deleted_chunks + saved.deleted,
            )
        return planned

    def _plans(
        self, group: ApplicationFiles, graph: Graph
    ) -> Iterator[tuple[str, list[ChunkPlan]]]:
        read = {group.document_path(path) for path in graph.facts}
        for path in sorted(group.files.keys() - read):
            text = self._read_text(path)
            if text is not None and "\0" not in text:
                source = SourceText(path=path, lang=group.files[path].lang, text=text)
                yield path, self._strategy.build_file(source, [], {})

    def _extract(self, ids: Sequence[str]) -> None:
        """Write the text of new chunks; one that changed just now is left for later."""
        stage = ExtractSnippet()
        chunks = [
            chunk
            for chunk in self._store.get_chunks(ids)
            if stage.name not in chunk.pipeline.get("done", ())
        ]
        facts = [f for f in stage.run(chunks, self._context) if not f.error]
        with self._database.write() as connection:
            self._store.put_facts(connection, chunks, facts)
            note_done(connection, stage.name, [fact.chunk_id for fact in facts])
