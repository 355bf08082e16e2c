"""`outcrop mcp install` and `uninstall`, as people use them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tomllib

import pytest
from click.testing import CliRunner

from outcrop.cli.main import main

COMMENTED = '{\n  // mine\n  "servers": {\n    "other": {"command": "x"},\n  },\n}\n'


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    # Clients installed on this machine are never run.
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return folder


@pytest.fixture
def put_client(tmp_path):
    """Return a function that puts a client on the PATH, which records its calls."""

    def put(name: str, *, exit_code: int = 0):
        calls = tmp_path / f"{name}-calls"
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(
            f"#!/bin/sh\npwd > '{calls}'\n"
            f"printf '%s\\n' \"$@\" >> '{calls}'\n"
            f"echo 'said by {name}'\nexit {exit_code}\n"
        )
        program.chmod(0o755)
        return calls

    return put


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder.resolve()


def run(*arguments: str):
    return CliRunner().invoke(
        main, ["mcp", *arguments], prog_name="outcrop", catch_exceptions=False
    )


def files(folder):
    return sorted(
        p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()
    )


@pytest.mark.parametrize(
    ("client", "path", "key"),
    [
        ("claude", ".mcp.json", "mcpServers"),
        ("cursor", ".cursor/mcp.json", "mcpServers"),
        ("vscode", ".vscode/mcp.json", "servers"),
        ("codex", ".codex/config.toml", "mcp_servers"),
    ],
)
def test_a_server_comes_and_goes(project, client, path, key):
    done = run("install", "--client", client, "--yes")
    assert done.exit_code == 0
    assert f"written: {project / path}" in done.stdout
    assert "next: " in done.stdout
    text = (project / path).read_text()
    read = tomllib.loads if path.endswith("toml") else json.loads
    server = read(text)[key]["outcrop"]
    assert server["args"][0] == "mcp"
    assert os.access(server["command"], os.X_OK)
    again = run("install", "--client", client, "--yes")
    assert again.stdout == f"{project / path} already has the server\n"
    gone = run("uninstall", "--client", client, "--yes")
    assert gone.exit_code == 0
    assert "outcrop" not in (project / path).read_text()
    assert f"the old file is {project / path}.bak" in gone.stdout
    again = run("uninstall", "--client", client, "--yes")
    assert again.stdout == f"{project / path} has no server 'outcrop'\n"


def test_a_dry_run_shows_the_change_and_writes_nothing(project):
    done = run("install", "--client", "cursor", "--dry-run")
    assert done.exit_code == 0
    assert '+    "outcrop": {' in done.stdout
    assert files(project) == []


def test_a_file_with_comments_is_left_alone_and_the_entry_is_printed(project):
    (project / ".vscode").mkdir()
    (project / ".vscode" / "mcp.json").write_text(COMMENTED)
    done = run("install", "--client", "vscode", "--command", "o", "--yes")
    assert done.exit_code == 1
    assert "cannot be read as plain JSON" in done.stderr
    assert (
        'add this by hand: "servers": {"outcrop": {"type": "stdio", "command": "o",'
        ' "args": ["mcp", "--project", "${workspaceFolder}"]}}\n'
    ) in done.stderr
    gone = run("uninstall", "--client", "vscode", "--yes")
    assert "remove 'outcrop' from 'servers' by hand" in gone.stderr
    assert (project / ".vscode" / "mcp.json").read_text() == COMMENTED


@pytest.mark.parametrize(
    ("client", "scope", "program", "arguments"),
    [
        (
            "claude",
            "project",
            "claude",
            "mcp add --scope project --transport stdio outcrop -- o mcp",
        ),
        (
            "claude",
            "user",
            "claude",
            "mcp add --scope user --transport stdio outcrop -- o mcp",
        ),
        ("codex", "user", "codex", "mcp add outcrop -- o mcp"),
    ],
)
def test_a_client_adds_the_server_by_its_own_command(
    project, home, put_client, client, scope, program, arguments
):
    calls = put_client(program)
    options = ("--client", client, "--scope", scope, "--command", "o")
    shown = run("install", *options, "--dry-run")
    assert shown.stdout == f"{project}$ {program} {arguments}\n"
    assert not calls.exists()
    done = run("install", *options, "--yes")
    assert done.exit_code == 0
    assert calls.read_text().splitlines() == [str(project), *arguments.split()]
    assert f"\nsaid by {program}\nnext: start a new session" in done.stdout
    assert files(project) == files(home) == []


def test_vs_code_is_given_the_server_as_json(project, home, put_client):
    calls = put_client("code")
    options = ("--client", "vscode", "--scope", "user", "--command", "o b")
    assert run("install", *options, "--yes").exit_code == 0
    folder, option, definition = calls.read_text().splitlines()
    assert (folder, option) == (str(project), "--add-mcp")
    assert json.loads(definition) == {
        "name": "outcrop",
        "type": "stdio",
        "command": "o",
        "args": ["b", "mcp", "--project", "${workspaceFolder}"],
    }
    assert files(home) == []


@pytest.mark.parametrize(
    ("client", "scope", "arguments"),
    [
        ("claude", "project", "mcp remove --scope project outcrop"),
        ("claude", "user", "mcp remove --scope user outcrop"),
        ("codex", "user", "mcp remove outcrop"),
    ],
)
def test_a_client_removes_the_server_by_its_own_command(
    project, put_client, client, scope, arguments
):
    options = ("--client", client, "--scope", scope)
    assert run("install", *options, "--yes").exit_code == 0
    calls = put_client(client)
    assert run("uninstall", *options, "--yes").exit_code == 0
    assert calls.read_text().splitlines() == [str(project), *arguments.split()]


def test_a_client_is_not_run_for_a_server_that_it_does_not_have(project, put_client):
    calls = put_client("claude")
    done = run("uninstall", "--client", "claude", "--yes")
    assert done.stdout == f"{project / '.mcp.json'} has no server 'outcrop'\n"
    assert not calls.exists()


def test_an_entry_that_exists_is_edited_so_that_additions_stay(project, put_client):
    theirs = {"command": "old", "env": {"A": "b"}}
    settings = project / ".mcp.json"
    settings.write_text(json.dumps({"mcpServers": {"outcrop": theirs}}))
    calls = put_client("claude")
    assert run("install", "--client", "claude", "--yes").exit_code == 0
    assert json.loads(settings.read_text())["mcpServers"]["outcrop"]["env"] == {
        "A": "b"
    }
    assert not calls.exists()


@pytest.mark.parametrize("client", ["codex", "vscode"])
def test_settings_of_a_project_are_edited_where_the_client_has_no_command_for_them(
    project, put_client, client
):
    calls = [put_client("codex"), put_client("code")]
    assert run("install", "--client", client, "--yes").exit_code == 0
    assert len(files(project)) == 1
    assert not any(call.exists() for call in calls)


def test_a_command_that_fails_is_reported_with_its_output(project, put_client):
    put_client("claude", exit_code=7)
    done = run("install", "--client", "claude", "--yes")
    assert done.exit_code == 1
    assert "claude failed with exit code 7: said by claude" in done.stderr
    assert "next:" not in done.stdout


def test_the_users_settings_serve_the_project_one_is_in_or_the_one_named(project, home):
    run("install", "--client", "codex", "--scope", "user", "--yes")
    settings = home / ".codex" / "config.toml"
    server = tomllib.loads(settings.read_text())["mcp_servers"]["outcrop"]
    assert server["args"] == ["mcp"]
    run("install", "--client", "codex", "--scope", "user", "--project", ".", "--yes")
    server = tomllib.loads(settings.read_text())["mcp_servers"]["outcrop"]
    assert server["args"] == ["mcp", "--project", str(project)]


def test_a_client_that_knows_no_projects_gets_one_named(project, home):
    assert run("install", "--client", "claude-desktop", "--yes").exit_code == 0
    settings = home / ".config" / "Claude" / "claude_desktop_config.json"
    server = json.loads(settings.read_text())["mcpServers"]["outcrop"]
    assert server["args"] == ["mcp", "--project", str(project)]


def test_name_command_and_writes_can_be_chosen(project):
    run(
        *("install", "--client", "claude", "--yes", "--name", "docs"),
        *("--command", "uvx --from 'outcrop[all]' outcrop", "--allow-writes"),
    )
    assert json.loads((project / ".mcp.json").read_text()) == {
        "mcpServers": {
            "docs": {
                "type": "stdio",
                "command": "uvx",
                "args": ["--from", "outcrop[all]", "outcrop", "mcp", "--allow-writes"],
            }
        }
    }


def test_the_nearest_project_around_is_meant(project, monkeypatch):
    (project / ".outcrop").mkdir()
    (project / "deep" / "inside").mkdir(parents=True)
    monkeypatch.chdir(project / "deep" / "inside")
    run("install", "--client", "claude", "--yes")
    assert (project / ".mcp.json").is_file()


def test_without_anybody_to_ask_nothing_is_written(project):
    done = run("install", "--client", "claude")
    assert done.exit_code == 2
    assert "without a terminal; pass --yes" in done.stderr
    assert files(project) == []


@pytest.mark.parametrize(("answer", "written"), [(b"y\n", True), (b"n\n", False)])
def test_on_a_terminal_it_asks(project, answer, written):
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "outcrop", "mcp", "install", "--client", "claude"]
    with os.fdopen(leader, "wb", buffering=0) as keyboard:
        process = subprocess.Popen(
            command, cwd=project, stdin=follower, stdout=subprocess.PIPE
        )
        os.close(follower)
        keyboard.write(answer)
        shown, _ = process.communicate(timeout=30)
    assert b"Write this? [y/N]" in shown
    assert process.returncode == 0
    assert files(project) == ([".mcp.json"] if written else [])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--client", "emacs"], 2, "unknown client 'emacs'"),
        ([], 2, "Missing option '--client'"),
        (["--client", "claude-desktop", "--scope", "project"], 2, "use --scope user"),
        (["--client", "claude", "--command", " "], 2, "--command is blank"),
        (["--client", "claude", "--command", "a 'b"], 2, "No closing quotation"),
    ],
)
def test_wrong_usage_is_told(project, arguments, code, message):
    done = run("install", *arguments, "--yes")
    assert done.exit_code == code
    assert message in done.stderr
    assert files(project) == []


def test_a_broken_file_is_named_and_left_alone(project):
    (project / ".mcp.json").write_text("{oops")
    done = run("install", "--client", "claude", "--yes")
    assert done.exit_code == 1
    assert f"{project / '.mcp.json'}: the file cannot be read as plain" in done.stderr
    assert files(project) == [".mcp.json"]


def test_settings_cannot_steer_the_terminal(project):
    (project / ".mcp.json").write_bytes(b'{"a": "\x9b31m"}'.decode("latin-1").encode())
    done = run("install", "--client", "claude", "--dry-run")
    assert "\x9b" not in done.stdout


def test_a_password_is_not_written(project):
    url = "postgresql://me:hush@db.example/x"
    done = run("--database-url", url, "install", "--client", "claude", "--yes")
    assert done.exit_code == 0
    assert "hush" not in (project / ".mcp.json").read_text()
    assert "note: the database URL is not written there" in done.stdout
    assert "hush" not in done.output


def test_an_option_before_the_command_is_not_lost_silently(project):
    done = run("--allow-writes", "install", "--client", "claude", "--yes")
    assert done.exit_code == 2
    assert "pass --allow-writes after 'install'" in done.stderr
    run("--project", str(project), "install", "--client", "claude", "--yes")
    assert (project / ".mcp.json").is_file()


def test_without_the_extra_the_install_line_is_named(project):
    script = (
        "import sys; sys.modules['mcp'] = None; from outcrop.cli.main import main;"
        " main(['mcp'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert "pip install 'outcrop[mcp]'" in done.stderr


@pytest.mark.parametrize(
    ("client", "file", "key"),
    [
        ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers"),
        ("zed", ".config/zed/settings.json", "context_servers"),
        ("gemini", ".gemini/settings.json", "mcpServers"),
        ("opencode", ".config/opencode/opencode.json", "mcp"),
    ],
)
def test_a_users_settings_get_the_server_and_lose_it_again(
    project, home, client, file, key
):
    path = home / file
    path.parent.mkdir(parents=True)
    path.write_text('{"theme": "dark"}\n')
    options = ("--client", client, "--scope", "user", "--yes")
    assert run("install", *options).exit_code == 0
    written = json.loads(path.read_text())
    assert written["theme"] == "dark"
    assert "outcrop" in written[key]
    assert run("uninstall", *options).exit_code == 0
    assert "outcrop" not in json.loads(path.read_text()).get(key, {})


def test_an_unknown_client_gets_the_settings_to_paste(project):
    done = run("install", "--client", "notepad", "--command", "outcrop")
    assert done.exit_code == 0
    assert "unknown client 'notepad'; the known ones are claude, " in done.stderr
    assert json.loads(done.stdout) == {
        "mcpServers": {
            "outcrop": {
                "type": "stdio",
                "command": "outcrop",
                "args": ["mcp", "--project", str(project)],
            }
        }
    }
    assert list(project.iterdir()) == []


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_an_unknown_client_cannot_be_changed(project, command):
    done = run(command, "--client", "notepad", "--yes")
    assert done.exit_code == 2
    assert "unknown client 'notepad'" in done.stderr
