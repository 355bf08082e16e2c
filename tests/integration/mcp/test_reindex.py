"""The one tool that writes: files of the project, and only those."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from integration.mcp.agents import agent_of, text_of
from integration.store.processes import wait_until

if TYPE_CHECKING:
    from mcp import Client


@pytest.fixture
def writer(own_index):
    return agent_of(own_index, allow_writes=True)


@pytest.fixture
def docs(own_project, writer):
    """Return the folder of documents, put in order again afterwards."""
    folder = own_project / "docs"
    yield folder
    for path in folder.iterdir():
        if path.name != "tea.md":
            path.unlink()
    (folder / "tea.md").write_text("# Tea\n\nSteep it for three minutes.\n")
    writer.ask("reindex", paths=["docs"])


def test_new_changed_and_removed_files_are_noticed(docs, writer):
    (docs / "coffee.md").write_text("# Coffee\n\nGrind the beans.\n")
    (docs / "tea.md").write_text("# Tea\n\nSteep it for five minutes.\n")
    status = writer.ask("index_status")
    assert (status["new"], status["changed"]) == (1, 1)
    assert status["advice"] == "files changed; bring it up to date with: outcrop index"
    done = writer.ask("reindex", paths=["docs"])
    assert (done["added"], done["changed"], done["removed"]) == (1, 1, 0)
    assert writer.ask("search", query="beans")["hits"][0]["path"] == "docs/coffee.md"
    (docs / "coffee.md").unlink()
    assert writer.ask("index_status")["gone"] == 1
    assert writer.ask("reindex")["removed"] == 1


def test_without_paths_the_folders_of_the_index_are_looked_at(
    docs, writer, own_project
):
    (own_project / "elsewhere").mkdir(exist_ok=True)
    (own_project / "elsewhere" / "x.md").write_text("# Not asked for\n")
    (docs / "sub.md").write_text("# Sub\n")
    writer.ask("reindex", paths=["docs/sub.md"])
    (docs / "new.md").write_text("# New\n")
    done = writer.ask("reindex")
    assert done["paths"] == ["docs"]
    assert (done["added"], done["unchanged"]) == (1, 2)


def test_problems_are_named(docs, writer):
    (docs / "broken.md").write_bytes(b"caf\xe9")
    result = writer.call("reindex", paths=["docs"])
    assert result.structured_content["problems"] == ["docs/broken.md: not UTF-8"]
    assert "1 left out:\ndocs/broken.md: not UTF-8" in text_of(result)


@pytest.mark.parametrize("path", ["..", "/etc", "docs/../../etc", "docs/out.md", "out"])
def test_nothing_outside_the_project_is_read(docs, writer, own_project, tmp_path, path):
    (tmp_path / "secret.md").write_text("# Secret\n")
    (docs / "out.md").symlink_to(tmp_path / "secret.md")
    folder = own_project / "out"
    folder.symlink_to(tmp_path)
    try:
        result = writer.call("reindex", paths=[path])
        assert result.is_error
        assert "leads outside the project" in text_of(result)
        assert "leads outside" in text_of(writer.call("reindex", paths=["docs"]))
        documents = writer.ask("outline")["entries"]
        assert [entry["path"] for entry in documents] == ["docs/tea.md"]
    finally:
        folder.unlink()


def test_a_file_that_may_hold_secrets_is_not_read(docs, writer):
    (docs / "secrets.yaml").write_text("password: steeped\n")
    result = writer.call("reindex", paths=["docs/secrets.yaml"])
    assert result.is_error
    assert "may hold secrets" in text_of(result)
    done = writer.call("reindex", paths=["docs"])
    assert done.structured_content["added"] == 0
    assert "1 left out, may hold secrets:\ndocs/secrets.yaml" in text_of(done)


def test_wrong_paths_are_refused(writer):
    for paths, message in (
        (["nowhere"], "there is no file or folder at"),
        (["a\0"], "it contains a NUL"),
        (["x"] * 101, "paths: list should have at most 100 items"),
        ("docs", "paths: input should be a valid list"),
    ):
        result = writer.call("reindex", paths=paths)
        assert result.is_error
        assert message in text_of(result)


class _Slow:
    """An index whose runs wait to be let go on, and tell how far they are."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.started = threading.Event()
        self.go_on = threading.Event()
        self.batches = 0
        self.running = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def continued(self) -> _Slow:
        return self

    def index(self, paths: Any, *, on_progress: Any) -> Any:
        from outcrop.indexing.report import Progress

        self.running += 1
        try:
            for batch in range(3):
                self.started.set()
                assert self.go_on.wait(20)
                self.batches += 1
                on_progress(
                    Progress(
                        files=batch + 1,
                        total_files=3,
                        size_bytes=0,
                        total_bytes=0,
                        chunks=0,
                    )
                )
            return self._index.index(paths)
        finally:
            self.running -= 1


def test_progress_is_told(own_index):
    slow = _Slow(own_index)
    slow.go_on.set()
    told: list[tuple[float, float | None]] = []

    async def ask(client: Client) -> bool:
        async def note(done: float, total: float | None, _message: str | None) -> None:
            told.append((done, total))

        call = client.call_tool("reindex", {}, progress_callback=note)
        return (await call).is_error

    assert agent_of(slow, allow_writes=True).do(ask) is False
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_run_that_nobody_waits_for_ends_after_its_batch(own_index):
    slow = _Slow(own_index)

    async def give_up(client: Client) -> str:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "reindex", {})
            await anyio.to_thread.run_sync(slow.started.wait, 20)
            second = await client.call_tool("reindex", {})
            group.cancel_scope.cancel()
        return text_of(second)

    told = agent_of(slow, allow_writes=True).do(give_up)
    assert told == "the index is being brought up to date already; wait for it"
    slow.go_on.set()
    assert wait_until(lambda: not slow.running)
    assert slow.batches == 1
