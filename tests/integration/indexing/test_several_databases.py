"""One index in several databases: the same results as in one."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner

from integration.store.servers import fresh_database
from outcrop.cli.main import main
from outcrop.errors import ConfigError, NotFoundError, StorageError
from outcrop.indexing.index import Index
from outcrop.indexing.sharded import ShardedIndex
from outcrop.model.filter import Filter
from outcrop.store.address import describe_place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TOPICS = (
    "harbour",
    "lighthouse",
    "tide",
    "anchor",
    "compass",
    "sail",
    "rudder",
    "keel",
)
_QUESTIONS = ("lighthouse at the tide", "what is a keel?", "anchor", "compass and sail")
_NOWHERE = "postgresql://nobody@127.0.0.1:1/none"


@pytest.fixture
def urls(server_url: str) -> Iterator[list[str]]:
    """Return the URLs of four empty databases."""
    with ExitStack() as made:
        yield [made.enter_context(fresh_database(server_url)) for _ in range(4)]


@pytest.fixture
def documents(project: Path) -> Path:
    """Fill the project with documents and a file of code."""
    for number in range(24):
        first, second = _TOPICS[number % 8], _TOPICS[(number * 3 + 1) % 8]
        text = (
            f"# Page {number} about the {first}\n\nThe {first} and the {second}.\n\n"
            f"## Details {number}\n\nMore of the {second}: {'word ' * number}.\n"
        )
        (project / f"page-{number}.md").write_text(text)
    (project / "boat.py").write_text('def set_sail():\n    """Set the sail."""\n')
    return project


def _paths(url: str, project: Path) -> set[str]:
    try:
        with Index.open(project, database_url=url, create=False) as index:
            return {document.path for document in index.documents()}
    except NotFoundError:
        return set()


def test_every_document_is_in_one_database_and_results_are_those_of_one(
    urls, documents
):
    first, *others = urls
    with (
        Index.open(documents, database_url=first) as one,
        ShardedIndex.open(others, documents) as several,
    ):
        one.index()
        report = several.index()
        assert len(report.added) == 25
        parts = [_paths(url, documents) for url in others]
        assert all(parts)
        assert sum(map(len, parts)) == 25
        assert [d.path for d in several.documents()] == [
            d.path for d in one.documents()
        ]
        for question in _QUESTIONS:
            for mode in ("hybrid", "text", "vector"):
                expected = one.search(question, 10, mode=mode)
                found = several.search(question, 10, mode=mode)
                assert [hit.id for hit in found] == [hit.id for hit in expected]
                assert [hit.score for hit in found] == pytest.approx(
                    [hit.score for hit in expected], rel=1e-5
                )
            units = several.search(question, 5, unit="section")
            assert [hit.id for hit in units] == [
                hit.id for hit in one.search(question, 5, unit="section")
            ]
            assert several.context(question, 300) == one.context(question, 300)
        hit = several.search("keel", 1)[0]
        assert several.get(hit.id).content == one.get(hit.id).content
        some, none = several.documents()[0].path, "no/such.md"
        for path in (some, none):
            assert several.store.has_chunks(Filter(documents=[path])) is (path == some)
        counts = several.status().contents
        assert counts.documents == 25
        assert counts.indexable == one.status().contents.indexable
        assert several.index().wrote is False


def test_a_new_database_gets_what_belongs_to_it_and_everything_is_found_meanwhile(
    urls, documents, monkeypatch
):
    with ShardedIndex.open(urls[:3], documents) as several:
        several.index()
    before = [_paths(url, documents) for url in urls]
    assert not before[3]
    fill = Index.index
    found: list[int] = []
    with ShardedIndex.open(urls, documents) as several:

        def fill_and_search(index: Index, *arguments, **options):
            report = fill(index, *arguments, **options)
            hits = several.search("page", 30, mode="text", path_glob="*.md")
            assert len({hit.id for hit in hits}) == len(hits)
            found.append(len({hit.path for hit in hits}))
            return report

        monkeypatch.setattr(Index, "index", fill_and_search)
        report = several.index()
    after = [_paths(url, documents) for url in urls]
    moved = after[3]
    assert moved
    assert report.added == report.removed == []
    assert report.notes == [f"moved to another database: {len(moved)}"]
    assert after[:3] == [paths - moved for paths in before[:3]]
    assert found == [24, 24, 24, 24]  # after each database


def test_an_interrupted_move_is_completed_by_the_next_run(urls, documents):
    with ShardedIndex.open(urls[:1], documents) as several:
        several.index()

    class Interrupted(Exception):  # noqa: N818 - not an error of ours
        pass

    def interrupt(_) -> None:
        raise Interrupted

    with ShardedIndex.open(urls[:2], documents) as several:
        with pytest.raises(Interrupted):
            several.index(on_progress=interrupt)
        found = several.search("page", 30, mode="text", path_glob="*.md")
        assert len({hit.path for hit in found}) == 24
        several.index()
    first, second = (_paths(url, documents) for url in urls[:2])
    assert not first & second
    assert len(first | second) == 25


def test_a_database_that_cannot_be_reached_gives_partial_results_or_an_error(
    urls, documents
):
    with ShardedIndex.open(urls[:2], documents) as several:
        several.index()
    with ShardedIndex.open(
        [*urls[:2], _NOWHERE], documents, create=False, require_all=False
    ) as several:
        assert list(several.missing) == ["postgresql://127.0.0.1:1/none"]
        assert several.search("keel")
        with pytest.raises(
            StorageError, match=r"127\.0\.0\.1:1/none cannot be reached"
        ):
            several.index()
    with pytest.raises(StorageError):
        ShardedIndex.open([*urls[:2], _NOWHERE], documents, create=False)


def test_a_database_lost_after_opening_is_missing_from_the_results(
    urls, documents, server_url, monkeypatch
):
    monkeypatch.setattr("outcrop.indexing.shards._WAIT_SECONDS", 0.5)
    with ShardedIndex.open(urls[:2], documents) as several:
        several.index()
    with ShardedIndex.open(
        urls[:2], documents, create=False, require_all=False
    ) as several:
        whole = {hit.path for hit in several.search("page", 30, mode="text")}
        lost = _paths(urls[1], documents)
        with psycopg.connect(server_url, autocommit=True) as admin:
            name = urls[1].rpartition("/")[2]
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
            admin.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = %s",
                (name,),
            )
            found = {hit.path for hit in several.search("page", 30, mode="text")}
            assert len(several.missing) == 1
            assert found == whole - lost
            admin.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
        # The pool waits longer and longer before it connects again.
        end = time.monotonic() + 30
        again: set[str] = set()
        while again != whole and time.monotonic() < end:
            again = {hit.path for hit in several.search("page", 30, mode="text")}
        assert again == whole
        assert several.missing == {}


def _run(*arguments: str, url: str):
    return CliRunner().invoke(main, [*arguments, "--database-url", url])


def test_commands_take_several_urls_and_mark_partial_results(
    urls, documents, monkeypatch
):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    assert _run("index", ".", url=both).exit_code == 0
    found = _run("search", "keel", url=both)
    assert found.exit_code == 0
    assert "page-" in found.stdout
    assert "incomplete" not in found.stderr
    status = _run("status", url=both)
    assert "documents   25" in status.stdout
    # A word of every page: one that few have may be in the other database alone.
    partial = _run("search", "page", url=f"{urls[0]} {_NOWHERE}")
    assert partial.exit_code == 0
    assert "note: results may be incomplete: no answer from postgresql://" in (
        partial.stderr
    )
    refused = _run("search", "keel", "--require-all", url=f"{urls[0]} {_NOWHERE}")
    assert refused.exit_code != 0
    assert "127.0.0.1" in refused.stderr
    related = _run("related", "set_sail", url=both)
    assert related.exit_code == 0


def test_an_export_has_the_chunks_of_all_databases_in_one_order(
    urls, documents, monkeypatch, tmp_path
):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    assert _run("index", ".", url=both).exit_code == 0
    assert _run("index", ".", url=urls[2]).exit_code == 0
    files = [tmp_path / "both.jsonl", tmp_path / "one.jsonl"]
    for url, file in zip((both, urls[2]), files, strict=True):
        done = _run("export", "--to", "jsonl", str(file), url=url)
        assert done.exit_code == 0, done.output
    both_rows, one_rows = (
        [json.loads(line) for line in file.read_text().splitlines()] for file in files
    )
    assert len(both_rows) > 24
    ids = [row["id"] for row in both_rows]
    assert ids == sorted(set(ids))
    for row in (*both_rows, *one_rows):
        del row["metadata"]["outcrop_run"]
        row["metadata"].pop("outcrop_project", None)
    assert both_rows == one_rows
    refused = _run("export", "--to", "jsonl", "x", url=f"{urls[0]} {_NOWHERE}")
    assert refused.exit_code != 0
    assert "127.0.0.1" in refused.stderr


def test_a_graph_is_built_where_the_code_of_the_index_is(urls, documents, monkeypatch):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    assert _run("index", ".", url=both).exit_code == 0
    (documents / "more.py").write_text("def hoist():\n    pass\n")
    built = _run("graph", "build", ".", url=both)
    assert built.exit_code == 0, built.output
    shown = _run("graph", "show", "hoist", url=both)
    assert shown.exit_code == 0, shown.output
    assert "more.py" in shown.stdout


def test_doctor_checks_every_database(urls, documents, monkeypatch):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    assert _run("index", "page-1.md", url=both).exit_code == 0
    checked = _run("doctor", "--json", url=both)
    found = {each["name"]: each["ok"] for each in json.loads(checked.stdout)}
    for url in urls[:2]:
        place = describe_place(url)
        # One of the two databases has no document of so small an index.
        assert found[f"server, {place}"]
        assert found[f"documents, {place}"]
    broken = _run("doctor", url=f"{urls[0]} {_NOWHERE}")
    assert broken.exit_code == 1
    assert "FAIL  index, postgresql://127.0.0.1:1/none: " in broken.stdout


def test_projects_are_listed_moved_and_removed_in_every_database(
    urls, documents, monkeypatch, tmp_path
):
    monkeypatch.chdir(documents)
    both = " ".join(urls[:2])
    assert _run("index", ".", url=both).exit_code == 0
    places = [describe_place(url) for url in urls[:2]]
    listed = json.loads(_run("projects", "--json", url=both).stdout)
    assert [each["database"] for each in listed] == places
    assert sum(each["documents"] for each in listed) == 25
    (name,) = {each["name"] for each in listed}
    shown = _run("projects", url=both).stdout
    assert all(place in shown for place in places)

    moved = _run("projects", "move", name, str(tmp_path), url=both)
    assert moved.exit_code == 0, moved.output
    listed = json.loads(_run("projects", "--json", url=both).stdout)
    assert {each["root"] for each in listed} == {str(tmp_path.resolve())}

    lost = _run("projects", "remove", name, "--yes", url=f"{urls[0]} {_NOWHERE}")
    assert lost.exit_code != 0
    assert len(json.loads(_run("projects", "--json", url=both).stdout)) == 2
    removed = _run("projects", "remove", name, "--yes", url=both)
    assert removed.exit_code == 0, removed.output
    assert json.loads(_run("projects", "--json", url=both).stdout) == []
    unknown = _run("projects", "remove", name, "--yes", url=both)
    assert "in any of these databases" in unknown.stderr


def test_what_needs_one_database_says_so(urls, documents):
    with pytest.raises(ConfigError, match="several databases"):
        Index.open(documents, database_url=" ".join(urls))
