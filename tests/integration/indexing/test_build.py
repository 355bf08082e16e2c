"""Chunks of code that are planned, filled and found."""

from __future__ import annotations

import socket
import time
from typing import TYPE_CHECKING

import pytest

from outcrop.errors import ConfigError
from outcrop.indexing.config import IndexConfig
from outcrop.pipeline.jobs.open_worker import open_worker
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.runs import PlanRuns

if TYPE_CHECKING:
    from outcrop.indexing.index import Index

pytest.importorskip("procrastinate")

ORDERS = '''\
def create_order(customer):
    """Create an order for a customer."""
    return save(customer)


def save(order):
    return order
'''
ROUTES = '''\
from fastapi import FastAPI

app = FastAPI()


@app.get("/orders/{order_id}")
def read_order(order_id: int):
    """Read one order by its number."""
    return {"id": order_id}
'''
SERVICE = """\
package org.example.orders;

public class OrderService {
    /** Cancels an order. */
    public void cancel(long id) { }
}
"""
BILLING = """\
package org.example.billing;

public class Invoice {
    /** Cancels an invoice. */
    public void cancel(long id) { }
}
"""


@pytest.fixture
def shop(index, project):
    for path, text in {
        "shop/orders.py": ORDERS,
        "shop/routes.py": ROUTES,
        "java/org/example/orders/OrderService.java": SERVICE,
        "java/org/example/billing/Invoice.java": BILLING,
        "web/style.css": ".order { color: red; }\n",
    }.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)
    return index


def verbatim(project, hit) -> str:
    return (project / hit.path).read_text()[hit.start_offset : hit.end_offset]


def hit_of(index: Index, symbol: str, query: str):
    found = [hit for hit in index.search(query, 30) if hit.symbol == symbol]
    assert found, f"{symbol} is not found by {query!r}"
    return found[0]


def test_row_3_34_a_file_that_starts_with_a_definition_shows_the_text_of_each(
    shop, project
):
    shop.build(strategy="per-node")
    function = hit_of(shop, "shop.orders.create_order", "create an order")
    module = hit_of(shop, "shop.orders", "create an order")
    assert function.start_offset == module.start_offset == 0
    assert module.content == ORDERS
    assert function.content == verbatim(project, function)
    assert function.content.startswith("def create_order")
    assert "def save" not in function.content


def test_row_3_34_an_endpoint_and_its_handler_show_their_own_texts(shop, project):
    shop.build(strategy="per-node")
    hits = {
        hit.symbol: hit
        for hit in shop.search("read one order by its number", 30)
        if hit.path == "shop/routes.py"
    }
    endpoint = next(hit for symbol, hit in hits.items() if "/orders/" in symbol)
    handler = hits["shop.routes.read_order"]
    for hit in (endpoint, handler):
        assert hit.content == verbatim(project, hit)
        stored = shop.store.get_chunks([hit.id])[0]
        assert stored.metadata["fqn"] == hit.symbol
    assert endpoint.node_id != handler.node_id


def test_row_3_33_the_index_of_a_chunk_counts_within_its_node(shop):
    shop.build(strategy="per-node")
    chunks = shop.store.chunks_of("shop/orders.py")
    assert {chunk.chunk_index for chunk in chunks} == {0}
    assert [chunk.place for chunk in chunks] == list(range(len(chunks)))
    shop.build(strategy="adaptive")
    chunks = shop.store.chunks_of("shop/orders.py")
    assert [chunk.place for chunk in chunks] == list(range(len(chunks)))
    assert {chunk.chunk_index for chunk in chunks} == {0}


def test_row_3_66_a_hit_of_per_node_has_the_source_and_the_rendered_text(shop, project):
    shop.build(strategy="per-node")
    hit = hit_of(shop, "shop.orders.create_order", "create an order")
    assert hit.content == verbatim(project, hit)
    assert hit.signature == "def create_order(customer)"
    assert "### `shop.orders.create_order`" in hit.documentation
    assert "Create an order for a customer." in hit.documentation
    whole = shop.get(hit.id)
    assert (whole.content, whole.documentation) == (hit.content, hit.documentation)


def test_rendered_documentation_of_code_is_found_as_code(shop):
    shop.build(strategy="per-node")
    hits = shop.search("create an order", kind="code")
    assert hits[0].symbol == "shop.orders.create_order"


def test_row_3_67_later_runs_keep_the_strategy(shop, project):
    shop.build(strategy="per-node")
    ids = {chunk.id for chunk in shop.store.chunks_of("shop/orders.py")}
    shop.index()
    assert {chunk.id for chunk in shop.store.chunks_of("shop/orders.py")} == ids
    (project / "shop/orders.py").write_text(f"{ORDERS}\n\ndef drop(order):\n    pass\n")
    shop.index()
    chunks = shop.store.chunks_of("shop/orders.py")
    assert ids < {chunk.id for chunk in chunks}
    assert {c.pipeline["service"]["strategy"] for c in chunks} == {"per-node"}
    assert hit_of(shop, "shop.orders.drop", "drop order").content.startswith("def drop")


def test_row_3_67_the_strategy_is_a_setting_of_the_index(shop):
    shop.config = IndexConfig(workers=1, strategy="per-node")
    shop.index()
    first = {chunk.id for chunk in shop.store.chunks_of("shop/orders.py")}
    assert any(":doc:explanation" in c.chunk_id for c in shop.store.get_chunks(first))
    assert shop.search("color red", 1)[0].path == "web/style.css"
    shop.config = IndexConfig(workers=1)
    report = shop.index()
    assert not report.wrote
    shop.config = IndexConfig(workers=1, strategy="adaptive")
    shop.index()
    chunks = shop.store.chunks_of("shop/orders.py")
    assert {c.pipeline["service"]["strategy"] for c in chunks} == {"adaptive"}
    assert not [d for d in shop.documents() if d.kind == "symbol"]


def test_row_3_67_a_build_and_an_index_run_of_a_strategy_give_the_same(shop):
    shop.build(strategy="per-node")
    built = contents(shop)
    shop.index()
    assert contents(shop) == built
    shop.config = IndexConfig(workers=1, strategy="adaptive")
    shop.index()
    shop.config = IndexConfig(workers=1, strategy="per-node")
    shop.index()
    assert contents(shop) == built


def contents(index: Index):
    return {
        (chunk.path, chunk.chunk_id): (
            chunk.content, chunk.content_raw, chunk.place, chunk.chunk_index,
            chunk.uses_md, chunk.used_by_md, chunk.explain_md, chunk.indexable,
        )
        for document in index.documents()
        for chunk in index.store.chunks_of(document.path)
    }  # fmt: skip


def test_row_3_67_an_unknown_strategy_is_rejected():
    with pytest.raises(ConfigError, match="per-node, adaptive"):
        IndexConfig(strategy="by-mood")


def plan(index: Index, **request) -> int:
    index.build_graph(application="shop")
    orchestrator = ChunkBuildOrchestrator(
        index.store, index.store, PlanRuns(index.store)
    )
    return orchestrator.start(
        ChunkBuildRequest(application_id="shop", **request)
    ).run_id


def worker(index: Index):
    return open_worker(index._database, LocalEmbedder(), folder=index.project)


def test_row_3_35_a_worker_fills_what_the_orchestrator_planned(shop, project):
    plan(shop)
    assert not shop.search("create an order", 5)
    worker(shop).run(until_idle=True)
    hit = hit_of(shop, "shop.orders.create_order", "create an order")
    assert hit.content == verbatim(project, hit)
    run = shop.runs(1)[0]
    assert (run.kind, run.state, run.application_id) == ("chunk-build", "done", "shop")
    assert run.statistics["chunks"]["open"] == 0
    worker(shop).run(until_idle=True)
    assert shop.runs(1)[0].id == run.id


def test_row_3_35_plans_that_wait_are_filled_by_a_worker(shop):
    built = shop.build(strategy="per-node", wait=False)
    assert (built.run, shop.run(built.run_id).state) == (None, "running")
    assert built.standing.open > 0
    assert not shop.search("create an order", 5)
    worker(shop).run(until_idle=True)
    assert shop.run(built.run_id).state == "done"
    assert hit_of(shop, "shop.orders.create_order", "create an order")


def test_row_3_70_a_build_returns_its_run(shop):
    built = shop.build("shop", include_kinds=["function"], limit=2, batch_size=50)
    assert (built.run.state, built.run.id) == ("done", built.run_id)
    assert built.planned.processed_nodes > 0
    assert {hit.path.partition("/")[0] for hit in shop.search("order", 30)} == {"shop"}


def test_row_3_70_a_dry_run_writes_nothing(shop):
    built = shop.build(dry_run=True)
    assert (built.run_id, built.run) == (0, None)
    assert built.planned.skipped_chunks > 0
    assert not shop.documents()
    assert not shop.runs()


def test_row_3_15_relations_are_left_out_on_request(shop):
    shop.build(strategy="per-node", with_edges_relations=False, limit=1000, wait=False)
    chunks = shop.store.chunks_of("shop/orders.py")
    assert [chunk.relations for chunk in chunks] == [[]] * len(chunks)


def test_row_3_32_chunks_are_as_fresh_as_their_last_save(shop):
    shop.build(strategy="per-node", wait=False)
    planned = shop.store.chunks_of("shop/orders.py")
    assert all(chunk.freshness_at is not None for chunk in planned)
    shop.index()
    indexed = shop.store.chunks_of("shop/orders.py")
    assert all(chunk.freshness_at is not None for chunk in indexed)


@pytest.mark.parametrize("package", ["org.example.orders", "org/example/orders"])
def test_row_3_65_a_search_can_be_restricted_to_a_package(shop, package):
    shop.index()
    everywhere = {hit.path for hit in shop.search("cancel", 10)}
    assert len(everywhere) > 1
    found = shop.search("cancel", 10, package=package)
    assert {hit.path for hit in found} == {"java/org/example/orders/OrderService.java"}
    assert shop.context("cancel", package=package).pieces
    outer = {hit.path for hit in shop.search("cancel", 10, package="org.example")}
    assert len(outer) == 2
    assert not shop.search("cancel", 10, package="org.exam")


@pytest.mark.parametrize("package", ["github.com/harbour", "github.com/harbour/v1.2"])
def test_a_package_of_go_is_named_as_its_imports_are(index, project, package):
    (project / "go.mod").write_text("module github.com/harbour/v1.2\n")
    fees = "".join(f"\tif berth == {n} {{\n\t\treturn {n}\n\t}}\n" for n in range(60))
    code = f"package harbour\n\nfunc Fee(berth int) int {{\n{fees}\treturn 1\n}}\n"
    (project / "fee.go").write_text(code)
    index.index()

    found = index.search("fee", 10, package=package)

    assert "Fee" in {hit.symbol.rpartition(".")[2] for hit in found if hit.symbol}
    assert not index.search("fee", 10, package="github.com/harb")


def test_row_3_45_a_summarizer_that_is_down_leaves_the_chunks_searchable(
    shop, monkeypatch
):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    began = time.monotonic()
    built = shop.build(strategy="adaptive", summarizer="openai:m")
    assert time.monotonic() - began < 50
    run = built.run
    assert run.state == "done", (run.statistics, run.errors)
    assert shop.search("create an order", 5), (run.statistics, run.errors)
    stages = run.statistics["stages"]
    assert stages["summarize"]["done"] == 0
    assert stages["summarize"]["failed"] == stages["embed"]["done"] > 3
    assert stages["link-edges"]["done"] == stages["embed"]["done"]
    assert "127.0.0.1 cannot be reached" in str(run.errors)

    assert shop.build(summarizer="openai:m").run.statistics["stages"] == {}

    monkeypatch.setenv("OPENAI_BASE_URL", "")
    again = shop.build(retry_failed=True)
    assert set(again.run.statistics["stages"]) == {"summarize"}
    assert again.run.statistics["stages"]["summarize"]["failed"] == 0
    assert shop.search("create an order", 1)[0].explanation
