"""Files in object storage, whose documents have their URL as the path."""

from __future__ import annotations

_PREFIXES = ("s3://", "gs://", "hf://", "az://")
# Parts of a key that are not the name of a file or folder.
_NOT_NAMES = frozenset({"", ".", ".."})
_MAX_NAME_BYTES = 255


def is_remote(path: str) -> bool:
    """Return whether a path is the URL of an object rather than of a file here."""
    return path.startswith(_PREFIXES)


def is_safe_name(key: str) -> bool:
    """Return whether an object's name, relative to a folder, is a path inside it."""
    names = key.split("/")
    return (
        _NOT_NAMES.isdisjoint(names)
        and "\0" not in key
        and "\\" not in key
        and all(len(n.encode(errors="replace")) <= _MAX_NAME_BYTES for n in names)
    )
