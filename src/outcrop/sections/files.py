"""Writing sections to Parquet, Arrow and LanceDB, and reading them back.

A file is replaced whole or not at all: everything is checked first, then written
beside it, then renamed over it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from outcrop.errors import InputError, StorageError, UnsupportedFileError
from outcrop.sections import lance
from outcrop.sections.table import (
    DEFAULT_VECTOR_DIMENSION,
    from_table,
    import_arrow,
    to_table,
    vector_dimension_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    import pyarrow as pa

    from outcrop.model.section import Section


def write_sections(
    sections: Iterable[Section],
    path: str | os.PathLike[str],
    *,
    vector_dimension: int | None = None,
    stored_at: datetime | None = None,
    documents: Iterable[str] = (),
    overwrite: bool = False,
) -> None:
    """Write sections, in place of the stored ones of the same documents.

    Other documents in the file or table stay. A section that was stored before keeps its
    `created_at`; if it comes without a vector, it keeps the stored one, and is dirty if
    its text has changed since.

    Args:
        sections: The sections; those without a vector are stored with null.
        path: Ends in `.parquet`, `.arrow` or `.lance`. `db/sections.lance` is the
            table `sections` of the LanceDB database `db`.
        vector_dimension: Length of the vectors; that of the table if None, 256 if there
            is no table yet.
        stored_at: Where given, becomes `updated_at` of every section, and
            `created_at` of those that have none.
        documents: Paths of more documents to replace, which may have no sections.
        overwrite: Whether to replace everything, other documents too.

    Raises:
        InputError: A section cannot be stored, or the folder does not exist.
        UnsupportedFileError: The path ends in something else.
        StorageError: Writing failed; what was there is still there.
        MissingExtraError: pyarrow or lancedb is not installed.
    """
    target = Path(path)
    check_target(target)
    write, _ = _format_of(target)
    new = list(sections)
    stored: list[Section] = []
    if target.exists() and not overwrite:
        stored, table_dimension = _read_stored(target)
        vector_dimension = _choose_dimension(stored, table_dimension, vector_dimension)
    replaced = {*documents, *(section.document_path for section in new)}
    merged = _merge_sections(stored, new, replaced)
    if stored_at is not None:
        merged = [
            _stamp(section, stored_at) if section.document_path in replaced else section
            for section in merged
        ]
    write(to_table(merged, vector_dimension or DEFAULT_VECTOR_DIMENSION), target)


def check_target(path: str | os.PathLike[str]) -> None:
    """Reject a path that sections cannot be written to, before any work is done.

    Raises:
        InputError: The folder does not exist.
        UnsupportedFileError: The path ends in something unknown.
    """
    target = Path(path)
    _format_of(target)
    if not target.parent.is_dir():
        raise InputError(f"{target.parent} is not a folder: create it first")


def read_sections(path: str | os.PathLike[str]) -> list[Section]:
    """Read the sections of a file or table, in the order they were written.

    Raises:
        InputError: The path does not exist, is damaged, or holds something else.
        UnsupportedFileError: The path ends in something else.
        MissingExtraError: pyarrow or lancedb is not installed.
    """
    target = Path(path)
    _format_of(target)
    if not target.exists():
        raise InputError(f"{target} does not exist")
    return _read_stored(target)[0]


def _read_stored(path: Path) -> tuple[list[Section], int]:
    """Return the sections of a file or table, and the dimension of its vectors."""
    _, read = _format_of(path)
    try:
        table = read(path)
        return from_table(table), vector_dimension_of(table)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _stamp(section: Section, moment: datetime) -> Section:
    return replace(section, created_at=section.created_at or moment, updated_at=moment)


def _merge_sections(
    stored: Sequence[Section], new: Sequence[Section], documents: Collection[str]
) -> list[Section]:
    """Replace the sections of some documents and keep those of all others.

    A section that was stored before keeps its `created_at`. If it comes without a vector,
    it keeps the stored one, and is dirty if its text has changed since that was made.

    A document without new sections is removed.

    Returns:
        The sections by document: the stored documents in their order, then the others.
    """
    known = {section.id: section for section in stored}
    by_document: dict[str, list[Section]] = {}
    for section in stored:
        if section.document_path not in documents:
            by_document.setdefault(section.document_path, []).append(section)
        else:
            by_document.setdefault(section.document_path, [])
    for section in new:
        merged = _with_history(section, known.get(section.id))
        by_document.setdefault(section.document_path, []).append(merged)
    return [section for sections in by_document.values() for section in sections]


def _choose_dimension(stored: Sequence[Section], table: int, wanted: int | None) -> int:
    """Return the dimension of the vectors of the merged table.

    `table` is the dimension of the stored vectors, `wanted` that of new ones if known.

    Raises:
        InputError: The table has vectors of another dimension.
    """
    if wanted is None or wanted == table:
        return table
    if any(section.vector is not None for section in stored):
        raise InputError(
            f"the vectors of the table have {table} dimensions, but the new ones have"
            f" {wanted}; embed with the same model, or overwrite the table"
        )
    return wanted


def _with_history(section: Section, before: Section | None) -> Section:
    if before is None:
        return section
    kept = replace(section, created_at=before.created_at or section.created_at)
    if section.vector is not None or before.vector is None:
        return kept
    is_dirty = before.is_dirty or before.content != section.content
    return replace(kept, vector=before.vector, is_dirty=is_dirty)


def _write_parquet(table: pa.Table, path: Path) -> None:
    import_arrow()
    from pyarrow import parquet

    with _replaced_atomically(path) as beside:
        parquet.write_table(table, beside, compression="zstd")


def _read_parquet(path: Path) -> pa.Table:
    pa = import_arrow()
    from pyarrow import parquet

    try:
        # One file, whatever its folder is called: no partitions from path names.
        return parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"not a readable Parquet file: {error}") from error


def _write_arrow(table: pa.Table, path: Path) -> None:
    pa = import_arrow()
    with (
        _replaced_atomically(path) as beside,
        pa.ipc.new_file(beside, table.schema) as writer,
    ):
        writer.write_table(table)


def _read_arrow(path: Path) -> pa.Table:
    pa = import_arrow()
    try:
        with pa.OSFile(os.fspath(path)) as source:
            return pa.ipc.open_file(source).read_all()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"not a readable Arrow file: {error}") from error


@contextmanager
def _replaced_atomically(path: Path) -> Iterator[str]:
    """Offer a new file beside `path`, and rename it over `path` at the end."""
    beside = path.with_name(f".{path.name}.{token_hex(8)}.tmp")
    pa = import_arrow()
    try:
        yield os.fspath(beside)
        with beside.open("rb") as written:
            os.fsync(written.fileno())
        beside.replace(path)
    except (OSError, pa.ArrowException) as error:
        raise StorageError(f"{path} could not be written: {error}") from error
    finally:
        beside.unlink(missing_ok=True)


_Format = tuple["Callable[[pa.Table, Path], None]", "Callable[[Path], pa.Table]"]
_FORMATS: dict[str, _Format] = {
    ".parquet": (_write_parquet, _read_parquet),
    ".arrow": (_write_arrow, _read_arrow),
    ".lance": (lance.write_table, lance.read_table),
}
SUFFIXES: Sequence[str] = tuple(_FORMATS)


def _format_of(path: Path) -> _Format:
    try:
        return _FORMATS[path.suffix]
    except KeyError:
        raise UnsupportedFileError(
            f"{path} ends in {path.suffix!r}, but sections are kept in"
            f" {', '.join(SUFFIXES)}"
        ) from None
