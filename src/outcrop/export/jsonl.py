"""Lines of JSON: one chunk each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.export.target import Export
    from outcrop.store.embedded_chunks import EmbeddedChunk


def write(export: Export, pages: Iterator[Sequence[EmbeddedChunk]]) -> int:
    """Write a file; it appears when it is complete."""
    file, count = Path(export.destination), 0
    fresh = file.with_name(f"{file.name}.{export.run}")
    try:
        with fresh.open("w", encoding="utf-8", errors="replace") as lines:
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
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)
    return count
