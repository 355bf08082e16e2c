"""The commands, as people and programs use them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from integration.store.created import give_database
from outcrop.cli.main import main
from outcrop.indexing.index_run import IndexRun
from outcrop.store.server.embedded import EmbeddedServer

TEA = "# Tea\n\n## Boil\n\nHeat the water.\n\n## Steep\n\nWait three minutes.\n"
POUR = """\
def pour(cup, pot):
    for _ in range(cup.size):
        cup.fill(pot.take())
    return cup
"""


@pytest.fixture(scope="module")
def folder():
    """Return a project with an index whose server runs for all tests."""
    project = Path(tempfile.mkdtemp(prefix="outcrop-test-"))
    project.chmod(0o755)
    give_database(project)
    (project / "docs").mkdir()
    (project / "docs" / "tea.md").write_text(TEA)
    (project / "docs" / "broken.md").write_bytes(b"caf\xe9")
    (project / "docs" / "code.py").write_text(POUR)
    (project / "docs" / "cup.png").write_bytes(b"png")
    with EmbeddedServer(project / ".outcrop"):
        run(project, "index", "docs")
        yield project
    shutil.rmtree(project)


def run(folder: Path, *arguments: str):
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(
            main, arguments, prog_name="outcrop", catch_exceptions=False
        )
    finally:
        os.chdir(before)


def test_an_index_run_in_a_folder_of_a_project_says_whose_index_it_updates(folder):
    said = run(folder / "docs", "index", "--dry-run")
    assert said.exit_code == 0
    assert said.stderr.startswith(
        f"this folder is in the project {folder.resolve()}, whose index is updated;"
        " for an index of its own: outcrop index --project .\n"
    )
    for silent in (
        run(folder, "index", "docs", "--dry-run"),
        run(folder / "docs", "index", "--dry-run", "--project", str(folder)),
        run(folder / "docs", "index", "--dry-run", "--quiet"),
    ):
        assert silent.exit_code == 0
        assert "this folder is in the project" not in silent.stderr


def test_an_index_run_says_what_it_did(folder):
    done = run(folder, "index", "docs")
    assert done.exit_code == 0
    assert "not indexed: docs/broken.md: not UTF-8" in done.stdout
    assert "0 added, 0 changed, 0 removed" in done.stdout
    assert "skipped: other kinds 1" in done.stdout


def test_an_index_run_can_be_read_by_programs(folder):
    report = json.loads(run(folder, "index", "docs", "--json").stdout)
    assert report["problems"] == [{"path": "docs/broken.md", "reason": "not UTF-8"}]
    assert report["skipped"] == {"other kinds": 1}


@pytest.fixture
def guarded(folder, tmp_path):
    """Return a folder with links that lead elsewhere and files that hold secrets."""
    made = folder / "guarded"
    made.mkdir()
    (tmp_path / "passwd.md").write_text("# Passwords\n")
    for number in range(5):
        (made / f"link{number}.md").symlink_to(tmp_path / "passwd.md")
    (made / "secret\x1b.yaml").write_text("password: x\n")
    yield made
    shutil.rmtree(made)
    run(folder, "index", "guarded")


def test_links_that_lead_elsewhere_and_secrets_are_named(folder, guarded):
    done = run(folder, "index", guarded.name)
    assert done.stdout.splitlines()[-3:] == [
        "skipped: links outside 5, secrets 1",
        (
            "not followed: guarded/link0.md, guarded/link1.md, guarded/link2.md "
            "and 2 more; include them with --follow-links"
        ),
        "may hold secrets: guarded/secret\\x1b.yaml; include them with --include-secrets",
    ]


def test_links_that_lead_elsewhere_and_secrets_are_taken_when_asked_for(
    folder, guarded
):
    left_out = json.loads(run(folder, "index", guarded.name, "--json").stdout)
    assert left_out["outside_links"] == [f"guarded/link{n}.md" for n in range(5)]
    assert left_out["secrets"] == ["guarded/secret\x1b.yaml"]
    options = ("--follow-links", "--include-secrets", "--json")
    taken = json.loads(run(folder, "index", guarded.name, *options).stdout)
    assert taken["added"] == ["guarded/link0.md", "guarded/secret\x1b.yaml"]
    assert (taken["outside_links"], taken["secrets"]) == ([], [])


def test_a_dry_run_lists_the_paths(folder):
    done = run(folder, "index", "docs", "--dry-run", "--max-tokens", "50")
    assert "~ docs/tea.md" in done.stdout
    assert "nothing written" in done.stdout


def test_a_search_shows_place_headings_and_text(folder):
    done = run(folder, "search", "how long to wait", "--limit", "1")
    first, *rest = done.stdout.splitlines()
    assert first.startswith("1.  docs/tea.md:7-9  Tea > Steep  (")
    assert "   Wait three minutes." in rest


def test_a_search_finds_the_project_from_a_folder_in_it(folder):
    done = run(folder / "docs", "search", "water", "--json", "--limit", "1")
    hit = json.loads(done.stdout)[0]
    assert hit["path"] == "docs/tea.md"
    assert TEA[hit["start_offset"] : hit["end_offset"]] in hit["content"]
    start, end = hit["highlights"][0]
    assert hit["content"][start:end] == "water"


def test_a_path_is_relative_to_where_the_shell_is(folder):
    report = json.loads(run(folder / "docs", "index", "tea.md", "--json").stdout)
    assert report["unchanged"] == 1


def test_a_context_is_printed_as_text_or_json(folder):
    assert "[docs/tea.md:" in run(folder, "search", "water", "--context", "100").stdout
    done = run(folder, "search", "water", "--context", "100", "--json")
    assert json.loads(done.stdout)["pieces"][0]["hit"]["path"] == "docs/tea.md"


def test_filters_reach_the_search(folder):
    assert "nothing found" in run(folder, "search", "water", "--path", "x/**").stdout
    found = run(folder, "search", "pour water", "--kind", "code").stdout
    assert "docs/code.py:1-4  docs.code.pour" in found
    assert "tea.md" not in found
    assert "Boil" in run(folder, "search", "water", "--depth", "2").stdout


def test_a_question_needs_no_quotation_marks(folder):
    quoted = run(folder, "search", "how long to wait")
    assert run(folder, "search", "how", "long", "to", "wait").stdout == quoted.stdout
    assert quoted.stdout.startswith("1. ")


def test_it_is_said_why_nothing_is_found(folder):
    done = run(folder, "search", "water", "--context", "3")
    assert done.stdout == "no result fits into 3 tokens\n"
    done = run(folder, "search", "water", "--context", "3", "--path", "x/")
    expected = (
        "nothing found: no document has a path that matches 'x/'; paths are relative"
        f" to {folder}\n"
    )
    assert done.stdout == expected
    filters = ("--tag", "tides", "--section", "Nowhere", "--package", "app")
    done = run(folder, "search", "water", *filters)
    assert done.stdout == (
        "nothing found: no code is in a package, module or type 'app'; no heading is"
        " 'Nowhere'; no document has the tag 'tides'\n"
    )
    done = run(folder, "search", "of the", "--mode", "text", "--kind", "doc")
    expected = f"nothing found within the filters; paths are relative to {folder}\n"
    assert done.stdout == expected
    assert run(folder, "search", "of the", "--mode", "text").stdout == "nothing found\n"


def test_an_empty_index_is_said_to_be_empty():
    with tempfile.TemporaryDirectory(prefix="outcrop-test-") as name:
        empty = Path(name)
        empty.chmod(0o755)
        run(empty, "index")
        assert "the index is empty" in run(empty, "search", "water").stdout


def test_a_chunk_is_shown_by_its_id(folder):
    hit = json.loads(run(folder, "search", "water", "--json").stdout)[0]
    shown = run(folder, "show", hit["id"][:8], "--around", "1").stdout
    assert "Heat the water." in shown
    assert "Wait three minutes." in shown
    assert run(folder, "show", hit["id"], "--around", "9" * 20).stdout == shown
    missing = run(folder, "show", "ffffffff")
    assert (missing.exit_code, missing.stderr) == (
        4,
        "error: there is no chunk 'ffffffff' in the index\n",
    )


def test_status_counts(folder):
    assert "documents   2" in run(folder, "status").stdout
    found = json.loads(run(folder, "status", "--json").stdout)
    assert found["contents"]["documents"] == 2


def test_a_doctor_finds_nothing_wrong_in_a_good_index(folder):
    done = run(folder, "doctor")
    assert done.exit_code == 0, done.stdout
    assert "ok    server: PostgreSQL" in done.stdout
    assert all(
        finding["ok"] for finding in json.loads(run(folder, "doctor", "--json").stdout)
    )


def test_a_folder_cannot_steer_the_terminal(tmp_path):
    project = tmp_path / "\x1b[2Jgone"
    project.mkdir()
    for command in (["doctor"], ["status"]):
        done = run(tmp_path, *command, "--project", str(project))
        assert f"no index in {tmp_path}/\\x1b[2Jgone or above it" in done.output
        assert "\x1b" not in done.output


def test_nothing_is_wrong_where_nothing_is_indexed_yet(tmp_path):
    done = run(tmp_path, "doctor")
    assert done.exit_code == 0
    assert "create one with: outcrop index PATH" in done.stdout
    assert "FAIL" not in done.stdout


def test_reembed_says_how_many(folder):
    assert "0 chunks embedded" in run(folder, "reembed").stdout
    assert "chunks embedded" in run(folder, "reembed", "--force").stdout


def test_an_index_of_an_earlier_release_works_until_it_is_embedded_again(folder):
    pytest.importorskip("wordllama")
    old = "wordllama-l2-supercat-256"
    assert old in run(folder, "reembed", "--embedder", "wordllama").stdout
    assert "Wait three minutes" in run(folder, "search", "how long to wait").stdout
    assert run(folder, "index", "docs").exit_code == 0
    for command in ("status", "doctor"):
        done = run(folder, command)
        assert done.exit_code == 0
        assert f"{old} is the embedder of earlier releases; run:" in done.stdout
    assert "chunks embedded with outcrop-static-256-v1" in run(folder, "reembed").stdout
    assert "earlier releases" not in run(folder, "status").stdout
    assert "Wait three minutes" in run(folder, "search", "how long to wait").stdout


@pytest.mark.parametrize("command", [["search", "x"], ["show", "abcd"], ["status"]])
def test_a_folder_without_an_index_is_left_without_one(tmp_path, command):
    done = run(tmp_path, *command)
    assert done.exit_code == 4
    assert "there is no index in" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(["missing"], 1), (["missing", "--dry-run"], 1), (["--dry-run"], 0)],
)
def test_nothing_is_made_where_nothing_is_to_be_indexed(tmp_path, arguments, code):
    (tmp_path / "tea.md").write_text(TEA)
    done = run(tmp_path, "index", *arguments)
    assert done.exit_code == code
    assert ("+ tea.md\n" in done.stdout) == (code == 0)
    assert [file.name for file in tmp_path.iterdir()] == ["tea.md"]


@pytest.mark.parametrize(
    ("variable", "arguments", "message"),
    [
        ("OUTCROP_RERANK", [], "unknown reranker 'magic'"),
        ("OUTCROP_EMBEDDER", [], "unknown embedder 'magic'"),
        ("OPENAI_BASE_URL", ["--summaries", "llm"], "magic"),
        ("OPENAI_BASE_URL", ["--summaries", "llm", "--watch"], "magic"),
    ],
)
def test_a_wrong_setting_leaves_no_empty_index(
    tmp_path, monkeypatch, variable, arguments, message
):
    monkeypatch.setenv(variable, "magic")
    (tmp_path / "tea.md").write_text(TEA)
    done = run(tmp_path, "index", *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["tea.md"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["search", ""], 1, "the query is empty"),
        (["search", "x", "--limit", "0"], 2, "0 is not in the range"),
        (["search", "x", "--context", "0"], 2, "0 is not in the range"),
        (["search", "x", "--embedder", "magic"], 2, "unknown embedder 'magic'"),
        (
            ["search", "x", "--database-url", "mysql://u:secret@h/d"],
            2,
            "PostgreSQL URL",
        ),
        (["index", "missing"], 1, "there is no file or folder at"),
        (["index", "--max-tokens", "2"], 2, "max_tokens is 2"),
        (["index", "--watch", "--dry-run"], 2, "cannot be used together"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(folder, arguments, code, message):
    done = run(folder, *arguments)
    assert done.exit_code == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert "secret" not in done.output


def test_retries_are_not_told_one_by_one(folder, monkeypatch, caplog):
    pytest.importorskip("openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr("outcrop.providers.endpoint.sleep", lambda _: None)
    done = run(folder, "search", "x", "--embedder", "openai:m")
    assert (done.exit_code, done.stderr.count("\n")) == (5, 1)
    assert "127.0.0.1 cannot be reached" in done.stderr
    assert not [record for record in caplog.records if "again" in record.getMessage()]


def test_a_file_cannot_steer_the_terminal(folder):
    (folder / "docs" / "evil.md").write_text(
        "# \x1b[31mred\n\nsteerable \x1b]0;x\x07\n"
    )
    run(folder, "index", "docs")
    shown = run(folder, "search", "steerable", "--limit", "1").stdout
    assert "\\x1b[31mred" in shown
    assert "\x1b]0" not in shown
    (folder / "docs" / "evil.md").unlink()
    run(folder, "index", "docs")


def test_watch_goes_on_until_it_is_interrupted(folder):
    command = [sys.executable, "-c", "from outcrop.cli.main import main; main()"]
    process = subprocess.Popen(
        [*command, "index", "docs", "--watch", "--json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stdout, process.stderr:
        try:
            assert json.loads(process.stdout.readline())["unchanged"] == 2
            (folder / "docs" / "more.md").write_text("# More\n\nText.\n")
            assert json.loads(process.stdout.readline())["added"] == ["docs/more.md"]
            (folder / "docs" / "more.md").unlink()
            assert json.loads(process.stdout.readline())["removed"] == ["docs/more.md"]
            process.send_signal(signal.SIGINT)
            started = time.monotonic()
            assert process.wait(timeout=20) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
    assert time.monotonic() - started < 10


def test_an_interrupted_run_is_recorded_as_interrupted(folder, monkeypatch):
    (folder / "docs" / "late.md").write_text("# Late\n\nText.\n")

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(IndexRun, "storing_documents", interrupt)
    done = run(folder, "index", "docs")
    monkeypatch.undo()
    assert (done.exit_code, done.stderr) == (130, "interrupted\n")
    searched = run(folder, "search", "steep")
    assert "note: results may be incomplete: the last index run did not" in (
        searched.stderr
    )
    last = json.loads(run(folder, "runs", "--json").stdout)[0]
    assert last["error"] == "interrupted; the next run continues it"
    assert "1 added" in run(folder, "index", "docs").stdout
    assert run(folder, "search", "steep").stderr == ""
    (folder / "docs" / "late.md").unlink()
    run(folder, "index", "docs")


def test_a_quiet_run_prints_only_what_needs_attention(folder):
    done = run(folder, "index", "docs", "--quiet")
    assert done.stdout == "not indexed: docs/broken.md: not UTF-8\n"


def test_a_verbose_run_logs_its_steps(folder):
    done = run(folder, "index", "docs", "--verbose")
    assert "outcrop.cli.opening: opened the index of" in done.stderr
    assert "outcrop.indexing.run: to do: 0 documents" in done.stderr


def test_status_counts_the_disk_as_du_does(folder):
    found = json.loads(run(folder, "status", "--json").stdout)
    done = subprocess.run(
        ["du", "-s", "-B1", found["server"]["location"]],
        capture_output=True,
        text=True,
        check=True,
    )
    counted = int(done.stdout.split()[0])
    assert found["disk_bytes"] == pytest.approx(counted, rel=0.05)
    assert "on disk" in run(folder, "status").stdout


@pytest.fixture
def questions(folder, tmp_path):
    file = tmp_path / "questions.jsonl"
    file.write_text(
        '{"query": "heat the water", "path": "docs/tea.md", "heading": "Boil"}\n'
        '{"query": "<b>wait</b>", "path": "docs/tea.md", "lines": [7, 9]}\n'
    )
    return file


def test_own_questions_are_scored_and_compared(folder, questions, tmp_path):
    page = tmp_path / "report.html"
    arguments = ["eval", str(questions), "--against", "mode=text,kind=code"]
    done = run(folder, *arguments, "--report", str(page))
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == ("2 questions; defaults, compared with mode=text, kind=['code']")
    assert lines[1].split()[:4] == ["MRR@10", "1.000", "0.000", "+1.000"]
    text = page.read_text()
    assert "&lt;b&gt;wait&lt;/b&gt;" in text
    assert "<b>wait" not in text
    assert "src=" not in text


def test_scores_can_be_read_by_programs(folder, questions):
    found = json.loads(run(folder, "eval", str(questions), "--json").stdout)
    assert found["settings"][0]["metrics"]["MRR@10"] == 1.0
    assert found["differences"] == {}
    assert [asked["ranks"] for asked in found["questions"]] == [[1], [1]]


def test_an_unknown_setting_of_an_evaluation_is_refused(folder, questions):
    done = run(folder, "eval", str(questions), "--set", "modus=text")
    assert done.exit_code == 2
    assert "'modus=text' is not a setting; write KEY=VALUE" in done.stderr


def test_a_misspelt_word_is_corrected_and_the_command_says_so(folder):
    done = run(folder, "search", "heat the watre")
    assert done.stderr == "searched for: heat the water (--verbatim keeps the words)\n"
    assert "docs/tea.md" in done.stdout
    assert run(folder, "search", "heat the watre", "--verbatim").stderr == ""


def test_filters_are_offered_when_hits_of_several_kinds_fill_the_list(folder):
    search = ("search", "heat the water", "--limit")
    hits = json.loads(run(folder, *search, "90", "--json").stdout)
    assert {hit["source"] for hit in hits} == {"doc", "code"}
    assert "narrow it with: --kind" in run(folder, *search, str(len(hits))).stderr
    assert run(folder, *search, str(len(hits)), "-q").stderr == ""
    assert run(folder, *search, str(len(hits) + 1)).stderr == ""
