"""The index follows the files, and only what changed is done again."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from integration.indexing.opened import CountingEmbedder
from integration.indexing.states import state_of
from integration.store.servers import EVERY_SERVER
from outcrop.errors import InputError, NotFoundError, SchemaVersionError
from outcrop.indexing.config import IndexConfig
from outcrop.model.embedder_identity import EmbedderIdentity

_DOCS = Path(__file__).parents[3] / "docs"
GUIDE = "# Guide\n\nIntro.\n\n## Boil\n\nHeat the water.\n\n## Steep\n\nWait a while.\n"


def write(project, path: str, text: str | bytes = GUIDE) -> None:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


@EVERY_SERVER
def test_documents_are_stored_with_their_places(index, project):
    write(project, "docs/guide.md")
    report = index.index(["docs"])
    assert report.added == ["docs/guide.md"]
    assert [d.path for d in index.documents()] == ["docs/guide.md"]
    hit = index.search("heat water", 1)[0]
    text = GUIDE
    assert text[hit.start_offset : hit.end_offset] in hit.content
    assert (hit.path, hit.start_line, hit.headers) == (
        "docs/guide.md",
        5,
        ("Guide", "Boil"),
    )


def test_a_search_says_that_an_index_was_never_filled(index, project, caplog):
    # Commands say it themselves, and raise the level in the process that runs them.
    caplog.set_level(logging.WARNING, "outcrop.indexing.searching")
    assert index.search("tide") == []
    assert "the index is empty" in caplog.text
    caplog.clear()
    write(project, "guide.md")
    index.index()
    assert index.search("zzzqqqxxy") == []
    assert not caplog.text


@EVERY_SERVER
def test_an_unchanged_tree_writes_nothing(index, project):
    write(project, "a.md")
    index.index()
    before = state_of(index, with_rows=True)
    report = index.index()
    assert (report.unchanged, report.wrote, report.embedded) == (1, False, 0)
    assert state_of(index, with_rows=True) == before


def test_a_changed_paragraph_embeds_its_chunk_alone(index, project):
    write(project, "a.md")
    index.index()
    index.embedder.texts.clear()
    write(project, "a.md", GUIDE.replace("Heat", "Warm"))
    report = index.index()
    assert report.changed == ["a.md"]
    assert ["Warm the water" in text for text in index.embedder.texts] == [True]
    assert (report.embedded, report.chunks_inserted, report.chunks_deleted) == (1, 1, 1)


def test_text_inserted_above_embeds_nothing_below(index, project):
    write(project, "a.md")
    index.index()
    write(project, "a.md", "A new preamble.\n\n" + GUIDE)
    assert index.index().embedded == 1
    hit = index.search("heat water", 1)[0]
    assert hit.start_line == 7


def test_deleted_and_renamed_files_leave_nothing_behind(index, project):
    write(project, "a.md")
    write(project, "b/c.md", "# Other\n\nThing.\n")
    index.index()
    (project / "b" / "c.md").unlink()
    (project / "a.md").rename(project / "z.md")
    report = index.index()
    assert (report.added, report.removed) == (["z.md"], ["a.md", "b/c.md"])
    assert {hit.path for hit in index.search("thing water", 10)} == {"z.md"}
    assert index.status().contents.documents == 1


def test_a_folder_that_is_gone_can_still_be_named(index, project):
    write(project, "docs/a.md")
    write(project, "keep.md")
    index.index()
    (project / "docs" / "a.md").unlink()
    (project / "docs").rmdir()
    assert index.index("docs").removed == ["docs/a.md"]
    with pytest.raises(InputError, match="there is no file or folder"):
        index.index("docs")


def test_only_what_was_named_is_removed(index, project):
    write(project, "a/x.md")
    write(project, "b/y.md")
    index.index()
    (project / "a" / "x.md").unlink()
    (project / "b" / "y.md").unlink()
    assert index.index(["b"]).removed == ["b/y.md"]


def test_a_file_that_became_binary_leaves_the_index(index, project):
    write(project, "a.md")
    index.index()
    write(project, "a.md", b"now\0binary")
    report = index.index()
    assert report.removed == ["a.md"]
    assert [(p.path, p.reason) for p in report.problems] == [("a.md", "binary")]
    assert index.documents() == []


def test_a_file_newly_ignored_leaves_the_index(index, project):
    write(project, "a.md")
    index.index()
    write(project, ".outcropignore", "a.md\n")
    assert index.index().removed == ["a.md"]


def test_files_that_are_refused_do_not_count_as_progress(index, project):
    write(project, "a.md")
    write(project, "b.md", b"caf\xe9")
    told = []
    index.index(on_progress=told.append)
    assert {progress.total_files for progress in told} == {1}
    assert max(progress.files for progress in told) == 1


def test_a_dry_run_tells_and_writes_nothing(index, project):
    write(project, "a.md")
    write(project, "b.md")
    index.index()
    write(project, "a.md", GUIDE + "\nMore.\n")
    (project / "b.md").unlink()
    write(project, "c.md")
    before = state_of(index, with_rows=True)
    report = index.index(dry_run=True)
    assert (report.added, report.changed, report.removed) == (
        ["c.md"],
        ["a.md"],
        ["b.md"],
    )
    assert not report.wrote
    assert state_of(index, with_rows=True) == before


def test_another_size_chunks_everything_anew(open_index, project):
    write(project, "a.md", "# A\n\n" + "Many words in a row. " * 40)
    open_index().index()
    small = open_index(config=IndexConfig(max_tokens=30))
    assert small.index().changed == ["a.md"]
    assert small.status().contents.indexable > 5


def test_a_document_outside_the_project_has_its_whole_path(index, project, tmp_path):
    write(tmp_path, "elsewhere/a.md")
    index.index([tmp_path / "elsewhere"])
    expected = (tmp_path / "elsewhere" / "a.md").as_posix()
    assert [d.path for d in index.documents()] == [expected]
    (tmp_path / "elsewhere" / "a.md").unlink()
    assert index.index([tmp_path / "elsewhere"]).removed == [expected]


def test_text_files_are_found_too(index, project):
    write(project, "notes.txt", "First thing.\n\nThe zebra crossed the river.\n")
    index.index()
    hit = index.search("zebra", 1)[0]
    assert (hit.path, hit.kind, hit.headers) == ("notes.txt", "text", ())
    assert hit.header_path == "/__preamble__"


@EVERY_SERVER
def test_an_incremental_index_equals_a_clean_one(open_index, project):
    grown = open_index()
    write(project, "a.md")
    write(project, "b.md", "# B\n\n" + "Words and words. " * 90)
    grown.index()
    write(project, "a.md", "New top.\n\n" + GUIDE.replace("Wait", "Stay"))
    write(project, "c.md", GUIDE)
    (project / "b.md").unlink()
    grown.index()
    after = state_of(grown)
    grown.store.delete_documents([d.path for d in grown.documents()])
    grown.index()
    assert state_of(grown) == after


def test_another_embedder_is_refused_until_it_has_embedded(open_index, project):
    write(project, "a.md")
    open_index().index()
    other = open_index(embedder=CountingEmbedder("other"))
    for act in (lambda: other.search("water"), other.index):
        with pytest.raises(SchemaVersionError, match=r"'outcrop-.*'other'.*reembed"):
            act()
    with pytest.raises(SchemaVersionError, match="use --embedder outcrop-"):
        other.search("water")
    assert other.search("water", mode="text")
    assert other.reembed() == other.status().contents.indexable
    assert other.search("water")
    assert other.reembed() == 0
    assert other.reembed(force=True) > 0


@EVERY_SERVER
def test_an_interrupted_reembed_is_completed_by_the_next_run(open_index, project):
    write(project, "a.md")
    open_index().index()
    other = open_index(embedder=CountingEmbedder("other"))
    other.store.change_embedder(EmbedderIdentity(name="other", dimension=256))
    assert other.status().contents.unembedded > 0
    assert other.index().embedded > 0
    assert other.status().contents.unembedded == 0


def test_documents_come_in_pages(index, project):
    for name in ("b.md", "a.md", "d/a.md", "\u00e9.md"):
        write(project, name)
    index.index()
    found, after = [], ""
    while page := index.documents(after=after, limit=3):
        assert len(page) <= 3
        after = page[-1].path
        found += [document.path for document in page]
    assert found == ["a.md", "b.md", "d/a.md", "\u00e9.md"]
    assert found == [document.path for document in index.documents()]


@pytest.mark.parametrize("given", [{"limit": 0}, {"limit": -1}, {"after": "a\0"}])
def test_a_page_that_is_none_is_refused(index, given):
    with pytest.raises(InputError, match=r"limit is|after is"):
        index.documents(**given)


@pytest.mark.parametrize("limit", [0, -1])
def test_a_number_of_runs_that_is_none_is_refused(index, limit):
    with pytest.raises(InputError, match="limit is"):
        index.runs(limit)


@pytest.mark.parametrize("run_id", [0, -1, 10**30, "x"])
def test_a_run_that_cannot_be_is_not_found(index, run_id):
    with pytest.raises(NotFoundError, match="there is no run"):
        index.run(run_id)
    assert index.runs(10**30) == []


def test_missing_sketches_are_made_by_the_next_run(index, project):
    write(project, "a.md")
    index.index()
    assert index.status().contents.vector_indexed
    with index.database.write() as connection:
        connection.execute("DELETE FROM index_settings WHERE key = 'sketches'")
    assert not index.status().contents.vector_indexed
    index.index()
    assert index.status().contents.vector_indexed


def test_a_chunk_is_shown_by_the_first_digits_of_its_id(index, project):
    write(project, "a.md")
    index.index()
    hit = index.search("heat water", 1)[0]
    assert index.get(hit.id[:10]).content == hit.content
    around = index.neighbours(hit.id)
    assert [h.start_line for h in around] == [1, 9]
    for wrong in ("zz", "zzzz", "ffffffffffffffff", "a'; --"):
        with pytest.raises(NotFoundError):
            index.get(wrong)


def test_a_section_with_subsections_is_shown_whole(index, project):
    write(project, "a.md")
    index.index()
    inner = next(c for c in index.store.chunks_of("a.md") if c.kind == "section")
    assert not inner.is_leaf
    assert index.get(inner.id).content == GUIDE.strip()


@EVERY_SERVER
def test_threads_share_an_index(index, project):
    for number in range(6):
        write(project, f"{number}.md", f"# N{number}\n\nNumber{number} is here.\n")
    index.index()
    found: dict[int, str] = {}

    def look(number: int) -> None:
        for _ in range(5):
            found[number] = index.search(f"number{number}", 1)[0].path

    threads = [threading.Thread(target=look, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"{number}.md" for number in range(6)}


def test_progress_is_told_to_the_end(index, project):
    for number in range(3):
        write(project, f"{number}.md")
    told = []
    index.index(on_progress=told.append)
    assert (told[-1].files, told[-1].total_files) == (3, 3)
    assert told[-1].chunks > 0


def test_documents_can_be_searched_before_the_code_graph_is_built(index, project):
    write(project, "guide.md")
    write(project, "code.py", "def boil():\n    return heat()\n")
    found = []

    def search(progress):
        if progress.doing == "code graph":
            found.extend(hit.path for hit in index.search("heat water", 1))

    index.index(on_progress=search)
    assert found == ["guide.md"]


def test_a_watch_follows_the_files(index, project):
    write(project, "a.md")
    stop = threading.Event()
    reports = index.watch(stop=stop)
    assert next(reports).added == ["a.md"]
    write(project, "sub/b.md", "# B\n\nNew.\n")
    assert next(reports).added == ["sub/b.md"]
    (project / "a.md").unlink()
    assert next(reports).removed == ["a.md"]
    stop.set()
    assert list(reports) == []


def test_a_watch_reads_new_ignore_rules(index, project):
    write(project, "a.md")
    stop = threading.Event()
    reports = index.watch(stop=stop)
    next(reports)
    write(project, ".outcropignore", "a.md\n")
    assert next(reports).removed == ["a.md"]
    stop.set()
    assert list(reports) == []


def test_a_watch_of_a_file_outlives_an_editor_that_replaces_it(index, project):
    write(project, "a.md")
    write(project, "b.md")
    stop = threading.Event()
    reports = index.watch(["a.md"], stop=stop)
    next(reports)
    for word in ("first", "second"):
        write(project, "a.md.new", f"# A\n\nThe {word} time.\n")
        (project / "a.md.new").rename(project / "a.md")
        assert next(reports).changed == ["a.md"]
    (project / "a.md").unlink()
    assert next(reports).removed == ["a.md"]
    write(project, "b.md", "# Other\n")
    write(project, "a.md")
    assert next(reports).added == ["a.md"]
    stop.set()
    assert list(reports) == []


def test_a_watch_works_below_folders_of_any_name(index, project):
    write(project, "venv/docs/a.md")
    stop = threading.Event()
    reports = index.watch(["venv/docs"], stop=stop)
    next(reports)
    write(project, "venv/docs/b.md")
    assert next(reports).added == ["venv/docs/b.md"]
    stop.set()
    assert list(reports) == []


def test_an_index_takes_at_most_six_kilobytes_per_chunk(index, project):
    for number, file in enumerate(sorted(_DOCS.rglob("*.md"))):
        write(project, f"{number}.md", file.read_bytes())
    index.index()
    contents = index.status().contents
    assert contents.chunks > 1_000
    assert contents.size_bytes <= 6_000 * contents.chunks
