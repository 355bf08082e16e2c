"""Tokens of code: what is a keyword, a string, a name and so on."""

from __future__ import annotations

import sys
from itertools import pairwise
from threading import Thread

import pytest

from outcrop.codegraph.colouring import MAX_CHARS, language_called, read_tokens
from outcrop.codegraph.languages import language
from programs import PROGRAMS

PYTHON = """class Berth(Place):
    def fee(self, length: int) -> int:
        # äöü: two bytes each
        return self.round_up(f"no {length + 1} more", 0x1F, None)
"""


def words(text, lang, kind):
    return [text[t.start : t.end] for t in read_tokens(text, lang) if t.kind == kind]


def test_python_is_read():
    assert words(PYTHON, "python", "keyword") == ["class", "def", "return", "None"]
    assert words(PYTHON, "python", "name") == ["Berth", "fee"]
    assert words(PYTHON, "python", "type") == ["int", "int"]
    assert words(PYTHON, "python", "comment") == ["# äöü: two bytes each"]
    assert words(PYTHON, "python", "number") == ["1", "0x1F"]
    assert words(PYTHON, "python", "call") == ["round_up"]
    assert words(PYTHON, "python", "string") == ['f"', "no ", " more", '"']


@pytest.mark.parametrize("lang", PROGRAMS)
def test_a_language_has_keywords_strings_and_comments(lang):
    text = PROGRAMS[lang]
    tokens = read_tokens(text, lang)
    assert all(one.end <= other.start for one, other in pairwise(tokens))
    assert {"keyword", "string", "comment"} <= {token.kind for token in tokens}
    if lang != "ruby":  # its methods have no name of a type that others have
        assert "greet" in words(text, lang, "name")


@pytest.mark.parametrize("lang", [None, "", "cobol"])
def test_an_unknown_language_has_no_tokens(lang):
    assert read_tokens("def f(): pass", lang) == []


def test_a_long_text_has_no_tokens():
    assert read_tokens("x = 1\n" * (MAX_CHARS // 6 + 1), "python") == []


def test_without_the_grammar_there_are_no_tokens(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_lua", None)
    monkeypatch.setitem(sys.modules, language("lua").grammar[0], None)
    monkeypatch.delitem(language("lua").__dict__, "tree_language", raising=False)
    found = []
    # Parsers are kept by thread: a new one has to load the grammar.
    reader = Thread(target=lambda: found.append(read_tokens("return 1", "lua")))
    reader.start()
    reader.join()
    assert found == [[]]


@pytest.mark.parametrize(
    ("name", "lang"),
    [
        ("py", "python"),
        ("Python", "python"),
        ("c++", "cpp"),
        ("sh", "bash"),
        ("", None),
    ],
)
def test_a_fence_names_its_language(name, lang):
    assert language_called(name) == lang
