from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.model.node import NodeKind
from outcrop.planning.strategies import PerNodeChunkStrategy
from outcrop.planning.strategies.per_node import qualified_path, section_path
from unit.planning.nodes import make_node

STRATEGY = PerNodeChunkStrategy()


def plan(*edges, **fields):
    (found,) = STRATEGY.build_chunks(make_node(**fields), edges)
    return found


def test_a_node_without_documentation_becomes_a_snippet_of_code():
    found = plan()

    assert found.id == "id of shop.cart.Cart.total:code:snippet"
    assert (found.source, found.kind, found.lang) == ("code", "snippet", "python")
    assert found.pipeline.stages == (
        "extract-snippet",
        "summarize",
        "embed",
        "link-edges",
    )
    assert found.pipeline.params == {
        "filePath": "shop/cart.py",
        "hasSourceInNode": True,
    }


def test_a_signature_makes_an_explanation():
    found = plan(signature="def total(self) -> int")

    assert found.id == "id of shop.cart.Cart.total:doc:explanation"
    assert (found.source, found.kind) == ("doc", "explanation")
    assert found.pipeline.stages == ("render-doc", "embed", "link-edges")
    assert found.pipeline.params == {
        "signature": "def total(self) -> int",
        "hasDocComment": False,
    }


def test_a_comment_makes_an_explanation_in_the_language_it_is_written_in():
    found = plan(doc_comment="Считает сумму корзины вместе с доставкой.")

    assert (found.source, found.lang) == ("doc", "ru")
    assert found.pipeline.params == {"signature": "", "hasDocComment": True}


def test_blank_documentation_is_none():
    assert plan(signature=" ", doc_comment="\n").source == "code"


def test_place_title_and_path_come_from_the_node():
    found = plan()

    assert found.span_lines == (3, 9)
    assert found.span_chars == (40, 44)
    assert found.title == "shop.cart.Cart.total"
    assert found.section_path == ("shop", "cart", "Cart", "total")
    assert found.path == "shop/cart.py"


def test_a_node_without_a_file_is_stored_under_its_qualified_name():
    found = plan(file_path=None, line_start=None, start_offset=None)

    assert (found.path, found.span_lines, found.span_chars) == (
        "shop.cart.Cart.total",
        None,
        None,
    )
    assert found.pipeline.params["filePath"] == ""


def test_calls_become_relations_as_sure_as_their_label_says():
    sure = Edge(src="a", dst="b", kind=EdgeKind.CALLS)
    guess = Edge(
        src="a",
        dst="c",
        kind=EdgeKind.CALLS,
        resolution=Resolution.HEURISTIC,
        confidence=0.4,
    )
    unlabelled = Edge(src="a", dst="d", kind=EdgeKind.CALLS, confidence=None)
    other = Edge(src="a", dst="e", kind=EdgeKind.EXTENDS)

    found = plan(sure, guess, unlabelled, other).relations

    assert [(r.kind, r.dst_node_id, r.confidence) for r in found] == [
        ("CALLS", "b", 1.0),
        ("CALLS", "c", 0.4),
        ("CALLS", "d", 0.7),
    ]


def test_the_plan_names_its_strategy_and_how_urgent_it_is():
    assert plan(kind=NodeKind.ENDPOINT).pipeline.service.priority == 10
    assert plan(kind=NodeKind.CLASS).pipeline.service.priority == 5
    assert plan(kind=NodeKind.FIELD).pipeline.service.priority == 0
    assert plan().pipeline.service.strategy == "per-node"


def test_the_key_changes_with_the_content_and_with_nothing_else():
    key = plan(signature="def f()").content_key

    assert plan(signature="def f()", line_start=90, start_offset=5).content_key == key
    assert plan(signature="def f(x)").content_key != key
    assert plan(signature="def f()", doc_comment="Now said.").content_key != key


def test_row_3_18_a_node_without_a_package_is_planned():
    assert plan(fqn="pay", package_name=None).section_path == ("pay",)


def test_a_package_that_is_a_path_is_split_at_its_slashes_alone():
    package = "github.com/pkg/errors.v1"
    found = make_node(f"{package}.Frame.Format", package_name=package)

    assert section_path(found) == ("github.com", "pkg", "errors.v1", "Format")
    assert qualified_path(found) == (
        "github.com", "pkg", "errors.v1", "Frame", "Format"
    )  # fmt: skip


def test_row_3_66_the_signature_is_in_the_metadata():
    found = plan(signature="def total(self)")
    assert found.metadata["signature"] == "def total(self)"
