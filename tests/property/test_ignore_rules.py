"""Ignore files mean what they mean to git."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from outcrop.indexing.files.ignore import IgnoreRules

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="compares with git, which is not installed"
)

NAMES = (
    *("a", "b", "ab", "ba", "aab", "abab", "a b", "a ", " a", "A", "1", "a1", "_"),
    *("!a", "#a", "\\a", "[a]", "a]", "-", "a-b", "*", "?", "a*b", "^", ":", "a\nb"),
)
FOLDERS = ("a", "b", "ab", "a ", "[a]")
PATHS = (
    *(f"{name}.f" for name in NAMES),
    *NAMES,
    *(f"{'/'.join(folders)}/in/{name}" for folders in product(FOLDERS, FOLDERS)
      for name in ("a", "b", "ab", "a-b", "1")),
)  # fmt: skip

PARTS = st.sampled_from([
    "a", "b", "ab", "*", "*", "?", "**", "/", "/", "\\", "!", "#", " ", "-", "1", "f",
    "[ab]", "[!a]", "[^a-c]", "[a-", "[]a]", "[[:alpha:]]", "[[:no:]]", "[\\]a]",
    "[:]", "[a/b]", "[b-a]", "[!]", ".f", "/**/", "**/", "/**", "in", "[[:", "]",
])  # fmt: skip
LINES = st.lists(PARTS, min_size=1, max_size=7).map("".join)
GIT = ("git", "-c", "core.excludesFile=")


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    for path in PATHS:
        # A name in the root that is a folder already has its files below.
        if not (file := folder / path).exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            if path not in FOLDERS:
                file.write_text("")
    return folder


def ignored_by_git(repository: Path) -> set[str]:
    done = subprocess.run(
        [*GIT, "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=repository,
        input="\0".join(f"./{path}" for path in PATHS),  # no pathspec magic
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return {path.removeprefix("./") for path in done.stdout.split("\0") if path}


def ignored_by_us(repository: Path) -> set[str]:
    rules = IgnoreRules.below(repository, None)
    return {
        path
        for path in PATHS
        if rules is not None and is_left_out(rules, repository / path, repository)
    }


def is_left_out(rules: IgnoreRules, file: Path, repository: Path) -> bool:
    above = [parent for parent in file.parents if parent.is_relative_to(repository)]
    steps = [*above[-2::-1], file]
    return any(
        rules.ignores(step.as_posix(), is_folder=step.is_dir()) for step in steps
    )


def is_read_alike(line: str) -> bool:
    # Older versions of git take `a**/b` for `a` before `**/b`, and an escaped slash
    # after two stars stands for at least one folder.
    pattern = line.removeprefix("!")
    return not re.search(r"[^/]\*\*|\*\*\\/", pattern)


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=4))
@example(["*", "!*/", "!a*"])
@example(["a/**/in/*b"])
@example(["[a-", "a\\ ", "b  ", "\\!a", "\\#a"])
@example(["/a", "ab/", "**/ab/in", "a/**"])
@example(["[!a-b]", "a[[:space:]]b", "a?b"])
def test_rules_leave_out_what_git_leaves_out(repository, lines):
    assume(all(map(is_read_alike, lines)))
    (repository / ".gitignore").write_text("\n".join(lines))
    assert ignored_by_us(repository) == ignored_by_git(repository)
