"""Constraints on a cell: what to do with each object that reaches it.

A constraint is a tuple whose first item is one of the numbers below. `dst`, `src`
and the like are cells of the same file, -1 for none; `scope` is the symbol in whose
code the constraint stands, which is the caller of any call it causes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

COPY = 0
"""(dst): the object is also in dst."""
ATTR = 1
"""(dst, name, scope): dst holds the object's attribute."""
SETATTR = 2
"""(name, src, scope): the object's attribute holds what src holds."""
ITEM = 3
"""(dst, key, scope): dst holds the object's item; key None where unknown."""
SETITEM = 4
"""(key, src, scope): the object's item holds what src holds."""
CALL = 5
"""(dst, args, kwargs, star, dstar, scope): the object is called."""
ITER = 6
"""(dst, scope): dst holds what iterating over the object gives."""
ENTER = 7
"""(dst, scope): the object is a context manager; dst holds what it enters to."""
RAISE = 8
"""(scope): the object is raised."""
OPERATE = 9
"""(dst, method, other, scope): an operator calls this special method."""
SLICE = 10
"""(dst, start, stop, site): dst holds part of a sequence."""
INSTANCE = 11
"""(dst): dst holds an instance of the class."""
SUPER = 12
"""(dst, class symbol): dst holds super() of this receiver."""
DECORATE = 13
"""(dst, argument, scope): the object is called as a decorator."""

PREFIX = 14
"""(dst, prefix): dst holds the attributes whose names start so."""
ITEM_BY = 15
"""(dst, cell of the key, scope): dst holds the item under a key that is a value."""
ATTR_BY = 16
"""(dst, cell of the name, scope): dst holds the attribute of a name that is a value."""
SUBCLASS = 17
"""(class symbol, scope): a class is derived from the object."""
NARROW = 18
"""(dst, cells of classes): dst holds the object if it can be of one of them."""

# Seeds: (kind, cell, ...): objects that are in a cell from the start.
FUNCTION = 0
"""(symbol)"""
CLASS = 1
"""(symbol)"""
MODULE = 2
"""(path, level): `import path`."""
MEMBER = 3
"""(path, level, name): `from path import name`."""
NAME = 4
"""(name): a name bound nowhere in the file: a star import's, or a builtin."""
SELF = 5
"""(class symbol): an instance of the class, for a method's first parameter."""
SELF_CLASS = 6
"""(class symbol): the class itself, for a class method's first parameter."""
CONTAINER = 7
"""(type name): a container that is made here."""
LITERAL = 8
"""(value): a string or a number that may serve as a key."""

# How an annotation says what a cell holds.
INSTANCE_OF = 0
"""An instance of the class that the other cell holds."""
CLASS_ITSELF = 1
"""That class, or one derived from it."""
SAME_AS = 2
"""What the other cell holds: a container."""

# Kinds of parameter.
PLAIN = 0
KEYWORD = 1
STAR = 2
DOUBLE_STAR = 3


KEYS = ".keys"
"""Under which a dictionary holds its keys, where they are objects of interest."""
SETTER = ".setter"
"""What follows the name of a property in the name its setter has among members."""


class FunctionFlow(NamedTuple):
    """Where the values of a function enter and leave it."""

    kind: str
    """`function`, `method`, `static`, `class` or `property`."""
    parameters: tuple[tuple[str, int, int], ...]
    """(name, cell, kind of parameter)."""
    result: int
    yields: int
    """Cell of what a generator yields; -1 for a plain function."""
    required: int
    """How many parameters a call has to give."""
    passed: tuple[int, ...]
    """Positions of the parameters that are returned as they are, so that each call
    gives back its own argument and not those of all other calls."""


class FileFlow(NamedTuple):
    """The constraints of one file."""

    cells: int
    """How many cells there are."""
    constraints: dict[int, list[tuple[Any, ...]]]
    seeds: dict[int, tuple[Any, ...]]
    """The object that a cell holds from the start, by cell."""
    displays: dict[int, list[tuple[Any, int]]]
    """(key, cell) of the items that a container is made with, by its cell."""
    functions: dict[int, tuple[Any, ...]]
    """A `FunctionFlow` for each function symbol."""
    members: dict[int, dict[str, int]]
    """The names that the module (symbol 0) and each class bind."""
    bases: dict[int, tuple[int, ...]]
    """The cells of each class's bases."""
    paths: dict[int, tuple[int, str]]
    """Cell of an attribute -> (cell of its object, name)."""
    joined: list[int]
    """Cells with more than one source: their binding is not certain."""
    external_calls: list[tuple[int, str]]
    """(scope, name) of calls that are external without doubt."""
    calls: list[tuple[int, int, bool]]
    """(cell, scope, whether it is raised) of all that is called."""
    declared: list[tuple[int, int, int]]
    """(cell, cell that its annotation names, how): what a cell is said to hold."""
    allowed: list[tuple[int, tuple[int | str, ...]]]
    """(cell, classes): all that an annotation allows a cell to hold, each a cell that
    holds a class or the name of a builtin."""
    decorated: list[tuple[int, int, int]]
    """(cell of a decorator, cell of its result, cell of what it decorates)."""
    literals: list[int]
    """Cells of literals."""
    keys: list[int]
    """Cells whose values serve as keys or names."""
    stars: list[tuple[str, int]]
    """(path, level) of `from path import *`."""
