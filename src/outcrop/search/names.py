"""Names of symbols: finding them in a question, and taking them apart into words."""

from __future__ import annotations

import re
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from outcrop.search.words import family
from outcrop.text.analysis import UNSPACED, count_terms

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from outcrop.model.candidate import Candidate

# Where the words of a name meet: a change of case, an underscore.
_WORD_BOUNDARIES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_SEPARATORS = re.compile(r"::|[.#/]")
_NAME = r"[^\W\d]\w*"
# In a sentence of a script without spaces, a name ends where that script begins.
_SPACED_NAME = rf"(?!_+[{UNSPACED}])[^\W\d{UNSPACED}][^\W{UNSPACED}]*"
_QUALIFIED_NAME = re.compile(rf"{_SPACED_NAME}(?:(?:\.|::|#){_SPACED_NAME})*")
# A text that is a name and nothing else, with or without parameters.
_SYMBOL = re.compile(rf"{_NAME}(?:(?:\.|::|#|/){_NAME})*(?:\(.*\))?")
# Words of such a script are a name only if they are spelled as in code: without spaces,
# a whole question looks like one name.
_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_CODE_SPELLING = re.compile(rf"(?<=[{UNSPACED}])[_.#]|[_.#](?=[{UNSPACED}])|::|\(\)")
# In a sentence, a word is a name if it is not spelled like an ordinary word.
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]|\w_\w|^_|::|#|\w\.\w")

# About 10 MB.
_MAX_KNOWN = 20_000

Name = tuple[str, ...]


class NameWords(NamedTuple):
    """The words in the names of a candidate, by family.

    Attributes:
        own: Those of its heading or definition, or of its file if it has neither.
        enclosing: Those of the enclosing section or definition.
        heading: Those of its innermost heading, or of its signature.
        file: Those of its file.
        folder: Those of the folders around the file.
        spelled: The names of its file and of its heading or definition, spelled out.
    """

    own: frozenset[str]
    enclosing: frozenset[str]
    heading: frozenset[str]
    file: frozenset[str]
    folder: frozenset[str]
    spelled: str


def is_symbol(text: str) -> bool:
    """Return whether a text is the name of a symbol and nothing else."""
    if _UNSPACED_LETTER.search(text) and not _CODE_SPELLING.search(text):
        return False
    return _SYMBOL.fullmatch(text.strip()) is not None


def split_name(name: str) -> Name:
    """Return the parts of a qualified name, without parameters."""
    return tuple(p for p in _SEPARATORS.split(name.partition("(")[0]) if p)


def find_names(text: str) -> Iterator[Name]:
    """Yield the names of symbols in a sentence."""
    for match in _QUALIFIED_NAME.finditer(text):
        name = match.group()
        is_quoted = text[max(0, match.start() - 1) : match.end() + 1] == f"`{name}`"
        if is_quoted or _COMPOUND.search(name):
            yield split_name(name)


@lru_cache(maxsize=20_000)
def words_of(name: str) -> frozenset[str]:
    """Return the families of the words in a name or a heading."""
    terms = count_terms(_WORD_BOUNDARIES.sub(" ", name))
    return frozenset(family(term) for term in terms if "." not in term)


@lru_cache(maxsize=20_000)
def spelled_out(name: str) -> str:
    """Return a name as lower-case words separated by spaces."""
    return " ".join(_WORD_BOUNDARIES.sub(" ", name).lower().split())


_known: dict[Hashable, NameWords] = {}
_naming = attrgetter("path", "section_path", "source", "node_kind")


def name_words(candidate: Candidate) -> NameWords:
    """Return the words in the names of a candidate."""
    key = _naming(candidate)
    words = _known.get(key)
    if words is None:
        if len(_known) >= _MAX_KNOWN:
            _known.clear()
        words = _known[key] = _find_name_words(candidate)
    return words


def _find_name_words(candidate: Candidate) -> NameWords:
    name, file_name = candidate.name, candidate.file_name
    headings = candidate.section_path
    none: frozenset[str] = frozenset()
    return NameWords(
        own=words_of(name or file_name),
        enclosing=words_of(headings[-2]) if len(headings) > 1 else none,
        heading=words_of(headings[-1]) if headings else none,
        file=words_of(file_name),
        folder=words_of(candidate.path.rpartition("/")[0]),
        spelled=spelled_out(f"{candidate.file_stem} {name}"),
    )
