"""All signals with their weights, in one table.

The names are keys of `Hit.scores`, which is public. Weights are round numbers;
`benchmarks/signals.py` measures the ranking without each signal.
"""

from __future__ import annotations

from outcrop.search.signals.coverage import score_coverage
from outcrop.search.signals.definition import score_definition
from outcrop.search.signals.file_name import score_file_name
from outcrop.search.signals.heading import score_heading
from outcrop.search.signals.lexical import score_lexical
from outcrop.search.signals.name import score_enclosing, score_name
from outcrop.search.signals.name_vector import score_name_vector
from outcrop.search.signals.prose import score_prose
from outcrop.search.signals.signal import Signal
from outcrop.search.signals.vector import score_vector

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
