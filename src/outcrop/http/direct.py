"""Answers written as JSON directly from the library's values.

Their models describe the interface and would check each value, but the library has made
them, and the check takes longer than writing them.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from fastapi.responses import Response
from pydantic_core import to_json

from outcrop.http.results import HitResult, PieceResult, SpellingResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import BaseModel

    from outcrop.model.hit import Hit
    from outcrop.search.context import Piece
    from outcrop.search.spelling import Spelling


def _fields_of(model: type[BaseModel]) -> Callable[[object], dict[str, Any]]:
    """Return a function that reads the fields of a model from a value."""
    names = tuple(model.model_fields)
    values_of = attrgetter(*names)
    return lambda value: dict(zip(names, values_of(value), strict=True))


_hit_fields = _fields_of(HitResult)
_piece_fields = _fields_of(PieceResult)
_spelling_fields = _fields_of(SpellingResult)


def hit_fields(hit: Hit) -> dict[str, Any]:
    """Return the fields of a hit, as `HitResult` describes them."""
    return _hit_fields(hit)


def piece_fields(piece: Piece) -> dict[str, Any]:
    """Return the fields of a piece, as `PieceResult` describes them."""
    fields = _piece_fields(piece)
    fields["hit"] = _hit_fields(piece.hit)
    return fields


def spelling_fields(spelling: Spelling) -> dict[str, Any]:
    """Return the fields of a spelling, as `SpellingResult` describes them."""
    return _spelling_fields(spelling)


def json_response(fields: Mapping[str, Any]) -> Response:
    """Return an answer with these fields."""
    return Response(to_json(fields), media_type="application/json")
