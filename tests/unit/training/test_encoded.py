"""Pairs as token ids, and the batches made of them."""

import pytest

np = pytest.importorskip("numpy")

from training.encode import Encoded, Writer  # noqa: E402 - needs numpy
from training.encoded import Pairs, batches  # noqa: E402 - needs numpy


def pair(query, passage, *, kind="heading", group="a:", is_held_out=False):
    """Return a pair whose texts are their own tokens."""
    sides = [dict.fromkeys(text, 1) for text in (query, passage)]
    return Encoded(sides, kind, group, is_held_out, (bytes(query), bytes(passage)))


@pytest.fixture
def written(tmp_path):
    """Return a function that writes pairs and reads them again."""

    def write(*pairs):
        writer = Writer()
        for item in pairs:
            writer.add(item)
        writer.write(tmp_path / "pairs.npz")
        return Pairs(tmp_path / "pairs.npz")

    return write


def test_a_text_of_two_pairs_is_stored_once(written):
    pairs = written(pair([1], [7, 8]), pair([2], [7, 8]))
    assert pairs.texts.tolist() == [[0, 1], [2, 1]]
    assert pairs.ids.tolist() == [1, 7, 8, 2]
    assert pairs.start.tolist() == [0, 1, 3]


def test_pairs_whose_text_was_learned_from_do_not_validate(written):
    pairs = written(
        pair([1], [2]),
        pair([1], [3], is_held_out=True),
        pair([4], [5], is_held_out=True),
    )
    assert pairs.validated.tolist() == [2]


def test_batches_hold_no_pair_that_is_held_out_and_follow_the_shares(written):
    pairs = written(
        *(pair([n], [n + 50]) for n in range(20)),
        *(pair([n], [n + 50], kind="translation_de") for n in range(20, 40)),
        pair([45], [95], is_held_out=True),
    )
    chance = np.random.default_rng(1)
    drawn = batches(pairs, np.array([2.0, 0.0]), 4, 0.5, chance)
    assert drawn.shape == (10, 4)
    assert sorted(drawn.ravel().tolist()) == sorted([*range(20), *range(20)])


def test_fewer_pairs_than_a_batch_are_refused(written):
    pairs = written(pair([1], [2]), pair([3], [4]))
    with pytest.raises(ValueError, match="2 pairs, fewer than a batch of 4"):
        batches(pairs, np.array([1.0]), 4, 0.5, np.random.default_rng(1))
