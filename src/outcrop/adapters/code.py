"""Source code cut for a framework: pieces with stable ids."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from outcrop.adapters.nodes import chunk_key
from outcrop.errors import UnknownLanguageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CodePiece:
    """A piece of a source file."""

    id: str  # unique among all documents, the same in every run
    text: str  # `source[start_index:end_index]`
    content: str  # the text with the signatures that it continues before it
    fields: Mapping[str, Any]  # what is known about it, each as a single value


def code_pieces(
    text: str,
    document: str,
    *,
    language: str | None,
    metadata: Mapping[str, object],
    limit: int,
    length: Callable[[str], int],
    uuid_ids: bool = False,
) -> Iterator[CodePiece]:
    """Cut a source file; the pieces hold all of it but blank stretches.

    The name of the document goes into the ids. Without a language, `file_path` or
    `source` in the metadata tells it.

    Raises:
        UnknownLanguageError: The language is unknown, or there is neither a language nor
            a path with a known extension.
        MissingExtraError: The grammar of the language is not installed.
    """
    from outcrop.planning.cutting.syntax import cut

    spoken = language or _language(metadata)
    seen: Counter[str] = Counter()
    line, at = 1, 0
    for piece in cut(text, spoken, limit=limit, length=length):
        line += text.count("\n", at, piece.start)
        at = piece.start
        if piece.text.isspace():
            continue
        digest = _digest(piece.text)
        fields: dict[str, Any] = {
            "language": spoken,
            "start_line": line,
            "end_line": line + piece.text.rstrip("\r\n").count("\n"),
            "start_index": piece.start,
            "end_index": piece.end,
        }
        if piece.prefix:
            fields["prefix"] = piece.prefix
        key = chunk_key(document, f"{digest}:{seen[digest]}", as_uuid=uuid_ids)
        seen[digest] += 1
        fields["chunk_id"] = key
        yield CodePiece(id=key, text=piece.text, content=piece.content, fields=fields)


def _language(metadata: Mapping[str, object]) -> str:
    from outcrop.codegraph.languages import language_of

    path = metadata.get("file_path") or metadata.get("source")
    spoken = language_of(str(path)) if path else None
    if spoken is None:
        named = f"by the name {str(path)!r}" if path else "without a path"
        raise UnknownLanguageError(
            f"the language of a document cannot be detected {named}: pass `language`"
        )
    return spoken


def _digest(text: str) -> str:
    data = text.encode(errors="surrogatepass")
    return blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()
