"""Errors as text for a model: what is wrong and what to do, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop import errors
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import ValidationError

# A message may repeat an argument; the beginning of it is enough.
_MAX_CHARS = 1_000
_MAX_FIELDS = 5

# The nearest class of an error decides. Most messages hold their own advice.
ADVICE: dict[type[errors.OutcropError], str] = {
    errors.OutcropError: "",
    errors.InvariantError: "this is a bug in Outcrop: please report it",
    errors.StorageError: "the person who runs the server can look with: outcrop doctor",
    errors.DiskFullError: "",
    errors.SchemaVersionError: "",
    errors.NotFoundError: "",
    errors.EmbeddingError: "the person who runs the server can look with: outcrop doctor",
}


def explain(error: errors.OutcropError) -> str:
    """Return an error's message, with advice if it holds none."""
    advice = next(ADVICE[kind] for kind in type(error).__mro__ if kind in ADVICE)
    message = tidy(str(error))
    return f"{message}; {advice}" if advice else message


def explain_arguments(tool: str, error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, without repeating them."""
    wrong: dict[str, str] = {}
    problems = error.errors(include_url=False, include_input=False)
    # For an argument of several types, the error of the matching type says more than
    # that of another type.
    for problem in sorted(problems, key=lambda each: each["type"].endswith("_type")):
        wrong.setdefault(".".join(map(str, problem["loc"][:1])), problem["msg"])
    shown = list(wrong.items())[:_MAX_FIELDS]
    reasons = "; ".join(f"{name}: {_lower(reason)}" for name, reason in shown)
    return tidy(f"invalid arguments for {tool}: {reasons}")


def explain_unknown(
    tool: str, given: Iterable[str], known: Mapping[str, object]
) -> str:
    """Return which arguments a tool does not take, and which it takes."""
    names = ", ".join(repr(tidy(name)[:50]) for name in sorted(given)[:_MAX_FIELDS])
    return f"{tool} has no argument {names}; it takes {', '.join(known) or 'none'}"


def tidy(message: str) -> str:
    """Return a message that can be sent: not long, and without lone surrogates."""
    text = replace_surrogates(message.replace("\0", "\ufffd"))
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


def _lower(reason: str) -> str:
    return f"{reason[:1].lower()}{reason[1:]}"
