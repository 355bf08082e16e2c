"""The garbage collector, kept away from objects without cycles."""

import gc

import pytest

from outcrop import collector


@pytest.fixture(autouse=True)
def nothing_frozen():
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0
    yield
    gc.unfreeze()


def test_existing_objects_are_left_out_of_collections_for_a_while():
    with collector.ignoring_existing():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_objects_that_the_caller_has_left_out_stay_so():
    gc.freeze()
    with collector.ignoring_existing(), collector.paused():
        pass
    assert gc.get_freeze_count() > 0


def test_a_pause_ends_with_its_block_even_after_an_error():
    with pytest.raises(ValueError, match="is on: False"), collector.paused():
        raise ValueError(f"the collector is on: {gc.isenabled()}")
    assert gc.isenabled()


def test_an_inner_pause_does_not_end_the_outer_one():
    with collector.paused():
        with collector.paused():
            pass
        assert not gc.isenabled()
