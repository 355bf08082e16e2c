"""A Parquet file: a column per field, vectors as lists of 32-bit floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import MissingExtraError
from outcrop.export.target import PROJECT_FIELD, complete_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a file; it appears when it is complete."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "arrow") from error
    schema = _schema(pa, export)
    count = 0
    with (
        complete_file(export) as file,
        pq.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for page in pages:
            rows = [_row(export, chunk) for chunk in page]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            count += len(page)
    return count


def _schema(pa: Any, export: Export) -> Any:
    texts = ("id", "path", "content", "kind", "source", "title", "language")
    numbers = (
        *("level", "token_count", "start_line", "end_line"),
        *("start_offset", "end_offset"),
    )
    return pa.schema(
        [
            *(pa.field(name, pa.string()) for name in texts),
            pa.field("headers", pa.list_(pa.string())),
            *(pa.field(name, pa.int64()) for name in numbers),
            pa.field(PROJECT_FIELD, pa.string()),
            pa.field("vector", pa.list_(pa.float32(), export.dimension)),
        ]
    )


def _row(export: Export, chunk: EmbeddedChunk) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "content": chunk.content,
        "vector": chunk.vector,
        **export.metadata(chunk),
    }
