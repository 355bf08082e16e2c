"""What a project is expected to have: workflows, templates, policies, a citation."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from release.environment import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))

if not WORKFLOWS:
    pytest.skip("an archive has no hosted CI", allow_module_level=True)


def _read(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_do_nothing_but_read_by_default(path):
    workflow = _read(path)
    assert workflow["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "uses" in job or "timeout-minutes" in job or "deploy-pages" in str(job)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_that_exist(path):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"run: make ([\w-]+)", path.read_text(encoding="utf-8")):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_the_tests_run_on_every_python_that_the_package_names():
    with (ROOT / "pyproject.toml").open("rb") as file:
        classifiers = tomllib.load(file)["project"]["classifiers"]
    named = {c.rpartition(" :: ")[2] for c in classifiers if ":: Python :: 3." in c}
    workflow = _read(ROOT / ".github/workflows/test.yml")
    assert set(workflow["jobs"]["test"]["strategy"]["matrix"]["python"]) == named
    versions = (ROOT / "docs/versions.md").read_text(encoding="utf-8")
    assert f"| Python | {', '.join(sorted(named))};" in versions


def test_a_release_needs_a_tag_and_the_tests():
    workflow = _read(ROOT / ".github/workflows/release.yml")
    assert workflow[True] == {"push": {"tags": ["v*"]}}  # YAML reads `on` as a truth
    assert workflow["jobs"]["publish"]["needs"] == ["test", "wheels"]


@pytest.mark.parametrize(
    ("schema", "pattern"),
    [
        ("citation-file-format", "CITATION.cff"),
        ("compose-spec", "deploy/compose.yaml"),
        ("github-issue-config", ".github/ISSUE_TEMPLATE/config.yml"),
        ("github-issue-forms", ".github/ISSUE_TEMPLATE/[bi]*.yml"),
        ("github-workflows", ".github/workflows/*.yml"),
    ],
)
def test_a_file_for_another_program_follows_its_schema(schema, pattern):
    pytest.importorskip("check_jsonschema", reason="make setup installs it")
    files = [str(path) for path in ROOT.glob(pattern)]
    assert files
    check = [sys.executable, "-m", "check_jsonschema", "--builtin-schema"]
    done = subprocess.run(
        [*check, f"vendor.{schema}", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_before_a_commit_are_the_checks_of_the_project():
    hooks = _read(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    commands = {hook["entry"].split()[0].removeprefix(".venv/bin/") for hook in hooks}
    assert {"ruff", "mypy", "lint-imports"} <= commands


def test_the_citation_agrees_with_the_package():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    citation = _read(ROOT / "CITATION.cff")
    assert citation["cff-version"] == "1.2.0"
    assert citation["license"] == project["license"]
    assert [author["name"] for author in citation["authors"]] == [
        author["name"] for author in project["authors"]
    ]


def test_the_threat_model_covers_every_party():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    for party in ("a cloned folder", "a document", "a question", "a client on the"):
        assert f"**{party}" in text
