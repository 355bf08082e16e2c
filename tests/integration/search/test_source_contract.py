"""What every source of candidates has to do: in memory, on one database, on several."""

from __future__ import annotations

import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import sql

from integration.store.searches import definitions, lexical_matches, vector_matches
from outcrop.errors import InputError
from outcrop.model.candidate import (
    ChunkRef,
    LexicalQuery,
    LineQuery,
    Matches,
    NameQuery,
    VectorQuery,
)
from outcrop.model.edge import EdgeKind
from outcrop.model.filter import Filter
from outcrop.search.neighbours import find_related
from outcrop.search.question import make_filter, make_question
from outcrop.search.relations import read_expansion
from outcrop.search.searcher import search
from outcrop.store.availability import ParallelSources
from outcrop.store.database import Database
from outcrop.store.search_source import open_source
from outcrop.store.sharded_source import ShardedSource
from outcrop.store.store import PostgresStore
from unit.search.library import APPLICATION, EMBEDDER, IDENTITY, Library, make_library

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from outcrop.errors import StorageError
    from outcrop.search.source import CandidateSource, SourceOpener

LIBRARY = make_library()
CALLS = EdgeKind.CALLS
_TEA = {"tea": 1, "water": 1}


@pytest.fixture(scope="module")
def postgres(embedded_project: Path) -> Iterator[SourceOpener]:
    """Return the library in a schema of its own."""
    schema = f"test_{secrets.token_hex(6)}"
    with Database.open(embedded_project, schema=schema) as database:
        _fill(PostgresStore(database), LIBRARY)
        yield partial(open_source, database)
        with database.write() as connection:
            connection.execute(
                sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema))
            )


@pytest.fixture(scope="module")
def several(embedded_project: Path) -> Iterator[SourceOpener]:
    """Return the library in two schemas: code and what mentions it, and the rest."""
    mentioning = {e.src for e in LIBRARY.edges if e.kind is EdgeKind.MENTIONS}
    parts: tuple[list[Any], list[Any]] = ([], [])
    for document, chunks in LIBRARY.documents():
        is_code = document.kind == "code" or mentioning & {c.id for c in chunks}
        parts[0 if is_code else 1].append((document, chunks))
    assert all(parts)
    names = [f"test_{secrets.token_hex(6)}" for _ in parts]
    with ExitStack() as opened, ThreadPoolExecutor(2) as threads:
        databases = {
            name: opened.enter_context(Database.open(embedded_project, schema=name))
            for name in names
        }
        totals = []
        for database, part in zip(databases.values(), parts, strict=True):
            store = PostgresStore(database)
            _fill(store, LIBRARY, part)
            totals.append(store.word_totals())
        average = sum(t.length for t in totals) / sum(t.chunks for t in totals)
        for database in databases.values():
            PostgresStore(database).share_average(average)
        yield partial(_open_several, databases, threads)
        for name, database in databases.items():
            with database.write() as connection:
                connection.execute(
                    sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name))
                )


@contextmanager
def _open_several(
    databases: dict[str, Database],
    threads: ThreadPoolExecutor,
    *,
    terms: Collection[str] = (),
) -> Iterator[ShardedSource]:
    def fail(_: str, error: StorageError) -> None:
        raise error

    with ExitStack() as opened:
        sources = {
            name: opened.enter_context(open_source(database, terms=terms))
            for name, database in databases.items()
        }
        yield ShardedSource(ParallelSources(sources, threads, fail))


def _fill(
    store: PostgresStore, library: Library, part: list[Any] | None = None
) -> None:
    documents = library.documents() if part is None else part
    paths = {document.path for document, _ in documents}
    chunk_ids = {chunk.id for _, chunks in documents for chunk in chunks}
    store.use_embedder(IDENTITY)
    application = store.put_application(APPLICATION)
    assert application == APPLICATION
    graph = [edge for edge in library.edges if edge.kind is not EdgeKind.MENTIONS]
    nodes = [node for node in library.nodes.values() if node.file_path in paths]
    store.replace_graph(application, nodes, graph if nodes else [])
    sections = library.sections()
    store.replace_documents(
        documents, {path: sections[path] for path in paths if path in sections}
    )
    mentions = [edge for edge in library.edges if edge.kind is EdgeKind.MENTIONS]
    store.put_mentions([edge for edge in mentions if edge.src in chunk_ids])


@pytest.fixture(scope="module")
def memory() -> SourceOpener:
    """Return the library in memory, which the others are compared with."""
    return LIBRARY.source().open


# Each is the name of a fixture that opens the library.
@pytest.fixture(params=["memory", "postgres", "several"])
def open_library(request: pytest.FixtureRequest) -> SourceOpener:
    """Open the library: every test runs on all kinds of source."""
    opener: SourceOpener = request.getfixturevalue(request.param)
    return opener


@pytest.fixture
def source(open_library: SourceOpener) -> Iterator[CandidateSource]:
    with open_library() as opened:
        yield opened


def names(matches) -> list[str]:
    return LIBRARY.names([match.id for match in matches])


def test_embedder_is_the_one_that_made_the_vectors(source):
    assert source.embedder() == IDENTITY


def test_statistics_count_the_chunks_with_a_term(source):
    found = source.statistics(["tea", "water", "unheard"])
    assert {term: (known.df, known.chunks) for term, known in found.items()} == {
        "tea": (4, 11),
        "water": (2, 11),
    }
    assert 0 < found["tea"].max_weight < 1


def test_terms_are_looked_up_once_and_later_ones_are_added(source):
    first = source.statistics(["tea", "unheard"])
    both = source.statistics(["unheard", "water", "tea"])
    assert both["tea"] == first["tea"]
    assert both.keys() == {"tea", "water"}


def test_lexical_matches_come_best_first(source):
    found = lexical_matches(source, _TEA, limit=10)
    assert names(found) == ["time", "water", "todo", "cups, first"]
    assert lexical_matches(source, _TEA, limit=2) == found[:2]
    assert lexical_matches(source, {"unheard": 1}, limit=10) == []
    assert lexical_matches(source, {}, limit=10) == []


def test_several_searches_return_what_each_returns_alone(source):
    vector = EMBEDDER.embed(["hot tea"])[0]
    both = source.matches(
        lexical=[
            LexicalQuery(_TEA, 10),
            LexicalQuery({"unheard": 1}, 10),
            LexicalQuery({"porcelain": 2}, 3),
        ],
        vector=VectorQuery(vector, 5),
        names=NameQuery(["place", "Order"], 10),
    )
    assert both.lexical == [
        lexical_matches(source, _TEA, limit=10),
        [],
        lexical_matches(source, {"porcelain": 2}, limit=3),
    ]
    assert both.nearest == vector_matches(source, vector, limit=5)
    assert both.definitions == definitions(source, ["place", "Order"], limit=10)


def chunks_at(source, path, line, **restricted):
    restriction = Filter(**restricted) if restricted else None
    return source.chunks_at(LineQuery(path, line), limit=2, restriction=restriction)


def test_the_chunk_at_a_line_is_found_by_any_part_of_the_path(source):
    chunks = [c for c in LIBRARY.chunks.values() if c.path == "docs/tea.md"]
    for chunk in (c for c in chunks if c.indexable):
        for path in ("docs/tea.md", "tea.md", "/home/guest/docs/tea.md"):
            assert chunks_at(source, path, chunk.start_line) == [chunk.id]
    last = max((c for c in chunks if c.indexable), key=lambda c: c.start_line)
    assert chunks_at(source, "tea.md", 9_999) == [last.id]
    assert chunks_at(source, "ea.md", 1) == chunks_at(source, "docs", 1) == []
    assert chunks_at(source, "tea.md", 1, path_globs=["src/**"]) == []
    assert len(chunks_at(source, "tea.md", 1, path_globs=["docs/**"])) == 1


def test_a_view_without_searches_finds_nothing(source):
    assert source.matches() == Matches([], [], [])


def test_a_name_with_quotes_and_backslashes_is_looked_up(source):
    odd = ["pla\\ce", 'Or"der', "{a,b}", "it's", ""]
    assert definitions(source, odd, limit=5) == []
    assert source.statistics(odd) == {}


def test_terms_that_are_named_when_a_view_is_opened_are_known(open_library):
    with open_library(terms=["tea", "unheard"]) as opened:
        found = opened.statistics(["tea", "water", "unheard"])
    assert found.keys() == {"tea", "water"}
    assert found["tea"].df == 4


def test_a_term_that_the_query_repeats_counts_more(source):
    once, twice = (
        lexical_matches(source, {"porcelain": count}, limit=1)[0].score
        for count in (1, 2)
    )
    assert twice == pytest.approx(2 * once, rel=1e-5)


def test_vector_matches_come_nearest_first(source):
    found = vector_matches(source, EMBEDDER.embed(["hot tea"])[0], limit=20)
    assert len(found) == 10
    assert not {"todo", "brewing"} & set(names(found))  # without a vector
    assert [m.score for m in found] == sorted((m.score for m in found), reverse=True)
    exact = LIBRARY.chunks["time"]
    (best,) = vector_matches(source, exact.emb, limit=1)
    assert (best.id, best.score) == (exact.id, pytest.approx(1.0, abs=1e-6))


@pytest.mark.parametrize(
    ("restriction", "expected"),
    [
        (Filter(path_globs=["docs/*"]), {"water", "time", "cups, first"}),
        (Filter(path_globs=["*.txt"]), {"todo"}),
        (Filter(documents=["docs/cups.md", "none.md"]), {"cups, first"}),
        (Filter(kinds=["text"]), {"todo"}),
        (Filter(sources=["code"]), set()),
        (Filter(min_level=1, max_level=1), {"cups, first"}),
        (Filter(max_level=0), {"todo"}),
    ],
)
def test_a_restriction_applies_before_the_limit(source, restriction, expected):
    found = lexical_matches(source, _TEA, limit=3, restriction=restriction)
    assert set(names(found)) == expected
    vector = EMBEDDER.embed(["tea"])[0]
    near = vector_matches(source, vector, limit=3, restriction=restriction)
    assert expected - {"todo"} <= set(names(near)) or len(near) == 3


@pytest.mark.parametrize("glob", ["[z-a]", "*" * 301])
def test_a_pattern_that_cannot_be_parsed_is_reported(open_library, glob):
    restriction = Filter(path_globs=[glob])
    with pytest.raises(InputError, match="pattern"), open_library() as source:
        lexical_matches(source, _TEA, limit=1, restriction=restriction)
    with pytest.raises(InputError, match="pattern"), open_library() as source:
        vector_matches(
            source, EMBEDDER.embed(["tea"])[0], limit=1, restriction=restriction
        )


def test_definitions_are_types_first_and_of_a_split_one_the_first_part(source):
    found = definitions(source, ["place", "Order", "charge", "none"], limit=10)
    assert LIBRARY.names(found)[0] == "Order"
    assert set(LIBRARY.names(found)) == {"Order", "place, first", "charge"}
    assert definitions(source, ["place", "Order"], limit=1) == found[:1]
    code_of_money = Filter(documents=["shop/money.py"])
    assert LIBRARY.names(
        definitions(source, ["place", "charge"], limit=5, restriction=code_of_money)
    ) == ["charge"]
    assert definitions(source, [], limit=5) == []


def test_candidates_have_no_scores_without_a_query(source):
    ids = [LIBRARY.id("water"), "0" * 16, LIBRARY.id("place, second")]
    found = {LIBRARY.names([c.id])[0]: c for c in source.candidates(ids)}
    assert found.keys() == {"water", "place, second"}
    water, place = found["water"], found["place, second"]
    assert (water.path, water.section_path) == ("docs/tea.md", ("Brewing", "Water"))
    assert (water.parent_id, water.token_count) == (LIBRARY.id("brewing"), 11)
    assert (place.part, place.parts, place.node_kind) == (1, 2, "FUNCTION")
    assert (place.is_code, place.name) == (True, "place")
    assert {(c.lexical, c.similarity, c.matched_terms) for c in found.values()} == {
        (0.0, None, ())
    }


def test_candidates_are_scored_by_words_and_vector(source):
    ids = [chunk.id for chunk in LIBRARY.chunks.values()]
    weights = {term: s.idf for term, s in source.statistics(_TEA).items()}
    vector = EMBEDDER.embed(["tea"])[0]
    found = source.candidates(
        ids, vector=vector, weights=weights, terms=["water", "tea"]
    )
    assert [c.id for c in found] == sorted(ids)
    scores = {m.id: m.score for m in lexical_matches(source, _TEA, limit=20)}
    assert {c.id: c.lexical for c in found if c.lexical} == pytest.approx(scores)
    near = {m.id: m.score for m in vector_matches(source, vector, limit=20)}
    assert {c.id: c.similarity for c in found if c.similarity is not None} == (
        pytest.approx(near, abs=1e-6)
    )
    said = {LIBRARY.names([c.id])[0]: c.matched_terms for c in found}
    assert said["time"] == ("water", "tea")
    assert said["todo"] == ("tea",)
    assert said["charge"] == ()


def test_sections_are_the_inner_ones(source):
    (section,) = source.sections([LIBRARY.id("brewing"), LIBRARY.id("water")])
    assert (section.id, section.first, section.last) == (LIBRARY.id("brewing"), 0, 2)
    assert (section.tokens, section.section_path) == (22, ("Brewing",))
    assert source.sections([]) == []


def test_leaves_come_in_order_with_the_summary_of_their_document(source):
    tea, cups = (LIBRARY.chunks[name].document_id for name in ("water", "todo"))
    found = source.leaves([(cups, 0, 0), (tea, 0, 2)])
    by_document = {tea: ["water", "time"], cups: ["todo"]}
    expected = [name for key in sorted(by_document) for name in by_document[key]]
    assert LIBRARY.names([leaf.chunk.id for leaf in found]) == expected
    assert {leaf.chunk.path: leaf.document_summary for leaf in found} == {
        "docs/tea.md": "How tea is brewed.",
        "notes/todo.txt": None,
    }
    assert {leaf.summary for leaf in found} == {
        "About Water.",
        "About Time.",
        "About nothing.",
    }
    for leaf in found:
        own = next(c for c in LIBRARY.chunks.values() if c.id == leaf.chunk.id)
        shown = ("content", "start_line", "end_line", "start_offset", "end_offset")
        for name in shown:
            assert getattr(leaf.chunk, name) == getattr(own, name)
    assert source.leaves([]) == []


def follow(source, *ends, leaving=(), entering=(), **given):
    found = source.neighbours(
        ends, leaving=leaving, entering=entering, **{"limit": 10, **given}
    )
    return [(LIBRARY.names([n.chunk_id])[0], n.kind, n.leaving) for n in found]


def test_neighbours_are_one_edge_away_surest_first(source):
    place, charge = (LIBRARY.nodes[name].id for name in ("place", "charge"))
    assert follow(source, place, leaving=[CALLS], entering=[CALLS]) == [
        ("charge", "CALLS", True),
        ("test", "CALLS", False),
    ]
    assert follow(source, place, leaving=[CALLS], entering=[CALLS], limit=1) == [
        ("charge", "CALLS", True)
    ]
    assert follow(source, charge, leaving=[CALLS]) == []  # outside the project
    assert follow(source, place) == []


def test_documents_are_neighbours_of_what_they_mention(source):
    mentions = [EdgeKind.MENTIONS]
    charge, paying = LIBRARY.nodes["charge"].id, LIBRARY.id("paying")
    assert follow(source, charge, entering=mentions) == [("paying", "MENTIONS", False)]
    assert follow(source, paying, leaving=mentions) == [("charge", "MENTIONS", True)]
    code = Filter(sources=["code"])
    assert follow(source, charge, entering=mentions, restriction=code) == []


def test_the_uses_of_a_definition_are_edges_of_code_that_lead_to_it(source):
    place, charge = (LIBRARY.nodes[name].id for name in ("place", "charge"))
    expected = {
        node_id: sum(
            edge.dst == node_id and edge.kind not in {"CONTAINS", "MENTIONS"}
            for edge in LIBRARY.edges
        )
        for node_id in (place, charge)
    }
    assert dict(source.uses([place, charge])) == expected
    assert expected[charge] == 1
    assert dict(source.uses(["unheard"])) == {"unheard": 0}


def test_a_symbol_is_found_by_id_qualified_name_or_name(source):
    node = LIBRARY.nodes["charge"]
    for symbol in (node.id, node.fqn, node.name):
        assert source.find_node(symbol) == node.id
    assert source.find_node("unheard") is None


def test_a_chunk_is_found_by_the_start_of_its_id(source):
    chunk = LIBRARY.chunks["charge"]
    assert source.find_chunk(chunk.id[:12]) == ChunkRef(chunk.id, chunk.node_id)
    assert source.find_chunk(LIBRARY.id("todo")).node_id is None
    assert source.find_chunk("0" * 16) is None
    assert source.find_chunk("") is None  # all of them


QUESTIONS = [
    "how hot is water for green tea",
    "cups of glass and porcelain",
    "charge",
    "Order",
    "shop.orders.place",
    "how is a customer charged?",
    "test that an order is placed",
    "steeping",
    "the",
]


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
@pytest.mark.parametrize("given", [{}, {"kind": "doc"}, {"path_glob": "shop/**"}])
def test_all_sources_give_the_same_hits(memory, open_library, mode, given):
    for text in QUESTIONS:
        question = make_question(
            text, limit=5, mode=mode, restriction=make_filter(**given)
        )
        _assert_same(*_search_both(memory, open_library, question))


def test_all_sources_expand_to_the_same_hits(memory, open_library):
    for text in QUESTIONS:
        question = make_question(text, limit=6, expand="all")
        _assert_same(*_search_both(memory, open_library, question))


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
@pytest.mark.parametrize(
    "given",
    [
        {"unit": "section"},
        {"unit": "document"},
        {"unit": "section", "depth": 1},
        {"unit": "section", "depth": (1, 2)},
        {"unit": "section", "section": "brewing"},
    ],
)
def test_all_sources_give_the_same_sections_and_documents(
    memory, open_library, mode, given
):
    unit = given["unit"]
    filters = {name: value for name, value in given.items() if name != "unit"}
    for text in QUESTIONS:
        question = make_question(
            text, limit=5, mode=mode, restriction=make_filter(**filters), unit=unit
        )
        expected, found = _search_both(memory, open_library, question)
        _assert_same(expected, found)
        assert [hit.matches for hit in expected] == [hit.matches for hit in found]
        assert [hit.summary for hit in expected] == [hit.summary for hit in found]


def _search_both(memory, open_library, question):
    return (search(opener, question, EMBEDDER) for opener in (memory, open_library))


def _assert_same(expected, found):
    assert [hit.id for hit in expected] == [hit.id for hit in found]
    for ours, theirs in zip(expected, found, strict=True):
        assert ours.score == pytest.approx(theirs.score, rel=1e-4, abs=1e-5)
        assert ours.scores == pytest.approx(theirs.scores, rel=1e-4, abs=1e-5)
        assert ours.content == theirs.content
        assert ours.breadcrumb == theirs.breadcrumb
        assert ours.parts == theirs.parts


@pytest.mark.parametrize("symbol", ["place", "charge", "shop.orders.Order"])
def test_all_sources_relate_the_same(memory, open_library, symbol):
    expected, found = (
        find_related(opener, symbol, read_expansion("all"), 10)
        for opener in (memory, open_library)
    )
    assert [(r.hit.id, r.relation, r.confidence) for r in expected] == [
        (r.hit.id, r.relation, r.confidence) for r in found
    ]


def test_terms_are_found_by_their_beginning_and_length(source):
    found = source.indexed_terms("t", min_length=3, max_length=3)
    assert found["tea"] == 4
    assert all(term[0] == "t" and len(term) == 3 for term in found)
    assert "water" not in source.indexed_terms("t", min_length=1, max_length=9)
