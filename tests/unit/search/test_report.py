"""What the words of a report count, and its vector."""

from __future__ import annotations

import numpy as np
import pytest

from outcrop.search.question import make_question
from outcrop.search.report import read_report, weigh_report
from outcrop.search.searcher import find_vector, search
from outcrop.text.analysis import count_terms
from unit.search.library import EMBEDDER, make_library

REPORT = """\
Cards are debited twice

I pay for an order and see two lines on my statement.

```python
order.place(customer)
statement.print()
```

    >>> statement.lines
    2
"""


def test_the_first_line_of_a_report_is_its_title():
    assert read_report(REPORT).title == "Cards are debited twice"
    assert read_report(f"\n\n{REPORT}").title == "Cards are debited twice"
    assert read_report(f"# {REPORT}").title == "# Cards are debited twice"
    assert (
        read_report(f"**Cards** {REPORT}").title == "**Cards** Cards are debited twice"
    )


@pytest.mark.parametrize(
    "first",
    [
        "Traceback (most recent call last):",
        '  File "shop/pay.py", line 3, in charge',
        "```python",
        "    order.place(customer)",
        ">>> order.place(customer)",
        "Hi,",
        "### Describe the bug",
        "**Describe the bug**",
    ],
)
def test_code_a_traceback_a_greeting_or_the_name_of_a_part_is_not_a_title(first):
    assert read_report(f"{first}\n{REPORT}").title == ""


def test_blocks_indented_lines_and_sessions_are_code():
    report = read_report(f"{REPORT}\n>>> order.total\nThe total is right.")
    assert [line.strip() for line in report.code.split("\n")] == [
        "order.place(customer)",
        "statement.print()",
        ">>> statement.lines",
        "2",
        ">>> order.total",
    ]
    assert "I pay for an order" in report.prose
    assert report.prose.endswith("The total is right.")


def test_a_block_that_is_not_closed_reaches_to_the_end():
    report = read_report("Cards are debited twice\n~~~\n```\nplace()\nprint()")
    assert report.code == "```\nplace()\nprint()"


def test_a_block_within_one_line_is_prose():
    report = read_report("Cards are debited twice\n```place()``` fails\nand so on")
    assert report.code == ""
    assert "and so on" in report.prose


def test_a_long_text_of_blank_lines_is_read_at_once():
    report = read_report("Cards are debited" + "\n" * 20_000 + "```\nx")
    assert report.code == "x"


def test_words_of_the_title_count_most_and_those_of_code_least():
    weights = weigh_report(read_report(REPORT))
    assert weights["card"] > weights["pay"] > weights["customer"] > 0


def test_a_word_that_is_repeated_counts_little_more_than_once():
    lines = "\n".join(["ping"] * 100)
    weights = weigh_report(read_report(f"Cards are debited twice\n{lines}\npong"))
    assert weights["pong"] < weights["ping"] < 6 * weights["pong"]
    assert weights["ping"] < 2 * weights["card"]


def test_a_report_keeps_all_its_terms_but_the_language_of_a_block():
    found = set(make_question(REPORT, limit=1).terms)
    assert found == set(count_terms(REPORT)) - {"python"}


@pytest.mark.parametrize("mode", ["text", "vector"])
def test_a_report_in_one_mode_alone_counts_as_any_text(mode):
    question = make_question(REPORT, limit=1, mode=mode)
    assert question.terms == count_terms(REPORT)
    assert question.title == ""


def test_other_questions_have_no_title():
    question = make_question("how are cards debited twice", limit=1)
    assert (question.title, question.terms["card"]) == ("", 1)


def test_the_vector_of_a_report_is_between_its_own_and_its_titles():
    question = make_question(REPORT, limit=1)
    whole, title = EMBEDDER.embed([question.text, question.title])
    vector = find_vector(question, EMBEDDER)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0)
    assert vector @ whole == pytest.approx(vector @ title, abs=1e-5)
    assert vector @ title > whole @ title


class Remote:
    """An embedder that does not run here: each text is a request."""

    name, dimension = "remote", 2

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts):
        self.texts += texts
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


def test_a_remote_embedder_is_asked_for_one_vector():
    remote = Remote()
    question = make_question(REPORT, limit=1)
    assert find_vector(question, remote).tolist() == [1.0, 0.0]
    assert remote.texts == [question.text]


def test_what_the_title_is_about_comes_before_what_the_log_repeats():
    library = make_library()
    log = "\n".join(["a cup of porcelain, a cup of glass"] * 20)
    text = f"How are cards debited\n\nThe log says:\n\n```\n{log}\n```\n"
    hits = search(library.source().open, make_question(text, limit=10), EMBEDDER)
    assert library.names([hits[0].id]) == ["paying"]
