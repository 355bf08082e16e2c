"""Misspelt words are corrected by the words of the index."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from outcrop.search.spelling import Spelling, check_spelling, count_slips

TERMS = {
    "memory": 40,
    "container": 30,
    "limit": 20,
    "list": 90,
    "compose": 9,
    "compost": 8,
    "parse": 3,
}


class Words:
    """An index that has words only."""

    def statistics(self, terms):
        return {term: TERMS[term] for term in terms if term in TERMS}

    def indexed_terms(self, start, *, min_length, max_length):
        return {
            term: chunks
            for term, chunks in TERMS.items()
            if term.startswith(start) and min_length <= len(term) <= max_length
        }


@contextmanager
def open_words(*, terms=()):
    yield Words()


def check(query):
    return check_spelling(open_words, query)


def test_words_that_occur_nowhere_are_corrected_where_it_is_clear():
    found = check("how to limt memmory of a contaner")
    assert found == Spelling(
        query="how to limit memory of a container", is_corrected=True
    )


def test_a_letter_left_out_is_likelier_than_a_wrong_one():
    assert check("limt the size").query == "limit the size"


def test_the_first_word_keeps_its_capital():
    assert check("Memroy limits").query == "Memory limits"


def test_where_two_words_are_as_near_both_are_suggested():
    found = check("the composx file")
    assert found.query == "the composx file"
    assert not found.is_corrected
    assert found.suggestions == ("the compose file", "the compost file")


@pytest.mark.parametrize(
    "query",
    [
        "memory",
        "parsing",  # a form of an indexed word
        "zzzqqqxxy",
        "the memmory_limit",
        "memmory()",
        "memMory",
        "docs/memmory.md",
        "in Limut",
        "limm",  # two slips in a short word
        "",
        "42 !?",
    ],
)
def test_other_words_stay_as_they_are(query):
    assert check(query) == Spelling(query=query)


@pytest.mark.parametrize(
    ("left", "right", "slips"),
    [
        ("memory", "memory", 0),
        ("memmory", "memory", 1),
        ("memry", "memory", 1),
        ("memery", "memory", 1),
        ("mmeory", "memory", 1),
        ("contianr", "container", 2),
        ("cat", "dog", 3),
        ("a", "abcd", 3),
    ],
)
def test_slips_are_letters_left_out_added_replaced_or_swapped(left, right, slips):
    assert count_slips(left, right, 2) == slips
    assert count_slips(right, left, 2) == slips
