"""Embeds chunks whose text has changed."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.model.stored import altered
from outcrop.text.search_text import embedded_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from outcrop.indexing.documents.prepare import Prepared
    from outcrop.model.stored import StoredChunk
    from outcrop.providers.embedder import Embedder
    from outcrop.store.store import PostgresStore

_PAGE = 1000


def identify(embedder: Embedder) -> EmbedderIdentity:
    """Return the identity of an embedder that an index stores."""
    return EmbedderIdentity(name=embedder.name, dimension=embedder.dimension)


def embed_documents(
    documents: Sequence[Prepared], store: PostgresStore, embedder: Embedder
) -> list[Prepared]:
    """Return documents with embedded chunks.

    A chunk whose text is stored with an embedding has none here: the store keeps its
    own.
    """
    known = store.embedded_hashes([each.path for each in documents])
    chunks = [chunk for each in documents for chunk in each.chunks]
    done = iter(embed_chunks(chunks, known, embedder))
    return [
        replace(each, chunks=list(islice(done, len(each.chunks)))) for each in documents
    ]


def embed_chunks(
    chunks: Sequence[StoredChunk], known: Mapping[str, str], embedder: Embedder
) -> list[StoredChunk]:
    """Return chunks, embedded where the text is new.

    `known` holds the search hashes of chunks that are stored with an embedding, by id.
    """
    new = [
        chunk
        for chunk in chunks
        if chunk.indexable and known.get(chunk.id) != chunk.search_hash
    ]
    if not new:
        return list(chunks)
    vectors = embedder.embed([embedded_text(chunk) for chunk in new])
    embedded = {
        chunk.id: altered(chunk, {"emb": vector, "embed_model": embedder.name})
        for chunk, vector in zip(new, vectors, strict=True)
    }
    return [embedded.get(chunk.id, chunk) for chunk in chunks]


def embed_missing(
    store: PostgresStore,
    embedder: Embedder,
    on_page: Callable[[int], None] | None = None,
) -> int:
    """Embed all searchable chunks without an embedding; return how many.

    `on_page` is called with the number of embedded chunks after each page.
    """
    done, after = 0, ""
    while page := store.unembedded(after=after, limit=_PAGE):
        after = page[-1].id
        vectors = embedder.embed([embedded_text(chunk) for chunk in page])
        done += store.put_embeddings(
            {chunk.id: vector for chunk, vector in zip(page, vectors, strict=True)},
            model=embedder.name,
            search_hashes={chunk.id: chunk.search_hash for chunk in page},
        )
        if on_page is not None:
            on_page(done)
    return done


def reembed(
    store: PostgresStore,
    embedder: Embedder,
    *,
    force: bool = False,
    on_page: Callable[[int], None] | None = None,
) -> int:
    """Embed what an embedder has not embedded yet; see `Index.reembed`."""
    identity = identify(embedder)
    if force or store.embedder() != identity:
        store.change_embedder(identity)
    done = embed_missing(store, embedder, on_page)
    if done:
        store.maintain()
    return done
