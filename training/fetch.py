"""Download the packages that are learned from, each by its name.

    python -m training.fetch training/packages.tsv --out build/training

Uses the clients of the registries: apt for Debian, pip for PyPI, npm for npm. Nothing
is installed, and nothing of a package is run except what pip runs to read a source
archive. A package that cannot be had is named and left out; so are all packages of a
registry whose client is not installed. Source packages of Debian need a line `deb-src`
in the sources of apt.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
from pathlib import Path

_PIP = [sys.executable, "-m", "pip", "download", "-q", "--no-deps"]
CLIENTS = {
    "debian": ["apt-get", "download", "-qq"],
    "debian-source": ["apt-get", "source", "--download-only", "-qq"],
    "pypi": _PIP,
    "pypi-source": [*_PIP, "--no-binary", ":all:"],
    "npm": ["npm", "pack", "--silent"],
}


def download(registry: str, name: str, folder: Path) -> bool:
    """Return whether a package was downloaded into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run([*CLIENTS[registry], name], cwd=folder, check=False)
    except FileNotFoundError:  # the client is not installed
        return False
    return done.returncode == 0


def main() -> None:
    """Download all packages of a list, a folder per registry."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with given.list.open() as file:
        for package in csv.DictReader(file, delimiter="\t"):
            folder = given.out / (package["folder"] or package["registry"])
            if not download(package["registry"], package["name"], folder):
                print(f"left out: {package['name']}", flush=True)


if __name__ == "__main__":
    main()
