"""Three ways to propose boundaries, and the choice between them."""

from __future__ import annotations

import dataclasses

import pytest

import outcrop
from outcrop import (
    BaseStrategy,
    BlocksStrategy,
    Chunk,
    ChunkConfig,
    CodeAwareStrategy,
    FallbackStrategy,
    MarkdownChunker,
    StrategySelector,
    StructuralStrategy,
    analyse,
)
from outcrop.chunking.config import STRATEGY_NAMES
from outcrop.chunking.strategies import STRATEGIES
from outcrop.chunking.strategy import BoundaryStrategy
from outcrop.errors import ChunkConfigError, InvariantError
from promises import check_promises
from trees import check_tree

# The three strategies cut this one differently at 120 characters.
PUMP = """\
# Pump

A pump moves water. It has three parts.

## Setting up

Connect the hose first. Then open the valve.

Run this before the first start:

```sh
pump --check
pump --prime
```

The light turns green.

## Values

| part | pressure |
|------|----------|
| hose | 4 bar    |
| seal | 6 bar    |

Higher values are unsafe.
"""


def _analysis(**counts):
    return dataclasses.replace(analyse("plain text"), **counts)


def _apply(strategy: BaseStrategy, text: str, **settings) -> list[str]:
    chunks = strategy.apply(text, analyse(text), ChunkConfig(**settings))
    return [chunk.content for chunk in chunks]


# Each its own boundaries


def test_structural_cuts_before_every_heading(cut, own):
    chunks = cut(PUMP, max_chunk_size=120, min_chunk_size=1, strategy="structural")
    assert [text.splitlines()[0] for text in own(chunks)] == [
        "# Pump",
        "## Setting up",
        "```sh",
        "## Values",
    ]
    assert [chunk.metadata["boundary"]["stage"] for chunk in chunks] == [
        "document",
        "strategy",
        "split",  # the section alone is over the limit
        "strategy",
    ]


def test_code_aware_keeps_a_block_with_the_paragraph_before_it(cut, own):
    chunks = cut(PUMP, max_chunk_size=120, min_chunk_size=1, strategy="code_aware")
    assert [text.splitlines()[0] for text in own(chunks)] == [
        "# Pump",
        "## Setting up",
        "Run this before the first start:",
        "## Values",
    ]


def test_fallback_packs_paragraphs_without_regard_to_headings(cut, own):
    chunks = cut(PUMP, max_chunk_size=120, min_chunk_size=1, strategy="fallback")
    assert [text.splitlines()[0] for text in own(chunks)] == [
        "# Pump",
        "Run this before the first start:",
        "## Values",
    ]
    assert "## Setting up" in chunks[0].content


def test_the_three_cut_one_document_at_different_places(cut):
    starts = {
        name: tuple(
            chunk.start_offset
            for chunk in cut(PUMP, max_chunk_size=120, min_chunk_size=1, strategy=name)
        )
        for name in ("code_aware", "structural", "fallback")
    }
    assert len(set(starts.values())) == 3


@pytest.mark.parametrize("name", STRATEGY_NAMES)
def test_a_forced_strategy_is_named_in_the_metadata(cut, name):
    for text in (PUMP, "plain text"):
        chunks = cut(text, max_chunk_size=120, strategy=name)
        assert {chunk.metadata["strategy"] for chunk in chunks} == {name}


# apply() as an interface of its own


def test_apply_gives_the_proposal_without_the_later_stages():
    assert _apply(StructuralStrategy(), "# A\n\n# B\n\nb\n\n## C\n\nc\n") == [
        "# A",
        "# B\n\nb",
        "## C\n\nc",
    ]


def test_apply_may_exceed_the_limit():
    text = "# A\n\n" + "word " * 50
    (content,) = _apply(StructuralStrategy(), text, max_chunk_size=40)
    assert content == text.strip()


def test_apply_may_end_in_a_heading():
    chunks = _apply(FallbackStrategy(), PUMP, max_chunk_size=120, min_chunk_size=1)
    assert chunks[1].endswith("## Values")


@pytest.mark.parametrize("strategy", StrategySelector().strategies)
def test_apply_loses_nothing(strategy):
    chunks = strategy.apply(PUMP, analyse(PUMP), ChunkConfig(max_chunk_size=120))
    assert "".join("".join(chunk.content.split()) for chunk in chunks) == "".join(
        PUMP.split()
    )
    assert {chunk.metadata["strategy"] for chunk in chunks} == {strategy.name}


@pytest.mark.parametrize("strategy", StrategySelector().strategies)
def test_apply_of_blank_text_is_nothing(strategy):
    assert strategy.apply(" \n", analyse(" \n"), ChunkConfig()) == []


@pytest.mark.parametrize("strategy", StrategySelector().strategies)
def test_apply_refuses_an_analysis_of_another_text(strategy):
    with pytest.raises(ValueError, match="the analysis is of another text"):
        strategy.apply("one", analyse("two"), ChunkConfig())


def test_a_strategy_may_decide_between_blocks():
    class EveryBlock(BoundaryStrategy):
        name = "every_block"
        priority = 9

        def can_handle(self, analysis, config):
            return True

        def boundaries(self, layout):
            return [(block, "block") for block in range(len(layout.document.blocks))]

    assert _apply(EveryBlock(), "# A\n\none\n\ntwo\n") == ["# A", "one", "two"]


def test_the_base_strategy_cannot_be_used_by_itself():
    with pytest.raises(TypeError, match="abstract"):
        BaseStrategy()


# Which one suits


@pytest.mark.parametrize(
    ("counts", "suits"),
    [
        ({}, False),
        ({"code_block_count": 1}, True),
        ({"table_count": 1}, True),
        ({"code_ratio": 0.3}, True),
        ({"code_ratio": 0.29}, False),
        ({"header_count": 50, "max_header_depth": 6}, False),
    ],
)
def test_code_aware_suits_documents_with_code_or_tables(counts, suits):
    strategy = CodeAwareStrategy()
    assert strategy.can_handle(_analysis(**counts), ChunkConfig()) is suits


def test_the_code_threshold_can_be_set():
    strategy = CodeAwareStrategy()
    analysis = _analysis(code_ratio=0.5)
    assert strategy.can_handle(analysis, ChunkConfig(code_threshold=0.5))
    assert not strategy.can_handle(analysis, ChunkConfig(code_threshold=0.51))


@pytest.mark.parametrize(
    ("counts", "suits"),
    [
        ({"header_count": 3, "max_header_depth": 2}, True),
        ({"header_count": 2, "max_header_depth": 2}, False),
        ({"header_count": 30, "max_header_depth": 1}, False),
        ({"header_count": 3, "max_header_depth": 6}, True),
        ({}, False),
    ],
)
def test_structural_suits_documents_with_enough_headings_on_two_levels(counts, suits):
    strategy = StructuralStrategy()
    assert strategy.can_handle(_analysis(**counts), ChunkConfig()) is suits


def test_the_structure_threshold_can_be_set():
    strategy = StructuralStrategy()
    analysis = _analysis(header_count=5, max_header_depth=2)
    assert strategy.can_handle(analysis, ChunkConfig(structure_threshold=5))
    assert not strategy.can_handle(analysis, ChunkConfig(structure_threshold=6))


def test_fallback_suits_everything():
    assert FallbackStrategy().can_handle(_analysis(), ChunkConfig())
    assert FallbackStrategy().can_handle(_analysis(table_count=9), ChunkConfig())


# The choice


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Just text.\n", "fallback"),
        ("# One\n\ntext\n\n# Two\n\n# Three\n", "fallback"),
        ("# One\n\n## Two\n\ntext\n\n## Three\n", "structural"),
        ("# One\n\n## Two\n\n```\nx\n```\n\n## Three\n", "code_aware"),
        ("text\n\n| a |\n|---|\n", "code_aware"),
        ("text\n\n    code\n", "code_aware"),
        ("- item\n\n  ```\n  nested\n  ```\n", "code_aware"),
        ("> # a\n\n> ## b\n\n> ### c\n", "fallback"),
    ],
)
def test_a_document_gets_the_first_strategy_that_suits_it(cut, text, name):
    assert cut(text)[0].metadata["strategy"] == name
    assert StrategySelector().select(analyse(text), ChunkConfig()).name == name


def test_priority_alone_orders_the_strategies():
    shuffled = [FallbackStrategy(), CodeAwareStrategy(), StructuralStrategy()]
    names = StrategySelector(shuffled).get_available_strategies()
    assert names == ["code_aware", "structural", "fallback"]
    analysis = analyse("# A\n\n```\ncode\n```\n")
    assert StrategySelector(shuffled).select(analysis, ChunkConfig()).name == names[0]


def test_strategies_are_asked_in_the_order_of_their_priority():
    strategies = StrategySelector().strategies
    priorities = [strategy.priority for strategy in strategies]
    assert priorities == sorted(set(priorities))
    assert [strategy.name for strategy in strategies] == list(STRATEGY_NAMES), (
        "list the strategy in STRATEGIES in chunking/strategies.py and its name in "
        "StrategyName in chunking/config.py, both in the order of the priorities"
    )


def test_the_names_are_offered_in_that_order():
    names = list(STRATEGY_NAMES)
    assert StrategySelector().get_available_strategies() == names
    assert MarkdownChunker().get_available_strategies() == names


# Details of code_aware


def test_a_section_that_fits_is_not_cut_around_its_code(cut):
    chunks = cut("# A\n\ntext\n\n```\nx\n```\n\nmore\n", max_chunk_size=200)
    assert len(chunks) == 1


def test_a_table_in_a_section_too_large_starts_a_chunk_with_its_introduction(cut, own):
    text = f"# A\n\n{'word ' * 20}\n\nThe values:\n\n| a | b |\n|---|---|\n| c | d |\n"
    chunks = cut(text, max_chunk_size=120, min_chunk_size=1)
    assert own(chunks)[1].startswith("The values:")
    assert chunks[1].metadata["boundary"] == {"stage": "strategy", "rule": "table"}


def test_a_paragraph_between_two_blocks_introduces_the_second(cut, own):
    block = "```\n" + "x = 1\n" * 8 + "```"
    text = f"# A\n\n{block}\n\nWhich prints:\n\n{block}\n"
    chunks = cut(text, max_chunk_size=90, min_chunk_size=1)
    assert own(chunks)[1].startswith("Which prints:\n\n```")


def test_text_behind_a_block_starts_a_chunk_where_it_does_not_fit(cut, own):
    text = f"```\n{'x' * 60}\n```\n\n{'word ' * 12}\n"
    chunks = cut(text, max_chunk_size=100, min_chunk_size=1)
    assert own(chunks)[1].startswith("word")
    assert chunks[1].metadata["boundary"]["rule"] == "after_code_block"


def test_nested_code_does_not_part_a_list(cut):
    text = "- Run:\n\n  ```\n  x\n  ```\n\n- Stop:\n\n  ```\n  y\n  ```\n"
    assert len(cut(text, max_chunk_size=100)) == 1


# Every block a chunk


def test_row_1_17_every_block_is_a_chunk_of_its_kind(cut, own):
    chunks = cut(PUMP, strategy="blocks")
    assert [chunk.metadata["content_type"] for chunk in chunks] == [
        "text",
        "text",
        "text",
        "code",
        "text",
        "table",
        "text",
    ]
    assert own(chunks)[3] == "```sh\npump --check\npump --prime\n```"
    assert own(chunks)[5].startswith("## Values\n\n| part")
    assert chunks[3].prefix == "## Setting up\n\n"


def test_row_1_17_small_blocks_are_not_joined(cut, own):
    text = "a\n\nb\n\n    code\n\nc\n"
    assert own(cut(text, strategy="blocks")) == ["a", "b", "    code", "c"]


@pytest.mark.parametrize(
    "block",
    [
        "- a\n- b\n\n  c\n  - d",
        "> a\n>\n> b",
        "1. a\n\n   ```\n   x\n   ```\n2. b",
        "[^1]: a\n\n    b",
        "a $$x$$ b",
        "a\n\n---",
        "a\n\n[ref]: /url",
    ],
)
def test_row_1_17_a_container_is_one_block(cut, own, block):
    assert own(cut(f"one\n\n{block}\n\ntwo\n", strategy="blocks"))[1:-1] == [block]


def test_row_1_17_a_rule_after_code_is_apart_from_it(cut, own):
    chunks = cut("```\nx\n```\n\n---\n\ntext\n", strategy="blocks")
    assert own(chunks) == ["```\nx\n```", "---", "text"]


def test_row_1_17_blocks_are_never_chosen_by_content():
    assert not BlocksStrategy().can_handle(analyse(PUMP), ChunkConfig())


# Strategies of one's own


class Markers(BaseStrategy):
    """Starts a chunk at each of some marks, and says which."""

    name = "markers"
    priority = 0

    def __init__(self, mark, *, merges_small=False):
        self.mark = mark
        self.merges_small = merges_small

    def can_handle(self, analysis, config):
        return self.mark in analysis.document.text

    def apply(self, md_text, analysis, config):
        first = md_text.find(self.mark)
        starts = []
        while first >= 0:
            starts.append(first)
            first = md_text.find(self.mark, first + 1)
        ends = [*starts[1:], len(md_text)]
        return [
            self.create_chunk(md_text, start, end, number=number)
            for number, (start, end) in enumerate(zip(starts, ends, strict=False))
        ]


def _chunk(text, *strategies, **settings):
    config = ChunkConfig(**settings)
    chunks = MarkdownChunker(config, strategies).chunk(text)
    check_promises(text, chunks, config)
    return chunks


def test_row_1_5_a_strategy_of_ones_own_is_asked_first():
    text = "intro\n\nQ: one\n\nA: 1\n\nQ: two\n\nA: 2\n"
    chunks = _chunk(text, Markers("Q:"))
    assert [chunk.content for chunk in chunks] == [
        "intro",
        "Q: one\n\nA: 1",
        "Q: two\n\nA: 2",
    ]
    assert [chunk.metadata.get("number") for chunk in chunks] == [None, 0, 1]
    assert {chunk.metadata["strategy"] for chunk in chunks} == {"markers"}


def test_row_1_5_a_document_it_cannot_handle_goes_to_the_others():
    chunks = _chunk("Just text.\n", Markers("Q:"))
    assert chunks[0].metadata["strategy"] == "fallback"


def test_row_1_5_a_higher_priority_is_asked_later():
    late = Markers("Q:")
    late.priority = 2.5
    names = MarkdownChunker(strategies=[late]).get_available_strategies()
    assert names[1:4] == ["structural", "markers", "fallback"]
    text = "# A\n\n## B\n\nQ: one\n\n## C\n"
    assert _chunk(text, late)[0].metadata["strategy"] == "structural"


def test_row_1_5_it_can_be_forced_by_name():
    chunks = _chunk("Just text.\n", Markers("Q:"), strategy="markers")
    assert chunks[0].metadata["strategy"] == "markers"
    assert chunks[0].content == "Just text."


def test_row_1_5_a_name_nobody_has_is_refused():
    with pytest.raises(ChunkConfigError, match="it must be one of markers, code_aware"):
        MarkdownChunker(ChunkConfig(strategy="list"), [Markers("Q:")])
    with pytest.raises(ChunkConfigError, match="strategy is 'list', but it must be"):
        MarkdownChunker(ChunkConfig(strategy="list"))


def test_row_1_5_one_of_the_same_name_takes_the_place_of_another():
    mine = Markers("Q:")
    mine.name = "fallback"
    chunker = MarkdownChunker(strategies=[mine])
    assert sorted(chunker.get_available_strategies()) == sorted(STRATEGY_NAMES)


def test_row_1_5_small_chunks_are_joined_where_the_strategy_wants_it():
    text = "Q: one\n\nQ: two\n\nQ: three\n"
    assert len(_chunk(text, Markers("Q:", merges_small=True))) == 1
    assert len(_chunk(text, Markers("Q:"))) == 3


def test_row_1_5_a_heading_moves_to_the_text_it_belongs_to():
    text = "one\n\n## Title\n\nQ: two\n"
    assert [chunk.content for chunk in _chunk(text, Markers("Q:"))] == [
        "one",
        "## Title\n\nQ: two",
    ]


def test_row_1_5_text_may_be_cut_inside_a_paragraph():
    chunks = _chunk("# T\n\none two Q: three four\n", Markers("Q:"))
    assert [chunk.content for chunk in chunks] == [
        "# T\n\none two",
        "# T\n\nQ: three four",
    ]


def test_row_1_5_a_cut_inside_the_first_character_is_one_before_its_heading():
    text = "one\n\n# T\n   \U0001f1e9\U0001f1ea\n"
    assert [chunk.content for chunk in _chunk(text, Markers("\U0001f1ea"))] == [
        "one",
        "# T\n   \U0001f1e9\U0001f1ea",
    ]


def test_row_1_5_code_and_tables_and_headings_are_never_cut():
    text = "# A Q: b\n\n```\nx\nQ: y\n```\n\n| a Q: |\n|---|\n| Q: b |\n"
    assert [chunk.content for chunk in _chunk(text, Markers("Q:"))] == [
        "# A Q: b\n\n```\nx\nQ: y\n```",
        "# A Q: b\n\n| a Q: |\n|---|\n| Q: b |",
    ]


def test_row_1_5_sections_are_the_nodes_of_a_tree():
    text = "# A\n\nQ: one\n\n## B\n\ntext\n\n## C\n\nQ: two\n"
    tree = MarkdownChunker(strategies=[Markers("Q:")]).chunk_hierarchical(text)
    check_tree(text, tree)
    assert [leaf.metadata["headers"][-1] for leaf in tree.get_flat_chunks()] == [
        "A",
        "B",
        "C",
    ]


def test_row_1_4_a_strategy_may_return_chunks_without_offsets():
    class Lines(BaseStrategy):
        name = "lines"
        priority = 0
        merges_small = False

        def can_handle(self, analysis, config):
            return True

        def apply(self, md_text, analysis, config):
            return [
                Chunk(content=line, start_line=number, end_line=number, metadata={})
                for number, line in enumerate(md_text.splitlines(), 1)
            ]

    chunks = _chunk("one\ntwo\nthree\n", Lines())
    assert [chunk.content for chunk in chunks] == ["one", "two", "three"]
    assert [chunk.start_line for chunk in chunks] == [1, 2, 3]


def test_row_1_4_a_chunk_that_is_not_in_the_text_is_refused():
    class Liar(Markers):
        def apply(self, md_text, analysis, config):
            return [Chunk(content="other", start_line=1, end_line=1, metadata={})]

    with pytest.raises(InvariantError, match="chunk 0 is not in the text: 'other'"):
        _chunk("Q: text", Liar("Q:"))


def test_row_1_4_a_strategy_without_apply_cannot_be_made():
    class Nothing(BaseStrategy):
        name = "nothing"
        priority = 0

        def can_handle(self, analysis, config):
            return True

    with pytest.raises(TypeError, match="apply"):
        Nothing()


@pytest.mark.parametrize("name", [type(each).__name__ for each in STRATEGIES])
def test_row_1_7_the_strategies_are_public(name):
    assert name in outcrop.__all__
    assert issubclass(getattr(outcrop, name), BaseStrategy)
