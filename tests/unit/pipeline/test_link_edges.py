"""What a chunk uses: the lists of relations, and the tables in its SQL."""

from __future__ import annotations

import pytest

from outcrop.model.edge import EdgeKind, Resolution
from outcrop.pipeline.link_edges import MAX_LINES, LinkEdges, find_tables
from unit.pipeline.chunks import call, make_chunk, make_context, make_node


def link(nodes, edges, **fields):
    chunk = make_chunk(**({"node_id": "shop.pay"} | fields))
    (facts,) = LinkEdges().run([chunk], make_context(nodes, edges))
    return facts.values


PAY = make_node("shop.pay")
SEND = make_node("shop.bank.send")


def test_uses_and_users_are_lists_with_links_to_the_nodes():
    values = link(
        [PAY, SEND, make_node("web.buy")],
        [
            call("shop.pay", "shop.bank.send"),
            call("shop.pay", "requests.post", external=True),
            call("web.buy", "shop.pay"),
        ],
    )

    assert values["uses_md"] == (
        '- calls [`shop.bank.send`](shop/bank.py#L4 "shop.bank.send")\n'
        "- calls `requests.post`"
    )
    assert values["used_by_md"] == '- called by [`web.buy`](web.py#L4 "web.buy")'


def test_a_guess_is_called_one_and_containment_is_no_use():
    values = link(
        [PAY, SEND],
        [
            call("shop.pay", "shop.bank.send", resolution=Resolution.HEURISTIC),
            call("shop.pay", "shop.bank.send", kind=EdgeKind.CONTAINS),
        ],
    )

    assert values["uses_md"].endswith('"shop.bank.send") (probably)')
    assert values["uses_md"].count("\n") == 0


def test_long_lists_are_capped_with_a_count():
    nodes = [make_node(f"m.f{n:03}") for n in range(50)]
    edges = [call(node.id, "shop.pay") for node in nodes]

    lines = link([PAY, *nodes], edges)["used_by_md"].splitlines()

    assert len(lines) == MAX_LINES + 1
    assert lines[-1] == f"- … and {50 - MAX_LINES} more"


def test_nothing_to_say_is_nothing():
    values = link([PAY], [])
    assert (values["uses_md"], values["used_by_md"]) == (None, None)
    assert values["used_objects"] == []


def test_relations_and_symbols_are_for_machines():
    values = link([PAY, SEND], [call("shop.pay", "shop.bank.send", confidence=0.6)])

    assert values["relations"] == [
        {
            "kind": "CALLS",
            "dst_node_id": "shop.bank.send",
            "confidence": 0.6,
            "resolution": "exact",
        }
    ]
    assert values["used_objects"] == [
        {
            "type": "symbol",
            "name": "shop.bank.send",
            "kind": "CALLS",
            "external": False,
            "node_id": "shop.bank.send",
        }
    ]


def test_a_part_of_a_function_has_the_calls_it_makes():
    edges = [
        call("shop.pay", "shop.bank.send"),
        call("shop.pay", "requests.post", external=True),
    ]
    part = {"content": "requests.post(1)", "metadata": {"part": 1, "parts": 2}}

    assert link([PAY, SEND], edges, **part)["uses_md"] == "- calls `requests.post`"


def test_members_that_were_folded_in_bring_their_relations():
    getter = make_node("shop.pay.get")
    values = link(
        [PAY, SEND, getter],
        [call("shop.pay.get", "shop.bank.send"), call("shop.pay", "shop.pay.get")],
        metadata={"folded": [{"id": "shop.pay.get", "fqn": "shop.pay.get"}]},
    )

    assert "shop.bank.send" in values["uses_md"]
    assert values["used_by_md"] is None


@pytest.mark.parametrize(
    ("code", "tables"),
    [
        ('q = "SELECT a FROM users u JOIN public.orders o ON 1"',
         {"users": "read", "public.orders": "read"}),
        ("db.run('insert into log (a) values (1)')", {"log": "write"}),
        ('"""\nUPDATE carts\nSET a = 1\nFROM users\n"""', {"users": "read", "carts": "write"}),
        ("`DELETE FROM ${x} WHERE 1`", {}),
        ('"DELETE FROM old_rows"', {"old_rows": "write"}),
        ('"CREATE TABLE IF NOT EXISTS t (a int)"', {"t": "write"}),
        ('class U:\n    __tablename__ = "users"', {"users": "map"}),
        ('@Table(name = "users")\nclass U {}', {"users": "map"}),
        ("class Meta:\n    db_table = 'users'", {"users": "map"}),
    ],
)  # fmt: skip
def test_tables_in_statements_and_mappings_are_found(code, tables):
    assert find_tables(code) == tables


@pytest.mark.parametrize(
    "code",
    [
        "from shop import cart",
        '"Update the cart from the shop"',
        "# SELECT what you need FROM here",
        '"select one from the list"[0:3] + join(x)',
        "",
    ],
)
def test_prose_and_imports_are_no_statements(code):
    assert "cart" not in find_tables(code)
    assert not {"here", "shop"} & set(find_tables(code))


@pytest.mark.parametrize(
    "code",
    [
        'from_, q = "' + "select " * 50_000 + '"',
        'set_, q = "' + "update " * 50_000 + '"',
    ],
)
@pytest.mark.timeout(5)
def test_statements_without_an_end_are_searched_in_linear_time(code):
    assert find_tables(code) == {}


@pytest.mark.timeout(5)
def test_the_name_of_a_long_target_is_found_in_linear_time():
    target = "a" * 100_000 + ".b c"
    part = {"part": 1, "parts": 2}
    values = link(
        [PAY],
        [call("shop.pay", target, external=True)],
        content="c()",
        metadata=part,
    )
    assert [used["name"] for used in values["used_objects"]] == [target]
