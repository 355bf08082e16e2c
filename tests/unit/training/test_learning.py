"""How the rows are learned."""

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("scipy")

from training.model import Bags, encode, reciprocal_rank  # noqa: E402 - needs scipy
from training.train import contrast  # noqa: E402 - needs scipy


def bags(texts):
    ids = np.array([token for text in texts for token in text], dtype=np.int32)
    ends = np.cumsum([len(text) for text in texts])
    weights = np.ones(len(ids), dtype=np.float32)
    return Bags(ids, weights, np.concatenate([[0], ends]))


def loss_of(rows, queries, passages, keys):
    query, passage = encode(rows, queries), encode(rows, passages)
    return contrast(query, passage, keys, 5.0), query, passage


def test_the_gradient_is_that_of_the_loss():
    chance = np.random.default_rng(1)
    rows = chance.standard_normal((8, 4)).astype(np.float32)
    queries, passages = bags([[0, 1], [2], [3, 4]]), bags([[1, 5], [2, 6], [7]])
    keys = np.array([[1, 1], [2, 2], [3, 1]])  # the first and last share a passage
    (_, for_query, for_passage), query, passage = loss_of(rows, queries, passages, keys)
    found = query.matrix.T @ query.gradient(for_query)
    found += passage.matrix.T @ passage.gradient(for_passage)
    for token, place in ((0, 1), (2, 3), (5, 0), (7, 2)):
        step = np.zeros_like(rows)
        step[token, place] = 1e-2
        above = loss_of(rows + step, queries, passages, keys)[0][0]
        below = loss_of(rows - step, queries, passages, keys)[0][0]
        assert found[token, place] == pytest.approx((above - below) / 2e-2, abs=2e-2)


def test_an_equal_passage_counts_as_the_right_one():
    query = np.eye(3, dtype=np.float32)
    passage = query[[1, 1, 2]]
    assert reciprocal_rank(query, passage, np.array([1, 2, 3])) < 1
    assert reciprocal_rank(query[1:], passage[1:], np.array([2, 3])) == 1
