"""The embedder of earlier releases."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers import wordllama_embedder
from outcrop.providers.wordllama_embedder import (
    _MAX_CACHED_CHARS,
    _PIECES,
    TokenIds,
    WordllamaEmbedder,
)

np = pytest.importorskip("numpy")
pytest.importorskip("safetensors")
tokenizers = pytest.importorskip("tokenizers")
pytest.importorskip("wordllama")


@pytest.fixture
def nothing_loaded():
    wordllama_embedder._load_model.cache_clear()
    yield
    wordllama_embedder._load_model.cache_clear()


def cosine(first, second):
    vectors = WordllamaEmbedder().embed([first, second])
    return float(vectors[0] @ vectors[1])


def test_empty_text_has_a_vector():
    vectors = WordllamaEmbedder().embed(["", ""])
    assert np.array_equal(vectors[0], vectors[1])
    assert abs(float(np.linalg.norm(vectors[0])) - 1) < 1e-6


def test_lone_surrogate_is_embedded_as_the_replacement_character():
    vectors = WordllamaEmbedder().embed(["a\ud800b", "a\ufffdb"])
    assert np.array_equal(vectors[0], vectors[1])


def test_control_marks_in_a_text_are_text():
    assert cosine("<s>", "</s>") < 0.999
    assert cosine("strike <s>this</s>", "strike this") < 0.999


def test_related_texts_are_closer_than_others():
    near = cosine("How do I install the package?", "Installation of the library")
    far = cosine("How do I install the package?", "Birds fly south in winter")
    assert near > far + 0.1


def test_long_text_is_the_mean_over_all_its_tokens():
    """Longer than what is summed at once, and nothing of it is cut off."""
    half = "alpha beta gamma " * 3000
    assert cosine(half, half + half) > 0.9999
    assert cosine(half, half + "суп с грибами " * 9000) < 0.9


def test_vectors_are_those_of_the_model_s_own_pooling():
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = wordllama_embedder.Path(
        wordllama_embedder.find_spec("wordllama").submodule_search_locations[0]
    )
    tokenizer = Tokenizer.from_file(str(folder / wordllama_embedder._TOKENIZER))
    weights = load_file(folder / wordllama_embedder._WEIGHTS)["embedding.weight"]
    text = "Headings are repeated when a section is split."
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    mean = weights[ids].astype(np.float32).mean(axis=0)
    expected = mean / np.linalg.norm(mean)
    assert np.allclose(WordllamaEmbedder().embed([text])[0], expected, atol=1e-6)


@pytest.mark.usefixtures("nothing_loaded")
@pytest.mark.parametrize("library", ["tokenizers", "safetensors.numpy"])
def test_missing_library_names_the_extra(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[embed\]"):
        WordllamaEmbedder().embed(["text"])


@pytest.mark.usefixtures("nothing_loaded")
def test_missing_weights_name_the_extra(monkeypatch):
    monkeypatch.setattr(wordllama_embedder, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"outcrop\[embed\]"):
        WordllamaEmbedder().embed(["text"])


@pytest.mark.usefixtures("nothing_loaded")
def test_unreadable_weights_are_named(monkeypatch, tmp_path):
    monkeypatch.setattr(wordllama_embedder, "_WEIGHTS", tmp_path / "none.safetensors")
    with pytest.raises(EmbeddingError, match="cannot be read"):
        WordllamaEmbedder().embed(["text"])


@pytest.fixture(scope="module")
def tokenizer():
    folder = Path(next(iter(find_spec("wordllama").submodule_search_locations)))
    opened = tokenizers.Tokenizer.from_file(str(folder / wordllama_embedder._TOKENIZER))
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
    monkeypatch.setattr("outcrop.providers.wordllama_embedder._MAX_CACHED", 10)
    ids = TokenIds(tokenizer)
    ids.of(" ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(100)))
    assert 0 < len(ids) <= 10
    ids.of("x" * (_MAX_CACHED_CHARS + 1))
    assert all(len(piece) <= _MAX_CACHED_CHARS for piece in ids)


def test_a_lone_surrogate_is_refused(token_ids):
    with pytest.raises(UnicodeEncodeError):
        token_ids.of("a \ud800")
