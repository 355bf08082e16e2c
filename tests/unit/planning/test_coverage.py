"""Every visible character of a file is in exactly one chunk, to the letter."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcrop.codegraph import build
from outcrop.codegraph.languages import languages
from outcrop.codegraph.parse import parse_file
from outcrop.codegraph.symbols import SymbolTable
from outcrop.planning.strategies import AdaptiveChunkStrategy, SourceText
from outcrop.text.tokens import TokenCounter
from programs import PROGRAMS

ROOT = Path(__file__).parents[3]
COUNT = TokenCounter()
# A class, a function and a comment in each, and text of other alphabets.
SAMPLES = {
    "bash": ("x.sh", '#!/bin/bash\n# Начало\nmain() {\n  echo hi\n}\nmain "$@"\n'),
    "c": ("x.c", "#include <a.h>\n/* adds\n   two */\nint add(int a) { return a; }\n"),
    "cpp": ("x.cpp", "namespace n {\nclass A { int f() { return g(1, 2); } };\n}\n"),
    "lua": ("x.lua", "-- adds\nlocal function add(a)\n  return a + 1\nend\n"),
    "php": ("x.php", "<?php\n/** a */\nclass A { function f($x) { return g($x, 1); } }\n"),
    "ruby": ("x.rb", "# é\nclass A\n  def f(x)\n    g(x, 1)\n  end\nend\n"),
    "scala": ("x.scala", "object A {\n  def f(x: Int) = g(x, 1)\n}\n"),
    "swift": ("x.swift", "/// a\nclass A {\n  func f() -> Int { return g(1) }\n}\n"),
    "tsx": ("x.tsx", "export const A = () => <b>日本</b>;\nfunction f() { return g(1); }\n"),
}  # fmt: skip


def check(text, plans, limit):
    seen = [0] * len(text)
    end = 0
    for plan in plans:
        first, last = plan.span_chars
        assert end <= first < last
        end = last
        assert plan.text == text[first:last]
        assert COUNT(plan.prefix + plan.text + plan.suffix) <= limit
        lines = plan.span_lines
        assert lines[0] <= lines[1]
        for place in range(first, last):
            seen[place] += 1
    assert all(
        count == 1
        for count, character in zip(seen, text, strict=True)
        if not character.isspace()
    )
    assert len({plan.id for plan in plans}) == len(plans)
    rebuilt = "".join(f"{plan.text}{plan.metadata['gap_after']}" for plan in plans)
    assert rebuilt.strip() == text.strip()


def check_tree(folder, limit):
    graph = build(folder, "app", level="local", workers=1)
    nodes = {}
    for node in graph.nodes:
        nodes.setdefault(node.file_path, []).append(node)
    strategy = AdaptiveChunkStrategy(limit)
    for path, facts in graph.facts.items():
        source = SourceText(path=path, lang=facts.lang, text=facts.text)
        check(facts.text, strategy.build_file(source, nodes.get(path, []), {}), limit)
    return {facts.lang for facts in graph.facts.values()}


@pytest.mark.parametrize("limit", [40, 400])
def test_the_programs_of_all_resolved_languages_are_covered_once(limit):
    found = check_tree(ROOT / "tests/integration/codegraph/cases", limit)
    assert found >= {"c-sharp", "go", "java", "javascript", "kotlin", "python", "rust"}


@pytest.mark.parametrize("limit", [60, 400])
def test_this_project_is_covered_once(limit):
    assert "python" in check_tree(ROOT / "src/outcrop/planning", limit)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_whole_trees_of_code_are_covered_once():
    assert check_tree(ROOT / "src", 400)


@pytest.mark.parametrize("lang", PROGRAMS)
@pytest.mark.parametrize("limit", [16, 400])
def test_a_program_of_each_language_is_covered_once(tmp_path, lang, limit):
    name = f"x{languages()[lang].extensions[0]}"
    (tmp_path / name).write_text(PROGRAMS[lang], encoding="utf-8")
    assert check_tree(tmp_path, limit) == {lang}


@pytest.mark.parametrize("lang", SAMPLES)
@pytest.mark.parametrize("limit", [16, 400])
def test_classes_comments_and_other_alphabets_are_covered_once(tmp_path, lang, limit):
    name, text = SAMPLES[lang]
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert check_tree(tmp_path, limit) == {lang}


PIECES = st.sampled_from(
    [
        "class A:\n", "  class B:\n", "def f(a, b):\n", "    def g(self):\n",
        "  x = 1\n", "    return 'é日'\n", "\n", "# note\n", "  # inner\n", "@wrap\n",
        '    """Said."""\n', "if x:\n", "\r\n", "\t", "lambda q: q\n", "pass\n",
        "async def h(): return [\n", "]\n", "  def k(self): pass\n", "\x0c\n", "; y = 2\n",
    ]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=40), st.sampled_from([16, 40, 400]))
def test_python_in_any_order_and_shape_is_covered_once(pieces, limit):
    text = "".join(pieces)
    facts = parse_file("m.py", "python", text.encode())
    nodes = SymbolTable([facts], {"m.py": "m"}, "app").nodes()
    source = SourceText(path="m.py", lang="python", text=facts.text)
    plans = AdaptiveChunkStrategy(limit).build_file(source, nodes, {})

    check(facts.text, plans, limit)
