"""Files of code that the graph does not read: styles, queries, templates.

They have no nodes, so the file planner cuts them by their text alone. The graph does not
hold their text either; it is written with the plan, so that a worker without access to
the files can do the other stages.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from outcrop.model.stored import store_id
from outcrop.pipeline.extract_snippet import NAME as EXTRACT
from outcrop.pipeline.extract_snippet import extract
from outcrop.pipeline.jobs.ledger import note_done
from outcrop.planning.protocols import Covered
from outcrop.store.store import PostgresStore
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.codegraph import Graph
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.config import IndexConfig
    from outcrop.planning.plans import ChunkBuildResult, ChunkPlan
    from outcrop.store.database import Database


class OtherFiles:
    """Plans files without nodes."""

    def __init__(
        self,
        database: Database,
        config: IndexConfig,
        read_text: Callable[[str], str | None],
    ) -> None:
        self._database = database
        self._store = PostgresStore(database)
        # Planned and extracted one after the other: each file is read once.
        self._read_text = lru_cache(maxsize=1)(read_text)
        self._planner = config.planner(self._read_text)

    def count(self, group: ApplicationFiles, graph: Graph) -> int:
        """Return the number of chunks to plan."""
        return sum(len(plans) for _, plans in self._plans(group, graph))

    def write(
        self, planned: ChunkBuildResult, group: ApplicationFiles, graph: Graph
    ) -> ChunkBuildResult:
        """Write the plans; return the result of planning with their counts added."""
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
                yield path, self._planner.plan(path, group.files[path].lang)

    def _extract(self, ids: Sequence[str]) -> None:
        """Write the text of new chunks; a worker does those whose file just changed."""
        count = TokenCounter()
        chunks = [
            chunk
            for chunk in self._store.get_chunks(ids)
            if EXTRACT not in chunk.pipeline.get("done", ())
        ]
        tried = (extract(each, self._read_text(each.path), count) for each in chunks)
        outcomes = [outcome for outcome in tried if not outcome.error]
        with self._database.write() as connection:
            self._store.put_facts(connection, chunks, outcomes)
            note_done(connection, EXTRACT, [outcome.chunk_id for outcome in outcomes])
