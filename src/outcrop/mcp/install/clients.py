"""The clients: where each keeps its settings, and how it writes a server down."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from outcrop.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Entry = dict[str, object]

# Both editors put the folder that is open in the place of this.
_OPEN_FOLDER = "${workspaceFolder}"


class Scope(StrEnum):
    """Who gets the server."""

    PROJECT = "project"  # everybody who works in the project's folder
    USER = "user"  # one person, in every project


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program that calls tools.

    Attributes:
        title: Its name for people.
        key: Where its settings keep the servers.
        is_toml: Whether they are TOML; else JSON, perhaps with comments.
        project_file: The file inside a project, where it looks for one.
        user_file: Where the user's file is.
        names_transport: Whether an entry says that the server speaks over stdio.
        folder: What to name as the project's folder; empty where the client starts the
            server in it, and None where it knows of no project.
        afterwards: What to do so that the client notices.
    """

    title: str
    key: str
    user_file: Callable[[], Path]
    project_file: str | None = None
    is_toml: bool = False
    names_transport: bool = True
    folder: str | None = ""
    afterwards: str

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
                f"scope is 'project', but {self.title} has settings for the user alone:"
                " use --scope user"
            )
        return project / self.project_file

    def make_entry(
        self, command: list[str], *, project: Path | None, allow_writes: bool = False
    ) -> Entry:
        """Return what the settings say of the server.

        Args:
            command: What starts `outcrop`.
            project: The project to serve always; None for the one the client is in.
            allow_writes: Whether the client may have the index brought up to date.
        """
        folder = str(project) if project else self.folder
        arguments = [*command[1:], "mcp"]
        if folder:
            arguments += ["--project", folder]
        if allow_writes:
            arguments.append("--allow-writes")
        transport: Entry = {"type": "stdio"} if self.names_transport else {}
        return {**transport, "command": command[0], "args": arguments}


def _home() -> Path:
    return Path.home()


def _settings_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the folder that programs keep their settings in."""
    if sys.platform == "darwin":
        return _home() / "Library" / "Application Support"
    if sys.platform == "win32":
        given = environment.get("APPDATA")
        return Path(given) if given else _home() / "AppData" / "Roaming"
    given = environment.get("XDG_CONFIG_HOME")
    return Path(given) if given else _home() / ".config"


def _folder_from(variable: str, otherwise: str) -> Path:
    given = os.environ.get(variable)
    return Path(given) if given else _home() / otherwise


CLIENTS = {
    "claude": Client(
        title="Claude Code",
        key="mcpServers",
        project_file=".mcp.json",
        user_file=lambda: _folder_from("CLAUDE_CONFIG_DIR", ".") / ".claude.json",
        afterwards="start a new session; /mcp shows the server",
    ),
    "claude-desktop": Client(
        title="Claude Desktop",
        key="mcpServers",
        user_file=lambda: _settings_folder() / "Claude" / "claude_desktop_config.json",
        names_transport=False,
        folder=None,
        afterwards="restart Claude Desktop",
    ),
    "cursor": Client(
        title="Cursor",
        key="mcpServers",
        project_file=".cursor/mcp.json",
        user_file=lambda: _home() / ".cursor" / "mcp.json",
        folder=_OPEN_FOLDER,
        afterwards="turn the server on in the settings of Cursor, under MCP",
    ),
    "codex": Client(
        title="Codex",
        key="mcp_servers",
        project_file=".codex/config.toml",
        user_file=lambda: _folder_from("CODEX_HOME", ".codex") / "config.toml",
        is_toml=True,
        names_transport=False,
        afterwards="start a new session; /mcp shows the server. Codex reads the settings"
        " of a project only where the project is trusted",
    ),
    "vscode": Client(
        title="VS Code",
        key="servers",
        project_file=".vscode/mcp.json",
        user_file=lambda: _settings_folder() / "Code" / "User" / "mcp.json",
        folder=_OPEN_FOLDER,
        afterwards="run the command MCP: List Servers, and start the server",
    ),
}
