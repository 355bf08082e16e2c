"""The result of an evaluation as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from outcrop.evaluation.evaluate import Difference, Evaluation
    from outcrop.evaluation.questions import KnownQuestion

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem;
  padding: 0 1rem; color: #1c1c1c; background: #fff; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; vertical-align: top;
  border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.miss td:first-child { border-left: 3px solid #c33; padding-left: .5rem; }
.better { color: #176b2c; } .worse { color: #a11d1d; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #171717; }
  .better { color: #6fcf87; } .worse { color: #ff8a8a; } }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render_report(
    questions: Sequence[KnownQuestion],
    ours: Evaluation,
    theirs: Evaluation | None,
    differences: Mapping[str, Difference],
) -> str:
    """Return the page: the metrics, the comparison, and every question."""
    return "".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>Search evaluation</title><style>{_STYLE}</style></head><body>",
            f"<h1>Search evaluation</h1><p>{len(questions):,} questions; ",
            f"{_setting(ours)}",
            f" compared with {_setting(theirs)}" if theirs else "",
            ". Intervals are 95 % of a paired bootstrap.</p>",
            _metrics(ours, theirs, differences),
            _questions(questions, ours, theirs),
            "</body></html>\n",
        ]
    )


def describe_setting(evaluation: Evaluation) -> str:
    """Return a setting in words."""
    given = (f"{name}={value}" for name, value in evaluation.setting.items())
    return ", ".join(given) or "defaults"


def _setting(evaluation: Evaluation) -> str:
    return f"<code>{escape(describe_setting(evaluation))}</code>"


def _metrics(
    ours: Evaluation,
    theirs: Evaluation | None,
    differences: Mapping[str, Difference],
) -> str:
    head = ["metric", "value"]
    if theirs is not None:
        head += ["compared with", "difference", "95 % interval"]
    rows = []
    others = theirs.means() if theirs else {}
    for name, value in ours.means().items():
        cells = [escape(name), f"{value:.3f}"]
        if theirs is not None:
            gap = differences[name]
            cells += [
                f"{others[name]:.3f}",
                _gap(gap),
                f"{gap.low:+.3f} to {gap.high:+.3f}",
            ]
        rows.append(_row(cells))
    return _table(head, rows)


def _gap(gap: Difference) -> str:
    sign = ("better" if gap.mean > 0 else "worse") if gap.is_clear else "same"
    return f'<span class="{sign}">{gap.mean:+.3f}</span>'


def _questions(
    questions: Sequence[KnownQuestion], ours: Evaluation, theirs: Evaluation | None
) -> str:
    head = ["question", "answer", "rank", "first hit"]
    head += ["rank compared with"] if theirs is not None else []
    rows = []
    for at, question in enumerate(questions):
        cells = [
            escape(question.query),
            escape(question.path),
            str(ours.ranks[at] or "–"),
            escape(ours.best[at]),
        ]
        if theirs is not None:
            cells.append(str(theirs.ranks[at] or "–"))
        rows.append(_row(cells, is_miss=not ours.ranks[at]))
    return f"<h2>Questions</h2>{_table(head, rows)}"


def _row(cells: Iterable[str], *, is_miss: bool = False) -> str:
    name = ' class="miss"' if is_miss else ""
    inside = "".join(
        f'<td class="number">{cell}</td>' if at else f"<td>{cell}</td>"
        for at, cell in enumerate(cells)
    )
    return f"<tr{name}>{inside}</tr>"


def _table(head: Iterable[str], rows: Iterable[str]) -> str:
    titles = "".join(f"<th>{title}</th>" for title in head)
    return (
        f"<table><thead><tr>{titles}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )
