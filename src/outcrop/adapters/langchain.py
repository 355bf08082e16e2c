"""Outcrop in LangChain: two text splitters and a retriever.

```python
from outcrop.adapters.langchain import OutcropMarkdownSplitter

documents = OutcropMarkdownSplitter(chunk_size=1000).split_documents(documents)
```
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from outcrop.adapters.code import code_pieces
from outcrop.adapters.fields import HeadingLevels, hit_fields, langchain_fields
from outcrop.adapters.nodes import DEFAULT_SIZE, DocumentNames, NodeMaker, Searchable
from outcrop.errors import MissingExtraError

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_text_splitters import TextSplitter
    from pydantic import SkipValidation
except ImportError as error:
    raise MissingExtraError("the LangChain adapter", "langchain") from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )

    from outcrop.model.hit import Hit

__all__ = ["OutcropCodeSplitter", "OutcropMarkdownSplitter", "OutcropRetriever"]

_PLAIN = (str, int, float, bool, type(None))


class _ExactSplitter(TextSplitter):
    """A text splitter whose documents know their offsets."""

    def _cut(
        self, text: str, document: str, metadata: dict[Any, Any]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Yield id, text and fields of each piece of a document."""
        raise NotImplementedError

    def create_documents(
        self, texts: list[str], metadatas: list[dict[Any, Any]] | None = None
    ) -> list[Document]:
        """Cut texts into documents.

        Args:
            texts: The texts.
            metadatas: Metadata of each text, copied to its documents.
        """
        given = metadatas or [{} for _ in texts]
        triples = zip(texts, given, [None] * len(texts), strict=True)
        return self._documents(triples)

    def split_documents(self, documents: Iterable[Document]) -> list[Document]:
        """Cut documents into smaller ones.

        Args:
            documents: The documents; the ids of the pieces depend on `source` in the
                metadata, or else on the document's id.
        """
        return self._documents((d.page_content, d.metadata, d.id) for d in documents)

    def _documents(
        self, given: Iterable[tuple[str, dict[Any, Any], str | None]]
    ) -> list[Document]:
        names = DocumentNames()
        made = []
        for text, metadata, own_id in given:
            is_plain = all(isinstance(value, _PLAIN) for value in metadata.values())
            for key, content, fields in self._cut(
                text, names.name(metadata, own_id, text), metadata
            ):
                above = metadata if is_plain else deepcopy(metadata)
                made.append(
                    Document(id=key, page_content=content, metadata={**above, **fields})
                )
        return made


class OutcropMarkdownSplitter(_ExactSplitter):
    """Cuts Markdown without splitting blocks or separating headings from text."""

    def __init__(  # noqa: PLR0913 - one parameter per setting
        self,
        chunk_size: int = DEFAULT_SIZE,
        chunk_overlap: int = 0,
        length_function: Callable[[str], int] = len,
        *,
        add_start_index: bool = True,
        min_chunk_size: int | None = None,
        strategy: str | None = None,
        oversize_blocks: str = "keep",
        oversize_tolerance: float = 0.0,
        code_threshold: float = 0.3,
        structure_threshold: int = 3,
        include_document_summary: bool = True,
        hierarchy: bool = False,
        repeat_context: bool = False,
        flat_metadata: bool = False,
        uuid_ids: bool = False,
    ) -> None:
        """Make a splitter.

        Args:
            chunk_size: Maximum size of a chunk.
            chunk_overlap: Size of the quotation of each neighbour in the metadata;
                texts never overlap.
            length_function: Counts the size of a text.
            add_start_index: Add the offsets in the source as `start_index` and
                `end_index`.
            min_chunk_size: Smaller chunks are merged with a neighbour.
            strategy: Name of a strategy; chosen by content if None.
            oversize_blocks: `keep` a code block or table over the limit whole, or
                `split` it.
            oversize_tolerance: How far a chunk may exceed its size to stay whole: 0.2 is
                a fifth.
            code_threshold: Share of code from which a document counts as code.
            structure_threshold: Number of headings from which it counts as structured.
            include_document_summary: Whether the root of a hierarchy starts with the
                opening words of the document.
            hierarchy: Also return sections with their whole text, linked by
                `parent_id` and `children_ids`.
            repeat_context: Put what a chunk repeats (the headings of a split section,
                a table's header row, a fence) into its text. It is in the metadata in
                any case, as `prefix` and `suffix`.
            flat_metadata: Leave out lists, for stores that take only single values.
            uuid_ids: Use UUIDs as ids, for stores that require them.

        Raises:
            ValueError: A setting is wrong.
        """
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            length_function=length_function,
            add_start_index=add_start_index,
        )
        self._flat = flat_metadata
        self._nodes = NodeMaker.of(
            hierarchy=hierarchy,
            repeat_context=repeat_context,
            uuid_ids=uuid_ids,
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            min_chunk_size=min_chunk_size,
            strategy=strategy,
            oversize_blocks=oversize_blocks,
            oversize_tolerance=oversize_tolerance,
            code_threshold=code_threshold,
            structure_threshold=structure_threshold,
            include_document_summary=include_document_summary,
            length=None if length_function is len else length_function,
        )

    def split_text(self, text: str) -> list[str]:
        """Cut a text and return the texts of its chunks.

        Args:
            text: Markdown.
        """
        return self._nodes.texts(text)

    def _cut(
        self, text: str, document: str, metadata: dict[Any, Any]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        levels = HeadingLevels(text)
        for node in self._nodes.make(text, document):
            fields = langchain_fields(node, levels, flat=self._flat)
            if not self._add_start_index:
                del fields["start_index"], fields["end_index"]
            yield node.id, node.text, fields


class OutcropCodeSplitter(_ExactSplitter):
    """Cuts source code at its definitions, then at statements, then at lines."""

    def __init__(
        self,
        chunk_size: int = DEFAULT_SIZE,
        length_function: Callable[[str], int] = len,
        *,
        language: str | None = None,
        add_start_index: bool = True,
        repeat_context: bool = False,
        uuid_ids: bool = False,
    ) -> None:
        """Make a splitter.

        Args:
            chunk_size: Maximum size of a piece.
            length_function: Counts the size of a text.
            language: Name of the language; by default it is detected by the extension
                of `source` or `file_path` in the metadata.
            add_start_index: Add the offsets in the source as `start_index` and
                `end_index`.
            repeat_context: Put the signatures of the definitions that a piece continues
                before its text. They are in the metadata in any case, as `prefix`.
            uuid_ids: Use UUIDs as ids, for stores that require them.
        """
        super().__init__(
            chunk_size=chunk_size,
            chunk_overlap=0,
            length_function=length_function,
            add_start_index=add_start_index,
        )
        self._language = language
        self._repeat_context = repeat_context
        self._uuid_ids = uuid_ids

    def split_text(self, text: str) -> list[str]:
        """Cut a text of the given language.

        Args:
            text: Source code.

        Raises:
            UnknownLanguageError: No language was given.
        """
        return [content for _, content, _ in self._cut(text, "", {})]

    def _cut(
        self, text: str, document: str, metadata: dict[Any, Any]
    ) -> Iterator[tuple[str, str, dict[str, Any]]]:
        pieces = code_pieces(
            text,
            document,
            language=self._language,
            metadata=metadata,
            limit=self._chunk_size,
            length=self._length_function,
            uuid_ids=self._uuid_ids,
        )
        for piece in pieces:
            fields = dict(piece.fields)
            if not self._add_start_index:
                del fields["start_index"], fields["end_index"]
            content = piece.content if self._repeat_context else piece.text
            yield piece.id, content, fields


class OutcropRetriever(BaseRetriever):
    """Finds documents in an `Index`.

    Attributes:
        index: An open `Index`.
        k: Maximum number of documents.
        kind: Kinds of chunk or sources to search in.
        path_glob: Glob patterns; the path matches one of them.
        depth: A level of the hierarchy, or the minimum and the maximum.
        document: Paths of documents to search in.
        mode: `hybrid`, `vector` or `text`.
    """

    index: SkipValidation[Searchable]
    k: int = 10
    kind: str | Sequence[str] | None = None
    path_glob: str | Sequence[str] | None = None
    depth: int | tuple[int, int] | None = None
    document: str | Sequence[str] | None = None
    mode: str = "hybrid"

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        return [_from_hit(hit) for hit in self._search(query)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        hits = await asyncio.to_thread(self._search, query)
        return [_from_hit(hit) for hit in hits]

    def _search(self, query: str) -> list[Hit]:
        return self.index.search(
            query,
            self.k,
            kind=self.kind,
            path_glob=self.path_glob,
            depth=self.depth,
            document=self.document,
            mode=self.mode,
        )


def _from_hit(hit: Hit) -> Document:
    fields = hit_fields(hit)
    fields["start_index"] = hit.start_offset
    fields["end_index"] = hit.end_offset
    fields["score"] = hit.score
    return Document(id=hit.id, page_content=hit.content, metadata=fields)
