"""Which files `outcrop chunk` takes, and what it says of those it cannot."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_several_files_are_chunked_in_the_order_given(outcrop, tmp_path):
    for name in ("b.md", "a.md"):
        (tmp_path / name).write_text(f"# {name}\n\nText.\n")
    result = outcrop("chunk", "b.md", "a.md", "--format", "json")
    assert result.exit_code == 0
    assert [document["path"] for document in json.loads(result.stdout)] == [
        "b.md",
        "a.md",
    ]


def test_a_dash_is_standard_input(outcrop):
    result = outcrop("chunk", "-", "--format", "jsonl", stdin=b"# One\n\nText.\n")
    assert result.exit_code == 0
    line = json.loads(result.stdout)
    assert (line["path"], line["content"]) == ("-", "# One\n\nText.")


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_line_ends_tabs_and_a_byte_order_mark_survive(outcrop, tmp_path, source):
    text = "\ufeff# One\r\n\r\n\tcode\r\n\rlone\u2028line\n"
    data = text.encode()
    (tmp_path / "crlf.md").write_bytes(data)
    path = "-" if source == "standard input" else "crlf.md"
    result = outcrop("chunk", path, "--format", "jsonl", stdin=data)
    (line,) = result.stdout.splitlines()  # at U+2028 too: none may stand there
    chunk = json.loads(line)
    assert chunk["content"] == text.rstrip()
    assert text[chunk["start_offset"] : chunk["end_offset"]] == chunk["content"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "bad.md: binary: a NUL at byte 1"),
        (b"\xff\xfea\0", "bad.md: looks like UTF-16; convert the file to UTF-8 first"),
        (
            b"one\ntwo \xe9\n",
            "bad.md: not UTF-8: byte 0xe9 on line 2; convert the file first",
        ),
        (None, "bad.md: no such file"),
    ],
    ids=["nul", "utf-16", "latin-1", "missing"],
)
@pytest.mark.parametrize("output_format", ["table", "json", "jsonl", "html"])
def test_a_bad_file_is_reported_and_the_others_are_done(
    outcrop, tmp_path, data, message, output_format
):
    (tmp_path / "good.md").write_text("# Good\n\nText.\n")
    if data is not None:
        (tmp_path / "bad.md").write_bytes(data)
    result = outcrop("chunk", "bad.md", "good.md", "--format", output_format)
    assert result.exit_code == 1
    assert result.stderr == f"error: {message}\n"
    assert "good.md" in result.stdout
    assert "bad.md" not in result.stdout


def test_a_folder_is_refused_with_what_to_do(outcrop, tmp_path):
    (tmp_path / "docs").mkdir()
    result = outcrop("chunk", "docs")
    assert result.exit_code == 1
    assert result.stderr == "error: docs: a folder; name the files in it\n"


def test_a_file_without_permission_is_reported(outcrop, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n")
    secret.chmod(0)
    if os.access(secret, os.R_OK):
        pytest.skip("the superuser may read everything")
    result = outcrop("chunk", "secret.md")
    assert result.exit_code == 1
    assert result.stderr == "error: secret.md: cannot be read: permission denied\n"


def test_a_file_that_fails_while_it_is_read_is_reported(outcrop):
    memory = "/proc/self/mem"
    if not Path(memory).exists():
        pytest.skip("needs a file whose read fails, as Linux has one")
    result = outcrop("chunk", memory)
    assert result.exit_code == 1
    assert result.stderr == f"error: {memory}: cannot be read: input/output error\n"


def test_json_is_complete_when_no_file_can_be_read(outcrop):
    result = outcrop("chunk", "missing.md", "--format", "json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == []


def test_no_file_at_all_is_wrong_usage(outcrop):
    result = outcrop("chunk")
    assert result.exit_code == 2
    assert "Missing argument 'FILE...'" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-size", "0"], "'--max-size': 0: it must be at least 1"),
        (["--max-size", "x"], "'--max-size': 'x' is not a valid integer"),
        (
            ["--max-size", "100", "--overlap", "100"],
            "'--overlap': 100: it must be smaller than --max-size (100)",
        ),
        (
            ["--max-size", "100", "--min-size", "200"],
            "'--min-size': 200: it must not exceed --max-size (100)",
        ),
        (["--strategy", "best"], "'--strategy': 'best' is not one of 'code_aware'"),
        (["--oversize", "drop"], "'--oversize': 'drop' is not one of 'keep', 'split'"),
        (["--format", "xml"], "'--format': 'xml' is not one of 'table', 'json'"),
    ],
)
def test_a_wrong_value_names_its_option(outcrop, tmp_path, options, message):
    (tmp_path / "a.md").write_text("# A\n")
    result = outcrop("chunk", "a.md", *options)
    assert result.exit_code == 2
    assert f"Invalid value for {message}" in " ".join(result.stderr.split())
    assert result.stdout == ""


@pytest.mark.parametrize("output_format", ["table", "json", "jsonl", "html"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_news(tmp_path, output_format, unbuffered):
    document = tmp_path / "long.md"
    document.write_text("# Long\n\n" + "A sentence of a few words. " * 8_000)
    start = [sys.executable, "-c", "from outcrop.cli.main import main; main()"]
    options = ["--max-size", "100", "--format", output_format]
    process = subprocess.Popen(
        [*start, "chunk", str(document), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    with process:
        assert process.stdout
        assert process.stderr
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=50) == 1


RST = "Tide gauge\n==========\n\n.. note:: High at noon.\n"


@pytest.mark.parametrize("command", ["chunk", "sections"])
@pytest.mark.parametrize("name", ["tide.rst", "tide.html", "tide.ipynb", "tide.adoc"])
def test_a_document_in_another_format_is_cut_as_markdown_with_a_note(
    outcrop, tmp_path, command, name
):
    (tmp_path / name).write_text(RST)
    result = outcrop(command, name)
    assert result.exit_code == 0
    assert result.stderr == (
        f"note: {name} is cut as Markdown, markup and all;"
        " only outcrop index reads its own format\n"
    )
    assert outcrop(command, name, "--quiet").stderr == ""


def test_sections_of_code_are_cut_with_a_note(outcrop, tmp_path):
    (tmp_path / "tide.py").write_text("# Add it\nx = 1\n")
    said = outcrop("sections", "tide.py").stderr
    assert said.endswith("outcrop chunk cuts code at its definitions\n")
    assert outcrop("chunk", "tide.py").stderr == ""


def test_markdown_and_text_need_no_note(outcrop, tmp_path):
    for name in ("tide.md", "tide.txt", "TIDE"):
        (tmp_path / name).write_text(RST)
        for command in ("chunk", "sections"):
            assert outcrop(command, name).stderr == ""
    (tmp_path / "tide.rst").write_text(RST)
    assert outcrop("chunk", "tide.rst", "--as", "markdown").stderr == ""
