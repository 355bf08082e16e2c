"""Symbols that a document names in code spans or code blocks.

A qualified name is certain. A short name counts if only one definition has it. In a code
block most words are variables, so a bare word counts there only if it is called or
written like a type.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from outcrop.markdown.parser import parseable, read_unplaced_events
from outcrop.model.edge import Edge, EdgeKind, Resolution
from outcrop.text.tokens import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import (
        Callable,
        Collection,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )

    from outcrop.model.node import NodeRef
    from outcrop.pipeline.stage import SymbolNames
    from outcrop.store.store import PostgresStore

    _Meant = tuple[NodeRef, Resolution, float]

_SUFFIX_CONFIDENCE = 0.8
_NAME_CONFIDENCE = 0.5
_WORD_CONFIDENCE = 0.3
_MIN_NAME_CHARS = 3
_MAX_NAMES = 300
# A file is often named after what it defines, which is what the document means.
_FILES = frozenset({"MODULE", "PACKAGE"})

_PATH = r"[^\W\d][\w$]*(?:(?:\.|::|/|\#)[^\W\d][\w$]*)*"
_SPAN = re.compile(rf"\s*[@*&]?({_PATH})\s*(?:(\(.*\))|<.*>)?\s*", re.DOTALL)
_IN_CODE = re.compile(rf"({_PATH})(\s*\()?")
_TYPE_NAME = re.compile(r"[A-Z][a-z0-9]+[A-Z]\w*")
_LAST = re.compile(r"(?:\.|::|/|#)")
# Without any of these a text holds no code.
_CODE_MARKS = ("`", "~~~", "    ", "\t")

_PAGE = 5_000


class _Name(NamedTuple):
    text: str
    is_marked: bool
    """Whether it is a code span of its own, so that the symbol is meant."""
    is_call: bool


def find_mentions(
    texts: Mapping[str, str], graph: SymbolNames
) -> dict[str, tuple[Edge, ...]]:
    """Return the edges from chunks to the symbols they name, by the chunk's id.

    A chunk that names nothing has an empty tuple.
    """
    named = {chunk_id: list(_names(text)) for chunk_id, text in texts.items()}
    wanted = {name.text for names in named.values() for name in names}
    wanted.update(_LAST.split(name)[-1] for name in list(wanted))
    known = graph.symbols(wanted) if wanted else {}

    @cache  # many chunks name the same, and some names have thousands of definitions
    def meant(name: _Name) -> tuple[_Meant, ...]:
        return tuple(_meant(name, known))

    return {
        chunk_id: tuple(_edges(chunk_id, names, meant))
        for chunk_id, names in named.items()
    }


def _edges(
    chunk_id: str, names: Sequence[_Name], meant: Callable[[_Name], tuple[_Meant, ...]]
) -> Iterator[Edge]:
    seen: set[str] = set()
    for name in names:
        for ref, resolution, confidence in meant(name):
            if ref.id in seen:
                continue
            seen.add(ref.id)
            yield Edge(
                src=chunk_id,
                dst=ref.id,
                kind=EdgeKind.MENTIONS,
                resolution=resolution,
                confidence=confidence,
            )


def _meant(name: _Name, known: Mapping[str, Sequence[NodeRef]]) -> Iterator[_Meant]:
    parts = _LAST.split(name.text)
    named = known.get(name.text, ())
    exact = [p for p in named if p.fqn.partition("(")[0] == name.text]
    if exact:
        if len(parts) > 1 or name.is_marked:
            for ref in exact:
                yield ref, Resolution.EXACT, 1.0
        return
    candidates = {
        ref.id: ref for key in (name.text, parts[-1]) for ref in known.get(key, ())
    }.values()
    if len(parts) > 1:
        found, confidence = _of_qualified_name(name.text, parts, candidates)
    else:
        found = _of_own_name(name.text, candidates)
        is_word = name.text.isalpha() and name.text.islower() and not name.is_call
        confidence = _WORD_CONFIDENCE if is_word else _NAME_CONFIDENCE
    if len({p.fqn.partition("(")[0] for p in found}) == 1:
        for ref in found:
            yield ref, Resolution.HEURISTIC, confidence


def _of_qualified_name(
    name: str, parts: Sequence[str], candidates: Iterable[NodeRef]
) -> tuple[list[NodeRef], float]:
    """Return the definitions whose qualified name ends with it, or omits packages.

    `shop.Cart` is what people import where `shop` takes it from `shop.cart.Cart`.
    """
    refs = [p for p in candidates if p.name == parts[-1]]
    ends = tuple(f"{mark}{name}" for mark in (".", "::", "/", "#"))
    found = [p for p in refs if p.fqn.partition("(")[0].endswith(ends)]
    if found:
        return found, _SUFFIX_CONFIDENCE
    found = [p for p in refs if _leaves_out(parts, p.fqn.partition("(")[0])]
    return found, _NAME_CONFIDENCE


def _leaves_out(parts: Sequence[str], fqn: str) -> bool:
    if not fqn.startswith(parts[0]):
        return False  # most others, without taking them apart
    whole = _LAST.split(fqn)
    rest = iter(whole)
    return whole[0] == parts[0] and all(part in rest for part in parts)


def _of_own_name(name: str, candidates: Iterable[NodeRef]) -> list[NodeRef]:
    """Return the definitions of a name; none where all of them are fields.

    Fields are too numerous to be meant by a word, but they make a name ambiguous.
    """
    if len(name) < _MIN_NAME_CHARS:
        return []
    found = [p for p in candidates if p.name == name and p.kind not in _FILES]
    return [] if all(ref.kind == "FIELD" for ref in found) else found


def _names(content: str) -> Iterator[_Name]:
    """Yield the names in code spans and code blocks, each once."""
    seen: set[str] = set()
    for text, is_block in _code(content):
        for name in _in_block(text) if is_block else _in_span(text):
            if name.text not in seen and len(seen) < _MAX_NAMES:
                seen.add(name.text)
                yield name


def _in_span(text: str) -> Iterator[_Name]:
    whole = _SPAN.fullmatch(text)
    if whole is not None:
        yield _Name(whole.group(1), is_marked=True, is_call=bool(whole.group(2)))
    else:
        yield from _in_block(text)


def _in_block(text: str) -> Iterator[_Name]:
    for match in _IN_CODE.finditer(text):
        name, call = match.groups()
        if call or _LAST.search(name) or _TYPE_NAME.fullmatch(name):
            yield _Name(name, is_marked=False, is_call=bool(call))


def _code(content: str) -> list[tuple[str, bool]]:
    """Return the texts of code spans and blocks, and whether each is a block."""
    if not any(mark in content for mark in _CODE_MARKS):
        return []
    source, _ = parseable(replace_surrogates(content))
    return read_unplaced_events(source, _code_texts)


def _code_texts(events: Iterator[Any]) -> list[tuple[str, bool]]:
    texts: list[tuple[str, bool]] = []
    inside = False
    for event in events:
        if isinstance(event, str):
            continue
        ((kind, value),) = event.items()
        if kind == "Code":
            texts.append((value, False))
        elif kind == "Start":
            inside = isinstance(value, dict) and "CodeBlock" in value
        elif kind == "End":
            inside = False
        elif kind == "Text" and inside:
            texts.append((value, True))
    return texts


class StoredSymbols:
    """Finds nodes by name in the store; see `SymbolNames`."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def symbols(self, names: Collection[str]) -> Mapping[str, Sequence[NodeRef]]:
        """Return the nodes with these own or qualified names, by name."""
        by_name: dict[str, list[NodeRef]] = {}
        for ref in self._store.named_nodes(names) if names else ():
            for name in ref.names.intersection(names):
                by_name.setdefault(name, []).append(ref)
        return by_name


def link_mentions(store: PostgresStore, paths: Collection[str] | None) -> int:
    """Bring the edges of some or all documents up to date with the graph.

    Returns:
        How many edges were written or deleted.
    """
    symbols = StoredSymbols(store)
    changed, after = 0, ""
    while page := store.document_texts(after=after, limit=_PAGE, paths=paths):
        after = next(reversed(page))
        mentions = find_mentions(page, symbols)
        edges = [edge for of_chunk in mentions.values() for edge in of_chunk]
        changed += store.put_mentions(edges, chunk_ids=list(page))
    return changed
