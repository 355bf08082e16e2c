"""Reading a text piece by piece, from the start as often as necessary."""

from __future__ import annotations

import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from outcrop.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE_CHARS = 1_000_000


class TextReader(Protocol):
    """Anything that gives a text in pieces, such as a file opened with `newline=""`."""

    def read(self, size: int, /) -> str:
        """Return up to `size` characters; an empty string at the end."""
        ...


class Source:
    """A text that is read more than once.

    A reader that cannot go back, such as a pipe, is copied to a temporary file first.

    Args:
        reader: The text, from where the reader stands now.
    """

    def __init__(self, reader: TextReader) -> None:
        self._spool: Any = None
        self._reader: Any = reader
        if not _can_seek(reader):
            self._spool = self._reader = _copy(reader)
        self._start = self._reader.tell()

    def rewind(self) -> None:
        """Go back to where the text starts."""
        self._reader.seek(self._start)

    def read(self, size: int) -> str:
        """Return `size` characters, fewer only at the end of the text."""
        pieces: list[str] = []
        while size > 0 and (piece := _read(self._reader, size)):
            pieces.append(piece)
            size -= len(piece)
        return "".join(pieces)

    def read_all(self) -> str:
        """Return the whole text."""
        self.rewind()
        return "".join(iter(partial(_read, self._reader, _PIECE_CHARS), ""))

    def pieces(self, size: int) -> Iterator[str]:
        """Return the whole text in pieces that end with a line, from the start.

        Args:
            size: About how many characters a piece has, unless its line is longer.
        """
        self.rewind()
        rest, missing = "", size
        while piece := self.read(missing):
            rest += piece
            # A CR at the very end may be half of a CRLF.
            end = max(rest.rfind("\n"), rest.rfind("\r", 0, len(rest) - 1)) + 1
            if end:
                yield rest[:end]
                rest, missing = rest[end:], size
            else:
                missing = len(rest)  # a line of any length takes linear time
        if rest:
            yield rest

    def close(self) -> None:
        """Delete the temporary copy, if there is one."""
        if self._spool is not None:
            self._spool.close()


class Buffer:
    """The part of a text that is being worked on.

    Attributes:
        text: The part, which never ends between CR and LF.
        is_last: Whether nothing follows it.
        offset: Where it starts in the text.
    """

    def __init__(self, source: Source) -> None:
        source.rewind()
        self._source = source
        self.text = ""
        self.is_last = False
        self.offset = 0

    def fill(self, size: int) -> None:
        """Read on until the part has at least `size` characters."""
        if self.is_last:
            return
        missing = max(0, size - len(self.text))
        piece = self._source.read(missing)
        self.is_last = len(piece) < missing
        while piece.endswith("\r") and not self.is_last:
            more = self._source.read(1)
            piece += more
            self.is_last = not more
        self.text += piece

    def drop(self, end: int) -> None:
        """Go on at `end`, counted from the start of the part."""
        self.text = self.text[end:]
        self.offset += end


def _can_seek(reader: TextReader) -> bool:
    seekable = getattr(reader, "seekable", None)
    return seekable is not None and bool(seekable())


def _read(reader: TextReader, size: int) -> str:
    piece = reader.read(size)
    if not isinstance(piece, str):
        raise InputError(
            f"the reader gave {type(piece).__name__}, but the text to chunk must be str;"
            ' open the file with encoding="utf-8" and newline=""'
        )
    return piece


def _copy(reader: TextReader) -> Any:
    spool = tempfile.TemporaryFile(  # noqa: SIM115 - the source closes it
        "w+", encoding="utf-8", errors="surrogatepass", newline=""
    )
    while piece := _read(reader, _PIECE_CHARS):
        spool.write(piece)
    spool.seek(0)
    return spool
