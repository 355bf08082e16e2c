"""A case: the files to try with the settings to try them with.

A case is a function of a seed and a number, so that any of them can be made again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from fuzz import seeds
from fuzz.code import CodeMaker
from fuzz.grammar import Grammar
from fuzz.mutate import Mutator
from fuzz.readers import MarkdownMaker
from fuzz.words import WordMaker
from outcrop.chunking.config import STRATEGY_NAMES

TARGETS = ("grammar", "mutation", "readers", "words", "code")
DOCUMENT = "document.md"
_SIZES = (10, 11, 12, 14, 16, 20, 25, 30, 40, 40, 60, 80, 80, 100, 150, 250, 500, 1000,
          4096, 100_000)  # fmt: skip
_TINY = (1, 2, 3, 5, 7)
_CODE_EVERY = 25  # documents for one program: reading code takes longer


@dataclass(frozen=True)
class Case:
    """What one try needs.

    Attributes:
        target: Where it comes from, one of `TARGETS`.
        files: Content by name: the document, or sources with a character for a byte.
        settings: How the files are read.
    """

    target: str
    files: dict[str, str]
    settings: dict[str, Any] = field(default_factory=dict)


class CaseMaker:
    """Makes the cases of one seed.

    Args:
        seed: Any text; the same seed gives the same cases.
        targets: The targets to take turns with.
    """

    def __init__(self, seed: str, targets: tuple[str, ...] = TARGETS) -> None:
        self.seed = seed
        self._targets = targets
        self._random = Random()  # noqa: S311 - seeded for each case
        documents = [*seeds.own_documents(), *seeds.spec_examples() * 2]
        self._grammar = Grammar(self._random)
        self._mutator = Mutator(documents, self._random)
        makers = [self._grammar, self._mutator]
        self._texts = {
            "readers": MarkdownMaker(self._random, makers),
            "words": WordMaker(self._random, makers),
        }
        self._code = CodeMaker(self._random) if "code" in targets else None

    def case(self, number: int) -> Case:
        """Return the case with a number."""
        self._random.seed(f"{self.seed}:{number}")
        target = self._target(number)
        if target == "code" and self._code is not None:
            return Case(target, *self._code.program())
        if target in self._texts:
            return Case(target, {DOCUMENT: self._texts[target].document()})
        maker = self._grammar if target == "grammar" else self._mutator
        return Case(target, {DOCUMENT: maker.document()}, _settings(self._random))

    def _target(self, number: int) -> str:
        documents = [name for name in self._targets if name != "code"]
        if "code" in self._targets and (not documents or number % _CODE_EVERY == 0):
            return "code"
        return documents[number % len(documents)]


def _settings(random: Random) -> dict[str, Any]:
    """Return settings for one document, as plain values."""
    chosen: dict[str, Any] = {
        "view": random.choice(
            ("chunks", "chunks", "chunks", "chunks", "tree", "sections")
        ),
        "max_chunk_size": random.choice(_SIZES),
    }
    if chosen["view"] == "sections":
        return {**chosen, "max_depth": random.randint(1, 6)}
    most = chosen["max_chunk_size"]
    odd = {
        "oversize_blocks": (0.5, "split"),
        "length": (0.35, random.choice(("tokens", "tokens", "tokens", "words"))),
        "strategy": (0.4, random.choice(STRATEGY_NAMES)),
        "cut_every": (0.1, random.choice(_SIZES)),
        "oversize_tolerance": (0.15, random.choice((0.1, 0.5, 2.0))),
        "min_chunk_size": (0.1, random.randint(1, most)),
        "overlap_size": (0.1, random.randint(0, most - 1)),
        "code_threshold": (0.05, random.random()),
        "structure_threshold": (0.05, random.randint(1, 5)),
    }
    for name, (share, value) in odd.items():
        if random.random() < share:
            chosen[name] = value
    if random.random() < 0.08 and not {"min_chunk_size", "overlap_size"} & set(chosen):
        chosen["max_chunk_size"] = random.choice(_TINY)
    return chosen
