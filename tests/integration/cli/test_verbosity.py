"""How much commands tell, how they end on an interrupt, and completion."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys

import click
import pytest

from outcrop.cli import main as cli
from outcrop.cli.verbosity import is_quiet, is_verbose


@pytest.fixture
def told(monkeypatch):
    """Replace the commands by one that logs and tells what it was asked for."""

    @click.command()
    def telling() -> None:
        logging.getLogger("outcrop.told").info("a step")
        logging.getLogger("psycopg.told").debug("a detail")
        click.echo(f"{is_quiet()} {is_verbose()}")

    monkeypatch.setattr(cli.Entry, "load", lambda _: telling)


@pytest.mark.parametrize(
    ("options", "printed", "logged"),
    [
        ((), "False False", []),
        (("--quiet",), "True False", []),
        (("-v",), "False True", ["a step"]),
        (("-vv",), "False True", ["a step", "a detail"]),
    ],
)
def test_a_command_tells_as_much_as_it_is_asked_to(
    outcrop, told, options, printed, logged
):
    result = outcrop("search", *options)
    assert result.stdout == f"{printed}\n"
    lines = [line.rpartition(": ")[2] for line in result.stderr.splitlines()]
    assert lines == logged


def test_a_verbose_command_leaves_the_logging_of_its_process_as_it_was(outcrop, told):
    logger = logging.getLogger("outcrop")
    before = logger.level, logger.propagate, list(logger.handlers)
    outcrop("search", "-v")
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_an_interrupt_ends_a_command_with_130_and_a_word(outcrop, monkeypatch):
    @click.command()
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.Entry, "load", lambda _: interrupted)
    result = outcrop("search")
    assert result.exit_code == 130
    assert result.stderr == "interrupted\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_calls_outcrop(outcrop, shell):
    result = outcrop("completion", shell)
    assert result.exit_code == 0
    assert f"_OUTCROP_COMPLETE={shell}_complete" in result.stdout


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/outcrop"),
        ("zsh", ".local/share/zsh/site-functions/_outcrop"),
        ("fish", ".config/fish/completions/outcrop.fish"),
    ],
)
def test_a_script_is_installed_where_its_shell_looks(
    outcrop, tmp_path, monkeypatch, shell, place
):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    result = outcrop("completion", shell, "--install")
    assert f"wrote {tmp_path}/{place}" in result.stdout
    assert (tmp_path / place).read_text() == outcrop("completion", shell).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_a_command_by_the_script(outcrop, tmp_path):
    (tmp_path / "complete").write_text(outcrop("completion", "bash").stdout)
    command = tmp_path / "outcrop"
    start = "from outcrop.cli.main import main; main(prog_name='outcrop')"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n')
    command.chmod(0o755)
    script = (
        "source ./complete 2> /dev/null; COMP_WORDS=(outcrop sea); COMP_CWORD=1;"
        " _outcrop_completion outcrop; echo ${COMPREPLY[@]}"
    )
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
    )
    assert done.stdout == "search\n"
