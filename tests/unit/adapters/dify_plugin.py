"""The Dify plugin's own files, without its kit."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from types import ModuleType

PLUGIN = Path(__file__).parents[3] / "plugins" / "dify"
TOOLS = ("general", "parent_child")


def load_structures() -> ModuleType:
    """Return the plugin's logic, which is no part of a package."""
    name = "outcrop_dify_structures"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, PLUGIN / "structures.py")
        assert spec
        assert spec.loader
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def read_yaml(name: str) -> dict[str, Any]:
    """Return one of the plugin's files."""
    found: dict[str, Any] = yaml.safe_load((PLUGIN / name).read_text(encoding="utf-8"))
    return found
