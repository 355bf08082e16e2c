"""The import paths of Go packages."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def import_paths(files: Sequence[tuple[str, str]], root: Path) -> dict[str, str]:
    """Return the import path of the package each file is in.

    Without a `go.mod` a package is named by its folder, and in the root by its
    package clause. Tests in a package `name_test` are a package beside it.
    """
    modules: dict[str, str | None] = {}
    names = {}
    for path, package in files:
        folder = PurePosixPath(path).parent
        name = _import_path(folder, package, root, modules)
        if package.endswith("_test") and path.endswith("_test.go"):
            name += "_test"
        names[path] = name
    return names


def _import_path(
    folder: PurePosixPath, package: str, root: Path, modules: dict[str, str | None]
) -> str:
    for above in (folder, *folder.parents):
        key = str(above)
        if key not in modules:
            modules[key] = _module_of(root / above)
        module = modules[key]
        if module is not None:
            rest = folder.relative_to(above).as_posix()
            return module if rest == "." else f"{module}/{rest}"
    return package if str(folder) == "." else folder.as_posix()


def _module_of(folder: Path) -> str | None:
    try:
        found = _MODULE.search((folder / "go.mod").read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    return found.group(1) if found else None
