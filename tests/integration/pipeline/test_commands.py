"""`outcrop build`, `worker` and `runs`, as people and programs use them."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from integration.pipeline.projects import write_project
from integration.store.created import give_database
from outcrop.cli.main import main
from outcrop.store.database import Database
from outcrop.store.server.embedded import EmbeddedServer
from outcrop.store.store import PostgresStore

OUTCROP = [sys.executable, "-c", "from outcrop.cli.main import main; main()"]

ALL_EMBEDDED = re.compile(r"embed (\d) of \1;")


@pytest.fixture(scope="module")
def served():
    """Return a folder whose server runs for all tests."""
    folder = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    folder.chmod(0o755)
    give_database(folder)
    with EmbeddedServer(folder / ".outcrop"):
        yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(served):
    """Return a project of code that is in no index."""
    for name in ("tea", "web"):
        shutil.rmtree(served / name, ignore_errors=True)
    write_project(served)
    with (
        PostgresStore(Database.open(served)) as store,
        store._database.write() as connection,
    ):
        connection.execute("DROP SCHEMA outcrop CASCADE")
    return served


def run(folder: Path, *arguments: str):
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(
            main, arguments, prog_name="outcrop", catch_exceptions=False
        )
    finally:
        os.chdir(before)


def test_a_build_says_what_it_did_and_is_found(folder):
    done = run(folder, "build")
    assert done.exit_code == 0
    assert "run         1, done" in done.stdout
    stages = [line.split()[-4:] for line in done.stdout.splitlines()[-4:]]
    assert [stage[0] for stage in stages] == [
        "extract-snippet",
        "summarize",
        "embed",
        "link-edges",
    ]
    assert all(stage[1] == stage[3] for stage in stages)
    assert ALL_EMBEDDED.search(done.stderr)
    hits = json.loads(run(folder, "search", "wash a cup", "--json").stdout)
    assert hits[0]["path"] == "tea/cup.py"


def test_a_build_can_be_read_by_programs(folder):
    done = run(folder, "build", ".", "--app", "tea", "--json")
    values = json.loads(done.stdout)
    assert (values["state"], values["application_id"]) == ("done", "tea")
    embedded = values["statistics"]["stages"]["embed"]
    assert embedded["done"] == embedded["total"] > 2
    assert values == json.loads(run(folder, "runs", "1", "--json").stdout)
    assert [values] == json.loads(run(folder, "runs", "--json").stdout)


def test_a_dry_run_counts(folder):
    done = run(folder, "build", "--dry-run", "--strategy", "per-node")
    assert done.stdout.startswith("nothing written; 12 nodes of ")
    assert json.loads(run(folder, "build", "--dry-run", "--json").stdout)["pages"] == 1
    assert "no runs yet" in run(folder, "runs").stdout


def test_kinds_and_limits_are_options(folder):
    done = run(folder, "build", "--strategy", "per-node", "--kinds", "class,xyz")
    assert "note        ignored unknown kinds XYZ" in done.stdout
    assert "ignored unknown kinds" not in done.stderr
    assert "1 node planned, 1 chunk written" in done.stdout
    done = run(folder, "build", "--strategy", "per-node", "--limit", "5")
    assert "5 nodes planned" in done.stdout


def test_a_build_may_leave_the_work_to_a_worker(folder):
    assert "run         1, running" in run(folder, "build", "--no-work").stdout
    assert re.search(r": 0 of \d chunks done", run(folder, "runs").stdout)
    done = run(folder, "worker", "--once", "--concurrency", "2")
    assert (done.exit_code, done.output) == (0, "")
    assert re.search(r": (\d) of \1 chunks done", run(folder, "runs").stdout)


def test_a_worker_needs_the_database_and_the_name_alone(
    server_url, tmp_path, tmp_path_factory, monkeypatch
):
    project = write_project(tmp_path)
    named = ("--project", "tea")
    run(project, "build", "--no-work", "--database-url", server_url, *named)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setenv("OUTCROP_DATABASE_URL", server_url)
    monkeypatch.setattr("platform.node", lambda: "another machine")
    assert run(elsewhere, "worker", "--once").exit_code == 4  # not by itself
    assert run(elsewhere, "worker", "--once", *named).exit_code == 0
    shown = run(elsewhere, "runs", "1", *named).stdout
    assert "run         1, done" in shown
    assert "note        another machine cannot reach the files" in shown
    assert list(elsewhere.iterdir()) == []


def test_a_run_that_ended_is_followed_to_its_end(folder):
    run(folder, "build")
    followed = run(folder, "runs", "--watch")
    assert ALL_EMBEDDED.search(followed.stderr)
    assert "run         1, done" in followed.stdout
    lines = run(folder, "runs", "1", "--watch", "--json").stdout.splitlines()
    assert [json.loads(line)["state"] for line in lines] == ["done"]


def test_failures_are_shown_and_change_the_exit_code(folder, monkeypatch):
    def refuse(*_):
        raise ValueError("no tea today")

    monkeypatch.setattr("outcrop.pipeline.summarize.Summarize.run", refuse)
    done = run(folder, "build")
    assert done.exit_code == 5
    assert re.search(
        r"error: (\d) of the run's chunks failed: .*; see: outcrop runs 1", done.stderr
    )
    shown = run(folder, "runs", "1").stdout
    assert re.search(r"summarize        0 of (\d), \1 failed", shown)
    assert re.search(r"summarize: tea/pot.py:\d+ tea.pot\S*: ValueError: no tea", shown)
    assert re.search(r"0 of (\d) chunks done, \1 failed", run(folder, "runs").stdout)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["build", "--strategy", "x"], 2, "unknown strategy 'x'; choose one of"),
        (["build", "--limit", "-1"], 2, "limit_nodes is -1"),
        (["build", "missing"], 1, "there is no file or folder at"),
        (["build", "--summarize", "magic"], 2, "unknown summarizer 'magic'"),
        (["worker", "--concurrency", "0"], 2, "0 is not in the range"),
        (["runs", "77"], 4, "there is no run 77"),
        (["runs", "--watch"], 4, "the index has no run to follow"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, arguments, code, message):
    done = run(folder, *arguments)
    assert done.exit_code == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", ["worker", "runs"])
def test_a_folder_without_an_index_is_left_without_one(tmp_path, command):
    done = run(tmp_path, command)
    assert done.exit_code == 4
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_build_goes_on_with_a_worker(folder):
    for number in range(150):
        (folder / "tea" / f"leaf{number}.py").write_text(
            "".join(f"def pick_{number}_{n}():\n    return {n}\n\n\n" for n in range(5))
        )
    process = subprocess.Popen(
        [*OUTCROP, "build", "--strategy", "per-node"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with PostgresStore(Database.open(folder)) as store:
        while not any(_done(found) for found in store.runs(1)):
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=40)
        assert process.returncode == 0
        assert "continue with: outcrop worker --once" in stderr
        assert "running" in stdout
        assert run(folder, "worker", "--once").exit_code == 0
        (found,) = store.runs()
        assert (found.state, found.errors) == ("done", [])
        stages = found.statistics["stages"]
        assert stages["embed"]["done"] == stages["embed"]["total"] > 800


def _done(found) -> int:
    return found.statistics.get("stages", {}).get("extract-snippet", {}).get("done", 0)


def test_a_terminal_shows_a_bar_for_each_stage(folder):
    shown, terminal = pty.openpty()
    process = subprocess.Popen(
        [*OUTCROP, "build"],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(terminal)
    text = b""
    with open(shown, "rb", buffering=0) as stream, suppress(OSError):  # noqa: PTH123
        while part := stream.read(4096):
            text += part
    assert process.wait(timeout=30) == 0
    for stage in ("extract-snippet", "summarize", "embed", "link-edges"):
        assert re.search(rf"{stage}[^\r\n]*━".encode(), text)


def test_a_worker_says_where_it_works_and_ends_when_told(folder):
    run(folder, "build", "--no-work")
    process = subprocess.Popen(
        [*OUTCROP, "worker"], cwd=folder, stderr=subprocess.PIPE, text=True
    )
    with PostgresStore(Database.open(folder)) as store:
        assert process.stderr.readline().startswith("working for ")
        while store.get_run(1).state == "running":
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (
        0,
        "interrupted; other workers process the rest\n",
    )


def test_row_3_15_a_build_reads_pages_and_leaves_relations_out(folder):
    done = run(
        folder, "build", "--strategy", "per-node", "--batch-size", "60",
        "--no-relations", "--no-work", "--json",
    )  # fmt: skip
    assert done.exit_code == 0
    parameters = json.loads(done.stdout)["parameters"]
    assert (parameters["batch_size"], parameters["relations"]) == (60, False)
    with PostgresStore(Database.open(folder)) as store:
        chunks = store.chunks_of("tea/pot.py")
    assert chunks
    assert not any(chunk.relations for chunk in chunks)


def test_row_3_67_index_keeps_the_strategy_of_a_build(folder):
    assert run(folder, "build", "--strategy", "per-node").exit_code == 0
    assert run(folder, "index").exit_code == 0
    assert strategies(folder) == {"per-node"}
    assert run(folder, "index", "--strategy", "adaptive").exit_code == 0
    assert strategies(folder) == {"adaptive"}
    refused = run(folder, "index", "--strategy", "by-mood")
    assert refused.exit_code == 2
    assert "choose one of: per-node, adaptive" in refused.stderr


def strategies(folder: Path) -> set[str]:
    with PostgresStore(Database.open(folder)) as store:
        return {
            chunk.pipeline["service"]["strategy"]
            for path in ("tea/pot.py", "tea/cup.py", "web/style.css")
            for chunk in store.chunks_of(path)
        }


def test_row_3_45_a_model_that_is_down_takes_one_line(folder, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("asyncio.sleep", quick_sleep(asyncio.sleep))
    done = run(folder, "build", "--summarize", "openai:m")
    assert done.exit_code == 5
    error = done.stderr.splitlines()[-1]
    assert "127.0.0.1 cannot be reached" in error
    assert "outcrop build --retry-failed" in error
    assert done.stderr.count("cannot be reached") == 1
    found = run(folder, "search", "fill a cup", "--limit", "1")
    assert "def pour(self, cup):" in found.stdout
    again = run(folder, "build", "--retry-failed")
    assert again.exit_code == 0
    assert re.search(r"summarize +(\d+) of \1", again.stdout)


def quick_sleep(sleep):
    """Return a sleep that shortens the pauses between requests."""
    return lambda seconds, *rest: sleep(min(seconds, 0.05), *rest)
