"""`outcrop completion`: the script that completes commands in a shell."""

from __future__ import annotations

import os
from pathlib import Path

import click

from outcrop.cli.render.text import escape_controls

_VARIABLE = "_OUTCROP_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.option(
    "--install",
    "is_installed",
    is_flag=True,
    help="Write the script to where the shell looks for it.",
)
@click.pass_context
def completion(context: click.Context, shell: str, *, is_installed: bool) -> None:
    """Print the script that completes commands, options and values in SHELL."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None  # noqa: S101 - click has all of the choices
    script = found(context.find_root().command, {}, "outcrop", _VARIABLE).source()
    if not is_installed:
        click.echo(script)
        return
    # Where a shell looks for a user's completions of a command.
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    settings = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    path = {
        "bash": data / "bash-completion" / "completions" / "outcrop",
        "zsh": data / "zsh" / "site-functions" / "_outcrop",
        "fish": settings / "fish" / "completions" / "outcrop.fish",
    }[shell]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{script}\n", encoding="utf-8")
    click.echo(f"wrote {escape_controls(str(path))}; it works in new shells")
    if shell == "zsh":
        folder = escape_controls(str(path.parent))
        click.echo(
            "if it does not, put this into ~/.zshrc before compinit: "
            f"fpath=({folder} $fpath)"
        )
