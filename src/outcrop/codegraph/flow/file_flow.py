"""The values of one file: its variables, where they get objects from, its constraints.

All numbers are those of the file: variables and symbols are counted from 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

# How an annotation says what a variable holds.
INSTANCE_OF = 0
"""An instance of the class that the other variable holds."""
CLASS_ITSELF = 1
"""That class, or one derived from it."""
SAME_AS = 2
"""What the other variable holds: a container."""

# Kinds of parameter.
PLAIN = 0
KEYWORD = 1
STAR = 2
DOUBLE_STAR = 3


KEYS = ".keys"
"""Under which a dictionary holds its keys, where they are objects of interest."""
SETTER = ".setter"
"""What follows the name of a property in the name its setter has among members."""


class DefinedFunction(NamedTuple):
    """The function of a symbol."""

    symbol: int


class DefinedClass(NamedTuple):
    """The class of a symbol."""

    symbol: int


class ImportedModule(NamedTuple):
    """`import path`."""

    path: str
    level: int


class ImportedMember(NamedTuple):
    """`from path import name`."""

    path: str
    level: int
    name: str


class UnboundName(NamedTuple):
    """A name that the file does not bind: a star import's, or a builtin."""

    name: str


class Receiver(NamedTuple):
    """An instance of the class, for a method's first parameter."""

    class_symbol: int


class ClassReceiver(NamedTuple):
    """The class itself, for a class method's first parameter."""

    class_symbol: int


class NewContainer(NamedTuple):
    """A container that is made here."""

    type_name: str


class LiteralValue(NamedTuple):
    """A string or a number that may serve as a key."""

    value: str | int


Origin: TypeAlias = (
    DefinedFunction | DefinedClass | ImportedModule | ImportedMember | UnboundName
    | Receiver | ClassReceiver | NewContainer | LiteralValue
)  # fmt: skip
"""Where the object comes from that a variable holds from the start."""
_ORIGINS: tuple[type[Origin], ...] = (
    DefinedFunction, DefinedClass, ImportedModule, ImportedMember, UnboundName,
    Receiver, ClassReceiver, NewContainer, LiteralValue,
)  # fmt: skip


class ParameterFlow(NamedTuple):
    """A parameter of a function."""

    name: str
    variable: int
    kind: int
    """`PLAIN`, `KEYWORD`, `STAR` or `DOUBLE_STAR`."""


class FunctionFlow(NamedTuple):
    """Where the values of a function enter and leave it."""

    kind: str
    """`function`, `method`, `static`, `class` or `property`."""
    parameters: tuple[ParameterFlow, ...]
    result: int
    yields: int | None
    """Variable of what a generator yields; None for a plain function."""
    required: int
    """How many parameters a call has to give."""
    passed: list[int]
    """Positions of the parameters that are returned as they are, so that each call
    gives back its own argument and not those of all other calls."""


class FileFlow(NamedTuple):
    """The values of one file."""

    variables: int
    """How many variables there are."""
    constraints: bytes
    """The constraints, written by `encoded.Encoder`."""
    constants: list[Any]
    """What they name by its place."""
    origins: dict[int, Origin]
    """Where the object comes from that a variable holds from the start, by variable."""
    displays: dict[int, list[tuple[Any, int]]]
    """(key, variable) of the items that a container is made with, by its variable."""
    functions: dict[int, FunctionFlow]
    """The functions by symbol."""
    members: dict[int, dict[str, int]]
    """The names that the module (symbol 0) and each class bind."""
    bases: dict[int, tuple[int, ...]]
    """The variables of each class's bases."""
    paths: dict[int, tuple[int, str]]
    """Variable of an attribute -> (variable of its object, name)."""
    joined: list[int]
    """Variables with more than one source: their binding is not certain."""
    external_calls: list[tuple[int, str]]
    """(scope, name) of calls that are external without doubt."""
    calls: list[tuple[int, int, bool]]
    """(variable, scope, whether it is raised) of all that is called, each once."""
    declared: list[tuple[int, int, int]]
    """(variable, variable that its annotation names, how) of annotated variables."""
    allowed: list[tuple[int, tuple[int | str, ...]]]
    """(variable, classes): the only classes that an annotation allows, each a variable
    or the name of a builtin."""
    decorated: list[tuple[int, int, int, int, bool]]
    """(decorator, result, decorated object), each a variable; then the symbol of the
    definition, -1 inside functions, and whether a call gives the decorator."""
    literals: list[int]
    """Variables of literals."""
    keys: list[int]
    """Variables whose values serve as keys or names."""
    stars: list[tuple[str, int]]
    """(path, level) of `from path import *`."""


_ORIGIN_NUMBERS = {kind: number for number, kind in enumerate(_ORIGINS)}


def pack_flow(flow: FileFlow) -> tuple[Any, ...]:
    """Turn the values of a file into plain tuples, which `marshal` can write."""
    origins = {
        variable: (_ORIGIN_NUMBERS[one.__class__], *one)
        for variable, one in flow.origins.items()
    }
    functions = {
        symbol: (one.kind, tuple(map(tuple, one.parameters)), *one[2:])
        for symbol, one in flow.functions.items()
    }
    return (*flow[:3], origins, flow.displays, functions, *flow[6:])


def unpack_flow(packed: tuple[Any, ...]) -> FileFlow:
    """Undo `pack_flow`."""
    *first, origin_rows, displays, function_rows = packed[:6]
    # As `_make` does, without its checks: there are hundreds of thousands.
    new = tuple.__new__
    origins = {
        variable: new(_ORIGINS[row[0]], row[1:])
        for variable, row in origin_rows.items()
    }
    functions = {
        symbol: FunctionFlow(row[0], tuple(map(ParameterFlow._make, row[1])), *row[2:])
        for symbol, row in function_rows.items()
    }
    return FileFlow._make((*first, origins, displays, functions, *packed[6:]))
