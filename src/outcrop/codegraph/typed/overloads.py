"""Choosing among functions of one name by the arguments of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outcrop.codegraph.typed.types import parse_type

if TYPE_CHECKING:
    from outcrop.codegraph.typed.evaluate import Evaluator
    from outcrop.codegraph.typed.world import World

_ANY_NUMBER = 1 << 30


def choose(
    evaluator: Evaluator, functions: tuple[int, ...], arguments: tuple[Any, ...],
    number: int,
) -> tuple[tuple[int, ...], bool]:  # fmt: skip
    """Return the functions a call can mean, and whether that is certain.

    Functions that take another number of arguments are left out, then those whose
    declared types are known to differ from the arguments'. One function is certain
    even if the number does not fit: there is no other it could be.
    """
    if len(functions) == 1:
        return functions, True
    fitting = [f for f in functions if takes(evaluator.world, f, len(arguments))]
    if len(fitting) <= 1:
        return (tuple(fitting), True) if fitting else (functions, False)
    scores = {f: _score(evaluator, f, arguments, number) for f in fitting}
    best = max(scores.values())
    chosen = tuple(f for f in fitting if scores[f] == best)
    # No rule decides between several that fit equally well: the first is a heuristic.
    return chosen[:1], len(chosen) == 1


def takes(world: World, function: int, count: int) -> bool:
    """Whether a function can be called with this number of arguments."""
    bounds = world.arities.get(function)
    if bounds is None:
        parameters = world.symbol(function).parameters
        required = sum(not p.optional and not p.variadic for p in parameters)
        variadic = any(p.variadic for p in parameters)
        most = _ANY_NUMBER if variadic else len(parameters)
        bounds = world.arities[function] = (required, most)
    return bounds[0] <= count <= bounds[1]


def _score(
    evaluator: Evaluator, function: int, arguments: tuple[Any, ...], number: int
) -> int:
    score = 0
    symbol = evaluator.world.symbol(function)
    for parameter, argument in zip(symbol.parameters, arguments, strict=False):
        wanted = parse_type(parameter.type).name
        if not wanted:
            continue
        if argument[0] == "lit":
            names = evaluator.dialect.literal_types.get(argument[1], ())
            score += 2 if wanted in names else -5
            continue
        given = evaluator.evaluate(argument, number)
        if given is None or given.kind not in {"value", "external value"}:
            continue
        score += _compare(evaluator, function, wanted, given)
    return score


def _compare(evaluator: Evaluator, function: int, wanted: str, given: Any) -> int:
    world = evaluator.world
    declared = world.find_type(parse_type(wanted), function)
    if given.kind == "external value":
        last = given.name.rpartition(world.separator)[2]
        if last and last == wanted.rpartition(".")[2]:
            return 2
        outside = last in evaluator.dialect.primitives or (
            declared is not None and declared.kind == "type"
        )
        return -5 if last and outside else 0
    if declared is None or declared.kind != "type":
        return -5 if wanted in evaluator.dialect.primitives else 0
    lineage = world.lineage(given.symbols[0])
    if declared.symbols[0] == given.symbols[0]:
        return 3
    return 1 if declared.symbols[0] in lineage else -5
