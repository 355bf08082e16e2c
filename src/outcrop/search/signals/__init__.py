"""The signals of the ranking, in one table; a module for each kind.

The names are keys of `Hit.scores`, which is public, and of the learned weights.
"""

from __future__ import annotations

from outcrop.search.signals.lexical import (
    score_coverage,
    score_lexical,
    score_matched,
)
from outcrop.search.signals.names import (
    score_definition,
    score_enclosing,
    score_file_name,
    score_folder,
    score_heading,
    score_name,
)
from outcrop.search.signals.places import score_frame, score_line, score_path
from outcrop.search.signals.signal import Signal
from outcrop.search.signals.structure import (
    score_behaviour,
    score_guide,
    score_prose,
    score_source,
)
from outcrop.search.signals.vectors import (
    score_cosine,
    score_foreign,
    score_foreign_name,
    score_name_vector,
    score_vector,
)

SIGNALS: tuple[Signal, ...] = (
    Signal("lexical", score_lexical),
    Signal("matched", score_matched),
    Signal("vector", score_vector),
    Signal("cosine", score_cosine),
    Signal("title", score_heading),
    Signal("name", score_name),
    Signal("enclosing", score_enclosing),
    Signal("file_name", score_file_name),
    Signal("folder", score_folder),
    Signal("name_meaning", score_name_vector),
    Signal("coverage", score_coverage),
    Signal("definition", score_definition),
    Signal("path", score_path),
    Signal("frame", score_frame),
    Signal("line", score_line),
    Signal("prose", score_prose),
    Signal("guide", score_guide),
    Signal("behaviour", score_behaviour),
    Signal("source", score_source),
    Signal("foreign", score_foreign),
    Signal("foreign_name", score_foreign_name),
)
