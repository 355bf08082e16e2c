"""The embedder of earlier releases."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.errors import EmbeddingError, MissingExtraError
from outcrop.providers import Embedder, open_embedder, wordllama_embedder
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


def test_it_is_an_embedder_that_can_be_chosen():
    assert isinstance(WordllamaEmbedder(), Embedder)
    assert isinstance(open_embedder("wordllama"), WordllamaEmbedder)
    assert isinstance(open_embedder(WordllamaEmbedder().name), WordllamaEmbedder)
    assert WordllamaEmbedder.dimension == 256


def test_vectors_are_rows_of_unit_length():
    vectors = WordllamaEmbedder().embed(
        ["one", "два", "三つ目の文", "x = [1, 2]\n", "👍🏽"]
    )
    assert vectors.shape == (5, 256)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_no_texts_give_no_rows():
    assert WordllamaEmbedder().embed([]).shape == (0, 256)


@settings(deadline=None)
@given(st.lists(st.text(alphabet=st.characters(), max_size=30), max_size=6))
def test_every_text_has_a_finite_vector_of_its_own(texts):
    together = WordllamaEmbedder().embed(texts)
    assert np.isfinite(together).all()
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, together, strict=True):
        assert np.array_equal(WordllamaEmbedder().embed([text])[0], vector)


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


def test_vectors_are_the_same_in_another_process():
    code = (
        "from outcrop.providers.wordllama_embedder import WordllamaEmbedder;"
        "print(WordllamaEmbedder().embed(['тест', 'test']).tobytes().hex())"
    )
    command = [sys.executable, "-c", code]
    other = subprocess.run(command, capture_output=True, text=True, check=True)
    here = WordllamaEmbedder().embed(["тест", "test"]).tobytes().hex()
    assert here == other.stdout.strip()


MEMORY = """
from resource import RUSAGE_SELF, getrusage
from outcrop.providers.wordllama_embedder import WordllamaEmbedder

embedder = WordllamaEmbedder()

def embed(first):
    embedder.embed([f"{n} words of text {n * 7919}" * 7 for n in range(first, first + 500)])
    return getrusage(RUSAGE_SELF).ru_maxrss // 1024

before = embed(0)
for first in range(500, 8000, 500):
    after = embed(first)
print(after - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="sizes are in other units there")
def test_texts_are_not_kept():
    command = [sys.executable, "-c", MEMORY]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 20


def test_importing_it_loads_nothing_heavy():
    code = (
        "import sys; from outcrop.providers import open_embedder; open_embedder('wordllama');"
        "import outcrop.sections;"
        "heavy = {'numpy', 'tokenizers', 'safetensors', 'wordllama', 'openai',"
        " 'pyarrow', 'lancedb', 'splintr'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_embedding_does_not_configure_logging():
    code = (
        "import logging; from outcrop.providers import open_embedder;"
        "open_embedder('wordllama').embed(['x']); raise SystemExit(len(logging.root.handlers))"
    )
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run([sys.executable, "-c", code], check=False, env=environment)
    assert done.returncode == 0


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
