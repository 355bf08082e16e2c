"""Which files are found, and why others are not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.files.discover import discover, document_path


def write(folder: Path, *names: str, text: str = "word\n") -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def find(project: Path, *roots: str, limit: int = 1000, **settings: bool):
    paths = [project / root for root in roots or (".",)]
    return discover(
        [Path(os.path.normpath(path)) for path in paths],
        project,
        IndexConfig(max_file_bytes=limit, **settings),
    )


def test_documents_are_found_by_extension_in_any_case(tmp_path):
    write(tmp_path, "a.md", "b/c.MARKDOWN", "d.mdx", "e.txt", "f.rst", "g.png")
    found = find(tmp_path)
    assert list(found.files) == ["a.md", "b/c.MARKDOWN", "d.mdx", "e.txt", "f.rst"]
    assert [file.kind for file in found.files.values()] == ["markdown"] * 3 + [
        "text"
    ] * 2
    assert found.skipped == {"other kinds": 1}


def test_code_is_found_with_its_language(tmp_path):
    write(tmp_path, "a.PY", "b.css", "c/Makefile", "d.min.js", "e.lock", "uv.lock")
    found = find(tmp_path)
    assert {
        path: (file.kind, file.lang, file.has_grammar)
        for path, file in found.files.items()
    } == {
        "a.PY": ("code", "python", True),
        "b.css": ("code", "css", False),
        "c/Makefile": ("code", "make", False),
    }
    assert found.skipped == {"generated": 2, "other kinds": 1}


def test_large_data_is_left_out_though_large_text_is_not(tmp_path):
    write(tmp_path, "a.json", "b.md", text="x" * 200_000)
    found = find(tmp_path, limit=1_000_000)
    assert list(found.files) == ["b.md"]
    assert found.skipped == {"too large": 1}


def test_ignore_files_count_in_every_folder(tmp_path):
    write(tmp_path, "keep.md", "drop.md", "in/keep.md", "in/drop.md", "in/own.md")
    write(tmp_path, ".gitignore", text="drop.md\n")
    write(tmp_path, "in/.gitignore", text="own.md\n!drop.md\n")
    assert list(find(tmp_path).files) == ["in/drop.md", "in/keep.md", "keep.md"]


def test_our_own_ignore_file_has_the_last_word(tmp_path):
    write(tmp_path, "a.md", "b.md")
    write(tmp_path, ".gitignore", text="a.md\n")
    write(tmp_path, ".outcropignore", text="!a.md\nb.md\n")
    assert list(find(tmp_path).files) == ["a.md"]


def test_an_ignored_folder_is_not_entered(tmp_path):
    write(tmp_path, "build/a.md", "x/build/b.md", "builder.md", ".git/c.md")
    write(tmp_path, ".gitignore", text="build/\n")
    found = find(tmp_path)
    assert list(found.files) == ["builder.md"]
    assert found.skipped["ignored"] == 3


def test_rules_above_the_folder_count_too(tmp_path):
    write(tmp_path, "docs/sub/a.md", "docs/sub/b.md")
    write(tmp_path, ".gitignore", text="/docs/sub/b.md\n")
    assert list(find(tmp_path, "docs/sub").files) == ["docs/sub/a.md"]


def test_what_is_named_is_taken_even_where_it_is_ignored(tmp_path):
    write(tmp_path, "build/a.md")
    write(tmp_path, ".gitignore", text="build/\n")
    assert list(find(tmp_path, "build").files) == ["build/a.md"]
    assert list(find(tmp_path, "build/a.md").files) == ["build/a.md"]


def test_a_line_that_is_no_pattern_is_passed_over(tmp_path):
    write(tmp_path, "a.md", "b.md")
    write(tmp_path, ".gitignore", text="!\n[\nb.md\n")
    assert list(find(tmp_path).files) == ["a.md"]


def test_a_file_over_the_limit_is_counted(tmp_path):
    write(tmp_path, "large.md", text="x" * 11)
    write(tmp_path, "small.md", text="x" * 10)
    found = find(tmp_path, limit=10)
    assert list(found.files) == ["small.md"]
    assert found.skipped == {"too large": 1}


def test_a_loop_of_links_ends(tmp_path):
    write(tmp_path, "in/a.md")
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    assert list(find(tmp_path).files) == ["in/a.md"]


def test_a_link_to_nothing_keeps_what_is_stored(tmp_path):
    (tmp_path / "a.md").symlink_to(tmp_path / "missing")
    found = find(tmp_path)
    assert not found.files
    assert found.kept == {"a.md"}


def test_a_name_that_is_no_text_is_counted(tmp_path):
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    assert find(tmp_path).skipped == {"name not UTF-8": 1}


def test_the_name_of_the_project_itself_may_be_any_bytes(tmp_path):
    project = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        project.mkdir()
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    (project / "a.md").write_text("x")
    found = find(project)
    assert list(found.files) == ["a.md"]
    assert not found.skipped


def test_a_document_outside_the_project_has_an_absolute_path(tmp_path):
    inside = document_path(tmp_path / "project" / "a.md", tmp_path / "project")
    outside = document_path(tmp_path / "a.md", tmp_path / "project")
    assert (inside, outside) == ("a.md", f"{tmp_path.as_posix()}/a.md")


def test_a_link_to_itself_is_counted_and_ends_nothing(tmp_path):
    write(tmp_path, "a.md")
    (tmp_path / "loop.md").symlink_to("loop.md")
    (tmp_path / "folder").symlink_to("folder")
    found = find(tmp_path)
    assert list(found.files) == ["a.md"]
    assert found.kept == {"loop.md", "folder"}


def test_a_file_has_the_path_it_lies_at_not_that_of_a_link(tmp_path):
    write(tmp_path, "docs/a.md", "AGENTS.md")
    (tmp_path / "alias").symlink_to("docs")
    (tmp_path / "ADVICE.md").symlink_to("AGENTS.md")
    found = find(tmp_path)
    assert list(found.files) == ["AGENTS.md", "docs/a.md"]
    assert found.skipped == {"links": 2}


def test_what_only_links_lead_to_is_found_once(tmp_path):
    write(tmp_path, "outside/in/a.md", "outside/b.md")
    project = tmp_path / "project"
    project.mkdir()
    (project / "first").symlink_to(tmp_path / "outside")
    (project / "second").symlink_to(tmp_path / "outside")
    (project / "third.md").symlink_to(tmp_path / "outside" / "b.md")
    found = find(project, follow_links=True)
    assert list(found.files) == ["first/b.md", "first/in/a.md"]
    assert found.skipped == {"links": 2}
    assert not found.outside_links


def test_a_link_that_is_named_itself_is_followed(tmp_path):
    write(tmp_path, "docs/a.md")
    (tmp_path / "alias").symlink_to("docs")
    (tmp_path / "b.md").symlink_to("docs/a.md")
    assert list(find(tmp_path, "alias").files) == ["alias/a.md"]
    assert list(find(tmp_path, "b.md").files) == ["b.md"]


def test_a_pipe_is_counted_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "endless.md").symlink_to("/dev/zero")
    found = find(tmp_path, follow_links=True)
    assert not found.files
    assert found.skipped == {"not a regular file": 2}


def test_folders_named_inside_each_other_are_walked_once(tmp_path):
    write(tmp_path, "docs/a.md")
    found = find(tmp_path, ".", "docs")
    assert list(found.files) == ["docs/a.md"]
    assert not found.skipped


def test_ignore_files_are_read_as_git_reads_them(tmp_path):
    write(tmp_path, "first.md", "second.md", "third\x0c.md", "fourth.md")
    rules = b"\xef\xbb\xbffirst.md\r\nsecond.md\nthird\x0c.md"
    (tmp_path / ".gitignore").write_bytes(rules)
    assert list(find(tmp_path).files) == ["fourth.md"]


def test_links_that_lead_out_of_the_project_are_named_and_not_followed(tmp_path):
    write(tmp_path, "outside/in/a.md", "outside/b.md", "outside/c.png")
    project = tmp_path / "project"
    write(project, "own.md")
    (project / "folder").symlink_to(tmp_path / "outside")
    (project / "file.md").symlink_to(tmp_path / "outside" / "b.md")
    (project / "missing.md").symlink_to(tmp_path / "nothing")
    (project / "picture.png").symlink_to(tmp_path / "outside" / "c.png")
    found = find(project)
    assert list(found.files) == ["own.md"]
    assert found.outside_links == ["file.md", "folder", "missing.md"]
    assert found.skipped == {"links outside": 3, "other kinds": 1}
    assert not found.kept


def test_a_folder_whose_name_starts_like_the_project_is_outside(tmp_path):
    write(tmp_path, "project-two/a.md")
    write(tmp_path / "project", "own.md")
    (tmp_path / "project" / "in").symlink_to(tmp_path / "project-two")
    assert find(tmp_path / "project").outside_links == ["in"]


def test_a_link_from_a_folder_that_is_named_may_lead_anywhere_in_the_project(tmp_path):
    write(tmp_path, "docs/a.md", "other/b.md")
    (tmp_path / "docs" / "more").symlink_to(tmp_path / "other")
    assert list(find(tmp_path, "docs").files) == ["docs/a.md", "docs/more/b.md"]


def test_a_link_that_is_named_may_lead_out_of_the_project(tmp_path):
    write(tmp_path, "outside/a.md", "far/b.md")
    project = tmp_path / "project"
    project.mkdir()
    (project / "folder").symlink_to(tmp_path / "outside")
    (project / "file.md").symlink_to(tmp_path / "outside" / "a.md")
    (tmp_path / "outside" / "far").symlink_to(tmp_path / "far")
    found = find(project, "folder")
    assert list(found.files) == ["folder/a.md"]
    assert found.outside_links == ["folder/far"]
    assert list(find(project, "file.md").files) == ["file.md"]


def test_a_folder_outside_the_project_keeps_its_own_links(tmp_path):
    write(tmp_path, "outside/docs/a.md", "project/own.md")
    (tmp_path / "outside" / "again").symlink_to("docs")
    outside = str(tmp_path / "outside")
    found = find(tmp_path / "project", outside)
    assert list(found.files) == [f"{outside}/docs/a.md"]
    assert found.skipped == {"links": 1}


def test_files_that_may_hold_secrets_are_named_and_not_taken(tmp_path):
    write(tmp_path, "credentials.json", "in/Secrets.YAML", ".env.ini", "a.md", "b.pem")
    found = find(tmp_path)
    assert list(found.files) == ["a.md"]
    assert found.secrets == [".env.ini", "credentials.json", "in/Secrets.YAML"]
    assert found.skipped == {"secrets": 3, "other kinds": 1}


def test_secrets_are_taken_where_they_are_asked_for_or_named(tmp_path):
    write(tmp_path, "in/secrets.yaml")
    assert list(find(tmp_path, include_secrets=True).files) == ["in/secrets.yaml"]
    assert list(find(tmp_path, "in/secrets.yaml").files) == ["in/secrets.yaml"]
    assert list(find(tmp_path, "in").files) == []


def test_a_link_under_another_name_does_not_bring_a_secret_in(tmp_path):
    write(tmp_path, "secrets.yaml")
    (tmp_path / "notes.md").symlink_to("secrets.yaml")
    found = find(tmp_path)
    assert not found.files
    assert found.secrets == ["notes.md", "secrets.yaml"]
