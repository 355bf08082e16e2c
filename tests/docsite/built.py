"""The site, built in a copy of the project and served on loopback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
_LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "tests")


def copy_project(folder: Path) -> Path:
    copy = folder / "outcrop"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    return copy


def build_site(project: Path) -> subprocess.CompletedProcess[str]:
    """Run the build; the caller looks at its exit code."""
    pytest.importorskip("zensical", reason="make setup installs the site's generator")
    return subprocess.run(
        [sys.executable, "-m", "website", "build"],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(project / "src"), "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the built site."""
    project = copy_project(tmp_path_factory.mktemp("site"))
    done = build_site(project)
    assert done.returncode == 0, done.stderr
    return project / "build" / "site"


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session")
def served_site(site: Path) -> Iterator[str]:
    """Serve the site, and return its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site))
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()
