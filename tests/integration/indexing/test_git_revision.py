"""Revisions of real git repositories as input."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main
from outcrop.errors import InputError
from outcrop.indexing.files.git_revision import GitRevision, read_git_revision

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(
        ["git", "-C", folder, *identity, *arguments], check=True, capture_output=True
    )


@pytest.fixture
def repository(tmp_path):
    """Return a bare repository with two revisions: v1 and main."""
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "--initial-branch=main")
    (work / "guide.md").write_text("# Tea\n\nSteep it for three minutes.\n")
    (work / "old.md").write_text("# Old\n\nGone later.\n")
    # Left out of archives, but part of the revision.
    (work / ".gitattributes").write_text("guide.md export-ignore\n")
    git(work, "add", ".")
    git(work, "commit", "-m", "one")
    git(work, "tag", "v1")
    (work / "guide.md").write_text("# Tea\n\nSteep it for five minutes.\n")
    (work / "old.md").unlink()
    git(work, "commit", "-am", "two")
    bare = tmp_path / "books.git"
    git(tmp_path, "clone", "--bare", str(work), str(bare))
    return bare


def test_a_revision_is_indexed_and_the_next_replaces_it(
    repository, tmp_path, monkeypatch, server_url
):
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        options = ["--database-url", server_url]
        done = CliRunner().invoke(main, [*arguments, *options], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    said = run("index", f"git+{repository.as_uri()}@v1")
    assert "2 added" in said
    assert "at " in said
    assert (tmp_path / "books" / "old.md").exists()
    found = run("search", "how long to steep", "--project", "./books")
    assert "three minutes" in found
    said = run("index", f"git+{repository.as_uri()}")
    assert "0 added, 1 changed, 1 removed" in said
    assert not (tmp_path / "books" / "old.md").exists()


def test_a_folder_with_other_files_is_left_alone(repository, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.md").write_text("mine")
    with pytest.raises(InputError, match=r"holds other files \(mine.md\)"):
        GitRevision(repository.as_uri(), "v1").check_out(folder)
    assert [each.name for each in folder.iterdir()] == ["mine.md"]


def test_a_revision_that_does_not_exist_is_named(repository, tmp_path):
    with pytest.raises(InputError, match="v9"):
        GitRevision(repository.as_uri(), "v9").check_out(tmp_path / "new")


@pytest.mark.parametrize("revision", ["--upload-pack=touch hacked", "-h"])
def test_a_revision_is_never_an_option(repository, tmp_path, monkeypatch, revision):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError):
        GitRevision(repository.as_uri(), revision).check_out(tmp_path / "new")
    assert not (tmp_path / "hacked").exists()


def test_filters_and_hooks_of_the_source_do_not_run(repository, tmp_path):
    (repository / "config").write_text(
        (repository / "config").read_text()
        + f'[filter "x"]\n\tsmudge = touch {tmp_path}/hacked\n'
    )
    hook = repository / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hacked\n")
    hook.chmod(0o755)
    GitRevision(repository.as_uri()).check_out(tmp_path / "new")
    assert (tmp_path / "new" / "guide.md").exists()
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize(
    ("text", "url", "revision", "name"),
    [
        ("git+file:///srv/books.git@v1.2", "file:///srv/books.git", "v1.2", "books"),
        ("git+file:///srv/books", "file:///srv/books", "HEAD", "books"),
        (
            "git+https://me@example.org/a/books.git@feature/x",
            "https://me@example.org/a/books.git",
            "feature/x",
            "books",
        ),
    ],
)
def test_a_revision_is_read(text, url, revision, name):
    found = read_git_revision(text)
    assert found == GitRevision(url, revision)
    assert found.name == name


def test_a_path_is_no_revision():
    assert read_git_revision("docs/git+notes.md") is None


@pytest.mark.parametrize(
    "text", ["git+file://", "git+ext::sh -c x@y", "git+/srv/x@v1", "git+file:///a@"]
)
def test_other_texts_are_refused(text):
    with pytest.raises(InputError, match="names no revision"):
        read_git_revision(text)
