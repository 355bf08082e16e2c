"""What a token counter promises, apart from the counts themselves."""

import os
import pickle
import subprocess
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.errors import ConfigError
from outcrop.text import tokens
from outcrop.text.tokens import ENCODINGS, TokenCounter, replace_surrogates


@pytest.fixture
def without_the_library(monkeypatch):
    """Make splintr impossible to import, in a process that has counted nothing."""
    monkeypatch.setitem(sys.modules, "splintr", None)
    monkeypatch.setattr(tokens, "_warned", [])
    tokens._load_count.cache_clear()
    yield
    tokens._load_count.cache_clear()


def test_known_counts_of_the_default_encoding():
    counter = TokenCounter()
    assert [counter(text) for text in ("", "hello world", "Привет, мир")] == [0, 2, 6]


def test_counter_is_callable_and_has_count_and_count_batch():
    counter = TokenCounter("o200k_base")
    texts = ["один", "two words", "", "三"]
    assert [counter(text) for text in texts] == counter.count_batch(texts)
    assert [counter.count(text) for text in texts] == counter.count_batch(iter(texts))


@pytest.mark.parametrize("words", [10, 999, 1_001, 50_000])
def test_counts_of_short_texts_are_kept_and_those_of_long_ones_are_not(words):
    counter, text = TokenCounter(), "word" * words
    before = sys.getrefcount(text)
    first = counter(text)
    assert (sys.getrefcount(text) > before) == (words < 1_000)
    assert counter(text) == first


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("mark", ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>"])
def test_control_tokens_in_a_text_are_text(encoding, mark):
    counter = TokenCounter(encoding)
    assert counter(mark) > 1
    assert counter(f"before {mark} after") > counter("before  after") + 1


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_lone_surrogate_counts_as_the_replacement_character(encoding):
    counter = TokenCounter(encoding)
    assert counter("a\ufffdb") == counter("a\ud800b") == counter("a\udfffb")
    assert counter("end\ufffd") == counter("end\udbff")
    assert counter("<|x|>\ufffd") == counter("<|x|>\ud83d")


def test_surrogate_pair_counts_as_its_character():
    assert TokenCounter()("😀") == TokenCounter()("\ud83d\ude00")


@settings(deadline=None)
@given(st.text(alphabet=st.characters()))
def test_replacing_surrogates_gives_text_that_utf_8_can_carry(text):
    replaced = replace_surrogates(text)
    assert replaced == replaced.encode().decode()
    if not any("\ud800" <= character <= "\udfff" for character in text):
        assert text == replaced


@pytest.mark.parametrize("encoding", ["", "gpt2", "CL100K_BASE"])
def test_unknown_encoding_is_refused_with_the_known_ones(encoding):
    with pytest.raises(ConfigError, match="cl100k_base, o200k_base") as caught:
        TokenCounter(encoding)
    assert repr(encoding) in str(caught.value)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_counter_survives_pickling_before_and_after_its_first_count(encoding):
    counter = TokenCounter(encoding)
    assert counter == pickle.loads(pickle.dumps(counter))  # noqa: S301 - our own bytes
    expected = counter("a few words")
    copy = pickle.loads(pickle.dumps(counter))  # noqa: S301 - our own bytes
    assert expected == copy("a few words")


def test_counters_of_one_encoding_are_equal_and_share_their_vocabulary():
    first, second = TokenCounter(), TokenCounter()
    first("x")
    second("x")
    assert first == second
    assert hash(first) == hash(second)
    assert first._count is second._count
    assert first != TokenCounter("o200k_base")
    assert first != "cl100k_base"
    assert repr(first) == "TokenCounter('cl100k_base')"


def test_making_a_counter_loads_no_library():
    code = (
        "import sys; from outcrop.text.tokens import TokenCounter; TokenCounter();"
        "sys.exit('splintr' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_million_characters_without_a_break_are_counted():
    assert TokenCounter()("a" * 1_000_000) == 125_000


FORK = """
import os, sys
from outcrop.text.tokens import TokenCounter
counter = TokenCounter()
expected = counter.count_batch(["one two three"] * 100)
child = os.fork()
if child == 0:
    os._exit(counter.count_batch(["one two three"] * 100) != expected)
sys.exit(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_batches_are_counted_in_a_forked_process_too():
    """A thread pool that started before a fork would hang the child."""
    command = [sys.executable, "-c", FORK]
    assert subprocess.run(command, check=False, timeout=30).returncode == 0


@pytest.mark.usefixtures("without_the_library")
def test_estimate_is_a_quarter_of_the_characters_rounded_up():
    counter = TokenCounter()
    with pytest.warns(RuntimeWarning, match="estimated"):
        counts = counter.count_batch(["", "a", "абвг", "12345"])
    assert counts == [0, 1, 1, 2]


@pytest.mark.usefixtures("without_the_library")
def test_estimate_warns_once_a_process_and_names_the_extra():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for encoding in ENCODINGS:
            for _ in range(3):
                TokenCounter(encoding)("some text")
    assert len(caught) == 1
    assert "pip install 'outcrop[tokens]'" in str(caught[0].message)
