"""Limits on guessing the token, by address and for all addresses together.

The first wrong tokens of an address are answered immediately. After them the address
waits before its next guess, twice as long each time. All addresses together have a larger
allowance of the same kind.

Nobody can lock out others this way. An address that recently sent the right token
waits only for its own wrong ones. Wrong tokens in a header and wrong tokens in the form
are counted apart, so that a program with an outdated token does not close the form.
Only a bounded number of addresses is remembered.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import Scope

MAX_FREE = 20
MAX_FREE_TOGETHER = 200
MAX_WAIT_SECONDS = 60.0
# Shorter: a flood from many addresses must leave room for people at new ones.
MAX_WAIT_TOGETHER_SECONDS = 2.0
FORGET_SECONDS = 900.0
TRUST_SECONDS = 3_600.0
MAX_ADDRESSES = 10_000
# Wrong tokens in headers whose answers are being held back.
HOLD_SECONDS = 1.0
MAX_HELD = 8
MAX_HELD_TOGETHER = 200

_TOGETHER = ""


@dataclass(slots=True)
class _Record:
    wrong: int = 0
    last: float = 0.0
    until: float = 0.0


class Guesses:
    """Counts the wrong tokens of one way to send a token.

    Args:
        clock: Returns monotonic seconds.
        workers: How many processes count the wrong tokens of the same server. Each has
            an equal share of the allowances.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, workers: int = 1
    ) -> None:
        self._clock = clock
        self._free = ceil(MAX_FREE / workers)
        self._free_together = ceil(MAX_FREE_TOGETHER / workers)
        self._records: OrderedDict[str, _Record] = OrderedDict()
        self._together = _Record()
        self._trusted: OrderedDict[str, float] = OrderedDict()
        self._held: dict[str, int] = {}

    def wait(self, address: str) -> float:
        """Return how many seconds an address has to wait before its next guess."""
        now = self._clock()
        record = self._records.get(address)
        until = record.until if record else 0.0
        if not self._is_trusted(address, now):
            until = max(until, self._together.until)
        return max(0.0, until - now)

    def note_wrong(self, address: str) -> None:
        """Count a wrong token."""
        now = self._clock()
        record = self._records.setdefault(address, _Record())
        self._records.move_to_end(address)
        while len(self._records) > MAX_ADDRESSES:
            self._records.popitem(last=False)
        _count(record, now, self._free, MAX_WAIT_SECONDS)
        _count(self._together, now, self._free_together, MAX_WAIT_TOGETHER_SECONDS)

    def note_right(self, address: str) -> None:
        """Record that an address sent the right token."""
        self._trusted[address] = self._clock()
        self._trusted.move_to_end(address)
        while len(self._trusted) > MAX_ADDRESSES:
            self._trusted.popitem(last=False)

    def is_flooding(self, address: str) -> bool:
        """Return whether too many answers are held back to check more tokens."""
        if self._is_trusted(address, self._clock()):
            return False
        return (
            self._held.get(address, 0) >= MAX_HELD
            or self._held.get(_TOGETHER, 0) >= MAX_HELD_TOGETHER
        )

    @contextmanager
    def hold(self, address: str) -> Iterator[None]:
        """Count an answer as held back."""
        for key in (address, _TOGETHER):
            self._held[key] = self._held.get(key, 0) + 1
        try:
            yield
        finally:
            for key in (address, _TOGETHER):
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]

    def _is_trusted(self, address: str, now: float) -> bool:
        shown = self._trusted.get(address)
        return shown is not None and now - shown < TRUST_SECONDS


def address_of(scope: Scope) -> str:
    """Return the client's address, or for IPv6 the network of one user."""
    client = scope.get("client")
    host = str(client[0]) if client else "unknown"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if address.version == 4:  # noqa: PLR2004 - the version's name
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _count(record: _Record, now: float, free: int, max_wait: float) -> None:
    if now - record.last > FORGET_SECONDS:
        record.wrong = 0
    record.wrong += 1
    record.last = now
    if record.wrong >= free:
        # A power of two this large is over any limit already.
        record.until = now + min(max_wait, 2.0 ** min(record.wrong - free, 20))
