"""Computing on one core.

NumPy's OpenBLAS multiplies matrices on all cores. Those of the local reranker are small:
more threads gain little on an idle machine, and on a busy one they wait for each other,
eight times as long as the work takes on one core.
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# What NumPy's own build calls the functions, and what others do.
_PREFIXES = ("scipy_openblas", "openblas")
_SUFFIXES = ("64_", "")


class _Threads(NamedTuple):
    get: Callable[[], int]
    set: Callable[[int], object]


class _Entered:
    """How many threads of this process are inside, and the number to go back to."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.before = 1


_entered = _Entered()


@contextmanager
def on_one_core() -> Iterator[None]:
    """Let NumPy multiply matrices on one core until the end of the block.

    This affects all threads of the process. If NumPy uses another library than OpenBLAS,
    or its functions cannot be found, nothing changes.
    """
    threads = _find_threads()
    if threads is None:
        yield
        return
    with _entered.lock:
        if _entered.count == 0:
            _entered.before = threads.get()
            threads.set(1)
        _entered.count += 1
    try:
        yield
    finally:
        with _entered.lock:
            _entered.count -= 1
            if _entered.count == 0:
                threads.set(_entered.before)


@cache
def _find_threads() -> _Threads | None:
    """Return how to read and set the number of threads of NumPy's OpenBLAS."""
    from numpy.linalg import _umath_linalg

    try:
        library = ctypes.CDLL(_umath_linalg.__file__)
    except OSError:
        return None
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            get = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
            put = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
            if get is not None and put is not None:
                return _Threads(get, put)
    return None
