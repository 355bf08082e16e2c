"""Constraints: what happens with each object that a variable may refer to.

A variable of the analysis stands for a name, attribute, parameter or result of the
program. Its points-to set holds the objects that it may refer to. A constraint belongs
to a variable and is applied to every object in its points-to set.

The reader of a file numbers variables and symbols from 0; `placed` returns a constraint
with the numbers of the whole program. `dst` is the variable that takes the result, None
where the result is dropped. `scope` is the symbol in whose code the constraint stands:
the caller at every call site that the constraint leads to.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

Key: TypeAlias = str | int | None
"""A constant that an item is stored under; None where it is unknown."""


# Makes a tuple without the check of its arguments: most constraints are calls, copies
# and reads of attributes, and there are hundreds of thousands of them.
_new = tuple.__new__


def _placed(variable: int | None, variables: int) -> int | None:
    return None if variable is None else variables + variable


class Copy(NamedTuple):
    """The object is also in `dst`."""

    dst: int

    def placed(self, variables: int, symbols: int) -> Copy:
        """Return it with the numbers of the program."""
        del symbols
        return _new(Copy, (variables + self.dst,))


class ReadAttribute(NamedTuple):
    """`dst` holds an attribute of the object."""

    dst: int
    name: str
    scope: int

    def placed(self, variables: int, symbols: int) -> ReadAttribute:
        """Return it with the numbers of the program."""
        dst, name, scope = self
        return _new(ReadAttribute, (variables + dst, name, symbols + scope))


class WriteAttribute(NamedTuple):
    """An attribute of the object holds what `src` holds; None is of no interest."""

    name: str
    src: int | None
    scope: int

    def placed(self, variables: int, symbols: int) -> WriteAttribute:
        """Return it with the numbers of the program."""
        src = _placed(self.src, variables)
        return WriteAttribute(self.name, src, symbols + self.scope)


class ReadItem(NamedTuple):
    """`dst` holds an item of the object."""

    dst: int
    key: Key
    scope: int

    def placed(self, variables: int, symbols: int) -> ReadItem:
        """Return it with the numbers of the program."""
        return ReadItem(variables + self.dst, self.key, symbols + self.scope)


class WriteItem(NamedTuple):
    """An item of the object holds what `src` holds."""

    key: Key
    src: int | None
    scope: int

    def placed(self, variables: int, symbols: int) -> WriteItem:
        """Return it with the numbers of the program."""
        return WriteItem(self.key, _placed(self.src, variables), symbols + self.scope)


class Call(NamedTuple):
    """The object is called."""

    dst: int | None
    args: tuple[int | None, ...]
    """Variables of the positional arguments; None for one of no interest."""
    kwargs: tuple[tuple[str, int], ...]
    star: int | None
    """Variable of what follows `*`."""
    dstar: int | None
    """Variable of what follows `**`."""
    scope: int

    def placed(self, variables: int, symbols: int) -> Call:
        """Return it with the numbers of the program."""
        dst, args, kwargs, star, dstar, scope = self
        fields = (
            None if dst is None else variables + dst,
            tuple([None if arg is None else variables + arg for arg in args]),
            tuple([(name, variables + arg) for name, arg in kwargs]) if kwargs else (),
            None if star is None else variables + star,
            None if dstar is None else variables + dstar,
            symbols + scope,
        )
        return _new(Call, fields)


def call_without_arguments(dst: int | None, scope: int) -> Call:
    """Return a call that passes nothing."""
    return Call(dst, (), (), None, None, scope)


class Iterate(NamedTuple):
    """`dst` holds what iterating over the object gives."""

    dst: int
    scope: int

    def placed(self, variables: int, symbols: int) -> Iterate:
        """Return it with the numbers of the program."""
        return Iterate(variables + self.dst, symbols + self.scope)


class Enter(NamedTuple):
    """The object is a context manager; `dst` holds what entering it gives."""

    dst: int
    scope: int

    def placed(self, variables: int, symbols: int) -> Enter:
        """Return it with the numbers of the program."""
        return Enter(variables + self.dst, symbols + self.scope)


class Raise(NamedTuple):
    """The object is raised."""

    scope: int

    def placed(self, variables: int, symbols: int) -> Raise:
        """Return it with the numbers of the program."""
        del variables
        return Raise(symbols + self.scope)


class Operate(NamedTuple):
    """An operator calls a special method of the object."""

    dst: int
    method: str
    other: int | None
    """Variable of the other operand."""
    scope: int

    def placed(self, variables: int, symbols: int) -> Operate:
        """Return it with the numbers of the program."""
        other = _placed(self.other, variables)
        return Operate(variables + self.dst, self.method, other, symbols + self.scope)


class Slice(NamedTuple):
    """`dst` holds part of a sequence."""

    dst: int
    start: int | None
    stop: int | None
    scope: int

    def placed(self, variables: int, symbols: int) -> Slice:
        """Return it with the numbers of the program."""
        return Slice(variables + self.dst, self.start, self.stop, symbols + self.scope)


class Instantiate(NamedTuple):
    """`dst` holds an instance of the class: `except Class as dst`."""

    dst: int

    def placed(self, variables: int, symbols: int) -> Instantiate:
        """Return it with the numbers of the program."""
        del symbols
        return Instantiate(variables + self.dst)


class Super(NamedTuple):
    """`dst` holds super() of the receiver, in the code of a class."""

    dst: int
    class_symbol: int

    def placed(self, variables: int, symbols: int) -> Super:
        """Return it with the numbers of the program."""
        return Super(variables + self.dst, symbols + self.class_symbol)


class Decorate(NamedTuple):
    """The object is called as a decorator."""

    dst: int
    argument: int
    scope: int

    def placed(self, variables: int, symbols: int) -> Decorate:
        """Return it with the numbers of the program."""
        return Decorate(
            variables + self.dst, variables + self.argument, symbols + self.scope
        )


class ReadPrefixed(NamedTuple):
    """`dst` holds the attributes whose names start with a prefix."""

    dst: int
    prefix: str

    def placed(self, variables: int, symbols: int) -> ReadPrefixed:
        """Return it with the numbers of the program."""
        del symbols
        return ReadPrefixed(variables + self.dst, self.prefix)


class ReadItemBy(NamedTuple):
    """`dst` holds the item under a key that is a value."""

    dst: int
    key: int
    """Variable of the key."""
    scope: int

    def placed(self, variables: int, symbols: int) -> ReadItemBy:
        """Return it with the numbers of the program."""
        return ReadItemBy(
            variables + self.dst, variables + self.key, symbols + self.scope
        )


class ReadAttributeBy(NamedTuple):
    """`dst` holds the attribute of a name that is a value."""

    dst: int
    name: int
    """Variable of the name."""
    scope: int

    def placed(self, variables: int, symbols: int) -> ReadAttributeBy:
        """Return it with the numbers of the program."""
        return ReadAttributeBy(
            variables + self.dst, variables + self.name, symbols + self.scope
        )


class Derive(NamedTuple):
    """A class is derived from the object."""

    class_symbol: int
    scope: int

    def placed(self, variables: int, symbols: int) -> Derive:
        """Return it with the numbers of the program."""
        del variables
        return Derive(symbols + self.class_symbol, symbols + self.scope)


class Narrow(NamedTuple):
    """`dst` holds the object if it can be of one of some classes."""

    dst: int
    classes: tuple[int, ...]
    """Variables of the classes."""

    def placed(self, variables: int, symbols: int) -> Narrow:
        """Return it with the numbers of the program."""
        del symbols
        return Narrow(
            variables + self.dst,
            tuple([variables + variable for variable in self.classes]),
        )


FileConstraint: TypeAlias = (
    Copy | ReadAttribute | WriteAttribute | ReadItem | WriteItem | Call | Iterate
    | Enter | Raise | Operate | Slice | Instantiate | Super | Decorate | ReadPrefixed
    | ReadItemBy | ReadAttributeBy | Derive | Narrow
)  # fmt: skip
"""A constraint that stands in the code of a file."""
FILE_CONSTRAINTS: tuple[type[FileConstraint], ...] = (
    Copy, ReadAttribute, WriteAttribute, ReadItem, WriteItem, Call, Iterate, Enter,
    Raise, Operate, Slice, Instantiate, Super, Decorate, ReadPrefixed, ReadItemBy,
    ReadAttributeBy, Derive, Narrow,
)  # fmt: skip


# Constraints that only the solver adds; their numbers are those of the program.


class CallFitting(NamedTuple):
    """The object is called, unless it cannot take the arguments."""

    call: Call


class Next(NamedTuple):
    """The object is an iterator; `dst` holds what it gives."""

    dst: int | None
    scope: int


class PassAttribute(NamedTuple):
    """`dst` holds the value of an attribute; reading a property calls it."""

    dst: int
    scope: int


class BindMember(NamedTuple):
    """`dst` holds a member of a class, bound to its owner where it is a method."""

    dst: int
    owner: int
    """The object whose attribute is read."""


class KeyOf(NamedTuple):
    """The object is the key of an item that `dst` holds."""

    container: int
    dst: int


class NameOf(NamedTuple):
    """The object is the name of an attribute that `dst` holds."""

    owner: int
    dst: int
    scope: int


class Spread(NamedTuple):
    """The object's items are passed on as positional arguments."""

    targets: tuple[int, ...]
    rest: int | None
    """Variable of the parameter that collects what is left."""


class SpreadNamed(NamedTuple):
    """The object's items are passed on as keyword arguments."""

    targets: tuple[tuple[str, int], ...]
    rest: int | None


class UpdateContainer(NamedTuple):
    """The object's items become items of a container."""

    container: int


class CallSpecial(NamedTuple):
    """A builtin such as `len` calls a special method of the object."""

    method: str
    dst: int | None
    scope: int


class ClassOf(NamedTuple):
    """`dst` holds the class of the object."""

    dst: int | None


class ImportNamed(NamedTuple):
    """The object is the name of a module that `dst` holds."""

    dst: int


Constraint: TypeAlias = (
    FileConstraint | CallFitting | Next | PassAttribute | BindMember | KeyOf | NameOf
    | Spread | SpreadNamed | UpdateContainer | CallSpecial | ClassOf | ImportNamed
)  # fmt: skip
