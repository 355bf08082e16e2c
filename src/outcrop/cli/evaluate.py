"""`outcrop eval`: score the index on questions with known answers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.opening import Choice, index_options, json_option, rerank_option
from outcrop.cli.render.text import write_json
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from outcrop.evaluation.evaluate import Difference, Evaluation
    from outcrop.evaluation.questions import KnownQuestion

_KEYS = {
    "mode": "mode",
    "kind": "kind",
    "path": "path_glob",
    "expand": "expand",
    "rerank": "rerank",
}
_SINGLE = frozenset({"mode", "rerank"})


@click.command("eval")
@click.argument("questions", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--set",
    "ours",
    metavar="SETTING",
    default="",
    help="Options of search to score, such as mode=text,kind=doc.  [default: none]",
)
@click.option(
    "--against",
    "theirs",
    metavar="SETTING",
    help="Options of search to compare with.",
)
@click.option(
    "--report",
    "report_file",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a page (HTML) with every question.",
)
@json_option
@index_options
@rerank_option
def evaluate(
    choice: Choice,
    questions: Path,
    *,
    ours: str,
    theirs: str | None,
    report_file: Path | None,
    as_json: bool,
) -> None:
    """Score search on the questions in QUESTIONS, one JSON object per line.

    Each has a query, the path of the document that answers it, and optionally lines or
    a heading: {"query": "how do I ...", "path": "docs/a.md", "heading": "Setup"}
    """
    settings = [_read_setting(text) for text in (ours, theirs) if text is not None]
    with choice.open_all() as opened:
        # Imported after opening, which names the extra that is missing.
        from outcrop.evaluation import evaluate as evaluation
        from outcrop.evaluation.questions import read_questions
        from outcrop.evaluation.report_page import render_report

        known = read_questions(questions, opened.project)
        found = [evaluation.evaluate(opened, known, setting) for setting in settings]
    first, second = found[0], found[1] if theirs is not None else None
    gaps = evaluation.compare(first, second) if second is not None else {}
    if report_file is not None:
        page = render_report(known, first, second, gaps)
        report_file.write_text(page, encoding="utf-8")
    if as_json:
        write_json(_values(known, found, gaps))
    else:
        _write_table(known, first, second, gaps)


def _read_setting(text: str) -> dict[str, Any]:
    setting: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals or key.strip() not in _KEYS:
            raise click.UsageError(
                f"{part!r} is not a setting; write KEY=VALUE with one of: "
                + ", ".join(_KEYS)
            )
        name, value = _KEYS[key.strip()], value.strip()
        # Several kinds or paths are a list.
        setting[name] = value if name in _SINGLE else [*setting.get(name, []), value]
    return setting


def _write_table(
    known: Sequence[KnownQuestion],
    ours: Evaluation,
    theirs: Evaluation | None,
    gaps: Mapping[str, Difference],
) -> None:
    from outcrop.evaluation.report_page import describe_setting

    named = f"{count(len(known), 'question')}; {describe_setting(ours)}"
    others = theirs.means() if theirs is not None else {}
    if theirs is not None:
        named += f", compared with {describe_setting(theirs)}"
    click.echo(named)
    for name, value in ours.means().items():
        line = f"{name:<14} {value:.3f}"
        if theirs is not None:
            gap = gaps[name]
            line += f"  {others[name]:.3f}  {gap.mean:+.3f}"
            line += f" [{gap.low:+.3f}, {gap.high:+.3f}]"
        click.echo(line)
    missed = sum(rank == 0 for rank in ours.ranks)
    click.echo(f"no answer among the hits: {missed:,}")


def _values(
    known: Sequence[KnownQuestion],
    found: Sequence[Evaluation],
    gaps: Mapping[str, Difference],
) -> dict[str, Any]:
    return {
        "settings": [
            {"setting": dict(each.setting), "metrics": each.means()} for each in found
        ],
        "differences": {
            name: {**asdict(gap), "is_clear": gap.is_clear}
            for name, gap in gaps.items()
        },
        "questions": [
            {
                "query": question.query,
                "path": question.path,
                "ranks": [each.ranks[at] for each in found],
                "first_hits": [each.best[at] for each in found],
            }
            for at, question in enumerate(known)
        ],
    }
