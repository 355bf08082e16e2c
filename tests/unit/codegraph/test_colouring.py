"""Tokens of code: what is a keyword, a string, a name and so on."""

from __future__ import annotations

import sys
from itertools import pairwise
from threading import Thread

import pytest

from outcrop.codegraph.colouring import MAX_CHARS, language_called, read_tokens
from outcrop.codegraph.languages import language, languages

PYTHON = """class Berth(Place):
    def fee(self, length: int) -> int:
        # äöü: two bytes each
        return self.round_up(f"no {length + 1} more", 0x1F, None)
"""
# Every language has words like these; a function or a class is named in each.
SOURCES = {
    "bash": '# c\ngreet() { local x="a $1"; echo "$x"; }\n',
    "c": 'static int greet(char *x) { return printf("%d", 3); } // c',
    "c-sharp": 'class A { string greet(int y) { return G($"a {y}", 3); } } // c',
    "cpp": 'class A { int greet(int x) { return g("x", 3); } }; // c',
    "go": 'package a\nfunc greet(x string) error { return f("a", 3) } // c',
    "java": 'class A { String greet(int x) { return f("s", 3); } } // c',
    "javascript": "function greet(x) { return f(`a ${x + 3} b`); } // c",
    "kotlin": 'fun greet(s: String): Int { return g("a ${s} b", 3) } // c',
    "lua": 'local function greet(x) return g("a", 3) end -- c',
    "php": '<?php function greet(int $x) { return foo("a", 3); } // c',
    "python": 'def greet(x: int):\n    return f("a", 3)  # c\n',
    "ruby": 'def greet(x)\n  return f("a #{x} b", 3) # c\nend',
    "rust": 'fn greet(x: &str) -> u32 { return f("a", 3); } // c',
    "scala": 'def greet(s: String): Int = { return g("a", 3) } // c',
    "swift": 'func greet(x: Int) -> String { return g("a", 3) } // c',
    "tsx": 'function greet(x: string) { return f("a", 3); } // c',
    "typescript": 'function greet(x: string) { return f("a", 3); } // c',
}


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


def test_every_language_is_here():
    assert SOURCES.keys() == languages().keys()


@pytest.mark.parametrize("lang", SOURCES)
def test_a_language_has_keywords_strings_and_comments(lang):
    text = SOURCES[lang]
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
