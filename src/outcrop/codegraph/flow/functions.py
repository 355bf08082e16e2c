"""The functions of a program, and where the arguments of their calls go."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from outcrop.codegraph.flow.file_flow import (
    DOUBLE_STAR,
    PLAIN,
    STAR,
    FunctionFlow,
    ParameterFlow,
)

if TYPE_CHECKING:
    from outcrop.codegraph.flow.unit import Unit


class Signature(NamedTuple):
    """The variables that the arguments of a call go to."""

    plain: tuple[int, ...]
    """Parameters by position."""
    by_name: dict[str, int]
    """Parameters by name."""
    rest: int | None
    """What collects the other positional arguments."""
    named_rest: int | None
    """What collects the other keyword arguments."""
    receiver: int | None
    """The parameter that takes the receiver, for a bound method."""
    result: int
    is_generator: bool
    passed: list[int]
    """Positions of the parameters that are returned as they are."""


class Functions(dict[int, FunctionFlow]):
    """The functions of a program, numbered for the whole program on first access."""

    def __init__(self) -> None:
        super().__init__()
        self.units: list[Unit] = []
        self._signatures: dict[tuple[int, bool], Signature] = {}

    def __missing__(self, symbol: int) -> FunctionFlow:
        place = bisect_right(self.units, symbol, key=lambda unit: unit.first_symbol) - 1
        unit = self.units[place]
        base = unit.first_variable
        kind, parameters, result, yields, required, passed = unit.flow.functions[
            symbol - unit.first_symbol
        ]
        function = self[symbol] = FunctionFlow(
            kind,
            tuple(ParameterFlow(p.name, base + p.variable, p.kind) for p in parameters),
            base + result,
            None if yields is None else base + yields,
            required,
            passed,
        )
        return function

    def signature(self, symbol: int, *, bound: bool) -> Signature:
        """Return where the arguments of a function go.

        Args:
            symbol: The function.
            bound: Whether its first parameter is the receiver, not an argument.
        """
        key = (symbol, bound)
        found = self._signatures.get(key)
        if found is None:
            found = self._signatures[key] = _signature(self[symbol], bound=bound)
        return found

    def receivers(self) -> dict[int, int]:
        """Return the methods by the variable of their first parameter."""
        return {
            unit.first_variable + function.parameters[0].variable: unit.first_symbol
            + symbol
            for unit in self.units
            for symbol, function in unit.flow.functions.items()
            if function.kind in {"method", "property"} and function.parameters
        }


def _signature(function: FunctionFlow, *, bound: bool) -> Signature:
    parameters, receiver = function.parameters, None
    if bound and parameters:
        first, *rest_of = parameters
        receiver = first.variable if first.kind == PLAIN else None
        parameters = tuple(rest_of)
    by_name: dict[str, int] = {}
    rest = named_rest = None
    for name, variable, kind in reversed(parameters):
        if kind == STAR:
            rest = variable
        elif kind == DOUBLE_STAR:
            named_rest = variable
        else:
            by_name[name] = variable
    plain = tuple(p.variable for p in parameters if p.kind == PLAIN)
    return Signature(
        plain, by_name, rest, named_rest, receiver, function.result,
        function.yields is not None, function.passed,
    )  # fmt: skip
