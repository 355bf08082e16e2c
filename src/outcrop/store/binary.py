"""Parameters of queries in the binary format of their type.

A vector as text has a thousand digits, which take longer to write and to read than most
of what is done with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.adapt import Dumper
from psycopg.pq import Format

from outcrop.store.packing import pack_vector

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class BinaryValue(bytes):
    """A value as PostgreSQL stores it; the query says of which type it is."""

    __slots__ = ()


class BinaryDumper(Dumper):
    """Sends a `BinaryValue` as it is."""

    format = Format.BINARY
    oid = 0  # the server takes the type from the query

    def dump(self, obj: BinaryValue) -> BinaryValue:
        """Return the bytes to send."""
        return obj


def vector_value(vector: NDArray[np.float32]) -> BinaryValue:
    """Return a `vector` for a parameter of a query."""
    return BinaryValue(pack_vector(vector))
