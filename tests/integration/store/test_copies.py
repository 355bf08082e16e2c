"""Words and vectors in memory: read after some searches, and never out of date."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING

import pytest

from integration.store.samples import chunks, document, vector
from integration.store.searches import search_vectors, search_words
from outcrop.errors import StorageError
from outcrop.model.filter import Filter
from outcrop.store import copies, vectors
from outcrop.store.copies import CopyReader, TableCopy
from outcrop.store.lexical import maintain, postings
from outcrop.store.lexical.postings import POSTINGS
from outcrop.store.lexical.query import LexicalSearch
from outcrop.store.sketches import rounded
from outcrop.store.sketches.rounded import VECTORS
from outcrop.store.vectors import VectorSearch

if TYPE_CHECKING:
    from outcrop.store.database import Database
    from outcrop.store.lexical.postings import PostingLists, WordsState
    from outcrop.store.store import PostgresStore

QUERIES = ("a word", "second text", "a text and number 7", "nothing like this", "third")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tables be read after the second search."""
    monkeypatch.setattr(copies, "_MIN_SEARCHES", 2)


def _put(store: PostgresStore, path: str, *texts: str) -> None:
    store.replace_documents([(document(path), chunks(texts, path))])


def _fill(store: PostgresStore) -> None:
    for number in range(30):
        _put(store, f"{number}.md", f"a word {number}", f"the second text {number}")


def _copy(store: PostgresStore) -> TableCopy[WordsState, PostingLists]:
    return store._database.postings


def _ask(store: PostgresStore) -> list[object]:
    """Ask so often that the words are read, and wait until that is done."""
    found = [search_words(store, query, exact=3) for query in QUERIES]
    _copy(store).wait()
    return found


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
    scans.clear()
    assert _ask(store) == before
    assert scans == []


def test_a_filter_that_all_documents_pass_changes_nothing(
    store: PostgresStore, scans: list[str]
) -> None:
    _fill(store)
    known = _ask(store)
    scans.clear()
    passed = Filter(path_globs=["*.md"])
    found = [
        search_words(store, query, exact=3, restriction=passed) for query in QUERIES
    ]
    assert found == known
    assert scans == []


def test_every_change_is_seen_at_once(store: PostgresStore, scans: list[str]) -> None:
    _fill(store)
    for step in range(4):
        _ask(store)
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
    assert _ask(store) == known


def test_a_large_index_is_left_in_the_database(
    store: PostgresStore, scans: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postings, "_MAX_POSTINGS", 10)
    _fill(store)
    known = _ask(store)
    scans.clear()
    assert _ask(store) == known
    assert scans


def test_reading_that_fails_is_no_error(store: PostgresStore, scans: list[str]) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the database is gone")

    reader = CopyReader(read=fail, chunks_per_search=1)
    store._database.postings = TableCopy(store._database.read, reader)
    _fill(store)
    known = _ask(store)
    scans.clear()
    assert _ask(store) == known
    assert scans


def test_closing_stops_reading(store: PostgresStore, database: Database) -> None:
    _fill(store)
    stop = Event()
    for reader in (POSTINGS, VECTORS):
        stop.clear()
        with database.read() as connection:
            assert reader.read(connection, stop) is not None
        stop.set()
        with database.read() as connection:
            assert reader.read(connection, stop) is None


def test_a_closed_copy_does_not_read(store: PostgresStore) -> None:
    _fill(store)
    reader = CopyReader(read=lambda *_: pytest.fail("read"), chunks_per_search=1)
    copy = TableCopy(store._database.read, reader)
    copy.close()
    assert [copy.find(1, 1) for _ in range(5)] == [None] * 5
    copy.wait()


class Vectors:
    """Searches by vector, and how many chunks the database compares for them."""

    def __init__(self, store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
        self._store = store
        self.compared: list[int] = []
        scan = VectorSearch._scan

        def note(search: VectorSearch, text: str, **values: str) -> object:
            self.compared.append(len(values["near"].split(",")) if values else -1)
            return scan(search, text, **values)

        monkeypatch.setattr(VectorSearch, "_scan", note)

    def ask(self) -> list[object]:
        """Return the nearest to some vectors."""
        self.compared.clear()
        found = [search_vectors(self._store, vector(t), 3) for t in QUERIES]
        self._store._database.vectors.wait()
        return found


@pytest.fixture
def nearest(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> Vectors:
    monkeypatch.setattr(vectors, "_MAX_COMPARED", 1)
    monkeypatch.setattr(vectors, "_MIN_COMPARED", 30)
    _fill(store)
    return Vectors(store, monkeypatch)


def test_vectors_in_memory_leave_fewer_to_compare(nearest: Vectors) -> None:
    before = nearest.ask()
    assert set(nearest.compared[:2]) == {30}
    assert nearest.ask() == before
    assert max(nearest.compared) < 30


def test_a_changed_vector_is_seen_at_once(
    store: PostgresStore, nearest: Vectors
) -> None:
    nearest.ask()
    for step in range(5):
        _put(store, f"{step}.md", QUERIES[step])
        found = nearest.ask()
        assert len(store._database.sketches._view or ()) > 30
        assert found[step][0].score == pytest.approx(1)


def test_a_vector_that_was_removed_does_not_shorten_the_answer(
    store: PostgresStore, nearest: Vectors
) -> None:
    before = nearest.ask()
    nearest.ask()
    gone = {match.id for found in before for match in found[:1]}
    with store._database.write() as connection:
        connection.execute(
            "UPDATE chunks SET emb = NULL WHERE id = ANY(%s)", ([*gone],)
        )
    found = nearest.ask()
    assert [len(each) for each in found] == [3] * len(QUERIES)
    assert 30 in nearest.compared
    assert not gone & {match.id for each in found for match in each}


def test_filters_compare_as_many_as_before(
    store: PostgresStore, nearest: Vectors
) -> None:
    nearest.ask()
    nearest.ask()
    nearest.compared.clear()
    search_vectors(store, vector("a word"), 3, restriction=Filter(path_globs=["1*.md"]))
    assert nearest.compared[0] in {-1, 120}


def test_too_many_vectors_stay_in_the_database(
    nearest: Vectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounded, "_MAX_NUMBERS", 10)
    before = nearest.ask()
    assert nearest.ask() == before
    assert set(nearest.compared) == {30}
