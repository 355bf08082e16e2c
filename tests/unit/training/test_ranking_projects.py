"""Questions about the documents and the code of one project."""

from __future__ import annotations

import json

from training.ranking.make_projects import MIN_LINKS, choose_files, write_project
from training.ranking.references import find_references, shown

BODY = "Water has to be hot, but it must not boil for longer than a minute. " * 3


def project() -> dict[str, str]:
    sections = "".join(f"## Topic {n}\n\n{BODY}\n\n" for n in range(MIN_LINKS))
    links = "".join(
        f"Whoever wants to pour cup number {n} properly looks [there](topics.md#topic-{n}).\n\n"
        for n in range(MIN_LINKS)
    )
    code = "class TeaPot:\n    def pour_out(self):\n        return 1\n"
    named = "The leaves are kept back by a sieve inside of `TeaPot` at all times.\n"
    return {
        "tea/topics.md": f"# Topics\n\n{sections}",
        "tea/guide.md": f"# Guide\n\n{links}{named}",
        "tea/pot.py": code,
    }


def test_links_ask_for_sections_and_references_for_definitions(tmp_path):
    number = write_project(tmp_path / "tea", "tea", project())
    lines = (tmp_path / "tea/questions.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    kinds = [row["kind"] for row in rows]
    assert number == len(rows)
    assert kinds == ["link"] * MIN_LINKS + ["reference", "symbol"]
    for row in rows:
        ((path, start, end),) = row["answers"]
        answer = (tmp_path / "tea/files" / path).read_text()[start:end]
        is_link = row["kind"] == "link"
        assert answer.startswith("## Topic" if is_link else "class TeaPot")


def test_the_sentences_that_ask_are_cut_out(tmp_path):
    write_project(tmp_path / "tea", "tea", project())
    guide = (tmp_path / "tea/files/tea/guide.md").read_text()
    assert "pour cup number" not in guide
    assert "sieve" not in guide


def test_a_project_with_few_links_is_left_out(tmp_path):
    files = project() | {"tea/guide.md": "# Guide\n\nNothing.\n"}
    assert write_project(tmp_path / "tea", "tea", files) == 0
    assert not (tmp_path / "tea").exists()


def test_a_label_is_shown_as_the_title_of_its_section():
    titles = {"hot-water": "Heating water"}
    assert shown("See :ref:`hot-water` first.", titles) == "See Heating water first."
    assert shown("See {func}`pour <tea.pour>` first.", {}) == "See pour first."


def test_links_to_definitions_come_before_quoted_names():
    assert find_references("`hot` is read by :func:`~tea.pour`") == ["tea.pour"]
    assert find_references("[`pour`][tea.pour] and `hot`") == ["tea.pour"]
    assert find_references("`pour()` is called") == ["pour"]
    assert find_references("`a`, `b` and `c`") == []


def test_tests_do_not_count_and_both_sides_have_to_be_large_enough():
    code, text = "x = 1\n" * 20_000, "Tea. " * 20_000
    files = {"tea/pot.py": code, "tea/docs/a.md": text, "tea/tests/test_a.py": code}
    assert choose_files(files).keys() == {"tea/pot.py", "tea/docs/a.md"}
    assert choose_files({"tea/pot.py": code}) == {}
