"""Ignore files: which paths below a folder are not indexed.

`.gitignore` and `.outcropignore` apply in every folder, with git's rules: the file in the
innermost folder with a pattern that matches a path decides. In the same folder
`.outcropignore` takes precedence, so a `!pattern` in it includes what git ignores.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from outcrop.indexing.files.wildmatch import name_regex, path_regex
from outcrop.regular_file import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

IGNORE_FILES = (".gitignore", ".outcropignore")
_LINE_END = re.compile(r"\r?\n")  # other line ends may be part of a name

# In lower case, as shells match names.
SECRET_NAMES = (
    # settings of an environment
    ".env*", "*.env",
    # passwords of programs
    ".dockercfg", ".git-credentials", ".htpasswd", ".my.cnf", ".netrc", "_netrc",
    ".npmrc", ".pgpass", ".pypirc", ".s3cfg", ".vault-token", ".vault_pass*",
    # keys and where they are kept
    "*.jks", "*.kdbx", "*.key", "*.keystore", "*.p12", "*.pem", "*.pfx", "*.ppk",
    "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_rsa*",
    # accounts of services
    "client_secret*.json", "credential.json", "credentials*.ini", "credentials*.json",
    "credentials*.toml", "credentials*.xml", "credentials*.y*ml", "credentials.txt",
    "local.settings.json", "*[-_.]credentials.ini",
    "*[-_.]credentials.json", "*[-_.]credentials.toml", "*[-_.]credentials.y*ml",
    "*firebase-adminsdk*.json", "kubeconfig*", "*service-account*.json",
    "*service_account*.json", "*serviceaccount*.json",
    # files that say so
    "password.txt", "passwords.txt", "passwords.y*ml",
    "secret*.ini", "secret*.json", "secret*.toml", "secret*.txt", "secret*.y*ml",
    "secrets.xml", "*[-_.]secret.json", "*[-_.]secret.y*ml",
    "*[-_.]secrets.ini", "*[-_.]secrets.json", "*[-_.]secrets.toml",
    "*[-_.]secrets.y*ml",
    "*.secret", "*.secrets", "*.tfvars", "*.tfvars.json",
)  # fmt: skip
_EXAMPLE_PARTS = frozenset({"dist", "example", "sample", "template"})

_any_secret = re.compile("|".join(filter(None, map(name_regex, SECRET_NAMES))))


@dataclass(frozen=True)
class IgnoreRule:
    """One line of an ignore file.

    Attributes:
        regex: Matches the whole name, or the whole path relative to its folder.
        by_name: Whether it matches names, in any folder below.
        folders_only: Whether it matches only folders.
        negated: Whether it includes what an earlier rule ignores.
    """

    regex: str
    by_name: bool
    folders_only: bool
    negated: bool

    @cached_property
    def matches(self) -> Callable[[str], re.Match[str] | None]:
        """The function that matches a name or path."""
        return re.compile(self.regex, re.DOTALL).fullmatch


def read_rule(line: str) -> IgnoreRule | None:
    """Read a line of an ignore file; None if it cannot match anything."""
    pattern = _trim(line)
    if pattern.startswith("#"):
        return None
    negated = pattern.startswith("!")
    pattern = pattern.removeprefix("!")
    folders_only = pattern.endswith("/")
    pattern = pattern.removesuffix("/")
    by_name = "/" not in pattern
    translate = name_regex if by_name else path_regex
    regex = translate(pattern.removeprefix("/")) if pattern else None
    if regex is None:
        return None
    return IgnoreRule(regex, by_name, folders_only, negated)


class FolderRules:
    """The rules of the ignore files of one folder."""

    def __init__(self, folder: Path, rules: Sequence[IgnoreRule]) -> None:
        self._prefix = f"{folder.as_posix().rstrip('/')}/"
        self._last_first = rules[::-1]
        # Most paths match no rule: one expression for all rules is a fast check.
        self._any_name = _union([rule.regex for rule in rules if rule.by_name])
        self._any_path = _union([rule.regex for rule in rules if not rule.by_name])

    def decide(self, path: str, name: str, *, is_folder: bool) -> bool | None:
        """Return the decision of the last rule that matches; None if none does."""
        inner = path.removeprefix(self._prefix)
        if not (self._any_name(name) or self._any_path(inner)):
            return None
        for rule in self._last_first:
            if rule.folders_only and not is_folder:
                continue
            if rule.matches(name if rule.by_name else inner):
                return not rule.negated
        return None


class IgnoreRules:
    """The rules that apply below one folder, including those of its parents."""

    def __init__(self, innermost_first: tuple[FolderRules, ...]) -> None:
        self._folders = innermost_first

    @classmethod
    def below(cls, folder: Path, outer: Self | None) -> Self | None:
        """Return the rules that apply in a folder; None if there are none.

        `outer` has the rules that apply to the folder itself. Unreadable ignore files count
        as empty.
        """
        rules = _read_rules(folder)
        if not rules:
            return outer
        around = outer._folders if outer is not None else ()  # noqa: SLF001 - of this class
        return cls((FolderRules(folder, rules), *around))

    @classmethod
    def above(cls, folder: Path, project: Path) -> Self | None:
        """Return the rules of the parents of a folder; None if there are none.

        Rules start at the root of a git repository, or else at the project. None apply
        inside a folder that they ignore: a path in there was given on purpose.
        """
        around = list(folder.parents)
        top = next((f for f in around if (f / ".git").exists()), None)
        if top is None:
            top = project if project in around else None
        rules: Self | None = None
        if top is None or (folder / ".git").exists():
            return None
        inwards = around[: around.index(top) + 1][::-1]
        for outer, inner in zip(inwards, [*inwards[1:], folder], strict=True):
            rules = cls.below(outer, rules)
            if rules is not None and rules.ignores(inner.as_posix(), is_folder=True):
                return None
        return rules

    def ignores(self, path: str, *, is_folder: bool) -> bool:
        """Whether an absolute POSIX path is ignored."""
        name = path.rpartition("/")[2]
        for folder in self._folders:
            decided = folder.decide(path, name, is_folder=is_folder)
            if decided is not None:
                return decided
        return False


def _union(regexes: Sequence[str]) -> Callable[[str], object]:
    """Return a function that matches any of some expressions."""
    if not regexes:
        return lambda _: None
    return re.compile("|".join(regexes), re.DOTALL).fullmatch


def _read_rules(folder: Path) -> list[IgnoreRule]:
    rules: list[IgnoreRule | None] = []
    for name in IGNORE_FILES:
        try:
            data = read_regular_file(folder / name)
        except OSError:
            continue
        text = data.decode("utf-8-sig", errors="replace")
        rules += map(read_rule, _LINE_END.split(f"{text}\n"))
    return [rule for rule in rules if rule is not None]


def _trim(line: str) -> str:
    """Remove trailing spaces, except one after a backslash."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if bare != line and backslashes % 2 else bare


def may_be_secret(name: str) -> bool:
    """Whether a file of this name usually holds a secret."""
    lower = name.lower()
    is_example = not _EXAMPLE_PARTS.isdisjoint(lower.split("."))
    return not is_example and _any_secret.fullmatch(lower) is not None


def named_secret(path: Path) -> bool:
    """Whether there is a file at a path that usually holds a secret."""
    target = Path(os.path.realpath(path))
    is_secret = may_be_secret(path.name) or may_be_secret(target.name)
    return is_secret and os.path.isfile(target)  # noqa: PTH113 - pathlib's fails for odd names
