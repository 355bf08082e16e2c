"""Summaries of sections and of their document.

Any `Summarizer` can write them; `outcrop.providers` has one
that works offline and one that asks an endpoint. What fails is recorded with its
section, and the other sections are done all the same.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from outcrop.errors import ConfigError, MissingExtraError, SummaryError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterable

    from outcrop.model.section import Section

_logger = logging.getLogger(__name__)

_STAGE = "summarize"


@runtime_checkable
class Summarizer(Protocol):
    """Writes a short text that says what a longer one is about."""

    @property
    def name(self) -> str:
        """Names the model."""
        ...

    async def summarize(
        self,
        text: str,
        *,
        heading: str | None = None,
        document_summary: str | None = None,
        max_chars: int = 400,
    ) -> str:
        """Summarise Markdown.

        Args:
            text: What to summarise.
            heading: The heading it stands under, where it is part of a document.
            document_summary: What the whole document is about, where that is known.
            max_chars: How long the summary may be, roughly.

        Raises:
            SummaryError: There is no usable summary.
        """
        ...


class SummaryGenerator:
    """Summarises documents and their sections.

    Args:
        model: What writes the summaries.
        max_concurrency: How many sections are summarised at the same time.
        document_chars: How long the summary of a document may be.
        section_chars: How long the summary of a section may be.
    """

    def __init__(
        self,
        model: Summarizer,
        *,
        max_concurrency: int = 4,
        document_chars: int = 600,
        section_chars: int = 300,
    ) -> None:
        for name, value in (
            ("max_concurrency", max_concurrency),
            ("document_chars", document_chars),
            ("section_chars", section_chars),
        ):
            if value < 1:
                raise ConfigError(f"{name} is {value!r}, but it must be at least 1")
        self.model = model
        self.max_concurrency = max_concurrency
        self.document_chars = document_chars
        self.section_chars = section_chars

    async def generate_document_summary(self, content: str) -> str:
        """Summarise a whole document.

        Raises:
            SummaryError: The model failed, or gave nothing.
        """
        return await _attempt(
            self.model.summarize(content, max_chars=self.document_chars)
        )

    async def generate_section_summary(
        self, section: Section, document_summary: str | None = None
    ) -> str:
        """Summarise one section.

        Args:
            section: The section.
            document_summary: What its document is about; that of the section itself
                where none is given.

        Raises:
            SummaryError: The model failed, or gave nothing.
        """
        return await _attempt(
            self.model.summarize(
                section.content,
                heading=section.heading,
                document_summary=document_summary or section.document_summary,
                max_chars=self.section_chars,
            ),
            section.id,
        )

    async def add_summaries(
        self, sections: Iterable[Section], document_content: str
    ) -> list[Section]:
        """Summarise a document and all its sections.

        Args:
            sections: The sections of one document; they are not changed.
            document_content: The document.

        Returns:
            New sections in the same order, each with its summary and that of the
            document. Where one could not be made it is None, and `summary_error`
            says why.

        Raises:
            ConfigError: The model is set up wrongly.
            MissingExtraError: Its library is not installed.
        """
        document_summary, document_error = None, None
        try:
            document_summary = await self.generate_document_summary(document_content)
        except SummaryError as error:
            document_error = f"document summary: {error}"
            _logger.warning("no summary of the document: %s", error)
        gate = asyncio.Semaphore(self.max_concurrency)

        async def summarize(section: Section) -> Section:
            async with gate:
                return await self._summarize(section, document_summary, document_error)

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(summarize(section)) for section in sections]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None  # the same for every section
        return [task.result() for task in tasks]

    async def _summarize(
        self,
        section: Section,
        document_summary: str | None,
        document_error: str | None,
    ) -> Section:
        summary, errors = None, [document_error] if document_error else []
        try:
            summary = await self.generate_section_summary(section, document_summary)
        except SummaryError as error:
            errors.append(f"section summary: {error}")
            _logger.warning("no summary of section %s: %s", section.id, error)
        return replace(
            section,
            summary=summary,
            document_summary=document_summary,
            summary_error="; ".join(errors) or None,
        )


async def _attempt(request: Awaitable[str], section_id: str | None = None) -> str:
    """Await a summary; whatever goes wrong becomes a `SummaryError`."""
    try:
        summary = (await request).strip()
    except SummaryError as error:
        if error.chunk_id is None:
            error.chunk_id = section_id
        raise
    except (ConfigError, MissingExtraError):
        raise  # every other section would fail in the same way
    except Exception as error:  # a model may raise anything: record it
        raise SummaryError(
            f"{type(error).__name__}: {error}", stage=_STAGE, chunk_id=section_id
        ) from error
    if not summary:
        raise SummaryError(
            "the model gave an empty summary", stage=_STAGE, chunk_id=section_id
        )
    return summary
