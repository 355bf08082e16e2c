"""Runs all stages in this process, without queue or database."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outcrop.model.stored import altered
from outcrop.pipeline.stages import STAGES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.model.edge import Edge
    from outcrop.model.stage_outcome import StageOutcome
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import Stage, StageContext

_FOR_OTHERS = frozenset([
    "explain_md", "explain_quality", "search_hash", "terms", "indexable", "emb",
    "embed_model", "uses_md", "used_by_md", "relations", "used_objects",
])  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A chunk that a stage failed on.

    Attributes:
        chunk: The chunk as the stages before left it.
        stage: Name of the stage.
        reason: Why it failed.
        is_stale: Whether its file has changed since, so that it must be planned again.
    """

    chunk: StoredChunk
    stage: str
    reason: str
    is_stale: bool


@dataclass(slots=True, kw_only=True)
class StagedResult:
    """The result of running stages on some chunks.

    Attributes:
        chunks: Chunks whose stages are all complete, in the order given.
        mentions: Edges from chunks of documents to symbols.
        failures: The other chunks.
    """

    chunks: list[StoredChunk] = field(default_factory=list)
    mentions: list[Edge] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def run_stages(
    chunks: Sequence[StoredChunk],
    context: StageContext,
    *,
    stages: Mapping[str, Stage] = STAGES,
) -> StagedResult:
    """Run the stages that the plans of chunks name.

    Args:
        chunks: The planned chunks. One that carries the stored `search_hash` and
            `embed_model` is not embedded again if its text is the same.
        context: What stages read, and the models they call.
        stages: All stages by name, in order.

    Raises:
        StageError: A model failed for the whole batch.
    """
    result = StagedResult()
    work = [_Work(chunk) for chunk in chunks]
    for name, stage in stages.items():
        batch = [item for item in work if name in item.left and item.failure is None]
        if not batch:
            continue
        outcomes = stage.run([item.current() for item in batch], context)
        for item, outcome in zip(batch, outcomes, strict=True):
            item.take(name, outcome)
            result.mentions += outcome.mentions or ()
    for item in work:
        if item.failure is not None:
            result.failures.append(item.failure)
        else:
            result.chunks.append(item.finished())
    return result


class _Work:
    """A chunk between stages, and the values to be added to it."""

    __slots__ = ("_chunk", "_done", "_found", "failure", "left")

    def __init__(self, chunk: StoredChunk) -> None:
        self._chunk = chunk
        self._found: dict[str, Any] = {}
        self._done: list[str] = list(chunk.pipeline.get("done", ()))
        self.left = frozenset(chunk.pipeline.get("stages", ())).difference(self._done)
        self.failure: Failure | None = None

    def current(self) -> StoredChunk:
        """Return the chunk as the next stage needs it."""
        # Copying a chunk costs as much as a small stage, and no later stage reads the
        # values that are for people and for search.
        return self._chunk if self._found.keys() <= _FOR_OTHERS else self._built()

    def _built(self) -> StoredChunk:
        if self._found:
            self._chunk = altered(self._chunk, self._found)
            self._found = {}
        return self._chunk

    def take(self, stage: str, outcome: StageOutcome) -> None:
        if outcome.error:
            self.failure = Failure(
                chunk=self._built(),
                stage=stage,
                reason=outcome.error,
                is_stale=outcome.is_stale,
            )
            return
        self._found.update(outcome.values)
        self._done.append(stage)

    def finished(self) -> StoredChunk:
        if self._done:
            pipeline = {**self._chunk.pipeline, "done": self._done}
            self._found["pipeline"] = pipeline
        return self._built()
