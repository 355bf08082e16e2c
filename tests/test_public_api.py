"""The public door: what it offers, and what it costs to open it."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import outcrop

# None of these may be needed to chunk Markdown.
HEAVY = {
    "click",
    "fastapi",
    "numpy",
    "psycopg",
    "pyarrow",
    "pydantic",
    "rich",
    "starlette",
    "tree_sitter",
}


def _modules_after(statement: str) -> set[str]:
    """The modules a fresh interpreter holds after one statement."""
    script = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def _names_for_type_checkers() -> set[str]:
    """What `outcrop/__init__.py` imports under `TYPE_CHECKING`."""
    assert outcrop.__file__ is not None
    tree = ast.parse(Path(outcrop.__file__).read_text(encoding="utf-8"))
    guarded = [
        statement
        for block in tree.body
        if isinstance(block, ast.If)
        and isinstance(block.test, ast.Name)
        and block.test.id == "TYPE_CHECKING"
        for statement in block.body
    ]
    return {
        alias.asname or alias.name
        for statement in guarded
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }


def test_the_names_are_sorted_and_each_stands_once():
    assert outcrop.__all__ == sorted(set(outcrop.__all__))


def test_every_lazy_name_is_public_and_known_to_type_checkers():
    public = set(outcrop.__all__) - {"__version__"}
    assert public == set(outcrop._HOMES)
    assert public == _names_for_type_checkers()


def test_dir_shows_the_public_names():
    assert dir(outcrop) == outcrop.__all__


@pytest.mark.parametrize("name", outcrop.__all__)
def test_every_name_can_be_imported(name):
    assert getattr(outcrop, name) is not None


@pytest.mark.parametrize("name", sorted(set(outcrop.__all__) - {"__version__"}))
def test_every_name_is_documented_where_it_is_defined(name):
    value = getattr(import_module(outcrop._HOMES[name]), name)
    assert value is getattr(outcrop, name)
    assert value.__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'chunk_everything'"):
        _ = outcrop.chunk_everything


def test_the_package_is_typed():
    assert outcrop.__file__ is not None
    assert (Path(outcrop.__file__).parent / "py.typed").is_file()


def test_import_loads_nothing_but_the_package_itself():
    before = _modules_after("pass")
    loaded = _modules_after("import outcrop") - before
    assert {name for name in loaded if name.startswith("outcrop")} == {"outcrop"}
    assert not {name.partition(".")[0] for name in loaded} & (HEAVY | {"pyromark"})


def test_the_chunker_loads_no_framework():
    loaded = _modules_after("from outcrop import MarkdownChunker")
    assert "outcrop.chunking.chunker" in loaded
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


def test_help_starts_without_what_commands_need():
    statement = (
        "from outcrop.cli.main import main; "
        "main(['--help'], prog_name='outcrop', standalone_mode=False)"
    )
    loaded = _modules_after(statement)
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & (HEAVY - {"click"} | {"pyromark"})
    assert not {name for name in loaded if name.startswith("outcrop.chunking")}
