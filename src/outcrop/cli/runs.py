"""`outcrop runs`: the runs of an index, their progress and failures."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from outcrop.cli.opening import Choice, index_options, json_option
from outcrop.cli.render.text import escape_controls, write_json
from outcrop.errors import NotFoundError
from outcrop.presentation.text import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.run import Run


_POLL_SECONDS = 0.5
# One screen; the JSON has all that are stored.
_MAX_FAILURES = 20
_MINUTE = 60.0
_PLANNED = (
    ("processed_nodes", "node", "planned"),
    ("written_chunks", "chunk", "written"),
    ("skipped_chunks", "chunk", "left alone"),
    ("deleted_chunks", "chunk", "deleted"),
    ("removed", "document", "removed"),
    ("errors", "error", "in planning"),
)


@click.command()
@click.argument("run_id", type=int, required=False, metavar="[ID]")
@click.option(
    "--watch", is_flag=True, help="Follow run ID, or the latest run, to its end."
)
@click.option(
    "--limit",
    default=20,
    show_default=True,
    metavar="N",
    help="Maximum number of runs.",
)
@json_option
@index_options
def runs(
    choice: Choice, *, run_id: int | None, watch: bool, limit: int, as_json: bool
) -> None:
    """List the latest runs, or show run ID with its stages and failures."""
    with choice.open_all() as opened:
        if watch:
            _watch(opened, run_id, as_json=as_json)
        elif run_id is not None:
            write_run(opened.run(run_id), as_json=as_json)
        else:
            _list(opened.runs(limit), as_json=as_json)


def _list(found: list[Run], *, as_json: bool) -> None:
    if as_json:
        write_json([asdict(run) for run in found])
        return
    for line in list_lines(found):
        click.echo(line)
    if not found:
        click.echo("no runs yet; start one with: outcrop build PATH")


def write_run(run: Run, *, as_json: bool, indent: int | None = 2) -> None:
    """Print the details of a run."""
    if as_json:
        write_json(asdict(run), indent=indent)
        return
    for line in run_lines(run):
        click.echo(line)


def _watch(opened: AnyIndex, run_id: int | None, *, as_json: bool) -> None:
    if run_id is None:
        last = opened.runs(1)
        if not last:
            raise NotFoundError("the index has no run to follow")
        run_id = last[0].id
    try:
        run = _follow(opened, run_id, as_json=as_json)
    except KeyboardInterrupt:
        return  # the normal way to stop following
    if not as_json:
        write_run(run, as_json=False)


def _follow(opened: AnyIndex, run_id: int, *, as_json: bool) -> Run:
    """Show a run until it ends; on a terminal in place, elsewhere line by line."""
    from outcrop.cli.render.progress import show_stages

    shown = None
    with show_stages(quiet=as_json) as update:
        while True:
            run = opened.run(run_id)
            if run != shown:
                if as_json:
                    write_json(asdict(run), indent=None)
                update(in_order(run.statistics.get("stages", {})))
                shown = run
            if run.state != "running":
                return run
            sys.stdout.flush()
            time.sleep(_POLL_SECONDS)


def list_lines(runs: Iterable[Run]) -> Iterator[str]:
    """Yield one line per run: number, state, time, kind and progress."""
    for run in runs:
        started = f"{run.started_at:%Y-%m-%d %H:%M}" if run.started_at else ""
        yield f"{run.id:>4}  {run.state:<8}{started:<18}{_what(run)}: {_brief(run)}"


def run_lines(run: Run) -> Iterator[str]:
    """Yield the details of a run."""
    yield _row("run", f"{run.id}, {run.state}")
    yield _row("what", _what(run))
    if run.started_at is not None:
        yield _row("started", f"{run.started_at:%Y-%m-%d %H:%M:%S} UTC")
        yield _row("took" if run.finished_at else "for", _duration(run))
    if planned := _planned(run.statistics):
        yield _row("planning", planned)
    for number, line in enumerate(stage_lines(run)):
        yield _row("" if number else "stages", line)
    yield from _rest(run)


def stage_lines(run: Run) -> Iterator[str]:
    """Yield one line per stage: chunks done and failed."""
    stages: dict[str, dict[str, int]] = run.statistics.get("stages", {})
    for name, numbers in in_order(stages).items():
        yield f"{name:<16} {stage_numbers(numbers)}"


def in_order(stages: Mapping[str, dict[str, int]]) -> dict[str, dict[str, int]]:
    """Return stages in the order they are run in, which JSON does not keep."""
    from outcrop.pipeline.stage import STAGES

    known = [name for name in STAGES if name in stages]
    return {name: stages[name] for name in [*known, *(stages.keys() - set(known))]}


def stage_numbers(numbers: dict[str, int]) -> str:
    """Return the counts of a stage in words."""
    text = f"{numbers.get('done', 0):,} of {numbers.get('total', 0):,}"
    return f"{text}, {numbers['failed']:,} failed" if numbers.get("failed") else text


def failure_line(failure: dict[str, Any]) -> str:
    """Return one failure: the stage, what it was about, and the reason."""
    stage = failure.get("stage") or "planning"
    names = ("path", "subject", "chunk_id")
    place = next((failure[name] for name in names if failure.get(name)), "a chunk")
    if failure.get("line"):
        place = f"{place}:{failure['line']}"
    if failure.get("title"):
        place = f"{place} {failure['title']}"
    reason = failure.get("message") or failure.get("error") or "no reason given"
    return escape_controls(f"{stage}: {place}: {reason}")


def _rest(run: Run) -> Iterator[str]:
    chunks: dict[str, int] = run.statistics.get("chunks", {})
    for state, meaning in (
        ("dropped", "taken over by another run, or deleted"),
        ("stale", "of files that changed, to be planned again"),
    ):
        if chunks.get(state):
            yield _row(state, f"{count(chunks[state], 'chunk')} {meaning}")
    for note in run.statistics.get("notes", []):
        yield _row("note", escape_controls(str(note)))
    if run.error:
        yield _row("error", escape_controls(run.error))
    for number, failure in enumerate(run.errors[:_MAX_FAILURES]):
        yield _row("" if number else "failures", failure_line(failure))
    if len(run.errors) > _MAX_FAILURES:
        yield _row("", f"and {len(run.errors) - _MAX_FAILURES:,} more; see --json")


def _row(name: str, value: str) -> str:
    return f"{name:<12}{value}"


def _what(run: Run) -> str:
    parts = [run.kind]
    if run.application_id:
        parts.append(f"of {run.application_id}")
    if run.strategy:
        parts.append(f"by {run.strategy}")
    return escape_controls(" ".join(parts))


def _brief(run: Run) -> str:
    if run.error:
        return escape_controls(run.error)
    chunks: dict[str, int] = run.statistics.get("chunks", {})
    if not chunks:
        return _planned(run.statistics) or "nothing to do"
    total = sum(chunks.get(state, 0) for state in ("open", "done", "failed", "stale"))
    text = f"{chunks.get('done', 0):,} of {count(total, 'chunk')} done"
    if chunks.get("failed"):
        text += f", {chunks['failed']:,} failed"
    return text


def _planned(statistics: dict[str, Any]) -> str:
    parts = [
        f"{count(statistics[key], noun)} {verb}"
        for key, noun, verb in _PLANNED
        if statistics.get(key)
    ]
    return ", ".join(parts)


def _duration(run: Run) -> str:
    if run.started_at is None:
        return ""
    end = run.finished_at or datetime.now(UTC)
    seconds = (end - run.started_at).total_seconds()
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    return f"{int(seconds // _MINUTE)} min {seconds % _MINUTE:.0f} s"
