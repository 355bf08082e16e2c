"""The network of the local reranker gives the same scores in C and in NumPy."""

from __future__ import annotations

from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.providers.local_embedder import load_token_table
from outcrop.providers.local_reranker import _load_network
from outcrop.providers.reranker_network import NATIVE, NativeNetwork, RerankerNetwork

KERNELS = NATIVE.KERNELS if NATIVE is not None else ()
needs_native = pytest.mark.skipif(
    NATIVE is None, reason="the module was not built: python hatch_build.py"
)
# Few ids, so that query and passages have some in common; frequent and rare ones.
_IDS = st.one_of(st.integers(0, 30), st.integers(0, 59_999))
QUERY = "how long is a backup kept before it is deleted?"
TEXTS = [
    "Old archives are deleted after seven days. Set `keep_days` to keep them longer.",
    "backup",
    "def remove(archives):\n    for archive in archives:\n        archive.unlink()\n"
    * 20,
    "Резервные копии удаляются через неделю. " * 9,
]


@pytest.fixture(scope="module")
def weights():
    return _load_network().weights


@pytest.fixture(scope="module")
def numpy_network(weights):
    return RerankerNetwork(weights)


@pytest.fixture(scope="module", params=KERNELS)
def kernel(request):
    return request.param


@pytest.fixture(scope="module")
def network(weights, kernel):
    return NativeNetwork(weights, kernel)


def _tokens(text):
    return [*load_token_table().tokens.of(text)]


@needs_native
def test_texts_have_the_same_scores_in_c_and_in_numpy(network, numpy_network):
    query, passages = _tokens(QUERY), [_tokens(text)[:128] for text in TEXTS]
    expected = numpy_network.score(query, passages)
    assert network.score(query, passages).tolist() == expected.tolist()
    assert len(set(expected.tolist())) == len(TEXTS)


@needs_native
@settings(max_examples=30, deadline=None)
@given(
    st.lists(_IDS, min_size=1, max_size=40),
    st.lists(st.lists(_IDS, min_size=1, max_size=128), min_size=1, max_size=5),
)
def test_any_tokens_have_the_same_scores_in_c_and_in_numpy(
    network, numpy_network, query, passages
):
    expected = numpy_network.score(query, passages)
    assert network.score(query, passages).tolist() == expected.tolist()
    assert np.isfinite(expected).all()


@needs_native
@pytest.mark.parametrize("length", [1, 3, 15, 16, 17, 127, 128])
def test_every_length_has_the_same_scores(network, numpy_network, length):
    query, passages = [*range(min(length, 40))], [[*range(length)], [7] * length]
    expected = numpy_network.score(query, passages)
    assert network.score(query, passages).tolist() == expected.tolist()


@needs_native
def test_a_score_does_not_depend_on_the_other_passages(network):
    query = _tokens(QUERY)
    passages = [_tokens(text)[:128] for text in TEXTS] * 20
    alone = [network.score(query, [passage])[0] for passage in passages[: len(TEXTS)]]
    assert network.score(query, passages).tolist() == [float(x) for x in alone] * 20


@needs_native
def test_a_score_does_not_depend_on_earlier_ones(network, weights, kernel):
    """Memory is kept from one call to the next."""
    long = [*range(1, 41)], [[at, *range(3, 130)][:128] for at in range(33)]
    short = _tokens(QUERY), [_tokens(text)[:128] for text in TEXTS]
    first = NativeNetwork(weights, kernel).score(*short).tolist()
    for _ in range(2):
        network.score(*long)
        assert network.score(*short).tolist() == first


def test_a_score_in_numpy_does_not_depend_on_the_other_passages(numpy_network):
    query, passages = _tokens(QUERY), [_tokens(text)[:128] for text in TEXTS]
    alone = [numpy_network.score(query, [passage])[0] for passage in passages]
    assert numpy_network.score(query, passages).tolist() == [float(x) for x in alone]


@needs_native
def test_threads_share_a_network(network, numpy_network):
    query, passages = _tokens(QUERY), [_tokens(text)[:128] for text in TEXTS]
    expected = numpy_network.score(query, passages).tolist()
    found = []

    def score():
        found.extend(network.score(query, passages).tolist() for _ in range(20))

    threads = [Thread(target=score) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [expected] * 80


@needs_native
@pytest.mark.parametrize(
    ("query", "passages"),
    [
        ([], [[1]]),
        ([1] * 41, [[1]]),
        ([1], [[]]),
        ([1], [[1] * 129]),
        ([60_000], [[1]]),
        ([1], [[2, 60_000]]),
    ],
)
def test_tokens_that_cannot_be_scored_are_refused(network, query, passages):
    with pytest.raises(ValueError, match="too many or too few tokens, or an unknown"):
        network.score(query, passages)


@needs_native
def test_no_passages_have_no_scores(network):
    assert network.score([1], []).tolist() == []


@needs_native
def test_an_unknown_kernel_is_refused(weights):
    with pytest.raises(ValueError, match="no kernel 'abacus'"):
        NativeNetwork(weights, "abacus")


@needs_native
def test_arrays_of_another_size_are_refused(weights, monkeypatch):
    monkeypatch.setitem(weights.vectors, "first", np.zeros(64, np.float32))
    with pytest.raises(ValueError, match="has 64 numbers instead of 128"):
        NativeNetwork(weights)
    monkeypatch.undo()
    monkeypatch.setattr(weights, "linear", weights.linear[:-1])
    with pytest.raises(ValueError, match="have to be 23 layers"):
        NativeNetwork(weights)
