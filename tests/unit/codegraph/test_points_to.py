"""Moving objects along constraints, in C and in Python."""

from __future__ import annotations

import subprocess
import sys
from array import array
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.codegraph.flow import objects
from outcrop.codegraph.flow.constraints import Copy
from outcrop.codegraph.flow.points_to import Limits, PointsTo
from outcrop.text.native import load_native

NATIVE = load_native("outcrop.codegraph")
needs_native = pytest.mark.skipif(
    NATIVE is None, reason="the module was not built: python hatch_build.py"
)
VARIABLES = 12
OBJECTS = 40
KINDS = [(objects.FUNC, objects.CLS, objects.INST, objects.EXT)[n % 4] for n in range(OBJECTS)]  # fmt: skip
LIMITS = Limits(objects=4, narrow_objects=2, definitions=6, budget=400)


class Act(NamedTuple):
    """A constraint that does something to the points-to sets."""

    what: int
    first: int
    second: int


class Other(NamedTuple):
    """A constraint that is equal to an `Act` as a tuple, and does nothing."""

    what: int
    first: int
    second: int


class Read(NamedTuple):
    """A read of an attribute: of some objects it is known, the others do nothing."""

    dst: int
    name: str
    scope: int


class Raising(NamedTuple):
    """A constraint without a handler."""


class Gather(NamedTuple):
    """A constraint with lists of variables."""

    variables: tuple[int, ...]
    named: tuple[tuple[str, int], ...]


LAYOUTS = (
    (Act, "-vv"),
    (Other, "---"),
    (Copy, "v"),
    (Read, "v-s"),
    (Raising, ""),
    (Gather, "an"),
)
NUMBERS = {kind: number for number, (kind, _) in enumerate(LAYOUTS)}
FIRST = 5
"""The first variable of the second of two files."""
SYMBOLS = 100
"""Its first symbol."""


def _act(sets, act, found):
    sets.log.append((act.what, act.first, act.second, found))
    if act.what == 0:
        sets.copy(act.first, act.second)
    elif act.what == 1:
        sets.add_one(act.first, found)
    elif act.what == 2:
        sets.wait(act.first, Act(found % 2, act.second, found % VARIABLES))
    elif act.what == 3:
        sets.add(act.first, [found, act.second, (found + act.second) % OBJECTS])
    elif sets.made < 20:
        sets.made += 1
        sets.copy(act.first, sets.new_variable())


def _note(sets, other, found):
    sets.log.append((*other, found, "other"))


def _note_read(sets, read, found):
    sets.log.append((*read, found, "read"))
    if read.scope % SYMBOLS == 1:  # is known the next time
        sets.read_as[found, read.name] = read.dst
    elif read.scope % SYMBOLS == 2:
        sets.read_from[found, read.name] = read.dst


def _subclass(base):
    class Sets(base):
        def __init__(self, constraints, limited):
            handlers = {Act: _act, Other: _note, Read: _note_read}
            super().__init__(VARIABLES, KINDS, handlers, Copy, Read, LAYOUTS, LIMITS)
            self.log, self.made = [], 0
            self.read_from[1, "a"] = self.read_from[6, "b"] = 3
            self.read_as[2, "a"] = self.read_as[6, "b"] = 5
            files = [[], []]
            for variable, own in constraints.items():
                files[variable >= FIRST] += [(variable, one) for one in own]
            self.constrain(*_encoded(files[0], 0), 0, 0)
            self.constrain(*_encoded(files[1], FIRST), FIRST, SYMBOLS)
            self.limit(limited)

        def admits(self, variable, found):
            return (variable + found) % 3 > 0

    return Sets


def _encoded(rows, first):
    """Return constraints of a file, those of a variable not all in one place.

    They are on its own variables, from `first` on.
    """
    numbers, constants = array("i"), []
    for variable, constraint in rows[::2] + rows[1::2]:
        kind = NUMBERS[type(constraint)]
        numbers.extend([variable - first, kind])
        for code, field in zip(LAYOUTS[kind][1], constraint, strict=True):
            if code == "-":
                constants.append(field)
                numbers.append(len(constants) - 1)
            else:
                numbers.append(field % (VARIABLES - first) if code == "v" else field)
    return numbers.tobytes(), constants


def _outcome(base, constraints, limited, steps):
    sets = _subclass(base)(constraints, limited)
    for step in steps:
        {
            "copy": sets.copy,
            "add": sets.add,
            "add_one": sets.add_one,
            "wait": sets.wait,
            "propagate": sets.propagate,
        }[step[0]](*step[1:])
    sets.propagate()
    held = [sorted(sets.objects_of(n)) for n in range(VARIABLES + sets.made)]
    return held, sets.log, sets.work, sets.unfollowed, sets.saturated


variables = st.integers(0, VARIABLES - 1)
found = st.integers(0, OBJECTS - 1)
acts = st.builds(Act, st.integers(0, 4), variables, variables)
constraints = st.one_of(
    acts,
    st.builds(Copy, variables),
    st.builds(Read, variables, st.sampled_from("ab"), st.integers(0, 3)),
    st.builds(Other, st.integers(0, 4), variables, variables),
)
steps = st.one_of(
    st.tuples(st.just("copy"), variables, variables),
    st.tuples(st.just("add"), variables, st.lists(found, max_size=8)),
    st.tuples(st.just("add_one"), variables, found),
    st.tuples(st.just("wait"), variables, constraints),
    st.just(("propagate",)),
)


@needs_native
@given(
    st.dictionaries(variables, st.lists(constraints, min_size=1, max_size=3)),
    st.sets(variables, max_size=3),
    st.lists(steps, max_size=40),
)
@settings(max_examples=300, deadline=None)
def test_c_moves_the_objects_that_python_moves(own, limited, todo):
    assert _outcome(NATIVE.PointsTo, own, limited, todo) == _outcome(
        PointsTo, own, limited, todo
    )


@needs_native
def test_a_variable_with_many_copies_and_constraints_is_the_same_in_c():
    todo = [("add_one", 0, 2)]
    for number in range(60):
        todo += [("copy", 0, number % VARIABLES), ("wait", 0, Act(1, number % 7, 0))]
        todo += [("wait", 0, Other(number, 0, 0)), ("wait", 0, Act(number, 0, 0))]
    assert _outcome(NATIVE.PointsTo, {}, (), todo) == _outcome(PointsTo, {}, (), todo)


@pytest.mark.parametrize("base", [PointsTo, getattr(NATIVE, "PointsTo", PointsTo)])
def test_what_a_handler_raises_ends_the_propagation(base):
    sets = _subclass(base)({0: [Copy(1), Raising()]}, ())
    sets.add_one(0, 3)
    with pytest.raises(KeyError, match="Raising"):
        sets.propagate()


@needs_native
def test_variables_and_objects_that_do_not_exist_are_refused():
    sets = _subclass(NATIVE.PointsTo)({}, [0])
    for call in (
        lambda: sets.copy(0, VARIABLES),
        lambda: sets.copy(-1, 0),
        lambda: sets.add_one(VARIABLES, 0),
        lambda: sets.add_one(0, OBJECTS),
        lambda: sets.objects_of(VARIABLES),
        lambda: sets.constrain(*_encoded([(VARIABLES, Copy(0))], 0), 0, 0),
        lambda: sets.constrain(*_encoded([(0, Copy(VARIABLES - 1))], 0), 1, 0),
        lambda: sets.limit([-1]),
    ):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(TypeError):
        sets.copy(0)
    with pytest.raises(TypeError):
        sets.__init__({}, ())
    with pytest.raises(TypeError):
        NATIVE.PointsTo.__new__(NATIVE.PointsTo).new_variable()


@needs_native
@pytest.mark.parametrize(
    ("numbers", "error"),
    [
        ([0], ValueError),
        ([0, NUMBERS[Copy]], ValueError),
        ([0, NUMBERS[Copy], VARIABLES], IndexError),
        ([0, NUMBERS[Copy], -2], IndexError),
        ([-1, NUMBERS[Copy], 0], ValueError),
        ([0, -1, 0], ValueError),
        ([0, len(LAYOUTS), 0], IndexError),
        ([0, NUMBERS[Read], 1, 1, 0], IndexError),
        ([0, NUMBERS[Gather], 2, 1], ValueError),
        ([0, NUMBERS[Gather], 1, VARIABLES, 0], IndexError),
        ([0, NUMBERS[Gather], -1, 0], ValueError),
        ([0, NUMBERS[Gather], 0, 1, 1, 0], IndexError),
        ([0, NUMBERS[Gather], 0, 2**31 - 1, 0, 0], IndexError),
    ],
)
def test_numbers_that_are_no_constraint_are_refused(numbers, error):
    sets = _subclass(NATIVE.PointsTo)({}, ())
    with pytest.raises(error):
        sets.constrain(array("i", numbers).tobytes(), ["a"], 0, 0)
    with pytest.raises(ValueError, match="no constraints"):
        sets.constrain(array("i", [0, NUMBERS[Copy], 1]).tobytes()[:-1], [], 0, 0)
    sets.constrain(array("i", [0, NUMBERS[Copy], 1]).tobytes(), [], 0, 0)
    sets.add_one(0, 3)
    sets.propagate()
    assert sets.objects_of(1) == [3]


@needs_native
@pytest.mark.parametrize("kind", [Copy, Read])
def test_a_constraint_needs_its_destination(kind):
    sets = _subclass(NATIVE.PointsTo)({}, ())
    fields = [-1, 0, 0][: len(kind._fields)]
    sets.constrain(array("i", [0, NUMBERS[kind], *fields]).tobytes(), ["a"], 0, 0)
    sets.add_one(0, 3)
    with pytest.raises(IndexError):
        sets.propagate()


@needs_native
def test_a_variable_belongs_to_one_file():
    sets = _subclass(NATIVE.PointsTo)({0: [Copy(1)]}, ())
    with pytest.raises(ValueError, match="two files"):
        sets.constrain(*_encoded([(0, Copy(1))], 0), 0, 0)


def test_the_graph_is_the_same_without_the_module_in_c(tmp_path):
    (tmp_path / "shop.py").write_text(
        "class Item:\n    def price(self): return tax(self)\n\n"
        "def tax(item): return item\n\n"
        "def total(items):\n    return [each.price() for each in items]\n\n"
        "ITEMS = [Item(), Item()]\nRESULT = total(ITEMS)\n"
    )
    script = (
        "import sys\nfrom outcrop.codegraph import build\n"
        "from outcrop.codegraph.flow.solver import Solver\n"
        "graph = build(sys.argv[1], 'x', workers=1)\n"
        "print(graph.edges, graph.report, file=sys.stderr)\n"
        "print(Solver.__mro__[1].__module__)\n"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)],
            env={"OUTCROP_PURE": pure},
            capture_output=True,
            text=True,
            check=True,
        )
        for pure in ("1", "0")
    ]
    assert done[0].stderr == done[1].stderr
    assert done[0].stdout == "outcrop.codegraph.flow.points_to\n"
    if NATIVE is not None:
        assert done[1].stdout == "outcrop.codegraph._native\n"
