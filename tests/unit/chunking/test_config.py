"""A configuration that cannot work is refused when it is made."""

from __future__ import annotations

import dataclasses

import pytest

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.errors import ChunkConfigError, ConfigError, OutcropError


def test_the_defaults():
    config = ChunkConfig()
    assert config.max_chunk_size == 4096
    assert config.code_threshold == 0.3
    assert config.structure_threshold == 3
    assert config.oversize_tolerance == 0.0
    assert config.oversize_blocks == "keep"
    assert config.strategy is None
    assert config.include_document_summary is True
    assert config.length is None


@pytest.mark.parametrize(
    ("largest", "smallest", "overlap"),
    [(4096, 512, 200), (4000, 500, 200), (200, 25, 10), (20, 2, 1), (1, 1, 0)],
)
def test_sizes_that_are_not_given_follow_from_the_maximum(largest, smallest, overlap):
    config = ChunkConfig(max_chunk_size=largest)
    assert config.min_chunk_size == config.smallest == smallest
    assert config.overlap_size == config.overlap == overlap


@pytest.mark.parametrize("largest", [1, 2, 7, 8, 19, 20, 200, 4096, 10**9])
def test_every_maximum_is_valid_by_itself(largest):
    config = ChunkConfig(max_chunk_size=largest)
    assert 1 <= config.smallest <= largest
    assert 0 <= config.overlap < largest


def test_sizes_that_are_given_stay():
    config = ChunkConfig(max_chunk_size=100, min_chunk_size=100, overlap_size=99)
    assert (config.smallest, config.overlap) == (100, 99)


def test_an_overlap_of_zero_is_no_overlap():
    assert ChunkConfig(overlap_size=0).overlap == 0


@pytest.mark.parametrize(
    ("tolerance", "limit"), [(0.0, 1000), (0.2, 1200), (0.0009, 1000), (1, 2000)]
)
def test_the_limit_adds_the_tolerance(tolerance, limit):
    config = ChunkConfig(max_chunk_size=1000, oversize_tolerance=tolerance)
    assert config.limit == limit


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("max_chunk_size", 0, "it must be at least 1"),
        ("max_chunk_size", -5, "it must be at least 1"),
        ("max_chunk_size", 10.5, "it must be a whole number"),
        ("max_chunk_size", "1000", "it must be a whole number"),
        ("max_chunk_size", None, "it must be a whole number"),
        ("max_chunk_size", True, "it must be a whole number"),
        ("min_chunk_size", 0, "it must be at least 1"),
        ("min_chunk_size", -1, "it must be at least 1"),
        ("min_chunk_size", 5000, "it must not exceed max_chunk_size (4096)"),
        ("min_chunk_size", 1.0, "it must be a whole number"),
        ("overlap_size", -1, "it must be at least 0"),
        ("overlap_size", 4096, "it must be smaller than max_chunk_size (4096)"),
        ("overlap_size", 9999, "it must be smaller than max_chunk_size (4096)"),
        ("overlap_size", "200", "it must be a whole number"),
        ("code_threshold", -0.1, "it must be from 0 to 1"),
        ("code_threshold", 1.1, "it must be from 0 to 1"),
        ("code_threshold", "half", "it must be a number"),
        ("code_threshold", float("nan"), "it must be from 0 to 1"),
        ("structure_threshold", 0, "it must be at least 1"),
        ("structure_threshold", 2.5, "it must be a whole number"),
        ("oversize_tolerance", -0.01, "it must be a finite number of at least 0"),
        (
            "oversize_tolerance",
            float("inf"),
            "it must be a finite number of at least 0",
        ),
        (
            "oversize_tolerance",
            float("nan"),
            "it must be a finite number of at least 0",
        ),
        ("oversize_tolerance", None, "it must be a number"),
        ("oversize_blocks", "drop", "it must be one of keep, split"),
        ("strategy", 7, "it must be the name of a strategy, such as code_aware"),
        ("length", 5, "it must be a function from text to its size"),
    ],
)
def test_a_refusal_names_the_field_the_value_and_the_rule(field, value, rule):
    with pytest.raises(ChunkConfigError) as refusal:
        ChunkConfig(**{field: value})
    assert str(refusal.value) == f"{field} is {value!r}, but {rule}"
    assert refusal.value.field == field
    assert refusal.value.value is value
    assert refusal.value.rule == rule


def test_a_refusal_is_a_value_error_and_one_of_ours():
    with pytest.raises(ValueError, match="max_chunk_size is 0") as refusal:
        ChunkConfig(max_chunk_size=0)
    assert isinstance(refusal.value, ConfigError)
    assert isinstance(refusal.value, OutcropError)


@pytest.mark.parametrize("threshold", [0, 1, 0.0, 1.0])
def test_the_ends_of_a_range_belong_to_it(threshold):
    assert ChunkConfig(code_threshold=threshold).code_threshold == threshold


def test_a_tolerance_that_makes_the_limit_infinite_is_refused():
    with pytest.raises(ChunkConfigError, match="oversize_tolerance is 1e\\+308"):
        ChunkConfig(oversize_tolerance=1e308)


def test_sizes_that_were_derived_follow_a_new_maximum():
    config = dataclasses.replace(ChunkConfig(), max_chunk_size=200)
    assert config == ChunkConfig(max_chunk_size=200)


def test_sizes_that_were_given_do_not_follow_it():
    config = ChunkConfig(min_chunk_size=50, overlap_size=7)
    smaller = dataclasses.replace(config, max_chunk_size=200)
    assert (smaller.smallest, smaller.overlap) == (50, 7)


def test_a_configuration_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        ChunkConfig().max_chunk_size = 5  # type: ignore[misc]


def test_equal_settings_are_equal_configurations():
    assert ChunkConfig(max_chunk_size=9) == ChunkConfig(max_chunk_size=9)
    assert len({ChunkConfig(), ChunkConfig(), ChunkConfig(max_chunk_size=9)}) == 2


def test_a_size_in_place_of_a_configuration_is_refused_with_how_to_write_it():
    with pytest.raises(
        TypeError, match=r"config is 1000, but it must be a ChunkConfig"
    ):
        MarkdownChunker(1000)
