"""What the tables say of the numbers."""

from __future__ import annotations

from _markdown_defects import total
from _markdown_measure import Sample, Speed
from _markdown_report import END, START, Results, insert, render
from _markdown_tools import LANGCHAIN, OUTCROP, SEMANTIC

TOOLS = [OUTCROP, SEMANTIC, LANGCHAIN]


def results(**fields):
    return Results(TOOLS, [1000, 4000], ["Command: `x`"], **fields)


def speed(*rounds):
    return Speed(size=6_000_000, chunks=3, rounds=list(rounds))


def row_of(page, first_cell):
    lines = [line for line in page.splitlines() if line.startswith(f"| {first_cell}")]
    assert lines, first_cell
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def test_the_best_round_counts():
    assert speed(0.5, 0.3, 0.4).megabytes_per_second == 20.0


def test_ratio_is_how_many_times_as_fast_as_a_peer_outcrop_is():
    found = results(
        speeds={(OUTCROP, 1000): speed(0.3), (SEMANTIC, 1000): speed(0.6)},
    )
    assert found.ratio(SEMANTIC, 1000) == 2.0
    assert found.ratio(SEMANTIC, 4000) is None
    assert row_of(render(found), "semantic-text-splitter")[1:3] == ["10.0", "2.00×"]


def test_a_kept_and_a_broken_bound_are_told_apart():
    found = results(
        speeds={
            (OUTCROP, 1000): speed(0.3),
            (SEMANTIC, 1000): speed(1.2),
            (LANGCHAIN, 1000): speed(0.3),
        },
    )
    page = render(found)
    semantic = row_of(page, "speed at 1000 over semantic")
    langchain = row_of(page, "speed at 1000 over LangChain")
    assert semantic[1:] == ["≥ 3.0", "4.00", "yes"]
    assert langchain[1:] == ["≥ 1.5", "1.00", "**no**"]


def test_growth_and_memory_come_from_the_largest_document():
    samples = {
        (OUTCROP, "list", factor): Sample(
            size=factor * 1_000_000, chunks=9, peak=factor * 5_000_000, rounds=[seconds]
        )
        for factor, seconds in ((1, 0.1), (4, 0.5), (16, 2.5))
    }
    found = results(samples=samples)
    assert found.growth(OUTCROP, "list") == 25.0
    assert found.memory(OUTCROP, "list") == 5.0
    page = render(found)
    assert row_of(page, "time at 16 MB / 1 MB, list")[3] == "**no**"
    assert row_of(page, "peak memory / document, list")[3] == "yes"
    assert row_of(page, "one list, 16 MB")[4] == "0.100 / 0.500 / 2.500"


def test_a_tool_without_a_result_is_said_to_have_none():
    samples = {(SEMANTIC, "line", 16): Sample(failure="no answer, ended by SIGKILL")}
    page = render(results(samples=samples))
    assert row_of(page, "semantic-text-splitter")[-1] == "no result for line"
    assert "no answer, ended by SIGKILL" in page


def test_a_section_replaces_the_one_between_its_marks():
    page = f"# Benchmarks\n\n{START}\n\nold\n\n{END}\n\n## Search\n"
    assert insert(page, "new\n") == page.replace("old", "new")


def test_a_section_goes_to_the_end_of_a_page_without_marks():
    page = insert("# Benchmarks\n", "new\n")
    assert page == f"# Benchmarks\n\n{START}\n\nnew\n\n{END}\n"
    assert insert(page, "newer").count(START) == 1


def test_defects_add_up_without_tiny_chunks(defect_counts):
    assert total(defect_counts | {"tiny": 7}) == 0
    assert total(defect_counts | {"dangling_any": 2, "crashes": 1}) == 3


def test_defects_show_what_a_tool_does_not_claim(defect_counts):
    page = render(results(defects={(OUTCROP, 1000): defect_counts}))
    assert "### Defects at 1000 characters" in page
    assert "### Defects at 4000 characters" not in page
    assert "none given" in page
