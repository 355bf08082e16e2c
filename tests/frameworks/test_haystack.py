from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("haystack", reason="make test runs it in .venv-frameworks")

from haystack import Document, Pipeline
from haystack.components.retrievers import (
    AutoMergingRetriever,
    InMemoryBM25Retriever,
    SentenceWindowRetriever,
)
from haystack.components.writers import DocumentWriter
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.utils import Secret

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.adapters.haystack import OutcropDocumentSplitter, OutcropRetriever
from outcrop.errors import ChunkConfigError, InputError

MODULE = "outcrop.adapters.haystack"


def as_documents(texts):
    return [
        Document(content=text, meta={"file_path": path}) for path, text in texts.items()
    ]


def split(texts, **settings):
    return OutcropDocumentSplitter(**settings).run(documents=as_documents(texts))


@pytest.mark.parametrize("hierarchy", [True, False])
@pytest.mark.parametrize("chunk_size", [200, 1000, 4096])
def test_offsets_give_the_text_back(texts, chunk_size, hierarchy):
    made = split(texts, chunk_size=chunk_size, hierarchy=hierarchy)["documents"]
    for document in made:
        text = texts[document.meta["file_path"]]
        start = document.meta["split_idx_start"]
        assert document.content == text[start : document.meta["split_idx_end"]]
        assert document.content == text[start : start + len(document.content)]
    assert len({document.id for document in made}) == len(made)


def test_the_leaves_are_our_chunks(texts):
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300))
    for path, text in texts.items():
        leaves = split({path: text}, chunk_size=300)["leaves"]
        chunks = chunker.chunk_hierarchical(text).get_flat_chunks()
        assert [
            (d.meta["split_idx_start"], d.meta["split_idx_end"]) for d in leaves
        ] == [(chunk.start_offset, chunk.end_offset) for chunk in chunks]
        assert [d.meta["split_id"] for d in leaves] == list(range(len(leaves)))


def test_links_lead_both_ways(texts):
    made = split(texts, chunk_size=300)
    by_id = {document.id: document for document in made["documents"]}
    for document in made["documents"]:
        meta = document.meta
        for child in meta["__children_ids"]:
            assert by_id[child].meta["__parent_id"] == document.id
            assert by_id[child].meta["__level"] == meta["__level"] + 1
            assert by_id[child].content in document.content
        if meta["__parent_id"] is None:
            assert meta["__level"] == 0
        else:
            assert document.id in by_id[meta["__parent_id"]].meta["__children_ids"]
        assert "__block_size" in meta


def test_source_id_is_that_of_the_document(texts):
    given = as_documents(texts)
    made = OutcropDocumentSplitter(300).run(documents=given)["documents"]
    assert {d.meta["source_id"] for d in made} == {document.id for document in given}


def test_leaves_and_sections_are_apart(texts):
    made = split(texts, chunk_size=300)
    assert all(not document.meta["__children_ids"] for document in made["leaves"])
    assert all(document.meta["__children_ids"] for document in made["sections"])
    assert len(made["leaves"]) + len(made["sections"]) == len(made["documents"])


def test_a_flat_list_has_no_links(texts):
    made = split(texts, chunk_size=300, hierarchy=False)
    assert made["sections"] == []
    assert made["leaves"] == made["documents"]
    assert not any("__parent_id" in document.meta for document in made["documents"])


def test_ids_are_the_same_in_every_run(texts):
    first, second = (split(texts, chunk_size=300)["documents"] for _ in range(2))
    assert [document.id for document in first] == [document.id for document in second]


def test_meta_of_the_source_are_copied_for_each_document(texts):
    text = next(iter(texts.values()))
    given = Document(content=text, meta={"tags": ["x"]})
    first, second, *_ = OutcropDocumentSplitter(300).run(documents=[given])["leaves"]
    first.meta["tags"].append("y")
    assert second.meta["tags"] == ["x"]
    assert given.meta == {"tags": ["x"]}


def test_a_document_without_text_is_refused():
    with pytest.raises(InputError, match="'empty' has no text"):
        OutcropDocumentSplitter().run(documents=[Document(id="empty")])


def test_a_wrong_setting_is_named():
    with pytest.raises(ChunkConfigError, match="chunk_size is 0"):
        OutcropDocumentSplitter(0)


def test_auto_merging_puts_a_section_in_place_of_its_chunks(texts):
    made = split(texts, chunk_size=300)
    by_id = {document.id: document for document in made["documents"]}
    store = InMemoryDocumentStore()
    store.write_documents(made["sections"])
    retriever = AutoMergingRetriever(store, threshold=0.5)
    section = next(
        one
        for one in made["sections"]
        if one.meta["__parent_id"] and len(one.meta["__children_ids"]) == 3
        and not any(by_id[c].meta["__children_ids"] for c in one.meta["__children_ids"])
        and len(by_id[one.meta["__parent_id"]].meta["__children_ids"]) > 1
    )  # fmt: skip
    children = [by_id[child] for child in section.meta["__children_ids"]]
    assert retriever.run(documents=children[:2])["documents"] == [section]
    assert retriever.run(documents=children[:1])["documents"] == children[:1]
    assert asyncio.run(retriever.run_async(children[:2]))["documents"] == [section]
    assert all(child.content in section.content for child in children)


def test_merging_loses_no_text(texts):
    for path, text in texts.items():
        made = split({path: text}, chunk_size=300)
        store = InMemoryDocumentStore()
        store.write_documents(made["sections"])
        merged = AutoMergingRetriever(store).run(documents=made["leaves"])["documents"]
        assert len(merged) <= len(made["leaves"])
        assert all(one in made["documents"] for one in merged)
        spans = [
            range(one.meta["split_idx_start"], one.meta["split_idx_end"])
            for one in merged
        ]
        starts = [leaf.meta["split_idx_start"] for leaf in made["leaves"]]
        assert all(any(start in span for span in spans) for start in starts)


def test_a_window_around_a_chunk_is_put_together_from_exact_offsets():
    text = "# T\n\n" + "".join(f"Sentence {n} of the only section. " for n in range(40))
    leaves = split({"a.md": text}, chunk_size=150)["leaves"]
    assert any("prefix" in document.meta for document in leaves)
    store = InMemoryDocumentStore()
    store.write_documents(leaves)
    window = SentenceWindowRetriever(store, window_size=1)
    found = window.run(retrieved_documents=[leaves[3]])
    (context,) = found["context_windows"]
    assert context == "".join(document.content for document in leaves[2:5])
    around = [document.id for document in found["context_documents"]]
    assert around == [document.id for document in leaves[2:5]]


def make_pipeline():
    pipeline = Pipeline()
    pipeline.add_component(
        "splitter", OutcropDocumentSplitter(300, strategy="structural")
    )
    for name in ("leaves", "sections"):
        writer = DocumentWriter(InMemoryDocumentStore())
        pipeline.add_component(f"{name}_writer", writer)
        pipeline.connect(f"splitter.{name}", f"{name}_writer.documents")
    return pipeline


def test_a_pipeline_writes_leaves_and_sections_to_stores_of_their_own(texts):
    result = make_pipeline().run({"splitter": {"documents": as_documents(texts)}})
    made = split(texts, chunk_size=300, strategy="structural")
    assert result["leaves_writer"]["documents_written"] == len(made["leaves"])
    assert result["sections_writer"]["documents_written"] == len(made["sections"])


def test_a_search_over_leaves_ends_in_sections(texts):
    made = split(texts, chunk_size=300)
    leaves, sections = InMemoryDocumentStore(), InMemoryDocumentStore()
    leaves.write_documents(made["leaves"])
    sections.write_documents(made["sections"])
    pipeline = Pipeline()
    pipeline.add_component("find", InMemoryBM25Retriever(leaves, top_k=20))
    pipeline.add_component("merge", AutoMergingRetriever(sections, threshold=0.3))
    pipeline.connect("find", "merge")
    found = pipeline.run({"find": {"query": "float pipe gauge anchors drill"}})
    assert any(
        document.meta["__children_ids"] for document in found["merge"]["documents"]
    )


def test_a_pipeline_is_written_down_as_yaml_and_read_again(texts):
    source = make_pipeline().dumps()
    copy = Pipeline.loads(source, allowed_modules=[MODULE])
    assert copy.dumps() == source
    splitter = copy.get_component("splitter")
    given = as_documents(texts)
    expected = split(texts, chunk_size=300, strategy="structural")["documents"]
    assert [d.id for d in splitter.run(documents=given)["documents"]] == [
        document.id for document in expected
    ]


def test_a_retriever_is_written_down_without_its_secret(monkeypatch):
    monkeypatch.setenv("PLACE_OF_DATABASE", "postgresql://me:hidden@localhost/x")
    pipeline = Pipeline()
    url = Secret.from_env_var("PLACE_OF_DATABASE")
    pipeline.add_component("find", OutcropRetriever("a", database_url=url, top_k=3))
    source = pipeline.dumps()
    assert "hidden" not in source
    assert Pipeline.loads(source, allowed_modules=[MODULE]).dumps() == source


def test_a_retriever_finds_what_the_index_finds(index):
    retriever = OutcropRetriever(str(index.project), top_k=3)
    hits = index.search("when is a table cut?", 3)
    retriever.warm_up()
    found = retriever.run(query="when is a table cut?")["documents"]
    assert [(d.id, d.score) for d in found] == [(hit.id, hit.score) for hit in hits]
    waited = asyncio.run(retriever.run_async("when is a table cut?", top_k=1))
    assert waited["documents"] == found[:1]
    for document in found:
        text = (index.project / document.meta["file_path"]).read_bytes().decode()
        start, end = document.meta["split_idx_start"], document.meta["split_idx_end"]
        assert text[start:end] in document.content
    retriever.close()
    retriever.close()
    assert retriever.run(query="tide", top_k=1)["documents"]
    retriever.close()


def test_a_retriever_is_part_of_a_pipeline(index):
    pipeline = Pipeline()
    retriever = OutcropRetriever(str(index.project), path_glob="docs/examples/*")
    pipeline.add_component("find", retriever)
    found = pipeline.run({"find": {"query": "the float is stuck", "top_k": 2}})
    paths = {document.meta["file_path"] for document in found["find"]["documents"]}
    assert paths == {"docs/examples/tide-gauge.md"}
    retriever.close()
