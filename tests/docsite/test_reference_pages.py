"""The reference pages that are made from the code are those of this code."""

from __future__ import annotations

import pytest
from website.reference import PAGES

from docsite.built import ROOT

# Its rows depend on the versions that are installed: tests/release looks at them.
_COMPARED = sorted(set(PAGES) - {"docs/reference/licences.md"})


@pytest.mark.parametrize("name", _COMPARED)
def test_a_page_is_what_the_code_says(name):
    written = (ROOT / name).read_text(encoding="utf-8")
    assert written == PAGES[name](), "run make reference"
