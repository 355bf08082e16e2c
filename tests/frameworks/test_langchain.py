from __future__ import annotations

import asyncio
from uuid import UUID

import pytest

pytest.importorskip(
    "langchain_text_splitters", reason="make test runs it in .venv-frameworks"
)

from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from outcrop import ChunkConfig, MarkdownChunker
from outcrop.adapters.langchain import (
    OutcropCodeSplitter,
    OutcropMarkdownSplitter,
    OutcropRetriever,
)
from outcrop.errors import UnknownLanguageError

LONG = "# Guide\n\n## Setup\n\n" + "\n\n".join(
    f"Paragraph {n} says something about the setup." for n in range(20)
)
CODE = '"""A module."""\n\n\n' + "\n\n".join(
    f'def f{n}(x: int) -> int:\n    """Add {n}."""\n    return x + {n}\n'
    for n in range(20)
)


def as_documents(texts):
    return [
        Document(page_content=text, metadata={"source": path})
        for path, text in texts.items()
    ]


@pytest.mark.parametrize("hierarchy", [True, False])
@pytest.mark.parametrize("chunk_size", [200, 1000, 4096])
def test_start_index_gives_the_text_back(texts, chunk_size, hierarchy):
    splitter = OutcropMarkdownSplitter(chunk_size, hierarchy=hierarchy)
    made = splitter.split_documents(as_documents(texts))
    for document in made:
        text = texts[document.metadata["source"]]
        start, end = document.metadata["start_index"], document.metadata["end_index"]
        assert document.page_content == text[start:end]
        assert document.metadata["chunk_id"] == document.id
    ids = [document.id for document in made]
    assert len(set(ids)) == len(ids)


def test_the_chunks_are_ours(texts):
    splitter = OutcropMarkdownSplitter(300)
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=300, overlap_size=0))
    for text in texts.values():
        expected = [text[c.start_offset : c.end_offset] for c in chunker.chunk(text)]
        assert splitter.split_text(text) == expected
        made = splitter.create_documents([text])
        assert [document.page_content for document in made] == expected


def test_equal_texts_in_a_document_have_places_of_their_own():
    text = "# A\n\nSame words.\n\n# B\n\nSame words.\n\n# A\n\nSame words.\n"
    made = OutcropMarkdownSplitter(24, min_chunk_size=1).create_documents([text])
    assert [d.metadata["start_index"] for d in made] == [0, 18, 36]
    assert len({document.id for document in made}) == 3


def test_ids_are_the_same_in_every_run(texts):
    given = as_documents(texts)
    ids = [d.id for d in OutcropMarkdownSplitter(500).split_documents(given)]
    assert ids == [d.id for d in OutcropMarkdownSplitter(500).split_documents(given)]


def test_ids_are_uuids_on_request():
    made = OutcropMarkdownSplitter(200, uuid_ids=True).create_documents([LONG])
    assert all(str(UUID(document.id)) == document.id for document in made)


def test_titles_are_under_the_level_of_their_heading():
    text = "# A\n\n### B\n\nText.\n"
    (document,) = OutcropMarkdownSplitter().create_documents([text])
    assert document.metadata["Header 1"] == "A"
    assert document.metadata["Header 3"] == "B"
    assert document.metadata["header_path"] == "/A/B"
    assert document.metadata["headers"] == ["A", "B"]


def test_metadata_of_the_source_are_copied_for_each_document():
    given = Document(page_content=LONG, metadata={"source": "a.md", "tags": ["x"]})
    first, second, *_ = OutcropMarkdownSplitter(200).split_documents([given])
    first.metadata["tags"].append("y")
    assert second.metadata["tags"] == ["x"]
    assert given.metadata == {"source": "a.md", "tags": ["x"]}


def test_what_a_chunk_repeats_is_in_the_metadata_or_in_the_text():
    apart = OutcropMarkdownSplitter(200).create_documents([LONG])
    within = OutcropMarkdownSplitter(200, repeat_context=True).create_documents([LONG])
    assert apart[-1].metadata["prefix"] == "# Guide\n\n## Setup\n\n"
    assert [d.id for d in apart] == [d.id for d in within]
    for one, other in zip(apart, within, strict=True):
        prefix = one.metadata.get("prefix", "")
        assert other.page_content == prefix + one.page_content


def test_sections_are_linked_with_their_chunks(texts):
    splitter = OutcropMarkdownSplitter(300, hierarchy=True)
    made = splitter.split_documents(as_documents(texts))
    by_id = {document.id: document for document in made}
    for document in made:
        fields = document.metadata
        for child in fields.get("children_ids", []):
            assert by_id[child].metadata["parent_id"] == document.id
            assert by_id[child].page_content in document.page_content
        if "parent_id" in fields:
            above = by_id[fields["parent_id"]].metadata["children_ids"]
            assert document.id in above
        if "next_id" in fields:
            assert by_id[fields["next_id"]].metadata["previous_id"] == document.id


def test_flat_metadata_hold_no_lists():
    splitter = OutcropMarkdownSplitter(200, hierarchy=True, flat_metadata=True)
    for document in splitter.create_documents([LONG], [{"source": "a.md"}]):
        values = document.metadata.values()
        assert all(isinstance(value, str | int | float) for value in values)


def test_start_index_can_be_left_out():
    splitter = OutcropMarkdownSplitter(200, add_start_index=False)
    (document, *_) = splitter.create_documents([LONG])
    assert not {"start_index", "end_index"} & document.metadata.keys()


def test_size_is_counted_by_the_length_function():
    def count_words(text):
        return len(text.split())

    splitter = OutcropMarkdownSplitter(20, length_function=count_words)
    assert all(count_words(text) <= 20 for text in splitter.split_text(LONG))


def test_overlap_is_quoted_in_the_metadata():
    first, second, *_ = OutcropMarkdownSplitter(200, 30).create_documents([LONG])
    assert first.page_content.endswith(second.metadata["previous_content"])
    assert second.page_content.startswith(first.metadata["next_content"])


@pytest.mark.parametrize("wrong", [{"chunk_size": 0}, {"chunk_overlap": -1}])
def test_a_wrong_size_is_refused(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} must be"):
        OutcropMarkdownSplitter(**wrong)


def test_documents_are_transformed_with_and_without_waiting():
    splitter = OutcropMarkdownSplitter(200)
    given = [Document(page_content=LONG, metadata={"source": "a.md"})]
    waited = splitter.transform_documents(given)
    assert asyncio.run(splitter.atransform_documents(given)) == waited


def test_the_indexing_api_adds_each_document_once(texts):
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    records = InMemoryRecordManager(namespace="test")
    records.create_schema()
    made = OutcropMarkdownSplitter(500).split_documents(as_documents(texts))
    how = {"cleanup": "full", "source_id_key": "source", "key_encoder": "sha256"}
    first = index(made, records, store, **how)
    again = index(made, records, store, **how)
    assert first["num_added"] == len(made)
    assert (again["num_added"], again["num_skipped"]) == (0, len(made))


def test_a_vector_store_keeps_the_ids():
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    made = OutcropMarkdownSplitter(200).create_documents([LONG], [{"source": "a.md"}])
    assert store.add_documents(made) == [document.id for document in made]
    assert store.get_by_ids([made[3].id]) == [made[3]]


def test_pages_of_one_file_keep_apart():
    pages = [
        Document(page_content="# Same\n\nText.\n", metadata={"source": "a", "page": n})
        for n in range(3)
    ]
    made = OutcropMarkdownSplitter().split_documents(pages)
    assert len({document.id for document in made}) == 3


def test_code_is_cut_at_its_definitions():
    made = OutcropCodeSplitter(200).create_documents([CODE], [{"source": "a.py"}])
    assert len(made) > 5
    for document in made:
        fields = document.metadata
        assert (
            document.page_content == CODE[fields["start_index"] : fields["end_index"]]
        )
        assert len(document.page_content) <= 200
        assert document.page_content.lstrip().startswith(("def f", '"""A module'))
        assert fields["language"] == "python"
    assert "".join(document.page_content for document in made) == CODE


def test_the_language_of_code_can_be_given():
    splitter = OutcropCodeSplitter(200, language="python")
    assert "".join(splitter.split_text(CODE)) == CODE
    with pytest.raises(UnknownLanguageError):
        OutcropCodeSplitter(200).split_text(CODE)


def test_what_a_piece_of_code_continues_is_repeated_on_request():
    body = "".join(f"    x += {n}\n" for n in range(40))
    code = f"def long(x):\n{body}    return x\n"
    splitter = OutcropCodeSplitter(200, language="python", repeat_context=True)
    first, second, *_ = splitter.create_documents([code])
    assert first.page_content.startswith("def long(x):")
    assert second.page_content.startswith(second.metadata["prefix"])
    assert "def long(x)" in second.metadata["prefix"]


def test_a_retriever_finds_what_the_index_finds(index):
    retriever = OutcropRetriever(index=index, k=3)
    hits = index.search("when is a table cut?", 3)
    found = retriever.invoke("when is a table cut?")
    assert [document.id for document in found] == [hit.id for hit in hits]
    assert asyncio.run(retriever.ainvoke("when is a table cut?")) == found
    for document, hit in zip(found, hits, strict=True):
        text = (index.project / document.metadata["source"]).read_bytes().decode()
        start, end = document.metadata["start_index"], document.metadata["end_index"]
        assert text[start:end] in document.page_content
        assert document.metadata["score"] == hit.score


def test_a_retriever_narrows_its_search(index):
    retriever = OutcropRetriever(index=index, path_glob="docs/examples/*", mode="text")
    found = retriever.invoke("the float is stuck")
    sources = {document.metadata["source"] for document in found}
    assert sources == {"docs/examples/tide-gauge.md"}


def test_a_retriever_is_part_of_a_chain(index):
    chain = OutcropRetriever(index=index, k=1) | (lambda found: found[0].page_content)
    assert "12 mm" in chain.invoke("which drill for the tide gauge?")
