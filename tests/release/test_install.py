"""The lines of the README that install, with the real tools and a package index.

They download some hundred megabytes: `make test-install` runs them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import outcrop
from release.environment import ROOT

pytestmark = [
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        "OUTCROP_TEST_INSTALL" not in os.environ,
        reason="it needs a package index: make test-install",
    ),
]

VERSIONS = ("3.11", "3.12", "3.13", "3.14")
EXAMPLE = str(ROOT / "docs/examples/tide-gauge.md")


def _find_python(version: str) -> str:
    """Return an interpreter of a version, or skip the test."""
    managed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for found in (*map(str, managed), shutil.which(f"python{version}")):
        if found and not _run(found, "-c", "pass", check=False).returncode:
            return found
    pytest.skip(f"there is no Python {version} here")


def _run(*command: object, check: bool = True, folder: Path = ROOT, **variables: str):
    kept = {name: v for name, v in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not check or not done.returncode, done.stdout + done.stderr
    return done


@pytest.mark.parametrize("version", VERSIONS)
def test_pip_installs_the_chunker(archives, tmp_path, version):
    _run(_find_python(version), "-m", "venv", tmp_path / "environment")
    commands = tmp_path / "environment" / "bin"
    _run(commands / "pip", "install", "--quiet", *archives.glob("*.whl"))
    listed = _run(commands / "pip", "list", "--format", "freeze").stdout.split()
    assert len(listed) <= 10  # itself, three packages, what they need, and pip
    done = _run(commands / "outcrop", "chunk", EXAMPLE, "--max-size", "400")
    assert "7 chunks of 1,537 characters" in done.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_pip_installs_everything(archives, tmp_path, version):
    if version == "3.14":
        pytest.skip("wordllama has no binary package for Python 3.14")
    _run(_find_python(version), "-m", "venv", tmp_path / "environment")
    commands = tmp_path / "environment" / "bin"
    wheel = next(archives.glob("*.whl"))
    _run(commands / "pip", "install", "--quiet", f"{wheel}[all]")
    _run(commands / "pip", "check")
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(EXAMPLE, project)
    shutil.copytree(ROOT / "src/outcrop/chunking", project / "chunking")
    _run(commands / "outcrop", "index", folder=project)
    done = _run(
        commands / "outcrop", "search", "set up the gauge", "--json", folder=project
    )
    assert "tide-gauge.md" in done.stdout
    done = _run(
        commands / "outcrop", "graph", "show", "MarkdownChunker.chunk", folder=project
    )
    assert "contained in:" in done.stdout


def test_the_source_archive_installs_too(archives, tmp_path):
    _run(_find_python("3.11"), "-m", "venv", tmp_path / "environment")
    commands = tmp_path / "environment" / "bin"
    _run(commands / "pip", "install", "--quiet", *archives.glob("*.tar.gz"))
    assert outcrop.__version__ in _run(commands / "outcrop", "--version").stdout


def test_pipx_and_uvx_run_the_command(archives, tmp_path):
    _run(_find_python("3.12"), "-m", "venv", tmp_path / "tools")
    commands = tmp_path / "tools" / "bin"
    _run(commands / "pip", "install", "--quiet", "pipx", "uv")
    wheel = next(archives.glob("*.whl"))
    folders = {"PIPX_HOME": str(tmp_path / "px"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    _run(commands / "pipx", "install", wheel, **folders)
    done = _run(tmp_path / "bin" / "outcrop", "chunk", EXAMPLE)
    assert "chunks of 1,537 characters" in done.stdout
    cache = {"UV_CACHE_DIR": str(tmp_path / "cache")}
    done = _run(commands / "uvx", "--from", wheel, "outcrop", "--version", **cache)
    assert outcrop.__version__ in done.stdout
