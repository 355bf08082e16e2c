"""Which strategy a document gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outcrop.chunking.strategies.code_aware import CodeAwareStrategy
from outcrop.chunking.strategies.fallback import FallbackStrategy
from outcrop.chunking.strategies.structural import StructuralStrategy

if TYPE_CHECKING:
    from outcrop.chunking.analysis import ContentAnalysis
    from outcrop.chunking.config import ChunkConfig
    from outcrop.chunking.strategies.strategy import BaseStrategy


class StrategySelector:
    """Asks the strategies in the order of their priority.

    Attributes:
        strategies: All of them, first asked first.
    """

    def __init__(self) -> None:
        self.strategies: list[BaseStrategy] = [
            CodeAwareStrategy(),
            StructuralStrategy(),
            FallbackStrategy(),
        ]

    def select(self, analysis: ContentAnalysis, config: ChunkConfig) -> BaseStrategy:
        """The strategy that is forced, or the first that suits the document."""
        for strategy in self.strategies:
            if config.strategy is not None:
                if strategy.name == config.strategy:
                    return strategy
            elif strategy.can_handle(analysis, config):
                return strategy
        return self.strategies[-1]

    def get_available_strategies(self) -> list[str]:
        """Names of all strategies, first asked first."""
        return [strategy.name for strategy in self.strategies]
