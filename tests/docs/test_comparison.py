"""Every figure of the comparison is one of the benchmarks."""

from __future__ import annotations

import re

from doc_pages import ROOT

_FIGURE = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?![\w])")


def _figures(text: str) -> set[str]:
    return {figure.replace(",", "") for figure in _FIGURE.findall(text)}


def test_every_figure_in_the_tables_is_in_the_benchmarks():
    measured = _figures((ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"))
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("|")]
    shown = _figures("\n".join(row.partition("|")[2] for row in rows))
    # Growth is rounded to a digit there.
    rounded = {f"{float(figure):.1f}" for figure in measured if "." in figure}
    assert shown - measured - rounded == set()


def test_every_table_of_figures_names_its_command():
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    commands = re.findall(r"^- Command: `(.*)`$", page, re.MULTILINE)
    measured = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
    assert len(commands) == 4
    assert [command for command in commands if command not in measured] == []


def test_the_figures_of_the_readme_are_in_the_benchmarks():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme[readme.index("## Why it is different") : readme.index("## Extras")]
    measured = _figures((ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"))
    shares = {f"{float(m) * 100:.1f}" for m in measured if m.startswith("0.")}
    written_out = {"1000", "16", "20", "5", "2000"}  # limits, and rounded growth
    assert _figures(section) - measured - shares - written_out == set()
