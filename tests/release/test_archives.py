"""What a release consists of: the files, the metadata, the version."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
from packaging.metadata import Metadata

import outcrop
from release.environment import ROOT

# The first test also waits for the archives.
pytestmark = pytest.mark.timeout(180)
NATIVE = {
    f"outcrop/{package}/_native.abi3.so"
    for package in ("codegraph", "markdown", "providers", "text")
}


@pytest.fixture(scope="module")
def wheel(archives):
    with zipfile.ZipFile(next(archives.glob("*.whl"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def metadata(wheel):
    name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
    return Metadata.from_email(wheel.read(name), validate=True)


def _tracked(*paths: str) -> set[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("this is not a clone: git does not know which files belong to it")
    return {name for name in done.stdout.split("\0") if (ROOT / name).is_file()}


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel):
    expected = {name.removeprefix("src/") for name in _tracked("src/outcrop")}
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held - expected <= NATIVE
    assert expected <= held


def test_a_wheel_has_the_modules_in_c_exactly_where_its_name_says_so(wheel):
    assert wheel.filename is not None
    is_pure = wheel.filename.endswith("-py3-none-any.whl")
    assert NATIVE & {*wheel.namelist()} == (set() if is_pure else NATIVE)


def test_without_a_compiler_there_is_a_wheel_of_pure_python(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        env={**os.environ, "CC": "/bin/false"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "warning: Outcrop is built without its modules in C" in done.stderr
    assert [path.name.endswith("-py3-none-any.whl") for path in tmp_path.iterdir()] == [
        True
    ]


def test_the_wheel_says_that_it_is_typed(wheel):
    assert "outcrop/py.typed" in wheel.namelist()


def test_the_wheel_carries_the_licence(wheel, metadata):
    assert metadata.license_expression == "Apache-2.0"
    assert metadata.license_files == ["LICENSE"]
    name = next(n for n in wheel.namelist() if n.endswith("/licenses/LICENSE"))
    assert wheel.read(name) == (ROOT / "LICENSE").read_bytes()


def test_the_long_description_is_the_readme(metadata):
    assert metadata.description == (ROOT / "README.md").read_text(encoding="utf-8")
    assert metadata.description_content_type == "text/markdown"


def test_the_version_is_written_in_one_place(metadata):
    assert str(metadata.version) == outcrop.__version__
    quoted = re.compile(rf"(?<![\w.]){re.escape(outcrop.__version__)}(?![\w.])")
    places = [
        name
        for name in _tracked("src", "pyproject.toml", "CITATION.cff", "deploy")
        if not name.startswith("src/outcrop/providers/weights/")
        if quoted.search((ROOT / name).read_text(encoding="utf-8"))
    ]
    assert places == ["src/outcrop/__init__.py"]


def test_the_version_is_the_newest_in_the_changelog():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## \[?(\d+\.\d+\.\d+)\]?", text, re.MULTILINE)
    assert released[0] == outcrop.__version__


def test_the_addresses_name_the_pages_that_people_look_for(metadata):
    assert {"Changelog", "Documentation", "Homepage", "Issues", "Source"} <= set(
        metadata.project_urls or {}
    )


def test_the_source_archive_holds_what_the_tests_need(archives):
    with tarfile.open(next(archives.glob("*.tar.gz"))) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    left_out = {"/.ci", "/.github"}
    missing = {
        name
        for name in _tracked()
        if name not in names and not any(f"/{name}".startswith(p) for p in left_out)
    }
    assert {name for name in missing if not name.startswith(".")} == set()


def test_every_module_is_written_for_the_oldest_python():
    for path in sorted((ROOT / "src").rglob("*.py")):
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 11))
