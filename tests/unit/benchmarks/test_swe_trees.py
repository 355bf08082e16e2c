"""How the code of a release is laid out for the benchmark of issues."""

from __future__ import annotations

import csv
import io
import tarfile
import zipfile

import swe_trees


def test_python_files_of_a_wheel_are_read(tmp_path):
    wheel = tmp_path / "tea-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tea/brew.py", "x = 1\n")
        archive.writestr("tea/data.json", "{}")
    assert list(swe_trees.python_files(wheel)) == [("tea/brew.py", b"x = 1\n")]


def test_python_files_of_a_source_archive_are_read_without_its_folder(tmp_path):
    source = tmp_path / "tea-1.0.tar.gz"
    with tarfile.open(source, "w:gz") as archive:
        for name in ("tea-1.0/tea/brew.py", "tea-1.0/README"):
            entry = tarfile.TarInfo(name)
            entry.size = 2
            archive.addfile(entry, io.BytesIO(b"x\n"))
    assert list(swe_trees.python_files(source)) == [("tea/brew.py", b"x\n")]


def test_every_checkout_is_listed_once():
    with swe_trees.LIST.open() as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len({(row["repo"], row["commit"]) for row in rows}) == len(rows) == 36
    assert all("==" in row["package"] for row in rows)
