"""Sections as an Arrow table, and back."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from math import isfinite
from typing import TYPE_CHECKING, Any

from outcrop.errors import ConfigError, InputError, MissingExtraError
from outcrop.model.section import Section

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

DEFAULT_VECTOR_DIMENSION = 256
_TIMES = ("created_at", "updated_at")
_REQUIRED = (
    *("id", "document_path", "heading", "depth", "content", "token_count", "order"),
    *("is_dirty", "document_hash", "start_offset", "end_offset", "start_line"),
    *("end_line", "is_over_limit"),
)


def get_sections_schema(
    vector_dimension: int = DEFAULT_VECTOR_DIMENSION,
) -> pa.Schema:
    """The Arrow schema of a table of sections.

    Args:
        vector_dimension: Length of every vector.

    Raises:
        ConfigError: The dimension is not a positive number.
        MissingExtraError: pyarrow is not installed.
    """
    if vector_dimension < 1:
        raise ConfigError(
            f"vector_dimension is {vector_dimension!r}, but it must be at least 1"
        )
    pa = import_arrow()
    return pa.schema(
        [
            pa.field("id", pa.string()),
            pa.field("document_path", pa.string()),
            pa.field("heading", pa.string()),
            pa.field("depth", pa.int32()),
            pa.field("content", pa.string()),
            pa.field("token_count", pa.int32()),
            pa.field("vector", pa.list_(pa.float32(), vector_dimension)),
            pa.field("parent_id", pa.string()),
            pa.field("order", pa.int32()),
            pa.field("is_dirty", pa.bool_()),
            pa.field("document_hash", pa.string()),
            pa.field("created_at", pa.timestamp("ms")),
            pa.field("updated_at", pa.timestamp("ms")),
            pa.field("summary", pa.string()),
            pa.field("document_summary", pa.string()),
        ]
    )


def get_stored_schema(vector_dimension: int = DEFAULT_VECTOR_DIMENSION) -> pa.Schema:
    """The schema of the files: that of the sections, then where each one stands."""
    pa = import_arrow()
    schema = get_sections_schema(vector_dimension)
    for field in (
        pa.field("start_offset", pa.int64()),
        pa.field("end_offset", pa.int64()),
        pa.field("start_line", pa.int32()),
        pa.field("end_line", pa.int32()),
        pa.field("is_over_limit", pa.bool_()),
        pa.field("summary_error", pa.string()),
    ):
        schema = schema.append(field)
    return schema


def import_arrow() -> Any:
    """Import pyarrow, or say how to install it."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtraError("a table of sections", "arrow") from error
    return pa


def to_table(sections: Sequence[Section], vector_dimension: int) -> pa.Table:
    """Put sections into an Arrow table.

    Raises:
        InputError: A vector has another dimension, or a text cannot be stored.
    """
    schema = get_stored_schema(vector_dimension)
    for section in sections:
        _check_vector(section, vector_dimension)
    columns: dict[str, list[Any]] = {
        name: [getattr(section, name) for section in sections] for name in schema.names
    }
    for name in _TIMES:
        columns[name] = [_to_naive(moment) for moment in columns[name]]
    try:
        return import_arrow().table(columns, schema=schema)
    except UnicodeEncodeError as error:
        raise InputError(
            f"a section holds a lone surrogate ({error.object[error.start]!r}), which"
            " cannot be stored: replace it in the document"
        ) from error


def from_table(table: pa.Table) -> list[Section]:
    """Read sections from an Arrow table.

    Raises:
        InputError: A column is missing, or holds something else.
    """
    pa = import_arrow()
    schema = get_stored_schema(vector_dimension_of(table))
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise InputError(f"not a table of sections: no column {', '.join(missing)}")
    try:
        columns = table.select(schema.names).cast(schema).to_pydict()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, UnicodeDecodeError) as error:
        raise InputError(f"not a table of sections: {error}") from error
    for name in _REQUIRED:
        if table[name].null_count:
            raise InputError(f"not a table of sections: column {name} holds null")
    for name in _TIMES:
        columns[name] = [_to_aware(moment) for moment in columns[name]]
    columns["vector"] = [
        None if vector is None else tuple(vector) for vector in columns["vector"]
    ]
    names = [field.name for field in fields(Section)]
    rows = zip(*(columns[name] for name in names), strict=True)
    return [Section(**dict(zip(names, row, strict=True))) for row in rows]


def _check_vector(section: Section, vector_dimension: int) -> None:
    if section.vector is None:
        return
    if len(section.vector) != vector_dimension:
        raise InputError(
            f"the vector of section {section.id} ({section.heading!r}) has"
            f" {len(section.vector)} dimensions, but the table has {vector_dimension}:"
            " pass vector_dimension, or embed the sections with one model"
        )
    if not isfinite(sum(section.vector)):
        raise InputError(
            f"the vector of section {section.id} ({section.heading!r}) holds a value"
            " that is not a finite number"
        )


def vector_dimension_of(table: pa.Table) -> int:
    """Return the length of the vectors of a table of sections.

    Raises:
        InputError: It has no such column.
    """
    pa = import_arrow()
    if "vector" not in table.column_names:
        raise InputError("not a table of sections: no column vector")
    kind = table.schema.field("vector").type
    if not pa.types.is_fixed_size_list(kind):
        raise InputError(f"not a table of sections: column vector is {kind}")
    return int(kind.list_size)


def _to_naive(moment: datetime | None) -> datetime | None:
    """The moment in UTC without a zone, as the columns hold it; naive means UTC."""
    if moment is None or moment.tzinfo is None:
        return moment
    return moment.astimezone(UTC).replace(tzinfo=None)


def _to_aware(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
