"""Where JavaScript imports lead: relative paths, `tsconfig` paths, workspaces."""

from __future__ import annotations

import json
import posixpath
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_EXTENSION = re.compile(r"\.(?:[cm]?[jt]sx?)$")
_WORKSPACES = ("package.json", "*/package.json", "*/*/package.json")


class ModulePaths:
    """The modules of a project and the ways they can be written."""

    def __init__(self, modules: frozenset[str], root: Path) -> None:
        self._modules = modules
        self._patterns = list(_tsconfig_paths(root))
        self._packages = dict(_package_folders(root))

    def resolve(self, path: str, module: str) -> str | None:
        """Return the module of the project that a path names, or None."""
        if path.startswith("."):
            return self._existing(posixpath.join(posixpath.dirname(module), path))
        for prefix, suffix, target in self._patterns:
            if path.startswith(prefix) and path.endswith(suffix):
                middle = path[len(prefix) : len(path) - len(suffix)]
                found = self._existing(target.replace("*", middle))
                if found is not None:
                    return found
        for name, folder in self._packages.items():
            if path == name or path.startswith(f"{name}/"):
                rest = path[len(name) + 1 :]
                for start in ("", "src"):
                    found = self._existing(posixpath.join(folder, start, rest))
                    if found is not None:
                        return found
        return None

    def _existing(self, path: str) -> str | None:
        plain = posixpath.normpath(path)
        for candidate in (plain, _EXTENSION.sub("", plain), f"{plain}/index"):
            name = candidate.removeprefix("./")
            if name in self._modules:
                return name
        return "index" if plain == "." and "index" in self._modules else None


def _tsconfig_paths(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (prefix, suffix, target) for each path pattern of the project."""
    for name in ("tsconfig.json", "tsconfig.base.json", "jsconfig.json"):
        options = _load(root / name).get("compilerOptions")
        if not isinstance(options, dict):
            continue
        base = str(options.get("baseUrl", "."))
        paths = options.get("paths")
        for pattern, targets in paths.items() if isinstance(paths, dict) else ():
            prefix, _, suffix = str(pattern).partition("*")
            for target in targets if isinstance(targets, list) else ():
                yield prefix, suffix, posixpath.join(base, str(target))
        if "baseUrl" in options:
            yield "", "", posixpath.join(base, "*")


def _package_folders(root: Path) -> Iterator[tuple[str, str]]:
    for pattern in _WORKSPACES:
        for path in sorted(root.glob(pattern)):
            name = _load(path).get("name")
            if isinstance(name, str) and "node_modules" not in path.parts:
                yield name, path.parent.relative_to(root).as_posix()


def _load(path: Path) -> dict[str, Any]:
    """Read JSON with comments; anything else is nothing."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return {}
    text = _COMMENT.sub(lambda m: m.group(1) or "", text)
    try:
        found = json.loads(_TRAILING_COMMA.sub(r"\1", text))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
