"""What the tests of the frameworks share; `make test` runs them in .venv-frameworks."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outcrop import Index

# Read when a framework is imported, which is after this.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

ROOT = Path(__file__).parents[2]
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_bytes().decode()
    for folder in ("docs/concepts", "docs/examples", "tests/documents")
    for path in sorted((ROOT / folder).glob("*.md"))
}


@pytest.fixture(scope="session")
def texts() -> dict[str, str]:
    """Return real documents by their paths."""
    return TEXTS


@pytest.fixture(scope="session")
def index() -> Iterator[Index]:
    """Return an index of those documents."""
    pytest.importorskip("psycopg", reason="needs the extra store")
    from outcrop import Index, IndexConfig

    project = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    project.chmod(0o755)  # the server may run as another user
    for path, text in TEXTS.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    with Index.open(project, config=IndexConfig(workers=1)) as opened:
        opened.index()
        yield opened
    shutil.rmtree(project)
