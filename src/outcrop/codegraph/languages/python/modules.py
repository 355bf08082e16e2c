"""The names of Python modules: where source roots are and what files are called."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SOURCE_ROOTS = ("src", "lib", "source")


def module_names(paths: Sequence[str], root: Path) -> dict[str, str]:
    """Return the module name of each Python file.

    A file in a package is named from the outermost package on; a package that
    reaches above the root is followed there. Other files are named by their folders
    from the root on, a leading source root left out.
    """
    folders = {str(PurePosixPath(p).parent) for p in paths if _is_init(p)}
    prefix = _packages_above(root) if "." in folders else []
    names = {}
    for path in paths:
        pure = PurePosixPath(path)
        parts = list(pure.parent.parts)
        start = len(parts)
        while start > 0 and "/".join(parts[:start]) in folders:
            start -= 1
        if start == 0 and "." in folders:
            named = [*prefix, *parts]
        elif start < len(parts):
            named = parts[start:]
        else:
            named = parts[1:] if parts and parts[0] in SOURCE_ROOTS else parts
        if not _is_init(path):
            named = [*named, pure.stem]
        names[path] = ".".join(named) or pure.stem
    return names


def _is_init(path: str) -> bool:
    return PurePosixPath(path).stem == "__init__"


def _packages_above(root: Path) -> list[str]:
    folder = root.resolve()
    found: list[str] = []
    while (folder / "__init__.py").exists() and folder.name:
        found.insert(0, folder.name)
        folder = folder.parent
    return found
