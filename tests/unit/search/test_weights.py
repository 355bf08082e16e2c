"""The learned weights, and what they do to a ranking."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from training.ranking.learn import export
from training.ranking.model import hand_weighted

from outcrop.search.fusion import FILE, Ranking, fuse, learned_weights, read_weights
from outcrop.search.question import QuestionKind, make_question
from outcrop.search.signals import SIGNALS
from outcrop.search.signals.signal import Pool
from outcrop.search.signals.structure import FILE_KINDS
from outcrop.search.words import weigh_words
from unit.search.candidates import candidate, code

TABLE = json.loads(files("outcrop.search").joinpath(FILE).read_text())


def pool(text: str, *candidates) -> Pool:
    question = make_question(text, limit=10)
    weights = dict.fromkeys(question.terms, 1.0)
    return Pool(
        question=question,
        words=weigh_words(question.terms, weights),
        candidates=candidates,
        term_weights=weights,
    )


def order(text: str, *candidates) -> list[str]:
    return [ranked.candidate.id for ranked in fuse(pool(text, *candidates))]


@pytest.mark.parametrize("kind", list(QuestionKind))
def test_the_table_has_weights_for_every_kind_of_question(kind: QuestionKind):
    unknown = TABLE["signals"][kind].keys() - {signal.name for signal in SIGNALS}
    assert not unknown, (
        "delete them from weights.json, or list them in signals/__init__.py"
    )
    assert set(TABLE["document"]) == set(QuestionKind)
    assert set(TABLE["factors"]) == set(FILE_KINDS)


@pytest.mark.parametrize(
    "kind", sorted(set(QuestionKind) - {*TABLE["provenance"]["learned_kinds"]})
)
def test_weights_that_are_not_learned_are_those_by_hand(kind: QuestionKind):
    by_hand = export(hand_weighted(), {})
    shown = {
        name: row for name, row in TABLE["signals"][kind].items() if any(row.values())
    }
    expected = {
        name: row for name, row in by_hand["signals"][kind].items() if any(row.values())
    }
    assert shown == expected, (
        "weights.json and hand_weighted in training/ranking differ"
    )
    assert TABLE["document"][kind] == by_hand["document"][kind]


def test_a_signal_without_a_weight_does_not_count():
    rows = learned_weights().rows(QuestionKind.PROSE, ["lexical", "not_yet_weighed"])
    lexical, unknown = rows.tolist()
    assert min(lexical) > 0
    assert unknown == [0.0, 0.0]


def test_no_weight_is_negative_and_no_factor_raises_a_score():
    weights = learned_weights()
    for rows in weights.signals.values():
        assert min(min(pair) for pair in rows.values()) >= 0
    assert min(weights.document.values()) >= 0
    assert all(0 < factor <= 1 for factor in weights.factors.values())


def test_the_table_says_what_it_was_learned_from():
    provenance = TABLE["provenance"]
    assert provenance["command"].startswith("python -m training.ranking.learn")
    assert provenance["questions"] > 1_000
    learned = provenance["mrr_at_10_cross_validated"]
    assert learned > provenance["mrr_at_10_of_the_start"]


def test_the_documentation_shows_the_weights_of_prose():
    page = Path(__file__).parents[3] / "docs/concepts/search.md"
    shown = dict(
        re.findall(r"^\| `(\w+)` \| (\S+ \| \S+) \|", page.read_text(), re.MULTILINE)
    )
    names = [signal.name for signal in SIGNALS]
    rows = learned_weights().rows(QuestionKind.PROSE, names)
    document = TABLE["document"]["prose"]
    expected = {
        name: f"{documents:g} | {code:g}"
        for name, (documents, code) in zip(
            [*names, "document"], [*rows, (document, document)], strict=True
        )
    }
    assert shown == expected, "correct the table of signals in docs/concepts/search.md"


def test_a_score_is_the_sum_of_values_times_weights_exactly():
    weights = read_weights(
        {
            "signals": {
                "prose": {
                    "lexical": {"documents": 0.5, "code": 2.0},
                    "coverage": {"documents": 0.25, "code": 0.0},
                }
            },
            "document": {"prose": 0.125},
            "factors": {**dict.fromkeys(FILE_KINDS, 1.0), "tests": 0.5},
        }
    )
    found = pool(
        "why does hot tea cool faster in wide porcelain cups",
        candidate("a", lexical=4.0, matched_terms=("tea",)),
        code("b", lexical=2.0, path="tests/b.py"),
    )
    ranked = fuse(found, Ranking(weights=weights))
    parts = {item.candidate.id: item.parts for item in ranked}
    assert parts["a"]["lexical"] == 0.5
    assert parts["a"]["coverage"] == 0.25
    assert parts["b"]["lexical"] == 2.0 * 0.5 * 0.5
    assert parts["a"]["document"] == 0.125
    assert parts["b"]["document"] == 0.125 * (0.5 / 0.75)
    for item in ranked:
        assert item.score == pytest.approx(sum(item.parts.values()))


def test_the_definition_comes_first_if_the_question_is_its_name():
    mention = candidate("a", lexical=9.0, matched_terms=("jsonwriter",))
    use = code("use", lexical=8.0, matched_terms=("jsonwriter",))
    own = code("JsonWriter", node_kind="CLASS", lexical=6.0)
    assert order("JsonWriter", mention, use, own)[0] == "JsonWriter"


def test_the_definition_of_a_name_in_a_sentence_is_among_the_first():
    uses = [code(f"use{at}", lexical=5.0 - at / 10) for at in range(10)]
    own = code("JsonWriter", node_kind="CLASS", lexical=4.0)
    assert "JsonWriter" in order("where is JsonWriter closed twice", *uses, own)[:3]


def test_more_matching_words_never_rank_lower():
    for text in ("tea", "hot tea in cups", "how is hot tea poured into the cups"):
        less = candidate("a", lexical=2.0)
        more = candidate("b", lexical=3.0)
        assert order(text, less, more) == ["b", "a"]


def test_a_test_ranks_below_the_code_it_exercises():
    own = code("a", path="src/pour.py", lexical=5.0)
    test = code("b", path="tests/test_pour.py", lexical=5.5)
    assert order("how is tea poured into the small cups", own, test) == ["a", "b"]
    assert order("which test pours tea into the small cups", own, test) == ["b", "a"]


def test_the_last_frame_of_a_traceback_comes_first():
    text = (
        "Pouring fails\n\n```\nTraceback (most recent call last):\n"
        '  File "/site-packages/tea/run.py", line 3, in start\n    pour(cup)\n'
        '  File "/site-packages/tea/cup.py", line 9, in pour\n    raise Spilt()\n'
        "Spilt\n```\n"
    )
    last = code("pour", path="tea/cup.py", section_path=("cup", "pour"), lexical=4.0)
    first = code("start", path="tea/run.py", section_path=("run", "start"), lexical=4.0)
    other = code("spill", path="tea/milk.py", lexical=5.0)
    assert order(text, other, first, last)[0] == "pour"


def test_the_weights_depend_on_the_kind_of_the_question():
    kinds = {
        "JsonWriter": QuestionKind.NAME,
        "pouring of tea": QuestionKind.PHRASE,
        "how is JsonWriter closed": QuestionKind.MENTION,
        "why does hot tea cool faster in wide porcelain cups": QuestionKind.PROSE,
        "it fails\n\n```\npour()\n```": QuestionKind.REPORT,
    }
    for text, kind in kinds.items():
        assert make_question(text, limit=1).kind is kind
