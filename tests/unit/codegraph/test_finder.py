"""Python's definitions are found by walking statements exactly as by the query."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.codegraph.language import Language
from outcrop.codegraph.languages import language
from outcrop.codegraph.languages.python.finder import find_definitions
from outcrop.codegraph.source import Source

_CODE = """
a = b = 1
c: int = lambda x: x
if True:
    d = 2
    def e(): pass
class F(Base, key=lambda: 0):
    g = h = 3
    try:
        i = 4
    except Error as j:
        def k(self):
            self.l = self.m = n = lambda: (yield)
            other.o = 5
            with self.p as q, (lambda: r) as s:
                class T: u = 6
    else:
        @decorator(lambda v: v)
        async def w(self, x=lambda: 1): self.y: int = 7
match z:
    case [lambda_]:
        def aa(): return [lambda bb: bb for cc in lambda: dd]
"a lambda in a string"  # lambda in a comment
for ee in ff:
    while gg: hh = 1
    else:
        def ii(): pass
"""


def _found(code: bytes, *, by_query: bool) -> set[tuple[object, ...]]:
    from tree_sitter import Parser

    python = language("python")
    source = Source(code)
    root = Parser(python.tree_language).parse(source.data).root_node
    if by_query:
        found = Language.definitions(python, root, source)
    else:
        walked = find_definitions(root, source.data)
        if walked is None:
            pytest.skip("a file that only the query reads")
        found = walked
    return {
        (capture, *(part and part.byte_range for part in (node, name, body)))
        for capture, node, name, body in found
        if not capture.startswith("_")
    }


def test_each_kind_of_definition_is_found_as_the_query_finds_it() -> None:
    code = _CODE.encode()

    walked = _found(code, by_query=False)

    assert {row[0] for row in walked} == {"class", "field", "function", "lambda"}
    assert _found(code, by_query=True) == walked


def test_the_project_itself_has_the_same_definitions_either_way() -> None:
    files = sorted(Path(__file__).parents[3].joinpath("src/outcrop").rglob("*.py"))
    for path in files[::7]:
        code = path.read_bytes()

        by_query = _found(code, by_query=True)
        assert by_query == _found(code, by_query=False), path
