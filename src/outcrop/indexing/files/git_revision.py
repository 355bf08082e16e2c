"""A revision of a git repository as a folder to index.

`git+file:///srv/books.git@v1.2` and `git+https://example.org/books.git@main` name a
revision. Its files are checked out into a folder of their own by a repository inside
the folder's index, so that the next revision writes only what differs. The repository
they come from may be bare; it is read by `git fetch`, which runs nothing of it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from outcrop.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

PREFIX = "git+"
_SCHEMES = ("file", "https", "http", "ssh")
_REPOSITORY = "git"  # in the folder of the index
_INDEX_FOLDER = ".outcrop"
_SAFE_OPTIONS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "core.symlinks=true"),
    *("-c", "core.autocrlf=false"),
    *("-c", "advice.detachedHead=false"),
)


@dataclass(frozen=True, slots=True)
class GitRevision:
    """A revision of a repository.

    Attributes:
        url: The repository.
        revision: A branch, a tag or a commit; `HEAD` by default.
    """

    url: str
    revision: str = "HEAD"

    @property
    def name(self) -> str:
        """The name of the repository."""
        last = urlsplit(self.url).path.rstrip("/").rpartition("/")[2]
        return last.removesuffix(".git") or "repository"

    def check_out(self, folder: Path) -> str:
        """Make a folder hold the files of the revision; return the commit.

        Raises:
            InputError: There is no git, no such revision, or the folder holds files
                that are not from an earlier checkout.
        """
        repository = folder / _INDEX_FOLDER / _REPOSITORY
        if not repository.is_dir():
            _require_empty(folder)
            repository.mkdir(parents=True)
            _git("init", "--quiet", "--bare", str(repository))
        _git(
            *("--git-dir", str(repository), "fetch", "--quiet", "--depth=1"),
            *("--no-tags", "--end-of-options", self.url, self.revision),
        )
        where = ("--git-dir", str(repository), "--work-tree", str(folder))
        _git(*where, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
        return _git("--git-dir", str(repository), "rev-parse", "HEAD").strip()


def read_git_revision(text: str) -> GitRevision | None:
    """Return the revision that a text names; None if it is a path.

    Raises:
        InputError: It cannot be read.
    """
    if not text.startswith(PREFIX):
        return None
    parts = urlsplit(text.removeprefix(PREFIX))
    path, at, revision = parts.path.rpartition("@")
    if not at:
        path, revision = parts.path, "HEAD"
    if parts.scheme not in _SCHEMES or not path.strip("/") or not revision:
        raise InputError(
            f"{text!r} names no revision; write git+file:///path/repository.git@v1.0"
        )
    return GitRevision(urlunsplit(parts._replace(path=path)), revision)


def _require_empty(folder: Path) -> None:
    if not folder.exists():
        return
    held = sorted(each.name for each in folder.iterdir() if each.name != _INDEX_FOLDER)
    if held:
        raise InputError(
            f"{folder} holds other files ({held[0]}); name an empty folder with --project"
        )


def _git(*arguments: str) -> str:
    program = shutil.which("git")
    if program is None:
        raise InputError("a git revision needs git, which is not installed")
    done = subprocess.run(  # noqa: S603 - a program of the machine, without a shell
        [program, *_SAFE_OPTIONS, *arguments],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
    )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["git failed"]
        raise InputError(f"git: {said[-1].removeprefix('fatal: ')}")
    return done.stdout
