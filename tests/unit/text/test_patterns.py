"""Regular expressions that mean the same in every Python that is supported."""

from __future__ import annotations

import re
from pathlib import Path

import outcrop

SOURCES = Path(outcrop.__file__).parent
# A group that is repeated possessively: `(...)++`, `(...)*+`.
POSSESSIVE_GROUP = re.compile(r"\)[*+?]\+")


def test_a_possessive_group_looks_ahead_before_it_reads():
    # Before Python 3.11.5, a match continues after what the last, failed attempt has read.
    wrong = [
        f"{file.relative_to(SOURCES)}:{number}"
        for file in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), 1)
        if POSSESSIVE_GROUP.search(line) and "(?:(?=" not in line
    ]
    assert wrong == []
