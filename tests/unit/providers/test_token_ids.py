"""Texts cut into pieces have the tokens of the whole."""

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.providers import local_embedder
from outcrop.providers.local_embedder import _MAX_CACHED_CHARS, _PIECES, TokenIds

tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("wordllama")


@pytest.fixture(scope="module")
def tokenizer():
    folder = Path(next(iter(find_spec("wordllama").submodule_search_locations)))
    opened = tokenizers.Tokenizer.from_file(str(folder / local_embedder._TOKENIZER))
    opened.encode_special_tokens = True  # "<s>" in a document is text
    return opened


@pytest.fixture(scope="module")
def token_ids(tokenizer):
    return TokenIds(tokenizer)


def test_no_token_of_the_vocabulary_is_cut(tokenizer):
    control = {"<unk>", "<s>", "</s>"}
    cut = [
        token
        for token in tokenizer.get_vocab()
        if not token.startswith("<0x")
        and token not in control
        and _PIECES.findall(token) != [token]
    ]
    assert cut == []


MARKS = " \u2581\n\r\t\u00a0\u2009_.,:;()[]{}<>#*`'\"/\\|-=+&%$\u00b2\u00bd\u2167\u0301"
TEXTS = st.text(
    st.one_of(
        st.sampled_from(MARKS),
        st.sampled_from("abcXYZ0129\u00e9\u0436\u4e2d\u0663\U0001f600"),
        st.characters(exclude_categories=["Cs"]),
    )
)


@given(text=st.one_of(TEXTS, st.lists(TEXTS).map(" ".join)))
def test_pieces_have_the_tokens_of_the_whole(token_ids, tokenizer, text):
    assert token_ids.of(text) == tokenizer.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\n",
        "  two  spaces ",
        "line\nline\r\nline",
        "<s>control</s>",
        "[#11985](https://example.org/babel/pull/11985)",
        "a" * 3 * _MAX_CACHED_CHARS,
    ],
)
def test_texts_that_are_cut_in_odd_places(token_ids, tokenizer, text):
    whole = tokenizer.encode(text, add_special_tokens=False).ids
    assert token_ids.of(text) == whole
    assert token_ids.of(text) == whole  # from memory


def test_memory_is_bounded(tokenizer, monkeypatch):
    monkeypatch.setattr("outcrop.providers.local_embedder._MAX_CACHED", 10)
    ids = TokenIds(tokenizer)
    ids.of(" ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(100)))
    assert 0 < len(ids) <= 10
    ids.of("x" * (_MAX_CACHED_CHARS + 1))
    assert all(len(piece) <= _MAX_CACHED_CHARS for piece in ids)


def test_a_lone_surrogate_is_refused(token_ids):
    with pytest.raises(UnicodeEncodeError):
        token_ids.of("a \ud800")
