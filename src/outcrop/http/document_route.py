"""The part of an address that names a document: any characters, line ends included."""

from __future__ import annotations

from starlette.convertors import Convertor, register_url_convertor


class DocumentPathConvertor(Convertor[str]):
    """Takes the rest of an address; the framework's own stops at a line end."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        """Return the path as it was sent."""
        return value

    def to_string(self, value: str) -> str:
        """Return the path as it is."""
        return value


register_url_convertor("document", DocumentPathConvertor())

DOCUMENT_ROUTE = "/documents/{path:document}"
