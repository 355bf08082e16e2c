"""Three ways to propose boundaries, and how one is chosen."""

from __future__ import annotations

from outcrop.chunking.strategies.code_aware import CodeAwareStrategy
from outcrop.chunking.strategies.fallback import FallbackStrategy
from outcrop.chunking.strategies.selector import StrategySelector
from outcrop.chunking.strategies.strategy import BaseStrategy
from outcrop.chunking.strategies.structural import StructuralStrategy

__all__ = [
    "BaseStrategy",
    "CodeAwareStrategy",
    "FallbackStrategy",
    "StrategySelector",
    "StructuralStrategy",
]
