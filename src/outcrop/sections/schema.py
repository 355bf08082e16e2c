"""The columns of stored sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    import pyarrow as pa

DEFAULT_VECTOR_DIMENSION = 256


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
