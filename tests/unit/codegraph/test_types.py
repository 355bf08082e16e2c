"""Written types reduced to names and arguments."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outcrop.codegraph.typed.types import ARRAY, Type, parse_type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Foo", Type("Foo")),
        ("List<Foo>", Type("List", (Type("Foo"),))),
        ("Map<String, List<Foo>>", Type("Map", (Type("String"), Type("List", (Type("Foo"),))))),
        ("Foo?", Type("Foo")),
        ("*pkg.Foo", Type("pkg.Foo")),
        ("[]*Foo", Type(ARRAY, (Type("Foo"),))),
        ("map[string]Foo", Type("map", (Type(""), Type("Foo")))),
        ("&mut Foo", Type("Foo")),
        ("&'a dyn Shape", Type("Shape")),
        ("std::vec::Vec<T>", Type("std::vec::Vec", (Type("T"),))),
        ("Foo[]", Type(ARRAY, (Type("Foo"),))),
        (": Promise<Foo | null>", Type("Promise", (Type("Foo"),))),
        ("Foo | undefined", Type("Foo")),
        ("Foo | Bar", Type("")),
        ("", Type("")),
    ],
)  # fmt: skip
def test_a_type_is_its_name_and_arguments(text, expected):
    assert parse_type(text) == expected


@given(st.text(alphabet="Foo<>[],.:*&?| ()'", max_size=30))
def test_any_text_is_survived(text):
    assert isinstance(parse_type(text).name, str)
