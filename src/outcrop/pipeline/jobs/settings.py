"""How a worker works: how patient it is, and how often it looks around."""

from __future__ import annotations

from dataclasses import dataclass

from outcrop.errors import ConfigError

# Measured on 3,361 chunks: batches of 32 take half as much processor time again.
DEFAULT_BATCH_SIZE = 200
# Where every chunk is a question to a model, what a killed worker loses costs money.
ASKING_BATCH_SIZE = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerSettings:
    """What can be set of a worker; the defaults suit one machine and several.

    Attributes:
        concurrency: How many jobs it does at a time.
        batch_size: How many chunks a new job holds.
        most_tries: How often a chunk is tried before it counts as failed.
        retry_seconds: How long to wait before the second try; each later one waits
            twice as long.
        longest_retry_seconds: But never longer than this.
        heartbeat_seconds: How often it says that it is alive.
        stalled_seconds: After which silence its jobs are given to others.
        poll_seconds: How often it looks for jobs nobody told it of, and for jobs of
            workers that are gone.
        patience_seconds: How long it waits for a database that went away.
    """

    concurrency: int = 1
    batch_size: int = DEFAULT_BATCH_SIZE
    most_tries: int = 6
    retry_seconds: float = 1.0
    longest_retry_seconds: float = 60.0
    heartbeat_seconds: float = 2.0
    stalled_seconds: float = 15.0
    poll_seconds: float = 1.0
    patience_seconds: float = 300.0

    def __post_init__(self) -> None:
        for name in ("concurrency", "batch_size", "most_tries"):
            value = getattr(self, name)
            if value < 1:
                raise ConfigError(f"{name} is {value!r}, but it must be at least 1")
        if self.stalled_seconds <= self.heartbeat_seconds:
            raise ConfigError(
                f"stalled_seconds is {self.stalled_seconds!r}, but it must be more than"
                f" heartbeat_seconds, which is {self.heartbeat_seconds!r}"
            )

    def pause_before(self, tries: int) -> float:
        """Return how long to wait before a chunk is tried again.

        Args:
            tries: How often it was tried already.
        """
        # Exponents are capped so that the power cannot overflow.
        growing = self.retry_seconds * 2.0 ** min(max(0, tries - 1), 30)
        return float(min(self.longest_retry_seconds, growing))
