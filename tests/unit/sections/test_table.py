"""The Arrow schema of sections."""

import sys

import pytest

from outcrop.errors import ConfigError, MissingExtraError
from outcrop.sections.table import get_sections_schema

pa = pytest.importorskip("pyarrow")

FIELDS = [
    ("id", pa.string()),
    ("document_path", pa.string()),
    ("heading", pa.string()),
    ("depth", pa.int32()),
    ("content", pa.string()),
    ("token_count", pa.int32()),
    ("vector", pa.list_(pa.float32(), 256)),
    ("parent_id", pa.string()),
    ("order", pa.int32()),
    ("is_dirty", pa.bool_()),
    ("document_hash", pa.string()),
    ("created_at", pa.timestamp("ms")),
    ("updated_at", pa.timestamp("ms")),
    ("summary", pa.string()),
    ("document_summary", pa.string()),
]


def test_schema_has_these_fields_in_this_order():
    assert pa.schema(FIELDS) == get_sections_schema()


def test_vector_has_the_dimension_asked_for():
    field = get_sections_schema(vector_dimension=384).field("vector")
    assert field.type == pa.list_(pa.float32(), 384)


@pytest.mark.parametrize("dimension", [0, -1])
def test_dimension_below_one_is_refused(dimension):
    with pytest.raises(ConfigError, match="vector_dimension is"):
        get_sections_schema(dimension)


def test_missing_pyarrow_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[arrow\]"):
        get_sections_schema()
