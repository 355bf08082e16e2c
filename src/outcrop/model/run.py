"""A run: one piece of long work on the index, which others can follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class RunState(StrEnum):
    """How a run stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is known of a run.

    Attributes:
        id: Its number; later runs have greater ones.
        kind: What is done: `chunk-build`, `index`, `reembed`.
        state: How it stands.
        application_id: The application it works on, where it is one.
        strategy: How chunks are planned, where they are.
        parameters: Its request, as JSON values.
        statistics: What it did so far, as JSON values. `stages` maps the name of a
            stage to how many chunks are `done`, `failed` and there in `total`.
        errors: The first failures, each with what it concerns.
        error: Why the whole run failed.
        started_at: When it began.
        updated_at: When it last said something.
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
