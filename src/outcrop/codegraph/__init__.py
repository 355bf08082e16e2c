"""The code graph: definitions and their relations, from source, offline.

```python
from outcrop.codegraph import build

graph = build("path/to/project")
for edge in graph.edges: ...
```
"""

from __future__ import annotations

from outcrop.codegraph.build import build
from outcrop.codegraph.cut import Piece, cut
from outcrop.codegraph.graph import Graph
from outcrop.codegraph.report import BuildReport, Skipped

__all__ = ["BuildReport", "Graph", "Piece", "Skipped", "build", "cut"]
