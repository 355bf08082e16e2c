"""The code graph: definitions and their relations, from source, offline.

```python
from outcrop.codegraph import build

graph = build("path/to/project")
for edge in graph.edges: ...
```

Most names are loaded on first use: the processes that parse files need few of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outcrop.codegraph.building import build
    from outcrop.codegraph.graph import BuildReport, Graph, Skipped
    from outcrop.planning.cutting.syntax import Piece, cut

__all__ = ["BuildReport", "Graph", "Piece", "Skipped", "build", "cut"]

_HOMES = {
    "BuildReport": "codegraph.graph",
    "Graph": "codegraph.graph",
    "Piece": "planning.cutting.syntax",
    "Skipped": "codegraph.graph",
    "build": "codegraph.building",
    "cut": "planning.cutting.syntax",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"outcrop.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
