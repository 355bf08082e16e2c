"""The facts of a file as bytes, to be kept until the file changes, and their shape.

The shape of a file is all that names and relations are worked out from. Two versions of
a file with the same shape have the same nodes and edges, at other places: a comment, a
docstring or a blank line does not change the shape.
"""

from __future__ import annotations

import io
import marshal
import pickle
import zlib
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from outcrop.codegraph.parsed import pack, unpack

if TYPE_CHECKING:
    from outcrop.codegraph.parsed import ParsedFile

# Later versions of the format write references, which differ for equal values.
_PLAIN_FORMAT = 2
_FASTEST = 1


class KeptFacts(NamedTuple):
    """The facts of a file without its text."""

    digest: str
    """Fingerprint of the file's content."""
    shape: str
    """The same for versions of the file with the same names and relations."""
    data: bytes
    """What `load_facts` reads."""


def keep_facts(facts: ParsedFile) -> KeptFacts:
    """Turn facts into bytes."""
    packed = pack(facts._replace(text=""))
    data = zlib.compress(pickle.dumps(packed, pickle.HIGHEST_PROTOCOL), _FASTEST)
    return KeptFacts(facts.digest, _shape(packed), data)


def load_facts(data: bytes) -> ParsedFile:
    """Undo `keep_facts`; the text is empty."""
    return unpack(_PlainUnpickler(io.BytesIO(zlib.decompress(data))).load())


def _shape(packed: tuple[Any, ...]) -> str:
    _, _, lang, _, _, package, symbols, imports, body, routes, *rest = packed
    # Without their places, and the documentation of symbols.
    symbols = [(*row[:3], row[7], *row[9:]) for row in symbols]
    routes = [row[:6] for row in routes]
    key = (lang, package, symbols, imports, body, routes, rest)
    data = marshal.dumps(key, _PLAIN_FORMAT)
    return blake2b(data, digest_size=16).hexdigest()


class _PlainUnpickler(pickle.Unpickler):
    """Reads plain values only: bytes from a database must not name code to run."""

    def find_class(self, module: str, name: str) -> NoReturn:
        raise pickle.UnpicklingError(f"facts hold plain values, not {module}.{name}")
