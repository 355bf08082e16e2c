"""Reads object storage by the functions of Daft, and copies code from it.

The code graph reads the files of a folder. The copy lasts as long as the task that
builds the graph; documents keep the URLs of their files as their paths.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import MissingExtraError
from outcrop.indexing.paths import is_safe_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outcrop.indexing.code.applications import ApplicationFiles

_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
# Neither library reports its use, and progress is our own.
_QUIET = {
    "DAFT_ANALYTICS_ENABLED": "0",
    "DAFT_PROGRESS_BAR": "0",
    "DO_NOT_TRACK": "true",
    "RAY_USAGE_STATS_ENABLED": "0",
}


def import_daft() -> Any:
    """Return the module `daft`.

    Raises:
        MissingExtraError: The extra `cluster` is not installed.
    """
    for variable, value in _QUIET.items():
        os.environ.setdefault(variable, value)
    try:
        import daft
    except ImportError:
        raise MissingExtraError("indexing with Daft", "cluster") from None
    return daft


class Storage(NamedTuple):
    """How to reach object storage; each machine has its own credentials.

    Attributes:
        endpoint: Another server that speaks the protocol of S3.
        region: The region of the buckets.
    """

    endpoint: str | None
    region: str | None

    @classmethod
    def of_environment(cls) -> Storage:
        """Return the storage that the environment variables name."""
        return cls(
            endpoint=next(filter(None, map(os.environ.get, _ENDPOINTS)), None),
            region=next(filter(None, map(os.environ.get, _REGIONS)), None),
        )

    def io_config(self) -> Any:
        """Return the settings in the form of Daft."""
        io = import_daft().io
        s3 = io.S3Config(endpoint_url=self.endpoint, region_name=self.region)
        return io.IOConfig(s3=s3)

    def read(self, urls: Sequence[str]) -> list[bytes | None]:
        """Return the contents of objects; None for one that cannot be read.

        For a worker process, in which no engine runs.
        """
        daft = _native_daft()
        content = daft.col("url").download(on_error="null", io_config=self.io_config())
        frame = daft.from_pydict({"url": list(urls)}).select(content.alias("data"))
        found: list[bytes | None] = frame.to_pydict()["data"]
        return found


@cache
def _native_daft() -> Any:
    """Return Daft, which accepts once in a process how it runs."""
    daft = import_daft()
    daft.set_runner_native()
    return daft


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
