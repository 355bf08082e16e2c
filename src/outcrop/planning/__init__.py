"""Planning: which chunks the nodes of a code graph become.

```python
from outcrop.planning import ChunkBuildOrchestrator, ChunkBuildRequest
```
"""

from __future__ import annotations

from outcrop.planning.plans import (
    ChunkBuildRequest,
    ChunkBuildResult,
    ChunkPlan,
    PipelinePlan,
    RelationHint,
    ServiceMeta,
)

__all__ = [
    "ChunkBuildRequest",
    "ChunkBuildResult",
    "ChunkPlan",
    "PipelinePlan",
    "RelationHint",
    "ServiceMeta",
]
