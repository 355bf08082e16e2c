"""How hits are shown on a terminal."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from outcrop.cli.render.hits import write_context, write_hits
from outcrop.search.context import pack
from unit.hits import make_hit

if TYPE_CHECKING:
    from outcrop.model.hit import Hit


@pytest.fixture
def terminal(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    # Pytest takes the output anew for the test itself, so not of this one object.
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    return capsys


def body(terminal, shown: Hit, *, full: bool = False) -> list[str]:
    write_hits([shown], as_json=False, full=full)
    return terminal.readouterr().out.splitlines()[1:]


def test_a_long_line_is_cut_though_words_in_it_are_marked(terminal):
    shown = make_hit(f"tea {'x' * 90} water and more", [(0, 3), (95, 100)])
    assert body(terminal, shown) == [
        f"   \x1b[4mtea\x1b[0m {'x' * 90} \x1b[4mwa\x1b[0m…"
    ]


def test_marks_stay_at_their_words_with_any_line_end(terminal):
    shown = make_hit("one\r\ntwo\rthree\n\ntwo", [(5, 8), (16, 19)])
    two = "   \x1b[4mtwo\x1b[0m"
    assert body(terminal, shown) == ["   one", two, "   three", two]
    assert body(terminal, shown, full=True) == ["   one", two, "   three", "   ", two]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_nothing_is_styled_where_that_is_not_wanted(terminal, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    assert body(terminal, make_hit("tea", [(0, 3)])) == ["   tea"]


def test_a_context_is_exact_but_on_a_terminal(monkeypatch, capsys):
    text = "\x1b]0;title\x07 one\r\ntwo"
    context = pack([make_hit(text)], max_tokens=1000, count=len)
    write_context(context, as_json=False)
    assert capsys.readouterr().out == f"{context}\n"
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    write_context(context, as_json=False)
    shown = capsys.readouterr().out
    assert "\n\\x1b]0;title\\x07 one\ntwo\n" in shown


def test_the_name_of_a_symbol_is_shown_as_the_language_writes_it(capsys):
    shown = replace(
        make_hit(),
        headers=("github", "com", "gin-gonic", "gin", "Context", "JSON"),
        symbol="github.com/gin-gonic/gin.Context.JSON",
    )
    write_hits([shown], as_json=False, full=False)
    title = capsys.readouterr().out.splitlines()[0]
    assert title.split("  ")[2] == "github.com/gin-gonic/gin.Context.JSON"
