"""Worker processes that make documents of files and store them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from integration.indexing.code_trees import write_tree
from integration.indexing.states import clean_state, state_of
from integration.store.servers import EVERY_SERVER
from outcrop import process_pool
from outcrop.errors import EmbeddingError, MissingExtraError, StorageError
from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.leases import begin_run, current_run, share_writing
from outcrop.store.store import PostgresStore

if TYPE_CHECKING:
    from outcrop.indexing.index import Index
    from outcrop.indexing.report import IndexReport

DOCUMENTS = sorted((Path(__file__).parents[2] / "documents").glob("*.md"))
UNLUCKY = DOCUMENTS[2].name


@pytest.fixture
def documents(project: Path) -> list[str]:
    """Copy some documents into the project; return their paths."""
    for file in DOCUMENTS[:6]:
        shutil.copy(file, project)
    return [file.name for file in DOCUMENTS[:6]]


@pytest.fixture
def open_parallel(open_index, monkeypatch):
    """Open an index that is filled by two workers, however small it is."""
    monkeypatch.setattr(workers, "PARALLEL_BYTES", 0)

    def open_one(**given: object) -> Index:
        given.setdefault("embedder", LocalEmbedder())
        given.setdefault("config", IndexConfig(workers=2))
        return open_index(**given)

    return open_one


def clear(index: Index) -> None:
    index.store.delete_documents([each.path for each in index.documents()])


@EVERY_SERVER
def test_workers_store_what_one_process_stores(open_index, open_parallel, project):
    for file in DOCUMENTS:
        shutil.copy(file, project)
    write_tree(project)
    (project / "page.css").write_text("body { margin: 0 }\n")
    alone = open_index(embedder=LocalEmbedder())
    alone.index()
    expected = state_of(alone)
    clear(alone)
    together = open_parallel()
    report = together.index()
    assert report.problems == []
    assert state_of(together) == expected


def test_workers_update_what_one_process_stored(open_index, open_parallel, project):
    write_tree(project)
    shutil.copy(DOCUMENTS[0], project / "guide.md")
    open_index(embedder=LocalEmbedder()).index()
    (project / "guide.md").write_text("# Another guide\n\nIt is short.\n")
    together = open_parallel()
    report = together.index()
    assert (report.added, report.changed) == ([], ["guide.md"])
    expected = state_of(together)
    clear(together)
    together.index()
    assert state_of(together) == expected


# What a worker runs in place of its own command: unlucky files do something.
COMMAND = """
import os, signal, sys
import outcrop.indexing.documents.prepare as files
from outcrop import process_pool
from outcrop.errors import EmbeddingError, MissingExtraError, StorageError
real = files.prepare_bytes

class Panic(BaseException):
    pass

def fail(why):
    raise why

def prepare(task, data, config):
    if task.path in {names!r}:
        {deed}
    return real(task, data, config)

files.prepare_bytes = prepare
process_pool.main()
"""


def index_with(
    open_parallel, monkeypatch, deed: str, names: tuple[str, ...] = (UNLUCKY,)
) -> IndexReport:
    command = COMMAND.format(names=names, deed=deed)
    monkeypatch.setattr(process_pool, "_COMMAND", command)
    report: IndexReport = open_parallel().index()
    return report


@pytest.mark.parametrize(
    ("deed", "problem"),
    [
        ("os._exit(3)", "ended its worker process (exit status 3)"),
        ("sys.exit(4)", "ended its worker process (exit status 4)"),
        (
            "os.kill(os.getpid(), signal.SIGKILL)",
            "ended its worker process (SIGKILL)",
        ),
    ],
)
def test_a_file_that_ends_its_worker_is_named_and_the_others_are_stored(
    open_parallel, documents, monkeypatch, deed, problem
):
    report = index_with(open_parallel, monkeypatch, deed)
    assert [(p.path, p.reason) for p in report.problems] == [(UNLUCKY, problem)]
    assert report.added == [path for path in documents if path != UNLUCKY]


# What happens to a file, and what is said of it.
FAILURES = {
    "MemoryError()": "out of memory",
    "RecursionError('too deep\\nfar too deep')": "RecursionError: too deep",
    "Panic('index out of range')": "Panic: index out of range",
    "Panic('x' * 1000)": f"Panic: {'x' * 193}...",
}


def test_files_that_fail_are_named_and_the_others_are_stored(
    open_parallel, documents, monkeypatch
):
    unlucky = dict(zip(documents, FAILURES, strict=False))
    deed = f"fail(eval({unlucky!r}[task.path]))"
    report = index_with(open_parallel, monkeypatch, deed, tuple(unlucky))
    assert {p.path: p.reason for p in report.problems} == {
        path: FAILURES[failure] for path, failure in unlucky.items()
    }
    assert report.added == documents[len(FAILURES) :]


def test_a_file_whose_worker_was_killed_once_is_stored_after_all(
    open_parallel, documents, monkeypatch, tmp_path
):
    mark = tmp_path / "killed"
    deed = f"if os.path.exists({str(mark)!r}): return real(task, data, config)\n"
    deed += f"        open({str(mark)!r}, 'x').close()\n"
    deed += "        os.kill(os.getpid(), signal.SIGKILL)"
    report = index_with(open_parallel, monkeypatch, deed)
    assert (report.added, report.problems) == (documents, [])
    assert mark.exists()


@pytest.mark.usefixtures("documents")
def test_a_file_that_ends_workers_is_tried_twice(open_parallel, monkeypatch, tmp_path):
    tries = tmp_path / "tries"
    deed = f"open({str(tries)!r}, 'a').write('x'); os._exit(1)"
    assert len(index_with(open_parallel, monkeypatch, deed).problems) == 1
    assert tries.read_text() == "xx"


def test_a_file_that_cannot_be_read_any_more_is_a_problem_of_its_own(
    open_parallel, documents, project, monkeypatch
):
    deed = f"os.remove({str(project / UNLUCKY)!r}); fail(OSError('gone'))"
    report = index_with(open_parallel, monkeypatch, deed)
    assert [(p.path, p.reason) for p in report.problems] == [(UNLUCKY, "OSError: gone")]
    assert len(report.added) == len(documents) - 1


def test_what_a_library_prints_does_not_get_between_the_answers(
    open_parallel, documents, monkeypatch
):
    report = index_with(open_parallel, monkeypatch, "os.write(1, b'noise')")
    assert (report.added, report.problems) == (documents, [])


EMBEDDING = """
import outcrop.providers.local_embedder as local
from outcrop import process_pool
from outcrop.errors import EmbeddingError, MissingExtraError, StorageError

def embed(self, texts):
    raise {error}

local.LocalEmbedder.embed = embed
process_pool.main()
"""


@pytest.mark.usefixtures("documents")
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("EmbeddingError('no table', stage='embed')", EmbeddingError),
        ("MissingExtraError('the local embedder', 'embed')", MissingExtraError),
        ("StorageError('the server is gone')", StorageError),
        ("PermissionError('not yours')", PermissionError),
    ],
)
def test_an_error_of_the_whole_run_ends_it(open_parallel, monkeypatch, error, kind):
    monkeypatch.setattr(process_pool, "_COMMAND", EMBEDDING.format(error=error))
    with pytest.raises(kind) as raised:
        open_parallel(config=IndexConfig(workers=2, summaries="off")).index()
    there = eval(error)  # noqa: S307 - a parameter above
    assert str(raised.value) == str(there)
    assert vars(raised.value) == vars(there)


def test_an_embedder_that_workers_cannot_open_is_used_here(
    open_parallel, open_index, documents
):
    counting = open_index().embedder
    report = open_parallel(embedder=counting).index()
    assert report.added == documents
    assert len(counting.texts) == report.embedded > 0


@pytest.mark.usefixtures("documents")
def test_workers_end_with_a_run_that_is_interrupted(open_parallel, monkeypatch):
    started = []
    start = subprocess.Popen

    def remember(*args, **kwargs):
        started.append(start(*args, **kwargs))
        return started[-1]

    def interrupt(_):
        if started:
            raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", remember)
    with pytest.raises(KeyboardInterrupt):
        open_parallel().index(on_progress=interrupt)
    assert started
    assert all(process.poll() is not None for process in started)


def test_nothing_is_imported_from_the_folder_that_is_indexed(
    open_parallel, documents, project, monkeypatch
):
    (project / "json.py").write_text("raise SystemExit('the wrong json')")
    (project / "outcrop").mkdir()
    (project / "outcrop" / "__init__.py").write_text("raise SystemExit('not ours')")
    monkeypatch.chdir(project)
    report = open_parallel().index()
    assert report.problems == []
    assert set(documents) < set(report.added)


@EVERY_SERVER
def test_a_run_waits_for_the_workers_of_one_that_was_killed(open_index):
    index = open_index()
    waited = threading.Event()

    def wait() -> None:
        begin_run(index._database)
        waited.set()

    thread = threading.Thread(target=wait)
    with share_writing(index._database, current_run(index._database)):
        thread.start()
        assert not waited.wait(0.3)
    thread.join(10)
    assert waited.is_set()


@EVERY_SERVER
def test_a_worker_lets_go_of_the_index_when_its_caller_is_killed(
    open_index, target, project
):
    for number in range(24):
        text = "\n\n".join(f"## Part {n}\n\n{'Some words. ' * 60}" for n in range(12))
        (project / f"{number}.md").write_text(f"# Document {number}\n\n{text}\n")
    index = open_index(embedder=LocalEmbedder())
    schema = index.space.schema
    script = f"""
from pathlib import Path
from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
workers.PARALLEL_BYTES = 0
database = Database.open({str(target)!r}, schema={schema!r})
index = Index(database, Path({str(project)!r}), embedder=LocalEmbedder(),
    config=IndexConfig(workers=2))
index.index(on_progress=lambda progress: print("going", flush=True))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "going\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    report = index.index()
    assert report.unchanged + len(report.added) == 24
    expected = state_of(index)
    clear(index)
    index.index()
    assert state_of(index) == expected


# Takes its first files only when it is told to, and tells when it ends.
LATE = """
import os, time
from pathlib import Path
from outcrop import process_pool
folder = Path({folder!r})
(folder / "started").touch()
while not (folder / "go").exists():
    time.sleep(0.01)
leave = os._exit
def end(status):
    (folder / "ended").touch()
    leave(status)
os._exit = end
process_pool.main()
"""


@EVERY_SERVER
def test_a_late_worker_of_a_killed_run_writes_nothing_once_another_run_has_begun(
    open_index, target, project, tmp_path
):
    (project / "one.md").write_text("# One\n\nSome words.\n")
    index = open_index(embedder=LocalEmbedder())
    script = f"""
from pathlib import Path
from outcrop import process_pool
from outcrop.indexing import workers
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index
from outcrop.providers.local_embedder import LocalEmbedder
from outcrop.store.database import Database
workers.PARALLEL_BYTES = 0
process_pool._COMMAND = {LATE.format(folder=str(tmp_path))!r}
target = {str(target)!r}
target = target if "://" in target else Path(target)
database = Database.open(target, schema={index.space.schema!r})
Index(database, Path({str(project)!r}), embedder=LocalEmbedder(),
    config=IndexConfig(workers=2)).index()
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    wait_for(tmp_path / "started")
    process.kill()
    process.wait()
    (project / "one.md").rename(project / "two.md")
    index.index()
    (tmp_path / "go").touch()
    wait_for(tmp_path / "ended")
    assert [document.path for document in index.documents()] == ["two.md"]


def wait_for(file: Path) -> None:
    end = time.monotonic() + 40
    while not file.exists():
        assert time.monotonic() < end, file
        time.sleep(0.01)


PARTS = {
    "guide.md": ("## Tea\n\n{}\n\n## Cup\n\n{}\n", "embedded_hashes"),
    "guide.py": (
        "def tea():\n    return '{}'\n\n\nclass Cup:\n    x = '{}'\n",
        "chunk_states",
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_document_deleted_while_it_is_prepared_is_stored_with_all_its_words(
    open_index, project, monkeypatch, name
):
    text, read = PARTS[name]
    (project / name).write_text(text.format("Hot. " * 200, "Cold. " * 200))
    index = open_index(embedder=LocalEmbedder())
    index.index()
    assert len(index.store.chunks_of(name)) > 1
    (project / name).write_text(text.format("Hot. " * 200, "Blue. " * 200))
    ask = getattr(PostgresStore, read)
    answers = []

    def ask_before_it_is_deleted(self, paths):
        answers.append(ask(self, paths))
        if len(answers) == 1:
            index.store.delete_documents(paths)
        return answers[-1]

    monkeypatch.setattr(PostgresStore, read, ask_before_it_is_deleted)
    index.index()
    assert answers[0]
    grown, clean = state_of(index), clean_state(index)
    for part in ("documents", "chunks", "words", "frequencies", "totals"):
        assert grown[part] == clean[part], part


@EVERY_SERVER
def test_the_password_of_a_database_is_not_shown(open_index, target):
    key = open_index()._database.key
    if isinstance(target, str):
        password = psycopg.conninfo.conninfo_to_dict(target)["password"]
        assert str(password) not in repr(key)
        assert key.url == target
    else:
        assert (key.project, key.url) == (target, None)
