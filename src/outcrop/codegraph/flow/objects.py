"""Abstract objects, each a number, so that sets of them are sets of numbers."""

from __future__ import annotations

from typing import Any

FUNC = 0
"""(symbol): a function."""
CLS = 1
"""(symbol): a class."""
INST = 2
"""(symbol): the instances of a class."""
MOD = 3
"""(name): a module of the project."""
EXT = 4
"""(name): something outside the project."""
EXT_INST = 5
"""(name): an instance of a class outside the project."""
BOUND = 6
"""(function object, receiver object): a bound method."""
CONT = 7
"""(variable of the allocation site, type name): a container."""
GEN = 8
"""(function symbol): the generator a function returns."""
SUPER_OF = 9
"""(class symbol, receiver object)."""
CONT_METHOD = 10
"""(container object, method name)."""
PARTIAL = 11
"""(variable of the function, arguments, keyword arguments)."""
PROP = 12
"""(function symbol, receiver object): a property about to be read."""
ANY_OF = 13
"""(object, prefix): any of its members whose names start so."""
LIT = 14
"""(value): a string or a number that may be a key."""
UNKNOWN = 15
"""(): some key that is not known."""


class Objects:
    """The objects of one program."""

    def __init__(self) -> None:
        self.kinds: list[int] = []
        self.first: list[Any] = []
        self.second: list[Any] = []
        self._numbers: dict[tuple[Any, ...], int] = {}

    def number(self, kind: int, first: Any, second: Any = None) -> int:
        """Return the number of an object, the same for the same object."""
        key = (kind, first, second)
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.kinds)
            self.kinds.append(kind)
            self.first.append(first)
            self.second.append(second)
        return found
