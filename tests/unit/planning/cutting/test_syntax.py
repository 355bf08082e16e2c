"""Cutting definitions that are too large."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.errors import ConfigError, UnknownLanguageError
from outcrop.planning.cutting.syntax import cut

CLASS = '''class Cart:
    """A cart."""

    def add(self, item):
        check(item)
        self.items.append(item)

    # Everything goes.
    def clear(self):
        self.items = []

    def total(self):
        return sum(item.price for item in self.items)
'''


def test_text_within_the_limit_stays_whole():
    (piece,) = cut(CLASS, "python", limit=1000)
    assert (piece.text, piece.prefix) == (CLASS, "")


def test_members_stay_whole_and_carry_the_signature_of_their_class():
    pieces = cut(CLASS, "python", limit=140)
    assert [p.text.strip().splitlines()[0] for p in pieces] == [
        "class Cart:",
        "# Everything goes.",
        "def total(self):",
    ]
    assert [p.prefix for p in pieces] == ["", "class Cart\n", "class Cart\n"]


def test_statements_of_a_large_method_carry_both_signatures():
    body = "".join(f"        step_{n}(self)\n" for n in range(20))
    text = f"class Job:\n    def run(self):\n{body}"
    pieces = cut(text, "python", limit=150)
    assert {p.prefix for p in pieces[1:]} == {"class Job\ndef run(self)\n"}
    for piece in pieces[1:]:
        assert piece.text.startswith("        step_")


def test_java_members_stay_whole():
    methods = "".join(f"  void m{n}() {{\n    call({n});\n  }}\n" for n in range(6))
    text = f"public class A extends B {{\n{methods}}}\n"
    pieces = cut(text, "java", limit=90)
    assert len(pieces) > 2
    for piece in pieces:
        assert piece.text.count("{") - piece.text.count("}") == (
            (piece is pieces[0]) - (piece is pieces[-1])
        )
        assert piece is pieces[0] or piece.prefix == "public class A extends B\n"


def test_a_leaf_is_cut_at_lines():
    text = 'x = """\n' + "one line of text\n" * 40 + '"""\n'
    pieces = cut(text, "python", limit=100)
    assert all(piece.text.endswith("\n") for piece in pieces)
    assert all(len(piece.content) <= 100 for piece in pieces)


def test_a_line_that_is_too_long_is_cut_within():
    pieces = cut("x = '" + "a" * 500 + "'\n", "python", limit=50)
    assert all(len(piece.content) <= 50 for piece in pieces)


def test_sizes_are_those_of_the_given_measure():
    def words(text):
        return len(text.split())

    for piece in cut(CLASS, "python", limit=14, length=words):
        assert words(piece.content) <= 14


def test_a_limit_below_one_is_refused():
    with pytest.raises(ConfigError, match="limit is 0"):
        cut("x", "python", limit=0)


def test_an_unknown_language_is_refused():
    with pytest.raises(
        UnknownLanguageError, match="unknown language 'cobol'; choose one of: bash"
    ):
        cut("x" * 10, "cobol", limit=5)


LINES = st.sampled_from(
    ["def f(a):\n", "    return g(a)\n", "class K:\n", "    x = 1\n", "# note\n", "\n",
     "for i in x:\n", "    y = '🐎é'\r\n", "((((\n", '"""\n', "  }\n", "\tz(1, 2)\n"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, max_size=40).map("".join), st.integers(1, 120))
def test_pieces_tile_the_text_and_keep_the_limit(text, limit):
    pieces = cut(text, "python", limit=limit)
    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert text[piece.start : piece.end] == piece.text
        assert len(piece.content) <= limit or len(piece.text) == 1


def test_thousands_of_definitions_take_linear_time():
    text = "def f(x): return f(x)\n" * 16_000
    started = time.process_time()
    pieces = cut(text, "python", limit=400)
    assert time.process_time() - started < 4
    assert "".join(piece.text for piece in pieces) == text


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("def f(x):\n    return x\n\n" * 4_000, 48_000),
        ("x = '" + "abc def " * 12_000 + "'\n", 20),
    ],
    ids=["limit of half the text", "one long line"],
)
def test_little_more_than_the_text_is_measured(text, limit):
    measured = 0

    def length(part):
        nonlocal measured
        measured += len(part)
        return len(part)

    pieces = cut(text, "python", limit=limit, length=length)
    assert "".join(piece.text for piece in pieces) == text
    assert measured < 200 * len(text)
