"""What the section splitter can be told."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from enum import StrEnum

from outcrop.errors import ConfigError

_MAX_HEADING_LEVEL = 6


class ContentScope(StrEnum):
    """How much text a section carries."""

    OWN = "own"  # up to the next section, whatever its depth
    SUBTREE = "subtree"  # with the text of the sections below it


@dataclass(frozen=True, slots=True)
class IndexingConfig:
    """Settings of `MarkdownSplitter`.

    Attributes:
        max_tokens_per_section: A longer section is reported, never cut.
        max_depth: Headings up to this level start a section; deeper ones are text.
        content_scope: `own` cuts the document into disjoint sections; `subtree`
            gives a section the text of the sections below it as well, so that a
            chapter can be found by what its sections say.
    """

    max_tokens_per_section: int = 2000
    _: KW_ONLY
    max_depth: int = 3
    content_scope: ContentScope | str = ContentScope.OWN

    def __post_init__(self) -> None:
        if self.max_tokens_per_section < 1:
            raise ConfigError(
                f"max_tokens_per_section is {self.max_tokens_per_section!r},"
                " but it must be at least 1"
            )
        if not 1 <= self.max_depth <= _MAX_HEADING_LEVEL:
            raise ConfigError(f"max_depth is {self.max_depth!r}, but it must be 1 to 6")
        if self.content_scope not in list(ContentScope):
            known = " or ".join(repr(scope.value) for scope in ContentScope)
            raise ConfigError(
                f"content_scope is {self.content_scope!r}, but it must be {known}"
            )
