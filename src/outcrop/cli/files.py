"""Reading documents from files and from standard input, exactly as they are."""

from __future__ import annotations

import codecs
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from outcrop.cli.render.text import escape_controls
from outcrop.cli.verbosity import is_quiet
from outcrop.errors import InputError, UnsupportedFileError

if TYPE_CHECKING:
    from typing import TextIO

STANDARD_INPUT = "-"
# Files from this size on are cut a window at a time, where the output allows it.
MIN_STREAMED_BYTES = 20_000_000

_BLOCK_BYTES = 1_000_000

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_document(path: str) -> str:
    """Read a text; line ends, tabs and a byte order mark stay as they are.

    Args:
        path: A file, or `-` for standard input.

    Raises:
        InputError: If there is no such file or it cannot be read.
        UnsupportedFileError: If it is a folder, binary or not UTF-8.
    """
    data = _read_bytes(path)
    if data.startswith(_UTF16_MARKS) and b"\0" in data:
        raise UnsupportedFileError(
            f"{path}: looks like UTF-16; convert the file to UTF-8 first"
        )
    if b"\0" in data:
        raise UnsupportedFileError(f"{path}: binary: a NUL at byte {data.index(0)}")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnsupportedFileError(
            f"{path}: not UTF-8: byte 0x{data[error.start]:02x} on line {line}; "
            "convert the file first"
        ) from error


def note_other_format(path: str) -> None:
    """Say that a document in another format is about to be cut as Markdown."""
    from outcrop.indexing.files.kinds import CODE, kind_of

    name = Path(path).name
    kind = kind_of(name)
    if kind is None or kind.kind == "markdown" or is_quiet():
        return
    if kind.kind == CODE:
        instead = "outcrop chunk cuts code at its definitions"
    elif name.lower().endswith(".txt"):
        return
    else:
        instead = "only outcrop index reads its own format"
    click.echo(
        f"note: {escape_controls(path)} is cut as Markdown, markup and all; {instead}",
        err=True,
    )


def is_large_text(path: str) -> bool:
    """Whether a file is a text that is not read as a whole without need.

    Anything else is for `read_document`, which says what is wrong with it.
    """
    if path == STANDARD_INPUT:
        return False
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size < MIN_STREAMED_BYTES:
            return False
        with Path(path).open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                if b"\0" in block:
                    return False
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except (OSError, UnicodeDecodeError):
        return False
    return True


def _read_bytes(path: str) -> bytes:
    if path == STANDARD_INPUT:
        stream: TextIO | None = sys.stdin
        if stream is None:  # closed by the caller
            raise InputError("-: standard input is closed")
        return stream.buffer.read()
    if Path(path).is_dir():
        raise UnsupportedFileError(f"{path}: a folder; name the files in it")
    try:
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file") from error
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"{path}: cannot be read: {reason}") from error
