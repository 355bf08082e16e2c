"""The page about the flow names modules, and they exist."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "flow.md"


def test_every_module_of_the_flow_exists():
    modules = set(re.findall(r"`(outcrop(?:\.\w+)+)`", PAGE.read_text()))
    assert len(modules) > 30
    missing = [name for name in sorted(modules) if find_spec(name) is None]
    assert missing == []
