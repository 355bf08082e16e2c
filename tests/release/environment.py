"""Fresh environments, made offline: a wheel and exactly what its metadata asks for.

The dependencies are linked from the environment that runs the tests, each distribution
by itself, so a package that an extra forgets to name is missing here as it would be on
a user's machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).parents[2]
INSTALLER = "pip"


class FreshEnvironment:
    """A virtual environment that holds some requirements, pip and nothing else."""

    def __init__(self, folder: Path, requirements: Iterable[str]) -> None:
        self.folder = folder
        venv.create(folder, symlinks=True)
        packages = next(folder.glob("lib/python3*/site-packages"))
        for found in closure([*requirements, INSTALLER]):
            link(found, packages)
        # Not its own script: its warnings about itself are not ours to look at.
        script = self.commands / INSTALLER
        script.write_text(f'#!/bin/sh\nexec {self.python} -W ignore -m pip "$@"\n')
        script.chmod(0o755)

    @property
    def commands(self) -> Path:
        return self.folder / "bin"

    @property
    def python(self) -> Path:
        return self.commands / "python"

    def install(self, archives: Path, requirement: str) -> None:
        """Install from a folder of archives, without asking any index."""
        pip = [self.python, "-m", INSTALLER, "install", "--quiet", "--no-index"]
        subprocess.run([*pip, "--find-links", archives, requirement], check=True)

    def run(
        self, *command: str, folder: Path = ROOT
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment; the caller looks at its exit code."""
        return subprocess.run(
            command,
            cwd=folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            check=False,
        )

    def variables(self) -> dict[str, str]:
        """Return a plain environment whose commands come first."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("OUTCROP_", "PYTHON", "PYTEST_"))
        }
        return {**kept, "PATH": f"{self.commands}{os.pathsep}{os.environ['PATH']}"}


def declared_by(archives: Path, extras: str) -> list[str]:
    """Return the requirements that the wheel declares for some extras.

    Args:
        archives: The folder with the wheel.
        extras: Names separated by commas; empty for none.
    """
    with zipfile.ZipFile(next(archives.glob("*.whl"))) as opened:
        name = next(n for n in opened.namelist() if n.endswith("/METADATA"))
        metadata = Metadata.from_email(opened.read(name))
    declared = [str(requirement) for requirement in metadata.requires_dist or []]
    found = [r for extra in ("", *extras.split(",")) for r in wanted(declared, extra)]
    for requirement in found:
        requirement.marker = None
    return [str(requirement) for requirement in found]


def closure(requirements: Iterable[str]) -> list[Distribution]:
    """Return the installed distributions that some requirements lead to.

    Raises:
        PackageNotFoundError: if one is not installed here.
    """
    seen: dict[tuple[str, str], Distribution] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        for extra in ("", *requirement.extras):
            if (name, extra) not in seen:
                found = distribution(name)
                seen[name, extra] = found
                waiting += wanted(found.requires or [], extra)
    return [found for (_, extra), found in seen.items() if not extra]


def wanted(requirements: Sequence[str], extra: str = "") -> Iterator[Requirement]:
    """Yield the requirements that hold on this machine, with an extra or without."""
    for text in requirements:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}):
            yield requirement


def link(found: Distribution, packages: Path) -> None:
    """Link everything that a distribution installed at the top of its folder."""
    names = {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}
    for name in names:
        target = packages / name
        if not target.exists():
            target.symlink_to(Path(str(found.locate_file(name))).resolve())


def can_link(requirements: Iterable[str]) -> bool:
    """Return whether everything that some requirements lead to is installed here."""
    try:
        closure(requirements)
    except PackageNotFoundError:
        return False
    return sys.platform != "win32"
