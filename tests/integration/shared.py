"""What several folders of tests use, started once per process."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

_Value = TypeVar("_Value")


class Shared(Generic[_Value]):
    """Something that is started for its first user and stopped after its last.

    Each folder of tests has fixtures of its own; what they start is the same.
    """

    def __init__(self, make: Callable[[], AbstractContextManager[_Value]]) -> None:
        self._make = make
        self._users = 0
        self._open = ExitStack()

    @contextmanager
    def use(self) -> Iterator[_Value]:
        if not self._users:
            self._value = self._open.enter_context(self._make())
        self._users += 1
        try:
            yield self._value
        finally:
            self._users -= 1
            if not self._users:
                self._open.close()
