from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Behind everything else, so that `markdown.py` there hides no package of that name.
sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))

from _markdown_defects import COUNTED


@pytest.fixture
def defect_counts():
    """What the defect counter says of a flawless run without offsets."""
    names = [*COUNTED, "tiny", "dangling", "path_phantom"]
    names += ["off_claimed", "line_claimed", "line_inside", "path_claimed"]
    sums = {"chunks": 5, "run_found": 90, "run_chars": 90, "emitted": 70, "covered": 70}
    return dict.fromkeys(names, 0) | sums
