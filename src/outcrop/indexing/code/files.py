"""Makes documents of files of code: planned by definition, filled by the stages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcrop.codegraph.source import Source
from outcrop.errors import INTERRUPTS, OutcropError, describe_failure
from outcrop.indexing.code.tasks import CodeTask, Neighbourhood
from outcrop.indexing.documents.prepare import Prepared
from outcrop.indexing.files.content import (
    content_hash,
    content_problem,
    fingerprint,
    read_content,
)
from outcrop.indexing.files.kinds import CODE, SYMBOL
from outcrop.model.stored import Document, altered
from outcrop.pipeline.embed import NAME as EMBED
from outcrop.pipeline.extract_snippet import NAME as EXTRACT
from outcrop.pipeline.inline import GraphContext, run_stages
from outcrop.pipeline.summarize import MODEL as OFFLINE
from outcrop.pipeline.summarize import NAME as SUMMARIZE
from outcrop.planning.plans import ChunkText, planned_chunk
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.model.stored import StoredChunk
    from outcrop.planning.plans import ChunkPlan
    from outcrop.providers.embedder import Embedder
    from outcrop.store.chunks import ChunkState
    from outcrop.store.store import PostgresStore

    _Planned = tuple[Document, list[StoredChunk]]

_BATCH_CHUNKS = 2_000


class CodeFiles:
    """Makes documents of some files.

    Attributes:
        digests: Content hashes of the files that the graph did not read, by path.
    """

    def __init__(
        self, store: PostgresStore, embedder: Embedder, config: IndexConfig
    ) -> None:
        self.digests: dict[str, str] = {}
        self._store = store
        self._config = config
        self._embedder = embedder
        self._texts: dict[str, str] = {}
        self._facts = Neighbourhood()
        self._count = TokenCounter(config.encoding)
        self._planner = config.planner(self._texts.get)
        self._context = GraphContext(
            self._facts,
            read_text=self._texts.get,
            embedder=embedder,
            count=self._count,
        )

    def prepare(self, tasks: Sequence[CodeTask]) -> Iterator[Prepared]:
        """Yield documents with their chunks, or the problem of a file."""
        batch: list[_Planned] = []
        chunks = 0
        for task in tasks:
            planned = self._prepare_file(task)
            if isinstance(planned, Prepared):
                yield planned
                continue
            batch.append(planned)
            chunks += len(planned[1])
            if chunks >= _BATCH_CHUNKS:
                yield from self._fill(batch)
                batch, chunks = [], 0
        yield from self._fill(batch)

    def _prepare_file(self, task: CodeTask) -> _Planned | Prepared:
        """Return a document with its planned chunks, or the problem of the file."""
        text, digest = task.text, task.digest
        if text is None and task.kind == CODE:
            content = task.content or read_content(Path(task.file))
            if content is None:
                return _failed(task.path, "unreadable")
            problem = content_problem(CODE, content.data)
            if problem:
                return Prepared(path=task.path, problem=problem)
            text, digest = Source(content.data).text, content.digest
            self.digests[task.path] = digest
        try:
            return self._plan(task, text or "", digest)
        except INTERRUPTS:
            raise
        except BaseException as error:  # noqa: BLE001 - one file must not end the run
            return _failed(task.path, describe_failure(error))

    def _plan(self, task: CodeTask, text: str, digest: str) -> _Planned:
        path = task.path
        nodes = self._facts.add(task.facts, text)
        edges = {node.id: self._facts.outgoing(node.id) for node in nodes}
        if task.kind == SYMBOL:
            plans = self._planner.plan_nodes(nodes, edges)
            document = Document(path=path, kind=SYMBOL, lang=task.lang, fingerprint="")
        else:
            self._texts[path] = text
            plans = self._planner.plan(path, task.lang, nodes, edges)
            document = Document(
                path=path,
                kind=CODE,
                lang=task.lang,
                fingerprint=fingerprint(digest, CODE, self._config, task.lang),
                content_hash=digest,
                size_bytes=_size(text, digest),
                modified_ns=task.modified_ns,
            )
        return document, [
            planned_chunk(plan, task.application, text=self._text_of(plan))
            for plan in plans
        ]

    def _text_of(self, plan: ChunkPlan) -> ChunkText | None:
        """Return the text of a chunk, as the first stage would read it."""
        own = plan.text
        if own is None or plan.pipeline.stages[0] != EXTRACT:
            return None
        content = f"{plan.prefix}{own}{plan.suffix}"
        tokens = plan.tokens if content == own else None
        return ChunkText(
            content=content,
            own=own,
            tokens=self._count(content) if tokens is None else tokens,
        )

    def _fill(self, batch: Sequence[_Planned]) -> list[Prepared]:
        """Run the stages on documents; leave out a single document that fails."""
        try:
            return self._through_stages(batch) if batch else []
        except (*INTERRUPTS, OutcropError, OSError):
            raise  # these do not concern a single document
        except BaseException as error:  # noqa: BLE001 - one file must not end the run
            if len(batch) > 1:
                return [filled for each in batch for filled in self._fill([each])]
            return [_failed(batch[0][0].path, describe_failure(error))]

    def _through_stages(self, batch: Sequence[_Planned]) -> list[Prepared]:
        kept = self._store.chunk_states([document.path for document, _ in batch])
        chunks = [
            _with_kept(chunk, kept.get(chunk.id), self._embedder.name)
            for _, planned in batch
            for chunk in planned
        ]
        done = run_stages(chunks, self._context)
        filled = {chunk.id: _as_done(chunk) for chunk in done}
        return [
            Prepared(
                path=document.path,
                document=document,
                chunks=[filled[chunk.id] for chunk in planned if chunk.id in filled],
            )
            for document, planned in batch
        ]


def _failed(path: str, problem: str) -> Prepared:
    return Prepared(path=path, problem=problem, keeps_stored=True)


def _size(text: str, digest: str) -> int:
    """Return the size of the file as it was read; it may have grown since."""
    if text.isascii():
        return len(text)
    data = text.encode()
    # A file that is not UTF-8 was read as Latin-1: one byte per character.
    return len(data) if content_hash(data) == digest else len(text)


def _with_kept(chunk: StoredChunk, known: ChunkState | None, model: str) -> StoredChunk:
    """Return a chunk that skips the stages whose outcome is stored already.

    Equal content has equal terms and an equal vector. An explanation by a language model
    is kept; one made offline depends on the graph and is made again.
    """
    if known is None:
        return chunk
    done = list(chunk.pipeline.get("done", ()))
    before = len(done)
    if known.explain_model not in (None, OFFLINE):
        done.append(SUMMARIZE)
    if known.search_hash is None or known.embed_model != model:
        pass
    elif known.content_key == chunk.pipeline["content_key"]:
        done.append(EMBED)
    if len(done) == before:
        return chunk
    values: dict[str, Any] = {"pipeline": {**chunk.pipeline, "done": done}}
    if EMBED in done:
        values.update(search_hash=known.search_hash, indexable=True)
    return altered(chunk, values)


def _as_done(chunk: StoredChunk) -> StoredChunk:
    """Return a chunk with all its stages marked as done, including skipped ones."""
    stages = chunk.pipeline.get("stages", [])
    if chunk.pipeline.get("done") == stages:
        return chunk
    return altered(chunk, {"pipeline": {**chunk.pipeline, "done": stages}})
