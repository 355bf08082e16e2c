"""The licences of everything that an installation with all extras brings."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
_HEAD = """\
# Licences of the dependencies

What `pip install 'outcrop[all]'` installs, with the licence that each package states. Outcrop itself is licensed under Apache-2.0 and contains no code of these packages. The table is written by `make reference`; a test compares it with the installed packages and rejects a licence that is not known to be compatible.

| package | licence | extras that need it |
|---|---|---|
"""
# Spellings that packages use, and the SPDX expressions they stand for.
_SPELLINGS = {
    "Apache 2": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
# Packages whose metadata names no licence, from the licence file they install.
_STATED_IN_FILES = {"pyromark": "MIT", "wordllama": "MIT"}


def render() -> str:
    """Return the page."""
    rows = [
        f"| {name} | {licence_of(distribution(name))} | {', '.join(sorted(extras)) or 'none'} |"
        for name, extras in sorted(needed_by().items())
    ]
    return _HEAD + "\n".join(rows) + "\n"


def needed_by() -> dict[str, set[str]]:
    """Return the packages of an installation, each with the extras that need it.

    A package that every installation has is needed by no extra.
    """
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    core = _closure(project["dependencies"])
    found: dict[str, set[str]] = {name: set() for name in core}
    optional = project["optional-dependencies"]
    for extra in sorted(Requirement(optional["all"][0]).extras):
        outside = [text for text in optional[extra] if not text.startswith("outcrop[")]
        for name in _closure(outside) - core:
            found.setdefault(name, set()).add(extra)
    return found


def licence_of(found: Distribution) -> str:
    """Return the SPDX expression of a package, or an empty text if it states none."""
    metadata = found.metadata
    name = canonicalize_name(metadata["Name"])
    stated = metadata.get("License-Expression") or metadata.get("License") or ""
    if not stated or "\n" in stated:
        classifiers = metadata.get_all("Classifier") or []
        named = [
            c.rpartition(" :: ")[2] for c in classifiers if c.startswith("License")
        ]
        stated = named[0] if named else ""
    spelled = _SPELLINGS.get(stated.strip(), stated.strip())
    return spelled or _STATED_IN_FILES.get(name, "")


def expressions(licence: str) -> set[str]:
    """Return the licences that an expression combines."""
    return set(re.split(r" (?:AND|OR) ", re.sub(r"[()]", "", licence)))


def _closure(requirements: list[str]) -> set[str]:
    seen: set[tuple[str, str]] = set()
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            try:
                texts = distribution(name).requires or []
            except PackageNotFoundError as error:
                raise RuntimeError(
                    f"{name} is not installed; run make setup"
                ) from error
            for text in texts:
                found = Requirement(text)
                if found.marker is None or found.marker.evaluate({"extra": extra}):
                    waiting.append(found)
    return {name for name, _ in seen}
