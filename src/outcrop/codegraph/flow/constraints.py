"""Constraints: what happens with each object that a variable may refer to.

A variable of the analysis stands for a name, attribute, parameter or result of the
program. Its points-to set holds the objects that it may refer to. A constraint belongs
to a variable and is applied to every object in its points-to set.

The reader of a file numbers variables and symbols from 0; `encoded` gives its constraints
the numbers of the whole program. `dst` is the variable that takes the result, None
where the result is dropped. `scope` is the symbol in whose code the constraint is written:
the caller at every call site that the constraint leads to.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Variable: TypeAlias = int
"""The number of a variable of the analysis."""
Symbol: TypeAlias = int
"""The number of a symbol."""
Key: TypeAlias = str | int | None
"""A constant that an item is stored under; None where it is unknown."""


class Copy(NamedTuple):
    """The object is also in `dst`."""

    dst: Variable


class ReadAttribute(NamedTuple):
    """`dst` holds an attribute of the object."""

    dst: Variable
    name: str
    scope: Symbol


class WriteAttribute(NamedTuple):
    """An attribute of the object holds what `src` holds; None is of no interest."""

    name: str
    src: Variable | None
    scope: Symbol


class ReadItem(NamedTuple):
    """`dst` holds an item of the object."""

    dst: Variable
    key: Key
    scope: Symbol


class WriteItem(NamedTuple):
    """An item of the object holds what `src` holds."""

    key: Key
    src: Variable | None
    scope: Symbol


class Call(NamedTuple):
    """The object is called."""

    dst: Variable | None
    args: tuple[Variable | None, ...]
    """Variables of the positional arguments; None for one of no interest."""
    kwargs: tuple[tuple[str, Variable], ...]
    star: Variable | None
    """Variable of what follows `*`."""
    dstar: Variable | None
    """Variable of what follows `**`."""
    scope: Symbol


def call_without_arguments(dst: Variable | None, scope: Symbol) -> Call:
    """Return a call that passes nothing."""
    return Call(dst, (), (), None, None, scope)


class Iterate(NamedTuple):
    """`dst` holds what iterating over the object gives."""

    dst: Variable
    scope: Symbol


class Enter(NamedTuple):
    """The object is a context manager; `dst` holds what entering it gives."""

    dst: Variable
    scope: Symbol


class Raise(NamedTuple):
    """The object is raised."""

    scope: Symbol


class Operate(NamedTuple):
    """An operator calls a special method of the object."""

    dst: Variable
    method: str
    other: Variable | None
    """Variable of the other operand."""
    scope: Symbol


class Slice(NamedTuple):
    """`dst` holds part of a sequence."""

    dst: Variable
    start: int | None
    stop: int | None
    scope: Symbol


class Instantiate(NamedTuple):
    """`dst` holds an instance of the class: `except Class as dst`."""

    dst: Variable


class Super(NamedTuple):
    """`dst` holds super() of the receiver, in the code of a class."""

    dst: Variable
    class_symbol: Symbol


class Decorate(NamedTuple):
    """The object is called as a decorator."""

    dst: Variable
    argument: Variable
    scope: Symbol


class ReadPrefixed(NamedTuple):
    """`dst` holds the attributes whose names start with a prefix."""

    dst: Variable
    prefix: str


class ReadItemBy(NamedTuple):
    """`dst` holds the item under a key that is a value."""

    dst: Variable
    key: Variable
    """Variable of the key."""
    scope: Symbol


class ReadAttributeBy(NamedTuple):
    """`dst` holds the attribute of a name that is a value."""

    dst: Variable
    name: Variable
    """Variable of the name."""
    scope: Symbol


class Derive(NamedTuple):
    """A class is derived from the object."""

    class_symbol: Symbol
    scope: Symbol


class Narrow(NamedTuple):
    """`dst` holds the object if it can be of one of some classes."""

    dst: Variable
    classes: tuple[Variable, ...]
    """Variables of the classes."""


FileConstraint: TypeAlias = (
    Copy | ReadAttribute | WriteAttribute | ReadItem | WriteItem | Call | Iterate
    | Enter | Raise | Operate | Slice | Instantiate | Super | Decorate | ReadPrefixed
    | ReadItemBy | ReadAttributeBy | Derive | Narrow
)  # fmt: skip
"""A constraint that the code of a file gives."""
FILE_CONSTRAINTS: tuple[type[FileConstraint], ...] = (
    Copy, ReadAttribute, WriteAttribute, ReadItem, WriteItem, Call, Iterate, Enter,
    Raise, Operate, Slice, Instantiate, Super, Decorate, ReadPrefixed, ReadItemBy,
    ReadAttributeBy, Derive, Narrow,
)  # fmt: skip


NUMBERS = {kind: number for number, kind in enumerate(FILE_CONSTRAINTS)}
"""The place of each kind of constraint in `FILE_CONSTRAINTS`."""


_VARIABLE, _VARIABLES, _NAMED_VARIABLES, _SYMBOL, _PLAIN = "v", "a", "n", "s", "-"


def _code(annotation: str) -> str:
    """Return what is to be done with a field, by its type."""
    if "Variable" not in annotation:
        return _SYMBOL if "Symbol" in annotation else _PLAIN
    if not annotation.startswith("tuple"):
        return _VARIABLE
    return _NAMED_VARIABLES if "str" in annotation else _VARIABLES


Layouts: TypeAlias = tuple[tuple[type[FileConstraint], str], ...]
LAYOUTS: Layouts = tuple(
    (
        kind,
        "".join(
            _code(getattr(one, "__forward_arg__", str(one)))
            for one in kind.__annotations__.values()
        ),
    )
    for kind in FILE_CONSTRAINTS
)
"""Each kind of constraint, with a letter for each of its fields: `v` a variable or None,
`a` a tuple of these, `n` a tuple of (name, variable), `s` a symbol, `-` anything else."""


# Constraints that only the solver adds; their numbers are those of the program.


class CallFitting(NamedTuple):
    """The object is called, unless it cannot take the arguments."""

    call: Call


class Next(NamedTuple):
    """The object is an iterator; `dst` holds what it gives."""

    dst: Variable | None
    scope: Symbol


class PassAttribute(NamedTuple):
    """`dst` holds the value of an attribute; reading a property calls it."""

    dst: Variable
    scope: Symbol


class BindMember(NamedTuple):
    """`dst` holds a member of a class, bound to its owner where it is a method."""

    dst: Variable
    owner: int
    """The object whose attribute is read."""


class KeyOf(NamedTuple):
    """The object is the key of an item that `dst` holds."""

    container: int
    dst: Variable


class NameOf(NamedTuple):
    """The object is the name of an attribute that `dst` holds."""

    owner: int
    dst: Variable
    scope: Symbol


class Spread(NamedTuple):
    """The object's items are passed on as positional arguments."""

    targets: tuple[Variable, ...]
    rest: Variable | None
    """Variable of the parameter that collects what is left."""


class SpreadNamed(NamedTuple):
    """The object's items are passed on as keyword arguments."""

    targets: tuple[tuple[str, Variable], ...]
    rest: Variable | None


class UpdateContainer(NamedTuple):
    """The object's items become items of a container."""

    container: int


class CallSpecial(NamedTuple):
    """A builtin such as `len` calls a special method of the object."""

    method: str
    dst: Variable | None
    scope: Symbol


class ClassOf(NamedTuple):
    """`dst` holds the class of the object."""

    dst: Variable | None


class ImportNamed(NamedTuple):
    """The object is the name of a module that `dst` holds."""

    dst: Variable


Constraint: TypeAlias = (
    FileConstraint | CallFitting | Next | PassAttribute | BindMember | KeyOf | NameOf
    | Spread | SpreadNamed | UpdateContainer | CallSpecial | ClassOf | ImportNamed
)  # fmt: skip
