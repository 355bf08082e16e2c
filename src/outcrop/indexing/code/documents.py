"""Makes documents of files of code: planned by definition, filled by the stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.source import Source
from outcrop.errors import INTERRUPTS, OutcropError, describe_failure
from outcrop.indexing.documents.prepare import Prepared
from outcrop.indexing.files.content import (
    Content,
    content_hash,
    content_problem,
    fingerprint,
    read_content,
)
from outcrop.indexing.files.kinds import CODE, SYMBOL
from outcrop.model.stored import Document, altered
from outcrop.pipeline.embed import NAME as EMBED
from outcrop.pipeline.inline import GraphContext, run_stages
from outcrop.pipeline.summarize import MODEL as OFFLINE
from outcrop.pipeline.summarize import NAME as SUMMARIZE
from outcrop.planning.plans import planned_chunk
from outcrop.planning.protocols import GraphSource
from outcrop.text.tokens import TokenCounter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.codegraph import Graph
    from outcrop.codegraph.parsed import ParsedFile
    from outcrop.indexing.code.applications import ApplicationFiles
    from outcrop.indexing.files.discover import SourceFile
    from outcrop.indexing.run import Runner
    from outcrop.model.node import Node
    from outcrop.model.stored import StoredChunk
    from outcrop.planning.plans import ChunkPlan
    from outcrop.store.chunks import ChunkState

    _Planned = tuple[Document, list[StoredChunk]]

_BATCH_CHUNKS = 1_000
_BATCH_FILES = 200


class CodeDocuments:
    """Makes documents of the files of one application.

    The nodes of its graph have the paths of documents as their files.
    """

    def __init__(
        self,
        runner: Runner,
        group: ApplicationFiles,
        graph: Graph,
        contents: dict[str, Content],
    ) -> None:
        self._runner = runner
        self._contents = contents
        self._group = group
        self._graph = graph
        self._source = GraphSource(graph)
        self._facts: dict[str, ParsedFile] = {
            group.document_path(path): facts for path, facts in graph.facts.items()
        }
        self._read: dict[str, tuple[str, str]] = {}
        count = TokenCounter(runner.config.encoding)
        self._planner = runner.config.planner(self._text)
        self._context = GraphContext(
            graph, read_text=self._text, embedder=runner.embedder, count=count
        )

    def prepare(self, paths: Sequence[str]) -> Iterator[Prepared]:
        """Yield documents with their chunks, or the problem of a file."""
        batch: list[_Planned] = []
        chunks = 0
        for path in paths:
            file = self._group.files[path]
            planned = self._prepare_file(file)
            if isinstance(planned, Prepared):
                yield planned
                continue
            batch.append(planned)
            chunks += len(batch[-1][1])
            if chunks >= _BATCH_CHUNKS or len(batch) >= _BATCH_FILES:
                yield from self._fill(batch)
                batch, chunks = [], 0
        yield from self._fill(batch)

    def prepare_symbols(self) -> Iterator[Prepared]:
        """Yield documents of nodes without a file, where the strategy plans those."""
        by_name: dict[str, list[Node]] = {}
        for node in self._graph.nodes:
            if node.file_path is None:
                by_name.setdefault(node.fqn, []).append(node)
        batch: list[_Planned] = []
        for name, nodes in by_name.items():
            edges = {node.id: self._graph.outgoing(node.id) for node in nodes}
            if plans := self._planner.plan_nodes(nodes, edges):
                lang = nodes[0].lang
                document = Document(path=name, kind=SYMBOL, lang=lang, fingerprint="")
                batch.append((document, self._chunks(plans)))
        yield from self._fill(batch)

    def digests(self) -> dict[str, str]:
        """Return the hashes of the files that were read, by path."""
        found = {path: facts.digest for path, facts in self._facts.items()}
        found.update({path: digest for path, (_, digest) in self._read.items()})
        return found

    def _prepare_file(self, file: SourceFile) -> _Planned | Prepared:
        """Return a document with its planned chunks, or the problem of the file."""
        if file.path not in self._facts:
            content = self._contents.pop(file.path, None) or read_content(file.file)
            if content is None:
                return _failed(file.path, "unreadable")
            problem = content_problem(CODE, content.data)
            if problem:
                return Prepared(path=file.path, problem=problem)
            self._read[file.path] = (Source(content.data).text, content.digest)
        try:
            return self._plan(file)
        except INTERRUPTS:
            raise
        except BaseException as error:  # noqa: BLE001 - one file must not end the run
            return _failed(file.path, describe_failure(error))

    def _text(self, path: str) -> str | None:
        facts = self._facts.get(path)
        if facts is not None:
            return facts.text
        read = self._read.get(path)
        return None if read is None else read[0]

    def _plan(self, file: SourceFile) -> _Planned:
        path = file.path
        nodes = self._source.nodes_in(self._group.name, [path])
        edges = {node.id: self._graph.outgoing(node.id) for node in nodes}
        plans = self._planner.plan(path, file.lang, nodes, edges)
        facts = self._facts.get(path)
        digest = facts.digest if facts is not None else self._read[path][1]
        document = Document(
            path=path,
            kind=CODE,
            lang=file.lang,
            fingerprint=fingerprint(digest, CODE, self._runner.config, file.lang),
            content_hash=digest,
            size_bytes=_size(self._text(path) or "", digest),
            modified_ns=file.modified_ns,
        )
        return document, self._chunks(plans)

    def _chunks(self, plans: Sequence[ChunkPlan]) -> list[StoredChunk]:
        return [planned_chunk(plan, self._group.name) for plan in plans]

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
        kept = self._runner.store.chunk_states([document.path for document, _ in batch])
        chunks = [
            _with_kept(chunk, kept.get(chunk.id), self._runner.embedder.name)
            for _, planned in batch
            for chunk in planned
        ]
        result = run_stages(chunks, self._context)
        filled = {chunk.id: _as_done(chunk) for chunk in result.chunks}
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
    done = []
    if known.explain_model not in (None, OFFLINE):
        done.append(SUMMARIZE)
    if known.search_hash is None or known.embed_model != model:
        pass
    elif known.content_key == chunk.pipeline["content_key"]:
        done.append(EMBED)
    if not done:
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
