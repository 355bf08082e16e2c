"""Batches, and which errors of the database pass."""

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from procrastinate.exceptions import ConnectorException

from outcrop.pipeline.jobs.queue import Batch, is_passing


@given(ids=st.lists(st.text(max_size=4), min_size=2, max_size=50))
def test_two_halves_are_the_whole_and_neither_is_empty(ids):
    batch = Batch(run_id=1, stage="embed", chunk_ids=tuple(ids), priority=5)
    first, second = batch.halves(tries=3, deaths=2)
    assert first.chunk_ids + second.chunk_ids == batch.chunk_ids
    assert first.chunk_ids
    assert second.chunk_ids
    for half in (first, second):
        assert (half.run_id, half.stage, half.priority) == (1, "embed", 5)
        assert (half.tries, half.deaths) == (3, 2)


def wrapped(cause):
    error = ConnectorException()
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "passes"),
    [
        (psycopg.OperationalError("the connection is lost"), True),
        (psycopg.errors.AdminShutdown(), True),
        (psycopg.errors.CannotConnectNow(), True),
        (psycopg.errors.ConnectionFailure(), True),
        (psycopg.errors.InvalidPassword(), False),
        (psycopg.errors.DiskFull(), False),
        (psycopg.errors.UndefinedTable(), False),
        (ValueError("something else"), False),
    ],
)
def test_a_server_that_is_away_for_a_moment_is_waited_for(cause, passes):
    assert is_passing(wrapped(cause)) is passes
