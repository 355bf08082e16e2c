"""Several projects in one database, as people and programs use them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from psycopg import sql

from outcrop.cli.main import main
from outcrop.errors import ConfigError, NotFoundError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.indexing.project import list_projects, remove_project

if TYPE_CHECKING:
    from click.testing import Result

OUTCROP = [sys.executable, "-c", "from outcrop.cli.main import main; main()"]
SESSIONS = "# Client sessions\n\nA session ends after a timeout of five seconds.\n"
BOATS = "# Boats\n\nA boat with sails catches the wind.\n"


@pytest.fixture
def url(shared_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the database that the environment names."""
    monkeypatch.setenv("OUTCROP_DATABASE_URL", shared_url)
    return shared_url


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Return two projects that share the names of some files."""
    for name, text in (("alpha", SESSIONS), ("beta", BOATS)):
        folder = tmp_path / name
        (folder / "docs").mkdir(parents=True)
        (folder / "README.md").write_text(text)
        (folder / "docs" / f"{name}.md").write_text(
            text.replace("\n\n", f" {name}\n\n")
        )
        (folder / "tool.py").write_text(f"def {name}() -> str:\n    return {name!r}\n")
    return tmp_path / "alpha", tmp_path / "beta"


def run(folder: Path, *arguments: str) -> Result:
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(
            main, arguments, prog_name="outcrop", catch_exceptions=False
        )
    finally:
        os.chdir(before)


def index(folder: Path, *arguments: str) -> dict[str, Any]:
    done = run(folder, "index", "--workers", "1", "--json", *arguments)
    assert done.exit_code == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def paths_found(folder: Path, query: str, *arguments: str) -> set[str]:
    done = run(folder, "search", query, "--json", *arguments)
    assert done.exit_code == 0, done.stderr
    return {hit["path"] for hit in json.loads(done.stdout)}


def digest(url: str, schema: str) -> dict[str, str]:
    """Return a digest of all rows of each table of a project."""
    tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = %s::regnamespace"
    with psycopg.connect(url) as connection:
        found: dict[str, str] = {}
        for (name,) in connection.execute(tables, (schema,)).fetchall():
            rows = sql.SQL("SELECT t::text FROM {} t ORDER BY 1")
            query = rows.format(sql.Identifier(schema, name))
            text = "\n".join(row[0] for row in connection.execute(query).fetchall())
            found[name] = hashlib.sha256(text.encode()).hexdigest()
    return found


def schema_of(folder: Path, url: str) -> str:
    (found,) = [i.schema for i in list_projects(url) if i.root == str(folder)]
    return found


def test_indexing_a_second_project_leaves_the_first_as_it_is(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, beta = folders
    assert len(index(alpha)["added"]) == 3
    before = digest(url, schema_of(alpha, url))
    report = index(beta)
    assert len(report["added"]) == 3
    assert (report["changed"], report["removed"]) == ([], [])
    assert digest(url, schema_of(alpha, url)) == before
    assert paths_found(alpha, "session timeout alpha") >= {"docs/alpha.md"}
    assert "docs/alpha.md" not in paths_found(beta, "session timeout alpha")
    assert index(alpha)["unchanged"] == 3


def test_projects_indexed_and_searched_at_once_do_not_touch_each_other(
    folders: tuple[Path, Path], url: str
) -> None:
    alone = {}
    for folder in folders:  # what each is without the other
        with Index.open(folder, config=IndexConfig(workers=1)) as opened:
            opened.index()
            hits = opened.search("what does it say")
            alone[folder] = [(hit.id, hit.path, hit.content) for hit in hits]
        remove_project(list_projects(url)[0].name, url)

    started = [
        subprocess.Popen(
            [*OUTCROP, "index", "--workers", "1"], cwd=folder, stdout=subprocess.PIPE
        )
        for folder in folders
    ]
    for process in started:
        output, _ = process.communicate(timeout=50)
        assert process.returncode == 0
        assert b"3 added, 0 changed, 0 removed" in output
    for folder in folders:
        with Index.open(folder, create=False) as opened:
            hits = opened.search("what does it say")
            assert [(hit.id, hit.path, hit.content) for hit in hits] == alone[folder]


def test_removing_one_project_changes_nothing_of_the_other(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, beta = folders
    for folder in folders:
        index(folder)
        assert run(folder, "build", "--json").exit_code == 0
    before = digest(url, schema_of(alpha, url))
    name = next(i.name for i in list_projects(url) if i.root == str(beta))

    asked = run(alpha, "projects", "remove", name)
    assert asked.exit_code == 2
    assert "pass --yes" in asked.stderr
    assert run(alpha, "projects", "remove", name, "--yes").exit_code == 0

    assert [i.root for i in list_projects(url)] == [str(alpha)]
    assert digest(url, schema_of(alpha, url)) == before
    gone = run(beta, "search", "boats")
    assert gone.exit_code == 4
    assert f"there is no index of {beta}" in gone.stderr


def test_projects_lists_what_a_database_holds(
    folders: tuple[Path, Path], url: str
) -> None:
    assert "no projects yet" in run(folders[0], "projects").stdout
    index(folders[0], "--project", "sessions")
    table = run(folders[1], "projects").stdout.splitlines()
    assert table[0].split()[:2] == ["name", "documents"]
    assert table[1].split()[:2] == ["sessions", "3"]
    assert table[1].endswith(str(folders[0]))
    (values,) = json.loads(run(folders[1], "projects", "--json").stdout)
    assert values["schema"] == "outcrop_sessions"
    assert values["size_bytes"] > 100_000
    assert values["indexed_at"] >= values["created_at"]


def test_every_command_takes_the_name_of_a_project(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, beta = folders
    index(alpha, "--project", "sessions")
    named = ("--project", "sessions")
    chunk = json.loads(run(alpha, "search", "session", "--json").stdout)[0]["id"]
    for arguments in (
        ("search", "session"),
        ("show", chunk),
        ("related", chunk),
        ("runs",),
        ("status",),
        ("doctor",),
        ("reembed",),
        ("build", str(alpha)),
        ("worker", "--once"),
        ("graph", "build", str(alpha)),
        ("index", str(alpha)),
    ):
        done = run(beta, *arguments, *named)
        assert done.exit_code == 0, (arguments, done.stderr)
    assert [i.name for i in list_projects(url)] == ["sessions"]


def test_status_says_which_project_folder_and_database(
    folders: tuple[Path, Path], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta = folders
    index(alpha, "--project", "sessions")
    shown = run(alpha, "status").stdout
    assert "sessions (outcrop_sessions)" in shown
    assert f"folder      {alpha}" in shown
    assert url.rpartition("/")[2] in shown
    monkeypatch.setenv("OUTCROP_PROJECT", "sessions")
    other = run(beta, "status", "--project", ".").stdout
    assert f"note        the project is the index of {alpha}, not of {beta}" in other
    assert (
        f"the current folder, {beta}, is not part of it" in run(beta, "status").stdout
    )
    values = json.loads(run(beta, "status", "--json").stdout)
    assert (values["project"], values["name"], values["root"]) == (
        str(alpha),
        "sessions",
        str(alpha),
    )


def test_a_name_in_the_environment_mixes_no_projects(
    folders: tuple[Path, Path], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta = folders
    index(alpha, "--project", "sessions")
    before = digest(url, "outcrop_sessions")
    monkeypatch.setenv("OUTCROP_PROJECT", "sessions")
    for arguments in (
        ("index",),
        ("index", "--project", "."),
        ("build",),
        ("build", "--project", "."),
        ("graph", "build", "."),
    ):
        done = run(beta, *arguments)
        assert done.exit_code == 2, arguments
        assert "'sessions'" in done.stderr
    with (
        Index.open(beta) as opened,
        pytest.raises(ConfigError, match="is the index of"),
    ):
        opened.index()
    assert digest(url, "outcrop_sessions") == before
    assert "README.md" in paths_found(beta, "client session")

    assert run(beta, "projects", "move", "sessions", ".").exit_code == 0
    assert index(beta)["removed"] == ["docs/alpha.md"]  # now that this was asked for


def test_a_word_is_a_name_even_where_a_folder_is_called_so(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, _ = folders
    index(alpha, "--project", "docs")
    assert list_projects(url)[0].root == str(alpha)
    assert "README.md" in paths_found(alpha, "session", "--project", "docs")
    folder = run(alpha, "search", "session", "--project", "./docs")
    assert folder.exit_code == 4
    assert f"there is no index of {alpha / 'docs'}" in folder.stderr
    (alpha / "more").mkdir()
    unknown = run(alpha, "search", "session", "--project", "more")
    assert "no project 'more' in this database (for the folder, write ./more)" in (
        unknown.stderr
    )


def test_moved_and_copied_folders_are_told_apart(
    folders: tuple[Path, Path], url: str, tmp_path: Path
) -> None:
    alpha, beta = folders
    index(alpha)
    index(beta)
    moved = alpha.rename(tmp_path / "moved")
    shutil.copytree(beta, tmp_path / "copy")
    before = digest(url, schema_of(beta, url))
    assert index(moved)["unchanged"] == 3
    assert len(index(tmp_path / "copy")["added"]) == 3
    assert digest(url, schema_of(beta, url)) == before
    roots = {info.root for info in list_projects(url)}
    assert roots == {str(moved), str(beta), str(tmp_path / "copy")}


def test_an_index_from_before_there_were_projects_is_found_again(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, beta = folders
    with Index.open(alpha, schema="outcrop", config=IndexConfig(workers=1)) as opened:
        opened.index()
    documents = digest(url, "outcrop")["documents"]
    assert len(index(beta)["added"]) == 3
    assert paths_found(alpha, "session timeout") >= {"README.md"}
    assert index(alpha)["unchanged"] == 3
    assert digest(url, "outcrop")["documents"] == documents
    assert schema_of(alpha, url) == "outcrop"


def test_an_index_without_an_owner_is_taken_over_by_its_name(
    folders: tuple[Path, Path], url: str
) -> None:
    alpha, beta = folders
    with Index.open(alpha, schema="outcrop", config=IndexConfig(workers=1)) as opened:
        opened.index()
    assert "(no owner: take it over with --project outcrop)" in (
        run(beta, "projects").stdout
    )
    assert "README.md" in paths_found(beta, "session", "--project", "outcrop")
    assert list_projects(url)[0].root is None
    assert len(index(beta, "--project", "outcrop")["added"]) == 1
    assert list_projects(url)[0].root == str(beta)
    assert "docs/beta.md" in paths_found(beta, "boats")


def test_a_new_project_is_announced_and_a_preview_makes_none(
    folders: tuple[Path, Path], url: str
) -> None:
    preview = run(folders[0], "index", "--dry-run")
    assert preview.exit_code == 0
    assert list_projects(url) == []
    assert not (folders[0] / ".outcrop").exists()
    made = run(folders[0], "index", "--workers", "1", "--project", "sessions")
    assert f"made project 'sessions' of {folders[0]}" in made.stderr


def test_a_project_is_opened_by_its_name_from_anywhere(
    folders: tuple[Path, Path], url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha, beta = folders
    with Index.open(alpha, project="sessions") as opened:
        opened.index()
        assert opened.space.name == "sessions"
    monkeypatch.chdir(beta)
    with Index.open(project="sessions", create=False) as opened:
        assert opened.project == alpha
        assert opened.search("session")
    with pytest.raises(NotFoundError, match="there is no index of"):
        Index.open(create=False)


def test_names_with_the_embedded_server_are_refused(folders: tuple[Path, Path]) -> None:
    done = run(folders[0], "index", "--project", "sessions")
    assert done.exit_code == 2
    assert "Directory 'sessions' does not exist" in done.stderr
    assert run(folders[0], "projects").exit_code == 2
    assert not (folders[0] / ".outcrop").exists()
