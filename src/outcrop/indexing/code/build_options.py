"""The options of a build, also stored as the parameters of its run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outcrop.errors import ConfigError
from outcrop.pipeline.jobs.settings import ASKING_BATCH_SIZE, DEFAULT_BATCH_SIZE
from outcrop.planning.strategies import AdaptiveChunkStrategy
from outcrop.providers.registry import DEFAULT_SUMMARIZER, SUMMARIZERS

DEFAULT_STRATEGY = AdaptiveChunkStrategy.name


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """The options of a build.

    Attributes:
        application: Name of the application; the folder's name if None.
        strategy: The planning strategy: `adaptive` or `per-node`.
        kinds: Kinds of node to plan; all if None.
        limit: Maximum number of nodes to plan.
        summarizer: Name of the summarizer that writes the explanations.
        docs: Also explain the chunks of documents in the index.
        batch_size: Chunks per job; if None, few where a model is called for each chunk.
    """

    application: str | None = None
    strategy: str = DEFAULT_STRATEGY
    kinds: tuple[str, ...] | None = None
    limit: int | None = None
    summarizer: str = DEFAULT_SUMMARIZER
    docs: bool = False
    batch_size: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether whole files are planned, and so files without nodes too."""
        is_limited = self.kinds is not None or self.limit is not None
        return not is_limited and self.strategy == DEFAULT_STRATEGY

    @property
    def job_size(self) -> int:
        """Chunks per job."""
        if self.batch_size is not None:
            return self.batch_size
        is_asked = self.summarizer != DEFAULT_SUMMARIZER
        return ASKING_BATCH_SIZE if is_asked else DEFAULT_BATCH_SIZE


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
    from outcrop.providers.openai_chat import DEFAULT_CHAT_MODEL

    return [f"{kind}:{model or DEFAULT_CHAT_MODEL}"]


def check_summarizer(name: str) -> None:
    """Reject an unknown summarizer; its API key is only needed by the workers."""
    if name.partition(":")[0] not in SUMMARIZERS:
        known = ", ".join(SUMMARIZERS)
        raise ConfigError(f"summarizer is {name!r}, but only {known} are known")
