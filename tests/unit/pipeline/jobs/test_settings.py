"""How patient a worker is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.errors import ConfigError
from outcrop.pipeline.jobs.settings import WorkerSettings


def test_pauses_double_up_to_the_longest():
    settings = WorkerSettings(retry_seconds=1.0, longest_retry_seconds=10.0)
    pauses = [settings.pause_before(tries) for tries in range(1, 7)]
    assert pauses == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]


@given(tries=st.integers(0, 10**9))
def test_no_pause_is_longer_than_the_longest(tries):
    settings = WorkerSettings()
    assert 0 < settings.pause_before(tries) <= settings.longest_retry_seconds


@pytest.mark.parametrize(
    ("given_settings", "message"),
    [
        ({"concurrency": 0}, "concurrency is 0, but it must be at least 1"),
        ({"batch_size": -1}, "batch_size is -1"),
        ({"most_tries": 0}, "most_tries is 0"),
        (
            {"heartbeat_seconds": 5.0, "stalled_seconds": 5.0},
            "stalled_seconds is 5.0, but it must be more than heartbeat_seconds",
        ),
    ],
)
def test_settings_that_cannot_work_are_refused(given_settings, message):
    with pytest.raises(ConfigError, match=message):
        WorkerSettings(**given_settings)
