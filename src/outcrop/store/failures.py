"""Errors of a database: which can be retried, and what to tell the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
from psycopg import errors

from outcrop.errors import DiskFullError, StorageError

if TYPE_CHECKING:
    from outcrop.store.server.embedded import EmbeddedServer

# A value that a column, a constraint or an index cannot take.
_REFUSALS = (
    psycopg.DataError,
    psycopg.IntegrityError,
    errors.ProgramLimitExceeded,
    UnicodeEncodeError,
)
_DAMAGE = (
    errors.DataCorrupted,
    errors.IndexCorrupted,
    errors.UndefinedFile,
    errors.IoError,
)


def is_lost(error: StorageError) -> bool:
    """Return whether the connection was lost, and the database did not refuse."""
    if isinstance(error, DiskFullError):
        return False  # trying again does not help until there is space
    return _is_lost(error.__cause__)


def is_refused(error: StorageError) -> bool:
    """Return whether the database rejected a value, and did not fail itself."""
    return isinstance(error.__cause__, _REFUSALS)


def explain_failure(
    error: psycopg.Error | UnicodeEncodeError,
    location: str,
    server: EmbeddedServer | None,
    failed: str = "the database failed",
) -> StorageError:
    """Return the exception to raise for an error of the driver.

    `failed` says what could not be done; the server is None where it is not ours.
    """
    if isinstance(error, errors.DiskFull) and server is None:
        return DiskFullError(
            f"the disk of the server at {location} is full; free some space there and "
            "try again"
        )
    if server is not None:
        if isinstance(error, errors.DiskFull):
            return server.full_disk()
        full = server.find_full_disk() if _is_lost(error) else None
        if full is not None:
            return full
        if isinstance(error, _DAMAGE):
            return unreadable(error, location)
    return StorageError(f"{failed}: {error}".rstrip())


def unreadable(error: psycopg.Error, location: str) -> StorageError:
    """Return the exception to raise if an embedded server cannot read its data."""
    message = first_line(error).rpartition("FATAL: ")[2].strip()
    return StorageError(
        f"cannot read the database in {location}: {message}; see {location}/server.log, "
        f"and if the data is damaged, delete {location} and index again"
    )


def first_line(error: BaseException) -> str:
    """Return an error's message up to the first line end."""
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


def _is_lost(cause: BaseException | None) -> bool:
    if isinstance(cause, (errors.AdminShutdown, errors.CrashShutdown)):
        return True
    # An error without a code is the driver's own: the server did not answer.
    return isinstance(cause, psycopg.OperationalError) and cause.sqlstate is None


def describe_refusal(error: StorageError) -> str:
    """Return why the database refused a document, in one line."""
    said = str(error.__cause__).strip().partition("\n")[0]
    return f"refused by the database: {said}"
