"""Where running text may be cut."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.text.boundaries import (
    Boundary,
    find_cut,
    is_grapheme_boundary,
    sentence_ends,
)


def _sentences(text: str) -> list[str]:
    edges = [0, *sentence_ends(text, 0, len(text)), len(text)]
    pieces = [text[a:b].strip() for a, b in itertools.pairwise(edges)]
    return [piece for piece in pieces if piece]


def _cut(text: str, high: int, *, floor: int = 0, by_line: bool = False):
    at, kind = find_cut(text, 0, high, floor, by_line=by_line)
    return text[:at], kind


@pytest.mark.parametrize(
    "text",
    [
        "Fruit, e.g. apples and pears, keeps.",
        "Fruit, e.g. Cox and Bramley, keeps.",
        "That is, i.e. Tuesday, too late.",
        "Use version v1.2 or 2.0.1 for this.",
        "See https://example.org/a.b?c=d!e for more.",
        "Write to jane.doe@example.org today.",
        "Pi is about 3.14 and e about 2.72.",
        "Ask Dr. Smith or Mrs. Jones.",
        "It is by A. Miller and B. C. Brown.",
        "J.R.R. Tolkien wrote it.",
        "The U.S. Army came.",
        "Well... maybe so.",
        "Wait… and see.",
        "Compare fig. 3 with fig. 4.",
        "Edit main.py and setup.cfg there.",
        "Smith et al. Nature paper.",
        "Set the max. size and the min. value first.",
        "Das gilt bzw. galt für ca. zehn Leute.",
        "Это см. рис. 5 в приложении.",
        "Бывает, т.е. Случается, редко.",
        "Взято у проф. Иванова и акад. Петрова.",
        "В 2020 г. Москва выросла.",
        "А. Пушкин и Л. Толстой.",
        "А.С. Пушкин родился в Москве.",
        "и т. д. и т. п. без конца.",
    ],
)
def test_a_dot_inside_a_sentence_ends_nothing(text):
    assert _sentences(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It works. Then v1.2. Next", ["It works.", "Then v1.2.", "Next"]),
        ("Born in 1999. Moved later.", ["Born in 1999.", "Moved later."]),
        ('He said "go." She went.', ['He said "go."', "She went."]),
        ("(All of it.) More.", ["(All of it.)", "More."]),
        ("This is **bold.** Next.", ["This is **bold.**", "Next."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("I said no. Then I left.", ["I said no.", "Then I left."]),
        ("So it ends... Next one.", ["So it ends...", "Next one."]),
        ("Первое. Второе! Третье?", ["Первое.", "Второе!", "Третье?"]),
        ("Он сказал: «Да.» Потом ушёл.", ["Он сказал: «Да.»", "Потом ушёл."]),
        (
            "これは文です。次の文です！終わり",
            ["これは文です。", "次の文です！", "終わり"],
        ),
        ("「はい。」と言った。", ["「はい。」", "と言った。"]),
        ("他走了。她来了！谁？我", ["他走了。", "她来了！", "谁？", "我"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("Line one.\nLine two.", ["Line one.", "Line two."]),
        ("It reached the max. Then it fell.", ["It reached the max.", "Then it fell."]),
    ],
)
def test_sentences_end_at_their_marks(text, expected):
    assert _sentences(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two. three four. five", ["one two.", "three four.", "five"]),
        ("The end. iPhone users know.", ["The end.", "iPhone users know."]),
        ("первое слово. второе слово.", ["первое слово.", "второе слово."]),
        ("call it. `then` use it.", ["call it.", "`then` use it."]),
    ],
)
def test_row_0_21_a_sentence_may_start_with_a_small_letter(text, expected):
    assert _sentences(text) == expected


def test_row_1_10_a_text_in_small_letters_is_cut_between_sentences():
    text = "one two three four. " * 12
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=105)).chunk(text)
    assert [chunk.metadata["boundary"]["rule"] for chunk in chunks[1:]] == [
        "sentence",
        "sentence",
    ]


def test_a_number_at_the_start_of_a_line_numbers_what_follows():
    assert _sentences("Steps:\n1. Open it") == ["Steps:\n1. Open it"]


def test_sentences_are_looked_for_in_the_given_stretch_alone():
    text = "One. Two. Three. Four."
    assert list(sentence_ends(text, 5, 16)) == [9]


def test_a_sentence_is_preferred_to_a_word():
    assert _cut("First one. Then another one", 20) == ("First one.", Boundary.SENTENCE)


def test_the_last_sentence_that_fits_is_taken():
    assert _cut("One. Two. Three is long", 12) == ("One. Two.", Boundary.SENTENCE)


def test_a_sentence_may_end_exactly_at_the_limit():
    assert _cut("One. Two.", 4) == ("One.", Boundary.SENTENCE)


def test_a_sentence_that_would_leave_a_crumb_yields_to_a_word():
    assert _cut("A. Then a long stretch", 16, floor=8) == (
        "A. Then a long",
        Boundary.WORD,
    )


def test_a_crumb_is_better_than_a_torn_word():
    text = "Ab cdefghijklmnopqrstuvwxyz"
    assert _cut(text, 20, floor=10) == ("Ab", Boundary.WORD)


def test_a_word_is_cut_before_white_space():
    assert _cut("some words   here", 14) == ("some words", Boundary.WORD)
    assert _cut("some words here", 10) == ("some words", Boundary.WORD)


def test_a_word_too_long_is_cut_between_clusters():
    assert _cut("abcdefghij", 4) == ("abcd", Boundary.GRAPHEME)
    assert _cut("ae\u0301e\u0301e\u0301", 4) == ("ae\u0301", Boundary.GRAPHEME)


def test_a_cluster_too_long_is_cut_between_code_points():
    assert _cut("a" + "\u0301" * 9, 4) == ("a\u0301\u0301\u0301", Boundary.CODE_POINT)


def test_japanese_is_cut_between_characters_where_no_sentence_ends():
    assert _cut("日本語の文章", 3) == ("日本語", Boundary.WORD)


def test_no_japanese_line_starts_with_a_closing_mark_or_ends_with_an_opening_one():
    assert _cut("日本語、文章", 3) == ("日本", Boundary.WORD)
    assert _cut("日本「文章」", 3) == ("日本", Boundary.WORD)
    assert _cut("チョコレート", 4) == ("チョコ", Boundary.WORD)


def test_korean_words_are_cut_at_their_spaces():
    assert _cut("한국어 문장 입니다", 8) == ("한국어 문장", Boundary.WORD)


def test_an_emoji_is_a_word_of_its_own():
    text = "👩‍👩‍👧👩‍👩‍👧"
    assert _cut(text, 7) == ("👩‍👩‍👧", Boundary.WORD)


def test_lines_that_stand_for_themselves_are_cut_between_lines():
    text = "[a]: b. Not\n[c]: d. Not\n[e]: f"
    piece, kind = _cut(text, 28, by_line=True)
    assert (piece, kind) == ("[a]: b. Not\n[c]: d. Not", Boundary.LINE)


def test_a_lone_carriage_return_ends_such_a_line_too():
    piece, kind = _cut("[a]: b\r[c]: d\r[e]: f", 16, by_line=True)
    assert (piece, kind) == ("[a]: b\r[c]: d", Boundary.LINE)


def test_the_cut_lies_behind_the_lower_bound():
    text = "One. Two three. Four five"
    at, kind = find_cut(text, 16, 22, 16)
    assert (text[16:at], kind) == ("Four", Boundary.WORD)


_ALPHABET = st.sampled_from(
    [
        "a",
        "b",
        "Zz",
        " ",
        ". ",
        "! ",
        "\n",
        "\r\n",
        "文",
        "。",
        "é",
        "e\u0301",
        "👩‍👧",
        "🇩🇪",
    ]
)


@settings(deadline=None, max_examples=300)
@given(st.lists(_ALPHABET, min_size=1, max_size=20).map("".join), st.data())
def test_a_cut_never_tears_what_it_need_not(text: str, data: st.DataObject) -> None:
    text = "a" + text  # a piece starts with something visible
    high = data.draw(st.integers(1, len(text)))
    floor = data.draw(st.integers(0, high))
    at, kind = find_cut(text, 0, high, floor)
    assert 0 < at <= high
    if kind is Boundary.CODE_POINT:
        assert not any(is_grapheme_boundary(text, i) for i in range(1, high + 1))
    elif not text[at - 1 : at + 1].isspace():  # white space is dropped at a cut
        assert is_grapheme_boundary(text, at)
    if kind is Boundary.GRAPHEME:
        assert not any(char.isspace() for char in text[1:high])


@pytest.mark.parametrize("mark", [".", "!", "?", "…"])
@pytest.mark.timeout(5)
def test_a_long_run_of_marks_is_searched_in_linear_time(mark: str) -> None:
    run = mark * 200_000
    assert list(sentence_ends(f"{run}x", 0, len(run) + 1)) == []
    chunks = MarkdownChunker(ChunkConfig(max_chunk_size=100_000)).chunk(f"Aha{run}x")
    assert sum(chunk.end_offset - chunk.start_offset for chunk in chunks) == 200_004


def test_a_run_of_marks_ends_a_sentence_only_before_white_space() -> None:
    text = "Really?! Yes...no... Then 'So!' she said. wait..."
    expected = ["Really?!", "Yes...no...", "Then 'So!'", "she said.", "wait..."]
    assert _sentences(text) == expected
