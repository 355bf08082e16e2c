import pytest

from outcrop.errors import ConfigError
from outcrop.planning.strategies import AdaptiveChunkStrategy, SourceText
from outcrop.text.tokens import TokenCounter
from unit.planning.nodes import contents, plan_source

PYTHON = '''\
"""Carts and what is in them, for the shop and for its tests."""

from decimal import Decimal

LIMIT = Decimal("10000.00")  # what one cart may cost, in the currency of the shop


# A cart belongs to one customer.
class Cart:
    """What a customer wants to buy."""

    def __init__(self, items):
        self.items = items

    # Sums up prices.
    def total(self):
        """Add up the prices of all items in the cart."""
        return sum((item.price for item in self.items), start=Decimal())


def is_full(cart):
    return cart.total() >= LIMIT and not any(item.is_free for item in cart.items)
'''

JAVA = """\
package shop;

/** What a customer wants to buy. */
public class Cart {
    private int count;

    public int getCount() {
        return count;
    }

    /** Adds up the prices. */
    public int total() {
        int sum = 0;
        for (Item item : items) { sum += item.price(); }
        return sum;
    }
}
"""


def test_each_definition_is_a_chunk_with_the_comment_above_it(tmp_path):
    plans = plan_source(tmp_path, "cart.py", PYTHON)

    assert [plan.title for plan in plans] == [
        "cart",
        "cart.Cart",
        "cart.Cart.total",
        "cart.is_full",
    ]
    texts = contents(plans)
    assert texts[1].startswith("# A cart belongs")
    assert texts[2].startswith("    # Sums up")
    assert texts[2].endswith("start=Decimal())")


def test_a_trivial_member_is_folded_into_its_class(tmp_path):
    plans = plan_source(tmp_path, "cart.py", PYTHON)

    head = plans[1]
    assert "def __init__" in (head.text or "")
    assert [each["fqn"] for each in head.metadata["folded"]] == ["cart.Cart.__init__"]
    assert not any(plan.title == "cart.Cart.__init__" for plan in plans)


def test_documentation_stays_beside_its_code_in_java_too(tmp_path):
    plans = plan_source(tmp_path, "Cart.java", JAVA)

    texts = dict(zip([plan.title for plan in plans], contents(plans), strict=True))
    assert set(texts) == {"shop.Cart", "shop.Cart.total"}
    assert "package shop;" in texts["shop.Cart"]
    assert "getCount" in texts["shop.Cart"]
    assert texts["shop.Cart.total"].lstrip().startswith("/** Adds up")
    assert texts["shop.Cart.total"].endswith("}\n}")


def test_a_plan_says_what_it_is(tmp_path):
    plan = plan_source(tmp_path, "cart.py", PYTHON)[2]

    assert plan.id == f"{plan.node_id}:code:snippet"
    assert (plan.source, plan.kind, plan.lang) == ("code", "snippet", "python")
    assert plan.section_path == ("cart", "Cart", "total")
    assert plan.metadata["fqn"] == "cart.Cart.total"
    assert plan.metadata["node_kind"] == "METHOD"
    assert plan.metadata["signature"] == "def total(self)"
    assert plan.span_lines == (15, 18)
    assert plan.pipeline.service.priority == 10
    assert [r.kind for r in plan.relations] == ["CALLS", "CALLS"]


def test_a_function_over_the_limit_is_cut_by_syntax_with_its_signature(tmp_path):
    body = "".join(
        f"    step_{n} = compute(first={n}, second=None)\n" for n in range(60)
    )
    plans = plan_source(tmp_path, "big.py", f"def work(a, b):\n{body}", max_tokens=100)

    assert len(plans) > 5
    first, *later = plans
    assert first.prefix == ""
    assert {plan.prefix for plan in later} == {"def work(a, b)\n"}
    assert [plan.chunk_index for plan in plans] == list(range(len(plans)))
    assert later[-1].id == f"{first.node_id}:code:snippet:{len(later)}"
    assert [plan.metadata["part"] for plan in plans] == list(range(len(plans)))
    assert all(text.startswith("    step_") for text in contents(later))
    count = TokenCounter()
    assert all(count(p.prefix + (p.text or "")) <= 100 for p in plans)


def test_a_large_function_is_taken_apart_at_the_functions_inside(tmp_path):
    inner = "".join(
        f"    def step_{n}(value):\n        if value > {n}:\n"
        f"            return compute(value, {n})\n        return None\n\n"
        for n in range(6)
    )
    plans = plan_source(
        tmp_path, "app.py", f"def make_app(config):\n    app = App(config)\n\n{inner}"
        "    return app\n", max_tokens=80,
    )  # fmt: skip

    steps = [f"app.make_app.step_{n}" for n in range(6)]
    assert [plan.title for plan in plans] == ["app.make_app", *steps]
    assert contents(plans)[-1].endswith("return app")


def test_a_small_leftover_joins_what_comes_after_and_a_brace_what_is_before(tmp_path):
    text = (
        "package main\n\nconst size = 3\n\nfunc grow(n int) int {\n\treturn n * size * size\n}\n\n"
        "var last = 1\n"
    )
    plans = plan_source(tmp_path, "main.go", text)

    assert len(plans) == 1
    assert contents(plans) == [text.rstrip()]


def test_a_file_without_a_grammar_is_cut_at_lines():
    text = "".join(f"rule {n} {{\n  match {n}\n}}\n\n" for n in range(30))
    source = SourceText(path="rules.conf", lang=None, text=text)
    plans = AdaptiveChunkStrategy(40).build_file(source, [], {})

    assert len(plans) > 5
    assert {plan.node_id for plan in plans} == {None}
    assert plans[0].id == "rules.conf:code:snippet"
    assert all(text.startswith("rule") for text in contents(plans))


def test_a_line_of_megabytes_is_cut_in_time(tmp_path):
    text = "var data = [" + "1234567, " * 40_000 + "];\n"
    plans = plan_source(tmp_path, "data.js", text)

    assert len(plans) > 100
    assert "".join(contents(plans)).replace(" ", "") == text.strip().replace(" ", "")


def test_code_that_nests_without_end_is_planned_all_the_same(tmp_path):
    depth = 1200
    text = "".join(f"function f{n}() {{\n" for n in range(depth)) + "}\n" * depth
    plans = plan_source(tmp_path, "deep.js", text)

    assert "".join("".join(contents(plans)).split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["", "\n\n  \n"])
def test_a_blank_file_has_no_chunks(tmp_path, text):
    assert plan_source(tmp_path, "empty.py", text) == []


def test_what_moves_keeps_its_id_and_key(tmp_path):
    before = plan_source(tmp_path, "cart.py", PYTHON)[-1]
    moved = PYTHON.replace("LIMIT =", "\n\n# More.\nLIMIT =")
    after = plan_source(tmp_path, "cart.py", moved)[-1]

    assert after.span_lines != before.span_lines
    assert (after.id, after.content_key) == (before.id, before.content_key)


def test_another_body_has_another_key(tmp_path):
    before = plan_source(tmp_path, "cart.py", PYTHON)[-1]
    after = plan_source(tmp_path, "cart.py", PYTHON.replace(">= LIMIT", "> LIMIT"))[-1]

    assert after.id == before.id
    assert after.content_key != before.content_key


def test_a_limit_that_cannot_be_met_is_refused():
    with pytest.raises(ConfigError, match="max_tokens is 3"):
        AdaptiveChunkStrategy(3)
