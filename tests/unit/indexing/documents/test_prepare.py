"""What is stored of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.errors import ConfigError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task, prepare_bytes
from outcrop.indexing.files.content import content_hash, fingerprint
from outcrop.search.passages import join_text, own_text
from outcrop.text.search_text import search_text

DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("*.md"))
CONFIG = IndexConfig(max_tokens=60)


def prepare(text: str | bytes, path: str = "docs/guide.md", kind: str = "markdown"):
    data = text if isinstance(text, bytes) else text.encode()
    task = Task(path=path, file=path, kind=kind, modified_ns=7)
    return prepare_bytes(task, data, CONFIG)


@pytest.mark.parametrize("kind", ["markdown", "text"])
@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.stem)
def test_leaves_put_together_are_the_file_again(file, kind):
    data = file.read_bytes()
    text = data.decode()
    leaves = [c for c in prepare(data, kind=kind).chunks if c.is_leaf]
    assert all(text[c.start_offset : c.end_offset] == own_text(c) for c in leaves)
    whole = join_text(leaves)
    assert whole == text[leaves[0].start_offset : leaves[-1].end_offset]
    assert whole.strip() == text.strip()


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.stem)
def test_parts_of_a_section_follow_each_other(file):
    chunks = prepare(file.read_bytes()).chunks
    for chunk in chunks:
        if "part" not in chunk.metadata:
            continue
        first = chunk.chunk_index - chunk.metadata["part"]
        section = chunks[first : first + chunk.metadata["parts"]]
        assert [c.metadata["part"] for c in section] == list(range(len(section)))
        assert {c.section_path for c in section} == {chunk.section_path}


def test_headings_and_the_name_of_the_file_are_searched():
    chunk = prepare("# Harbour\n\n## Tides\n\nWater.\n").chunks[-1]
    assert chunk.section_path == ("Harbour", "Tides")
    assert chunk.terms["tide"] > chunk.terms["water"]
    assert chunk.terms["guide"] == 1
    assert search_text(chunk).embedded.startswith("Harbour > Tides\n")


def test_a_chunk_moved_down_is_searched_as_before():
    before = prepare("# A\n\none\n").chunks[-1]
    after = prepare("Preamble.\n\n# A\n\none\n").chunks[-1]
    assert before.search_hash == after.search_hash
    assert before.start_offset != after.start_offset


def test_inner_nodes_are_kept_but_not_searched():
    chunks = prepare("# A\n\nown\n\n## B\n\ntext\n").chunks
    inner = [c for c in chunks if not c.is_leaf]
    assert inner
    assert not any(c.indexable or c.terms for c in inner)
    assert {c.parent_id for c in chunks} <= {None, *(c.id for c in chunks)}


@pytest.mark.parametrize(
    ("data", "problem"), [(b"a\0b", "binary"), (b"caf\xe9", "not UTF-8")]
)
def test_what_is_no_text_has_a_reason(data, problem):
    assert prepare(data).problem == problem
    assert prepare(data).document is None


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n## Two\n\nx", "One"),
        ("---\nweight: 1\ntitle: 'Named'\n---\n\n## Two\n\nx", "Named"),
        ('+++\ntitle = "Named"\n+++\n\ntext', "Named"),
        ("---\ntitle: Named\n---\n\n# One\n\nx", "One"),
        ("## Two\n\nx", None),
        ("text", None),
        ("", None),
    ],
)
def test_the_title_is_the_first_heading_or_in_the_front_matter(text, title):
    assert prepare(text).document.title == title


FRONT_MATTER = """\
---
title: Rootless mode
description: Run the daemon as a user
tags: [Security, engine]
keywords: namespaces
aliases: [/go/rootless/]
---

Intro.

## Prerequisites

Install uidmap.
"""


def test_a_title_in_the_front_matter_is_searched_like_an_h1():
    body = FRONT_MATTER.partition("---\n\n")[2]
    titled = prepare(f"---\ntitle: Rootless mode\n---\n\n{body}").chunks
    headed = prepare(f"# Rootless mode\n\n{body}").chunks
    found = [[c for c in chunks if c.indexable] for chunks in (titled, headed)]
    for mine, other in zip(*found, strict=True):
        assert mine.section_path == other.section_path
        assert mine.terms == other.terms
        assert mine.header_level == other.header_level


def test_the_other_words_of_front_matter_are_counted_once_in_the_first_chunk():
    prepared = prepare(FRONT_MATTER)
    front, first, second = (c for c in prepared.chunks if c.is_leaf)
    assert not front.indexable
    assert not front.terms
    for word in ("daemon", "namespace", "security", "engine", "go"):
        assert [c.terms.get(word, 0) for c in (first, second)] == [1, 0]
    about = search_text(first)
    assert about.terms == first.terms
    assert about.hash == first.search_hash
    assert "part" not in first.metadata


def test_tags_and_description_are_kept_with_the_document():
    assert prepare(FRONT_MATTER).document.metadata == {
        "description": "Run the daemon as a user",
        "tags": ["Security", "engine"],
    }
    assert prepare(FRONT_MATTER, kind="text").document.metadata == {}


def test_sections_stand_under_the_title_in_the_front_matter():
    sections = prepare(FRONT_MATTER).sections
    assert [section.headings for section in sections] == [
        ("Rootless mode",),
        ("Rootless mode", "Prerequisites"),
    ]


def test_a_blank_file_is_a_document_without_chunks():
    assert list(prepare(" \n\n").chunks) == []
    assert prepare(" \n\n").document.path == "docs/guide.md"


def test_a_fingerprint_knows_content_kind_and_settings():
    digest = content_hash(b"x")
    seen = {
        fingerprint(digest, "markdown", IndexConfig()),
        fingerprint(digest, "text", IndexConfig()),
        fingerprint(digest, "markdown", IndexConfig(max_tokens=100)),
        fingerprint(content_hash(b"y"), "markdown", IndexConfig()),
    }
    assert len(seen) == 4
    assert fingerprint(digest, "text", IndexConfig(workers=3)) in seen


@pytest.mark.parametrize(
    "settings", [{"max_tokens": 3}, {"workers": 0}, {"max_file_bytes": 0}]
)
def test_a_wrong_setting_is_named(settings):
    (name, value), *_ = settings.items()
    with pytest.raises(ConfigError, match=f"{name} is {value}"):
        IndexConfig(**settings)


def test_an_unknown_encoding_is_refused():
    with pytest.raises(ConfigError, match="unknown encoding 'x'"):
        IndexConfig(encoding="x")


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.stem)
def test_a_section_knows_its_leaves_and_their_tokens(file):
    chunks = prepare(file.read_bytes()).chunks
    for inner in (c for c in chunks if not c.is_leaf):
        leaves = [
            c
            for c in chunks[inner.chunk_index : inner.metadata["last_leaf"] + 1]
            if c.is_leaf
        ]
        assert leaves[0].start_offset == inner.start_offset
        assert leaves[-1].end_offset == inner.end_offset
        tokens = sum(leaf.token_count for leaf in leaves)
        assert tokens == inner.metadata["section_tokens"]


def test_a_document_is_hashed_as_its_stored_chunks_are():
    markdown = prepare("# Harbour\n\n## Tides\n\nThe water rises.\n")
    text = prepare("Harbour\n=======\n\nThe water rises.\n", "notes.rst", "text")
    for chunk in [*markdown.chunks, *text.chunks]:
        assert chunk.search_hash == search_text(chunk).hash
        assert chunk.terms == (search_text(chunk).terms if chunk.indexable else {})


def test_comments_in_shortcodes_are_no_headings():
    text = "# T\n\n{{< highlight sh >}}\n# not a heading\nls\n{{< /highlight >}}\n"
    prepared = prepare(text)
    assert {c.section_path for c in prepared.chunks} == {("T",)}
    assert [section.headings for section in prepared.sections] == [("T",)]


def test_components_are_whole_only_in_mdx():
    text = "# T\n\n<Note a={\n\n# x\n}/>\n"
    paths = {c.section_path for c in prepare(text, path="a.mdx").chunks}
    assert paths == {("T",)}
    assert ("x",) in {c.section_path for c in prepare(text).chunks}
