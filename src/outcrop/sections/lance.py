"""A table of sections in a LanceDB database.

LanceDB keeps the table `sections` of the database `db` in the folder
`db/sections.lance`, so a path names both. Overwriting is a new version of the table,
committed at once; the earlier versions stay until the user drops them.

Importing lancedb takes over a second and starts a thread, so it happens on use only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError, MissingExtraError, StorageError

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

# What lancedb raises: it has no exceptions of its own.
_ERRORS = (OSError, RuntimeError, ValueError)
_TEXT_COLUMN = "content"


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table, searchable by vector and by text, in place of what was there.

    Raises:
        InputError: The path exists and is not a LanceDB table.
        StorageError: LanceDB refused; what was there is still there.
    """
    has_table = path.exists()
    if has_table and not _is_table(path):
        raise InputError(
            f"{path} exists and is not a LanceDB table: choose another path"
        )
    database = _connect(path)
    try:
        previous = database.open_table(path.stem).version if has_table else None
        stored = database.create_table(
            path.stem,
            data=table,
            mode="create" if previous is None else "overwrite",
            on_bad_vectors="null",  # a section without a vector is valid
        )
        try:
            _index_text(stored)
        except _ERRORS:
            if previous is None:
                database.drop_table(path.stem)
            else:
                stored.restore(previous)
            raise
    except _ERRORS as error:
        raise StorageError(f"{path} could not be written: {error}") from error


def read_table(path: Path) -> pa.Table:
    """Read a whole table.

    Raises:
        InputError: There is no such table, or it is damaged.
    """
    if not _is_table(path):
        raise InputError("not a LanceDB table")
    database = _connect(path)
    try:
        return database.open_table(path.stem).to_arrow()
    except _ERRORS as error:
        raise InputError(f"not a readable LanceDB table: {error}") from error


def _is_table(path: Path) -> bool:
    return (path / "_versions").is_dir()


def _connect(path: Path) -> Any:
    try:
        import lancedb
    except ImportError as error:
        raise MissingExtraError("a LanceDB table of sections", "lance") from error
    return lancedb.connect(path.parent)


def _index_text(table: Any) -> None:
    """Make the text searchable by words, in any language."""
    from lancedb.index import FTS

    # ICU finds words without spaces between them too. Stemming and stop words would
    # be those of one language, and documents are in many.
    words = FTS(base_tokenizer="icu", stem=False, remove_stop_words=False)
    table.create_index(_TEXT_COLUMN, config=words, replace=True)
