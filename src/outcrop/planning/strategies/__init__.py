"""Strategies by name, in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.errors import ConfigError
from outcrop.planning.protocols import (
    ChunkStrategy,
    FileChunkStrategy,
    SourceText,
)
from outcrop.planning.strategies.adaptive import AdaptiveChunkStrategy
from outcrop.planning.strategies.per_node import PerNodeChunkStrategy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

AnyStrategy = ChunkStrategy | FileChunkStrategy

STRATEGIES: Mapping[str, Callable[[], AnyStrategy]] = {
    PerNodeChunkStrategy.name: PerNodeChunkStrategy,
    AdaptiveChunkStrategy.name: AdaptiveChunkStrategy,
}

__all__ = [
    "STRATEGIES",
    "AdaptiveChunkStrategy",
    "AnyStrategy",
    "ChunkStrategy",
    "FileChunkStrategy",
    "PerNodeChunkStrategy",
    "SourceText",
    "open_strategy",
]


def open_strategy(
    name: str, table: Mapping[str, Callable[[], AnyStrategy]] = STRATEGIES
) -> AnyStrategy:
    """Return a strategy by its name.

    Raises:
        ConfigError: The strategy is unknown; the message lists the known ones.
    """
    if name not in table:
        known = ", ".join(table)
        raise ConfigError(f"unknown strategy {name!r}; choose one of: {known}")
    return table[name]()
