"""Lines of JSON: one chunk each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from outcrop.export.target import complete_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.vectors import EmbeddedChunk


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a file; it appears when it is complete."""
    count = 0
    with (
        complete_file(export) as file,
        file.open("w", encoding="utf-8", errors="replace") as lines,
    ):
        for page in pages:
            for chunk in page:
                record = {
                    "id": chunk.id,
                    "content": chunk.content,
                    "vector": chunk.vector,
                    "metadata": export.metadata(chunk),
                }
                lines.write(f"{json.dumps(record)}\n")
            count += len(page)
    return count
