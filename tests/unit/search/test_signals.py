"""What each signal says of a candidate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from outcrop.search.fusion import Ranking, fuse
from outcrop.search.question import Question
from outcrop.search.signals import SIGNALS
from outcrop.search.signals.lexical import score_matched
from outcrop.search.signals.names import (
    score_definition,
    score_enclosing,
    score_file_name,
    score_folder,
    score_heading,
    score_name,
)
from outcrop.search.signals.places import score_frame, score_path
from outcrop.search.signals.signal import Pool
from outcrop.search.signals.structure import (
    FILE_KINDS,
    score_behaviour,
    score_document,
    score_guide,
    score_prose,
    score_source,
    unwanted_kinds,
)
from outcrop.search.signals.vectors import (
    score_foreign,
    score_foreign_name,
    score_name_vector,
    score_vector,
)
from outcrop.search.words import weigh_words
from outcrop.text.analysis import count_terms
from unit.search.candidates import candidate, code


def pool(text: str, *candidates, **given) -> Pool:
    terms = count_terms(text)
    return Pool(
        question=Question(text=text, terms=terms, limit=10),
        words=weigh_words(terms, dict.fromkeys(terms, 1.0)),
        candidates=candidates,
        **given,
    )


def test_a_name_that_the_question_says_counts_in_any_form():
    values = score_name(
        pool(
            "how is a request dispatched",
            code("dispatchRequest"),
            code("dispatch"),
            code("settle"),
        )
    )
    assert values[0] > values[1] > values[2] == 0.0


def test_text_of_a_file_goes_by_the_name_of_the_file():
    own = code("x", node_kind="MODULE", path="a/router.py", section_path=("a", "x"))
    assert score_name(pool("router", own)) == [1.0]


def test_the_name_of_the_class_counts_for_its_methods():
    method = code("flush", section_path=("json", "Writer", "flush"))
    assert score_enclosing(pool("writer", method, code("writer"))) == [1.0, 0.0]


def test_a_heading_counts_by_how_much_of_it_is_said():
    whole = candidate("a", section_path=("Guide", "Water"))
    part = candidate("b", section_path=("Guide", "Water and fire"))
    assert score_heading(pool("where is water", whole, part, candidate("c"))) == [
        1.0,
        0.5,
        0.0,
    ]


def test_a_file_that_all_call_the_same_goes_by_its_folder():
    there = code("x", path="src/routing/mod.rs")
    assert there.file_name == "routing"
    assert score_file_name(pool("routing", there)) == [1.0]
    assert code("x", path="index.js").file_name == "index"


def test_meaning_counts_above_the_last_that_vectors_found():
    found = [candidate("a", similarity=0.9), candidate("b", similarity=0.5)]
    assert score_vector(pool("x", *found, nearest=[0.9, 0.5])) == [1.0, 0.0]
    assert score_vector(pool("x", candidate("a"), nearest=[])) == [0.0]


def test_documents_in_another_language_count_by_their_vectors():
    found = [
        candidate("お茶", lang="ja", similarity=0.9),
        candidate("水", lang="ja", similarity=0.6),
        candidate("tea", lang="en", similarity=0.9),
        code("tea", lang="python", similarity=0.9),
    ]
    asked = pool("boil the water for tea", *found, nearest=[0.9, 0.6])
    assert score_foreign(asked) == [1.0, 0.0, 1.0, 0.0]
    assert score_foreign(pool("お茶とは", *found[2:], nearest=[0.9, 0.6])) == [1.0, 0.0]


def test_a_few_documents_in_another_language_count_as_any_other():
    found = [
        candidate("お茶", lang="ja", similarity=0.9),
        candidate("code", lang="en", similarity=0.9),
        candidate("水", lang="ja", similarity=0.6),
    ]
    assert score_foreign(pool("お茶とは", *found, nearest=[0.9, 0.6])) == [0.0] * 3
    assert score_foreign(pool("お茶とは", nearest=[])) == []


@pytest.fixture
def russian():
    """Two documents, one with all words of the question and one that is nearer to it."""
    found = [
        candidate("a", lang="ru", similarity=0.9, matched_terms=("kubectl",)),
        candidate("b", lang="ru", similarity=0.1, matched_terms=("kubectl", "apply")),
    ]
    weights = {"kubectl": 2.0, "apply": 1.0}
    return found, {"term_weights": weights, "nearest": [0.9, 0.1]}


def test_meaning_counts_half_where_a_foreign_document_has_all_words(russian):
    found, given = russian
    assert score_foreign(pool("kubectl apply", *found, **given)) == [0.5, 0.0]
    (first,) = score_foreign(pool("kubectl apply", *found[:1], **given))
    assert first == pytest.approx(0.5 + 1 / 3)


def test_words_decide_over_foreign_documents_for_a_name_and_beside_code(russian):
    found, given = russian
    assert score_foreign(pool("kubectl", *found, **given)) == [0.0, 0.0]
    beside = [*found, code("apply", similarity=0.9)]
    assert score_foreign(pool("kubectl apply", *beside, **given)) == [0.0] * 3


def test_meaning_counts_for_translated_questions_as_far_as_words_are_unknown(russian):
    found, given = russian
    given["term_weights"] = {"чай": 1.0, "вод": 2.0}
    ways = {"tea": {"чай": 1.0}, "water": {"вод": 1.0, "нигде": 0.5}}

    def score(text):
        return score_foreign(pool(text, *found, translations=ways, **given))[0]

    assert score("tea and water") == 0.0
    assert score("tea and milk") == pytest.approx((2 / 3) ** 2)
    assert score("milk of the goat") == 1.0


def test_a_word_said_in_several_ways_is_matched_once():
    found = [
        candidate("a", matched_terms=("чай", "чаек")),
        candidate("b", matched_terms=("чай", "вод")),
        candidate("c", matched_terms=("чаек",)),
    ]
    given = {
        "term_weights": {"чай": 1.0, "чаек": 2.0, "вод": 2.0},
        "translations": {"tea": {"чай": 1.0, "чаек": 0.5}, "water": {"вод": 1.0}},
    }
    asked = pool("tea and water of the well", *found, **given)
    assert score_matched(asked) == [0.5, 1.0, 0.5]


def embed(texts):
    return np.array([[1.0, 0.0] if "wet" in t else [0.0, 1.0] for t in texts])


def test_names_count_by_their_meaning():
    found = [code("wetThing"), code("dry"), code("arid")]
    given = {"vector": np.array([1.0, 0.0]), "embed": embed}
    assert score_name_vector(pool("is it rainy", *found, **given)) == [1.0, 0.0, 0.0]
    assert score_name_vector(pool("rainy", *found, **given)) == [0.0] * 3
    assert score_name_vector(pool("is it rainy", *found)) == [0.0] * 3
    assert score_name_vector(pool("is it rainy", **given)) == []


def test_names_in_another_language_count_by_their_meaning_unless_code_is_near():
    found = [candidate(name, lang="ru") for name in ("wet", "b", "c")]
    given = {"vector": np.array([1.0, 0.0]), "embed": embed}
    assert score_foreign_name(pool("is it rainy", *found, **given)) == [1.0, 0.0, 0.0]
    assert score_foreign_name(pool("чай и вода", *found, **given)) == [0.0] * 3
    beside = [*found, code("arid")]
    assert score_foreign_name(pool("is it rainy", *beside, **given)) == [0.0] * 4


@pytest.mark.parametrize(
    "question",
    ["How do I pour?", "how to pour", "what is tea", "why is it hot", "お茶とは？"],
)
def test_a_sentence_that_asks_is_answered_by_text(question: str):
    assert score_prose(pool(question, candidate("a"), code("b"))) == [1.0, 0.0]
    assert score_prose(pool(question, candidate("a"))) == [0.0]


@pytest.mark.parametrize(
    "question", ["pour", "pouring of tea", "Which function pours?", "how tea is poured"]
)
def test_other_questions_are_answered_by_either(question: str):
    assert score_prose(pool(question, candidate("a"), code("b"))) == [0.0, 0.0]


def test_the_definition_of_the_symbol_comes_first():
    values = score_definition(
        pool(
            "Engine",
            code("Engine", node_kind="CLASS"),
            code("Engine", node_kind="METHOD"),
            code("engine", node_kind="FUNCTION"),
            code("EngineTest", node_kind="CLASS"),
            code("Engine", node_kind="CLASS", part=1, parts=2),
            candidate("Engine", section_path=("Engine",)),
        )
    )
    assert values == sorted(values, reverse=True)
    assert values[0] == 1.0
    assert values[2] > 0.0
    assert values[3:] == [0.0, 0.0, 0.0]


def test_of_several_definitions_the_one_that_most_code_uses_comes_first():
    found = pool(
        "Engine",
        code("stub", section_path=("Engine",), node_kind="CLASS"),
        code("copy", section_path=("Engine",), node_kind="CLASS"),
        code("real", section_path=("Engine",), node_kind="CLASS"),
        code("other", node_kind="CLASS"),
    )
    values = score_definition(replace(found, uses={"stub": 0, "copy": 2, "real": 40}))
    assert values[2] == 1.0 > values[1] > values[0] > 0.0 == values[3]
    assert score_definition(found) == [1.0, 1.0, 1.0, 0.0]


def test_a_qualified_name_means_the_member_of_that_owner():
    own = code("get", section_path=("app", "Store", "get"), node_kind="METHOD")
    other = code("get", section_path=("app", "Cache", "get"), node_kind="METHOD")
    values = score_definition(pool("Store.get", own, other))
    assert values[0] > values[1] > 0


def test_a_name_inside_a_sentence_has_its_definition():
    found = code("JsonWriter", node_kind="CLASS")
    assert score_definition(pool("how does JsonWriter end", found)) == [1.0]


def test_a_file_that_the_question_names_counts_by_how_much_of_its_path_is_said():
    near = code("a", path="src/json/writer.py")
    far = code("b", path="tests/writer.py")
    other = code("c", path="src/json/reader.py")
    asked = "what does json/writer.py do"
    assert score_path(pool(asked, near, far, other)) == [1.0, 0.5, 0.0]
    assert score_path(pool("in writer.py", near, far, other)) == [0.7, 0.7, 0.0]
    installed = "/usr/lib/python3/site-packages/src/json/writer.py"
    assert score_path(pool(f"error in {installed}", near, far))[0] == 1.0
    assert score_path(pool("no path here. really", near)) == [0.0]


def test_a_question_of_many_slashes_takes_linear_time():
    """At this size, trying each of them as the start of a path takes minutes."""
    asked = pool("/" * 80_000 + " json/writer.py", code("a", path="src/json/writer.py"))
    assert score_path(asked) == [1.0]


def test_the_last_frame_of_a_traceback_counts_most():
    text = (
        "it fails\n"
        '  File "/site-packages/app/run.py", line 3, in start\n    go()\n'
        '  File "/site-packages/app/pour.py", line 9, in go\n    raise ValueError\n'
    )
    last = code("go", path="app/pour.py")
    first = code("start", path="app/run.py")
    elsewhere = code("go", path="lib/pour.py")
    assert score_frame(pool(text, last, first, elsewhere)) == [1.0, 0.5, 0.0]


def test_the_innermost_frame_of_a_go_program_counts_most():
    text = (
        "panic: runtime error: invalid memory address\n\ngoroutine 1 [running]:\n"
        "example.com/tea/pot.(*Pot).Pour(0xc000, {0x1, 0x2})\n"
        "\t/go/src/tea/pot/pour.go:17 +0x1d\n"
        "example.com/tea/pot.Serve(...)\n\t/go/src/tea/pot/serve.go:9\n"
        "main.main()\n\t/go/src/tea/main.go:4 +0x10\n"
    )
    inner = code("Pour", path="pot/pour.go")
    outer = code("Serve", path="pot/serve.go")
    elsewhere = code("Pour", path="cup/pour.go")
    assert score_frame(pool(text, inner, outer, elsewhere)) == [1.0, 0.5, 0.0]


def test_a_candidate_counts_by_the_share_of_the_rare_words_it_contains():
    terms = {"tea": 3.0, "cup": 1.0}
    found = [
        candidate("a", matched_terms=("tea",)),
        candidate("b", matched_terms=("tea", "cup")),
    ]
    assert score_matched(pool("tea cup", *found, term_weights=terms)) == [0.75, 1.0]
    assert score_matched(pool("tea", candidate("a"))) == [0.0]


def test_folders_count_by_their_names():
    found = [code("a", path="src/routing/a.py"), code("b", path="src/json/b.py")]
    values = score_folder(pool("routing", *found))
    assert values[0] > values[1] == 0.0


@pytest.mark.parametrize(
    ("score", "question", "expected"),
    [
        (score_behaviour, "Return the length of the tea", [0.0, 1.0]),
        (score_behaviour, "The length of the tea", [0.0, 0.0]),
        (score_source, "where is the tea defined", [0.0, 1.0]),
        (score_guide, "see the section on tea", [1.0, 0.0]),
    ],
)
def test_the_wording_says_whether_code_or_documents_are_meant(
    score, question: str, expected: list[float]
):
    assert score(pool(question, candidate("a"), code("b"))) == expected
    assert score(pool(question, candidate("a"))) == [0.0]
    assert score(pool(question, code("b"))) == [0.0]


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_app.py",
        "src/app.test.ts",
        "src/tree_test.go",
        "src/test/java/GsonTest.java",
        "examples/hello.py",
        "api/v1/user.pb.go",
        "api/user_pb2.py",
        "dist/app.min.js",
        "src/vendor/six.py",
        "web/node_modules/x/y.js",
    ],
)
def test_code_that_stands_aside_ranks_lower(path: str):
    assert any(*unwanted_kinds(pool("how is it done", code("x", path=path))))


@pytest.mark.parametrize(
    "path", ["src/testing.py", "src/latest.py", "src/contest/a.py", "src/general.py"]
)
def test_other_code_does_not(path: str):
    assert not any(*unwanted_kinds(pool("how is it done", code("x", path=path))))


def test_documents_about_tests_are_no_tests():
    assert not any(*unwanted_kinds(pool("x", candidate("x", path="docs/tests/how.md"))))


@pytest.mark.parametrize(
    "path", ["CHANGELOG.md", "docs/HISTORY.rst", "NEWS.md", "docs/releasenotes/2.md"]
)
def test_a_list_of_changes_ranks_lower_unless_it_is_asked_for(path: str):
    found = candidate("x", path=path)
    at = FILE_KINDS.index("changes")
    assert unwanted_kinds(pool("how is it done", found))[0][at]
    assert not unwanted_kinds(pool("what changed in this release", found))[0][at]


def test_tests_that_are_asked_for_stay():
    found = code("x", path="tests/test_x.py")
    assert not any(*unwanted_kinds(pool("which tests cover x", found)))


def test_chunks_of_one_document_support_each_other():
    found = [candidate("a"), *(candidate(n, document_id="d") for n in "bc")]
    assert score_document(found, [1.0, 0.9, 0.8]) == [
        pytest.approx(1 / 1.7),
        1.0,
        1.0,
    ]


def test_every_part_of_a_score_is_named_and_adds_up():
    found = pool("water", code("water")._replace(lexical=2.0), candidate("b"))
    ranked = fuse(found, Ranking())
    assert {signal.name for signal in SIGNALS} | {"document"} == set(ranked[0].parts)
    for item in ranked:
        assert item.score == pytest.approx(sum(item.parts.values()))
