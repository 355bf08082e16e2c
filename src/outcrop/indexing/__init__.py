"""From files to a searchable index, with `Index` as its public interface."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from outcrop.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Mapping

# Extra -> the packages that it installs and that are imported here. The local embedder
# can be replaced, so it is not required, but named together with what is.
_REQUIRED = {"store": ("numpy", "psycopg", "psycopg_pool"), "tokens": ("splintr",)}
_USUAL = {"embed": ("numpy", "wordllama", "tokenizers", "safetensors")}


def _missing(extras: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [
        extra
        for extra, packages in extras.items()
        if any(find_spec(package) is None for package in packages)
    ]


if _missing(_REQUIRED):
    raise MissingExtraError(
        "an index", ",".join([*_missing(_REQUIRED), *_missing(_USUAL)])
    )
