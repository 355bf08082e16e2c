"""The documents of the index; their text is what was indexed."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from starlette.convertors import Convertor, register_url_convertor

from outcrop.errors import InputError
from outcrop.http.problems import problems
from outcrop.http.requests import read_cursor, read_number, write_cursor
from outcrop.http.results import DocumentDetail, DocumentPage
from outcrop.http.service import Served
from outcrop.indexing.documents.document_text import leaves_of, text_of

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex


class DocumentPathConvertor(Convertor[str]):
    """Takes the rest of an address; the framework's own stops at a line end."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """Return the path as it was sent."""
        return value

    def to_string(self, value: str) -> str:
        """Return the path as it is."""
        return value


register_url_convertor("document", DocumentPathConvertor())

DOCUMENT_ROUTE = "/documents/{path:document}"


_MAX_OFFSET = 2**63 - 1  # of the database; a cursor may name a larger number
router = APIRouter(prefix="/v1", tags=["documents"], responses=problems())

Limit = Annotated[int, Query(ge=1, le=1000, description="Maximum number of items.")]
Cursor = Annotated[
    str | None,
    Query(max_length=8000, description="`next_cursor` of the previous page."),
]
DocumentPath = Annotated[str, Path(max_length=4096, examples=["docs/guide.md"])]


@router.get("/documents", summary="List the documents")
async def list_documents(
    service: Served, limit: Limit = 100, cursor: Cursor = None
) -> DocumentPage:
    """Return documents by path, a page at a time."""
    after = read_cursor(cursor)
    return await service.jobs.run(lambda: _page(service.index, after, limit))


@router.get(
    DOCUMENT_ROUTE,
    summary="Read a document",
    responses=problems(HTTPStatus.NOT_FOUND),
)
async def read_document(
    path: DocumentPath,
    service: Served,
    *,
    limit: Limit = 100,
    cursor: Cursor = None,
    text: Annotated[bool, Query(description="Also return the text.")] = False,
) -> DocumentDetail:
    """Return a document by its path in the index, with its chunks a page at a time."""
    first = read_number(cursor)
    return await service.jobs.run(
        lambda: _detail(service.index, path, first, limit, with_text=text)
    )


def _page(index: AnyIndex, after: str, limit: int) -> DocumentPage:
    # One more than is shown, to know whether there are more.
    found = index.documents(after=after, limit=limit + 1)
    items = found[:limit]
    return DocumentPage.of(
        items=items,
        next_cursor=write_cursor(items[-1].path) if len(found) > limit else None,
    )


def _detail(
    index: AnyIndex, path: str, first: int, limit: int, *, with_text: bool
) -> DocumentDetail:
    check_path(path)
    document = index.store.get_document(path)
    # One more than is shown, to know whether there are more.
    chunks = index.store.chunks_of(
        path, limit=limit + 1, offset=min(first, _MAX_OFFSET)
    )
    text = text_of(leaves_of(index.store.chunks_of(path))) if with_text else None
    return DocumentDetail.of(
        document=document,
        chunks=chunks[:limit],
        text=text,
        next_cursor=write_cursor(str(first + limit)) if len(chunks) > limit else None,
    )


def check_path(path: str) -> None:
    """Reject a path that no document can have."""
    if "\0" in path:
        raise InputError(f"invalid path {path!r}: it holds a NUL")
