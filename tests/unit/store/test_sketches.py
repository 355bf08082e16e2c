"""Sketches find the vectors that are nearest, whatever the order they were written in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.store.sketches import view
from outcrop.store.sketches.view import Block, SketchView, count_words, pack, project
from outcrop.text.native import NATIVE

_NONE = np.empty(0, np.uint64)


def _vectors(number: int, dimension: int = 256, seed: int = 1) -> np.ndarray:
    """Return unit vectors in groups, as texts about the same thing are."""
    random = np.random.default_rng(seed)
    groups = random.standard_normal((max(1, number // 50), dimension))
    made = groups[random.integers(0, len(groups), number)]
    made = made + random.standard_normal((number, dimension))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made.astype(np.float32)


def _block(vectors: np.ndarray, ids: list[int], written: int = 1, gone=None) -> Block:
    return Block(
        key=f"block {written}",
        written=written,
        ids=np.array(ids, np.uint64),
        words=pack(project(vectors)),
        gone=_NONE if gone is None else np.array(sorted(gone), np.uint64),
    )


def _numbers(ids: list[str]) -> list[int]:
    return [int(each, 16) for each in ids]


@pytest.mark.parametrize("dimension", [1, 2, 100, 256, 384, 513, 1536])
def test_a_sketch_has_a_bit_for_the_side_of_each_plane(dimension: int) -> None:
    vectors = _vectors(20, dimension)
    projected = project(vectors)
    assert projected.shape == (64 * count_words(dimension), 20)
    words = pack(projected)
    assert words.shape == (count_words(dimension), 20)
    for number in range(20):
        bits = np.unpackbits(
            np.ascontiguousarray(words[:, number]).view(np.uint8), bitorder="little"
        )
        assert np.array_equal(bits == 1, projected[:, number] > 0)


def test_planes_are_orthogonal() -> None:
    planes = project(np.eye(256, dtype=np.float32))
    for half in (planes[:256], planes[256:]):
        assert np.allclose(half @ half.T, 256 * np.eye(256))
    assert not np.allclose(planes[:256], planes[256:])


def test_the_sketch_of_a_vector_never_changes() -> None:
    """Stored sketches are compared with those of later versions."""
    vector = (np.arange(256, dtype=np.float32) - 100) / 1000
    words = [f"{word:016x}" for word in pack(project(vector[None, :]))[:, 0].tolist()]
    assert words == [
        *(
            "98947216e1bbca4b",
            "85bf93d51281b3be",
            "fbeb97f19a8531be",
            "3a52e61381bdca45",
        ),
        *(
            "0386d2bd71fa5117",
            "f9218f9683e43c24",
            "f1b11f4689058e0c",
            "0296522b7d9ac157",
        ),
    ]


def test_a_vector_has_the_same_sketch_alone_and_among_others() -> None:
    vectors = _vectors(30)
    alone = [pack(project(vector[None, :]))[:, 0] for vector in vectors]
    assert np.array_equal(np.array(alone).T, pack(project(vectors)))


def test_nearest_vectors_are_found() -> None:
    vectors = _vectors(20_000)
    held = SketchView(256, [_block(vectors, list(range(20_000)))])
    shares = []
    for question in _vectors(40, seed=1)[:40]:
        truth = np.argsort(-(vectors @ question))[:10]
        found = _numbers(held.nearest(question, 200))
        assert len(found) == len(set(found)) == 200
        shares.append(len({*truth.tolist()} & {*found}) / 10)
    assert np.mean(shares) > 0.95


def test_all_are_found_where_there_are_few() -> None:
    vectors = _vectors(30)
    held = SketchView(256, [_block(vectors, list(range(30)))])
    assert sorted(_numbers(held.nearest(vectors[0], 100))) == list(range(30))
    assert SketchView(256).nearest(vectors[0], 10) == []


def test_equal_texts_do_not_make_a_search_slow() -> None:
    """Of ten thousand equal vectors a few are taken, always the same."""
    vector = _vectors(1)
    many = np.repeat(vector, 10_000, axis=0)
    order = np.random.default_rng(2).permutation(10_000).tolist()
    first = SketchView(256, [_block(many, list(range(10_000)))])
    second = SketchView(256, [_block(many, order)])
    found = first.nearest(vector[0], 50)
    assert _numbers(found) == list(range(50))
    assert second.nearest(vector[0], 50) == found


@given(st.data())
def test_the_result_does_not_depend_on_how_it_was_written(data: st.DataObject) -> None:
    vectors = _vectors(300, 64)
    ids = data.draw(st.permutations(range(300)))
    cuts = sorted(data.draw(st.lists(st.integers(0, 300), max_size=4)))
    gone = data.draw(st.sets(st.integers(0, 299), max_size=100))
    blocks = [
        _block(vectors[ids[start:end]], ids[start:end], written)
        for written, (start, end) in enumerate(
            zip([0, *cuts], [*cuts, 300], strict=True)
        )
        if start < end
    ]
    last = _block(vectors[:0], [], 99, gone)
    scattered = SketchView(64, [*blocks, last])
    kept = [number for number in range(300) if number not in gone]
    fresh = SketchView(64, [_block(vectors[kept], kept)])
    for question in _vectors(3, 64, seed=5):
        assert scattered.nearest(question, 20) == fresh.nearest(question, 20)
    merged_ids, merged_words = scattered.merged()
    assert sorted(merged_ids.tolist()) == kept
    assert merged_words.shape == (count_words(64), len(kept))


def test_a_chunk_that_was_deleted_and_written_again_is_found() -> None:
    vectors = _vectors(3)
    blocks = [
        _block(vectors[:1], [7], 1),
        _block(vectors[:0], [], 2, [7]),
        _block(vectors[1:2], [7], 3),
    ]
    held = SketchView(256, reversed(blocks))
    assert len(held) == 2
    assert _numbers(held.nearest(vectors[1], 5)) == [7]


def test_an_earlier_view_gives_its_blocks_to_the_next() -> None:
    vectors = _vectors(10)
    before = SketchView(256, [_block(vectors[:5], list(range(5)), 1)])
    after = SketchView(
        256, [*before.blocks.values(), _block(vectors[5:], list(range(5, 10)), 2)]
    )
    assert after.holds(frozenset(["block 1", "block 2"]), 256)
    assert not after.holds(frozenset(["block 1"]), 256)
    assert not after.holds(frozenset(["block 1", "block 2"]), 512)
    assert _numbers(after.nearest(vectors[8], 1)) == [8]


@pytest.mark.skipif(NATIVE is None, reason="the module in C was not built")
@pytest.mark.parametrize("dimension", [3, 256, 1024])
@pytest.mark.parametrize("number", [1, 511, 512, 3000])
def test_sketches_are_compared_alike_in_c_and_in_numpy(
    dimension: int, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = _vectors(number, dimension)
    gone = [*range(0, number, 7)]
    blocks = [_block(vectors, list(range(number))), _block(vectors[:0], [], 2, gone)]
    native = SketchView(dimension, blocks)
    numpy = SketchView(dimension, blocks)
    for question in _vectors(5, dimension, seed=9):
        projected = project(question[None, :])
        words, places = pack(projected)[:, 0], np.arange(number)
        monkeypatch.setattr(view, "_NATIVE", NATIVE)
        counts = native._count_differing(words)
        estimates = native._estimate(projected[:, 0], places)
        found = native.nearest(question, 50)
        monkeypatch.setattr(view, "_NATIVE", None)
        for one, other in zip(counts, numpy._count_differing(words), strict=True):
            assert np.array_equal(one, other)
        assert np.array_equal(estimates, numpy._estimate(projected[:, 0], places))
        assert numpy.nearest(question, 50) == found


@pytest.mark.skipif(NATIVE is None, reason="the module in C was not built")
def test_arrays_that_do_not_fit_are_refused() -> None:
    words, query = np.zeros((8, 5), np.uint64), np.zeros(8, np.uint64)
    counts, numbers = np.zeros(5, np.uint16), np.zeros(514, np.int64)
    NATIVE.count_differing(words, query, counts, numbers)
    assert numbers[0] == 5
    with pytest.raises(ValueError, match="do not fit"):
        NATIVE.count_differing(words, query[:7], counts, numbers)
    with pytest.raises(ValueError, match="do not fit"):
        NATIVE.count_differing(words, query, counts, numbers[:512])
    values, estimates = np.zeros((256, 64), np.float32), np.zeros(1, np.float32)
    with pytest.raises(IndexError, match="no sketch"):
        NATIVE.estimate(words, np.array([5]), values, estimates)
    with pytest.raises(ValueError, match="do not fit"):
        NATIVE.estimate(words, np.array([1, 2]), values, estimates)
