"""Projects in a shared database: which schema a folder or a name leads to."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.store.samples import chunks, document
from outcrop.errors import ConfigError, NotFoundError, StorageError
from outcrop.indexing.project import list_projects, move_project, remove_project
from outcrop.model.embedder_identity import EmbedderIdentity
from outcrop.store.database import Database
from outcrop.store.leases import hold_lease
from outcrop.store.projects.manage import claim_space
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return two projects that are in no database."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    return first, second


def fill(database: Database, text: str, path: str = "a.md", **fields: object) -> None:
    store = PostgresStore(database)
    store.use_embedder(EmbedderIdentity(name="tiny", dimension=4))
    store.replace_documents([(document(path, **fields), chunks([text], path))])


def schema_for(folder: Path, url: str, **given: object) -> str:
    with Database.open(folder, url=url, **given) as database:
        return database.schema


def names(url: str) -> list[str]:
    return [info.name for info in list_projects(url)]


@contextmanager
def role_with(url: str, *grants: str) -> Iterator[str]:
    """Yield the URL of a role that may do little."""
    with psycopg.connect(url, autocommit=True) as admin:
        name = f"guest_{admin.info.dbname}"
        admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'plain'".encode())
        for grant in grants:
            admin.execute(f"GRANT {grant} TO {name}".encode())
        try:
            yield f"postgresql://{name}:plain@{url.rpartition('@')[2]}"
        finally:
            admin.execute(f"DROP OWNED BY {name}".encode())
            admin.execute(f"DROP ROLE {name}".encode())


def test_two_folders_have_two_schemas_and_keep_them(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    first, second = (schema_for(folder, shared_url) for folder in folders)
    assert first != second
    assert first.startswith("outcrop_first_")
    assert schema_for(folders[0], shared_url, create=False) == first
    assert [info.root for info in list_projects(shared_url)] == list(map(str, folders))


def test_a_schema_that_is_given_is_taken_as_it_is(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    assert schema_for(folders[0], shared_url, schema="own") == "own"
    assert names(shared_url) == []
    assert list(folders[0].iterdir()) == []


def test_a_name_and_a_schema_together_are_refused(shared_url: str) -> None:
    with pytest.raises(ConfigError, match="both project 'a' and schema 'b'"):
        Database.open(url=shared_url, name="a", schema="b")


def test_a_moved_folder_keeps_its_project(
    folders: tuple[Path, Path], shared_url: str, tmp_path: Path
) -> None:
    before = schema_for(folders[0], shared_url)
    moved = folders[0].rename(tmp_path / "elsewhere")
    with Database.open(moved, url=shared_url, create=False) as database:
        assert database.schema == before
        claim_space(database, moved)
    assert [info.root for info in list_projects(shared_url)] == [str(moved)]


def test_a_moved_folder_keeps_its_project_when_another_takes_its_place(
    folders: tuple[Path, Path], shared_url: str, tmp_path: Path
) -> None:
    before = schema_for(folders[0], shared_url)
    moved = folders[0].rename(tmp_path / "elsewhere")
    folders[0].mkdir()
    assert schema_for(folders[0], shared_url) != before
    assert schema_for(moved, shared_url) == before


def test_a_copy_starts_empty_and_the_original_stays(
    folders: tuple[Path, Path], shared_url: str, tmp_path: Path
) -> None:
    before = schema_for(folders[0], shared_url)
    copy = tmp_path / "copy"
    shutil.copytree(folders[0], copy)
    with pytest.raises(NotFoundError, match="is a copy of"):
        Database.open(copy, url=shared_url, create=False)
    made = schema_for(copy, shared_url)
    assert made != before
    assert schema_for(copy, shared_url, create=False) == made
    assert schema_for(folders[0], shared_url, create=False) == before


def test_a_copy_that_cannot_be_written_goes_by_its_path(
    folders: tuple[Path, Path],
    shared_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = schema_for(folders[0], shared_url)
    copy = tmp_path / "copy"
    shutil.copytree(folders[0], copy)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Permissions do not stop root, who may run this.
    monkeypatch.setattr("outcrop.store.projects.identity.write_identity", refuse)
    made = schema_for(copy, shared_url)
    assert made != before
    assert schema_for(copy, shared_url) == made


def test_a_folder_that_cannot_hold_a_file_has_a_project_and_says_why(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    (folders[0] / ".outcrop").write_text("in the way")
    with Database.open(folders[0], url=shared_url) as database:
        assert "goes by its path" in str(database.space.notice)
    assert schema_for(folders[0], shared_url, create=False) == database.schema


def test_a_link_to_a_folder_is_no_copy(
    folders: tuple[Path, Path], shared_url: str, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folders[0])
    assert schema_for(folders[0], shared_url) == schema_for(link, shared_url)


def test_a_name_is_found_from_any_folder(
    folders: tuple[Path, Path], shared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert schema_for(folders[0], shared_url, name="docs") == "outcrop_docs"
    monkeypatch.setenv("OUTCROP_PROJECT", "docs")
    with Database.open(folders[1], url=shared_url) as database:
        assert database.schema == "outcrop_docs"
        assert database.space.root == folders[0]
    assert names(shared_url) == ["docs"]


def test_the_first_name_of_a_folder_is_the_one_it_keeps(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    schema_for(folders[0], shared_url, name="docs")
    schema_for(folders[0], shared_url, name="draft")
    assert schema_for(folders[0], shared_url) == "outcrop_docs"
    assert names(shared_url) == ["docs", "draft"]


def test_a_name_that_another_folder_has_is_not_taken_from_it(
    folders: tuple[Path, Path], server_url: str, shared_url: str
) -> None:
    from integration.store.servers import fresh_database

    with fresh_database(server_url) as other_url:
        schema_for(folders[0], shared_url, name="docs")
        schema_for(folders[1], other_url, name="docs")
        made = schema_for(folders[1], shared_url)
    assert made != "outcrop_docs"
    assert made.startswith("outcrop_second_")


def test_an_unknown_name_is_an_error_that_lists_the_others(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    schema_for(folders[0], shared_url, name="docs")
    with pytest.raises(NotFoundError, match=r"no project 'dcos'.* are: docs"):
        Database.open(folders[0], url=shared_url, name="dcos", create=False)
    with pytest.raises(ConfigError, match="invalid project name 'Docs'"):
        Database.open(folders[0], url=shared_url, name="Docs")
    assert names(shared_url) == ["docs"]


def test_a_name_with_the_embedded_server_is_refused(new_project: Path) -> None:
    with pytest.raises(ConfigError, match="holds one project only"):
        Database.open(new_project, name="docs")
    assert list(new_project.iterdir()) == []


def test_opening_at_once_makes_one_project(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    with ThreadPoolExecutor(6) as threads:
        opened = threads.map(lambda _: schema_for(folders[0], shared_url), range(6))
        assert len(set(opened)) == 1
    assert len(names(shared_url)) == 1


def test_another_folder_is_not_indexed_into_a_project(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    schema_for(folders[0], shared_url, name="docs")
    with (
        Database.open(folders[1], url=shared_url, name="docs") as database,
        pytest.raises(ConfigError, match="outcrop projects move docs"),
    ):
        claim_space(database, folders[1])
    move_project("docs", folders[1], shared_url)
    with Database.open(folders[1], url=shared_url) as database:
        assert database.schema == "outcrop_docs"
        claim_space(database, folders[1])


class TestEarlierIndex:
    """An index from when a database held one, in the schema `outcrop`."""

    def write(self, url: str, folder: Path) -> None:
        with Database.open(folder, url=url, schema="outcrop") as database:
            for name in ("a.md", "b.md", "c.md"):
                (folder / name).write_text(f"# {name}")
                fill(database, f"# {name}", name, size_bytes=6)

    def test_it_is_taken_over_by_the_folder_it_was_made_of(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        self.write(shared_url, folders[0])
        (folders[0] / "b.md").write_text("# changed meanwhile")
        assert schema_for(folders[1], shared_url) != "outcrop"
        assert schema_for(folders[0], shared_url, create=False) == "outcrop"
        (info,) = [one for one in list_projects(shared_url) if one.name == "outcrop"]
        assert (info.root, info.documents) == (str(folders[0]), 3)

    def test_another_folder_with_the_same_names_does_not_get_it(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        self.write(shared_url, folders[0])
        for name in ("a.md", "b.md", "c.md"):
            (folders[1] / name).write_text("something else")
        assert schema_for(folders[1], shared_url) != "outcrop"

    def test_it_has_no_owner_until_it_is_named(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        self.write(shared_url, folders[0])
        (info,) = list_projects(shared_url)
        assert (info.name, info.root, info.documents) == ("outcrop", None, 3)
        given = {"name": "outcrop", "create": False}
        assert schema_for(folders[1], shared_url, **given) == "outcrop"
        assert list_projects(shared_url)[0].root is None
        assert schema_for(folders[1], shared_url, name="outcrop") == "outcrop"
        assert list_projects(shared_url)[0].root == str(folders[1])
        assert schema_for(folders[1], shared_url) == "outcrop"

    def test_a_role_that_may_use_nothing_else_goes_on_using_it(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        self.write(shared_url, folders[0])
        rights = "USAGE ON SCHEMA outcrop", "SELECT ON ALL TABLES IN SCHEMA outcrop"
        with role_with(shared_url, *rights) as url:
            with Database.open(folders[0], url=url) as database:
                assert database.schema == "outcrop"
                assert "not listed" in str(database.space.notice)
                assert PostgresStore(database).status().documents == 3
            with pytest.raises(StorageError, match="GRANT CREATE ON DATABASE"):
                Database.open(folders[1], url=url)


def test_a_role_that_may_only_read_opens_a_project(
    folders: tuple[Path, Path], shared_url: str
) -> None:
    with Database.open(folders[0], url=shared_url, name="docs") as database:
        fill(database, "some text")
    rights = [
        f"{right} IN SCHEMA {schema}" if "ALL" in right else f"{right} {schema}"
        for schema in ("outcrop_docs", "outcrop__registry")
        for right in ("USAGE ON SCHEMA", "SELECT ON ALL TABLES")
    ]
    with role_with(shared_url, *rights) as url:
        for given in ({}, {"name": "docs"}):
            with Database.open(folders[0], url=url, create=False, **given) as database:
                assert PostgresStore(database).status().documents == 1
        assert [info.documents for info in list_projects(url)] == [1]


class TestRemoval:
    def test_it_drops_that_project_alone(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        for folder, name in zip(folders, ("one", "two"), strict=True):
            with Database.open(folder, url=shared_url, name=name) as database:
                fill(database, f"text of {name}")
        remove_project("one", shared_url)
        assert [(i.name, i.documents) for i in list_projects(shared_url)] == [
            ("two", 1)
        ]
        with psycopg.connect(shared_url) as connection:
            query = "SELECT count(*) FROM pg_namespace WHERE nspname = 'outcrop_one'"
            assert connection.execute(query).fetchone() == (0,)
        with pytest.raises(NotFoundError, match="no project 'one'"):
            remove_project("one", shared_url)

    def test_it_is_refused_while_the_project_is_being_indexed(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        schema_for(folders[1], shared_url, name="two")
        with Database.open(folders[0], url=shared_url, name="one") as database:
            with hold_lease(database, "index"):
                with pytest.raises(StorageError, match="'one' is being indexed"):
                    remove_project("one", shared_url)
                remove_project("two", shared_url)
            remove_project("one", shared_url)
        assert names(shared_url) == []

    def test_it_is_refused_while_a_worker_is_busy_with_it(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        from outcrop.pipeline.jobs.queue import ensure_tables

        with Database.open(folders[0], url=shared_url, name="one") as database:
            ensure_tables(database)
            with database.write() as connection:
                connection.execute("INSERT INTO procrastinate_workers DEFAULT VALUES")
            with pytest.raises(StorageError, match="workers are busy"):
                remove_project("one", shared_url)
            with database.write() as connection:
                connection.execute(
                    "UPDATE procrastinate_workers SET last_heartbeat ="
                    " now() - interval '1 minute'"
                )
        remove_project("one", shared_url)

    def test_it_leaves_the_extension_that_the_others_need(
        self, folders: tuple[Path, Path], shared_url: str
    ) -> None:
        with psycopg.connect(shared_url) as connection:
            connection.execute("CREATE SCHEMA outcrop")
            connection.execute("CREATE EXTENSION vector SCHEMA outcrop")
        schema_for(folders[0], shared_url, name="outcrop")
        with pytest.raises(StorageError, match="holds the extension vector"):
            remove_project("outcrop", shared_url)
        assert names(shared_url) == ["outcrop"]


def test_listing_needs_a_shared_database() -> None:
    with pytest.raises(ConfigError, match="none is named"):
        list_projects()
