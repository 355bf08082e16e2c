"""Lay out the code that `swe_lite.py` searches, from releases on PyPI.

    python benchmarks/swe_trees.py TREES

`swe_trees.tsv` names for each checkout the release that is nearest to it and older than
the changes it is asked about, as far as that is known. Wheels are downloaded with pip,
each by its name, and not installed; of the few releases without a wheel, pip runs what
it needs to read a source archive. Files are written where the checkout has them.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LIST = Path(__file__).with_name("swe_trees.tsv")
SOURCE = "source"  # in place of a version of Python: the release has no wheel
PLATFORMS = ("manylinux2014_x86_64", "manylinux1_x86_64", "any")


def download(package: str, python: str, folder: Path) -> Path | None:
    """Return the downloaded archive, or None if it cannot be had."""
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d"]
    command += [str(folder), package]
    if python == SOURCE:
        command += ["--no-binary", ":all:", "--no-build-isolation"]
    else:
        command += ["--only-binary", ":all:", "--python-version", python]
        command += [f"--platform={platform}" for platform in PLATFORMS]
    if subprocess.run(command, check=False).returncode:
        return None
    return next(iter(folder.iterdir()))


def python_files(archive: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the Python files of a wheel, or of a source archive below its folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                if name.endswith(".py"):
                    yield name, wheel.read(name)
        return
    with tarfile.open(archive) as source:
        for member in source:
            opened = source.extractfile(member) if member.isfile() else None
            if opened is not None and member.name.endswith(".py"):
                yield member.name.partition("/")[2], opened.read()


def main() -> None:
    """Download every release that is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trees", type=Path)
    given = parser.parse_args()
    with LIST.open() as file:
        checkouts = list(csv.DictReader(file, delimiter="\t"))
    for row in checkouts:
        tree = given.trees / row["repo"].replace("/", "__") / row["commit"]
        if tree.is_dir():
            continue
        with tempfile.TemporaryDirectory() as folder:
            archive = download(row["package"], row["python"], Path(folder))
            if archive is None:
                print(f"left out: {row['package']}", flush=True)
                continue
            for path, data in python_files(archive):
                target = tree / f"{row['prefix']}{path}"
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        print(f"{row['package']}: {tree}", flush=True)


if __name__ == "__main__":
    main()
