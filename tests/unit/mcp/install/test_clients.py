"""Where clients keep their settings, and what they say of the server."""

from __future__ import annotations

from pathlib import Path

import pytest

from outcrop.cli.mcp import install
from outcrop.errors import ConfigError
from outcrop.mcp.install import clients
from outcrop.mcp.install.clients import CLIENTS, Scope

PROJECT = Path("/srv/project")
CLINE = (
    "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
)


@pytest.fixture(autouse=True)
def home(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    for name in ("APPDATA", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("client", "file"),
    [
        ("claude", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("codex", ".codex/config.toml"),
        ("vscode", ".vscode/mcp.json"),
        ("zed", ".zed/settings.json"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
    ],
)
def test_settings_of_a_project_are_inside_it(client, file):
    chosen = CLIENTS[client]
    assert chosen.default_scope is Scope.PROJECT
    assert chosen.find_file(Scope.PROJECT, PROJECT) == PROJECT / file


@pytest.mark.parametrize(
    ("platform", "client", "file"),
    [
        ("linux", "claude", ".claude.json"),
        ("linux", "cursor", ".cursor/mcp.json"),
        ("linux", "codex", ".codex/config.toml"),
        ("linux", "vscode", ".config/Code/User/mcp.json"),
        ("linux", "claude-desktop", ".config/Claude/claude_desktop_config.json"),
        ("darwin", "vscode", "Library/Application Support/Code/User/mcp.json"),
        (
            "darwin",
            "claude-desktop",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("win32", "vscode", "AppData/Roaming/Code/User/mcp.json"),
        ("linux", "windsurf", ".codeium/windsurf/mcp_config.json"),
        ("linux", "zed", ".config/zed/settings.json"),
        ("darwin", "zed", ".config/zed/settings.json"),
        ("win32", "zed", "AppData/Roaming/zed/settings.json"),
        ("linux", "gemini", ".gemini/settings.json"),
        ("darwin", "opencode", ".config/opencode/opencode.json"),
        ("linux", "cline", f".config/{CLINE}"),
        ("darwin", "cline", f"Library/Application Support/{CLINE}"),
    ],
)
def test_settings_of_the_user_are_where_the_system_has_them(
    monkeypatch, platform, client, file
):
    monkeypatch.setattr(clients.sys, "platform", platform)
    found = CLIENTS[client].find_file(Scope.USER, PROJECT)
    assert found == Path("/home/me") / file


@pytest.mark.parametrize(
    ("variable", "client", "file"),
    [
        ("CLAUDE_CONFIG_DIR", "claude", ".claude.json"),
        ("CODEX_HOME", "codex", "config.toml"),
        ("XDG_CONFIG_HOME", "vscode", "Code/User/mcp.json"),
        ("XDG_CONFIG_HOME", "zed", "zed/settings.json"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/opencode.json"),
    ],
)
def test_a_variable_moves_the_settings(monkeypatch, variable, client, file):
    monkeypatch.setenv(variable, "/elsewhere")
    found = CLIENTS[client].find_file(Scope.USER, PROJECT)
    assert found == Path("/elsewhere") / file


@pytest.mark.parametrize("client", ["claude-desktop", "windsurf", "cline"])
def test_a_client_without_projects_says_so(client):
    desktop = CLIENTS[client]
    assert desktop.default_scope is Scope.USER
    with pytest.raises(ConfigError, match="use --scope user"):
        desktop.find_file(Scope.PROJECT, PROJECT)


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("claude", {"type": "stdio", "command": "o", "args": ["mcp"]}),
        ("codex", {"command": "o", "args": ["mcp"]}),
        ("zed", {"command": "o", "args": ["mcp"]}),
        ("gemini", {"command": "o", "args": ["mcp"]}),
        ("opencode", {"type": "local", "command": ["o", "mcp"], "enabled": True}),
        (
            "vscode",
            {
                "type": "stdio",
                "command": "o",
                "args": ["mcp", "--project", "${workspaceFolder}"],
            },
        ),
    ],
)
def test_an_entry_serves_the_project_that_the_client_is_in(client, entry):
    assert CLIENTS[client].make_entry(["o"], project=None) == entry


def test_an_entry_can_name_one_project_and_allow_writes():
    entry = CLIENTS["cursor"].make_entry(
        ["python", "-m", "outcrop"], project=PROJECT, allow_writes=True
    )
    assert entry == {
        "type": "stdio",
        "command": "python",
        "args": ["-m", "outcrop", "mcp", "--project", str(PROJECT), "--allow-writes"],
    }


def test_the_command_names_every_client():
    option = next(p for p in install.params if p.name == "client")
    assert f"The client: {', '.join(CLIENTS)};" in option.help
