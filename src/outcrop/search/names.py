"""Names of symbols: finding them in a question, their words, and their vectors.

Every hybrid search compares the question with the names of its candidates, and most of
them are those of an earlier search: their vectors are kept.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from outcrop.model.candidate import file_name, file_stem
from outcrop.search.words import family
from outcrop.text.analysis import UNSPACED, count_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from outcrop.model.candidate import Candidate
    from outcrop.providers.embedder import Embedder

# Where the words of a name meet: a change of case, an underscore.
_WORD_BOUNDARIES = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
_SEPARATORS = re.compile(r"::|[.#/]")
_NAME = r"[^\W\d]\w*"
_QUALIFIED_NAME = re.compile(rf"{_NAME}(?:(?:\.|::|#){_NAME})*")
# A text that is a name and nothing else, with or without parameters.
_SYMBOL = re.compile(rf"{_NAME}(?:(?:\.|::|#|/){_NAME})*(?:\(.*\))?")
# In a sentence, a word is a name if it is not spelled like an ordinary word.
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]|\w_\w|^_|::|#|\w\.\w")

_NO_WORDS: frozenset[str] = frozenset()

Name = tuple[str, ...]

# Names per embedder: 10 MB of vectors with 256 dimensions.
_MAX_NAMES = 10_000
_MAX_EMBEDDERS = 4


class _Unspaced(NamedTuple):
    """Patterns for text in scripts without spaces."""

    letter: re.Pattern[str]
    # In a sentence, a name ends where such a script begins.
    qualified_name: re.Pattern[str]
    # Words are a name only if they are spelled as in code: without spaces, a whole
    # question looks like one name.
    code_spelling: re.Pattern[str]


@cache
def _unspaced() -> _Unspaced:
    """Compile the patterns where there is such text: it takes 10 ms."""
    name = rf"(?!_+[{UNSPACED}])[^\W\d{UNSPACED}][^\W{UNSPACED}]*"
    return _Unspaced(
        re.compile(f"[{UNSPACED}]"),
        re.compile(rf"{name}(?:(?:\.|::|#){name})*"),
        re.compile(rf"(?<=[{UNSPACED}])[_.#]|[_.#](?=[{UNSPACED}])|::|\(\)"),
    )


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
    if not text.isascii():
        unspaced = _unspaced()
        if unspaced.letter.search(text) and not unspaced.code_spelling.search(text):
            return False
    return _SYMBOL.fullmatch(text.strip()) is not None


def split_name(name: str) -> Name:
    """Return the parts of a qualified name, without parameters."""
    return tuple(p for p in _SEPARATORS.split(name.partition("(")[0]) if p)


def find_names(text: str) -> Iterator[Name]:
    """Yield the names of symbols in a sentence."""
    pattern = _QUALIFIED_NAME if text.isascii() else _unspaced().qualified_name
    for match in pattern.finditer(text):
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


def name_words(candidate: Candidate) -> NameWords:
    """Return the words in the names of a candidate."""
    return _name_words(candidate.path, candidate.name, candidate.section_path[-2:])


@lru_cache(maxsize=20_000)
def _name_words(path: str, name: str, headings: tuple[str, ...]) -> NameWords:
    """Return the words in the names of a file and of the innermost headings."""
    file = _file_words(path)
    return NameWords(
        words_of(name) if name else file.name,
        words_of(headings[-2]) if len(headings) > 1 else _NO_WORDS,
        words_of(headings[-1]) if headings else _NO_WORDS,
        file.name,
        file.folder,
        spelled_out(f"{file.stem} {name}"),
    )


class _FileWords(NamedTuple):
    stem: str
    name: frozenset[str]
    folder: frozenset[str]


@lru_cache(maxsize=20_000)
def _file_words(path: str) -> _FileWords:
    folder = path.rpartition("/")[0]
    return _FileWords(file_stem(path), words_of(file_name(path)), words_of(folder))


class NameVectors:
    """Embeds names, each of them once.

    Vectors must not depend on what is embedded with them. Safe to use from several
    threads.
    """

    def __init__(self, embedder: Embedder) -> None:
        """Embed with an embedder of this machine."""
        self._embedder = embedder
        self._lock = Lock()
        self._known = _Known({}, np.empty((_MAX_NAMES, embedder.dimension), np.float32))

    def __call__(self, names: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per name."""
        places, vectors = self._known
        try:
            return vectors[[places[name] for name in names]]
        except KeyError:
            pass
        if len(set(names)) > _MAX_NAMES:
            return self._embedder.embed(names)
        with self._lock:
            places, vectors = self._add(names)
            return vectors[[places[name] for name in names]]

    def _add(self, names: Sequence[str]) -> _Known:
        """Embed the names that are not known, and return what is known then."""
        places, vectors = self._known
        missing = [name for name in dict.fromkeys(names) if name not in places]
        if len(places) + len(missing) > _MAX_NAMES:
            # Others may be reading the rows of these.
            places, vectors = self._known = _Known({}, np.empty_like(vectors))
            missing = list(dict.fromkeys(names))
        start = len(places)
        if missing:
            vectors[start : start + len(missing)] = self._embedder.embed(missing)
            places |= {name: at for at, name in enumerate(missing, start)}
        return self._known


class _Known(NamedTuple):
    """Vectors that were made: a row each, of which the last ones are not used yet."""

    places: dict[str, int]
    vectors: NDArray[np.float32]


_by_embedder: dict[int, NameVectors] = {}


def name_vectors(embedder: Embedder) -> NameVectors:
    """Return the vectors of names of an embedder."""
    # By its id, as an embedder of the user's own may not be hashable. An embedder that
    # is kept here does not give its id to another one.
    vectors = _by_embedder.get(id(embedder))
    if vectors is None:
        if len(_by_embedder) >= _MAX_EMBEDDERS:
            _by_embedder.clear()
        vectors = _by_embedder[id(embedder)] = NameVectors(embedder)
    return vectors
