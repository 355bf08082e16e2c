"""Options whose defaults come from the project's settings file.

The table below lists the settings: options that shape an index or its answers. Options
that widen what is read or who may call (`--follow-links`, `--include-secrets`,
`--root`, `--allow-host`, `--database-url`, ...) are not among them, because the file
comes with the project, and its author need not be the one who runs Outcrop.
"""

from __future__ import annotations

import logging
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from outcrop.cli.opening import Choice, index_options, json_option
from outcrop.cli.render.text import align, escape_controls, write_json
from outcrop.errors import ConfigError
from outcrop.settings import find_project, find_settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from outcrop.settings import Key, Setting, SettingsFile

_log = logging.getLogger(__name__)

# Options that several commands share, without a table.
SHARED = ("embedder",)
# Table -> the options of the command that it sets.
TABLES: dict[Key, tuple[str, ...]] = {
    ("index",): ("max-tokens", "max-file-size", "workers"),
    ("search",): ("limit", "mode", "path", "kind", "expand", "full"),
    ("related",): ("limit", "expand", "full"),
    ("serve",): ("port", "max-searches", "workers"),
    ("build",): ("strategy", "kinds", "summarize", "docs", "concurrency"),
    ("worker",): ("concurrency",),
    ("runs",): ("limit",),
    ("chunk",): ("max-size", "min-size", "overlap", "strategy", "oversize", "format"),
    ("sections",): ("scope", "max-tokens", "embed", "summaries"),
    ("graph", "build"): ("level",),
    ("graph", "export"): ("level", "format"),
    ("graph", "show"): ("limit", "level"),
}
# Options that people may look for in the file, and what to do instead.
NOT_IN_FILE = {
    "database-url": "set OUTCROP_DATABASE_URL",
    "project": "set OUTCROP_PROJECT, or pass --project",
    "rerank": "set OUTCROP_RERANK, or pass --rerank",
    **{
        name: f"pass --{name}"
        for name in (
            "follow-links",
            "include-secrets",
            "host",
            "root",
            "allow-host",
            "cors-origin",
            "allow-writes",
        )
    },
}


class SettingsContext(click.Context):
    """A context whose defaults are those of the project's settings file.

    The file is read when the first default is needed, so that help and completion work
    where it is damaged, and after `--project`, which decides which file it is.
    """

    _is_read = False

    def get_help(self) -> str:
        """Return the help, with the defaults of the options themselves."""
        self._is_read = True
        return super().get_help()

    def lookup_default(self, name: str, call: bool = True) -> Any:  # noqa: FBT001, FBT002 - as in click
        """Return the default of a parameter in the settings file."""
        if not self._is_read and not self.resilient_parsing:
            self._is_read = True
            self.default_map = read_defaults(self)
        return super().lookup_default(name, call)  # type: ignore[call-overload]  # click's overloads take literals


def read_defaults(context: click.Context) -> dict[str, Any]:
    """Return the values of the settings file for a command, by parameter.

    Raises:
        ConfigError: The file is not valid.
    """
    found = find_settings(project_of(context))
    if found is None:
        return {}
    values = check_settings(found)
    _log.info("settings from %s", found.path)
    path = tuple(context.command_path.split()[1:])
    names = {
        name: parameter.name
        for parameter in context.command.params
        if parameter.name
        for name in parameter.opts
    }
    defaults = {}
    for key, setting in values.items():
        is_ours = key[:-1] == path or (len(key) == 1 and key[0] in SHARED)
        if is_ours and (name := names.get(f"--{key[-1]}")):
            defaults[name] = setting.value
    return defaults


def project_of(context: click.Context) -> Path:
    """Return the folder from which the settings file of a command is found."""
    project = context.params.get("project")
    if project is not None and Path(project).is_dir():
        return Path(project)
    return find_project(Path.cwd())


def check_settings(found: SettingsFile) -> Mapping[Key, Setting]:
    """Return the settings of a file if all are known and valid.

    Raises:
        ConfigError: One is not; the message has the file and the line.
    """
    known = known_settings()
    tables = {key[:depth] for key in known for depth in range(len(key))}
    checked = {}
    for key, setting in found.settings.items():
        if key in tables and isinstance(setting.value, dict):
            continue
        if key not in known:
            raise ConfigError(
                f"{setting.place}: {_explain_unknown(key, known, tables)}"
            )
        _check_value(key, setting, known[key])
        checked[key] = setting
    return checked


@cache
def known_settings() -> dict[Key, click.Option]:
    """Return the option of every setting, in the order of the table."""
    from outcrop.cli.main import COMMANDS

    known: dict[Key, click.Option] = {}
    for table, names in TABLES.items():
        command = COMMANDS[table[0]].load()
        for part in table[1:]:
            command = command.commands[part]  # type: ignore[attr-defined]  # a group
        options = {
            name: option
            for option in command.params
            if isinstance(option, click.Option)
            for name in option.opts
        }
        for name in SHARED:
            if f"--{name}" in options and (name,) not in known:
                known[name,] = options[f"--{name}"]
        for name in names:
            known[*table, name] = options[f"--{name}"]
    return known


def _explain_unknown(key: Key, known: Collection[Key], tables: set[Key]) -> str:
    """Return what is wrong with a key that is not a setting, and which one is meant."""
    name = ".".join(key)
    if key[-1] in NOT_IN_FILE:
        return (
            f"{name!r} cannot be set in a file that comes with the project; "
            f"{NOT_IN_FILE[key[-1]]}"
        )
    if key in tables:
        return f"{name!r} is a table; write [{name}]"
    above = next(
        key[:end] for end in range(len(key) - 1, -1, -1) if key[:end] in tables
    )
    depth = len(above)
    beside = list(dict.fromkeys(k[depth] for k in known if k[:depth] == above))
    if nearest := get_close_matches(key[depth], beside, n=1):
        meant = ".".join((*above, nearest[0]))
        return f"unknown setting {name!r}; did you mean {meant!r}?"
    return f"unknown setting {name!r}; choose one of: {', '.join(beside)}"


def _check_value(key: Key, setting: Setting, option: click.Option) -> None:
    """Reject a value of another type than the option's, or that it rejects."""
    value, name = setting.value, ".".join(key)
    values = value if option.multiple else [value]
    wanted, is_valid = _wanted(option)
    if not isinstance(values, list) or not all(map(is_valid, values)):
        wanted = f"a list of {wanted}s" if option.multiple else f"a {wanted}"
        raise ConfigError(f"{setting.place}: {name} is {value!r}, but must be {wanted}")
    try:
        for each in values:
            option.type.convert(each, option, None)
    except click.BadParameter as error:
        raise ConfigError(
            f"{setting.place}: {name} is {value!r}, but {error.message}"
        ) from error


def _wanted(option: click.Option) -> tuple[str, Any]:
    """Return the type that an option wants, in words and as a test."""
    if option.is_flag:
        return "boolean", lambda value: isinstance(value, bool)
    if isinstance(option.type, click.types.IntParamType):
        return "whole number", lambda value: type(value) is int
    return "string", lambda value: isinstance(value, str)


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
    found = find_settings(project_of(context))
    settings = check_settings(found) if found else {}
    rows = [_chosen_row(context, choice, "database-url", settings)]
    for key, option in known_settings().items():
        if len(key) == 1:
            rows.append(_chosen_row(context, choice, key[0], settings))
            continue
        setting = settings.get(key)
        if setting is None:
            default = option.get_default(click.Context(click.Command(None)))
            value, source = _plain(default), "default"
        else:
            value, source = _plain(setting.value), setting.place
        rows.append({"name": ".".join(key), "value": value, "source": source})
    path = None if found is None else str(found.path)
    if as_json:
        write_json({"file": path, "settings": rows})
        return
    click.echo(escape_controls(f"settings file: {path or 'none'}"))
    for line in align(
        [(row["name"], _text(row["value"]), row["source"]) for row in rows]
    ):
        click.echo(escape_controls(line))


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
