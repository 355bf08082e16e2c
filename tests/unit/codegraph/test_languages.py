"""The table of languages, and what other places have to know about each."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from outcrop.codegraph.languages import _MODULES, languages
from outcrop.indexing.files.kinds import _BY_EXTENSION
from programs import PROGRAMS

ROOT = Path(__file__).parents[3]


def test_the_table_lists_the_languages_that_its_modules_declare():
    declared = {
        one.name
        for module in set(_MODULES.values())
        for one in import_module(f"outcrop.codegraph.languages.{module}").LANGUAGES
    }
    assert declared == set(_MODULES), "list it in codegraph/languages/__init__.py"


def test_every_language_has_a_program():
    missing = languages().keys() - PROGRAMS.keys()
    assert not missing, "add a program to tests/programs.py"


@pytest.mark.parametrize("name", sorted(languages()))
def test_the_extra_of_a_language_installs_its_grammar(name):
    language = languages()[name]
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = tomllib.load(file)["project"]["optional-dependencies"]
    wheel = language.grammar[0].replace("_", "-")
    found = [text for text in extras[language.extra] if text.startswith(f"{wheel}>=")]
    assert found, f"add {wheel} to the extra {language.extra} in pyproject.toml"


@pytest.mark.parametrize("name", sorted(languages()))
def test_a_language_with_a_grammar_is_not_listed_as_one_without(name):
    listed = [ext for ext in languages()[name].extensions if ext in _BY_EXTENSION]
    assert not listed, "delete them from _BY_EXTENSION in indexing/files/kinds.py"
