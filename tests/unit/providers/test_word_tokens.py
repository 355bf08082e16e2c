"""Texts as words, and words as tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.providers import local_embedder, word_tokens
from outcrop.providers.word_tokens import (
    BytePairs,
    WordTokens,
    normalize_word,
    split_words,
)

np = pytest.importorskip("numpy")


@pytest.fixture
def tokens():
    return WordTokens(BytePairs(np.load(local_embedder.FOLDER / "merges.npy")))


def words(text):
    return [part for word in split_words(text) for part in normalize_word(word)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("readHTTPBody", ["read", "http", "body"]),
        ("snake_case.and-more", ["snake", "case", "and", "more"]),
        ("utf8 HTTP2", ["utf8", "http2"]),
        ("Straße ÜBER", ["straße", "über"]),
        ("Podを使用する", ["pod", "を", "使用", "する"]),
        ("データベース接続", ["データベース", "接続"]),
        ("Docker를 설치", ["docker", "를", "설치"]),
        ("使用Docker容器", ["使用", "docker", "容器"]),
        ("!? --- ©", []),
    ],
)
def test_words_are_cut_at_changes_of_case_and_script(text, expected):
    assert words(text) == expected


def test_long_words_are_cut_and_not_kept(tokens):
    assert [len(part) for part in words("a" * 100)] == [40, 40, 20]
    list(tokens.of("x" * 41))
    assert not tokens


def test_words_that_differ_in_case_only_have_the_same_tokens(tokens):
    assert list(tokens.of("Install the PACKAGE")) == list(
        tokens.of("install the package")
    )


def test_characters_that_the_vocabulary_does_not_know_have_tokens(tokens):
    assert list(tokens.of("ᚠᚢᚦ"))


def test_memory_is_bounded(tokens, monkeypatch):
    monkeypatch.setattr(word_tokens, "_MAX_CACHED", 10)
    list(tokens.of(" ".join(f"word{n}" for n in range(100))))
    assert 0 < len(tokens) <= 10


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_words_of_ascii_are_the_same_next_to_other_letters(text):
    assert split_words(f"{text} \u044f") == [*split_words(text), "\u044f"]
