"""The names that documents speak of can be imported from where they say."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import outcrop

_ROOT = Path(__file__).parents[3]
_PAGES = [_ROOT / "README.md", *sorted((_ROOT / "docs").rglob("*.md"))]
_IMPORT = re.compile(r"^ *(from outcrop\S* import (?:\([^)]*\)|[^\n#]+))", re.MULTILINE)


def _imports() -> list[tuple[str, str]]:
    """Module and name of everything that a documented statement imports from us."""
    found = set()
    for page in _PAGES:
        for statement in _IMPORT.findall(page.read_text(encoding="utf-8")):
            (node,) = ast.parse(statement).body
            assert isinstance(node, ast.ImportFrom)
            if str(node.module).startswith("outcrop.adapters"):
                continue  # these need their framework; tests/frameworks runs the pages
            found |= {(str(node.module), alias.name) for alias in node.names}
    return sorted(found)


@pytest.mark.parametrize(
    "name",
    [
        "BaseStrategy",
        "Chunk",
        "ChunkConfig",
        "ContentAnalysis",
        "InvariantValidator",
        "MarkdownChunker",
        "StrategySelector",
        "ValidationResult",
        "analyse",
    ],
)
def test_the_names_of_chunking_come_from_the_package(name):
    assert name in outcrop.__all__
    assert getattr(outcrop, name).__name__ == name


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("outcrop.chunking.stages", "HeaderProcessor"),
        ("outcrop.chunking.metadata", "MetadataRecalculator"),
        ("outcrop.chunking.stages", "SectionSplitter"),
        ("outcrop.chunking.strategies", "CodeAwareStrategy"),
        ("outcrop.chunking.strategies", "FallbackStrategy"),
        ("outcrop.chunking.strategies", "StructuralStrategy"),
        ("outcrop.errors", "ChunkConfigError"),
        ("outcrop.errors", "InvariantError"),
        ("outcrop.markdown", "parse"),
    ],
)
def test_the_names_of_stages_come_from_their_modules(module, name):
    assert getattr(import_module(module), name).__doc__


@pytest.mark.parametrize(("module", "name"), _imports() or [("outcrop", "Chunk")])
def test_what_the_documentation_imports_is_there(module, name):
    assert hasattr(import_module(module), name)
