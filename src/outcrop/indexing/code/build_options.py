"""What a build is asked for, as options and as the parameters of its run."""

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
    """What to build.

    Attributes:
        application: Name of the application; that of the folder where None.
        strategy: How chunks are planned: `adaptive` or `per-node`.
        kinds: Kinds of node to plan; all where None.
        limit: The most nodes to plan.
        summarizer: What writes the explanations.
        docs: Explain the chunks of documents in the index too.
        batch_size: How many chunks a job holds; few where a model is asked about each,
            where None.
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
        """Whether whole files are planned, so those without nodes are too."""
        is_limited = self.kinds is not None or self.limit is not None
        return not is_limited and self.strategy == DEFAULT_STRATEGY

    @property
    def job_size(self) -> int:
        """How many chunks a job holds."""
        if self.batch_size is not None:
            return self.batch_size
        is_asked = self.summarizer != DEFAULT_SUMMARIZER
        return ASKING_BATCH_SIZE if is_asked else DEFAULT_BATCH_SIZE


def read_options(parameters: dict[str, Any]) -> BuildOptions:
    """Return the options that a run was begun with."""
    names = BuildOptions.__dataclass_fields__
    given = {name: parameters[name] for name in names if name in parameters}
    if given.get("kinds") is not None:
        given["kinds"] = tuple(given["kinds"])
    return BuildOptions(**given)


def model_names(options: BuildOptions) -> list[str]:
    """Return what the model calls itself that a summarizer's name opens."""
    kind, _, model = options.summarizer.partition(":")
    if kind == DEFAULT_SUMMARIZER:
        return [kind]
    from outcrop.providers.openai_chat import DEFAULT_CHAT_MODEL

    return [f"{kind}:{model or DEFAULT_CHAT_MODEL}"]


def check_summarizer(name: str) -> None:
    """Refuse a name that no worker could open; its key need not be here."""
    if name.partition(":")[0] not in SUMMARIZERS:
        known = ", ".join(SUMMARIZERS)
        raise ConfigError(f"summarizer is {name!r}, but only {known} are known")
