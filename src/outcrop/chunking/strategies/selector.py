"""Which strategy a document gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.strategies.code_aware import CodeAwareStrategy
from outcrop.chunking.strategies.fallback import FallbackStrategy
from outcrop.chunking.strategies.structural import StructuralStrategy

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.strategies.strategy import BaseStrategy

STRATEGIES: tuple[BaseStrategy, ...] = (
    CodeAwareStrategy(),
    StructuralStrategy(),
    FallbackStrategy(),
)


class StrategySelector:
    """Chooses the strategy of a document: the first that can handle it, by priority.

    Args:
        strategies: The strategies to choose from, in any order; those of this package
            by default. A lower `priority` comes first.

    Attributes:
        strategies: The same, ordered by priority.
    """

    def __init__(self, strategies: Iterable[BaseStrategy] | None = None) -> None:
        available = STRATEGIES if strategies is None else strategies
        self.strategies = sorted(available, key=lambda strategy: strategy.priority)

    def select(self, analysis: ContentAnalysis, config: ChunkConfig) -> BaseStrategy:
        """Return the strategy that `config` names, or the first that can handle it."""
        for strategy in self.strategies:
            if config.strategy is not None:
                if strategy.name == config.strategy:
                    return strategy
            elif strategy.can_handle(analysis, config):
                return strategy
        return self.strategies[-1]

    def get_available_strategies(self) -> list[str]:
        """Return the names of all strategies, ordered by priority."""
        return [strategy.name for strategy in self.strategies]
