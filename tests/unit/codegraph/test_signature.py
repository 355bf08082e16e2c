"""Where the arguments of a call go."""

from __future__ import annotations

from outcrop.codegraph.flow.file_flow import (
    DOUBLE_STAR,
    KEYWORD,
    PLAIN,
    STAR,
    FileFlow,
    FunctionFlow,
    ParameterFlow,
)
from outcrop.codegraph.flow.functions import Functions, Signature
from outcrop.codegraph.flow.unit import Unit

PARAMETERS = (
    ParameterFlow("self", 0, PLAIN),
    ParameterFlow("item", 1, PLAIN),
    ParameterFlow("rest", 2, STAR),
    ParameterFlow("key", 3, KEYWORD),
    ParameterFlow("others", 4, DOUBLE_STAR),
)


def functions_of(parameters):
    function = FunctionFlow("method", parameters, 5, None, 1, [])
    empty = dict.fromkeys(FileFlow._fields, ())
    flow = FileFlow(**{**empty, "variables": 6, "functions": {1: function}})
    functions = Functions()
    functions.units.append(Unit("a.py", "a", flow, 100, 10, is_package=False))
    return functions


def test_a_function_takes_arguments_from_its_first_parameter_on():
    found = functions_of(PARAMETERS).signature(11, bound=False)

    by_name = {"self": 100, "item": 101, "key": 103}
    assert found == Signature(
        (100, 101), by_name, 102, 104, None, 105, is_generator=False, passed=[]
    )


def test_the_receiver_of_a_bound_method_is_not_an_argument():
    found = functions_of(PARAMETERS).signature(11, bound=True)

    assert found[:4] == ((101,), {"item": 101, "key": 103}, 102, 104)
    assert found.receiver == 100


def test_the_first_of_two_parameters_with_one_name_counts():
    twice = (ParameterFlow("a", 0, PLAIN), ParameterFlow("a", 1, PLAIN))

    found = functions_of(twice).signature(11, bound=False)

    assert found[:4] == ((100, 101), {"a": 100}, None, None)
