"""Passages of one place are folded, and documents are mixed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.search.folding import fold, leave_unfolded, page_of
from outcrop.search.fusion import Ranked
from outcrop.search.passages import join_parts, leave_apart
from unit.search.candidates import candidate, code


def passages(*candidates):
    """Rank candidates in the given order."""
    return leave_apart(
        [Ranked(each, 1.0 - at / 100, {}) for at, each in enumerate(candidates)]
    )


def shown(places):
    return [(p.best.id, [other.id for other in p.others]) for p in places]


def part(name, place, *, document="guide", section=("Guide", "Memory")):
    return candidate(
        name,
        document_id=document,
        path=f"{document}.md",
        place=place,
        section_path=section,
    )


def part_of(name, place, *, parts=8):
    """Return a part of a split section that starts with the document."""
    return candidate(name, document_id="guide", place=place, part=place, parts=parts)


def test_the_parts_of_a_section_are_listed_under_the_best():
    found = fold(
        passages(part_of("b", 2), part_of("a", 1), candidate("x"), part_of("c", 3)),
        2,
        "en",
    )
    assert shown(found) == [("b", ["a", "c"]), ("x", [])]


def test_whoever_asks_for_many_hits_gets_every_part():
    others = [candidate(f"x{at}") for at in range(4)]
    found = fold(passages(part_of("b", 2), part_of("a", 1), *others), 10, "en")
    assert shown(found) == [
        *(("b", []), ("x0", []), ("x1", []), ("x2", []), ("x3", [])),
        ("a", []),
    ]


def test_unfolded_each_passage_is_a_place():
    found = leave_unfolded(passages(part_of("b", 2), part_of("a", 1)), 1)
    assert shown(found) == [("b", [])]


def test_code_is_left_as_it_is():
    found = fold(
        passages(*(code(f"c{at}", node_id="n", document_id="d") for at in range(6))),
        5,
        "en",
    )
    assert shown(found) == [(f"c{at}", []) for at in range(5)]


def test_a_text_of_many_pages_is_not_one_place():
    pages = [part_of(f"p{at}", at, parts=200) for at in range(5)]
    found = fold(passages(*pages, candidate("other")), 5, "en")
    assert shown(found) == [(f"p{at}", []) for at in range(5)]


def test_a_document_takes_three_of_the_first_five_places():
    release_notes = [part(f"n{at}", at, section=(f"1.{at}", "Mac")) for at in range(5)]
    others = [candidate(f"x{at}") for at in range(4)]
    found = fold(passages(*release_notes, *others), 8, "en")
    assert [place.best.id for place in found] == [
        *("n0", "n1", "n2", "x0", "x1"),
        *("n3", "n4", "x2"),
    ]


def test_a_document_takes_all_places_if_it_is_alone():
    sections = [part(f"n{at}", at, section=(f"1.{at}",)) for at in range(7)]
    found = fold(passages(*sections), 6, "en")
    assert [place.best.id for place in found] == [f"n{at}" for at in range(6)]


def test_more_parts_of_a_place_than_anyone_reads_are_left_out():
    found = fold(passages(*(part_of(f"p{at}", at) for at in range(8))), 1, "en")
    assert shown(found) == [("p0", ["p1", "p2", "p3", "p4", "p5"])]


def translated(name, language, place=0):
    return part(name, place, document=f"docs/{language}/setup", section=(name,))


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", [("english", ["russian", "hindi"]), ("other", [])]),
        ("ru", [("russian", ["english", "hindi"]), ("other", [])]),
        # No page in the question's language: the best one is shown.
        ("tr", [("russian", ["english", "hindi"]), ("other", [])]),
    ],
)
def test_translations_fold_into_the_language_of_the_question(language, expected):
    found = fold(
        passages(
            translated("russian", "ru"),
            translated("english", "en"),
            candidate("other"),
            translated("hindi", "hi"),
        ),
        10,
        language,
    )
    assert shown(found) == expected


def test_the_page_in_no_language_is_the_main_one():
    found = fold(
        passages(
            part("translated", 0, document="docs/ja/setup", section=("訳",)),
            part("original", 0, document="docs/setup"),
        ),
        10,
        "en",
    )
    assert shown(found) == [("original", ["translated"])]


def test_other_sections_of_the_shown_page_keep_their_rank():
    found = fold(
        passages(
            translated("english", "en"),
            candidate("other"),
            translated("russian", "ru"),
            translated("second", "en", 1),
        ),
        10,
        "en",
    )
    assert shown(found) == [("english", ["russian"]), ("other", []), ("second", [])]


def copy(name, version, **given):
    values = {"token_count": 100, "lexical": 8.0, "similarity": 0.5, **given}
    return candidate(
        name,
        document_id=version,
        path=f"{version}/setup.md",
        section_path=("Setup",),
        **values,
    )


def test_copies_of_a_section_in_other_versions_are_folded():
    found = fold(
        passages(
            copy("new", "v2"),
            copy("old", "v1", token_count=102, lexical=7.9),
            copy("rewritten", "v0", token_count=150),
        ),
        10,
        "en",
    )
    assert shown(found) == [("new", ["old"]), ("rewritten", [])]


def test_the_same_text_on_another_page_is_folded():
    whole = {"document_id": "all", "path": "all.md", "place": 40}
    setup = {"section_path": ("Setup",), "token_count": 100}
    found = fold(
        passages(
            candidate("page", similarity=0.5, lexical=8.0, **setup),
            candidate("whole", similarity=0.5, lexical=7.0, **setup, **whole),
            candidate("like", similarity=0.501, lexical=8.0, **setup),
            candidate("unknown", similarity=None, lexical=8.0, **setup),
        ),
        10,
        "en",
    )
    assert shown(found) == [("page", ["whole"]), ("like", []), ("unknown", [])]


def test_copies_of_code_are_places_of_their_own():
    """Whoever changes code needs every copy of it."""
    found = fold(
        passages(
            code("a", path="v1/x.py", node_id="1", lexical=8.0),
            code("b", path="v2/x.py", node_id="2", lexical=8.0),
        ),
        10,
        "en",
    )
    assert len(found) == 2


@pytest.mark.parametrize(
    ("path", "key", "language"),
    [
        ("docs/ru/setup.md", "docs/setup.md", "ru"),
        ("docs/zh-Hans/a/setup.md", "docs/a/setup.md", "zh"),
        ("content/pt_BR/setup.md", "content/setup.md", "pt"),
        ("README.ja.md", "README.md", "ja"),
        ("README_zh-CN.md", "README.md", "zh"),
        ("README-de.md", "README.md", "de"),
        ("docs/setup.md", "docs/setup.md", None),
        ("docs/go/setup.md", "docs/go/setup.md", None),
        ("docs/how-to.md", "docs/how-to.md", None),
        ("src/ts/x-y.md", "src/ts/x-y.md", None),
    ],
)
def test_a_path_tells_the_page_and_its_language(path, key, language):
    assert page_of(path) == (key, language)


def long_part(place, *, parts=20):
    return candidate(
        f"p{place}", document_id="long", place=place, part=place, parts=parts
    )


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [
        ([7, 8, 6], [(6, 8)]),
        # One part between two that match is shown with them, two are not.
        ([7, 9, 12], [(7, 9), (12, 12)]),
        ([3, 4, 5, 6, 7, 8, 9, 10], [(3, 8), (9, 10)]),
        # What an earlier passage shows is not shown again.
        ([1, 2, 3, 4, 5, 6, 7], [(1, 6), (7, 7)]),
    ],
)
def test_matching_parts_of_a_long_section_that_are_near_become_one(ranked, expected):
    found = join_parts([Ranked(long_part(at), 1 - at / 100, {}) for at in ranked])
    assert [(passage.first, passage.last) for passage in found] == expected


@given(st.lists(st.integers(0, 30), min_size=1, max_size=25, unique=True))
def test_no_part_of_a_section_is_in_two_passages(places):
    found = join_parts([Ranked(long_part(at, parts=31), 1.0, {}) for at in places])
    shown = [at for p in found for at in range(p.first, p.last + 1)]
    assert len(shown) == len(set(shown))
    assert set(places) <= set(shown)
