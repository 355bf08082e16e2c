"""The help of every command, as it prints it."""

from __future__ import annotations

import click

from outcrop.cli.main import main

_HEAD = """\
# Help of every command

Each command prints this with `--help`; [the command line](cli.md) explains it. The page is written by `make reference`.
"""
_WIDTH = 80


def render() -> str:
    """Return the page."""
    parts = [_HEAD]
    for name, command in _commands(main, "outcrop", None):
        parts.append(f"## {name}\n\n```text\n{command}\n```\n")
    return "\n".join(parts)


def _commands(
    command: click.Command, name: str, parent: click.Context | None
) -> list[tuple[str, str]]:
    context = click.Context(
        command,
        info_name=name.rpartition(" ")[2],
        parent=parent,
        # Without its settings a command that has not run yet hides `-h`, and one that has
        # run shows it: the page would depend on what the process did before.
        **{
            **command.context_settings,
            "terminal_width": _WIDTH,
            "max_content_width": _WIDTH,
        },
    )
    found = [(name, command.get_help(context).rstrip())]
    if isinstance(command, click.Group):
        for child in command.list_commands(context):
            inner = command.get_command(context, child)
            if inner is not None:
                found += _commands(inner, f"{name} {child}", context)
    return found
