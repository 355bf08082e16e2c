"""Sections survive Parquet and Arrow files, and nothing else is harmed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outcrop.errors import InputError, StorageError, UnsupportedFileError
from outcrop.sections import MarkdownSplitter, read_sections, write_sections
from outcrop.sections.table import get_sections_schema

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

FORMATS = pytest.mark.parametrize("suffix", [".parquet", ".arrow"])


def file_table(path):
    if path.suffix == ".parquet":
        return pq.read_table(path)
    return pa.ipc.open_file(pa.OSFile(str(path))).read_all()


@FORMATS
def test_sections_come_back_as_they_were_written(suffix, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections(sections, path, vector_dimension=4)
    assert sections == read_sections(path)


@FORMATS
def test_no_sections_come_back_as_none(suffix, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections([], path)
    assert read_sections(path) == []


@FORMATS
def test_file_has_the_columns_of_the_schema_first(suffix, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections(sections, path, vector_dimension=4)
    schema = get_sections_schema(4)
    assert schema == file_table(path).select(schema.names).schema
    assert schema.names == file_table(path).column_names[: len(schema)]


@FORMATS
def test_another_program_can_read_the_columns(suffix, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections(sections, path, vector_dimension=4)
    table = file_table(path)
    assert [section.content for section in sections] == table["content"].to_pylist()
    assert table["vector"].to_pylist()[:3] == [None, None, [1.0, 0.5, -0.25, 0.0]]


@FORMATS
def test_wrong_dimension_is_refused_and_the_file_stays(suffix, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections(sections, path, vector_dimension=4)
    before = path.read_bytes()
    with pytest.raises(
        InputError, match="have 4 dimensions, but the new ones have 256"
    ):
        write_sections(sections, path, vector_dimension=256)
    assert before == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_vector_that_is_not_finite_is_refused(value, sections, tmp_path):
    bad = replace(sections[0], vector=(value, 0.0, 0.0, 0.0))
    with pytest.raises(InputError, match="not a finite number"):
        write_sections([bad], tmp_path / "sections.parquet", vector_dimension=4)


def test_lone_surrogate_is_refused_and_the_file_stays(sections, tmp_path):
    path = tmp_path / "sections.parquet"
    write_sections(sections, path, vector_dimension=4)
    bad = MarkdownSplitter().split("# A\n\n\ud800\n", "a.md", "")
    with pytest.raises(InputError, match="lone surrogate"):
        write_sections(bad, path)
    assert sections == read_sections(path)


@FORMATS
@pytest.mark.parametrize("damage", ["empty", "cut", "text", "middle"])
def test_damaged_file_is_named_and_left_alone(suffix, damage, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    write_sections(sections, path, vector_dimension=4)
    data = path.read_bytes()
    spoiled = {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "text": b"# just a text\n" * 20,
        "middle": data[:-200] + b"\xff" * 192 + data[-8:],
    }[damage]
    path.write_bytes(spoiled)
    with pytest.raises(InputError, match=f"sections{suffix}: not a ") as caught:
        read_sections(path)
    assert caught.value.__cause__ is not None
    assert spoiled == path.read_bytes()


@FORMATS
def test_overwriting_a_damaged_file_heals_it(suffix, sections, tmp_path):
    path = tmp_path / f"sections{suffix}"
    path.write_bytes(b"nonsense")
    with pytest.raises(InputError, match="not a readable"):
        write_sections(sections, path, vector_dimension=4)
    write_sections(sections, path, vector_dimension=4, overwrite=True)
    assert sections == read_sections(path)


@FORMATS
def test_table_of_something_else_is_refused(suffix, tmp_path):
    path = tmp_path / f"other{suffix}"
    table = pa.table(
        {"id": ["a"], "vector": pa.array([[1.0]], pa.list_(pa.float32(), 1))}
    )
    if suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(str(path), table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(InputError, match="not a table of sections: no column"):
        read_sections(path)


def test_null_where_a_value_is_needed_is_refused(sections, tmp_path):
    path = tmp_path / "sections.parquet"
    write_sections(sections, path, vector_dimension=4)
    table = pq.read_table(path)
    nothing = pa.nulls(len(table), pa.string())
    at = table.column_names.index("content")
    pq.write_table(table.set_column(at, "content", nothing), path)
    with pytest.raises(InputError, match="column content holds null"):
        read_sections(path)


def test_unknown_suffix_is_refused_with_the_known_ones(sections, tmp_path):
    for path in (tmp_path / "sections.csv", tmp_path / "sections"):
        with pytest.raises(UnsupportedFileError, match=r"\.parquet, \.arrow, \.lance"):
            write_sections(sections, path)
        with pytest.raises(UnsupportedFileError):
            read_sections(path)


def test_missing_file_and_missing_folder_are_named(sections, tmp_path):
    with pytest.raises(InputError, match=r"none\.parquet does not exist"):
        read_sections(tmp_path / "none.parquet")
    with pytest.raises(InputError, match="nowhere is not a folder"):
        write_sections(sections, tmp_path / "nowhere" / "sections.parquet")


def test_path_that_is_a_folder_is_refused_and_nothing_is_left_behind(
    sections, tmp_path
):
    path = tmp_path / "taken.parquet"
    path.mkdir()
    with pytest.raises(StorageError, match="could not be written"):
        write_sections(sections, path, vector_dimension=4, overwrite=True)
    assert [path] == list(tmp_path.iterdir())
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_sections(path)


def test_times_are_stamped_where_asked(sections, tmp_path):
    path = tmp_path / "sections.parquet"
    moment = datetime(2027, 1, 1, 12, tzinfo=UTC)
    write_sections(sections, path, vector_dimension=4, stored_at=moment)
    stored = read_sections(path)
    assert {moment} == {section.updated_at for section in stored}
    assert moment == stored[0].created_at
    assert sections[3].created_at == stored[3].created_at
    assert sections[0].updated_at is None


def test_times_of_any_zone_are_kept_as_the_same_moment(sections, tmp_path):
    path = tmp_path / "sections.arrow"
    tokyo = timezone(timedelta(hours=9))
    moment = datetime(2027, 1, 1, 21, tzinfo=tokyo)
    write_sections([replace(sections[0], created_at=moment)], path)
    assert moment == read_sections(path)[0].created_at


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(text=st.text(max_size=80), suffix=st.sampled_from([".parquet", ".arrow"]))
def test_any_document_survives(text, suffix, tmp_path):
    found = MarkdownSplitter().split(f"# {text}\n\n## B\n\n{text}", text, text)
    path = tmp_path / f"any{suffix}"
    write_sections(found, path, overwrite=True)
    assert found == read_sections(path)


def split(text, path):
    return MarkdownSplitter().split(text, path, "")


@FORMATS
def test_row_4_27_writing_one_document_keeps_the_others(suffix, tmp_path):
    path = tmp_path / f"sections{suffix}"
    first, second = split("# A\n", "a.md"), split("# B\n\n## C\n", "b.md")
    write_sections(first, path)
    write_sections(second, path)
    assert [*first, *second] == read_sections(path)
    shorter = split("# B\n", "b.md")
    write_sections(shorter, path)
    assert [*first, *shorter] == read_sections(path)
    write_sections([], path, documents=["a.md"])
    assert shorter == read_sections(path)
    write_sections(first, path, overwrite=True)
    assert first == read_sections(path)


def test_row_4_21_created_at_survives_a_second_write(tmp_path):
    path = tmp_path / "sections.parquet"
    first, second = (datetime(2027, 1, day, tzinfo=UTC) for day in (1, 2))
    write_sections(split("# A\n\nOne.\n", "a.md"), path, stored_at=first)
    write_sections(split("# B\n", "b.md"), path, stored_at=second)
    write_sections(split("# A\n\nTwo.\n", "a.md"), path, stored_at=second)
    a, b = read_sections(path)
    assert (a.created_at, a.updated_at) == (first, second)
    assert (b.created_at, b.updated_at) == (second, second)


def test_row_4_19_a_section_is_dirty_until_its_new_text_is_embedded(tmp_path):
    path = tmp_path / "sections.arrow"
    old, new = split("# A\n\nOne.\n", "a.md"), split("# A\n\nTwo.\n", "a.md")
    write_sections([replace(old[0], vector=(1.0, 0.0))], path, vector_dimension=2)
    write_sections(old, path)
    assert not read_sections(path)[0].is_dirty
    write_sections(new, path)
    stored = read_sections(path)[0]
    assert (stored.is_dirty, stored.vector) == (True, (1.0, 0.0))
    write_sections(new, path)
    assert read_sections(path)[0].is_dirty
    write_sections([replace(new[0], vector=(0.0, 1.0))], path)
    stored = read_sections(path)[0]
    assert (stored.is_dirty, stored.vector) == (False, (0.0, 1.0))
