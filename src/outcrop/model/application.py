"""An application: what one code graph was built of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """A project whose code graph is stored.

    Attributes:
        id: As in `Node.application_id`.
        name: What people call it.
        metadata: JSON values.
        nodes: How many nodes it has.
        created_at: When it was first stored.
    """

    id: str
    name: str
    metadata: dict[str, Any] = field(default_factory=dict)
    nodes: int = 0
    created_at: datetime | None = None
