"""Texts to start from: this project's own, and the examples of the specifications.

The examples of CommonMark and GFM are not part of this repository. `make fuzz`
downloads the source archive of a package that has them for its tests; without it the
project's own texts have to do.
"""

from __future__ import annotations

import ast
import re
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

from fuzz.mutate import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
ARCHIVES = ROOT / "build" / "fuzz" / "specs"
_PAGES = ("README.md", "CONTRIBUTING.md", "tests/documents/*.md", "docs/**/*.md")
_TESTS = (
    "tests/unit/chunking/*.py",
    "tests/unit/markdown/*.py",
    "tests/unit/sections/*.py",
)
_MIN_LITERAL = 8
_EXAMPLE = re.compile(r"^`{32} example[^\n]*\n(.*?)^\.\n", re.MULTILINE | re.DOTALL)


def own_documents() -> list[list[str]]:
    """Return the project's pages and the documents inside its tests, as lines."""
    pages = [path.read_text("utf-8") for pattern in _PAGES for path in _files(pattern)]
    cases = {
        text
        for pattern in _TESTS
        for path in _files(pattern)
        for text in _literals(path)
    }
    return [lines_of(text) for text in (*pages, *sorted(cases)) if text]


def spec_examples(folder: Path = ARCHIVES) -> list[list[str]]:
    """Return the examples in the source archives of a folder, as lines."""
    found: set[str] = set()
    for archive in sorted(folder.glob("*.tar.gz")):
        with tarfile.open(archive) as members:
            for member in members:
                file = members.extractfile(member)
                if file is not None and member.name.endswith((".txt", ".md")):
                    found.update(
                        _EXAMPLE.findall(file.read().decode("utf-8", "replace"))
                    )
    return [lines_of(text.replace("→", "\t")) for text in sorted(found) if text]


def _files(pattern: str) -> list[Path]:
    return sorted(ROOT.glob(pattern))


def _literals(path: Path) -> Iterator[str]:
    """Yield the strings of a test that look like documents."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and len(node.value) >= _MIN_LITERAL
            and "\n" in node.value
        ):
            yield node.value
