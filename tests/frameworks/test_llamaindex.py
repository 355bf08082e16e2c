from __future__ import annotations

import asyncio
import pickle

import pytest

pytest.importorskip("llama_index.core", reason="make test runs it in .venv-frameworks")

from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import get_leaf_nodes, get_root_nodes
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.retrievers import AutoMergingRetriever
from llama_index.core.schema import MetadataMode, NodeRelationship, NodeWithScore
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.utils import node_to_metadata_dict

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.adapters.llamaindex import OutcropNodeParser, OutcropRetriever


def as_documents(texts):
    return [
        Document(
            text=text,
            id_=path,
            metadata={"file_path": path},
            excluded_embed_metadata_keys=["file_path"],
        )
        for path, text in texts.items()
    ]


def parse(texts, **settings):
    return OutcropNodeParser(**settings).get_nodes_from_documents(as_documents(texts))


@pytest.mark.parametrize("hierarchy", [True, False])
@pytest.mark.parametrize("chunk_size", [200, 1000, 4096])
def test_offsets_give_the_text_back(texts, chunk_size, hierarchy):
    nodes = parse(texts, chunk_size=chunk_size, hierarchy=hierarchy)
    for node in nodes:
        assert (
            node.text == texts[node.ref_doc_id][node.start_char_idx : node.end_char_idx]
        )
    assert len({node.node_id for node in nodes}) == len(nodes)


def test_the_leaves_are_our_chunks(texts):
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300))
    for path, text in texts.items():
        leaves = get_leaf_nodes(parse({path: text}, chunk_size=300))
        chunks = chunker.chunk_hierarchical(text).get_flat_chunks()
        assert [(leaf.start_char_idx, leaf.end_char_idx) for leaf in leaves] == [
            (chunk.start_offset, chunk.end_offset) for chunk in chunks
        ]


def test_relations_lead_both_ways_and_stay_in_their_level(texts):
    nodes = parse(texts, chunk_size=300)
    by_id = {node.node_id: node for node in nodes}
    for node in nodes:
        assert node.source_node.node_id in texts
        for child in node.child_nodes or []:
            assert by_id[child.node_id].parent_node.node_id == node.node_id
            assert by_id[child.node_id].text in node.text
        if node.parent_node:
            children = by_id[node.parent_node.node_id].child_nodes
            assert node.node_id in [child.node_id for child in children]
        if node.next_node:
            following = by_id[node.next_node.node_id]
            assert following.prev_node.node_id == node.node_id
            assert following.parent_node == node.parent_node
            assert following.start_char_idx >= node.end_char_idx
        if node.prev_node:
            assert by_id[node.prev_node.node_id].next_node.node_id == node.node_id


def test_every_document_has_one_root_that_holds_all_of_it(texts):
    roots = get_root_nodes(parse(texts, chunk_size=300))
    assert [root.ref_doc_id for root in roots] == list(texts)
    for root in roots:
        assert root.text == texts[root.ref_doc_id].strip("\r\n")


def test_a_flat_list_has_no_sections(texts):
    nodes = parse(texts, chunk_size=300, hierarchy=False)
    assert all(node.child_nodes is None is node.parent_node for node in nodes)
    kinds = {relation for node in nodes for relation in node.relationships}
    assert kinds == {
        NodeRelationship.SOURCE,
        NodeRelationship.PREVIOUS,
        NodeRelationship.NEXT,
    }


def test_neighbours_can_be_left_out(texts):
    nodes = parse(texts, chunk_size=300, include_prev_next_rel=False)
    assert all(node.prev_node is None is node.next_node for node in nodes)


def test_nothing_but_headings_is_embedded_or_read_by_a_model(texts):
    for node in parse(texts, chunk_size=300, chunk_overlap=40):
        embedded = node.get_content(MetadataMode.EMBED)
        header = f"header_path: {node.metadata['header_path']}"
        assert embedded == f"{header}\n\n{node.text}".strip()
        read = node.get_content(MetadataMode.LLM)
        assert read == f"file_path: {node.ref_doc_id}\n{header}\n\n{node.text}".strip()


def test_metadata_are_flat_as_vector_stores_want_them(texts):
    for node in parse(texts, chunk_size=300):
        assert node_to_metadata_dict(node, remove_text=True, flat_metadata=True)


def test_metadata_of_the_document_are_left_out_on_request(texts):
    nodes = parse(texts, chunk_size=300, include_metadata=False)
    assert not any("file_path" in node.metadata for node in nodes)


def test_ids_are_the_same_in_every_run(texts):
    ids = [node.node_id for node in parse(texts, chunk_size=300)]
    assert ids == [node.node_id for node in parse(texts, chunk_size=300)]
    unnamed = [Document(text=text) for text in texts.values()]  # random ids
    parser = OutcropNodeParser(chunk_size=300)
    first = [node.node_id for node in parser.get_nodes_from_documents(unnamed)]
    unnamed = [Document(text=text) for text in texts.values()]
    assert first == [node.node_id for node in parser.get_nodes_from_documents(unnamed)]


def test_a_parser_without_waiting_gives_the_same(texts):
    parser = OutcropNodeParser(chunk_size=300)
    given = as_documents(texts)
    nodes = asyncio.run(parser.aget_nodes_from_documents(given))
    assert nodes == parser.get_nodes_from_documents(given)


def test_a_parser_is_written_down_and_read_again(texts):
    parser = OutcropNodeParser(chunk_size=90, encoding="cl100k_base")
    expected = [n.node_id for n in parser.get_nodes_from_documents(as_documents(texts))]
    for copy in (
        OutcropNodeParser.from_json(parser.to_json()),
        pickle.loads(pickle.dumps(parser)),  # noqa: S301 - as worker processes do
    ):
        nodes = copy.get_nodes_from_documents(as_documents(texts))
        assert [node.node_id for node in nodes] == expected


def test_a_wrong_setting_is_named():
    with pytest.raises(ValueError, match="chunk_size is 0, but it must be at least 1"):
        OutcropNodeParser(chunk_size=0)


def test_a_pipeline_parses_once_and_skips_what_it_knows(texts):
    pipeline = IngestionPipeline(
        transformations=[OutcropNodeParser(chunk_size=300), MockEmbedding(embed_dim=4)],
        docstore=SimpleDocumentStore(),
        docstore_strategy=DocstoreStrategy.DUPLICATES_ONLY,
    )
    nodes = pipeline.run(documents=as_documents(texts))
    assert [n.node_id for n in nodes] == [
        n.node_id for n in parse(texts, chunk_size=300)
    ]
    assert all(len(node.embedding) == 4 for node in nodes)
    assert pipeline.run(documents=as_documents(texts)) == []


class Found(BaseRetriever):
    """Finds what it is told to."""

    def __init__(self, nodes):
        self._nodes = nodes
        super().__init__()

    def _retrieve(self, query_bundle):
        return [NodeWithScore(node=node, score=1.0) for node in self._nodes]


def merging(nodes, found):
    store = SimpleDocumentStore()
    store.add_documents(nodes)
    context = StorageContext.from_defaults(docstore=store)
    return AutoMergingRetriever(Found(found), context)


def test_auto_merging_puts_a_section_in_place_of_its_chunks(texts):
    nodes = parse(texts, chunk_size=300)
    by_id = {node.node_id: node for node in nodes}
    section = next(
        node
        for node in nodes
        if node.parent_node and len(node.child_nodes or []) == 3
        and not any(by_id[child.node_id].child_nodes for child in node.child_nodes)
        and len(by_id[node.parent_node.node_id].child_nodes) > 1
    )  # fmt: skip
    children = [by_id[child.node_id] for child in section.child_nodes]
    merged = merging(nodes, children[:2]).retrieve("anything")
    assert [hit.node for hit in merged] == [section]
    assert all(child.text in section.text for child in children)
    kept = merging(nodes, children[:1]).retrieve("anything")
    assert [hit.node_id for hit in kept] == [children[0].node_id]


def test_auto_merging_fills_in_a_neighbour():
    text = "# T\n\n" + "\n\n".join(f"## S{n}\n\nWords {n}." for n in range(8))
    nodes = parse({"a.md": text}, chunk_size=300)
    leaves = get_leaf_nodes(nodes)
    hits = merging(nodes, [leaves[1], leaves[3]]).retrieve("anything")
    assert {hit.node_id for hit in hits} == {leaves[n].node_id for n in (1, 2, 3)}


def test_a_vector_index_over_leaves_is_merged_over_all_nodes(texts):
    nodes = parse(texts, chunk_size=300)
    context = StorageContext.from_defaults()
    context.docstore.add_documents(nodes)
    index = VectorStoreIndex(
        get_leaf_nodes(nodes),
        storage_context=context,
        embed_model=MockEmbedding(embed_dim=4),
    )
    many = index.as_retriever(similarity_top_k=10_000)
    hits = AutoMergingRetriever(many, context).retrieve("anything")
    found = {hit.node_id for hit in hits}
    roots = {root.ref_doc_id: root for root in get_root_nodes(nodes)}
    assert {root.node_id for root in roots.values()} <= found
    # A section may stay beside a root that took the place of other leaves before it.
    assert all(hit.text in roots[hit.node.ref_doc_id].text for hit in hits)
    assert len(found) < len(get_leaf_nodes(nodes))


def test_neighbours_are_fetched_by_the_framework():
    text = "# T\n\n" + "\n\n".join(f"## S{n}\n\nWords {n}." for n in range(8))
    leaves = get_leaf_nodes(parse({"a.md": text}, chunk_size=300))
    store = SimpleDocumentStore()
    store.add_documents(leaves)
    fetch = PrevNextNodePostprocessor(docstore=store, num_nodes=1, mode="both")
    found = fetch.postprocess_nodes([NodeWithScore(node=leaves[4], score=1.0)])
    assert [hit.node_id for hit in found] == [leaves[n].node_id for n in (3, 4, 5)]


def test_a_retriever_finds_what_the_index_finds(index):
    retriever = OutcropRetriever(index, similarity_top_k=3)
    hits = index.search("when is a table cut?", 3)
    found = retriever.retrieve("when is a table cut?")
    assert [(one.node_id, one.score) for one in found] == [
        (h.id, h.score) for h in hits
    ]
    assert asyncio.run(retriever.aretrieve("when is a table cut?")) == found
    for one in found:
        text = (index.project / one.node.ref_doc_id).read_bytes().decode()
        own = text[one.node.start_char_idx : one.node.end_char_idx]
        assert own in one.text
        assert "start_line" not in one.get_content(MetadataMode.LLM)


def test_a_retriever_narrows_its_search(index):
    retriever = OutcropRetriever(index, path_glob="docs/examples/*", mode="text")
    found = retriever.retrieve("the float is stuck")
    assert {one.node.ref_doc_id for one in found} == {"docs/examples/tide-gauge.md"}
