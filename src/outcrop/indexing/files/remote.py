"""Files in object storage, whose documents have their URL as the path."""

from __future__ import annotations

_PREFIXES = ("s3://", "gs://", "hf://", "az://")


def is_remote(path: str) -> bool:
    """Return whether a path is the URL of an object rather than of a file here."""
    return path.startswith(_PREFIXES)
