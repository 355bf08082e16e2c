"""Every reason that the chunker gives has words, and every word is needed."""

from __future__ import annotations

import pytest

from outcrop import Chunk, ChunkConfig, MarkdownChunker
from outcrop.chunking.draft import INTEGRITY_REASONS, WITHIN_TOLERANCE
from outcrop.presentation.reasons import (
    OVERSIZE,
    REASONS,
    STAGES,
    boundary_reason,
    oversize_reason,
    stage_name,
)

WORDS = "Some words of text that go on for a while, and then end here. "
CODE = "```\n" + "\n".join(f"code line {n}" for n in range(12)) + "\n```\n"
TABLE = (
    "| a | b |\n|---|---|\n" + "\n".join(f"| {n} | cell |" for n in range(14)) + "\n"
)

# Boundaries to be seen -> a document that has them, and how it is cut.
EXAMPLES = {
    "sections": ("# A\n\n" + f"{WORDS * 2}\n\n## B\n\n" * 3 + WORDS * 2, {}),
    "code": (f"# A\n\n{WORDS * 2}\n\n{CODE}\n{WORDS * 2}\n", {}),
    "table": (f"# A\n\n{WORDS * 2}\n\n{TABLE}\n{WORDS * 2}\n", {}),
    "blocks": ("# A\n\none\n\ntwo\n", {"strategy": "blocks"}),
    "size": (f"{WORDS * 2}\n\n" * 3, {"strategy": "fallback"}),
    "dangling": (f"{WORDS * 2}\n\n# A\n\n{WORDS * 2}", {"strategy": "fallback"}),
    # A heading too long to be repeated moves down: one too many for its new chunk.
    "headings": (
        f"{WORDS}\n\n# {'Long ' * 22}\n\n{WORDS}\n\n# C\n\n{WORDS}\n",
        {"strategy": "fallback"},
    ),
    "front matter": ("---\ntitle: T\n---\n\ntext\n", {}),
    "paragraphs": ("# A\n\n" + f"{WORDS}\n\n" * 6, {"strategy": "structural"}),
    "items": ("# A\n\n" + f"- {WORDS * 2}\n" * 5, {"strategy": "structural"}),
    "nested items": (f"- {WORDS}\n" + f"  - {WORDS}\n" * 6, {}),
    "whole blocks": (f"# A\n\n{WORDS * 2}\n\n{CODE}\n", {"strategy": "structural"}),
    "sentences": (WORDS * 12, {}),
    "definitions": ("\n".join(f"[{n}]: https://x.test/{n}" for n in range(30)), {}),
    "words": ("word " * 200, {}),
    "characters": ("x" * 900, {}),
    "code points": ("e" + "\u0301" * 900, {}),
    "rows": (TABLE, {"oversize_blocks": "split"}),
    "lines": (CODE, {"oversize_blocks": "split"}),
}


def _cut(name: str, size: int) -> list[Chunk]:
    text, settings = EXAMPLES[name]
    chunker = MarkdownChunker(ChunkConfig(max_chunk_size=size, **settings))
    if name == "front matter":  # only a tree can part it from the text
        tree = chunker.chunk_hierarchical(text, separate_front_matter=True)
        return tree.get_flat_chunks()
    return chunker.chunk(text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_reason_has_words(name):
    for size in (60, 150, 200):
        for chunk in _cut(name, size):
            boundary = chunk.metadata["boundary"]
            reason = (boundary["stage"], boundary["rule"])
            assert reason in REASONS, "add words for it in presentation/reasons.py"
            assert boundary["stage"] in STAGES
            assert stage_name(chunk) == STAGES[boundary["stage"]]


def test_every_word_is_for_a_reason_that_occurs():
    seen = {
        (boundary["stage"], boundary["rule"])
        for name in EXAMPLES
        for size in (60, 150, 200)
        for boundary in (chunk.metadata["boundary"] for chunk in _cut(name, size))
    }
    unseen = set(REASONS) - seen
    assert not unseen, "add a document that shows them to EXAMPLES, or delete the words"
    assert seen <= set(REASONS)


def test_every_excuse_for_size_has_words():
    assert set(OVERSIZE) == {*INTEGRITY_REASONS, WITHIN_TOLERANCE}


def test_a_rule_of_a_strategy_of_ones_own_is_shown_by_its_name():
    chunk = Chunk(
        content="x",
        start_line=1,
        end_line=1,
        start_offset=0,
        end_offset=1,
        metadata={
            "boundary": {"stage": "my_stage", "rule": "own_rule"},
            "oversize_reason": "own_excuse",
        },
    )
    assert stage_name(chunk) == "my stage"
    assert boundary_reason(chunk) == "my stage: own rule"
    assert oversize_reason(chunk) == "own excuse"
