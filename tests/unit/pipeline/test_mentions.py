import pytest

from outcrop.model.edge import EdgeKind
from outcrop.model.node import NodeKind
from outcrop.pipeline.link_edges import LinkEdges
from unit.pipeline.chunks import make_chunk, make_context, make_document, make_node

NODES = [
    make_node("shop.cart.Cart", kind=NodeKind.CLASS),
    make_node("shop.cart.Cart.total", kind=NodeKind.METHOD),
    make_node("shop.order.Order.total", kind=NodeKind.METHOD),
    make_node("shop.cart.empty_cart"),
    make_node("shop.cart", kind=NodeKind.MODULE),
    make_node("shop.cart.size", kind=NodeKind.FIELD),
    make_node("shop.order.Order.weight", kind=NodeKind.FIELD),
    make_node("shop.scale.weight"),
    make_node("shop.scale.scale"),
    make_node("shop.scale", kind=NodeKind.MODULE),
    make_node("crate::cart::fill", lang="rust", name="fill"),
    make_node("shop.Cart.add(int)", name="add", kind=NodeKind.METHOD),
    make_node("shop.Cart.add(int,int)", name="add", kind=NodeKind.METHOD),
]


def mentions(text):
    (facts,) = LinkEdges().run([make_document(text)], make_context(NODES))
    return {edge.dst: str(edge.resolution) for edge in facts.mentions}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See `shop.cart.Cart.total`.", {"shop.cart.Cart.total": "exact"}),
        ("See `shop.cart.Cart.total(x, y)`.", {"shop.cart.Cart.total": "exact"}),
        ("See `Cart`.", {"shop.cart.Cart": "heuristic"}),
        ("See `Cart.total()`.", {"shop.cart.Cart.total": "heuristic"}),
        ("See `empty_cart`.", {"shop.cart.empty_cart": "heuristic"}),
        ("See `shop.cart`.", {"shop.cart": "exact"}),
        ("See `crate::cart::fill`.", {"crate::cart::fill": "exact"}),
        ("See `cart::fill()`.", {"crate::cart::fill": "heuristic"}),
        (
            "See `shop.Cart.add`.",
            {"shop.Cart.add(int)": "exact", "shop.Cart.add(int,int)": "exact"},
        ),
        ("```python\ncart = shop.cart.Cart()\n```\n", {"shop.cart.Cart": "exact"}),
        ("    empty_cart(1)\n", {"shop.cart.empty_cart": "heuristic"}),
        ("Taken from below: `shop.Cart`.", {"shop.cart.Cart": "heuristic"}),
        ("And `shop.Order.total()`.", {"shop.order.Order.total": "heuristic"}),
        ("Not the module: `scale`.", {"shop.scale.scale": "heuristic"}),
    ],
)
def test_names_in_code_font_and_in_blocks_are_found(text, found):
    assert mentions(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "The Cart and empty_cart without any mark.",
        "Two have `total`, so it means neither.",
        "A field, `size`, is too vague.",
        "A field and a function have `weight`.",
        "```\nempty_cart = 1\ncart = 2\n```\n",
        "`nothing.like.it` and `os.path`",
        "Out of order: `Cart.shop.total`, `other.shop.Cart`.",
        "",
    ],
)
def test_other_words_are_no_mentions(text):
    assert mentions(text) == {}


def test_a_symbol_is_mentioned_once_and_certainty_wins_in_order():
    text = "`shop.cart.Cart`, again `Cart` and\n\n```\nCart()\n```\n"
    (facts,) = LinkEdges().run([make_document(text)], make_context(NODES))

    (edge,) = facts.mentions
    assert (edge.kind, edge.confidence) == (EdgeKind.MENTIONS, 1.0)
    assert edge.src == facts.chunk_id


def test_a_chunk_of_code_has_no_mentions():
    (facts,) = LinkEdges().run([make_chunk("`Cart`")], make_context(NODES))
    assert facts.mentions is None


def test_a_plain_word_is_less_certain_than_a_name_and_a_call():
    (word,) = LinkEdges().run([make_document("`scale`")], make_context(NODES))
    (name,) = LinkEdges().run([make_document("`scale()`")], make_context(NODES))

    assert word.mentions[0].confidence < name.mentions[0].confidence
