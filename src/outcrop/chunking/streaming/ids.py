"""Ids of millions of chunks in little memory."""

from __future__ import annotations

from array import array

from outcrop.chunking.metadata import ChunkIds, encode_text

_DIGEST_BYTES = 16  # equal for two of a billion texts once in 10**20 documents
_KEY_BYTES = 4
_KEY_DIGITS = 2 * _KEY_BYTES
_EMPTY = bytes(_DIGEST_BYTES)
_FIRST_SLOTS = 1 << 12


class CompactChunkIds(ChunkIds):
    """Gives the ids of `ChunkIds`, with about 25 bytes of memory for each."""

    def __init__(self) -> None:
        super().__init__()
        self._digests = DigestTable()


class RecordedIds(CompactChunkIds):
    """Remembers the ids of leaves in their order, for a second pass over the text."""

    def __init__(self) -> None:
        super().__init__()
        self._given = array("I")
        self._longer: dict[int, str] = {}  # ids of another length, by their number

    def assign_encoded(self, data: bytes) -> str:
        """An id for a text in its role, which is remembered."""
        given = super().assign_encoded(data)
        if len(given) != _KEY_DIGITS:
            self._longer[len(self._given)] = given
        self._given.append(int(given[:_KEY_DIGITS], 16))
        return given

    def repeated(self) -> RepeatedIds:
        """Return what gives the same ids again."""
        return RepeatedIds(self._given, self._longer)

    def assign_other(self, role: bytes, own: str) -> str:
        """An id for a text that is no leaf; it is not remembered."""
        return super().assign_encoded(encode_text(role, own))


class RepeatedIds(ChunkIds):
    """Gives the ids of a first pass over the same text again."""

    def __init__(self, given: array[int], longer: dict[int, str]) -> None:
        super().__init__()
        self._given = given
        self._longer = longer
        self._next = 0

    def assign_encoded(self, data: bytes) -> str:  # noqa: ARG002 - the contract of ids
        """The next id."""
        at = self._next
        self._next += 1
        return self._longer.get(at) or f"{self._given[at]:0{_KEY_DIGITS}x}"


class DigestTable(dict[str, str]):
    """Digests by their first digits.

    An id is the start of its digest, so the digest alone is kept: in a hash table in one
    array of bytes for ids of the usual length, and in the dictionary for longer ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self._slots = _FIRST_SLOTS
        self._table = bytearray(self._slots * _DIGEST_BYTES)
        self._used = 0

    def __contains__(self, short: object) -> bool:
        return isinstance(short, str) and self.get(short) is not None

    def get(self, short: str, default: str | None = None) -> str | None:  # type: ignore[override]
        """Return the digest that an id is the start of."""
        if len(short) != _KEY_DIGITS:
            return super().get(short, default)
        at = self._find(bytes.fromhex(short))
        found = self._table[at : at + _DIGEST_BYTES]
        return default if found == _EMPTY else found.hex()

    def __setitem__(self, short: str, digest: str) -> None:
        if len(short) != _KEY_DIGITS:
            super().__setitem__(short, digest)
            return
        if 3 * self._used > 2 * self._slots:
            self._grow()
        self._put(bytes.fromhex(digest[: 2 * _DIGEST_BYTES]))

    def _put(self, digest: bytes) -> None:
        at = self._find(digest[:_KEY_BYTES])
        self._used += self._table[at : at + _DIGEST_BYTES] == _EMPTY
        self._table[at : at + _DIGEST_BYTES] = digest

    def _find(self, key: bytes) -> int:
        """Where a digest with this start is, or the free slot for it."""
        table, mask = self._table, self._slots - 1
        slot = int.from_bytes(key) & mask
        while True:
            at = slot * _DIGEST_BYTES
            start = table[at : at + _KEY_BYTES]
            if start == key or table[at : at + _DIGEST_BYTES] == _EMPTY:
                return at
            slot = slot + 1 & mask

    def _grow(self) -> None:
        old = self._table
        self._slots *= 2
        self._table = bytearray(self._slots * _DIGEST_BYTES)
        self._used = 0
        for at in range(0, len(old), _DIGEST_BYTES):
            digest = bytes(old[at : at + _DIGEST_BYTES])
            if digest != _EMPTY:
                self._put(digest)
