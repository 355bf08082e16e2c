"""The clients: their settings files, and their own commands for servers."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import cast

from outcrop.errors import ConfigError
from outcrop.mcp.install.settings import Entry, Format, JsonSettings, TomlSettings

# Both editors replace this by the open folder.
_OPEN_FOLDER = "${workspaceFolder}"


class Scope(StrEnum):
    """Who gets the server."""

    PROJECT = "project"  # everybody who works in the project's folder
    USER = "user"  # one person, in every project


# Returns a client's own command line, or None where it has no command for a scope.
AddCommand = Callable[[Scope, str, Entry], list[str] | None]
RemoveCommand = Callable[[Scope, str], list[str] | None]


def _no_command(*_: object) -> None:
    return None


def _plain_entry(server: list[str]) -> Entry:
    return {"command": server[0], "args": server[1:]}


def _stdio_entry(server: list[str]) -> Entry:
    return {"type": "stdio", **_plain_entry(server)}


def _local_entry(server: list[str]) -> Entry:
    return {"type": "local", "command": server, "enabled": True}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program that calls tools."""

    title: str  # its name for people
    key: str  # the name of the servers in its settings
    user_file: Callable[[], Path]  # returns the path of the user's settings file
    # Its settings file inside a project, if it reads one.
    project_file: str | None = None
    format: Format = field(default_factory=JsonSettings)  # the format of its settings
    # Turns the server's command line into an entry.
    shape: Callable[[list[str]], Entry] = _stdio_entry
    # The project folder to pass; empty where the client starts the server in it, and
    # None where the client knows of no project.
    folder: str | None = ""
    add_command: AddCommand = _no_command  # its own command that adds a server
    remove_command: RemoveCommand = _no_command  # its own command that removes one
    afterwards: str  # what the user has to do next

    @property
    def default_scope(self) -> Scope:
        """The project, where the client knows of projects."""
        return Scope.PROJECT if self.project_file else Scope.USER

    def find_file(self, scope: Scope, project: Path) -> Path:
        """Return the settings file.

        Raises:
            ConfigError: The client has none for a project.
        """
        if scope is Scope.USER:
            return self.user_file()
        if self.project_file is None:
            raise ConfigError(
                f"{self.title} has no settings for a project; use --scope user"
            )
        return project / self.project_file

    def make_entry(
        self, command: list[str], *, project: Path | None, allow_writes: bool = False
    ) -> Entry:
        """Return the entry of a server, by the command line that starts `outcrop`.

        It serves one project alone, or that which the client is in.
        """
        folder = str(project) if project else self.folder
        arguments = [*command[1:], "mcp"]
        if folder:
            arguments += ["--project", folder]
        if allow_writes:
            arguments.append("--allow-writes")
        return self.shape([command[0], *arguments])


def _settings_folder() -> Path:
    """Return the folder where programs keep their settings."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return _folder_from("APPDATA", "AppData/Roaming")
    return _folder_from("XDG_CONFIG_HOME", ".config")


def _plain_folder() -> Path:
    """Return the folder of programs that use the same one on Linux and macOS."""
    if sys.platform == "win32":
        return _settings_folder()
    return _folder_from("XDG_CONFIG_HOME", ".config")


def _folder_from(variable: str, otherwise: str) -> Path:
    given = os.environ.get(variable)
    return Path(given) if given else Path.home() / otherwise


def _server(entry: Entry) -> list[str]:
    return [str(entry["command"]), *cast("list[str]", entry["args"])]


def _claude_add(scope: Scope, name: str, entry: Entry) -> list[str]:
    options = ["--scope", scope.value, "--transport", "stdio"]
    return ["claude", "mcp", "add", *options, name, "--", *_server(entry)]


def _claude_remove(scope: Scope, name: str) -> list[str]:
    return ["claude", "mcp", "remove", "--scope", scope.value, name]


def _codex_add(scope: Scope, name: str, entry: Entry) -> list[str] | None:
    if scope is Scope.PROJECT:
        return None
    return ["codex", "mcp", "add", name, "--", *_server(entry)]


def _codex_remove(scope: Scope, name: str) -> list[str] | None:
    return ["codex", "mcp", "remove", name] if scope is Scope.USER else None


def _vscode_add(scope: Scope, name: str, entry: Entry) -> list[str] | None:
    if scope is Scope.PROJECT:
        return None
    definition = json.dumps({"name": name, **entry}, ensure_ascii=False)
    return ["code", "--add-mcp", definition]


CLIENTS = {
    "claude": Client(
        title="Claude Code",
        key="mcpServers",
        project_file=".mcp.json",
        user_file=lambda: _folder_from("CLAUDE_CONFIG_DIR", ".") / ".claude.json",
        add_command=_claude_add,
        remove_command=_claude_remove,
        afterwards="start a new session; /mcp shows the server",
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        key="mcpServers",
        user_file=lambda: _settings_folder() / "Claude" / "claude_desktop_config.json",
        shape=_plain_entry,
        folder=None,
        afterwards="restart Claude Desktop",
    ),
    "cursor": Client(
        title="Cursor",
        key="mcpServers",
        project_file=".cursor/mcp.json",
        user_file=lambda: Path.home() / ".cursor" / "mcp.json",
        folder=_OPEN_FOLDER,
        afterwards="turn the server on in the settings of Cursor, under MCP",
    ),
    "codex": Client(
        title="Codex",
        key="mcp_servers",
        project_file=".codex/config.toml",
        user_file=lambda: _folder_from("CODEX_HOME", ".codex") / "config.toml",
        format=TomlSettings(),
        shape=_plain_entry,
        add_command=_codex_add,
        remove_command=_codex_remove,
        afterwards="start a new session; /mcp shows the server. Codex reads a project's"
        " settings only where the project is trusted",
    ),
    "vscode": Client(
        title="VS Code",
        key="servers",
        project_file=".vscode/mcp.json",
        user_file=lambda: _settings_folder() / "Code" / "User" / "mcp.json",
        folder=_OPEN_FOLDER,
        add_command=_vscode_add,
        afterwards="run the command MCP: List Servers, and start the server",
    ),
    "windsurf": Client(
        title="Windsurf",
        key="mcpServers",
        user_file=lambda: Path.home() / ".codeium" / "windsurf" / "mcp_config.json",
        shape=_plain_entry,
        folder=None,
        afterwards="refresh the servers in the MCP settings of Windsurf",
    ),
    "zed": Client(
        title="Zed",
        key="context_servers",
        project_file=".zed/settings.json",
        user_file=lambda: _plain_folder() / "zed" / "settings.json",
        shape=_plain_entry,
        afterwards="trust the project if Zed asks; the agent panel shows the server",
    ),
    "gemini": Client(
        title="Gemini CLI",
        key="mcpServers",
        project_file=".gemini/settings.json",
        user_file=lambda: Path.home() / ".gemini" / "settings.json",
        shape=_plain_entry,
        afterwards="start a new session; /mcp shows the server",
    ),
    "opencode": Client(
        title="OpenCode",
        key="mcp",
        project_file="opencode.json",
        user_file=lambda: (
            _folder_from("XDG_CONFIG_HOME", ".config") / "opencode" / "opencode.json"
        ),
        shape=_local_entry,
        afterwards="start a new session; `opencode mcp list` shows the server",
    ),
    "cline": Client(
        title="Cline in VS Code",
        key="mcpServers",
        user_file=lambda: (
            _settings_folder()
            / "Code/User/globalStorage/saoudrizwan.claude-dev/settings"
            / "cline_mcp_settings.json"
        ),
        shape=_plain_entry,
        folder=None,
        afterwards="turn the server on in the MCP settings of Cline",
    ),
}


def other_client(command: list[str], project: Path, name: str) -> str:
    """Return the settings that most clients take, as JSON to paste."""
    entry = _stdio_entry([*command, "mcp", "--project", str(project)])
    return json.dumps({"mcpServers": {name: entry}}, indent=2)  # no raw controls
