"""Trying a case: which promise does it break, if any?"""

from __future__ import annotations

import signal
import sys
import traceback
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.cases import DOCUMENT, Case
from fuzz.code import check_program
from fuzz.readers import check_readers
from fuzz.words import check_words
from outcrop import (
    BaseStrategy,
    ChunkConfig,
    IndexingConfig,
    InvariantValidator,
    MarkdownChunker,
    MarkdownSplitter,
    TokenCounter,
)
from promises import check_promises
from trees import check_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from outcrop import Chunk, ContentAnalysis

_FOREIGN = (sys.prefix, sys.base_prefix, "<")
_MAX_DETAIL = 600
# What C does is compared with what Python does.
_COMPARED = {"readers": check_readers, "words": check_words}
# Frames of these say little where a stack overflowed or a clock ran out.
_ANYWHERE = (RecursionError, MemoryError)


class TooSlowError(BaseException):
    """A case took longer than it may.

    Not an `Exception`: nothing on the way up may take it for an error of its own.
    """


@dataclass(frozen=True)
class Failure:
    """A broken promise.

    Attributes:
        promise: The check that failed and the line of it, the same for every case that
            breaks the same promise.
        detail: What the check says of this case.
    """

    promise: str
    detail: str


class EveryFewCharacters(BaseStrategy):
    """A strategy that cuts without regard to anything."""

    name = "every_few_characters"
    priority = 0

    def __init__(self, size: int) -> None:
        self._size = size

    def can_handle(self, analysis: ContentAnalysis, config: ChunkConfig) -> bool:
        return True

    def apply(
        self, md_text: str, analysis: ContentAnalysis, config: ChunkConfig
    ) -> list[Chunk]:
        size = max(self._size, len(md_text) // 1000 + 1)
        return [
            self.create_chunk(md_text, start, start + size)
            for start in range(0, len(md_text), size)
            if md_text[start : start + size].strip()
        ]


def try_case(case: Case, seconds: float = 2.0) -> Failure | None:
    """Return the promise that a case breaks, or None.

    Args:
        case: What to try.
        seconds: Processor time that it may take.
    """
    try:
        with _time_limit(seconds):
            _check(case)
    except (KeyboardInterrupt, SystemExit):
        raise
    except TooSlowError:
        return Failure("too slow", f"not done after {seconds} s of processor time")
    except BaseException as error:  # noqa: BLE001 - a panic is no Exception
        return Failure(_place(error), f"{type(error).__name__}: {error}"[:_MAX_DETAIL])
    return None


def _check(case: Case) -> None:
    if case.target == "code":
        check_program(case.files, case.settings)
        return
    text = case.files[DOCUMENT]
    if case.target in _COMPARED:
        _COMPARED[case.target](text)
        return
    settings = dict(case.settings)
    view = settings.pop("view")
    if view == "sections":
        check_sections(text, settings["max_depth"])
        return
    every = settings.pop("cut_every", 0)
    strategies = [EveryFewCharacters(every)] if every else []
    config = _config(settings)
    chunker = MarkdownChunker(config, strategies)
    if view == "tree":
        tree = chunker.chunk_hierarchical(text)
        check_tree(text, tree)
        _check_validator(text, tree.get_flat_chunks(), config)
    else:
        chunks = chunker.chunk(text)
        check_promises(text, chunks, config)
        _check_validator(text, chunks, config)


def _check_validator(text: str, chunks: Sequence[Chunk], config: ChunkConfig) -> None:
    result = InvariantValidator(config, strict=True).validate(chunks, text)
    assert result.valid, f"the validator disagrees: {result.errors}"
    assert result.coverage == 1.0, f"coverage is {result.coverage}"


def check_sections(text: str, max_depth: int) -> None:
    """Assert that the sections of a document are all of it, in order."""
    config = IndexingConfig(10**9, max_depth=max_depth)
    sections = MarkdownSplitter(config, _tokens()).split(text, "a.md", "hash")
    if not text.strip():
        assert not "".join(section.content for section in sections).strip()
        return
    assert "".join(section.content for section in sections) == text
    ids = {section.id: section for section in sections}
    assert len(ids) == len(sections)
    end = 0
    for section in sections:
        assert section.start_offset == end
        end = section.end_offset
        assert section.content == text[section.start_offset : end]
        assert 1 <= section.start_line <= section.end_line
        if section.parent_id is not None:
            assert ids[section.parent_id].depth < section.depth


def _config(settings: dict[str, Any]) -> ChunkConfig:
    measures: dict[str, Callable[[str], int]] = {"tokens": _tokens(), "words": _words}
    length = measures.get(settings.pop("length", ""))
    return ChunkConfig(**settings, length=length)


def _words(text: str) -> int:
    return len(text.split())


@cache
def _tokens() -> TokenCounter:
    return TokenCounter()


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _place(error: BaseException) -> str:
    """Name the check or the function that an error comes from, without line numbers."""
    if isinstance(error, _ANYWHERE):
        return type(error).__name__
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(_FOREIGN)]
    frame = own[-1]
    where = f"{Path(frame.filename).name}, {frame.name}: {frame.line}"
    return (
        where
        if isinstance(error, AssertionError)
        else f"{type(error).__name__} in {where}"
    )
