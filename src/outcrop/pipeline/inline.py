"""Running all stages at once, in this process: no queue, no database."""

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
    """A chunk that a stage could not do.

    Attributes:
        chunk: The chunk, as far as it came.
        stage: Name of the stage.
        reason: What went wrong.
        is_stale: Its file has changed meanwhile: plan it again.
    """

    chunk: StoredChunk
    stage: str
    reason: str
    is_stale: bool


@dataclass(slots=True, kw_only=True)
class StagedResult:
    """What the stages made of some chunks.

    Attributes:
        chunks: Those that went through all their stages, in the order given.
        mentions: Edges from chunks of documents to symbols.
        failures: Those that did not.
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
    """Take chunks through the stages that their plans name.

    Args:
        chunks: As planned. Give a chunk the `search_hash` and `embed_model` that the
            store has of it, and it is not embedded again where its text is the same.
        context: What stages read, and the models they ask.
        stages: All stages by name, in order.

    Raises:
        StageError: A model failed altogether.
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
    """A chunk on its way, and what was found out about it since it was last built."""

    __slots__ = ("_chunk", "_done", "_found", "failure", "left")

    def __init__(self, chunk: StoredChunk) -> None:
        self._chunk = chunk
        self._found: dict[str, Any] = {}
        self._done: list[str] = list(chunk.pipeline.get("done", ()))
        self.left = frozenset(chunk.pipeline.get("stages", ())).difference(self._done)
        self.failure: Failure | None = None

    def current(self) -> StoredChunk:
        """Return the chunk as the next stage needs it."""
        # To build a chunk anew costs as much as a small stage, and what is for people
        # and for search no other stage reads.
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
