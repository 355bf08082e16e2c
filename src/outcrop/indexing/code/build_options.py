"""The options of a build, also stored as the parameters of its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outcrop.errors import ConfigError
from outcrop.pipeline.jobs.settings import ASKING_BATCH_SIZE, DEFAULT_BATCH_SIZE
from outcrop.providers.registry import DEFAULT_SUMMARIZER, SUMMARIZERS


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        application: Name of the application; the folder's name if None.
        strategy: The planning strategy: `adaptive` or `per-node`; None for that of the
            index.
        kinds: Kinds of node to plan; all if None.
        limit: Maximum number of nodes to plan.
        summarizer: Name of the summarizer that writes the explanations.
        docs: Also explain the chunks of documents in the index.
        batch_size: Nodes to read, and chunks per job, at a time; None for the defaults.
        relations: Read the calls between the nodes for the relations of their chunks.
        retry_failed: Also retry the stages that failed in earlier runs.
    """

    application: str | None = None
    strategy: str | None = None
    kinds: tuple[str, ...] | None = None
    limit: int | None = None
    summarizer: str = DEFAULT_SUMMARIZER
    docs: bool = False
    batch_size: int | None = None
    relations: bool = True
    retry_failed: bool = False

    def __post_init__(self) -> None:
        if self.batch_size is not None and self.batch_size < 1:
            raise ConfigError(
                f"batch_size is {self.batch_size!r}, but it must be at least 1"
            )

    @property
    def is_whole(self) -> bool:
        """Whether everything is planned, and so files without nodes too."""
        return self.kinds is None and self.limit is None

    @property
    def job_size(self) -> int:
        """Chunks per job."""
        if self.batch_size is not None:
            return self.batch_size
        # Where a model is called for each chunk, a lost job costs money.
        is_called = self.summarizer != DEFAULT_SUMMARIZER
        return ASKING_BATCH_SIZE if is_called else DEFAULT_BATCH_SIZE


def read_options(parameters: dict[str, Any]) -> BuildOptions:
    """Return the options that a run was started with."""
    names = BuildOptions.__dataclass_fields__
    given = {name: parameters[name] for name in names if name in parameters}
    if given.get("kinds") is not None:
        given["kinds"] = tuple(given["kinds"])
    return BuildOptions(**given)


def model_names(options: BuildOptions) -> list[str]:
    """Return the names under which a summarizer's explanations are stored."""
    kind, _, model = options.summarizer.partition(":")
    if kind == DEFAULT_SUMMARIZER:
        return [kind]
    from outcrop.providers.openai_models import DEFAULT_CHAT_MODEL

    return [f"{kind}:{model or DEFAULT_CHAT_MODEL}"]


def check_summarizer(name: str) -> None:
    """Reject an unknown summarizer; its API key is only needed by the workers."""
    if name.partition(":")[0] not in SUMMARIZERS:
        known = ", ".join(SUMMARIZERS)
        raise ConfigError(f"unknown summarizer {name!r}; choose one of: {known}")
