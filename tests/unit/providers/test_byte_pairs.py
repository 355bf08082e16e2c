"""Words as tokens: equal to another implementation, on words of many scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.providers import local_embedder
from outcrop.providers.word_tokens import BYTES, BytePairs, normalize_word, split_words

np = pytest.importorskip("numpy")
tokenizers = pytest.importorskip("tokenizers")

_DOCUMENTS = Path(__file__).parents[2] / "documents"


@pytest.fixture(scope="module")
def merges():
    return np.load(local_embedder.FOLDER / "merges.npy")


def _reference(merges):
    """Return the same vocabulary in the library it was learned with."""
    names = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    pairs = []
    for left, right in merges.tolist():
        pairs.append((names[left], names[right]))
        names.append(names[left] + names[right])
    model = tokenizers.models.BPE(
        vocab={name: at for at, name in enumerate(names)}, merges=pairs
    )
    reference = tokenizers.Tokenizer(model)
    reference.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(
        add_prefix_space=False, use_regex=False
    )
    return reference


def test_words_have_the_tokens_of_the_library_the_vocabulary_was_learned_with(merges):
    words = {"aaaaaaa", "zzzqqqxxy", "Zażółć", "ᚠᚢᚦ", "0x7fffffff"}
    for file in _DOCUMENTS.glob("*.md"):
        words.update(split_words(file.read_text(encoding="utf-8")))
    parts = sorted({part for word in words for part in normalize_word(word)})
    assert len(parts) > 1_000
    reference, vocabulary = _reference(merges), BytePairs(merges)
    for part in parts:
        expected = reference.encode([part], is_pretokenized=True).ids
        assert vocabulary.encode(part) == expected, part


def test_without_merges_a_word_is_its_bytes():
    tokens = BytePairs(np.empty((0, 2), np.uint16)).encode("né")
    assert len(tokens) == len("né".encode())
    assert max(tokens) < BYTES


def test_an_empty_word_has_no_tokens(merges):
    assert BytePairs(merges).encode("") == []
