"""Reading small files that a project brings along, whatever stands in their place.

Settings, ignore files and manifests are read by their names. In a cloned or unpacked
project such a name may be that of a pipe, or of a link to a device, neither of which
ever ends.
"""

from __future__ import annotations

import errno
import os
import stat
from io import StringIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

MAX_BYTES = 1_000_000
"""More than people write into such a file; that many ignore patterns take seconds."""


def read_regular_file(path: Path) -> bytes:
    """Return the content of a file.

    Raises:
        OSError: It cannot be read, is not a regular file, or is larger than `MAX_BYTES`.
    """
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if status.st_size > MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    with path.open("rb") as file:
        return file.read(MAX_BYTES)


def read_regular_text(path: Path) -> str:
    """Return the content of a file in UTF-8, with LF at the end of each line.

    Raises:
        OSError: As for `read_regular_file`.
        UnicodeDecodeError: It is not UTF-8.
    """
    return StringIO(read_regular_file(path).decode(), newline=None).read()
