"""Words of a text as a search index wants them."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.text import analysis
from outcrop.text.analysis import count_terms, find_ranges

pytest.importorskip("snowballstemmer", reason="the extra 'store' is not installed")


def _terms(text: str) -> list[str]:
    return list(count_terms(text).elements())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The servers are running", ["server", "running"]),
        ("policies boxes classes matches", ["policy", "box", "class", "match"]),
        ("status class analysis gas", ["status", "class", "analysis", "gas"]),
        ("Don't isn’t let's", []),
        ("Alice's l'homme", ["alice", "l", "homme"]),
        ("naïve CAFÉ cafe\u0301", ["naive", "cafe", "cafe"]),
        ("Straße ﬁle", ["strasse", "file"]),
    ],
)
def test_words_of_latin_script(text: str, expected: list[str]) -> None:
    assert _terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("get_chunk", ["get_chunk", "get", "chunk"]),
        ("getHTTPServer", ["gethttpserver", "get", "http", "server"]),
        ("ChunkConfig", ["chunkconfig", "chunk", "config"]),
        ("Store.get", ["store.get", "store", "get"]),
        (
            "Store.get_chunk",
            ["store.get_chunk", "store", "get_chunk", "get", "chunk"],
        ),
        ("__init__", ["__init__", "init"]),
        ("is_leaf", ["is_leaf", "leaf"]),
        ("README.md", ["readme.md", "readme", "md"]),
        ("v1.2", ["v1.2", "v1", "2"]),
        ("utf8 HTTP", ["utf8", "http"]),
        ("ПолучитьДанные", ["получитьданные", "получ", "дан"]),
    ],
)
def test_identifiers_give_their_parts_and_the_whole(
    text: str, expected: list[str]
) -> None:
    assert _terms(text) == expected


def test_dot_at_the_end_of_a_sentence_joins_nothing() -> None:
    assert _terms("One ends. Two begins.") == ["one", "end", "two", "begin"]


def test_russian_words_lose_their_endings_and_yo_is_ye() -> None:
    assert _terms("сервера серверов серверу") == ["сервер"] * 3
    assert _terms("зелёный") == _terms("зеленый")
    assert _terms("и это же не") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日本語", ["日本", "本語"]),
        ("字", ["字"]),
        ("テキストAPI文書", ["テキ", "キス", "スト", "api", "文書"]),
        ("한국어", ["한국", "국어"]),
        ("ไทย", ["ไท", "ทย"]),
    ],
)
def test_scripts_without_spaces_give_pairs(text: str, expected: list[str]) -> None:
    assert _terms(text) == expected


def test_vowel_signs_do_not_cut_a_word() -> None:
    assert _terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_long_runs_of_data_are_no_words() -> None:
    assert _terms("x" * 101) == []
    assert _terms("a" * 100) == ["a" * 100]
    assert len(_terms("字" * 500)) == 499
    assert _terms("字.字" + "x" * 101) == ["字", "字"]
    assert _terms("package." * 20 + "Name") == ["package"] * 20 + ["name"]


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "…!?—", "'", ".", "\x00", "_", "\ud800"]
)
def test_text_without_words_has_no_terms(text: str) -> None:
    assert count_terms(text) == Counter()
    assert find_ranges(text, ["word"]) == []


def test_counts_say_how_often_each_term_is_there() -> None:
    assert count_terms("Chunk chunks: the chunk") == {"chunk": 3}


def test_ranges_cover_the_matching_words_alone() -> None:
    text = "Call store.get_chunk(id): chunks of 日本語文書."
    found = find_ranges(text, ["chunk", "本語"])
    assert [text[start:end] for start, end in found] == ["chunk", "chunks", "本語"]


def test_overlapping_matches_become_one_range() -> None:
    text = "see get_chunk and 日本語"
    found = find_ranges(text, ["get_chunk", "chunk", "日本", "本語"])
    assert [text[start:end] for start, end in found] == ["get_chunk", "日本語"]


def test_threads_may_share_the_analysis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_counter", None)
    words = [f"документами{letter} серверов{letter}" for letter in "абвгдежз" * 20]
    expected = [_terms(word) for word in words]
    analysis._terms.clear()
    with ThreadPoolExecutor(8) as pool:
        counted = list(pool.map(count_terms, words))
    assert counted == [Counter(terms) for terms in expected]


def test_kept_words_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "_MAX_CACHED_WORDS", 10)
    monkeypatch.setattr(analysis, "_counter", None)
    count_terms(" ".join(f"word{number}" for number in range(1000)))
    assert len(analysis._terms) <= 10
    before = len(analysis._terms)
    count_terms("日本語のとても長い文章")
    assert len(analysis._terms) == before


_TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("aAzZsS_.'’0 éёЁйЖд日本の한ไ\u0301\u093f-\n"), st.characters()
    ),
    max_size=60,
)


@given(_TEXTS)
def test_every_term_has_a_place_inside_the_text_that_holds_it(text: str) -> None:
    for term in count_terms(text):
        ranges = find_ranges(text, [term])
        assert term
        assert ranges
        for start, end in ranges:
            assert 0 <= start < end <= len(text)
            assert term in count_terms(text[start:end])


@given(_TEXTS)
def test_ranges_are_in_order_and_apart(text: str) -> None:
    ranges = find_ranges(text, count_terms(text))
    assert all(start < end for start, end in ranges)
    assert all(a[1] <= b[0] for a, b in pairwise(ranges))
    covered = {at for start, end in ranges for at in range(start, end)}
    for term in count_terms(text):
        for start, end in find_ranges(text, [term]):
            assert set(range(start, end)) <= covered


@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_ranges_cover_what_each_word_says_by_itself(
    text: str, others: list[str]
) -> None:
    wanted = {*count_terms(" ".join([text[: len(text) // 2], *others]))}
    expected = {
        word.start() + at
        for word in analysis._WORDS.finditer(text)
        for term, start, end in analysis._places(word.group())
        if term in wanted
        for at in range(start, end)
    }
    ranges = find_ranges(text, wanted)
    assert {at for start, end in ranges for at in range(start, end)} == expected


@pytest.mark.parametrize(
    ("text", "term", "found"),
    [
        ("Two policies – and one policy", "policy", ["policies", "policy"]),
        ("Boxes\nand a box", "box", ["Boxes", "box"]),
        ("a Café, a cafe", "cafe", ["Café", "cafe"]),
        ("\u212aelvin and kelvin", "kelvin", ["\u212aelvin", "kelvin"]),
        ("İstanbul has one parser", "parser", ["parser"]),
        ("x and y, axis", "y", ["y"]),
        ("restore the store", "store", ["store"]),
    ],
)
def test_ranges_are_found_however_a_word_is_written(
    text: str, term: str, found: list[str]
) -> None:
    assert [text[start:end] for start, end in find_ranges(text, [term])] == found


@given(st.text(alphabet="abAB1_.sZ'", max_size=30))
def test_identifiers_have_the_terms_of_their_places(text: str) -> None:
    for word in analysis._WORDS.findall(text):
        places = analysis._places(word)
        assert analysis._terms[word] == tuple(place.term for place in places)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_words_of_ascii_are_the_same_next_to_other_letters(text):
    assert count_terms(f"{text} \u4e2d\u6587") == count_terms(text) + Counter(
        ["\u4e2d\u6587"]
    )


def test_highlighting_a_line_without_spaces_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        text = ("x" * 60 + "é") * count
        started = time.process_time()
        find_ranges(text, ["word"])
        return time.process_time() - started

    small, large = (min(seconds(n) for _ in range(3)) for n in (2_000, 16_000))
    assert large < 24 * max(small, 0.001)
