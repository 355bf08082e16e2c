"""Outcrop in Haystack: a splitter and a retriever.

```python
from outcrop.adapters.haystack import OutcropDocumentSplitter

splitter = OutcropDocumentSplitter(chunk_size=1000)
leaves = splitter.run(documents=documents)["leaves"]
```
"""

from __future__ import annotations

import asyncio
from copy import deepcopy
from threading import Lock
from typing import TYPE_CHECKING, Any

from outcrop.adapters.fields import haystack_fields, haystack_hierarchy, hit_fields
from outcrop.adapters.nodes import DEFAULT_SIZE, DocumentNames, NodeMaker
from outcrop.errors import InputError, MissingExtraError

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.utils import Secret
except ImportError as error:
    raise MissingExtraError("the Haystack adapter", "haystack") from error

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.model.hit import Hit

__all__ = ["OutcropDocumentSplitter", "OutcropRetriever"]

# Of all retrievers: a lock in each could not be copied with it.
_OPENING = Lock()


@component
class OutcropDocumentSplitter:
    """Cuts Markdown into a tree of sections whose leaves are chunks.

    A section's document holds all of its text, so nothing is lost when it replaces its
    children.
    """

    def __init__(  # noqa: PLR0913 - one parameter per setting
        self,
        chunk_size: int = DEFAULT_SIZE,
        chunk_overlap: int = 0,
        *,
        min_chunk_size: int | None = None,
        strategy: str | None = None,
        oversize_blocks: str = "keep",
        oversize_tolerance: float = 0.0,
        code_threshold: float = 0.3,
        structure_threshold: int = 3,
        include_document_summary: bool = True,
        encoding: str | None = None,
        hierarchy: bool = True,
        repeat_context: bool = False,
        uuid_ids: bool = False,
    ) -> None:
        """Make a component.

        Args:
            chunk_size: Maximum size of a chunk: characters, or tokens of `encoding`.
            chunk_overlap: Size of the quotation of each neighbour in the meta; texts
                never overlap.
            min_chunk_size: Smaller chunks are merged; only without a hierarchy.
            strategy: Name of a strategy; chosen by content if None.
            oversize_blocks: `keep` a code block or table over the limit whole, or
                `split` it.
            oversize_tolerance: How far a chunk may exceed its size to stay whole: 0.2 is
                a fifth.
            code_threshold: Share of code from which a document counts as code.
            structure_threshold: Number of headings from which it counts as structured.
            include_document_summary: Whether the root of a hierarchy starts with the
                opening words of the document.
            encoding: Count tokens of this encoding, such as `cl100k_base`.
            hierarchy: Whether to return sections as well as chunks.
            repeat_context: Put what a chunk repeats (the headings of a split section,
                a table's header row, a fence) into its text. It is in the meta in any
                case, as `prefix` and `suffix`.
            uuid_ids: Use UUIDs as ids, for stores that require them.

        Raises:
            ChunkConfigError: A setting is wrong.
        """
        self._settings: dict[str, Any] = {
            "chunk_size": chunk_size,
            "chunk_overlap": chunk_overlap,
            "min_chunk_size": min_chunk_size,
            "strategy": strategy,
            "oversize_blocks": oversize_blocks,
            "oversize_tolerance": oversize_tolerance,
            "code_threshold": code_threshold,
            "structure_threshold": structure_threshold,
            "include_document_summary": include_document_summary,
            "encoding": encoding,
            "hierarchy": hierarchy,
            "repeat_context": repeat_context,
            "uuid_ids": uuid_ids,
        }
        self._nodes = NodeMaker.of(**self._settings)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a dictionary."""
        return default_to_dict(self, **self._settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OutcropDocumentSplitter:
        """Restore a component from its dictionary."""
        return default_from_dict(cls, data)

    @component.output_types(
        documents=list[Document], leaves=list[Document], sections=list[Document]
    )
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Cut documents.

        Args:
            documents: Documents with text.

        Returns:
            `leaves`, the chunks; `sections`, their ancestors; and `documents`, both in
            the order of the text.

        Raises:
            InputError: A document has no text.
        """
        names = DocumentNames()
        made: list[Document] = []
        for document in documents:
            if document.content is None:
                raise InputError(
                    f"document {document.id!r} has no text; convert it to text first"
                )
            name = names.name(document.meta, document.id, document.content)
            made.extend(self._cut(document, document.content, name))
        sections = [one for one in made if one.meta.get("__children_ids")]
        leaves = [one for one in made if not one.meta.get("__children_ids")]
        return {"documents": made, "leaves": leaves, "sections": sections}

    def _cut(self, document: Document, text: str, name: str) -> list[Document]:
        counts = {True: 0, False: 0}
        made = []
        for node in self._nodes.make(text, name):
            meta = deepcopy(document.meta)
            meta.update(haystack_fields(node, document.id, counts[node.is_leaf]))
            counts[node.is_leaf] += 1
            if self._nodes.hierarchy:
                meta.update(haystack_hierarchy(node, self._nodes.config.limit))
            made.append(Document(id=node.id, content=node.text, meta=meta))
        return made


@component
class OutcropRetriever:
    """Finds documents in an `Index`, opened on first use."""

    def __init__(
        self,
        project: str = ".",
        *,
        database_url: Secret | None = None,
        embedder: str | None = None,
        top_k: int = 10,
        kind: str | list[str] | None = None,
        path_glob: str | list[str] | None = None,
        mode: str = "hybrid",
    ) -> None:
        """Make a component.

        Args:
            project: The project's folder.
            database_url: A database to use instead of the embedded one; the default is
                the environment variable `OUTCROP_DATABASE_URL`.
            embedder: Name of the embedder; the default is `OUTCROP_EMBEDDER`.
            top_k: Maximum number of documents.
            kind: Kinds of chunk or sources to search in.
            path_glob: Glob patterns; the path matches one of them.
            mode: `hybrid`, `vector` or `text`.
        """
        self._settings: dict[str, Any] = {
            "project": project,
            "database_url": database_url,
            "embedder": embedder,
            "top_k": top_k,
            "kind": kind,
            "path_glob": path_glob,
            "mode": mode,
        }
        self._index: Index | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a dictionary; a secret is the name of its variable."""
        return default_to_dict(self, **self._settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> OutcropRetriever:
        """Restore a component from its dictionary."""
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Open the index."""
        self._opened()

    def close(self) -> None:
        """Close the index; the next use opens it again."""
        if self._index is not None:
            self._index.close()
            self._index = None

    @component.output_types(documents=list[Document])
    def run(self, query: str, top_k: int | None = None) -> dict[str, list[Document]]:
        """Find documents.

        Args:
            query: A question or keywords.
            top_k: Maximum number of documents, instead of the one set.

        Returns:
            `documents`, best first.
        """
        settings = self._settings
        hits = self._opened().search(
            query,
            settings["top_k"] if top_k is None else top_k,
            kind=settings["kind"],
            path_glob=settings["path_glob"],
            mode=settings["mode"],
        )
        return {"documents": [_from_hit(hit) for hit in hits]}

    @component.output_types(documents=list[Document])
    async def run_async(
        self, query: str, top_k: int | None = None
    ) -> dict[str, list[Document]]:
        """Find documents without blocking; see `run`."""
        return await asyncio.to_thread(self.run, query, top_k)

    def _opened(self) -> Index:
        with _OPENING:  # calls of `run_async` come from several threads
            if self._index is None:
                from outcrop.indexing.index import Index

                secret = self._settings["database_url"]
                self._index = Index.open(
                    self._settings["project"],
                    database_url=None if secret is None else secret.resolve_value(),
                    embedder=self._settings["embedder"],
                )
            return self._index


def _from_hit(hit: Hit) -> Document:
    meta = hit_fields(hit)
    meta["file_path"] = meta.pop("source")
    meta["split_idx_start"] = hit.start_offset
    meta["split_idx_end"] = hit.end_offset
    if hit.headers:
        meta["header"] = hit.headers[-1]
        meta["parent_headers"] = list(hit.headers[:-1])
    return Document(id=hit.id, content=hit.content, meta=meta, score=hit.score)
