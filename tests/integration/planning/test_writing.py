"""Plans on their way into the store, and what becomes of those that were there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from integration.planning.shop import APPLICATION, CART
from integration.store.searches import search_words
from outcrop.errors import StorageError
from outcrop.model.run import RunState
from outcrop.planning.orchestrator import ChunkBuildOrchestrator
from outcrop.planning.plans import ChunkBuildRequest
from outcrop.planning.strategies import PerNodeChunkStrategy
from outcrop.store.runs import PlanRuns


def test_every_node_gets_one_chunk_without_content(shop):
    result = shop.plan()

    chunks = shop.chunks()
    assert len(chunks) == len(shop.graph.nodes) == result.written_chunks
    assert {chunk.content for chunk in chunks} == {""}
    assert not any(chunk.indexable for chunk in chunks)
    total = shop.chunk("cart.Cart.total")
    assert (total.source, total.kind) == ("doc", "explanation")
    assert total.chunk_id == f"{total.node_id}:doc:explanation"
    assert total.section_path == ("cart", "total")
    assert (total.start_line, total.end_line) == (10, 12)
    assert [relation["kind"] for relation in total.relations] == ["CALLS"]
    assert total.pipeline["service"] == {"strategy": "per-node", "priority": 10}


def test_what_is_planned_only_is_not_found(shop):
    shop.plan("adaptive")

    assert search_words(shop.store, "prices of all items") == []
    assert shop.store.unembedded() == []


def test_a_dry_run_writes_nothing_but_its_run(shop):
    result = shop.plan(dry_run=True)

    assert shop.chunks() == []
    run = shop.store.get_run(result.run_id)
    assert run.state == RunState.DONE
    assert run.parameters["dry_run"] is True
    assert run.statistics["skipped_chunks"] == len(shop.graph.nodes)


def test_a_run_can_be_followed_and_keeps_its_statistics(shop):
    result = shop.plan("adaptive")

    run = shop.store.get_run(result.run_id)
    assert (run.kind, run.strategy, run.application_id) == (
        "chunk-build",
        "adaptive",
        APPLICATION,
    )
    assert run.statistics["processed_nodes"] == len(shop.graph.nodes)
    assert run.statistics["written_chunks"] == len(shop.chunks())
    assert run.statistics["duration"] >= 0


def test_planning_again_writes_nothing(shop):
    shop.plan("adaptive")
    before = shop.chunks()

    result = shop.plan("adaptive")

    assert (result.written_chunks, result.deleted_chunks) == (0, 0)
    assert result.skipped_chunks == len(before)
    assert shop.chunks() == before


def test_another_strategy_takes_the_place_of_the_first(shop):
    shop.plan("per-node")
    shop.plan("adaptive")

    strategies = {c.pipeline["service"]["strategy"] for c in shop.chunks()}
    assert strategies == {"adaptive"}

    shop.plan("per-node")

    assert len(shop.chunks()) == len(shop.graph.nodes)


def test_a_chunk_whose_content_stays_keeps_all_it_has(shop):
    shop.plan("adaptive")
    shop.fill()
    before = shop.chunk("cart.add_up")

    shop.write("cart.py", CART.replace('"""Carts."""', '"""Carts."""\n\nMAX = 3'))
    shop.read()
    result = shop.plan("adaptive")

    after = shop.chunk("cart.add_up")
    assert result.written_chunks == 1
    assert after.start_line == before.start_line + 2
    assert after.content == before.content
    assert after.explain_md == before.explain_md
    assert after.embed_ts == before.embed_ts
    assert after.indexable
    assert shop.has_vector(after)


def test_a_chunk_whose_content_changed_starts_afresh(shop):
    shop.plan("adaptive")
    shop.fill()

    shop.write("cart.py", CART.replace("start=0", "start=1"))
    shop.read()
    shop.plan("adaptive")

    changed = shop.chunk("cart.add_up")
    assert (changed.content, changed.explain_md) == ("", None)
    assert not changed.indexable
    assert not shop.has_vector(changed)
    hits = search_words(shop.store, "add_up numbers start")
    assert changed.id not in {match.id for match in hits}

    shop.fill()

    assert "start=1" in shop.chunk("cart.add_up").content


def test_a_node_that_turns_from_code_to_doc_has_one_chunk_at_any_time(shop):
    shop.plan()
    (before,) = [c for c in shop.chunks() if c.title == "report"]
    assert before.source == "code"
    shop.fill()

    shop.write("report.py", '"""Reports."""\n' + shop.read_text("report.py"))
    shop.read()
    result = shop.plan()

    (after,) = [c for c in shop.chunks() if c.title == "report"]
    assert after.source == "doc"
    assert result.deleted_chunks == 1
    hits = search_words(shop.store, "import cart query")
    assert before.id not in {match.id for match in hits}


def test_a_file_that_is_gone_takes_its_chunks_along(shop):
    shop.plan("adaptive")
    (shop.folder / "report.py").unlink()
    shop.read()
    shop.plan("adaptive")

    assert {chunk.path for chunk in shop.chunks()} == {"cart.py"}


def test_new_calls_are_linked_again_and_nothing_else_is_done_again(shop):
    shop.plan("adaptive")
    shop.fill()
    before = shop.chunk("report.report")

    # `add_up` is a class now: `total` says the same and calls something else.
    shop.write("cart.py", CART.replace(
        "def add_up(numbers):\n    return sum(numbers, start=0)",
        "class add_up:\n    def __init__(self, numbers):\n        print(numbers, 1)",
    ))  # fmt: skip
    shop.read()
    shop.plan("adaptive")

    total = shop.chunk("cart.Cart.total")
    assert total.pipeline["done"] == ["extract-snippet", "summarize", "embed"]
    assert total.content
    assert shop.chunk("report.report").pipeline == before.pipeline


def test_a_node_without_a_file_has_a_document_of_its_own(shop):
    package = shop.folder / "deep" / "inner"
    package.mkdir(parents=True)
    (package / "thing.py").write_text("def act():\n    return 1 + 2\n")
    (shop.folder / "Main.java").write_text("package a.b;\nclass Main {}\n")
    shop.read()
    fileless = [node for node in shop.graph.nodes if node.file_path is None]
    assert fileless

    shop.plan()

    for node in fileless:
        assert shop.chunk(node.fqn).path == node.fqn
        assert shop.store.get_document(node.fqn).kind == "symbol"

    assert shop.fill() == []
    assert "class Main" in shop.chunk("a.b").content

    shop.plan("adaptive")

    paths = {document.path for document in shop.store.documents()}
    assert paths.isdisjoint(node.fqn for node in fileless)


def test_a_batch_that_the_database_refuses_leaves_nothing_behind(shop):
    shop.plan(limit_nodes=1)
    before = shop.chunks()

    with pytest.raises(StorageError):
        shop.store.save_plan([_planned(shop, source=None)], application_id=APPLICATION)

    assert shop.chunks() == before


def _planned(shop, **fields):
    node = shop.graph.nodes[-1]
    (plan,) = PerNodeChunkStrategy().build_chunks(node, [])
    return replace(plan, **fields)


def test_planning_can_be_a_part_of_a_run_that_goes_on(shop):
    run = shop.store.create_run("chunk-build", application_id=APPLICATION)
    runs = PlanRuns(shop.store, run_id=run.id)
    request = ChunkBuildRequest(application_id=APPLICATION)

    result = ChunkBuildOrchestrator(shop.store, shop.store, runs).start(request)

    followed = shop.store.get_run(run.id)
    assert result.run_id == run.id
    assert followed.state == RunState.RUNNING
    assert followed.statistics["written_chunks"] == len(shop.graph.nodes)


def test_what_is_linked_with_a_changed_node_is_linked_again(shop):
    shop.plan("adaptive")
    shop.fill()
    text = (
        shop.read_text("report.py") + "\n\ndef again():\n    return add_up([1, 2, 3])\n"
    )
    shop.write("report.py", text.replace("import Cart", "import Cart, add_up"))
    shop.read()

    shop.store.forget_links(shop.replaced.touched | shop.replaced.changed)
    shop.plan("adaptive")
    shop.fill()

    assert "report.again" in shop.chunk("cart.add_up").used_by_md
    assert shop.chunk("cart.Cart").pipeline["done"][-1] == "link-edges"
