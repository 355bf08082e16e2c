"""Chunks that all stages went through, read back from the store."""

from __future__ import annotations

from hashlib import sha256

from integration.planning.shop import CART
from integration.store.searches import search_words
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.text.tokens import TokenCounter


def test_all_columns_of_a_chunk_of_code_are_filled(shop):
    shop.plan("adaptive")

    assert shop.fill() == []

    chunk = shop.chunk("cart.Cart.total")
    own = CART[chunk.start_offset : chunk.end_offset]
    assert own.lstrip().startswith("def total")
    assert (chunk.content, chunk.content_raw) == (own, None)
    assert chunk.content_hash == sha256(own.encode()).hexdigest()
    assert chunk.token_count == TokenCounter().count(own)
    assert chunk.lang_detected == "python"
    assert chunk.explain_md.startswith("Add up the prices of all items.")
    assert chunk.explain_quality["model"] == "extractive"
    assert chunk.explain_quality["length"] == len(chunk.explain_md)
    assert chunk.explain_quality["symbol_share"] == 1.0
    assert chunk.embed_model == "outcrop-static-256-v1"
    assert chunk.embed_ts is not None
    assert chunk.freshness_at is not None
    assert "[`cart.add_up`](cart.py#L15" in chunk.uses_md
    assert "called by [`report.report`](report.py#L6" in chunk.used_by_md
    assert chunk.pipeline["done"] == chunk.pipeline["stages"]


def test_filled_chunks_are_found_by_words_and_by_vectors(shop):
    shop.plan("adaptive")
    shop.fill()
    total = shop.chunk("cart.Cart.total")

    words = search_words(shop.store, "add up the prices")

    assert words[0].id == total.id
    assert all(map(shop.has_vector, shop.chunks()))


def test_tables_and_symbols_that_code_uses_are_listed(shop):
    shop.plan("adaptive")
    shop.fill()

    used = shop.chunk("report.report").used_objects

    tables = {o["name"]: o["access"] for o in used if o["type"] == "table"}
    assert tables == {"items": "read", "carts": "read", "log": "write"}
    symbols = {o["name"] for o in used if o["type"] == "symbol"}
    assert {"cart.Cart.__init__", "cart.Cart.total"} <= symbols


def test_documentation_of_a_node_is_rendered(shop):
    shop.plan("per-node")
    shop.fill()

    chunk = shop.chunk("cart.Cart.total")
    assert chunk.content == (
        "### `cart.Cart.total`\n\n```python\ndef total(self)\n```\n\n"
        "Add up the prices of all items."
    )
    assert chunk.lang_detected == "en"
    assert chunk.content_raw == CART[chunk.start_offset : chunk.end_offset]


def test_a_file_that_changed_since_it_was_planned_is_noticed(shop):
    shop.plan("adaptive")
    shop.write("cart.py", CART.replace("class Cart:", "class  Cart:"))

    failed = shop.fill()

    stale = {fact.chunk_id for fact in failed if fact.is_stale}
    assert shop.chunk("cart.Cart.total").id in stale
    assert all("cart.py has changed" in fact.error for fact in failed)
    assert shop.chunk("report.report").content

    shop.read()
    shop.plan("adaptive")

    assert shop.fill() == []
    assert "class  Cart:" in shop.chunk("cart.Cart").content


def test_a_file_that_is_gone_is_noticed(shop):
    shop.plan("adaptive")
    (shop.folder / "cart.py").unlink()

    failed = shop.fill()

    assert failed
    assert all(fact.is_stale and "cart.py was deleted" in fact.error for fact in failed)


def test_facts_about_a_text_that_is_no_more_are_not_written(shop):
    shop.plan("adaptive")
    before = shop.chunk("cart.add_up")
    shop.write("cart.py", CART.replace("start=0", "start=9"))
    shop.read()
    shop.plan("adaptive")

    late = StageOutcome(chunk_id=before.id, values=ChunkValues(content="old text"))
    with shop.store._database.write() as connection:
        assert shop.store.put_facts(connection, [before], [late]) == set()

    assert shop.chunk("cart.add_up").content == ""


def test_stages_run_twice_change_nothing(shop):
    shop.plan("adaptive")
    shop.fill()
    before = shop.chunks()
    with shop.store._database.write() as connection:
        connection.execute("UPDATE chunks SET pipeline = pipeline - 'done'")

    shop.fill()

    def essence(chunk):
        return (chunk.id, chunk.content, chunk.explain_md, chunk.uses_md,
                chunk.used_by_md, chunk.search_hash, chunk.used_objects)  # fmt: skip

    assert list(map(essence, shop.chunks())) == list(map(essence, before))


def test_documents_say_which_language_they_are_written_in():
    config = IndexConfig()
    text = "# Насос\n\nЗапускает насос и ждёт, пока давление не вырастет.\n"
    task = Task(path="a.md", file="", kind="markdown", modified_ns=0)

    prepared = prepare_bytes(task, text.encode(), config)

    assert {chunk.lang_detected for chunk in prepared.chunks} == {"ru"}
