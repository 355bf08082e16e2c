import asyncio

import pytest

from outcrop.errors import SummaryError
from outcrop.pipeline.summarize import (
    MAX_CHARS,
    Summarize,
    explain,
    has_word,
    quality,
)
from unit.pipeline.chunks import (
    call,
    make_chunk,
    make_context,
    make_document,
    make_node,
)

NODES = [
    make_node("shop.pay", doc_comment="Take the money.\n\nArgs:\n    x: How much."),
    make_node("shop.bank.send"),
    make_node("shop.bank.check"),
]
EDGES = [
    call("shop.pay", "shop.bank.send"),
    call("shop.pay", "shop.bank.check"),
    call("shop.pay", "builtins.print", external=True),
]
BODY = "def pay():\n    send()\n    print(1)"


class Model:
    """A model that answers, unless the text says otherwise."""

    name = "openai:clever"

    def __init__(self):
        self.asked = []

    async def summarize(
        self, text, *, heading=None, document_summary=None, max_chars=0
    ):
        self.asked.append((heading, text))
        await asyncio.sleep(0)
        if "poison" in text:
            raise SummaryError("no answer", stage="summarize")
        return " It pays by send. "


def summarize(*chunks, **more):
    return Summarize().run(chunks, make_context(NODES, EDGES, **more))


def test_offline_code_is_explained_by_what_it_says_of_itself():
    (facts,) = summarize(make_chunk(BODY, node_id="shop.pay"))

    assert facts.values["explain_md"] == (
        "Take the money. Function `pay` in `shop`. Calls `send`, `print`."
    )
    assert facts.values["explain_quality"] == {
        "model": "extractive",
        "length": len(facts.values["explain_md"]),
        "symbol_share": 1.0,
    }


def test_comments_do_where_there_is_no_documentation():
    code = "def f():\n    # noqa: X1\n    # Rounds half to even.\n    return 1\n"
    text = explain(make_node("m.f"), code, calls=[], title=None)
    assert text == "Rounds half to even. Function `f` in `m`."


def test_a_long_comment_is_cut_at_the_end_of_a_sentence():
    comment = "This sentence is repeated a number of times. " * 20
    text = explain(make_node("m.f", doc_comment=comment), "", calls=[], title=None)

    assert len(text) < MAX_CHARS + 60
    assert "times. Function" in text


def test_many_calls_are_capped_with_their_number():
    names = [f"f{n}" for n in range(30)]
    text = explain(None, "", calls=names, title="m.py")
    assert text.startswith("Part of `m.py`. Calls `f0`")
    assert text.endswith("and 22 more.")


def test_a_section_of_a_document_is_summarised_by_its_sentences():
    text = "The pump stops when the tank is full. It starts again at dusk."
    (facts,) = summarize(make_document(text))
    assert "tank is full" in facts.values["explain_md"]


def test_a_configured_model_is_asked_about_every_chunk():
    model = Model()
    facts = summarize(
        make_chunk(BODY, node_id="shop.pay", title="shop.pay"), summarizer=model
    )

    assert model.asked == [("shop.pay", f"```python\n{BODY}\n```")]
    assert facts[0].values["explain_md"] == "It pays by send."
    assert facts[0].values["explain_quality"]["model"] == "openai:clever"
    assert facts[0].values["explain_quality"]["symbol_share"] == pytest.approx(
        1 / 3, abs=1e-3
    )


def test_a_chunk_that_the_model_fails_on_does_not_hold_up_others():
    good, bad = make_chunk("x = 1", chunk_id="a"), make_chunk("poison", chunk_id="b")

    facts = summarize(good, bad, summarizer=Model())

    assert [bool(fact.error) for fact in facts] == [False, True]
    assert facts[1].error == "no answer"
    assert facts[1].values == {}


def test_a_model_can_be_asked_from_within_an_event_loop():
    async def inside():
        return summarize(make_chunk("x = 1"), summarizer=Model())

    (facts,) = asyncio.run(inside())

    assert facts.values["explain_md"] == "It pays by send."


def test_quality_counts_whole_names_only():
    assert quality("calls send", "m", ["send", "sender"])["symbol_share"] == 0.5
    assert quality("anything", "m", [])["symbol_share"] == 0.0


@pytest.mark.parametrize(
    ("text", "word", "is_there"),
    [
        ("send(x)", "send", True),
        ("resend(x) + send", "send", True),
        ("resend(sender, send_, $send)", "send", False),
        ("für", "f", False),
        ("a.<lambda1>()", "<lambda1>", False),
        ("send", "", False),
    ],
)
def test_a_word_is_more_than_a_part_of_another(text, word, is_there):
    assert has_word(text, word) == is_there


def test_code_below_an_empty_comment_is_not_part_of_it():
    code = "#\nsend(x)\n# Pays the bill.\n/*\n * Twice. */\n"
    assert explain(None, code, calls=[], title=None) == "Pays the bill. Twice."


@pytest.mark.parametrize(
    "code",
    [
        "#" + " " * 100_000 + "x",
        "# x" + " " * 100_000 + "y",
        "// Args" + " " * 100_000 + "x",
    ],
)
@pytest.mark.timeout(5)
def test_a_long_comment_is_read_in_linear_time(code):
    assert explain(None, code, calls=[], title=None).endswith(("x.", "y."))


@pytest.mark.timeout(5)
def test_a_comment_of_blank_lines_is_read_in_linear_time():
    node = make_node("shop.pay", doc_comment="Take it." + "\n" * 200_000 + "Args:\n  x")
    assert explain(node, "", calls=[], title=None).startswith("Take it. Function")


class BrokenModel:
    name = "broken"

    async def summarize(self, text, **options):
        raise KeyError("a bug in the model")


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_bug_in_a_model_is_raised_within_an_event_loop_too():
    async def inside():
        summarize(make_chunk("x = 1"), summarizer=BrokenModel())

    with pytest.raises(KeyError, match="a bug in the model"):
        asyncio.run(inside())
