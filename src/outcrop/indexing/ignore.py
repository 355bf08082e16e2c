"""Ignore files: which paths below a folder are not to be indexed.

`.gitignore` and `.outcropignore` count in every folder, as git reads them: the file in
the innermost folder that says anything about a path decides. In one folder
`.outcropignore` has the last word, so a `!pattern` in it brings back what git ignores.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError

try:
    from pathspec import GitIgnoreSpec
except ImportError as error:
    raise MissingExtraError("indexing", "store") from error

if TYPE_CHECKING:
    from pathlib import Path

IGNORE_FILES = (".gitignore", ".outcropignore")
_LINE_END = re.compile(r"\r?\n")  # no other: a name may hold them


class IgnoreRules:
    """The rules in force below one folder, those of the folders above included."""

    def __init__(self, folder: Path, outer: IgnoreRules | None = None) -> None:
        """Read the ignore files of a folder; unreadable ones count as empty."""
        self._prefix = f"{folder.as_posix().rstrip('/')}/"
        self._outer = outer
        self._spec = _read_spec(folder)

    @classmethod
    def above(cls, folder: Path, project: Path) -> IgnoreRules | None:
        """Return the rules of the folders around one, or None where there are none.

        Rules start at the folder of a git repository, or else at the project.
        """
        around = list(folder.parents)
        top = next((f for f in around if (f / ".git").exists()), None)
        if top is None:
            top = project if project in around else None
        rules: IgnoreRules | None = None
        if top is None or (folder / ".git").exists():
            return None
        for outer in reversed(around[: around.index(top) + 1]):
            rules = cls(outer, rules)
        return rules

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Say whether an absolute POSIX path is ignored."""
        decided = self._decide(f"{path}/" if is_folder else path)
        return bool(decided)

    def _decide(self, name: str) -> bool | None:
        """Return what the innermost rule says, or None where none says anything."""
        if self._spec is not None:
            decided = self._spec.check_file(name.removeprefix(self._prefix)).include
            if decided is not None:
                return decided
        return None if self._outer is None else self._outer._decide(name)  # noqa: SLF001 - of the same class


def _read_spec(folder: Path) -> GitIgnoreSpec | None:
    lines: list[str] = []
    for name in IGNORE_FILES:
        try:
            data = (folder / name).read_bytes()
        except OSError:
            continue
        text = data.decode("utf-8-sig", errors="replace")
        lines += _LINE_END.split(text)
    if not any(lines):
        return None
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def _is_pattern(line: str) -> bool:
    """Say whether a line can be read; git passes over those that cannot."""
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
