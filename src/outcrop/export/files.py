"""Files of chunks: lines of JSON, or a Parquet file with a column per field."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError
from outcrop.export.target import PROJECT_FIELD, complete_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk

_TEXTS = ("id", "path", "content", "kind", "source", "title", "language")
_NUMBERS = (
    *("level", "token_count", "start_line", "end_line"),
    *("start_offset", "end_offset"),
)


def write_jsonl(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> None:
    """Write a line for each chunk; the file appears when it is complete."""
    with (
        complete_file(export) as file,
        file.open("w", encoding="utf-8", errors="replace") as lines,
    ):
        for page in pages:
            for chunk in page:
                record = {**_own_values(chunk), "metadata": export.metadata(chunk)}
                lines.write(f"{json.dumps(record)}\n")


def write_parquet(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> None:
    """Write a row for each chunk, with vectors as lists of 32-bit floats."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise MissingExtraError("a Parquet file", "arrow") from error
    schema = pa.schema(
        [
            *(pa.field(name, pa.string()) for name in _TEXTS),
            pa.field("headers", pa.list_(pa.string())),
            *(pa.field(name, pa.int64()) for name in _NUMBERS),
            pa.field(PROJECT_FIELD, pa.string()),
            pa.field("vector", pa.list_(pa.float32(), export.dimension)),
        ]
    )
    with (
        complete_file(export) as file,
        pq.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        for page in pages:
            rows = [{**_own_values(chunk), **export.metadata(chunk)} for chunk in page]
            writer.write_table(pa.Table.from_pylist(rows, schema=schema))


def _own_values(chunk: EmbeddedChunk) -> dict[str, Any]:
    return {"id": chunk.id, "content": chunk.content, "vector": chunk.vector}
