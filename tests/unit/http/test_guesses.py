"""Wrong tokens make an address wait, and nobody else."""

from __future__ import annotations

import pytest

from outcrop.http import guard as limits
from outcrop.http.guard import Guesses, address_of


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def guesses(clock):
    return Guesses(clock)


def guess(guesses, address, times):
    for _ in range(times):
        guesses.note_wrong(address)


def test_the_first_wrong_tokens_cost_nothing(guesses):
    guess(guesses, "a", limits.MAX_FREE - 1)
    assert guesses.wait("a") == 0


def test_the_wait_doubles_up_to_a_maximum(guesses, clock):
    guess(guesses, "a", limits.MAX_FREE)
    waits = []
    for _ in range(40):
        waits.append(guesses.wait("a"))
        clock.now += waits[-1]
        assert guesses.wait("a") == 0
        guesses.note_wrong("a")
    assert waits[:4] == [1, 2, 4, 8]
    assert max(waits) == waits[-1] == limits.MAX_WAIT_SECONDS


def test_another_address_does_not_wait(guesses):
    guess(guesses, "a", limits.MAX_FREE + 10)
    assert guesses.wait("b") == 0


def test_wrong_tokens_are_forgotten(guesses, clock):
    guess(guesses, "a", limits.MAX_FREE + 10)
    clock.now += limits.FORGET_SECONDS + 1
    guesses.note_wrong("a")
    assert guesses.wait("a") == 0


def test_many_addresses_together_wait_a_little(guesses, clock):
    for number in range(limits.MAX_FREE_TOGETHER + 20):
        guesses.note_wrong(f"address {number}")
    assert guesses.wait("new") == limits.MAX_WAIT_TOGETHER_SECONDS
    clock.now += limits.MAX_WAIT_TOGETHER_SECONDS
    assert guesses.wait("new") == 0


def test_a_flood_from_elsewhere_does_not_touch_who_showed_the_token(guesses, clock):
    guesses.note_right("known")
    for round_ in range(2):
        for number in range(2 * limits.MAX_ADDRESSES):
            guesses.note_wrong(f"address {number}")
        is_trusted = round_ == 0
        assert (guesses.wait("known") == 0) is is_trusted
        clock.now += limits.TRUST_SECONDS


def test_memory_is_bounded(guesses):
    for number in range(limits.MAX_ADDRESSES + 50):
        guesses.note_wrong(f"address {number}")
        guesses.note_right(f"address {number}")
    assert len(guesses._records) == limits.MAX_ADDRESSES
    assert len(guesses._trusted) == limits.MAX_ADDRESSES


def test_a_flood_is_not_looked_at_unless_the_address_is_known(guesses):
    held = [guesses.hold("a") for _ in range(limits.MAX_HELD)]
    for each in held:
        each.__enter__()
    assert guesses.is_flooding("a")
    assert not guesses.is_flooding("b")
    guesses.note_right("a")
    assert not guesses.is_flooding("a")
    for each in held:
        each.__exit__(None, None, None)
    assert not guesses._held


@pytest.mark.parametrize(
    ("client", "address"),
    [
        (("192.0.2.7", 1), "192.0.2.7"),
        (("::ffff:192.0.2.7", 1), "192.0.2.7"),
        (("2001:db8:1:2:3:4:5:6", 1), "2001:db8:1:2::/64"),
        (("testclient", 1), "testclient"),
        (None, "unknown"),
    ],
)
def test_an_address_is_what_one_user_has(client, address):
    assert address_of({"client": client}) == address
