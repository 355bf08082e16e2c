"""`outcrop runs`: the runs of an index, their progress and failures."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from outcrop.cli.opening import Choice, index_options, json_option
from outcrop.cli.render.runs import in_order, list_lines, run_lines
from outcrop.cli.render.text import write_json
from outcrop.errors import NotFoundError

if TYPE_CHECKING:
    from outcrop.indexing.sharded import AnyIndex
    from outcrop.model.run import Run

_POLL_SECONDS = 0.5


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
            _show(opened.run(run_id), as_json=as_json)
        else:
            _list(opened.runs(limit), as_json=as_json)


def _list(found: list[Run], *, as_json: bool) -> None:
    if as_json:
        values = [asdict(run) for run in found]
        write_json(values)
        return
    for line in list_lines(found):
        click.echo(line)
    if not found:
        click.echo("no runs yet; start one with: outcrop build PATH")


def _show(run: Run, *, as_json: bool) -> None:
    if as_json:
        write_json(asdict(run))
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
        _show(run, as_json=False)


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
