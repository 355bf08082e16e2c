"""`outcrop config show`: the settings in effect, and where each comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from outcrop.cli.opening import Choice, index_options, json_option
from outcrop.cli.render.text import align, escape_controls, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from outcrop.settings import Key, Setting

_ENVIRONMENT = {
    "embedder": "OUTCROP_EMBEDDER",
    "database_url": "OUTCROP_DATABASE_URL",
}


@click.group()
def config() -> None:
    """Show the settings of a project."""


@config.command()
@json_option
@index_options
@click.pass_context
def show(context: click.Context, choice: Choice, *, as_json: bool) -> None:
    """Show every setting, its value, and where the value comes from.

    Sources are: the default, the line of the settings file, an environment variable,
    or an option given here.
    """
    from outcrop.cli.settings import check_settings, known_settings, project_of
    from outcrop.settings import find_settings

    found = find_settings(project_of(context))
    settings = check_settings(found) if found else {}
    rows = [_chosen_row(context, choice, "database-url", settings)]
    for key, option in known_settings().items():
        if len(key) == 1:
            rows.append(_chosen_row(context, choice, key[0], settings))
            continue
        setting = settings.get(key)
        default = option.get_default(click.Context(click.Command(None)))
        rows.append(_row(key, default if setting is None else setting.value, setting))
    path = None if found is None else str(found.path)
    if as_json:
        write_json({"file": path, "settings": rows})
        return
    click.echo(escape_controls(f"settings file: {path or 'none'}"))
    for line in align(
        [(row["name"], _text(row["value"]), row["source"]) for row in rows]
    ):
        click.echo(escape_controls(line))


def _row(key: Key, value: Any, setting: Setting | None) -> dict[str, Any]:
    source = "default" if setting is None else setting.place
    return {"name": ".".join(key), "value": _plain(value), "source": source}


def _chosen_row(
    context: click.Context, choice: Choice, name: str, settings: Mapping[Key, Setting]
) -> dict[str, Any]:
    """Return the row of a setting that has an option here too."""
    from outcrop.providers.registry import DEFAULT_EMBEDDER
    from outcrop.store.address import Address

    parameter = name.replace("-", "_")
    value = getattr(choice, parameter)
    match context.get_parameter_source(parameter):
        case ParameterSource.COMMANDLINE:
            source = f"option --{name}"
        case ParameterSource.ENVIRONMENT:
            source = f"environment {_ENVIRONMENT[parameter]}"
        case _:
            setting = settings.get((name,))
            source = "default" if setting is None else setting.place
    if name == "embedder":
        value = value or DEFAULT_EMBEDDER
    elif value is not None:
        value = Address.find(url=value).location  # without the password
    return {"name": name, "value": value, "source": source}


def _plain(value: Any) -> Any:
    """Return a value as JSON has it; click marks a missing default by an object."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return list(value) if isinstance(value, list | tuple) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)
