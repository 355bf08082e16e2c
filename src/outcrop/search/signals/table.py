"""All signals with their weights, in one table.

The names are keys of `Hit.scores`, which is public. Weights are round numbers;
`benchmarks/signals.py` measures the ranking without each signal.
"""

from __future__ import annotations

from outcrop.search.signals.lexical import score_coverage, score_lexical
from outcrop.search.signals.names import (
    score_definition,
    score_enclosing,
    score_file_name,
    score_heading,
    score_name,
)
from outcrop.search.signals.signal import Signal
from outcrop.search.signals.structure import score_prose
from outcrop.search.signals.vectors import score_name_vector, score_vector

SIGNALS: tuple[Signal, ...] = (
    Signal(name="lexical", score=score_lexical, documents=1.0, code=1.0),
    Signal(name="vector", score=score_vector, documents=0.1, code=0.1),
    Signal(name="title", score=score_heading, documents=0.5, code=0.0),
    Signal(name="name", score=score_name, documents=0.0, code=0.3),
    Signal(name="enclosing", score=score_enclosing, documents=0.0, code=0.1),
    Signal(name="file_name", score=score_file_name, documents=0.3, code=0.3),
    Signal(name="name_meaning", score=score_name_vector, documents=0.1, code=0.3),
    Signal(name="coverage", score=score_coverage, documents=0.3, code=0.3),
    Signal(name="prose", score=score_prose, documents=0.3, code=0.0),
    Signal(name="definition", score=score_definition, documents=0.0, code=1.0),
)
