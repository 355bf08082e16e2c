"""Settings of an index: sizes and limits, validated on construction."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from outcrop.chunking.config import ChunkConfig
from outcrop.errors import ConfigError
from outcrop.planning.file_planner import FilePlanner
from outcrop.planning.protocols import ChunkStrategy
from outcrop.planning.strategies import (
    STRATEGIES,
    AdaptiveChunkStrategy,
    open_strategy,
)
from outcrop.planning.strategies.adaptive import (
    DEFAULT_MAX_TOKENS as DEFAULT_MAX_CODE_TOKENS,
)
from outcrop.settings import find_settings
from outcrop.text.tokens import ENCODINGS, TokenCounter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from outcrop.planning.strategies import AnyStrategy

# Small enough to point at a passage, large enough to be meaningful. Chosen on public
# data sets; search joins the parts of a section again. See docs/concepts/search.md.
DEFAULT_MAX_TOKENS = 180
DEFAULT_MAX_FILE_BYTES = 10_000_000
DEFAULT_CODE_STRATEGY = AdaptiveChunkStrategy.name
_MIN_TOKENS = 16
SUMMARIES = ("off", "extractive", "llm")
# Keys of the table `index` in a settings file -> fields. Settings that read more files
# than a run would by default are not among them: the file comes with the project.
_KEYS = {
    "max-tokens": "max_tokens",
    "max-file-size": "max_file_bytes",
    "workers": "workers",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexConfig:
    """Settings of an index.

    Attributes:
        max_tokens: Maximum tokens per chunk of Markdown, and half the maximum per chunk
            of plain text. Changing it re-chunks every document on the next run.
        max_code_tokens: Maximum tokens per chunk of code.
        strategy: How code becomes chunks: `adaptive` or `per-node`. None keeps the
            strategy of the index, which is `adaptive` at first.
        encoding: The vocabulary that tokens are counted with.
        max_file_bytes: Larger files are skipped and counted. Markdown files from 10 MB
            on are read in parts.
        workers: Worker processes; one per core if None.
        follow_links: Whether to follow links that lead out of the project and of the
            given paths. The author of the files decides where they lead.
        include_secrets: Whether to index files whose names suggest that they hold
            passwords, keys or tokens.
        summaries: Who summarises documents and sections: `extractive` chooses
            sentences, `llm` asks the configured endpoint, `off` leaves them out. If
            None, as in the last run, and `extractive` for a new index.
    """

    max_tokens: int = DEFAULT_MAX_TOKENS
    max_code_tokens: int = DEFAULT_MAX_CODE_TOKENS
    strategy: str | None = None
    encoding: str = ENCODINGS[0]
    max_file_bytes: int = DEFAULT_MAX_FILE_BYTES
    workers: int | None = None
    follow_links: bool = False
    include_secrets: bool = False
    summaries: str | None = None

    def __post_init__(self) -> None:
        _check_at_least("max_tokens", self.max_tokens, _MIN_TOKENS)
        _check_at_least("max_code_tokens", self.max_code_tokens, _MIN_TOKENS)
        _check_at_least("max_file_bytes", self.max_file_bytes, 1)
        if self.workers is not None:
            _check_at_least("workers", self.workers, 1)
        _check_bool("follow_links", self.follow_links)
        _check_bool("include_secrets", self.include_secrets)
        if self.summaries not in (None, *SUMMARIES):
            known = ", ".join(SUMMARIES)
            raise ConfigError(
                f"unknown summaries {self.summaries!r}; choose one of: {known}"
            )
        TokenCounter(self.encoding)  # rejects an unknown one
        open_strategy(self.code_strategy)

    @property
    def processes(self) -> int:
        """Number of worker processes."""
        return self.workers or os.cpu_count() or 1

    @property
    def code_strategy(self) -> str:
        """Name of the strategy for code."""
        return self.strategy or DEFAULT_CODE_STRATEGY

    @property
    def plans_nodes(self) -> bool:
        """Whether the strategy for code plans nodes, those without a file included."""
        return isinstance(open_strategy(self.code_strategy), ChunkStrategy)

    def strategies(self) -> Mapping[str, Callable[[], AnyStrategy]]:
        """Return the strategies for code by name, the adaptive one as configured."""
        return {**STRATEGIES, DEFAULT_CODE_STRATEGY: self._adaptive}

    def planner(self, read_text: Callable[[str], str | None]) -> FilePlanner:
        """Return the planner of files of code."""
        strategy = open_strategy(self.code_strategy, self.strategies())
        return FilePlanner(strategy, read_text, without_nodes=self._adaptive())

    def _adaptive(self) -> AdaptiveChunkStrategy:
        return AdaptiveChunkStrategy(self.max_code_tokens, TokenCounter(self.encoding))

    def chunking(self) -> ChunkConfig:
        """Return the settings for chunking Markdown."""
        return ChunkConfig(
            max_chunk_size=self.max_tokens,
            overlap_size=0,
            oversize_blocks="split",
            length=TokenCounter(self.encoding),
        )


def _check_at_least(field: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(
            f"{field} is {value!r}, but it must be a whole number of at least {least}"
        )


def _check_bool(field: str, value: object) -> None:
    if not isinstance(value, bool):
        raise ConfigError(f"{field} is {value!r}, but it must be True or False")


def read_config(folder: Path) -> IndexConfig:
    """Return the settings of a project: those of its settings file, or the defaults.

    Raises:
        ConfigError: The file is not valid.
    """
    found = find_settings(folder)
    settings = found.settings if found else {}
    config = IndexConfig()
    for key, field in _KEYS.items():
        if (setting := settings.get(("index", key))) is not None:
            try:
                config = replace(config, **{field: setting.value})
            except ConfigError as error:
                raise ConfigError(f"{setting.place}: {error}") from error
    return config


def read_embedder(folder: Path) -> str | None:
    """Return the name of the embedder in a project's settings file, if it has one.

    Raises:
        ConfigError: The file is not valid.
    """
    found = find_settings(folder)
    setting = found.settings.get(("embedder",)) if found else None
    if setting is None:
        return None
    if not isinstance(setting.value, str):
        raise ConfigError(
            f"{setting.place}: embedder is {setting.value!r}, but it must be a string"
        )
    return setting.value
