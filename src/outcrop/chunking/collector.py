"""Calling a function while Python's cyclic garbage collector is paused."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

_Result = TypeVar("_Result")


def call_uncollected(function: Callable[[], _Result]) -> _Result:
    """Call a function that makes many objects, no cycles, and keeps what it makes.

    The collector would look at all of them again and again while they become more, which
    is a fifth of the time of a large document.

    Pausing affects every thread. A call that finds the collector paused, by its user or
    by a call in another thread, leaves it paused; the call that paused it resumes it. So
    it is never paused for longer than one call takes, and never resumed where the user
    has switched it off.
    """
    if not gc.isenabled():
        return function()
    gc.disable()
    try:
        return function()
    finally:
        gc.enable()
