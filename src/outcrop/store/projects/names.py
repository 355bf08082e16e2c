"""Names of projects, and the PostgreSQL schemas they stand for.

A name and its schema can be computed from each other, so that a schema whose row in the
registry was lost can still be opened by name.
"""

from __future__ import annotations

import os
import re

from outcrop.errors import ConfigError

PROJECT_VARIABLE = "OUTCROP_PROJECT"
# Where everything was kept before projects had schemas of their own.
DEFAULT_SCHEMA = "outcrop"
DEFAULT_NAME = "outcrop"
# Two underscores: no name of a project leads here.
REGISTRY_SCHEMA = "outcrop__registry"

_PREFIX = "outcrop_"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
MAX_NAME_LENGTH = 48  # PostgreSQL cuts the names of schemas after 63 bytes
_MAX_SLUG_LENGTH = 30
_DEFAULT_SLUG = "project"


def is_name(text: str) -> bool:
    """Say whether a text can be the name of a project."""
    return len(text) <= MAX_NAME_LENGTH and _NAME.fullmatch(text) is not None


def check_name(name: str) -> str:
    """Return a name of a project that was given.

    Raises:
        ConfigError: It is not one.
    """
    if not isinstance(name, str) or not is_name(name):
        raise ConfigError(
            f"invalid project name {name!r}; use lowercase letters, digits and single"
            f" hyphens between them, {MAX_NAME_LENGTH} characters at most"
        )
    return name


def name_from_environment() -> str | None:
    """Return the name that `OUTCROP_PROJECT` gives, if it gives one."""
    name = os.environ.get(PROJECT_VARIABLE)
    return check_name(name) if name else None


def slug(text: str) -> str:
    """Return what can begin a name, from the name of a folder."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "-".join(words)[:_MAX_SLUG_LENGTH].strip("-") or _DEFAULT_SLUG


def schema_of(name: str) -> str:
    """Return the schema of a project."""
    if name == DEFAULT_NAME:
        return DEFAULT_SCHEMA
    return _PREFIX + name.replace("-", "_")


def name_of(schema: str) -> str | None:
    """Return the project that a schema belongs to by its name, if any."""
    if schema == DEFAULT_SCHEMA:
        return DEFAULT_NAME
    name = schema.removeprefix(_PREFIX).replace("_", "-")
    return name if is_name(name) and schema_of(name) == schema else None
