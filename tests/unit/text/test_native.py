"""Words are counted in C as they are in Python."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from itertools import count as numbers
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.words import count_all, sum_tokens, word_tokens
from outcrop.providers.word_tokens import BytePairs, load_vocabulary
from outcrop.text import analysis
from outcrop.text.native import NATIVE, PURE_VARIABLE, load_native

np = pytest.importorskip("numpy")
needs_native = pytest.mark.skipif(
    NATIVE is None, reason="the module was not built: python hatch_build.py"
)

_TEXTS = st.text(
    alphabet=st.one_of(
        st.sampled_from("aAzZsStheof_.'’0 éёЁйЖд日本の한ไ\u0301\u093f-\n\0"),
        st.characters(),
        st.sampled_from(["\ud800", "\udfff"]),
    ),
    max_size=80,
)


def _counter(letters="abcdefghijklmnopqrstuvwxyz", joiners="."):
    assert NATIVE is not None
    return NATIVE.WordCounter(letters, joiners)


def _itself(word):
    return (word,)


@given(_TEXTS)
def test_texts_have_the_same_words_in_c_and_in_python(text):
    assert count_all(text) == count_all(text, in_c=False)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_words_have_the_same_tokens_in_c_and_in_python(word):
    expected = word_tokens(in_c=False)._encode(word)
    assert word_tokens(in_c=True)._encode(word) == expected


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=60))
def test_any_merges_give_the_same_tokens_in_c_and_in_python(merges):
    array = np.array(merges, np.uint16).reshape(-1, 2)
    fast, slow = load_vocabulary(array), BytePairs(array)
    for word in ("", "a", "aaaaaaaa", "né日本", "".join(map(chr, range(200)))):
        assert fast.encode(word) == slow.encode(word)


@given(
    st.lists(st.tuples(st.integers(0, 59_999), st.integers(1, 2**32 - 1)), max_size=40),
    st.integers(0, 200),
)
def test_rows_have_the_same_sum_in_c_and_in_python(tokens, repeated):
    counts = list(zip(*tokens, strict=True)) or [(), ()]
    many = [list(each) * (1 + repeated) for each in counts]
    assert sum_tokens(many) == sum_tokens(many, in_c=False)


@needs_native
@pytest.mark.parametrize(
    ("texts", "sums", "error"),
    [
        ([(b"\0" * 4, b"\1\0\0\0")], 2, ValueError),
        ([(b"\0" * 4, b"")], 1, ValueError),
        ([(b"\3\0\0\0", b"\1\0\0\0")], 1, IndexError),
        ([b""], 1, TypeError),
        ([(b"", "")], 1, TypeError),
    ],
)
def test_malformed_sums_are_rejected(texts, sums, error):
    rows, scales = np.ones((3, 4), np.int8), np.ones(3, np.float32)
    with pytest.raises(error):
        NATIVE.sum_rows(rows, scales, texts, np.empty((sums, 4), np.float32))


@pytest.mark.parametrize(
    "make",
    [
        lambda n: "a" * n,
        lambda n: "a." * n,
        lambda n: "a'" * n,
        lambda n: "." * n,
        lambda n: "aB" * n,
        lambda n: "é" * n,
        lambda n: "日" * n,
        lambda n: "é a " * n,
        lambda n: "_" * n,
        lambda n: "\0" * n,
        lambda n: "a\ud800" * n,
        lambda n: " ".join(map(str, range(n))),
    ],
)
def test_counting_is_linear_on_hostile_texts(make):
    def seconds(text: str) -> float:
        started = time.process_time()
        analysis.term_counts(text)
        word_tokens(in_c=True).count(text)
        return time.process_time() - started

    small, large = (make(n) for n in (10_000, 80_000))
    best = [min(seconds(text) for _ in range(3)) for text in (small, large)]
    assert best[1] < 4 * len(large) / len(small) * max(best[0], 0.001)


@needs_native
def test_items_are_counted_in_the_order_of_the_text():
    counts = _counter().count("b a.b, .a. b é-é", lambda word: (word, len(word)))
    expected = ["b", "a.b", "a", "b", "é", "é"]
    pairs = [item for word in expected for item in (word, len(word))]
    assert list(counts.items()) == list(Counter(pairs).items())


@needs_native
def test_numbers_are_returned_as_arrays():
    items, counts = _counter().count_numbers("bb a bb ccc", lambda word: (len(word),))
    assert np.frombuffer(items, np.uint32).tolist() == [2, 1, 3]
    assert np.frombuffer(counts, np.uint32).tolist() == [2, 1, 1]


@needs_native
def test_a_known_word_is_not_asked_about_again():
    asked = []
    counter = _counter()
    for text in ("a b", "b a ж", "ж a"):
        counter.count(text, lambda word: (asked.append(word), word))
    assert asked == ["a", "b", "ж"]


@needs_native
def test_words_that_would_share_a_place_are_counted_all_the_same():
    def slot(word: str) -> int:
        value = 14695981039346656037
        for byte in word.encode():
            value = (value ^ byte) * 1099511628211 % 2**64
        return (value ^ value >> 32) & 4095

    letters = "abcdefghijklmnop"
    made = ("".join(letters[number >> shift & 15] for shift in (0, 4, 8, 12, 16))
            for number in numbers())  # fmt: skip
    words = []
    while len(words) < 80:
        word = next(made)
        if slot(word) == 0:
            words.append(word)
    counter, asked = _counter(), []
    for _ in range(3):
        text = " ".join(words)
        found = counter.count(text, lambda word: (asked.append(word), word)[1:])
        assert found == dict.fromkeys(words, 1)
    assert 80 < len(asked) < 3 * 80


@needs_native
def test_an_error_about_a_word_leaves_the_counter_usable():
    counter = _counter()

    def fail(word):
        raise LookupError(word)

    counter.count("a", _itself)
    with pytest.raises(LookupError, match="b"):
        counter.count("a a b", fail)
    with pytest.raises(TypeError, match="tuple"):
        counter.count("a a b", lambda _: ["b"])
    with pytest.raises(TypeError, match="unhashable"):
        counter.count("a a c", lambda _: ([],))
    with pytest.raises(TypeError):
        counter.count_numbers("a", _itself)
    with pytest.raises(OverflowError):
        _counter().count_numbers("a", lambda _: (-1,))
    assert counter.count("a b", _itself) == {"a": 1, "b": 1}


@needs_native
def test_a_second_thread_is_sent_to_python_while_the_first_is_counting():
    counter, others = _counter(), []

    def ask(word):
        other = Thread(target=lambda: others.append(counter.count("x", _itself)))
        other.start()
        other.join()
        return (word,)

    assert counter.count("a b a", ask) == {"a": 2, "b": 1}
    assert others == [None, None]


@needs_native
def test_memory_is_bounded():
    counter, asked = _counter(), []

    def ask(word):
        asked.append(word)
        return (word,)

    letters = "abcdefghij"
    text = " ".join(
        "".join(letters[int(digit)] for digit in str(number))
        for number in range(10**5, 3 * 10**5 + 10)
    )
    counter.count(text, ask)
    asked.clear()
    counter.count("baaaaa", ask)
    assert asked == ["baaaaa"]


@needs_native
def test_references_are_counted():
    counter, item = _counter(), "an item of its own"
    before = sys.getrefcount(None), sys.getrefcount(item)
    for _ in range(1000):
        counter.count("\ud800", _itself)
        counter.count("a a b " + "c" * 200, lambda _: (item,))
    assert abs(sys.getrefcount(None) - before[0]) < 100
    assert 0 < sys.getrefcount(item) - before[1] < 10
    del counter
    assert sys.getrefcount(item) == before[1]


@needs_native
@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda native: native.WordCounter(), TypeError),
        (lambda native: native.WordCounter("a", joiners="."), TypeError),
        (lambda native: native.WordCounter("a", "").count(b"a", _itself), TypeError),
        (lambda native: native.BytePairs(b"abc", bytes(256)), ValueError),
        (lambda native: native.BytePairs(b"", bytes(255)), ValueError),
        (lambda native: native.BytePairs(bytes(4 * 65_280), bytes(256)), ValueError),
        (lambda native: native.BytePairs(b"", bytes(256)).encode(3), TypeError),
        (
            lambda native: native.BytePairs(b"", bytes(256)).encode("\ud800"),
            UnicodeEncodeError,
        ),
    ],
)
def test_other_arguments_are_rejected(call, error):
    with pytest.raises(error):
        call(NATIVE)


def test_a_variable_switches_the_module_off(monkeypatch):
    monkeypatch.setenv(PURE_VARIABLE, "1")
    assert load_native("outcrop.text") is None
    monkeypatch.setenv(PURE_VARIABLE, "0")
    assert load_native("outcrop.text") is NATIVE or PURE_VARIABLE in os.environ


def test_vectors_are_the_same_without_the_module():
    command = (
        "from outcrop.providers.local_embedder import LocalEmbedder;"
        "print(LocalEmbedder().embed(['readHTTPBody isn’t 日本語', 'a' * 99]).tobytes())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", command],
            env={**os.environ, PURE_VARIABLE: value},
            check=True,
            capture_output=True,
        ).stdout
        for value in ("", "1")
    }
    assert len(outputs) == 1
