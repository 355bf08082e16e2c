"""What a reader sees as one character stays one."""

from __future__ import annotations

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outcrop.text.boundaries import is_grapheme_boundary, last_grapheme_boundary

FAMILY = "👩‍👩‍👧‍👦"
ASTRONAUT = "👩🏽‍🚀"
GERMANY, FRANCE = "🇩🇪", "🇫🇷"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"

# One of everything that Unicode's rules for clusters speak of.
_ALPHABET = st.one_of(
    st.sampled_from("กำນຳ\u0600\u0661\u06dd\U000110bd"),
    st.sampled_from("ab 1é\r\n\t\x00ЙйأبकいかÅ"),
    st.sampled_from(
        "\u0301\u0308\u0300\u20e3\ufe0f\ufe0e\u200d\u200c\u0915\u093f\u0e49"
    ),
    st.sampled_from("각가각힣ꥠힰퟋ"),
    st.sampled_from("🇩🇪🇫🇷"),
    st.sampled_from("👩👧🚀🏽🏿❤⚕♂✈☠🏳🏴\U000e0067\U000e007f©™"),
    st.sampled_from("\u2028\u200b\ufeff\udc80"),
)


def _clusters(text: str) -> list[str]:
    return regex.findall(r"\X", text)


def _boundaries(text: str) -> list[int]:
    return [at for at in range(len(text) + 1) if is_grapheme_boundary(text, at)]


@pytest.mark.parametrize(
    "cluster",
    [
        "\r\n",
        "e\u0301",
        "a\u0308\u0301",
        "कि",
        "각",
        "\u1100\u1161\u11a8",
        FAMILY,
        ASTRONAUT,
        GERMANY,
        ENGLAND,
        "❤️",
        "❤️‍🔥",
        "🏳️‍🌈",
        "🙂‍↔️",
        "1️⃣",
        "ｶﾞ",
        "กำ",
        "น้ำ",
        "ກຳ",
        "\u0600\u0661",
    ],
)
def test_a_cluster_has_no_boundary_inside(cluster):
    assert len(_clusters(cluster)) == 1
    assert _boundaries(f"x{cluster}y") == [0, 1, len(cluster) + 1, len(cluster) + 2]


@pytest.mark.parametrize(
    "text", ["ab", "a b", "\n\r", "éa", "かき", "中文", "한국", "👩👧", "\r\r"]
)
def test_two_characters_have_a_boundary_between_them(text):
    assert is_grapheme_boundary(text, 1)


def test_the_edges_of_a_text_are_boundaries():
    assert is_grapheme_boundary("\u0301", 0)
    assert is_grapheme_boundary("a\u0301", 2)
    assert is_grapheme_boundary("", 0)


def test_flags_are_pairs_counted_from_the_start_of_their_run():
    assert _boundaries(GERMANY + FRANCE) == [0, 2, 4]
    assert _boundaries("x" + GERMANY + FRANCE[0]) == [0, 1, 3, 4]


def test_the_last_boundary_is_at_the_limit_where_it_can_be():
    assert last_grapheme_boundary("abcdef", 0, 4) == 4


def test_the_last_boundary_steps_back_out_of_a_cluster():
    text = "ab" + FAMILY
    assert last_grapheme_boundary(text, 0, 5) == 2


def test_a_cluster_that_fills_the_stretch_is_cut_at_its_end():
    text = "a" + "\u0301" * 20
    assert last_grapheme_boundary(text, 0, 10) == 10


def test_a_line_end_is_not_cut_even_at_the_very_limit():
    text = "\u0301" * 5 + "\r\n"
    assert last_grapheme_boundary("ab\r\ncd", 0, 3) == 2
    assert last_grapheme_boundary(text, 0, 6) == 5


@settings(deadline=None, max_examples=400)
@given(st.text(_ALPHABET, max_size=14))
@example(GERMANY + FRANCE)
@example(FAMILY + ASTRONAUT + ENGLAND)
def test_no_boundary_lies_inside_a_cluster_of_unicode(text: str) -> None:
    allowed, at = {0}, 0
    for cluster in _clusters(text):
        at += len(cluster)
        allowed.add(at)
    assert set(_boundaries(text)) <= allowed


@settings(deadline=None, max_examples=300)
@given(st.text(st.sampled_from("ab \r\nЖ中각각e\u0301🇩🇪👩🏽"), max_size=14))
def test_ordinary_text_has_every_boundary_of_unicode(text: str) -> None:
    at, expected = 0, [0]
    for cluster in _clusters(text):
        at += len(cluster)
        expected.append(at)
    assert _boundaries(text) == expected


@settings(deadline=None)
@given(st.text(_ALPHABET, min_size=2, max_size=14), st.data())
def test_the_last_boundary_lies_in_its_stretch(text: str, data: st.DataObject) -> None:
    low = data.draw(st.integers(0, len(text) - 2))
    high = data.draw(st.integers(low + 1, len(text)))
    at = last_grapheme_boundary(text, low, high)
    assert low < at <= high
    if not is_grapheme_boundary(text, at):
        assert not any(is_grapheme_boundary(text, i) for i in range(low + 1, high + 1))
