"""Planning: which chunks the nodes of a code graph become.

`ChunkBuildOrchestrator`, which plans a whole application, is imported from `outcrop`.
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
