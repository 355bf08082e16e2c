"""Questions and their filters are checked and analysed."""

from __future__ import annotations

from typing import get_args

import pytest

from outcrop.errors import InputError
from outcrop.search.question import (
    KindName,
    Mode,
    ModeName,
    QuestionKind,
    SourceName,
    make_filter,
    make_question,
)


@pytest.mark.parametrize("text", ["", " ", "\n\t\r", "\0", "\0 \0"])
def test_a_blank_query_is_refused(text):
    with pytest.raises(InputError, match="the query is empty"):
        make_question(text, limit=1)


@pytest.mark.parametrize("limit", [0, -1, True, 1.5, None])
def test_a_limit_has_to_be_a_count(limit):
    with pytest.raises(InputError, match=r"limit is .* a whole number of at least 1"):
        make_question("x", limit=limit)


def test_an_unknown_mode_is_refused_with_those_there_are():
    with pytest.raises(InputError, match="hybrid, vector, text"):
        make_question("x", limit=1, mode="magic")


def test_a_query_has_to_be_text():
    with pytest.raises(InputError, match="not bytes"):
        make_question(b"x", limit=1)


def test_what_the_database_cannot_hold_is_replaced():
    question = make_question("nul\0here \ud800", limit=1)
    assert question.text == "nul here �"
    assert dict(question.terms) == {"nul": 1}


def test_a_very_long_query_is_cut():
    question = make_question("word " * 20_000, limit=10**9)
    assert len(question.text) <= 20_000
    assert question.limit == 1000


def test_stop_words_leave_no_terms():
    assert not make_question("to be or not to be", limit=1).terms


def test_modes_are_named_as_users_write_them():
    assert make_question("x", limit=1, mode="text").mode is Mode.TEXT


def test_names_inside_a_sentence_are_found():
    question = make_question(
        "How does JsonWriter.flush call `close` and write_all in HTTP?", limit=1
    )
    assert question.names == (("JsonWriter", "flush"), ("close",), ("write_all",))


def test_a_symbol_is_asked_for_by_its_last_name():
    assert make_question("crate::de::Visitor(int)", limit=1).names == (
        ("crate", "de", "Visitor"),
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("app/run.py", ("app/run.py", 1)),
        ("./app/run.py:12", ("app/run.py", 12)),
        ("/srv/app/run.py:12:5", ("srv/app/run.py", 12)),
        ("`run.py#L12-L20`", ("run.py", 12)),
        ("'run.py', line 12", None),
        ("run.py, line 12.", ("run.py", 12)),
        ("app\\run.py line 12", ("app/run.py", 12)),
        ("why does run.py:12 fail", None),
        ("a :: b", None),
        ("3.5", None),
        ("run.py:12345678901", None),
    ],
)
def test_a_question_that_is_a_path_asks_for_a_line(text, line):
    assert make_question(text, limit=1).line == line


def test_a_question_that_is_nearly_a_path_takes_linear_time():
    assert make_question("a." * 10_000 + "!", limit=1).line is None


def test_sources_and_kinds_are_told_apart():
    found = make_filter(kind=["code", "section"], depth=2, path_glob="*.md")
    assert (found.sources, found.kinds) == (["code"], ["section"])
    assert (found.min_level, found.max_level) == (2, 2)
    assert make_filter() is None
    assert make_filter(depth=(1, 3)).max_level == 3


@pytest.mark.parametrize(
    "given",
    [
        {"depth": -1},
        {"depth": (0, 2**40)},
        {"depth": (1,)},
        {"depth": "1"},
        {"depth": ("1", "2")},
        {"path_glob": "a\0"},
        {"path_glob": ""},
        {"path_glob": ["*.md", "./"]},
    ],
)
def test_an_invalid_filter_is_rejected(given):
    with pytest.raises(InputError, match=r"depth is|path_glob"):
        make_filter(**given)


def test_a_folder_matches_everything_in_it():
    found = make_filter(path_glob=["docs/", "./docs/*.md", "docs"])
    assert found.path_globs == ["docs/**", "docs/*.md", "docs"]
    assert make_filter(document="./a.md").documents == ["a.md"]


def test_an_unknown_kind_is_refused_with_the_known_ones():
    with pytest.raises(
        InputError, match="unknown kind 'foo'; choose one of: doc, code"
    ):
        make_filter(kind="foo")


@pytest.mark.parametrize(
    ("name", "value"),
    [("path_glob", 5), ("kind", ["doc", 5]), ("document", b"a.md")],
)
def test_what_is_not_text_is_refused_with_its_name(name, value):
    with pytest.raises(InputError, match=f"^{name} "):
        make_filter(**{name: value})


def test_the_names_for_type_checkers_are_those_that_are_accepted():
    assert get_args(ModeName) == tuple(Mode)
    for name in (*get_args(KindName), *get_args(SourceName)):
        assert make_filter(kind=name)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("設定の変更", QuestionKind.PHRASE),
        ("ネットワークの設定を変更する方法", QuestionKind.PROSE),
        ("Node.jsの新しい版を入れる方法", QuestionKind.MENTION),
    ],
)
def test_a_question_without_spaces_is_not_the_name_of_a_symbol(text, kind):
    assert make_question(text, limit=1).kind is kind
