"""All signals with their weights, in one table.

Weights are round numbers. What each is worth, with the signal left out, is measured by
`benchmarks/signals.py`; the figures are in docs/concepts/search.md.
"""

from __future__ import annotations

from outcrop.search.signals.coverage import score_coverage
from outcrop.search.signals.definition import score_definition
from outcrop.search.signals.file_name import score_file_name
from outcrop.search.signals.heading import score_heading
from outcrop.search.signals.meaning import score_meaning
from outcrop.search.signals.name import score_enclosing, score_name
from outcrop.search.signals.name_meaning import score_name_meaning
from outcrop.search.signals.prose import score_prose
from outcrop.search.signals.signal import Signal
from outcrop.search.signals.words import score_words

SIGNALS: tuple[Signal, ...] = (
    Signal(name="lexical", score=score_words, documents=1.0, code=1.0),
    Signal(name="vector", score=score_meaning, documents=0.1, code=0.1),
    Signal(name="title", score=score_heading, documents=0.5, code=0.0),
    Signal(name="name", score=score_name, documents=0.0, code=0.3),
    Signal(name="enclosing", score=score_enclosing, documents=0.0, code=0.1),
    Signal(name="file_name", score=score_file_name, documents=0.3, code=0.3),
    Signal(name="name_meaning", score=score_name_meaning, documents=0.1, code=0.3),
    Signal(name="coverage", score=score_coverage, documents=0.3, code=0.3),
    Signal(name="prose", score=score_prose, documents=0.3, code=0.0),
    Signal(name="definition", score=score_definition, documents=0.0, code=1.0),
)
