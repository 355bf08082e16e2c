"""The boolean query that no good enough chunk fails."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from outcrop.store.lexical import prune
from outcrop.store.lexical.prune import any_of, quote_term, reaching

_BOUNDS = st.lists(st.floats(0.01, 10), min_size=1, max_size=9).map(
    lambda bounds: sorted(bounds, reverse=True)
)


def _holds(query: str, present: set[str]) -> bool:
    """Evaluate a tsquery of our own making."""
    expression = query.replace("|", " or ").replace("&", " and ")
    names = {f"t{number}" for number in range(20)}
    for name in sorted(names, key=len, reverse=True):
        expression = expression.replace(f"'{name}'", str(name in present))
    return bool(eval(expression))  # noqa: S307 - made above from words of ours


@pytest.mark.parametrize("steps", [1, 3, 64])
@given(bounds=_BOUNDS, share=st.floats(0.01, 1), data=st.data())
def test_whatever_can_reach_the_threshold_passes(
    steps: int, bounds: list[float], share: float, data: st.DataObject
) -> None:
    terms = [f"t{number}" for number in range(len(bounds))]
    threshold = share * sum(bounds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prune, "_MOST_STEPS", steps)
        query = reaching(terms, bounds, threshold)
    present = data.draw(st.sets(st.sampled_from(terms)))
    reached = sum(
        bound for term, bound in zip(terms, bounds, strict=True) if term in present
    )
    if reached >= threshold * (1 + 1e-9):
        assert _holds(query, present)


@given(bounds=_BOUNDS, share=st.floats(0.01, 0.99), data=st.data())
def test_without_a_shortage_of_steps_the_query_is_exact(
    bounds: list[float], share: float, data: st.DataObject
) -> None:
    assume(len(bounds) <= 5)  # 2**5 combinations need fewer steps than there are
    terms = [f"t{number}" for number in range(len(bounds))]
    threshold = share * sum(bounds)
    present = data.draw(st.sets(st.sampled_from(terms)))
    reached = sum(
        bound for term, bound in zip(terms, bounds, strict=True) if term in present
    )
    assume(abs(reached - threshold) > 1e-6)
    query = reaching(terms, bounds, threshold)
    assert _holds(query, present) == (reached > threshold)


def test_one_rare_word_may_be_required() -> None:
    assert reaching(["rare", "common"], [5.0, 1.0], 5.5) == "('rare'&'common')"
    assert reaching(["rare", "common"], [5.0, 1.0], 4.0) == "'rare'"
    assert reaching(["rare", "common"], [5.0, 1.0], 0.5) == "('rare'|'common')"


def test_unreachable_threshold_asks_for_any_term() -> None:
    assert reaching(["a", "b"], [1.0, 1.0], 2.1) == "'a'|'b'"
    assert any_of(["a"]) == "'a'"


def test_many_terms_give_a_short_query() -> None:
    terms = [f"t{number}" for number in range(100)]
    query = reaching(terms, [1.0] * 100, 50.0)
    assert len(query) < 100_000


def test_quotes_and_backslashes_are_escaped() -> None:
    assert quote_term("it's") == "'it''s'"
    assert quote_term("a\\b") == "'a\\\\b'"
