"""What decorators return: the definition that they are given, or what they make of it.

A decorator that registers its argument often returns it after several calls, so that
its result seems to be any definition that it was ever given. Here these are told apart:
a decorator returns no decorated definition but its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.file_flow import DefinedClass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.codegraph.flow.objects import Objects
    from outcrop.codegraph.flow.unit import Unit


class Decorations:
    """The decorated definitions of files, except those inside functions.

    A definition inside a function is mostly what a decorator makes.
    """

    def __init__(self, units: Iterable[Unit], known: Objects) -> None:
        self.own: dict[int, int | None] = {}
        """Variable -> the only decorated definition that it may hold: results of
        decorators, and decorators that calls return, which hold none."""
        self._definitions: set[int] = set()
        for unit in units:
            first, own = unit.first_variable, None
            for decorator, dst, value, symbol, is_called in unit.flow.decorated:
                origin = unit.flow.origins.get(value)
                if symbol < 0:
                    own = None
                elif origin is not None:  # the innermost decorator, listed first
                    is_class = origin.__class__ is DefinedClass
                    kind = objects.CLS if is_class else objects.FUNC
                    own = known.number(kind, unit.first_symbol + symbol)
                    self._definitions.add(own)
                self.own[first + dst] = own
                if is_called:
                    self.own[first + decorator] = None

    def admit(self, variable: int, found: int) -> bool:
        """Whether a variable may hold a function or a class."""
        if variable not in self.own or found not in self._definitions:
            return True
        return found == self.own[variable]
