"""The constraints of a file as numbers, one after the other.

Most constraints of a program are never looked at, or only by code in C: as bytes they
are sent, stored and read without an object for each. A constraint is its variable, the
place of its kind in `FILE_CONSTRAINTS`, and its fields, by the letters of `LAYOUTS`:

- `v`, a variable, or -1 for None; `s`, a symbol;
- `a`, several variables, and `n`, several pairs of a name and a variable: their number
  first, then each;
- `-`, anything else: its place among the constants of the file, or -1 for None.

The numbers are C integers in the byte order of the machine.
"""

from __future__ import annotations

import struct
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from outcrop.codegraph.flow.constraints import LAYOUTS, NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.codegraph.flow.constraints import FileConstraint, Layouts

NOTHING = -1
"""Stands for None."""


class Encoder:
    """Writes the constraints of a file."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        """The constraints so far. Frequent ones are appended right here."""
        self._places: dict[Any, int] = {}

    def constant(self, value: Any) -> int:
        """Return the place of a constant."""
        return self._places.setdefault(value, len(self._places))

    def add(self, variable: int, constraint: FileConstraint) -> None:
        """Append a constraint on a variable."""
        kind = NUMBERS[constraint.__class__]
        self.numbers += (variable, kind)
        for code, field in zip(LAYOUTS[kind][1], constraint, strict=True):
            self._add_field(code, field)

    def _add_field(self, code: str, field: Any) -> None:
        numbers = self.numbers
        if code == "a":
            self.add_variables(field)
        elif code == "n":
            self.add_named(field)
        elif field is None:
            numbers.append(NOTHING)
        else:
            numbers.append(self.constant(field) if code == "-" else field)

    def add_variables(self, variables: Sequence[int | None]) -> None:
        """Append several variables."""
        self.numbers.append(len(variables))
        if None in variables:
            variables = [NOTHING if each is None else each for each in variables]
        self.numbers += cast("Sequence[int]", variables)

    def add_named(self, named: Sequence[tuple[str, int]]) -> None:
        """Append several variables with their names."""
        self.numbers.append(len(named))
        for name, variable in named:
            self.numbers += (self.constant(name), variable)

    def finish(self) -> tuple[bytes, list[Any]]:
        """Return the constraints and the constants."""
        # An array takes three times as long to be made of numbers.
        code = struct.pack(f"{len(self.numbers)}i", *self.numbers)
        return code, list(self._places)


class EncodedFile(NamedTuple):
    """The constraints of a file, and how they are read."""

    numbers: array[int]
    constants: list[Any]
    variables: int
    """What is added to the numbers of variables."""
    symbols: int
    """What is added to the numbers of symbols."""
    layouts: Layouts

    def places(self) -> Iterator[tuple[int, int]]:
        """Yield the variable of each constraint and its place."""
        numbers, at = self.numbers, 0
        while at < len(numbers):
            start = at
            codes = self.layouts[numbers[at + 1]][1]
            at += 2
            for code in codes:
                size = {"a": 1, "n": 2}.get(code, 0)
                at += 1 + size * numbers[at] if size else 1
            yield self.variables + numbers[start], start

    def decode(self, at: int) -> FileConstraint:
        """Return the constraint at a place, with the numbers of the program."""
        kind, codes = self.layouts[self.numbers[at + 1]]
        fields, at = [], at + 2
        for code in codes:
            field, at = self._field(code, at)
            fields.append(field)
        return kind._make(fields)

    def _field(self, code: str, at: int) -> tuple[Any, int]:
        """Return a field and the place of the next."""
        number = self.numbers[at]
        if code == "a":
            each = range(at + 1, at + 1 + number)
            return tuple(self._field("v", one)[0] for one in each), each.stop
        if code == "n":
            each = range(at + 1, at + 1 + 2 * number, 2)
            pairs = ((self._field("-", n)[0], self._field("v", n + 1)[0]) for n in each)
            return tuple(pairs), each.stop
        if number == NOTHING:
            return None, at + 1
        if code == "-":
            return self.constants[number], at + 1
        return number + (self.symbols if code == "s" else self.variables), at + 1


def encoded_file(
    code: bytes, constants: list[Any], variables: int, symbols: int, layouts: Layouts
) -> EncodedFile:
    """Return the constraints of a file from what `Encoder` wrote."""
    numbers = array("i")
    numbers.frombytes(code)
    return EncodedFile(numbers, constants, variables, symbols, layouts)
