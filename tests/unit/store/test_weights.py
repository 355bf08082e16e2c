"""Terms as the bytes PostgreSQL reads."""

from __future__ import annotations

import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.model.candidate import idf
from outcrop.store.lexical.weights import (
    DIMENSIONS,
    K1,
    B,
    code_of,
    pack_deltas,
    pack_postings,
    pack_vector,
    pack_weights,
    unpack_vector,
)

_TERMS = st.dictionaries(
    st.text("abcдж字_.", min_size=1, max_size=8), st.integers(1, 50), max_size=12
)


@given(st.lists(_TERMS, max_size=6), st.floats(1, 200))
def test_weights_are_those_of_the_formula(
    chunks: list[dict[str, int]], average: float
) -> None:
    postings = pack_postings(chunks, average)
    for terms, (length, vector, _, cut) in zip(chunks, postings.rows, strict=True):
        assert length == sum(terms.values())
        assert not cut
        scale = K1 * (1 - B + B * length / average)
        expected = {code_of(t): tf / (tf + scale) for t, tf in terms.items()}
        codes, weights = unpack_vector(vector)
        assert codes.tolist() == sorted(expected)
        assert dict(zip(codes, weights, strict=True)) == pytest.approx(expected, 1e-6)


@given(st.lists(_TERMS, max_size=6))
def test_frequencies_and_bounds_cover_the_batch(chunks: list[dict[str, int]]) -> None:
    postings = pack_postings(chunks, 10.0)
    assert postings.df == Counter(term for terms in chunks for term in terms)
    assert postings.length == sum(sum(terms.values()) for terms in chunks)
    for terms, (_, vector, _, _) in zip(chunks, postings.rows, strict=True):
        weights = dict(zip(*unpack_vector(vector), strict=True))
        for term in terms:
            assert postings.maxw[term] >= weights[code_of(term)]


@given(_TERMS)
def test_tsvector_holds_every_term_without_places(terms: dict[str, int]) -> None:
    ((_, _, tsvector, _),) = pack_postings([terms], 1.0).rows
    (count,) = struct.unpack_from(">i", tsvector)
    assert count == len(terms)
    words = [part for part in tsvector[4:].split(b"\0") if part]
    assert sorted(word.decode() for word in words) == sorted(terms)


@given(st.lists(_TERMS, max_size=6), st.floats(1, 200))
def test_weights_alone_are_those_of_the_postings(
    chunks: list[dict[str, int]], average: float
) -> None:
    rows = pack_postings(chunks, average).rows
    assert pack_weights(chunks, average) == [vector for _, vector, *_ in rows]


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"])), st.integers(-9, 9)
    )
)
def test_changes_are_packed_as_rows_of_a_binary_copy(df: dict[str, int]) -> None:
    maxw = {term: 0.5 for term, change in df.items() if change > 0}
    expected = b""
    for term, change in df.items():
        text = term.encode()
        weight = struct.pack(">f", 0.5 if change > 0 else 0.0)
        sized = [text, struct.pack(">i", change), weight]
        expected += struct.pack(">h", 3)
        expected += b"".join(struct.pack(">i", len(value)) + value for value in sized)
    assert pack_deltas(list(df), df, maxw) == expected


def test_vector_survives_packing() -> None:
    codes = np.array([3, 70, DIMENSIONS - 1], np.int32)
    weights = np.array([0.25, 0.5, 1], np.float32)
    again = unpack_vector(pack_vector(codes, weights))
    assert again[0].tolist() == codes.tolist()
    assert again[1].tolist() == weights.tolist()


def test_nothing_packs_to_nothing() -> None:
    postings = pack_postings([], 1.0)
    assert (postings.rows, postings.df, postings.maxw) == ([], Counter(), {})
    ((length, vector, tsvector, _),) = pack_postings([{}], 1.0).rows
    assert (length, len(vector), tsvector) == (0, 12, b"\0\0\0\0")


def test_rare_terms_tell_more() -> None:
    assert idf(100, 1) > idf(100, 50) > idf(100, 100) > 0
