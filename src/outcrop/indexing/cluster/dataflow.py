"""The dataflow: rows of tasks, run by Daft in this process or on Ray."""

from __future__ import annotations

import pickle
from math import ceil
from typing import TYPE_CHECKING, Any

from outcrop.errors import InputError, describe_failure
from outcrop.indexing.cluster.rows import Row
from outcrop.indexing.cluster.storage import Storage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Function = Callable[[bytes, Sequence[Row]], list[bytes]]


class Dataflow:
    """Runs functions over rows.

    Attributes:
        slots: How many tasks run at a time.
        storage: Object storage.
    """

    def __init__(self, daft: Any, *, slots: int, is_ray: bool) -> None:
        """Use Daft, whose runner is set."""
        self.slots = slots
        self.storage = Storage.of_environment()
        self._daft = daft
        self._is_ray = is_ray

    def list_objects(self, glob: str) -> list[tuple[str, int]]:
        """Return the URLs and sizes of the objects that a glob matches.

        Raises:
            InputError: The storage cannot be read.
        """
        try:
            frame = self._daft.from_glob_path(glob, io_config=self.storage.io_config())
            found = frame.select("path", "size").to_pydict()
        except FileNotFoundError:
            return []
        except Exception as error:  # noqa: BLE001 - whatever the storage raises
            reason = describe_failure(error)
            raise InputError(f"{glob!r} cannot be read: {reason}") from None
        return list(zip(found["path"], found["size"], strict=True))

    def run(
        self,
        function: Function,
        argument: bytes,
        rows: Sequence[tuple[bytes, str | None]],
        *,
        rows_per_task: int,
        gpus: float = 0,
    ) -> Iterator[Any]:
        """Call a function with rows; yield its results, unpacked, as they are made.

        Args:
            function: What each task does.
            argument: Its first argument, the same for all.
            rows: The rows: a packed value, and the URL of an object to read for it.
            rows_per_task: How many rows it is called with.
            gpus: How many GPUs a call needs.
        """
        daft = self._daft
        binary, text = daft.DataType.binary(), daft.DataType.string()
        urls = [url for _, url in rows]
        frame = daft.from_pydict({"row": [row for row, _ in rows], "url": urls})
        if self._is_ray:
            frame = frame.into_partitions(ceil(len(rows) / rows_per_task))

        class Tasks:
            def __init__(self, argument: bytes) -> None:
                self._argument = argument

            @daft.method.batch(return_dtype=binary, batch_size=rows_per_task)  # type: ignore[untyped-decorator]
            def run(self, packed: Any, urls: Any, data: Any) -> list[bytes]:
                columns = (packed.to_pylist(), urls.to_pylist(), data.to_pylist())
                rows = [
                    Row(p, u is not None, d) for p, u, d in zip(*columns, strict=True)
                ]
                return function(self._argument, rows)

        # A task drives a process of its own: another one around it would be idle.
        tasks = daft.cls(Tasks, use_process=False, gpus=gpus)(argument)
        url = daft.col("url").cast(text)
        data = (
            url.download(on_error="null", io_config=self.storage.io_config())
            if any(urls)
            else url.cast(binary)
        )
        frame = frame.with_column("data", data)
        result = tasks.run(daft.col("row"), url, daft.col("data")).alias("result")
        for row in frame.select(result).iter_rows():
            if row["result"]:
                yield pickle.loads(row["result"])  # noqa: S301 - from our own task
