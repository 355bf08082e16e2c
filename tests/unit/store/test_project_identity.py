"""Names of projects, and the identity that a folder keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.errors import ConfigError
from outcrop.store.projects.identity import (
    MAX_NAME_LENGTH,
    REGISTRY_SCHEMA,
    check_name,
    keep_identity,
    name_of,
    path_identity,
    read_identity,
    schema_of,
    slug,
    still_holds,
)


@pytest.mark.parametrize("name", ["docs", "a-1", "7", "outcrop", "x" * MAX_NAME_LENGTH])
def test_names_and_schemas_lead_to_each_other(name: str) -> None:
    assert name_of(schema_of(check_name(name))) == name
    assert len(schema_of(name)) <= 63
    assert schema_of(name) != REGISTRY_SCHEMA


@pytest.mark.parametrize(
    "name",
    ["", "Docs", "a_b", "a--b", "-a", "a-", "a.b", "a/b", "ä", "a\n", "x" * 49],
)
def test_other_names_are_rejected_with_their_value(name: str) -> None:
    with pytest.raises(ConfigError, match="invalid project name"):
        check_name(name)


@pytest.mark.parametrize("schema", ["public", "outcrop_", REGISTRY_SCHEMA, "outcrop_A"])
def test_other_schemas_belong_to_no_project(schema: str) -> None:
    assert name_of(schema) is None


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("My Docs_2", "my-docs-2"),
        ("中文", "project"),
        ("x" * 99, "x" * 30),
        ("", "project"),
    ],
)
def test_folders_of_any_name_begin_a_valid_one(folder: str, expected: str) -> None:
    assert slug(folder) == expected
    assert check_name(path_identity(Path("/") / folder).name)


def test_an_identity_is_kept_and_git_ignores_it(tmp_path: Path) -> None:
    kept = keep_identity(tmp_path, "docs")
    assert kept.name == "docs"
    assert keep_identity(tmp_path, "other") == kept == read_identity(tmp_path)
    assert (tmp_path / ".outcrop/.gitignore").read_text() == "*\n"
    assert {file.name for file in (tmp_path / ".outcrop").iterdir()} == {
        ".gitignore",
        "project.json",
    }
    assert still_holds(tmp_path, kept.id)
    assert not still_holds(tmp_path, "another")


def test_a_folder_that_cannot_be_written_goes_by_its_path(tmp_path: Path) -> None:
    (tmp_path / ".outcrop").write_text("in the way")
    kept = keep_identity(tmp_path)
    assert kept.is_path
    assert kept == keep_identity(tmp_path) == path_identity(tmp_path)
    assert kept != path_identity(tmp_path / "other")


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", '{"id": 1, "name": "a"}', '"\\ud800', "[" * 100_000,
        r'{"id": "a\u0000", "name": "a"}', r'{"id": "\ud800", "name": "a"}',
    ],
)  # fmt: skip
def test_a_damaged_identity_is_reported_with_its_path(
    tmp_path: Path, text: str
) -> None:
    keep_identity(tmp_path)
    file = tmp_path / ".outcrop/project.json"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"project\.json is damaged"):
        read_identity(tmp_path)


def test_an_identity_that_has_no_end_is_damaged(tmp_path: Path) -> None:
    keep_identity(tmp_path)
    file = tmp_path / ".outcrop/project.json"
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(ConfigError, match=r"project\.json is damaged"):
        read_identity(tmp_path)
