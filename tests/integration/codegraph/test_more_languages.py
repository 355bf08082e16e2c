"""Definitions of the languages that are read at the structural level."""

from __future__ import annotations

import pytest

from outcrop.codegraph import build
from outcrop.codegraph.languages import language_of, languages
from outcrop.model.edge import EdgeKind

PROGRAMS = {
    "a.c": (
        (
            "/* Adds. */\nint add(int a, int b) { return a + b; }\n"
            "struct Point { int x; };\nenum Color { RED };\n"
        ),
        {
            ("FUNCTION", "add", "Adds."),
            ("CLASS", "Point", None),
            ("FIELD", "Point.x", None),
            ("ENUM", "Color", None),
            ("FIELD", "Color.RED", None),
        },
    ),
    "a.cpp": (
        (
            "namespace shop {\n// A cart.\nclass Cart {\n public:\n  int total() { return 1; }\n"
            "  int count;\n};\n}\nvoid shop::Cart::clear() {}\n"
        ),
        {
            ("MODULE", "shop", None),
            ("CLASS", "shop::Cart", "A cart."),
            ("METHOD", "shop::Cart::total", None),
            ("FIELD", "shop::Cart::count", None),
            ("FUNCTION", "shop::Cart::clear", None),
        },
    ),
    "a.rb": (
        (
            "module Shop\n  # A cart.\n  class Cart\n    LIMIT = 1\n    def total(a)\n      a\n"
            "    end\n  end\nend\n"
        ),
        {
            ("MODULE", "Shop", None),
            ("CLASS", "Shop::Cart", "A cart."),
            ("FIELD", "Shop::Cart::LIMIT", None),
            ("METHOD", "Shop::Cart::total", None),
        },
    ),
    "a.php": (
        (
            "<?php\nnamespace Shop;\n/**\n * A cart.\n */\nclass Cart {\n  private int $n = 1;\n"
            "  public function total(): int { return 1; }\n}\nfunction helper() {}\n"
        ),
        {
            ("CLASS", "Shop\\Cart", "A cart."),
            ("FIELD", "Shop\\Cart\\n", None),
            ("METHOD", "Shop\\Cart\\total", None),
            ("FUNCTION", "Shop\\helper", None),
        },
    ),
    "a.swift": (
        (
            "/// A cart.\nclass Cart {\n  let n: Int = 1\n  func total() -> Int { return 1 }\n}\n"
            "protocol Priced { func price() }\nfunc helper() {}\n"
        ),
        {
            ("CLASS", "Cart", "A cart."),
            ("FIELD", "Cart.n", None),
            ("METHOD", "Cart.total", None),
            ("INTERFACE", "Priced", None),
            ("METHOD", "Priced.price", None),
            ("FUNCTION", "helper", None),
        },
    ),
    "a.scala": (
        (
            "package shop\n/** A cart. */\nclass Cart {\n  val n = 1\n  def total(): Int = 1\n}\n"
            "trait Priced { def price(): Int }\n"
        ),
        {
            ("CLASS", "shop.Cart", "A cart."),
            ("FIELD", "shop.Cart.n", None),
            ("METHOD", "shop.Cart.total", None),
            ("INTERFACE", "shop.Priced", None),
            ("METHOD", "shop.Priced.price", None),
        },
    ),
    "a.lua": (
        "-- Adds.\nlocal function add(a)\n  return a\nend\nfunction Cart.total(b)\nend\n",
        {("FUNCTION", "add", "Adds."), ("FUNCTION", "Cart.total", None)},
    ),
    "a.sh": (
        "# Says hello.\nhello() {\n  echo hello\n}\n",
        {("FUNCTION", "hello", "Says hello.")},
    ),
}


def test_every_structural_language_has_a_program():
    structural = {one.name for one in languages().values() if one.level == "structural"}
    missing = structural - {language_of(name) for name in PROGRAMS}
    assert not missing, "add a program with its definitions to PROGRAMS"


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_definitions_and_their_comments_are_found(name, tmp_path):
    text, expected = PROGRAMS[name]
    (tmp_path / name).write_text(text)
    graph = build(tmp_path, workers=1)
    found = {(str(n.kind), n.fqn, n.doc_comment) for n in graph.nodes[1:]}
    assert found == expected
    assert graph.nodes[0].kind == "MODULE"
    assert not [e for e in graph.edges if e.kind != EdgeKind.CONTAINS]


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_nodes_hold_their_text_verbatim(name, tmp_path):
    text, _ = PROGRAMS[name]
    (tmp_path / name).write_text(text)
    for node in build(tmp_path, workers=1).nodes:
        assert node.source_code == text[node.start_offset : node.end_offset]
