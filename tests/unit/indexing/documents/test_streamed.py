"""A large document is made part by part, with memory for a window of it."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.markdown_chunks import WholeTextNeededError
from outcrop.indexing.documents.prepare import Task
from outcrop.indexing.files.content import (
    MIN_STREAMED_BYTES,
    hash_file,
    is_streamed,
    scan_file,
)
from outcrop.indexing.large_files import UnindexableError, open_streamed

if TYPE_CHECKING:
    from pathlib import Path

_SECTION = "## Section {n}\n\n" + "A sentence of a section, which says a little. " * 20
# On Linux, the usage of a process starts with the memory of the one that started it.
_MEASURE = """
import resource, sys
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.documents.prepare import Task
from outcrop.indexing.large_files import open_streamed
task = Task(path="a.md", file=sys.argv[1], kind="markdown", modified_ns=0)
with open_streamed(task, IndexConfig(summaries="off")) as streamed:
    print(sum(len(part.chunks) for part in streamed.parts()))
try:
    status = open("/proc/self/status").read()
    print(status.partition("VmHWM:")[2].split()[0])
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def _write(file: Path, sections: int) -> Task:
    with file.open("w") as opened:
        opened.write("# A book\n\nIts first words.\n\n")
        for number in range(sections):
            opened.write(_SECTION.format(n=number) + "\n\n")
    return Task(path="a.md", file=str(file), kind="markdown", modified_ns=0)


def _peak(file: Path, sections: int) -> tuple[int, int]:
    """Return the number of chunks, and the peak of memory."""
    task = _write(file, sections)
    tracemalloc.start()
    with open_streamed(task, IndexConfig(summaries="off"), 20_000) as streamed:
        chunks = sum(len(part.chunks) for part in streamed.parts())
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return chunks, used


def test_memory_grows_by_ids_and_titles_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("outcrop.indexing.files.content._PIECE_BYTES", 20_000)
    file = tmp_path / "a.md"
    _peak(file, 400)  # fills what is filled once
    few, less = _peak(file, 200)
    many, more = _peak(file, 1_000)
    assert many > 4 * few
    assert more - less < 250 * (many - few)


@pytest.mark.full
@pytest.mark.timeout(600)
def test_a_file_of_30_megabytes_takes_less_than_250_megabytes(tmp_path):
    file = tmp_path / "a.md"
    _write(file, 33_000)
    assert file.stat().st_size > 30_000_000
    command = [sys.executable, "-c", _MEASURE, str(file)]
    chunks, peak = subprocess.check_output(command, text=True).split()
    assert int(chunks) > 30_000
    unit = 1 if sys.platform == "darwin" else 1024
    assert int(peak) * unit < 250_000_000


@pytest.mark.parametrize(
    "text", ["No headings at all.\n", "# A\n\n  {{< note >}}\n\nText.\n", ""]
)
def test_a_text_that_has_no_windows_is_left_to_be_read_as_a_whole(tmp_path, text):
    file = tmp_path / "a.md"
    file.write_text(text)
    task = Task(path="a.md", file=str(file), kind="markdown", modified_ns=0)
    with pytest.raises(WholeTextNeededError), open_streamed(task, IndexConfig()):
        pass


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"# A\n\0\n", "binary"),
        (b"\xff\xfe#\0", "UTF-16, not UTF-8"),
        (b"# A\n\n\xe2\x82", "not UTF-8"),
    ],
)
def test_a_file_that_is_not_text_is_rejected(tmp_path, data, problem):
    file = tmp_path / "a.md"
    file.write_bytes(data)
    task = Task(path="a.md", file=str(file), kind="markdown", modified_ns=0)
    with (
        pytest.raises(UnindexableError, match=problem),
        open_streamed(task, IndexConfig()),
    ):
        pass


def test_a_scan_sees_what_is_on_both_sides_of_a_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("outcrop.indexing.files.content._PIECE_BYTES", 3)
    file = tmp_path / "a.md"
    file.write_bytes("ä é\n {% raw %}\n".encode())
    scanned = scan_file(file)
    assert (scanned.problem, scanned.has_tags) == ("", True)
    assert scanned.digest == hash_file(file)
    file.write_bytes("ä é {% in a line %}\n".encode())
    assert not scan_file(file).has_tags


def test_only_large_files_of_markdown_are_streamed():
    large = MIN_STREAMED_BYTES
    assert is_streamed("markdown", "a.md", large)
    assert not is_streamed("markdown", "a.md", large - 1)
    assert not is_streamed("markdown", "a.mdx", large)
    assert not is_streamed("text", "a.txt", large)
