"""The index holds the sections of every document, and they follow the files."""

from __future__ import annotations

import os

import numpy as np
import pytest

from outcrop.errors import InputError, NotFoundError
from outcrop.markdown.document import MAX_TITLE_CHARS
from outcrop.model.section import DOCUMENT_ROOT
from outcrop.store.search_source import open_source

GUIDE = (
    "Before.\n\n# Guide\n\nIntro.\n\n## Boil\n\nHeat the water.\n\n"
    "### Kettles\n\nOld ones whistle.\n\n## Steep\n\nWait a while.\n"
)


def write(project, path: str, text: str = GUIDE) -> None:
    (project / path).write_text(text, encoding="utf-8")


def test_row_4_34_index_stores_the_sections_of_every_document(index, project):
    write(project, "guide.md")
    write(project, "notes.txt", "One line.\n\nAnother.\n")
    write(project, "manual.rst", "Manual\n======\n\nPart\n----\n\nText.\n")
    write(project, "code.py", "def main():\n    return 1\n")
    index.index()
    sections = index.sections("guide.md")
    assert [(s.heading, s.depth, s.order) for s in sections] == [
        (DOCUMENT_ROOT, 0, 0),
        ("Guide", 1, 1),
        ("Boil", 2, 0),
        ("Kettles", 3, 0),
        ("Steep", 2, 1),
    ]
    assert sections[3].parent_id == sections[2].id
    assert "".join(section.content for section in sections) == GUIDE
    for section in sections:
        assert GUIDE[section.start_offset : section.end_offset] == section.content
    assert [s.heading for s in index.sections("notes.txt")] == [DOCUMENT_ROOT]
    assert [s.heading for s in index.sections("manual.rst")] == ["Manual", "Part"]
    assert index.sections("code.py") == []
    assert index.status().contents.sections == 8


def test_a_long_title_is_cut_in_the_paths_of_the_sections_below_it(index, project):
    title = "word " * 2_000
    write(project, "long.md", f"# {title}\n\n## First\n\nOne.\n\n## Second\n\nTwo.\n")
    index.index()
    assert index.sections("long.md")[0].heading == title.strip()
    paths = index.store._fetch("SELECT section_path FROM sections ORDER BY place")
    assert [path[1:] for (path,) in paths] == [[], ["First"], ["Second"]]
    assert all(len(path[0]) <= MAX_TITLE_CHARS for (path,) in paths)


def similarity_of_first_section(index) -> float:
    """Return how near the question "different words" is to the first section."""
    vector = index.embedder.embed(["different words"])[0]
    ids = [row[0] for row in index.store._fetch("SELECT id FROM chunks WHERE is_leaf")]
    with open_source(index.database) as source:
        sections = source.sections_with(ids, vector=vector)
    return sections[0].similarity


def test_row_4_34_a_section_has_the_mean_vector_of_its_chunks(index, project):
    write(project, "long.md", "# Long\n\n" + "Many different words here. " * 200)
    index.index()
    embs = index.store._fetch("SELECT emb::text FROM chunks WHERE is_leaf")
    assert len(embs) > 1
    mean = np.mean([np.fromstring(row[0][1:-1], sep=",") for row in embs], axis=0)
    vector = index.embedder.embed(["different words"])[0]
    expected = vector @ (mean / np.linalg.norm(mean))
    assert similarity_of_first_section(index) == pytest.approx(expected, abs=1e-5)


def test_sections_of_an_unknown_document_are_refused(index, project):
    write(project, "guide.md")
    index.index()
    with pytest.raises(NotFoundError, match=r"no document 'other\.md'"):
        index.sections("other.md")


def test_sections_go_with_their_document(index, project):
    write(project, "guide.md")
    index.index()
    (project / "guide.md").unlink()
    index.index()
    assert index.status().contents.sections == 0


def test_row_4_19_sections_are_dirty_from_the_change_until_the_next_run(index, project):
    write(project, "guide.md")
    index.index()
    assert not any(section.is_dirty for section in index.sections("guide.md"))
    write(project, "guide.md", GUIDE.replace("Heat", "Warm"))
    assert all(section.is_dirty for section in index.sections("guide.md"))
    index.index()
    assert not any(section.is_dirty for section in index.sections("guide.md"))
    os.utime(project / "guide.md")
    assert not any(section.is_dirty for section in index.sections("guide.md"))


def test_row_4_19_a_section_stays_dirty_if_its_file_was_not_processed(index, project):
    write(project, "guide.md")
    index.index()
    index.store.mark_dirty(["guide.md"])
    assert all(section.is_dirty for section in index.sections("guide.md"))


def test_row_4_21_created_at_survives_a_new_version(index, project):
    write(project, "guide.md")
    index.index()
    before = {section.heading: section for section in index.sections("guide.md")}
    write(project, "guide.md", "New.\n\n" + GUIDE.replace("Heat", "Warm"))
    index.index()
    after = {section.heading: section for section in index.sections("guide.md")}
    assert before["Boil"].created_at == after["Boil"].created_at
    assert before["Boil"].updated_at < after["Boil"].updated_at
    assert before["Steep"].updated_at == after["Steep"].updated_at
    assert before["Steep"].start_offset < after["Steep"].start_offset


def test_a_new_embedder_gives_sections_new_vectors(index, project):
    write(project, "guide.md")
    index.index()
    before = similarity_of_first_section(index)
    index.store.change_embedder(index.store.embedder())
    assert similarity_of_first_section(index) is None
    index.reembed()
    assert similarity_of_first_section(index) == before


def headings(hits) -> list[str | None]:
    return [hit.heading for hit in hits]


def test_row_2_51_children_parents_and_siblings_of_a_section(index, project):
    write(project, "guide.md")
    index.index()
    document = index.search("water", 1, unit="document")[0]
    outermost = index.children(document.id)
    assert headings(outermost) == [None, "Guide"]
    below = index.children(outermost[1].id)
    assert headings(below) == ["Boil", "Steep"]
    kettles = index.children(below[0].id)[0]
    assert headings(index.parents(kettles.id)) == ["Guide", "Guide", "Boil"]
    assert headings(index.siblings(below[1].id)) == ["Boil", "Steep"]
    assert index.children(kettles.id) == []
    assert index.parents(document.id) == []
    assert index.get(document.id).content == GUIDE.rstrip("\n")
    assert index.get(f"./{document.path}") == index.get(document.id)
    assert index.children(document.path) == index.children(document.id)


def test_row_2_51_children_parents_and_siblings_of_a_chunk(index, project):
    write(project, "guide.md")
    index.index()
    chunks = index.store.chunks_of("guide.md")
    root = next(chunk for chunk in chunks if chunk.parent_id is None)
    below = index.children(root.id)
    assert [hit.id for hit in below] == [c.id for c in chunks if c.parent_id == root.id]
    assert {hit.parent_id for hit in below} == {root.id}
    leaf = index.search("whistle", 1)[0]
    above = index.parents(leaf.id)
    assert above[0].id == root.id
    assert leaf.id in [hit.id for hit in index.siblings(leaf.id)]
    assert [hit.id for hit in index.siblings(root.id)] == [root.id]


def test_row_2_49_children_come_in_pages(index, project):
    write(
        project,
        "many.md",
        "# Many\n\n" + "".join(f"## S{n}\n\nT.\n\n" for n in range(9)),
    )
    index.index()
    many = index.search("many", 1, depth=1)[0]
    page = index.children(many.id, limit=3, offset=2)
    assert headings(page) == ["S2", "S3", "S4"]
    assert headings(index.children(many.id, offset=7)) == ["S7", "S8"]
    with pytest.raises(InputError, match="limit is 0"):
        index.children(many.id, limit=0)
    with pytest.raises(InputError, match="offset is -1"):
        index.children(many.id, offset=-1)
    with pytest.raises(NotFoundError):
        index.children("0000000000000000")


def test_a_heading_is_found_in_any_case_and_language(index, project):
    write(
        project,
        "a.md",
        "# Überblick\n\n## Größe/Maß\n\nEin Wort.\n\n# Rest\n\nEin Wort.\n",
    )
    index.index()
    for section in ("überblick", "ÜBERBLICK/Größe/Maß", "größe/mass"):
        hits = index.search("Wort", section=section)
        assert {hit.headers[0] for hit in hits} == {"Überblick"}
    assert index.search("Wort", section="blick") == []
