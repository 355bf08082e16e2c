"""Reads object storage by the functions of Daft."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Sequence

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
