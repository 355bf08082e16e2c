"""Summaries of documents and their sections, made while they are indexed.

Sentences are chosen in the processes that chunk. A language model is asked by the run
itself, for the sections whose text has changed.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

from outcrop.providers.registry import open_summarizer
from outcrop.sections.summaries import SummaryGenerator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.indexing.config import IndexConfig
    from outcrop.indexing.documents.prepare import Prepared
    from outcrop.model.section import IndexedSection
    from outcrop.model.stored import Document
    from outcrop.providers.extractive import ExtractiveSummarizer
    from outcrop.store.store import PostgresStore

_SECTION_CHARS = 300
_DOCUMENT_CHARS = 600
# The beginning of a long section says what it is about.
_MAX_READ_CHARS = 1_500
_MAX_JOINED_CHARS = 4_000
_BETWEEN = "\n\n"


def with_known_mode(config: IndexConfig, store: PostgresStore) -> IndexConfig:
    """Return the settings with the way of summarising that an index uses."""
    return with_mode(config, store.summaries_mode())


def with_mode(config: IndexConfig, known: str | None = None) -> IndexConfig:
    """Return the settings with a way of summarising: that of the index, if it is known."""
    mode = config.summaries or known or "extractive"
    has_model = find_spec("tokenizers") is not None
    if mode == "extractive" and not has_model and config.summaries is None:
        mode = "off"
    return replace(config, summaries=mode)


def choose_summaries(
    document: Document, sections: Sequence[IndexedSection]
) -> tuple[Document, list[IndexedSection]]:
    """Summarise a document and its sections by sentences of their own."""
    chosen = ChosenSummaries()
    summarized = chosen.add_to(sections)
    return replace(document, summary=chosen.of_document()), summarized


class ChosenSummaries:
    """Summaries by sentences of the text, for one document whose sections come in order."""

    def __init__(self) -> None:
        self._joined: list[str] = []
        self._joined_chars = 0

    def add_to(self, sections: Sequence[IndexedSection]) -> list[IndexedSection]:
        """Return the next sections with their summaries."""
        summarized = []
        for each in sections:
            text = each.section.content[:_MAX_READ_CHARS]
            summary = _extractive().summarize_now(text, _SECTION_CHARS)
            summarized.append(_with_summary(each, summary) if summary else each)
            if self._joined_chars < _MAX_JOINED_CHARS + len(_BETWEEN):
                self._joined.append(summary or "")
                self._joined_chars += len(summary or "") + len(_BETWEEN)
        return summarized

    def of_document(self) -> str | None:
        """Return the summary of the document, from those of its sections."""
        joined = _BETWEEN.join(self._joined)[:_MAX_JOINED_CHARS]
        return _extractive().summarize_now(joined, _DOCUMENT_CHARS) or None


class ModelSummaries:
    """Summaries by a language model; those of unchanged sections are kept."""

    def __init__(self, store: PostgresStore) -> None:
        """Open the configured endpoint.

        Raises:
            ConfigError: It is not configured.
        """
        self._store = store
        self._generator = SummaryGenerator(
            open_summarizer("openai"),
            section_chars=_SECTION_CHARS,
            document_chars=_DOCUMENT_CHARS,
        )
        self.problems: list[str] = []

    def add_to(self, prepared: Prepared) -> Prepared:
        """Return a document with its summaries; one without sections has none."""
        if prepared.document is None or not prepared.sections:
            return prepared
        document, sections = self.add(prepared.document, prepared.sections)
        return replace(prepared, document=document, sections=sections)

    def add(
        self, document: Document, sections: Sequence[IndexedSection]
    ) -> tuple[Document, list[IndexedSection]]:
        """Summarise a document; a summary that fails is missing."""
        stored = self._store.section_summaries([document.path])
        known = {
            each.section.id: stored[each.section.id].summary
            for each in sections
            if each.section.id in stored
            and stored[each.section.id].content_hash == each.content_hash
        }
        new = [each.section for each in sections if each.section.id not in known]
        if not new:
            before = self._store.get_document(document.path).summary if known else None
            kept = [_with_summary(each, known[each.section.id]) for each in sections]
            return replace(document, summary=before), kept
        text = "".join(each.section.content for each in sections)
        made = asyncio.run(self._generator.add_summaries(new, text))
        by_id = {section.id: section for section in made}
        errors = [section.summary_error for section in made if section.summary_error]
        if errors:
            self.problems.append(f"{document.path}: {errors[0]}")
            # Without a fingerprint, the next run tries again.
            document = replace(document, fingerprint="")
        done = [
            replace(each, section=by_id[each.section.id])
            if each.section.id in by_id
            else _with_summary(each, known[each.section.id])
            for each in sections
        ]
        return replace(document, summary=made[0].document_summary), done


def _with_summary(each: IndexedSection, summary: str | None) -> IndexedSection:
    return replace(each, section=replace(each.section, summary=summary))


@cache
def _extractive() -> ExtractiveSummarizer:
    from outcrop.providers.extractive import ExtractiveSummarizer

    return ExtractiveSummarizer()
