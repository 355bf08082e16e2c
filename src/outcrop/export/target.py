"""An export: what every record has, and the target, chosen by name."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError, OutcropError, StorageError, describe_failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.store.vectors import EmbeddedChunk

    Write = Callable[["Export", Iterator[Sequence[EmbeddedChunk]]], None]

# Target -> the module of this package and the function that write it.
TARGETS = {
    "qdrant": ("stores", "write_qdrant"),
    "chroma": ("stores", "write_chroma"),
    "pgvector": ("stores", "write_pgvector"),
    "jsonl": ("files", "write_jsonl"),
    "parquet": ("files", "write_parquet"),
}
_FILES = frozenset(["jsonl", "parquet"])  # take chunks without a vector too
DEFAULT_COLLECTION = "outcrop"
PROJECT_FIELD = "outcrop_project"
RUN_FIELD = "outcrop_run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """One export of an index.

    Every record has the project and the run, so that the next export of the project
    can delete what no longer exists, and nothing else.
    """

    project: str  # name of the project
    dimension: int  # length of the vectors
    destination: str  # a file, a folder or a URL, depending on the target
    collection: str  # name of the collection or table
    # Random name of this export.
    run: str = field(default_factory=lambda: secrets.token_hex(8))

    def metadata(self, chunk: EmbeddedChunk) -> dict[str, Any]:
        """Return the metadata of a chunk as JSON values, without empty ones."""
        known = {"chunk_id": chunk.id, "path": chunk.path, **chunk.fields}
        known |= {PROJECT_FIELD: self.project, RUN_FIELD: self.run}
        return {name: value for name, value in known.items() if value not in (None, [])}


@contextmanager
def complete_file(export: Export) -> Iterator[Path]:
    """Yield a new file, which becomes the destination when it is complete.

    Raises:
        InputError: The destination is a folder, or its own folder does not exist.
    """
    file = Path(export.destination)
    if file.is_dir():
        raise InputError(f"{file} is a folder; name a file in it")
    if not file.parent.is_dir():
        raise InputError(f"{file.parent} is not a folder; create it first")
    fresh = file.with_name(f"{file.name}.{export.run}")
    try:
        yield fresh
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def export_index(
    index: AnyIndex,
    target: str,
    destination: str,
    *,
    collection: str = DEFAULT_COLLECTION,
) -> tuple[int, int]:
    """Write the chunks that search finds, with vectors and metadata.

    The destination is a file, a folder or a URL, depending on the target.

    Returns:
        How many chunks were written, and how many were left out because they have no
        vector, which files do not need.

    Raises:
        InputError: The target is unknown, or the index holds no vectors.
        MissingExtraError: The target's library is not installed.
        StorageError: A database of the index failed, or the target did.
    """
    if target not in TARGETS:
        known = ", ".join(TARGETS)
        raise InputError(f"unknown target {target!r}; choose one of: {known}")
    module, function = TARGETS[target]
    # It writes all pages, then deletes what earlier exports of the project left.
    write: Write = getattr(import_module(f"outcrop.export.{module}"), function)
    identity = index.store.embedder()
    if identity is None:
        raise InputError("the index holds no vectors; fill it with: outcrop index PATH")
    export = Export(
        project=index.space.name or index.project.name,
        dimension=identity.dimension,
        destination=destination,
        collection=collection,
    )
    written = left_out = 0

    def pages() -> Iterator[Sequence[EmbeddedChunk]]:
        nonlocal written, left_out
        for page in index.store.embedded_chunks():
            kept = [c for c in page if c.vector is not None or target in _FILES]
            written += len(kept)
            left_out += len(page) - len(kept)
            if kept:
                yield kept

    try:
        write(export, pages())
    except (OutcropError, OSError):
        raise
    except Exception as error:  # each store's library has errors of its own
        raise StorageError(
            f"the export to {target} failed: {describe_failure(error)}"
        ) from error
    return written, left_out
