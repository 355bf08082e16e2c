"""Copies the code of an application from object storage into a folder of this machine.

The code graph reads the files of a folder. The copy lasts as long as the task that
builds the graph; documents keep the URLs of their files as their paths.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from outcrop.indexing.files.remote import is_safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.cluster.storage import Storage
    from outcrop.indexing.code.applications import ApplicationFiles

# More is not one application, and would fill the disk of a node.
MAX_FILES = 200_000
MAX_BYTES = 2_000_000_000
# How many objects are in memory at a time; a file of code has at most a megabyte.
_BATCH_FILES = 32


class FetchError(Exception):
    """The code of an application cannot be copied."""


@contextmanager
def fetched(group: ApplicationFiles, storage: Storage) -> Iterator[ApplicationFiles]:
    """Copy the files of an application; yield it with the copies.

    Raises:
        FetchError: An object cannot be read, or there are too many of them.
    """
    count = len(group.files)
    if count > MAX_FILES:
        raise FetchError(f"{count:,} files of code are over the maximum {MAX_FILES:,}")
    with TemporaryDirectory(prefix="outcrop-code-") as name:
        root = Path(name).resolve()
        names = {path: _safe(group.inner_path(path)) for path in group.files}
        _copy(root, names, storage)
        files = {
            path: replace(file, file=root / names[path])
            for path, file in group.files.items()
        }
        yield replace(group, root=root, files=files)


def _copy(root: Path, names: dict[str, str], storage: Storage) -> None:
    urls = list(names)
    total = 0
    for start in range(0, len(urls), _BATCH_FILES):
        batch = urls[start : start + _BATCH_FILES]
        for url, data in zip(batch, _read(batch, storage), strict=True):
            total += len(data)
            if total > MAX_BYTES:
                raise FetchError(f"the code is over the maximum of {MAX_BYTES:,} bytes")
            file = root / names[url]
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)
            except (FileExistsError, IsADirectoryError, NotADirectoryError):
                raise FetchError(
                    f"{url!r} is an object and also a folder of objects"
                ) from None


def _read(urls: Sequence[str], storage: Storage) -> Iterator[bytes]:
    for url, data in zip(urls, storage.read(urls), strict=True):
        if data is None:
            raise FetchError(f"{url!r} cannot be read; index all of the folder again")
        yield data


def _safe(name: str) -> str:
    if not is_safe_name(name):
        raise FetchError(f"{name!r} is not a path inside a folder")
    return name
