"""The boolean query that no good enough chunk fails."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from outcrop.store.lexical import prune
from outcrop.store.lexical.prune import (
    Bounded,
    any_of,
    quote_term,
    reaching,
    reaching_with,
)

CHUNKS = 1000
_BOUNDS = st.lists(st.floats(0.01, 10), min_size=1, max_size=9).map(
    lambda bounds: sorted(bounds, reverse=True)
)
_DFS = st.lists(st.integers(1, CHUNKS), min_size=9, max_size=9)


def _terms(bounds: list[float], dfs: list[int]) -> list[Bounded]:
    pairs = zip(bounds, dfs, strict=False)
    return [Bounded(f"t{at}", bound, df) for at, (bound, df) in enumerate(pairs)]


def _pair(rare: float, common: float, threshold: float) -> str:
    terms = [Bounded("rare", rare, 250), Bounded("common", common, 900)]
    return reaching(terms, threshold, CHUNKS)


def _holds(query: str, present: set[str]) -> bool:
    """Evaluate a tsquery of our own making."""
    expression = query.replace("|", " or ").replace("&", " and ")
    names = {f"t{number}" for number in range(20)}
    for name in sorted(names, key=len, reverse=True):
        expression = expression.replace(f"'{name}'", str(name in present))
    return bool(eval(expression))  # noqa: S307 - made above from words of ours


@pytest.mark.parametrize("steps", [0, 1, 3, 64])
@given(bounds=_BOUNDS, dfs=_DFS, share=st.floats(0.01, 1), data=st.data())
def test_whatever_can_reach_the_threshold_passes(
    steps: int, bounds: list[float], dfs: list[int], share: float, data: st.DataObject
) -> None:
    terms = _terms(bounds, dfs)
    threshold = share * sum(bounds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune, "_MAX_SPLITS", steps)
        query = reaching(terms, threshold, CHUNKS)
    present = data.draw(st.sets(st.sampled_from(terms)))
    reached = sum(term.bound for term in present)
    if reached >= threshold * (1 + 1e-9):
        assert _holds(query, {term.text for term in present})


@given(bounds=_BOUNDS, dfs=_DFS, share=st.floats(0.01, 0.99), data=st.data())
def test_without_a_shortage_of_steps_the_query_is_exact(
    bounds: list[float], dfs: list[int], share: float, data: st.DataObject
) -> None:
    assume(len(bounds) <= 5)  # 2**5 combinations need fewer steps than there are
    terms = _terms(bounds, dfs)
    threshold = share * sum(bounds)
    present = data.draw(st.sets(st.sampled_from(terms)))
    reached = sum(term.bound for term in present)
    assume(abs(reached - threshold) > 1e-6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune, "_MAX_SPLITS", 64)
        patch.setattr(prune, "_FEW_CHUNKS", 0)
        query = reaching(terms, threshold, CHUNKS)
    assert _holds(query, {term.text for term in present}) == (reached > threshold)


@given(bounds=_BOUNDS, dfs=_DFS, share=st.floats(0.01, 1), data=st.data())
def test_whatever_has_a_wanted_term_and_can_reach_the_threshold_passes(
    bounds: list[float], dfs: list[int], share: float, data: st.DataObject
) -> None:
    terms = _terms(bounds, dfs)
    wanted = data.draw(st.sets(st.sampled_from(terms), min_size=1))
    threshold = share * sum(bounds)
    query = reaching_with([term.text for term in wanted], terms, threshold)
    present = data.draw(st.sets(st.sampled_from(terms)))
    reached = sum(term.bound for term in present)
    if present & wanted and reached >= threshold * (1 + 1e-9):
        assert _holds(query, {term.text for term in present})
    if not present & wanted:
        assert not _holds(query, {term.text for term in present})


def test_a_wanted_term_needs_one_of_those_that_the_others_cannot_replace() -> None:
    terms = [Bounded("big", 4.0, 9), Bounded("rare", 3.0, 2), Bounded("low", 1.0, 9)]
    assert reaching_with(["rare"], terms, 5.0) == "'rare'&('big')"
    assert reaching_with(["rare"], terms, 4.0) == "'rare'&('big'|'low')"
    assert reaching_with(["rare", "low"], terms, 3.0) == "'rare'|'low'&('big'|'rare')"


def test_one_rare_word_may_be_required() -> None:
    assert _pair(5.0, 1.0, 5.5) == "('rare'&'common')"
    assert _pair(5.0, 1.0, 4.0) == "'rare'"
    assert _pair(5.0, 1.0, 0.5) == "('rare'|'common')"


def test_few_chunks_are_not_told_apart() -> None:
    terms = [Bounded("a", 5.0, 3), Bounded("b", 1.0, 4)]
    assert reaching(terms, 5.5, CHUNKS) == "('a')"


def test_steps_go_where_most_chunks_pass() -> None:
    """A rare word has many cases that hardly any chunk is in."""
    rare = Bounded("rare", 5.0, 2)
    common = [Bounded(f"common{at}", 1.0, 300) for at in range(20)]
    query = reaching([rare, *common], 8.0, CHUNKS)
    without_rare = query.partition(")|")[2]
    assert query.startswith("('rare'&(")
    assert "&" in without_rare


def test_a_bound_that_rounding_took_away_lets_through() -> None:
    terms = [Bounded("a", 0.1, 900), Bounded("b", 0.1, 900), Bounded("c", 0.1, 900)]
    query = reaching(terms, 0.1 + 0.1 + 0.1, CHUNKS)
    assert "False" not in query
    assert "True" not in query


def test_unreachable_threshold_asks_for_any_term() -> None:
    terms = [Bounded("a", 1.0, 500), Bounded("b", 1.0, 500)]
    assert reaching(terms, 2.1, CHUNKS) == "'a'|'b'"
    assert any_of(["a"]) == "'a'"


def test_many_terms_give_a_short_query() -> None:
    terms = [Bounded(f"t{number}", 1.0, 500) for number in range(100)]
    query = reaching(terms, 50.0, CHUNKS)
    assert len(query) < 100_000


def test_quotes_and_backslashes_are_escaped() -> None:
    assert quote_term("it's") == "'it''s'"
    assert quote_term("a\\b") == "'a\\\\b'"
