"""The order in which bases are searched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph.flow.method_order import linearize


def order(classes, symbol):
    def order_of(number):
        return linearize(number, lambda n: classes.get(n, []), order_of)

    return order_of(symbol)


def test_a_diamond_is_searched_as_python_does():
    assert order({4: [2, 3], 2: [1], 3: [1]}, 4) == (4, 2, 3, 1)


def test_a_base_outside_the_project_is_kept_in_place():
    assert order({2: [1, "ext.Mixin"], 1: ["ext.Base"]}, 2) == (
        2, 1, "ext.Base", "ext.Mixin",
    )  # fmt: skip


def test_an_inconsistent_order_still_ends():
    classes = {3: [1, 2], 4: [2, 1], 5: [3, 4]}
    assert set(order(classes, 5)) == {1, 2, 3, 4, 5}


@st.composite
def hierarchies(draw):
    """Real Python classes with the same bases as numbers."""
    count = draw(st.integers(1, 7))
    return {
        n: draw(st.lists(st.integers(0, n - 1), unique=True, max_size=3)) if n else []
        for n in range(count)
    }


@given(hierarchies())
def test_the_order_is_pythons_wherever_python_has_one(bases):
    made = {}
    for number, parents in bases.items():
        try:
            made[number] = type(f"C{number}", tuple(made[p] for p in parents), {})
        except (TypeError, KeyError):
            return
    for number, class_ in made.items():
        expected = [int(c.__name__[1:]) for c in class_.__mro__ if c is not object]
        assert list(order(bases, number)) == expected
