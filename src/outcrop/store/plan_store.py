"""The part of the store that plans are read from and written to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.model.ids import document_id
from outcrop.store import facts as facts_
from outcrop.store import plans as plans_
from outcrop.store._graph_rows import NODE_COLUMNS, unpack_node
from outcrop.store.connected import ConnectedStore
from outcrop.store.lexical.maintain import tidy_words

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from outcrop.model.node import Node
    from outcrop.model.stage_outcome import StageOutcome
    from outcrop.model.stored import StoredChunk
    from outcrop.planning.plans import ChunkBuildRequest, ChunkBuildResult, ChunkPlan
    from outcrop.planning.protocols import Covered, SavedPlans
    from outcrop.store.database import Connection
    from outcrop.store.run_store import RunStore

RUN_KIND = "chunk-build"

_NODE_COUNTS = """
SELECT file_path, count(*) FROM nodes
WHERE application_id = %s AND file_path IS NOT NULL GROUP BY file_path ORDER BY file_path
"""
_NODES_IN = f"""
SELECT {NODE_COLUMNS} FROM nodes n
WHERE n.document_id = ANY(%s) AND n.application_id = %s
"""  # noqa: S608 - names of columns


class PlanStore(ConnectedStore):
    """Nodes by file, plans, and what stages found."""

    def node_counts(self, application_id: str) -> list[tuple[str, int]]:
        """Return the files of an application with how many nodes each has, by path."""
        return self._read(
            lambda connection: connection.execute(
                _NODE_COUNTS, (application_id,)
            ).fetchall()
        )

    def nodes_in(self, application_id: str, paths: Sequence[str]) -> list[Node]:
        """Return the nodes in some files."""
        given = ([document_id(path) for path in paths], application_id)
        return self._read(
            lambda connection: list(
                map(unpack_node, connection.execute(_NODES_IN, given))
            )
        )

    def save_plan(
        self,
        plans: Sequence[ChunkPlan],
        *,
        application_id: str,
        covered: Covered | None = None,
    ) -> SavedPlans:
        """Write plans as chunks without content, in one transaction.

        A chunk whose content stays the same keeps what it has.

        Args:
            plans: What to write.
            application_id: The application they were made for.
            covered: What they are all of: other planned chunks of it are deleted. The
                nodes of the plans where None.

        Raises:
            StorageError: The database refused; nothing was changed.
        """
        with self._database.write() as connection:
            saved = plans_.save_plan(connection, plans, application_id, covered)
        if saved.deleted:
            tidy_words(self._database)
        return saved

    def sweep(self, application_id: str, *, strategy: str) -> int:
        """Delete the chunks that another strategy has planned; return how many."""
        with self._database.write() as connection:
            swept = plans_.sweep(connection, application_id, strategy)
        if swept:
            tidy_words(self._database)
        return swept

    def forget_links(self, node_ids: Collection[str]) -> int:
        """Have chunks linked again whose node, or what it is linked with, changed.

        Args:
            node_ids: What `replace_graph` says is changed or touched.

        Returns:
            Of how many chunks the stage `link-edges` counts as not done now.
        """
        with self._database.write() as connection:
            return plans_.forget_links(connection, node_ids)

    def put_facts(
        self,
        connection: Connection,
        chunks: Sequence[StoredChunk],
        facts: Sequence[StageOutcome],
    ) -> int:
        """Write what a stage found, in a transaction; return of how many chunks.

        Args:
            connection: In a transaction of the caller's.
            chunks: The chunks as the stage saw them.
            facts: What it found.
        """
        return facts_.put_facts(connection, chunks, facts)


class PlanRuns:
    """Runs of planning, kept as runs of the store; see `ChunkRunStore`.

    Args:
        runs: The store.
        run_id: A run that was begun by somebody else and goes on after planning; a new
            one is begun, and finished, where None.
        parameters: What else to note of a new run.
    """

    def __init__(
        self,
        runs: RunStore,
        *,
        run_id: int | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._runs = runs
        self._run_id = run_id
        self._parameters = parameters or {}

    def create(self, request: ChunkBuildRequest) -> int:
        """Note that a run has begun; return its id."""
        if self._run_id is not None:
            return self._run_id
        kinds = request.include_kinds
        run = self._runs.create_run(
            RUN_KIND,
            application_id=request.application_id,
            strategy=request.strategy,
            parameters={
                **self._parameters,
                "dry_run": request.dry_run,
                "limit_nodes": request.limit_nodes,
                "batch_size": request.batch_size,
                "include_kinds": None if kinds is None else sorted(map(str, kinds)),
                "with_edges_relations": request.with_edges_relations,
            },
        )
        return run.id

    def progress(self, run_id: int, result: ChunkBuildResult) -> None:
        """Note how far a run is."""
        self._runs.update_run(run_id, statistics=result.statistics())

    def note_errors(self, run_id: int, errors: Sequence[tuple[str, str]]) -> None:
        """Note what failed: (what it concerns, why)."""
        noted = [
            {"stage": "plan", "subject": subject, "error": reason}
            for subject, reason in errors
        ]
        self._runs.update_run(run_id, errors=noted)

    def finish(self, run_id: int, result: ChunkBuildResult) -> None:
        """Note that planning is over, and the run with it unless it goes on."""
        if self._run_id is None:
            self._runs.finish_run(run_id, statistics=result.statistics())
        else:
            self.progress(run_id, result)

    def fail(self, run_id: int, error: str) -> None:
        """Note that a run came to nothing."""
        self._runs.fail_run(run_id, error)
