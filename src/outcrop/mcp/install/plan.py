"""How to add a server to a client or remove it: by a command, or by editing a file.

The client's own command is preferred, for it knows the client's settings best. It would
overwrite an entry that exists, so that one is edited in its file, where the fields that
the user added are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.mcp.install.change import Change, has_entry, plan_change
from outcrop.mcp.install.command import ClientCommand, find_command

if TYPE_CHECKING:
    from pathlib import Path

    from outcrop.mcp.install.clients import Client, Scope
    from outcrop.mcp.install.settings import Entry

Step = Change | ClientCommand


def plan_install(
    client: Client, scope: Scope, folder: Path, name: str, entry: Entry
) -> Step:
    """Plan to add a server to a client, or to update it there.

    Args:
        client: The client.
        scope: Whether the project's settings change, or the user's.
        folder: The project.
        name: The server's name in the settings.
        entry: The server's entry.

    Raises:
        ConfigError: The client has no settings for this scope.
        InputError: Its settings file cannot be read or changed.
    """
    path = client.find_file(scope, folder)
    command = find_command(client.add_command(scope, name, entry), folder)
    if command is not None and not has_entry(path, client, name):
        return command
    return plan_change(path, client, name, entry)


def plan_uninstall(client: Client, scope: Scope, folder: Path, name: str) -> Step:
    """Plan to remove a server from a client; arguments as for `plan_install`."""
    path = client.find_file(scope, folder)
    command = find_command(client.remove_command(scope, name), folder)
    if command is not None and has_entry(path, client, name) is not False:
        return command
    return plan_change(path, client, name, None)
