"""The words of an index in memory: read after some searches, and never out of date."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest

from integration.store.samples import chunks, document
from integration.store.searches import search_words
from outcrop.errors import StorageError
from outcrop.store.lexical import maintain, posting_cache
from outcrop.store.lexical.posting_cache import PostingCache, read_lists
from outcrop.store.lexical.query import LexicalSearch

if TYPE_CHECKING:
    from outcrop.store.database import Database
    from outcrop.store.store import PostgresStore

QUERIES = ("a word", "second text", "a text and number 7", "nothing like this", "third")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let words be read after the second search."""
    monkeypatch.setattr(posting_cache, "_MIN_SEARCHES", 2)


def _put(store: PostgresStore, path: str, *texts: str) -> None:
    store.replace_documents([(document(path), chunks(texts, path))])


def _fill(store: PostgresStore) -> None:
    for number in range(30):
        _put(store, f"{number}.md", f"a word {number}", f"the second text {number}")


def _cache(store: PostgresStore) -> PostingCache:
    return store._database.postings


def _ask(store: PostgresStore) -> list[object]:
    return [search_words(store, query, exact=3) for query in QUERIES]


@pytest.fixture
def scans(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the scans of the database for words."""
    made: list[str] = []
    scan = LexicalSearch.scan

    def note(search: LexicalSearch, query: str, *, few: bool = False) -> object:
        made.append(query)
        return scan(search, query, few=few)

    monkeypatch.setattr(LexicalSearch, "scan", note)
    return made


def test_words_in_memory_give_what_the_database_gives(
    store: PostgresStore, scans: list[str]
) -> None:
    _fill(store)
    before = _ask(store)
    assert scans
    _cache(store).wait()
    scans.clear()
    assert _ask(store) == before
    assert scans == []


def test_every_change_is_seen_at_once(store: PostgresStore, scans: list[str]) -> None:
    _fill(store)
    for step in range(4):
        _ask(store)
        _cache(store).wait()
        scans.clear()
        known = _ask(store)
        assert scans == []
        _put(store, f"{step}.md", "a word 7", "third text")
        changed = _ask(store)
        assert changed != known
        assert scans
        store.delete_documents([f"{step}.md"])
        assert search_words(store, "third") == []


def test_new_weights_are_seen_at_once(store: PostgresStore, scans: list[str]) -> None:
    _fill(store)
    _ask(store)
    _cache(store).wait()
    known = _ask(store)
    maintain.settle_weights(store._database, 1000.0)
    scans.clear()
    assert _ask(store) != known
    assert scans


def test_merged_counts_change_no_answer(store: PostgresStore) -> None:
    _fill(store)
    known = _ask(store)
    maintain.merge_deltas(store._database)
    _ask(store)
    _cache(store).wait()
    assert _ask(store) == known


def test_a_large_index_is_left_in_the_database(
    store: PostgresStore, scans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting_cache, "_MAX_POSTINGS", 10)
    _fill(store)
    known = _ask(store)
    _cache(store).wait()
    scans.clear()
    assert _ask(store) == known
    assert scans


def test_reading_that_fails_is_no_error(
    store: PostgresStore, scans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the database is gone")

    monkeypatch.setattr(posting_cache, "read_lists", fail)
    _fill(store)
    known = _ask(store)
    _cache(store).wait()
    scans.clear()
    assert _ask(store) == known
    assert scans


def test_closing_stops_reading(store: PostgresStore, database: Database) -> None:
    _fill(store)
    stop = Event()
    with database.read() as connection:
        assert read_lists(connection, stop) is not None
    stop.set()
    with database.read() as connection:
        assert read_lists(connection, stop) is None


def test_a_closed_cache_does_not_read(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    _fill(store)
    cache = _cache(store)
    cache.close()
    monkeypatch.setattr(posting_cache, "read_lists", lambda *_: pytest.fail("read"))
    _ask(store)
    _ask(store)
    cache.wait()
