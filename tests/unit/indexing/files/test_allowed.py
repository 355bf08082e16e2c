"""Which files a client may index, wherever paths and links lead."""

from __future__ import annotations

import pytest

from outcrop.errors import InputError
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.files.allowed import find_forbidden

CONFIG = IndexConfig()


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "guide.md").write_text("# Guide\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "private.md").write_text("# Private\n")
    return folder


@pytest.mark.parametrize("path", [".", "docs", "docs/guide.md", "docs/../docs"])
def test_files_of_the_project_are_allowed(project, path):
    assert find_forbidden([path], project, CONFIG) is None


@pytest.mark.parametrize("path", ["..", "../other", "/", "docs/../../other"])
def test_other_folders_are_not(project, path):
    assert find_forbidden(["docs", path], project, CONFIG) == (path, "outside")


def test_a_folder_that_the_user_named_is_allowed(project):
    roots = [project.parent / "other"]
    assert find_forbidden(["../other"], project, CONFIG, roots) is None


def test_a_link_below_a_folder_does_not_lead_out(project):
    (project / "docs" / "out.md").symlink_to(project.parent / "other" / "private.md")
    found = find_forbidden(["docs"], project, CONFIG)
    assert found == ("docs/out.md", "outside")


def test_a_file_that_may_hold_secrets_is_refused_under_its_own_name(project):
    (project / ".env").write_text("TOKEN=x\n")
    found = find_forbidden(["docs", "docs", ".env"], project, CONFIG)
    assert found == (".env", "secret")


def test_a_name_that_no_file_can_have_is_invalid(project):
    with pytest.raises(InputError):
        find_forbidden(["x" * 5000], project, CONFIG)
