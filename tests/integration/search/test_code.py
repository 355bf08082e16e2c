"""Questions about code: definitions, names, what is related."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError, NotFoundError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.model.hit import Relation
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database

FILES = {
    "kettle/heater.py": '''"""Heating water."""


class Heater:
    """Brings water to a temperature."""

    def heat(self, water, degrees):
        """Heat the water until it has so many degrees."""
        while water.degrees < degrees:
            water.degrees += self.step
        return water


class Visitor:
    """Walks through the parts of a kettle."""

    def visit(self, part):
        return part.accept(self)
''',
    "kettle/brewing.py": '''"""Making tea."""

from kettle.heater import Heater


def brew_tea(leaves, water):
    """Steep the leaves in hot water."""
    hot = Heater().heat(water, 95)
    return steep(leaves, hot)


def steep(leaves, water):
    for leaf in leaves:
        water.add(leaf.flavour)
    return water
''',
    "kettle/walks.py": "\n\n".join(
        f"def walk_{n}(part, visitor):\n    visitor.visit(part)\n    return visitor"
        for n in range(30)
    ),
    # As many definitions of one name as a search reads, and more; one of them is used.
    **{
        f"taps/tap_{n:02}.py": f"def pour():\n    return 'tap {n}'\n" for n in range(30)
    },
    "taps/basin.py": "from taps.tap_17 import pour\n\n\ndef fill():\n    return pour()\n",
    "tests/test_brewing.py": '''"""Tests of making tea."""

from kettle.brewing import brew_tea


def test_brew_tea_steeps_leaves_in_hot_water(leaves, water):
    assert brew_tea(leaves, water)
''',
    "docs/guide.md": """# Guide

## A cup

Call `kettle.brewing.brew_tea` with what is in the tin.

## The weather

It rains.
""",
}


@pytest.fixture(scope="session")
def kitchen(server_url, tmp_path_factory):
    """Return an index of a small project: code, its tests, its guide."""
    project = tmp_path_factory.mktemp("kitchen")
    for path, text in FILES.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    database = Database.open(server_url, schema="kitchen")
    config = IndexConfig(workers=1)
    with Index(database, project, embedder=LocalEmbedder(), config=config) as opened:
        opened.index()
        yield opened


def symbols(hits):
    return [hit.symbol for hit in hits]


@pytest.mark.parametrize("query", ["Heater.heat", "brew_tea", "steep"])
def test_the_definition_of_a_symbol_comes_first(kitchen, query):
    assert symbols(kitchen.search(query, 3))[0].endswith(query)


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("kettle/brewing.py:15", "kettle/brewing.py", 15),
        ("/usr/lib/site-packages/kettle/heater.py, line 18", "kettle/heater.py", 18),
        ("walks.py#L90", "kettle/walks.py", 90),
        ("walks.py:4000", "kettle/walks.py", 119),
        ("taps/tap_29.py", "taps/tap_29.py", 1),
    ],
)
def test_a_path_with_a_line_finds_what_is_there(kitchen, query, path, line):
    best = kitchen.search(query, 3)[0]
    assert best.path == path
    assert best.start_line <= line <= best.end_line
    assert "line" in best.scores


def test_a_path_outside_a_filter_is_not_found(kitchen):
    found = kitchen.search("kettle/brewing.py:15", 10, path_glob="taps/**")
    assert {hit.path.partition("/")[0] for hit in found} <= {"taps"}


def test_a_definition_is_found_that_everything_else_mentions_more(kitchen):
    assert kitchen.search("Visitor", 1)[0].symbol == "kettle.heater.Visitor"
    assert kitchen.search("visitor", 1)[0].symbol == "kettle.heater.Visitor"


def test_of_many_definitions_the_one_that_code_uses_comes_first(kitchen):
    assert kitchen.search("pour", 1)[0].path == "taps/tap_17.py"


def test_tests_come_after_what_they_exercise_unless_asked_for(kitchen):
    question = "steeping leaves in hot water to brew tea"
    paths = [hit.path for hit in kitchen.search(question, 10)]
    assert paths.index("kettle/brewing.py") < paths.index("tests/test_brewing.py")
    asked = kitchen.search("which test covers brewing tea", 1)
    assert asked[0].path == "tests/test_brewing.py"


def test_words_are_found_in_another_form(kitchen):
    first = kitchen.search("what is heated", 1, kind="code")[0]
    assert first.path == "kettle/heater.py"


@pytest.mark.parametrize("query", ["heat water", "Visitor", "walk_7", "tea guide"])
def test_every_hit_of_code_is_verbatim(kitchen, query):
    for hit in kitchen.search(query, 10, expand="all"):
        text = (kitchen.project / hit.path).read_bytes().decode()
        own = text[hit.start_offset : hit.end_offset]
        assert hit.content == hit.prefix + own + hit.suffix
        assert own.strip()


def test_a_hit_of_code_knows_its_symbol(kitchen):
    hit = kitchen.search("brew_tea", 1)[0]
    assert hit.symbol == "kettle.brewing.brew_tea"
    assert hit.signature == "def brew_tea(leaves, water)"
    assert hit.node_id == kitchen.symbol("brew_tea").node.id
    assert hit.source == "code"


def test_definitions_obey_filters(kitchen):
    hits = kitchen.search("Visitor", 5, path_glob="kettle/walks.py")
    assert {hit.path for hit in hits} == {"kettle/walks.py"}
    assert all(hit.source == "doc" for hit in kitchen.search("Visitor", 5, kind="doc"))


def test_a_question_finds_the_documentation_through_the_function(kitchen):
    question = "steep the leaves in hot water"
    plain = [hit.id for hit in kitchen.search(question, 10)]
    expanded = kitchen.search(question, 10, expand="mentions")
    guide = [hit for hit in expanded if hit.path == "docs/guide.md"]
    assert guide[0].header_path == "/Guide/A cup"
    assert guide[0].scores["graph"] > 0
    assert expanded[0].id == plain[0]


def test_a_question_finds_the_function_through_its_documentation(kitchen):
    hits = kitchen.search("what is in the tin", 4, expand=["mentions"])
    assert hits[0].header_path == "/Guide/A cup"
    assert "kettle.brewing.brew_tea" in symbols(hits)


def test_what_a_hit_calls_is_followed(kitchen):
    hits = kitchen.search("brew_tea", 6, expand="callees")
    assert {"kettle.brewing.steep", "kettle.heater.Heater.heat"} <= set(symbols(hits))


def test_the_first_two_thirds_of_the_hits_stay_as_they_were(kitchen):
    plain = kitchen.search("hot water", 9)
    expanded = kitchen.search("hot water", 9, expand="all")
    assert [hit.id for hit in plain[:6]] == [hit.id for hit in expanded[:6]]
    scores = [hit.score for hit in expanded]
    assert scores == sorted(scores, reverse=True)


def test_an_expansion_obeys_filters(kitchen):
    hits = kitchen.search("brew_tea", 10, expand="all", path_glob="kettle/*")
    assert {hit.path.split("/")[0] for hit in hits} == {"kettle"}


def test_related_to_a_symbol_are_its_callers_callees_and_documentation(kitchen):
    found = {
        (item.hit.symbol or item.hit.header_path): item.relation
        for item in kitchen.related("kettle.brewing.brew_tea", 20)
    }
    assert found["kettle.brewing.steep"] is Relation.CALLEE
    assert found["kettle.heater.Heater.heat"] is Relation.CALLEE
    assert found["/Guide/A cup"] is Relation.MENTION
    assert Relation.CALLER in found.values()


@pytest.mark.parametrize("given", [None, 5, object()])
def test_only_a_name_or_an_id_has_relatives(kitchen, given):
    with pytest.raises(InputError, match=r"must be a str, not .*give hit.id"):
        kitchen.related(given)


def test_related_to_a_chunk_of_a_document_is_what_it_names(kitchen):
    guide = next(
        hit for hit in kitchen.search("tin", 5) if hit.header_path == "/Guide/A cup"
    )
    (item,) = kitchen.related(guide.id)
    assert item.hit.symbol == "kettle.brewing.brew_tea"
    assert item.relation is Relation.MENTION
    assert 0 < item.confidence <= 1
    assert item.resolution == "exact"


def test_relations_can_be_chosen_and_limited(kitchen):
    found = kitchen.related("brew_tea", 1, expand="callers,callees")
    assert len(found) == 1
    assert found[0].relation in {Relation.CALLER, Relation.CALLEE}


def test_what_is_not_there_has_no_relations(kitchen):
    for name in ("no_such_thing", "feedfacefeedface", ""):
        with pytest.raises(NotFoundError, match="no symbol and no chunk"):
            kitchen.related(name)


def test_an_unknown_relation_is_refused(kitchen):
    with pytest.raises(
        InputError, match=r"unknown relation 'uses' in expand; .* mentions"
    ):
        kitchen.search("tea", expand="uses")
    with pytest.raises(InputError, match="expand requires mode 'hybrid'"):
        kitchen.search("tea", mode="text", expand="calls")
