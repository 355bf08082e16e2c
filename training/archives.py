"""Reading packages without installing them or running anything in them."""

from __future__ import annotations

import io
import tarfile
import zipfile
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_FILE_BYTES = 16_000_000
_AR_MAGIC, _AR_HEADER = b"!<arch>\n", 60


class Member(NamedTuple):
    """A file of a package."""

    path: str
    data: bytes


def read_archive(archive: Path) -> Iterator[Member]:
    """Yield the files of a package of any of the registries, the largest left out.

    A folder is a package that comes in several archives.
    """
    if archive.is_dir():
        for part in sorted(archive.iterdir()):
            # Packages of Debian share one tree; those of npm are told apart by name.
            above = f"{part.name}/" if part.suffix == ".tgz" else ""
            for path, data in read_archive(part):
                yield Member(f"{above}{path}", data)
    elif archive.suffix == ".deb":
        yield from _read_deb(archive)
    elif archive.suffix in {".whl", ".zip", ".jar"}:
        yield from _read_zip(archive)
    else:
        with tarfile.open(archive, mode="r|*") as files:
            yield from _members(files)


def _read_deb(archive: Path) -> Iterator[Member]:
    """Read the one member `data.tar.*` of an ar archive."""
    data = archive.read_bytes()
    at = len(_AR_MAGIC)
    while at + _AR_HEADER <= len(data):
        name = data[at : at + 16].decode().strip()
        size = int(data[at + 48 : at + 58])
        at += _AR_HEADER
        if name.startswith("data.tar"):
            packed = io.BytesIO(data[at : at + size])
            with tarfile.open(fileobj=packed, mode="r:*") as files:
                yield from _members(files)
        at += size + size % 2


def _read_zip(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as files:
        for entry in files.infolist():
            if not entry.is_dir() and 0 < entry.file_size <= MAX_FILE_BYTES:
                yield Member(entry.filename, files.read(entry))


def _members(files: tarfile.TarFile) -> Iterator[Member]:
    for entry in files:
        if not entry.isfile() or not 0 < entry.size <= MAX_FILE_BYTES:
            continue
        opened = files.extractfile(entry)
        if opened is not None:
            yield Member(entry.name.removeprefix("./"), opened.read())
