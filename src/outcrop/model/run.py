"""A run: one piece of long work on the index, which others can follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class RunState(StrEnum):
    """The state of a run."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run, with its progress and its failures.

    Attributes:
        id: Its number; later runs have greater ones.
        kind: What is done: `chunk-build`, `index`, `reembed`.
        state: Whether it is running, done or failed.
        application_id: The application it works on, if it works on one.
        strategy: How it plans chunks, if it plans any.
        parameters: Its request, as JSON values.
        statistics: What it has done so far, as JSON values. `stages` maps the name of a
            stage to its numbers of chunks: `done`, `failed` and `total`.
        errors: The first failures, each with what it concerns.
        error: Why the whole run failed.
        started_at: When it began.
        updated_at: When it last reported progress.
        finished_at: When it ended.
    """

    id: int
    kind: str
    state: RunState
    application_id: str | None = None
    strategy: str | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    statistics: dict[str, Any] = field(default_factory=dict)
    errors: list[dict[str, Any]] = field(default_factory=list)
    error: str | None = None
    started_at: datetime | None = None
    updated_at: datetime | None = None
    finished_at: datetime | None = None
