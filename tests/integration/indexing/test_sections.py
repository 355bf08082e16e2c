"""The index holds the sections of every document, and they follow the files."""

from __future__ import annotations

import os

import numpy as np
import pytest

from outcrop.errors import NotFoundError
from outcrop.model.section import DOCUMENT_ROOT

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


def test_row_4_34_a_section_has_the_mean_vector_of_its_chunks(index, project):
    write(project, "long.md", "# Long\n\n" + "Many different words here. " * 200)
    index.index()
    rows = index.store._fetch(
        "SELECT first_chunk, last_chunk, vector::text FROM sections"
    )
    (first, last, text) = rows[0]
    assert last > first
    embs = index.store._fetch("SELECT emb::text FROM chunks WHERE is_leaf")
    mean = np.mean([np.fromstring(row[0][1:-1], sep=",") for row in embs], axis=0)
    stored = np.fromstring(text[1:-1], sep=",")
    assert np.allclose(stored, mean / np.linalg.norm(mean), atol=1e-5)


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
    count = "SELECT count(vector) FROM sections"
    index.store.change_embedder(index.store.embedder())
    assert index.store._fetch(count) == [(0,)]
    index.reembed()
    assert index.store._fetch(count) == [(5,)]
