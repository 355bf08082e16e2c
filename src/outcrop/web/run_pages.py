"""The Runs view: the runs of the indexer, live."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse

from outcrop.http.service import Served
from outcrop.web.render import render, size_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outcrop.http.service import Service
    from outcrop.model.run import Run

router = APIRouter()

_MAX_LISTED = 30
_BAR_WIDTH = 100.0
# Stages and counts in the order of the work.
_ORDER = (
    *("documents", "plan", "extract-snippet", "render-doc", "summarize", "embed"),
    *("link-edges", "added", "changed", "removed", "unchanged", "chunks_inserted"),
    *("chunks_updated", "chunks_unchanged", "chunks_deleted", "embedded", "size_bytes"),
)
_NAMES = {"size_bytes": "read"}
# Counts shown elsewhere, or about the work rather than its result.
_INNER = frozenset(["duration", "pages", "rate", "problems", "written_chunks"])
RunId = Annotated[int, Path(ge=1, le=2**63 - 1)]


@router.get("/runs")
async def runs_page(service: Served) -> HTMLResponse:
    """List the runs, the latest first."""

    def work() -> str:
        runs = service.index.store.runs(limit=_MAX_LISTED)
        return _runs_page(service, runs, is_single=False)

    return HTMLResponse(await service.jobs.run(work))


@router.get("/runs/{run_id}")
async def run_page(run_id: RunId, service: Served) -> HTMLResponse:
    """Show one run."""

    def work() -> str:
        run = service.index.store.get_run(run_id)
        return _runs_page(service, [run], is_single=True)

    return HTMLResponse(await service.jobs.run(work))


def _runs_page(service: Service, runs: Iterable[Run], *, is_single: bool) -> str:
    return render(
        "runs.html",
        view="runs",
        project=service.index.project.name,
        runs=[show_run(run) for run in runs],
        is_single=is_single,
    )


@router.get("/parts/runs/{run_id}")
async def run_part(run_id: RunId, service: Served) -> HTMLResponse:
    """Render one run, for a page that is already open."""
    run = await service.jobs.run(lambda: service.index.store.get_run(run_id))
    return HTMLResponse(render("run.html", shown=show_run(run)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The progress of a stage of a run, in chunks."""

    name: str
    done: int
    failed: int
    total: int

    @property
    def done_width(self) -> float:
        """Width of the part that is done."""
        return _BAR_WIDTH * self.done / max(self.total, self.done + self.failed, 1)

    @property
    def failed_width(self) -> float:
        """Width of the part that failed."""
        return _BAR_WIDTH * self.failed / max(self.total, self.done + self.failed, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRun:
    """A run prepared for the page."""

    run: Run
    about: str  # what it works on
    stages: list[Stage]
    facts: list[tuple[str, str]]
    errors: list[tuple[str, str]]  # subject and reason
    seconds: float  # how long it took, or takes so far


def show_run(run: Run) -> ShownRun:
    """Prepare a run for the page."""
    stages = run.statistics.get("stages") or {}
    end = run.finished_at or datetime.now(UTC)
    return ShownRun(
        run=run,
        about=_about(run),
        stages=[
            Stage(
                name=name.replace("_", " "),
                done=int(counts.get("done", 0)),
                failed=int(counts.get("failed", 0)),
                total=int(counts.get("total", 0)),
            )
            for name, counts in sorted(stages.items(), key=_place)
            if isinstance(counts, dict)
        ],
        facts=[
            (_NAMES.get(name, name.replace("_", " ")), _figure(name, value))
            for name, value in sorted(run.statistics.items(), key=_place)
            if isinstance(value, int | float | str)
            and value not in {0, ""}
            and name not in _INNER
        ],
        errors=[_error(item) for item in run.errors],
        seconds=(end - run.started_at).total_seconds() if run.started_at else 0.0,
    )


def _about(run: Run) -> str:
    paths = run.parameters.get("paths")
    words = list(map(str, paths)) if isinstance(paths, list) else []
    if words == ["."]:
        words = ["the whole project"]
    if run.application_id:
        words.append(run.application_id)
    if run.strategy:
        words.append(f"strategy {run.strategy}")
    return "  ".join(words)


def _place(item: tuple[str, Any]) -> tuple[int, str]:
    """Sort known keys into their order, which the database does not keep."""
    name = item[0]
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), name


def _figure(name: str, value: float | str) -> str:
    if name == "size_bytes":
        return size_in_words(int(value))
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else value


def _error(item: dict[str, Any]) -> tuple[str, str]:
    reason = str(item.get("error") or item.get("message") or item.get("reason") or "")
    about = next(
        (
            str(item[key])
            for key in ("path", "chunk_id", "node_id", "stage")
            if item.get(key)
        ),
        "",
    )
    return about, reason
