"""Sections in a LanceDB table: kept, searched by vector and by text.

Importing lancedb takes over a second and starts a thread that stays, so only these
tests do; `-m "not lance"` leaves them out.
"""

import shutil

import pytest

from outcrop.errors import InputError, StorageError
from outcrop.sections import MarkdownSplitter, read_sections, write_sections
from outcrop.sections.table import get_sections_schema

pytest.importorskip("pyarrow")
lancedb = pytest.importorskip("lancedb", reason="needs the extra lance")
pytestmark = pytest.mark.lance


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sections.lance"


def open_table(path):
    return lancedb.connect(path.parent).open_table(path.stem)


def found_by(path, query, **options):
    return [
        row["heading"] for row in open_table(path).search(query, **options).to_list()
    ]


def test_sections_come_back_as_they_were_written(sections, path):
    write_sections(sections, path, vector_dimension=4)
    assert sections == read_sections(path)


def test_table_has_the_columns_of_the_schema(sections, path):
    write_sections(sections, path, vector_dimension=4)
    schema = get_sections_schema(4)
    assert schema.names == open_table(path).schema.names[: len(schema)]
    assert schema.field("vector").type == open_table(path).schema.field("vector").type


def test_table_is_searchable_by_vector(sections, path):
    write_sections(sections, path, vector_dimension=4)
    assert found_by(path, [0.0, 1.0, 0.0, 0.0])[0] == "Emoji 👍🏽"
    assert found_by(path, [1.0, 0.4, 0.0, 0.0])[0] == "Настройка"


@pytest.mark.parametrize(
    ("query", "heading"),
    [
        ("installer", "Installation"),
        ("СЕРВЕРА", "Настройка"),
        ("要約", "(document root)"),
        ("print", "Emoji 👍🏽"),
    ],
)
def test_table_is_searchable_by_text_in_any_language(query, heading, sections, path):
    write_sections(sections, path, vector_dimension=4)
    assert [heading] == found_by(path, query, query_type="fts")


def test_writing_again_replaces_the_sections_and_the_text_index(sections, path):
    write_sections(sections, path, vector_dimension=4)
    write_sections(sections[1:], path, vector_dimension=4)
    assert sections[1:] == read_sections(path)
    assert found_by(path, "要約", query_type="fts") == []
    assert found_by(path, "installer", query_type="fts") == ["Installation"]


def test_no_sections_come_back_as_none(path):
    write_sections([], path)
    assert read_sections(path) == []


def test_wrong_dimension_is_refused_and_the_table_stays(sections, path):
    write_sections(sections, path, vector_dimension=4)
    version = open_table(path).version
    with pytest.raises(InputError, match="have 4 dimensions, but the new ones have 8"):
        write_sections(sections, path, vector_dimension=8)
    assert sections == read_sections(path)
    assert version == open_table(path).version


def test_damaged_table_is_named_and_left_alone(sections, path):
    write_sections(sections, path, vector_dimension=4)
    for data in (path / "data").iterdir():
        data.write_bytes(b"spoiled")
    with pytest.raises(InputError, match=r"sections\.lance: not a readable LanceDB"):
        read_sections(path)
    assert {b"spoiled"} == {data.read_bytes() for data in (path / "data").iterdir()}


def test_table_without_a_readable_version_is_refused_not_replaced(sections, path):
    write_sections(sections, path, vector_dimension=4)
    for manifest in (path / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"spoiled")
    with pytest.raises(StorageError, match="could not be written"):
        write_sections(sections, path, vector_dimension=4, overwrite=True)
    with pytest.raises(InputError, match="not a readable LanceDB"):
        read_sections(path)


def test_folder_that_is_no_table_is_refused(sections, path):
    path.mkdir()
    (path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="not a LanceDB table"):
        write_sections(sections, path, vector_dimension=4)
    with pytest.raises(InputError, match="not a LanceDB table"):
        read_sections(path)
    assert [path / "notes.txt"] == list(path.iterdir())


def test_table_moves_with_its_folder(sections, path, tmp_path):
    write_sections(sections, path, vector_dimension=4)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.move(path, elsewhere / "renamed.lance")
    assert sections == read_sections(elsewhere / "renamed.lance")


def test_row_4_27_writing_one_document_keeps_the_others(sections, path):
    write_sections(sections, path, vector_dimension=4)
    other = MarkdownSplitter().split("# Other\n\nWords.\n", "other.md", "")
    write_sections(other, path)
    assert [*sections, *other] == read_sections(path)
    assert found_by(path, "words", query_type="fts") == ["Other"]
    assert found_by(path, "installer", query_type="fts") == ["Installation"]
    write_sections(other, path, overwrite=True)
    assert other == read_sections(path)
