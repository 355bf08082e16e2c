"""The command itself: its table of subcommands, its help and its exit codes."""

from __future__ import annotations

import subprocess
import sys

import click
import pytest

import outcrop as package
from outcrop import errors
from outcrop.cli import main as cli


def _loaded_after(code: str) -> set[str]:
    """Names of the modules a fresh interpreter has loaded after some code."""
    script = f"import sys\n{code}\nprint(*sorted(sys.modules), file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stderr.split())


FORK = """
import os, sys
from pathlib import Path
from outcrop.cli.main import main
os.chdir(sys.argv[1])
Path("a.md").write_text("# A")
def stop():
    print(*sorted(sys.modules), file=sys.stderr)
    os._exit(0)
os.register_at_fork(before=stop)
sys.argv = ["outcrop", "index", "."]
main()
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux forks a process for the database"
)
def test_a_first_index_creates_the_database_before_its_driver_is_loaded(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", FORK, str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stderr.split())
    assert "outcrop.store.early_database" in loaded
    assert "psycopg" not in loaded


HELP = """
from outcrop.cli.main import main
try:
    main(["--help"], prog_name="outcrop")
except SystemExit as stop:
    assert not stop.code
"""


def test_help_loads_neither_commands_nor_what_they_need():
    loaded = _loaded_after(HELP)
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & {"rich", "numpy", "pyromark", "psycopg", "pydantic", "fastapi"}
    assert {name for name in loaded if name.startswith("outcrop")} == {
        "outcrop",
        "outcrop.cli",
        "outcrop.cli.main",
        "outcrop.cli.render",
        "outcrop.cli.render.text",
        "outcrop.errors",
    }


def test_help_of_chunk_loads_no_parser():
    loaded = _loaded_after(HELP.replace('["--help"]', '["chunk", "--help"]'))
    assert "outcrop.cli.chunk" in loaded
    assert not loaded & {"pyromark", "rich", "outcrop.chunking.chunker"}


def test_a_command_ends_without_a_last_collection_of_garbage(tmp_path):
    page = tmp_path / "a.md"
    page.write_text("# A\n\nText.\n")
    script = (
        "import atexit, gc\n"
        # What is registered first is called last.
        "atexit.register(lambda: print('left', len(gc.get_objects())))\n"
        "from outcrop.cli.main import main\n"
        f"main(['chunk', {str(page)!r}])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    left = int(done.stdout.split()[-1])
    assert left < 1_000, left


def test_help_lists_the_commands_with_their_line(outcrop):
    result = outcrop("--help")
    assert result.exit_code == 0
    assert f"chunk {cli.COMMANDS['chunk'].help}" in " ".join(result.output.split())


def test_a_command_whose_module_is_missing_is_not_listed(outcrop, monkeypatch):
    absent = cli.Entry("outcrop.cli.no_such_module:command", "Never shown")
    monkeypatch.setitem(cli.COMMANDS, "absent", absent)
    assert "absent" not in outcrop("--help").output
    result = outcrop("absent")
    assert result.exit_code == 2
    assert "No such command 'absent'" in result.output


def test_every_command_that_is_listed_loads_and_has_help():
    context = click.Context(cli.main)
    for name in cli.main.list_commands(context):
        command = cli.main.get_command(context, name)
        assert isinstance(command, click.Command)
        assert command.help


def test_version_is_the_packages_version(outcrop):
    assert outcrop("--version").output == f"outcrop, version {package.__version__}\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InputError("no"), 1),
        (errors.UnsupportedFileError("no"), 1),
        (errors.ChunkConfigError("field", 0, "no"), 2),
        (errors.MissingExtraError("this", "store"), 3),
        (errors.NotFoundError("no"), 4),
        (errors.EmbeddingError("no", stage="embed"), 5),
        (errors.InvariantError("no"), 70),
        (errors.OutcropError("no"), 1),
    ],
)
def test_an_error_becomes_one_line_and_the_exit_code_of_its_class(
    outcrop, monkeypatch, error, code
):
    @click.command()
    def failing() -> None:
        raise error

    monkeypatch.setattr(cli.Entry, "load", lambda _: failing)
    result = outcrop("chunk")
    assert result.exit_code == code
    assert result.stderr == f"error: {error}\n"
    assert result.stdout == ""


def test_an_error_cannot_steer_the_terminal(outcrop):
    result = outcrop("chunk", "\x1b[2Jgone\u202e.md")
    assert result.exit_code == 1
    assert result.stderr == "error: \\x1b[2Jgone\\u202e.md: no such file\n"


@pytest.mark.parametrize(
    ("given", "hint"), [("serach", " Did you mean 'search'?"), ("zzz", "")]
)
def test_a_misspelt_command_is_answered_with_the_one_that_was_meant(
    outcrop, given, hint
):
    done = outcrop(given, "tea")
    assert done.exit_code == 2
    assert done.stderr.endswith(f"Error: No such command '{given}'.{hint}\n")
