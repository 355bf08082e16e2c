"""The licences of the dependencies are known, listed and compatible."""

from __future__ import annotations

import tomllib
from importlib.metadata import distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from website.reference.licences import expressions, licence_of, needed_by

from release.environment import ROOT

# Permissive, or weakly reciprocal and used unchanged as a library.
COMPATIBLE = {
    *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC"),
    *("LGPL-3.0-only", "MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"),
}


def _listed() -> dict[str, str]:
    text = (ROOT / "docs/reference/licences.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| ")]
    return {row[1].strip(): row[2].strip() for row in rows[1:]}


def test_every_installed_dependency_has_a_compatible_licence():
    unknown = {
        name: licence
        for name in needed_by()
        if not expressions(licence := licence_of(distribution(name))) <= COMPATIBLE
    }
    assert unknown == {}


def test_the_page_lists_every_dependency_that_the_project_names():
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = project["optional-dependencies"]
    everything = Requirement(extras["all"][0]).extras
    texts = [
        *project["dependencies"],
        *(text for extra in everything for text in extras[extra]),
    ]
    names = {canonicalize_name(Requirement(text).name) for text in texts} - {"outcrop"}
    assert names - set(_listed()) == set()


def test_the_page_states_the_licences_of_what_is_installed():
    listed, installed = _listed(), needed_by()
    wrong = {
        name: listed[name]
        for name in installed
        if name in listed and listed[name] != licence_of(distribution(name))
    }
    assert wrong == {}
