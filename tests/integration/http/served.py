"""Real servers on loopback, over a small project with documents and code."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from integration.shared import Shared
from integration.store.created import give_database
from integration.store.processes import wait_until_stopped
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = "a-long-secret-of-the-tests"  # noqa: S105 - of the tests alone

GUIDE = """# Harbour guide

How boats come in, and what they pay.

## Berths

A berth is booked with `reserve_berth`. Boats over twenty metres moor at the north quay,
where the water is deep enough at every tide.

### Fees

| length | fee per night |
|---|---|
| up to 10 m | 12 |
| up to 20 m | 31 |

## Tides

The tide gauge writes the water level every minute. At low tide the south basin falls
dry, and boats with a keel must leave it in time.
"""

HOSTILE = """# Hostile <script>window.hacked = 1</script>

<script>window.hacked = 2</script>
<img src=x onerror="window.hacked = 3">
<svg onload="window.hacked = 4"></svg>

[a link](javascript:window.hacked=5) and <a href="javascript:window.hacked=6">another</a>

"><script>window.hacked = 7</script> '><img src=x onerror='window.hacked=8'>

```html
</textarea></pre><script>window.hacked = 9</script>
```

</div></section></main><iframe srcdoc="<script>parent.hacked = 10</script>"></iframe>
{{ 7 * 7 }} {% raw %} ${7 * 7} \u202edlrow\u202c
"""

CODE = '''"""Berths of the harbour."""


class Berth:
    """A place where one boat lies."""

    def __init__(self, number: int) -> None:
        self.number = number

    def fee(self, length: float) -> int:
        """Return the fee of a night."""
        return round_up(length * 1.5)


def round_up(amount: float) -> int:
    """Return the next whole number."""
    return int(-(-amount // 1))


def reserve_berth(number: int, length: float) -> int:
    """Reserve a berth and return its fee, <b>never</b> negative."""
    berth = Berth(number)
    return berth.fee(length)


def main() -> None:
    print(reserve_berth(1, 9.5))
'''

FILES = {
    "docs/guide.md": GUIDE,
    "docs/hostile.md": HOSTILE,
    "docs/notes.txt": "\n\nPlain notes.\n\nThe crane lifts twelve tons.\n",
    "docs/windows.md": "# Lines\r\n\r\nEach ends with CRLF.\r\n\r\n## More\r\n\r\n\tA tab.\r\n",
    "docs/ünï & co#1?.md": "# Odd name\n\nStill readable: 鴨川デルタ.\n",
    "src/harbour/berths.py": CODE,
}

# Serves the interface alone, with settings as JSON in an argument.
SCRIPT = """
import json, sys
from outcrop.http import server
from outcrop.http.app import create_app
from outcrop.http.settings import ServerSettings
from outcrop.indexing.index import Index
settings = ServerSettings(**json.loads(sys.argv[2]))
with server.listen(settings.host, 0) as opened, Index.open(sys.argv[1]) as index:
    print("serving at", server.describe(opened, settings), flush=True)
    server.serve(create_app(index, settings=settings), settings, opened)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that runs.

    Attributes:
        url: Where it is, without a slash at the end.
        project: What it serves.
        process: The server.
    """

    url: str
    project: Path
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


def write_files(project: Path) -> None:
    for path, text in FILES.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())


def make_folder() -> Path:
    """Make a folder that the database's user can reach, whoever runs the tests."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-http-"))
    folder.chmod(0o755)
    return folder.resolve()


def make_project() -> Path:
    """Make a project with an empty database that does not run."""
    folder = make_folder()
    give_database(folder)
    return folder


def remove_project(folder: Path) -> None:
    for home in folder.rglob("server.lock"):
        assert wait_until_stopped(home.parent), f"a server is left in {home.parent}"
    shutil.rmtree(folder)


@contextmanager
def running(command: list[str], project: Path, **environment: str) -> Iterator[Served]:
    """Start a server and stop it in the end, as Ctrl+C does."""
    names = {"OUTCROP_TOKEN", "OUTCROP_DATABASE_URL"}
    inherited = {key: value for key, value in os.environ.items() if key not in names}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=project,
        env=inherited | environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert " at http://" in line, line
        url = line.partition(" at ")[2].split()[0].rstrip("/")
        yield Served(url=url, project=project, process=process)
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


@contextmanager
def serving(project: Path, *options: str, **environment: str) -> Iterator[Served]:
    """Run `outcrop serve`."""
    command = ["-m", "outcrop", "serve", "--port", "0", *options]
    with running(command, project, **environment) as served:
        yield served


@contextmanager
def serving_with(project: Path, **settings: Any) -> Iterator[Served]:
    """Run the interface alone, with settings that the command does not offer."""
    command = ["-c", SCRIPT, str(project), json.dumps(settings)]
    with running(command, project) as served:
        yield served


@contextmanager
def indexed() -> Iterator[Path]:
    """Make a project with an index, and remove it in the end."""
    folder = make_project()
    write_files(folder)
    with Index.open(folder, config=IndexConfig(workers=1)) as index:
        index.index(["docs", "src"])
        yield folder
    remove_project(folder)


_HARBOUR = Shared(indexed)


@contextmanager
def _served() -> Iterator[Served]:
    with _HARBOUR.use() as folder, serving(folder) as started:
        yield started


_SERVED = Shared(_served)


@pytest.fixture(scope="session")
def harbour() -> Iterator[Path]:
    """Return an indexed project; its database runs for the whole session."""
    with _HARBOUR.use() as folder:
        yield folder


@pytest.fixture(scope="session")
def harbour_index(harbour: Path) -> Iterator[Index]:
    """Return the index of `harbour`, as Python sees it."""
    with Index.open(harbour, config=IndexConfig(workers=1)) as index:
        yield index


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    """Return a server of `harbour` as the command starts it."""
    with _SERVED.use() as started:
        yield started


@pytest.fixture(scope="session")
def locked(harbour: Path) -> Iterator[Served]:
    """Return a server that asks for a token and allows one other origin."""
    options = [
        "--cors-origin",
        "https://friend.example",
        "--allow-host",
        "quay.example",
    ]
    with serving(harbour, *options, OUTCROP_TOKEN=TOKEN) as started:
        yield started


@pytest.fixture(scope="session")
def client(served: Served) -> Iterator[httpx.Client]:
    """Return a client of `served`."""
    with httpx.Client(base_url=served.url, timeout=30) as opened:
        yield opened
