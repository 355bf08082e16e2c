"""Stage `summarize`: a short explanation of a chunk, and how good it is."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from outcrop.errors import SummaryError
from outcrop.model.edge import EdgeKind
from outcrop.model.stored import ChunkValues, StageOutcome
from outcrop.pipeline.render_doc import fenced
from outcrop.text.boundaries import sentence_ends

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outcrop.model.node import Node
    from outcrop.model.stored import StoredChunk
    from outcrop.pipeline.stage import StageContext
    from outcrop.sections.summaries import Summarizer

NAME = "summarize"
# Concurrent requests to a model.
_AT_ONCE = 8
# Requests in a row that may fail because the model cannot be reached.
_MAX_FAILURES = 3
_CALLS = EdgeKind.CALLS
_WORD = re.compile(r"[\w$]+")

MODEL = "extractive"
MAX_CHARS = 400
_MAX_NAMES = 8
_COMMENT = re.compile(r"(?://+!?|#+!?|--|\*+)\s?")
# Without any of these there is no comment, which the pattern takes longer to say.
_COMMENT_MARKS = ("#", "//", "--", "*")
_NOT_PROSE = re.compile(
    r"noqa|type:\s*ignore|pylint|eslint|fmt:|pragma|copyright|licen[sc]e|^[\W_]*$|^@\w",
    re.IGNORECASE,
)
# Ends the prose of a documentation comment: here its lists of parameters begin.
_LISTS = re.compile(
    r"^[^\S\n]*+(?:(?:Args|Arguments|Parameters|Returns?|Raises|Yields|Attributes"
    r"|Examples?|Notes?|Usage|See [Aa]lso)[^\S\n]*+:?[^\S\n]*$"
    r"|:param|:return|@\w+|\.\. |>>>|```|~~~|---|===)",
    re.MULTILINE,
)


class SummarizerGoneError(SummaryError):
    """The summarizer could not be reached several times in a row."""


class LimitedSummarizer:
    """A summarizer that is no longer called once it cannot be reached.

    Without this, a run over many chunks would wait for a timeout for each of them.
    """

    def __init__(self, summarizer: Summarizer) -> None:
        self._summarizer = summarizer
        self._failures = 0
        self._reason = ""

    @property
    def name(self) -> str:
        """Names the model."""
        return self._summarizer.name

    async def summarize(self, text: str, **options: Any) -> str:
        """Summarise Markdown; see `Summarizer`.

        Raises:
            SummarizerGoneError: It is not called any more.
        """
        if self._failures >= _MAX_FAILURES:
            raise SummarizerGoneError(
                f"{self._reason}; {self.name} is not called any more in this run",
                stage=NAME,
            )
        try:
            summary = await self._summarizer.summarize(text, **options)
        except SummaryError as error:
            is_unreachable = getattr(error.__cause__, "is_unreachable", False)
            self._failures = self._failures + 1 if is_unreachable else 0
            self._reason = str(error)
            raise
        self._failures = 0
        return summary


class Summarize:
    """Fills `explain_md` and `explain_quality`."""

    name = NAME

    def run(
        self, batch: Sequence[StoredChunk], context: StageContext
    ) -> list[StageOutcome]:
        """Explain chunks; see `Stage`.

        Offline, code is explained from its own documentation. A configured model is
        called for every chunk; a chunk it fails on does not affect the others.
        """
        nodes = context.nodes({c.node_id for c in batch if c.node_id is not None})
        symbols = _symbols(batch, context)
        if context.summarizer.name == MODEL:
            texts: list[str | SummaryError] = []
            for chunk in batch:
                if chunk.source == "doc" and chunk.node_id is None:
                    texts += _ask([chunk], context)
                else:
                    texts.append(_explained(chunk, nodes, symbols))
        else:
            texts = _ask(batch, context)
        return [
            _facts(chunk, text, context.summarizer.name, symbols.get(chunk.id, []))
            for chunk, text in zip(batch, texts, strict=True)
        ]


def has_word(text: str, word: str) -> bool:
    """Whether a text has an identifier or another word, and not only as a part."""
    start = text.find(word) if _is_word(word) else -1
    while start >= 0:
        end = start + len(word)
        around = text[max(start - 1, 0) : start] + text[end : end + 1]
        if not any(letter.isalnum() or letter in "_$" for letter in around):
            return True
        start = text.find(word, start + 1)
    return False


@lru_cache(maxsize=4096)  # a project has few names, but uses them often
def _is_word(name: str) -> bool:
    return _WORD.fullmatch(name) is not None


def quality(text: str, model: str, symbols: Sequence[str]) -> dict[str, Any]:
    """Return the quality of an explanation, as JSON values.

    It has the model, the length in characters, and the share of the symbols it mentions.
    """
    words = set(_WORD.findall(text))
    known = dict.fromkeys(symbols)
    share = sum(name in words for name in known) / len(known) if known else 0.0
    return {"model": model, "length": len(text), "symbol_share": round(share, 3)}


def _facts(
    chunk: StoredChunk, text: str | SummaryError, model: str, symbols: Sequence[str]
) -> StageOutcome:
    if isinstance(text, SummaryError):
        is_final = isinstance(text, SummarizerGoneError)
        return StageOutcome.failed(chunk.id, str(text), is_final=is_final)
    values = ChunkValues(explain_md=text, explain_quality=quality(text, model, symbols))
    return StageOutcome(chunk_id=chunk.id, values=values)


def _explained(chunk: StoredChunk, nodes: Any, symbols: dict[str, list[str]]) -> str:
    node: Node | None = nodes.get(chunk.node_id or "")
    own = node.name if node is not None else None
    calls = [name for name in symbols.get(chunk.id, []) if name != own]
    return explain(node, chunk.content, calls=calls, title=chunk.title)


def _symbols(
    batch: Sequence[StoredChunk], context: StageContext
) -> dict[str, list[str]]:
    """Return the name of each chunk's node and the names it calls."""
    ids = {chunk.node_id for chunk in batch if chunk.node_id is not None}
    outgoing = context.edges_from(ids)
    ends = {e.dst for found in outgoing.values() for e in found if not e.external}
    refs = context.node_refs(ends | ids)
    found: dict[str, list[str]] = {}
    for chunk in batch:
        if chunk.node_id is None:
            continue
        names = [refs[chunk.node_id].name] if chunk.node_id in refs else []
        called = [
            refs[edge.dst].name if edge.dst in refs else last_word(edge.dst)
            for edge in outgoing.get(chunk.node_id, ())
            if edge.kind == _CALLS
        ]
        # A part of a node makes some of its calls.
        names += [name for name in called if has_word(chunk.content, name)]
        found[chunk.id] = list(dict.fromkeys(names))
    return found


@lru_cache(maxsize=4096)  # a project calls few external names, but often
def last_word(name: str) -> str:
    """Return the own name of a qualified one."""
    words = _WORD.findall(name.partition("(")[0])
    return words[-1] if words else name


def _ask(
    batch: Sequence[StoredChunk], context: StageContext
) -> list[str | SummaryError]:
    """Call the model for all chunks, from any thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_ask_all(batch, context))
    # An event loop cannot run another one in its own thread.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, _ask_all(batch, context)).result()


async def _ask_all(
    batch: Sequence[StoredChunk], context: StageContext
) -> list[str | SummaryError]:
    gate = asyncio.Semaphore(_AT_ONCE)

    async def ask(chunk: StoredChunk) -> str | SummaryError:
        async with gate:
            try:
                text = await context.summarizer.summarize(
                    _material(chunk), heading=chunk.title, max_chars=MAX_CHARS
                )
            except SummaryError as error:
                return error
            return text.strip()

    return list(await asyncio.gather(*map(ask, batch)))


def _material(chunk: StoredChunk) -> str:
    """Return the text of a chunk as Markdown."""
    if chunk.source != "code":
        return chunk.content
    return fenced(chunk.content, chunk.lang_detected)


def explain(
    node: Node | None, content: str, *, calls: Sequence[str], title: str | None
) -> str:
    """Return a short explanation of a chunk of code, as Markdown."""
    comment = node.doc_comment if node is not None else None
    prose = _first_sentences(comment or "") or _first_sentences(_comments(content))
    parts = [prose] if prose else []
    parts.append(_describe(node, title))
    if calls:
        shown = ", ".join(f"`{name}`" for name in calls[:_MAX_NAMES])
        more = len(calls) - _MAX_NAMES
        parts.append(f"Calls {shown}{f' and {more} more' if more > 0 else ''}.")
    return " ".join(part for part in parts if part)


def _describe(node: Node | None, title: str | None) -> str:
    if node is None:
        return f"Part of `{title}`." if title else ""
    what = str(node.kind).capitalize()
    where = f" in `{node.package_name}`" if node.package_name else ""
    return f"{what} `{node.name}`{where}."


def _first_sentences(text: str) -> str:
    """Return the beginning of a text, up to the end of a sentence."""
    lists = _LISTS.search(text)
    prose = " ".join(text[: lists.start() if lists else len(text)].split())
    if len(prose) <= MAX_CHARS:
        return prose if not prose or prose[-1] in ".!?。！？:" else f"{prose}."
    ends = [end for end in sentence_ends(prose, 0, MAX_CHARS + 1) if end <= MAX_CHARS]
    if ends:
        return prose[: ends[-1]].rstrip()
    return prose[:MAX_CHARS].rpartition(" ")[0].rstrip() + "…"


def _comments(code: str) -> str:
    """Return the prose of the comments in code."""
    if not any(mark in code for mark in _COMMENT_MARKS):
        return ""
    lines = filter(None, map(_comment_on, code.split("\n")))
    return "\n".join(line for line in lines if not _NOT_PROSE.search(line))


def _comment_on(line: str) -> str:
    """Return the text of a line that is a comment, without its marks."""
    line = line.strip()
    opening = _COMMENT.match(line)
    if opening is None:
        return ""
    text = line[opening.end() :]
    return text[:-1].rstrip("*").rstrip() if text.endswith("*/") else text
