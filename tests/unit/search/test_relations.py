"""Relations to follow, and what is gained by them."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError
from outcrop.model.candidate import Neighbour
from outcrop.model.edge import EdgeKind
from outcrop.model.hit import Relation
from outcrop.search.fusion import Ranked
from outcrop.search.neighbours import WEIGHT, add_gains, gains
from outcrop.search.relations import (
    EXPANSIONS,
    read_expansion,
    relation_of,
    strengths,
)
from unit.search.candidates import candidate, code


def near(
    chunk: str = "c", kind: str = "CALLS", *, leaving: bool = True, confidence=1.0
) -> Neighbour:
    return Neighbour("n", chunk, kind, leaving, confidence, "exact")


def test_names_of_relations_mean_edges():
    follow = read_expansion("callers, mentions")
    assert follow.leaving == (EdgeKind.MENTIONS,)
    assert follow.entering == (EdgeKind.CALLS, EdgeKind.MENTIONS)
    assert read_expansion(["callers", "mentions"]) == follow


@pytest.mark.parametrize("nothing", [None, "", [], " , "])
def test_nothing_is_followed_where_nothing_is_named(nothing):
    assert not read_expansion(nothing)


def test_all_relations_follow_every_edge_that_joins_chunks():
    follow = read_expansion("all")
    every = {*follow.leaving, *follow.entering}
    assert every == set(EdgeKind) - {EdgeKind.IMPORTS}


def test_an_unknown_relation_is_refused_with_those_there_are():
    with pytest.raises(InputError) as refused:
        read_expansion("calls,uses")
    assert "'uses'" in str(refused.value)
    assert all(name in str(refused.value) for name in EXPANSIONS)


@pytest.mark.parametrize(
    ("kind", "leaving", "relation"),
    [
        ("CALLS", True, Relation.CALLEE),
        ("CALLS", False, Relation.CALLER),
        ("CONTAINS", True, Relation.CHILD),
        ("CONTAINS", False, Relation.PARENT),
        ("EXTENDS", True, Relation.BASE),
        ("OVERRIDES", False, Relation.DERIVED),
        ("MENTIONS", False, Relation.MENTION),
    ],
)
def test_an_edge_has_two_readings(kind, leaving, relation):
    assert relation_of(near(kind=kind, leaving=leaving)) is relation


def test_surer_edges_are_stronger():
    sure, unsure = strengths([near(), near(confidence=0.5)])
    assert sure == 2 * unsure


def test_one_of_many_neighbours_says_little():
    (alone,) = strengths([near()])
    crowd = strengths([near(f"c{at}") for at in range(4)])
    assert crowd == [alone / 2] * 4


def test_a_gain_is_a_share_of_what_a_chunk_is_related_to():
    ranked = [Ranked(code("best", node_id="n"), 2.0, {})]
    (strength,) = strengths([near()])
    assert gains([near()], ranked) == {"c": pytest.approx(WEIGHT * strength * 2.0)}


def test_a_gain_lifts_only_what_follows_the_first_two_thirds():
    ranked = [
        Ranked(candidate(name), score, {})
        for name, score in zip("abcde", [5.0, 4.0, 3.0, 2.0, 1.0], strict=True)
    ]
    found = add_gains(ranked, ranked, {"b": 9.0, "e": 2.5}, limit=3)
    assert [item.candidate.id for item in found] == ["a", "b", "e", "c", "d"]
    assert found[2].parts["graph"] == 2.5
    high = add_gains(ranked, ranked, {"e": 90.0}, limit=3)
    assert [item.score for item in high] == [5.0, 4.0, 4.0, 3.0, 2.0]


def test_what_is_related_joins_behind_the_best():
    before = [Ranked(candidate("a"), 2.0, {})]
    again = [Ranked(candidate("x"), 1.0, {}), Ranked(candidate("a"), 0.9, {})]
    found = add_gains(before, again, {"x": 0.5}, limit=3)
    assert [(item.candidate.id, item.score) for item in found] == [
        ("a", 2.0),
        ("x", 1.5),
    ]


def test_nothing_gains_of_nothing():
    assert add_gains([], [], {}, limit=3) == []
