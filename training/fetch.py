"""Download the packages that are learned from, each by its name.

    python -m training.fetch training/packages.tsv --out build/training

Uses the clients of the registries: apt for Debian, pip for PyPI, npm for npm. Nothing
is installed, and nothing of a package is run except what pip runs to read a source
archive. A package that cannot be had is named and left out.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
from pathlib import Path

CLIENTS = {
    "debian": ["apt-get", "download", "-qq"],
    "debian-source": ["apt-get", "source", "--download-only", "-qq"],
    "pypi": ["pip", "download", "-q", "--no-deps"],
    "pypi-source": ["pip", "download", "-q", "--no-deps", "--no-binary", ":all:"],
    "npm": ["npm", "pack", "--silent"],
}


def main() -> None:
    """Download all packages of a list, a folder per registry."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    with given.list.open() as file:
        for package in csv.DictReader(file, delimiter="\t"):
            folder = given.out / (package["folder"] or package["registry"])
            folder.mkdir(parents=True, exist_ok=True)
            command = [*CLIENTS[package["registry"]], package["name"]]
            if subprocess.run(command, cwd=folder, check=False).returncode:
                print(f"left out: {package['name']}", flush=True)


if __name__ == "__main__":
    main()
