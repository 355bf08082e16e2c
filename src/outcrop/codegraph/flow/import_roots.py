"""Modules of the same name in one project, told apart by the folder they start from.

A repository may contain several programs, each with a package `app` of its own. An
import of `app.db` means the one of its own program, which is the nearest in the tree of
folders. Each module therefore has a key: its name, or its name with a number before it
where another program may have the same one.

Packages can be imported from anywhere in the project. Loose files below a folder that
no import can name, such as `user-api`, can be imported from within that folder only.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from outcrop.codegraph.names import shared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_Folder = tuple[str, ...]

SOURCE_ROOTS = ("src", "lib", "source")
"""Folders that contain modules and are not part of their names."""


class ImportRoots:
    """The keys of modules, and the modules that an import may mean.

    Args:
        modules: The dotted module name of each file, by path.
    """

    def __init__(self, modules: Mapping[str, str]) -> None:
        self._modules = modules
        self._spaces: dict[str, dict[int, _Space]] = {}
        self._space_of: dict[tuple[str, _Folder], int] = {}
        self._nearest: dict[tuple[str, str], list[int]] = {}
        """(first name, folder) -> the spaces that it may mean there, nearest first."""
        roots: dict[tuple[str, _Folder], set[str]] = {}
        packages: set[tuple[str, _Folder]] = set()
        for path, module in sorted(modules.items()):
            top = module.partition(".")[0]
            root = _root(path, module)
            roots.setdefault((top, root), set()).add(module)
            if module == top and PurePosixPath(path).stem == "__init__":
                packages.add((top, root))
        for (top, root), names in roots.items():
            program = () if (top, root) in packages else _program(root)
            self._space_of[top, root] = self._place(top, root, names, program)

    def _place(self, top: str, root: _Folder, names: set[str], program: _Folder) -> int:
        """Add the modules of a root to a space that has none of their names.

        Returns:
            The number of the space.
        """
        spaces = self._spaces.setdefault(top, {})
        fitting = (
            number
            for number, space in spaces.items()
            if space.program == program and not space.names & names
        )
        new = len(spaces) + 1 if program or 0 in spaces else 0
        number = next(fitting, new)
        space = spaces.setdefault(number, _Space(program))
        space.roots.append(root)
        space.names |= names
        return number

    def key(self, path: str) -> str:
        """Return the key of the module in a file."""
        module = self._modules[path]
        top = module.partition(".")[0]
        return _key(self._space_of[top, _root(path, module)], module)

    def keys(self, module: str, path: str) -> Sequence[str]:
        """Return what an absolute import in a file may mean, nearest first.

        Nothing, if the project has no such module that the file can import.
        """
        top = module.partition(".")[0]
        if top not in self._spaces:
            return ()
        place = (top, path.rpartition("/")[0])
        numbers = self._nearest.get(place)
        if numbers is None:
            numbers = self._nearest[place] = self._numbers(top, path)
        return [_key(number, module) for number in numbers]

    def _numbers(self, top: str, path: str) -> list[int]:
        """Return the spaces that a file may import a name from, nearest first."""
        folder = PurePosixPath(path).parent.parts
        near = {
            number: space.nearness(folder)
            for number, space in self._spaces[top].items()
            if folder[: len(space.program)] == space.program
        }
        return sorted(near, key=lambda number: (-near[number], number))


class _Space:
    """Folders whose modules have different names, so that one key serves each name.

    Args:
        program: The folder that they can be imported from; empty for all.
    """

    def __init__(self, program: _Folder) -> None:
        self.program = program
        self.roots: list[_Folder] = []
        self.names: set[str] = set()

    def nearness(self, folder: _Folder) -> int:
        return max(shared(root, folder) for root in self.roots)


def _root(path: str, module: str) -> _Folder:
    """Return the folder from which the name of a module counts."""
    file = PurePosixPath(path)
    parts = file.parent.parts if file.stem == "__init__" else file.with_suffix("").parts
    return parts[: max(0, len(parts) - module.count(".") - 1)]


def _program(root: _Folder) -> _Folder:
    """Return the folder whose files can import the loose modules of a root."""
    return root[:-1] if root and root[-1] in SOURCE_ROOTS else root


def _key(number: int, module: str) -> str:
    return f"{number}/{module}" if number else module


def bare_name(key: str) -> str:
    """Return the name of a module from its key."""
    return key.rpartition("/")[2]
