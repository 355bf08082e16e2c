"""Names as paths: from the outermost package to the definition itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.model.node import Node

_SEPARATOR = re.compile(r"::|[./\\#]")


def section_path(node: Node) -> tuple[str, ...]:
    """Return the packages of a node and its own name."""
    return (*_parts(node.package_name), *([node.name] if node.name else []))


def qualified_path(node: Node) -> tuple[str, ...]:
    """Return the packages of a node and the names from there down to it."""
    package = node.package_name
    inner = node.fqn
    if package and inner.startswith(package) and len(inner) > len(package):
        inner = inner[len(package) :]
    elif package:
        # In some languages the file is not part of qualified names.
        package = ""
    name, bracket, parameters = inner.partition("(")
    parts = _parts(name)
    if parts and bracket:
        parts[-1] += f"({parameters}"
    return (*_parts(package), *parts)


def _parts(name: str) -> list[str]:
    return [part for part in _SEPARATOR.split(name) if part]
