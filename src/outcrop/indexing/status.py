"""What an index is, and what is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from outcrop.store.database import ServerInfo
    from outcrop.store.read import StoreStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexStatus:
    """What an index is and what is in it.

    Attributes:
        project: The folder that paths are relative to.
        server: Which PostgreSQL it is kept in.
        contents: Counts of what is stored.
        embedder: Name of the embedder that is configured.
    """

    project: str
    server: ServerInfo
    contents: StoreStatus
    embedder: str
