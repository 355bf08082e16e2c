"""An agent needs no preparation: its server builds the index and follows the files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from integration.http.served import make_folder, remove_project
from integration.mcp.agents import agent_of, text_of
from integration.mcp.test_stdio import Talk, call, talking
from integration.store.processes import wait_until
from outcrop.indexing.config import IndexConfig
from outcrop.indexing.index import Index

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATIENCE = 40.0  # the machine may be busy


@pytest.fixture
def orchard() -> Iterator[Path]:
    """Return a project without an index."""
    folder = make_folder()
    (folder / "apples.md").write_text("# Apples\n\nPick russets in October.\n")
    (folder / "press.py").write_text("def squeeze(fruit):\n    return fruit\n")
    yield folder
    remove_project(folder)


def ask(talk: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool that answers, and return its data."""
    result = answer(talk, tool, **arguments)
    assert not result["isError"], result
    data: dict[str, Any] = result["structuredContent"]
    return data


def answer(talk: Talk, tool: str, **arguments: Any) -> dict[str, Any]:
    number = time.monotonic_ns()
    talk.say(call(number, tool, **arguments))
    result: dict[str, Any] = talk.hear_answer(number)["result"]
    return result


def finds(talk: Talk, query: str, path: str) -> bool:
    found = answer(talk, "search", query=query)
    if found["isError"]:  # on a busy machine nothing is searchable yet
        return False
    return any(hit["path"] == path for hit in found["structuredContent"]["hits"])


def becomes_found(talk: Talk, query: str, path: str) -> bool:
    return wait_until(lambda: finds(talk, query, path), PATIENCE)


def test_the_first_call_builds_the_index(orchard):
    with talking(orchard) as talk:
        talk.greet()
        assert not (orchard / ".outcrop").exists()
        assert becomes_found(talk, "when to pick russets", "apples.md")
        assert becomes_found(talk, "squeeze", "press.py")
        assert talk.leave() == 0
    assert (orchard / ".outcrop").is_dir()


def test_the_index_follows_the_files(orchard):
    with talking(orchard) as talk:
        talk.greet()
        assert becomes_found(talk, "russets", "apples.md")
        (orchard / "pears.md").write_text("# Pears\n\nConference pears keep long.\n")
        assert becomes_found(talk, "conference pears", "pears.md")
        (orchard / "pears.md").unlink()
        assert wait_until(
            lambda: not finds(talk, "conference pears", "pears.md"), PATIENCE
        )
        status = ask(talk, "index_status")
        assert (status["new"], status["changed"], status["gone"]) == (0, 0, 0)
        assert talk.leave() == 0


def test_a_server_told_not_to_watch_leaves_the_folder_alone(orchard):
    with talking(orchard, "--no-watch") as talk:
        talk.greet()
        refused = answer(talk, "search", query="russets")
        assert refused["isError"]
        assert "create one with: outcrop index PATH" in refused["content"][0]["text"]
        assert talk.leave() == 0
    assert not (orchard / ".outcrop").exists()


def test_an_agent_that_may_write_makes_the_first_index_itself(orchard):
    with talking(orchard, "--no-watch", "--allow-writes") as talk:
        talk.greet()
        assert ask(talk, "reindex")["added"] == 2
        assert finds(talk, "russets", "apples.md")
        assert talk.leave() == 0


def test_the_home_of_the_user_is_not_indexed_unasked(orchard, monkeypatch):
    monkeypatch.setenv("HOME", str(orchard))
    with talking(orchard) as talk:
        talk.greet()
        assert answer(talk, "search", query="russets")["isError"]
        assert talk.leave() == 0
    assert not (orchard / ".outcrop").exists()


def test_two_agents_share_one_refresher_and_the_other_takes_over(orchard):
    with talking(orchard) as first:
        first.greet()
        assert becomes_found(first, "russets", "apples.md")
        with talking(orchard) as second:
            second.greet()
            assert finds(second, "russets", "apples.md")
            with Index.open(orchard) as index:
                with index.hold_watch() as is_free:
                    assert not is_free
                (orchard / "plums.md").write_text("# Plums\n\nDamsons are sour.\n")
                assert becomes_found(second, "damsons", "plums.md")
                assert len([run for run in index.runs() if run.kind == "index"]) == 2
            first.process.kill()
            first.process.wait(timeout=20)
            (orchard / "figs.md").write_text("# Figs\n\nBrown turkey is hardy.\n")
            assert becomes_found(second, "brown turkey", "figs.md")
            assert second.leave() == 0


@pytest.fixture
def indexed(orchard) -> Iterator[Index]:
    with Index.open(orchard, config=IndexConfig(workers=1)) as index:
        index.index()
        yield index


def test_new_changed_and_gone_files_are_counted(orchard, indexed):
    (orchard / "new.md").write_text("# New\n")
    (orchard / "apples.md").write_text("# Apples\n\nPick them in November.\n")
    (orchard / "press.py").unlink()
    status = agent_of(indexed).call("index_status")
    data = status.structured_content
    assert (data["new"], data["changed"], data["gone"]) == (1, 1, 1)
    assert "1 new, 1 changed, 1 gone" in text_of(status)


def test_a_file_that_was_only_touched_has_not_changed(orchard, indexed):
    os.utime(orchard / "apples.md", ns=(1, 1))
    assert agent_of(indexed).ask("index_status")["changed"] == 0


def test_a_file_that_cannot_be_indexed_is_not_new(orchard, indexed):
    (orchard / "broken.md").write_bytes(b"caf\xe9")
    assert agent_of(indexed).ask("index_status")["new"] == 0


def test_an_answer_of_an_index_that_nobody_watches_says_that_it_is_stale(
    orchard, indexed
):
    fresh = agent_of(indexed).call("search", query="russets", limit=1)
    assert "note" not in fresh.structured_content
    (orchard / "apples.md").write_text("# Apples\n\nPick them in November.\n")
    (orchard / "new.md").write_text("# New\n")
    stale = agent_of(indexed).call("search", query="russets", limit=1)
    note = stale.structured_content["note"]
    assert note == (
        "files that differ from the index: 1 new, 1 changed, 0 gone; bring it up to date"
        " with: outcrop index; changed since they were indexed: apples.md"
    )
    text = text_of(stale)
    mark = text.partition(" ")[0]
    assert text.endswith(f"\n{mark} end\n{mark} note: {note}")


@pytest.fixture
def half_built(orchard) -> Iterator[Index]:
    """Return an index while its first run has stored the documents, but not the code."""
    stored, go_on = Event(), Event()

    def pause(progress: Any) -> None:
        if progress.files:
            stored.set()
            assert go_on.wait(PATIENCE)

    with Index.open(orchard, config=IndexConfig(workers=1)) as index:
        run = Thread(target=lambda: index.index(on_progress=pause))
        run.start()
        try:
            assert stored.wait(PATIENCE)
            yield index
        finally:
            go_on.set()
            run.join()


def test_answers_during_the_first_run_say_how_far_it_is(half_built):
    agent = agent_of(half_built)
    progress = "1 document is searchable, 1 file is still to be indexed"
    found = agent.ask("search", query="russets")
    assert found["hits"][0]["path"] == "apples.md"
    assert found["note"] == f"the index is being brought up to date: {progress}"
    assert agent.ask("index_status")["running"] == progress
    missing = agent.call("related", symbol="squeeze")
    assert progress in text_of(missing)


def test_the_command_line_says_how_much_is_searchable(half_built):
    done = subprocess.run(
        [sys.executable, "-m", "outcrop", "search", "russets"],
        cwd=half_built.project,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Pick russets in October" in done.stdout
    assert done.stderr == (
        "note: results may be incomplete: an index run is not finished: 1 document is"
        " searchable, 1 file is still to be indexed\n"
    )


def test_an_index_whose_files_are_all_away_is_left_as_it_is(orchard):
    with Index.open(orchard, config=IndexConfig(workers=1)) as index:
        index.index()
    away = orchard / ".away"  # as if the folder were not mounted
    away.mkdir()
    for name in ("apples.md", "press.py"):
        (orchard / name).rename(away / name)
    with talking(orchard) as talk:
        talk.greet()
        assert wait_until(
            lambda: "none of the indexed files exists" in text_of_status(talk), PATIENCE
        )
        assert finds(talk, "russets", "apples.md")
        for name in ("apples.md", "press.py"):
            (away / name).rename(orchard / name)
        (orchard / "pears.md").write_text("# Pears\n\nConference pears keep long.\n")
        assert becomes_found(talk, "conference pears", "pears.md")
        assert talk.leave() == 0


def text_of_status(talk: Talk) -> str:
    return str(answer(talk, "index_status")["content"][0]["text"])
